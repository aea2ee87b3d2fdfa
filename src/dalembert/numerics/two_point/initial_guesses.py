"""Where to start the search: scales of what is unknown, and random points over several of them.

A velocity counts in the speed of the straight way, u T with E u T = q_end - q0, or in one of the same energy, large
enough that motions come so far under the constraints; turning in one radian in the time, or in what the forces make of
rest; a multiplier in what bends the motion by one radian in the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import evaluate
from ...calculus.quantity import number
from ...calculus.symbols import by_name
from ...equations import Equations
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from .end_conditions import End, rotation_vector
from .shooting import Shooting

# --- How far motions of a given speed come under linear constraints, forces left aside: the sizes of things ----------
# Random smooth velocities are carried along the constraints. A coordinate that only the constraints move, as the height
# of the Heisenberg system, so gets a size of its own, whatever the units of the others.

CURVES = 16  # random ones
STEPS = 16  # along each
YIELDING = 1e6  # a velocity without energy gives way to a constraint so much more than one with
ENOUGH = 0.5  # part of the way to come
DOUBLINGS = 90  # speeds tried, each twice the one before
LOWEST_POWER = -60  # of 2: the first of them, over the usual speed


class CurveSpread(NamedTuple):
    """Root mean squares over random curves.

    Attributes:
        coordinates: how far each goes (n,).
        velocities: how large each is (k,).
    """

    coordinates: np.ndarray
    velocities: np.ndarray


def reach(
    equations: Equations, values: Mapping[str, float], duration: float, size: np.ndarray, massive: np.ndarray
) -> CurveSpread:
    """From the start with velocities of so many (k,) in `duration`; those not `massive` follow from constraints."""
    space, graph, form = equations.space, equations.machine.graph, equations.machine.form
    k, n = len(size), len(space.coordinates)
    linear = all(c.kind != "nonlinear" for c in equations.constraints)
    rows = [e for row in form.N for e in row] if linear else []
    nodes = [*(read(e, graph) for e in space.anchor), *rows]
    names = [q.name for q in space.coordinates]
    q0 = np.array([values[name] for name in names])
    q, most, speeds = np.tile(q0, (CURVES, 1)), np.zeros((CURVES, n)), np.zeros(k)
    w = np.random.default_rng(1).normal(size=(2, CURVES, k)) * np.where(massive | (not linear), size, 0.0)
    weight = np.where(massive, 1.0, YIELDING) * size
    rest = {name: 0.0 for name in equations.states[n:]}
    for i in range(STEPS):
        where = {**rest, **values, **dict(zip(names, q.T, strict=True)), TIME.name: values[TIME.name]}
        flat = np.stack([np.broadcast_to(np.asarray(e, float), CURVES) for e in evaluate(nodes, where)], axis=1)
        E, N = flat[:, : n * k].reshape(-1, n, k), flat[:, n * k :].reshape(CURVES, -1, k)
        phase = np.pi * (i + 0.5) / STEPS
        u = _kept(w[0] * np.cos(phase) + w[1] * np.sin(phase), N * weight, weight)
        q = _restored(equations, q + duration / STEPS * np.einsum("cnk,ck->cn", E, u), q0)
        most, speeds = np.maximum(most, np.abs(q - q0)), speeds + (u**2).mean(axis=0) / STEPS
    return CurveSpread(np.sqrt((most**2).mean(axis=0)), np.sqrt(speeds))


def _kept(u: np.ndarray, N: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Velocities (c, k) brought to N u = 0, N in units of the weights."""
    if not N.shape[1]:
        return u
    length = np.linalg.norm(N, axis=2, keepdims=True)
    N = N / np.where(length > 0, length, 1.0)
    inverse = np.linalg.pinv(N, rcond=1e-10)
    return np.asarray(u - weight * np.einsum("ckm,cm->ck", inverse, np.einsum("cmk,ck->cm", N, u / weight)))


def _restored(equations: Equations, q: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The coordinates of rotations brought back to the length that they have."""
    names = [s.name for s in equations.space.coordinates]
    for attitude in equations.space.attitudes.values():
        at = [names.index(s.name) for s in attitude.coordinates]
        length = np.linalg.norm(q[:, at], axis=1, keepdims=True)
        q[:, at] *= np.linalg.norm(first[at]) / np.where(length > 0, length, 1.0)
    return q


def speed(
    equations: Equations,
    values: Mapping[str, float],
    way: Mapping[str, float],
    duration: float,
    unit: np.ndarray,
    massive: np.ndarray,
    straight: np.ndarray,
) -> float:
    """The least of doubled speeds with which motions come about as far as wanted, in units of velocities.

    Args:
        equations: whose constraints.
        values: the start.
        way: how far each wanted coordinate has to go.
        duration: the time for it.
        unit: velocities of the same energy (k,).
        massive: which carry any (k,).
        straight: velocities of the straight way (k,).
    """
    usual = float(np.linalg.norm(straight / unit)) or 1 / (duration * float(unit.max()))
    least = float(np.linalg.norm((straight / unit)[massive]))
    if not equations.constraints or (massive.all() and not any(way.values())):
        return least or usual
    names = [q.name for q in equations.space.coordinates]
    places, wanted = [names.index(n) for n in way], ENOUGH * np.abs(list(way.values()))
    first = least or usual * 2.0**LOWEST_POWER
    with np.errstate(all="ignore"):
        for i in range(DOUBLINGS):
            found = reach(equations, values, duration, first * 2.0**i * unit, massive).coordinates[places]
            if np.all(found >= wanted):
                return first * 2.0**i
    return usual


SPREAD_U = (-1.0, 1.0)  # powers of ten of the random factors of velocities
SPREAD_LAM = (-1.0, 1.3)  # of multipliers
FORCED = 1e-3  # part of what forces make of rest that counts for scales
TRIED = 5  # velocities at which the effect of a multiplier is looked at


class RandomCurves(NamedTuple):
    """What random points are made of.

    Attributes:
        straight: velocities of the straight way (k,).
        forced: what the forces make of rest in the time (k,).
        idle: multipliers of which a constant one changes no motion (m,), as that of a relation between positions.
    """

    straight: np.ndarray
    forced: np.ndarray
    idle: np.ndarray


class Scales(NamedTuple):
    """The sizes of what is unknown, and what random points are made of.

    Attributes:
        point: scale of each component of a point (k + m,).
        travel: how far coordinates go (n,).
        curves: what random points are made of.
    """

    point: np.ndarray
    travel: np.ndarray
    curves: RandomCurves


def scales(
    equations: Equations, values: Mapping[str, float], end: End, duration: float, rng: np.random.Generator
) -> Scales:
    """The sizes of what is unknown of motions from a start to an end in this time."""
    m = len(equations.states_of_multipliers)
    E, straight = _straight(equations, values, end, duration)
    unit, massive = _units(equations, values)
    way = {n: v - values[n] for n, v in end.plain.items()}
    size = unit * speed(equations, values, way, duration, unit, massive, straight)
    pushed = _pushed(equations, values, end, duration)
    gone = reach(equations, values, duration, size, massive)
    own = np.where(massive | (gone.velocities <= 1e-9 * size), size, gone.velocities)
    u = np.maximum(np.maximum(np.abs(straight), own), FORCED * pushed)
    far = np.maximum(gone.coordinates, FORCED * duration * (np.abs(E) @ pushed))
    u = np.where(_turning(equations, E), np.maximum(u, 1 / duration), u)
    lam, idle = np.ones(m), np.zeros(m, bool)
    if m:
        weight = np.where(massive, 1 / unit, 0.0)
        response = _response(equations, values, u, weight, rng)
        total = float(np.linalg.norm(u * weight))
        idle = response * duration < 1e-9 * total
        momentum = _momentum(equations, values, u)
        lam = np.where(idle, momentum, total / (duration * np.where(idle, 1.0, response)))
    return Scales(np.r_[u, lam], far, RandomCurves(straight, pushed, idle))


def _pushed(equations: Equations, values: Mapping[str, float], end: End, duration: float) -> np.ndarray:
    """|udot| T at rest, (k,): the larger of both ends."""
    goal = {**values, **end.plain, TIME.name: end.t}
    most = np.zeros(len(equations.space.velocities))
    for where in (values, goal):
        with np.errstate(all="ignore"):
            try:
                found = np.abs(equations.accelerations({**where, **_at_rest(equations)})[0]) * duration
            except np.linalg.LinAlgError:
                continue
        most = np.where(np.isfinite(found), np.maximum(most, found), most)
    return most


def _straight(
    equations: Equations, values: Mapping[str, float], end: End, duration: float
) -> tuple[np.ndarray, np.ndarray]:
    """The anchor at the start (n, k), and the shortest u (k,) with E u T = q_end - q0."""
    space, graph = equations.space, equations.machine.graph
    k = len(space.velocities)
    E = np.array(evaluate([read(e, graph) for e in space.anchor], values), float).reshape(-1, k)
    places = end.places
    rows = [E[places]]
    way = [np.array([v - values[n] for n, v in end.plain.items()])]
    for rotated in end.rotations:
        flat = np.array(evaluate(list(rotated.entries), values), float).reshape(9, -1)
        R, dR = flat[:, 0].reshape(3, 3), (flat[:, 1:] @ E[list(rotated.places)]).reshape(3, 3, k)
        turned = np.einsum("ji,jka->ika", R, dR)
        rows.append(np.stack([turned[2, 1], turned[0, 2], turned[1, 0]]))
        way.append(-rotation_vector(rotated.wanted.T @ R))
    return E, np.linalg.lstsq(np.vstack(rows), np.concatenate(way) / duration, rcond=1e-10)[0]


class _VelocityUnits(NamedTuple):
    """Velocities of one energy.

    Attributes:
        size: of each, so that it alone carries an energy of order 1; the largest of them where it carries none (k,).
        massive: which carry any; all of them where none does (k,).
    """

    size: np.ndarray
    massive: np.ndarray


def _units(equations: Equations, values: Mapping[str, float]) -> _VelocityUnits:
    """The velocities of one energy at the start."""
    diagonal = [row[a] for a, row in enumerate(equations.machine.metric)]
    with np.errstate(all="ignore"):
        energy = np.abs(np.array(evaluate(diagonal, {**_at_rest(equations), **values}), float))
        known = np.isfinite(energy) & (energy > 0)
        if not known.any():
            return _VelocityUnits(np.ones(len(energy)), np.ones(len(energy), bool))
        unit = 1 / np.sqrt(np.where(known, energy, 1.0))
    return _VelocityUnits(np.where(known, unit, unit[known].max()), known)


def _at_rest(equations: Equations) -> dict[str, float]:
    names = equations.states[len(equations.space.coordinates) :]
    return dict.fromkeys(names, 0.0)


def _turning(equations: Equations, E: np.ndarray) -> np.ndarray:
    """Which velocities turn something: an angle or a rotation."""
    space = equations.space
    turned = {*space.angles, *(s.name for a in space.attitudes.values() for s in a.coordinates)}
    rows = [i for i, q in enumerate(space.coordinates) if q.name in turned]
    return np.asarray(np.any(E[rows] != 0, axis=0)) if rows else np.zeros(E.shape[1], bool)


def _response(
    equations: Equations, values: Mapping[str, float], u: np.ndarray, weight: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """|udot| that a multiplier of 1 adds, (m,): the largest of several velocities of size u."""
    names, lam = [s.name for s in equations.space.velocities], [s.name for s in equations.states_of_multipliers]
    most = np.zeros(len(lam))
    for _ in range(TRIED):
        moving = {**values, **dict.fromkeys(lam, 0.0), **dict(zip(names, u * rng.normal(size=len(u)), strict=True))}
        with np.errstate(all="ignore"):
            try:
                still = equations.accelerations(moving)[0]
                pushed = [equations.accelerations({**moving, name: 1.0})[0] - still for name in lam]
            except np.linalg.LinAlgError:
                continue
        found = np.linalg.norm(np.array(pushed) * weight, axis=1)
        most = np.where(np.isfinite(found), np.maximum(most, found), most)
    return most


def _momentum(equations: Equations, values: Mapping[str, float], u: np.ndarray) -> np.ndarray:
    """|dL/du| / |N_s| for each constraint: the size of a multiplier whose momentum is that of the motion."""
    machine = equations.machine
    entries = [e for row in machine.metric for e in row] + [e for row in machine.form.N for e in row]
    names = [s.name for s in equations.space.velocities]
    moving = {**_at_rest(equations), **values, **dict(zip(names, u, strict=True))}
    with np.errstate(all="ignore"):
        flat = np.array(evaluate(entries, moving), float)
    k = len(u)
    W, N = flat[: k * k].reshape(k, k), flat[k * k :].reshape(-1, k)
    length = np.linalg.norm(N, axis=1)
    found = np.linalg.norm(W @ u) / np.where(length > 0, length, 1.0)
    return np.where(np.isfinite(found) & (found > 0), found, 1.0)


def points(problem: Shooting, ways: RandomCurves, starts: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """The straight way first, then random points."""
    k, held, (straight, forced, idle) = problem.width, problem.held, ways
    bases = problem.scale[:k], np.maximum(problem.scale[:k], forced)
    for i in range(starts):
        point = np.zeros(len(problem.names))
        if i == 0:
            point[:k] = straight
        else:
            spread = 10 ** rng.uniform(*SPREAD_U)
            toward = straight * rng.integers(2)
            point[:k] = toward + spread * bases[rng.integers(2)] * rng.normal(size=k)
            bend = problem.scale[k:] * 10 ** rng.uniform(*SPREAD_LAM) * rng.normal(size=len(idle))
            point[k:] = np.where(idle, 0.0, bend)
        for name, value in held.items():
            point[problem.names.index(name)] = value
        yield point


def given(problem: Shooting, straight: np.ndarray, guesses: Any) -> list[np.ndarray]:
    """Points that the user proposes; what a guess leaves out is that of the straight way.

    Raises:
        DalembertError: E333 not a list of mappings, or a value that is held; names that are not unknown.
    """
    if guesses is None:
        return []
    if isinstance(guesses, Mapping | str) or not np.iterable(guesses):
        raise WrongType("E333", f"guesses = {as_given(guesses)} is not a list of mappings", "guesses=[{'vx': 1.0}]")
    found = []
    for guess in guesses:
        if not isinstance(guess, Mapping):
            raise WrongType("E333", f"the guess {as_given(guess)} is not a mapping", "guesses=[{'vx': 1.0}]")
        point = np.r_[straight, np.zeros(len(problem.names) - problem.width)]
        for name, value in by_name(guess, "a guess").items():
            if name not in problem.names:
                raise UnknownName("E333", f"a guess gives {as_given(name)}", did_you_mean(str(name), problem.names))
            if name in problem.held:
                raise InvalidValue("E333", f"a guess gives {name}, which is held", f"leave {name} out")
            point[problem.names.index(name)] = number(value, name)
        for name, value in problem.held.items():
            point[problem.names.index(name)] = value
        found.append(point)
    return found
