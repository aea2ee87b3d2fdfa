"""The leanest exact form of equations of motion: as few states as there are freedoms, and nothing to project.

    qdot = E(q) u ,   sdot = rates(t, q, s) ,   u = velocities(t, q, s)

The speeds s parametrise the velocities that the constraints allow, so that linear and affine constraints hold
identically. Relations between positions and unit lengths still have to be kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..calculus.formulas import formulas
from ..calculus.frame import TIME, Frame
from ..calculus.graph import SYMBOL, Graph, Node, evaluate, live
from ..calculus.latex import dotted, letter, letters
from ..calculus.store import LEAVES
from ..calculus.substitution import carried
from .form import stack
from .sheet import COLUMNS
from .typeset import Sheet

CLEAR = 0.02  # of the row that it was made from: what a chart has to be
POSITIVE = 1e-10  # of the entry that it is left over from: what a pivot has to be


@dataclass(frozen=True)
class Lean:
    """Rates of the states, and what leads from them to velocities and back.

    Attributes:
        title: of the system.
        frame: coordinates, velocities and how the first move with the second.
        graph: the expression graph that holds it all.
        speeds: names of the speeds s; one that is a velocity has its name.
        rates: d/dt of q and of s (n + r).
        velocities: u(t, q, s), in the order of the space (k).
        origin: s(t, q, u), of velocities that the constraints allow (r).
        power: dE/dt along the motion, from forces, moving constraints and explicit time.
        charts: functions of the state that must keep away from 0, each with the size of the row that it was made
            from; where one comes near to 0 the form is to be made anew.
        pivots: of the matrix of the speeds' kinetic energy, > 0, each with the entry that it is left over from.
    """

    title: str
    frame: Frame
    graph: Graph
    speeds: tuple[str, ...]
    rates: tuple[Node, ...]
    velocities: tuple[Node, ...]
    origin: tuple[Node, ...]
    power: Node
    charts: tuple[tuple[Node, Node], ...]
    pivots: tuple[tuple[Node, Node], ...]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates q."""
        return tuple(q.name for q in self.frame.coordinates)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states in order."""
        return (*self.coordinates, *self.speeds)

    @property
    def moving_pivots(self) -> tuple[tuple[Node, Node], ...]:
        """Those of the pivots that depend on the state or on time."""
        return tuple(pair for pair in self.pivots if self.graph.reach[pair[0].index] & self._moving)

    @property
    def _moving(self) -> int:
        """Bits of the states and of time."""
        bits = 0
        for name in (*self.states, TIME.name):
            bits |= self.graph.reach[self.graph.symbol(name).index]
        return bits

    def operations(self) -> dict[str, int]:
        """Operations of one evaluation of the rates by kind, and their ``"total"``.

        What depends on parameters alone is computed once a run and is not counted.
        """
        nodes, reach, moving = self.graph.nodes, self.graph.reach, self._moving
        count: dict[str, int] = {}
        for i in live(self.rates):
            operation = nodes[i][0]
            if operation not in LEAVES and reach[i] & moving:
                count[operation] = count.get(operation, 0) + 1
        return {**count, "total": sum(count.values())}

    def start(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """The states (..., n + r) for values of coordinates, velocities, parameters and time."""
        speeds = evaluate(list(self.origin), values)
        return stack([*(values[name] for name in self.coordinates), *speeds], values)

    def regular(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """Are all charts and pivots well away from 0 (...), at coordinates, velocities, parameters and time?"""
        states = np.moveaxis(self.start(values), -1, 0)
        known = {**values, **dict(zip(self.states, states, strict=True))}
        clear = np.ones(states.shape[1:], bool)
        with np.errstate(all="ignore"):
            for chart, size in self.charts:
                clear &= np.abs(evaluate([chart], known)[0]) >= CLEAR * evaluate([size], known)[0]
            for pivot, entry in self.pivots:
                clear &= evaluate([pivot], known)[0] > POSITIVE * np.abs(evaluate([entry], known)[0])
        return clear

    def motion(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """The velocities u (..., k) for values of states, parameters and time."""
        return stack(evaluate(list(self.velocities), values), values)

    def lowered(self, outputs: Sequence[Node]) -> list[Node]:
        """Functions of t, q, u as functions of t, q, s, on a graph of their own."""
        graph = Graph()
        velocities = carried(self.velocities, graph)
        return carried(outputs, graph, dict(zip((u.name for u in self.frame.velocities), velocities, strict=True)))

    # --- for the eye ---------------------------------------------------------------------------------------------

    def text(self, width: int | None = None) -> str:
        """The equations as plain text, ``'`` being the time derivative; rows longer than `width` are cut."""
        return self._sheet().text({_rate(name): f"{name}'" for name in self.speeds}, width)

    def latex(self) -> str:
        """The equations as a LaTeX ``aligned`` environment that fits a page."""
        q, u = self.frame.coordinates, self.frame.velocities
        names = letters(q, dict(zip(q, self.frame.rates, strict=True)), u)
        shown = {s.name: names[s] for s in u}
        names |= {_rate(name): dotted(shown.get(name, letter(name))) for name in self.speeds}
        return self._sheet().latex(names)

    def _sheet(self) -> Sheet:
        """The speeds, what is computed more than once, and the rates."""
        symbols = {s.name: s for s in (*self.frame.coordinates, *self.frame.velocities)}
        free = [(name, y) for name, y in zip(self.speeds, self.origin, strict=True) if y.key != (SYMBOL, name)]
        moving = [] if self._plain else list(zip((u.name for u in self.frame.velocities), self.velocities, strict=True))
        driven = [(name, y) for name, y in moving if y.key != (SYMBOL, name)]
        found = formulas([*(y for _, y in free), *(y for _, y in driven), *self.rates], symbols)
        parts = iter(found.expressions)
        named = [(_symbol(name, symbols), next(parts)) for name, _ in (*free, *driven)]
        qdot = {q: next(parts) for q in self.frame.coordinates}
        motion = [(_rate(name), next(parts)) for name in self.speeds]
        header = f"{self.title or 'System'}: nonholonomic, in speeds that the constraints leave free"
        definitions = [*found.definitions, *named]
        return Sheet(header, "nonholonomic", r"\dot q = E u(q, s)", motion, {}, qdot, definitions)

    @property
    def _plain(self) -> bool:
        """Are the velocities rates of the coordinates?"""
        return self.frame.rates == self.frame.velocities

    def __str__(self) -> str:
        return self.text(COLUMNS)


def _rate(name: str) -> sp.Symbol:
    return sp.Symbol(f"{name}:dot")


def _symbol(name: str, known: Mapping[str, sp.Symbol]) -> sp.Symbol:
    return known.get(name, sp.Symbol(name, real=True))


def speed_names(count: int, taken: Sequence[str]) -> list[str]:
    """Names s1, s2, ... that nothing else has."""
    letter = next(name for name in ("s", "sigma", "speed") if not any(f"{name}{i + 1}" in taken for i in range(count)))
    return [f"{letter}{i + 1}" for i in range(count)]
