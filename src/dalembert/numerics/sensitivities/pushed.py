"""How the velocities that contacts push to depend on state, time and parameters.

    W du = J^T nu + sum_c (A_c - mu_c d_c B_c)^T N_c + B_c^T T_c
    J du = 0 ,     A_c du = -(1 + e) rate_c ,     B_c du = -slip_c  where it sticks

What each contact does in the impact is known; then these are equations F(du, N, T; t, y, p) = 0, and their solution has
the derivatives -(dF/dx)^-1 dF of an implicit function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate
from ...equations.contacts import APART, SLIDES, STICKS
from ..contacts.instant import Eye
from ..contacts.problem import Choice
from .saltation import Slopes

Pair = tuple[Sequence[Node], Node, Sequence[Node]]  # of an impulse its row, what is 0, and its column
_OWN = "'pushed "  # begins the names of what is solved for


@dataclass(frozen=True, eq=False)
class Row:
    """Nodes of one contact: its normal and slips, their rates, and its laws."""

    name: str
    master: str
    A: Sequence[Node]
    B: Sequence[Sequence[Node]]
    rate: Node
    slip: Sequence[Node]
    mu: Node
    restitution: Node


def rows_of(eye: Eye) -> dict[str, Row]:
    """All contacts on the graph of the form."""
    rows, found = eye.contacts.rows, {}
    for i, (name, at) in enumerate(eye.first.items()):
        along = range(at + 1, at + 1 + eye.contacts.slips[name])
        mu, _, e = rows.coefficients[3 * i : 3 * i + 3]
        N, phi = rows.form.N, rows.phi
        B, slip = [N[s] for s in along], [phi[s] for s in along]
        found[name] = Row(name, eye.contacts.masters[name], N[at], B, phi[at], slip, mu, e)
    return found


@dataclass(frozen=True, eq=False)
class Push:
    """What contacts do at one instant.

    Attributes:
        eye: sees the system.
        choices: of each contact; one that slides without a direction keeps its gap, and has no friction.
        bounces: do restitutions act?
    """

    eye: Eye
    choices: Mapping[str, Choice]
    bounces: bool

    def slopes(self, t: float, y: np.ndarray, du: np.ndarray, by: Sequence[str]) -> Slopes:
        """Derivatives of u+ = u + du, k functions, at the state before (n,) with the jump (k,) that follows there."""
        states, k = self.eye.equations.states, len(du)
        graph = self.eye.contacts.rows.form.f[0].graph
        jumps = [f"{_OWN}du {a}" for a in range(k)]
        F, pulls = self._equations([graph.symbol(name) for name in jumps])
        own = [*jumps, *pulls]
        values = {**self.eye.parameters, **dict(zip(states, y, strict=True)), TIME.name: t}
        values |= dict(zip(own, du, strict=False)) | dict.fromkeys(pulls, 0.0)
        values |= dict(zip(pulls, self._impulses(F[:k], pulls, values), strict=True))
        found = Slopes.of(F, [*states, *own], by, values)
        n = len(states)
        # dF/dx dx = -dF
        dx = -np.linalg.pinv(found.y[:, n:], rcond=1e-12)[:k]
        slopes = Slopes(dx @ found.y[:, :n], dx @ found.t, dx @ found.p)
        slopes.y[:, n - k :] += np.eye(k)
        return slopes

    def _impulses(self, balance: Sequence[Node], pulls: Sequence[str], values: Mapping[str, object]) -> np.ndarray:
        """Impulses with which W du = C mu: F is linear in them."""
        if not pulls:
            return np.empty(0)
        off = np.array(evaluate(balance, values), float)
        C = Slopes.of(balance, list(pulls), (), values).y
        return np.asarray(np.linalg.lstsq(C, -off, rcond=1e-12)[0])

    def _equations(self, jump: Sequence[Node]) -> tuple[list[Node], list[str]]:
        """F as nodes, k of the balance first, and the names of the impulses."""
        rows, kept = self.eye.contacts.rows, list(self.eye.equations.kept)
        pairs: list[Pair] = [(rows.form.N[s], _dot(rows.form.N[s], jump), rows.form.N[s]) for s in kept]
        every = rows_of(self.eye)
        for name, choice in self.choices.items():
            pairs += self._pairs(every[name], choice, every, jump) if choice.word != APART else []
        graph = rows.form.f[0].graph
        pulls = [f"{_OWN}mu {s}" for s in range(len(pairs))]
        mu = [graph.symbol(name) for name in pulls]
        # W du - C mu
        balance = [_dot(W, jump) for W in rows.form.W]
        if pairs:
            balance = [e - _dot([column[a] for _, _, column in pairs], mu) for a, e in enumerate(balance)]
        return [*balance, *(target for _, target, _ in pairs)], pulls

    def _pairs(self, row: Row, choice: Choice, every: Mapping[str, Row], jump: Sequence[Node]) -> list[Pair]:
        """Of each impulse its row, what is 0, and its column."""
        found: list[Pair] = []
        if row.master == row.name:
            column = list(row.A)
            for part in every.values():
                if part.master == row.name and self.choices[part.name].word == SLIDES:
                    column = self._rubbed(column, part, self.choices[part.name], jump)
            back = row.rate + row.restitution * row.rate if self.bounces else row.rate
            found.append((row.A, _dot(row.A, jump) + back, column))
        if choice.word == STICKS:
            found += [(B, _dot(B, jump) + slip, B) for B, slip in zip(row.B, row.slip, strict=True)]
        return found

    def _rubbed(self, column: Sequence[Node], row: Row, choice: Choice, jump: Sequence[Node]) -> list[Node]:
        """A - mu d B, d the direction of the slip after the impact."""
        if choice.direction is None:
            return list(column)
        if len(row.B) == 1:
            slips: list[Node] = [row.mu.graph.constant(float(choice.direction[0]))]
        else:
            slips = [_dot(B, jump) + slip for B, slip in zip(row.B, row.slip, strict=True)]
            size = row.mu.graph.apply("sqrt", _dot(slips, slips))
            slips = [s / size for s in slips]
        return [a - row.mu * _dot([B[i] for B in row.B], slips) for i, a in enumerate(column)]


def _dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """a . b, of one number or more."""
    return reduce(add, (x * y for x, y in zip(a, b, strict=True)))
