"""Residues tell equal from different; what is tidied has the same values from fewer operations."""

import itertools

import numpy as np
import pytest

from dalembert.calculus.elementary_functions import ELEMENTARY
from dalembert.calculus.exact.exact_rank import Wide
from dalembert.calculus.exact.finite_field import Residues
from dalembert.calculus.exact.operation_count import Tidy
from dalembert.calculus.exact.shared_sums import prefixed
from dalembert.calculus.graph import Graph, Node, cos, evaluate, operations, sin, sqrt

NAMES = ("x", "y", "z", "w", "m", "k")
POINTS = {name: np.random.default_rng(i).uniform(0.3, 1.4, 20) for i, name in enumerate(NAMES)}


def graph():
    g = Graph()
    return g, [g.symbol(name) for name in NAMES]


def identities():
    g, (x, y, _z, _w, m, k) = graph()
    return g, {
        "circle": (sin(x) * sin(x) + cos(x) * cos(x), g.constant(1)),
        "addition": (sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)),
        "multiple": (cos(3 * x), 4 * cos(x) * cos(x) * cos(x) - 3 * cos(x)),
        "difference": (cos(x - y) - cos(x + y), 2 * sin(x) * sin(y)),
        "half": (sin(x / 2) * cos(x / 2) * 2, sin(2 * (x / 2))),
        "fractions": (1 / (x - y) - 1 / (x + y), 2 * y / (x * x - y * y)),
        "binomial": ((x + y) * (x + y) * (x + y), x * x * x + 3 * x * x * y + 3 * x * y * y + y * y * y),
        "expression of an angle": (sin(x * y + k) * cos(y * x + k), sin(2 * (x * y + k)) / 2),
        "parameters": (m * x / (m + k) + k * x / (m + k), x),
        "inside a root": (sqrt((x + y) * (x - y)), sqrt(x * x - y * y)),
    }


@pytest.mark.parametrize("name", identities()[1])
def test_what_is_equal_has_equal_residues(name):
    g, pairs = identities()
    a, b = pairs[name]
    assert all(Residues(g, seed=s)(a.index) == Residues(g, seed=s)(b.index) for s in range(5))
    np.testing.assert_allclose(*np.broadcast_arrays(*evaluate([a, b], POINTS)), rtol=1e-12)


def test_what_differs_has_different_residues():
    g, pairs = identities()
    nodes = {side.index for pair in pairs.values() for side in pair}
    here = Residues(g)
    values = {i: here(i) for i in nodes}
    for a, b in itertools.combinations(sorted(nodes), 2):
        x, y = np.broadcast_arrays(*evaluate([Node(g, a), Node(g, b)], POINTS))
        assert (values[a] == values[b]) == np.allclose(x, y, rtol=1e-11, equal_nan=True)


def test_a_unit_vector_keeps_its_length_and_moves_as_a_whole():
    g, (x, y, z, w, *_) = graph()
    square = x * x + y * y + z * z + w * w
    assert Residues(g, unit=[NAMES[:4]])(square.index) == 1
    assert Residues(g)(square.index) != 1
    moved = Residues(g, moved=["x"], unit=[NAMES[:4]])
    assert moved(square.index) == 1
    assert moved(y.index) != Residues(g, unit=[NAMES[:4]])(y.index)


def test_squares_of_a_unit_vector_are_used_up():
    g, (x, y, z, w, m, k) = graph()
    y1 = m * (x * x) * w + m * (y * y) * w + k * w + (z * z) * (m * w)  # (m + k) w on the sphere
    y2 = w * (m * (1 - z * z) + k)  # as it is
    tidy = Tidy(g, NAMES[:4], NAMES[:3], [NAMES[:3]])
    assert tidy.cost(tidy([y1])) == 1
    assert tidy.cost(tidy([y2])) <= tidy.cost([y2])
    assert Tidy(g, NAMES[:4], NAMES[:3]).cost(tidy([y2])) > 1
    lengths = np.sqrt(sum(POINTS[name] ** 2 for name in NAMES[:3]))
    unit = POINTS | {name: POINTS[name] / lengths for name in NAMES[:3]}
    for a, b in zip(evaluate([y1, y2], unit), evaluate(tidy([y1, y2]), unit), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_what_a_node_depends_on_in_truth():
    g, (x, y, _z, _w, m, k) = graph()
    tidy = Tidy(g, ["x", "y"], ["x", "y"])
    ahead, aside = cos(x) * y - sin(x) * 3, sin(x) * y + cos(x) * 3
    turned = ahead * ahead + aside * aside
    assert not tidy.depends(turned, "x") and tidy.depends(turned, "y")
    assert tidy.constant(turned - y * y) and not tidy.constant(turned)
    assert tidy.zero(turned - y * y - 9) and tidy.equal(turned, 9 + y * y)
    assert tidy.constant(m / k) and not tidy.zero(m)


@pytest.mark.parametrize("polynomials", [True, False])
def test_tidied_nodes_have_the_values_they_had(polynomials):
    rng = np.random.default_rng(7)
    for _ in range(40):
        g, leaves = graph()
        pool = [*leaves, sin(leaves[0]), cos(leaves[0]), sin(leaves[1] + leaves[0]), cos(leaves[1]), g.constant(2)]
        for _ in range(14):
            a, b = (pool[i] for i in rng.integers(len(pool), size=2))
            pool.append([a + b, a - b, a * b, a / (b * b + 1), -a][rng.integers(5)])
        ys = pool[-4:]
        tidy = Tidy(g, NAMES[:4], NAMES[:2], polynomials=polynomials)
        found = tidy(ys)
        assert tidy.cost(found) <= tidy.cost(ys)
        for a, b in zip(evaluate(ys, POINTS), evaluate(found, POINTS), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_sums_in_a_chain_share_the_sums_before():
    # y_i = sum of x_j x_(j-1) up to i, each written from its last term on: sizes 1 + 2 + ... without sharing
    counts = []
    for links in (50, 100, 200):
        g = Graph()
        x = [g.symbol(f"x{i}") for i in range(links + 1)]
        ys = []
        for i in range(1, links):
            total = x[i] * x[i + 1]
            for j in range(i, 0, -1):
                total = total + x[j] * x[j - 1]
            ys.append(sin(total))
        found = prefixed(ys)
        counts.append(sum(operations(found).values()))
        values = {f"x{i}": np.cos(i) for i in range(links + 1)}
        np.testing.assert_allclose(evaluate(found, values), evaluate(ys, values), atol=1e-11)
    assert counts[1] - counts[0] == pytest.approx((counts[2] - counts[1]) / 2, rel=0.02)
    assert counts[2] < 8 * 200


def test_a_term_and_twice_the_term_are_one_product():
    _g, (x, y, z, w, m, k) = graph()
    # v1 = w + m x y ,  v2 = w + 2 m x y + m z y ,  as SymPy has them: (2 m) x y
    ys = [sin(w + (m * x) * y), sin(w + ((2 * m) * x) * y + (m * z) * y), sin(w - (3 * k) * x), sin(k * x)]
    found = prefixed(ys)
    assert operations(found)["*"] == 7  # m x y, m z y, k x, and one by 2 and one by 3
    assert operations(ys)["*"] == 10
    np.testing.assert_allclose(evaluate(found, POINTS), evaluate(ys, POINTS), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("row", ELEMENTARY.values(), ids=ELEMENTARY)
def test_numbers_of_any_size_are_those_of_floating_point(row):
    graph, place = Graph(), {"a": 1.0 if row.name in ("besselj", "acosh") else 0.7, "b": 0.3, "c": 0.4, "d": 0.2}
    node = graph.apply(row.name, *(graph.symbol(s) for s in list(place)[: row.arity]))
    value, *copies = Wide(place)([node])[0]
    assert float(value) == pytest.approx(
        float(row.value(*map(np.float64, list(place.values())[: row.arity]))), rel=1e-14
    )
    assert all(abs(float(copy / value) - 1) < 1e-8 for copy in copies if value)


@pytest.mark.parametrize("x", [1e300, -1e300, 0.0])
def test_what_takes_too_long_is_not_looked_at(x):
    graph = Graph()
    a = graph.symbol("a")
    tall = graph.apply("exp", graph.apply("exp", graph.apply("exp", graph.apply("exp", a + 5))))
    assert not Wide({"a": x}).not_zero(graph.apply("sin", tall))
    assert not Wide({"a": x}).not_zero(graph.apply("log", -(a * a)))
    assert not Wide({"a": x}).not_zero((a - a * 1.0) / (a - a))
