"""Contacts that press on each other in an impact: by Poisson's law in two phases, by Stronge's as springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...equations.contacts import NEWTON, POISSON
from .hodograph import NoCourse
from .instant import NEAR
from .phases import Phases
from .rows import Rows
from .springs import Rub, Springs

_HALVINGS = 50


class Hit(NamedTuple):
    """An impact: of each contact and its parts the impulses, what its course was made of, and by what factor
    restitutions were lowered so that no energy was gained.
    """

    impulses: dict[str, np.ndarray]
    words: tuple[str, ...]
    lowered: float = 1.0


@dataclass(frozen=True, eq=False)
class Together:
    """An impact at several contacts.

    Attributes:
        rows: of the instant.
        group: the contacts.
    """

    rows: Rows
    group: Sequence[str]

    def hit(self) -> Hit:
        """What it gives.

        Raises:
            NoCourse: nothing, for a reason in words.
        """
        found = [self.rows.now.touching[n] for n in self.group]
        laws = sorted({c.law for c in found if c.restitution or c.law != NEWTON})
        if len(laws) > 1:
            named = " and ".join(f"{law.capitalize()}'s" for law in laws)
            fact = "each says when its own restitution ends, and none what the others do until then"
            raise NoCourse(f"contacts by {named} laws press on each other; {fact}: give them one law")
        if laws == [POISSON] or not any(c.restitution for c in found):
            return self._phases()
        return self._springs()

    def _phases(self) -> Hit:
        """By Poisson's law, coefficients lowered by one factor where energy would be gained."""
        phases = Phases(self.rows.now, self.group)
        low, high = 0.0, 1.0
        if self.rows.gain(phases.impulses()) <= 0:
            return Hit(phases.impulses(), phases.words())
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.rows.gain(phases.impulses(middle)) > 0 else (middle, high)
        return Hit(phases.impulses(low), phases.words(low), low)

    def _springs(self) -> Hit:
        """By Stronge's law."""
        now, group = self.rows.now, list(self.group)
        parts = [*group, *(part for part in now.parts(group) if part not in group)]
        rubs = [(part, row) for part in parts for row in self._tangent(part)]
        R = np.array([*(now.touching[n].A for n in group), *(row for _, row in rubs)])
        v = [self._clean(n, now.touching[n].rate) for n in group]
        v += [self._clean(part, s) for part in parts for s in now.touching[part].slip[: len(self._tangent(part))]]
        laws = [Rub(group.index(c.master), c.mu, c.mu_static) for c in (now.touching[part] for part, _ in rubs)]
        e = np.array([now.touching[n].restitution for n in group])
        way = Springs(R @ self.rows.back(R), e, laws).course(np.array(v))
        impulses = {part: way.P[i : i + 1] if i < len(group) else np.zeros(0) for i, part in enumerate(parts)}
        for (part, _), T in zip(rubs, way.T, strict=True):
            impulses[part] = np.r_[impulses[part], T]
        return Hit(impulses, way.words)

    def _tangent(self, part: str) -> np.ndarray:
        """Rows of its friction, one at most."""
        rows = self.rows.own(part)[int(self.rows.now.touching[part].master == part) :]
        if len(rows) > 1:
            raise NoCourse(f"{part} slips in a plane and presses on others, which is followed by Poisson's law alone")
        return rows

    def _clean(self, name: str, rate: float) -> float:
        """A velocity without rounding."""
        return float(rate) if abs(rate) > NEAR * self.rows.now.terms[name] else 0.0
