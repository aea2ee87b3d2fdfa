"""The report of a sweep: what was varied, how the members ended, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..html.markup import Html, course, folded, join, number, pairs, table, tag, with_unit
from ..html.svg import Picture, Polyline, figure
from . import page_parts
from .page_parts import Material, Section, page

MOST, FAMILY, ROWS = 12, 6, 30  # figures, curves in one of them, values of an axis that are listed
OUTCOME, VERDICT = "outcome", "verdict"


def report(found: Any, material: Material, title: str) -> str:
    """The page of an xarray Dataset that `sweep` returned."""
    about = dict(found.attrs)
    count = int(np.prod([found.sizes[d] for d in _axes(found)])) if _axes(found) else 1
    axes = " times ".join(f"{found.sizes[d]} of {d}" for d in _axes(found))
    lead = tag("p", f"A sweep of {count} members under the principle {about.get('principle', 'unknown')}: {axes}.")
    sections = [
        Section("The system", page_parts.given(material)),
        Section("Equations of motion", page_parts.follows(material)),
        Section("What was varied", _varied(found)),
        Section("What was fixed", _fixed(about)),
        Section("How the members ended", join([_ended(found, OUTCOME), _ended(found, VERDICT)])),
        Section("Results", _results(found)),
        Section("Ranges", _ranges(found)),
        Section("What this rests on", material.citations),
        Section("Provenance", _provenance(about, material)),
    ]
    return page(title, lead, sections, f"Made by dalembert {read(about, 'versions').get('dalembert', '')}")


def _axes(found: Any) -> list[str]:
    """The dimensions that were varied; time is none of them."""
    shared = found[OUTCOME].dims if OUTCOME in found else found.sizes
    return [str(d) for d in shared if d != "time"]


def read(about: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An attribute that holds a mapping as JSON."""
    try:
        read = json.loads(about.get(key, "{}"))
    except (TypeError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _values(found: Any, dim: str) -> np.ndarray | None:
    """The numbers along an axis, if they are numbers."""
    for name in (dim, *found.coords):
        if name in found.coords and found.coords[name].dims == (dim,) and found.coords[name].dtype.kind in "iuf":
            return np.asarray(found.coords[name].values, float)
    return None


def _units(found: Any) -> dict[str, str]:
    return {str(n): str(v.attrs["units"]) for n, v in {**found.coords, **found.data_vars}.items() if "units" in v.attrs}


def _varied(found: Any) -> Html:
    rows, units = [], _units(found)
    for name, values in found.coords.items():
        if values.ndim == 1 and values.dtype.kind in "iuf" and name != "time":
            shown = join([number(v) for v in values.values[:ROWS]], ", ")
            more = f" and {values.size - ROWS} more" if values.size > ROWS else ""
            rows.append((with_unit(str(name), units), f"{values.size}", join([shown, more])))
    return table(("axis", "values", "which"), rows) if rows else Html()


def _fixed(about: Mapping[str, object]) -> Html:
    rows = []
    for what in ("parameters", "start"):
        for name, value in read(about, what).items():
            shown = number(value) if isinstance(value, int | float) else str(value)
            rows.append((name, shown, what))
    return table(("name", "value", "one of"), rows) if rows else Html()


def _ended(found: Any, name: str) -> Html:
    """How many members have each of the flags of a variable, in words."""
    if name not in found:
        return Html()
    flags = found[name]
    values, counts = np.unique(np.asarray(flags.values), return_counts=True)
    meanings = _meanings(flags.attrs)
    rows = [(meanings.get(int(v), f"code {int(v)}"), f"{int(n)}") for v, n in zip(values, counts, strict=True)]
    return table((name, "members"), rows)


def _meanings(attributes: Mapping[str, Any]) -> dict[int, str]:
    values, words = attributes.get("flag_values"), str(attributes.get("flag_meanings", "")).split()
    if values is None:
        return {}
    return {int(v): w.replace("_", " ") for v, w in zip(np.atleast_1d(values), words, strict=False)}


def _results(found: Any) -> Html:
    """Every variable over the first axis, a curve for each value of the second; or over time."""
    dims, shown = _axes(found), []
    if not dims:
        return Html()
    across, names = (
        dims[0],
        [n for n in found.data_vars if n not in (OUTCOME, VERDICT) and found[n].dtype.kind in "iuf"],
    )
    x = _values(found, across)
    x = np.arange(found.sizes[across], dtype=float) if x is None else x
    for name in names[:MOST]:
        values = found[name]
        if values.ndim and values.dims[0] == across:
            shown.append(_picture(found, str(name), across, x))
    left = len(names) - MOST
    more = [tag("p", f"{left} more variables are in the table.", class_="small")] if left > 0 else []
    return join([tag("div", *shown, class_="figures"), *more])


def _picture(found: Any, name: str, across: str, x: np.ndarray) -> Html:
    values, units = found[name], _units(found)
    at_end = "time" in values.dims
    v = np.asarray((values.isel(time=-1) if at_end else values).values, float).reshape(len(x), -1)
    columns = np.unique(np.linspace(0, v.shape[1] - 1, min(FAMILY, v.shape[1])).astype(int))
    others = [d for d in values.dims[1:] if d != "time"]
    curves = [Polyline(x, v[:, j], _label(found, others, int(j), v.shape[1]), i) for i, j in enumerate(columns)]
    told = ". ".join(course(c.label or name, x, c.y).replace(" at t = ", f" at {across} = ") for c in curves)
    some = f", {len(columns)} of {v.shape[1]} curves" if len(columns) < v.shape[1] else ""
    caption = f"{name} over {across}{' at the last time' if at_end else ''}{some}"
    return figure(Picture(caption, (with_unit(across, units), with_unit(name, units)), curves, told=told))


def _label(found: Any, others: list[Any], j: int, count: int) -> str:
    """What a curve of a family belongs to."""
    if count == 1:
        return ""
    sizes = [found.sizes[d] for d in others]
    if int(np.prod(sizes)) != count:
        return f"number {j + 1}"
    labels = []
    for d, k in zip(others, np.unravel_index(j, sizes), strict=True):
        values = _values(found, str(d))
        labels.append(f"{d} = {values[k]:.4g}" if values is not None else f"{d} {int(k)}")
    return ", ".join(labels)


def _ranges(found: Any) -> Html:
    rows, units = [], _units(found)
    for name, values in found.data_vars.items():
        if values.dtype.kind not in "iuf" or name in (OUTCOME, VERDICT) or not values.size:
            continue
        v = np.asarray(values.values, float)
        good = v[np.isfinite(v)]
        if good.size:
            missing = f"{v.size - good.size} of {v.size}"
            rows.append((with_unit(str(name), units), number(good.min()), number(good.max()), missing))
    return table(("variable", "smallest", "largest", "without a value"), rows) if rows else Html()


def _provenance(about: Mapping[str, object], material: Material) -> Html:
    typed = [tag("p", "The command that made this page:"), tag("pre", material.command)] if material.command else []
    rows = [(key, str(about[key])) for key in ("principle", "t0", "until", "options", "seed", "machine", "checksum")
            if key in about]  # fmt: skip
    versions = ", ".join(f"{k} {v}" for k, v in read(about, "versions").items())
    everything = folded("All attributes", tag("pre", json.dumps(about, indent=1, default=str)))
    return join([*typed, pairs([*rows, ("versions", versions)]), everything])
