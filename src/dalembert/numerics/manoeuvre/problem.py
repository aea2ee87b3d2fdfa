"""What a manoeuvre is asked for: its inputs, ends, time, cost and bounds, read and held against the system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from ...argument_checks import names
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, evaluate, gradient
from ...calculus.quantity import SECOND, Dimension, quantity
from ...calculus.rotation_matrices import read_attitude
from ...calculus.symbols import by_name
from ...equations import Equations, Start
from ...equations.start import Row
from ...equations.start_completion import turned
from ...errors import InvalidValue, UnknownName, WrongType, about, as_given, did_you_mean
from ...errors.remedies import Option
from ..inputs.input_signal import SMOOTH
from ..two_point.end_conditions import check, positions, read_values

Span = tuple[float, float]
_BOUNDS = Option("bounds", {"x": (-1.0, 1.0)})


@dataclass(frozen=True, eq=False)
class ManoeuvreRequest:
    """A manoeuvre that is asked for.

    Attributes:
        equations: of the system.
        inputs: names of those that are to be found.
        kind: of their tables.
        start: coordinates at the first time, and those velocities that are given.
        end: what is given of coordinates and velocities at the last time.
        t: the first time.
        duration: from start to end: one number twice, or the range in which it is to be found.
        cost: what is to be least, integrated over the time.
        bounds: expressions and the ranges that they must not leave.
        limits: ranges of inputs by name.
        parameters: values of parameters and of the other inputs.
        staying: functions of coordinates, t and parameters that constraints keep constant.
    """

    equations: Equations
    inputs: tuple[str, ...]
    kind: str
    start: Mapping[str, float]
    end: Mapping[str, float]
    t: float
    duration: Span
    cost: sp.Expr
    bounds: Mapping[str, tuple[sp.Expr, Span]]
    limits: Mapping[str, Span]
    parameters: Mapping[str, float]
    staying: tuple[sp.Expr, ...] = ()


def asked(
    equations: Equations,
    inputs: object,
    ends: tuple[object, object],
    *,
    until: object,
    cost: object,
    bounds: object,
    parameters: Mapping[str, object] | None,
    kind: object,
) -> ManoeuvreRequest:
    """Read what is asked for; see `steer` for what is refused."""
    system = equations.system
    found = _inputs(equations, inputs)
    joined = _kind(equations, found, kind)
    values = system.known(parameters)
    system.check_inputs({**values, **dict.fromkeys(found, 0.0)})
    values = {name: value for name, value in values.items() if name not in found}
    ranges, squares = _ranges(bounds), sp.Add(*(sp.Symbol(name, real=True) ** 2 for name in found))
    (start, first), (end, last) = _timed(equations, ends[0], "start"), _timed(equations, ends[1], "end")
    t, within = 0.0 if first is None else first, ranges.pop(TIME.name, None)
    span = _duration(t, last if until is None else quantity(until, "until", SECOND).value, within)
    begun, wanted = _ends(equations, start, end, t, {**values, **dict.fromkeys(found, 0.0)})
    check(equations, {**values, TIME.name: t + span[1], **wanted}, "end")
    expressions = {name: (system.read(name, f"the bound of {name}"), span) for name, span in ranges.items()}
    made = ManoeuvreRequest(
        equations=equations,
        inputs=found,
        kind=joined,
        start=begun,
        end=wanted,
        t=t,
        duration=span,
        cost=squares if cost is None else system.read(cost, "the cost"),
        bounds={name: pair for name, pair in expressions.items() if name not in found},
        limits={name: span for name, (_, span) in expressions.items() if name in found},
        parameters=values,
    )
    _check_within(made)
    return made


def _ends(
    equations: Equations, start: Mapping[str, object], end: Mapping[str, object], t: float, values: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates at the start with the velocities that are given there, and what is given at the end."""
    dimensions, u = dict[str, Dimension](), [u.name for u in equations.space.velocities]
    given = read_values(equations, start, "start", u, dimensions)
    first = positions(equations, {k: v for k, v in given.items() if k not in u}, t, values).values
    begun = {c.name: first[c.name] for c in equations.space.coordinates}
    wanted = _flat(equations, read_values(equations, end, "end", u, dimensions))
    for values_there, given_there in ((given, start), (wanted, end)):
        turned(equations.system, values_there, given_there)
    if not wanted:
        raise InvalidValue("E330", "the end gives nothing", f"end={{{as_given(next(iter(begun)))}: ...}}")
    return {**begun, **{name: given[name] for name in u if name in given}}, wanted


def staying(made: ManoeuvreRequest, integrals: Sequence[sp.Expr]) -> ManoeuvreRequest:
    """The request with what the constraints keep constant beyond relations between positions.

    Raises:
        InvalidValue: E332, it would have to change on the way.
    """
    kept = tuple(e for e in integrals if not {s.name for s in e.free_symbols} & {*made.inputs})
    fixed = made.duration[0] == made.duration[1]
    first = {**made.start, **made.parameters, TIME.name: made.t}
    last = {**made.end, **made.parameters, **({TIME.name: made.t + made.duration[1]} if fixed else {})}
    for e in kept:
        a, b = value_of(e, first), value_of(e, last)
        if a is not None and b is not None and not abs(b - a) <= 1e-9 * max(1.0, abs(a)):
            fact = f"the constraints keep {e} constant; it is {a:.6g} at the start and {b:.6g} at the end"
            raise InvalidValue("E332", fact, "no inputs lead there: correct the end, or leave out a coordinate of it")
    return replace(made, staying=kept)


def value_of(expression: sp.Expr, values: Mapping[str, float]) -> float | None:
    """The value of an expression, None where a symbol in it has none."""
    known = {s: values.get(s.name) for s in expression.free_symbols}
    return None if None in known.values() else float(expression.subs(known))


def _inputs(equations: Equations, given: object) -> tuple[str, ...]:
    """E181: a name that is no input's."""
    system = equations.system
    found = names(given, "inputs", "E182")
    for name in found:
        if name not in system.inputs:
            remedy = did_you_mean(name, system.inputs) if system.inputs else f'da.System(..., inputs="{name}")'
            raise UnknownName("E181", f"the system has no input {as_given(name)}", remedy, subject=("inputs", name))
    return tuple(dict.fromkeys(found))


def _kind(equations: Equations, found: Sequence[str], kind: object) -> str:
    """How tables are joined: by lines, unless another kind is asked for."""
    system = equations.system
    driven = [c.name for c in system.constraints if c.holonomic and system.names_in([c.given]) & {*found}]
    if driven:
        fact = f"an input that is to be found stands in {driven[0]}, a relation between positions"
        raise InvalidValue("E340", fact, "let its rate be the constraint, or give that input among the parameters")
    if kind is None:
        return "linear"
    if not isinstance(kind, str) or kind not in SMOOTH:
        raise InvalidValue("E182", f"there is no kind of table {as_given(kind)}", did_you_mean(str(kind), SMOOTH))
    shaped = [name for name in found if name in system.shaping]
    if shaped and SMOOTH[kind] < 0:
        fact = f"velocities would jump with the input {shaped[0]}: it stands in {system.shaping[shaped[0]]}"
        raise InvalidValue("E185", fact, Option("kind", "linear"))
    return kind


def _timed(equations: Equations, given: object, which: str) -> tuple[Mapping[str, object], float | None]:
    """What one end gives by name, and its time where it says one."""
    if isinstance(given, Start | Row):
        state = {name: given[name] for name in (*_states(equations),)}
        return state, float(given.t or 0.0) if which == "start" else None
    if not isinstance(given, Mapping):
        raise WrongType("E330", f"the {which} is {as_given(given)}, not a mapping of names", f"{which}={{'x': 0.0}}")
    found = by_name(given, f"the {which}", lambda key: key if isinstance(key, str) else as_given(key))
    t = found.pop(TIME.name, None)
    return found, None if t is None else quantity(t, "t", SECOND).value


def _states(equations: Equations) -> list[str]:
    return [s.name for s in (*equations.space.coordinates, *equations.space.velocities)]


def _flat(equations: Equations, found: Mapping[str, object]) -> dict[str, float]:
    """Coordinates for rotations."""
    flat: dict[str, float] = {}
    for name, value in found.items():
        attitude = equations.space.attitudes.get(name)
        flat |= {name: float(str(value))} if attitude is None else read_attitude(name, value, attitude)
    return flat


def _ranges(given: object) -> dict[str, Span]:
    """Bounds by what they bound (E340)."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise WrongType("E340", f"bounds are given by name, not as {as_given(given)}", _BOUNDS)
    found = {}
    for key, pair in given.items():
        name = str(key) if isinstance(key, str | sp.Basic) else as_given(key)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise WrongType("E340", f"the bounds of {name} are {as_given(pair)}, not two", _BOUNDS)
        with about("bounds", name):
            infinite = (-math.inf, math.inf)
            low, high = (end if v is None else quantity(v, name).value for v, end in zip(pair, infinite, strict=True))
        if not low <= high:
            raise InvalidValue("E341", f"nothing lies between {low:g} and {high:g}, the bounds of {name}", _BOUNDS)
        found[name] = (low, high)
    return found


def _duration(t: float, last: float | None, span: Span | None) -> Span:
    """How long it may take, from the last time or from its bounds (E340, E341)."""
    if last is not None:
        if not last > t:
            raise InvalidValue("E333", f"the last time {last:g} must be after t = {t:g}", f"until={t + 1:g}")
        if span is not None and not span[0] <= last <= span[1]:
            raise InvalidValue("E341", f"the last time {last:g} is outside the bounds of t", "leave one of the two out")
        return last - t, last - t
    if span is None or not math.isfinite(span[1]):
        fact = "nothing says how long it may take"
        raise InvalidValue("E340", fact, 'until=5.0, or a last time to be found: bounds={"t": (1.0, 10.0)}')
    if not span[1] > t:
        raise InvalidValue("E341", f"the last time is at most {span[1]:g}, the first is {t:g}", 'bounds={"t": (1, 10)}')
    return max(span[0] - t, 1e-6 * (span[1] - t)), span[1] - t


def _check_within(made: ManoeuvreRequest) -> None:
    """E341: what is given at an end lies outside its bounds."""
    for which, values in (("start", made.start), ("end", made.end)):
        for name, (expression, (low, high)) in made.bounds.items():
            value = value_of(expression, {**values, **made.parameters})
            if value is not None and not low - 1e-9 <= value <= high + 1e-9:
                fact = f"at the {which} {name} = {value:g}, outside its bounds {low:g} and {high:g}"
                raise InvalidValue("E341", fact, f"widen them, or choose another {which}")


def on_mesh(made: ManoeuvreRequest, formulas: Mapping[str, sp.Expr], coefficients: Sequence[str]) -> ManoeuvreRequest:
    """The request with equations in which inputs are their tables."""
    return replace(made, equations=made.equations.steered_by(formulas, coefficients))


def guessed_end(made: ManoeuvreRequest) -> np.ndarray:
    """Coordinates at the end, for a first guess: as given, or as at the start (n,)."""
    return np.array([made.end.get(q.name, made.start[q.name]) for q in made.equations.space.coordinates])


# ---------------------------------------------------------------------------------------------------------------------
# Costs without a least value: where an input may be as large as it likes, and the cost falls faster than it
# grows.

_STATES, _LARGE = 5, (1e3, 1e6)  # random states; inputs at which the cost is still curved downwards


def check_cost(made: ManoeuvreRequest) -> None:
    """E343: d^2 cost/dF^2 < 0 for an input F without bounds, at random states and however large it is."""
    for name in made.inputs:
        if not all(map(math.isfinite, made.limits.get(name, (-math.inf, math.inf)))) and _falls(made, name):
            fact = f"the cost {made.cost} falls without end as {name} grows: there is no least one"
            raise InvalidValue("E343", fact, f'another sign of the cost, or bounds={{"{name}": (-1.0, 1.0)}}')


def _falls(made: ManoeuvreRequest, name: str) -> bool:
    graph, rng, space = Graph(), np.random.default_rng(9), made.equations.space
    F = graph.symbol(name)
    slope = gradient(read(made.cost, graph), [F])[0]
    curved = gradient(slope, [F])[0]
    others = [s.name for s in sorted(made.cost.free_symbols, key=str) if s.name not in space.by_name]
    for _ in range(_STATES):
        point = {**space.sample(rng, others), TIME.name: float(rng.uniform()), **made.parameters}
        for size in (1.0, *_LARGE):
            for sign in (-1, 1):
                if not float(evaluate([curved], {**point, name: sign * size})[0]) * size**2 < -1e-12:
                    return False
    return True
