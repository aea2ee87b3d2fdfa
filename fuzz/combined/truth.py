"""The motion of a drawn system without the library: Lagrange's equations in a chart around each state, by jets, with
multipliers, walls and contacts; integrated by SciPy.

    W sddot - N^T lam - sum_c (n_c - mu sign(slip) dslip/dsdot) P_c = b ,   N sddot = c ,   n_c sddot = d_c

P_c being the force of a contact that stays closed and slips. Where P_c < 0, or the slip changes its sign, there would
be another mode, and the system is not fit to be asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp

from ..agreement.plain import Plain, Values
from ..agreement.recipe import Recipe
from ..agreement.trees import Tree
from .drawn import KNOTS, SPAN, Drawn, Wall, put

RTOL, ATOL, FAR = 1e-11, 1e-13, 20.0
Array = np.ndarray


class Unfit(Exception):
    """The system leaves what the plain route can follow."""


@dataclass(frozen=True)
class Truth:
    """The motion of one system.

    Attributes:
        drawn: it.
        principle: ``"nonholonomic"`` or ``"vakonomic"``.
        values: of parameters that are other ones.
        driven: inputs in other hands than the drawn ones.
    """

    drawn: Drawn
    principle: str = "nonholonomic"
    values: Mapping[str, float] = field(default_factory=dict)
    driven: Mapping[str, Tree] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[str]:
        """All states."""
        r = self.drawn.recipe
        lams = [f"lam_{n}" for n, _ in r.constraints] if self.principle == "vakonomic" else []
        return [*r.coordinates, *r.velocities, *lams]

    def recipe(self, t: float) -> Recipe:
        """On the piece that begins at t."""
        return replace(self.drawn.plain(t, self.values, self.driven), principle=self.principle)

    def begun(self, given: Mapping[str, float | Array] | None = None) -> Values:
        """All states (S,) of starts: the drawn one with other values; rows determine the rest."""
        d = self.drawn
        zero = dict.fromkeys(d.leads, 0.0)
        at = {**{n: 0.1 for n in self.names if n.startswith("lam_")}, **zero, **d.start, **(given or {})}
        size = np.broadcast_shapes(*(np.shape(v) for v in at.values())) or (1,)
        return self.held({n: np.array(np.broadcast_to(at[n], size), float) for n in self.names}, d.t0)

    def held(self, at: Values, t: float) -> Values:
        """With leading velocities, and places, that the rows determine: each stands alone in its row."""
        recipe, at = self.recipe(t), dict(at)
        at["t"] = np.full_like(at["s"], t)
        for _, terms in recipe.constraints:
            if recipe.holonomic(terms):
                at["h"] = at["h"] - Plain(recipe, at).jet(terms).f
        for n, (_, terms) in zip(self._leads(recipe), recipe.constraints, strict=True):
            plain = Plain(recipe, at)
            row = plain.jet(terms)
            at[n] = at[n] - (plain.along(row) if recipe.holonomic(terms) else row.f)
        return {n: at[n] for n in self.names}

    def _leads(self, recipe: Recipe) -> list[str]:
        """The velocity that stands alone in each row."""
        return [f"v{terms[0][1]}" if recipe.holonomic(terms) else terms[0][1] for _, terms in recipe.constraints]

    def rates(self, recipe: Recipe, t: float, at: Values, guard: bool = True) -> Array:
        """d/dt of all states (n, S)."""
        plain = Plain(recipe, {**at, "t": np.full_like(at["s"], t)})
        W, b, N, c = plain.parts()
        k, S, m = plain.k, len(at["s"]), N.shape[1]
        out, pull = N.transpose(0, 2, 1), c
        signs = []
        for touch in self.drawn.touches:
            gap, slip = plain.jet((("/", ("name", touch.gap), 1),)), plain.jet((touch.slip,))
            n = gap.d[:k]
            signs.append(np.sign(slip.f))
            bent = np.einsum("ijs,is,js->s", gap.dd[:k, :k], plain.rates, plain.rates)
            column = n - touch.mu * signs[-1] * slip.d[k : 2 * k]
            N = np.concatenate([N, n.T[:, None]], axis=1)
            out, pull = np.concatenate([out, column.T[:, :, None]], axis=2), np.concatenate([pull, -bent[None]])
        K = np.zeros((S, k + N.shape[1], k + N.shape[1]))
        K[:, :k, :k], K[:, :k, k:], K[:, k:, :k] = W.transpose(2, 0, 1), -out, N
        x = np.linalg.solve(K, np.concatenate([b, pull]).T[..., None])[..., 0]
        turned = any((s != np.sign(self.slips[i])).any() for i, s in enumerate(signs)) if guard else False
        if guard and (turned or (x[:, k + m :] <= 0.05).any()):
            raise Unfit("a contact changes its mode")
        lams = [x[:, k : k + m]] if self.principle == "vakonomic" else []
        return np.concatenate([plain.qdot(), plain.accelerations(x[:, :k]), *lams], axis=1).T

    @cached_property
    def slips(self) -> list[float]:
        """Of the contacts at the start."""
        at = self.begun()
        plain = Plain(self.recipe(self.drawn.t0), {**at, "t": np.full_like(at["s"], self.drawn.t0)})
        found = [float(plain.jet((touch.slip,)).f[0]) for touch in self.drawn.touches]
        if any(abs(v) < 0.1 for v in found):
            raise Unfit("hardly slips")
        return found

    def run(self, starts: Values, until: float | None = None, wall: bool = True) -> Values:
        """The states (S,) at the end."""
        end = self.drawn.t0 + SPAN if until is None else until
        walls = self.drawn.walls if wall else ()
        if walls and len(starts["s"]) > 1:
            alone = [self.run({n: v[i : i + 1] for n, v in starts.items()}, until) for i in range(len(starts["s"]))]
            return {n: np.concatenate([one[n] for one in alone]) for n in self.names}
        t, at = self.drawn.t0, starts
        knots = [self.drawn.t0 + k for k in KNOTS[1:]] if any(d.times for d in self.drawn.drives.values()) else []
        for stop in [*(k for k in knots if t < k < end - 1e-9), end]:
            at = self._piece(t, stop, at, walls)
            t = stop
        return at

    def _piece(self, t: float, stop: float, at: Values, walls: tuple[Wall, ...]) -> Values:
        recipe, n = self.recipe(t), len(self.names)

        def states(y: Array) -> Values:
            return dict(zip(self.names, y.reshape(n, -1), strict=True))

        def guard(t: float, y: Array) -> float:
            w = walls[0]
            return float(w.sign * (w.at + w.swing * np.sin(2 * t) - states(y)["s"][0]))

        guard.terminal, guard.direction = True, -1  # type: ignore[attr-defined]
        events = [guard] if walls else None
        for _ in range(4):
            y0 = np.concatenate([at[name] for name in self.names])
            done = solve_ivp(
                lambda t, y: self.rates(recipe, t, states(y)).ravel(),
                (t, stop), y0, "DOP853", rtol=RTOL, atol=ATOL, events=events,
            )  # fmt: skip
            if not done.success or not np.abs(done.y).max() < FAR:
                raise Unfit("far away")
            t, at = float(done.t[-1]), states(done.y[:, -1])
            if done.status != 1:
                return at
            at = self.struck(recipe, t, at, walls[0])
        raise Unfit("many blows")

    def struck(self, recipe: Recipe, t: float, at: Values, wall: Wall) -> Values:
        """Behind a blow:  W d - N^T lam - a mu = 0,  N d = 0,  a d = -(1 + e) df/dt."""
        plain = Plain(recipe, {**at, "t": np.full_like(at["s"], t)})
        W, _, N, _ = plain.parts()
        k, m = plain.k, N.shape[1]
        f = plain.jet((put(wall.guard, {"hz": 1}),))
        rows = np.concatenate([N[0], f.d[:k, 0][None]])
        K = np.block([[W[:, :, 0], -rows.T], [rows, np.zeros((m + 1, m + 1))]])
        jump = np.linalg.solve(K, np.r_[np.zeros(k + m), -(1 + wall.restitution) * plain.along(f)[0]])[:k]
        leaves = plain.leaves(plain.rates + jump[:, None])
        return {**at, **{u: leaves[u].f for u in recipe.velocities}}


def with_wall(drawn: Drawn, rng: np.random.Generator) -> Drawn:
    """With the wall that its features ask for, where the motion without it passes on its way."""
    moving = "moving wall" in drawn.features
    if not moving and "still wall" not in drawn.features:
        return drawn
    truth = Truth(drawn)
    when = drawn.t0 + 0.5 * SPAN
    at = truth.run(truth.begun(), when)
    swing = 0.1 if moving else 0.0
    s0, s1 = float(drawn.start["s"]), float(at["s"][0])
    place = round(s1 - swing * float(np.sin(2 * when)), 3)
    sign = 1 if s1 > s0 else -1
    if sign * (place + swing * np.sin(2 * drawn.t0) - s0) < 0.05 or sign * (at["vs"][0] - 2 * swing) < 0.2:
        raise Unfit("does not meet a wall")
    per = ("name", "hz") if "hz" in drawn.values else 1
    return replace(drawn, walls=(Wall(sign, place, swing, float(rng.choice((0.8, 1.0))), per),))
