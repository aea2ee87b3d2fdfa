"""Linear models of what touches are those of its mode: rolling, sliding, apart; between two modes there is none."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import block_on_belt

AT_REST = {"x": 0, "y": 0, "vx": 0, "vy": 0}
TURNING = {"x": 0, "y": 0, "z": 0.25, "R": "identity", "vx": 0, "vy": 0, "vz": 0, "w1": 0, "w2": 0, "w3": 3.0}


def block(push=0.0, mu=0.3):
    q = da.coordinates("x y")
    _, y, vx, vy = q
    L = (vx**2 + vy**2) / 2 - 9.81 * y + push * q["x"]
    return da.nonholonomic(da.System(q, L, contacts={"floor": da.contact(y, [vx], mu=mu)}))


def test_a_ball_that_sticks_has_the_model_of_one_that_rolls():
    rolls = da.rolling(da.Body("ball", radius=0.2, at=(0, 0, -0.05)), "z")
    L = rolls.kinetic(1.0, [0.016, 0.016, 0.012]) - 9.81 * rolls.position[2]
    held = da.System(rolls.space, L, rolls.constraints)
    touching = da.System(rolls.space, L, rolls.held, contacts={"floor": rolls.contact(mu=0.3)})
    one, other = (da.linearise(da.nonholonomic(s), TURNING) for s in (held, touching))
    assert one.states == other.states
    assert pytest.approx(one.A, abs=1e-13) == other.A


def test_a_block_that_slides_on_a_belt_swings_about_where_the_spring_balances_it():
    equations = da.nonholonomic(block_on_belt.system())
    model = da.linearise(equations, block_on_belt.STARTS["balanced"])
    assert np.sort(np.linalg.eigvals(model.A).imag) == pytest.approx([-math.sqrt(10), math.sqrt(10)], abs=1e-12)
    assert da.linearise(equations, block_on_belt.STARTS["taken along"]).states == ("x",)


def test_a_slip_in_the_plane_is_braked_across_by_mu_g_over_its_speed():
    """F = - mu N s/|s|: along it nothing changes, across it the slope is - mu g/|s|."""
    q = da.coordinates("x y z")
    _, _, z, vx, vy, vz = q
    L = (vx**2 + vy**2 + vz**2) / 2 - 9.81 * z
    sledge = da.nonholonomic(da.System(q, L, contacts={"floor": da.contact(z, [vx, vy], mu=0.3)}))
    model = da.linearise(sledge, {"x": 0, "y": 0, "z": 0, "vx": 2.0, "vy": 0, "vz": 0})
    k = [model.states.index(name) for name in ("vx", "vy")]
    assert model.A[np.ix_(k, k)] == pytest.approx(np.diag([0, -0.3 * 9.81 / 2]), abs=1e-9)


@pytest.mark.parametrize(
    ("push", "state"),
    [
        (0.3 * 9.81, AT_REST),
        (3.5, AT_REST),
        (0.0, {**AT_REST, "vy": -1}),
        (0.0, {**AT_REST, "vy": 1}),
    ],
    ids=["at its limit", "begins to slide", "hits the floor", "leaves it"],
)
def test_between_two_modes_there_is_no_model(push, state):
    with pytest.raises(da.DalembertError, match=r"E139 the mode of floor changes"):
        da.linearise(block(push), state)


def test_apart_it_falls_and_below_the_floor_nothing_is():
    model = da.linearise(block(), {**AT_REST, "y": 1})
    assert model.states == ("x", "y", "vx", "vy")
    with pytest.raises(da.DalembertError, match="E240"):
        da.linearise(block(), {**AT_REST, "y": -1})
    path = da.simulate(block(), {**AT_REST, "y": 1}, until=1)
    with pytest.raises(da.DalembertError, match="E139 along a path"):
        da.linearise(block(), path)
