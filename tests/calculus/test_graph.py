"""The expression graph: equal expressions are one node, derivatives are right, nothing swells."""

import numpy as np
import pytest
import sympy as sp
from sympy.core.cache import clear_cache

from dalembert.calculus.elementary_functions import ELEMENTARY
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate, gradient, operations, substitute, tangent
from dalembert.calculus.linear_systems import Elimination, Factored, Saddle
from dalembert.errors import InvalidValue

DOMAIN = {
    "log": (0.2, 3),
    "sqrt": (0.2, 3),
    "asin": (-0.9, 0.9),
    "acos": (-0.9, 0.9),
    "acosh": (1.2, 3),
    "atanh": (-0.9, 0.9),
    **dict.fromkeys(["hyp2f1", "elliptic_k", "elliptic_e"], (-2, 0.8)),
}
SMOOTH = [n for n, e in ELEMENTARY.items() if n not in {"lt", "le", "eq", "floor", "ceil", "sign"}]


@pytest.mark.parametrize("name", SMOOTH)
def test_partials_against_central_differences(name):
    rng = np.random.default_rng(1)
    low, high = DOMAIN.get(name, (-2, 2))
    graph, arity = Graph(), ELEMENTARY[name].arity
    xs = [graph.symbol(f"x{i}") for i in range(arity)]
    order = [graph.constant(2)] * ELEMENTARY[name].fixed  # no derivative is asked for by an order
    xs, arity = xs[len(order) :], arity - len(order)
    y = graph.apply(name, *order, *xs)
    slopes = gradient(y, xs)
    for _ in range(20):
        point = rng.uniform(low, high, arity)
        if name == "pow":
            point[0] = abs(point[0]) + 0.1
        values = {x.key[1]: v for x, v in zip(xs, point, strict=True)}
        for i in range(arity):
            h = 1e-6
            up, down = ({**values, xs[i].key[1]: point[i] + s * h} for s in (1, -1))
            numeric = (evaluate([y], up)[0] - evaluate([y], down)[0]) / (2 * h)
            assert evaluate([slopes[i]], values)[0] == pytest.approx(numeric, rel=1e-7, abs=1e-8)


def test_forward_and_reverse_sweeps_agree():
    rng = np.random.default_rng(2)
    x = sp.symbols("x0:4")
    graph = Graph()
    nodes = [graph.symbol(s.name) for s in x]
    ys = [read(sp.sin(x[0] * x[1]) / (2 + sp.cos(x[2])) + sp.sqrt(1 + x[3] ** 2) * x[0] ** 3, graph)]
    direction = rng.normal(size=4)
    values = {s.name: rng.normal() for s in x}
    forward = evaluate(tangent(ys, nodes, list(direction)), values)[0]
    reverse = np.dot(evaluate(gradient(ys[0], nodes), values), direction)
    assert forward == pytest.approx(reverse, rel=1e-13)


def test_equal_expressions_are_one_node():
    graph = Graph()
    a, b = graph.symbol("a"), graph.symbol("b")
    assert a * b + 1 == 1 + b * a
    assert -(a - b) == b - a
    assert a + -b == a - b
    assert (a * 2) * 3 == 6 * a
    assert a * 0 == graph.constant(0)


def test_reading_agrees_with_sympy_at_random_points():
    x, y = sp.symbols("x y")
    cases = [
        x * y**-2 / 3,
        sp.sqrt(x**2 + 1) ** -3,
        sp.Piecewise((x, x > y), (y**2, True)),
        sp.Max(x, y, 1) - sp.Min(x, y),
        sp.Abs(x - y) * sp.sign(x),
        sp.exp(x) ** y + sp.atan2(y, x) + sp.tanh(x) + sp.sec(x),
        sp.pi * x - sp.E,
        x**y,
        sp.Heaviside(x - y),
    ]
    rng = np.random.default_rng(3)
    for expression in cases:
        node = read(expression, Graph())
        for _ in range(10):
            values = {"x": float(rng.uniform(0.2, 3)), "y": float(rng.uniform(0.2, 3))}
            expected = float(expression.subs({x: values["x"], y: values["y"]}))
            assert evaluate([node], values)[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    "bad", [sp.I, sp.oo, sp.nan, sp.gamma(sp.Symbol("x")), sp.Integral(sp.Symbol("x"), sp.Symbol("x"))]
)
def test_what_has_no_real_value_is_refused(bad):
    with pytest.raises(InvalidValue, match="E719"):
        read(bad, Graph())


def test_substitution_shares_and_replaces():
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    e = (x + y) * (x + y)
    assert substitute([e], {"x": y})[0] == (y + y) * (y + y)


def test_solves_on_the_graph_are_those_of_numpy():
    rng = np.random.default_rng(4)
    k, m = 5, 2
    A = rng.normal(size=(k, k))
    W, N, f, g = A @ A.T + np.eye(k), rng.normal(size=(m, k)), rng.normal(size=k), rng.normal(size=m)
    graph = Graph()

    def symbols(name, array):
        return np.vectorize(lambda i: graph.symbol(f"{name}{i}"))(np.arange(array.size).reshape(array.shape))

    nodes = {name: symbols(name, a) for name, a in (("W", W), ("N", N), ("f", f), ("g", g))}
    values = {f"{n}{i}": v for n, a in (("W", W), ("N", N), ("f", f), ("g", g)) for i, v in enumerate(a.ravel())}
    x, lam = Saddle.of(nodes["W"].tolist(), nodes["N"].tolist()).solve(nodes["f"].tolist(), nodes["g"].tolist())
    K = np.block([[W, -N.T], [N, np.zeros((m, m))]])
    assert np.allclose(evaluate([*x, *lam], values), np.linalg.solve(K, np.r_[f, g]), rtol=1e-11, atol=1e-11)
    pivots = evaluate(Factored.of(nodes["W"].tolist()).pivots, values)
    assert np.prod(pivots) == pytest.approx(np.linalg.det(W), rel=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_solves_of_matrices_with_few_entries_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    k, m = 9, 3
    near = np.triu(rng.random((k, k)) < 0.2, 1) * rng.normal(size=(k, k))
    W = near + near.T + 9 * np.eye(k)
    N = (rng.random((m, k)) < 0.3) * rng.normal(size=(m, k)) + np.eye(m, k, 2)
    f, g = (rng.normal(size=n) * (rng.random(n) < 0.6) for n in (k, m))
    graph, values = Graph(), {}

    def nodes(name, array):
        found = np.empty(array.shape, object)
        for place, value in np.ndenumerate(array):
            label = f"{name}{place}"
            found[place] = graph.symbol(label) if value else graph.constant(0)
            values[label] = value
        return found.tolist()

    x, lam = Saddle.of(nodes("W", W), nodes("N", N)).solve(nodes("f", f), nodes("g", g))
    K = np.block([[W, -N.T], [N, np.zeros((m, m))]])
    assert np.allclose(evaluate([*x, *lam], values), np.linalg.solve(K, np.r_[f, g]), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_joined_to_the_fewest_is_eliminated_first(seed):
    rng = np.random.default_rng(seed)
    k, m = 8, 3
    near, N = np.triu(rng.random((k, k)) < 0.25, 1), rng.random((m, k)) < 0.3
    graph = Graph()
    as_nodes = [[[graph.constant(float(e)) for e in row] for row in A] for A in ((near + near.T) * 1 + np.eye(k), N)]
    joined = np.block([[near + near.T, N.T], [N, np.zeros((m, m), bool)]]).astype(bool)
    order, filled, left = [], 0, list(range(k + m))
    while left:
        a = min([a for a in left if a < k] or left[:1], key=lambda a: (joined[a, left].sum(), a))
        left.remove(a)
        beside = [b for b in left if joined[a, b]]
        joined[np.ix_(beside, beside)] = True
        joined[beside, beside] = False
        order, filled = [*order, a], filled + len(beside)
    found = Elimination.of(*as_nodes)
    assert found.order == order[:k]
    assert found.filled == filled


def test_a_chain_is_solved_at_a_cost_in_proportion_to_its_links():
    def cost(n):
        graph = Graph()
        zero = graph.constant(0)
        S = [[graph.symbol(f"s{i + j}") if abs(i - j) < 2 else zero for j in range(n)] for i in range(n)]
        return sum(operations(Factored.of(S).solve([graph.symbol(f"b{i}") for i in range(n)])).values())

    # a link more: L and D, a step forward and one back
    assert cost(41) - cost(40) == cost(11) - cost(10) == 9


def test_cost_of_the_solve_grows_with_the_cube_not_exponentially():
    counts = []
    for n in (4, 8, 16):
        graph = Graph()
        S = [[graph.symbol(f"s{min(i, j)}_{max(i, j)}") for j in range(n)] for i in range(n)]
        counts.append(sum(operations(Factored.of(S).solve([graph.symbol(f"b{i}") for i in range(n)])).values()))
    assert counts[1] / counts[0] < 9
    assert counts[2] / counts[1] < 9


def test_conditions_joined_by_and_and_or():
    x, y = sp.symbols("x y")
    node = read(sp.Piecewise((1, sp.And(x > 0, y > 0)), (2, sp.Or(x > 1, y > 1)), (3, True)), Graph())
    for values, expected in (((1, 1), 1), ((2, -1), 2), ((-1, 2), 2), ((-1, 0.5), 3), ((0.5, -1), 3)):
        assert evaluate([node], {"x": values[0], "y": values[1]})[0] == expected


def test_equal_factors_are_read_though_they_are_other_objects():
    """SymPy forgets what it made long ago, and makes it again: an equal power then has another base."""
    graph = Graph()
    read((1 + sp.Symbol("y")) ** -2, graph)
    clear_cache()
    node = read(sp.Symbol("x") * (1 + sp.Symbol("y")) ** -2, graph)
    assert evaluate([node], {"x": 3.0, "y": 1.0}) == [0.75]


def test_the_state_that_was_looked_at_last_is_told_from_others_by_every_bit():
    graph = Graph()
    x = graph.symbol("x")
    for value in (0.0, -0.0, 0.0, np.nextafter(1.0, 2.0), 1.0, 1, np.float64(-0.0)):
        expected = np.float64(value) + 1, np.float64(1) / np.float64(value) if value else np.copysign(np.inf, value)
        assert evaluate([x + 1, 1 / x], {"x": value}) == list(expected)
    assert np.isnan(evaluate([x + 1], {"x": np.nan})).all()
    np.testing.assert_array_equal(evaluate([x + 1], {"x": np.array([1.0, 2.0])})[0], [2.0, 3.0])
