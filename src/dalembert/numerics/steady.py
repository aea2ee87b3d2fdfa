"""Steady motions: states at which the reduced motion stands still, and what small disturbances do there.

The full motion is then a relative equilibrium: it goes along the group at a constant rate. The linearised reduced
motion, d(delta y)/dt = A delta y on the constraints, decides: a growing eigenvalue is an instability; where none grows
and none decays the steady motion is stable to first order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from ..calculus.graph import Node, evaluate, gradient
from ..calculus.rank import null_space
from ..calculus.read import read
from ..equations import Equations
from ..errors import InvalidValue, UnknownName, did_you_mean

FOUND, NOTHING = 1e-10, 1e-7  # residual of a steady motion; eigenvalues below this part of the largest count as 0


@dataclass(frozen=True)
class Steady:
    """A steady motion and its linear stability.

    Attributes:
        state: coordinates and velocities by name.
        eigenvalues: of the linearised motion on the constraints, growing ones first.
        residual: the largest rate that is left.
    """

    state: dict[str, float]
    eigenvalues: np.ndarray
    residual: float

    @property
    def _size(self) -> float:
        return NOTHING * max(1.0, float(np.abs(self.eigenvalues).max(initial=0.0)))

    @property
    def growth(self) -> float:
        """The largest real part, 0 where it is rounding."""
        top = float(self.eigenvalues.real.max(initial=0.0))
        return top if top > self._size else 0.0

    @property
    def family(self) -> int:
        """How many eigenvalues vanish: directions in which other steady motions lie, conserved quantities included."""
        return int(np.sum(np.abs(self.eigenvalues) <= self._size))

    @property
    def verdict(self) -> str:
        """``"unstable"``, ``"stable to first order"`` or ``"attracting"`` (all others decay)."""
        if self.growth:
            return "unstable"
        real = self.eigenvalues.real[np.abs(self.eigenvalues) > self._size]
        return "attracting" if len(real) and np.all(real < -self._size) else "stable to first order"

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())
        lines = [f"steady motion: {self.verdict}", f"  at           {where}"]
        shown = [
            f"{e.real:.4g}{e.imag:+.4g}i" if abs(e.imag) > self._size else f"{e.real:.4g}" for e in self.eigenvalues
        ]
        lines.append(f"  eigenvalues  {', '.join(shown)}")
        return "\n".join(lines)

    __repr__ = __str__


def steady(
    equations: Equations,
    guess: Mapping[str, float],
    fix: Sequence[str] = (),
    parameters: Mapping[Any, Any] | None = None,
) -> Steady:
    """The steady motion nearest to a guess, with some values held.

    Args:
        equations: of a reduced system (or of any other; then a state of rest).
        guess: values by name; those left out are 0.
        fix: names of values that are held; the others are moved until the motion stands still.
        parameters: values that replace the system's.

    Raises:
        UnknownName: E235 a name that is no state.
        InvalidValue: E244, there is no steady motion near the guess.
    """
    names = [s.name for s in equations.space]
    for name in (*guess, *fix):
        if name not in names:
            raise UnknownName("E235", f"{name!r} is no state of the reduced motion", did_you_mean(name, names))
    work = _Work(equations, equations.system.values(parameters))
    y = np.array([float(guess.get(n, 0.0)) for n in names])
    free = [i for i, n in enumerate(names) if n not in set(fix)]

    def residual(x: np.ndarray) -> np.ndarray:
        z = y.copy()
        z[free] = x
        return work.residual(z)

    if free:
        y[free] = least_squares(residual, y[free], xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale="jac").x
    left = float(np.abs(work.residual(y)).max(initial=0.0))
    if not left < FOUND * (1 + np.abs(y).max(initial=0.0)) ** 2:
        raise InvalidValue(
            "E244", f"there is no steady motion near the guess: a rate of {left:.2g} is left", "try another guess"
        )
    return Steady(dict(zip(names, map(float, y), strict=True)), work.eigenvalues(y), left)


class _Work:
    """Rates of all states, what they must satisfy, and the derivatives of both, on the graph."""

    def __init__(self, equations: Equations, parameters: Mapping[str, float]) -> None:
        self.parameters = {**parameters, "t": 0.0}
        machine = equations.machine
        form = machine.form.rows(equations.kept)
        udot = equations.solution.solve(form.f, form.g)[0] if equations.direct is None else equations.solved[0]
        self.rates: list[Node] = [*machine.qdot, *udot]
        graph = machine.graph
        self.names = [s.name for s in equations.space]
        y = [graph.symbol(n) for n in self.names]
        held = [*machine.phi, *machine.position.values(), *(read(e, graph) for e in equations.space.embedding)]
        self.held = held
        self._slopes = [e for row in self.rates for e in gradient(row, y)]
        self._normals = [e for row in held for e in gradient(row, y)]

    def _values(self, y: np.ndarray) -> dict[str, float]:
        return {**self.parameters, **dict(zip(self.names, map(float, y), strict=True))}

    def residual(self, y: np.ndarray) -> np.ndarray:
        """Rates and constraints."""
        return np.array(evaluate([*self.rates, *self.held], self._values(y)), float)

    def eigenvalues(self, y: np.ndarray) -> np.ndarray:
        """Of the linearised motion on what is held."""
        n, values = len(self.names), self._values(y)
        A = np.array(evaluate(self._slopes, values), float).reshape(n, n)
        N = np.array(evaluate(self._normals, values), float).reshape(-1, n)
        T = null_space(N) if len(N) else np.eye(n)
        found = np.linalg.eigvals(T.T @ A @ T)
        return np.asarray(found[np.lexsort((-found.imag, -found.real))])
