"""From the specification to the first acceleration, against CasADi written by hand and SymPy's own mechanics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

from sympy.core.cache import clear_cache

from .. import formation
from ..contest import Bar, Contest, Job, Measured, alternate, clock, duration, need

LINKS = 20
PATIENCE = 20.0  # for each length of SymPy's snake
STARTING = 10.0  # a process and its imports; no more than this is ever taken off


def _against(make: Callable[[], formation.Subject], solve: formation.Solve, cold: bool = True) -> Measured:
    """Both sides begin with symbols; cold: what SymPy remembers of the round before is forgotten first."""
    ca, subject = need("casadi"), make()
    q, v = subject.state()

    def ours() -> float:
        if cold:
            clear_cache()
        return clock(lambda: subject.ours().sum() and None)

    return alternate(ours, lambda: subject.theirs(ca, solve, q, v).sum() and None, rounds=25, seconds=6).share()


def _best(n: int) -> float:
    """Seconds of our side on the snake of n links, cold."""
    subject = formation.snake(n)
    subject.ours()
    found = []
    for _ in range(15):
        clear_cache()
        found.append(clock(lambda: subject.ours().sum() and None))
    return min(found)


def _sympy() -> Measured:
    """SymPy on the whole snake, given up as soon as the bar is passed: then the value is a lower bound."""
    mine = _best(LINKS)
    patience = 1.02 * _BAR * mine
    theirs = formation.sympy_seconds(LINKS, patience + STARTING)
    return Measured((theirs or patience) / mine, duration(mine), duration(theirs) if theirs else f"> {patience:.0f} s")


def _largest() -> Measured:
    """SymPy on the longest snake that ends within `PATIENCE`: 2, 3, 4, 6, 8, ... links."""
    found: list[tuple[int, float]] = []
    for n in (2, 3, 4, 6, 8, 10, 12, 16, LINKS):
        began = time.perf_counter()
        took = formation.sympy_seconds(n, PATIENCE + STARTING)
        if took is None or took > PATIENCE:
            break
        found.append((n, took))
        if time.perf_counter() - began > PATIENCE:
            break
    (n, took), (before, faster) = found[-1], found[-2]
    power = math.log(took / faster) / math.log(n / before)
    mine = _best(n)
    return Measured(took / mine, f"N = {n}", f"~N^{power:.1f}")


_BAR = 1000.0
_SNAKE = partial(formation.snake, LINKS)
_SNAKE_IN_TEXT = partial(formation.snake_in_text, LINKS)
_UNIT = Bar("<=", 1.0)

JOB = Job(
    "formation",
    "From L and constraints to the first acceleration: time over theirs",
    [
        Contest("disc", "disc, in text; CasADi", _UNIT, lambda: _against(formation.disc, formation.schur)),
        Contest("snake", "snake, 20 links; CasADi", _UNIT, lambda: _against(_SNAKE, formation.schur)),
        Contest("snake, in text", "  in text, by definitions", None, lambda: _against(_SNAKE_IN_TEXT, formation.schur)),
        Contest("snake, saddle", "  CasADi, saddle matrix", None, lambda: _against(_SNAKE, formation.bordered)),
        Contest("bicycle", "Whipple bicycle; CasADi", _UNIT, lambda: _against(formation.bicycle, formation.schur)),
        Contest("warm", "  SymPy's cache warm", None, lambda: _against(formation.bicycle, formation.schur, cold=False)),
        Contest("SymPy", "snake; SymPy, times faster", Bar(">=", _BAR), _sympy),
        Contest("SymPy, largest", "  longest in 20 s, growth", None, _largest),
    ],
)
