"""Equations as LaTeX and as plain text: one row per velocity, then the constraints and the kinematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import sympy as sp

from ..calculus.fold import fold
from ..calculus.latex import aligned, dotted, escaped, letter, lines, show
from ..calculus.length import at_most
from ..calculus.text import cut, folded
from .form import Form

LONGEST = 300  # operations of a row that is still tidied for the eye
EXPANDED = 60  # operations up to which trigsimp sees through it in a second
READABLE = 6000  # operations of all rows together that are still folded
ROWS = 110  # lines that are still printed
COUNTED = "operations and are not written out"
Printer = Callable[[sp.Expr], str]


class Shown(NamedTuple):
    """A form's own equations for the eye.

    Attributes:
        definitions: names and what they stand for, such as L* or S.
        rows: left and right sides of the equations of motion.
        remark: one line on how they are written.
    """

    definitions: list[tuple[sp.Symbol, sp.Expr]]
    rows: list[tuple[sp.Expr, sp.Expr]]
    remark: str = ""


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
        remark: one line on how they are written.
    """

    header: str
    principle: str
    formula: str
    motion: list[tuple[sp.Expr, sp.Expr]]
    constraints: Mapping[str, sp.Expr]
    kinematics: Mapping[sp.Symbol, sp.Expr]
    definitions: Sequence[tuple[sp.Symbol, sp.Expr]] = ()
    remark: str = ""

    def latex(self, names: Mapping[sp.Symbol, str], numbered: bool = False, fold: bool = True) -> str:
        """An ``aligned`` environment that fits an A4 column; `names` gives symbols their LaTeX.

        Long rows are folded behind named common subexpressions; rows that even then take more than `ROWS` lines are
        counted, not printed. With `fold` False each row is one line, whatever its length.
        """
        head = [f"&\\text{{{self.principle}: }} {self.formula}"]
        head += [f"&\\text{{{escaped(self.remark)}}}"] if self.remark else []
        rows = self._folded(names, numbered) if fold else self._whole(names)
        comment = "".join(f"% {line}\n" for line in self.header.splitlines())
        return comment + aligned([*head, *rows])

    def _folded(self, names: Mapping[sp.Symbol, str], numbered: bool) -> list[str]:
        motion = [e for _, e in self.definitions] + [e for row in self.motion for e in row]
        rest = [*self.constraints.values(), *self.kinematics.values()]
        count = sum(int(sp.count_ops(e)) for e in (*motion, *rest))
        if count <= READABLE:
            whole = fold([*motion, *rest], names)
            rows = self._lines(whole.definitions, whole.expressions, names, numbered)
            if len(rows) <= ROWS:
                return rows
        short = fold(rest, names) if sum(int(sp.count_ops(e)) for e in rest) <= READABLE else None
        said = f"&\\text{{the equations of motion take {count} {COUNTED}}}"
        if short is None:
            return [said]
        bare = replace(self, motion=[], definitions=())
        return [said, *bare._lines(short.definitions, short.expressions, names, numbered)]

    def _lines(
        self,
        shared: Sequence[tuple[sp.Symbol, sp.Expr]],
        expressions: Sequence[sp.Expr],
        names: Mapping[sp.Symbol, str],
        numbered: bool,
    ) -> list[str]:
        """All rows: shared subexpressions, the form's own definitions, the motion, constraints and kinematics."""
        left = iter(expressions)
        rows = [line for name, e in shared for line in lines(letter(name.name), e, names)]
        rows += [
            line for name, _ in self.definitions for line in lines(names.get(name) or _letter(name), next(left), names)
        ]
        for i in range(len(self.motion)):
            rows += lines(next(left), next(left), names, f"({i + 1})" if numbered else "")
        for name in self.constraints:
            rows += lines(next(left), sp.S.Zero, names, f"\\text{{({escaped(name)})}}")
        for q, rate in self.kinematics.items():
            e, rate_of_q = next(left), dotted(show(q, names))
            if not (isinstance(rate, sp.Symbol) and names.get(rate) == rate_of_q):
                rows += lines(rate_of_q, e, names)
        return rows

    def _whole(self, names: Mapping[sp.Symbol, str]) -> list[str]:
        """Every row on one line."""
        rows = [f"{names.get(name) or _letter(name)} &= {show(meaning, names)}" for name, meaning in self.definitions]
        rows += [f"{show(left, names)} &= {show(right, names)}" for left, right in self.motion]
        rows += [f"{show(phi, names)} &= 0 && \\text{{({escaped(n)})}}" for n, phi in self.constraints.items()]
        rates = {q: (dotted(show(q, names)), rate) for q, rate in self.kinematics.items()}
        trivial = {q for q, (shown, rate) in rates.items() if isinstance(rate, sp.Symbol) and names.get(rate) == shown}
        return rows + [f"{shown} &= {show(rate, names)}" for q, (shown, rate) in rates.items() if q not in trivial]

    def text(self, names: Mapping[sp.Symbol, str], width: int | None) -> str:
        """Plain text; rows longer than `width` are cut, None leaves them whole."""
        show: Printer = lambda e: str(e.xreplace({s: sp.Symbol(n) for s, n in names.items()}))  # noqa: E731
        lines = [f"  ({self.remark})"] if self.remark else []
        lines += [f"  {name} = {show(meaning)}" for name, meaning in self.definitions]
        lines += [f"  {show(left)} = {show(right)}" for left, right in self.motion]
        lines += [f"  {show(phi)} = 0    ({name})" for name, phi in self.constraints.items()]
        lines += [f"  {q}' = {show(rate)}" for q, rate in self.kinematics.items()]
        header = [part for line in self.header.splitlines() for part in folded(line, width)]
        return "\n".join([*header, *(cut(line, width) for line in lines)])


def _letter(name: sp.Symbol) -> str:
    """The LaTeX of a defined name: L*, p_x or a bracket {p_x, p_y}."""
    if not name.name.startswith("{"):
        return "L^*" if name.name == "L*" else letter(name.name)
    inside = ", ".join(letter(part) for part in name.name[1:-1].split(", "))
    return f"\\{{{inside}\\}}"


def tidy(e: sp.Expr) -> sp.Expr:
    """Expanded and with sin^2 + cos^2 = 1 used, where that makes a short expression shorter."""
    if not at_most(LONGEST, e):
        return e
    plain = sp.expand(e)
    ways = [e, plain, *([sp.trigsimp(plain)] if at_most(EXPANDED, plain) else [])]
    return min(ways, key=sp.count_ops)


def motion_rows(form: Form, udot: list[sp.Symbol], mu: list[sp.Symbol], states: bool, Q: Any) -> list[tuple[Any, Any]]:
    """Rows of the motion, forces on the right: W udot + h = Q + N^T lam, or W udot - N^T lamdot + h = Q."""
    rows = []
    for a, W_a in enumerate(form.W):
        left = sum((w * acc for w, acc in zip(W_a, udot, strict=True)), sp.S.Zero) - form.f[a] + Q[a]
        push = sum((form.N[s][a] * mu[s] for s in range(len(mu))), sp.S.Zero)
        rows.append((tidy(left - push), Q[a]) if states else (tidy(left), Q[a] + push))
    return rows
