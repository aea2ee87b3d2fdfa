"""What is refused, doubted and noted of a system, of values that replace its own, of a start: tables of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient, operations, symbols
from ..calculus.line_width import cut
from ..calculus.plausibility import cyclic, hertz, in_degrees, like_degrees, turns
from ..calculus.quantity import LARGEST, in_hertz
from ..calculus.simplification import at_most
from ..calculus.symbols import free_symbols
from ..errors import InvalidValue, Note, WrongType, about, as_given, kind_of, warn
from ..errors.lookalike_letters import mistakable
from ..errors.remedies import Call, Option
from . import dimensions, parameters, unit_mismatch
from .bodies import symbols_of
from .contact_dimensions import check_distances
from .expression_symbols import Reader
from .force import Force, check_coefficients, friction_notes, generalised
from .inertia import check_tensors, moment_notes
from .names import check_distinct, check_meant
from .size_limits import check_size

if TYPE_CHECKING:
    from .system import System


_JUMPS = {"sign", "floor", "ceil", "select"}  # operations of the graph that those below become
_ROUGH = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.Piecewise)


def _mistakable(system: System) -> list[Note]:
    """W102: two names that some typefaces show alike."""
    pair = mistakable(dict.fromkeys((*system.space.by_name, *system.parameters, *system.symbols, *system.definitions)))
    if pair is None:
        return []
    return [warn("W102", f"{pair[0]} and {pair[1]} are easily taken for each other: rename one of them", 6)]


def _unused(system: System) -> list[Note]:
    """W119: parameters and inputs that stand nowhere."""
    drawn = {s.name for s in symbols_of(system.bodies)}
    drawn |= {s.name for e in system.definitions.values() for s in free_symbols(e)}
    asked = () if system.inputs else system.parameters  # formulas of inputs may use the others
    idle = [f"parameter {name}" for name in asked if name not in system.symbols and name not in drawn]
    idle += [f"input {name}" for name in system.inputs if name not in system.symbols]
    return [warn("W119", f"{what} is not used anywhere", 6) for what in idle]


def _cyclic(system: System) -> list[Note]:
    """W105: coordinates that stand nowhere and move nothing that does."""
    own = system.names_in(system.expressions)
    used = own | system.names_in(system.space.frame.rates)
    rates = system.space.rates.items()
    idle = [q for q, rate in rates if q.name not in used and not system.names_in([rate]) & own]
    return [warn("W105", f"{q} occurs neither in L nor in a constraint", 6) for q in idle]


def _in_time(system: System) -> Iterable[Note]:
    """N120: the time occurs; N115: constraints that are relations between positions."""
    if not system.autonomous:
        yield Note("N120", "the time occurs explicitly: energy is audited against the work done, not conserved")
    for c in system.constraints:
        if c.holonomic:
            said = f"{c.name} is a relation between positions: holonomic, its rate is used and its value kept"
            yield Note("N115", said)


def _rough(system: System) -> list[Note]:
    """W151: L or a constraint jumps."""
    smooth = [system.lagrangian, *(c.given for c in system.constraints)]
    jumps = operations([system.algebra.read(e) for e in smooth]).keys() & _JUMPS
    rough = [f.__name__ for f in _ROUGH if jumps and any(e.has(f) for e in smooth)]
    text = f"L or a constraint jumps ({', '.join(rough)}): impulses at the jumps are not computed"
    return [warn("W151", text, 5)] if rough else []


def _badly_scaled(system: System) -> Iterator[Note]:
    """W208: a parameter whose powers leave the range of floats."""
    for name, value in system.parameters.items():
        if value and not 1 / LARGEST < abs(value) < LARGEST:
            yield warn("W208", f"{name} = {value:g}: badly scaled, choose other units", 6)


def _in_degrees(system: System) -> Iterator[Note]:
    """W209: an angle of many turns, and numbers in expressions that are degrees."""
    large = {n: x for n, x in system.parameters.items() if x and like_degrees(x, None) and n not in system.units}
    for name in system.angles & large.keys() if large else ():
        yield warn("W209", turns(name, large[name]), 6)
    for text in in_degrees([*system.expressions, *system.of_surfaces, *system.defined.values()]):
        yield warn("W209", text, 6)


def hertz_notes(system: System, given: Mapping[str, object]) -> list[Note]:
    """W211: values in hertz of what stands in no argument of a sine."""
    told = {name: value for name, value in given.items() if isinstance(value, str) and in_hertz(value)}
    return [warn("W211", hertz(n, text), 7) for n, text in told.items() if not cyclic(n, system.expressions)]


# ---------------------------------------------------------------------------------------------------------------------
# Forces that are hardly meant: one that feeds the motion in every state, one that is given twice, or in L as
# well.

_STATES = 20
_LONGEST = 300  # operations up to which a force is held against L term by term


def driving_notes(system: System) -> list[Note]:
    """W127: the part of the forces that turns with the velocity does work on the motion at each of 20 random states.

    A force that drives whichever way the motion goes, and never brakes it, is friction with the wrong sign more often
    than not. Forces that do not depend on the velocity have no such part, nor have those across it. A `Force` was made
    of a law and a direction, and is not doubted.
    """
    if all(isinstance(law, Force) for law in system.laws):
        return []
    missing = [s for name, s in system.symbols.items() if system.parameters.get(name) is None]
    graph, moving = Graph(), {u.name for u in system.space.velocities}
    if not all(s.is_positive for s in missing) or not symbols([read(Q, graph) for Q in system.forces]) & moving:
        return []
    fed = _powers(system)
    if len(fed) < _STATES or fed.min() <= 0:
        return []
    acting = ", ".join(str(u) for u, Q in zip(system.space.velocities, system.forces, strict=True) if Q != 0)
    fact = f"the force on {acting} drives the motion, whichever way it goes, in {_STATES} random states"
    return [warn("W127", f"{fact}: sign of friction? friction is -c*{acting.split(', ')[0]}", 5)]


def repeated_notes(system: System) -> list[Note]:
    """W130: a law that is given twice, word for word, acts twice."""
    laws = [law for law in system.laws if isinstance(law, Force | Mapping)]
    twice = [law for n, law in enumerate(laws) if law in laws[:n]]
    told = [f"{_called(law)} is given twice: it acts twice" for law in twice[:1]]
    return [warn("W130", text, 5) for text in (*told, *_of_the_potential(system))]


def _of_the_potential(system: System) -> Iterator[str]:
    """Terms of a given force that L has already, E^i_a dL/dq^i at u = 0."""
    laws = [law for law in system.laws if isinstance(law, Mapping)]
    if not laws or not at_most(_LONGEST, system.lagrangian, *system.forces):
        return
    space = system.space
    rest = system.lagrangian.xreplace(dict.fromkeys(space.velocities, sp.S.Zero))
    slopes = [rest.diff(q) for q in space.coordinates]
    for a, (u, Q) in enumerate(zip(space.velocities, system.forces, strict=True)):
        slope = sum((E * s for E, s in zip(space.anchor.col(a), slopes, strict=True)), sp.S.Zero)
        twice = {*sp.Add.make_args(sp.expand(Q))} & {*sp.Add.make_args(sp.expand(slope))} - {sp.S.Zero}
        if twice:
            yield f"the force on {u} holds {min(map(str, twice))}, which L gives as well: it acts twice"


def _called(law: object) -> str:
    if isinstance(law, Force):
        return f"the force {as_given(law.name)}"
    named = [str(name) for name in law] if isinstance(law, Mapping) else []
    return f"the force on {', '.join(named)}"


def _powers(system: System) -> np.ndarray:
    """(Q(u) - Q(-u)) . u / 2, the power that does not turn round with the motion, where it is finite."""
    space, graph = system.space, Graph()
    nodes = [read(Q, graph) for Q in system.forces]
    known = {name: value for name, value in system.parameters.items() if value is not None}
    found = []
    for seed in range(_STATES):
        there = space.sample(np.random.default_rng(seed), [*system.symbols, *system.reactions, TIME.name]) | known
        back = there | {u.name: -there[u.name] for u in space.velocities}
        u = np.array([there[u.name] for u in space.velocities])
        with np.errstate(all="ignore"):
            ahead, behind = (np.array(evaluate(nodes, point), float) for point in (there, back))
        found.append(float((ahead - behind) @ u) / 2)
    powers = np.array(found)
    finite: np.ndarray = powers[np.isfinite(powers)]
    return finite


# --- Forces written out by hand that jump or have no value at some velocity, such as -mu v/|v| at rest ---------------

_NEAR, _JUMP = 1e-12, 1e-3
_TRIED, _STEPS = 3, 80
_REMEDY = ("use ", Call("forces.dry"), ", which sticks and goes on, or smooth it with a small speed")


def rest_notes(system: System) -> list[Note]:
    """W129 for each velocity whose force jumps, or is not finite, at rest or at another velocity."""
    written = [p for p in system.laws if not (isinstance(p, Force) and p.slip)]
    notes, forces = [], generalised(written, Reader.of(system).of_forces(system.constraints))
    for u, Q in zip(system.space.velocities, forces, strict=True):
        place = _rough_place(system, Q)
        if place:
            notes.append(warn("W129", (f"the force on {u} is undefined {place}: ", _REMEDY), 5))
    return notes


def _rough_place(system: System, Q: sp.Expr) -> str:
    """Where the force is rough in the velocities, in words; "" if nowhere that was tried."""
    velocities, graph = [u.name for u in system.space.velocities], Graph()
    force = read(Q, graph)
    if not symbols([force]) & set(velocities):
        return ""
    nodes = {e: read(e, graph) for e in _switches(Q)}
    switches = {e: node for e, node in nodes.items() if symbols([node]) & set(velocities)}
    for seed in range(_TRIED):
        point = system.space.sample(np.random.default_rng(seed), [*system.symbols, *system.reactions, TIME.name])
        point |= {name: value for name, value in system.parameters.items() if value is not None}
        if _rough_at(force, point, {**point, **dict.fromkeys(velocities, 0.0)}, velocities):
            return "at rest"
        for e, node in switches.items():
            at = _zero(node, point, velocities)
            if at is not None and _rough_at(force, point, at, velocities):
                return f"where {cut(str(e), 40)} = 0"
    return ""


def _switches(Q: sp.Expr) -> Iterator[sp.Expr]:
    """Expressions at whose zero the force may jump or lose its value."""
    for e in _parts(Q):
        if isinstance(e, sp.sign | sp.Heaviside | sp.Abs | sp.log):
            yield e.args[0]
        elif isinstance(e, sp.Pow) and (not e.exp.is_integer or e.exp.is_negative):
            yield e.base
        elif isinstance(e, sp.Rel):
            yield e.lhs - e.rhs


def _parts(Q: sp.Expr) -> Iterator[sp.Basic]:
    """All parts of an expression once, however often it holds them."""
    seen, left = {Q}, [Q]
    while left:
        e = left.pop()
        yield e
        new = [part for part in dict.fromkeys(e.args) if part not in seen]
        seen.update(new)
        left += new


def _zero(node: Node, point: Mapping[str, float], velocities: Sequence[str]) -> dict[str, float] | None:
    """A state with the node 0, other velocities than at `point`, by Newton's steps along the gradient; None if none."""
    at = dict(point)
    slopes = gradient(node, [node.graph.symbol(name) for name in velocities])
    for _ in range(_STEPS):
        with np.errstate(all="ignore"):
            value, *slope = (float(x) for x in evaluate([node, *slopes], at))
        size = sum(s * s for s in slope)
        if not (np.isfinite(value) and np.isfinite(size)) or size == 0:
            break
        # u -= g dg/|dg|^2
        at |= {name: at[name] - value * s / size for name, s in zip(velocities, slope, strict=True)}
    with np.errstate(all="ignore"):
        left = float(evaluate([node], at)[0])
    return at if abs(left) <= _NEAR else None


def _rough_at(force: Node, far: Mapping[str, float], at: Mapping[str, float], velocities: Sequence[str]) -> bool:
    """Does the force jump at `at`, or lose its value, on the way from there to `far`, though it is finite around?"""
    scales = np.array([1.0, _NEAR, -_NEAR, 0.0])
    moving = {**far, **{name: at[name] + (far[name] - at[name]) * scales for name in velocities}}
    with np.errstate(all="ignore"):
        found = np.asarray(evaluate([force], moving)[0], float)
    away, ahead, behind, here = np.broadcast_to(found, scales.shape)
    if not np.isfinite([away, ahead, behind]).all():
        return False
    return bool(not np.isfinite(here) or abs(ahead - behind) > _JUMP * max(abs(away), abs(ahead)) > 0)


# ---------------------------------------------------------------------------------------------------------------------
# Which way is up, and does the potential know it? A slip of sign in the gravity term is seen at random states.

_LOOKED = 20


def height(up: Any, reader: Any) -> sp.Expr | None:
    """The height h(q) that `up` names: a coordinate, or an expression in coordinates.

    Raises:
        UnknownName: E104, text that is not the name of a coordinate.
        InvalidValue: E145, an expression that holds a velocity or no coordinate.
    """
    if up is None:
        return None
    if isinstance(up, list | tuple | dict | set):
        raise WrongType("E145", f"up is one height, not {kind_of(up)}", 'up="z", or the sum of several: up=y1 + y2')
    h = reader.space[up] if isinstance(up, str) else reader.read(up, "up")
    if h.free_symbols & set(reader.space.velocities) or not h.free_symbols & set(reader.space.coordinates):
        raise InvalidValue(
            "E145", f"up = {h} is not a height", ("name a coordinate, ", Option("up", "z"), ", or give h(q)")
        )
    return h


def gravity_notes(system: System) -> list[Note]:
    """W125: the potential falls along `up` at each of 20 random states, at u = 0."""
    h = system.up
    missing = [s for name, s in system.symbols.items() if system.parameters.get(name) is None]
    if h is None or not all(s.is_positive for s in missing):
        return []
    slopes = _slopes(system, h)
    if not len(slopes) or slopes.max() >= 0:
        return []
    low, high = (f"{-s:.4g}" for s in (slopes.max(), slopes.min()))
    size = low if low == high else f"{low} to {high}"
    what = f"dL/d{h}" if h.is_Symbol else "dL/dh"
    text = (
        f"the potential falls as {h} grows: {what} = {size} at u = 0 in {len(slopes)} random states; sign of gravity?"
    )
    return [warn("W125", text, 5)]


def _slopes(system: System, h: sp.Expr) -> np.ndarray:
    """dV/dh along the gradient of h, where it and all it needs are finite."""
    space, graph = system.space, Graph()
    rest = dict.fromkeys(space.velocities, sp.S.Zero)
    L, up = read(system.lagrangian.xreplace(rest), graph), read(h, graph)
    q = [graph.symbol(s.name) for s in space.coordinates]
    E = [[read(e, graph) for e in space.anchor.row(i)] for i in range(len(q))]
    dL, dh = ([_along(E, gradient(f, q), a) for a in range(len(space.velocities))] for f in (L, up))
    known = {name: value for name, value in system.parameters.items() if value is not None}
    found = []
    for seed in range(_LOOKED):
        point = space.sample(np.random.default_rng(seed), [*system.symbols, TIME.name]) | known
        a, b = (np.array(evaluate(row, point), float) for row in (dL, dh))
        # V_a h_a / h_a h_a, with V = -L at u = 0
        found.append(-float(a @ b) / float(b @ b) if np.any(b) else np.nan)
    slopes = np.array(found)
    finite: np.ndarray = slopes[np.isfinite(slopes)]
    return finite


def _along(E: list[list[Node]], slopes: list[Node], a: int) -> Node:
    # E^i_a df/dq^i
    zero = slopes[0].graph.constant(0)
    return sum((row[a] * s for row, s in zip(E, slopes, strict=True)), zero)


# --- what is refused, by code, in this order -------------------------------------------------------------------------


def _check_values(system: System) -> None:
    """E205: values that their symbols do not allow, those of the frame of the space among them."""
    space, known = system.space, {*system.space.by_name, TIME.name}
    frame = space.frame.letters.union(*(c.free_symbols for r in space.brackets.values() for c in r))
    system.symbols.update({s.name: s for s in frame if s.name not in known | system.symbols.keys()})  # type: ignore[attr-defined]
    for name, value in system.parameters.items():
        if value is not None:
            with about("parameters", name):
                parameters.check(name, value, system.symbols.get(name))


def _check_surfaces(system: System) -> None:
    """E130, E138: of walls and contacts."""
    for wall in system.walls:
        with about("walls", wall.name, "restitution"):
            wall.check(system.parameters)
    for touch in system.contacts:
        touch.check(system.parameters)


REFUSED: Mapping[str, Callable[[System], None]] = {
    "E103 E102": check_distinct,
    "E205": _check_values,
    "E202": check_meant,
    "E135": check_size,
    "E109 E128": lambda system: refuse_values(system, system.parameters),
    "E130 E138": _check_surfaces,
    "E134": lambda system: system.fits({}),
    "E137": check_distances,
    "E134 E147": unit_mismatch.check_bodies,
}


def refuse(system: System) -> None:
    """Refuse names that are taken, too large a system, values that no body has, units that do not fit."""
    for check in REFUSED.values():
        check(system)


def refuse_values(system: System, known: Mapping[str, float | None]) -> None:
    """E109, E128: moments and coefficients that no body has."""
    check_tensors(system, known)
    check_coefficients(system, known)


# --- what is doubted and noted, by code ------------------------------------------------------------------------------

Detectors = Mapping[str, Callable[..., Iterable[Note]]]

OF_A_SYSTEM: Detectors = {
    "W102": _mistakable,
    "W119": _unused,
    "W105": _cyclic,
    "N120 N115": _in_time,
    "W151": _rough,
    "W129": rest_notes,
    "W208": _badly_scaled,
    "W209": _in_degrees,
    "W210 W215": unit_mismatch.mixed_notes,
    "W213": unit_mismatch.magnitude_notes,
    "W211": lambda system: hertz_notes(system, system.written),
    "W125": gravity_notes,
    "W127": driving_notes,
    "W130": repeated_notes,
    "W109 W128 W210": lambda system: of_values(system, system.parameters),
    "W134 N134": dimensions.notes,
}
# of the bodies, surfaces and gravity that values of parameters describe
OF_VALUES: Detectors = {"W109": moment_notes, "W128": friction_notes, "W210": unit_mismatch.gravity_notes}


def of_system(system: System) -> tuple[Note, ...]:
    """All that is said of a system when it is made."""
    return tuple(note for seen in OF_A_SYSTEM.values() for note in seen(system))


def of_values(system: System, known: Mapping[str, float | None]) -> list[Note]:
    """What is doubted of the values of all parameters."""
    return [note for seen in OF_VALUES.values() for note in seen(system, known)]


def of_override(system: System, given: Mapping[Any, object] | None, fixed: Mapping[Any, object] | None) -> list[Note]:
    """What is doubted of values that replace others: W210 no unit, W211 hertz; W214 of those that are no range."""
    named = {str(name): value for name, value in (given or {}).items()}
    bare = parameters.bare_notes(system.written, system.parameters, _numbers(named) if system.written else {})
    moved = {name: x for name, x in _numbers(fixed or {}).items() if name not in system.written}
    shifted = unit_mismatch.shifted_notes(system.parameters, moved, system.shifts_shown)
    return [*bare, *hertz_notes(system, named), *shifted]


def _numbers(given: Mapping[Any, object]) -> dict[str, float]:
    """Those of the values that are given without a unit."""
    plain = {str(name): value for name, value in given.items() if not isinstance(value, str)}
    return {name: x for name, x in parameters.given(plain).values.items() if x is not None} if plain else {}


def of_start(
    system: System, given: Mapping[str, object], known: Mapping[str, float], state: Mapping[str, float]
) -> list[Note]:
    """What is doubted of a start: W215 numbers beside units, W213 lengths far above all others, W216 speeds."""
    far, fast = unit_mismatch.far_notes(system, given, known), unit_mismatch.light_notes(system, state)
    return [*unit_mismatch.start_notes(system, given), *far, *fast]
