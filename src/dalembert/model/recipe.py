"""Factor: how one factor of a space was asked for, kept so that the space can be written down again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Factor:
    """The name of a factory, and the arguments it was given."""

    kind: str
    arguments: Mapping[str, Any]
