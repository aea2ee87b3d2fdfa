"""What is seen of a motion: expressions along it, and their derivatives by what the motion was differentiated by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate, gradient, symbols
from ...equations import Equations
from ...errors import InvalidValue, UnknownName, as_given, did_you_mean
from ..inputs.input_signal import Drive, piece
from ..inputs.run_inputs import Steering, fresh_name


@dataclass(frozen=True, eq=False)
class Observed:
    """Expressions f(t, y, p) on a graph, with their slopes by the states and by some of the other names.

    Attributes:
        values: one node for each expression, c of them.
        slopes: for each expression its derivatives by `states` and then by `others`.
        states: names y (n,).
        others: the other names by which is differentiated: parameters, or names that only the expressions have.
    """

    values: tuple[Node, ...]
    slopes: tuple[tuple[Node, ...], ...]
    states: tuple[str, ...]
    others: tuple[str, ...]

    @classmethod
    def of(cls, expressions: Sequence[Any], states: Sequence[str], others: Sequence[str]) -> Observed:
        """The expressions (SymPy), read once."""
        graph = Graph()
        nodes = tuple(read(e, graph) for e in expressions)
        by = [graph.symbol(name) for name in (*states, *others)]
        return cls(nodes, tuple(tuple(gradient(node, by)) for node in nodes), tuple(states), tuple(others))

    @property
    def names(self) -> set[str]:
        """All names in the expressions."""
        return symbols(list(self.values))

    def along(self, t: np.ndarray, states: np.ndarray, known: Mapping[str, object]) -> np.ndarray:
        """Values (N, c) at times (N,) and states (N, n).

        Raises:
            UnknownName: E317, an expression has a name that is neither a state nor known.
        """
        return self._numbers(self.values, t, states, known)

    def tangents(
        self, t: np.ndarray, states: np.ndarray, known: Mapping[str, object], S: np.ndarray, by: Sequence[str]
    ) -> np.ndarray:
        """d f / d by (N, c, d) from S = d y / d by (N, n, d); where `by` is one of `others`, its own part is added."""
        n, width = len(self.states), len(self.states) + len(self.others)
        flat = self._numbers([s for row in self.slopes for s in row], t, states, known)
        partial = flat.reshape(len(t), len(self.values), width)
        # df/dp = (df/dy) (dy/dp) + (df/dp)
        total = np.einsum("tcn,tnd->tcd", partial[:, :, :n], S)
        for place, name in enumerate(by):
            if name in self.others:
                total[:, :, place] += partial[:, :, n + self.others.index(name)]
        return total

    def _numbers(
        self, nodes: Sequence[Node], t: np.ndarray, states: np.ndarray, known: Mapping[str, object]
    ) -> np.ndarray:
        every = {**known, **dict(zip(self.states, states.T, strict=True)), TIME.name: t}
        try:
            found = [np.broadcast_to(np.asarray(v, float), t.shape) for v in evaluate(list(nodes), every)]
        except KeyError as error:
            name = str(error.args[0])
            raise UnknownName("E317", f"the motion has no {as_given(name)}", did_you_mean(name, list(every))) from None
        return np.stack(found, axis=1) if found else np.empty((len(t), 0))


# --- Inputs of a motion that is differentiated: by what of them, and how they change along it ------------------------
# By its name an input moves at all times alike; by the values of its table it moves as they do:
#
#     w = f(t, y, p) + e ,     w = sum_k v_k b_k(t) ,   b_k the table that is 1 at t_k and 0 at its other times
#
# Both are formulas with one more coefficient, e or e b_k with e = 0, and what is known of derivatives by parameters
# holds for them: of starts, at walls, of constraints that an input drives.

_VALUE = re.compile(r"(.+)\[(0|[1-9]\d*)\]")  # tau[3]


@dataclass(frozen=True, eq=False)
class Driven:
    """Inputs along a motion.

    Attributes:
        names: of them.
        values: (N, i); at an instant at which they jump, those behind it.
        slopes: their derivatives along the motion (N, i, d), through the states too.
    """

    names: tuple[str, ...]
    values: np.ndarray
    slopes: np.ndarray


@dataclass(frozen=True, eq=False)
class Ways:
    """What of inputs is moved, each by a coefficient of a name of its own.

    Attributes:
        equations: whose inputs they are.
        by: names by which is differentiated, as they were given; None for all.
    """

    equations: Equations
    by: Sequence[str] | None

    def varied(self, drive: Drive) -> Drive:
        """What drives an input, with a coefficient for each way.

        Raises:
            InvalidValue: E319, it is a function of Python.
            UnknownName: E202, a value that it has not.
        """
        if drive.sampled is not None:
            fact = f"the input {drive.name} is {drive.told}: how it depends on states and parameters cannot be seen"
            remedy = 'give the law as a formula, "-k*theta", or what it said as a table: (path.t, path[name])'
            raise InvalidValue("E319", fact, remedy, subject=("inputs", drive.name))
        places = [k for name, k in map(value_of, self.by or ()) if name == drive.name]
        _check_places(drive, places)
        if places or (drive.formula is not None and (self.by is None or drive.name in self.by)):
            drive = _moved(self._written(drive), self._named("moved", drive.name))
        for k in places:
            assert drive.table is not None
            unit = np.zeros(len(drive.table.times))
            unit[k] = 1.0
            pieces = replace(drive.table, values=unit).pieces
            names = [self._named("unit", drive.name, k, power) for power in range(pieces.shape[1])]
            drive = _moved(drive, self._named("moved", drive.name, k), names, pieces)
        return drive

    def within(self, steering: Steering, name: str) -> str:
        """What the steered equations call a name by which is differentiated."""
        if name in steering.formulas:
            return self._named("moved", name)
        base, k = value_of(name)
        return self._named("moved", base, k) if base in steering.formulas else name

    def known(self, steering: Steering, parameters: Mapping[str, float]) -> list[str]:
        """Parameters and inputs by which may be differentiated."""
        return sorted({*parameters, *steering.formulas} - {*steering.coefficients})

    def _written(self, drive: Drive) -> Drive:
        """The same with a formula; of a value that is held it is this value."""
        if drive.formula is not None:
            return drive
        held = self._named("held", drive.name)
        return replace(drive, coefficients=(held,), formula=sp.Symbol(held, real=True))

    def _named(self, word: str, name: str, *numbers: int) -> str:
        """A name that nothing else has."""
        place = self.equations.system.inputs.index(name)
        return fresh_name(self.equations, word + "_".join(map(str, (place, *numbers))))


def value_of(name: str) -> tuple[str, int]:
    """Of the name of a table's value, as tau[3], the input and the number; of another name nothing."""
    found = _VALUE.fullmatch(name)
    return ("", 0) if found is None else (found[1], int(found[2]))


def _check_places(drive: Drive, places: Sequence[int]) -> None:
    """E202: the input has no such value."""
    count = 0 if drive.table is None else len(drive.table.times)
    wrong = next((k for k in places if k >= count), None)
    if wrong is None:
        return
    told = f"has {count} values, {drive.name}[0] to {drive.name}[{count - 1}]" if count else "is no table"
    raise UnknownName("E202", f"there is no {drive.name}[{wrong}]: the input {told}", f'by=["{drive.name}"]')


def _moved(drive: Drive, name: str, units: Sequence[str] = (), pieces: np.ndarray | None = None) -> Drive:
    """With one more coefficient, of value 0, times a table whose pieces (K, c) are given, by default 1."""
    assert drive.formula is not None
    count = len(drive.rows)
    # w = ... + e (b_0 + (t - t_k) (b_1 + ...))
    factor, rows = (sp.Integer(1), np.zeros((count, 0))) if pieces is None else (piece(units, drive.origin), pieces)
    formula = drive.formula + sp.Symbol(name, real=True) * factor
    wider = np.column_stack([drive.rows, np.zeros(count), rows])
    return replace(drive, coefficients=(*drive.coefficients, name, *units), formula=formula, rows=wider)


def along(
    equations: Equations,
    steering: Steering,
    parameters: Mapping[str, float],
    at: tuple[np.ndarray, np.ndarray, np.ndarray],
    by: Sequence[str],
) -> Driven:
    """The inputs along a motion, of whose times (N,), states (N, n) and derivatives (N, n, d) `at` consists."""
    t, states, S = at
    if not steering.drives:
        return Driven((), np.empty((len(t), 0)), np.empty((len(t), 0, len(by))))
    names, known = [drive.name for drive in steering.drives], dict[str, float | np.ndarray](parameters)
    for drive in steering.drives:
        known |= drive.along(t)
    formulas = [drive.formula or sp.Symbol(drive.name, real=True) for drive in steering.drives]
    seen = Observed.of(formulas, equations.states, [name for name in by if name not in equations.states])
    return Driven(tuple(names), seen.along(t, states, known), seen.tangents(t, states, known, S, by))
