"""Pictures into a file: GIF and strips by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidValue
from ...errors.remedies import Option
from ...experiment.progress_bar import progress as bar
from ...output_file import Maker, draft
from ...show.figure_style import pyplot
from .picture import GROUND, Actor, camera, paint

if TYPE_CHECKING:
    from PIL.Image import Image

FORMS = (".gif", ".mp4", ".png")
SIZE, DPI = (4.8, 3.6), 100  # inches
STILLS, EDGE = 6, 3  # of a strip; pixels between them
TONES, TRIED = 128, 12  # colours of a GIF; pictures that they are chosen from
FASTEST = 50  # pictures a second of a GIF, which counts in hundredths of a second


def check_form(file: Path) -> None:
    """E307 for an ending that is no film's, E801 for what is missing."""
    ending = file.suffix.lower()
    if ending not in FORMS:
        fact = f"{file}: {f'no film ends in {ending}' if ending else 'the ending says the form, and there is none'}"
        raise InvalidValue("E307", fact, _as_gif(file), f"a film ends in {', '.join(FORMS)}")
    pyplot()
    if ending == ".mp4" and which("ffmpeg") is None:
        raise InvalidValue(
            "E801", "films in MP4 need ffmpeg, which is not found", (_as_gif(file), ", or install ffmpeg")
        )


def _as_gif(file: Path) -> Option:
    return Option("film.file", str(file.with_name(f"{file.stem.lstrip('.') or 'film'}.gif")))


def written(
    actors: Sequence[Actor],
    times: np.ndarray,
    file: Path,
    maker: Maker,
    fps: float,
    follow: bool | None,
    title: str,
    progress: bool,
) -> Path:
    """Draw all pictures and write them, whole or not at all."""
    ending = file.suffix.lower()
    with draft(file, maker, ending[1:]) as beside, bar(len(times), progress, "filming") as tick:
        pictures = _pictures(actors, times, follow, title, tick)
        if ending == ".gif":
            _gif(pictures, beside, fps)
        elif ending == ".png":
            _montage(list(pictures), 3, EDGE).save(beside, "PNG", optimize=True)
        else:
            _mp4(pictures, beside, fps)
    return file


def _pictures(
    actors: Sequence[Actor], times: np.ndarray, follow: bool | None, title: str, tick: Callable[[], None]
) -> Iterator[Image]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    wide = SIZE[0] / SIZE[1]
    figure = Figure(figsize=SIZE, dpi=DPI, facecolor=GROUND)
    canvas = FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    seen = camera(actors, wide, follow)
    for j in range(len(times)):
        paint(ax, actors, j, times, seen, wide, title)
        canvas.draw()
        yield Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
        tick()


def _gif(pictures: Iterator[Image], file: Path, fps: float) -> None:
    """One set of colours for all pictures: then what stands still keeps its colour."""
    from PIL.Image import Dither

    every = list(pictures)
    colours = _montage(every[:: max(1, len(every) // TRIED)], len(every)).quantize(TONES)
    first, *rest = [picture.quantize(palette=colours, dither=Dither.NONE) for picture in every]
    # a picture begins at the hundredth that is closest to its time
    starts = [round(100 * j / fps) for j in range(len(every) + 1)]
    lengths = [10 * (b - a) for a, b in pairwise(starts)]
    first.save(file, "GIF", save_all=True, append_images=rest, duration=lengths, loop=0, optimize=False)


def _montage(pictures: Sequence[Image], across: int, edge: int = 0) -> Image:
    """Pictures side by side, so many in a row."""
    from PIL import Image

    wide, high = pictures[0].size
    columns, rows = min(across, len(pictures)), -(-len(pictures) // across)
    size = (columns * (wide + edge) - edge, rows * (high + edge) - edge)
    whole = Image.new("RGB", size, "white")
    for i, picture in enumerate(pictures):
        whole.paste(picture, (i % across * (wide + edge), i // across * (high + edge)))
    return whole


def _mp4(pictures: Iterator[Image], file: Path, fps: float) -> None:
    import subprocess

    wide, high = (round(inches * DPI) for inches in SIZE)
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{wide}x{high}", "-r", f"{fps:g}", "-i", "-"]
    words = ["ffmpeg", "-y", "-loglevel", "error", *given, "-pix_fmt", "yuv420p", "-f", "mp4", str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # it gave up; its exit status says so
                for picture in pictures:
                    process.stdin.write(picture.tobytes())
                process.stdin.close()
        except BaseException:
            process.kill()  # it would go on, beside a draft that is removed
            raise
        if process.wait():
            raise InvalidValue("E801", "ffmpeg did not write the film", _as_gif(file))
