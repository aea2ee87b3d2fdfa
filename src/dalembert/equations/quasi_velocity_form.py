"""Nonholonomic equations in free speeds before they are solved:  A(q) sdot = b(t, q, s) ,  u = velocities(t, q, s)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import sympy as sp

from ..calculus.frame import TIME, Frame
from ..calculus.from_sympy import read
from ..calculus.graph import SYMBOL, Graph, Node, substitute, tangent
from ..calculus.readable_form import TooLong, readable
from ..calculus.simplification import at_most, characters
from ..calculus.subexpressions import fresh_names
from ..calculus.symbol_letters import RATE
from .typeset import Row, Sheet, abbreviations
from .written_rows import cleared, polished


@dataclass(frozen=True)
class MatrixForm:
    """What a person writes down: the matrix, the right-hand side and the velocities, on one graph.

    Attributes:
        frame: coordinates and velocities; entries of rotation matrices stand for unit quaternions where they can.
        rotations: names of the nine entries, row by row, of each rotation matrix that does, by its name.
        unit: vectors of names of coordinates whose squares sum to 1.
        speeds: names of the speeds s.
        A: the lower triangle, row by row.
        b: the right-hand side.
        velocities: u, in the order of the space.
        origin: s(t, q, u).
        lagrangian: in the same coordinates and velocities.
        definitions: those of the author's abbreviations that can be written in them.
    """

    frame: Frame
    rotations: Mapping[str, tuple[str, ...]]
    unit: tuple[tuple[str, ...], ...]
    speeds: tuple[str, ...]
    A: tuple[tuple[Node, ...], ...]
    b: tuple[Node, ...]
    velocities: tuple[Node, ...]
    origin: tuple[Node, ...]
    lagrangian: sp.Expr
    definitions: Mapping[str, sp.Expr]

    @property
    def entries(self) -> list[str]:
        """The entries of all rotation matrices."""
        return [name for rotation in self.rotations.values() for name in rotation]


# --- the printed form, as a person writes it -------------------------------------------------------------------------

_SHORT = 80  # operations of a sum that is looked for among the velocities
_WORTH = 3  # operations of an entry of A from which it has a name
Definitions = list[tuple[sp.Symbol, sp.Expr]]


def rate(name: str) -> sp.Symbol:
    """The symbol of the rate of a speed."""
    return sp.Symbol(f"{name}:dot")


def small(form: MatrixForm, title: str, principle: str, states: Sequence[str]) -> Sheet | None:
    """The sheet, or None where the equations are too long to be read.

    Args:
        form: what is written.
        title: of the system.
        principle: by which it moves.
        states: all names that are no parameters.
    """
    definitions = form.definitions
    meanings = {name: read(e, form.b[0].graph) for name, e in definitions.items()}
    symbols = {s.name: s for s in (*form.frame.coordinates, *form.frame.velocities)}
    as_read = partial(
        readable, symbols=symbols, rotations=list(form.rotations.values()), unit=form.unit, definitions=meanings
    )
    r = len(form.b)
    try:
        flat = as_read([*(e for row in form.A for e in row), *form.b])
        u = [as_read([e])[0] for e in form.velocities]
        s = [as_read([e])[0] for e in form.origin]
    except TooLong:
        return None
    lower, b = flat[: len(flat) - r], flat[len(flat) - r :]
    A = [[lower[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(r)] for i in range(r)]
    named, motion, letters = _lettered(
        form, {*states, *symbols}, *_motion(form.speeds, A, b, {*states, *symbols}, definitions)
    )
    motion = _in_velocities(motion, dict(zip(form.frame.velocities, u, strict=True)))
    free = [
        (symbols.get(name, sp.Symbol(name, real=True)), e)
        for name, e, y in zip(form.speeds, s, form.origin, strict=True)
        if y.key != (SYMBOL, name)
    ]
    plain = form.frame.rates == form.frame.velocities
    driven = [] if plain else [(v, e) for v, e in zip(form.frame.velocities, u, strict=True) if e != v]
    moved = dict(zip(form.frame.velocities, u, strict=True)) if plain else {}
    rates = kinematics(form.frame, form.rotations, moved)
    where, (free, named, driven), motion, rates = _abbreviated(
        (free, named, driven), motion, rates, [*states, *letters]
    )
    where = [*abbreviations(definitions, [*motion, *free, *named, *driven, *rates.items()]), *where]
    fed = _fed([*motion, *named], rates)
    idle = [str(q) for q in rates if q not in fed]
    remark = _remark([str(name) for name, _ in free], form.rotations, idle)
    header = f"{title or 'System'}: {principle}, in speeds that the constraints leave free"
    return Sheet(header, principle, r"\dot q = E u(q, s)", motion, {}, rates, [*where, *free, *driven, *named], remark)


def _lettered(
    form: MatrixForm, taken: set[str], named: Definitions, motion: list[Row]
) -> tuple[Definitions, list[Row], list[str]]:
    """Definitions, rows and what of them moves, with letters for what moves where that is shorter."""
    used = {s.name for pair in (*named, *motion) for e in pair for s in e.free_symbols}
    found = in_letters(form, taken | used, length([*named, *motion]))
    if found is None:
        return named, motion, []
    own = [name for name, e in form.definitions.items() if e.free_symbols & set(form.frame.velocities)]
    return found.letters, found.rows, [*own, *(s.name for s, _ in found.letters)]


def _remark(free: Sequence[str], rotations: Iterable[str], idle: Sequence[str]) -> str:
    """What letters are, and what nothing else needs."""
    parts = [
        f"{_names(free)}: free speeds" if free else "",
        *matrices(rotations),
        f"{_names(idle)} follow{'s' * (len(idle) == 1)} by integration" if idle else "",
    ]
    return "; ".join(part for part in parts if part)


def matrices(rotations: Iterable[str]) -> list[str]:
    """What the entries of rotation matrices are, in words."""
    return [f"`{name}11` ... `{name}33`: the matrix of the rotation `{name}`" for name in rotations]


def _names(names: Iterable[str]) -> str:
    """Names for a remark, which typesets them."""
    return ", ".join(f"`{name}`" for name in names)


def _motion(
    speeds: Sequence[str],
    A: Sequence[Sequence[sp.Expr]],
    b: Sequence[sp.Expr],
    taken: set[str],
    definitions: Mapping[str, sp.Expr],
) -> tuple[Definitions, list[tuple[sp.Expr, sp.Expr]]]:
    """Rows of A sdot = b; an entry that is long, beside others in its row, has a name."""
    taken = taken | {s.name for e in (*b, *(e for row in A for e in row)) for s in e.free_symbols}
    letter = next(x for x in ("A", "M", "W", "AA") if not any(name.startswith(x) for name in taken))
    named: Definitions = []
    shown = [list(row) for row in A]
    r = len(b)
    for j, i in ((k % r, k // r) for k in range(r * r) if k % r <= k // r):
        alone = not any(A[k][m] for k in (i, j) for m in range(len(b)) if m != k)
        if A[i][j].count_ops() >= _WORTH and not alone:
            name = sp.Symbol(f"{letter}{j + 1}{i + 1}", real=True)
            named.append((name, A[i][j]))
            shown[i][j] = shown[j][i] = name
    rows = []
    for i, right in enumerate(b):
        if any(A[i][j] for j in range(len(b)) if j != i):
            rows.append((sp.Add(*(e * rate(name) for e, name in zip(shown[i], speeds, strict=True))), right))
        else:
            left, short = polished(cleared([A[i][i], right]), definitions)
            flip = left.could_extract_minus_sign()
            rows.append(((-left if flip else left) * rate(speeds[i]), -short if flip else short))
    return named, rows


class _Free:
    """The symbols of expressions, those of each part found once."""

    def __init__(self) -> None:
        self._found: dict[sp.Basic, frozenset[sp.Symbol]] = {}

    def __call__(self, e: sp.Basic) -> frozenset[sp.Symbol]:
        if e not in self._found:
            below = frozenset[sp.Symbol]().union(*map(self, e.args))
            self._found[e] = frozenset({e}) if isinstance(e, sp.Symbol) else below
        return self._found[e]


def _in_velocities(rows: Sequence[Row], meanings: Mapping[sp.Symbol, sp.Expr]) -> list[Row]:
    """Rows in which a sum that is a velocity, up to its sign, has its letter: it stands in a row of its own."""
    sums = {sp.expand(e): v for v, e in meanings.items() if e.is_Add and at_most(_SHORT, e)}
    sums |= {sp.expand(-e): -v for e, v in sums.items()}
    held, free = {frozenset(e.free_symbols) for e in sums}, _Free()
    inside = {part for row in rows for e in row for part in sp.preorder_traversal(e) if part.is_Add} if sums else ()
    near = [part for part in inside if free(part) in held and at_most(_SHORT, part)]
    swap = {part: sums[whole] for part in near if (whole := sp.expand(part)) in sums}
    return [(left.xreplace(swap), right.xreplace(swap)) for left, right in rows]


def kinematics(
    frame: Frame, rotations: Mapping[str, Sequence[str]], velocities: Mapping[sp.Symbol, sp.Expr]
) -> dict[sp.Symbol, sp.Expr]:
    """Rates of the coordinates; of the matrix of a rotation in one row."""
    found = dict(zip(frame.coordinates, frame.rates, strict=True))
    for name, entries in rotations.items():
        R = [q for q in frame.coordinates if q.name in entries]
        whole = _turning(name, R, [found[q] for q in R], frame.velocities)
        if whole is not None:
            found = {q: e for q, e in found.items() if q not in R} | {sp.Symbol(name): whole}
    return {q: e.xreplace(dict(velocities)) for q, e in found.items()}


def _turning(
    name: str, R: Sequence[sp.Symbol], rates: Sequence[sp.Expr], velocities: Sequence[sp.Symbol]
) -> sp.Expr | None:
    """R' = R hat(w) or hat(w) R as one symbol, if the rates are this."""
    there = [u for u in velocities if any(u in e.free_symbols for e in rates)]
    matrix, moved = sp.Matrix(3, 3, list(R)), sp.Matrix(3, 3, list(rates))
    for w in combinations(there, 3):
        hat = sp.Matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        said = f"hat({', '.join(u.name for u in w)})"
        for product, text in ((matrix * hat, f"{name} {said}"), (hat * matrix, f"{said} {name}")):
            if (product - moved).expand().is_zero_matrix:
                return sp.Symbol(text)
    return None


def _fed(rows: Sequence[Row], rates: Mapping[sp.Symbol, sp.Expr]) -> set[sp.Symbol]:
    """The coordinates that the motion of the speeds needs, themselves or through the rate of another."""
    known = {s.name for row in rows for e in row for s in e.free_symbols}
    found = {x for x in rates if _met(x, known)}
    for _ in rates:
        known |= {s.name for x in found for s in rates[x].free_symbols}
        found |= {x for x in rates if _met(x, known)}
    return found


def _met(x: sp.Symbol, names: set[str]) -> bool:
    """Is the coordinate, or an entry of the matrix of this name, among the names?"""
    return x.name in names or any(name == f"{x.name}{i}{j}" for name in names for i in (1, 2, 3) for j in (1, 2, 3))


def _abbreviated(
    definitions: tuple[Definitions, ...],
    motion: list[tuple[sp.Expr, sp.Expr]],
    kinematics: dict[sp.Symbol, sp.Expr],
    states: Sequence[str],
) -> tuple[Definitions, tuple[Definitions, ...], list[tuple[sp.Expr, sp.Expr]], dict[sp.Symbol, sp.Expr]]:
    """Sums of parameters that return get a name."""
    every = [*(e for part in definitions for _, e in part), *(e for row in motion for e in row), *kinematics.values()]
    fresh: Iterator[sp.Symbol] = fresh_names([s for e in every for s in e.free_symbols])
    moving, where, swap = set(states), list[tuple[sp.Symbol, sp.Expr]](), dict[sp.Expr, sp.Expr]()
    free = _Free()
    count: dict[sp.Expr, int] = {}
    for part in (p for e in every for p in sp.preorder_traversal(e)):
        if part.is_Add and not any(s.name in moving or s.name.endswith(":dot") for s in free(part)):
            other = sp.expand(-part)
            key = other if other in count else part
            count[key] = count.get(key, 0) + 1
    for e, n in sorted(count.items(), key=lambda item: (-item[0].count_ops(), str(item[0]))):
        if n > 1 and e.free_symbols and e not in swap:
            name = next(fresh)
            where.append((name, e))
            swap |= {e: name, sp.expand(-e): -name}

    def put(e: sp.Expr) -> sp.Expr:
        return e.xreplace(swap)

    parts = tuple([(name, put(e)) for name, e in part] for part in definitions)
    return where, parts, [(put(a), put(b)) for a, b in motion], {q: put(e) for q, e in kinematics.items()}


# --- letters for quantities that the Lagrangian squares, with their rates --------------------------------------------
#     EL_a(c/2 f^2) = c (f' df/du^a + f EL_a(f))
#
# Written out, f' and EL_a(f) are all that makes such rows long; with a letter for f they are short. The author may name
# f among the definitions; else the sums that the Lagrangian squares are tried.

_MOST, _LONGEST = 3, 30  # sums that are tried, and operations of each
_GAIN = 0.8  # of the length without them: what letters that nobody asked for have to leave

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
    ways += [_way(form, chosen, int(_GAIN * longest))] if chosen else []
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
