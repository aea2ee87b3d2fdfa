"""Motions that are the same backwards: maps that are known, runs there and back, and what friction leaves of them."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from zoo import GALLERY, ZOO

reversible = da.symmetry.reversible
q = da.coordinates("x y")
x, y, vx, vy = q


def moved(R):
    """The names of what changes its sign."""
    return {name for name, e in R.items() if e == -sp.Symbol(name, real=True)}


def over(R, state):
    """What a state goes over into."""
    return {name: float(e.subs({s: state[s.name] for s in e.free_symbols})) for name, e in R.items()}


def stars():
    """The stars of Henon and Heiles, whose potential has the symmetry of a triangle."""
    return da.System(q, (vx**2 + vy**2 - x**2 - y**2) / 2 - x**2 * y + y**3 / 3)


def plane(mu=0.1):
    """A light body near two heavy ones, in their frame."""
    near, far = sp.sqrt((x + mu) ** 2 + y**2), sp.sqrt((x - 1 + mu) ** 2 + y**2)
    return da.System(q, ((vx - y) ** 2 + (vy + x) ** 2) / 2 + (1 - mu) / near + mu / far)


def test_where_velocities_turn_constraints_linear_in_them_stay():
    # the rattleback, though of two senses one alone is stable
    ways = reversible(GALLERY["rattleback"]).involutions
    assert moved(ways[0]) == {"v1", "v2", "v3", "w1", "w2", "w3"}
    assert moved(ways[1]) == {"x", "y", "R_x", "R_y", "v3", "w3"}
    sleigh = reversible(ZOO["sleigh"])
    assert [moved(R) for R in sleigh.involutions] == [{"vx", "vy", "omega"}, {"y", "theta", "vx"}]
    assert sleigh.tried == 8 and "reversible" in str(sleigh)


def test_a_run_goes_back_the_way_it_came():
    equations = ZOO.equations("sleigh")
    start = equations.start(x=0.1, y=-0.2, theta=0.4, vx=0.9, omega=0.5)
    end = da.simulate(equations, start, until=0.5, rtol=1e-11).state(0.5)
    for R in reversible(equations).involutions:
        back = da.simulate(equations, over(R, end), until=0.5, rtol=1e-11).state(0.5)
        assert [back[n] for n in R] == pytest.approx(list(over(R, start).values()), abs=1e-9)


def test_a_frame_that_turns_is_turned_round_by_a_mirror():
    (R,) = reversible(plane()).involutions
    assert moved(R) == {"y", "vx"}
    assert reversible(plane(), {y: -y})
    assert not reversible(plane(), {})
    assert reversible(plane(), {"x": "-x"}).off > 0.1
    # with equal masses the other axis is one as well
    assert [moved(R) for R in reversible(plane(sp.Rational(1, 2))).involutions] == [{"x", "vy"}, {"y", "vx"}]


def test_mirrors_that_are_no_change_of_sign_are_tested():
    slanted = {"x": "x/2 + sqrt(3)/2*y", "y": "sqrt(3)/2*x - y/2"}
    found = reversible(stars(), slanted)
    assert found and float(found.involutions[0]["vx"].coeff(vy)) == pytest.approx(-np.sqrt(3) / 2)
    assert not reversible(stars(), {"x": "y", "y": "x"})
    pendulum = da.System(da.coordinates("theta"), "vtheta^2/2 + k*sin(theta)", parameters={"k": 2.0})
    assert reversible(pendulum, {"theta": "pi - theta"})
    assert not reversible(pendulum, {"theta": "-theta"})


def test_friction_leaves_none():
    slowed = ZOO["sleigh"].changed(forces={"omega": -0.1 * ZOO["sleigh"].space["omega"]})
    assert not reversible(slowed)
    assert "other maps are not excluded" in str(reversible(slowed))


def test_times_turn_round_too():
    line = da.coordinates("x")
    assert moved(reversible(da.System(line, "vx^2/2 - x^4/4 + x*cos(t)"), {}).involutions[0]) == {"vx"}
    (R,) = reversible(da.System(line, "vx^2/2 - x^4/4 + x*sin(t)")).involutions
    assert moved(R) == {"x"}


def test_multipliers_that_are_states_turn_round_or_stay():
    ways = [moved(R) for R in reversible(da.vakonomic(GALLERY["heisenberg"])).involutions]
    assert ways[0] == {"vx", "vy", "vz", "lam_area"}
    assert {"x", "z", "vy"} in ways


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"x": "y"}, "E719"),
        ({"x": "y^2"}, "E719"),
        ({"x": "x + 1"}, "E719"),
        ({"x": "vx"}, "E719"),
        ({"z": "-z"}, "E104"),
        ({"x": "-z"}, "E702"),
        ({"x": -sp.Symbol("z")}, "E104"),
        (["x"], "E241"),
    ],
)
def test_maps_that_are_none_are_refused(given, code):
    with pytest.raises(da.DalembertError, match=code):
        reversible(stars(), given)


def test_what_has_no_motion_in_one_mode_is_refused():
    with pytest.raises(da.DalembertError, match="E307"):
        reversible("sleigh")
    with pytest.raises(da.DalembertError, match="E139"):
        reversible(GALLERY["block_on_incline"])
    ball = da.System(q, (vx**2 + vy**2) / 2 - y, walls={"floor": {"guard": y, "restitution": 0.5}})
    assert "between impacts" in str(reversible(ball))
