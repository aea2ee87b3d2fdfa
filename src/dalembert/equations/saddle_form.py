"""The form that all equations of motion share: a saddle system in the accelerations.

    W udot - N^T mu = f          W: k x k, f: k
    N udot          = g          N: m x k, g: m

mu stands for the multipliers lam where they are reactions, and for their rates lamdot where they are states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..calculus.graph import Graph, Node, evaluate
from ..calculus.jacobians import Slopes, numbers_of, side_by_side, stack

MANY, SPARSE = 400, 0.05  # unknowns, and the share of entries that are not 0, for sparse elimination
SMALLEST = 1e-280  # an energy below this is none
WEAK_PIVOT = 1e-3  # share of the dependent velocities in the constraints below which dividing by it costs 6 digits


class Form(NamedTuple):
    """W, N, f, g over some algebra."""

    W: Sequence[list[Any]]
    N: Sequence[list[Any]]
    f: list[Any]
    g: list[Any]

    def rows(self, kept: tuple[int, ...]) -> Form:
        """The form with only some of the constraint rows."""
        N = self.N.of(kept) if isinstance(self.N, Slopes) else [self.N[s] for s in kept]
        return Form(self.W, N, self.f, [self.g[s] for s in kept])

    @property
    def large(self) -> bool:
        """Are the matrices better computed as numbers than looked at entry by entry?"""
        return isinstance(self.W, Slopes) or isinstance(self.N, Slopes)

    @property
    def size(self) -> int:
        """How many entries there are."""
        k, m = len(self.W), len(self.N)
        return k * k + m * k + k + m

    def looked_at(self, values: Mapping[str, ArrayLike]) -> list[Node]:
        """The entries that may not be finite at a state; where large matrices are, what these are slopes of."""
        parts = (self.W, self.N)
        if not all(part.finite(values) for part in parts if isinstance(part, Slopes)):
            return self.entries
        return [*self._sources, *self.f, *self.g]

    @property
    def sources(self) -> list[Node]:
        """What tells which functions the entries hold: the entries, or what large matrices are slopes of."""
        return [*self._sources, *self.f, *self.g]

    @property
    def _sources(self) -> list[Node]:
        return [y for p in (self.W, self.N) for y in (p.ys if isinstance(p, Slopes) else [e for row in p for e in row])]

    @property
    def entries(self) -> list[Any]:
        """All entries in one list: W, N, f, g, row by row."""
        return [e for row in (*self.W, *self.N) for e in row] + self.f + self.g


class Explicit(NamedTuple):
    """Accelerations without multipliers:  A s = b,  udot = Z s + z.

    A (r x r), b (r), Z (k x r) and z (k) over some algebra; s are the accelerations of r free velocities. `charts` are
    functions of the state that are positive where this way of writing is regular; where dependent velocities are named,
    the first is the square of their share in the constraints less that of `WEAK_PIVOT`.
    """

    A: list[list[Any]]
    b: list[Any]
    Z: list[list[Any]]
    z: list[Any]
    charts: list[Any]

    @property
    def entries(self) -> list[Any]:
        """All entries in one list: A, b, Z, z, row by row."""
        return [*(e for row in self.A for e in row), *self.b, *(e for row in self.Z for e in row), *self.z]

    def solve(self, values: Mapping[str, Any]) -> np.ndarray:
        """udot (..., k) where the symbols have `values` (numbers, or arrays of one length).

        Raises:
            numpy.linalg.LinAlgError: the accelerations are not determined.
        """
        r, k = len(self.b), len(self.z)
        flat = stack(evaluate(self.entries, values), values)
        A, b, Z, z = np.split(flat, np.cumsum([r * r, r, k * r]), axis=-1)
        shape = flat.shape[:-1]
        s = np.linalg.solve(A.reshape(*shape, r, r), b[..., None])
        # udot = Z s + z
        return np.asarray((Z.reshape(*shape, k, r) @ s)[..., 0] + z)


@dataclass(frozen=True)
class Numbers:
    """A `Form` at one state or at many: arrays W (..., k, k), N (..., m, k), f (..., k), g (..., m)."""

    W: np.ndarray
    N: np.ndarray
    f: np.ndarray
    g: np.ndarray

    @classmethod
    def of(cls, form: Form, values: Mapping[str, Any]) -> Numbers:
        """The form's numbers where the symbols have `values` (numbers, or arrays of one length)."""
        k, m = len(form.W), len(form.N)
        if form.large:
            W, N = numbers_of(form.W, k, values), numbers_of(form.N, k, values)
            f, g = np.split(stack(evaluate([*form.f, *form.g], values), values), [k], axis=-1)
            return cls(W, N, f, g)
        flat = stack(evaluate(form.entries, values), values)
        shape = flat.shape[:-1]
        W, N, f, g = np.split(flat, [k * k, k * k + m * k, k * k + m * k + k], axis=-1)
        return cls(W.reshape(*shape, k, k), N.reshape(*shape, m, k), f, g)

    @classmethod
    def at(cls, form: Form, states: Sequence[Mapping[str, float]], N: np.ndarray) -> Numbers:
        """The form's numbers at a few states, of which N (states, m, k) is known: few cost least one by one."""
        k, slopes = len(form.W), isinstance(form.W, Slopes)
        wanted = [*(() if slopes else (e for row in form.W for e in row)), *form.f, *form.g]
        flat = np.array([evaluate(wanted, values) for values in states], float)
        W, f, g = np.split(flat, [len(wanted) - k - len(form.g), len(wanted) - len(form.g)], axis=-1)
        W = numbers_of(form.W, k, side_by_side(states)) if slopes else W.reshape(-1, k, k)
        return cls(W, N, f, g)

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """(udot, mu) for independent rows of N.

        Raises:
            numpy.linalg.LinAlgError: the accelerations are not determined.
        """
        k = self.f.shape[-1]
        b = np.concatenate([self.f, self.g], axis=-1)
        A, n = self.bordered, b.shape[-1]
        if n > MANY and np.count_nonzero(A) < SPARSE * A.size:
            x = np.array([_sparse(*each) for each in zip(A.reshape(-1, n, n), b.reshape(-1, n), strict=True)])
            x = x.reshape(b.shape)
        else:
            x = np.linalg.solve(A, b[..., None])[..., 0]
        return x[..., :k], x[..., k:]

    @property
    def bordered(self) -> np.ndarray:
        """The matrix [[W, -N^T], [N, 0]], (..., k + m, k + m)."""
        m = self.g.shape[-1]
        top = np.concatenate([self.W, -np.swapaxes(self.N, -1, -2)], axis=-1)
        bottom = np.concatenate([self.N, np.zeros((*self.N.shape[:-1], m))], axis=-1)
        return np.concatenate([top, bottom], axis=-2)

    def rows(self, kept: list[int]) -> Numbers:
        """The numbers with only some of the constraint rows."""
        return Numbers(self.W, self.N[..., kept, :], self.f, self.g[..., kept])


def _sparse(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A^-1 b of a matrix most of whose entries are 0."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    try:
        return np.asarray(splu(csc_array(A)).solve(b))
    except RuntimeError as error:
        raise np.linalg.LinAlgError(str(error)) from None


def energy_units(W: np.ndarray) -> np.ndarray:
    """Units of the velocities (..., k) in which each alone carries energy of order 1."""
    energy = np.abs(np.diagonal(W, axis1=-2, axis2=-1))
    return np.asarray(1 / np.sqrt(np.where(energy > SMALLEST, energy, 1.0)))


def least_norm(N: np.ndarray, kept: tuple[int, ...], mu: np.ndarray) -> np.ndarray:
    """Multipliers of all rows, of least norm, with the reaction of `mu` on rows `kept`: N^T mu_all = N_kept^T mu."""
    if len(kept) == N.shape[-2]:
        return mu
    reaction = np.swapaxes(N[..., list(kept), :], -1, -2) @ mu[..., None]
    return np.asarray((_inverse(np.swapaxes(N, -1, -2), len(kept)) @ reaction)[..., 0])


def _inverse(A: np.ndarray, rank: int) -> np.ndarray:
    """The pseudoinverse (..., n, m) of matrices (..., m, n) whose rank is known.

    Rows that depend on each other where a relation between positions holds do so but for the rounding of that place,
    which by its size cannot be told from a row that is small.
    """
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    U, s, Vt = U[..., :rank], s[..., :rank], Vt[..., :rank, :]
    inverse = np.where(s > 0, 1 / np.where(s > 0, s, 1.0), 0.0)
    return np.asarray(np.swapaxes(Vt, -1, -2) * inverse[..., None, :] @ np.swapaxes(U, -1, -2))


def along_rows(W: np.ndarray, N: np.ndarray, rank: int, R: np.ndarray) -> np.ndarray:
    """mu (..., m) of least norm with N^T mu = R, for a reaction R (..., k) along the rows of N, of known rank.

    R = W udot - f is left over from numbers of the size of W: each of its entries counts in units of that size.
    """
    unit = np.sqrt(np.abs(np.diagonal(W, axis1=-2, axis2=-1)))
    unit = 1 / np.where(unit > 0, unit, 1.0)
    scaled = np.swapaxes(N, -1, -2) * unit[..., None]
    return np.asarray((_inverse(scaled, rank) @ (unit * R)[..., None])[..., 0])


@dataclass(frozen=True)
class MachineForm:
    """The form on a graph, with what else is evaluated there.

    Attributes:
        graph: the expression graph that holds it all.
        form: W, N, f, g.
        qdot: rates of the coordinates (n).
        phi: constraints on velocities (m).
        position: ``{row: f(t, q)}`` of the holonomic rows.
        energy: E = u dL/du - L.
        power: dE/dt along the motion, from forces, moving constraints and explicit time, as a function of state and mu.
        mu: the symbols that stand for mu in `power` (m).
        terms: the summands of each row of `phi` and `position` as the user wrote them; residuals count against them.
        metric: the kinetic metric, the velocity Hessian of the given Lagrangian (k x k).
    """

    graph: Graph
    form: Form
    qdot: list[Node]
    phi: list[Node]
    position: dict[int, Node]
    energy: Node
    power: Node
    mu: list[Node]
    metric: Sequence[list[Node]]
    terms: dict[Node, list[Node]]
