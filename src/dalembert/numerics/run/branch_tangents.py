"""The tangent cone of the constraints where rows lose rank: velocities that are allowed to the second order.

Where y^T N = 0 for the rows y that are lost,

    y^T (N udot - g) = 0   for every acceleration, so   y^T g(q, u) = 0   for the allowed velocities   N u = 0,

quadratic forms whose real zeros are the tangents of the branches that cross there [mueller2016].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...calculus.jacobians import row_sizes
from ...equations import Numbers
from ...equations.saddle_form import energy_units
from ..vector_field.field import Field

ROUNDED = 1e-9  # of the largest singular value: rows below depend on others everywhere
LOST = 2.5e-3  # of what a singular value was: less is left of it where branches cross
FAINT = 1e-6  # of the size of a form or a velocity: nothing of it
STARTS, FEWER, NEWTON = 64, 256, 30  # of the search for tangents, by their unknowns and at most; its steps
MOST = 16  # others that are told
State = tuple[float, np.ndarray]


class TangentCone(NamedTuple):
    """Allowed velocities basis @ x, with x^T B x = 0 for every form B.

    Attributes:
        basis: (k, d), orthonormal in kinetic energy; where the constraints move the last is what they impose.
        forms: B (p, d, d).
        own: x of the motion (d,); where the constraints move the last of every x is 1.
        moves: do they?
        lost: how many rows are lost, and so how many conditions there should be.
    """

    basis: np.ndarray
    forms: np.ndarray
    own: np.ndarray
    moves: bool
    lost: int

    @classmethod
    def at(cls, field: Field, there: State, regular: State) -> TangentCone | None:
        """At a state to which a motion came from a regular one; None where no position rows lose rank there."""
        form, held = field.equations.machine.form, list(field.equations.machine.position)
        before, here = (Numbers.of(form, field.known(*state)) for state in (regular, there))
        unit = energy_units(before.W)
        size = row_sizes(form.N, field.known(*regular), unit)
        rows = [numbers.N * unit / size[:, None] for numbers in (before, here)]
        rank, lost = _lost(*rows)
        if not lost or _lost(*(N[held] for N in rows))[1] != lost:
            return None
        left, _, right = np.linalg.svd(rows[1])
        y, allowed = left[:, rank - lost :] / size[:, None], unit[:, None] * right[rank - lost :].T
        allowed = allowed @ np.linalg.inv(np.linalg.cholesky(allowed.T @ here.W @ allowed)).T
        u = there[1][field.velocities]
        own = allowed.T @ here.W @ u
        rest = u - allowed @ own

        def g(us: np.ndarray) -> np.ndarray:
            states = np.repeat(there[1][None], len(us), axis=0)
            states[:, field.velocities] = us
            found = Numbers.of(form, field.known(np.full(len(us), there[0]), states)).g
            return np.asarray(np.broadcast_to(found, (len(us), len(y))) @ y)

        # what does not turn with the velocities, or is not of their second degree, is imposed
        off = np.abs(g(allowed.T) - g(-allowed.T)).max(initial=0.0) + np.abs(g(0 * u[None])).max(initial=0.0)
        moves = bool(rest @ here.W @ rest > FAINT**2 * (u @ here.W @ u) or off > FAINT * np.abs(g(allowed.T)).max())
        basis = np.column_stack([allowed, rest]) if moves else allowed
        return cls(basis, _forms(g, basis, moves), np.append(own, 1.0) if moves else own, moves, lost)

    def tangents(self) -> list[np.ndarray] | None:
        """Velocities (k,) along the branches, of the same energy: the motion's own, then others as far as these are
        isolated. None where the conditions do not tell its branch from others.
        """
        scale = np.abs(self.forms).max(initial=0.0)
        _, values, right = np.linalg.svd(self.forms.reshape(-1, len(self.own)))
        across = right[: int((values > FAINT * scale).sum())].T  # the rest stays where branches cross
        forms, own = np.einsum("ia,pij,jb->pab", across, self.forms, across), across.T @ self.own
        if not np.linalg.norm(own) > FAINT * np.linalg.norm(self.own):
            return None
        slopes = np.linalg.svd(forms @ own, compute_uv=False)
        if int((slopes > FAINT * scale * np.linalg.norm(own)).sum()) != self.lost:
            return None
        along, line = self.own - across @ own, own / np.linalg.norm(own)
        lines = _zeros(forms) if len(own) - self.lost == 1 else np.zeros((0, len(own)))
        others = [x for x in lines if abs(x @ line) < 1 - FAINT]
        if self.moves:  # at the speed that they impose
            others = [x * (1 - along[-1]) / (across[-1] @ x) for x in others if abs(across[-1] @ x) > FAINT]
        else:
            others = [sign * np.linalg.norm(own) * x for x in others for sign in (1, -1)]
        others.sort(key=lambda x: np.round(np.append(-x @ line, x), 6).tolist())
        return [self.basis @ (along + across @ x) for x in (own, *others[:MOST])]


def _lost(before: np.ndarray, here: np.ndarray) -> tuple[int, int]:
    """The rank of rows as they were, and by how much it is less here."""
    singular = np.linalg.svd(before, compute_uv=False)
    rank = int((singular > ROUNDED * singular.max(initial=0.0)).sum())
    now = np.linalg.svd(here, compute_uv=False)[:rank]
    return rank, int((now < LOST * singular[:rank]).sum())


def _forms(g: Callable[[np.ndarray], np.ndarray], basis: np.ndarray, moves: bool) -> np.ndarray:
    """B (p, d, d) with x^T B x = g(basis @ x), where the last of x is 1 if the constraints move."""
    d = basis.shape[1]
    none, ahead, back = g(np.zeros((1, len(basis))))[0], g(basis.T), g(-basis.T)
    i, j = np.triu_indices(d, 1)
    pairs = basis.T[i] + basis.T[j]
    square, linear = (ahead + back) / 2 - none, (ahead - back) / 2
    B = np.zeros((none.size, d, d))
    B[:, range(d), range(d)] = square.T
    B[:, i, j] = B[:, j, i] = (((g(pairs) + g(-pairs)) / 2 - none - square[i] - square[j]) / 2).T
    if moves:
        B[:, -1, :] += linear.T / 2
        B[:, :, -1] += linear.T / 2
        B[:, -1, -1] += none
    return B


def _zeros(forms: np.ndarray) -> np.ndarray:
    """Common zeros of quadratic forms (p, d, d) of which there are finitely many, up to their length: (count, d).

    By Newton's method from directions that are spread evenly; there are 2^(d - 1) at most.
    """
    d = forms.shape[1]
    forms = forms / np.abs(forms).max()
    x = np.random.default_rng(0).normal(size=(min(STARTS * d, FEWER), d))
    for _ in range(NEWTON):
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        slopes = np.einsum("pab,nb->npa", forms, x)
        x = x - np.einsum("nap,np->na", np.linalg.pinv(2 * slopes, rcond=FAINT), np.einsum("npa,na->np", slopes, x))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    off = np.abs(np.einsum("pab,na,nb->np", forms, x, x)).max(axis=1)
    found: list[np.ndarray] = []
    for each in x[off < FAINT**2]:
        if all(abs(each @ other) < 1 - FAINT for other in found):
            found.append(each)
    return np.array(found).reshape(-1, d)
