"""explore: one page of a system, with sliders, in which every principle is integrated.

What stands where: `scenario` (what is shown, from which starts), `branch` (rows that are starts too), `ranges`
(sliders), `names`, `page_model` (all the page knows, as JSON), `page` (the file), `cell` (the page in a notebook),
`page_functions`, `source` and `step` (what it computes with). ``page/`` holds the page's own programs and style,
``motion/`` what integrates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import overload

from ...argument_checks import overriding, public
from ...errors import WrongType, kind_of
from ...model.system import System
from ...numerics.families.equilibrium_branches import Branch
from ...numerics.families.orbit_family import Orbits
from ...output_file import Maker, as_page, free, write
from ...study.study import Study
from .branch import begun, check_names, check_rows, first, set_by
from .page import motion_source, page
from .page_functions import kernels
from .scenario import Scenario, acted_on, scenario

HEIGHT = 46  # em: the bodies, the transport and one row of figures
MAY = "allow-scripts allow-downloads allow-popups"  # in its frame: it does not reach what is the notebook's

__all__ = ["along", "explore", "kernels", "motion_source"]

_REMEDY = "give another name, or remove that file"


@overload
def explore(
    system: System | Study,
    file: None = None,
    *,
    principles: Sequence[str] | None = None,
    start: Mapping[str, object] | None = None,
    parameters: Mapping[str, object] | None = None,
    until: float | None = None,
    branch: Branch | Orbits | None = None,
) -> Cell: ...
@overload
def explore(
    system: System | Study,
    file: str | Path,
    *,
    principles: Sequence[str] | None = None,
    start: Mapping[str, object] | None = None,
    parameters: Mapping[str, object] | None = None,
    until: float | None = None,
    branch: Branch | Orbits | None = None,
) -> Path: ...
@public
def explore(
    system: System | Study,
    file: str | Path | None = None,
    *,
    principles: Sequence[str] | None = None,
    start: Mapping[str, object] | None = None,
    parameters: Mapping[str, object] | None = None,
    until: float | None = None,
    branch: Branch | Orbits | None = None,
) -> Path | Cell:
    """Write one page in which sliders move a system, and every principle is integrated; return the file.

    Without a file it is returned, and a notebook shows it in its cell.

    The page opens from disk and asks nothing of the network. It draws the bodies, the path and all columns, shows how
    far the principles part, and audits each motion. It gives a link, a table, a file and a script of what it shows.

    Args:
        system: a `System`, or a `Study`, whose comparisons and runs give the starts.
        file: where the page goes, ``"page.html"``; it appears whole or not at all. A page that `explore` wrote is
            replaced, another file never. Without one nothing is written.
        principles: by name; by default the nonholonomic and the vakonomic, and those that the study names. One of these
            that has no motion here is left out, and the page says why.
        start: values as `Equations.start` takes them, in place of those of the study; multipliers that are missing are
            0. A `System` has no start of its own: without one the page begins from a guess, and says so.
        parameters: values that replace those of the system, together with `start`; inputs may be among them. Inputs
            that are numbers, here or in all runs of a study, have sliders as parameters do.
        until: the last time, s.
        branch: of `da.continue_steady` or `da.families.continue_periodic`. The page draws it over its parameter; a
            click on it, or the arrow keys, set the parameter and the start of a row and show the motion from there, of
            a periodic one its period. A `System` without a start begins at the first row.

    Raises:
        WrongType, InvalidValue: E307, neither a system nor a study, or no start is known; a branch of other equations
            or along what is no parameter, state or definition of the system; an input that is no number; E139,
            contacts under a principle that has no modes; E501, E530 for the file.
        DalembertError: what the principles and `Equations.start` raise.
    """
    maker = Maker("explore", _of(system), remedy=_REMEDY)
    if file is not None:
        free(as_page(file), maker)
    if branch is None:
        text = page(scenario(system, principles, start, parameters, until))
    else:
        text = page(along(branch, system, principles, start, parameters, until))
    return Cell(_of(system), text) if file is None else write(file, text, maker, "html")


def along(
    branch: Branch | Orbits,
    thing: System | Study,
    principles: Sequence[str] | None,
    start: Mapping[str, object] | None,
    parameters: Mapping[str, object] | None,
    until: float | None,
) -> Scenario:
    """A scenario with a branch; where no start is given or known, it begins at the first row."""
    system = thing.system if isinstance(thing, Study) else thing
    check_names(system, branch)
    t = 0.0
    if start is None and not (isinstance(thing, Study) and (thing.runs or thing.compares)):
        start = begun(system, branch)
        t, lasts, own = first(branch)
        known = {branch.parameter: branch.rows[0].value} if set_by(system, branch) else {}
        parameters = own | dict(overriding(parameters)) | known
        until = t + lasts if until is None and system.explore.until is None else until
    scene = scenario(thing, principles, start, parameters, until, t)
    if isinstance(branch, Orbits):
        scene = replace(scene, entries=tuple(acted_on(entry, branch.events) for entry in scene.entries))
    check_rows(scene, branch)
    return replace(scene, branch=branch)


def _of(system: object) -> str:
    """What the page is of, for its mark."""
    if isinstance(system, Study):
        return system.title or system.name
    if isinstance(system, System):
        return system.title
    raise WrongType("E307", f"there is no page of {kind_of(system)}", "give a System, or da.read(FILE)")


@dataclass(frozen=True)
class Cell:
    """A page that a notebook shows in a frame of its own, without a file and without the network.

    Attributes:
        title: what the page is of.
        page: the whole of it, as ``da.explore(system, "page.html")`` writes it.
    """

    title: str
    page: str

    def __str__(self) -> str:
        return f'a page of {self.title or "a system"}: a notebook shows it, da.explore(system, "page.html") writes it'

    __repr__ = __str__

    def _repr_html_(self) -> str:
        frame = f'sandbox="{MAY}" style="width: 100%; height: {HEIGHT}em; border: 0" title="{escape(self.title)}"'
        return f'<iframe srcdoc="{escape(self.page)}" {frame}></iframe>'
