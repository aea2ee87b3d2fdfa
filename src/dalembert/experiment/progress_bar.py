"""A progress bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..argument_checks import switch


@contextmanager
def progress(total: int, shown: bool, what: str) -> Iterator[Callable[[], None]]:
    """A function that is called when one of so many is done; E307 for what is neither True nor False."""
    if not switch(shown, "progress"):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
