"""What holds on a branch of steady motions, in scaled unknowns x = (y, p)/size: rates, constraints, what is held.

Rows of R(x) = 0 depend on each other where something is conserved, so that there are more of them than unknowns; they
agree with each other, and least squares solves them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...calculus.from_sympy import read
from ...calculus.numerical_rank import null_rows
from ...equations import Equations
from ...errors import InvalidValue
from ..node_derivatives import Linearised
from ..relative_equilibria import ROUNDING, Steady, sizes_of, steady_at
from ..stability import Spectrum
from .arclength import SAME, CurvePoint, away, first_tangent, leaving

REACHED, LEFT = 1e-10, 1e-9
UNIT = 1e-6


class Standing:
    """Steady motions of some equations in their states and one parameter.

    Args:
        equations: of a reduced system, or of any other.
        parameters: values of all parameters.
        name: of what changes.
        quantity: that as a function of the states; None for a parameter of the system.
        width: the length of the range of the parameter.
    """

    def __init__(
        self, equations: Equations, parameters: Mapping[str, float], name: str, quantity: sp.Expr | None, width: float
    ) -> None:
        self.name, self.equations, self.quantity, self.own = name, equations, quantity, quantity is None
        by, more = ([name], []) if quantity is None else ([], [quantity])
        self.work = Linearised(equations, dict(parameters), by, lambda graph: [read(e, graph) for e in more])
        self.reached, self.left, self.stalled = REACHED, LEFT, 0.0
        self.coordinates, self.width = len(equations.space.coordinates), width
        n, rows = len(self.work.names), len(self.work.rates) + len(self.work.held)
        self.size = np.ones(n + 1)
        self.weights, self.begin = np.ones(rows + 1 - self.own), np.zeros(n + 1)
        self._scale = np.ones((rows + 1 - self.own, n + 1))
        self.family = np.zeros((0, n + 1))
        self._angles = np.array([*(n in equations.system.angles for n in self.work.names), False])

    # --- rows --------------------------------------------------------------------------------------------------------

    def at(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        """State and parameter; rates are taken at them from now on."""
        w = x * self.size
        p = float(w[-1])
        if self.own and self.work.parameters[self.name] != p:
            self.work.parameters = {**self.work.parameters, self.name: p}
        return w[:-1], p

    def value(self, y: np.ndarray) -> float:
        """The parameter, or the quantity at a state."""
        return float(self.work.values(y)[self.name] if self.own else self.work.at(y)[-1])

    def rows(self, x: np.ndarray) -> np.ndarray:
        """R(x), weighted."""
        y, p = self.at(x)
        R = self.work.at(y)
        if not self.own:
            R[-1] -= p
        return self.weights * R

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """dR/dx, weighted."""
        J = self.work.around(self.at(x)[0])
        if not self.own:
            J, by_state = np.zeros((len(J), len(x))), J
            J[:, :-1] = by_state
            J[-1, -1] = -1.0
        return np.asarray(J * self._scale)

    @property
    def turn(self) -> np.ndarray:
        """Full turns of angles."""
        return np.where(self._angles, math.tau, 0.0) / self.size

    def eigenvalues(self, x: np.ndarray) -> np.ndarray:
        """Of the linearised motion."""
        return self.work.eigenvalues(self.at(x)[0])

    def spectra(self, points: Sequence[CurvePoint]) -> list[CurvePoint]:
        """Points of the branch with their eigenvalues, found for all together."""
        n, rows = len(self.work.names), len(self.work.rates) + len(self.work.held)
        found = self.work.spectra(np.stack([self.work.around(self.at(p.x)[0])[:rows, :n] for p in points]))
        return [p._replace(eigenvalues=row) for p, row in zip(points, found, strict=True)]

    def spectrum(self, point: CurvePoint) -> Spectrum:
        """Of the linearised motion, with the errors that rounding leaves it."""
        y = self.at(point.x)[0]
        A, T = self.work.motion(y)
        return Spectrum.of(A, self.work.errors(y, T))[0]

    # --- the branch ------------------------------------------------------------------------------------------------

    def sizes(self, y: np.ndarray) -> np.ndarray:
        """The own size of each value at the start; of an angle, which has one by itself, no less than a radian."""
        return np.maximum(sizes_of(y, self.coordinates), self._angles[:-1])

    def start(self, y: np.ndarray, sizes: np.ndarray, fix: Collection[str]) -> np.ndarray:
        """The tangent at a steady motion; states in `fix`, and what else the family may do, are held from now on.

        Raises:
            InvalidValue: E244, the parameter does not change along steady motions near the start.
        """
        self.size = self._scale = np.r_[sizes, self.width]
        self.begin = np.r_[y, self.value(y)] / self.size
        largest = np.abs(self.slopes(self.begin)).max(axis=1, initial=0.0)
        self.weights = 1 / np.where(largest > SAME * largest.max(initial=0.0), largest, largest.max(initial=0.0) or 1.0)
        self._scale = np.outer(self.weights, self.size)
        fixed = np.eye(len(self.begin))[[self.work.names.index(name) for name in fix]]
        first = first_tangent(null_rows(np.vstack([self.slopes(self.begin), fixed]), SAME))
        if first is None:
            fact = f"{self.name} does not change along the steady motions through the start"
            raise InvalidValue("E244", fact, "continue in another parameter, or from another start")
        along, others = first
        self.family = np.vstack([fixed, others])
        return along

    def held(self) -> tuple[str, ...]:
        """What is held of the family, in words."""
        words = []
        for row in self.family:
            parts = [(n, c) for n, c in zip(self.work.names, row, strict=False) if abs(c) > UNIT]
            words.append(parts[0][0] if len(parts) == 1 else f"a combination of {', '.join(n for n, _ in parts)}")
        return tuple(words)

    def across(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is held of the family stays as at the start."""
        return self.family, self.family @ self.begin


# --- From one branch of steady motions onto the other through a branch point -----------------------------------------
# There the rows of the branch lose a rank: dR w = 0 across the tangent too. The steady motion at a distance in the
# direction w is solved for, with the parameter free. Where an eigenvalue passes 0 and the rows keep their rank, no
# other branch goes through: the linearised motion A has a Jordan block there, so that along some v of the family, A v
# = 0, what is conserved stands still, l v = 0 for all l A = 0. Motions of the family on either side then have the
# same of it.

LOST = 1e-5  # a singular value below this part of the largest is 0: points are located to about 1e-8


class Fork(NamedTuple):
    """A special point of a branch: scaled unknowns and tangent."""

    standing: Standing
    x: np.ndarray
    tangent: np.ndarray

    @property
    def parts(self) -> bool:
        """Do the rows lose a rank, so that another branch goes through?"""
        rows = [self.standing.slopes(self.x), self.standing.across(self.x)[0], self.tangent]
        s = np.linalg.svd(np.vstack(rows), compute_uv=False)
        return bool(s[-1] < LOST * s[0])


def other_branch(fork: Fork, size: float) -> Steady:
    """The steady motion at a distance, with the value of the parameter there."""
    if not size:
        raise InvalidValue("E241", "size = 0 stays on the branch", "size=0.01")
    standing = fork.standing
    if not fork.parts:
        value = standing.at(fork.x)[1]
        fact = f"an eigenvalue passes 0 at {standing.name} = {value:.6g}, and no other branch goes through"
        raise InvalidValue("E244", fact, "another place in special; the branch itself goes on there")
    found = away(standing, fork.x, leaving(standing, fork.x, fork.tangent), size)
    if found is None:
        fact = f"no motion of another branch is reached at a distance of {size:g}"
        raise InvalidValue("E244", fact, "another size, of either sign")
    y, _ = standing.at(found)
    y = np.where(np.abs(y) < ROUNDING * np.abs(standing.size[:-1]), 0.0, y)
    return steady_at(standing.equations, standing.work, y)
