"""What a motion with contacts needs: the equations of each mode, and the numbers by which modes are decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import sympy as sp

from ..calculus.graph import Node
from ..errors import InvalidValue
from ..errors.remedies import Principle
from .saddle_form import Form

if TYPE_CHECKING:
    from . import Equations

APART, SLIDES, STICKS = "apart", "slides", "sticks"
MODES = (APART, SLIDES, STICKS)  # by their numbers, where a mode is one
SUMS = {
    "changes": "how often the mode of {0} changed",
    "mode": "the mode of {0} at the end: 0 apart, 1 slides, 2 sticks",
    "impacts": "how often {0} was hit",
    "impulse": "the sum of the normal impulses of {0} in impacts",
}
JUMPS = "energy_jumps"
NEWTON, POISSON = "newton", "poisson"  # laws of restitution; the third is Stronge's


class Mode(NamedTuple):
    """What one contact does.

    Attributes:
        word: ``"apart"``, ``"slides"`` or ``"sticks"``; without friction it slides.
        sense: of sliding along the one component of slip, 1 or -1; 1 where there are two; 0 without friction.
        side: which side of a contact that has two pushes, 1 or -1.
    """

    word: str
    sense: int = 0
    side: int = 1


def least_of(name: str) -> str:
    """The name of the parameter of a contact below which a slip of two components is taken for rounding."""
    return f"{name}_least_slip"


Modes = tuple[tuple[str, Mode], ...]  # by contact, in the order in which they are declared


@dataclass(frozen=True, eq=False)
class InMode:
    """The equations of one combination of modes.

    Attributes:
        equations: the contacts that last are constraints of theirs, friction of those that slide is a force.
        normal: the normal force of each contact that lasts, as a function of the state on a graph.
        friction: its friction along each component of slip, on the same one.
        shared: contacts whose forces are not unique: they are the least, and may lie outside of the friction cones.
        watched: contacts whose forces are found as numbers at each state, without a formula: the shared ones,
            and all of them where many contacts act.
        switches: values of the parameters that say which modes these are, in equations of all modes.
    """

    equations: Equations
    normal: Mapping[str, Node]
    friction: Mapping[str, tuple[Node, ...]]
    shared: frozenset[str] = frozenset()
    watched: frozenset[str] = frozenset()
    switches: Mapping[str, float] = field(default_factory=dict)


def sense_of(name: str) -> str:
    """The name of the parameter of dry friction that is the sense of its slip: 1, -1, or 0 where none acts."""
    return f"{name}_sense"


def rests_of(name: str) -> str:
    """The name of the parameter of dry friction that is 1 where it sticks, else 0."""
    return f"{name}_rests"


class Rows(NamedTuple):
    """The form with a row for everything that contacts may impose, and what is evaluated with it.

    Of C contacts (their spin and rolling among them) with m rows in all.

    Attributes:
        form: its rows are those of the system's constraints, then of each contact its normal and its slip (m).
        phi: the rate of each row at the state (m).
        gaps: how far each contact is open (C).
        gap_sizes: the size of the terms of each gap, beside which its rounding is judged (C).
        coefficients: (mu, mu_static, restitution) of each (C).
        loads: the normal force of each for which one is given, 0 of the others (C).
    """

    form: Form
    phi: list[Node]
    gaps: list[Node]
    gap_sizes: list[Node]
    coefficients: list[tuple[Node, Node, Node]]
    loads: list[Node]

    @property
    def beside_form(self) -> list[list[Node]]:
        """All but the form, each flat: phi (m), gaps (C), gap_sizes (C), coefficients (3 C), loads (C)."""
        return [self.phi, self.gaps, self.gap_sizes, [e for law in self.coefficients for e in law], self.loads]


class Law(NamedTuple):
    """What one contact was given; its spin and its rolling have laws of their own.

    Attributes:
        gap, slip, mu_static: expressions.
        master: the contact that it belongs to: itself, but for spin and rolling.
        restitution: the law of it.
        columns: names of its forces in a path.
        sides: 2 where it cannot open and may push either way.
        load: the normal force, where it is given.
    """

    gap: sp.Expr
    slip: tuple[sp.Expr, ...]
    mu_static: sp.Expr
    master: str
    restitution: str
    columns: list[str]
    sides: int = 1
    load: sp.Expr | None = None


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contacts of a system.

    Attributes:
        laws: of each, by name.
        rows: what modes are decided by.
        make: the equations of a combination of modes, which may be met at a state.
        known: those that were made, by their modes: each once in the life of a system.
        switched: makes the equations of all modes in one, their switches parameters; None where there are none.
        run: the equations by which runs go through modes, as far as they were made.
    """

    laws: Mapping[str, Law]
    rows: Rows
    make: Callable[[Modes, dict[str, float] | None], InMode]
    known: dict[Modes, InMode] = field(default_factory=dict)
    switched: Callable[[], InMode] | None = None
    run: dict[Modes, InMode] = field(default_factory=dict)

    @cached_property
    def slips(self) -> dict[str, int]:
        """How many components of slip each has, by name."""
        return {name: len(law.slip) for name, law in self.laws.items()}

    @cached_property
    def masters(self) -> dict[str, str]:
        """The contact that each belongs to, by name."""
        return {name: law.master for name, law in self.laws.items()}

    @cached_property
    def whole(self) -> tuple[str, ...]:
        """The contacts, without their spin and rolling."""
        return tuple(name for name, master in self.masters.items() if name == master)

    @cached_property
    def pressing(self) -> frozenset[str]:
        """The contacts that have a normal force of their own, which follows from the motion."""
        return frozenset(name for name in self.whole if self.laws[name].load is None)

    @cached_property
    def sums(self) -> dict[str, str]:
        """Numbers that sum up what contacts did in a motion, by name, and what each is."""
        found = {f"{name}_{what}": text.format(name) for name in self.whole for what, text in SUMS.items()}
        return {**found, JUMPS: "by how much impacts and ends of slip changed the energy"}

    @cached_property
    def forces(self) -> dict[str, list[str]]:
        """Names of a path's columns of forces and moments, by contact."""
        return {name: law.columns for name, law in self.laws.items()}

    def in_mode(self, modes: Modes, near: dict[str, float] | None = None) -> InMode:
        """The equations of a combination of modes, made once."""
        if modes not in self.known:
            self.known[modes] = self.make(modes, near)
        return self.known[modes]

    def in_run(self, modes: Modes, near: dict[str, float] | None = None) -> InMode:
        """The equations by which a run goes through a combination of modes: one set for all, if there is one."""
        if self.all_modes is None:
            return self.in_mode(modes, near)
        if modes not in self.run:
            values = {sense_of(name): float(mode.sense) for name, mode in modes}
            values |= {rests_of(name): float(mode.word == STICKS) for name, mode in modes}
            self.run[modes] = replace(self.all_modes, switches=values)
        return self.run[modes]

    @cached_property
    def all_modes(self) -> InMode | None:
        """The equations of all modes in one."""
        return None if self.switched is None else self.switched()


def refuse_contacts(equations: Equations, what: str) -> None:
    """E139: the system has contacts, and these motions have no modes."""
    names = ", ".join(contact.name for contact in equations.system.contacts)
    if names:
        fact = f"{what}, and the system has contacts: {names}"
        raise InvalidValue("E139", fact, ("leave the contacts out, or run ", Principle("nonholonomic")))
