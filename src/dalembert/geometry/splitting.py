"""TQ = H + S + U: what the constraints and the group make of the velocities [cendra2001; bloch1996].

    V   the directions of the group            D   the velocities that the constraints allow
    S = D n V        H = the part of D orthogonal to S        U = the part of V orthogonal to S     (kinetic metric W)

H is horizontal for the *nonholonomic connection* A, whose curvature is B(X, Y) = -A([X, Y]) for X, Y in H. Everything
is written on the reduced space TQ/G, on which V are the velocities that leave the shape as it is. Another complement of
S in D may be chosen for H (`connection`): the equations stand on it as well, with its curvature.

On the frame (H, S, U) the constraints say that the U-velocities vanish, and the Euler-Lagrange expressions along H and
S are the horizontal and the vertical Lagrange-d'Alembert-Poincare equations; those along S are the momentum equation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations, islice, product
from typing import Any

import numpy as np
import sympy as sp

from ..answer import Answer
from ..argument_checks import public
from ..calculus.exact.exact_rank import clearly_independent, rank_at_most
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.line_width import TERMINAL, cut, folded, most
from ..calculus.numerical_rank import rank_of
from ..calculus.simplification import adjugate, determinant
from ..errors import InvalidValue, UnknownName, WrongType, kind_of
from ..errors.remedies import Call
from ..model.expression_symbols import Reader
from ..model.space import Space
from ..model.system import System
from .constraint_rank import ranks
from .identities import vanish
from .parameter_conditions import only_at
from .quotient_space import Quotient, quotient
from .random_states import ConstraintSampler
from .restriction import bracket, derivation, normals, unlimited
from .symbolic_null_space import kernel, on_space, pivots, poles, shortened, tidy, vanishes
from .symplectic_form import Symplectic, check_determined

_TRIES, _PLACES = 60, 3
VERTICAL = slice(1, None)  # of H, S, U
_LONGEST = 800  # characters of a printed field


@dataclass(frozen=True, eq=False)
class Splitting:
    """The three parts over the reduced space.

    Attributes:
        quotient: the reduced system with its constraints.
        H, S, U: columns in the reduced space's velocities (k x h, k x s, k x u).
        connection: the forms (s x k) that are 0 on H, as they were chosen; None for the nonholonomic connection.
    """

    quotient: Quotient
    H: sp.ImmutableMatrix
    S: sp.ImmutableMatrix
    U: sp.ImmutableMatrix
    _frame: _Frame = field(repr=False)
    connection: sp.ImmutableMatrix | None = None

    @property
    def alpha(self) -> sp.ImmutableMatrix:
        """alpha_A (k x k): of a velocity, its components along H, S and U, row by row.

        Those along H are the shape's rates in the frame of H, those along S and U the part in the Lie algebra's bundle.
        """
        return sp.ImmutableMatrix(sp.Matrix.vstack(*self._frame.components).applyfunc(self._frame.short))

    @cached_property
    def curvature(self) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
        """``{(i, j): vertical components of [H_i, H_j]}``, in the velocities, for i < j; pairs with none left out.

        The curvature of the connection is minus that.
        """
        with derivation(self.quotient.system, "the curvature"):
            return _vertical(self._frame, combinations(range(self.H.cols), 2))

    @property
    def B_tilde(self) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
        """B~(H_i, H_j) = -[H_i, H_j] along S + U, the reduced curvature form, as `curvature` by i < j [cendra2001]."""
        return {pair: tuple(-e for e in parts) for pair, parts in self.curvature.items()}

    @cached_property
    def covariant(self) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
        """``{(i, a): [H_i, V_a] along S + U}``: how the vertical directions V = (S, U) are carried, D V_a/Dt.

        Of a section xi = xi^a V_a of the bundle of Lie algebras along a motion with the horizontal velocities h,

            D xi/Dt = dxi^a/dt V_a + h^i xi^a [H_i, V_a]      [cendra2001 Section 2]

        Sections are vertical fields that the group leaves alone, so that this holds for left and right actions alike;
        in terms of the Lie algebra [A, xi] has the one sign for left and the other for right actions.
        """
        with derivation(self.quotient.system, "the covariant derivative"):
            pairs = product(range(self.H.cols), range(self.H.cols, self._frame.columns.cols))
            return _vertical(self._frame, pairs, second=self.H.cols)

    @cached_property
    def fibre(self) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
        """``{(a, b): [V_a, V_b]}`` for a < b: the bracket of the bundle of Lie algebras, V = (S, U)."""
        first, last = self.H.cols, self._frame.columns.cols
        with derivation(self.quotient.system, "the bracket of the bundle"):
            return _vertical(self._frame, combinations(range(first, last), 2), first, first)

    @cached_property
    def system(self) -> System:
        """The reduced system on the frame (H, S, U).

        Its velocities are ``h...``, ``s...``, ``u...``, of which the last are constrained to vanish. The equations of
        `da.nonholonomic` along h are the horizontal, those along s the vertical Lagrange-d'Alembert-Poincare equations
        with this connection.
        """
        with derivation(self.quotient.system, "the system on H, S, U"):
            return _on_frame(self.quotient.system, self._frame)

    @cached_property
    def poles(self) -> dict[sp.Expr, str]:
        """Functions of the shape at whose zeros (H, S, U) fails to be a frame, and why."""
        return _poles(self._frame, self.quotient.system)

    @property
    def kind(self) -> str:
        """Purely kinematic (S = 0), principal (D = TQ n ...), or general."""
        if not self.S.cols:
            return "purely kinematic (Chaplygin): the connection is the constraints"
        return "horizontal symmetries: V lies in D" if not self.U.cols else "general"

    @cached_property
    def answer(self) -> Answer:
        """Is the connection flat: does [H_i, H_j] lie in H everywhere?"""
        sampler = ConstraintSampler(self.quotient.system, ())
        with derivation(self.quotient.system, "the curvature"):
            vertical = [self._frame.vertical(i, j) for i, j in combinations(range(self.H.cols), 2)]
            return vanish((read(e, sampler.graph) for e in chain(*vertical)), sampler, "the curvature")

    @property
    def flat(self) -> bool:
        """`answer`, which is refused (E158) where it was not decided."""
        return bool(self.answer)

    @cached_property
    def momenta(self) -> dict[str, sp.Expr]:
        """The momentum along each direction of S, on the constraints, in the velocities of `system`."""
        given, names = self.quotient.system, _names(self.quotient.system, self._frame)
        u, along = list(given.space.velocities), sp.Matrix.hstack(self.H, self.S)
        v = sp.Matrix(names[: along.cols])
        still = dict.fromkeys(u, sp.S.Zero)
        # p_s = S (W (H h + S s) + dL/du at rest)
        weights = (self.S.T * sp.hessian(given.lagrangian, u) * along).applyfunc(self._frame.short)
        rest = [
            self._frame.short(e) for e in self.S.T * sp.Matrix([given.lagrangian.diff(w).xreplace(still) for w in u])
        ]
        return {s.name: (weights[j, :] * v)[0] + rest[j] for j, s in enumerate(names[self.H.cols : along.cols])}

    def __str__(self) -> str:
        space, names = self.quotient.system.space, [v.name for v in self.quotient.system.space.velocities]
        lines = [f"{self.quotient.given.title or 'System'}: TQ = H + S + U, {self.kind}"]
        lines += [] if self.connection is None else ["  H as chosen, by the forms of the connection"]
        lines += [f"  {only_at(self.quotient.fixed)}"] if self.quotient.fixed else []
        for letter, part in (("h", self.H), ("s", self.S), ("u", self.U)):
            lines += [f"  {letter}{j + 1} = {_field(list(part[:, j]), names)}" for j in range(part.cols)]
        lines += [f"  [h{i + 1}, h{j + 1}] vertical: {_field(row, names)}" for (i, j), row in self.curvature.items()]
        words = {True: "the connection is flat", None: f"flat: {self.answer}", False: ""}
        told = words[self.answer.value] if self.H.cols else "no shape moves: H = 0 has no curvature"
        lines += [f"  {told}"] if told else []
        lines += [f"  where {f} = 0: {why}" for f, why in self.poles.items()]
        lines.append(f"  on {space!r}")
        shown = [part for line in lines for part in folded(cut(line, _LONGEST), TERMINAL, 7)]
        return "\n".join(most(shown, 25, "lines: .H, .S, .U, .curvature"))

    __repr__ = __str__


@public
def splitting(given: System | Quotient, symmetry: object = None, connection: Any = None) -> Splitting:
    """Split the velocities of a system by the kinetic metric, or by a connection of one's own.

    Args:
        given: a system, or its quotient by a group from `da.symmetry.quotient`.
        symmetry: generators as for `System`; by default those that the system declares.
        connection: forms linear in the velocities of the reduced system, one for each dimension of S = D n V, as text
            or SymPy expressions: H are the allowed velocities on which they vanish. By default H is orthogonal to S,
            the nonholonomic connection. S and U are the same for all.

    Raises:
        WrongType: E101, neither a system nor a quotient, or a connection that is no list; E718, a form that is no
            expression.
        UnknownName: E104, a form holds a name that the reduced system does not know.
        Singular: E107, an allowed velocity carries no energy.
        InvalidValue: those of `da.symmetry.quotient`; E124, the constraints are not linear, or the dimension assumption
            D + V = TQ fails, or the rank of D n V changes, with the place; forms that are not linear, too few or too
            many, or 0 along some direction of S.
    """
    if not isinstance(given, System | Quotient):
        raise WrongType("E101", f"splitting needs a System, not {kind_of(given)}", "da.symmetry.splitting(system)")
    over = given if isinstance(given, Quotient) else quotient(given, symmetry)
    system = over.system
    if any(c.kind != "linear" for c in system.constraints):
        raise InvalidValue(
            "E124", "H, S and U need constraints linear in the velocities", (Call("reduce"), " keeps other constraints")
        )
    with derivation(system, "the splitting"):
        return _split(over, connection)


def _split(over: Quotient, connection: Any) -> Splitting:
    system = over.system
    N, rho = normals(system), _rho(system)
    # E107: there is no metric to split with
    sampler = ConstraintSampler(system)
    form = Symplectic(sampler, ranks(system).kept)
    check_determined(system, [form.at(values) for values in islice(sampler.inside(23), _PLACES)])
    _check_dimensions(system, N, rho)
    W = sp.hessian(system.lagrangian, list(system.space.velocities))
    S = _kernel(system, sp.Matrix.vstack(N, rho))
    across = (S.T * W).applyfunc(tidy)
    A = None if connection is None else forms_of(system, connection, S.cols)
    H = _horizontal(system, W, across, A, N, rho)
    U = _across(system, W, _kernel(system, sp.Matrix.vstack(rho, across)), rho, N)
    frame = _Frame.of(system, N, W, A, (H, S, U))
    h, s, v = (sp.ImmutableMatrix(part) for part in (H, S, U))
    return Splitting(over, h, s, v, frame, None if A is None else sp.ImmutableMatrix(A))


def _horizontal(
    system: System, W: sp.Matrix, across: sp.Matrix, A: sp.Matrix | None, N: sp.Matrix, rho: sp.Matrix
) -> sp.Matrix:
    """H: what is orthogonal to S in D, or the kernel in D of the forms A."""
    if A is None:
        return _across(system, W, _kernel(system, sp.Matrix.vstack(N, across)), N, rho)
    check_across(system, N, rho, A)
    return _kernel(system, sp.Matrix.vstack(N, A))


def _rho(system: System) -> sp.Matrix:
    """Rates of the shape's coordinates (n x k)."""
    space = system.space
    return sp.Matrix(space.anchor) if space.coordinates else sp.zeros(0, len(space.velocities))


def _kernel(system: System, A: sp.Matrix) -> sp.Matrix:
    """Columns that span the kernel of A."""
    if not any(e != 0 for e in A):
        return sp.eye(A.cols)
    columns = kernel(system, A)
    return sp.Matrix.hstack(*columns) if columns else sp.zeros(A.cols, 0)


def _across(system: System, W: sp.Matrix, chosen: sp.Matrix, inside: sp.Matrix, rows: sp.Matrix) -> sp.Matrix:
    """The columns chosen, or others with the same span if those have poles.

    The part of ker inside that is orthogonal to ker rows in it is spanned by  Z adj(G) (rows Z)^T ,  G = Z W Z ,  with
    the columns of Z spanning ker inside: it has poles only where the rows lose rank there.
    """
    if not chosen.cols or not poles(chosen, [system.space], system.parameters):
        return chosen
    Z = _kernel(system, inside)
    independent = rows.extract(pivots(system, rows * Z)[0], range(rows.cols))
    if independent.rows != chosen.cols:  # a sphere's rates: more than they have dimensions
        return chosen
    dual = Z * adjugate((Z.T * W * Z).applyfunc(tidy)) * (independent * Z).T
    columns = [shortened(dual[:, j], system.space) for j in range(dual.cols)]
    other = sp.Matrix.hstack(*columns)
    return chosen if poles(other, [system.space], system.parameters) else other


def _check_dimensions(system: System, N: sp.Matrix, rho: sp.Matrix) -> None:
    """D + V = TQ, and D n V of one dimension: at random states on the reduced space, and where they are nearly not."""
    sampler = ConstraintSampler(system)
    both = sp.Matrix.vstack(N, rho)
    k, m, found = both.cols, N.rows, []
    nodes = [[read(e, sampler.graph) for e in both.row(i)] for i in range(both.rows)]
    parts = [(rows, rank_at_most(rows)) for rows in (nodes[:m], nodes[m:], nodes)]
    for values, held in islice(sampler.states(23), _TRIES):
        if held:
            D, V, S = (k - _rank(rows, most, values, sampler) for rows, most in parts)
            found.append((D + V - S, S, values))
    totals, inner = {total for total, _, _ in found}, {S for _, S, _ in found}
    if totals != {k}:
        least, _, values = min(found, key=lambda each: each[0])
        place = ", ".join(f"{q.name} = {values[q.name]:.3g}" for q in system.space.coordinates) or "everywhere"
        raise InvalidValue(
            "E124",
            f"the dimension assumption D + V = TQ fails: D + V has {least} of {k} dimensions at {place}",
            ("the constraints hold the shape itself; ", Call("reduce"), " needs no such assumption"),
        )
    if len(inner) > 1:
        fact = f"D n V has {min(inner)} or {max(inner)} dimensions, depending on the place"
        raise InvalidValue(
            "E124", fact, (Call("reduce", "system"), " needs no such assumption; or leave generators out")
        )


def _rank(rows: Sequence[Sequence[Node]], most: int, values: dict[str, float], sampler: ConstraintSampler) -> int:
    """The rank at a state; where floats see less than there is at a random point, in numbers of any size."""
    flat = [e for row in rows for e in row]
    rank = rank_of(np.array(evaluate(flat, values), float).reshape(len(rows), -1)) if flat else 0
    return rank if rank >= most else max(rank, len(clearly_independent(rows, [values], sampler.iterated)))


@dataclass(frozen=True)
class _Frame:
    """H, S, U and the components of a velocity along each.

    Attributes:
        parts: columns of H, S, U.
        components: rows that give the components along H, S, U.
    """

    space: Space
    parts: tuple[sp.Matrix, sp.Matrix, sp.Matrix]
    components: tuple[sp.Matrix, sp.Matrix, sp.Matrix]

    @classmethod
    def of(
        cls,
        system: System,
        N: sp.Matrix,
        W: sp.Matrix,
        A: sp.Matrix | None,
        parts: tuple[sp.Matrix, sp.Matrix, sp.Matrix],
    ) -> _Frame:
        space, (H, S, U) = system.space, parts
        rows = pivots(system, N)[0] if N.rows else []
        independent = N.extract(rows, range(N.cols))
        # v = H h + S s + U u ,  N H = N S = 0 ,  A H = 0  (A = S W by default) :
        # u = (N U)^-1 N v ,  s = (A S)^-1 A (v - U u) ,  h = (H W H)^-1 H W (v - U u - S s)
        u = _solved(space, independent * U, independent)
        rest = sp.eye(N.cols) - U * u
        if A is None:  # A U = 0 ,  H W S = 0
            s = _solved(space, S.T * W * S, S.T * W)
        else:
            s = _solved(space, A * S, A * rest)
            rest -= S * s
        h = _solved(space, H.T * W * H, H.T * W * rest)
        return cls(space, parts, (h, s, u))

    @property
    def columns(self) -> sp.Matrix:
        return sp.Matrix.hstack(*self.parts)

    def vertical(self, i: int, j: int) -> list[sp.Expr]:
        """The components along S and U of the bracket of two columns, as they come."""
        T = self.columns
        lie = sp.Matrix(bracket(self.space.frame, list(T[:, i]), list(T[:, j])))
        return [e for rows in self.components[VERTICAL] for e in rows * lie]

    def bracket(self, i: int, j: int, along: slice = slice(None)) -> list[sp.Matrix]:
        """The components along H, S, U, or some of them, of the bracket of two columns."""
        T = self.columns
        lie = sp.Matrix(bracket(self.space.frame, list(T[:, i]), list(T[:, j])))
        return [(rows * lie).applyfunc(self.short) for rows in self.components[along]]

    def short(self, e: sp.Expr) -> sp.Expr:
        """0 where it vanishes, else simplified on the space."""
        return sp.S.Zero if vanishes(e) else tidy(on_space(self.space, e))


def _solved(space: Space, A: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """A^-1 right."""
    if not A.rows:
        return sp.zeros(0, right.cols)
    A = A.applyfunc(lambda e: tidy(on_space(space, e)))
    return (adjugate(A) * right).applyfunc(tidy) / tidy(on_space(space, determinant(A)))


def _vertical(
    frame: _Frame, pairs: Iterable[tuple[int, int]], first: int = 0, second: int = 0
) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
    """The part of brackets of columns along S and U, by their positions from `first` and `second` on."""
    (_, S, U), found = frame.parts, {}
    for i, j in pairs:
        s, u = frame.bracket(i, j, VERTICAL)
        vertical = (S * s + U * u).applyfunc(frame.short)
        if any(e != 0 for e in vertical):
            found[i - first, j - second] = tuple(vertical)
    return found


def _poles(frame: _Frame, system: System) -> dict[sp.Expr, str]:
    graph, found = Graph(), {}
    nodes = [read(e, graph) for e in sp.Matrix.vstack(normals(system), _rho(system))]
    k, s = len(system.space.velocities), frame.parts[1].cols
    for f, place in poles(frame.columns, [system.space], system.parameters).items():
        inner = k - rank_of(np.array(evaluate(nodes, place), float).reshape(-1, k)) if nodes else k
        found[f] = "the frame is singular" if inner == s else f"D n V has dimension {inner}, elsewhere {s}"
    return found


def _names(system: System, frame: _Frame) -> list[sp.Symbol]:
    """The velocities along H, S and U."""
    sizes = zip("hsu", (part.cols for part in frame.parts), strict=True)
    names = [f"{letter}{i + 1}" for letter, size in sizes for i in range(size)]
    taken = {q.name for q in system.space.coordinates} | set(system.symbols)
    return [sp.Symbol(name if name not in taken else f"{name}_v", real=True) for name in names]


def _on_frame(system: System, frame: _Frame) -> System:
    """The system in velocities along H, S and U, the last of which are constrained to vanish."""
    space, T, sizes = system.space, frame.columns, [part.cols for part in frame.parts]
    v = _names(system, frame)
    table = {}
    for a, b in combinations(range(T.cols), 2):
        row = list(sp.Matrix.vstack(*frame.bracket(a, b)))
        if any(e != 0 for e in row):
            table[a, b] = row
    anchor = (sp.Matrix(space.anchor) * T).applyfunc(tidy) if space.coordinates else sp.zeros(0, T.cols)
    new = space.with_frame(v, anchor, table)
    there = dict(zip(space.velocities, T * sp.Matrix(v), strict=True))
    # (d/dt dL/du) . T = d/dt dL/dv - dL/du . (dT/dt), of which a space, which knows no time, has all but dT/dt at rest
    momenta = sp.Matrix([system.lagrangian.diff(u) for u in space.velocities])
    push = (T.T * sp.Matrix(system.forces) + T.diff(TIME).T * momenta).xreplace(there)
    return System(
        new,
        tidy(system.lagrangian.xreplace(there)),
        {f"no_{s.name}": s for s in v[sizes[0] + sizes[1] :]},
        {s: e for s, e in zip(v, push, strict=True) if e != 0},
        system.parameters,
        **system.met(lambda e: e.xreplace(there)),
        inputs=system.inputs,
        title=f"{system.title} on H + S + U",
        limits=unlimited(system),
    )


def _field(components: Sequence[sp.Expr], names: Sequence[str]) -> str:
    parts = [(c, n) for c, n in zip(components, names, strict=True) if c != 0]
    return " + ".join(f"e_{n}" if c == 1 else f"({c}) e_{n}" for c, n in parts) or "0"


# --- a connection that is chosen [cendra2001 Section 2] ---------------------------------------------------------------

# Any complement H of S = D n V in D makes a connection for the Lagrange-d'Alembert-Poincare equations; the orthogonal
# one is the nonholonomic connection. As many independent forms A as S has dimensions say which it is: H = {v in D: A
# v = 0}.

_CHECKED = 5


def forms_of(system: System, given: object, count: int) -> sp.Matrix:
    """The forms as rows on the velocities (count x k).

    Raises:
        WrongType: E101, no list of expressions; E718, a form that is no expression.
        UnknownName: E104, a form holds a name that the reduced system does not know.
        InvalidValue: E124, a form that is not linear in the velocities, or as many as S has dimensions are not given.
    """
    forms = [given] if isinstance(given, str | sp.Expr) else given
    forms = list(forms.values()) if isinstance(forms, Mapping) else forms
    if not isinstance(forms, Iterable):
        fact = f"a connection is a list of forms, not {kind_of(given)}"
        raise WrongType("E101", fact, 'splitting(system, connection=["w1*z1 + w2*z2 + w3*z3"])')
    rows = [_row(system, form) for form in forms]
    if len(rows) != count:
        fact = f"the connection has {len(rows)} form{'' if len(rows) == 1 else 's'}, S has {count} dimensions"
        raise InvalidValue("E124", fact, "give one form for each direction of S = D n V, without the constraints")
    return sp.Matrix(count, len(system.space.velocities), [e for row in rows for e in row])


def _row(system: System, form: Any) -> list[sp.Expr]:
    u = list(system.space.velocities)
    e = Reader.of(system).read(form, "a form of the connection")
    unknown = sorted({s.name for s in e.free_symbols} - {s.name for s in system.space} - set(system.symbols))
    if unknown:
        own = ", ".join(s.name for s in system.space)
        raise UnknownName(
            "E104", f"a form of the connection holds {', '.join(unknown)}", f"the reduced space has {own}"
        )
    row = [e.diff(v) for v in u]
    rest = sp.expand(e - sum((c * v for c, v in zip(row, u, strict=True)), sp.S.Zero))
    if rest != 0 or any(c.free_symbols & {*u} for c in row):
        names = ", ".join(v.name for v in u)
        raise InvalidValue("E124", f"the form {e} is not linear in the velocities", f"a sum of multiples of {names}")
    return row


def check_across(system: System, N: sp.Matrix, rho: sp.Matrix, A: sp.Matrix) -> None:
    """E124: the forms leave a direction of S, so that H is no complement of it in D."""
    sampler = ConstraintSampler(system)
    k = N.cols
    nodes = [read(e, sampler.graph) for e in sp.Matrix.vstack(N, rho, A)]
    for values, held in islice(sampler.states(29), _CHECKED):
        # N v = 0 , rho v = 0 , A v = 0  for v = 0 only
        if held and rank_of(np.array(evaluate(nodes, values), float).reshape(-1, k)) < k:
            fact = "a direction of S = D n V lies in the kernel of the connection's forms"
            raise InvalidValue("E124", fact, "choose forms that tell the group's allowed directions apart")
