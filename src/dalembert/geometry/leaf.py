"""A leaf: an integral manifold of the constraints that can be integrated, and the system on it [lewis1995 2.3].

    f^a(t, q) = c^a ,   q = Q(t, s) ,   u = U(t, s, v) ,   L_Lambda(t, s, v) = L(t, Q, U) ,   J = dU/dv

For every curve on the leaf, a motion or not,

    J^T EL(L) = EL(L_Lambda)    [lewis1995 (2.10), (2.11)]          J^T EL(phi) = EL(phi on the leaf)

The second is 0 for a constraint that the leaf takes up, whatever its multiplier: where all are taken up, nonholonomic
and vakonomic motions are the free ones of L_Lambda [lewis1995 Proposition 2.8].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import number
from ..calculus.read import read
from ..calculus.symbols import by_name
from ..errors import InvalidValue, as_given
from ..errors.remedies import Give
from ..given import mapping, noun, public
from ..model.space import Space
from ..model.system import System
from .arguments import needs_system
from .kernel import vanishes
from .leaf_charts import Chart, given_chart, relations, solved_chart
from .pulled_back import Agreement, agreement
from .ranks import ranks
from .restated import restated
from .restrict import derivation
from .summary import Summary


@noun
@dataclass(frozen=True, eq=False)
class Leaf:
    """A system on a leaf of its constraints.

    Attributes:
        system: on the leaf, with L_Lambda and the constraints that no relation between positions replaces.
        given: the system it was made of; in plain coordinates, where those of its frame could not be solved for.
        integrals: the relations f(t, q) = c that make the leaf, with c.
        coordinates: ``{name: function of the place on the leaf}`` for each coordinate of the given system.
        velocities: the same for its velocities, functions of the state on the leaf.
        constants: the parameters among c, with their values.
        rows: the given constraints, ``{name: phi}``, on the leaf: 0 where it takes one up.
    """

    system: System
    given: System
    integrals: tuple[tuple[sp.Expr, sp.Expr], ...]
    coordinates: Mapping[str, sp.Expr]
    velocities: Mapping[str, sp.Expr]
    constants: Mapping[str, float | None]
    rows: Mapping[str, sp.Expr] = field(repr=False)

    @property
    def holonomic(self) -> bool:
        """Does the leaf take up all constraints?"""
        return not self.system.constraints

    @cached_property
    def agreement(self) -> Agreement:
        """Is the expression of Lagrange's of L and of each constraint, pulled back, that on the leaf? For any curve."""
        back = [*self.coordinates.values(), *self.velocities.values()]
        return agreement(self.given, self.system, back, self.rows, self.constants)

    def lift(self, state: Mapping[str, object]) -> dict[str, np.ndarray]:
        """Coordinates and velocities of the given system, by name, at states on the leaf.

            leaf.lift(path.at(t))

        Args:
            state: values by name, numbers or arrays (T,), of a start, of ``path.at(t)`` or of a mapping, with t where
                the leaf moves.

        Returns:
            ``{name: (T,)}``.

        Raises:
            WrongType: E241, no values by name.
            InvalidValue: E203, E204, what is no number or array of numbers; E230, values that are missing.
        """
        named = by_name(mapping(state, "a state", "E241", "leaf.lift(path.at(0.0))"), "the state")
        known: dict[str, object] = {
            **self.given.parameters,
            **self.constants,
            **getattr(state, "parameters", {}),
            **named,
        }
        known |= {} if getattr(state, TIME.name, None) is None else {TIME.name: getattr(state, TIME.name)}
        known = {name: _numbers(value, as_given(name)) for name, value in known.items() if value is not None}
        wanted = {**self.coordinates, **self.velocities}
        missing = sorted({s.name for e in wanted.values() for s in e.free_symbols} - {*known})
        if missing:
            raise InvalidValue("E230", f"free: {', '.join(missing)}", Give(tuple(missing)))
        graph = Graph()
        with np.errstate(all="ignore"):
            found = evaluate([read(e, graph) for e in wanted.values()], known)
        return {name: np.asarray(value, float) for name, value in zip(wanted, found, strict=True)}

    def __str__(self) -> str:
        told = Summary(f"{self.given.title or 'System'}, on a leaf", ".system")
        for f, c in self.integrals:
            told.add("leaf", f"{f} = {c}")
        kept = {q.name for q in self.system.space.coordinates}
        for name, e in self.coordinates.items():
            if name not in kept:
                told.add("where", f"{name} = {e}")
        told.add_system(self.system)
        one = "nonholonomic and vakonomic motions are those of Lagrange's equations of L here"
        some = "motions of either principle on the leaf are those of the whole"
        told.add("so", (one if self.holonomic else some) if self.agreement.holds else str(self.agreement))
        return str(told)

    __repr__ = __str__


def _numbers(given: object, name: str) -> object:
    """A number, or an array of numbers (E204)."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "fiu" and given.ndim == 1:
        return given.astype(float)
    return number(given, name)


@public
def leaf(
    system: System,
    at: Mapping[str, object] | None = None,
    *,
    on: Space | None = None,
    chart: Mapping[sp.Symbol | str, object] | None = None,
) -> Leaf:
    """Restrict a system to an integral manifold of its constraints: fewer coordinates, L_Lambda, and what is left.

        da.symmetry.leaf(system, at={"x": 1.0, "z": 0.5})
        da.symmetry.leaf(pendulum, on=da.angle("phi"), chart={"x": "l*sin(phi)", "y": "-l*cos(phi)"})

    The leaf is made of the relations given on positions and of the integrals that `da.examine` finds in constraints on
    velocities. Each is solved for a coordinate in which it is linear, with a factor that is 0 nowhere; where there is
    none, coordinates on the leaf are to be given. Coordinates that are left keep their names.

    Args:
        system: the system.
        at: a place of the leaf, ``{coordinate: value}``, with t where an integral holds the time, for the constants of
            the integrals, which are parameters ``leaf`` of the new system, without values if it is left out.
        on: the space of new coordinates on the leaf, if there are any.
        chart: ``{coordinate: function of these and of what is left}``, text or SymPy expressions; ``{"phi": "-z/b"}``
            says which coordinate is to go.

    Returns:
        A `Leaf`: its `system`, how to come back, and how far Lagrange's expressions there are those of the whole.

    Raises:
        WrongType: E101, not a system; E241, no values by name.
        InvalidValue: E124, no constraint can be integrated, a relation that is linear in no coordinate, coordinates
            that turn with others, a chart that leaves the leaf or does not cover it, or has a place beside it;
            E230, values of `at` that are missing; E136, it takes more time or memory than the system's limits.
        TextError: E701 to E717, text that is not an expression.
    """
    needs_system(system, "leaf")
    with derivation(system, "the system on a leaf"):
        made = relations(system)
        if on is None and chart is None:
            system, made, found = solved_chart(system, made, at)
        elif at is None:
            found = given_chart(system, made, on, chart)
        else:
            raise InvalidValue("E124", "a chart says on which leaf it lies: a place is given too", "leave at out")
        return _on(system, found, made)


def _on(system: System, chart: Chart, made: list[tuple[sp.Expr, sp.Expr]]) -> Leaf:
    """The system in the coordinates of a chart, without the constraints that hold by themselves."""
    places = {q: chart.places.get(q, q) for q in system.space.coordinates}
    speeds = {u: chart.speeds.get(u, u) for u in system.space.velocities}
    rows = {c.name: c.phi.xreplace({**places, **speeds}) for c in system.constraints}
    left = {n: e for n, e in rows.items() if not vanishes(e)}
    made_on = restated(system, chart.space, places, speeds, left, chart.constants)
    kept = [made_on.constraints[i].name for i in ranks(made_on).kept] if left else []
    if len(kept) < len(left):
        made_on = made_on.changed(constraints={n: left[n] for n in kept})
    coordinates, velocities = ({s.name: e for s, e in table.items()} for table in (places, speeds))
    integrals = tuple(zip((f for f, _ in made), chart.levels, strict=True))
    return Leaf(made_on, system, integrals, coordinates, velocities, chart.constants, rows)
