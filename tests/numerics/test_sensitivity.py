"""Derivatives of motions: against closed forms, differences, the complex step and themselves."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.errors import DalembertError
from dalembert.numerics.vector_field.constraint_projection import Drift
from dalembert.numerics.vector_field.kernel_plan import KernelPlan
from dalembert.systems import (
    appell_hamel,
    ball_on_turntable,
    car_with_trailers,
    heisenberg,
    pendulum_cartesian,
    rolling_disc,
    snakeboard,
    veselova,
)


def oscillator():
    q = da.coordinates("x")
    x, v = q
    m, k = sp.symbols("m k", positive=True)
    return da.System(q, m / 2 * v**2 - k / 2 * x**2, parameters={"m": 2.0, "k": 3.0}), x, v


def test_oscillator_in_closed_form():
    system, x, v = oscillator()
    t = np.linspace(0, 7, 30)
    s = da.sensitivities(da.free(system), {"x": 0.5, "vx": 0.2}, until=7, samples=t)
    assert s.by == ("x", "vx", "k", "m")
    w = math.sqrt(1.5)
    X = 0.5 * np.cos(w * t) + 0.2 / w * np.sin(w * t)
    dw = -0.5 * t * np.sin(w * t) + 0.2 / w * t * np.cos(w * t) - 0.2 / w**2 * np.sin(w * t)
    expected = np.stack([np.cos(w * t), np.sin(w * t) / w, dw * w / 6, -dw * w / 4], axis=1)
    np.testing.assert_allclose(s.states[:, 0], X, atol=1e-11)
    np.testing.assert_allclose(s["x"], expected, atol=1e-10)
    np.testing.assert_array_equal(s["x", "k"], s["x"][:, 2])
    energy, slopes = s.of(sp.Symbol("m") / 2 * v**2 + sp.Symbol("k") / 2 * x**2)
    np.testing.assert_allclose(energy, 0.5 * 2 * 0.04 + 1.5 * 0.25, rtol=1e-11)  # of dense output
    # E = m v0^2 / 2 + k x0^2 / 2
    np.testing.assert_allclose(slopes, np.tile([1.5, 0.4, 0.125, 0.02], (30, 1)), atol=1e-10)


def lam_of(equations):
    return {s.name: 0.3 + 0.2 * i for i, s in enumerate(equations.states_of_multipliers)}


def cases():
    yield "disc", da.nonholonomic(rolling_disc.system()), rolling_disc.STARTS["leaning"], ["theta", "vpsi", "A", "m"]
    turning = ball_on_turntable.system()
    start = {"x": 0.1, "y": 0.02, "vx": 0.01, "vy": 0.05, "w3": 0.4}
    yield "ball on a table", da.nonholonomic(turning), start, ["x", "vy", *sorted(turning.symbols)]
    yield "pendulum", da.nonholonomic(pendulum_cartesian.system()), {"x": 0.6, "y": -0.8, "vx": 0.4}, ["vx", "g"]
    flat = da.vakonomic(heisenberg.system())
    yield "Heisenberg", flat, {**heisenberg.START, **lam_of(flat)}, [*lam_of(flat), *heisenberg.system().symbols]
    yield "snakeboard by Gauss", da.forms.gauss(snakeboard.system()), snakeboard.START, ["l", "m"]
    yield "trailers", da.nonholonomic(car_with_trailers.system(2)), car_with_trailers.START, None
    yield "Veselova", da.nonholonomic(veselova.system()), veselova.START, ["I1", "I3"]
    yield "Appell and Hamel", da.nonholonomic(appell_hamel.system()), appell_hamel.START, None


CASES = {name: rest for name, *rest in cases()}


def changed(equations, start, name, by):
    """The start with one value or parameter moved."""
    parameters, given = dict(start.parameters), dict(start.given)
    if name in parameters:
        parameters[name] += by
    else:
        given[name] = start[name] + by
    return equations.start(**given, parameters=parameters)


@pytest.mark.parametrize("name", CASES)
def test_against_differences(name):
    equations, given, by = CASES[name]
    start = equations.start(**given)
    by = by or [
        *[n for n in given if n in equations.states][:2],
        *[p for p in sorted(start.parameters) if start.parameters[p]][:2],
    ]
    by = [*map(str, by)]
    s = da.sensitivities(equations, start, until=1.5, by=by, samples=[0.7, 1.5])

    def end(change, which):
        path = da.simulate(equations, changed(equations, start, which, change), until=1.5, rtol=1e-13, dense=False)
        return path.values[-1, : len(equations.states)]

    for column, which in enumerate(by):
        h = 1e-3 * max(0.1, abs({**start.state, **start.parameters}[which]))
        near, far = ((end(d, which) - end(-d, which)) / (2 * d) for d in (h, 2 * h))
        expected, doubt = (4 * near - far) / 3, np.abs(near - far).max() * h
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(s.values[-1, :, column], expected, atol=1e-8 * scale + doubt)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_keep_the_constraints(name):
    equations, given, _ = CASES[name]
    s = da.sensitivities(equations, equations.start(**given), until=1.0, samples=np.linspace(0, 1, 7))
    rows = [c.phi for c in equations.constraints] + [c.position for c in equations.constraints if c.holonomic]
    scale = max(1.0, np.abs(s.values).max())
    for row in rows:
        value, slopes = s.of(row)
        assert np.abs(value).max() < 1e-12 * max(1.0, np.abs(s.states).max() ** 2)
        assert np.abs(slopes).max() < 1e-9 * scale


def test_energy_is_conserved_for_the_neighbours_too():
    equations = da.nonholonomic(rolling_disc.system())
    s = da.sensitivities(equations, rolling_disc.STARTS["leaning"], until=8, samples=np.linspace(0, 8, 9))
    E = equations.system.lagrangian
    energy = sum(u * sp.diff(E, u) for u in equations.space.velocities) - E
    slopes = s.of(energy)[1]
    np.testing.assert_allclose(slopes, np.tile(slopes[0], (9, 1)), atol=1e-8 * np.abs(slopes).max())


def test_motions_follow_one_another():
    """S(t2, t0) = S(t2, t1) S(t1, t0) for free starts, where every state is given."""
    system, *_ = oscillator()
    equations = da.free(system)
    by = ["x", "vx"]
    whole = da.sensitivities(equations, {"x": 0.5, "vx": 0.2}, until=5, by=by, samples=[2.0, 5.0])
    middle = dict(zip(equations.states, whole.states[0], strict=True))
    second = da.sensitivities(equations, {**middle, "t": 2.0}, until=5, by=by, samples=[5.0])
    np.testing.assert_allclose(whole.values[1], second.values[0] @ whole.values[0], atol=1e-11)


def test_against_the_complex_step():
    """An independent route: the classical Runge-Kutta method in complex numbers, df = Im f(x + ih) / h."""
    equations = da.nonholonomic(rolling_disc.system())
    start = equations.start(**rolling_disc.STARTS["leaning"])
    plan, h, by = KernelPlan.of(equations, Drift()), 1e-30, ["theta", "vpsi", "C"]
    outputs = list(plan.functions["rhs"].outputs[: len(equations.states)])
    s = da.sensitivities(equations, start, until=0.2, by=by, samples=[0.2], stabilisation=Drift())

    def rate(y, parameters):
        return np.array(evaluate(outputs, {**parameters, **dict(zip(equations.states, y, strict=True)), "t": 0.0}))

    follow = {"theta": 0.0, "vpsi": 0.0, "C": 0.0}
    for column, name in enumerate(by):
        parameters, y = dict(start.parameters), start.vector.astype(complex)
        # what follows from the moved value, to first order
        y += 1j * h * da.sensitivities(equations, start, until=0.0, by=[name]).values[0, :, 0]
        if name in parameters:
            parameters[name] += 1j * h
        dt = 0.2 / 400
        for _ in range(400):
            k1 = rate(y, parameters)
            k2 = rate(y + dt / 2 * k1, parameters)
            k3 = rate(y + dt / 2 * k2, parameters)
            k4 = rate(y + dt * k3, parameters)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        follow[name] = y.imag / h
        np.testing.assert_allclose(s.values[0, :, column], follow[name], atol=1e-9 * np.abs(follow[name]).max())


def test_many_directions_in_several_runs():
    equations = da.nonholonomic(car_with_trailers.system(8))
    angles = {q.name: 0.05 * i for i, q in enumerate(equations.space.coordinates)}
    start = equations.start(**angles, vx=0.4, omega0=0.1)
    given = [n for n in equations.states if n in start.given]
    s = da.sensitivities(equations, start, until=0.5, by=[*given, *sorted(start.parameters)], samples=[0.5])
    one = da.sensitivities(equations, start, until=0.5, by=given[-1:], samples=[0.5])
    np.testing.assert_allclose(s[given[0]].shape, (1, len(s.by)))
    np.testing.assert_allclose(s.values[..., len(given) - 1], one.values[..., 0], atol=1e-9)


@pytest.mark.parametrize(
    ("by", "code"),
    [(["vx"], "E319"), (["mas"], "E202"), (["theta", "theta"], "E307"), ("theta", "E307"), ([3], "E202")],
)
def test_refused(by, code):
    equations = da.nonholonomic(rolling_disc.system())
    with pytest.raises(DalembertError, match=code):
        da.sensitivities(equations, rolling_disc.STARTS["leaning"], until=1, by=by)


def test_other_methods_and_names_are_refused():
    equations, start = da.nonholonomic(rolling_disc.system()), rolling_disc.STARTS["leaning"]
    with pytest.raises(DalembertError, match="E307"):
        da.sensitivities(equations, start, until=1, method="dla", step=0.1)
    s = da.sensitivities(equations, start, until=1, by=["m"])
    with pytest.raises(DalembertError, match="E317"):
        s["z"]
    with pytest.raises(DalembertError, match="E317"):
        s.of(sp.Symbol("zeta"))
    with pytest.raises(DalembertError, match="E307"):
        da.sensitivities(rolling_disc.system(), start, until=1)


def test_a_force_that_switches_on_the_way_in_closed_form():
    """x = (x0 + 1) cos t - 1 until x = 0 with the velocity v, then 1 - cos tau + v sin tau."""
    q = da.coordinates("x")
    x, v = q
    equations = da.free(da.System(q, v**2 / 2 - x**2 / 2, forces={"vx": -sp.sign(x)}))
    x0, t = sp.symbols("x0 t", positive=True)
    tau = t - sp.acos(1 / (x0 + 1))
    behind = 1 - sp.cos(tau) - sp.sqrt((x0 + 1) ** 2 - 1) * sp.sin(tau)
    s = da.sensitivities(equations, {"x": 1.0, "vx": 0.0}, until=2, by=["x"], samples=[1.0, 2.0])
    wanted = [math.cos(1.0), float(behind.diff(x0).subs({x0: 1, t: 2}))]
    np.testing.assert_allclose(s["x", "x"], wanted, rtol=1e-10)


def test_a_motion_that_ends_says_so():
    q = da.coordinates("x")
    x, v = q
    equations = da.free(da.System(q, v**2 / 2 + x**4))
    with pytest.raises(DalembertError, match="E40"):
        da.sensitivities(equations, {"x": 1.0, "vx": 1.0}, until=10)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("x", "E718"),
        ("m*vx**2/2", "E718"),
        (None, "E718"),
        (["x"], "E718"),
        (True, "E718"),
        (1j, "E718"),
        (sp.Matrix([1]), "E718"),
        (math.nan, "E719"),
        (sp.oo, "E719"),
    ],
    ids=str,
)
def test_only_expressions_are_seen(given, code):
    system, _, _ = oscillator()
    s = da.sensitivities(da.free(system), {"x": 0.5, "vx": 0.2}, until=1)
    with pytest.raises(DalembertError) as caught:
        s.of(given)
    assert caught.value.code == code and caught.value.remedy


@pytest.mark.parametrize("given", [3, 2.5, np.float64(2), sp.Rational(1, 2)])
def test_a_number_does_not_change(given):
    system, _, _ = oscillator()
    s = da.sensitivities(da.free(system), {"x": 0.5, "vx": 0.2}, until=1)
    value, slopes = s.of(given)
    assert (value == float(given)).all() and not slopes.any()


MOVING = {
    "disc": (da.nonholonomic, rolling_disc, rolling_disc.STARTS["leaning"], "m vpsi"),
    "chain": (da.nonholonomic, pendulum_cartesian, pendulum_cartesian.STARTS["swinging"], "vx g"),
    "multiplier": (da.vakonomic, heisenberg, {"x": 0.1, "y": 0, "z": 0, "vx": 1, "vy": 0.5, "lam_area": 0.7}, "x vx m"),
}


@pytest.mark.parametrize("method", ["taylor", "radau"])
@pytest.mark.parametrize("name", MOVING)
def test_every_method_under_error_control_gives_them(name, method):
    principle, system, start, by = MOVING[name]
    equations = principle(system.system())
    how = {"until": 2.0, "by": by.split(), "samples": np.linspace(0, 2, 5), "rtol": 1e-12}
    first, second = (da.sensitivities(equations, start, **how, method=word) for word in ("dop853", method))
    assert np.abs(first.states - second.states).max() < 3e-11
    np.testing.assert_allclose(second.values, first.values, atol=3e-11 * np.abs(first.values).max())


@pytest.mark.parametrize("method", ["taylor", "radau"])
def test_through_bounces_by_every_method(method):
    ball = da.System(da.line("h"), "m*vh^2/2 - m*g*h", walls={"floor": "h"}, parameters={"m": 1.0, "g": 9.81})
    how = {"until": 1.0, "by": ["h", "g"], "samples": [0.2, 0.6, 1.0]}
    first, second = (
        da.sensitivities(da.free(ball), {"h": 1.0, "vh": 0.0}, **how, method=word) for word in ("dop853", method)
    )
    np.testing.assert_allclose(second.values, first.values, atol=1e-9)


def test_a_stiff_motion_has_derivatives_by_a_few_steps():
    force = {"vx": "-c*(vx - cos(t))"}
    equations = da.free(da.System(da.line("x"), "m*vx^2/2", parameters={"m": 1.0, "c": 1e6}, forces=force))
    found = da.sensitivities(equations, {"x": 0.0, "vx": 1.0}, until=2.0, by=["x", "vx"], samples=[2.0], method="radau")
    assert found.steps[0] < 500
    np.testing.assert_allclose(found["x"], [[1.0, 1e-6]], atol=1e-9)
