"""How fast neighbours part: the whole spectrum of Lyapunov exponents.

The tangent flow S carries a basis Q of the directions that the constraints leave, made orthonormal again and again:

    S Q = Q' R ,     lambda_i = lim (1/t) sum ln R_ii                                      [benettin1980]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ...answer import Answer, no, undecided, yes
from ...argument_checks import noun, public
from ...equations import Equations
from ...errors import DalembertError, InvalidValue
from ...errors.remedies import Option
from ..run.simulate import end_of
from .tangent_flow import Carried, Parameters

BLOCKS, GROUPS = 200, 20  # of the run, for its history and for the scatter of its means
FEW = 5  # steps of a quarter of the run
GROWN = 10.0  # the largest logarithm in an interval
_LEAST_PART = 2.0**-9  # of a block, so that what comes to rest stiffly ends with a word
AT_REST = 1e-9  # of the largest that each state has been
ASIDE, OFF = 1e-7, 0.5  # how far a neighbour begins; widths by which later states leave those before
_SURE = 3.0  # errors


@noun
@dataclass(frozen=True, eq=False)
class Lyapunov:
    """Lyapunov exponents of a motion.

    Attributes:
        exponents: (d,), falling; d is the number of directions that the constraints leave.
        errors: of each, (d,): the scatter of the means of 20 parts of the run, or how far the value was away in the
            second half of the run, whichever is more, and 2 ln(2)/t. Exponents of regular motions go to 0 as ln(t)/t,
            and so do these.
        t: times (200,) of the history.
        history: the exponents as they stood at these times, (200, d).
        names: the states.
        answer: is the motion chaotic? Yes where it stays among the states where it was, the largest exponent is above 0
            by three errors, and so is that of a neighbour; no where the equations are linear, or smooth, do not change
            with time and leave two directions; a run without parting shows nothing of longer ones, and is not decided.
    """

    exponents: np.ndarray
    errors: np.ndarray
    t: np.ndarray
    history: np.ndarray
    names: tuple[str, ...]
    answer: Answer = field(default_factory=lambda: undecided("its equations were not asked"))

    @property
    def parts(self) -> bool:
        """Is the largest exponent above 0 by three errors?"""
        return bool(self.exponents[0] > _SURE * self.errors[0])

    @property
    def chaotic(self) -> bool:
        """Is the motion chaotic (InvalidValue E158 where that is not decided)?"""
        return bool(self.answer)

    @property
    def sum(self) -> float:
        """Of all exponents: the mean rate at which volume grows."""
        return float(self.exponents.sum())

    def __str__(self) -> str:
        shown = [f"  {e: .6g} +- {d:.1g}" for e, d in zip(self.exponents, self.errors, strict=True)]
        verdict = "neighbours part exponentially" if self.parts else "no exponential parting is seen"
        lines = [f"Lyapunov exponents until t = {self.t[-1]:g}: {verdict}", *shown, f"sum {self.sum:.6g}"]
        return "\n".join([*lines, f"chaotic: {self.answer}"])

    __repr__ = __str__


@public
def lyapunov(
    equations: Equations,
    start: object,
    *,
    until: float = 1e4,
    parameters: Parameters | None = None,
    inputs: Mapping[str, object] | None = None,
    events: object = (),
    **options: object,
) -> Lyapunov:
    """Lyapunov exponents of the motion from a start: all of them, in the directions that the constraints leave.

    It goes through walls, forces that switch, contacts and events that set states, by what these do to neighbours
    [dibernardo2008]. Each conserved quantity, each symmetry and the direction of the motion itself have the exponent 0.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes.
        until: the time at which to end; errors fall as its inverse root for chaotic motions, as ln(t)/t for others.
        parameters: values that replace those of the start.
        inputs: what drives each input of the system for all times: a number or a formula of t and states.
        events: as of `simulate`; those that set states act.
        options: those of `Policy`, the method one that chooses its steps; rtol is 1e-11 by default.

    Raises:
        WrongType: E307, no equations.
        InvalidValue: E322, the run is a few steps only, or the motion ends before, or comes to rest, or neighbours
            meet for good, as where a contact sticks, or there are none; E319, what has no derivatives on the way, as
            of `sensitivities`.
        DalembertError: those of `simulate`.
    """
    carried = Carried(equations, start, parameters, options, "lyapunov", True, inputs, events)
    if not carried.directions:
        raise InvalidValue("E322", "the constraints leave no neighbours of the motion", "leave out one of them")
    end = end_of(until, carried.start.t)
    if carried.jumping and end > carried.start.t:
        _check_goes_on(carried, end)
    found, states = _followed(carried, end)
    return replace(found, answer=_chaotic(carried, end, found, states))


def _check_goes_on(carried: Carried, end: float) -> None:
    """E322: the motion comes to rest; a start on a wall or a contact goes on to where nothing happens."""
    path = carried.followed(end, dense=False)
    if not path.reached and path.ending.code != "E313":
        fact = f"the motion does not go on {path.outcome.partition(' ')[2]}"
        raise InvalidValue("E322", fact, "end before")
    y = np.array([path[name] for name in carried.equations.states])
    apart = np.abs(y - y[:, -1:]) > AT_REST * np.abs(y).max(axis=1, keepdims=True)
    since = int(np.flatnonzero(apart.any(axis=0)).max(initial=-1)) + 1
    u = y[[carried.equations.states.index(s.name) for s in carried.equations.space.velocities]]
    if since < len(path.t) - 1 and (np.abs(u[:, -1]) <= AT_REST * np.abs(u).max(axis=1)).all():
        fact = f"the motion is at rest from t = {path.t[since]:.6g} on: exponents are of motions that go on"
        raise InvalidValue("E322", fact, "end before, or da.steady at rest")
    block = (end - carried.start.t) / BLOCKS
    if carried.met(block) is not None:
        carried.leave(block)


def _followed(carried: Carried, end: float) -> tuple[Lyapunov, np.ndarray]:
    """Exponents until a time, and the states (201, n) at the times of the history and the start."""
    t0 = carried.start.t
    run = _TangentRun(_Jumping(carried) if carried.jumping else _Smooth(carried))
    if not end > t0 or run.steps(t0 + (end - t0) / 4) < FEW:
        fact = f"until = {end:g} is a few steps of the motion: exponents are means over a long one"
        raise InvalidValue("E322", fact, Option("until", float(f"{t0 + 1000 * max(end - t0, 1.0):.3g}")))
    t, n = t0 + (end - t0) * np.arange(BLOCKS + 1) / BLOCKS, len(carried.y)
    states, blocks = [carried.y], []
    for a, b in pairwise(t):
        blocks.append(run.block(a, b))
        states.append(run.rows[:n, 0].copy())
    logs = np.array(blocks)
    history = np.cumsum(logs, axis=0) / (t[1:, None] - t0)
    found, order = history[-1], np.argsort(-history[-1], kind="stable")
    means = (logs / np.diff(t)[:, None]).reshape(GROUPS, -1, len(found)).mean(axis=1)
    scatter = means.std(axis=0, ddof=1) / np.sqrt(GROUPS)
    moved = np.abs(history[BLOCKS // 2 - 1 :] - found).max(axis=0)
    # where neighbours shear, lambda(t) = (c + ln t)/t: half the time before it was away by lambda(t) - 2 ln(2)/t
    errors = np.maximum(np.maximum(scatter, moved), carried.policy.rtol) + 2 * math.log(2) / (end - t0)
    names = carried.equations.states
    return Lyapunov(found[order], errors[order], t[1:], history[:, order], names), np.array(states)


def _chaotic(carried: Carried, end: float, found: Lyapunov, states: np.ndarray) -> Answer:
    """Is the motion bounded, does it come back, and do neighbours of it and of one beside it part exponentially?"""
    if carried.work.linear and not carried.jumping:
        return no("the equations are linear")
    if carried.directions <= 2 and carried.autonomous and not carried.jumping:
        return no("motions in two dimensions that do not change with time are not chaotic")
    if not found.parts:
        return undecided(f"no exponential parting is seen until t = {end:g}, and a longer run may show one")
    off = _off(carried, states)
    if off > OFF:
        return undecided(f"until t = {end:g} the motion leaves where it was by {off:.3g} of the width of that")
    aside = copy(carried)
    size = np.abs(states).max(axis=0, initial=0.0)
    way = carried.tangents(carried.y) @ np.random.default_rng(0).standard_normal(carried.directions)
    aside.y = carried.consistent(carried.y + ASIDE * float(np.linalg.norm(size)) * way / np.linalg.norm(way))
    aside.start = carried.at(aside.y)[0]
    try:
        other, states = _followed(aside, end)
    except DalembertError as error:
        return undecided(f"a neighbour cannot be followed: {error.fact}")
    apart = abs(other.exponents[0] - found.exponents[0]) > _SURE * (other.errors[0] + found.errors[0])
    if apart or not other.parts or _off(aside, states) > OFF:
        return undecided("a neighbour of the motion has another exponent, as beside a motion that is unstable")
    return yes(f"bounded until t = {end:g}, and neighbours part at the rate {found.exponents[0]:.3g}")


def _off(carried: Carried, states: np.ndarray) -> float:
    """By how many widths of where it was before the second half of a motion leaves it; angles up to full turns."""
    moved = carried.work.matters & (np.ptp(states, axis=0) > 0)
    angle = np.array([name in carried.equations.system.angles for name in carried.equations.states])
    seen = states[:, moved & ~angle]
    first, last = np.array_split(seen, 2)
    low, high = first.min(axis=0), first.max(axis=0)
    away = np.maximum(low - last.min(axis=0), last.max(axis=0) - high) / np.maximum(high - low, 1e-300)
    return float(away.max(initial=0.0))


class _Smooth:
    """A motion without jumps under way, with a basis of its neighbours."""

    def __init__(self, carried: Carried) -> None:
        _, field = carried.at(carried.y)
        self.flow, self.directions = carried.flow(field), carried.directions
        self.first, self.rows = carried.start.t, self.flow.rows(carried.tangents(carried.y))

    def steps(self, end: float) -> int:
        """How many steps the motion takes from its start."""
        return self.flow.steps(self.first, self.rows, end)

    def onwards(self, rows: np.ndarray, t: float, end: float) -> tuple[np.ndarray, np.ndarray] | None:
        """Rows at the end of an interval, and its basis, a view of them; None where the motion ends."""
        found = self.flow.carry(t, rows, [end])
        if found is None:
            return None
        rows = found[0].copy()
        return rows, rows[:-1, 1 : 1 + self.directions]


class _Jumping:
    """A motion with walls, switches or contacts: rows (n, 1 + d) of a state and the basis."""

    def __init__(self, carried: Carried) -> None:
        self.carried, self.directions = carried, carried.directions
        self.rows = np.column_stack([carried.y, carried.tangents(carried.y)])

    def steps(self, end: float) -> int:
        """How many steps the motion takes from its start."""
        return len(self.carried.followed(end).t) - 1

    def onwards(self, rows: np.ndarray, t: float, end: float) -> tuple[np.ndarray, np.ndarray] | None:
        """Rows at the end of an interval, and its basis, a view of them; None where the motion ends."""
        found = self.carried.moved(rows[:, 0], rows[:, 1:], [end], since=t)
        if found is None:
            return None
        rows = np.column_stack([found[0][0], found[1][0]])
        return rows, rows[:, 1:]


class _TangentRun:
    """A motion under way with an orthonormal basis of its neighbours."""

    def __init__(self, motion: _Smooth | _Jumping) -> None:
        self.motion, self.rows, self.part = motion, motion.rows, 1.0

    def steps(self, end: float) -> int:
        """How many steps the motion takes from its start."""
        return self.motion.steps(end)

    def block(self, first: float, end: float) -> np.ndarray:
        """sum ln R_ii (d,) from a time to another; the basis is made orthonormal as often as it needs."""
        total, done = np.zeros(self.motion.directions), 0.0
        while done < 1.0:
            later = min(done + self.part, 1.0)
            rows, logs = self._interval(self.rows, first + done * (end - first), first + later * (end - first))
            if np.abs(logs).max(initial=0.0) <= GROWN:
                self.rows, done = rows, later
                total += logs
            elif self.part > _LEAST_PART:
                self.part /= 2
            else:
                fact = f"neighbours part or meet too fast at t = {first + done * (end - first):g} to be followed"
                why = ", as where a contact sticks, or a motion comes to rest stiffly"
                raise InvalidValue("E322", fact + why, "end before, or da.steady at rest")
        return total

    def _interval(self, rows: np.ndarray, t: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Rows at the end of an interval with a new basis, and ln R_ii."""
        found = self.motion.onwards(rows, t, end)
        if found is None:
            fact = f"the motion or its neighbours end before t = {end:.6g}: exponents are of motions that go on"
            raise InvalidValue("E322", fact, "end before; da.simulate says why")
        rows, basis = found
        basis[:], R = np.linalg.qr(basis)
        with np.errstate(divide="ignore"):
            return rows, np.log(np.abs(np.diag(R)))
