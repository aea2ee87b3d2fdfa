"""Shortest curves of the Heisenberg system against closed forms: arcs of circles.

With a chord c in the plane and the height z, an arc of angle phi has  z/c^2 = (phi - sin phi) / (8 sin^2(phi/2)),  the
length phi c / (2 sin(phi/2)), and constant speed, so that the action is  m length^2 / (2 T).
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da
from dalembert.numerics.two_point import two_point
from dalembert.systems import heisenberg

MASS = 1.7
FLAT = da.vakonomic(heisenberg.system(m=MASS))
ORIGIN = {"x": 0, "y": 0, "z": 0}


def turned(phi, ratio):
    return (phi - math.sin(phi)) - 8 * ratio * math.sin(phi / 2) ** 2


def angles(ratio, turns):
    """All phi in (0, 2 pi turns) with the given z/c^2 > 0, by sign changes on a fine grid."""
    grid = np.linspace(1e-3, 2 * math.pi * turns - 1e-3, 4001)
    values = [turned(phi, ratio) for phi in grid]
    pairs = zip(grid, grid[1:], values, values[1:], strict=False)
    return [brentq(turned, a, b, args=(ratio,), xtol=1e-15, rtol=1e-15) for a, b, f, g in pairs if f * g < 0]


def test_all_arcs_of_up_to_three_turns_are_found_and_nothing_else():
    end, duration = {"x": 0.6, "y": -0.3, "z": 2.2 * 0.45}, 1.3
    found = two_point(FLAT, ORIGIN, end, duration=duration, starts=100)
    phi, chord = angles(2.2, 3), math.sqrt(0.45)
    assert len(phi) == 5
    wanted = [MASS * (f * chord / (2 * math.sin(f / 2))) ** 2 / (2 * duration) for f in phi]
    few = [e for e in found if abs(e.unknowns["lam_area"]) * duration / MASS < 6 * math.pi]
    np.testing.assert_allclose([e.action for e in few], sorted(wanted), rtol=1e-10)
    np.testing.assert_allclose(sorted(-e.unknowns["lam_area"] * duration / MASS for e in few), phi, rtol=1e-10)
    # whatever else is found turns further, and is an arc as well
    for e in found:
        assert abs(turned(-e.unknowns["lam_area"] * duration / MASS, 2.2)) < 1e-7
        assert e.residual < 1e-10
        assert e.checked.agrees


def test_a_short_way_has_one_arc_only():
    found = two_point(FLAT, ORIGIN, {"x": 1, "y": 0.5, "z": 0.4}, duration=1)
    (phi,) = angles(0.4 / 1.25, 4)
    assert len(found) == 1 and found.converged > 10
    assert found[0].action == pytest.approx(MASS * 1.25 * (phi / (2 * math.sin(phi / 2))) ** 2 / 2, rel=1e-11)
    assert found[0].index == 0 and found[0].conjugate == () and not found[0].family


def test_conjugate_points_are_where_the_arc_closes_and_where_tan_is_its_argument():
    found = two_point(FLAT, ORIGIN, {"x": 0.6, "y": -0.3, "z": 2.2 * 0.45}, duration=1.3, starts=100)
    second = 2 * brentq(lambda a: math.sin(a) - a * math.cos(a), 4, 4.6)  # phi/2 = tan(phi/2)
    third = 2 * brentq(lambda a: math.sin(a) - a * math.cos(a), 7.5, 7.8)
    singular = [2 * math.pi, second, 4 * math.pi, third]
    for e in found[:5]:
        rate = abs(e.unknowns["lam_area"]) / MASS
        expected = [phi / rate for phi in singular if phi / rate < 1.3]
        np.testing.assert_allclose(e.conjugate, expected, rtol=1e-7)  # where two curves are nearest, to half the digits
        assert e.index == len(expected)


def test_vertical_ends_are_joined_by_families_of_whole_circles():
    z, duration = -0.8, 1.3
    found = two_point(FLAT, ORIGIN, {"x": 0, "y": 0, "z": z}, duration=duration)
    assert all(e.family and e.degenerate for e in found)
    assert "family" in str(found)
    turns = np.array([abs(e.unknowns["lam_area"]) * duration / MASS for e in found]) / (2 * math.pi)
    np.testing.assert_allclose(turns, np.round(turns), rtol=1e-9)
    assert turns[0] == pytest.approx(1)
    assert len(set(np.round(turns))) == len(turns)
    # k circles of radius r: |z| = k pi r^2, length 2 pi r k
    np.testing.assert_allclose([e.action for e in found], 2 * math.pi * MASS * turns * abs(z) / duration, rtol=1e-10)


def test_reversed_ends_have_the_same_actions():
    end = {"x": 0.5, "y": 0.2, "z": 0.5}
    there, back = (two_point(FLAT, a, b, duration=1, starts=60, check=False) for a, b in ((ORIGIN, end), (end, ORIGIN)))
    least = [[e.action for e in found if e.action < 25] for found in (there, back)]
    np.testing.assert_allclose(*least, rtol=1e-10)


def test_the_same_seed_finds_the_same_and_time_may_be_given_either_way():
    end = {"x": 0.6, "y": -0.3, "z": 0.9}
    one = two_point(FLAT, ORIGIN, end, duration=1.3, seed=5, starts=20, check=False)
    other = two_point(FLAT, ORIGIN, end, until=3.3, t=2, seed=5, starts=20, check=False)
    assert [e.action for e in one] == pytest.approx([e.action for e in other], rel=1e-12)
    assert one.converged == other.converged
    assert other[0].start.t == 2 and other[0].path.t[-1] == 3.3 and other[0].checked is None
