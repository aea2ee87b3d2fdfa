"""Rates of all states of some equations, what the states must satisfy, and the derivatives of both, at one state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.linear import Saddle, raised
from ..calculus.rank import null_space
from ..calculus.read import read
from ..equations import Equations, Form
from ..equations.finite import require
from .differentiated import Differentiated

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
        machine = equations.machine
        form = machine.form.rows(equations.kept)
        self.graph = graph = machine.graph
        udot, mu = _solved(equations, form)
        # multipliers that are states have the rates mu, and 0 on the rows left out
        kept = dict(zip(equations.kept, mu, strict=False))
        lamdot = [kept.get(i, graph.constant(0.0)) for i in range(len(equations.states_of_multipliers))]
        self.rates: list[Node] = [*machine.qdot, *udot, *lamdot]
        self.names = list(equations.states)
        self.held = [*machine.phi, *machine.position.values(), *(read(e, graph) for e in equations.space.embedding)]
        self._all = Differentiated.of([*self.rates, *self.held, *more(graph)], [*self.names, *by])

    def values(self, y: np.ndarray) -> dict[str, float]:
        """All symbols at a state."""
        return {**self.parameters, TIME.name: self.t, **dict(zip(self.names, map(float, y), strict=True))}

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
        A, _ = self.motion(y)
        found, moving = np.linalg.eigvals(A), without_kernel(A)
        sizes = np.sort(np.abs(found))
        # where the rates have a pole ranks fall, and no eigenvalue is small
        if np.all(sizes[: len(A) - len(moving)] <= ROUNDED * max(1.0, sizes.max(initial=0.0))):
            found = np.r_[np.linalg.eigvals(moving), np.zeros(len(A) - len(moving))]
        return np.asarray(found[np.lexsort((-found.imag, -found.real))])

    def motion(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The linearised motion on what is held (d, d), and the directions T (n, d) that span it."""
        J = self.slopes(y)
        if not np.isfinite(J).all():
            require(self._all.entries, self.values(y), "at the steady motion")
        return self._on_held(J)

    def motions(self, y: np.ndarray, parameters: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """The linearised motions at states (M, n), with values (M,) of some parameters; NaN where one is not finite."""
        values = {**self.parameters, **parameters, TIME.name: self.t, **dict(zip(self.names, y.T, strict=True))}
        entries = [np.broadcast_to(np.asarray(e, float), len(y)) for e in evaluate(self._all.entries, values)]
        slopes = np.stack(entries, axis=1).reshape(len(y), -1, len(self._all.names))
        slopes = slopes[:, : len(self.rates) + len(self.held), : len(self.names)]
        nowhere = np.full((1, 1), np.nan)
        return [self._on_held(J)[0] if np.isfinite(J).all() else nowhere for J in slopes]

    def _on_held(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The motion on what is held, and its directions, from the slopes of rates and of what is held."""
        n = len(self.names)
        A, N = J[:n], J[n:]
        T = null_space(N) if len(N) else np.eye(n)
        return T.T @ A @ T, T


def without_kernel(A: np.ndarray) -> np.ndarray:
    """The part of A that has its other eigenvalues, without those that are 0.

    Where families meet conserved quantities 0 is a defective eigenvalue, and rounding r of A moves it by sqrt(r). Ranks
    do not suffer so:  with A N = 0 and M across N,  A (N M) = (N M) [[0, *], [0, M^T A M]] .
    """
    size = float(np.linalg.norm(A, 2)) if A.size else 0.0
    while len(A):
        _, s, Vt = np.linalg.svd(A)
        rank = int(np.sum(s > VANISHES * size))
        if rank == len(A):
            break
        M = Vt[:rank].T
        A = M.T @ A @ M
    return A


def _solved(equations: Equations, form: Form) -> tuple[list[Node], list[Node]]:
    """Accelerations and multipliers on the graph."""
    if equations.direct is not None:
        return equations.solved[0], []
    if equations.definite or not form.N:
        return equations.solution.solve(form.f, form.g)
    W, f = raised(form.W, form.N, form.f, form.g)
    return Saddle.of(W, form.N).solve(f, form.g)
