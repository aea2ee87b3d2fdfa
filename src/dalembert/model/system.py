"""System: what is given. Space, Lagrangian, constraints, forces, parameters. It derives nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import sympy as sp

from ..calculus.algebra import Machine
from ..calculus.angles import MANY_TURNS, angles_in, cyclic, hertz, turns
from ..calculus.dimension import Dimension
from ..calculus.frame import TIME
from ..calculus.graph import Graph, operations, symbols
from ..calculus.keys import by_name
from ..calculus.number import LARGEST
from ..calculus.quantity import in_hertz
from ..calculus.text import cut, on_one_line
from ..display import html
from ..errors import (
    InvalidValue,
    Note,
    UnknownName,
    WrongType,
    about,
    as_given,
    closest,
    did_you_mean,
    warn,
)
from ..errors.remedies import Call, Option
from ..given import noun, one_of, several
from . import dimensions, shown
from . import parameters as values
from .balance import Balance
from .bodies import read_bodies, read_explore, read_scene
from .body import Body, Drawn, Explore, Scene, symbols_of
from .cited import cited, sourced
from .constraint import Constraint
from .contact import Contact, check_apart, read_contacts
from .declared import assumed
from .defined import again, refuse_other, values_of, without_defined
from .driven import driving_notes, repeated_notes
from .expression import Reader
from .force import Force, check_coefficients, friction_notes
from .inertia import Turning, inertia, moment_notes
from .inertia import check as check_inertia
from .inputs import Steered, moving_gaps, read_inputs, refuse_missing, shaping, steered
from .lettering import read_definitions, read_letters
from .limits import check_size
from .limits import limits as in_force
from .magnitudes import lengths, magnitude_notes
from .magnitudes import start_notes as far_notes
from .measured import check_bodies
from .mixed import gravity_notes as earthly_notes
from .mixed import mixed_notes, start_notes
from .names import check_name, key_name, refuse_alike, refuse_strange
from .names import taken as taken_name
from .rest import rest_notes
from .rows import read_constraints
from .shifted import shifted_notes
from .space import Attitude, Space
from .speeds import light_notes
from .symmetry import Generator, generators
from .up import gravity_notes, height
from .wall import Wall, read_walls


@noun
@dataclass(frozen=True, init=False, eq=False)
class System:
    r"""A mechanical system as given by its author.

    Args:
        space: coordinates and velocities.
        lagrangian: L(t, q, u), a SymPy expression or text, ``"m/2*dot(x)^2 - m*g*x"``; the potential is part of it.
            Wherever expressions are asked for, text may be given; the parameters in it must be declared.
        constraints: ``{name: phi}``, each phi(t, q, u) to be 0; a relation between positions alone is holonomic.
        forces: ``{velocity: generalised force}``, by symbol or name, or by that of the coordinate whose rate it is; or
            a list of `Force` and such mappings, which add up.
        parameters: ``{name: value}``, a number in base SI or text with a unit, ``"2.54 cm"``; None declares a parameter
            whose value comes later. A formula in others, ``"2/5*m*r^2"``, defines a name that stands for it.
        massless: velocities that are constrained but truly carry no kinetic energy.
        momenta: ``{name: expression}`` that the author expects to be conserved; audited in every run.
        title: for headings.
        equivalent: ``{name: phi}``, constraints that allow the same motions as the given ones and keep their rank
            where these lose it; the principles use them and say so.
        inertias: ``{name: tensor}`` of the bodies, see `inertia`; they are checked as soon as their values are known.
        up: the coordinate, or the height h(q), that grows upwards; doubted if the potential falls as it grows.
        units: ``{name: unit of base SI}`` of coordinates, velocities and parameters, ``{"x": "m"}``. Together with the
            units in `parameters` they let the dimensions of all terms be checked.
        symmetry: cyclic coordinates ``"x y"``, infinitesimal generators ``{"turn": {"x": -y, "y": x}}``, groups such as
            `euclidean` and `spin`, or a list of these; whether they are a symmetry is checked where they are used.
        limits: ``{"coordinates": 64, "operations": 2000}``, how large a system may be, and ``{"seconds": 60,
            "gibibytes": 2}`` for what is derived from it in symbols; give larger ones to raise them.
        walls: ``{name: guard}``, or ``{name: {"guard": ..., "constraints": {...}, "restitution": e}}``, surfaces at
            which the velocities jump: every motion meets them unless it is run with ``walls=False``.
        contacts: ``{name: da.contact(...)}``, surfaces that touch, stick, slide, roll, bounce and lift:
            nonholonomic and free motions go through these modes by themselves.
        cite: what the system is from: keys of the bibliography, or free text.
        sources: ``{parameter: where its value is from}``.
        bodies: what is drawn: a list of `Body`, or of mappings of its parts; left out, it is guessed from the space.
        scene: ``{"up": "z"}``, the axis of the space that points up on the screen.
        explore: ``{"ranges": {"m": (0.1, 2)}, "until": 10}``, what a live page lets a person change.
        symbols: ``{name: LaTeX}``, for print, ``{"wL": r"\omega_L"}``; other names of several letters are upright.
        definitions: ``{name: expression}``, abbreviations for texts and in print, ``{"I_r": "I + m*r^2"}``.
        inputs: names of what is given at run time, ``"tau_l tau_r"`` or a list: they may stand in forces, constraints
            and the Lagrangian, where they act as given functions of time.

    No motion depends on bodies, scene and ranges.

    `written` holds the values of parameters that were given as text, `defined` what names given by formulas stand for.

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
    inertias: Mapping[str, sp.ImmutableMatrix] = field(default_factory=dict)
    up: sp.Expr | None = None
    units: Mapping[str, Dimension] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    symmetry: tuple[Generator, ...] = ()
    walls: tuple[Wall, ...] = ()
    contacts: tuple[Contact, ...] = ()
    notes: tuple[Note, ...] = ()
    cite: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    defined: Mapping[str, sp.Expr] = field(default_factory=dict)
    bodies: tuple[Drawn, ...] = ()
    scene: Scene = field(default_factory=Scene)
    explore: Explore = field(default_factory=Explore)
    letters: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, sp.Expr] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    steered: Mapping[str, sp.Expr] = field(default_factory=dict)

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
        inertias: Mapping[str, Any] | None = None,
        up: Any = None,
        units: Mapping[Any, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
        symmetry: Any = None,
        walls: Any = None,
        contacts: Mapping[str, object] | None = None,
        cite: str | Sequence[str] = (),
        sources: Mapping[Any, str] | None = None,
        bodies: Sequence[Body | Drawn | Mapping[str, object]] | None = None,
        scene: Scene | Mapping[str, object] | None = None,
        explore: Explore | Mapping[str, object] | None = None,
        symbols: Mapping[str, str] | None = None,
        definitions: Mapping[str, object] | None = None,
        inputs: str | Sequence[str | sp.Symbol] = (),
    ) -> None:
        _check_space(space)
        known, formulas = values.parted({} if parameters is None else parameters)
        where = (parameters, lagrangian, constraints, forces, equivalent, momenta, inertias, up, symmetry, walls)
        steering, reader = _reading(space, known, formulas, inputs, definitions, (*where, contacts, bodies))
        read: dict[str, Any] = {**_BARE, "space": space, "inputs": steering, "defined": reader.all_defined}
        read |= _mechanics(lagrangian, constraints, equivalent, reader, self.algebra) | _acting(forces, reader)
        read |= _promised(momenta, massless, title, reader) | _surroundings(inertias, up, symmetry, reader)
        read |= _met(walls, contacts, reader)
        names = {*known.values, *reader.parameters, *steering}
        read |= _valued(known, units, {*names, *formulas}, reader) | {"sources": sourced(sources, {*names, *formulas})}
        read |= {"cite": cited(cite), "limits": in_force(limits)} | _pictures(bodies, scene, reader, names)
        self._complete(read | _in_print(symbols, reader, (*read["constraints"], *read["equivalent"])), explore)

    def _complete(self, read: Mapping[str, Any], explore: Explore | Mapping[str, object] | None) -> None:
        self._set(read)
        self._check()
        self._set_ranges(explore)
        self._set_notes()

    def _set(self, read: Mapping[str, Any]) -> None:
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, read[name])

    def _set_ranges(self, explore: Explore | Mapping[str, object] | None) -> None:
        object.__setattr__(self, "explore", read_explore(explore, self._sliding))

    def _check(self) -> None:
        """Refuse names that are taken, too large a system, values that no body has, units that do not fit."""
        self._check_names()
        check_size(self)
        self._check_tensors(self.parameters)
        check_coefficients(self, self.parameters)
        for surface in self.walls:
            with about("walls", surface.name, "restitution"):
                surface.check(self.parameters)
        for touch in self.contacts:
            touch.check(self.parameters)
        self.fits({})
        check_bodies(self)

    @property
    def _sliding(self) -> dict[str, Dimension | None]:
        """What a page may let a person change, with its dimension where that is known."""
        known = self.balance.known if self.units else {}
        names = [*self.space.by_name, *self.parameters, *self.symbols]
        multipliers = [c.multiplier.name for c in (*self.constraints, *self.equivalent)]
        return {name: known.get(name) for name in (*names, *multipliers)}

    def changed(self, **changes: Any) -> System:
        """A copy with some of the constructor's arguments replaced.

        Bodies, ranges and units that speak of what the copy no longer has are left out of it.
        """
        old: dict[str, Any] = {name: getattr(self, name) for name in ("space", "lagrangian", "massless")}
        old |= {
            "parameters": {**self.parameters, **again(self.defined)},
            "momenta": self.momenta,
            "title": self.title,
            "constraints": {c.name: c.given for c in self.constraints},
            "equivalent": {c.name: c.given for c in self.equivalent},
            "walls": {wall.name: wall.given for wall in self.walls},
            "contacts": {contact.name: contact.given for contact in self.contacts},
            **{
                name: getattr(self, name)
                for name in ("inertias", "up", "units", "limits", "symmetry", "cite", "sources", "scene", "inputs")
            },
        }
        old |= {"forces": self.laws}
        old |= {"definitions": {name: e for name, e in self.definitions.items() if name not in self.defined}}
        for name in changes:
            one_of({**old, **dict.fromkeys((*_PICTURE, "symbols"))}, name, "a System", "part", "E307")
        if isinstance(given := changes.get("parameters"), Mapping):
            old["units"] = self._units_beside(by_name(given, "parameters", key_name))
        made = System(**{**old, **changes})._drawn_as(self, changes)
        return made if "symbols" in changes else made.printed_as(self)

    def _units_beside(self, given: Mapping[str, object]) -> dict[str, Dimension]:
        """The units without those of parameters that are not given any more, and that no expression holds."""
        left = {*self.parameters, *self.defined} - {*given, *self.symbols, *self.space.by_name}
        return {name: unit for name, unit in self.units.items() if name not in left}

    def _drawn_as(self, other: System, changes: Mapping[str, object]) -> System:
        """Bodies and ranges of another system, where they are not given and can be drawn of this one."""
        known = {*self._sliding, *self.space.attitudes, TIME.name}
        met = {s.name for s in symbols_of(other.bodies)}
        met |= {name for body in other.bodies for name, angle in body.turn if angle is None}
        if "bodies" not in changes and met <= known:
            object.__setattr__(self, "bodies", other.bodies)
            check_bodies(self)
        if "explore" not in changes:
            kept = {name: ends for name, ends in other.explore.ranges.items() if name in known}
            object.__setattr__(self, "explore", Explore(kept, other.explore.until))
        return self

    def printed_as(self, other: System) -> System:
        """With the letters of another system, where they speak of what this one has; for what was just made of it."""
        known = {*self._sliding, *self.space.attitudes, *self.definitions}
        object.__setattr__(self, "letters", {n: text for n, text in other.letters.items() if n in known})
        return self

    @cached_property
    def angles(self) -> set[str]:
        """Names of angles in radians: those of the space, and what stands alone in the argument of a sine."""
        return {*self.space.angles, *angles_in([*self.expressions, *self.space.anchor.todok().values()])}

    @cached_property
    def algebra(self) -> Machine:
        """The expression graph on which this system is checked and its equations are formed."""
        return self.over(Graph())

    def read(self, given: object, where: str = "the expression", others: Iterable[str] = ()) -> sp.Expr:
        """A further expression, or text, in the system's symbols; `where` names it in messages.

        Args:
            given: the expression or text.
            where: what it is called.
            others: names that a text may hold besides, as those of multipliers that are states.

        Raises:
            DalembertError: E701 to E721 for what is no expression; E104, E118 for what may not be in one.
        """
        return Reader.of(self, others).read(given, where)

    @cached_property
    def shaping(self) -> dict[str, str]:
        """Inputs on which consistent states depend, and what holds them: a constraint, or the momenta of L."""
        return shaping(self)

    @cached_property
    def moving_gaps(self) -> dict[str, str]:
        """Inputs that move a surface of a contact, and which: a gap, or its rate, would jump with them."""
        return moving_gaps(self)

    def steered_by(self, formulas: Mapping[str, sp.Expr], coefficients: Iterable[str] = ()) -> System:
        """The system with inputs given by formulas in t, states, parameters, and coefficients that are parameters."""
        return steered(self, formulas, coefficients)

    def check_inputs(self, values: Mapping[str, object]) -> None:
        """E180: one of the inputs that the system uses is not among the values."""
        refuse_missing(self, values)

    def over(self, graph: Graph) -> Machine:
        """An algebra on a graph that reads this system's expressions, `steered` inputs as what they stand for."""
        by = self.__dict__.get("steered")  # nothing is, while the system is being made
        return Steered(graph, by) if by else Machine(graph)

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
        """All parameter values, checked, with what follows from them by formulas.

        Raises:
            UnknownName: E180 a missing input, E201 a missing value, E202 an unknown override.
            InvalidValue: E109 no body has these moments, E128 negative friction, E207 a unit that does not fit.
        """
        found = self.known(override)
        self.check_inputs(found)
        return {**found, **values_of(self.defined, found)}

    def known(self, override: Mapping[str, object] | None = None) -> dict[str, float]:
        """The same where inputs need not have a value yet."""
        override, following = without_defined(self.defined, override)
        needed = {name: symbol for name, symbol in self.symbols.items() if name not in self.inputs}
        declared = {**self.parameters, **{name: None for name in self.inputs}}
        found = values.complete(declared, override, needed, self.used_in, self.space.by_name)
        refuse_other(self.defined, following, found)
        self.fits(values.given({} if override is None else override).dimensions)
        if found != self.parameters:
            self._check_tensors(found)
            check_coefficients(self, found)
        return found

    def range_of(self, name: str) -> tuple[float, float]:
        """Where a parameter that is searched for may lie: as its symbol was declared, and a coefficient not below 0.

        Raises:
            InvalidValue: E205, its symbol was declared an integer, or another kind of number that a search leaves.
        """
        symbol = self.symbols.get(name)
        low, high = (-math.inf, math.inf) if symbol is None else values.interval(symbol)
        return (max(low, 0.0) if symbol in self.coefficients.values() else low), high

    @cached_property
    def balance(self) -> Balance:
        """What is known about the dimensions of all symbols."""
        return dimensions.balance(self)

    def fits(self, given: Mapping[str, Dimension], kind: str = "parameters") -> None:
        """Refuse values whose units do not fit: E134 within the system, E207 for those of a kind `given` by name."""
        if self.units or given:
            dimensions.check(self, given, kind)

    def unit(self, expression: sp.Expr) -> str:
        """The unit of an expression, ``"m/s"``, or "" if it is a number or not known."""
        asked = self._own(expression)
        found = dimensions.of(asked, self.balance) if self.units else None
        return "" if found is None or str(found) == "1" else str(found)

    def _check_tensors(self, known: Mapping[str, float | None]) -> None:
        if not self.inertias:
            return
        numbers = {self.symbols[k]: sp.Float(v) for k, v in known.items() if v is not None and k in self.symbols}
        for name, J in self.inertias.items():
            with about("inertias", name):
                check_inertia(J.xreplace(numbers), f"inertia {name}")

    @cached_property
    def used_in(self) -> dict[str, str]:
        """Where each parameter occurs, for messages."""
        places: dict[str, list[str]] = {}
        given = {c.name: [c.given] for c in (*self.constraints, *self.equivalent)}
        met = {f"wall {wall.name}": wall.expressions for wall in self.walls}
        met |= {f"contact {contact.name}": contact.expressions for contact in self.contacts}
        pieces = {"L": [self.lagrangian], **given, "the forces": self.forces, **met}
        for where, expressions in pieces.items():
            for name in sorted(self.names_in(expressions) & set(self.symbols)):
                places.setdefault(name, []).append(where)
        return {name: ", ".join(where) for name, where in places.items()}

    def names_in(self, expressions: Iterable[sp.Expr]) -> set[str]:
        """Names of all symbols in some of the system's expressions."""
        if not several(expressions):
            raise WrongType("E718", f"expressions are a list, not {as_given(expressions)}", "[system.lagrangian]")
        return symbols([self.algebra.read(self._own(e)) for e in expressions])

    def _own(self, e: object) -> sp.Basic:
        """An expression of SymPy's (E718)."""
        if not isinstance(e, sp.Basic):
            raise WrongType("E718", f"an expression of the system is SymPy's, not {as_given(e)}", "[system.lagrangian]")
        return e

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """All expressions of the system."""
        return (self.lagrangian, *(c.given for c in self.constraints), *self.forces)

    @cached_property
    def used(self) -> frozenset[sp.Basic]:
        """Symbols that occur in the system."""
        return frozenset().union(*(e.free_symbols for e in self.expressions))

    @cached_property
    def idle(self) -> dict[str, Attitude]:
        """Rotations on which nothing depends."""
        return {name: a for name, a in self.space.attitudes.items() if not self.used & set(a.coordinates)}

    @property
    def of_surfaces(self) -> tuple[sp.Expr, ...]:
        """All expressions of walls and contacts."""
        walls = (e for wall in self.walls for e in wall.expressions)
        return (*walls, *(e for contact in self.contacts for e in contact.expressions))

    @property
    def autonomous(self) -> bool:
        """Does the time occur nowhere?"""
        return TIME.name not in self.names_in(self.expressions)

    def _check_names(self) -> None:
        taken = {**self.space.by_name, TIME.name: TIME}
        for name in {**self.parameters, **self.symbols, **dict.fromkeys(self.inputs)}:
            kind = "an input" if name in self.inputs else "a parameter"
            with about("parameters", name):
                taken_name(name, kind)
            if name in taken or name in self.space.attitudes:
                raise InvalidValue(
                    "E103",
                    f"{as_given(name)} is {kind} and also a coordinate, velocity, rotation or the time",
                    f"rename the {kind.split()[1]} {as_given(name)}",
                    subject=("parameters", name),
                )
        self._check_alike()
        frame_parameters = self.space.anchor.free_symbols.union(
            *(c.free_symbols for r in self.space.brackets.values() for c in r)
        )
        for s in frame_parameters:
            if s.name not in taken:
                self.symbols.setdefault(s.name, s)  # type: ignore[attr-defined]
        for name, value in self.parameters.items():
            if value is not None:
                with about("parameters", name):
                    values.check(name, value, self.symbols.get(name))
        missing = [n for n in self.symbols if n not in self.parameters and n not in self.inputs]
        for name in self.parameters:
            if name not in self.symbols and closest(name, missing):
                hint = did_you_mean(name, missing)
                raise UnknownName("E202", f"unknown parameter {as_given(name)}", hint, subject=("parameters", name))

    def _check_alike(self) -> None:
        """E102: two names of the system that cannot be told apart by eye."""
        moving = [*self.space.by_name, *self.space.attitudes, TIME.name]
        refuse_alike([*moving, *dict.fromkeys((*self.parameters, *self.symbols, *self.inputs))], "names", "parameters")
        groups: dict[str, Iterable[str]] = {
            "constraints": [c.name for c in self.constraints],
            "equivalent": [c.name for c in self.equivalent],
            "momenta": self.momenta,
            "inertias": self.inertias,
            "symmetry": [generator.name for generator in self.symmetry],
            "walls": [wall.name for wall in self.walls],
            "contacts": [contact.name for contact in self.contacts],
        }
        for what, names in groups.items():
            refuse_alike(names, what, what)

    def _set_notes(self) -> None:
        drawn = {s.name for s in symbols_of(self.bodies)}
        drawn |= {s.name for e in self.definitions.values() for s in e.free_symbols}
        notes = [
            warn("W119", f"parameter {name} is not used anywhere", 5)
            for name in self.parameters
            if name not in self.symbols and name not in drawn and not self.inputs  # of which formulas may use it
        ]
        notes += [
            warn("W119", f"input {name} is not used anywhere", 5) for name in self.inputs if name not in self.symbols
        ]
        own = self.names_in(self.expressions)
        used = own | self.names_in(self.space.frame.rates)
        for q, rate in self.space.rates.items():
            if q.name not in used and not self.names_in([rate]) & own:
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
        smooth = [self.lagrangian, *(c.given for c in self.constraints)]
        jumps = operations([self.algebra.read(e) for e in smooth]).keys() & _JUMPS
        rough = [f.__name__ for f in _ROUGH if jumps and any(e.has(f) for e in smooth)]
        if rough:
            text = f"L or a constraint jumps ({', '.join(rough)}): impulses at the jumps are not computed"
            notes.append(warn("W151", text, 5))
        written = [p for p in self.laws if not (isinstance(p, Force) and p.slip)]
        notes += rest_notes(self, _generalised(written, Reader.of(self)))
        notes += [*self._value_notes(), *gravity_notes(self), *driving_notes(self), *repeated_notes(self)]
        notes += self.doubts(self.parameters)
        notes += dimensions.notes(self)
        object.__setattr__(self, "notes", tuple(notes))

    def bare(self, override: Mapping[str, object] | Mapping[sp.Symbol, object] | None) -> list[Note]:
        """What is doubted of values that replace others: numbers without a unit (W210), a rate in hertz (W211)."""
        named = {str(name): value for name, value in (override or {}).items()}
        changed = {name: value for name, value in named.items() if not isinstance(value, str)}
        read = values.given(changed).values if self.written and changed else {}
        bare = values.bare_notes(self.written, self.parameters, {k: v for k, v in read.items() if v is not None})
        return [*bare, *self._in_hertz(named)]

    def mixed(self, start: Mapping[str, object]) -> list[Note]:
        """W215: numbers without a unit beside values with one, in one start."""
        return start_notes(self, start)

    def shifted(self, override: Mapping[str, object] | Mapping[sp.Symbol, object] | None) -> list[Note]:
        """W214: numbers that replace others have the same digits, with the point elsewhere."""
        changed = {str(name): value for name, value in (override or {}).items() if not isinstance(value, str)}
        read = values.given(changed).values if changed else {}
        bare = {k: v for k, v in read.items() if v is not None and k not in self.written}
        return shifted_notes(self.parameters, bare, self._shown)

    @cached_property
    def lengths(self) -> dict[str, str]:
        """Parameters and coordinates that are lengths, as far as that is known."""
        return lengths(self)

    def far(self, given: Mapping[str, object], known: Mapping[str, float], state: Mapping[str, float]) -> list[Note]:
        """W213, W216: lengths of a start far above all others, and speeds above that of light."""
        return [*far_notes(self, given, known), *light_notes(self, state)]

    @cached_property
    def _shown(self) -> set[str]:
        """Parameters of which W214 was shown."""
        return set()

    def _in_hertz(self, given: Mapping[str, object]) -> list[Note]:
        told = {name: value for name, value in given.items() if isinstance(value, str) and in_hertz(value)}
        return [warn("W211", hertz(n, text), 7) for n, text in told.items() if not cyclic(n, self.expressions)]

    @cached_property
    def turning(self) -> Turning:
        """What turns, and with which moments."""
        names = self.names_in([self.lagrangian, *self.space.frame.rates])
        return Turning(self.space, self.lagrangian, names, self.algebra)

    def doubts(self, known: Mapping[str, float | None]) -> list[Note]:
        """What is doubted of the bodies, surfaces and gravity that these values describe: W109, W128, W210."""
        return [*moment_notes(self, known), *friction_notes(self, known), *earthly_notes(self, known)]

    def _value_notes(self) -> list[Note]:
        """W208: a parameter whose powers leave the range of floats; W209: an angle of many turns; W211; W213."""
        given = {name: value for name, value in self.parameters.items() if value}
        far = [name for name, value in given.items() if not 1 / LARGEST < abs(value) < LARGEST]
        notes = [warn("W208", f"{name} = {given[name]:g}: badly scaled, choose other units", 6) for name in far]
        large = {name for name, value in given.items() if abs(value) > MANY_TURNS and name not in self.units}
        angles = self.angles & large if large else set()
        notes += [warn("W209", turns(name, given[name]), 6) for name in angles]
        return [*notes, *mixed_notes(self), *magnitude_notes(self), *self._in_hertz(self.written)]

    def to_latex(self) -> str:
        """What was given as a LaTeX ``aligned`` environment: L, constraints, forces, walls, and qdot = E u."""
        return shown.latex(self)

    def _repr_latex_(self) -> str:
        return shown.notebook(self)

    def __str__(self) -> str:
        return shown.summary(self)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return html(self)


_BARE: Mapping[str, object] = {"notes": (), "steered": {}}
_PICTURE = ("bodies", "explore")
_JUMPS = {"sign", "floor", "ceil", "select"}  # operations of the graph that those below become
_ROUGH = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.Piecewise)


def _check_space(space: Any) -> None:
    if not isinstance(space, Space):
        raise WrongType(
            "E101", f"space must be a Space, not {type(space).__name__}", Call("coordinates", '"x y theta"')
        )


def _reading(
    space: Space, known: values.Given, formulas: Mapping[str, Any], inputs: Any, definitions: object, given: object
) -> tuple[tuple[str, ...], Reader]:
    """The inputs, and the reader of the system's expressions, which knows its formulas and abbreviations."""
    steering = read_inputs(inputs, {**known.values, **formulas})
    declared, sure = (*known.values, *steering), assumed((given, definitions))
    reader, draft = (Reader(space, declared, formulas, sure) for _ in range(2))
    for each in (reader, draft):
        each.inputs.update(steering)
    reader.definitions |= read_definitions(definitions, draft)
    return steering, reader


def _valued(known: values.Given, units: Any, names: set[str], reader: Reader) -> dict[str, object]:
    """Parameters, their units and what else they are known by, as attributes of the system."""
    units_of = dimensions.joined(units, known.dimensions, {*reader.space.by_name, *names})
    parameters = {"parameters": known.values, "written": known.written}
    return {**parameters, "symbols": dict(reader.parameters), "units": units_of}


def _mechanics(lagrangian: Any, constraints: Any, equivalent: Any, reader: Reader, algebra: Machine) -> dict[str, Any]:
    """L and the constraints, as attributes of the system."""
    with about("lagrangian"):
        L = reader.read(lagrangian, "the Lagrangian")
    rows = {"constraints": constraints, "equivalent": equivalent}
    return {"lagrangian": L, **{name: read_constraints(given, reader, algebra) for name, given in rows.items()}}


def _acting(forces: Any, reader: Reader) -> dict[str, Any]:
    """The generalised forces, the laws they come from and what these promise, as attributes of the system."""
    parts = [
        part.read(partial(reader.read, where=part.name)) if isinstance(part, Force) else part for part in _parts(forces)
    ]
    Q = _generalised(parts, reader)
    named = _named([p for p in parts if isinstance(p, Force)])
    rest = {name: tuple(reader.read(v, name) for v in law.slip) for name, law in named.items() if law.slip}
    coefficients = {
        f"{name}: {k}": reader.read(v, name) for name, law in named.items() for k, v in law.coefficients.items()
    }
    return {"forces": Q, "laws": tuple(parts), "rest": rest, "coefficients": coefficients}


def _promised(momenta: Any, massless: Any, title: Any, reader: Reader) -> dict[str, Any]:
    """What the author says of the motion, and the title, as attributes of the system."""
    if not isinstance(momenta, Mapping | None):
        raise WrongType("E110", "momenta are given by name", 'write momenta={"spin": J*w}')
    named = by_name(momenta or {}, "momenta", key_name)
    for name in named:
        refuse_strange(name, "a momentum")
    kept = {name: reader.read(e, f"momentum {name}") for name, e in named.items()}
    light = tuple(_velocity(reader.space, key, "massless") for key in _listed(massless, "massless"))
    if not isinstance(title, str):
        raise WrongType("E146", f"title is text, not {type(title).__name__}", Option("title", "Ball on a table"))
    return {"momenta": kept, "massless": light, "title": on_one_line(title)}


def _surroundings(inertias: Any, up: Any, symmetry: Any, reader: Reader) -> dict[str, object]:
    """Bodies, the upward direction and symmetries, as attributes of the system."""
    tensors = _tensors(inertias, reader)
    with about("up"):
        above = height(up, reader)
    moves = generators(symmetry, reader)
    return {"inertias": tensors, "up": above, "symmetry": moves}


def _met(walls: Any, contacts: Any, reader: Reader) -> dict[str, object]:
    """What bodies meet, as attributes of the system."""
    read, touched = read_walls(walls, reader), read_contacts(contacts, reader)
    both = {wall.name for wall in read} & {contact.name for contact in touched}
    if both:
        fact = f"a wall and a contact are called {as_given(min(both))}"
        raise InvalidValue("E102", fact, "give each a name of its own", subject=("contacts", min(both), "name"))
    check_apart(read, touched, reader.space)
    return {"walls": read, "contacts": touched}


def _pictures(bodies: object, scene: object, reader: Reader, names: set[str]) -> dict[str, object]:
    """What is drawn, as attributes of the system; ranges are read when all names are known."""
    return {"bodies": read_bodies(bodies, reader, names), "scene": read_scene(scene), "explore": Explore()}


def _in_print(symbols: object, reader: Reader, constraints: Iterable[Constraint]) -> dict[str, object]:
    """Letters, and the abbreviations that hold nothing but what is given, as attributes of the system.

    A parameter that stands in an abbreviation alone is given: a guard or a measure may need it.
    """
    own = {**reader.alone, **reader.own, **reader.parameters}
    named = {**reader.all_defined, **reader.definitions}
    kept = {n: e for n, e in named.items() if e.free_symbols and {s.name for s in e.free_symbols} <= own.keys()}
    kept = {n: e.xreplace({s: own[s.name] for s in e.free_symbols}) for n, e in kept.items()}
    multipliers = [c.multiplier.name for c in constraints]
    turned = [f"{name}{i}{j}" for name in reader.space.attitudes for i in (1, 2, 3) for j in (1, 2, 3)]
    names = {*own, *reader.declared, *reader.definitions, *reader.space.attitudes, *multipliers, *turned}
    return {"letters": read_letters(symbols, names), "definitions": kept}


def _tensors(given: Mapping[str, Any] | None, reader: Reader) -> dict[str, sp.ImmutableMatrix]:
    if not isinstance(given, Mapping | None):
        raise WrongType("E109", f"inertias are given by name, not as {type(given).__name__}", 'inertias={"top": J}')
    named = by_name(given or {}, "inertias", lambda name: check_name(key_name(name), "an inertia"))
    tensors = {name: inertia(J) for name, J in named.items()}
    return {name: J.applyfunc(lambda e, n=name: reader.read(e, f"inertia {n}")) for name, J in tensors.items()}


def _listed(given: Any, what: str) -> list[Any]:
    if isinstance(given, str):
        return given.replace(",", " ").split()
    if not isinstance(given, Sequence | set | frozenset | Mapping | sp.Tuple):
        raise WrongType("E127", f"{what} is a list of velocities, not {type(given).__name__}", f"{what}=[...]")
    return list(given)


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
            components = _by_velocity(part, reader)
        else:
            raise WrongType("E127", f"a force is a Force or a mapping, not {type(part).__name__}", "forces={vx: -c*vx}")
        for u, component in components.items():
            Q[u] += component
    return tuple(Q.values())


def _by_velocity(given: Mapping[Any, Any], reader: Reader) -> dict[sp.Symbol, sp.Expr]:
    """Components by velocity; a coordinate stands for its rate, where that is a velocity."""
    found: dict[sp.Symbol, sp.Expr] = {}
    for key, e in by_name(given, "forces").items():
        u = _velocity(reader.space, key, "forces")
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


def _velocity(space: Space, key: Any, where: str) -> sp.Symbol:
    """The velocity of this name, or that which is the rate of the coordinate of this name, ``x`` or ``dot(x)``."""
    name, own = key_name(key), {u.name: u for u in space.velocities}
    rates = {q.name: rate for q, rate in space.rates.items() if rate in space.velocities}
    known = rates | {f"dot({q})": rate for q, rate in rates.items()} | own
    if name not in known:
        raise UnknownName("E127", f"{where}: {as_given(name)} is not a velocity of the space", did_you_mean(name, own))
    return known[name]
