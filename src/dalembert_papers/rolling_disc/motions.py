"""The disc runs: constants, theta(t) by quadrature, reconstruction, steady motions [cushman1995 Section 6]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from dalembert import free, nonholonomic, reconstruct, reduced_start, simulate, steady
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations import Equations
from dalembert.symmetry import gauge_momenta
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, said, small
from . import given
from .given import A_, C_, A, C, c, disc, holds, m, r, rho_phi, rho_psi, rho_theta, s, theta, vphi, vpsi, vtheta

UNTIL = 10.0  # s
RTOL, ATOL = 1e-13, 1e-14
CONSTANT = 1e-10  # of the constants' size, along a run
SAME = 1e-9  # m, rad
MODES = 64  # of the cosine series of dt/du
NEAR = 1e-6  # of a critical rate

STARTS: dict[str, dict[str, float]] = {
    "wobbling": {"theta": 1.2, "vtheta": 0.1, "vphi": 0.8, "vpsi": 4.0},
    "through upright": {"theta": 1.5, "vtheta": 1.0, "vphi": 0.2, "vpsi": 5.0},
    "falling": {"theta": 1.0, "vtheta": 0.0, "vphi": 0.5, "vpsi": 1.0},
}
PLACE = {"x": 0.0, "y": 0.0, "phi": 0.3, "psi": 0.0}
TURN = {"theta": 1.2, "vphi": 1.5}  # of the circular motion


# --- runs ------------------------------------------------------------------------------------------------------------


@cache
def equations() -> Equations:
    """The full motion."""
    return nonholonomic(given.system())


@cache
def shape_equations() -> Equations:
    """The reduced motion."""
    return free(given.reduction().system)


@cache
def run(name: str) -> Trajectory:
    """The full motion from one of `STARTS`, or the circular one."""
    start = circle() if name == "circular" else STARTS[name]
    every = {**PLACE, **{k: v for k, v in start.items() if k in ("theta", "vtheta", "vphi", "vpsi")}}
    return carried(equations(), every)


def carried(equations: Equations, start: Mapping[str, Any]) -> Trajectory:
    """A run with tight tolerances."""
    return simulate(equations, equations.start(**start), until=UNTIL, rtol=RTOL, atol=ATOL)


def contact(path: Any) -> tuple[np.ndarray, np.ndarray]:
    """The point of contact, r cos(theta) from below the centre."""
    across = given.values()["r"] * np.cos(path["theta"])
    return path["x"] + across * np.cos(path["phi"]), path["y"] + across * np.sin(path["phi"])


# --- the constants ---------------------------------------------------------------------------------------------------


def constants() -> Iterator[Claim]:
    """c1, c2 of rho_psi = c1 u1 + c2 u2, the solutions of (36)."""
    kappa = disc.kappa(given.values())
    where = "(36)"
    text = f"kappa = {kappa:.4g}, a = {complex(parameters(kappa)[0]):.3g}"
    real = all(e.is_real for e in parameters(kappa))
    yield said(where, "the hypergeometric parameters are real", real, text, expected=False)
    yield small(where, "u1, u2: series against F(a, b; 1/2; z), cos F(a + 1/2, ...; 3/2; z)", _series(kappa), 1e-13)
    for name in STARTS:
        drift, count = _drift(name), len(run(name).t)
        statement = f"c1, c2 are constant along the full motion, {name}, {UNTIL:g} s"
        yield small(where, statement, drift, CONSTANT, key=True, what=f"of their size, {count} steps")
    yield small(where, "c1, c2 are momenta transported along theta", _transported(), 1e-11)
    yield small("(37)", "rho_phi from c1, c2, along the run", _other_momentum(), 1e-10, what="of its size")


def parameters(kappa: float) -> tuple[sp.Expr, sp.Expr]:
    """a, b with a + b = 1/2, a b = kappa/4."""
    root = sp.sqrt(sp.Rational(1, 4) - sp.nsimplify(kappa))
    return (sp.Rational(1, 2) + root) / 2, (sp.Rational(1, 2) - root) / 2


def _series(kappa: float) -> float:
    a, b = parameters(kappa)
    half, worst = sp.Rational(1, 2), 0.0
    for angle in (sp.Rational(1, 5), sp.Rational(6, 5), 2, 3):
        z = sp.cos(angle) ** 2
        even = sp.re(sp.N(sp.hyper([a, b], [half], z), 25))
        odd = sp.re(sp.N(sp.cos(angle) * sp.hyper([a + half, b + half], [3 * half], z), 25))
        u, _ = disc.solutions(float(angle), kappa)
        worst = max(worst, *(abs(float(x / y) - 1) for x, y in zip(u, (even, odd), strict=True)))
    return worst


def _drift(name: str) -> float:
    path = run(name)
    found = disc.constants({n: path[n] for n in ("theta", "vphi", "vpsi")}, given.values())
    return float((np.abs(found - found[:, :1]).max(axis=1) / np.abs(found[:, 0]).max()).max())


def _transported() -> float:
    """c1, c2 against the library's transport of the reduced momenta from the upright disc."""
    gauge, p = gauge_momenta(given.reduction(), at=np.pi / 2), given.values()
    worst = 0.0
    for angle, turn, roll in ((0.6, 0.7, -2.0), (1.4, -1.1, 3.0), (2.5, 0.4, 1.0)):
        state = {"theta": angle, "vtheta": 0.2, "vphi": turn, "vpsi": roll}
        transported = dict(zip(gauge.velocities, gauge(state), strict=True))
        # upright: rho_psi = c1 ,  rho_phi = A v_phi = -(A/(m r^2)) c2
        known = np.array([transported["vpsi"], -p["m"] * p["r"] ** 2 / p["A"] * transported["vphi"]])
        worst = max(worst, float(np.abs(disc.constants(state, p) - known).max()))
    return worst


def _other_momentum() -> float:
    path = run("wobbling")
    columns = {n: path[n] for n in ("theta", "vtheta", "vphi", "vpsi")} | given.values()
    start = {n: v[0] for n, v in columns.items() if n in ("theta", "vphi", "vpsi")}
    _, found = along_theta(columns["theta"], disc.constants(start, given.values()))
    (expected,) = evaluate([read(given.momenta()[rho_phi], Graph())], columns)
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def along_theta(angle: Any, constants: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """rho_psi and rho_phi as functions of theta: (36), (37)."""
    p = given.values()
    u, slopes = disc.solutions(angle, disc.kappa(p))
    psi, slope = np.tensordot(constants, u, 1), np.tensordot(constants, slopes, 1)
    # (37) with  sin(theta) d/dtheta = -(1 - s^2) d/ds
    return psi, psi * np.cos(angle) - p["A"] / (p["m"] * p["r"] ** 2) * slope


# --- theta(t) --------------------------------------------------------------------------------------------------------


class Quadrature:
    """theta(t) from E-bar between two turning points:  theta = mid - half cos(u) ,  dt/du = half sin(u)/|thetadot|.

    dt/du is an even function of u with the period 2 pi, so that its cosine series gives t(u) for all u.
    """

    def __init__(self, start: Mapping[str, float]) -> None:
        self.parameters = given.values()
        self.constants = disc.constants(start, self.parameters)
        graph = Graph()
        self._E = read(given.energy(), graph)
        first = self.potential(np.asarray(start["theta"])) + self.kinetic * start["vtheta"] ** 2
        self.energy = float(first)
        self.low, self.high = self._turns(start["theta"])
        self.mid, self.half = (self.low + self.high) / 2, (self.high - self.low) / 2
        u = (np.arange(MODES) + 0.5) * np.pi / MODES
        k = np.arange(MODES)
        # a_k = (2/N) sum g(u_j) cos(k u_j), half of it for k = 0
        self._a = 2 / MODES * np.cos(np.outer(k, u)) @ self._slope(u)
        self._a[0] /= 2
        self.first = float(np.arccos((self.mid - start["theta"]) / self.half)) * (1 if start["vtheta"] >= 0 else -1)

    @property
    def kinetic(self) -> float:
        """(A + m r^2)/2."""
        return given.number(A_, self.parameters) / 2

    def potential(self, angle: np.ndarray) -> np.ndarray:
        """E-bar at rho_theta = 0."""
        psi, phi = along_theta(angle, self.constants)
        known = {"theta": angle, "rho_theta": 0.0, "rho_phi": phi, "rho_psi": psi}
        return np.asarray(evaluate([self._E], {**self.parameters, **known})[0])

    def _left(self, angle: float) -> float:
        return self.energy - float(self.potential(np.asarray(angle)))

    def _turns(self, angle: float) -> tuple[float, float]:
        """Where the energy is used up, below and above."""
        found = []
        for grid in (np.linspace(angle - 1e-9, 1e-3, 400), np.linspace(angle + 1e-9, np.pi - 1e-3, 400)):
            left = self.energy - self.potential(grid)
            i = int(np.argmax(left < 0))
            near = grid[max(i - 1, 0)] if i else angle
            found.append(float(brentq(self._left, near, grid[i], xtol=1e-15, rtol=1e-15)))
        return found[0], found[1]

    def _slope(self, u: np.ndarray) -> np.ndarray:
        angle = self.mid - self.half * np.cos(u)
        return np.asarray(self.half * np.sin(u) / np.sqrt((self.energy - self.potential(angle)) / self.kinetic))

    def time(self, u: np.ndarray) -> np.ndarray:
        """t(u), 0 at the start."""
        k = np.arange(1, MODES)

        def whole(v: np.ndarray) -> np.ndarray:
            return np.asarray(self._a[0] * v + np.sin(np.multiply.outer(v, k)) @ (self._a[1:] / k))

        return whole(np.asarray(u)) - whole(np.asarray(self.first))

    @property
    def period(self) -> float:
        """Of theta."""
        return float(2 * np.pi * self._a[0])

    def path(self, until: float, count: int = 400) -> tuple[np.ndarray, np.ndarray]:
        """Times and theta."""
        turns = 2 * np.pi * until / self.period
        u = self.first + np.linspace(0.0, 0.99 * turns, count)
        t = self.time(u)
        kept = (t >= 0) & (t <= until)
        return t[kept], (self.mid - self.half * np.cos(u))[kept]


def quadrature() -> Iterator[Claim]:
    """theta(t) from energy and constants alone, against the run."""
    for name in ("wobbling", "through upright"):
        found, path = Quadrature(STARTS[name]), run(name)
        t, angle = found.path(path.t[-1])
        gap = float(np.abs(path.at(t)["theta"] - angle).max())
        text = f"theta(t) by the energy quadrature is the run's, {name}"
        yield small("section 6", text, gap, SAME, key=name == "wobbling", what=f"rad, period {found.period:.4f} s")


# --- reconstruction --------------------------------------------------------------------------------------------------


@cache
def rebuilt(name: str) -> Trajectory:
    """The reduced motion run, and the group's coordinates found from it."""
    reduction, first = given.reduction(), run(name)
    start = {n: float(first[n][0]) for n in (z.name for z in given.system().space)}
    path = carried(shape_equations(), reduced_start(reduction, start))
    return reconstruct(reduction, path, start)


def reconstruction() -> Iterator[Claim]:
    """Reduced and lifted is the full motion; the order of the quadratures."""
    for name in STARTS:
        full, lifted = run(name), rebuilt(name).at(run(name).t)
        gap = max(float(np.abs(full[q.name] - lifted[q.name]).max()) for q in given.coordinates)
        statement = f"reduced and reconstructed is the full motion, {name}, {UNTIL:g} s"
        yield small("section 6", statement, gap, SAME, key=True, what="m, rad")
    order = [part.removesuffix(" by quadrature") for part in rebuilt("wobbling").provenance["order"].split(", then ")]
    split = [set(part.split(", ")) for part in order]
    right = split == [{"phi", "psi"}, {"x", "y"}]
    yield said("section 6", "by quadratures, psi and phi first, then x and y", right, ", then ".join(order), key=True)
    there = given.restricted().velocities
    printed = {
        "vx": r * s * given.K * vtheta + r * c * given.S * vphi + r * given.S * vpsi,
        "vy": r * s * given.S * vtheta - r * c * given.K * vphi - r * given.K * vpsi,
    }
    for name, e in printed.items():
        yield holds("section 6", f"the reconstruction equation of {name[1:]}", there[name] - e)


# --- steady motions --------------------------------------------------------------------------------------------------


def critical() -> Iterator[Claim]:
    """Straight rolling and upright spinning: where they turn stable."""
    upright = {theta: sp.pi / 2, rho_theta: 0}
    names = [theta, *given.rho]
    rates = sp.Matrix([given.rates()[z] for z in names])
    J = rates.jacobian(names).subs(upright)
    cases = (
        ("straight rolling", {rho_phi: 0, rho_psi: C_ * vpsi}, vpsi, A * m * given.g * r / (C * C_), "vpsi"),
        ("spinning upright", {rho_phi: A * vphi, rho_psi: 0}, vphi, m * given.g * r / A_, "vphi"),
    )
    for name, motion, rate, least, _ in cases:
        still = rates.subs(upright).subs(motion)
        yield holds("steady motions", f"{name} is one at every rate", still)
        # the eigenvalues are 0, 0 and +-sqrt(mu)
        mu = given.tidy((J.subs(motion) ** 2).trace() / 2)
        text = f"{name}: stable for {rate.name[1:]}dot^2 > {_text(least)}"
        slope = sp.simplify(mu.diff(rate, 2)).is_negative
        gap = sp.simplify(mu.subs(rate, sp.sqrt(least)))
        yield said("steady motions", text, gap == 0 and slope, f"eigenvalue^2 = {_text(mu)}", key=True)
    for name, *_, state in cases:
        threshold = disc.least_rolling if name == "straight rolling" else disc.least_spinning
        least = threshold(given.values())
        growth = [_growth(state, least * (1 + side * NEAR)) for side in (-1, 1)]
        text = f"growth {growth[0]:.2g}/s below, {growth[1]:.2g}/s above {least:.4f}/s"
        statement = f"{name}: the library's eigenvalues change there, within {NEAR:g}"
        yield said("steady motions", statement, growth[0] > 0 and growth[1] == 0, text)


def _text(e: sp.Expr) -> str:
    return str(sp.factor(e)).replace("**", "^").replace("*", " ")


def _growth(name: str, rate: float) -> float:
    state = {"theta": np.pi / 2, "vtheta": 0.0, "vphi": 0.0, "vpsi": 0.0, name: rate}
    return steady(shape_equations(), state, fix=list(state)).growth


@cache
def circle() -> dict[str, float]:
    """A circular motion, found by the library from a guess of the rolling rate."""
    return steady(shape_equations(), {**TURN, "vpsi": 3.0}, fix=["theta", "vphi"]).state


def circles() -> Iterator[Claim]:
    """Rolling in circles: two-parameter families."""
    where = "steady motions"
    n = vpsi + vphi * c
    balance = A * vphi**2 * s * c - C_ * n * vphi * s - m * given.g * r * c
    force = given.rates()[rho_theta].xreplace(given.momenta()) - balance
    statement = "circles: (C + m r^2) n phidot sin = A phidot^2 sin cos - m g r cos"
    yield holds(where, statement, force)
    others = [given.rates()[z].subs(rho_theta, 0) for z in (theta, rho_phi, rho_psi)]
    yield holds(where, "theta, rho_phi, rho_psi stand still wherever v_theta = 0", others)
    solved = sp.solve(balance, vpsi)
    state = circle()
    expected = given.number(solved[0], {**given.values(), **state})
    yield small(where, "the library finds it from a guess", abs(state["vpsi"] - expected), 1e-9, what="1/s")
    yield from _round()


def _round() -> Iterator[Claim]:
    """The run of the circular motion: contact and centre go round one point."""
    path, p, state = run("circular"), given.values(), circle()
    tilt = float(np.abs(path["theta"] - state["theta"]).max())
    yield small("steady motions", f"the circular motion keeps its lean, {UNTIL:g} s", tilt, SAME, what="rad")
    # radii r |psidot/phidot| and r |n/phidot|
    spin = state["vpsi"] + state["vphi"] * np.cos(state["theta"])
    radii = [p["r"] * abs(e / state["vphi"]) for e in (state["vpsi"], spin)]
    middle = _middle(path, spin)
    for name, curve, radius in zip(("contact", "centre"), (contact(path), (path["x"], path["y"])), radii, strict=True):
        gap = float(np.abs(np.hypot(curve[0] - middle[0], curve[1] - middle[1]) - radius).max())
        yield small("steady motions", f"its {name} runs on a circle of {radius:.4f} m", gap, SAME, what="m")


def _middle(path: Trajectory, spin: float) -> tuple[float, float]:
    """The centre of the circle: velocity r n across phi, turning at phidot."""
    radius = given.values()["r"] * spin / path["vphi"][0]
    return (
        float(path["x"][0] + radius * np.cos(path["phi"][0])),
        float(path["y"][0] + radius * np.sin(path["phi"][0])),
    )


def rows() -> Iterator[tuple[str, ...]]:
    """For a table: what each motion does."""
    for name in (*STARTS, "circular"):
        path = run(name)
        columns = {n: path[n] for n in ("theta", "vphi", "vpsi")}
        c1, c2 = disc.constants({n: v[0] for n, v in columns.items()}, given.values())
        low, high = np.degrees(path["theta"].min()), np.degrees(path["theta"].max())
        fastest = np.abs(columns["vphi"]).max()
        yield (name, f"{low:.2f} to {high:.2f}", f"{fastest:.2f}", f"{c1:.4f}", f"{c2:.4f}")


def everything_steady() -> Iterator[Claim]:
    """Steady motions have v_theta = 0, the set where omega-bar is singular."""
    rate = given.rates()[theta]
    yield holds("section 6", "a steady motion has v_theta = 0: thetadot = rho_theta/(A + m r^2)", rate - rho_theta / A_)


GROUPS: tuple[Group, ...] = (
    constants,
    quadrature,
    reconstruction,
    critical,
    circles,
    everything_steady,
)
