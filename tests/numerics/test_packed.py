"""A member of an ensemble in SIMD lanes moves as it does alone through `simulate`."""

import importlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.numerics.ensembles import ensemble as ensembles
from dalembert.numerics.ensembles import explicit_lanes, members_in_lanes
from dalembert.numerics.ensembles.results import Ensemble, Results
from dalembert.numerics.methods.stepper import BLOWUP, MAX_STEPS, NONFINITE, STEP_TOO_SMALL
from dalembert.numerics.policy import Policy
from dalembert.numerics.vector_field import compiled_kernel
from dalembert.principles.principle_table import named
from dalembert.trajectory.audit import STOPPED
from zoo import ZOO

T = sp.Symbol("t", real=True)
ROUNDINGS = 1e-11  # of a state, after some hundred steps at 1e-9: SIMD and scalar code round differently


def oscillator(force=None, parameters=(), energy=lambda x: x**2 / 2):
    """One coordinate x in a potential, and a force on it."""
    q = da.coordinates("x")
    x, vx = q
    forces = {vx: force(x, vx)} if force else None
    return da.nonholonomic(da.System(q, vx**2 / 2 - energy(x), forces=forces, parameters=dict(parameters)))


def drawn(equations, count, seed=0, t=0.0, spread=0.05):
    """Consistent random starts, each with parameters of its own: arrays."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(20 * count):
        lam = {s.name: float(rng.normal()) for s in equations.states_of_multipliers}
        own = {k: float(v) * (1 + spread * rng.uniform(-1, 1)) for k, v in equations.system.parameters.items()}
        state = equations.space.sample(rng)
        try:
            found.append(equations.start(t=t, project="kinetic", parameters=own, **state, **lam))
        except DalembertError:
            continue
        if len(found) == count:
            return arrays(found)
    raise AssertionError(f"only {len(found)} starts")


def given(equations, *values, t=0.0):
    """Starts by name: arrays."""
    return arrays([equations.start(t=t, **v) for v in values])


def arrays(starts):
    return np.array([s.vector for s in starts]), {
        k: np.array([s.parameters[k] for s in starts]) for k in starts[0].parameters
    }


class Both:
    """Members in lanes, and each through `simulate`; `left` are those that the lanes leave to `simulate`."""

    def __init__(self, equations, states, parameters, until, *, t0=0.0, times=None, events=(), marks=6, **options):
        times = None if times is None else np.asarray(times, float)
        policy = Policy.of({"rtol": 1e-9, **options})
        whole = Ensemble(equations, policy, t0, until, times, tuple(events), marks)
        count = len(states)
        self.lanes, self.alone = (Results.nothing(whole, count) for _ in range(2))
        self.left = members_in_lanes.carry_out(whole, states, parameters, self.lanes).tolist()
        for i in range(count):
            own = {name: float(column[i]) for name, column in parameters.items()}
            ensembles._run(whole, states[i], own, i, self.alone)
        self.rows = np.setdiff1d(np.arange(count), self.left)

    def agree(self, tolerance=ROUNDINGS):
        """All that the lanes have finished is what `simulate` finds."""
        a, b, rows = self.lanes, self.alone, self.rows
        assert a.status[rows].tolist() == b.status[rows].tolist()
        assert a.code[rows].tolist() == b.code[rows].tolist()
        well = rows[b.status[rows] <= STOPPED]
        whole = rows[b.status[rows] != STOPPED]  # `simulate` counts steps beyond an event that stops
        assert a.steps[whole].tolist() == b.steps[whole].tolist()
        assert a.rejected[whole].tolist() == b.rejected[whole].tolist()
        np.testing.assert_allclose(a.t[well], b.t[well], rtol=1e-14, atol=1e-15)
        # where a run breaks off depends on step sizes, and these on error estimates that are mostly rounding
        np.testing.assert_allclose(a.t[rows], b.t[rows], rtol=1e-7)
        size = 1 + np.abs(b.y[well]).max(axis=1, initial=0.0, keepdims=True)
        np.testing.assert_allclose(a.y[well] / size, b.y[well] / size, rtol=0, atol=tolerance)
        if b.samples is not None:
            assert np.array_equal(np.isnan(a.samples[well]), np.isnan(b.samples[well]))
            scale = size[:, None]
            np.testing.assert_allclose(a.samples[well] / scale, b.samples[well] / scale, rtol=0, atol=tolerance)
        for name, marks in b.marks.items():
            assert a.marks[name].counts[well].tolist() == marks.counts[well].tolist(), name
            np.testing.assert_allclose(a.marks[name].t[well], marks.t[well], rtol=1e-12, atol=tolerance)
        return self


GALLERY = [
    ("chaplygin_sleigh", "gibbs_appell"),
    ("penny", "voronec"),
    ("heisenberg", "vakonomic"),
    ("knife_edge_on_incline", "vakonomic"),
    ("snakeboard", "hamel"),
    ("suslov", "gauss"),
    ("ball_on_turntable", "nonholonomic"),
    ("pendulum_cartesian", "nonholonomic"),
    ("appell_hamel", "nonholonomic"),
    ("roller_racer", "almost_poisson"),
    ("veselova", "maggi"),
    ("penny", "chaplygin"),
]


def of_the_gallery(name, principle):
    return named(principle)(importlib.import_module(f"dalembert.systems.{name}").system())


@pytest.mark.parametrize(("name", "principle"), GALLERY)
def test_gallery(name, principle):
    equations = of_the_gallery(name, principle)
    space, (states, parameters) = equations.space, drawn(equations, 11)
    events = [
        da.Event("speed", space.velocities[0] - states[0, len(space.coordinates)] / 2),
        da.Event("place", space.coordinates[0] - states[0, 0] - 0.1, "mark", 1),
        da.Event("clock", sp.sin(7 * T)),
    ]
    got = Both(equations, states, parameters, 1.0, times=[0.0, 0.1, 0.35, 0.7, 1.0], events=events)
    assert len(got.rows) >= 9
    assert got.alone.marks["clock"].counts.tolist() == [2] * 11
    got.agree()


@pytest.mark.parametrize("name", ["driven", "bead", "gyroscope", "vehicle", "disc"])
def test_laws_own_systems_from_another_time(name):
    equations = ZOO.equations(name)
    states, parameters = drawn(equations, 5, t=0.7)
    got = Both(equations, states, parameters, 1.5, t0=0.7, times=[0.7, 0.71, 1.1, 1.5], events=[da.Event("e", T - 1.1)])
    assert len(got.rows)
    got.agree(1e-10)


def copies(name, count):
    """Rows that say the same: of `count` constraints one row is independent."""
    q = da.coordinates("x y theta")
    _x, _y, theta, vx, vy, omega = q
    edge = -vx * sp.sin(theta) + vy * sp.cos(theta)
    constraints = {f"edge{i}": (i + 1) * edge for i in range(count)}
    return named(name)(da.System(q, (vx**2 + vy**2 + omega**2) / 2 - theta**2, constraints))


@pytest.mark.filterwarnings("ignore:.*W113")
@pytest.mark.parametrize("principle", ["nonholonomic", "gauss", "maggi"])
def test_rows_that_depend_on_each_other(principle):
    equations = copies(principle, 3)
    got = Both(equations, *drawn(equations, 5), 2.0, times=[1.0]).agree()
    assert len(got.rows) == 5


def cartesian():
    """A definite metric whose elimination without pivots fails where x = 0."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    return da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - y, {"circle": x**2 + y**2 - 1}))


def saddle():
    """A velocity without kinetic energy, determined by a constraint: a pivot is 0."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    return da.nonholonomic(da.System(q, vx**2 / 2 - x**2 / 2 - y**2, {"slope": vy - (1 + x**2) * vx}, massless=[vy]))


def upright(equations):
    """Starts given in full."""
    return given(equations, *({"x": 0.1 * i, "y": 0.2, "vx": 0.3} for i in range(5)))


def test_pivots_that_vanish_beside_others():
    equations = cartesian()
    assert len(Both(equations, *drawn(equations, 5), 2.0, times=[0.0, 1.0]).agree().rows)


def test_pivots_that_are_not_positive():
    equations = saddle()
    got = Both(equations, *upright(equations), 2.0, times=[0.0, 1.0]).agree()
    assert len(got.rows) == 5


def test_equations_with_pivots_are_compiled_once(monkeypatch):
    equations = saddle()
    states, parameters = upright(equations)
    run(equations, states, parameters, 0.5)
    compiled = []
    real = compiled_kernel._compile
    monkeypatch.setattr(compiled_kernel, "_compile", lambda *a: (compiled.append(a), real(*a))[1])
    run(equations, states, parameters, 0.5)
    assert not compiled


def run(equations, states, parameters, until, *, t0=0.0, times=None, events=(), **options):
    """Members in lanes alone."""
    times = None if times is None else np.asarray(times, float)
    whole = Ensemble(equations, Policy.of({"rtol": 1e-9, **options}), t0, until, times, tuple(events), 6)
    results = Results.nothing(whole, len(states))
    return members_in_lanes.carry_out(whole, states, parameters, results), results


# --- failures ---------------------------------------------------------------------------------------------------------


def squared():
    """x'' = x^2 blows up in finite time from x, vx > 0."""
    return oscillator(lambda x, v: x**2, energy=lambda x: 0)


FAILURES = {
    "blow-up": (squared, [{"x": 6, "vx": 12}, {"x": 0.1, "vx": 0}, {"x": 30, "vx": 30}], 2.0, {}, BLOWUP),
    "growth": (lambda: oscillator(lambda x, v: 2 * x), [{"x": 6, "vx": 1}, {"x": 0, "vx": 0}], 700.0, {}, BLOWUP),
    "root": (
        lambda: oscillator(lambda x, v: sp.sqrt(x) - 1, energy=lambda x: 0),
        [{"x": 1, "vx": -1.0}, {"x": 3, "vx": 0}], 5.0, {}, NONFINITE,
    ),
    "collision": (
        lambda: oscillator(lambda x, v: -1 / x, energy=lambda x: 0),
        [{"x": 1, "vx": -1.0}, {"x": 3, "vx": 100}], 5.0, {}, STEP_TOO_SMALL,
    ),
    "steps": (oscillator, [{"x": 1, "vx": 0}, {"x": 2, "vx": 5}], 50.0, {"max_steps": 7}, MAX_STEPS),
    "one step": (oscillator, [{"x": 1, "vx": 0}, {"x": 2, "vx": 5}], 50.0, {"max_steps": 1}, MAX_STEPS),
}  # fmt: skip


@pytest.mark.parametrize("what", FAILURES)
def test_failures_have_the_same_status(what):
    make, starts, until, options, status = FAILURES[what]
    equations = make()
    got = Both(equations, *given(equations, *starts), until, times=np.linspace(0, until, 5), **options)
    assert got.alone.status[0] == status
    whole = ensembles.carry_out(
        Ensemble(equations, Policy.of({"rtol": 1e-9, **options}), 0.0, until), *given(equations, *starts)
    )
    assert whole.status.tolist() == got.alone.status.tolist()
    assert whole.code.tolist() == got.alone.code.tolist()
    got.agree()


def test_starts_that_are_no_numbers():
    equations = oscillator()
    states, parameters = given(equations, {"x": 1, "vx": 0}, {"x": 0, "vx": 1}, {"x": 2, "vx": 2})
    states[1] = np.nan
    got = Both(equations, states, parameters, 3.0, times=[0.0, 1.0]).agree()
    assert got.alone.status[1] > 1
    for start in (np.nan, np.inf):
        states[:] = start
        left, _ = run(
            equations, states, parameters, 3.0, events=[da.Event("zero", equations.space.coordinates[0], "stop")]
        )
        assert left.tolist() == [0, 1, 2]  # all refused at the start


def test_a_time_too_large_for_any_step_ends_at_once():
    # t + h = t: without a test for it the run would take all its ten million steps there
    equations = oscillator()
    got = Both(equations, *given(equations, {"x": 1, "vx": 0}, t=1e16), 1e16 + 10, t0=1e16)
    assert got.alone.status.tolist() == [STEP_TOO_SMALL]
    assert got.left == [0]
    assert got.lanes.steps[0] + got.alone.steps[0] < 10


def test_a_slope_beyond_all_numbers_ends_at_once():
    # |f|^2/atol^2 overflows: the first step has no size
    equations = oscillator(lambda x, v: -sp.Float("1e145") * x)
    got = Both(equations, *given(equations, {"x": 1, "vx": 0}, {"x": 0, "vx": 0}), 1.0, rtol=1e-12)
    assert got.alone.status.tolist() == [STEP_TOO_SMALL, 0]
    got.agree()


def metric(gap):
    """A kinetic energy whose determinant 1e-6 (x - 1)^2 + gap is left over from numbers of size 1."""
    q = da.coordinates("x y z")
    x, _y, _z, vx, vy, vz = q
    return da.nonholonomic(da.System(q, (vx**2 + vy**2 + 2 * vy * vz + (1 + 1e-6 * (x - 1) ** 2 + gap) * vz**2) / 2))


def test_a_rank_lost_between_two_steps_is_seen():
    equations = metric(0.0)
    states, parameters = given(equations, {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 0.3, "vz": 0})
    got = Both(equations, states, parameters, 2.0, max_step=0.01)
    assert got.alone.code.tolist() == [404]
    assert got.left == [0]


# --- events -----------------------------------------------------------------------------------------------------------


def test_pairs_of_roots_inside_one_step():
    # x = -cos(t)/cos(half) is beyond 1 for a while before and after t = pi: shorter than a step
    equations = oscillator()
    (x,) = equations.space.coordinates
    half = np.geomspace(1e-4, 0.2, 200)  # half the time between the roots
    states, parameters = given(equations, {"x": 1, "vx": 0})
    states = np.tile(states, (200, 1)) / np.cos(half)[:, None]
    whole = Ensemble(equations, Policy(rtol=1e-9), 0.0, 5.0, None, (da.Event("turn", x + 1),), 6)
    results = ensembles.carry_out(whole, states, parameters)
    assert results.steps.max() < 40
    expected = np.pi + np.stack([-half, half], axis=1)
    assert results.marks["turn"].counts.tolist() == [2] * 200
    # near a touch a root moves with the square root of the error
    np.testing.assert_allclose(results.marks["turn"].t[:, :2], expected, atol=1e-7 / half.min() ** 0.5)


EVENTS = {
    "stop and marks at one time": lambda x, v: [
        da.Event("m", sp.sin(x)), da.Event("s", x, "stop"), da.Event("m3", 7 * x), da.Event("m4", x * (1 + v**2)),
        da.Event("m5", -x / 3),
    ],
    "two stops at one time": lambda x, v: [da.Event("a", -2 * x, "stop"), da.Event("b", x, "stop")],
    "directions": lambda x, v: [da.Event("all", v), da.Event("up", v, "mark", 1), da.Event("down", v, "mark", -1)],
    "stop in one direction": lambda x, v: [da.Event("m", x), da.Event("up", x - 0.2, "stop", 1)],
    "touches": lambda x, v: [da.Event("touch", x - 3), da.Event("square", x**2), da.Event("always", x**2 + v**2 - 10)],
    "no number": lambda x, v: [da.Event("root", sp.sqrt(x - sp.Rational(3, 10)))],
    "time": lambda x, v: [da.Event("t", T - 1.5, "stop"), da.Event("often", sp.sin(50 * T))],
    "kinks": lambda x, v: [da.Event("abs", sp.Abs(x) - 0.2), da.Event("sign", sp.sign(x) + 0.5)],
    "at the end": lambda x, v: [da.Event("end", T - 12), da.Event("begin", T)],
    "many": lambda x, v: [da.Event(f"e{i}", x - 0.1 * i) for i in range(12)],
}  # fmt: skip
STARTS = [{"x": 1, "vx": -1.0}, {"x": 0, "vx": 1}, {"x": 3, "vx": 1}, {"x": 0.5, "vx": 0}, {"x": 3, "vx": 0}]


@pytest.mark.parametrize("what", EVENTS)
def test_events(what):
    equations = oscillator()
    events = EVENTS[what](*equations.space.coordinates, *equations.space.velocities)
    got = Both(equations, *given(equations, *STARTS), 12.0, times=np.linspace(0, 12, 13), events=events)
    got.agree()
    if what in ("stop and marks at one time", "directions", "time", "many"):
        assert len(got.rows) >= 3  # the lanes do it themselves


def test_samples_where_an_event_stops_and_at_both_ends():
    equations = oscillator()
    starts = given(equations, *STARTS)
    stop = [da.Event("t", T - 1.5, "stop")]
    got = Both(equations, *starts, 3.0, times=[0.0, 1.5, np.nextafter(1.5, 2), 3.0], events=stop).agree()
    assert np.isfinite(got.lanes.samples[:, :2]).all()
    assert np.isnan(got.lanes.samples[:, 2:]).all()
    for times in ([], [0.0], [3.0], [0.0, 0.0, 3.0], None):
        Both(equations, *starts, 3.0, times=times).agree()


@pytest.mark.parametrize("events", [(), (da.Event("e", T - 1),)])
def test_no_time_to_pass(events):
    equations = oscillator()
    got = Both(equations, *given(equations, *STARTS, t=1.0), 1.0, t0=1.0, times=[1.0], events=events).agree()
    np.testing.assert_array_equal(got.lanes.samples[:, 0], got.lanes.y)


# --- forces and jumps -------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*W129")
@pytest.mark.parametrize("spring", [0, 1])
def test_coulomb_friction_is_handed_over_or_right(spring):
    mu = sp.Symbol("mu", positive=True)
    equations = oscillator(lambda x, v: -mu * sp.sign(v), {"mu": 0.2}, lambda x: spring * x**2 / 2)
    Both(equations, *given(equations, {"x": 2, "vx": 0.3}, {"x": 0.1, "vx": 0.05}, {"x": 3, "vx": 1}), 8.0).agree()


def test_rest_of_a_friction_law():
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    mu = sp.Symbol("mu", positive=True)
    friction = da.forces.rolling_friction([vx, vy], mu, 1)
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2, forces=friction, parameters={"mu": 0.3}))
    starts = [
        {"x": 0, "y": 0, "vx": 1, "vy": 0.5},
        {"x": 0, "y": 0, "vx": 4, "vy": -3},
        {"x": 0, "y": 0, "vx": 9, "vy": 0},
    ]
    got = Both(equations, *given(equations, *starts), 18.0, events=[da.Event("line", x - 1)])
    assert got.alone.status.tolist()[:2] == [1, 1]
    got.agree(1e-10)


def test_forces_with_a_kink():
    equations = oscillator(energy=sp.Abs)
    Both(equations, *given(equations, *STARTS[:3]), 8.0).agree()


def test_jumps_are_handed_over():
    q = da.coordinates("x")
    x, vx = q
    system = da.System(q, vx**2 / 2 - x)
    equations = da.nonholonomic(system)
    starts = given(equations, {"x": 2, "vx": 0.3}, {"x": 1e-3, "vx": 0.05}, {"x": 30, "vx": -1})
    got = Both(equations, *starts, 4.0, events=[da.impacts.wall(system, x)], times=[0.0, 2.0, 4.0]).agree()
    assert got.left == [0, 1]


# --- everything at once -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_every_width(width, monkeypatch):
    monkeypatch.setattr(members_in_lanes, "_width", lambda equations, lean: width)
    x = sp.Symbol("x", real=True)
    for equations in (of_the_gallery("chaplygin_sleigh", "nonholonomic"), of_the_gallery("heisenberg", "vakonomic")):
        Both(equations, *drawn(equations, 11), 2.0, times=[0.5, 2.0], events=[da.Event("e", x - 0.1)]).agree()


def test_threads():
    equations = of_the_gallery("suslov", "gauss")
    states, parameters = drawn(equations, 9)
    fresh = [of_the_gallery("suslov", "gauss") for _ in range(2)] + [equations] * 4
    with ThreadPoolExecutor(6) as pool:
        both = list(pool.map(lambda e: run(e, states, parameters, 1.0, times=[0.5, 1.0]), fresh))
    for left, results in both:
        assert not len(left)
        np.testing.assert_array_equal(results.y, both[0][1].y)
        np.testing.assert_array_equal(results.samples, both[0][1].samples)


def test_arrays_of_any_layout_are_taken_and_compiled_for_once():
    equations = oscillator()
    states, parameters = given(equations, *STARTS)
    times = np.linspace(0.0, 3.0, 7)
    _, expected = run(equations, states, parameters, 3.0, times=times[::2])
    before = len(explicit_lanes.run_all.signatures)
    frozen = np.array(times[::2])
    frozen.setflags(write=False)
    for mine, at in ((np.asfortranarray(states), times[::2]), (np.repeat(states, 2, axis=1)[:, ::2], frozen)):
        whole = Ensemble(equations, Policy(rtol=1e-9, max_step=5), 0, 3, at, (), 2)
        results = Results.nothing(whole, len(states))
        members_in_lanes.carry_out(whole, mine, parameters, results)
        np.testing.assert_array_equal(results.samples, expected.samples)
    assert len(explicit_lanes.run_all.signatures) == before


def test_no_members():
    equations = oscillator()
    states, _ = given(equations, *STARTS)
    left, results = run(equations, states[:0], {}, 3.0, times=[1.0], events=[da.Event("e", T - 1)])
    assert len(left) == 0
    assert results.y.shape == (0, 3)


def test_the_code_of_equations_does_not_tell_what_was_asked_before():
    def text(curious):
        system = importlib.import_module("dalembert.systems.rolling_disc").system()
        equations = da.nonholonomic(system)
        if curious:
            equations.operations(), da.vakonomic(system).machine, da.forms.gauss(system).operations()
        plan = compiled_kernel.KernelPlan.of(equations.apart(), da.methods.Projection())
        return [function.text(name, plan.inputs) for name, function in plan.functions.items()]

    assert text(curious=True) == text(curious=False)
