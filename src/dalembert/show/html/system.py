"""A system as given, its Lagrangian and constraints typeset, its parameters and notes; and what an examination found.

The rooms of systems and of geometry are not known here: what is read are attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from ...calculus.printing import latex, terms
from ...calculus.simplification import few
from ...calculus.symbol_letters import Alphabet, dotted, letter, letters, multiplier
from .markup import Html, join, listed, maths, number, pretty, table, tag, text

__all__ = ["Alphabet", "dotted", "latex", "letter", "multiplier", "names"]

LONGEST = 800  # operations of an expression that is written out


def fragment(system: Any) -> Html:
    """Everything about a system that its author gave."""
    notes = tag("div", "Notes", listed(system.notes), class_="notes") if system.notes else Html()
    return join([given(system), parameters(system), notes])


def given(system: Any) -> Html:
    """Space, Lagrangian, constraints, forces, walls, momenta."""
    known = names(system.space, system.letters)
    lines = [_row("L", system.lagrangian, known)]
    lines += [_row("", c.given, known, f"{c.name}, {c.kind}") for c in system.constraints]
    forces = zip(system.space.velocities, system.forces, strict=True)
    lines += [_row(f"Q_{{{known[u.name]}}}", Q, known) for u, Q in forces if Q != 0]
    lines += [_row("", wall.guard, known, f"wall {wall.name}", "\\geq") for wall in system.walls]
    lines += [_row(left, e, known, f"contact {c.name}", sign) for c in system.contacts for left, e, sign in [c.row]]
    lines += [_row(f"\\text{{{name}}}" if name.isalpha() else "p", e, known, f"momentum {name}")
              for name, e in system.momenta.items()]  # fmt: skip
    return tag("div", tag("p", *_space(system)), *lines, class_="given")


def _space(system: Any) -> list[Html]:
    known = names(system.space, system.letters)
    coordinates = ", ".join(known[q.name] for q in system.space.coordinates)
    velocities = ", ".join(known[u.name] for u in system.space.velocities)
    found = [text("Coordinates "), maths(coordinates), text("; velocities "), maths(velocities), text(".")]
    symmetry = ", ".join(g.name for g in system.symmetry)
    return [*found, text(f" Declared symmetry: {symmetry}.")] if symmetry else found


def _row(left: str, expression: sp.Expr, known: Mapping[str, str], name: str = "", relation: str = "=") -> Html:
    """``left = expression``, or ``expression = 0`` where there is no left side."""
    label = [tag("span", f"({name})", class_="name")] if name else []
    if not few(LONGEST, expression):
        words = f"{left or name}: more than {LONGEST} operations, not written out"
        return tag("div", words, *label, class_="eq")
    shown = [maths(piece, goes_on=i > 0) for i, piece in enumerate(terms(expression, known))]
    parts = [maths(f"{left} ="), *shown] if left else [*shown, maths(f"{relation} 0", goes_on=True)]
    return tag("div", join(parts, " "), *label, class_="eq")


def parameters(system: Any, values: Mapping[str, float] | None = None) -> Html:
    """Name, value, unit, source and where it is used; `values` are those of a run."""
    known = dict(system.parameters) if values is None else {**system.parameters, **values}
    if not known:
        return tag("p", "There are no parameters.")
    # where the values of parameters are from
    units, sources = units_of(system), dict(system.sources)
    head = ["parameter", "value", *(["unit"] if units else []), *(["source"] if sources else []), "used in"]
    rows = []
    for name, value in known.items():
        shown = "no value yet" if value is None else number(value)
        cells = [maths(names(system.space, system.letters).show(name)) if name in system.symbols else name, shown]
        cells += [pretty(units.get(name, ""))] if units else []
        cells += [sources.get(name, "")] if sources else []
        rows.append([*cells, system.used_in.get(name, "nothing")])
    return table(head, rows, "Parameters", class_="parameters")


def units_of(system: Any, others: Iterable[sp.Symbol] = ()) -> dict[str, str]:
    """The unit of each parameter, coordinate and velocity that is known."""
    symbols = {**system.symbols, **{s.name: s for s in (*system.space.coordinates, *system.space.velocities, *others)}}
    found = {name: system.unit(symbol) for name, symbol in symbols.items()}
    return {name: unit for name, unit in found.items() if unit}


def names(space: Any, given: Mapping[str, str] | None = None) -> Alphabet:
    """The LaTeX of a space's coordinates and velocities, rates of coordinates with a dot; `given` are the author's."""
    return letters(space.coordinates, space.rates, space.velocities, given)


# --- an examination of the constraints -------------------------------------------------------------------------------


def examination_fragment(examination: Any) -> Html:
    """The verdict, the constraints one by one, and what follows for all together."""
    rows = [
        (r.name, r.kind, str(r.answer) if r.kind in ("linear", "affine") else "", r.integral or "")
        for r in examination.rows
    ]
    head = ("constraint", "kind", "integrable by itself", "its integral")
    parts = [tag("h3", f"{examination.title or 'System'}: {examination.verdict}")]
    if rows:
        parts.append(table(head, rows, f"Rank {examination.rank} of {len(rows)}, {examination.velocities} velocities"))
    return join([*parts, listed(examination.notes), tag("p", f"Decided: {examination.decided}", class_="small")])
