"""Machines from URDF: accelerations as MuJoCo has them of the same file, and what is refused or told."""

import numpy as np
import pytest

import dalembert as da
from robots import CHAIN, forward, inertial, joint, link, random_state, robot

ARM = (link("base"), link("arm", inertial()))
FLOATS = joint("fly", "floating", "world", "base")
HINGE = '<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>'


@pytest.fixture
def written(tmp_path):
    def write(*parts):
        path = tmp_path / "robot.urdf"
        path.write_text(parts[0] if parts[0].startswith("<?xml") else robot(*parts))
        return path

    return write


def accelerations(machine, state, inputs=None):
    equations = da.nonholonomic(machine.system)
    return equations.evaluate(equations.start(state), inputs=inputs)["accelerations"]


def test_every_kind_of_joint_and_nested_frames_as_mujoco_has_them(written):
    mujoco = pytest.importorskip("mujoco")
    path = written(CHAIN)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # limits and dry friction
    q, v = random_state(["c.d", "a", "b-1", "e"])
    theirs = forward(model, q, v)
    machine = da.from_urdf(path, dry=False)
    names = {"c.d": "c_d", "a": "a", "b-1": "b_1", "e": "e"}
    state = {names[n]: x for n, x in q.items()} | {f"v{names[n]}": x for n, x in v.items()}
    ours = accelerations(machine, state)
    assert list(ours) == ["vc_d", "va", "vb_1", "ve"]  # in the order of the file
    assert [ours[f"v{names[n]}"] for n in q] == pytest.approx([theirs[n] for n in q], rel=1e-10, abs=1e-10)


def test_the_notes_tell_each_thing_once(written):
    notes = [str(note) for note in da.from_urdf(written(CHAIN), dry=False).notes]
    assert notes == [
        "N166 dry friction of the file is left out, dry=True takes it: e",
        "N165 renamed, for names of coordinates: c.d -> c_d, b-1 -> b_1",
        "N165 not in the equations: <limit> of joints",
    ]


def test_dry_friction_of_the_file_sticks(written):
    system = da.from_urdf(written(CHAIN), dry=True).system
    assert [contact.name for contact in system.contacts] == ["dry_e"]


def test_a_motion_without_the_dry_friction_of_the_file_says_so(written):
    system = da.from_urdf(written(CHAIN)).system
    for each in (system, system.changed(forces={"a": "u"}, inputs="u")):
        equations = da.free(each)
        given = {"u": 0.0} if each.inputs else {}
        path = da.simulate(equations, equations.start(dict.fromkeys(equations.states, 0), inputs=given), until=0.1)
        assert any("N166" in str(note) for note in path.audit.notes)


def test_free_base_falls_and_its_velocities_are_those_of_the_body(written):
    mujoco = pytest.importorskip("mujoco")
    path = written(
        link("base", inertial(2.0)), link("arm", inertial()), joint("a", "continuous", "base", "arm", HINGE)
    )  # fmt: skip
    machine = da.from_urdf(path, base="free")
    # MuJoCo welds the root to the world: a joint that floats lets it fly
    free = path.with_name("free.urdf")
    free.write_text(path.read_text().replace("</robot>", "<link name='world'/>" + FLOATS + "</robot>"))
    model = mujoco.MjModel.from_xml_path(str(free))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
    data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
    mujoco.mj_forward(model, data)
    R = data.body("base").xmat.reshape(3, 3)
    v = np.r_[R.T @ data.qvel[:3], data.qvel[3:]]
    expected = np.r_[R.T @ data.qacc[:3] - np.cross(v[3:6], v[:3]), data.qacc[3:]]
    space = machine.system.space
    state = dict(zip((q.name for q in space.coordinates), data.qpos, strict=True))
    state |= dict(zip((u.name for u in space.velocities), v, strict=True))
    assert list(accelerations(machine, state).values()) == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_a_mimic_of_a_mimic_follows_the_first_in_any_order(written):
    """Against the same machine with the constraint of both as a relation."""
    links = [link("base"), *(link(n, inertial(1 + i)) for i, n in enumerate("uvw"))]
    joints = {
        "w": ("v", "w", '<mimic joint="v" multiplier="-2" offset="0.1"/>'),
        "v": ("u", "v", '<mimic joint="u" multiplier="0.5" offset="0.3"/>'),
        "u": ("base", "u", ""),
    }
    made = [joint(n, "continuous", a, b, HINGE + mimic) for n, (a, b, mimic) in joints.items()]
    machine = da.from_urdf(written(*links, *made))
    assert [q.name for q in machine.system.space.coordinates] == ["u"]
    free = da.from_urdf(written(*links, *(joint(n, "continuous", a, b, HINGE) for n, (a, b, _) in joints.items())))
    free.relate("first", "v - 0.5*u - 0.3")
    free.relate("second", "w + u + 0.5")  # w = -2 (u/2 + 0.3) + 0.1
    full = {"u": 0.4, "v": 0.5, "w": -0.9, "vu": 1.0, "vv": 0.5, "vw": -1.0}
    ours = accelerations(machine, {"u": 0.4, "vu": 1.0})
    assert ours["vu"] == pytest.approx(accelerations(free, full)["vu"], rel=1e-10)


def test_planar_and_floating_joints(written):
    """A plate on a plane that is tilted slides down it; a body that floats falls."""
    plate = link("plate", inertial(centre="0 0 0"))
    path = written(link("base"), plate, joint("p", "planar", "base", "plate", '<axis xyz="0.6 0 0.8"/>'))
    system = da.from_urdf(path)
    still = {q.name: 0.0 for q in system.system.space.coordinates} | {
        u.name: 0.0 for u in system.system.space.velocities
    }
    found = accelerations(system, still)
    assert np.hypot(found["p_v1"], found["p_v2"]) == pytest.approx(9.81 * 0.6)
    assert found["p_omega"] == pytest.approx(0, abs=1e-12)
    path = written(link("base"), plate, joint("f", "floating", "base", "plate", '<origin xyz="1 2 3"/>'))
    floating = da.from_urdf(path).system
    state = {q.name: 0.0 for q in floating.space.coordinates} | {u.name: 0.0 for u in floating.space.velocities}
    found = accelerations(da.from_urdf(path), state | {"f_R_w": 1.0})
    assert [found[f"f_v{n}"] for n in (1, 2, 3)] == pytest.approx([0, 0, -9.81])


WHEELS = (
    link("chassis", inertial(5.0, centre="0 0 0.05", rpy="0 0 0")),
    *(
        link(f"{side}-wheel", inertial(0.5, "0 0 0", "0 0 0") + f"<{tag}><origin rpy='1.5707963267948966 0 0'/>"
             f"<geometry><cylinder radius='0.1' length='0.03'/></geometry></{tag}>")
        for side, tag in (("left", "collision"), ("right", "visual"))
    ),
    *(
        joint(side, "continuous", "chassis", f"{side}-wheel", f'<origin xyz="0 {y} 0.1"/><axis xyz="0 1 0"/>')
        for side, y in (("left", 0.2), ("right", -0.2))
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    "rolls",
    ["*wheel", ["left", "right-wheel"], {"left": 0.1, "*-wheel": 0.1}],
    ids=["pattern", "joint and link", "radii"],
)
def test_wheels_roll_by_their_odometry(written, rolls):
    """v = r (w_l + w_r)/2 and omega = r (w_r - w_l)/(2 d), of a base of wheels 2 d apart."""
    machine = da.from_urdf(written(*WHEELS), base="planar", rolls=rolls)
    equations = da.nonholonomic(machine.system)
    start = equations.start(x=0, y=0, theta=0.3, left=0, right=0, vleft=1.0, vright=3.0, guess={"v1": 0.2})
    assert [start["v1"], start["v2"], start["omega"]] == pytest.approx([0.2, 0, 0.5])


def test_numbers_become_parameters(written):
    path = written(*ARM, joint("a", "continuous", "base", "arm", HINGE + '<dynamics damping="0.2"/>'))
    machine = da.from_urdf(path, parameters=["arm.mass", "arm.inertia", "a.damping"])
    values = dict(machine.system.parameters)
    assert values["arm_mass"] == 1.0
    assert values["a_damping"] == 0.2
    assert values["arm_ixx"] == 0.03
    assert accelerations(machine, {"a": 0.3, "va": 1.0})["va"] == pytest.approx(
        accelerations(da.from_urdf(path), {"a": 0.3, "va": 1.0})["va"], rel=1e-12
    )


def test_primitive_shapes_are_kept_in_the_frame_of_their_link(written):
    seen = "".join(
        f'<visual><origin xyz="0 0 1" rpy="0 0 0.5"/><geometry>{shape}</geometry></visual>'
        for shape in (
            '<box size="1 2 3"/>', '<sphere radius="0.2"/>', '<cylinder radius="0.1" length="0.02"/>',
            '<cylinder radius="0.1" length="1"/>', '<mesh filename="package://none/of.stl"/>',
            '<mesh filename="https://example.org/of.stl"/>', '<mesh filename="../../outside.stl"/>',
        )
    )  # fmt: skip
    machine = da.from_urdf(
        written(link("base"), link("arm", inertial() + seen), joint("a", "continuous", "base", "arm"))
    )
    shapes = machine._parts.bodies["arm"].shapes
    assert [shape.shape for shape in shapes] == ["box", "ball", "disc", "rod"]
    assert shapes[3].to == pytest.approx((0, 0, 1.5))
    drawn = {body.name for body in machine.system.bodies}
    assert {"arm box", "arm ball 2", "arm disc 3", "arm rod 4"} <= drawn
    assert "3 meshes and shapes, which are not drawn" in str(machine.notes[0])


def test_a_mesh_in_a_folder_that_is_named_is_drawn_as_its_box(tmp_path, written):
    corners = np.zeros(2, np.dtype([("n", "<f4", 3), ("x", "<f4", (3, 3)), ("_", "<u2")]))
    corners["x"] = np.random.default_rng(0).uniform(-1, 1, (2, 3, 3))
    there = tmp_path / "elsewhere" / "pack" / "meshes"
    there.mkdir(parents=True)
    (there / "m.stl").write_bytes(b"\0" * 80 + (2).to_bytes(4, "little") + corners.tobytes())
    seen = '<visual><geometry><mesh filename="package://pack/meshes/m.stl" scale="2 1 1"/></geometry></visual>'
    path = written(link("base"), link("arm", inertial() + seen), joint("a", "continuous", "base", "arm"))
    for folder in (tmp_path / "elsewhere", tmp_path / "elsewhere" / "pack"):
        (box,) = da.from_urdf(path, packages=folder)._parts.bodies["arm"].shapes
        expected = np.ptp(corners["x"].reshape(-1, 3), axis=0) * (2, 1, 1)
        assert np.array(box.size) == pytest.approx(expected)


def test_shapes_of_one_kind_and_a_flat_mesh_are_drawn(tmp_path, written):
    corners = np.zeros(1, np.dtype([("n", "<f4", 3), ("x", "<f4", (3, 3)), ("_", "<u2")]))
    corners["x"][0, :, :2] = [[0, 0], [1, 0], [0, 1]]
    (tmp_path / "flat.stl").write_bytes(b"\0" * 80 + (1).to_bytes(4, "little") + corners.tobytes())
    seen = '<visual><geometry><mesh filename="flat.stl"/></geometry></visual>'
    path = written(link("base"), link("arm", inertial() + 2 * seen), joint("a", "continuous", "base", "arm"))
    drawn = {body.name: body for body in da.from_urdf(path).system.bodies}
    assert [float(e) for e in drawn["arm box 2"].size] == pytest.approx([1, 1, 1e-3])


def test_a_link_without_moments_of_a_body_is_told_where_what_it_is_fixed_to_makes_up_for_it(written):
    path = written(
        *ARM, link("antenna", inertial(1e-6, moments=(1e-8, 1e-8, 1e-8))),
        joint("a", "continuous", "base", "arm"), joint("f", "fixed", "arm", "antenna"),
    )  # fmt: skip
    assert "antenna" in str(da.from_urdf(path).notes[-1])


def test_measured_moments_are_doubted_with_their_figure(written):
    body = inertial(moments=(0.03, 0.04, 0.0735), xy=0).replace("0.001", "0").replace("-0.002", "0")
    path = written(link("base"), link("arm", body), joint("a", "continuous", "base", "arm"))
    with pytest.warns(da.DalembertWarning, match="W109 .* arm has .* by 5 per cent"):
        machine = da.from_urdf(path)
    assert machine.notes[0].code == "W109"


def bent(moments, name="arm"):
    return link(name, inertial(moments=moments, xy=0).replace("0.001", "0").replace("-0.002", "0"))


def held(inside=""):
    return joint("a", "continuous", "base", "arm", inside)


HELD = held()
REFUSED = {
    "no XML": ("E165", 2, "is no XML", "<?xml version='1.0'?>\n<robot name='r'"),
    "no robot": ("E165", 2, "is no URDF: its root is <mujoco>", "<?xml version='1.0'?>\n<mujoco/>"),
    "a document type": ("E165", 2, "document type",
        "<?xml version='1.0'?>\n<!DOCTYPE robot [<!ENTITY a 'b'>]>\n<robot/>"),
    "a macro": ("E165", 3, "macro of xacro", ["<xacro:leg/>"]),
    "a value of a macro": ("E165", 4, "not a number", [link("base"), ARM[1].replace('"1.0"', '"${m}"'), HELD]),
    "no links": ("E165", 2, "has no links", [""]),
    "a type": ("E165", 5, "of the type 'ball'", [*ARM, joint("a", "ball", "base", "arm")]),
    "a tag of the robot": ("E165", 3, "<loop_joint> in <robot> 'r'", ["<loop_joint/>"]),
    "a tag of a joint": ("E165", 5, "<spring> in <joint> 'a'", [*ARM, held("<spring/>")]),
    "an attribute": ("E165", 5, "quat", [*ARM, joint("a", "fixed", "base", "arm", '<origin quat="1 0 0 0"/>')]),
    "two roots": ("E165", 4, "2 links are held by no joint: base, arm", ARM),
    "a loop": ("E165", 3, "form a loop", [
        link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")]),
    "two parents": ("E165", 6, "held by two joints, a and b", [*ARM, HELD, joint("b", "fixed", "base", "arm")]),
    "an unknown link": ("E165", 5, "names the link 'arn'", [*ARM, joint("a", "fixed", "base", "arn")]),
    "two of a name": ("E165", 5, "there are two links 'arm', the first in line 4", [*ARM, ARM[1], HELD]),
    "no mass": ("E165", 4, "<inertial> has no <mass>", [
        link("base"), link("arm", "<inertial><inertia/></inertial>"), HELD]),
    "a moment is missing": ("E165", 4, "<inertia> has no iyz", [
        ARM[0], ARM[1].replace('iyz="-0.002"', ""), HELD]),
    "no number": ("E165", 4, "value of <mass> is 'heavy'", [ARM[0], ARM[1].replace('"1.0"', '"heavy"'), HELD]),
    "not finite": ("E165", 4, "'nan'", [ARM[0], ARM[1].replace('"1.0"', '"nan"'), HELD]),
    "a negative mass": ("E165", 4, "the mass of the link arm is -1", [ARM[0], link("arm", inertial(-1.0)), HELD]),
    "no axis": ("E165", 5, "has the length 0", [*ARM, held('<axis xyz="0 0 0"/>')]),
    "nothing moves": ("E165", 4, "the link arm has no inertia", [link("base"), link("arm"), HELD]),
    "negative damping": ("E165", 5, "damping", [*ARM, held('<dynamics damping="-1"/>')]),
    "a leader that is none": ("E165", 5, "follows 'b', which is none", [
        *ARM, held('<mimic joint="b"/>')]),
    "a leader in a circle": ("E165", 5, "in a circle", [*ARM, held('<mimic joint="a"/>')]),
    "a leader that stays": ("E165", 6, "which is fixed", [
        *ARM, link("b", inertial()), joint("b", "continuous", "base", "b", '<mimic joint="a"/>'),
        joint("a", "fixed", "base", "arm")]),
    "one name of two": ("E165", 7, "would both be called a_b", [
        *ARM, link("c", inertial()), joint("a.b", "continuous", "base", "arm"),
        joint("a-b", "continuous", "arm", "c")]),
    "moments": ("E109", 4, "arm has 0.03 . 0.04 < 0.09", [ARM[0], bent((0.03, 0.04, 0.09)), HELD]),
    "a negative moment": ("E109", 4, "all must be positive", [ARM[0], bent((-0.03, 0.04, 0.04)), HELD]),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused_with_its_name_and_line(written, case):
    code, line, words, parts = case
    path = written(*([parts] if isinstance(parts, str) else parts))
    with pytest.raises(da.DalembertError, match=words) as refusal:
        da.from_urdf(path)
    assert refusal.value.code == code
    assert refusal.value.where.line == line


WRONG = {
    "a base": (dict(base="floating"), "base"),
    "wheels of a base that is fixed": (dict(rolls="*wheel"), "the base is fixed"),
    "a pattern that matches nothing": (dict(base="planar", rolls="*track*"), "nothing that turns is called"),
    "a name": (dict(base="planar", rolls=["left-weel"]), "left-wheel"),
    "a radius that cannot be told": (dict(base="free", rolls=["chassis"]), "cannot be told"),
    "a parameter of no link": (dict(parameters=["wing.mass"]), "wing.mass"),
    "wheels that are no names": (dict(base="planar", rolls=[3]), "rolls = "),
    "parameters that are no names": (dict(parameters=3), "parameters = 3"),
    "folders that are none": (dict(packages=[None]), "packages = "),
    "no base": (dict(base=None), "base"),
    "a parameter that is none": (dict(parameters=["chassis.colour"]), "there are mass"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_what_is_asked_and_is_not_there_is_refused(written, case):
    asked, words = case
    with pytest.raises(da.DalembertError, match=words) as refusal:
        da.from_urdf(written(*WHEELS), **asked)
    assert refusal.value.code == "E165"


def test_a_cylinder_across_the_axle_has_no_radius_to_roll_on(written):
    path = written(*(part.replace("1.5707963267948966 0 0", "0 0 0") for part in WHEELS))
    with pytest.raises(da.DalembertError, match="radius of 'left-wheel' cannot be told"):
        da.from_urdf(path, base="planar", rolls="*wheel")


@pytest.mark.parametrize("path", [3, None, b"robot.urdf", ["robot.urdf"]])
def test_what_is_no_file(path):
    with pytest.raises(da.DalembertError, match="no file in URDF") as refusal:
        da.from_urdf(path)
    assert refusal.value.code == "E165"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="E165 there is no file"):
        da.from_urdf(tmp_path / "none.urdf")
