"""A path and its continuation as one path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..errors import InvalidValue
from . import Marks, Trajectory
from .audit import FAILED, INTERRUPTED, OK, SUSPECT, Audit
from .interpolant import Interpolant, steps_of

_ORDER = (OK, SUSPECT, FAILED)


def joined(first: Trajectory, second: Trajectory) -> Trajectory:
    """The path that goes on as the second where the first ends.

    Residuals are the larger ones, energy changes and work balances add up, and an interruption of the first is no
    failure any more.

    Raises:
        InvalidValue: E303, they have other columns, or the second does not begin where the first ends.
    """
    if first.names != second.names or first.states != second.states:
        raise InvalidValue("E303", "the two paths have other columns", "continue a path with its own equations")
    if first.t[-1] != second.t[0]:
        fact = f"the second path begins at t = {second.t[0]:.17g}, the first ends at t = {first.t[-1]:.17g}"
        raise InvalidValue("E303", fact, "begin it with the last state of the first")
    return replace(
        second,
        t=np.r_[first.t, second.t[1:]],
        values=np.vstack([first.values, second.values[1:]]),
        dense=_steps(_until(first, float(second.t[0])), steps_of(second)),
        audit=audits(first.audit, second.audit),
        marks={**first.marks, **{name: _marks(first.marks.get(name), found) for name, found in second.marks.items()}},
        modes=_modes(first.modes, second.modes),
        branches=(*first.branches, *second.branches),
        provenance={**second.provenance, **{k: first.provenance[k] for k in ("start", "t0") if k in first.provenance}},
    )


def _until(first: Trajectory, begins: float) -> Interpolant:
    """Its steps up to where the second path begins: it may have gone beyond its last sample."""
    steps = steps_of(first)
    return steps if steps.t[-1] <= begins else steps.until(begins)


def _steps(a: Interpolant, b: Interpolant) -> Interpolant:
    rows = max(a.F.shape[1], b.F.shape[1])
    return Interpolant(
        np.r_[a.t, b.t[1:]], np.vstack([a.y, b.y[1:]]), np.r_[a.h, b.h], np.concatenate([_of(a, rows), _of(b, rows)])
    )


def _of(steps: Interpolant, rows: int) -> np.ndarray:
    """Coefficients of polynomials of a higher degree: zeros behind."""
    return np.pad(steps.F, ((0, 0), (0, rows - steps.F.shape[1]), (0, 0)))


def _marks(a: Marks | None, b: Marks) -> Marks:
    if a is None or not len(a) or not len(b):  # a wall that was not hit has no impulses
        return b if a is None or len(b) else a
    return Marks(np.r_[a.t, b.t], np.vstack([a.values, b.values]), b.names)


def _modes(a: Sequence[tuple[float, str, str]], b: Sequence[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """The changes of all contacts: what the second path begins with is none where the first ended so."""
    last, found = {contact: mode for _, contact, mode in a}, list(a)
    for t, contact, mode in b:
        found += [(t, contact, mode)] if last.get(contact) != mode else []
        last[contact] = mode
    return found


def audits(a: Audit, b: Audit) -> Audit:
    """The audit of a path and its continuation."""
    reasons = tuple(dict.fromkeys(r for r in (*a.reasons, *b.reasons) if r in b.reasons or INTERRUPTED not in r))
    verdict = max((_rest(a), b.verdict), key=_ORDER.index)
    return Audit(
        verdict=verdict,
        reasons=reasons,
        constraints=_largest(a.constraints, b.constraints),
        constraint_residual=max(a.constraint_residual, b.constraint_residual),
        energy_start=a.energy_start,
        energy_change=a.energy_change + b.energy_change,
        work_balance=a.work_balance + b.work_balance,
        energy_scale=max(a.energy_scale, b.energy_scale),
        energy_rounding=a.energy_rounding + b.energy_rounding,
        momenta={k: v + b.momenta.get(k, 0.0) for k, v in a.momenta.items()},
        steps=a.steps + b.steps,
        rejected=a.rejected + b.rejected,
        evaluations=a.evaluations + b.evaluations,
        margin=min(a.margin, b.margin),
        seconds=a.seconds + b.seconds,
        remarks=lambda: tuple(dict.fromkeys((*a.notes, *b.notes))),
    )


def _rest(audit: Audit) -> str:
    """The verdict, an interruption not counted."""
    return OK if all(INTERRUPTED in r for r in audit.reasons) else audit.verdict


def _largest(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
    return {name: max(a.get(name, 0.0), b.get(name, 0.0)) for name in {**a, **b}}
