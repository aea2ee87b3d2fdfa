"""Eight systems with a symmetry; K has dimension 0, 1, 2, V n H up to 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ....geometry.distributions import Distributions, Place
from ....model.symmetry import euclidean, translations
from ....model.symmetry import spin as turning
from ....model.system import System
from ....systems import chaplygin_sleigh as sleigh
from ....systems import nonholonomic_particle as particle
from ....systems import penny, roller_racer
from ....systems import rolling_ball_on_plane as ball
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
        return Distributions(self.system, self.symmetry)

    @cached_property
    def places(self) -> list[Place]:
        """Random states."""
        return self.work.places(STATES)


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


def everywhere() -> Iterator[tuple[str, Case, Place]]:
    """All states of all systems."""
    for name, case in cases().items():
        for place in case.places:
            yield name, case, place


def worst(measure: Callable[[Place], float]) -> float:
    """The largest value at all states of all systems."""
    return max(measure(place) for _, _, place in everywhere())
