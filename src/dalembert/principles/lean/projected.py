"""Maggi's equations in the speeds:  A sdot = b  [neimark1972 III].

    A = Z^T dp/ds ,   b_i = Z_i^a (E^j_a dL/dq^j - C^c_ab u^b p_c + Q_a - dp_a/dt at sdot = 0) ,   p_a = dL/du^a

on u = Z s + z. Where the space has no brackets and L is a sum of squares c e(t, q, u)^2 and a potential, the same from
the squares costs in proportion to their number:

    A_ij = 2 c e(Z_i) e(Z_j) ,   b_i = Z_i . dV - 2 c (e(Z_i) de/dt + e kappa_i) ,
    kappa_i = Z_i^a (d/dt de/du^a - de/dq^a) ,  which is 0 where e is the rate of a function of place
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...calculus.graph import Node, gradient, substitute, tangent
from .allowed import Allowed

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


def projected(allowed: Allowed, s: Sequence[Node], L: Node, Q: Sequence[Node]) -> Projected:
    """A and b, tidied; from squares where that is cheaper."""
    tidy, ways = allowed.tidy, [_by_momenta(allowed, s, L, Q)]
    squares = _squares(allowed, L)
    if squares is not None:
        ways.append(_by_squares(allowed, s, *squares, Q))
    return Projected.of_entries(tidy.cheapest([way.entries for way in ways]), len(s))


def _by_momenta(allowed: Allowed, s: Sequence[Node], L: Node, Q: Sequence[Node]) -> Projected:
    motion, r = allowed.motion, len(s)
    u = {a.key[1]: e for a, e in zip(motion.u, allowed.velocities(s), strict=True)}
    p_u = gradient(L, motion.u)
    p, L_q, qdot, forces = (substitute(ys, u) for ys in (p_u, gradient(L, motion.q), motion.qdot, list(Q)))
    curved = substitute([motion.curvature(p_u, a) for a in range(len(u))], u)
    pdot = tangent(p, [*motion.q, motion.t], [*qdot, motion.one])
    force = [
        motion.sum(e * L_q[i] for i, e in motion.columns[a])
        - curved[a]
        + (forces[a] if forces else motion.zero)
        - pdot[a]
        for a in range(len(u))
    ]
    unit = [[motion.one if i == j else motion.zero for i in range(r)] for j in range(r)]
    p_s = [tangent(p, s, direction) for direction in unit]
    A = [[_dot(allowed, i, p_s[j]) for j in range(i + 1)] for i in range(r)]
    return _symmetric(A, [_dot(allowed, i, force) for i in range(r)])


def _dot(allowed: Allowed, i: int, covector: Sequence[Node]) -> Node:
    """Z_i^a f_a."""
    found: Node = allowed.motion.sum(row[i] * f for row, f in zip(allowed.Z, covector, strict=True))
    return found


def _symmetric(lower: Rows, b: list[Node]) -> Projected:
    r = len(b)
    return Projected([[lower[max(i, j)][min(i, j)] for j in range(r)] for i in range(r)], b)


# --- sums of squares -------------------------------------------------------------------------------------------------

Squares = dict[Node, Node]  # {e: c} of c e^2


def _squares(allowed: Allowed, L: Node) -> tuple[Squares, Node] | None:
    """L as squares of forms linear in u, and what has no velocities; None where it is no such sum."""
    motion = allowed.motion
    plain = not motion.brackets and len(motion.q) == len(motion.u)
    if not plain or any(rate != u for rate, u in zip(motion.qdot, motion.u, strict=True)):
        return None
    found = _read_squares(L, allowed)
    if found is None:
        return None
    squares, rest = found
    at_rest = dict.fromkeys((u.key[1] for u in motion.u), 0.0)
    forms = list(squares)
    slopes = [slope for e in forms for slope in gradient(e, motion.u)]
    linear = all(not y.graph.reach[y.index] & _moving(allowed) for y in slopes)
    return (squares, rest) if linear and all(allowed.tidy.zero(e) for e in substitute(forms, at_rest)) else None


def _moving(allowed: Allowed) -> int:
    """Bits of the velocities."""
    bits = 0
    for u in allowed.motion.u:
        bits |= u.graph.reach[u.index]
    return bits


def _read_squares(L: Node, allowed: Allowed) -> tuple[Squares, Node] | None:
    """The summands of L: squares with their constant factors, and the others."""
    graph, moving, tidy = L.graph, _moving(allowed), allowed.tidy
    squares: Squares = {}
    rest, waiting = allowed.motion.zero, [(L, allowed.motion.one)]
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


def _by_squares(allowed: Allowed, s: Sequence[Node], squares: Squares, V: Node, Q: Sequence[Node]) -> Projected:
    motion, r = allowed.motion, len(s)
    names = [u.key[1] for u in motion.u]
    velocities = dict(zip(names, allowed.velocities(s), strict=True))
    us = list(velocities.values())
    forms = list(squares)
    here = substitute(forms, velocities)
    rates = tangent(here, [*motion.q, motion.t], [*us, motion.one])
    along = [substitute(forms, {name: row[i] for name, row in zip(names, allowed.Z, strict=True)}) for i in range(r)]
    forces = substitute(list(Q), velocities) or [motion.zero] * len(us)
    forces = [f + g for f, g in zip(forces, gradient(V, motion.q), strict=True)]
    b = [_dot(allowed, i, forces) for i in range(r)]
    A = [[motion.zero] * (i + 1) for i in range(r)]
    for form, e, rate, parts in zip(forms, here, rates, zip(*along, strict=True), strict=True):
        c = 2 * squares[form]
        lag = _lag(form, velocities, allowed)
        for i in range(r):
            kappa = _dot(allowed, i, lag) if lag else motion.zero
            b[i] = b[i] - c * parts[i] * rate - c * e * kappa
            for j in range(i + 1):
                A[i][j] = A[i][j] + c * parts[i] * parts[j]
    return _symmetric(A, b)


def _lag(form: Node, velocities: dict[str, Node], allowed: Allowed) -> list[Node]:
    """d/dt de/du^a - de/dq^a; empty where all are 0."""
    motion, tidy = allowed.motion, allowed.tidy
    J, slope = gradient(form, motion.u), gradient(form, motion.q)
    lag = [j - g for j, g in zip(tangent(J, [*motion.q, motion.t], [*motion.u, motion.one]), slope, strict=True)]
    return [] if all(tidy.zero(e) for e in lag) else substitute(lag, velocities)
