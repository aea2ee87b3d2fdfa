"""The rows of motion as a person writes them, from the graph: short polynomials, collected by accelerations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import sympy as sp

from ..calculus.algebra import Algebra, GraphAlgebra
from ..calculus.frame import TIME, Frame
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, operations, operations_until, substitute, tangent
from ..calculus.jacobians import each
from ..calculus.readable_form import TooLong, readable
from ..calculus.simplification import at_most
from ..calculus.subexpressions import formulas
from ..calculus.symbol_letters import RATE
from ..calculus.symbols import free_symbols
from . import typeset
from .saddle_form import Form

if TYPE_CHECKING:
    from . import Equations


_CLEARED = 80  # operations of a row whose denominators are cleared
_MOST = 2500  # operations of all rows as they are computed, from which nobody reads them written

Rows = list[tuple[sp.Expr, sp.Expr]]


class RowParts(NamedTuple):
    """One row, in the parts that the principles share and in which they differ; each an expression.

    Attributes:
        inertial: W udot + h, without multipliers.
        force: Q.
        push: N^T lam, or N^T lamdot where multipliers are states.
        extra: lam_s EL(phi^s) where multipliers are states, else 0.
    """

    inertial: sp.Expr
    force: sp.Expr
    push: sp.Expr
    extra: sp.Expr


def rows(equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol], mu: Sequence[sp.Symbol]) -> Rows:
    """Left and right sides of  W udot + h = Q + N^T lam,  or of  W udot - N^T lamdot + h = Q.

    They are written in the entries of rotation matrices where `equations.in_entries` are.

    Args:
        equations: of which they are.
        udot: symbols for the accelerations, by velocity.
        mu: symbols for the multipliers, or for their rates where these are states.

    Raises:
        TooLong: more than anybody reads.
    """
    if equations.states_of_multipliers:
        found = _written(equations, udot, mu, lambda left, Q, push: [left - push, Q], equations.in_entries)
    else:
        found = _written(equations, udot, mu, lambda left, Q, push: [left, Q + push], equations.in_entries)
    return [(left, right) for left, right in found]


def parts(equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol], mu: Sequence[sp.Symbol]) -> list[RowParts]:
    """The rows in parts; arguments and errors as of `rows`."""
    lam = [s.name for s in equations.states_of_multipliers]

    def split(left: Node, Q: Node, push: Node) -> list[Node]:
        graph = left.graph
        zero = dict.fromkeys(lam, graph.constant(0.0))
        alone = substitute([left], zero)[0] if lam else left
        # EL(L - lam phi) = EL(L) - lam_s EL(phi^s) - lamdot_s dphi^s/du, linear in lam
        return [alone, Q, push, alone - left]

    return [RowParts(*row) for row in _written(equations, udot, mu, split)]


def _written(
    equations: Equations,
    udot: Mapping[sp.Symbol, sp.Symbol],
    mu: Sequence[sp.Symbol],
    sides: Callable[[Node, Node, Node], list[Node]],
    within: InEntries | None = None,
) -> list[tuple[sp.Expr, ...]]:
    """What `sides` makes of W udot + h, Q and N^T mu of each row, written."""
    if equations.work > _MOST:
        raise TooLong
    nodes = _nodes(equations, udot, mu, sides, within)
    meanings = _meanings(definitions(equations, within), nodes[0][0].graph)
    found = iter(
        readable(
            [y for row in nodes for y in row],
            _symbols(equations, udot, mu),
            list(within.rotations.values()) if within else (),
            unit=() if within else equations.space.unit_vectors,
            leading=[s.name for s in udot.values()],
            definitions=meanings | _along(equations, udot, within, meanings),
        )
    )
    return [tuple(next(found) for _ in row) for row in nodes]


def computed(equations: Equations) -> int:
    """How many operations W, N, f and g take as they are computed, what returns counted once; or more than are counted.

    Entries of large matrices are made here that nothing else needs: no more of them than it takes to count so far.
    """
    form = equations.machine.form.rows(equations.kept)
    return operations_until(typeset.ALL, chain([form.f, form.g], each(form.W), each(form.N)))


def definitions(equations: Equations, within: InEntries | None) -> Mapping[str, sp.Expr]:
    """The author's abbreviations, in the letters of the rows."""
    return within.definitions if within else equations.system.definitions


def _along(
    equations: Equations,
    udot: Mapping[sp.Symbol, sp.Symbol],
    within: InEntries | None,
    meanings: Mapping[str, Node],
) -> dict[str, Node]:
    """The rates of abbreviations that hold velocities:  f' = df/dq qdot + df/du udot + df/dt."""
    moving = [name for name, e in definitions(equations, within).items() if free_symbols(e) & udot.keys()]
    if not moving:
        return {}
    graph, space = meanings[moving[0]].graph, equations.space
    qdot = dict(zip(within.frame.coordinates, within.frame.rates, strict=True)) if within else space.rates
    rates = {q.name: read(e, graph) for q, e in qdot.items()} | {TIME.name: graph.constant(1.0)}
    rates |= {u.name: graph.symbol(a.name) for u, a in udot.items()}
    found = tangent([meanings[name] for name in moving], list(map(graph.symbol, rates)), list(rates.values()))
    return dict(zip((f"{name}{RATE}" for name in moving), found, strict=True))


def form(
    equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol]
) -> tuple[list[typeset.Row], list[typeset.Row], str, int]:
    """What a form defines, its rows, a remark on them; and how many operations rows take that nobody reads.

    Those are left out; 0 too where the form gives no rows, since they are so long.
    """
    try:
        shown, nodes = _of_form(equations, udot)
    except TooLong:
        return [], [], typeset.UNREADABLE, 0
    if not nodes:
        return [], [], shown.remark, 0
    meanings = _meanings(equations.system.definitions, nodes[0].graph)
    symbols = {**_symbols(equations, udot, ()), **shown.letters}
    leading = [s.name for s in udot.values()]
    try:
        found = iter(readable(nodes, symbols, unit=equations.space.unit_vectors, leading=leading, definitions=meanings))
    except TooLong:
        return [], [], shown.remark, sum(operations(nodes).values())
    definitions = [(name, next(found)) for name, _ in shown.definitions]
    return definitions, [(next(found), next(found)) for _ in shown.rows], shown.remark, 0


def _of_form(equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol]) -> tuple[typeset.Shown, list[Node]]:
    shown = equations.shown(udot)
    return shown, [*(meaning for _, meaning in shown.definitions), *(side for row in shown.rows for side in row)]


def shared(
    equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol], mu: Sequence[sp.Symbol]
) -> tuple[Sequence[tuple[sp.Symbol, sp.Expr]], Rows]:
    """The rows as they are computed, in the quaternions that were given, and what in them has a name.

    They are this where they are more than anybody reads.
    """
    if not equations.by_multipliers:
        shown, flat = _of_form(equations, udot)
        folded = formulas(flat, {**_symbols(equations, udot, mu), **shown.letters})
        found = iter(folded.expressions)
        definitions = [*folded.definitions, *((name, next(found)) for name, _ in shown.definitions)]
        return definitions, [(next(found), next(found)) for _ in shown.rows]
    states = bool(equations.states_of_multipliers)
    nodes = _nodes(equations, udot, mu, lambda left, Q, push: [left - push, Q] if states else [left, Q + push])
    folded = formulas([y for row in nodes for y in row], _symbols(equations, udot, mu))
    found = iter(folded.expressions)
    return folded.definitions, [(next(found), next(found)) for _ in nodes]


def _symbols(
    equations: Equations, udot: Mapping[sp.Symbol, sp.Symbol], mu: Sequence[sp.Symbol]
) -> dict[str, sp.Symbol]:
    space = equations.space
    moving = (*udot.values(), *mu, *space.coordinates, *space.velocities, *equations.multipliers)
    return {**equations.system.symbols, **{s.name: s for s in moving}}


def _nodes(
    equations: Equations,
    udot: Mapping[sp.Symbol, sp.Symbol],
    mu: Sequence[sp.Symbol],
    sides: Callable[[Node, Node, Node], list[Node]],
    within: InEntries | None = None,
) -> list[list[Node]]:
    """What `sides` makes of W udot + h, Q and N^T mu of each row."""
    e, algebra = equations, GraphAlgebra(Graph())
    graph, form = algebra.graph, (within or e).derive(algebra)
    forces = within.forces if within else e.system.forces
    acc = [graph.symbol(udot[u].name) for u in e.space.velocities]
    lam, zero = [graph.symbol(s.name) for s in mu], graph.constant(0.0)
    nodes: list[list[Node]] = []
    for a, W_a in enumerate(form.W):
        Q = algebra.read(forces[a])
        inertial = sum((w * u for w, u in zip(W_a, acc, strict=True)), zero) - form.f[a] + Q
        nodes.append(sides(inertial, Q, sum((row[a] * s for row, s in zip(form.N, lam, strict=True)), zero)))
    return nodes


def polished(expressions: Sequence[sp.Expr], definitions: Mapping[str, sp.Expr]) -> list[sp.Expr]:
    """Expressions shortened in the same way; as they are, where they are too long or were shorter."""
    graph = Graph()
    symbols = {s.name: s for e in expressions for s in e.free_symbols}
    leading = [name for name in symbols if name.endswith(RATE)]
    try:
        nodes = [read(e, graph) for e in expressions]
        found = readable(nodes, symbols, leading=leading, definitions=_meanings(definitions, graph))
        return [min(pair, key=sp.count_ops) for pair in zip(found, expressions, strict=True)]
    except TooLong:
        return list(expressions)


def _meanings(definitions: Mapping[str, sp.Expr], graph: Graph) -> dict[str, Node]:
    return {name: read(e, graph) for name, e in definitions.items()}


def cleared(row: Sequence[sp.Expr]) -> list[sp.Expr]:
    """A row without denominators, and without what all of it has in common, but for what has a rate in it."""
    if not at_most(_CLEARED, *row):
        return list(row)
    parts = [sp.together(e).as_numer_denom() for e in row]
    below = [sp.factor_terms(d).as_powers_dict() for _, d in parts]
    common = {x: max(d.get(x, 0) for d in below) for d in below for x in d if x.is_Symbol or x.is_Add}
    scale = sp.Mul(*(x**n for x, n in common.items()))
    whole = [sp.factor_terms(n * sp.Mul(scale, 1 / d)) for n, d in parts]
    powers = [e.as_powers_dict() for e in whole if e != 0]
    still = [x for x in powers[0] if not any(s.name.endswith(RATE) for s in x.free_symbols)]
    shared = {x: min(p.get(x, 0) for p in powers) for x in still if x.is_Symbol or x.is_Function or x.is_Add}
    return [e / sp.Mul(*(x**n for x, n in shared.items() if n > 0)) for e in whole]


# --- equations in the entries of rotation matrices -------------------------------------------------------------------


@dataclass(frozen=True)
class InEntries:
    """The same equations where the entries R11, ..., R33 of rotations are the coordinates.

    Attributes:
        frame: coordinates and velocities.
        rotations: names of the nine entries, row by row, of each rotation matrix, by its name.
        derive: the form W, N, f, g over any algebra.
        forces: Q_a.
        constraints: as they were given, by name.
        definitions: those of the author's abbreviations that can be written in them.
    """

    frame: Frame
    rotations: Mapping[str, tuple[str, ...]]
    derive: Callable[[Algebra], Form]
    forces: tuple[sp.Expr, ...]
    constraints: Mapping[str, sp.Expr]
    definitions: Mapping[str, sp.Expr]
