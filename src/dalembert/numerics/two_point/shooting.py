"""The map from what is unknown at the start to what is missed at the end, with its derivatives.

Unknown are the velocities u that phi(t0, q0, u) = 0 leaves free and the multipliers that are states. A point is the
whole (u, lam); it moves along the null space of the constraints' normals, scaled, and is brought back to phi = 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...calculus.from_sympy import read
from ...calculus.graph import evaluate
from ...calculus.least_squares import DampedSteps
from ...calculus.numerical_rank import null_space, rank_of
from ...equations import Equations, Start
from ...errors import DalembertError
from ..policy import Policy
from ..sensitivities.flow_derivatives import TangentFlow
from .differentiated_motion import EventfulFlight, Flight, OnTheWay, Smooth
from .end_conditions import End

BACK, SETTLED, MET = 30, 1e-13, 1e-10  # Newton's steps back to phi = 0, when they end, and when it holds
_TIME = re.compile(r"t = [-+.e\d]+\d")


class Shot(NamedTuple):
    """One motion from a point.

    Attributes:
        point: (u, lam) at the start.
        basis: scaled directions in which the point may move (k + m, d).
        F, J: what is missed at the end (c,), in scales, and its derivatives by the directions (c, d).
        y: the state at the end (n,).
    """

    point: np.ndarray
    basis: np.ndarray
    F: np.ndarray
    J: np.ndarray
    y: np.ndarray

    @property
    def size(self) -> float:
        """|F|."""
        return float(np.linalg.norm(self.F))


@dataclass(frozen=True, eq=False)
class Shooting:
    """A two-point problem as a map between Euclidean spaces.

    Attributes:
        equations: whose motion.
        t: the first time.
        first: positions at the start, parameters and t by name.
        held: velocities and multipliers given at the start.
        end: what is wanted at the last time.
        parameters: values by name.
        scale: of the point's components (k + m,).
        met: what is met on the way; None where that is nothing.
        left: why motions were left aside, and how many for each reason.
    """

    equations: Equations
    t: float
    first: Mapping[str, float]
    held: Mapping[str, float]
    end: End
    parameters: Mapping[str, float]
    scale: np.ndarray
    met: OnTheWay | None = None
    left: Counter[str] = field(default_factory=Counter)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the point's components: velocities, then multipliers that are states."""
        return self.equations.states[len(self.equations.space.coordinates) :]

    @property
    def width(self) -> int:
        """Number of velocities."""
        return len(self.equations.space.velocities)

    @cached_property
    def selectors(self) -> np.ndarray:
        """Rows that pick what is held out of the point (h, k + m)."""
        return np.eye(len(self.names))[[self.names.index(n) for n in self.held]]

    @cached_property
    def _constant(self) -> np.ndarray | None:
        """Normals that do not depend on the velocities."""
        linear = all(c.kind != "nonlinear" for c in self.equations.constraints)
        return self._normals(np.zeros(len(self.names))) if linear else None

    @cached_property
    def way(self) -> np.ndarray:
        """How far each coordinate goes with velocities of their scales, (n,): |E| |u| T at the start."""
        anchor = [read(e, self.equations.machine.graph) for e in self.equations.space.anchor]
        E = np.array(evaluate(anchor, self.first), float).reshape(-1, self.width)
        return np.asarray(np.abs(E) @ self.scale[: self.width] * (self.end.t - self.t))

    def values(self, point: np.ndarray) -> dict[str, float]:
        """All symbols at the start."""
        return {**self.first, **dict(zip(self.names, map(float, point), strict=True))}

    def _normals(self, point: np.ndarray) -> np.ndarray:
        N = self.equations.machine.form.N
        flat = np.array(evaluate([e for row in N for e in row], self.values(point)), float)
        rows = np.zeros((len(N), len(self.names)))
        rows[:, : self.width] = flat.reshape(len(N), self.width)
        return np.vstack([rows, self.selectors])

    def normals(self, point: np.ndarray) -> np.ndarray:
        """dphi/d(u, lam) and the rows of what is held, (m + h, k + m)."""
        return self._normals(point) if self._constant is None else self._constant

    def basis(self, point: np.ndarray) -> np.ndarray:
        """Directions that keep the constraints, orthonormal in scales, (k + m, d)."""
        return self.scale[:, None] * null_space(self.normals(point) * self.scale)

    def count(self, point: np.ndarray) -> int:
        """How many unknowns there are."""
        return len(self.names) - rank_of(self.normals(point) * self.scale)

    def settled(self, point: np.ndarray) -> np.ndarray | None:
        """The nearest point on phi = 0 with the held values, or None."""
        phi, held = self.equations.machine.phi, np.array(list(self.held.values()))
        for _ in range(BACK):
            off = np.r_[np.array(evaluate(phi, self.values(point)), float), self.selectors @ point - held]
            if not np.isfinite(off).all():
                return None
            N = self.normals(point) * self.scale
            if not np.isfinite(N).all():
                return None
            # least |dx| with N dx = -off
            step = np.linalg.lstsq(N, -off, rcond=1e-12)[0] if len(off) else np.zeros(len(point))
            point = point + self.scale * step
            if np.linalg.norm(step) <= SETTLED * (1 + np.linalg.norm(point / self.scale)):
                return point if self._holds(off, N, point) else None
        return None

    def _holds(self, off: np.ndarray, N: np.ndarray, point: np.ndarray) -> bool:
        """Is what the rows are off by nothing beside their own terms?"""
        size = np.abs(N) @ (1 + np.abs(point / self.scale))
        return bool(np.all(np.abs(off) <= MET * size))

    def start(self, point: np.ndarray) -> Start:
        """A state without the checks of one that a person gave."""
        values = self.values(point)
        state = {n: values[n] for n in self.equations.states}
        return Start(state, self.t, state, parameters=self.parameters)

    def measured(self, policy: Policy) -> Policy:
        """The policy with absolute tolerances in the size of each state, where none were given."""
        if policy.atol is not None:
            return policy
        return replace(policy, atol={n: policy.rtol / 100 * unit for n, unit in self._units.items()})

    @cached_property
    def _units(self) -> dict[str, float]:
        """The size of each state: how far it goes, or is, with velocities and multipliers of their scales."""
        names = self.equations.states[: len(self.way)]
        sizes = [way or abs(self.first[n]) or 1.0 for n, way in zip(names, map(float, self.way), strict=True)]
        return dict(zip(self.equations.states, [*sizes, *map(float, self.scale)], strict=True))

    def launch(self, point: np.ndarray, policy: Policy) -> tuple[Flight, np.ndarray]:
        """The motion from a point, and the basis of what its derivatives are by.

        Raises:
            DalembertError: there is none, or none with derivatives.
        """
        policy, basis = self.measured(policy), self.basis(point)
        S = np.vstack([np.zeros((len(self.equations.states) - len(point), basis.shape[1])), basis])
        if self.met is not None:
            motion = self.met.motion(self.equations, self.start(point), policy, self.end.t)
            return EventfulFlight(motion, policy, S), basis
        field = policy.field(self.equations, self.start(point))
        flow = TangentFlow.of(field, policy, basis.shape[1], {})
        return Smooth(flow, flow.rows(S)), basis

    def shoot(self, point: np.ndarray, policy: Policy) -> Shot | None:
        """The motion from a point to the last time; None where there is none."""
        with np.errstate(all="ignore"):
            try:
                flight, basis = self.launch(point, policy)
                found = flight.at(np.array([self.end.t]))
            except DalembertError as error:
                self.left[_TIME.sub("t = ...", f"{error.code} {error.fact}")] += self.met is not None
                return None
            except (ArithmeticError, np.linalg.LinAlgError):
                return None
            if found is None:
                return None
            y, S = found[0][0], found[1][0]
            F, J = self.end.missed(y, S)
        if not (np.isfinite(F).all() and np.isfinite(J).all()):
            return None
        return Shot(point, basis, F, J, y)

    def beside(self, shot: Shot, policy: Policy, way: float) -> str:
        """What else a motion meets whose point is moved by a part of its size; nothing where all meet the same.

        Derivatives hold among motions that meet the same things, and end where one grazes.
        """
        if self.met is None:
            return ""
        size = way * (1 + float(np.linalg.norm(shot.point / self.scale)))
        points = [self.settled(shot.point + sign * size * e) for e in shot.basis.T for sign in (1, -1)]
        here, others = self._met(shot.point, policy), {self._met(p, policy) for p in points if p is not None}
        said = " or ".join(sorted(others - {here}))
        return f"{said} (it meets: {here})" if said else ""

    def _met(self, point: np.ndarray, policy: Policy) -> str:
        """What the motion from a point meets, in words."""
        try:
            flight = self.launch(point, policy)[0]
        except DalembertError as error:
            return f"{error.code} {error.fact}"
        return ", ".join(flight.met) or "nothing"

    def scaled(self, scale: np.ndarray, end: End) -> Shooting:
        """The problem in other scales, with another end."""
        return replace(self, scale=scale, end=end)


# --- Zeros of the end map by damped steps of Levenberg's kind, no longer than a share of the point itself ------------
#     step = -J^T (J J^T + mu)^-1 F ,   mu ~ |F|^2
#
# With mu ~ |F|^2 steps converge quadratically also where the zeros are not isolated but form a family. A careful search
# takes short steps that lessen |F| and comes to the nearest zeros; a bold one takes longer steps, after which |F| may
# be larger, and comes to others too. Steps without any bound run away to motions that are of no interest.

MOST = 60  # motions for one start
SHORTER, SHORTEST = 0.4, 2e-3
DAMPING = 1e-4  # mu in units of the largest singular value squared and |F|^2
STUCK = 8  # as many steps that gain less than a tenth in all
ROUNDING = 1e-15


@dataclass(frozen=True)
class Temper:
    """How far steps go and what they have to gain.

    Attributes:
        longest, reach: a step is at most longest + reach |point|, in scales.
        descent: a share s of the full step takes |F| to less than (1 - descent s) |F|; if negative, |F| may grow so.
    """

    longest: float
    reach: float
    descent: float

    def enough(self, share: float, before: float, after: float) -> bool:
        """Did a step gain what it has to?"""
        return after < before * (1 - self.descent * (share if self.descent > 0 else 1.0))


CAREFUL, BOLD = Temper(1.0, 0.3, 0.2), Temper(4.0, 1.2, -3.0)


def descend(
    problem: Shooting,
    point: np.ndarray,
    policy: Policy,
    goal: float,
    most: int = MOST,
    temper: Temper = CAREFUL,
    pressed: Callable[[], bool] = lambda: False,
) -> Shot | None:
    """From a point to one whose motion meets the end to `goal`, or as near as it comes; None where nothing runs.

    Args:
        problem: the end map.
        point: where to start.
        policy: how to integrate.
        goal: |F| that is near enough.
        most: motions.
        temper: of the steps.
        pressed: was it told to stop?
    """
    shot = best = problem.shoot(point, policy)
    count, history = 1, []
    while shot is not None and best is not None and shot.size > goal and count < most and not pressed():
        history.append(shot.size)
        if temper.descent > 0 and len(history) > STUCK and history[-1] > 0.9 * history[-1 - STUCK]:
            break
        shot, used = _next(problem, shot, policy, temper)
        count += used
        if shot is not None and shot.size < best.size:
            best = shot
    return best


def _next(problem: Shooting, shot: Shot, policy: Policy, temper: Temper) -> tuple[Shot | None, int]:
    """A shot that gains enough, and how many motions it took."""
    step = levenberg(shot.J, shot.F)
    length = float(np.linalg.norm(step))
    if not length > 0:
        return None, 0
    share = min(1.0, (temper.longest + temper.reach * float(np.linalg.norm(shot.point / problem.scale))) / length)
    used = 0
    while share > SHORTEST:
        point = problem.settled(shot.point + share * (shot.basis @ step))
        found = None if point is None else problem.shoot(point, policy)
        used += 1
        if found is not None and temper.enough(share, shot.size, found.size):
            return found, used
        share *= SHORTER
    return None, used


def levenberg(J: np.ndarray, F: np.ndarray) -> np.ndarray:
    """The step (d,) for a miss F (c,) with derivatives J (c, d)."""
    damped = DampedSteps(J, -F)
    largest = damped.s.max(initial=0.0)
    return damped(DAMPING * largest**2 * min(1.0, float(F @ F)) + (ROUNDING * largest) ** 2)
