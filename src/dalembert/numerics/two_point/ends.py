"""The end of a curve: by how much a state misses what is wanted there, and the derivatives of that.

What is missed, condition by condition:

    plain coordinates       q^i(T) - q^i_end
    a rotation              the rotation vector of R_end^T R(T)
    what is left free       P p = 0,  p_a = dL*/du^a,  P the projector onto the velocities that keep what is given:
                            the natural boundary condition, L* = L - lam phi where the multipliers are states
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...calculus.rank import rank_of
from ...calculus.read import read
from ...equations import Equations

NEAR = 1e-6  # angles below it are 0 in what is divided by them


@dataclass(frozen=True)
class Rotated:
    """A rotation wanted at the end.

    Attributes:
        name: of the rotation.
        places: of its coordinates among the states.
        wanted: R_end (3 x 3).
        entries: R row by row and then its derivatives by the coordinates, on the graph.
    """

    name: str
    places: tuple[int, ...]
    wanted: np.ndarray
    entries: tuple[Node, ...]

    def missed(self, q: Mapping[str, float], S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotation vector of R_end^T R (3,) and its derivatives (3, d), from those of the states."""
        found = np.array(evaluate(list(self.entries), q), float).reshape(9, 1 + len(self.places))
        R, dR = found[:, 0].reshape(3, 3), np.einsum("ec,cd->ed", found[:, 1:], S[list(self.places)])
        turned = np.einsum("ji,jkd->ikd", R, dR.reshape(3, 3, -1))
        # hat(delta) = R^T dR
        delta = np.stack([turned[2, 1], turned[0, 2], turned[1, 0]])
        vector = rotation_vector(self.wanted.T @ R)
        return vector, inverse_right_jacobian(vector) @ delta


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """The vector along the axis whose length is the angle, at most pi."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def inverse_right_jacobian(v: np.ndarray) -> np.ndarray:
    """J with log(exp(v) exp(delta)) = v + J delta + ..., for the rotation vector v."""
    a = float(np.linalg.norm(v))
    hat = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    # J = 1 + hat/2 + (1/a^2 - cot(a/2)/(2 a)) hat^2
    third = 1 / 12 if a < NEAR else 1 / a**2 - 1 / (2 * a * np.tan(a / 2))
    return np.asarray(np.eye(3) + hat / 2 + third * (hat @ hat))


@dataclass(frozen=True, eq=False)
class End:
    """What is wanted at the last time.

    Attributes:
        equations: whose coordinates.
        t: the last time.
        plain: ``{coordinate: value}`` of those wanted as numbers.
        rotations: those wanted as rotations.
        natural: is what is left free completed by the natural boundary condition?
        sizes: scale of each plain coordinate.
        momentum: scale of momenta.
        parameters: values by name.
    """

    equations: Equations
    t: float
    plain: Mapping[str, float]
    rotations: tuple[Rotated, ...]
    parameters: Mapping[str, float]
    sizes: np.ndarray
    natural: bool = False
    momentum: float = 1.0

    @cached_property
    def places(self) -> list[int]:
        """Of the plain coordinates among the states."""
        return [self.equations.states.index(n) for n in self.plain]

    @cached_property
    def given(self) -> list[int]:
        """Of all coordinates that are given, rotations included."""
        return sorted([*self.places, *(i for r in self.rotations for i in r.places)])

    def values(self, y: np.ndarray) -> dict[str, float]:
        """All symbols at the last time."""
        return {**self.parameters, **dict(zip(self.equations.states, map(float, y), strict=True)), TIME.name: self.t}

    def missed(self, y: np.ndarray, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By how much a state (n,) misses the end, each condition in its scale, and the derivatives from S (n, d)."""
        plain = (y[self.places] - np.array(list(self.plain.values()))) / self.sizes
        F, J = [plain], [S[self.places] / self.sizes[:, None]]
        values = self.values(y) if self.rotations or self.natural else {}
        for rotated in self.rotations:
            f, j = rotated.missed(values, S)
            F.append(f)
            J.append(j)
        if self.natural:
            f, j = self._natural(values, S)
            F.append(f / self.momentum)
            J.append(j / self.momentum)
        return np.concatenate(F), np.vstack(J)

    def distance(self, y: np.ndarray) -> float:
        """The largest difference to a given coordinate, or angle to a given rotation, in their own units."""
        S = np.zeros((len(y), 1))
        values = self.values(y)
        found = [abs(float(y[i]) - v) for i, v in zip(self.places, self.plain.values(), strict=True)]
        found += [float(np.linalg.norm(r.missed(values, S)[0])) for r in self.rotations]
        return max(found, default=0.0)

    @cached_property
    def _momenta(self) -> tuple[list[Node], list[Node]]:
        """p_a = dL*/du^a and the rows E_G of the given coordinates; their derivatives by all states."""
        equations = self.equations
        graph = equations.machine.graph
        every = [graph.symbol(n) for n in equations.states]
        L = equations.system.over(graph).read(equations.lagrangian)
        p = gradient(L, [graph.symbol(u.name) for u in equations.space.velocities])
        rows = [read(equations.space.anchor[i, a], graph) for i in self.given for a in range(len(p))]
        values = [*p, *rows]
        return values, [s for v in values for s in gradient(v, every)]

    def momenta(self, values: Mapping[str, float]) -> np.ndarray:
        """p (k,) at the values of all symbols."""
        nodes = self._momenta[0][: len(self.equations.space.velocities)]
        return np.array(evaluate(nodes, values), float)

    def _natural(self, values: Mapping[str, float], S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P p (k,) and its derivatives (k, d)."""
        k, n, g = len(self.equations.space.velocities), len(S), len(self.given)
        nodes, slopes = self._momenta
        flat = np.array(evaluate([*nodes, *slopes], values), float)
        first = len(nodes)
        p, E = flat[:k], flat[k:first].reshape(g, k)
        changes = flat[first:].reshape(first, n) @ S
        dp, dE = changes[:k], changes[k:].reshape(g, k, -1)
        inverse = np.linalg.pinv(E, rcond=1e-10)
        P, mu = np.eye(k) - inverse @ E, inverse.T @ p
        f = P @ p
        # d(P p) = P dp - P dE^T mu - E^+ dE P p
        turned = P @ np.einsum("gkd,g->kd", dE, mu) + inverse @ np.einsum("gkd,k->gd", dE, f)
        return f, P @ dp - turned

    @cached_property
    def rank(self) -> int:
        """How many velocities the given coordinates fix, in general."""
        E = np.array(self.equations.space.anchor.subs(self.somewhere), float)
        return rank_of(E[self.given]) if self.given else 0

    @cached_property
    def somewhere(self) -> dict[Any, float]:
        """The given coordinates at the end, the others anywhere."""
        rng = np.random.default_rng(0)
        found = {q: float(rng.normal()) for q in self.equations.space.coordinates}
        found |= {q: self.plain[q.name] for q in found if q.name in self.plain}
        for name, attitude in self.equations.space.attitudes.items():
            R = next((r.wanted for r in self.rotations if r.name == name), np.eye(3))
            found |= dict(zip(attitude.coordinates, attitude.from_matrix(R), strict=True))
        return found
