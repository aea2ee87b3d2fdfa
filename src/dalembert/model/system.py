"""System: what is given. Space, Lagrangian, constraints, forces, parameters. It derives nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from ..argument_checks import names, noun, one_of, several, text
from ..calculus.algebra import GraphAlgebra
from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, symbols
from ..calculus.plausibility import angles_in
from ..calculus.quantity import Dimension
from ..calculus.symbols import by_name, free_symbols, letters
from ..display import html
from ..errors import (
    Note,
    WrongType,
    as_given,
)
from . import dimensions, system_arguments, unit_mismatch
from . import parameters as values
from .bodies import Body, Drawn, Explore, Scene, read_explore, symbols_of
from .constraint import Constraint
from .contact import Contact, with_dry
from .contact_loads import Loaded, Loads
from .dimensions import Balance
from .expression_symbols import Reader
from .force import Force, acting
from .inertia import Turning
from .inputs import Steered, moving_gaps, refuse_missing, shaping, steered
from .names import key_name
from .parameters import again, refuse_other, values_of, without_defined
from .size_limits import limits as in_force
from .space import Attitude, Space
from .symmetry import Generator
from .system_arguments import cited
from .system_checks import of_override, of_start, of_system, of_values, refuse, refuse_values
from .wall import Wall


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
            a list of `Force` and such mappings, which add up. They may hold multipliers of the system's own
            constraints, ``"-mu*abs(lam_rail)*tanh(vx/v0)"``, as c + C lam + D |lam|; its equations are nonholonomic.
        parameters: ``{name: value}``, a number in base SI or text with a unit, ``"2.54 cm"``; None declares a parameter
            whose value comes later, as text of names does for all, ``"m r"``. A formula in others, ``"2/5*m*r^2"``,
            defines a name that stands for it.
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
        limits: ``{"coordinates": 1000, "operations": 50_000}``, how large a system may be, and ``{"seconds": 60,
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

    `written` holds the values of parameters that were given as text, `defined` what names given by formulas stand for,
    `renamed` what the velocities of a system that was restricted are in those of this one, which bear other names.

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
    loads: Loads | None = None
    renamed: Mapping[str, sp.Expr] = field(default_factory=dict)

    def __init__(
        self,
        space: Space,
        lagrangian: object,
        constraints: Mapping[str, object] | None = None,
        forces: Mapping[Any, Any] | Force | Sequence[Any] | None = None,
        parameters: Mapping[Any, Any] | str | None = None,
        *,
        massless: Sequence[object] = (),
        momenta: Mapping[str, object] | None = None,
        title: str = "",
        equivalent: Mapping[str, object] | None = None,
        inertias: Mapping[str, object] | None = None,
        up: object = None,
        units: Mapping[Any, Any] | None = None,
        limits: Mapping[str, object] | None = None,
        symmetry: object = None,
        walls: object = None,
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
        system_arguments.check_space(space)
        forces, contacts = with_dry(forces, contacts)
        known, formulas = values.parted({} if parameters is None else parameters)
        where = (parameters, lagrangian, constraints, forces, equivalent, momenta, inertias, up, symmetry, walls)
        steering, reader = system_arguments.reading(
            space, known, formulas, inputs, definitions, (*where, contacts, bodies)
        )
        read: dict[str, Any] = {**_BARE, "space": reader.space, "inputs": steering, "defined": reader.all_defined}
        read |= system_arguments.mechanics(lagrangian, constraints, equivalent, reader, self.algebra)
        read |= acting(forces, reader.of_forces(read["constraints"]))
        read |= system_arguments.promised(momenta, massless, title, reader)
        read |= system_arguments.surroundings(inertias, up, symmetry, reader) | system_arguments.met(
            walls, contacts, reader, bodies, scene
        )
        names = {*known.values, *reader.parameters, *steering}
        read |= system_arguments.valued(known, units, sources, {*names, *formulas}, reader)
        read |= {"cite": cited(cite), "limits": in_force(limits)} | system_arguments.pictures(
            bodies, scene, reader, names
        )
        self._complete(
            read | system_arguments.in_print(symbols, reader, (*read["constraints"], *read["equivalent"])), explore
        )

    def _complete(self, read: Mapping[str, Any], explore: Explore | Mapping[str, object] | None) -> None:
        self._set({**read, "renamed": {}})
        with read["told"]:
            refuse(self)
        object.__setattr__(self, "explore", read_explore(explore, self._sliding))
        object.__setattr__(self, "notes", of_system(self))

    def _set(self, read: Mapping[str, object]) -> None:
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, read[name])

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
            "parameters": self.stated,
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
        made.telling(note for note in self.notes if note.code == "N166")
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
            unit_mismatch.check_bodies(self)
        if "explore" not in changes:
            kept = {name: ends for name, ends in other.explore.ranges.items() if name in known}
            object.__setattr__(self, "explore", Explore(kept, other.explore.until))
        return self

    def printed_as(self, other: System) -> System:
        """With the letters of another system, where they speak of what this one has; for what was just made of it."""
        known = {*self._sliding, *self.space.attitudes, *self.definitions}
        object.__setattr__(self, "letters", {n: text for n, text in other.letters.items() if n in known})
        return self.naming(other.renamed)

    def telling(self, notes: Iterable[Note]) -> System:
        """With notes of what it leaves out, which every motion tells."""
        object.__setattr__(self, "notes", (*self.notes, *notes))
        return self

    def naming(self, velocities: Mapping[str, sp.Expr]) -> System:
        """With what velocities of another system are in those of this one, where these bear names of their own."""
        own = {u.name for u in self.space.velocities} - velocities.keys()
        held = {name: {s.name for s in free_symbols(e)} for name, e in velocities.items()}
        known = {*self.space.by_name, *self.symbols, *self.parameters}
        told = {n: e for n, e in velocities.items() if held[n] & own and held[n] <= known}
        object.__setattr__(self, "renamed", told)
        return self

    @property
    def stated(self) -> dict[str, Any]:
        """Parameters as a system is given them: values by name, and formulas where they stand for such."""
        return {**self.parameters, **again(self.defined)}

    def met(self, written: Callable[[sp.Expr], sp.Expr]) -> dict[str, Any]:
        """Walls and contacts as a system is given them, their expressions `written` otherwise."""
        walls = {wall.name: wall.rewritten(written) for wall in self.walls}
        return {"walls": walls, "contacts": {contact.name: contact.rewritten(written) for contact in self.contacts}}

    @cached_property
    def angles(self) -> set[str]:
        """Names of angles in radians: those of the space, and what stands alone in the argument of a sine."""
        return {*self.space.angles, *angles_in([*self.expressions, *self.space.anchor.todok().values()])}

    @cached_property
    def reactions(self) -> tuple[str, ...]:
        """Multipliers of the system's own constraints that its forces hold."""
        held = {s.name for Q in self.forces for s in free_symbols(Q)} - self.symbols.keys()
        return tuple(c.multiplier.name for c in self.constraints if c.multiplier.name in held)

    @cached_property
    def algebra(self) -> GraphAlgebra:
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
            WrongType: E102, E307 for names and a `where` that are no text.
        """
        return Reader.of(self, names(others, "others", "E102", some=False)).read(given, text(where, "where"))

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

    def over(self, graph: Graph) -> GraphAlgebra:
        """An algebra on a graph that reads this system's expressions, `steered` inputs and loads as what they are."""
        by, loads = self.__dict__.get("steered"), self.__dict__.get("loads")  # nothing, while the system is being made
        if loads is not None:
            return Loaded(graph, by or {}, loads)
        return Steered(graph, by) if by else GraphAlgebra(graph)

    def margins(self, graph: Graph) -> Sequence[Node]:
        """What is positive where `reactions` exist and are unique."""
        return () if self.loads is None else self.loads.margins(Steered(graph, self.steered))

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
        """All parameter values, checked, where inputs need not have a value yet."""
        override, following = without_defined(self.defined, override)
        needed = {name: symbol for name, symbol in self.symbols.items() if name not in self.inputs}
        declared = {**self.parameters, **{name: None for name in self.inputs}}
        found = values.complete(declared, override, needed, self.used_in, self.space.by_name)
        refuse_other(self.defined, following, found)
        self.fits(values.given({} if override is None else override).dimensions)
        if found != self.parameters:
            refuse_values(self, found)
        return found

    def range_of(self, name: str) -> tuple[float, float]:
        """Where a parameter that is searched for may lie: as its symbol was declared, and a coefficient not below 0.

        Raises:
            InvalidValue: E205, its symbol was declared an integer, or another kind of number that a search leaves.
        """
        symbol = self.symbols.get(name)
        low, high = (-math.inf, math.inf) if symbol is None else values.interval(symbol)
        return (max(low, 0.0) if symbol in self.coefficients.values() else low), high

    def fits_as(self, name: str, formula: sp.Expr) -> None:
        """E207: a term of a formula that drives an input is of another dimension than the input."""
        if self.units:
            dimensions.check_formula(self, name, formula)

    def fits_event(self, name: str, guard: sp.Expr, news: Mapping[str, sp.Expr]) -> None:
        """E134: terms of an event's guard, or of what jumps there, are of two dimensions."""
        if self.units:
            dimensions.check_event(self, name, guard, news)

    @cached_property
    def balance(self) -> Balance:
        """What is known about the dimensions of all symbols."""
        return dimensions.balance(self)

    @cached_property
    def lengths(self) -> dict[str, str]:
        """Parameters and coordinates that are lengths, and of which unit."""
        return unit_mismatch.lengths(self)

    def fits(self, given: Mapping[str, Dimension], kind: str = "parameters") -> None:
        """Refuse values whose units do not fit: E134 within the system, E207 for those of a kind `given` by name."""
        if self.units or given:
            dimensions.check_values(self, given, kind)

    def unit(self, expression: sp.Expr) -> str:
        """The unit of an expression, ``"m/s"``, or "" if it is a number or not known."""
        asked = self._own(expression)
        found = dimensions.of(asked, self.balance) if self.units else None
        return "" if found is None or str(found) == "1" else str(found)

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
    def used(self) -> frozenset[sp.Symbol]:
        """Symbols that occur in the system."""
        return letters(self.expressions)

    @cached_property
    def letters_of_expressions(self) -> tuple[sp.Symbol, ...]:
        """Coordinates, velocities, the time, parameters and inputs; also those that stand in abbreviations alone."""
        alone = {s for e in self.definitions.values() for s in free_symbols(e)}
        return tuple(dict.fromkeys((*self.space, TIME, *self.symbols.values(), *sorted(alone, key=str))))

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

    @cached_property
    def shifts_shown(self) -> set[str]:
        """Parameters of which W214 was shown: in a loop over decades each has the digits of that before."""
        return set()

    @cached_property
    def turning(self) -> Turning:
        """What turns, and with which moments."""
        names = self.names_in([self.lagrangian, *self.space.frame.rates])
        return Turning(self.space, self.lagrangian, names, self.algebra)

    def doubts(self, known: Mapping[str, float | None]) -> list[Note]:
        """What is doubted of the bodies, surfaces and gravity that the values of all parameters describe."""
        return of_values(self, known)

    def doubts_of_override(self, given: Mapping[Any, object] | None, fixed: Mapping[Any, object] | None) -> list[Note]:
        """What is doubted of values that replace others, and of those among them that are no range."""
        return of_override(self, given, fixed)

    def doubts_of_start(
        self, given: Mapping[str, object], known: Mapping[str, float], state: Mapping[str, float]
    ) -> list[Note]:
        """What is doubted of a start: as it was given, with the parameters, and completed."""
        return of_start(self, given, known, state)

    def doubts_of_run(self, first: Mapping[str, float], most: Mapping[str, float]) -> list[Note]:
        """What is doubted of a run: of the velocities at its start and the largest ones."""
        return unit_mismatch.passing_notes(self, first, most)

    def to_latex(self) -> str:
        """What was given as a LaTeX ``aligned`` environment: L, constraints, forces, walls, and qdot = E u."""
        from . import presentation

        return presentation.latex(self)

    def _repr_latex_(self) -> str:
        from . import presentation

        return presentation.notebook(self)

    def __str__(self) -> str:
        from . import presentation

        return presentation.summary(self)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return html(self)


_BARE: Mapping[str, object] = {"notes": (), "steered": {}, "loads": None}
_PICTURE = ("bodies", "explore")
