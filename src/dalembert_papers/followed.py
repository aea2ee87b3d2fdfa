"""Families of periodic motions followed: tongues of Mathieu's equation, halo orbits, a cascade of doublings.

They are followed from one motion on, in a parameter or in a value at the start, and what changes on the way is compared
with what was published.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from functools import cache

import numpy as np
import sympy as sp
from scipy.special import mathieu_a, mathieu_b

from dalembert import System, coordinates, free
from dalembert.equations import Equations
from dalembert.numerics.families.orbit_family import Orbits, orbits_of
from dalembert.numerics.families.periodic_orbits import Periodic, periodic
from dalembert.numerics.families.periodicity_conditions import What

from .claim import Claim, said, small

# [howell1984 table 1], mass ratio 0.04, near L1: x, z, vy at the crossing of y = 0, half the period
HALO = (
    (0.723268, 0.040000, 0.198019, 1.300177),
    (0.729988, 0.215589, 0.397259, 1.348532),
    (0.753700, 0.267595, 0.399909, 1.211253),
    (0.777413, 0.284268, 0.361870, 1.101099),
    (0.801125, 0.299382, 0.312474, 1.017241),
    (0.817724, 0.313788, 0.271306, 0.978635),
)
CASCADE = 1.0663, 1.0793  # [taylor2005 table 12.1], forces at which the period doubles
FEW = 5  # neighbours are joined in so many times fewer steps than a family has
DIGITS, FOUR = 4e-6, 1e-4  # of the tables: z is given to 6 digits, and half the period changes 7 times as much


def tongues() -> Iterator[Claim]:
    """A small motion beside a shaking one, x'' + (a - 2 k cos 2t) x = 0, grows in tongues."""
    q, a = coordinates("x y"), sp.Symbol("a")
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    equations = free(System(q, (vx**2 + vy**2 - a * x**2 + y * x**2) / 2 - 2 * y**2, parameters={"a": 3.0}))
    orbit = periodic(equations, {"x": 0, "y": 2.0, "vx": 0, "vy": 0}, period=3.1)
    family = follow(orbit, "a", (0.2, 6.2), fix=["y"])
    kinds = [kind for kind, _ in family.special]
    whole = kinds == ["period doubling", "branch point", "branch point"]
    yield said("section 12", "one doubling, two branch points", whole, ", ".join(kinds))
    exact = (mathieu_a(1, 1.0), mathieu_b(2, 1.0), mathieu_a(2, 1.0))
    for (_, value), known in zip(family.special, exact, strict=False):
        yield small("section 12", f"Mathieu's characteristic value {known:.8f}", abs(value - known), 1e-8)


@cache
def space() -> Equations:
    """A light body near two heavy ones on circles, in their frame and out of their plane."""
    q, mu = coordinates("x y z"), sp.Symbol("mu", positive=True)
    (x, y, z), (vx, vy, vz) = q.coordinates, q.velocities
    near, far = sp.sqrt((x + mu) ** 2 + y**2 + z**2), sp.sqrt((x - 1 + mu) ** 2 + y**2 + z**2)
    L = ((vx - y) ** 2 + (vy + x) ** 2 + vz**2) / 2 + (1 - mu) / near + mu / far
    return free(System(q, L, parameters={"mu": 0.04}))


def halo() -> Iterator[Claim]:
    """Halo orbits of the published table are one family."""
    x, z, vy, half = HALO[0]
    first = periodic(space(), {"x": x, "y": 0, "z": z, "vx": 0, "vy": vy, "vz": 0}, period=2 * half)
    family = follow(first, "z", (0.039, 0.32))
    for x, z, vy, half in HALO:
        found = at_height(family, z)
        off = max(abs(found.start["x"] - x), abs(found.start["vy"] - vy), abs(found.period / 2 - half))
        yield small("section 13", f"the halo orbit of z = {z:.6f}", off, DIGITS)
    two = bool((family.trivial.sum(axis=1) == 2).all())
    yield said("section 13", "two multipliers are 1: the motion, the energy", two, f"{len(family)} motions")


def at_height(family: Orbits, z: float) -> Periodic:
    """The motion of a family at a height."""
    near = family.orbit(int(np.abs(family["z"] - z).argmin()))
    low, high = sorted((float(near.start["z"]), z))
    if low == high:
        return near
    way = follow(near, "z", (low, high), within=FEW * (high - low))
    return way.orbit(-1 if z == high else 0)


def cascade() -> Iterator[Claim]:
    """A pendulum that is driven harder and harder loses its symmetry, and its period doubles."""
    q, f, t = coordinates("theta"), sp.Symbol("f"), sp.Symbol("t", real=True)
    theta, vtheta = q["theta"], q["vtheta"]
    L = vtheta**2 / 2 + sp.cos(theta) + f * theta * sp.cos(2 * t / 3)
    equations = free(System(q, L, forces={"vtheta": -vtheta / 2}, parameters={"f": 0.9}))
    orbit = periodic(equations, {"theta": -0.9, "vtheta": 1.0}, period=3 * math.pi)
    family = follow(orbit, "f", (0.3, 1.1))
    kinds = [kind for kind, _ in family.special]
    yield said("section 14", "the even motion meets lopsided ones", kinds == ["branch point"], ", ".join(kinds))
    for known in CASCADE:
        family = follow(family.switch(0), "f", (0.3, 1.1))
        kind, value = family.special[0]
        off = abs(value - known) if kind == "period doubling" else math.inf
        yield small("section 14", f"the period doubles at f = {known}", off, FOUR)


def follow(
    start: Periodic, name: str, over: tuple[float, float], fix: Collection[str] = (), within: float | None = None
) -> Orbits:
    """The family in a parameter of the system, or in a state at the start; steps are as long as in a range `within`."""
    state = start.equations.space.by_name.get(name)
    width = over[1] - over[0] if within is None else within
    return orbits_of(start, What(name, state is None, state, None, width), over, fix, {})
