"""Steady motions followed in a parameter, and the periodic motions about one: born at a Hopf point, or small swings.

With a pair of eigenvalues i w of the linearised motion and its vector v, near the steady motion y_0

    y(t) = y_0 + e Re(v exp(i w t)) + O(e^2) ,     T = 2 pi / w + O(e^2) ,     p = p_0 + O(e^2)

The motion at a distance e is solved for, the period and a parameter free; the phase is that of Im v at the start.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...argument_checks import noun, number, one_of, overriding
from ...calculus.numerical_rank import null_rows
from ...calculus.quantity import is_finite
from ...equations import Equations, Start
from ...equations.contact_modes import refuse_contacts
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ...errors.remedies import Option
from ..node_derivatives import Linearised
from ..relative_equilibria import NOTHING, Steady, guess_of, held_of, remarks_on, sizes_of, stands
from . import PERIOD
from .arclength import CLOSED, SAME, TURNED, CurvePoint, Walk, away, between, root
from .equilibrium_conditions import Fork, Standing, other_branch
from .periodic_orbits import Laps, Periodic
from .periodicity_conditions import ReturnProblem, What, orbit_at
from .tangent_flow import Carried, Parameters

SLOWEST, FASTEST = "slowest", "fastest"  # of the frequencies of small swings
_SIMPLE = 1e-4  # of frequencies: nearer ones are one


def born(fork: Fork, size: float) -> Periodic:
    """A periodic motion near a Hopf point, with the parameter of the branch free."""
    standing = fork.standing
    y, p = standing.at(fork.x)
    work, name = standing.work, standing.name
    moves = [mu for mu in work.eigenvalues(y) if mu.imag > NOTHING]
    at = min(moves, key=lambda mu: abs(mu.real))
    if any(mu is not at and abs(mu - at) < _SIMPLE * abs(at) for mu in moves):
        fact = f"two pairs of eigenvalues collide at {name} = {p:.6g}"
        raise InvalidValue("E335", fact, "da.families.swing at a steady motion beside it, for each of the two")
    what = What(name, standing.own, standing.quantity, None, standing.width)
    family = np.insert(standing.family, len(y), 0.0, axis=1)
    return _reached(standing.equations, work, what, y, p, float(at.imag), standing.size[:-1], family, size)


def swing_about(equations: Equations, rest: Steady, frequency: float | str | None, size: float) -> Periodic:
    """See `apps.periodic.swing`."""
    work = Linearised(equations, dict(rest.parameters))
    y = np.array([rest.state[n] for n in work.names])
    A, T = work.motion(y)
    w = _frequency(np.linalg.eigvals(A), frequency)
    sizes = sizes_of(y, len(equations.space.coordinates))
    # other steady motions nearby are held
    null = T @ null_rows(A, SAME).T
    held = np.pad((null / sizes[:, None]).T, ((0, 0), (0, 2)))
    period = math.tau / w
    return _reached(equations, work, What(PERIOD, False, None, None, period), y, period, w, sizes, held, size)


def _frequency(eigenvalues: np.ndarray, wanted: float | str | None) -> float:
    """That of a pair on the imaginary axis."""
    scale = NOTHING * max(1.0, float(np.abs(eigenvalues).max(initial=0.0)))
    found = sorted(float(mu.imag) for mu in eigenvalues if abs(mu.real) <= scale < mu.imag)
    known = ", ".join(f"{w:.6g}" for w in found)
    if not found:
        fact = "no pair of eigenvalues lies on the imaginary axis: nothing swings about this steady motion"
        raise InvalidValue("E335", fact, "another steady motion, or branch.switch at a Hopf point")
    if wanted is None and len(found) > 1:
        fact = f"motions about it swing with the frequencies {known}"
        raise InvalidValue("E335", fact, f'name about one of them, or say "{SLOWEST}" or "{FASTEST}"')
    if isinstance(wanted, str):
        return found[0] if wanted == SLOWEST else found[-1]
    return found[0] if wanted is None else min(found, key=lambda w: abs(w - wanted))


def _reached(
    equations: Equations,
    work: Linearised,
    what: What,
    y: np.ndarray,
    p: float,
    w: float,
    sizes: np.ndarray,
    held: np.ndarray,
    size: float,
) -> Periodic:
    """The periodic motion at a distance from a steady one."""
    size = number(size, "size", "E241")
    if not size:
        raise InvalidValue("E241", "size = 0 stays at the steady motion", "size=0.01")
    state = dict(zip(work.names, map(float, y), strict=True))
    carried = Carried(equations, equations.start(state, project=None, parameters=work.parameters), None, {}, "swing")
    closing = ReturnProblem(carried, what, Laps(carried).of({}), fixed=False)
    v = _mode(work, y, w) / sizes
    # turned so that Re v and Im v are at right angles, the first the longer
    v = v * np.exp(-0.5j * np.angle(v @ v))
    along, across = (np.r_[part / np.linalg.norm(part), 0.0, 0.0] for part in (v.real, v.imag))
    closing.size = np.r_[sizes, math.tau / w, what.width]
    closing.first = np.r_[y, math.tau / w, p] / closing.size
    # not what the motion itself moves
    plane = np.vstack([along, across])
    closing.family = np.vstack([held - held @ plane.T @ plane, across])
    found = away(closing, closing.first, along, size)
    if found is None:
        fact = f"no periodic motion is reached at a distance of {size:g} from the steady one"
        raise InvalidValue("E335", fact, "another size, of either sign")
    return orbit_at(closing, found * closing.size)


def _mode(work: Linearised, y: np.ndarray, w: float) -> np.ndarray:
    """v with A v = i w v (n,)."""
    A, T = work.motion(y)
    values, vectors = np.linalg.eig(A)
    return np.asarray(T @ vectors[:, np.abs(values - 1j * w).argmin()])


# ---------------------------------------------------------------------------------------------------------------------
# A branch of steady motions: rows of a parameter, states and eigenvalues, and the special points between them.

HOPF, FOLD, BRANCH_POINT = "Hopf", "fold", "branch point"


class BranchPoint(NamedTuple):
    """One steady motion of a branch."""

    value: float
    state: Mapping[str, float]
    eigenvalues: np.ndarray
    stable: bool


@noun
@dataclass(frozen=True, eq=False)
class Branch:
    """Steady motions in the order in which they follow each other.

    Attributes:
        parameter: the name of what changes.
        values: its values, (N,); they may turn back.
        names: the states.
        states: (N, n).
        eigenvalues: of the linearised motion on the constraints, growing ones first, (N, d), complex.
        special: ``[(kind, value), ...]`` along the branch: ``"fold"`` where the parameter turns back, ``"Hopf"`` where
            a pair begins or ends to grow, ``"branch point"`` where eigenvalues pass or touch 0 and the parameter goes
            on, or turns back between two halves that mirror each other. Steady motions meet there: another branch
            goes through where the rows of steady motions lose a rank; where they keep it, what is conserved stands
            still along the family, and motions of the family with the same conserved quantities meet.
        held: what stays as in the start, beside the parameter: directions of the family of which this is a branch.
        ends: why it ends at either end.
        growth: of the fastest disturbance, 0 where none grows by more than rounding, (N,).
        stable: does no small disturbance grow, to first order? (N,); not where frequencies meet in one mode either.
        remarks: what the linear motions leave out.
    """

    parameter: str
    values: np.ndarray
    names: tuple[str, ...]
    states: np.ndarray
    eigenvalues: np.ndarray
    special: list[tuple[str, float]]
    held: tuple[str, ...]
    ends: tuple[str, str]
    growth: np.ndarray
    stable: np.ndarray
    remarks: tuple[str, ...] = ()
    _forks: tuple[Fork, ...] = field(default=(), repr=False)

    @property
    def rows(self) -> tuple[BranchPoint, ...]:
        """The steady motions one by one."""
        found = []
        every = zip(self.values, self.states, self.eigenvalues, self.stable, strict=True)
        for value, y, eigenvalues, stable in every:
            state = dict(zip(self.names, map(float, y), strict=True))
            found.append(BranchPoint(float(value), state, eigenvalues, bool(stable)))
        return tuple(found)

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns beside the parameter and the states: none."""
        return ()

    @property
    def spectrum(self) -> tuple[str, np.ndarray]:
        """What tells stability, and its name."""
        return "eigenvalue", self.eigenvalues

    def __getitem__(self, name: str) -> np.ndarray:
        """The parameter, or a state, along the branch (N,) (UnknownName E317 if there is none)."""
        columns = {**dict(zip(self.names, self.states.T, strict=True)), self.parameter: self.values}
        return np.array(columns[one_of(columns, name, "the branch", "column", "E317")])

    def __len__(self) -> int:
        return len(self.values)

    def switch(self, place: int, size: float = 0.01) -> Steady | Periodic:
        """A motion of what begins at a special point.

        At a branch point it is a steady one on the other branch, the start of `da.continue_steady` there; at a Hopf
        point a periodic one, the start of `da.families.continue_periodic`.

        Args:
            place: of the point in `special`.
            size: how far from the point, in sizes of the states; a negative one goes to the other side.

        Raises:
            WrongType: E241, a place that is no whole number, or a size that is no number.
            InvalidValue: E241, there is no such point, or it is a fold; E244, no other branch goes through, or no
                motion of it is reached: try another size; E335, no periodic motion is, or two pairs collide at the Hopf
                point.
        """
        i = place_of(place, len(self.special), "special point")
        kind, value = self.special[i]
        if kind == HOPF:
            return born(self._forks[i], number(size, "size", "E241"))
        if kind != BRANCH_POINT:
            fact = f"no other branch goes through the {kind} at {self.parameter} = {value:.6g}"
            raise InvalidValue("E241", fact, f"a place in special of a {BRANCH_POINT} or a {HOPF} point")
        return other_branch(self._forks[i], number(size, "size", "E241"))

    @property
    def zeros(self) -> int:
        """How many eigenvalues are 0 on the whole branch: of families and of what is conserved."""
        sizes = np.abs(self.eigenvalues)
        return int((sizes <= NOTHING * sizes.max(axis=1, initial=0.0, keepdims=True)).sum(axis=1).min())

    def fork(self, place: int) -> tuple[str, Fork]:
        """A special point: its kind, and where the rows of the branch are known (InvalidValue E241: there is none)."""
        i = place_of(place, len(self.special), "special point")
        return self.special[i][0], self._forks[i]

    def __str__(self) -> str:
        low, high = self.values.min(), self.values.max()
        lines = [f"branch of {len(self)} steady motions, {self.parameter} from {low:.6g} to {high:.6g}"]
        lines += [f"  held      {', '.join(self.held)}"] if self.held else []
        lines += [self._told(i) for i in range(len(self.special))]
        lines += self._begins()
        changes = np.flatnonzero(np.diff(self.stable.astype(int)))
        parts = np.split(np.arange(len(self)), changes + 1)
        for part in parts:
            verdict = "stable to first order" if self.stable[part[0]] else "unstable"
            low, high = self.values[part].min(), self.values[part].max()
            lines.append(f"  {verdict}, {low:.6g} to {high:.6g}")
        lines += [f"  ends: {self.ends[0]}; {self.ends[1]}", *(f"  {remark}" for remark in self.remarks)]
        return "\n".join(lines)

    def _told(self, i: int) -> str:
        """A special point, and what meets there where no other branch goes through."""
        kind, value = self.special[i]
        alone = kind == BRANCH_POINT and not self._forks[i].parts
        meets = ", of motions with the same conserved quantities" if alone else ""
        return f"  {kind:12}  {self.parameter} = {value:.10g}{meets}"

    def _begins(self) -> list[str]:
        """Where something else begins: at Hopf points, and at branch points through which another branch goes."""
        kinds = [kind for kind, _ in self.special]
        places = [i for i, kind in enumerate(kinds) if kind == HOPF or (kind == BRANCH_POINT and self._forks[i].parts)]
        if not places:
            return []
        if len(places) == len(kinds):
            return ["  switch(place) gives a motion of what begins there, places counted from 0"]
        return [f"  {', '.join(f'switch({i})' for i in places)} gives a motion of what begins there"]

    __repr__ = __str__


def place_of(given: object, count: int, what: str) -> int:
    """A place among so many, counted from the end if it is negative."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise WrongType("E241", f"{as_given(given)} is no place of a {what}", "a whole number")
    if not -count <= given < count:
        fact = f"there is no {what} {given}: there are {count}"
        raise InvalidValue("E241", fact, f"0 to {count - 1}" if count else "a family that has some")
    return int(given) % count


# --- Steady motions followed in a parameter, and the points at which their character changes -------------------------
# Between two neighbours the eigenvalues that are not 0 on the whole branch decide:
#
#     D = product of them:  changes its sign where a real one, or a pair on an axis, passes 0
#     U = how many grow:    changes by 2 at a Hopf point, without D; also where pairs on the imaginary axis collide
#
# Where the parameter turns back there is a fold; but where D touches 0 there, two halves of a branch meet in a fork. An
# even number of eigenvalues that are 0 at once leave the sign of D: there the least of them has a cusp, and the rows
# lose a rank.

MOST = 2000  # steps to either side
LATER = np.zeros(0)  # eigenvalues of points, before they are found for all together
_LOCATED, _NEAR, _TOUCHED = 1e-13, 1e-6, 1e-3
_ONE = 1e-5  # of a step: points nearer to each other are one
_CUSP = 0.35  # |s| is a quarter of what it is at both neighbours together, at most, with steps of one length


def branch_of(
    equations: Equations,
    name: str,
    quantity: sp.Expr | None,
    start: object,
    over: object,
    fix: object,
    parameters: Parameters | None,
) -> Branch:
    """See `apps.families.continue_steady`; a quantity is an expression in the states."""
    refuse_contacts(equations, "a family of steady motions follows one mode")
    low, high = range_of(over)
    y, values = _begin(equations, start, parameters)
    if quantity is None and name not in values:
        raise UnknownName("E202", f"there is no parameter {as_given(name)}", did_you_mean(name, values))
    standing = Standing(equations, values, name, quantity, high - low)
    standing.work.require(y)
    if not stands(standing.work, y):
        left = float(np.abs(standing.work.residual(y)).max(initial=0.0))
        fact = f"the start is no steady motion: a rate of {left:.2g} is left"
        raise InvalidValue("E244", fact, "start=da.steady(equations, ...), with the same parameters")
    value = standing.value(y)
    if not low - _NEAR * (high - low) <= value <= high + _NEAR * (high - low):
        fact = f"{name} = {value:g} at the start, which is not in over = ({low:g}, {high:g})"
        raise InvalidValue("E241", fact, Option("over", (min(low, value), max(high, value))))
    tangent = standing.start(y, standing.sizes(y), held_of(fix, standing.work.names, equations.space.attitudes))
    x = standing.begin
    first = CurvePoint(x, tangent, LATER)
    walk = Walk(standing, low, high, MOST, lambda x: LATER)
    ahead, end = walk.walk(first)
    back, begin = walk.walk(first._replace(tangent=-tangent)) if end != CLOSED else ([], end)
    points = standing.spectra([*(p._replace(tangent=-p.tangent) for p in reversed(back)), first, *ahead])
    return _told(standing, points, (begin, end))


def _told(standing: Standing, points: list[CurvePoint], ends: tuple[str, str]) -> Branch:
    """The branch of these points."""
    w = np.array([p.x for p in points]) * standing.size
    eigenvalues = np.array([p.eigenvalues for p in points])
    found = _Special(standing, points).found()
    special = [(kind, float(p.x[-1] * standing.width)) for kind, p in found]
    forks = tuple(Fork(standing, p.x, p.tangent) for _, p in found)
    names, states = tuple(standing.work.names), w[:, :-1]
    spectra = [standing.spectrum(p) for p in points]
    growth = np.array([found.fastest for found in spectra])
    stable = (growth == 0) & ~np.array([found.resonant for found in spectra])
    remarks = remarks_on(standing.equations, standing.work, states)
    told = (special, standing.held(), ends, growth, stable, remarks, forks)
    return Branch(standing.name, w[:, -1], names, states, eigenvalues, *told)


def range_of(over: object) -> tuple[float, float]:
    """Two rising numbers (E241)."""
    ends = list(over) if np.iterable(over) and not isinstance(over, str | bytes | Mapping) else None
    if ends is None or len(ends) != 2:
        raise WrongType("E241", f"over = {as_given(over)} is no range", "over=(0.0, 10.0)")
    if not all(is_finite(end) for end in ends):
        raise InvalidValue("E241", f"over = {as_given(over)} must hold two finite numbers", "over=(0.0, 10.0)")
    low, high = map(float, ends)
    if not low < high:
        raise InvalidValue("E241", f"over = ({low:g}, {high:g}) is empty", Option("over", (high, low + (low == high))))
    return low, high


def _begin(
    equations: Equations, start: object, parameters: Parameters | None
) -> tuple[np.ndarray, Mapping[str, float]]:
    """The state at the start, and the values of all parameters."""
    if isinstance(start, Steady):
        if start.frozen is not None:
            fact = f"the start stands still at t = {start.frozen:g} alone"
            raise InvalidValue("E244", fact, "steady motions of equations that do not change with time")
        more = [n for n in start.state if n not in equations.states]
        if more:
            fact = f"the start is a steady motion of other equations: these have no {', '.join(more)}"
            raise InvalidValue(
                "E241", fact, "give the equations of which it is one, da.continue_steady(equations, ...)"
            )
        given, own = start.state, start.parameters
    elif isinstance(start, Mapping):
        given, own = dict(start), start.parameters if isinstance(start, Start) else {}
    else:
        fact = f"a branch starts from a steady motion, not from {as_given(start)}"
        raise WrongType("E241", fact, "start=da.steady(equations, {...})")
    read = guess_of(equations, given, list(equations.states))
    values = equations.system.values({**own, **overriding(parameters)})
    return np.array([read.get(n, 0.0) for n in equations.states]), values


def _apart(a: CurvePoint, b: CurvePoint) -> float:
    return float(np.linalg.norm(b.x - a.x))


class _Special:
    """Points between neighbours at which the character changes."""

    def __init__(self, standing: Standing, points: list[CurvePoint]) -> None:
        self.standing, self.points = standing, points
        found = np.array([p.eigenvalues for p in points])
        sizes = np.abs(found)
        # eigenvalues that are 0 on the whole branch: of families and conserved quantities
        largest = sizes.max(axis=1, initial=0.0, keepdims=True)
        self.zeros = int(np.sum(sizes <= NOTHING * np.maximum(1.0, largest), axis=1).min())
        self.scale = max(1e-300, float(largest.max()))
        at = [id(p) for p in points]
        self._known = dict(zip(at, zip(*self._told_of(found), strict=True), strict=True))

    def found(self) -> list[tuple[str, CurvePoint]]:
        """Kinds and motions, in order."""
        found = [self._between(a, b) for a, b in pairwise(self.points)]
        for i in range(1, len(found)):
            if not found[i - 1] and not found[i]:
                found[i] = self._touching(*self.points[i - 1 : i + 2])
        return [special for specials in found for special in specials]

    def _moving(self, eigenvalues: np.ndarray) -> np.ndarray:
        order = np.argsort(np.abs(eigenvalues), axis=-1)[..., self.zeros :]
        return np.take_along_axis(eigenvalues, order, axis=-1)

    def _told_of(self, eigenvalues: np.ndarray) -> tuple[list[float], list[int], list[float]]:
        """Of rows (N, d) of them: D, in parts of the largest of the branch, U, and the least that moves."""
        moving = self._moving(eigenvalues)
        tolerance = NOTHING * np.maximum(1.0, np.abs(eigenvalues).max(axis=1, initial=0.0, keepdims=True))
        product = np.prod(moving / self.scale, axis=1).real
        growing = np.sum(moving.real > tolerance, axis=1)
        return product.tolist(), growing.tolist(), np.abs(moving).min(axis=1, initial=np.inf).tolist()

    def _of(self, point: CurvePoint) -> tuple[float, int, float]:
        """The same of one point."""
        known = self._known.get(id(point))
        if known is None:
            (product,), (growing,), (least,) = self._told_of(point.eigenvalues[None])
            return product, growing, least
        return known

    def _product(self, point: CurvePoint) -> float:
        """D."""
        return self._of(point)[0]

    def _growing(self, point: CurvePoint) -> int:
        """U."""
        return self._of(point)[1]

    def _least(self, point: CurvePoint) -> float:
        """The least eigenvalue that is not 0 on the whole branch."""
        return self._of(point)[2]

    def _between(self, a: CurvePoint, b: CurvePoint) -> list[tuple[str, CurvePoint]]:
        turn, zero = self._turn(a, b), self._zero(a, b)
        crosses = self._product(a) * self._product(b) < 0
        if crosses and zero is None and turn is None:
            return []  # a pole, on both sides of which there are steady motions
        found = list[tuple[str, CurvePoint]]()
        if turn is not None:
            largest = max(abs(self._product(p)) for p in (a, b))
            touches = not crosses and abs(self._product(turn)) < _TOUCHED * largest
            found.append((BRANCH_POINT if touches else FOLD, turn))
        # where the parameter is one of the system D passes 0 in the fold; a quantity turns back beside that
        if zero is not None and (turn is None or _apart(turn, zero) > _ONE * _apart(a, b)):
            found.append((BRANCH_POINT, zero))
        change = abs(self._growing(b) - self._growing(a))
        if change - (crosses and change % 2) >= 2:
            begins = self._hopf(a, b)
            # an even number of real ones that pass 0 at once leave the sign of D, too
            real = self._least(begins) <= _TOUCHED * max(self._least(a), self._least(b))
            found.append((BRANCH_POINT if real else HOPF, begins))
        return sorted(found, key=lambda special: float((special[1].x - a.x) @ (b.x - a.x)))

    def _touching(self, a: CurvePoint, b: CurvePoint, c: CurvePoint) -> list[tuple[str, CurvePoint]]:
        """Where an even number of eigenvalues are 0 at once, about b, and other motions cross."""
        sizes = [self._least(p) for p in (a, b, c)]
        if sizes[1] > min(sizes) or sizes[1] > _CUSP * (sizes[0] + sizes[2]):
            return []

        def at(part: float) -> CurvePoint:
            return between(self.standing, b, a if part < 0 else c, abs(part))

        from scipy.optimize import minimize_scalar

        lowest = minimize_scalar(
            lambda s: self._least(at(s)), bounds=(-1, 1), method="bounded", options={"xatol": _LOCATED}
        )
        point = at(float(lowest.x))
        if self._least(point) > _TOUCHED * max(sizes) or not Fork(self.standing, point.x, point.tangent).parts:
            return []
        return [(BRANCH_POINT, point)]

    def _turn(self, a: CurvePoint, b: CurvePoint) -> CurvePoint | None:
        """Where the parameter turns back."""
        turns = a.tangent[-1] * b.tangent[-1] < 0 and min(abs(a.tangent[-1]), abs(b.tangent[-1])) > TURNED
        return root(self.standing, a, b, lambda p: float(p.tangent[-1])) if turns else None

    def _zero(self, a: CurvePoint, b: CurvePoint) -> CurvePoint | None:
        """Where D passes 0; None where it does not, or through a pole."""
        product = [self._product(p) for p in (a, b)]
        if not product[0] * product[1] < 0:
            return None
        at = root(self.standing, a, b, self._product)
        return at if abs(self._product(at)) <= max(map(abs, product)) else None

    def _hopf(self, a: CurvePoint, b: CurvePoint) -> CurvePoint:
        """Where a pair passes the imaginary axis, or leaves it, where pairs on it collide."""
        growing = max(self._growing(a), self._growing(b))

        def real(point: CurvePoint) -> float:
            """The real part of the pair that grows on one side."""
            return float(np.sort(self._moving(point.eigenvalues).real)[-growing])

        if real(a) * real(b) < 0 and min(abs(real(a)), abs(real(b))) > NOTHING * self.scale:
            return root(self.standing, a, b, real)
        before, low, high = self._growing(a), 0.0, 1.0
        while high - low > _LOCATED:
            middle = (low + high) / 2
            same = self._growing(between(self.standing, a, b, middle)) == before
            low, high = (middle, high) if same else (low, middle)
        return between(self.standing, a, b, high)
