"""Section 5 of [cushman1995], reconstruction: K, Propositions 1 and 2, (25) to (34), Theorem 5, in numbers.

The disc has K = 0 where v_theta != 0, so other systems with a symmetry are looked at as well. At each state

    H = B + C + D ,   U = B + K ,   V n H = D + K ,   C = the omega-perpendicular of B + D in H
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from ...geometry.distributions import (
    Distributions,
    Place,
    Rows,
    apart,
    complement,
    meet,
    outside,
    sizes,
    span,
)
from ...model.factors import angle, plane
from ...model.space import Space
from ...model.symmetry import euclidean, translations
from ...model.symmetry import spin as turning
from ...model.system import System
from ...systems import chaplygin_sleigh as sleigh
from ...systems import nonholonomic_particle as particle
from ...systems import penny, roller_racer
from ...systems import rolling_ball_on_plane as ball
from ..claim import Claim, Group, said, small
from . import given

ROUNDING = 1e-9  # of vectors of length 1; a few subspaces are near each other
CLEAR = 1e-4  # above this a form is regular, a vector outside
STATES = 2


# --- systems ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Case:
    """A system and its group; `headings` are turned with x, y where the plane's turns belong to the group."""

    system: System
    symmetry: Any
    headings: tuple[str, ...] = ()

    @cached_property
    def work(self) -> Distributions:
        """Its distributions."""
        return Distributions(self.system, self.symmetry)

    @cached_property
    def places(self) -> list[Place]:
        """Random states."""
        return self.work.places(STATES)


@cache
def cases() -> dict[str, Case]:
    """Systems by name; K has dimension 0, 1, 2, V n H up to 3."""
    whole = [translations("x y"), *(turning("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))]
    return {
        "disc, E(2) x SO(2)": Case(given.system(), None, ("phi",)),
        "disc, R^2": Case(given.system(), "x y"),
        "particle, R^2": Case(particle.system(), "x z"),
        "penny, R^2 x S^1": Case(penny.system(), "x y psi"),
        "penny, SE(2) x S^1": Case(penny.system(), [euclidean("x y", headings="phi"), "psi"], ("phi",)),
        "sleigh with a = 0, SE(2)": Case(centred(), euclidean("x y", headings="theta"), ("theta",)),
        "roller racer, SE(2)": Case(roller_racer.system(), None, ("theta",)),
        "ball, R^2 x SO(3)": Case(ball.system(), whole),
    }


@cache
def centred() -> System:
    """Chaplygin's sleigh with its centre of mass on the blade."""
    given_ = sleigh.system()
    known = {k: v for k, v in given_.parameters.items() if k != sleigh.ARM.name}
    return given_.changed(lagrangian=given_.lagrangian.subs(sleigh.ARM, 0), parameters=known)


def everywhere() -> Iterator[tuple[str, Case, Place]]:
    """All states of all systems."""
    for name, case in cases().items():
        for place in case.places:
            yield name, case, place


def worst(measure: Callable[[Place], float]) -> float:
    """The largest value at all states of all systems."""
    return max(measure(place) for _, _, place in everywhere())


# --- the splitting ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Split:
    """B, C, D at a state, for complements chosen at random (or across K in the kinetic metric)."""

    place: Place
    B: Rows
    D: Rows

    @classmethod
    def of(cls, place: Place, seed: int = 3) -> Split:
        """Complements of K in U and in V n H at random."""
        rng = np.random.default_rng(seed)
        return cls(place, complement(place.K, place.U, rng), complement(place.K, place.VH, rng))

    @classmethod
    def across(cls, place: Place) -> Split:
        """Complements of K that are orthogonal to it in the metric of the kinetic energy, on x and on w alike."""
        k = len(place.xi) // 2
        W = np.kron(np.eye(2), place.local.omega[:k, k:])
        parts = [span(_across(rows, place.K, W)) for rows in (place.U, place.VH)]
        return cls(place, *parts)

    @property
    def both(self) -> Rows:
        """B + D."""
        return span(self.B, self.D)

    @cached_property
    def C(self) -> Rows:
        """The omega-perpendicular of B + D in H."""
        return self.place.perp(self.both)

    @cached_property
    def eta(self) -> Rows:
        """Vectors of C with omega(K_i, eta_j) = delta_ij."""
        return np.asarray(
            np.linalg.lstsq(self.place.omega(self.place.K, self.C), np.eye(len(self.place.K)), rcond=None)[0].T @ self.C
        )

    def part(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The parts of a vector of H along C and along D."""
        rows = np.vstack([self.B, self.C, self.D])
        found = np.linalg.lstsq(rows.T, vector, rcond=None)[0]
        b, n = len(self.B), len(self.B) + len(self.C)
        return np.asarray(found[b:n] @ self.C), np.asarray(found[n:] @ self.D)


def _across(rows: Rows, K: Rows, W: np.ndarray) -> Rows:
    if not len(K):
        return rows
    inner = K @ W @ K.T
    return np.asarray(rows - rows @ W @ K.T @ np.linalg.solve(inner, K))


# --- Theorem 3, Propositions 1 and 2 ---------------------------------------------------------------------------------


def lies_in_U() -> Iterator[Claim]:
    """Theorem 3.1 and the special case V n H = 0."""
    count = len(cases())
    far = worst(lambda p: outside(span(p.xi[None]), p.U))
    yield small("Theorem 3.1", f"xi lies in U, for {count} systems with a symmetry", far, ROUNDING)
    for place in cases()["disc, R^2"].places[:1]:
        flat = not len(place.VH) and apart(place.U, place.H) < ROUNDING
        text = f"dimensions {len(place.VH)} and {len(place.U)}"
        yield said("section 5", "V n H = 0, then U = H: the disc with R^2 alone", flat, text)


def proposition_1() -> Iterator[Claim]:
    """Proposition 1 in numbers."""
    where = "Proposition 1"
    yield small(f"{where}.1", "K is isotropic", worst(lambda p: p.isotropic(p.K)), ROUNDING)
    yield small(f"{where}.1", "K, U, H are invariant under E(2)", max(_carried()), ROUNDING)
    sizes_ = [(len(p.U) - len(p.K), len(span(_past(p.U, p.V)))) for _, _, p in everywhere()]
    text = f"dimensions {', '.join(sorted({str(a) for a, _ in sizes_}))}"
    yield said(f"{where}.2", "U/K and H-bar have one dimension", all(a == b for a, b in sizes_), text)
    yield small(f"{where}.3", "K = U n U_omega", worst(lambda p: apart(p.K, meet(p.U, p.perp(p.U)))), ROUNDING)
    yield small(f"{where}.3", "K = (U + U_omega)_omega", worst(lambda p: apart(p.K, p.perp(_total(p)))), ROUNDING)
    least = min(p.regular(span(_past(_total(p), p.K))) for _, _, p in everywhere())
    yield said(f"{where}.3", "(U + U_omega)/K is symplectic", least > CLEAR, f"least {least:.1e}")
    chain = worst(lambda p: max(outside(a, b) for a, b in pairwise((p.K, p.U, _total(p), p.H))))
    yield small(f"{where}.3", "K in U in U + U_omega in H", chain, ROUNDING)
    yield from _extremes(where)


def _extremes(where: str) -> Iterator[Claim]:
    """The two special cases of Proposition 1.3, at systems where they occur."""
    for condition, then in (("K = U", "U lies in U_omega"), ("U = U + U_omega", "U_omega lies in U")):
        chosen = [(n, p) for n, _, p in everywhere() if _occurs(condition, p)]
        pairs = [(p.U, p.perp(p.U)) if condition == "K = U" else (p.perp(p.U), p.U) for _, p in chosen]
        far = max((outside(a, b) for a, b in pairs), default=np.inf)
        names = len({n for n, _ in chosen})
        yield small(f"{where}.3", f"if {condition} then {then}: {names} systems", far, ROUNDING)


def _occurs(condition: str, p: Place) -> bool:
    other = p.K if condition == "K = U" else _total(p)
    return len(p.U) == len(other)


def _total(p: Place) -> Rows:
    return span(p.U, p.perp(p.U))


def _past(rows: Rows, less: Rows) -> Rows:
    """What is left of rows across another subspace."""
    return np.asarray(rows - rows @ less.T @ less)


def _carried() -> Iterator[float]:
    """How far K, U, H at a turned and shifted state are from those carried there."""
    for case in cases().values():
        if case.headings:
            for place in case.places:
                there, push = moved(case, place)
                yield from (apart(getattr(there, n), span(getattr(place, n) @ push.T)) for n in ("K", "U", "H"))


def moved(case: Case, place: Place, by: float = 0.8) -> tuple[Place, np.ndarray]:
    """A state turned in the plane and shifted, and the map of tangent vectors (x, w) that goes with it."""
    space = case.system.space
    names = [q.name for q in space.coordinates]
    turn = np.eye(len(names))
    i, j = names.index("x"), names.index("y")
    turn[np.ix_([i, j], [i, j])] = [[np.cos(by), -np.sin(by)], [np.sin(by), np.cos(by)]]
    q, u = (np.array([place.values[z.name] for z in group]) for group in (space.coordinates, space.velocities))
    shift = np.array([{"x": 0.7, "y": -1.3}.get(n, by if n in case.headings else 0.0) for n in names])
    values = dict(zip((z.name for z in space), map(float, [*(turn @ q + shift), *(turn @ u)]), strict=True))
    return case.work.at({**place.values, **values}), np.kron(np.eye(2), turn)


def proposition_2() -> Iterator[Claim]:
    """Proposition 2, and its proof as printed."""
    least, decomposed, maximal = np.inf, True, True
    for _, _, p in everywhere():
        split = Split.of(p)
        least = min(least, *(p.regular(rows) for rows in (split.D, split.B, split.both)))
        decomposed &= len(span(split.B, split.C, split.D)) == len(p.H) == len(split.B) + len(split.C) + len(split.D)
        maximal &= outside(p.K, split.C) < ROUNDING and len(split.C) == 2 * len(p.K)
    yield said("Proposition 2", "D, B, D + B are symplectic", least > CLEAR, f"least {least:.1e}", key=True)
    yield said("(29)", "H = B + C + D", decomposed, "dimensions add up")
    yield said("(29)", "K is maximal isotropic in C", maximal, "dim C = 2 dim K")
    where = "Prop. 2, proof"
    far = min(outside(p.perp(p.U), Split.of(p).B) for _, _, p in everywhere() if len(p.VH))
    yield small(where, "as printed: U_omega lies in B", far, ROUNDING, expected=False, key=True)
    lie = worst(lambda p: max(outside(Split.of(p).D, p.VH), apart(p.VH, p.perp(p.U))))
    yield small(where, "repaired: D lies in V n H = U_omega", lie, ROUNDING, key=True)
    lie = worst(lambda p: max(outside(Split.of(p).B, p.U), outside(p.U, p.perp(Split.of(p).D))))
    yield small(where, "repaired: B lies in U, and U in D_omega", lie, ROUNDING)
    alone = max(len(meet(Split.of(p).B, p.K)) for _, _, p in everywhere())
    yield said(where, "B n K = 0", alone == 0, f"dimension {alone}")


# --- the lift --------------------------------------------------------------------------------------------------------


def lift() -> Iterator[Claim]:
    """(25): a lift of the reduced motion in H is not one in U."""
    place = given.work().places(1)[0]
    # two vectors of M lie over one of M-bar where they differ by V
    zeta = max(place.VH, key=lambda row: outside(row[None], place.U))
    lifted = place.xi + zeta / np.linalg.norm(zeta) * np.linalg.norm(place.xi)
    over = max(outside(span((lifted - place.xi)[None]), place.V), outside(span(lifted[None]), place.H))
    far = outside(span(lifted[None]), place.U)
    text = f"xi + zeta, over xi-bar and in H ({over:.0e}), is {far:.2f} out of U"
    follows = not (over < ROUNDING and far > CLEAR)
    yield said("(25)", "as printed: dc~/dt in H gives (27)", follows, text, expected=False, key=True)
    both = worst(lambda p: apart(meet(p.U, p.V), p.K))
    yield small("(25)", "with dc~/dt in U, lifts of dc-bar/dt differ by K", both, ROUNDING)


def tangent() -> Iterator[Claim]:
    """Before (33): where eta lies, and why xi_C lies in K."""
    far = lies = shares = 0.0
    for _, case, p in everywhere():
        if len(p.K):
            split = Split.of(p)
            rows = [case.work.derivative(phi, p.values) for phi in case.work.form.phi]
            far = max(far, float(np.abs(np.array(rows) @ split.eta.T).max()))
            lies = max(lies, float(np.abs(split.part(p.xi)[1]).max(initial=0.0)))
            shares = max(shares, outside(meet(p.U, split.C), p.K), outside(span(split.part(p.xi)[0][None]), p.K))
    text = f"dphi(eta) = {far:.1e}"
    yield said("before (33)", "as printed: the eta do not lie in TM", far > CLEAR, text, expected=False, key=True)
    yield small("before (33)", "repaired: they do, and xi_C lies in U n C = K", shares, ROUNDING, key=True)
    yield small("(32)", "xi_D = 0", lies, ROUNDING)
    yield example()


def example() -> Claim:
    """eta of the particle in closed form."""
    case = cases()["particle, R^2"]
    place = case.places[0]
    known = place.values["y"]
    # eta = (d/dv_x + y d/dv_z)/(m (1 + y^2)) on M, where K = d/dx + y d/dz
    rows = np.array([[0, 0, 0, 1, 0, known]]) / (place.values["m"] * (1 + known**2))
    K = np.array([[1, 0, known, 0, 0, 0]])
    gap = max(outside(span(rows), place.H), apart(span(K), place.K), abs(float(place.omega(K, rows)[0, 0]) - 1))
    return small("before (33)", "the particle: eta = d/dv_x/(1 + y^2), in M's coordinates", gap, ROUNDING)


def equation() -> Iterator[Claim]:
    """(33), (34): the rate along K is dE(eta)."""
    gap, names = 0.0, set()
    for name, _, p in everywhere():
        if len(p.K):
            split = Split.of(p)
            along = split.part(p.xi)[0]
            rate = np.linalg.lstsq(p.K.T, along, rcond=None)[0]
            gap = max(gap, float(np.abs(rate - split.eta @ p.local.dE).max()))
            names.add(name)
    yield small("(33), (34)", f"thetadot_i = <dE, eta_i>: {len(names)} systems with K != 0", gap, ROUNDING, key=True)


# --- Theorem 5 -------------------------------------------------------------------------------------------------------


def theorem_5() -> Iterator[Claim]:
    """The proof's fourth line, for arbitrary fields, and the statement for dim K = 1."""
    p, q = sp.symbols("p q", real=True)
    E, *parts = (sp.Function(name)(p, q) for name in ("E", "X1", "X2", "e1", "e2"))
    X, eta = (
        (lambda f: parts[0] * f.diff(p) + parts[1] * f.diff(q)),
        (lambda f: parts[2] * f.diff(p) + parts[3] * f.diff(q)),
    )
    third = eta(X(E)) + X(eta(E)) - eta(X(E))
    as_printed = 2 * eta(X(E)) - X(eta(E))
    invariant = {E: sp.Function("E")(q), parts[1]: sp.S.Zero}  # fields with X E = 0
    yield from given.printed(
        "Theorem 5, line 4",
        "2 L_eta L_X E - L_X L_eta E",
        [_with(third - as_printed, invariant)],
        "L_X L_eta E",
        [third - X(eta(E)), _with(third - X(eta(E)), invariant)],
    )
    far, names = 0.0, []
    for name, case in cases().items():
        if case.headings and len(case.places[0].K) == 1:
            names.append(name)
            far = max(far, *(_change(case, place) for place in case.places))
    yield small("Theorem 5", f"<dE, eta> is invariant: {', '.join(names)}", far, ROUNDING)


def _with(expression: sp.Expr, values: Mapping[Any, Any]) -> sp.Expr:
    return expression.subs(values).doit()


def _change(case: Case, place: Place) -> float:
    there, _ = moved(case, place)
    return abs(abs(_rate(there)) - abs(_rate(place))) / (1 + abs(_rate(place)))


def _rate(place: Place) -> float:
    """<dE, eta> for K of one dimension, its unit vector taken in the kinetic metric."""
    k = len(place.xi) // 2
    W = np.kron(np.eye(2), place.local.omega[:k, k:])
    size = float(np.sqrt(place.K[0] @ W @ place.K[0]))
    return float(Split.across(place).eta[0] @ place.local.dE) * size


@cache
def floating() -> Case:
    """A body in the plane with a rotor, free of constraints; its group SE(2) does not commute."""
    space = Space.product(plane("x y"), angle("theta", "omega"), angle("alpha"))
    vx, vy, omega, rate = space.velocities
    mass, body, rotor = sp.symbols("m I J", positive=True)
    L = mass / 2 * (vx**2 + vy**2) + body / 2 * omega**2 + rotor / 2 * (omega + rate) ** 2
    parameters = {"m": 1.2, "I": 0.7, "J": 0.4}
    return Case(System(space, L, parameters=parameters), euclidean("x y", headings="theta"), ("theta",))


def several() -> Iterator[Claim]:
    """Theorem 5 for dim K > 1: coordinates of K whose fields are invariant need commuting generators."""
    case, where = floating(), "Theorem 5, proof"
    p = dict(case.system.values())
    # at rest but for the rotor, without momentum: (I + J) omega + J alphadot = 0
    known = {"x": 0.3, "y": -0.2, "theta": 0.5, "alpha": 0.9, "vx": 0.0, "vy": 0.0, "omega": 0.8, "t": 0.0, **p}
    known["valpha"] = -(p["I"] + p["J"]) / p["J"] * known["omega"]
    place = case.work.at(known)
    count, same = len(place.K), apart(place.K, place.V)
    inside = max(outside(span(case.work.bracket(i, j, known)[None]), place.K) for i, j in ((0, 2), (1, 2)))
    text = f"dimension {count}, brackets {inside:.0e} out of K"
    held = count == 3 and same < ROUNDING and inside < ROUNDING
    yield said(where, "a body with a rotor, no momentum, SE(2): K = V, involutive", held, text)
    # invariant fields on the orbit of a group have the structure constants of its algebra
    largest = float(np.abs(case.work.action.structure).max())
    text = f"structure constants up to {largest:g}"
    statement = "there d/dtheta_j and eta_i can be taken invariant for dim K > 1"
    yield said(where, statement, largest == 0, text, expected=False, key=True)


def involutive() -> Iterator[Claim]:
    """The end of section 5: K need not be involutive."""
    for name in ("penny, SE(2) x S^1", "sleigh with a = 0, SE(2)"):
        case = cases()[name]
        found, flat = np.inf, 0.0
        for p in case.places:
            flat = max(flat, apart(p.K, p.VH), p.isotropic(p.VH))
            found = min(found, outside(span(case.work.bracket(0, 1, p.values)[None]), p.K))
        count = {sizes(p)["K"] for p in case.places}
        yield said(
            "section 5, end",
            f"{name}: K = V n H, dimension 2, isotropic",
            flat < ROUNDING and count == {2},
            f"{flat:.1e}",
        )
        text = f"a bracket stands {found:.2f} out of K"
        yield said(
            "section 5, end", f"as printed: K is involutive, {name}", found < ROUNDING, text, expected=False, key=True
        )
    where = "section 5, end"
    every = {len(p.K) for n, _, p in everywhere() if n in ("particle, R^2", "penny, R^2 x S^1", "roller racer, SE(2)")}
    yield said(where, "dim K = 1, where nothing is to be tested: 3 systems", every == {1}, "dimension 1")


GROUPS: tuple[Group, ...] = (
    lies_in_U,
    proposition_1,
    proposition_2,
    lift,
    tangent,
    equation,
    theorem_5,
    several,
    involutive,
)
