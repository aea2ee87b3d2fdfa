"""What one instant does to a motion with contacts: impacts, bounces that pile up, and the modes from there on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np

from ...equations.contacts import APART, SLIDES, STICKS, Mode, Modes
from .active_set import CLOSES, GAINS, LOW, MET, PILES, ROUNDED, SHORT
from .beginning import Beginning, Opening, piece_of
from .courses import Courses
from .hodograph import NoCourse
from .instant import NEAR, Eye, Instant, Touching, held
from .problem import Answer, Choice, Problem, Undecided

ENDS = 1e-7  # of the speeds: below it a slip of two components ends
_LONGEST = 1e-3  # of the run's length: the first instant of a slip of two components, which has no direction at rest
_SOONER = 8  # times shorter it is, where another contact closes in it
_HALVINGS = 50
_OFF = 1e-9  # of the gap's terms: as far a start may be from a contact that cannot open


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
class Changed:
    """The motion from an instant on.

    Attributes:
        at: when they change.
        t, y: time and state (n,) from which it goes on; a little later where a slip of two components begins.
        modes: of every contact.
        impulses: of an impact, ``{contact: (normal, friction...)}``; empty where there was none.
        ends: contacts whose bounces were taken to their limit, and when that is.
        lowered: by what factor restitutions were lowered so that no energy was gained; 1 where they were not.
        struck: what each contact did in the impact; empty where there was none.
        followed: contacts that took part in an impact by its course; empty where there was none.
        opening: the motion until `t`, where a slip of two components begins.
        cut: of contacts whose bounces were taken to their end the time that was left, and how far they slip in it.
        loose: do velocities or accelerations depend on forces that are not unique? Then they are those of the least.
    """

    at: float
    t: float
    y: np.ndarray
    modes: Modes
    impulses: Mapping[str, np.ndarray]
    ends: Mapping[str, float]
    lowered: float = 1.0
    struck: Mapping[str, Choice] = field(default_factory=dict)
    followed: tuple[str, ...] = ()
    opening: Opening | None = None
    loose: bool = False
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
    before, lowered = now, 1.0
    impulses: dict[str, np.ndarray] = {}
    struck: Mapping[str, Choice] = {}
    followed: tuple[str, ...] = ()
    loose = False
    while any(_hits(now, n) for n in closed):
        now, more, at_once, factor = _along(now, [n for n in closed if now.touching[n].load is None])
        followed += tuple(n for n in closed if n not in at_once) if more else ()
        if any(_hits(now, n) for n in at_once):
            answer, lower = _impact(now, at_once)
            factor, loose = min(factor, lower), loose or answer.loose
            more, struck = more | _impulses(now, at_once, answer), {**struck, **answer.choices}
            now = now.pushed(answer.x)
        lowered = min(lowered, factor)
        impulses = {**impulses, **{n: impulses.get(n, 0.0) + p for n, p in more.items()}}
        now = _seen(eye, now, now.u)
        # what touches and was about to open may be hit by what they give
        others = [n for n in now.whole(list(now.touching)) if n not in closed and n not in cause.left]
        others = [n for n in others if now.touching[n].gap <= NEAR * now.touching[n].size and _hits(now, n)]
        if not others:
            break
        closed = [*closed, *others]
    lasting, ends = _lasting(now, before, closed, span)
    cut = tuple((ends[n] - now.t, (ends[n] - now.t) * float(np.linalg.norm(now.touching[n].slip))) for n in ends)
    ends = {name: ends[now.touching[name].master] for name in now.parts(ends)}
    still = cause.still if impulses else (cause.still | set(_still(modes or ()))) - cause.moved
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
    loose |= answer.loose
    return Changed(now.t, t, y, found, impulses, ends, lowered, struck, followed, opening, loose, cut)


def _seen(eye: Eye, now: Instant, u: np.ndarray) -> Instant:
    return eye.see(now.t, np.concatenate([now.q, u]))


def _kept(eye: Eye, now: Instant, u: np.ndarray) -> Instant:
    """The instant with these velocities: itself where they are its own, to the last bit."""
    return now if np.array_equal(u, now.u) else _seen(eye, now, u)


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
        lasts = name in modes and modes[name].word != APART
        near = c.gap <= MET * abs(c.rate) * span.length + NEAR * c.size and c.rate <= NEAR * now.terms[name]
        if (
            not c.opens
            or name in cause.touched
            or (lasts and name not in cause.left)
            or (near and name not in cause.left)
        ):
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


def _along(now: Instant, closed: Sequence[str]) -> tuple[Instant, dict[str, np.ndarray], list[str], float]:
    """The instant after all impacts that follow a course, their impulses, the contacts that do not (E413), and by what
    restitutions were lowered.
    """
    courses = Courses(now, closed)
    try:
        du, impulses = courses.done()
    except NoCourse as error:
        raise Stuck("E413", f"at t = {now.t:.10g}: of the impact at {' and '.join(courses.hit)}: {error}") from None
    return now.pushed(du), impulses, courses.others, courses.lowered


def _impact(now: Instant, closed: Sequence[str]) -> tuple[Answer, float]:
    """What happens in an impact, and by what the restitutions were lowered.

    Newton's restitution and Coulomb's impulse together can give energy where a slip turns round in the impact (Kane's
    paradox). The restitutions are then lowered by one factor to where none is gained; at 0 none is [moreau1988].
    """
    factor, answer = 1.0, _impulse(now, closed, 1.0)
    if _gain(now, answer) > 0:
        factor = _harmless(now, closed)
        answer = _impulse(now, closed, factor)
    return answer, factor


def _impulses(now: Instant, closed: Sequence[str], answer: Answer) -> dict[str, np.ndarray]:
    """Of each contact that is hit the normal impulse and friction's."""
    found = {n: np.zeros((now.touching[n].master == n) + len(now.touching[n].B)) for n in now.parts(closed)}
    for name, p in found.items():
        given = [*([answer.normal[name]] if now.touching[name].master == name else []), *answer.friction[name]]
        p[: len(given)] = given
    return found


def _harmless(now: Instant, closed: Sequence[str]) -> float:
    """The largest factor of the restitutions at which an impact gives no energy."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        gains = _gain(now, _impulse(now, closed, middle)) > 0
        low, high = (low, middle) if gains else (middle, high)
    return low


def _gain(now: Instant, answer: Answer) -> float:
    """The kinetic energy gained, without what surfaces that move by themselves supply; 0 where it is rounding."""
    # T(u+) - T(u) = du W (u + u+)/2 ;  a surface's own speed v0 supplies p v0
    gained = float(answer.x @ now.W @ (now.u + answer.x / 2))
    for name, c in now.touching.items():
        if name in answer.normal:
            whole = c.master == name
            p = np.r_[answer.normal[name] if whole else 0.0, answer.friction[name]]
            own = np.r_[c.rate - c.A @ now.u, c.slip - c.B @ now.u]
            gained += float(p @ own[: len(p)])
    return gained if gained > GAINS * now.energy() else 0.0


def _impulse(now: Instant, closed: Sequence[str], factor: float) -> Answer:
    """The impact at all contacts that are closed, their restitutions times a factor."""
    pieces = []
    for name in now.parts(closed):
        c = now.touching[name]
        # A du = -(1 + e) rate ,  B du = -slip
        back = -c.rate - factor * c.restitution * min(c.rate, 0.0)
        pieces.append(replace(piece_of(c, None), normal=back, along=-c.slip[: len(c.B) if c.mu_static else 0]))
    k = len(now.u)
    try:
        return Problem(now.W, np.zeros(k), now.J, np.zeros(len(now.J)), pieces).solve()
    except Undecided as error:
        raise _stuck(now.t, closed, error, "velocities after the impact", "crushed") from None


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
        fall, e = c.normal - float(c.A @ x), c.restitution
        if fall <= 0 or e >= 1:
            continue
        # 2 v/a (1 + e + e^2 + ...)
        left = 2 * c.rate / fall / (1 - e)
        since = now.t - span.bouncing.get(name, now.t)
        # v^2/(2 a)
        low = c.rate**2 / (2 * fall) <= LOW * c.size + 2 * max(-c.gap, 0.0)
        if low or left <= max(PILES * since, SHORT * span.length):
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
