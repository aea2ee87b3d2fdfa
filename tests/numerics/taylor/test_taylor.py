"""The Taylor method: truth at machine precision, its order, its ends, and the systems of the gallery."""

import functools
import importlib

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from scipy.special import ellipk

import dalembert as da
from dalembert.calculus.graph import Graph, cos, sin
from dalembert.errors import InvalidValue
from dalembert.numerics.machine import llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.methods import stepper as ends
from dalembert.numerics.methods.taylor.compiled_series import emit_path, emit_sums
from dalembert.numerics.methods.taylor.series_ir import NONE, emit_series
from dalembert.numerics.methods.taylor.stepper import TaylorStepper
from dalembert.numerics.run.run_context import filled
from dalembert.principles.principle_table import named
from dalembert.trajectory.interpolant import Interpolant

EPS = float(np.finfo(float).eps)


@functools.cache
def compiled(f, n, margin=None):
    graph = Graph()
    t, y = graph.symbol("t"), [graph.symbol(f"y{i}") for i in range(n)]
    inputs = {"t": ("t", 0), **{f"y{i}": ("y", i) for i in range(n)}}
    outputs = [graph.lift(e) for e in f(t, y)]
    least = graph.lift(margin(t, y)) if margin else graph.constant(1)
    code = emit_series("series", outputs, least, [f"y{i}" for i in range(n)], inputs, "t", NONE)
    texts = {
        "series": code.text,
        "path": emit_path(),
        "sums": emit_sums(),
        "rhs": llvm_ir.emit("rhs", [*outputs, least], inputs),
    }
    return Library.compile(texts), code.length


def stepper(f, y, *, t=0.0, margin=None, **options):
    library, length = compiled(f, len(y), margin)
    code = tuple(map(library.address, ("series", "sums", "path")))
    options = {"rtol": EPS, "atol": 1e-18, **options}
    return TaylorStepper(code, length, library.address("rhs"), t, np.array(y, float), [], **options)


def run(solver, t_end):
    """Status and path to the end."""
    t, y, F, status = [[solver.t]], [[solver.y.copy()]], [], ends.FULL
    while status == ends.FULL:
        chunk = solver.advance(t_end)
        status = chunk.status
        t.append(chunk.t), y.append(chunk.y), F.append(chunk.F)
    return status, Interpolant(np.concatenate(t), np.concatenate(y), np.diff(np.concatenate(t)), np.concatenate(F))


def oscillator(t, y):
    return [y[1], -y[0]]


def pendulum(t, y):
    return [y[1], -sin(y[0])]


def kepler(t, y):
    r3 = (y[0] * y[0] + y[1] * y[1]) ** 1.5
    return [y[2], y[3], -y[0] / r3, -y[1] / r3]


def forced(t, y):
    return [y[1], -sin(y[0]) + 0.3 * cos(2 * t)]


def ellipse(t, e):
    """Exact Kepler motion from the near apse."""
    with mp.workdps(30):
        E = mp.findroot(lambda E: E - e * mp.sin(E) - mp.mpf(t), mp.mpf(t))
        r, b = 1 - e * mp.cos(E), mp.sqrt(1 - mp.mpf(e) ** 2)
        return np.array([float(v) for v in (mp.cos(E) - e, b * mp.sin(E), -mp.sin(E) / r, b * mp.cos(E) / r)])


def swing(t, k):
    """sin(theta/2) = k sn(K - t), a pendulum let go at rest from 2 asin(k)."""
    with mp.workdps(30):
        K = mp.ellipk(mp.mpf(k) ** 2)
        return float(2 * mp.asin(k * mp.ellipfun("sn", K - mp.mpf(t), k=k)))


# --- truth ------------------------------------------------------------------------------------------------------------


def test_oscillator_for_a_thousand_seconds():
    solver = stepper(oscillator, [1.0, 0.0])
    status, _ = run(solver, 1000.0)
    assert status == ends.END
    with mp.workdps(30):
        truth = [float(mp.cos(1000)), float(-mp.sin(1000))]
    # 500 steps, each of which rounds a few times: 1e-16 sqrt(500), a few times over
    np.testing.assert_allclose(solver.y, truth, atol=1e-14, rtol=0)
    assert solver.steps < 550


def test_pendulum_between_the_steps():
    _, path = run(stepper(pendulum, [2 * np.arcsin(0.8), 0.0]), 20.0)
    t = np.random.default_rng(1).uniform(0, 20, 40)
    exact = np.array([swing(s, 0.8) for s in t])
    np.testing.assert_allclose(path(t)[:, 0], exact, atol=2e-14, rtol=0)


def test_dense_output_is_as_good_as_a_step():
    """On one step, which no error has reached yet: a rounding."""
    _, path = run(stepper(oscillator, [1.0, 0.0]), 10.0)
    t = np.random.default_rng(2).uniform(0, path.t[1], 200)
    np.testing.assert_allclose(path(t), np.stack([np.cos(t), -np.sin(t)], axis=1), atol=2 * EPS, rtol=0)


def test_path_meets_its_nodes():
    _, path = run(stepper(kepler, [0.1, 0.0, 0.0, (1.9 / 0.1) ** 0.5]), 7.0)
    before = np.nextafter(path.t[1:], 0)
    np.testing.assert_allclose(path(before), path.y[1:], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("e", [0.5, 0.9])
def test_kepler(e):
    start = [1 - e, 0.0, 0.0, ((1 + e) / (1 - e)) ** 0.5]
    solver = stepper(kepler, start)
    run(solver, 20.0)
    # an error in the energy grows with t, and by 1/(1 - e)^2 near the sun
    np.testing.assert_allclose(solver.y, ellipse(20.0, e), atol=3e-13 if e < 0.8 else 2e-11, rtol=0)


@pytest.mark.parametrize("f", [pendulum, forced])
def test_back_to_the_start(f):
    there = stepper(f, [1.0, 0.5])
    run(there, 30.0)
    back = stepper(f, there.y, t=30.0)
    status, _ = run(back, 0.0)
    assert (status, back.t) == (ends.END, 0.0)
    np.testing.assert_allclose(back.y, [1.0, 0.5], atol=1e-12, rtol=0)


@pytest.mark.parametrize("order", [8, 12])
def test_order(order):
    """With steps of one size the largest error falls as h^order."""
    errors, steps = [], np.array([16, 24, 32, 48] if order == 8 else [16, 20, 24, 28])
    for n in steps:
        options = {"rtol": 1e-2, "atol": 1e2, "order": order, "max_step": 5.0 / n}
        solver = stepper(pendulum, [2 * np.arcsin(0.8), 0.0], **options)
        _, path = run(solver, 5.0)
        errors.append(max(abs(y - swing(t, 0.8)) for t, y in zip(path.t, path.y[:, 0], strict=True)))
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert order - 0.5 < slope < order + 1


def test_an_idle_coordinate_spoils_nothing():
    """A coordinate that is large and does nothing: the steps, and the errors of the others, stay as they were."""

    def with_idle(t, y):
        return [y[1], -y[0], t.graph.constant(1e-3)]

    solver = stepper(with_idle, [1.0, 0.0, 1e6])
    run(solver, 100.0)
    plain = stepper(oscillator, [1.0, 0.0])
    run(plain, 100.0)
    assert abs(solver.steps - plain.steps) <= 1  # the first step is a guess by the size of the state
    np.testing.assert_allclose(solver.y[:2], [np.cos(100.0), -np.sin(100.0)], atol=5e-15, rtol=0)


def test_angles_lose_no_digits_as_they_grow():
    """phi turns 1e5 rad ahead while (x, y) follows its direction: its last digits are kept beside it."""

    def heading(t, y):
        return [cos(y[2] + y[3]), sin(y[2] + y[3]), t.graph.constant(100.0), t.graph.constant(0.3)]

    solver = stepper(heading, [0.0, 0.0, 1e5, 0.0])
    run(solver, 100.0)
    with mp.workdps(40):
        w, a = 100 + mp.mpf(0.3), mp.mpf(10) ** 5
        exact = [(mp.sin(a + 100 * w) - mp.sin(a)) / w, -(mp.cos(a + 100 * w) - mp.cos(a)) / w]
    # 1e5 rad are known to 1.5e-11 only; thousands of steps with such errors add up to 3e-14
    np.testing.assert_allclose(solver.y[:2], [float(v) for v in exact], atol=3e-15, rtol=0)


def test_gaps_in_a_series():
    """y' = 1 + y^5 from 0 has every fifth coefficient only."""

    def gap(t, y):
        return [1 + y[0] * y[0] * y[0] * y[0] * y[0]]

    solver = stepper(gap, [0.0])
    run(solver, 0.9)
    with mp.workdps(30):
        exact = mp.findroot(lambda y: mp.quad(lambda s: 1 / (1 + s**5), [0, y]) - mp.mpf(0.9), 1.1)
    assert abs(solver.y[0] - float(exact)) < 5e-15


@pytest.mark.parametrize("rate", [1e-12, 1e15, 1e40])
def test_any_unit_of_time(rate):
    """y'' = -rate^2 y: coefficients neither overflow nor underflow."""

    def fast(t, y):
        return [rate * y[1], -rate * y[0]]

    solver = stepper(fast, [1.0, 0.0])
    status, _ = run(solver, 10.0 / rate)
    assert status == ends.END
    np.testing.assert_allclose(solver.y, [np.cos(10.0), -np.sin(10.0)], atol=1e-14)


def test_a_first_step_that_is_far_too_long():
    """Coefficients that overflow are computed anew on a smaller scale."""
    solver = stepper(oscillator, [1.0, 0.0], first_step=1e30)
    status, _ = run(solver, 10.0)
    assert status == ends.END
    np.testing.assert_allclose(solver.y, [np.cos(10.0), -np.sin(10.0)], atol=1e-14)


# --- ends -------------------------------------------------------------------------------------------------------------


def test_a_polynomial_takes_one_step():
    solver = stepper(lambda t, y: [y[1], t.graph.constant(-9.81)], [0.0, 3.0])
    run(solver, 1e3)
    assert solver.steps <= 3
    np.testing.assert_allclose(solver.y, [3e3 - 9.81 / 2 * 1e6, 3 - 9.81e3], rtol=1e-15)


def test_pole():
    status, path = run(stepper(lambda t, y: [y[0] * y[0]], [1.0]), 2.0)
    assert status in (ends.STEP_TOO_SMALL, ends.NONFINITE, ends.BLOWUP)
    assert 1 - 1e-13 < path.t[-1] <= 1 and np.isfinite(path.y).all()


def test_no_number_at_the_start():
    status, path = run(stepper(lambda t, y: [(t - 1) ** 0.5], [1.0]), 2.0)
    assert status == ends.NONFINITE and len(path.t) == 1


def test_end_of_the_domain():
    """(1 - t)^(3/2) ends at t = 1, and the steps come as near as they can."""
    status, path = run(stepper(lambda t, y: [(1 - t) ** 1.5], [0.0]), 2.0)
    assert status != ends.END
    assert 1 - 1e-6 < path.t[-1] <= 1
    assert abs(path.y[-1, 0] - 0.4) < 1e-13


def test_margin():
    """A margin that falls to its limit stops the run before it."""
    status, path = run(stepper(oscillator, [1.0, 0.0], margin=lambda t, y: 1 - t, margin_limit=0.0), 2.0)
    assert status == ends.RANK and path.t[-1] < 1


def test_most_steps():
    solver = stepper(oscillator, [1.0, 0.0], max_steps=5)
    status, _ = run(solver, 1e3)
    assert (status, solver.steps) == (ends.MAX_STEPS, 5)


def test_restart():
    solver = stepper(oscillator, [1.0, 0.0])
    run(solver, 1.0)
    solver.restart(1.0, np.array([0.0, 2.0]))
    run(solver, 2.0)
    np.testing.assert_allclose(solver.y, [2 * np.sin(1.0), 2 * np.cos(1.0)], atol=1e-15)


# --- without dense output ---------------------------------------------------------------------------------------------


def test_steps_do_not_depend_on_dense_output():
    start = [0.5, 0.0, 0.0, 3**0.5]
    with_path, without = stepper(kepler, start), stepper(kepler, start, dense=False)
    _, path = run(with_path, 20.0)
    chunk = without.advance(20.0)
    assert chunk.F.shape == (0, with_path.order, 4)
    np.testing.assert_array_equal(chunk.t, path.t[1:])
    np.testing.assert_array_equal(chunk.y, path.y[1:])


@pytest.mark.parametrize("end", [20.0, -20.0])
def test_states_on_demand(end):
    """Inside steps, at their ends, and none at all."""
    solver = stepper(pendulum, [2 * np.arcsin(0.8), 0.0], dense=False)
    chunk = solver.advance(end)
    assert chunk.status == ends.END
    t, y = np.r_[0.0, chunk.t], np.vstack([[2 * np.arcsin(0.8), 0.0], chunk.y])
    if end < 0:
        F = solver.dense_output(t[:-1], y[:-1], t[1:])
        times = np.random.default_rng(1).uniform(end, 0, 30)
        found = Interpolant(t, y, np.diff(t), F)(times)
    else:
        times = np.r_[np.random.default_rng(1).uniform(0, end, 30), t[3], t[-1]]
        found = solver.inside(times, t, y)
    np.testing.assert_allclose(found[:, 0], [swing(abs(s), 0.8) for s in times], atol=2e-14, rtol=0)
    assert solver.inside(np.zeros(0), t, y).shape == (0, 2)


@pytest.mark.parametrize("place", [1 / 3, 2 / 3, 1])
def test_margin_is_looked_at_inside_steps(place):
    """y' = 1: a step of 1/4 whose margin is not positive at one of the places that are looked at is refused."""

    def margin(t, y):
        return (y[0] - 0.25 * place) ** 2 - 1e-9

    solver = stepper(lambda t, y: [t.graph.constant(1)], [0.0], margin=margin, max_step=0.25, first_step=0.25)
    solver.advance(0.25)
    assert solver.rejected > 0


# --- through the front door -------------------------------------------------------------------------------------------


def path_of(name, principle="nonholonomic", **options):
    """A gallery system, its multipliers starting at 1/10 where they are states."""
    module = importlib.import_module(f"dalembert.systems.{name}")
    equations = named(principle)(module.system())
    start = {**dict(module.START), **{s.name: 0.1 for s in equations.states_of_multipliers}}
    return da.simulate(equations, start, **options)


SYSTEMS = [
    ("rolling_disc", "nonholonomic"),
    ("car_with_trailers", "nonholonomic"),
    ("snakeboard", "nonholonomic"),
    ("double_pendulum_cartesian", "nonholonomic"),  # holonomic, projected
    ("pendulum_cartesian", "nonholonomic"),
    ("rolling_ball_on_plane", "nonholonomic"),  # quaternions
    ("heisenberg", "nonholonomic"),  # through the pivoted solver
    ("heisenberg", "vakonomic"),
    ("penny", "vakonomic"),
    ("nonholonomic_particle", "vakonomic"),
]


@pytest.mark.parametrize(("name", "principle"), SYSTEMS)
def test_two_methods_meet(name, principle):
    fine = path_of(name, principle, until=2.0, method="taylor")
    other = path_of(name, principle, until=2.0, rtol=1e-14)
    assert fine.ok
    t = np.linspace(0, 2.0, 37)
    size = np.maximum(1.0, np.abs(other.sol(t)))
    # what DOP853 itself gathers in this time at 1e-14
    assert np.max(np.abs(fine.sol(t) - other.sol(t)) / size) < 3e-13
    assert fine.audit.constraint_residual < 1e-14
    assert fine.audit.steps < other.audit.steps / 3


def test_disc_against_its_constants():
    """Two constants linear in the velocities, over 1000 s: what rounding moves in 20000 steps."""
    from dalembert.systems import rolling_disc

    path = path_of("rolling_disc", until=1000.0, method="taylor", samples=np.linspace(0, 1000, 201))
    found = rolling_disc.constants(path, path.provenance["parameters"])
    size = np.abs(found).max()
    assert np.abs(found - found[:, :1]).max() < 1e-12 * size
    assert path.audit.energy_drift < 3e-14


def test_defaults():
    path = path_of("pendulum_cartesian", until=0.1, method="taylor")
    assert path.provenance["rtol"] == EPS
    assert path_of("pendulum_cartesian", until=0.1).provenance["rtol"] == 1e-12
    path_of("pendulum_cartesian", until=0.1, method="taylor", rtol=1e-16)
    with pytest.raises(InvalidValue, match=r"must be in \[1e-16, 0.01\]"):
        path_of("pendulum_cartesian", until=0.1, method="taylor", rtol=1e-17)
    with pytest.raises(InvalidValue, match=r'must be in \[1e-14, 0.01\](.|\n)*method="taylor"'):
        path_of("pendulum_cartesian", until=0.1, rtol=1e-15)


TH, W = sp.symbols("th w", real=True)
X, V = sp.symbols("x v", real=True)


def simple_pendulum():
    th = da.angle("th", velocity="w")
    return da.free(da.System(space=da.Space.product(th), lagrangian=W**2 / 2 + sp.cos(TH), parameters={}))


def test_events_and_storage(tmp_path):
    """A pendulum crosses the vertical at K, 3 K, 5 K, ...; a path that is stored keeps its digits."""
    start = {"th": 2 * np.arcsin(0.8), "w": 0.0}
    edge = da.Event("down", TH, "mark")
    path = da.simulate(simple_pendulum(), start, until=30.0, method="taylor", events=[edge])
    K = ellipk(0.64)
    exact = K * np.arange(1, 30, 2)
    exact = exact[exact < 30]
    assert path.ok and len(path.marks["down"]) == len(exact)
    np.testing.assert_allclose(path.marks["down"].t, exact, rtol=4e-15)
    path.save(tmp_path / "path.npz")
    again, t = da.load(tmp_path / "path.npz"), np.linspace(0, 30, 301)
    np.testing.assert_allclose(again.sol(t), path.sol(t), rtol=0, atol=2e-14)
    np.testing.assert_allclose(again.at(t)["energy"], path.at(t)["energy"], rtol=0, atol=2e-14)


def test_sparse_samples():
    """Without dense output only the samples are kept, from the same polynomials."""
    start, times = {"th": 2 * np.arcsin(0.8), "w": 0.0}, np.linspace(0, 20, 7)
    kept = da.simulate(simple_pendulum(), start, until=20.0, method="taylor", samples=times, dense=False)
    np.testing.assert_allclose(kept["th"], [swing(t, 0.8) for t in times], atol=2e-14)


@pytest.mark.parametrize("method", ["taylor", "dop853", "radau"])
def test_samples_on_demand(method):
    """Few samples without a path are made from their own steps; they are those of the path."""
    start, times = {"th": 1.0, "w": 0.5}, np.r_[0.0, 0.1234, 5.0, 9.9, 10.0]
    options = {"until": 10.0, "method": method, "samples": times}
    few, path = (da.simulate(simple_pendulum(), start, dense=dense, **options) for dense in (False, True))
    assert few.audit.steps == path.audit.steps
    np.testing.assert_allclose(few["th"], path["th"], rtol=1e-15, atol=1e-15)


def test_pieces_of_different_degree():
    """Where a force switches, a line of degree 1 lies between series of high degree: its other coefficients are 0."""
    F = filled(np.ones((2, 1, 3)), 4)
    assert F.shape == (2, 4, 3)
    assert np.all(F[:, 0] == 1) and not F[:, 1:].any()


def test_force_that_switches():
    """x'' = -2 sign(x) from (1, 0): parabolas, x = 0 at t = 1, 3, 5, ..., where a step ends and a new series begins."""
    space = da.Space.product(da.line("x", velocity="v"))
    system = da.System(space=space, lagrangian=V**2 / 2, forces={"v": -2 * sp.sign(X)}, parameters={})
    path = da.simulate(da.free(system), {"x": 1.0, "v": 0.0}, until=11.5, method="taylor")
    t = np.linspace(0, 11.5, 93)
    s = (t + 1) % 4  # since x = 0 was passed upwards, with speed 2
    exact = np.where(s < 2, 2 * s - s**2, (s - 2) ** 2 - 2 * (s - 2))
    assert path.reached
    np.testing.assert_allclose([path.at(u)["x"] for u in t], exact, atol=1e-12)  # each switch is passed in a hair


def test_jumps():
    """A ball that bounces: a step ends at each impact, and the series starts afresh."""
    space = da.Space.product(da.line("x", velocity="v"))
    ball = da.System(space=space, lagrangian=V**2 / 2 - 10 * X, parameters={})
    floor = da.Event("floor", X, {"v": -sp.Rational(9, 10) * V}, direction=-1)
    path = da.simulate(da.free(ball), {"x": 5.0, "v": 0.0}, until=4.0, method="taylor", events=[floor])
    impacts = 1 + 2 * np.concatenate([[0.0], np.cumsum(0.9 ** np.arange(1, 5))])
    impacts = impacts[impacts < 4]
    np.testing.assert_allclose(path.marks["floor"].t, impacts, rtol=1e-14)
