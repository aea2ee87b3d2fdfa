"""Which contacts an impact concerns where a law of restitution follows its course.

Contacts whose impulses do nothing to each other are hit each for itself. One that is hit among others has its own
course where these do not approach on the way, as then they have no impulse. Where contacts press on each other they
are hit together: by Poisson's law in two phases, by Stronge's as springs that are equally stiff.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...equations.contacts import NEWTON
from .course import Course, Law, Way
from .instant import NEAR, Instant
from .rows import Rows
from .together import Hit, Together


@dataclass(frozen=True, eq=False)
class Courses:
    """An impact at contacts that are closed.

    Attributes:
        now: before it.
        closed: the contacts.
    """

    now: Instant
    closed: Sequence[str]

    @cached_property
    def hit(self) -> list[str]:
        """Contacts that approach."""
        return [n for n in self.closed if self.now.touching[n].rate < -NEAR * self.now.terms[n]]

    @cached_property
    def groups(self) -> list[list[str]]:
        """Contacts that act on each other, together."""
        found: list[list[str]] = []
        rows = self._rows
        for name in self.closed:
            near = [any(rows.coupled(rows.all(name), rows.all(n)) for n in group) for group in found]
            mine = [n for group, is_near in zip(found, near, strict=True) if is_near for n in group]
            found = [*(group for group, is_near in zip(found, near, strict=True) if not is_near), [*mine, name]]
        return found

    @cached_property
    def followed(self) -> list[list[str]]:
        """Groups in which a contact has a course."""
        if all(self.now.touching[n].law == NEWTON for n in self.closed):
            return []
        return [group for group in self.groups if any(self.now.touching[n].law != NEWTON for n in group)]

    @property
    def others(self) -> list[str]:
        """Contacts of the other groups."""
        return [n for n in self.closed if not any(n in group for group in self.followed)]

    @cached_property
    def hits(self) -> list[Hit]:
        """Of each contact that has its own course, and of those that are hit together.

        Raises:
            NoCourse: one has none.
        """
        return [self._of_group(group) for group in self.followed if any(name in self.hit for name in group)]

    @property
    def lowered(self) -> float:
        """By what factor restitutions were lowered."""
        return min((hit.lowered for hit in self.hits), default=1.0)

    @property
    def words(self) -> list[tuple[str, ...]]:
        """What the pieces of all courses are: where they are others, impulses have no derivatives."""
        return [hit.words for hit in self.hits]

    def done(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The jump of the velocities (k,), and the impulses of each contact and its parts, by all courses.

        Raises:
            NoCourse: one has none.
        """
        du, rows = np.zeros(len(self.now.u)), self._rows
        impulses = {name: p for hit in self.hits for name, p in hit.impulses.items()}
        for part, p in impulses.items():
            du = du + rows.back(rows.own(part)) @ p
        return du, {n: np.pad(p, (0, rows.length(n) - len(p))) for n, p in impulses.items()}

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.now)

    def _of_group(self, group: Sequence[str]) -> Hit:
        """Of contacts that act on each other."""
        hit = [name for name in group if name in self.hit]
        alone = self._alone(hit[0], [n for n in group if n != hit[0]]) if len(hit) == 1 else None
        return Together(self._rows, group).hit() if alone is None else alone

    def _alone(self, name: str, others: Sequence[str]) -> Hit | None:
        """One contact's course, and what is its of spin and rolling; None where others take part."""
        mine = [part for part in self.now.parts([name]) if part != name]
        if self.now.touching[name].law == NEWTON or any(self._rows.turned(part, name) for part in mine):
            return None
        way = self._way(name)
        if self._rows.approach(name, others, np.array([np.r_[at.P, at.T] for at in way.points])):
            return None
        impulses = {name: np.r_[way.end.P, way.end.T]}
        return Hit(impulses | {part: self._part(part, way.end.P) for part in mine}, way.words)

    def _way(self, name: str) -> Way:
        """The course of one contact."""
        c, rows = self.now.touching[name], self._rows.own(name)
        course = Course(rows @ self._rows.back(rows), c.mu, c.mu_static)
        return course.along(c.rate, c.slip[: len(rows) - 1], Law(c.restitution, c.law))

    def _part(self, part: str, P: float) -> np.ndarray:
        """The moment of pivoting or rolling friction, where the impulses of the contact do not turn the body so."""
        c, rows = self.now.touching[part], self._rows.own(part)
        if not len(rows):
            return np.zeros(len(c.B))
        return Course(np.pad(rows @ self._rows.back(rows), ((1, 0), (1, 0))), c.mu, c.mu_static).rubbed(c.slip, P)
