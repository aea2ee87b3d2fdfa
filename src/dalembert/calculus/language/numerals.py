"""Whole numbers of more digits than one number of the language may have: sums of parts, 123*10^40 + 456."""

from __future__ import annotations

from .size import LIMITS


def numeral(n: int) -> str:
    """A whole number, not negative, as text."""
    if n < 10**LIMITS.digits:
        return str(n)
    k = LIMITS.digits - 1
    high, low = divmod(n, 10**k)
    if high < 10**LIMITS.digits:
        top = f"{high}*10^{k}"
        return f"{top} + {low}" if low else top
    return f"({numeral(high)})*10^{k}" + (f" + {low}" if low else "")
