"""The table of functions: each row is held to mpmath, and to itself wherever the library speaks of it.

The cases are the rows of the table: a new row is tested without a new line here.
"""

import math

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.elementary import ELEMENTARY, OF_SYMPY
from dalembert.calculus.graph import Graph, evaluate, gradient
from dalembert.calculus.language import read_text, write_text
from dalembert.calculus.language.functions import ALIASES, FUNCTIONS
from dalembert.calculus.read import read
from dalembert.errors import DalembertError, InvalidValue
from dalembert.numerics.machine import calls, llvm
from dalembert.numerics.machine.library import Library
from dalembert.numerics.machine.real import Real

X = sp.Symbol("x", real=True)
# functions of one number x, those of a family with the orders 0 to 3
CASES = {
    f"{name}{'' if order is None else order}": (row, order)
    for name, row in ELEMENTARY.items()
    if row.spoken and (row.arity == 1 or row.ordered)
    for order in (range(4) if row.ordered else [None])
}
SMOOTH = {name: case for name, case in CASES.items() if not case[0].flat}
INFINITE = [math.inf, -math.inf, math.nan]
each = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
each_smooth = pytest.mark.parametrize("case", SMOOTH.values(), ids=SMOOTH)


def called(case, x):
    """The function at a node."""
    row, order = case
    return x.graph.apply(row.name, *([] if order is None else [order]), x)


def symbolic(case, x=X):
    row, order = case
    return row.symbol(x) if order is None else row.symbol(order, x)


def exact(case, x):
    """Its value by mpmath, at 30 digits."""
    row, order = case
    f = {"abs": abs}.get(row.name) or getattr(mp, row.name)
    with mp.workdps(30):
        return float(f(mp.mpf(x)) if order is None else f(order, mp.mpf(x)))


def points(case, count=60):
    """Numbers at which it is real, more of them near 0."""
    domain = case[0].domain
    low, high = (max(domain.low, -30.0), min(domain.high, 30.0)) if domain else (-30.0, 30.0)
    spread = np.random.default_rng(3).uniform(0.0, 1.0, count) ** 2
    near = min(max(0.0, low), high)
    found = np.concatenate([near + (high - near) * spread[::2], near + (low - near) * spread[1::2]])
    gap = 1e-3 * (1 + abs(near))
    return [x for x in found if low + gap * (low > -30) < x < high - gap * (high < 30)]


@each
def test_value_at_numbers_and_arrays(case):
    at = np.array(points(case))
    want = [exact(case, x) for x in at]
    y = called(case, Graph().symbol("x"))
    np.testing.assert_allclose(evaluate([y], {"x": at})[0], want, rtol=4e-15, atol=2e-15)
    np.testing.assert_allclose([evaluate([y], {"x": float(x)})[0] for x in at], want, rtol=4e-15, atol=2e-15)


@each_smooth
def test_derivative_against_many_digits(case):
    x = Graph().symbol("x")
    (slope,) = gradient(called(case, x), [x])
    (second,) = gradient(slope, [x])
    row, order = case
    f = {"abs": abs}.get(row.name) or getattr(mp, row.name)
    for at in points(case, 16):
        with mp.workdps(50):
            want = [mp.diff(lambda z: f(z) if order is None else f(order, z), mp.mpf(float(at)), k) for k in (1, 2)]
        found = [evaluate([d], {"x": float(at)})[0] for d in (slope, second)]
        np.testing.assert_allclose(found, [float(w) for w in want], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "name", [row.name for row in ELEMENTARY.values() if row.arity == 2 and row.spoken and not row.ordered]
)
@pytest.mark.parametrize("place", [(1.0, 2.5), (2.0, 0.75)])
def test_partial_derivatives_of_functions_of_two_numbers_are_differences(name, place):
    graph = Graph()
    a, b = graph.symbol("a"), graph.symbol("b")
    y, h = graph.apply(name, a, b), 1e-5

    def at(*there):
        return float(evaluate([y], dict(zip("ab", there, strict=True)))[0])

    found = [float(e) for e in evaluate(gradient(y, [a, b]), dict(zip("ab", place, strict=True)))]
    by_a = (at(place[0] + h, place[1]) - at(place[0] - h, place[1])) / (2 * h)
    by_b = (at(place[0], place[1] + h) - at(place[0], place[1] - h)) / (2 * h)
    # the differences are off by h^2
    assert found == pytest.approx([by_a, by_b], abs=1e-8)


@pytest.mark.parametrize("order", range(4))
def test_derivatives_of_a_bessel_function_at_zero(order):
    x = Graph().symbol("x")
    y = called((ELEMENTARY["besselj"], order), x)
    for k in range(6):
        want = float(mp.diff(lambda z: mp.besselj(order, z), 0, k))
        assert evaluate([y], {"x": 0.0})[0] == pytest.approx(want, abs=1e-9)
        (y,) = gradient(y, [x])


@each
@pytest.mark.parametrize("width", [1, 4])
def test_machine_code(case, width):
    rows = np.array([*points(case), *INFINITE, -2.0, 0.0])
    y = called(case, Graph().symbol("x"))
    library = Library.compile({"f": llvm.emit("f", [y], {"x": ("y", 0)}, real=Real.lanes(width))})
    found = calls.map_lanes(
        library.address("f"), width, np.zeros(len(rows)), rows[:, None], np.zeros((len(rows), 0)), 1
    )
    want = evaluate([y], {"x": rows})[0]
    np.testing.assert_allclose(found[:, 0], want, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(found[: len(rows) - 5, 0], [exact(case, x) for x in rows[:-5]], rtol=1e-14, atol=2e-15)


@each
def test_text_sympy_and_graph_are_one(case):
    e = symbolic(case)
    text = write_text(e)
    assert read_text(text, {"x": X}) == e
    assert text.startswith(f"{case[0].name}(")
    graph = Graph()
    assert read(e, graph) == called(case, graph.symbol("x"))


@each
def test_latex_is_well_formed(case):
    from dalembert.calculus.latex import show, width

    latex = show(2 * symbolic(case) ** 2 + symbolic(case, X / 3), {X: "x"})
    assert latex.count("{") == latex.count("}")
    assert latex.count("\\left") == latex.count("\\right")
    assert 0 < width(latex) < 60
    converter = pytest.importorskip("latex2mathml.converter")
    assert "\\" not in converter.convert(latex)


def test_latex_of_the_special_functions():
    assert sp.latex(sp.erf(X)).startswith(r"\operatorname{erf}")
    assert sp.latex(sp.besselj(0, X)).startswith("J_{0}")


@each
def test_numbers_outside_the_domain_are_refused(case):
    row, _ = case
    assert row.domain is None or row.domain.bounded
    for x in [] if row.domain is None else [row.domain.low - 0.5, row.domain.high + 0.5]:
        if not math.isfinite(x):
            continue
        with pytest.raises(DalembertError) as caught:
            read_text(f"{row.name}({x})", {})
        assert caught.value.code == "E712"
        assert f"{row.name}(x) is real for x {row.domain}" in str(caught.value)
        value = evaluate([called(case, Graph().symbol("x"))], {"x": x})[0]
        assert np.isnan(value)


@each
def test_dimension_of_the_argument(case):
    row, _ = case
    space = da.coordinates("x")
    (v,) = space.velocities
    m, k = sp.symbols("m k", positive=True)
    (q,) = space.coordinates
    given = {"parameters": {"m": "2 kg", "k": "3 J"}, "units": {"x": "m"}}

    def system(e):
        return da.System(space, m * v**2 / 2 - k * e, **given)

    if row.takes == "numbers":
        with pytest.raises(InvalidValue) as caught:
            system(symbolic(case, q))
        assert caught.value.code == "E134"
        a = sp.Symbol("a", positive=True)
        given["parameters"]["a"] = "2 m"
        system(symbolic(case, q / a))
    elif row.gives == "same":
        with pytest.raises(InvalidValue):
            system(symbolic(case, q))


@each
def test_synonyms_are_hints(case):
    row, _ = case
    for other in row.synonyms:
        assert ALIASES[other] == row.name
        with pytest.raises(DalembertError, match=row.name):
            read_text(f"{other}(x)", {"x": X})


def test_families_have_short_names_that_stay_free():
    assert read_text("J0(2*x) - J1(x)", {"x": X}) == sp.besselj(0, 2 * X) - sp.besselj(1, X)
    J0 = sp.Symbol("J0", real=True)
    assert read_text("J0*x", {"x": X, "J0": J0}) == J0 * X
    assert not FUNCTIONS["J0"].reserved
    da.System(da.coordinates("x"), "J0*dot(x)^2/2", parameters={"J0": 1.0})
    with pytest.raises(DalembertError) as caught:
        read_text("J0(x)", {"x": X, "J0": J0})
    assert caught.value.code == "E704"


@pytest.mark.parametrize("order", ["x", "1/2", "-1", "65", "0.5", "1e0", "n"])
def test_an_order_is_a_whole_number(order):
    with pytest.raises(DalembertError) as caught:
        read_text(f"besselj({order}, x)", {"x": X, "n": sp.Symbol("n")})
    assert caught.value.code == "E708"
    assert "besselj(0, x)" in str(caught.value)


@pytest.mark.parametrize("order", [X, sp.Rational(1, 2), 65])
def test_an_order_of_sympy_is_a_whole_number(order):
    with pytest.raises(InvalidValue) as caught:
        read(sp.besselj(order, X), Graph())
    assert caught.value.code == "E719"


def test_one_row_for_each_class_of_sympy():
    classes = [row.symbol for row in ELEMENTARY.values() if isinstance(row.symbol, type)]
    assert len(classes) == len(set(classes)) == len(OF_SYMPY)
    assert all(name == row.name for name, row in ELEMENTARY.items())


@pytest.mark.parametrize(
    "e", [sp.hyper((X, 2), (3,), X), sp.elliptic_k(X), sp.legendre(sp.pi, X), sp.gamma(X)], ids=str
)
def test_special_functions_are_refused_whole_with_the_way_to_have_them(e):
    with pytest.raises(
        InvalidValue, match=r"(?s)E719 .*" + type(e).__name__ + r" is not one of .* F\(x\) .* is a state"
    ):
        read(1 + e**2, Graph())
