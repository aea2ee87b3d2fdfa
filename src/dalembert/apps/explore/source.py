"""The text of what integrates in a page: the printed step, and the package's own sources around it."""

from __future__ import annotations

from importlib.resources import files

from .step import step

_PARTS = ("start.js", "run.js", "events.js", "motion.js")


def motion_source() -> str:
    """Plain JavaScript without modules, for a page, a worker or node: `solveMotion` and what it needs."""
    folder = files(__package__).joinpath("motion")
    return "\n".join([step(), *(folder.joinpath(name).read_text(encoding="utf-8") for name in _PARTS)])
