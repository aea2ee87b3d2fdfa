"""Constraints nonlinear in the velocities, imposed at an instant: the nearest velocities, against other routes."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.principles.impulsive import impose
from dalembert.systems import parallel_particles


def plane(m1=1.0, m2=2.0):
    q = da.coordinates("x y")
    return q, da.System(q, (m1 * q["vx"] ** 2 + m2 * q["vy"] ** 2) / 2)


def test_a_speed_that_is_imposed_keeps_the_direction():
    q, system = plane(1.0, 1.0)
    fast = da.nonholonomic(system.changed(constraints={"speed": q["vx"] ** 2 + q["vy"] ** 2 - 1}))
    start = impose(fast, {"x": 1.0, "y": 0.0, "vx": 1.8, "vy": 2.4})
    assert [start["vx"], start["vy"]] == pytest.approx([0.6, 0.8], abs=1e-12)
    assert start.lost == pytest.approx(4.0)
    # u+ - u = mu 2 u+
    assert start.impulses["speed"] == pytest.approx(-1.0)
    assert start.drivers == ("speed",)


@pytest.mark.parametrize("seed", range(6))
def test_nearest_velocities_lose_the_energy_of_what_is_lost_where_constraints_are_homogeneous(seed):
    # N u+ = d phi = 0: Carnot's theorem, for two particles with parallel velocities; and none near by is nearer
    system = parallel_particles.system()
    before = dict(zip(("vx1", "vy1", "vx2", "vy2"), np.random.default_rng(seed).normal(size=4), strict=True))
    place = {"x1": 0.0, "y1": 0.0, "x2": 1.0, "y2": 0.2}
    start = impose(da.nonholonomic(system), place | before)
    m = np.array([1.0, 1.0, 2.0, 2.0])
    u, v = (np.array([each[n] for n in before]) for each in (before, start))
    assert abs(v[0] * v[3] - v[1] * v[2]) < 1e-12
    assert start.lost == pytest.approx(m @ (u - v) ** 2 / 2, rel=1e-9)
    # of a matrix of rank 1 (in units of energy) the nearest is told by its largest singular value, by Eckart and Young
    U = np.sqrt(m).reshape(2, 2) * u.reshape(2, 2)
    assert start.lost == pytest.approx(np.linalg.svd(U)[1][1] ** 2 / 2, rel=1e-9)


def test_an_ellipse_of_velocities_against_a_minimizer():
    q, system = plane()
    oval = q["vx"] ** 2 / 4 + q["vy"] ** 2 - q["vx"] * q["vy"] / 3
    rail = da.nonholonomic(system.changed(constraints={"rail": oval - 1}))
    start = impose(rail, {"x": 0.0, "y": 0.0, "vx": 2.4, "vy": 0.9})
    angle = np.linspace(0, 2 * np.pi, 200001)
    c, s = np.cos(angle), np.sin(angle)
    size = 1 / np.sqrt(c**2 / 4 + s**2 - c * s / 3)
    far = (size * c - 2.4) ** 2 / 2 + (size * s - 0.9) ** 2
    assert (start["vx"] - 2.4) ** 2 / 2 + (start["vy"] - 0.9) ** 2 == pytest.approx(far.min(), rel=1e-8)
    path = da.simulate(rail, start, until=1.0)
    assert path.ok


def test_nonlinear_and_linear_constraints_are_imposed_together():
    q = da.coordinates("x y z")
    vx, vy, vz = q.velocities
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"cone": vx**2 + vy**2 - vz**2, "wall": vy})
    start = impose(da.nonholonomic(system), {"x": 0, "y": 0, "z": 0, "vx": 1.0, "vy": 0.7, "vz": 0.2})
    # in the plane vy = 0 the line vx = vz
    assert [start[n] for n in ("vx", "vy", "vz")] == pytest.approx([0.6, 0.0, 0.6], abs=1e-12)


def test_velocities_of_which_none_is_nearest_are_refused():
    q, system = plane(1.0, 1.0)
    # from beyond the centre of curvature the nearest point of a parabola is at neither side alone
    bowl = da.nonholonomic(system.changed(constraints={"bowl": q["vy"] - q["vx"] ** 2}))
    with pytest.raises(ValueError, match=r"E131 .* as near"):
        impose(bowl, {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 3.0})


@pytest.mark.parametrize("before", [(0.059, 2.403), (-0.906, 2.027), (-0.453, -1.309), (0.3, 1.238)])
def test_of_several_velocities_that_are_nearest_around_the_nearest_is_taken(before):
    # a wave of velocities: each of its arms has one that is nearest around it
    q, system = plane(1.0, 1.0)
    wave = da.nonholonomic(system.changed(constraints={"wave": q["vy"] - q["vx"] ** 3 + q["vx"]}))
    start = impose(wave, {"x": 0.0, "y": 0.0, "vx": before[0], "vy": before[1]})
    v = np.linspace(-3, 3, 600001)
    least = np.hypot(v - before[0], v**3 - v - before[1]).min()
    assert np.hypot(start["vx"] - before[0], start["vy"] - before[1]) == pytest.approx(least, rel=1e-6)


def test_two_velocities_that_are_equally_near_are_refused():
    q, system = plane(1.0, 1.0)
    arms = da.nonholonomic(system.changed(constraints={"arms": q["vx"] ** 2 - q["vy"] ** 2}))
    with pytest.raises(ValueError, match=r"E131 .* as near"):
        impose(arms, {"x": 0.0, "y": 0.0, "vx": 1.0, "vy": 0.0})


def test_velocities_before_at_which_a_constraint_has_no_value():
    q, system = plane(1.0, 1.0)
    curve = da.nonholonomic(system.changed(constraints={"row": sp.log(q["vx"]) - q["vy"]}))
    start = impose(curve, {"x": 0.0, "y": 0.0, "vx": -1.0, "vy": 0.3})
    v = np.linspace(1e-4, 3, 600001)
    least = np.hypot(v + 1.0, np.log(v) - 0.3).min()
    assert np.hypot(start["vx"] + 1.0, start["vy"] - 0.3) == pytest.approx(least, rel=1e-6)
    with pytest.raises(da.DalembertError, match="E402 on the way to a consistent start"):
        curve.start(x=0, y=0, vx=-1, vy=0.3, project="kinetic")


def test_from_the_middle_of_a_circle_no_velocity_on_it_is_nearest():
    q, system = plane(1.0, 1.0)
    fast = da.nonholonomic(system.changed(constraints={"speed": q["vx"] ** 2 + q["vy"] ** 2 - 1}))
    with pytest.raises(ValueError, match=r"E131 .* as near"):
        impose(fast, {"x": 1.0, "y": 0.0, "vx": 0.0, "vy": 0.0})
