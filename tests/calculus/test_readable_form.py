"""Work that writing takes is bounded by counts: systems of many bodies are computed, not expanded."""

import importlib

import pytest
import sympy as sp
from sympy.polys.orderings import lex

import dalembert as da
from dalembert.calculus import readable_form
from dalembert.calculus.algebra import GraphAlgebra
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph

CHAINS = {"car_with_trailers": (4, 20), "wheeled_snake": (4, 20)}


@pytest.fixture
def counted(monkeypatch):
    """Terms that were written as expressions, and products of terms times variables."""
    found, own = {"terms": 0, "products": 0}, readable_form._Expanded

    class Counting(own):
        def collected(self, p, leading):
            found["terms"] += len(p)
            return super().collected(p, leading)

        def _times(self, a, b):
            found["products"] += len(a) * len(b) * self.ring.ngens
            return super()._times(a, b)

    monkeypatch.setattr(readable_form, "_Expanded", Counting)
    return found


@pytest.mark.parametrize("name", CHAINS)
def test_no_chain_takes_more_than_is_allowed(name, counted):
    module = importlib.import_module(f"dalembert.systems.{name}")
    for n in CHAINS[name]:
        counted |= {"terms": 0, "products": 0}
        da.nonholonomic(module.system(n)).text(80)
        assert counted["terms"] <= readable_form._MOST_WRITTEN
        assert counted["products"] <= 2 * readable_form._MOST_WORK
        assert (counted["terms"] > 0) == (n == 4), n  # a short chain is written as a person would


def test_what_is_too_long_together_is_said():
    with pytest.raises(readable_form.TooLong):
        readable_form.readable(*_sums(readable_form._MOST_WRITTEN + 1))
    assert len(readable_form.readable(*_sums(40))) == 40


def _sums(count):
    """Outputs of one term each, and their symbols."""
    graph = Graph()
    return [graph.symbol("x") * graph.constant(float(k + 1)) for k in range(count)], {}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("1 + sin(x)^2/cos(x)^2", "1/cos(x)**2"),
        ("a/cos(x) + sin(x)*tan(x)*a", "a*(2/cos(x) - cos(x))"),
        ("a*sin(x)*tan(x)/cos(x)^2 + a/cos(x)", "a/cos(x)**3"),
        ("a/(b*c) - b/(b^2*c)*a", "0"),
        ("(a + b)/(a*c + b*c)", "1/c"),
        ("a/(2*b)/(a + 1) + 1/(2*b)/(a + 1)", "1/(2*b)"),
    ],
)
def test_fractions_of_one_denominator_are_one_whatever_its_power(given, written):
    algebra = GraphAlgebra(Graph())
    names = {name: sp.Symbol(name, real=True) for name in "abcx"}
    node = algebra.read(sp.sympify(given.replace("^", "**"), names, evaluate=False))
    (found,) = readable_form.readable([node], names)
    assert found == sp.sympify(written, names)


def test_a_sine_that_stands_only_beside_a_denominator_shortens_it():
    A, p, theta = sp.symbols("A p theta", real=True)
    below = A * sp.cos(theta) ** 2 - A
    given = [p / below, p * sp.sin(theta) * sp.cos(theta) / below**2]
    graph = Graph()
    found = readable_form.readable([read(e, graph) for e in given], {s.name: s for s in (A, p, theta)})
    assert found == [-p / (A * sp.sin(theta) ** 2), p * sp.cos(theta) / (A**2 * sp.sin(theta) ** 3)]


@pytest.mark.parametrize("divisor", ["3*x*y^2", "-x/2", "y*z"])
def test_a_reciprocal_of_one_term_cancels_as_a_division_has_it(divisor):
    ring, x, y, z, over = sp.ring("x y z over", sp.QQ, lex)
    d = ring.from_expr(sp.sympify(divisor.replace("^", "**")))
    p = (x * y + 2 * y * over - z * x * over) ** 4 + d * over**2 - over
    assert readable_form._cancelled_term(p, d, 3) == p.rem([d * over - 1])


def test_a_square_with_a_number_before_it_is_written_as_one():
    x, y, k, b = sp.symbols("x y k b", real=True)
    graph = Graph()
    energy = read(k * x * y - k * x**2 / 2 - k * y**2 / 2 + b, graph)
    (found,) = readable_form.readable([energy], {s.name: s for s in (x, y, k, b)})
    assert found in (b - k * (x - y) ** 2 / 2, b - k * (y - x) ** 2 / 2)
