"""The problem of finitely many unknowns: collocation at the Gauss points of a mesh, in CasADi.

Unknown are the states Y_k at the N + 1 times of the mesh, the states Z_ki at the s Gauss points of each interval, the
values of the tables, and the duration where it is free. With h = duration/N and f the rates:

    Z_ki = Y_k + h sum_j a_ij f(Z_kj) ,   Y_k+1 = Y_k + h sum_j b_j f(Z_kj) ,   cost = h sum_kj b_j l(Z_kj)

[hairer2006 (II.1.3)].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node
from ...calculus.substitution import carried
from ...equations import Equations, Lean
from ...equations.code.for_casadi import library
from ...equations.code.listing import solved
from ..inputs.input_signal import Drive, of_table, tabulated

if TYPE_CHECKING:
    import casadi


# --- The motion in the states that a manoeuvre is sought in: rates, velocities and what stays 0, on one graph --------


@dataclass(frozen=True, eq=False)
class Dynamics:
    """A motion.

    Attributes:
        equations: of which it is.
        lean: its lean form; None where it goes in coordinates and velocities.
        graph: that holds it.
        states: names, coordinates first.
        rates: d/dt of the states.
        velocities: by name, as functions of the states.
        invariants: what is 0 along the motion once it is 0 at its start, and depends on the states.
        staying: what keeps the value that it has at the start.
    """

    equations: Equations
    lean: Lean | None
    graph: Graph
    states: tuple[str, ...]
    rates: tuple[Node, ...]
    velocities: Mapping[str, Node]
    invariants: tuple[Node, ...]
    staying: tuple[Node, ...]

    @classmethod
    def of(cls, equations: Equations, lean: Lean | None, staying: Sequence[sp.Expr] = ()) -> Dynamics:
        """In the speeds of a lean form, or in coordinates and velocities."""
        graph, machine = Graph(), equations.machine
        u = [u.name for u in equations.space.velocities]
        if lean is None:
            states: tuple[str, ...] = equations.states
            rates = carried(solved(equations)[0].outputs, graph)
            velocities = {name: graph.symbol(name) for name in u}
        else:
            states, rates = lean.states, carried(lean.rates, graph)
            velocities = dict(zip(u, carried(lean.velocities, graph), strict=True))
        relations = [*machine.position.values(), *(read(e, machine.graph) for e in equations.space.embedding)]
        rows = [] if lean is not None else [machine.phi[s] for s in equations.kept]
        invariants = tuple(carried([*relations, *rows], graph, velocities))
        kept = carried([read(e, machine.graph) for e in staying], graph)
        return cls(equations, lean, graph, states, tuple(rates), velocities, invariants, tuple(kept))

    def node(self, expression: sp.Expr) -> Node:
        """An expression in t, coordinates, velocities, inputs and parameters as a function of the states."""
        return self.lowered([self.equations.system.algebra.read(expression)])[0]

    def lowered(self, outputs: Sequence[Node]) -> list[Node]:
        """Functions of t, q, u as functions of t and the states."""
        return carried(outputs, self.graph, self.velocities)


# ---------------------------------------------------------------------------------------------------------------------
# Tables of inputs on a mesh: from the values at its times to the coefficients that the equations of a run know.


@dataclass(frozen=True, eq=False)
class Driving:
    """Inputs that are to be found, each a table on a mesh of equal steps.

    Attributes:
        names: of the inputs.
        kind: of the tables: ``"hold"``, ``"linear"`` or ``"cubic"``.
        steps: of the mesh, N.
        drives: what stands for each input in the equations: coefficients, and a formula of these.
    """

    names: tuple[str, ...]
    kind: str
    steps: int
    drives: tuple[Drive, ...]

    @classmethod
    def of(cls, names: Sequence[str], kind: str, steps: int, fresh: Callable[[str], str]) -> Driving:
        """Tables on a mesh; `fresh` makes a name that nothing else has."""
        some = tabulated([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, -1.0, 2.0], kind)
        return cls(tuple(names), kind, steps, tuple(of_table(name, some, fresh) for name in names))

    @property
    def formulas(self) -> dict[str, sp.Expr]:
        """What stands for an input, where it is not itself a coefficient."""
        return {d.name: d.formula for d in self.drives if d.formula is not None}

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of all coefficients, input by input."""
        return tuple(name for d in self.drives for name in d.coefficients)

    @property
    def knots(self) -> int:
        """Values of one table: the last one of a table that is held lasts until the end."""
        return self.steps if self.kind == "hold" else self.steps + 1

    @property
    def maps(self) -> list[np.ndarray]:
        """From the values at the knots to the coefficients of each power on all intervals, [(N, knots)].

            w = c_k0 + c_k1 (t - t_k) + ... ,  t_k = k

        Each is linear in the values, so it is known from tables that are 1 at one knot.
        """
        units = np.eye(self.knots)
        pieces = np.stack([tabulated(np.arange(self.knots, dtype=float), row, self.kind).pieces for row in units], -1)
        return [pieces[: self.steps, power] for power in range(pieces.shape[1])]

    @property
    def here(self) -> np.ndarray:
        """At which fraction of the time the knots are (knots,)."""
        return np.arange(self.knots) / self.steps


Span = tuple[float, float]


def gauss(s: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a (s, s), b (s,), c (s,) of the Gauss method of order 2 s.

    a_ij and b_j are integrals of Lagrange's polynomials l_j over (0, c_i) and (0, 1).
    """
    x, w = np.polynomial.legendre.leggauss(s)
    c = (x + 1) / 2
    powers = np.arange(s)
    V = c[:, None] ** powers
    # sum_j a_ij c_j^k = c_i^(k+1)/(k+1)
    a = np.linalg.solve(V.T, (c[:, None] ** (powers + 1) / (powers + 1)).T).T
    return a, w / 2, c


@dataclass(frozen=True, eq=False)
class EndCondition:
    """A condition at an end: a function of the states and coefficients there, within two numbers."""

    node: Node
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class CollocationTask:
    """What is to be solved.

    Attributes:
        dynamics: the motion.
        driving: the tables.
        parameters: values by name.
        t: the first time.
        duration: its range.
        first: coordinates at the start (n,).
        ends: conditions at the start and at the end.
        cost: what is integrated.
        bounds: functions and their ranges, held at all points.
        limits: ranges of inputs by name.
        stages: s.
    """

    dynamics: Dynamics
    driving: Driving
    parameters: Mapping[str, float]
    t: float
    duration: Span
    first: np.ndarray
    ends: tuple[Sequence[EndCondition], Sequence[EndCondition]]
    cost: Node
    bounds: Sequence[tuple[Node, Span]]
    limits: Mapping[str, Span]
    stages: int

    @cached_property
    def finite(self) -> Finite:
        """The problem of finitely many unknowns."""
        return finite(self)


@dataclass(frozen=True, eq=False)
class CollocationGuess:
    """Values of the unknowns: states (N + 1, n) at the mesh, tables (knots, m), duration."""

    states: np.ndarray
    tables: np.ndarray
    duration: float

    def vector(self, task: CollocationTask) -> np.ndarray:
        """All unknowns in their order; points between by lines."""
        c = gauss(task.stages)[2]
        between = [self.states[:-1] + ci * np.diff(self.states, axis=0) for ci in c]
        inner = np.stack(between, axis=1)  # (N, s, n)
        return np.concatenate([self.states.ravel(), inner.ravel(), self.tables.T.ravel(), [self.duration]])

    def halved(self, kind: str) -> CollocationGuess:
        """On a mesh of twice as many steps."""
        N = len(self.states) - 1
        fine, knots = np.arange(2 * N + 1) / 2, np.arange(len(self.tables))
        states = np.array([np.interp(fine, np.arange(N + 1), column) for column in self.states.T]).T
        if kind == "hold":
            return CollocationGuess(states, np.repeat(self.tables, 2, axis=0), self.duration)
        return CollocationGuess(
            states, np.array([np.interp(fine, knots, column) for column in self.tables.T]).T, self.duration
        )

    @classmethod
    def of(cls, vector: np.ndarray, task: CollocationTask) -> CollocationGuess:
        """The parts of a vector of all unknowns."""
        N, n, m = task.driving.steps, len(task.dynamics.states), len(task.driving.names)
        states = vector[: (N + 1) * n].reshape(N + 1, n)
        at = (N + 1) * n + N * task.stages * n
        return cls(states, vector[at:-1].reshape(m, task.driving.knots).T, float(vector[-1]))


def _functions(task: CollocationTask) -> casadi.Function:
    """(t, y, coefficients) -> rates, cost, bounded functions."""
    import casadi

    symbols = _symbols(task)
    nodes = [*task.dynamics.rates, task.cost, *(node for node, _ in task.bounds)]
    found, n = _values(task, nodes, symbols), len(task.dynamics.states)
    parts = [casadi.vertcat(casadi.SX(0, 1), *part) for part in (found[:n], found[n : n + 1], found[n + 1 :])]
    return casadi.Function("motion", list(symbols), parts)


def _symbols(task: CollocationTask) -> tuple[casadi.SX, casadi.SX, casadi.SX]:
    import casadi

    sizes = {"t": 1, "y": len(task.dynamics.states), "c": len(task.driving.coefficients)}
    t, y, c = (casadi.SX.sym(name, size) for name, size in sizes.items())
    return t, y, c


def _values(task: CollocationTask, nodes: Sequence[Node], symbols: Sequence[casadi.SX]) -> list[casadi.SX]:
    """Nodes in the symbols for time, states and coefficients."""
    import casadi

    t, y, c = symbols
    known = {name: casadi.SX(value) for name, value in task.parameters.items()} | {TIME.name: t}
    known |= dict(zip(task.dynamics.states, casadi.vertsplit(y), strict=True))
    known |= dict(zip(task.driving.coefficients, casadi.vertsplit(c), strict=True))
    return library().nodes(nodes, known)


def _interval(task: CollocationTask) -> casadi.Function:
    """(t, h, y, stages, coefficients) -> defects of the stages, the end, the cost, bounded functions."""
    import casadi

    motion, n, s = _functions(task), len(task.dynamics.states), task.stages
    a, b, c = gauss(s)
    t, h = casadi.SX.sym("t"), casadi.SX.sym("h")
    y, Z = casadi.SX.sym("y", n), casadi.SX.sym("Z", n, s)
    w = casadi.SX.sym("c", len(task.driving.coefficients))
    at = [motion(t + c[i] * h, Z[:, i], w) for i in range(s)]
    k = casadi.horzcat(*(rates for rates, _, _ in at))
    defects = Z - casadi.repmat(y, 1, s) - h * casadi.mtimes(k, casadi.DM(a.T))
    end = y + h * casadi.mtimes(k, casadi.DM(b))
    cost = h * sum(b[i] * at[i][1] for i in range(s))
    bounded = casadi.vertcat(*(part[2] for part in at), motion(t + h, end, w)[2])
    return casadi.Function("interval", [t, h, y, Z, w], [casadi.vec(defects), end, cost, bounded])


@dataclass(frozen=True, eq=False)
class Finite:
    """The problem: unknowns, what is least, constraints, and the ranges of unknowns and constraints."""

    unknowns: casadi.MX
    cost: casadi.MX
    constraints: casadi.MX
    low: np.ndarray
    high: np.ndarray
    least: np.ndarray
    most: np.ndarray


def finite(task: CollocationTask) -> Finite:
    """The problem of a task."""
    import casadi

    N, n, s = task.driving.steps, len(task.dynamics.states), task.stages
    Y, Z = casadi.MX.sym("Y", n, N + 1), casadi.MX.sym("Z", n, s * N)
    W, T = casadi.MX.sym("W", task.driving.knots, len(task.driving.names)), casadi.MX.sym("T")
    h, times = T / N, task.t + T * casadi.DM(np.arange(N)).T / N
    C = _coefficients(task, W, h, times)
    found = _interval(task).map(N)(times, casadi.repmat(h, 1, N), Y[:, :N], Z, C)
    zero = np.zeros(1)
    parts = [(casadi.vec(found[0]), zero, zero), (casadi.vec(found[1] - Y[:, 1:]), zero, zero)]
    if task.bounds:
        low, high = (np.tile([span[i] for _, span in task.bounds], (s + 1) * N) for i in (0, 1))
        parts.append((casadi.vec(found[3]), low, high))
    places = ((casadi.MX(task.t), Y[:, 0], C[:, 0]), (task.t + T, Y[:, N], C[:, N - 1]))
    for rows, (t, y, w) in zip(task.ends, places, strict=True):
        if rows:
            parts.append((_condition(task, rows)(t, y, w), *np.array([(row.low, row.high) for row in rows]).T))
    x = casadi.vertcat(casadi.vec(Y), casadi.vec(Z), casadi.vec(W), T)
    low, high = _ranges(task, x.numel())
    sizes = [part.numel() for part, _, _ in parts]
    least, most = (
        np.concatenate([np.broadcast_to(p[i], k) for p, k in zip(parts, sizes, strict=True)]) for i in (1, 2)
    )
    return Finite(x, casadi.sum2(found[2]), casadi.vertcat(*(p for p, _, _ in parts)), low, high, least, most)


def _condition(task: CollocationTask, rows: Sequence[EndCondition]) -> casadi.Function:
    """(t, y, coefficients) -> what an end is held to."""
    import casadi

    symbols = _symbols(task)
    return casadi.Function("end", list(symbols), [casadi.vertcat(*_values(task, [r.node for r in rows], symbols))])


def _coefficients(task: CollocationTask, W: casadi.MX, h: casadi.MX, times: casadi.MX) -> casadi.MX:
    """Coefficients of all tables on all intervals, from the values at the knots: c_kp = (M_p w)_k / h^p, and t_k."""
    import casadi

    rows = []
    for i, drive in enumerate(task.driving.drives):
        maps = [casadi.sparsify(casadi.DM(M)) for M in task.driving.maps]
        rows += [casadi.mtimes(M, W[:, i]).T / h**p for p, M in enumerate(maps)]
        rows += [times] if len(drive.coefficients) > len(maps) else []
    return casadi.vertcat(*rows)


def _ranges(task: CollocationTask, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of the unknowns: coordinates at the start, tables, duration."""
    low, high = np.full(size, -np.inf), np.full(size, np.inf)
    low[: len(task.first)] = high[: len(task.first)] = task.first
    knots = task.driving.knots
    at = size - 1 - knots * len(task.driving.names)
    for i, name in enumerate(task.driving.names):
        part = slice(at + i * knots, at + (i + 1) * knots)
        low[part], high[part] = task.limits.get(name, (-np.inf, np.inf))
    low[-1], high[-1] = task.duration
    return low, high


@dataclass(frozen=True, eq=False)
class IpoptResult:
    """What Ipopt came to."""

    vector: np.ndarray
    cost: float
    status: str
    success: bool
    iterations: int


def solve(task: CollocationTask, guess: CollocationGuess, iterations: int) -> IpoptResult:
    """Ipopt from a first guess [wachter2006]."""
    import casadi

    problem = task.finite
    ipopt = {"print_level": 0, "sb": "yes", "tol": 1e-10, "max_iter": iterations, "mu_strategy": "adaptive"}
    ipopt |= {"honor_original_bounds": "yes"}  # it widens them a little on the way
    nlp = {"x": problem.unknowns, "f": problem.cost, "g": problem.constraints}
    options: dict[str, object] = {"ipopt": ipopt, "print_time": False, "error_on_fail": False}
    solver = cast("Callable[..., casadi.Function]", casadi.nlpsol)("steer", "ipopt", nlp, options)
    x0 = np.clip(guess.vector(task), problem.low, problem.high)
    found = solver(x0=x0, lbx=problem.low, ubx=problem.high, lbg=problem.least, ubg=problem.most)
    told = solver.stats()
    x = np.array(found["x"]).ravel()
    return IpoptResult(x, float(found["f"]), told["return_status"], bool(told["success"]), int(told["iter_count"]))


def missed(task: CollocationTask, vector: np.ndarray) -> float:
    """By how much values of the unknowns miss a constraint at most."""
    import casadi

    problem = task.finite
    values = np.array(casadi.Function("g", [problem.unknowns], [problem.constraints])(vector)).ravel()
    off = np.maximum(problem.least - values, values - problem.most)
    return float(np.nan_to_num(off, nan=np.inf).max(initial=0.0))
