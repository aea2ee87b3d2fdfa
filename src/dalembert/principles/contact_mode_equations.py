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
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.euler_lagrange import Motion
from ..calculus.graph import Graph, Node, gradient
from ..calculus.linear_systems import Factored, dot
from ..calculus.symbols import free_symbols, put
from ..equations import Equations
from ..equations.contact_modes import APART, SLIDES, STICKS, Contacts, InMode, Law, Mode, Modes, Rows, least_of
from ..errors import DalembertWarning, InvalidValue
from ..event import Event
from ..geometry.constraint_rank import Ranks, ranks
from ..geometry.random_states import Values
from ..model.constraint import Constraint
from ..model.contact import Contact
from ..model.contact_loads import Loads, loaded
from ..model.system import System
from .lagrange import LagrangeEquations, declared_walls
from .saddle import saddle
from .switched_friction import in_all_modes, switchable
from .well_posedness import WellPosed

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
    decided: WellPosed, constrained: bool, by: Mapping[str, sp.Expr], coefficients: Sequence[str]
) -> Contacts | None:
    """What the contacts of a system need; None where it has none.

    Args:
        decided: the system, and whether its kinetic energy is positive wherever it was tried.
        constrained: are its constraints in force?
        by: formulas of inputs, and the names of their coefficients.
    """
    system = decided.system
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
    switched = partial(in_all_modes, bare, parts, decided.definite, *given) if switchable(bare, parts) else None
    make = partial(_in_mode, bare, parts, decided.definite, given)
    return Contacts(laws, _rows(given(bare), parts), make, switched=switched)


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
    laws = [(algebra.read(c.mu), algebra.read(c.mu_static), algebra.read(c.restitution)) for c in given]
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
        # with the friction of what slides under a normal force that is given
        sliding = [(contact, mode) for contact, mode in acting if rubs(mode) and contact.load is not None]
        held = loaded(held, _friction(held, sliding, {}), Loads((), lambda _: ())) if sliding else held
        decided = ranks(held, held.constraints, near)
    # a wall may ask smooth contacts for impulses: one that opens may push, one with two sides may pull as well
    rows = {contact.name: _imposed([(contact, mode)]) for contact, mode in acting}
    touching = {row: not c.rubs for c, _ in acting if c.sides == 1 or c.rubs for row in rows[c.name]}
    rubbed = _rubbed(held, decided, acting)
    equations: Equations = ModeEquations(
        system=rubbed, kept=decided.kept, definite=definite, metric_definite=definite, mode=rubbed, touching=touching
    )
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


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ModeEquations(LagrangeEquations):
    """The nonholonomic equations of a mode's system, which may leave no motion.

    Attributes:
        mode: this system, before inputs were given.
        touching: the constraints that are those of contacts, and whether they push.
    """

    mode: System
    touching: Mapping[str, bool]
    principle = "nonholonomic"
    heading = "{title}: nonholonomic, in one mode of its contacts"
    formula = r"\mathrm{EL}_a(L) = Q_a + \lambda_s \, \partial\varphi^s / \partial u^a"
    has_lean_form = True

    @cached_property
    def walls(self) -> tuple[Event, ...]:
        """The walls of the system, which may be those of contacts."""
        return declared_walls(self.mode, touching=self.touching)


# --- reactions of lasting contacts, as functions of the state --------------------------------------------------------
# J W^-1 C mu = g - J W^-1 f ,    C = J^T less, for what slides, mu d B^T

Acting = Sequence[tuple[Contact, Mode]]
Matrix = list[list[Node]]
_MINORS = 4  # rows at most that are solved by their minors, whose number grows as a power of 2
_WHOLE = 1e-9  # of 1: a coefficient between rows that is so near to a whole number is one


def reactions(held: System, decided: Ranks, acting: Acting) -> tuple[dict[str, Node], dict[str, tuple[Node, ...]]]:
    """Normal forces, and friction along each component of slip, by contact."""
    algebra = held.over(Graph())
    found = _multipliers(held, decided, acting, algebra)
    pressing = {
        contact.name: found[normal(contact)] if contact.load is None else algebra.read(contact.load)
        for contact, _ in acting
    }
    rubbing: dict[str, tuple[Node, ...]] = {}
    for contact, mode in acting:
        if mode.word == STICKS:
            rubbing[contact.name] = tuple(found[name] for name in slips(contact))
        else:
            # T = -mu N s/|s|
            load = algebra.read(contact.mu * mode.side) * pressing[contact.name]
            rubbing[contact.name] = tuple(-1 * load * algebra.read(d) for d in direction(contact, mode))
    return pressing, rubbing


def pressing(held: System, decided: Ranks, acting: Acting, rows: Sequence[str], algebra: GraphAlgebra) -> list[Node]:
    """Multipliers of some rows, by the names of their constraints."""
    found = _multipliers(held, decided, acting, algebra)
    return [found[row] for row in rows]


def _multipliers(held: System, decided: Ranks, acting: Acting, algebra: GraphAlgebra) -> dict[str, Node]:
    """Multipliers of all rows, by the names of their constraints: of least norm where they are not unique.

    N = K J ,  lam = K (K^T K)^-1 mu  with mu of independent rows J.
    """
    if not acting:
        return {}
    form, motion = saddle(held, held.lagrangian, held.constraints, algebra), Motion.of(held.space.frame, algebra)
    names, N = [c.name for c in held.constraints], [list(row) for row in form.N]
    columns = [list(row) for row in N]
    pushed = [(contact, mode) for contact, mode in acting if contact.load is None]
    for contact, mode in pushed:
        row = names.index(normal(contact))
        for d, s in zip(direction(contact, mode), contact.slip, strict=False):
            rub = algebra.read(contact.mu * mode.side * d)
            slopes = algebra.gradient(algebra.read(s), motion.u)
            # (A - mu s/|s| B)^T
            columns[row] = [c - rub * slope for c, slope in zip(columns[row], slopes, strict=True)]
    rough = {names.index(normal(contact)) for contact, mode in pushed if rubs(mode)}
    order = sorted(decided.kept, key=lambda s: s in rough)
    shares, last = _shares(N, decided, algebra), len(rough.intersection(order))
    pushes = [columns[s] for s in order]
    if shares is not None and rough:
        # (A - mu s/|s| B)^T K (K^T K)^-1
        share = {s: [row[i] for row in shares] for i, s in enumerate(decided.kept)}
        pushes = [[dot(share[s], column) for column in zip(*columns, strict=True)] for s in order]
        last = len(order)
    W = Factored.of([list(row) for row in form.W])
    reached = [W.solve(push) for push in pushes]
    free = W.solve(form.f)
    S = [[dot(N[s], column) for column in reached] for s in order]
    mu = dict(zip(order, solved(S, [form.g[s] - dot(N[s], free) for s in order], last), strict=True))
    ordered = [mu[s] for s in decided.kept]
    return dict(zip(names, ordered if shares is None else [dot(row, ordered) for row in shares], strict=True))


def _shares(N: Matrix, decided: Ranks, algebra: GraphAlgebra) -> Matrix | None:
    """K (K^T K)^-1, None where all rows are independent."""
    if len(decided.kept) == len(N):
        return None
    K = _coefficients(N, decided, algebra)
    columns = [list(column) for column in zip(*K, strict=True)]
    P = Factored.of([[dot(a, b) for b in columns] for a in columns])
    return [P.solve(row) for row in K]


def solved(S: Matrix, r: list[Node], last: int) -> list[Node]:
    """x with S x = r, where all but the `last` rows and columns are a definite matrix.

    These are eliminated; what they leave of the last ones need not be symmetric, and may have a diagonal of 0.
    """
    rows, n = [[*row, b] for row, b in zip(S, r, strict=True)], len(r)
    first = n - min(last, _MINORS)
    for i in range(first):
        inverse = 1 / rows[i][i]
        for k in range(i + 1, n):
            if rows[k][i].is_zero:
                continue
            factor = rows[k][i] * inverse
            rows[k] = [
                *rows[k][: i + 1],
                *(a - factor * b for a, b in zip(rows[k][i + 1 :], rows[i][i + 1 :], strict=True)),
            ]
    x = _by_minors([row[first:n] for row in rows[first:]], [row[n] for row in rows[first:]])
    for i in reversed(range(first)):
        left = rows[i][n]
        for a, b in zip(rows[i][i + 1 : n], x, strict=True):
            left = left - a * b
        x.insert(0, left / rows[i][i])
    return x


def _by_minors(S: Matrix, r: list[Node]) -> list[Node]:
    """x with S x = r, by x_i = det(S with r in column i)/det S."""
    if not r:
        return []
    det = _determinant(S)
    return [
        _determinant([[*row[:i], b, *row[i + 1 :]] for row, b in zip(S, r, strict=True)]) / det for i in range(len(r))
    ]


def _determinant(A: Matrix) -> Node:
    """By the minors of the first row; the graph computes once what occurs twice."""
    if len(A) == 1:
        return A[0][0]
    terms = [a * _determinant([[*row[:i], *row[i + 1 :]] for row in A[1:]]) for i, a in enumerate(A[0])]
    total = terms[0]
    for i, term in enumerate(terms[1:], 1):
        total = total - term if i % 2 else total + term
    return total


def _coefficients(N: Matrix, decided: Ranks, algebra: GraphAlgebra) -> Matrix:
    """K in N = K J, as numbers where it does not depend on the state."""
    names, ties, kept = [c.name for c in decided.constraints], decided.ties, list(decided.kept)
    if not all(ties.values()):
        J = [N[s] for s in kept]
        G = Factored.of([[dot(a, b) for b in J] for a in J])
        return [G.solve([dot(row, b) for b in J]) for row in N]
    own: Mapping[str, Mapping[str, float]] = {names[s]: {names[s]: 1.0} for s in kept}
    rows = [{**own, **ties}[name] for name in names]
    return [[algebra.graph.constant(_short(row.get(names[s], 0.0))) for s in kept] for row in rows]


def _short(x: float) -> float:
    """A whole number where it is one but for rounding."""
    return round(x) if abs(x - round(x)) < _WHOLE else x


# --- forces that hold multipliers ------------------------------------------------------------------------------------


def with_reactions(system: System) -> System:
    """The system whose forces may hold multipliers of its own constraints, as friction mu |lam| does."""
    if not isinstance(system, System) or not system.reactions:
        return system
    names = system.reactions
    if system.contacts:
        fact, remedy = f"forces hold {', '.join(names)}, and the system has contacts", "a contact with sides=2 and mu"
        raise InvalidValue("E127", fact, ("give the constraint as ", remedy), subject=("forces",))
    for u, Q in zip(system.space.velocities, system.forces, strict=True):
        _check_affine(u, Q, [s for s in free_symbols(Q) if s.name in names])
    decided = ranks(loaded(system, {}, Loads(names, lambda _: ())), system.constraints)
    if tied := sorted({f"lam_{name}" for name in decided.tied}.intersection(names)):
        fact = f"forces hold {tied[0]}, which is not unique: its constraint follows from others, or others from it"
        raise InvalidValue("E127", fact, "leave out the constraint that follows", subject=("forces",))
    solve, unique = (partial(each, system, decided.kept) for each in (_in_forces, _unique))
    return loaded(system, {}, Loads(names, solve, unique))


def _check_affine(u: sp.Symbol, Q: sp.Expr, held: Sequence[sp.Symbol]) -> None:
    """E127: a force that is not c + C lam + D |lam|."""
    sizes = {abs(lam): sp.Dummy(real=True) for lam in held}
    try:
        if not held or sp.Poly(Q.xreplace(sizes), *held, *sizes.values()).total_degree() <= 1:
            return
    except sp.PolynomialError:
        pass
    fact = (
        f"the force on {u} holds {', '.join(map(str, held))} otherwise than as lam or |lam|, with factors of the state"
    )
    raise InvalidValue("E127", fact, f"-mu*abs({held[0]})*sign({u})", subject=("forces", u.name))


def _in_forces(system: System, kept: Sequence[int], algebra: GraphAlgebra) -> list[Node]:
    """x with A x + R |x| = b, by Newton steps: one for one x, at most one for each other choice of signs."""
    A, R, b = _balance(system, kept, algebra)
    x = solved(A, b, len(b))
    for _ in range(2 ** len(b) - 1):
        x = solved(_turned(A, R, [algebra.graph.apply("sign", e) for e in x]), b, len(b))
    return x


def _unique(system: System, kept: Sequence[int], algebra: GraphAlgebra) -> list[Node]:
    """det(A + R S) for all signs S: there is one x, whatever b is, where all are positive [rohn1989]."""
    A, R, b = _balance(system, kept, algebra)
    signs = product((algebra.graph.constant(1), algebra.graph.constant(-1)), repeat=len(b))
    return [_determinant(_turned(A, R, each)) for each in signs]


def _turned(A: Matrix, R: Matrix, signs: Sequence[Node]) -> Matrix:
    return [[a + r * s for a, r, s in zip(*rows, signs, strict=True)] for rows in zip(A, R, strict=True)]


def _balance(system: System, kept: Sequence[int], algebra: GraphAlgebra) -> tuple[Matrix, Matrix, list[Node]]:
    """A, R, b for the multipliers x that forces hold, Q = Q_0 + C x + D |x|:

    N W^-1 N^T lam = g - N W^-1 (f_0 + C x + D |x|) ,    x among lam .
    """
    form = saddle(system, system.lagrangian, system.constraints, algebra).rows(tuple(kept))
    names = [system.constraints[s].multiplier.name for s in kept]
    zero, one, own = (*(algebra.graph.constant(c) for c in (0, 1)), [algebra.graph.symbol(n) for n in system.reactions])
    places = [[one if n == name else zero for n in system.reactions] for name in system.reactions]
    f = partial(algebra.substitute, form.f, own)
    f0 = f([zero] * len(own))
    ahead = [[e - e0 for e, e0 in zip(f(place), f0, strict=True)] for place in places]
    behind = [[e - e0 for e, e0 in zip(f([-1 * x for x in place]), f0, strict=True)] for place in places]
    W, N = Factored.of([list(row) for row in form.W]), [list(row) for row in form.N]
    S = Factored.of([[dot(row, column) for row in N] for column in map(W.solve, N)])

    def of(push: Sequence[Node], held: Sequence[Node]) -> list[Node]:
        found = S.solve([h - dot(row, W.solve(push)) for row, h in zip(N, held, strict=True)])
        return [found[names.index(name)] for name in system.reactions]

    # (f(1) - f(-1))/2 = C ,  (f(1) + f(-1))/2 = D ;  A = 1 - C' ,  R = -D'
    A, R = (
        [
            of([(a + s * b) / 2 for a, b in zip(*each, strict=True)], [zero] * len(N))
            for each in zip(ahead, behind, strict=True)
        ]
        for s in (-1, 1)
    )
    shared = [[(one if i == j else zero) - row[i] for j, row in enumerate(A)] for i in range(len(own))]
    return shared, [[-1 * row[i] for row in R] for i in range(len(own))], of(f0, form.g)


# --- what a contact imposes in a mode ---------------------------------------------------------------------------------


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
