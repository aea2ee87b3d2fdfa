"""The defect of a motion: by how much it changes otherwise than the unreduced equations say.

    z(t_1) - z(t_0) - int z'(t, z) dt ,    z = (q, u) ,

with u' by the form on the constraint manifold [cushman1995 Section 2], over a part of each of some steps, by Gauss's
rule: over whole steps it is 0 for many methods, however long they are. Nothing of a reduction enters, neither projected
brackets nor a slice.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.polynomial.legendre import leggauss

from ..calculus.frame import TIME
from ..geometry.ranks import ranks
from ..geometry.states import ConstraintSampler
from ..geometry.symplectic import Symplectic
from ..model.system import System
from .columns import Columns

STEPS, PART, NODES = 12, 0.4, 6  # of the path that are looked at, of each of these, and of Gauss's rule on it
LIMIT, FAILURE = 1e-7, 1e-3  # of the velocity: as of energy and work
_SMALL = 1e-9  # of the largest: below it a coordinate or velocity is measured against that


def defect(
    system: System,
    columns: Callable[[np.ndarray], Columns],
    knots: np.ndarray,
    jumps: np.ndarray,
) -> float:
    """The largest defect of a coordinate or velocity over its size; NaN where no step can be judged.

    Args:
        system: the unreduced one.
        columns: everything that the equations hold, at times (n,), by name.
        knots: ends of the path's steps.
        jumps: times at which velocities jump; steps that end there are left out.
    """
    names = [s.name for s in system.space]
    smooth = [(a, b) for a, b in pairwise(knots) if b > a and not {a, b} & {*jumps.tolist()}]
    if not smooth or system.contacts or system.shaping:  # contacts push, and inputs in momenta have rates of their own
        return float("nan")
    chosen = np.array(smooth)[np.unique(np.linspace(0, len(smooth) - 1, STEPS).astype(int))]
    chosen[:, 1] = chosen[:, 0] + PART * np.diff(chosen, axis=1)[:, 0]
    x, w = leggauss(NODES)
    half = np.diff(chosen, axis=1) / 2
    times = np.hstack([chosen, chosen.mean(axis=1, keepdims=True) + half * x])
    table = columns(times.ravel())
    form = Symplectic(ConstraintSampler(system), ranks(system).kept)
    rates = np.array([_rates(form, table, i, times.ravel()) for i in range(times.size)]).reshape(*times.shape, -1)
    z = np.array([np.broadcast_to(table[n], times.size) for n in names]).T.reshape(*times.shape, -1)
    off = np.abs(z[:, 1] - z[:, 0] - half * np.einsum("j,ijc->ic", w, rates[:, 2:])).max(axis=0)
    size = np.abs(z).max(axis=(0, 1)) + (half * np.abs(rates).max(axis=1)).max(axis=0)
    return float((off / np.maximum(size, _SMALL * size.max(initial=0.0) or 1.0)).max(initial=0.0))


def _rates(form: Symplectic, table: Columns, i: int, t: np.ndarray) -> list[float]:
    """z' at one time; NaN where no motion is determined."""
    state = {name: float(np.broadcast_to(value, t.shape)[i]) for name, value in table.items()} | {
        TIME.name: float(t[i])
    }
    try:
        with np.errstate(all="ignore"):
            return [*form.sampler.rates(form.at(state).motion, state).values()]
    except np.linalg.LinAlgError:
        return [np.nan] * len([*form.sampler.space])
