"""Reports: one self-contained page for a run, a comparison, a study of a limit, a sweep, a fit or a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...comparison import Comparison, Limit
from ...errors import WrongType
from ...findings.fit import Fit
from ...findings.ranking import Ranking
from ...trajectory import Trajectory
from . import comparison, fit, run, sweep
from .page import POLICY, page, write
from .parts import Material

__all__ = ["POLICY", "Material", "page", "report", "write"]


def report(thing: Any, file: str | Path, *, title: str | None = None, material: Material | None = None) -> Path:
    """Write one page about a path, a comparison, a limit, a fit, a ranking or the Dataset of a sweep; return the file.

    Args:
        thing: what the page is about.
        file: where it goes. It appears whole or not at all.
        title: of the page; by default that of the system.
        material: system, equations and what else is known; without it there are no formulas, and the page says so.

    Raises:
        WrongType: E307, there is no report of this.
        Unwritable: E530, the file cannot be written.
    """
    known = Material() if material is None else material
    return write(file, html(thing, title, known))


def html(thing: Any, title: str | None, material: Material) -> str:
    """The page as text."""
    if isinstance(thing, Trajectory):
        return run.report(thing, material, _title(title, thing.provenance))
    if isinstance(thing, Comparison):
        return comparison.report(thing, material, _title(title, {"title": thing.title}))
    if isinstance(thing, Limit):
        return comparison.limit(thing, material, _title(title, {"title": thing.title}))
    if isinstance(thing, Fit):
        return fit.report(thing, material, _title(title, {"title": thing.title}))
    if isinstance(thing, Ranking):
        return fit.ranking(thing, material, _title(title, {"title": thing.title}))
    if type(thing).__module__.startswith("xarray."):
        return sweep.report(thing, material, _title(title, thing.attrs))
    raise WrongType(
        "E307", f"there is no report of {type(thing).__name__}", "give a path, a comparison, a sweep or a fit"
    )


def _title(given: str | None, about: Mapping[str, Any]) -> str:
    return given if given is not None else str(about.get("title") or "System")
