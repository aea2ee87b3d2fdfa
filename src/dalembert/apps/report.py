"""`report` for users: what the page needs beside the numbers is derived, looked up or said to be missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..argument_checks import kind, mapping, public, several, text
from ..comparison import Comparison, Limit
from ..errors import InvalidValue, WrongType, as_given, kind_of
from ..errors.remedies import Option
from ..findings.fit import DECIDES, Fit
from ..findings.ranking import Ranking
from ..output_file import Maker, as_page, free, write
from ..principles.principle_table import PRINCIPLES, named
from ..show import report as pages
from ..show.html.markup import Html
from ..show.report.family import Followed, about
from ..trajectory import Trajectory
from .citations import cite, fragment

if TYPE_CHECKING:
    from ..model.system import System


_REMEDY = "give another name, or remove that file"


@public
def report(
    thing: object,
    file: str | Path,
    *,
    system: Any = None,
    equations: Any = None,
    start: object = None,
    title: str | None = None,
    command: str = "",
    source: str = "",
    verdict: Sequence[str] | None = None,
) -> Path:
    """Write one self-contained page about a run, a comparison, a limit, a family, a sweep, a fit or a ranking.

    The page holds the equations, parameters, figures, events, audit, citations and provenance; of a family its special
    points and eigenvalues or multipliers. It asks nothing of the network and runs no script. The file is returned.

    Args:
        thing: a `Trajectory`, `Comparison`, `Limit`, `Fit`, `Ranking`, a family of motions (of `da.continue_steady` or
            `da.families`), the Dataset of a sweep, or the name of a stored path.
        file: where the page goes, ``"page.html"``; it appears whole or not at all. A page that `report` wrote is
            replaced, another file never.
        system: the `System`, or a `Study`. Without it, and without equations, the page has no formulas and says so.
        equations: `Equations`, or a mapping or list of them by run; by default those of the principles that ran.
        start: the `Start` of the run, or a mapping of them by run: the page then says what was given and what follows.
        title: of the page; by default that of the system.
        command: what was typed to get here.
        source: the text of the system file.
        verdict: sentences on what the data of a fit decide; by default those that the fit itself gives.

    Raises:
        WrongType: E307, there is no report of this.
        InvalidValue: E549, the path is of another system; E307, the file does not end in .html.
        Unwritable: E530, the file cannot be written, or another lies there.
        DalembertError: what forming the equations raises; E501, E520 for a stored path that cannot be read.
    """
    command, source = text(command, "command"), text(source, "source")
    title = None if title is None else text(title, "title")
    known = PageFacts(system, equations, start, title, command, source, _sentences(verdict))
    if not isinstance(thing, str | Path):
        return written(thing, file, Maker("report", remedy=_REMEDY), known)
    from ..trajectory.loading import load

    return written(load(thing), file, Maker("report", read=(Path(thing),), remedy=_REMEDY), known)


@dataclass(frozen=True)
class PageFacts:
    """What a page tells beside the numbers; as the arguments of `report`."""

    system: object = None
    equations: object = None
    start: object = None
    title: str | None = None
    command: str = ""
    source: str = ""
    verdict: Sequence[str] | None = None


def written(thing: object, file: str | Path, maker: Maker, known: PageFacts) -> Path:
    """A page, written by a maker."""
    free(as_page(file), maker)
    return write(file, page(thing, known), maker, "html")


def page(thing: object, known: PageFacts) -> str:
    """A page as text."""
    system, source = _study(known.system, known.source)
    if system is not None and isinstance(thing, Trajectory):
        _check_own(thing, system)
    labels = principles_of(thing)
    formed = _equations(known.equations, system, labels)
    if system is None and formed:
        system = next(iter(formed.values())).system
    material = pages.Material(
        system=system,
        equations=formed,
        starts=_starts(known.start, labels),
        citations=_citations(thing, system, formed),
        command=known.command,
        source=source,
        verdict=tuple(_verdict(thing) if known.verdict is None else known.verdict),
    )
    return pages.html(thing, known.title, material)


def _check_own(path: Trajectory, system: System) -> None:
    """E549: a page of a path would show the equations of another system."""
    lacks = [q.name for q in system.space.coordinates if q.name not in path.names]
    if lacks:
        fact = f"the path has no {', '.join(lacks)}: it is of another system than that of the equations"
        raise InvalidValue("E549", fact, "give the system of which the path is a motion")


def principles_of(thing: Any) -> dict[str, str]:
    """The principle of each run, by its label."""
    if isinstance(thing, Trajectory):
        name = str(thing.provenance.get("principle", "path"))
        return {name: name}
    if isinstance(thing, Comparison):
        named = (str(path.provenance.get("principle", "")) for path in thing.paths)
        return dict(zip(thing.principles, named, strict=True))
    if isinstance(thing, Limit):
        return {thing.principle: str(thing.reference.provenance.get("principle", ""))}
    if isinstance(thing, Fit):
        return {thing.principle: thing.principle}
    if isinstance(thing, Ranking):
        return {candidate.label: candidate.principle for candidate in thing}
    if str(type(thing).__module__).startswith("xarray."):
        name = str(thing.attrs.get("principle", ""))
        return {name: name}
    if isinstance(thing, Followed):
        name = str(about(thing).get("principle") or "")
        return {name: name} if name else {}
    fact = f"there is no report of {kind_of(thing)}"
    raise WrongType("E307", fact, "give a path, a comparison, a family, a sweep or a fit")


def _sentences(given: object) -> tuple[str, ...] | None:
    """A verdict of one's own."""
    if given is None:
        return None
    listed = several(given) and not isinstance(given, Mapping)
    found = tuple(cast(Iterable[object], given)) if listed else (given,)
    if not listed or not all(isinstance(part, str) for part in found):
        raise WrongType("E307", f"verdict is a list of sentences, not {as_given(given)}", Option("verdict", ["..."]))
    return cast(tuple[str, ...], found)


def _verdict(thing: object) -> list[str]:
    """What the data decide, in sentences."""
    if not isinstance(thing, Fit):
        return []
    return [*decided(thing), *undecided(thing)]


def _study(system: Any, source: str) -> tuple[Any, str]:
    """The system of a study and the text of its file."""
    if system is None:
        return None, source
    from ..model.system import System  # a stored path has a page without SymPy
    from ..study.study import Study

    if isinstance(system, Study):
        return system.system, source or system.source
    return kind(System, system, "report"), source


def _starts(given: Any, labels: Mapping[str, str]) -> dict[str, Any]:
    """Starts by label of the run."""
    if given is None:
        return {}
    from ..equations import Start

    if isinstance(given, Start):
        return dict.fromkeys(labels, given)
    starts = mapping(given, "a start of each run", "E241", "start=equations.start(...)")
    return {label: kind(Start, each, "report") for label, each in starts.items()}


def _equations(given: object, system: Any, labels: Mapping[str, str]) -> dict[str, Any]:
    """Equations by label of the run: those given, or those of the principles' names for the system."""
    if given is not None:
        alone = {getattr(given, "principle", ""): given}
        several = dict(zip(labels, given, strict=False)) if isinstance(given, list | tuple) else alone
        found = given if isinstance(given, Mapping) else several
        from ..equations import Equations

        return {label: kind(Equations, each, "report") for label, each in found.items()}
    if system is None:
        return {}
    return {label: named(name)(system) for label, name in labels.items() if name in PRINCIPLES}


def _citations(thing: object, system: System, equations: Mapping[str, Any]) -> Html:
    """What the motions rest on, and what only the system and the equations know."""
    known = [
        *([system] if system is not None else []),
        *equations.values(),
        *([] if isinstance(thing, Followed) else [thing]),
    ]
    return fragment(cite(known)) if known else Html()


# --- what a fit decides ----------------------------------------------------------------------------------------------

EMPTY = {"W568"}  # doubts with which a fit decides nothing


def decided(fit: Fit, of_prior: Sequence[str] = ()) -> list[str]:
    """What the data say of the model and its unknowns."""
    if EMPTY & {note.code for note in fit.notes}:
        return []
    known = [n for n, s in fit.errors.items() if math.isfinite(s) and n not in (*fit.at_bound, *of_prior)]
    told = [f"{_listed(known)}, each to within the stated uncertainty if the model is right"] if known else []
    if fit.adequate is True:
        told.append(f"{fit.principle} describes the track to within its noise (p = {fit.p_value:.2g})")
    if fit.adequate is False:
        told.append(
            f"{fit.principle} with these values does not describe the track (p = {fit.p_value:.1g} < {DECIDES:g})"
        )
        told.append("a law that is missing, another principle, or noise larger than stated: --figure shows where")
    return told


def undecided(fit: Fit, of_prior: Sequence[str] = ()) -> list[str]:
    """What the data cannot say."""
    told = [note.text for note in fit.notes if note.code in EMPTY]
    told += [f"{name}: the data add nothing to what was known before" for name in of_prior]
    told += [f"{each}; fix some of them, or give --prior" for each in fit.unseen]
    told += [f"{name} stands at its bound: the data want it beyond" for name in fit.at_bound]
    if fit.adequate is None and fit.loss != "linear":
        told.append(f"whether the model is right: with the loss {fit.loss} chi2 has no known law")
    elif fit.adequate is None:
        names = ", ".join(fit.estimated)
        told.append(
            f"whether the model is right: the noise of {names} was estimated from the misfit; --uncertainty says it"
        )
    if not fit.converged:
        told.append("the search has not ended: give a better guess, bounds, or --starts 20")
    return told


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
