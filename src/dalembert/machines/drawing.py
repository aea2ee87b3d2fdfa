"""What is drawn of a machine: the shapes of its bodies, each on the body that carries it."""
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .assembly import Assembly


def drawn(assembly: Assembly) -> list[object]:
    return []
