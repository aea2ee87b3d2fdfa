"""Radau IIA of order 5 for stiff forces [hairer1996, IV.8]: SciPy's method on compiled code, seen as a `Stepper`."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import Radau

from .calls import value_at
from .dop853 import END, FULL, MAX_STEPS, NONFINITE, POWERS, STEP_TOO_SMALL, Chunk

DIFFERENCE = float(np.sqrt(np.finfo(float).eps))  # relative step of a difference
SMALL = 1e-3  # of the largest state: states below it are nudged as if they had this size


class RadauStepper:
    """One stiff integration under way; the interface is that of `dop853.Stepper`.

    Args:
        rhs: address of the right-hand side, which writes n derivatives and a margin.
        jacobian: address of its Jacobian (row-major), 0 for differences. (SciPy's own differences take ever larger
            steps in a state on which nothing depends, such as the work, until they overflow.)
        t, y, p: start and parameters.
        t_end: where it will stop at the latest.
        rtol, atol: tolerances; components with atol = inf are carried along.
        project: address of the projection, 0 for none.
        max_step, max_steps, chunk: limits, and how many steps `advance` takes at most before it returns.
    """

    def __init__(
        self,
        rhs: int,
        jacobian: int,
        t: float,
        y: np.ndarray,
        p: np.ndarray,
        t_end: float,
        *,
        rtol: float,
        atol: np.ndarray,
        project: int = 0,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        chunk: int = 64,
    ) -> None:
        self._rhs, self._jacobian, self._project, self.p = rhs, jacobian, project, p
        self._options = {
            "rtol": max(rtol, 3e-14),
            "atol": np.where(np.isfinite(atol), atol, 1e100),
            "max_step": max_step,
        }
        self._end, self._chunk, self.max_steps = t_end, chunk, max_steps
        self.margin, self._least = math.inf, math.inf
        self.steps, self.rejected, self._evaluations = 0, 0, 0
        self._solver = self._new(t, y)

    def restart(self, t: float, y: np.ndarray) -> None:
        """Go on from another time and state."""
        self._evaluations += self._solver.nfev
        self._solver = self._new(t, y)

    def _new(self, t: float, y: np.ndarray) -> Radau:
        jacobian = self._matrix if self._jacobian else self._differences
        return Radau(self._derivative, t, np.array(y, float), self._end, jac=jacobian, **self._options)

    def advance(self, t_end: float) -> Chunk:
        """Go on towards the end; while the chunk's status is FULL there is more to come."""
        times: list[float] = []
        states: list[np.ndarray] = []
        coefficients: list[np.ndarray] = []
        status, self._least = FULL, math.inf
        while len(times) < self._chunk and status == FULL:
            if self.steps >= self.max_steps:
                status = MAX_STEPS
                break
            y_old = self._solver.y.copy()
            try:
                self._solver.step()
            except (ValueError, np.linalg.LinAlgError):  # numbers that are not finite reach SciPy's factorisation
                status = NONFINITE
                break
            if self._solver.status == "failed":
                status = STEP_TOO_SMALL
                break
            y = self._projected()
            coefficients.append(_coefficients(self._solver.dense_output().Q, y - y_old))
            times.append(self._solver.t)
            states.append(y)
            self.steps += 1
            status = END if self._solver.status == "finished" else FULL
        n = len(self._solver.y)
        return Chunk(
            status,
            np.array(times),
            np.array(states).reshape(-1, n),
            np.array(coefficients).reshape(-1, POWERS, n),
            self._least,
        )

    @property
    def t(self) -> float:
        """The time reached."""
        return float(self._solver.t)

    @property
    def y(self) -> np.ndarray:
        """The state reached."""
        return np.asarray(self._solver.y)

    @property
    def evaluations(self) -> int:
        """Number of calls of the right-hand side."""
        return int(self._evaluations + self._solver.nfev)

    def _derivative(self, t: float, y: np.ndarray) -> np.ndarray:
        out = value_at(self._rhs, t, y, self.p, len(y) + 1)
        self._least = min(self._least, float(out[-1]))
        self.margin = min(self.margin, self._least)
        return out[:-1]

    def _matrix(self, t: float, y: np.ndarray) -> np.ndarray:
        return value_at(self._jacobian, t, y, self.p, len(y) ** 2).reshape(len(y), len(y))

    def _differences(self, t: float, y: np.ndarray) -> np.ndarray:
        """The Jacobian by forward differences."""
        f, sizes = self._plain(t, y), np.abs(y)
        h = DIFFERENCE * np.maximum(sizes, SMALL * (sizes.max(initial=0.0) or 1.0))
        # df_i/dy_j = (f_i(y + h_j e_j) - f_i(y))/h_j
        columns = [(self._plain(t, y + step) - f) / step[j] for j, step in enumerate(np.diag(h))]
        return np.array(columns).T

    def _plain(self, t: float, y: np.ndarray) -> np.ndarray:
        """The right-hand side, not counted and without its margin."""
        return value_at(self._rhs, t, y, self.p, len(y) + 1)[:-1]

    def _projected(self) -> np.ndarray:
        """The new state, moved back to the constraints; the solver goes on from there."""
        solver = self._solver
        if self._project:
            solver.y = value_at(self._project, solver.t, solver.y, self.p, len(solver.y))
            solver.f = self._derivative(solver.t, solver.y)
        return solver.y.copy()


def _coefficients(Q: np.ndarray, change: np.ndarray) -> np.ndarray:
    """SciPy's cubic y_old + Q (x, x^2, x^3) in the form of the path's interpolant, ending at the projected state."""
    # x (q1 + q2 x + q3 x^2) = x (F0 + (1 - x) (F1 + x F2)) with F0 = q1 + q2 + q3, F1 = -(q2 + q3), F2 = -q3
    F = np.zeros((POWERS, len(change)))
    F[0], F[1], F[2] = change, -(Q[:, 1] + Q[:, 2]), -Q[:, 2]
    return F
