"""The report of a family of motions: where they are stable, where that changes, and the rows themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..family import Family, changing, pieces
from ..html.markup import Html, Units, course, join, listed, number, pairs, table, tag, with_unit
from ..html.svg import Mark, Picture, Polyline, figure
from . import page_parts
from .page_parts import Material, Section, page

MOST, ROWS = 24, 60  # figures; rows that are listed
LEVEL, ROUNDING = 1e-5, 1e-14  # parts of the largest: what lies on the level, as multipliers 1 twice do; what is 0
STABLE, UNSTABLE = ("stable to first order", 0), ("unstable", 1)  # words, and the look of the curve


@runtime_checkable
class Followed(Family, Protocol):
    """A family with its spectrum, what was held and why it ends."""

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns beside the parameter and the states: the period, drifts."""

    @property
    def spectrum(self) -> tuple[str, np.ndarray]:
        """What tells stability, and its name: eigenvalues or multipliers, (N, d) complex."""

    @property
    def held(self) -> tuple[str, ...]:
        """What stays along the family."""

    @property
    def ends(self) -> tuple[str, str]:
        """Why it ends at either end."""


def about(found: Followed) -> Mapping[str, Any]:
    """What a stored family knows besides: its title, principle and origin; {} of others."""
    return dict(getattr(found, "about", {}))


def report(found: Followed, material: Material, title: str) -> str:
    """The page of a family."""
    known, p, units = about(found), found.values, material.units
    said = f" under the principle {known['principle']}" if known.get("principle") else ""
    kind = "steady" if found.spectrum[0] == "eigenvalue" else "periodic"
    over = with_unit(found.parameter, units)
    lead = tag(
        "p", f"A family of {len(p)} {kind} motions{said}: {over} from ", number(p.min()), " to ", number(p.max()), "."
    )
    sections = [
        Section("The system", page_parts.given(material)),
        Section("Equations of motion", page_parts.follows(material)),
        Section("Where the motions change", _special(found, units)),
        Section("Motions", _motions(found, units)),
        Section("Stability", _stability(found, units)),
        Section("Rows", _rows(found, units)),
        Section("What this rests on", material.citations),
        Section("Provenance", _provenance(known, material)),
    ]
    return page(title, lead, sections, "Made by dalembert")


def _special(found: Followed, units: Units) -> Html:
    """Special points, what stays along the family, and why it ends."""
    rows = [(kind, number(value, 10)) for kind, value in found.special]
    points = table(("what begins or ends there", with_unit(found.parameter, units)), rows)
    told = [f"Held along the family: {', '.join(found.held)}."] if found.held else []
    told.append(f"It begins with: {found.ends[0]}; it ends with: {found.ends[1]}.")
    return join([points if rows else tag("p", "There are no special points."), listed(told)])


def _motions(found: Followed, units: Units) -> Html:
    """Each state that changes, over the parameter."""
    names = [n for n in [*found.beside, *changing(found)] if n != found.parameter]
    shown = [_picture(found, name, found[name], units) for name in names[:MOST]]
    left = len(names) - MOST
    more = [tag("p", f"{left} more columns are in the table.", class_="small")] if left > 0 else []
    return join([tag("div", *shown, class_="figures"), *more])


def _stability(found: Followed, units: Units) -> Html:
    """Real parts of eigenvalues, or sizes of multipliers, over the parameter: what grows lies above the level."""
    kind, values = found.spectrum
    y, name, level = (values.real, "real part of", 0.0) if kind == "eigenvalue" else (np.abs(values), "size of", 1.0)
    y = np.where(np.abs(y - level) < LEVEL * max(1.0, float(np.abs(values).max(initial=0.0))), level, y)
    across = np.repeat(found.values[:, None], y.shape[1], axis=1)
    curve = Polyline(across.ravel(), y.ravel(), look=0, dots=True)
    caption = f"Every {kind}: a disturbance grows where one lies above the line"
    axes = with_unit(found.parameter, units), f"{name} {kind}"
    return tag("div", figure(Picture(caption, axes, [curve], level=level)), class_="figures")


def _picture(found: Followed, name: str, y: np.ndarray, units: Units) -> Html:
    """One column over the parameter, in pieces of one stability, with its special points."""
    x, curves = found.values, list[Polyline]()
    for piece, stable in pieces(found.stable):
        label, look = STABLE if stable else UNSTABLE
        curves.append(Polyline(x[piece], y[piece], label, look))
    marks = [Mark(value, float(y[np.abs(x - value).argmin()])) for _, value in found.special]
    told = course(name, x, y).replace(" at t = ", f" at {found.parameter} = ")
    caption = f"{name} over {found.parameter}{', dots at the special points' if marks else ''}"
    axes = with_unit(found.parameter, units), with_unit(name, units)
    return figure(Picture(caption, axes, curves, marks, told=told))


def _rows(found: Followed, units: Units) -> Html:
    """The columns, evenly chosen rows where there are many."""
    names = list(dict.fromkeys([found.parameter, *found.beside, *found.names]))
    every = np.unique(np.linspace(0, len(found.values) - 1, min(ROWS, len(found.values))).round().astype(int))
    least = ROUNDING * float(np.abs(found.states).max(initial=0.0))
    columns = [np.where(np.abs(y) < least, 0.0, y) for y in map(found.__getitem__, names)]
    rows = [[*(number(c[i]) for c in columns), "yes" if found.stable[i] else "no"] for i in every]
    some = f"{len(every)} of {len(found.values)} rows" if len(every) < len(found.values) else None
    return table([*(with_unit(name, units) for name in names), "stable"], rows, some)


def _provenance(known: Mapping[str, object], material: Material) -> Html:
    typed = [tag("p", "The command that made this page:"), tag("pre", material.command)] if material.command else []
    return join([*typed, pairs([(key, str(known[key])) for key in ("file", "run", "sha256", "over") if key in known])])
