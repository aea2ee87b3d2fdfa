"""Summaries for a terminal: a heading, and facts beside their names, on at most so many lines."""

from __future__ import annotations

from ..calculus.line_width import TERMINAL, abridged
from ..model.system import System

_LINES, _INDENT = 25, 15  # of all; columns of the names


class Summary:
    """Lines that are collected.

    Args:
        heading: the first.
        whole: attributes that have what is cut.
    """

    def __init__(self, heading: str, whole: str) -> None:
        self.lines, self.whole = [heading], whole

    def add(self, name: str, fact: str) -> None:
        """A fact beside its name."""
        self.lines.append(f"  {name:<{_INDENT - 2}}{fact}")

    def add_system(self, system: System) -> None:
        """Space, Lagrangian, constraints, walls and contacts."""
        self.add("space", repr(system.space))
        self.add("L", str(system.lagrangian))
        for c in system.constraints:
            self.add("constraint", f"{c.name}: {c.given} = 0")
        for wall in system.walls:
            self.add("wall", str(wall))
        for contact in system.contacts:
            self.add("contact", str(contact))

    def __str__(self) -> str:
        return "\n".join(abridged(self.lines, _LINES, self.whole, TERMINAL, _INDENT))
