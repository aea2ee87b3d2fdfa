"""Shorter ways to write a table or a list, and how many entries there may be."""

from __future__ import annotations

from typing import Any

from pydantic import BeforeValidator, Field

MOST_ENTRIES, MOST_CONSTRAINTS, MOST_PARAMETERS = 100, 64, 500


def short_for(key: str) -> Any:
    """Text in place of a table stands for the one key."""
    return BeforeValidator(lambda given: {key: given} if isinstance(given, str) else given)


def _one_or_more(given: Any) -> Any:
    return given if isinstance(given, list) else [given]


Several = BeforeValidator(_one_or_more)
Entries = Field(default=(), max_length=MOST_ENTRIES)
