"""Where a film is seen from: the direction, the middle of each picture and how much of the plane it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .cast import Actor

TURN, TILT = np.radians(-60.0), np.radians(30.0)
ROOM = 1.18  # around what has to be seen
FAR, NEAR = 9.0, 3.5  # the whole over the bodies from which the camera follows; then its window over the bodies
SMOOTH = 0.12  # of the film, over which a window changes


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
    boxes = [box for each in actors for still in (True, False) if (box := _box(each, still))]
    lines = [line @ VIEW[:2].T for each in actors for line in each.traces]
    lowest = np.min([*(low.min(0) for low, _ in boxes), *(line.min(0) for line in lines)], axis=0)
    highest = np.max([*(high.max(0) for _, high in boxes), *(line.max(0) for line in lines)], axis=0)
    rest = Camera(
        np.tile((lowest + highest) / 2, (len(boxes[0][0]), 1)),
        np.full(len(boxes[0][0]), float(_half((highest - lowest) / 2, wide)) * ROOM or 1.0),
    )
    moving = [box for each in actors if (box := _box(each, still=False))]
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
    return [box for each in actors[:1] if (box := _box(each, still=True))]


def _half(sizes: np.ndarray, wide: float) -> np.ndarray:
    """Half the height of a picture that holds these half sizes (..., 2)."""
    return np.asarray(np.maximum(sizes[..., 0] / wide, sizes[..., 1]))


def _box(each: Actor, still: bool) -> tuple[np.ndarray, np.ndarray] | None:
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

    size = 2 * int(SMOOTH * len(half) / 2) + 1
    # a mean over what are maxima over as much holds each of the values
    return np.asarray(uniform_filter1d(maximum_filter1d(half, size, mode="nearest"), size, mode="nearest"))
