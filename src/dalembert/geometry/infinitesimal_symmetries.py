"""Infinitesimal symmetries that nobody declared: found by linear algebra, then tested as declared ones are.

A field x^a(q) = c^a_l F_l(q) of functions F_l with unknown coefficients moves (`action`) every function y(t, q, u) by

    delta y = c^a_l (F_l e_a y + dF_l/dt dy/du^a) ,     e_a y: what the constant field e_a does to y,

which is linear in the coefficients. That it vanishes for L, forces, walls and contacts at random states, and for the
constraints at states on which they hold, are the determining equations [olver1993 Section 2.4]. Their null space is
brought to echelon form and written with fractions and parameters; what is written is a symmetry only if it passes the
exact test.

Where nothing but L acts, fields that change L by a total derivative are found beside them [olver1993 Section 4.4]:

    delta L = dG/dt   gives   d/dt (p_a x^a - G) = 0 ,     G = g_l F_l(q) with more unknown coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import TypeVar, overload

import numpy as np
import sympy as sp

from ..answer import Answer, undecided, yes
from ..argument_checks import noun, public
from ..calculus.exact.exact_rank import null_space as exact_null_space
from ..calculus.exact.finite_field import short_fraction
from ..calculus.from_sympy import read
from ..calculus.graph import Node, gradient, tangent
from ..calculus.line_width import most
from ..calculus.numerical_rank import echelon, null_rows, null_space
from ..calculus.simplification import short
from ..errors import DalembertError
from ..model.symmetry import Generator
from ..model.system import System
from ..model.wall import NORMAL
from .generators import needs_system
from .group_action import Action
from .identities import points
from .identities import written as written_out
from .noether import Noether, noether
from .random_states import ConstraintSampler
from .recognised_numbers import expressions_of
from .trial_functions import FAR, SPARE, FunctionLibrary, columns, drawn

DEGREE = 2  # of the polynomials
_DENOMINATOR, _SAME, _NOTHING, _ITERATED = 1000, 1e-8, 1e-9, 1e-7
_EXACT = 150  # coefficients up to which what is in doubt is looked for by exact arithmetic
_MEANINGS = 40  # ways to write coefficients by parameters that are tried


T = TypeVar("T")
Solution = np.ndarray | list[Fraction | None]


@dataclass(frozen=True)
class Gauged:
    """A field x that changes L by a total derivative dG/dt: no symmetry to reduce by, and yet it conserves something.

    Attributes:
        generator: x.
        gauge: G, in coordinates and parameters.
        integral: p_a x^a - G, conserved.
    """

    generator: Generator
    gauge: sp.Expr
    integral: sp.Expr


@noun
@dataclass(frozen=True)
class Symmetries(Sequence[Generator]):
    """Infinitesimal symmetries of L, the constraints, the forces and the walls: a sequence of generators.

    Each, and all together, may be given as ``da.System(..., symmetry=...)``.

    Attributes:
        system: the system.
        generators: those found, simple ones first.
        searched: in which fields they were looked for.
        coefficients: how many coefficients were sought.
        unwritten: solutions of the determining equations that could not be written down exactly.
        gauged: fields beside them that change L by a total derivative, as translations in a magnetic field do, each
            with what it conserves; looked for where there are no constraints, forces, walls and contacts, and where
            there are few coefficients, by exact arithmetic.
    """

    system: System
    generators: tuple[Generator, ...]
    searched: str
    coefficients: int
    unwritten: int = 0
    gauged: tuple[Gauged, ...] = ()

    @property
    def answer(self) -> Answer:
        """Are these all among the fields that were searched? Each of them was shown to be one."""
        if self.unwritten:
            return undecided(f"{self.unwritten} more solve the equations at the states tried, but could not be written")
        return yes(f"no other of the {self.searched} solves the equations at the states tried")

    @cached_property
    def noether(self) -> Noether:
        """What they conserve: each generator's momentum, and the combinations that are conserved."""
        return noether(self.system, list(self.generators))

    def rates(self, generator: Generator) -> dict[str, sp.Expr]:
        """How a generator moves the coordinates, by name; those that stay are left out."""
        return _rates(self.system, generator.components)

    @overload
    def __getitem__(self, index: int) -> Generator: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Generator, ...]: ...
    def __getitem__(self, index: int | slice) -> Generator | tuple[Generator, ...]:
        """The generators in order."""
        return self.generators[index]

    def __len__(self) -> int:
        return len(self.generators)

    def __str__(self) -> str:
        many = "one infinitesimal symmetry" if len(self) == 1 else f"{len(self) or 'no'} infinitesimal symmetries"
        lines = [f"{self.system.title or 'System'}: {many}"]
        lines += [f"  {g.name}: {self._moves(g)}" for g in self.generators]
        for g in self.gauged:
            name = f"{g.generator.name}: {self._moves(g.generator)}"
            lines.append(f"  but for a total derivative, {name}, which conserves {g.integral}")
        lines.append(f"  searched: {self.searched} ({self.coefficients} coefficients)")
        lines += [f"  {self.answer.reason}"] if self.unwritten else []
        return "\n".join(most(lines, 24, "lines: .generators"))

    __repr__ = __str__

    def _moves(self, generator: Generator) -> str:
        velocities = zip(self.system.space.velocities, generator.components, strict=True)
        return ", ".join(f"{u} = {e}" for u, e in velocities if e != 0)


@public
def symmetries(system: System) -> Symmetries:
    """Infinitesimal symmetries of a system, found by linear determining equations over fields of a bounded kind.

    The components of the fields are polynomials of degree 2 or less in the coordinates that are no angles, in sines and
    cosines of the angles that occur, and in the entries of rotations, with coefficients that are numbers or parameters;
    for large systems the degree is lowered. `Symmetries.searched` says what was tried: a symmetry outside is not found.

    Raises:
        WrongType: E101, not a system.
        InvalidValue: E244, too few random states satisfy the constraints, or have a finite Lagrangian.
    """
    needs_system(system, "symmetries")
    work = _Determining(system)
    solutions = echelon(work.null_space().T) if work.unknowns else np.zeros((0, 0))
    fields = [work.written(vector) for vector in sorted(solutions, key=_simple_first)]
    if None in fields and (exact := work.exactly()) is not None:  # coefficients that are small, or looked like 0
        fields = [work.written(x) for x in exact]
    found, lost = list[Generator](), fields.count(None)
    for components in filter(None, fields):
        found.append(Generator(_name(system, components, [g.name for g in found]), components))
    searched = f"fields whose components are {work.library.searched}"
    taken = [g.name for g in found]
    return Symmetries(system, tuple(found), searched, work.unknowns, lost, tuple(_gauged(work, taken)))


def _simple_first(vector: np.ndarray) -> tuple[int, int]:
    return int(np.count_nonzero(np.abs(vector) > _NOTHING)), int(np.abs(vector).argmax())


def _gauged(work: _Determining, taken: list[str]) -> Iterator[Gauged]:
    """Fields that change L by a total derivative, where nothing else acts."""
    system = work.system
    if system.constraints or system.walls or system.contacts or any(Q != 0 for Q in system.forces):
        return
    for x in work.exactly(gauge=True) or ():
        if (written := work.written_with_gauge(x)) is not None:
            components, G = written
            generator = Generator(_name(system, components, taken), components)
            taken.append(generator.name)
            momentum = sum(
                (sp.diff(system.lagrangian, u) * x for u, x in zip(system.space.velocities, components, strict=True)),
                sp.S.Zero,
            )
            yield Gauged(generator, G, short(sp.expand(momentum - G, power_exp=False)))


class _Determining:
    """The determining equations in numbers: a column for each coefficient c^a_l."""

    def __init__(self, system: System) -> None:
        self.system, k = system, len(system.space.velocities)
        self.sampler, self.library = ConstraintSampler(system), FunctionLibrary(system, k, DEGREE)
        units = [tuple(sp.Integer(a == b) for b in range(k)) for a in range(k)]
        self.action = Action(self.sampler, [Generator(str(a), unit) for a, unit in enumerate(units)])
        motion = self.sampler.motion
        self.F = [read(f, self.sampler.graph) for f in self.library.functions]
        self.Fdot = tangent(self.F, motion.q, motion.qdot)
        self.unknowns = k * len(self.F)

    def null_space(self) -> np.ndarray:
        """Coefficients (unknowns, d) of all solutions: first of what holds anywhere, then of the constraints."""
        values = drawn(self._free, self.unknowns + SPARE)
        Z = null_space(np.vstack([_cleaned(columns(row, values)) for row in self.anywhere]))
        if self.system.constraints and Z.shape[1]:
            values = drawn(self.sampler, Z.shape[1] + SPARE)
            held = _cleaned(np.vstack([columns(row, values) for row in self.held]))
            # Z is known to some digits, and so are positions, which are solved by iteration
            size = np.abs(held).max(axis=1, keepdims=True)
            Z = Z @ null_rows(held @ Z / np.where(size > 0, size, 1.0), 0.0, _ITERATED).T
        return np.asarray(Z)

    @cached_property
    def _free(self) -> ConstraintSampler:
        """States, on the constraints or not."""
        return ConstraintSampler(self.system, (), self.sampler.algebra)

    def _with_gauge(self) -> list[Node]:
        """The row of L, with -dF_l/dt before it."""
        return [*(-1 * rate for rate in self.Fdot), *self.anywhere[0]]

    @cached_property
    def anywhere(self) -> list[list[Node]]:
        """Rows that vanish wherever one looks, a node for each coefficient: of L, of walls and contacts, of forces."""
        walls = [[w.guard, *(phi for name, phi in w.rows.items() if name != NORMAL)] for w in self.system.walls]
        touched = [e for row in (*walls, *(c.looked_at for c in self.system.contacts)) for e in row]
        ys = [read(e, self.sampler.graph) for e in (self.system.lagrangian, *touched)]
        return [*self._moved(ys), *self._forces()]

    @cached_property
    def held(self) -> list[list[Node]]:
        """Rows that vanish where the constraints hold."""
        return self._moved([*self.sampler.phi, *self.sampler.positions])

    def _moved(self, ys: Sequence[Node]) -> list[list[Node]]:
        """delta y, a row for each function: F_l e_a y + dF_l/dt dy/du^a."""
        by_field = [self.action.moved(x, ys) for x in self.action.fields]
        each, rows = list(zip(self.F, self.Fdot, strict=True)), []
        for r, y in enumerate(ys):
            parts = list(zip(by_field, gradient(y, self.sampler.motion.u), strict=True))
            rows.append([F * x[r] + rate * slope for x, slope in parts for F, rate in each])
        return rows

    def _forces(self) -> Iterator[list[Node]]:
        """(L_x Q)_a = delta Q_a + Q_b (e_a x^b - C^b_ca x^c) for each a."""
        motion, Q = self.sampler.motion, [read(e, self.sampler.graph) for e in self.system.forces]
        if all(e.is_zero for e in Q):
            return
        by_field = [[motion.sum(row) for row in self.action.force_changes(x)] for x in self.action.fields]
        for a, force in enumerate(Q):
            shifted = tangent(self.F, motion.q, [row[a] for row in motion.anchor])
            each = list(zip(self.F, self.Fdot, shifted, strict=True))
            parts = zip(by_field, gradient(force, motion.u), Q, strict=True)
            yield [F * x[a] + rate * slope + along * push for x, slope, push in parts for F, rate, along in each]

    def exactly(self, gauge: bool = False) -> list[Solution] | None:
        """Solutions by exact arithmetic, perhaps up to a derivative; None where they are too many, or in doubt."""
        first, found = gauge * len(self.F), list[list[int]]()
        width = first + self.unknowns
        if width > _EXACT:
            return None
        everywhere = [self._with_gauge()] if gauge else self.anywhere
        for sampler, rows in (self._free, everywhere), (self.sampler, [] if gauge else self.held):
            here, left = None, width + SPARE
            for here in islice(points(sampler), (width + SPARE) * bool(rows)):
                numbers = [[here(e.index) for e in row] for row in rows]
                left -= not here.blind
                found += [] if here.blind else numbers
            if rows and (here is None or (here.opaque and not gauge) or left > SPARE // 2):
                return None
        found += [[int(f == 1) for f in self.library.functions] + [0] * self.unknowns] * gauge  # a constant is no gauge
        solutions = [x for x in exact_null_space(found) if not gauge or any(x[:first])]
        return [[short_fraction(c) for c in x[first:] + x[:first]] for x in solutions]

    # --- solutions in words ------------------------------------------------------------------------------------------

    def written(self, vector: Solution) -> tuple[sp.Expr, ...] | None:
        """Components of a solution that passes the test of a declared symmetry, with fractions or parameters."""
        return self._written(vector, self._components, self._passes)

    def written_with_gauge(self, vector: Solution) -> tuple[tuple[sp.Expr, ...], sp.Expr] | None:
        """Components, and what L changes by the derivative of."""

        def made(coefficients: Sequence[sp.Expr]) -> tuple[tuple[sp.Expr, ...], sp.Expr]:
            gauge = zip(coefficients[self.unknowns :], self.library.functions, strict=True)
            return self._components(coefficients), sp.Add(*(c * f for c, f in gauge if c != 0))

        return self._written(vector, made, lambda found, everywhere: self._holds(found[0], found[1], everywhere))

    def _written(
        self, vector: Solution, made: Callable[[Sequence[sp.Expr]], T], passes: Callable[[T, bool], bool]
    ) -> T | None:
        """What is made of the coefficients of a solution, as fractions or parameters, so that it passes."""
        if isinstance(vector, np.ndarray):
            return self._from_floats(vector, made, passes)
        numbers = [c for c in vector if c is not None]
        lead = next((c for c in reversed(numbers[: self.unknowns]) if c), None)
        if len(numbers) < len(vector) or lead is None:
            return None
        numbers = [c / lead for c in numbers]
        exact = made([written_out(c) for c in numbers])
        return exact if passes(exact, True) else self._from_floats(np.array(numbers, float), made, passes) or exact

    def _from_floats(
        self, vector: np.ndarray, made: Callable[[Sequence[sp.Expr]], T], passes: Callable[[T, bool], bool]
    ) -> T | None:
        """The same where coefficients are known to some digits."""
        vector = np.where(np.abs(vector) <= _NOTHING * np.abs(vector).max(), 0.0, vector)
        if not vector[: self.unknowns].any():
            return None
        vector = vector * np.sign(vector[np.flatnonzero(vector[: self.unknowns])[-1]])
        known = {self.system.symbols[n]: v for n, v in self.sampler.known.items() if n in self.system.symbols}
        exact = made([_fraction(float(c)) for c in vector])
        if passes(exact, True):
            return exact
        # of a field and of a gauge apart: a field is known but for a factor, so that its 1 is no parameter
        sizes = [(float(abs(c)), i >= self.unknowns) for i, c in enumerate(vector)]
        kinds = sorted({size for size in sizes if size[0]}, key=lambda size: (abs(size[0] - 1), size[1]))
        meanings = [
            [sp.S.One] if abs(c - 1) <= _SAME and not gauge else [*_meanings(c, known), _fraction(c)]
            for c, gauge in kinds
        ]
        for choice in islice(product(*meanings), _MEANINGS):
            meaning = dict(zip(kinds, choice, strict=True))
            signed = [meaning[s] * int(np.sign(c)) if c else sp.S.Zero for s, c in zip(sizes, vector, strict=True)]
            found = made(signed)
            if passes(found, True):
                return found
        return exact if passes(exact, False) else None

    def _components(self, coefficients: Sequence[sp.Expr]) -> tuple[sp.Expr, ...]:
        rows = [coefficients[i : i + len(self.F)] for i in range(0, self.unknowns, len(self.F))]
        return tuple(
            sp.Add(*(c * f for c, f in zip(row, self.library.functions, strict=True) if c != 0)) for row in rows
        )

    def _passes(self, components: tuple[sp.Expr, ...], everywhere: bool) -> bool:
        """Is it a symmetry, at the values of the parameters or also at others?"""
        return self._at_values(components, everywhere, lambda action: action.symmetric)

    def _holds(self, components: tuple[sp.Expr, ...], gauge: sp.Expr, everywhere: bool) -> bool:
        """Does L change by the derivative of the gauge, at the values of the parameters or also at others?"""
        return self._at_values(components, everywhere, lambda action: action.gauged(gauge))

    def _at_values(self, components: tuple[sp.Expr, ...], everywhere: bool, holds: Callable[[Action], bool]) -> bool:
        action = Action(self.sampler, [Generator("found", components)])
        try:
            others = [self.action.at(values) for values in islice(self.action.moves(), 1) if values and everywhere]
            return holds(action) and all(holds(Action(other.sampler, action.generators)) for other in others)
        except DalembertError:
            return False


def _cleaned(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows[(np.abs(rows) < FAR).all(axis=1)])


def _meanings(c: float, known: Mapping[sp.Symbol, float]) -> list[sp.Expr]:
    """Parameters, their products and quotients, and halves of them, of this value."""
    return [*expressions_of(c, known), *(e / 2 for e in expressions_of(2 * c, known))]


def _fraction(c: float) -> sp.Expr:
    near = Fraction(c).limit_denominator(_DENOMINATOR)
    return (
        sp.Rational(near.numerator, near.denominator)
        if abs(float(near) - c) <= _SAME * max(1.0, abs(c))
        else sp.Float(c)
    )


def _rates(system: System, components: Sequence[sp.Expr]) -> dict[str, sp.Expr]:
    """E x by coordinate, what is 0 left out."""
    moved = sp.Matrix(system.space.anchor) * sp.Matrix(list(components))
    found = {q.name: short(e) for q, e in zip(system.space.coordinates, moved, strict=True)}
    return {name: e for name, e in found.items() if e != 0}


def _name(system: System, components: Sequence[sp.Expr], taken: Sequence[str]) -> str:
    """`shift x`, `turn x y`, `turn theta`, or a number, as others are not taken."""
    space, rates = system.space, _rates(system, components)
    name = ""
    if len(rates) == 1 and set(rates.values()) == {sp.S.One}:
        (q,) = rates
        name = f"turn {q}" if q in space.angles else f"shift {q}"
    pairs = [(a, b) for a in rates for b in rates if rates[a] == -space.by_name[b] and rates[b] == space.by_name[a]]
    name = f"turn {pairs[0][0]} {pairs[0][1]}" if pairs else name
    constant = [u.name for u, e in zip(space.velocities, components, strict=True) if e != 0]
    name = name or (f"along {constant[0]}" if len(constant) == 1 and components.count(sp.S.One) else "")
    return name if name and name not in taken else f"symmetry {len(taken) + 1}"
