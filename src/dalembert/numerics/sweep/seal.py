"""Texts and arrays that tell when they were changed: each carries a SHA-256 of what it says and of where it belongs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np

SEAL = "seal"


def sealed(entry: Mapping[str, object]) -> str:
    """One line of JSON with its own checksum."""
    return json.dumps({**entry, SEAL: seal(entry)})


def seal(entry: Mapping[str, object]) -> str:
    """SHA-256 of what a line says."""
    return hashlib.sha256(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def unsealed(text: str | bytes) -> dict[str, object] | None:
    """What a line says without its checksum; None if it was changed."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or SEAL not in found:
        return None
    told = found.pop(SEAL)
    return found if told == seal(found) else None


def of_array(array: np.ndarray, name: str, place: str) -> str:
    """SHA-256 of an array under its name, at its place: its type, its shape and its numbers."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    found = hashlib.sha256(json.dumps([place, name, little.dtype.str, little.shape]).encode())
    found.update(little.tobytes())
    return found.hexdigest()
