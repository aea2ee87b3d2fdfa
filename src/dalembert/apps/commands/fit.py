"""``dalembert fit FILE TRACK``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import process
from ..options import SystemFile, complete_fits, complete_principles
from ..process import INTERRUPTED, until_interrupted
from ..terminal import Command, Reply, folded, on_terminal, talk

if TYPE_CHECKING:
    from ...equations import Equations
    from ...findings.fit import Fit
    from ...findings.ranking import Ranking
    from ...record import Record
    from ...study.study import FitSpec, Study

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
@click.option("--fit", "--name", "names", multiple=True, shell_complete=complete_fits, help="The [[fit]] of this name.")
@click.option("--free", default="", help=_FREE)
@click.option("--principles", default="", shell_complete=complete_principles, help=_PRINCIPLES)
@click.option("--law", "laws", multiple=True, help="LABEL=FORCES: a law of friction to rank.")
@click.option("--column", "columns", multiple=True, help='What a column shows: px="k*x + x0".')
@click.option("--uncertainty", multiple=True, help="Standard deviation of a column's noise: x=0.2mm; once for each.")
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
    from .. import fit_entries, fits, gallery, options, results
    from ..fit_entries import track_record

    results.drawable(figure)
    study = gallery.load_study(file)
    asked = fit_entries.FitOptions(**{key: value for key, value in given.items() if value is not None})
    specs, told = fit_entries.fits_asked(study, asked, file)
    for spec in specs:
        list(fit_entries.check(study, spec))
    models = [fit_entries.models(study, spec) for spec in specs]
    options.ready(*options.drawings(len(specs), figure, report))
    process.tell_derived()
    with until_interrupted() as stop:
        work = _Work(study, told, stop, figure, report)
        for i, (spec, equations) in enumerate(zip(specs, models, strict=True)):
            work.one(i, spec, equations, track_record(study, spec, track))
            if stop():
                work.texts.append(f"interrupted: this is what was reached, of {i + 1} of {len(specs)} fits")
                break
    data: dict[str, object] = {"file": file, "track": track, "fits": work.data, "written": list(map(str, work.written))}
    data |= {"interrupted": True} if stop() else {}
    text = "\n\n".join([*work.texts, *(f"written {each}" for each in work.written)])
    return Reply(text, data, INTERRUPTED if stop() else fits.code(work.data))


@dataclass
class _Work:
    """What is done of the fits that were asked for, and said of them."""

    study: Study
    told: Sequence[str]
    stop: Callable[[], bool]
    figure: Path | None
    report: Path | None
    texts: list[str] = field(default_factory=list)
    data: list[dict[str, object]] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)

    def one(
        self, i: int, spec: FitSpec, equations: Mapping[str, Equations], seen: tuple[Record, Sequence[str]]
    ) -> None:
        """Fit, say, draw; of a ranking that was interrupted the fits until then are said."""
        from ...experiment.fit.least_squares import RankInterrupted
        from .. import exports, fit_entries, options, results

        notes = [*self.told, *seen[1]]
        for note in dict.fromkeys(notes):
            talk(folded(f"note: {note}"))
        try:
            found = fit_entries.fit(self.study, spec, equations, seen[0], on_terminal(), self.stop)
        except RankInterrupted as stopped:
            for label, each in stopped.fits.items():
                self._say(f"{spec.name}: {label}, not compared", spec, each, notes)
            return
        self._say(spec.name, spec, found, notes)
        if self.figure is not None:
            self.written.append(results.drawn(found, options.numbered(self.figure, i), options.maker("--figure")))
        if self.report is not None:
            self.written.append(exports.fit_page(self.study, spec, found, options.numbered(self.report, i)))

    def _say(self, name: str, spec: FitSpec, found: Fit | Ranking, notes: Sequence[str]) -> None:
        from .. import fits

        self.texts.append(f"{name}\n{fits.summary(self.study, spec, found)}")
        more = fits.as_data(self.study, spec, found, intervals=not self.stop())
        self.data.append({"name": name, **more, "notes_of_track": list(notes)})
