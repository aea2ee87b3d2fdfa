"""Compiled code computes what the graph says."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dalembert.calculus.elementary_functions import ELEMENTARY
from dalembert.calculus.graph import Graph, cos, evaluate, sin, sqrt
from dalembert.numerics.machine import batch_calls, llvm_ir
from dalembert.numerics.machine.compiler import Library

POSITIVE, UNIT, ABOVE_ONE = (0.1, 5.0), (-0.99, 0.99), (1.0, 5.0)
DOMAINS = {"sqrt": POSITIVE, "log": POSITIVE, "pow": POSITIVE, "asin": UNIT, "acos": UNIT, "atanh": UNIT}
DOMAINS["acosh"] = ABOVE_ONE
SPECIAL = np.array([np.nan, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, 1e-300])


def run(outputs, names, rows, p=()):
    """Values (N, m) of the outputs for states (N, n), compiled."""
    inputs = {name: ("y", i) for i, name in enumerate(names)}
    library = Library.compile({"f": llvm_ir.emit("f", outputs, inputs)})
    out = np.empty((len(rows), len(outputs)))
    batch_calls.map_rows(library.address("f"), np.zeros(len(rows)), np.ascontiguousarray(rows), np.array(p, float), out)
    return out


def operation(name):
    graph = Graph()
    names = [f"x{i}" for i in range(ELEMENTARY[name].arity)]
    return [graph.apply(name, *map(graph.symbol, names))], names


@pytest.mark.parametrize("name", ELEMENTARY)
def test_every_operation_at_random_points(name):
    outputs, names = operation(name)
    rows = np.random.default_rng(1).uniform(*DOMAINS.get(name, (-5.0, 5.0)), (500, len(names)))
    rows[::7, -1] = rows[::7, 0]  # equal arguments too
    expected = evaluate(outputs, dict(zip(names, rows.T, strict=True)))[0]
    np.testing.assert_allclose(run(outputs, names, rows)[:, 0], expected, rtol=5e-15, atol=1e-300)


@pytest.mark.parametrize("name", ELEMENTARY)
def test_every_operation_at_special_points(name):
    outputs, names = operation(name)
    rows = np.stack([x.ravel() for x in np.meshgrid(*[SPECIAL] * len(names))], axis=1)
    expected = evaluate(outputs, dict(zip(names, rows.T, strict=True)))[0]
    np.testing.assert_allclose(run(outputs, names, rows)[:, 0], expected, rtol=5e-15)  # NaN equals NaN here


def test_expression_with_shared_parts_time_and_parameters():
    graph = Graph()
    t, x, k = graph.symbol("t"), graph.symbol("x"), graph.symbol("k")
    outputs = [sin(k * x) + t, sin(k * x) * cos(x) / sqrt(1 + x * x), graph.constant(7), x]
    inputs = {"t": ("t", 0), "x": ("y", 0), "k": ("p", 1)}
    library = Library.compile({"f": llvm_ir.emit("f", outputs, inputs)})
    got = batch_calls.value_at(library.address("f"), 0.3, [0.7], [0.0, 1.9], 4)
    np.testing.assert_allclose(got, evaluate(outputs, {"t": 0.3, "x": 0.7, "k": 1.9}), rtol=1e-15)


def test_not_a_number_stays_visible():
    # no fast-math flag may let the optimiser conclude that a product equals itself
    graph = Graph()
    product = graph.symbol("x") * graph.symbol("y")
    same = graph.apply("eq", product, product)
    assert run([same], ["x", "y"], np.array([[0.0, np.inf], [0.0, 1.0]]))[:, 0].tolist() == [0.0, 1.0]


def test_output_may_be_the_state():
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    library = Library.compile({"swap": llvm_ir.emit("swap", [y, x], {"x": ("y", 0), "y": ("y", 1)})})
    state = np.array([[1.0, 2.0]])
    batch_calls.map_rows(library.address("swap"), np.zeros(1), state, np.zeros(0), state)
    assert state.tolist() == [[2.0, 1.0]]


def test_other_arguments():
    graph = Graph()
    text = llvm_ir.emit("f", [2 * graph.symbol("b")], {"b": ("q", 1)}, arguments=("s", "r", "q"))
    library = Library.compile({"f": text})
    assert batch_calls.value_at(library.address("f"), 0.0, [0.0], [3.0, 4.0], 1) == [8.0]


def test_unknown_symbol_is_named():
    with pytest.raises(KeyError, match="'omega'"):
        llvm_ir.emit("f", [Graph().symbol("omega")], {})


@pytest.mark.parametrize("name", ["", "a b", "f() {", "1f", "ä"])
def test_function_names_are_checked(name):
    with pytest.raises(ValueError, match="name of a compiled function"):
        llvm_ir.emit(name, [Graph().symbol("x")], {"x": ("y", 0)})


def test_symbol_names_never_enter_the_text():
    symbol = 'x"\n  ret void\n}\n declare void @system()'
    text = llvm_ir.emit("f", [1 + Graph().symbol(symbol)], {symbol: ("y", 0)})
    assert "system" not in text
    Library.compile({"f": text})


def test_several_functions_and_threads():
    graph = Graph()
    x = graph.symbol("x")

    def compile_one(k):
        texts = {f"f{j}": llvm_ir.emit(f"f{j}", [sin(x) * (k + j)], {"x": ("y", 0)}) for j in range(2)}
        library = Library.compile(texts)
        return [batch_calls.value_at(library.address(f"f{j}"), 0.0, [1.0], [], 1)[0] for j in range(2)]

    with ThreadPoolExecutor(4) as pool:
        for k, values in enumerate(pool.map(compile_one, range(8))):
            np.testing.assert_allclose(values, np.sin(1.0) * np.array([k, k + 1]), rtol=1e-15)


def test_unknown_function():
    with pytest.raises(KeyError):
        Library.compile({}).address("f")


def saddle(size, extra=()):
    """Library of ``solve``: K and b from the parameters, x and the margin (and more) out."""
    graph = Graph()
    entries = [graph.symbol(f"k{i}") for i in range(size * (size + 1))]
    unknowns = [graph.symbol(f"x{i}") for i in range(size + 1)]
    inputs = {f"k{i}": ("p", i) for i in range(len(entries))} | {f"x{i}": ("x", i) for i in range(size + 1)}
    finish = unknowns + [make(entries, unknowns) for make in extra]
    return Library.compile({"solve": llvm_ir.emit_saddle("solve", size, entries, finish, inputs)})


def solve(library, K, b, extra=0):
    p = np.concatenate([np.ravel(K), b])
    return batch_calls.value_at(library.address("solve"), 0.0, [], p, len(b) + 1 + extra)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 12])
def test_saddle_solves_like_numpy(size):
    rng, library = np.random.default_rng(size), saddle(size)
    for _ in range(50):
        K, b = rng.normal(size=(size, size)), rng.normal(size=size)
        K *= 10.0 ** rng.integers(-8, 8, (size, 1))
        got = solve(library, K, b)
        x = np.linalg.solve(K / np.abs(K).max(axis=1)[:, None], b / np.abs(K).max(axis=1))
        np.testing.assert_allclose(got[:size], x, rtol=1e-10, atol=1e-10 * np.abs(x).max())
        assert 0 < got[size] <= 1


def test_saddle_pivots():
    K = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [1e-9, 1.0, 0.0]])
    b = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(solve(saddle(3), K, b)[:3], np.linalg.solve(K, b), rtol=1e-15)
    assert solve(saddle(2), [[0.0, 1.0], [1.0, 0.0]], [3.0, 4.0]).tolist() == [4.0, 3.0, 1.0]


def test_saddle_finish_sees_unknowns_and_inputs():
    library = saddle(1, extra=[lambda k, x: k[0] * x[0] - k[1], lambda k, x: sin(x[0]) + k[1]])
    got = solve(library, [[4.0]], [2.0], extra=2)
    np.testing.assert_allclose(got, [0.5, 1.0, 0.0, np.sin(0.5) + 2.0], rtol=1e-15)


def test_saddle_of_size_zero():
    assert solve(saddle(0), [], []).tolist() == [1.0]


@pytest.mark.parametrize("K", [[[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [1.0, 1.0]], [[np.nan, 1.0], [1.0, 1.0]]])
def test_saddle_singular(K):
    got = solve(saddle(2), K, [1.0, 1.0])
    assert np.isnan(got[:2]).all()
    assert got[2] == 0


def test_margin_shrinks_with_the_distance_to_singularity_and_ignores_units():
    library, b = saddle(2), np.ones(2)
    near = [solve(library, [[1.0, 1.0], [1.0, 1.0 + d]], b)[2] for d in (1e-2, 1e-4, 1e-6)]
    np.testing.assert_allclose(np.divide(near[:-1], near[1:]), 100, rtol=0.03)
    K = np.array([[3.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 0.0]])  # mass matrix and one constraint
    units = np.diag([2.0**10, 2.0**10, 2.0**-20])  # another mass unit: M is larger, the multiplier too
    assert solve(saddle(3), units @ K @ units, np.ones(3))[3] == solve(saddle(3), K, np.ones(3))[3]


def test_saddle_refuses_wrong_sizes():
    with pytest.raises(ValueError, match="size 2"):
        llvm_ir.emit_saddle("f", 2, [Graph().symbol("k")], [], {"k": ("p", 0)})
    with pytest.raises(KeyError, match="'x0'"):  # K may not depend on x
        llvm_ir.emit_saddle("f", 1, [Graph().symbol("x0")] * 2, [], {"x0": ("x", 0)})
