"""The first instant of a slip of two components, which has no direction at rest.

Where a contact yields that friction held with all it can, the slip has no acceleration at first, and friction keeps
its direction along it while both turn. Explicit steps are then as short as the slip is small. So one step is taken in
which friction turns steadily, from the direction d_0 of rest to that of the slip at its end,

    d = d_0 + (t/tau) (d_1 - d_0) ,   s(tau) = |s(tau)| d_1 ,

and as long as accelerations change by a small part in it: its length is one of the motion, not of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .instant import Eye, Instant, Touching
from .problem import Answer, Choice, Piece, Problem

_BENDS = 2e-3  # by what part of them accelerations may change
_SHORTER = 4  # times the length is chosen anew
_ROUNDS, _ALONG = 12, 1e-13  # in which friction turns into the slip, to this part of it
_FIRST = 1e-3  # of the length that is allowed: the first that is tried
_LEAST = 1e-6


def piece_of(c: Touching, direction: np.ndarray | None) -> Piece:
    """What is decided of a contact; one without friction has no slip to be decided."""
    p = len(c.B) if c.mu_static else 0
    way, own = direction if p else None, (c.load or 0.0, c.load is None, c.sides)
    return Piece(c.name, c.master, c.A, c.normal, c.B[:p], c.along[:p], way, c.mu, c.mu_static, *own)


@dataclass(frozen=True, eq=False)
class Opening:
    """The motion in the first instant, from rest of the slip to where the run goes on.

    Attributes:
        t: when it begins and ends (2,).
        y: the states there (2, n).
        rates: how they change there (2, n).
    """

    t: np.ndarray
    y: np.ndarray
    rates: np.ndarray

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """States (N, n) at times inside: the cubic that has these values and rates at both ends."""
        from scipy.interpolate import CubicHermiteSpline

        return np.asarray(CubicHermiteSpline(self.t, self.y, self.rates)(times))


@dataclass(frozen=True, eq=False)
class Beginning:
    """Slips that begin.

    Attributes:
        eye, now: sees the system, and what it sees.
        answer: what all contacts do.
        begins: those of them that begin to slip along two components.
    """

    eye: Eye
    now: Instant
    answer: Answer
    begins: Sequence[str]

    def over(self, longest: float) -> tuple[Instant, np.ndarray]:
        """The instant a little later, at most so much, and how the state changes now and then (2, n)."""
        tau = _FIRST * longest
        for _ in range(_SHORTER):
            bend = self._bend(tau, self._turned(tau))
            wanted = min(longest, tau * _BENDS / bend) if bend else longest
            if tau / 2 <= wanted <= 2 * tau:
                break
            tau = max(wanted, _LEAST * longest)
        ends = self._turned(tau)
        later = self._later(tau, ends)
        return later, np.array([self._rates(self.now, 0.0, ends), self._rates(later, 1.0, ends)])

    def _bend(self, tau: float, ends: Mapping[str, np.ndarray]) -> float:
        """By what part of all that acts accelerations change in a step."""
        now, later = self.now, self._later(tau, ends)
        change = self._udot(later, 1.0, ends) - self._udot(now, 0.0, ends)
        return float(np.sqrt(change @ now.W @ change / max(now.f @ np.linalg.solve(now.W, now.f), np.spacing(0.0))))

    def _turned(self, tau: float) -> dict[str, np.ndarray]:
        """The directions d_1 (2,) in which contacts slip at the end of a step."""
        first = {n: self._first(n) for n in self.begins}
        angles, found = dict.fromkeys(self.begins, 0.0), first
        off = self._off(tau, found)
        # s . n  changes by about  -mu N |D| tau/2  with the angle
        moves = {n: off[n] / self._hold(n, tau) for n in self.begins}
        for _ in range(_ROUNDS):
            angles = {n: angles[n] + moves[n] for n in angles}
            found = {n: _rotated(first[n], angles[n]) for n in angles}
            before, off = off, self._off(tau, found)
            if all(abs(off[n]) <= _ALONG * self._hold(n, tau) for n in off):
                break
            # the secant of each
            moves = {n: moves[n] * off[n] / (before[n] - off[n]) if off[n] != before[n] else 0.0 for n in off}
        return found

    def _first(self, name: str) -> np.ndarray:
        direction = self.answer.choices[name].direction
        assert direction is not None
        return direction

    def _hold(self, name: str, tau: float) -> float:
        """By how much friction changes the slip in half a step."""
        c = self.now.touching[name]
        stiff = float(np.linalg.norm(c.B @ np.linalg.solve(self.now.W, c.B.T), 2))
        return max(c.mu * self.answer.normal[name] * stiff * tau / 2, np.spacing(0.0))

    def _off(self, tau: float, ends: Mapping[str, np.ndarray]) -> dict[str, float]:
        """How much each slips aside of its direction at the end of a step."""
        later = self._later(tau, ends)
        return {n: float(_rotated(d, np.pi / 2) @ later.touching[n].slip) for n, d in ends.items()}

    def _later(self, tau: float, ends: Mapping[str, np.ndarray]) -> Instant:
        """The end of a step of Runge and Kutta's, which keeps the gaps."""
        eye, now = self.eye, self.now
        y = np.concatenate([now.q, now.u])
        k1 = self._rates(now, 0.0, ends)
        k2 = self._rates(eye.see(now.t + tau / 2, y + tau / 2 * k1), 0.5, ends)
        k3 = self._rates(eye.see(now.t + tau / 2, y + tau / 2 * k2), 0.5, ends)
        k4 = self._rates(eye.see(now.t + tau, y + tau * k3), 1.0, ends)
        # y + tau (k1 + 2 k2 + 2 k3 + k4)/6
        return eye.see(now.t + tau, y + tau / 6 * (k1 + 2 * k2 + 2 * k3 + k4))

    def _rates(self, there: Instant, part: float, ends: Mapping[str, np.ndarray]) -> np.ndarray:
        """How the state changes (n,) at a part of a step."""
        return np.concatenate([self.eye.qdot(there), self._udot(there, part, ends)])

    def _udot(self, there: Instant, part: float, ends: Mapping[str, np.ndarray]) -> np.ndarray:
        """Accelerations (k,) at a part of a step."""
        pieces = [piece_of(there.touching[name], None) for name in self.answer.choices]
        turned = {n: c._replace(direction=self._way(there, n, c)) for n, c in self.answer.choices.items()}
        turned |= {n: turned[n]._replace(direction=_between(self._first(n), d, part)) for n, d in ends.items()}
        return Problem(there.W, there.f, there.J, there.g, pieces).along(turned)

    @staticmethod
    def _way(there: Instant, name: str, choice: Choice) -> np.ndarray | None:
        """The direction of a slip in a plane that was there before."""
        slip = there.touching[name].slip
        return choice.direction if len(slip) < 2 or choice.direction is None or not slip.any() else _unit(slip)


def _unit(d: np.ndarray) -> np.ndarray:
    return np.asarray(d / np.linalg.norm(d))


def _between(first: np.ndarray, last: np.ndarray, part: float) -> np.ndarray:
    """The direction a part of the way from one to another."""
    return _unit(first + part * (last - first))


def _rotated(d: np.ndarray, angle: float) -> np.ndarray:
    """A direction turned."""
    return np.cos(angle) * d + np.sin(angle) * np.array([-d[1], d[0]])
