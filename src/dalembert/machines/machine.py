"""Machine: bodies, joints, wheels and loops, from which a system is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ..argument_checks import noun, one_of, text
from ..errors import InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean
from ..model.bodies import Body
from ..model.system import System
from .assembly import GROUND, Assembly
from .joints import KINDS
from .parts import Given, GivenBody, GivenClosure, GivenForce, GivenJoint, GivenWheel, MachineParts, Shape, Turn
from .point import Point, Reaction
from .rows import CLOSURES

GRAVITY = (0.0, 0.0, -9.81)


@noun
class Machine:
    """A machine of bodies and joints, with wheels, loops and forces; `system` is an ordinary `System`.

        arm = da.Machine(parameters={"l": "0.5 m", "m": "2 kg"})
        rod = arm.body("rod", mass="m", centre=["l/2", 0, 0], inertia=[0, "m*l^2/12", "m*l^2/12"])
        arm.joint("theta", "hinge", arm.ground, rod, axis="y")
        equations = da.free(arm.system)

    Numbers may be given as such, as text with a unit, ``"5 cm"``, or as formulas in the parameters, ``"l/2"``. A
    coordinate is called like its joint, its velocity ``v<joint>``; joints of more freedoms number or letter theirs.

    Args:
        gravity: the acceleration of free fall in axes of space, m/s^2.
        parameters: as of `System`.
        inputs: names of torques and forces that are given at run time.
        title: for headings.

    Attributes:
        ground: the name of what does not move.
        notes: what was left out of a file, and why.
    """

    ground = GROUND

    def __init__(
        self,
        *,
        gravity: Sequence[Given] = GRAVITY,
        parameters: Mapping[str, object] | str | None = None,
        inputs: str | Sequence[str] = (),
        title: str = "",
    ) -> None:
        self._parts = MachineParts()
        self._given = gravity, parameters, inputs, title
        self.notes: tuple[Note, ...] = ()

    def body(
        self,
        name: str,
        *,
        mass: Given = 0.0,
        centre: Sequence[Given] = (0.0, 0.0, 0.0),
        inertia: object = None,
        turn: Turn = (),
        shape: Shape | Sequence[Shape] = (),
    ) -> str:
        """A rigid body, whose frame is that of the joint that holds it; its name is returned.

        Args:
            name: for joints, and for what is drawn.
            mass: kg.
            centre: the centre of mass in the body's frame, m.
            inertia: about the centre: three principal moments, or a tensor (3 x 3), kg m^2; left out, a point mass.
            turn: of the axes of `inertia` against the body's: ``["z alpha"]``, or a matrix.
            shape: what is drawn: a `Body`, or several, in the body's frame.
        """
        self._name(name, "body", self._parts.bodies)
        shapes = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
        for each in shapes:
            if not isinstance(each, Body | Mapping):
                raise WrongType("E164", f"the shape of {name} is {as_given(each)}", 'da.Body("ball", radius=0.1)')
        self._parts.bodies[name] = GivenBody(name, mass, centre, inertia, turn, shapes)
        return self._changed(name)

    def joint(
        self,
        name: str,
        kind: str,
        before: str,
        behind: str,
        *,
        at: Sequence[Given] = (0.0, 0.0, 0.0),
        turn: Turn = (),
        axis: str | Sequence[float] = "z",
        pitch: Given | None = None,
        follows: str | tuple[str, Given] | tuple[str, Given, Given] | None = None,
        spring: Given | None = None,
        rest: Given = 0.0,
        damping: Given | None = None,
        dry: Given | None = None,
        armature: Given | None = None,
        torque: Given | None = None,
    ) -> str:
        """A joint that holds the body `behind` it; its name is returned.

        Args:
            name: of the joint, and of its coordinate.
            kind: hinge, slide, screw, cylinder, universal (about x, then about y of the other side), planar (in the
                plane across its axis), ball, free or fixed.
            before, behind: two bodies, or `ground` before.
            at: its place in the frame of the body before it, m.
            turn: of its axes against those: ``["z alpha"]``, one after the other, or a matrix.
            axis: of hinge, slide, screw, cylinder and planar, ``"x"``, ``"-z"`` or three numbers, in its own axes.
            pitch: of a screw, m a turn.
            follows: another joint, with a ratio and an offset: q = ratio q_other + offset.
            spring, rest: k (q - rest) against the motion.
            damping: c u against the motion.
            dry: the size of dry friction, which sticks.
            armature: moment of inertia of a rotor, at the joint, kg m^2 (kg of a slide).
            torque: of a motor, which may hold inputs, coordinates and velocities (a force in a slide).
        """
        self._name(name, "joint", self._parts.joints)
        one_of(KINDS, kind, "a machine", "joint", "E164")
        self._known(before, ground=True)
        self._known(behind)
        if before == behind:
            raise InvalidValue("E164", f"the joint {name} joins {behind} with itself", "name two bodies")
        if any(joint.behind == behind for joint in self._parts.joints.values()):
            fact = f"{behind} is held by two joints, {name} is the second"
            raise InvalidValue("E164", fact, "the second closes a loop (close)")
        led = None if follows is None else self._followed(name, kind, follows)
        simple = KINDS[kind].simple
        laws = {"spring": spring, "damping": damping, "dry": dry, "armature": armature, "torque": torque}
        for word, value in laws.items():
            if value is not None and not simple:
                fact = f"the joint {name} has {word}, and a {kind} joint has not one coordinate"
                raise InvalidValue("E164", fact, "a force or a moment acts on bodies")
        if spring is None and rest != 0:
            raise InvalidValue("E164", f"the joint {name} has a rest, and no spring", 'spring="2 N*m/rad"')
        if (pitch is None) == (kind == "screw"):
            fact = f"the joint {name} is a {kind} with{'out' if pitch is None else ''} a pitch"
            raise InvalidValue("E164", fact, 'a screw has one, such as "5 mm", and no other kind')
        self._parts.joints[name] = GivenJoint(
            name, kind, before, behind, at, turn, axis, pitch, led, spring, rest, damping, dry, armature, torque
        )
        return self._changed(name)

    def base(self, kind: str, body: str) -> None:
        """Let a body move as a base: ``"planar"`` (x, y, theta) on the ground, ``"free"`` (x, y, z, R), or ``"fixed"``.

        Its velocities are those of `SE2` and `SE3`, in axes of the body: forward, to the left and turning.
        """
        one_of(("fixed", "planar", "free"), kind, "a machine", "base", "E164")
        self.joint("base", kind, self.ground, body)
        if kind != "fixed":
            self._parts.joints["base"] = GivenJoint("base", kind, self.ground, body, plain=True)

    def close(
        self,
        name: str,
        kind: str,
        first: str,
        second: str,
        *,
        at: Sequence[Given] = (0.0, 0.0, 0.0),
        other: Sequence[Given] = (0.0, 0.0, 0.0),
        axis: str | Sequence[float] = "z",
        other_axis: str | Sequence[float] | None = None,
        length: Given | None = None,
    ) -> None:
        """Close a loop between two bodies that are held already.

        Args:
            name: of the loop; its rows are ``<name>_1``, ``<name>_2`` ...
            kind: ball, hinge, universal, slide, cylinder, fixed, or rod (of a `length`, without mass).
            first, second: two bodies, or `ground`.
            at, other: its place in the frame of each, m.
            axis, other_axis: of hinge, slide and cylinder in the frame of each.
            length: of a rod, m.
        """
        self._name(name, "loop", self._parts.closures)
        one_of(CLOSURES, kind, "a loop", "joint", "E164")
        for body in (first, second):
            self._known(body, ground=True)
        if first == second:
            raise InvalidValue("E164", f"the loop {name} joins {first} with itself", "name two bodies")
        if (length is None) == (kind == "rod"):
            fact = f"the loop {name} is a {kind} with{'out' if length is None else ''} a length"
            raise InvalidValue("E164", fact, "a rod has one, and no other kind")
        given = GivenClosure(name, kind, first, second, at, other, axis, other_axis, length)
        self._parts.closures[name] = given
        self._changed(name)

    def roll(
        self,
        body: str,
        radius: Given | None = None,
        *,
        at: Sequence[Given] | None = None,
        axle: str | Sequence[float] | None = None,
        rollers: Given | None = None,
        contact: Mapping[str, object] | None = None,
    ) -> None:
        """Let a wheel on a hinge, a disc or a ball roll on level ground without slipping.

        Args:
            body: the wheel or ball.
            radius: m; left out, that of its shape.
            at: its middle in the body's frame; left out, that of its shape, or the body's origin.
            axle: the axis of a disc in its own frame, ``"z"``; a wheel has that of its hinge, a ball none.
            rollers: of a wheel with rollers, the angle at the ground from the axle to a roller's axis: 90 deg of an
                omni-wheel, 45 and -45 deg of mecanum wheels.
            contact: how it touches where it may slip and lift, what `contact` takes: ``{"mu": 0.8}``.
        """
        self._known(body)
        self._name(body, "wheel", self._parts.wheels)
        if not (contact is None or (isinstance(contact, Mapping) and all(isinstance(key, str) for key in contact))):
            raise WrongType("E164", f"contact of {body} is {as_given(contact)}", 'contact={"mu": 0.8}')
        shape = _round(self._parts.bodies[body])
        if radius is None:
            radius = shape.get("radius")
        if radius is None:
            fact = f"the radius of {body} is not given, and none of its shapes is a disc, wheel or ball"
            raise InvalidValue("E164", fact, "give its radius")
        middle = next(e for e in (at, shape.get("at"), (0.0, 0.0, 0.0)) if e is not None)
        self._parts.wheels[body] = GivenWheel(body, body, radius, middle, rollers, contact, axle)  # type: ignore[arg-type]
        self._changed(body)

    def skate(
        self, body: str, *, at: Sequence[Given] = (0.0, 0.0, 0.0), along: str | Sequence[float] = "x", name: str = ""
    ) -> None:
        """A blade on a body, at a point and along a direction of its frame: it does not move sideways there."""
        self._known(body)
        own = name or f"{body}_blade"
        self._name(own, "blade", self._parts.wheels)
        self._parts.wheels[own] = GivenWheel(own, body, at=at, along=along)
        self._changed(own)

    def relate(self, name: str, relation: Given) -> None:
        """A relation between coordinates, or velocities, of joints that is 0: ``"theta1 + 2*theta2"`` of two gears."""
        self._name(name, "relation", self._parts.relations)
        self._parts.relations[name] = relation
        self._changed(name)

    def force(
        self, body: str, components: Sequence[Given], *, at: Sequence[Given] = (0.0, 0.0, 0.0), axes: str = "space",
        name: str = "",
    ) -> None:  # fmt: skip
        """A force on a body at a point of its frame, N, in axes of space or of the body; text may hold inputs."""
        self._push(body, components, at, axes, name, moment=False)

    def moment(self, body: str, components: Sequence[Given], *, axes: str = "space", name: str = "") -> None:
        """A moment on a body, N m, in axes of space or of the body; text may hold inputs."""
        self._push(body, components, (0.0, 0.0, 0.0), axes, name, moment=True)

    def _push(
        self, body: str, components: Sequence[Given], at: Sequence[Given], axes: str, name: str, *, moment: bool
    ) -> None:
        self._known(body)
        one_of(("space", "body"), axes, "a force", "axes", "E164")
        own = name or f"{'moment' if moment else 'force'} on {body}"
        self._parts.forces.append(GivenForce(own, body, components, at, axes, moment))
        self._changed(own)

    @cached_property
    def assembly(self) -> Assembly:
        """The machine put together: frames, rows and forces."""
        return Assembly(self._parts, *self._given)

    @property
    def system(self) -> System:
        """The system: its coordinates are called like the joints."""
        return self.assembly.system

    def point(self, body: str, at: Sequence[Given] = (0.0, 0.0, 0.0)) -> Point:
        """A point of a body, by its place in the body's frame, m."""
        self._known(body)
        return Point(self.assembly, body, at)

    def reaction(self, joint: str, axes: str = "behind") -> Reaction:
        """The force and moment that a joint exerts on the body behind it, at the joint.

        Args:
            joint: its name.
            axes: of the components: of the body ``"behind"`` it, of the joint on the side ``"before"`` it, which do
                not turn with a wheel, or of ``"space"``.
        """
        one_of(("behind", "before", "space"), axes, "a reaction", "axes", "E164")
        if joint not in tuple(self._parts.joints):
            raise UnknownName("E164", f"there is no joint {as_given(joint)}", did_you_mean(joint, self._parts.joints))
        return Reaction(self.assembly, joint, axes)

    def doubt(self, note: Note) -> None:
        """Keep a note of what every motion of the machine leaves out."""
        self._parts.doubts.append(note)
        self.notes += (note,)
        self._changed(note.code)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._parts.bodies)

    @property
    def joints(self) -> dict[str, str]:
        """The kind of each joint."""
        return {name: joint.kind for name, joint in self._parts.joints.items()}

    def __repr__(self) -> str:
        of, words = self._parts, ("bodies", "joints", "loops", "wheels")
        counts = zip(words, (len(of.bodies), len(of.joints), len(of.closures), len(of.wheels)), strict=True)
        told = ", ".join(f"{n} {word}" for word, n in counts if n)
        return f"<Machine: {told or 'empty'}>"

    def _name(self, given: str, what: str, known: Mapping[str, object]) -> None:
        if text(given, f"the name of a {what}", "E164") in known or given == GROUND:
            raise InvalidValue("E164", f"there is a {what} {as_given(given)} already", "give each a name of its own")

    def _known(self, body: str, *, ground: bool = False) -> None:
        known = (*self._parts.bodies, *((GROUND,) if ground else ()))
        if body not in known:
            remedy = did_you_mean(str(body), known) if known else "add bodies first, then what holds them"
            raise UnknownName("E164", f"the machine has no body {as_given(body)}", remedy)

    def _followed(self, name: str, kind: str, given: object) -> tuple[str, Given, Given]:
        parts: list[Any] = [given] if isinstance(given, str) else list(given) if isinstance(given, tuple | list) else []
        if not 1 <= len(parts) <= 3:
            raise InvalidValue(
                "E164",
                f"the joint {name} follows {as_given(given)}",
                'a joint, a ratio and an offset: ("crank", -2, 0)',
            )
        leader, ratio, offset = (parts + [1.0, 0.0][len(parts) - 1 :])[:3]
        known = [j.name for j in self._parts.joints.values() if KINDS[j.kind].simple and j.follows is None]
        if leader not in known or not KINDS[kind].simple:
            fact = f"the joint {name} cannot follow {as_given(leader)}: both have one coordinate, the first its own"
            raise UnknownName("E164", fact, did_you_mean(str(leader), known))
        return leader, ratio, offset

    def _changed(self, name: str) -> str:
        """What was put together before is put together anew."""
        self.__dict__.pop("assembly", None)
        return name


def _round(body: GivenBody) -> dict[str, object]:
    """Radius and middle of the first shape that rolls."""
    for shape in body.shapes:
        given = shape if isinstance(shape, Mapping) else vars(shape)
        if given.get("shape") in ("disc", "wheel", "ball") and given.get("radius") is not None:
            return {"radius": given["radius"], "at": given.get("at")}
    return {}
