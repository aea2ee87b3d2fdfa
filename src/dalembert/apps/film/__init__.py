"""film: a motion as a moving picture of its bodies, without a browser.

`cast` puts the bodies of each path at the times of the pictures, `shapes` are their faces, `camera` chooses what is
seen, `ground` has floor and shadows, `picture` draws one picture. `video_file` writes them as GIF, as MP4 where ffmpeg
is installed, or as a strip of stills.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...argument_checks import number, public, switch
from ...comparison import Comparison
from ...errors import InvalidValue, WrongType, as_given
from ...errors.remedies import Option, Words
from ...model.system import System
from ...output_file import Maker, as_path, free
from ...trajectory import Trajectory
from .picture import actor
from .video_file import FASTEST, FORMS, STILLS, check_form, written

__all__ = ["FORMS", "film", "place"]

MOST = 2000  # pictures
SECONDS = (3.0, 10.0)  # a film lasts as long as the motion, within these


@public
def film(
    thing: Trajectory | Comparison,
    file: str | Path,
    *,
    system: System | None = None,
    fps: float = 20,
    seconds: float | None = None,
    follow: bool | None = None,
    progress: bool = False,
) -> Path:
    """Film the bodies of a path, or of each principle of a comparison; return the file.

    Args:
        thing: what `da.simulate` or `da.compare` returned.
        file: ``.gif``, ``.mp4`` (needs ffmpeg) or ``.png``, a strip of six stills. A film that `film` made of the same
            is replaced, another file never.
        system: whose bodies they are, for a path that was read from a file.
        fps: pictures a second; of a GIF at most 50.
        seconds: how long the film lasts; by default as long as the motion, but 3 s at least and 10 s at most.
        follow: does the camera go along? By default where the way is long beside the bodies.
        progress: a progress bar on a terminal.

    Raises:
        WrongType: E307, neither a path nor a comparison.
        InvalidValue: E307, an ending that is no film's, no bodies, no motion, or too many pictures; E801, Matplotlib,
            Pillow or ffmpeg is missing; E501, E530 for the file.
    """
    maker = Maker("film", _title(thing), remedy="give another name, or remove that file")
    free(place(file), maker)
    return made(thing, place(file), maker, system, fps, seconds, follow, progress)


def made(
    thing: Trajectory | Comparison,
    file: Path,
    maker: Maker,
    system: System | None = None,
    fps: float = 20,
    seconds: float | None = None,
    follow: bool | None = None,
    progress: bool = False,
) -> Path:
    """A film, written by a maker; as `film`."""
    rate = number(fps, "fps", "E307", above=0)
    long = None if seconds is None else number(seconds, "seconds", "E307", above=0)
    along = None if follow is None else switch(follow, "follow")
    if isinstance(thing, Trajectory):
        paths = {str(thing.provenance.get("principle") or "path"): thing}
    else:
        paths = dict(zip(thing.principles, thing.paths, strict=True))
    times = _times(list(paths.values()), file, rate, long)
    actors = [actor(name, path, _system(path, system), times) for name, path in paths.items()]
    return written(actors, times, file, maker, rate, along, _title(thing), switch(progress, "progress"))


def place(file: object) -> Path:
    """The name of a film (E501, E307 if its ending is none of a film, E801 what is missing to make it)."""
    path = as_path(file, "film.gif")
    check_form(path)
    return path


def _title(thing: object) -> str:
    if isinstance(thing, Comparison):
        return thing.title
    if isinstance(thing, Trajectory):
        return str(thing.provenance.get("title") or "")
    raise WrongType("E307", f"there is no film of {as_given(thing)}", "give what da.simulate or da.compare returned")


def _system(path: Trajectory, given: System | None) -> System:
    found = given if given is not None else path.system
    if isinstance(found, System):
        return found
    if found is None:
        raise InvalidValue("E307", "a path that was read from a file does not know its bodies", "system=...")
    raise WrongType("E307", f"system = {as_given(found)} is no System", "da.System(...)")


def _times(paths: Sequence[Trajectory], file: Path, fps: float, seconds: float | None) -> np.ndarray:
    """The times of the pictures."""
    moved = [path for path in paths if len(path) and path.t[-1] > path.t[0]]
    if not moved:
        raise InvalidValue(
            "E307",
            "nothing moves: the path has no two samples",
            ("give a path with a later end: ", Option("film.until", of="simulate")),
        )
    first, last = min(float(p.t[0]) for p in moved), max(float(p.t[-1]) for p in moved)
    long = float(np.clip(last - first, *SECONDS)) if seconds is None else seconds
    if file.suffix.lower() == ".png":
        return np.linspace(first, last, STILLS)
    count = long * fps
    if count > MOST:
        fact = f"{long:g} s at {fps:g} pictures a second are {count:.3g} pictures, and a film has at most {MOST}"
        raise InvalidValue("E307", fact, _fewer(long, fps))
    if file.suffix.lower() == ".gif" and fps > FASTEST:
        raise InvalidValue(
            "E307", f"a GIF has at most {FASTEST} pictures a second, not {fps:g}", Option("film.fps", FASTEST)
        )
    return np.linspace(first, last, max(2, math.ceil(count)))


def _fewer(seconds: float, fps: float) -> Words:
    """What one of the two may be beside the other, where that is a whole number."""
    most = {"seconds": MOST // fps, "fps": MOST // seconds}
    found = [Option(f"film.{name}", int(value)) for name, value in most.items() if value]
    return (found[0], *(part for each in found[1:] for part in (" or ", each))) if found else Option("film.fps", 1)
