"""Plants: step by step is one run with held tables, whatever the chart; copies and refusals."""

from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import two_wheeled_robot

ROLLING = {"x": 0.0, "y": 0.0, "theta": 0.0, "left": 0.0, "right": 0.0, "vx": 0.5, "omega": 0.0}
POINT = da.coordinates("x y")


@cache
def robot():
    driven = two_wheeled_robot.system().changed(forces={"vleft": "tau_l", "vright": "tau_r"}, inputs="tau_l tau_r")
    return da.nonholonomic(driven)


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
        ("E188", lambda: da.plant(wall, point)),
        ("E185", lambda: da.plant(cart, {"x": 0.0, "vx": 0.0})),
        ("E182", lambda: da.plant(robot(), ROLLING, step=0.0)),
        ("E307", lambda: da.plant(robot().system, ROLLING)),
        ("E307", lambda: da.plant(robot(), ROLLING, method="radau")),
        ("E231", lambda: da.plant(robot(), {**ROLLING, "vy": 1.0})),
    ):
        with pytest.raises(da.DalembertError) as refused:
            call()
        assert refused.value.code == code
    assert da.plant(wall, point, walls=False).step({"F": 2.0})["vx"] == pytest.approx(1.002)
