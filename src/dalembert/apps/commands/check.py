"""``dalembert check FILE``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ...errors import DalembertError, DalembertWarning, Problems
from ...errors.interfaces import FILE
from ..options import SystemFile
from ..terminal import Command, Reply, folded

if TYPE_CHECKING:
    from ...errors import Note
    from ...study.study import CompareSpec, Entry, FamilySpec, FitSpec, Study, SweepSpec


@click.command(cls=Command, foreign=True, epilog="Example: dalembert check ball.toml")
@click.argument("file", type=SystemFile())
def command(file: str) -> Reply:
    """Check a system file without running it.

    Names, units, rank and integrability of the constraints, the declared symmetry, and every entry up to its first
    step: the start under its principle, times, options, events, walls. All problems are told at once.
    """
    from ...geometry.examination import examine
    from .. import citations, gallery, runs

    with _gathered() as told:
        study = gallery.load_study(file)
        examined = examine(study.system)
        prepared = _prepared(study)
    starts = {name: {label: dict(one.start) for label, one in found.items()} for name, found in prepared.items()}
    borrowers: list[CompareSpec | SweepSpec | FitSpec] = [*study.compares, *study.sweeps, *study.fits]
    doubts = [note for found in prepared.values() for one in found.values() for note in one.notes]
    kept = map(str, (*study.notes, *study.system.notes, *examined.notes, *doubts, *citations.strange(study.system)))
    notes = list(dict.fromkeys([*(told.get(note, note) for note in kept), *told.values()]))
    doubted = [note for note in notes if note.startswith("W")]
    but_for = "" if not doubted else f", but for {len(doubted)} doubt{'s' if len(doubted) > 1 else ''}"
    text = [
        str(study.system),
        "",
        str(examined),
        *_lines(starts),
        *(line for spec in borrowers for line in runs.lent(spec)),
        "",
        *(folded(f"doubt {note}") for note in doubted),
        f"{file} is in order{but_for}. next: {_next(study, file)}",
    ]
    return Reply(
        "\n".join(text),
        {
            "file": file,
            "title": study.title,
            "constraints": {c.name: c.kind for c in study.system.constraints},
            "examination": examined.data,
            "starts": starts,
            "notes": notes,
            "next": _next(study, file),
        },
    )


@contextmanager
def _gathered() -> Iterator[dict[str, str]]:
    """Doubts on the way, kept for the answer in the words of a file; shown at once where a refusal is the answer."""
    told: dict[str, str] = {}
    refused: DalembertError | None = None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", DalembertWarning)
        try:
            yield told
        except DalembertError as error:
            refused = error
    doubts = {str(each.message): each.message for each in seen if isinstance(each.message, DalembertWarning)}
    told |= {text: doubt.on(FILE) for text, doubt in doubts.items()}
    if refused is not None:
        for doubt in doubts.values():
            warnings.warn(doubt, stacklevel=2)
        raise refused


class _Ready(NamedTuple):
    """A start that was completed, and what is doubted of its run."""

    start: Mapping[str, float]
    notes: tuple[Note, ...]


def _prepared(study: Study) -> dict[str, dict[str, _Ready]]:
    """Every entry up to its first step, under each of its principles; the symmetry before.

    Raises:
        Problems: all that is refused.
    """
    from ...geometry.group_action import refuted

    found: dict[str, dict[str, _Ready]] = {}
    problems: list[DalembertError] = []
    wrong = refuted(study.system)
    if wrong is not None:
        problems.append(study.locate(wrong))
    entries: list[tuple[str, Entry]] = [(spec.name, spec) for spec in study.runs]
    entries += [(spec.name, spec) for spec in study.compares]
    entries += [(f"of sweep {spec.name}", spec) for spec in study.sweeps]
    entries += [(f"of family {spec.name}", spec) for spec in study.families if spec.of is None]
    entries += [(f"of fit {spec.name}", spec) for spec in study.fits]
    for name, spec in entries:
        try:
            found[name] = _entry(study, spec)
        except Problems as several:
            problems += several.problems
        except DalembertError as error:
            problems.append(error.at(spec.where))
    problems = list({(error.code, error.fact, error.where): error for error in problems}.values())
    if problems:
        raise problems[0] if len(problems) == 1 else Problems(problems, study.name)
    return found


def _entry(study: Study, spec: Entry) -> dict[str, _Ready]:
    """One entry, under each of its principles.

    Raises:
        DalembertError: the one problem, or `Problems`.
    """
    from ...study.study import CompareSpec, FamilySpec, FitSpec
    from .. import runs

    if isinstance(spec, FitSpec):
        from .. import fit_entries

        return {label: _Ready(start.state, start.notes) for label, start in fit_entries.check(study, spec)}
    if isinstance(spec, FamilySpec):
        return {spec.principle: _Ready(_begun(study, spec), ())}
    try:
        return {label: _Ready(run.field.start.state, run.notes) for label, run in runs.prepare(study, spec).items()}
    except DalembertError:
        if isinstance(spec, CompareSpec):
            _each_start(study, spec)
        raise


def _begun(study: Study, spec: FamilySpec) -> Mapping[str, float]:
    """The state at which a family begins."""
    from ...numerics.relative_equilibria import Steady
    from .. import family_entries
    from ..study_inputs import inputs_as_parameters_for_families

    whole = family_entries.laid_out(inputs_as_parameters_for_families(study, {}))
    (spec,) = family_entries.named(whole, [spec.name])
    first = family_entries.begun(whole, spec, {})
    return first.state if isinstance(first, Steady) else first.start.state


def _each_start(study: Study, spec: CompareSpec) -> None:
    """The starts of a comparison one by one, so that all problems are told."""
    from .. import runs

    problems = []
    for principle in spec.principles:
        try:
            runs.start(study, spec, principle)
        except DalembertError as error:
            problems.append(error.at(spec.where))
    if problems:
        raise Problems(problems, study.name)


def _lines(starts: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    lines = []
    for name, by_principle in starts.items():
        for principle, state in by_principle.items():
            values = ", ".join(f"{k} = {v:.6g}" for k, v in state.items())
            lines += folded(f"start {name} ({principle}): {values}").splitlines()
    return ["", *lines] if lines else []


def _next(study: Any, file: str) -> str:
    known = {"run": study.runs, "compare": study.compares, "sweep": study.sweeps}
    known |= {"family": study.families, "fit": study.fits}
    word = next((kind for kind, entries in known.items() if entries), "derive")
    return f"dalembert {word} {file}{' TRACK.csv' if word == 'fit' else ''}"
