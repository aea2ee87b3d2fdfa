"""Machines from MJCF: accelerations as MuJoCo has them, equalities against its own rows, and what is refused."""

import numpy as np
import pytest

import dalembert as da

mujoco = pytest.importorskip("mujoco")

# every kind of joint, beside the origin, two on a body; springs, references, rotors, servos, a fixed body
ROBOT = """<mujoco><compiler angle="radian"/><option gravity="0.3 -0.2 -9.81"/>
<worldbody><geom type="plane" size="1 1 1"/>
<body name="base" pos="0 0 1" quat="1 .2 .3 .1"><freejoint name="fly"/><geom type="box" size=".2 .1 .3" mass="3"/>
 <body name="arm" pos=".1 .2 .3" quat=".3 .5 .1 1">
  <joint name="a-1" axis="1 2 3" pos=".1 -.2 .05" ref=".3" stiffness="2" springref=".4" damping=".2" armature=".1"/>
  <joint name="a2" type="slide" axis="0 1 1" pos=".3 .1 0" ref=".1"/><geom type="capsule" size=".05 .2" mass="1"/>
  <body name="hand" pos="0 0 .4" euler=".1 .2 .3"><joint name="b" type="ball" pos="0.02 .1 .05"/>
   <geom type="cylinder" size=".1 .02" mass=".5" pos=".1 0 .2"/>
   <body name="fix" pos=".1 0 0"><geom type="sphere" size=".05" mass=".2"/>
    <body name="tip" pos=".2 0 0"><joint name="t" axis="0 1 0" damping=".05" limited="true" range="-1 1"/>
     <geom type="ellipsoid" size=".04 .05 .06" mass=".3" pos=".1 .1 0"/></body></body></body></body></body>
</worldbody><actuator><motor name="t" joint="t" gear="3"/><position name="servo" joint="a-1" kp="20" kv="2"/>
<velocity joint="a2" kv="4"/></actuator></mujoco>"""


def smooth(text):
    """The model without limits, contacts and equalities."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return model


def from_text(tmp_path, text, **asked):
    path = tmp_path / "robot.xml"
    path.write_text(text)
    return da.from_mujoco(path, **asked)


def body_frame(data, v):
    """Axes of the body that floats, and velocities in them: MuJoCo has that of its origin in axes of space."""
    R = data.body(1).xmat.reshape(3, 3)
    return R, np.r_[R.T @ v[:3], v[3:]]


@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_joint_spring_and_motor_as_mujoco_has_them(tmp_path, seed):
    machine, model = from_text(tmp_path, ROBOT), smooth(ROBOT)
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
    data.ctrl[:] = rng.normal(size=model.nu)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    R, v = body_frame(data, data.qvel)
    expected = np.r_[R.T @ data.qacc[:3] - np.cross(v[3:6], v[:3]), data.qacc[3:]]
    system = machine.system
    assert system.inputs == ("t_input", "servo", "motor2")
    state = dict(zip((q.name for q in system.space.coordinates), data.qpos, strict=True))
    state |= dict(zip((u.name for u in system.space.velocities), v, strict=True))
    equations = da.free(system)
    found = equations.evaluate(equations.start(state), inputs=dict(zip(system.inputs, data.ctrl, strict=True)))
    assert list(found["accelerations"].values()) == pytest.approx(expected, rel=1e-10, abs=1e-10 * abs(expected).max())


def test_bodies_have_the_frames_of_the_file_though_joints_lie_beside_their_origins(tmp_path):
    machine, model = from_text(tmp_path, ROBOT), smooth(ROBOT)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    data.qpos[:] = rng.normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    names = dict(zip(machine.system.space.coordinates, data.qpos, strict=True))
    for body in ("arm", "hand", "tip"):
        at = [float(e.subs(names)) for e in machine.point(body, [0.1, -0.2, 0.3]).position]
        assert at == pytest.approx(data.body(body).xpos + data.body(body).xmat.reshape(3, 3) @ [0.1, -0.2, 0.3])


def test_notes_shapes_and_names(tmp_path):
    machine = from_text(tmp_path, ROBOT)
    assert [str(note) for note in machine.notes] == [
        "N165 renamed, for names of coordinates: a-1 -> a_1, t -> t_joint, t -> t_input",
        "N165 not in the equations: contacts of bodies, limits of joints",
    ]
    shapes = {name: [s.shape for s in machine._parts.bodies[name].shapes] for name in ("base", "arm", "hand", "tip")}
    assert shapes == {"base": ["box"], "arm": ["rod"], "hand": ["disc"], "tip": ["ellipsoid"]}


def test_a_model_and_a_specification_are_taken_too():
    for given in (mujoco.MjModel.from_xml_string(ROBOT), mujoco.MjSpec.from_string(ROBOT)):
        assert len(da.from_mujoco(given).system.space.velocities) == 12


LOOP = """<mujoco><worldbody>
<body name="a" pos="0 0 1"><joint name="q1" axis="0 1 0"/>
 <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
 <body name="b" pos=".3 0 0"><joint name="q2" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 .4" size=".02" mass="2"/></body></body>
<body name="c" pos=".6 0 1"><joint name="q3" axis="0 1 0"/>
 <geom type="capsule" fromto="0 0 0 0 .1 .4" size=".02" mass="3"/></body>
<body name="d" pos="0 0 2" euler="10 20 30"><freejoint name="f"/><geom type="box" size=".1 .2 .3" mass="1"/></body>
</worldbody><equality>{}</equality></mujoco>"""
EQUALITIES = {
    "connect": '<connect name="e" body1="b" body2="c" anchor="0 0 .4"/>',
    "joint": '<joint joint1="q1" joint2="q3" polycoef="0 2 0.5 0 0"/>',
    "weld": '<weld body1="c" body2="d"/>',
}


@pytest.mark.parametrize("kind", EQUALITIES)
@pytest.mark.filterwarnings("ignore:W113")  # in a plane some rows of a loop say nothing
def test_equalities_hold_without_give(tmp_path, kind):
    """M a + J^T lam = tau - c and J a = -dJ/dt v with mass, forces and rows of MuJoCo, from where they hold."""
    text = LOOP.format(EQUALITIES[kind])
    machine, model = from_text(tmp_path, text), mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)

    def rows(qpos):
        data.qpos[:] = qpos
        mujoco.mj_forward(model, data)
        return data.efc_J.reshape(-1, model.nv)[: data.ne].copy()

    start = model.qpos0.copy()
    J = rows(start)
    rng = np.random.default_rng(0)
    v = rng.normal(size=model.nv)
    v -= np.linalg.pinv(J) @ (J @ v)  # velocities that the equalities allow
    data.qvel[:], step = v, 1e-5
    ends = []
    for sign in (1, -1):
        q = start.copy()
        mujoco.mj_integratePos(model, q, v, sign * step)
        ends.append(rows(q) @ v)
    data.qvel[:] = v
    J = rows(start)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, M)
    matrix = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    right = np.r_[-data.qfrc_bias, -(ends[0] - ends[1]) / (2 * step)]
    expected = np.linalg.lstsq(matrix, right, rcond=1e-10)[0][: model.nv]
    R = data.body("d").xmat.reshape(3, 3)
    space = machine.system.space
    ours, turned = v.copy(), expected.copy()
    ours[3:6] = R.T @ v[3:6]
    turned[3:6] = R.T @ expected[3:6] - np.cross(v[6:9], ours[3:6])
    state = dict(zip((q.name for q in space.coordinates), start, strict=True))
    state |= dict(zip((u.name for u in space.velocities), ours, strict=True))
    equations = da.nonholonomic(machine.system)
    found = equations.evaluate(equations.start(state))["accelerations"]
    assert list(found.values()) == pytest.approx(turned, rel=1e-6, abs=1e-6)


WHEELED = """<mujoco><worldbody><body name="base" pos="0 0 .1"><freejoint/><geom type="box" size=".2 .1 .05" mass="3"/>
<body name="left" pos="0 .2 0"><joint name="port" axis="0 1 0" pos="0 0.01 0" damping=".1"/>
 <geom type="cylinder" size=".1 .02" euler="90 0 0" mass=".5"/></body>
<body name="right" pos="0 -.2 0"><joint name="starboard" axis="0 1 0"/>
 <geom type="cylinder" size=".1 .02" euler="90 0 0" mass=".5"/></body></body></worldbody></mujoco>"""


def test_a_base_that_drives_instead_of_the_free_joint(tmp_path):
    machine = from_text(tmp_path, WHEELED, base="planar", rolls=["left", "right"], parameters=["port.damping"])
    assert dict(machine.system.parameters) == {"port_damping": 0.1}
    equations = da.nonholonomic(machine.system)
    start = equations.start(x=0, y=0, theta=0, port=0, starboard=0, vport=1.0, vstarboard=3.0, guess={"v1": 0.2})
    assert [start["v1"], start["v2"], start["omega"]] == pytest.approx([0.2, 0, 0.5])


def bodies(inside, after=""):
    geom = '<geom size=".1" mass="1"/>'
    return f'<mujoco>\n<worldbody><body name="a">\n{inside}{geom}</body></worldbody>{after}</mujoco>'


HINGED = '<joint name="j"/>'
REFUSED = {
    "MuJoCo's own": (bodies("<jont/>"), "unrecognized element"),
    "no XML": ("<mujoco>", "is no XML"),
    "URDF": ("<robot name='r'/>", "da.from_urdf|is URDF"),
    "a plugin": (bodies(HINGED, "<extension><plugin plugin='p'/></extension>"), "plugin"),
    "an include outside": (bodies(HINGED, "<include file='../other.xml'/>"), "lies outside"),
    "a folder outside": ("<mujoco><compiler meshdir='/etc'/></mujoco>", "lies outside"),
    "a fluid": (bodies(HINGED, "<option density='1.2'/>"), "a fluid"),
    "a body moved from outside": (
        "<mujoco><worldbody><body name='a' mocap='true'><geom size='.1'/></body></worldbody></mujoco>", "mocap"),
    "a ball with damping": (bodies("<joint type='ball' damping='1'/>"), "damping"),
    "a spring in a tendon": (
        bodies(HINGED, "<tendon><fixed stiffness='3'><joint joint='j' coef='1'/></fixed></tendon>"), "tendons"),
    "a muscle": (bodies(HINGED, "<actuator><muscle name='m' joint='j' lengthrange='0 1'/></actuator>"), "actuator m"),
    "a filter": (
        bodies(HINGED, "<actuator><general name='m' joint='j' dyntype='filter'/></actuator>"), "dynamics"),
    "compensation": (bodies(HINGED).replace("<body name", "<body gravcomp='1' name"), "compensation of gravity"),
    "an equality of tendons": (bodies(HINGED, "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>"
        "<equality><tendon tendon1='t'/></equality>"), "is a tendon"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_said_is_refused_by_its_name(tmp_path, case):
    text, words = case
    with pytest.raises(da.DalembertError, match=words) as refusal:
        from_text(tmp_path, text)
    assert refusal.value.code == "E165"


def test_files_in_a_folder_that_is_named_are_included(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "robot").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(bodies(HINGED))
    text = "<mujoco><include file='../parts/arm.xml'/></mujoco>"
    with pytest.raises(da.DalembertError, match="lies outside"):
        from_text(tmp_path / "robot", text)
    machine = from_text(tmp_path / "robot", text, packages=tmp_path / "parts")
    assert [q.name for q in machine.system.space.coordinates] == ["j"]


def test_a_base_that_is_none(tmp_path):
    with pytest.raises(da.DalembertError, match="E165 the body a is no base"):
        from_text(tmp_path, bodies(HINGED), base="planar")
    with pytest.raises(da.DalembertError, match="E165 3 bodies are on the world"):
        from_text(tmp_path, LOOP.format(""), base="free")
