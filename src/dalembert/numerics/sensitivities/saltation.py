"""What an instant does to the derivatives of a motion: its saltation.

Where h(t, y, p) = 0 the state y becomes g(t, y, p), and the rates f- become f+. A neighbour comes there later by dt:

    (h_y f- + h_t) dt = -(h_y S + h_p) ,     S+ = g_y (S + f- dt) + g_t dt + g_p - f+ dt ,     S = dy/dp

[dibernardo2008]. Where h_y f- + h_t = 0 the motion grazes, and derivatives have no bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...errors import InvalidValue

GRAZES = 1e-5  # of the rate of a guard that is met straight: below it a motion grazes


@dataclass(frozen=True, eq=False)
class Slopes:
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
    ) -> Slopes:
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
    guard: Slopes
    map: Slopes
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
