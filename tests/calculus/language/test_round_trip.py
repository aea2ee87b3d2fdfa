"""What is written is read back as the same expression, and what cannot be written is refused."""

import importlib
import pkgutil

import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import dalembert.systems
from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.functions import FUNCTIONS
from dalembert.calculus.language.syntax_errors import TextLimits
from dalembert.calculus.language.to_text import write_text
from dalembert.errors import DalembertError, InvalidValue, WrongType

x, y, z, t = sp.symbols("x y z t", real=True)
m, R = sp.symbols("m R", positive=True)
n = sp.Symbol("n", integer=True)
plain = sp.Symbol("p")  # no assumptions
GREEK = sp.Symbol("\u03a9_1", real=True), sp.Symbol("\u03b8\u2081", real=True), sp.Symbol("\u00e9", real=True)
SYMBOLS = (x, y, z, t, m, R, n, plain, *GREEK)
NAMES = {s.name: s for s in SYMBOLS}


def same(e, **more):
    assert read_text(write_text(e, **more), NAMES, **more) == e


EXPRESSIONS = [
    x,
    -x,
    x + y,
    -x - y,
    x - y,
    2 * x,
    -2 * x / 3,
    x / y,
    1 / x,
    x**-2,
    -1 / x,
    x ** sp.Rational(-3, 2) / 2,
    1 / (2 * x * y),
    x / (2 * (x + y)),
    x / (x + y) ** 2 / 3,
    1 / (x * (y + z)),
    (x + y) * (x - y),
    -(x + y) * (x - y) * 2,
    sp.factor(2 * x + 2 * y),
    sp.factor(-2 * x - 2 * y),
    z + sp.factor(3 * x + 3 * y),
    sp.factor(x / 2 + y / 2),
    z**2 - sp.factor(3 * x + 3 * y),
    sp.sqrt(sp.factor(2 * x + 2 * y)),
    sp.exp(sp.factor(2 * x + 2 * y)),
    sp.Mul(sp.Float(2.5), x + y, evaluate=False),
    sp.Mul(-1, x + y, evaluate=False),
    sp.Mul(sp.Rational(-3, 7), x + y, evaluate=False),
    sp.sqrt(x),
    1 / sp.sqrt(x),
    sp.sqrt(2) * x / 2,
    sp.sqrt(x * y),
    1 / sp.sqrt(x * y),
    (x + y) ** sp.Rational(1, 3),
    x**y,
    x ** (-y),
    x ** (y + 1),
    (x**y) ** z,
    x ** (y**z),
    2**x,
    sp.Rational(1, 3) ** x,
    (-x) ** y,
    sp.Float(-1.5) ** x,
    m**x * m**y,
    (2 * m) ** sp.Rational(1, 3),
    x**2.0,
    x**-2.5,
    x ** sp.Float(1e-5),
    (x / 3) ** y,
    sp.Integer(0),
    sp.Integer(-3),
    sp.Rational(-3, 7),
    sp.Float(0.1),
    sp.Float(0.0),
    sp.Float(-1e-17),
    sp.Float(1e22),
    sp.Float(1e300),
    sp.Float(2.0) * x,
    sp.Integer(10) ** 100 + 7,
    sp.Rational(10**50 + 1, 10**45 + 3) * x,
    -(sp.Integer(10) ** 41) * x,
    sp.Integer(10) ** 80,
    x / sp.Integer(10) ** 60,
    sp.pi,
    -sp.pi / 3,
    sp.pi * x,
    sp.E,
    sp.E * x,
    x**sp.pi,
    sp.exp(-x),
    sp.cos(sp.pi / 7),
    sp.sin(x + sp.pi / 5),
    sp.exp(2) / 3,
    sp.log(2) * x,
    sp.sqrt(3) / 3,
    2 ** sp.Rational(1, 3),
    sp.Abs(x),
    sp.Abs(sp.log(x)),
    sp.sign(x),
    sp.floor(x) + sp.ceiling(y),
    sp.Min(x, y),
    sp.Max(x, y, z, t, m, 1),
    sp.Max(*[sp.sin(k * x) for k in range(1, 8)], evaluate=False),
    sp.atan2(y, x),
    sp.sec(x),
    sp.csc(x),
    sp.cot(x),
    sp.Heaviside(x),
    sp.Heaviside(x, 0),
    sp.Heaviside(x - 1, m),
    sp.Heaviside(x) * x,
    sp.Piecewise((x, x < 0), (y, True)),
    sp.Piecewise((x, x < 0)),
    sp.Piecewise((x, sp.Eq(x, 1)), (2, sp.Ne(x, 3)), (5, True)),
    sp.Piecewise((x, (x < 0) & (y >= 1) | (z > 2)), (0, True)),
    sp.Piecewise((1, (x < 0) & ((y <= 1) | (z > 2))), (0, True)),
    sp.Piecewise((sp.Piecewise((x, y < 0), (z, True)), x < 0), (y, True)) ** 2,
    -sp.Piecewise((x, x < 0), (y, True)) / 2,
    GREEK[0] * GREEK[1] / GREEK[2],
    plain**n,
    (-1) ** n,
    sp.sqrt(plain**2),
]


@pytest.mark.parametrize("e", EXPRESSIONS, ids=lambda e: ascii(e)[:60])
def test_written_and_read(e):
    same(e)


@pytest.mark.parametrize("name", [k for k, f in FUNCTIONS.items() if f.most == 1])
def test_every_function(name):
    e = FUNCTIONS[name].build(x)
    same(e)
    same(2 * e**2 / (1 + e))


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-5, 1e16, 123456789.123456789, 5e-300, 1e300, 2.0**-900, -7.25])
def test_floats_keep_every_bit(value):
    back = read_text(write_text(sp.Float(value) * x), NAMES)
    assert float(back.coeff(x)) == value
    assert repr(abs(value)) in write_text(sp.Float(value) * x)


def gallery():
    found = {}
    for module in pkgutil.iter_modules(dalembert.systems.__path__):
        loaded = importlib.import_module(f"dalembert.systems.{module.name}")
        if hasattr(loaded, "system"):
            found[module.name] = [loaded.system]
            variants = getattr(loaded, "VARIANTS", {})
            found[module.name] += [lambda v=v, f=loaded.system: f(**v.options) for v in variants.values()]
            found[module.name].append(loaded.FACTS)
    return found


GALLERY = gallery()


def expressions(system):
    """All expressions of a system."""
    constraints = [*system.constraints, *system.equivalent]
    yield from (system.lagrangian, *(c.given for c in constraints), *system.forces, *system.momenta.values())
    yield from (e for wall in system.walls for e in wall.expressions)
    yield from (e for generator in system.symmetry for e in generator.components)
    yield from (e for J in system.inertias.values() for e in J)
    yield from (*system.coefficients.values(), *(e for slip in system.rest.values() for e in slip))
    yield from system.space.anchor
    yield from (e for row in system.space.brackets.values() for e in row)


LARGE = TextLimits(characters=100_000, operations=20_000)


@pytest.mark.parametrize("name", GALLERY)
def test_every_expression_of_the_gallery(name):
    *systems, facts = GALLERY[name]
    for made in systems:
        for e in expressions(made()):
            assert read_text(write_text(e, limits=LARGE), named(e), limits=LARGE) == e
    for table in (facts.integrals, facts.conserved, facts.vakonomic, facts.multipliers):
        for e in map(sp.expand, table.values()):
            assert read_text(write_text(e), named(e)) == e


def named(e):
    return {s.name: s for s in e.free_symbols}


numbers = st.one_of(
    st.integers(-12, 12).map(sp.Integer),
    st.fractions(-5, 5, max_denominator=9).map(lambda q: sp.Rational(q.numerator, q.denominator)),
    st.floats(-1e3, 1e3, allow_nan=False, allow_subnormal=False).map(sp.Float),
    st.sampled_from([sp.pi, sp.Integer(10) ** 45 + 1, sp.sqrt(2)]),
)
leaves = st.one_of(st.sampled_from(SYMBOLS), st.sampled_from(SYMBOLS), numbers)
exponents = st.sampled_from(
    [2, 3, -1, -2, sp.Rational(1, 2), sp.Rational(-1, 2), sp.Rational(2, 3), sp.Float(1.5), x, -y]
)
UNARY = (sp.sin, sp.cos, sp.exp, sp.atan, sp.tanh, sp.sign, sp.floor, sp.Abs, sp.log, sp.factor)


def grown(inner):
    """Expressions of expressions."""
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(lambda a: sp.Add(*a)),
        st.lists(inner, min_size=2, max_size=4).map(lambda a: sp.Mul(*a)),
        st.tuples(inner, inner).map(lambda a: a[0] - a[1]),
        st.tuples(inner, inner.filter(lambda e: not e.is_zero)).map(lambda a: a[0] / a[1]),
        st.tuples(inner.filter(lambda e: not e.is_zero), exponents).map(lambda a: a[0] ** a[1]),
        st.tuples(st.sampled_from(UNARY), inner).map(lambda a: a[0](a[1])),
    )


def usable(e):
    """Real and finite, as the reader of systems asks."""
    return (
        not e.has(sp.I, sp.zoo, sp.nan, sp.oo, sp.re, sp.im, sp.arg, sp.AccumBounds) and e.is_extended_real is not False
    )


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.recursive(leaves, grown, max_leaves=12))
def test_random_expressions(e):
    assume(usable(e))
    try:
        text = write_text(e)
    except InvalidValue as refused:  # a refusal is honest; that it is rare is counted below
        assert refused.code in ("E716", "E719")
        return
    assert read_text(text, NAMES) == e
    assert write_text(read_text(text, NAMES)) == text


texts = st.recursive(
    st.sampled_from(["x", "y", "m", "2", "3", "0.5", "1", "pi", "dot(x)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", " - ", "*", "/"]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-({})".format),
        inner.map("({})^2".format),
        inner.map("sqrt(({})^2 + 1)".format),
        inner.map("sin({})".format),
        st.tuples(inner, inner).map("where({0[0]} < {0[1]}, {0[0]}, 1)".format),
    ),
    max_leaves=10,
)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts)
def test_random_texts_are_read_written_and_read_alike(text):
    try:
        e = read_text(text, NAMES, {"x": y})
    except InvalidValue as refused:
        assert refused.code in ("E711", "E712", "E713", "E714"), text
        return
    try:
        assert read_text(write_text(e), NAMES) == e
    except InvalidValue as refused:
        assert refused.code == "E719"
        assert e.has(sp.ITE)  # a condition that chooses between conditions


def test_refusals_to_write_are_rare():
    """The property above would hold of a writer that refuses everything."""
    written = 0
    for e in EXPRESSIONS:
        for g in (
            lambda e: e + x,
            lambda e: 3 * e * y,
            sp.sin,
            lambda e: 1 / (e**2 + 1),
            lambda e: -(e**3),
        ):
            try:
                same(g(e))
                written += 1
            except DalembertError as refused:
                assert refused.code in ("E719", "E716"), g(e)
    assert written > 0.97 * 5 * len(EXPRESSIONS)


UNWRITABLE = {
    "a function of time": sp.Function("f")(t),
    "a derivative": sp.Derivative(sp.Function("f")(t), t),
    "an integral": sp.Integral(sp.exp(-(x**2)), x),
    "gamma": sp.gamma(x),
    "i": sp.I * x,
    "infinity": sp.oo,
    "nan": sp.nan,
    "code for a name": sp.Symbol("x; import os"),
    "a call for a name": sp.Symbol("__import__('os').getcwd()"),
    "a blank in a name": sp.Symbol("x y"),
    "a number for a name": sp.Symbol("2x"),
    "an empty name": sp.Symbol(""),
    "a function's name": sp.Symbol("sin"),
    "the number pi as a name": sp.Symbol("pi"),
    "a word as a name": sp.Symbol("and"),
    "not in normal form": sp.Symbol("e\u0301"),
    "two symbols of one name": sp.Symbol("x") + x,
    "more than 53 bits": sp.Float("0.1", 50),
    "less than 53 bits": sp.Float("0.1", 5),
    "not evaluated product": sp.Mul(x, x, evaluate=False),
    "not evaluated power": sp.Pow(2, 3, evaluate=False),
    "not evaluated sum": sp.Add(x, x, evaluate=False),
    "exponent beyond the limit": x**100,
    "another constant": sp.EulerGamma * x,
    "a matrix element": sp.MatrixSymbol("A", 2, 2)[0, 0],
    "indexed": sp.Indexed("A", 1),
    "a dummy that looks like x": sp.Dummy("x") + x,
}


@pytest.mark.parametrize("what", UNWRITABLE)
def test_what_the_language_cannot_say_is_refused(what):
    with pytest.raises(InvalidValue) as caught:
        write_text(UNWRITABLE[what])
    assert caught.value.code == "E719"
    assert caught.value.remedy


@pytest.mark.parametrize("given", [None, "x", b"x", [x], sp.Matrix([x]), sp.true, x < y, object()])
def test_what_is_no_expression(given):
    with pytest.raises(WrongType) as caught:
        write_text(given)
    assert caught.value.code == "E718"


def test_numbers_are_written():
    assert (write_text(3), write_text(0.5), write_text(-2)) == ("3", "0.5", "-2")


def test_people_can_read_what_is_written():
    T = m * (x**2 + y**2) / 2 - m * 9.81 * z
    assert write_text(T) == "m*(x^2 + y^2)/2 - 9.81*m*z"
    assert write_text(-R * z / (2 * x)) == "-R*z/(2*x)"
    assert write_text(sp.sqrt(x**2 + y**2)) == "sqrt(x^2 + y^2)"


def test_a_text_beyond_the_limit_is_refused():
    e = sp.Add(*(sp.cos(k * x) * z for k in range(400)))
    with pytest.raises(InvalidValue) as caught:
        write_text(e, limits=TextLimits(characters=4000))
    assert caught.value.code == "E716"
    same(e, limits=LARGE)
