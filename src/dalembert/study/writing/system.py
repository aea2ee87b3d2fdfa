"""A system as the tables of a file, before comments are added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ...calculus.symbols import free_symbols, in_words
from ...model.bodies import symbols_of
from ...model.contact import Contact
from ...model.force import (
    Force,
    pivoting_friction,
    rayleigh,
    rolling_friction,
    rotational_friction,
    viscous_friction,
)
from ...model.system import System
from ...plain_file import shown
from ..values import UNKNOWN, sign_of
from .bodies import pictures
from .expressions import Expressions, refused
from .space import space

_LAWS = {"viscous": viscous_friction, "rotational": rotational_friction}


def tables(system: System, derived: Mapping[str, sp.Expr], constants: Mapping[str, float | None]) -> dict[str, Any]:
    """All tables of the system but the entries, in the order in which they are written."""
    signs = _signs(system, derived)
    own = system.letters_of_expressions
    others = {s for formula in derived.values() for s in free_symbols(formula)} | symbols_of(system.bodies)
    others -= set(own)
    write = Expressions(
        [*own, *others], {*system.space.by_name, *system.symbols, *system.parameters, *constants, *system.definitions}
    )
    found: dict[str, Any] = {"space": space(system.space, write)}
    found["units"] = {name: str(unit) for name, unit in system.units.items() if name not in derived}
    found["parameters"] = _parameters(system, derived, constants, signs, write)
    found["inputs"] = dict.fromkeys(system.inputs, UNKNOWN)  # their place; `entries` says what drives them
    found["symbols"] = dict(system.letters)
    abbreviations = {name: write.text(e) for name, e in system.definitions.items() if name not in derived}
    found["definitions"] = write.definitions
    found["lagrangian"] = _lagrangian(system, write)
    found["constraint"] = [{"name": c.name, "phi": write.text(c.given)} for c in system.constraints]
    found["equivalent"] = [{"name": c.name, "phi": write.text(c.given)} for c in system.equivalent]
    found |= _forces(system, write)
    found["momenta"] = {name: write.value(e) for name, e in system.momenta.items()}
    found["inertias"] = {name: _tensor(J, write) for name, J in system.inertias.items()}
    found["symmetry"] = _symmetry(system, write)
    found["wall"] = [_wall(wall, write) for wall in system.walls]
    found["contact"] = [_contact(contact, write) for contact in system.contacts]
    found |= pictures(system, write)
    found["definitions"] = {**abbreviations, **write.definitions}
    return {key: value for key, value in found.items() if value}


def _signs(system: System, derived: Mapping[str, sp.Expr]) -> dict[str, str]:
    symbols = {s.name: s for formula in derived.values() for s in free_symbols(formula)}
    drawn = {s.name: s for s in symbols_of(system.bodies) if s.name in system.parameters}
    symbols = {**drawn, **symbols, **system.symbols}
    signs = {name: sign_of(s) for name, s in symbols.items()}
    for name, sign in signs.items():
        if not sign:
            fact = f"the symbol {name} was declared {in_words(symbols[name])}"
            raise refused(fact, "declare it positive, nonnegative or real")
    return signs


def _parameters(
    system: System,
    derived: Mapping[str, sp.Expr],
    constants: Mapping[str, float | None],
    signs: Mapping[str, str],
    write: Expressions,
) -> dict[str, Any]:
    own = (name for name in system.symbols if name not in system.inputs)
    values = {**dict.fromkeys(own), **constants, **system.parameters}
    order = [*constants, *(name for name in (*system.parameters, *values) if name not in constants)]
    found: dict[str, Any] = {}
    for name in dict.fromkeys(order):
        value: Any = write.text(derived[name]) if name in derived else values[name]
        entry = {"value": "?" if value is None else value}
        entry |= {"sign": signs[name]} if signs.get(name, "real") != "real" else {}
        entry |= {"source": shown(system.sources[name])} if system.sources.get(name) else {}
        found[name] = entry if len(entry) > 1 else entry["value"]
    return found


def _lagrangian(system: System, write: Expressions) -> dict[str, Any]:
    found: dict[str, Any] = {"L": write.text(system.lagrangian)}
    if system.massless:
        found["massless"] = " ".join(u.name for u in system.massless)
    if system.up is not None:
        found["up"] = write.text(system.up)
    return found


def _forces(system: System, write: Expressions) -> dict[str, Any]:
    """``[forces]`` for components that come first, ``[friction]`` for friction laws that come last, ``[[force]]``."""
    laws = list(system.laws)
    if laws and _bare(system):
        laws = [dict(zip(system.space.velocities, system.laws, strict=True))]
    found: dict[str, Any] = {}
    if laws and isinstance(laws[0], Mapping):
        found["forces"] = _components(laws.pop(0), system, write)
    friction: list[tuple[str, dict[str, Any]]] = []
    while laws and isinstance(laws[-1], Force):
        law = _friction(laws[-1], write)
        if law is None or (friction and _ORDER.index(law[0]) > _ORDER.index(friction[0][0])):
            break
        friction.insert(0, law)
        laws.pop()
    if laws:
        found["force"] = [_force(law, system, write) for law in laws]
    if friction:
        found["friction"] = {
            kind: _one([t for k, t in friction if k == kind]) for kind in _ORDER if kind in dict(friction)
        }
    return found


_ORDER = ("viscous", "rotational", "rolling", "pivoting")


def _one(entries: list[Any]) -> Any:
    return entries[0] if len(entries) == 1 else entries


def _bare(system: System) -> bool:
    """Were the forces given as a list of components?"""
    return not any(isinstance(law, Mapping | Force) for law in system.laws)


def _components(law: Mapping[Any, Any], system: System, write: Expressions) -> dict[str, Any]:
    """By velocity; the name of a coordinate stands for that of its rate."""
    rates = {str(q): str(rate) for q, rate in system.space.rates.items() if rate in system.space.velocities}
    names = {u: str(getattr(u, "name", u)) for u in law}
    return {rates.get(names[u], names[u]): _value(Q, write) for u, Q in law.items()}


def _force(law: Any, system: System, write: Expressions) -> dict[str, Any]:
    if not isinstance(law, Force):
        return {"components": _components(law, system, write)}
    if len(law.velocity) == 1 and law == rayleigh(law.velocity[0], law.name):
        return {"name": law.name, "dissipation": _value(law.velocity[0], write)}
    found: dict[str, Any] = {"name": law.name}
    for key in ("velocity", "force", "slip"):
        if getattr(law, key):
            found[key] = [_value(e, write) for e in getattr(law, key)]
    if law.coefficients:
        found["coefficients"] = {name: _value(e, write) for name, e in law.coefficients.items()}
    return found


def _friction(law: Force, write: Expressions) -> tuple[str, dict[str, Any]] | None:
    """A law that one of the functions for friction gives."""
    name, coefficient = law.name, law.coefficients.get("coefficient")
    if coefficient is None:
        return None
    for kind, make in _LAWS.items():
        if law == make(law.velocity, coefficient, name) and (name == f"{kind} friction" or kind == "viscous"):
            if kind == "viscous" and name == "rotational friction":
                continue
            return kind, _law(law, kind, {"velocity": law.velocity}, {"coefficient": coefficient}, write)
    load = law.coefficients.get("load")
    return None if load is None else _dry(law, {"load": load, "coefficient": coefficient}, write)


def _dry(law: Force, single: dict[str, Any], write: Expressions) -> tuple[str, dict[str, Any]] | None:
    """Dry friction; a regularised law that acts along another velocity than its slip is written as a force."""
    slip, given = law.slip or law.velocity, {**single, "name": law.name}
    if "regularised" in law.coefficients:
        given["regularised"] = single["regularised"] = law.coefficients["regularised"]
    if len(slip) == 1 and law.name == "pivoting friction" and law == pivoting_friction(slip[0], **given):
        return "pivoting", _law(law, "pivoting", {}, {"spin": slip[0], **single}, write)
    if law == rolling_friction(slip, velocity=law.velocity, **given):
        listed = {"slip": slip} | ({} if law.velocity == slip else {"velocity": law.velocity})
        return "rolling", _law(law, "rolling", listed, single, write)
    return None


def _law(
    law: Force, kind: str, listed: Mapping[str, Any], single: Mapping[str, Any], write: Expressions
) -> dict[str, Any]:
    found: dict[str, Any] = {} if law.name == f"{kind} friction" else {"name": law.name}
    found |= {key: [_value(e, write) for e in row] for key, row in listed.items()}
    return found | {key: _value(e, write) for key, e in single.items()}


def _value(e: Any, write: Expressions) -> Any:
    """An expression, or a number as a person gave it."""
    return (
        write.value(e) if isinstance(e, sp.Basic) else e if isinstance(e, int | str) else write.text(sp.Float(float(e)))
    )


def _tensor(J: sp.ImmutableMatrix, write: Expressions) -> list[Any]:
    if J.is_diagonal():
        return [write.value(J[i, i]) for i in range(3)]
    return [[write.value(e) for e in row] for row in J.tolist()]


def _symmetry(system: System, write: Expressions) -> dict[str, Any]:
    generators = {
        g.name: {u.name: write.value(e) for u, e in zip(system.space.velocities, g.components, strict=True) if e != 0}
        for g in system.symmetry
    }
    return {"generators": generators} if generators else {}


def _wall(wall: Any, write: Expressions) -> dict[str, Any]:
    given = wall.given
    found: dict[str, Any] = {"name": wall.name, "guard": write.text(given["guard"])}
    if given["constraints"]:
        found["constraints"] = {name: write.value(phi) for name, phi in given["constraints"].items()}
    factors = {name: _restitution(e, write) for name, e in given["restitution"].items()}
    alike = len(set(given["restitution"].values())) == 1
    return {**found, "restitution": next(iter(factors.values())) if alike else factors}


def _contact(contact: Contact, write: Expressions) -> dict[str, object]:
    found: dict[str, object] = {"name": contact.name}
    found |= {"gap": write.text(contact.gap)} if contact.load is None else {"load": _restitution(contact.load, write)}
    found |= {"sides": contact.sides} if contact.sides != 1 else {}
    if contact.slip:
        found |= {"slip": [write.text(part) for part in contact.slip]}
        found |= {key: _restitution(getattr(contact, key), write) for key in ("mu", "mu_static")}
    if contact.spin:
        found |= {"spin": write.text(contact.spin[0]), "spin_friction": _restitution(contact.mu_spin, write)}
    if contact.rolling:
        found |= {"rolling": [write.text(part) for part in contact.rolling]}
        found |= {"rolling_friction": _restitution(contact.mu_rolling, write)}
    if contact.load is None and contact.sides == 1:
        found |= {"restitution": _restitution(contact.restitution, write)}
    return found if contact.restitution_law == "newton" else {**found, "restitution_law": contact.restitution_law}


def _restitution(e: sp.Expr, write: Expressions) -> Any:
    return float(e) if e.is_Float else write.value(e)
