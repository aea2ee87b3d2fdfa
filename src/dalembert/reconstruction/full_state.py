"""What the functions on reduced motions are given: a reduction, a path of it, and the full state it begins at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import mapping
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import SECOND, quantity
from ..calculus.rotation_matrices import read_attitude
from ..calculus.symbols import by_name
from ..equations import Start
from ..equations.mechanism_assembly import TOLERANCE
from ..equations.residual_scale import scales
from ..errors import InvalidValue, UnknownName, WrongType, as_given, kind_of
from ..errors.remedies import Option
from ..geometry.reduction import Reduction
from ..model.parameters import values_of
from ..model.system import System
from ..trajectory import Trajectory
from ..trajectory.interpolant import knots

Values = dict[str, float]
_COMPLETE = "complete the start: da.nonholonomic(system).start(...)"


@dataclass(frozen=True)
class Full:
    """A full state.

    Attributes:
        state: coordinates and velocities of the given system by name.
        parameters: of the given system.
        t: the time; None where it was not said.
    """

    state: Values
    parameters: Values
    t: float | None

    @property
    def values(self) -> Values:
        """All of it by name."""
        return {**self.parameters, **self.state, TIME.name: self.t or 0.0}


def needs_reduction(given: object, asked: str) -> None:
    """Raises WrongType E101 for anything but a reduction."""
    if not isinstance(given, Reduction):
        raise WrongType("E101", f"{asked} needs a Reduction, not {kind_of(given)}", "da.reduce(system)")


def needs_path(reduction: Reduction, path: object, asked: str) -> None:
    """Refuse what is no run of the reduced system.

    Raises:
        WrongType: E307, no path.
        InvalidValue: E124, the path of another system; E307, it is not known between its samples.
    """
    run = "da.simulate(equations, da.reduced_start(reduction, start), until=...)"
    if not isinstance(path, Trajectory):
        raise WrongType("E307", f"{asked} needs a path of the reduced system, not {kind_of(path)}", run)
    missing = [s.name for s in reduction.system.space if s.name not in path.names]
    if missing or not len(path):
        fact = (
            f"has no column {', '.join(missing)}: it is no run of the reduced system" if missing else "has no samples"
        )
        raise InvalidValue("E124", f"the path {fact}", run)
    if knots(path)[-1] < path.t[-1]:
        raise InvalidValue("E307", f"{asked} needs the path between the samples", "leave dense out")


def full_start(
    reduction: Reduction,
    start: Start | Mapping[Any, Any],
    path: Trajectory | None = None,
    inputs: Mapping[str, object] | None = None,
) -> Full:
    """The full state of a start, with every name and number checked, at the parameters of the path if there is one.

    Inputs are what the path has them to be, else what is given, else those of the start.

    Raises:
        WrongType: E241 no state, E204 a value that is no number, E182 inputs that are not given by name.
        UnknownName: E229, a parameter among the values; E180, no value for an input of constraints or momenta.
        InvalidValue: E203 not finite, E207 a unit that does not fit, E230 values that are missing, E231, E232, E238 a
            state off the constraints or the space; E124, parameters that differ from the path's or from those at which
            alone the symmetry holds.
    """
    if not isinstance(start, Mapping):
        raise WrongType("E241", f"a full state is a start or a mapping, not {kind_of(start)}", _COMPLETE)
    system = reduction.given
    own = dict(start.parameters) if isinstance(start, Start) else {}
    driven = {} if inputs is None else mapping(inputs, "inputs", "E182", Option("inputs", {"U": 0.1}))
    own |= {name: quantity(value, name).value for name, value in by_name(driven, "the inputs").items()}
    parameters = _parameters(reduction, own, path)
    given = by_name(start, "the start")
    t = start.t if isinstance(start, Start) else _time(given)
    full = Full(_state(system, given), parameters, t)
    _check_held(system, full.values)
    return full


def _time(given: Mapping[Any, Any]) -> float | None:
    return quantity(given[TIME.name], TIME.name, SECOND).value if TIME.name in given else None


def _parameters(reduction: Reduction, own: Mapping[str, float], path: Trajectory | None) -> Values:
    run = {} if path is None else dict(path.provenance.get("parameters", {}))
    for name, value in run.items():
        if name in own and own[name] != value:
            raise InvalidValue(
                "E124",
                f"the path was run with {name} = {value:.10g}, the start has {name} = {own[name]:.10g}",
                f"give both the same: parameters={{{as_given(name)}: {value:.10g}}}",
            )
    system = reduction.given
    driven = {name: float(path[name][0]) for name in system.inputs if path is not None and name in path.names}
    others = {name: value for name, value in {**own, **run}.items() if name not in driven}
    found: Values = {**system.known(others), **driven}
    alone = [name for name in system.inputs if name not in system.shaping]
    system.check_inputs({**dict.fromkeys(alone), **found})  # on the others it depends which states are consistent
    found |= values_of(system.defined, found)
    for name, value in reduction.fixed.items():
        if found[name] != value:
            raise InvalidValue(
                "E124",
                f"the symmetry holds only at {name} = {value:.10g}, the start has {name} = {found[name]:.10g}",
                "run the full system there, or leave out the generators that need this value",
            )
    return found


def _state(system: System, given: Mapping[Any, Any]) -> Values:
    space = system.space
    for name in given:
        if name in system.symbols:
            raise UnknownName(
                "E229",
                f"{name} is a parameter, not part of the state",
                f"start(..., parameters={{{as_given(name)}: ...}})",
            )
    found: Values = {}
    for name, attitude in space.attitudes.items():
        found |= read_attitude(name, given[name], attitude) if name in given else {}
    read = {s.name: quantity(given[s.name], s.name) for s in space if s.name in given}
    system.fits({name: q.dimension for name, q in read.items() if q.dimension is not None})
    found |= {name: q.value for name, q in read.items()}
    missing = [s.name for s in space if s.name not in found]
    if missing:
        raise InvalidValue("E230", f"free: {', '.join(missing)}", _COMPLETE)
    return {s.name: found[s.name] for s in space}


def _check_held(system: System, values: Values) -> None:
    """Refuse a state that is not on the space, or not on the constraints."""
    space = system.space
    for e in space.embedding:
        off = _numbers([e], values)[0]
        if not abs(off) <= TOLERANCE:
            names = ", ".join(sorted(s.name for s in e.free_symbols))
            raise InvalidValue("E238", f"{names}: {e} = {off:.6g}, must be 0", "normalise them")
    for c in system.constraints:
        if c.holonomic:
            _check_row(c.name, c.position, space.coordinates, values, "E232")
        _check_row(c.name, c.phi, space.velocities, values, "E231")


def _check_row(name: str, row: sp.Expr, variables: Sequence[sp.Symbol], values: Values, code: str) -> None:
    """Refuse a residual above 1e-9 of the row's own terms."""
    graph = Graph()
    node, terms = read(row, graph), [read(term, graph) for term in sp.Add.make_args(row)]
    off, (size,) = _numbers([row], values)[0], scales({node: terms}, [node], variables, values)
    if not abs(off) <= TOLERANCE * size:
        raise InvalidValue(
            code,
            f"the constraint {name} does not hold at the start",
            f'{_COMPLETE}, or .start(..., project="kinetic")',
            f"{name} = {row} = {off:.6g}, must be 0 (tolerance {TOLERANCE:g} of its terms)",
        )


def _numbers(expressions: Sequence[sp.Expr], values: Values) -> np.ndarray:
    graph = Graph()
    return np.array(evaluate([read(e, graph) for e in expressions], values), float)
