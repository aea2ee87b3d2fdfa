"""Closed forms of families: which circles of a rolling disc are stable, swings of a pendulum, where halo orbits begin.

With s = sin(theta), c = cos(theta), u = phi', w = psi' + c u and D = C + m r^2, Euler's equations of the disc about its
contact are

    (A + m r^2) theta'' = A s c u^2 - D s u w - m g r c ,   s u' = (C w/A - 2 c u) theta' ,   D w' = m r^2 s u theta'

and near a circle, where the right side is 0, (A + m r^2) (delta theta)'' = -Q delta theta with

    Q = (A (1 + 2 c^2) + m r^2 s^2) u^2 - c (D + 2 C) u w + C D w^2/A - m g r s
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import sympy as sp
from scipy.integrate import simpson
from scipy.special import ellipk

from dalembert import System, coordinates, free, nonholonomic, reduce, simulate, steady
from dalembert.equations import Equations
from dalembert.numerics.families.equilibrium_branches import BRANCH_POINT, branch_of, swing_about
from dalembert.numerics.families.orbit_family import orbits_of
from dalembert.numerics.families.periodic_orbits import periodic
from dalembert.numerics.families.periodicity_conditions import PERIOD, What
from dalembert.systems import rolling_disc

from .claim import Claim, Kind, said, small
from .followed import DIGITS, HALO, at_height, follow, space

TILTS = 1.5, 1.4, 1.3  # rad, near upright
FOUND = 1e-7
CYCLE = 6.6632868593  # of van der Pol's oscillator, mu = 1


@cache
def disc() -> Equations:
    """The rolling disc, reduced."""
    return nonholonomic(reduce(rolling_disc.system()).system)


def circling() -> Iterator[Claim]:
    """A disc that leans a little falls between two rates of its circle."""
    equations = disc()
    for theta in TILTS:
        start = steady(equations, {"theta": theta, "vphi": 6.0, "vpsi": 0.3}, fix=["theta", "vphi"])
        w = start.state["vpsi"] + math.cos(theta) * 6.0
        off = float(np.abs(start.eigenvalues - 1j * math.sqrt(_stiffness(equations, theta, 6.0, w))).min())
        yield small("section 22", f"small nutations of a disc in a circle at {theta:g} rad", off, FOUND, kind=Kind.NEW)
        rate = equations.space.by_name["vphi"]
        branch = branch_of(equations, "vphi", rate, start, (0.1, 8.0), ["theta"], None)
        kinds = [kind for kind, _ in branch.special]
        yield said("section 22", f"two rates at {theta:g} rad", kinds == [BRANCH_POINT] * 2, ", ".join(kinds) or "none")
        for which, (_, found), known in zip(("lower", "upper"), branch.special, edges(equations, theta), strict=False):
            statement = f"at {theta:g} rad it changes at the {which} rate at which Q = 0"
            yield small("section 22", statement, abs(found - known), FOUND, what=f"at {known:.8f} rad/s", kind=Kind.NEW)


def _stiffness(equations: Equations, theta: float, u: float, w: float) -> float:
    """Q/(A + m r^2)."""
    m, r, A, C, g = (equations.system.values()[name] for name in ("m", "r", "A", "C", "g"))
    s, c, D = math.sin(theta), math.cos(theta), C + m * r**2
    Q = (A * (1 + 2 * c**2) + m * r**2 * s**2) * u**2 - c * (D + 2 * C) * u * w + C * D * w**2 / A - m * g * r * s
    return Q / (A + m * r**2)


def edges(equations: Equations, theta: float) -> np.ndarray:
    """The rates u at which Q = 0 in a circle, D s u w = A s c u^2 - m g r c."""
    m, r, A, C, g = (equations.system.values()[name] for name in ("m", "r", "A", "C", "g"))
    s, c, D = math.sin(theta), math.cos(theta), C + m * r**2
    # u^2 Q in x = u^2, with u w = (A s x - m g r) c/(D s)
    speed = np.array([A * s, -m * g * r]) * c / (D * s)
    Q = np.polyadd([A * (1 + 2 * c**2) + m * r**2 * s**2, -m * g * r * s, 0], -c * (D + 2 * C) * np.append(speed, 0))
    return np.sort(np.sqrt(np.roots(np.polyadd(Q, C * D / A * np.polymul(speed, speed)))))


def pendulum() -> Iterator[Claim]:
    """Swings of a pendulum, as wide as they may be, and the one motion to which another oscillator comes."""
    q, mu = coordinates("theta"), sp.Symbol("mu")
    theta, vtheta = q["theta"], q["vtheta"]
    equations = free(System(q, vtheta**2 / 2 + sp.cos(theta)))
    first = periodic(equations, {"theta": 0.5, "vtheta": 0.0}, period=6.4)
    family = orbits_of(first, What("theta", False, theta, None, 2.9), (0.1, 3.0), [], {})
    # T = 4 K(k) ,  k = sin(theta/2)
    off = float(np.abs(family["period"] - 4 * ellipk(np.sin(family["theta"] / 2) ** 2)).max())
    yield small("section 23", "swings of a pendulum have the period 4 K(sin(theta/2))", off, 1e-8)
    given = System(q, (vtheta**2 - theta**2) / 2, forces={"vtheta": mu * (1 - theta**2) * vtheta}, parameters={"mu": 1})
    orbit = periodic(free(given), {"theta": 2.0, "vtheta": 0.0}, period=6.6)
    yield small("section 23", f"van der Pol's oscillator has the period {CYCLE}", abs(orbit.period - CYCLE), 1e-8)
    # the product of multipliers is exp of the integral of mu (1 - x^2)
    times = np.linspace(0.0, orbit.period, 4001)
    path = simulate(orbit.equations, orbit.start, until=times[-1], samples=times, rtol=1e-11)
    known = math.exp(simpson(1 - path["theta"] ** 2, x=path.t))
    off = float(np.abs(orbit.multipliers - known).min())
    yield small("section 23", "its multiplier is exp of the mean divergence", off, 1e-8, kind=Kind.NEW)


def lyapunov_family() -> Iterator[Claim]:
    """Flat orbits about the point between two bodies lead to the halo orbits of [howell1984]."""
    rest = steady(space(), {"x": 0.72, "y": 0.0, "z": 0.0})
    flat = swing_about(space(), rest, "fastest", -0.01)
    period = What(PERIOD, False, None, None, 0.1)
    family = orbits_of(flat, period, (flat.period - 0.001, 2.65), [], {})
    kinds = [kind for kind, _ in family.special]
    yield said("section 24", "flat orbits meet others once", kinds == [BRANCH_POINT], ", ".join(kinds) or "none")
    aside = family.switch(0)
    side = math.copysign(1.0, float(aside.start["z"]))
    tall = follow(aside, "z", (0.0, 0.05) if side > 0 else (-0.05, 0.0))
    x, z, vy, half = HALO[0]
    found = at_height(tall, side * z)
    off = max(abs(found.start["x"] - x), abs(found.start["vy"] - vy), abs(found.period / 2 - half))
    yield small("section 24", f"these are halo orbits, at z = {z:.6f} that of the table", off, DIGITS)
