"""What a contact imposes in a mode: names of its rows, and the direction of its slip."""

from __future__ import annotations

import sympy as sp

from ..equations.contacts import SLIDES, Mode, least_of
from ..model.contact import Contact


def normal(contact: Contact) -> str:
    """The name of the constraint gap = 0, of which the normal force is the multiplier."""
    return f"{contact.master}_normal"


def slips(contact: Contact) -> list[str]:
    """The names of the constraints slip = 0."""
    return [f"{contact.name}_slip_{i + 1}" for i in range(len(contact.slip))]


def rubs(mode: Mode) -> bool:
    """Does friction act against a slip?"""
    return mode.word == SLIDES and mode.sense != 0


def direction(contact: Contact, mode: Mode) -> list[sp.Expr]:
    """The direction of slip s/|s|, without a singularity where it has one component; empty without friction."""
    if not rubs(mode):
        return []
    if len(contact.slip) == 1:
        return [sp.Integer(mode.sense)]
    # |s| but for a slip that is rounding: no direction is searched for in it
    least = sp.Symbol(least_of(contact.name), positive=True)
    size = sp.sqrt(sum(s**2 for s in contact.slip) + least**2)
    return [s / size for s in contact.slip]
