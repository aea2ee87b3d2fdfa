"""Families of motions: published speeds, periods and multipliers at which steady and periodic motions change.

Each section is a system with a number that was published, or that a closed solution gives; the branches and orbits are
those of functions that take any system.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import sympy as sp

from dalembert import System, coordinates, free, lyapunov, nonholonomic, reduce, steady
from dalembert import draw as show
from dalembert.equations import Equations
from dalembert.numerics.families.equilibrium_branches import BRANCH_POINT, HOPF, Branch, branch_of
from dalembert.numerics.families.periodic_orbits import periodic
from dalembert.numerics.relative_equilibria import Steady
from dalembert.show.figure_style import COLOURS, dress, head, pyplot
from dalembert.show.top_view import save
from dalembert.systems import whipple_bicycle

from .attractors import driven, flows
from .beginnings import bounces, ellipses, swings
from .circles import circling, disc, lyapunov_family, pendulum
from .claim import Claim, said, small
from .edges import falling, sleeping
from .followed import cascade, halo, tongues
from .gaits import driving, returning
from .moon import branching, catalogued, placed
from .moved_mass import gaining, shaken
from .reproduction import Chapter, Paper
from .reversals import reversing
from .spins import rattling, rising, standing, tumbling
from .windows import riding, sliding, turning

WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837  # m/s [meijaard2007 table 2]
ROUTH = (1 - math.sqrt(69) / 9) / 2  # share of the smaller mass [routh1905]
# [hairer1993 (II.0.2)]: masses, start and period of the orbit of four loops
MOON, ARENSTORF, PERIOD = 0.012277471, -2.00158510637908252240537862224, 17.0652165601579625588917206249
GRAVITY, LENGTH = 9.81, 0.5
SIZE = (5.2, 3.6)  # inches


# --- systems ---------------------------------------------------------------------------------------------------------


@cache
def hoop() -> Equations:
    """A pendulum in a hoop that turns at the rate w."""
    q, (w, g, l) = coordinates("theta"), sp.symbols("w g l", positive=True)
    theta, vtheta = q["theta"], q["vtheta"]
    L = l**2 * (vtheta**2 + w**2 * sp.sin(theta) ** 2) / 2 + g * l * sp.cos(theta)
    return free(System(q, L, parameters={"w": 1.0, "g": GRAVITY, "l": LENGTH}))


@cache
def three_bodies() -> Equations:
    """A light body near two heavy ones on circles, in their frame."""
    q, mu = coordinates("x y"), sp.Symbol("mu", positive=True)
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    near, far = sp.sqrt((x + mu) ** 2 + y**2), sp.sqrt((x - 1 + mu) ** 2 + y**2)
    L = ((vx - y) ** 2 + (vy + x) ** 2) / 2 + (1 - mu) / near + mu / far
    return free(System(q, L, parameters={"mu": MOON}))


@cache
def bicycle() -> Equations:
    """The Whipple bicycle, reduced."""
    return nonholonomic(reduce(whipple_bicycle.system()).system)


# --- steady motions --------------------------------------------------------------------------------------------------


def hanging() -> Iterator[Claim]:
    """Hanging still in the hoop."""
    start = steady(hoop(), {"theta": 0})
    branch = _branch(hoop(), "w", start, 0.1, 10.0)
    yield from _only(branch, "section 1", "hanging still ends at w^2 = g/l", BRANCH_POINT, math.sqrt(GRAVITY / LENGTH))
    tilted = _branch(hoop(), "w", steady(hoop(), {"theta": 1.1}, (), {"w": 7.0}), 0.1, 10.0)
    off = float(np.abs(tilted["w"] ** 2 * np.cos(tilted["theta"]) - GRAVITY / LENGTH).max())
    yield small("section 1", "the other branch: w^2 cos(theta) = g/l", off, 1e-9)
    yield said("section 1", "it is stable as far as it goes", bool(tilted.stable.all()), f"{len(tilted)} motions")


def upright() -> Iterator[Claim]:
    """The disc rolls straight on, and spins on the spot."""
    m, r, A, C, g = (disc().system.values()[n] for n in ("m", "r", "A", "C", "g"))
    rolling, spinning = math.sqrt(A * m * g * r / (C * (C + m * r**2))), math.sqrt(m * g * r / (A + m * r**2))
    told = {"vpsi": ("rolls upright", rolling), "vphi": ("spins upright", spinning)}
    for rate, (what, critical) in told.items():
        start = steady(disc(), {"theta": math.pi / 2, rate: 8.0}, fix=f"theta {rate}".split())
        branch = _branch(disc(), rate, start, 0.1, 10.0)
        yield from _only(branch, "section 2", f"the disc {what} above a rate", BRANCH_POINT, critical)


def straight() -> Iterator[Claim]:
    """The whole bicycle at its two published speeds."""
    for what, speed in (("weave", WEAVE), ("capsize", CAPSIZE)):
        p = bicycle().system.values()
        guess = {"vx": speed, "vrear": -speed / p["rR"], "vfront": -speed / p["rF"], "z": -p["rR"]}
        e = steady(bicycle(), guess).eigenvalues
        # besides the 0 of its own family: a pair on the imaginary axis, or a second 0
        found = e[np.abs(e.imag) > 1] if what == "weave" else np.sort(np.abs(e))[1:2]
        yield small("section 3", f"{what} at {speed:.6f} m/s", float(np.abs(found.real).max()), 1e-7)


def triangle() -> Iterator[Claim]:
    """The corner of the triangle of Lagrange."""
    start = steady(three_bodies(), {"x": 0.48, "y": 0.86})
    branch = _branch(three_bodies(), "mu", start, 0.001, 0.5)
    yield from _only(branch, "section 4", "mu (1 - mu) < 1/27 for stability", HOPF, ROUTH)
    off = float(np.hypot(branch["x"] + branch["mu"] - 0.5, branch["y"] - math.sqrt(3) / 2).max())
    yield small("section 4", "the three stand at equal distances", off, 1e-9)


def _branch(equations: Equations, name: str, start: Steady, low: float, high: float) -> Branch:
    """The branch in a parameter or in a state."""
    return branch_of(equations, name, equations.space.by_name.get(name), start, (low, high), (), None)


def _only(branch: Branch, where: str, statement: str, kind: str, value: float) -> Iterator[Claim]:
    """One special point, of this kind and at this value."""
    kinds = [k for k, _ in branch.special]
    yield said(where, f"{statement}: one {kind}", kinds == [kind], ", ".join(kinds) or "none")
    off = min((abs(found - value) for _, found in branch.special), default=math.inf)
    yield small(where, f"{statement}, {value:.8f}", off, 1e-7)


# --- periodic motions ------------------------------------------------------------------------------------------------


def loops() -> Iterator[Claim]:
    """Arenstorf's orbit around earth and moon."""
    orbit = periodic(three_bodies(), {"x": 0.994, "y": 0.0, "vx": 0.0, "vy": ARENSTORF}, period=17.0)
    yield small("section 5", "period 17.06521656", abs(orbit.period - PERIOD), 1e-8)
    yield small("section 5", "the published speed", abs(orbit.start["vy"] - ARENSTORF), 1e-8)
    product = float(abs(np.prod(orbit.multipliers) - 1))
    yield small("section 5", "multipliers have the product 1", product, 1e-4)


def nutation() -> Iterator[Claim]:
    """Small nutations of a disc in a circle have the multipliers of the steady motion."""
    circle = steady(disc(), {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix=["theta", "vphi"])
    rate = float(circle.eigenvalues.imag.max())
    pair = [{**circle.state, "theta": circle.state["theta"] + side * 1e-5} for side in (1, -1)]
    orbits = [periodic(disc(), start, period=math.tau / rate) for start in pair]
    # on either side: what is of first order belongs to other circles
    off = abs(sum(orbit.period for orbit in orbits) / 2 - math.tau / rate)
    yield small("section 6", "period of a small nutation", off, 1e-6)
    off = max(float(abs(orbit.multipliers - 1).max()) for orbit in orbits)
    yield said("section 6", "all multipliers are 1", off < 1e-6, f"{len(orbits[0].trivial)} multipliers")


def stars() -> Iterator[Claim]:
    """Exponents of Henon and Heiles' stars come in pairs, and two are 0."""
    q = coordinates("x y")
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    equations = free(System(q, (vx**2 + vy**2 - x**2 - y**2) / 2 - x**2 * y + y**3 / 3))
    found = lyapunov(equations, {"x": 0, "y": -0.15, "vx": 0.5525, "vy": 0}, until=600)
    e = found.exponents
    yield said("section 7", "neighbours part at the energy 1/6", found.chaotic, f"{e[0]:.3g}")
    yield small("section 7", "the exponents sum to 0", abs(found.sum), 1e-8)
    yield small("section 7", "they are opposite in pairs", float(np.abs(e + e[::-1]).max()), 2e-3)


# --- a figure --------------------------------------------------------------------------------------------------------


def draw(folder: Path) -> Iterator[list[Path]]:
    """The fork of the pendulum in the hoop: stable motions as lines, unstable ones dashed."""
    figure, ax = pyplot().subplots(figsize=SIZE, layout="constrained")
    head(figure, "A pendulum in a turning hoop: lines are stable, dashes are not")
    for i, guess in enumerate(({"theta": 0.0}, {"theta": 1.1}, {"theta": math.pi})):
        start = steady(hoop(), guess, (), {"w": 7.0})
        show(_branch(hoop(), "w", start, 0.1, 10.0), columns="theta", ax=ax, colours=COLOURS[i])
    dress(ax, "", r"rate of the hoop $\omega$ / (rad/s)", r"$\theta$ / rad")
    yield save(figure, folder, "figure-1-turning-hoop")


PAPER = Paper(
    title="Families of motions: published numbers",
    source="routh1905",
    about="Where steady motions change, and what returns of periodic ones. SI units but for the three bodies.",
    chapters=(
        Chapter("Steady motions", (hanging, upright, straight, triangle, riding, sliding, turning)),
        Chapter("Motions that come back", (loops, nutation)),
        Chapter("Chaos", (stars, driven, flows)),
        Chapter("What shaking does", (shaken, gaining)),
        Chapter("Families of motions that come back", (tongues, halo, cascade)),
        Chapter("Where families begin, and where they drift", (bounces, swings, ellipses)),
        Chapter("Bodies that spin upright", (standing, tumbling, rising, rattling, reversing)),
        Chapter("Gaits of a snakeboard", (driving, returning)),
        Chapter("Closed forms of families", (circling, pendulum, lyapunov_family)),
        Chapter("Orbits between earth and moon", (placed, branching, catalogued)),
        Chapter("Curves along which steady motions change", (falling, sleeping)),
    ),
    figures=(draw,),
)
