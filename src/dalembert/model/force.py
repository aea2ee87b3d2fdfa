"""Forces: an applied force acts where a point moves, and its components follow from that.

    Q_a = F . dv/du^a

v(q, u) being the velocity of the point on which F acts. Friction laws, follower forces and dissipation functions are
all of this form. Forces add up: give `System` a list of them, or a plain ``{velocity: Q}``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..argument_checks import noun, public, several
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.line_width import cut
from ..calculus.quantity import number
from ..calculus.symbols import by_name
from ..errors import InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean, kind_of, warn
from ..errors.remedies import Code, Option
from .expression_symbols import Reader
from .names import key_name
from .scalar import scalar
from .space import Space

if TYPE_CHECKING:
    from .system import System


class Written(sp.Symbol):
    """A text in a law of friction, which stands for an expression until a system reads it."""


@noun
@dataclass(frozen=True)
class Force:
    """A force F on a point with velocity v: Q_a = F . dv/du^a.

    Attributes:
        name: for messages and events.
        velocity: components of v(t, q, u).
        force: components of F(t, q, u), in the same axes.
        slip: components of a velocity at whose zero the law is not defined (dry friction), or empty.
        coefficients: ``{label: expression}`` that must not be negative wherever the system goes; one labelled
            ``"regularised"`` must not be 0 either.
    """

    name: str
    velocity: tuple[Any, ...]
    force: tuple[Any, ...]
    slip: tuple[Any, ...] = ()
    coefficients: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_name(self.name)
        if not all(isinstance(part, tuple | list) for part in (self.velocity, self.force, self.slip)):
            raise WrongType(
                "E127", f"force {as_given(self.name)}: components are a list", "da.forces.applied([vx], [F])"
            )
        if not isinstance(self.coefficients, Mapping):
            raise WrongType(
                "E127", f"force {as_given(self.name)}: coefficients are given by name", '{"coefficient": mu}'
            )
        if len(self.velocity) != len(self.force):
            raise InvalidValue(
                "E127",
                f"force {as_given(self.name)} has {len(self.force)} components, "
                f"the velocity it acts along has {len(self.velocity)}",
                "give as many components as the velocity has",
            )

    def read(self, read: Callable[[str], sp.Expr]) -> Force:
        """The same law, its texts read."""

        def put(e: object) -> object:
            return e.xreplace({text: read(text.name) for text in e.atoms(Written)}) if isinstance(e, sp.Expr) else e

        velocity, force, slip = (tuple(map(put, part)) for part in (self.velocity, self.force, self.slip))
        coefficients = {label: put(e) for label, e in self.coefficients.items()}
        return Force(self.name, velocity, force, slip, coefficients)


@public
def applied(velocity: Sequence[Any], force: Sequence[Any], name: str = "force") -> Force:
    """A given force on a point moving with `velocity`.

    A follower force is one whose components turn with the body:
    ``applied([vx, vy], [F*cos(theta), F*sin(theta)])``. Components may be text.
    """
    return Force(name, _components(velocity, name, text=True), _components(force, name, text=True))


@public
def rayleigh(dissipation: object, name: str = "dissipation") -> Force:
    """Q_a = -dD/du^a of a Rayleigh dissipation function D(q, u), an expression or text, which is nowhere negative."""
    D = dissipation if isinstance(dissipation, str) else _one(dissipation, f"{name}: the function")
    return Force(name, (D,), (-1,), coefficients={"D": D})


@public
def viscous_friction(velocity: Sequence[Any], coefficient: Any, name: str = "viscous friction") -> Force:
    """F = -nu v on a point moving with v (translational, [lewis1995 (3.2)]); for angular velocities a torque -mu w.

    Components and the coefficient are expressions, numbers or text.
    """
    v, coefficient = _components(velocity, name), _one(coefficient, f"{name}: the coefficient")
    return Force(name, v, tuple(-coefficient * vi for vi in v), coefficients={"coefficient": coefficient})


@public
def rotational_friction(
    angular_velocity: Sequence[object], coefficient: object, name: str = "rotational friction"
) -> Force:
    """T = -mu w: the air's resistance to turning [lewis1995 (3.5)]."""
    return viscous_friction(angular_velocity, coefficient, name)


@public
def rolling_friction(
    slip: Sequence[Any],
    coefficient: object,
    load: object,
    velocity: Sequence[Any] | None = None,
    name: str = "rolling friction",
    regularised: object = None,
) -> Force:
    """F = -delta N v/|v|: a resistance of fixed size against the velocity v relative to the surface.

    All but the name are expressions, numbers or text:
    ``rolling_friction(["vx - Omega*y", "vy + Omega*x"], "delta", "m*g")``.

    Args:
        slip: components of v, the velocity of the body relative to the surface it rolls on.
        coefficient: delta >= 0, without dimension.
        load: N, the normal force (m g on a level table).
        velocity: velocity of the point on which F acts, if not v itself.
        name: for messages and events.
        regularised: v0 > 0, a speed: sqrt(v^2 + v0^2) stands for |v|.

    At v = 0 the law has no direction: a run stops there, as an event called ``"<name> at rest"``. Regularised it is
    smooth, slower than v0 about viscous, and no run stops; the body then creeps where it would have stuck.

    Raises:
        WrongType: E127, an argument of another kind.
        InvalidValue: E127, the velocity has another number of components than the slip, or one of them is a list of
            numbers or of nothing; E128, v0 <= 0.
    """
    slip = _moving(_components(slip, name), f"{name}: the slip")
    coefficient, load = (_one(e, f"{name}: the {what}") for e, what in ((coefficient, "coefficient"), (load, "load")))
    along = slip if velocity is None else _moving(_components(velocity, name), f"{name}: the velocity")
    return _dry(name, slip, coefficient, load, along, regularised)


@public
def pivoting_friction(
    spin: object, coefficient: object, load: object, name: str = "pivoting friction", regularised: object = None
) -> Force:
    """T = -c N sgn(w): a torque of fixed size against the spin w about the normal, relative to the surface.

    It is dry friction on the small area of contact of a body that spins without sliding [contensou1963]. Hertz's
    pressure on a circle of radius a with a coefficient of friction f gives  c = 3 pi/16 f a.

    Args:
        spin: w, the angular velocity about the normal less that of the surface.
        coefficient: c >= 0, a length.
        load: N, the normal force.
        name: for messages and events.
        regularised: w0 > 0, an angular velocity: w/sqrt(w^2 + w0^2) stands for sgn(w).

    At w = 0 a run stops, as an event called ``"<name> at rest"``, unless the law is regularised.

    Raises:
        WrongType: E127, an argument of another kind.
        InvalidValue: E127, the spin is a number; E128, w0 <= 0.
    """
    _check_name(name)
    w, c, N = (
        _one(e, f"{name}: the {what}") for e, what in ((spin, "spin"), (coefficient, "coefficient"), (load, "load"))
    )
    spinning = _moving((w,), f"{name}: the spin")
    return _dry(name, spinning, c, N, spinning, regularised, "an angular velocity", _OF_LENGTH)


def _dry(
    name: str,
    slip: tuple[Any, ...],
    mu: Any,
    load: Any,
    along: tuple[Any, ...],
    regularised: Any,
    what: str = "a speed",
    called: str = "coefficient",
) -> Force:
    """F = -mu N v/|v|, or  -mu N v/sqrt(v^2 + v0^2)."""
    square, bounds = sum(v**2 for v in slip), {called: mu, "load": load}
    if regularised is None:
        return Force(name, along, tuple(-mu * load * v / sp.sqrt(square) for v in slip), slip=slip, coefficients=bounds)
    v0 = _one(regularised, f"{name}: regularised ({what})")
    if v0 <= 0 if isinstance(v0, int | float) else v0.is_nonpositive:
        raise InvalidValue("E128", f"{name}: {_ABOVE_0} must be > 0, is {cut(str(v0), 40)}", _small(what))
    force = tuple(-mu * load * v / sp.sqrt(square + v0**2) for v in slip)
    return Force(name, along, force, coefficients={**bounds, _ABOVE_0: v0})


_STICKY = 5  # a coefficient of dry friction beyond this is doubted
_OF_LENGTH = "coefficient, a length"
_ABOVE_0 = "regularised"  # label of the coefficient that must not be 0 either


def _small(what: str) -> str:
    """What to do about a law that is regularised by 0."""
    return f"give {what} below those of interest, or leave it out: the run then stops at rest"


def _moving(components: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    """E127 for a velocity of numbers, or of nothing: dry friction along it is no force, or not a number."""
    if any(c.free_symbols for c in components if isinstance(c, sp.Expr)):
        return components
    found = f"{what} is {as_given(list(components))}: no velocity is in it"
    raise InvalidValue("E127", found, "give a velocity, such as vx - Omega*y, or leave the law out")


def _components(given: object, name: str, text: bool = False) -> tuple[Any, ...]:
    """Components as a tuple of expressions, or as text; E127 for one expression in place of a list."""
    _check_name(name)
    if not several(given) or not isinstance(given, Sequence | Iterator | np.ndarray | sp.MatrixBase | sp.Tuple):
        raise WrongType("E127", f"{name}: components are a list, not {kind_of(given)}", "write [vx, vy]")
    return tuple(c if text and isinstance(c, str) else _one(c, f"{name}: a component") for c in given)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise WrongType("E127", f"a force's name is text, not {kind_of(name)}", 'name="drag"')


def _one(given: object, what: str) -> Any:
    """One expression or number; E127 for anything else, E719 if it is not finite."""
    if isinstance(given, sp.Expr):
        return scalar(given, what)
    if isinstance(given, str):
        return Written(given, real=True)
    value = number(given, what, "E127", "E719")
    return given if isinstance(given, int) else value


def friction_notes(system: System, known: Mapping[str, float | None]) -> list[Note]:
    """W128: a coefficient of dry friction that is a number, and far above those of any two bodies."""
    values, notes = {name: value for name, value in known.items() if value is not None}, []
    for label, expression in system.coefficients.items():
        law, _, kind = label.rpartition(": ")
        dry = kind == "coefficient" and f"{law}: load" in system.coefficients
        if not dry or not {s.name for s in expression.free_symbols} <= values.keys():
            continue
        mu = float(evaluate([read(expression, Graph())], values)[0])
        notes += _sticky(law, mu)
    for touch in system.contacts:
        if {s.name for s in touch.mu.free_symbols} <= values.keys():
            notes += _sticky(touch.name, float(evaluate([read(touch.mu, Graph())], values)[0]))
    return notes


def _sticky(law: str, mu: float) -> list[Note]:
    if not mu > _STICKY:
        return []
    fact = f"{law}: the coefficient is {mu:g}, those of real bodies are about 1 at most"
    return [
        warn("W128", f"{fact}; was an angle meant? that of {mu:g} deg has tan = {math.tan(math.radians(mu)):.3g}", 7)
    ]


def check_coefficients(system: System, known: Mapping[str, float | None]) -> None:
    """E128: a coefficient that is negative with the known values, at every random state if it depends on the state."""
    values = {name: value for name, value in known.items() if value is not None}
    for label, expression in system.coefficients.items():
        if any(s.name in system.symbols and s.name not in values for s in expression.free_symbols):
            continue
        node = read(expression, Graph())
        moving = any(s.name not in values for s in expression.free_symbols)
        states = (
            [system.space.sample(np.random.default_rng(seed), [TIME.name]) for seed in range(5)] if moving else [{}]
        )
        points = [state | values for state in states]
        with np.errstate(all="ignore"):
            found = np.array([float(evaluate([node], point)[0]) for point in points])
        at_least = label.rpartition(": ")[2] != _ABOVE_0
        if ((found < 0) if at_least else (found <= 0)).all():
            drives = "give it >= 0: friction opposes the motion; a force that drives is one of "
            remedy = (drives, Option("forces", Code("{velocity: Q}")))
            sign = ">=" if at_least else ">"
            raise InvalidValue(
                "E128",
                f"{label} must be {sign} 0, is {found.max():g}",
                remedy if at_least else _small("a value"),
                subject=("forces", label.rpartition(": ")[0]),
            )


# --- The forces of a system, as they are given: laws, mappings by velocity, or a component a velocity ----------------


def acting(forces: object, reader: Reader) -> dict[str, Any]:
    """The generalised forces, the laws they come from and what these promise, as attributes of the system."""
    parts = [
        part.read(partial(reader.read, where=part.name)) if isinstance(part, Force) else part for part in _parts(forces)
    ]
    Q = generalised(parts, reader)
    named = _named([p for p in parts if isinstance(p, Force)])
    rest = {name: tuple(reader.read(v, name) for v in law.slip) for name, law in named.items() if law.slip}
    coefficients = {
        f"{name}: {k}": reader.read(v, name) for name, law in named.items() for k, v in law.coefficients.items()
    }
    return {"forces": Q, "laws": tuple(parts), "rest": rest, "coefficients": coefficients}


def _parts(forces: object) -> list[Any]:
    if forces is None:
        return []
    if isinstance(forces, Mapping | Force):
        return [forces]
    if isinstance(forces, str) or not isinstance(forces, Sequence):
        raise WrongType("E127", f"forces must be a mapping or a list, not {kind_of(forces)}", "forces={vx: -c*vx}")
    return list(forces)


def _named(laws: Sequence[Force]) -> dict[str, Force]:
    """The laws by name; the second of one name is numbered, so that none hides another."""
    named: dict[str, Force] = {}
    for law in laws:
        earlier = sum(other.name == law.name for other in named.values())
        named[f"{law.name} {earlier + 1}" if earlier else law.name] = law
    return named


def generalised(parts: Sequence[Any], reader: Reader) -> tuple[sp.Expr, ...]:
    """Q_a, the sum over all parts."""
    space = reader.space
    Q = dict.fromkeys(space.velocities, sp.S.Zero)
    if parts and not any(isinstance(p, Mapping | Force) for p in parts):
        if len(parts) != len(Q):
            raise InvalidValue(
                "E127", f"{len(parts)} force components for {len(Q)} velocities", "name them: {velocity: Q}"
            )
        parts = [dict(zip(Q, parts, strict=True))]
    for part in parts:
        if isinstance(part, Force):
            components = _by_velocity(part, reader)
        elif isinstance(part, Mapping):
            components = _byvelocity_named(part, reader)
        else:
            raise WrongType("E127", f"a force is a Force or a mapping, not {kind_of(part)}", "forces={vx: -c*vx}")
        for u, component in components.items():
            Q[u] += component
    return tuple(Q.values())


def _byvelocity_named(given: Mapping[Any, Any], reader: Reader) -> dict[sp.Symbol, sp.Expr]:
    """Components by velocity; a coordinate stands for its rate, where that is a velocity."""
    found: dict[sp.Symbol, sp.Expr] = {}
    for key, e in by_name(given, "forces").items():
        u = velocity_named(reader.space, key, "forces")
        if u in found:
            fact = f"the force on {u} is given twice: by its name and by that of its coordinate"
            raise InvalidValue("E127", fact, f"give the sum, by the name {u}")
        found[u] = reader.read(e, f"force on {key}")
    return found


def _by_velocity(force: Force, reader: Reader) -> dict[sp.Symbol, sp.Expr]:
    # Q_a = F . dv/du^a
    v = [reader.read(c, f"velocity of {force.name}") for c in force.velocity]
    F = [reader.read(c, force.name) for c in force.force]
    if not any(vi.free_symbols & set(reader.space.velocities) for vi in v):
        held = ", ".join(map(str, v))
        what = "the dissipation" if force.force == (-1,) else "the velocity it acts along"
        remedy = f"write it with {', '.join(map(str, reader.space.velocities))}"
        raise InvalidValue("E127", f"{force.name} does nothing: {what} is {cut(held)}, which holds no velocity", remedy)
    return {u: sum((Fi * vi.diff(u) for Fi, vi in zip(F, v, strict=True)), sp.S.Zero) for u in reader.space.velocities}


def velocity_named(space: Space, key: object, where: str) -> sp.Symbol:
    """The velocity of this name, or that which is the rate of the coordinate of this name, ``x`` or ``dot(x)``."""
    name, own = key_name(key), {u.name: u for u in space.velocities}
    rates = {q.name: rate for q, rate in space.rates.items() if rate in space.velocities}
    known = rates | {f"dot({q})": rate for q, rate in rates.items()} | own
    if name not in known:
        raise UnknownName("E127", f"{where}: {as_given(name)} is not a velocity of the space", did_you_mean(name, own))
    return known[name]
