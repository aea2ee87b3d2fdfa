"""Tables: samples whose columns belong together, drawn here or handed over."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...calculus.dimension import Dimension
from ...calculus.quantity import quantity, wrong_dimension
from ...errors import InvalidValue, WrongType, as_given, did_you_mean
from ...given import mapping, one_of, pair, public

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
def table(columns: Mapping[str, Any] | None = None, /, **more: Any) -> Table:
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


def as_table(given: Any, seed: int) -> Table | None:
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


def check_seed(seed: Any) -> int:
    """A seed.

    Raises:
        InvalidValue: E314, not an integer >= 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= _LARGEST_SEED:
        raise InvalidValue("E314", f"seed = {as_given(seed)} must be a whole number >= 0", "seed=0")
    return int(seed)


def _range(name: str, given: Any) -> tuple[float, float, Dimension | None]:
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


def _chosen(known: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
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
