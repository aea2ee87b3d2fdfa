"""Mappings whose keys are names or symbols: one value per name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import InvalidValue


def by_name(given: Mapping[Any, Any], what: str, normal: Callable[[Any], Any] = lambda name: name) -> dict[Any, Any]:
    """The mapping with symbols replaced by their names; other keys stay as they are.

    Args:
        given: ``{name or symbol: value}``.
        what: what it is called in the message.
        normal: brings a name to its normal form.

    Raises:
        InvalidValue: E102, a symbol and text, or two symbols, of one name.
    """
    named: dict[Any, Any] = {}
    for key, value in given.items():
        own = getattr(key, "name", None)
        name = normal(own if isinstance(own, str) else key)
        if name in named:
            raise InvalidValue("E102", f"{what}: {name} is given twice", f"give {name} once, as text or as a symbol")
        named[name] = value
    return named
