"""(2.4), (2.5) and Proposition 2.8 of [lewis1995] on a leaf, and Figure 3, by functions that take any system.

The instance is w = (1 + x^2) d(z - x^2), gamma = d/dx + 2 x d/dz, on the leaf z = x^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import sympy as sp
from scipy.special import ellipj

from dalembert import System, angle, coordinates, examine, free, nonholonomic, satisfies, simulate, two_point, vakonomic
from dalembert.calculus.simplification import as_fraction
from dalembert.experiment.penalty_limit import limit
from dalembert.geometry.affine_distribution import Allowed
from dalembert.penalties import inertial, viscous
from dalembert.symmetry import allowed, distributions, phase_space
from dalembert.symmetry import leaf as restrict_to_leaf
from dalembert.systems import ball_on_turntable, heisenberg, penny
from dalembert.systems import disguised_holonomic as disguised

from ..claim import Claim, Group, identity, said, small
from .section2.instances import instances

ENDS = {"x": 0.4, "y": 0.3}, {"x": 1.1, "y": -0.2}
ALONG, SAME = 1e-7, 1e-8  # of a path differentiated; of curves between ends
ALONG_CURVES = 1e-11  # of numbers at random states
UNTIL = 2.0
STRENGTHS = (1e2, 1e3, 1e4, 1e5)


@cache
def whole() -> System:
    """The instance, on R^3."""
    return instances()[0].system


@cache
def leaf() -> System:
    """The leaf z = x^2 with L_Lambda."""
    return restrict_to_leaf(whole(), chart={"z": "x^2"}).system


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
        path = simulate(principle(adapted()), begin, until=UNTIL, rtol=1e-13)
        found = satisfies(adapted(), path)
        rows = found.free.rows
        yield small(along, f"EL(L) = 0 along the leaf, {name}", max(rows["vx"], rows["vy"]), ALONG)
        # of a curve alone: EL(L) across the leaf is lam, lamdot
        held = found.nonholonomic if principle is nonholonomic else found.vakonomic
        ran, fitted = path.at(found.t)["lam_leaf"], held.multipliers["lam_leaf"]
        # lam itself is free where EL(phi) = 0
        missed = ran - fitted if principle is nonholonomic else (ran - ran[0]) - (fitted - fitted[0])
        off = float(np.abs(missed).max()) if rows["vw"] > 1e-2 else math.inf
        yield small(across, f"and not across it, {name}: the multiplier of the run", off, 1e-6)
    on, of = (phase_space(system).momenta for system in (leaf(), adapted().changed(constraints={})))
    still = {adapted().space[n]: sp.S.Zero for n in ("w", "vw")}
    momenta = {p.name: e for p, e in of.items()}
    yield identity(
        "(2.11)", "dL_Lambda/dxdot = dL/dxdot on the leaf", [e - momenta[p.name].subs(still) for p, e in on.items()]
    )


# --- leaves of any system, and [gamma, D] ---------------------------------------------------------------------------


INTEGRABLE = ("wheel", "nested", "pencil", "heading", "lift", "decay", "difference")


def any_leaf() -> Iterator[Claim]:
    """(2.10), (2.11) for any curve on a leaf, and what that leaves of the constraints: seven systems and a pendulum."""
    found = {name: restrict_to_leaf(disguised.system(name)) for name in INTEGRABLE}
    rod = {"rod": "x^2 + y^2 - 1"}
    swing = System(coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2 - y", rod)
    found["pendulum"] = restrict_to_leaf(swing, on=angle("phi"), chart={"x": "sin(phi)", "y": "-cos(phi)"})
    off = {name: each.agreement for name, each in found.items()}
    statement = "Lagrange's expression of L_Lambda is that of L along the leaf, for any curve"
    worst = max(off, key=lambda name: off[name].lagrangian)
    yield small("(2.10), (2.11)", statement, off[worst].lagrangian, ALONG_CURVES, what=f"at most, {worst}")
    statement = "EL(phi) along the leaf is that of phi there: nothing, of a constraint that it takes up"
    far = {name: max(each.constraints.values()) for name, each in off.items()}
    worst = max(far, key=lambda name: far[name])
    yield small("(2.9)", statement, far[worst], ALONG_CURVES, what=f"at most, {worst}")


def brackets() -> Iterator[Claim]:
    """E[phi] on D is made of [gamma, D] and [D, D]; both methods agree for every lam where these lie in D."""
    systems = {"ball": ball_on_turntable.system(), "penny": penny.system(), "Heisenberg": heisenberg.system()}
    systems |= {name: disguised.system(name) for name in ("decay", "slope", "pencil")}
    # of decay and pencil both sides are 0
    for name in ("ball", "penny", "Heisenberg", "slope"):
        found = allowed(systems[name])
        yield identity("E[phi]", f"{name}: E[phi] X = -w([gamma + v, X]) for X in D", [*_off_brackets(found)])
    same = {name: allowed(system).any_multiplier for name, system in systems.items()}
    text = ", ".join(f"{name} {'yes' if yes else 'no'}" for name, yes in same.items())
    right = {name for name, yes in same.items() if yes} == {"decay", "pencil"}
    yield said("Prop. 2.8, scope", "[gamma, D] and [D, D] lie in D for decay and pencil only", right, text)
    moved = {name: _moved(system) for name, system in systems.items()}
    text = ", ".join(f"{name} {gap:.1e}" for name, gap in moved.items())
    right = all((gap < SAME) == same[name] for name, gap in moved.items())
    yield said("Prop. 2.8, scope", "there, and only there, no multiplier changes an acceleration", right, text)


def _off_brackets(found: Allowed) -> Iterator[sp.Expr]:
    """E[phi^s] X_j + w^s([Gamma, X_j]) + v^i w^s([X_i, X_j]) at the allowed velocities."""
    space = found.system.space
    own = {name: space[name] for name in found.fields}
    # u = gamma + v^i X_i
    u = {space[n]: e + sum((v * found.fields[i][n] for i, v in own.items()), sp.S.Zero) for n, e in found.drift.items()}
    for s, row in found.variation.items():
        for j, X in found.fields.items():
            total = sum((e.xreplace(u) * X[n] for n, e in row.items()), found.drift_curvature[j][s])
            for (a, b), w in found.curvature.items():
                total += (own[a] if b == j else -own[b] if a == j else sp.S.Zero) * w[s]
            yield as_fraction(total)


def _moved(system: System) -> float:
    """How far two multipliers are apart in their accelerations at a state on the constraints."""
    equations = vakonomic(system)
    (at,) = distributions(system).states(1)
    lams = ({f"lam_{c.name}": lam for c in system.constraints} for lam in (0.0, 1.3))
    one, other = (equations.accelerations({**at, **lam})[0] for lam in lams)
    return float(np.abs(one - other).max() / (max(np.abs(one).max(), np.abs(other).max()) or 1.0))


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
    # x = 0 leaves y'' = -y - y^3, which y = a cn(w t, k^2) solves: w^2 = 1 + a^2, k^2 = a^2/(2 w^2)
    a = start["y"]
    w = np.sqrt(1 + a**2)
    known = a * ellipj(w * t, a**2 / (2 * w**2))[1]
    apart = max(float(np.abs(y - known).max()) for y in motions)
    statement = "both to the motion with x = 0, as Proposition 2.8 says: y = a cn(t sqrt(1 + a^2))"
    yield small("Figure 3", statement, apart, SAME)


GROUPS: tuple[Group, ...] = (one_motion, actions, in_adapted_coordinates, any_leaf, brackets, figure_3)
