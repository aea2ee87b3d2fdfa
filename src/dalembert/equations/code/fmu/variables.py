"""The variables of a Functional Mock-up Unit: one table, from which its description and its C are made.

Value references count in its order: the time, states, their rates, parameters with the inputs, what is computed beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import sympy as sp

from ....argument_checks import overriding
from ....calculus.frame import TIME
from ....calculus.from_sympy import read
from ....calculus.graph import Graph, Node, symbols
from ....calculus.quantity import SECOND, Dimension, dimension
from ....calculus.substitution import carried, split_constant_parts
from ....errors import InvalidValue, Singular, as_given
from ...input_values import with_inputs
from ...start import Start
from ..listing import CodeTask, Listing, given, solved

if TYPE_CHECKING:
    from ... import Equations
    from ...lean_form import Lean


Values = Mapping[str, float] | None
Begins = Start | Mapping[str, object] | None

AUDIT = ("energy", "power")
HEALTH = "health"


@dataclass(frozen=True)
class FmuVariable:
    """One variable.

    Attributes:
        name: unique among all.
        causality: as FMI calls it: ``"independent"``, ``"output"``, ``"local"``, ``"parameter"`` or ``"input"``.
        text: what it is, for a reader.
        unit: its unit in base SI, or "".
        start: its value at the start, None for what is computed.
        derivative: the name of the state whose rate it is, or "".
        reads: names of states, inputs and the time that its value depends on.
    """

    name: str
    causality: str
    text: str
    unit: str = ""
    start: float | None = None
    derivative: str = ""
    reads: frozenset[str] = frozenset()


def as_written(
    equations: Equations, start: Begins, parameters: Values = None, inputs: Values = None, pivots: bool = False
) -> Listing:
    """What an FMU of the equations as they are written computes: dy/dt, and beside it multipliers and the audit."""
    start, values = _begun(equations, start, parameters, inputs)
    listing = Listing.of(equations, values, start, pivots)
    return replace(listing, functions=_made({**listing.functions, "audit": _audit(listing)}))


def _begun(
    equations: Equations, start: Begins, parameters: Values, inputs: Values
) -> tuple[Start | Mapping[str, object], dict[str, object]]:
    """The start, and values of parameters with those of inputs: 0 where the start depends on none and has none."""
    system = equations.system
    own = start.parameters if isinstance(start, Start) else {}
    still = dict.fromkeys((name for name in system.inputs if name not in own and name not in system.shaping), 0.0)
    given = with_inputs(equations, overriding(parameters), inputs) or {}
    return {} if start is None else start, {**still, **given}


def in_free_speeds(lean: Lean, start: Begins, parameters: Values = None, inputs: Values = None) -> Listing:
    """What an FMU of a lean form computes; the form is one that is regular at the start, the states are (q, s)."""
    assert lean.equations is not None  # of those that `Equations.lean` gives
    start, given = _begun(lean.equations, start, parameters, inputs)
    lean, values, state, t = begun(lean, given, start)
    listing, graph = listed(lean, values, state, t), Graph()
    energy = carried(lean.lowered([listing.equations.machine.energy]), graph)
    rows = zip(listing.velocities, listing.functions["velocities"].outputs, strict=True)
    beside = tuple(y for name, y in rows if name not in lean.states)
    audit = CodeTask((*energy, *carried([lean.power], graph)))
    functions = {**listing.functions, "velocities": CodeTask(beside), "audit": audit}
    del functions["from_velocities"]
    known = {name: value for name, value in {**values, **(state or {}), TIME.name: t}.items() if value is not None}
    begins = dict(zip(lean.states, map(float, lean.start(known)), strict=True))
    return replace(listing, functions=_made(functions), start=begins)


def _made(functions: Mapping[str, CodeTask]) -> dict[str, CodeTask]:
    """Those that compute something, and ``prepare``, which is called even if it has nothing to do."""
    return {name: task for name, task in functions.items() if task.outputs or name == "prepare"}


def _audit(listing: Listing) -> CodeTask:
    """E and dE/dt; reactions that work, of constraints that are not linear, are computed on the way."""
    machine = listing.equations.machine
    found = CodeTask((machine.energy, machine.power))
    working = {f"mu:{c.name}": i for i, c in enumerate(listing.equations.constraints)}
    if not found.symbols & working.keys():
        return found
    multipliers = solved(listing.equations)[1]
    assert multipliers is not None  # the work of multipliers that are states is not counted
    places = {name: multipliers.outputs[i] for name, i in working.items()}
    graph = Graph()
    image = {name: carried([node], graph)[0] for name, node in places.items()}
    system = tuple(carried(multipliers.system, graph)) if multipliers.system else ()
    return CodeTask(tuple(carried(found.outputs, graph, image)), multipliers.size, system)


def variables(listing: Listing) -> list[FmuVariable]:
    """All variables, in the order of value references.

    Raises:
        InvalidValue: E804, a name that two of them would have.
    """
    units = Units(listing.equations, listing.speeds)
    found = [FmuVariable(TIME.name, "independent", "time", "s"), *_states(listing, units), *_rates(listing, units)]
    found += [*_parameters(listing, units), *_shown(listing, units)]
    _check_names(found)
    return found


def _states(listing: Listing, units: Units) -> Iterator[FmuVariable]:
    start, multipliers = starts(listing), [s.name for s in listing.equations.states_of_multipliers]
    for i, name in enumerate(listing.states):
        kind = "coordinate" if i < listing.coordinates else "multiplier" if name in multipliers else "velocity"
        meaning = f": {listing.speeds[name]}" if name in listing.speeds else ""
        yield FmuVariable(name, "output", kind + meaning, units.of(name), start[i], reads=frozenset({name}))


def starts(listing: Listing) -> tuple[float, ...]:
    """Values of the states at the start."""
    known = [listing.start.get(name) for name in listing.states]
    assert None not in known  # a start was completed
    return tuple(float(value) for value in known if value is not None)


def _rates(listing: Listing, units: Units) -> Iterator[FmuVariable]:
    task = listing.functions["rhs"]
    for name, node in zip(listing.states, task.outputs, strict=True):
        yield FmuVariable(
            f"der({name})", "local", f"rate of {name}", units.rate(name), None, name, _reads(listing, task, node)
        )


def _parameters(listing: Listing, units: Units) -> Iterator[FmuVariable]:
    inputs = listing.equations.system.inputs
    for name, value in listing.parameters.items():
        assert name in inputs or value is not None  # a start was completed, and it knows them
        kind = "input" if name in inputs else "parameter"
        yield FmuVariable(name, kind, kind, units.of(name), 0.0 if value is None else value)


def _shown(listing: Listing, units: Units) -> Iterator[FmuVariable]:
    """What is computed beside the state, in the order in which the C computes it."""
    for function, named in shown(listing).items():
        if not named:
            continue
        task = listing.functions[function]
        for (name, text), node in zip(named.items(), task.outputs, strict=True):
            unit = units.shown(function, name)
            yield FmuVariable(name, "output", text, unit, reads=_reads(listing, task, node))


def shown(listing: Listing) -> dict[str, Mapping[str, str]]:
    """What each function computes beside the state: names and what they are."""
    found: dict[str, Mapping[str, str]] = {}
    if listing.in_speeds:
        beside = [name for name in listing.velocities if name not in listing.states]
        found["velocities"] = dict.fromkeys(beside, "velocity, from the speeds and the constraints")
    else:
        found["multipliers"] = dict.fromkeys(listing.multipliers, "multiplier: the reaction of its constraint")
    residual = "0 along the motion; what an integrator makes of it is its drift"
    found["residual"] = {f"residual({name})": residual for name in listing.residuals}
    found["audit"] = dict(zip(AUDIT, ("E = u dL/du - L", "dE/dt: forces, moving constraints, time"), strict=True))
    if listing.in_speeds:
        found["health"] = {HEALTH: "below 1 the equations are near a pole and the simulation is ended"}
    return found


def _reads(listing: Listing, task: CodeTask, node: Node) -> frozenset[str]:
    """States, inputs and the time that an output depends on, also by what is prepared and what is solved for."""
    met = symbols([*task.system, node])
    prepared = [f"{PREPARED}:{k}" for k in range(len(listing.prepared or ()))]
    for name, still in zip(prepared, listing.functions["prepare"].outputs if prepared else (), strict=True):
        met |= symbols([still]) if name in met else set()
    return frozenset(met & {*listing.states, *listing.equations.system.inputs, TIME.name})


def _check_names(found: list[FmuVariable]) -> None:
    """E804: names of systems are names of FMI too; those that are added here may be taken."""
    met: set[str] = set()
    for name in (variable.name for variable in found):
        if name in met:
            fact = f"two variables of the FMU would be called {as_given(name)}, which it computes beside the motion"
            raise InvalidValue("E804", fact, f"rename {as_given(name)} in the system")
        met.add(name)


# --- units in base SI, as far as the system's units determine them ---------------------------------------------------

TURN, RATE, GAIN = "rad", "rad/s", "rad/s**2"


@dataclass
class Units:
    """Units of one set of equations.

    Attributes:
        equations: whose.
        speeds: what those of the states mean that are neither coordinates nor velocities.
    """

    equations: Equations
    speeds: Mapping[str, sp.Expr] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The unit of a state, a parameter or an input, ``"m/s"``; "" where it is a number or not known."""
        if not self.equations.system.units:
            return ""
        return self._turning.get(name) or self._unit(self.speeds.get(name, sp.Symbol(name, real=True)))

    def rate(self, name: str) -> str:
        """The unit of d/dt of a state."""
        further = {TURN: RATE, RATE: GAIN}
        unit = self.of(name)
        return further.get(unit) or (_per_second(unit) if unit else self._of_number(name))

    def shown(self, function: str, name: str) -> str:
        """The unit of what is computed beside the state."""
        system = self.equations.system
        if function == "audit":
            energy = self._unit(system.lagrangian)
            return energy if name == "energy" or not energy else _per_second(energy)
        if function == "residual":
            return self._residual(name.removeprefix("residual(").removesuffix(")"))
        if function == "multipliers":
            return self._reaction(name)
        return self.of(name) if function == "velocities" else ""

    def _reaction(self, name: str) -> str:
        """That of a multiplier which is no state: EL_a = lam dphi/du^a, [L]/([u] s) = [lam] [phi]/[u]."""
        given = {c.multiplier.name: c for c in self.equations.constraints}
        unit = self.of(name)  # of one that is a state, beside L: [L]/[phi]
        return _per_second(unit) if unit and name in given and not given[name].holonomic else unit

    def _residual(self, name: str) -> str:
        given = {c.name: c.given for c in self.equations.constraints}
        held = name.removeprefix("d/dt ")
        unit = self._unit(given[held]) if held in given else ""
        return _per_second(unit) if unit and held != name else unit

    def _of_number(self, name: str) -> str:
        """1/s where a state is known to be a number."""
        known = self.equations.system.balance.known if self.equations.system.units else {}
        return "1/s" if known.get(name) == Dimension() else ""

    def _unit(self, expression: sp.Expr) -> str:
        return str(self.equations.system.unit(expression))

    @property
    def _turning(self) -> dict[str, str]:
        """Angles, and velocities that are the rates of angles."""
        space = self.equations.space
        angles = [q for q in space.coordinates if q.name in space.angles]
        rates = {str(space.rates[q]): RATE for q in angles if space.rates[q] in space.velocities}
        return {**{q.name: TURN for q in angles}, **rates}


def _per_second(unit: str) -> str:
    return str(dimension(unit, unit) / SECOND)


def base(unit: str) -> dict[str, int] | None:
    """Powers of base units as FMI writes them; None where a power is no whole number."""
    turns = {TURN: {"rad": 1}, RATE: {"rad": 1, "s": -1}, GAIN: {"rad": 1, "s": -2}}
    if unit in turns:
        return turns[unit]
    powers = dimension(unit, unit).powers
    return {name: int(e) for name, e in powers} if all(e.denominator == 1 for _, e in powers) else None


# --- the program of a lean form: rates, velocities and back ----------------------------------------------------------
#     y = (q, s) ,   dy/dt = rates(t, y) ,   u = velocities(t, y) ,   y = from_velocities(t, (q, u))
#
# What depends on parameters alone is computed once, by ``prepare``.

PREPARED = "prepared"


def of_lean(
    lean: Lean, parameters: Mapping[str, float] | None = None, start: Start | Mapping[str, object] | None = None
) -> Listing:
    """The listing of a lean form; where a start is given, of one that is regular there.

    Raises:
        DalembertError: what `Equations.start` raises, where a start is given; E202, E204 for parameters.
        Singular: E162, no lean form is regular at the start.
    """
    return listed(*begun(lean, parameters, start))


def begun(
    lean: Lean, parameters: Mapping[str, object] | None, start: Start | Mapping[str, object] | None
) -> tuple[Lean, dict[str, float | None], Mapping[str, float] | None, float]:
    """The lean form, values of the parameters, the state or None, and its time; raises what `of_lean` does."""
    assert lean.equations is not None  # of those that `Equations.lean` gives
    values, state, t = given(lean.equations, parameters, start)
    if state is not None:
        lean = _regular(lean.equations, lean, {**values, **state, TIME.name: t})
    return lean, values, state, t


def listed(
    lean: Lean, values: Mapping[str, float | None], state: Mapping[str, float] | None, t: float = 0.0
) -> Listing:
    """The listing of a lean form with these values."""
    equations = lean.equations
    assert equations is not None
    u = tuple(u.name for u in equations.space.velocities)
    known = (*lean.coordinates, *u)
    functions, prepared, residuals = _functions(equations, lean, known)
    start = dict.fromkeys(known) if state is None else {name: state[name] for name in known}
    return Listing(equations, values, start, t, lean.states, functions, (), residuals, prepared, lean.meanings)


def _regular(equations: Equations, lean: Lean, found_at: Mapping[str, float | None]) -> Lean:
    """A lean form that is regular at these values, all of which are known at a start."""
    values = {name: value for name, value in found_at.items() if value is not None}
    if lean.regular(values):
        return lean
    found = equations.lean_at(values)
    if found is None or not found.regular(values):
        raise Singular(
            "E162",
            f"no lean form is regular at t = {values[TIME.name]:g}, the motion is",
            "equations.to_python(start=...) prints the equations as they are written",
        )
    return replace(found, equations=equations)


def _functions(
    equations: Equations, lean: Lean, known: tuple[str, ...]
) -> tuple[dict[str, CodeTask], tuple[str, ...], tuple[str, ...]]:
    """The functions by name, the symbols of what is prepared, and the names of the residuals."""
    graph, apart = Graph(), Graph()
    # what still drifts: relations between positions, and what holds the coordinates on their space
    relations = {c.name: read(c.position, apart) for c in equations.constraints if c.holonomic}
    relations |= {f"space {i + 1}": read(e, apart) for i, e in enumerate(equations.space.embedding)}
    parts = {
        "rhs": carried(lean.rates, graph),
        "velocities": carried(lean.velocities, graph),
        "from_velocities": [*map(graph.symbol, lean.coordinates), *carried(lean.origin, graph)],
        "health": [lean.health(graph)],
        "residual": carried(list(relations.values()), graph),
    }
    flat, still = split_constant_parts(
        [y for ys in parts.values() for y in ys], [*lean.states, *known, TIME.name], PREPARED
    )
    nodes = iter(flat)
    tasks = {name: CodeTask(tuple(next(nodes) for _ in ys)) for name, ys in parts.items()}
    tasks["from_velocities"] = CodeTask(tasks["from_velocities"].outputs, reads=known)
    prepared = tuple(f"{PREPARED}:{k}" for k in range(len(still)))
    return {"prepare": CodeTask(tuple(still)), **tasks}, prepared, tuple(relations)
