"""Steady motions followed in a parameter, and the points at which their character changes.

Between two neighbours the eigenvalues that are not 0 on the whole branch decide:

    D = product of them:  changes its sign where a real one, or a pair on an axis, passes 0
    U = how many grow:    changes by 2 at a Hopf point, without D; also where pairs on the imaginary axis collide

Where the parameter turns back there is a fold; but where D touches 0 there, two halves of a branch meet in a fork. An
even number of eigenvalues that are 0 at once leave the sign of D: there the least of them has a cusp, and the rows lose
a rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import sympy as sp

from ...calculus.number import is_finite
from ...equations import Equations, Start
from ...equations.contacts import refuse_contacts
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ...errors.remedies import Option
from ...given import overriding
from ..steady import NOTHING, Steady, guess_of, held_of, remarks_on, stands
from .branch import BRANCH_POINT, FOLD, HOPF, Branch
from .carried import Parameters
from .forking import Fork
from .standing import Standing
from .walk import CLOSED, TURNED, Point, Walk, between, root

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
    first = Point(x, tangent, LATER)
    walk = Walk(standing, low, high, MOST, lambda x: LATER)
    ahead, end = walk.walk(first)
    back, begin = walk.walk(first._replace(tangent=-tangent)) if end != CLOSED else ([], end)
    points = standing.spectra([*(p._replace(tangent=-p.tangent) for p in reversed(back)), first, *ahead])
    return _told(standing, points, (begin, end))


def _told(standing: Standing, points: list[Point], ends: tuple[str, str]) -> Branch:
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


def _apart(a: Point, b: Point) -> float:
    return float(np.linalg.norm(b.x - a.x))


class _Special:
    """Points between neighbours at which the character changes."""

    def __init__(self, standing: Standing, points: list[Point]) -> None:
        self.standing, self.points = standing, points
        found = np.array([p.eigenvalues for p in points])
        sizes = np.abs(found)
        # eigenvalues that are 0 on the whole branch: of families and conserved quantities
        largest = sizes.max(axis=1, initial=0.0, keepdims=True)
        self.zeros = int(np.sum(sizes <= NOTHING * np.maximum(1.0, largest), axis=1).min())
        self.scale = max(1e-300, float(largest.max()))
        at = [id(p) for p in points]
        self._known = dict(zip(at, zip(*self._told_of(found), strict=True), strict=True))

    def found(self) -> list[tuple[str, Point]]:
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

    def _of(self, point: Point) -> tuple[float, int, float]:
        """The same of one point."""
        known = self._known.get(id(point))
        if known is None:
            (product,), (growing,), (least,) = self._told_of(point.eigenvalues[None])
            return product, growing, least
        return known

    def _product(self, point: Point) -> float:
        """D."""
        return self._of(point)[0]

    def _growing(self, point: Point) -> int:
        """U."""
        return self._of(point)[1]

    def _least(self, point: Point) -> float:
        """The least eigenvalue that is not 0 on the whole branch."""
        return self._of(point)[2]

    def _between(self, a: Point, b: Point) -> list[tuple[str, Point]]:
        turn, zero = self._turn(a, b), self._zero(a, b)
        crosses = self._product(a) * self._product(b) < 0
        if crosses and zero is None and turn is None:
            return []  # a pole, on both sides of which there are steady motions
        found = list[tuple[str, Point]]()
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

    def _touching(self, a: Point, b: Point, c: Point) -> list[tuple[str, Point]]:
        """Where an even number of eigenvalues are 0 at once, about b, and other motions cross."""
        sizes = [self._least(p) for p in (a, b, c)]
        if sizes[1] > min(sizes) or sizes[1] > _CUSP * (sizes[0] + sizes[2]):
            return []

        def at(part: float) -> Point:
            return between(self.standing, b, a if part < 0 else c, abs(part))

        from scipy.optimize import minimize_scalar

        lowest = minimize_scalar(
            lambda s: self._least(at(s)), bounds=(-1, 1), method="bounded", options={"xatol": _LOCATED}
        )
        point = at(float(lowest.x))
        if self._least(point) > _TOUCHED * max(sizes) or not Fork(self.standing, point.x, point.tangent).parts:
            return []
        return [(BRANCH_POINT, point)]

    def _turn(self, a: Point, b: Point) -> Point | None:
        """Where the parameter turns back."""
        turns = a.tangent[-1] * b.tangent[-1] < 0 and min(abs(a.tangent[-1]), abs(b.tangent[-1])) > TURNED
        return root(self.standing, a, b, lambda p: float(p.tangent[-1])) if turns else None

    def _zero(self, a: Point, b: Point) -> Point | None:
        """Where D passes 0; None where it does not, or through a pole."""
        product = [self._product(p) for p in (a, b)]
        if not product[0] * product[1] < 0:
            return None
        at = root(self.standing, a, b, self._product)
        return at if abs(self._product(at)) <= max(map(abs, product)) else None

    def _hopf(self, a: Point, b: Point) -> Point:
        """Where a pair passes the imaginary axis, or leaves it, where pairs on it collide."""
        growing = max(self._growing(a), self._growing(b))

        def real(point: Point) -> float:
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
