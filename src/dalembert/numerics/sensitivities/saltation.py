"""What an instant does to the derivatives of a motion: its saltation.

Where h(t, y, p) = 0 the state y becomes g(t, y, p), and the rates f- become f+. A neighbour comes there later by dt:

    (h_y f- + h_t) dt = -(h_y S + h_p) ,     S+ = g_y (S + f- dt) + g_t dt + g_p - f+ dt ,     S = dy/dp

[dibernardo2008]. Where h_y f- + h_t = 0 the motion grazes, and derivatives have no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...equations.contact_modes import APART, SLIDES, STICKS
from ...errors import InvalidValue
from ..contacts.course import NoCourse
from ..contacts.impacts import Courses
from ..contacts.instant import NEAR, Eye, held
from ..contacts.problem import Choice

GRAZES = 1e-5  # of the rate of a guard that is met straight: below it a motion grazes


@dataclass(frozen=True, eq=False)
class StateSlopes:
    """Derivatives of some functions by the states, the time and the names by which is differentiated.

    Attributes:
        y: (r, n).
        t: (r,).
        p: (r, d); 0 for names that are start values.
    """

    y: np.ndarray
    t: np.ndarray
    p: np.ndarray

    @classmethod
    def of(
        cls, nodes: Sequence[Node], states: Sequence[str], by: Sequence[str], values: Mapping[str, object]
    ) -> StateSlopes:
        """Of functions on a graph, at a state."""
        n = len(states)
        if not nodes:
            return cls(np.zeros((0, n)), np.zeros(0), np.zeros((0, len(by))))
        graph = nodes[0].graph
        xs = [graph.symbol(name) for name in (*states, TIME.name, *by)]
        flat = np.array(evaluate([s for node in nodes for s in gradient(node, xs)], values), float)
        every = flat.reshape(len(nodes), len(xs))
        every[:, n + 1 :][:, [name in states for name in by]] = 0.0
        return cls(every[:, :n], every[:, n], every[:, n + 1 :])

    def along(self, S: np.ndarray, dt: np.ndarray, f: np.ndarray) -> np.ndarray:
        """How the functions change with each name where the instant moves by dt (d,): (r, d)."""
        # y (S + f dt) + t dt + p
        return np.asarray(self.y @ (S + np.outer(f, dt)) + np.outer(self.t, dt) + self.p)


@dataclass(frozen=True, eq=False)
class Saltation:
    """An instant at which a motion goes on otherwise.

    Attributes:
        where: what happens, and when, in words.
        guard: slopes of h, one function.
        map: slopes of g, one function for each state.
        before, after: f- and f+ (n,).
    """

    where: str
    guard: StateSlopes
    map: StateSlopes
    before: np.ndarray
    after: np.ndarray

    def of(self, S: np.ndarray) -> np.ndarray:
        """S+ (n, d).

        Raises:
            InvalidValue: E319, the motion grazes.
        """
        dt = self.delay(S)
        # S+ = g_y (S + f- dt) + g_t dt + g_p - f+ dt
        return self.map.along(S, dt, self.before) - np.outer(self.after, dt)

    def delay(self, S: np.ndarray) -> np.ndarray:
        """How the time of the instant changes with each name (d,)."""
        h = self.guard
        speed = float(h.y[0] @ self.before + h.t[0])
        sees = h.y[0] != 0
        if abs(speed) <= GRAZES * float(np.linalg.norm(h.y[0]) * np.linalg.norm(self.before[sees]) + abs(h.t[0])):
            raise refused(f"the motion grazes {self.where}, where derivatives have no bound")
        return np.asarray(-(h.y @ S + h.p)[0] / speed)


def refused(fact: str) -> InvalidValue:
    """E319: a motion that has no derivatives from some instant on."""
    return InvalidValue("E319", fact, "end before")


# --- How the velocities after an impact that follows a course depend on state, time and parameters -------------------
# A course is made of pieces, of which some are integrated: u+ is a smooth function of what it begins with as long as
# the pieces are the same ones. It is differentiated by differences of the fourth order, whose error is that of the
# course.

_STEPS = (1e-3, 1e-4, 1e-5)  # of the size of what is moved: the largest on which the pieces are the same
_STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))  # f' = sum w_i f(x + i h)/h + O(h^4)


@dataclass(frozen=True, eq=False)
class Coursed:
    """An impact by courses.

    Attributes:
        eye: sees the system.
        closed: contacts that touch in it.
        where: of the impact, in words.
        lasting: those that touch without speed before it, and those that do not slip there.
    """

    eye: Eye
    closed: Sequence[str]
    where: str
    lasting: tuple[Sequence[str], Sequence[str]] = ((), ())

    def slopes(self, t: float, y: np.ndarray, by: Sequence[str]) -> StateSlopes:
        """Derivatives of u+, k functions, at the state before (n,) (E319 where the pieces change)."""
        return self._touching(t, y)._slopes(t, y, by)

    def _slopes(self, t: float, y: np.ndarray, by: Sequence[str]) -> StateSlopes:
        eye, sizes = self.eye, self._sizes(y)
        columns = [self._column(partial(_moved, eye, t, y, i), sizes[i]) for i in range(len(y))]
        by_time = self._column(lambda h: (eye, t + h, y), max(abs(t), 1.0))
        named = [self._named(eye, t, y, name) for name in by]
        return StateSlopes(np.array(columns).T, by_time, np.array(named).T.reshape(len(by_time), len(by)))

    def _touching(self, t: float, y: np.ndarray) -> Coursed:
        """With what touches, and what does not slip there, before the impact."""
        now = self.eye.see(t, y)
        small = {name: NEAR * now.terms[name] for name in now.parts(self.closed)}
        closed = [n for n in now.whole(list(small)) if abs(now.touching[n].rate) <= small[n]]
        still = [n for n in now.parts(closed) if now.touching[n].mu_static > 0]
        return replace(
            self, lasting=(closed, [n for n in still if np.abs(now.touching[n].slip).max(initial=0.0) <= small[n]])
        )

    def _named(self, eye: Eye, t: float, y: np.ndarray, name: str) -> np.ndarray:
        """Derivatives by a parameter; 0 for the name of a start value."""
        if name not in eye.parameters:
            return np.zeros(len(eye.equations.space.velocities))
        value = eye.parameters[name]
        return self._column(lambda h: (_with(eye, name, value + h), t, y), abs(value) or 1.0)

    def _sizes(self, y: np.ndarray) -> np.ndarray:
        """Of coordinates 1 or more, of velocities the largest."""
        k = len(self.eye.equations.space.velocities)
        return np.r_[np.maximum(np.abs(y[:-k]), 1.0), np.full(k, np.abs(y[-k:]).max())]

    def _column(self, at: Callable[[float], tuple[Eye, float, np.ndarray]], size: float) -> np.ndarray:
        """du+/dx, x moved by h in `at`."""
        _, pieces = self._after(*at(0.0))
        for step in _STEPS:
            h = step * size
            try:
                found = [self._after(*at(i * h)) for i, _ in _STENCIL]
            except NoCourse:
                continue
            if all(words == pieces for _, words in found):
                return np.asarray(sum(w * u for (_, w), (u, _) in zip(_STENCIL, found, strict=True)) / h)
        raise refused(f"the course of the impact at {self.where} is made of other pieces right beside it")

    def _after(self, eye: Eye, t: float, y: np.ndarray) -> tuple[np.ndarray, list[tuple[str, ...]]]:
        """u+, and of which pieces it was made."""
        now = eye.see(t, y)
        # contacts that touch without speed go on to do so in motions beside this one
        if any(self.lasting):
            now = now.pushed(held(now, *self.lasting) - now.u)
        courses = Courses(now, self.closed)
        du, _ = courses.done()
        return now.u + du, courses.words


def _moved(eye: Eye, t: float, y: np.ndarray, i: int, h: float) -> tuple[Eye, float, np.ndarray]:
    """The state with one value moved."""
    moved = y.copy()
    moved[i] += h
    return eye, t, moved


def _with(eye: Eye, name: str, value: float) -> Eye:
    """Another value of a parameter."""
    parameters: Mapping[str, float] = {**eye.parameters, name: value}
    return replace(eye, parameters=parameters)


# --- How the velocities that contacts push to depend on state, time and parameters -----------------------------------
#     W du = J^T nu + sum_c (A_c - mu_c d_c B_c)^T N_c + B_c^T T_c
#     J du = 0 ,     A_c du = -(1 + e) rate_c ,     B_c du = -slip_c  where it sticks
#
# What each contact does in the impact is known; then these are equations F(du, N, T; t, y, p) = 0, and their solution
# has the derivatives -(dF/dx)^-1 dF of an implicit function.

Pair = tuple[Sequence[Node], Node, Sequence[Node]]  # of an impulse its row, what is 0, and its column
_OWN = "'pushed "  # begins the names of what is solved for


@dataclass(frozen=True, eq=False)
class ContactNodes:
    """Nodes of one contact: its normal and slips, their rates, and its laws."""

    name: str
    master: str
    A: Sequence[Node]
    B: Sequence[Sequence[Node]]
    rate: Node
    slip: Sequence[Node]
    mu: Node
    restitution: Node


def rows_of(eye: Eye) -> dict[str, ContactNodes]:
    """All contacts on the graph of the form."""
    rows, found = eye.contacts.rows, {}
    for i, (name, at) in enumerate(eye.first.items()):
        along = range(at + 1, at + 1 + eye.contacts.slips[name])
        mu, _, e = rows.coefficients[i]
        N, phi = rows.form.N, rows.phi
        B, slip = [N[s] for s in along], [phi[s] for s in along]
        found[name] = ContactNodes(name, eye.contacts.masters[name], N[at], B, phi[at], slip, mu, e)
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

    def slopes(self, t: float, y: np.ndarray, du: np.ndarray, by: Sequence[str]) -> StateSlopes:
        """Derivatives of u+ = u + du, k functions, at the state before (n,) with the jump (k,) that follows there."""
        states, k = self.eye.equations.states, len(du)
        graph = self.eye.contacts.rows.form.f[0].graph
        jumps = [f"{_OWN}du {a}" for a in range(k)]
        F, pulls = self._equations([graph.symbol(name) for name in jumps])
        own = [*jumps, *pulls]
        values = {**self.eye.parameters, **dict(zip(states, y, strict=True)), TIME.name: t}
        values |= dict(zip(own, du, strict=False)) | dict.fromkeys(pulls, 0.0)
        values |= dict(zip(pulls, self._impulses(F[:k], pulls, values), strict=True))
        found = StateSlopes.of(F, [*states, *own], by, values)
        n = len(states)
        # dF/dx dx = -dF
        dx = -np.linalg.pinv(found.y[:, n:], rcond=1e-12)[:k]
        slopes = StateSlopes(dx @ found.y[:, :n], dx @ found.t, dx @ found.p)
        slopes.y[:, n - k :] += np.eye(k)
        return slopes

    def _impulses(self, balance: Sequence[Node], pulls: Sequence[str], values: Mapping[str, object]) -> np.ndarray:
        """Impulses with which W du = C mu: F is linear in them."""
        if not pulls:
            return np.empty(0)
        off = np.array(evaluate(balance, values), float)
        C = StateSlopes.of(balance, list(pulls), (), values).y
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

    def _pairs(
        self, row: ContactNodes, choice: Choice, every: Mapping[str, ContactNodes], jump: Sequence[Node]
    ) -> list[Pair]:
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

    def _rubbed(self, column: Sequence[Node], row: ContactNodes, choice: Choice, jump: Sequence[Node]) -> list[Node]:
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
