"""Numba compilation with a cache on disk where one can be written, without it elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def cached(decorator: Callable[..., Any], *args: Any, **options: Any) -> Callable[[Any], Any]:
    """`decorator` (njit or cfunc) with ``cache=True``; where nothing can be written, compiled in every process."""

    def decorate(function: Any) -> Any:
        try:
            return decorator(*args, **options, cache=True)(function)
        except RuntimeError:  # numba: "cannot cache function ...: no locator available"
            return decorator(*args, **options)(function)

    return decorate
