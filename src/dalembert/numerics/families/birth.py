"""Periodic motions about a steady one: those born at a Hopf point, and small swings about a centre.

With a pair of eigenvalues i w of the linearised motion and its vector v, near the steady motion y_0

    y(t) = y_0 + e Re(v exp(i w t)) + O(e^2) ,     T = 2 pi / w + O(e^2) ,     p = p_0 + O(e^2)

The motion at a distance e is solved for, the period and a parameter free; the phase is that of Im v at the start.
"""

from __future__ import annotations

import math

import numpy as np

from ...equations import Equations
from ...errors import InvalidValue
from ...given import number
from ..linearised import Linearised
from ..steady import NOTHING, Steady, sizes_of
from .carried import Carried
from .closing import Closing, What
from .columns import PERIOD
from .forking import Fork
from .laps import Laps
from .periodic import Periodic
from .switching import orbit_at
from .walk import away

SLOWEST, FASTEST = "slowest", "fastest"  # of the frequencies of small swings
SAME, _SIMPLE = 1e-8, 1e-4  # of singular values; of frequencies: nearer ones are one


def born(fork: Fork, size: float) -> Periodic:
    """A periodic motion near a Hopf point, with the parameter of the branch free."""
    standing = fork.standing
    y, p = standing.at(fork.x)
    work, name = standing.work, standing.name
    moves = [mu for mu in work.eigenvalues(y) if mu.imag > NOTHING]
    at = min(moves, key=lambda mu: abs(mu.real))
    if any(mu is not at and abs(mu - at) < _SIMPLE * abs(at) for mu in moves):
        fact = f"two pairs of eigenvalues collide at {name} = {p:.6g}"
        raise InvalidValue("E335", fact, "da.families.swing at a steady motion beside it, for each of the two")
    what = What(name, standing.own, standing.quantity, None, standing.width)
    family = np.insert(standing.family, len(y), 0.0, axis=1)
    return _reached(standing.equations, work, what, y, p, float(at.imag), standing.size[:-1], family, size)


def swing_about(equations: Equations, rest: Steady, frequency: float | str | None, size: float) -> Periodic:
    """See `apps.periodic.swing`."""
    work = Linearised(equations, dict(rest.parameters))
    y = np.array([rest.state[n] for n in work.names])
    A, T = work.motion(y)
    w = _frequency(np.linalg.eigvals(A), frequency)
    sizes = sizes_of(y, len(equations.space.coordinates))
    _, s, Vt = np.linalg.svd(A)
    # other steady motions nearby are held
    null = T @ Vt[int(np.sum(s > SAME * s.max(initial=0.0))) :].T
    held = np.pad((null / sizes[:, None]).T, ((0, 0), (0, 2)))
    period = math.tau / w
    return _reached(equations, work, What(PERIOD, False, None, None, period), y, period, w, sizes, held, size)


def _frequency(eigenvalues: np.ndarray, wanted: float | str | None) -> float:
    """That of a pair on the imaginary axis."""
    scale = NOTHING * max(1.0, float(np.abs(eigenvalues).max(initial=0.0)))
    found = sorted(float(mu.imag) for mu in eigenvalues if abs(mu.real) <= scale < mu.imag)
    known = ", ".join(f"{w:.6g}" for w in found)
    if not found:
        fact = "no pair of eigenvalues lies on the imaginary axis: nothing swings about this steady motion"
        raise InvalidValue("E335", fact, "another steady motion, or branch.switch at a Hopf point")
    if wanted is None and len(found) > 1:
        fact = f"motions about it swing with the frequencies {known}"
        raise InvalidValue("E335", fact, f'name about one of them, or say "{SLOWEST}" or "{FASTEST}"')
    if isinstance(wanted, str):
        return found[0] if wanted == SLOWEST else found[-1]
    return found[0] if wanted is None else min(found, key=lambda w: abs(w - wanted))


def _reached(
    equations: Equations,
    work: Linearised,
    what: What,
    y: np.ndarray,
    p: float,
    w: float,
    sizes: np.ndarray,
    held: np.ndarray,
    size: float,
) -> Periodic:
    """The periodic motion at a distance from a steady one."""
    size = number(size, "size", "E241")
    if not size:
        raise InvalidValue("E241", "size = 0 stays at the steady motion", "size=0.01")
    state = dict(zip(work.names, map(float, y), strict=True))
    carried = Carried(equations, equations.start(state, project=None, parameters=work.parameters), None, {}, "swing")
    closing = Closing(carried, what, Laps(carried).of({}), fixed=False)
    v = _mode(work, y, w) / sizes
    # turned so that Re v and Im v are at right angles, the first the longer
    v = v * np.exp(-0.5j * np.angle(v @ v))
    along, across = (np.r_[part / np.linalg.norm(part), 0.0, 0.0] for part in (v.real, v.imag))
    closing.size = np.r_[sizes, math.tau / w, what.width]
    closing.first = np.r_[y, math.tau / w, p] / closing.size
    # not what the motion itself moves
    plane = np.vstack([along, across])
    closing.family = np.vstack([held - held @ plane.T @ plane, across])
    found = away(closing, closing.first, along, size)
    if found is None:
        fact = f"no periodic motion is reached at a distance of {size:g} from the steady one"
        raise InvalidValue("E335", fact, "another size, of either sign")
    return orbit_at(closing, found * closing.size)


def _mode(work: Linearised, y: np.ndarray, w: float) -> np.ndarray:
    """v with A v = i w v (n,)."""
    A, T = work.motion(y)
    values, vectors = np.linalg.eig(A)
    return np.asarray(T @ vectors[:, np.abs(values - 1j * w).argmin()])
