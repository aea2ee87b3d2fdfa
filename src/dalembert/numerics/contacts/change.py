"""What one instant does to a motion with contacts: impacts, bounces that pile up, and the modes from there on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np

from ...equations.contacts import APART, SLIDES, STICKS, Mode, Modes
from .active_set import CLOSES, MET, ROUNDED, is_met, left_to_bounce
from .course import NoCourse
from .impacts import Courses, newton
from .instant import NEAR, Eye, Instant, Touching, held, piece_of
from .problem import Answer, Choice, Problem, Undecided

ENDS = 1e-7  # of the speeds: below it a slip of two components ends
_OFF = 1e-9  # of the gap's terms: as far a start may be from a contact that cannot open
_LONGEST = 1e-3  # of the run's length: the first instant of a slip of two components, which has no direction at rest
_SOONER = 8  # times shorter it is, where another contact closes in it
_BENDS = 2e-3  # by what part of them accelerations may change in it
_SHORTER = 4  # times its length is chosen anew
_ROUNDS, _ALONG = 12, 1e-13  # in which friction turns into the slip, to this part of it
_FIRST = 1e-3  # of the length that is allowed: the first that is tried
_LEAST = 1e-6


class Stuck(Exception):
    """The motion cannot go on: ``(code, words)``."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(code, words)
        self.code, self.words = code, words


@dataclass(frozen=True)
class Cause:
    """Why the modes are looked at.

    Attributes:
        barred: what an event has just ended, by contact and word.
        left: contacts that have lost their pressure.
        still: contacts whose slip has come to an end.
        touched: contacts whose gap has closed.
        moved: contacts whose slip has jumped with an input: what stuck need not stick on.
        spent: what all did together, where no forces hold it any longer.
        ahead: a time and a state (n,) a little later, as if it went on: there it shows what comes next.
    """

    barred: Set[tuple[str, str | int]] = frozenset()
    left: Set[str] = frozenset()
    still: Set[str] = frozenset()
    touched: Set[str] = frozenset()
    moved: Set[str] = frozenset()
    spent: Mapping[str, str] = field(default_factory=dict)
    ahead: tuple[float, np.ndarray] | None = None


NO_CAUSE = Cause()


@dataclass(frozen=True, eq=False)
class Span:
    """The run's length, since when each contact has been bouncing, and how much time is left to other inputs."""

    length: float
    bouncing: Mapping[str, float] = field(default_factory=dict)
    ahead: float = math.inf


@dataclass(frozen=True, eq=False)
class Opening:
    """The motion in the first instant, from rest of the slip to where the run goes on.

    Attributes:
        t: when it begins and ends (2,).
        y: the states there (2, n).
        rates: how they change there (2, n).
    """

    t: np.ndarray
    y: np.ndarray
    rates: np.ndarray

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """States (N, n) at times inside: the cubic that has these values and rates at both ends."""
        from scipy.interpolate import CubicHermiteSpline

        return np.asarray(CubicHermiteSpline(self.t, self.y, self.rates)(times))


@dataclass(frozen=True, eq=False, kw_only=True)
class Impact:
    """What impacts at an instant were.

    Attributes:
        impulses: ``{contact: (normal, friction...)}``; empty where there was none.
        lowered: by what factor restitutions were lowered so that no energy was gained; 1 where they were not.
        struck: what each contact did by Newton's law.
        followed: contacts that took part in an impact by its course.
        loose: do velocities or accelerations depend on forces that are not unique? Then they are those of the least.
    """

    impulses: Mapping[str, np.ndarray] = field(default_factory=dict)
    lowered: float = 1.0
    struck: Mapping[str, Choice] = field(default_factory=dict)
    followed: tuple[str, ...] = ()
    loose: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Changed(Impact):
    """The motion from an instant on.

    Attributes:
        at: when they change.
        t, y: time and state (n,) from which it goes on; a little later where a slip of two components begins.
        modes: of every contact.
        ends: contacts whose bounces were taken to their limit, and when that is.
        opening: the motion until `t`, where a slip of two components begins.
        cut: of contacts whose bounces were taken to their end the time that was left, and how far they slip in it.
    """

    at: float
    t: float
    y: np.ndarray
    modes: Modes
    ends: Mapping[str, float] = field(default_factory=dict)
    opening: Opening | None = None
    cut: tuple[tuple[float, float], ...] = ()

    def said(self, before: Modes) -> list[tuple[float, str, str]]:
        """``(t, contact, word)`` of what does something else than before; bounces that pile up change at their end."""
        if self.modes is before:
            return []
        old = dict(before)
        changed = [(name, mode.word) for name, mode in self.modes if name not in old or old[name].word != mode.word]
        return [(self.ends.get(name, self.at), name, word) for name, word in changed]

    def since(self, bouncing: Mapping[str, float]) -> dict[str, float]:
        """Since when each contact has been bouncing, of what was so before."""
        modes = dict(self.modes)
        new = {name: self.at for name, p in self.impulses.items() if p.any() and modes[name].word == APART}
        return {name: t for name, t in {**new, **bouncing}.items() if modes[name].word == APART}


def change(eye: Eye, t: float, y: np.ndarray, modes: Modes | None, cause: Cause, span: Span) -> Changed:
    """The motion from here on.

    Args:
        eye: sees the system.
        t, y: time and state (n,).
        modes: until now; None at the start of a run.
        cause: why it is asked.
        span: of the run.

    Raises:
        Stuck: E410, no mode or several are possible; E411, the motion hangs on forces that are not unique.
    """
    now = _ended(eye, eye.see(t, y), modes or (), cause.still)
    for name in cause.left:
        if now.touching[name].load is not None:
            raise Stuck(
                "E410", f"at t = {t:.10g}: the load of {name} falls below 0, where friction would drive the motion"
            )
    closed = _closed(now, dict(modes or ()), cause, span)
    # a contact with two sides whose normal force comes to 0 is pushed from the other one
    turned = {(name, mode.side) for name, mode in modes or () if name in cause.left and not now.touching[name].opens}
    cause = replace(cause, barred=cause.barred | turned)
    before = now
    now, closed, impact = _struck(eye, now, closed, cause.left)
    lasting, ends = _lasting(now, before, closed, span)
    cut = tuple((ends[n] - now.t, (ends[n] - now.t) * float(np.linalg.norm(now.touching[n].slip))) for n in ends)
    ends = {name: ends[now.touching[name].master] for name in now.parts(ends)}
    still = cause.still if impact.impulses else (cause.still | set(_still(modes or ()))) - cause.moved
    ends_slip = any(len(now.touching[n].B) > 1 for n in cause.still)
    at_rest = [n for n in now.parts(lasting) if _at_rest(now.touching[n], before, n in still, ends_slip)]
    now = _kept(eye, now, held(now, lasting, at_rest))
    # what holds some contacts may hold others that were about to open
    besides = [n for n in now.whole(list(now.touching)) if n not in {*lasting, *cause.left} and _lies(now, n)]
    lasting = [*lasting, *besides]
    at_rest += [n for n in now.parts(besides) if _at_rest(now.touching[n], before, n in still, ends_slip)]
    answer = _decided(now if cause.ahead is None else eye.see(*cause.ahead), lasting, at_rest, cause)
    pressed = [n for n in cause.left if now.touching[n].opens and _closes(now, n, answer.x)]
    if pressed:
        # it has lost its pressure in what it did, and would go through the surface without
        did = {(name, mode.word) for name, mode in modes or () if now.touching[name].master in pressed}
        again = replace(cause, left=cause.left - set(pressed), barred=cause.barred | did)
        return change(eye, t, y, modes, again, span)
    sticking = [n for n, word in answer.words().items() if word == STICKS]
    closed = now.whole([n for n, word in answer.words().items() if word != APART])
    now = _kept(eye, now, held(now, closed, sticking))
    found = tuple((name, _mode(name, answer, len(c.B))) for name, c in now.touching.items())
    t, y, opening = _begun(eye, now, answer, at_rest, span)
    known = {**vars(impact), "loose": impact.loose or answer.loose}
    return Changed(**known, at=now.t, t=t, y=y, modes=found, ends=ends, opening=opening, cut=cut)


def _kept(eye: Eye, now: Instant, u: np.ndarray) -> Instant:
    """The instant with these velocities: itself where they are its own, to the last bit."""
    return now if np.array_equal(u, now.u) else eye.see(now.t, np.concatenate([now.q, u]))


def _ended(eye: Eye, now: Instant, modes: Modes, still: Set[str]) -> Instant:
    """When the slip of two components that has become small is 0: one step at constant acceleration."""
    for name in still:
        c = now.touching[name]
        if len(c.B) < 2 or not c.slip.any():
            continue
        x = _decided(now, [n for n, mode in modes if mode.word != APART], _still(modes)).x
        # s + tau sdot = 0 ,  nearly
        rate = c.B @ x - c.along
        tau = -float(c.slip @ rate) / float(rate @ rate)
        if tau > 0:
            now = eye.see(*eye.after(now, tau, x))
    return now


def slip_rates(now: Instant, modes: Modes) -> dict[str, np.ndarray]:
    """How fast the slip of each contact changes in these modes, (p,) each; 0 where no such motion is consistent."""
    try:
        x = _decided(now, [n for n, mode in modes if mode.word != APART], _still(modes)).x
    except Stuck:
        return {name: np.zeros(len(c.B)) for name, c in now.touching.items()}
    return {name: c.B @ x - c.along for name, c in now.touching.items()}


def _still(modes: Modes) -> list[str]:
    return [name for name, mode in modes if mode.word == STICKS]


def _closed(now: Instant, modes: Mapping[str, Mode], cause: Cause, span: Span) -> list[str]:
    """Contacts that touch at this instant."""
    found = []
    for name in now.whole(list(now.touching)):
        c = now.touching[name]
        met = name in modes and modes[name].word != APART
        met = met or is_met(c.gap, c.size, c.rate, now.terms[name], span.length)
        if not c.opens or name in cause.touched or (met and name not in cause.left):
            found.append(name)
    return found


def _hits(now: Instant, name: str) -> bool:
    """Does a contact that touches approach, or move where it cannot open?"""
    c, small = now.touching[name], NEAR * now.terms[name]
    return c.rate < -small or (c.sides == 2 and c.rate > small)


def _lies(now: Instant, name: str) -> bool:
    """Is a gap closed that does not change?"""
    c = now.touching[name]
    return c.gap <= NEAR * c.size and abs(c.rate) <= NEAR * now.terms[name]


def _closes(now: Instant, name: str, x: np.ndarray) -> bool:
    """Do accelerations take a contact through its surface?"""
    c = now.touching[name]
    return float(c.A @ x) - c.normal < -CLOSES * (float(np.abs(c.A) @ np.abs(x)) + abs(c.normal))


def _at_rest(c: Touching, before: Instant, still: bool, ends_slip: bool) -> bool:
    """Does nothing slip there, or less than can be told, or than where a slip in a plane is taken to end?"""
    if not (c.mu_static > 0 and len(c.B)):
        return False
    if still:
        return True
    slip = math.hypot(*c.slip)
    near = ENDS if ends_slip and len(c.B) > 1 else NEAR
    return slip <= near * before.terms[c.name] or slip <= ROUNDED * before.reach(c.name)


# --- impacts ---------------------------------------------------------------------------------------------------------


def _struck(eye: Eye, now: Instant, closed: list[str], left: Set[str]) -> tuple[Instant, list[str], Impact]:
    """The instant after the impacts at what is closed, what is closed then, and what they were.

    Raises:
        Stuck: E410, E413: an impact has no end, or several.
    """
    impulses: dict[str, np.ndarray] = {}
    struck: dict[str, Choice] = {}
    followed: tuple[str, ...] = ()
    lowered, loose = 1.0, False
    while any(_hits(now, n) for n in closed):
        courses = Courses(now, [n for n in closed if now.touching[n].load is None])
        try:
            du, more = courses.done()
        except NoCourse as error:
            raise Stuck("E413", f"at t = {now.t:.10g}: of the impact at {' and '.join(courses.hit)}: {error}") from None
        now, at_once, lowered = now.pushed(du), courses.others, min(lowered, courses.lowered)
        followed += tuple(n for n in closed if n not in at_once) if more else ()
        if any(_hits(now, n) for n in at_once):
            try:
                answer, given, factor = newton(now, at_once)
            except Undecided as error:
                raise _stuck(now.t, at_once, error, "velocities after the impact", "crushed") from None
            more, struck = more | given, {**struck, **answer.choices}
            now, lowered, loose = now.pushed(answer.x), min(lowered, factor), loose or answer.loose
        impulses |= {n: impulses.get(n, 0.0) + p for n, p in more.items()}
        now = eye.see(now.t, np.concatenate([now.q, now.u]))
        # what touches and was about to open may be hit by what they give
        others = [n for n in now.whole(list(now.touching)) if n not in closed and n not in left]
        others = [n for n in others if now.touching[n].gap <= NEAR * now.touching[n].size and _hits(now, n)]
        if not others:
            break
        closed = [*closed, *others]
    found = Impact(impulses=impulses, lowered=lowered, struck=struck, followed=followed, loose=loose)
    return now, closed, found


def _lasting(now: Instant, before: Instant, closed: Sequence[str], span: Span) -> tuple[list[str], dict[str, float]]:
    """Contacts that stay closed, and those of them whose bounces pile up, with the time at which these end."""
    lasting = [n for n in closed if abs(now.touching[n].rate) <= NEAR * before.terms[n]]
    bouncing = [n for n in closed if n not in lasting and now.touching[n].rate > 0]
    ends: dict[str, float] = {}
    for name in bouncing:
        c = now.touching[name]
        try:
            x = _decided(now, [n for n in lasting if n != name], []).x
        except Stuck:
            continue
        since = now.t - span.bouncing.get(name, now.t)
        left = left_to_bounce(c.rate, c.normal - float(c.A @ x), c.restitution, c.gap, c.size, since, span.length)
        if left < math.inf:
            ends[name] = now.t + left
    return [*lasting, *ends], ends


# --- modes -----------------------------------------------------------------------------------------------------------


def _decided(now: Instant, lasting: Sequence[str], at_rest: Sequence[str], cause: Cause = NO_CAUSE) -> Answer:
    """What contacts that touch without speed do from here on."""
    pieces = []
    for name in now.parts(lasting):
        c = now.touching[name]
        size = float(np.linalg.norm(c.slip))
        pieces.append(piece_of(c, None if name in at_rest or not len(c.B) or not size else c.slip / size))
    try:
        return Problem(now.W, now.f, now.J, now.g, pieces, cause.barred, cause.spent).solve()
    except Undecided as error:
        raise _stuck(now.t, lasting, error, "accelerations", "Painleve") from None


def held_in(now: Instant, modes: Modes) -> tuple[Problem, dict[str, Choice]]:
    """The problem that contacts in these modes solve, and what they do: its `forces` are the least that hold them."""
    acting = {name: mode for name, mode in modes if mode.word != APART}
    pieces, choices = [], {}
    for name, mode in acting.items():
        c = now.touching[name]
        size = float(np.linalg.norm(c.slip))
        way = c.slip / size if mode.word == SLIDES and len(c.B) > 1 and size else np.full(len(c.B), float(mode.sense))
        pieces.append(piece_of(c, way if mode.word == SLIDES and len(c.B) else None))
        choices[name] = Choice(mode.word, pieces[-1].direction, mode.side)
    return Problem(now.W, now.f, now.J, now.g, pieces), choices


def loosely(t: float, names: Sequence[str]) -> str:
    """What E411 says of a motion that depends on forces that are not unique."""
    where = " and ".join(names)
    fact = f"the normal forces at {where} are not unique, and friction of what slides makes the motion depend on them"
    return f"at t = {t:.10g}: {fact}: a rigid body does not tell how they are shared"


def _stuck(t: float, names: Sequence[str], error: Undecided, what: str, called: str) -> Stuck:
    where = " and ".join(names)
    if error.count:
        fact = f"{error.count} ways to go on at {where} differ in their {what}: no single motion follows"
        return Stuck("E410", f"at t = {t:.10g}: {fact}")
    fact = f"at {where} no mode goes with any {what}: rigid bodies cannot go on ({called})"
    return Stuck("E410", f"at t = {t:.10g}: {fact}")


def _mode(name: str, answer: Answer, p: int) -> Mode:
    choice = answer.choices.get(name)
    if choice is None or choice.word == APART:
        return Mode(APART)
    if choice.word == STICKS or choice.direction is None:
        return Mode(choice.word, side=choice.side)
    return Mode(SLIDES, int(np.sign(choice.direction[0])) if p == 1 else 1, choice.side)


def _begun(
    eye: Eye, now: Instant, answer: Answer, at_rest: Sequence[str], span: Span
) -> tuple[float, np.ndarray, Opening | None]:
    """Time and state from which it goes on; a little later where a slip in a plane begins, and how until then."""
    begins = [n for n in at_rest if answer.choices[n].word == SLIDES and len(now.touching[n].B) > 1]
    y = np.concatenate([now.q, now.u])
    if not begins:
        return now.t, y, None
    longest, beginning = min(_LONGEST * span.length, span.ahead / 2), Beginning(eye, now, answer, begins)
    closed = now.whole([n for n, word in answer.words().items() if word != APART])
    apart = [n for n in now.whole(list(now.touching)) if n not in closed]
    later, rates = beginning.over(longest)
    while any(later.touching[n].gap < min(now.touching[n].gap, 0.0) for n in apart):
        # something else touches before
        longest = (later.t - now.t) / _SOONER
        later, rates = beginning.over(longest)
    u = held(later, closed, [n for n, word in answer.words().items() if word == STICKS])
    end = np.concatenate([later.q, u])
    return later.t, end, Opening(np.array([now.t, later.t]), np.array([y, end]), rates)


def started(eye: Eye, t: float, y: np.ndarray, span: Span) -> Changed:
    """The modes in which a run begins.

    Raises:
        Stuck: as for `change`; E240, a gap is negative; E410, one has no normal.
    """
    check_open(eye.see(t, y), span.length)
    found = change(eye, t, y, None, Cause(), replace(span, bouncing={}))
    if found.loose:
        raise Stuck("E411", loosely(t, [name for name, mode in found.modes if mode.word != APART]))
    return found


def check_open(now: Instant, length: float) -> None:
    """No motion of some length begins behind a surface, or where one has no normal.

    Raises:
        Stuck: E240; E410, a load is negative, or a gap has no normal.
    """
    for name, c in now.touching.items():
        if (c.load or 0.0) < 0:
            raise Stuck(
                "E410", f"the load of {name} is {c.load:.6g} at the start: such friction would drive the motion"
            )
        beyond = abs(c.gap) if c.sides == 2 else -c.gap
        if beyond > (_OFF if c.sides == 2 else NEAR) * max(c.size, 1.0) + MET * abs(c.rate) * length:
            off = "off" if c.sides == 2 else "already beyond"
            raise Stuck("E240", f"the start is {off} {name} (gap = {c.gap:.6g})")
        if c.load is None and not (np.isfinite(c.A).all() and c.A.any()):
            raise Stuck("E410", f"the gradient of the gap of {name} vanishes or is not finite: there is no normal")


# --- the first instant of a slip in a plane --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Beginning:
    """Slips that begin along two components, which have no direction at rest.

    Where a contact yields that friction held with all it can, the slip has no acceleration at first, and friction keeps
    its direction along it while both turn. Explicit steps are then as short as the slip is small. So one step is taken
    in which friction turns steadily, from the direction d_0 of rest to that of the slip at its end,

        d = d_0 + (t/tau) (d_1 - d_0) ,   s(tau) = |s(tau)| d_1 ,

    and as long as accelerations change by a small part in it: its length is one of the motion, not of the run.

    Attributes:
        eye, now: sees the system, and what it sees.
        answer: what all contacts do.
        begins: those of them that begin to slip so.
    """

    eye: Eye
    now: Instant
    answer: Answer
    begins: Sequence[str]

    def over(self, longest: float) -> tuple[Instant, np.ndarray]:
        """The instant a little later, at most so much, and how the state changes now and then (2, n)."""
        tau = _FIRST * longest
        for _ in range(_SHORTER):
            bend = self._bend(tau, self._turned(tau))
            wanted = min(longest, tau * _BENDS / bend) if bend else longest
            if tau / 2 <= wanted <= 2 * tau:
                break
            tau = max(wanted, _LEAST * longest)
        ends = self._turned(tau)
        later = self._later(tau, ends)
        return later, np.array([self._rates(self.now, 0.0, ends), self._rates(later, 1.0, ends)])

    def _bend(self, tau: float, ends: Mapping[str, np.ndarray]) -> float:
        """By what part of all that acts accelerations change in a step."""
        now, later = self.now, self._later(tau, ends)
        change = self._udot(later, 1.0, ends) - self._udot(now, 0.0, ends)
        return float(np.sqrt(change @ now.W @ change / max(now.f @ np.linalg.solve(now.W, now.f), np.spacing(0.0))))

    def _turned(self, tau: float) -> dict[str, np.ndarray]:
        """The directions d_1 (2,) in which contacts slip at the end of a step."""
        first = {n: self._first(n) for n in self.begins}
        angles, found = dict.fromkeys(self.begins, 0.0), first
        off = self._off(tau, found)
        # s . n  changes by about  -mu N |D| tau/2  with the angle
        moves = {n: off[n] / self._hold(n, tau) for n in self.begins}
        for _ in range(_ROUNDS):
            angles = {n: angles[n] + moves[n] for n in angles}
            found = {n: _rotated(first[n], angles[n]) for n in angles}
            before, off = off, self._off(tau, found)
            if all(abs(off[n]) <= _ALONG * self._hold(n, tau) for n in off):
                break
            # the secant of each
            moves = {n: moves[n] * off[n] / (before[n] - off[n]) if off[n] != before[n] else 0.0 for n in off}
        return found

    def _first(self, name: str) -> np.ndarray:
        direction = self.answer.choices[name].direction
        assert direction is not None
        return direction

    def _hold(self, name: str, tau: float) -> float:
        """By how much friction changes the slip in half a step."""
        c = self.now.touching[name]
        stiff = float(np.linalg.norm(c.B @ np.linalg.solve(self.now.W, c.B.T), 2))
        return max(c.mu * self.answer.normal[name] * stiff * tau / 2, np.spacing(0.0))

    def _off(self, tau: float, ends: Mapping[str, np.ndarray]) -> dict[str, float]:
        """How much each slips aside of its direction at the end of a step."""
        later = self._later(tau, ends)
        return {n: float(_rotated(d, np.pi / 2) @ later.touching[n].slip) for n, d in ends.items()}

    def _later(self, tau: float, ends: Mapping[str, np.ndarray]) -> Instant:
        """The end of a step of Runge and Kutta's, which keeps the gaps."""
        eye, now = self.eye, self.now
        y = np.concatenate([now.q, now.u])
        k1 = self._rates(now, 0.0, ends)
        k2 = self._rates(eye.see(now.t + tau / 2, y + tau / 2 * k1), 0.5, ends)
        k3 = self._rates(eye.see(now.t + tau / 2, y + tau / 2 * k2), 0.5, ends)
        k4 = self._rates(eye.see(now.t + tau, y + tau * k3), 1.0, ends)
        # y + tau (k1 + 2 k2 + 2 k3 + k4)/6
        return eye.see(now.t + tau, y + tau / 6 * (k1 + 2 * k2 + 2 * k3 + k4))

    def _rates(self, there: Instant, part: float, ends: Mapping[str, np.ndarray]) -> np.ndarray:
        """How the state changes (n,) at a part of a step."""
        return np.concatenate([self.eye.qdot(there), self._udot(there, part, ends)])

    def _udot(self, there: Instant, part: float, ends: Mapping[str, np.ndarray]) -> np.ndarray:
        """Accelerations (k,) at a part of a step."""
        pieces = [piece_of(there.touching[name], None) for name in self.answer.choices]
        turned = {n: c._replace(direction=self._way(there, n, c)) for n, c in self.answer.choices.items()}
        turned |= {n: turned[n]._replace(direction=_between(self._first(n), d, part)) for n, d in ends.items()}
        return Problem(there.W, there.f, there.J, there.g, pieces).along(turned)

    @staticmethod
    def _way(there: Instant, name: str, choice: Choice) -> np.ndarray | None:
        """The direction of a slip in a plane that was there before."""
        slip = there.touching[name].slip
        return choice.direction if len(slip) < 2 or choice.direction is None or not slip.any() else _unit(slip)


def _unit(d: np.ndarray) -> np.ndarray:
    return np.asarray(d / np.linalg.norm(d))


def _between(first: np.ndarray, last: np.ndarray, part: float) -> np.ndarray:
    """The direction a part of the way from one to another."""
    return _unit(first + part * (last - first))


def _rotated(d: np.ndarray, angle: float) -> np.ndarray:
    """A direction turned."""
    return np.cos(angle) * d + np.sin(angle) * np.array([-d[1], d[0]])
