"""What a stand-alone program computes, still on the expression graph: dy/dt, multipliers, residuals; names and values.

State of the program:  y = (q, u, lam where these are states), as in the library, without the work done. `in_speeds`
makes the listing of a lean form, y = (q, s).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from ...argument_checks import overriding
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate, symbols
from ...calculus.linear_systems import Factored, Saddle, dot, householder
from ...calculus.quantity import number, seconds
from ...errors import InvalidValue, UnknownName, as_given, did_you_mean
from ..determinacy import digits_kept
from ..saddle_form import Form
from ..start import Start
from ..start_completion import state_of

if TYPE_CHECKING:
    from .. import Equations

Rows = Sequence[Sequence[Node]]
SPAN = 10.0  # how long a program runs that is told no end


@dataclass(frozen=True)
class CodeTask:
    """A function: its outputs, which may contain the solution x of K x = b as symbols ``x:i``.

    Attributes:
        outputs: nodes of one graph.
        size: number of unknowns x, 0 where nothing is solved with pivots.
        system: K by rows and then b, free of x.
        reads: names of what its argument y holds; None for the states.
    """

    outputs: tuple[Node, ...]
    size: int = 0
    system: tuple[Node, ...] = ()
    reads: tuple[str, ...] | None = None

    @property
    def symbols(self) -> set[str]:
        """Names of all symbols that it reads, without the unknowns."""
        return symbols([*self.system, *self.outputs]) - {unknown(i) for i in range(self.size)}


def unknown(i: int) -> str:
    """Name of the symbol that stands for x_i; a colon keeps it apart from all names of users."""
    return f"x:{i}"


@dataclass(frozen=True)
class Listing:
    """The functions of a program, its names and its values.

    Attributes:
        equations: where it comes from.
        parameters: values by name, None where there is none yet.
        start: coordinates, velocities and multipliers that are states at `t`, None where they are left to the reader.
        t: the time of the start.
        states: what y holds.
        functions: the program's functions by name; one that has nothing to compute has no outputs.
        multipliers: names of the multipliers that it computes.
        residuals: what each of the residuals is called.
        prepared: symbols of what depends on parameters alone and is computed once, by ``prepare``; None for equations
            as they are written.
        speeds: what those of the states are that are neither coordinates nor velocities.
        until: the time to which ``main`` runs where it is told no other; None: `SPAN` after the start.
    """

    equations: Any
    parameters: Mapping[str, float | None]
    start: Mapping[str, float | None]
    t: float
    states: tuple[str, ...]
    functions: Mapping[str, CodeTask]
    multipliers: tuple[str, ...]
    residuals: tuple[str, ...]
    prepared: tuple[str, ...] | None = None
    speeds: Mapping[str, sp.Expr] = field(default_factory=dict)
    until: float | None = None

    @classmethod
    def of(cls, equations: Any, parameters: Any = None, start: Any = None, pivots: bool = False) -> Listing:
        """The listing of one set of equations.

        Raises:
            DalembertError: what `Equations.start` raises, where a start is given; E202, E204 for parameters.
        """
        values, state, t = given(equations, parameters, start)
        if state is not None:
            equations = equations.rows_at({**values, **state, TIME.name: t})
            pivots = pivots or _lost(equations, {**values, **state, TIME.name: t})
        apart = equations.apart()
        if pivots:
            machine = apart.machine
            apart = replace(apart, definite=False)
            apart.__dict__["machine"] = machine
        rhs, multipliers = solved(apart)
        residual, names = _residual(apart)
        functions = {"rhs": rhs, "multipliers": multipliers or CodeTask(()), "residual": residual}
        lam = () if multipliers is None else tuple(f"lam_{c.name}" for c in equations.constraints)
        states = tuple(equations.states)
        return cls(apart, values, dict.fromkeys(states) if state is None else state, t, states, functions, lam, names)

    def to(self, until: object) -> Listing:
        """The listing whose ``main`` runs to this time, if one is given (E301 no time, E302 no later one)."""
        if until is None:
            return self
        end = seconds(until, "until")
        if end <= self.t:
            raise InvalidValue("E302", f"until = {end:g} is not after the start, t = {self.t:g}", "give a later time")
        return replace(self, until=end)

    @property
    def end(self) -> float:
        """The time to which ``main`` runs where it is told no other."""
        return self.t + SPAN if self.until is None else self.until

    @property
    def pivoted(self) -> bool:
        """Is a linear system solved with pivots?"""
        return bool(self.functions["rhs"].size)

    @property
    def in_speeds(self) -> bool:
        """Is it of a lean form?"""
        return self.prepared is not None

    @property
    def given_apart(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the parameters without the inputs, and of the inputs of the system."""
        inputs = self.equations.system.inputs
        return tuple(name for name in self.parameters if name not in inputs), tuple(inputs)

    @property
    def coordinates(self) -> int:
        """How many of the states are coordinates."""
        return len(self.equations.space.coordinates)

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of the velocities."""
        return tuple(u.name for u in self.equations.space.velocities)


def given(equations: Equations, parameters: Any, start: Any) -> tuple[dict[str, float | None], Any, float]:
    """Values of the parameters, the state or None, and its time."""
    system = equations.system
    if start is not None:
        complete: Start = state_of(equations, start, parameters)
        values = {k: v for k, v in complete.parameters.items() if k in system.symbols}
        return _ordered(system, values), dict(complete.state), complete.t
    known = {k: system.parameters.get(k) for k in system.symbols}
    if parameters is not None or None not in known.values():
        given = {str(getattr(k, "name", k)): v for k, v in overriding(parameters).items()}
        missing = [k for k, v in known.items() if v is None and given.get(k) is None]
        known |= _checked(system, given, missing)
    return _ordered(system, known), None, 0.0


def _lost(equations: Equations, values: Mapping[str, Any]) -> bool:
    """Is a pivot of the elimination without choice not positive at the start, or does it lose digits there?"""
    if not equations.definite:
        return False
    saddle = equations.solution if equations.direct is None else None
    factors = (equations.solved[1],) if saddle is None else (saddle.factored, saddle.schur_factored)
    pivots = [pivot for S in factors for pivot in S.pivots]
    return not (all(v > 0 for v in evaluate(pivots, values)) and digits_kept(equations, values))


def _checked(system: Any, given: Mapping[str, object], missing: Sequence[str]) -> dict[str, float | None]:
    """The given values read; those still missing are left open."""
    if not missing:
        return {k: v for k, v in system.values(given).items() if k in system.symbols}
    for name in given:
        if name not in system.symbols and name not in system.parameters:
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", did_you_mean(name, system.symbols))
    return {k: number(v, k) for k, v in given.items() if v is not None and k in system.symbols}


def _ordered(system: Any, values: Mapping[str, float | None]) -> dict[str, float | None]:
    """In the order in which the parameters were declared."""
    order = [*(k for k in system.parameters if k in values), *sorted(k for k in values if k not in system.parameters)]
    return {k: values[k] for k in order}


def solved(equations: Equations) -> tuple[CodeTask, CodeTask | None]:
    """dy/dt, and the multipliers where there are any that are no states."""
    machine, kept = equations.machine, equations.kept
    form, graph = machine.form.rows(kept), machine.graph
    k, m = len(form.W), len(form.N)
    size, system, mu = 0, (), None
    if equations.direct is not None and equations.definite:
        udot = equations.solved[0]
    elif equations.direct is not None:
        direct = equations.direct
        size = len(direct.b)
        x = [graph.symbol(unknown(i)) for i in range(size)]
        # A s = b ,  udot = Z s + z
        system = (*(e for row in direct.A for e in row), *direct.b)
        udot = [dot(row, x) + z if row else z for row, z in zip(direct.Z, direct.z, strict=True)]
    elif equations.definite:
        udot, mu = Saddle.of(form.W, form.N).solve(form.f, form.g)
    else:
        size = k + m
        x = [graph.symbol(unknown(i)) for i in range(size)]
        system, udot, mu = (*_bordered(form, graph), *form.f, *form.g), x[:k], x[k:]
    if mu is None:
        mu = _from_reactions(form, udot)
    zero, states = graph.constant(0), []
    if equations.states_of_multipliers:
        rates = dict(zip(kept, mu, strict=True))
        states = [rates.get(s, zero) for s in range(len(equations.constraints))]
    rhs = CodeTask((*machine.qdot, *udot, *states), size, system)
    if not equations.constraints or equations.states_of_multipliers:
        return rhs, None
    return rhs, CodeTask(tuple(_of_all_rows(machine.form.N, kept, mu)), size, system)


def _bordered(form: Form, graph: Graph) -> list[Node]:
    """The matrix [[W, -N^T], [N, 0]], row by row."""
    top = [e for a, row in enumerate(form.W) for e in (*row, *(-normal[a] for normal in form.N))]
    return [*top, *(e for row in form.N for e in (*row, *[graph.constant(0)] * len(form.N)))]


def _from_reactions(form: Form, udot: Sequence[Node]) -> list[Node]:
    """mu of independent rows from the reaction R = W udot - f = N^T mu:  N N^T mu = N R."""
    if not form.N:
        return []
    R = [dot(row, udot) - f for row, f in zip(form.W, form.f, strict=True)]
    return Factored.of([[dot(n, m) for m in form.N] for n in form.N]).solve([dot(row, R) for row in form.N])


def _of_all_rows(N: Rows, kept: Sequence[int], mu: Sequence[Node]) -> list[Node]:
    """Multipliers of all rows, of least norm, with the reaction of `mu` on rows `kept`.

    With N = T K, K the kept rows, mu_all = T (T^T T)^-1 mu. Both K^T = Q R and T = P S are factored by reflections:
    a product of a matrix with itself has twice the range of scales, and keeps half of the digits.

        T = N Q R^-T ,   mu_all = P S^-T mu
    """
    if len(kept) == len(N) or not kept:
        return list(mu) if kept else [row[0].graph.constant(0) for row in N]
    zero, one, r = mu[0].graph.constant(0), mu[0].graph.constant(1), len(kept)
    K = householder([N[s] for s in kept])
    # t with t K = row, a row that follows from those of K:  R t = Q^T row
    T = [
        [one if s == kept[j] else zero for j in range(r)]
        if s in kept
        else K.solve([dot(column, row) for column in K.Q[: len(K.R)]])
        for s, row in enumerate(N)
    ]
    columns = householder([[row[j] for row in T] for j in range(r)])
    y = columns.solve(mu, transposed=True)
    return [dot([columns.Q[j][s] for j in range(r)], y) for s in range(len(N))]


def _residual(equations: Equations) -> tuple[CodeTask, tuple[str, ...]]:
    """Each constraint as written, the rate of those on positions, and what holds the coordinates on their space."""
    machine = equations.machine
    found: dict[str, Node] = {}
    for i, c in enumerate(equations.constraints):
        if i in machine.position:
            found[c.name] = machine.position[i]
        found[f"d/dt {c.name}" if i in machine.position else c.name] = machine.phi[i]
    for i, e in enumerate(equations.space.embedding):
        found[f"space {i + 1}"] = read(e, machine.graph)
    return CodeTask(tuple(found.values())), tuple(found)
