"""Where branches of the constraints cross: the motion goes on along its own, or along one that is asked for."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.run import constraint_branches

G = 9.81


@pytest.fixture(scope="module")
def parallelogram():
    """Cranks of 1 m on a base of 2 m, without gravity; at speed 1 it is flat at pi/2 and every pi after."""
    q = da.coordinates("x1 y1 x2 y2")
    coupler = "dot(x1)^2 + dot(x1)*dot(x2) + dot(x2)^2 + dot(y1)^2 + dot(y1)*dot(y2) + dot(y2)^2"
    lagrangian = f"(dot(x1)^2 + dot(y1)^2 + dot(x2)^2 + dot(y2)^2)/6 + 2*({coupler})/6"
    crank = {"crank": "(x1^2 + y1^2 - 1)/2", "rocker": "((x2 - 2)^2 + y2^2 - 1)/2"}
    return da.nonholonomic(da.System(q, lagrangian, {**crank, "coupler": "((x2 - x1)^2 + (y2 - y1)^2 - 4)/2"}))


BEGIN = {"x1": 0, "y1": 1, "x2": 2, "y2": 1, "vx1": 1, "vy1": 0, "vx2": 1, "vy2": 0}


def halves(path, t):
    """The tangents of half the angles of crank and rocker from the base, whose ratio a crossed parallelogram keeps."""
    at = path.at(t)
    return np.tan(np.arctan2(at["y1"], at["x1"]) / 2), np.tan(np.arctan2(at["y2"], at["x2"] - 2) / 2)


def test_a_parallelogram_stays_one(parallelogram):
    path = da.simulate(parallelogram, BEGIN, until=6)
    assert path.ok
    np.testing.assert_allclose([b.t for b in path.branches], [np.pi / 2, 3 * np.pi / 2], atol=1e-9)
    times = np.linspace(0, 6, 301)
    at = path.at(np.r_[times, [b.t for b in path.branches]])
    np.testing.assert_allclose(at["y1"], np.cos(np.r_[times, np.pi / 2, 3 * np.pi / 2]), atol=1e-9)
    np.testing.assert_allclose(at["y2"], at["y1"], atol=1e-9)
    own, *others = path.branches[0].tangents
    assert own["vy1"] == pytest.approx(-1, abs=1e-9)
    assert own["vy2"] == pytest.approx(-1, abs=1e-9)
    # crossed the velocities are as the distances from the pole, 1 : -3, and the energy is that of the motion
    assert sorted(round(u["vy1"], 9) for u in others) == [round(-(3**-0.5), 9), round(3**-0.5, 9)]
    for u in others:
        assert u["vy2"] == pytest.approx(-3 * u["vy1"])
    assert any(note.startswith("N411") for note in path.audit.notes)


@pytest.mark.parametrize(
    ("options", "near"),
    [
        ({"method": "radau"}, 1e-11),
        ({"method": "taylor"}, 1e-11),
        ({"method": "discrete_gradient", "step": 0.01}, 1e-4),
        ({"stabilisation": da.methods.Baumgarte(1.0)}, 1e-8),  # off the constraints branches pass each other by
        ({"stabilisation": da.methods.Baumgarte(100.0)}, 1e-8),
        ({"stabilisation": da.methods.Drift()}, 1e-8),
        ({"max_step": 0.01}, 1e-11),
        ({"rtol": 1e-8}, 1e-6),
    ],
    ids=str,
)
def test_every_method_passes(parallelogram, options, near):
    path = da.simulate(parallelogram, BEGIN, until=6, **options)
    assert path.ok, path.audit.reasons
    assert len(path.branches) == 2
    np.testing.assert_allclose(path["y1"], np.cos(path.t), atol=near)
    np.testing.assert_allclose(path["y2"], np.cos(path.t), atol=near)


def test_the_members_of_a_sweep_pass(parallelogram):
    speeds = np.array([0.9, 1.0, 1.1])
    found = da.sweep(parallelogram, starts=[{**BEGIN, "vx1": v, "vx2": v} for v in speeds], until=6)
    np.testing.assert_allclose(found["y2"], np.cos(6 * speeds), atol=1e-9)


@pytest.mark.parametrize("branch", [1, 2])
def test_it_goes_on_crossed_where_that_is_asked_for(parallelogram, branch):
    path = da.simulate(parallelogram, BEGIN, until=4.4, branch=branch)
    assert path.ok, path.audit.reasons
    assert [b.taken for b in path.branches] == [branch]
    crank, rocker = halves(path, np.linspace(1.6, 4.0, 49))
    np.testing.assert_allclose(rocker, -3 * crank, rtol=1e-8)
    assert np.ptp(path["energy"]) < 1e-10
    chosen = path.branches[0].tangents[branch]
    after = path.at(path.branches[0].t)  # at the time of a jump a path has the state behind it
    assert after["vy1"] == pytest.approx(chosen["vy1"], abs=1e-8)


def test_a_list_chooses_place_by_place(parallelogram):
    path = da.simulate(parallelogram, BEGIN, until=6, branch=[0, 2])
    assert path.ok
    assert [b.taken for b in path.branches] == [0, 2]
    assert path.at(3.0)["y1"] == pytest.approx(path.at(3.0)["y2"])
    assert abs(path["y1"][-1] - path["y2"][-1]) > 0.1


def test_what_counts_no_branch_is_refused(parallelogram):
    for wrong in (-1, 1.5, "crossed", [0, -1], True):
        with pytest.raises(da.DalembertError, match="E323"):
            da.simulate(parallelogram, BEGIN, until=3, branch=wrong)
    with pytest.raises(da.DalembertError, match="there are 3 branches"):
        da.simulate(parallelogram, BEGIN, until=3, branch=3)


def test_events_on_the_way_over_are_met(parallelogram):
    path = da.simulate(parallelogram, BEGIN, until=6, events={"flat": "y1"})
    np.testing.assert_allclose(path.marks["flat"].t, [np.pi / 2, 3 * np.pi / 2], atol=1e-9)
    path = da.simulate(parallelogram, BEGIN, until=6, events={"flat": {"guard": "y1", "then": "stop"}})
    assert path.t[-1] == pytest.approx(np.pi / 2, abs=1e-9)


def test_they_are_stored(parallelogram, tmp_path):
    path = da.simulate(parallelogram, BEGIN, until=3)
    path.save(tmp_path / "path.npz")
    assert da.load(tmp_path / "path.npz").branches == path.branches


def test_samples_without_the_path_between(parallelogram):
    path = da.simulate(parallelogram, BEGIN, until=6, dense=False, samples=np.linspace(0, 6, 61))
    np.testing.assert_allclose(path["y2"], np.cos(path.t), atol=1e-9)
    assert len(path.branches) == 2


def test_a_pendulum_hangs_from_it(parallelogram):
    """Two freedoms: a pendulum hangs from the coupler's end; the place is one for every angle of it."""
    q = da.coordinates("x1 y1 x2 y2 b")
    coupler = "dot(x1)^2 + dot(x1)*dot(x2) + dot(x2)^2 + dot(y1)^2 + dot(y1)*dot(y2) + dot(y2)^2"
    bob = "((dot(x2) + cos(b)*dot(b))^2 + (dot(y2) + sin(b)*dot(b))^2)/2"
    lagrangian = f"(dot(x1)^2 + dot(y1)^2 + dot(x2)^2 + dot(y2)^2)/6 + 2*({coupler})/6 + {bob} + {G}*cos(b) - {G}*y2"
    rods = {"crank": "(x1^2 + y1^2 - 1)/2", "rocker": "((x2 - 2)^2 + y2^2 - 1)/2"}
    rods["coupler"] = "((x2 - x1)^2 + (y2 - y1)^2 - 4)/2"
    path = da.simulate(da.nonholonomic(da.System(q, lagrangian, rods)), {**BEGIN, "b": 0.3, "vb": 0}, until=5)
    a = da.coordinates("a b")  # the same with one angle for the cranks, from the vertical
    point = "sin(a)", "cos(a)"
    bob = "((cos(a)*dot(a) + cos(b)*dot(b))^2 + (-sin(a)*dot(a) + sin(b)*dot(b))^2)/2"
    one = da.free(da.System(a, f"(1/3 + 1)*dot(a)^2 + {bob} + {G}*cos(b) - {G}*{point[1]}"))
    right = da.simulate(one, {"a": 0, "va": 1, "b": 0.3, "vb": 0}, until=5).at(path.t)
    assert path.ok, path.audit.reasons
    assert path.branches
    assert all(len(b.tangents) == 3 for b in path.branches)
    np.testing.assert_allclose(path["b"], right["b"], atol=1e-8)
    np.testing.assert_allclose(path["y1"], np.cos(right["a"]), atol=1e-8)


def test_lines_that_move():
    """A bead on two lines that cross and move, y = t - x and y = x - t."""
    q = da.coordinates("x y")
    equations = da.nonholonomic(da.System(q, "(dot(x)^2 + dot(y)^2)/2", {"lines": "(y^2 - (x - t)^2)/2"}))
    path = da.simulate(equations, {"x": 1, "y": 1, "vx": 0.5}, until=4)
    # along y = x - t the force is across it: x + y goes on at its speed, vx + vy = 2 vx - 1 = 0
    assert path.ok, path.audit.reasons
    (crossing,) = path.branches
    np.testing.assert_allclose(path["x"] + path["y"], 2, atol=1e-9)
    assert crossing.t == pytest.approx(2)
    assert crossing.tangents[0] == pytest.approx({"vx": 0.5, "vy": -0.5})
    assert len(crossing.tangents) == 2
    assert crossing.tangents[1]["vy"] == pytest.approx(1 - crossing.tangents[1]["vx"])


@pytest.mark.parametrize("curve", ["y*(y - x^2)", "y^2 - x^3", "x*y*(x - y)"])
def test_where_the_second_order_does_not_tell_it_ends(curve):
    equations = da.nonholonomic(da.System(da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2", {"curve": curve}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = da.simulate(equations, {"x": 1, "y": 1, "vx": -1}, until=3)
    assert path.ending.code == "E404"
    assert not path.branches


@pytest.mark.parametrize("longer", [1e-4, -1e-4, 1e-7, -1e-7, 1e-10, -1e-10])
def test_branches_that_pass_each_other_by_are_not_crossed(longer):
    """A coupler that is longer or shorter by ever so little: no rank is lost, and the motion turns over."""
    q, length = da.coordinates("x1 y1 x2 y2"), 2 + longer
    coupler = "dot(x1)^2 + dot(x1)*dot(x2) + dot(x2)^2 + dot(y1)^2 + dot(y1)*dot(y2) + dot(y2)^2"
    lagrangian = f"(dot(x1)^2 + dot(y1)^2 + dot(x2)^2 + dot(y2)^2)/6 + 2*({coupler})/6"
    crank = {"crank": "(x1^2 + y1^2 - 1)/2", "rocker": "((x2 - 2)^2 + y2^2 - 1)/2"}
    rods = {**crank, "coupler": f"((x2 - x1)^2 + (y2 - y1)^2 - {length**2!r})/2"}
    equations = da.nonholonomic(da.System(q, lagrangian, rods))
    start = equations.start({"x1": 0, "y1": 1, "vx1": 1, "vy1": 0}, guess={"x2": 2, "y2": 1, "vx2": 1, "vy2": 0})
    path = da.simulate(equations, start, until=3)
    assert path.ok, path.audit.reasons
    assert not path.branches
    assert path["y1"][-1] * np.sign(longer) > 0.8  # the longer one turns the crank back, the shorter one the rocker
    assert path["y2"][-1] * np.sign(longer) < -0.8


@pytest.mark.parametrize("behind", [-1e-3, -1e-6, 1e-6, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("branch", [0, 1])
def test_a_run_may_end_on_the_way_over(parallelogram, behind, branch):
    path = da.simulate(parallelogram, BEGIN, until=np.pi / 2 + behind, branch=branch)
    assert path.ok, path.audit.reasons
    assert path.t[-1] == np.pi / 2 + behind
    assert len(path.branches) == (behind > 0)
    assert path["y1"][0] == 1
    if not branch or behind < 0:
        np.testing.assert_allclose(path["y1"], np.cos(path.t), atol=1e-9)


def test_it_is_passed_from_the_end_of_a_step_that_comes_near(parallelogram, monkeypatch):
    """Inside a step that comes to the place rates have lost their digits, and so has the path that is made of them."""

    def spoilt(run, piece, lost, context):
        F = piece.F.copy()
        F[-1, 2:] += 1e-2 * np.arange(len(F[-1, 0]))
        return through(run, replace(piece, F=F), lost, context)

    through = constraint_branches.through
    monkeypatch.setattr(constraint_branches, "through", spoilt)
    path = da.simulate(parallelogram, BEGIN, until=6, rtol=1e-6)
    np.testing.assert_allclose([b.t for b in path.branches], [np.pi / 2, 3 * np.pi / 2], atol=1e-6)
    times = np.linspace(0, 6, 1001)
    at = path.at(times)
    for y, v in (("y1", "vy1"), ("y2", "vy2")):
        np.testing.assert_allclose([at[y], at[v]], [np.cos(times), -np.sin(times)], atol=5e-6)
