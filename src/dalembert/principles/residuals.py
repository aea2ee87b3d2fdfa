"""What every principle says along a curve, as functions of the state: R = EL(L) - Q, the normals N and EL(phi)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np
import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.euler_lagrange import Motion
from ..calculus.exact.exact_rank import clearly_independent
from ..calculus.exact.finite_field import ResiduePoint, as_written
from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, evaluate, live, substitute, tangent
from ..calculus.linear_systems import dot, solve
from ..geometry.identities import follows
from ..model.system import System

_POINTS, _MOST = 200, 20_000  # times modulo a prime; nodes that are looked at there
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


class SystemLaw:
    """What a system says, on a graph."""

    def __init__(self, system: System) -> None:
        algebra = GraphAlgebra(Graph())
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
        self.places, self.m, self.k, self.motion = list(places), len(phi), len(motion.u), motion

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

    def identically(
        self, q: Sequence[sp.Expr], kept: Sequence[int], values: Mapping[str, float], t: float
    ) -> dict[str, bool | None]:
        """Along coordinates given as functions of the time: are the constraints kept, and does each principle hold?

        lam' N + lam EL(phi) = R has solutions about almost every time if it and its derivatives, as many as an index
        of no more than m asks for, can be solved for lam, lam', ... there. None where no identity decides.

        Args:
            q: the coordinates.
            kept: positions of independent constraints.
            values: of all parameters.
            t: a time, at which pivots are chosen.
        """
        motion, k, m = self.motion, self.k, self.m
        place = {s.key[1]: motion.algebra.read(e) for s, e in zip(motion.q, q, strict=True)}

        def rate(nodes: Sequence[Node]) -> list[Node]:
            return tangent(nodes, [motion.t], [motion.one])

        # E^T E u = E^T dq/dt
        E = list(zip(*(substitute(row, place) for row in motion.anchor), strict=True))
        qdot = rate([*place.values()])
        solved = solve([[dot(a, b) for b in E] for a in E], [[dot(a, qdot)] for a in E], {**values, TIME.name: t})
        u = [row[0] for row in solved]
        along = substitute(self.nodes, {**place, **{s.key[1]: e for s, e in zip(motion.u, u, strict=True)}})
        W, h, Q, N, H, rest, phi, f = (along[a:b] for a, b in pairwise([0, *self.ends.tolist(), len(along)]))
        udot, every = rate(u), [slice(i * k, i * k + k) for i in range(max(m, 1) * k)]
        R = [dot(W[row], udot) + a - b for row, a, b in zip(every, h, Q, strict=False)]
        EL = [dot(H[row], udot) + a for row, a in zip(every, rest, strict=False)]
        # derivatives of R, N and EL, one more than there are multipliers
        steps = [(R, [N[every[s]] for s in kept], [EL[every[s]] for s in kept])]
        for _ in range(len(kept) + 1):
            R_, N_, EL_ = steps[-1]
            steps.append((rate(R_), [rate(row) for row in N_], [rate(row) for row in EL_]))

        def column(i: int, s: int) -> list[Node]:
            """Of the i-th derivative of lam_s in the j-th of the equations: C(j, i-1) N^(j-i+1) + C(j, i) EL^(j-i)."""
            found = list[Node]()
            for j in range(len(steps)):
                whole = [motion.zero] * k
                if 0 < i <= j + 1:
                    whole = [e + comb(j, i - 1) * n for e, n in zip(whole, steps[j - i + 1][1][s], strict=True)]
                if i <= j:
                    whole = [e + comb(j, i) * n for e, n in zip(whole, steps[j - i][2][s], strict=True)]
                found += whole
            return found

        lam = [column(i, s) for i in range(len(steps) + 1) for s in range(len(kept))]
        at = {name: as_written(value) for name, value in values.items()}

        def holds(*tables: list[list[Node]]) -> bool | None:
            """Does the last row of each follow from the others?"""
            if len(live([e for rows in tables for row in rows for e in row])) > _MOST:
                return None
            times = [ResiduePoint(motion.t.graph, at, (), seed) for seed in range(_POINTS)]
            found = [follows(rows, times) for rows in tables]
            if all(held for held, _ in found):
                return True
            # a function of which relations may have been overlooked is clearly not 0, if it is not, at t itself
            now = [{**values, TIME.name: t}]
            left = (rows for rows, (held, _) in zip(tables, found, strict=True) if not held)
            apart = any(len(rows) - 1 in clearly_independent(rows, now) for rows in left)
            return False if apart or any(held is False and p and not p.opaque for held, p in found) else None

        return {
            "constraints": holds(*([[e]] for e in (*phi, *f))),
            "free": holds(*([[e]] for e in R)),
            "nonholonomic": holds([*steps[0][1], R]),
            "vakonomic": holds([*lam, [e for step in steps for e in step[0]]]),
        }


def _sizes(found: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Sizes of rows (k,), none below a part of the largest, in units in which each velocity carries as much energy."""
    floor = FLOOR * (found / unit).max(initial=0.0) * unit
    return np.asarray(np.where(np.maximum(found, floor) > 0, np.maximum(found, floor), 1.0))
