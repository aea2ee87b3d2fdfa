"""What is left of the digits of a run: how a disturbance grows, what fixed steps leave, steps short by rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...equations import Equations
from ...errors import Note
from ...trajectory import Interpolant
from ..events import guard_signs
from ..events.guard import Guard
from ..events.narrow_features import Narrow, places_of
from ..methods.disturbance_growth import ERROR, GIVEN_UP, LOST, NEARNESS, SINCE, TURN, follow
from ..policy import LOOSE, Policy
from ..vector_field.field import Field

_FEW = 1e5  # absolute tolerances: a state that stays below so many of them has few digits
_GIVEN = 1e-14  # of the largest state: what starts smaller is a rounding
_SMALLEST = 1e-6  # of the largest of its kind: no state is measured by less


def beside_their_kind(equations: Equations, size: np.ndarray) -> np.ndarray:
    """Sizes of all states (n,), none below a part of the largest position, velocity or multiplier."""
    space, whole = equations.space, size.copy()
    n = len(space.coordinates)
    for first, end in pairwise((0, n, n + len(space.velocities), len(size))):
        np.maximum(size[first:end], _SMALLEST * size[first:end].max(initial=0.0), out=whole[first:end])
    return whole


def may_be_unweighed(policy: Policy, states: tuple[str, ...], start: np.ndarray) -> bool:
    """May the motion from a start (n,) be one of which `unweighed` tells?"""
    first = np.abs(start)
    return not policy.method.fixed and bool(_small(policy, policy.tolerances(states, start), first, first).any())


def _told(policy: Policy, atol: np.ndarray, first: np.ndarray) -> bool:
    """Do the options say already that the tolerances are loose?"""
    return bool(policy.rtol > LOOSE or (first.any() and atol.max() > LOOSE * first.max()))


def _small(policy: Policy, atol: np.ndarray, first: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Which states start and stay small beside a tolerance that is one for all (n,)."""
    given = first > _GIVEN * reach.max(initial=0.0)
    others = not isinstance(policy.atol, Mapping) and not _told(policy, atol, first)
    return np.asarray(given & (reach < _FEW * atol) & others)


def unweighed(policy: Policy, states: tuple[str, ...], start: np.ndarray, most: np.ndarray) -> list[Note]:
    """W306 for states whose error nothing bounds: all that they reach, `most` (n + 1,), is little beside atol.

    They are those that start (n,) so small; of a run that starts at 0 it is the largest of all.
    """
    if policy.method.fixed:
        return []
    atol = np.broadcast_to(policy.tolerances(states, start), start.shape)
    reach, first = most[: len(start)], np.abs(start)
    far = float(reach.max())
    if not first.any():
        loose = policy.rtol <= LOOSE and _GIVEN < far < float(atol.max()) / LOOSE
        told = f"atol = {atol.max():g} is loose where no state is above {far:.2g}: atol={policy.rtol / 100 * far:.1g}"
        return [Note("W306", told)] if loose else []
    small = _small(policy, atol, first, reach)
    if not small.any():
        return []
    named = ", ".join(name for name, it in zip(states, small, strict=True) if it)
    fact = f"atol = {atol[small].max():.2g} leaves few digits to {named}, no more than {reach[small].max():.2g} in size"
    sizes = {name: policy.rtol / 100 * (float(size) or 1.0) for name, size in zip(states, reach, strict=True)}
    own = ", ".join(f'"{name}": {size:.1g}' for name, size in sizes.items())
    return [Note("W306", f"{fact}: choose other units, or atol={{{own}}}")]


# ---------------------------------------------------------------------------------------------------------------------
# How a small disturbance grows along a path: where it fills the motion, the digits are no longer those of the
# start.
# One tangent vector is carried along the steps that were made, by differences of the right-hand side. The error of a
# step is at least rtol of the motion, so e(t) = max over s < t of rtol |v(t)| / |v(s)| is what is lost at the time t.
# No number of the path is changed.

MANY = 4096  # nodes that are followed together, where the path is not kept
_BLOCK, _BLOCKS = 256, 16  # nodes between two projections, or so many parts of all
_EARLY = 0.1  # of the time: growth from there to twice as far is thought on to the end
_SURELY = 1000  # nodes that are followed in any case
_DOUBTFUL = 0.7  # of the logarithm that is missing: what growth must promise for the rest to be followed


class Nodes(NamedTuple):
    """Ends of steps that were made.

    Attributes:
        t: (N,).
        y: (N, n).
    """

    t: np.ndarray
    y: np.ndarray


@dataclass
class DisturbanceGrowth:
    """The disturbance of one run, followed piece by piece.

    Attributes:
        field: whose right-hand side.
        span: the run's first and last time.
        rtol: the error of a step, over the size of the motion.
        reach: how many steps of the path may be one of the vector's.
        few: as many steps cannot lose all digits.
        level: what was found, see above.
        size, v: of each state the largest yet, and the disturbance.
        waiting: what is still to be followed.
        nodes: how many were followed.
        early: part of the time and log growth early on.
    """

    field: Field
    span: tuple[float, float]
    rtol: float
    reach: int
    few: int
    level: np.ndarray
    size: np.ndarray
    v: np.ndarray
    waiting: list[Nodes]
    nodes: int = 0
    early: tuple[float, ...] = ()

    @classmethod
    def of(cls, field: Field, policy: Policy, end: float) -> DisturbanceGrowth | None:
        """At the start; None where a method has no tolerance, or one that is lost from the beginning (W306)."""
        if policy.method.fixed or policy.rtol >= LOST:
            return None
        rtol, n = policy.rtol, len(field.first)
        reach, few = int(min(max(TURN / (2 * _turn(policy)), 1), 8)), few_steps(policy)
        level, v = np.array([rtol, math.nan, 0.0]), np.cos(1.0 + np.arange(n))
        return cls(field, (field.start.t, end), rtol, reach, few, level, np.zeros(n), v, [])

    def add(self, piece: Interpolant) -> None:
        """Wait until pieces are many; then follow them."""
        self.waiting.append(Nodes(piece.t, piece.y))
        if sum(len(p.t) for p in self.waiting) > MANY:
            self.flush()

    def copy(self) -> DisturbanceGrowth:
        """One to go on with, which leaves this as it is."""
        return replace(self, level=self.level.copy(), v=self.v.copy(), waiting=[*self.waiting])

    def flush(self) -> None:
        """Follow what waits."""
        if self.waiting:
            t, y = (np.concatenate(each) for each in zip(*self.waiting, strict=True))
            self.waiting.clear()
            self.follow(t, y)

    def finish(self, legs: Sequence[tuple[Field, Nodes | Interpolant]]) -> list[Note]:
        """Follow what is left: what waits, and the path where it was kept, field by field; the doubt, if there is one.

        Few steps cannot lose all digits.
        """
        paths = [path for _, path in legs]
        if self.nodes + sum(len(path.t) for path in (*paths, *self.waiting)) <= self.few:
            return []
        self.flush()
        for i, (field, path) in enumerate(legs):
            if i and field.kernel is self.field.kernel:
                self.go_on(field)
            elif i:
                self.turn(field, float(path.t[0]), paths[i - 1].y[-1], path.y[0])
            self.follow(path.t, path.y)
        return self.notes

    def go_on(self, field: Field) -> None:
        """Go on in the same states, with other values of parameters."""
        self.flush()
        self.field = field

    def turn(self, field: Field, t: float, y: np.ndarray, new: np.ndarray) -> None:
        """Go on in another field, in whose states y (n + 1,) is `new`."""
        self.flush()
        at, n = np.array([t, t]), len(field.equations.space.coordinates)
        largest = float(np.abs(self.v).max()) or 1.0
        near = self.field.full(at, y + NEARNESS / largest * np.array([self.v, 0 * self.v]))
        there, here = field.within(at, near)
        self.v, size = (there - here) / NEARNESS, np.abs(new)
        size[:n] = np.maximum(size[:n], self.size[:n])
        self.field, self.size = field, size

    def follow(self, t: np.ndarray, y: np.ndarray) -> None:
        """Carry the vector along nodes t (N,), y (N, n)."""
        if not np.isfinite(y).all():
            return
        if not self.size.any():
            self.size = np.abs(y).max(axis=0)
            self.v *= _measures(self.field.equations, self.size)
        self.size = np.maximum(self.size, np.abs(y).max(axis=0))
        measures = _measures(self.field.equations, self.size)
        inverse = np.divide(1.0, measures, out=np.zeros_like(measures), where=measures > 0)
        block = max(_BLOCK, len(t) // _BLOCKS)
        for first in range(0, len(t) - 1, block):
            if not self._block(t[first : first + block + 1], y[first : first + block + 1], inverse):
                return

    def _block(self, t: np.ndarray, y: np.ndarray, inverse: np.ndarray) -> bool:
        """Some nodes, before which the vector is moved back to the constraints; is there a reason to go on?"""
        if self.level[GIVEN_UP] or not math.isnan(self.level[SINCE]) or self._hopeless(t[0]):
            return False
        v = self.v
        if self.field.project_address:
            there, here = self.field.project_each(t[[0, 0]], y[0] + NEARNESS * np.array([v, 0 * v]))
            v = (there - here) / NEARNESS
        v[-1] = 0.0
        norm = float(np.abs(v * inverse).max())
        if not 0 < norm < math.inf:
            return False
        self.v = v / norm
        at = np.ascontiguousarray(t), np.ascontiguousarray(y)
        follow(self.field.kernel.rhs, *at, self.field.p, self.reach, self.v, inverse, self.rtol, self.level)
        self.nodes += len(t) - 1
        return True

    def _hopeless(self, t: float) -> bool:
        """Would growth as it was on a tenth of the time lose no digits until the end?"""
        past = (t - self.span[0]) / (self.span[1] - self.span[0])
        grown, missing = math.log(self.level[ERROR] / self.rtol), math.log(max(LOST / self.rtol, 1.0))
        if not self.early and past >= _EARLY:
            self.early = past, grown
        if self.nodes < _SURELY or not self.early or not 2 * self.early[0] <= past < 4 * self.early[0]:
            return False
        then, begun = self.early
        if grown + (grown - begun) / (past - then) * (1 - past) < _DOUBTFUL * missing:
            self.level[GIVEN_UP] = 1.0
        return bool(self.level[GIVEN_UP])

    @property
    def notes(self) -> list[Note]:
        """W408: from when on the digits are not determined."""
        since = float(self.level[SINCE])
        if math.isnan(since):
            return []
        text = (
            f"from t = {since:.3g} on the digits are not determined by the start: a difference of "
            f"rtol = {self.rtol:.0e} has grown to the size of the motion (chaos, or an unstable state)"
        )
        return [Note("W408", text)]


def _turn(policy: Policy) -> float:
    """How far a motion turns in a step, about."""
    # a method of order 8 makes about rtol^(-1/8) / 3 steps while a motion turns by 1
    return float(3 * policy.rtol**0.125) if policy.method.word == "dop853" else TURN


def few_steps(policy: Policy) -> int:
    """As many steps cannot lose all digits."""
    return int(math.log(LOST / policy.rtol) / _turn(policy)) if policy.rtol < LOST else 0


def _measures(equations: Equations, size: np.ndarray) -> np.ndarray:
    """What each state is measured by: its size, not below a part of the largest of its kind; angles by 1, work by 0."""
    whole = np.append(beside_their_kind(equations, size[:-1]), 0.0)
    wound = {q.name for q, far in zip(equations.space.coordinates, size, strict=False) if far > 1}
    for name in wound & equations.system.angles if wound else ():
        whole[equations.states.index(name)] = 1.0
    return whole


# ---------------------------------------------------------------------------------------------------------------------
# What fixed steps leave of an error: the energy does not show it where the method keeps the energy by
# construction.

VISIBLE = 1e-6  # of the size of a column: what is larger is told
_PROBES = 100


def notes(field: Field, policy: Policy, path: Interpolant) -> list[Note]:
    """W305: the sum of the steps' own errors, where it can be seen."""
    if not policy.method.fixed or not np.isfinite(path.y).all():
        return []
    steps = np.flatnonzero(np.diff(path.t) > 0)
    if not len(steps):
        return []
    narrow = Narrow(field, places_of(field.equations), policy.rtol, np.zeros(path.y.shape[1] - 1), fixed=True)
    h = float(np.diff(path.t)[steps].max())
    if (missed := narrow.unseen(path, _sizes(field, path))) is not None:
        fact = f"steps of {h:.3g} go over something narrower than themselves at t = {missed:.6g} and do not feel it"
        return [Note("W305", f"{fact}: take a smaller step, or a method that chooses its steps")]
    place = np.linspace(0, len(steps) - 1, _PROBES).astype(int)
    probed = steps[place[np.diff(place, prepend=-1) > 0]]
    with np.errstate(all="ignore"):
        left = np.mean([_defect(field, path, int(i)) for i in probed], axis=0) * len(steps)
        error = float(np.max(left / _sizes(field, path)))
    if not error > VISIBLE:  # one that is no number belongs to a state at which nothing is determined
        return []
    return [Note("W305", f"steps of {h:.3g} leave an error of about {error:.0e} of the motion: take a smaller step")]


def _defect(field: Field, path: Interpolant, i: int) -> np.ndarray:
    """By how much one step misses Simpson's rule along the cubic through its ends, (n,)."""
    t, y, h = path.t[i], path.y[i : i + 2], path.t[i + 1] - path.t[i]
    f, g = field.rate(t, y[0]), field.rate(t + h, y[1])
    # y_m = (y0 + y1)/2 + h/8 (f0 - f1),   d = y1 - y0 - h/6 (f0 + 4 f_m + f1)
    middle = field.rate(t + h / 2, (y[0] + y[1]) / 2 + h / 8 * (f - g))
    return np.asarray(np.abs(y[1] - y[0] - h / 6 * (f + 4 * middle + g))[:-1])


def _sizes(field: Field, path: Interpolant) -> np.ndarray:
    """The size of each state along the path, not below a part of the largest position, velocity or multiplier."""
    whole = beside_their_kind(field.equations, np.abs(path.y[:, :-1]).max(axis=0))
    return np.where(whole > 0, whole, np.inf)


# ---------------------------------------------------------------------------------------------------------------------
# Steps that are short because of rounding: a stretch of a stiff spring is a small difference of large numbers.
# The rounding of x moves a rate f(x) by what f changes within a rounding of x. Where a step of that exceeds what the
# tolerance allows, the error of a step is made of rounding, and steps become as short as that needs, for nothing.

EARLY = 20_000  # steps, after which it is looked once
_COUNTED, _FALLING = 5_000, 3  # steps, whose number doubles; how often in a row that brings less than before
_ROUNDED = 2 * float(np.finfo(float).eps)
_NEAR = 1e5  # roundings of a guard's terms: a motion that leaves a surface without speed stays for so long
_EXCEEDS, FELT = 1.0, 0.03  # times the tolerance: what makes steps short, and what steps that shrink with it may show


def words(field: Field, policy: Policy, t: float, y: np.ndarray, h: float, least: float = _EXCEEDS) -> str:
    """Which rate is all rounding within steps of h at a state (n + 1,), `least` of its tolerance, and what tolerance
    rounding allows; or nothing.
    """
    n = len(y) - 1
    rate = field.rate(t, y)[:n]
    rounded = np.abs(y[:n]) * _ROUNDED
    moved = np.array([np.abs(field.rate(t, _beside(y, j, rounded[j]))[:n] - rate) for j in range(n)]) / 2
    if not np.isfinite(moved).all():
        return ""
    by, of = np.unravel_index(int(np.argmax(moved * h / _allowed(field, policy, y)[:n])), moved.shape)
    noise, allowed = float(moved[by, of]), float(_allowed(field, policy, y)[of])
    if not noise * h > least * allowed:
        return ""
    # what moves f by k dx swings by itself with sqrt(k), and dx makes sqrt(k) dx of its speed
    atol = float(np.sqrt(noise * rounded[by]))
    name, cause = field.states[of], field.states[by]
    # as 2e-10, rounded upwards
    size = 10.0 ** np.floor(np.log10(atol))
    one_digit = f"{np.ceil(atol / size) * size:.0e}"
    return (
        f"steps of {h:.1e} at t = {t:.6g} are so short because of rounding: the last digit of {cause} changes {name}' "
        f"by {noise:.1e}, {noise * h:.1e} within a step, and its tolerance is {allowed:.1e}. Give atol={one_digit}, "
        f"which rounding allows; or measure {cause} from where the stiff force is 0, or replace it by a constraint"
    )


def doubled(reached: tuple[float, ...], steps: int, t: float) -> tuple[float, ...]:
    """The times reached with a number of steps and twice as many each time, and t where that many were made again."""
    return (*reached, t) if steps >= _COUNTED * 2 ** len(reached) else reached


def farthest(began: float, reached: tuple[float, ...]) -> float:
    """The time beyond which a run does not come if each doubling of its steps brings as small a part of what the one
    before did as it last did; infinite where that is not less.
    """
    gains = np.diff([began, *reached])[-_FALLING - 1 :]
    part = float((gains[1:] / gains[:-1]).max()) if len(gains) > _FALLING and gains.all() else 1.0
    return reached[-1] + float(gains[-1]) * part / (1 - part) if part < 1 else math.inf


def on_a_surface(field: Field, guards: Sequence[Guard], t: float, y: np.ndarray, h: float) -> str:
    """Does the motion lie, as far as rounding tells, on a surface where a force may jump? In words, or nothing."""
    for guard in guards:
        if not guard.switch:
            continue
        g = float(guard.of(np.array([t]), y[None], field.states, field.parameters)[0])
        if abs(g) <= _NEAR * guard_signs.noise(field, guard, t, y):
            return (
                f"steps of {h:.1e} at t = {t:.6g} are so short because the motion lies on {guard.event.name} = 0: "
                "there a force may jump, and every step feels both sides. Start a little beside it, on the side where "
                "it goes; or make the force continuous there"
            )
    return ""


def _beside(y: np.ndarray, j: int, by: float) -> np.ndarray:
    other = y.copy()
    other[j] += by
    return other


def _allowed(field: Field, policy: Policy, y: np.ndarray) -> np.ndarray:
    """What a step may miss, atol + rtol |y|, (n,)."""
    atol = policy.tolerances(field.states, field.first[:-1])
    return np.asarray(atol + policy.rtol * np.abs(y[:-1]))
