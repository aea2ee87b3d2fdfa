"""Remedies as somebody writes them in a system file."""

from __future__ import annotations

from collections.abc import Mapping

from .given import as_given
from .python import in_python, number
from .python import literal as python_of
from .remedies import Call, Code, Give, NoNumber, Option, Principle, Value

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
        return f"in Python: da.read(FILE, limits={'...' if given is None else python_of(given)})"
    if isinstance(given, Code | None):
        return _PARTS.get(option, f"{name} in {holder}" if holder == "read" else name)
    if option in _TABLES and isinstance(given, Mapping):  # a value that comes later is "?"
        given = {key: "?" if value is None else value for key, value in given.items()}
        return ", ".join(f"{_key(key)} = {literal(value)}" for key, value in given.items()) + f" in [{option}]"
    inside = {"read": " in read", "": " in [lagrangian]" if name == "massless" else ""}.get(holder, "")
    return f"{name} = {literal(given)}{inside}"


def literal(given: object) -> str:
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
        return "{ " + ", ".join(f"{_key(key)} = {literal(value)}" for key, value in given.items()) + " }"
    if isinstance(given, tuple | list):
        return "[" + ", ".join(map(literal, given)) + "]"
    return number(given) if isinstance(given, float) else as_given(given)


def _key(name: object) -> str:
    """A key; of two names, both in quotes."""
    words = " ".join(name) if isinstance(name, tuple) else str(name)
    return words if words.isidentifier() and words.isascii() else f'"{words}"'
