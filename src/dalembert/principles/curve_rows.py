"""What every principle says along a curve, in numbers: R = EL(L) - Q, the normals N and EL(phi)."""

from __future__ import annotations

import numpy as np

from ..calculus.algebra import Machine
from ..calculus.graph import Graph, evaluate
from ..calculus.hamel import Motion
from ..model.system import System
from .sampled import Sampled

FLOOR = 1e-4  # of the largest row: what a row whose terms are all roundings is held against


class Rows:
    """R, N and EL(phi) along a curve: (T, k), (T, m, k), (T, m, k)."""

    def __init__(self, system: System, along: Sampled) -> None:
        algebra = Machine(Graph())
        motion = Motion.of(system.space.frame, algebra)
        self.t, self.span, T, k = along.t, along.span, len(along.t), len(motion.u)
        phi = [c.row(motion) for c in system.constraints]
        places = {c.name: algebra.read(c.position) for c in system.constraints if c.holonomic}
        W, h = motion.euler_lagrange(algebra.read(system.lagrangian))
        moved = [motion.euler_lagrange(p) for p in phi]
        blocks = [
            [e for row in W for e in row],
            h,
            [algebra.read(e) for e in system.forces],
            [e for p in phi for e in algebra.gradient(p, motion.u)],
            [e for each in moved for row in each.matrix for e in row],
            [e for each in moved for e in each.rest],
            phi,
            list(places.values()),
        ]
        with np.errstate(all="ignore"):
            flat = evaluate([e for block in blocks for e in block], along.known)
        columns = np.array([np.broadcast_to(np.asarray(v, float), (T,)) for v in flat]).reshape(len(flat), T).T
        parts = np.split(columns, np.cumsum([len(block) for block in blocks])[:-1], axis=1)
        m, udot = len(phi), along.udot
        W_, h_, Q_ = parts[0].reshape(T, k, k), parts[1], parts[2]
        self.R = (W_ @ udot[..., None])[..., 0] + h_ - Q_
        self.N = parts[3].reshape(T, m, k)
        self.E = (parts[4].reshape(T, m, k, k) @ udot[:, None, :, None])[..., 0] + parts[5].reshape(T, m, k)
        terms = ((np.abs(W_) @ np.abs(udot)[..., None])[..., 0] + np.abs(h_) + np.abs(Q_)).max(axis=0)
        push = (np.abs(W_) @ np.abs(along.u)[..., None])[..., 0].max(axis=0) / self.span
        weights = np.abs(np.einsum("taa->ta", W_)).max(axis=0)
        self.units = np.sqrt(np.where(weights > 0, weights, 1.0))  # in which each velocity carries as much energy
        self.sizes = _sizes(np.maximum(terms, push), self.units)
        self.constraints = self._kept(system, parts[6], parts[7], list(places), along)

    def _kept(
        self, system: System, phi: np.ndarray, f: np.ndarray, places: list[str], along: Sampled
    ) -> dict[str, float]:
        """Largest |phi|, and |f| of those on positions, over the size of the terms."""
        speed = (np.abs(self.N) @ np.abs(along.u)[..., None])[..., 0].max(axis=0, initial=0.0)
        still = np.abs(phi - (self.N @ along.u[..., None])[..., 0]).max(axis=0, initial=0.0)
        off = np.abs(phi).max(axis=0, initial=0.0) / np.where(speed + still > 0, speed + still, 1.0)
        found = dict(zip([c.name for c in system.constraints], map(float, off), strict=True))
        for name, values in zip(places, f.T, strict=True):
            found[name] = max(found[name], float(np.abs(values).max()) / (1.0 + float(np.abs(along.q).max())))
        return found

    def reactions(self) -> tuple[np.ndarray, np.ndarray]:
        """What R leaves over of the span of N, and mu (T, m), of least norm."""
        if not self.N.shape[1]:
            return self.R, np.zeros((0, 0))
        mu = (np.linalg.pinv(np.swapaxes(self.N, 1, 2), rcond=1e-10) @ self.R[..., None])[..., 0]
        return self.R - (np.swapaxes(self.N, 1, 2) @ mu[..., None])[..., 0], mu


def _sizes(found: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Sizes of rows (k,), none below a part of the largest, in units in which each velocity carries as much energy."""
    floor = FLOOR * (found / unit).max(initial=0.0) * unit
    return np.asarray(np.where(np.maximum(found, floor) > 0, np.maximum(found, floor), 1.0))
