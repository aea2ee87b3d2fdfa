"""Inputs that change in time while contacts change their modes: closed solutions, work, and where modes begin."""

import math
from functools import cache

import numpy as np
import pytest

import dalembert as da

m, g = 2.0, 9.81
REST = {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}
BEGINS = 0.4 * m * g / 5  # a force of 5 N/s is as large as mu_static N
EXACT = 1e-12


@cache
def block(**more):
    """A block of 2 kg on a rough floor, pushed along it by F and off it by G."""
    q = da.coordinates("x y")
    floor = da.contact(gap=q["y"], slip=[q["vx"]], mu=0.3, mu_static=0.4, **more)
    L = m * (q["vx"] ** 2 + q["vy"] ** 2) / 2 - m * g * q["y"]
    return da.nonholonomic(da.System(q, L, forces={"x": "F", "y": "G"}, inputs="F G", contacts={"floor": floor}))


def words(path):
    return [mode[1:] for mode in path.modes]


def run(equations, start, until, inputs, **more):
    path = da.simulate(equations, start, until=until, inputs=inputs, **more)
    assert path.ok, path.audit
    return path


RAMPS = {
    "formula": "5*t",
    "lines": da.inputs.tabulated([0, 1, 2, 3], [0, 5, 10, 15], "linear"),
    "spline": da.inputs.tabulated([0, 1, 2, 3], [0, 5, 10, 15], "cubic"),
}


@pytest.mark.parametrize("push", RAMPS.values(), ids=RAMPS)
def test_a_ramp_of_force_starts_a_block_at_mu_static_times_its_weight(push):
    path = run(block(), REST, 3.0, {"F": push, "G": 0.0})
    assert words(path) == [("floor", "sticks"), ("floor", "slides")]
    assert path.modes[1][0] == pytest.approx(BEGINS, abs=EXACT)
    v = 5 / m * (9 - BEGINS**2) / 2 - 0.3 * g * (3 - BEGINS)
    assert path["vx"][-1] == pytest.approx(v, abs=1e-11)
    assert np.abs(path["vx"][path.t < BEGINS]).max() < 1e-15
    assert path.at(1.0)["floor_friction"] == pytest.approx(-5.0, abs=EXACT)
    assert path.at(2.0)["F"] == pytest.approx(10.0, abs=EXACT)


def test_the_work_of_an_input_is_the_energy_gained_and_what_friction_takes():
    path = run(block(), REST, 3.0, {"F": "5*t", "G": 0.0})
    t = np.linspace(BEGINS, 3.0, 20001)
    power = np.trapezoid(5 * t * path.at(t)["vx"], t)
    lost = 0.3 * m * g * path["x"][-1]
    assert path.audit.energy_change == pytest.approx(power - lost, rel=1e-8)
    assert path.audit.work_balance < 1e-12


def test_a_held_table_starts_a_block_at_its_jump_and_stops_it_where_friction_says():
    """8 N from t = 1 to t = 2: it slides with (8 - mu m g)/m, then with -mu g until it sticks."""
    path = run(block(), REST, 4.0, {"F": ([0, 1, 2, 4], [7.0, 8.0, 0.0, 0.0]), "G": 0.0})
    a = (8 - 0.3 * m * g) / m
    ends = 2 + a / (0.3 * g)
    assert words(path) == [("floor", "sticks"), ("floor", "slides"), ("floor", "sticks")]
    assert [t for t, _, _ in path.modes] == pytest.approx([0, 1, ends], abs=EXACT)
    assert path["x"][-1] == pytest.approx(a / 2 + a**2 / (2 * 0.3 * g), abs=EXACT)
    assert np.abs(path["vx"][path.t > ends + 1e-9]).max() < 1e-15
    assert path.at(3.0)["F"] == 0.0
    assert path.at(1.5)["floor_friction"] == pytest.approx(-0.3 * m * g, abs=EXACT)


def test_a_jump_of_force_lifts_a_block_at_once_and_drops_it():
    path = run(block(), REST, 4.0, {"F": 0.0, "G": ([0, 1, 2, 4], [0.0, 2 * m * g, 0.0, 0.0])})
    # up with g for 1 s, then free: it comes back at 2 + (1 + sqrt 2)
    assert words(path)[:2] == [("floor", "sticks"), ("floor", "apart")]
    assert path.modes[1][0] == 1.0
    lands = run(block(), REST, 5.0, {"F": 0.0, "G": ([0, 1, 2, 5], [0.0, 2 * m * g, 0.0, 0.0])}).modes[2]
    assert lands == (pytest.approx(3 + math.sqrt(2), abs=1e-11), "floor", "sticks")


def test_a_function_is_asked_at_its_samples_in_all_modes():
    asked = []

    def push(t, state):
        asked.append(t)
        return 10 * math.sin(2 * t) - state["vx"]

    path = run(block(), REST, 3.0, {"F": da.inputs.sampled(push, 0.01), "G": 0.0})
    assert asked == pytest.approx(np.arange(300) * 0.01, abs=1e-14)
    assert set(asked) <= set(path.t)
    held = [10 * math.sin(2 * t) - path.at(t)["vx"] for t in asked]
    table = run(block(), REST, 3.0, {"F": (asked, held), "G": 0.0})
    assert words(path) == words(table) == [("floor", w) for w in ("sticks", "slides", "sticks", "slides")]
    assert path["x"][-1] == pytest.approx(table["x"][-1], abs=EXACT)


def test_a_formula_of_states_in_all_modes_is_the_force_itself():
    """A motor with a spring: F = 8 - 30 x."""
    driven = run(block(), REST, 3.0, {"F": "8*sin(3*t) - 30*x - 0.5*vx", "G": 0.0})
    q = block().system
    itself = da.nonholonomic(q.changed(forces={"x": "8*sin(3*t) - 30*x - 0.5*vx"}, inputs=""))
    path = run(itself, REST, 3.0, None)
    assert len(path.modes) > 3
    assert words(path) == words(driven)
    assert [t for t, _, _ in driven.modes] == pytest.approx([t for t, _, _ in path.modes], abs=1e-11)
    assert driven["x"][-1] == pytest.approx(path["x"][-1], abs=1e-12)


def belt():
    """A block on a belt whose speed w is an input."""
    q = da.coordinates("x y")
    rubber = da.contact(gap=q["y"], slip=["vx - w"], mu=0.3)
    L = m * (q["vx"] ** 2 + q["vy"] ** 2) / 2 - m * g * q["y"]
    return da.nonholonomic(da.System(q, L, inputs="w", contacts={"belt": rubber}))


def test_a_belt_whose_speed_jumps_takes_a_block_along_by_friction():
    path = run(belt(), {**REST, "vx": 0.5}, 3.0, {"w": ([0, 1, 3], [0.5, 2.0, 2.0])})
    caught = 1 + 1.5 / (0.3 * g)
    assert words(path) == [("belt", "sticks"), ("belt", "slides"), ("belt", "sticks")]
    assert [t for t, _, _ in path.modes] == pytest.approx([0, 1, caught], abs=EXACT)
    assert path["vx"][-1] == pytest.approx(2.0, abs=EXACT)


def test_a_belt_that_speeds_up_gently_takes_a_block_along_and_one_that_does_not_leaves_it():
    gentle, harsh = 0.29 * g, 0.31 * g
    path = run(belt(), REST, 1.0, {"w": f"{gentle}*t"})
    assert words(path) == [("belt", "sticks")]
    assert path["vx"][-1] == pytest.approx(gentle, abs=EXACT)
    path = run(belt(), REST, 1.0, {"w": f"{harsh}*t"})
    assert words(path) == [("belt", "slides")]
    assert path["vx"][-1] == pytest.approx(0.3 * g, abs=EXACT)
    path = run(belt(), REST, 2.0, {"w": da.inputs.tabulated([0, 1, 2], [0, gentle, gentle], "linear")})
    assert words(path) == [("belt", "sticks")]


@cache
def ball(restitution=0.8):
    """A ball on a table whose height is an input."""
    q = da.coordinates("z")
    table = da.contact(gap="z - h", restitution=restitution)
    return da.nonholonomic(da.System(q, "vz^2/2 - 9.81*z", inputs="h", contacts={"table": table}))


def test_a_ball_on_a_table_that_is_moved_by_an_input_is_that_on_a_table_of_this_motion():
    h = "0.05*sin(20*t)"
    start = {"z": 0.3, "vz": 0.0}
    driven = run(ball(), start, 2.0, {"h": h})
    itself = ball().system.changed(contacts={"table": da.contact(gap=f"z - {h}", restitution=0.8)}, inputs="")
    path = run(da.nonholonomic(itself), start, 2.0, None)
    hits, known = driven.marks["table"], path.marks["table"]
    assert len(hits) == 3
    assert hits.t == pytest.approx(known.t, abs=1e-11)
    assert driven["z"][-1] == pytest.approx(path["z"][-1], abs=1e-10)
    # v+ - hdot = -e (v- - hdot), and the impulse is their difference
    rate = np.cos(20 * hits.t)
    before = hits["vz"]
    assert driven.impulses["table"]["normal"] == pytest.approx(1.8 * (rate - before), abs=1e-10)


def test_a_ball_that_lies_on_a_table_leaves_it_where_it_falls_faster():
    """h = A cos(w t): it lies until A w^2 cos(w t) = g."""
    A, w = 0.1, 12.0
    lifts = math.acos(-g / (A * w**2)) / w
    path = run(ball(0.0), {"z": A, "vz": 0.0}, 0.3, {"h": f"-{A}*cos({w}*t) + 2*{A}"})
    assert path.modes[1] == (pytest.approx(lifts, abs=EXACT), "table", "apart")
    assert path.at(0.05)["table_normal"] == pytest.approx(g + A * w**2 * math.cos(w * 0.05), abs=1e-10)


def test_inputs_in_the_mass_are_felt_by_friction():
    """A block whose mass grows: L = M(t) v^2/2 slides as M v' + M' v = -mu M g."""
    q = da.coordinates("x y")
    floor = da.contact(gap=q["y"], slip=[q["vx"]], mu=0.3)
    L = "M*(vx^2 + vy^2)/2 - 9.81*M*y"
    grows = da.nonholonomic(da.System(q, L, inputs="M", contacts={"floor": floor}))
    path = run(grows, {**REST, "vx": 3.0}, 0.5, {"M": "1 + t"})
    t = 0.5
    # d(M v)/dt = -mu g M
    assert (1 + t) * path["vx"][-1] == pytest.approx(3 - 0.3 * g * (t + t**2 / 2), abs=EXACT)


def test_a_block_slides_less_far_on_a_table_that_is_lifted():
    """With h = a t^2/2 it presses with m (g + a): v = v0 - mu (g + a) t."""
    q, a = da.coordinates("x y"), 3.0
    table = da.contact(gap="y - h", slip=[q["vx"]], mu=0.3)
    L = m * (q["vx"] ** 2 + q["vy"] ** 2) / 2 - m * g * q["y"]
    lifted = da.nonholonomic(da.System(q, L, inputs="h", contacts={"table": table}))
    path = run(lifted, {**REST, "vx": 3.0}, 0.5, {"h": f"{a}*t^2/2"})
    assert words(path) == [("table", "slides")]
    assert path["vx"][-1] == pytest.approx(3 - 0.3 * (g + a) * 0.5, abs=EXACT)
    assert path.at(0.2)["table_normal"] == pytest.approx(m * (g + a), abs=1e-11)


def test_a_contact_that_changes_while_functions_fail_keeps_the_path_until_then():
    def push(t, state):
        return 9.0 if t < 0.5 else math.nan

    path = da.simulate(block(), REST, until=1.0, inputs={"F": da.inputs.sampled(push, 0.1), "G": 0.0})
    assert not path.ok
    assert path.ending.code == "E184"
    assert path.t[-1] == pytest.approx(0.5)
    assert words(path) == [("floor", "slides")]


@pytest.mark.parametrize(
    ("code", "make", "given"),
    [
        ("E185", ball, {"h": ([0, 1, 2], [0.0, 0.1, 0.1])}),
        ("E185", ball, {"h": da.inputs.tabulated([0, 1, 2], [0.0, 0.1, 0.1], "linear")}),
        ("E185", ball, {"h": lambda t, state: 0.0}),
        ("E186", ball, {"h": "vz/100"}),
        ("E186", belt, {"w": "x"}),
        ("E184", block, {"F": lambda t, state: math.nan, "G": 0.0}),
        ("E183", block, {"F": ([0, 0.5], [0.0, 0.0]), "G": 0.0}),
        ("E180", block, {"F": 1.0}),
    ],
)
def test_refused_inputs(code, make, given):
    equations = make()
    start = {name: 0.5 if name == "z" else 0.0 for name in equations.states}
    with pytest.raises(da.DalembertError) as refused:
        da.simulate(equations, start, until=2.0, inputs=given)
    assert refused.value.code == code


def test_coefficients_of_friction_are_held_and_not_negative():
    q = da.coordinates("x y")
    floor = da.contact(gap=q["y"], slip=[q["vx"]], mu="k")
    L = m * (q["vx"] ** 2 + q["vy"] ** 2) / 2 - m * g * q["y"]
    oiled = da.nonholonomic(da.System(q, L, inputs="k", contacts={"floor": floor}))
    start = {**REST, "vx": 3.0}
    path = run(oiled, start, 1.5, {"k": ([0, 0.5, 1, 1.5], [0.3, 0.0, 0.1, 0.1])})
    assert path["vx"][-1] == pytest.approx(3 - 0.15 * g - 0.05 * g, abs=EXACT)
    with pytest.raises(da.DalembertError, match="E186"):
        da.simulate(oiled, start, until=1.0, inputs={"k": "0.3 - t"})
    path = da.simulate(oiled, start, until=1.0, inputs={"k": ([0, 0.5, 1], [0.3, -0.1, 0.1])})
    assert path.ending.code == "E138"
    assert path.t[-1] == pytest.approx(0.5)


def test_two_components_of_slip_under_a_table():
    """Pulled along (3, 4): 5 parts of force in the plane, in steps; it begins at the jump beyond mu_static N."""
    q = da.coordinates("x y z")
    floor = da.contact(gap=q["z"], slip=[q["vx"], q["vy"]], mu=0.3, mu_static=0.4)
    L = m * (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2 - m * g * q["z"]
    body = da.nonholonomic(da.System(q, L, forces={"x": "3*P", "y": "4*P"}, inputs="P", contacts={"floor": floor}))
    start = dict.fromkeys(body.states, 0.0)
    path = run(body, start, 2.0, {"P": ([0, 0.5, 1, 2], [1.5, 2.0, 0.0, 0.0])})
    a = (10 - 0.3 * m * g) / m
    ends = 1 + a * 0.5 / (0.3 * g)
    assert words(path) == [("floor", "sticks"), ("floor", "slides"), ("floor", "sticks")]
    assert [t for t, _, _ in path.modes] == pytest.approx([0, 0.5, ends], abs=1e-9)
    s = a / 8 + (a / 2) ** 2 / (2 * 0.3 * g)
    assert [path["x"][-1], path["y"][-1]] == pytest.approx([0.6 * s, 0.8 * s], abs=1e-9)
