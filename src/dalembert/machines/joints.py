"""The kinds of joints: their coordinates, and how the frame behind them moves against that before."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..model.space import Space
from ..model.space_factors import SE2, SE3, angle, coordinates, rotation
from .frame import MovingFrame, Placement
from .vectors import ZERO, Matrix, Scalar, Vector, expression, times, turn

Values: TypeAlias = Sequence[Scalar]


@dataclass(frozen=True)
class JointKind:
    """A kind of joint; its axis is the z axis of the joint's frame.

    Attributes:
        space: the space of its coordinates, by its name; None if it has none.
        frames: the frame behind it, from that before, its coordinates, its velocities and its pitch, m a turn.
        simple: has it one coordinate, so that another may follow it?
        turns: the axes about which it turns and the coordinates by which, one after the other; "" is a quaternion.
    """

    space: Callable[[str], Space] | None
    frames: Callable[[MovingFrame, Values, Values, Scalar], MovingFrame]
    simple: bool = False
    turns: tuple[tuple[str, int], ...] = ()


def _hinge(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    return MovingFrame(before, Placement(ZERO, turn(2, q[0])), turning=(0.0, 0.0, u[0]))


def _slide(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    return MovingFrame(before, Placement((0.0, 0.0, q[0])), moving=(0.0, 0.0, u[0]))


def _screw(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    # along the axis by the pitch a turn
    lead = times(pitch, 1 / math.tau)
    pose = Placement((0.0, 0.0, times(lead, q[0])), turn(2, q[0]))
    return MovingFrame(before, pose, (0.0, 0.0, u[0]), (0.0, 0.0, times(lead, u[0])))


def _cylinder(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    return MovingFrame(before, Placement((0.0, 0.0, q[1]), turn(2, q[0])), (0.0, 0.0, u[0]), (0.0, 0.0, u[1]))


def _universal(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    # about the x axis of the one side, then about the y axis of the other
    cross = MovingFrame(before, Placement(ZERO, turn(0, q[0])), turning=(u[0], 0.0, 0.0))
    return MovingFrame(cross, Placement(ZERO, turn(1, q[1])), turning=(0.0, u[1], 0.0))


def _planar(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    return MovingFrame(before, Placement((q[0], q[1], 0.0), turn(2, q[2])), (0.0, 0.0, u[2]), (u[0], u[1], 0.0))


def _ball(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    return MovingFrame(before, Placement(ZERO, quaternion_turn(q)), turning=_three(u))


def _free(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    return MovingFrame(
        before, Placement(_three(q[:3]), quaternion_turn(q[3:])), turning=_three(u[3:]), moving=_three(u[:3])
    )


def _fixed(before: MovingFrame, q: Values, u: Values, pitch: Scalar) -> MovingFrame:
    return MovingFrame(before)


def _three(values: Values) -> Vector:
    a, b, c = values
    return a, b, c


def quaternion_turn(q: Values) -> Matrix:
    """The rotation of a unit quaternion, scalar first."""
    w, x, y, z = map(expression, q)  # symbols of a space
    # R = 1 + 2 w hat(v) + 2 hat(v)^2
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def _parts(name: str, letters: str) -> str:
    return " ".join(f"{name}_{letter}" for letter in letters.split())


KINDS: Mapping[str, JointKind] = {
    "hinge": JointKind(angle, _hinge, True, (("z", 0),)),
    "slide": JointKind(coordinates, _slide, True),
    "screw": JointKind(angle, _screw, True, (("z", 0),)),
    "cylinder": JointKind(lambda n: angle(f"{n}_angle") * coordinates(f"{n}_slide"), _cylinder, turns=(("z", 0),)),
    "universal": JointKind(lambda n: angle(f"{n}_1") * angle(f"{n}_2"), _universal, turns=(("x", 0), ("y", 1))),
    "planar": JointKind(lambda n: SE2(_parts(n, "x y theta"), _parts(n, "v1 v2 omega")), _planar, turns=(("z", 2),)),
    "ball": JointKind(lambda n: rotation(n, _parts(n, "w1 w2 w3"), frame="body"), _ball, turns=(("", 0),)),
    "free": JointKind(
        lambda n: SE3(_parts(n, "x y z"), f"{n}_R", _parts(n, "v1 v2 v3 w1 w2 w3")), _free, turns=(("", 3),)
    ),
    "fixed": JointKind(None, _fixed),
}
