"""Remedies as somebody types them who writes Python."""

from __future__ import annotations

from collections.abc import Mapping

from ..spelling import typed
from .given import as_given
from .remedies import Call, Code, Give, NoNumber, Option, Principle, Value


def in_python(value: Value) -> str:
    """``rtol=1e-9``, ``da.forms.hamel(system)``."""
    match value:
        case Option(option, given, of):
            text = option.rpartition(".")[2] + ("=" if given is None else f"={literal(given)}")
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


def literal(given: object) -> str:
    """A value as it is typed in Python."""
    if isinstance(given, Code):
        return given.text
    if isinstance(given, str):
        return f'"{given}"'
    if given is ...:
        return "..."
    if isinstance(given, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(value)}" for key, value in given.items()) + "}"
    if isinstance(given, tuple | list):
        inner = ", ".join(map(literal, given))
        if isinstance(given, list):
            return f"[{inner}]"
        return f"({inner},)" if len(given) == 1 else f"({inner})"
    return number(given) if isinstance(given, float) else as_given(given)


def number(given: float) -> str:
    """``1e-9``, ``0.5``, ``2``."""
    return f"{given:.12g}".replace("e-0", "e-")
