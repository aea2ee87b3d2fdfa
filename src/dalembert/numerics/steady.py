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

from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, gradient
from ..calculus.keys import by_name
from ..calculus.quantity import quantity
from ..calculus.rank import null_space
from ..calculus.read import read
from ..calculus.text import short
from ..equations import Equations, Start
from ..equations.finite import require
from ..errors import InvalidValue, UnknownName, WrongType, did_you_mean

FOUND, NOTHING = 1e-10, 1e-7  # residual of a steady motion; eigenvalues below this part of the largest count as 0
FAR = 1e6  # a residual in place of one that is not finite


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
        guess: values by name, the time ``t`` among them where it matters; those left out are 0.
        fix: names of values that are held, ``"theta vphi"`` or a list; the others are moved until the motion stands
            still.
        parameters: values that replace those of the guess, if it is a `Start`, or of the system.

    Raises:
        WrongType: E307 no equations, or a `fix` that holds no names; E241 a guess that is no mapping; E204 a value that
            is no number.
        UnknownName: E235 a name that is no state.
        InvalidValue: E203 a value that is not finite; E244, there is no steady motion near the guess; E307, equations
            whose multipliers are states.
        Singular: E401, E402 the rates are not finite at the guess, or their slopes at the steady motion.
    """
    _check_equations(equations)
    names = [s.name for s in equations.space]
    given = _guess(guess, names)
    held = _held(fix, names)
    work = _Work(equations, equations.system.values(_parameters(guess, parameters)))
    work.t = guess.t if isinstance(guess, Start) else given.get(TIME.name, 0.0)
    y = np.array([given.get(n, 0.0) for n in names])
    work.require(y)
    free = [i for i, n in enumerate(names) if n not in held]

    def residual(x: np.ndarray) -> np.ndarray:
        z = y.copy()
        z[free] = x
        found = work.residual(z)
        return np.where(np.isfinite(found), found, FAR)

    if free:
        y[free] = least_squares(residual, y[free], xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale="jac").x
    left = float(np.abs(work.residual(y)).max(initial=0.0))
    if not left < FOUND * (1 + np.abs(y).max(initial=0.0)) ** 2:
        raise InvalidValue(
            "E244", f"there is no steady motion near the guess: a rate of {left:.2g} is left", "try another guess"
        )
    return Steady(dict(zip(names, map(float, y), strict=True)), work.eigenvalues(y), left)


def _check_equations(equations: Any) -> None:
    if not isinstance(equations, Equations):
        fact = f"steady needs equations, not {type(equations).__name__}"
        raise WrongType("E307", fact, "da.nonholonomic(da.reduce(system).system)")
    if equations.states_of_multipliers:
        fact = f"steady takes no {equations.principle} equations: their multipliers are states"
        raise InvalidValue("E307", fact, "da.nonholonomic(system)")


def _guess(guess: Any, names: Sequence[str]) -> dict[str, float]:
    """Values by name."""
    if not isinstance(guess, Mapping):
        raise WrongType("E241", f"a guess is a mapping of values, not {type(guess).__name__}", '{"theta": 1.2}')
    given = by_name(guess, "the guess")
    _check_names([n for n in given if n != TIME.name], names)
    return {name: quantity(value, name).value for name, value in given.items()}


def _parameters(guess: Mapping[Any, Any], parameters: Any) -> Any:
    """Those of the guess, if it is a start, with those given in their place."""
    own = dict(guess.parameters) if isinstance(guess, Start) else {}
    if not isinstance(parameters, Mapping):
        return own if parameters is None else parameters
    return {**own, **by_name(parameters, "parameters")}


def _held(fix: Any, names: Sequence[str]) -> set[str]:
    """The names that are held."""
    if not np.iterable(fix) or isinstance(fix, bytes):
        raise WrongType("E307", f"fix = {short(fix)} holds no names", 'fix="theta vphi", or leave it out')
    every: list[Any] = fix.replace(",", " ").split() if isinstance(fix, str) else [getattr(n, "name", n) for n in fix]
    held = [n for n in every if not isinstance(n, str) or n != TIME.name]
    _check_names(held, names)
    return set(held)


def _check_names(given: Sequence[Any], names: Sequence[str]) -> None:
    for name in given:
        if not isinstance(name, str) or name not in names:
            raise UnknownName("E235", f"{short(name)} is no state of the reduced motion", did_you_mean(name, names))


class _Work:
    """Rates of all states, what they must satisfy, and the derivatives of both, on the graph."""

    def __init__(self, equations: Equations, parameters: Mapping[str, float]) -> None:
        self.parameters, self.t = parameters, 0.0
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
        return {**self.parameters, TIME.name: self.t, **dict(zip(self.names, map(float, y), strict=True))}

    def require(self, y: np.ndarray) -> None:
        """Refuse rates or constraints that are not finite (Singular E401, E402)."""
        require([*self.rates, *self.held], self._values(y), "at the guess")

    def residual(self, y: np.ndarray) -> np.ndarray:
        """Rates and constraints."""
        return np.array(evaluate([*self.rates, *self.held], self._values(y)), float)

    def eigenvalues(self, y: np.ndarray) -> np.ndarray:
        """Of the linearised motion on what is held."""
        n, values = len(self.names), self._values(y)
        require([*self._slopes, *self._normals], values, "at the steady motion")
        A = np.array(evaluate(self._slopes, values), float).reshape(n, n)
        N = np.array(evaluate(self._normals, values), float).reshape(-1, n)
        T = null_space(N) if len(N) else np.eye(n)
        found = np.linalg.eigvals(T.T @ A @ T)
        return np.asarray(found[np.lexsort((-found.imag, -found.real))])
