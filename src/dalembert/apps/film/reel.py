"""Pictures into a file: GIF and strips by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidValue
from ...output import Maker, draft
from ...show.plan import pyplot
from .cast import Actor
from .picture import GROUND, camera, paint

if TYPE_CHECKING:
    from PIL.Image import Image

FORMS = (".gif", ".mp4", ".png")
SIZE, DPI = (4.8, 3.6), 100  # inches
BETWEEN = 40  # points of a trace between two stills
TONES = 96  # colours of a GIF


def check_form(file: Path) -> None:
    """E307 for an ending that is no film's, E801 for what is missing."""
    ending = file.suffix.lower()
    if ending not in FORMS:
        fact = f"{file}: {f'no film ends in {ending}' if ending else 'the ending says the form, and there is none'}"
        raise InvalidValue("E307", fact, f'"{file.stem or "film"}.gif"', f"a film ends in {', '.join(FORMS)}")
    pyplot()
    if ending == ".mp4" and which("ffmpeg") is None:
        raise InvalidValue(
            "E801", "films in MP4 need ffmpeg, which is not found", f'"{file.stem}.gif", or install ffmpeg'
        )


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
    with draft(file, maker, ending[1:]) as beside, _bar(len(times) if ending != ".png" else 6, progress) as tick:
        every = BETWEEN if ending == ".png" else 1
        pictures = _pictures(actors, times, every, follow, title, tick)
        if ending == ".gif":
            _gif(pictures, beside, fps)
        elif ending == ".png":
            _strip(list(pictures), beside)
        else:
            _mp4(pictures, beside, fps)
    return file


def _pictures(
    actors: Sequence[Actor], times: np.ndarray, every: int, follow: bool | None, title: str, tick: Callable[[], None]
) -> Iterator[Image]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    wide = SIZE[0] / SIZE[1]
    figure = Figure(figsize=SIZE, dpi=DPI, facecolor=GROUND)
    canvas = FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    seen = camera(actors, wide, follow)
    for j in range(0, len(times), every):
        paint(ax, actors, j, float(times[j]), seen, wide, title)
        canvas.draw()
        yield Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
        tick()


def _gif(pictures: Iterator[Image], file: Path, fps: float) -> None:
    from PIL.Image import Dither

    every = [picture.quantize(TONES, dither=Dither.NONE) for picture in pictures]
    first, *rest = every
    first.save(
        file, "GIF", save_all=True, append_images=rest, duration=max(20, round(1000 / fps)), loop=0, optimize=True
    )


def _strip(pictures: Sequence[Image], file: Path) -> None:
    from PIL import Image

    wide, high = pictures[0].size
    whole = Image.new("RGB", (3 * wide, 2 * high))
    for i, picture in enumerate(pictures):
        whole.paste(picture, (i % 3 * wide, i // 3 * high))
    whole.save(file, "PNG", optimize=True)


def _mp4(pictures: Iterator[Image], file: Path, fps: float) -> None:
    import subprocess

    wide, high = (round(inches * DPI) for inches in SIZE)
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{wide}x{high}", "-r", f"{fps:g}", "-i", "-"]
    words = ["ffmpeg", "-y", "-loglevel", "error", *given, "-pix_fmt", "yuv420p", "-f", "mp4", str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for picture in pictures:
            process.stdin.write(picture.tobytes())
        process.stdin.close()
        if process.wait():
            raise InvalidValue("E801", "ffmpeg did not write the film", f'"{file.stem}.gif"')


@contextmanager
def _bar(count: int, wanted: bool) -> Iterator[Callable[[], None]]:
    if not wanted:
        yield lambda: None
        return
    from rich.progress import Progress

    with Progress(transient=True) as bar:
        task = bar.add_task("filming", total=count)
        yield lambda: bar.advance(task)
