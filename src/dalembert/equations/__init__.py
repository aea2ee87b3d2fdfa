"""Equations: what follows from a system under one principle.

Typeset, countable, evaluable; `start(...)` completes a consistent state or refuses. They know which principle said
so and which multipliers are states; they do not integrate themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sympy as sp

from ..argument_checks import mapping, noun, one_of, switch, whole
from ..calculus.algebra import Algebra, GraphAlgebra, Symbolic
from ..calculus.euler_lagrange import Motion
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, operations
from ..calculus.jacobians import numbers_of, row_sizes, stack
from ..calculus.linear_systems import Elimination, Factored, Saddle, dot
from ..calculus.numerical_rank import RANK_TOLERANCE, sized, well_independent
from ..display import html
from ..errors import InvalidValue, Note, Singular, WrongType, as_given, warn
from ..errors.remedies import Call, Principle
from ..event import Event
from ..spelling import Multipliers, typed
from . import code
from .contact_modes import Contacts
from .input_values import unset, with_inputs
from .lean_form import Charts, Lean
from .nonfinite_values import require
from .saddle_form import WEAK_PIVOT, Explicit, Form, MachineForm, Numbers, along_rows, energy_units, least_norm
from .start import Start, State
from .start_completion import complete, restarted, state_of

if TYPE_CHECKING:
    import casadi

    from .quasi_velocity_form import MatrixForm
    from .typeset import Sheet, Shown
    from .written_rows import InEntries

__all__ = ["Equations", "Explicit", "Form", "Lean", "MachineForm", "Numbers", "Start", "State"]
FAIR_ROWS = 0.1  # of the smallest singular value of all rows: what those kept should have
OFF_ROWS = (
    1e-6  # of the largest singular value: what rows that follow from others on the constraints may have beside them
)
LONGEST_ELIMINATION = 4000  # products: as code, twice as many are slower than a loop over a matrix, and slow to compile


@noun
@dataclass(frozen=True, eq=False, kw_only=True)
class Equations:
    """Equations of motion  W udot - N^T mu = f,  N udot = g,  qdot = E u.

    What a principle adds stands in its own class: how the form is derived, its walls, contacts, lean form. A form
    without multipliers has its accelerations from `direct`, and multipliers from  N^T mu = W udot - f.

    Attributes:
        system: the given system.
        kept: positions of independent constraint rows; the others follow from these.
        elsewhere: states at which the constraints hold, by name, to see how long dependent rows are as a rule.
        definite: is W positive definite wherever it was tried, and elimination exact, so that no pivots are needed?
        metric_definite: the same for the kinetic metric, the velocity Hessian of the given Lagrangian.
        coefficients: names of parameters that formulas of inputs brought.
        principle: ``"nonholonomic"``, ``"vakonomic"``, ``"free"``, ...
        formula: the same as LaTeX.
        by_multipliers: are the accelerations solved for with the multipliers? Else by `direct`, shown by `shown`.
        has_lean_form: unless a constraint is nonlinear in the velocities.
    """

    system: Any
    kept: tuple[int, ...]
    elsewhere: tuple[Mapping[str, float], ...] = ()
    definite: bool = True
    metric_definite: bool = True
    coefficients: tuple[str, ...] = ()

    principle: ClassVar[str]
    formula: ClassVar[str]
    by_multipliers: ClassVar[bool] = True
    has_lean_form: ClassVar[bool] = False

    # --- what a principle says -----------------------------------------------------------------------------------

    def derive(self, algebra: Algebra) -> Form:
        """The form W, N, f, g over any algebra."""
        raise NotImplementedError

    @property
    def heading(self) -> str:
        """The principle in words, with the sign convention of its multipliers; ``{title}`` is the system's."""
        raise NotImplementedError

    @property
    def header(self) -> str:
        """The heading with the title of this system."""
        return self.heading.format(title=self.system.title or "System")

    @property
    def lagrangian(self) -> sp.Expr:
        """L, or L - lam phi where the multipliers are states."""
        return self.system.lagrangian

    @property
    def constraints(self) -> tuple[Any, ...]:
        """The constraints in force."""
        return tuple(self.system.constraints)

    @property
    def states_of_multipliers(self) -> tuple[sp.Symbol, ...]:
        """Symbols ``lam_<constraint>`` that are states (vakonomic), or none."""
        return ()

    @property
    def dependent(self) -> tuple[int, ...]:
        """Positions of the velocities that this form expresses by the others; none where it chooses by itself."""
        return ()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was noticed about the system and its constraints."""
        return ()

    @cached_property
    def walls(self) -> tuple[Event, ...]:
        """The walls that the system declares, as events at which the velocities jump."""
        return ()

    @cached_property
    def contacts(self) -> Contacts | None:
        """The contacts that act in these motions."""
        return None

    @cached_property
    def direct(self) -> Explicit | None:
        """A s = b, udot = Z s + z on the graph of `machine`, of a form without multipliers, or None."""
        return None

    def shown(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """The own rows of a form without multipliers for the eye, given symbols for the accelerations."""
        raise NotImplementedError

    def lean_at(self, values: Mapping[str, float] | None) -> Lean | None:
        """A lean form whose pivots are the largest at these values of all symbols; None where there is none."""
        return None

    def matrix_form(self) -> MatrixForm | None:
        """The lean form before it is solved, for the eye, if that can be written."""
        return None

    @cached_property
    def in_entries(self) -> InEntries | None:
        """The equations with the entries of rotation matrices, for the eye, if there are rotations."""
        return None

    # --- names ---------------------------------------------------------------------------------------------------

    @property
    def space(self) -> Any:
        """The system's space."""
        return self.system.space

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Names of all states in order: coordinates, velocities, multipliers that are states."""
        return tuple(s.name for s in (*self.space.coordinates, *self.space.velocities, *self.states_of_multipliers))

    @cached_property
    def multipliers(self) -> tuple[sp.Symbol, ...]:
        """``lam_<constraint>`` of each constraint."""
        return tuple(c.multiplier for c in self.constraints)

    @property
    def lean(self) -> Lean:
        """The same motions in speeds that the constraints leave free, from as few operations as can be found.

        Raises:
            InvalidValue: E160, a constraint is nonlinear in the velocities, or the principle or form has none.
        """
        if self.lean_if_any is not None:
            return self.lean_if_any
        fact = f"{self.principle} equations of this system have no lean form"
        if not self.has_lean_form:
            raise InvalidValue("E160", fact, "da.nonholonomic(system).lean, or take the equations as they are")
        why = "a constraint is nonlinear in the velocities"
        raise InvalidValue("E160", f"{fact}: {why}", "take the equations as they are")

    @cached_property
    def lean_if_any(self) -> Lean | None:
        """The lean form of these equations; None where there is none."""
        found = self.lean_at(None)
        return None if found is None else replace(found, equations=self)

    @cached_property
    def charts(self) -> Charts | None:
        """The lean forms of different choices of pivots, with poles at different places; None where there are none."""
        return None if self.lean_if_any is None else Charts(self.lean_if_any, self.lean_at)

    def steered_by(self, formulas: Mapping[str, sp.Expr], coefficients: Sequence[str] = ()) -> Equations:
        """The equations with inputs given by formulas in t, states, parameters, and coefficients that are parameters.

        They are made once for the same formulas.
        """
        key = (tuple(sorted((name, sp.srepr(e)) for name, e in formulas.items())), tuple(coefficients))
        if key not in self._steered:
            system = self.system.steered_by(formulas, coefficients)
            self._steered[key] = replace(self, system=system, coefficients=tuple(coefficients))
        return self._steered[key]

    @cached_property
    def _steered(self) -> dict[tuple[object, ...], Equations]:
        return {}

    # --- the two readings ----------------------------------------------------------------------------------------

    @cached_property
    def symbolic(self) -> Form:
        """The form in SymPy, for the eye."""
        return self.derive(Symbolic())

    @cached_property
    def machine(self) -> MachineForm:
        """The form on the expression graph, for numbers."""
        return self._form_on(self.system.algebra)

    def apart(self) -> Equations:
        """The same equations on a graph of their own.

        On the system's graph the order of nodes, and with it that of sums, tells what was asked before; here it does
        not, so that the same equations become the same code in every process.
        """
        twin = replace(self)
        twin.__dict__["machine"] = self._form_on(self.system.over(Graph()))
        return twin

    def _form_on(self, algebra: GraphAlgebra) -> MachineForm:
        form, motion = self.derive(algebra), Motion.of(self.space.frame, algebra)
        L, phi = algebra.read(self.lagrangian), [c.row(motion) for c in self.constraints]
        mu = [algebra.graph.symbol(f"mu:{c.name}") for c in self.constraints]
        Q = [algebra.read(e) for e in self.system.forces]
        # dE/dt = -dL/dt + u^a (Q_a + lam_s N^s_a); a reaction does no work where phi is linear, N^s_a u^a = phi^s = 0
        working = [] if self.states_of_multipliers else [c.kind != "linear" for c in self.constraints]
        push = [(mu[s], form.N[s]) for s, works in enumerate(working) if works]
        R = [Q[a] + motion.sum(lam * row[a] for lam, row in push) for a in range(len(Q))]
        power = motion.sum(u * r for u, r in zip(motion.u, R, strict=True)) - algebra.gradient(L, [motion.t])[0]
        position = {i: algebra.read(c.position) for i, c in enumerate(self.constraints) if c.holonomic}
        metric = motion.euler_lagrange(algebra.read(self.system.lagrangian)).matrix
        terms = {row: c.terms(motion) for row, c in zip(phi, self.constraints, strict=True)}
        written = [c.given for c in self.constraints if c.holonomic]
        terms |= {algebra.read(e): [algebra.read(term) for term in sp.Add.make_args(e)] for e in written}
        return MachineForm(algebra.graph, form, motion.qdot, phi, position, motion.energy(L), power, mu, metric, terms)

    @cached_property
    def solution(self) -> Saddle:
        """W and the Schur complement of the independent rows, factored on the graph."""
        form = self.machine.form.rows(self.kept)
        return Saddle.of(form.W, form.N)

    @cached_property
    def written_out(self) -> bool:
        """Is elimination, without choice of pivots, part of the code? If it is long, matrices are solved in numbers."""
        return self.definite and self.elimination.products <= LONGEST_ELIMINATION

    @cached_property
    def elimination(self) -> Elimination:
        """What the elimination of the accelerations would take."""
        form = self.machine.form.rows(self.kept)
        return Elimination.of(form.W, form.N) if self.direct is None else Elimination.of(self.direct.A, [])

    @cached_property
    def solved(self) -> tuple[list[Node], Factored]:
        """udot of `direct` on the graph, by elimination without choice of pivots, and its A factored."""
        direct = self.direct
        if direct is None:
            raise TypeError(f"{self.principle} has multipliers: see `solution`")
        factored = Factored.of(direct.A)
        s = factored.solve(direct.b)
        # udot = Z s + z
        udot = [dot(row, s) + zi if row else zi for row, zi in zip(direct.Z, direct.z, strict=True)]
        return udot, factored

    def operations(self) -> dict[str, int]:
        """Operations of one evaluation of the accelerations, by kind, and their ``"total"``.

        Those of the multipliers are counted where the form has them. Elimination that is too long to be written out is
        counted by where its entries are not 0.
        """
        form, direct = self.machine.form.rows(self.kept), self.direct
        count: Counter[str] = Counter()
        if self.elimination.products > LONGEST_ELIMINATION:
            rows = [*form.W, *form.N, form.f, form.g] if direct is None else [*direct.A, direct.b, *direct.Z, direct.z]
            solved = [entry for row in rows for entry in row]
            count.update(self.elimination.operations(len(form.W) + len(form.N) if direct is None else len(direct.A)))
        elif direct is None:
            solved = [entry for part in self.solution.solve(form.f, form.g) for entry in part]
        else:
            solved = self.solved[0]
        count.update(operations([*self.machine.qdot, *solved]))
        return {**count, "total": sum(count.values())}

    # --- numbers -------------------------------------------------------------------------------------------------

    def start(
        self,
        vector: Any = None,
        /,
        *,
        t: float | EllipsisType = ...,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Any = None,
        project: str | None = None,
        hold: str | Sequence[object] | None = None,
        guess: Mapping[str, object] | None = None,
        **given: Any,
    ) -> Start:
        """Complete a consistent state from values given by name, or refuse.

        Args:
            vector: values in a mapping ``{name: value}``, a row of a path, a start, or all states in order.
            t: the time of the start; left out, that of the row, start or mapping, else 0.
            parameters: values that replace the system's.
            inputs: values of inputs at the start; needed where constraints or momenta hold them.
            project: ``"kinetic"`` moves an inconsistent full state to the nearest consistent one in the kinetic
                metric, and reports the change.
            hold: names of the values that are exact, a coordinate's rate with it; other values are a guess then. Left
                out, all that is given is held where there is a guess.
            guess: values by name with which the search begins. What is not held is moved, in the kinetic metric, to
                where the constraints hold; of several assemblies that are found the nearest is taken, and they are
                counted (`Start.places`).
            given: coordinates, velocities, and multipliers that are states, by name; a rotation by its own name.

        Returns:
            A `Start`: a mapping of all states, which says what was given and what follows.

        Raises:
            DalembertError: E20x, E23x, E24x for values that are missing, misspelt, inconsistent or not numbers.
            Singular: E108, E121, E126, E237 where the motion is not determined at this state; E162 where it is, but
                not by this form.
        """
        if isinstance(vector, Start):
            guess = guess or vector.guess or None
            vector, t, parameters = restarted(self, vector, t, parameters)
        start = complete(self, vector, given, t, with_inputs(self, parameters, inputs), project, hold, guess)
        self.check_form({**unset(self), **start.parameters, **start.state, TIME.name: start.t})
        return start

    def rows_at(self, values: Mapping[str, float]) -> Equations:
        """The same equations on rows that are well independent at a state, where those kept are not, or are not all."""
        kept, rank = list(self.kept), len(self.kept)
        if rank in (0, len(self.constraints)):
            return self
        numbers = Numbers.of(self.machine.form, values)
        unit = energy_units(numbers.W)
        A = numbers.N * unit
        if not np.isfinite(A).all():
            return self
        # each row in units of what its entries are known to a rounding of, here or as a rule: one that is small here
        # alone holds its place no better than to the square
        moving = {s.name for s in self.space}
        others = [{**values, **{k: v for k, v in there.items() if k in moving}} for there in self.elsewhere]
        usual = [np.zeros(len(A)), *(row_sizes(self.machine.form.N, there, unit) for there in others)]
        A = A / np.maximum(row_sizes(self.machine.form.N, values, unit), np.max(usual, axis=0))[:, None]
        sizes = np.linalg.svd(A, compute_uv=False)
        # rows that follow from others on the constraints do so here as nearly as positions are known
        found = int(np.sum(sizes > np.where(np.arange(len(sizes)) < rank, RANK_TOLERANCE, OFF_ROWS * sizes[0])))
        fair = np.linalg.svd(A[kept], compute_uv=False)[-1] >= FAIR_ROWS * sizes[rank - 1] > 0
        if fair and found <= rank:
            return self
        if found < rank or (self.dependent and found > rank):
            return self
        here = well_independent(A, found)
        if here not in self._on_rows:
            new = self._on_rows[here] = replace(self, kept=here)
            new.__dict__.update(machine=self.machine, _on_rows=self._on_rows)
        return self._on_rows[here]

    @cached_property
    def _on_rows(self) -> dict[tuple[int, ...], Equations]:
        """The same equations by the rows kept."""
        return {self.kept: self}

    def check_form(self, values: Mapping[str, float]) -> None:
        """Refuse a state at which this form is singular though the motion is not.

        Raises:
            Singular: E162, the dependent velocities are not determined by the others here.
        """
        if not self.dependent:
            return
        share = float(self.share(values))
        if share > WEAK_PIVOT:
            return
        names = [self.space.velocities[a].name for a in self.dependent]
        raise Singular(
            "E162",
            f"the form {self.principle} is singular at t = {values[TIME.name]:g}, the motion is not: here the "
            f"constraints do not determine {', '.join(names)} by the other velocities",
            (
                *(
                    Call(typed(self.principle).removeprefix("da."), "system, dependent=(...)"),
                    f" with other velocities than {', '.join(names)}, or ",
                ),
                *(Principle("maggi"), ", which is regular here"),
            ),
            f"the pivot det(dphi/d({', '.join(names)})) is {share:.2g} of its greatest possible size, "
            f"less than {WEAK_PIVOT:g}",
        )

    def share(self, values: Mapping[str, Any]) -> np.ndarray:
        """|det N_D| over the volume of the rows of N, (...): the share of the dependent velocities in the constraints.

        It is 1 where they alone are constrained and 0 where the others do not determine them; velocities count in the
        unit in which each carries energy of order 1.
        """
        assert self.direct is not None
        above = stack(evaluate(self.direct.charts[:1], values), values)[..., 0]
        return np.sqrt(np.maximum(above + WEAK_PIVOT**2, 0.0))

    def evaluate(
        self,
        state: object,
        parameters: Mapping[Any, Any] | None = None,
        *,
        inputs: Mapping[str, float | str] | None = None,
    ) -> dict[str, dict[str, float]]:
        """Accelerations, multipliers and reactions at a state.

        Args:
            state: a `Start`, or a mapping of values that `start` can complete; a row ``path.at(t)`` has its inputs too.
            parameters: values that replace those the start was completed with.
            inputs: values of inputs, which the start need not have.

        Returns:
            ``accelerations`` (udot) by velocity name, ``multipliers`` by theirs, ``lam_<constraint>`` (the constraint's
            alone is understood), ``reactions`` (R_a = EL_a(L) - Q_a) by velocity name, ``rates`` (qdot) by coordinate
            name; where multipliers are states also ``multiplier_rates``. Forces of contacts are not among them: where
            one is closed that is doubted (W803).

        Raises:
            DalembertError: what `start` raises, if the state has to be completed or the parameters change it.
        """
        start = state_of(self, state, with_inputs(self, parameters, inputs, state))
        values = {**start.parameters, **start.state, TIME.name: start.t}
        self._doubt_contacts(values)
        self.check_form(values)
        m = self.machine
        for nodes in (m.form.looked_at(values), m.qdot):
            require(nodes, values, f"at t = {start.t:g}")
        udot, mu = self.rows_at(values).accelerations(values)
        names = [c.name for c in self.constraints]
        rates = Multipliers.of(names, map(float, mu))
        states = Multipliers({s.name: start[s.name] for s in self.states_of_multipliers})
        result = {
            "accelerations": self._by_velocity(udot),
            "multipliers": states if self.states_of_multipliers else rates,
            "reactions": self._by_velocity(self._reactions(udot, values)),
            "rates": {q.name: float(v) for q, v in zip(self.space.coordinates, evaluate(m.qdot, values), strict=True)},
        }
        return {**result, "multiplier_rates": rates} if self.states_of_multipliers else result

    def _doubt_contacts(self, values: Mapping[str, float]) -> None:
        """W803: contacts that are closed at a state push there; what has a load in place of a gap always is."""
        gaps, sizes = sized([read(c.gap, self.machine.graph) for c in self.system.contacts], values)
        each = zip(self.system.contacts, gaps, sizes, strict=True)
        closed = [c for c, gap, size in each if c.load is not None or gap <= 1e-9 * size]
        if closed:
            names, column = ", ".join(c.name for c in closed), closed[0].columns[0]
            fact = f"{names}: closed here, and these accelerations are those without the forces of contacts"
            warn("W803", f"{fact}; a run has them, with columns {column} and the like")

    def accelerations(self, values: Mapping[str, object]) -> tuple[np.ndarray, np.ndarray]:
        """(udot, mu), shapes (..., k) and (..., m), at states given as ``{name: number or array}`` with parameters
        and t.

        Where constraints depend on each other, reactions are those of least norm, and rates of multipliers that are
        states are 0 on the rows left out.
        """
        _check_numbers(values)
        numbers = Numbers.of(self.machine.form, values)
        if self.direct is not None:
            udot = self.direct.solve(values)
            # N^T mu = W udot - f
            R = (numbers.W @ udot[..., None])[..., 0] - numbers.f
            return udot, along_rows(numbers.W, numbers.N, len(self.kept), R)
        kept = list(self.kept)
        udot, mu = numbers.rows(kept).solve()
        if not self.states_of_multipliers:
            return udot, least_norm(numbers.N, self.kept, mu)
        every = np.zeros((*mu.shape[:-1], len(self.constraints)))
        every[..., kept] = mu
        return udot, every

    def _reactions(self, udot: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        # R_a = EL_a(L) - Q_a with the Lagrangian as given
        if not self.states_of_multipliers:
            numbers = Numbers.of(self.machine.form, values)
            return np.asarray(numbers.W @ udot - numbers.f)
        _, W, h, Q = self._unconstrained
        k = len(udot)
        rest, forces = np.split(np.array(evaluate([*h, *Q], values), float), [k])
        return np.asarray(numbers_of(W, k, values) @ udot + rest - forces)

    @cached_property
    def _unconstrained(self) -> tuple[Graph, Any, Any, Any]:
        algebra = self.system.algebra
        W, h = Motion.of(self.space.frame, algebra).euler_lagrange(algebra.read(self.system.lagrangian))
        return algebra.graph, W, h, [algebra.read(Q) for Q in self.system.forces]

    def _by_velocity(self, values: np.ndarray) -> dict[str, float]:
        return {u.name: float(v) for u, v in zip(self.space.velocities, values, strict=True)}

    @cached_property
    def work(self) -> int:
        """Operations that the form takes as it is computed, for what is printed of it."""
        from .written_rows import computed

        return computed(self)

    @cached_property
    def _sheets(self) -> dict[tuple[object, ...], Sheet]:
        """What was written before, by its symbols; it takes its time."""
        return {}

    # --- the eye -------------------------------------------------------------------------------------------------

    def _sheet(self, udot: Mapping[sp.Symbol, sp.Symbol], mu: list[sp.Symbol]) -> Sheet:
        from .printed_sheet import sheet

        return sheet(self, udot, mu, True)

    def to_latex(self, *, numbered: bool = True, fold: bool = True, width: int | None = None) -> str:
        """The equations as a LaTeX ``aligned`` environment, with the multipliers' sign convention in its header.

        Args:
            numbered: number the equations of motion.
            fold: break long rows to the width of an A4 column and fold what repeats behind names; equations that are
                too long to be read even then are counted, not printed. False writes every row whole, on one line.
            width: of the column, in letters; an A4 column of 160 mm at 10 pt, by default, has 78.

        Raises:
            InvalidValue: E136, the derivation in symbols exceeds the system's budget.
        """
        from .printed_sheet import latex

        column = None if width is None else whole(width, "width", least=1)
        return latex(self, switch(numbered, "numbered"), switch(fold, "fold"), column)

    def latex(self, width: int | None = None) -> str:
        """`to_latex` without numbers."""
        return self.to_latex(numbered=False, width=width)

    def text(self, width: int | None = None) -> str:
        """The equations as plain text, ``'`` being the time derivative; rows longer than `width` are broken.

        Equations of more than 5,000 operations are counted: ``to_latex(fold=False)`` writes them, `to_c` as a program.
        """
        from .printed_sheet import text

        return text(self, None if width is None else whole(width, "width", least=1))

    def _repr_latex_(self) -> str | None:
        from .printed_sheet import notebook

        return notebook(self)

    def __str__(self) -> str:
        from .printed_sheet import summary

        return summary(self)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return html(self)

    # --- elsewhere -----------------------------------------------------------------------------------------------

    def to_python(
        self, *, parameters: object = None, start: object = None, pivots: bool = False, until: float | None = None
    ) -> str:
        """A module of Python that needs its standard library only, with a main that integrates and prints CSV.

        Walls, contacts and ends of slipping are not watched (W803): the motion goes on as if there were none.

        Args:
            parameters: values that replace the system's; one without a value is asked for when the program runs.
            start: a `Start`, or values that `start` completes; without it the program asks for the states.
            pivots: solve for the accelerations with pivots even where these seem not to be needed.
            until: the time, in s, to which it integrates where it is told no other when it runs; by default 10 s after
                the start.

        Raises:
            DalembertError: what `start` raises, E202, E204 for parameters, E301, E302 for no later time.
        """
        listing = code.Listing.of(self, parameters, start, switch(pivots, "pivots"))
        return code.python.text(code.doubted(listing, 4).to(until))

    def to_c(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        start: Start | Mapping[str, object] | None = None,
        pivots: bool = False,
        main: bool = False,
        until: float | None = None,
    ) -> str:
        """One file of C99: the functions ``rhs``, ``multipliers`` and ``residual``, names and values, for other code.

        Args:
            parameters: values that replace the system's.
            start: as of `to_python`: the values in ``START``.
            pivots: as of `to_python`.
            main: add a main as of `to_python`, which makes it a program that stands alone.
            until: as of `to_python`, of that main.

        Raises:
            DalembertError: as of `to_python`.
        """
        listing = code.Listing.of(self, parameters, start, switch(pivots, "pivots"))
        return code.c.text(code.doubted(listing, 4).to(until), switch(main, "main"))

    def to_fmu(
        self,
        file: str | Path,
        *,
        start: Start | Mapping[str, object] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        pivots: bool = False,
        binary: bool | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write a Functional Mock-up Unit: model exchange of FMI 3.0 [fmi2022], C sources inside, for other tools.

        Its variables are the states, their rates ``der(...)``, parameters and inputs by their names; beside them the
        multipliers, what is 0 along the motion ``residual(...)``, ``energy``, and ``power``, its rate. The importing
        tool integrates; it does not return to the constraints, which drift by what the residuals tell. `Lean.to_fmu`
        keeps linear and affine ones whatever it does. Walls, contacts and ends of slipping are not watched, which its
        description and a doubt (W803) say.

        Args:
            file: the name of the file, which ends in ``.fmu``.
            start: a `Start`, or values that `start` completes: what the states begin with.
            parameters: values that replace the system's.
            inputs: what the inputs begin with, until the importing tool sets them; 0 where neither this nor the start
                says, and no constraint holds them.
            pivots: as of `to_python`.
            binary: with a shared library for this machine? By default where a C compiler is there.
            overwrite: replace a file that something else made.

        Returns:
            The path of the file; the same equations, start and compiler make the same bytes.

        Raises:
            DalembertError: what `start` raises; E804 another ending, or a name that two variables would have;
                E805, a binary is asked for and none can be made; E501, E510, E530 a place where it cannot be written.
        """
        flags = switch(pivots, "pivots")
        return code.fmu.export(
            lambda: code.fmu.as_written(self, start, parameters, inputs, flags),
            file,
            self.system.title,
            None if binary is None else switch(binary, "binary"),
            switch(overwrite, "overwrite"),
        )

    def to_javascript(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        start: Start | Mapping[str, object] | None = None,
        pivots: bool = False,
        until: float | None = None,
    ) -> str:
        """The equations as one file of JavaScript, for node or a page; arguments and errors as of `to_python`."""
        listing = code.Listing.of(self, parameters, start, switch(pivots, "pivots"))
        return code.javascript.text(code.doubted(listing, 4).to(until))

    def to_casadi(self, function: str = "rhs", *, pivots: bool = False) -> casadi.Function:
        """A `casadi.Function` of (t, state, parameters, inputs), with CasADi's derivatives, solvers and generated code.

        Its arguments are columns in the order of `states`, of `system.parameters` and of `system.inputs`; one that is
        left out is not a number. It holds no Python, so that Ipopt and CasADi's integrators may take it as it is.

        Args:
            function: ``"rhs"``, d/dt of all states; ``"multipliers"``, those that are no states; ``"residual"``, what
                is 0 along the motion: constraints, and what holds rotations and directions to unit length.
            pivots: solve for the accelerations in a way that needs no definite metric.

        Raises:
            InvalidValue: E801 CasADi is not installed (``pip install 'dalembert[steer]'``), E803 it lacks a function.
            UnknownName: E317, no such function.
        """
        code.doubt_unwatched(self)
        listing = code.Listing.of(self, {}, pivots=switch(pivots, "pivots"))
        return code.casadi_function(listing, one_of(listing.functions, function, "function", "function"))

    def to_jax(
        self, function: str = "rhs", *, parameters: Mapping[str, float] | None = None, pivots: bool = False
    ) -> code.PureFunction:
        """The rates for JAX: a pure function f(t, state, parameters, inputs), for ``jit``, ``grad`` and ``vmap``.

        ``state`` is an array in the order of `states`; ``parameters`` and ``inputs`` are values by name, of which those
        parameters that are left out are the system's. It switches JAX to numbers of 64 bits.

        Args:
            function: as of `to_casadi`.
            parameters: values that replace the system's.
            pivots: as of `to_casadi`.

        Raises:
            InvalidValue: E801 JAX is not installed (``pip install 'dalembert[jax]'``), E803 it lacks a function.
            UnknownName: E317, no such function; E202, no such parameter.
        """
        code.doubt_unwatched(self)
        listing = code.Listing.of(self, parameters, pivots=switch(pivots, "pivots"))
        return code.PureFunction.of(listing, one_of(listing.functions, function, "function", "function"))

    def to_callable(self, parameters: Mapping[Any, Any] | None = None) -> code.RightHandSide:
        """f(t, y) for `scipy.integrate.solve_ivp`, with ``.states`` and ``.y0(...)``; see `RightHandSide`.

        Whatever integrates it passes through walls and contacts (W803).
        """
        code.doubt_unwatched(self)
        return code.RightHandSide.of(self, parameters)

    def to_sympy(self, *, dynamicsymbols: bool = False) -> code.Matrices:
        """``mass_matrix_full``, ``forcing_full`` and so on as of SymPy's `LagrangesMethod`; see `Matrices`."""
        return code.Matrices.of(self, switch(dynamicsymbols, "dynamicsymbols"))


def _check_numbers(values: Mapping[str, object]) -> None:
    """E204, E241: a state is numbers, or arrays of them, by name."""
    for name, value in mapping(values, "a state", "E241", '{"x": 0.0, "vx": 1.0, "t": 0.0, "m": 1.0}').items():
        kind = getattr(getattr(value, "dtype", None), "kind", "-")
        if not isinstance(value, Real) and kind not in ("i", "u", "f"):
            raise WrongType("E204", f"{name} = {as_given(value)} is not a number", f"{{{as_given(name)}: 1.0}}")
