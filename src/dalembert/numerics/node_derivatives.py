"""Nodes of a graph and their derivatives by some symbols, at one state after another.

The first states are interpreted; who goes on asking gets machine code, in which each operation is made once for the
value and once for all derivatives together. To compile it takes as long as some fifty states do without it, however
long it is; a branch asks at hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient, substitute, symbols, values_of_all
from ..calculus.linear_systems import Saddle, augmented
from ..calculus.numerical_rank import null_space
from ..equations import Equations, Form
from ..equations.nonfinite_values import require

OFTEN = 20  # states
MOST = 64  # symbols; longer rows take LLVM longer than they save

At = tuple[Mapping[str, float], np.ndarray]  # the values of the symbols, and what was found there


class Differentiated:
    """Values (m,) of nodes and their slopes (m, n) by symbols.

    Args:
        nodes: of one graph.
        names: of the symbols.
    """

    def __init__(self, nodes: Sequence[Node], names: Sequence[str]) -> None:
        self.nodes, self.names = list(nodes), list(names)
        by = [nodes[0].graph.symbol(name) for name in names] if nodes else []
        self.entries = [e for node in nodes for e in gradient(node, by)]
        self._asked = 0
        self._code: Callable[[Mapping[str, float]], np.ndarray] | None = None
        self._last: tuple[Mapping[str, float], np.ndarray | None] | None = None
        self._interpreted: At | None = None

    @classmethod
    def of(cls, nodes: Sequence[Node], names: Sequence[str]) -> Differentiated:
        """The derivatives of nodes by names; those of the same nodes are made once."""
        if not nodes:
            return cls(nodes, names)
        key = ("differentiated", tuple(node.index for node in nodes), tuple(names))
        memory = nodes[0].graph.memory
        if key not in memory:
            memory[key] = cls(nodes, names)
        found: Differentiated = memory[key]
        return found

    def values(self, known: Mapping[str, float]) -> np.ndarray:
        """Of the nodes (m,), where the symbols have these values."""
        both = self._both(known)
        return np.array(evaluate(self.nodes, known), float) if both is None else both[:, 0].copy()

    def slopes(self, known: Mapping[str, float]) -> np.ndarray:
        """Of the nodes by the symbols (m, n)."""
        both = self._both(known)
        if both is not None:
            return both[:, 1:]
        last = self._interpreted
        if last is None or (last[0] is not known and last[0] != known):
            self._asked += 1
            found = values_of_all(self.entries, known)
            entries = np.array([found[e.index] for e in self.entries], float)
            self._interpreted = last = known, entries.reshape(len(self.nodes), len(self.names))
        return last[1]

    def _both(self, known: Mapping[str, float]) -> np.ndarray | None:
        """Values and slopes (m, 1 + n) by machine code; None where it is not asked often enough, or one is not finite.

        A slope may be 0/0 on one route and a number on the other: then that which can name the operation decides. What
        was asked last is kept: a step along a branch asks at one state for its direction and for its eigenvalues.
        """
        if self._code is None and (self._asked < OFTEN or len(self.names) > MOST):
            return None
        if self._code is None:
            self._code = _compiled(self.nodes, self.names)
        last = self._last
        if last is None or (last[0] is not known and last[0] != known):
            found = self._code(known)
            self._last = last = known, found if np.isfinite(found).all() else None
        return last[1]

    def __getstate__(self) -> dict[str, object]:
        """Without machine code, which lies in this process."""
        return {**vars(self), "_code": None}


def _compiled(nodes: Sequence[Node], names: Sequence[str]) -> Callable[[Mapping[str, float]], np.ndarray]:
    """Machine code of the nodes and their derivatives, in lanes: the value, and behind it a lane for each symbol."""
    from .machine.compiler import QUICKLY, Library, widest
    from .machine.forward_derivatives import with_tangents
    from .machine.function_source import Function
    from .machine.ir_numbers import Real
    from .machine.loop.function_address import function_at

    count, register = len(names), widest()
    width = -(-(count + 1) // register) * register
    others = sorted(symbols(nodes).difference([*names, TIME.name]))
    own = {name: ("y", i) for i, name in enumerate(names)}
    inputs = {TIME.name: ("t", 0), **own, **{name: ("p", i) for i, name in enumerate(others)}}
    lanes = {name: ("lane", 1 + i) for i, name in enumerate(names)}
    text = with_tangents("both", Function(tuple(nodes)), inputs, lanes, Real.lanes(width))
    library, shape = Library.compile({"both": text}, QUICKLY), (len(nodes), width)

    function = function_at(library.address("both"), 4)

    def both(known: Mapping[str, float], library: Library = library) -> np.ndarray:
        # arrays of its own for each call, which threads may make at once
        t, y, found = np.array([known.get(TIME.name, 0.0)], float), np.zeros((count, width)), np.empty(shape)
        y[:, 0] = [known[name] for name in names]
        p = np.array([known[name] for name in others], float)
        function(t.ctypes.data, y.ctypes.data, p.ctypes.data, found.ctypes.data)
        return found[:, : 1 + count]

    return both


# ---------------------------------------------------------------------------------------------------------------------
# Rates of all states of some equations, what the states must satisfy, and the derivatives of both, at one state.

EPSILON = float(np.finfo(float).eps)
ROUNDINGS, SAMPLES = 2.0, 6  # of numbers that are tried, and how often
VANISHES = 1e-11  # singular values below this part of the largest count as 0
ROUNDED = 1e-4  # parts of the largest eigenvalue, within which rounding moves one that vanishes


class Linearised:
    """Rates of all states, what they must satisfy, and the derivatives of both, on the graph."""

    def __init__(
        self,
        equations: Equations,
        parameters: Mapping[str, float],
        by: Sequence[str] = (),
        more: Callable[[Graph], Sequence[Node]] = lambda graph: (),
    ) -> None:
        """With `more` nodes of the graph beside the rates, and derivatives of all `by` further symbols."""
        self.parameters, self.t = parameters, 0.0
        self._asked, self._under, self._known = (b"", 0.0), parameters, dict[str, float]()
        machine = equations.machine
        form = machine.form.rows(equations.kept)
        self.graph = graph = machine.graph
        udot, mu = _solved(equations, form)
        # multipliers that are states have the rates mu, and 0 on the rows left out
        kept = dict(zip(equations.kept, mu, strict=False))
        lamdot = [kept.get(i, graph.constant(0.0)) for i in range(len(equations.states_of_multipliers))]
        self.rates: list[Node] = [*machine.qdot, *udot, *lamdot]
        self.names, self.coordinates = list(equations.states), len(equations.space.coordinates)
        self.least: np.ndarray | float = 0.0  # rates that count as 0
        self.held = [*machine.phi, *machine.position.values(), *(read(e, graph) for e in equations.space.embedding)]
        self._all = Differentiated.of([*self.rates, *self.held, *more(graph)], [*self.names, *by])

    def values(self, y: np.ndarray) -> Mapping[str, float]:
        """All symbols at a state; the same ones as long as the same is asked."""
        key = y.tobytes(), self.t
        if key != self._asked or self._under is not self.parameters:
            self._asked, self._under = key, self.parameters
            states = dict(zip(self.names, map(float, y), strict=True))
            self._known = {**self.parameters, TIME.name: self.t, **states}
        return self._known

    def require(self, y: np.ndarray) -> None:
        """Refuse rates or constraints that are not finite (Singular E401, E402)."""
        require([*self.rates, *self.held], self.values(y), "at the guess")

    def at(self, y: np.ndarray) -> np.ndarray:
        """Rates, constraints, and what else is asked for."""
        return self._all.values(self.values(y))

    def around(self, y: np.ndarray) -> np.ndarray:
        """Derivatives of `at` by the states, and by what else is asked for."""
        return self._all.slopes(self.values(y))

    def residual(self, y: np.ndarray) -> np.ndarray:
        """Rates and constraints."""
        return self.at(y)[: len(self.rates) + len(self.held)]

    def slopes(self, y: np.ndarray) -> np.ndarray:
        """Derivatives of `residual` by the states."""
        return self.around(y)[: len(self.rates) + len(self.held), : len(self.names)]

    def normals(self, y: np.ndarray) -> np.ndarray:
        """Derivatives of what is held, (rows, n)."""
        n, width = len(self.names), len(self._all.names)
        rows = range(len(self.rates), len(self.rates) + len(self.held))
        entries = [e for i in rows for e in self._all.entries[i * width : i * width + n]]
        return np.array(evaluate(entries, self.values(y)), float).reshape(-1, n)

    def eigenvalues(self, y: np.ndarray) -> np.ndarray:
        """Of the linearised motion on what is held; those that vanish are 0 to the last bit."""
        return np.asarray(spectra(self.motion(y)[0][None])[0])

    @property
    def linear(self) -> bool:
        """Are the slopes the same at all states?"""
        return not symbols(self._all.entries).intersection(self.names)

    @property
    def matters(self) -> np.ndarray:
        """Do rates depend on it, state by state (n,)?"""
        n, width = len(self.names), len(self._all.names)
        rows = len(self.rates) + len(self.held)
        zero = np.array([e.is_constant and not evaluate([e], {})[0] for e in self._all.entries]).reshape(-1, width)
        return np.asarray(~zero[:rows, :n].all(axis=0))

    def driven(self, y: np.ndarray) -> bool:
        """Does the time change rates, what is held or their slopes at a state?"""
        known = {n: v for n, v in self.values(y).items() if n != TIME.name}
        return TIME.name in symbols(substitute([*self.rates, *self.held, *self._all.entries], known))

    def errors(self, y: np.ndarray, T: np.ndarray) -> np.ndarray:
        """What rounding of numbers, and what is left of the rates, may change in the motion on T, (d, d)."""
        J, n, rng = self.slopes(y), len(self.names), np.random.default_rng(0)
        noise = [1 + ROUNDINGS * EPSILON * rng.uniform(-1, 1, SAMPLES) for _ in range(n + len(self.parameters))]
        around = y[:, None] * np.array(noise[:n])
        step = np.linalg.lstsq(J, -self.residual(y), rcond=None)[0][:, None] * [1, -1]
        parameters = dict(zip(self.parameters, noise[n:], strict=True))
        given = {name: value * np.r_[parameters[name], 1, 1] for name, value in self.parameters.items()}
        E = np.abs(self._many(np.column_stack([around, y[:, None] + step]).T, given) - J).max(axis=0)
        E += ROUNDINGS * EPSILON * np.abs(J)
        A, N = E[:n], E[n:]
        # T turns with the normals,  dT = -N^+ dN T
        turned = np.abs(J[:n] @ np.linalg.pinv(J[n:])) @ N if len(N) else 0.0
        E = np.abs(T).T @ (A + turned) @ np.abs(T)
        return np.asarray(E + EPSILON * np.abs(T).T @ np.abs(J[:n]) @ np.ones_like(T) if len(N) else E)  # T is rounded

    def spectra(self, slopes: np.ndarray) -> np.ndarray:
        """Eigenvalues (N, d) at many states, from the slopes (N, rows, n) of rates and of what is held there."""
        return spectra(np.stack([self._on_held(J)[0] for J in slopes]))

    def motion(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The linearised motion on what is held (d, d), and the directions T (n, d) that span it."""
        J = self.slopes(y)
        if not np.isfinite(J).all():
            require(self._all.entries, self.values(y), "at the steady motion")
        return self._on_held(J)

    def motions(self, y: np.ndarray, parameters: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """The linearised motions at states (M, n), with values (M,) of some parameters; NaN where one is not finite."""
        nowhere = np.full((1, 1), np.nan)
        return [self._on_held(J)[0] if np.isfinite(J).all() else nowhere for J in self._many(y, parameters)]

    def _many(self, y: np.ndarray, parameters: Mapping[str, np.ndarray]) -> np.ndarray:
        """Slopes (M, rows, n) at states (M, n), with values (M,) of some parameters."""
        values = {**self.parameters, **parameters, TIME.name: self.t, **dict(zip(self.names, y.T, strict=True))}
        entries = [np.broadcast_to(np.asarray(e, float), len(y)) for e in evaluate(self._all.entries, values)]
        slopes = np.stack(entries, axis=1).reshape(len(y), -1, len(self._all.names))
        return slopes[:, : len(self.rates) + len(self.held), : len(self.names)]

    def _on_held(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The motion on what is held, and its directions, from the slopes of rates and of what is held."""
        n = len(self.names)
        A, N = J[:n], J[n:]
        T = null_space(N) if len(N) else np.eye(n)
        return T.T @ A @ T, T


def spectra(A: np.ndarray, least: float | None = None) -> np.ndarray:
    """Eigenvalues (N, d), growing ones first, of matrices (N, d, d); those that vanish are 0 to the last bit.

    Singular values that are not above the `least` count as 0.
    """
    found = np.linalg.eigvals(A)
    sizes = np.sort(np.abs(found), axis=1)
    for rows, moving in without_kernel(A, least):
        gone = A.shape[1] - moving.shape[1]
        # where the rates have a pole ranks fall, and no eigenvalue is small
        largest = np.maximum(1.0, sizes[rows].max(axis=1, initial=0.0))
        small = np.all(sizes[rows, :gone] <= ROUNDED * largest[:, None], axis=1)
        if gone and small.any():
            others = np.linalg.eigvals(moving[small])
            found = found.astype(np.result_type(found, others))
            found[rows[small]] = np.pad(others, ((0, 0), (0, gone)))
    return np.take_along_axis(found, np.lexsort((-found.imag, -found.real), axis=1), axis=1)


def without_kernel(A: np.ndarray, nothing: float | None = None) -> list[tuple[np.ndarray, np.ndarray]]:
    """The parts of matrices (N, d, d) that have their other eigenvalues, without those that are 0.

    Where families meet conserved quantities 0 is a defective eigenvalue, and rounding r of A moves it by sqrt(r). Ranks
    do not suffer so:  with A N = 0 and M across N,  A (N M) = (N M) [[0, *], [0, M^T A M]] .

    Returns:
        For each size that is left, which of the matrices have it, and their parts.
    """
    done, going, least = [], [(np.arange(len(A)), A)], np.zeros(0)
    while going:
        rows, A = going.pop()
        _, s, Vt = np.linalg.svd(A)
        if not least.size:
            least = VANISHES * s.max(axis=1, initial=0.0) if nothing is None else np.full(len(s), nothing)
        ranks = np.sum(s > least[rows, None], axis=1)
        for rank in set(ranks.tolist()):
            these = ranks == rank
            if rank == A.shape[1]:
                done.append((rows[these], A[these]))
                continue
            across = Vt[these, :rank]
            going.append((rows[these], across @ A[these] @ across.swapaxes(1, 2)))
    return done


def _solved(equations: Equations, form: Form) -> tuple[list[Node], list[Node]]:
    """Accelerations and multipliers on the graph."""
    if equations.direct is not None:
        return equations.solved[0], []
    if equations.definite or not form.N:
        return equations.solution.solve(form.f, form.g)
    W, f = augmented(form.W, form.N, form.f, form.g)
    return Saddle.of(W, form.N).solve(f, form.g)
