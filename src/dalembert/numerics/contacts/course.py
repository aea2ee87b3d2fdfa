"""The course of an impact with friction at one contact, along its normal impulse P [routh1905; stronge2000].

    c' = a + b t ,     s' = b + d t ,     t = dT/dP ,     a = A W^-1 A^T ,  b = A W^-1 B^T ,  d = B W^-1 B^T

for the normal velocity c and the slip s. Coulomb's friction is t = -mu while s > 0 and mu while s < 0; where the slip
has stopped it sticks, t = -b/d, if mu_s allows that, and slips back otherwise. Compression ends at c = 0, with an
impulse P_c and a work w_c = integral of c dP < 0. Restitution ends

    by Poisson   at P = (1 + e) P_c ,
    by Stronge   where the work of restitution is -e^2 w_c .

All pieces are straight lines in P, so that nothing is integrated in steps. Where a d > b^2 compression has an end: a
slip along which c falls, mu b > a, stops, since then mu d > b, and where nothing slips c rises.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...equations.contacts import POISSON
from .instant import Instant

_PIECES = 8  # a slip stops, turns, and stops no more
_STOPS = 1e-13  # of the first speeds: a slip below it has stopped


class NoCourse(Exception):
    """The impact has no end: its matrix is not positive."""


@dataclass(frozen=True)
class Line:
    """A piece of the course.

    Attributes:
        c, s: velocities at its beginning.
        rise, turn: c' and s'.
        t: dT/dP.
    """

    c: float
    s: float
    rise: float
    turn: float
    t: float

    @property
    def length(self) -> float:
        """The impulse after which the slip stops; infinite where it does not."""
        return -self.s / self.turn if self.s * self.turn < 0 else math.inf

    def after(self, P: float) -> tuple[float, float]:
        """Velocities a further impulse on; a slip that stops is 0."""
        return self.c + self.rise * P, 0.0 if self.length == P else self.s + self.turn * P

    def to(self, c: float) -> float:
        """The impulse at which the normal velocity is c; infinite where it never is."""
        return (c - self.c) / self.rise if (c - self.c) * self.rise > 0 else math.inf

    def work(self, P: float) -> float:
        """Of the normal impulse, c P + c' P^2/2."""
        return self.c * P + self.rise * P**2 / 2

    def doing(self, work: float) -> float:
        """The impulse that does so much work > 0 with c >= 0; infinite where it never does."""
        left = self.c**2 + 2 * self.rise * work
        # P = 2 w/(c + sqrt(c^2 + 2 c' w))
        return 2 * work / (self.c + math.sqrt(left)) if left > 0 else math.inf


@dataclass(frozen=True)
class Course:
    """What leads the impact.

    Attributes:
        a, b, d: of the two velocities by the two impulses.
        mu, mu_static: coefficients.
    """

    a: float
    b: float
    d: float
    mu: float
    mu_static: float

    def line(self, c: float, s: float) -> Line:
        """The piece that begins with these velocities."""
        t = -math.copysign(self.mu, s) if s else self._from_rest()
        return Line(c, s, self.a + self.b * t, self.b + self.d * t if s or abs(t) == self.mu else 0.0, t)

    def _from_rest(self) -> float:
        """Sticking needs |b/d| <= mu_s; a slip that begins goes along b."""
        if not self.d or not self.mu:
            return 0.0
        return -self.b / self.d if abs(self.b) <= self.mu_static * self.d else -math.copysign(self.mu, self.b)

    def impulses(self, c: float, s: float, e: float, law: str) -> tuple[float, float]:
        """P and T of the whole impact, from the normal velocity c < 0 and the slip s.

        Raises:
            NoCourse: there is no end of it.
        """
        P = T = pressed = work = 0.0
        small = _STOPS * (abs(c) + abs(s))
        for closing in (True, False):
            for _ in range(_PIECES):
                line = self.line(c, s if abs(s) > small else 0.0)
                if closing:
                    end = line.to(0.0)
                else:
                    end = (1 + e) * pressed - P if law == POISSON else line.doing(-(e**2) * work)
                step = min(line.length, end)
                if not math.isfinite(step) or (not closing and line.after(step)[0] < 0):
                    raise NoCourse
                if closing:
                    work += line.work(step)
                elif law != POISSON:
                    work += line.work(step) / e**2 if e else 0.0
                P, T = P + step, T + line.t * step
                c, s = line.after(step)
                if step == end:
                    break
            else:
                raise NoCourse
            if closing:
                c, pressed = 0.0, P
                if not e:
                    break
        return P, T


def course_of(now: Instant, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The jump of the velocities (k,), and the impulses (1 + p,), of an impact at a contact alone.

    Raises:
        NoCourse: there is no end of it.
    """
    c = now.touching[name]
    rubs = bool(len(c.B)) and c.mu_static > 0
    rows = np.vstack([c.A[None], c.B[:1] if rubs else np.zeros((0, len(c.A)))])
    back = np.linalg.solve(now.W, rows.T)
    if len(now.J):
        held = np.linalg.solve(now.W, now.J.T)
        # W^-1 - W^-1 J^T (J W^-1 J^T)^-1 J W^-1
        back = back - held @ np.linalg.lstsq(now.J @ held, now.J @ back, rcond=1e-12)[0]
    G = rows @ back
    b, d = (float(G[0, 1]), float(G[1, 1])) if rubs else (0.0, 0.0)
    course = Course(float(G[0, 0]), b, d, c.mu if rubs else 0.0, c.mu_static if rubs else 0.0)
    P, T = course.impulses(c.rate, float(c.slip[0]) if rubs else 0.0, c.restitution, c.law)
    found = np.array([P, T]) if rubs else np.array([P])
    return back @ found, np.concatenate([found, np.zeros(1 + len(c.B) - len(found))])
