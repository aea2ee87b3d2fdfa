"""The text of a file: tables in order, comments, and TOML by `tomlkit`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...errors import WrongType
from ...given import switch
from ...model.limits import LIMITS
from ...model.system import System
from ...plain_file import shown
from ..schema import SCHEMA
from ..study import Study
from .entries import entries
from .system import tables

_BARE = "parameters of a system of which nothing has a unit"
COMMENTS = {
    "space": "Where the system can be. Each entry is a coordinate; its velocity is v and its name, or dot(x).\n"
    'A rotation "w" brings the angular velocities w1, w2, w3 in space axes, and is called R.',
    "units": "Units of base SI, of what has them. With them the dimensions of all terms are checked.",
    _BARE: 'A number; all are in the units of one system, and text with a unit ("2.54 cm") may stand here once\n'
    '[units] says that this is base SI. Or an expression in other parameters ("2/5*m*r^2"), or "?" for a value\n'
    "that comes later.",
    "parameters": 'A number in base SI, text with a unit ("2.54 cm"), an expression in other parameters\n'
    '("2/5*m*r^2"), or "?" for a value that comes later. sign and source may be added in a table.',
    "inputs": "What is given at run time: a number, text with a unit, a formula of t and states, values at times,\n"
    'a column of a file beside this one; or "?" where each run says. A run may say otherwise.',
    "symbols": "LaTeX of names, for print.",
    "definitions": "Names for parts of expressions; print keeps them.",
    "lagrangian": "L is kinetic minus potential energy. + - * / ^ ( ), sin, cos, sqrt, ..., dot(x) and t are known.\n"
    "Further keys are names for parts of it: T, V.",
    "constraint": "Each phi is to be 0. Velocities may occur in it; without them it is a relation of positions.",
    "equivalent": "Constraints that allow the same motions and keep their rank where those above lose it.",
    "forces": "Generalised forces, by the velocity on which they act.",
    "force": "Forces on points: the velocity of the point, and the force, component by component.",
    "friction": "Friction laws. viscous and rotational need a velocity, rolling the slip and the load,\n"
    "pivoting the spin and the load, dry the joint and the size.",
    "momenta": "What you expect to be conserved; it is watched in every run.",
    "inertias": "Moments of inertia of the bodies, checked to be those of a body.",
    "symmetry": "Motions of the space that change neither L nor the constraints.",
    "wall": "The motion is free where the guard is positive; at 0 the velocities jump.",
    "contact": "What touches where the gap is 0: it slides, sticks, bounces and lifts by itself.",
    "body": "What is drawn: a shape, its sizes, and where it is.",
    "scene": "Which axis of the space points up on the screen.",
    "explore": "What a live page lets a person change.",
    "run": "One motion: a principle, a start, an end. What the constraints determine may be left out of the start.",
    "compare": "The same start under several principles.",
    "sweep": 'Many motions: "first:last:count" or a list of values is an axis of a grid.',
    "family": "Motions that stand still or come back, followed in a parameter from one end of a range to the other.",
    "fit": "What is to be found from a recorded track: dalembert fit FILE TRACK.csv",
}
_INLINE = 100  # characters of an inline table that stands on one line


def source(thing: Any, comments: bool) -> str:
    """The text of a study or a system."""
    import tomlkit

    study, comments = thing if isinstance(thing, Study) else _study(thing), switch(comments, "comments")
    document = tomlkit.document()
    document["schema"] = SCHEMA
    if study.title:
        document["title"] = study.title
    if study.cite:
        document["cite"] = list(study.cite)
    system = study.freed(study.derived).system  # its expressions hold the names of what follows from others
    larger = {name: most for name, most in system.limits.items() if most != LIMITS[name]}
    if larger and comments:
        document.add(tomlkit.comment(f"to be read with limits={larger}: a file cannot raise them itself"))
    all_tables = tables(system, study.derived, study.constants) | entries(study)
    for key, value in all_tables.items():
        if value:
            bare = key == "parameters" and not system.units
            _add(document, key, value, COMMENTS[_BARE if bare else key] if comments else "")
    # a comment stands directly above its table; no text of a file begins a line with #
    return re.sub(r"(^#[^\n]*\n)\n(?=\[)", r"\1", tomlkit.dumps(document), flags=re.MULTILINE).rstrip() + "\n"


def _study(thing: Any) -> Study:
    if not isinstance(thing, System):
        fact = f"a system file is written for a study or a system, not for {type(thing).__name__}"
        raise WrongType("E512", fact, "da.write(system, path)")
    return Study(shown(thing.title), thing, tuple(map(shown, thing.cite)))


def _add(document: Any, key: str, value: Any, comment: str) -> None:
    import tomlkit

    document.add(tomlkit.nl())
    for line in comment.splitlines():
        document.add(tomlkit.comment(line))
    if isinstance(value, list):
        tables_of = tomlkit.aot()
        for entry in value:
            tables_of.append(_table(entry))
        document[key] = tables_of
    else:
        document[key] = _table(value)


def _table(given: Mapping[str, Any]) -> Any:
    """A table; lists of tables in it become ``[[run.event]]``, all else stands inline."""
    import tomlkit

    table = tomlkit.table()
    for key, value in given.items():
        if key in ("event", "factor") and isinstance(value, list):
            inner = tomlkit.aot()
            for entry in value:
                inner.append(_table(entry))
            table[key] = inner
        elif key == "generators" or (
            key in ("frame", "coordinates")
            and len(given) == 1
            and isinstance(value, dict)
            and len(str(value)) > _INLINE
        ):
            table[key] = _table(value)
        else:
            table[key] = _item(value)
    return table


def _item(value: Any) -> Any:
    """A value; tables stand inline."""
    import tomlkit

    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        for key, entry in value.items():
            inline[key] = _item(entry)
        return inline
    if isinstance(value, list):
        array = tomlkit.array()
        for entry in value:
            array.append(_item(entry))
        nested = any(isinstance(entry, list | Mapping) for entry in value)
        return array.multiline(nested and len(str(value)) > _INLINE)
    return tomlkit.item(value)
