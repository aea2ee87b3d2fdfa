"""The sheet of a set of equations: what is printed of them, and in which letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ..calculus.budget import budget
from ..calculus.latex import dotted, letter, letters
from ..calculus.text import cut, folded, most
from ..errors import InvalidValue
from ..errors.remedies import Option
from . import typeset

COLUMNS = 80  # of a printed summary
_HALF_A_PAGE = 40  # rows
_NUMBERS = (
    "start, evaluate and simulate work in numbers, without formulas; for more time: ",
    Option("limits", {"seconds": 600, "gibibytes": 8}, "System"),
)


def sheet(equations: Any, udot: Mapping[sp.Symbol, sp.Symbol], mu: list[sp.Symbol]) -> typeset.Sheet:
    """The sheet with these symbols for accelerations and multipliers (or their rates).

    Raises:
        InvalidValue: E136, the derivation exceeds its budget.
    """
    with budget("writing the equations out", _NUMBERS, equations.system.limits):
        return _derived(equations, udot, mu)


def _derived(equations: Any, udot: Mapping[sp.Symbol, sp.Symbol], mu: list[sp.Symbol]) -> typeset.Sheet:
    e, space = equations, equations.space
    phis = {c.name: c.given for c in e.constraints}
    if e.shown is not None:
        key = tuple(udot.values())
        if key not in e._shown:
            e._shown[key] = e.shown(udot)
        shown = e._shown[key]
        definitions, remark = shown.definitions, shown.remark
        return typeset.Sheet(e.header, e.principle, e.formula, shown.rows, phis, space.rates, definitions, remark)
    acc = [udot[u] for u in space.velocities]
    rows = typeset.motion_rows(e.symbolic, acc, mu, bool(e.states_of_multipliers), e.system.forces)
    return typeset.Sheet(e.header, e.principle, e.formula, rows, phis, space.rates)


def latex(equations: Any, numbered: bool, fold: bool) -> str:
    """See `Equations.to_latex`."""
    e, space = equations, equations.space
    names = letters(space.coordinates, space.rates, space.velocities)
    udot = {u: sp.Symbol(f"{u.name}:dot") for u in space.velocities}
    names |= {acc: dotted(names[u]) for u, acc in udot.items()}
    lam = {s: f"\\lambda_{{{letter(c.name)}}}" for s, c in zip(e.multipliers, e.constraints, strict=True)}
    rates = {sp.Symbol(f"{s.name}:dot"): f"\\dot{{{text}}}" for s, text in lam.items()}
    found = sheet(e, udot, list(rates) if e.states_of_multipliers else list(lam))
    moved = {s for row in found.motion for e in row for s in e.free_symbols if s.name.endswith(":dot")}
    names |= {s: f"\\dot{{{letter(s.name[:-4])}}}" for s in moved - set(names) - set(rates)}
    with budget("typesetting the equations", _NUMBERS, e.system.limits):
        shown = found.latex({**names, **lam, **rates}, numbered, fold)
        return _in_speeds(e, shown) if typeset.COUNTED in shown else shown


def _in_speeds(equations: Any, counted: str) -> str:
    """The same with the lean equations below, where they take half a page."""
    end = "\n\\end{aligned}"
    rows = equations.lean.latex().removesuffix(end).split(" \\\\\n")[1:] if equations.lean is not None else []
    if not 0 < len(rows) <= _HALF_A_PAGE or any(typeset.COUNTED in row for row in rows):
        return counted
    said = "&\\text{in speeds that the constraints leave free they are}"
    return " \\\\\n".join([counted.removesuffix(end), said, *rows]) + end


def notebook(equations: Any) -> str | None:
    """The equations for a notebook, or None where they cannot be written out: its plain text is shown then."""
    try:
        text = latex(equations, True, True)
    except InvalidValue:
        return None
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    return f"$\\displaystyle {body}$"


def text(equations: Any, width: int | None) -> str:
    """See `Equations.text`."""
    udot = {u: sp.Symbol(f"{u.name}:dot") for u in equations.space.velocities}
    rates = [sp.Symbol(f"{s.name}:dot") for s in equations.multipliers]
    mu = rates if equations.states_of_multipliers else list(equations.multipliers)
    found = sheet(equations, udot, mu)
    moved = {s for row in found.motion for e in row for s in e.free_symbols if s.name.endswith(":dot")}
    return found.text({s: s.name.replace(":dot", "'") for s in (*udot.values(), *rates, *moved)}, width)


def summary(equations: Any) -> str:
    """At most 25 lines of 80 columns."""
    try:
        lines = text(equations, COLUMNS).splitlines()
    except InvalidValue as refusal:
        lines = [part for line in (equations.header, *str(refusal).splitlines()) for part in folded(line, COLUMNS)]
    shown = most(lines, 19, "rows: .text() or .latex()")
    notes = most([cut(f"  note: {n}", COLUMNS) for n in equations.notes], 4, "notes: .notes")
    return "\n".join([*shown, f"  {equations.operations()['total']} operations", *notes])
