"""Equations at given parameter values: everything that is evaluated along a path.

States are rows y of what is integrated, (q, u, lam where these are states, work) or (q, s, work) in the speeds of a
lean form, shape (N, n + 1), at times t, shape (N,). Full rows are (q, u, lam, work) always, as the equations have them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Node, evaluate
from ...equations import Equations, Lean, Numbers, Start
from ...equations.determinacy import digits_kept
from ...equations.lean_form import Charts
from ...equations.residual_scale import measured, scales
from ...equations.saddle_form import MachineForm
from ..machine.batch_calls import map_rows, value_at
from .compiled_kernel import Beside, Kernel, pivoting
from .constraint_projection import USUAL, Stabilisation

FALLEN = 1e-4  # of the rank margin: what is left of it where other pivots are chosen for equations as written
_ENTRIES = 2_000_000  # of matrices that are solved at once: bounds the memory


@dataclass(frozen=True, eq=False)
class Field:
    """One set of equations and one start, compiled.

    Attributes:
        equations, start: what moves, and from where.
        stabilisation: what keeps it on its constraints.
        beside: what a method compiles together with the right-hand side, see `Kernel.of`.
        lean: the form that is integrated; None for the equations as they are written.
        by_pivots: are these solved with pivots that are chosen at each state, whatever was seen at the start?
        fallen: what the rank margin at the start is of an earlier one, at least.
    """

    equations: Equations
    start: Start
    stabilisation: Stabilisation = USUAL
    beside: Beside | None = None
    lean: Lean | None = None
    by_pivots: bool = False
    fallen: float = 1.0

    def in_speeds(self, charts: Charts) -> Field:
        """The same motion in the speeds of a lean form that is regular at the start; as it is where there is none."""
        values = {**self.parameters, **self.start.state, TIME.name: self.start.t}
        return replace(self, lean=charts.regular(values))

    def going_on(self, t: float, full: np.ndarray, turns: bool) -> Field:
        """The same motion from a later state on, of which a full row is given, by rows that are independent there.

        It goes on in a lean form that is regular there, where there is one and the method `turns`; from equations as
        they are written with pivots chosen at each state.
        """
        state = dict(zip(self.equations.states, full[:-1].tolist(), strict=True))
        values = {**self.parameters, **state, TIME.name: t}
        equations = self.equations.rows_at(values)
        charts = equations.charts if self.lean is not None and turns else None
        lean = None if charts is None else charts.best(values)
        start = replace(self.start, state=state, t=t)
        new = replace(self, equations=equations, start=start, lean=lean, by_pivots=self.lean is None)
        return new if lean is not None else replace(new, fallen=FALLEN)

    def with_values(self, values: Mapping[str, float]) -> Field:
        """The same motion with other values of some parameters from here on, such as inputs that jump.

        It is in the same states and the same code, and its pivots count in the same units.
        """
        parameters = {**self.parameters, **values}
        new = replace(self, start=replace(self.start, parameters=parameters))
        new.__dict__.update(kernel=self.kernel, first=self.first, p=self.kernel.changed(self.p, parameters))
        return new

    def looked_at(self, parameters: Mapping[str, float | np.ndarray]) -> Field:
        """The field with parameters that are arrays along a path (N,), for what is evaluated on the graph."""
        new = replace(self)
        new.__dict__["parameters"] = parameters
        return new

    def as_written(self) -> Field:
        """The same motion from the equations as they are written."""
        return replace(self, lean=None)

    def with_kernel(self, kernel: Kernel) -> Field:
        """The field by code that was chosen at another start; as it is where a pivot of that is not positive here."""
        values = {**self.parameters, **self.start.state, TIME.name: self.start.t}
        if kernel.pivots and not np.all(np.array(evaluate(list(kernel.pivots), values), float) > 0):
            return self
        new = replace(self)
        new.__dict__["kernel"] = kernel
        return new

    @cached_property
    def kernel(self) -> Kernel:
        """Compiled code; with a choice of pivots where elimination is long, or fails or loses digits at the start.

        Raises:
            Singular: E162, the form of the equations is singular at the start.
        """
        if self.lean is not None:
            return Kernel.of(self.equations, self.stabilisation, self.beside, lean=self.lean)
        values = {**self.parameters, **self.start.state, TIME.name: self.start.t}
        self.equations.check_form(values)
        if not self.by_pivots and (self.equations.written_out or not self.equations.definite):
            kernel = Kernel.of(self.equations, self.stabilisation, self.beside)
            positive = np.all(np.array(evaluate(list(kernel.pivots), values), float) > 0)
            if positive and (not kernel.pivots or digits_kept(self.equations, values)):
                return kernel
        return Kernel.of(pivoting(self.equations), self.stabilisation, self.beside)

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """Parameter values by name."""
        return dict(self.start.parameters)

    @cached_property
    def p(self) -> np.ndarray:
        """Parameters as the kernel takes them."""
        speeds = dict(zip(self.states, self.first, strict=False))
        return self.kernel.vector(self.parameters, {**self.start.state, **speeds, TIME.name: self.start.t})

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states that are integrated, the work left out."""
        return self.equations.states if self.lean is None else self.lean.states

    @cached_property
    def velocities(self) -> list[int]:
        """Where the velocities stand in a full row."""
        return [self.equations.states.index(s.name) for s in self.equations.space.velocities]

    @cached_property
    def first(self) -> np.ndarray:
        """The state y at the start, no work done; nobody writes in it."""
        full = np.append(self.start.vector, 0.0)
        first = full if self.lean is None else self._between("within", np.array([self.start.t]), full[None])[0]
        first.flags.writeable = False
        return first

    def full(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Full rows for states that were integrated."""
        return y if self.lean is None else self._between("full", t, y)

    def within(self, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """States to integrate, for full rows that the constraints allow."""
        return full if self.lean is None else self._between("within", t, full)

    def _between(self, name: str, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        names = self.equations.states if name == "full" else self.states
        out = np.empty((len(t), len(names) + 1))
        at = np.ascontiguousarray(t, float), np.ascontiguousarray(y, float)
        map_rows(self.kernel.library.address(name), *at, self._given, out)
        return out

    @cached_property
    def _given(self) -> np.ndarray:
        """The parameters alone."""
        return np.array([self.parameters[name] for name in self.kernel.parameters], float)

    @property
    def project_address(self) -> int:
        """Address of the projection, 0 where it is not projected or nothing has to be kept."""
        return self.kernel.project

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """dy/dt (n + 1,) at one time and state (n + 1,)."""
        return np.asarray(value_at(self.kernel.rhs, t, y, self.p, len(y) + 1)[:-1])

    def margins(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Rank margins at times and states (N,)."""
        out = np.empty((len(t), y.shape[1] + 1))
        map_rows(self.kernel.rhs, np.ascontiguousarray(t, float), np.ascontiguousarray(y, float), self.p, out)
        return out[:, -1]

    @cached_property
    def first_margin(self) -> float:
        """The rank margin at the start; 1 where it counts by its value there."""
        return 1.0 if self.kernel.pivots else float(self.margins(np.array([self.start.t]), self.first[None])[0])

    @property
    def fair_margin(self) -> float:
        """The rank margin where it was not small yet."""
        return min(self.first_margin, 1.0) / self.fallen

    def project(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """States moved back to the constraints, if it is projected."""
        if not self.project_address:
            return y
        out = np.empty(y.shape)
        map_rows(self.project_address, np.ascontiguousarray(t, float), np.ascontiguousarray(y, float), self.p, out)
        return out

    def project_one(self, t: float, y: np.ndarray) -> np.ndarray:
        """One state (n + 1,) moved back; where there is no way back, as at a loss of rank, the state itself."""
        return self.project_each(np.array([t]), y[None])[0]

    def project_each(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """States (N, n + 1) moved back; where there is no way back, the states themselves."""
        moved = np.asarray(self.project(t, y))
        return np.where(np.isfinite(moved).all(axis=1, keepdims=True), moved, y)

    def values(self, t: float | np.ndarray, y: np.ndarray) -> dict[str, Any]:
        """Values of all symbols at times and states; one state (n + 1,) at one time gives numbers."""
        if self.lean is None:
            return self.known(t, y)
        rows = np.atleast_2d(y)
        full = self.full(np.broadcast_to(np.asarray(t, float), len(rows)), rows).reshape(*y.shape[:-1], -1)
        return {**self.known(t, full), **dict(zip(self.states, y.T, strict=False))}

    def known(self, t: float | np.ndarray, full: np.ndarray) -> dict[str, Any]:
        """Values of all symbols of the equations at times and full rows."""
        values = {**self.parameters, **dict(zip(self.equations.states, full.T, strict=False)), TIME.name: t}
        return values if not self.equations.system.steered else {**values, **self._formulas(values)}

    def _formulas(self, values: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
        """Values of inputs that are given by formulas."""
        steered, graph = self.equations.system.steered, self.equations.machine.graph
        return dict(zip(steered, evaluate([read(e, graph) for e in steered.values()], values), strict=True))

    def inputs(self, t: np.ndarray, full: np.ndarray) -> dict[str, np.ndarray]:
        """Values of the inputs (N,) by name, at times and full rows."""
        system, values = self.equations.system, self.known(t, full)
        return {n: np.broadcast_to(np.asarray(values[n], float), t.shape) for n in system.inputs if n in values}

    def at(self, node: Node, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """A node's values (N,)."""
        return np.broadcast_to(np.asarray(evaluate([node], self.values(t, y))[0], float), t.shape)

    def energy(self, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """E = u dL/du - L of full rows, (N,)."""
        return self._derived("energy", t, full, 1)[:, 0]

    def _derived(self, name: str, t: np.ndarray, full: np.ndarray, width: int) -> np.ndarray:
        """A function of `Kernel.derived` at times and full rows, (N, width)."""
        out = np.empty((len(t), width))
        at = np.ascontiguousarray(t, float), np.ascontiguousarray(full, float)
        map_rows(self.kernel.derived.address(name), *at, self.p, out)
        return out

    def form(self, t: np.ndarray, y: np.ndarray) -> Numbers:
        """W, N, f, g."""
        return Numbers.of(self.equations.machine.form, self.values(t, y))

    def multipliers(self, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """Multipliers that are reactions, of full rows (N, m); of least norm at a loss of rank, where a run ends."""
        if "multipliers" in self.kernel.derived.addresses:
            found = self._derived("multipliers", t, full, len(self.equations.constraints))
            if np.isfinite(found).all():
                return found
        size = self.equations.machine.form.size
        blocks = np.array_split(np.arange(len(t)), 1 + len(t) * size // _ENTRIES)
        return np.concatenate([self._solved(t[b], full[b]) for b in blocks])

    def _solved(self, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        values = self.known(t, full)
        try:
            mu = self.equations.accelerations(values)[1]
        except np.linalg.LinAlgError:
            form = Numbers.of(self.equations.machine.form, values)
            x = np.linalg.pinv(form.bordered) @ np.concatenate([form.f, form.g], axis=-1)[..., None]
            mu = x[..., form.f.shape[-1] :, 0]
        return np.broadcast_to(mu, (len(t), len(self.equations.constraints)))


# --- Residuals of the constraints along a path -----------------------------------------------------------------------

_TOGETHER = 100_000  # rows times states that are evaluated at once: they share what they have in common


def residuals(field: Field, t: np.ndarray, full: np.ndarray) -> tuple[list[float], list[float]]:
    """Per constraint: largest |phi| (|f| too, where it is holonomic), and the same over the size of the row's terms."""
    machine, space, values = field.equations.machine, field.equations.space, field.known(t, full)
    held, many = sorted(machine.position), 1 + _TOGETHER // len(t)
    speeds = {u.name: float(np.max(np.abs(values[u.name]))) for u in space.velocities}
    ways = {q.name: float(np.ptp(values[q.name])) for q in space.coordinates}
    absolute, relative = _sizes(machine, machine.phi, space.velocities, values, many, speeds)
    places = _sizes(machine, [machine.position[i] for i in held], space.coordinates, values, many, ways)
    for i, size, share in zip(held, *places, strict=True):
        absolute[i], relative[i] = max(absolute[i], size), max(relative[i], share)
    return absolute, relative


def _sizes(
    machine: MachineForm,
    rows: Sequence[Node],
    over: Sequence[object],
    values: Mapping[str, object],
    many: int,
    extents: Mapping[str, float],
) -> tuple[list[float], list[float]]:
    """The largest value of each row, and the same over the size of its terms; `many` rows at a time."""
    absolute, relative = list[float](), list[float]()
    for first in range(0, len(rows), many):
        some = rows[first : first + many]
        sizes, units = measured(machine.terms, some, over, values, extents)
        absolute += sizes
        relative += [size / (unit or 1.0) for size, unit in zip(sizes, units, strict=True)]
    return absolute, relative


def row_units(field: Field, t: float, full: np.ndarray) -> list[float]:
    """Size of the terms of each constraint at one full row; infinite where all are 0."""
    machine, values = field.equations.machine, field.known(t, full)
    return [size or np.inf for size in scales(machine.terms, machine.phi, field.equations.space.velocities, values)]
