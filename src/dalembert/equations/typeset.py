"""Equations as LaTeX and as plain text: one row per velocity, then the constraints and the kinematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sympy as sp

from ..calculus.text import cut, folded
from .form import Form

LONGEST = 300  # operations of a row that is still tidied for the eye
EXPANDED = 60  # operations up to which trigsimp sees through it in a second
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

    def latex(self, names: Mapping[sp.Symbol, str]) -> str:
        """An ``aligned`` environment; `names` gives symbols their LaTeX."""
        show: Printer = lambda e: sp.latex(e, symbol_names=dict(names))  # noqa: E731
        rows = [f"&\\text{{{self.principle}: }} {self.formula}"]
        rows += [f"&\\text{{{_escaped(self.remark)}}}"] if self.remark else []
        rows += [f"{_letter(name)} &= {show(meaning)}" for name, meaning in self.definitions]
        rows += [f"{show(left)} &= {show(right)}" for left, right in self.motion]
        rows += [f"{show(phi)} &= 0 && \\text{{({_escaped(name)})}}" for name, phi in self.constraints.items()]
        rows += [
            f"\\dot{{{show(q)}}} &= {show(rate)}"
            for q, rate in self.kinematics.items()
            if not (isinstance(rate, sp.Symbol) and names.get(rate) == f"\\dot{{{show(q)}}}")
        ]
        comment = "".join(f"% {line}\n" for line in self.header.splitlines())
        body = " \\\\\n".join(rows)
        return f"{comment}\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

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
        return "L^*" if name.name == "L*" else str(sp.latex(name))
    inside = ", ".join(sp.latex(sp.Symbol(part)) for part in name.name[1:-1].split(", "))
    return f"\\{{{inside}\\}}"


def _escaped(name: str) -> str:
    return name.replace("_", "\\_")


def tidy(e: sp.Expr) -> sp.Expr:
    """Expanded and with sin^2 + cos^2 = 1 used, where that makes a short expression shorter."""
    if sp.count_ops(e) > LONGEST:
        return e
    plain = sp.expand(e)
    ways = [e, plain, *([sp.trigsimp(plain)] if sp.count_ops(plain) <= EXPANDED else [])]
    return min(ways, key=sp.count_ops)


def motion_rows(form: Form, udot: list[sp.Symbol], mu: list[sp.Symbol], states: bool, Q: Any) -> list[tuple[Any, Any]]:
    """Rows of the motion, forces on the right: W udot + h = Q + N^T lam, or W udot - N^T lamdot + h = Q."""
    rows = []
    for a, W_a in enumerate(form.W):
        left = sum((w * acc for w, acc in zip(W_a, udot, strict=True)), sp.S.Zero) - form.f[a] + Q[a]
        push = sum((form.N[s][a] * mu[s] for s in range(len(mu))), sp.S.Zero)
        rows.append((tidy(left - push), Q[a]) if states else (tidy(left), Q[a] + push))
    return rows


def latex_names(coordinates: Any, rates: Mapping[sp.Symbol, sp.Expr], velocities: Any) -> dict[sp.Symbol, str]:
    r"""\dot{x} for the velocities that are rates of a coordinate, the symbol's own LaTeX for the others."""
    names = {u: sp.latex(u) for u in velocities}
    for q in coordinates:
        if rates[q] in names:
            names[rates[q]] = f"\\dot{{{sp.latex(q)}}}"
    return names
