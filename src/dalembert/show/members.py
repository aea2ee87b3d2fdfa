"""The members of a sweep, taken out of its Dataset: axes, columns over them, how each ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .look import MULTIPLIER, is_flat, symbol
from .look import with_unit as labelled

TIME, START, STOPPED, REACHED = "time", "_start", 1, 0
SUSPECT = 1  # of the verdict
ROUNDING = 1e-12  # of the largest number of its kind: what changes by less is constant
BOOKS = ("outcome", "verdict", "steps", "rejected", "constraint_residual", "energy_drift", "margin", "t_end", "finite")


def is_sweep(thing: object) -> bool:
    """Is it the Dataset that `da.sweep` hands out? xarray is not loaded to ask."""
    kind, variables = type(thing), getattr(thing, "data_vars", ())
    return kind.__name__ == "Dataset" and kind.__module__.startswith("xarray.") and "outcome" in variables


@dataclass(frozen=True)
class Members:
    """The numbers of a sweep: axes of its grid, and columns over them.

    Attributes:
        axes: ``{name: numbers}``, the longest first; the rows of a table go by a value in which they differ, rising.
        columns: ``{name: values}``, over the axes in their order, and over time where the way was kept.
        units: of axes and columns.
        outcome: how each member ended.
        verdict: of the audit of each.
        time: (T,) where the way was kept.
        loose: axes along which members stand for themselves, as the rows of a table do.
        more: what else rows of tables differ in.
        principle, title: whose they are.
    """

    axes: dict[str, np.ndarray]
    columns: dict[str, np.ndarray]
    units: dict[str, str]
    outcome: np.ndarray
    verdict: np.ndarray
    time: np.ndarray | None
    loose: tuple[str, ...]
    more: tuple[str, ...]
    principle: str
    title: str

    def label(self, name: str) -> str:
        """``x (cm)``; the axis of a start as x(0)."""
        own = name.removesuffix(START)
        shown = symbol(own)
        return labelled(f"{shown}(0)" if own != name else shown, self.units.get(name, ""))

    def flat(self, name: str) -> bool:
        """Is a column constant as far as numbers go, beside others of its kind?"""
        kind = [v for n, v in self.columns.items() if n.startswith(MULTIPLIER) == name.startswith(MULTIPLIER)]
        scale = max(float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in kind)
        own = float(np.abs(self.columns[name][np.isfinite(self.columns[name])]).max(initial=0.0))
        return is_flat(self.columns[name], scale if own <= ROUNDING * scale else 0.0, ROUNDING)

    @property
    def mixed(self) -> bool:
        """Did an event stop some of them, and not all?"""
        stopped = self.outcome == STOPPED
        return bool(stopped.any() and not stopped.all())

    @property
    def lost(self) -> np.ndarray:
        """Which have no result: they were refused, failed or were not computed."""
        return (self.outcome != STOPPED) & (self.outcome != REACHED)

    @property
    def suspect(self) -> np.ndarray:
        """Which have a result that is doubted."""
        return ~self.lost & (self.verdict == SUSPECT)

    @property
    def foot(self) -> list[str]:
        """What became of the members."""
        stopped, lost, suspect = (int(w.sum()) for w in (self.outcome == STOPPED, self.lost, self.suspect))
        told = [f"{self.outcome.size} members"]
        told += [f"{stopped} were stopped by an event (rings)"] if stopped else []
        told += [f"{suspect} are suspect (diamonds)"] if suspect else []
        told += [f"{lost} have no result ({self._why}; crosses)"] if lost else []
        also = [f"members differ in {', '.join(self.more)} too"] if self.more else []
        return [", ".join(told), *also]

    @property
    def _why(self) -> str:
        """The codes of those that have no result, and how many have each."""
        codes, counts = np.unique(self.outcome[self.lost], return_counts=True)
        named = ["not computed" if code < 0 else f"E{code}" for code in codes.tolist()]
        return ", ".join(name if len(named) == 1 else f"{n} {name}" for name, n in zip(named, counts, strict=True))

    def turned(self, first: str) -> Members:
        """With another axis before all others."""
        order = [first, *(d for d in self.axes if d != first)]
        places = [list(self.axes).index(d) for d in order]
        way = [len(places)] if self.time is not None else []
        return Members(
            {d: self.axes[d] for d in order},
            {name: np.transpose(v, [*places, *way]) for name, v in self.columns.items()},
            self.units, np.transpose(self.outcome, places), np.transpose(self.verdict, places), self.time, self.loose,
            self.more, self.principle, self.title,
        )  # fmt: skip


def members_of(found: Any, against: str | None = None) -> Members:
    """The numbers of a Dataset; the rows of a table by `against`, if they differ in it."""
    dims = sorted((str(d) for d in found["outcome"].dims), key=lambda d: -found.sizes[d])
    along, differ = {}, {}
    for d in dims:
        differ[d] = _differing(found, d)
        along[d] = against if against in differ[d] else next(iter(differ[d]), d)
    numbers = {
        d: np.asarray(found[along[d]].values if along[d] in found.coords else np.arange(found.sizes[d])) for d in dims
    }
    rows = {d: np.argsort(numbers[d], kind="stable") for d in dims if differ[d]}
    found = found.isel(rows)
    way = TIME in found.dims
    columns = {}
    for name, variable in found.data_vars.items():
        if name not in BOOKS and set(variable.dims) == {*dims, *([TIME] if way else [])} and variable.dtype.kind == "f":
            columns[str(name)] = np.asarray(variable.transpose(*dims, *([TIME] if way else [])).values)
    return Members(
        {along[d]: numbers[d][rows[d]] if d in rows else numbers[d] for d in dims},
        columns,
        _units(found),
        np.asarray(found["outcome"].transpose(*dims).values),
        np.asarray(found["verdict"].transpose(*dims).values),
        np.asarray(found[TIME].values) if way else None,
        tuple(along[d] for d in rows),
        tuple(name for d in dims for name in differ[d] if name != along[d]),
        str(found.attrs.get("principle", "")),
        str(found.attrs.get("title", "")) or "Sweep",
    )


def _differing(found: Any, dimension: str) -> dict[str, np.ndarray]:
    """In what the rows of a table differ: coordinates along it that are not its own."""
    along = {str(name): np.asarray(c.values) for name, c in found.coords.items() if c.dims == (dimension,)}
    return {
        name: v for name, v in along.items() if name != dimension and v.dtype.kind in "iuf" and len(np.unique(v)) > 1
    }


def _units(found: Any) -> dict[str, str]:
    every: Iterable[tuple[Any, Any]] = {**found.coords, **found.data_vars}.items()
    units: Mapping[str, str] = {str(name): str(each.attrs.get("units", "")) for name, each in every}
    return dict(units)
