r"""Formulas of LaTeX read back as numbers, so that what is printed can be held against what is computed.

It reads what the library writes and what papers write of equations of motion: sums, juxtaposed factors, fractions,
powers, roots, named functions, letters with indices and dots. A letter is a key of `values`, written without braces
about single characters: ``\dot{x}_{1}`` and ``\dot x_1`` are one letter, ``\dot{x}_1``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\[^a-zA-Z]|\d+\.?\d*|\.\d+|[{}^_]|[^\s]")
_FUNCTIONS = {"\\sin": math.sin, "\\cos": math.cos, "\\tan": math.tan, "\\exp": math.exp, "\\log": math.log}
_ACCENTS = ("\\dot", "\\ddot", "\\mathrm", "\\operatorname")
_LAYOUT = ("&", "\\left", "\\right", "\\,", "\\quad")
_ENDS = ("}", ")", "]", "+", "-", "=", "")


def letter(text: str) -> str:
    """A letter in the spelling by which values are given."""
    tokens = _Reader(text, {})
    return tokens.letter(tokens.next())


def residual(row: str, values: Mapping[str, float]) -> tuple[float, float]:
    """Both sides of an equation at values of its letters."""
    left, right = row.partition("&&")[0].split("=")
    return number(left, values), number(right, values)


def number(text: str, values: Mapping[str, float]) -> float:
    """A formula at values of its letters."""
    reader = _Reader(text, values)
    found = reader.sum()
    assert not reader.tokens, reader.tokens
    return found


class _Reader:
    def __init__(self, text: str, values: Mapping[str, float]) -> None:
        self.tokens = [t for t in _TOKEN.findall(text) if t not in _LAYOUT][::-1]
        self.values = values

    @property
    def ahead(self) -> str:
        return self.tokens[-1] if self.tokens else ""

    def next(self, wanted: str = "") -> str:
        token = self.tokens.pop()
        assert not wanted or token == wanted, f"{token} where {wanted} was to stand"
        return token

    def sum(self) -> float:
        total = 0.0
        sign = -1.0 if self.ahead == "-" and self.next() else 1.0
        while True:
            total += sign * self.product()
            if self.ahead not in ("+", "-"):
                return total
            sign = -1.0 if self.next() == "-" else 1.0

    def product(self) -> float:
        found = self.factor()
        while self.ahead not in _ENDS:
            if self.ahead == "\\cdot":
                self.next()
            found *= self.factor()
        return found

    def factor(self) -> float:
        token = self.next()
        if token in _FUNCTIONS:
            power = self.power()
            return _FUNCTIONS[token](self.argument()) ** power
        base = self.atom(token)
        return base ** self.power()

    def power(self) -> float:
        if self.ahead != "^":
            return 1.0
        self.next()
        return self.group()

    def argument(self) -> float:
        """What stands behind a function: a group, or letters up to a sign or another function."""
        if self.ahead in ("{", "("):
            return self.factor()
        found = self.factor()
        while self.ahead not in (*_ENDS, *_FUNCTIONS, "(", "\\frac", "\\cdot"):
            found *= self.factor()
        return found

    def group(self) -> float:
        token = self.next()
        if token != "{":
            if token.isdigit() and len(token) > 1:  # of \frac12
                self.tokens.append(token[1:])
                token = token[0]
            return self.atom(token)
        found = self.sum()
        self.next("}")
        return found

    def atom(self, token: str) -> float:
        if token == "\\frac":
            return self.group() / self.group()
        if token == "\\sqrt":
            return math.sqrt(self.group())
        if token in ("(", "{", "["):
            found = self.sum()
            self.next({"(": ")", "{": "}", "[": "]"}[token])
            return found
        if token[0].isdigit() or token[0] == ".":
            return float(token)
        return self.values[self.letter(token)]

    def letter(self, token: str) -> str:
        base = f"{token}{{{self.raw()}}}" if token in _ACCENTS else token
        while self.ahead in ("_", "'"):
            base += self.next() if self.ahead == "'" else f"{self.next()}{{{self.raw()}}}"
        return re.sub(r"\{(.)\}", r"{\1}", base)

    def raw(self) -> str:
        """A group as text."""
        if self.ahead != "{":
            return self.next()
        self.next()
        text, depth = "", 1
        while True:
            token = self.next()
            depth += (token == "{") - (token == "}")
            if not depth:
                return text
            text += f"{token} " if token[0] == "\\" and self.ahead.isalpha() else token
