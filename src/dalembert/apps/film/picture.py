"""One picture of a film: the bodies, where they are seen from, the ground with their shadows, time and title."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...calculus.graph import Graph, Node, evaluate
from ...errors import InvalidValue
from ...errors.remedies import Code, Option
from ...model.system import System
from ...scene import bodies_of, poses
from ...show.figure_style import COLOURS, FAINT, INK, STYLES
from ...trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# --- the bodies ------------------------------------------------------------------------------------------------------

POINTS, EACH, MOST = 1000, 4, 20_000  # of a line: at least, for each step of the run, at most
_BODY = Code('[da.Body("ball", radius=1, at=...)]')


@dataclass(frozen=True)
class Actor:
    """The bodies of one path.

    Attributes:
        label: the principle.
        names, shapes, still: of each body (B); rectangular tables are boxes.
        frames: (T, B, 3, 4). sizes: (T, B, 3), half the sizes along the body's axes.
        traces: the lines that bodies leave behind, each (S, 3).
        moments: (S,), the times of their points, closer together than pictures are.
        last: the number of the picture from which on it stands still.
    """

    label: str
    names: tuple[str, ...]
    shapes: tuple[str, ...]
    still: tuple[bool, ...]
    frames: np.ndarray
    sizes: np.ndarray
    traces: tuple[np.ndarray, ...]
    moments: np.ndarray
    last: int


def actor(label: str, path: Trajectory, system: System, times: np.ndarray) -> Actor:
    """The bodies of a path; after its end it stands where it ended.

    Raises:
        InvalidValue: E307, the system has no bodies, or they cannot be placed.
    """
    graph = Graph()
    found = poses(system, graph)
    if all(pose.shape == "floor" for pose in found):
        such = f', such as: shape = "ball", radius = 0.1, at = ["{system.space.coordinates[0].name}", 0, 0]'
        raise InvalidValue("E307", "the system has no bodies to film", ("give it ", Option("bodies", _BODY), such))
    nodes = [node for pose in found for node in (*pose.frame, *pose.size)]
    numbers = _along(path, system, times, nodes).reshape(len(times), len(found), 15)
    moments = _moments(path, times)
    traced = [node for pose in found if pose.trace for node in pose.trace]
    lines = _along(path, system, moments, traced).reshape(len(moments), -1, 3)
    given = {body.name: body for body in bodies_of(system)}
    shapes = tuple(
        "box" if pose.shape == "table" and given[pose.name].size is not None else pose.shape for pose in found
    )
    return Actor(
        label, tuple(p.name for p in found), shapes, tuple(p.both for p in found),
        numbers[..., :12].reshape(len(times), len(found), 3, 4), numbers[..., 12:],
        tuple(lines[:, i] for i in range(lines.shape[1])), moments, int(np.searchsorted(times, path.t[-1])),
    )  # fmt: skip


def _moments(path: Trajectory, times: np.ndarray) -> np.ndarray:
    """The times of the pictures, and between them so many that a line shows every swing of the motion."""
    count = min(max(POINTS, EACH * len(path)), MOST)
    return np.unique(np.concatenate([times, np.linspace(times[0], times[-1], count)]))


def _along(path: Trajectory, system: System, times: np.ndarray, nodes: Sequence[Node]) -> np.ndarray:
    """Expressions along a path (T, N); after its end they stay."""
    t = np.clip(times, path.t[0], path.t[-1])
    parameters = {k: v for k, v in system.parameters.items() if v is not None} | dict(path.provenance["parameters"])
    values = {**parameters, **path.at(t), "t": t}
    numbers = np.array([np.broadcast_to(v, t.shape) for v in evaluate(nodes, values)], float).reshape(-1, len(t)).T
    if not np.isfinite(numbers).all():
        raise InvalidValue(
            "E307",
            "a body has no finite place on this path",
            ("film an earlier part: ", Option("film.until", of="simulate")),
        )
    return numbers


# --- the camera ------------------------------------------------------------------------------------------------------

TURN, TILT = np.radians(-60.0), np.radians(30.0)
ROOM = 1.18  # around what has to be seen
FAR, NEAR = 9.0, 3.5  # the whole over the bodies from which the camera follows; then its window over the bodies
CHANGING = 0.12  # of the film, over which a window changes


def _view() -> np.ndarray:
    """Rows: to the right, up, and towards the eye."""
    toward = np.array([np.cos(TILT) * np.cos(TURN), np.cos(TILT) * np.sin(TURN), np.sin(TILT)])
    right = np.array([-np.sin(TURN), np.cos(TURN), 0.0])
    return np.stack([right, np.cross(toward, right), toward])


VIEW = _view()


@dataclass(frozen=True)
class Camera:
    """The middle (T, 2) and half the height (T,) of each picture."""

    middle: np.ndarray
    half: np.ndarray


def camera(actors: Sequence[Actor], wide: float, follow: bool | None) -> Camera:
    """One that sees all of the motion at rest, or goes along with the bodies and steps back as they part."""
    boxes = [box for each in actors for still in (True, False) if (box := _seen_box(each, still))]
    lines = [line @ VIEW[:2].T for each in actors for line in each.traces]
    lowest = np.min([*(low.min(0) for low, _ in boxes), *(line.min(0) for line in lines)], axis=0)
    highest = np.max([*(high.max(0) for _, high in boxes), *(line.max(0) for line in lines)], axis=0)
    rest = Camera(
        np.tile((lowest + highest) / 2, (len(boxes[0][0]), 1)),
        np.full(len(boxes[0][0]), float(_half((highest - lowest) / 2, wide)) * ROOM or 1.0),
    )
    moving = [box for each in actors if (box := _seen_box(each, still=False))]
    if not moving or follow is False:
        return rest
    body = max(float(np.median(_half((high - low) / 2, wide))) for low, high in moving)
    table = max((float(np.median(_half((high - low) / 2, wide))) for low, high in _still(actors)), default=0.0)
    near = max(NEAR * body, table)
    if follow is None and rest.half[0] <= FAR / NEAR * near:
        return rest
    low, high = np.min([b[0] for b in moving], axis=0), np.max([b[1] for b in moving], axis=0)
    return Camera((low + high) / 2, _calm(np.maximum(near, ROOM * _half((high - low) / 2, wide))))


def _still(actors: Sequence[Actor]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [box for each in actors[:1] if (box := _seen_box(each, still=True))]


def _half(sizes: np.ndarray, wide: float) -> np.ndarray:
    """Half the height of a picture that holds these half sizes (..., 2)."""
    return np.asarray(np.maximum(sizes[..., 0] / wide, sizes[..., 1]))


def _seen_box(each: Actor, still: bool) -> tuple[np.ndarray, np.ndarray] | None:
    """Lowest and highest (T, 2) on the screen of the bodies of an actor that move, or of those that stand still."""
    reach = np.linalg.norm(each.frames[..., :3] * each.sizes[..., None, :], axis=-1)  # along each axis of space
    shown = [k for k, shape in enumerate(each.shapes) if shape != "floor" and each.still[k] is still]
    if not shown:
        return None
    at, around = each.frames[:, shown][..., 3] @ VIEW[:2].T, reach[:, shown] @ np.abs(VIEW[:2]).T
    return (at - around).min(1), (at + around).max(1)


def _calm(half: np.ndarray) -> np.ndarray:
    """Windows that change without jerks, and none of them smaller than it has to be."""
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    size = 2 * int(CHANGING * len(half) / 2) + 1
    # a mean over what are maxima over as much holds each of the values
    return np.asarray(uniform_filter1d(maximum_filter1d(half, size, mode="nearest"), size, mode="nearest"))


# --- the ground ------------------------------------------------------------------------------------------------------

LINE, SHADE = "#cfd4d8", "#00000026"
LIGHT = np.array([0.3, -0.4, 0.87]) / np.linalg.norm([0.3, -0.4, 0.87])
EDGE_ON = 1e-3  # of a plane that is seen as a line
CELLS = 12  # to each side


class Plane(NamedTuple):
    """A point, and as columns two directions in the plane and its normal, which points up."""

    at: np.ndarray
    axes: np.ndarray


def floor(each: Actor, j: int) -> Plane | None:
    """The floor in one picture, if there is one."""
    k = next((k for k, shape in enumerate(each.shapes) if shape == "floor"), None)
    return None if k is None else Plane(each.frames[j, k, :, 3], each.frames[j, k, :, :3])


def ground(each: Actor, j: int) -> Plane | None:
    """Where shadows fall: on the highest table that stands still, else on the floor."""
    tops = [
        Plane(frame[:, 3] + each.sizes[j, k, 2] * frame[:, 2], frame[:, :3])
        for k, (shape, frame) in enumerate(zip(each.shapes, each.frames[j], strict=True))
        if each.still[k] and shape in ("table", "box") and frame[2, 2] > 0.7
    ]
    return max(tops, key=lambda plane: plane.at[2], default=floor(each, j))


def draw_floor(ax: Axes, plane: Plane, middle: np.ndarray, half: float) -> None:
    """Lines at round distances, around the middle of the picture."""
    from matplotlib.collections import LineCollection

    cell = 10.0 ** np.floor(np.log10(half))
    cell *= 1.0 if half < 3 * cell else 2.0 if half < 6 * cell else 5.0
    down = VIEW[:2] @ plane.axes[:, :2]
    if abs(np.linalg.det(down)) < EDGE_ON:
        return
    here = np.round(np.linalg.solve(down, middle - VIEW[:2] @ plane.at) / cell) * cell
    lines, end = np.arange(-CELLS, CELLS + 1) * cell, CELLS * cell
    across = [[[a, -end], [a, end]] for a in lines] + [[[-end, a], [end, a]] for a in lines]
    shown = (np.array(across) + here) @ down.T + VIEW[:2] @ plane.at
    ax.add_collection(LineCollection(list(shown), colors=LINE, lw=0.7, zorder=0.5))


def shadow(points: np.ndarray, plane: Plane) -> np.ndarray:
    """Points (N, 3) along the light onto the plane, on the screen."""
    normal = plane.axes[:, 2]
    height = (points - plane.at) @ normal
    return np.asarray((points - np.outer(height / (LIGHT @ normal), LIGHT)) @ VIEW[:2].T)


def draw_shadows(ax: Axes, bodies: list[np.ndarray], plane: Plane) -> None:
    """The outlines of bodies, each given by its corners, on the plane."""
    from matplotlib.collections import PolyCollection
    from scipy.spatial import ConvexHull, QhullError

    dark = []
    for points in bodies if LIGHT @ plane.axes[:, 2] > EDGE_ON else []:
        flat = shadow(points, plane)
        try:
            dark.append(flat[ConvexHull(flat).vertices])
        except (QhullError, ValueError):  # no area
            continue
    ax.add_collection(PolyCollection(dark, facecolors=SHADE, lw=0, zorder=2.5))


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
        top = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], float)
        every = [np.roll(top, d, axis=1) for d in range(3)]
        return np.array([*every, *(-q[::-1] for q in every)]), np.zeros(6, bool)
    if shape in ("disc", "wheel", "table"):
        return _turned(np.array([[0, 1], [1, 1], [1, -1], [0, -1]], float), True, SMOOTH)
    if shape == "rod":
        return _turned(np.array([[0, 1], [1, 1], [1, -1], [0, -1]], float), False)
    if shape == "cone":
        return _turned(np.array([[0, 1], [1, -1], [0, -1]], float), True)
    a = np.linspace(0, np.pi, ROUND // 2 + 1)
    return _turned(np.stack([np.sin(a), np.cos(a)], -1), True)


def _turned(profile: np.ndarray, marked: bool, around: int = ROUND) -> tuple[np.ndarray, np.ndarray]:
    """A profile (radius, height), from top to bottom, turned about z; quarters alternate in tone."""
    f = np.linspace(0, 2 * np.pi, around + 1)
    r, z = profile.T
    p = np.stack([np.outer(r, np.cos(f)), np.outer(r, np.sin(f)), np.outer(z, np.ones_like(f))], -1)
    quads = np.stack([p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]], 2).reshape(-1, 4, 3)
    quarter = np.tile(np.arange(around) * 4 // around, len(r) - 1)
    upper = np.repeat(z[:-1] + z[1:] > 0, around) if len(r) > 6 else np.zeros(len(quads), bool)
    return quads, ((quarter + upper) % 2 == 1) & marked
