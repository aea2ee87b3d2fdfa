"""Summaries for a terminal: a heading, and facts beside their names, on at most so many lines."""

from __future__ import annotations

from ..calculus.text import TERMINAL, cut, folded, most
from ..model.system import System

_LINES, _LONGEST, _INDENT = 25, 300, 15  # of all; characters of a fact; columns of the names


class Summary:
    """Lines that are collected.

    Args:
        heading: the first.
    """

    def __init__(self, heading: str) -> None:
        self.lines = folded(heading, TERMINAL, _INDENT)

    def add(self, name: str, fact: str) -> None:
        """A fact beside its name, cut where it is very long."""
        self.lines += folded(cut(f"  {name:<{_INDENT - 2}}{fact}", _LONGEST), TERMINAL, _INDENT)

    def add_system(self, system: System) -> None:
        """Space, Lagrangian and constraints."""
        self.add("space", repr(system.space))
        self.add("L", str(system.lagrangian))
        for c in system.constraints:
            self.add("constraint", f"{c.name}: {c.given} = 0")

    def __str__(self) -> str:
        return "\n".join(cut(line, TERMINAL) for line in most(self.lines, _LINES, "lines"))
