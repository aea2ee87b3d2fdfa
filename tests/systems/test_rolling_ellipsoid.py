"""A rolling ellipsoid [borisov2002]: Newton and Euler, end over end, and what a body of revolution keeps."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import rolling_ellipsoid

SYSTEM = rolling_ellipsoid.system()


def attitude(at):
    return Rotation.from_quat([at[f"R_{c}"] for c in "xyzw"]).as_matrix()


def newton(p):
    """d/dt (w, gamma) in axes of the body, from moments about its middle and the force at the contact."""
    half, I = np.array([p["a"], p["b"], p["c"]]) ** 2, np.array([p["I1"], p["I2"], p["I3"]])

    def rate(t, z):
        w, gamma = z[:3], z[3:]
        turned = np.cross(gamma, w)
        s = math.sqrt(half @ gamma**2)
        lever = -half * gamma / s
        moved = -half * turned / s + half * gamma * (half @ (gamma * turned)) / s**3
        # v = p x w ,  F = m (vdot + w x v) + m g gamma ,  I wdot + w x I w = p x F
        rest = np.cross(moved, w) + np.cross(w, np.cross(lever, w))
        moment = np.cross(lever, p["m"] * (rest + p["g"] * gamma)) - np.cross(w, I * w)
        A = np.diag(I) + p["m"] * (lever @ lever * np.eye(3) - np.outer(lever, lever))
        return np.concatenate([np.linalg.solve(A, moment), turned])

    return rate


def test_it_moves_as_newton_and_euler_say(named):
    path = named("rolling_ellipsoid").path("tumbling")
    first, last = path.at(0.0), path.at(3.0)
    z = np.concatenate([[first[f"w{i}"] for i in (1, 2, 3)], attitude(first)[2]])
    end = solve_ivp(newton(SYSTEM.values()), (0, 3.0), z, rtol=1e-11, atol=1e-12).y[:, -1]
    assert end[3:] == pytest.approx(attitude(last)[2], abs=1e-6)
    assert end[:3] == pytest.approx([last[f"w{i}"] for i in (1, 2, 3)], abs=1e-5)


@pytest.mark.parametrize("spin", [9.0, 14.0])
def test_end_over_end_it_takes_the_time_that_is_said(spin):
    p, equations = SYSTEM.values(), da.nonholonomic(SYSTEM)
    half = rolling_ellipsoid.half_turn(spin, p)
    start = equations.start(x=0.0, y=0.0, z=p["c"], R="identity", w1=0.0, w2=spin, w3=0.0)
    end = da.simulate(equations, start, until=half, rtol=1e-11, atol=1e-13).at(half)
    assert attitude(end) == pytest.approx(np.diag([-1.0, 1.0, -1.0]), abs=1e-7)
    # it has rolled along half the ellipse
    angles = np.linspace(0, math.pi, 2001)
    arc = np.hypot(np.diff(p["a"] * np.cos(angles)), np.diff(p["c"] * np.sin(angles))).sum()
    assert end["x"] == pytest.approx(arc, abs=1e-6)


def test_too_slow_it_does_not_get_over_its_end():
    p, equations = SYSTEM.values(), da.nonholonomic(SYSTEM)
    # (I2 + m c^2)/2 w2^2 = m g (a - c)
    least = math.sqrt(2 * p["m"] * p["g"] * (p["a"] - p["c"]) / (p["I2"] + p["m"] * p["c"] ** 2))
    assert rolling_ellipsoid.half_turn(0.99 * least, p) == math.inf
    assert rolling_ellipsoid.half_turn(1.01 * least, p) < 3.0
    start = equations.start(x=0.0, y=0.0, z=p["c"], R="identity", w1=0.0, w2=0.99 * least, w3=0.0)
    path = da.simulate(equations, start, until=4.0)
    assert path["w2"].min() < -0.5 * least
    with pytest.raises(ValueError, match="shorter"):
        rolling_ellipsoid.half_turn(1.0, {**p, "a": 0.1})


def test_a_body_of_revolution_keeps_two_constants_linear_in_the_velocities():
    # (w3, <w, gamma>) at one lean is a linear function of the same at another: three runs, one relation
    system = rolling_ellipsoid.system(b=0.3)
    equations = da.nonholonomic(system)
    R = Rotation.from_rotvec([0.0, 0.5, 0.0]).as_matrix()
    met = []
    for w1, w3 in ((0.0, 3.0), (2.0, 0.0), (2.0, 3.0), (-1.0, 4.0)):
        start = equations.start(x=0.0, y=0.0, z=0.2, R=R.tolist(), w1=w1, w2=0.5, w3=w3)
        path = da.simulate(equations, start, until=2.0, rtol=1e-11, atol=1e-13)
        met.append([_at_lean(path, lean) for lean in (math.cos(0.5), math.cos(0.45))])
    first, later = np.array(met).transpose(1, 0, 2)
    law = np.linalg.solve(first[:2], later[:2])
    assert abs(law - np.eye(2)).max() > 1e-3
    assert later == pytest.approx(first @ law, abs=1e-7)


def _at_lean(path, lean):
    """w3 and <w, gamma> when axis 3 first leans so that gamma3 has a value."""
    from scipy.optimize import brentq

    above = lambda t: attitude(path.at(t))[2, 2] - lean  # noqa: E731
    times = np.linspace(0, 2.0, 401)
    values = np.array([above(t) for t in times])
    if abs(values[0]) < 1e-12:
        at = path.at(0.0)
    else:
        i = int(np.argmax(values[:-1] * values[1:] < 0))
        at = path.at(brentq(above, times[i], times[i + 1], xtol=1e-13))
    w = np.array([at[f"w{i}"] for i in (1, 2, 3)])
    return [w[2], w @ attitude(at)[2]]
