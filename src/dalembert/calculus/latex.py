"""Expressions as lines of LaTeX that fit a column: letters with dots, widths, and sums broken between their terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

import sympy as sp

COLUMN = 78.0  # widths of a letter in a line of an A4 page, 160 mm at 10 pt
_INDENT = 3.0
_ESCAPES = {"\\": r"\textbackslash ", "{": r"\{", "}": r"\}", "~": r"\textasciitilde ", "^": r"\textasciicircum "}
_ESCAPES |= {c: f"\\{c}" for c in "$&#%_"}
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[{}^_&]|\s+|.", re.DOTALL)
_WIDE = {**dict.fromkeys(("=", "+", "-", "\\cdot", "\\geq", "\\leq", "\\to"), 2.6), ",": 1.2, "(": 0.8, ")": 0.8}
_NOTHING = {"\\,", "&", "\\left", "\\right", "\\text", "\\operatorname", "\\mathrm", "\\dot", "\\ddot"}
_WORDS = {name: 0.9 * len(name) + 0.5 for name in ("sin", "cos", "tan", "log", "exp", "min", "max", "sinh", "cosh")}
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+?)(?: WITH .*)?\Z")


def letter(name: str) -> str:
    r"""A name as a letter with an index: theta and the Greek letter itself are \theta, x1 and x₁ are x_{1}."""
    plain = "".join(_ascii(c) for c in unicodedata.normalize("NFKD", name))
    return str(sp.latex(sp.Symbol(plain)))


def _ascii(c: str) -> str:
    greek = None if c.isascii() else _GREEK.match(unicodedata.name(c, ""))
    if not greek:
        return "" if unicodedata.combining(c) else c
    return greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()


def escaped(text: str) -> str:
    """Plain text within LaTeX's text mode: one line, nothing in it is a command."""
    return "".join(_ESCAPES.get(c, c) for c in " ".join(text.split()))


def dotted(shown: str) -> str:
    """The time derivative of what is shown."""
    return shown.replace("\\dot", "\\ddot", 1) if shown.startswith("\\dot{") else f"\\dot{{{shown}}}"


def letters(
    coordinates: Sequence[sp.Symbol], rates: Mapping[sp.Symbol, sp.Expr], velocities: Sequence[sp.Symbol]
) -> dict[sp.Symbol, str]:
    r"""Coordinates and velocities: \dot{x} for a velocity that is the rate of x, the symbol's own letter otherwise."""
    names = {s: letter(s.name) for s in (*coordinates, *velocities)}
    return names | {rates[q]: dotted(names[q]) for q in coordinates if rates[q] in names}


def show(e: sp.Expr, names: Mapping[sp.Symbol, str]) -> str:
    """The LaTeX of an expression in these letters."""
    known = {s: names[s] if s in names else letter(s.name) for s in e.free_symbols}
    return str(sp.latex(e, symbol_names=known))


def width(latex: str) -> float:
    """About how wide the LaTeX is set, in widths of a letter."""
    return _width(_TOKEN.findall(latex), 0)[0]


def _width(tokens: Sequence[str], i: int) -> tuple[float, int]:
    """The width of the tokens from i on up to the brace that closes, and where it ends."""
    total = 0.0
    while i < len(tokens) and tokens[i] != "}":
        token = tokens[i]
        if token == "\\frac":
            above, i = _group(tokens, i + 1)
            below, i = _group(tokens, i)
            total += max(above, below) + 0.6
        elif token in "^_":
            inside, i = _group(tokens, i + 1)
            total += 0.7 * inside
        elif token == "{":
            inside, i = _group(tokens, i)
            total += inside
        else:
            total += _one(token)
            i += 1
    return total, i


def _group(tokens: Sequence[str], i: int) -> tuple[float, int]:
    while i < len(tokens) and tokens[i].isspace():
        i += 1
    if i >= len(tokens) or tokens[i] != "{":
        return (_one(tokens[i]) if i < len(tokens) else 0.0), i + 1
    inside, end = _width(tokens, i + 1)
    return inside, end + 1


def _one(token: str) -> float:
    if token in _WIDE:
        return _WIDE[token]
    if token in _NOTHING or token.isspace():
        return 0.0
    return _WORDS.get(token[1:], 1.0) if token.startswith("\\") else 1.0


def terms(e: sp.Expr, names: Mapping[sp.Symbol, str]) -> list[str]:
    """The terms of a sum, each but the first with its sign."""
    shown = [show(term, names).strip() for term in e.as_ordered_terms()]
    return [shown[0], *(s if s.startswith("-") else f"+ {s}" for s in shown[1:])]


def lines(
    left: sp.Expr | str, right: sp.Expr, names: Mapping[sp.Symbol, str], label: str = "", relation: str = "="
) -> list[str]:
    """``left = right`` as rows of an ``aligned`` environment, broken between terms where it is too wide."""
    before = [left] if isinstance(left, str) else terms(left, names)
    after = terms(right, names)
    tail = f" && {label}" if label else ""
    room = COLUMN - (width(label) + 2 if label else 0)
    one = f"{' '.join(before)} &{relation} {' '.join(after)}"
    if width(one) <= room:
        return [one + tail]
    short = width(" ".join(before)) <= room / 3
    head = f"{' '.join(before)} &{relation} " if short else "&"
    pieces = after if short else [*before, f"{relation} {after[0]}", *after[1:]]
    found, used = [head], width(head)
    for piece in pieces:
        if used > width(head) and used + width(piece) > room and found[-1].strip("& ") not in ("", relation):
            found.append("&\\quad ")
            used = _INDENT + (width(head) if short else 0)
        found[-1] += f"{piece} "
        used += width(piece)
    return [line.rstrip() for line in found[:-1]] + [found[-1].rstrip() + tail]


def aligned(rows: Sequence[str]) -> str:
    """Rows in an ``aligned`` environment."""
    body = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
