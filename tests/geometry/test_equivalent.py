"""A system may carry an equivalent set of constraints that keeps its rank: it is checked, used, and said."""

import re
import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertWarning

space = da.coordinates("x y z theta")
x, y, z, theta, vx, vy, vz, vtheta = space
a, g = sp.symbols("a g", positive=True)
BLADE, CONE = vx * sp.sin(theta) - vy * sp.cos(theta), vx**2 + vy**2 - a**2 * vz**2
ROLL = vx * sp.cos(theta) + vy * sp.sin(theta) + a * vz


def appell(**options):
    L = (vx**2 + vy**2 + vz**2 + vtheta**2) / 2 - g * z
    given = {"constraints": {"blade": BLADE, "cone": CONE}, "parameters": {"a": 0.8, "g": 1.3}} | options
    return da.System(space, L, **given)


REST = {"x": 0, "y": 0, "z": 0, "theta": 0.3, "vx": 0, "vy": 0, "vz": 0, "vtheta": 0.5}


def test_rank_lost_is_refused_and_the_equivalent_set_moves():
    with pytest.raises(da.DalembertError, match="E121") as caught:
        da.nonholonomic(appell()).start(**REST)
    assert "equivalent" in str(caught.value)
    equations = da.nonholonomic(appell(equivalent={"blade": BLADE, "roll": ROLL}))
    assert [c.name for c in equations.constraints] == ["blade", "roll"]
    assert "N144" in [n.code for n in equations.notes]
    assert "N143" not in [n.code for n in equations.notes]
    path = da.simulate(equations, equations.start(**REST), until=2.0)
    assert path.ok
    # along the track: (1 + 1/a^2) A = g/a, from rest
    speed = np.hypot(path["vx"], path["vy"])
    A = g / a / (1 + 1 / a**2)
    assert np.allclose(speed, float(A.subs({a: 0.8, g: 1.3})) * path.t, atol=1e-9)


def test_both_sets_move_alike_where_both_have_their_rank():
    given, other = da.nonholonomic(appell()), da.nonholonomic(appell(equivalent={"blade": BLADE, "roll": ROLL}))
    state = {"x": 0.1, "y": 0.2, "z": 0, "theta": 0.3, "vtheta": 0.5, "vz": -1.0}
    full = {**state, "vx": 0.8 * np.cos(0.3), "vy": 0.8 * np.sin(0.3)}
    one, two = given.evaluate(full)["accelerations"], other.evaluate(full)["accelerations"]
    assert all(abs(one[k] - two[k]) < 1e-12 for k in one)


@pytest.mark.parametrize(
    ("equivalent", "why"),
    [
        ({"roll": ROLL}, "does not follow"),
        ({"blade": BLADE, "roll": ROLL - a}, "does not follow"),
        ({"blade": BLADE, "roll": ROLL, "spin": vtheta}, "allows fewer|elsewhere"),
    ],
)
def test_what_is_not_equivalent_is_refused(equivalent, why):
    with pytest.raises(da.DalembertError, match="E143") as caught:
        da.nonholonomic(appell(equivalent=equivalent))
    assert re.search(why, str(caught.value))


def test_the_examination_tells_both():
    text = str(da.examine(appell(equivalent={"blade": BLADE, "roll": ROLL})))
    assert "rank 1 where vx = 0, vy = 0" in text
    assert "equivalent set in use: blade, roll" in text


def test_a_change_keeps_the_equivalent_set():
    system = appell(equivalent={"blade": BLADE, "roll": ROLL})
    assert [c.name for c in system.changed(title="x").equivalent] == ["blade", "roll"]
    assert system.changed(equivalent=None).equivalent == ()


def test_where_the_rows_kept_depend_on_each_other_and_others_do_not():
    # three multiples of one row; whichever is kept vanishes on a line, where the motion is determined all the same
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    phi = vz - y * vx
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        system = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"a": y * phi, "b": x * phi, "c": (x + 1) * phi})
        one = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": phi})
        rows, alone = da.nonholonomic(system), da.nonholonomic(one)
        for x0, y0 in ((0.5, 0.0), (0.0, 0.3), (-1.0, 0.3)):
            given = {"x": x0, "y": y0, "z": 0, "vx": 0.2, "vy": -0.3}
            expected = alone.evaluate(given)
            assert rows.evaluate(given)["accelerations"] == pytest.approx(expected["accelerations"], abs=1e-14)
            assert rows.evaluate(given)["reactions"] == pytest.approx(expected["reactions"], abs=1e-14)
        start = {"x": 0.5, "y": 0.3, "z": 0, "vx": 0.2, "vy": -0.3}
        path = da.simulate(rows, start, until=2.0)
        same = da.simulate(alone, start, until=2.0)
    assert path.ok
    assert path.at(2.0)["z"] == pytest.approx(same.at(2.0)["z"], abs=1e-11)
