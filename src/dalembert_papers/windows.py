"""Windows of stability: a skateboard [hubbard1979], sleighs in air and in a fluid [fedorov2010], Suslov's body, a top.

Skateboard, near riding straight ahead at the speed v, with T = tan(front) + tan(rear) and S = tan(front) - tan(rear):

    (J + m h^2) gamma'' + m h v S/2 gamma' + (k - m g h + m h v^2 T/(2 l)) gamma = 0

Sleigh, near sliding ahead:     omega' = -m a v/(J + m a^2) omega
Sleigh in a fluid, at the end:  omega/v = -K12/K23
A sleeping top:                 (C n)^2 > 4 A m g l
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from dalembert import System, nonholonomic, reduce, rotation, steady
from dalembert.equations import Equations
from dalembert.numerics.families.equilibrium_branches import HOPF, branch_of
from dalembert.symmetry import rotations
from dalembert.systems import chaplygin_sleigh, skateboard, sleigh_in_fluid, suslov

from .claim import Claim, said, small

TOP = {"A": 1.0, "C": 0.4, "weight": 2.0}  # moments of inertia; m g l


@cache
def board() -> tuple[Equations, float]:
    """The skateboard, reduced, and its reduced velocity at 1 m/s straight ahead."""
    reduction = reduce(skateboard.system())
    forward, (name, _) = reduction.velocities[0], (u.name for u in reduction.system.space.velocities)
    values = {**reduction.system.values(), "theta": 0.0, "gamma": 0.0, name: 1.0}
    speed = float(forward.subs({s: values[s.name] for s in forward.free_symbols}))
    return nonholonomic(reduction.system), 1 / speed


def riding() -> Iterator[Claim]:
    """The skateboard rides straight ahead."""
    equations, unit = board()
    p, name = equations.system.values(), equations.space.velocities[0].name
    steered = math.tan(p["front"]) + math.tan(p["rear"])
    critical = math.sqrt(2 * p["l"] * (p["m"] * p["g"] * p["h"] - p["k"]) / (p["m"] * p["h"] * steered))
    for v in (-2.0, 0.5, 2.0):
        found = steady(equations, {"gamma": 0.0, name: v * unit}).eigenvalues
        off = max(float(np.abs(found - root).min()) for root in np.roots(_leaning(p, v)))
        yield small("section 9", f"small leanings at {v:g} m/s", off, 1e-7)
    at = np.sort(np.abs(steady(equations, {"gamma": 0.0, name: critical * unit}).eigenvalues))
    yield small("section 9", f"it stands from {critical:.6f} m/s on", float(at[1]), 1e-6)
    ahead, back = (steady(equations, {"gamma": 0.0, name: s * 2 * critical * unit}).growth for s in (1, -1))
    yield said("section 9", "it does not the other way around", ahead == 0 < back, f"{back:.3g}/s")


def _leaning(p: Mapping[str, float], v: float) -> tuple[float, float, float]:
    """The coefficients of gamma'', gamma' and gamma."""
    total, rest = (math.tan(p["front"]) + s * math.tan(p["rear"]) for s in (1, -1))
    lever = p["m"] * p["h"]
    return p["J"] + lever * p["h"], lever * v * rest / 2, p["k"] - lever * p["g"] + lever * v**2 * total / (2 * p["l"])


def sliding() -> Iterator[Claim]:
    """Sleighs slide ahead, in a fluid in circles."""
    equations = nonholonomic(reduce(chaplygin_sleigh.system()).system)
    p, forward = equations.system.values(), equations.space.velocities[0].name
    for v in (0.7, -0.7):
        found = steady(equations, {forward: v, "omega": 0.0}, fix=[forward]).eigenvalues
        rate = -p["m"] * p["a"] * v / (p["J"] + p["m"] * p["a"] ** 2)
        way = "forwards" if v > 0 else "backwards"
        yield small("section 10", f"the rate of a sleigh that slides {way}", float(np.abs(found - rate).min()), 1e-10)
    equations = nonholonomic(reduce(sleigh_in_fluid.system()).system)
    forward = equations.space.velocities[0].name
    _, K12, _, K23, _ = sleigh_in_fluid.energy(equations.system.values())
    ends = [steady(equations, {forward: v, "omega": -K12 / K23 * v * 1.1}, fix=[forward]) for v in (0.7, -0.7)]
    off = max(abs(end.state["omega"] + K12 / K23 * end.state[forward]) for end in ends)
    yield small("section 10", "in a fluid it goes around at -K12/K23 v", off, 1e-9)
    attracts, repels = (end.verdict for end in ends)
    known = (attracts, repels) == ("attracting", "unstable")
    yield said("section 10", "forwards, not backwards", known, f"{attracts}, {repels}")


def turning() -> Iterator[Claim]:
    """Suslov's body comes to turn about one axis, a top sleeps."""
    equations = nonholonomic(reduce(suslov.system()).system)
    w1, w2 = suslov.attractor(1.0, equations.system.values())
    ends = [steady(equations, {"w1": s * w1, "w2": s * w2 * 1.1}, fix=["w1"]) for s in (1, -1)]
    off = max(abs(end.state["w2"] * w1 - end.state["w1"] * w2) for end in ends)
    yield small("section 11", "Suslov's body turns about one axis at last", off, 1e-9)
    attracts, repels = (end.verdict for end in ends)
    known = (attracts, repels) == ("attracting", "unstable")
    yield said("section 11", "in one sense, not in the other", known, f"{attracts}, {repels}")
    yield from _sleeping()


def _sleeping() -> Iterator[Claim]:
    """The spin at which a top begins to sleep."""
    s = rotation("R", frame="body")
    w1, w2, w3 = s.velocities
    A, C, weight = TOP.values()
    L = (A * (w1**2 + w2**2) + C * w3**2) / 2 - weight * s.R[2, 2]
    equations = nonholonomic(reduce(System(s, L, symmetry=rotations("R", axis=3))).system)
    start = steady(equations, {"g3": 1.0, "w3": 12.0}, fix=["g1", "g2", "g3", "w3"])
    branch = branch_of(equations, "w3", equations.space.by_name["w3"], start, (2.0, 14.0), (), None)
    critical = math.sqrt(4 * A * weight) / C
    off = min((abs(value - critical) for kind, value in branch.special if kind == HOPF), default=math.inf)
    yield small("section 11", f"a top sleeps from {critical:.6f} rad/s on", off, 1e-6)
