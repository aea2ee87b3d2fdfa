"""Constraints that determine all velocities: the motion is that of kinematics, multipliers are inverse dynamics."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da

PLANE = da.coordinates("x y theta")
BASE = "m/2*(vx^2 + vy^2) + J/2*vtheta^2"
WHEELS = {
    "side": "vy*cos(theta) - vx*sin(theta)",
    "right": "vx*cos(theta) + vy*sin(theta) + b*vtheta - r*wr",
    "left": "vx*cos(theta) + vy*sin(theta) - b*vtheta - r*wl",
}
VALUES = {"m": 2.0, "J": 0.3, "b": 0.2, "r": 0.1}
DRIVES = {"wr": "10 + 2*sin(t)", "wl": "8 + cos(2*t)"}
AT = {"x": 0.3, "y": -0.2, "theta": 0.7}


@pytest.fixture(scope="module")
def robot():
    """A differential drive: the speeds of both wheels are given, half the track is b."""
    return da.System(PLANE, BASE, WHEELS, parameters=VALUES, inputs="wr wl")


def odometry(until):
    """(x, y, theta) from v = r (wr + wl)/2 and w = r (wr - wl)/(2 b), by SciPy."""

    def rates(t, z):
        right, left = 10 + 2 * np.sin(t), 8 + np.cos(2 * t)
        v, w = 0.1 * (right + left) / 2, 0.1 * (right - left) / 0.4
        return [v * np.cos(z[2]), v * np.sin(z[2]), w]

    return solve_ivp(rates, (0, until), list(AT.values()), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("method", ["dop853", "taylor", "radau"])
def test_a_robot_whose_wheels_turn_as_given_goes_as_odometry_says(robot, method):
    equations = da.nonholonomic(robot)
    assert [n.code for n in equations.notes if n.code.startswith("N1")] == ["N114"]
    path = da.simulate(equations, AT, until=4.0, inputs=DRIVES, method=method)
    assert [path.at(4.0)[n] for n in AT] == pytest.approx(odometry(4.0), abs=1e-8)
    assert path.ok


def test_its_wheels_push_as_its_mass_and_inertia_need(robot):
    path = da.simulate(da.nonholonomic(robot), AT, until=2.0, inputs=DRIVES)
    t = 1.3
    row, (dr, dl) = path.at(t), (2 * np.cos(t), -2 * np.sin(2 * t))
    # along the axis m v' = lam_r + lam_l, about it J w' = b (lam_r - lam_l), across it m v w = lam_side
    v, w = 0.1 * (row["wr"] + row["wl"]) / 2, 0.1 * (row["wr"] - row["wl"]) / 0.4
    push, turn = 2.0 * 0.1 * (dr + dl) / 2, 0.3 * 0.1 * (dr - dl) / 0.4
    assert row["lam_right"] + row["lam_left"] == pytest.approx(push, abs=1e-9)
    assert 0.2 * (row["lam_right"] - row["lam_left"]) == pytest.approx(turn, abs=1e-9)
    assert row["lam_side"] == pytest.approx(2.0 * v * w, abs=1e-9)


@pytest.mark.parametrize("principle", [da.forms.gauss, da.forms.hamel, da.vakonomic])
def test_every_principle_leaves_the_one_motion(robot, principle):
    equations = principle(robot)
    free = {str(s): 0.1 for s in equations.states_of_multipliers}
    path = da.simulate(equations, {**AT, **free}, until=2.0, inputs=DRIVES)
    assert [path.at(2.0)[n] for n in AT] == pytest.approx(odometry(2.0), abs=1e-8)


def test_radius_and_track_are_found_from_where_it_went(robot):
    equations, times = da.nonholonomic(robot), np.linspace(0, 4, 21)
    path = da.simulate(equations, AT, until=4.0, inputs=DRIVES, parameters={"b": 0.23, "r": 0.11})
    columns = {n: np.array([path.at(t)[n] for t in times]) for n in AT}
    seen = da.nouns.Record({"t": times, **columns}, source="simulated", uncertainty=dict.fromkeys(AT, 1e-3))
    fit = da.fit(equations, seen, start=AT, free="b r", inputs=DRIVES)
    assert [dict(zip(fit.names, fit.theta, strict=True))[n] for n in ("b", "r")] == pytest.approx(
        [0.23, 0.11], rel=1e-5
    )


def test_torques_of_an_arm_whose_angles_are_given_are_those_of_lagrange():
    arm = da.coordinates("a b")
    L = "m*l^2*(va^2 + vb^2/2 + va*vb*cos(a - b)) - m*g*l*(2*sin(a) + sin(b))"
    system = da.System(
        arm, L, {"shoulder": "a - sin(t)", "hand": "b - cos(2*t)"}, parameters={"m": 1.5, "l": 0.4, "g": 9.81}
    )
    path = da.simulate(da.nonholonomic(system), {}, until=3.0)
    t = sp.Symbol("t")
    given = {"a": sp.sin(t), "b": sp.cos(2 * t)}
    rates = {f"v{n}": e.diff(t) for n, e in given.items()}
    known = {**given, **rates, "m": 1.5, "l": 0.4, "g": 9.81}
    own = {sym: known[sym.name] for sym in system.lagrangian.free_symbols}
    for name, row in (("a", "lam_shoulder"), ("b", "lam_hand")):
        # d/dt dL/dv - dL/dq along what is given
        momentum, force = (system.lagrangian.diff(arm[k]).xreplace(own) for k in (f"v{name}", name))
        torque = sp.lambdify(t, momentum.diff(t) - force)
        assert path.at(2.1)[row] == pytest.approx(torque(2.1), abs=1e-7)
    assert path.at(3.0)["a"] == pytest.approx(np.sin(3.0), abs=1e-12)


def test_what_contradicts_itself_or_stands_still_is_refused(robot):
    q = da.coordinates("x y")
    for rows, code in (
        ({"a": "vx - 1", "b": "vx - 2"}, "E111"),
        ({"a": "vx - 1", "b": "vy - x", "c": "x - 3*t"}, "E111"),
        ({"a": "vx", "b": "vy - x*vx"}, "E114 2 independent constraints on 2 velocities: no motion is left, all are 0"),
    ):
        with pytest.raises(da.DalembertError, match=code):
            da.nonholonomic(da.System(q, "(vx^2 + vy^2)/2", rows))
    whirl = da.nonholonomic(da.System(q, "(vx^2 + vy^2)/2", {"a": "x - sin(t)", "b": "y - cos(t)"}))
    with pytest.raises(da.DalembertError, match="E322"):
        da.lyapunov(whirl, {}, until=50.0)


def test_a_whirl_is_periodic_and_its_rates_are_those_of_its_kinematics():
    q = da.coordinates("x y")
    equations = da.nonholonomic(
        da.System(q, "(vx^2 + vy^2)/2", {"a": "vx + y + k*x", "b": "vy - x"}, parameters={"k": 0})
    )
    assert da.periodic(equations, {"x": 1, "y": 0}, period=6.0).period == pytest.approx(2 * np.pi, rel=1e-9)
    spiral = da.linearise(equations, {"x": 0, "y": 0}, parameters={"k": 0.5})
    rates = np.roots([1, 0.5, 1])  # of x' = -k x - y, y' = x
    assert np.sort_complex(np.asarray(spiral.modes)) == pytest.approx(np.sort_complex(rates), abs=1e-9)
