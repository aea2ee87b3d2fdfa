"""Who plays: the bodies of one path at the times of the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...calculus.graph import Graph, Node, evaluate
from ...errors import InvalidValue
from ...errors.remedies import Code, Option
from ...model.system import System
from ...scene import bodies_of, poses
from ...trajectory import Trajectory

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
