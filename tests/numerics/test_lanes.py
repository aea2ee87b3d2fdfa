"""What happens in a lane is its own affair: the same bits whatever runs before it, beside it and after it."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.ensembles import ensemble as ensembles
from dalembert.numerics.ensembles import members_in_lanes
from dalembert.numerics.ensembles.results import OTHER, Ensemble, Results
from dalembert.numerics.methods.stepper import BLOWUP, MAX_STEPS, NONFINITE, STEP_TOO_SMALL
from dalembert.numerics.policy import Policy
from dalembert.trajectory.audit import REACHED, STOPPED
from zoo import GALLERY

T = sp.Symbol("t", real=True)
TIMES = np.array([0.0, 0.3, 1.7, 1.9, 4.0])
BADLY = {BLOWUP, MAX_STEPS, NONFINITE, STEP_TOO_SMALL}


@pytest.fixture(scope="module")
def equations():
    """A particle whose fate is in its parameters: it swings, blows up, meets what is no number, or needs many steps.

    x'' = -k x + b x^2 + c (sqrt(x + 3) - 1) + sin(w t), y beside it on an edge that turns with x.
    """
    q = da.coordinates("x y")
    x, y, vx, vy = q
    k, b, c, w = sp.symbols("k b c w", real=True)
    forces = {vx: b * x**2 + c * (sp.sqrt(x + 3) - 1) + sp.sin(w * T), vy: -vy / 10}
    system = da.System(
        q,
        (vx**2 + vy**2) / 2 - k * x**2 / 2,
        {"edge": vy * sp.cos(y) - vx * sp.sin(y) / 3},
        forces=forces,
        parameters={"k": 1.0, "b": 0.0, "c": 0.0, "w": 2.0},
    )
    return da.nonholonomic(system)


FATES = {
    "swings": ({}, {}),
    "blows up": ({"b": 9.0}, {"x": 9.0, "vx": 9.0}),
    "no number": ({"c": 1.0}, {"x": -2.9, "vx": -3.0}),
    "NaN": ({}, {"x": np.nan}),
    "infinite": ({}, {"vx": np.inf}),
    "many steps": ({"w": 3e4}, {}),
    "at once": ({}, {"x": 1.2, "vx": 40.0}),
    "huge": ({"k": 1e290}, {"x": 1e9}),
    "still": ({"w": 0.0}, {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}),
}


def population(equations, fates, seed=3):
    """One member of each fate in the list, every one different: states and parameters."""
    rng, names = np.random.default_rng(seed), equations.states
    rows, own = [], []
    for fate in fates:
        changed, place = FATES[fate]
        start = {"x": rng.uniform(0.2, 1), "y": rng.uniform(-1, 1), "vx": rng.uniform(-1, 1), **place}
        start = {"vy": start["vx"] * np.tan(start["y"]) / 3, **start}
        rows.append([start[name] for name in names])
        own.append({"k": rng.uniform(0.5, 1.5), "b": 0.0, "c": 0.0, "w": 2.0, **changed})
    return np.array(rows), {name: np.array([p[name] for p in own]) for name in own[0]}


def events(equations):
    x, _y = equations.space.coordinates
    return (
        da.Event("quarter", x - 0.25),
        da.Event("far", x - 1.3, "stop", 1),
        da.Event("clock", sp.sin(3 * T)),
    )


def run(equations, states, parameters, watched=True, times=TIMES, until=4.0, t0=0.0):
    """Everything found for members in lanes, left ones too, as arrays of one row for each."""
    watched = events(equations) if watched is True else watched
    whole = Ensemble(equations, Policy(rtol=1e-8, max_steps=400), t0, until, times, tuple(watched), 3)
    count = len(states)
    results = Results.nothing(whole, count)
    left = np.zeros(count)
    left[members_in_lanes.carry_out(whole, states, parameters, results)] = 1.0
    parts = [results.t, results.y, results.status, results.code, results.steps, results.rejected, results.margin, left]
    parts += [] if results.samples is None else [results.samples]
    parts += [part for marks in results.marks.values() for part in marks]
    return np.column_stack([np.asarray(part, float).reshape(count, -1) for part in parts])


def same(a, b):
    np.testing.assert_array_equal(np.ascontiguousarray(a).view(np.uint64), np.ascontiguousarray(b).view(np.uint64))


def chosen(parameters, rows):
    return {name: column[rows] for name, column in parameters.items()}


MIXTURE = [*FATES] * 3 + ["swings"] * 10


@pytest.fixture(scope="module")
def mixture(equations):
    return population(equations, MIXTURE)


@pytest.fixture(scope="module")
def together(equations, mixture):
    return run(equations, *mixture)


def test_the_members_have_the_fates_they_are_named_for(equations, mixture):
    whole = Ensemble(equations, Policy(rtol=1e-8, max_steps=400), 0.0, 4.0, TIMES, events(equations), 3)
    states, parameters = mixture
    known = np.flatnonzero(~np.isinf(states).any(axis=1))
    fates = [MIXTURE[i] for i in known]
    got = ensembles.carry_out(whole, states[known], chosen(parameters, known))
    ends = {fate: {int(s) for f, s in zip(fates, got.status, strict=True) if f == fate} for fate in FATES}
    assert ends["still"] == {REACHED}
    assert ends["at once"] == {STOPPED}
    assert ends["many steps"] == {MAX_STEPS}
    assert ends["NaN"] <= {*BADLY, OTHER}
    assert ends["no number"] <= {*BADLY, STOPPED}
    assert {REACHED, STOPPED, MAX_STEPS} < {int(s) for s in got.status}
    assert BADLY & {int(s) for s in got.status} > {MAX_STEPS}


def test_any_order(equations, mixture, together):
    states, parameters = mixture
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(len(states))
        same(run(equations, states[order], chosen(parameters, order)), together[order])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 16, 31])
def test_any_size_of_batch(equations, mixture, together, size):
    states, parameters = mixture
    parts = [np.arange(i, min(i + size, len(states))) for i in range(0, len(states), size)]
    got = [run(equations, states[rows], chosen(parameters, rows)) for rows in parts]
    same(np.vstack(got), together)


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("watched", [True, ()])
def test_any_neighbours(equations, fate, watched):
    # without events the dense output is made only where a lane wants samples
    states, parameters = population(equations, ["swings"] * 5)
    others, theirs = population(equations, [fate] * 11, seed=9)
    times = None if watched == () else TIMES
    alone = run(equations, states, parameters, watched, times)
    mixed = np.vstack([others[:6], states[:2], others[6:], states[2:]])
    own = {
        name: np.r_[theirs[name][:6], parameters[name][:2], theirs[name][6:], parameters[name][2:]]
        for name in parameters
    }
    rows = [6, 7, 13, 14, 15]
    same(run(equations, mixed, own, watched, times)[rows], alone)


def test_neighbours_that_want_samples_at_other_steps(equations):
    # a member whose steps hold no sample is not touched by the dense output of one whose steps do
    states, parameters = population(equations, ["swings"] * 8)
    parameters["w"] = np.array([2.0, 0.3, 0.9, 1.1, 3.0, 5.0, 7.0, 0.1])
    times = np.linspace(0.0, 20.0, 41)
    whole = run(equations, states, parameters, (), times, until=20.0)
    for k in range(8):
        same(run(equations, states[k : k + 1], chosen(parameters, [k]), (), times, until=20.0), whole[k : k + 1])


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_each_width_for_itself(equations, mixture, width, monkeypatch):
    monkeypatch.setattr(members_in_lanes, "_width", lambda equations, lean: width)
    states, parameters = mixture
    whole = run(equations, states, parameters)
    order = np.random.default_rng(1).permutation(len(states))[:13]
    same(run(equations, states[order], chosen(parameters, order)), whole[order])


@pytest.fixture(scope="module")
def thinning():
    """A system that loses its rank at x = 0, while its motion is smooth where y rests; parameters as above."""
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    k, b, c, w = sp.symbols("k b c w", real=True)
    forces = {vx: b * x**2 + c * (sp.sqrt(x + 3) - 1) + sp.sin(w * T) - vy**2 / 2, vy: -vy / 10}
    parameters = {"k": 1.0, "b": 0.0, "c": 0.0, "w": 2.0}
    return da.free(da.System(q, (vx**2 + x * vy**2) / 2 - k * x**2 / 2, forces=forces, parameters=parameters))


@pytest.mark.parametrize("name", ["equations", "thinning"])
@pytest.mark.parametrize(("times", "watched"), [(None, ()), (TIMES, ()), (None, True), (TIMES, True)])
def test_rounds_are_steps_one_by_one(name, times, watched, mixture, monkeypatch, request):
    equations, code = request.getfixturevalue(name), members_in_lanes.LaneProgram.code.func
    states, parameters = mixture[0].copy(), {**mixture[1], "k": mixture[1]["k"].copy()}
    states[-3:], parameters["k"][-3:] = [1e149, 0.0, 1e149, 0.0], -4.0  # these grow beyond all bounds, by good steps
    if name == "thinning":
        states[:, [1, 3]] = 0.0
    in_a_row = run(equations, states, parameters, watched, times)
    assert {0, MAX_STEPS if watched else BLOWUP, MAX_STEPS} <= set(in_a_row[:, 6])  # far away an event stops them
    monkeypatch.setattr(members_in_lanes.LaneProgram, "code", property(lambda self: code(self)._replace(rounds=0)))
    same(run(equations, states, parameters, watched, times), in_a_row)


def test_what_an_ensemble_watches_is_written_once(equations, monkeypatch):
    written, watching = [], members_in_lanes.watching
    monkeypatch.setattr(members_in_lanes, "watching", lambda *given: [written.append(1), watching(*given)][1])
    whole = Ensemble(equations, Policy(rtol=1e-8), 0.0, 1.0, None, events(equations), 3)
    states, parameters = population(equations, ["swings"] * 9)
    counts = []
    for _ in range(2):
        members_in_lanes.carry_out(whole, states, parameters, Results.nothing(whole, 9))
        counts.append(len(written))
    assert counts[0] == counts[1] > 0


def test_many_members_through_few_lanes(equations):
    # 300 members of two kinds: lanes are refilled at different times, and every one is done once
    fates = [("swings", "at once", "many steps")[i % 3] for i in range(300)]
    states, parameters = population(equations, fates)
    whole = run(equations, states, parameters)
    rows = np.r_[0:9, 150:159, 291:300]
    same(run(equations, states[rows], chosen(parameters, rows)), whole[rows])
    assert np.isfinite(whole[:, 0]).all()


def test_again_and_again(equations, mixture, together):
    for _ in range(3):
        same(run(equations, *mixture), together)


def test_other_times_of_start(equations):
    # nothing depends on the time but the force: without it a later start is the same motion
    states, parameters = population(equations, ["swings"] * 9)
    parameters["w"] = np.zeros(9)
    early = run(equations, states, parameters, (), None, until=2.0)
    late = run(equations, states, parameters, (), None, until=34.0, t0=32.0)
    np.testing.assert_allclose(early[:, 1:6], late[:, 1:6], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "name", ["rolling_disc", "chaplygin_ball", "snakeboard", "routh_sphere", "double_pendulum_cartesian", "heisenberg"]
)
def test_a_member_has_the_bits_of_its_single_run(name):
    equations = GALLERY.equations(name)
    start = equations.start(**GALLERY.module(name).START)
    parameter, value = next(iter(start.parameters.items()))
    changed = {"starts": start, "parameters": {parameter: [value] * 3}, "until": 1.0}
    ends, samples = da.sweep(equations, **changed), da.sweep(equations, **changed, times=[0.37, 1.0])
    path = da.simulate(equations, start, until=1.0)
    inside = [path.at(t) for t in (0.37, 1.0)]
    for column, last in zip(equations.states, path.y[:, -1], strict=True):
        same(np.ravel(ends[column])[-1:], np.array([last]))
        same(np.ravel(samples[column][-1]), np.array([there[column] for there in inside]))
