"""``dalembert sweep FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import InvalidValue
from .. import options, process
from ..options import SystemFile
from ..process import INTERRUPTED
from ..terminal import TIME, Command, Reply, lines_of_table, on_terminal, typed


@click.command(
    cls=Command,
    foreign=True,
    writes=True,
    epilog="Example: dalembert sweep ball.toml lam_roll_x=0:100:11 --principle vakonomic",
)
@click.argument("file", type=SystemFile())
@click.argument("axes", nargs=-1, metavar="[NAME=VALUES]...")
@click.option("--sweep", "--name", "names", multiple=True, help="The sweep of this name.")
@click.option("--principle", default=None, help="Another principle than the file names.")
@click.option("--until", type=TIME, default=None, help="Another time to end at.")
@click.option("--jobs", type=int, default=None, help="Threads; by default one for each core.")
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Folder; by default results/FILE/NAME-....zarr, named by all that is asked.",
)
@click.option("--resume", is_flag=True, help="Go on with a sweep that was interrupted.")
@options.columns_option
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Draw to this file.")
def command(
    file: str,
    axes: tuple[str, ...],
    names: tuple[str, ...],
    principle: str | None,
    until: float | None,
    jobs: int | None,
    store: Path | None,
    resume: bool,
    figure: Path | None,
) -> Reply:
    """Run over ranges of starts and parameters, on all cores.

    NAME=FIRST:LAST:COUNT is a range, "a=10:20:3 cm" one in a unit, NAME=A,B,C are values, NAME=VALUE is one. Without a
    [[sweep]] in the file the axes are laid over its first run. The result grows in a folder: after Ctrl-C or a kill
    --resume loses at most the unfinished batches.
    """
    from .. import assignments, gallery, options, results, runs, sweep_report

    results.drawable(figure)
    study = gallery.load_study(file)
    given = assignments.assignments(axes, study, ranges=True)
    entries = study.sweeps or assignments.as_sweeps(study, given)
    specs = runs.chosen(entries, names, "sweep", file)
    specs = [runs.changed(spec, study, given, principle=principle, until=until) for spec in specs]
    shown = options.asked_columns(study.system.space)
    specs = [sweep_report.keeping(spec, runs.asked(study, spec, spec.principle), shown) for spec in specs]
    options.ready(*options.drawings(len(specs), figure))
    process.tell_derived()
    texts, data, files = [], [], results.file_names(spec.name for spec in entries)
    for i, spec in enumerate(specs):
        apart = results.apart(*sorted(runs.motion_asked(study, spec).items()), spec.until, spec.times)
        place = options.numbered(store, i) if store else results.folder(file) / f"{files[spec.name]}{apart}.zarr"
        _check_place(place, resume)
        try:
            with runs.under(spec, principle):
                found = runs.sweep(study, spec, store=place, jobs=jobs, progress=on_terminal())
        except KeyboardInterrupt as stopped:
            return _interrupted(file, place, stopped)
        drawn = (
            sweep_report.drawn(found, spec, options.numbered(figure, i), options.maker("--figure")) if figure else None
        )
        texts.append(_said([sweep_report.summary(found, shown, lines_of_table()), *results.lent(spec)], place, drawn))
        data.append({**sweep_report.as_data(spec, found), "store": str(place), "figure": drawn and str(drawn)})
    return Reply("\n\n".join(texts), {"file": file, "sweeps": data})


def _said(found: list[str], place: Path, drawn: Path | None) -> str:
    lines = [*found, f"stored       {place}", f"next         dalembert export {place} --csv"]
    return "\n".join([*lines, *([f"figure       {drawn}"] if drawn else [])])


def _check_place(place: Path, resume: bool) -> None:
    """E530: there is a sweep already, and it is not asked to go on with it; E520: there is something else."""
    from ...numerics.sweep import store

    store.check_folder(place)
    if (place / store.TASK).exists() and not resume:
        remedy = "--resume goes on with it or reads it if it is this sweep; --store OTHER makes a new one"
        raise InvalidValue("E530", f"{place} is there already", remedy)


def _interrupted(file: str, place: Path, stopped: KeyboardInterrupt) -> Reply:
    words = [*getattr(stopped, "__notes__", ()), f"go on with: {typed('--resume')}"]
    return Reply("\n".join(words), {"file": file, "store": str(place), "interrupted": True}, INTERRUPTED)
