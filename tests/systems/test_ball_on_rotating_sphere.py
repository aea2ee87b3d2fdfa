"""A ball on a turning sphere [fasso2016]: Newton and Euler in space, where it keeps its height, and other speeds."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.systems import ball_on_rotating_sphere, ball_on_sphere

UP = np.array([0.0, 0.0, 1.0])


def out(th, ph):
    """The normal n, e_th and e_ph."""
    n = np.array([math.sin(th) * math.cos(ph), math.sin(th) * math.sin(ph), math.cos(th)])
    return n, np.array([math.cos(th) * math.cos(ph), math.cos(th) * math.sin(ph), -math.sin(th)]), np.cross(UP, n)


def newton(p, side):
    """d/dt (n, w) of the ball: m a = F - m g e3 and I wdot = -s r n x F at a contact that goes with the sphere."""
    rho, arm = p["b"] + side * p["r"], side * p["r"]

    def rate(t, z):
        n, w = z[:3], z[3:]
        turned = (p["Omega"] * p["b"] * np.cross(UP, n) + arm * np.cross(w, n)) / rho
        known = p["Omega"] * p["b"] * np.cross(UP, turned) + arm * np.cross(w, turned)
        # a = known + s r wdot x n ,  wdot x n = -s r/I (F - <n, F> n)
        A = np.eye(3) / p["m"] + p["r"] ** 2 / p["I"] * (np.eye(3) - np.outer(n, n))
        F = np.linalg.solve(A, known + p["g"] * UP)
        return np.concatenate([turned, -arm / p["I"] * np.cross(n, F)])

    return rate


@pytest.mark.parametrize(("inside", "name"), [(False, "rolling down"), (True, "going around")])
def test_it_moves_as_newton_and_euler_say(inside, name, named):
    case = named("ball_on_rotating_sphere" + "/bowl" * inside)
    path = case.path(name)
    first, last = path.at(0.0), path.at(3.0)
    z = np.concatenate([out(first["th"], first["ph"])[0], [first[f"w{i}"] for i in (1, 2, 3)]])
    rate = newton(case.system().values(), -1 if inside else 1)
    end = solve_ivp(rate, (0, 3.0), z, rtol=1e-11, atol=1e-12).y[:, -1]
    assert end[:3] == pytest.approx(out(last["th"], last["ph"])[0], abs=1e-8)
    assert end[3:] == pytest.approx([last[f"w{i}"] for i in (1, 2, 3)], abs=1e-7)


@pytest.mark.parametrize(("inside", "th", "vph"), [(True, 2.0, 1.7), (True, 2.6, -0.6), (False, 0.4, 0.9)])
def test_it_keeps_its_height_with_the_spin_that_is_said(inside, th, vph):
    system = ball_on_rotating_sphere.system(inside=inside, Omega=0.8)
    p, side = system.values(), -1 if inside else 1
    rho = p["b"] + side * p["r"]
    sigma = side * p["m"] * p["r"] * (p["g"] + rho * vph**2 * math.cos(th)) / (p["I"] * vph)
    w = sigma * out(th, 0.0)[0] + side * (rho * vph - p["b"] * p["Omega"]) / p["r"] * UP
    equations = da.nonholonomic(system)
    start = equations.start(R="identity", th=th, ph=0.0, vth=0.0, vph=vph, w1=w[0], w2=w[1], w3=w[2])
    rates = equations.evaluate(start)["accelerations"]
    assert rates["vth"] == pytest.approx(0, abs=1e-11)
    assert rates["vph"] == pytest.approx(0, abs=1e-11)
    # w turns with the ball's place:  wdot = vph e3 x w
    assert [rates[f"w{i}"] for i in (1, 2, 3)] == pytest.approx(vph * np.cross(UP, w), abs=1e-9)


def test_the_sphere_does_work_and_at_rest_it_is_the_other_system(named):
    path = named("ball_on_rotating_sphere").path("rolling down")
    assert np.ptp(path["energy"]) > 1.0
    start = ball_on_sphere.START
    ends = []
    for system in (ball_on_sphere.system(), ball_on_rotating_sphere.system(Omega=0.0)):
        equations = da.nonholonomic(system)
        ends.append(da.simulate(equations, equations.start(**start), until=1.0).at(1.0))
    assert all(ends[1][name] == pytest.approx(value, abs=1e-9) for name, value in ends[0].items())
