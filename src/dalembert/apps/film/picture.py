"""One picture: bodies as shaded faces from back to front, their shadows, the lines they leave, time and title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...show.look import COLOURS, FAINT, INK, STYLES
from .cast import Actor
from .shapes import faces

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUND, STILL, LINE = "#f4f5f7", "#d9dcdf", "#cfd4d8"
LIGHT = np.array([0.3, -0.4, 0.87]) / np.linalg.norm([0.3, -0.4, 0.87])
TURN, TILT = np.radians(-60.0), np.radians(30.0)
ROOM, FAR, NEAR = 1.18, 26.0, 9.0  # around all; way over body from which the camera follows; its window in bodies


def _view() -> np.ndarray:
    """Rows: to the right, up, and towards the eye."""
    toward = np.array([np.cos(TILT) * np.cos(TURN), np.cos(TILT) * np.sin(TURN), np.sin(TILT)])
    right = np.array([-np.sin(TURN), np.cos(TURN), 0.0])
    return np.stack([right, np.cross(toward, right), toward])


VIEW = _view()


@dataclass(frozen=True)
class Camera:
    """The middle (T, 2) of each picture and half its height."""

    middle: np.ndarray
    half: float


def camera(actors: Sequence[Actor], wide: float, follow: bool | None) -> Camera:
    """One that sees all of the motion, or goes along."""
    low, high = [], []
    for each in actors:
        reach = np.linalg.norm(each.frames[..., :3] * each.sizes[..., None, :], axis=-1)  # along each axis of space
        for k, shape in enumerate(each.shapes):
            if shape != "floor":
                at, around = each.frames[:, k, :, 3] @ VIEW[:2].T, reach[:, k] @ np.abs(VIEW[:2]).T
                low.append(at - around)
                high.append(at + around)
        low += [line @ VIEW[:2].T for line in each.traces]
        high += [line @ VIEW[:2].T for line in each.traces]
    lowest, highest = np.min(low, axis=(0, 1)), np.max(high, axis=(0, 1))
    size = highest - lowest
    whole = max(size[0] / wide, size[1]) / 2 * ROOM or 1.0
    moving = [a.sizes[:, k].max() for a in actors for k, still in enumerate(a.still) if not still]
    body = max(moving, default=whole)
    if not (whole > FAR * body if follow is None else follow):
        return Camera(np.tile((lowest + highest) / 2, (len(low[0]), 1)), whole)
    ways = [a.frames[:, k, :, 3] for a in actors for k, still in enumerate(a.still) if not still]
    apart = max(np.ptp([way @ VIEW[:2].T for way in ways], axis=0).max(initial=0.0), body)
    return Camera(np.mean(ways, axis=0) @ VIEW[:2].T, min(whole, max(NEAR * body, ROOM * apart)))


def paint(ax: Axes, actors: Sequence[Actor], j: int, t: float, seen: Camera, wide: float, title: str) -> None:
    """The j-th picture into empty axes."""
    ax.clear()
    ax.set_axis_off()
    x, y = seen.middle[j]
    ax.set_xlim(x - seen.half * wide, x + seen.half * wide)
    ax.set_ylim(y - seen.half, y + seen.half)
    ground = _ground(actors[0], j)
    if "floor" in actors[0].shapes:
        _floor(ax, seen, j)
    for i, each in enumerate(actors):
        if i == 0:
            _bodies(ax, [(each, STILL, True)], j, 1.0)
        if ground is not None:
            _shadows(ax, each, j, ground)
        for line in each.traces:
            ax.plot(*(line[: j + 1] @ VIEW[:2].T).T, color=COLOURS[i % 6], ls=STYLES[i % 6], lw=1.8, zorder=3)
    _bodies(ax, [(each, COLOURS[i % 6], False) for i, each in enumerate(actors)], j, 4.0)
    _words(ax, actors, j, t, title)


def _words(ax: Axes, actors: Sequence[Actor], j: int, t: float, title: str) -> None:
    place = ax.transAxes
    ax.text(0.03, 0.96, title, transform=place, fontsize=11, color=INK, va="top", zorder=9)
    ax.text(0.03, 0.04, f"t = {t:.2f} s", transform=place, fontsize=9, color=FAINT, va="bottom", zorder=9)
    for i, each in enumerate(actors):
        ended = ", ended" if j > each.last else ""
        words, height = f"{each.label}{ended}", 0.04 + 0.065 * (len(actors) - 1 - i)
        ax.text(
            0.97, height, words, transform=place, fontsize=9, color=COLOURS[i % 6], ha="right", va="bottom", zorder=9,
            fontweight="bold",
        )  # fmt: skip


def _corners(each: Actor, k: int, j: int) -> np.ndarray:
    frame = each.frames[j, k]
    return np.asarray(faces(each.shapes[k])[0] * each.sizes[j, k] @ frame[:, :3].T + frame[:, 3])


def _bodies(ax: Axes, cast: Sequence[tuple[Actor, str, bool]], j: int, zorder: float) -> None:
    """Faces towards the eye, the farthest first."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    quads, tones = [np.empty((0, 4, 3))], [np.empty((0, 3))]
    for each, colour, still in cast:
        for k, shape in enumerate(each.shapes):
            if shape == "floor" or each.still[k] != still:
                continue
            q = _corners(each, k, j)
            n = np.cross(q[:, 2] - q[:, 0], q[:, 3] - q[:, 1])
            n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
            n *= np.where(np.einsum("fi,fi->f", n, q.mean(1) - each.frames[j, k, :, 3]) < 0, -1.0, 1.0)[:, None]
            front = n @ VIEW[2] > 0
            base = np.where(faces(shape)[1][:, None], 0.35 * np.array(to_rgb(colour)) + 0.65, np.array(to_rgb(colour)))
            # tone = base (ambient + sky + light)
            lit = 0.55 + 0.15 * n[:, 2:] + 0.35 * np.maximum(n @ LIGHT, 0.0)[:, None]
            quads.append(q[front])
            tones.append(np.clip(base * lit, 0.0, 1.0)[front])
    q, c = np.concatenate(quads), np.concatenate(tones)
    order = np.argsort(q.mean(1) @ VIEW[2], kind="stable")
    ax.add_collection(
        PolyCollection(list(q[order] @ VIEW[:2].T), facecolors=c[order], edgecolors=c[order], lw=0.4, zorder=zorder)
    )


def _ground(each: Actor, j: int) -> float | None:
    """The height on which shadows fall: a table's top, else the floor."""
    tops = [
        float(each.frames[j, k, 2, 3] + each.sizes[j, k, 2])
        for k, shape in enumerate(each.shapes)
        if each.still[k] and shape in ("table", "box") and abs(each.frames[j, k, 2, 2]) > 0.999
    ]
    floors = [float(each.frames[j, k, 2, 3]) for k, shape in enumerate(each.shapes) if shape == "floor"]
    return max(tops + floors, default=None)


def _shadows(ax: Axes, each: Actor, j: int, ground: float) -> None:
    from matplotlib.collections import PolyCollection
    from scipy.spatial import ConvexHull, QhullError

    dark = []
    for k, still in enumerate(each.still):
        if still or each.shapes[k] == "floor":
            continue
        p = _corners(each, k, j).reshape(-1, 3)
        flat = (p - LIGHT / LIGHT[2] * (p[:, 2:] - ground)) @ VIEW[:2].T
        try:
            dark.append(flat[ConvexHull(flat).vertices])
        except (QhullError, ValueError):  # no area
            continue
    ax.add_collection(PolyCollection(dark, facecolors="#00000026", lw=0, zorder=2.5))


def _floor(ax: Axes, seen: Camera, j: int) -> None:
    """Lines of a floor at a round distance."""
    from matplotlib.collections import LineCollection

    cell = 10.0 ** np.floor(np.log10(seen.half))
    cell *= 1.0 if seen.half < 3 * cell else 2.0 if seen.half < 6 * cell else 5.0
    down = VIEW[:2, :2]
    middle = np.round(np.linalg.solve(down, seen.middle[j]) / cell) * cell
    n = 12
    lines = np.arange(-n, n + 1) * cell
    across = [[[a, -n * cell], [a, n * cell]] for a in lines] + [[[-n * cell, a], [n * cell, a]] for a in lines]
    ax.add_collection(LineCollection(list((np.array(across) + middle) @ down.T), colors=LINE, lw=0.7, zorder=0.5))
