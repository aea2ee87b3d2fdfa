"""(2.4), (2.5) and Proposition 2.8 of [lewis1995] on a leaf, and Figure 3, by functions that take any system.

The instance is w = (1 + x^2) d(z - x^2), gamma = d/dx + 2 x d/dz, on the leaf z = x^2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import sympy as sp

from ...experiment.limit import limit
from ...geometry.examine import examine
from ...geometry.phase import phase_space
from ...model.factors import coordinates
from ...model.system import System
from ...numerics.run.simulate import simulate
from ...numerics.two_point import two_point
from ...principles.free import free
from ...principles.nonholonomic import nonholonomic
from ...principles.penalties import inertial, viscous
from ...principles.satisfied import satisfies
from ...principles.vakonomic import vakonomic
from ..claim import Claim, Group, identity, said, small
from .section2.instances import instances

ENDS = {"x": 0.4, "y": 0.3}, {"x": 1.1, "y": -0.2}
ALONG, SAME = 1e-7, 1e-8  # of a path differentiated; of curves between ends
UNTIL = 2.0
STRENGTHS = (1e2, 1e3, 1e4, 1e5)


@cache
def whole() -> System:
    """The instance, on R^3."""
    return instances()[0].system


@cache
def leaf() -> System:
    """The leaf with L_Lambda, which is L with z = x^2, zdot = 2 x xdot."""
    q = coordinates("x y")
    at = {"z": q["x"] ** 2, "vz": 2 * q["x"] * q["vx"], **{n: q[n] for n in ("x", "y", "vx", "vy")}}
    given = whole()
    return System(q, given.lagrangian.xreplace({s: at[s.name] for s in given.space}))


# --- Proposition 2.8 -------------------------------------------------------------------------------------------------


def one_motion() -> Iterator[Claim]:
    """(2.5) and Proposition 2.8: one curve satisfies every definition."""
    found = examine(whole())
    text = f"{found.verdict}: {', '.join(str(i) for i in found.integrals) or 'no integral'}"
    yield said(
        "Proposition 2.8", "z - x^2 is constant, D integrable and gamma in D", bool(found.affine_holonomic), text
    )
    path = simulate(nonholonomic(whole()), instances()[0].start, until=UNTIL, rtol=1e-13)
    held, on_leaf = satisfies(whole(), path), satisfies(leaf(), path)
    yield small("(2.5)", "EL(L) = lambda_a w^a along the nonholonomic motion", held.nonholonomic.residual, ALONG)
    yield small("Prop. 2.8 (ii)", "and it is vakonomic", held.vakonomic.residual, ALONG)
    yield small("(2.10), Prop. 2.8 (iv)", "and solves Lagrange's equations of L_Lambda", on_leaf.free.residual, ALONG)
    bump = {"x": "sin(pi*t/2)", "y": "sin(pi*t/2)*t"}
    change = on_leaf.varied(bump)
    yield small("Prop. 2.8 (iii)", "dJ_Lambda u = 0, u held at the ends", abs(change.action), ALONG)
    yield from _another(bump)


def _another(bump: dict[str, str]) -> Iterator[Claim]:
    """A curve on the leaf that is no motion: none of the four."""
    curve = {"x": "0.4 + t/2", "y": "0.3 - t/4"}
    held = satisfies(whole(), {**curve, "z": "(0.4 + t/2)^2"}, over=(0.0, UNTIL))
    on_leaf = satisfies(leaf(), curve, over=(0.0, UNTIL))
    four = [held.nonholonomic.residual, held.vakonomic.residual, on_leaf.free.residual]
    four.append(abs(on_leaf.varied(bump).action))
    text = ", ".join(f"{x:.2g}" for x in four)
    right = max(held.constraints.values()) < ALONG and min(four) > 1e-2
    yield said("Proposition 2.8", "a curve on the leaf that is no motion fails all four", right, text)


def actions() -> Iterator[Claim]:
    """(2.4): J_Lambda between two points of the leaf is J among the curves that keep the constraint."""
    first, last = ({**end, "z": end["x"] ** 2} for end in ENDS)
    among = two_point(vakonomic(whole()), first, last, duration=1.0, starts=6)[0]
    on = two_point(free(leaf()), *ENDS, duration=1.0, starts=6)[0]
    off = abs(among.action - on.action)
    yield small("(2.4)", "the least J_Lambda is the least J on (D, gamma), for two points of the leaf", off, SAME)
    t = np.linspace(0.0, 1.0, 21)
    paths = [simulate(e, c.start, until=1.0).at(t) for e, c in ((vakonomic(whole()), among), (free(leaf()), on))]
    apart = max(float(np.abs(paths[0][n] - paths[1][n]).max()) for n in "xy")
    yield small("(2.4)", "and it is taken by the same curve", apart, 1e-6)


@cache
def adapted() -> System:
    """The instance in the coordinates x, y of the leaves and w = z - x^2 across them."""
    q = coordinates("x y w")
    at = {"z": q["w"] + q["x"] ** 2, "vz": q["vw"] + 2 * q["x"] * q["vx"], **{n: q[n] for n in ("x", "y", "vx", "vy")}}
    given = whole()
    return System(q, given.lagrangian.xreplace({s: at[s.name] for s in given.space}), {"leaf": q["vw"]})


def in_adapted_coordinates() -> Iterator[Claim]:
    """(2.6) to (2.11): along the leaf no multiplier occurs, across it one does, in both methods."""
    start = {n: instances()[0].start[n] for n in ("x", "y", "vx", "vy")} | {"w": 0.0}
    methods = ("(2.6)", "(2.7)", nonholonomic, start), ("(2.8)", "(2.9)", vakonomic, {**start, "lam_leaf": 1.0})
    for along, across, principle, begin in methods:
        name = principle.__name__
        rows = satisfies(adapted(), simulate(principle(adapted()), begin, until=UNTIL, rtol=1e-13)).free.rows
        yield small(along, f"EL(L) = 0 along the leaf, {name}", max(rows["vx"], rows["vy"]), ALONG)
        yield said(across, f"and not across it, {name}: the multiplier", rows["vw"] > 1e-2, f"{rows['vw']:.2g}")
    on, of = (phase_space(system).momenta for system in (leaf(), adapted().changed(constraints={})))
    still = {adapted().space[n]: sp.S.Zero for n in ("w", "vw")}
    momenta = {p.name: e for p, e in of.items()}
    yield identity(
        "(2.11)", "dL_Lambda/dxdot = dL/dxdot on the leaf", [e - momenta[p.name].subs(still) for p, e in on.items()]
    )


# --- Figure 3 --------------------------------------------------------------------------------------------------------


def figure_3() -> Iterator[Claim]:
    """A block at x that carries another at y on a spring: x = 0 by a large mass, or by a strong damper."""
    q = coordinates("x y")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 - (q["y"] - q["x"]) ** 2 / 2 - (q["y"] - q["x"]) ** 4 / 4
    system = System(q, L, {"held": q["vx"]}, title="Figure 3")
    start = {"x": 0.0, "y": 0.7, "vy": 0.0}
    t = np.linspace(0.1, UNTIL, 20)
    ways = ("mass M", inertial, vakonomic), ("damper c", viscous, nonholonomic)
    motions = []
    for what, penalty, principle in ways:
        begin = {**start, "lam_held": 0.0} if principle is vakonomic else start
        found = limit(system, penalty, principle, start=begin, until=UNTIL, strengths=STRENGTHS, times=t)
        strong, exact = (path.at(t) for path in (found.paths[-1], found.reference))
        last = max(float(np.abs(strong[n] - exact[n]).max()) for n in "xy")
        text = f"order {found.order:.3f}, the last error {last:.1e}"
        right = abs(found.order - 1) < 0.05 and last < 1e-4
        yield said("Figure 3", f"a large {what} tends to x = 0, as 1/{what[-1]}", right, text)
        # c xdot + lam = 0 ,  M xdot + lam = 0
        carried = found.strengths[-1] * strong["vx"] + exact["lam_held"]
        off = float(np.abs(carried).max() / np.abs(exact["lam_held"]).max())
        yield small("Figure 3", f"{what[-1]} xdot tends to minus the multiplier", off, 1e-3)
        motions.append(exact["y"])
    apart = float(np.abs(motions[0] - motions[1]).max())
    yield small("Figure 3", "both to one motion, as Proposition 2.8 says of a holonomic constraint", apart, SAME)


GROUPS: tuple[Group, ...] = (one_motion, actions, in_adapted_coordinates, figure_3)
