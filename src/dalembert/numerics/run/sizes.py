"""How large each state is, measured beside its kind."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from ...equations import Equations
from ...errors import Note
from ..policy import LOOSE, Policy

_FEW = 1e5  # absolute tolerances: a state that stays below so many of them has few digits
_GIVEN = 1e-14  # of the largest state: what starts smaller is a rounding
_SMALLEST = 1e-6  # of the largest of its kind: no state is measured by less


def beside_their_kind(equations: Equations, size: np.ndarray) -> np.ndarray:
    """Sizes of all states (n,), none below a part of the largest position, velocity or multiplier."""
    space, whole = equations.space, size.copy()
    n = len(space.coordinates)
    for first, end in pairwise((0, n, n + len(space.velocities), len(size))):
        np.maximum(size[first:end], _SMALLEST * size[first:end].max(initial=0.0), out=whole[first:end])
    return whole


def may_be_unweighed(policy: Policy, states: tuple[str, ...], start: np.ndarray) -> bool:
    """May the motion from a start (n,) be one of which `unweighed` tells?"""
    first = np.abs(start)
    return not policy.method.fixed and bool(_small(policy, policy.tolerances(states, start), first, first).any())


def _told(policy: Policy, atol: np.ndarray, first: np.ndarray) -> bool:
    """Do the options say already that the tolerances are loose?"""
    return bool(policy.rtol > LOOSE or (first.any() and atol.max() > LOOSE * first.max()))


def _small(policy: Policy, atol: np.ndarray, first: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Which states start and stay small beside a tolerance that is one for all (n,)."""
    given = first > _GIVEN * reach.max(initial=0.0)
    others = not isinstance(policy.atol, Mapping) and not _told(policy, atol, first)
    return np.asarray(given & (reach < _FEW * atol) & others)


def unweighed(policy: Policy, states: tuple[str, ...], start: np.ndarray, most: np.ndarray) -> list[Note]:
    """W306 for states whose error nothing bounds: all that they reach, `most` (n + 1,), is little beside atol.

    They are those that start (n,) so small; of a run that starts at 0 it is the largest of all.
    """
    if policy.method.fixed:
        return []
    atol = np.broadcast_to(policy.tolerances(states, start), start.shape)
    reach, first = most[: len(start)], np.abs(start)
    far = float(reach.max())
    if not first.any():
        loose = policy.rtol <= LOOSE and _GIVEN < far < float(atol.max()) / LOOSE
        told = f"atol = {atol.max():g} is loose where no state is above {far:.2g}: atol={policy.rtol / 100 * far:.1g}"
        return [Note("W306", told)] if loose else []
    small = _small(policy, atol, first, reach)
    if not small.any():
        return []
    named = ", ".join(name for name, it in zip(states, small, strict=True) if it)
    fact = f"atol = {atol[small].max():.2g} leaves few digits to {named}, no more than {reach[small].max():.2g} in size"
    sizes = {name: policy.rtol / 100 * (float(size) or 1.0) for name, size in zip(states, reach, strict=True)}
    own = ", ".join(f'"{name}": {size:.1g}' for name, size in sizes.items())
    return [Note("W306", f"{fact}: choose other units, or atol={{{own}}}")]
