"""Curves of a knife edge, L = (v^2 + omega^2)/2, against Jacobi's elliptic functions.

The momentum P (cos alpha, sin alpha) of the plane is conserved. With phi = theta - alpha = pi/2 + chi/2:

    v = P cos(phi),  chi'' = -P^2 sin(chi),  along P: P cos^2(phi),  across P: thetadot'/P
"""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.special import ellipeinc, ellipj, ellipkinc

import dalembert as da
from dalembert.numerics.two_point import two_point

PLANE = da.SE2()
X, Y, THETA, V1, V2, OMEGA = PLANE
EDGE = da.vakonomic(da.System(PLANE, (V1**2 + OMEGA**2) / 2, constraints={"blade": V2}, massless=[V2]))
ORIGIN = {"x": 0, "y": 0, "theta": 0}


def motion(v, omega, lam, t):
    """(x, y, theta, omega) at t, from the origin and theta = 0; p_2 = dL*/dv2 = -lam."""
    P, alpha = math.hypot(v, lam), math.atan2(-lam, v)
    chi, rate = 2 * (-alpha - math.pi / 2), 2 * omega
    # sin(chi/2)^2 + (chi'/(2 P))^2 = k^2
    k = math.sqrt(math.sin(chi / 2) ** 2 + (rate / (2 * P)) ** 2)
    if k < 1:
        am = math.atan2(math.sin(chi / 2) / k, rate / (2 * k * P))
        m, side, pace = k**2, 1, P
        start = chi - 2 * math.asin(k * math.sin(am))  # whole turns
        u0 = ellipkinc(am, m)
        sn, cn, _, last = ellipj(u0 + pace * t, m)
        chi_t, rate_t = start + 2 * math.asin(k * sn), 2 * k * P * cn
        if math.cos(chi / 2) < 0:  # the other well, a turn of chi further
            return None
        along = P / pace * (pace * t - ellipeinc(last, m) + ellipeinc(am, m))
    else:
        m, side, pace = 1 / k**2, math.copysign(1, rate), k * P
        u0 = ellipkinc(chi / 2, m)
        _, _, dn, last = ellipj(u0 + side * pace * t, m)
        chi_t, rate_t = 2 * last, side * 2 * k * P * dn
        along = P / pace / m * (pace * t - side * (ellipeinc(last, m) - ellipeinc(chi / 2, m)))
    across = (rate_t - rate) / 2 / P
    x, y = along * math.cos(alpha) - across * math.sin(alpha), along * math.sin(alpha) + across * math.cos(alpha)
    return np.array([x, y, chi_t / 2 + math.pi / 2 + alpha, rate_t / 2])


def closed(e, t):
    """The same for an extremal; chi is shifted by whole turns into the well around 0 first."""
    v, omega, lam = e.unknowns["v1"], e.unknowns["omega"], e.unknowns["lam_blade"]
    found = motion(v, omega, lam, t)
    if found is None:  # theta + pi, v and lam reversed, is the same curve
        found = motion(-v, omega, -lam, t)
        found[:2] *= -1
    return found


@pytest.mark.parametrize("end", [(0.0, 1.0, 0.0), (0.7, -0.4, 1.1), (-0.2, 0.3, 4.0)])
def test_every_extremal_is_an_elliptic_curve(end):
    x, y, theta = end
    found = two_point(EDGE, ORIGIN, {"x": x, "y": y, "theta": theta}, duration=1)
    assert len(found)
    for e in found:
        u = e.unknowns
        np.testing.assert_allclose(closed(e, 1.0)[:3], end, atol=1e-10)
        # L is conserved
        assert e.action == pytest.approx((u["v1"] ** 2 + u["omega"] ** 2) / 2, rel=1e-10)
        half = e.path.at(0.5)
        expected = [half["x"], half["y"], half["theta"], half["omega"]]
        np.testing.assert_allclose(closed(e, 0.5), expected, atol=1e-9)  # of dense output
        assert e.checked.agrees and e.residual < 1e-12


def test_the_parallel_shift_has_a_shorter_curve_than_the_symmetric_one():
    found = two_point(EDGE, ORIGIN, {"x": 0, "y": 1, "theta": 0}, duration=1)
    least, symmetric = found[0], next(e for e in found if abs(e.unknowns["v1"]) < 1e-9)
    assert len({round(e.action, 8) for e in found}) < len(found)  # mirror images are found and kept
    assert least.action == pytest.approx(5.5790793576, abs=1e-9)  # the closed form above, solved by itself
    assert symmetric.action == pytest.approx(6.5433173072, abs=1e-9)
    assert least.index == 0 and symmetric.index > 0  # only the first may be shortest


def test_another_description_of_the_same_system_has_the_same_curves():
    q = da.coordinates("x y theta")
    _, _, theta, vx, vy, w = q
    blade = vy * sp.cos(theta) - vx * sp.sin(theta)
    same = da.vakonomic(da.System(q, (vx**2 + vy**2 + w**2) / 2, constraints={"blade": blade}))
    end = {"x": 0.7, "y": -0.4, "theta": 1.1}
    one, other = (two_point(e, ORIGIN, end, duration=1, check=False, starts=60) for e in (EDGE, same))
    few = min(len(one), len(other), 3)
    np.testing.assert_allclose([e.action for e in one[:few]], [e.action for e in other[:few]], rtol=1e-11)
    assert set(other[0].unknowns) == {"vx", "vtheta", "lam_blade"}  # the blade determines vy at theta = 0


@pytest.mark.parametrize("left", ["theta", "y"])
def test_what_is_left_free_has_the_best_end(left):
    """The end found where a coordinate is free: held there and to both sides of it, the action is least there."""
    end = {"x": 0.3, "y": 1, "theta": 1.0}
    del end[left]
    free = two_point(EDGE, ORIGIN, end, duration=1, starts=20, check=False)
    best, at = float(free[0].path[left][-1]), {}
    for by in (-0.1, 0, 0.1):
        whole = two_point(EDGE, ORIGIN, {**end, left: best + by}, duration=1, check=False, starts=20)
        at[by] = whole[0].action
    assert at[0] == pytest.approx(free[0].action, rel=1e-10)
    assert min(at[-0.1], at[0.1]) > at[0]
    for e in free:
        assert e.index is None
        if left == "theta":
            assert abs(e.path["omega"][-1]) < 1e-10  # p_theta = omega = 0


def test_a_free_place_leaves_only_the_turning():
    (e,) = two_point(EDGE, ORIGIN, {"theta": 1.2}, duration=2)
    assert e.action == pytest.approx(1.2**2 / 4, rel=1e-12)
    assert abs(e.unknowns["v1"]) < 1e-12
