"""Three problems of the public gallery of opty [moore2018], stated here anew, and solved as that gallery solves them.

Its method by hand, in CasADi: states and inputs at equal times, and the equations of motion with backward differences.

    0 = f((x_i - x_i-1)/h, x_i, w_i) ,   least  h sum_i c(w_i)

It is of order one, and its answer is not a motion: the inputs, held as they are, miss the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
import sympy as sp

import dalembert as da

NO_LIMIT = (-np.inf, np.inf)
CAR = {"m": 1200.0, "I": 1200 * 13 / 12, "a": 1.5, "b": 1.5}
HILL = {"m": 1.0, "g": 9.81}
PENDULUM = {"I": 1.0, "m": 1.0, "g": 9.81, "d": 1.0}
Residual = Callable[[Any, Any, Any], list[Any]]


@dataclass(frozen=True)
class Problem:
    """A problem: least integral of the squares of the inputs.

    Attributes:
        system: as it is stated here.
        duration: in s.
        start, end: values of all states; those of the end that follow from others are left out.
        states: names, in the order of `residual`.
        bounds: ranges of states and inputs.
        residual: of the equations of motion as written by hand, of rates, states and inputs (columns of CasADi).
        nodes: of the gallery.
    """

    system: da.System
    duration: float
    start: Mapping[str, float]
    end: Mapping[str, float]
    states: tuple[str, ...]
    bounds: Mapping[str, tuple[float, float]]
    residual: Residual
    nodes: int

    def steer(self, **options: int) -> da.nouns.Manoeuvre:
        """The answer of the library."""
        asked = {"until": self.duration, "bounds": self.bounds, **options}
        return da.steer(self.system, list(self.system.inputs), self.start, self.end, **asked)

    def missed(self, t: np.ndarray, inputs: np.ndarray) -> float:
        """By how much the motion under inputs (nodes, m), each held from the time before, misses the end at most."""
        held = np.vstack([inputs[1:], inputs[-1:]])
        tables = {name: da.inputs.tabulated(t, held[:, j], "hold") for j, name in enumerate(self.system.inputs)}
        path = da.simulate(da.nonholonomic(self.system), self.start, until=self.duration, inputs=tables)
        return max(abs(float(path[name][-1]) - value) for name, value in self.end.items())


# --- the problems ----------------------------------------------------------------------------------------------------


def parking() -> Problem:
    """A car is parked 2 m beside where it stands, by a force along it and a torque at its front wheel."""
    space = da.SE2("x y theta", "vx vy omega", "body") * da.angle("delta")
    L = "m/2*(vx^2 + vy^2) + I/2*omega^2 + m/12*(vx^2 + (vy + a*omega)^2) + I/64*(omega + vdelta)^2"
    rows = {"rear": "vy - b*omega", "front": "(vy + a*omega)*cos(delta) - vx*sin(delta)"}
    car = da.System(space, L, rows, forces={"vx": "F", "vdelta": "T"}, inputs="F T", parameters=CAR, title="Car")
    states = ("x", "y", "theta", "delta", "vx", "vy", "omega", "vdelta")
    still = dict.fromkeys(states, 0.0)
    bounds = {"delta": (-pi / 4, pi / 4), "F": (-300.0, 300.0), "T": (-50.0, 50.0)}
    end = {**still, "y": 2.0}
    return Problem(car, 30.0, still, end, states, bounds, _parking, 121)


def _parking(d: Any, x: Any, w: Any) -> list[Any]:
    """By d'Alembert's principle, vy and omega moving with vx."""
    import casadi as ca

    m, I, a, b = CAR.values()
    theta, delta, vx, vy, omega, beta = (x[i] for i in range(2, 8))
    turn, front = ca.tan(delta) / (a + b), vy + a * omega
    body = m * (d[4] - omega * vy) + m * (d[5] + omega * vx) * b * turn + I * d[6] * turn
    wheel = m / 6 * ((d[4] - omega * front) + (d[5] + a * d[6] + omega * vx) * (a + b) * turn)
    yaw = I / 32 * (d[6] + d[7])
    c, s = ca.cos(theta), ca.sin(theta)
    return [
        *(body + wheel + yaw * turn - w[0], yaw - w[1]),
        *(vy - b * omega, front * ca.cos(delta) - vx * ca.sin(delta)),
        *(d[0] * c + d[1] * s - vx, d[1] * c - d[0] * s - vy, d[2] - omega, d[3] - beta),
    ]


def swing_up() -> Problem:
    """A pendulum is swung up in 10 s by a torque that could not hold it at its side."""
    L = "I*vtheta^2/2 + m*g*d*cos(theta)"
    pendulum = da.System(da.angle("theta"), L, forces={"vtheta": "T"}, inputs="T", parameters=PENDULUM)

    def residual(d: Any, x: Any, w: Any) -> list[Any]:
        import casadi as ca

        return [d[0] - x[1], d[1] + 9.81 * ca.sin(x[0]) - w[0]]

    start, end = {"theta": 0.0, "vtheta": 0.0}, {"theta": pi, "vtheta": 0.0}
    return Problem(pendulum, 10.0, start, end, ("theta", "vtheta"), {"T": (-2.0, 2.0)}, residual, 501)


def hill() -> Problem:
    """A block is pushed along a road over a hill of y = 3/2 x^2 exp(5/2 - x), 10 m in 6 s."""
    x, vx, F, m, g = (sp.Symbol(name, real=True) for name in ["x", "vx", "F", "m", "g"])
    road = sp.Rational(3, 2) * x**2 * sp.exp(sp.Rational(5, 2) - x)
    along = 1 + road.diff(x) ** 2
    L = m / 2 * along * vx**2 - m * g * road
    block = da.System(da.line("x"), L, forces={"vx": F * sp.sqrt(along)}, inputs="F", parameters=HILL)

    def residual(d: Any, x: Any, w: Any) -> list[Any]:
        import casadi as ca

        y1 = 1.5 * x[0] * (2 - x[0]) * ca.exp(2.5 - x[0])
        y2 = 1.5 * (x[0] ** 2 - 4 * x[0] + 2) * ca.exp(2.5 - x[0])
        return [d[0] - x[1], (1 + y1**2) * d[1] + y1 * y2 * x[1] ** 2 + 9.81 * y1 - w[0] * ca.sqrt(1 + y1**2)]

    start, end = {"x": 0.0, "vx": 0.0}, {"x": 10.0, "vx": 0.0}
    bounds = {"F": (-10.0, 15.0), "x": (0.0, 10.0), "vx": (0.0, 100.0)}
    return Problem(block, 6.0, start, end, ("x", "vx"), bounds, residual, 150)


# --- the gallery's method --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ByHand:
    """What it finds: times (N,), states (N, n), inputs (N, m), and the least sum."""

    t: np.ndarray
    states: np.ndarray
    inputs: np.ndarray
    cost: float


def by_hand(problem: Problem, nodes: int, states: np.ndarray, inputs: np.ndarray) -> ByHand:
    """The answer on a mesh, from first guesses of states (nodes, n) and inputs (nodes, m)."""
    import casadi as ca

    n, m, h = len(problem.states), len(problem.system.inputs), problem.duration / (nodes - 1)
    X, W = ca.SX.sym("x", n, nodes), ca.SX.sym("w", m, nodes)
    rows = [problem.residual((X[:, i] - X[:, i - 1]) / h, X[:, i], W[:, i]) for i in range(1, nodes)]
    g = ca.vertcat(*(each for row in rows for each in row))
    least = {"x": ca.vertcat(ca.vec(X), ca.vec(W)), "f": h * ca.sumsqr(W[:, 1:]), "g": g}
    quiet = {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False}
    solver = ca.nlpsol("least", "ipopt", least, {**quiet, "ipopt.nlp_scaling_method": "gradient-based"})
    low, high = _limits(problem, nodes)
    found = solver(x0=np.concatenate([states.ravel(), inputs.ravel()]), lbx=low, ubx=high, lbg=0, ubg=0)
    if not solver.stats()["success"]:
        raise RuntimeError(solver.stats()["return_status"])
    x, t = found["x"].full().ravel(), np.linspace(0.0, problem.duration, nodes)
    return ByHand(t, x[: n * nodes].reshape(nodes, n), x[n * nodes :].reshape(nodes, m), float(found["f"]))


def _limits(problem: Problem, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of all unknowns; at the end what is independent of the constraints is held."""
    spans = np.array([[problem.bounds.get(name, NO_LIMIT) for name in problem.states]] * nodes)
    spans[0] = [(problem.start[name],) * 2 for name in problem.states]
    follows = {"vy", "omega"} if problem.system.constraints else set()
    spans[-1] = [NO_LIMIT if name in follows else (problem.end[name],) * 2 for name in problem.states]
    driven = np.array([[problem.bounds[name] for name in problem.system.inputs]] * nodes)
    both = np.concatenate([spans.reshape(-1, 2), driven.reshape(-1, 2)])
    return both[:, 0], both[:, 1]


def near(problem: Problem, found: da.nouns.Manoeuvre, nodes: int) -> ByHand:
    """The answer of the gallery's method from the library's as its first guess."""
    t = np.linspace(0.0, problem.duration, nodes)
    at = found.path.at(t)
    return by_hand(problem, nodes, _columns(at, problem.states), _columns(at, problem.system.inputs))


def _columns(at: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    return np.column_stack([np.asarray(at[name]) for name in names])


def guess_of_the_gallery(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the parking problem: 6 m forward and back while 2 m to the side, and 1 for all else."""
    t = np.linspace(0.0, 30.0, nodes)
    states = np.ones((nodes, 8))
    states[:, 0] = np.where(np.arange(nodes) < nodes // 2, t / 5, 6 - t / 5)
    states[:, 1] = t / 15
    return states, np.ones((nodes, 2))
