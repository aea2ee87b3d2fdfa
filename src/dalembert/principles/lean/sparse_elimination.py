"""Accelerations by the structure of what is given: in proportion to the number of links of a chain or a tree.

The kinetic energy of a chain is a sum of squares of forms that are made of each other, v_i = v_(i-1) + l_i w_i e_i.
Written in the velocities alone its matrix is dense. Here forms that stand in others are kept as velocities of their
own, and so are those that a constraint says by others:

    T = x M x/2 ,    M_jk += a_j M_yy a_k ,  M_jw += a_j M_yw      where y = sum a_j x_j is put in,
    M_vw -= M_vs M_sw/M_ss ,  b_v -= M_vs b_s/M_ss                 where the speed s is taken out,

each as soon as nothing else is made of it, what fills least first. From the ends of a chain to its root this is the
algorithm of articulated bodies [featherstone2008 7].
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, or_
from typing import NamedTuple

import numpy as np

from ...calculus.euler_lagrange import Motion
from ...calculus.exact.operation_count import Tidy
from ...calculus.graph import Node, gradient, substitute, tangent
from ...calculus.node_store import LEAVES
from .independent_velocities import BESIDE, NodeValues

Form = dict[int, Node]  # of velocities: the coefficient of each variable, by the index of its node


class Structured(NamedTuple):
    """What the structure gives.

    Attributes:
        speeds: velocities that no row says by others, by position.
        velocities: all of them in these (k).
        rates: of the speeds.
        pivots: each with the entry that it is left over from.
        power: dE/dt.
    """

    speeds: list[int]
    velocities: list[Node]
    rates: list[Node]
    pivots: list[tuple[Node, Node]]
    power: Node


def structured(
    motion: Motion, tidy: Tidy, L: Node, rows: Sequence[Node], Q: Sequence[Node], usual: NodeValues
) -> Structured | None:
    """The rates of the speeds; None where T is no sum of products of forms, or rows do not say a velocity each.

    Which velocities a row may say is told by their shares in it at the states `usual`.
    """
    forms = Forms(motion, [L, *rows])
    M = forms.hessian(L)
    said = None if M is None else _said(forms, rows, tidy, usual)
    if M is None or said is None:
        return None
    speeds = [a for a, u in enumerate(motion.u) if u.index not in said]
    made = forms.kept | said
    V = _velocities(motion, made)
    b, power = _forces(motion, L, Q, V)
    found = StructuredSystem(
        M, dict(zip((u.index for u in motion.u), b, strict=True)), made, tidy, motion.zero
    ).solved()
    if found is None:
        return None
    x, pivots = found
    return Structured(speeds, V, [x[motion.u[a].index] for a in speeds], pivots, power)


class Forms:
    """Linear forms of velocities on a graph, in velocities and in those forms that stand in several others.

    Attributes:
        of: of each node that is one, in what it is made of.
        kept: of those that are variables of their own.
    """

    def __init__(self, motion: Motion, roots: Sequence[Node]) -> None:
        self.motion, self.graph, self.zero = motion, motion.zero.graph, motion.zero
        self._own = {u.index for u in motion.u}
        self._moving = self.graph.union(self._own)
        self._order = self._below(roots)
        self.of: dict[int, Form | None] = {}
        self.kept: dict[int, Form] = {}
        users: dict[int, int] = defaultdict(int)
        for i in self._order:
            for j in self.graph.nodes[i][1:] if self.graph.nodes[i][0] not in LEAVES else ():
                users[j] += 1
        for i in self._order:
            self.of[i] = self._form(i)
            made = self.of[i]
            if made is not None and i not in self._own and len(made) > 1 and users[i] > 1:
                self.kept[i] = made

    def _below(self, roots: Sequence[Node]) -> list[int]:
        """Nodes that depend on velocities, rising."""
        found, left = set[int](), [y.index for y in roots]
        while left:
            i = left.pop()
            if i not in found and self.graph.reach[i] & self._moving:
                found.add(i)
                left += () if self.graph.nodes[i][0] in LEAVES else self.graph.nodes[i][1:]
        return sorted(found)

    def variables(self, i: int) -> Form:
        """A linear node in variables; nothing where it holds no velocity."""
        if i in self.kept or i in self._own:
            return {i: self.motion.one}
        return self.of.get(i) or {}

    def _form(self, i: int) -> Form | None:
        """The part of a node that is linear in velocities; None where another part is not constant in them."""
        if i in self._own:
            return {i: self.motion.one}
        operation, *args = self.graph.nodes[i]
        if any(j in self.of and self.of[j] is None for j in args):
            return None
        moving = [j for j in args if j in self.of]
        if operation in ("+", "-", "neg"):
            found: Form = {}
            for k, j in enumerate(args):
                minus = operation == "neg" or (operation == "-" and k == 1)
                for v, a in self.variables(j).items():
                    found[v] = found.get(v, self.zero) + (-a if minus else a)
            return {v: a for v, a in found.items() if not a.is_zero}
        if operation in ("*", "/") and len(moving) == 1 and (operation == "*" or args[1] not in self.of):
            other = Node(self.graph, args[1] if moving[0] == args[0] else args[0])
            return {v: a * other if operation == "*" else a / other for v, a in self.variables(moving[0]).items()}
        return None

    def hessian(self, L: Node) -> dict[int, Form] | None:
        """M of L = x M x/2 + ..., symmetric; None where it is no sum of products of linear forms."""
        shares: dict[int, Node] = {L.index: self.motion.one}
        M: dict[int, Form] = defaultdict(dict)
        for i in reversed(self._order):
            if i not in shares or self.of[i] is not None:
                continue
            c, (operation, *args) = shares[i], self.graph.nodes[i]
            moving = [j for j in args if j in self.of]
            if operation in ("+", "-", "neg"):
                parts = [(j, -c if operation == "neg" or (operation == "-" and k) else c) for k, j in enumerate(args)]
            elif operation == "*" and len(moving) == 2:
                if any(self.of[j] is None for j in moving):
                    return None
                self._multiply(M, c, *(self.variables(j) for j in args))
                continue
            elif operation in ("*", "/") and len(moving) == 1 and (operation == "*" or moving[0] == args[0]):
                other = Node(self.graph, args[1] if moving[0] == args[0] else args[0])
                parts = [(moving[0], c * other if operation == "*" else c / other)]
            else:
                return None
            for j, share in parts:
                shares[j] = shares[j] + share if j in shares else share
        return M

    @staticmethod
    def _multiply(M: dict[int, Form], c: Node, a: Form, b: Form) -> None:
        """c a b, of which the Hessian has c (a_i b_j + a_j b_i)."""
        for i, ai in a.items():
            for j, bj in b.items():
                e = c * ai * bj
                _add(M, i, j, 2 * e if i == j else e)


def _add(M: dict[int, Form], i: int, j: int, e: Node) -> None:
    """Add an entry on both sides of the diagonal."""
    M[i][j] = M[j][i] = M[i][j] + e if j in M[i] else e


def _said(forms: Forms, rows: Sequence[Node], tidy: Tidy, usual: NodeValues) -> dict[int, Form] | None:
    """Velocities that rows say by others, one each, so that none needs itself; None where a row says none so."""
    graph, own = forms.graph, [u.index for u in forms.motion.u]
    said: dict[int, Form] = {}
    needs: dict[int, int] = {}  # of each, the symbols of velocities on which it depends in the end

    def reach(i: int) -> int:
        found: int = graph.reach[i]
        for v, more in needs.items():
            found |= more if found & graph.reach[v] else 0
        return found

    for row in rows:
        n = forms.variables(row.index)
        if not n or not _homogeneous(forms, row):
            return None
        others = {i: reach(i) for i in n}
        sizes = np.abs(usual(gradient(row, forms.motion.u)))
        # to divide by less costs digits
        fair = (sizes >= BESIDE * sizes.max(axis=1, keepdims=True)).all(axis=0)
        for p, large in reversed([*zip(own, fair, strict=True)]):
            if p not in n or p in said or not large or not tidy.constant(n[p]):
                continue
            if not any(met & graph.reach[p] for i, met in others.items() if i != p):
                break
        else:
            return None
        # n_p u_p = - sum of the others
        said[p] = {i: -(a / n[p]) for i, a in n.items() if i != p}
        more = 0
        for i, met in others.items():
            more |= met if i != p else 0
        needs = {v: found | more if found & graph.reach[p] else found for v, found in needs.items()} | {p: more}
    return said


def _homogeneous(forms: Forms, row: Node) -> bool:
    """Is a row 0 at velocities 0?"""
    return bool(substitute([row], {u.key[1]: forms.zero for u in forms.motion.u})[0].is_zero)


def _velocities(motion: Motion, made: Mapping[int, Form]) -> list[Node]:
    """All velocities in the speeds, what they are made of before them."""
    known: dict[int, Node] = {u.index: u for u in motion.u if u.index not in made}
    stack = [u.index for u in motion.u]
    while stack:
        i = stack.pop()
        missing = [] if i in known else [j for j in made[i] if j not in known]
        if missing:
            stack += [i, *missing]
        elif i not in known:
            known[i] = motion.sum(a * known[j] for j, a in made[i].items())
    return [known[u.index] for u in motion.u]


def _forces(motion: Motion, L: Node, Q: Sequence[Node], V: Sequence[Node]) -> tuple[list[Node], Node]:
    """E^j_a dL/dq^j - C^c_ab u^b p_c + Q_a - dp_a/dt at rates 0 of the speeds, and dE/dt."""
    places = {u.key[1]: e for u, e in zip(motion.u, V, strict=True)}
    p_u = gradient(L, motion.u)
    p, L_q, qdot, forces, curved = (
        substitute(ys, places) for ys in (p_u, gradient(L, motion.q), motion.qdot, list(Q), motion.curvatures(p_u))
    )
    pdot = tangent(p, [*motion.q, motion.t], [*qdot, motion.one])
    forces = forces or [motion.zero] * len(V)
    b = [motion.sum(e * L_q[i] for i, e in motion.columns[a]) - curved[a] + f - pdot[a] for a, f in enumerate(forces)]
    explicit = substitute(gradient(L, [motion.t]), places)[0]
    return b, motion.sum(e * f for e, f in zip(V, forces, strict=True)) - explicit


@dataclass
class StructuredSystem:
    """M x = b, with variables that are made of others.

    Attributes:
        M: symmetric, by variable.
        b: by variable.
        made: what is made of others.
        tidy: what tidies nodes.
        zero: a node.
    """

    M: dict[int, Form]
    b: dict[int, Node]
    made: Mapping[int, Form]
    tidy: Tidy
    zero: Node

    def solved(self) -> tuple[dict[int, Node], list[tuple[Node, Node]]] | None:
        """x, and the pivots that are no numbers; None where a speed has no part in M."""
        users: dict[int, int] = defaultdict(int)
        for parts in self.made.values():
            for j in parts:
                users[j] += 1
        raw = {i: row[i] for i, row in self.M.items() if i in row}
        every = {*self.M, *self.b, *self.made}
        ready = [(*self._cost(i), i) for i in every if not users[i]]
        heapq.heapify(ready)
        order: list[tuple[int, Form]] = []
        pivots: list[tuple[Node, Node]] = []
        gone = set[int]()
        while ready:
            *cost, i = heapq.heappop(ready)
            if i in gone:
                continue
            if tuple(cost) < (now := self._cost(i)):
                heapq.heappush(ready, (*now, i))
                continue
            gone.add(i)
            row = self.M.pop(i, {})
            if i in self.made:
                self._put_in(i, row, raw)
                order.append((i, dict(self.made[i])))
                for j in self.made[i]:
                    users[j] -= 1
                    if not users[j]:
                        heapq.heappush(ready, (*self._cost(j), j))
            else:
                if i not in row:
                    return None
                if not row[i].is_constant:
                    pivots.append((row[i], raw[i]))
                self._take_out(i, row)
                order.append((i, row))
        return self._back(order), pivots

    def _cost(self, i: int) -> tuple[int, int]:
        """What holds most speeds is put in first, and waits for what can be taken out, what fills least first.

        So the components of the velocities of one link go together.
        """
        return (-self._held[i].bit_count() if i in self.made else -len(self.b) - 1), len(self.M.get(i, ()))

    @cached_property
    def _held(self) -> dict[int, int]:
        """The speeds that a variable holds in the end, one bit each."""
        found = {i: 1 << k for k, i in enumerate(i for i in self.b if i not in self.made)}
        stack = list(self.made)
        while stack:
            i = stack.pop()
            missing = [] if i in found else [j for j in self.made[i] if j not in found]
            if missing:
                stack += [i, *missing]
            elif i not in found:
                found[i] = reduce(or_, (found[j] for j in self.made[i]), 0)
        return found

    def _put_in(self, y: int, row: Form, raw: dict[int, Node]) -> None:
        """y = sum a_j x_j."""
        made, own = self.made[y], row.pop(y, None)
        for w in row:
            del self.M[w][y]
        for j, a in made.items():
            for w, e in row.items():
                _add(self.M, j, w, 2 * (a * e) if j == w else a * e)
            if own is not None:
                for k, c in made.items():
                    if k <= j:
                        _add(self.M, j, k, a * own * c)
            if y in self.b:
                self.b[j] = self.b[j] + a * self.b[y] if j in self.b else a * self.b[y]
            if y in raw:
                raw[j] = raw[j] + a * a * raw[y] if j in raw else a * a * raw[y]
        self._tidied(list(made))

    def _take_out(self, s: int, row: Form) -> None:
        """M_ss x_s = b_s - sum M_sw x_w."""
        inverse = 1 / row[s]
        others = [w for w in row if w != s]
        for w in others:
            del self.M[w][s]
        for at, v in enumerate(others):
            share = row[v] * inverse
            for w in others[: at + 1]:
                _add(self.M, v, w, -(share * row[w]))
            if s in self.b:
                lost = share * self.b[s]
                self.b[v] = self.b[v] - lost if v in self.b else -lost
        self._tidied(others)

    def _tidied(self, changed: Sequence[int]) -> None:
        """Tidy the rows of variables, and what they are to be."""
        met = set(changed)
        pairs = [(i, j) for i in changed for j in self.M.get(i, ()) if j not in met or j <= i]
        sides = [i for i in changed if i in self.b]
        found = self.tidy([*(self.M[i][j] for i, j in pairs), *(self.b[i] for i in sides)])
        for (i, j), e in zip(pairs, found, strict=False):
            if e.is_zero and i != j:
                del self.M[i][j], self.M[j][i]
            else:
                self.M[i][j] = self.M[j][i] = e
        self.b.update(zip(sides, found[len(pairs) :], strict=True))

    def _back(self, order: Sequence[tuple[int, Form]]) -> dict[int, Node]:
        """x, the last first."""
        x: dict[int, Node] = {}
        for i, row in reversed(order):
            if i in self.made:
                x[i] = reduce(add, (a * x[j] for j, a in row.items()), self.zero)
            else:
                left = self.b[i]
                for w, e in row.items():
                    if w != i:
                        left = left - e * x[w]
                x[i] = left / row[i]
        return x
