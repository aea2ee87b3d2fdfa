"""An impact at contacts that press on each other, by Poisson's law in two phases [pfeiffer1996].

Compression is plastic at all contacts at once, with impulses P_C and T_C. In the expansion each contact gives back at
least e P_C, and more where it would be pressed in otherwise:

    compression   0 <= P_C          _|_  c_C >= 0 ,   T_C by Coulomb with P_C and the slip at its end
    expansion     0 <= P_E - e P_C  _|_  c_E >= 0 ,   T_E by Coulomb with P_E and the slip at its end

Without friction no energy is gained: P_E makes P G P/2 + c_C . P least among P >= e P_C, and P_C is one of them. Nor is
any with friction where all coefficients are the same, as then e (P_C, T_C) is one that the expansion could have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...equations.contacts import APART
from .hodograph import NoCourse
from .instant import NEAR, Instant
from .problem import Answer, Piece, Problem, Undecided

_DEPENDENT = 1e-9  # rows that hold the same
_RUBS = " rubs"  # after the name of a contact: its friction in the expansion, which it has with e P_C as well


@dataclass(frozen=True, eq=False)
class Phases:
    """The impact.

    Attributes:
        now: before it.
        closed: the contacts that take part.
    """

    now: Instant
    closed: Sequence[str]

    def impulses(self, factor: float = 1.0) -> dict[str, np.ndarray]:
        """Of each contact and its parts the normal impulse and friction's, the restitutions times a factor.

        Raises:
            NoCourse: a phase has no answer, or several.
        """
        pressed, given, found = self.compression, self._expansion(factor), {}
        for name in self.now.parts(self.closed):
            c, rubs = self.now.touching[name], pressed.friction[name]
            own = [pressed.normal[name]] if c.master == name else []
            if given is not None:
                own = [own[0] + self._least(name, factor) + given.normal[name]] if own else []
                rubs = rubs + given.friction.get(name + _RUBS, np.zeros(0))
            found[name] = np.r_[own, rubs]
        return found

    def words(self, factor: float = 1.0) -> tuple[str, ...]:
        """What the contacts do in both phases."""
        phases = [found for found in (self.compression, self._expansion(factor)) if found is not None]
        return tuple(f"{name} {word}" for found in phases for name, word in sorted(found.words().items()))

    def _least(self, name: str, factor: float) -> float:
        """The normal impulse e P_C that a contact gives back."""
        master = self.now.touching[name].master
        return factor * self.now.touching[master].restitution * max(self.compression.normal[master], 0.0)

    @cached_property
    def compression(self) -> Answer:
        """Of all contacts, plastic."""
        pieces = []
        for name in self.now.parts(self.closed):
            c, p = self.now.touching[name], self._length(name)
            pieces.append(Piece(name, c.master, c.A, -c.rate, c.B[:p], -c.slip[:p], None, c.mu, c.mu_static))
        found = self._solved(pieces, np.zeros(len(self.now.u)))
        self._check_shared(found)
        return found

    def _check_shared(self, found: Answer) -> None:
        """No contact that gives back may share its normal impulse with what else holds the same."""
        from scipy.linalg import null_space  # takes long to import

        now, columns, gives = self.now, [*self.now.J], [False] * len(self.now.J)
        for name in now.whole(list(found.choices)):
            c = now.touching[name]
            if found.choices[name].word == APART:
                continue
            mine = [part for part in now.parts([name]) if self._length(part)]
            ways = {part: found.choices[part].direction for part in mine}
            slides = {part: d for part, d in ways.items() if d is not None}
            rubbed = (now.touching[part].mu * d @ now.touching[part].B for part, d in slides.items())
            held = [row for part in mine if part not in slides for row in now.touching[part].B]
            # (A - mu d B)^T P + B^T T
            columns = [*columns, c.A - sum(rubbed), *held]
            gives = [*gives, c.restitution > 0, *[False] * len(held)]
        free = null_space(np.array(columns).T, rcond=_DEPENDENT) if columns else np.zeros((0, 0))
        if np.abs(free[np.array(gives, bool)]).max(initial=0.0) > _DEPENDENT:
            raise NoCourse("normal impulses and friction can share the compression in several ways")

    def _expansion(self, factor: float) -> Answer | None:
        """From the end of compression: what is given back besides e P_C, and friction; None if nothing."""
        now, f, pieces = self.now.pushed(self.compression.x), np.zeros(len(self.now.u)), []
        names = now.parts(self.closed)
        if not any(self._least(name, factor) for name in names):
            return None
        for name in names:
            c, p, least = now.touching[name], self._length(name), self._least(name, factor)
            back, along = -self._clean(name, c.rate), np.array([-self._clean(name, s) for s in c.slip[:p]])
            if c.master == name:
                f = f + least * c.A
                pieces.append(Piece(name, name, c.A, back, c.B[:0], along[:0], None, 0.0, 0.0))
            if p:
                rubs = name + _RUBS
                pieces.append(Piece(rubs, c.master, c.A, back, c.B[:p], along, None, c.mu, c.mu_static, least))
        return self._solved(pieces, f)

    def _clean(self, name: str, rate: float) -> float:
        """What is left of a velocity by compression, without rounding."""
        return rate if abs(rate) > NEAR * self.now.terms[name] else 0.0

    def _solved(self, pieces: Sequence[Piece], f: np.ndarray) -> Answer:
        now = self.now
        try:
            return Problem(now.W, f, now.J, np.zeros(len(now.J)), pieces).solve()
        except Undecided as error:
            many = f"{error.count} ways differ in their" if error.count else "none gives any"
            raise NoCourse(f"of ways in which contacts push together {many} velocities") from None

    def _length(self, name: str) -> int:
        c = self.now.touching[name]
        return len(c.B) if c.mu_static > 0 else 0
