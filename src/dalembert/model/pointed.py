"""The term in a text of which a refusal speaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..calculus.language import caret
from .dimensions import Differs
from .expression import Reader


@contextmanager
def pointed(given: Mapping[tuple[str, ...], object], reader: Reader) -> Iterator[None]:
    """Put carets below a term that differs from those before it, where what is `given` about its subject is text."""
    try:
        yield
    except Differs as error:
        text = given.get(error.subject)
        found = reader.find(error.term, text) if isinstance(text, str) else None
        if found is not None and isinstance(text, str):
            error.detail = caret(text, *found)
        raise


def subjects(kind: str, given: object) -> dict[tuple[str, ...], object]:
    """What was given by name, by the subject of a refusal about it."""
    return {(kind, str(name)): e for name, e in given.items()} if isinstance(given, Mapping) else {}
