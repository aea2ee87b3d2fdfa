"""Equations as LaTeX and as plain text: one row per velocity, then the constraints and the kinematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..calculus.text import cut
from .form import Form

LONGEST = 300  # operations of a row that is still tidied for the eye
Printer = Callable[[sp.Expr], str]


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
    """

    header: str
    principle: str
    formula: str
    motion: list[tuple[sp.Expr, sp.Expr]]
    constraints: Mapping[str, sp.Expr]
    kinematics: Mapping[sp.Symbol, sp.Expr]

    def latex(self, names: Mapping[sp.Symbol, str]) -> str:
        """An ``aligned`` environment; `names` gives symbols their LaTeX."""
        show: Printer = lambda e: sp.latex(e, symbol_names=dict(names))  # noqa: E731
        rows = [f"&\\text{{{self.principle}: }} {self.formula}"]
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
        lines = [f"  {show(left)} = {show(right)}" for left, right in self.motion]
        lines += [f"  {show(phi)} = 0    ({name})" for name, phi in self.constraints.items()]
        lines += [f"  {q}' = {show(rate)}" for q, rate in self.kinematics.items()]
        return "\n".join([self.header, *(cut(line, width) for line in lines)])


def _escaped(name: str) -> str:
    return name.replace("_", "\\_")


def tidy(e: sp.Expr) -> sp.Expr:
    """Expanded and with sin^2 + cos^2 = 1 used, where that makes a short expression shorter."""
    if sp.count_ops(e) > LONGEST:
        return e
    return min((e, sp.expand(e), sp.trigsimp(sp.expand(e))), key=sp.count_ops)


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
