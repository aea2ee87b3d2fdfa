"""Plants: step by step is one run with held tables, whatever the chart; copies and refusals."""

from functools import cache

import numpy as np
import pytest

import dalembert as da
from driven import ROLLING, robot

POINT = da.coordinates("x y")


@cache
def spring():
    """The stiffness is an input: the energy jumps with it."""
    return da.free(da.System(da.line("x"), "vx^2/2 - k*x^2/2", forces={"vx": "F"}, inputs="F k"))


def driven(equations, start, given, step):
    """A plant after all its steps, and the run with the same inputs."""
    plant = da.plant(equations, start, step=step)
    for row in zip(*given.values(), strict=True):
        state = plant.step(dict(zip(given, map(float, row), strict=True)))
    count = len(next(iter(given.values())))
    tables = {name: (np.arange(count) * step, values) for name, values in given.items()}
    return plant, state, da.simulate(equations, start, until=count * step, inputs=tables)


@pytest.mark.parametrize("spin", [0.0, 4.0])  # with the spin theta passes pi/2, a pole of the first chart
def test_step_by_step_is_one_run(spin):
    k = np.arange(60)
    given = {"tau_l": np.sin(k / 5) / 10, "tau_r": np.cos(k / 7) / 10}
    plant, state, path = driven(robot(), {**ROLLING, "omega": spin}, given, 0.02)
    assert path.ok
    assert plant.t == pytest.approx(1.2, abs=1e-15)
    for name in robot().states:
        assert state[name] == pytest.approx(path[name][-1], abs=1e-12)
    assert plant.work == pytest.approx(path.audit.energy_change, abs=1e-11)


def test_work_of_an_input_in_the_potential():
    k = np.arange(30)
    plant, state, path = driven(spring(), {"x": 1.0, "vx": 0.0}, {"F": k * 0.0, "k": 2 + np.sin(k)}, 0.1)
    assert state["x"] == pytest.approx(path["x"][-1], abs=1e-12)
    assert plant.work == pytest.approx(path.audit.energy_change, abs=1e-11)


def test_inputs_in_order_and_held():
    plant = da.plant(spring(), {"x": 0.0, "vx": 0.0}, step=0.5)
    plant.step([2.0, 0.0])
    state = plant.step()
    assert state["x"] == pytest.approx(1.0, abs=1e-13)
    assert plant.step(np.array([-2.0, 0.0]))["vx"] == pytest.approx(1.0, abs=1e-13)
    assert plant.inputs == ("F", "k")


def test_copies_go_on_alone_and_reset_begins_again():
    plant = da.plant(robot(), ROLLING, step=0.01)
    first = plant.step({"tau_l": 0.1, "tau_r": 0.3})
    twin = plant.copy()
    here = [plant.step({"tau_l": 0.1, "tau_r": 0.3}) for _ in range(5)][-1]
    assert twin.t == pytest.approx(0.01)
    there = [twin.step() for _ in range(5)][-1]
    assert dict(there) == dict(here)
    assert plant.reset()["vx"] == 0.5
    assert dict(plant.step({"tau_l": 0.1, "tau_r": 0.3})) == dict(first)


def test_state_of_a_plant_starts_a_run():
    plant = da.plant(robot(), ROLLING, step=0.01)
    for _ in range(10):
        plant.step({"tau_l": 0.1, "tau_r": 0.3})
    inputs = {"tau_l": 0.1, "tau_r": 0.3}
    on = da.simulate(robot(), plant.state, until=0.2, inputs=inputs)
    assert on.t[0] == pytest.approx(0.1)
    whole = da.simulate(robot(), ROLLING, until=0.2, inputs=inputs)
    assert on["y"][-1] == pytest.approx(whole["y"][-1], abs=1e-13)


def test_a_plant_that_cannot_go_on_stays_where_it_was():
    blow = da.free(da.System(da.line("x"), "vx^2/2", forces={"vx": "F*vx^2"}, inputs="F"))
    plant = da.plant(blow, {"x": 0.0, "vx": 1.0}, step=0.5)
    plant.step({"F": 0.1})
    before = dict(plant.state)
    with pytest.raises(da.DalembertError, match="E4"):
        plant.step({"F": 10.0})
    assert dict(plant.state) == before
    assert plant.t == 0.5
    plant.step({"F": -1.0})


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("E180", {"tau_l": 0.1}),
        ("E180", None),
        ("E181", {"tau_l": 0.1, "tau_r": 0.1, "tau": 1.0}),
        ("E182", [0.1]),
        ("E182", 0.1),
        ("E203", {"tau_l": float("nan"), "tau_r": 0.0}),
        ("E204", {"tau_l": "much", "tau_r": 0.0}),
    ],
)
def test_refused_steps(code, given):
    plant = da.plant(robot(), ROLLING)
    with pytest.raises(da.DalembertError) as refused:
        plant.step(given)
    assert refused.value.code == code
    assert plant.t == 0.0


def test_refused_plants():
    push = {"forces": {"vx": "F"}, "inputs": "F"}
    wall = da.free(da.System(POINT, "vx^2/2 + vy^2/2", walls={"floor": "y"}, **push))
    cart = da.free(da.System(da.line("x"), "(vx - w)^2/2", inputs="w"))
    point = {"x": 0.0, "y": 1.0, "vx": 1.0, "vy": 0.0}
    for code, call in (
        ("E316", lambda: da.plant(wall, point, events=["floor"])),
        ("E185", lambda: da.plant(cart, {"x": 0.0, "vx": 0.0})),
        ("E182", lambda: da.plant(robot(), ROLLING, step=0.0)),
        ("E307", lambda: da.plant(robot().system, ROLLING)),
        ("E307", lambda: da.plant(robot(), ROLLING, method="rk4")),
        ("E231", lambda: da.plant(robot(), {**ROLLING, "vy": 1.0})),
    ):
        with pytest.raises(da.DalembertError) as refused:
            call()
        assert refused.value.code == code
    assert da.plant(wall, point, walls=False).step({"F": 2.0})["vx"] == pytest.approx(1.002)


@cache
def ball():
    """A ball with a thrust above a floor, beside a wall that it passes through marking it."""
    q = da.coordinates("x y")
    walls = {"floor": {"guard": "y", "restitution": 0.8}}
    L = "vx^2/2 + vy^2/2 - 9.81*y"
    return da.nonholonomic(da.System(q, L, forces={"vx": "F", "vy": "G"}, inputs="F G", walls=walls))


FALLING = {"x": 0.0, "y": 1.0, "vx": 0.3, "vy": 0.0}


def with_tables(equations, start, plant, given, step, **options):
    """States of a plant after its steps, and the run with the same inputs at the same times."""
    rows = []
    for row in zip(*given.values(), strict=True):
        state = plant.step(dict(zip(given, map(float, row), strict=True)))
        rows.append([state[name] for name in equations.states])
    count = len(rows)
    tables = {name: (np.arange(count) * step, values) for name, values in given.items()}
    path = da.simulate(equations, start, until=count * step, inputs=tables, **options)
    return np.array(rows), path


def test_walls_and_marks_are_met_as_in_one_run():
    k = np.arange(150)
    mark = da.Event("middle", POINT["x"] - 0.4)
    plant = da.plant(ball(), FALLING, step=0.02, events=[mark])
    seen = {"floor": [], "middle": []}
    step = plant.step

    def noted(inputs):
        state = step(inputs)
        for name, times in plant.happened.items():
            seen[name] += times
        return state

    plant.step = noted
    rows, path = with_tables(ball(), FALLING, plant, {"F": np.sin(k / 9), "G": np.cos(k / 5)}, 0.02, events=[mark])
    assert path.ok
    for name, column in zip(ball().states, rows.T, strict=True):
        assert column == pytest.approx([path.at(0.02 * (i + 1))[name] for i in range(150)], abs=1e-12), name
    assert len(seen["floor"]) > 3
    for name, times in seen.items():
        assert times == pytest.approx(path.marks[name].t, abs=1e-12)
    assert plant.audit.ok
    assert plant.audit.energy_change == pytest.approx(path.audit.energy_change, abs=1e-11)


def test_a_copy_of_a_plant_bounces_alone():
    plant = da.plant(ball(), FALLING, step=0.05)
    for _ in range(8):
        plant.step({"F": 0.1, "G": 0.2})
    twin = plant.copy()
    here = [plant.step({"F": -0.1, "G": 0.3}) for _ in range(20)][-1]
    assert twin.t == pytest.approx(0.4)
    there = [twin.step({"F": -0.1, "G": 0.3}) for _ in range(20)][-1]
    assert dict(here) == dict(there)
    plant.reset()
    again = [plant.step({"F": 0.1, "G": 0.2}) for _ in range(8)]
    assert again[-1]["y"] == pytest.approx(
        da.plant(ball(), FALLING, step=0.4).step({"F": 0.1, "G": 0.2})["y"], abs=1e-12
    )


def test_an_event_that_stops_ends_the_steps():
    edge = da.Event("edge", POINT["x"] - 0.1, then="stop")
    plant = da.plant(ball(), FALLING, step=0.25, events=[edge], walls=False)
    plant.step([0.0, 0.0])
    state = plant.step([0.0, 0.0])
    assert plant.stopped_by == "edge"
    assert plant.t == pytest.approx(1 / 3)
    assert state["x"] == pytest.approx(0.1, abs=1e-13)
    with pytest.raises(da.DalembertError, match=r"E188 .*edge"):
        plant.step([0.0, 0.0])
    plant.reset()
    assert plant.stopped_by == ""


def test_friction_that_comes_to_rest_stops():
    law = da.forces.rolling_friction([POINT["vx"], POINT["vy"]], 0.1, 9.81)
    push = da.forces.applied([POINT["vx"]], ["F"], "push")
    sliding = da.nonholonomic(da.System(POINT, "vx^2/2 + vy^2/2", forces=[law, push], inputs="F"))
    start = {"x": 0.0, "y": 0.0, "vx": 1.0, "vy": 0.0}
    plant = da.plant(sliding, start, step=0.3)
    plant.step([0.5])
    while not plant.stopped_by:
        state = plant.step([0.0])
    assert plant.stopped_by == "rolling friction at rest"
    # v = 1 + (0.5 - 0.981) 0.3, then down at 0.981
    assert plant.t == pytest.approx(0.3 + (1 - 0.481 * 0.3) / 0.981, abs=1e-5)
    assert state["vx"] == pytest.approx(0.0, abs=1e-5)


def test_forces_that_jump_are_switched_as_in_one_run():
    push = "F - 2*sign(x - 1/3)"
    switched = da.free(da.System(da.line("x"), "vx^2/2", forces={"vx": push}, inputs="F"))
    start = {"x": 0.0, "vx": 1.0}
    k = np.arange(40)
    plant = da.plant(switched, start, step=0.05)
    rows, path = with_tables(switched, start, plant, {"F": np.sin(k)}, 0.05)
    assert path.ok
    assert rows[-1] == pytest.approx([path[name][-1] for name in switched.states], abs=1e-11)


def test_what_a_wall_does_not_allow_leaves_the_plant_where_it_was():
    """Pressed on the floor the motion would rest there, which a wall does not do."""
    dead = ball().system.changed(walls={"floor": {"guard": "y", "restitution": 0}})
    plant = da.plant(da.nonholonomic(dead), FALLING, step=0.1)
    for _ in range(4):
        plant.step([0.0, 0.0])
    before = dict(plant.state)
    with pytest.raises(da.DalembertError, match="E133"):
        plant.step([0.0, 0.0])
    assert dict(plant.state) == before
    assert plant.t == pytest.approx(0.4)
    assert plant.step([0.0, 30.0])["y"] > 0  # thrust turns it in time


def test_audits_of_plants_see_what_is_lost():
    plant = da.plant(robot(), ROLLING, step=0.01)
    for _ in range(50):
        plant.step({"tau_l": 0.1, "tau_r": 0.3})
    assert plant.audit.ok
    assert plant.audit.energy_change == pytest.approx(plant.work, abs=1e-10)
    assert plant.audit.constraint_residual < 1e-12
    loose = da.plant(
        robot(), {**ROLLING, "omega": 3.0}, step=0.5, rtol=1e-3, atol=1e-3, stabilisation=da.methods.Drift()
    )
    for _ in range(20):
        loose.step({"tau_l": 0.3, "tau_r": -0.1})
    assert not loose.audit.ok


@pytest.mark.parametrize("method", ["taylor", "radau", da.methods.DiscreteLagrangeDAlembert(step=0.0025, order=4)])
def test_every_method_carries_a_plant(method):
    torques = np.random.default_rng(1).normal(size=(20, 2)).tolist()
    usual, other = (da.plant(robot(), ROLLING, step=0.01, method=word) for word in ("dop853", method))
    for row in torques:
        usual.step(row)
        other.step(row)
    np.testing.assert_allclose(list(other.state.values()), list(usual.state.values()), atol=1e-10)
    assert other.work == pytest.approx(usual.work, abs=1e-10)
    twin = other.copy()
    assert twin.step(torques[0]) == other.step(torques[0])
    together = da.plants(robot(), {**ROLLING, "omega": [0.3, ROLLING["omega"]]}, step=0.01, method=method)
    for row in torques:
        together.step([row, row])
    other.reset()
    for row in torques:
        other.step(row)
    assert [float(column[1]) for column in together.state.values()] == list(other.state.values())
