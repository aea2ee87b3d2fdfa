"""``dalembert fit FILE TRACK``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import confined
from ..completing import SystemFile, of_fits, of_principles
from ..terminal import Command, Reply, folded, on_terminal, talk

_FREE = "What is to be found: parameters, start values."
_PRINCIPLES = "Principles, parted by commas; several are ranked."
_LOSSES = ("linear", "soft_l1", "huber", "cauchy", "arctan")


@click.command(
    cls=Command,
    foreign=True,
    writes=True,
    epilog="Examples:\n\n  dalembert fit ball.toml track.csv\n\n"
    '  dalembert fit ball.toml track.csv --free "vx vy Omega" --uncertainty x=1mm',
)
@click.argument("file", type=SystemFile())
@click.argument("track", type=click.Path())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--name", "names", multiple=True, shell_complete=of_fits, help="The [[fit]] of this name.")
@click.option("--free", default="", help=_FREE)
@click.option("--principles", default="", shell_complete=of_principles, help=_PRINCIPLES)
@click.option("--law", "laws", multiple=True, help="LABEL=FORCES: a law of friction to rank.")
@click.option("--column", "columns", multiple=True, help='What a column shows: px="k*x + x0".')
@click.option("--uncertainty", multiple=True, help="Standard uncertainty: x=0.2mm.")
@click.option("--bound", "bounds", multiple=True, help='Ends: Omega=4,6, "-" for an open one.')
@click.option("--prior", "priors", multiple=True, help="Mean and deviation: r=1.27cm,0.01cm.")
@click.option("--ray", default="", help="What is crossed, predicted and counted: a column.")
@click.option("--loss", type=click.Choice(_LOSSES), default=None, help="How outliers count.")
@click.option("--starts", type=int, default=None, help="Searches, from so many guesses.")
@click.option("--start-from", default="", help="The run whose start is the guess.")
@click.option("--read", multiple=True, help="How to read TRACK: gaps=keep, units.x=mm.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Draw to this file.")
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Write a page to this file."
)
def command(file: str, track: str, figure: Path | None, report: Path | None, **given: Any) -> Reply:
    """Find parameters and starts from a recorded track, and rank models.

    TRACK is a table: a heading such as "t [s], x [cm], y [cm]", a row for each time. What is to be found stands in a
    [[fit]] of the file; options go over what stands there. Without a [[fit]], --free names it, and the guess is the
    start of the first run. NAME=VALUE replaces a parameter or a start value; where it is free, that is the guess.
    """
    from ...study import read
    from .. import asking, fits, fitting, outputs, pages, results
    from ..track import record

    results.drawable(figure)
    study = read(file)
    asked = asking.Asked(**{key: value for key, value in given.items() if value is not None})
    specs, told = asking.fits(study, asked, file)
    for spec in specs:
        list(fitting.check(study, spec))
    models = [fitting.models(study, spec) for spec in specs]
    outputs.ready(*outputs.drawings(len(specs), figure, report))
    confined.derived()
    texts, data, written = [], [], []
    for i, (spec, equations) in enumerate(zip(specs, models, strict=True)):
        seen, notes = record(study, spec, track)
        for note in dict.fromkeys((*told, *notes)):
            talk(folded(f"note: {note}"))
        found = fitting.fit(study, spec, equations, seen, on_terminal())
        texts.append(f"{spec.name}\n{fits.summary(study, spec, found)}")
        data.append({"name": spec.name, **fits.as_data(study, spec, found), "notes_of_track": [*told, *notes]})
        if figure is not None:
            written.append(results.drawn(found, results.numbered(figure, i), outputs.maker("--figure")))
        if report is not None:
            written.append(pages.of_fit(study, spec, found, results.numbered(report, i)))
    return Reply(
        "\n\n".join([*texts, *(f"written {each}" for each in written)]),
        {"file": file, "track": track, "fits": data, "written": list(map(str, written))},
        fits.code(data),
    )
