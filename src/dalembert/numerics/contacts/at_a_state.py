"""The equations of the mode that contacts are in at a state, which is a system of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...equations import Equations
from ...equations.complete import state_of
from ...equations.contacts import STICKS, InMode, least_of, refuse_contacts
from ...equations.start import Start
from ...errors import InvalidValue
from .change import Changed, Span, Stuck, started
from .instant import Eye, Touching

_LENGTH = 1.0  # of a run, which says how near a gap counts as closed
_NEAR = 1e-9  # of the forces: nearer to a change of mode there is no model of one


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
    slips = {least_of(name): _NEAR * float(np.linalg.norm(c.slip)) for name, c in now.touching.items()}
    values = {**state.parameters, **{name: least for name, least in slips.items() if name in known}}
    there = {TIME.name: state.t, **values, **state.state}
    _check_lasts(state, begun, {n: _forces(held, n, there) for n in held.normal}, now.touching, what)
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


def _check_lasts(
    state: Start, begun: Changed, forces: Mapping[str, tuple[float, float]], touching: Mapping[str, Touching], what: str
) -> None:
    """E139 where a neighbour of the state is in another mode."""
    words = {name: mode.word for name, mode in begun.modes}
    moved = begun.t != state.t or len(begun.impulses) or not np.array_equal(begun.y, state.vector)
    changing = sorted(words) if moved else []
    changing += [name for name, c in touching.items() if name not in forces and c.gap <= _NEAR * c.size]
    changing += [name for name, each in forces.items() if _on_the_edge(words[name], *each, touching[name])]
    if changing:
        fact = (
            f"the mode of {', '.join(dict.fromkeys(changing))} changes at this state, which has a model on either side"
        )
        raise InvalidValue("E139", fact, f"{what} a state before it or behind it")


def _on_the_edge(word: str, normal: float, friction: float, here: Touching) -> bool:
    """Is it about to lift, to slide, or without a direction in which it slides?"""
    pressed = abs(normal) if here.sides == 2 else normal
    if pressed <= _NEAR * (1 + friction):
        return True
    if word == STICKS:
        return friction >= here.mu_static * pressed * (1 - _NEAR)
    return bool(len(here.slip) and here.mu and not here.slip.any())
