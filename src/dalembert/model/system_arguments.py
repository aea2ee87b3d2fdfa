"""What the arguments of a system become: attributes by name, each read by the reader of its expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import fields, is_dataclass
from typing import Any

import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.line_width import on_one_line
from ..calculus.symbols import beyond_real, by_name, free_symbols, joined, only_real
from ..errors import InvalidValue, UnknownName, WrongType, about, as_given, did_you_mean, kind_of
from ..errors.remedies import Call, Option
from . import dimensions
from . import parameters as values
from .bodies import Explore, read_bodies, read_scene
from .constraint import Constraint, read_constraints
from .contact import Touch, check_apart, read_contacts
from .dimensions import Differs
from .expression_symbols import Reader
from .force import velocity_named
from .inertia import tensor
from .inputs import read_inputs
from .names import check_name, key_name, refuse_strange
from .notation import read_definitions, read_letters
from .space import Space
from .symmetry import generators
from .system_checks import height
from .wall import read_walls

# --- What a system and the values of its parameters are from, as given -----------------------------------------------


def cited(given: object) -> tuple[str, ...]:
    """Keys of the bibliography, or free text (E146 for anything else)."""
    listed = (given,) if isinstance(given, str) else given
    if not isinstance(listed, Sequence) or not all(isinstance(entry, str) for entry in listed):
        raise WrongType("E146", f"cite = {as_given(given)} is not a list of texts", Option("cite", ["lewis1995"]))
    return tuple(line for line in map(on_one_line, listed) if line)


def sourced(given: object, parameters: Iterable[str]) -> dict[str, str]:
    """Where values are from, by parameter.

    Raises:
        WrongType: E146, not a mapping to text.
        UnknownName: E202, a parameter that the system has not.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for text in given.values()):
        raise WrongType("E146", f"sources = {as_given(given)} is not a mapping to texts", 'sources={"m": "Table 1"}')
    named = by_name(given, "sources", key_name)
    for name in named:
        if name not in set(parameters):
            raise UnknownName(
                "E202", f"sources: there is no parameter {as_given(name)}", did_you_mean(name, parameters)
            )
    return {name: on_one_line(text) for name, text in named.items()}


def check_space(space: object) -> None:
    """E101: the first argument is no space."""
    if not isinstance(space, Space):
        raise WrongType("E101", f"space must be a Space, not {kind_of(space)}", Call("coordinates", '"x y theta"'))


def reading(
    space: Space,
    known: values.GivenParameters,
    formulas: Mapping[str, object],
    inputs: object,
    definitions: object,
    given: object,
) -> tuple[tuple[str, ...], Reader]:
    """The inputs, and the reader of the system's expressions, which knows its space, formulas and abbreviations."""
    steering = read_inputs(inputs, {**known.values, **formulas})
    declared, sure = (*known.values, *steering), assumed((given, definitions, inputs))
    for name in sure.keys() & {*steering}:
        only_real(sure[name], name, "the system", f'inputs="{name}" and sp.Symbol("{name}", real=True)')
    if formulas:
        space = space.put(Reader(space, declared, formulas, sure).all_defined)
    reader, draft = (Reader(space, declared, formulas, sure) for _ in range(2))
    for each in (reader, draft):
        each.inputs.update(steering)
    reader.definitions |= read_definitions(definitions, draft)
    return steering, reader


def valued(
    known: values.GivenParameters, units: object, sources: object, names: set[str], reader: Reader
) -> dict[str, object]:
    """Parameters, their units, where they come from and what else they are known by, as attributes of the system."""
    units_of = dimensions.joined(units, known.dimensions, {*reader.space.by_name, *names})
    parameters = {"parameters": known.values, "written": known.written, "sources": sourced(sources, names)}
    return {**parameters, "symbols": dict(reader.parameters), "units": units_of}


def mechanics(
    lagrangian: Any, constraints: Any, equivalent: Any, reader: Reader, algebra: GraphAlgebra
) -> dict[str, Any]:
    """L and the constraints, as attributes of the system, and what points into their texts."""
    with about("lagrangian"):
        L = reader.read(lagrangian, "the Lagrangian")
    rows = {"constraints": constraints, "equivalent": equivalent}
    told = pointed({("lagrangian",): lagrangian, **subjects("constraints", constraints)}, reader)
    return {
        "told": told,
        "lagrangian": L,
        **{name: read_constraints(given, reader, algebra) for name, given in rows.items()},
    }


def promised(momenta: object, massless: object, title: object, reader: Reader) -> dict[str, Any]:
    """What the author says of the motion, and the title, as attributes of the system."""
    if not isinstance(momenta, Mapping | None):
        raise WrongType("E110", "momenta are given by name", 'write momenta={"spin": J*w}')
    named = by_name(momenta or {}, "momenta", key_name)
    for name in named:
        refuse_strange(name, "a momentum")
    kept = {name: reader.read(e, f"momentum {name}") for name, e in named.items()}
    light = tuple(velocity_named(reader.space, key, "massless") for key in _listed(massless, "massless"))
    if not isinstance(title, str):
        raise WrongType("E146", f"title is text, not {kind_of(title)}", Option("title", "Ball on a table"))
    return {"momenta": kept, "massless": light, "title": on_one_line(title)}


def surroundings(inertias: object, up: object, symmetry: object, reader: Reader) -> dict[str, object]:
    """Bodies, the upward direction and symmetries, as attributes of the system."""
    if not isinstance(inertias, Mapping | None):
        raise WrongType("E109", f"inertias are given by name, not as {kind_of(inertias)}", 'inertias={"top": J}')
    named = by_name(inertias or {}, "inertias", lambda name: check_name(key_name(name), "an inertia"))
    tensors = {name: tensor(J) for name, J in named.items()}
    tensors = {name: J.applyfunc(lambda e, n=name: reader.read(e, f"inertia {n}")) for name, J in tensors.items()}
    with about("up"):
        above = height(up, reader)
    moves = generators(symmetry, reader)
    return {"inertias": tensors, "up": above, "symmetry": moves}


def met(walls: object, contacts: object, reader: Reader, bodies: object, scene: object) -> dict[str, object]:
    """What bodies meet, as attributes of the system."""
    if isinstance(contacts, Mapping) and any(
        isinstance(each, Touch) and each.gap is None for each in contacts.values()
    ):
        from .body_pairs import Pairs

        drawing = copy(reader)
        drawing.parameters = dict(reader.parameters)  # what only pictures hold is none of the system's
        drawn = read_bodies(bodies, drawing, {*reader.declared, *reader.parameters, *reader.inputs})
        contacts = Pairs(drawn, read_scene(scene).up, reader).contacts(contacts)
    read, touched = read_walls(walls, reader), read_contacts(contacts, reader)
    both = {wall.name for wall in read} & {contact.name for contact in touched}
    if both:
        fact = f"a wall and a contact are called {as_given(min(both))}"
        raise InvalidValue("E102", fact, "give each a name of its own", subject=("contacts", min(both), "name"))
    check_apart(read, touched, reader.space)
    return {"walls": read, "contacts": touched}


def pictures(bodies: object, scene: object, reader: Reader, names: set[str]) -> dict[str, object]:
    """What is drawn, as attributes of the system; ranges are read when all names are known."""
    return {"bodies": read_bodies(bodies, reader, names), "scene": read_scene(scene), "explore": Explore()}


def in_print(symbols: object, reader: Reader, constraints: Iterable[Constraint]) -> dict[str, object]:
    """Letters, and the abbreviations that hold nothing but what is given, as attributes of the system.

    A parameter that stands in an abbreviation alone is given: a guard or a measure may need it.
    """
    own = {**reader.alone, **reader.own, **reader.parameters}
    named = {**reader.all_defined, **reader.definitions}
    held = {n: {s.name: s for s in free_symbols(e)} for n, e in named.items()}
    given = {n: named[n] for n, symbols in held.items() if symbols and symbols.keys() <= own.keys()}
    strange = {n: {s: own[name] for name, s in held[n].items() if own[name] != s} for n in given}
    kept = {n: e.xreplace(strange[n]) if strange[n] else e for n, e in given.items()}
    multipliers = [c.multiplier.name for c in constraints]
    turned = [f"{name}{i}{j}" for name in reader.space.attitudes for i in (1, 2, 3) for j in (1, 2, 3)]
    names = {*own, *reader.declared, *reader.definitions, *reader.space.attitudes, *multipliers, *turned}
    return {"letters": read_letters(symbols, names), "definitions": kept}


def _listed(given: object, what: str) -> list[Any]:
    if isinstance(given, str):
        return given.replace(",", " ").split()
    if not isinstance(given, Sequence | set | frozenset | Mapping | sp.Tuple):
        raise WrongType("E127", f"{what} is a list of velocities, not {kind_of(given)}", f"{what}=[...]")
    return list(given)


# --- the term in a text of which a refusal speaks ---------------------------------------------------------------------


@contextmanager
def pointed(given: Mapping[tuple[str, ...], object], reader: Reader) -> Iterator[None]:
    """Put carets below a term that differs from those before it, where what is `given` about its subject is text."""
    try:
        yield
    except Differs as error:
        text = given.get(error.subject)
        found = reader.find(error.term, text) if isinstance(text, str) else None
        if found is not None and isinstance(text, str):
            from ..calculus.language.syntax_errors import caret

            error.detail = caret(text, *found)
        raise


def subjects(kind: str, given: object) -> dict[tuple[str, ...], object]:
    """What was given by name, by the subject of a refusal about it."""
    return {(kind, str(name)): e for name, e in given.items()} if isinstance(given, Mapping) else {}


# --- what the author assumes of symbols -------------------------------------------------------------------------------


def assumed(given: object) -> dict[str, sp.Symbol]:
    """The symbols in what was given that are assumed to be more than real, by name.

    Args:
        given: expressions, texts, or mappings, lists and parts of a system that hold some.

    Raises:
        InvalidValue: E721, a name that is assumed to be one thing in one place and another in the next.
    """
    found: dict[str, sp.Symbol] = {}
    for symbol in _symbols(given):
        if beyond_real(symbol):
            found[symbol.name] = joined(found.get(symbol.name, symbol), symbol)
    return found


def _symbols(given: object) -> Iterable[sp.Symbol]:
    """The symbols in what was given, in its order; each object is asked once, since expressions share their parts."""
    met: dict[int, object] = {}
    symbols: dict[sp.Symbol, None] = {}
    left = [given]
    while left:
        part = left.pop()
        if id(part) in met:
            continue
        met[id(part)] = part
        if isinstance(part, sp.Symbol):
            symbols[part] = None
        else:
            left.extend(reversed(_parts(part)))
    return symbols


def _parts(given: object) -> list[object]:
    if isinstance(given, sp.Basic):
        return list(given.args)
    if isinstance(given, sp.MatrixBase):
        return [e for _, e in sorted(given.todok().items())]  # zeros hold none
    if isinstance(given, Mapping):
        return [*given.keys(), *given.values()]
    if isinstance(given, list | tuple | set | frozenset):
        return list(given)
    if is_dataclass(given) and not isinstance(given, type):
        return [getattr(given, f.name) for f in fields(given)]
    return []
