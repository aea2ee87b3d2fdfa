"""Reports: one self-contained page for a run, a comparison, a limit, a family, a sweep, a fit or a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...comparison import Comparison, Limit
from ...errors import WrongType, kind_of
from ...findings.fit import Fit
from ...findings.ranking import Ranking
from ...trajectory import Trajectory
from . import comparison, family, fit, sweep
from .page_parts import POLICY, Material, page

__all__ = ["POLICY", "Material", "html", "page"]


def html(thing: Any, title: str | None, material: Material) -> str:
    """One page about a path, a comparison, a limit, a family, a fit, a ranking or the Dataset of a sweep, as text.

    Args:
        thing: what the page is about.
        title: of the page; None for that of the system.
        material: system, equations and what else is known; without them there are no formulas, and the page says so.

    Raises:
        WrongType: E307, there is no report of this.
    """
    if isinstance(thing, Trajectory):
        return comparison.run_report(thing, material, _title(title, thing.provenance))
    if isinstance(thing, Comparison):
        return comparison.report(thing, material, _title(title, {"title": thing.title}))
    if isinstance(thing, Limit):
        return comparison.limit(thing, material, _title(title, {"title": thing.title}))
    if isinstance(thing, Fit):
        return fit.report(thing, material, _title(title, {"title": thing.title}))
    if isinstance(thing, Ranking):
        return fit.ranking(thing, material, _title(title, {"title": thing.title}))
    if str(type(thing).__module__).startswith("xarray."):
        return sweep.report(thing, material, _title(title, thing.attrs))
    if isinstance(thing, family.Followed):
        return family.report(thing, material, _title(title, family.about(thing)))
    raise WrongType(
        "E307", f"there is no report of {kind_of(thing)}", "give a path, a comparison, a family, a sweep or a fit"
    )


def _title(given: str | None, about: Mapping[str, object]) -> str:
    return given if given is not None else str(about.get("title") or "System")
