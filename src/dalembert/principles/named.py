"""Principles by their names in text: the function behind a row of `listed`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import UnknownName, as_given, did_you_mean
from .listed import PRINCIPLES


def named(principle: object) -> Any:
    """The principle of this name; what is not text is returned as it is.

    Raises:
        UnknownName: E308, there is no principle of this name.
    """
    if not isinstance(principle, str):
        return principle
    if principle not in PRINCIPLES:
        raise UnknownName("E308", f"there is no principle {as_given(principle)}", did_you_mean(principle, PRINCIPLES))
    file = PRINCIPLES[principle].file or principle
    return getattr(import_module(f"{__package__}.{file}"), principle)


def each_named(given: str) -> list[object]:
    """The principles of these names, which blanks or commas part.

    Raises:
        UnknownName: E308 as of `named`.
    """
    return [named(name) for name in given.replace(",", " ").split()]
