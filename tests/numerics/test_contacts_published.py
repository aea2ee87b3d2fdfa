"""Toys and tops whose motion at a contact is published, and bodies that rock or turn until they rest."""

import math
from functools import cache

import numpy as np
import pytest
import sympy as sp

import dalembert as da

g = 9.81


def run(system, start, until, **more):
    path = da.simulate(da.nonholonomic(system), start, until=until, **more)
    assert path.ok, path.audit
    return path


def rotation(w, a, b, c):
    """R, from the body to space."""
    return sp.Matrix(
        [
            [w**2 + a**2 - b**2 - c**2, 2 * (a * b - w * c), 2 * (a * c + w * b)],
            [2 * (a * b + w * c), w**2 - a**2 + b**2 - c**2, 2 * (b * c - w * a)],
            [2 * (a * c - w * b), 2 * (b * c + w * a), w**2 - a**2 - b**2 + c**2],
        ]
    )


def body(arm, masses, **table):
    """A body on a table, with the arm from its centre of mass to the contact as a function of the vertical in it."""
    m, *I = masses
    q = da.coordinates("x y z", velocities="vx vy vz") * da.rotation("R", velocities="wx wy wz", frame="body")
    z, *R = q.coordinates[2:]
    vx, vy, vz, *turning = q.velocities
    R = rotation(*R)
    up = R[2, :].T
    slip = sp.Matrix([vx, vy]) + R[:2, :] * sp.Matrix(turning).cross(arm(up))
    T = m * (vx**2 + vy**2 + vz**2) / 2 + sum(i * w**2 for i, w in zip(I, turning, strict=True)) / 2
    contact = da.contact(gap=z + (up.T * arm(up))[0], slip=list(slip), **table)
    return da.System(q, T - m * g * z, contacts={"table": contact})


# --- a woodpecker ----------------------------------------------------------------------------------------------------


def woodpecker():
    """The toy of [leine2003]: a sleeve that jams on its pole, and a bird on a spring that frees it."""
    M, m, J, I, k = 0.0003, 0.0045, 5e-9, 7e-7, 0.0056
    a, b, beak, h, H, r, R = 0.010, 0.015, 0.0201, 0.0058, 0.02, 0.0025, 0.0031
    q = da.coordinates("y sleeve bird", velocities="v ws wb")
    y, sleeve, bird = q.coordinates
    v, ws, wb = q.velocities
    T = M * v**2 / 2 + J * ws**2 / 2 + m * (v + a * ws + b * wb) ** 2 / 2 + I * wb**2 / 2
    V = k * (sleeve - bird) ** 2 / 2 + (M + m) * g * y + m * g * (a * sleeve + b * bird)
    contacts = {
        "beak": da.contact(a + b - beak - r - H * bird, [v + a * ws + (b - beak) * wb], mu=0.3, restitution=0.5),
        "low": da.contact(R - r + h * sleeve, [v + R * ws], mu=0.3),
        "high": da.contact(R - r - h * sleeve, [v + R * ws], mu=0.3),
    }
    return da.System(q, T - V, contacts=contacts), -(R - r) / h


def test_a_woodpecker_comes_down_its_pole_by_the_published_cycle():
    """It jams, sticks, slides, is freed, pecks: the cycle goes through (bird, v, wb) = (-0.2788, -0.3411, -7.4583)."""
    toy, jammed = woodpecker()
    start = {"y": 0, "sleeve": jammed, "bird": -0.2788, "v": -0.3411, "ws": 0, "wb": -7.4583}
    path = run(toy, start, 0.31)
    t = np.linspace(0.05, 0.31, 26001)
    seen = path.at(t)
    falls = np.flatnonzero((seen["bird"][:-1] > -0.2788) & (seen["bird"][1:] <= -0.2788))
    assert len(falls) == 2
    for i in falls:
        assert seen["sleeve"][i] == pytest.approx(-0.1036, abs=2e-4)
        assert seen["v"][i] == pytest.approx(-0.3411, rel=1e-2)
        assert seen["wb"][i] == pytest.approx(-7.4583, rel=2e-3)
    assert (np.diff(path["energy"]) <= 1e-15).all()


# --- tops ------------------------------------------------------------------------------------------------------------


@cache
def tippe_top(mu):
    m, r, ecc = 0.006, 0.02, 0.003
    I1, I3 = 131 / 350 * m * r**2, 2 / 5 * m * r**2
    top = body(lambda up: sp.Matrix([0, 0, ecc]) - r * up, (m, I1, I1, I3), mu=mu)
    tilt, spin = 0.1, 155.0
    start = {"x": 0, "y": 0, "z": r - ecc * math.cos(tilt), "vx": 0, "vy": 0, "vz": 0, "wx": 0}
    start |= {"wy": spin * math.sin(tilt), "wz": spin * math.cos(tilt)}
    start |= {"R": {"w": math.cos(tilt / 2), "x": math.sin(tilt / 2), "y": 0, "z": 0}}
    return run(top, start, 4.5)


def vertical(path):
    w, a, b, c = (path[f"R_{e}"] for e in "wxyz")
    return np.array([2 * (a * c - w * b), 2 * (b * c + w * a), w**2 - a**2 - b**2 + c**2])


def test_a_tippe_top_that_slips_turns_over_and_one_that_rolls_does_not():
    """Only friction that does work can lift the centre of mass [or1994]; while it slips Jellett's constant is kept."""
    slips, rolls = tippe_top(0.1), tippe_top(0.3)
    assert vertical(slips)[2][[0, -1]] == pytest.approx([math.cos(0.1), -1], abs=5e-3)
    assert vertical(rolls)[2].min() > 0.99
    m, r, ecc = 0.006, 0.02, 0.003
    I1, I3 = 131 / 350 * m * r**2, 2 / 5 * m * r**2
    L = np.array([I1 * slips["wx"], I1 * slips["wy"], I3 * slips["wz"]])
    jellett = (L * (np.array([[0], [0], [ecc]]) - r * vertical(slips))).sum(axis=0)
    assert jellett == pytest.approx(jellett[0], rel=1e-8)
    assert np.diff(slips["energy"]).max() <= 1e-10 * slips["energy"][0]  # rounding, where the slip ends


# --- a disc, a turntable, a block ------------------------------------------------------------------------------------


def test_a_disc_that_turns_on_a_slippery_table_slips_and_rolls_in_turn():
    """A slip of two components that ends: its direction is rounding there, and no time is lost in it."""
    r, tilt = 0.1, 0.6

    def arm(up):
        across = sp.sqrt(up[0] ** 2 + up[1] ** 2)
        return sp.Matrix([-r * up[0] / across, -r * up[1] / across, 0])

    disc = body(arm, (1.0, r**2 / 4, r**2 / 4, r**2 / 2), mu=0.05)
    turns = 0.8 * math.sqrt(4 * g / (r * math.sin(tilt)))
    start = {"x": 0, "y": 0, "z": r * math.sin(tilt), "vx": 0, "vy": 0, "vz": 0, "wx": 0, "wz": 0}
    start |= {"wy": turns * math.sin(tilt), "R": {"w": math.cos(tilt / 2), "x": math.sin(tilt / 2), "y": 0, "z": 0}}
    path = run(disc, start, 0.33)
    assert [mode[2] for mode in path.modes] == ["slides", "sticks", "slides", "sticks", "slides"]
    assert (np.diff(path["energy"]) <= 1e-12).all()


def test_a_ball_on_a_turntable_slips_first_and_rolls_on_circles_of_two_sevenths():
    """v + (I/m r) k x w is kept by friction whatever it is; rolling, v turns at 2/7 of the table's rate."""
    q = da.coordinates("x y z", velocities="vx vy vz") * da.rotation("R", velocities="wx wy wz", frame="space")
    x, y, z = q.coordinates[:3]
    vx, vy, vz, wx, wy, wz = q.velocities
    m, r, turns = 0.5, 0.05, 3.0
    table = da.contact(gap=z - r, slip=[vx - r * wy + turns * y, vy + r * wx - turns * x], mu=0.1)
    L = m * (vx**2 + vy**2 + vz**2) / 2 + m * r**2 * (wx**2 + wy**2 + wz**2) / 5 - m * g * z
    start = {name: 0 for name in ("y", "vx", "vy", "vz", "wx", "wy", "wz")} | {"x": 0.3, "z": r, "R": "identity"}
    path = run(da.System(q, L, contacts={"table": table}), start, 4.0)
    assert [mode[2] for mode in path.modes] == ["slides", "sticks"]
    kept = np.array([path["vx"] + 0.4 * r * path["wy"], path["vy"] - 0.4 * r * path["wx"]])
    assert np.ptp(kept, axis=1) == pytest.approx(0, abs=1e-14)
    late = path.t > path.modes[1][0] + 1e-9
    v = (path["vx"] + 1j * path["vy"])[late]
    t = path.t[late]
    assert v == pytest.approx(v[0] * np.exp(2j / 7 * turns * (t - t[0])), abs=1e-13)
    slip = np.hypot(path["vx"] - r * path["wy"] + turns * path["y"], path["vy"] + r * path["wx"] - turns * path["x"])
    assert slip[late].max() < 1e-15


@pytest.mark.parametrize(("e", "order"), [(0.0, 1), (0.0, -1), (0.3, 1)])
def test_a_rocking_block_comes_to_rest_on_both_its_edges(e, order):
    """Infinitely many blows in finite time, each of which keeps the same share of the speed; then nothing moves."""
    b, h, tilt = 0.2, 0.4, 0.05
    q = da.coordinates("x y th", velocities="vx vy w")
    x, y, th = q.coordinates
    vx, vy, w = q.velocities

    def edge(side):
        X, Y = x + side * b * sp.cos(th) + h * sp.sin(th), y + side * b * sp.sin(th) - h * sp.cos(th)
        return da.contact(gap=Y, slip=[vx + X.diff(th) * w], mu=1, restitution=e)

    edges = dict([("left", edge(-1)), ("right", edge(1))][::order])
    L = (vx**2 + vy**2) / 2 + w**2 * (b**2 + h**2) / 6 - g * y
    c, s = math.cos(tilt), math.sin(tilt)
    start = {"x": -b + b * c - h * s, "y": b * s + h * c, "th": tilt, "vx": 0, "vy": 0, "w": 0}
    path = run(da.System(q, L, contacts=edges), start, 3.0)
    assert {name: word for _, name, word in path.modes} == {"left": "sticks", "right": "sticks"}
    assert path.modes[-1][0] < 2.5
    assert [path[name][-1] for name in ("y", "th", "vx", "vy", "w")] == pytest.approx([h, 0, 0, 0, 0], abs=1e-11)
    assert path["left_normal"][-1] + path["right_normal"][-1] == pytest.approx(g, abs=1e-9)


def test_a_floor_that_shakes_is_left_where_it_falls_faster_than_what_lies_on_it():
    """a w^2 sin(w t) = g."""
    q = da.coordinates("x y", velocities="vx vy")
    y = q.coordinates[1]
    vx, vy = q.velocities
    a, w = 0.02, 30.0
    floor = da.contact(gap="y - 0.02*sin(30*t)", slip=[vx], mu=0.3, restitution=0.3)
    path = run(
        da.System(q, vx**2 + vy**2 - 2 * g * y, contacts={"floor": floor}), {"x": 0, "y": 0, "vx": 0, "vy": a * w}, 0.1
    )
    assert path.modes == [
        (0, "floor", "sticks"),
        (pytest.approx(math.asin(g / a / w**2) / w, abs=1e-12), "floor", "apart"),
    ]
    assert path.at(0.01)["floor_normal"] == pytest.approx(2 * (g - a * w**2 * math.sin(0.3)), abs=1e-11)
