"""A file read once more with another ``[[fit]]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .build import build_fit
from .study import FitSpec, Study
from .toml_text import parsed

_ENTRIES = ("run", "compare", "sweep", "family", "fit")


def tables_of(study: Study) -> dict[str, Any]:
    """The tables of a study's file."""
    return parsed(study.source, study.name)[0]


def fit_of(study: Study, table: Mapping[str, Any]) -> FitSpec:
    """The fit that this table would be in the file of the study.

    Raises:
        DalembertError: what is wrong with it, without a place; several as `Problems`.
    """
    tables = {key: value for key, value in tables_of(study).items() if key not in _ENTRIES}
    return build_fit({**tables, "fit": [dict(table)]}, study.name, study.folder)
