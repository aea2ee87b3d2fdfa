"""Equations of motion typeset, their terms told apart: what the principles share, and where they part.

Written with the same left side under both principles,

    nonholonomic   EL_a(L) = Q_a + lam_s dphi^s/du^a
    vakonomic      EL_a(L) = Q_a + lamdot_s dphi^s/du^a + lam_s EL_a(phi^s)         [lewis1995 (2.1), (2.2)]

the two differ in the last term alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy as sp

from ...equations import Equations
from ...equations.typeset import tidy
from ...errors import DalembertError
from .letters import dotted, latex, letter, multiplier, names
from .markup import Html, join, listed, tag, text
from .maths import maths

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
    """The same without the notes."""
    title, *convention = equations.header.splitlines()
    head = [tag("p", title), formula(equations), *(tag("p", line, class_="small") for line in convention)]
    return join([*head, body(equations)])


def body(equations: Equations) -> Html:
    """The equations alone: term by term, or where they are long or a form of their own, as `latex` writes them."""
    if equations.shown is not None:
        return _whole(equations)
    try:
        rows = list(motion(equations))
    except DalembertError as refusal:
        return tag("p", refusal)
    if sum(sp.count_ops(e) for left, right in rows for e, _ in (*left, *right)) > LONGEST:
        return _whole(equations)
    known = _letters(equations)
    lines = [_row(left, right, known) for left, right in rows]
    lines += [_row([(c.given, "")], [], known, c.name) for c in equations.constraints]
    lines += [_kinematic(q, rate, known) for q, rate in _rates(equations, known)]
    return tag("div", *lines, class_="equations")


def kinds(equations: Equations) -> set[str]:
    """Which of the marked kinds of terms occur."""
    if equations.shown is not None:
        return set()
    try:
        return {kind for _, right in motion(equations) for e, kind in right if kind and e != 0}
    except DalembertError:
        return set()


def motion(equations: Equations) -> Iterator[tuple[list[Term], list[Term]]]:
    """Left and right sides of the equations of motion, a term with its kind each.

    Raises:
        DalembertError: E140, E141 where writing them out goes over the budget.
    """
    form, states = equations.symbolic, bool(equations.states_of_multipliers)
    acc = [sp.Symbol(f"{u.name}:dot") for u in equations.space.velocities]
    lam = equations.multipliers
    moving = [sp.Symbol(f"{s.name}:dot") for s in lam] if states else list(lam)
    rest = dict.fromkeys(lam, sp.S.Zero)
    for a, W_a in enumerate(form.W):
        Q = equations.system.forces[a]
        left = sum((w * v for w, v in zip(W_a, acc, strict=True)), sp.S.Zero) - form.f[a] + Q
        push = sum((form.N[s][a] * mu for s, mu in enumerate(moving)), sp.S.Zero)
        if not states:
            yield [(tidy(left), "")], [(Q, ""), (tidy(push), "reaction")]
            continue
        # EL_a(L - lam phi) = EL_a(L) - lamdot_s dphi^s/du^a - lam_s EL_a(phi^s), linear in lam
        extra = sum((-s * tidy(left.diff(s)) for s in lam), sp.S.Zero)
        yield [(tidy(left.xreplace(rest)), "")], [(Q, ""), (tidy(push), "rate"), (extra, "extra")]


def _letters(equations: Equations) -> dict[sp.Symbol, str]:
    """The LaTeX of every symbol: dots on rates, accelerations and rates of multipliers."""
    known = names(equations.space)
    known |= {s: multiplier(c.name) for s, c in zip(equations.multipliers, equations.constraints, strict=True)}
    return known | {sp.Symbol(f"{s.name}:dot"): dotted(shown) for s, shown in known.items()}


def _row(left: list[Term], right: list[Term], known: Mapping[sp.Symbol, str], name: str = "") -> Html:
    """One equation: a formula for each term, so that lines can break between them."""
    parts = [*_side(left, known), maths("=", goes_on=True), *_side(right, known)]
    label = [tag("span", f"({name})", class_="name")] if name else []
    return tag("div", join(parts, " "), *label, class_="eq")


def _side(terms: list[Term], known: Mapping[sp.Symbol, str]) -> list[Html]:
    found: list[Html] = []
    for expression, kind in terms:
        pieces = [latex(e, known) for e in sp.Add.make_args(expression) if e != 0]
        shown: list[Html] = []
        for piece in sorted(pieces, key=lambda p: p.lstrip().startswith("-")):
            first = not (found or shown)
            plus = "" if piece.lstrip().startswith("-") or first else "+ "
            shown.append(maths(plus + piece, goes_on=not first))
        if shown:
            found.append(
                tag("span", join(shown, " "), class_=f"term {kind}", title=MEANING[kind]) if kind else join(shown, " ")
            )
    return found or [maths("0")]


def _rates(equations: Equations, known: Mapping[sp.Symbol, str]) -> Iterator[tuple[sp.Symbol, sp.Expr]]:
    """The kinematic equations that say more than that a velocity is the rate of a coordinate."""
    for q, rate in equations.space.rates.items():
        if not (isinstance(rate, sp.Symbol) and known.get(rate) == dotted(letter(q.name))):
            yield q, rate


def _kinematic(q: sp.Symbol, rate: sp.Expr, known: Mapping[sp.Symbol, str]) -> Html:
    parts = [maths(f"{dotted(letter(q.name))} ="), *_side([(rate, "")], known)]
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
