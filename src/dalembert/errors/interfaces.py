"""Where a refusal is met: in Python, in a system file, on the command line; each has a printer of its own."""

from __future__ import annotations

from collections.abc import Mapping

from ..spelling import typed
from .remedies import Call, Code, Give, NoNumber, Option, Principle, Value, Words
from .shown_values import as_given

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


# --- in Python --------------------------------------------------------------------------------------------------------


def in_python(value: Value) -> str:
    """``rtol=1e-9``, ``da.forms.hamel(system)``."""
    match value:
        case Option(option, given, of):
            text = option.rpartition(".")[2] + ("=" if given is None else f"={python_literal(given)}")
            return f"da.{of}(..., {text})" if of else text
        case Give(names, _, example):
            words = "give " + ", ".join(f"{name}={example}" for name in names)
            return words if example == "..." else f"{words}, or other numbers"
        case Call(function, arguments):
            return f"da.{function}" if arguments is None else f"da.{function}({arguments})"
        case Principle(name):
            return f"{typed(name)}(system)"
        case NoNumber(shown, kind):
            return f" = {shown} is not a number but {kind}"


def python_literal(given: object) -> str:
    """A value as it is typed in Python."""
    if isinstance(given, Code):
        return given.text
    if isinstance(given, str):
        return f'"{given}"'
    if given is ...:
        return "..."
    if isinstance(given, Mapping):
        return "{" + ", ".join(f"{python_literal(key)}: {python_literal(value)}" for key, value in given.items()) + "}"
    if isinstance(given, tuple | list):
        inner = ", ".join(map(python_literal, given))
        if isinstance(given, list):
            return f"[{inner}]"
        return f"({inner},)" if len(given) == 1 else f"({inner})"
    return number(given) if isinstance(given, float) else as_given(given)


def number(given: float) -> str:
    """``1e-9``, ``0.5``, ``2``."""
    return f"{given:.12g}".replace("e-0", "e-")


# --- in a system file -------------------------------------------------------------------------------------------------

_TABLES = ("parameters", "units", "forces", "momenta", "inertias")  # of the file, values by name
_PARTS = {name: f"[{name}]" for name in _TABLES} | {
    "constraints": "[[constraint]] tables",
    "equivalent": "[[equivalent]] tables",
    "walls": "[[wall]] tables",
    "massless": "massless in [lagrangian]",
    "symmetry": "[symmetry]",
    "bodies": "a [[body]] table",
}
# what is written for a function
_KEYS = {
    "examine": "dalembert check FILE",
    "film": "dalembert film FILE",
    "turns": 'turns = {{ plane = "x y", headings = "theta" }}',
    "rotations": 'rotations = {{ names = "R", vectors = ["x y z"] }}',
    "spin": "spin = {}",
    "plane": "plane = {}",
    "direction": "direction = {}",
    "coordinates": "coordinates = {}",
    "rotation": "rotation = {} in [space]",
    "SE2": "SE2 = {} in [space]",
    "SE3": "SE3 = {} in [space]",
    "applied": '"dot(x)" = "-c*dot(x)" in [forces]',
    "rolling_friction": "rolling in [friction]",
    "dry": "dry in [friction]",
    "Baumgarte": "stabilisation = {{ baumgarte = {} }}",
}
_KINDS = {"str": "text", "bool": "true or false", "list": "a list", "dict": "a table"}
_KINDS |= dict.fromkeys(("date", "time", "datetime"), "a date or time")


def in_a_file(value: Value) -> str:
    """``rtol = 1e-9``, ``principle = "hamel"``."""
    match value:
        case Option(option, given):
            return _set(option, given)
        case Give(names, rates):
            keys = [f'"dot({rates[name]})"' if name in rates else name for name in names]
            return "add to start: " + ", ".join(f"{key} = 0" for key in keys)
        case Call(function, arguments) if function.rpartition(".")[2] in _KEYS:
            return _KEYS[function.rpartition(".")[2]].format('"..."' if arguments is None else arguments)
        case Call():
            return f"in Python: {in_python(value)}"
        case Principle(name):
            return f'principle = "{name}"'
        case NoNumber(shown, kind):
            word = _KINDS.get(kind, kind)
            return f" = {shown} is text, not a number" if word == "text" else f" is {word}, not a number"


def _set(option: str, given: object) -> str:
    holder, _, name = option.rpartition(".")
    if option == "limits":
        return f"in Python: da.read(FILE, limits={'...' if given is None else python_literal(given)})"
    if isinstance(given, Code | None):
        return _PARTS.get(option, f"{name} in {holder}" if holder == "read" else name)
    if option in _TABLES and isinstance(given, Mapping):  # a value that comes later is "?"
        given = {key: "?" if value is None else value for key, value in given.items()}
        return ", ".join(f"{_key(key)} = {toml_literal(value)}" for key, value in given.items()) + f" in [{option}]"
    inside = {"read": " in read", "": " in [lagrangian]" if name == "massless" else ""}.get(holder, "")
    return f"{name} = {toml_literal(given)}{inside}"


def toml_literal(given: object) -> str:
    """A value as it is written in TOML; what is open, a "-"."""
    if isinstance(given, Code):
        return given.text
    if isinstance(given, bool):
        return str(given).lower()
    if given is ... or given is None:
        return "..." if given is ... else '"-"'
    if isinstance(given, str):
        return f'"{given}"'
    if isinstance(given, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {toml_literal(value)}" for key, value in given.items()) + " }"
    if isinstance(given, tuple | list):
        return "[" + ", ".join(map(toml_literal, given)) + "]"
    return number(given) if isinstance(given, float) else as_given(given)


def _key(name: object) -> str:
    """A key; of two names, both in quotes."""
    words = " ".join(name) if isinstance(name, tuple) else str(name)
    return words if words.isidentifier() and words.isascii() else f'"{words}"'
