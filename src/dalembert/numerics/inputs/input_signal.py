"""What drives one input: a formula with coefficients, and from when on these have which values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...argument_checks import function as checked
from ...argument_checks import number, public
from ...calculus.frame import TIME
from ...calculus.quantity import Dimension
from ...errors import DalembertError, InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ...errors.remedies import Call, Option

# --- Functions of Python as inputs: asked at equal steps, the value held between them --------------------------------

EVERY = 1e-3  # seconds between samples of a function that is given bare: 1 kHz

Controller = Callable[[float, Mapping[str, float]], float]


@dataclass(frozen=True, eq=False)
class Sampled:
    """A function of (t, state) that is asked every so often.

    Attributes:
        function: of the time and the states by name, the input's value in base SI.
        every: the time between two samples.
    """

    function: Controller
    every: float = EVERY
    changes: ClassVar[bool] = True  # it is no one value


@public
def sampled(function: Controller, every: float = EVERY) -> Sampled:
    """A function of (t, state) as an input: asked at the start and then every so often, in the order of time.

    A run lands on the samples exactly and holds the value between them, as a digital controller does. The function is
    called once for each sample; ``state`` is a mapping of the states by name.

    Args:
        function: ``lambda t, state: -2.0*state["theta"]``.
        every: seconds between two samples; a bare function among the inputs of a run is asked every 0.001.

    Raises:
        WrongType: E182, it is no function of two arguments, or `every` is no number.
        InvalidValue: E182, `every` is not positive.
    """
    return Sampled(checked(function, "an input", "t, state", "E182"), number(every, "every", "E182", above=0.0))


# --- Tables: values of an input at times, held between them or joined ------------------------------------------------

SMOOTH = {"hold": -1, "linear": 0, "cubic": 2}  # how many derivatives go on through a time of the table
_TWO = Call("inputs.tabulated", "[0, 1, 2], [0.1, 0.3, 0.2]")


@dataclass(frozen=True, eq=False)
class Table:
    """Values of an input at times.

    Attributes:
        times: rising (K,).
        values: at these times (K,).
        kind: ``"hold"``, ``"linear"`` or ``"cubic"``.
        dimension: of the values, where a unit was written beside them.
    """

    times: np.ndarray
    values: np.ndarray
    kind: str = "hold"
    dimension: Dimension | None = None
    changes: ClassVar[bool] = True  # it is no one value

    @property
    def ends(self) -> tuple[float, float]:
        """From when to when it says something: the last value is held for as long as the one before it."""
        more = self.times[-1] - self.times[-2] if self.kind == "hold" else 0.0
        return float(self.times[0]), float(self.times[-1] + more)

    @property
    def pieces(self) -> np.ndarray:
        """c_k with  w = c_k0 + c_k1 (t - t_k) + c_k2 (t - t_k)^2 + ...  from t_k on, (pieces, 1, 2 or 4)."""
        if self.kind == "hold":
            return self.values[:, None]
        if self.kind == "linear":
            return np.column_stack([self.values[:-1], np.diff(self.values) / np.diff(self.times)])
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(self.times, self.values).c[::-1].T)


@runtime_checkable
class DeferredTable(Protocol):
    """What becomes a table when a run begins, such as a column of a file."""

    def table(self) -> Table:
        """The table."""


@public
def tabulated(times: ArrayLike, values: ArrayLike, kind: str = "hold") -> Table:
    """Values of an input at times.

    A pair ``(times, values)`` among the inputs of a run is the same with ``kind="hold"``, and so is a mapping
    ``{"times": ..., "values": ...}``, or three rows or more of a time and a value. Columns of a record are given as
    ``da.inputs.tabulated(record.t, record["tau"], "linear")``.

    Args:
        times: at least two that rise, (K,).
        values: the input's values at these times, in base SI, (K,).
        kind: ``"hold"`` keeps each value until the next time, and the last one for as long as the one before it;
            ``"linear"`` joins them by lines, ``"cubic"`` by a spline with two derivatives.

    Raises:
        WrongType: E182, these are not numbers, or `kind` is no text.
        InvalidValue: E182, times and values are not of one length, at least 2, finite and the times rising.
        UnknownName: E182, another kind.
    """
    t, w = _numbers(times, "times"), _numbers(values, "values")
    if len(t) != len(w) or len(t) < 2:
        raise InvalidValue("E182", f"a table of {len(t)} times has {len(w)} values", ("as many, two at least: ", _TWO))
    if np.any(np.diff(t) <= 0):
        k = int(np.argmax(np.diff(t) <= 0))
        raise InvalidValue("E182", f"the times of a table rise; after {t[k]:g} comes {t[k + 1]:g}", "sort the rows")
    if not isinstance(kind, str):
        raise WrongType("E182", f"kind = {as_given(kind)} is no text", Option("kind", "linear"))
    if kind not in SMOOTH:
        raise InvalidValue("E182", f"there is no kind of table {as_given(kind)}", did_you_mean(kind, SMOOTH))
    return Table(t, w, kind)


def _numbers(given: ArrayLike, what: str) -> np.ndarray:
    """Finite numbers in a row."""
    try:
        found = np.asarray(given)
    except ValueError:  # ragged
        found = np.empty((0, 0))
    if found.dtype.kind not in "iuf" or found.ndim != 1:
        raise WrongType("E182", f"the {what} of a table are a list of numbers, not {as_given(given)}", _TWO)
    numbers = found.astype(float)
    if not np.isfinite(numbers).all():
        k = int(np.argmin(np.isfinite(numbers)))
        raise InvalidValue("E182", f"the {what} of a table are finite, number {k} is {numbers[k]}", "leave the row out")
    return numbers


def is_table(given: object) -> bool:
    """Is it one of the forms that a table of an input is written in?"""
    rows = isinstance(given, np.ndarray) and given.ndim == 2
    return rows or isinstance(given, Table | DeferredTable | tuple | list | Mapping)


def as_table(given: Any) -> Table:
    """``(times, values)`` or ``(times, values, kind)``, these by name, or three rows or more of a time and a value.

    Raises:
        WrongType, UnknownName: E182 as of `tabulated`.
        InvalidValue: E182, it is no table, or two rows of two that are a table of either reading.
    """
    if isinstance(given, Table):
        return given
    if isinstance(given, DeferredTable):
        return given.table()
    if isinstance(given, Mapping):
        return _by_name(given)
    shape = _shape(given)
    if shape == (2, 2):
        _check_two_by_two(given)
    if len(shape) == 2 and shape[0] > 2 and shape[1] == 2:
        return tabulated(*np.asarray(given).T)
    if len(given) not in (2, 3):
        raise InvalidValue("E182", f"a table is (times, values), not {len(given)} things", _TWO)
    return tabulated(*given)


def _by_name(given: Mapping[str, Any]) -> Table:
    """As files have it: times, values and kind."""
    names = ("times", "values", "kind")
    for name in given:
        if name not in names:
            raise UnknownName("E182", f"a table has no {as_given(name)}", did_you_mean(str(name), names))
    missing = [name for name in names[:2] if name not in given]
    if missing:
        raise InvalidValue("E182", f"a table without {' and '.join(missing)}", _TWO)
    return tabulated(**given)


def _shape(given: object) -> tuple[int, ...]:
    """Of an array of numbers; () of all else."""
    try:
        found = np.asarray(given)
    except ValueError:  # ragged
        return ()
    return found.shape if found.dtype.kind in "iuf" else ()


def _check_two_by_two(given: object) -> None:
    """E182: two rows of two are a table of either reading; in a pair of lists or arrays each is meant as a whole."""
    if isinstance(given, tuple) and not all(isinstance(row, tuple) for row in given):
        return
    (a, b), (c, d) = np.asarray(given).tolist()
    if a < b and a < c:  # else only one of them rises
        fact = f"{as_given(given)} is a table of times {a:g}, {b:g} and values {c:g}, {d:g}"
        also = f", and as well one of the rows t = {a:g}, {b:g} and t = {c:g}, {d:g}"
        ways = (Call("inputs.tabulated", f"[{a:g}, {b:g}], [{c:g}, {d:g}]"), " or ")
        raise InvalidValue("E182", fact + also, (*ways, Call("inputs.tabulated", f"[{a:g}, {c:g}], [{b:g}, {d:g}]")))
    if a < c:
        fact = f"the times of a table rise; after {a:g} comes {b:g}"
        rows = Call("inputs.tabulated", f"[{a:g}, {c:g}], [{b:g}, {d:g}]")
        raise InvalidValue("E182", fact, ("if these are rows of a time and a value: ", rows))


ROUNDINGS = 64  # within which two times are one: a leg of a run is longer than that
ALWAYS = 3  # derivatives that go on: as many as anything here asks for


@dataclass(frozen=True, eq=False)
class Drive:
    """One input.

    Attributes:
        name: of the input.
        told: how it was given, for reports.
        coefficients: names of what changes at the knots; the input's own name where no formula stands for it.
        formula: what stands for the input, of its coefficients, t and states.
        knots: times from which on a row holds (K,).
        rows: values of the coefficients (K, c).
        smooth: how many derivatives go on through a knot; -1 where the value itself jumps.
        table: the table that it is made of.
        origin: the coefficient from which the time of the table's pieces counts.
        sampled: the function that is asked instead.
        began: when it was first asked.
    """

    name: str
    told: str
    coefficients: tuple[str, ...] = ()
    formula: sp.Expr | None = None
    knots: np.ndarray = field(default_factory=lambda: np.zeros(0))
    rows: np.ndarray = field(default_factory=lambda: np.zeros((1, 0)))
    smooth: int = ALWAYS
    table: Table | None = None
    origin: str = ""
    sampled: Sampled | None = None
    began: float = 0.0

    def at(self, late: float) -> list[float]:
        """The coefficients of a formula from a time on."""
        row: list[float] = self.rows[max(int(np.searchsorted(self.knots, late, side="right")) - 1, 0)].tolist()
        return row

    def along(self, t: np.ndarray) -> dict[str, np.ndarray]:
        """The coefficients of a formula at times (N,), by name."""
        late = t + ROUNDINGS * np.spacing(np.abs(t))
        rows = self.rows[np.maximum(np.searchsorted(self.knots, late, side="right") - 1, 0)]
        return dict(zip(self.coefficients, rows.T, strict=True))

    def after(self, late: float) -> float:
        """The next time at which they change."""
        if self.sampled is not None:
            return self.began + (self.sample(late) + 1) * self.sampled.every
        k = int(np.searchsorted(self.knots, late, side="right"))
        return float(self.knots[k]) if k < len(self.knots) else math.inf

    def sample(self, late: float) -> int:
        """Which sample of its function a time belongs to."""
        assert self.sampled is not None
        return math.floor((late - self.began) / self.sampled.every)


def constant(name: str, value: float) -> Drive:
    """A number."""
    return Drive(name, f"{value:g}", (name,), None, np.zeros(0), np.array([[value]]))


def formula(name: str, expression: sp.Expr, told: str) -> Drive:
    """An expression of t and states."""
    return Drive(name, told, formula=expression)


def of_table(name: str, given: Table, fresh: Callable[[str], str]) -> Drive:
    """A table; `fresh` makes a name that nothing else has."""
    told, pieces = f"table of {len(given.times)} times, {given.kind}", given.pieces
    knots, smooth = given.times[: len(pieces)], SMOOTH[given.kind]
    if given.kind == "hold":
        smooth = smooth if np.ptp(given.values) else ALWAYS
        return Drive(name, told, (name,), None, knots, pieces, smooth, given)
    *names, origin = [fresh(f"{name}_{power}") for power in (*range(pieces.shape[1]), "from")]
    rows = np.column_stack([pieces, knots])
    return Drive(name, told, (*names, origin), piece(names, origin), knots, rows, smooth, given, origin)


def piece(names: Sequence[str], origin: str) -> sp.Expr:
    """A polynomial of the time since the last knot, by the names of its coefficients."""
    *lower, expression = (sp.Symbol(n, real=True) for n in names)
    # w = c0 + (t - t_k) (c1 + (t - t_k) (c2 + ...))
    for coefficient in lower[::-1]:
        expression = coefficient + (TIME - sp.Symbol(origin, real=True)) * expression
    return expression


def of_function(name: str, given: Sampled, t: float) -> Drive:
    """A function of Python that is asked from a time on."""
    called = getattr(given.function, "__name__", type(given.function).__name__)
    return Drive(name, f"{called}, sampled every {given.every:g}", (name,), smooth=-1, sampled=given, began=t)


def asked(name: str, given: Sampled, t: float, state: Mapping[str, float]) -> float:
    """What a function says.

    Raises:
        InvalidValue: E184, it raises, or says what is no finite number.
    """
    try:
        answer = given.function(t, state)
    except Exception as error:
        why = error.fact if isinstance(error, DalembertError) else str(error)
        fact = f"the function of the input {name} raised {kind_of(error)} at t = {t:.10g}: {why}"
        remedy = 'it is called with (t, state), and state["x"] is a number'
        raise InvalidValue("E184", fact, remedy, subject=("inputs", name)) from error
    found = answer.item() if getattr(answer, "size", 0) == 1 and hasattr(answer, "item") else answer
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        fact = f"the function of the input {name} returned {as_given(answer)} at t = {t:.10g}"
        raise InvalidValue("E184", fact, "return one finite number", subject=("inputs", name))
    return float(found)
