"""The assembly of a mechanism: what is held stays exact, what is guessed is a beginning, the constraints say the rest.

least du^T W du / 2   with   N du = -f ,   and du = 0 for what is held
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..argument_checks import mapping, names
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, gradient
from ..calculus.jacobians import Slopes, affine, numbers_of
from ..calculus.numerical_rank import null_space
from ..calculus.symbols import by_name
from ..errors import InvalidValue, UnknownName, as_given, did_you_mean
from .nonfinite_values import require
from .residual_scale import scales
from .saddle_form import Numbers, energy_units

if TYPE_CHECKING:
    from . import Equations


_STEPS, _HALVINGS = 50, 10  # of Newton's iteration, and of each of its steps
_ELSEWHERE = 40  # further beginnings, from which other solutions are looked for
_SAME = 1e-6  # of the size of the coordinates, within which two solutions are one
_WHEN = "on the way to a consistent start"
Values = dict[str, float]


def held_and_guessed(
    equations: Equations, given: Mapping[str, object], hold: object, guess: Any
) -> tuple[dict[str, object], dict[str, object]]:
    """What is exact and what is a beginning, of values by name; a coordinate that is held holds its rate, if given.

    Raises:
        UnknownName: E229, a name in `hold` that nothing here bears.
        InvalidValue: E241, a value that is held and not given, or that is given twice.
    """
    guess = {} if guess is None else mapping(guess, "a guess", "E241", 'guess={"b": 0.4}')
    begun = by_name(guess, "the guess", equations.system.space.spelled)
    if both := sorted(begun.keys() & given.keys()):
        raise InvalidValue("E241", f"{both[0]} is given in the start and guessed", "leave one of the two out")
    if hold is None:
        return dict(given), begun
    space = equations.space
    rates, known = {str(q): str(u) for q, u in space.rates.items()}, [*space.by_name, *space.attitudes]
    held = {s.name for s in equations.states_of_multipliers}
    for name in names(hold.replace(",", " ").split() if isinstance(hold, str) else hold, "hold", "E241"):
        if name not in known:
            raise UnknownName("E229", f"hold: unknown name {as_given(name)}", did_you_mean(name, known))
        if name not in given:
            why = "guess says where to begin, not what is exact" if name in begun else "it has no value"
            raise InvalidValue("E241", f"{name} cannot be held: {why}", f"give it in the start: {name}=...")
        held |= {name, rates.get(name, name)}
    exact = {name: value for name, value in given.items() if name in held}
    return exact, {**{name: value for name, value in given.items() if name not in held}, **begun}


def assembled(equations: Equations, values: Values, held: set[str], guessed: Sequence[str]) -> int:
    """Move coordinates that are not held to where the relations hold, next to the guess; how many places were found.

    Other places are looked for where what is held leaves no way to go: then a guess chooses among few.

    Raises:
        InvalidValue: E232, none was found.
    """
    fixed = [q.name for q in equations.space.coordinates if q.name in held]
    begin = {**{u.name: 0.0 for u in equations.space.velocities}, **values}  # relations between positions hold none
    own = dict(begin)
    found = [own] if to_positions(equations, own, fixed) else []
    if not found or _isolated(equations, own, fixed):
        for other in _elsewhere(equations, begin, fixed):
            if to_positions(equations, other, fixed) and min(_far(equations, other, found), default=math.inf) > _SAME:
                found.append(other)
    if not found:
        rows = ", ".join(equations.constraints[i].name for i in equations.machine.position)
        fact = f"no place was found where {rows} hold, with {', '.join(fixed) or 'nothing'} held"
        remedy = f"hold other values or less, or begin elsewhere with {', '.join(guessed) or 'a guess'}"
        raise InvalidValue("E232", fact, remedy, subject=("start", *fixed))
    nearest = found[int(np.argmin(list(_far(equations, begin, found))))]
    turns = {q: math.tau * round((values[q] - nearest[q]) / math.tau) for q in equations.system.angles - held}
    values |= {q.name: nearest[q.name] + turns.get(q.name, 0.0) for q in equations.space.coordinates}
    return len(found)


def to_positions(equations: Equations, values: Values, fixed: Sequence[str] = ()) -> bool:
    """Newton's iteration of the coordinates in the kinetic metric, without those fixed; do the relations hold then?"""
    machine, space = equations.machine, equations.space
    rows, nodes = list(machine.position), list(machine.position.values())
    values |= retracted(equations, values)
    for _ in range(_STEPS if rows else 0):
        require(nodes, values, _WHEN)
        f = np.array(evaluate(nodes, values), float)
        shift, length = _correction(equations, values, rows, f, _rates_of(equations, values, fixed))
        ways = {u.name: float(x) for u, x in zip(space.velocities, shift, strict=True)}
        rates = evaluate(machine.qdot, {**values, **ways})
        moved = {q.name: float(d) for q, d in zip(space.coordinates, rates, strict=True) if q.name not in fixed}
        for _ in range(_HALVINGS):
            there = {**values, **{name: values[name] + d for name, d in moved.items()}}
            there |= retracted(equations, there)
            with np.errstate(all="ignore"):
                less = np.linalg.norm(np.array(evaluate(nodes, there), float) / length) <= np.linalg.norm(f / length)
            if less or np.abs(shift).max(initial=0.0) < 1e-12:
                break
            moved = {name: d / 2 for name, d in moved.items()}
        values |= there
        if np.abs(shift).max(initial=0.0) < 1e-15:
            break
    if not rows:
        return True
    off = np.abs(np.array(evaluate(nodes, values), float))
    return bool(np.all(off <= TOLERANCE * np.array(scales(machine.terms, nodes, space.coordinates, values))))


def to_velocities(equations: Equations, values: Values, fixed: Sequence[str] = ()) -> None:
    """Change velocities until they keep the constraints, at coordinates that are known."""
    machine, space = equations.machine, equations.space
    every = list(range(len(machine.phi)))
    held = np.array([[float(u.name == name) for u in space.velocities] for name in fixed])
    for _ in range(_STEPS):
        require(machine.phi, values, _WHEN)
        phi = np.array(evaluate(machine.phi, values), float)
        shift, _ = _correction(equations, values, every, phi, held)
        moved = zip(space.velocities, shift, strict=True)
        values |= {u.name: values[u.name] + float(x) for u, x in moved if u.name not in fixed}
        if np.abs(shift).max(initial=0.0) < 1e-15:
            break


def retracted(equations: Equations, values: Mapping[str, float]) -> Values:
    """Coordinates of rotations and directions, brought to unit length."""
    retraction = equations.space.retraction
    found = evaluate([read(e, equations.machine.graph) for e in retraction.values()], values)
    return {q.name: float(v) for q, v in zip(retraction, found, strict=True)}


def _correction(
    equations: Equations, values: Mapping[str, float], rows: Sequence[int], residual: np.ndarray, held: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The least du (k,), and the lengths of the rows (m,); held (h, k) du = 0."""
    # least du^T W du / 2 with N du = -phi:  W du - N^T l = 0
    numbers = Numbers.of(equations.machine.form._replace(W=equations.machine.metric), values).rows(list(rows))
    W, N = numbers.W, np.vstack([numbers.N, held.reshape(-1, numbers.N.shape[1])])
    # in units in which each velocity alone carries energy of order 1, and each row is of length 1
    weight = np.abs(np.diag(W))
    unit = 1 / np.sqrt(np.where(weight > 0, weight, weight.max(initial=0.0) or 1.0))
    length = np.linalg.norm(N * unit, axis=1)
    length = np.where(length > 0, length, 1.0)
    N = N * unit / length[:, None]
    bordered = np.block([[W * np.outer(unit, unit), -N.T], [N, np.zeros((len(N), len(N)))]])
    b = np.r_[np.zeros(len(W)), -residual / length[: len(residual)], np.zeros(len(N) - len(residual))]
    if not np.isfinite(bordered).all():  # a pole of the relations: another place to begin is looked for
        return np.zeros(len(W)), length[: len(residual)]
    return np.asarray(unit * np.linalg.lstsq(bordered, b, rcond=1e-12)[0][: len(W)]), length[: len(residual)]


def _rates_of(equations: Equations, values: Mapping[str, float], fixed: Sequence[str]) -> np.ndarray:
    """d(dq/dt)/du of coordinates (h, k)."""
    machine, space = equations.machine, equations.space
    u = [machine.graph.symbol(s.name) for s in space.velocities]
    rows = [gradient(d, u) for q, d in zip(space.coordinates, machine.qdot, strict=True) if q.name in fixed]
    return np.array([evaluate(row, values) for row in rows], float).reshape(len(rows), len(u))


def _isolated(equations: Equations, values: Mapping[str, float], fixed: Sequence[str]) -> bool:
    """Is no motion left at a place, where some coordinates are held?"""
    N = Numbers.of(equations.machine.form, values).N[list(equations.machine.position)]
    return not null_space(np.vstack([N, _rates_of(equations, values, fixed)])).shape[1]


def _elsewhere(equations: Equations, values: Values, fixed: Sequence[str]) -> Iterator[Values]:
    """Further beginnings: angles anywhere, rotations and directions at random, lengths as far away as they are long."""
    rng, space, angles = np.random.default_rng(0), equations.space, equations.system.angles
    bent = {q.name for q in space.retraction} | {q.name for a in space.attitudes.values() for q in a.coordinates}
    free = [q.name for q in space.coordinates if q.name not in fixed]
    size = max((abs(values[q.name]) for q in space.coordinates if q.name not in angles | bent), default=1.0) or 1.0
    for _ in range(_ELSEWHERE if free else 0):
        drawn = space.sample(rng, [])
        ways = {q: rng.uniform(-math.pi, math.pi) if q in angles else size * rng.normal() for q in free}
        yield {**values, **{q: drawn[q] if q in bent else values[q] + float(ways[q]) for q in free}}


def _far(equations: Equations, values: Mapping[str, float], found: Sequence[Mapping[str, float]]) -> Iterator[float]:
    """How far each of these places is from one, in the kinetic metric where velocities are rates; turns are nothing."""
    places, angles = [q.name for q in equations.space.coordinates], equations.system.angles
    weight = np.ones(len(places))
    if list(equations.space.rates.values()) == list(equations.space.velocities):
        metric = equations.machine.form._replace(W=equations.machine.metric)
        weight = 1 / energy_units(Numbers.of(metric, values).W)
    for other in found:
        ways = np.array([other[q] - values[q] for q in places])
        ways -= [math.tau * round(d / math.tau) if q in angles else 0.0 for q, d in zip(places, ways, strict=True)]
        yield float(np.linalg.norm(weight * ways) / np.linalg.norm(weight))


# --- what rows that are affine in missing names determine, for many states at once -----------------------------------

TOLERANCE = 1e-9
FREE = 1e-9  # of a null vector: a name that it moves by less is determined
RANK = 1e-12  # of the largest singular value
FEW = 4  # names: so many are eliminated component by component, for all states at once
REGULAR = 1e-3  # least pivot of rows of size 1 with which elimination keeps its digits


_Rows = Sequence[Sequence[np.ndarray]]  # of a matrix, whose entries are arrays (K,)


class Determined(NamedTuple):
    """Values of n names in K states.

    Attributes:
        x: the values (K, n).
        known: which of them are determined (K, n).
        contradiction: where the rows contradict each other (K,).
        bound: which rows depend on a name (K, rows).
    """

    x: np.ndarray
    known: np.ndarray
    contradiction: np.ndarray
    bound: np.ndarray


def determined(rows: Sequence[Node], left: Sequence[str], values: Mapping[str, np.ndarray], count: int) -> Determined:
    """What the rows (each to be 0) say about the names left, given the other values (K,)."""
    n = len(left)
    xs = [rows[0].graph.symbol(name) for name in left] if rows else []
    usable = affine(rows, xs)
    bound = np.zeros((count, len(rows)), bool)
    if not any(usable):
        return Determined(np.zeros((count, n)), np.zeros((count, n), bool), np.zeros(count, bool), bound)
    at_zero = {**values, **{name: np.zeros(count) for name in left}}
    chosen = [i for i, use in enumerate(usable) if use]
    A, b = _side_by_side([rows[i] for i in chosen], xs, at_zero, count)
    good = np.isfinite(A).all(axis=(0, 1)) & np.isfinite(b).all(axis=0)
    if not good.all():
        A, b = np.where(good, A, 0.0), np.where(good, b, 0.0)
    size = np.abs(A).max(axis=1)
    bound[:, chosen] = (size > 0).T
    unit = np.where(size > 0, size, 1.0)
    A, b = A / unit[:, None], np.where(size > 0, b / unit, 0.0)
    x, null = _least_squares(A, b)
    # |A x - b| against |x| + |b|
    off = np.abs((A * x).sum(axis=1) - b).max(axis=0)
    contradiction = off > TOLERANCE * (np.abs(x).max(axis=0) + np.abs(b).max(axis=0))
    return Determined((x + 0.0).T, ((null <= FREE) & (size > 0).any(axis=0)).T, contradiction, bound)


def _side_by_side(
    rows: Sequence[Node], xs: Sequence[Node], at_zero: Mapping[str, np.ndarray], count: int
) -> tuple[np.ndarray, np.ndarray]:
    """A (m, n, K) and b (m, K) of rows A x - b, at states where x is 0; the states lie side by side."""
    slopes = Slopes(rows, xs)
    if slopes.many:
        A = np.moveaxis(np.broadcast_to(numbers_of(slopes, len(xs), at_zero), (count, len(rows), len(xs))), 0, -1)
    else:
        A = _table([e for row in slopes.rows for e in row], at_zero, count).reshape(len(rows), len(xs), count)
    return A, -_table(rows, at_zero, count)


def _table(nodes: Sequence[Node], values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    found = np.empty((len(nodes), count))
    for row, number in zip(found, evaluate(nodes, values), strict=True):
        row[:] = number
    return found


def _least_squares(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least x (n, K) that minimises |A x - b|, and the largest |component| of a null vector by name (n, K).

    Few names in as many rows are eliminated where that keeps their digits: each state by itself, whatever the others.
    """
    rows, n, _ = A.shape
    if rows != n or n > FEW:
        return _by_singular_values(A, b)
    x, regular = _eliminated(A, b)
    null = np.zeros_like(x)
    if not regular.all():
        x[:, ~regular], null[:, ~regular] = _by_singular_values(A[..., ~regular], b[:, ~regular])
    return x, null


def _eliminated(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x (n, K) with A x = b by the inverse of Gauss and Jordan, and where all its pivots are large (K,)."""
    _, n, count = A.shape
    columns: _Rows = [[*row] for row in A]
    right, regular, one, zero = [*b], np.ones(count, bool), np.ones(count), np.zeros(count)
    M = [[*row, *(one if i == j else zero for j in range(n))] for i, row in enumerate(columns)]
    for k in range(n):
        for i in range(k + 1, n):
            M[k], M[i] = _sorted(M[k], M[i], k)
        large = np.abs(M[k][k]) > REGULAR
        regular &= large
        pivot = np.where(large, M[k][k], 1.0)
        M[k] = [entry / pivot for entry in M[k]]
        for i in set(range(n)) - {k}:
            M[i] = [entry - M[i][k] * top for entry, top in zip(M[i], M[k], strict=True)]
    inverse = [row[n:] for row in M]
    x = _times(inverse, right)
    # rows of small terms, too, hold to their own rounding
    off = [r - product for r, product in zip(right, _times(columns, x), strict=True)]
    return np.array([a + d for a, d in zip(x, _times(inverse, off), strict=True)]), regular


def _sorted(top: list[np.ndarray], low: list[np.ndarray], k: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Two rows, the one with the larger entry k first."""
    swap = np.abs(low[k]) > np.abs(top[k])
    if not swap.any():
        return top, low
    pairs = [(np.where(swap, b, a), np.where(swap, a, b)) for a, b in zip(top, low, strict=True)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _times(rows: _Rows, x: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A x, of numbers that are arrays (K,)."""
    found = []
    for row in rows:
        total = row[0] * x[0]
        for a, b in zip(row[1:], x[1:], strict=True):
            total = total + a * b
        found.append(total)
    return found


def _by_singular_values(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of any rows."""
    A, b = np.ascontiguousarray(np.moveaxis(A, -1, 0)), np.ascontiguousarray(b.T)
    # A = U diag(s) V^T
    U, s, Vt = np.linalg.svd(A)
    held = s > RANK * s[:, :1]
    inverse = np.where(held, 1 / np.where(held, s, 1.0), 0.0)
    r = s.shape[1]

    def solved(b: np.ndarray) -> np.ndarray:
        projected = (U[:, :, :r] * b[:, :, None]).sum(axis=1) * inverse
        return np.asarray((Vt[:, :r] * projected[:, :, None]).sum(axis=1))

    x = solved(b)
    x = x + solved(b - (A * x[:, None, :]).sum(axis=2))  # rows of small terms, too, hold to their own rounding
    empty = np.ones(Vt.shape[:2], bool)
    empty[:, :r] = ~held
    return x.T, np.where(empty[:, :, None], np.abs(Vt), 0.0).max(axis=1).T
