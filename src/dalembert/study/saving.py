"""A text to a file, whole or not at all."""

from __future__ import annotations

import os

from ..errors import Unwritable, WrongType
from ..input_file import plain
from ..output_file import Maker, as_form, write


def save(text: str, path: str | os.PathLike[str], overwrite: bool) -> str:
    """Write the text; returns the file's name (E530 where it cannot be done, or exists; E307 with another ending)."""
    if not isinstance(path, str | os.PathLike):
        raise WrongType(
            "E501", f"the name of a file is text, not {type(path).__name__}", 'da.write(system, "ball.toml")'
        )
    target = as_form(path, (".toml",), "a system file is TOML")
    shown = plain(target.name or str(target))
    if target.exists() and not overwrite:
        raise Unwritable("E530", f"{shown} exists", "give another name, or overwrite=True")
    write(target, text, Maker("write", replaces=overwrite), "system")
    return shown
