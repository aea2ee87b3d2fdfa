"""``dalembert run FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import options, process
from ..options import SystemFile
from ..process import INTERRUPTED, OK, RUN, until_interrupted
from ..terminal import TIME, Command, Reply, on_terminal, talk, typed

if TYPE_CHECKING:
    from ...study.study import RunSpec, Study

_OUT = "Folder for the results; by default results/FILE."
_ELSEWHERE = "--out FOLDER stores elsewhere, --force replaces it"


@click.command(
    cls=Command,
    foreign=True,
    writes=True,
    epilog='Examples:\n\n  dalembert run ball.toml\n\n  dalembert run ball.toml Omega="30 rpm" --report ball.html',
)
@click.argument("file", type=SystemFile())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--run", "--name", "names", multiple=True, help="The run of this name; may be given several times.")
@click.option("--principle", default=None, help="Another principle than the file names.")
@click.option("--until", type=TIME, default=None, help="Another time to end at.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=None, help=_OUT)
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Write a page to this file."
)
@options.columns_option
@click.option("--resume", is_flag=True, help="Go on with runs that were interrupted.")
def command(
    file: str,
    changes: tuple[str, ...],
    names: tuple[str, ...],
    principle: str | None,
    until: float | None,
    out: Path | None,
    report: Path | None,
    resume: bool,
) -> Reply:
    """Run a system file, audit every run, store the paths.

    NAME=VALUE replaces a parameter or a start value; the path is stored beside that of the file. Ctrl-C stores what has
    been reached; --resume goes on from there.
    """
    from .. import assignments, gallery, options, results, runs

    study = gallery.load_study(file)
    specs = runs.chosen(study.runs, names, "run", file)
    given = assignments.assignments(changes, study)
    specs = [runs.changed(spec, study, given, principle=principle, until=until) for spec in specs]
    shown = options.asked_columns(study.system.space)
    for spec in specs:
        (runs.start if principle is None else runs.start_under)(study, spec, spec.principle)
        results.check_columns(shown, runs.asked(study, spec, spec.principle), study.definitions)
    places = _places(study, specs, out or results.folder(file), results.apart(*sorted(changes), principle), resume)
    maker = options.maker(remedy=_ELSEWHERE)
    options.ready(*((place, maker) for place in places.values()), *options.drawings(len(specs), None, report))
    begun = {spec.name: runs.interrupted_run(places[spec.name], study, spec) for spec in specs if resume}
    process.tell_derived()
    done: list[tuple[Any, Any, Path]] = []
    with until_interrupted() as told:
        for spec in specs:
            stored = places[spec.name]
            before = begun.get(spec.name)
            if resume and before is None and stored.exists():
                talk(f"{spec.name}: was finished, {stored}")
            path = runs.with_what_was_asked(runs.run(study, spec, told, on_terminal(), before), study, spec)
            path = runs.with_columns(study.of(spec), path, shown)
            results.store(path, stored, maker)
            done.append((spec, path, stored))
            if told():
                break
    return _reply(study, file, done, report)


def _places(study: Study, specs: list[RunSpec], folder: Path, apart: str, resume: bool) -> dict[str, Path]:
    """Where each run is stored; what was asked otherwise lies apart, and does not replace what the file asks.

    What goes on goes on with the path of the file where there is none apart: one that was begun otherwise is refused.
    """
    from ..results import file_names

    names, places = file_names(spec.name for spec in study.runs), dict[str, Path]()
    for spec in specs:
        plain, own = (folder / f"{names[spec.name]}{end}.npz" for end in ("", apart))
        places[spec.name] = plain if resume and plain.exists() and not own.exists() else own
    return places


def _reply(study: Study, file: str, done: list[tuple[Any, Any, Path]], report: Path | None) -> Reply:
    from .. import results, runs

    written: list[Path] = []
    if report is not None:
        from .. import exports

        written = [
            exports.run_page(study, spec, path, options.numbered(report, i)) for i, (spec, path, _) in enumerate(done)
        ]
    texts = [
        results.summary(path, stored, options.asked_columns(study.system.space), study.definitions)
        for _, path, stored in done
    ]
    texts += [f"page         {page}" for page in written]
    interrupted = results.is_interrupted(done[-1][1])
    if interrupted:
        texts.append(f"interrupted; go on with: {typed('--resume')}")
    code = INTERRUPTED if interrupted else OK if all(path.ok for _, path, _ in done) else RUN
    data = {"file": file, "runs": [results.as_data(spec.name, path, stored) for spec, path, stored in done]}
    return Reply(
        "\n\n".join(texts), {**data, "pages": list(map(str, written)), "principles": runs.named_in(study)}, code
    )
