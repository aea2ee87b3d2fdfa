"""Record: what was seen. The same named columns as a path, with their source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Record:
    """Published or measured numbers.

    Attributes:
        columns: ``{name: values}``, in the units of the source.
        source: key in the bibliography, and where in the source.
        uncertainty: ``{name: standard uncertainty}`` where it is known.
    """

    columns: Mapping[str, tuple[float, ...]]
    source: str
    uncertainty: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> tuple[float, ...]:
        return self.columns[name]
