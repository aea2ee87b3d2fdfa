"""Machines from robot files in URDF: links, joints, and the shapes that are seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

from ..argument_checks import one_of, public
from ..errors import UnknownName, WrongType, as_given, did_you_mean
from ..model.bodies import Body
from .machine import GRAVITY, Machine
from .parts import Given
from .robot_file import FileBody, FileJoint, RobotFile, Rolls, Round, Three, boxed, one_or_more, upright
from .vectors import turn
from .xml_elements import Element, read_elements

_KINDS = {
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "fixed": "fixed", "planar": "planar",
    "floating": "free",
}  # fmt: skip
# what stands in files and moves nothing: of simulators, controllers and pictures
_ASIDE = {
    "robot": ("gazebo", "transmission", "ros2_control", "sensor", "material", "mujoco"),
    "link": ("sensor", "gazebo", "material", "contact", "self_collision_checking", "collision_checking", "self_filter"),
    "joint": ("limit", "safety_controller", "calibration", "gazebo"),
}
_OWN = {
    "robot": ("link", "joint"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("parent", "child", "origin", "axis", "dynamics", "mimic"),
}


@public
def from_urdf(
    path: str | Path,
    *,
    base: str = "fixed",
    rolls: Rolls = (),
    parameters: str | Sequence[str] = (),
    dry: bool = False,
    packages: str | Path | Sequence[str | Path] = (),
    gravity: Sequence[Given] = GRAVITY,
) -> Machine:
    """A machine from a file in URDF.

        robot = da.from_urdf("robot.urdf", base="planar", rolls="*wheel*")
        equations = da.nonholonomic(robot.system)

    Coordinates bear the names of the joints, in the order of the file; a body's frame is that of its link. Joints have
    the damping and friction of the file, and no limits. What does not enter the equations is told in `Machine.notes`.

    Args:
        path: a file. Macros of xacro are not run, and nothing is fetched.
        base: how the root link moves: fixed, planar (x, y, theta) or free (x, y, z, R).
        rolls: links, or their joints, by name or pattern, ``"*wheel*"``, that roll on level ground; a mapping gives
            their radii, which otherwise are those of a cylinder about the axle, or a ball, among the link's shapes.
        parameters: numbers that become parameters, ``["arm.mass", "arm.inertia", "elbow.damping"]``, called
            ``arm_mass``, ``arm_ixx`` and ``elbow_damping``, with the values of the file.
        dry: have joints the dry friction of the file, which sticks and slips? Runs with it in many joints take long;
            left out it is told in the notes of the machine, of its system and of every motion.
        packages: folders in which ``package://`` addresses of meshes are looked for, beside the file's own.
        gravity: the acceleration of free fall in axes of space, m/s^2.

    Raises:
        DalembertError: E165, the file is not understood, or says what cannot be; E109, moments that no body has.
    """
    if not isinstance(path, str | Path):
        raise WrongType("E165", f"{as_given(path)} is no file in URDF", 'da.from_urdf("robot.urdf")')
    one_of(("fixed", "planar", "free"), base, "from_urdf", "base", "E165")
    file = Path(path)
    root = read_elements(file)
    if root.tag != "robot":
        remedy = "da.from_mujoco reads it" if root.tag == "mujoco" else "a file in URDF begins with <robot>"
        raise root.refused(f"{file.name} is no URDF: its root is <{root.tag}>", remedy)
    folders = one_or_more(packages, "packages", Path)
    reading = UrdfReading(RobotFile("urdf"), [file.parent, *map(Path, folders)])
    return reading.robot(root).machine(base, reading.root, rolls, parameters, gravity, dry)


class UrdfReading:
    """A file as it is read."""

    def __init__(self, found: RobotFile, folders: Sequence[Path]) -> None:
        self.found, self.folders = found, folders
        self.root = ""
        self.undrawn = 0

    def robot(self, robot: Element) -> RobotFile:
        """All of it."""
        self._aside(robot)
        links, joints = (self._by_name(robot, tag) for tag in ("link", "joint"))
        if not links:
            raise robot.refused(f"{robot.called} has no links")
        for name, joint in joints.items():
            self.found.joints[name] = self._joint(joint, links)
        self._check_tree(robot, links)
        for name, link in links.items():
            self.found.bodies[name] = self._link(link)
        for name, joint in joints.items():
            self._lead(name, joint, joints)
        if self.undrawn:
            self.found.leave(f"{self.undrawn} meshes and shapes, which are not drawn")
        return self.found

    def _by_name(self, robot: Element, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for each in robot.all(tag):
            if (first := found.setdefault(each.text("name"), each)) is not each:
                name = as_given(each.text("name"))
                raise each.refused(f"there are two {tag}s {name}, the first in line {first.place.line}")
        return found

    def _aside(self, element: Element) -> None:
        """E165: a tag that may change the motion; one that does not is noted."""
        kind = element.tag
        for each in element.children:
            if each.tag in _ASIDE[kind] or ":" in each.tag:
                self.found.leave(f"<{each.tag}> of {kind}s" if kind != "robot" else f"<{each.tag}>")
            elif each.tag not in _OWN[kind]:
                raise each.refused(
                    f"<{each.tag}> in {element.called} is not understood, and may change the motion",
                    "take it out of the file, and put what it says on the machine",
                )

    # --- the tree ----------------------------------------------------------------------------------------------------

    def _check_tree(self, robot: Element, links: dict[str, Element]) -> None:
        """E165: no tree, or several."""
        holders = {joint.behind: joint for joint in self.found.joints.values()}
        roots = [name for name in links if name not in holders]
        if len(roots) > 1:
            fact = f"{len(roots)} links are held by no joint: {', '.join(roots[:4])}"
            raise links[roots[1]].refused(fact, "join them: one link is the root")
        for name, link in links.items():
            way = [name]
            while way[-1] in holders:
                way.append(holders[way[-1]].before)
                if way[-1] == name:
                    raise link.refused(
                        f"the joints form a loop: {' -> '.join(reversed(way))}", "machine.close(...) closes it"
                    )
                if len(way) > len(links):
                    break  # the loop is further up: it is told of a link in it
        self.root = roots[0]

    def _lead(self, name: str, element: Element, joints: dict[str, Element]) -> None:
        """What a joint follows in the end: a mimic of a mimic follows the first."""
        if (mimic := element.one("mimic")) is None:
            return
        ratio, offset, way = 1.0, 0.0, [name]
        while (mimic := joints[way[-1]].one("mimic")) is not None:
            mimic.holds("", "joint multiplier offset")
            # q = m (m' q'' + b') + b
            offset += ratio * mimic.number("offset", 0.0)
            ratio *= mimic.number("multiplier", 1.0)
            leader = mimic.text("joint")
            if leader not in joints:
                error = UnknownName(
                    "E165", f"the joint {name} follows {as_given(leader)}, which is none", did_you_mean(leader, joints)
                )
                error.at(mimic.place)
                raise error
            if leader in way:
                raise mimic.refused(f"joints follow each other in a circle: {' -> '.join([*way, leader])}")
            way.append(leader)
        led, leading = self.found.joints[name], self.found.joints[way[-1]]
        if led.kind == "fixed":
            self.found.leave("<mimic> of fixed joints")
            return
        if not {led.kind, leading.kind} <= {"hinge", "slide"}:
            fact = f"the joint {name} follows {leading.name}, which is {joints[leading.name].text('type')}"
            raise element.needed("mimic").refused(
                fact, "a joint that follows another has one coordinate, as that one has"
            )
        self.found.joints[name].follows = (way[-1], ratio, offset)

    # --- links and joints --------------------------------------------------------------------------------------------

    def _joint(self, joint: Element, links: dict[str, Element]) -> FileJoint:
        name, kind = joint.text("name"), joint.text("type")
        if kind not in _KINDS:
            raise joint.refused(f"the joint {name} is of the type {as_given(kind)}", f"types are {', '.join(_KINDS)}")
        self._aside(joint)
        ends = []
        for tag in ("parent", "child"):
            end = joint.needed(tag)
            end.holds("", "link")
            if (link := end.text("link")) not in links:
                fact = f"the joint {name} names the link {as_given(link)}, which is none"
                error = UnknownName("E165", fact, did_you_mean(link, links))
                error.at(end.place)
                raise error
            ends.append(link)
        if other := next((j for j in self.found.joints.values() if j.behind == ends[1]), None):
            fact = f"the link {ends[1]} is held by two joints, {other.name} and {name}"
            raise joint.refused(fact, "the second closes a loop: leave it out, and machine.close(...) closes it")
        at, angles = _origin(joint)
        made = FileJoint(name, _KINDS[kind], ends[0], ends[1], joint.place, (at, angles))
        if made.kind in ("hinge", "slide", "planar"):
            made.axis = self._axis(joint)
        if (dynamics := joint.one("dynamics")) is not None and made.kind != "fixed":
            self._dynamics(dynamics, made)
        return made

    def _axis(self, joint: Element) -> Three:
        if (axis := joint.one("axis")) is None:
            return 1.0, 0.0, 0.0
        axis.holds("", "xyz")
        x, y, z = axis.numbers("xyz", 3, (1.0, 0.0, 0.0))
        if x == y == z == 0:
            raise axis.refused(f"the axis of the joint {joint.text('name')} has the length 0", '<axis xyz="0 0 1"/>')
        return x, y, z

    def _dynamics(self, dynamics: Element, joint: FileJoint) -> None:
        for attribute in dynamics.attributes:
            if attribute not in ("damping", "friction") and dynamics.attributes[attribute].strip() not in ("0", "0.0"):
                self.found.leave(f"{attribute} in <dynamics>, which is no word of URDF")
        for key, attribute in (("damping", "damping"), ("dry", "friction")):
            value = dynamics.number(attribute, 0.0)
            if value < 0:
                raise dynamics.refused(f"{attribute} of the joint {joint.name} is {value:g}", "it is not negative")
            if value and joint.kind not in ("hinge", "slide"):
                fact = f"the joint {joint.name} has {attribute}, and has not one coordinate"
                raise dynamics.refused(fact, "machine.force(...) acts on bodies")
            joint.numbers[key] = value

    def _link(self, link: Element) -> FileBody:
        self._aside(link)
        body = FileBody(link.text("name"), link.place)
        if (inertial := link.one("inertial")) is not None:
            self._inertial(inertial, body)
        for each in link.all("collision"):
            body.rounds += [found for found in [self._round(each)] if found is not None]
        for each in link.all("visual"):
            body.rounds += [found for found in [self._round(each)] if found is not None]
            body.shapes += self._shapes(each)
        return body

    def _inertial(self, inertial: Element, body: FileBody) -> None:
        inertial.holds("origin mass inertia", "")
        mass, tensor = inertial.needed("mass"), inertial.needed("inertia")
        mass.holds("", "value")
        keys = "ixx ixy ixz iyy iyz izz"
        tensor.holds("", keys)
        (x, y, z), body.turn = _origin(inertial)
        body.numbers = {"mass": mass.number("value"), "x": x, "y": y, "z": z}
        body.numbers |= {key: tensor.number(key) for key in keys.split()}
        if mass.number("value") < 0:
            raise mass.refused(f"the mass of the link {body.name} is {mass.number('value'):g}", "give a positive one")

    # --- shapes ------------------------------------------------------------------------------------------------------

    def _round(self, shape: Element) -> Round | None:
        """A cylinder or ball of a <visual> or <collision>."""
        for each in shape.needed("geometry").children:
            at, angles = _origin(shape)
            if each.tag == "sphere":
                return Round(each.number("radius"), at)
            if each.tag == "cylinder":
                x, y, z = map(float, _matrix(angles)[:, 2])
                return Round(each.number("radius"), at, (x, y, z))
        return None

    def _shapes(self, visual: Element) -> Iterator[Body]:
        at, angles = _origin(visual)
        for each in visual.needed("geometry").children:
            match each.tag:
                case "box":
                    yield Body("box", size=each.numbers("size", 3), at=at, turn=angles)
                case "sphere":
                    yield Body("ball", radius=each.number("radius"), at=at)
                case "cylinder":
                    yield upright(each.number("radius"), each.number("length"), at, _matrix(angles), angles)
                case "mesh" if (bounds := self._bounds(each)) is not None:
                    low, high = bounds
                    middle = np.array(at) + _matrix(angles) @ ((low + high) / 2)
                    yield from boxed((high - low).tolist(), middle.tolist(), angles)
                case _:
                    self.undrawn += 1

    def _bounds(self, mesh: Element) -> tuple[np.ndarray, np.ndarray] | None:
        """The lowest and highest corner of a mesh, if it is found where it may be looked for."""
        if (path := self._found(mesh.text("filename"))) is None:
            return None
        bounds = _corners(path)
        scale = np.array(mesh.numbers("scale", 3, (1.0, 1.0, 1.0)))
        return None if bounds is None else (np.min(bounds * scale, axis=0), np.max(bounds * scale, axis=0))

    def _found(self, address: str) -> Path | None:
        """A file in the folder of the robot's file, or in one that was named."""
        parts = urlsplit(address)
        if parts.scheme not in ("", "package", "file") or (parts.scheme == "file" and parts.netloc):
            return None
        inner = unquote(f"{parts.netloc}{parts.path}" if parts.scheme == "package" else parts.path)
        for folder in self.folders:
            inside = [folder / inner]
            if parts.scheme == "package" and folder.resolve().name == parts.netloc:
                inside.append(folder / unquote(parts.path).lstrip("/"))
            for path in inside:
                if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                    return path
        return None


def _origin(element: Element) -> tuple[Three, list[tuple[str, float]]]:
    """A place and turns; ``rpy`` are turns about fixed axes x, y, z, so about z, y, x of the body."""
    if (origin := element.one("origin")) is None:
        return (0.0, 0.0, 0.0), []
    origin.holds("", "xyz rpy")
    x, y, z = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
    roll, pitch, yaw = origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
    return (x, y, z), [(axis, angle) for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)) if angle != 0]


def _corners(path: Path) -> np.ndarray | None:
    """The lowest and highest corner of a mesh, (2, 3); None if it cannot be read."""
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count and count:  # binary STL: of each triangle a normal, three corners and two bytes
        corners = np.frombuffer(data, np.dtype([("n", "<f4", 3), ("x", "<f4", (3, 3)), ("_", "<u2")]), count, 84)["x"]
        return np.array([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))], float)
    if find_spec("trimesh") is None:
        return None
    import trimesh

    try:  # of a stream: what a mesh refers to is not followed
        found = trimesh.load_scene(BytesIO(data), file_type=path.suffix[1:].lower(), process=False).bounds
    except Exception:
        return None
    return None if found is None else np.array(found, float)


def _matrix(angles: Sequence[tuple[str, float]]) -> np.ndarray:
    R = np.eye(3)
    for axis, angle in angles:
        R = R @ np.array(turn("xyz".index(axis), angle), float)
    return R
