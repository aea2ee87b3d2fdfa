"""What was seen as one list of numbers, what the equations predict for them, and its derivatives by the unknowns.

There are two routes. Where all columns are expressions in the states, the tangent flow of the motion gives the
derivatives. Where a column is a function of the whole path, or events act, the motion is run and differences are
taken.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeGuard

import numpy as np

from ...equations import Equations, Start
from ...errors import DalembertError, DalembertWarning, InvalidValue, about, as_given, kind_of
from ...errors.remedies import Option
from ...event import Event
from ...numerics.policy import Policy
from ...numerics.run.simulate import simulate
from ...numerics.sensitivities.observables import Observed
from ...numerics.sensitivities.sensitivities import derivatives
from ...question import Named
from ...record import Record
from ...trajectory import Trajectory
from ..name_arguments import by_name, check_known
from ..starts_with_inputs import start_with_inputs
from .unknowns import Unknowns

# --- the data --------------------------------------------------------------------------------------------------------

MOST = 1e150  # of a number: its square is one
FAR = 1e100  # of an uncertainty from 1: numbers over their uncertainties are squared and summed


@dataclass(frozen=True, eq=False)
class Data:
    """K numbers of a record.

    Attributes:
        names: columns, c of them.
        t: times of the rows (N,), empty for published numbers without times.
        seen: the numbers (K,).
        column: the column of each (K,).
        row: its row in the column (K,).
        sigma: its standard uncertainty (K,), NaN where that is not known.
        lengths: rows of each column.
    """

    names: tuple[str, ...]
    t: np.ndarray
    seen: np.ndarray
    column: np.ndarray
    row: np.ndarray
    sigma: np.ndarray
    lengths: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.seen)

    @property
    def unknown(self) -> tuple[int, ...]:
        """Columns whose uncertainty is not known."""
        return tuple(i for i in range(len(self.names)) if np.isnan(self.sigma[self.column == i]).any())

    def size(self, column: int) -> float:
        """How far the numbers of a column spread, or how large they are, at least a tiny positive number."""
        x = self.seen[self.column == column]
        return float(np.std(x) or np.abs(x).max(initial=0.0) or 1.0)

    def part(self, chosen: np.ndarray) -> Data:
        """Some of the numbers (a mask (K,)); rows keep their places."""
        cut = {k: getattr(self, k)[chosen] for k in ("seen", "column", "row", "sigma")}
        return Data(self.names, self.t, lengths=self.lengths, **cut)


def data(record: Record, names: Sequence[str], uncertainty: Named) -> Data:
    """The numbers of some columns, gaps left out.

    Raises:
        UnknownName: E317 a column that is not there; E553 an uncertainty of one that is not fitted.
        InvalidValue: E553 an uncertainty that is not positive; E554 no numbers, or the column of times.
    """
    given = by_name(uncertainty, "uncertainties", "E553", Option("uncertainty", {"x": 0.01}))
    check_known(given, names, "uncertainty", "is not a fitted column")
    columns = [_column(record, name) for name in names]
    if record.time in names:
        raise InvalidValue(
            "E554",
            f"{record.time} is the column of times",
            "leave it out of columns",
            subject=("fit", "columns", record.time),
        )
    sigmas = [
        _spread(n, given[n] if n in given else record.uncertainty.get(n, math.nan), x)
        for n, x in zip(names, columns, strict=True)
    ]
    for name, sigma in zip(names, sigmas, strict=True):
        wrong = (sigma <= 1 / FAR) | (sigma >= FAR) | (np.isnan(sigma) & (name in given))
        if wrong.any():
            fact = f"an uncertainty of {name} is {sigma[wrong][0]:g}"
            raise InvalidValue(
                "E553",
                fact,
                "standard uncertainties are positive and no further from 1 than 1e100; "
                "leave them out to have them estimated",
                subject=("fit", "uncertainty", name),
            )
    for name, x in zip(names, columns, strict=True):
        _check_size(name, x)
    whole = [np.flatnonzero(np.isfinite(x)) for x in columns]
    if not sum(map(len, whole)):
        raise InvalidValue("E554", "there are no numbers to fit", (Option("columns"), " names those that hold some"))
    return Data(
        tuple(names),
        record.t if record.time in record.columns else np.empty(0),
        np.concatenate([x[w] for x, w in zip(columns, whole, strict=True)]),
        np.concatenate([np.full(len(w), i) for i, w in enumerate(whole)]),
        np.concatenate(whole),
        np.concatenate([s[w] for s, w in zip(sigmas, whole, strict=True)]),
        tuple(map(len, columns)),
    )


def _check_size(name: str, column: np.ndarray) -> None:
    """E554: a number whose square, which is to be least, is beyond the largest float."""
    size = np.abs(column)
    if (size > MOST).any():
        fact = f"{name} holds {size[size > MOST][0]:g}, and its square is beyond the largest number"
        remedy = "leave the row out if it is a mistake, or give the column in another unit"
        raise InvalidValue("E554", fact, remedy, subject=("fit", "columns", name))


def _column(record: Record, name: str) -> np.ndarray:
    with about("fit", "columns", name):
        return np.atleast_1d(np.asarray(record[name], float))


def _spread(name: str, given: object, column: np.ndarray) -> np.ndarray:
    """Standard uncertainties of all rows of a column."""
    try:
        return np.broadcast_to(np.asarray(given, float), column.shape)
    except (TypeError, ValueError):
        fact = (
            f"the uncertainty of {name} is {as_given(given)}, neither a number nor one for each of {len(column)} rows"
        )
        raise InvalidValue(
            "E553", fact, Option("uncertainty", {"x": 0.01}), subject=("fit", "uncertainty", name)
        ) from None


STEP = 3e-4  # of an unknown's size: of differences of runs that are accurate to 1e-10 and better
DIFFERENCES_RTOL = 1e-11
ELSEWHERE = (  # where there is no motion to compare
    *("give another guess in ", Option("fit.start"), " or ", Option("fit.parameters")),
    *(", closer bounds, or more ", Option("starts")),
)
FINER, FINEST = 1e-3, 1e-13  # tolerance of more accurate tangents over that of others; the tightest


class Expression(Protocol):
    """A SymPy expression in states, parameters, t and names of the columns' own."""

    @property
    def free_symbols(self) -> set[Any]:
        """The symbols in it."""


Column = Expression | Callable[[Trajectory], object]


class NoMotion(Exception):
    """There is no motion to the end at these values; `code` is that of the refusal, if it was one."""

    def __init__(self, fact: str, code: str = "") -> None:
        super().__init__(fact)
        self.code = code


@dataclass(frozen=True, eq=False)
class FitSpan:
    """When a model runs, and how.

    Attributes:
        t: time of the start.
        until: time of the end.
        events: of the runs.
        options: those of `simulate`.
        inputs: what drives the inputs.
    """

    t: float
    until: float
    events: tuple[Event, ...]
    options: Mapping[str, Any]
    inputs: Mapping[str, object] | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """Predictions of the K numbers of some data.

    Attributes:
        equations: of the motion.
        unknowns: what is to be found.
        data: what was seen.
        columns: an expression or a function of the path for each column.
        observed: the expressions among these, read.
        span: when and how it runs.
    """

    equations: Equations
    unknowns: Unknowns
    data: Data
    columns: tuple[Column, ...]
    observed: Observed
    span: FitSpan

    @classmethod
    def of(
        cls, equations: Equations, unknowns: Unknowns, data: Data, columns: Sequence[Column], span: FitSpan
    ) -> Model:
        """The model, with the expressions among its columns read."""
        expressions = [c for c in columns if not is_function(c)]
        others = unknowns.of_kind("parameter", "column")
        observed = Observed.of(expressions, (*equations.states, *_driven(equations, expressions)), others)
        return cls(equations, unknowns, data, tuple(columns), observed, span)

    @property
    def t(self) -> float:
        """Time of the start."""
        return self.span.t

    @property
    def until(self) -> float:
        """Time of the end."""
        return self.span.until

    def to(self, until: float) -> Model:
        """The same run to another end."""
        return replace(self, span=replace(self.span, until=until))

    def halting(self, halt: Callable[[], bool]) -> Model:
        """The model with motions that end, and searches that stop, when they are told to."""
        return replace(self, span=replace(self.span, options={**self.span.options, "halt": halt}))

    @property
    def halted(self) -> bool:
        """Was it told to stop?"""
        halt = self.span.options.get("halt")
        return halt is not None and halt()

    @property
    def patient(self) -> Model:
        """The model with motions that do not end when they are told to."""
        return self.halting(lambda: False) if "halt" in self.span.options else self

    @property
    def by_tangents(self) -> bool:
        """Are all columns expressions, along a motion that solves its variational equations?"""
        return not Policy.of(self.span.options).method.fixed and not any(map(is_function, self.columns))

    def held(self, name: str, value: float) -> Model:
        """The model with one unknown fixed."""
        return self.on(unknowns=self.unknowns.held(name, value))

    def on(self, data: Data | None = None, unknowns: Unknowns | None = None) -> Model:
        """The same model of other data, or with other unknowns."""
        u, d = self.unknowns if unknowns is None else unknowns, self.data if data is None else data
        return Model.of(self.equations, u, d, self.columns, self.span)

    # --- the motion ----------------------------------------------------------------------------------------------

    def start(self, theta: np.ndarray) -> Start:
        """The start at some values of the unknowns."""
        given = self.unknowns.values("start", theta)
        parameters = self.unknowns.values("parameter", theta)
        return start_with_inputs(self.equations, given, self.t, parameters, self.span.inputs)

    def begin(self, theta: np.ndarray) -> Start:
        """The start at trial values.

        Raises:
            NoMotion: it is refused there.
        """
        with _quietly():
            return self.start(theta)

    def path(self, theta: np.ndarray, **options: Any) -> Trajectory:
        """The motion at some values of the unknowns."""
        how = {"events": list(self.span.events), "inputs": self.span.inputs, **self.span.options, **options}
        return simulate(self.equations, self.start(theta), until=self.until, **how)

    def known(self, theta: np.ndarray) -> dict[str, Any]:
        """Values of all names that are no states."""
        return {**self.unknowns.values("parameter", theta), **self.unknowns.values("column", theta)}

    # --- predictions ---------------------------------------------------------------------------------------------

    def values(self, theta: np.ndarray) -> np.ndarray:
        """The predicted numbers (K,), by one run.

        Raises:
            NoMotion: there is none to the end.
        """
        return self.seen_on(self.run(theta), theta)

    def both(self, theta: np.ndarray, again: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The predicted numbers (K,) and their derivatives by the unknowns (K, d).

        With `again` they are made otherwise, the tangents more accurately, differences with steps twice as long: what
        that changes is the error of the derivatives.

        Raises:
            NoMotion: there is none to the end.
        """
        if self.by_tangents:
            try:
                return self._by_tangents(theta, FINER if again else 1.0)
            except _Switches:
                pass
        return self._by_differences(theta, 2 * STEP if again else STEP)

    def _by_tangents(self, theta: np.ndarray, finer: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        options = {**self.span.options, "rtol": max(self.span.options.get("rtol", 1e-12) * finer, FINEST)}
        times = np.unique(self.data.t[self.data.row])
        by = self.unknowns.of_kind("start", "parameter")
        with _quietly():
            begin = self.start(theta)
            given = {"look_for_doubts": False, "events": list(self.span.events), "inputs": self.span.inputs, **options}
            motion = derivatives(self.equations, begin, self.until, list(by), times, **given)
        known = self.known(theta)
        rows, slopes_of_rows = motion.seen(self.observed.states)
        f = self.observed.along(motion.t, rows, known)
        every = (*by, *self.unknowns.of_kind("column"))
        S = np.zeros((len(motion.t), rows.shape[1], len(every)))
        S[:, :, : len(by)] = slopes_of_rows
        slopes = self.observed.tangents(motion.t, rows, known, S, every)
        order = [every.index(n) for n in self.unknowns.names]
        at = np.searchsorted(times, self.data.t[self.data.row])
        values, jacobian = f[at, self.data.column], slopes[at, self.data.column][:, order]
        if not (np.isfinite(values).all() and np.isfinite(jacobian).all()):
            raise NoMotion("a column is not finite along the motion")
        return values, jacobian

    def _by_differences(self, theta: np.ndarray, step: float = STEP) -> tuple[np.ndarray, np.ndarray]:
        u = self.unknowns
        jacobian = np.empty((len(self.data), len(u)))
        for i in range(len(u)):
            h = step * (max(abs(theta[i]), u.size[i]) or 1.0)
            up, down = theta.copy(), theta.copy()
            up[i], down[i] = min(theta[i] + h, u.high[i]), max(theta[i] - h, u.low[i])
            jacobian[:, i] = (self.values(up) - self.values(down)) / (up[i] - down[i])
        return self.values(theta), jacobian

    def run(self, theta: np.ndarray) -> Trajectory:
        """The motion at some values, accurate enough for differences.

        Raises:
            NoMotion: there is none, or it failed.
        """
        rtol = {"rtol": min(self.span.options.get("rtol", DIFFERENCES_RTOL), DIFFERENCES_RTOL)}
        with _quietly():
            path = self.path(theta, **rtol)
        if path.audit.verdict == "failed":
            raise NoMotion(f"the motion failed: {'; '.join(path.audit.reasons)}")
        return path

    def seen_on(self, path: Trajectory, theta: np.ndarray) -> np.ndarray:
        """The predicted numbers (K,) along a path.

        Raises:
            NoMotion: it ends before all is seen.
        """
        tables = list(self._tables(path, theta))
        values = np.concatenate([table[self.data.row[self.data.column == i]] for i, table in enumerate(tables)])
        order = np.concatenate([np.flatnonzero(self.data.column == i) for i in range(len(tables))])
        out = np.empty(len(values))
        out[order] = values
        if not np.isfinite(out).all():
            column = int(self.data.column[np.flatnonzero(~np.isfinite(out))[0]])
            if is_function(self.columns[column]):
                raise NoMotion(f"of {self.data.names[column]} the motion, which {path.outcome}, shows fewer numbers")
            raise NoMotion(f"the motion {path.outcome} before all was seen")
        return out

    def _tables(self, path: Trajectory, theta: np.ndarray) -> Iterator[np.ndarray]:
        """All rows of each column along a path, NaN where the path does not reach."""
        t, known = self.data.t, self.known(theta)
        inside = (t >= path.t[0]) & (t <= path.t[-1])
        place = 0
        for i, column in enumerate(self.columns):
            if is_function(column):
                yield _measured(column, path, self.data.names[i], self.data.lengths[i])
                continue
            table = np.full(len(t), np.nan)
            if inside.any():
                places = [path.names.index(name) for name in self.observed.states]
                rows = path.dense(t[inside])[:, places]
                table[inside] = self.observed.along(t[inside], rows, known)[:, place]
            place += 1
            yield table

    def at(
        self, theta: np.ndarray, noise: np.ndarray, slopes: bool = True, again: bool = False
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Residuals (seen - predicted)/noise, those of the priors below them, and derivatives; `again` as of `both`.

        Raises:
            NoMotion: there is none to the end.
        """
        f, J = self.both(theta, again) if slopes else (self.values(theta), None)
        r, u = (self.data.seen - f) / noise, self.unknowns
        prior = u.has_prior
        r = np.r_[r, ((u.mean - theta) / u.spread)[prior]]
        if J is None:
            return r, None
        return r, np.vstack([-J / noise[:, None], -np.diag(1 / u.spread)[prior]])


def _driven(equations: Equations, expressions: Sequence[Column]) -> tuple[str, ...]:
    """Inputs that the expressions use."""
    used = {s.name for e in expressions for s in getattr(e, "free_symbols", ())}
    return tuple(name for name in equations.system.inputs if name in used)


class _Switches(Exception):
    """The motion has no derivatives at something that happens on it."""


@contextmanager
def _quietly() -> Iterator[None]:
    """Trial values are doubted in silence; what is refused there is no motion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        try:
            yield
        except DalembertError as error:
            raise (_Switches() if error.code == "E319" else NoMotion(error.fact, error.code)) from error


def is_function(column: object) -> TypeGuard[Callable[[Trajectory], object]]:
    """Is it a function of the path, and no expression?"""
    return callable(column) and not hasattr(column, "free_symbols")


def _measured(column: Callable[[Trajectory], object], path: Trajectory, name: str, length: int) -> np.ndarray:
    """What a function of the path says, filled up with NaN where it says less than was seen."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DalembertWarning)
            found = np.atleast_1d(np.asarray(column(path), float))
    except DalembertError as error:
        raise NoMotion(f"{name}: {error.fact}") from None
    except Exception as error:  # a function of the user's may raise anything
        fact = f"the function of the column {name} failed: {kind_of(error)}: {error}"
        raise InvalidValue("E554", fact, "it takes the path and returns a number, or a list of them") from None
    if found.ndim != 1:
        raise InvalidValue("E554", f"the function of {name} gave an array of {found.ndim} axes", "return a list")
    return np.r_[found[:length], np.full(max(0, length - len(found)), np.nan)]


def with_sizes(model: Model, path: Trajectory) -> Model:
    """The model with sizes of unknowns that are 0: how far a value of the start goes in a first motion, else 1."""
    u = model.unknowns
    ranges = [float(np.abs(path[n]).max()) if k == "start" else 0.0 for n, k in zip(u.names, u.kinds, strict=True)]
    size = np.where(u.size > 0, u.size, np.where(np.array(ranges) > 0, ranges, 1.0))
    return replace(model, unknowns=replace(u, size=size))
