"""What texts mean: the SymPy expression that Python's operators would make, or the value, by independent routes."""

import math
import random

import pytest
import sympy as sp

from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.functions import FUNCTIONS

x, y, z, u, t = sp.symbols("x y z u t", real=True)
m = sp.Symbol("m", positive=True)
NAMES = {"x": x, "y": y, "z": z, "t": t, "m": m}
half = sp.Rational(1, 2)

MEANS = {
    "m/2*dot(x)^2 - m*z": m * u**2 / 2 - m * z,
    "m/2*dot(x)**2 - m*z": m * u**2 / 2 - m * z,
    "-x^2": -(x**2),
    "(-x)^2": x**2,
    "-x^-2": -(x**-2),
    "2^3^2": sp.Integer(512),
    "x^y^z": x ** (y**z),
    "(x^y)^z": (x**y) ** z,
    "2^-1": half,
    "x^-y": x ** (-y),
    "x/y/z": x / y / z,
    "x/y*z": x * z / y,
    "x/(y*z)": x / (y * z),
    "x - y - z": x - y - z,
    "x - (y - z)": x - y + z,
    "-x*y": -x * y,
    "x*-y": -x * y,
    "--x": x,
    "+x": x,
    "x - -y": x + y,
    "x -+- y": x + y,
    "2*(x+y)": 2 * (x + y),
    "-(x+y)": -(x + y),
    "1/2*x": x / 2,
    "1/3 + 1/6": half,
    "0.1 + 0.2": sp.Float(0.1) + sp.Float(0.2),
    "1e3*x": sp.Float(1000.0) * x,
    ".5*x": sp.Float(0.5) * x,
    "5.*x": sp.Float(5.0) * x,
    "2.5E-3": sp.Float(2.5e-3),
    "x^0.5": x ** sp.Float(0.5),
    "x^(1/2)": sp.sqrt(x),
    "sqrt(x)": sp.sqrt(x),
    "007": sp.Integer(7),
    "sin(x)^2 + cos(x)^2": sp.sin(x) ** 2 + sp.cos(x) ** 2,
    "atan2(y, x)": sp.atan2(y, x),
    "min(x, y, 1)": sp.Min(x, y, 1),
    "max(x)": x,
    "abs(-x)": sp.Abs(x),
    "abs(m)": m,
    "sqrt(x^2)": sp.Abs(x),
    "sqrt(m^2)": m,
    "ceil(x) + floor(y) + sign(z)": sp.ceiling(x) + sp.floor(y) + sp.sign(z),
    "cos(pi)": sp.Integer(-1),
    "pi*x": sp.pi * x,
    "exp(1)": sp.E,
    "heaviside(x) + heaviside(y, 1)": sp.Heaviside(x) + sp.Heaviside(y, 1),
    "where(x < 0, -x, x)": sp.Piecewise((-x, x < 0), (x, True)),
    "where(x < 0 and y > 0 or not z <= 1, 1, x >= 2, 5, 0)": sp.Piecewise(
        (1, sp.Or(sp.And(x < 0, y > 0), z > 1)), (5, x >= 2), (0, True)
    ),
    "where((x == 1 or y != 2) and z < 0, x)": sp.Piecewise(
        (x, sp.And(sp.Or(sp.Eq(x, 1), sp.Ne(y, 2)), z < 0)), evaluate=True
    ),
    "dot(x)*dot( ( x ) )": u**2,
    " x\n\t+\r\n y ": x + y,
    "((x))": x,
    "0": sp.Integer(0),
    "t*x": t * x,
}


@pytest.mark.parametrize("text", MEANS, ids=ascii)
def test_the_meaning_of(text):
    assert read_text(text, NAMES, {"x": u}) == MEANS[text]


def test_whole_numbers_are_exact_and_decimals_are_floats():
    assert read_text("1/3", {}) == sp.Rational(1, 3)
    assert read_text("1234567890123456789012345678901234567890", {}) == 1234567890123456789012345678901234567890
    decimal = read_text("0.1", {})
    assert isinstance(decimal, sp.Float)
    assert float(decimal) == 0.1


def test_one_in_front_keeps_a_number_out_of_a_sum():
    assert read_text("1*2*(x + y)", NAMES) == sp.factor(2 * x + 2 * y)
    assert read_text("1*2*(x + y)", NAMES) != 2 * x + 2 * y
    assert read_text("1/2*(x + y)", NAMES) == (x + y) / 2


NUMBERS = {
    "sin": 0.3,
    "cos": 0.3,
    "tan": 0.3,
    "cot": 0.3,
    "sec": 0.3,
    "csc": 0.3,
    "asin": 0.3,
    "acos": 0.3,
    "atan": 0.3,
    "sinh": 0.3,
    "cosh": 0.3,
    "tanh": 0.3,
    "asinh": 0.3,
    "acosh": 1.3,
    "atanh": 0.3,
    "exp": 0.3,
    "log": 0.3,
    "sqrt": 0.3,
    "abs": -0.3,
    "sign": -0.3,
    "floor": -0.3,
    "ceil": -0.3,
    "heaviside": 0.3,
}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_value_that_screens_constants_is_that_of_the_function_built(name):
    # math.* against mpmath through SymPy, 15 digits of each
    value, f = NUMBERS[name], FUNCTIONS[name]
    built = read_text(f"{name}(x)", NAMES).xreplace({x: sp.Float(value)})
    assert math.isclose(float(built), f.value(value), rel_tol=1e-14)


def value(text, point):
    """The value of a text by Python's own operators, which bind in the same way."""
    scope = {**{k: getattr(math, k) for k in ("sin", "cos", "exp", "atan")}, **point}
    return eval(text.replace("^", "**"), {"__builtins__": {}}, scope)


def soup(rng, depth):
    """A random text of operators, brackets and functions."""
    if not depth:
        return rng.choice(["x", "y", "z", "m", "2", "3", "0.5"])
    a, b = soup(rng, depth - 1), soup(rng, depth - 1)
    return rng.choice(
        [
            f"{a} + {b}",
            f"{a} - {b}",
            f"{a}*{b}",
            f"{a}/{b}",
            f"-{a}",
            f"({a})",
            f"({a} - {b})",
            f"sin({a})",
            f"cos({a})",
            f"{a}^2",
            f"({a})^2",
            f"atan({a})",
            f"-{a}^2*{b}",
            f"({a})^-2",
            f"exp(-({a})^2)",
        ]
    )


def test_random_texts_have_the_value_that_python_gives_them():
    rng, checked = random.Random(0), 0
    point = {"x": 0.7310, "y": 1.3711, "z": -0.4213, "m": 2.1171}
    symbols = {"x": x, "y": y, "z": z, "m": m}
    while checked < 400:
        text = soup(rng, 4)
        try:
            expected = value(text, point)
        except (ArithmeticError, ValueError):
            continue
        if isinstance(expected, complex) or not 1e-6 < abs(expected) < 1e6 or "2^2^2^2" in text.replace("**", "^"):
            continue
        try:
            built = read_text(text, NAMES)
        except ValueError as refused:
            assert refused.code in ("E711", "E712", "E713", "E714"), text
            continue
        found = built.evalf(50, subs={symbols[k]: sp.Rational(str(v)) for k, v in point.items()})
        # doubles lose digits where terms cancel; 50 digits do not
        assert math.isclose(float(found), expected, rel_tol=1e-6), text
        checked += 1


def test_a_root_of_an_integer_beyond_the_floats_is_a_float():
    """SymPy does not end on the square root of 1e10*x*12345678901234567890**(1/3)."""
    x = sp.Symbol("x", real=True)
    assert not read_text("12345678901234567890^(1/3)", {}).atoms(sp.Integer)
    found = read_text("sqrt(12345678901234567890^(1/3)*x*1e10)", {"x": x})
    assert float(found.subs(x, 1)) == pytest.approx((12345678901234567890 ** (1 / 3) * 1e10) ** 0.5, rel=1e-14)
    assert read_text("(10^30)^(1/3)", {}) == 10**10
    assert read_text("2^(1/2)", {}) == sp.sqrt(2)
