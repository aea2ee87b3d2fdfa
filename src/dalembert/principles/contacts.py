"""The equations of each mode of a system with contacts.

A contact that lasts is a constraint, gap = 0, and its multiplier is the normal force N. Sticking, its slip s = 0 is a
constraint as well. Sliding, Coulomb's friction acts along the slip,

    W udot = f + N^T lam + sum_c (A_c - mu_c s_c/|s_c| B_c)^T N_c ,    A = d(dgap/dt)/du ,  B = ds/du

which is linear in N: it is solved for N as a function of the state, and friction is then an applied force of the mode's
system, whose motion goes through the same equations and the same engine as any other [pfeiffer1996; brogliato2016].
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial

import sympy as sp

from ..calculus.algebra import Machine, Symbolic
from ..calculus.cofactors import adjugate, determinant
from ..calculus.graph import Graph, gradient
from ..calculus.hamel import Motion
from ..equations import Equations
from ..equations.contacts import APART, SLIDES, STICKS, Contacts, InMode, Mode, Modes, Rows
from ..errors import DalembertWarning, InvalidValue
from ..geometry.ranks import Ranks, ranks
from ..model.constraint import Constraint
from ..model.contact import Contact
from ..model.system import System
from .impulsive import declared
from .lean import lean
from .saddle import saddle

_WHOLE = 1e-9  # of 1: a coefficient between rows that is so near to a whole number is one
_ROOM = {"operations": 1_000_000, "coordinates": 1000}  # of a mode's system, which nobody has written


def contacts(system: System, definite: bool, constrained: bool = True) -> Contacts | None:
    """What the contacts of a system need; None where it has none.

    Args:
        system: whose kinetic energy is positive.
        definite: is it, wherever it was tried?
        constrained: are its constraints in force?
    """
    if not system.contacts:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
        limits = {**system.limits, **_ROOM}
        bare = system.changed(contacts=None, limits=limits)
        bare = bare if constrained else bare.changed(constraints={}, equivalent=None)
    slips = {contact.name: len(contact.slip) for contact in system.contacts}
    return Contacts(slips, _rows(bare, system.contacts), partial(_in_mode, bare, system.contacts, definite))


def _rows(bare: System, given: Sequence[Contact]) -> Rows:
    """The form with every row, on a graph of its own."""
    algebra = Machine(Graph())
    motion = Motion.of(bare.space.frame, algebra)
    frame = bare.space.frame
    every = [
        Constraint(contact.name, phi, frame, algebra) for contact in given for phi in (contact.approach, *contact.slip)
    ]
    constraints = (*bare.constraints, *every)
    form = saddle(bare, bare.lagrangian, constraints, algebra)
    gaps = [algebra.read(contact.gap) for contact in given]
    sizes = []
    for gap in gaps:
        terms = [algebra.graph.apply("abs", q * s) for q, s in zip(motion.q, gradient(gap, motion.q), strict=True)]
        sizes.append(motion.sum(terms))
    laws = [algebra.read(e) for contact in given for e in (contact.mu, contact.mu_static, contact.restitution)]
    return Rows(form, [c.row(motion) for c in constraints], gaps, sizes, laws)


def _in_mode(bare: System, given: Sequence[Contact], definite: bool, modes: Modes) -> InMode:
    """The equations of one combination of modes."""
    acting = [(contact, mode) for contact, (_, mode) in zip(given, modes, strict=True) if mode.word != APART]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        held = bare.changed(constraints={**{c.name: c.given for c in bare.constraints}, **_imposed(acting)})
        decided = ranks(held, held.constraints)
        kept = decided.kept
        force = _multipliers(held, decided, acting)
        friction = {contact.name: _friction(contact, mode, force) for contact, mode in acting}
        sliding = [(c, friction[c.name]) for c, mode in acting if mode.word == SLIDES and mode.sense]
        pairs = [(T, s) for c, forces in sliding for T, s in zip(forces, c.slip, strict=True)]
        # Q_a = T . ds/du^a
        loads = {u: sum((T * s.diff(u) for T, s in pairs), sp.S.Zero) for u in bare.space.velocities}
        rubbed = held.changed(forces=[*held.laws, loads]) if any(loads.values()) else held
    equations = _equations(rubbed, kept, definite)
    normal = {contact.name: force[_normal(contact)] for contact, _ in acting}
    return InMode(equations, normal, friction)


def _normal(contact: Contact) -> str:
    return f"{contact.name}_normal"


def _slips(contact: Contact) -> list[str]:
    return [f"{contact.name}_slip_{i + 1}" for i in range(len(contact.slip))]


def _imposed(acting: Sequence[tuple[Contact, Mode]]) -> dict[str, sp.Expr]:
    """The constraints of contacts that last."""
    rows: dict[str, sp.Expr] = {}
    for contact, mode in acting:
        rows[_normal(contact)] = contact.gap
        if mode.word == STICKS:
            rows |= dict(zip(_slips(contact), contact.slip, strict=True))
    return rows


def _direction(contact: Contact, mode: Mode) -> list[sp.Expr]:
    """The direction of slip s/|s|, without a singularity where it has one component."""
    if mode.word != SLIDES or not mode.sense:
        return []
    if len(contact.slip) == 1:
        return [sp.Integer(mode.sense)]
    size = sp.sqrt(sum(s**2 for s in contact.slip))
    return [s / size for s in contact.slip]


def _friction(contact: Contact, mode: Mode, force: dict[str, sp.Expr]) -> tuple[sp.Expr, ...]:
    """The friction along each component of slip."""
    if mode.word == STICKS:
        return tuple(force[name] for name in _slips(contact))
    # T = -mu N s/|s|
    return tuple(-contact.mu * force[_normal(contact)] * d for d in _direction(contact, mode))


def _multipliers(held: System, decided: Ranks, acting: Sequence[tuple[Contact, Mode]]) -> dict[str, sp.Expr]:
    """Multipliers of all rows as functions of the state, by the names of their constraints."""
    if not acting:
        return {}
    form = saddle(held, held.lagrangian, held.constraints, Symbolic())
    u, names = held.space.velocities, [c.name for c in held.constraints]
    W, N, f = sp.Matrix(form.W), sp.Matrix(form.N), sp.Matrix(form.f)
    columns = N.T
    for contact, mode in acting:
        row = names.index(_normal(contact))
        for d, s in zip(_direction(contact, mode), contact.slip, strict=False):
            # (A - mu s/|s| B)^T
            columns[:, row] -= sp.Matrix([contact.mu * d * s.diff(v) for v in u])
    inverse = adjugate(W) / determinant(W)
    rows = list(decided.kept)
    J, C, g = N.extract(rows, range(len(u))), columns.extract(range(len(u)), rows), sp.Matrix([form.g[s] for s in rows])
    # J W^-1 C mu = g - J W^-1 f
    S, r = J * inverse * C, g - J * inverse * f
    mu = adjugate(S) * r / determinant(S)
    if len(rows) == len(names):
        return dict(zip(names, mu, strict=True))
    return _shared(N, mu, decided, acting)


def _shared(N: sp.Matrix, mu: sp.Matrix, decided: Ranks, acting: Sequence[tuple[Contact, Mode]]) -> dict[str, sp.Expr]:
    """Multipliers of all rows from those of independent ones.

    They are of least norm, N = K J ,  mu_all = K (K^T K)^-1 mu ; friction at rest is shared in proportion to what holds
    it, mu_s N.
    """
    kept, names = list(decided.kept), [c.name for c in decided.constraints]
    J = N.extract(kept, range(N.cols))
    for contact, mode in acting:
        if mode.word == SLIDES and mode.sense and names.index(_normal(contact)) not in kept:
            fact = f"the normal forces at {contact.name} and others are not determined by the motion, and friction is"
            raise InvalidValue("E411", fact, "describe a foot that follows from others by fewer contacts")
    K = _coefficients(N, J, kept, decided)
    P = K.T * K
    alike = dict(zip(names, K * adjugate(P) * mu / determinant(P), strict=True))
    hold = {name: c.mu_static * alike[_normal(c)] for c, m in acting if m.word == STICKS for name in _slips(c)}
    w = sp.diag(*(hold.get(name, sp.S.One) for name in names))
    # min sum mu_all^2/w
    P = K.T * w * K
    return dict(zip(names, w * K * adjugate(P) * mu / determinant(P), strict=True))


def _coefficients(N: sp.Matrix, J: sp.Matrix, kept: list[int], decided: Ranks) -> sp.Matrix:
    """K in N = K J, as numbers where it does not depend on the state."""
    names, ties = [c.name for c in decided.constraints], decided.ties
    if not all(ties.values()):
        G = J * J.T
        return N * J.T * adjugate(G) / determinant(G)
    own = {name: {name: 1.0} for s, name in enumerate(names) if s in kept}
    rows = [{**own, **ties}[name] for name in names]
    return sp.Matrix([[_short(row.get(names[s], 0.0)) for s in kept] for row in rows])


def _short(x: float) -> sp.Expr:
    """A whole number where it is one but for rounding."""
    return sp.Integer(round(x)) if abs(x - round(x)) < _WHOLE else sp.Float(x)


def _equations(system: System, kept: tuple[int, ...], definite: bool) -> Equations:
    """The nonholonomic equations of a mode's system, which may leave no motion."""
    moves = len(kept) < len(system.space.velocities)
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
        impacts=partial(declared, system),
        leanest=partial(lean, kept) if moves else None,
    )
