"""How a small disturbance grows along a path: where it fills the motion, the digits are no longer those of the start.

One tangent vector is carried along the steps that were made, by differences of the right-hand side. The error of a step
is at least rtol of the motion, so e(t) = max over s < t of rtol |v(t)| / |v(s)| is what is lost at the time t. No
number of the path is changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...equations import Equations
from ...errors import Note
from ...trajectory import Interpolant
from ..methods.disturbed import ERROR, GIVEN_UP, LOST, NEARNESS, SINCE, TURN, follow
from ..policy import Policy
from ..vector_field.field import Field
from .sizes import beside_their_kind

MANY = 4096  # nodes that are followed together, where the path is not kept
_BLOCK, _BLOCKS = 256, 16  # nodes between two projections, or so many parts of all
_EARLY = 0.1  # of the time: growth from there to twice as far is thought on to the end
_SURELY = 1000  # nodes that are followed in any case
_DOUBTFUL = 0.7  # of the logarithm that is missing: what growth must promise for the rest to be followed


class Nodes(NamedTuple):
    """Ends of steps that were made.

    Attributes:
        t: (N,).
        y: (N, n).
    """

    t: np.ndarray
    y: np.ndarray


@dataclass
class Growth:
    """The disturbance of one run, followed piece by piece.

    Attributes:
        field: whose right-hand side.
        span: the run's first and last time.
        rtol: the error of a step, over the size of the motion.
        reach: how many steps of the path may be one of the vector's.
        few: as many steps cannot lose all digits.
        level: what was found, see above.
        size, v: of each state the largest yet, and the disturbance.
        waiting: what is still to be followed.
        nodes: how many were followed.
        early: part of the time and log growth early on.
    """

    field: Field
    span: tuple[float, float]
    rtol: float
    reach: int
    few: int
    level: np.ndarray
    size: np.ndarray
    v: np.ndarray
    waiting: list[Nodes]
    nodes: int = 0
    early: tuple[float, ...] = ()

    @classmethod
    def of(cls, field: Field, policy: Policy, end: float) -> Growth | None:
        """At the start; None where a method has no tolerance, or one that is lost from the beginning (W306)."""
        if policy.method.fixed or policy.rtol >= LOST:
            return None
        rtol, n = policy.rtol, len(field.first)
        reach, few = int(min(max(TURN / (2 * _turn(policy)), 1), 8)), few_steps(policy)
        level, v = np.array([rtol, math.nan, 0.0]), np.cos(1.0 + np.arange(n))
        return cls(field, (field.start.t, end), rtol, reach, few, level, np.zeros(n), v, [])

    def add(self, piece: Interpolant) -> None:
        """Wait until pieces are many; then follow them."""
        self.waiting.append(Nodes(piece.t, piece.y))
        if sum(len(p.t) for p in self.waiting) > MANY:
            self.flush()

    def copy(self) -> Growth:
        """One to go on with, which leaves this as it is."""
        return replace(self, level=self.level.copy(), v=self.v.copy(), waiting=[*self.waiting])

    def flush(self) -> None:
        """Follow what waits."""
        if self.waiting:
            t, y = (np.concatenate(each) for each in zip(*self.waiting, strict=True))
            self.waiting.clear()
            self.follow(t, y)

    def finish(self, legs: Sequence[tuple[Field, Nodes | Interpolant]]) -> list[Note]:
        """Follow what is left: what waits, and the path where it was kept, field by field; the doubt, if there is one.

        Few steps cannot lose all digits.
        """
        paths = [path for _, path in legs]
        if self.nodes + sum(len(path.t) for path in (*paths, *self.waiting)) <= self.few:
            return []
        self.flush()
        for i, (field, path) in enumerate(legs):
            if i and field.kernel is self.field.kernel:
                self.go_on(field)
            elif i:
                self.turn(field, float(path.t[0]), paths[i - 1].y[-1], path.y[0])
            self.follow(path.t, path.y)
        return self.notes

    def go_on(self, field: Field) -> None:
        """Go on in the same states, with other values of parameters."""
        self.flush()
        self.field = field

    def turn(self, field: Field, t: float, y: np.ndarray, new: np.ndarray) -> None:
        """Go on in another field, in whose states y (n + 1,) is `new`."""
        self.flush()
        at, n = np.array([t, t]), len(field.equations.space.coordinates)
        largest = float(np.abs(self.v).max()) or 1.0
        near = self.field.full(at, y + NEARNESS / largest * np.array([self.v, 0 * self.v]))
        there, here = field.within(at, near)
        self.v, size = (there - here) / NEARNESS, np.abs(new)
        size[:n] = np.maximum(size[:n], self.size[:n])
        self.field, self.size = field, size

    def follow(self, t: np.ndarray, y: np.ndarray) -> None:
        """Carry the vector along nodes t (N,), y (N, n)."""
        if not np.isfinite(y).all():
            return
        if not self.size.any():
            self.size = np.abs(y).max(axis=0)
            self.v *= _measures(self.field.equations, self.size)
        self.size = np.maximum(self.size, np.abs(y).max(axis=0))
        measures = _measures(self.field.equations, self.size)
        inverse = np.divide(1.0, measures, out=np.zeros_like(measures), where=measures > 0)
        block = max(_BLOCK, len(t) // _BLOCKS)
        for first in range(0, len(t) - 1, block):
            if not self._block(t[first : first + block + 1], y[first : first + block + 1], inverse):
                return

    def _block(self, t: np.ndarray, y: np.ndarray, inverse: np.ndarray) -> bool:
        """Some nodes, before which the vector is moved back to the constraints; is there a reason to go on?"""
        if self.level[GIVEN_UP] or not math.isnan(self.level[SINCE]) or self._hopeless(t[0]):
            return False
        v = self.v
        if self.field.project_address:
            there, here = self.field.project_each(t[[0, 0]], y[0] + NEARNESS * np.array([v, 0 * v]))
            v = (there - here) / NEARNESS
        v[-1] = 0.0
        norm = float(np.abs(v * inverse).max())
        if not 0 < norm < math.inf:
            return False
        self.v = v / norm
        at = np.ascontiguousarray(t), np.ascontiguousarray(y)
        follow(self.field.kernel.rhs, *at, self.field.p, self.reach, self.v, inverse, self.rtol, self.level)
        self.nodes += len(t) - 1
        return True

    def _hopeless(self, t: float) -> bool:
        """Would growth as it was on a tenth of the time lose no digits until the end?"""
        past = (t - self.span[0]) / (self.span[1] - self.span[0])
        grown, missing = math.log(self.level[ERROR] / self.rtol), math.log(max(LOST / self.rtol, 1.0))
        if not self.early and past >= _EARLY:
            self.early = past, grown
        if self.nodes < _SURELY or not self.early or not 2 * self.early[0] <= past < 4 * self.early[0]:
            return False
        then, begun = self.early
        if grown + (grown - begun) / (past - then) * (1 - past) < _DOUBTFUL * missing:
            self.level[GIVEN_UP] = 1.0
        return bool(self.level[GIVEN_UP])

    @property
    def notes(self) -> list[Note]:
        """W408: from when on the digits are not determined."""
        since = float(self.level[SINCE])
        if math.isnan(since):
            return []
        text = (
            f"from t = {since:.3g} on the digits are not determined by the start: a difference of "
            f"rtol = {self.rtol:.0e} has grown to the size of the motion (chaos, or an unstable state)"
        )
        return [Note("W408", text)]


def _turn(policy: Policy) -> float:
    """How far a motion turns in a step, about."""
    # a method of order 8 makes about rtol^(-1/8) / 3 steps while a motion turns by 1
    return float(3 * policy.rtol**0.125) if policy.method.word == "dop853" else TURN


def few_steps(policy: Policy) -> int:
    """As many steps cannot lose all digits."""
    return int(math.log(LOST / policy.rtol) / _turn(policy)) if policy.rtol < LOST else 0


def _measures(equations: Equations, size: np.ndarray) -> np.ndarray:
    """What each state is measured by: its size, not below a part of the largest of its kind; angles by 1, work by 0."""
    whole = np.append(beside_their_kind(equations, size[:-1]), 0.0)
    wound = {q.name for q, far in zip(equations.space.coordinates, size, strict=False) if far > 1}
    for name in wound & equations.system.angles if wound else ():
        whole[equations.states.index(name)] = 1.0
    return whole
