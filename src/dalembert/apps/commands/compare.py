"""``dalembert compare FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import InvalidValue, as_given
from .. import process
from ..options import SystemFile
from ..terminal import TIME, Command, Reply

_PRINCIPLES = "Principles, separated by commas, for a file without [[compare]], or instead of what it says."


@click.command(
    cls=Command,
    foreign=True,
    writes=True,
    epilog="Example: dalembert compare ball.toml lam_roll_x=10 --report parting.html",
)
@click.argument("file", type=SystemFile())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--compare", "--name", "names", multiple=True, help="The comparison of this name; may be given several times."
)
@click.option("--principles", default=None, help=_PRINCIPLES)
@click.option("--until", type=TIME, default=None, help="Another time to end at.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Draw to this file.")
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Write a page to this file."
)
def command(
    file: str,
    changes: tuple[str, ...],
    names: tuple[str, ...],
    principles: str | None,
    until: float | None,
    figure: Path | None,
    report: Path | None,
) -> Reply:
    """Hold principles against each other from one start, and say where they part.

    NAME=VALUE replaces a parameter or a start value. The vakonomic principle
    begins with a multiplier for each constraint too, lam_CONSTRAINT=0.
    """
    from .. import assignments, exports, gallery, options, results, runs

    results.drawable(figure)
    study = gallery.load_study(file)
    wanted = None if principles is None else _listed(principles)
    entries = study.compares or assignments.as_comparisons(study, wanted)
    specs = runs.chosen(entries, names, "compare", file)
    given = assignments.assignments(changes, study)
    specs = [runs.changed(spec, study, given, principles=wanted, until=until) for spec in specs]
    begin = runs.start if study.compares and wanted is None else runs.start_under
    for entry, principle in ((each, name) for each in specs for name in each.principles):
        begin(study, entry, principle)
    options.ready(*options.drawings(len(specs), figure, report))
    process.tell_derived()
    found = [(spec, runs.compare(study, spec)) for spec in specs]
    written: list[Path] = []
    for i, (spec, comparison) in enumerate(found):
        if figure is not None:
            written.append(results.drawn(comparison, options.numbered(figure, i), options.maker("--figure")))
        if report is not None:
            written.append(exports.comparison_page(study, spec, comparison, options.numbered(report, i)))
    texts = ["\n".join([spec.name, str(comparison), *results.lent(spec)]) for spec, comparison in found]
    return Reply(
        "\n\n".join([*texts, *(f"written {each}" for each in written)]),
        {
            "file": file,
            "comparisons": [results.comparison_data(spec.name, comparison) for spec, comparison in found],
            "written": list(map(str, written)),
        },
    )


def _listed(given: str) -> tuple[str, ...]:
    """Names parted by commas or blanks (E307 if they are not two different ones at least)."""
    found = tuple(given.replace(",", " ").split())
    if len(found) < 2 or len(set(found)) < len(found):
        fact = f"a comparison needs two different principles, not {as_given(given)}"
        raise InvalidValue("E307", fact, "--principles nonholonomic,vakonomic")
    return found
