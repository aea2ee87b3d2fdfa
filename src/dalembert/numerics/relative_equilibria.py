"""Steady motions: states at which the reduced motion stands still, and what small disturbances do there.

The full motion is then a relative equilibrium: it goes along the group at a constant rate. The linearised reduced
motion, d(delta y)/dt = A delta y on the constraints, decides: a growing eigenvalue is an instability; where none grows
and none decays the steady motion is stable to first order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from ..answer import Answer
from ..argument_checks import noun, public
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import evaluate, gradient, symbols
from ..calculus.least_squares import DampedSteps
from ..calculus.quantity import quantity
from ..calculus.rotation_matrices import RotationCoordinates, read_attitude, refuse_twice
from ..calculus.simplification import at_most
from ..calculus.symbols import by_name
from ..equations import Equations, Start
from ..equations.start import by_name_of
from ..equations.start_completion import state_of, turned
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..spelling import typed
from .contacts.change import in_its_mode, left_by
from .node_derivatives import EPSILON, ROUNDINGS, Linearised
from .stability import OPEN, Spectrum, Verdict, bent

ALONE = "at t = {:g} alone: the equations change with time"
ROUNDING = 1e-15  # of its size: a value below it is 0
FOUND, NOTHING = 1e-10, 1e-7  # residual of a steady motion; eigenvalues below this part of the largest count as 0
NEAR = 1e-3  # of the state's size: how far the next step of Newton's iteration may lead
FAR = 1e6  # a residual in place of one that is not finite
STEPS, LONGEST = 100, 1.0  # of the iteration; the longest step, in sizes of the guess
DAMPING = 1e-12, *(10.0**n for n in range(-6, 5))  # parts of the largest singular value
GONE, SURE = 0.01, 64.0  # of its size: by as much a value that was given may be another; roundings
_LONG = 2000  # operations that are still expanded
_NEARER, _RESTS, _LAST_BITS = 1e-6, 1e-12, 4e-16


@noun
@dataclass(frozen=True)
class Steady:
    """A steady motion and its stability.

    Attributes:
        state: coordinates and velocities by name.
        eigenvalues: of the linearised motion on the constraints, growing ones first.
        residual: the largest rate that is left.
        frozen: the time of the guess, where what acts changes with time.
        parameters: the values it was found with.
        errors: how far rounding may move each eigenvalue.
        told: the verdict, and why.
        remarks: what is not as it was given, and what small disturbances do not meet.
    """

    state: dict[str, float]
    eigenvalues: np.ndarray
    residual: float
    frozen: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict, repr=False)
    errors: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    told: Verdict = field(default=Verdict(OPEN, "its equations were not asked"), repr=False)
    remarks: tuple[str, ...] = ()

    @property
    def growth(self) -> float:
        """The largest real part, 0 where it is rounding."""
        return float(np.where(self.eigenvalues.real > self.errors, self.eigenvalues.real, 0.0).max(initial=0.0))

    @property
    def family(self) -> int:
        """How many eigenvalues vanish: of families of steady motions, of what is conserved, or of neither (`told`)."""
        return int(np.sum(np.abs(self.eigenvalues) <= self.errors))

    @property
    def verdict(self) -> str:
        """``"unstable"``, ``"attracting"`` (what is near comes to it, or to one of its family), ``"stable to
        first order"`` (the linear motion is bounded), or ``"undecided"``.
        """
        return self.told.word

    @property
    def answer(self) -> Answer:
        """Does what is near stay near? Yes, no or not decided, with the reason."""
        return self.told.answer

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())
        lines = [f"steady motion: {self.verdict}", f"  at           {where}"]
        lines.append(f"  eigenvalues  {', '.join(map(_shown, self.eigenvalues))}")
        lines += [f"  because      {self.told.why}"] if self.told.why else []
        return "\n".join([*lines, *(f"  {remark}" for remark in self.remarks)])

    __repr__ = __str__


def _shown(e: complex) -> str:
    """An eigenvalue, a part that is rounding as 0."""
    if not abs(e.imag) > ROUNDING * abs(e):
        return f"{e.real:.4g}"
    return f"{e.real if abs(e.real) > ROUNDING * abs(e) else 0.0:.4g}{e.imag:+.4g}i"


@public
def steady(
    equations: Equations,
    guess: Mapping[str, float],
    fix: Sequence[str] = (),
    parameters: Mapping[Any, Any] | None = None,
) -> Steady:
    """A steady motion near a guess, with some values held.

    It is reached by steps of least size, each value counted in the guess' own size of it: where steady motions form a
    family, what is free along the family stays about where it is.

    Args:
        equations: of a reduced system (or of any other; then a state of rest).
        guess: values by name, multipliers that are states included, the time ``t`` among them where it matters; those
            left out are 0. Rotations by their own name, as in starts; one that is left out is the identity.
        fix: names of values that are held, ``"theta vphi"`` or a list, a rotation's own for all of it; the others are
            moved until the motion stands still.
        parameters: values that replace those of the guess, if it is a `Start`, or of the system.

    With contacts the mode is that of the guess, which is a state from which a motion goes on; so are the eigenvalues.

    Raises:
        WrongType: E307 no equations, or a `fix` that holds no names; E241 a guess that is no mapping; E204 a value that
            is no number.
        UnknownName: E235 a name that is no state.
        InvalidValue: E203 a value that is not finite; E240, it lies beyond a wall; E244, there is no steady motion near
            the guess, or none in its mode; E139, the mode of a contact changes at the guess;
            E233, E238, E239 a rotation that is none, or is given twice.
        Singular: E401, E402 the rates are not finite at the guess, or their slopes at the steady motion.
    """
    if not isinstance(equations, Equations):
        fact = f"steady needs equations, not {kind_of(equations)}"
        raise WrongType("E307", fact, "da.nonholonomic(da.reduce(system).system)")
    whole, names = equations, list(equations.states)
    given = guess_of(equations, guess, names)
    held = held_of(fix, names, equations.space.attitudes)
    equations, values = _in_mode(equations, guess, given, _parameters(guess, parameters))
    work = Linearised(equations, equations.system.values(values))
    work.t = guess.t if isinstance(guess, Start) else given.get(TIME.name, 0.0)
    y = np.array([given.get(n, 0.0) for n in names])
    work.require(y)
    size = sizes_of(y, len(equations.space.coordinates))
    work.least = FOUND * np.abs(work.slopes(y)) @ size
    free = [i for i, n in enumerate(names) if n not in held]
    if free:
        y = _nearest(work, y, free, size[free])
    left = float(np.abs(work.residual(y)).max(initial=0.0))
    if not (stands(work, y) and _is_near(work, y, free)):
        fact = f"there is no steady motion near the guess: a rate of {left:.2g} is left"
        raise InvalidValue("E244", fact, f"try another guess{_moving(equations)}")
    _check_mode(whole, equations, work, y, size)
    return steady_at(equations, work, y, given)


def _moving(equations: Equations) -> str:
    """What a motion that moves along a symmetry is a steady one of."""
    system = equations.system
    met = {s.name for e in system.expressions for s in e.free_symbols}
    if not system.symmetry and {q.name for q in system.space.coordinates} <= met:
        return ""
    # multipliers that are states belong to curves that are varied, which da.reduce would project
    smaller = "da.symmetry.quotient(s)" if equations.states_of_multipliers else "da.reduce(s)"
    reduced = f"{typed(equations.principle)}({smaller}.system)"
    return f"; one that moves along a symmetry is steady in the reduced system: {reduced}"


def _in_mode(
    equations: Equations, guess: Mapping[str, float], given: Mapping[str, float], parameters: Mapping[str, float] | None
) -> tuple[Equations, Mapping[str, float] | None]:
    """The equations of the mode that contacts are in at the guess, and the parameters there."""
    if not equations.system.contacts:
        return equations, parameters
    start = guess if isinstance(guess, Start) else {**dict.fromkeys(equations.states, 0.0), **given}
    held, state = in_its_mode(equations, state_of(equations, start, parameters), "look near")
    return held, state.parameters


def _check_mode(whole: Equations, equations: Equations, work: Linearised, y: np.ndarray, size: np.ndarray) -> None:
    """E244 where contacts cannot do at the steady motion what they do at the guess."""
    state, least = dict(zip(work.names, map(float, y), strict=True)), FOUND * size[len(whole.space.coordinates) :]
    changed = left_by(whole, equations, state, work.parameters, least)
    if changed:
        fact = f"at the steady motion near the guess the mode of {', '.join(changed)} is another one"
        raise InvalidValue("E244", fact, "try a guess in the mode that it has")


def steady_at(
    equations: Equations, work: Linearised, y: np.ndarray, given: Mapping[str, float] = MappingProxyType({})
) -> Steady:
    """The steady motion at a state, with its stability.

    Raises:
        InvalidValue: E240, it lies beyond a wall.
    """
    touched = _walls(equations, work.values(y))
    frozen, unmet = work.t if _changes(equations, work, y) else None, _unmet(equations, touched)
    state = dict(zip(work.names, map(float, y), strict=True))
    A, T = work.motion(y)
    found, D = Spectrum.of(A, work.errors(y, T))
    size, W = sizes_of(y, len(equations.space.coordinates)), np.zeros((found.modes[1].shape[0], len(work.held)))
    left = np.block([[(T / D).T, np.zeros((len(D), W.shape[1]))], [np.zeros((W.shape[1], len(y))), np.eye(W.shape[1])]])
    reduced = bent(
        lambda z: left @ work.residual(z),
        lambda z: left @ work.slopes(z),
        y,
        size,
        ((T * D) @ found.modes[0], np.hstack([found.modes[1], W])),
        ROUNDINGS * EPSILON,
    )
    told = found.told(work.linear, _reversible(equations, work.values(y)), reduced)
    if frozen is not None:
        told = Verdict(OPEN, ALONE.format(frozen))
    elif touched:
        told = Verdict(OPEN, f"it lies at the wall {touched[0]}: the linear motion is that of one side")
    residual = float(np.abs(work.residual(y)).max(initial=0.0))
    # what was given and is another value
    sizes = dict(zip(state, size, strict=True))
    far = [n for n, v in given.items() if n in state and abs(state[n] - v) > GONE * max(abs(v), sizes[n] * (v == 0))]
    gone = [f"not as given: {', '.join(f'{n} = {state[n]:.6g} for {given[n]:.6g}' for n in far)}"] if far else []
    remarks = (*gone, *unmet)
    return Steady(state, found.values, residual, frozen, work.parameters, found.errors, told, remarks)


def remarks_on(equations: Equations, work: Linearised, states: np.ndarray) -> tuple[str, ...]:
    """What the linear motions at states (N, n) leave out: the time, and walls."""
    beyond = 0
    for y in states:
        try:
            _walls(equations, work.values(y))
        except InvalidValue:
            beyond += 1
    told = [ALONE.format(work.t)] if any(_changes(equations, work, y) for y in states[[0, -1]]) else []
    told += [f"{beyond} of {len(states)} rows lie beyond a wall"] if beyond else []
    return (*told, *_unmet(equations, ()))


def _unmet(equations: Equations, touched: Sequence[str]) -> list[str]:
    names = [wall.name for wall in equations.system.walls if wall.name not in touched]
    return [f"met only by disturbances that are not small: {', '.join(names)}"] if names else []


def _reversible(equations: Equations, values: Mapping[str, float]) -> bool:
    """Does it rest, L and the forces being even in the velocities, and the rows linear?"""
    system = equations.system
    back = {u: -u for u in equations.space.velocities}
    if any(values[u.name] for u in back):
        return False
    given = (system.lagrangian, *system.forces)
    even = at_most(_LONG, *given) and all(sp.expand(e - e.xreplace(back)) == 0 for e in given)
    return even and not equations.states_of_multipliers and all(c.kind == "linear" for c in system.constraints)


def _changes(equations: Equations, work: Linearised, y: np.ndarray) -> bool:
    """Does the time change the motion at a state, or occur in walls or contacts?"""
    system = equations.system
    every = (*(w.guard for w in system.walls), *(e for c in system.contacts for e in (c.gap, *c.expressions)))
    return work.driven(y) or any(TIME in e.free_symbols for e in every)


def _is_near(work: Linearised, y: np.ndarray, free: Sequence[int]) -> bool:
    """Does what is left of the rates say that the steady motion is here, and not far away, as at the end of exp(-x)?"""
    J, r = work.slopes(y)[:, free], work.residual(y)
    if not free or not np.isfinite(J).all() or not r.any():
        return True
    # y' = y - J^+ r
    step = np.linalg.pinv(J, rcond=1e-12) @ r
    return bool(np.linalg.norm(step) <= NEAR * (1 + np.linalg.norm(y)))


def _walls(equations: Equations, values: Mapping[str, float]) -> list[str]:
    """The walls at which a state lies; E240 where it is beyond one."""
    touched = []
    for wall in equations.system.walls:
        guard = read(wall.guard, equations.machine.graph)
        names = sorted(symbols([guard]))
        value, *slopes = evaluate([guard, *gradient(guard, [guard.graph.symbol(n) for n in names])], values)
        size = NOTHING * sum(abs(float(s) * values[n]) for s, n in zip(slopes, names, strict=True))
        if value < -size:
            fact = f"the steady motion lies beyond the wall {wall.name}: its distance is {value:.3g}"
            raise InvalidValue("E240", fact, "try another guess; at rest against a wall is not looked for")
        touched += [wall.name] if value <= size else []
    return touched


def stands(work: Linearised, y: np.ndarray) -> bool:
    """Does the motion stand still there?"""
    terms = np.abs(work.slopes(y)) @ sizes_of(y, work.coordinates)
    terms = FOUND * terms + SURE * EPSILON * terms.max(initial=0.0)
    return bool((np.abs(work.residual(y)) <= np.maximum(terms, work.least)).all())


def sizes_of(y: np.ndarray, coordinates: int) -> np.ndarray:
    """A size of each value: its own, or that of the largest coordinate or velocity where it is 0 but for rounding."""
    size = np.abs(y)
    for part in (size[:coordinates], size[coordinates:]):
        largest = part.max(initial=0.0)
        part[part <= ROUNDING * largest] = largest or 1.0
    return size


def _nearest(work: Linearised, y: np.ndarray, free: Sequence[int], size: np.ndarray) -> np.ndarray:
    """The nearest steady motion that is reached.

    Where steady motions form a family the derivatives lose rank; the rank there is not known before, so all are tried.
    """
    ranks = range(1, len(free) + 1)
    tried = [_along_family(work, y, _nearby(work, y, free, size, rank), free, size, rank) for rank in ranks]
    found = [z for z in tried if stands(work, z)]
    if not found:
        return _downhill(work, y, free, size)
    best = min(found, key=lambda z: _distance(y, z, free, size))
    best[free] = np.where(np.abs(best[free]) < ROUNDING * size, 0.0, best[free])
    return best


def _distance(y: np.ndarray, z: np.ndarray, free: Sequence[int], size: np.ndarray) -> float:
    return float(np.linalg.norm((z - y)[free] / size))


def _along_family(
    work: Linearised, guess: np.ndarray, y: np.ndarray, free: Sequence[int], size: np.ndarray, rank: int
) -> np.ndarray:
    """The same steady motion, or one of its family that is nearer to the guess."""
    for _ in range(STEPS if stands(work, y) else 0):
        J = work.slopes(y)[:, free] * size
        if not np.isfinite(J).all():
            break
        V = np.linalg.svd(J, full_matrices=False)[2][:rank].T
        away = (guess - y)[free] / size
        # along the family: what of the way to the guess is orthogonal to the rows of J
        new = y.copy()
        new[free] += size * (away - V @ (V.T @ away))
        new = _nearby(work, new, free, size, rank)
        if not stands(work, new) or _distance(guess, new, free, size) >= (1 - _NEARER) * _distance(
            guess, y, free, size
        ):
            break
        y = new
    return y


def _nearby(work: Linearised, y: np.ndarray, free: Sequence[int], size: np.ndarray, rank: int) -> np.ndarray:
    """Newton's iteration with least steps along `rank` directions, damped where they are long or lead uphill."""
    y = y.copy()
    r, J = work.residual(y), work.slopes(y)[:, free] * size
    weights = np.abs(J).max(axis=1, initial=0.0)
    # rows that are 0 but for rounding keep their size
    weights = 1 / np.where(weights > _RESTS * weights.max(initial=0.0), weights, weights.max(initial=0.0) or 1.0)
    left = np.linalg.norm(weights * r)
    for _ in range(STEPS if np.isfinite(J).all() else 0):
        if (np.abs(r) <= _LAST_BITS * np.abs(J).sum(axis=1)).all():
            return y  # what is left is rounding of the state: no step makes it less
        damped = DampedSteps(weights[:, None] * J, -weights * r, rank)
        for damping in DAMPING:
            z = damped((damping * damped.s[0]) ** 2)
            new = y.copy()
            new[free] += size * z
            found = work.residual(new)
            lower = np.linalg.norm(weights * found)
            if np.linalg.norm(z) <= LONGEST and lower < left:
                break
        else:
            return y
        J = work.slopes(new)[:, free] * size
        if not np.isfinite(J).all():
            return y
        y, r, left = new, found, lower
    return y


def _downhill(work: Linearised, y: np.ndarray, free: Sequence[int], size: np.ndarray) -> np.ndarray:
    """Where the sum of squares is least: a steady motion farther away."""
    y = y.copy()

    def residual(x: np.ndarray) -> np.ndarray:
        z = y.copy()
        z[free] = x
        found = work.residual(z)
        return np.where(np.isfinite(found), found, FAR)

    from scipy.optimize import least_squares

    y[free] = least_squares(residual, y[free], xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale=size).x
    return y


def guess_of(equations: Equations, guess: object, names: Sequence[str]) -> dict[str, float]:
    """Values by name."""
    if not isinstance(guess, Mapping):
        raise WrongType("E241", f"a guess is a mapping of values, not {kind_of(guess)}", '{"theta": 1.2}')
    given, attitudes = by_name(by_name_of(guess, [equations]), "the guess"), equations.space.attitudes
    _check_names([n for n in given if n != TIME.name], [*names, *attitudes])
    read = {name: quantity(value, name) for name, value in given.items() if name not in attitudes}
    equations.system.fits({name: q.dimension for name, q in read.items() if q.dimension is not None}, "guess")
    found = {name: q.value for name, q in read.items()} | _rotated(attitudes, given)
    if not isinstance(guess, Start):  # which was doubted where it was made
        turned(equations.system, found, given)
    return found


def _rotated(attitudes: Mapping[str, RotationCoordinates], given: Mapping[str, object]) -> dict[str, float]:
    """Coordinates of rotations that are given by their own name, and of those of which nothing is given."""
    found: dict[str, float] = {}
    for name, attitude in attitudes.items():
        if name in given:
            refuse_twice(name, attitude, given)
            found |= read_attitude(name, given[name], attitude)
        elif not {s.name for s in attitude.coordinates} & given.keys():
            found |= attitude.identity
    return found


def _parameters(guess: Mapping[Any, Any], parameters: object) -> Any:
    """Those of the guess, if it is a start, with those given in their place."""
    own = dict(guess.parameters) if isinstance(guess, Start) else {}
    if not isinstance(parameters, Mapping):
        return own if parameters is None else parameters
    return {**own, **by_name(parameters, "parameters")}


def held_of(fix: object, names: Sequence[str], attitudes: Mapping[str, RotationCoordinates]) -> list[str]:
    """The names that are held, each once, the coordinates of rotations in place of these."""
    if not np.iterable(fix) or isinstance(fix, bytes):
        raise WrongType("E307", f"fix = {as_given(fix)} holds no names", 'fix="theta vphi", or leave it out')
    every: list[Any] = fix.replace(",", " ").split() if isinstance(fix, str) else [getattr(n, "name", n) for n in fix]
    held = [n for n in every if not isinstance(n, str) or n != TIME.name]
    _check_names(held, [*names, *attitudes])
    own = [[s.name for s in attitudes[name].coordinates] if name in attitudes else [name] for name in held]
    return list(dict.fromkeys(chain.from_iterable(own)))


def _check_names(given: Sequence[Any], names: Sequence[str]) -> None:
    for name in given:
        if not isinstance(name, str) or name not in names:
            raise UnknownName("E235", f"{as_given(name)} is no state of these equations", did_you_mean(name, names))
