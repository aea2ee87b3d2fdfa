"""Runs that come to a pole of their chart go on in another one, and nothing is seen of it.

Routes beside: the equations as written (tolerances of single states leave them so), and great circles. The systems are
smaller than those whose lean form pays; but for the test that asks which does, all of them are run in it.
"""

import shutil

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics import policy
from dalembert.numerics.ensembles import ensemble as ensembles
from dalembert.numerics.ensembles.results import Ensemble
from dalembert.numerics.methods.cheaper_form import leaner
from dalembert.numerics.policy import Policy
from dalembert.numerics.sweep.store import JOURNAL
from dalembert.systems import rolling_disc
from zoo import GALLERY

ATOL = 1e-14


@pytest.fixture(autouse=True)
def in_lean_form(monkeypatch):
    monkeypatch.setattr(policy, "leaner", lambda *_: True)


def run(equations, start, **options):
    """In the speeds of lean forms."""
    return da.simulate(equations, start, atol=ATOL, **options)


def as_written(equations, start, **options):
    return da.simulate(equations, start, atol=dict.fromkeys(equations.states, ATOL), **options)


def charts(path):
    """The pivots of each leg; None for one as written."""
    return [leg.field.lean.chosen if leg.field.lean else None for leg in path.dense.legs]


def apart(first, second):
    """The largest difference of two paths, over the size of each column."""
    t = np.linspace(first.t[0], first.t[-1], 200)
    a, b = first.at(t), second.at(t)
    return max(float(np.abs(a[n] - b[n]).max() / (1 + np.abs(b[n]).max())) for n in b)


@pytest.fixture(scope="module")
def sphere():
    """A free point on a sphere, held there by its velocity: each entry of the row vanishes on a great circle."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    return da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"row": x * vx + y * vy + z * vz}))


def turning():
    """Three wheels on one axle row, one driven by the clock; velocities of different weight."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    a = sp.Symbol("a", positive=True)
    t = sp.Symbol("t", real=True)
    row = sp.cos(x) * vx + sp.sin(y + a) * vy + sp.cos(z + t) * vz - a / 5
    return da.System(q, (vx**2 + 2 * vy**2 + 3 * vz**2) / 2 - sp.sin(x) - y / 3, {"row": row}, parameters={"a": 1.0})


def veselova():
    return GALLERY["veselova"]


CASES = {
    "turning": (turning, {"x": 0.1, "y": 0.0, "z": 0.0, "vx": 0.5, "vy": 0.8}, 4.0),
    "veselova": (
        veselova,
        {"R": [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]], "w1": 0.9, "w2": -0.5},
        5.0,
    ),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    build, start, until = CASES[request.param]
    return da.nonholonomic(build()), start, until


@pytest.mark.parametrize(("method", "bound", "work"), [("dop853", 1e-10, 1.4), ("taylor", 1e-12, 1.2)])
def test_a_run_through_poles_is_the_motion_as_written(case, method, bound, work):
    equations, start, until = case
    first = run(equations, start, until=until, method=method)
    second = as_written(equations, start, until=until, method=method)
    # a series goes on as written, since from chart to chart the poles keep its steps short
    others = charts(first)[1:]
    assert others == [None] if method == "taylor" else len({*charts(first)}) > 1 and None not in others
    assert first.audit.ok and first.audit.margin > 0.01
    assert apart(first, second) < bound
    # steps beyond a pole are few, and none is made there that has to be given up
    assert first.audit.evaluations < work * second.audit.evaluations


def test_a_great_circle_passes_many_poles_in_three_charts(sphere):
    r, v = np.array([0.6, 0.0, 0.8]), np.array([0.64, 0.6, -0.48])  # r . v = 0, |v| = 1 to rounding
    start = dict(zip(sphere.states[:5], (*r, *v[:2]), strict=True))
    path = run(sphere, start, until=30.0, rtol=1e-13)
    t = np.linspace(0.0, 30.0, 300)
    w = np.linalg.norm(v)
    # r(t) = r cos(w t) + v/w sin(w t)
    exact = r[:, None] * np.cos(w * t) + v[:, None] / w * np.sin(w * t)
    found = path.at(t)
    assert max(np.abs(found[name] - e).max() for name, e in zip("xyz", exact, strict=True)) < 1e-11
    assert len(path.dense.legs) > 15 and None not in charts(path)
    assert len(sphere.charts) <= 3


def test_events_work_and_samples_go_on_across_charts(case):
    equations, start, until = case
    q = equations.space.coordinates[0]
    ends = as_written(equations, start, until=until).at([0.0, until])[q.name]
    mark = da.Event("halfway", q - ends.mean(), "mark")
    t = np.linspace(0.0, until, 50)
    options = {"until": until, "samples": t, "events": [mark]}
    first, thin = run(equations, start, **options), run(equations, start, dense=False, **options)
    second = as_written(equations, start, **options)
    assert len(first.dense.legs) > 1 and len(first.marks["halfway"].t) > 0
    np.testing.assert_allclose(first.marks["halfway"].t, second.marks["halfway"].t, atol=1e-10)
    assert first.audit.work_balance < 1e-10 * max(first.audit.energy_scale, 1.0)
    assert np.array_equal(first.values, thin.values)
    assert np.array_equal(first.marks["halfway"].t, thin.marks["halfway"].t)


def test_a_run_is_the_same_whatever_was_run_before(case):
    equations, start, until = case
    path = run(equations, start, until=until)
    fresh = run(da.nonholonomic(equations.system), start, until=until)
    again = run(equations, start, until=until)
    assert charts(path) == charts(fresh) == charts(again)
    for other in (fresh, again):
        assert np.array_equal(path.values, other.values) and np.array_equal(path.t, other.t)


def test_a_wall_is_met_behind_a_pole():
    equations = da.nonholonomic(turning())
    wall = da.impacts.wall(equations.system, 2 - equations.space["x"], name="wall", restitution=0.6)
    start = CASES["turning"][1]
    first, second = (f(equations, start, until=4.0, events=[wall]) for f in (run, as_written))
    assert len(first.dense.legs) > 1 and len(first.marks["wall"].t) > 0
    np.testing.assert_allclose(first.marks["wall"].t, second.marks["wall"].t, atol=1e-9)
    assert apart(first, second) < 1e-8


def test_members_of_an_ensemble_are_single_runs_whatever_charts_they_pass(sphere):
    x = np.linspace(-1.0, 1.0, 7)
    z, vx = np.sqrt(1.1 - x**2), np.full(7, 0.3)
    states = np.column_stack([x, 0 * x, z, vx, 0.7 + 0 * x, -x * vx / z])
    whole = Ensemble(sphere, Policy(atol=ATOL), 0.0, 1.0, np.array([0.4, 1.0]), (), 0)
    found, legs = ensembles.carry_out(whole, states, {}), []
    for i, state in enumerate(states):
        path = run(sphere, dict(zip(sphere.states, state, strict=True)), until=1.0, samples=[0.4, 1.0])
        legs.append(len(path.dense.legs))
        assert np.array_equal(found.samples[i][:, :6], path.values[:, :6])
        assert found.steps[i] == path.audit.steps
    assert 1 in legs and max(legs) > 1


def test_many_states_are_put_in_the_forms_that_each_of_them_would_choose(sphere):
    rng = np.random.default_rng(5)
    x, y, z = rng.normal(size=(3, 300))
    z[:40], y[20:40], x[40:60] = 1e-3, 0.0, 0.0  # close to a pole of the first form, and on those of others
    x[7] = y[7] = z[7] = 0.0  # no form is regular here
    states = {"x": x, "y": y, "z": z, "vx": 0.0 * x, "vy": 0.0 * x, "vz": 0.0 * x, "t": 0.0}
    each = [
        sphere.charts.regular({n: float(np.broadcast_to(v, 300)[i]) for n, v in states.items()}) for i in range(300)
    ]
    together = {
        i: form if form is None else form.chosen for rows, form in sphere.charts.groups(states, 300) for i in rows
    }
    assert together == {i: form if form is None else form.chosen for i, form in enumerate(each)}
    assert len({*together.values()}) == 4 and together[7] is None


def test_a_disturbance_is_followed_into_another_chart():
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    V = 3 * x**2 * y**2 + 2 * z**4 + y * z
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2 - V, {"row": x * vx + y * vy + z * vz}))
    start = {"x": 0.6, "y": 0.0, "z": 0.8, "vx": 0.9, "vy": 0.7}
    options = {"until": 150.0, "rtol": 1e-9, "atol": 1e-9}
    each = dict.fromkeys(equations.states, 1e-9)
    paths = [da.simulate(equations, start, **options | more) for more in ({}, {"dense": False}, {"atol": each})]
    assert len(paths[0].dense.legs) > 20 and paths[2].dense.field.lean is None
    doubts = [[note for note in path.audit.notes if "W408" in note] for path in paths]
    since = [float(found[0].split("t = ")[1].split(" ")[0]) for found in doubts]
    assert max(since) < 1.5 * min(since)


def test_a_place_where_all_charts_have_poles_is_told_as_such():
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    row = x * vx + y * vy + (x + 2 * y) * vz
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"row": row}))
    start = {"x": 1.0, "y": 0.4, "z": 0.0, "vx": -1.0, "vy": -0.4}  # straight to where the row is 0
    ends = [f(equations, start, until=3.0) for f in (run, as_written)]
    assert ends[0].ending.code == ends[1].ending.code
    assert ends[0].t[-1] == pytest.approx(ends[1].t[-1], abs=1e-6)


def test_a_sweep_through_poles_goes_on_to_the_same_bits(tmp_path):
    given = {
        "starts": {"x": np.linspace(0.0, 0.3, 12), "y": 0.0, "z": 0.0, "vx": 0.5, "vy": 0.8},
        "until": 4.0,
        "rtol": 1e-9,
        "batch": 3,
    }

    def carry_out(name):
        return da.sweep(da.nonholonomic(turning()), store=tmp_path / name, jobs=1, keep=["x", "energy"], **given)

    whole = carry_out("whole").attrs["checksum"]
    shutil.copytree(tmp_path / "whole", tmp_path / "cut")
    journal = tmp_path / "cut" / JOURNAL
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[2:3]))  # the third batch alone is left
    assert carry_out("cut").attrs["checksum"] == whole


@pytest.mark.parametrize(("name", "pays"), [("turning", False), ("sphere", False), ("veselova", False), ("disc", True)])
def test_the_lean_form_is_taken_where_a_step_in_it_is_as_short_as_one_as_written(sphere, name, pays):
    cases = {"disc": rolling_disc.system, **{each: case[0] for each, case in CASES.items()}}
    equations = sphere if name == "sphere" else da.nonholonomic(cases[name]())
    assert leaner(equations, equations.lean) == pays
