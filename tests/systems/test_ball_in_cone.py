"""A ball in a cone [routh1905]: it circles at a height, and without gravity s^2 is quadratic in time."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import ball_in_cone


def _spins(p, s, vph, twist):
    """w for a rate of going around and a twist K, at ph = 0 and vs = 0."""
    e_s = np.array([math.sin(p["alpha"]), 0, math.cos(p["alpha"])])
    n = np.array([-math.cos(p["alpha"]), 0, math.sin(p["alpha"])])
    w = -s * math.sin(p["alpha"]) * vph / p["r"] * e_s + (twist + math.cos(p["alpha"]) * s * vph / p["r"]) * n
    return dict(zip(("w1", "w2", "w3"), w, strict=True))


def test_without_gravity_and_twist_the_square_of_the_distance_is_quadratic_in_time():
    # sddot = P C^2/s^3:  s^2 = s0^2 + 2 s0 vs t + (vs^2 + P C^2/s0^2) t^2,  P = sin^2 + I/(I + m r^2) cos^2
    system = ball_in_cone.system(g=0.0, alpha=0.5, I=0.02)
    p, equations = system.values(), da.nonholonomic(system)
    s, vs, vph = 1.2, -0.8, 2.0
    spins = _spins(p, s, vph, 0.0) | {"w2": vs / p["r"]}
    path = da.simulate(equations, equations.start(R="identity", s=s, ph=0.0, vs=vs, vph=vph, **spins), until=4.0)
    P = math.sin(0.5) ** 2 + 0.02 / (0.02 + p["m"] * p["r"] ** 2) * math.cos(0.5) ** 2
    t, C = np.asarray(path.t), s**2 * vph
    assert np.asarray(path["s"]) ** 2 == pytest.approx(
        s**2 + 2 * s * vs * t + (vs**2 + P * C**2 / s**2) * t**2, rel=1e-7
    )


@pytest.mark.parametrize("twist", [0.0, 6.0, -6.0])
def test_it_circles_where_the_height_is_in_balance(twist):
    # P s vph^2 + k r cos(alpha) K vph = g m r^2/(I + m r^2) cos(alpha),  k = I/(I + m r^2)
    system = ball_in_cone.system()
    p, equations, s = system.values(), da.nonholonomic(system), 0.8
    heavy = p["I"] + p["m"] * p["r"] ** 2
    k, c, P = p["I"] / heavy, math.cos(p["alpha"]), 0.0
    P = math.sin(p["alpha"]) ** 2 + k * c**2
    around = max(np.roots([P * s, k * p["r"] * c * twist, -p["g"] * c * p["m"] * p["r"] ** 2 / heavy]).real)
    start = equations.start(R="identity", s=s, ph=0.0, vs=0.0, vph=around, **_spins(p, s, around, twist))
    assert equations.evaluate(start)["accelerations"]["vs"] == pytest.approx(0, abs=1e-12)
    assert np.ptp(da.simulate(equations, start, until=3.0)["s"]) < 1e-7
    # a little higher it swings about it:  rate^2 = 3 P vph^2 + 2 k r cos(alpha) K vph/s
    period = math.tau / math.sqrt(3 * P * around**2 + 2 * k * p["r"] * c * twist * around / s)
    C, near = s**2 * around, s + 1e-4
    moved = equations.start(
        R="identity", s=near, ph=0.0, vs=0.0, vph=C / near**2, **_spins(p, near, C / near**2, twist)
    )
    end = da.simulate(equations, moved, until=period, rtol=1e-11, atol=1e-13).at(period)
    assert end["vs"] == pytest.approx(0, abs=2e-3 * 1e-4 * math.tau / period)


def test_the_point_that_touches_the_cone_is_at_rest():
    system = ball_in_cone.system()
    p, start = system.values(), da.nonholonomic(system).start(R="identity", **ball_in_cone.START)
    opening, ph = p["alpha"], start["ph"]
    e_s = np.array([math.sin(opening) * math.cos(ph), math.sin(opening) * math.sin(ph), math.cos(opening)])
    e_ph = np.array([-math.sin(ph), math.cos(ph), 0])
    v = start["vs"] * e_s + start["s"] * math.sin(opening) * start["vph"] * e_ph
    w = np.array([start[name] for name in ("w1", "w2", "w3")])
    assert v + np.cross(w, -p["r"] * np.cross(e_s, e_ph)) == pytest.approx(np.zeros(3), abs=1e-12)
