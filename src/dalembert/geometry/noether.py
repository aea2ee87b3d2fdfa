"""Nonholonomic Noether: which generators conserve something, which do not, and why.

For a generator x and its momentum J = p_a x^a, p_a = dL/du^a, along the nonholonomic motion

    dJ/dt = delta L + Q_a x^a + lam_s N^s_a x^a

so that four things have to be told apart [cushman1995 Section 3; bloch1996]: whether x leaves L as it is, whether it
leaves the constraints, whether it is horizontal (N x = 0, so that the constraints do no work on it), and whether J is
conserved. Combinations y = s^alpha(q) x_alpha that are horizontal obey the momentum equation

    d/dt (p_a y^a) = p_a x^a_alpha ds^alpha/dt + s^alpha delta_alpha L + Q_a y^a .
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..answer import Answer
from ..argument_checks import one_of, public
from ..calculus.algebra import Symbolic
from ..calculus.euler_lagrange import Motion
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate
from ..calculus.line_width import most
from ..calculus.numerical_rank import null_space, rank_of, sized
from ..calculus.simplification import at_most, short
from ..calculus.symbols import free_symbols
from ..errors import DalembertError, DalembertWarning, InvalidValue
from ..model.expression_symbols import Reader
from ..model.symmetry import Generator
from ..model.system import System
from .constraint_rank import ranks
from .generators import needs_system
from .group_action import Action, GeneratorChange, declared
from .identities import MotionNodes, constant_combinations, vanish, written
from .impact_invariance import passing, while_apart
from .random_states import ConstraintSampler, Values
from .recognised_numbers import in_parameters
from .symbolic_null_space import TIDIED, kernel, on_space, tidy
from .symplectic_form import Local, Symplectic, check_determined

WIDTH = 80
CONSERVED = 1e-9
_MOVED = 0.3  # by what part parameters are changed, at most


@dataclass(frozen=True)
class Momentum:
    """A generator and its momentum: is it a symmetry, is it horizontal, is its momentum conserved?

    Attributes:
        generator: the generator.
        momentum: J = p_a x^a as an expression in t, q, u.
        changes: what it changes that a symmetry must not.
        horizontal: does it lie in the directions that the constraints allow? None where it was not decided.
        answer: is J constant along every motion, through every wall and contact?
        rate: the largest |dJ/dt| over the size of its terms at the states tried.
        struck: walls and contacts that change J where they act; it is constant while they do not.
        open: what it may change: that was not decided.
    """

    generator: Generator
    momentum: sp.Expr
    changes: tuple[GeneratorChange, ...]
    horizontal: bool | None
    answer: Answer
    rate: float
    struck: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    @property
    def conserved(self) -> bool | None:
        """Is J constant along every motion? None where it was not decided."""
        return self.answer.value

    @property
    def preserves_lagrangian(self) -> bool | None:
        """Is L invariant under it? None where it was not decided."""
        return self._keeps("L")

    @property
    def preserves_constraints(self) -> bool | None:
        """Are the constraints invariant under it, where they hold?"""
        return self._keeps("constraint")

    @property
    def symmetric(self) -> bool | None:
        """Is it a symmetry of the system: of L, of the constraints and of the forces?"""
        return self._keeps("")

    def _keeps(self, what: str) -> bool | None:
        if any(c.what.startswith(what) for c in self.changes):
            return False
        return None if any(each.startswith(what) for each in self.open) else True

    def __str__(self) -> str:
        does = [f"changes {c.what} ({c.term})" for c in self.changes]
        does += [f"whether it changes {what} is not decided" for what in self.open] or ["a symmetry"] * (not does)
        flat = {True: "horizontal", False: "not horizontal", None: "whether it is horizontal is not decided"}
        does += [flat[self.horizontal]]
        verdict = f"conserved{while_apart(self.struck)}: {self.momentum}"
        denied = (
            "its momentum is not conserved" if self.conserved is False else "whether it is conserved is not decided"
        )
        does += [verdict if self.conserved or self.struck else denied]
        return f"{self.generator.name}: {', '.join(does)}"


@dataclass(frozen=True)
class Noether:
    """What the generators of a system conserve.

    Attributes:
        system: the system.
        kept: positions of its independent constraints.
        momenta: the generators, one by one.
        conserved: all combinations of them with constant coefficients whose momentum is conserved: ``{text: J}``;
            through walls and contacts too unless `struck` names some.
        dimensions: of D (allowed velocities), V (generators), S = D n V, D + V, and of all velocities.
        decided: how it was decided.
        struck: walls and contacts that change them where they act, by the texts of `conserved`.
    """

    system: System
    kept: tuple[int, ...]
    momenta: tuple[Momentum, ...]
    conserved: dict[str, sp.Expr]
    dimensions: tuple[int, int, int, int, int]
    decided: str
    struck: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def sections(self) -> tuple[HorizontalGenerator, ...]:
        """A basis of the horizontal combinations y = s^alpha(q) x_alpha, where they can be written down.

        They are when they are asked for: verdicts and dimensions do not need them.
        """
        changing = [not m.preserves_lagrangian for m in self.momenta]
        return horizontal(self.system, [m.generator for m in self.momenta], self.kept, changing)

    @property
    def kind(self) -> str:
        """The case of [bloch1996]: purely kinematic (S = 0), horizontal symmetries (V in D), or general."""
        _, V, S, total, k = self.dimensions
        if not V or not all(m.symmetric for m in self.momenta):
            return "no symmetry" if not V else "not all of them are symmetries"
        if S == 0:
            return "purely kinematic (Chaplygin): no generator is horizontal" if total == k else "S = D n V is 0"
        return "horizontal symmetries: V lies in D" if S == V else "general: part of V is horizontal"

    @property
    def fills(self) -> bool:
        """Does the dimension assumption D + V = TQ hold?"""
        return self.dimensions[3] == self.dimensions[4]

    def __getitem__(self, name: str) -> Momentum:
        """The generator of this name (UnknownName E104 if there is none)."""
        found = {m.generator.name: m for m in self.momenta}
        return found[one_of(found, name, "the system", "generator", "E104")]

    def __str__(self) -> str:
        D, V, S, total, k = self.dimensions
        lines = [f"{self.system.title or 'System'}: {len(self.momenta)} generators"]
        lines += [_wrapped(str(m)) for m in self.momenta]
        lines.append(_wrapped(f"dimensions: D {D}, V {V}, S = D n V {S}, D + V {total} of {k}; {self.kind}"))
        lines += [
            _wrapped(f"conserved{while_apart(self.struck.get(text, ()))}: {text} = {J}")
            for text, J in self.conserved.items()
        ]
        lines += [_wrapped(str(section)) for section in self.sections]
        if S and not self.sections:
            lines.append(f"  horizontal: {S} combinations, too long to be written down")
        shown = most("\n".join(lines).splitlines(), 24, "lines: .momenta, .conserved, .sections")
        return "\n".join([*shown, f"  decided: {self.decided}"])

    __repr__ = __str__


@public
def noether(system: System, symmetry: object = None) -> Noether:
    """Judge the generators of a symmetry: horizontal, symmetric, conserved; and their combinations.

    Args:
        system: the system.
        symmetry: generators as for `System`; by default those that the system declares.

    Raises:
        WrongType: E101, not a system.
        DalembertError: E104, E125 for what is no symmetry.
        Singular: E107, an allowed velocity carries no energy, so that no motion is determined.
    """
    given = declared(system, symmetry, "noether")
    decided = ranks(system)
    work = _NoetherWork(system, given, decided.kept)
    work.action.structure  # noqa: B018  (E123)
    momenta = tuple(work.judged(i) for i in range(len(given)))
    found = work.conserved()
    how = "what is conserved by exact arithmetic, what is not by a state"
    struck = {text: work.constant(read(J, work.sampler.graph))[1] for text, J in found.items()}
    return Noether(system, decided.kept, momenta, found, work.dimensions(), how, struck)


@dataclass(frozen=True)
class Constancy:
    """Is a function constant along every motion?

    Attributes:
        function: the function.
        answer: the verdict, with a state at which it changes where one was found.
        rate: the largest |df/dt| over the size of its terms at random states.
        by_energy: the same by -dE(xi_f^H) [cushman1995 Theorem 2]; NaN where the constraints are not linear.
        struck: walls and contacts that change it where they act; it is constant while they do not.
    """

    function: sp.Expr
    answer: Answer
    rate: float
    by_energy: float
    struck: tuple[str, ...] = ()

    @property
    def conserved(self) -> bool | None:
        """Is it constant along every motion? None where it was not decided."""
        return self.answer.value

    def __bool__(self) -> bool:
        return bool(self.answer)

    def __str__(self) -> str:
        size = f", |df/dt| up to {self.rate:.2g} of its terms" if self.rate > CONSERVED and not self.struck else ""
        words = {True: "constant", False: "not constant", None: "not decided"}[self.conserved]
        return f"{self.function}: {words}{size} ({self.answer.reason})"


@public
def conserved(system: System, function: Any) -> Constancy:
    """Is a function f(t, q, u) constant along every nonholonomic motion? [cushman1995 Theorem 2]

    f is constant if and only if the part in H of its Hamiltonian field leaves the energy as it is. The rate is computed
    in this way and along the motion itself; whether it vanishes is decided exactly, walls and contacts included.

    Raises:
        WrongType: E101 not a system, E718 what is not an expression.
        InvalidValue: E104 and others for names that the system does not know.
        Singular: E107, an allowed velocity carries no energy, so that no motion is determined.
    """
    needs_system(system, "conserved")
    f = Reader.of(system).read(function, "the function")
    unknown = sorted({s.name for s in free_symbols(f)} - set(system.space.by_name) - set(system.symbols) - {"t"})
    if unknown:
        raise InvalidValue("E104", f"the function holds {', '.join(unknown)}", "use names of the system")
    work = _NoetherWork(system, (), ranks(system).kept)
    node = read(f, work.sampler.graph)
    parts = [work.rate(node, values, local) for values, local in zip(work.states, work.local, strict=True)]
    rate = max((abs(direct) / size for direct, _, size in parts), default=np.nan)
    other = max((abs(energy) / size for _, energy, size in parts), default=np.nan)
    answer, struck = work.constant(node)
    return Constancy(f, answer, rate, other, struck)


class _NoetherWork:
    """The generators and the form omega_H on one graph, with states on the constraints."""

    def __init__(self, system: System, given: Sequence[Generator], kept: Sequence[int]) -> None:
        self.system, self.given, self.kept = system, tuple(given), kept
        self.sampler = ConstraintSampler(system)
        self.action = Action(self.sampler, self.given)
        self.form = Symplectic(self.sampler, kept)
        self.states = self.action.states
        self.local: list[Local] = [self.form.at(values) for values in self.states]
        check_determined(system, self.local)
        self.J = [self.sampler.motion.sum(p * xa for p, xa in zip(self.form.p, x, strict=True)) for x in self.fields]
        self.linear = all(c.homogeneous for c in system.constraints)

    @property
    def fields(self) -> list[list[Node]]:
        return self.action.fields

    def rate(self, f: Node, values: Values, local: Local) -> tuple[float, float, float]:
        """df/dt along the motion, -dE(xi_f^H), and the size of the terms."""
        motion = self.sampler.motion
        (slope,) = motion.algebra.along([f], [motion.t], [motion.one])
        both, sizes = sized([*self.form.derivative(f), slope], values)
        df, slope_t = both[:-1], both[-1]
        energy = -float(local.hamiltonian(df) @ (local.dE - local.push)) if self.linear else np.nan
        size = sizes[:-1] @ np.abs(local.motion) + np.abs(df) @ local.motion_size + sizes[-1]
        return float(df @ local.motion + slope_t), float(energy + slope_t), float(size) or 1.0

    def judged(self, i: int) -> Momentum:
        """The verdict on one generator and its momentum."""
        rates = [self.rate(self.J[i], v, local) for v, local in zip(self.states, self.local, strict=True)]
        rate = max((abs(direct) / size for direct, _, size in rates), default=np.nan)
        p = [self.system.lagrangian.diff(u) for u in self.system.space.velocities]
        J = sum((pa * xa for pa, xa in zip(p, self.given[i].components, strict=True)), sp.S.Zero)
        changes = tuple(self.action.changes(i))
        across = [self.sampler.motion.sum(n * xa for n, xa in zip(N, self.fields[i], strict=True)) for N in self.form.N]
        flat = vanish(across, self.sampler, "N x").value
        answer, struck = self.constant(self.J[i])
        open_ = tuple(self.action.open.get(i, ()))
        return Momentum(self.given[i], short(J), changes, flat, answer, rate, struck, open_)

    @cached_property
    def flow(self) -> MotionNodes:
        """The motion between walls."""
        return MotionNodes.of(self.sampler, self.kept)

    def constant(self, f: Node) -> tuple[Answer, tuple[str, ...]]:
        """Is f constant along every motion, and what changes it where it acts?"""
        return passing(self.flow.constant(f), self.flow, f)

    def _normals(self, values: Values) -> np.ndarray:
        flat = [e for row in self.form.N for e in row]
        return np.array(evaluate(flat, values), float).reshape(self.form.m, self.form.k)

    def conserved(self) -> dict[str, sp.Expr]:
        """Combinations with constant coefficients whose momentum is conserved."""
        if not self.given:
            return {}
        basis = constant_combinations(self.J, self.flow)
        combined = [self._coefficients(c) for c in basis]
        momenta = {_words(c, self.given): self._momentum(c) for c in combined}
        return {text: J for text, J in momenta.items() if J != 0}

    def _coefficients(self, c: Sequence[Fraction]) -> list[sp.Expr]:
        """Fractions, or parameters where the momentum stays conserved when these are changed."""
        exact = [written(ci) for ci in c]
        known = {self.system.symbols[n]: v for n, v in self.sampler.known.items() if n in self.system.symbols}
        tried = [in_parameters(ci, known) for ci in exact]
        return tried if tried != exact and self._conserved_elsewhere(self._momentum(tried)) else exact

    def _conserved_elsewhere(self, J: sp.Expr) -> bool:
        """Is this momentum conserved with other parameters, too?"""
        values = {n: v * (1 + _MOVED * (i + 1) / (i + 2)) for i, (n, v) in enumerate(self.sampler.known.items())}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
            try:
                return conserved(self.system.changed(parameters=values), J).conserved is True
            except DalembertError:
                return False

    def _momentum(self, c: Sequence[sp.Expr]) -> sp.Expr:
        p = [self.system.lagrangian.diff(u) for u in self.system.space.velocities]
        x = [sum(ci * g.components[a] for ci, g in zip(c, self.given, strict=True)) for a in range(len(p))]
        return short(sum((pa * xa for pa, xa in zip(p, x, strict=True)), sp.S.Zero))

    def dimensions(self) -> tuple[int, int, int, int, int]:
        """Of D, V, S = D n V, D + V, and all velocities, at the first state."""
        values, k = self.states[0], self.form.k
        x = np.array(evaluate([e for f in self.fields for e in f], values), float).reshape(len(self.fields), k)
        D = null_space(self._normals(values)) if self.form.m else np.eye(k)
        V, total = rank_of(x) if len(x) else 0, rank_of(np.vstack([D.T, x]))
        return D.shape[1], V, D.shape[1] + V - total, total, k


def _words(c: Sequence[sp.Expr], given: Sequence[Generator]) -> str:
    parts = [(ci, g.name) for ci, g in zip(c, given, strict=True) if ci != 0]
    return " + ".join(name if ci == 1 else f"{ci} ({name})" for ci, name in parts)


def _wrapped(line: str) -> str:
    return "\n".join(
        textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
    )


# --- horizontal combinations of generators, written down: S = D n V ---------------------------------------------------

#     y = s^alpha(q) x_alpha   with   N y = 0
#
# The coefficients s solve A s = 0, A^s_alpha = N^s_a x^a_alpha. They are functions of the place, so that the momentum
# p_a y^a of such a combination is in general not conserved:
#
#     d/dt (p_a y^a) = p_a x^a_alpha ds^alpha/dt + s^alpha delta_alpha L + Q_a y^a
#
# delta_alpha L, the change of L under a generator, is 0 for a symmetry.

_LONGEST = 120  # operations of A that is solved in symbols
_COEFFICIENT = 60  # operations up to which a coefficient of velocities is simplified


@dataclass(frozen=True)
class HorizontalGenerator:
    """One horizontal combination of generators.

    Attributes:
        coefficients: ``{generator: s^alpha(q)}``, those that are not 0.
        components: y^a(q).
        momentum: p_a y^a.
        rate: d/dt of it along the motion, p_a x^a_alpha ds^alpha/dt + s^alpha delta_alpha L + Q_a y^a.
    """

    coefficients: dict[str, sp.Expr]
    components: tuple[sp.Expr, ...]
    momentum: sp.Expr
    rate: sp.Expr

    def __str__(self) -> str:
        words = " + ".join(name if s == 1 else f"({s}) ({name})" for name, s in self.coefficients.items())
        return f"horizontal: {words}; d/dt ({self.momentum}) = {self.rate}"


def horizontal(
    system: System, given: Sequence[Generator], kept: Sequence[int], changing: Sequence[bool] = ()
) -> tuple[HorizontalGenerator, ...]:
    """A basis of the horizontal combinations, or none where they are too long to be written down.

    Args:
        system: the system.
        given: the generators.
        kept: positions of independent constraints.
        changing: does each generator change L? None does if left out.
    """
    u, m = sp.Matrix(system.space.velocities), len(kept)
    if not given or any(system.constraints[s].kind == "nonlinear" for s in kept):
        return ()
    X = sp.Matrix([list(g.components) for g in given]).T
    N = sp.Matrix([[system.constraints[s].phi.diff(v) for v in u] for s in kept]) if m else sp.zeros(0, len(u))
    A = (N * X).applyfunc(tidy)
    if not at_most(_LONGEST, *A):
        return ()
    changing = changing or [False] * len(given)
    deltas = [_change(system, X[:, i]) if changes else sp.S.Zero for i, changes in enumerate(changing)]
    return tuple(_section(system, given, X, s, deltas) for s in kernel(system, A))


def _section(
    system: System, given: Sequence[Generator], X: sp.Matrix, s: sp.Matrix, deltas: Sequence[sp.Expr]
) -> HorizontalGenerator:
    space = system.space
    p = sp.Matrix([sp.factor_terms(system.lagrangian.diff(u)) for u in space.velocities])
    y = X * s
    # ds/dt = ds/dq qdot
    sdot = s.applyfunc(lambda e: sum((e.diff(q) * rate for q, rate in space.rates.items()), sp.S.Zero))
    push = sum((Q * ya for Q, ya in zip(system.forces, y, strict=True)), sp.S.Zero)
    coefficients = {g.name: e for g, e in zip(given, s, strict=True) if e != 0}
    change = sum((e * delta for e, delta in zip(s, deltas, strict=True)), sp.S.Zero)
    rate = (p.T * X * sdot)[0] + change + push
    momentum, rate = (readable(system, e) for e in ((p.T * y)[0], rate))
    return HorizontalGenerator(coefficients, tuple(y.applyfunc(tidy)), momentum, rate)


def readable(system: System, e: sp.Expr) -> sp.Expr:
    """A function that is polynomial in the velocities, its coefficients simplified, if that is shorter."""
    u = system.space.velocities
    short = tidy(e)
    if at_most(TIDIED, e) or not e.is_polynomial(*u):
        return short
    terms = sp.collect(sp.expand(e), u, evaluate=False)
    collected = sum((tidy(on_space(system.space, c), _COEFFICIENT) * m for m, c in terms.items()), sp.S.Zero)
    return min(short, sp.factor_terms(collected), collected, key=sp.count_ops)


def _change(system: System, x: sp.Matrix) -> sp.Expr:
    """delta L = (dL/dq^i) E^i_a x^a + (dL/du^a) (dx^a/dt + C^a_bc u^b x^c)."""
    motion, L = Motion(system.space.frame, Symbolic()), system.lagrangian
    dq = [motion.sum(e * xa for e, xa in zip(row, x, strict=True)) for row in motion.anchor]
    du = motion.algebra.along(list(x), motion.q, motion.qdot)
    for (b, c), row in motion.brackets.items():
        area = motion.u[b] * x[c] - motion.u[c] * x[b]
        du = [d + C * area for d, C in zip(du, row, strict=True)]
    (change,) = motion.algebra.along([L], [*motion.q, *motion.u], [*dq, *du])
    return change
