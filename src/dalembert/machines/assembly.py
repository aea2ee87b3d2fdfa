"""From the parts of a machine to its system: space, frames, T - V, rows, forces, and what is drawn."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.frame import TIME
from ..calculus.graph import Graph
from ..calculus.quantity import Dimension, has_unit, quantity
from ..errors import InvalidValue, Note, WrongType, about, as_given, warn
from ..model import parameters as values
from ..model.bodies import Body
from ..model.contact import Dry, Touch, contact, dry
from ..model.force import Force
from ..model.force import applied as acting
from ..model.inertia import check, tensor
from ..model.space import Space
from ..model.space_factors import SE2, SE3
from ..model.system import System
from ..model.system_arguments import reading
from .drawing import drawn
from .frame import Inertia, MovingFrame, Placement, joined
from .joints import KINDS
from .parts import Given, GivenBody, GivenForce, GivenJoint, GivenWheel, MachineParts, Turn
from .rows import ConstraintRow, FixedPoint, GroundContact, Load, closing, mixed, of_ball, of_blade, of_disc
from .vectors import (
    UNIT,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    applied,
    composed,
    dot,
    exact,
    expression,
    is_number,
    onto,
    plain,
    scaled,
    times,
    total,
    turn,
)

GROUND = "ground"
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
LIMITS = {"operations": 10**6}
_KILOGRAM, _METRE = Dimension.of({"kg": 1}), Dimension.of({"m": 1})
ANGLE = Dimension.of({})
_MOMENT = Dimension.of({"kg": 1, "m": 2})
_SECOND = Dimension.of({"s": 1})
_NEWTON = _KILOGRAM * _METRE / _SECOND**2
_TIME = (TIME.name,)
_BASES: Mapping[str, Any] = {"planar": SE2, "free": SE3}


@dataclass(frozen=True)
class Link:
    """Where a body is: its pose in the frame that moves with it."""

    frame: MovingFrame
    pose: Placement


@dataclass(frozen=True)
class Articulation:
    """A joint as it was assembled.

    Attributes:
        before: the frame on its near side, whose z axis is that of the joint.
        behind: the frame on its far side.
        turned: the axes of the body behind it, in those of `behind`.
    """

    before: MovingFrame
    behind: MovingFrame
    turned: Matrix
    coordinates: tuple[Scalar, ...] = ()
    velocities: tuple[Scalar, ...] = ()
    near: Matrix = UNIT  # the axes of `before`, in those of the joint as it was given

    @property
    def to_near(self) -> Matrix:
        """From the axes of `behind` to those of the joint on its near side."""
        found, frame = UNIT, self.behind
        while frame is not self.before and frame.carrier is not None:
            found, frame = composed(frame.pose.turn, found), frame.carrier
        return composed(self.near, found)


class Assembly:
    """A machine put together: the frames of its bodies, and the system."""

    def __init__(
        self,
        parts: MachineParts,
        gravity: Sequence[Given],
        parameters: Mapping[str, object] | str | None,
        inputs: str | Sequence[str],
        title: str,
    ) -> None:
        self.bare = False  # do numbers with a dimension stand in it, beside which units cannot be checked?
        self.parts, self.given, self.inputs, self.title = parts, parameters, inputs, title
        self.parameters = {} if parameters is None else _mapping(parameters)
        order = _from_the_ground(parts)
        self.space = _space([j for j in parts.joints.values() if KINDS[j.kind].space is not None and not j.follows])
        self.known, self.formulas = values.parted(self.parameters)
        given, self.reader = reading(self.space, self.known, self.formulas, inputs, None, ())
        self.moving = {TIME.name, *self.space.by_name, *given}
        self.gravity = self.vector(gravity, "gravity", _METRE / _SECOND**2, _TIME)
        self.notes: list[Note] = []
        self.joints: dict[str, Articulation] = {}
        self.links = self._links(order)

    # --- numbers and expressions of the parts ------------------------------------------------------------------------

    def scalar(
        self, given: object, where: str, unit: Dimension | None = None, beside: Collection[str] | None = ()
    ) -> Scalar:
        """A number, a text with a unit, or an expression in parameters, and in names `beside` them (None: in any)."""
        measured = isinstance(given, str) and has_unit(given)
        found = quantity(given, where, unit).value if measured else plain(self.reader.read(given, where))
        names = {s.name for s in found.free_symbols} if isinstance(found, sp.Expr) and beside is not None else set()
        if held := sorted(names & self.moving - set(beside or ())):
            remedy = "joints let things move; torques, forces and relations may hold what moves"
            raise InvalidValue("E164", f"{where} = {found} holds {held[0]}, and does not change on the way", remedy)
        self.bare |= isinstance(found, float) and found != 0 and unit != ANGLE
        return found

    def vector(
        self, given: object, where: str, unit: Dimension | None = _METRE, beside: Collection[str] | None = ()
    ) -> Vector:
        """Three of them."""
        listed = given.tolist() if isinstance(given, np.ndarray | sp.MatrixBase) else given
        if isinstance(listed, str) or not isinstance(listed, Sequence | sp.Tuple) or len(listed) != 3:
            fact = f"{where} is {as_given(given)}, not three numbers or expressions"
            raise WrongType("E164", fact, 'such as [0, 0, "h"]')
        x, y, z = (self.scalar(e, where, unit, beside) for e in listed)
        return x, y, z

    def rotation(self, given: Turn, where: str) -> Matrix:
        """A matrix of numbers, or turns about axes of the body one after the other: ``["z psi", ("y", 0.1)]``."""
        listed = given.tolist() if isinstance(given, np.ndarray | sp.MatrixBase) else given
        if not isinstance(listed, str | list | tuple):
            raise WrongType("E164", f"{where} is {as_given(given)}", 'an axis and an angle, "z alpha", or a matrix')
        one = isinstance(listed, str) or (len(listed) == 2 and listed[0] in ("x", "y", "z"))
        steps: list[Any] = [listed] if one else list(listed)
        rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in steps]
        if len(rows) == 3 and all(isinstance(row, list | tuple) and len(row) == 3 for row in rows):
            return self._matrix(rows, where)
        found = UNIT
        for step in steps:
            parts = step.split(maxsplit=1) if isinstance(step, str) else step
            letter, *angle = parts if isinstance(parts, list | tuple) and parts else ("",)
            if letter not in ("x", "y", "z") or len(angle) != 1:
                raise InvalidValue("E164", f"{where}: {as_given(step)} is no turn", 'an axis and an angle: "z alpha"')
            found = composed(found, turn("xyz".index(letter), self.scalar(angle[0], where, ANGLE)))
        return found

    def _matrix(self, rows: Sequence[Sequence[object]], where: str) -> Matrix:
        """A rotation of numbers."""
        read = [[self.scalar(e, where, ANGLE) for e in row] for row in rows]
        if not all(isinstance(e, float) for row in read for e in row):
            raise InvalidValue("E164", f"{where} is a matrix with expressions", 'turns hold them: ["z alpha"]')
        R = np.array(read, float)
        if not np.allclose(R @ R.T, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
            raise InvalidValue("E164", f"{where} is no rotation", "give R with R^T R = 1 and det R = 1")
        a, b, c = ((exact(float(x)), exact(float(y)), exact(float(z))) for x, y, z in R)
        return a, b, c

    def _inertia(self, body: GivenBody) -> Inertia:
        """In the body's frame."""
        mass = self.scalar(body.mass, f"the mass of {body.name}", _KILOGRAM)
        if isinstance(mass, float) and mass < 0:
            raise InvalidValue("E164", f"the mass of {body.name} is {mass:g}", "give a positive one")
        tensor = Inertia().tensor if body.inertia is None else self._tensor(body)
        own = Inertia(mass, ZERO, tensor)
        turned = self.rotation(body.turn, f"turn of the inertia of {body.name}")
        return own.seen(Placement(self.vector(body.centre, f"the centre of {body.name}"), turned))

    def _tensor(self, body: GivenBody) -> Matrix:
        def read(e: object) -> Scalar:
            return self.scalar(e, f"a moment of inertia of {body.name}", _MOMENT)

        given = body.inertia
        listed: Any = given.tolist() if isinstance(given, np.ndarray | sp.MatrixBase) else given
        if not isinstance(listed, list | tuple):
            raise WrongType(
                "E164", f"the inertia of {body.name} is {as_given(given)}", "give three moments, or a tensor"
            )
        rows = [[read(e) for e in row] if isinstance(row, list | tuple) else read(row) for row in listed]
        with about("machine", "bodies", body.name):
            J = tensor(rows)
        a, b, c = ((plain(J[i, 0]), plain(J[i, 1]), plain(J[i, 2])) for i in range(3))
        return a, b, c

    # --- frames ------------------------------------------------------------------------------------------------------

    def _links(self, order: Iterable[GivenJoint]) -> dict[str, Link]:
        """The frame of each body; bodies that are fixed to another share its frame."""
        dots = {u: sp.Symbol(f"dot({u.name})", real=True) for u in self.space.velocities}
        links = {GROUND: Link(MovingFrame(dots=dots), Placement())}
        for joint in order:
            links[joint.behind] = self._behind(joint, links[joint.before])
        return links

    def _behind(self, joint: GivenJoint, before: Link) -> Link:
        with about("machine", "joints", joint.name):
            at = self.vector(joint.at, f"the place of the joint {joint.name}")
            placed = before.pose.then(Placement(at, self.rotation(joint.turn, f"turn of the joint {joint.name}")))
            if joint.kind == "fixed":
                self.joints[joint.name] = Articulation(before.frame, before.frame, placed.turn)
                return Link(before.frame, placed)
            axis = onto(direction(joint.axis, f"the axis of the joint {joint.name}"))
            near = MovingFrame(before.frame, placed.then(Placement(ZERO, axis)))
            q, u = self._motion(joint)
            pitch = 0.0 if joint.pitch is None else self.scalar(joint.pitch, f"pitch of {joint.name}", _METRE)
            far = KINDS[joint.kind].frames(near, q, u, pitch)
            back = Placement(ZERO, axis).inverse
            self.joints[joint.name] = Articulation(near, far, back.turn, q, u, axis)
            return Link(far, back)

    def _motion(self, joint: GivenJoint) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Coordinates and velocities of a joint, or those of the joint that it follows."""
        leader, ratio, offset = joint.follows or (joint.name, 1.0, 0.0)
        own, named = joint_space(self.parts.joints[leader]), self.space.by_name
        q, u = tuple(named[q.name] for q in own.coordinates), tuple(named[u.name] for u in own.velocities)
        if joint.follows is None:
            return q, u
        unit = _unit(joint)
        k = self.scalar(ratio, f"ratio of the joint {joint.name}", unit / _unit(self.parts.joints[leader]))
        b = self.scalar(offset, f"offset of the joint {joint.name}", unit)
        # q = k q_leader + b
        return (total((times(k, q[0]), b)),), (times(k, u[0]),)

    # --- T - V -------------------------------------------------------------------------------------------------------

    @cached_property
    def moves(self) -> set[MovingFrame]:
        """The frames behind the joints."""
        return {found.behind for found in self.joints.values()}

    @cached_property
    def inertias(self) -> dict[MovingFrame, list[Inertia]]:
        """What moves with each frame, in its axes.

        Raises:
            InvalidValue: E109, what moves as one has moments that no body has (W109 if it misses them by little).
        """
        found: dict[MovingFrame, dict[str, Inertia]] = {}
        for body in self.parts.bodies.values():
            if (link := self.links.get(body.name)) is not None and link.frame.carrier is not None:
                found.setdefault(link.frame, {})[body.name] = self._inertia(body).seen(link.pose)
        whole = {frame: joined(parts.values()) for frame, parts in found.items()}
        for frame, parts in whole.items():
            if len(parts) == 1 and is_number(*(e for row in parts[0].tensor for e in row)):
                self._check(parts[0], [name for name, part in found[frame].items() if not part.is_none])
        return whole

    def _check(self, part: Inertia, bodies: Sequence[str]) -> None:
        """E109, W109: the moments of bodies that are fixed to each other."""
        size = max(abs(float(e)) for row in part.tensor for e in row)
        if size == 0:
            return
        # what is nothing beside m c^2 is rounding: of a point mass
        nothing = 1e-9 * (size + (float(part.mass * dot(part.centre, part.centre)) if part.is_number else 0.0))
        others = f" with {', '.join(bodies[1:4])}{' and others' if len(bodies) > 4 else ''}" if bodies[1:] else ""
        with about("machine", "bodies", bodies[0]):
            if doubt := check(sp.ImmutableMatrix(part.tensor), f"{bodies[0]}{others}", nothing):
                self.notes.append(warn("W109", doubt))

    @cached_property
    def lagrangian(self) -> sp.Expr:
        """L = T - V of bodies, rotors and springs."""
        carried = [(frame, part) for frame, parts in self.inertias.items() for part in parts]
        kinetic = [part.kinetic(frame) for frame, part in carried]
        potential = [part.potential(frame, self.gravity) for frame, part in carried]
        for joint in self.parts.joints.values():
            (q, u), name, unit = self._one(joint), joint.name, _unit(joint)
            heavy = _MOMENT if unit == ANGLE else _KILOGRAM
            if joint.armature is not None:
                J = self.scalar(joint.armature, f"armature of {name}", heavy)
                if isinstance(J, float) and J < 0:
                    raise InvalidValue("E164", f"the armature of {name} is {J:g}", "give a positive one")
                kinetic.append(times(0.5, J, u, u))
            away = total((q, times(-1.0, self.scalar(joint.rest, f"rest of {name}", unit, _TIME))))
            if joint.spring is not None:
                k = self.scalar(joint.spring, f"spring of {name}", heavy / _SECOND**2, _TIME)
                potential.append(times(0.5, k, away, away))
        return expression(total((*kinetic, *(times(-1.0, V) for V in potential))))

    def _one(self, joint: GivenJoint) -> tuple[Scalar, Scalar]:
        """Coordinate and velocity of a joint that has one."""
        found = self.joints[joint.name]
        return (found.coordinates[0], found.velocities[0]) if len(found.coordinates) == 1 else (0.0, 0.0)

    # --- rows --------------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> dict[str, ConstraintRow]:
        """Loops, wheels, blades and relations, by name; those that hold of themselves are left out."""
        found: dict[str, ConstraintRow] = {}
        for name, closure in self.parts.closures.items():
            own = onto(direction(closure.axis, f"axis of {name}"))
            other = own if closure.other_axis is None else onto(direction(closure.other_axis, f"axis of {name}"))
            places = [
                self.place(body, self.vector(at, f"{name}: a place"), axes)
                for body, at, axes in ((closure.first, closure.at, own), (closure.second, closure.other, other))
            ]
            length = 0.0 if closure.length is None else self._length(closure.length, f"length of {name}")
            rows = closing(closure.kind, places[0], places[1], length)
            _put(found, {f"{name}_{n}": row for n, row in enumerate(self._that_hold(name, rows), 1)})
        for wheel in self.parts.wheels.values():
            if wheel.contact is None:
                _join(found, self._wheel(wheel))
        for name, phi in self.parts.relations.items():
            _put(found, {name: ConstraintRow(plain(self.reader.read(phi, f"the relation {name}")), ())})
        return found

    def _that_hold(self, name: str, rows: Iterable[ConstraintRow]) -> Iterator[ConstraintRow]:
        """Without rows that hold whatever the machine does (E164: one that never does)."""
        for row in rows:
            if not isinstance(row.phi, float) and not _constant(row.phi):
                yield row
            elif abs(_number(row.phi)) > 1e-9:
                fact = f"the loop {name} is open by {_number(row.phi):.6g} wherever the machine is"
                raise InvalidValue("E164", fact, "mend its places and axes")

    def place(self, body: str, at: Vector, axes: Matrix = UNIT) -> FixedPoint:
        """A point of a body, with axes given as the columns of a matrix."""
        link = self.links[body]
        turned = composed(link.pose.turn, axes)
        a, b, c = zip(*turned, strict=True)
        return FixedPoint(link.frame, link.pose.outside(at), (a, b, c))

    def touching(self, wheel: GivenWheel) -> GroundContact:
        """Height and rows of no slip of a wheel."""
        joint = next((j for j in self.parts.joints.values() if j.behind == wheel.body), None)
        radius = self._length(wheel.radius, f"radius of {wheel.name}")
        at = self.vector(wheel.at, f"middle of {wheel.name}")
        link = self.links[wheel.body]
        if wheel.axle is not None:
            axle = onto(direction(wheel.axle, f"axle of {wheel.name}"))
            turned = MovingFrame(link.frame, link.pose.then(Placement(at, axle)))
            self._upright(turned, wheel)
            return of_disc(turned, turned, 0.0, ZERO, radius)
        if joint is None or joint.kind in ("ball", "free"):
            return of_ball(link.frame, link.pose.outside(at), radius)
        if joint.kind != "hinge":
            fact = f"{wheel.body} is on a {joint.kind} joint, which no wheel or ball is"
            raise InvalidValue("E164", fact, 'put it on a joint "hinge" about its axle')
        found = self.joints[joint.name]
        middle = link.pose.outside(at)
        if any(isinstance(e, sp.Expr) or abs(e) > 1e-6 for e in middle[:2]):
            fact = f"the middle of {wheel.body} is not on the axis of the joint {joint.name}"
            raise InvalidValue("E164", fact, "give a point on its axle (at)")
        self._upright(found.before, wheel)
        return of_disc(found.before, found.behind, found.velocities[0], (0.0, 0.0, middle[2]), radius)

    def _upright(self, carrier: MovingFrame, wheel: GivenWheel) -> None:
        """E164: a wheel that lies on the ground wherever the machine is."""
        x, y, _ = carrier.axis(2)
        if isinstance(x, float) and isinstance(y, float) and np.hypot(x, y) < 1e-9:
            fact = f"the axle of {wheel.body} stands upright: it lies flat and does not roll"
            raise InvalidValue("E164", fact, "turn its joint: the axle is the axis of its hinge")

    def _length(self, given: object, where: str) -> Scalar:
        """A length above 0."""
        found = self.scalar(given, where, _METRE)
        if isinstance(found, float) and found <= 0:
            raise InvalidValue("E164", f"{where} is {found:g}", "give one above 0")
        return found

    def _wheel(self, wheel: GivenWheel) -> dict[str, ConstraintRow]:
        name = re.sub(r"\W", "_", wheel.name)  # of rows
        if wheel.along is not None:
            link = self.links[wheel.body]
            pointing = applied(link.pose.turn, direction(wheel.along, f"direction of {name}"))
            at = link.pose.outside(self.vector(wheel.at, f"place of {name}"))
            return {name: of_blade(link.frame, at, pointing)}
        touch = self.touching(wheel)
        found = {} if _constant(touch.height.phi) else {f"{name}_touch": touch.height}
        if wheel.rollers is None:
            found |= {f"{name}_roll": touch.forward, f"{name}_side": touch.sideways}
            # on rails nothing moves aside
            return {name: row for name, row in found.items() if not _vanishes(row.phi)}
        angle = self.scalar(wheel.rollers, f"rollers of {name}", ANGLE)
        c, s = (
            (exact(float(f(angle))) for f in (np.cos, np.sin))
            if isinstance(angle, float)
            else (sp.cos(angle), sp.sin(angle))
        )
        # what rolls about its own axis goes across it: no slip along it
        return {**found, f"{name}_roll": mixed(touch.sideways, touch.forward, c, s)}

    @cached_property
    def contacts(self) -> dict[str, Touch]:
        """Wheels that may slip, as contacts with friction."""
        found = {}
        for name, wheel in self.parts.wheels.items():
            if wheel.contact is not None:
                touch = self.touching(wheel)
                if _constant(touch.height.phi):
                    fact = f"the height of {wheel.body} above the ground never changes: no force presses it down"
                    raise InvalidValue("E164", fact, 'a machine whose base is "free" has one')
                slip = [expression(row.phi) for row in (touch.forward, touch.sideways)]
                found[name] = contact(expression(touch.height.phi), slip, **wheel.contact)  # type: ignore[arg-type]
        return found

    # --- forces ------------------------------------------------------------------------------------------------------

    def load(self, force: GivenForce) -> Load:
        """A given force or moment, in axes of the frame that moves with its body."""
        link = self.links[force.body]
        unit = _NEWTON * _METRE if force.is_moment else _NEWTON
        given = self.vector(force.components, f"the {force.name}", unit, None)
        inside = (
            applied(link.pose.turn, given)
            if force.axes == "body"
            else self.place(force.body, ZERO).load(given).force
        )  # fmt: skip
        at = link.pose.outside(self.vector(force.at, f"place of the {force.name}", beside=None))
        return Load(link.frame, at, ZERO, inside) if force.is_moment else Load(link.frame, at, inside)

    @cached_property
    def forces(self) -> list[Force | Dry]:
        """Torques, damping and dry friction of joints, and forces on bodies."""
        found: list[Force | Dry] = []
        for joint in self.parts.joints.values():
            (_, u), name, unit = self._one(joint), joint.name, _unit(joint)
            push = _NEWTON * _METRE if unit == ANGLE else _NEWTON
            if joint.torque is not None:
                pushed = self.scalar(joint.torque, f"torque of {name}", push, None)
                found.append(acting([u], [pushed], f"torque of {name}"))
            if joint.damping is not None:
                c = self.scalar(joint.damping, f"damping of {name}", push * _SECOND / unit, None)
                found.append(acting([u], [times(-1.0, c, u)], f"damping of {name}"))
            if joint.dry is not None:
                size = self.scalar(joint.dry, f"dry friction of {name}", push, None)
                found.append(dry(u, size, name=f"dry_{name}"))
        for force in self.parts.forces:
            load = self.load(force)
            F, v = (load.moment, load.frame.w) if force.is_moment else (load.force, load.frame.velocity(load.at))
            if load.frame.carrier is None:
                fact = f"the {force.name} does nothing: {force.body} is fixed to the ground"
                raise InvalidValue("E164", fact, "leave it out")
            if any(e != 0 for e in v):  # else it is felt in the joints alone
                found.append(acting([expression(e) for e in v], [expression(e) for e in F], force.name))
        return found

    @property
    def constraints(self) -> dict[str, sp.Expr]:
        """The rows as constraints of a system."""
        return {name: expression(row.phi) for name, row in self.rows.items()}

    @property
    def drawn(self) -> list[Body]:
        """What is drawn."""
        return drawn(self)

    @cached_property
    def system(self) -> System:
        """The system, with all that was given."""
        made = System(
            self.space,
            self.lagrangian,
            self.constraints,
            self.forces or None,
            {**self.known.values, **self.formulas} if self.bare else self.given,
            contacts=self.contacts or None,
            inputs=self.inputs,
            title=self.title,
            limits=LIMITS,
            bodies=self.drawn,
        )
        return made.telling(self.parts.doubts)


def _from_the_ground(parts: MachineParts) -> list[GivenJoint]:
    """The joints from the ground outwards, those of one body in the order in which they were given."""
    ahead: dict[str, list[GivenJoint]] = {}
    for joint in parts.joints.values():
        ahead.setdefault(joint.before, []).append(joint)
    order: list[GivenJoint] = []
    left = list(reversed(ahead.get(GROUND, [])))
    while left:
        joint = left.pop()
        order.append(joint)
        left.extend(reversed(ahead.get(joint.behind, [])))
    reached = {GROUND, *(joint.behind for joint in order)}
    if lost := [name for name in parts.bodies if name not in reached]:
        held = {joint.behind for joint in parts.joints.values()}
        loose = [name for name in lost if name not in held]
        fact = f"{', '.join(loose[:4])} {'is' if len(loose) == 1 else 'are'} held by no joint"
        if not loose:
            fact = f"{', '.join(lost[:4])} are held by each other in a circle, and not from the ground"
        raise InvalidValue("E164", fact, 'a joint "free" to the ground lets a body fly')
    return order


def joint_space(joint: GivenJoint) -> Space:
    """The space of a joint's coordinates."""
    made = KINDS[joint.kind].space
    if made is None:
        raise InvalidValue("E164", f"the joint {joint.name} has no coordinates", "choose another kind")
    return _BASES[joint.kind]() if joint.plain else made(joint.name)


def _space(joints: Sequence[GivenJoint]) -> Space:
    if not joints:
        raise InvalidValue(
            "E164", "nothing in the machine moves", 'hold a body by a joint, such as a "hinge" on the ground'
        )
    return reduce(lambda a, b: a * b, map(joint_space, joints))


def _unit(joint: GivenJoint) -> Dimension:
    """Of the coordinate of a joint that has one."""
    return _METRE if joint.kind == "slide" else ANGLE


def _mapping(parameters: Mapping[str, object] | str) -> Mapping[str, object]:
    return dict.fromkeys(parameters.replace(",", " ").split()) if isinstance(parameters, str) else parameters


def direction(given: str | Sequence[float], where: str) -> Vector:
    """A unit vector, from three numbers or an axis by name: ``"x"``, ``"-z"``."""
    if isinstance(given, str):
        sign, letter = (-1.0, given[1:]) if given[:1] == "-" else (1.0, given)
        if letter not in AXES:
            raise InvalidValue("E164", f"{where} is {as_given(given)}", '"x", "-z" or three numbers')
        x, y, z = AXES[letter]
        return sign * x, sign * y, sign * z
    try:
        a = np.asarray(given, float)
    except (TypeError, ValueError):  # no numbers
        a = np.zeros(0)
    size = float(np.linalg.norm(a)) if a.shape == (3,) else 0.0
    if not np.isfinite(size) or size == 0:
        raise InvalidValue("E164", f"{where} is {as_given(given)}, no direction", '"x", "-z" or three numbers')
    x, y, z = (exact(float(e)) for e in a / size)
    return x, y, z


def _join(found: dict[str, ConstraintRow], rows: Mapping[str, ConstraintRow]) -> None:
    """Add rows of a wheel; one that another wheel of its axle has already is shared with that, in equal parts."""
    for name, row in rows.items():
        for known, other in found.items():
            sign = next((s for s in (1.0, -1.0) if _vanishes(total((other.phi, times(-s, row.phi))))), 0.0)
            if sign:
                n = len(other.loads)
                shares = [Load(x.frame, x.at, scaled(n / (n + 1), x.force)) for x in other.loads]
                own = (Load(x.frame, x.at, scaled(sign / (n + 1), x.force)) for x in row.loads)
                found[known] = ConstraintRow(other.phi, (*shares, *own))
                break
        else:
            _put(found, {name: row})


def _put(found: dict[str, ConstraintRow], rows: Mapping[str, ConstraintRow]) -> None:
    """Add rows (E164: of names that are taken)."""
    for name in rows.keys() & found.keys():
        raise InvalidValue("E164", f"two rows would be called {name}", "rename the loop, relation or blade")
    found |= rows


def _vanishes(e: Scalar) -> bool:
    """Is it 0 at random places?"""
    algebra = GraphAlgebra(Graph())
    return e == 0 if isinstance(e, float) else algebra.zero(algebra.read(e))


def _constant(e: Scalar) -> bool:
    """Does it hold whatever the coordinates are? Asked at random places."""
    if isinstance(e, float):
        return True
    algebra = GraphAlgebra(Graph())
    node = algebra.read(e)
    names = sorted(e.free_symbols, key=str)
    return all(algebra.zero(slope) for slope in algebra.gradient(node, [algebra.read(s) for s in names]))


def _number(e: Scalar) -> float:
    return e if isinstance(e, float) else float(e.subs(dict.fromkeys(e.free_symbols, 0.3)))
