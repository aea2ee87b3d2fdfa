"""From what a person gives as starts and parameters to axes of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from ...calculus.angles import cyclic, hertz, like_degrees, turns
from ...calculus.attitudes import read_attitude, refuse_twice
from ...calculus.dimension import SECOND, Dimension
from ...calculus.frame import TIME
from ...calculus.keys import by_name
from ...calculus.meant import refuse_formula
from ...calculus.quantity import in_hertz, quantity
from ...equations import Equations, Start
from ...equations.rows import by_name_of, dropped
from ...equations.start import conventional, refuse_unknown
from ...equations.steering import NOMINAL, named
from ...errors import InvalidValue, Note, WrongType, as_given, warn
from ...errors.remedies import Code, Option
from ..inputs.read import unbroken
from .axes import MEMBER, Axis, Grid
from .doubted import doubted
from .tables import Table, as_table

Given = Any  # as users write it: numbers, text, axes, tables

SUFFIX = "_start"  # of the axes of states, as the columns of the result have their names


class Inputs(NamedTuple):
    """Starts and parameters in numbers.

    Attributes:
        grid: values of the given states and of all parameters that differ from the system's, for every member.
        t0: the time of the starts.
        states: the names of the states that are given.
        project: as of `Start`.
        shown: what is the same for all members, for the result's attributes.
        notes: what is doubted of the members.
    """

    grid: Grid
    t0: float
    states: tuple[str, ...]
    project: str | None
    shown: dict[str, Any]
    notes: tuple[Note, ...] = ()


def read(
    equations: Equations, starts: Any, parameters: Any, seed: int, driven: Mapping[str, Any] | None = None
) -> Inputs:
    """Read what is given; `driven` are numbers and axes of inputs.

    Raises:
        DalembertError: E20x, E229, E233, E235, E236, E238, E239, E241 for names, numbers, units and shapes.
    """
    gone = _left_out(equations, starts)
    starts = _of_rows(equations, starts, parameters)
    project = starts.project if isinstance(starts, Start) else None
    t0, known = _shared(starts)
    states = _columns(starts.given if isinstance(starts, Start) else starts, "starts", seed)
    others = _columns({} if parameters is None else parameters, "parameters", seed)
    held: Any = states.columns if isinstance(states, Table) else states
    if TIME.name in held:
        t0 = _time(held.pop(TIME.name))
    reader = _Reader(equations)
    first, constants = reader.axes(states, reader.state, SUFFIX)
    names = tuple(constants) + tuple(name for axis in first for name in axis.columns)
    second, values = reader.axes(others, reader.parameter, "")
    third, numbers = reader.axes(dict(driven or {}), reader.parameter, "")
    values = {**{k: float(v) for k, v in known.items() if k not in reader.seen}, **values, **numbers}
    conventions = reader.conventions(names)
    equations.system.fits(reader.dimensions)
    grid = Grid(_merged(_merged(first, second), third), {**values, **constants, **conventions})
    _check_parameters(equations, grid)
    notes = (*gone, *_turned(equations, grid), *doubted(equations, grid, reader.dimensions), *reader.in_hertz())
    return Inputs(grid, t0, (*names, *conventions), project, {**constants, **conventions}, notes)


def driven(equations: Equations, given: Given) -> tuple[Equations, dict[str, Any]]:
    """The equations with the formulas of inputs in their places, and the numbers of others, or axes of such.

    Raises:
        DalembertError: E181 to E186 of what drives an input; E186, a table, which ends, or a function.
    """
    inputs: dict[str, Any] = {} if given is None else named(equations, given)
    found = {name: value for name, value in inputs.items() if np.ndim(value) == 1 and not isinstance(value, tuple)}
    others = {name: value for name, value in inputs.items() if name not in found}
    if others:
        nominal = dict.fromkeys(equations.system.inputs, NOMINAL)
        equations, _, values, *_ = unbroken(equations, {}, others, nominal, "a sweep")
        found |= {name: value for name, value in (values or {}).items() if name in others}
    return equations, found


def _shared(starts: Any) -> tuple[float, Mapping[str, float]]:
    """The time and the parameters of a `Start`, or of a list of them."""
    rows = starts if isinstance(starts, list | tuple) else [starts]
    full = [row for row in rows if isinstance(row, Start)]
    if not full:
        return 0.0, {}
    if len(full) < len(rows) or any(row.t != full[0].t or row.parameters != full[0].parameters for row in full):
        fact = "the starts in a list were completed at different times or with different parameters"
        raise InvalidValue(
            "E241",
            fact,
            ("give the values that differ as ", Option("parameters", Code("{name: [...]}")), " or as a table"),
        )
    return full[0].t, full[0].parameters


def _left_out(equations: Equations, starts: object) -> list[Note]:
    """N234 of rows of paths among the starts, each text once."""
    rows = starts if isinstance(starts, list | tuple) else [starts]
    return list({note.text: note for row in rows for note in dropped(equations, row)}.values())


def _of_rows(equations: Equations, starts: object, parameters: object) -> Any:
    """Starts in which rows of paths are values by name."""
    said = parameters if isinstance(parameters, Mapping) else getattr(parameters, "columns", None)
    if isinstance(starts, list | tuple):
        return [by_name_of(each, [equations], said) for each in starts]
    return by_name_of(starts, [equations], said)


def _columns(given: Given, what: str, seed: int) -> dict[str, Any] | Table:
    """Values by name, or a table."""
    table = as_table(given, seed)
    if table is not None:
        return Table(_named(table.columns, what), table.dimensions)
    if not isinstance(given, Mapping):
        remedy = f"{what}={{...}}, da.ensembles.table(x=...), da.ensembles.samples(100, x=(0, 1)) or a list of mappings"
        raise WrongType("E241", f"{what} are values by name or a table, not {type(given).__name__}", remedy)
    return _named(given, what)


def _named(given: Mapping[Any, Any], what: str) -> dict[str, Any]:
    return by_name(given, what, lambda key: key if isinstance(key, str) else as_given(key))


def _time(given: Given) -> float:
    times = {quantity(t, "t", SECOND).value for t in (given if np.ndim(given) > 0 else [given])}
    if len(times) > 1:
        raise InvalidValue("E241", "the time t of the starts is one number for all members", Option("t", 0.0))
    return times.pop()


class _Reader:
    """Reads values and remembers their dimensions."""

    def __init__(self, equations: Equations) -> None:
        self.equations, self.space, self.system = equations, equations.space, equations.system
        self.dimensions: dict[str, Dimension] = {}
        self.seen: set[str] = set()
        self.texts: dict[str, str] = {}

    def axes(self, given: dict[str, Any] | Table, value: Any, suffix: str) -> tuple[list[Axis], dict[str, float]]:
        """The axes, and what is the same for all."""
        columns = given.columns if isinstance(given, Table) else given
        self.seen |= set(columns)
        if isinstance(given, Table):
            self.dimensions |= {name: has for name, has in given.dimensions.items() if name in columns}
        varied: list[Axis] = []
        constants: dict[str, float] = {}
        for name, entry in columns.items():
            numbers = value(name, entry)
            if isinstance(next(iter(numbers.values())), np.ndarray):
                plain = numbers.get(name)
                label = np.arange(len(next(iter(numbers.values())))) if plain is None else plain
                varied.append(Axis(name + suffix, numbers, {name + suffix: label}))
            else:
                constants |= numbers
        if not isinstance(given, Table):
            return varied, constants
        merged = [{k: v for axis in varied for k, v in getattr(axis, part).items()} for part in ("columns", "labels")]
        if len({len(axis) for axis in varied}) > 1:
            raise InvalidValue("E241", "the columns of a table are of one length", "give as many values for each name")
        return [Axis(MEMBER, *merged)] if varied else [], constants

    def state(self, name: str, given: Given) -> dict[str, Any]:
        """A state, or the coordinates of a rotation, by name: numbers or arrays (L,)."""
        name, attitudes = self.space.spelled(name), self.space.attitudes
        if name in attitudes:
            refuse_twice(name, attitudes[name], self.seen)
            return _attitudes(name, given, attitudes[name])
        if name not in self.equations.states:
            known = [*self.equations.states, *attitudes]
            multipliers = [s.name for s in self.equations.multipliers]
            refuse_unknown(name, known, list(self.system.symbols), multipliers)
        refuse_formula(name, given, self.system.symbols, self.system.parameters, self.system.unit)
        return {name: self._number(name, given)}

    def parameter(self, name: str, given: Given) -> dict[str, Any]:
        """A parameter: a number or an array (L,)."""
        if name in self.equations.states or name in self.space.attitudes:
            self.system.values({name: 0.0})  # E202: it is none
        return {name: self._number(name, given)}

    def in_hertz(self) -> Iterator[Note]:
        """W211: rates given in hertz, the first of each name."""
        for name, text in self.texts.items():
            if in_hertz(text) and not cyclic(name, self.system.expressions):
                yield warn("W211", hertz(name, text), 6)

    def _number(self, name: str, given: Given) -> Any:
        value: Any
        first = next(iter(given), None) if isinstance(given, list | tuple) else given
        self.texts |= {name: first} if isinstance(first, str) else {}
        if not isinstance(given, str) and _several(given):
            value, dimension = _array(name, given)
        elif isinstance(given, Set | Mapping):
            raise WrongType(
                "E204", f"{name} = {as_given(given)} is neither a number nor a list of them", Option(name, [0.1, 0.2])
            )
        else:
            value, dimension = quantity(given, name)
        if dimension is not None:
            self.dimensions[name] = dimension
        return value

    def conventions(self, given: Sequence[str]) -> dict[str, float]:
        """Rotations on which nothing depends are the identity."""
        return {n: x for numbers in conventional(self.system, given).values() for n, x in numbers.items()}


def _several(given: Given) -> bool:
    """A list or an array of values, a ragged one too, and no single one?"""
    try:
        return np.ndim(given) > 0
    except ValueError:
        return True


def _array(name: str, given: Given) -> tuple[np.ndarray, Dimension | None]:
    """Numbers, or texts with units, as an array."""
    if np.ma.is_masked(given):
        raise InvalidValue("E203", f"{name} has masked values: these are none", f"{name}=values.compressed()")
    try:
        array = np.asarray(given)
    except ValueError:  # a ragged list
        array = np.asarray(given, dtype=object)
    if array.ndim != 1 or not array.size:
        raise InvalidValue(
            "E241", f"{name} has the shape {array.shape}: an axis is a list of numbers", Option(name, [...])
        )
    dimension = None
    if array.dtype.kind in "iuf":
        array = array.astype(float)
    else:
        read = [quantity(value, f"{name}[{i}]") for i, value in enumerate(given)]
        dimensions = {str(q.dimension) for q in read}
        if len(dimensions) > 1:
            raise InvalidValue("E207", f"{name} mixes units: {', '.join(sorted(dimensions))}", "give all in one unit")
        array, dimension = np.array([q.value for q in read]), read[0].dimension
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise InvalidValue("E203", f"{name}[{bad[0]}] = {array[bad[0]]} is not a finite number", "leave that value out")
    return array, dimension


def _attitudes(name: str, given: Given, attitude: Any) -> dict[str, Any]:
    """One rotation as numbers, or a list of rotations as arrays, by coordinate."""
    if not _rotations(given):
        return read_attitude(name, given, attitude)
    rows = [read_attitude(f"{name}[{i}]", one, attitude) for i, one in enumerate(given)]
    if not rows:
        raise InvalidValue("E241", f"{name} is an empty list", "give at least one rotation")
    return {s.name: np.array([row[s.name] for row in rows]) for s in attitude.coordinates}


def _rotations(given: Given) -> bool:
    """Is this a list of rotations?"""
    from scipy.spatial.transform import Rotation

    if isinstance(given, Rotation):
        return not given.single
    if isinstance(given, np.ndarray):
        return given.ndim == 3 or (given.ndim == 1 and given.dtype == object)
    return isinstance(given, list | tuple) and any(
        isinstance(one, Mapping | Rotation | str) or np.ndim(one) == 2 for one in given
    )


def _merged(first: Sequence[Axis], second: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes of starts and parameters; tables of both go together."""
    mine = {axis.dim: axis for axis in first}
    for axis in second:
        if axis.dim == MEMBER and MEMBER in mine:
            old = mine[MEMBER]
            if len(old) != len(axis):
                fact = f"the table of starts has {len(old)} members, that of parameters {len(axis)}"
                raise InvalidValue("E241", fact, "give tables of one length, or one of them as a mapping of arrays")
            mine[MEMBER] = Axis(MEMBER, {**old.columns, **axis.columns}, {**old.labels, **axis.labels})
        else:
            mine[axis.dim] = axis
    return tuple(mine.values())


def _check_parameters(equations: Equations, grid: Grid) -> None:
    """Names and units of the parameters, by the first member; of which sign they are is each member's own."""
    first = {name: float(column[0]) for name, column in grid.part(0, 1).items()}
    given = {name: value for name, value in first.items() if name not in equations.states}
    try:
        equations.system.values(given)
    except InvalidValue as error:
        if error.code not in ("E205", "E109", "E128"):
            raise


def _turned(equations: Equations, grid: Grid) -> Iterator[Note]:
    """W209: a large angle is usually one in degrees."""
    angles = equations.system.angles & {q.name for q in equations.space.coordinates}
    for axis in grid.axes:
        for name in angles & set(axis.columns):
            largest = float(axis.columns[name][np.abs(axis.columns[name]).argmax()])
            if like_degrees(largest, int(largest) if largest.is_integer() else largest):
                yield warn("W209", turns(name, largest), 6)
