"""The stiff method: coefficients, stability, linear systems, its ends and refusals."""

import functools
import math

import numpy as np
import pytest

from dalembert.calculus.graph import Graph, sin, tangent
from dalembert.numerics.machine import llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.machine.loop.compiled_loop import loop
from dalembert.numerics.methods import stepper as ends
from dalembert.numerics.methods.radau.newton import factor, factor_complex, solve, solve_complex
from dalembert.numerics.methods.radau.stepper import RadauStepper
from dalembert.numerics.methods.radau.tableau import STAGES, stages_for, tableau
from dalembert.trajectory.interpolant import Interpolant


def one(t, y):
    return t.graph.constant(1)


@functools.cache
def compiled(f, n, margin=one, project=None):
    graph = Graph()
    t, y = graph.symbol("t"), [graph.symbol(f"y{i}") for i in range(n)]
    inputs = {"t": ("t", 0)} | {f"y{i}": ("y", i) for i in range(n)}
    outputs = [graph.constant(0) + node for node in f(t, y)]
    columns = [tangent(outputs, [v], [1]) for v in y]
    texts = {
        "rhs": llvm_ir.emit("rhs", [*outputs, margin(t, y)], inputs),
        "jacobian": llvm_ir.emit("jacobian", [column[i] for i in range(n) for column in columns], inputs),
    }
    if project:
        texts["project"] = llvm_ir.emit("project", project(t, y), inputs)
    return Library.compile(texts)


def stepper(f, y, *, t=0.0, margin=one, project=None, differences=False, **options):
    library = compiled(f, len(y), margin, project)
    jacobian = 0 if differences else library.address("jacobian")
    if project:
        options["project"] = library.address("project")
    return RadauStepper(library.address("rhs"), jacobian, t, y, [], **{"rtol": 1e-10, "atol": 1e-10, **options})


def run(solver, t_end):
    """All chunks to the end: status and path."""
    t, y, F, status = [[solver.t]], [[solver.y.copy()]], [], ends.FULL
    while status == ends.FULL:
        chunk = solver.advance(t_end)
        status = chunk.status
        t.append(chunk.t), y.append(chunk.y), F.append(chunk.F)
    return status, Interpolant(np.concatenate(t), np.concatenate(y), np.diff(np.concatenate(t)), np.concatenate(F))


# --- coefficients ----------------------------------------------------------------------------------------------------


def test_the_coefficients_of_order_five():
    # [hairer1996, IV.5 table 5.6, IV.8 (8.18)]
    tab, r = tableau(3), math.sqrt(6)
    np.testing.assert_allclose(tab.c, [(4 - r) / 10, (4 + r) / 10, 1], rtol=0, atol=1e-16)
    A = [
        [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
        [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
        [(16 - r) / 36, (16 + r) / 36, 1 / 9],
    ]
    np.testing.assert_allclose(tab.A, A, rtol=0, atol=2e-16)
    np.testing.assert_allclose(tab.e, np.array([-13 - 7 * r, -13 + 7 * r, -1]) / 3, rtol=1e-14)
    # gamma = 3 + 3^(2/3) - 3^(1/3)
    np.testing.assert_allclose(tab.roots[0], [3 + 3 ** (2 / 3) - 3 ** (1 / 3), 0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("s", STAGES)
def test_order_conditions(s):
    tab = tableau(s)
    # sum_j a_ij c_j^(k-1) = c_i^k/k for k <= s;  sum_j b_j c_j^(k-1) = 1/k for k <= 2 s - 1, b being the last row
    for k in range(1, s + 1):
        np.testing.assert_allclose(tab.A @ tab.c ** (k - 1), tab.c**k / k, rtol=0, atol=2e-16)
    for k in range(1, 2 * s):
        np.testing.assert_allclose(tab.A[-1] @ tab.c ** (k - 1), 1 / k, rtol=0, atol=2e-16)
    assert abs(tab.A[-1] @ tab.c ** (2 * s - 1) - 1 / (2 * s)) > 1e-10  # no further
    np.testing.assert_allclose(tab.A @ tab.D, np.eye(s), rtol=0, atol=1e-14)


@pytest.mark.parametrize("s", STAGES)
def test_the_estimate_vanishes_for_polynomials_up_to_its_degree(s):
    # y = x^k has f_0 = (k == 1) and Z_i = c_i^k:  f_0 + e Z = 0 for k <= s, and not beyond
    tab = tableau(s)
    size = np.abs(tab.e).max()
    for k in range(1, s + 1):
        assert abs((k == 1) + tab.e @ tab.c**k) < 4e-16 * size
    assert abs(tab.e @ tab.c ** (s + 1)) > 1e-4


def test_more_stages_for_tighter_tolerances():
    chosen = [stages_for(10.0**-k) for k in range(2, 15)]
    assert chosen == sorted(chosen)
    assert set(chosen) == set(STAGES)


# --- linear systems --------------------------------------------------------------------------------------------------


@loop
def solved(A: np.ndarray, b: np.ndarray) -> bool:
    rows = np.zeros(len(A), np.int64)
    fine = factor(A, rows)
    solve(A, rows, b)
    return fine


@loop
def solved_complex(R: np.ndarray, S: np.ndarray, x: np.ndarray, y: np.ndarray) -> bool:
    rows = np.zeros(len(R), np.int64)
    fine = factor_complex(R, S, rows)
    solve_complex(R, S, rows, x, y)
    return fine


@pytest.mark.parametrize("n", [1, 2, 7, 60, 200])
def test_linear_systems(n):
    rng = np.random.default_rng(n)
    A, B = rng.normal(size=(2, n, n))
    A[0, 0] = B[0, 0] = 0.0 if n > 1 else 1.0  # no elimination without exchanges
    b, c = rng.normal(size=(2, n))
    x = b.copy()
    assert solved(A.copy(), x)
    # backward stable: residual of n roundings of |A| |x|
    assert np.abs(A @ x - b).max() < 4e-16 * n * np.abs(A).max() * np.abs(x).max() * 10
    x, y = b.copy(), c.copy()
    assert solved_complex(A.copy(), B.copy(), x, y)
    z, M = x + 1j * y, A + 1j * B
    assert np.abs(M @ z - (b + 1j * c)).max() < 4e-16 * n * np.abs(M).max() * np.abs(z).max() * 10


@pytest.mark.parametrize("bad", [0.0, math.nan, math.inf])
def test_matrices_that_cannot_be_factored(bad):
    A = np.array([[1.0, 2.0], [2.0, 4.0]])
    A[:, 0] *= bad
    assert not solved(A.copy(), np.ones(2))
    assert not solved_complex(A.copy(), np.zeros((2, 2)), np.ones(2), np.ones(2))


# --- stability -------------------------------------------------------------------------------------------------------


def pade(s, z):
    """R(z) = P/Q with degrees s - 1 and s [hairer1996, IV.3 (3.30)]."""
    j, k = s - 1, s
    P = sum(math.comb(j, i) * math.factorial(j + k - i) / math.factorial(j + k) * z**i for i in range(j + 1))
    Q = sum(math.comb(k, i) * math.factorial(j + k - i) / math.factorial(j + k) * (-z) ** i for i in range(k + 1))
    return P / Q


def one_step(f, y, s, h=1.0):
    """One step whatever its error, the stages solved to rounding."""
    solver = stepper(f, y, rtol=1e12, atol=1e12, accurate=0.0, stages=s, first_step=h, max_step=h)
    status, path = run(solver, h)
    assert (status, solver.steps) == (ends.END, 1)
    return path.y[-1]


@functools.cache
def dahlquist(real, imaginary):
    return lambda t, y: [real * y[0] - imaginary * y[1], imaginary * y[0] + real * y[1]]


@pytest.mark.parametrize("s", STAGES)
@pytest.mark.parametrize("z", [-0.5, -3 + 2j, -40 + 7j, 3j, 100j, 1e4j, 2.0])
def test_a_step_of_the_test_equation_is_the_pade_quotient(s, z):
    z = complex(z)
    x, y = one_step(dahlquist(z.real, z.imag), [1.0, 0.0], s)
    R = pade(s, z)
    assert abs(x + 1j * y - R) < 2e-13 * max(1, abs(R))
    if z.real <= 0:
        assert math.hypot(x, y) <= 1 + 1e-13  # A-stable


@pytest.mark.parametrize("s", STAGES)
@pytest.mark.parametrize("z", [-1e6, -1e12])
def test_the_stiffest_part_is_gone_after_a_step(s, z):
    # L-stable: R(z) ~ s/z
    assert abs(one_step(dahlquist(z, 0.0), [1.0, 0.0], s)[0]) < 2 * s / abs(z) + 1e-15


# --- the interface ---------------------------------------------------------------------------------------------------


def pendulum(t, y):
    return [y[1], -sin(y[0]) - 1e4 * (y[1] - sin(t)) ** 3]


def test_with_and_without_a_compiled_jacobian():
    one, two = (run(stepper(pendulum, [1.0, 0.5], differences=d), 3.0)[1] for d in (False, True))
    np.testing.assert_allclose(one.y[-1], two.y[-1], rtol=0, atol=1e-9)
    fine = run(stepper(pendulum, [1.0, 0.5], rtol=1e-13, atol=1e-13), 3.0)[1]
    np.testing.assert_allclose(one.y[-1], fine.y[-1], rtol=0, atol=1e-9)


def test_backwards():
    there = stepper(lambda t, y: [y[1], -sin(y[0])], [1.0, 0.5], rtol=1e-12, atol=1e-14)
    run(there, 4.0)
    back = stepper(lambda t, y: [y[1], -sin(y[0])], there.y, t=4.0, rtol=1e-12, atol=1e-14)
    status, path = run(back, 0.0)
    assert status == ends.END
    assert np.all(np.diff(path.t) < 0)
    np.testing.assert_allclose(path.y[-1], [1.0, 0.5], rtol=0, atol=1e-11)


def test_pieces_make_the_same_path():
    # buffers that are full and ends that come in parts change nothing
    whole = run(stepper(pendulum, [1.0, 0.5]), 3.0)[1]
    parts = run(stepper(pendulum, [1.0, 0.5], chunk=1), 3.0)[1]
    np.testing.assert_array_equal(whole.y, parts.y)
    np.testing.assert_array_equal(whole.F, parts.F)


def test_restart():
    solver = stepper(pendulum, [1.0, 0.5])
    run(solver, 1.0)
    before = solver.evaluations
    solver.restart(1.0, np.array([-0.7, 3.0]))
    assert (solver.t, solver.h) == (1.0, 0.0)
    run(solver, 2.0)
    fresh = stepper(pendulum, [-0.7, 3.0], t=1.0)
    run(fresh, 2.0)
    np.testing.assert_array_equal(solver.y, fresh.y)
    assert solver.evaluations == before + fresh.evaluations


def circle(t, y):
    return [-y[1], y[0]]


def onto_the_circle(t, y):
    r = (y[0] * y[0] + y[1] * y[1]) ** 0.5
    return [y[0] / r, y[1] / r]


def test_every_step_is_moved_back_and_the_path_ends_there():
    solver = stepper(circle, [1.0, 0.0], project=onto_the_circle, rtol=1e-3, atol=1e-3)
    path = run(solver, 20.0)[1]
    np.testing.assert_allclose(np.hypot(*path.y.T), 1, rtol=0, atol=4e-16)
    loose = run(stepper(circle, [1.0, 0.0], rtol=1e-3, atol=1e-3), 20.0)[1]
    assert np.abs(np.hypot(*loose.y.T) - 1).max() > 1e-8
    np.testing.assert_allclose(path.y[:-1] + path.F[:, 0], path.y[1:], rtol=0, atol=4e-16)


def test_states_without_error_control_are_carried_along():
    # the quadrature is rough, and no step is taken for it
    f = lambda t, y: [-y[0], sin(300 * t)]  # noqa: E731
    free = stepper(f, [1.0, 0.0], atol=np.array([1e-10, np.inf]))
    held = stepper(f, [1.0, 0.0], atol=np.array([1e-10, 1e-10]))
    run(free, 3.0), run(held, 3.0)
    assert free.steps * 5 < held.steps
    assert abs(held.y[1] - (1 - math.cos(900.0)) / 300) < 1e-9


def square(t, y):
    return [y[0] * y[0]]


def root(t, y):
    return [(1 - t) ** 0.5]  # not real after t = 1


def ending(t, y):
    return 1 - t


def still(t, y):
    return [t.graph.constant(1.0)]


@pytest.mark.parametrize("differences", [False, True])
def test_how_runs_end_that_cannot_go_on(differences):
    options = {"differences": differences}
    blown = stepper(square, [1.0], **options)
    assert run(blown, 2.0)[0] in (ends.STEP_TOO_SMALL, ends.BLOWUP)
    assert blown.t == pytest.approx(1, abs=1e-9)
    lost = stepper(root, [0.0], **options)
    assert run(lost, 2.0)[0] == ends.NONFINITE
    assert lost.t == pytest.approx(1, abs=1e-9)
    rank = stepper(still, [0.0], margin=ending, margin_limit=1e-13, **options)
    assert run(rank, 2.0)[0] == ends.RANK
    assert rank.t == pytest.approx(1, abs=1e-9)
    assert 0 < rank.margin < 1e-9
    used = stepper(pendulum, [1.0, 0.5], max_steps=5, **options)
    assert run(used, 3.0)[0] == ends.MAX_STEPS
    assert used.steps + used.rejected == 5
    big = stepper(lambda t, y: [1e3 * y[0]], [1.0], **options)
    assert run(big, 2.0)[0] == ends.BLOWUP
    begun = stepper(root, [0.0], t=1.5, **options)
    assert run(begun, 2.0)[0] == ends.NONFINITE
    assert begun.steps == 0


def test_largest_step():
    path = run(stepper(circle, [1.0, 0.0], max_step=0.01), 1.0)[1]
    assert np.diff(path.t).max() <= 0.01 * 1.01 + 1e-15
