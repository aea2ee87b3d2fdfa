"""A ball with a pendulum [ivanova2015]: Newton and Euler, swings in a plane by a quadrature, and circling."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import dalembert as da
from dalembert.systems import ball_with_pendulum

SYSTEM = ball_with_pendulum.system()
p = SYSTEM.values()
M = p["m"] + p["I"] / p["r"] ** 2
UP = np.array([0.0, 0.0, 1.0])


def rod(at):
    a, b = at["alpha"], at["beta"]
    return np.array([math.sin(a) * math.cos(b), math.sin(b), -math.cos(a) * math.cos(b)])


def rate(t, z):
    """d/dt (place, u, v, udot, w) from the tension T of the rod and the push F of the ground, both unknown."""
    u, v, udot = z[3:6], z[6:9], z[9:12]
    # m vdot = T u + F + N e3 - m g e3 ,  I wdot = -r e3 x F ,  vdot = r wdot x e3 ,  vddot_3 = 0
    # p (vdot + l uddot) = -T u - p g e3 ,  <u, uddot> = -|udot|^2
    unknown = np.zeros((7, 7))  # vdot (3), T, F (3, the last one with the weight in it)
    side = np.zeros(7)
    unknown[:3, :3], unknown[:3, 3], unknown[:3, 4:] = p["m"] * np.eye(3), -u, -np.eye(3)
    unknown[3, :3], unknown[3, 3] = u, 1 / p["p"]
    side[3] = p["l"] * (udot @ udot) - p["g"] * u[2]
    # level: I vdot = -r^2 F
    unknown[4:6, :2], unknown[4:6, 4:6] = p["I"] * np.eye(2), p["r"] ** 2 * np.eye(2)
    unknown[6, 2] = 1
    found = np.linalg.solve(unknown, side)
    vdot, T, F = found[:3], found[3], found[4:]
    uddot = (-T * u / p["p"] - p["g"] * UP - vdot) / p["l"]
    return np.concatenate([v, udot, vdot, uddot, -p["r"] / p["I"] * np.cross(UP, F)])


def test_it_moves_as_newton_and_euler_say(named):
    path = named("ball_with_pendulum").path("swinging")
    first, last = path.at(0.0), path.at(3.0)
    h = 1e-4
    ends = [rod({n: first[n] + s * first[f"v{n}"] for n in ("alpha", "beta")}) for s in (-2 * h, -h, h, 2 * h)]
    udot = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * h)
    z = [
        [first["x"], first["y"], 0],
        rod(first),
        [first["vx"], first["vy"], 0],
        udot,
        [first[f"w{i}"] for i in (1, 2, 3)],
    ]
    end = solve_ivp(rate, (0, 3.0), np.concatenate(z), rtol=1e-11, atol=1e-12).y[:, -1]
    assert end[:2] == pytest.approx([last["x"], last["y"]], abs=1e-7)
    assert end[3:6] == pytest.approx(rod(last), abs=1e-7)
    assert end[12:] == pytest.approx([last[f"w{i}"] for i in (1, 2, 3)], abs=1e-6)


@pytest.mark.parametrize("most", [0.4, 2.2])
def test_in_a_plane_it_swings_as_a_pendulum_in_a_hoop(most):
    # l/2 (1 - p/(M + p) cos(a)^2) adot^2 = g (cos(a) - cos(most)) ,  sin(a/2) = k sin(s)
    k = math.sin(most / 2)

    def slowness(s):
        a = 2 * math.asin(k * math.sin(s))
        return math.sqrt((1 - p["p"] / (M + p["p"]) * math.cos(a) ** 2) / (1 - k**2 * math.sin(s) ** 2))

    period = 4 * math.sqrt(p["l"] / p["g"]) * quad(slowness, 0, math.pi / 2, epsrel=1e-12)[0]
    equations = da.nonholonomic(SYSTEM)
    still = dict.fromkeys(("x", "y", "beta", "vx", "vy", "w3", "valpha", "vbeta"), 0.0)
    path = da.simulate(equations, equations.start(**still, alpha=most), until=period, rtol=1e-11, atol=1e-13)
    end = path.at(period)
    assert [end["alpha"], end["valpha"], end["x"]] == pytest.approx([most, 0.0, 0.0], abs=1e-6)
    assert path.at(period / 2)["alpha"] == pytest.approx(-most, abs=1e-6)


def test_it_circles_about_the_centre_of_mass():
    equations, alpha = da.nonholonomic(SYSTEM), 0.5
    start = equations.start(**ball_with_pendulum.circling(alpha, p))
    n = math.sqrt((M + p["p"]) * p["g"] / (M * p["l"] * math.cos(alpha)))
    path = da.simulate(equations, start, until=math.tau / n, rtol=1e-11, atol=1e-13)
    assert np.hypot(path["x"], path["y"]) == pytest.approx(abs(start["x"]), abs=1e-8)
    assert np.cos(path["alpha"]) * np.cos(path["beta"]) == pytest.approx(math.cos(alpha), abs=1e-8)
    assert path.at(math.tau / n)["x"] == pytest.approx(start["x"], abs=1e-8)
