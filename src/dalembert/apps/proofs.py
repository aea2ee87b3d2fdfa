"""`prove` for users: what is asked is looked at, and python-flint is asked for where it is missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..argument_checks import public, seconds, whole
from ..calculus.exact.finite_field import as_written
from ..equations import Equations
from ..equations.contact_modes import refuse_contacts
from ..equations.start_completion import state_of
from ..errors import InvalidValue, WrongType, kind_of
from ..numerics.events.guard import compile_guards, events_of
from ..numerics.relative_equilibria import Steady

if TYPE_CHECKING:
    from ..proof.enclosure import Proof, ProvedRest


@public
def prove(
    equations: Equations,
    start: object,
    *,
    until: float | str | None = None,
    digits: int = 12,
    events: object = (),
    parameters: Mapping[str, object] | None = None,
    steps: int = 20_000,
) -> Proof | ProvedRest:
    """Enclose a motion, or a state of rest, so that the true one is proved to lie in the intervals.

    The equations are taken with exact numbers: 9.81 is 981/100, in a start as in a parameter, and what follows from
    constraints is enclosed, not rounded. Steps are polynomials; what the motion is off them is bounded in Lohner's
    frames [lohner1987]. Each is checked as it is made, by the program that checks a certificate.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes; or what `da.steady` found.
        until: the time at which to end. Without it the start is a state of rest: that there is one is proved, with its
            eigenvalues. What is 0 stays 0, as many of the other values as the rates need are solved for.
        digits: so many of the largest value of each state, at all times; one that stays below 1e-6 counts as that.
        events: as of `simulate`; all times at which a guard is 0 are enclosed. They mark, and the motion goes on.
        parameters: values that replace those of the start.
        steps: how many may be taken. Where they do not suffice what was reached is returned, which W873 says.

    Returns:
        A `Proof`, or a `ProvedRest`.

    Raises:
        DalembertError: what `Equations.start` raises; E139 contacts, E302 no later time, E801 without python-flint,
            E870 what is not smooth or not enclosed, or meets a wall; E871 a number that is not known exactly; E872 a
            start from which nothing is enclosed; E874 an event that is not decided; E875 rates
            that depend on each other at a state of rest.
    """
    _library()  # or a refusal
    from ..proof.motion import Asked, enclosed, resting

    if not isinstance(equations, Equations):
        raise WrongType("E307", f"prove needs equations, not {kind_of(equations)}", "da.nonholonomic(system)")
    refuse_contacts(equations, "a proof follows no contacts")
    found_with = start.parameters if isinstance(start, Steady) else {}
    given = start.state if isinstance(start, Steady) else start
    begun = state_of(equations, given, {**found_with, **(parameters or {})} or None)
    many, most = whole(digits, "digits", least=1, most=200), whole(steps, "steps", least=1)
    if until is None:
        return resting(Asked(equations, begun, as_written(begun.t), many, most, {}))
    end = as_written(float(seconds(until, "until")))
    if end <= as_written(begun.t):
        raise InvalidValue("E302", f"until = {float(end):g} is not after the start, t = {begun.t:g}", "a later time")
    walls = tuple(wall.name for wall in equations.walls)
    found = [*events_of(events, equations), *equations.walls]
    guards = {guard.event.name: guard.value for guard in compile_guards(found, equations.states, begun.parameters)}
    for event in found:
        if event.stops or (event.jumps and event.name not in walls):
            raise InvalidValue("E870", f"the event {event.name} does more than mark", "leave its then= out")
    return enclosed(Asked(equations, begun, end, many, most, guards, walls))


def _library() -> None:
    """E801, where python-flint is missing."""
    try:
        import flint  # noqa: F401
    except ImportError:
        fact = "a proof needs python-flint, which is not installed"
        raise InvalidValue("E801", fact, "pip install 'dalembert[prove]'") from None


def verified(text: str) -> tuple[bool, str]:
    """Is the certificate in a text proved, and what it proves or what fails.

    Raises:
        InvalidValue: E801, python-flint is not installed.
    """
    _library()
    from ..proof.certificate import NotProved, check

    try:
        data = json.loads(text)
        found = check(data)
        what, by = data["title"] or "a motion", data["principle"]
        if not found.steps:
            return True, f"proved: {what}, {by}, rests, alone in a box of {max(data['start']['radii'], default=0):.0e}"
        widest = max(float(w) for step in found.steps for w in step.within)
        ends = f"from t = {float(found.steps[0].t):g} to {float(found.t):g} in {len(found.steps)} steps"
        told = f"proved: {what}, {by}, {ends}"
    except NotProved as why:
        return False, f"not proved: {why}"
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as wrong:
        return False, f"not proved: it is no certificate ({type(wrong).__name__}: {wrong})"
    return True, f"{told}, each state to {widest:.1e} at all times"
