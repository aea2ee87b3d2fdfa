"""The rows of loops, wheels and blades, each with the forces that its multiplier stands for."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from .frame import MovingFrame
from .vectors import UNIT, ZERO, Scalar, Vector, added, applied, cross, dot, scaled, times, total


@dataclass(frozen=True)
class Load:
    """A force at a point and a moment on what is fixed in a frame, in its axes."""

    frame: MovingFrame
    at: Vector = ZERO
    force: Vector = ZERO
    moment: Vector = ZERO

    def on(self, frames: Container[MovingFrame]) -> Load:
        """The same on the first of these frames to which its own is fixed."""
        if self.frame in frames or self.frame.carrier is None:
            return self
        pose = self.frame.pose
        force, moment = applied(pose.turn, self.force), applied(pose.turn, self.moment)
        return Load(self.frame.carrier, pose.outside(self.at), force, moment).on(frames)


@dataclass(frozen=True)
class ConstraintRow:
    """phi = 0, with the loads that do the work lam phi' for a multiplier lam = 1."""

    phi: Scalar
    loads: tuple[Load, ...]


@dataclass(frozen=True)
class FixedPoint:
    """A point and a triad of axes fixed in a frame."""

    frame: MovingFrame
    at: Vector
    axes: tuple[Vector, Vector, Vector] = UNIT  # the three axes, in those of the frame

    def load(self, force: Vector, moment: Vector = ZERO) -> Load:
        """In axes of space."""
        inside = [
            dot((self.frame.axis(0)[k], self.frame.axis(1)[k], self.frame.axis(2)[k]), force) for k in range(3)
        ]  # fmt: skip
        turning = [
            dot((self.frame.axis(0)[k], self.frame.axis(1)[k], self.frame.axis(2)[k]), moment) for k in range(3)
        ]  # fmt: skip
        return Load(self.frame, self.at, (inside[0], inside[1], inside[2]), (turning[0], turning[1], turning[2]))


def coincidence(first: FixedPoint, second: FixedPoint) -> Iterator[ConstraintRow]:
    """Both points are one: x_1 - x_2 = 0, in axes of space."""
    for i in range(3):
        phi = total((first.frame.coordinate(i, first.at), times(-1.0, second.frame.coordinate(i, second.at))))
        yield ConstraintRow(phi, (first.load(UNIT[i]), second.load(scaled(-1.0, UNIT[i]))))


def crossing(first: FixedPoint, second: FixedPoint, i: int, j: int) -> ConstraintRow:
    """An axis of the first is at right angles to one of the second: p . q = 0."""
    p, q = first.frame.in_space(first.axes[i]), second.frame.in_space(second.axes[j])
    # d/dt p . q = (w_1 - w_2) . (p x q)
    moment = cross(p, q)
    return ConstraintRow(dot(p, q), (first.load(ZERO, moment), second.load(ZERO, scaled(-1.0, moment))))


def along(first: FixedPoint, second: FixedPoint, i: int) -> ConstraintRow:
    """The second point lies in the plane through the first across its axis i: (x_2 - x_1) . p = 0."""
    between = _between(first, second)
    p = first.frame.in_space(first.axes[i])
    # d/dt = (v_2 - v_1) . p + d . (w_1 x p) ,  v_1 of the point of the first frame that is at x_2
    phi = dot(between, p)
    return ConstraintRow(phi, (second.load(p), first.load(scaled(-1.0, p), cross(p, between))))


def distance(first: FixedPoint, second: FixedPoint, length: Scalar) -> ConstraintRow:
    """|x_2 - x_1|^2/2 = l^2/2"""
    between = _between(first, second)
    phi = total((times(0.5, dot(between, between)), times(-0.5, length, length)))
    return ConstraintRow(phi, (second.load(between), first.load(scaled(-1.0, between))))


def _between(first: FixedPoint, second: FixedPoint) -> Vector:
    return added(second.frame.position(second.at), scaled(-1.0, first.frame.position(first.at)))


# which axes of the first are at right angles to which of the second, for each kind of joint that closes a loop
_ACROSS = {
    "ball": (),
    "hinge": ((0, 2), (1, 2)),
    "universal": ((0, 1),),
    "fixed": ((0, 1), (1, 2), (2, 0)),
    "slide": ((0, 1), (1, 2), (2, 0)),
    "cylinder": ((0, 2), (1, 2)),
}
CLOSURES = (*_ACROSS, "rod")


def closing(kind: str, first: FixedPoint, second: FixedPoint, length: Scalar) -> list[ConstraintRow]:
    """The rows of a joint of this kind, whose axis is the third of both triads."""
    if kind == "rod":
        return [distance(first, second, length)]
    held = [along(first, second, i) for i in (0, 1)] if kind in ("slide", "cylinder") else coincidence(first, second)
    return [*held, *(crossing(first, second, i, j) for i, j in _ACROSS[kind])]


@dataclass(frozen=True)
class GroundContact:
    """What touches level ground: its height above it, and the rows of no slip."""

    height: ConstraintRow
    forward: ConstraintRow
    sideways: ConstraintRow


def of_disc(
    carrier: MovingFrame, spinning: MovingFrame, spin: Scalar, centre: Sequence[Scalar], radius: Scalar
) -> GroundContact:
    """A wheel about the z axis of `carrier`, against which it turns by `spin`; the loads are on `spinning`.

    The rows are in the two level directions f along the wheel, for an axle to the left forward, and g along the axle.
    """
    x, y, z = carrier.axis(2)  # upwards
    middle = (centre[0], centre[1], centre[2])
    level = 1.0 if z == 0 else _root(total((times(x, x), times(y, y))))
    # f = a x up / s ,  g = up x f ,  and down in the wheel's plane -(up - a a.up)/s ,  s = |a x up|
    f = _over((times(-1.0, y), x, 0.0), level)
    g = cross((x, y, z), f) if z != 0 else (0.0, 0.0, 1.0)
    down = scaled(radius, _over((times(-1.0, x), times(-1.0, y), 0.0), level))
    touched = added(middle, down)
    slip = added(carrier.velocity(touched), scaled(spin, cross((0.0, 0.0, 1.0), down)))
    height = total((carrier.coordinate(2, middle), times(-1.0, radius, level)))
    # the wheel is round: its axes may be those of the carrier
    return GroundContact(
        ConstraintRow(height, (_turned(carrier, spinning, touched, (x, y, z)),)),
        ConstraintRow(dot(slip, f), (_turned(carrier, spinning, touched, f),)),
        ConstraintRow(dot(slip, g), (_turned(carrier, spinning, touched, g),)),
    )


def of_ball(frame: MovingFrame, centre: Vector, radius: Scalar) -> GroundContact:
    """A ball about a point of a frame; the rows are along the first two axes of space."""
    up = frame.axis(2)
    touched = added(centre, scaled(times(-1.0, radius), up))
    slip = frame.velocity(touched)
    rows = [ConstraintRow(dot(slip, frame.axis(i)), (Load(frame, touched, frame.axis(i)),)) for i in (0, 1)]
    height = total((frame.coordinate(2, centre), times(-1.0, radius)))
    return GroundContact(ConstraintRow(height, (Load(frame, touched, up),)), rows[0], rows[1])


def of_blade(frame: MovingFrame, at: Vector, direction: Vector) -> ConstraintRow:
    """A blade along a direction of its frame does not move across it on level ground."""
    across = cross(frame.axis(2), direction)
    return ConstraintRow(dot(frame.velocity(at), across), (Load(frame, at, across),))


def mixed(first: ConstraintRow, second: ConstraintRow, c: Scalar, s: Scalar) -> ConstraintRow:
    """c phi_1 + s phi_2, of two rows at one point."""
    loads = tuple(
        Load(a.frame, a.at, added(scaled(c, a.force), scaled(s, b.force)))
        for a, b in zip(first.loads, second.loads, strict=True)
    )
    return ConstraintRow(total((times(c, first.phi), times(s, second.phi))), loads)


def _turned(carrier: MovingFrame, spinning: MovingFrame, at: Vector, force: Vector) -> Load:
    """A force on the wheel, given in axes of its carrier."""
    if spinning is carrier:
        return Load(carrier, at, force)
    back = spinning.pose.inverse
    turn = back.turn
    x, y, z = (dot(row, force) for row in turn)
    return Load(spinning, back.outside(at), (x, y, z))


def _root(e: Scalar) -> Scalar:
    return float(e) ** 0.5 if isinstance(e, float) else sp.sqrt(e)


def _over(a: Vector, s: Scalar) -> Vector:
    return a if s == 1.0 else scaled(1 / s, a)
