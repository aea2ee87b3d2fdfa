"""Machines from models of MuJoCo: MJCF files, specifications and compiled models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import public
from ..errors import DalembertError, InvalidValue, Place, WrongType, as_given
from ..model.bodies import Body
from .machine import Machine
from .robot_file import (
    FileBody,
    FileJoint,
    JointDrive,
    RobotFile,
    Rolls,
    Round,
    Three,
    boxed,
    identifier,
    one_or_more,
    refused,
    steps,
    upright,
)
from .xml_elements import Element, read_elements

_JOINTS = ("free", "ball", "slide", "hinge")
_FOLDERS = ("meshdir", "texturedir", "assetdir")
_LIMIT = 16  # files that include each other


@public
def from_mujoco(
    model: object,
    *,
    base: str | None = None,
    rolls: Rolls = (),
    parameters: str | Sequence[str] = (),
    dry: bool = False,
    packages: str | Path | Sequence[str | Path] = (),
) -> Machine:
    """A machine from a file in MJCF or a model of MuJoCo, which reads the file (``pip install 'dalembert[robot]'``).

        robot = da.from_mujoco("robot.xml", base="planar", rolls="*wheel*")

    Coordinates bear the names of the joints; a body's frame is that of the model. Equalities are constraints without
    give, actuators are inputs, and nothing touches but what `rolls` names. What does not enter the equations is told in
    `Machine.notes`.

    Args:
        model: a file, an ``MjSpec`` or an ``MjModel``.
        base: how the one body on the world moves, fixed, planar or free, instead of the free joint it may have; left
            out, as the model says.
        rolls: bodies, or their joints, that roll on level ground, as of `from_urdf`.
        parameters: numbers that become parameters, ``["arm.mass", "elbow.damping", "elbow.armature"]``.
        dry: have joints the dry friction of the file, which sticks and slips? Runs with it in many joints take long;
            left out it is told in the notes of the machine, of its system and of every motion.
        packages: folders in which files may lie that the file includes, beside its own.

    Raises:
        DalembertError: E165, the model is not understood, or says what cannot be said here; E801, MuJoCo is not
            installed; E109, a body has moments that none has.
    """
    try:
        import mujoco
    except ImportError:
        raise InvalidValue(
            "E801", "this needs MuJoCo, which is not installed", "pip install 'dalembert[robot]'"
        ) from None
    folders = one_or_more(packages, "packages", Path)
    reading = MujocoReading(mujoco, _compiled(mujoco, model, [Path(folder) for folder in folders]))
    reading.all(base)
    gravity = (0.0, 0.0, 0.0) if reading.disabled("GRAVITY") else tuple(map(float, reading.model.opt.gravity))
    return reading.found.machine(base, reading.root if base else None, rolls, parameters, gravity, dry)


def _compiled(mujoco: ModuleType, given: object, folders: Sequence[Path]) -> Any:
    """The model of a file or specification."""
    if isinstance(given, mujoco.MjModel):
        return given
    try:
        if isinstance(given, mujoco.MjSpec):
            return given.copy().compile()
        if not isinstance(given, str | Path):
            raise WrongType("E165", f"{as_given(given)} is no model of MuJoCo", 'da.from_mujoco("robot.xml")')
        path = Path(given)
        _look(path, [path.parent, *folders])
        return mujoco.MjSpec.from_file(str(path)).compile()
    except ValueError as error:
        if isinstance(error, DalembertError):
            raise
        fact = " ".join(str(error).split())
        line = re.search(r"line (\d+)", fact)
        place = Place(Path(given).name, int(line[1])) if line and isinstance(given, str | Path) else None
        raise refused(f"MuJoCo refuses the model: {fact}", "", place) from None


def _look(path: Path, folders: Sequence[Path], depth: int = 0) -> None:
    """E165: a file that names what lies outside of the folders, or a plugin."""
    root = read_elements(path)
    if root.tag == "robot":
        raise root.refused(f"{path.name} is URDF", "da.from_urdf reads it")
    if depth > _LIMIT:
        raise root.refused(f"files include each other {depth} deep")
    left = [root]
    while left:
        element = left.pop()
        left += element.children
        if element.tag in ("plugin", "extension"):
            raise element.refused(f"{element.called} asks for a plugin, and none is run")
        for key, named in element.attributes.items():
            if key in _FOLDERS or key.startswith("file"):
                _inside(element, path.parent / named, folders)
        if element.tag == "include":
            _look(path.parent / element.text("file"), folders, depth + 1)


def _inside(element: Element, path: Path, folders: Sequence[Path]) -> None:
    if not any(path.resolve().is_relative_to(folder.resolve()) for folder in folders):
        fact = f"{element.called} names {path}, which lies outside of the file's folder"
        raise element.refused(fact, f'packages="{path.parent}" allows it')


class MujocoReading:
    """A compiled model as it is read."""

    def __init__(self, mujoco: ModuleType, model: Any) -> None:
        self.mujoco, self.model = mujoco, model
        self.found = RobotFile("mujoco")
        self.root = ""
        self.bodies = [self.name("BODY", i) or f"body{i}" for i in range(model.nbody)]
        self.bodies[0] = ""
        self.joints = [self._joint_name(i) for i in range(model.njnt)]

    def name(self, kind: str, i: int) -> str:
        """The name of the i-th object of a kind."""
        return self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), i) or ""

    def disabled(self, flag: str) -> bool:
        """Is something switched off in the model?"""
        return bool(self.model.opt.disableflags & int(getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{flag}")))

    def _joint_name(self, i: int) -> str:
        kind = _JOINTS[self.model.jnt_type[i]]
        return self.name("JOINT", i) or f"{self.bodies[self.model.jnt_bodyid[i]]}_{kind}"

    def all(self, base: str | None) -> None:
        """Bodies, joints, equalities, actuators; what is left out."""
        m = self.model
        self._refuse()
        tops = [i for i in range(1, m.nbody) if m.body_parentid[i] == 0]
        if base is not None:
            if len(tops) != 1:
                raise refused(f"{len(tops)} bodies are on the world: none is the base", "leave base out")
            self.root = self.bodies[tops[0]]
        for i in range(1, m.nbody):
            self._body(i, based=bool(base) and i == tops[0])
        for i in range(m.ngeom):
            self._geom(i)
        if not self.disabled("EQUALITY"):
            for i in range(m.neq):
                self._equality(i)
        if not self.disabled("ACTUATION"):
            for i in range(m.nu):
                self._actuator(i)
        if np.any((m.geom_contype != 0) & (m.geom_bodyid != 0)):
            self.found.leave("contacts of bodies")
        for what, count in (
            ("limits of joints", int(np.count_nonzero(m.jnt_limited))), ("sites", m.nsite), ("sensors", m.nsensor),
            ("keyframes", m.nkey), ("tendons", m.ntendon), ("skins", m.nskin),
        ):  # fmt: skip
            if count:
                self.found.left_out[what] = count

    def _refuse(self) -> None:
        """E165: what cannot be said here."""
        m = self.model
        still = [name for name in ("density", "viscosity") if getattr(m.opt, name)]
        refuse = {
            "a fluid": bool(still) or bool(np.any(m.opt.wind)),
            "flexible bodies": m.nflex > 0,
            "plugins": m.nplugin > 0,
            "bodies that are moved from outside (mocap)": m.nmocap > 0,
            "compensation of gravity": bool(np.any(m.body_gravcomp)),
            "springs, dampers or friction in tendons": self._any("tendon", "stiffness damping frictionloss armature"),
            "springs or dampers that are not linear": self._any("jnt", "stiffnesspoly")
            or self._any("dof", "dampingpoly"),
            "actuators of several inputs": getattr(m, "nactuator", m.nu) != m.nu,
            "damping or armature in actuators": self._any("actuator", "damping armature delay"),
        }
        for what, there in refuse.items():
            if there:
                raise refused(f"the model has {what}, which cannot be said here", "leave them out of the file")

    def _any(self, kind: str, fields: str) -> bool:
        return any(bool(np.any(getattr(self.model, f"{kind}_{field}", 0))) for field in fields.split())

    # --- bodies and joints -------------------------------------------------------------------------------------------

    def _turn(self, quat: np.ndarray) -> np.ndarray:
        R = np.zeros(9)
        self.mujoco.mju_quat2Mat(R, np.asarray(quat, float))
        return R.reshape(3, 3)

    def _body(self, i: int, based: bool) -> None:
        m, name = self.model, self.bodies[i]
        body = self.found.bodies[name] = FileBody(name)
        x, y, z = map(float, m.body_ipos[i])
        moments = dict(zip(("ixx", "iyy", "izz"), map(float, m.body_inertia[i]), strict=True))
        body.numbers = {"mass": float(m.body_mass[i]), "x": x, "y": y, "z": z, **moments}
        body.turn = self._turn(m.body_iquat[i]).tolist()
        own = range(m.body_jntadr[i], m.body_jntadr[i] + m.body_jntnum[i])
        if based:
            kinds = {_JOINTS[m.jnt_type[j]] for j in own} - {"free"}
            if kinds:
                raise refused(f"the body {name} is no base: it is on a joint, {', '.join(kinds)}", "leave base out")
            return
        before, at, R = self.bodies[m.body_parentid[i]], np.array(m.body_pos[i]), self._turn(m.body_quat[i])
        if not own:
            self._fix(before, name, at, R)
            return
        reached = np.zeros(3)
        for j in own:
            anchor = np.array(m.jnt_pos[j])
            last = j == own[-1] and not anchor.any()
            behind = name if last else f"{name}_{self.joints[j]}"
            if not last:
                self.found.bodies[behind] = FileBody(behind)
                self.found.nameless.add(behind)
            self._joint(j, before, behind, at + R @ (anchor - reached), R)
            before, at, R, reached = behind, np.zeros(3), np.eye(3), anchor
        if before != name:
            if len(own) == 1 or m.jnt_type[own[-1]] in (1, 3):
                body.carried = before, _three(-reached)
            self._fix(before, name, -reached, np.eye(3))

    def _joint(self, j: int, before: str, behind: str, at: np.ndarray, R: np.ndarray) -> None:
        """A joint; its place counts where the coordinate is that of the model as it is built (`qpos0`)."""
        m, kind = self.model, _JOINTS[self.model.jnt_type[j]]
        dof, q = m.jnt_dofadr[j], m.jnt_qposadr[j]
        joint = FileJoint(self.joints[j], kind, before, behind)
        size = {"free": 6, "ball": 3}.get(kind, 1)
        passive = {
            "damping": np.zeros(6) if self.disabled("DAMPER") else m.dof_damping[dof : dof + size],
            "armature": m.dof_armature[dof : dof + size],
            "dry": np.zeros(6) if self.disabled("FRICTIONLOSS") else m.dof_frictionloss[dof : dof + size],
            "spring": np.zeros(1) if self.disabled("SPRING") else m.jnt_stiffness[j : j + 1],
        }
        if size > 1:
            if lost := [word for word, value in passive.items() if np.any(value)]:
                fact = f"the {kind} joint {joint.name} has {', '.join(lost)}, which only joints of one coordinate have"
                raise refused(fact, "leave it out of the file")
            self._put(joint, *((np.zeros(3), np.eye(3)) if kind == "free" else (at, R)))
            return
        axis, zero = np.array(m.jnt_axis[j]), float(m.qpos0[q])
        joint.axis = _three(axis)
        joint.numbers = {word: float(value[0]) for word, value in passive.items()}
        joint.numbers["rest"] = float(m.qpos_spring[q])
        if kind == "slide":
            at = at - R @ axis * zero
        elif zero:
            back = np.zeros(4)
            self.mujoco.mju_axisAngle2Quat(back, axis, -zero)
            R = R @ self._turn(back)
        self._put(joint, at, R)

    def _fix(self, before: str, name: str, at: np.ndarray, R: np.ndarray) -> None:
        """A body that no joint of the file holds where it is."""
        joint = FileJoint(f"{name}_fixed", "fixed", before, name)
        self.found.nameless.add(joint.name)
        self._put(joint, at, R)

    def _put(self, joint: FileJoint, at: np.ndarray, R: np.ndarray) -> None:
        joint.pose = _three(at), R.tolist()
        self.found.joints[joint.name] = joint

    # --- shapes ------------------------------------------------------------------------------------------------------

    def _geom(self, i: int) -> None:
        m = self.model
        kind = self.mujoco.mjtGeom(int(m.geom_type[i])).name.removeprefix("mjGEOM_").lower()
        at, R, size = np.array(m.geom_pos[i]), self._turn(m.geom_quat[i]), [float(e) for e in m.geom_size[i]]
        if not m.geom_bodyid[i]:
            return  # of the world: floors and walls
        body = self.found.bodies[self.bodies[m.geom_bodyid[i]]]
        if kind == "mesh":  # the box around it
            middle, half = m.geom_aabb[i][:3], m.geom_aabb[i][3:]
            at, size = at + R @ middle, [float(e) for e in half]
        place, turn = _three(at), steps(R)
        match kind:
            case "sphere":
                body.shapes.append(Body("ball", radius=size[0], at=place))
                body.rounds.append(Round(size[0], place))
            case "cylinder":
                body.shapes.append(upright(size[0], 2 * size[1], place, R, turn))
                body.rounds.append(Round(size[0], place, _three(R[:, 2])))
            case "capsule":
                ends = (_three(at - size[1] * R[:, 2]), _three(at + size[1] * R[:, 2]))
                body.shapes.append(Body("rod", from_=ends[0], to=ends[1], radius=size[0]))
            case "mesh":
                body.shapes += boxed([2 * e for e in size], place, turn)
            case "ellipsoid" | "box":
                body.shapes.append(Body(kind, size=[2 * e for e in size], at=place, turn=turn))
            case _:
                self.found.leave(f"geoms of the kind {kind}, which are not drawn")

    # --- equalities and actuators ------------------------------------------------------------------------------------

    def _equality(self, i: int) -> None:
        m, name = self.model, identifier(self.name("EQUALITY", i) or f"equality{i}", "equality")
        kind = self.mujoco.mjtEq(int(m.eq_type[i])).name.removeprefix("mjEQ_").lower()
        if not m.eq_active0[i]:
            self.found.leave("equalities that are not active")
            return
        first, second, data = int(m.eq_obj1id[i]), int(m.eq_obj2id[i]), np.array(m.eq_data[i], float)
        of_bodies = m.eq_objtype[i] == self.mujoco.mjtObj.mjOBJ_BODY
        if kind == "joint":
            self.found.more.append(partial(self._relate, name, first, second, data))
        elif kind == "connect" and of_bodies:
            at, other = _three(data[:3]), _three(data[3:6])
            self.found.more.append(partial(self._close, name, "ball", first, second, at, other))
        elif kind == "weld" and of_bodies:
            # the second's pose in the first: data[3:10] ; the point that is held, in the second: data[:3]
            R = self._turn(data[6:10])
            aside = f"{self.bodies[first] or 'world'}_{name}"
            self.found.bodies[aside] = FileBody(aside)
            self.found.nameless.add(aside)
            self._fix(self.bodies[first], aside, data[3:6] + R @ data[:3], R)
            self.found.more.append(
                partial(self._close, name, "fixed", aside, second, (0.0, 0.0, 0.0), _three(data[:3]))
            )
        else:
            raise refused(f"the equality {name} is a {kind}, which cannot be said here", "leave it out of the file")

    def _close(
        self, name: str, kind: str, first: int | str, second: int, at: Three, other: Three,
        machine: Machine, found: RobotFile,
    ) -> None:  # fmt: skip
        bodies = [found.named("link", b if isinstance(b, str) else self.bodies[b]) for b in (first, second)]
        machine.close(name, kind, *bodies, at=at, other=other)

    def _relate(self, name: str, first: int, second: int, data: np.ndarray, machine: Machine, found: RobotFile) -> None:
        """The joint's angle is a polynomial in that of the other, both from the model as it is built."""
        # q1 - q1_0 = a0 + a1 (q2 - q2_0) + ...
        away = self._away(second, found) if second >= 0 else sp.Integer(0)
        machine.relate(name, self._away(first, found) - sum(sp.Float(a) * away**n for n, a in enumerate(data[:5]) if a))

    def _coordinate(self, j: int) -> str:
        """The name of a joint that has one coordinate (E165 if it has not)."""
        if _JOINTS[self.model.jnt_type[j]] not in ("hinge", "slide"):
            raise refused(f"the joint {self.joints[j]} has not one coordinate", "an equality or a motor needs one")
        return self.joints[j]

    def _away(self, j: int, found: RobotFile) -> sp.Expr:
        zero = float(self.model.qpos0[self.model.jnt_qposadr[j]])
        return sp.Symbol(found.named("joint", self._coordinate(j)), real=True) - (sp.Float(zero) if zero else 0)

    def _actuator(self, i: int) -> None:
        """A motor or servo on a joint, with what drives it as an input."""
        m, mj = self.model, self.mujoco
        name = self.name("ACTUATOR", i) or f"motor{i}"
        kinds = {
            "transmission": (mj.mjtTrn(int(m.actuator_trntype[i])).name, ("mjTRN_JOINT", "mjTRN_JOINTINPARENT")),
            "gain": (mj.mjtGain(int(m.actuator_gaintype[i])).name, ("mjGAIN_FIXED",)),
            "bias": (mj.mjtBias(int(m.actuator_biastype[i])).name, ("mjBIAS_NONE", "mjBIAS_AFFINE")),
            "dynamics": (mj.mjtDyn(int(m.actuator_dyntype[i])).name, ("mjDYN_NONE",)),
        }
        for what, (kind, known) in kinds.items():
            if kind not in known:
                fact = f"the actuator {name} has the {what} {kind.partition('_')[2].lower()}, which cannot be said here"
                raise refused(fact, "motors, and servos of position and velocity, act on joints")
        if m.actuator_ctrllimited[i] or m.actuator_forcelimited[i]:
            self.found.leave("limits of actuators")
        j, gear, gain = int(m.actuator_trnid[i][0]), float(m.actuator_gear[i][0]), float(m.actuator_gainprm[i][0])
        b = m.actuator_biasprm[i][:3] if kinds["bias"][0] == "mjBIAS_AFFINE" else np.zeros(3)
        self._coordinate(j)
        self.found.inputs[name] = None
        # gear (k ctrl + b0 + b1 gear q + b2 gear q')
        self.found.drives.setdefault(self.joints[j], []).append(
            JointDrive(name, gear * gain, (gear * float(b[0]), gear**2 * float(b[1]), gear**2 * float(b[2])))
        )


def _three(a: Sequence[float] | np.ndarray) -> Three:
    x, y, z = map(float, a)
    return x, y, z
