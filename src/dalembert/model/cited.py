"""What a system and the values of its parameters are from, as given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..calculus.keys import by_name
from ..calculus.text import on_one_line
from ..errors import UnknownName, WrongType, as_given, did_you_mean
from ..errors.remedies import Option
from .names import key_name


def cited(given: Any) -> tuple[str, ...]:
    """Keys of the bibliography, or free text (E146 for anything else)."""
    listed = (given,) if isinstance(given, str) else given
    if not isinstance(listed, Sequence) or not all(isinstance(entry, str) for entry in listed):
        raise WrongType("E146", f"cite = {as_given(given)} is not a list of texts", Option("cite", ["lewis1995"]))
    return tuple(line for line in map(on_one_line, listed) if line)


def sourced(given: Any, parameters: Iterable[str]) -> dict[str, str]:
    """Where values are from, by parameter.

    Raises:
        WrongType: E146, not a mapping to text.
        UnknownName: E202, a parameter that the system has not.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for text in given.values()):
        raise WrongType("E146", f"sources = {as_given(given)} is not a mapping to texts", 'sources={"m": "Table 1"}')
    named = by_name(given, "sources", key_name)
    for name in named:
        if name not in set(parameters):
            raise UnknownName(
                "E202", f"sources: there is no parameter {as_given(name)}", did_you_mean(name, parameters)
            )
    return {name: on_one_line(text) for name, text in named.items()}
