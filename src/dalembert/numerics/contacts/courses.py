"""Which contacts an impact concerns where a law of restitution follows its course.

Contacts whose impulses do nothing to each other are hit each for itself. One that is hit among others has its own
course where these do not approach on the way, as then they have no impulse. Where contacts press on each other it
matters in what proportion their impulses grow, which rigid bodies do not tell, and so it is not decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...equations.contacts import NEWTON
from .course import Course, Law, Way
from .hodograph import Along, NoCourse
from .instant import NEAR, Instant, Touching

_COUPLED = 1e-12  # of two rows: below it an impulse along one does nothing along the other


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
        for name in self.closed:
            near = [any(self._coupled(self._all(name), self._all(n)) for n in group) for group in found]
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

    def done(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The jump of the velocities (k,), and the impulses of each contact and its parts, by all courses.

        Raises:
            NoCourse: one has none.
        """
        du = np.zeros(len(self.now.u))
        impulses: dict[str, np.ndarray] = {}
        for group in self.followed:
            for name in group:
                if name in self.hit:
                    found = self._alone(name, [n for n in group if n != name])
                    impulses |= found
                    du = du + sum(self._back(self._own(part)) @ p for part, p in found.items())
        return du, {n: np.pad(p, (0, self._length(n) - len(p))) for n, p in impulses.items()}

    def _alone(self, name: str, others: Sequence[str]) -> dict[str, np.ndarray]:
        """Impulses of one contact's course, and of what is its of spin and rolling."""
        c = self.now.touching[name]
        pressed = [n for n in others if n in self.hit]
        if c.law == NEWTON or pressed:
            raise NoCourse(self._words(name, pressed or others))
        way = self._way(name)
        self._check(name, others, way.points)
        impulses = {name: np.r_[way.end.P, way.end.T]}
        for part in self.now.parts([name]):
            if part != name:
                impulses[part] = self._part(part, name, way.end.P)
        return impulses

    def _way(self, name: str) -> Way:
        """The course of one contact."""
        c, rows = self.now.touching[name], self._own(name)
        course = Course(rows @ self._back(rows), c.mu, c.mu_static)
        return course.along(c.rate, c.slip[: len(rows) - 1], Law(c.restitution, c.law))

    def words(self) -> list[tuple[str, ...]]:
        """What the pieces of all courses are: where they are others, impulses have no derivatives."""
        return [self._way(name).words for group in self.followed for name in group if name in self.hit]

    def _part(self, part: str, name: str, P: float) -> np.ndarray:
        """The moment of pivoting or rolling friction, where the impulses of the contact do not turn the body so."""
        c, rows = self.now.touching[part], self._own(part)
        if not len(rows):
            return np.zeros(len(c.B))
        if any(self._coupled(rows, self._own(n)) for n in self.now.parts([name]) if n != part):
            raise NoCourse(self._words(name, [part]))
        return Course(np.pad(rows @ self._back(rows), ((1, 0), (1, 0))), c.mu, c.mu_static).rubbed(c.slip, P)

    def _check(self, name: str, others: Sequence[str], way: Sequence[Along]) -> None:
        """The other contacts must not approach."""
        back, impulses = self._back(self._own(name)), np.array([np.r_[at.P, at.T] for at in way])
        for other in others:
            c = self.now.touching[other]
            rates = impulses @ (c.A @ back)
            if rates.min() < -NEAR * self.now.terms[other] - _COUPLED * np.abs(rates).max():
                raise NoCourse(self._words(name, [other]))

    def _words(self, name: str, others: Sequence[str]) -> str:
        laws = {self.now.touching[n].law for n in (name, *others)} - {NEWTON, ""}
        return f"it follows {' or '.join(sorted(laws))}'s law, of one contact, and {' and '.join(others)} take part"

    def _own(self, name: str) -> np.ndarray:
        """Rows (1 + p, k) of the impulses of a contact, or (p, k) of a part of it."""
        c: Touching = self.now.touching[name]
        B = c.B if c.mu_static > 0 else c.B[:0]
        return np.vstack([c.A[None], B]) if c.master == name else B

    def _length(self, name: str) -> int:
        c = self.now.touching[name]
        return len(c.B) + (c.master == name)

    def _back(self, rows: np.ndarray) -> np.ndarray:
        """Jumps of the velocities (k, r) by impulses along rows, what the system's constraints hold held."""
        now = self.now
        back = np.linalg.solve(now.W, rows.T)
        if not len(now.J):
            return back
        held = np.linalg.solve(now.W, now.J.T)
        # W^-1 - W^-1 J^T (J W^-1 J^T)^-1 J W^-1
        return np.asarray(back - held @ np.linalg.lstsq(now.J @ held, now.J @ back, rcond=1e-12)[0])

    def _coupled(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Does an impulse along some rows change the rates along others?"""
        sizes = [np.sqrt(np.einsum("ik,ki->i", rows, np.linalg.solve(self.now.W, rows.T))) for rows in (a, b)]
        return bool((np.abs(a @ self._back(b)) > _COUPLED * np.outer(*sizes)).any())

    def _all(self, name: str) -> np.ndarray:
        """Rows of a contact with its parts."""
        return np.vstack([self._own(part) for part in self.now.parts([name])])
