"""A family of motions that come back: rows of a parameter, states, periods and multipliers, and the points between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import mode
from typing import NamedTuple

import numpy as np

from ...argument_checks import noun, one_of
from ...equations import Equations
from ...errors import InvalidValue
from ...errors.remedies import Option
from ...event import Event
from . import DRIFT, PERIOD
from .arclength import TURNED, CurvePoint, Walk, between, crossing, root
from .equilibrium_branches import BRANCH_POINT, FOLD, place_of
from .periodic_orbits import Laps, Periodic, nearest
from .periodicity_conditions import Gate, ReturnProblem, What, onto, orbit_at
from .relative_periodic_orbits import Relative
from .tangent_flow import Carried, Options

DOUBLING, TORUS = "period doubling", "torus"


class OrbitsRow(NamedTuple):
    """One periodic motion of a family."""

    value: float
    period: float
    state: Mapping[str, float]
    multipliers: np.ndarray
    stable: bool


@noun
@dataclass(frozen=True, eq=False)
class Orbits:
    """Periodic motions in the order in which they follow each other.

    Attributes:
        parameter: the name of what changes.
        values: its values, (N,); they may turn back.
        periods: (N,).
        names: the states.
        states: at the start of each motion, (N, n).
        multipliers: of the return maps in the directions that the constraints leave, (N, d), complex, largest first.
        trivial: which of them are 1 whatever the motion, (N, d): of the motion itself, each symmetry and each conserved
            quantity.
        stable: does no small disturbance grow, to first order? (N,); not where pairs meet in one mode either.
        special: ``[(kind, value), ...]`` along the family: ``"fold"`` where the parameter turns back, ``"branch
            point"`` where another family of the same period goes through, ``"period doubling"`` where one of twice the
            period begins, ``"torus"`` where a pair of multipliers leaves the unit circle.
        held: what stays as in the start, beside the parameter.
        ends: why it ends at either end.
        drifts: where motions come back up to a symmetry, how far they go along each generator in a period, (N,) by
            name; columns of the names ``"drift ..."``.
    """

    parameter: str
    values: np.ndarray
    periods: np.ndarray
    names: tuple[str, ...]
    states: np.ndarray
    multipliers: np.ndarray
    trivial: np.ndarray
    stable: np.ndarray
    special: list[tuple[str, float]]
    held: tuple[str, ...]
    ends: tuple[str, str]
    equations: Equations = field(repr=False)
    _gates: tuple[Gate, ...] = field(repr=False)
    drifts: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[OrbitsRow, ...]:
        """The motions one by one."""
        every = zip(self.values, self.periods, self.states, self.multipliers, self.stable, strict=True)
        return tuple(
            OrbitsRow(float(p), float(T), dict(zip(self.names, map(float, y), strict=True)), m, bool(s))
            for p, T, y, m, s in every
        )

    @property
    def events(self) -> tuple[Event, ...]:
        """What acts on the motions beside the walls."""
        return self._gates[-1].closing.carried.events

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns beside the parameter and the states: the period, drifts."""
        return (PERIOD, *(DRIFT + name for name in self.drifts))

    @property
    def spectrum(self) -> tuple[str, np.ndarray]:
        """What tells stability, and its name."""
        return "multiplier", self.multipliers

    def __getitem__(self, name: str) -> np.ndarray:
        """The parameter, ``"period"``, or a state at the start, along the family (N,) (UnknownName E317)."""
        columns = {PERIOD: self.periods, **dict(zip(self.names, self.states.T, strict=True))}
        columns |= {DRIFT + name: column for name, column in self.drifts.items()}
        columns[self.parameter] = self.values
        return np.array(columns[one_of(columns, name, "the family", "column", "E317")])

    def __len__(self) -> int:
        return len(self.values)

    def orbit(self, row: int) -> Periodic:
        """The motion of a row, with its path (InvalidValue E241 where there is no such row)."""
        i = place_of(row, len(self), "row")
        w = np.r_[self.states[i], [c[i] for c in self.drifts.values()], self.periods[i], self.values[i]]
        return orbit_at(self._gates[-1].closing, w)

    def switch(self, place: int, size: float = 0.01) -> Periodic:
        """A motion on the other family through a special point: the start of `da.families.continue_periodic` there.

        Args:
            place: of the point in `special`; a branch point or a period doubling.
            size: how far from the point, in sizes of the states; a negative one goes to the other side.

        Raises:
            WrongType: E241, a place that is no whole number, or a size that is no number.
            InvalidValue: E241, there is no such point, or no other family begins there; E335, no motion of the other
                family is reached: try another size.
        """
        i = place_of(place, len(self.special), "special point")
        kind, value = self.special[i]
        if kind not in (BRANCH_POINT, DOUBLING):
            fact = f"no other family begins at the {kind} at {self.parameter} = {value:.6g}"
            raise InvalidValue("E241", fact, f"a place in special of a {BRANCH_POINT} or a {DOUBLING}")
        return onto(self._gates[i], size)

    def __str__(self) -> str:
        low, high = self.values.min(), self.values.max()
        lines = [f"family of {len(self)} periodic motions, {self.parameter} from {low:.6g} to {high:.6g}"]
        lines.append(f"  period       {self.periods.min():.6g} to {self.periods.max():.6g}")
        lines += [f"  drift        {n}: {c.min():.6g} to {c.max():.6g}" for n, c in self.drifts.items()]
        lines += [f"  held         {', '.join(self.held)}"] if self.held else []
        lines += [f"  {kind:15}  {self.parameter} = {value:.10g}" for kind, value in self.special]
        stable = self.stable
        for part in np.split(np.arange(len(self)), np.flatnonzero(np.diff(stable.astype(int))) + 1):
            verdict = "stable to first order" if stable[part[0]] else "unstable"
            low, high = self.values[part].min(), self.values[part].max()
            lines.append(f"  {verdict}, {low:.6g} to {high:.6g}")
        lines += [f"  ends: {self.ends[0]}; {self.ends[1]}"]
        return "\n".join(lines)

    __repr__ = __str__


# --- Periodic motions followed in a parameter, and the points at which their character changes -----------------------
# Between two neighbours, of the multipliers mu of M and the rows A of the family, its tangent among them:
#
#     det A:           changes its sign at a branch point, and not at a fold, where the parameter turns back
#     det(M + 1):      changes its sign at a period doubling; multipliers that are trivially 1 count as 2 there
#     |mu| > 1:        so many change by 2 without these at a torus, also where pairs on the unit circle collide

MOST = 500  # steps to either side
GROWING = 1e-5  # |mu| beyond 1: what is told from 1 where pairs meet
_NEAR, _LOCATED, _LEVEL, _SMALL = 1e-6, 1e-12, 0.1, 1e-2


def orbits_of(start: Periodic, what: What, over: tuple[float, float], fix: Collection[str], options: Options) -> Orbits:
    """See `apps.orbits.continue_periodic`."""
    low, high = over
    options = {"walls": start.walls, **options}
    own = Carried(start.equations, start.start, None, options, "continue_periodic", True, events=start.events)
    if own.jumping and own.met(start.period) is not None:
        own.leave(start.period)
    carried = own if start._group is None else Relative(own, start._group, np.array([*start.drift.values()]))
    y, T = carried.y, start.period
    closing = ReturnProblem(carried, what, Laps(carried).of(start.turns), not carried.autonomous)
    value = closing.value(y, T)
    if not low - _NEAR * (high - low) <= value <= high + _NEAR * (high - low):
        fact = f"{what.name} = {value:g} at the start, which is not in over = ({low:g}, {high:g})"
        raise InvalidValue("E241", fact, Option("over", (min(low, value), max(high, value))))
    _check_time(closing, T, over)
    tangent = closing.start(y, T, fix)
    x = closing.first
    first = CurvePoint(x, tangent, closing.eigenvalues(x))
    ahead, end = Walk(closing, low, high, MOST).walk(first, _Shrinks(closing, first))
    back, begin = Walk(closing, low, high, MOST).walk(first._replace(tangent=-tangent), _Shrinks(closing, first))
    points = [*(p._replace(tangent=-p.tangent) for p in reversed(back)), first, *ahead]
    return _told(closing, points, (begin, end))


def _check_time(closing: ReturnProblem, T: float, over: tuple[float, float]) -> None:
    """E335 where the equations change with time in another period than the motion is to have."""
    if not closing.fixed:
        return
    given, y, t = closing.what.period, closing.carried.y, closing.carried.start.t
    own = closing.carried.start.parameters
    for p in (own.get(closing.name, 0.0), *over) if closing.own else (0.0,):
        values = {**own, closing.name: p} if closing.own else dict(own)
        period = closing.period_at(values, T)
        if p == own.get(closing.name) and abs(period - T) > _NEAR * T:
            fact = f"period = {given} is {period:.10g} at the start, whose motion takes {T:.10g}"
            raise InvalidValue("E335", fact, "a formula of the period in the parameters")
        for later in np.array([0.0, 0.13, 0.29, 0.71]) * T:
            now, then = (closing.changing(y, s, values) for s in (t + later, t + later + period))
            if not np.allclose(now, then, rtol=_NEAR, atol=_NEAR):
                fact = (
                    f"the equations change with time, and {period:.6g} is no period of them at {closing.name} = {p:g}"
                )
                raise InvalidValue("E335", fact, 'period="2*pi/w", a formula in the parameters')


def _told(closing: ReturnProblem, points: list[CurvePoint], ends: tuple[str, str]) -> Orbits:
    """The family of these points."""
    w = np.array([p.x for p in points]) * closing.size
    count = mode(closing.trivial_at(p.x) for p in points)
    found = _SpecialOrbits(closing, points, count).found()
    multipliers = np.array([p.eigenvalues for p in points])
    trivial = np.array([nearest(p.eigenvalues, count, closing.turned(p.x)) for p in points])
    special = [(kind, float(point.x[-1] * closing.width)) for kind, point in found]
    gates = [Gate(closing, p.x, p.tangent, 2 if kind == DOUBLING else 1) for kind, p in found]
    equations = closing.carried.equations
    names, n = tuple(equations.states), len(equations.states)
    drifts = dict(zip(closing.carried.drifts, w[:, n:-2].T, strict=True))
    spectra = [closing.spectrum(p.x) for p in points]
    stable = np.array([not found.fastest and not found.resonant for found in spectra])
    columns = (w[:, -1], w[:, -2], names, w[:, :n], multipliers, trivial, stable)
    gates.append(Gate(closing, points[0].x, points[0].tangent, 1))
    return Orbits(closing.name, *columns, special, closing.held(), ends, equations, tuple(gates), drifts)


class _Shrinks:
    """Why a family goes no further: its motions become a steady one, through which they go on half a period later."""

    def __init__(self, closing: ReturnProblem, first: CurvePoint) -> None:
        self.closing, self.first = closing, closing.width_at(first.x)

    def __call__(self, a: CurvePoint, b: CurvePoint) -> str:
        before, after = (self.closing.phase(p.x) for p in (a, b))
        through = before.size and float(before[0] @ after[0]) < 0
        if not (through or self.closing.width_at(b.x) < _SMALL * self.first):
            return ""
        value = float(b.x[-1]) * self.closing.width
        return f"it shrinks to a steady motion near {self.closing.name} = {value:.4g}"


class _SpecialOrbits:
    """Points between neighbours at which the character changes."""

    def __init__(self, closing: ReturnProblem, points: list[CurvePoint], count: int) -> None:
        self.closing, self.points, self.count = closing, points, count

    def found(self) -> list[tuple[str, CurvePoint]]:
        """Kinds and motions, in order."""
        return [special for a, b in pairwise(self.points) for special in self._between(a, b)]

    def _between(self, a: CurvePoint, b: CurvePoint) -> list[tuple[str, CurvePoint]]:
        found = list[tuple[str, CurvePoint]]()
        bordered = self._bordered(a)
        crosses = bordered(a) * bordered(b) < 0
        if crosses:
            found.append((BRANCH_POINT, crossing(self.closing, a, b, bordered)))
        turns = a.tangent[-1] * b.tangent[-1] < 0 and min(abs(a.tangent[-1]), abs(b.tangent[-1])) > TURNED
        if turns:
            # two halves of a family that mirror each other turn back where they meet
            level = _LEVEL * max(abs(a.tangent[-1]), abs(b.tangent[-1]))
            if not crosses or abs(found[0][1].tangent[-1]) > level:
                found.append((FOLD, self._root(a, b, lambda p: float(p.tangent[-1]))))
        doubles = self._flips(a) * self._flips(b) < 0
        if doubles:
            found.append((DOUBLING, self._root(a, b, self._flips)))
        if abs(self._growing(a) - self._growing(b)) - crosses - turns - doubles >= 2:
            found.append((TORUS, self._torus(a, b)))
        return sorted(found, key=lambda special: float((special[1].x - a.x) @ (b.x - a.x)))

    def _root(self, a: CurvePoint, b: CurvePoint, f: Callable[[CurvePoint], float]) -> CurvePoint:
        return root(self.closing, a, b, f, _LOCATED)

    def _bordered(self, a: CurvePoint) -> Callable[[CurvePoint], float]:
        """det A on the space of its columns at a, in parts of what it is there."""
        C = np.vstack([self.closing.across(a.x)[0], a.tangent])
        L = np.linalg.svd(np.vstack([self.closing.slopes(a.x), C]))[0][:, : len(a.x)]

        def sized(point: CurvePoint) -> tuple[float, float]:
            sign, size = np.linalg.slogdet(L.T @ np.vstack([self.closing.slopes(point.x), C]))
            return float(sign), float(size)

        unit = sized(a)[1]

        def determinant(point: CurvePoint) -> float:
            sign, size = sized(point)
            return sign * float(np.exp(min(size - unit, 700.0)))

        return determinant

    def _flips(self, point: CurvePoint) -> float:
        """det(M + 1)."""
        M = self.closing.map(point.x)
        return float(np.linalg.det(M + np.eye(len(M))))

    def _others(self, point: CurvePoint) -> np.ndarray:
        """Multipliers that are not trivial."""
        turned = self.closing.turned(point.x)
        return np.asarray(point.eigenvalues[~nearest(point.eigenvalues, self.count, turned)])

    def _growing(self, point: CurvePoint) -> int:
        """How many |mu| > 1."""
        return int(np.sum(np.abs(self._others(point)) > 1 + GROWING))

    def _torus(self, a: CurvePoint, b: CurvePoint) -> CurvePoint:
        """Where a pair leaves the unit circle, or two pairs on it collide."""
        growing = max(self._growing(a), self._growing(b))

        def beyond(point: CurvePoint) -> float:
            """|mu| - 1 of the pair that grows on one side."""
            return float(np.sort(np.abs(self._others(point)))[-growing]) - 1

        if beyond(a) * beyond(b) < 0 and min(abs(beyond(a)), abs(beyond(b))) > GROWING:
            return self._root(a, b, beyond)
        before, low, high = self._growing(a), 0.0, 1.0
        while high - low > _NEAR:
            middle = (low + high) / 2
            same = self._growing(between(self.closing, a, b, middle)) == before
            low, high = (middle, high) if same else (low, middle)
        return between(self.closing, a, b, high)
