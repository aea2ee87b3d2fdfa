"""The form omega_H on the constraint manifold, in numbers at a state [cushman1995 Section 2].

A tangent vector of the space of positions and velocities moves q with E x and u with w; it is the array (x, w), 2 k
numbers. With momenta p_a = dL/du^a,

    omega(X, Y) = x^a dp_a(Y) - y^a dp_a(X) + p_c C^c_ab x^a y^b
                = (x, w) [[P - P^T + B, W], [-W, 0]] (y, v) ,
    P_ab = e_b p_a ,   B_ab = p_c C^c_ab ,   W_ab = dp_a/du^b

M is the constraint manifold phi = 0, TM its tangent vectors, and H those of them with N x = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..calculus.from_sympy import read
from ..calculus.graph import Node, gradient, tangent
from ..calculus.numerical_rank import RANK_TOLERANCE, null_space, sized
from ..errors import Singular
from .random_states import ConstraintSampler, Values

if TYPE_CHECKING:
    from ..model.system import System

_SHOWN = 1e-9


@dataclass(frozen=True, eq=False)
class Local:
    """The form at one state.

    Attributes:
        omega: (2k, 2k), on all tangent vectors (x, w).
        H: (2r, 2k), rows that span H: r that move q along the constraints, then r that move velocities alone.
        dE: (2k,), the energy's derivative along the frame and along velocities.
        push: (2k,), what the forces do, and momenta that change by themselves: (Q_a - dp_a/dt) x^a.
        drift: (2k,), a tangent vector (u, w) of M: the motion without what H adds to w.
        right_size: (2r,), size of the terms of the equations for c in `motion`.
        drift_size: (2k,), size of the terms of `drift`.
    """

    omega: np.ndarray
    H: np.ndarray
    dE: np.ndarray
    push: np.ndarray
    drift: np.ndarray
    right_size: np.ndarray
    drift_size: np.ndarray

    @cached_property
    def omega_H(self) -> np.ndarray:
        """(2r, 2r), the form on the rows of H."""
        return np.asarray(self.H @ self.omega @ self.H.T)

    @property
    def regular(self) -> float:
        """The least singular value of omega_H over the largest: 0 where it is degenerate."""
        if not self.omega_H.size:
            return 1.0
        sizes = np.linalg.svd(self.omega_H, compute_uv=False)
        return float(sizes[-1] / sizes[0]) if sizes[0] else 0.0

    @property
    def weightless(self) -> np.ndarray | None:
        """A velocity (k,) that the constraints allow and that carries no energy, its largest component 1, or None.

        omega_H is degenerate if and only if there is one: its block between the two halves of H is Z W Z, in units in
        which each velocity alone carries energy of order 1.
        """
        r = len(self.H) // 2
        _, sizes, rows = np.linalg.svd(self.omega_H[:r, r:])
        if not r or sizes[-1] > RANK_TOLERANCE:
            return None
        v = self.H[:r, : self.H.shape[1] // 2].T @ rows[-1]
        return np.asarray(v / v[np.argmax(np.abs(v))])

    @cached_property
    def motion(self) -> np.ndarray:
        """xi (2k,) with omega(xi, Y) = dE(Y) - Q(Y) for all Y in H; it lies in H where the constraints are linear."""
        # xi = drift + c H:  c omega_H = (dE - Q) H^T - omega(drift, H)
        right = self.H @ (self.dE - self.push - self.drift @ self.omega)
        return np.asarray(self.drift + np.linalg.solve(self.omega_H.T, right) @ self.H)

    @cached_property
    def motion_size(self) -> np.ndarray:
        """(2k,), size of the terms of `motion`, by what its equations make of rounding [higham2002 Section 7.2]."""
        # |A^-1| (|A| |c| + |right|) |H|
        inverse = np.abs(np.linalg.inv(self.omega_H.T))
        c = np.linalg.solve(self.omega_H.T, self.H @ (self.dE - self.push - self.drift @ self.omega))
        sizes = inverse @ (np.abs(self.omega_H.T) @ np.abs(c) + self.right_size)
        return np.asarray(self.drift_size + sizes @ np.abs(self.H))

    def hamiltonian(self, df: np.ndarray) -> np.ndarray:
        """The H-part (2k,) of the Hamiltonian field of a function: omega(xi_f, Y) = df(Y) for all Y in H."""
        return np.asarray(np.linalg.solve(self.omega_H.T, self.H @ df) @ self.H)


class Symplectic:
    """The graph behind `Local`.

    Args:
        sampler: the constraints and random states on them.
        kept: positions of independent constraint rows.
    """

    def __init__(self, sampler: ConstraintSampler, kept: Sequence[int]) -> None:
        self.sampler, motion = sampler, sampler.motion
        graph, u = sampler.graph, motion.u
        L = read(sampler.system.lagrangian, graph)
        self.k, self.m = len(u), len(kept)
        self.p = gradient(L, u)
        self.E = motion.energy(L)
        self.phi = [sampler.phi[s] for s in kept]
        self.N = [sampler.normals[s] for s in kept]
        self.Q = [read(Q, graph) for Q in sampler.system.forces]
        W = [e for pa in self.p for e in gradient(pa, u)]
        P = [self.along_frame(pa) for pa in self.p]
        slopes = [e for f in self.phi for e in self.along_frame(f)]
        self._blocks = [
            W,
            [e for row in P for e in row],
            self._turning(),
            [e for row in self.N for e in row],
            slopes,
            [*self.along_frame(self.E), *gradient(self.E, u)],
            [Q - tangent([p], [motion.t], [motion.one])[0] for Q, p in zip(self.Q, self.p, strict=True)],
            [*u],
            [tangent([f], [motion.t], [motion.one])[0] for f in self.phi],
        ]

    def along_frame(self, f: Node) -> list[Node]:
        """e_a f = E^i_a df/dq^i for each direction of the frame."""
        motion, slopes = self.sampler.motion, gradient(f, self.sampler.motion.q)
        return [motion.sum(s * row[a] for s, row in zip(slopes, motion.anchor, strict=True)) for a in range(self.k)]

    def derivative(self, f: Node) -> list[Node]:
        """df on (x, w), 2 k nodes."""
        return [*self.along_frame(f), *gradient(f, self.sampler.motion.u)]

    def _turning(self) -> list[Node]:
        """B_ab = p_c C^c_ab, row by row."""
        motion, k = self.sampler.motion, self.k
        B = [[motion.zero] * k for _ in range(k)]
        for (a, b), row in motion.brackets.items():
            B[a][b] = motion.sum(C * p for C, p in zip(row, self.p, strict=True))
            B[b][a] = -1 * B[a][b]
        return [e for row in B for e in row]

    def at(self, values: Values) -> Local:
        """The form at a state given by name, parameters and t included."""
        k, m = self.k, self.m
        shapes = [(k, k), (k, k), (k, k), (m, k), (m, k), (2 * k,), (k,), (k,), (m,)]
        both = [[part.reshape(shape) for part in sized(block, values)] for block, shape in self._shaped(shapes)]
        (W, P, B, N, slopes, dE, Q, u, slope_t), sizes = zip(*both, strict=True)
        omega = np.block([[P - P.T + B, W], [-W, np.zeros((k, k))]])
        unit = _units(W)
        length = np.linalg.norm(N * unit, axis=1, keepdims=True)
        length = np.where(length > 0, length, 1.0)
        Z = unit[:, None] * null_space(N * unit / length) if m else np.diag(unit)
        # N w + (e_a phi) x = 0
        back = unit[:, None] * np.linalg.pinv(N * unit / length) / length.T if m else np.zeros((k, 0))
        lifts = -back @ slopes @ Z
        zero = np.zeros_like(Z)
        H = np.vstack([np.hstack([Z.T, lifts.T]), np.hstack([zero.T, Z.T])])
        rise = slopes @ u + slope_t
        drift = np.concatenate([u, -back @ rise])
        return Local(omega, H, dE, np.concatenate([Q, np.zeros(k)]), drift, *_sizes(H, u, back, sizes))

    def _shaped(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[list[Node], tuple[int, ...]]]:
        return list(zip(self._blocks, shapes, strict=True))


def _units(W: np.ndarray) -> np.ndarray:
    """A unit for each velocity (k,): one in which it carries as much energy as the others, 1 where it carries none."""
    weights = np.abs(np.diag(W))
    return np.where(weights > 0, 1 / np.sqrt(np.where(weights > 0, weights, 1.0)), 1.0)


def _sizes(
    H: np.ndarray, u: np.ndarray, back: np.ndarray, sizes: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Sizes of the terms of  H (dE - push - drift omega)  and of the drift."""
    W, P, B, _, slopes, dE, Q, speed, slope_t = sizes
    drift = np.concatenate([speed, np.abs(back) @ (slopes @ np.abs(u) + slope_t)])
    omega = np.block([[P + P.T + B, W], [W, np.zeros_like(W)]])
    push = np.concatenate([Q, np.zeros_like(Q)])
    return np.abs(H) @ (dE + push + drift @ omega), drift


def check_determined(system: System, found: Sequence[Local]) -> None:
    """E107: omega_H is degenerate at these states; the constraints allow a velocity that carries no energy."""
    light = [local.weightless for local in found]
    first = light[0] if light and all(v is not None for v in light) else None
    if first is None:
        return
    parts = zip(system.space.velocities, first, strict=True)
    velocity = ", ".join(f"{s.name} = {round(float(x), 4) + 0.0:g}" for s, x in parts if abs(x) > _SHOWN)
    raise Singular(
        "E107",
        f"the motion is not determined: the constraints allow ({velocity}), which carries no energy",
        "give every allowed velocity a kinetic energy, or constrain it",
    )
