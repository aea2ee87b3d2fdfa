"""The functions of the language: how many arguments each takes, its SymPy class, and its value at numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True)
class Function:
    """One function.

    Attributes:
        least, most: how many arguments it takes; no `most` means any number.
        build: its SymPy class.
        value: the function of numbers; ValueError where it is not real.
        domain: where it is real, for messages, or "".
    """

    least: int
    most: int | None
    build: Callable[..., sp.Expr]
    value: Callable[..., float]
    domain: str = ""


def _one(build: Callable[..., sp.Expr], value: Callable[..., float], domain: str = "") -> Function:
    return Function(1, 1, build, value, domain)


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _step(x: float, at_zero: float = 0.5) -> float:
    return at_zero if x == 0 else float(x > 0)


def _where(*parts: float) -> float:
    """The value that belongs to the first condition that holds; the last of an odd number of parts belongs to all."""
    pairs = list(zip(parts[::2], parts[1::2], strict=False))
    for condition, value in pairs:
        if condition:
            return value
    if len(parts) % 2 == 0:
        raise ValueError
    return parts[-1]


def _branches(*parts: sp.Basic) -> sp.Expr:
    pairs = list(zip(parts[1::2], parts[::2], strict=False))
    return sp.Piecewise(*pairs, *([(parts[-1], sp.true)] if len(parts) % 2 else []))


FUNCTIONS: dict[str, Function] = {
    "sin": _one(sp.sin, math.sin),
    "cos": _one(sp.cos, math.cos),
    "tan": _one(sp.tan, math.tan),
    "cot": _one(sp.cot, lambda x: 1 / math.tan(x)),
    "sec": _one(sp.sec, lambda x: 1 / math.cos(x)),
    "csc": _one(sp.csc, lambda x: 1 / math.sin(x)),
    "asin": _one(sp.asin, math.asin, "between -1 and 1"),
    "acos": _one(sp.acos, math.acos, "between -1 and 1"),
    "atan": _one(sp.atan, math.atan),
    "atan2": Function(2, 2, sp.atan2, math.atan2),
    "sinh": _one(sp.sinh, math.sinh),
    "cosh": _one(sp.cosh, math.cosh),
    "tanh": _one(sp.tanh, math.tanh),
    "asinh": _one(sp.asinh, math.asinh),
    "acosh": _one(sp.acosh, math.acosh, ">= 1"),
    "atanh": _one(sp.atanh, math.atanh, "between -1 and 1"),
    "exp": _one(sp.exp, math.exp),
    "log": _one(sp.log, math.log, "> 0"),
    "sqrt": _one(sp.sqrt, math.sqrt, ">= 0"),
    "abs": _one(sp.Abs, abs),
    "sign": _one(sp.sign, _sign),
    "floor": _one(sp.floor, math.floor),
    "ceil": _one(sp.ceiling, math.ceil),
    "min": Function(1, None, sp.Min, lambda *x: min(x)),
    "max": Function(1, None, sp.Max, lambda *x: max(x)),
    "heaviside": Function(1, 2, sp.Heaviside, _step),
    "where": Function(2, None, _branches, _where),
}

CONSTANTS = {"pi": (sp.pi, math.pi)}
WORDS = ("and", "or", "not")  # between the conditions of where(...)
DOT = "dot"
RESERVED = frozenset((*FUNCTIONS, *CONSTANTS, *WORDS, DOT))

# What people write for them in other languages.
ALIASES = {
    "ln": "log",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "arsinh": "asinh",
    "arcosh": "acosh",
    "artanh": "atanh",
    "tg": "tan",
    "ctg": "cot",
    "ceiling": "ceil",
    "fabs": "abs",
    "sgn": "sign",
    "signum": "sign",
    "piecewise": "where",
    "select": "where",
    "if": "where",
    "theta": "heaviside",
    "step": "heaviside",
}


def arity(f: Function) -> str:
    """How many arguments it takes, in words."""
    if f.least == f.most:
        return f"{f.least} argument" + "s" * (f.least > 1)
    return (
        f"at least {f.least} argument" + "s" * (f.least > 1) if f.most is None else f"{f.least} or {f.most} arguments"
    )


def fits(f: Function, count: int) -> bool:
    """Can it take so many arguments?"""
    return f.least <= count and (f.most is None or count <= f.most)


def conditions(name: str, arguments: Sequence[object]) -> set[int]:
    """Positions of the arguments that are conditions."""
    return set(range(0, len(arguments) - len(arguments) % 2, 2)) if name == "where" else set()
