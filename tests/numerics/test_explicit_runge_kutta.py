"""Explicit Runge-Kutta pairs, DOP853 above all: order, dense output, ends."""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import dalembert as da
from dalembert.calculus.graph import Graph, cos, evaluate, sin
from dalembert.errors import InvalidValue
from dalembert.numerics.ensembles.ensemble import carry_out
from dalembert.numerics.ensembles.results import Ensemble
from dalembert.numerics.machine import llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.machine.function_source import Function
from dalembert.numerics.methods import stepper as ends
from dalembert.numerics.methods.explicit_runge_kutta import ExplicitPair, tableau
from dalembert.numerics.methods.explicit_runge_kutta.step_ir import UNKNOWN, Traits, stepping
from dalembert.numerics.methods.explicit_runge_kutta.stepper import ExplicitStepper
from dalembert.numerics.policy import Policy
from dalembert.systems import rolling_disc
from dalembert.trajectory import interpolant
from dalembert.trajectory.interpolant import Interpolant, dense
from driven import ROLLING, robot


def pendulum(t, y):
    return [y[1], -sin(y[0]) + 0.3 * cos(t)]


def kepler(t, y):
    r3 = (y[0] * y[0] + y[1] * y[1]) ** 1.5
    return [y[2], y[3], -y[0] / r3, -y[1] / r3]


def clock_and_area(t, y):
    """A kicked oscillator with two quadratures."""
    return [y[1], -y[0], sin(50 * y[0]) * y[1], t * t]


def square(t, y):
    return [y[0] * y[0]]


def growth(t, y):
    return [y[0]]


def root(t, y):
    return [(1 - t) ** 0.5]  # not real after t = 1


def one(t, y):
    return t.graph.constant(1)


def half_still(t, y):
    """Two oscillators, of which four quadratures are taken, and four numbers that stay: three registers of four."""
    rates = [y[1], -y[0], y[3], -4 * y[2], y[0] * y[2], sin(y[0]), y[1] * t, y[3] ** 2]
    return [*rates, *(t.graph.constant(0) for _ in range(4))]


KNOWN = Traits(reads=frozenset({0, 1, 2, 3}), still=frozenset({8, 9, 10, 11}))


@functools.cache
def compiled(f, n, margin=one, project=None, traits=UNKNOWN):
    graph = Graph()
    t, y = graph.symbol("t"), [graph.symbol(f"y{i}") for i in range(n)]
    inputs = {"t": ("t", 0)} | {f"y{i}": ("y", i) for i in range(n)}
    texts = {"rhs": llvm_ir.emit("rhs", [*f(t, y), margin(t, y)], inputs)}
    texts |= stepping(n, 20, project is not None, traits=traits)
    if project:
        texts["project"] = llvm_ir.emit("project", project(t, y), inputs)
    return Library.compile(texts)


def stepper(f, y, *, t=0.0, margin=one, project=None, traits=UNKNOWN, **options):
    library = compiled(f, len(y), margin, project, traits)
    return ExplicitStepper(library, t, y, [], **{"rtol": 1e-10, "atol": 1e-10, **options})


def run(solver, t_end):
    """All chunks to the end: status, t, y, F with the start in front."""
    t, y, F, status = [[solver.t]], [[solver.y.copy()]], [], ends.FULL
    while status == ends.FULL:
        chunk = solver.advance(t_end)
        status = chunk.status
        t.append(chunk.t), y.append(chunk.y), F.append(chunk.F)
    return status, Interpolant(np.concatenate(t), np.concatenate(y), np.diff(np.concatenate(t)), np.concatenate(F))


def python(f, n):
    """The same right-hand side for SciPy."""
    graph = Graph()
    t, y = graph.symbol("t"), [graph.symbol(f"y{i}") for i in range(n)]
    outputs = f(t, y)
    return lambda now, state: evaluate(outputs, {"t": now, **{f"y{i}": state[i] for i in range(n)}})


def test_the_tableau_is_of_order_8_and_scipys():
    # a second copy of the same published numbers
    from scipy.integrate._ivp import dop853_coefficients as theirs

    for name in ("A", "C", "D"):
        np.testing.assert_array_equal(getattr(tableau, name), getattr(theirs, name))
    for name in ("E3", "E5"):
        np.testing.assert_array_equal(getattr(tableau, name), getattr(theirs, name)[: tableau.STAGES])
    # sum_j a_ij = c_i ,  sum_i b_i c_i^k = 1/(k + 1)
    np.testing.assert_allclose(tableau.A.sum(axis=1), tableau.C, atol=2e-15)
    np.testing.assert_allclose([tableau.A[12] @ tableau.C**k for k in range(8)], 1 / np.arange(1, 9), rtol=1e-14)


@pytest.mark.parametrize(("f", "start"), [(pendulum, [1.0, 0.5]), (kepler, [0.5, 0.0, 0.0, 3**0.5])])
@pytest.mark.parametrize("t_end", [10.0, -7.0])
def test_same_as_scipy(f, start, t_end):
    status, path = run(stepper(f, start), t_end)
    expected = solve_ivp(python(f, len(start)), (0, t_end), start, "DOP853", rtol=1e-10, atol=1e-10, dense_output=True)
    assert status == ends.END
    np.testing.assert_allclose(path.t[:10], expected.t[:10], rtol=1e-4)  # set by errors, which rounding disturbs
    np.testing.assert_allclose(path.y[-1], expected.y[:, -1], rtol=1e-10)
    t = np.linspace(0, t_end, 400)
    np.testing.assert_allclose(path(t), expected.sol(t).T, atol=2e-9)


def ellipse(t, e=0.5):
    """Exact Kepler motion from the near apse."""
    E = t.copy()
    for _ in range(60):
        E -= (E - e * np.sin(E) - t) / (1 - e * np.cos(E))
    r, b = 1 - e * np.cos(E), np.sqrt(1 - e * e)
    return np.stack([np.cos(E) - e, b * np.sin(E), -np.sin(E) / r, b * np.cos(E) / r], axis=-1)


def free_top(t, y, m=0.7):
    """A free rigid body: its angular velocity is (sn, cn, dn)(t | m)."""
    return [y[1] * y[2], -y[0] * y[2], -m * y[0] * y[1]]


def logistic(t, y):
    return [3 * y[0] * (1 - y[0])]


EXACT = {
    free_top: lambda t: np.stack(ellipj(t, 0.7)[:3], axis=-1),
    logistic: lambda t: 1 / (1 + 9 * np.exp(-3 * np.atleast_1d(t)[:, None])),
}
START = {free_top: [0.0, 1.0, 1.0], logistic: [0.1]}
STEPS = {free_top: [12, 14, 16, 20, 24], logistic: [6, 8, 10, 12, 14]}
UNTIL = {free_top: 4.0, logistic: 2.0}


def fixed(f, steps):
    """The path with equal steps."""
    h = UNTIL[f] / steps
    path = run(stepper(f, START[f], rtol=1e9, atol=1e9, first_step=h, max_step=h), UNTIL[f])[1]
    assert len(path.t) == steps + 1
    return path


def order(steps, errors):
    return -np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize("f", EXACT)
def test_order_is_eight(f):
    errors = [np.abs(fixed(f, n).y[-1] - EXACT[f](UNTIL[f])).max() for n in STEPS[f]]
    assert abs(order(STEPS[f], errors) - 8) < 0.3


@pytest.mark.parametrize("f", EXACT)
def test_order_of_dense_output_is_seven(f):
    # a local error h^8 inside a step
    t = np.linspace(0, UNTIL[f], 2001)
    errors = [np.abs(fixed(f, n)(t) - EXACT[f](t)).max() for n in STEPS[f]]
    assert 7.5 < order(STEPS[f], errors) < 8.7


def test_equal_steps_give_what_scipy_gives():
    path = fixed(free_top, 20)
    options = {"rtol": 1e9, "atol": 1e9, "first_step": 0.2, "max_step": 0.2, "dense_output": True}
    expected = solve_ivp(python(free_top, 3), (0, 4), START[free_top], "DOP853", **options)
    np.testing.assert_allclose(path.y, expected.y.T, atol=3e-15)
    t = np.linspace(0, 4, 301)
    np.testing.assert_allclose(path(t), expected.sol(t).T, atol=3e-15)


def test_dense_output_is_as_good_as_the_steps():
    path = run(stepper(kepler, [0.5, 0.0, 0.0, 3**0.5], rtol=1e-12, atol=1e-12), 10.0)[1]
    t = np.linspace(0, 10, 3001)
    assert np.abs(path(t) - ellipse(t)).max() < 2 * np.abs(path.y - ellipse(path.t)).max() < 1e-9


def test_dense_output_fits_at_both_ends_of_a_step():
    path = run(stepper(kepler, [0.5, 0.0, 0.0, 3**0.5]), 3.0)[1]
    np.testing.assert_array_equal(path(path.t), path.y)
    for i in range(len(path.F)):
        both = dense(path.t[i], path.t[i + 1] - path.t[i], path.y[i], path.F[i], path.t[i : i + 2])
        np.testing.assert_allclose(both, path.y[i : i + 2], atol=1e-15)


def test_quadratures_are_exact_enough_and_cost_no_steps():
    controlled = stepper(clock_and_area, [0.0, 1.0, 0.0, 0.0])
    free = stepper(clock_and_area, [0.0, 1.0, 0.0, 0.0], atol=[1e-10, 1e-10, np.inf, np.inf])
    plain = stepper(lambda t, y: [y[1], -y[0]], [0.0, 1.0])
    paths = [run(solver, 3.0)[1] for solver in (controlled, free, plain)]
    assert free.steps == plain.steps < controlled.steps
    np.testing.assert_array_equal(paths[1].y[:, :2], paths[2].y)
    np.testing.assert_allclose(paths[1].y[-1, 3], 9.0, rtol=1e-13)


def test_nothing_controlled():
    path = run(stepper(growth, [1.0], atol=np.inf, max_step=0.1), 1.0)[1]
    np.testing.assert_allclose(path.y[-1], np.e, rtol=1e-12)


@pytest.mark.parametrize("t_end", [1 / 3, 0.1 + 0.2, 1e-9, 123.456, -np.pi])
def test_lands_exactly(t_end):
    solver = stepper(pendulum, [1.0, 0.0])
    status, path = run(solver, t_end)
    assert status == ends.END
    assert path.t[-1] == t_end == solver.t
    assert solver.advance(t_end).t.size == 0


def test_the_last_step_does_not_spoil_the_step_size():
    solver = stepper(pendulum, [1.0, 0.0])
    run(solver, 10.0)
    planned = solver.h
    run(solver, 10.0 + 1e-6)
    assert solver.h >= planned


def test_chunks_do_not_matter():
    whole = run(stepper(pendulum, [1.0, 0.0], chunk=1000), 20.0)[1]
    pieces = run(stepper(pendulum, [1.0, 0.0], chunk=3), 20.0)[1]
    np.testing.assert_array_equal(whole.t, pieces.t)
    np.testing.assert_array_equal(whole.y, pieces.y)
    np.testing.assert_array_equal(whole.F, pieces.F)


def test_restart_after_a_jump():
    solver = stepper(growth, [1.0])
    run(solver, 1.0)
    solver.restart(0.0, [2.0])
    assert solver.h == 0
    np.testing.assert_allclose(run(solver, 1.0)[1].y[-1], 2 * np.e, rtol=1e-9)


def test_counters():
    solver = stepper(kepler, [0.5, 0.0, 0.0, 3**0.5], first_step=1.0)
    path = run(solver, 10.0)[1]
    assert solver.steps == len(path.F)
    assert solver.rejected > 0
    assert solver.evaluations == 15 * solver.steps + 12 * solver.rejected + 1


def test_blowup():
    solver = stepper(growth, [1.0])
    status, path = run(solver, 1000.0)
    assert status == ends.BLOWUP
    assert path.t[-1] == pytest.approx(150 * np.log(10), abs=1)


def test_a_pole_is_not_passed():
    solver = stepper(square, [1.0])
    status, path = run(solver, 2.0)
    assert status in (ends.STEP_TOO_SMALL, ends.NONFINITE)
    assert path.t[-1] == pytest.approx(1.0, abs=1e-9)


def test_nonfinite():
    status, path = run(stepper(root, [1.0]), 2.0)
    assert status == ends.NONFINITE
    assert 1 - 1e-6 < path.t[-1] <= 1
    assert np.isfinite(path.y).all()


def test_nonfinite_at_the_start():
    chunk = stepper(root, [1.0], t=2.0).advance(3.0)
    assert chunk.status == ends.NONFINITE
    assert chunk.t.size == 0


def test_rank():
    solver = stepper(pendulum, [1.0, 0.0], margin=lambda t, y: 2 - t, margin_limit=0.5)
    status, path = run(solver, 5.0)
    assert status == ends.RANK
    assert path.t[-1] == pytest.approx(1.5, abs=1e-14)
    assert 0.5 < solver.margin < 0.5 + 1e-13
    assert solver.advance(5.0).status == ends.RANK


def test_rank_at_the_start():
    assert stepper(growth, [1.0], margin=lambda t, y: 0 * t).advance(1.0).status == ends.RANK


def test_least_margin_of_accepted_steps():
    solver = stepper(pendulum, [1.0, 0.0], margin=lambda t, y: 1 + (t - 2) ** 2)
    run(solver, 4.0)
    assert 1 <= solver.margin < 1.1


def test_step_too_small():
    # a tolerance far below rounding cannot be met
    status, _ = run(stepper(pendulum, [1.0, 0.0], t=1.0, rtol=0.0, atol=1e-40), 2.0)
    assert status == ends.STEP_TOO_SMALL


def test_max_steps():
    solver = stepper(pendulum, [1.0, 0.0], max_steps=7)
    assert run(solver, 1000.0)[0] == ends.MAX_STEPS
    assert solver.steps + solver.rejected == 7


def unit_circle(t, y):
    r = (y[0] * y[0] + y[1] * y[1]) ** 0.5
    return [y[0] / r, y[1] / r]


def circle(t, y):
    return [-y[1], y[0]]


def test_projection_is_used_and_the_path_stays_continuous():
    loose = {"rtol": 1e-4, "atol": 1e-4}
    plain, projected = (run(stepper(circle, [1.0, 0.0], project=p, **loose), 100.0)[1] for p in (None, unit_circle))
    assert np.abs(np.hypot(*plain.y.T) - 1).max() > 1e-6
    assert np.abs(np.hypot(*projected.y.T) - 1).max() < 1e-15
    for i in range(len(projected.F)):
        h = projected.t[i + 1] - projected.t[i]
        end = dense(projected.t[i], h, projected.y[i], projected.F[i], projected.t[i + 1 : i + 2])
        np.testing.assert_allclose(end[0], projected.y[i + 1], atol=1e-15)


def test_slopes_are_those_of_projected_states():
    path = run(stepper(circle, [1.0, 0.0], project=unit_circle, rtol=1e-4, atol=1e-4), 5.0)[1]
    for i in range(len(path.F)):
        # F1 = h f_old - F0, F2 = 2 F0 - h (f_new + f_old)
        h, F = path.t[i + 1] - path.t[i], path.F[i]
        f_new = (F[0] - F[1] - F[2]) / h
        np.testing.assert_allclose(f_new, [-path.y[i + 1, 1], path.y[i + 1, 0]], atol=1e-14)


def test_projection_that_fails():
    def nowhere(t, y):
        return [y[0].graph.apply("log", 0 * y[0] - 1)]

    chunk = stepper(lambda t, y: [t], [1.0], project=nowhere).advance(1.0)
    assert chunk.status == ends.NONFINITE
    assert chunk.t.size == 0


def straight(t, y):
    """Path through the points (t, y) by straight lines: F0 = y_new - y_old and no more."""
    F = np.zeros((len(t) - 1, 7, 1))
    F[:, 0, 0] = np.diff(y)
    return Interpolant(np.array(t, float), np.array(y, float)[:, None], np.diff(np.array(t, float)), F)


def test_path_with_a_jump_has_the_state_after_it():
    path = straight([0, 1, 1, 2], [0, 1, 5, 6])
    got = path(np.array([0.0, 0.5, 1 - 1e-12, 1.0, 1.5, 2.0, 0.25]))[:, 0]
    np.testing.assert_allclose(got, [0, 0.5, 1, 5, 5.5, 6, 0.25], atol=1e-11)


def test_path_with_a_jump_at_the_end_and_at_the_start():
    path = straight([0, 0, 1, 1], [9, 0, 1, 5])
    assert path(np.array([0.0, 0.5, 1.0]))[:, 0].tolist() == [0.0, 0.5, 5.0]


def test_path_of_one_point_and_backwards():
    assert straight([2.0], [3.0])(np.array([2.0])).tolist() == [[3.0]]
    assert straight([2, 1, 0], [0, 1, 3])(np.array([2, 1.5, 1, 0.5, 0]))[:, 0].tolist() == [0, 0.5, 1, 2, 3]


def test_path_with_many_queries():
    path = straight([0, 1, 2], [0, 1, 0])
    t = np.linspace(0, 2, 3 * interpolant.BLOCK + 1)
    np.testing.assert_allclose(path(t)[:, 0], 1 - np.abs(1 - t), atol=1e-15)


@pytest.mark.parametrize("t", [-1e-9, 2.0000001, np.nan, np.inf])
def test_path_refuses_times_outside(t):
    with pytest.raises(InvalidValue, match="E303"):
        straight([0, 1, 2], [0, 1, 0])(np.array([1.0, t]))


def test_what_is_known_of_the_rates_saves_work_and_changes_no_bit():
    start = [1.0, 0.5, -0.25, 2.0, *np.linspace(-1, 1, 8)]
    (_, plain), (_, spared) = (run(stepper(half_still, start, traits=k), 5.0) for k in (UNKNOWN, KNOWN))
    for name in ("t", "y", "h", "F"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(spared, name))
    assert np.ptp(spared.y[:, 8:], axis=0).max() == 0 < np.ptp(spared.y[:, 4:8], axis=0).min()
    texts = [stepping(12, 20, False, traits=k)["step"].count("fmuladd") for k in (UNKNOWN, KNOWN)]
    assert texts[1] < 0.6 * texts[0]


def test_what_is_known_of_the_rates_is_read_off_them():
    graph = Graph()
    t, *y = (graph.symbol(name) for name in ("t", *(f"y{i}" for i in range(12))))
    inputs = {"t": ("t", 0)} | {f"y{i}": ("y", i) for i in range(12)}
    rates = half_still(t, y)
    assert Traits.of(Function((*rates, one(t, y))), 12, inputs) == KNOWN
    unknown = Function.unknowns(graph, 1)[0]
    solved = Function.solving([unknown, *rates[1:], one(t, y)], [y[11], t], 1)
    assert Traits.of(solved, 12, inputs) == KNOWN._replace(reads=KNOWN.reads | {11})


# --- another pair: its tableau is all that it takes -------------------------------------------------------------------


def rows(*given):
    return np.array([[*row, *[0.0] * (7 - len(row))] for row in given])


@dataclass(frozen=True)
class DormandPrince(ExplicitPair):
    """The pair of orders 5 and 4 [hairer1993, II.5, II.6], whose error takes the derivative at the end of the step."""

    word: ClassVar[str] = "dopri5"
    sources: ClassVar[tuple[tuple[str, str], ...]] = ()
    pair: ClassVar[tableau.ExplicitTableau] = tableau.ExplicitTableau(
        stages=6,
        A=rows(
            [],
            [1 / 5],
            [3 / 40, 9 / 40],
            [44 / 45, -56 / 15, 32 / 9],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
            [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
        ),
        C=np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1]),
        D=rows(
            [
                *(-12715105075 / 11282082432, 0, 87487479700 / 32700410799, -10690763975 / 1880347072),
                *(701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423),
            ]
        ),
        errors=(np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]),),
        order=5,
    )


@functools.cache
def disc():
    return da.nonholonomic(rolling_disc.system())


LEANING, OTHER = rolling_disc.STARTS["leaning"], {"method": DormandPrince(), "rtol": 1e-9}


def test_another_pair_meets_the_usual_one_at_its_tolerance():
    t = np.linspace(0, 3, 200)
    usual = da.simulate(disc(), LEANING, until=3).at(t)
    off = []
    for rtol in (1e-7, 1e-9):
        found = da.simulate(disc(), LEANING, until=3, method=DormandPrince(), rtol=rtol).at(t)
        off.append(max(np.abs(found[name] - usual[name]).max() for name in disc().states))
    assert off[1] < 1e-7 and off[0] > 20 * off[1]


def test_another_pair_has_lanes_plants_and_derivatives():
    start, mass = disc().start(**LEANING), np.linspace(1, 1.2, 11)
    states = np.repeat(start.vector[None], 11, axis=0)
    columns = {name: np.full(11, value) for name, value in start.parameters.items()}
    columns["m"] = columns["m"] * mass
    results = carry_out(Ensemble(disc(), Policy.of(OTHER), 0.0, 3.0), states, columns)
    one = da.simulate(disc(), LEANING, until=3.0, parameters={"m": columns["m"][5]}, **OTHER)
    assert [one[name][-1] for name in disc().states] == results.y[5, :-1].tolist()
    assert results.steps[5] == one.audit.steps

    alone = da.plant(robot(), ROLLING, step=0.01, **OTHER)
    together = da.plants(robot(), {**ROLLING, "omega": [0.0, 0.3, 0.5]}, step=0.01, **OTHER)
    for _ in range(20):
        alone.step([0.1, 0.2])
        together.step(np.tile([0.1, 0.2], (3, 1)))
    assert [column[0] for column in together.state.values()] == list(alone.state.values())

    first, second = (da.sensitivities(disc(), LEANING, until=2, samples=[1, 2], **how) for how in ({}, OTHER))
    np.testing.assert_allclose(second.values, first.values, atol=1e-8 * np.abs(first.values).max())
