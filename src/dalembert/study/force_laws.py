"""``[forces]``, ``[[force]]`` and ``[friction]``: what acts on the system besides its potential."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp

from ..calculus.line_width import DECIMAL
from ..calculus.quantity import is_quantity, quantity
from ..calculus.symbols import free_symbols
from ..errors import DalembertError, InvalidValue, UnknownName, as_given, did_you_mean
from ..model.force import (
    Force,
    applied,
    pivoting_friction,
    rayleigh,
    rolling_friction,
    rotational_friction,
    viscous_friction,
)
from ..model.parameters import check
from ..model.space import Space
from .file_expressions import Texts, Values, symbol
from .toml_positions import Collector, Path

if TYPE_CHECKING:
    from . import schema

_DIGITS = re.compile(rf"\s*[+-]?{DECIMAL}\s*\Z")
LETTERS = {"viscous": "nu", "rotational": "mu", "rolling": "delta", "pivoting": "tau"}
SPEEDS = {"rolling": "v0", "pivoting": "w0"}  # names of speeds that regularise a law, where one is given in place


def declared(friction: schema.FrictionTable, values: Values, collector: Collector) -> None:
    """Coefficients given in place, ``delta = 0.005``, are parameters of that name, at least 0; speeds are above 0."""
    for kind, letter in LETTERS.items():
        for n, law in enumerate(getattr(friction, kind)):
            given, path = getattr(law, letter), law_path(kind, n, collector)
            if _is_value(given):
                with collector.watch((*path, letter)):
                    _declare(letter, given, values)
            if kind in SPEEDS and _is_value(law.regularised):
                with collector.watch((*path, "regularised")):
                    _declare(SPEEDS[kind], law.regularised, values, "positive", "regularised")


def _is_value(given: object) -> bool:
    return given is not None and (not isinstance(given, str) or bool(_DIGITS.match(given)) or is_quantity(given))


def _declare(name: str, given: Any, values: Values, sign: str = "nonnegative", key: str = "coefficient") -> None:
    if name in values.symbols:
        fact = f"the parameter {name} is given twice"
        raise InvalidValue("E102", fact, f'give it in [parameters] and write {key} = "{name}" here')
    text = isinstance(given, str) and _DIGITS.match(given)
    number, dimension = quantity(float(given) if text else given, name)
    values.symbols[name] = symbol(name, sign)
    values.numbers[name] = None
    if sign == "positive" and number <= 0:
        raise InvalidValue("E128", f"{name} must be > 0, is {number:g}", "or leave regularised out")
    if number < 0:
        raise InvalidValue("E128", f"{name} must be >= 0, is {number:g}", "friction opposes the motion")
    values.numbers[name] = check(name, number, values.symbols[name])
    if dimension is not None:
        values.dimensions[name] = dimension


def law_path(kind: str, n: int, collector: Collector) -> Path:
    """Of one law: ``[friction]`` holds a table or a list of them."""
    path: Path = ("friction", kind)
    several = (*path, n) in collector.places.values or (*path, n) in collector.places.keys
    return (*path, n) if several else path


class Laws:
    """Reads forces; problems go to the collector."""

    def __init__(self, texts: Texts, space: Space, values: Values) -> None:
        self.texts, self.space, self.values = texts, space, values
        self.collector = texts.collector

    def all(self, tables: schema.FileTable) -> list[Any]:
        """Parts of `System(forces=...)`, with the paths they came from."""
        found: list[tuple[Any, Path]] = []
        if tables.forces:
            found.append((self.components(tables.forces, ("forces",)), ("forces",)))
        found += [(self.force(law, ("force", n)), ("force", n)) for n, law in enumerate(tables.force)]
        for kind in LETTERS:
            for n, law in enumerate(getattr(tables.friction, kind)):
                path = law_path(kind, n, self.collector)
                found.append((self.friction(kind, law, path), path))
        return [(law, path) for law, path in found if law is not None]

    def components(self, given: Mapping[str, object], path: Path) -> dict[Any, sp.Expr]:
        """``{velocity: Q}``; ``dot(x)`` and x stand for the velocity that is the rate of x."""
        found = self.texts.by_name(given, path, "the force on")
        known = {u.name: u for u in self.space.velocities}
        moving = {q.name: rate for q, rate in self.space.rates.items() if rate in self.space.velocities}
        rates = moving | {f"dot({q})": rate for q, rate in moving.items()}
        named: dict[Any, sp.Expr] = {}
        for name, e in found.items():
            own = known.get(name, rates.get(name.replace(" ", "")))
            if own is None:
                hint = did_you_mean(name, [*known, *rates])
                error = UnknownName("E127", f"forces: {as_given(name)} is not a velocity of the space", hint)
                self.collector.add(error, (*path, name), key=True)
            elif own in named:
                fact = f"forces: the force on {own} is given under two names"
                self.collector.add(InvalidValue("E102", fact, "add them up in one of the two"), (*path, name), key=True)
            else:
                named[own] = e
        return named

    def force(self, law: schema.ForceTable, path: Path) -> object:
        """One ``[[force]]``."""
        given = [key for key in ("force", "components", "dissipation") if getattr(law, key) is not None]
        if self._refused(law, path):
            return None
        if len(given) != 1 or (given != ["force"] and law.velocity is not None):
            fact = f"a force is given by {' and '.join(given)}" if given else "the force is missing"
            u = self._example()
            parts = f'velocity = ["{u}"] with force = ["-c*{u}"], or components = {{ "{u}" = "-c*{u}" }}'
            remedy = f'{parts}, or dissipation = "c/2*{u}^2", where c stands in [parameters]'
            self.collector.add(InvalidValue("E127", fact, remedy), path)
            return None
        name = law.name or {"dissipation": "dissipation"}.get(given[0], "force")
        if given == ["components"]:
            found = self.components(law.components or {}, (*path, "components"))
            return applied(list(found), list(found.values()), name) if law.name and found else found
        if given == ["dissipation"]:
            D = self.texts.read(law.dissipation, (*path, "dissipation"), f"the dissipation {name}")
            return None if D is None else rayleigh(D, name)
        if law.velocity is None:
            remedy = f'velocity = ["{self._example()}"], of the point where the force acts'
            self.collector.add(InvalidValue("E127", f"{name} has no velocity to act along", remedy), path)
            return None
        return self._applied(law, name, path)

    def _refused(self, law: schema.ForceTable, path: Path) -> bool:
        """Is a key of the table refused already, so that what it meant is not missed a second time?"""
        written = {str(key[-1]) for key in self.collector.places.keys if key[:-1] == path}
        return any(getattr(law, key, None) is None for key in written)

    def _example(self) -> str:
        """A velocity of the space, as a file writes it."""
        rates = [f"dot({q})" for q, rate in self.space.rates.items() if rate in self.space.velocities]
        return next(iter([*rates, *(u.name for u in self.space.velocities)]), "dot(x)")

    def _applied(self, law: schema.ForceTable, name: str, path: Path) -> object:
        parts = [
            self.texts.all(getattr(law, key) or [], (*path, key), f"{key} of {name}")
            for key in ("velocity", "force", "slip")
        ]
        coefficients = self.texts.by_name(law.coefficients or {}, (*path, "coefficients"), f"{name}:")
        if any(part is None for part in parts):
            return None
        velocity, force, slip = (part or [] for part in parts)
        with self.collector.watch(path):
            if not slip and not coefficients:
                return applied(velocity, force, name)
            return Force(name, tuple(velocity), tuple(force), tuple(slip), coefficients)
        return None

    def friction(self, kind: str, law: Any, path: Path) -> Any:
        """One law of ``[friction]``."""
        read: dict[str, Any] = {}
        for key in ("velocity", "slip"):
            if getattr(law, key, None) is not None:
                read[key] = self.texts.all(getattr(law, key), (*path, key), f"{key} of {kind} friction")
        for key in ("load", "spin"):
            if getattr(law, key, None) is not None:
                read[key] = self.texts.read(getattr(law, key), (*path, key), f"the {key}")
        if getattr(law, "regularised", None) is not None:
            read["regularised"] = self._speed(kind, law.regularised, path)
        coefficient = self._coefficient(kind, law, path)
        if coefficient is None or any(part is None for part in read.values()):
            return None
        makers: dict[str, Callable[..., Force]] = {
            "viscous": lambda c, name: viscous_friction(read["velocity"], c, name),
            "rotational": lambda c, name: rotational_friction(read["velocity"], c, name),
            "rolling": lambda c, name: rolling_friction(coefficient=c, name=name, **read),
            "pivoting": lambda c, name: pivoting_friction(coefficient=c, name=name, **read),
        }
        with self.collector.watch(path):
            return makers[kind](coefficient, law.name or f"{kind} friction")
        return None

    def _speed(self, kind: str, given: object, path: Path) -> sp.Expr | None:
        if _is_value(given):
            return self.values.symbols.get(SPEEDS[kind])
        if not isinstance(given, str):
            return None
        return self.texts.read(given, (*path, "regularised"), f"the speed that regularises {kind} friction")

    def _coefficient(self, kind: str, law: Any, path: Path) -> sp.Expr | None:
        letter = LETTERS[kind]
        own, key = getattr(law, letter), "coefficient"
        if (own is None) == (law.coefficient is None):
            fact = f"{kind} friction has " + ("no coefficient" if own is None else f"both coefficient and {letter}")
            error: DalembertError = InvalidValue("E508", fact, f'{letter} = 0.005, or coefficient = "{letter}"')
            self.collector.add(error, path)
            return None
        if own is None:
            return self.texts.read(law.coefficient, (*path, key), f"the coefficient of {kind} friction")
        if _is_value(own):
            return self.values.symbols.get(letter)
        if not isinstance(own, str):
            return None
        return self.texts.read(own, (*path, letter), f"the coefficient of {kind} friction")


# --- the sign of a potential: L = T - V ------------------------------------------------------------------------------

_SUM = re.compile(r"\s*[+-]?\s*\w+(\s*[+-]\s*\w+)+\s*")
_TERM = re.compile(r"([+-]?)\s*(\w+)")
_POTENTIAL = re.compile(r"[VU]\w{0,9}")  # as it is called in the field


def added_potential(L: object, parts: Mapping[str, sp.Expr], space: Space) -> str:
    """In words, a part called as a potential, without velocities, that stands with a plus beside a kinetic energy."""
    if not isinstance(L, str) or not _SUM.fullmatch(L):
        return ""
    signs = {name: sign or "+" for sign, name in _TERM.findall(L)}
    moving = {name for name in signs if name in parts and free_symbols(parts[name]) & {*space.velocities}}
    added = [n for n in signs if signs[n] == "+" and n in parts and n not in moving and _POTENTIAL.fullmatch(n)]
    if not added or not any(signs[name] == "+" for name in moving):
        return ""
    return f'{added[0]} is added in L = "{L.strip()}": a potential is subtracted, L = T - V'
