"""A system for the eye: a summary of at most 25 lines, and LaTeX that fits an A4 column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import sympy as sp

from ..calculus.line_width import TERMINAL, abridged, folded, most
from ..calculus.simplification import few
from ..calculus.symbol_letters import Alphabet, dotted, letters

if TYPE_CHECKING:
    from .system import System

MOST = 25  # lines of a summary
READABLE = 3000  # operations of an expression that is still written out


def summary(system: System) -> str:
    """The system in at most 25 lines of 80 columns."""
    forces = [(u, Q) for u, Q in zip(system.space.velocities, system.forces, strict=True) if Q != 0]
    values = ", ".join(f"{k} = {'?' if v is None else f'{v:g}'}" for k, v in system.parameters.items())
    rows = [f"  constraint   {c.name}: {_said(c.given)} = 0   ({c.kind})" for c in system.constraints]
    found = [" ".join(system.title.split()) or "System", f"  space        {system.space!r}"]
    given = ", ".join(f"{name} = {e}" for name, e in system.renamed.items() if few(READABLE, e))
    found += [f"  velocities   {given}"] if given else []
    found += [f"  L            {_said(system.lagrangian)}", *most(rows, 6, "constraints")]
    found += most([f"  wall         {wall}" for wall in system.walls], 3, "walls")
    found += most([f"  contact      {contact}" for contact in system.contacts], 3, "contacts")
    if system.symmetry:
        found.append(f"  symmetry     {', '.join(g.name for g in system.symmetry)} (declared)")
    found += most([f"  force        Q_{u} = {_said(Q)}" for u, Q in forces], 5, "forces")
    found += [f"  inputs       {', '.join(system.inputs)}"] if system.inputs else []
    found += [f"  parameters   {values or 'none'}"]
    found += most([f"  follows      {name} = {e}" for name, e in system.defined.items()], 4, "formulas")
    found += [*most([f"  note         {n}" for n in system.notes], 4, "notes")]
    title, *rest = found
    head = folded(title, TERMINAL)[:2]
    return "\n".join(
        [*head, *abridged(rest, MOST - len(head), ".space, .lagrangian, .constraints, .forces", indent=15)]
    )


def _said(e: sp.Expr) -> str:
    return str(e) if few(READABLE, e) else f"(more than {READABLE} operations)"


def latex(system: System) -> str:
    """See `System.to_latex`."""
    from ..calculus.printing import Line, aligned, lines
    from ..calculus.subexpressions import fold

    space = system.space
    names = letters(space.coordinates, space.rates, space.velocities, system.letters)
    rows = list(_rows(system, names))
    long = {left for left, e, _, _ in rows if not few(READABLE, e)}
    whole = fold([e for left, e, _, _ in rows if left not in long], names)
    left_over = iter(whole.expressions)
    body = [Line(names.show(name.name), e) for name, e in whole.definitions]
    counted: list[str] = []
    for left, _, relation, label in rows:
        if left in long:
            counted.append(f"{left} &{relation} \\text{{(more than {READABLE} operations)}} && {label}".rstrip("& "))
        elif relation == "=" and left:
            body.append(Line(left, next(left_over), label))
        else:
            body.append(Line(next(left_over), sp.S.Zero, label, relation))
    return aligned([*counted, *lines(body, names)])


def _rows(system: System, names: Alphabet) -> Iterator[tuple[str, sp.Expr, str, str]]:
    """(left side or "", expression, relation, label) of what the author gave."""
    from ..calculus.printing import latex, words

    space = system.space
    yield "L", system.lagrangian, "=", ""
    for c in system.constraints:
        yield "", c.given, "=", words(f"({c.name}, {c.kind})")
    for u, Q in zip(space.velocities, system.forces, strict=True):
        if Q != 0:
            yield f"Q_{{{names[u.name]}}}", Q, "=", ""
    for wall in system.walls:
        yield "", wall.guard, "\\geq", words(f"(wall {wall.name})")
    for contact in system.contacts:
        yield *contact.row, words(f"(contact {contact.name})")
    for q, rate in space.rates.items():
        shown = dotted(latex(q, names))
        if not (rate.is_Symbol and names.get(rate.name) == shown):
            yield shown, rate, "=", ""


def notebook(system: System) -> str:
    """A system in LaTeX, for a notebook."""
    return f"$\\displaystyle {latex(system)}$"
