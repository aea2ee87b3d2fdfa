"""The library broken on purpose, in one place at a time: is what looks for disagreement able to find it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from dalembert.calculus.euler_lagrange import Motion
from dalembert.equations.code import c, python
from dalembert.principles.adapted_velocities import Adapted
from dalembert.principles.hamel import Quasi
from dalembert.principles.symplectic import SymplecticEquations
from dalembert.principles.voronec import RestrictedFunctions


@contextmanager
def instead(owner: Any, name: str, changed: Callable[[Any], Any]) -> Iterator[None]:
    """Another function in the place of one, made of it."""
    original = getattr(owner, name)
    setattr(owner, name, changed(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def _negative(original: Any) -> Any:
    """A number, or a list of numbers, with the other sign."""

    def other(*given: Any) -> Any:
        found = original(*given)
        return [-1 * e for e in found] if isinstance(found, list) else -1 * found

    return other


def _reversed(original: Any) -> Any:
    """Rows of numbers with the other sign."""
    return lambda *given: [[-1 * e for e in row] for row in original(*given)]


def _typed(spelling: str, other: str) -> Callable[[Any], Any]:
    """Every program with one spelling exchanged."""
    return lambda original: lambda *given: original(*given).replace(spelling, other)


def _without_gyroscopic(original: Any) -> Any:
    """The Euler-Lagrange expression of L without the part a(q) u that is linear in the velocities."""

    def other(motion: Any, L: Any) -> Any:
        slopes = motion.algebra.gradient(L, motion.u)
        linear = motion.algebra.substitute(slopes, motion.u, [motion.zero] * len(motion.u))
        return original(motion, L - motion.sum(a * u for a, u in zip(linear, motion.u, strict=True)))

    return other


def gyroscopic_forces_lost() -> AbstractContextManager[None]:
    """Every form with multipliers loses them."""
    return instead(Motion, "euler_lagrange", _without_gyroscopic)


BROKEN: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "the bracket term of Lagrange's equations, in every route": partial(instead, Motion, "curvatures", _negative),
    "Hamel's symbols": partial(instead, Quasi, "brackets", _reversed),
    "how the dependent velocities follow, in Voronec's form": partial(instead, RestrictedFunctions, "lift", _negative),
    "the sign of dE, in the symplectic form": partial(instead, SymplecticEquations, "dE", _negative),
    "the turning of the frame, in forms on a basis": partial(instead, Adapted, "turning", _negative),
    "sin spelt cos in C": partial(instead, c, "text", _typed("sin(", "cos(")),
    "atan spelt tanh in Python": partial(instead, python, "text", _typed("atan(", "tanh(")),
    "a difference spelt a sum in C": partial(instead, c, "text", _typed(" - v", " + v")),
}
