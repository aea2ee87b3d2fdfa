"""Linear models: the tangent of the flow, the bicycle's published speeds, a regulator that holds the motion itself."""

import re
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm, solve_continuous_are
from scipy.optimize import brentq

import dalembert as da
from dalembert.numerics.linearise.linear_model import _echelon
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


def test_regulator_brings_a_robot_back_to_its_circle():
    """In axes that turn with the steady motion the deviation has constant coefficients: A with W e and -W d added."""
    control = pytest.importorskip("control")
    q = da.SE2("x y theta", "v w omega", "body")
    L, torques = "m/2*(v^2 + (w + a*omega)^2) + J/2*omega^2", {"v": "F", "omega": "M"}
    values = {"m": 1.0, "J": 0.3, "a": 0.2}
    made = da.nonholonomic(da.System(q, L, {"across": "w"}, forces=torques, inputs="F M", parameters=values))
    V, W = 0.5, 0.4
    hold = {"F": -0.2 * W**2, "M": 0.2 * V * W}  # F = -m a W^2, M = m a V W
    start = {"x": 0.0, "y": 0.0, "theta": 0.0, "v": V, "omega": W}
    model = da.linearise(made, start, inputs=hold)
    assert model.states == tuple(start)
    A, names = model.A.copy(), model.states
    A[0, 1] += W
    A[1, 0] -= W
    P = solve_continuous_are(A, model.B, np.eye(5), np.eye(2))
    K = model.B.T @ P
    np.testing.assert_allclose(K, control.lqr(A, model.B, np.eye(5), np.eye(2))[0], atol=1e-9)

    def off(t, state):
        x, y = state["x"] - V / W * np.sin(W * t), state["y"] - V / W * (1 - np.cos(W * t))
        c, s = np.cos(W * t), np.sin(W * t)
        return np.array([c * x + s * y, c * y - s * x, state["theta"] - W * t, state["v"] - V, state["omega"] - W])

    # near the circle it is the flow of the linear model: e(t) = exp((A - B K) t) e(0)
    small = {**start, "x": 2e-4, "y": -3e-4, "theta": 5e-4, "v": V + 2e-4}

    def driven(step):
        laws = {n: lambda t, state, k=k, n=n: hold[n] - float(K[k] @ off(t, state)) for k, n in enumerate(hold)}
        return {name: da.inputs.sampled(law, step) for name, law in laws.items()}

    path = da.simulate(made, small, until=2.0, inputs=driven(0.002))
    found = off(2.0, {name: path[name][-1] for name in names})
    want = expm((A - model.B @ K) * 2.0) @ off(0.0, small)
    np.testing.assert_allclose(found, want, atol=0.02 * np.abs(off(0.0, small)).max())
    far = da.simulate(made, {**start, "x": 0.2, "y": -0.3, "theta": 0.5, "v": 0.3}, until=20.0, inputs=driven(0.02))
    assert far.ok
    assert np.abs(off(20.0, {name: far[name][-1] for name in names})).max() < 1e-5


def test_outputs_and_other_tools():
    model = da.linearise(robot(), STRAIGHT, inputs=NOTHING, outputs=["vleft", "x*omega", "tau_l"])
    assert model.outputs == ("vleft", "x*omega", "tau_l")
    # vleft = (vx - w omega)/R
    assert model.C[0] == pytest.approx([0, 0, 0, 0, 0, 1 / 0.15, -0.25 / 0.15])
    assert model.D[2] == pytest.approx([1.0, 0.0])
    scipy = model.to_scipy()
    assert np.array_equal(scipy.A, model.A)
    assert "cyclic" in str(model)


def test_along_a_path_it_is_the_tangent_of_the_flow():
    """P' = A(t) P + B(t) S along a path that turns: P at the end is the derivative of the flow."""
    inputs, until = {"tau_l": 0.1, "tau_r": 0.05}, 1.5
    turning = {**STRAIGHT, "theta": 0.4, "omega": 0.7}
    path = da.simulate(robot(), turning, until=until, inputs=inputs)
    along = da.linearise(robot(), path)
    flow = da.sensitivities(robot(), turning, until=until, by=["theta", "tau_r"], inputs=inputs)
    n = len(along.states)

    def rate(t, flat):
        model = along.at(t)
        return (model.A @ flat.reshape(n, 2) + np.column_stack([np.zeros(n), model.B[:, 1]])).ravel()

    first = np.array([flow[name][0] for name in along.states])  # vx stays, and the wheels' speeds follow
    found = solve_ivp(rate, (0, until), first.ravel(), rtol=1e-10, atol=1e-12).y[:, -1].reshape(n, 2)
    assert found == pytest.approx(np.array([flow[name][-1] for name in along.states]), abs=1e-8)
    assert along.A.shape == (len(path.t), n, n)
    assert along.B[3] == pytest.approx(along.at(float(path.t[3])).B)
    assert along.C[-1].tolist() == np.eye(n).tolist()
    assert along.D.shape == along.B.shape
    assert "t from 0 to 1.5" in str(along)
    with pytest.raises(da.DalembertError, match="E303"):
        along.at(2.0)


def test_along_a_path_the_inputs_are_those_of_the_path():
    """k changes along it:  x'' = -k x + F ."""
    spring = da.free(da.System(da.line("x"), "vx^2/2 - k*x^2/2", forces={"vx": "F"}, inputs="k F"))
    path = da.simulate(spring, {"x": 1.0, "vx": 0.0}, until=2.0, inputs={"k": "2 + sin(t)", "F": 0.1})
    along = da.linearise(spring, path, outputs="k*x")
    assert along.states == ("x", "vx")
    assert along.A[:, 1, 0] == pytest.approx(-2 - np.sin(path.t))
    assert along.B[:, 1, 0] == pytest.approx(-path["x"])
    assert along.at(1.3).C[0, 0] == pytest.approx(2 + np.sin(1.3))


def test_a_model_is_told_in_80_columns_and_without_rounding():
    rest = da.linearise(bicycle(), {**whipple_bicycle.STARTS["upright"], "vrear": -5 / 0.3}, inputs={"T": 0.0})
    assert max(map(len, str(rest).splitlines())) <= 80
    assert not re.search(r"e[-+][23]\d", str(rest))  # neither 1e-31 nor 1e+15


def test_sums_that_are_not_reached_have_pivots_of_their_own():
    """Rows of a span whose largest entries share columns: a pivot is never one of rounding."""
    rows = np.array([[1.0, 0.9, 0.9], [1e-16, 1.0, 0.5]])  # the first is large in every column
    np.testing.assert_allclose(_echelon(rows), [[1, 0, 0.45], [0, 1, 0.5]], atol=1e-12)


def test_what_is_not_reached_is_told_and_why():
    """At rest no input moves the robot sideways in a linear model: brackets of its rolling do."""
    rest = da.linearise(robot(), {**STRAIGHT, "vx": 0.0}, inputs=NOTHING)
    assert rest.controllable == 4
    # R (left + right) = 2 x and w (right - left)... are integrals, and y stays
    assert set(rest.unreached) == {"x - 0.075*left - 0.075*right", "y", "theta + 0.3*left - 0.3*right"}
    text = " ".join(str(rest).split())
    assert "growth vector (2, 3, 4), not bracket-generating in 5 velocities" in text
    moving = da.linearise(robot(), STRAIGHT, inputs=NOTHING)
    assert moving.controllable == 5
    assert "y" not in moving.unreached
    pushed = da.free(da.System(da.line("x"), "vx^2/2", forces={"vx": "F"}, inputs="F"))
    assert da.linearise(pushed, {"x": 0.0, "vx": 0.0}, inputs={"F": 0}).unreached == ()


def test_gains_are_those_of_python_control():
    control = pytest.importorskip("control")
    names = ["y", "theta", "vx", "omega"]
    model = da.linearise(robot(), STRAIGHT, inputs=NOTHING)
    small = model.without("x", "left", "right")
    A, B, K = regulated(small, names)
    space = small.to_control()
    assert (space.state_labels, space.input_labels) == (list(small.states), list(small.inputs))
    gains, _, poles = control.lqr(space, np.eye(4), TORQUE * np.eye(2))
    order = [small.states.index(name) for name in names]
    assert gains[:, order] == pytest.approx(K, rel=1e-8, abs=1e-10)
    assert np.sort_complex(poles) == pytest.approx(np.sort_complex(np.linalg.eigvals(A - B @ K)), abs=1e-8)


def test_regulator_of_a_turning_motion():
    """About a circle: gains from A(t), B(t) along it bring the robot back to the circle, and to its place on it."""
    m, a, R, w = (robot().system.parameters[name] for name in ("m", "a", "R", "w"))
    speed, turn, until = 0.5, 0.4, 12.0
    # no change of speed and turning:  tau_l + tau_r = -m a R turn^2 ,  w (tau_r - tau_l) = m a R turn speed
    both, apart = -m * a * R * turn**2, m * a * R * turn * speed / w
    steady = {"tau_l": (both - apart) / 2, "tau_r": (both + apart) / 2}
    start = {**STRAIGHT, "vx": speed, "omega": turn}
    circle = da.simulate(robot(), start, until=until, inputs=steady)
    assert circle["omega"][-1] == pytest.approx(turn, abs=1e-10)
    names = ["x", "y", "theta", "vleft", "vright"]
    along = da.linearise(robot(), circle)
    k = [along.states.index(name) for name in names]
    t = np.linspace(0, until, 601)
    models = [along.at(float(each)) for each in t]
    P, gains = np.eye(5), []
    for model in models[::-1]:  # P = Q + A_d' P (A_d - B_d K) , of steps of 0.02 s
        A, B = np.eye(5) + 0.02 * model.A[np.ix_(k, k)], 0.02 * model.B[k]
        K = np.linalg.solve(0.02 * TORQUE * np.eye(2) + B.T @ P @ B, B.T @ P @ A)
        P = np.eye(5) * 0.02 + A.T @ P @ (A - B @ K)
        gains.append(K)
    gains = gains[::-1]
    plant = da.plant(robot(), {**start, "x": 0.2, "y": -0.3, "theta": 0.3}, step=0.02)
    state = plant.state
    for i in range(500):
        off = np.array([state[name] - circle.at(float(t[i]))[name] for name in names])
        torque = -gains[i] @ off
        state = plant.step([steady["tau_l"] + torque[0], steady["tau_r"] + torque[1]])
    assert abs(np.array([state[name] - circle.at(10.0)[name] for name in names])).max() < 0.03
    left = da.simulate(robot(), {**start, "x": 0.2, "y": -0.3, "theta": 0.3}, until=10.0, inputs=steady)
    assert abs(left["theta"][-1] - circle.at(10.0)["theta"]) > 0.1
    assert plant.audit.ok


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


def test_a_row_of_a_path_has_its_inputs():
    """What drove the path there, unless other values are given; a run that goes on from it must say what drives it."""
    turning = {**STRAIGHT, "omega": 0.7}
    path = da.simulate(robot(), turning, until=1, inputs={"tau_l": "0.1*sin(t)", "tau_r": "0.2*cos(t)"})
    row, there = path.at(0.8), {"tau_l": 0.1 * np.sin(0.8), "tau_r": 0.2 * np.cos(0.8)}
    for given in (None, {"tau_l": 0.3}):
        own, full = da.linearise(robot(), row, inputs=given), {**there, **(given or {})}
        np.testing.assert_allclose(own.A, da.linearise(robot(), path.state(0.8), inputs=full).A, atol=1e-12)
        mine = robot().evaluate(row, inputs=given)["accelerations"]
        assert mine == pytest.approx(robot().evaluate(path.state(0.8), inputs=full)["accelerations"], abs=1e-12)
    with pytest.raises(da.DalembertError, match="E180"):
        da.simulate(robot(), row, until=2)
