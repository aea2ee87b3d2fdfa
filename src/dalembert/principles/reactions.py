"""Forces of the contacts that last, as functions of the state on a graph: nothing swells, and little is rounded.

J W^-1 C mu = g - J W^-1 f ,    C = J^T less, for what slides, mu d B^T
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from ..calculus.algebra import Machine
from ..calculus.graph import Graph, Node
from ..calculus.hamel import Motion
from ..calculus.linear import Factored, dot
from ..equations.contacts import SLIDES, STICKS, Mode, least_of
from ..geometry.ranks import Ranks
from ..model.contact import Contact
from ..model.system import System
from .saddle import saddle

Acting = Sequence[tuple[Contact, Mode]]
Matrix = list[list[Node]]
_WHOLE = 1e-9  # of 1: a coefficient between rows that is so near to a whole number is one


def reactions(held: System, decided: Ranks, acting: Acting) -> tuple[dict[str, Node], dict[str, tuple[Node, ...]]]:
    """Normal forces, and friction along each component of slip, by contact."""
    algebra = held.over(Graph())
    found = _multipliers(held, decided, acting, algebra)
    pressing = {contact.name: found[normal(contact)] for contact, _ in acting}
    rubbing: dict[str, tuple[Node, ...]] = {}
    for contact, mode in acting:
        if mode.word == STICKS:
            rubbing[contact.name] = tuple(found[name] for name in slips(contact))
        else:
            # T = -mu N s/|s|
            load = algebra.read(contact.mu) * pressing[contact.name]
            rubbing[contact.name] = tuple(-1 * load * algebra.read(d) for d in direction(contact, mode))
    return pressing, rubbing


def pressing(held: System, decided: Ranks, acting: Acting, rows: Sequence[str], algebra: Machine) -> list[Node]:
    """Multipliers of some of the independent rows, by the names of their constraints."""
    names, mu = [held.constraints[s].name for s in decided.kept], _independent(held, decided, acting, algebra)[1]
    found = dict(zip(names, mu, strict=True))
    return [found[row] for row in rows]


def _multipliers(held: System, decided: Ranks, acting: Acting, algebra: Machine) -> dict[str, Node]:
    """Multipliers of all rows, by the names of their constraints."""
    if not acting:
        return {}
    N, mu = _independent(held, decided, acting, algebra)
    if len(mu) < len(N):
        return _shared(N, mu, decided, acting, algebra)
    return dict(zip([c.name for c in held.constraints], mu, strict=True))


def _independent(held: System, decided: Ranks, acting: Acting, algebra: Machine) -> tuple[Matrix, list[Node]]:
    """All rows, and the multipliers of independent ones."""
    form, motion = saddle(held, held.lagrangian, held.constraints, algebra), Motion.of(held.space.frame, algebra)
    names, N = [c.name for c in held.constraints], [list(row) for row in form.N]
    columns = [list(row) for row in N]
    for contact, mode in acting:
        row = names.index(normal(contact))
        for d, s in zip(direction(contact, mode), contact.slip, strict=False):
            rub = algebra.read(contact.mu * d)
            slopes = algebra.gradient(algebra.read(s), motion.u)
            # (A - mu s/|s| B)^T
            columns[row] = [c - rub * slope for c, slope in zip(columns[row], slopes, strict=True)]
    rough = {names.index(normal(contact)) for contact, mode in acting if rubs(mode)}
    order = sorted(decided.kept, key=lambda s: s in rough)
    W = Factored.of([list(row) for row in form.W])
    reached = [W.solve(columns[s]) for s in order]
    free = W.solve(form.f)
    S = [[dot(N[s], column) for column in reached] for s in order]
    mu = solved(S, [form.g[s] - dot(N[s], free) for s in order], len(rough.intersection(order)))
    found = dict(zip(order, mu, strict=True))
    return N, [found[s] for s in decided.kept]


def solved(S: Matrix, r: list[Node], last: int) -> list[Node]:
    """x with S x = r, where all but the `last` rows and columns are a definite matrix.

    These are eliminated; what they leave of the last ones need not be symmetric, and may have a diagonal of 0.
    """
    rows, n = [[*row, b] for row, b in zip(S, r, strict=True)], len(r)
    first = n - last
    for i in range(first):
        inverse = 1 / rows[i][i]
        for k in range(i + 1, n):
            factor = rows[k][i] * inverse
            rows[k] = [
                *rows[k][: i + 1],
                *(a - factor * b for a, b in zip(rows[k][i + 1 :], rows[i][i + 1 :], strict=True)),
            ]
    x = _by_minors([row[first:n] for row in rows[first:]], [row[n] for row in rows[first:]])
    for i in reversed(range(first)):
        left = rows[i][n]
        for a, b in zip(rows[i][i + 1 : n], x, strict=True):
            left = left - a * b
        x.insert(0, left / rows[i][i])
    return x


def _by_minors(S: Matrix, r: list[Node]) -> list[Node]:
    """x with S x = r, by x_i = det(S with r in column i)/det S."""
    if not r:
        return []
    det = _determinant(S)
    return [
        _determinant([[*row[:i], b, *row[i + 1 :]] for row, b in zip(S, r, strict=True)]) / det for i in range(len(r))
    ]


def _determinant(A: Matrix) -> Node:
    """By the minors of the first row; the graph computes once what occurs twice."""
    if len(A) == 1:
        return A[0][0]
    terms = [a * _determinant([[*row[:i], *row[i + 1 :]] for row in A[1:]]) for i, a in enumerate(A[0])]
    total = terms[0]
    for i, term in enumerate(terms[1:], 1):
        total = total - term if i % 2 else total + term
    return total


def _shared(N: Matrix, mu: list[Node], decided: Ranks, acting: Acting, algebra: Machine) -> dict[str, Node]:
    """Multipliers of all rows from those of independent ones.

    They are of least norm, N = K J ,  mu_all = K (K^T K)^-1 mu ; friction at rest is shared in proportion to what holds
    it, mu_s N.
    """
    names = [c.name for c in decided.constraints]
    K, one = _coefficients(N, decided, algebra), algebra.read(1)
    alike = dict(zip(names, _weighted(K, mu, [one] * len(names)), strict=True))
    hold = {
        name: algebra.read(contact.mu_static) * alike[normal(contact)]
        for contact, mode in acting
        if mode.word == STICKS
        for name in slips(contact)
    }
    return dict(zip(names, _weighted(K, mu, [hold.get(name, one) for name in names]), strict=True))


def _weighted(K: Matrix, mu: list[Node], w: list[Node]) -> list[Node]:
    """mu_all with K^T mu_all = mu and the least sum of mu_all^2/w."""
    weighed = [[wi * k for k in row] for wi, row in zip(w, K, strict=True)]
    columns = list(zip(*K, strict=True))
    P = [[dot(a, b) for b in zip(*weighed, strict=True)] for a in columns]
    y = Factored.of(P).solve(mu)
    # w K (K^T w K)^-1 mu
    return [dot(row, y) for row in weighed]


def _coefficients(N: Matrix, decided: Ranks, algebra: Machine) -> Matrix:
    """K in N = K J, as numbers where it does not depend on the state."""
    names, ties, kept = [c.name for c in decided.constraints], decided.ties, list(decided.kept)
    if not all(ties.values()):
        J = [N[s] for s in kept]
        G = Factored.of([[dot(a, b) for b in J] for a in J])
        return [G.solve([dot(row, b) for b in J]) for row in N]
    own: Mapping[str, Mapping[str, float]] = {names[s]: {names[s]: 1.0} for s in kept}
    rows = [{**own, **ties}[name] for name in names]
    return [[algebra.graph.constant(_short(row.get(names[s], 0.0))) for s in kept] for row in rows]


def _short(x: float) -> float:
    """A whole number where it is one but for rounding."""
    return round(x) if abs(x - round(x)) < _WHOLE else x


# --- what a contact imposes in a mode ---------------------------------------------------------------------------------


def normal(contact: Contact) -> str:
    """The name of the constraint gap = 0, of which the normal force is the multiplier."""
    return f"{contact.master}_normal"


def slips(contact: Contact) -> list[str]:
    """The names of the constraints slip = 0."""
    return [f"{contact.name}_slip_{i + 1}" for i in range(len(contact.slip))]


def rubs(mode: Mode) -> bool:
    """Does friction act against a slip?"""
    return mode.word == SLIDES and mode.sense != 0


def direction(contact: Contact, mode: Mode) -> list[sp.Expr]:
    """The direction of slip s/|s|, without a singularity where it has one component; empty without friction."""
    if not rubs(mode):
        return []
    if len(contact.slip) == 1:
        return [sp.Integer(mode.sense)]
    # |s| but for a slip that is rounding: no direction is searched for in it
    least = sp.Symbol(least_of(contact.name), positive=True)
    size = sp.sqrt(sum(s**2 for s in contact.slip) + least**2)
    return [s / size for s in contact.slip]
