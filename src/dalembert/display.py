"""How a noun shows itself in a notebook: it asks here, and the front door has said who draws.

A noun's room may not know the room that draws it. So the drawing is handed in from above; where nobody draws, as in
a process that only reads a stored path, a noun stays with its text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Maker = Callable[[Any], str | None]
_maker: list[Maker] = []


def drawn_by(maker: Maker) -> None:
    """From now on `maker` turns nouns into HTML."""
    _maker[:] = [maker]


def html(noun: object) -> str | None:
    """HTML of a noun, for its ``_repr_html_``; None where nobody draws, and then a notebook shows its text."""
    return _maker[0](noun) if _maker else None
