"""One picture: bodies as shaded faces from back to front, their shadows, the lines they leave, time and title."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ...show.look import COLOURS, FAINT, INK, STYLES
from .camera import VIEW, Camera
from .cast import Actor
from .ground import LIGHT, draw_floor, draw_shadows, floor, ground

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUND, SMOOTH = 32, 96  # faces around solids; around flat ones, which have few

GROUND, STILL = "#f4f5f7", "#c9ced3"
LETTERS, NAME = 56, 40  # that fit in a line of the title, and beside the time
DIGITS = 6  # of a time, behind the point; or before it


def paint(ax: Axes, actors: Sequence[Actor], j: int, times: np.ndarray, seen: Camera, wide: float, title: str) -> None:
    """The j-th picture into empty axes."""
    ax.clear()
    ax.set_axis_off()
    (x, y), half = seen.middle[j], float(seen.half[j])
    ax.set_xlim(x - half * wide, x + half * wide)
    ax.set_ylim(y - half, y + half)
    plane, below = floor(actors[0], j), ground(actors[0], j)
    if plane is not None:
        draw_floor(ax, plane, seen.middle[j], half)
    _bodies(ax, actors[0], STILL, True, j, 1.0)
    for i, each in enumerate(actors):
        if below is not None:
            moving = [k for k, still in enumerate(each.still) if not still and each.shapes[k] != "floor"]
            draw_shadows(ax, [_corners(each, k, j).reshape(-1, 3) for k in moving], below)
        so_far = int(np.searchsorted(each.moments, times[j], side="right"))
        for line in each.traces:
            ax.plot(*(line[:so_far] @ VIEW[:2].T).T, color=COLOURS[i % 6], ls=STYLES[i % 6], lw=1.5, zorder=3)
    for depth, i in enumerate(_from_behind(actors, j)):
        _bodies(ax, actors[i], COLOURS[i % 6], False, j, 4.0 + depth / len(actors))
    _words(ax, actors, j, times, title)


def _words(ax: Axes, actors: Sequence[Actor], j: int, times: np.ndarray, title: str) -> None:
    from matplotlib.patheffects import withStroke

    def say(x: float, y: float, words: str, size: int, colour: str, bold: bool = False) -> None:
        ax.text(
            x, y, words, transform=ax.transAxes, fontsize=size, color=colour, zorder=9, parse_math=False,
            ha="right" if x > 0.5 else "left", va="top" if y > 0.5 else "bottom",
            fontweight="bold" if bold else "normal", path_effects=[withStroke(linewidth=2.5, foreground=GROUND)],
        )  # fmt: skip

    lines = textwrap.wrap(title, LETTERS, max_lines=2, placeholder=" ...")
    say(0.03, 0.96, "\n".join(lines), 11, INK)
    say(0.03, 0.04, clock(times)[j], 9, FAINT)
    for i, each in enumerate(actors):
        words = textwrap.shorten(each.label, NAME, placeholder=" ...") + (", ended" if j > each.last else "")
        height = 0.04 + 0.065 * (len(actors) - 1 - i)
        say(0.97, height, words, 9, COLOURS[i % 6], bold=True)


def clock(times: np.ndarray) -> list[str]:
    """The times as they are written: with as many digits as the motion is short."""
    long = float(times[-1] - times[0])
    digits = 2 - int(np.floor(np.log10(long)))
    return [f"t = {t:.{max(0, digits)}f} s" if abs(digits) <= DIGITS else f"t = {t:.4g} s" for t in times]


def _corners(each: Actor, k: int, j: int) -> np.ndarray:
    frame = each.frames[j, k]
    return np.asarray(faces(each.shapes[k])[0] * each.sizes[j, k] @ frame[:, :3].T + frame[:, 3])


def _from_behind(actors: Sequence[Actor], j: int) -> list[int]:
    """Whole actors one over the other: the faces of two that almost coincide would show through each other."""
    depth = [
        np.mean([each.frames[j, k, :, 3] @ VIEW[2] for k, still in enumerate(each.still) if not still] or [0.0])
        for each in actors
    ]
    return [int(i) for i in np.argsort(depth, kind="stable")]


def _bodies(ax: Axes, each: Actor, colour: str, still: bool, j: int, zorder: float) -> None:
    """Faces towards the eye, the farthest first."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    quads, tones = [np.empty((0, 4, 3))], [np.empty((0, 3))]
    own, pale = np.array(to_rgb(colour)), 0.3 if still else 0.65  # of the lighter quarters
    for k, shape in enumerate(each.shapes):
        if shape == "floor" or each.still[k] != still:
            continue
        q = _corners(each, k, j)
        n = np.cross(q[:, 2] - q[:, 0], q[:, 3] - q[:, 1])
        n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
        n *= np.where(np.einsum("fi,fi->f", n, q.mean(1) - each.frames[j, k, :, 3]) < 0, -1.0, 1.0)[:, None]
        front = n @ VIEW[2] > 0
        base = np.where(faces(shape)[1][:, None], own + pale * (1 - own), own)
        # tone = base (ambient + sky + light)
        lit = 0.55 + 0.15 * n[:, 2:] + 0.35 * np.maximum(n @ LIGHT, 0.0)[:, None]
        quads.append(q[front])
        tones.append(np.clip(base * lit, 0.0, 1.0)[front])
    q, c = np.concatenate(quads), np.concatenate(tones)
    order = np.argsort(q.mean(1) @ VIEW[2], kind="stable")
    ax.add_collection(
        PolyCollection(list(q[order] @ VIEW[:2].T), facecolors=c[order], edgecolors=c[order], lw=0.4, zorder=zorder)
    )


# --- faces of the shapes ----------------------------------------------------------------------------------------------


@cache
def faces(shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Corners (F, 4, 3), counted so that the normal points outward, and which faces carry the lighter tone (F,)."""
    if shape in ("box", "wall", "blade"):
        return _box()
    if shape in ("disc", "wheel", "table"):
        return _turned(np.array([[0, 1], [1, 1], [1, -1], [0, -1]], float), True, SMOOTH)
    if shape == "rod":
        return _turned(np.array([[0, 1], [1, 1], [1, -1], [0, -1]], float), False)
    if shape == "cone":
        return _turned(np.array([[0, 1], [1, -1], [0, -1]], float), True)
    a = np.linspace(0, np.pi, ROUND // 2 + 1)
    return _turned(np.stack([np.sin(a), np.cos(a)], -1), True)


def _box() -> tuple[np.ndarray, np.ndarray]:
    top = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], float)
    every = [np.roll(top, d, axis=1) for d in range(3)]
    return np.array([*every, *(-q[::-1] for q in every)]), np.zeros(6, bool)


def _turned(profile: np.ndarray, marked: bool, around: int = ROUND) -> tuple[np.ndarray, np.ndarray]:
    """A profile (radius, height), from top to bottom, turned about z; quarters alternate in tone."""
    f = np.linspace(0, 2 * np.pi, around + 1)
    r, z = profile.T
    p = np.stack([np.outer(r, np.cos(f)), np.outer(r, np.sin(f)), np.outer(z, np.ones_like(f))], -1)
    quads = np.stack([p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]], 2).reshape(-1, 4, 3)
    quarter = np.tile(np.arange(around) * 4 // around, len(r) - 1)
    upper = np.repeat(z[:-1] + z[1:] > 0, around) if len(r) > 6 else np.zeros(len(quads), bool)
    return quads, ((quarter + upper) % 2 == 1) & marked
