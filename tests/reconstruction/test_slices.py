"""Groups that move more coordinates than they have dimensions: reduced on a slice, and back to the full motion."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

import dalembert as da
from dalembert.systems import heisenberg


def pair_on_a_line():
    q = da.coordinates("x1 x2")
    L = q["vx1"] ** 2 + q["vx2"] ** 2 / 2 - (q["x1"] - q["x2"]) ** 4
    return da.System(q, L, symmetry={"shift": {"x1": 1, "x2": 1}}), {"x1": 0.3, "x2": 1.5, "vx1": 0.2, "vx2": -0.4}


def kepler():
    q = da.coordinates("x y")
    k = sp.Symbol("k", positive=True)
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 + k / sp.sqrt(q["x"] ** 2 + q["y"] ** 2)
    system = da.System(q, L, parameters={"k": 1.0}, symmetry=da.symmetry.turns("x y"))
    return system, {"x": 0.3, "y": 1.1, "vx": 0.7, "vy": -0.4}


def bodies(n):
    q = da.coordinates(" ".join(f"x{i} y{i}" for i in range(1, n + 1)))
    p = [(q[f"x{i}"], q[f"y{i}"]) for i in range(1, n + 1)]
    L = sum((i + 1) * u**2 for i, u in enumerate(q.velocities)) / 2
    L = sum((i + 1) * (q[f"vx{i + 1}"] ** 2 + q[f"vy{i + 1}"] ** 2) for i in range(n)) / 2
    for i in range(n):
        for j in range(i):
            L += 1 / sp.sqrt((p[i][0] - p[j][0]) ** 2 + (p[i][1] - p[j][1]) ** 2)
    fields = {
        "along x": {x: 1 for x, _ in p},
        "along y": {y: 1 for _, y in p},
        "turn": {s: e for x, y in p for s, e in ((x, -y), (y, x))},
    }
    start = {"x1": 0.1, "y1": 0.2, "x2": 1.3, "y2": -0.4, "vx1": 0.3, "vy1": -0.1, "vx2": 0.1, "vy2": 0.5}
    start |= {"x3": -1.0, "y3": 0.6, "vx3": -0.3, "vy3": 0.2} if n == 3 else {}
    return da.System(q, L, symmetry=fields), start


def skate_about_a_pole():
    # a knife edge and a central spring: turns of place and heading
    q = da.coordinates("x y theta", velocities="vx vy omega")
    x, y, theta, vx, vy, omega = q
    L = (vx**2 + vy**2 + omega**2) / 2 - (x**2 + y**2)
    system = da.System(
        q,
        L,
        {"edge": vy * sp.cos(theta) - vx * sp.sin(theta)},
        symmetry=da.symmetry.turns("x y", "theta"),
        title="Skate",
    )
    return system, {"x": 0.8, "y": 0.1, "theta": 0.4, "vx": 0.5, "omega": 0.3}


def area():
    return heisenberg.system(), heisenberg.START


def double_pendulum():
    q = da.coordinates("a b")
    a, b, va, vb = q
    L = va**2 + vb**2 / 2 + va * vb * sp.cos(a - b)  # no weight: both angles turn along
    return da.System(q, L, symmetry={"turn": {"a": 1, "b": 1}}), {"a": 0.3, "b": 1.2, "va": 0.4, "vb": -0.7}


CASES = {
    "pair on a line": (pair_on_a_line, None, 3.0),
    "kepler": (kepler, None, 4.0),
    "two bodies": (lambda: bodies(2), None, 2.0),
    "three bodies": (lambda: bodies(3), None, 1.0),
    "skate": (skate_about_a_pole, None, 2.0),
    "area": (area, [da.symmetry.turns("x y"), "z"], 1.5),
    "double pendulum": (double_pendulum, None, 3.0),
}


def run(equations, start, until):
    return da.simulate(equations, start, until=until, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", sorted(CASES))
def test_reduced_and_reconstructed_is_the_full_motion(name):
    build, symmetry, until = CASES[name]
    system, given = build()
    reduction = da.reduce(system, symmetry)
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    start = full.start(**given)
    path = run(small, small.start(**da.reduced_start(reduction, start)), until)
    one, other = run(full, start, until), da.reconstruct(reduction, path, start)
    t = np.linspace(0, until, 17)
    a, b = one.at(t), other.at(t)
    for n in other.names:
        assert np.abs(a[n] - b[n]).max() < 1e-9 * (1 + np.abs(a[n]).max()), n
    q = len(system.space.coordinates)
    assert len(reduction.system.space.coordinates) == q - len(reduction.generators)


@pytest.mark.parametrize(("angle", "shift"), [(0.7, (0.0, 0.0)), (2.9, (1.2, -0.4)), (-1.6, (-3.0, 2.0))])
def test_the_reduced_start_of_a_moved_start_is_the_same(angle, shift):
    system, given = bodies(2)
    reduction = da.reduce(system)
    turn = complex(math.cos(angle), math.sin(angle))
    moved = {}
    for i in (1, 2):
        place = turn * complex(given[f"x{i}"], given[f"y{i}"]) + complex(*shift)
        speed = turn * complex(given[f"vx{i}"], given[f"vy{i}"])
        moved |= {f"x{i}": place.real, f"y{i}": place.imag, f"vx{i}": speed.real, f"vy{i}": speed.imag}
    one, other = da.reduced_start(reduction, given), da.reduced_start(reduction, moved)
    # two points of the slice lie on one orbit: the second body at either side of the first
    sign = np.sign(one["y2_slice"] * other["y2_slice"])
    assert other == pytest.approx({n: v if n == "t" else sign * v for n, v in one.items()}, abs=1e-10)


def test_the_reduced_kepler_problem_is_the_radial_one():
    system, given = kepler()
    reduction = da.reduce(system)
    start = da.reduced_start(reduction, given)
    r = math.hypot(given["x"], given["y"])
    spin = given["x"] * given["vy"] - given["y"] * given["vx"]
    radial = (given["x"] * given["vx"] + given["y"] * given["vy"]) / r
    assert abs(start["x_slice"]) == pytest.approx(r, abs=1e-12)
    assert start["x_slice"] * start["vx"] == pytest.approx(r * radial, abs=1e-12)
    assert start["x_slice"] * start["vy"] == pytest.approx(spin, abs=1e-12)
    small = da.nonholonomic(reduction.system)
    path = run(small, small.start(**start), 4.0)
    # Binet: the turn between two distances is int l/r^2 dt
    angle = quad(lambda t: spin / float(path.at(t)["x_slice"]) ** 2, 0, 4.0, epsabs=1e-11, limit=200)[0]
    end = da.reconstruct(reduction, path, given).at(4.0)
    turned = math.atan2(given["y"], given["x"]) + angle
    assert math.cos(turned - math.atan2(end["y"], end["x"])) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("place", [(0.0, 1.0), (0.0, -1.0), (-1.0, 0.0), (1e-12, 1.0)])
def test_starts_from_which_no_straight_path_leads_to_the_slice(place):
    system, _ = kepler()
    reduction = da.reduce(system)
    assert reduction.poles == (sp.Symbol("x_slice", real=True),)
    start = {"x": place[0], "y": place[1], "vx": 0.3, "vy": -0.2}
    found = da.reduced_start(reduction, start)
    assert abs(found["x_slice"]) == pytest.approx(math.hypot(*place), abs=1e-12)
    spin = place[0] * start["vy"] - place[1] * start["vx"]
    assert found["x_slice"] * found["vy"] == pytest.approx(spin, abs=1e-12)
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    path = run(small, small.start(**found), 0.5)
    one, other = run(full, full.start(**start), 0.5).at(0.5), da.reconstruct(reduction, path, start).at(0.5)
    for n in ("x", "y", "vx", "vy"):
        assert other[n] == pytest.approx(one[n], abs=1e-9)


def test_turns_that_differ_from_place_to_place_are_refused():
    # a shear, under which y - x^2 z stays: the velocities turn at a rate that depends on the place
    q = da.coordinates("x y z")
    x, _y, z, vx, vy, vz = q
    L = (vx**2 + (vy - 2 * x * z * vx - x**2 * vz) ** 2 + vz**2) / 2
    system = da.System(q, L, symmetry={"shear": {"y": x**2, "z": 1}})
    assert da.symmetry.noether(system)["shear"].symmetric
    with pytest.raises(da.DalembertError, match="E124 the group turns the velocities differently at different places"):
        da.reduce(system)
