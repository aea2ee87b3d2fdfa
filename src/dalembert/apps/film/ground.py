"""What bodies stand on: the plane of the floor or of a table, its lines, and the shadows that fall on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .camera import VIEW
from .cast import Actor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
