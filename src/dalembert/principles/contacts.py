"""The equations of each mode of a system with contacts.

A contact that lasts is a constraint, gap = 0, and its multiplier is the normal force N. Sticking, its slip s = 0 is a
constraint as well. Sliding, Coulomb's friction acts along the slip,

    W udot = f + N^T lam + sum_c (A_c - mu_c s_c/|s_c| B_c)^T N_c ,    A = d(dgap/dt)/du ,  B = ds/du

which is linear in N: it is solved for N as a function of the state, and friction is then an applied force of the mode's
system, whose motion goes through the same equations and the same engine as any other [pfeiffer1996; brogliato2016].
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import sympy as sp

from ..calculus.graph import Graph, gradient
from ..calculus.hamel import Motion
from ..calculus.symbols import put
from ..equations import Equations
from ..equations.contacts import APART, STICKS, Contacts, InMode, Law, Modes, Rows
from ..errors import DalembertWarning
from ..geometry.ranks import Ranks, ranks
from ..geometry.states import Values
from ..model.constraint import Constraint
from ..model.contact import Contact
from ..model.loads import Loads, loaded
from ..model.system import System
from .declared import declared
from .lean import lean
from .reactions import Acting, direction, normal, pressing, reactions, rubs, slips
from .saddle import saddle

_NOTHING: Mapping[str, sp.Expr] = MappingProxyType({})
_MANY = 8  # contacts, of which each force holds those of all: code for each would be long
_ROOM = {"operations": 1_000_000, "coordinates": 1000}  # of a mode's system, which nobody has written


class Given(NamedTuple):
    """Formulas of inputs, and the names of their coefficients."""

    by: Mapping[str, sp.Expr]
    coefficients: tuple[str, ...]

    def __call__(self, system: System) -> System:
        """The system that is steered by them."""
        return system.steered_by(self.by, self.coefficients) if self.by else system

    def law(self, part: Contact) -> Law:
        """What a contact was given, inputs replaced."""
        slip = tuple(put(s, self.by) for s in part.slip)
        gap, mu_static = (put(e, self.by) for e in (part.gap, part.mu_static))
        load = None if part.load is None else put(part.load, self.by)
        return Law(gap, slip, mu_static, part.master, part.restitution_law, part.columns, part.sides, load)


def contacts(
    system: System,
    definite: bool,
    constrained: bool = True,
    by: Mapping[str, sp.Expr] = _NOTHING,
    coefficients: Sequence[str] = (),
) -> Contacts | None:
    """What the contacts of a system need; None where it has none.

    Args:
        system: whose kinetic energy is positive.
        definite: is it, wherever it was tried?
        constrained: are its constraints in force?
        by: formulas of inputs, and the names of their coefficients.
    """
    if not system.contacts:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
        limits = {**system.limits, **_ROOM}
        bare = system.changed(contacts=None, limits=limits)
        bare = bare if constrained else bare.changed(constraints={}, equivalent=None)
    parts = [part for contact in system.contacts for part in contact.parts]
    given = Given(by, tuple(coefficients))
    laws = {part.name: given.law(part) for part in parts}
    return Contacts(laws, _rows(given(bare), parts), partial(_in_mode, bare, parts, definite, given))


def _rows(bare: System, given: Sequence[Contact]) -> Rows:
    """The form with every row, on a graph of its own."""
    algebra = bare.over(Graph())
    motion = Motion.of(bare.space.frame, algebra)
    frame = bare.space.frame
    every = [Constraint(contact.name, phi, frame, algebra) for contact in given for phi in (contact.gap, *contact.slip)]
    constraints = (*bare.constraints, *every)
    form = saddle(bare, bare.lagrangian, constraints, algebra)
    gaps = [algebra.read(contact.gap) for contact in given]
    sizes = []
    for gap in gaps:
        terms = [algebra.graph.apply("abs", q * s) for q, s in zip(motion.q, gradient(gap, motion.q), strict=True)]
        sizes.append(motion.sum(terms))
    laws = [algebra.read(e) for contact in given for e in (contact.mu, contact.mu_static, contact.restitution)]
    loads = [algebra.read(contact.load or sp.S.Zero) for contact in given]
    return Rows(form, [c.row(motion) for c in constraints], gaps, sizes, laws, loads)


def _in_mode(
    bare: System, given: Sequence[Contact], definite: bool, inputs: Given, modes: Modes, near: Values | None
) -> InMode:
    """The equations of one combination of modes, met near a state."""
    acting = [(contact, mode) for contact, (_, mode) in zip(given, modes, strict=True) if mode.word != APART]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        held = bare.changed(constraints={**{c.name: c.given for c in bare.constraints}, **_imposed(acting)})
        held = _with_friction_of_loads(held, acting)
        decided = ranks(held, held.constraints, near)
    # a wall may ask smooth contacts for impulses: one that opens may push, one with two sides may pull as well
    rows = {contact.name: _imposed([(contact, mode)]) for contact, mode in acting}
    touching = {row: not c.rubs for c, _ in acting if c.sides == 1 or c.rubs for row in rows[c.name]}
    equations = _equations(_rubbed(held, decided, acting), decided.kept, definite, touching)
    if inputs.by:
        equations = equations.steered_by(inputs.by, inputs.coefficients)
    shared = frozenset(c.name for c, mode in acting if decided.tied & _imposed([(c, mode)]).keys())
    watched = shared if len(acting) < _MANY else frozenset(c.name for c, _ in acting)
    return InMode(equations, *reactions(inputs(held), decided, acting), shared, watched)


def _imposed(acting: Acting) -> dict[str, sp.Expr]:
    """The constraints of contacts that last."""
    rows: dict[str, sp.Expr] = {}
    for contact, mode in acting:
        if contact.master == contact.name and contact.load is None:
            rows[normal(contact)] = contact.gap
        if mode.word == STICKS:
            rows |= dict(zip(slips(contact), contact.slip, strict=True))
    return rows


def _with_friction_of_loads(held: System, acting: Acting) -> System:
    """With the friction of what slides under a normal force that is given."""
    sliding = [(contact, mode) for contact, mode in acting if rubs(mode) and contact.load is not None]
    return loaded(held, _friction(held, sliding, {}), Loads((), lambda _: ())) if sliding else held


def _rubbed(held: System, decided: Ranks, acting: Acting) -> System:
    """With the friction of what slides, as forces that hold the normal forces: these are solved for on the graph."""
    sliding = [(contact, mode) for contact, mode in acting if rubs(mode) and contact.load is None]
    if not sliding:
        return held
    rows = list(dict.fromkeys(normal(contact) for contact, _ in sliding))
    N = {row: sp.Symbol(f"'{row}", real=True) for row in rows}
    loads = Loads(tuple(N[row].name for row in rows), partial(pressing, held, decided, acting, rows))
    return loaded(held, _friction(held, sliding, N), loads)


def _friction(held: System, sliding: Acting, N: Mapping[str, sp.Symbol]) -> dict[sp.Symbol, sp.Expr]:
    """Forces by velocity of friction against slips."""
    pairs = [
        (-contact.mu * mode.side * (contact.load or N[normal(contact)]) * d, s)
        for contact, mode in sliding
        for d, s in zip(direction(contact, mode), contact.slip, strict=True)
    ]
    # Q_a = T . ds/du^a ,  T = -mu N s/|s|
    return {u: sum((T * s.diff(u) for T, s in pairs), sp.S.Zero) for u in held.space.velocities}


def _equations(system: System, kept: tuple[int, ...], definite: bool, touching: Mapping[str, bool]) -> Equations:
    """The nonholonomic equations of a mode's system, which may leave no motion."""
    return Equations(
        system=system,
        principle="nonholonomic",
        header=f"{system.title or 'System'}: nonholonomic, in one mode of its contacts",
        formula=r"\mathrm{EL}_a(L) = Q_a + \lambda_s \, \partial\varphi^s / \partial u^a",
        lagrangian=system.lagrangian,
        constraints=system.constraints,
        states_of_multipliers=(),
        derive=partial(saddle, system, system.lagrangian, system.constraints),
        kept=kept,
        definite=definite,
        metric_definite=definite,
        impacts=partial(declared, system, touching=touching),
        leanest=lean,
    )
