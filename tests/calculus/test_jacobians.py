"""Derivatives as numbers without nodes are those of the nodes, and cancellation is told from smallness."""

import numpy as np
import pytest

from dalembert.calculus.graph import Graph, Node, cos, evaluate, gradient, sin, sqrt, substitute
from dalembert.calculus.jacobians import FEW, Slopes, affine, numbers_of
from dalembert.calculus.substitution import Substitution
from dalembert.principles.lean.independent_velocities import NodeValues

SIZE = 18
RNG = np.random.default_rng(5)


def _chain(graph: Graph) -> tuple[list[Node], list[Node], list[Node]]:
    """Functions of all kinds, each of what stood before it."""
    q, u = ([graph.symbol(f"{letter}{i}") for i in range(SIZE)] for letter in "qu")
    total, rows = graph.constant(0), []
    for a, w in zip(q, u, strict=True):
        total = total + w * sin(a) - w
        rows.append(total * total / (2 + cos(w)) + sqrt(1 + w * w) - (-total) ** 3)
    return q, u, rows


def _values(size: int | None = None) -> dict[str, np.ndarray]:
    return {f"{letter}{i}": RNG.uniform(0.5, 1.5, size) for letter in "qu" for i in range(SIZE)}


@pytest.mark.parametrize("size", [None, 4])
def test_numbers_are_those_of_the_nodes(size):
    _, u, rows = _chain(Graph())
    values = {name: float(x) for name, x in _values().items()} if size is None else _values(size)
    slopes = Slopes(rows, u)
    assert slopes.many
    expected = np.array([[np.broadcast_to(x, size or ()) for x in evaluate(row, values)] for row in slopes])
    expected = expected if size is None else np.moveaxis(expected, -1, 0)
    found = numbers_of(slopes, SIZE, values)
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    largest = np.abs(expected).max(axis=-1) if size is None else np.abs(expected).max(axis=(0, -1))
    assert np.allclose(slopes.tops(values).max(axis=1), largest, rtol=1e-12)
    assert np.array_equal(slopes.of([3, 1]).numbers(values), found[..., [3, 1], :])


def test_a_symmetric_matrix_is_the_hessian():
    _, u, rows = _chain(Graph())
    p = gradient(rows[-1], u)
    values = {name: float(x) for name, x in _values().items()}
    W = Slopes(p, u, symmetric=True)
    found = W.numbers(values)
    assert np.allclose(found, found.T, rtol=1e-11, atol=1e-11 * np.abs(found).max())
    assert np.allclose(found, [evaluate(row, values) for row in W], rtol=1e-11, atol=1e-11 * np.abs(found).max())


def test_what_is_left_over_from_larger_terms_is_told():
    graph = Graph()
    u = [graph.symbol(f"u{i}") for i in range(FEW)]
    near = graph.symbol("near")
    rows = [u[0] - near * u[0], u[1] * 1e-9, u[2] - u[3]]
    values = {x.key[1]: 1.0 for x in u} | {"near": 1 - 1e-9}
    left = Slopes(rows, u).uncancelled(values)
    assert left[0] == pytest.approx(0.5e-9, rel=1e-3)
    assert left[1:] == pytest.approx([1, 1])


def test_a_number_that_is_not_finite_is_seen():
    _, u, rows = _chain(Graph())
    values = {name: float(x) for name, x in _values().items()}
    assert Slopes(rows, u).finite(values)
    assert not Slopes(rows, u).finite({**values, "u3": float("inf")})


def test_affine_rows_are_told_at_any_size():
    graph = Graph()
    u = [graph.symbol(f"u{i}") for i in range(FEW + 1)]
    c = graph.symbol("c")
    rows = [c * u[0] - u[1] / c + 3, u[0] * u[1], sin(u[2]), (1 + c * c) * (u[3] + u[4]), c / u[0]]
    assert affine(rows, u) == [True, False, False, True, False]


def test_values_are_those_of_a_program_however_they_are_asked_for():
    graph = Graph()
    _, _, rows = _chain(graph)
    states = [{name: float(x) for name, x in _values().items()} for _ in range(3)]
    known = NodeValues(graph, states)
    one_by_one = np.hstack([known([row]) for row in rows])
    assert np.array_equal(one_by_one, [evaluate(rows, values) for values in states])
    x = graph.symbol("q0")
    assert np.isinf(known([1 / (x - x * 1.0 + graph.symbol("u0") * 0)])).all()


def test_one_substitution_after_another_is_both_at_once():
    graph = Graph()
    _, u, rows = _chain(graph)
    names = [x.key[1] for x in u]
    places = dict.fromkeys(names, graph.constant(0))
    alone = Substitution(graph, {names[2]: graph.constant(1)}, Substitution(graph, places))
    for name, place in ((names[2], graph.constant(1)), (names[5], graph.symbol("e")), (names[2], graph.constant(0))):
        alone.put(name, place)
        places = {**places, name: place}
        assert [alone(row) for row in rows] == substitute(rows, places)


def test_remembered_numbers_are_those_of_their_state():
    _, u, rows = _chain(Graph())
    slopes, fresh = Slopes(rows, u), Slopes(rows, u)
    here = {name: float(x) for name, x in _values().items()}
    there = {**here, "u3": 0.25}
    for values in (here, there, here, {**here, "u3": float("inf")}):
        found = slopes.numbers(values)
        assert found.tobytes() == fresh._sweep.matrix(fresh._known(values)).tobytes()
        assert slopes.finite(values) == np.isfinite(found).all()
    assert slopes.numbers(here) is slopes.numbers(dict(here))
    assert np.array_equal(slopes.numbers({**here, "u3": np.array([here["u3"], 0.25])})[1], slopes.numbers(there))


def test_what_is_not_finite_is_seen_where_no_slope_depends_on_it():
    graph = Graph()
    x, v = graph.symbol("x"), graph.symbol("v")
    slopes = Slopes([3 * sin(x) + graph.apply("exp", v)], [x])
    assert slopes.finite({"x": 0.5, "v": 1.0})
    np.testing.assert_array_equal(slopes.numbers({"x": 0.5, "v": 2.0}), slopes.numbers({"x": 0.5, "v": 1.0}))
    assert not slopes.finite({"x": 0.5, "v": 1e4})
    assert slopes.numbers({"x": 0.5, "v": np.array([1.0, 2.0])}).shape == (2, 1, 1)
    assert slopes.numbers({"x": 0.5, "v": 1.0}).shape == (1, 1)
    assert slopes.numbers({"x": 0.0, "v": 1.0}) == 3.0
