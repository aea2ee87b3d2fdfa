"""The sheet of a set of equations: what is printed of them, and in which letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import sympy as sp

from ..calculus.budget import budget
from ..calculus.line_width import folded, most
from ..calculus.readable_form import TooLong
from ..calculus.symbol_letters import POSITION, PUSH, RATE, Alphabet, letters, multiplier
from ..errors import InvalidValue
from ..errors.remedies import Option
from . import typeset, written_rows
from .quasi_velocity_form import kinematics, matrices

if TYPE_CHECKING:
    from . import Equations

COLUMNS, MOST = 80, 25  # columns and lines of a printed summary
_HALF_A_PAGE = 40  # rows
_OF_FORM = 3000  # operations of W, N, f and g beyond which a form's own rows are counted before they are derived
_SPEEDS = 1000  # operations of the lean equations that may fill it
_NUMBERS = (
    "start, evaluate and simulate work in numbers, without formulas; for more time: ",
    Option("limits", {"seconds": 600, "gibibytes": 8}, "System"),
)


def sheet(equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol], mu: list[sp.Symbol], whole: bool) -> typeset.Sheet:
    """The sheet with these symbols for accelerations and multipliers (or their rates).

    With `whole` rows that nobody reads are written as they are computed; else they are counted.

    Raises:
        InvalidValue: E136, the derivation exceeds its budget.
    """
    letters, kept = (*udot.values(), *mu), equations._sheets
    with budget("writing the equations out", _NUMBERS, equations.system.limits):
        if letters not in kept:
            kept[letters] = _derived(equations, udot, mu)
        if not (whole and kept[letters].counted):
            return kept[letters]
        if (*letters, whole) not in kept:
            kept[(*letters, whole)] = _computed(kept[letters], equations, udot, mu)
        return kept[(*letters, whole)]


_SHORT = 60  # operations of a velocity that the heading still tells


def heading(equations: Equations) -> str:
    """The principle in words; below it velocities that bear other names here, and contacts, which are of runs alone."""
    system, told = equations.system, equations.header
    names = ", ".join(contact.name for contact in system.contacts)
    given = ", ".join(f"{name} = {e}" for name, e in system.renamed.items() if e.count_ops() <= _SHORT)
    told += f"\nVelocities as they were given: {given}." if given else ""
    return told + (f"\nContacts act in runs, not in these equations: {names}." if names else "")


def _derived(equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol], mu: list[sp.Symbol]) -> typeset.Sheet:
    e, space = equations, equations.space
    phis = {c.name: c.given for c in e.constraints}
    if not e.by_multipliers:
        return _form(e, udot)
    rows, counted, remark, rates = list[typeset.Row](), 0, "", dict(space.rates)
    try:
        rows = written_rows.rows(e, udot, mu)
        if within := e.in_entries:
            phis, rates = dict(within.constraints), kinematics(within.frame, within.rotations, {})
            remark = "; ".join(matrices(within.rotations))
    except TooLong:
        counted = e.work
    used = typeset.abbreviations(written_rows.definitions(e, e.in_entries), rows)
    return typeset.Sheet(heading(e), e.principle, e.formula, rows, phis, rates, used, remark, counted)


def _form(equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol]) -> typeset.Sheet:
    """A form's own equations."""
    e = equations
    if e.work > _OF_FORM:
        definitions, rows, remark, counted = list[typeset.Row](), list[typeset.Row](), typeset.UNREADABLE, e.work
    else:
        definitions, rows, remark, counted = written_rows.form(e, udot)
    used = [*typeset.abbreviations(e.system.definitions, [*definitions, *rows]), *definitions]
    phis = {c.name: c.given for c in e.constraints}
    return typeset.Sheet(heading(e), e.principle, e.formula, rows, phis, e.space.rates, used, remark, counted)


def _computed(
    short: typeset.Sheet, equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol], mu: list[sp.Symbol]
) -> typeset.Sheet:
    """The same with the rows that are only counted in it, as they are computed."""
    parts, rows = written_rows.shared(equations, udot, mu)
    used = typeset.abbreviations(equations.system.definitions, rows)
    return replace(short, motion=rows, definitions=[*used, *parts], counted=0)


def alphabet(equations: Equations) -> Alphabet:
    """The letters of all that is printed of the equations, and what of it moves."""
    e, space = equations, equations.space
    names = letters(space.coordinates, space.rates, space.velocities, e.system.letters)
    lam = {s.name: multiplier(c.name) for s, c in zip(e.multipliers, e.constraints, strict=True)}
    states = {s.name for s in e.states_of_multipliers}
    ranks = {**names.ranks, **{name: POSITION if name in states else PUSH for name in lam}}
    return Alphabet({**lam, **names}, ranks)


def latex(equations: Equations, numbered: bool, fold: bool, column: int | None = None) -> str:
    """See `Equations.to_latex`."""
    e = equations
    found = sheet(e, *_moving(e), not fold)
    with budget("typesetting the equations", _NUMBERS, e.system.limits):
        shown = found.latex(alphabet(e), numbered, fold, column)
        return _in_speeds(e, shown, column) if typeset.COUNTED in shown and found.counted <= typeset.ALL else shown


def _moving(equations: Equations) -> tuple[dict[sp.Symbol, sp.Symbol], list[sp.Symbol]]:
    """Symbols of the accelerations, and of the multipliers or their rates."""
    udot = {u: sp.Symbol(f"{u.name}{RATE}") for u in equations.space.velocities}
    rates = [sp.Symbol(f"{s.name}{RATE}") for s in equations.multipliers]
    return udot, rates if equations.states_of_multipliers else list(equations.multipliers)


def _in_speeds(equations: Equations, counted: str, column: int | None) -> str:
    """The same with the lean equations below, where they take half a page."""
    end = "\n\\end{aligned}"
    lean = equations.lean_if_any if equations.constraints else None
    if lean is None or lean.operations()["total"] > _SPEEDS:
        return counted
    rows = lean.latex(column).removesuffix(end).split(" \\\\\n")[1:]
    if not 0 < len(rows) <= _HALF_A_PAGE or any(typeset.COUNTED in row for row in rows):
        return counted
    said = "&\\text{in speeds that the constraints leave free they are}"
    return " \\\\\n".join([counted.removesuffix(end), said, *rows]) + end


def notebook(equations: Equations) -> str | None:
    """The equations for a notebook, or None where they cannot be written out: its plain text is shown then."""
    try:
        text = latex(equations, True, True)
    except InvalidValue:
        return None
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    return f"$\\displaystyle {body}$"


def text(equations: Equations, width: int | None) -> str:
    """See `Equations.text`."""
    found = sheet(equations, *_moving(equations), False)
    if 0 < found.counted <= typeset.WRITTEN:
        found = sheet(equations, *_moving(equations), True)
    return found.text(alphabet(equations), width)


def summary(equations: Equations) -> str:
    """At most 25 lines of 80 columns."""
    notes = most([str(n) for n in equations.notes], 4, "notes: .notes")
    told = [part for n in notes for part in folded(f"  note: {n}" if not n.startswith("  ") else n, COLUMNS)]
    count = max(6, MOST - 1 - len(told))
    try:
        found = sheet(equations, *_moving(equations), False)
        way = ".text() or .latex()" if equations.work <= typeset.ALL else typeset.EXPORT
        lines = found.beginning(alphabet(equations), COLUMNS, typeset.LINES, count, way)
    except InvalidValue as refusal:
        words = [part for line in (equations.header, *str(refusal).splitlines()) for part in folded(line, COLUMNS)]
        lines = most(words, count, "lines")
    # where they are long, that it is more than what is eliminated in them takes
    least, long = min(equations.work, typeset.ALL), typeset.ALL if equations.by_multipliers else _OF_FORM
    operations = f"more than {least}" if equations.work > long else str(equations.operations()["total"])
    return "\n".join([*lines, f"  {operations} operations", *told])
