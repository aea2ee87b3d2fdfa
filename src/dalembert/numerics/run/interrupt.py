"""Ctrl-C, or Jupyter's button, while something runs or searches: the error that it raises carries what was reached."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from ...trajectory import Trajectory
from ..policy import Policy

Question = Callable[[], bool]


class Kept(KeyboardInterrupt):
    """Something was interrupted, and what it had reached is an attribute of this."""

    def __init__(self, told: str, name: str, kept: object, what: str) -> None:
        setattr(self, name, kept)
        super().__init__(f"{told}; sys.last_value.{name} holds {what}")

    def __reduce__(self) -> tuple[type[KeyboardInterrupt], tuple[object, ...]]:
        return KeyboardInterrupt, self.args  # what was kept is not sent from process to process


class Interrupted(Kept):
    """`simulate` was interrupted.

    Attributes:
        path: the motion until then. It can go on from its last state.
    """

    path: Trajectory

    def __init__(self, path: Trajectory) -> None:
        super().__init__(path.outcome.removeprefix("E320 "), "path", path, "the motion until then")


def say_again() -> None:
    """Said where Ctrl-C is pressed while what was reached is handed over."""
    with suppress(RuntimeError, OSError, AttributeError):  # in the middle of a line; nobody listens
        print("dalembert: what was reached is handed over; Ctrl-C again stops at once, and loses it", file=sys.stderr)


@contextmanager
def on_the_keyboard() -> Iterator[Question]:
    """Ctrl-C becomes a question: was it pressed? Before it is first asked it stops at once.

    Pressed again, while what was reached is handed over, it says so; pressed a third time it stops at once. A handler
    of the user's own stays in place, and so does that of a command; other threads hear no signals.
    """
    asked, pressed = False, 0

    def press(number: int, _: FrameType | None) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 2 or not asked:
            raise KeyboardInterrupt
        if pressed == 2:
            say_again()

    def question() -> bool:
        nonlocal asked
        asked = True
        return pressed > 0

    main = threading.current_thread() is threading.main_thread()
    ours = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, press)
    try:
        yield question
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def halting(policy: Policy, pressed: Question) -> Policy:
    """The policy of a run that ends when the keyboard says so, or when it would anyway."""
    asked = policy.halt
    return policy.halted(pressed if asked is None else lambda: pressed() or asked())
