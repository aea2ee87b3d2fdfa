"""How a script writes a principle: the three that are principles at the front door, their forms in `da.forms`."""

from __future__ import annotations

DAILY = ("nonholonomic", "vakonomic", "free")


def typed(principle: str) -> str:
    """``da.nonholonomic``, ``da.forms.gauss``."""
    return f"da.{principle}" if principle in DAILY else f"da.forms.{principle}"
