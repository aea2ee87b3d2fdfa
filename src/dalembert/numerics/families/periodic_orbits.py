"""Motions that come back: shooting with the derivatives of the motion, and the multipliers of what comes back.

Unknown are the state y at the start and the period T. With M = d phi_T/dy and the rate f at the end,

    F = s phi_T(y) - y - turns ,     dF = (s M B - B) dz + s f dT ,     B a basis of the consistent directions,

s the signs with which quaternions come back (`Laps`).

Where the motion is to come back up to a group, an element of it is unknown too (`relative`).
dF is singular at every solution: along the motion itself, along a group, along a family of conserved quantities. Damped
steps of least size, the damping as large as |F|, still converge quadratically to the nearest one [yamashita2001].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Self

import numpy as np

from ...answer import Answer
from ...argument_checks import noun, number
from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...calculus.least_squares import DampedSteps
from ...calculus.numerical_rank import count_above, echelon, null_rows
from ...equations import Equations, Start
from ...errors import InvalidValue
from ...event import Event
from ...trajectory import Trajectory
from ..run.simulate import simulate
from ..stability import EPSILON, OPEN, Spectrum, Verdict, bent
from .relative_periodic_orbits import Group, Relative
from .tangent_flow import Carried, Parameters, quiet

# ---------------------------------------------------------------------------------------------------------------------
# Multipliers that are what they are whatever the motion: by the motion itself, symmetries and conserved
# quantities.
# Directions v in which the motion goes on coming back, perhaps after another time, and that along the motion, f, span a
# space that M keeps [munozalmaraz2003]:
#
#     M v = v - f dT ,     M f = f ,
#
# so that all multipliers there are 1. Gradients of what is conserved are kept to the left, dJ M = dJ: they show as null
# vectors of what M is across that space, and so on, round by round.
#
# Where a motion comes back up to a group, the space holds the group's own directions X, and multipliers on them are
# those of the adjoint: M X_a = (Ad X)_a. Gradients of momenta turn with them, so that null vectors of M - mu are looked
# for too.

ALIKE = 1e-8  # singular values below this part of the largest count as 0
SURE = 1e3  # errors of M below which a singular value counts as 0


def count_of(M: np.ndarray, f: np.ndarray | None, rtol: float, X: np.ndarray | None = None) -> int:
    """How many multipliers of M (d, d) are what they are by structure.

    Args:
        M: the return map on the directions that the constraints leave.
        f: the rate there (d,); None where the equations change with time.
        rtol: the relative error of M.
        X: directions (d, k) of the group up to which the motion comes back.
    """
    given = [] if f is None else [f[:, None]]
    rates = np.hstack([np.zeros((len(M), 0)), *given, *([] if X is None else [X])])
    rates = rates / np.maximum(np.linalg.norm(rates, axis=0), 1e-300)
    turned = [mu for mu in adjoint(M, X) if abs(mu - 1) > np.sqrt(rtol)]
    # (M - 1) v + f dT + X dc = 0
    V = np.hstack([_null(np.hstack([M - np.eye(len(M)), rates]), rtol)[: len(M)], rates])
    count = 0
    while len(M) and V.size:
        U, s, _ = np.linalg.svd(V)
        rank = count_above(s, np.sqrt(rtol))
        if not rank:
            break
        count, Q = count + rank, U[:, rank:]
        M = Q.T @ M @ Q
        V = np.hstack([_null(M - np.eye(len(M)), rtol), *(_turning(M, mu, rtol) for mu in turned)])
    return count


def adjoint(M: np.ndarray, X: np.ndarray | None) -> np.ndarray:
    """Multipliers on the directions of a group (complex)."""
    if X is None or not X.size:
        return np.zeros(0, complex)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    U = U[:, s > ALIKE * s[0]]
    return np.asarray(np.linalg.eigvals(U.T @ M @ U), complex)


def _turning(M: np.ndarray, mu: complex, rtol: float) -> np.ndarray:
    """Real directions with the multipliers mu and its conjugate."""
    if not len(M):
        return np.zeros((0, 0))
    kept = null_rows(M - mu * np.eye(len(M)), SURE * rtol, SURE * rtol)
    return np.asarray(np.hstack([kept.real.T, kept.imag.T]))


def _null(A: np.ndarray, rtol: float) -> np.ndarray:
    """Columns that span the null space of A, whose entries have errors of rtol in parts of the largest."""
    return null_rows(A, SURE * rtol, SURE * rtol).T


def nearest(multipliers: np.ndarray, count: int, turned: np.ndarray | None = None) -> np.ndarray:
    """Which multipliers these are: those of the group, and others that are nearest to them or to 1, (d,) of bool."""
    trivial = np.zeros(len(multipliers), bool)
    values = np.zeros(0, complex) if turned is None else turned
    for mu in values[np.argsort(-np.abs(values - 1), kind="stable")][:count]:
        trivial[np.where(trivial, np.inf, np.abs(multipliers - mu)).argmin()] = True
    off = np.abs(multipliers[:, None] - np.r_[1.0, values][None]).min(axis=1)
    left = np.argsort(np.where(trivial, np.inf, off), kind="stable")[: count - int(trivial.sum())]
    trivial[left] = True
    return trivial


# ---------------------------------------------------------------------------------------------------------------------
# What is the same after a lap as before: an angle after full turns, a rotation whose quaternion changed its sign.
#     y(T) = s y + 2 pi k ,     k whole numbers for angles, s = -1 for quaternions that came back with the other sign.
#
# q and -q are one rotation, R(q) = R(-q), where the equations do not tell them apart: rates that belong to q change
# their sign with it, and all others stay. A quaternion comes back as -q after an odd number of turns.

_SAME, _TRIED, _NEAR = 1e-9, 3, 0.1


@dataclass(frozen=True)
class Lap:
    """How the states differ after a lap, and are the same: full turns k (n,) and signs s (n,)."""

    turns: np.ndarray
    signs: np.ndarray

    def missed(self, end: np.ndarray, start: np.ndarray) -> np.ndarray:
        """What the end, taken with the signs already, misses of the start."""
        return np.asarray(end - start - math.tau * self.turns)

    def __mul__(self, laps: int) -> Self:
        """So many of them."""
        return type(self)(laps * self.turns, self.signs**laps)


class Laps:
    """Which states of some equations come back so.

    Args:
        carried: the equations.
    """

    def __init__(self, carried: Carried | Relative) -> None:
        self.names, angles = carried.work.names, carried.equations.system.angles
        self.angle = np.array([name in angles for name in self.names])
        every = {
            name: np.array([self.names.index(s.name) for s in attitude.coordinates])
            for name, attitude in carried.equations.space.attitudes.items()
            if len(attitude.coordinates) == 4 and {s.name for s in attitude.coordinates} <= {*self.names}
        }
        self.rotations = {name: at for name, at in every.items() if _is_even(carried, at)}

    def nearest(self, end: np.ndarray, start: np.ndarray) -> Lap:
        """The lap (..., n) after which an end is nearest to the start; an element of a group may be left out."""
        angle = self.angle[: end.shape[-1]]
        signs = np.ones_like(end - start)
        for at in self.rotations.values():
            signs[..., at] = np.where((end * start)[..., at].sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        return Lap(np.where(angle, np.rint((end - start) / math.tau), 0).astype(int), signs)

    def way(self, end: np.ndarray, start: np.ndarray) -> np.ndarray:
        """From a start to an end (..., n), but for laps."""
        lap = self.nearest(end, start)
        return lap.missed(lap.signs * end, start)

    def told(self, lap: Lap) -> dict[str, int]:
        """Full turns by name; 1 for a rotation stands for an odd number of them."""
        found = {n: k for n, k in zip(self.names, lap.turns.tolist(), strict=True) if k}
        return found | {name: 1 for name, at in self.rotations.items() if lap.signs[at[0]] < 0}

    def of(self, turns: Mapping[str, int]) -> Lap:
        """The lap that was told."""
        signs = np.ones(len(self.names))
        for name, at in self.rotations.items():
            signs[at] = (-1.0) ** turns.get(name, 0)
        return Lap(np.array([turns.get(n, 0) for n in self.names]), signs)


def _is_even(carried: Carried | Relative, at: np.ndarray) -> bool:
    """Do q and -q move alike? Asked at some states about the start."""
    work, random = carried.work, np.random.default_rng(0)
    signs = np.ones(len(work.names))
    signs[at] = -1.0

    def seen(y: np.ndarray, signs: np.ndarray | float) -> np.ndarray:
        """What is the same for both: rates with the signs, whether constraints hold, where surfaces are met."""
        values = {**work.values(y), TIME.name: carried.start.t}
        rates, held = (np.array(evaluate(rows, values), float) for rows in (work.rates, work.held))
        return np.r_[signs * rates, np.abs(held), carried.surfaces(y, carried.start.t)]

    near = [carried.y + _NEAR * random.standard_normal(len(carried.y)) for _ in range(_TRIED)]
    return all(np.allclose(seen(y, 1.0), seen(signs * y, signs), rtol=_SAME, atol=_SAME) for y in near)


STEPS = 60
STEPS_OF_A_PERIOD = 100_000  # how many steps of the motion may make one, unless max_steps says more
CLOSED = 1e-8  # what may be missing of the state, in its own size
SAME = 1e-6  # states that are no farther apart are one, in their own size
CHEAP = 1e3  # a change of the period counts so much less than one of the state
LEAST, MOST = 0.5, 2.0  # of the period that was guessed
AROUND, PLACES, FEWER, MOST_TRIED = (
    1.25,
    2001,
    201,
    4,
)  # where a motion that comes near its start is looked for, and how often
HAIR = 1e-9  # of the period: so much longer a path from an event is, that it ends behind it
SLOW = 0.9  # of what was missed: where a step of the period alone leaves more it is not that alone
REST = 1e-6  # rates so small are no motion
OTHERS = "another start or period; da.simulate shows how near a motion comes"
_HALVINGS, _ROUNDING = 12, 1e-13
_BACK = 0.1  # of the longest way from the start: so near it is a return


@noun
@dataclass(frozen=True, eq=False)
class Periodic:
    """A motion that comes back.

    Attributes:
        period: T.
        start: a state on it.
        multipliers: of the return map in the directions that the constraints leave, the largest first (complex).
        trivial: which of them are 1 whatever the motion, by conserved quantities, symmetries and the motion itself.
        turns: full turns of angles in a period, by name; for a rotation 1, where it makes an odd number of them.
        missed: how far the end is from the start.
        equations: what moves.
        walls: are the walls that the system declares met?
        drift: where it comes back up to a symmetry, how far it goes along each generator in a period, by name:
            phi_T(y) = exp(c_1 X_1) ... exp(c_k X_k) y. Multipliers are those of the motion taken back by it, and
            trivial among them are the group's own too, which for turns have the size 1.
        events: what acts on it beside the walls.
    """

    period: float
    start: Start
    multipliers: np.ndarray
    trivial: np.ndarray
    turns: Mapping[str, int]
    missed: float
    equations: Equations
    walls: bool = True
    drift: Mapping[str, float] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    _group: Group | None = field(default=None, repr=False)
    _laps: Laps | None = field(default=None, repr=False)
    _hair: float = field(default=0.0, repr=False)
    told: Verdict = field(default=Verdict(OPEN, "neighbours were not followed"), repr=False)

    @cached_property
    def path(self) -> Trajectory:
        """The motion over one period."""
        until = self.start.t + self.period * (1 + self._hair)
        with quiet():
            return simulate(self.equations, self.start, until=until, events=self.events, rtol=1e-12, walls=self.walls)

    @cached_property
    def returns(self) -> int:
        """How often the motion comes back in its period: 1, or more where several turns were asked for as one."""
        if all(np.ptp(self.path[name]) <= SAME for name in self.equations.states):
            return 1  # it stands still, in the period of what drives it
        # of period T/k: q(t + T/k) = q(t); at the start itself a jump may have set it
        t = self.start.t + self.period * np.array([0.05, 0.13, 0.29, 0.41, 0.48])
        most = np.arange(2, len(self.path.t) + 1)
        near = self._apart(t[0] + self.period / most, np.full(len(most), t[0])) <= SAME
        often = (k for k in most[near][::-1] if (self._apart(t + self.period / k, t) <= SAME).all())
        return int(next(often, 1))

    def _apart(self, later: np.ndarray, now: np.ndarray) -> np.ndarray:
        """How far the states at some times are from those at others, in their own size and up to full turns."""
        then, here = (np.array([self.path.at(t)[n] for n in self.equations.states]).T for t in (later, now))
        if self._group is not None:
            parameters = self.start.parameters
            ways = [self._group.off_at_best(y, z, parameters) for y, z in zip(here, then, strict=True)]
            then = here + np.array(ways)
        assert self._laps is not None
        return np.asarray((np.abs(self._laps.way(then, here)) / (1 + np.abs(here))).max(axis=1))

    @property
    def growth(self) -> float:
        """The largest |multiplier| that is not trivial, 1 where there is none."""
        return float(np.abs(self.multipliers[~self.trivial]).max(initial=0.0)) if not self.trivial.all() else 1.0

    @property
    def verdict(self) -> str:
        """``"unstable"``, ``"attracting"``, ``"stable to first order"`` (as beside others that come back too, as far as
        is integrated) or ``"undecided"``.
        """
        return self.told.word

    @property
    def answer(self) -> Answer:
        """Does what is near stay near the motion? Yes, no or not decided, with the reason."""
        return self.told.answer

    def __str__(self) -> str:
        shown = [f"{m.real:.6g}" + (f"{m.imag:+.6g}i" if abs(m.imag) > REST else "") for m in self.multipliers]
        lines = [f"periodic motion: {self.verdict}", f"  period       {self.period:.12g}"]
        lines.append("  at           " + ", ".join(f"{n} = {v:.6g}" for n, v in self.start.state.items()))
        lines.append(f"  multipliers  {', '.join(shown)}")
        lines.append(f"  of these {int(self.trivial.sum())} are 1 by symmetries, conserved quantities and the motion")
        lines += [f"  because      {self.told.why}"] if self.told.why else []
        if self.returns > 1:
            lines.append(
                f"  returns      {self.returns} times in that: after {self.period / self.returns:.12g} already"
            )
        lines += [f"  drift        {', '.join(f'{n} {c:.10g}' for n, c in self.drift.items())}"] if self.drift else []
        spun = self.equations.space.attitudes
        turns = ", ".join(f"{'an odd number' if n in spun else k} of {n}" for n, k in self.turns.items())
        lines += [f"  turns        {turns}"] if turns else []
        return "\n".join(lines)

    __repr__ = __str__


def transverse(M: np.ndarray, E: np.ndarray, ways: np.ndarray) -> tuple[Spectrum, np.ndarray, np.ndarray, list[int]]:
    """The return map (d, d) across ways (d, k) along which motions come back too, the motion itself and a group.

    Returns:
        Its spectrum in scales D, what is across (r, d), z = v_rest - known^T v_lead, and the r entries `rest`.
    """
    length = np.linalg.norm(ways, axis=0)
    known = echelon((ways[:, length > 0] / length[length > 0]).T)
    lead = [int(np.argmax(np.abs(row) > SAME)) for row in known]
    rest = [i for i in range(len(M)) if i not in lead]
    L = np.eye(len(M))[rest] - known[:, rest].T @ np.eye(len(M))[lead]
    return *Spectrum.of(L @ M[:, rest], np.abs(L) @ E[:, rest], 1.0), L, rest


def periodic(
    equations: Equations,
    start: object,
    *,
    period: object,
    parameters: Parameters | None = None,
    inputs: Mapping[str, object] | None = None,
    events: object = (),
    group: Group | None = None,
    **options: object,
) -> Periodic:
    """See `apps.periodic.periodic`; where a group is given, the motion comes back up to it."""
    guess = number(period, "period", "E303", above=0.0)
    limited = {"max_steps": STEPS_OF_A_PERIOD, **options}
    own = Carried(equations, start, parameters, limited, "periodic", jumping=True, inputs=inputs, events=events)
    _check(own, group)
    at, first = own.met(guess) if own.jumping else None, own.start.t
    try:
        if at is not None:
            own.leave(guess)
        found = _nearest(own, group, guess)
    except InvalidValue as error:
        if at is not None or not own.jumping or error.code != "E335":
            raise
        # so near to a jump that a step of the start goes over it
        own.leave(guess)
        found = _nearest(own, group, guess)
    arrival = None if at is None else own.arrival(found.start.vector, at, found.period, first)
    return found if arrival is None else replace(found, start=arrival, _hair=HAIR)


def _nearest(own: Carried, group: Group | None, guess: float) -> Periodic:
    """The motion near a start that comes back after about a time."""
    carried = own if group is None else Relative(own, group, np.zeros(len(group)))
    shooting = ReturnResidual(carried, guess)
    y, T = shooting.solve()
    _, _, missed = shooting.ends(y, T)
    if not shooting.closed(y, missed):
        off = float(np.abs(missed).max(initial=0.0))
        raise _nothing(f"no motion near the start comes back after about {guess:g}: {off:.2g} is missed")
    # where time drives, what stands still has multipliers of its own, as a pendulum upside down on a shaken support
    if shooting.autonomous and shooting.across(y) <= REST * (1 + np.abs(y).max(initial=0.0)) / T:
        raise _nothing("the motion that comes back stands still there", "da.steady finds states of rest")
    return shooting.found(y, T)


def _check(own: Carried, group: Group | None) -> None:
    """E186, E335: a formula of an input or an event, of which no symmetry is known; an event that stops."""
    steered = sorted(own.equations.system.steered)
    if group is not None and steered:
        fact = f"the input {steered[0]} is given by a formula, and whether this has the symmetry is not looked at"
        raise InvalidValue(
            "E186", fact, "write the formula into the forces of the system", subject=("inputs", steered[0])
        )
    for event in own.events:
        if event.stops:
            raise _nothing(f"the event {event.name} stops the motion", "let it mark, or set states")
        if event.jumps and group is not None:
            fact = f"whether the event {event.name} has the symmetry is not looked at"
            raise _nothing(fact, "leave symmetry out, and the coordinates along it, as da.reduce does")


def drift_of(carried: Carried | Relative, z: np.ndarray) -> tuple[Mapping[str, float], Group | None]:
    """How far a motion goes along each generator, and the group."""
    if isinstance(carried, Carried):
        return {}, None
    return dict(zip(carried.group.names, map(float, carried.parted(z)[1]), strict=True)), carried.group


def _nothing(fact: str, remedy: str = OTHERS) -> InvalidValue:
    return InvalidValue("E335", fact, remedy)


def _least(
    T: np.ndarray, way: Callable[[np.ndarray | float], np.ndarray], about: float, part: float = 1.0
) -> list[float]:
    """Times at which a way is shorter than before and after, the nearest to one first; in parts of the longest."""
    from scipy.optimize import minimize_scalar

    d = np.linalg.norm(way(T), axis=1)
    low = np.flatnonzero((d[1:-1] <= d[:-2]) & (d[1:-1] <= d[2:])) + 1
    low = low[d[low] <= part * d.max(initial=0.0)]
    return [
        float(minimize_scalar(lambda s: float(way(s) @ way(s)), bounds=(T[i - 1], T[i + 1]), method="bounded").x)
        for i in low[np.argsort(np.abs(T[low] - about))][:MOST_TRIED]
    ]


class ReturnResidual:
    """What is missed after a time, and its derivatives."""

    def __init__(self, carried: Carried | Relative, guess: float) -> None:
        self.carried, self.guess = carried, guess
        self.autonomous = carried.autonomous
        self.laps = Laps(carried)
        self.lap = self.laps.of({})
        self._check_time()

    def _lap(self, y: np.ndarray, T: float) -> Lap:
        """How the states differ after a time but for what is missed."""
        return self.laps.nearest(self._carried(y, T)[0], y)

    def _approaches(self) -> list[float]:
        """Periods about the guess after which the motion is nearer to its start than before and after."""
        start = self.carried.start
        path = self.carried.followed(start.t + AROUND * self.guess)
        y, group = self.carried.parted(self.carried.y)[0], getattr(self.carried, "group", None)

        def best(z: np.ndarray) -> np.ndarray:
            return np.zeros(0) if group is None else group.off_at_best(y, z, start.parameters)

        def way(T: np.ndarray | float) -> np.ndarray:
            row = path.at(start.t + T)
            there = np.array([row[n] for n in self.carried.equations.states]).T
            if group is not None:
                rows = np.atleast_2d(there)
                every = group.along(y, rows, start.parameters) if len(rows) > 1 else [best(rows[0])]
                there = y + np.array(every).reshape(there.shape)
            return self.laps.way(there, y)

        if path.ending.code == "E313" and path.t[-1] - start.t < self.guess / AROUND:
            raise self._too_long(path, way)
        T = np.linspace(self.guess / AROUND, path.t[-1] - start.t, self._places())
        return _least(T, way, self.guess) or [self.guess]

    def _too_long(self, path: Trajectory, way: Callable[[np.ndarray | float], np.ndarray]) -> InvalidValue:
        """E335: the steps are used up before the period that was guessed; when the motion is first near its start."""
        most, T = self.carried.policy.max_steps, path.t[1 : self._places()] - path.t[0]
        fact = f"in {most} steps of the motion {path.t[-1] - path.t[0]:.6g} of a period of {self.guess:g} is reached"
        near = _least(T, way, 0.0, _BACK)
        if not near:
            return _nothing(fact, f"a shorter period, or max_steps={10 * most}")
        return _nothing(f"{fact}, and it is near its start after {near[0]:.6g}", f"period={near[0]:.6g}")

    def _places(self) -> int:
        """At how many times is looked how near the motion is."""
        return PLACES if getattr(self.carried, "group", None) is None else FEWER

    def _check_time(self) -> None:
        """E335 where the equations change with time in another period."""
        if self.autonomous:
            return
        y, t = self.carried.y, self.carried.start.t
        for later in np.array([0.0, 0.13, 0.29, 0.71]) * self.guess:
            now, then = (self._driven(y, t + later + T) for T in (0.0, self.guess))
            if not np.allclose(now, then, rtol=CLOSED, atol=CLOSED, equal_nan=True):
                fact = f"the equations change with time, and {self.guess:g} is no period of them"
                raise _nothing(fact, "give a whole multiple of the period of what drives the system")

    def _driven(self, y: np.ndarray, t: float) -> np.ndarray:
        """What the time may change: rates, what ends them, and slopes, by which alone it drives what stands still."""
        work = (self.carried.inner if isinstance(self.carried, Relative) else self.carried).work
        work.t, began = t, work.t
        slopes = work.slopes(y[: len(work.names)]).ravel()
        work.t = began
        return np.concatenate([self.rates(y, t), self.carried.surfaces(y, t), slopes])

    def _carried(self, y: np.ndarray, T: float) -> tuple[np.ndarray, np.ndarray]:
        """State and derivatives (n, d) after a time."""
        B = self.carried.tangents(y)
        found = self.carried.moved(y, B, [self.carried.start.t + T])
        if found is None:
            most = self.carried.policy.max_steps
            fact = f"the motion ends before a time of {T:g} has passed, or takes more than {most} steps"
            raise _nothing(fact, f"{OTHERS}; max_steps={10 * most} allows more steps")
        return found[0][0], found[1][0]

    def rates(self, y: np.ndarray, t: float) -> np.ndarray:
        """f(t, y)."""
        work = self.carried.work
        return np.array(evaluate(work.rates, {**work.values(y), "t": t}), float)

    def ends(self, y: np.ndarray, T: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The state after T, M on consistent directions (n, n), and what is missed."""
        end, S = self._carried(y, T)
        end, S = self.lap.signs * end, self.lap.signs[:, None] * S
        return end, S @ self.carried.tangents(y).T, self.lap.missed(end, y)

    def found(self, y: np.ndarray, T: float) -> Periodic:
        """The motion from a state that comes back after T."""
        carried, off = self.carried, float(np.abs(self.ends(y, T)[2]).max(initial=0.0))
        multipliers, trivial, told = self.disturbed(y, T)
        turns, own = self.laps.told(self.lap), (carried.equations, carried.policy.walls)
        drift, group = drift_of(carried, y)
        given = (*own, drift, carried.events, group, self.laps)
        return Periodic(T, carried.at(y)[0], multipliers, trivial, turns, off, *given, told=told)

    def disturbed(self, y: np.ndarray, T: float) -> tuple[np.ndarray, np.ndarray, Verdict]:
        """Multipliers of the motion found, which of them are trivial, and what becomes of disturbances."""
        carried, n, d = self.carried, len(y), self.carried.directions
        B, f = carried.tangents(y)[:, :d], self.rates(y, carried.start.t)
        own = carried.inner if isinstance(carried, Relative) else carried
        M = self.ends(y, T)[1]
        with own.coarser():
            E = np.abs(self.ends(y, T)[1] - M)
        E += own.policy.rtol * np.abs(M)
        X = carried.generators(y)
        whole, E = B.T @ M @ B, np.abs(B).T @ E @ np.abs(B)
        found, D, L, rest = transverse(whole, E, B.T @ np.column_stack([f[:, None] * self.autonomous, X]))
        K, W = found.modes
        held, phase = carried.work.held, np.column_stack([f[:, None] * self.autonomous, X]).T
        size = np.r_[np.abs(y).max() * np.ones(n), [T] * self.autonomous]
        rounding = float(E.max(initial=0.0)) / max(1.0, float(np.abs(M).max(initial=0.0)))

        @lru_cache(2)
        def ends(at: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            x = np.frombuffer(at)
            return self.ends(x[:n], float(x[n]) if self.autonomous else T)

        def rows(x: np.ndarray) -> np.ndarray:
            z, off = x[:n], ends(x.tobytes())[2]
            return np.r_[off, np.array(evaluate(held, carried.work.values(z)), float), phase @ (z - y)]

        def slopes(x: np.ndarray) -> np.ndarray:
            z, S = x[:n], x[n] if self.autonomous else T
            end, M, _ = ends(x.tobytes())
            dF = np.column_stack([M - np.eye(n), *[self.rates(end, carried.start.t + S)] * self.autonomous])
            others = np.vstack([carried.work.normals(z), phase])
            return np.vstack([dF, np.pad(others, ((0, 0), (0, dF.shape[1] - n)))])

        wide = np.zeros((len(size), len(rest)))
        wide[:n] = B[:, rest] * D
        left = np.hstack([(W / D) @ L @ B.T, np.zeros((len(W), len(held) + len(phase)))])
        x0 = np.r_[y, [T] * self.autonomous]
        terms = np.eye(left.shape[1], len(x0)) * (np.arange(len(x0)) < n)
        reduced = bent(rows, slopes, x0, size, (wide @ K, left), max(rounding, EPSILON), terms)
        told = found.told(own.work.linear and not own.jumping, False, reduced)
        values = np.linalg.eigvals(whole)
        values = values[np.lexsort((-values.imag, -np.abs(values)))]
        return values, nearest(values, d - len(rest) + told.explained, adjoint(whole, B.T @ X)), told

    def across(self, y: np.ndarray) -> float:
        """The largest rate across the group."""
        f, X = self.rates(y, self.carried.start.t), self.carried.generators(y)
        return float(np.abs(f - X @ np.linalg.lstsq(X, f, rcond=None)[0]).max(initial=0.0))

    def closed(self, y: np.ndarray, missed: np.ndarray) -> bool:
        """Has it come back?"""
        return bool(np.abs(missed).max(initial=0.0) <= CLOSED * (1 + np.abs(y).max(initial=0.0)))

    def solve(self) -> tuple[np.ndarray, float]:
        """State and period, the period alone moved first."""
        tried = self._approaches() if self.autonomous else [self.guess]
        for near in tried if self.autonomous else ():
            y = self.carried.guessed(near)
            self.lap = self._lap(y, near)
            end, T = self._steps(y, near, period_alone=True)
            if self.closed(end, self.ends(end, T)[2]):
                return end, T
        y = self.carried.guessed(tried[0])
        self.lap = self._lap(y, tried[0])
        return self._steps(y, tried[0], period_alone=False)

    def _steps(self, y: np.ndarray, T: float, period_alone: bool) -> tuple[np.ndarray, float]:
        """Damped steps until nothing gets better."""
        end, M, missed = self.ends(y, T)
        for _ in range(STEPS):
            left = float(np.linalg.norm(missed))
            if left <= _ROUNDING * (1 + np.linalg.norm(y)):
                break
            B = self.carried.tangents(y)[:, self.carried.directions if period_alone else 0 :]
            f = self.rates(end, self.carried.start.t + T)[:, None] * self.autonomous
            J = np.hstack([M @ B - B, CHEAP * f])
            damped = DampedSteps(J, -missed)
            for damping in (4.0**n for n in range(_HALVINGS)):
                z = damped(damping * left)
                new = self.carried.consistent(y + B @ z[:-1]), T + CHEAP * float(z[-1])
                if not LEAST * self.guess < new[1] < MOST * self.guess:
                    continue
                try:
                    found = self.ends(*new)
                except InvalidValue:
                    continue
                if np.linalg.norm(found[2]) < left:
                    break
            else:
                break
            (y, T), (end, M, missed) = new, found
            # near one that closes a step of the period leaves its square
            if period_alone and np.linalg.norm(missed) > SLOW * left:
                break
        return y, T
