"""Pivoting and rolling friction: what spins or rolls comes to rest, stays there, and begins again at a threshold."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da

g, T = 9.81, sp.Symbol("t")
EXACT = 1e-12
M, R = 2.0, 0.1


def wheel(rolling=0.002, **more):
    """A solid ball in a plane."""
    q = da.coordinates("x y phi", velocities="vx vy w")
    _, y, _ = q.coordinates
    vx, vy, w = q.velocities
    law = da.coulomb(0.3, rolling=rolling)
    floor = da.contact(gap=y - R, slip=[vx - R * w], rolling=[w], friction=law, restitution=0.3)
    L = M * (vx**2 + vy**2) / 2 + M * R**2 * w**2 / 5 - M * g * y
    return da.System(q, L, contacts={"floor": floor}, **more)


REST = {"x": 0, "y": R, "phi": 0, "vx": 0, "vy": 0, "w": 0}


def run(system, start, until, **more):
    path = da.simulate(da.nonholonomic(system), start, until=until, **more)
    assert path.ok, path.audit
    return path


def test_a_ball_that_rolls_is_stopped_by_rolling_friction_and_stays():
    """7/5 m a = - d m g/r."""
    path = run(wheel(), {**REST, "vx": 1.0, "w": 1 / R}, 9.0)
    a = 0.002 * g / R / 1.4
    assert path.modes == [
        (0.0, "floor", "sticks"),
        (0.0, "floor_rolling", "slides"),
        (pytest.approx(1 / a, abs=EXACT), "floor_rolling", "sticks"),
    ]
    assert path["x"][-1] == pytest.approx(1 / (2 * a), abs=EXACT)
    assert np.abs(path["vx"][path.t > 1 / a]).max() < 1e-15
    assert path.at(1.0)["floor_rolling_moment"] == pytest.approx(-0.002 * M * g, abs=EXACT)
    turned = path["phi"][-1]
    assert path.audit.energy_change == pytest.approx(-0.002 * M * g * turned, abs=1e-11)


def test_a_ball_at_rest_begins_to_roll_where_the_force_exceeds_the_threshold():
    """F r = d N."""
    path = run(wheel(forces={"vx": 0.3 * T}), REST, 3.0)
    starts = 0.002 * M * g / R / 0.3
    assert [mode[1:] for mode in path.modes[2:]] == [("floor_rolling", "slides")]
    assert path.modes[2][0] == pytest.approx(starts, abs=EXACT)
    # 7/5 m v = int F - d m g/r
    gained = 0.3 * (9 - starts**2) / 2 - 0.002 * M * g / R * (3 - starts)
    assert path["vx"][-1] == pytest.approx(gained / (1.4 * M), abs=1e-11)


def test_a_ball_that_is_dropped_bounces_slides_rolls_and_rests():
    path = run(wheel(rolling=0.01), {**REST, "y": R + 0.1, "vx": 1.0}, 3.0)
    last = {name: (t, word) for t, name, word in path.modes}
    assert {name: word for name, (_, word) in last.items()} == {"floor": "sticks", "floor_rolling": "sticks"}
    assert last["floor"][0] < last["floor_rolling"][0] < 3
    assert (np.diff(path["energy"]) <= 1e-12).all()


def test_a_ball_that_spins_and_rolls_is_stopped_in_each_by_its_own_moment():
    """2/5 m r^2 wz' = - d_s m g ,  7/5 m v' = - d_r m g/r along the way, until each is at rest."""
    q = da.coordinates("x y z", velocities="vx vy vz") * da.rotation("R", velocities="wx wy wz", frame="space")
    z = q.coordinates[2]
    vx, vy, vz, wx, wy, wz = q.velocities
    law = da.coulomb(0.5, spin=0.001, rolling=0.004)
    table = da.contact(gap=z - R, slip=[vx - R * wy, vy + R * wx], spin=wz, rolling=[wx, wy], friction=law)
    L = M * (vx**2 + vy**2 + vz**2) / 2 + M * R**2 * (wx**2 + wy**2 + wz**2) / 5 - M * g * z
    start = {"x": 0, "y": 0, "z": R, "R": "identity", "vx": 0.6, "vy": 0.8, "vz": 0, "wx": -8, "wy": 6, "wz": 5}
    path = run(da.System(q, L, contacts={"table": table}), start, 4.0)
    a = 0.004 * g / R / 1.4
    stops = {name: t for t, name, word in path.modes if word == "sticks"}
    assert stops["table_rolling"] == pytest.approx(1 / a, abs=EXACT)
    assert stops["table_spin"] == pytest.approx(5 * 0.4 * R**2 / (0.001 * g), abs=EXACT)
    assert [path[name][-1] for name in ("x", "y")] == pytest.approx([0.3 / a, 0.4 / a], abs=EXACT)
    assert max(abs(path[name][-1]) for name in ("vx", "vy", "vz", "wx", "wy", "wz")) < 1e-15
    moment = [path.at(1.0)[f"table_rolling_moment_{i}"] for i in (1, 2)]
    assert moment == pytest.approx([0.8 * 0.004 * M * g, -0.6 * 0.004 * M * g], abs=1e-11)


@pytest.mark.parametrize(("slope", "rolls"), [(0.0399, False), (0.0401, True)])
def test_a_ball_on_a_slope_rolls_down_if_the_slope_exceeds_the_moment_by_the_radius(slope, rolls):
    """tan alpha = d/r."""
    alpha = math.atan(slope)
    system = wheel(rolling=0.004)
    x, y = system.space.coordinates[:2]
    pulled = system.changed(lagrangian=system.lagrangian + M * g * (y + math.sin(alpha) * x - math.cos(alpha) * y))
    path = run(pulled, REST, 1.0)
    assert ("floor_rolling", "slides") in [mode[1:] for mode in path.modes] or not rolls
    a = g * (math.sin(alpha) - 0.04 * math.cos(alpha)) / 1.4 if rolls else 0.0
    assert path["x"][-1] == pytest.approx(a / 2, abs=EXACT)
