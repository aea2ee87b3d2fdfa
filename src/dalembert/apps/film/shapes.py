"""Faces of the shapes, each of four corners, of half sizes 1 along the body's axes."""

from __future__ import annotations

from functools import cache

import numpy as np

ROUND, SMOOTH = 32, 96  # faces around solids; around flat ones, which have few


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
