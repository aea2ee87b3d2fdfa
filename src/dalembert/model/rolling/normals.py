"""The normal of a body in its own axes, by name."""

from __future__ import annotations

from ..factors import coordinates

NORMAL = coordinates("n1 n2 n3")
