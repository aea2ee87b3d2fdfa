"""Equations as LaTeX and as plain text: one row per velocity, then the constraints and the kinematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

import sympy as sp

from ..calculus.graph import Node
from ..calculus.line_width import broken, folded
from ..calculus.printing import COLUMN, Line, aligned, latex, lines, plain, words
from ..calculus.simplification import at_most, characters, few
from ..calculus.subexpressions import fold
from ..calculus.symbol_letters import RATE, Alphabet, dotted, letter

_PROSE = 0.65  # characters of text in a letter's width of a column, beside the left sides
READABLE = 4000  # operations of all rows together that are still folded
ROWS = 130  # lines that are still printed
UNREADABLE = "the rows are too long to be read; .operations() counts what is computed"
COUNTED = "the equations of motion take"
EXPORT = ".to_latex(fold=False)"
WAYS = (f".text() and {EXPORT} write them out", f"{EXPORT} writes them out, .to_c() as a program")
LINES = 150  # operations of a row that is still written where not all are
WRITTEN = 5_000  # operations that `.text()` writes, in less than two seconds
ALL = 50_000  # operations to which they are counted before they are written


Row = tuple[sp.Expr, sp.Expr]


class Shown(NamedTuple):
    """A form's own equations for the eye, nodes of one graph.

    Attributes:
        definitions: names and what they stand for, such as L* or S.
        rows: left and right sides of the equations of motion.
        remark: one line on how they are written.
        letters: what is written for symbols of the graph that stand for what the form defines.
    """

    definitions: list[tuple[sp.Symbol, Node]]
    rows: list[tuple[Node, Node]]
    remark: str = ""
    letters: Mapping[str, sp.Symbol] = MappingProxyType({})


@dataclass(frozen=True)
class Sheet:
    """What is printed: left and right sides of the equations of motion, constraints and kinematics.

    Attributes:
        header: the principle, and its convention for the multipliers, as plain text.
        principle: its name.
        formula: the principle with its convention for the multipliers, as LaTeX.
        motion: rows (left, right) of EL_a = ...
        constraints: ``{name: phi}``.
        kinematics: ``{coordinate: rate}``, without the trivial ones in LaTeX.
        definitions: names and what they stand for, printed before the rows.
        remark: one line on how they are written, names in it as `x`.
        counted: operations of equations of motion that are too long to be written; 0 where they are written.
        ways: what writes those that are counted, up to `WRITTEN` operations and beyond.
    """

    header: str
    principle: str
    formula: str
    motion: list[tuple[sp.Expr, sp.Expr]]
    constraints: Mapping[str, sp.Expr]
    kinematics: Mapping[sp.Symbol, sp.Expr]
    definitions: Sequence[tuple[sp.Symbol, sp.Expr]] = ()
    remark: str = ""
    counted: int = 0
    ways: tuple[str, str] = WAYS

    @property
    def characters(self) -> int:
        """About how long it is."""
        rows = [*self.definitions, *self.motion, *self.kinematics.items()]
        return sum(characters(e) for row in rows for e in row) + sum(map(characters, self.constraints.values()))

    def latex(self, names: Alphabet, numbered: bool = False, fold: bool = True, column: float | None = None) -> str:
        """An ``aligned`` environment that fits an A4 column, or one of so many letters, in these letters of symbols.

        Long rows are folded behind named common subexpressions; rows that even then take more than `ROWS` lines are
        counted, not printed. With `fold` False each row is one line, whatever its length.
        """
        turning = [e.name for e in self.kinematics.values() if e.is_Symbol and "hat(" in e.name]
        names = names.known({name: _hat(name, names) for name in turning})
        head = [f"&\\text{{{self.principle.replace('_', '-')}: }} {self.formula}"]
        head += _prose(self.remark, column or COLUMN, names) if self.remark else []
        rows = self._folded(names, numbered, column or COLUMN) if fold else self._whole(names)
        comment = "".join(f"% {line}\n" for line in self.header.splitlines())
        return comment + aligned([*head, *rows])

    def _folded(self, names: Alphabet, numbered: bool, column: float) -> list[str]:
        motion = [e for _, e in self.definitions] + [e for row in self.motion for e in row]
        rest = [*self.constraints.values(), *self.kinematics.values()]
        count = self.counted or sum(int(sp.count_ops(e)) for e in motion)
        if count <= READABLE and not self.counted and few(READABLE - count, *rest):
            whole = fold([*motion, *rest], names)
            rows = self._lines(whole.definitions, whole.expressions, names, numbered, column)
            if len(rows) <= ROWS:
                return rows
        short = fold(rest, names) if few(READABLE, *rest) else None
        said = _prose(self._taking(count), column)
        if short is None:
            return said
        bare = replace(self, motion=[], definitions=(), counted=0)
        return [*said, *bare._lines(short.definitions, short.expressions, names, numbered, column)]

    def _lines(
        self,
        shared: Sequence[tuple[sp.Symbol, sp.Expr]],
        expressions: Sequence[sp.Expr],
        names: Alphabet,
        numbered: bool,
        column: float,
    ) -> list[str]:
        """All rows: shared subexpressions, the form's own definitions, the motion, constraints and kinematics."""
        left = iter(expressions)
        rows = [Line(names.show(name.name), e) for name, e in shared]
        rows += [Line(_letter(name, names), next(left)) for name, _ in self.definitions]
        for i in range(len(self.motion)):
            rows.append(Line(next(left), next(left), f"({i + 1})" if numbered else ""))
        for name in self.constraints:
            rows.append(Line(next(left), sp.S.Zero, words(f"({name})")))
        for q, rate in self.kinematics.items():
            e, rate_of_q = next(left), dotted(latex(q, names))
            if not (isinstance(rate, sp.Symbol) and names.get(rate.name) == rate_of_q):
                rows.append(Line(rate_of_q, e))
        return lines(rows, names, column)

    def _whole(self, names: Alphabet) -> list[str]:
        """Every row on one line."""
        rows = [f"{_letter(name, names)} &= {latex(meaning, names)}" for name, meaning in self.definitions]
        rows += [f"{latex(left, names)} &= {latex(right, names)}" for left, right in self.motion]
        rows += [f"{latex(phi, names)} &= 0 && {words(f'({n})')}" for n, phi in self.constraints.items()]
        rates = {q: (dotted(latex(q, names)), rate) for q, rate in self.kinematics.items()}
        trivial = {
            q for q, (shown, rate) in rates.items() if isinstance(rate, sp.Symbol) and names.get(rate.name) == shown
        }
        return rows + [f"{shown} &= {latex(rate, names)}" for q, (shown, rate) in rates.items() if q not in trivial]

    def text(self, names: Alphabet, width: int | None) -> str:
        """Plain text; rows longer than `width` are broken between their terms, None leaves them whole.

        Where all rows together have more operations than `ALL` it is only the beginning, of `ROWS` lines.
        """
        every = [e for row in (*self.definitions, *self.motion, *self.kinematics.items()) for e in row]
        if not few(ALL, *every, *self.constraints.values()):
            return "\n".join(self.beginning(names, width, LINES, ROWS, EXPORT))
        rows = self._rows(names, None, "")
        return "\n".join([*self._head(width), *(part for row in rows for part in _lines(row, width))])

    def beginning(self, names: Alphabet, width: int | None, most: int, count: int, way: str) -> list[str]:
        """At most `count` lines of the text; the last says how many rows there are besides, which `way` writes.

        Of expressions with more than `most` operations only how many they are is said. Only what is shown is written.
        """
        found, rows = self._head(width), self._rows(names, most, way)
        for k, row in enumerate(rows):
            lines = _lines(row, width)
            if len(found) + len(lines) > count - (k + 1 < len(rows)):
                return [*found, f"  and {len(rows) - k} more rows: {way}"]
            found += lines
        return found

    def _head(self, width: int | None) -> list[str]:
        return [part for line in self.header.splitlines() for part in folded(line, width)]

    def _taking(self, count: int) -> str:
        """How many operations the rows of motion take where they are not written, and what writes them."""
        return f"{COUNTED} {number(count)} operations: {self.ways[count > WRITTEN]}"

    def _rows(self, names: Alphabet, most: int | None, way: str) -> list[Callable[[], str]]:
        """What writes each row; `way` writes those of more than `most` operations."""

        def latex(e: sp.Expr) -> str:
            return plain(e, names) if most is None or at_most(most, e) else f"({sp.count_ops(e)} operations)"

        def constraint(name: str, phi: sp.Expr) -> str:
            return f"{latex(phi)} = 0    ({name})"

        def rate(q: sp.Symbol, e: sp.Expr) -> str:
            return f"{q}' = {latex(e)}"

        found = ["({})".format(self.remark.replace("`", ""))] if self.remark else []
        found += [f"{name} = {latex(meaning)}" for name, meaning in self.definitions]
        found += [f"{latex(left)} = {latex(right)}" for left, right in self.motion]
        found += [self._taking(self.counted)] if self.counted else []
        found += [f"what is only counted is written by {way}"] if any(" operations)" in row for row in found) else []
        return [
            *(partial(str, row) for row in found),
            *(partial(constraint, name, phi) for name, phi in self.constraints.items()),
            *(partial(rate, q, e) for q, e in self.kinematics.items()),
        ]


def number(count: int) -> str:
    """So many, or that there are more than are counted."""
    return str(count) if count <= ALL else f"more than {ALL}"


def _lines(row: Callable[[], str], width: int | None) -> list[str]:
    return broken(f"  {row()}", width)


def _hat(text: str, names: Alphabet) -> str:
    """The LaTeX of R hat(w1, w2, w3)."""
    before, _, rest = text.partition("hat(")
    inside, _, after = rest.partition(")")
    vector = rf"\widehat{{({', '.join(names.show(name) for name in inside.split(', '))})}}"
    return " ".join(
        names.show(part.strip()) if part is not vector else part for part in (before, vector, after) if part
    )


def _prose(text: str, column: float, names: Alphabet | None = None) -> list[str]:
    """Words as rows of text beside the left sides."""
    marked, lines = iter(text.split()), folded(text.replace("`", ""), int(_PROSE * column))
    return [f"&{words(' '.join(islice(marked, len(line.split()))), names)}" for line in lines]


def _letter(name: sp.Symbol, names: Alphabet) -> str:
    """The LaTeX of a defined name: L*, p_x or a bracket {p_x, p_y}."""
    if not name.name.startswith("{"):
        return "L^*" if name.name == "L*" else names.show(name.name)
    inside = ", ".join(letter(part) for part in name.name[1:-1].split(", "))
    return f"\\{{{inside}\\}}"


def abbreviations(given: Mapping[str, sp.Expr], rows: Sequence[Row]) -> list[tuple[sp.Symbol, sp.Expr]]:
    """The author's abbreviations that occur in rows, or whose rates do, with what they stand for."""
    used = {s.name.removesuffix(RATE) for row in rows for e in row for s in e.free_symbols}
    return [(sp.Symbol(name, real=True), e) for name, e in given.items() if name in used]
