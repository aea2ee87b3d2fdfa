"""How many of the constraints are independent, which follow from the others, and whether they can hold together.

Decided at random states on the constraints, so that rows which depend on each other only there (a linkage with a spare
rod) are seen to do so. Entries are analytic: a rank that holds at the states tried holds almost everywhere. Where
floating point sees less than the exact rank at a random point, numbers of any size decide: a row that differs from
others in exp(-4 y^2) alone is a row of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..calculus.euler_lagrange import Motion
from ..calculus.exact.exact_rank import clearly_independent, rank_at_most
from ..calculus.graph import evaluate, gradient
from ..calculus.jacobians import Slopes, numbers_of
from ..calculus.numerical_rank import RANK_TOLERANCE, definite, directions, echelon, null_space, rank_of, ranks_of
from ..errors import InvalidValue
from ..model.constraint import Constraint
from ..model.system import System
from .random_states import ConstraintSampler, Values

TRIES, SAMPLES, _MOST = 60, 5, 400
_FEW, _MANY = 2, 24  # states at which so many constraints are decided: near one where they hold, if one is known
_CLEAR = 1e-5  # a state whose rank hangs on less lies beside a singular one
_UNCANCELLED = 1e-6  # of a row of terms that cancel: what is left of it, where its direction is known to 10 digits
_TIED = 1e-8  # of a combination of rows that is 0: what is not part of it
_SMALL = 0.05  # of its usual length: a row that is smaller at a state shows little there
_PUSH = 1e-3  # how far a state is moved to see whether a row still follows from the others


_KNOWN: WeakKeyDictionary[Any, dict[tuple[int, ...], Ranks]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Ranks:
    """The rank of a set of constraints, and the states at which it was decided.

    Attributes:
        constraints: the rows, m of them.
        states: where it was decided, by name.
        held: do the constraints hold there? If not, none was found where they do.
        normals: N at each state (samples x m x k).
        rows: the same rows of length 1, or 0 where they are roundings of their terms.
        rank: the number of independent rows.
        kept: positions of rows that carry the rank; the others follow.
        contradictory: names of rows that cannot hold together, or empty.
        hidden: are the normals dependent wherever the rows hold, though no row follows from the others? Then all are
            kept, and they determine no motion there.
    """

    constraints: tuple[Constraint, ...]
    states: tuple[Values, ...]
    held: bool
    normals: np.ndarray
    rows: np.ndarray
    rank: int
    kept: tuple[int, ...]
    contradictory: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def unseen(self) -> bool:
        """Are rows kept that floating point cannot tell from the others at any of the states?"""
        return not self.hidden and len(self.rows) > 0 and self.seen < self.rank

    @property
    def seen(self) -> int:
        """The largest rank that floating point sees at the states."""
        return max(map(rank_of, self.rows))

    @cached_property
    def tied(self) -> frozenset[str]:
        """Names of the constraints that follow from others, or others from them: their multipliers are not unique."""
        if len(self.kept) == len(self.constraints):
            return frozenset()
        found: np.ndarray = np.zeros(len(self.constraints), bool)
        for N in self.rows:
            # z N = 0
            found |= np.abs(null_space(N.T)).max(axis=1, initial=0.0) > _TIED
        return frozenset(c.name for c, is_tied in zip(self.constraints, found, strict=True) if is_tied)

    @cached_property
    def ties(self) -> dict[str, dict[str, float]]:
        """For each row that follows from those kept: its coefficients, if they are the same at every state, or {}."""
        kept = list(self.kept)
        found: dict[str, dict[str, float]] = {}
        for s, constraint in enumerate(self.constraints):
            if s in kept:
                continue
            rows = np.array([np.linalg.lstsq(N[kept].T, N[s], rcond=None)[0] for N in self.normals])
            steady = bool(np.ptp(rows, axis=0).max(initial=0.0) < 1e-8)
            names = [self.constraints[r].name for r in kept]
            found[constraint.name] = dict(zip(names, rows[0].tolist(), strict=True)) if steady else {}
        return found


def ranks(system: System, constraints: Sequence[Constraint] | None = None, near: Values | None = None) -> Ranks:
    """Decide the rank of the constraints (all of the system's if left out); of many, near a state at which they hold.

    Of many rows that hold together random states find no way to them.
    """
    constraints = system.constraints if constraints is None else tuple(constraints)
    known = _KNOWN.setdefault(system, {})
    key = tuple(map(id, constraints))
    if key not in known:
        known[key] = _ranks(ConstraintSampler(system, constraints, system.algebra), near)
    return known[key]


def _ranks(sampler: ConstraintSampler, near: Values | None = None) -> Ranks:
    around = [] if near is None or len(sampler.constraints) < _MANY else list(islice(sampler.around(near), _FEW))
    states, held = (around, True) if around else _find(sampler)
    m = len(sampler.constraints)
    states = _moving(sampler, states) if held and not around else states
    k = len(sampler.motion.u)
    if not m:
        return Ranks((), tuple(states), held, none := np.zeros((len(states), 0, k)), none, 0, ())
    normals = np.array([_normals(sampler, values) for values in states]).reshape(len(states), m, k)
    rows = np.array([sampler.unit_rows(values) for values in states])
    clash = () if held or sampler.unknown or not states else _clash(sampler)
    positions = [i for i, c in enumerate(sampler.constraints) if c.holonomic]
    length = np.linalg.norm(normals, axis=2)
    # |N_i(state)| / the usual one, at most 1: a row times a factor that vanishes is small where the factor is
    share = length / np.maximum(length, np.median(length, axis=0)).clip(np.finfo(float).tiny) if states else length
    kept = _kept(sampler, states, rows.reshape(normals.shape), share, positions) if states else tuple(range(m))
    usual = [values for values, s in zip(states, share, strict=True) if s[list(kept)].min(initial=1.0) > _SMALL]
    hidden = held and len(kept) < m and not _follow(sampler, usual, kept)
    kept = tuple(range(m)) if hidden else kept
    return Ranks(sampler.constraints, tuple(states), held, normals, rows, len(kept), kept, clash, hidden)


def _find(sampler: ConstraintSampler) -> tuple[list[Values], bool]:
    """States on the constraints; where none is found, states anywhere (where the constraints are numbers)."""
    samples = SAMPLES if len(sampler.constraints) < _MANY else _FEW
    anywhere: list[Values] = []
    found: list[Values] = []
    numbers = ((values, held) for values, held in islice(sampler.states(), _MOST) if sampler.finite(values))
    for values, held in islice(numbers, TRIES):
        (found if held else anywhere).append(values)
        if len(found) == samples:
            break
        if not found and len(anywhere) == samples:
            surely = sampler.descend if samples > _FEW else sampler.in_turn
            found = [v for v in anywhere if surely(v)]  # slower
            anywhere = [] if found else anywhere
            if not found or samples == _FEW:  # of many rows no other state would be found without it
                break
    return (found, True) if found else (anywhere, False)


def _moving(sampler: ConstraintSampler, states: list[Values]) -> list[Values]:
    """Where no motion is left at the states found: states, if there are any, at which one is (another assembly)."""
    k = len(sampler.motion.u)
    if len(sampler.constraints) < k or all(rank_of(sampler.unit_rows(v)) < k for v in states):
        return states
    more = (v for v, held in islice(sampler.states(), TRIES) if held)
    free = (v for v in more if rank_of(N := sampler.unit_rows(v)) < k and _weakest(N) > _CLEAR)
    # none is left where the rows are small, and yet independent
    truly = (v for v in free if len(clearly_independent(sampler.normals, [v], sampler.iterated)) < k)
    return list(islice(truly, SAMPLES)) or states


def _weakest(N: np.ndarray) -> float:
    """The smallest singular value of the rows, scaled to length 1, that counts for their rank."""
    return float(np.linalg.svd(directions(N), compute_uv=False)[: rank_of(N)].min(initial=1.0))


def _normals(sampler: ConstraintSampler, values: Values) -> np.ndarray:
    return numbers_of(sampler.normals, len(sampler.motion.u), values)


def _kept(
    sampler: ConstraintSampler,
    states: Sequence[Values],
    normals: np.ndarray,
    share: np.ndarray,
    first: Sequence[int],
) -> tuple[int, ...]:
    """Rows that carry the largest rank among the states, as many of the `first` as can be; small ones last.

    The first are the relations between positions: they say more than their rates, which other rows may imply.
    """
    others = [i for i in range(len(sampler.normals)) if i not in first]
    if isinstance(sampler.normals, Slopes) and any(map(partial(_clearly_all, sampler.normals), states, normals)):
        return tuple(range(len(normals[0])))
    each, most = ranks_of(normals), rank_at_most(sampler.normals)
    rank = min(max(each), most)
    if rank < most:
        order = [*first, *others]
        clear = clearly_independent([sampler.normals[i] for i in order], states, sampler.iterated)
        if len(clear) > rank:
            return tuple(sorted(order[i] for i in clear))
    at = each.index(max(each))
    return _carrying(normals[at], share[at], first, others, rank)


def _clearly_all(slopes: Slopes, values: Values, N: np.ndarray) -> bool:
    """Are all rows independent at a state, by far more than rounding could feign? Then no exact rank is needed."""
    if len(N) > N.shape[1] or slopes.uncancelled(values).min() < _UNCANCELLED:
        return False
    rows = directions(N)
    return len(rows) == len(N) and definite(rows @ rows.T, _CLEAR**2)


def _carrying(
    N: np.ndarray, share: np.ndarray, first: Sequence[int], others: Sequence[int], rank: int
) -> tuple[int, ...]:
    """So many independent rows of N, as many of the `first` as can be, each counted by its share of its length."""
    if rank == len(N):
        return tuple(range(rank))
    length = np.linalg.norm(N, axis=1, keepdims=True)
    N = N / np.where(length > 0, length, 1.0) * share[:, None]
    chosen = _independent(N, list(first), min(rank_of(N[list(first)]), rank))
    # what the others add to the chosen ones
    Q = np.linalg.qr(N[chosen].T)[0]
    return tuple(sorted([*chosen, *_independent(N - N @ Q @ Q.T, list(others), rank - len(chosen))]))


def _independent(N: np.ndarray, rows: list[int], rank: int) -> list[int]:
    """So many independent ones of these rows (`rank` of them), by pivoted QR."""
    import scipy.linalg

    order = scipy.linalg.qr(N[rows].T, pivoting=True, mode="r")[1] if rank else []
    return [rows[int(i)] for i in order[:rank]]


def _follow(sampler: ConstraintSampler, states: Sequence[Values], kept: tuple[int, ...]) -> bool:
    """Do the rows left out still hold at states nearby that satisfy the rows kept?"""
    if not kept:
        return False  # a normal that vanishes where the row holds
    small = sampler.only(kept)
    rng = np.random.default_rng(2)
    for values in states:
        moved = dict(values)
        for s in sampler.space:
            moved[s.name] += _PUSH * float(rng.normal())
        moved.update(small._retracted(moved))
        if not (small.to_positions(moved) and small.to_velocities(moved)):
            continue
        if rank_of(small.unit_rows(moved)) < len(kept):  # the rows kept are small there, and hold nothing
            continue
        rows = [*sampler.phi, *sampler.positions]
        size = np.abs(np.array(evaluate([e for row in sampler.normals for e in row], moved), float)).max(initial=1.0)
        if np.abs(np.array(evaluate(rows, moved), float)).max() > 1e-8 * size:
            return False
    return True


def _clash(sampler: ConstraintSampler) -> tuple[str, ...]:
    """Names of the rows that cannot hold together: the smallest beginning of the list that has no state."""
    names = tuple(c.name for c in sampler.constraints)
    if len(names) == 1:
        return names
    for last in range(len(names)):
        if not _reachable(sampler.only(range(last + 1))):
            guilty = [i for i in range(last) if _reachable(sampler.only([r for r in range(last + 1) if r != i]))]
            return tuple(names[i] for i in (*guilty, last))
    return names


def _reachable(sampler: ConstraintSampler) -> bool:
    return _find(sampler)[1]


# --- what a constraint holds and L gives no kinetic energy ------------------------------------------------------------


def without_energy(system: System, decided: Ranks) -> dict[str, tuple[str, ...]]:
    """Directions n with W n = 0 that a constraint holds (N n not 0), unless all their velocities are declared massless.

    Parameters get random values here: a mass that happens to be 0 is the author's choice.

    Returns:
        ``{direction: names of constraints}``.
    """
    if decided.hidden or not decided.constraints or not decided.states:
        return {}
    algebra = system.algebra
    motion = Motion.of(system.space.frame, algebra)
    W = motion.euler_lagrange(algebra.read(system.lagrangian)).matrix
    rng = np.random.default_rng(4)
    values = {**decided.states[0], **{name: float(rng.uniform(0.5, 1.5)) for name in system.symbols}}
    matrix = numbers_of(W, len(W), values)
    if not np.isfinite(matrix).all() or not matrix.any():
        return {}
    # each velocity in the unit in which it alone carries energy of order 1
    energy = np.abs(np.diag(matrix))
    unit = 1 / np.sqrt(np.where(energy > 0, energy, energy.max(initial=0.0) or 1.0))
    scaled = (matrix + matrix.T) / 2 * unit[:, None] * unit
    if definite(scaled, RANK_TOLERANCE * float(np.linalg.norm(scaled))):
        return {}
    eigenvalues, vectors = np.linalg.eigh(scaled)
    null = vectors[:, np.abs(eigenvalues) < RANK_TOLERANCE * np.abs(eigenvalues).max()]
    if not null.size or len(clearly_independent(W, [values])) == len(W):
        return {}
    names = [u.name for u in system.space.velocities]
    light = {u.name for u in system.massless}
    rows = [gradient(c.row(motion), motion.u) for c in decided.constraints]
    normals = np.array(evaluate([e for row in rows for e in row], values), float).reshape(-1, len(W))
    found: dict[str, tuple[str, ...]] = {}
    for n in echelon((unit[:, None] * null).T):
        parts = [(name, c) for name, c in zip(names, n, strict=True) if abs(c) > 1e-9]
        if {name for name, _ in parts} <= light:
            continue
        holding = [  # a relation between positions may well hold something light
            c.name for c, row in zip(decided.constraints, normals, strict=True) if abs(row @ n) > 1e-9
        ]
        if holding:
            found[", ".join(f"{name} = {round(c, 4):g}" for name, c in parts)] = tuple(holding)
    return found


# --- an equivalent set of constraints ---------------------------------------------------------------------------------


def equivalent_in_force(system: System) -> System:
    """The system with its equivalent constraints in force; the system itself if it carries none.

    At random states that satisfy the equivalent set, the given constraints must hold, and their normals must span the
    same directions wherever they have their full rank.

    Raises:
        InvalidValue: E143, the sets are not equivalent, with the reason.
    """
    if not system.equivalent:
        return system
    held = system.in_force
    decided = ranks(held)
    sampler = ConstraintSampler(system)
    names = ", ".join(c.name for c in system.equivalent)
    for values in decided.states if decided.held else ():
        phi = np.array(evaluate([*sampler.phi, *sampler.positions], values), float)
        N = np.array(evaluate([e for row in sampler.normals for e in row], values), float).reshape(len(sampler.phi), -1)
        M = np.array([[float(v) for v in row] for row in decided.normals[decided.states.index(values)]])
        size = 1 + np.abs(N).max() * max(abs(values[u.name]) for u in system.space.velocities)
        if np.abs(phi).max() > 1e-8 * size:
            worst = system.constraints[int(np.argmax(np.abs(phi[: len(sampler.phi)])))].name
            raise _different(names, f"{worst} does not follow from it")
        if rank_of(np.vstack([N, M])) > rank_of(M):
            raise _different(names, "the reactions point elsewhere")
        if rank_of(N) < rank_of(M):
            raise _different(names, "it allows fewer motions")
    return held


def _different(names: str, why: str) -> InvalidValue:
    return InvalidValue(
        "E143",
        f"{names} is not equivalent to the given constraints: {why}",
        "correct either set",
        subject=("equivalent", names.partition(", ")[0]),
    )
