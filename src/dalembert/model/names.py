"""Names of coordinates, velocities and parameters: what may be one, and how they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import sympy as sp

from ..calculus.frame import TIME
from ..calculus.language.functions import CONSTANTS, RESERVED, WORDS
from ..calculus.symbols import only_real
from ..errors import InvalidValue, UnknownName, WrongType, about, as_given, closest, did_you_mean, kind_of
from ..errors.lookalike_letters import apart, strange, twins

if TYPE_CHECKING:
    from .system import System


_NAME = re.compile(r"[^\W\d]\w*\Z")
_TAKEN = {name: "a function" for name in RESERVED} | dict.fromkeys(WORDS, "a word of the language")
_TAKEN |= dict.fromkeys(CONSTANTS, "a number") | {"t": "the time"}
LONGEST = 64

Names = str | Sequence[str | sp.Symbol]


def key_name(key: object) -> str:
    """The name that a key of a mapping stands for: text, or a symbol's; anything else as it is shown."""
    own = key if isinstance(key, str) else getattr(key, "name", None)
    return own if isinstance(own, str) else as_given(key)


def taken(name: str, what: str) -> None:
    """Refuse a name that means something else already (E103)."""
    if name in _TAKEN:
        raise InvalidValue(
            "E103", f"{as_given(name)} is already {_TAKEN[name]} and cannot be {what}", "choose another name"
        )


def check_name(name: str, what: str) -> str:
    """The name in normal form (NFC).

    Raises:
        InvalidValue: E719, not an identifier (letters, digits and ``_``; Greek letters and subscripts are letters).
    """
    normal = unicodedata.normalize("NFC", name)
    if not normal.isascii() and len(normal) <= LONGEST:
        refuse_strange(normal, what)
    if not _NAME.match(normal) or len(normal) > LONGEST:
        raise InvalidValue(
            "E719",
            f"{as_given(name)} cannot be the name of {what}",
            f"use letters, digits and _, starting with a letter, at most {LONGEST} characters",
        )
    return normal


def refuse_strange(name: str, what: str) -> None:
    """E719 for a character that does not show, or that passes for another one; and where nothing shows."""
    wrong = strange(name) or (None if name.strip() else ("nothing of it shows", "use letters, digits and _"))
    if wrong is not None:
        raise InvalidValue("E719", f"{as_given(name)} cannot be the name of {what}: {wrong[0]}", wrong[1])


def symbols(names: Names, what: str) -> tuple[sp.Symbol, ...]:
    """Real symbols from ``"x y theta"``, a list of names, or a list of symbols.

    Raises:
        WrongType: E102, not text and not a list of names.
        InvalidValue: E102 duplicates, E103 a name that is taken, E719 not a name.
    """
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    if not isinstance(names, Iterable) or isinstance(names, Mapping):
        kinds = '; an angle is da.angle("a"), and da.coordinates("x y") * da.angle("a") has both'
        told = kinds if isinstance(names, Mapping) and what == "coordinates" else ""
        fact = f"{what} are given by name, not as {kind_of(names)}"
        raise WrongType("E102", fact, f'write for example "x y theta"{told}')
    try:
        given = list(names)
    except TypeError:  # an array of no dimension calls itself iterable
        given = [names]
    plain = [check_name(n.name if isinstance(n, sp.Symbol) else name_of(n, what), what) for n in given]
    for n, name in zip(given, plain, strict=True):
        if isinstance(n, sp.Symbol):
            only_real(n, name, f"the {what}")
    distinct(plain, what)
    for n in plain:
        taken(n, f"one of the {what}")
    return tuple(sp.Symbol(n, real=True) for n in plain)


def name_of(name: object, what: str) -> str:
    """The name, checked.

    Raises:
        WrongType: E102, not text.
    """
    if not isinstance(name, str):
        raise WrongType("E102", f"one of the {what} is {kind_of(name)} instead of a name", 'write for example "x y"')
    return name


def distinct(names: Sequence[str], what: str) -> None:
    """Refuse a name given twice, and two that cannot be told apart by eye (E102)."""
    if len({*names}) < len(names):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise InvalidValue(
            "E102", f"{', '.join(twice)} occurs twice among the {what}", "give every one a name of its own"
        )
    refuse_alike(names, what)


def refuse_alike(names: Iterable[str], what: str, group: str = "") -> None:
    """Refuse two names that cannot be told apart by eye (E102); `group` is where the second stands."""
    pair = twins(names)
    if pair:
        fact = f"{pair[0]} and {pair[1]} among the {what} look alike: {apart(*pair)}"
        subject = (group, pair[1]) if group else ()
        raise InvalidValue("E102", fact, "give every one a name of its own", subject=subject)


# --- Names of a system: none is taken twice, none looks like another, and a misspelt one is told ---------------------


def check_distinct(system: System) -> None:
    """E103: a parameter or input that is also something that moves, a name that a column of a contact needs;
    E102: two names that look alike.
    """
    moving = {*system.space.by_name, TIME.name, *system.space.attitudes}
    for name in {**system.parameters, **system.symbols, **dict.fromkeys(system.inputs)}:
        kind = "an input" if name in system.inputs else "a parameter"
        with about("parameters", name):
            taken(name, kind)
        if name in moving:
            raise InvalidValue(
                "E103",
                f"{as_given(name)} is {kind} and also a coordinate, velocity, rotation or the time",
                f"rename the {kind.split()[1]} {as_given(name)}",
                subject=("parameters", name),
            )
    _refuse_taken_columns(system)
    _refuse_alike(system)


def _refuse_taken_columns(system: System) -> None:
    """E103: a coordinate, velocity or input that has the name of a force of a contact, which is a column beside it."""
    for contact in [part for whole in system.contacts for part in whole.parts]:
        for name in {*contact.columns} & {*system.space.by_name, *system.inputs}:
            fact = f"{name} is needed for a force of the contact {contact.name}"
            where = "inputs" if name in system.inputs else "coordinates"
            raise InvalidValue("E103", fact, f"rename the contact, or {name}", subject=(where, name))


def _refuse_alike(system: System) -> None:
    """E102: two names of the system that cannot be told apart by eye."""
    moving = [*system.space.by_name, *system.space.attitudes, TIME.name]
    valued = dict.fromkeys((*system.parameters, *system.symbols, *system.inputs))
    refuse_alike([*moving, *valued], "names", "parameters")
    groups: dict[str, Iterable[str]] = {
        "constraints": [c.name for c in system.constraints],
        "equivalent": [c.name for c in system.equivalent],
        "momenta": system.momenta,
        "inertias": system.inertias,
        "symmetry": [generator.name for generator in system.symmetry],
        "walls": [wall.name for wall in system.walls],
        "contacts": [part.name for contact in system.contacts for part in contact.parts],
    }
    distinct([*groups["contacts"]], "contacts")  # a contact may be called as the rolling of another one
    for what, names in groups.items():
        refuse_alike(names, what, what)


def check_meant(system: System) -> None:
    """E202: a parameter that stands nowhere, beside a name without a value that it was meant for."""
    missing = [n for n in system.symbols if n not in system.parameters and n not in system.inputs]
    for name in system.parameters:
        if name not in system.symbols and closest(name, missing):
            hint = did_you_mean(name, missing)
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", hint, subject=("parameters", name))
