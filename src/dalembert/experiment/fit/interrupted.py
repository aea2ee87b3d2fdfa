"""Ctrl-C while a record is fitted: the search ends where it is, and the best that it had reached is handed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from ...findings.fit import Fit
from ...numerics.policy import Policy
from ...numerics.run.interrupt import Kept, on_the_keyboard
from ...question import Question

Asked = Callable[[], bool]


class Halted(Exception):
    """A search was told to stop."""


class FitInterrupted(Kept):
    """`fit` was interrupted.

    Attributes:
        fit: the best until then; it has not settled.
    """

    fit: Fit

    def __init__(self, found: Fit) -> None:
        super().__init__("the search was interrupted", "fit", found, "the best until then")


class RankInterrupted(Kept):
    """`rank` was interrupted: nothing is decided.

    Attributes:
        fits: ``{label: Fit}`` of the candidates that were fitted until then; the last may not have settled.
    """

    fits: Mapping[str, Fit]

    def __init__(self, found: Mapping[str, Fit]) -> None:
        told = f"the candidates were not compared; fitted were {', '.join(found) or 'none'}"
        super().__init__(told, "fits", dict(found), "their fits")


@contextmanager
def asking(question: Question) -> Iterator[tuple[Question, Asked, Asked]]:
    """What is asked of a record without the option `halt`; was the search told to stop; was it by the keyboard?"""
    halt = Policy.of(question.runs.options).halt
    options = {name: value for name, value in question.runs.options.items() if name != "halt"}
    with on_the_keyboard() as pressed:
        told = pressed if halt is None else lambda: pressed() or halt()
        yield replace(question, runs=replace(question.runs, options=options)), told, pressed
