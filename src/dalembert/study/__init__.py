"""System files: TOML text to a `Study` and back.

    text -> tables with their places -> checked leaves -> expressions -> system and entries -> Study
    toml_text   places                  schema, leaves     values        build                 study

All problems of a file are told at once (`Problems`), each at its place: a refusal has a subject, such as
``("constraints", "blade")``, and ``error_location`` finds where that stands.

What stands where:

- The text: ``toml_text`` (opened and parsed), ``toml_positions`` (of keys and values).
- The shape: ``schema``, ``value_types`` (simple values), ``schema_errors`` (what the schema refuses, and reading on
  after it).
- The tables: ``spaces``, ``file_expressions`` (parameters, and the texts of expressions), ``system_parts``
  (constraints, walls, inertias, momenta, definitions, bodies, symmetry), ``force_laws`` (forces), ``inputs``,
  ``entries`` (runs, comparisons, sweeps, families), ``fit``.
- ``build`` puts them together to what ``study`` describes; ``writing`` is the way back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import output_file
from ..argument_checks import public, switch
from ..errors import InvalidValue, Unwritable, WrongType, kind_of
from ..input_file import plain
from .study import CompareSpec, FamilySpec, FitSpec, RunSpec, Study, SweepSpec
from .toml_text import LARGEST, decoded, parsed, text_of

__all__ = [
    "CompareSpec",
    "FamilySpec",
    "FitSpec",
    "RunSpec",
    "Study",
    "SweepSpec",
    "read",
    "read_source",
    "write",
    "write_source",
]


@public
def read(
    path: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    limits: Mapping[str, object] | None = None,
) -> Study:
    """Read a system file.

    The file is data: nothing in it is executed, and no other file is opened. A table of text that drives an input is
    opened where a run begins; it has to lie in the folder of the file, or below it.

    Args:
        path: of the file.
        folder: if given, the file must lie in it.
        limits: those of `System`, where the system is larger than usual; a file cannot raise them.

    Raises:
        DalembertError: with its place in the file; several are raised together as `Problems`. E501 to E506 and E510 for
            what is no readable text, E507 for what is no TOML, E508 and E509 for unknown keys and versions, and every
            refusal of `System`.
    """
    text, name = text_of(path, folder)
    at = Path(os.fsdecode(path)) if folder is None else Path(folder, os.fsdecode(path))
    return _read(text, name, limits, str(at.parent))


def read_source(
    text: str, name: str = "<text>", *, limits: Mapping[str, object] | None = None, folder: str = ""
) -> Study:
    """Read the text of a system file, called `name` in messages, that lies in a folder. Raises what `read` does."""
    if not isinstance(text, str):
        raise WrongType("E508", f"the source of a system is text, not {kind_of(text)}", "read_source(text)")
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > LARGEST:
        raise InvalidValue("E505", f"{plain(name)} is larger than 1 MiB", "a system file is a few kB of text")
    return _read(decoded(data, plain(name)), plain(name), limits, folder)


def _read(text: str, name: str, limits: Mapping[str, Any] | None, folder: str = "") -> Study:
    from .build import build

    tables, places = parsed(text, name)
    places.folder = folder
    return build(tables, places, text, limits)


def write_source(thing: object, *, comments: bool = True) -> str:
    """The text of a system file for a `Study` or a `System`, with comments for its reader.

    Reading it gives the same system.

    Raises:
        WrongType: E512, neither a study nor a system.
        InvalidValue: E512, a system that a file cannot hold, with the reason.
    """
    from .writing import source

    return source(thing, comments)


@public
def write(thing: object, path: str | os.PathLike[str], *, comments: bool = True, overwrite: bool = False) -> str:
    """Write `write_source` to a file, whole or not at all; returns the file's name.

    Raises:
        WrongType: E501, no name of a file.
        InvalidValue: E530, the file exists (give ``overwrite=True``) or cannot be written; E307, it ends otherwise than
            in .toml.
    """
    text, overwrite = write_source(thing, comments=comments), switch(overwrite, "overwrite")
    if not isinstance(path, str | os.PathLike):
        fact = f"the name of a file is text, not {kind_of(path)}"
        raise WrongType("E501", fact, 'da.write(system, "ball.toml")')
    target = output_file.as_form(path, (".toml",), "a system file is TOML")
    shown = plain(target.name or str(target))
    if target.exists() and not overwrite:
        raise Unwritable("E530", f"{shown} exists", "give another name, or overwrite=True")
    output_file.write(target, text, output_file.Maker("write", replaces=overwrite), "system")
    return shown
