"""Maggi's equations in the speeds:  A sdot = b  [neimark1972 III].

    A = Z^T dp/ds ,   b_i = Z_i^a (E^j_a dL/dq^j - C^c_ab u^b p_c + Q_a - dp_a/dt at sdot = 0) ,   p_a = dL/du^a

on u = Z s + z. Where the velocities are rates of the coordinates and L is a sum of squares c e^2 of such rates e(q, u)
and a potential, the same from the squares costs in proportion to their number:

    A_ij = 2 c e(Z_i) e(Z_j) ,   b_i = Z_i . (dV + Q) - 2 c e(Z_i) de/dt ,   L = sum of c e^2 + V
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from ...calculus.graph import Node, gradient, substitute, tangent
from .independent_velocities import FreeVelocities

_MANY = 100  # squares from which they are known to be cheaper

Rows = list[list[Node]]


class Projected(NamedTuple):
    """A sdot = b; A symmetric, row by row."""

    A: Rows
    b: list[Node]

    @property
    def entries(self) -> list[Node]:
        """The lower triangle of A, and b."""
        return [*(e for i, row in enumerate(self.A) for e in row[: i + 1]), *self.b]

    @classmethod
    def of_entries(cls, flat: Sequence[Node], r: int) -> Projected:
        """What `entries` came from."""
        at = [i * (i + 1) // 2 for i in range(r + 1)]
        return cls([[flat[at[max(i, j)] + min(i, j)] for j in range(r)] for i in range(r)], list(flat[at[r] :]))


def projected(allowed: FreeVelocities, s: Sequence[Node], L: Node, Q: Sequence[Node]) -> Projected:
    """A and b, tidied; from squares where that is cheaper."""
    tidy, found = allowed.tidy, _squares(allowed, L)
    if found is not None and len(found[0]) > _MANY and _rates_of_places(allowed, list(found[0])):
        return Projected.of_entries(tidy(_by_squares(allowed, s, *found, Q).entries), len(s))
    ways = [_by_momenta(allowed, s, L, Q).entries]
    if found is not None:
        by_squares = _by_squares(allowed, s, *found, Q).entries
        if all(tidy.equal(a, b) for a, b in zip(by_squares, ways[0], strict=True)):
            ways.append(by_squares)
    return Projected.of_entries(tidy.cheapest(ways), len(s))


def _by_momenta(allowed: FreeVelocities, s: Sequence[Node], L: Node, Q: Sequence[Node]) -> Projected:
    motion, r = allowed.motion, len(s)
    u = {a.key[1]: e for a, e in zip(motion.u, allowed.velocities(s), strict=True)}
    p_u = gradient(L, motion.u)
    p, L_q, qdot, forces = (substitute(ys, u) for ys in (p_u, gradient(L, motion.q), motion.qdot, list(Q)))
    curved = substitute(motion.curvatures(p_u), u)
    pdot = tangent(p, [*motion.q, motion.t], [*qdot, motion.one])
    force = [
        motion.sum(e * L_q[i] for i, e in motion.columns[a]) - curved[a] + f - pdot[a]
        for a, f in enumerate(forces or [motion.zero] * len(u))
    ]
    unit = [[motion.one if i == j else motion.zero for i in range(r)] for j in range(r)]
    p_s = [tangent(p, s, direction) for direction in unit]
    A = [[allowed.along(i, p_s[j]) for j in range(i + 1)] for i in range(r)]
    return _symmetric(A, [allowed.along(i, force) for i in range(r)])


def _symmetric(lower: Rows, b: list[Node]) -> Projected:
    r = len(b)
    return Projected([[lower[max(i, j)][min(i, j)] for j in range(r)] for i in range(r)], b)


# --- sums of squares -------------------------------------------------------------------------------------------------

Squares = dict[Node, Node]  # {e: c} of c e^2


def _squares(allowed: FreeVelocities, L: Node) -> tuple[Squares, Node] | None:
    """L as squares and what has no velocities, where the velocities are rates of the coordinates; else None."""
    motion, graph, tidy = allowed.motion, L.graph, allowed.tidy
    if motion.brackets or len(motion.q) != len(motion.u) or motion.qdot != motion.u:
        return None
    moving = graph.union(u.index for u in motion.u)
    squares: Squares = {}
    rest, waiting = motion.zero, [(L, motion.one)]
    while waiting:
        y, c = waiting.pop()
        operation, args = y.operation, y.args
        if not graph.reach[y.index] & moving:
            rest = rest + c * y
        elif operation in ("+", "-"):
            waiting += [(args[0], c), (args[1], c if operation == "+" else -c)]
        elif operation == "neg":
            waiting.append((args[0], -c))
        elif operation == "/" and tidy.constant(args[1]):
            waiting.append((args[0], c / args[1]))
        elif operation == "*" and args[0] == args[1]:
            squares[args[0]] = squares[args[0]] + c if args[0] in squares else c
        elif operation == "*" and tidy.constant(args[0]):
            waiting.append((args[1], c * args[0]))
        elif operation == "*" and tidy.constant(args[1]):
            waiting.append((args[0], c * args[1]))
        else:
            return None
    return squares, rest


def _rates_of_places(allowed: FreeVelocities, forms: Sequence[Node]) -> bool:
    """Is each form linear in the velocities, and the rate of a function of place? All at once, with weights w^k.

    e = u^a de/du^a ,   d/dt de/du^a = de/dq^a
    """
    motion, tidy = allowed.motion, allowed.tidy
    w = motion.zero.graph.symbol("w:squares")
    total = reduce(lambda found, e: found * w + e, forms)
    n = gradient(total, motion.u)
    if motion.zero.graph.union(e.index for e in n) & motion.zero.graph.union(u.index for u in motion.u):
        return False
    rates = tangent(n, [*motion.q, motion.t], [*motion.u, motion.one])
    pairs = [*zip(rates, gradient(total, motion.q), strict=True)]
    pairs.append((motion.sum(u * e for u, e in zip(motion.u, n, strict=True)), total))
    return all(tidy.equal(a, b) for a, b in pairs)


def _by_squares(allowed: FreeVelocities, s: Sequence[Node], squares: Squares, V: Node, Q: Sequence[Node]) -> Projected:
    """As if each e were linear in the velocities and the rate of a function of place; the caller sees whether it is."""
    motion, r = allowed.motion, len(s)
    velocities = dict(zip((u.key[1] for u in motion.u), allowed.velocities(s), strict=True))
    forms = list(squares)
    rates = tangent(substitute(forms, velocities), [*motion.q, motion.t], [*velocities.values(), motion.one])
    forces = substitute(list(Q), velocities) or [motion.zero] * len(velocities)
    forces = [f + g for f, g in zip(forces, gradient(V, motion.q), strict=True)]
    b = [allowed.along(i, forces) for i in range(r)]
    A = [[motion.zero] * (i + 1) for i in range(r)]
    for form, rate in zip(forms, rates, strict=True):
        c, parts = 2 * squares[form], [column.of(form) for column in allowed.columns]
        for i in range(r):
            scaled = c * parts[i]
            b[i] = b[i] - scaled * rate
            for j in range(i + 1):
                A[i][j] = A[i][j] + scaled * parts[j]
    return _symmetric(A, b)
