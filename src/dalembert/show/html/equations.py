"""Equations of motion typeset, their terms told apart: what the principles share, and where they part.

Written with the same left side under both principles,

    nonholonomic   EL_a(L) = Q_a + lam_s dphi^s/du^a
    vakonomic      EL_a(L) = Q_a + lamdot_s dphi^s/du^a + lam_s EL_a(phi^s)         [lewis1995 (2.1), (2.2)]

the two differ in the last term alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sympy as sp

from ...calculus.printing import terms
from ...calculus.readable_form import TooLong
from ...calculus.symbol_letters import RATE, Alphabet, dotted
from ...equations import Equations
from ...equations.printed_sheet import alphabet, heading
from ...equations.typeset import abbreviations
from ...equations.written_rows import parts
from ...errors import DalembertError
from .markup import Html, join, listed, maths, tag, text

_TYPESET = re.compile(r"EL_a\([^)]*\) = Q_a(?: \+ |, )")  # what the formula says, in the line below it
LONGEST = 600  # operations of all rows, beyond which what repeats is folded behind names
MEANING = {
    "reaction": "the reaction of the constraints",
    "rate": "its counterpart, with the rates of the multipliers",
    "extra": "the term that the nonholonomic equations do not have",
}
Term = tuple[sp.Expr, str]


def fragment(equations: Equations) -> Html:
    """The principle with its convention of multipliers, the equations, the constraints, the kinematics, the notes."""
    return join([statement(equations), _notes(equations)])


def statement(equations: Equations) -> Html:
    """The principle and its equations without the notes."""
    title, *convention = heading(equations).splitlines()
    head = [
        tag("p", title),
        formula(equations),
        *(tag("p", _TYPESET.sub("", line), class_="small") for line in convention),
    ]
    return join([*head, body(equations)])


def body(equations: Equations) -> Html:
    """The equations alone: term by term, or where they are long or a form of their own, as `latex` writes them."""
    if not equations.by_multipliers:
        return _whole(equations)
    try:
        rows = list(motion(equations))
    except TooLong:
        return _whole(equations)
    if sum(sp.count_ops(e) for left, right in rows for e, _ in (*left, *right)) > LONGEST:
        return _whole(equations)
    known = alphabet(equations)
    used = abbreviations(equations.system.definitions, [(e, e) for sides in rows for side in sides for e, _ in side])
    lines = [_row([(name, "")], [(e, "")], known) for name, e in used]
    lines += [_row(left, right, known) for left, right in rows]
    lines += [_row([(c.given, "")], [], known, c.name) for c in equations.constraints]
    lines += [_kinematic(q, rate, known) for q, rate in _rates(equations, known)]
    return tag("div", *lines, class_="equations")


def kinds(equations: Equations) -> set[str]:
    """Which of the marked kinds of terms occur."""
    if not equations.by_multipliers:
        return set()
    try:
        return {kind for _, right in motion(equations) for e, kind in right if kind and e != 0}
    except TooLong:
        return set()


def motion(equations: Equations) -> Iterator[tuple[list[Term], list[Term]]]:
    """Left and right sides of the equations of motion, a term with its kind each.

    Raises:
        TooLong: more than anybody reads.
    """
    states, lam = bool(equations.states_of_multipliers), equations.multipliers
    acc = {u: sp.Symbol(f"{u.name}{RATE}") for u in equations.space.velocities}
    moving = [sp.Symbol(f"{s.name}{RATE}") for s in lam] if states else list(lam)
    for row in parts(equations, acc, moving):
        yield (
            [(row.inertial, "")],
            [(row.force, ""), (row.push, "rate" if states else "reaction"), (row.extra, "extra")],
        )


def _row(left: list[Term], right: list[Term], known: Alphabet, name: str = "") -> Html:
    """One equation: a formula for each term, so that lines can break between them."""
    parts = [*_side(left, known), maths("=", goes_on=True), *_side(right, known)]
    label = [tag("span", f"({name})", class_="name")] if name else []
    return tag("div", join(parts, " "), *label, class_="eq")


def _side(given: list[Term], known: Alphabet) -> list[Html]:
    found: list[Html] = []
    for expression, kind in given:
        if expression == 0:
            continue
        first, *rest = terms(expression, known)
        plus = "+ " if found and not first.startswith("-") else ""
        shown = [maths(plus + first, goes_on=bool(found)), *(maths(piece, goes_on=True) for piece in rest)]
        whole = join(shown, " ")
        found.append(tag("span", whole, class_=f"term {kind}", title=MEANING[kind]) if kind else whole)
    return found or [maths("0")]


def _rates(equations: Equations, known: Alphabet) -> Iterator[tuple[sp.Symbol, sp.Expr]]:
    """The kinematic equations that say more than that a velocity is the rate of a coordinate."""
    for q, rate in equations.space.rates.items():
        if not (isinstance(rate, sp.Symbol) and known.get(rate.name) == dotted(known[q.name])):
            yield q, rate


def _kinematic(q: sp.Symbol, rate: sp.Expr, known: Alphabet) -> Html:
    parts = [maths(f"{dotted(known[q.name])} ="), *_side([(rate, "")], known)]
    return tag("div", join(parts, " "), class_="eq")


def _whole(equations: Equations) -> Html:
    """A form with rows of its own, from its LaTeX."""
    try:
        lines = [line for line in equations.latex().splitlines() if not line.startswith("%")]
    except DalembertError as refusal:
        return tag("p", refusal)
    rows = "\n".join(lines[1:-1]).split(" \\\\\n")
    found = [
        row.replace("&", "").replace(" \\text{(", " \\quad \\text{(").strip()
        for row in rows
        if not row.startswith(f"&\\text{{{equations.principle}: }}")
    ]
    return tag("div", *(tag("div", maths(row), class_="eq") for row in found), class_="equations")


def formula(equations: Equations) -> Html:
    """The principle as one formula."""
    return tag("div", maths(equations.formula), class_="eq")


def legend(found: set[str]) -> Html:
    """What the marks under terms mean."""
    keys = [tag("li", tag("span", "underlined" if k != "extra" else "doubly underlined, shaded", class_=k), f": {m}")
            for k, m in MEANING.items() if k in found]  # fmt: skip
    return tag("ul", *keys, class_="small") if keys else Html()


def _notes(equations: Equations) -> Html:
    return tag("div", text("Notes"), listed(equations.notes), class_="notes") if equations.notes else Html()
