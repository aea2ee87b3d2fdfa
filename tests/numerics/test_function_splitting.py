"""Functions that were cut compute what whole ones do, bit for bit, and no piece is long."""

import numpy as np
import pytest

from dalembert.calculus.graph import Graph, cos, evaluate, sin
from dalembert.numerics.machine import batch_calls, function_splitting, linear_solve, llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.machine.ir_numbers import Real

INPUTS = {"t": ("t", 0), "x": ("y", 0), "y": ("y", 1), "k": ("p", 0)}


def tangled(count, seed=3):
    """Outputs of a graph whose operations take what was computed shortly or long before."""
    graph, rng = Graph(), np.random.default_rng(seed)
    made = [graph.symbol(name) for name in INPUTS]
    ways = [
        lambda a, b, c: a * b + c, lambda a, b, c: c - a * b, lambda a, b, c: a * b - c,
        lambda a, b, c: sin(a) * b, lambda a, b, c: cos(a * b) + c, lambda a, b, c: (a + 2.5) / (b * b + 1.5),
    ]  # fmt: skip
    while len(made) < count:
        a, b, c = (made[-int(k)] for k in rng.integers(1, np.minimum([4, 30, 1000], len(made)) + 1))
        made.append(ways[rng.integers(len(ways))](a, b, c))
        if len(made) % 3 == 0:
            made.append(sin(made[-1]))
    return [made[-1], graph.constant(3), made[0], made[len(made) // 2], made[-1], made[-2]]


def values(text, count, width=1):
    library = Library.compile({"f": text})
    rows = np.repeat(np.array([[0.3], [-0.7]]), width, 1).ravel(), np.repeat([1.1], width)
    return np.asarray(batch_calls.value_at(library.address("f"), np.repeat(0.2, width), *rows, count * width))


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("length", [1, 7, 40])
def test_pieces_have_the_bits_of_the_whole(monkeypatch, width, length):
    outputs, real = tangled(150), Real.lanes(width)
    whole = values(llvm_ir.emit("f", outputs, INPUTS, real=real), len(outputs), width)
    monkeypatch.setattr(llvm_ir, "LARGEST", 20)
    monkeypatch.setattr(function_splitting, "LENGTH", length)
    text = llvm_ir.emit("f", outputs, INPUTS, real=real)
    assert text.count("define internal void") >= 100 // length
    np.testing.assert_array_equal(values(text, len(outputs), width), whole)
    known = {"t": 0.2, "x": 0.3, "y": -0.7, "k": 1.1}
    np.testing.assert_allclose(whole[::width], evaluate(outputs, known), rtol=1e-12)


def test_both_sides_of_a_solution_are_cut(monkeypatch):
    outputs = tangled(150)
    graph = outputs[0].graph
    system = [outputs[0] + 3, outputs[3], outputs[3], outputs[0] - 4, outputs[5], graph.constant(1)]
    x = [graph.symbol(f"x:{i}") for i in range(2)]
    inputs = {**INPUTS, "x:0": ("x", 0), "x:1": ("x", 1)}
    finish = [sin(outputs[0] * x[0] + x[1]), outputs[5] * x[1], *x]

    def text():
        return llvm_ir.emit_saddle("f", 2, system, finish, inputs)

    whole = values(text(), 4)
    monkeypatch.setattr(llvm_ir, "LARGEST", 20)
    monkeypatch.setattr(function_splitting, "LENGTH", 20)
    assert function_splitting.PREFIX in text() and linear_solve.SYMBOL in text()
    np.testing.assert_array_equal(values(text(), 4), whole)


def test_the_text_of_pieces_grows_in_proportion(monkeypatch):
    monkeypatch.setattr(llvm_ir, "LARGEST", 100)
    monkeypatch.setattr(function_splitting, "LENGTH", 100)
    short, long = (llvm_ir.emit("f", tangled(n), INPUTS) for n in (1000, 4000))
    assert len(long) < 4.6 * len(short)
    longest = max(part.count("\n") for part in long.split("define internal void"))
    assert longest < 1500  # with what a piece takes and what it hands on
