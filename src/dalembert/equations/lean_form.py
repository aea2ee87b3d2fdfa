"""The leanest exact form of equations of motion: as few states as there are freedoms, and nothing to project.

    qdot = E(q) u ,   sdot = rates(t, q, s) ,   u = velocities(t, q, s)

The speeds s parametrise the velocities that the constraints allow, so that linear and affine constraints hold
identically. Relations between positions and unit lengths still have to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..argument_checks import switch, whole
from ..calculus.fork_locks import lock
from ..calculus.frame import TIME, Frame
from ..calculus.graph import SYMBOL, Graph, Node, evaluate, live
from ..calculus.jacobians import stack
from ..calculus.node_store import LEAVES
from ..calculus.substitution import carried
from . import code
from .start import Start

if TYPE_CHECKING:
    from ..calculus.symbol_letters import Alphabet
    from . import Equations
    from .typeset import Sheet


FAIR, CLEAR = 0.1, 0.02  # of the row that it was made from: what a chart should be, and what it has to be
MANY = 24  # velocities, above which what the structure of the system gives is taken unseen
LONGER = 1.3  # than what is computed: what is printed at most
POSITIVE = 1e-10  # of the entry that it is left over from: what a pivot has to be
MOST = 5000  # operations of rates that are written for the eye
_FORMULA = r"\dot q = E u(q, s)"
_TEXT, _PROGRAM = ".text() writes them out", ".to_python() and .to_c() write them as programs"
TIES = 1e-9  # of the largest share, within which the first of several counts


def largest(share: np.ndarray) -> np.ndarray:
    """Where rows (..., K) are largest; the first of places as large but for rounding, which must not decide."""
    return np.asarray(np.argmax(share >= (1 - TIES) * share.max(axis=-1, keepdims=True), axis=-1))


@dataclass(frozen=True)
class PivotChoice:
    """One pivot among the entries of a row, of which each may vanish somewhere.

    Attributes:
        entries: functions of coordinates, parameters and time.
        squares: of the velocity that each of their speeds makes.
        place: which of them was taken.
    """

    entries: tuple[Node, ...]
    squares: tuple[Node, ...]
    place: int

    def best(self, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Which of them is the largest at each of the states whose values are arrays (S,)."""
        return largest(self.parts(stack(evaluate(self.nodes, values), values)))

    def best_at(self, values: Mapping[str, float]) -> int:
        """Which of them is the largest at one state, of plain numbers."""
        return int(largest(self.parts(np.array([evaluate(self.nodes, values)], float)))[0])

    @property
    def nodes(self) -> list[Node]:
        """What shares are made of: the entries and the squares."""
        return [*self.entries, *self.squares]

    def parts(self, found: np.ndarray) -> np.ndarray:
        """What part of the row each is, (S, entries), from the values of `nodes`, (S, 2 entries).

        Each counts by the velocity that its speed makes.
        """
        entries, squares = np.split(found, 2, axis=1)
        there = squares > 0
        with np.errstate(invalid="ignore"):
            sizes = np.where(there, np.abs(entries) / np.sqrt(np.where(there, squares, 1.0)), 0.0)
            whole = np.linalg.norm(sizes, axis=1, keepdims=True)
            return np.asarray(sizes / np.where(whole > 0, whole, 1.0))


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
        choices: that were made to come here, in order; another state may want others.
        equations: of which it is the lean form, where `Equations.lean` gave it.
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
    choices: tuple[PivotChoice, ...] = ()
    equations: Equations | None = field(default=None, repr=False, compare=False)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The places of its pivots, by which forms of the same equations are told apart."""
        return tuple(choice.place for choice in self.choices)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates q."""
        return tuple(q.name for q in self.frame.coordinates)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states in order."""
        return (*self.coordinates, *self.speeds)

    @cached_property
    def meanings(self) -> dict[str, sp.Expr]:
        """What those of the speeds are that are no velocities, of coordinates and velocities."""
        from ..calculus.subexpressions import formulas

        free = [(name, y) for name, y in zip(self.speeds, self.origin, strict=True) if y.key != (SYMBOL, name)]
        symbols = {s.name: s for s in (*self.frame.coordinates, *self.frame.velocities)}
        found = formulas([y for _, y in free], symbols).unfolded()
        return {name: e for (name, _), e in zip(free, found, strict=True)}

    @property
    def moving_pivots(self) -> tuple[tuple[Node, Node], ...]:
        """The pivots that depend on the state or on time."""
        return tuple(pair for pair in self.pivots if self.graph.reach[pair[0].index] & self._moving)

    @property
    def _moving(self) -> int:
        """Bits of the states and of time."""
        return self.graph.bits((*self.states, TIME.name))

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

    def regular(self, values: Mapping[str, ArrayLike], share: float = CLEAR) -> np.ndarray:
        """Are all charts and pivots well away from 0 (...), at coordinates, velocities, parameters and time?

        `share` is what charts have to be, of the row that each was made from.
        """
        speeds = evaluate(list(self.origin), values)
        if all(type(speed) is float for speed in speeds):
            return np.asarray(self._clear({**values, **dict(zip(self.speeds, speeds, strict=True))}, share))
        states = [*(values[name] for name in self.coordinates), *speeds]
        known = {**values, **dict(zip(self.states, states, strict=True))}
        clear = np.ones(np.broadcast_shapes(*map(np.shape, known.values())), bool)
        found = iter(evaluate([node for pair in (*self.charts, *self.pivots) for node in pair], known))
        with np.errstate(all="ignore"):
            for _ in self.charts:
                clear &= np.abs(next(found)) >= share * next(found)
            for pivot, entry in zip(found, found, strict=True):
                clear &= pivot > POSITIVE * np.abs(entry)
        return clear

    def _clear(self, known: Mapping[str, ArrayLike], share: float) -> bool:
        """The same at one state. Charts are short, pivots long: these are asked where none of those is small."""
        found = evaluate([node for pair in self.charts for node in pair], known)
        if not all(abs(chart) >= share * row for chart, row in zip(found[::2], found[1::2], strict=True)):
            return False
        found = evaluate([node for pair in self.pivots for node in pair], known)
        return all(pivot > POSITIVE * abs(entry) for pivot, entry in zip(found[::2], found[1::2], strict=True))

    def health(self, graph: Graph) -> Node:
        """The least of charts and pivots, each in units of the least that it may be, on a graph; 1 without any."""
        shares: list[Node] = []
        for pairs, least in ((self.charts, CLEAR), (self.pivots, POSITIVE)):
            tops, sizes = (carried([pair[side] for pair in pairs], graph) for side in (0, 1))
            apart = pairs is self.charts  # a pivot is to be positive, a chart may have either sign
            shares += [
                (graph.apply("abs", top) / size if apart else top / graph.apply("abs", size)) / least
                for top, size in zip(tops, sizes, strict=True)
            ]
        return reduce(lambda a, b: graph.apply("min", a, b), shares) if shares else graph.constant(1.0)

    def motion(self, values: Mapping[str, ArrayLike]) -> np.ndarray:
        """The velocities u (..., k) for values of states, parameters and time."""
        return stack(evaluate(list(self.velocities), values), values)

    def lowered(self, outputs: Sequence[Node]) -> list[Node]:
        """Functions of t, q, u as functions of t, q, s, on a graph of their own."""
        graph = Graph()
        velocities = carried(self.velocities, graph)
        return carried(outputs, graph, dict(zip((u.name for u in self.frame.velocities), velocities, strict=True)))

    # --- elsewhere -----------------------------------------------------------------------------------------------

    def to_python(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        start: Start | Mapping[str, object] | None = None,
        until: float | None = None,
    ) -> str:
        """A module of Python as of `Equations.to_python`, which integrates (q, s) and prints q and the velocities.

        Its functions are ``rhs``, ``velocities``, ``from_velocities``, ``health`` and ``residual``, of parameters that
        ``prepare`` has completed. Where a start is given the form is one that is regular there.

        Raises:
            DalembertError: what `Equations.start` raises, E202, E204 for parameters, E301, E302 for no later time.
            Singular: E162, no lean form is regular at the start.
        """
        return code.python.text(code.doubted(code.of_lean(self, parameters, start), 4).to(until))

    def to_c(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        start: Start | Mapping[str, object] | None = None,
        main: bool = False,
        until: float | None = None,
    ) -> str:
        """The lean form as one file of C99, with a main where asked; arguments and errors as of `to_python`."""
        return code.c.text(code.doubted(code.of_lean(self, parameters, start), 4).to(until), switch(main, "main"))

    def to_fmu(
        self,
        file: str | Path,
        *,
        start: Start | Mapping[str, object] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        binary: bool | None = None,
        overwrite: bool = False,
    ) -> Path:
        """A Functional Mock-up Unit in (q, s), with the other velocities and ``health`` beside them.

        Linear and affine constraints hold whatever the states are; only relations between positions and unit lengths
        drift. Where ``health`` is below 1 it asks for the end of the simulation. Arguments as of `Equations.to_fmu`.

        Raises:
            DalembertError: as of `Equations.to_fmu`.
            Singular: E162, no lean form is regular at the start.
        """
        return code.fmu.export(
            lambda: code.fmu.in_free_speeds(self, start, parameters, inputs),
            file,
            f"{self.title} in free speeds",
            None if binary is None else switch(binary, "binary"),
            switch(overwrite, "overwrite"),
        )

    def to_javascript(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        start: Start | Mapping[str, object] | None = None,
        until: float | None = None,
    ) -> str:
        """The lean form as one file of JavaScript; arguments and errors as of `to_python`."""
        return code.javascript.text(code.doubted(code.of_lean(self, parameters, start), 4).to(until))

    # --- for the eye ---------------------------------------------------------------------------------------------

    def text(self, width: int | None = None) -> str:
        """The equations as plain text, ``'`` being the time derivative; rows longer than `width` are broken."""
        return self._shortest.text(self._alphabet, width)

    def latex(self, width: int | None = None) -> str:
        """The equations as a LaTeX ``aligned`` environment that fits a page, or a column of `width` letters."""
        return self._shortest.latex(self._alphabet, column=None if width is None else whole(width, "width", least=1))

    @property
    def _alphabet(self) -> Alphabet:
        """Letters of coordinates, velocities and speeds."""
        from ..calculus.symbol_letters import VELOCITY, Alphabet, letters

        q, u = self.frame.coordinates, self.frame.velocities
        given = {} if self.equations is None else self.equations.system.letters
        names = letters(q, dict(zip(q, self.frame.rates, strict=True)), u, given)
        return Alphabet(names, {**names.ranks, **dict.fromkeys(self.speeds, VELOCITY)})

    @cached_property
    def _shortest(self) -> Sheet:
        """As a person writes them down; as they are computed, where that is much shorter; counted where it is long."""
        from .quasi_velocity_form import small
        from .typeset import Sheet

        total = self.operations()["total"]
        if total > MOST:
            return Sheet(self._header, self._principle, _FORMULA, [], {}, {}, counted=total, ways=(_PROGRAM, _PROGRAM))
        written, form = self._sheet(), self.equations and self.equations.matrix_form()
        if not form or form.speeds != self.speeds:
            return written
        moving = [*self.states, *(u.name for u in self.frame.velocities), TIME.name]
        solved = small(form, self.title, self._principle, moving)
        if solved is None or solved.characters > LONGER * written.characters:
            return written
        return solved

    def _sheet(self) -> Sheet:
        """The speeds, what is computed more than once, and the rates."""
        from ..calculus.subexpressions import formulas
        from .quasi_velocity_form import rate
        from .typeset import Sheet

        symbols = {s.name: s for s in (*self.frame.coordinates, *self.frame.velocities)}
        free = [(name, y) for name, y in zip(self.speeds, self.origin, strict=True) if y.key != (SYMBOL, name)]
        moving = [] if self._plain else list(zip((u.name for u in self.frame.velocities), self.velocities, strict=True))
        driven = [(name, y) for name, y in moving if y.key != (SYMBOL, name)]
        found = formulas([*(y for _, y in free), *(y for _, y in driven), *self.rates], symbols)
        parts = iter(found.expressions)
        named = [(symbols.get(name, sp.Symbol(name, real=True)), next(parts)) for name, _ in (*free, *driven)]
        qdot = {q: next(parts) for q in self.frame.coordinates}
        motion = [(rate(name), next(parts)) for name in self.speeds]
        definitions = [*found.definitions, *named]
        return Sheet(self._header, self._principle, _FORMULA, motion, {}, qdot, definitions, ways=(_TEXT, _PROGRAM))

    @property
    def _header(self) -> str:
        return f"{self.title or 'System'}: {self._principle}, in speeds that the constraints leave free"

    @property
    def _principle(self) -> str:
        """By which it moves."""
        return "nonholonomic" if self.equations is None else self.equations.principle

    @property
    def _plain(self) -> bool:
        """Are the velocities rates of the coordinates?"""
        return self.frame.rates == self.frame.velocities

    def __str__(self) -> str:
        from .printed_sheet import COLUMNS

        return self.text(COLUMNS)


def speed_names(count: int, taken: Sequence[str]) -> list[str]:
    """Names s1, s2, ... that nothing else has."""
    letter = next(name for name in ("s", "sigma", "speed") if not any(f"{name}{i + 1}" in taken for i in range(count)))
    return [f"{letter}{i + 1}" for i in range(count)]


# --- charts: one lean form for each choice of pivots that a state has asked for --------------------------------------
# Where constraints say some velocities by others, a coefficient is divided by, and its zeros are poles of the form
# though not of the motion. Another choice of the velocities that go has its poles elsewhere. The choice at a state is
# that of the largest coefficients there, whatever was asked before; as there are finitely many choices, so there are
# forms.

_FORMING = lock()


class Charts:
    """Lean forms by what they have chosen.

    Args:
        first: the form that is used wherever it is far from its poles.
        around: makes the form with the largest pivots at a state.
    """

    def __init__(self, first: Lean, around: Callable[[Mapping[str, float]], Lean | None]) -> None:
        self.first, self._around = first, around
        self._known: dict[tuple[int, ...], Lean] = {first.chosen: first}

    def __len__(self) -> int:
        return len(self._known)

    def regular(self, values: Mapping[str, float]) -> Lean | None:
        """The form to begin with at coordinates, velocities, parameters and time; None where every one is singular."""
        return self.first if self.first.regular(values, FAIR) else self.best(values)

    def best(self, values: Mapping[str, float]) -> Lean | None:
        """The form with the largest pivots at a state; None where it is singular too."""
        form = self.at(values)
        return form if form.regular(values) else None

    def groups(self, values: Mapping[str, ArrayLike], count: int) -> list[tuple[np.ndarray, Lean | None]]:
        """The form to begin with at many states, given by arrays (count,) or numbers: rows, and the form of each."""
        every = {name: np.broadcast_to(np.asarray(value, float), count) for name, value in values.items()}
        fair = self.first.regular(every, FAIR)
        forms: dict[tuple[int, ...] | None, Lean | None] = {self.first.chosen: self.first, None: None}
        parts: dict[tuple[int, ...] | None, list[np.ndarray]] = {self.first.chosen: [np.flatnonzero(fair)]}
        for rows, form in self._split(every, np.flatnonzero(~fair)):
            forms[form.chosen] = form
            clear = form.regular(_of(every, rows))
            parts.setdefault(form.chosen, []).append(rows[clear])
            parts.setdefault(None, []).append(rows[~clear])
        return [(np.sort(np.concatenate(rows)), forms[chosen]) for chosen, rows in parts.items()]

    def at(self, values: Mapping[str, float]) -> Lean:
        """The form that chooses the largest pivots at a state."""
        form, chosen = self.first, tuple[int, ...]()
        with _FORMING:
            while len(chosen) < len(form.choices):
                chosen = (*chosen, form.choices[len(chosen)].best_at(values))
                if chosen != form.chosen[: len(chosen)]:
                    form = self._beginning_with(chosen, values)
        return form

    def _split(self, values: Mapping[str, np.ndarray], rows: np.ndarray) -> list[tuple[np.ndarray, Lean]]:
        """Rows of states apart by the form that chooses the largest pivots there, choice after choice."""
        found: list[tuple[np.ndarray, Lean]] = []
        waiting: list[tuple[np.ndarray, Lean, tuple[int, ...]]] = [(rows, self.first, ())] if len(rows) else []
        with _FORMING:
            while waiting:
                rows, form, chosen = waiting.pop()
                if len(chosen) == len(form.choices):
                    found.append((rows, form))
                    continue
                places = form.choices[len(chosen)].best(_of(values, rows))
                for place in sorted({*places.tolist()}):
                    some, longer = rows[places == place], (*chosen, place)
                    if longer != form.chosen[: len(longer)]:
                        there = {name: float(value[some[0]]) for name, value in values.items()}
                        waiting.append((some, self._beginning_with(longer, there), longer))
                    else:
                        waiting.append((some, form, longer))
        return found

    def _beginning_with(self, chosen: tuple[int, ...], values: Mapping[str, float]) -> Lean:
        """A form that begins with these choices; made at the one state where there is none."""
        for known, form in self._known.items():
            if known[: len(chosen)] == chosen:
                return form
        made = self._around(values)
        assert made is not None  # as the first is not
        self._known[chosen] = made
        return made


def _of(values: Mapping[str, np.ndarray], rows: np.ndarray) -> dict[str, np.ndarray]:
    return {name: value[rows] for name, value in values.items()}
