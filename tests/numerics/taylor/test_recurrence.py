"""Taylor coefficients of every operation, against mpmath with many digits."""

import ctypes
import random

import mpmath as mp
import numpy as np
import pytest

from dalembert.calculus.elementary_functions import ELEMENTARY
from dalembert.calculus.graph import Graph, Node
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.methods.taylor import code_splitting, recurrence
from dalembert.numerics.methods.taylor.recurrence import Recurrences
from dalembert.numerics.methods.taylor.series_ir import HEAD, HIGHEST, NONE, LinearEquations, emit_series, padded

ORDER, DIGITS = 29, 60


def apply(name, *args):
    graph = next(a.graph for a in args if isinstance(a, Node))
    return graph.apply(name, *args)


def coefficients(build, start, t=0.0, order=ORDER, scale=1.0, size=0, rest=0.0):
    """Coefficients (order + 1, n) of the solution of dy/dt = build(t, y) at a start."""
    graph, n = Graph(), len(start)
    y = [graph.symbol(f"y{i}") for i in range(n)]
    outputs = build(graph.symbol("t"), y)
    system = ()
    if size:
        outputs, system = outputs
    inputs = {"t": ("t", 0), **{f"y{i}": ("y", i) for i in range(n)}, **{f"x:{i}": ("x", i) for i in range(size + 1)}}
    saddle = LinearEquations(size, system) if size else NONE
    outputs = [graph.lift(e) for e in outputs]
    code = emit_series("series", outputs, graph.constant(1), [f"y{i}" for i in range(n)], inputs, "t", saddle)
    library = Library.compile({"series": code.text})
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(library.address("series"))
    arrays = (
        np.array([t, order, scale]),
        np.r_[start, np.zeros(n)].astype(float),
        np.zeros(1),
        np.full(code.length, rest),
    )
    for _ in range(2):  # what the first leaves behind must not disturb the second
        function(*(a.ctypes.data for a in arrays))
    return arrays[3][HEAD : HEAD + (HIGHEST + 1) * padded(n)].reshape(-1, padded(n))[: order + 1, :n]


def expected(f, t=0.0, order=ORDER):
    """The coefficients of the integral of f(t)."""
    with mp.workdps(DIGITS):
        return np.array([0, *(c / (k + 1) for k, c in enumerate(mp.taylor(f, mp.mpf(t), order - 1)))], dtype=object)


def close(found, truth, allowed):
    """Each coefficient, by the largest that its neighbours let expect: rounding does not know which ones vanish."""
    size = np.array([float(abs(c)) for c in truth])
    around = np.maximum(size, 0.1 * np.maximum(np.r_[size[1:], 0.0], np.r_[0.0, size[:-1]]))
    around = np.maximum(around, 1e-300)
    off = np.array([float(abs(mp.mpf(float(a)) - b)) for a, b in zip(found, truth, strict=True)])
    assert np.all(off <= allowed * around), (off / around).max()


MP = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": lambda a, b: a**b,
    "abs": abs,
    "min": min,
    "max": max,
    "sign": mp.sign,
    "floor": mp.floor,
    "ceil": mp.ceil,
    "lt": lambda a, b: mp.mpf(a < b),
    "le": lambda a, b: mp.mpf(a <= b),
    "eq": lambda a, b: mp.mpf(a == b),
    "select": lambda c, a, b: a if c != 0 else b,
}
MP |= {"elliptic_k": mp.ellipk, "elliptic_e": mp.ellipe}
MP |= {name: getattr(mp, name) for name in ELEMENTARY.keys() - MP.keys()}


def argument(a, b, c):
    """A quadratic in t: the same numbers for both sides."""
    return lambda t: c * t * t + b * t + a


@pytest.mark.parametrize("name", sorted(ELEMENTARY))
def test_each_operation(name):
    rng = random.Random(name)
    base = {"acosh": 1.6, "log": 0.8, "sqrt": 0.7, "pow": 0.9}.get(name, 0.35)
    parts = [
        argument(base + 0.1 * max(i - ELEMENTARY[name].fixed, 0), rng.uniform(-0.4, 0.4), rng.uniform(-0.2, 0.2))
        for i in range(ELEMENTARY[name].arity)
    ]
    for i in range(ELEMENTARY[name].fixed):
        parts[i] = lambda t: 2
    found = coefficients(lambda t, y: [apply(name, *(p(t) for p in parts))], [0.0])
    # F(a, b; c; x) has one function more for each order, (a)_k (b)_k/(c)_k times F(a + k, ...), whose rounding stays
    allowed = 1e-8 if name in ("hyp2f1", "elliptic_k", "elliptic_e") else 1e-12
    close(found[:, 0], expected(lambda t: MP[name](*(p(t) for p in parts))), allowed)


@pytest.mark.parametrize("exponent", [1 / 3, -2.7, 100.0, 1.5])
def test_powers(exponent):
    part = argument(0.8, 0.3, -0.1)
    found = coefficients(lambda t, y: [apply("pow", part(t), exponent)], [0.0])
    close(found[:, 0], expected(lambda t: part(t) ** mp.mpf(exponent)), 1e-12)


@pytest.mark.parametrize("name", ["min", "max", "select", "abs"])
@pytest.mark.parametrize("order", [1, -1])
def test_branches(name, order):
    """Either branch; and a branch that is not taken may be no number."""
    a, b = (argument(-0.3, 0.2, 0.1), argument(0.6, -0.4, 0.3))[::order]
    args = {"abs": [a], "select": [lambda t: apply("lt", 0, a(t)), lambda t: apply("sqrt", a(t)), b]}.get(name, [a, b])
    found = coefficients(lambda t, y: [apply(name, *(p(t) for p in args))], [0.0])
    exact = {"abs": lambda t: abs(a(t)), "select": lambda t: mp.sqrt(a(t)) if a(t) > 0 else b(t)}
    close(found[:, 0], expected(exact.get(name, lambda t: MP[name](a(t), b(t)))), 1e-12)


def expression(rng, t, functions, depth):
    """The same random expression over nodes or over mpmath numbers."""
    if depth == 0:
        return t * rng.uniform(-0.5, 0.5) + rng.uniform(0.5, 1.5)
    name = rng.choice(["+", "-", "*", "/", "sin", "cos", "exp", "sqrt", "log", "atan", "tanh", "*", "square", "scaled"])
    a = expression(rng, t, functions, depth - 1)
    if name in ("+", "-", "*"):
        return functions(name, a, expression(rng, t, functions, depth - 1))
    if name == "/":
        b = expression(rng, t, functions, depth - 1)
        return functions("/", a, 2 + b * b)
    if name == "square":
        return a * a
    if name == "scaled":
        return a * rng.uniform(-1, 1)
    return functions(name, 1 + a * a if name in ("sqrt", "log") else functions("sin", a) if name == "exp" else a)


@pytest.mark.parametrize("seed", range(12))
def test_random_expressions(seed):
    found = coefficients(lambda t, y: [expression(random.Random(seed), t, apply, 4)], [0.0], t=0.2)
    truth = expected(lambda t: expression(random.Random(seed), t, lambda n, *a: MP[n](*a), 4), t=0.2)
    # rounding in proportion to the terms: the series' own radius sets their size
    size = [float(abs(c)) for c in truth[1:]]
    radius = max(s ** (1 / k) for k, s in enumerate(size, 1))
    off = [abs(float(a - b)) / radius**k for k, (a, b) in enumerate(zip(found[:, 0], truth, strict=True))]
    assert max(off) < 1e-13


def many(t, y):
    """Dozens of convolutions, and one that two sums share."""
    a, b = y
    terms = [apply("sin", a * (i + 1)) * apply("cos", b + 0.1 * i) / (2 + a * b) for i in range(9)]
    return [b * a - apply("sin", a * b) / (2 + b), apply("sqrt", 2 + a) * apply("exp", -b) - 0.01 * sum(terms)]


@pytest.mark.parametrize("abreast", [1, 2, 3])
def test_convolutions_side_by_side(monkeypatch, abreast):
    """However many vectors are added up at the same time: the same numbers."""
    usual = coefficients(many, [0.3, -0.7])
    monkeypatch.setattr(recurrence, "ABREAST", abreast)
    np.testing.assert_array_equal(coefficients(many, [0.3, -0.7]), usual)


@pytest.mark.parametrize("longest", [20, 50, 151])
def test_cut_into_parts(monkeypatch, longest):
    """Numbers, tests, pairs and addresses that go from one part to another: the same but for fused operations."""

    def build(t, y):
        chosen = apply("select", apply("lt", 0, y[0]), apply("atan2", y[0], 2 + t), y[1])
        pair = apply("sin", 0.75 * t) - y[1] * apply("cos", 0.75 * t)  # which come together
        return [sum(many(t, y), chosen * y[0]), apply("sin", y[0] + 0.5 * y[1]) + pair * apply("exp", y[1])]

    whole = coefficients(build, [0.3, -0.7])
    monkeypatch.setattr(code_splitting, "LONGEST", longest)
    np.testing.assert_allclose(coefficients(build, [0.3, -0.7]), whole, rtol=1e-11)


def test_cut_with_linear_equations(monkeypatch):
    monkeypatch.setattr(code_splitting, "LONGEST", 20)
    test_linear_equations_on_the_way()


def test_what_stood_in_the_work_space_does_not_matter():
    first = coefficients(many, [0.3, -0.7])
    np.testing.assert_array_equal(coefficients(many, [0.3, -0.7], rest=np.nan), first)


def test_linear_equations_on_the_way():
    """K x = b solved order by order, against Cramer's rule on the graph."""

    def matrix(t, y):
        s = apply("sin", y[0])
        return (1 + s, y[1], apply("cos", t), 3 + y[0] * y[1]), (y[1] + t, 1 - y[0])

    def direct(t, y):
        (a, b, c, d), (e, f) = matrix(t, y)
        return [(e * d - b * f) / (a * d - b * c), (a * f - c * e) / (a * d - b * c)]

    def solved(t, y):
        x = [t.graph.symbol(f"x:{i}") for i in range(2)]
        K, b = matrix(t, y)
        return [x[0], x[1]], [t.graph.lift(e) for e in (*K, *b)]

    start = [0.4, -0.2]
    np.testing.assert_allclose(
        coefficients(solved, start, 0.1, size=2), coefficients(direct, start, 0.1), rtol=1e-11, atol=1e-15
    )


def test_scale():
    """y(t + s x): coefficient k times s^k, and s is a power of two."""

    def build(t, y):
        return [apply("cos", y[0]) + t * t]

    plain, scaled = coefficients(build, [0.3], 0.5), coefficients(build, [0.3], 0.5, scale=2.0**-7)
    np.testing.assert_array_equal(scaled[:, 0], plain[:, 0] * 2.0 ** (-7 * np.arange(ORDER + 1)))


def test_what_does_not_move_costs_nothing():
    graph = Graph()
    x, p = graph.symbol("x"), graph.symbol("p")
    known = Recurrences([apply("sin", p) * p * x + p / (1 + p * p)], ["x"])
    assert all(not rule.convolutions for rule in known.rules.values())


def test_sums_of_products_are_added_up_together():
    graph = Graph()
    a, b, c, d = (graph.symbol(s) for s in "abcd")
    known = Recurrences([a * b + c * d - a * d], "abcd")
    assert [len(rule.convolutions) for rule in known.rules.values()] == [3]
