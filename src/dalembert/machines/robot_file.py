"""What the file of a robot says, in names and numbers of the file, and the machine that is made of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import one_of
from ..errors import DalembertError, InvalidValue, Note, Place, UnknownName, WrongType, as_given, did_you_mean
from ..model.bodies import Body
from ..model.inertia import check
from ..model.names import check_name, taken
from .assembly import GROUND, direction
from .machine import Machine
from .parts import Given, Turn
from .vectors import ZERO

Rolls = str | Sequence[str] | Mapping[str, Given]
Three = tuple[float, float, float]
MOMENTS = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_GROUPS = {"inertia": _TENSOR, "centre": ("x", "y", "z")}
_WORDS = {"friction": "dry", "stiffness": "spring"}  # of files


@dataclass(frozen=True)
class Round:
    """A cylinder or ball on a body: what it may roll on. A ball has no axis."""

    radius: float
    middle: Three = (0.0, 0.0, 0.0)
    axis: Three | None = None


@dataclass
class FileBody:
    """A body in the words of a file.

    Attributes:
        numbers: mass, x, y, z of the centre, and the tensor about it, ixx to izz, in axes turned by `turn`.
        rounds: of what it may roll on, the shapes that touch before those that are seen.
        carried: what it is fixed to, and where in that, if a joint does not hold it at its origin.
    """

    name: str
    place: Place | None = None
    numbers: dict[str, float | str] = field(default_factory=dict)
    turn: Turn = ()
    shapes: list[Body] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    carried: tuple[str, Three] | None = None

    @property
    def is_massless(self) -> bool:
        """Has it neither mass nor moments?"""
        return not any(self.numbers.get(key) for key in ("mass", *_TENSOR))


@dataclass(frozen=True)
class JointDrive:
    """What an input does in a joint: gain times it, and a force b0 + b1 q + b2 q'."""

    name: str
    gain: float
    bias: Three = (0.0, 0.0, 0.0)

    def force(self, driving: str, q: str) -> sp.Expr:
        """By the names of the input and the coordinate."""
        factors = (*self.bias, self.gain)
        of = (sp.Integer(1), *(sp.Symbol(name, real=True) for name in (q, f"v{q}", driving)))
        return sp.Add(*(sp.Float(k) * e for k, e in zip(factors, of, strict=True) if k != 0))


@dataclass
class FileJoint:
    """A joint in the words of a file: its place and turn, and `numbers`: damping, dry, armature, spring and rest."""

    name: str
    kind: str
    before: str
    behind: str
    place: Place | None = None
    pose: tuple[Sequence[Given], Turn] = (ZERO, ())
    axis: str | Sequence[float] = "z"
    follows: tuple[str, float, float] | None = None
    numbers: dict[str, float | str] = field(default_factory=dict)


class RobotFile:
    """Bodies and joints of a file, in its order, and what is told about it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.bodies: dict[str, FileBody] = {}
        self.joints: dict[str, FileJoint] = {}
        self.notes: list[Note] = []
        self.left_out: dict[str, int] = {}
        self.inputs: dict[str, None] = {}
        self.drives: dict[str, list[JointDrive]] = {}  # by joint
        self.nameless: set[str] = set()  # bodies and joints that the file does not name
        self.more: list[Callable[[Machine, RobotFile], None]] = []  # what is put on the machine in the end
        self._names: dict[str, dict[str, str]] = {"link": {}, "joint": {}, "input": {}}

    # --- names -------------------------------------------------------------------------------------------------------

    def leave(self, what: str) -> None:
        """Note something that does not enter the equations; each kind is told once, with its number."""
        self.left_out[what] = self.left_out.get(what, 0) + 1

    def named(self, kind: str, name: str) -> str:
        """The name of a link or joint in the machine; without a name it is the ground."""
        return self._names[kind][name] if name else GROUND

    def name_all(self) -> None:
        """Names of coordinates for those of the file that are none."""
        changed = []
        moving = {"base"}
        groups: tuple[tuple[str, Mapping[str, FileBody | FileJoint | None]], ...] = (
            ("link", self.bodies), ("joint", self.joints), ("input", self.inputs)
        )  # fmt: skip
        for kind, given in groups:
            found = self._names[kind]
            for name, part in given.items():
                new = identifier(name, kind, {GROUND} if kind == "link" else moving)
                if (other := next((old for old, made in found.items() if made == new), None)) is not None:
                    fact = f"the {kind}s {as_given(other)} and {as_given(name)} would both be called {new}"
                    raise refused(fact, "rename one of them in the file", None if part is None else part.place)
                found[name] = new
                if new != name and name not in self.nameless:
                    changed.append(f"{name} -> {new}")
            if kind == "joint":
                moving |= {made for name in found.values() for made in (name, f"v{name}")}
        if changed:
            self.notes.append(Note("N165", f"renamed, for names of coordinates: {', '.join(dict.fromkeys(changed))}"))

    # --- parameters --------------------------------------------------------------------------------------------------

    def parametrised(self, wanted: str | Sequence[str]) -> dict[str, float]:
        """Make parameters of numbers of the file; their values."""
        values: dict[str, float] = {}
        for each in one_or_more(wanted, "parameters"):
            name, _, word = each.rpartition(".")
            keys = _GROUPS.get(word, (_WORDS.get(word, word),))
            of_joint = name in self.joints and (name not in self.bodies or word not in (*_GROUPS, *_keys()))
            part: FileBody | FileJoint | None = self.joints.get(name) if of_joint else self.bodies.get(name)
            if part is None:
                fact = f"parameters: {as_given(each)} is no number of a link or joint"
                known = [f"{n}.{word}" for n in (*self.bodies, *self.joints)] if name else [*self.bodies, *self.joints]
                raise UnknownName("E165", fact, did_you_mean(str(each), known))
            if not set(keys) <= {*(("damping", "dry", "armature", "spring") if of_joint else _keys())}:
                words = "damping, friction, armature, stiffness" if of_joint else "mass, inertia, centre, ixx, x"
                raise UnknownName(
                    "E165", f"parameters: {as_given(each)} is no number of the file", f"there are {words}"
                )
            for key in keys:
                value = part.numbers.get(key, 0.0)
                if isinstance(value, str) or (value == 0 and word in _GROUPS):
                    continue  # the products that are 0 stay so
                label = key if word in _GROUPS else word
                new = f"{self.named('joint' if of_joint else 'link', name)}_{label}"
                values[new], part.numbers[key] = value, new
        return values

    # --- the machine -------------------------------------------------------------------------------------------------

    def machine(
        self,
        base: str | None,
        root: str | None,
        rolls: Rolls,
        wanted: str | Sequence[str],
        gravity: Sequence[Given],
        dry: bool,
    ) -> Machine:
        """The machine; its base carries the body `root`, and its joints have dry friction if they may have it.

        Raises:
            DalembertError: E165, E109.
        """
        if base is not None:
            one_of(("fixed", "planar", "free"), base, f"from_{self.kind}", "base", "E165")
        if base == "fixed" and rolls:
            fact = "nothing rolls on the ground: the base is fixed"
            raise InvalidValue("E165", fact, 'base="planar" or base="free" lets it drive')
        rough = [joint.name for joint in self.joints.values() if not dry and joint.numbers.pop("dry", 0.0)]
        self.name_all()
        self._check_masses(base in ("planar", "free"))
        rolling = list(self._rolling(rolls))
        machine = Machine(
            gravity=gravity, parameters=self.parametrised(wanted), inputs=list(self._names["input"].values())
        )
        for body in self.bodies.values():
            n = {key: body.numbers.get(key, 0.0) for key in _keys()}
            tensor = None if not any(n[key] for key in _TENSOR) else [[n[key] for key in row] for row in MOMENTS]
            machine.body(
                self.named("link", body.name), mass=n["mass"], centre=[n["x"], n["y"], n["z"]], inertia=tensor,
                turn=body.turn, shape=body.shapes,
            )  # fmt: skip
        if root is not None and base is not None:
            machine.base(base, self.named("link", root))
        for joint in sorted(self.joints.values(), key=lambda joint: joint.follows is not None):
            self._put(machine, joint)
        for name, radius, at in rolling:
            machine.roll(self.named("link", name), radius, at=at)
        for put in self.more:
            put(machine, self)
        if rough:
            machine.doubt(Note("N166", f"dry friction of the file is left out, dry=True takes it: {', '.join(rough)}"))
        if self.left_out:
            told = ", ".join(what if n == 1 else f"{what} ({n})" for what, n in self.left_out.items())
            self.notes.append(Note("N165", f"not in the equations: {told}"))
        self._check_inertias(machine)
        machine.notes += tuple(self.notes)
        return machine

    def _put(self, machine: Machine, joint: FileJoint) -> None:
        led, q = joint.follows, self.named("joint", joint.name)
        drives = self.drives.get(joint.name, ())
        torque = sp.Add(*(each.force(self.named("input", each.name), q) for each in drives))
        try:
            machine.joint(
                q, joint.kind, self.named("link", joint.before), self.named("link", joint.behind),
                at=joint.pose[0], turn=joint.pose[1], axis=joint.axis, torque=torque if drives else None,
                follows=None if led is None else (self.named("joint", led[0]), *led[1:]),
                **{key: x for key, x in joint.numbers.items() if x != 0 and (key != "rest" or joint.numbers["spring"])},
            )  # fmt: skip
        except DalembertError as error:
            error.at(joint.place)
            raise

    def _check_inertias(self, machine: Machine) -> None:
        """E109, W109: moments that no body has; a note of links that have them only with what is fixed to them."""
        try:
            machine.assembly.inertias  # noqa: B018 - it refuses them
        except DalembertError as error:
            if error.code == "E109":
                names = {self.named("link", body.name): body for body in self.bodies.values()}
                error.at(names[error.subject[-1]].place)
            raise
        self.notes += machine.assembly.notes
        odd = []
        for body in self.bodies.values():
            n = {key: value if isinstance(value, float) else 0.0 for key, value in body.numbers.items()}
            J = sp.ImmutableMatrix([[n.get(key, 0.0) for key in row] for row in MOMENTS])
            if not any(J):
                continue
            try:
                doubt = check(J, body.name, 1e-9 * max(map(abs, J)))
            except DalembertError:
                doubt = body.name
            odd += [body.name] if doubt else []
        if odd:
            self.notes.append(
                Note("N165", f"by themselves these links have moments that no body has: {', '.join(odd)}")
            )

    def _check_masses(self, is_moving: bool) -> None:
        """E165: a joint, or a base, that moves nothing."""
        behind: dict[str, list[FileJoint]] = {}
        for joint in self.joints.values():
            behind.setdefault(joint.before, []).append(joint)
            if joint.follows is not None:
                behind.setdefault(self.joints[joint.follows[0]].behind, []).append(joint)
        for joint in self.joints.values():
            if joint.kind == "fixed" or joint.follows is not None:
                continue
            moved, left = {joint.behind}, [joint]
            idle = True
            while left and idle:
                each = left.pop()
                idle = self.bodies[each.behind].is_massless and not each.numbers.get("armature")
                left += [more for more in behind.get(each.behind, []) if more.behind not in moved]
                moved |= {more.behind for more in left}
            if idle:
                fact = f"the joint {joint.name} moves nothing that has mass: the link {joint.behind} has no inertia"
                raise refused(
                    fact, "give it one, or make the joint fixed", self.bodies[joint.behind].place or joint.place
                )
        if is_moving and all(body.is_massless for body in self.bodies.values()):
            raise InvalidValue("E165", "nothing on the base has mass", "give a link its inertia")

    # --- wheels ------------------------------------------------------------------------------------------------------

    def _rolling(self, rolls: Rolls) -> Iterator[tuple[str, Given, Sequence[Given] | None]]:
        """Bodies that roll, their radius and their middle."""
        given: Mapping[str, Given | None] = (
            rolls if isinstance(rolls, Mapping) else dict.fromkeys(one_or_more(rolls, "rolls"))
        )
        holders = {joint.behind: joint for joint in self.joints.values()}
        known = {name: name for name in self.bodies}
        known |= {joint.name: joint.behind for joint in self.joints.values() if joint.name not in known}
        done: set[str] = set()
        for word, radius in given.items():
            found = [known[word]] if word in known else []
            if not found and any(c in word for c in "*?["):
                matching = [body for name, body in known.items() if fnmatchcase(name, word)]
                found = [b for b in dict.fromkeys(matching) if self._holder(b, holders).kind in ("hinge", "ball")]
            if not found:
                fact = f"rolls: nothing that turns is called {as_given(word)}"
                raise UnknownName("E165", fact, did_you_mean(word, known))
            for name in found:
                if name not in done:
                    done.add(name)
                    yield self._wheel(self.bodies[name], self._holder(name, holders), radius)

    def _holder(self, name: str, holders: Mapping[str, FileJoint]) -> FileJoint:
        """The joint that lets a body turn."""
        carried = self.bodies[name].carried
        return holders.get(name if carried is None else carried[0], FileJoint("base", "free", "", name))

    def _wheel(
        self, body: FileBody, holder: FileJoint, radius: Given | None
    ) -> tuple[str, Given, Sequence[Given] | None]:
        axle = None
        if holder.kind == "hinge":
            axle = np.array(direction(holder.axis, f"the axis of the joint {holder.name}"), float)
        fits = [
            each
            for each in body.rounds
            if each.axis is None or (axle is not None and abs(np.cross(each.axis, axle)).max() < 1e-6)
        ]
        if radius is None and not fits:
            fact = f"the radius of {as_given(body.name)} cannot be told: it has no ball, and no cylinder about its axle"
            raise refused(fact, f'rolls={{"{body.name}": 0.1}} gives it', body.place)
        middle = fits[0].middle if fits else None
        if body.carried is None:
            return body.name, fits[0].radius if radius is None else radius, middle
        name, shift = body.carried
        moved = tuple(a + b for a, b in zip(middle or ZERO, shift, strict=True))
        return name, fits[0].radius if radius is None else radius, moved


def one_or_more(given: object, what: str, *kinds: type) -> list[Any]:
    """One text, or several; or of another kind (E165)."""
    found = [given] if isinstance(given, (str, *kinds)) else list(given) if isinstance(given, Iterable) else [None]
    if not all(isinstance(each, (str, *kinds)) for each in found):
        raise WrongType("E165", f"{what} = {as_given(given)}: it is text, or a list of it", f'{what}=["name"]')
    return found


def refused(fact: str, remedy: str = "", place: Place | None = None) -> InvalidValue:
    """E165, with a place in the file."""
    error = InvalidValue("E165", fact, remedy)
    error.at(place)
    return error


def upright(radius: float, length: float, middle: Sequence[float], R: np.ndarray, turn: Turn) -> Body:
    """A cylinder about the third axis of R: a disc if it is flat, a rod if it is long."""
    if length < 2 * radius:
        return Body("disc", radius=radius, thickness=length, at=tuple(middle), turn=turn)  # type: ignore[arg-type]
    half = length / 2 * R[:, 2]
    ends = (tuple(map(float, middle - half)), tuple(map(float, middle + half)))
    return Body("rod", from_=ends[0], to=ends[1], radius=radius)


def boxed(size: Sequence[float], at: Sequence[float], turn: Turn) -> list[Body]:
    """The box of a mesh; one that is flat is drawn thin, and one that is a point is not."""
    thin = 1e-3 * max(size)
    return [Body("box", size=[max(e, thin) for e in size], at=at, turn=turn)] if thin > 0 else []  # type: ignore[arg-type]


def steps(R: np.ndarray) -> list[tuple[str, float]]:
    """A rotation as turns about z, y and x of the body, one after the other."""
    # R = Rz(a) Ry(b) Rx(c)
    flat = float(np.hypot(R[0, 0], R[1, 0]))
    b = float(np.arctan2(-R[2, 0], flat))
    if flat > 1e-12:
        return _turning(float(np.arctan2(R[1, 0], R[0, 0])), b, float(np.arctan2(R[2, 1], R[2, 2])))
    return _turning(float(np.arctan2(-R[0, 1], R[1, 1])), b, 0.0)


def _turning(a: float, b: float, c: float) -> list[tuple[str, float]]:
    return [(axis, angle) for axis, angle in (("z", a), ("y", b), ("x", c)) if angle != 0]


def _keys() -> tuple[str, ...]:
    return ("mass", "x", "y", "z", *_TENSOR)


def identifier(name: str, kind: str, reserved: Set[str] = frozenset()) -> str:
    """A name of a coordinate that is as near as can be."""
    plain = re.sub(r"\W", "_", name)[:60]
    plain = f"{kind}_{plain}" if not plain or plain[0].isdigit() else plain
    try:
        plain = check_name(plain, "a coordinate")
    except DalembertError:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", plain)
    try:
        taken(plain, "a coordinate")
    except DalembertError:
        return f"{plain}_{kind}"
    return f"{plain}_{kind}" if plain in reserved else plain
