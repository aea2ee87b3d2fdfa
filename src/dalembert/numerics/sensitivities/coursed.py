"""How the velocities after an impact that follows a course depend on state, time and parameters.

A course is made of pieces, of which some are integrated: u+ is a smooth function of what it begins with as long as the
pieces are the same ones. It is differentiated by differences of the fourth order, whose error is that of the course.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..contacts.course import NoCourse
from ..contacts.impacts import Courses
from ..contacts.instant import NEAR, Eye, held
from .saltation import Slopes, refused

_STEPS = (1e-3, 1e-4, 1e-5)  # of the size of what is moved: the largest on which the pieces are the same
_STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))  # f' = sum w_i f(x + i h)/h + O(h^4)


@dataclass(frozen=True, eq=False)
class Coursed:
    """An impact by courses.

    Attributes:
        eye: sees the system.
        closed: contacts that touch in it.
        where: of the impact, in words.
        lasting: those that touch without speed before it, and those that do not slip there.
    """

    eye: Eye
    closed: Sequence[str]
    where: str
    lasting: tuple[Sequence[str], Sequence[str]] = ((), ())

    def slopes(self, t: float, y: np.ndarray, by: Sequence[str]) -> Slopes:
        """Derivatives of u+, k functions, at the state before (n,) (E319 where the pieces change)."""
        return self._touching(t, y)._slopes(t, y, by)

    def _slopes(self, t: float, y: np.ndarray, by: Sequence[str]) -> Slopes:
        eye, sizes = self.eye, self._sizes(y)
        columns = [self._column(partial(_moved, eye, t, y, i), sizes[i]) for i in range(len(y))]
        by_time = self._column(lambda h: (eye, t + h, y), max(abs(t), 1.0))
        named = [self._named(eye, t, y, name) for name in by]
        return Slopes(np.array(columns).T, by_time, np.array(named).T.reshape(len(by_time), len(by)))

    def _touching(self, t: float, y: np.ndarray) -> Coursed:
        """With what touches, and what does not slip there, before the impact."""
        now = self.eye.see(t, y)
        small = {name: NEAR * now.terms[name] for name in now.parts(self.closed)}
        closed = [n for n in now.whole(list(small)) if abs(now.touching[n].rate) <= small[n]]
        still = [n for n in now.parts(closed) if now.touching[n].mu_static > 0]
        return replace(
            self, lasting=(closed, [n for n in still if np.abs(now.touching[n].slip).max(initial=0.0) <= small[n]])
        )

    def _named(self, eye: Eye, t: float, y: np.ndarray, name: str) -> np.ndarray:
        """Derivatives by a parameter; 0 for the name of a start value."""
        if name not in eye.parameters:
            return np.zeros(len(eye.equations.space.velocities))
        value = eye.parameters[name]
        return self._column(lambda h: (_with(eye, name, value + h), t, y), abs(value) or 1.0)

    def _sizes(self, y: np.ndarray) -> np.ndarray:
        """Of coordinates 1 or more, of velocities the largest."""
        k = len(self.eye.equations.space.velocities)
        return np.r_[np.maximum(np.abs(y[:-k]), 1.0), np.full(k, np.abs(y[-k:]).max())]

    def _column(self, at: Callable[[float], tuple[Eye, float, np.ndarray]], size: float) -> np.ndarray:
        """du+/dx, x moved by h in `at`."""
        _, pieces = self._after(*at(0.0))
        for step in _STEPS:
            h = step * size
            try:
                found = [self._after(*at(i * h)) for i, _ in _STENCIL]
            except NoCourse:
                continue
            if all(words == pieces for _, words in found):
                return np.asarray(sum(w * u for (_, w), (u, _) in zip(_STENCIL, found, strict=True)) / h)
        raise refused(f"the course of the impact at {self.where} is made of other pieces right beside it")

    def _after(self, eye: Eye, t: float, y: np.ndarray) -> tuple[np.ndarray, list[tuple[str, ...]]]:
        """u+, and of which pieces it was made."""
        now = eye.see(t, y)
        # contacts that touch without speed go on to do so in motions beside this one
        if any(self.lasting):
            now = now.pushed(held(now, *self.lasting) - now.u)
        courses = Courses(now, self.closed)
        du, _ = courses.done()
        return now.u + du, courses.words


def _moved(eye: Eye, t: float, y: np.ndarray, i: int, h: float) -> tuple[Eye, float, np.ndarray]:
    """The state with one value moved."""
    moved = y.copy()
    moved[i] += h
    return eye, t, moved


def _with(eye: Eye, name: str, value: float) -> Eye:
    """Another value of a parameter."""
    parameters: Mapping[str, float] = {**eye.parameters, name: value}
    return replace(eye, parameters=parameters)
