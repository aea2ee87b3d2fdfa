"""What every principle says along a curve, as functions of the state: R = EL(L) - Q, the normals N and EL(phi)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..calculus.algebra import Machine
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.hamel import Motion
from ..model.system import System

FLOOR = 1e-4  # of the largest row: what a row whose terms are all roundings is held against


@dataclass(frozen=True)
class Said:
    """Numbers at times (T,).

    Attributes:
        R, N, E: EL(L) - Q (T, k), normals and EL(phi) (T, m, k).
        phi, f: of the constraints (T, m), and of those on positions.
        sizes: of the terms of each row (k,).
        moved: of the terms of EL(phi) (T, m, k): where these cancel, roundings are left.
        units: in which each velocity carries as much energy (k,).
    """

    R: np.ndarray
    N: np.ndarray
    E: np.ndarray
    phi: np.ndarray
    f: np.ndarray
    sizes: np.ndarray
    moved: np.ndarray
    units: np.ndarray

    @property
    def scaled(self) -> tuple[np.ndarray, np.ndarray]:
        """R, N and E side by side (T, c), and the sizes of these columns (c,)."""
        flat = [a.reshape(len(self.R), -1) for a in (self.N, self.E)]
        terms = np.abs(self.N).max(initial=0.0), self.moved.max(initial=0.0)
        unit = [np.full(a.shape[1], size or 1.0) for a, size in zip(flat, terms, strict=True)]
        return np.hstack([self.R, *flat]), np.concatenate([self.sizes, *unit])


class Law:
    """What a system says, on a graph."""

    def __init__(self, system: System) -> None:
        algebra = Machine(Graph())
        motion = Motion.of(system.space.frame, algebra)
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
        self.nodes: list[Node] = [e for block in blocks for e in block]
        self.ends = np.cumsum([len(block) for block in blocks])[:-1]
        self.places, self.m, self.k = list(places), len(phi), len(motion.u)

    def __call__(self, known: Mapping[str, float | np.ndarray], u: np.ndarray, udot: np.ndarray, span: float) -> Said:
        """Numbers where all symbols are known, at velocities u and accelerations udot (T, k)."""
        T, k, m = len(u), self.k, self.m
        with np.errstate(all="ignore"):
            flat = evaluate(self.nodes, known)
        columns = np.array([np.broadcast_to(np.asarray(v, float), (T,)) for v in flat]).reshape(len(flat), T).T
        parts = np.split(columns, self.ends, axis=1)
        W, h, Q = parts[0].reshape(T, k, k), parts[1], parts[2]
        H, rest = parts[4].reshape(T, m, k, k), parts[5].reshape(T, m, k)
        E = (H @ udot[:, None, :, None])[..., 0] + rest
        moved = (np.abs(H) @ (np.abs(udot) + np.abs(u) / span)[:, None, :, None])[..., 0] + np.abs(rest)
        terms = ((np.abs(W) @ np.abs(udot)[..., None])[..., 0] + np.abs(h) + np.abs(Q)).max(axis=0, initial=0.0)
        push = (np.abs(W) @ np.abs(u)[..., None])[..., 0].max(axis=0, initial=0.0) / span
        weights = np.abs(np.einsum("taa->ta", W)).max(axis=0, initial=0.0)
        units = np.sqrt(np.where(weights > 0, weights, 1.0))
        return Said(
            (W @ udot[..., None])[..., 0] + h - Q,
            parts[3].reshape(T, m, k),
            E,
            parts[6],
            parts[7],
            _sizes(np.maximum(terms, push), units),
            moved,
            units,
        )


def _sizes(found: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Sizes of rows (k,), none below a part of the largest, in units in which each velocity carries as much energy."""
    floor = FLOOR * (found / unit).max(initial=0.0) * unit
    return np.asarray(np.where(np.maximum(found, floor) > 0, np.maximum(found, floor), 1.0))
