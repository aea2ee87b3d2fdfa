"""A wheeled robot from its file to all that comes after the equations."""

import json
import math
import re
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da

CARRIAGE = """
<robot name="carriage">
  <link name="chassis">
    <inertial><origin xyz="0.05 0 0.1"/><mass value="5"/>
      <inertia ixx="0.1" iyy="0.12" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.05 0 0.12"/><geometry><box size="0.4 0.3 0.1"/></geometry></visual>
  </link>
  {wheels}
  <link name="fork"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swivel" type="continuous"><parent link="chassis"/><child link="fork"/>
    <origin xyz="0.3 0 0.05"/><axis xyz="0 0 1"/></joint>
  <link name="castor"><inertial><mass value="0.2"/>
    <inertia ixx="2e-4" iyy="3e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin rpy="1.5707963267948966 0 0"/>
      <geometry><cylinder radius="0.05" length="0.02"/></geometry></collision></link>
  <joint name="castor_wheel" type="continuous"><parent link="fork"/><child link="castor"/>
    <origin xyz="-0.04 0 0"/><axis xyz="0 1 0"/></joint>
</robot>
"""
WHEEL = """
  <link name="{side}"><inertial><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin rpy="1.5707963267948966 0 0"/>
      <geometry><cylinder radius="0.1" length="0.03"/></geometry></visual></link>
  <joint name="{side}_wheel" type="continuous"><parent link="chassis"/><child link="{side}"/>
    <origin xyz="0 {y} 0.1"/><axis xyz="0 1 0"/></joint>
"""
TRAIL, AHEAD, HALF, RADIUS, SMALL = 0.04, 0.3, 0.2, 0.1, 0.05


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "carriage.urdf"
    wheels = "".join(WHEEL.format(side=side, y=y) for side, y in (("left", HALF), ("right", -HALF)))
    path.write_text(CARRIAGE.format(wheels=wheels), encoding="utf-8")
    return da.from_urdf(path, base="planar", rolls="*_wheel")


@pytest.fixture(scope="module")
def driven(robot):
    """Its equations with a motor on each wheel."""
    motors = {"left_wheel": "tl", "right_wheel": "tr"}
    return da.nonholonomic(robot.system.changed(forces=motors, inputs="tl tr"))


def rest(equations, **other):
    return equations.start(dict.fromkeys(equations.states, 0) | other, inputs={"tl": 0, "tr": 0})


def test_it_goes_where_its_wheels_say_by_torques_from_a_table(robot, driven):
    times = np.linspace(0, 3, 31)
    tables = {"tl": (times, 0.1 * np.sin(times)), "tr": (times, 0.12 + 0.05 * np.cos(2 * times))}
    path = da.simulate(driven, rest(driven, swivel=0.3), until=3, inputs=tables)
    assert path.ok
    # theta = r (q_right - q_left)/(2 b)
    assert np.allclose(path["theta"], RADIUS * (path["right_wheel"] - path["left_wheel"]) / (2 * HALF), atol=1e-12)
    v, w, s = path["v1"], path["omega"], path["swivel"]
    # the castor trails:  c s' = -v sin(s) + w (a cos(s) - c) ,  r q' = v cos(s) + w a sin(s)
    assert np.allclose(TRAIL * path["vswivel"], -v * np.sin(s) + w * (AHEAD * np.cos(s) - TRAIL), atol=1e-11)
    assert np.allclose(SMALL * path["vcastor_wheel"], v * np.cos(s) + w * AHEAD * np.sin(s), atol=1e-11)
    # no slip: the velocity of the point of each wheel that touches
    for side, y in (("left", HALF), ("right", -HALF)):
        assert np.allclose(v - w * y - RADIUS * path[f"v{side}_wheel"], 0, atol=1e-12)
    assert np.allclose(path["v2"], 0, atol=1e-12)


def test_the_ground_pushes_its_wheels_with_what_moves_it(robot, driven):
    """The multipliers of no slip, each along its row, are the change of momentum; its weight is on the base."""
    inputs, t, h = {"tl": 0.1, "tr": 0.2}, 0.5, 1e-4
    path = da.simulate(driven, rest(driven, swivel=0.3), until=1, inputs=inputs)
    row = path.at(t)
    lam = driven.evaluate(row, inputs=inputs)["multipliers"]
    pushed = np.zeros(3)
    for wheel, turned in (("left", 0), ("right", 0), ("castor", row["swivel"])):
        a = row["theta"] + turned
        pushed += lam[f"lam_{wheel}_roll"] * np.array([math.cos(a), math.sin(a), 0])
        pushed += lam.get(f"lam_{wheel}_side", 0) * np.array([-math.sin(a), math.cos(a), 0])
    bodies = {"chassis": (5.0, [0.05, 0, 0.1]), "left": (0.5, [0, 0, 0]), "right": (0.5, [0, 0, 0])}
    bodies |= {"fork": (0.1, [0, 0, 0]), "castor": (0.2, [0, 0, 0])}
    change = np.zeros(3)
    for body, (mass, at) in bodies.items():
        v = robot.point(body, at).along(driven, path, [t - h, t + h])["velocity"]
        change += mass * (v[1] - v[0]) / (2 * h)
    assert np.allclose(pushed, change, atol=1e-6)
    carried = robot.reaction("base", axes="space").along(driven, path, [t])["force"][0]
    assert np.allclose(carried, [0, 0, 6.3 * 9.81], atol=1e-9)


def test_it_goes_out_as_every_system_does(robot, driven, tmp_path):
    linear = da.linearise(driven, rest(driven))
    assert len(linear.inputs) == 2
    page = da.explore(robot.system, tmp_path / "robot.html", start=dict.fromkeys(driven.states, 0), until=1)
    assert page.stat().st_size < 600_000
    text = page.read_text(encoding="utf-8")
    assert "chassis box" in text
    code = driven.to_c()
    assert "tl" in code


def test_an_agent_drives_it(driven):
    pytest.importorskip("gymnasium")
    plant = da.plant(driven, rest(driven), step=0.02)
    world = da.inputs.environment(
        plant, bounds={"tl": (-1, 1), "tr": (-1, 1)}, reward=lambda state, action: state["x"], length=10
    )
    world.reset(seed=1)
    for _ in range(10):
        seen, reward, _, cut, _ = world.step(np.array([0.2, 0.2]))
    assert cut
    assert reward > 0
    assert np.isfinite(seen).all()


def test_a_unit_for_other_tools_drives_it(driven, tmp_path):
    """FMPy integrates the unit to the same place."""
    fmpy = pytest.importorskip("fmpy")
    start = rest(driven, swivel=0.3)
    unit = driven.to_fmu(tmp_path / "robot.fmu", start=start, inputs={"tl": 0.1, "tr": 0.2})
    found = fmpy.simulate_fmu(str(unit), stop_time=1.0, output=["x", "theta"], relative_tolerance=1e-9)
    path = da.simulate(driven, start, until=1, inputs={"tl": 0.1, "tr": 0.2})
    assert found["theta"][-1] == pytest.approx(path["theta"][-1], abs=1e-6)
    assert found["x"][-1] == pytest.approx(path["x"][-1], abs=1e-6)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_its_page_drives_it_to_the_same_place(robot, tmp_path):
    """The page's own program, in which numbers that recur have names, against `simulate`."""
    equations = da.nonholonomic(robot.system)
    known = dict.fromkeys(equations.states, 0) | {"swivel": 0.3, "vleft_wheel": 3, "vright_wheel": 5}
    known = {name: value for name, value in known.items() if name not in ("v1", "omega", "vswivel", "vcastor_wheel")}
    start = equations.start(known)
    page = da.explore(robot.system, tmp_path / "robot.html", start=dict(start.state), principles=["nonholonomic"])
    engine = re.search(r'<script id="engine">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert re.search(r"const \$0 = \d", engine)
    ask = """
const motion = solveMotion("nonholonomic", KERNELS, {}, {}, { until: 2, rtol: 1e-12 });
console.log(JSON.stringify(Object.entries(motion.columns(null, [2])).map(([name, column]) => [name, column[0]])));
"""
    program = tmp_path / "engine.js"
    program.write_text(engine + ask, encoding="utf-8")
    said = subprocess.run([shutil.which("node"), str(program)], capture_output=True, text=True, check=True)
    path = da.simulate(equations, start, until=2)
    found = dict(json.loads(said.stdout))
    assert [found[name] for name in equations.states] == pytest.approx(
        [path.at(2.0)[name] for name in equations.states], abs=1e-9
    )
