"""``dalembert film FILE``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...argument_checks import number
from ...errors import InvalidValue
from ..options import SystemFile
from ..terminal import TIME, Command, Reply, as_typed, on_terminal

if TYPE_CHECKING:
    from ...comparison import Comparison
    from ...study.study import CompareSpec, RunSpec, Study
    from ...trajectory import Trajectory

_LENGTH = "Seconds that the film lasts; by default those of the motion, 3 at least and 10 at most."


@click.command(
    cls=Command, foreign=True, writes=True, epilog="Example: dalembert film ball.toml Omega=3 --out ball.gif"
)
@click.argument("file", type=SystemFile())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--run", "run", default=None, help="The run of this name.")
@click.option("--compare", "comparison", default=None, help="The comparison of this name.")
@click.option("--principle", default=None, help="A run under another principle than the file names.")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The film; by default FILE.gif, here.")
@click.option("--until", type=TIME, default=None, help="Another time to end at.")
@click.option("--fps", type=float, default=20.0, help="Pictures a second; by default 20.")
@click.option("--length", type=float, default=None, help=_LENGTH)
@click.option("--follow/--still", default=None, help="Let the camera go along; by default where the way is long.")
def command(
    file: str,
    changes: tuple[str, ...],
    out: Path | None,
    until: float | None,
    fps: float,
    length: float | None,
    follow: bool | None,
    **named: str | None,
) -> Reply:
    """Film the bodies of a system file: its first comparison, else its first run, or the one that is named.

    FILE is a system file, or the name of a system of the gallery. A film ends in .gif, .mp4 (needs ffmpeg), or .png for
    a strip of stills. NAME=VALUE replaces a parameter or a start value.
    """
    from ...scene import guessed
    from ...study.study import CompareSpec
    from .. import assignments, film, gallery, options, process, runs

    study = gallery.load_study(file, systems=True)
    number(fps, "--fps", "E307", above=0)
    if length is not None:
        number(length, "--length", "E307", above=0)
    with as_typed():
        target = film.place(Path(f"{Path(file).stem}.gif") if out is None else out)
    maker = options.maker("--out", None if Path(file).exists() else file)
    options.ready((target, maker))
    given = assignments.assignments(changes, study)
    process.tell_derived()
    thing: Comparison | Trajectory
    spec = runs.changed(_entry(study, file, **named), study, given, until=until)
    if isinstance(spec, CompareSpec):
        thing = runs.compare(study, spec)
    else:
        principle = named["principle"]
        one = spec if principle is None else replace(spec, principle=principle)
        (runs.start if principle is None else runs.start_under)(study, one, one.principle)
        thing = runs.run(study, one, lambda: False, on_terminal(), None)
    with as_typed():
        film.made(thing, target, maker, study.system, fps, length, follow, progress=on_terminal())
    notes = guessed(study.system)
    return Reply("\n".join([*notes, f"written {target}"]), {"file": file, "out": str(target), "notes": list(notes)})


def _entry(
    study: Study, file: str, run: str | None, comparison: str | None, principle: str | None
) -> RunSpec | CompareSpec:
    """The entry that is filmed: of a comparison each principle is.

    Raises:
        InvalidValue: E307, both are named, or the file has neither.
        UnknownName: E307, a name that none bears.
    """
    from .. import runs

    as_run = run is not None or principle is not None
    if comparison is not None and as_run:
        raise InvalidValue("E307", "a film is of a comparison or of a run", "--compare alone, or --run and --principle")
    if not study.compares and not study.runs:
        raise InvalidValue("E307", f"{file} has neither [[compare]] nor [[run]] to film", "add one to the file")
    found: RunSpec | CompareSpec
    if comparison is not None or (study.compares and not as_run):
        found = runs.chosen(study.compares, [comparison] if comparison else [], "compare", file)[0]
    else:
        found = runs.chosen(study.runs, [run] if run else [], "run", file)[0]
    return found
