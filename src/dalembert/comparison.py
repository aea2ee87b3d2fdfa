"""Comparison: several motions of one system held against each other. Limit: motions that should tend to another.

Arrays, names, paths and sentences; how they are found is told in `experiment.compare` and `experiment.limit`.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import SupportsIndex, overload

import numpy as np

from .argument_checks import noun
from .display import html
from .errors import UnknownName, as_given, did_you_mean
from .trajectory import Trajectory

VISIBLE = 0.01  # of the motion's size: the distance that an eye sees in a figure
KNOWN = 1e-3  # of the motion's size: motions known less well than this are not said to agree
FLAT = 0.1  # an order below it is none
WIDTH = 80

__all__ = ["VISIBLE", "Comparison", "Limit", "Pair"]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two motions held against each other at the times of a `Comparison`.

    Attributes:
        first, second: the two labels.
        t: times (N,).
        columns: what is compared, k names.
        differences: raw differences second - first (N, k), angles brought to (-pi, pi], quaternions up to sign.
        distance: (N,), max over columns of |difference|/scale.
        known: (N,), the distance below which the runs cannot tell the motions apart.
        doubts: why a run cannot be trusted; with one there is no verdict.
        early: why the comparison ends before the time that was asked for.
        visible_at: where the distance becomes visible, as it was found between the times too; None to read it off `t`.
        same: are both motions of the same equations, which agree whatever the system is?
    """

    first: str
    second: str
    t: np.ndarray
    columns: tuple[str, ...]
    differences: np.ndarray
    distance: np.ndarray
    known: np.ndarray
    doubts: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    visible_at: float | None = None
    same: bool = False

    def difference(self, name: str) -> np.ndarray:
        """The raw difference second - first (N,) of one column.

        Raises:
            UnknownName: E317, the column is not compared.
        """
        return np.asarray(self.differences[:, position(self.columns, name)])

    @property
    def largest(self) -> float:
        """The largest distance."""
        return float(self.distance.max())

    @property
    def at_end(self) -> float:
        """The distance at the last common time."""
        return float(self.distance[-1])

    @property
    def parts_at(self) -> float:
        """The first time at which the distance is visible (1 % of the motion's size), NaN if it never is."""
        return crossed(self.t, self.distance)[2] if self.visible_at is None else self.visible_at

    @property
    def differ(self) -> bool:
        """Is the distance at some time larger than the runs' own errors can explain?"""
        return bool(np.any(self.distance > self.known))

    @property
    def agree(self) -> bool:
        """Did both runs pass their audit, reach the end, and stay as close as the runs can tell?"""
        whole = not self.doubts and not self.early and len(self.t) > 1
        return whole and not self.differ and float(self.known.max()) <= KNOWN

    @property
    def verdict(self) -> str:
        """One sentence with numbers."""
        who, span = f"{self.first} and {self.second}", f"{self.t[-1] - self.t[0]:.6g} s"
        if self.doubts:
            return f"{who}: no verdict, since {'; '.join(self.doubts)}. Measured over {span}: {self._measured}"
        if len(self.t) < 2:
            return f"{who}: nothing to compare, no time passed{self._ending}"
        if self.differ:
            return f"{who} {self._parting}{self._ending}"
        if float(self.known.max()) > KNOWN:
            error = share(float(self.known.max()))
            return f"{who} cannot be told apart: {self._measured}, the runs' errors up to {error}{self._ending}"
        if self.early:
            size = share(self.largest)
            return f"{who}: no difference above {size} of the motion's size over the {span} compared{self._ending}"
        by_itself = ", as the same equations do of any system" if self.same else ""
        return f"{who} agree to {share(self.largest)} of the motion's size over {span}{by_itself}"

    @property
    def _measured(self) -> str:
        return f"distance at most {share(self.largest)} of the motion's size"

    @property
    def _parting(self) -> str:
        if math.isnan(self.parts_at):
            return f"differ, though never visibly: {self._measured}"
        peak = float(self.t[int(self.distance.argmax())])
        more = "" if self.at_end >= 0.8 * self.largest else f" ({share(self.largest)} at t = {peak:.3g} s)"
        return f"part: the distance reaches 1 % at t = {self.parts_at:.3g} s, {share(self.at_end)} at the end{more}"

    @property
    def _ending(self) -> str:
        return f"; compared only up to t = {self.t[-1]:.6g} s: {'; '.join(self.early)}" if self.early else ""


class Paths(tuple[Trajectory, ...]):
    """Paths in the order of the principles; the label of one gives its path too.

    Attributes:
        labels: of the paths.
    """

    labels: tuple[str, ...]

    @classmethod
    def of(cls, labels: Sequence[str], paths: Iterable[Trajectory]) -> Paths:
        """The paths with these labels."""
        made = cls(paths)
        made.labels = tuple(labels)
        return made

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Trajectory: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Trajectory, ...]: ...

    def __getitem__(self, key: SupportsIndex | str | slice) -> Trajectory | tuple[Trajectory, ...]:
        """One path by its place or its label, several by a slice (UnknownName E317 for a label that there is not)."""
        if isinstance(key, str):
            key = position(self.labels, key, "the comparison has no run")
        return super().__getitem__(key)


@noun
@dataclass(frozen=True, eq=False)
class Comparison:
    """Motions of one system under several principles.

    Attributes:
        title: of the system.
        principles: their labels.
        paths: one a principle, by its place or its label.
        t: times (N,) common to all.
        until: the time that was asked for.
        columns: what is compared.
        scales: the size of the motion in each column.
        pairs: every two of them, in order.
    """

    title: str
    principles: tuple[str, ...]
    paths: tuple[Trajectory, ...]
    t: np.ndarray
    until: float
    columns: tuple[str, ...]
    scales: Mapping[str, float]
    pairs: tuple[Pair, ...]

    def __getitem__(self, label: str) -> Trajectory:
        """The path of a principle (UnknownName E317 if it is not among them)."""
        return self.paths[position(self.principles, label, "the comparison has no run")]

    def pair(self, first: str, second: str) -> Pair:
        """The two of these labels, in the order in which they were given to `compare`.

        Raises:
            UnknownName: E317, a label that is not among them.
        """
        wanted = {position(self.principles, label, "the comparison has no run") for label in (first, second)}
        for pair in self.pairs:
            if {self.principles.index(pair.first), self.principles.index(pair.second)} == wanted:
                return pair
        raise UnknownName("E317", f"{as_given(first)} is not compared with itself", "name two different runs")

    @property
    def distances(self) -> np.ndarray:
        """(P, P, N): the distance between every two paths."""
        P = len(self.principles)
        found = np.zeros((P, P, len(self.t)))
        for pair in self.pairs:
            i, j = self.principles.index(pair.first), self.principles.index(pair.second)
            found[i, j] = found[j, i] = pair.distance
        return found

    @property
    def agree(self) -> bool:
        """Do all agree, each run having passed its audit and reached the end?"""
        return all(pair.agree for pair in self.pairs)

    @property
    def verdict(self) -> str:
        """One sentence a pair."""
        return "\n".join(pair.verdict for pair in self.pairs)

    def __str__(self) -> str:
        lines = [f"{self.title or 'System'}: {len(self.principles)} motions from one start"]
        lines.append(f"time         {self.t[0]:g} to {self.t[-1]:g} s compared, up to {self.until:g} s asked for")
        for label, path in zip(self.principles, self.paths, strict=True):
            lines += row("run", f"{label}: {path.audit.verdict}; {path.outcome}")
            lines += [line for reason in path.audit.reasons for line in row("  because", reason)]
        lines += row("distance", f"largest |difference|/size over {', '.join(self.columns)}")
        sizes = ", ".join(f"{name} {size:.3g}" for name, size in self.scales.items())
        ranges = f"range over all motions up to t = {self.t[-1]:g} s, of an angle at most a turn"
        lines += row("  size", f"{ranges}: {sizes}")
        for pair in self.pairs:
            seen = "never" if math.isnan(pair.parts_at) else f"at t = {pair.parts_at:.4g} s"
            lines += row("  pair", f"{pair.first} - {pair.second}: 1 % {seen}, largest {share(pair.largest)}")
        lines += [line for pair in self.pairs for line in row("verdict", pair.verdict)]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return html(self)


@noun
@dataclass(frozen=True, eq=False)
class Limit:
    """Motions at rising strength of a penalty against the motion that they should tend to.

    Attributes:
        title, penalty, principle: what was studied.
        strengths: (S,), rising.
        times: (T,) at which errors were taken.
        columns: what is compared: coordinates and velocities.
        scales: the size of the limit motion in each column.
        differences: raw differences to the limit motion (S, T, k), NaN where a run ended before.
        distances: (S, T), max over columns of |difference|/scale.
        reference: the limit principle's path.
        paths: one a strength.
        orders: (S - 1,), -d log error/d log strength from one strength to the next.
        asymptotic: (S,), which strengths entered the regression.
        order: the regression's order p in error ~ strength^-p, NaN without three strengths in a row that share one.
        doubts: runs that cannot be trusted.
        accuracy: distances below it are those of the steps rather than of the motions.
    """

    title: str
    penalty: str
    principle: str
    strengths: np.ndarray
    times: np.ndarray
    columns: tuple[str, ...]
    scales: Mapping[str, float]
    differences: np.ndarray
    distances: np.ndarray
    reference: Trajectory
    paths: tuple[Trajectory, ...]
    orders: np.ndarray
    asymptotic: np.ndarray
    order: float
    doubts: tuple[str, ...] = field(default=())
    accuracy: float = 0.0

    @property
    def errors(self) -> np.ndarray:
        """(S,), the largest distance over the times."""
        return np.asarray(self.distances.max(axis=1))

    def difference(self, name: str) -> np.ndarray:
        """The raw difference (S, T) of one column to the limit motion (UnknownName E317)."""
        return np.asarray(self.differences[:, :, position(self.columns, name)])

    @property
    def verdict(self) -> str:
        """One sentence with numbers."""
        i = int(np.flatnonzero(self.asymptotic)[-1]) if self.asymptotic.any() else len(self.strengths) - 1
        last = f"error {share(self.errors[i])} of the motion's size at strength {self.strengths[i]:.3g}"
        if self.doubts:
            return f"no verdict, since {'; '.join(self.doubts)}; {last}"
        if not self.order >= FLAT and (met := self.errors <= self.accuracy).any():
            first = f"{self.strengths[int(np.argmax(met))]:.3g}"
            return (
                f"no order is seen: from strength {first} on, errors are those of the steps; take lesser ones; {last}"
            )
        if math.isnan(self.order):
            fine = f"between the two largest it is {self.orders[-1]:.3g}"
            return f"no order is seen: no three strengths in a row share one, {fine}; {last}"
        s = self.strengths[self.asymptotic]
        where = f"strengths {s[0]:.3g} to {s[-1]:.3g} ({len(s)} of {len(self.strengths)})"
        if self.order < FLAT:
            return f"does not tend to the {self.principle} motion: order {self.order:.2f} over {where}; {last}"
        return f"tends to the {self.principle} motion with order {self.order:.3f} over {where}; {last}"

    def __str__(self) -> str:
        lines = row("limit", f"{self.title or 'System'}: {self.penalty} -> {self.principle}")
        lines.append(f"errors       at {len(self.times)} times from {self.times[0]:g} to {self.times[-1]:g} s")
        lines += row("start", "all with the positions and momenta of the limit motion, dL_s/du = dL*/du")
        lines.append(f"  {'strength':>10} {'error':>10} {'order':>7}  {'in fit':<7} {'steps':>8}  audit")
        for i, s in enumerate(self.strengths):
            order = f"{self.orders[i - 1]:7.3f}" if i else f"{'':>7}"
            audit, used = self.paths[i].audit, "yes" if self.asymptotic[i] else "no"
            lines.append(f"  {s:10.3g} {self.errors[i]:10.2e} {order}  {used:<7} {audit.steps:8d}  {audit.verdict}")
        return "\n".join([*lines, *row("verdict", self.verdict)])

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return html(self)


def crossed(t: np.ndarray, distance: np.ndarray) -> tuple[float, float, float]:
    """The times between which a distance first becomes visible, and where it does if it grows evenly; NaN if never."""
    seen = np.flatnonzero(distance >= VISIBLE)
    if not len(seen):
        return math.nan, math.nan, math.nan
    k = int(seen[0])
    before = max(k - 1, 0)
    return float(t[before]), float(t[k]), float(np.interp(VISIBLE, distance[before : k + 1], t[before : k + 1]))


def share(value: float) -> str:
    """A part of the motion's size: percent where that is readable."""
    return f"{100 * value:.3g} %" if 1e-3 <= value < 1e3 else f"{value:.1e}"


def row(label: str, text: str) -> list[str]:
    """``label  text``, wrapped to the width of a page."""
    return textwrap.wrap(f"{label:<12} {text}", WIDTH, subsequent_indent=" " * 13, break_on_hyphens=False)


def position(names: Sequence[str], name: object, fact: str = "the comparison has no column") -> int:
    """The place of a name given as text or symbol (UnknownName E317)."""
    wanted = str(getattr(name, "name", name))
    if wanted not in names:
        raise UnknownName("E317", f"{fact} {as_given(wanted)}", did_you_mean(wanted, names))
    return names.index(wanted)
