"""What is varied: axes whose outer product is the grid of members, generated a stretch at a time."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ...argument_checks import mapping, one_of, pair, public
from ...calculus.frame import TIME
from ...calculus.plausibility import cyclic, hertz, like_degrees, refuse_formula, turns
from ...calculus.quantity import SECOND, Dimension, in_hertz, quantity, wrong_dimension
from ...calculus.rotation_matrices import read_attitude, refuse_twice
from ...calculus.symbols import by_name
from ...equations import Equations, Start
from ...equations.input_values import NOMINAL, named
from ...equations.start import by_name_of, dropped, identity_of_idle_rotations, refuse_unknown
from ...errors import InvalidValue, Note, WrongType, as_given, did_you_mean, kind_of, warn
from ...errors.remedies import Code, Option
from ..inputs.run_inputs import unbroken

MEMBER = "member"


@dataclass(frozen=True)
class Axis:
    """One dimension of the grid.

    Attributes:
        dim: its name.
        columns: values that change along it, (L,) by name of state or parameter.
        labels: coordinates of the result along it, (L,) by name.
    """

    dim: str
    columns: Mapping[str, np.ndarray]
    labels: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.labels.values())))


@dataclass(frozen=True)
class Grid:
    """All members: the outer product of the axes, the last one fastest, and what is the same for all.

    Attributes:
        axes: in order; none for a single member.
        constants: values by name of state or parameter.
    """

    axes: tuple[Axis, ...]
    constants: Mapping[str, float] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def total(self) -> int:
        """How many members there are."""
        total = 1
        for length in self.shape:
            total *= length
        return total

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of states and parameters that change."""
        return tuple(name for axis in self.axes for name in axis.columns)

    def largest(self, names: Iterable[str]) -> float:
        """The largest absolute value of these names among all members."""
        values = {name: np.abs(value) for name, value in self.constants.items()}
        values |= {name: np.abs(column).max() for axis in self.axes for name, column in axis.columns.items()}
        return float(max((values[name] for name in names), default=0.0))

    def part(self, first: int, last: int) -> dict[str, np.ndarray]:
        """Values by name of the members from `first` to before `last`, (last - first,)."""
        count = last - first
        values = {name: np.full(count, value) for name, value in self.constants.items()}
        rest = np.arange(first, last)
        for axis in reversed(self.axes):
            rest, place = np.divmod(rest, len(axis))
            values |= {name: column[place] for name, column in axis.columns.items()}
        return values


# --- Tables: samples whose columns belong together, drawn here or handed over ----------------------------------------

METHODS = ("sobol", "latin", "random")
MOST = 100_000_000
_LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Table:
    """Columns that belong together, all of one length, by name; and dimensions of those that were given in a unit."""

    columns: Mapping[str, Any]
    dimensions: Mapping[str, Dimension] = field(default_factory=dict)

    def __len__(self) -> int:
        return max((len(c) for c in self.columns.values()), default=0)

    def only(self, *names: str) -> Table:
        """Some of the columns."""
        return Table(_chosen(self.columns, names), self.dimensions)


@dataclass(frozen=True)
class Samples:
    """Samples of a box that are yet to be drawn; see `samples`."""

    count: int
    ranges: Mapping[str, tuple[float, float]]
    method: str
    seed: int | None
    names: tuple[str, ...]
    dimensions: Mapping[str, Dimension] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.count

    def only(self, *names: str) -> Samples:
        """The same samples, of which some columns are used."""
        return replace(self, names=tuple(_chosen(self.ranges, names)))

    def draw(self, seed: int = 0) -> Table:
        """The samples; `seed` counts where they were given none."""
        unit = _unit_cube(
            self.method, self.count, len(self.ranges), check_seed(seed) if self.seed is None else self.seed
        )
        columns = {}
        for column, (name, (low, high)) in zip(unit.T, self.ranges.items(), strict=True):
            # x = low + (high - low) s,  0 <= s < 1
            columns[name] = low + (high - low) * column
        return Table(columns, self.dimensions).only(*self.names)


@public
def samples(n: int, *, method: str = "sobol", seed: int | None = None, **ranges: Any) -> Samples:
    """Samples of a box, for the starts or the parameters of a sweep.

    Args:
        n: how many.
        method: ``"sobol"`` (scrambled [sobol1967]), ``"latin"`` (a Latin hypercube [mckay1979]) or ``"random"``.
        seed: an integer >= 0; by default that of the sweep.
        ranges: ``x=(lowest, highest)``, numbers or text with a unit, by name.

    Returns:
        `Samples`; ``.only("x", "vy")`` are some of the columns, so that starts and parameters can be drawn together,
        and ``.draw(seed)`` gives the numbers.

    Raises:
        InvalidValue: E204, E241 for the ranges and the number, E307 for the method, E314 for the seed.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 < n <= MOST:
        raise InvalidValue(
            "E241", f"{as_given(n)} samples: give a whole number from 1 to {MOST}", "da.ensembles.samples(1000, ...)"
        )
    if not isinstance(method, str) or method not in METHODS:
        raise InvalidValue("E307", f"unknown method {as_given(method)}", did_you_mean(str(method).lower(), METHODS))
    if not ranges:
        raise InvalidValue("E241", "samples of nothing", "da.ensembles.samples(1000, x=(-1, 1), vy=(0, 2))")
    read = {name: _range(name, given) for name, given in ranges.items()}
    numbers = {name: (low, high) for name, (low, high, _) in read.items()}
    dimensions = {name: has for name, (_, _, has) in read.items() if has is not None}
    return Samples(int(n), numbers, method, None if seed is None else check_seed(seed), tuple(ranges), dimensions)


@public
def table(columns: Mapping[str, object] | None = None, /, **more: Any) -> Table:
    """Columns that belong together: member i takes the i-th value of each.

    Args:
        columns, more: lists, arrays or stacks of rotations of one length, by name; a single number is the same for all.

    Raises:
        InvalidValue: E241, no columns, or not of one length.
    """
    first = {} if columns is None else mapping(columns, "a table", "E241", "da.ensembles.table(x=[0, 1])")
    if twice := first.keys() & more.keys():
        raise InvalidValue("E241", f"{min(twice)} is given twice", "each column once")
    given = {**first, **more}
    lengths = {name: len(c) for name, c in given.items() if _is_column(c)}
    if not lengths or len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InvalidValue(
            "E241", f"the columns of a table are of one length: {shown or 'there are none'}", "x=[0, 1], vx=[2, 3]"
        )
    count = next(iter(lengths.values()))
    return Table({name: copy(c) if name in lengths else [c] * count for name, c in given.items()})


def _is_column(given: Any) -> bool:
    """A list, an array or a stack, not one value for all?"""
    if not hasattr(given, "__len__") or isinstance(given, str | Mapping | Set):
        return False
    try:
        return np.ndim(given) > 0
    except ValueError:  # lists of different lengths, or one that holds itself
        return True


def as_table(given: object, seed: int) -> Table | None:
    """A table, `Samples`, pandas DataFrame, structured array or list of mappings as a `Table`; None for anything else.

    Raises:
        InvalidValue: E241, rows of different names, or no rows.
    """
    pandas = sys.modules.get("pandas")
    if isinstance(given, Table):
        return given
    if isinstance(given, Samples):
        return given.draw(seed)
    if pandas is not None and isinstance(given, pandas.DataFrame):
        return table({str(name): given[name].to_numpy() for name in given.columns})
    if isinstance(given, np.ndarray) and given.dtype.names:
        return table({name: given[name] for name in given.dtype.names})
    if isinstance(given, Sequence) and not isinstance(given, str) and given and isinstance(given[0], Mapping):
        names = list(given[0])
        for i, row in enumerate(given):
            if not isinstance(row, Mapping) or set(row) != set(names):
                raise InvalidValue("E241", f"row {i} of the table has other names than row 0", "give the same in all")
        return table({name: [row[name] for row in given] for name in names})
    return None


def check_seed(seed: object) -> int:
    """A seed.

    Raises:
        InvalidValue: E314, not an integer >= 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= _LARGEST_SEED:
        raise InvalidValue("E314", f"seed = {as_given(seed)} must be a whole number >= 0", "seed=0")
    return int(seed)


def _range(name: str, given: object) -> tuple[float, float, Dimension | None]:
    """Both ends, and their dimension; one of them may be a bare 0."""
    ends = pair(given)
    if ends is None:
        raise WrongType("E204", f"{name} = {as_given(given)} is not a range", f"{name}=(lowest, highest)")
    (low, first), (high, last) = (quantity(value, name) for value in ends)
    if first != last and not (first is None and low == 0) and not (last is None and high == 0):
        raise wrong_dimension(f"the end of the range of {name}", last or "a number", first or "a number")
    if not low < high:
        raise InvalidValue("E241", f"the range of {name} is empty: {low:g} to {high:g}", f"{name}=(lowest, highest)")
    return low, high, first or last


def _chosen(known: Mapping[str, object], names: Sequence[str]) -> dict[str, Any]:
    return {name: known[name] for name in (one_of(known, name, "the table", "column", "E229") for name in names)}


def _unit_cube(method: str, count: int, dimension: int, seed: int) -> np.ndarray:
    """Samples of [0, 1)^d, (count, d)."""
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    if method == "random":
        return rng.random((count, dimension))
    if method == "latin":
        return np.asarray(qmc.LatinHypercube(dimension, seed=rng).random(count))
    # the balance of the sequence belongs to powers of 2, of which the first are taken
    return np.asarray(qmc.Sobol(dimension, seed=rng).random_base2((count - 1).bit_length())[:count])


# --- What a single run would doubt of its parameters, asked of some members of a sweep -------------------------------

_MOST = 16  # members that are asked


def doubted(equations: Equations, grid: Grid, with_units: Collection[str]) -> Iterator[Note]:
    """W109, W128, W210, W214 once each: of how many of the members that were asked, and of which first."""
    system = equations.system
    asked = np.unique(np.linspace(0, grid.total - 1, _MOST).round().astype(int))
    members = [{name: float(column[0]) for name, column in grid.part(int(i), int(i) + 1).items()} for i in asked]
    own = [{name: x for name, x in member.items() if name in system.symbols} for member in members]
    if not any(x != system.parameters.get(name) for values in own for name, x in values.items()):
        return
    swept = {name for name in own[0] if len({values[name] for values in own}) > 1}
    found: dict[str, list[tuple[int, str]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, values in zip(asked, own, strict=True):
            bare = {name: x for name, x in values.items() if name not in with_units}
            fixed = {name: x for name, x in bare.items() if name not in swept}
            for note in (*_of(equations, values), *system.doubts_of_override(bare, fixed)):
                found.setdefault(note.code, []).append((int(i), note.text))
    for code, told in found.items():
        member, text = told[0]
        where = f"{len(told)} of {len(asked)} members that were asked, first of member {member}"
        yield warn(code, text if len(asked) == 1 else f"{text} (said of {where})", 6)


def _of(equations: Equations, values: dict[str, float]) -> list[Note]:
    """Nothing where the values are refused: that is the member's own."""
    try:
        return list(equations.system.doubts(equations.system.values(values)))
    except InvalidValue:
        return []


# --- From what a person gives as starts and parameters to axes of numbers --------------------------------------------

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
    equations: Equations, starts: object, parameters: object, seed: int, driven: Mapping[str, Any] | None = None
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


def _shared(starts: object) -> tuple[float, Mapping[str, float]]:
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
        raise WrongType("E241", f"{what} are values by name or a table, not {kind_of(given)}", remedy)
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
        return {n: x for numbers in identity_of_idle_rotations(self.system, given).values() for n, x in numbers.items()}


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
