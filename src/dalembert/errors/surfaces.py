"""Where a refusal is met: in Python, in a system file, on the command line; each has a printer of its own."""

from __future__ import annotations

from collections.abc import Mapping

from .python import in_python
from .remedies import Code, Option, Value, Words
from .toml import in_a_file

_FLAGS = {
    "film.file": "--out",
    "film.seconds": "--length",
    "film.until": "--until",
    "film.fps": "--fps",
    "columns": "--column",
    "uncertainty": "--uncertainty",
    "bounds": "--bound",
    "priors": "--prior",
    "free": "--free",
    "principles": "--principles",
    "starts": "--starts",
    "loss": "--loss",
    "ray": "--ray",
}
_SHAPES = {"bounds": "NAME=LOW,HIGH", "priors": "NAME=MEAN,DEVIATION"}

LONGEST, HEAD, TAIL = 1500, 1000, 300  # characters of one line of a message; what is shown of a longer one
PYTHON, FILE, COMMAND = "python", "file", "command"


def said(words: Words, surface: str) -> str:
    """Text and values as one text, in the words of a surface, each line as a message can show it."""
    whole = _joined(words, surface)
    return whole if len(whole) <= LONGEST and whole.isprintable() else "\n".join(map(brief, whole.split("\n")))


def brief(line: str) -> str:
    """The line, or its two ends if it is too long; with a mark for what does not show, or speaks to a terminal."""
    if not line.isprintable():
        line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
    return line if len(line) <= LONGEST else f"{line[:HEAD]} ... {line[-TAIL:]}"


def _joined(words: Words, surface: str) -> str:
    if isinstance(words, tuple):
        return "".join(_joined(part, surface) for part in words)
    printers = {PYTHON: in_python, FILE: in_a_file, COMMAND: on_a_command_line}
    return words if isinstance(words, str) else printers[surface](words)


# --- on the command line ----------------------------------------------------------------------------------------------


def on_a_command_line(value: Value) -> str:
    """``--starts 20``, ``--read gaps="keep"``, ``k=1.0``."""
    if not isinstance(value, Option):
        return in_a_file(value)
    holder, _, name = value.option.rpartition(".")
    if name in ("parameters", "start"):
        return " ".join(_pairs("", value.value)) if isinstance(value.value, Mapping) else "NAME=VALUE"
    if holder == "read":
        return _given(f"--read {name}", value.value, joined=".", sign="=")
    flag = _FLAGS.get(value.option) or _FLAGS.get(name)
    if flag is not None:
        return _given(flag, value.value, joined=" ", sign=" ", shape=_SHAPES.get(name, "NAME=VALUE"))
    return in_a_file(value)


def _given(flag: str, given: object, joined: str, sign: str, shape: str = "NAME=VALUE") -> str:
    """The option with its value; once for each name."""
    if given is None:
        return flag
    if isinstance(given, Code):
        return f"{flag}{joined}{shape}"
    if isinstance(given, Mapping):
        return " ".join(f"{flag}{joined}{pair}" for pair in _pairs(joined, given))
    return f"{flag}{sign}{_literal(given)}"


def _pairs(joined: str, given: Mapping[object, object]) -> list[str]:
    pairs = {" ".join(key) if isinstance(key, tuple) else str(key): value for key, value in given.items()}
    return [f"{key}={_literal(value, ',')}" for key, value in pairs.items()]


def _literal(given: object, between: str = " ") -> str:
    """A value as a shell takes it; several are parted, and what holds a blank is in quotes."""
    if given is ...:
        return "..."
    if isinstance(given, bool):
        return str(given).lower()
    text = (
        between.join("-" if part is None else str(part) for part in given) if isinstance(given, tuple | list) else given
    )
    return f'"{text}"' if isinstance(text, str) and not _plain(text) else str(text)


def _plain(text: str) -> bool:
    """Is it one word that no shell changes?"""
    return all(c.isalnum() or c in "_-+.,=:/%" for c in text) and bool(text)
