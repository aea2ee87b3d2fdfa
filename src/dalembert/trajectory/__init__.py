"""Trajectory: what happened. Times, named columns, dense output, events, audit, provenance.

Arrays and names only: a stored path is read without SymPy. ``interpolant`` holds a path between its steps, ``audit``
what a run kept and how it ended, ``join`` makes one path of two; ``stored_path`` writes paths and ``loading`` reads
them, ``npz_archive`` does so with any arrays.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NoReturn, SupportsIndex

import numpy as np

from ..argument_checks import Absent, noun, one_of, seconds, switch
from ..display import html
from ..errors import InvalidValue, WrongType, as_given
from ..errors.remedies import Option
from .audit import Audit, Ending
from .interpolant import Interpolant

__all__ = ["Audit", "Branching", "Ending", "Interpolant", "Marks", "Trajectory"]

IMPULSE = "impulse "  # begins the name of a column of a wall's marks; no state has a name with a space
SHOWN, FEWEST, EVENTS = 8, 3, 4  # columns and events in a summary
LINES, WIDTH = 25, 80
_MOST_TOLD = 10**6  # even times that a remedy counts as they were asked for
Dense = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Marks:
    """Where an event happened: times `t` (c,), states `values` (c, columns) just before it, and the column names.

    Of a wall the columns go on with ``"impulse normal"`` and those of what else it imposes.
    """

    t: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[:, self.names.index(one_of(self.names, name, "the path", "column"))].copy()

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True)
class Branching:
    """Where branches of the constraints cross on a path: at time `t`, in the `position` {coordinate: value}.

    Attributes:
        tangents: velocities {name: value} along the branches, of equal energy: first that of the motion as it comes,
            then of the others, as far as they are isolated and at most 16; a branch that can be entered both ways
            stands twice.
        taken: the position in this list of the branch along which the motion goes on.
    """

    t: float
    position: Mapping[str, float]
    tangents: tuple[Mapping[str, float], ...]
    taken: int = 0


class Columns(dict[str, Any]):
    """Values of columns by name; a symbol is its name, and a name that is none of them is told with those that are.

    At one time they start another run: ``da.simulate(equations, path.at(5.0), until=9.0)``.

    Attributes:
        states: names of the columns that are states.
        t: the time, None for several.
        parameters: with which the path was made.
    """

    states: tuple[str, ...] = ()
    t: float | None = None
    parameters: Mapping[str, float] = MappingProxyType({})

    def __missing__(self, key: object) -> Any:
        return self[one_of(tuple(self), key, "the path", "column")]


@noun
@dataclass(frozen=True, eq=False)
class Trajectory:
    """A path in named columns.

    Attributes:
        t: times (N,).
        names: the columns: states, then derived ones (multipliers, energy).
        values: (N, columns).
        dense: columns at any times inside, (len(t), columns).
        audit: what the run kept, and the verdict.
        marks: ``{event name: Marks}``.
        outcome: why the run ended, in words.
        reached: did it end where it was told to (its end, or an event that stops)?
        states: how many of the columns are states.
        provenance: principle, parameters, tolerances, versions.
        ending: the event or the error code that ended it.
        modes: ``(t, contact, mode)`` of each contact at the start and wherever it changes: apart, slides, sticks; a
            contact whose bounces pile up changes where they end.
        branches: a `Branching` for each place that it passed at which branches of the constraints cross.
        system: whose motion it is; not stored, None in a path that was read from a file.
    """

    t: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray
    dense: Dense
    audit: Audit
    marks: Mapping[str, Marks] = field(default_factory=dict)
    outcome: str = ""
    reached: bool = True
    states: int = 0
    provenance: Mapping[str, Any] = field(default_factory=dict)
    ending: Ending = Ending()  # noqa: RUF009
    system: object = field(default=None, repr=False)
    modes: list[tuple[float, str, str]] = field(default_factory=list)
    branches: tuple[Branching, ...] = ()

    @property
    def ok(self) -> bool:
        """Is the audit's verdict ``"ok"``?"""
        return self.audit.ok

    def __getattr__(self, name: str) -> NoReturn:
        told = f'{name} is a column of the path: path["{name}"]' if name in self.__dict__.get("names", ()) else ""
        raise AttributeError(told, name=name, obj=self) if told else Absent(name=name, obj=self)

    def __getitem__(self, key: object) -> Any:
        """A column by name or symbol, a copy; a part of the path by a slice of its samples."""
        if isinstance(key, slice):
            key = _slice(key)
            part = replace(self, t=self.t[key], values=self.values[key])
            return replace(part, outcome=f"a part of the path that {self.outcome}", ending=Ending())
        return self.values[:, self.names.index(one_of(self.names, key, "the path", "column"))].copy()

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def at(self, t: object) -> Columns:
        """All columns at a time (numbers) or at an array of times (arrays), by dense output.

        A path read from a file knows its states between the samples, not the derived columns. At one time the columns
        start another run.

        Raises:
            InvalidValue: E303, a time outside the path.
        """
        times = as_times(t)
        values = self.dense(np.atleast_1d(times))
        one = times.ndim == 0
        found = Columns(zip(self.names, map(float, values[0]) if one else values.T, strict=False))
        found.states, found.t = self.names[: self.states], float(times) if one else None
        found.parameters = self.provenance.get("parameters", {})
        return found

    def state(self, t: object) -> dict[str, float]:
        """The states at one time and this time, from which another run goes on.

            da.simulate(equations, path.state(5.0), until=9.0)

        Raises:
            InvalidValue: E303, more than one time, or one outside the path.
        """
        times = as_times(t)
        if times.ndim:
            raise InvalidValue("E303", f"a state is that at one time, not at {as_given(t)}", "path.state(5.0)")
        values = dict(zip(self.names[: self.states], map(float, self.dense(times[None])[0]), strict=False))
        return {**values, "t": float(times)}

    @property
    def impulses(self) -> dict[str, dict[str, np.ndarray]]:
        """What each wall that was hit has given, ``{wall: {row: (c,)}}``, at the times ``marks[wall].t``.

        With W the kinetic metric, N the rows of the constraints and A_r those of the walls, in the units of momenta
        over those of rates:  W (u+ - u) = N^T nu + A_r^T mu_r . The row ``"normal"`` is df/dt of the wall's guard, and
        its impulse is positive where the wall pushes. They stand among the marks' columns as ``"impulse normal"``.
        """
        found = {
            name: {c.removeprefix(IMPULSE): m[c] for c in m.names if c.startswith(IMPULSE)}
            for name, m in self.marks.items()
        }
        return {name: rows for name, rows in found.items() if rows}

    # --- SciPy's names -------------------------------------------------------------------------------------------

    @property
    def y(self) -> np.ndarray:
        """States (n, N), as `scipy.integrate.solve_ivp` returns them."""
        return self.values[:, : self.states].T

    def sol(self, t: Any) -> np.ndarray:
        """States at t, shape (n,) or (n, len(t))."""
        values = self.dense(np.atleast_1d(as_times(t)))[:, : self.states]
        return values[0] if np.ndim(t) == 0 else values.T

    @property
    def t_events(self) -> list[np.ndarray]:
        """Times of each event."""
        return [m.t for m in self.marks.values()]

    @property
    def y_events(self) -> list[np.ndarray]:
        """States of each event."""
        return [m.values[:, : self.states] for m in self.marks.values()]

    @property
    def success(self) -> bool:
        """Did it end where it should, with every number finite and nothing failed?"""
        return self.reached and self.audit.verdict != "failed"

    @property
    def status(self) -> int:
        """0 the end was reached, 1 an event stopped it, -1 it failed."""
        return int(bool(self.ending.event)) if self.success else -1

    @property
    def message(self) -> str:
        """Why it ended."""
        return self.outcome

    @property
    def nfev(self) -> int:
        """Evaluations of the right-hand side."""
        return self.audit.evaluations

    # --- away from here ------------------------------------------------------------------------------------------

    def to_numpy(self) -> np.ndarray:
        """``t`` and all columns side by side, (N, 1 + columns)."""
        return np.column_stack([self.t, self.values])

    def to_dataframe(self) -> Any:
        """A pandas DataFrame indexed by t (needs pandas)."""
        try:
            import pandas as pd
        except ImportError:
            raise _missing("pandas") from None
        return pd.DataFrame(self.values, index=pd.Index(self.t, name="t"), columns=list(self.names))

    def to_xarray(self) -> Any:
        """An xarray Dataset over t (needs xarray)."""
        try:
            import xarray as xr
        except ImportError:
            raise _missing("xarray") from None
        columns = {name: ("t", self.values[:, i]) for i, name in enumerate(self.names)}
        return xr.Dataset(columns, coords={"t": self.t}, attrs={"verdict": self.audit.verdict, "outcome": self.outcome})

    def save(self, file: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the samples, the audit and the provenance to a ``.npz`` file; see `loading.load`.

        What `save` wrote is replaced, another file only with `overwrite`.

        Raises:
            Unwritable: E530, it cannot be written there; what was there is as it was.
            WrongType, InvalidValue: E501, not the name of a file; E307, one that ends in .csv or the like.
        """
        from ..output_file import Maker
        from .stored_path import save

        save(self, file, Maker("save", replaces=switch(overwrite, "overwrite")))

    @property
    def happened(self) -> list[str]:
        """Lines that count events and tell what contacts did, and where branches crossed."""
        events = [f"event        {name}: {len(m)} times" for name, m in list(self.marks.items())[:EVENTS]]
        if len(self.marks) > EVENTS:
            events.append(f"  and {len(self.marks) - EVENTS} more events, listed in .marks")
        crossed = [
            f"branches     cross at t = {b.t:.6g}, {len(b.tangents) - 1} other ways on" for b in self.branches[:EVENTS]
        ]
        return events + _contact_modes(self.modes) + crossed

    def __str__(self) -> str:
        who = self.provenance.get("principle", "path")
        title = self.provenance.get("title") or "System"
        span = f"{self.t[0]:g} to {self.t[-1]:g}, {len(self.t)} samples" if len(self) else "no samples"
        audit = str(self.audit)
        events = self.happened
        columns = min(SHOWN, LINES - 3 - len(events) - len(audit.splitlines()))
        lines = [
            f"{title}: {who}",
            f"time         {span}: {self.outcome}",
            *self._columns(max(FEWEST, columns)),
            *events,
        ]
        return "\n".join([*(_cut(line) for line in lines), audit])

    __repr__ = __str__

    def _columns(self, count: int) -> list[str]:
        """Where the first columns begin, end, and lie in between."""
        shown = []
        names, columns = self.names[:count], self.values[:, :count]
        low, high = extremes(self.t, columns, self.dense) if len(self) else (columns, columns)
        for i, name in enumerate(names) if len(self) else ():
            ends = f"{columns[0, i]:>14.6g} -> {columns[-1, i]:<14.6g}"
            shown.append(f"  {name:<12}{ends} in [{low[i]:.6g}, {high[i]:.6g}]")
        left = len(self.names) - count
        return [*shown, f"  and {left} more columns, listed in .names"] if left > 0 else shown

    def _repr_html_(self) -> str | None:
        return html(self)


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 4] + " ..."


def _missing(package: str) -> InvalidValue:
    return InvalidValue("E801", f"this needs {package}, which is not installed", f"pip install {package}")


def as_times(given: Any) -> np.ndarray:
    """Times, numbers of seconds or text with a unit, as an array of floats with at most one axis (E303 if not)."""
    listed = isinstance(given, list | tuple)
    try:
        given = [seconds(t, "a time", "E303") for t in given] if listed else seconds(given, "the time", "E303")
        times = np.asarray(given)
    except WrongType as error:  # text without a unit
        raise InvalidValue(error.code, *error.told) from None
    except ValueError:  # ragged
        times = np.empty((0, 0))
    if times.dtype.kind not in "iuf" or times.ndim > 1:
        raise InvalidValue(
            "E303", f"times must be numbers, one or a list of them, not {as_given(given)}", "for example 5.0"
        )
    return times.astype(float)


def _even(first: float, last: float, count: float) -> str:
    """So many even times, as one writes them; 101 where that is no count."""
    n = int(count) if 2 <= count <= _MOST_TOLD and count == int(count) else 101
    return f"samples=np.linspace({first:g}, {last:g}, {n})"


def _slice(key: slice) -> slice:
    """The part of the samples that is asked for, by their numbers (E303)."""
    ends = [end for end in (key.start, key.stop, key.step) if end is not None]
    whole = all(isinstance(end, SupportsIndex) and not isinstance(end, bool) for end in ends)
    if not whole or (key.step is not None and int(key.step) <= 0):
        told = ":".join("" if end is None else as_given(end) for end in (key.start, key.stop, key.step))
        fact = f"path[{told.removesuffix(':')}] is no part of the path: samples are counted by whole numbers, and rise"
        raise InvalidValue("E303", fact, "path[10:20], path[::2], or path.at(t) at times")
    return key


def check_times(times: object, first: float, last: float) -> np.ndarray:
    """Sample times as an array.

    Raises:
        InvalidValue: E303, empty, not numbers, not rising, or outside [first, last].
    """
    samples = as_times(times)
    if not samples.ndim:
        fact = f"samples are the times themselves, a list of them, and {as_given(times)} is one number"
        raise InvalidValue("E303", fact, _even(first, last, float(samples)))
    if samples.ndim != 1 or not samples.size:
        raise InvalidValue("E303", "sample times must be a list that is not empty", _even(first, last, 101))
    if not np.isfinite(samples).all() or np.any(samples[1:] <= samples[:-1]):
        raise InvalidValue(
            "E303",
            "sample times must be finite and rise, each only once",
            "sort them, each only once: np.unique(times)",
        )
    if samples[0] < first or samples[-1] > last:
        raise InvalidValue(
            "E303", f"sample times must lie in [{first:g}, {last:g}]", ("change them, or ", Option("until"))
        )
    return samples


# --- a summary -------------------------------------------------------------------------------------------------------

CONTACTS, CHANGES = 3, 3  # told at most
INDENT = 13


def _contact_modes(modes: Iterable[tuple[float, str, str]]) -> list[str]:
    """Lines ``contact  floor: slides from 0 s, sticks from 1.019 s``, one for each of the first contacts.

    Of many changes the first are told, how many more there are, and the last.
    """
    begun: dict[str, list[str]] = {}
    for t, contact, mode in modes:
        begun.setdefault(contact, []).append(f"{mode} from {t:.4g} s")
    said = [f"contact      {name}: {_few(changes)}" for name, changes in list(begun.items())[:CONTACTS]]
    left = list(begun)[CONTACTS:]
    lines = [part for line in said for part in textwrap.wrap(line, WIDTH, subsequent_indent=" " * INDENT)]
    rest = textwrap.shorten(", ".join(left), WIDTH - 20, placeholder=" ...")
    return [*lines, f"  and {len(left)} more: {rest}"] if left else lines


def _few(changes: list[str]) -> str:
    if len(changes) <= CHANGES:
        return ", ".join(changes)
    first = changes[: CHANGES - 1]
    return f"{', '.join(first)}, and {len(changes) - len(first)} more, the last: {changes[-1]}"


INSIDE, FEW = 4, 4000  # points between two samples, and the samples up to which there are any
AROUND, ROUNDS = 17, 3  # points about an extreme value, from one of its neighbours to the other, and how often


def extremes(
    t: np.ndarray, values: np.ndarray, dense: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest value (c,) of columns with samples (N, c), of which `dense` knows what lies between.

    Points about each extreme value are taken ever closer, to about 1e-7 of how far a column goes in one step.
    """
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    count = values.shape[1]
    times = _between(np.sort(t)) if len(t) <= FEW else np.sort(t)
    if len(times) < 2 or times[0] == times[-1]:
        return low, high
    table = dense(times)[:, :count]
    near = [(times, table[:, i] * sign) for sign in (1, -1) for i in range(count)]
    for _ in range(ROUNDS):
        windows = [np.linspace(*_neighbours(at, column), AROUND) for at, column in near]
        rows = dense(np.concatenate(windows))[:, :count].reshape(len(near), AROUND, count)
        seen = [(1 - 2 * (k // count)) * rows[k, :, k % count] for k in range(len(near))]
        near = list(zip(windows, seen, strict=True))
    least = np.array([np.fmin.reduce(column) for _, column in near])
    return np.fmin(low, least[:count]), np.fmax(high, -least[count:])


def _between(t: np.ndarray) -> np.ndarray:
    """Samples, and points between them."""
    parts = t[:-1, None] + np.arange(INSIDE + 1) / (INSIDE + 1) * np.diff(t)[:, None]
    return np.append(parts.ravel(), t[-1])


def _neighbours(at: np.ndarray, column: np.ndarray) -> tuple[float, float]:
    """The times beside that of the least value."""
    k = int(np.argmin(np.where(np.isnan(column), np.inf, column)))
    return float(at[max(k - 1, 0)]), float(at[min(k + 1, len(at) - 1)])
