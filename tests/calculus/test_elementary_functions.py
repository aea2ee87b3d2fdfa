"""The table of functions: each row is held to mpmath, and to itself wherever the library speaks of it.

The cases are the rows of the table: a new row is tested without a new line here.
"""

import math

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.elementary_functions import ELEMENTARY, OF_SYMPY
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate, gradient
from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.functions import ALIASES, FUNCTIONS
from dalembert.calculus.language.to_text import write_text
from dalembert.errors import DalembertError, InvalidValue
from dalembert.numerics.machine import batch_calls, llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.machine.ir_numbers import Real

X = sp.Symbol("x", real=True)
# some of each family of functions
FAMILIES = {
    "besselj": [(0,), (1,), (2,), (3,)],
    "hyp2f1": [(0.5, 0.5, 1), (0.25, 2, 3.5)],
}
# functions of one number x
CASES = {
    f"{name}{'_'.join(map(str, member))}": (row, member)
    for name, row in ELEMENTARY.items()
    if row.spoken and row.arity == 1 + row.fixed
    for member in FAMILIES.get(name, [()])
}
SLACK = {"hyp2f1": 20}  # times what is asked of the others: SciPy's is good to some 1e-14
SMOOTH = {name: case for name, case in CASES.items() if not case[0].flat}
INFINITE = [math.inf, -math.inf, math.nan]
each = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
each_smooth = pytest.mark.parametrize("case", SMOOTH.values(), ids=SMOOTH)


def called(case, x):
    """The function at a node."""
    row, member = case
    return x.graph.apply(row.name, *member, x)


def symbolic(case, x=X):
    row, member = case
    return row.symbol(*map(sp.sympify, member), x)


def of_mpmath(case):
    """The same function in mpmath."""
    row, member = case
    name = {"abs": "fabs", "elliptic_k": "ellipk", "elliptic_e": "ellipe"}.get(row.name, row.name)
    return lambda z: getattr(mp, name)(*member, z)


def exact(case, x):
    """Its value by mpmath, at 30 digits."""
    with mp.workdps(30):
        return float(of_mpmath(case)(mp.mpf(x)))


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
    y, slack = called(case, Graph().symbol("x")), SLACK.get(case[0].name, 1)
    np.testing.assert_allclose(evaluate([y], {"x": at})[0], want, rtol=4e-15 * slack, atol=2e-15)
    one_by_one = [evaluate([y], {"x": float(x)})[0] for x in at]
    np.testing.assert_allclose(one_by_one, want, rtol=4e-15 * slack, atol=2e-15)


@each_smooth
def test_derivative_against_many_digits(case):
    x = Graph().symbol("x")
    (slope,) = gradient(called(case, x), [x])
    (second,) = gradient(slope, [x])
    f = of_mpmath(case)
    for at in points(case, 4 if case[0].fixed == 3 else 16):  # mpmath takes long for these
        with mp.workdps(50):
            want = [mp.diff(f, mp.mpf(float(at)), k) for k in (1, 2)]
        found = [evaluate([d], {"x": float(at)})[0] for d in (slope, second)]
        np.testing.assert_allclose(found, [float(w) for w in want], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "name", [row.name for row in ELEMENTARY.values() if row.arity == 2 and row.spoken and not row.fixed]
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
    y = called((ELEMENTARY["besselj"], (order,)), x)
    for k in range(6):
        want = float(mp.diff(lambda z: mp.besselj(order, z), 0, k))
        assert evaluate([y], {"x": 0.0})[0] == pytest.approx(want, abs=1e-9)
        (y,) = gradient(y, [x])


@each
@pytest.mark.parametrize("width", [1, 4])
def test_machine_code(case, width):
    rows = np.array([*points(case), *INFINITE, -2.0, 0.0])
    y = called(case, Graph().symbol("x"))
    library = Library.compile({"f": llvm_ir.emit("f", [y], {"x": ("y", 0)}, real=Real.lanes(width))})
    found = batch_calls.map_lanes(
        library.address("f"), width, np.zeros(len(rows)), rows[:, None], np.zeros((len(rows), 0)), 1
    )
    want = evaluate([y], {"x": rows})[0]
    np.testing.assert_allclose(found[:, 0], want, rtol=1e-14, atol=1e-15)
    exactly, slack = [exact(case, x) for x in rows[:-5]], SLACK.get(case[0].name, 1)
    np.testing.assert_allclose(found[: len(rows) - 5, 0], exactly, rtol=1e-14 * slack, atol=2e-15)


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
    from dalembert.calculus.printing import latex, width

    shown = latex(2 * symbolic(case) ** 2 + symbolic(case, X / 3), {X: "x"})
    assert shown.count("{") == shown.count("}")
    assert shown.count("\\left") == shown.count("\\right")
    assert 0 < width(shown) < 60
    converter = pytest.importorskip("latex2mathml.converter")
    assert "\\" not in converter.convert(shown)


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
            read_text(f"{row.name}({', '.join(map(str, (*case[1], x)))})", {})
        assert caught.value.code == "E712"
        assert f"x) is real for x {row.domain}" in str(caught.value)
        value = evaluate([called(case, Graph().symbol("x"))], {"x": x})[0]
        assert not np.isfinite(value)


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
    assert len(classes) == len(set(classes))
    assert OF_SYMPY.keys() == {*classes, sp.hyper}
    assert all(name == row.name for name, row in ELEMENTARY.items())


@pytest.mark.parametrize(
    "e", [sp.hyper((2,), (3,), X), sp.hyper((2,), (3, 4), X), sp.elliptic_f(X, 2), sp.gamma(X)], ids=str
)
def test_special_functions_are_refused_whole_with_the_way_to_have_them(e):
    with pytest.raises(
        InvalidValue, match=r"(?s)E719 .*" + type(e).__name__ + r" is not one of .* F\(x\) .* is a state"
    ):
        read(1 + e**2, Graph())


@pytest.mark.parametrize("e", [sp.hyper((X, 2), (3,), X), sp.legendre(X, X)], ids=str)
def test_which_function_of_a_family_it_is_is_a_number(e):
    with pytest.raises(InvalidValue, match=r"(?s)E719 .*not (?:a )?numbers?\b"):
        read(e, Graph())
    with pytest.raises(DalembertError, match=r"(?s)E708 .*argument 1 of .* must be a number"):
        read_text("hyp2f1(x, 2, 3, x)" if e.has(sp.hyper) else "legendre(x, x)", {"x": X})


@pytest.mark.parametrize(
    "text", ["hyp2f1(1, 2, 0, x)", "hyp2f1(1/2, 2, -2, x)", "hyp2f1(-3, 2, -2, x)", "hyp2f1(0, 2, 0, x)"]
)
def test_a_pole_of_the_parameters_is_no_function(text):
    with pytest.raises(DalembertError, match="E711"):
        read_text(text, {"x": X})
    assert read_text("hyp2f1(-1, 2, -3, x)", {"x": X}).has(sp.hyper)  # whose sum ends before


def test_legendre_functions():
    """Whole degrees are polynomials; others agree with mpmath, and solve Legendre's equation."""
    assert read_text("legendre(3, x)", {"x": X}) == (5 * X**3 - 3 * X) / 2
    x = Graph().symbol("x")
    for e in (sp.legendre(sp.Rational(3, 4), X), read_text("legendre(3/4, x)", {"x": X})):
        y = read(e, x.graph)
        (slope,) = gradient(y, [x])
        (second,) = gradient(slope, [x])
        at = np.array([-0.9, -0.3, 0.2, 0.8, 0.99, 1.0, 3.0])
        p, d, dd = evaluate([y, slope, second], {"x": at})
        np.testing.assert_allclose(
            p, [float(mp.legendre(0.75, z, type=3 if z > 1 else 2).real) for z in at], rtol=1e-12
        )
        np.testing.assert_allclose((1 - at**2) * dd - 2 * at * d, -0.75 * 1.75 * p, rtol=1e-11)


def test_elliptic_integrals_obey_the_relation_of_legendre():
    k, e = (ELEMENTARY[name].value for name in ("elliptic_k", "elliptic_e"))
    m = np.linspace(0.05, 0.95, 7)
    # E(m) K(1 - m) + E(1 - m) K(m) - K(m) K(1 - m) = pi/2 [dlmf2010 (19.7.1)]
    np.testing.assert_allclose(e(m) * k(1 - m) + e(1 - m) * k(m) - k(m) * k(1 - m), math.pi / 2, rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("erfc(x)", r"write 1 - erf\(x\)"),
        ("gamma(x)", "at a number as a parameter"),
        ("elliptic_f(x, 1/2)", r"dot\(x\)/sqrt"),
    ],
)
def test_functions_that_are_not_there_name_what_serves(text, remedy):
    with pytest.raises(DalembertError, match="(?s)E703.*" + remedy):
        read_text(text, {"x": X})
