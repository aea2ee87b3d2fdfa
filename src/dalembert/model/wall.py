"""Walls: surfaces at which velocities jump, as given. What they do is in `principles/impulsive`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import number
from ..calculus.symbols import by_name
from ..errors import InvalidValue, WrongType, as_given, kind_of
from ..errors.lookalike_letters import strange
from ..errors.remedies import Option
from .expression_symbols import Reader, rate_of
from .guard_regularity import approach
from .names import key_name
from .space import Space

NORMAL = "normal"
_PARTS = ("guard", "constraints", "restitution")


@dataclass(frozen=True, eq=False)
class Wall:
    """A wall as given.

    Attributes:
        name: of it.
        guard: f(t, q) > 0 where the motion is free.
        rows: df/dt, called ``"normal"``, and what else it imposes, each to be 0.
        factors: the restitution of each row.
    """

    name: str
    guard: sp.Expr
    rows: Mapping[str, sp.Expr]
    factors: Mapping[str, sp.Expr]

    @property
    def given(self) -> dict[str, Any]:
        """The wall as an entry of `System(walls=...)`."""
        imposed = {name: phi for name, phi in self.rows.items() if name != NORMAL}
        return {"guard": self.guard, "constraints": imposed, "restitution": dict(self.factors)}

    def rewritten(self, rewrite: Callable[[sp.Expr], sp.Expr]) -> dict[str, Any]:
        """The wall in other coordinates or velocities, as an entry of `System(walls=...)`."""
        given = self.given
        imposed = {name: rewrite(phi) for name, phi in given["constraints"].items()}
        return {**given, "guard": rewrite(self.guard), "constraints": imposed}

    def __str__(self) -> str:
        imposed = (f", {name}: {phi} = 0 when it is hit" for name, phi in self.rows.items() if name != NORMAL)
        return f"{self.name}: {self.guard} > 0{''.join(imposed)}"

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """All expressions of the wall."""
        return (self.guard, *self.rows.values(), *self.factors.values())

    @property
    def places(self) -> dict[str, tuple[sp.Expr, ...]]:
        """Its expressions by where they stand."""
        imposed = {f"constraint {name}": (phi,) for name, phi in self.rows.items() if name != NORMAL}
        return {"guard": (self.guard,), **imposed, "restitution": tuple(self.factors.values())}

    def check(self, parameters: Mapping[str, float | None]) -> None:
        """E130: a restitution lies outside [0, 1] at these values, as far as they are known."""
        known = {k: v for k, v in parameters.items() if v is not None}
        for e in self.factors.values():
            if (value := value_of(e, known)) is not None:
                check_restitution(value, f"restitution {e}")


def read_walls(given: object, reader: Reader, restitution: object = 1.0) -> tuple[Wall, ...]:
    """Walls by name, each a guard or a mapping of ``guard``, ``constraints`` and ``restitution``.

    Raises:
        WrongType: E131, not given by name.
        InvalidValue: those of `read_wall`.
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise WrongType("E131", "walls are given by name", 'walls={"left": x, "right": 1 - x}')
    named = by_name(given, "walls", key_name)
    return tuple(read_wall(name, reader, **_options(each, restitution)) for name, each in named.items())


def read_wall(name: str, reader: Reader, guard: object, constraints: object = None, restitution: object = 1.0) -> Wall:
    """One wall.

    Raises:
        WrongType: E131, constraints that are not given by name, or a name that is no text; E204, a restitution that is
            neither a number nor a parameter.
        InvalidValue: E130 a restitution outside [0, 1], that depends on the state or belongs to nothing; E131 a guard
            that is no function of the position or whose gradient vanishes with it, or a constraint without velocities.
    """
    _check_name(name)
    f = reader.read(guard, "the guard")
    if not isinstance(constraints, Mapping | None):
        raise WrongType("E131", "what a wall imposes is given by name", 'constraints={"grip": phi}')
    rows = {NORMAL: approach(f, reader.space, f"the guard {f}", "E131")}
    for label, phi in by_name(constraints or {}, f"constraints of the wall {name}", key_name).items():
        if label == NORMAL:
            fact = f'a wall has a row "{NORMAL}" already: df/dt of its guard'
            raise InvalidValue("E131", fact, "call the constraint otherwise")
        rows[label] = _row(label, reader.read(phi, f"the wall's {label}"), reader.space)
    return Wall(name, f, rows, _restitutions(restitution, rows, reader))


def _options(given: object, restitution: object) -> dict[str, Any]:
    """One entry as arguments."""
    if not isinstance(given, Mapping):
        return {"guard": given, "restitution": restitution}
    strange = [str(k) for k in given if k not in _PARTS]
    if strange or "guard" not in given:
        fact = f"a wall has no {as_given(strange[0])}" if strange else "a wall needs a guard"
        raise InvalidValue("E131", fact, '{"guard": ..., "constraints": {...}, "restitution": e}')
    return {"restitution": restitution, **given}


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise WrongType("E131", f"the name of a wall is text, not {kind_of(name)}", Option("name", "floor"))
    wrong = strange(name) or (None if name and name.isprintable() else ("not all of it shows", Option("name", "floor")))
    if wrong is not None:
        raise InvalidValue("E131", f"{as_given(name)} cannot be the name of a wall: {wrong[0]}", wrong[1])


def _row(label: str, phi: sp.Expr, space: Space) -> sp.Expr:
    """One constraint of a wall; it must hold velocities."""
    if not phi.free_symbols & set(space.velocities):
        rate = rate_of(phi, space)
        raise InvalidValue(
            "E131",
            f"{label}: {phi} holds no velocity, and a wall imposes velocities",
            f"its rate is {rate}" if rate != 0 else "name what must not move at the wall",
        )
    return phi


def _restitutions(given: object, rows: Mapping[str, Any], reader: Reader) -> dict[str, sp.Expr]:
    if not isinstance(given, Mapping):
        return dict.fromkeys(rows, _restitution(given, reader))
    unknown = [str(k) for k in given if str(k) not in rows]
    if unknown:
        raise InvalidValue(
            "E130", f"restitution: {as_given(unknown[0])} is nothing that the wall imposes", ", ".join(rows)
        )
    return {name: _restitution(given.get(name, 0), reader) for name in rows}


def _restitution(given: object, reader: Reader) -> sp.Expr:
    """A number in [0, 1], the name of a parameter, or an expression in parameters."""
    if isinstance(given, str):
        if not given.isidentifier():
            fact = f"restitution = {as_given(given)} is text, but not the name of a parameter"
            raise WrongType("E204", fact, "give a number, or the name of a parameter")
        given = sp.Symbol(given)
    if not (isinstance(given, sp.Expr) and given.free_symbols):
        e = number(given, "restitution")
        check_restitution(e)
        return sp.Rational(int(e)) if e in (0, 1) else sp.Float(e)
    e = reader.read(given, "the restitution")
    if e.free_symbols & {TIME, *reader.space}:
        raise InvalidValue("E130", f"restitution = {e} depends on the state", "give a number or a parameter")
    return e


def value_of(e: sp.Expr, known: Mapping[str, float]) -> float | None:
    """The value of an expression in parameters, None where one of them has none."""
    if not {s.name for s in e.free_symbols} <= set(known):
        return None
    return float(evaluate([read(e, Graph())], known)[0])


def check_restitution(e: float, what: str = "restitution") -> None:
    """E130: it lies outside [0, 1]."""
    if not 0 <= e <= 1:
        raise InvalidValue("E130", f"{what} = {e:.12g} lies outside [0, 1]", "1 is elastic, 0 is plastic")
