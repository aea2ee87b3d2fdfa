"""All inputs of one run: their formulas, and their coefficients from a time on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...argument_checks import overriding
from ...calculus.frame import TIME
from ...calculus.from_sympy import read as node
from ...calculus.graph import Graph, evaluate
from ...calculus.quantity import is_quantity, number, quantity, seconds
from ...calculus.symbols import by_name
from ...equations import Equations, Start
from ...equations.input_values import NOMINAL, named
from ...equations.start import Row
from ...errors import InvalidValue, Note, UnknownName, about, as_given, did_you_mean, warn
from ...errors.remedies import Call, Option
from ...trajectory import Columns
from .input_signal import (
    ROUNDINGS,
    DeferredTable,
    Drive,
    Sampled,
    Table,
    as_table,
    asked,
    constant,
    formula,
    is_table,
    of_function,
    of_table,
    sampled,
)

State = Callable[[], Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Steering:
    """What drives the inputs of a run.

    Attributes:
        drives: one for each input.
        held: by input, what its function said at which sample: a run that is made again does not ask again.
    """

    drives: tuple[Drive, ...] = ()
    held: dict[str, dict[int, float]] = field(default_factory=dict)

    @property
    def formulas(self) -> dict[str, sp.Expr]:
        """What stands for inputs that are more than numbers."""
        return {drive.name: drive.formula for drive in self.drives if drive.formula is not None}

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of what the formulas are made of, besides t, states and parameters."""
        return tuple(c for drive in self.drives if drive.formula is not None for c in drive.coefficients)

    @property
    def stays(self) -> bool:
        """Are all of them numbers?"""
        return all(d.formula is None and d.sampled is None and not len(d.knots) for d in self.drives)

    @property
    def jumping(self) -> set[str]:
        """Inputs that are held and given other values at instants."""
        return {d.name for d in self.drives if d.formula is None and (d.sampled is not None or len(d.knots))}

    def values(self, t: float, state: State) -> dict[str, float]:
        """The coefficients from t on, by name; functions are asked where t is a sample of theirs."""
        late, found = past_rounding(t), dict[str, float]()
        for drive in self.drives:
            if drive.sampled is None:
                found |= zip(drive.coefficients, drive.at(late), strict=True)
                continue
            sample, said = drive.sample(late), self.held.setdefault(drive.name, {})
            if sample not in said:
                said[sample] = asked(drive.name, drive.sampled, t, state())
            found[drive.name] = said[sample]
        return found

    def before(self, t: float) -> dict[str, float]:
        """The coefficients without asking functions, on which no consistent state depends: these say 1."""
        late = past_rounding(t)
        known = {d: d.at(late) if d.sampled is None else [NOMINAL] for d in self.drives}
        return {name: value for d, row in known.items() for name, value in zip(d.coefficients, row, strict=True)}

    def after(self, t: float, until: float = math.inf) -> float:
        """The next time before the end at which coefficients change; infinite where there is none."""
        if not self.drives:
            return math.inf
        late = past_rounding(t)
        found = min(drive.after(late) for drive in self.drives)
        return found if past_rounding(found) < until else math.inf

    @property
    def told(self) -> Mapping[str, str]:
        """How each input was given."""
        return {drive.name: drive.told for drive in self.drives}


def past_rounding(t: float) -> float:
    """A time behind t by so many of its roundings that what changes at t has changed."""
    return t + ROUNDINGS * float(np.spacing(abs(t))) if math.isfinite(t) else t


def columns_of(states: Sequence[str], t: float, y: np.ndarray) -> Columns:
    """The states by name at a time, of a row that begins with them."""
    found = Columns(zip(states, y.tolist(), strict=False))
    found.states, found.t = tuple(states), t
    return found


NONE = Steering()


# --- From what was given as inputs of a run to its `Steering`, and the equations that know its formulas --------------

LITTLE = 1 / 500  # of a table, in time and in rows: a thousandth is milliseconds, read up to twice the table's length

MOST_SAMPLES = 1_000_000  # of a function in one run, which takes minutes


class SteeredRun(NamedTuple):
    """A run with its inputs.

    Attributes:
        equations: that know the formulas of the inputs.
        start: without values of inputs.
        parameters: as given, with what the inputs are at the start, so that a consistent state can be completed.
        steering: what drives the inputs.
        notes: what is doubted of them.
    """

    equations: Equations
    start: object
    parameters: dict[str, object] | None
    steering: Steering
    notes: tuple[Note, ...] = ()


def steered(
    equations: Equations,
    start: object,
    inputs: Mapping[str, object] | None,
    parameters: Mapping[str, object] | None,
    until: float | None = None,
    varied: Callable[[Drive], Drive] = lambda drive: drive,
) -> SteeredRun:
    """Read the inputs of a run; each is driven as `varied` says of what was given.

    Raises:
        UnknownName: E180 an input without a value, E181 a name that is no input's.
        WrongType: E182, something that is no input; E204, parameters that are no mapping.
        InvalidValue: E182 a table that is none; E183, it does not cover the run; E185, a jump that the velocities
            would have to follow; E186, a formula of what it may not depend on; E203 to E207 for numbers.
    """
    system = equations.system
    driven = {} if inputs is None else named(equations, inputs)
    own = overriding(parameters)
    if not system.inputs:
        return SteeredRun(equations, start, dict(own), NONE)
    own = by_name(own, "parameters")
    given = _given(equations, start, driven, own)
    t = time_of(start)
    drives = tuple(_drive(equations, name, value, t) for name, value in given.items())
    for drive, value in zip(drives, given.values(), strict=True):
        with about("inputs", drive.name):
            _check_sample_count(drive, t, until)
            _check_covered(drive, value, t, until)
            _check_smooth(equations, drive)
            _check_states(equations, drive)
            _check_friction_input(equations, drive)
    steering = Steering(tuple(map(varied, drives)))
    tables = ((name, _table_of(value)) for name, value in given.items())
    end = t if until is None else until
    notes = [note for name, table in tables if table is not None for note in doubts(name, table, t, end)]
    start = _without(start, equations)
    others = {name: value for name, value in own.items() if name not in system.inputs}
    if steering.formulas:
        equations = equations.steered_by(steering.formulas, steering.coefficients)
    return SteeredRun(equations, start, {**others, **steering.before(t)}, steering, tuple(notes))


def settled(inputs: Mapping[str, object] | None) -> dict[str, object] | None:
    """Inputs for many runs: tables that are read when a run begins are read now.

    Raises:
        DalembertError: what reading them raises.
    """
    if inputs is None:
        return None
    found = dict(inputs)
    for name, value in found.items():
        if isinstance(value, DeferredTable):
            with about("inputs", str(name)):
                found[name] = value.table()
    return found


def unbroken(
    equations: Equations,
    start: object,
    inputs: Mapping[str, object] | None,
    parameters: Mapping[str, object] | None,
    asked: str,
) -> SteeredRun:
    """Inputs that go on as they are for all times, of what runs motions again and again: numbers and formulas.

    Raises:
        InvalidValue: E186, a table, which ends, or a function, which is asked once.
        DalembertError: those of `steered`.
    """
    for name, value in named(equations, {} if inputs is None else inputs).items():
        function = isinstance(value, Sampled) or (callable(value) and not isinstance(value, sp.Expr | Real))
        if function or is_table(value):
            fact = f"the input {name} is given by a {'function' if function else 'table'}"
            remedy = "give a number, or a formula of t and states: ", Option("inputs", {name: "0.1*sin(t)"})
            raise InvalidValue("E186", f"{fact}, and {asked} needs one that goes on", remedy, subject=("inputs", name))
    return steered(equations, start, inputs, parameters)


def shaped_at(
    equations: Equations, inputs: Mapping[str, object], t: float, parameters: Mapping[str, object]
) -> dict[str, float]:
    """What inputs of constraints and momenta are at a time: on these consistent states depend.

    Raises:
        DalembertError: those of `steered` for what is given, and E203 for a formula without a finite value there.
    """
    system, found = equations.system, dict[str, float]()
    for name, value in named(equations, inputs).items():
        if name in system.shaping:
            drive = _drive(equations, name, value, t)
            with about("inputs", name):
                _check_smooth(equations, drive)
                _check_states(equations, drive)
            row = {} if drive.sampled else dict(zip(drive.coefficients, drive.at(past_rounding(t)), strict=True))
            known = {**system.parameters, **by_name(parameters, "parameters"), **row, TIME.name: t}
            formula = sp.Symbol(name) if drive.formula is None else drive.formula
            if {s.name for s in formula.free_symbols} <= known.keys():  # else E201 where the run begins
                found[name] = number(evaluate([node(formula, Graph())], known)[0], name, "E203")
    return found


def _given(
    equations: Equations, start: object, inputs: Mapping[str, object], parameters: Mapping[str, object]
) -> dict[str, object]:
    """What is given for each input: among the inputs, among parameters, or by the start."""
    system, known = equations.system, start.parameters if isinstance(start, Start) else {}
    given = {**known, **parameters, **inputs}
    system.check_inputs(given)
    return {name: given[name] for name in system.inputs if name in given}


def _without(start: object, equations: Equations) -> object:
    """A start that says nothing of inputs."""
    inputs = set(equations.system.inputs)
    if not isinstance(start, Start) or not inputs & start.parameters.keys():
        return start
    return replace(start, parameters={k: v for k, v in start.parameters.items() if k not in inputs})


def time_of(start: object) -> float:
    """The time of what was given as a start."""
    if isinstance(start, Start | Row):
        return float(start.t or 0.0)
    if isinstance(start, Mapping):
        return seconds(by_name(start, "the start").get(TIME.name, 0.0), "t", "E204")
    return 0.0


def _drive(equations: Equations, name: str, value: object, t: float) -> Drive:
    """What drives one input."""
    with about("inputs", name):
        if is_table(value):
            table = as_table(value)
            equations.system.fits({} if table.dimension is None else {name: table.dimension}, "inputs")
            return of_table(name, table, partial(fresh_name, equations))
        if isinstance(value, Sampled):
            return of_function(name, value, t)
        if isinstance(value, sp.Expr) or (isinstance(value, str) and not is_quantity(value)):
            return formula(name, _expression(equations, name, value), f"{value}")
        if callable(value) and not isinstance(value, Real):
            return of_function(name, sampled(value), t)
        read = quantity(value, name)
        if read.dimension is not None:
            equations.system.fits({name: read.dimension}, "inputs")
        return constant(name, read.value)


def fresh_name(equations: Equations, wanted: str) -> str:
    """A name that nothing else has."""
    system = equations.system
    taken = {*system.symbols, *system.parameters, *system.space.by_name, *system.inputs}
    while wanted in taken:
        wanted += "_"
    return wanted


def _expression(equations: Equations, name: str, value: object) -> sp.Expr:
    """A formula in t, states and parameters."""
    system = equations.system
    found: sp.Expr = system.read(value, f"the input {name}")
    known = {**system.space.by_name, **system.parameters, TIME.name: TIME}
    for s in sorted(found.free_symbols, key=str):
        if s.name in system.inputs:
            fact = f"the input {name} is given by the input {s.name}"
            raise InvalidValue("E186", fact, f"write what {s.name} is given by in its place")
        if s.name not in known:
            raise UnknownName(
                "E181", f"{as_given(s.name)} in the input {name} is not known", did_you_mean(s.name, known)
            )
    system.fits_as(name, found)
    return found


def _check_sample_count(drive: Drive, t: float, until: float | None) -> None:
    """E182: the function of an input would be asked without end."""
    if drive.sampled is None or until is None:
        return
    samples = (until - t) / drive.sampled.every
    if samples > MOST_SAMPLES:
        fact = f"the function of {drive.name} would be asked {samples:.1e} times, the limit is {MOST_SAMPLES:.0e}"
        raise InvalidValue("E182", fact, (Call("inputs.sampled", f"function, {1e-3 * until or 1e-3:g}"),))


def _check_covered(drive: Drive, value: object, t: float, until: float | None) -> None:
    """E183: the run begins before the table does, or goes on after it."""
    table = _table_of(value)
    if table is None:
        return
    first, last = table.ends
    end = t if until is None else until
    if t < first or end > last:
        fact = f"the table of {drive.name} is for t from {first:g} to {last:g}, the run from {t:g} to {end:g}"
        raise InvalidValue("E183", fact, f"add rows to it, at t = {t if t < first else end:g} too")


def _table_of(value: object) -> Table | None:
    """What was given as a table, if it was one."""
    return as_table(value) if is_table(value) else None


def _check_smooth(equations: Equations, drive: Drive) -> None:
    """E185: what an input does at its knots would make velocities jump."""
    system = equations.system
    if drive.name not in {**system.shaping, **system.moving_gaps}:
        return
    holonomic = [c.name for c in system.constraints if c.holonomic and drive.name in system.names_in([c.given])]
    positions = [f"the constraint {name}" for name in holonomic]
    positions += [gap for name, gap in system.moving_gaps.items() if name == drive.name]
    if drive.smooth < (1 if positions else 0):
        what = "has corners" if drive.smooth == 0 else "jumps"
        place = positions[0] if positions else system.shaping[drive.name]
        kind = "cubic" if positions else "linear"
        raise InvalidValue(
            "E185",
            f"the input {drive.name} {what} ({drive.told}), and velocities would jump with it: it stands in {place}",
            (Call("inputs.tabulated", f'times, values, "{kind}"'), ", or a formula that is smooth"),
        )


def _check_friction_input(equations: Equations, drive: Drive) -> None:
    """E186: a formula for an input of a coefficient of friction or restitution, whose sign it would have to keep."""
    for c in equations.system.contacts if drive.formula is not None else ():
        laws = [c.mu, c.mu_static, c.restitution, c.mu_spin, c.mu_rolling]
        if drive.name in equations.system.names_in(laws):
            fact = f"the input {drive.name} is given by {drive.told}, and stands in a coefficient of {c.name}"
            raise InvalidValue("E186", fact, "give a number, values that are held, or a function")


def _check_states(equations: Equations, drive: Drive) -> None:
    """E186: a formula of states for an input of L or of a constraint."""
    system = equations.system
    met = drive.formula.free_symbols if drive.formula is not None else set()
    states = {s.name for s in met} & {*system.space.by_name}
    if not states:
        return
    within = {"the Lagrangian": [system.lagrangian]}
    within |= {f"the constraint {c.name}": [c.given] for c in (*system.constraints, *system.equivalent)}
    within |= {f"the contact {c.name}": [*c.expressions] for c in system.contacts}
    for where, expressions in within.items():
        if drive.name in system.names_in(expressions):
            fact = f"the input {drive.name} is given by {', '.join(sorted(states))}, and stands in {where}"
            remedy = "there it is a function of time: give a formula of t, or put the formula into the system itself"
            raise InvalidValue("E186", fact, remedy, f"{drive.name} = {drive.told}")


def doubts(name: str, table: Table, t: float, end: float) -> Iterator[Note]:
    """W183: a run from t to `end` sees next to nothing of a table whose values change later.

    Both the time and the rows count: a last row that is far away, as one for ever is written, takes no rows with it.
    """
    first, last = table.ends
    met = int(((table.times > t) & (table.times <= end)).sum())
    if not t < end or end - t > LITTLE * (last - first) or met > LITTLE * len(table.times) or not np.ptp(table.values):
        return
    rows = f"{met} of its {len(table.times)} times lie" if met != 1 else f"one of its {len(table.times)} times lies"
    fact = f"the table of {name} is for t from {first:g} to {last:g} s, the run from {t:g} to {end:g} s: {rows} in it"
    yield warn("W183", f"{fact}. Are they in milliseconds? Divide them by 1000", 6)
