"""A curve at Chebyshev points: coordinates, velocities, accelerations, from expressions of the time or from a path.

Its time is cut into pieces, each halved until the series of the curve, and of what a system says along it, converge
there; what a formula may do between the points, a narrow hump for instance, is sought from its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import sympy as sp
from numpy.polynomial import chebyshev

from ..answer import Answer, no, undecided
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.narrow_places import SharpPlace, corners, places
from ..calculus.numerical_rank import sizes
from ..calculus.quantity import number
from ..errors import InvalidValue, WrongType, as_given, kind_of, warn
from ..errors.remedies import Option
from ..model.expression_symbols import Reader
from ..model.system import System
from .residuals import SystemLaw

ROUNDINGS = 1e3  # of a coordinate, in a slope on a piece
OFF = 1e-9  # of the rates: what no velocity of the space makes; of a distance: what is none
_CLOSED = 3  # points that follow each other, at which a contact that is not only touched is closed


@dataclass(frozen=True)
class SampledCurve:
    """A curve at times (T,).

    Attributes:
        pieces: of the time, with the points.
        q, u, udot: by row, (T, n), (T, k), (T, k).
        known: values of all symbols of the system, parameters and t included.
        tail: how far the velocities are resolved, over their largest values.
        formulas: of the coordinates, none of a path, which is known to the digits it was integrated to.
        touched: what contacts say of it, by name: False where it goes through one, None where one is closed.
    """

    pieces: Pieces
    q: np.ndarray
    u: np.ndarray
    udot: np.ndarray
    known: Mapping[str, float | np.ndarray]
    tail: float
    formulas: tuple[sp.Expr, ...] = ()
    touched: Mapping[str, Answer] = field(default_factory=dict)

    @property
    def t(self) -> np.ndarray:
        """The times."""
        return self.pieces.t

    @property
    def span(self) -> float:
        """How long it lasts."""
        return self.pieces.span


State = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # times (T,) -> q (T, n), u (T, k)


@dataclass(frozen=True)
class _Curve:
    """A curve as it is given: its state, where its own formulas may be narrow, and the times of its own steps.

    `rates` are of the coordinates, (T, n), where these are known apart from the state.
    """

    state: State
    arguments: tuple[Argument, ...] = ()
    rates: Callable[[np.ndarray], np.ndarray] | None = None
    formulas: tuple[sp.Expr, ...] = ()
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))


class _Look:
    """What is seen of a curve on some pieces (`resolving.Look`)."""

    def __init__(self, system: System, law: SystemLaw, curve: _Curve, values: Mapping[str, float]) -> None:
        self.system, self.law, self.curve, self.values = system, law, curve, values
        self.width = len(law.nodes)
        names = [s.name for s in (*system.space.coordinates, *system.space.velocities)]
        self.arguments = curve.arguments + Argument.of(law.nodes, names, self._along)
        self.missed = 0  # turns that were not looked at

    def _along(self, node: Node) -> Function:
        def values(t: np.ndarray) -> np.ndarray:
            with np.errstate(all="ignore"):
                found = evaluate([node], self.known(t, *self.curve.state(t)))[0]
            return np.array(np.broadcast_to(np.asarray(found, float), t.shape))

        return values

    def known(self, t: np.ndarray, q: np.ndarray, u: np.ndarray) -> dict[str, float | np.ndarray]:
        """Values of all symbols."""
        return {**self.values, **_named(self.system, q, u), TIME.name: t}

    def at(self, pieces: Pieces, tail: float = 0.0) -> SampledCurve:
        """The curve at the points of some pieces."""
        q, u = self.curve.state(pieces.t)
        good = np.isfinite(np.hstack([q, u])).all(axis=1)
        if not good.all():
            fact = f"the curve is not a number at t = {pieces.t[~good][0]:.6g}"
            raise InvalidValue("E150", fact, "a span of time in which it is")
        return SampledCurve(pieces, q, u, pieces.slope(u), self.known(pieces.t, q, u), tail)

    def __call__(self, pieces: Pieces) -> np.ndarray:
        along = self.at(pieces)
        u = along.u
        size = np.maximum(np.abs(u).max(axis=0), np.abs(u).max(initial=0.0) * 1e-6 or 1.0)
        rows, sizes = self.law(along.known, u, along.udot, along.span).scaled
        seen = np.hstack([u / size, rows / sizes])
        t = self._narrow(pieces)
        q1, u1 = self.curve.state(t)
        good = np.isfinite(np.hstack([q1, u1])).all(axis=1)  # sin(t)/t is a number beside 0
        t, q1, u1 = t[good], q1[good], u1[good]
        missed = np.zeros((len(pieces), seen.shape[1]))
        if len(t):
            there, _ = self.law(self.known(t, q1, u1), u1, pieces.at(along.udot, t), along.span).scaled
            off = np.abs(pieces.at(seen, t) - np.hstack([u1 / size, there / sizes]))
            np.maximum.at(missed, pieces.place(t), np.nan_to_num(off, nan=np.inf))
        missed = np.column_stack([self._jumps(pieces, along.q, t, q1), missed])
        k = u.shape[1]
        parts = [*np.split(pieces.tails(seen), [k], axis=1), *np.split(missed, [k + 1], axis=1)]
        return np.column_stack([part.max(axis=1, initial=0.0) for part in parts])

    def _jumps(self, pieces: Pieces, q: np.ndarray, t: np.ndarray, there: np.ndarray) -> np.ndarray:
        """By how much coordinates change in each piece (P,) otherwise than their rates say, over these."""
        if self.curve.rates is None:
            return np.zeros(len(pieces))
        rates = self.curve.rates(pieces.t)
        usual = np.maximum(np.abs(rates).max(axis=0), np.abs(q).max(axis=0) / pieces.span)
        usual = np.where(usual > 0, usual, 1.0)
        rounding = ROUNDINGS * np.finfo(float).eps * np.abs(q).max(axis=0) / pieces.half[:, None]
        off = np.abs(pieces.parts(pieces.slope(q) - rates)).max(axis=1)
        place = pieces.place(t)
        np.maximum.at(off, place, np.abs(pieces.at(q, t) - there) / pieces.half[place, None])
        return np.asarray(((off - rounding) / usual).max(axis=1))

    def _narrow(self, pieces: Pieces) -> np.ndarray:
        """Times at which something may be narrow."""
        near = [argument.near(pieces.t) for argument in self.arguments]
        self.missed = max((left for _, left in near), default=0)
        t = np.concatenate([self.curve.steps, *(found for found, _ in near)])
        return np.asarray(t[(t >= pieces.edges[0]) & (t <= pieces.edges[-1])])


def sampled(
    system: System, curve: Any, over: Any, parameters: Mapping[Any, Any] | None, law: SystemLaw
) -> SampledCurve:
    """The curve, on as many pieces as its velocities need and what the system says along it.

    Raises:
        WrongType: E150, neither a path nor a mapping.
        InvalidValue: E150, coordinates are missing, there is no span of time, the curve is not a number or not smooth
            somewhere, or no velocity of the space follows it.
    """
    values = system.values(parameters)
    path = all(hasattr(curve, name) for name in ("at", "names", "provenance")) and not isinstance(curve, type)
    given, span = _of_path(system, curve, values) if path else _of_expressions(system, curve, values)
    look = _Look(system, law, given, values)
    found = resolved(look, *_span(over, span))
    if not np.isnan(found.jump):
        fact = "the curve is not smooth: its velocities jump, or change faster than can be followed"
        fact += f", near t = {found.jump:.6g}"
        raise InvalidValue("E150", fact, "a shorter span of time, over=(first, last), in which it is")
    along = replace(
        look.at(found.pieces, found.tail), formulas=given.formulas, touched=_touched(system, look, found.pieces)
    )
    _check_walls(system, look, found.pieces)
    if not np.isnan(found.unseen) or look.missed:
        where = f" near t = {found.unseen:.6g}" if not np.isnan(found.unseen) else ""
        warn(
            "W153",
            f"not all of the curve was seen: what the system says along it changes too often or too fast{where}",
            6,
        )
    return along


def _named(system: System, q: np.ndarray, u: np.ndarray) -> dict[str, np.ndarray]:
    """Columns (T,) by name."""
    names = [s.name for s in (*system.space.coordinates, *system.space.velocities)]
    return dict(zip(names, np.hstack([q, u]).T, strict=True))


def _check_walls(system: System, look: _Look, pieces: Pieces) -> None:
    """E150: a curve that goes beyond a wall that the system declares."""
    for wall in system.walls:
        t, guard = _distance(wall.guard, look, pieces)
        if (guard < -OFF).any():
            fact = f"the curve goes beyond the wall {wall.name} at t = {t[guard < -OFF][0]:.6g}"
            raise InvalidValue("E150", fact, "a span of time in which it does not")


def _touched(system: System, look: _Look, pieces: Pieces) -> dict[str, Answer]:
    """Contacts that the curve goes through, and those that are closed for a while, whose forces are in no principle.

    One with two sides is not left to either side; what has a load in place of a gap is always closed.
    """
    found = {}
    for contact in system.contacts:
        t, gap = _distance(contact.gap, look, pieces)
        beyond = np.abs(gap) > OFF if contact.sides == 2 else gap < -OFF
        closed = np.convolve(gap <= OFF, np.ones(_CLOSED), "valid") == _CLOSED
        if beyond.any():
            place, does = {TIME.name: float(t[beyond][0])}, "leaves" if contact.sides == 2 else "goes through"
            found[contact.name] = no(f"{does} {contact.name} at t = {place[TIME.name]:.6g}", place)
        elif closed.any() or contact.load is not None:
            found[contact.name] = undecided(f"{contact.name} is closed, and its forces are not looked at")
    return found


def _distance(e: sp.Expr, look: _Look, pieces: Pieces) -> tuple[np.ndarray, np.ndarray]:
    """Times, those of minima between the points too, and a distance over the size of its terms."""
    node = read(e, Graph())
    t, along = pieces.t, look._along(node)
    slope = pieces.slope(along(t)[:, None])[:, 0]
    turns = np.flatnonzero((slope[:-1] < 0) & (slope[1:] > 0))
    # t - s (t' - t)/(s' - s)
    low = t[turns] - slope[turns] * (t[turns + 1] - t[turns]) / (slope[turns + 1] - slope[turns])
    t = np.sort(np.r_[t, low])
    values, size = along(t), float(np.max(sizes(node, look.known(t, *look.curve.state(t)))))
    return t, values / (size or 1.0)


def _of_path(system: System, path: Any, values: Mapping[str, float]) -> tuple[_Curve, tuple[float, float]]:
    names = [s.name for s in (*system.space.coordinates, *system.space.velocities)]
    own = path.provenance.get("parameters", {})
    other = [f"{n} = {own[n]:g}, not {x:g}" for n, x in values.items() if n in own and own[n] != x]
    if other:
        warn("W212", f"the path was made with {', '.join(other)}: it is held against the latter", 6)
    missing = [name for name in names if name not in path.names]
    if missing:
        raise InvalidValue("E150", f"the path has no {', '.join(missing)}", "a path of this system")
    n = len(system.space.coordinates)

    def state(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        columns = path.at(t)
        both = np.array([columns[name] for name in names]).T.reshape(len(t), len(names))
        return both[:, :n], both[:, n:]

    steps = np.unique(np.asarray(path.t, float))
    steps = np.sort(np.r_[steps, (steps[1:] + steps[:-1]) / 2])
    return _Curve(state, steps=steps), (float(path.t[0]), float(path.t[-1]))


def _of_expressions(system: System, curve: Any, values: Mapping[str, float]) -> tuple[_Curve, None]:
    if not isinstance(curve, Mapping):
        remedy = 'a path, or {"x": "sin(t)", ...} with every coordinate'
        raise WrongType("E150", f"a curve is a path or a mapping, not {kind_of(curve)}", remedy)
    space, reader = system.space, Reader.of(system)
    given = {str(getattr(k, "name", k)): v for k, v in curve.items()}
    names = [q.name for q in space.coordinates]
    missing = [n for n in names if n not in given]
    strange = [n for n in given if n not in names]
    if missing or strange:
        fact = f"the curve lacks {', '.join(missing)}" if missing else f"the curve gives {', '.join(strange)}"
        raise InvalidValue("E150", fact, f"give the coordinates {', '.join(names)} as functions of t, and nothing else")
    q = [reader.read(given[n], f"the curve's {n}") for n in names]
    moving = sorted({s.name for e in q for s in e.free_symbols} & set(space.by_name))
    if moving:
        raise InvalidValue("E150", f"the curve holds {', '.join(moving)}", "functions of t and of parameters")
    graph = Graph()
    nodes = [read(e, graph) for e in (*q, *(e.diff(TIME) for e in q))]
    anchor = [read(e, graph) for e in space.anchor]

    def state(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):
            both = _columns(nodes, {**values, TIME.name: t}, len(t))
            place, rate = both[:, : len(q)], both[:, len(q) :]
            known = {**values, **dict(zip(names, place.T, strict=True)), TIME.name: t}
            flat = _columns(anchor, known, len(t))
        good = np.isfinite(np.hstack([both, flat])).all(axis=1)
        E = flat.reshape(len(t), len(q), len(anchor) // len(q))
        u = np.full((len(t), E.shape[2]), np.nan)
        u[good] = (np.linalg.pinv(E[good]) @ rate[good, :, None])[..., 0]
        _check_rates(t[good], rate[good], (E[good] @ u[good, :, None])[..., 0], names)
        return place, u

    def along(node: Node) -> Function:
        return lambda t: _columns([node], {**values, TIME.name: t}, len(t))[:, 0]

    def rates(t: np.ndarray) -> np.ndarray:
        return _columns(nodes[len(q) :], {**values, TIME.name: t}, len(t))

    return _Curve(state, Argument.of(nodes, (), along), rates, formulas=tuple(q)), None


def _columns(nodes: Sequence[Any], values: Mapping[str, Any], count: int) -> np.ndarray:
    """Values of nodes, (count, nodes)."""
    return np.array([np.broadcast_to(np.asarray(v, float), (count,)) for v in evaluate(list(nodes), values)]).T


def _span(over: Any, own: tuple[float, float] | None) -> tuple[float, float]:
    if over is None and own is not None:
        return own
    try:
        first, last = (number(x, "over") for x in over)
    except (TypeError, ValueError):
        fact = "the span of time is missing" if over is None else f"over = {as_given(over)} is no span of time"
        raise InvalidValue("E150", fact, Option("over", (0.0, 2.0))) from None
    if not last - first > SHORTEST * max(abs(first), abs(last)):
        raise InvalidValue("E150", f"over = {as_given(over)}: the end must come later", Option("over", (0.0, 2.0)))
    if own is not None and (first < own[0] or last > own[1]):
        fact = f"the path reaches from {own[0]:g} to {own[1]:g}"
        raise InvalidValue("E150", fact, Option("over", own))
    return first, last


def _check_rates(t: np.ndarray, rate: np.ndarray, made: np.ndarray, names: Sequence[str]) -> None:
    """E150: a quaternion that leaves the sphere, for instance."""
    off = np.abs(rate - made) - OFF * (1.0 + np.abs(rate).max(initial=0.0))
    if off.max(initial=-1.0) > 0:
        i, j = np.unravel_index(int(off.argmax()), off.shape)
        fact = f"no velocity of the space makes {names[int(j)]} change as it does at t = {t[i]:.6g}"
        raise InvalidValue("E150", fact, "a curve on the space: quaternions of length 1, for instance")


# --- the time in pieces, halved until each is resolved ---------------------------------------------------------------
# A piece is halved while the last coefficients of a series on it are not small, and where a series misses the curve
# at a time at which it may be narrow. Halving ends where it shows roundings alone, or at a bound of work, which is
# said.

FIRST, MOST = 16, 2048  # pieces
NUMBERS = 40_000_000  # of what is looked at, at all points
RESOLVED = 1e-11  # of a velocity's largest value: the last two coefficients of its series on a piece
FAIR = 1e-8  # the same where it no longer falls
ROUGH = 1e-6  # the same where a curve is no longer taken for smooth
SEEN = 1e-6  # of the size of a row: the last coefficients of its series
HOLDS = 1e-5  # the same where it no longer falls, and what a series may miss
SHORTEST = 1e-9  # span of time, over the times themselves: below, they are not known well enough to differentiate


class SeriesTails(Protocol):
    """What is seen on some pieces: tails of velocities and of rows, and what their series miss, (P,) each."""

    width: int

    def __call__(self, pieces: Pieces) -> np.ndarray:
        """(P, 4)."""


@dataclass(frozen=True)
class Resolved:
    """Pieces, and what is left of them.

    Attributes:
        pieces: those that were made.
        tail: of the velocities, the largest.
        unseen: the first time near which a row is not resolved; nan if there is none.
        jump: the first time near which the velocities are not; nan if there is none.
    """

    pieces: Pieces
    tail: float
    unseen: float
    jump: float


def resolved(look: SeriesTails, first: float, last: float) -> Resolved:
    """Halve what is not seen whole."""
    pieces = Pieces.even(first, last, FIRST)
    before = np.full((FIRST, 2), np.inf)
    most = int(np.clip(NUMBERS / (NODES * max(look.width, 1)), 256, MOST))
    shortest = SHORTEST * max(abs(first), abs(last))
    while True:
        found = look(pieces)
        u, row, missed, missed_row = found.T
        # more pieces show the roundings of a path alone
        rough = (u >= RESOLVED) & ~((u < FAIR) & (u > before[:, 0] / 2))
        rough |= (row >= SEEN) & ~((row < HOLDS) & (row > before[:, 1] / 2))
        again = (rough | (missed > ROUGH) | (missed_row > HOLDS)) & (2 * pieces.half > shortest)
        if not again.any() or len(pieces) + again.sum() > most:
            break
        before = np.repeat(np.where(again[:, None], found[:, :2], before), 1 + again, axis=0)
        pieces = pieces.split(again)
    jump = np.maximum(u, missed) > ROUGH
    # what is left at the shortest pieces is a jump: nothing hides there
    unseen = (np.maximum(row, missed_row) > HOLDS) & (2 * pieces.half > shortest)
    return Resolved(pieces, float(u.max()), _first(pieces, unseen), _first(pieces, jump))


def _first(pieces: Pieces, chosen: np.ndarray) -> float:
    return float((pieces.edges[:-1] + pieces.half)[chosen][0]) if chosen.any() else np.nan


# --- pieces with Chebyshev points: slopes, integrals, values between -------------------------------------------------
NODES = 16  # on each piece
POINTS = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)[::-1]
TRANSFORM = np.linalg.inv(chebyshev.chebvander(POINTS, NODES - 1))  # values -> coefficients
_MOMENTS = [2.0 / (1 - j * j) if j % 2 == 0 else 0.0 for j in range(NODES)]
WEIGHTS = np.array(_MOMENTS) @ TRANSFORM  # values -> integral over [-1, 1]
SLOPE = chebyshev.chebvander(POINTS, NODES - 2) @ chebyshev.chebder(TRANSFORM)  # values -> derivatives on [-1, 1]


@dataclass(frozen=True)
class Pieces:
    """P pieces between edges (P + 1,). Functions of the time are arrays (T, c) at all points, T = 16 P."""

    edges: np.ndarray

    @classmethod
    def even(cls, first: float, last: float, count: int) -> Pieces:
        """Pieces of one length."""
        return cls(np.linspace(first, last, count + 1))

    def __len__(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def half(self) -> np.ndarray:
        """Half the length of each (P,)."""
        return np.diff(self.edges) / 2

    @cached_property
    def t(self) -> np.ndarray:
        """The points (T,)."""
        return np.asarray(((self.edges[:-1] + self.half)[:, None] + self.half[:, None] * POINTS).ravel())

    @cached_property
    def weights(self) -> np.ndarray:
        """Weights (T,) of an integral over the span."""
        return np.asarray((self.half[:, None] * WEIGHTS).ravel())

    @property
    def span(self) -> float:
        """How long they last together."""
        return float(self.edges[-1] - self.edges[0])

    def parts(self, values: np.ndarray) -> np.ndarray:
        """Piece by piece, (P, 16, c)."""
        return values.reshape(len(self), NODES, -1)

    def slope(self, values: np.ndarray) -> np.ndarray:
        """Derivatives by the time (T, c)."""
        return np.asarray(np.einsum("ij,pjk->pik", SLOPE, self.parts(values)) / self.half[:, None, None]).reshape(
            values.shape
        )

    def tails(self, values: np.ndarray) -> np.ndarray:
        """Of each piece and function the larger of the last two coefficients of its series (P, c)."""
        return np.asarray(np.abs(np.einsum("jn,pnk->pjk", TRANSFORM[-2:], self.parts(values))).max(axis=1))

    def place(self, t: np.ndarray) -> np.ndarray:
        """The piece in which each time lies."""
        return np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self) - 1)

    def at(self, values: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Values (len(t), c) between the points."""
        i = self.place(t)
        x = (t - self.edges[i]) / self.half[i] - 1.0
        series = np.einsum("jn,pnk->pjk", TRANSFORM, self.parts(values))
        return np.asarray(np.einsum("tj,tjk->tk", chebyshev.chebvander(x, NODES - 1), series[i]))

    def split(self, chosen: np.ndarray) -> Pieces:
        """The pieces, those chosen (P,) halved."""
        middles = (self.edges[:-1] + self.half)[chosen]
        return Pieces(np.sort(np.r_[self.edges, middles]))


# --- narrow features between the points ------------------------------------------------------------------------------
# They are found from the arguments of functions that may be narrow (`calculus.narrow_places`): where along the curve
# these turn back or change their sign, and beside these times at all distances; of a path, its own steps.

MANY = 256  # turns of one argument
_ROUNDS, _GRID = 14, np.linspace(0.0, 1.0, 17)  # each round narrows a bracket to an eighth
_NEARER = 0.5 ** np.arange(1, 48)  # parts of the way from a turn to its neighbours

Function = Callable[[np.ndarray], np.ndarray]  # times (N,) -> values (N,)


class Argument(NamedTuple):
    """An argument along a curve, and where it matters."""

    place: SharpPlace
    along: Function

    @classmethod
    def of(
        cls, outputs: Sequence[Node], states: Iterable[str], along: Callable[[Node], Function]
    ) -> tuple[Argument, ...]:
        """The arguments of the outputs."""
        found = [*places(outputs, [*states]), *(SharpPlace(c, True) for c in corners(outputs))]
        return tuple(cls(place, along(place.argument)) for place in found)

    def near(self, t: np.ndarray) -> tuple[np.ndarray, int]:
        """Times at and beside its turns and zeros, and how many of these were not looked at; t (T,) are the points."""
        values = self.along(t)
        if not np.isfinite(values).all():
            return np.empty(0), 0
        rising, signs = np.sign(np.diff(values)), np.sign(values)
        turned = np.flatnonzero(np.diff(rising) != 0) + 1
        crossed = np.flatnonzero(np.diff(signs) != 0)
        # a bracket, and what is largest at its turn: +-a, or -|a| where it changes its sign
        a = np.r_[turned - 1, crossed]
        b = np.minimum(np.r_[turned + 1, crossed + 1], len(t) - 1)
        way = np.r_[rising[turned - 1], np.zeros(len(crossed))]
        inside = np.column_stack([values[a], values[np.minimum(a + 1, b)], values[b]])
        wide = self.place.wide(inside)
        a, b, way = a[wide], b[wide], way[wide]
        chosen = slice(0, MANY)
        return self._beside(t[a[chosen]], t[b[chosen]], way[chosen]), max(len(a) - MANY, 0)

    def _beside(self, a: np.ndarray, b: np.ndarray, way: np.ndarray) -> np.ndarray:
        first, last = a, b
        for _ in range(_ROUNDS):
            grid = a[:, None] + (b - a)[:, None] * _GRID
            values = self.along(grid.ravel()).reshape(grid.shape)
            score = np.where(way[:, None] == 0, -np.abs(values), way[:, None] * values)
            best = np.nan_to_num(score, nan=-np.inf).argmax(axis=1)
            rows = np.arange(len(a))
            a, b = grid[rows, np.maximum(best - 1, 0)], grid[rows, np.minimum(best + 1, len(_GRID) - 1)]
        turn = ((a + b) / 2)[:, None]
        return np.concatenate(
            [
                x.ravel()
                for x in (turn, turn + (first[:, None] - turn) * _NEARER, turn + (last[:, None] - turn) * _NEARER)
            ]
        )
