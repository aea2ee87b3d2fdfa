"""Two-point problems of free, holonomic and other systems against their known actions."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.numerics.two_point import two_point
from dalembert.systems import ball_on_turntable, pendulum_cartesian, penny

PLANE = da.coordinates("x y")
X, Y, VX, VY = PLANE
RATE = 2.0
SPRING = da.free(da.System(PLANE, (VX**2 + VY**2) / 2 - RATE**2 * (X**2 + Y**2) / 2))
G = sp.Symbol("g", positive=True)
THROWN = da.free(da.System(PLANE, (VX**2 + VY**2) / 2 - G * Y, parameters={"g": "9.81 m/s^2"}))


def test_an_oscillator_has_its_action_and_conjugate_points_twice_each():
    first, last, duration = np.array([0.3, 0.1]), np.array([-0.2, 0.25]), 4.0
    (e,) = two_point(SPRING, {"x": 0.3, "y": 0.1}, {"x": -0.2, "y": 0.25}, duration=duration, starts=10)
    # S = w ((q0^2 + q1^2) cos(w T) - 2 q0 q1) / (2 sin(w T))
    sine, cosine = math.sin(RATE * duration), math.cos(RATE * duration)
    S = RATE * ((first @ first + last @ last) * cosine - 2 * first @ last) / (2 * sine)
    assert e.action == pytest.approx(S, rel=1e-12)
    half = math.pi / RATE
    np.testing.assert_allclose(e.conjugate, [half, half, 2 * half, 2 * half], rtol=1e-8)
    assert e.index == 4
    before = two_point(SPRING, {"x": 0.3, "y": 0.1}, {"x": -0.2, "y": 0.25}, duration=0.9 * half, starts=10)
    assert before[0].conjugate == () and before[0].index == 0


def test_half_a_period_joins_opposite_places_by_a_family():
    found = two_point(SPRING, {"x": 0.3, "y": 0.1}, {"x": -0.3, "y": -0.1}, duration=math.pi / RATE, starts=10)
    assert len(found) == 1 and found[0].family
    assert abs(found[0].action) < 1e-12


def test_a_throw():
    (e,) = two_point(THROWN, {"x": 0, "y": 0}, {"x": "100 cm", "y": 0.5}, duration=1.0)
    # S = (dx^2 + dy^2)/(2 T) - g (y0 + y1) T/2 - g^2 T^3/24
    assert e.action == pytest.approx(1.25 / 2 - 9.81 * 0.25 - 9.81**2 / 24, rel=1e-13)
    assert e.unknowns == pytest.approx({"vx": 1.0, "vy": 0.5 + 9.81 / 2})
    again = da.simulate(THROWN, e.start, until=1)
    assert again.at(1)["x"] == pytest.approx(1)


def test_what_is_left_out_of_the_end_is_free_and_what_is_held_is_held():
    (free,) = two_point(THROWN, {"x": 0, "y": 0}, {"y": 0.5}, duration=1.0, starts=5)
    assert abs(free.unknowns["vx"]) < 1e-12  # p_x = 0
    (held,) = two_point(THROWN, {"x": 0, "y": 0, "vx": 2}, {"y": 0.5}, duration=1.0, starts=5)
    assert set(held.unknowns) == {"vy"}
    assert held.path.at(1)["x"] == pytest.approx(2, rel=1e-12)
    assert held.action - free.action == pytest.approx(2, rel=1e-11)


def test_a_pendulum_has_the_same_curves_in_every_description():
    rod = pendulum_cartesian.system()
    angle = da.angle("theta")
    theta, omega = angle
    l, m, g = (rod.parameters[n] for n in ("l", "m", "g"))
    L = m * l**2 * omega**2 / 2 + m * g * l * sp.cos(theta)
    end = {"x": 0.6 * l, "y": -0.8 * l}
    start = {"x": 0, "y": -l}
    charts = two_point(da.free(da.System(angle, L)), {"theta": 0}, {"theta": math.asin(0.6)}, duration=1)
    turns = two_point(da.free(da.System(angle, L)), {"theta": 0}, {"theta": math.asin(0.6) - 2 * math.pi}, duration=1)
    known = sorted(e.action for e in (*charts, *turns))
    for equations in (da.nonholonomic(rod), da.vakonomic(rod)):
        found = two_point(equations, start, end, duration=1)
        np.testing.assert_allclose([e.action for e in found[:2]], known[:2], rtol=1e-10)
        assert all(e.residual < 1e-10 for e in found[:2])
    assert "lam_rod: not determined by the ends" in str(found)
    # where only x is given, the other height with this x is found too, or p along the circle vanishes
    for e in two_point(da.vakonomic(rod), start, {"x": 0.6 * l}, duration=1):
        assert abs(e.path["x"][-1] - 0.6 * l) < 1e-10


def test_curves_of_given_length_and_stationary_height_are_catenaries():
    """|v| = 1, L = v^2/2 + y: the length is the time, and the height of the centre of mass is stationary."""
    chain = da.vakonomic(da.System(PLANE, (VX**2 + VY**2) / 2 + Y, constraints={"speed": VX**2 + VY**2 - 1}))
    found = two_point(chain, {"x": 0, "y": 0}, {"x": 0.5, "y": 0.3}, duration=1)
    assert len(found) == 2
    # sqrt(l^2 - h^2) = 2 a sinh(d/(2 a))
    a = brentq(lambda a: 2 * a * math.sinh(0.25 / a) - math.sqrt(1 - 0.09), 0.05, 5, xtol=1e-15)
    b = 0.25 - a * math.atanh(0.3)
    height = quad(lambda x: (a * math.cosh((x - b) / a) - a * math.cosh(b / a)) * math.cosh((x - b) / a), 0, 0.5,
                  epsabs=1e-14)[0]  # fmt: skip
    # the hanging chain, and the arch, which is the same turned by half a turn about the middle of the ends
    np.testing.assert_allclose([e.action for e in found], [0.5 + height, 0.5 + 0.3 - height], atol=1e-11)
    assert all(e.checked.agrees for e in found)


def test_the_slope_of_the_action_is_the_momentum():
    """dS/dq_end = p (Hamilton and Jacobi), here p_psi of the vakonomic penny, by differences."""
    curves = da.vakonomic(penny.system())
    start = {"x": 0, "y": 0, "phi": 0, "psi": 0}

    def least(psi, near=None, starts=30):
        guesses = None if near is None else [near.unknowns]
        end = {"x": 0.3, "y": 0.4, "phi": 1, "psi": psi}
        found = two_point(curves, start, end, duration=1, check=False, starts=starts, guesses=guesses)
        return found if near is None else min(found, key=lambda e: abs(e.unknowns["vx"] - near.unknowns["vx"]))

    e = least(0.2)[0]
    h = 1e-3
    around = {s: least(0.2 + s * h, e, 1).action for s in (-2, -1, 1, 2)}
    slope = (8 * (around[1] - around[-1]) - (around[2] - around[-2])) / (12 * h)  # of order h^4
    C, R = (curves.system.parameters[n] for n in ("C", "R"))
    last = {n: e.path[n][-1] for n in e.path.names}
    # L* = L - lam_along (vx - R cos(phi) vpsi) - lam_across (vy - R sin(phi) vpsi)
    turn = last["lam_along"] * math.cos(last["phi"]) + last["lam_across"] * math.sin(last["phi"])
    assert slope == pytest.approx(C * last["vpsi"] + R * turn, abs=1e-8)


def test_a_ball_on_a_turning_table_by_both_routes():
    """Affine constraints, a rotation among the coordinates; the attitude at the end is free where it is left out."""
    ball = da.vakonomic(ball_on_turntable.system())
    found = two_point(ball, {"x": 3, "y": 0, "R": "identity"}, {"x": 4, "y": 1}, duration=0.5, starts=8)
    for e in found:
        assert e.checked.agrees and abs(e.checked.difference) < 1e-6 * abs(e.action)
        p = e.path
        assert abs(p["x"][-1] - 4) < 1e-9 and abs(p["w3"][-1]) < 1e-8  # p_w3 = J w3


# --- rotations -------------------------------------------------------------------------------------------------------

WANTED = Rotation.from_rotvec([0.4, -0.9, 1.1])


@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
def test_a_ball_turns_about_one_axis(attitude):
    space = da.rotation("R", frame="space", attitude=attitude)
    w1, w2, w3 = space.velocities
    body = da.free(da.System(space, sp.Rational(3, 2) * (w1**2 + w2**2 + w3**2) / 2))
    found = two_point(body, {"R": "identity"}, {"R": WANTED}, duration=2, starts=20)
    angle = WANTED.magnitude()
    turns = np.array(sorted(abs(angle + 2 * math.pi * k) for k in range(-30, 30)))
    assert found[0].action == pytest.approx(1.5 * angle**2 / 4, rel=1e-11)
    for e in found:
        speed = math.sqrt(sum(v**2 for v in e.unknowns.values()))
        assert np.abs(turns - 2 * speed).min() < 1e-9
        assert e.action == pytest.approx(1.5 * speed**2, rel=1e-11)
        # each whole turn before the end is a conjugate point of multiplicity 2
        whole = int(2 * speed / (2 * math.pi))
        expected = np.repeat(2 * math.pi * np.arange(1, whole + 1) / speed, 2)
        np.testing.assert_allclose(e.conjugate, expected, rtol=1e-7)
        assert e.checked.agrees


def test_a_symmetric_body_precesses():
    A, C, duration = 2.0, 0.7, 1.5
    space = da.rotation("R", frame="body")
    w1, w2, w3 = space.velocities
    body = da.free(da.System(space, (A * (w1**2 + w2**2) + C * w3**2) / 2))
    found = two_point(body, {"R": "identity"}, {"R": WANTED.as_matrix()}, duration=duration, starts=20)
    assert len(found) > 2
    for e in found:
        w = np.array([e.unknowns[f"w{i}"] for i in (1, 2, 3)])
        # R(t) = exp(t L/A) exp(t (1 - C/A) w3 e3),  L = (A w1, A w2, C w3)
        turn = Rotation.from_rotvec(duration * w * [1, 1, C / A])
        spin = Rotation.from_rotvec([0, 0, duration * (1 - C / A) * w[2]])
        assert (WANTED.inv() * turn * spin).magnitude() < 1e-10
        assert e.action == pytest.approx(duration * (A * (w[0] ** 2 + w[1] ** 2) + C * w[2] ** 2) / 2, rel=1e-11)
        assert e.residual < 1e-10


def test_an_end_by_its_quaternion_is_met_by_either_sign():
    space = da.rotation("R", frame="body")
    w1, w2, w3 = space.velocities
    body = da.free(da.System(space, (w1**2 + w2**2 + w3**2) / 2))
    x, y, z, w = WANTED.as_quat()
    one, other = (
        two_point(body, {"R": "identity"}, {"R_w": s * w, "R_x": s * x, "R_y": s * y, "R_z": s * z}, duration=1,
                  starts=5, check=False)
        for s in (1, -1)
    )  # fmt: skip
    assert [e.action for e in one] == pytest.approx([e.action for e in other], rel=1e-12)
    assert one[0].action == pytest.approx(WANTED.magnitude() ** 2 / 2, rel=1e-11)
