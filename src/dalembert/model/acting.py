"""The forces of a system, as they are given: laws, mappings by velocity, or a component a velocity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from ..calculus.keys import by_name
from ..calculus.text import cut
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from .expression import Reader
from .force import Force
from .names import key_name
from .space import Space


def acting(forces: Any, reader: Reader) -> dict[str, Any]:
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


def _parts(forces: Any) -> list[Any]:
    if forces is None:
        return []
    if isinstance(forces, Mapping | Force):
        return [forces]
    if isinstance(forces, str) or not isinstance(forces, Sequence):
        raise WrongType(
            "E127", f"forces must be a mapping or a list, not {type(forces).__name__}", "forces={vx: -c*vx}"
        )
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
            components = _components(part, reader)
        elif isinstance(part, Mapping):
            components = _byvelocity_named(part, reader)
        else:
            raise WrongType("E127", f"a force is a Force or a mapping, not {type(part).__name__}", "forces={vx: -c*vx}")
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


def _components(force: Force, reader: Reader) -> dict[sp.Symbol, sp.Expr]:
    # Q_a = F . dv/du^a
    v = [reader.read(c, f"velocity of {force.name}") for c in force.velocity]
    F = [reader.read(c, force.name) for c in force.force]
    if not any(vi.free_symbols & set(reader.space.velocities) for vi in v):
        held = ", ".join(map(str, v))
        what = "the dissipation" if force.force == (-1,) else "the velocity it acts along"
        remedy = f"write it with {', '.join(map(str, reader.space.velocities))}"
        raise InvalidValue("E127", f"{force.name} does nothing: {what} is {cut(held)}, which holds no velocity", remedy)
    return {u: sum((Fi * vi.diff(u) for Fi, vi in zip(F, v, strict=True)), sp.S.Zero) for u in reader.space.velocities}


def velocity_named(space: Space, key: Any, where: str) -> sp.Symbol:
    """The velocity of this name, or that which is the rate of the coordinate of this name, ``x`` or ``dot(x)``."""
    name, own = key_name(key), {u.name: u for u in space.velocities}
    rates = {q.name: rate for q, rate in space.rates.items() if rate in space.velocities}
    known = rates | {f"dot({q})": rate for q, rate in rates.items()} | own
    if name not in known:
        raise UnknownName("E127", f"{where}: {as_given(name)} is not a velocity of the space", did_you_mean(name, own))
    return known[name]
