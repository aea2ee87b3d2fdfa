"""What is drawn of a machine: shapes of its bodies, or rods between its joints, on the frames that carry them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..model.bodies import Body
from .frame import MovingFrame
from .joints import KINDS
from .parts import GivenBody, GivenJoint, Shape
from .vectors import UNIT, ZERO, Matrix, Scalar, Vector

if TYPE_CHECKING:
    from .assembly import Assembly

_STEP = tuple[str, Scalar]
_HINT, _HIDDEN = 0.08, 0.005  # of the size of the machine: the radius of a joint, and of one inside a shape
_SLIM = 0.3  # of the radius of a joint: that of a rod


def drawn(assembly: Assembly) -> list[Body]:
    """A point for each frame that moves, which carries the shapes fixed in it; wheels; and the floor."""
    return list(_Drawing(assembly).bodies())


class _Drawing:
    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.size = _size(assembly)
        self.names: dict[MovingFrame, str] = {assembly.links["ground"].frame: ""}

    def bodies(self) -> Iterator[Body]:
        parts = self.assembly.parts
        shaped = {self.assembly.links[b.name].frame for b in parts.bodies.values() if b.shapes}
        rolling = {self.assembly.links[w.body].frame for w in parts.wheels.values() if w.along is None}
        if parts.wheels:
            yield Body("floor", at=(0, 0, self._level()))
        for name, found in self.assembly.joints.items():
            if found.behind not in self.names:
                joint = parts.joints[name]
                self.names[found.behind] = joint.behind
                yield self._carrier(joint, found.behind in shaped | rolling)
        for body in parts.bodies.values():
            for n, shape in enumerate(body.shapes):
                yield self._shape(body, shape, f" {n + 1}" if n else "")
        yield from self._wheels(rolling - shaped)
        yield from self._sticks(shaped | rolling)

    def _level(self) -> Scalar:
        """How high the ground is: 0, or below wheels that stay as high as they are."""
        for wheel in self.assembly.parts.wheels.values():
            if wheel.along is None:
                height = self.assembly.touching(wheel).height.phi
                return height if isinstance(height, float) else 0.0
        return 0.0

    def _carrier(self, joint: GivenJoint, hidden: bool) -> Body:
        """A point at a joint that turns with what is behind it."""
        found, kind = self.assembly.joints[joint.name], KINDS[joint.kind]
        before = self.assembly.links[joint.before].frame
        near = found.before.pose
        # the joint of several freedoms has a frame between, whose origin is that of the last
        moved = found.behind.pose.at
        steps: list[Any] = [*_turns(near.turn)]
        for axis, n in kind.turns:
            steps.append((axis, found.coordinates[n]) if axis else self._attitude(found.coordinates[n:]))
        radius = self.size * (_HIDDEN if hidden else _HINT)
        return Body("point", joint.behind, radius=radius, at=near.outside(moved), turn=steps, on=self.names[before])

    def _attitude(self, coordinates: tuple[Scalar, ...]) -> str:
        """The name of the rotation of these coordinates."""
        attitudes = self.assembly.space.attitudes.values()
        return next(a.name for a in attitudes if a.coordinates[0] == coordinates[0])

    def _shape(self, body: GivenBody, given: Shape, number: str) -> Body:
        """A shape of a body, on the frame that moves with it."""
        link = self.assembly.links[body.name]
        shape = Body(**{k + "_" * (k == "from"): v for k, v in given.items()}) if isinstance(given, Mapping) else given  # type: ignore[arg-type]

        def placed(point: Any) -> Any:
            return link.pose.outside(self.assembly.vector(point, f"a place in the shape of {body.name}"))

        name = f"{body.name} {shape.name or f'{shape.shape}{number}'}"
        ends = {word: placed(end) for word in ("from_", "to") if (end := getattr(shape, word)) is not None}
        if not ends:
            given_turn: Any = shape.turn
            one = isinstance(given_turn, str) or (len(given_turn) == 2 and given_turn[0] in ("x", "y", "z"))
            own: list[Any] = ([given_turn] if given_turn else []) if one else list(given_turn)
            ends = {"at": placed(shape.at or ZERO), "turn": [*_turns(link.pose.turn), *own]}
        trace = shape.trace if isinstance(shape.trace, bool | None) else placed(shape.trace)
        return replace(shape, name=name, on=self.names[link.frame], trace=trace, **ends)

    def _wheels(self, frames: set[MovingFrame]) -> Iterator[Body]:
        """Wheels and balls that have no shape."""
        for wheel in self.assembly.parts.wheels.values():
            if wheel.along is None and (frame := self.assembly.links[wheel.body].frame) in frames:
                link = self.assembly.links[wheel.body]
                kind = next(j.kind for j in self.assembly.parts.joints.values() if j.behind == wheel.body)
                at = link.pose.outside(self.assembly.vector(wheel.at, f"middle of {wheel.name}"))
                radius = self.assembly.scalar(wheel.radius, f"radius of {wheel.name}")
                shape = "wheel" if kind == "hinge" else "ball"
                yield Body(shape, f"{wheel.body} {shape}", radius=radius, at=at, on=self.names[frame])

    def _sticks(self, shaped: set[MovingFrame]) -> Iterator[Body]:
        """Rods from a joint to those behind it, and to the centre of what is last."""
        ends: dict[MovingFrame, list[Vector]] = {}
        for name, found in self.assembly.joints.items():
            if self.assembly.parts.joints[name].kind != "fixed":
                frame = self.assembly.links[self.assembly.parts.joints[name].before].frame
                ends.setdefault(frame, []).append(found.before.pose.at)
        for frame, name in self.names.items():
            if name and frame not in shaped:
                centres = [part.centre for part in self.assembly.inertias.get(frame, ())]
                for n, end in enumerate(ends.get(frame, centres), 1):
                    if any(e != 0 for e in end):
                        radius = self.size * _HINT * _SLIM
                        yield Body("rod", f"{name} rod {n}", radius=radius, from_=(0, 0, 0), to=end, on=name)


def _size(assembly: Assembly) -> Scalar:
    """A length of the machine: the mean of those between its joints, or one that is a parameter."""
    places = [found.before.pose.at for found in assembly.joints.values() if found.before is not found.behind]
    places += [part.centre for parts in assembly.inertias.values() for part in parts]
    lengths = [float(np.linalg.norm(at)) for at in places if all(isinstance(e, float) for e in at)]
    if any(lengths):
        return float(np.mean([x for x in lengths if x]))
    held = [e for at in places for e in at if isinstance(e, sp.Expr)]
    return sp.sqrt(held[0] ** 2) if held else 1.0


def _turns(R: Matrix) -> list[_STEP]:
    """Turns about z, y and x, one after the other, that make a constant rotation."""
    if R == UNIT:
        return []
    flat = [e for row in R for e in row]
    if all(isinstance(e, float) for e in flat):
        for letter, k in (("x", 0), ("y", 1), ("z", 2)):
            if R[k][k] == 1.0:
                i, j = (k + 1) % 3, (k + 2) % 3
                return [(letter, float(np.arctan2(R[j][i], R[i][i])))]
        c = float(np.hypot(R[0][0], R[1][0]))
        z, y = float(np.arctan2(R[1][0], R[0][0])), float(np.arctan2(-float(R[2][0]), c))
        x = float(np.arctan2(R[2][1], R[2][2]))
        if c < 1e-9:
            z, x = 0.0, float(np.arctan2(R[0][1], R[1][1])) * (1.0 if y > 0 else -1.0)
        return [("z", z), ("y", y), ("x", x)]
    y = -sp.asin(R[2][0])
    return [("z", sp.atan2(R[1][0], R[0][0])), ("y", y), ("x", sp.atan2(R[2][1], R[2][2]))]
