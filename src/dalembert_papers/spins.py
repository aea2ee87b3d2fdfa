"""Bodies that spin upright on a table: Routh's sphere [routh1905], a tippe top [rauch2014], a rattleback [bondi1986].

Near the upright spin n, zeta = z1 + i z2 of the axis, the centre of mass at a on it, h = r + a above the contact:

    rolls:   (I1 + m h^2) zeta'' - i n (I3 + m h r) zeta' - m g a zeta = 0
    slides:  I1 zeta'' - i n I3 zeta' - m g a zeta = h k s ,   m v' = -k s ,   s = v - h zeta' + i n r zeta

where s is how fast the contact slips and k the friction. The first is stable where n^2 (I3 + m h r)^2 > 4 m g a
(I1 + m h^2). In the second a root passes the imaginary axis at i n r/h, whatever k is:

    n^2 r (I3 h - I1 r) = m g a h^2

With the centre of mass low, a = -e r, it leaves its rest from that spin on if I1/I3 > 1 - e, and on its head it stands
from another one on if I1/I3 < 1 + e: between the two it turns over [rauch2014].
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from dalembert import System, nonholonomic, reduce, simulate, steady
from dalembert.equations import Equations, Start
from dalembert.numerics.families.equilibrium_branches import HOPF, Branch, branch_of
from dalembert.numerics.relative_equilibria import Steady
from dalembert.systems import rattleback, routh_sphere
from dalembert.trajectory import Trajectory

from .claim import Claim, Kind, said, small

HIGH, LOW = 0.15, -0.15  # places of the centre of mass on the axis, m
FRICTION, INERTIA = (0.4, 4.0, 20.0), (0.04, 0.07, 0.1)  # kg/s; I1 below, in and above the window, kg m^2
TALL = {"c": 0.03}  # m: a stone of this height stands in one sense
EXACT, FOUND = 1e-9, 1e-7


# --- Routh's sphere --------------------------------------------------------------------------------------------------


@cache
def ball() -> Equations:
    """The sphere with its centre of mass high, reduced."""
    return nonholonomic(reduce(routh_sphere.system(a=HIGH)).system)


def standing() -> Iterator[Claim]:
    """Routh's sphere spins upright."""
    p = ball().system.values()
    for n in (3.0, -12.0):
        off = _far(upright(ball(), n).eigenvalues, _turning(p, n))
        yield small("section 18", f"small tilts of a sphere that spins at {n:g} rad/s", off, EXACT, kind=Kind.NEW)
    for a in (0.05, HIGH, 0.25):
        critical = least(p, a)
        branch = _spun(ball(), a, critical)
        off = abs(branch.special[0][1] - critical) if [kind for kind, _ in branch.special] == [HOPF] else math.inf
        yield small(
            "section 18",
            f"with its centre of mass {a:g} m high it stands from {critical:.6f} rad/s on",
            off,
            FOUND,
            kind=Kind.NEW,
        )
    low = _spun(ball(), LOW, critical)
    yield said(
        "section 18",
        "with its centre of mass low it always stands",
        bool(low.stable.all()),
        f"{len(low)} spins",
        kind=Kind.NEW,
    )


def tumbling() -> Iterator[Claim]:
    """What Jellett and Routh found constant while the sphere tumbles."""
    path = simulate(ball(), _tilted(ball(), 0.9, 4.0), until=4.0, rtol=1e-11)
    p, (z, w) = ball().system.values(), _turns(path)
    for name, constant in (("Jellett", _jellett(p, z, w)), ("Routh", _routh(p, z, w))):
        yield small("section 18", f"{name}'s constant of a sphere that rolls", float(np.ptp(constant)), EXACT)


def _jellett(p: Mapping[str, float], z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """<J w, p> with J w = I1 w + (I3 - I1) <w, z> z and p = -r e3 - a z."""
    momentum = p["I1"] * w + (p["I3"] - p["I1"]) * (w * z).sum(axis=0) * z
    return np.asarray((momentum * _arm(p, z)).sum(axis=0))


def _routh(p: Mapping[str, float], z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """<w, z> sqrt(I1 I3 + m <p, J p>)."""
    arm = _arm(p, z)
    square = p["I1"] * (arm**2).sum(axis=0) + (p["I3"] - p["I1"]) * (arm * z).sum(axis=0) ** 2
    return np.asarray((w * z).sum(axis=0) * np.sqrt(p["I1"] * p["I3"] + p["m"] * square))


def _arm(p: Mapping[str, float], z: np.ndarray) -> np.ndarray:
    return np.asarray(-p["r"] * np.eye(3)[:, 2:] - p["a"] * z)


def _turns(path: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """The axis and the angular velocity, (3, N)."""
    z, w = (np.array([path[f"{name}{i}"] for i in (1, 2, 3)]) for name in "zw")
    return z, w


def _tilted(equations: Equations, tilt: float, n: float) -> Start:
    """The axis tilted so far, and spun about it."""
    z1, z3 = math.sin(tilt), math.cos(tilt)
    values = {"z1": z1, "z3": z3, "w1": n * z1, "w3": n * z3}
    return equations.start([values.get(name, 0.0) for name in equations.states])


def least(p: Mapping[str, float], a: float) -> float:
    """The spin from which it stands, with its centre of mass at a."""
    # n^2 (I3 + m h r)^2 = 4 m g a (I1 + m h^2)
    h = p["r"] + a
    return math.sqrt(4 * p["m"] * p["g"] * a * (p["I1"] + p["m"] * h**2)) / (p["I3"] + p["m"] * h * p["r"])


def _turning(p: Mapping[str, float], n: float) -> np.ndarray:
    """Of a sphere that rolls: (I1 + m h^2) lambda^2 - i n (I3 + m h r) lambda - m g a = 0."""
    h = p["r"] + p["a"]
    return np.roots([p["I1"] + p["m"] * h**2, -1j * n * (p["I3"] + p["m"] * h * p["r"]), -p["m"] * p["g"] * p["a"]])


def upright(equations: Equations, n: float, up: float = 1.0, parameters: Mapping[str, float] | None = None) -> Steady:
    """Spinning upright, or on its head where `up` is -1."""
    return steady(equations, {"z3": up, "w3": n}, ("z1", "z2", "z3", "w3"), parameters)


def _spun(equations: Equations, a: float, about: float) -> Branch:
    """Spins about one with the centre of mass there."""
    start, over = upright(equations, 1.2 * about, parameters={"a": a}), (0.7 * about, 1.3 * about)
    return branch_of(equations, "w3", equations.space.by_name["w3"], start, over, (), None)


def _far(found: np.ndarray, known: np.ndarray) -> float:
    """How far the one that is farthest from any found is."""
    return float(max(np.abs(found - root).min() for root in known))


# --- a top that slides -----------------------------------------------------------------------------------------------


@cache
def top() -> Equations:
    """The same sphere on a table with friction k s, the heavy side down."""
    given, k, r = routh_sphere.system(a=LOW), sp.Symbol("k", positive=True), routh_sphere.RADIUS
    vx, vy, (w1, w2, _) = routh_sphere.VX, routh_sphere.VY, routh_sphere.W
    along, across = vx - r * w2, vy + r * w1
    forces = {vx: -k * along, vy: -k * across, w1: -k * r * across, w2: k * r * along}
    values = {**given.parameters, "k": FRICTION[1]}
    sliding = System(given.space, given.lagrangian, forces=forces, symmetry=given.symmetry, parameters=values)
    return nonholonomic(reduce(sliding).system)


def rising() -> Iterator[Claim]:
    """A tippe top rises from a spin that friction does not change, in a window of its shape."""
    p = top().system.values()
    m, r, a, I1, I3, g = (p[name] for name in ("m", "r", "a", "I1", "I3", "g"))
    h = r + a
    # n^2 r (I3 h - I1 r) = m g a h^2
    critical = math.sqrt(m * g * a * h**2 / (r * (I3 * h - I1 * r)))
    for k in FRICTION:
        found = upright(top(), critical, parameters={"k": k}).eigenvalues
        known = _slipping({**p, "k": k}, critical)
        yield small(
            "section 19", f"small tilts of a top with friction {k:g} kg/s", _far(found, known), EXACT, kind=Kind.NEW
        )
        off = float(np.abs(found - 1j * critical * r / h).min())
        yield small(
            "section 19", f"with friction {k:g} kg/s it rises from {critical:.6f} rad/s on", off, FOUND, kind=Kind.NEW
        )
    # on its head it stands from <J w, p> = (1 + e)^2 sqrt(m g r^3 I3 e/(1 + e - I1/I3)) on  [rauch2014]
    e, I1 = -a / r, INERTIA[1]
    turned = (1 + e) * math.sqrt(m * g * r**3 * I3 * e / (1 + e - I1 / I3)) / (I3 * r)
    off = float(np.abs(upright(top(), turned, -1.0, {"I1": I1}).eigenvalues - 1j * turned / (1 + e)).min())
    yield small("section 19", f"on its head it stands from {turned:.6f} rad/s on", off, FOUND)
    for I1, wanted in zip(INERTIA, ((0, 0), (1, 0), (1, 1)), strict=True):
        grows = tuple(int(upright(top(), 60.0, up, {"I1": I1}).growth > 0) for up in (1.0, -1.0))
        where = f"I1/I3 = {I1 / I3:.3f}, 1 - e = {1 + a / r:.3f}, 1 + e = {1 - a / r:.3f}"
        told = " and ".join(f"{'leaves' if flies else 'keeps'} {end}" for flies, end in zip(wanted, _ENDS, strict=True))
        yield said("section 19", f"a fast top of {where} {told}", grows == wanted, f"{grows[0]}, {grows[1]} grow")
    yield from _over()


_ENDS = ("its rest", "its head")


def _over() -> Iterator[Claim]:
    """The whole motion of a round one, from a small tilt on."""
    p = {**top().system.values(), "I1": INERTIA[1], "k": FRICTION[0]}
    path = simulate(top(), _tilted(top(), 0.1, 30.0), until=120.0, rtol=1e-10, parameters=p)
    constant = _jellett(p, *_turns(path))
    off = float(np.abs(constant / constant[0] - 1).max())
    yield small("section 19", "Jellett's constant of a top that slides", off, FOUND)
    yield small("section 19", "it ends on its head", float(path["z3"][-1] + 1), FOUND)
    # <J w, p> = -I3 n (r - a) on its head
    off = abs(float(path["w3"][-1] + constant[0] / (p["I3"] * (p["r"] - p["a"]))))
    yield small("section 19", "at the spin that Jellett's constant leaves", off, 1e-6)


def _slipping(p: Mapping[str, float], n: float) -> np.ndarray:
    """(I1 lambda^2 - i n I3 lambda - m g a) (m lambda + k) + h k m lambda (h lambda - i n r) = 0."""
    m, k, h = p["m"], p["k"], p["r"] + p["a"]
    tilts = np.polymul([p["I1"], -1j * n * p["I3"], -m * p["g"] * p["a"]], [m, k])
    return np.roots(np.polyadd(tilts, h * k * m * np.array([h, -1j * n * p["r"], 0])))


# --- the rattleback --------------------------------------------------------------------------------------------------


@cache
def stone() -> Equations:
    """The rattleback of [kane1982], reduced."""
    return nonholonomic(reduce(rattleback.system()).system)


def rattling() -> Iterator[Claim]:
    """A rattleback has two sides to its spin."""
    p, spins = stone().system.values(TALL), (-5.0, 0.5, 5.0)
    found = {n: _lying(n).eigenvalues for n in spins}
    for n in spins:
        off = _far(found[n], np.linalg.eigvals(by_newton(p, n)))
        yield small("section 20", f"small swings of a rattleback that spins at {n:g} rad/s", off, FOUND, kind=Kind.NEW)
    yield small("section 20", "what grows in one sense decays in the other", _far(-found[5.0], found[-5.0]), FOUND)
    pair = np.sort(found[0.5].real)
    one = pair[0] <= pair[1] < 0 < pair[3] <= pair[4]
    yield said("section 20", "of two swings one grows, the other decays", one, f"{pair[0]:.3g}/s, {pair[-1]:.3g}/s")
    branch = branch_of(stone(), "w3", stone().space.by_name["w3"], _lying(5.0), (-40.0, 40.0), (), TALL)
    critical = brentq(lambda n: _hurwitz(by_newton(p, n)), 25.0, 35.0)
    ends = [value for kind, value in branch.special if kind == HOPF]
    off = abs(ends[1] - critical) + abs(ends[0] + critical) if len(ends) == 2 else math.inf
    yield small("section 20", f"it stands from {critical:.6f} rad/s on, in one sense", off, 1e-6, kind=Kind.NEW)
    verdicts = [_lying(s * 1.1 * critical).verdict for s in (1, -1)]
    yield said("section 20", "not in the other", verdicts == ["attracting", "unstable"], ", ".join(verdicts))


def _lying(n: float) -> Steady:
    """Spinning on its lowest point."""
    return steady(stone(), {"g3": 1.0, "w3": n}, ("g1", "g2", "g3", "w3"), TALL)


def _hurwitz(A: np.ndarray) -> float:
    # b1^2 - b1 b2 b3 + b0 b3^2 = 0 where a pair is on the imaginary axis
    _, b3, b2, b1, b0 = np.poly(A)
    return float(b1**2 - b1 * b2 * b3 + b0 * b3**2)


def by_newton(p: Mapping[str, float], n: float) -> np.ndarray:
    """Newton's and Euler's equations of small tilts in the turning frame, for (g1, g2, w1, w2); F = m a + m g gamma:

    gamma' = gamma x w ,  v = p x w ,  a = v' + w x v ,  (I w)' + w x I w = p x F ,  p = -(a^2/c g1, b^2/c g2, c - d)
    """
    m, g, mixed = p["m"], p["g"], p["I12"]
    long, wide, h = p["a"] ** 2 / p["c"], p["b"] ** 2 / p["c"], p["c"] - p["d"]
    g1, g2, w1, w2 = np.eye(4)
    g1_rate, g2_rate = n * g2 - w2, w1 - n * g1
    v1, v2 = h * w2 - wide * n * g2, long * n * g1 - h * w1
    L1, L2 = p["I1"] * w1 + mixed * w2, mixed * w1 + p["I2"] * w2
    first = n * L2 - n * p["I3"] * w2 - wide * m * g * g2 + h * m * (long * n * g1_rate + n * v1 + g * g2)
    second = n * p["I3"] * w1 - n * L1 + long * m * g * g1 + h * m * (wide * n * g2_rate + n * v2 - g * g1)
    inertia = np.array([[p["I1"] + m * h**2, mixed], [mixed, p["I2"] + m * h**2]])
    return np.array([g1_rate, g2_rate, *np.linalg.solve(inertia, [first, second])])
