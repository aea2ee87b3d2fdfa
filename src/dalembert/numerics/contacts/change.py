"""What one instant does to a motion with contacts: impacts, bounces that pile up, and the modes from there on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...equations import Equations
from ...equations.contact_modes import APART, SLIDES, STICKS, InMode, Mode, Modes, least_of, refuse_contacts
from ...equations.start import Start
from ...equations.start_completion import state_of
from ...errors import InvalidValue
from .active_set import CLOSES, MET, ROUNDED, is_met, left_to_bounce
from .course import NoCourse
from .impacts import Courses, newton
from .instant import NEAR, Eye, Instant, Opening, SlipOnset, Touching, held, piece_of
from .problem import Choice, Combination, Problem, Undecided

KNOWN = 64  # roundings of the time: as near is a zero of a force known
ENDS = 1e-7  # of the speeds: below it a slip of two components ends
_OFF = 1e-9  # of the gap's terms: as far a start may be from a contact that cannot open
_LENGTH = 1.0  # of a run about a state, which says how near a gap counts as closed
_EDGE = 1e-9  # of the forces: nearer to a change of mode there is no model of one
_LONGEST = 1e-3  # of the run's length: the first instant of a slip of two components, which has no direction at rest
_SOONER = 8  # times shorter it is, where another contact closes in it


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


@dataclass(frozen=True, eq=False, kw_only=True)
class InstantImpacts:
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
class Changed(InstantImpacts):
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
    rest = [n for n in now.whole(list(now.touching)) if n not in {*lasting, *cause.left}]
    besides = [n for n in rest if (c := now.touching[n]).gap <= NEAR * c.size and abs(c.rate) <= NEAR * now.terms[n]]
    lasting = [*lasting, *besides]
    at_rest += [n for n in now.parts(besides) if _at_rest(now.touching[n], before, n in still, ends_slip)]
    answer = _decided(now if cause.ahead is None else eye.see(*cause.ahead), lasting, at_rest, cause)
    # accelerations that take a contact through its surface
    least = {n: CLOSES * (float(np.abs(c.A) @ np.abs(answer.x)) + abs(c.normal)) for n, c in now.touching.items()}
    opens = [n for n in cause.left if now.touching[n].opens]
    pressed = [n for n in opens if _opening(now, n, answer.x) < -least[n]]
    if pressed:  # by more than it changes by in the time to which a zero of its force is known
        then = eye.see(*eye.after(now, KNOWN * float(np.spacing(max(abs(t), span.length))), answer.x))
        x = _decided(then, lasting, at_rest, cause).x
        changes = {n: abs(_opening(then, n, x) - _opening(now, n, answer.x)) for n in pressed}
        pressed = [n for n in pressed if _opening(now, n, answer.x) < -least[n] - changes[n]]
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


def _opening(now: Instant, name: str, x: np.ndarray) -> float:
    """The second rate of a gap with accelerations x (k,)."""
    # A udot - n
    c = now.touching[name]
    return float(c.A @ x) - c.normal


def _hits(now: Instant, name: str) -> bool:
    """Does a contact that touches approach, or move where it cannot open?"""
    c, small = now.touching[name], NEAR * now.terms[name]
    return c.rate < -small or (c.sides == 2 and c.rate > small)


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


def _struck(eye: Eye, now: Instant, closed: list[str], left: Set[str]) -> tuple[Instant, list[str], InstantImpacts]:
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
    found = InstantImpacts(impulses=impulses, lowered=lowered, struck=struck, followed=followed, loose=loose)
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


def _decided(now: Instant, lasting: Sequence[str], at_rest: Sequence[str], cause: Cause = NO_CAUSE) -> Combination:
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


def _mode(name: str, answer: Combination, p: int) -> Mode:
    choice = answer.choices.get(name)
    if choice is None or choice.word == APART:
        return Mode(APART)
    if choice.word == STICKS or choice.direction is None:
        return Mode(choice.word, side=choice.side)
    return Mode(SLIDES, int(np.sign(choice.direction[0])) if p == 1 else 1, choice.side)


def _begun(
    eye: Eye, now: Instant, answer: Combination, at_rest: Sequence[str], span: Span
) -> tuple[float, np.ndarray, Opening | None]:
    """Time and state from which it goes on; a little later where a slip in a plane begins, and how until then."""
    begins = [n for n in at_rest if answer.choices[n].word == SLIDES and len(now.touching[n].B) > 1]
    y = np.concatenate([now.q, now.u])
    if not begins:
        return now.t, y, None
    longest, beginning = min(_LONGEST * span.length, span.ahead / 2), SlipOnset(eye, now, answer, begins)
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


# --- the mode about a state ------------------------------------------------------------------------------------------


def in_its_mode(equations: Equations, state: Start, what: str) -> tuple[Equations, Start]:
    """The equations that hold about a state, and the state in them.

    Args:
        equations, state: of a system with contacts.
        what: is asked about a state, ``"linearise about"``.

    Raises:
        InvalidValue: E139, the principle has no contacts, or the state is where their mode changes; E240, E410, no
            motion begins there.
    """
    contacts = equations.contacts
    if contacts is None:
        refuse_contacts(equations, f"{equations.principle} motions do not change their modes")
        return equations, state
    eye = Eye.of(equations, contacts, state.parameters)
    try:
        begun = started(eye, state.t, state.vector, Span(_LENGTH))
    except Stuck as stuck:
        raise InvalidValue(stuck.code, stuck.words, f"{what} a state from which a motion goes on") from None
    held = contacts.in_mode(begun.modes)
    now, known = eye.see(state.t, state.vector), held.equations.system.symbols
    # the slip below which its direction is taken for rounding, well below the slip here
    slips = {least_of(name): _EDGE * float(np.linalg.norm(c.slip)) for name, c in now.touching.items()}
    values = {**state.parameters, **{name: least for name, least in slips.items() if name in known}}
    there = {TIME.name: state.t, **values, **state.state}
    moved = begun.t != state.t or len(begun.impulses) or not np.array_equal(begun.y, state.vector)
    changing = sorted(name for name, _ in begun.modes) if moved else []
    changing += [n for n, c in now.touching.items() if n not in held.normal and c.gap <= _EDGE * c.size]
    for name, mode in begun.modes:
        if name not in held.normal:
            continue
        (normal, friction), here = _forces(held, name, there), now.touching[name]
        pressed = abs(normal) if here.sides == 2 else normal
        lifts = pressed <= _EDGE * (1 + friction)
        yields = mode.word == STICKS and friction >= here.mu_static * pressed * (1 - _EDGE)
        turns = mode.word != STICKS and len(here.slip) and here.mu and not here.slip.any()
        changing += [name] if lifts or yields or turns else []
    if changing:
        found = ", ".join(dict.fromkeys(changing))
        fact = f"the mode of {found} changes at this state, which has a model on either side"
        raise InvalidValue("E139", fact, f"{what} a state before it or behind it")
    return held.equations, state_of(held.equations, dict(state.state), values)


def left_by(
    equations: Equations,
    held: Equations,
    state: Mapping[str, float],
    values: Mapping[str, float],
    least: np.ndarray,
) -> list[str]:
    """Contacts that cannot do at a state what they do in the equations of a mode.

    They pull or push from the other side, hold too much, are inside, or slide no longer or backwards.

    Args:
        equations: of the system with contacts.
        held: those of one of its modes.
        state, values: there, and of the parameters, by name.
        least: of the velocities (k,), what is no more than rounding.
    """
    if equations.contacts is None:
        return []
    modes, mode = next((modes, each) for modes, each in equations.contacts.known.items() if each.equations is held)
    now = Eye.of(equations, equations.contacts, values).see(0.0, np.array([state[n] for n in equations.states]))
    found = [n for n, c in now.touching.items() if c.master == n and n not in mode.normal and c.gap < 0]
    for name, each in modes:
        if name in mode.normal:
            normal, friction = _forces(mode, name, {TIME.name: 0.0, **values, **state})
            here, opens = now.touching[name], now.touching[name].sides == 1
            pulls = each.side * normal < 0 and (opens or each.sense != 0)
            slip = each.sense * here.slip[0] if len(here.slip) == 1 else np.linalg.norm(here.slip)
            stops = each.sense != 0 and slip <= (np.abs(here.B) @ least).max()
            yields = each.word == STICKS and friction > here.mu_static * abs(normal)
            found += [name] if pulls or stops or yields else []
    return found


def _forces(held: InMode, name: str, values: Mapping[str, float]) -> tuple[float, float]:
    """The normal force of a contact that lasts, and the size of its friction."""
    normal, *along = (float(e) for e in evaluate([held.normal[name], *held.friction.get(name, ())], values))
    return normal, float(np.linalg.norm(along))
