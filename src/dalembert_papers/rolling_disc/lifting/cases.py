"""Eight systems with a symmetry; K has dimension 0, 1, 2, V n H up to 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from dalembert import System, nonholonomic
from dalembert.equations import Equations
from dalembert.geometry.distributions import Distributions, DistributionsAt
from dalembert.symmetry import distributions, euclidean, translations
from dalembert.symmetry import spin as turning
from dalembert.systems import chaplygin_sleigh as sleigh
from dalembert.systems import nonholonomic_particle as particle
from dalembert.systems import penny, roller_racer
from dalembert.systems import rolling_ball_on_plane as ball

from .. import given

ROUNDING = 1e-9  # of vectors of length 1; a few subspaces are near each other
CLEAR = 1e-4  # above this a form is regular, a vector outside
STATES = 2


@dataclass(frozen=True, eq=False)
class Case:
    """A system and its group; `headings` are turned with x, y where the plane's turns belong to the group."""

    system: System
    symmetry: Any
    headings: tuple[str, ...] = ()

    @cached_property
    def work(self) -> Distributions:
        """Its distributions."""
        return distributions(self.system, self.symmetry)

    @cached_property
    def places(self) -> list[DistributionsAt]:
        """Random states."""
        return self.work.places(STATES)

    @cached_property
    def equations(self) -> Equations:
        """Its equations with multipliers."""
        return nonholonomic(self.system)

    def motion(self, place: DistributionsAt) -> np.ndarray:
        """xi by multipliers, the velocities and the accelerations: without the form."""
        velocities = [place.values[v.name] for v in self.system.space.velocities]
        return np.array([*velocities, *self.equations.accelerations(place.values)[0]], float)

    def canonical(self, place: DistributionsAt) -> np.ndarray:
        """dq ^ dp on tangent vectors (x, w), from L by SymPy: the form by another way."""
        space, L = self.system.space, self.system.lagrangian
        dq, dp = (
            np.array([self.work.derivative(e, place.values) for e in each])
            for each in (space.coordinates, [L.diff(v) for v in space.velocities])
        )
        # omega(X, Y) = dq(X) dp(Y) - dq(Y) dp(X)
        return np.asarray(dq.T @ dp - dp.T @ dq)

    def energy(self, place: DistributionsAt) -> np.ndarray:
        """dE on tangent vectors (x, w), E = v dL/dv - L."""
        L = self.system.lagrangian
        return self.work.derivative(sum(v * L.diff(v) for v in self.system.space.velocities) - L, place.values)


@cache
def cases() -> dict[str, Case]:
    """Systems by name; K has dimension 0, 1, 2, V n H up to 3."""
    whole = [translations("x y"), *(turning("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))]
    return {
        "disc, E(2) x SO(2)": Case(given.system(), None, ("phi",)),
        "disc, R^2": Case(given.system(), "x y"),
        "particle, R^2": Case(particle.system(), "x z"),
        "penny, R^2 x S^1": Case(penny.system(), "x y psi"),
        "penny, SE(2) x S^1": Case(penny.system(), [euclidean("x y", headings="phi"), "psi"], ("phi",)),
        "sleigh with a = 0, SE(2)": Case(centred(), euclidean("x y", headings="theta"), ("theta",)),
        "roller racer, SE(2)": Case(roller_racer.system(), None, ("theta",)),
        "ball, R^2 x SO(3)": Case(ball.system(), whole),
    }


@cache
def centred() -> System:
    """Chaplygin's sleigh with its centre of mass on the blade."""
    given_ = sleigh.system()
    known = {k: v for k, v in given_.parameters.items() if k != sleigh.ARM.name}
    return given_.changed(lagrangian=given_.lagrangian.subs(sleigh.ARM, 0), parameters=known)


def everywhere() -> Iterator[tuple[str, Case, DistributionsAt]]:
    """All states of all systems."""
    for name, case in cases().items():
        for place in case.places:
            yield name, case, place


def worst(measure: Callable[[Case, DistributionsAt], float], in_coordinates: bool = False) -> float:
    """The largest value at all states of all systems, or of those whose velocities are rates of coordinates."""
    every = [(case, p) for _, case, p in everywhere() if not (in_coordinates and case.system.space.attitudes)]
    return max(measure(case, p) for case, p in every)
