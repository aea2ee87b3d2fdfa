"""Ranks and null spaces of matrices of floating-point numbers, whatever their units, and what counts as 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from .elementary_functions import ELEMENTARY
from .from_sympy import read
from .graph import CONSTANT, SYMBOL, Graph, Node, evaluate, live, values_of_all

RANK_TOLERANCE = 1e-10  # of singular values of rows of length 1, which are known to a rounding of their entries
SAMPLED = 1e-9  # of the largest singular value, where entries are functions at states that an iteration has found
NOTHING = 1e-12  # a row is 0 only relative to its terms, or to the largest where these are not known
_CLEAR = 1e-5  # a singular value of rows of length 1 that is far from rounding, even where it is squared
_MANY = 100  # rows from which a factorisation, which decides the clear cases, is far cheaper than singular values


def rank_of(N: np.ndarray) -> int:
    """Numerical rank of the rows of N (m x k), each scaled to its own length; a row is 0 relative to the largest."""
    rows = directions(N)
    # are these many rows, of length about 1, and clearly independent? Few are not looked at
    if clear_products(rows) is not None:
        return len(rows)
    return count_above(np.linalg.svd(rows, compute_uv=False), 0.0, RANK_TOLERANCE) if rows.size else 0


def count_above(sizes: np.ndarray, part: float, least: float = 0.0) -> int:
    """The rank that singular values (n,) tell: how many are above this part of the largest, and above `least`."""
    return int(np.sum(sizes > max(part * sizes.max(initial=0.0), least)))


def ranks_of(normals: np.ndarray) -> list[int]:
    """`rank_of` of each of these matrices (n x m x k)."""
    if normals.shape[1] >= _MANY or not normals.size:
        return [rank_of(N) for N in normals]
    length = np.linalg.norm(normals, axis=-1)
    held = length > NOTHING * np.maximum(1.0, length.max(axis=-1, keepdims=True))
    rows = np.where(held[..., None], normals / np.where(held, length, 1.0)[..., None], 0.0)  # what is 0 adds no rank
    return [int(rank) for rank in np.sum(np.linalg.svd(rows, compute_uv=False) > RANK_TOLERANCE, axis=-1)]


def definite(A: np.ndarray, above: float) -> bool:
    """Are all eigenvalues of symmetric matrices (..., n, n) above this?"""
    try:
        np.linalg.cholesky(A - above * np.eye(A.shape[-1]))  # A - above 1 = L L^T
    except np.linalg.LinAlgError:
        return False
    return True


def clear_products(rows: np.ndarray) -> np.ndarray | None:
    """A A^T of rows A (m x k) that are many and clearly independent, else None."""
    if not _MANY <= len(rows) <= rows.shape[1]:
        return None
    products = rows @ rows.T
    return products if definite(products, _CLEAR**2) else None


def directions(N: np.ndarray) -> np.ndarray:
    """The rows of N that are not 0, scaled to length 1."""
    length = np.linalg.norm(N, axis=-1)
    held = length > NOTHING * max(1.0, float(length.max(initial=0.0)))
    return np.asarray(N[held] / length[held, None])


def independent_rows(N: np.ndarray) -> tuple[int, ...]:
    """Positions of as many rows of N as its rank, as far from dependent as can be."""
    length = np.linalg.norm(N, axis=1, keepdims=True)
    return well_independent(N / np.where(length > 0, length, 1.0), rank_of(N))


def well_independent(A: np.ndarray, count: int) -> tuple[int, ...]:
    """Positions of so many rows of A, each time the one of which most is left beside those before it."""
    import scipy.linalg

    order = scipy.linalg.qr(A.T, pivoting=True, mode="r")[1]
    return tuple(sorted(int(i) for i in order[:count]))


def first_independent(N: np.ndarray) -> list[int]:
    """Positions of as many rows of N as its rank, the first ones first."""
    rows = list[int]()
    for i in range(len(N)):
        if rank_of(N[[*rows, i]]) > len(rows):
            rows.append(i)
    return rows


def null_space(N: np.ndarray) -> np.ndarray:
    """Columns (k x (k - rank)), orthonormal, spanning the x with N x = 0."""
    rows = directions(N)
    if not rows.size:
        return np.eye(N.shape[-1])
    if (products := clear_products(rows)) is not None:
        return _complement(rows, np.linalg.solve(products, rows))
    return null_rows(rows, 0.0, RANK_TOLERANCE).T


def null_rows(A: np.ndarray, part: float, least: float = 0.0) -> np.ndarray:
    """Rows x (n - rank, n), orthonormal, that span the x with A x = 0, of A (m x n) as it is scaled.

    A singular value counts as 0 up to this part of the largest, and up to `least`: the errors of the entries say which.
    """
    _, sizes, Vt = np.linalg.svd(A)
    return np.asarray(Vt[count_above(sizes, part, least) :])


def split(N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of independent rows N (..., m, k):  Z (..., k, k - m), orthonormal, with N Z = 0, and (N^+)^T (..., m, k)."""
    m, k = N.shape[-2:]
    clear = [_clear_split(rows) for rows in N.reshape(-1, m, k)] if m >= _MANY else [None]
    found = [halves for halves in clear if halves is not None]
    if len(found) == len(clear):
        Z, back = (np.stack(half).reshape(*N.shape[:-2], *half[0].shape) for half in zip(*found, strict=True))
        return Z, back
    # N^T = Q R ,  Q = (Q1, Z) ,  (N^+)^T = R^-1 Q1^T
    Q, R = np.linalg.qr(np.swapaxes(N, -1, -2), mode="complete")
    return Q[..., m:], np.linalg.solve(R[..., :m, :], np.swapaxes(Q[..., :m], -1, -2))


def _clear_split(N: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The same of many rows (m, k) that are clearly independent, else None."""
    length = np.linalg.norm(N, axis=1, keepdims=True)
    products = clear_products(N / length) if length.all() else None
    if products is None:
        return None
    # (N^+)^T = (N N^T)^-1 N ,  of rows of length 1
    back = np.linalg.solve(products, N / length)
    return _complement(N / length, back), back / length


def _complement(N: np.ndarray, back: np.ndarray) -> np.ndarray:
    """Z (k x (k - m)), orthonormal, with N Z = 0, of clearly independent rows N (m x k) and (N^+)^T (m x k).

    Directions drawn at random lose their part along the rows, twice: the first time leaves the rounding of N^+.
    """
    m, k = N.shape
    Z = np.random.default_rng(0).normal(size=(k, k - m))
    for _ in range(2):
        # Z = X - N^+ N X
        Z = np.linalg.qr(Z - back.T @ (N @ Z))[0]
    return np.asarray(Z)


def null_space_in(N: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """The null space of N in units (k,) of x: the x with N (unit x) = 0. No units, nor those of rows, make a row 0."""
    length = np.linalg.norm(N * unit, axis=1, keepdims=True)
    return null_space(N * unit / np.where(length > 0, length, 1.0))


def echelon(rows: np.ndarray) -> np.ndarray:
    """The reduced echelon form of the rows, those that are 0 left out."""
    rows, lead = rows.copy(), 0
    for r in range(len(rows)):
        while lead < rows.shape[1]:
            best = r + int(np.argmax(np.abs(rows[r:, lead])))
            if abs(rows[best, lead]) > 1e-7:
                break
            lead += 1
        if lead == rows.shape[1]:
            return np.asarray(rows[:r])
        rows[[r, best]] = rows[[best, r]]
        rows[r] /= rows[r, lead]
        for i in range(len(rows)):
            if i != r:
                rows[i] -= rows[i, lead] * rows[r]
        lead += 1
    return rows


# --- the size of a value's terms --------------------------------------------------------------------------------------

# A computed value differs from the true one by about a rounding of its *size*, the sum of what each step of the
# computation contributes by itself,
#
#     size(y) = |y| + sum_i |dy/dx_i| size(x_i) ,      size(x) = |x| for numbers and symbols.
#
# Sizes have the units of their values: no scale has to be known, and none is assumed.

_Step = tuple[int, list[tuple[int, int]]]  # a node, the slopes by its arguments and these


def sized(outputs: Sequence[Node], values: Mapping[str, object]) -> tuple[np.ndarray, np.ndarray]:
    """Values of the outputs and their sizes, each (len(outputs),)."""
    if not outputs:
        return np.zeros(0), np.zeros(0)
    graph, (steps, wanted) = outputs[0].graph, _steps(outputs)
    known, size = values_of_all([Node(graph, i) for i in wanted], values), dict[int, float]()
    for i, parts in steps:
        size[i] = abs(float(known[i])) + sum(abs(float(known[p])) * size[a] if size[a] else 0.0 for p, a in parts)
    found = np.array([[float(known[y.index]), size[y.index]] for y in outputs])
    return found[:, 0], found[:, 1]


def sizes(output: Node, values: Mapping[str, ArrayLike]) -> np.ndarray:
    """The size of one output, an array where values are arrays."""
    steps, wanted = _steps([output])
    known, size = values_of_all([Node(output.graph, i) for i in wanted], values), dict[int, np.ndarray]()
    for i, parts in steps:
        own = np.abs(np.asarray(known[i], float))
        size[i] = sum((np.abs(np.asarray(known[p], float)) * size[a] for p, a in parts), own)
    return np.asarray(size[output.index])


def _steps(outputs: Sequence[Node]) -> tuple[list[_Step], list[int]]:
    """The steps to the outputs, and the nodes whose values they take: found once, for one state after the other."""
    graph, key = outputs[0].graph, ("sized", tuple(y.index for y in outputs))
    found = graph.memory.get(key)
    if found is None:
        slopes = {i: [p.index for p in _slopes(Node(graph, i))] for i in live(outputs)}
        steps = [(i, list(zip(row, graph.nodes[i][1:] if row else (), strict=True))) for i, row in slopes.items()]
        found = graph.memory[key] = (steps, [*key[1], *(p for row in slopes.values() for p in row)])
    return cast(tuple[list[_Step], list[int]], found)


def _slopes(y: Node) -> list[Node]:
    """dy/dx of an operation's arguments; none for a number or a symbol."""
    if y.operation in (CONSTANT, SYMBOL):
        return []
    return [y.graph.lift(p) for p in ELEMENTARY[y.operation].partials(y, *y.args)]


# --- multiples --------------------------------------------------------------------------------------------------------

_ROUNDING = 1e-12


def sign_of_multiple(f: sp.Expr, g: sp.Expr, points: Iterable[Mapping[str, ArrayLike]]) -> int:
    """The sign of c where f = c g at all points, 0 where there is no such c."""
    graph = Graph()
    nodes = [read(e, graph) for e in (f, g)]
    found = np.array([evaluate(nodes, dict(point)) for point in points])
    return sign_of_parallel(*found.T)


def sign_of_parallel(u: np.ndarray, v: np.ndarray) -> int:
    """The sign of c where u = c v for two vectors (n,), 0 where there is no such c."""
    if np.iscomplexobj(u) or np.iscomplexobj(v) or not (np.isfinite(u).all() and np.isfinite(v).all()):
        return 0
    # |f . g| = |f| |g|  where they are parallel
    size, along = np.linalg.norm(u) * np.linalg.norm(v) * (1 - _ROUNDING), u @ v
    return int(np.sign(along)) if 0 < size <= abs(along) else 0
