"""Periodic motions about steady ones: at a Hopf point, and about centres."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.special import ellipk

import dalembert as da
from zoo import GALLERY

follow = da.families.continue_periodic
p, q = da.coordinates("x"), da.coordinates("x y")
mu = sp.Symbol("mu")


@pytest.fixture(scope="module")
def rest():
    """x'' + x = (mu - x^2 - x'^2) x': beyond mu = 0 a circle of the radius sqrt(mu) attracts, in the period 2 pi."""
    x, v = p["x"], p["vx"]
    force = {"vx": (mu - x**2 - v**2) * v}
    system = da.System(p, (v**2 - x**2) / 2, forces=force, parameters={"mu": -0.5})
    return da.continue_steady(
        da.free(system), parameter="mu", start=da.steady(da.free(system), {"x": 0}), over=(-1.0, 1.0)
    )


@pytest.mark.parametrize("size", [0.05, -0.05, 0.3])
def test_at_a_hopf_point_a_family_is_born(rest, size):
    ((kind, value),) = rest.special
    assert (kind, value) == ("Hopf", pytest.approx(0, abs=1e-10))
    orbit = rest.switch(0, size)
    radius = abs(size)
    assert orbit.start.parameters["mu"] == pytest.approx(radius**2, abs=1e-9)
    assert math.hypot(orbit.start["x"], orbit.start["vx"]) == pytest.approx(radius, rel=1e-8)
    assert orbit.period == pytest.approx(math.tau, rel=1e-9)
    # the mean divergence of the flow is -mu
    assert sorted(orbit.multipliers.real) == pytest.approx([math.exp(-math.tau * radius**2), 1.0], abs=1e-7)


def test_the_family_that_is_born_grows_like_the_square_root(rest):
    family = follow(rest.switch(0, 0.1), parameter="mu", over=(-1.0, 1.0))
    assert np.hypot(family["x"], family["vx"]) ** 2 == pytest.approx(family["mu"], abs=1e-7)
    assert family["mu"][-1] == pytest.approx(1.0) and family.stable.all()
    assert any("shrinks to a steady motion" in end for end in family.ends)


@pytest.mark.parametrize("amplitude", [0.02, 0.3, -0.3])
def test_a_pendulum_swings_about_rest_in_its_elliptic_period(amplitude):
    space = da.coordinates("theta")
    pendulum = da.free(da.System(space, space["vtheta"] ** 2 / 2 + sp.cos(space["theta"])))
    orbit = da.families.swing(pendulum, da.steady(pendulum, {"theta": 0}), size=amplitude)
    energy = orbit.start["vtheta"] ** 2 / 2 - math.cos(orbit.start["theta"])
    assert orbit.period == pytest.approx(4 * ellipk((1 + energy) / 2), rel=1e-9)
    assert math.hypot(orbit.start["theta"], orbit.start["vtheta"]) == pytest.approx(abs(amplitude), rel=1e-3)


def three_bodies(m=0.04):
    space = da.coordinates("x y z")
    (x, y, z), (vx, vy, vz) = space.coordinates, space.velocities
    near, far = sp.sqrt((x + m) ** 2 + y**2 + z**2), sp.sqrt((x - 1 + m) ** 2 + y**2 + z**2)
    return da.free(da.System(space, ((vx - y) ** 2 + (vy + x) ** 2 + vz**2) / 2 + (1 - m) / near + m / far))


def test_a_swing_begins_where_it_is_farthest():
    """At right angles to its motion, (q - q0) q' + v v' = 0, also where no symmetry turns swings round."""
    text = "(vx^2 + vy^2)/2 - (x^2 + 2*y^2 + 0.7*x*y)/2 + 0.9*x*vy"
    equations = da.free(da.System(da.coordinates("x y"), text))
    orbit = da.families.swing(equations, da.steady(equations, {"x": 0, "y": 0}), frequency="slowest", size=1e-3)
    x, y, vx, vy = (orbit.start[name] for name in ("x", "y", "vx", "vy"))
    moved = x * vx + y * vy + vx * (0.9 * vy - x - 0.35 * y) + vy * (-0.9 * vx - 2 * y - 0.35 * x)
    assert abs(moved) < 1e-12 * 1e-3


def test_between_two_bodies_there_are_flat_swings_and_upright_ones():
    equations = three_bodies()
    rest = da.steady(equations, {"x": 0.72, "y": 0.0, "z": 0.0})
    # c = sum m/d^3: upright sqrt(c), flat w^4 + (c - 2) w^2 - (c - 1)(1 + 2 c) = 0 for w^2 -> [szebehely1967]
    c = 0.96 / (rest.state["x"] + 0.04) ** 3 + 0.04 / (0.96 - rest.state["x"]) ** 3
    flat = math.sqrt((2 - c + math.sqrt(9 * c**2 - 8 * c)) / 2)
    with pytest.raises(da.DalembertError, match=r"E335.*frequencies"):
        da.families.swing(equations, rest)
    for frequency, upright in ((flat, False), (math.sqrt(c), True)):
        orbit = da.families.swing(equations, rest, frequency=frequency, size=1e-3)
        assert orbit.period == pytest.approx(math.tau / frequency, rel=1e-5)
        assert (abs(orbit.start["z"]) + abs(orbit.start["vz"]) > 1e-4) == upright
        assert orbit.trivial.sum() == 2


@pytest.fixture(scope="module")
def before_the_moon():
    """Where a light body stands between earth and moon: of small flat swings there a disturbance grows 2700 times."""
    equations = three_bodies(0.01215058560962404)
    return equations, da.steady(equations, {"x": 0.837, "y": 0.0, "z": 0.0})


@pytest.mark.parametrize(("size", "width"), [(1e-3, 0.1), (0.01, 0.1), (0.01, 4e-4)])
def test_a_family_of_small_swings_holds_nothing(before_the_moon, size, width):
    # rows of M that differ by a factor of 1e6, and a narrow range, hide no direction
    orbit = da.families.swing(*before_the_moon, frequency="fastest", size=size)
    family = follow(orbit, parameter="period", over=(orbit.period - 1e-5, orbit.period + width))
    assert family.held == ()
    assert family["period"][-1] == pytest.approx(orbit.period + width, abs=1e-12)
    # where the trace of Hill's equation beside it is 2 (papers/moon.py)
    assert [value for _, value in family.special] == pytest.approx([2.74299406946] * (width > 0.05), abs=1e-9)


def test_onto_a_family_of_unstable_motions_by_way_of_nearer_ones(before_the_moon):
    orbit = da.families.swing(*before_the_moon, frequency="fastest", size=0.01)
    family = follow(orbit, parameter="period", over=(orbit.period - 1e-5, orbit.period + 0.06))
    near, far = (family.switch(0, size) for size in (0.001, 0.01))
    # the period goes up by the square of the height
    rises = [(halo.period - family.special[0][1]) / halo.start["z"] ** 2 for halo in (near, far)]
    assert rises[1] == pytest.approx(rises[0], rel=0.01)
    assert abs(far.start["z"]) == pytest.approx(10 * abs(near.start["z"]), rel=1e-3)


def test_about_the_circles_of_a_disc_nutations_begin():
    disc = da.nonholonomic(GALLERY.reduction("rolling_disc").system)
    steady = da.steady(disc, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    periods = []
    for size in (0.01, 0.02):
        orbit = da.families.swing(disc, steady, size=size)
        assert orbit.trivial.all() and orbit.missed < 1e-9
        periods.append(orbit.period)
    born = math.tau / np.abs(steady.eigenvalues.imag).max()
    # T - 2 pi/w grows like the square of the size
    assert abs(periods[0] - born) < 1e-3
    assert (periods[1] - born) / (periods[0] - born) == pytest.approx(4, rel=0.05)


def test_where_nothing_swings_it_is_refused(rest):
    row = da.steady(da.free(three_bodies().system), {"x": 0.72, "y": 0.0, "z": 0.0})
    x, v = p["x"], p["vx"]
    damped = da.free(da.System(p, (v**2 - x**2) / 2, forces={"vx": -v}))
    for equations, steady, code in (
        (damped, da.steady(damped, {"x": 0}), "E335"),
        (damped, row, "E241"),
        (damped, {"x": 0}, "E241"),
    ):
        with pytest.raises(da.DalembertError) as refused:
            da.families.swing(equations, steady)
        assert refused.value.code == code and refused.value.remedy
    with pytest.raises(da.DalembertError, match="E241"):
        rest.switch(0, 0.0)


@pytest.mark.parametrize("heavy", [0.9879, 0.99])
def test_about_the_triangle_there_are_slow_and_fast_swings(heavy):
    # w^4 - w^2 + 27/4 mu (1 - mu) = 0 [routh1905]; the distances and the turning frame are 1
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    m = 1 - heavy
    L = (
        ((vx - y) ** 2 + (vy + x) ** 2) / 2
        + heavy / sp.sqrt((x + m) ** 2 + y**2)
        + m / sp.sqrt((x - heavy) ** 2 + y**2)
    )
    equations = da.free(da.System(q, L))
    corner = da.steady(equations, {"x": 0.5 - m, "y": math.sqrt(3) / 2})
    root = math.sqrt(1 - 27 * m * heavy)
    known = {"slowest": math.sqrt((1 - root) / 2), "fastest": math.sqrt((1 + root) / 2)}
    with pytest.raises(da.DalembertError, match=f"{known['slowest']:.6g}, {known['fastest']:.6g}"):
        da.families.swing(equations, corner)
    for which, w in known.items():
        orbit = da.families.swing(equations, corner, frequency=which, size=1e-4)
        assert orbit.period == pytest.approx(math.tau / w, rel=1e-6)


@pytest.mark.parametrize("word", ["slow", "", "Fastest"])
def test_another_word_for_a_frequency_is_refused(word):
    equations = da.free(da.System(p, (p["vx"] ** 2 - p["x"] ** 2) / 2))
    with pytest.raises(da.DalembertError, match=r'E241.*says not which\n.*"slowest" or "fastest"'):
        da.families.swing(equations, da.steady(equations, {"x": 0}), frequency=word)


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic])
def test_small_swings_of_what_has_no_mass_along_a_direction(principle):
    # z' = x' (y + 1/2) and no mass along z: with z = x/2 the plane y = 0 swings as x'' = -19/12 x, beside y'' = -4 y
    q = da.coordinates("x y z")
    (x, y, z), (vx, vy, vz) = q.coordinates, q.velocities
    V = x**2 / 2 + 2 * y**2 + z**2 / 2 + x * z / 3
    system = da.System(q, (vx**2 + vy**2) / 2 - V, {"c": vz - vx * (y + sp.Rational(1, 2))}, massless="vz")
    equations, w = principle(system), math.sqrt(19 / 12)
    rest = da.steady(equations, {})
    frequencies = np.sort(np.abs(rest.eigenvalues.imag))
    assert frequencies[-4:] == pytest.approx([w, w, 2, 2]) and frequencies[:-4] == pytest.approx(0, abs=1e-7)
    np.testing.assert_allclose(
        np.sort(np.abs(da.linearise(equations, rest).eigenvalues.imag))[-4:], [w, w, 2, 2], atol=1e-9
    )
    quick = da.families.swing(equations, rest, frequency="fastest")
    assert quick.period == pytest.approx(math.pi, abs=1e-9)
    slow = da.families.swing(equations, rest, frequency="slowest")
    # d'Alembert's motion stays in the plane, where it is linear; the other bends with its amplitude
    assert slow.period == pytest.approx(math.tau / w, abs=1e-8 if principle is da.nonholonomic else 1e-5)
    pair = slow.multipliers[np.abs(slow.multipliers.imag) > 0.1]
    assert np.sort_complex(pair) == pytest.approx(
        np.sort_complex([np.exp(2j * slow.period), np.exp(-2j * slow.period)]), abs=1e-4
    )
