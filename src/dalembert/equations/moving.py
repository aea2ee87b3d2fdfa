"""Letters for quantities that move, with their rates: what the Lagrangian squares returns in the equations.

    EL_a(c/2 f^2) = c (f' df/du^a + f EL_a(f))

Written out, f' and EL_a(f) are all that makes such rows long; with a letter for f they are short. The author may name
f among the definitions; else the sums that the Lagrangian squares are tried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from ..calculus.alphabet import RATE
from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, substitute, tangent
from ..calculus.read import read
from ..calculus.readable import TooLong, readable
from ..calculus.simplification import at_most, characters
from ..calculus.subexpressions import fresh_names
from .matrix_form import MatrixForm
from .typeset import Row
from .written import cleared

_MOST, _LONGEST = 3, 30  # sums that are tried, and operations of each
_WORTH = 0.8  # of the length without them: what letters that nobody asked for have to leave

Letters = list[tuple[sp.Symbol, sp.Expr]]


@dataclass(frozen=True)
class Lettered:
    """Rows of motion with letters for what moves.

    Attributes:
        letters: that were chosen here and are used, with what they stand for.
        rows: left and right sides.
    """

    letters: Letters
    rows: list[Row]

    @property
    def characters(self) -> int:
        """About how long it is."""
        return length([*self.letters, *self.rows])


def length(rows: Sequence[Row | tuple[sp.Symbol, sp.Expr]]) -> int:
    """Characters of rows."""
    return sum(characters(side) for row in rows for side in row)


def squared(lagrangian: sp.Expr, velocities: Collection[sp.Symbol]) -> list[sp.Expr]:
    """Sums of velocities whose squares are in the Lagrangian, each once."""
    found: dict[sp.Expr, None] = {}
    for part in sp.preorder_traversal(lagrangian):
        if part.is_Pow and part.exp == 2 and part.base.is_Add and part.base.free_symbols & set(velocities):
            found |= {} if -part.base in found or not at_most(_LONGEST, part.base) else {part.base: None}
    return list(found)[:_MOST]


def in_letters(form: MatrixForm, taken: Collection[str], longest: int) -> Lettered | None:
    """A sdot = b with letters for what moves, where that is shorter than `longest`; None elsewhere.

    Args:
        form: what is written.
        taken: names that are something else.
        longest: characters of the rows without such letters, with what they abbreviate.
    """
    own = {name: e for name, e in form.definitions.items() if e.free_symbols & set(form.frame.velocities)}
    ways = [_way(form, {}, longest)] if own else []
    sums = squared(form.lagrangian, form.frame.velocities)
    fresh: Iterator[sp.Symbol] = fresh_names([sp.Symbol(name) for name in (*taken, *form.definitions)])
    chosen = {next(fresh).name: e for e in sums if e not in own.values()}
    ways += [_way(form, chosen, int(_WORTH * longest))] if chosen else []
    return min((way for way in ways if way is not None), key=lambda way: way.characters, default=None)


def _way(form: MatrixForm, chosen: Mapping[str, sp.Expr], longest: int) -> Lettered | None:
    """The rows with these letters beside the author's."""
    graph, given = form.b[0].graph, {**form.definitions, **chosen}
    u = dict(zip((v.name for v in form.frame.velocities), form.velocities, strict=True))
    moving, meanings = {v.name for v in form.frame.velocities}, dict[str, Node]()
    along = _along(form, u)
    for name, e in given.items():
        (meanings[name],) = substitute([read(e, graph)], u)
        if moving & {s.name for s in e.free_symbols}:
            (meanings[f"{name}{RATE}"],) = tangent(
                [meanings[name]], list(map(graph.symbol, along)), list(along.values())
            )
    meanings |= {f"{name}{RATE}": along[name] for name in form.entries}
    try:
        rows = _written(form, meanings, graph)
    except TooLong:
        return None
    used = {s.name for row in rows for e in row for s in e.free_symbols}
    kept = [(sp.Symbol(name, real=True), e) for name, e in chosen.items() if {name, f"{name}{RATE}"} & used]
    new = {f"{name}{RATE}" for name in given} & used
    found = Lettered(kept, rows)
    return found if new and found.characters < longest else None


def _along(form: MatrixForm, u: Mapping[str, Node]) -> dict[str, Node]:
    """What moves, and how: qdot = E u(q, s), sdot as symbols, and time itself."""
    graph, frame = form.b[0].graph, form.frame
    qdot = substitute([read(e, graph) for e in frame.rates], u)
    found = dict(zip((q.name for q in frame.coordinates), qdot, strict=True))
    return {**found, **{s: graph.symbol(f"{s}{RATE}") for s in form.speeds}, TIME.name: graph.constant(1.0)}


def _written(form: MatrixForm, meanings: Mapping[str, Node], graph: Graph) -> list[Row]:
    """Rows  A sdot - b  in these letters."""
    r, symbols = len(form.b), {s.name: s for s in (*form.frame.coordinates, *form.frame.velocities)}
    A, sdot = form.A, [graph.symbol(f"{s}{RATE}") for s in form.speeds]
    whole = [sum((A[max(i, j)][min(i, j)] * sdot[j] for j in range(r)), -form.b[i]) for i in range(r)]
    own = [f"{s}{RATE}" for s in form.speeds]
    chosen = [name for name in meanings if name.endswith(RATE) and name.removesuffix(RATE) not in form.entries]
    rotations, leading = list(form.rotations.values()), [*own, *chosen]
    found = readable(whole, symbols, rotations, unit=form.unit, leading=leading, definitions=meanings)
    return [_row(e, set(own), set(chosen)) for e in found]


def _row(e: sp.Expr, own: set[str], chosen: set[str]) -> Row:
    """What moves a speed on the left; beside it, or on the other side, what a letter makes, common factors in front."""
    terms: dict[str, sp.Expr] = {name: sp.S.Zero for name in (*own, "letters", "rest")}
    for term in sp.Add.make_args(e):
        names = {s.name for s in term.free_symbols}
        of = next(iter(sorted(names & own)), "letters" if names & chosen else "rest")
        terms[of] += term
    letters, rest = terms.pop("letters"), terms.pop("rest")
    together = sp.factor_terms(letters + rest)
    if together.is_Add:
        *left, right = cleared([*terms.values(), letters, -rest])
        return sp.Add(*left), right
    return sp.Add(*cleared([*terms.values(), together])), sp.S.Zero
