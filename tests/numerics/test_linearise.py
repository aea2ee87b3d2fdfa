"""Linear models: the tangent of the flow, the bicycle's published speeds, a regulator that holds the motion itself."""

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm, solve_continuous_are
from scipy.optimize import brentq

import dalembert as da
from dalembert.systems import two_wheeled_robot, whipple_bicycle

STRAIGHT = {"x": 0.0, "y": 0.0, "theta": 0.0, "left": 0.0, "right": 0.0, "vx": 0.5, "omega": 0.0}
NOTHING = {"tau_l": 0.0, "tau_r": 0.0}
TORQUE = 0.01  # weight of the steering torque's square


@cache
def robot():
    driven = two_wheeled_robot.system().changed(forces={"vleft": "tau_l", "vright": "tau_r"}, inputs="tau_l tau_r")
    return da.nonholonomic(driven)


@cache
def bicycle():
    return da.nonholonomic(whipple_bicycle.system().changed(forces={"vsteer": "T"}, inputs="T"))


def rolling(speed):
    upright = {**whipple_bicycle.STARTS["upright"], "vrear": -speed / 0.3}
    return da.linearise(bicycle(), upright, inputs={"T": 0.0})


def regulated(model, names):
    """The gains of the linear quadratic regulator of some of the states."""
    k = [model.states.index(name) for name in names]
    A, B = model.A[np.ix_(k, k)], model.B[k]
    P = solve_continuous_are(A, B, np.eye(len(k)), TORQUE * np.eye(B.shape[1]))
    return A, B, B.T @ P / TORQUE


def test_it_is_the_tangent_of_the_flow():
    """Along the straight run A does not change:  d x(t) / d x(0) = exp(A t) ,  d x(t) / d w = int exp(A s) B ds."""
    model = da.linearise(robot(), STRAIGHT, inputs=NOTHING)
    assert model.states == tuple(STRAIGHT)
    assert model.inputs == ("tau_l", "tau_r")
    by, t = [*model.states, *model.inputs], 1.5
    flow = da.sensitivities(robot(), STRAIGHT, until=t, by=by, inputs=NOTHING)
    found = np.array([flow[name][-1] for name in model.states])
    both = np.block([[model.A, model.B], [np.zeros((2, 9))]])
    assert found == pytest.approx(expm(both * t)[:7], abs=1e-10)


def test_tangent_about_a_state_that_moves_on():
    """About a turning start the slope at that instant: the second difference of the flow's tangent by time is 0."""
    turning = {**STRAIGHT, "theta": 0.4, "omega": 0.7}
    model = da.linearise(robot(), turning, inputs={"tau_l": 0.1, "tau_r": 0.2})
    h = 1e-3
    flow = da.sensitivities(
        robot(), turning, until=2 * h, by=list(model.states), inputs={"tau_l": 0.1, "tau_r": 0.2}, samples=[0, h, 2 * h]
    )
    at = [np.array([flow[name][i] for name in model.states]) for i in range(3)]
    assert pytest.approx((4 * at[1] - 3 * at[0] - at[2]) / (2 * h), abs=1e-4) == model.A
    assert model.drift[:2] == pytest.approx([0.5, 0.5 * np.tan(0.4)])


def test_zeros_of_symmetry_are_told_apart():
    model = da.linearise(robot(), STRAIGHT, inputs=NOTHING)
    assert model.cyclic == ("x", "y", "theta", "left", "right")
    # omega' = -m a v omega / (J + m a^2 + 2 C w^2/R^2), and vx, which stays as it is
    assert model.modes == pytest.approx([0.0, -0.2 * 0.5 / (0.3 + 0.04 + 0.02 * (0.25 / 0.15) ** 2)])
    small = model.without(*model.cyclic)
    assert small.states == ("vx", "omega")
    assert small.controllable == 2
    assert model.controllable == 5  # two combinations of x, theta and the wheels' angles are integrals
    assert model.observable == 7
    assert da.linearise(robot(), STRAIGHT, inputs=NOTHING, outputs="omega").observable == 1


def test_published_speeds_of_the_bicycle():
    """[meijaard2007]: the weave becomes stable at 4.29238253634111 m/s, the capsize unstable at 6.02426201538837."""

    def weave(speed):
        return max(e.real for e in rolling(speed).modes if abs(e.imag) > 1)

    def capsize(speed):  # an eigenvalue of lean and steer is 0
        model = rolling(speed)
        k = [model.states.index(name) for name in ("lean", "steer", "vlean", "vsteer")]
        return np.linalg.det(model.A[np.ix_(k, k)])

    assert brentq(weave, 4.2, 4.4, xtol=1e-13) == pytest.approx(4.29238253634111, abs=1e-10)
    assert brentq(capsize, 5.9, 6.1, xtol=1e-13) == pytest.approx(6.02426201538837, abs=1e-10)
    known = np.sort_complex(whipple_bicycle.eigenvalues(5.0))
    found = np.sort_complex([e for e in rolling(5.0).modes if abs(e) > 1e-9])
    assert found == pytest.approx(known, abs=1e-9)


def test_regulator_keeps_the_bicycle_upright():
    """At 3 m/s it falls; with the torque of a regulator of the linear model the nonlinear bicycle comes back."""
    names = ("lean", "steer", "vlean", "vsteer")
    A, B, K = regulated(rolling(3.0), names)
    assert np.linalg.eigvals(A).real.max() > 0.5
    assert np.linalg.eigvals(A - B @ K).real.max() < -0.5
    law = "-(" + " + ".join(f"({gain:.17g})*{name}" for gain, name in zip(K[0], names, strict=True)) + ")"
    upright = {**whipple_bicycle.STARTS["upright"], "vrear": -3.0 / 0.3}
    leaning = upright | {"lean": 0.03, "pitch": whipple_bicycle.pitch(0.03, 0.0)}
    held = da.simulate(bicycle(), leaning, until=8.0, inputs={"T": law}, max_steps=5000)  # else a fall has no end
    assert held.ok
    assert max(abs(held[name][-1]) for name in names) < 1e-3
    falls = da.simulate(bicycle(), leaning, until=2.0, inputs={"T": 0.0})
    assert abs(falls["lean"][-1]) > 2 * 0.03


def test_outputs_and_other_tools():
    model = da.linearise(robot(), STRAIGHT, inputs=NOTHING, outputs=["vleft", "x*omega", "tau_l"])
    assert model.outputs == ("vleft", "x*omega", "tau_l")
    # vleft = (vx - w omega)/R
    assert model.C[0] == pytest.approx([0, 0, 0, 0, 0, 1 / 0.15, -0.25 / 0.15])
    assert model.D[2] == pytest.approx([1.0, 0.0])
    scipy = model.to_scipy()
    assert np.array_equal(scipy.A, model.A)
    assert "cyclic" in str(model)


def test_holonomic_constraint_leaves_no_zero():
    """A pendulum in Cartesian coordinates has the two eigenvalues of a pendulum."""
    point = da.System(
        da.coordinates("x y"),
        "m*(vx^2 + vy^2)/2 - m*9*y",
        {"rod": "x^2 + y^2 - 1"},
        parameters={"m": 1.0},
        forces={"vx": "F"},
        inputs="F",
    )
    equations = da.nonholonomic(point)
    hanging = {"x": 0.0, "y": -1.0, "vx": 0.0, "vy": 0.0}
    model = da.linearise(equations, hanging, inputs={"F": 0})
    assert model.states == ("x", "vx")
    assert model.eigenvalues == pytest.approx([3j, -3j])
    assert da.linearise(equations, da.steady(equations, hanging, fix="x y", parameters={"F": 0}), inputs={"F": 0})


def test_refusals():
    for code, at, given in (
        ("E231", {**STRAIGHT, "vy": 0.3}, NOTHING),
        ("E180", STRAIGHT, {"tau_l": 0.0}),
        ("E181", STRAIGHT, {**NOTHING, "tau": 1.0}),
        ("E204", STRAIGHT, {**NOTHING, "tau_l": ([0, 1], [0, 1])}),
        ("E230", {"x": 0.0}, NOTHING),
    ):
        with pytest.raises(da.DalembertError) as refused:
            da.linearise(robot(), at, inputs=given)
        assert refused.value.code == code
    cart = da.free(da.System(da.line("x"), "(vx - w)^2/2", inputs="w"))
    with pytest.raises(da.DalembertError, match="E187"):
        da.linearise(cart, {"x": 0, "vx": 0}, inputs={"w": 0})
    with pytest.raises(da.DalembertError, match="E307"):
        da.linearise(robot().system, STRAIGHT, inputs=NOTHING)
    model = da.linearise(robot(), STRAIGHT, inputs=NOTHING)
    for name in ("omega", "nothing"):
        with pytest.raises(da.DalembertError, match="E187"):
            model.without(name)
