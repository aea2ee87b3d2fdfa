"""System: what is given. Space, Lagrangian, constraints, forces, parameters. It derives nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.read import read
from ..calculus.text import cut, most
from ..errors import DalembertError, InvalidValue, Note, UnknownName, WrongType, did_you_mean, warn
from . import parameters as values
from .constraint import Constraint
from .expression import Reader
from .force import Force
from .names import check_name
from .space import Space


@dataclass(frozen=True, init=False, eq=False)
class System:
    """A mechanical system as given by its author.

    Args:
        space: coordinates and velocities.
        lagrangian: L(t, q, u), a SymPy expression; the potential is part of it.
        constraints: ``{name: phi}``, each phi(t, q, u) to be 0; a relation between positions alone is holonomic.
        forces: ``{velocity symbol or name: generalised force}``, or a list of `Force` and such mappings, which add up.
        parameters: ``{name: value}``; None declares a parameter whose value comes later.
        massless: velocities that are constrained but truly carry no kinetic energy.
        momenta: ``{name: expression}`` that the author expects to be conserved; audited in every run.
        title: for headings.
        equivalent: ``{name: phi}``, constraints that allow the same motions as the given ones and keep their rank
            where these lose it; the principles use them and say so.

    Raises:
        DalembertError: E1xx and E7xx, in the words of the catalogue, for anything that is not a system.
    """

    space: Space
    lagrangian: sp.Expr
    constraints: tuple[Constraint, ...]
    forces: tuple[sp.Expr, ...]
    parameters: Mapping[str, float | None]
    massless: tuple[sp.Symbol, ...] = ()
    momenta: Mapping[str, sp.Expr] = field(default_factory=dict)
    title: str = ""
    symbols: Mapping[str, sp.Symbol] = field(default_factory=dict)
    rest: Mapping[str, tuple[sp.Expr, ...]] = field(default_factory=dict)
    coefficients: Mapping[str, sp.Expr] = field(default_factory=dict)
    laws: tuple[Any, ...] = ()
    equivalent: tuple[Constraint, ...] = ()
    notes: tuple[Note, ...] = ()

    def __init__(
        self,
        space: Space,
        lagrangian: Any,
        constraints: Mapping[str, Any] | None = None,
        forces: Mapping[Any, Any] | Force | Sequence[Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        *,
        massless: Sequence[Any] = (),
        momenta: Mapping[str, Any] | None = None,
        title: str = "",
        equivalent: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(space, Space):
            raise WrongType("E101", f"space must be a Space, not {type(space).__name__}", 'da.coordinates("x y theta")')
        reader = Reader(space)
        known = values.given({} if parameters is None else parameters)
        L = reader.read(lagrangian, "the Lagrangian")
        phis = _constraints(constraints, reader)
        others = _constraints(equivalent, reader)
        parts = _parts(forces)
        Q = _generalised(parts, reader)
        named = _named([p for p in parts if isinstance(p, Force)])
        rest = {name: tuple(reader.read(v, name) for v in law.slip) for name, law in named.items() if law.slip}
        coefficients = {
            f"{name}: {k}": reader.read(v, name) for name, law in named.items() for k, v in law.coefficients.items()
        }
        if not isinstance(momenta, Mapping | None):
            raise WrongType("E110", "momenta are given by name", 'write momenta={"spin": J*w}')
        kept = {name: reader.read(e, f"momentum {name}") for name, e in (momenta or {}).items()}
        light = tuple(_velocity(space, key, "massless") for key in massless)
        symbols = dict(reader.parameters)
        laws = tuple(parts)
        self._set(space, L, phis, Q, known, light, kept, title, symbols, rest, coefficients, laws, others, ())
        self._check_names()
        self._set_notes()

    def _set(self, *given: Any) -> None:
        for name, value in zip(self.__dataclass_fields__, given, strict=True):
            object.__setattr__(self, name, value)

    def changed(self, **changes: Any) -> System:
        """A copy with some of the constructor's arguments replaced."""
        old: dict[str, Any] = {name: getattr(self, name) for name in ("space", "lagrangian", "parameters", "massless")}
        old |= {
            "momenta": self.momenta,
            "title": self.title,
            "constraints": {c.name: c.given for c in self.constraints},
            "equivalent": {c.name: c.given for c in self.equivalent},
        }
        old["forces"] = self.laws
        return System(**{**old, **changes})

    @property
    def in_force(self) -> System:
        """The system with its equivalent constraints in place of the given ones, if it carries any; a note says so."""
        if not self.equivalent:
            return self
        names = [", ".join(c.name for c in rows) for rows in (self.equivalent, self.constraints)]
        held = self.changed(constraints={c.name: c.given for c in self.equivalent}, equivalent=None)
        note = Note("N144", f"the equivalent constraints {names[0]} are used in place of {names[1]}")
        object.__setattr__(held, "notes", (*held.notes, note))
        return held

    def values(self, override: Mapping[Any, Any] | None = None) -> dict[str, float]:
        """All parameter values; E201 for a missing one, E202 for an unknown override, E128 for a negative friction."""
        found = values.complete(self.parameters, override, self.symbols, self.used_in)
        for label, expression in self.coefficients.items():
            value = expression.xreplace({self.symbols[k]: sp.Float(v) for k, v in found.items() if k in self.symbols})
            if value.is_number and value < 0:
                raise InvalidValue("E128", f"{label} must be >= 0, is {float(value):g}", "friction opposes the motion")
        return found

    @cached_property
    def used_in(self) -> dict[str, str]:
        """Where each parameter occurs, for messages."""
        places: dict[str, list[str]] = {}
        given = {c.name: [c.given] for c in (*self.constraints, *self.equivalent)}
        pieces = {"L": [self.lagrangian], **given, "the forces": self.forces}
        for where, expressions in pieces.items():
            for name in sorted({s.name for e in expressions for s in e.free_symbols} & set(self.symbols)):
                places.setdefault(name, []).append(where)
        return {name: ", ".join(where) for name, where in places.items()}

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """All expressions of the system."""
        return (self.lagrangian, *(c.given for c in self.constraints), *self.forces)

    @property
    def autonomous(self) -> bool:
        """Does the time occur nowhere?"""
        return not any(e.has(TIME) for e in self.expressions)

    def _check_names(self) -> None:
        taken = {**self.space.by_name, TIME.name: TIME}
        for name in self.parameters:
            if name in taken:
                raise InvalidValue(
                    "E103", f"{name!r} is a parameter and also a coordinate, velocity or the time", "rename one"
                )
        frame_parameters = self.space.anchor.free_symbols.union(
            *(c.free_symbols for r in self.space.brackets.values() for c in r)
        )
        for s in frame_parameters:
            if s.name not in taken:
                self.symbols.setdefault(s.name, s)  # type: ignore[attr-defined]
        for name, value in self.parameters.items():
            if value is not None:
                values.check(name, value, self.symbols.get(name))
        missing = [n for n in self.symbols if n not in self.parameters]
        for name in self.parameters:
            if name not in self.symbols and missing:
                hint = did_you_mean(name, missing)
                if hint.startswith("did you mean"):
                    raise UnknownName("E202", f"unknown parameter {name!r}", hint)

    def _set_notes(self) -> None:
        notes = [
            warn("W119", f"parameter {name} is not used anywhere", 5)
            for name in self.parameters
            if name not in self.symbols
        ]
        used = set().union(*(e.free_symbols for e in (*self.expressions, *self.space.frame.rates)))
        for q in self.space.coordinates:
            rate = self.space.rates[q]
            if q not in used and not rate.free_symbols & set().union(*(e.free_symbols for e in self.expressions)):
                notes.append(warn("W105", f"{q} occurs neither in L nor in a constraint", 5))
        if not self.autonomous:
            notes.append(
                Note("N120", "the time occurs explicitly: energy is audited against the work done, not conserved")
            )
        notes += [
            Note("N115", f"{c.name} is a relation between positions: holonomic, its rate is used and its value kept")
            for c in self.constraints
            if c.holonomic
        ]
        rough = [f.__name__ for f in _ROUGH if self.lagrangian.has(f) or any(c.given.has(f) for c in self.constraints)]
        if rough:
            text = f"L or a constraint jumps ({', '.join(rough)}): impulses at the jumps are not computed"
            notes.append(warn("W151", text, 5))
        notes += self._force_notes()
        object.__setattr__(self, "notes", tuple(notes))

    def _force_notes(self) -> list[Note]:
        """W129: a force written out by hand that jumps or is not defined at rest."""
        written = {k: e for p in self.laws if isinstance(p, Mapping) for k, e in p.items()}
        at_rest = dict.fromkeys(self.space.velocities, sp.S.Zero)
        notes = []
        for u, Q in zip(self.space.velocities, self.forces, strict=True):
            if any(str(getattr(k, "name", k)) == u.name for k in written) and (
                Q.has(sp.sign) or Q.subs(at_rest).has(sp.nan, sp.zoo)
            ):
                text = (
                    f"the force on {u} is undefined at rest: use da.rolling_friction, or smooth it with a small speed"
                )
                notes.append(warn("W129", text, 6))
        return notes

    def __str__(self) -> str:
        forces = [(u, Q) for u, Q in zip(self.space.velocities, self.forces, strict=True) if Q != 0]
        values = ", ".join(f"{k} = {'?' if v is None else f'{v:g}'}" for k, v in self.parameters.items())
        lines = [self.title or "System", f"  space        {self.space!r}", f"  L            {self.lagrangian}"]
        lines += most(
            [f"  constraint   {c.name}: {c.given} = 0   ({c.kind})" for c in self.constraints], 6, "constraints"
        )
        lines += most([f"  force        Q_{u} = {Q}" for u, Q in forces], 6, "forces")
        lines += [f"  parameters   {values or 'none'}"]
        lines += most([f"  note         {n}" for n in self.notes], 4, "notes")
        return "\n".join(cut(line) for line in lines)

    __repr__ = __str__


_ROUGH = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.Piecewise)


def _constraints(given: Mapping[str, Any] | None, reader: Reader) -> tuple[Constraint, ...]:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise WrongType("E110", "constraints are given by name", 'write constraints={"blade": phi}')
    found: list[Constraint] = []
    for name, phi in given.items():
        label = check_name(str(name), "a constraint")
        if label in {c.name for c in found}:
            raise InvalidValue("E102", f"two constraints are called {label!r}", "give each a name of its own")
        constraint = Constraint(label, reader.read(phi, f"constraint {label}"), reader.space.frame)
        _refuse_constant(constraint, reader.space)
        found.append(constraint)
    return tuple(found)


def _refuse_constant(constraint: Constraint, space: Space) -> None:
    phi = constraint.given
    value, slope, size = _probe(phi, space)
    if min(value, slope) < 1e-9:  # small for its factors, or identically so? its expanded terms tell
        phi = sp.expand(phi)
        value, slope, size = _probe(phi, space)
    if value <= 1e-12 * size and slope <= 1e-12 * size:
        raise InvalidValue("E110", f"{constraint.name} is identically 0 = 0", "remove it, or correct it")
    if not phi.free_symbols & set(space) or slope <= 1e-12 * size:
        raise InvalidValue(
            "E111", f"{constraint.name} cannot be satisfied: {phi} = 0", "it holds no coordinate and no velocity"
        )


def _probe(phi: sp.Expr, space: Space) -> tuple[float, float, float]:
    """Largest |phi| and |dphi/d(q, u)| at random points, and the size of phi's terms there; NaN is passed over."""
    graph = Graph()
    node, terms = read(phi, graph), [read(term, graph) for term in sp.Add.make_args(phi)]
    slopes = gradient(node, [graph.symbol(s.name) for s in space])
    parameters = sorted({s.name for s in phi.free_symbols} - set(space.by_name))
    points = [space.sample(np.random.default_rng(seed), [*parameters, TIME.name]) for seed in range(5)]

    def largest(nodes: list[Node], point: dict[str, float]) -> float:
        return float(np.abs(np.array(evaluate(nodes, point), float)).max(initial=0.0))

    rows = np.array([[largest(nodes, point) for nodes in ([node], slopes, terms)] for point in points])
    finite = rows[np.isfinite(rows).all(axis=1)]
    value, slope, size = finite.max(axis=0) if len(finite) else (1.0, 1.0, 1.0)
    return float(value), float(slope), float(size)


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


def _generalised(parts: Sequence[Any], reader: Reader) -> tuple[sp.Expr, ...]:
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
            components = {_velocity(space, k, "forces"): reader.read(e, f"force on {k}") for k, e in part.items()}
        else:
            raise WrongType("E127", f"a force is a Force or a mapping, not {type(part).__name__}", "forces={vx: -c*vx}")
        for u, component in components.items():
            Q[u] += component
    return tuple(Q.values())


def _components(force: Force, reader: Reader) -> dict[sp.Symbol, sp.Expr]:
    # Q_a = F . dv/du^a
    v = [reader.read(c, f"velocity of {force.name}") for c in force.velocity]
    F = [reader.read(c, force.name) for c in force.force]
    return {u: sum((Fi * vi.diff(u) for Fi, vi in zip(F, v, strict=True)), sp.S.Zero) for u in reader.space.velocities}


def _velocity(space: Space, key: Any, where: str) -> sp.Symbol:
    name = getattr(key, "name", None) or str(key)
    found = {u.name: u for u in space.velocities}
    if name in found:
        return found[name]
    remedy = did_you_mean(name, found)
    coordinate = {q.name: q for q in space.coordinates}.get(name)
    if coordinate is not None:
        rate = space.rates[coordinate]
        remedy = f"{name} is a coordinate: name its velocity {rate}" if rate in space.velocities else remedy
        own = [u for u in space.velocities if rate == u]
        if where == "massless" and own:
            return own[0]
    error: DalembertError = UnknownName("E127", f"{where}: {name!r} is not a velocity of the space", remedy)
    raise error
