"""The function `two_point`: what is asked for becomes a map, whose zeros are searched, finished and set in order."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...argument_checks import public
from ...calculus.quantity import SECOND, number, quantity
from ...equations import Equations
from ...errors import (
    DalembertError,
    DalembertWarning,
    InvalidValue,
    Note,
    WrongType,
    as_given,
    did_you_mean,
    kind_of,
    warn,
)
from ..inputs.run_inputs import steered
from ..policy import Policy
from ..run.interrupt import Kept, on_the_keyboard
from ..run.simulate import simulate
from . import initial_guesses as guessing
from .boundary_conditions import Setting, problem_of
from .differentiated_motion import OnTheWay
from .extremal_curve import Curve, finish
from .extremals import Extremal, Extremals, shown
from .multistart import FoundCurves, search
from .shooting import Shooting, Shot

STEPS = 10_000  # of a motion that is only to show where it ends
MOST = 5  # reasons that are told
NEARBY = 1e-3  # how far beside the nearest motion others are looked at, in scales

SCREEN, POLISH = 1e-9, 1e-13  # rtol of the search and of what it finds
MOST_STARTS = 100_000
TAKEN = ("rtol", "atol", "method", "max_step", "max_steps", "seconds", "stabilisation", "walls")
OWN = ("duration", "until", "t", "parameters", "inputs", "events", "starts", "seed", "guesses", "check", "progress")
NOT_TAKEN = ("dense", "halt", "step", "order", "samples")
TRIALS = 4000  # steps of a motion during the search


class SearchInterrupted(Kept):
    """`two_point` was interrupted.

    Attributes:
        extremals: what was found until then.
    """

    extremals: Extremals

    def __init__(self, extremals: Extremals) -> None:
        super().__init__(extremals.aborted, "extremals", extremals, "what was found")


@public
def two_point(
    equations: Equations,
    start: object,
    end: object,
    *,
    duration: object = None,
    until: object = None,
    t: object = 0.0,
    parameters: Mapping[Any, Any] | None = None,
    inputs: Mapping[str, object] | None = None,
    events: object = (),
    starts: int = 50,
    seed: int = 0,
    guesses: object = None,
    check: bool = True,
    progress: bool | None = None,
    **options: Any,
) -> Extremals:
    """Curves of the equations between given ends: all that a search from many points finds, each with its action.

    Unknown are the start velocities that the constraints leave free and, for vakonomic equations, the multipliers.
    Damped steps with derivatives of the motion go from random points, from rest, from mirror images of what was found
    and along what leaves it at conjugate points, to zeros of what is missed at the end; these are polished,
    compared, and solved again by collocation. Where contacts, walls, events that jump, forces that switch or
    inputs that change may be met, derivatives go through them [dibernardo2008], and what was found is run again by
    Radau's method; a motion that grazes there has them on one side only, which is said. Nothing proves that no other
    extremal exists.

    Args:
        equations: from a principle.
        start: positions at the first time by name, rotations by their own; velocities and multipliers given here too
            are held.
        end: positions at the last time by name. An angle is a number that counts turns: theta = 0 and theta = 2 pi are
            different ends. A rotation is met whatever the turns. Coordinates left out are free, and the natural
            boundary condition, p_a = dL*/du^a = 0 along what is free, completes the ends
            (L* = L - lam phi for vakonomic equations) [gelfand1963 (section 6)].
        duration: time from end to end.
        until: the last time, instead.
        t: the first time.
        parameters: values that replace the system's.
        inputs: what drives each input of the system: a number, a table or a formula of t and states.
        events: list of `Event`; motions go through those that jump, and through walls and contacts of the system.
        starts: from how many points to search.
        seed: of the random points.
        guesses: mappings ``{unknown: value}`` to start from as well.
        check: solve each again by collocation?
        progress: show progress on a terminal.
        options: of `Policy` for a method that chooses its steps: rtol (by default 1e-13 for what is shown), atol,
            max_step, max_steps, seconds (CPU time at which the whole search is aborted), stabilisation.

    Returns:
        `Extremals`, of least action first.

    Raises:
        DalembertError: E330 names, E331 too many or too few conditions for the unknowns, E332 ends that contradict a
            constraint, E333 duration, starts, seed or guesses, E334 nothing converged; E131, E139 walls and contacts
            of motions that do not jump or change their modes, and contacts with inputs that change; E180 to E186 for
            inputs, E316 for events, E202 to E207 for parameters and values, E305, E307 and E313 for options.
        SearchInterrupted: a KeyboardInterrupt (Ctrl-C) whose `extremals` are what was found until then.
    """
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"two_point needs equations, not {kind_of(equations)}", "da.vakonomic(system)")
    first, last = _times(t, duration, until)
    starts, seed = _counted("starts", starts, 1, MOST_STARTS), _counted("seed", seed, 0, 2**63 - 1)
    for name, value in {"check": check, "progress": False if progress is None else progress}.items():
        if not isinstance(value, bool):
            raise WrongType("E307", f"{name} = {as_given(value)} must be True or False", f"{name}=True")
    policies = _policies(options)
    rng, given = np.random.default_rng(seed), (equations, inputs)
    equations, _, values, steering, _ = steered(equations, {"t": first}, inputs, parameters, last)
    met = OnTheWay.of(given, equations, steering, events, policies[1], (first, last))
    setting = problem_of(equations, start, end, first, last, values, rng, met)
    proposed = guessing.given(setting.problem, setting.ways.straight, guesses)
    with on_the_keyboard() as pressed:
        searched = search(setting, proposed, starts, rng, policies, bool(progress), pressed)
        if pressed() and not searched.curves:
            raise KeyboardInterrupt(searched.aborted)
    found = _finished(setting, searched, policies[1], check)
    if pressed():
        raise SearchInterrupted(found)
    return found


def _finished(setting: Setting, searched: FoundCurves, policy: Policy, check: bool) -> Extremals:
    """The curves of a search as extremals, those of least action first."""
    done = [finish(curve, setting, policy, check) for curve in searched.curves]
    pairs = sorted(
        ((e, c) for e, c in zip(done, searched.curves, strict=True) if isinstance(e, Extremal)),
        key=lambda p: _order(p[0]),
    )
    refused = [e for e in done if isinstance(e, DalembertError)]
    if not pairs:
        raise refused[0] if refused else refuse(setting, searched.tried, searched.nearest, searched.aborted)
    extremals = [e for e, _ in pairs]
    changing = setting.problem.met is not None
    remarks = (*_remarks(pairs, changing), *_left_out(refused), *left_aside(setting.problem))
    notes = (*setting.notes, *_doubts(extremals))
    counts = searched.tried, searched.converged
    return Extremals(tuple(extremals), setting.title, *counts, remarks, notes, searched.aborted)


def _left_out(refused: list[DalembertError]) -> Iterator[str]:
    """What met the end and cannot be run after all."""
    if refused:
        yield f"left out: {len(refused)} that met the end but cannot be run: {refused[0].code} {refused[0].fact}"


def _order(each: Extremal) -> tuple[Any, ...]:
    """By action; mirror images, equal but for rounding, by their unknowns."""
    return float(f"{each.action:.10g}"), *each.unknowns.values()


def _times(t: object, duration: object, until: object) -> tuple[float, float]:
    """First and last time (E333)."""
    first = quantity(t, "t", SECOND).value
    if (duration is None) == (until is None):
        raise InvalidValue("E333", "give either the duration or until", "duration=1.0")
    name, value = ("duration", duration) if until is None else ("until", until)
    last = quantity(value, name, SECOND).value + (first if until is None else 0.0)
    if not last > first:
        raise InvalidValue(
            "E333", f"{name} = {as_given(value)}: the last time must be after t = {first:g}", f"{name}=1.0"
        )
    return first, last


def _counted(name: str, value: object, least: int, most: int) -> int:
    """An integer (E333)."""
    found = number(value, name, "E333", "E333")
    if not found.is_integer() or not least <= found <= most:
        fact = f"{name} = {as_given(value)} must be an integer from {least} to {most}"
        raise InvalidValue("E333", fact, f"{name}={max(least, 1)}")
    return int(found)


def _policies(options: Mapping[str, object]) -> tuple[Policy, Policy]:
    """How the search integrates, and how what it found is integrated (E307)."""
    for name in options:
        if name in NOT_TAKEN:
            raise WrongType("E307", f"two_point has no option {as_given(name)}", f"leave {name} out")
        if name not in TAKEN:
            raise WrongType("E307", f"two_point has no option {as_given(name)}", did_you_mean(name, [*TAKEN, *OWN]))
    fine = Policy.of_flow("two_point", options, rtol=POLISH)
    coarse = {**options, "rtol": max(SCREEN, fine.rtol), "max_steps": min(TRIALS, fine.max_steps)}
    coarse.pop("atol", None)
    return Policy.of(coarse), fine


def _remarks(pairs: list[tuple[Extremal, Curve]], changing: bool) -> Iterator[str]:
    """What was noticed of the curves."""
    if len(pairs) > 1:
        yield "number 0 has the least action of those found; nothing proves that no other exists"
    if any(e.family for e, _ in pairs):
        yield "family: a continuous family of curves joins the ends; one of each action is listed"
    for name in sorted({name for _, curve in pairs for name in curve.idle}):
        which = [i for i, (_, curve) in enumerate(pairs) if name in curve.idle]
        where = "" if len(which) == len(pairs) else f" for number {', '.join(map(str, which[:10]))}"
        them = "these curves and their actions" if where else "curves and actions"
        if changing:
            yield f"{name}: nothing depends on it to first order{where}, as where a contact sticks or stays closed"
            continue
        yield f"{name}: not determined by the ends{where}; {them} do not depend on it"
    for i, curve in enumerate(curve for _, curve in pairs):
        if curve.beside:
            yield f"number {i}: right beside it motions meet {curve.beside}: derivatives hold on one side only"


def _doubts(extremals: list[Extremal]) -> tuple[Note, ...]:
    """W335 where the second route does not agree."""
    off = [i for i, e in enumerate(extremals) if e.checked is not None and not e.checked.agrees]
    if not off:
        return ()
    which = ", ".join(str(i) for i in off[:10])
    route = next(e.checked.route for e in extremals if e.checked is not None)
    text = f"{route} does not confirm {len(off)} of {len(extremals)} extremals (number {which}): see their .checked"
    return (warn("W335", text, 4),)


# --- where no start converged -----------------------------------------------------------------------------------------


def refuse(setting: Setting, tried: int, nearest: Shot | None, aborted: str = "") -> DalembertError:
    """E334 with the nearest miss; where no motion ran at all, what its start was refused for.

    What the clock cut short is said first.
    """
    problem = setting.problem
    if nearest is None:
        return _stopped(setting, tried)
    unknown = dict(zip(problem.names, map(float, nearest.point), strict=True))
    missed = problem.end.distance(nearest.y)
    abnormal = (
        ", or be joined by abnormal curves alone, which are not looked for" if problem.names[problem.width :] else ""
    )
    return InvalidValue(
        "E334",
        f"{aborted}{'; ' * bool(aborted)}none of {tried} starts met the end; the nearest missed it by {missed:.3g}",
        "more starts (starts=500), guesses=[{...}] near a solution, or ends that are nearer: the end may be out of "
        "reach in this time" + abnormal,
        "\n".join([f"nearest: {shown(unknown, 6)}", *_beside(problem, nearest), *left_aside(problem)]),
    )


def _beside(problem: Shooting, nearest: Shot) -> list[str]:
    """The motion that came nearest lies where others begin to meet something else: it grazes."""
    found = problem.beside(nearest, Policy(), NEARBY)
    return [f"right beside it motions meet {found}: the search ends where they graze"] if found else []


def left_aside(problem: Shooting) -> list[str]:
    """Why motions of the search were left aside, each reason with how often it was met, the most frequent first."""
    every = [f"{many} motions of the search left aside: {why}" for why, many in problem.left.most_common(MOST) if many]
    return [*every, "..."] if len(problem.left) > MOST else every


def _stopped(setting: Setting, tried: int) -> DalembertError:
    """Why a motion with velocities of the usual size is refused, or where and why it ends."""
    problem, said = setting.problem, ""
    point = problem.settled(problem.scale * 1.0)
    if point is not None:
        names = dict(zip(problem.names, map(float, point), strict=True))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DalembertWarning)
                start = problem.equations.start(
                    **{**setting.given, **names}, t=problem.t, parameters=problem.parameters
                )
                path = (
                    simulate(problem.equations, start, until=problem.end.t, max_steps=STEPS)
                    if problem.met is None
                    else problem.met.run(start, problem.end.t, Policy(max_steps=STEPS))
                )
        except DalembertError as error:
            return error
        said = "" if path.reached else f"one that starts with {shown(names, 6)}: {path.outcome}"
    detail = "\n".join([*([said] if said else []), *left_aside(problem)])
    return InvalidValue("E334", f"no motion from {tried} starts reached the last time", "a shorter duration", detail)
