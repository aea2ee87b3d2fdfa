"""Motions of the page in node against `simulate`: the same numbers in every column, the same events, the same ends."""

import shutil
from functools import cache
from importlib import import_module

import numpy as np
import pytest
import sympy as sp
from fuzz.pages import apart, ask, in_node

import dalembert as da
from dalembert.apps.explore import kernels
from dalembert.calculus.frame import TIME
from dalembert.calculus.graph import Graph, evaluate
from dalembert.errors import InvalidValue
from dalembert.principles.principle_table import named
from dalembert.scene import poses

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="no node")
# both take the same steps of rtol = 1e-12; what is left is rounding, which these motions do not magnify
AGREES = 1e-9
ASK = """
const motion = solveMotion(PRINCIPLE, KERNELS, START, PARAMETERS, { until: UNTIL, rtol: 1e-12 });
const found = motion.columns(null, TIMES.filter((t) => t <= motion.end));
for (const name in found) found[name] = Array.from(found[name]);
const { end, why, events, audit, start } = motion;
console.log(JSON.stringify({ found, end, why, events, audit, start }));
"""


def told(system, principle, start, until, change=None, parameters=None, events=()):
    """The motion in node: printed for a start, solved for changed values."""
    text = kernels(system, [principle], start=start, until=until, events=events)
    times = np.linspace(0.0, until, 41).tolist()
    names = {"PRINCIPLE": principle, "START": change or {}, "PARAMETERS": parameters or {}, "UNTIL": until}
    return ask(text, ASK, {**names, "TIMES": times}, in_node)


def agrees(found, path):
    """Every column of what node found is that of a path."""
    assert set(found["found"]) == set(path.names)
    assert {len(v) for v in found["found"].values()} == {len(path.t)}
    off, which = apart({n: np.array(v) for n, v in found["found"].items()}, path, path.names)
    assert off <= AGREES, which


@pytest.mark.parametrize("principle", ["nonholonomic", "vakonomic"])
@pytest.mark.parametrize("name", ["rolling_disc", "pendulum_cartesian"])
def test_every_column_is_that_of_a_run(name, principle):
    module = import_module(f"dalembert.systems.{name}")
    system = module.system()
    equations = named(principle)(system)
    start = {**module.START, **{s.name: 0.05 for s in equations.states_of_multipliers}}
    found = told(system, principle, start, 2.0)
    path = da.simulate(equations, equations.start(**start), until=2.0, samples=np.linspace(0, 2, 41))
    assert (found["why"], found["end"]) == ("", 2.0)
    agrees(found, path)
    assert found["audit"]["residual"] < 1e-12
    assert found["audit"]["balance"] < 1e-10


def test_a_stone_without_energy_is_not_doubted():
    # E = T + V = 0 all along: what it is measured against are its parts
    stone = da.System(da.coordinates("h"), "m*vh^2/2 - m*g*h", parameters={"m": 1.0, "g": 9.81})
    found = told(stone, "free", {"h": 0.0, "vh": 0.0}, 2.0)
    assert found["audit"]["balance"] < 1e-12 and found["audit"]["energy"]["high"] < 1e-9


q = da.coordinates("x y")
x, y, vx, vy = q
T = (vx**2 + vy**2) / 2
FALL, BOWL = T - 9.81 * y, T - (x**2 + 2 * y**2) / 2
START = {"x": 0.2, "y": 1.0, "vx": -1.0, "vy": 0.0}
EVERY = {
    "a wall": (FALL, {"walls": {"floor": {"guard": y, "restitution": 0.9}}}, []),
    "a corner": (T - y + x, {"walls": {"floor": {"guard": y}, "left": {"guard": x}}}, []),
    "a pile": (FALL, {"walls": {"floor": {"guard": y, "restitution": 0.4}}}, []),
    "rest": (FALL, {"walls": {"floor": {"guard": y, "restitution": 0.0}}}, []),
    "a stop": (FALL, {}, [da.Event("edge", y, "stop", -1)]),
    "marks": (BOWL, {}, [da.Event("a", y), da.Event("b", x - 0.3, "mark", 1), da.Event("c", sp.sin(7 * x))]),
    "a kick": (BOWL, {}, [da.Event("kick", x, {"vx": 1.1 * vx}, -1), da.Event("late", TIME - 1.7, "stop")]),
    "a jumping force": (BOWL, {"forces": {vx: -0.1 * sp.sign(vx), vy: sp.sign(x) / 5}}, []),
    "a force that holds": (T, {"forces": {vx: -2 * sp.sign(vx)}}, []),
    "dry friction": (T, {"forces": [da.forces.rolling_friction([vx, vy], 0.1, 9.81)]}, []),
}


def test_bodies_stand_where_their_poses_are():
    module = import_module("dalembert.systems.rolling_disc")
    system = module.system()
    text = kernels(system, ["nonholonomic"], start=module.START)
    question = """const motion = solveMotion("nonholonomic", KERNELS, {}, {}, { until: 1 });
        console.log(JSON.stringify([Array.from(motion.states(0.7)), Array.from(motion.poses(0.7))]));"""
    state, drawn = ask(text, question, {}, in_node)
    values = {**system.parameters, **dict(zip(da.nonholonomic(system).states, state, strict=True)), "t": 0.7}
    bodies = poses(system, Graph())
    nodes = [node for body in bodies for node in (*body.frame, *body.size)]
    nodes += [node for body in bodies for node in body.trace or ()]
    assert len(nodes) > 15
    np.testing.assert_allclose(drawn, [float(v) for v in evaluate(nodes, values)], rtol=1e-13, atol=1e-14)


def test_slices_make_the_same_motion_and_used_up_steps_are_said():
    text = kernels(da.System(q, BOWL), ["nonholonomic"], start=START, until=9.0)
    question = """const slow = openMotion("nonholonomic", KERNELS), whole = solveMotion("nonholonomic", KERNELS);
        let motion, slices = 0;
        while (!(motion = slow.go(3))) slices++;
        const few = solveMotion("nonholonomic", KERNELS, {}, {}, { maxSteps: 5 });
        const ends = [motion, whole].map((one) => Array.from(one.states(8.5)));
        console.log(JSON.stringify({ ends, slices, few: [few.why, few.audit.steps + few.audit.rejected, few.end] }));"""
    found = ask(text, question, {}, in_node)
    assert found["ends"][0] == found["ends"][1]
    assert found["slices"] > 3
    assert "steps are used up" in found["few"][0]
    assert found["few"][1] == 5
    assert 0 < found["few"][2] < 9


@pytest.mark.filterwarnings("ignore:W129")
@pytest.mark.parametrize("what", EVERY)
def test_what_happens_on_the_way_is_that_of_a_run(what):
    lagrangian, more, events = EVERY[what]
    system = da.System(q, lagrangian, **more)
    equations = da.nonholonomic(system)
    path = da.simulate(
        equations, equations.start(**START), until=2.0, samples=np.linspace(0, 2, 41), events=events, rtol=1e-12
    )
    found = told(system, "nonholonomic", START, 2.0, events=events)
    agrees(found, path)
    assert bool(found["why"]) == bool(path.ending.event or path.ending.code)
    at = {name: sorted(e["t"] for e in found["events"] if e["name"] == name) for name in path.marks}
    for name, marks in path.marks.items():
        common = min(len(marks.t), len(at[name]))
        assert abs(len(marks.t) - len(at[name])) <= (what == "a pile")
        np.testing.assert_allclose(at[name][:common], marks.t[:common], atol=1e-11)


def test_walls_met_at_once_act_one_by_one_where_they_may_and_end_the_motion_where_not():
    start = {"x": 0.51, "y": 0.51, "vx": -1.0, "vy": -1.0}
    square, oblique = (da.System(q, T, walls={"floor": y, "left": side}) for side in (x, x + y / 2))
    path = da.simulate(da.nonholonomic(square), start, until=1.0, samples=np.linspace(0, 1, 41))
    found = told(square, "nonholonomic", start, 1.0)
    agrees(found, path)
    assert sorted(e["name"] for e in found["events"]) == ["floor", "left"] and not found["why"]
    found = told(oblique, "nonholonomic", start, 1.0)
    assert found["end"] == pytest.approx(0.51, abs=1e-12) and "floor and left are met at once" in found["why"]


def test_a_start_that_a_run_refuses_does_not_move():
    for system, start in (
        (da.System(q, T, walls={"floor": {"guard": y}}), {**START, "y": 0.0, "vy": -1.0}),
        (da.System(q, T), {**START, "y": -1.0}),
    ):
        events = [] if system.walls else [da.Event("edge", y, "stop", -1)]
        with pytest.raises(InvalidValue):
            da.simulate(da.nonholonomic(system), start, until=1.0, events=events)
        found = told(system, "nonholonomic", start, 1.0, events=events)
        assert found["end"] == 0.0
        assert "floor" in found["why"] or "edge" in found["why"]


u = da.coordinates("x y z")
RAIL = da.System(
    u, "m*(dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - m*g*z",
    {"bowl": "z - (a*x^2 + y^2)/2", "blade": "dot(y) - b*x*dot(x)"},
    parameters={"m": 1.3, "g": 9.81, "a": 0.5, "b": 0.7},
)  # fmt: skip
BUILT = {principle: named(principle)(RAIL) for principle in ("nonholonomic", "vakonomic")}
HANGING = {"x": 0.6, "y": 0.2, "vx": 0.4}


@pytest.mark.parametrize("principle", ["nonholonomic", "vakonomic"])
@pytest.mark.parametrize("change", [{}, {"x": 1.1, "vx": -0.7}, {"y": -0.4}])
@pytest.mark.parametrize("parameters", [{}, {"a": 1.4}, {"b": -2.0, "m": 3.0}])
def test_positions_and_velocities_follow_as_in_a_start(principle, change, parameters):
    equations = BUILT[principle]
    lams = {s.name: 0.1 for s in equations.states_of_multipliers}
    want = equations.start(**{**HANGING, **lams, **change}, parameters=parameters)
    found = begun(principle, change, parameters)
    assert set(found["follows"]) == {"z", "vy", "vz"}
    assert found["moved"] == {}
    for name, value in want.items():
        assert found["values"][name] == pytest.approx(value, rel=1e-13, abs=1e-14)


@cache
def printed(principle):
    """The rail's kernels, from a start with all that follows."""
    return kernels(RAIL, [principle], start=HANGING | {s.name: 0.1 for s in BUILT[principle].states_of_multipliers})


def begun(principle, change, parameters, text=None):
    """The start in node for changed values."""
    question = "console.log(JSON.stringify(solveMotion(NAME, KERNELS, START, P, { until: 0 }).start));"
    names = {"NAME": principle, "START": change, "P": parameters}
    return ask(text or printed(principle), question, names, in_node)


def test_what_was_given_moves_to_the_nearest_start_where_a_parameter_contradicts_it():
    equations = BUILT["nonholonomic"]
    whole = dict(equations.start(**HANGING))
    text = kernels(RAIL, ["nonholonomic"], start=whole)
    want = equations.start(**whole, parameters={"a": 0.8}, project="kinetic")
    found = begun("nonholonomic", {}, {"a": 0.8}, text)
    assert set(found["moved"]) == set(whole)
    for name, value in want.items():
        assert found["values"][name] == pytest.approx(value, rel=1e-12, abs=1e-13)
