"""The walls that a system declares are met by every motion of it, under every principle and form."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.apps import runs
from dalembert.numerics.sensitivities.sensitivities import sensitivities
from dalembert.numerics.two_point import two_point
from dalembert.study import read_source

PLANE = da.plane("x y")
X, Y, VX, VY = PLANE
FALL = {"x": 0, "y": 1, "vx": 1, "vy": 0}
FORMS = ["maggi", "hamel", "gauss", "gibbs_appell", "almost_poisson", "symplectic"]


def ball(**more):
    return da.System(PLANE, (VX**2 + VY**2) / 2 - 9 * Y, walls={"floor": {"guard": Y, "restitution": 0.5}, **more})


def sliding():
    """The same on a blade along x, so that there is a constraint to keep."""
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    rail = {"rail": vz - x * vx}
    return da.System(q, (vx**2 + vy**2 + vz**2) / 2 - 9 * y, rail, walls={"floor": y})


def lowest(path):
    return path.at(np.linspace(path.t[0], path.t[-1], 2001))["y"].min()


def test_a_run_meets_them_as_if_they_were_listed():
    system = ball()
    equations = da.free(system)
    alone = da.simulate(equations, FALL, until=2)
    listed = da.simulate(equations, FALL, until=2, events=da.impacts.walls(system))
    np.testing.assert_array_equal(alone.values, listed.values)
    # y = 1 - 9 t^2/2 meets 0 at sqrt(2)/3, leaves with half the speed, and lasts as long again and half as long, ...
    np.testing.assert_allclose(alone.marks["floor"].t[:3], np.sqrt(2) / 3 * np.array([1, 2, 2.5]), rtol=1e-12)
    assert lowest(alone) > -1e-9


def test_a_run_that_is_asked_not_to_falls_through():
    path = da.simulate(da.free(ball()), FALL, until=2, walls=False)
    assert path.at(2.0)["y"] == pytest.approx(1 - 9 * 2)
    assert "floor" not in path.marks


def test_an_event_of_a_wall_s_name_replaces_it():
    system = ball(side=2 - X)
    path = da.simulate(da.free(system), FALL, until=9, events=[da.Event("floor", Y, "stop", direction=-1)])
    assert path.t[-1] == pytest.approx(np.sqrt(2) / 3)
    assert path.ending.event == "floor"
    through = da.simulate(da.free(system), FALL, until=2.5, events=[da.Event("floor", Y)])
    assert len(through.marks["floor"].t) == len(through.marks["side"].t) == 1


@pytest.mark.parametrize("form", FORMS)
def test_every_form_meets_them(form):
    system, start = sliding(), {"x": 0.3, "y": 1, "z": 0, "vx": 1, "vy": 0}
    one = da.simulate(da.nonholonomic(system), start, until=1.5)
    two = da.simulate(getattr(da.forms, form)(system), start, until=1.5)
    assert len(one.marks["floor"].t) == 2
    assert lowest(one) > -1e-9
    np.testing.assert_allclose(two.at(1.5)["y"], one.at(1.5)["y"], atol=1e-9)


def test_without_the_constraints_they_are_still_met():
    start = {"x": 0.3, "y": 1, "z": 0, "vx": 1, "vy": 0, "vz": 2}
    path = da.simulate(da.free(sliding()), start, until=1.5)
    assert len(path.marks["floor"].t) == 2
    assert lowest(path) > -1e-9
    assert path.at(1.5)["z"] == pytest.approx(3.0)


def test_multipliers_that_do_not_follow_are_refused_unless_no_wall_is_met():
    equations = da.vakonomic(sliding())
    start = equations.start(x=0.3, y=1, z=0, vx=1, vy=0, lam_rail=0)
    with pytest.raises(
        da.DalembertError, match=r"(?s)E131 the vakonomic multipliers after the impact at floor.*walls=False"
    ):
        da.simulate(equations, start, until=1.5)
    assert da.simulate(equations, start, until=1.5, walls=False).at(1.5)["y"] < -5
    with pytest.raises(da.DalembertError, match="E131 the vakonomic multipliers"):
        da.compare(sliding(), [da.nonholonomic, da.vakonomic], start=start, until=1)


def test_a_comparison_meets_them():
    compared = da.compare(ball(), [da.nonholonomic, da.free], start=FALL, until=1.3)
    assert compared.agree
    assert all(lowest(path) > -1e-9 for path in compared.paths)
    through = da.compare(ball(), [da.nonholonomic, da.free], start=FALL, until=1.3, walls=False)
    assert all(lowest(path) < -5 for path in through.paths)


def test_a_sweep_meets_them_as_a_run_does():
    equations = da.free(ball())
    found = da.sweep(equations, starts={**FALL, "vx": [1.0, 2.0, 3.0]}, until=1.3)
    for i, vx in enumerate((1.0, 2.0, 3.0)):
        path = da.simulate(equations, {**FALL, "vx": vx}, until=1.3)
        assert float(found["y"][i]) == pytest.approx(path.at(1.3)["y"], abs=1e-12)
    through = da.sweep(equations, starts={**FALL, "vx": [1.0, 2.0]}, until=1.3, walls=False)
    np.testing.assert_allclose(through["y"], 1 - 4.5 * 1.3**2)


def test_a_fit_sees_the_bounces():
    g = sp.Symbol("g", real=True)
    system = da.System(
        PLANE, (VX**2 + VY**2) / 2 - g * Y, walls={"floor": {"guard": Y, "restitution": 0.5}}, parameters={"g": 9.0}
    )
    equations = da.free(system)
    times = np.linspace(0, 1.2, 40)
    seen = da.simulate(equations, FALL, until=1.2, samples=times)
    record = da.recorded({"t": times, "y": seen["y"]}, uncertainty={"y": 1e-3})
    found = da.fit(equations, record, start=FALL, free=["g"], parameters={"g": 8.8})
    assert found["g"] == pytest.approx(9.0, abs=1e-5)


def test_derivatives_go_across_a_bounce():
    equations = da.free(ball())
    start = equations.start(**FALL)
    assert sensitivities(equations, start, until=0.4).values.shape[0] > 1
    across, through = (sensitivities(equations, start, until=0.6, samples=[0.6], walls=w) for w in (True, False))
    # e sqrt(2 g y) - g (t - sqrt(2 y/g)) by y
    assert across["vy", "y"][0] == pytest.approx((1 + 0.5) * (9 / 2) ** 0.5, rel=1e-9)
    assert through["vy", "y"][0] == 0


def test_ends_are_joined_through_walls_or_without_them():
    equations = da.free(ball())
    ends = {"start": {"x": 0, "y": 1}, "end": {"x": 1, "y": 1}, "duration": 2, "starts": 3, "check": False}
    (found,) = two_point(equations, walls=False, **ends)
    assert found.start["vy"] == pytest.approx(9.0)
    through = two_point(equations, guesses=[{"vy": -7.0}], **ends)
    assert any(len(each.path.marks["floor"].t) for each in through)
    assert all(each.residual < 1e-9 for each in through)


FILE = """
schema = 1

[space]
coordinates = "x y"

[lagrangian]
L = "dot(x)^2/2 + dot(y)^2/2 - 9*y"

[[wall]]
name = "floor"
guard = "y"
restitution = 0.5

[[run]]
principle = "free"
until = 1.3
[run.start]
x = 0
y = 1
"dot(x)" = 1
"dot(y)" = 0

[[compare]]
principles = ["free", "nonholonomic"]
until = 1.3
start = { x = 0, y = 1, "dot(x)" = 1, "dot(y)" = 0 }

[[sweep]]
principle = "free"
until = 1.3
start = { x = 0, y = 1, "dot(x)" = [1, 2], "dot(y)" = 0 }
"""


@pytest.mark.parametrize("met", [True, False])
def test_in_a_file_they_are_met_by_runs_comparisons_and_sweeps_alike(met):
    study = read_source(FILE if met else FILE.replace("until = 1.3", "until = 1.3\nwalls = false"))
    path = runs.run(study, study.runs[0])
    compared = runs.compare(study, study.compares[0])
    swept = runs.sweep(study, study.sweeps[0])
    ends = [path.at(1.3)["y"], *(p.at(1.3)["y"] for p in compared.paths), *swept["y"].values.tolist()]
    np.testing.assert_allclose(ends, ends[0], atol=1e-11)
    assert (ends[0] > 0) == met


@pytest.mark.parametrize("radius", [1e-9, 1e-6, 1.0])
def test_a_thin_post_is_a_wall(radius):
    # the gradient is 2 radius on it, however small it is beside that elsewhere
    q = da.coordinates("x y")
    x, y, vx, vy = q
    post = (x - 5) ** 2 + y**2 - sp.Float(radius) ** 2
    assert da.System(q, (vx**2 + vy**2) / 2, walls={"post": {"guard": post, "restitution": 1}}).walls
    with pytest.raises(da.DalembertError, match="E131"):
        da.System(q, (vx**2 + vy**2) / 2, walls={"none": {"guard": (x - y) ** 2, "restitution": 1}})
