"""``dalembert film FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InvalidValue
from ..completing import SystemFile
from ..terminal import Command, Reply, on_terminal
from ..usage import TIME

if TYPE_CHECKING:
    from ...comparison import Comparison
    from ...trajectory import Trajectory


@click.command(
    cls=Command, foreign=True, writes=True, epilog="Example: dalembert film ball.toml Omega=3 --out ball.gif"
)
@click.argument("file", type=SystemFile())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The film; by default FILE.gif, here.")
@click.option("--until", type=TIME, default=None, help="Another time to end at.")
@click.option("--fps", type=float, default=20.0, help="Pictures a second; by default 20.")
@click.option("--length", type=float, default=None, help="Seconds of the film; by default those of the motion.")
@click.option("--follow/--still", default=None, help="Let the camera go along; by default where the way is long.")
def command(
    file: str,
    changes: tuple[str, ...],
    out: Path | None,
    until: float | None,
    fps: float,
    length: float | None,
    follow: bool | None,
) -> Reply:
    """Film the bodies of a system file: its first comparison, else its first run.

    FILE is a system file, or the name of a system of the gallery. A film ends in .gif, .mp4 (needs ffmpeg), or .png for
    a strip of stills. NAME=VALUE replaces a parameter or a start value.
    """
    from .. import assigning, confined, film, outputs, perform, shelf

    study = shelf.opened(file)
    target = film.place(Path(f"{Path(file).stem}.gif") if out is None else out)
    maker = outputs.maker("--out", None if Path(file).exists() else file)
    outputs.ready((target, maker))
    given = assigning.assignments(changes, study)
    confined.derived()
    thing: Comparison | Trajectory
    if study.compares:
        spec = perform.changed(study.compares[0], study, given, until=until)
        thing = perform.compare(study, spec)
    elif study.runs:
        one = perform.changed(study.runs[0], study, given, until=until)
        thing = perform.run(study, one, lambda: False, on_terminal(), None)
    else:
        raise InvalidValue("E307", f"{file} has neither [[compare]] nor [[run]] to film", "add one to the file")
    film.made(thing, target, maker, study.system, fps, length, follow, progress=on_terminal())
    return Reply(f"written {target}", {"file": file, "out": str(target)})
