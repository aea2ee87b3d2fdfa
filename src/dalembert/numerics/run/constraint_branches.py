"""Where branches of the constraints cross: positions at which rows lose rank, and how a motion passes them.

There the accelerations are 0/0, and beside it they lose digits as 1/s^2, s being the smallest singular value. The
motion is smooth all the same: its branch is a manifold, on which the equations are regular. So the rates of the states
are taken where they have their digits, on a stretch of some steps that ends just before the place; a polynomial carries
them as far behind it, and the projection brings positions and velocities back to the constraints there. To go on along
another branch, a state behind the place is looked for from which the motion, continued backwards, comes to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from ...calculus.jacobians import row_sizes
from ...equations import Numbers
from ...equations.saddle_form import energy_units
from ...errors import InvalidValue
from ...trajectory import Branching, Interpolant
from ..vector_field.field import Field
from .branch_tangents import TangentCone
from .run_context import Run, RunContext

STRETCH = 32.0  # whose rates are continued, in the longest steps, at most
HALVED = 0.5 ** np.arange(13)  # and shorter ones
GAP = 1 / 40  # of a stretch: how far before and behind the place its gap begins and ends
NODES, DEGREE, ORDER = 16, 11, 7  # at which rates are taken, of the polynomial through them, and of those of steps
WITHIN = (1 - np.cos(np.pi * (np.arange(ORDER) + 1) / ORDER)) / 2  # where in a step they are taken, its end at last
SHORTEST = 1e4  # roundings of the time: a gap as short has no digits
FINEST, EVALUATIONS = 1e-12, 1000  # tolerance, and work, of the motion on a stretch: another place may lie on it
CLOSE = 1e4  # times the tolerances of a step: what two degrees may differ by
MOVED = 1e-6  # of the way over the gap: what the projection behind it may add
BEHIND = 0.37  # of half the gap behind the place there is a node, so that it is no node nor the middle of a step
LINEAR = 0.4  # of a singular value: what is left of it half as far before the place
NEARER = 6  # times the place is looked for from nearer
RETURNED, TRIES = 1e-11, 12  # of the state: how near one comes back to the place, and how often it is tried


class Gap(NamedTuple):
    """The path up to a gap, and over it in pieces between which the velocities may jump, and the branches there."""

    before: tuple[Interpolant, ...]
    over: tuple[Interpolant, ...]
    branching: Branching


class Continued(NamedTuple):
    """A motion continued from a stretch of it.

    Attributes:
        near, far: the ends of the stretch.
        rates: of the states there, as polynomials: coefficients (degree + 1, n).
        begin, first: a time and the state then (n,), from which the states follow.
        regular: the state at the far end.
        doubt: what polynomials of two degrees change the states over the gap by in different ways, in tolerances.
    """

    near: float
    far: float
    rates: np.ndarray
    begin: float
    first: np.ndarray
    regular: np.ndarray
    doubt: float

    @classmethod
    def of(cls, context: RunContext, begin: float, y: np.ndarray, near: float, width: float) -> Continued | None:
        """The motion through a state y (n + 1,) from its stretch between `near` and near + width; None without one."""
        field, stepping, half = context.field, context.stepping, width / 2
        times = near + half - half * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)  # from near to far
        states = _finely(context, (begin, y), times, near + width)
        if states is None:
            return None
        rates = np.array([field.rate(*at) for at in zip(times, states, strict=True)])
        if not np.isfinite(rates).all():
            return None
        ends = near, near + width
        fits = [chebyshev.chebfit((near + half - times) / half, rates, degree) for degree in (DEGREE, DEGREE - 2)]
        changes = [_integral(fit, ends, near, np.array([near - 2 * GAP * width]))[0, :-1] for fit in fits]
        allowed = stepping.atol + stepping.rtol * np.abs(states[:, :-1]).max(axis=0)
        doubt = float((np.abs(changes[0] - changes[1]) / allowed).max())
        return cls(*ends, fits[0], begin, y, states[-1], doubt)

    def at(self, t: np.ndarray) -> np.ndarray:
        """States at times (N,): (N, n)."""
        return self.first + _integral(self.rates, (self.near, self.far), self.begin, t)

    def steps(self, knots: np.ndarray) -> Interpolant:
        """The motion as steps between times."""
        return Interpolant(knots, self.at(knots), np.diff(knots), np.array([self._step(*k) for k in pairwise(knots)]))

    def _step(self, begin: float, end: float) -> np.ndarray:
        states = self.at(np.append(begin, begin + WITHIN * (end - begin)))
        return _coefficients(states[1:] - states[0])


def _coefficients(ways: np.ndarray) -> np.ndarray:
    """Those (d, n) of a step, as `trajectory.interpolant.dense` takes them, from its ways (d, n) until `WITHIN`."""
    factors = np.where(np.arange(ORDER) % 2 == 0, WITHIN[:, None], 1 - WITHIN[:, None])
    return np.linalg.solve(np.cumprod(factors, axis=1), ways)


def _finely(context: RunContext, at: tuple[float, np.ndarray], times: np.ndarray, end: float) -> np.ndarray | None:
    """States (N, n + 1) at times (N,) of the motion from a time and a state (n + 1,) to an end; None without them."""
    from scipy.integrate import solve_ivp

    field, stepping, left = context.field, context.stepping, iter(range(EVALUATIONS))

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return field.rate(t, y) if next(left, None) is not None else np.full(len(y), math.nan)

    atol = np.append(min(FINEST / stepping.rtol, 1.0) * stepping.atol, np.inf)
    first = abs(end - at[0]) / 8
    found = solve_ivp(rate, (at[0], end), at[1], "DOP853", times, first_step=first, rtol=FINEST, atol=atol)
    return field.project_each(times, found.y.T) if found.success else None


def _integral(rates: np.ndarray, ends: tuple[float, float], since: float, until: np.ndarray) -> np.ndarray:
    """Integrals (N, n) of polynomials on an interval from one time to others (N,)."""
    half, middle = (ends[0] - ends[1]) / 2, (ends[0] + ends[1]) / 2
    whole = chebyshev.chebint(rates, axis=0) * half
    first, last = (chebyshev.chebval((np.atleast_1d(t) - middle) / half, whole) for t in (since, until))
    return np.ascontiguousarray((last - first).T)


def through(run: Run, piece: Interpolant, lost: float | None, context: RunContext) -> Gap | None:
    """The piece and its way over a place at which it loses rank, or will before long; None where this is no crossing.

    Args:
        run, piece: what was gathered, and the steps that follow.
        lost: when the piece loses rank, where it does.
        context: in which it goes on.
    """
    field = context.field
    if field.lean is not None or not field.equations.machine.position or not len(piece.h):
        return None
    motion = _towards(run, piece, _ahead(field, piece) if lost is None else lost, context)
    if motion is None or context.narrow.missed(piece) is not None:
        return None
    t = _place(field, motion)
    if not (abs(t - motion.near) < 2 * GAP * abs(motion.near - motion.far) and _within(context, t, math.inf) > 0):
        return None
    there = motion.at(np.array([t]))[0]
    cone = TangentCone.at(field, (t, there), (motion.far, motion.regular))
    if cone is None or (tangents := cone.tangents()) is None:
        return None
    branching = _branching(
        field, t, there, tangents, _taken(context.policy.branch, len(run.branches), t, len(tangents))
    )
    ways = _other(context, motion, t, there, tangents[branching.taken]) if branching.taken else _own(context, motion, t)
    before = _made_anew(piece, motion.begin, context)
    if ways is None or before is None:
        return None
    return Gap(before, ways, branching)


def _towards(run: Run, piece: Interpolant, t: float, context: RunContext) -> Continued | None:
    """The motion on a piece continued towards a time from the stretch that is the best for it; None where none is good,
    or where there is time for another step.
    """
    longest = max(float(h.max()) for h in (piece.h, *(h for leg in run.legs for h in leg.h)) if len(h))
    widths = STRETCH * longest * HALVED
    # between two places few may fit, and none of these
    return _best(_before(piece, t, widths, context)) or _best(_before(piece, t, widths / math.sqrt(2), context))


def _before(piece: Interpolant, t: float, widths: np.ndarray, context: RunContext) -> Iterator[Continued | None]:
    """The motion on a piece continued from stretches of these widths before a time."""
    for width in widths:
        near = t - GAP * width
        if near < piece.t[-1] and GAP * width > SHORTEST * np.spacing(abs(near)):
            begin = max(near, float(piece.t[0]))
            before = _made_anew(piece, begin, context)
            y = None if before is None else context.field.project_one(begin, before[-1].y[-1])
            yield None if y is None else Continued.of(context, begin, y, near, -width)


def _made_anew(piece: Interpolant, t: float, context: RunContext) -> tuple[Interpolant, ...] | None:
    """The piece to the last end of a step before a time, and a step from there to it: inside one that comes to the
    place the path is made of rates that have lost their digits. None without it.
    """
    i = int(np.searchsorted(piece.t, t, side="right")) - 1
    begin, first = float(piece.t[i]), piece.y[i]
    if begin == t:
        return (piece.steps(i),)
    states = _finely(context, (begin, first), begin + WITHIN * (t - begin), t)
    if states is None:
        return None
    ends, F = np.vstack([first, states[-1]]), _coefficients(states - first)
    return piece.steps(i), Interpolant(np.array([begin, t]), ends, np.array([t - begin]), F[None])


def _best(found: Iterable[Continued | None]) -> Continued | None:
    """The first motion whose continuation is in little doubt, and in less than that of the next; None without one."""
    best: Continued | None = None
    for motion in found:
        if motion is None:
            continue
        if best is None or motion.doubt < best.doubt:
            best = motion
        elif best.doubt <= CLOSE:
            break
    return best if best is not None and best.doubt <= CLOSE else None


def _ahead(field: Field, piece: Interpolant) -> float:
    """When the smallest singular value of the rows is 0 if it goes on as in the last half step."""
    times = piece.t[-1] - piece.h[-1] * np.array([0.5, 0.0])
    before, now = _least(field, times, piece(times))
    return float(times[1] + now * (times[1] - times[0]) / (before - now)) if now < before else math.inf


def _place(field: Field, motion: Continued) -> float:
    """When the smallest singular value is 0 on the continued path; NaN where it does not fall linearly towards it."""
    gap = GAP * (motion.near - motion.far)
    t, before = motion.near + gap, gap
    for _ in range(NEARER):
        times = t - before * np.array([0.5, 0.25])
        first, second = _least(field, times, motion.at(times))
        if not second < first:
            return math.nan
        t, before = float(times[1] + second * (times[1] - times[0]) / (first - second)), before / 4
    times = t - gap * np.array([1.0, 0.5])
    first, second = _least(field, times, motion.at(times))
    return t if second > LINEAR * first else math.nan


def _least(field: Field, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The smallest singular value of the rows up to their rank (N,), in units of velocities and rows at first."""
    form, rank = field.equations.machine.form, len(field.equations.kept)
    numbers = Numbers.of(form, field.known(t, y))
    unit = energy_units(numbers.W.reshape(-1, *numbers.W.shape[-2:])[0])
    size = row_sizes(form.N, field.known(t[0], y[0]), unit)
    N = np.broadcast_to(numbers.N, (len(t), *numbers.N.shape[-2:])) * unit / size[:, None]
    return np.asarray(np.linalg.svd(N, compute_uv=False)[:, rank - 1])


def _branching(field: Field, t: float, there: np.ndarray, tangents: list[np.ndarray], taken: int) -> Branching:
    equations = field.equations
    names = [s.name for s in equations.space.velocities]
    told = tuple(dict(zip(names, u.tolist(), strict=True)) for u in tangents)
    places = {s.name: float(there[equations.states.index(s.name)]) for s in equations.space.coordinates}
    return Branching(t, places, told, taken)


def _taken(wanted: int | Sequence[int], passed: int, t: float, count: int) -> int:
    """Which branch is wanted here: one number holds everywhere, of several each at its place, then the motion's own."""
    one = wanted if isinstance(wanted, int) else wanted[passed] if passed < len(wanted) else 0
    if one < count:
        return one
    fact = f"branch = {one}, but at t = {t:.10g} there are {count} branches, counted from 0"
    raise InvalidValue("E323", fact, "look at path.branches of a run that goes on along its own")


def _own(context: RunContext, motion: Continued, t: float) -> tuple[Interpolant, ...] | None:
    """Steps over the gap along the motion's own branch; None where they do not end near the constraints."""
    whole = GAP * (motion.near - motion.far)
    beyond = _within(context, t, whole)
    found = motion.steps(np.array([motion.begin, t + BEHIND * beyond, t + beyond]))
    if beyond < whole:  # the path ends here, where rows may be no way back
        return (found,)
    end = context.field.project_one(found.t[-1], found.y[-1])
    near = np.abs(end - found.y[-1])[:-1].max() <= MOVED * np.abs(end - motion.first)[:-1].max()
    found.y[-1] = end
    return (found,) if near else None


def _within(context: RunContext, t: float, beyond: float) -> float:
    """How far behind the place a gap ends, which is no later than the run or its inputs allow."""
    return min(beyond, context.until - t, context.change - t)


def _other(
    context: RunContext, motion: Continued, t: float, there: np.ndarray, u: np.ndarray
) -> tuple[Interpolant, ...] | None:
    """Steps to the place, the jump of the velocities to u (k,), and steps along the branch with this tangent."""
    first = there.copy()
    first[context.field.velocities] = u
    widths = (motion.near - motion.far) * HALVED
    behind = _best(_away(context, t, first, float(width)) for width in widths)
    if behind is None:
        return None
    jump = Interpolant(np.array([t, t]), np.vstack([there, first]), np.zeros(1), np.zeros((1, 1, len(first))))
    beyond = _within(context, t, behind.begin - t)
    knots = np.array([t, t + BEHIND * beyond, t + beyond])
    return motion.steps(np.array([motion.begin, t])), jump, behind.steps(knots)


def _away(context: RunContext, t: float, first: np.ndarray, width: float) -> Continued | None:
    """A motion behind a place that comes to it in a given state (n + 1,) when it is continued backwards."""
    field, end, y = context.field, t + GAP * width, first.copy()
    m = len(field.equations.space.coordinates)
    y[:m] += GAP * width * field.rate(t, first)[:m]
    for _ in range(TRIES):
        y = field.project_one(end, y)
        motion = Continued.of(context, end, y, end, width)
        if motion is None:
            return None
        off = first - motion.at(np.array([t]))[0]
        if np.abs(off[:-1]).max() <= RETURNED * np.abs(first[:-1]).max():
            return motion
        y = y + off
    return None
