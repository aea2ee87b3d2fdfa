"""The limits: what is just within is read, what is just beyond is refused, before SymPy sees it."""

import pytest
import sympy as sp

from dalembert.calculus.language import to_sympy
from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.syntax_errors import LIMITS, TextError, TextLimits

x, y = sp.symbols("x y", real=True)
NAMES = {"x": x, "y": y}

WITHIN = {
    "characters": " " * 39_999 + "x",
    "brackets": "(" * 60 + "x" + ")" * 60,
    "signs": "-" * 59 + "x",
    "functions": "sin(" * 59 + "x" + ")" * 59,
    "operations": "x" + "+x" * 19_999,
    "exponent": "x^64 + x^-64 + x^(128/2)",
    "digits": "1234567890123456789012345678901234567890*x",
    "decimal exponent": "1e300*x + 1e-300",
    "bits": "(2^64)^15 / 3^64 + x",
    "a tower of names": "x^y^x^y",
    "an exponent with names": "2^(x/1000) + 3^(1000*x)",
}
BEYOND = {
    "characters": (" " * 40_000 + "x", "E716"),
    "brackets": ("(" * 61 + "x" + ")" * 61, "E716"),
    "3000 brackets": ("(" * 1500 + "x" + ")" * 1500, "E716"),
    "open brackets": ("(" * 3000, "E716"),
    "signs": ("-" * 61 + "x", "E716"),
    "4000 signs": ("-" * 3999 + "x", "E716"),
    "a tower": ("x^" * 61 + "x", "E716"),
    "functions": ("sin(" * 61 + "x" + ")" * 61, "E716"),
    "operations": ("-x" * 19_998 + "---", "E716"),
    "operations 2": ("-x" * 19_999 + "-x-x", "E716"),
    "a long name": ("a" * 65, "E716"),
    "exponent": ("x^64.01", "E713"),
    "tower of numbers": ("9**9**9", "E713"),
    "tower of numbers 2": ("9^9^9^9^9^9", "E713"),
    "tower in brackets": ("((9^64)^64)^64", "E713"),
    "bits": ("(2^63)^64 + (2^63)^64*(2^63)^2 + x", "E714"),
    "bits 2": ("(9^64)^64", "E713"),
    "product": ("*".join(["1234567890123456789012345678901234567890"] * 60), "E713"),
    "quotient": ("1/" + "/".join(["1234567890123456789012345678901234567890"] * 60), "E713"),
    "sum of fractions": ("+".join(f"1/{10**30 + k}" for k in range(100)), "E713"),
    "root of a large number": ("(1234567890123456789012345678901234567890^5 + 1)^(1/3)", "E713"),
    "through a product": ("(9^60*x*9^60)^30", "E713"),
    "through a function": ("floor(exp(600))^60", "E714"),
    "exponential of an exponential": ("exp(exp(exp(9)))", "E714"),
    "hidden exponent": ("x^(9^2)", "E713"),
    "negative exponent": ("2^(-65)", "E713"),
    "power by logarithm": ("exp(65*log(9^60*x))", "E713"),
    "infinite decimal": ("1e400*x", "E714"),
    "small": ("1e-155*1e-155", "E714"),
}


@pytest.mark.parametrize("what", WITHIN)
def test_within(what):
    assert isinstance(read_text(WITHIN[what], NAMES), sp.Expr)


@pytest.mark.parametrize("what", BEYOND)
def test_beyond(what, monkeypatch):
    def never(*_):
        raise AssertionError("SymPy was reached")

    monkeypatch.setattr(to_sympy.SympyBuilder, "expression", never)
    text, code = BEYOND[what]
    with pytest.raises(TextError) as caught:
        read_text(text, NAMES)
    assert caught.value.code == code
    assert caught.value.remedy


def test_a_person_may_raise_a_limit():
    text = "x" + "+x" * 20_100
    with pytest.raises(TextError):
        read_text(text, NAMES)
    assert read_text(text, NAMES, limits=TextLimits(characters=50_000, operations=20_100)) == 20_101 * x


def test_the_limits_are_those_that_are_promised():
    assert TextLimits(40_000, 60, 20_000, 64, 40, 300, 4096, 512, 64) == LIMITS


@pytest.mark.parametrize(
    "text",
    ["max(" + ",".join(f"sin({i}*x)" for i in range(150)) + ")", "abs((log(x) + y + 1)^64)", "abs(log(x) + y)^64"],
)
def test_what_sympy_would_ponder_is_built_as_it_stands(text):
    assert isinstance(read_text(text, NAMES), sp.Expr)


def test_names_that_stand_for_numbers_are_followed():
    """A definition may stand for 9^60; its powers are refused as those of the number would be."""
    names = {
        **NAMES,
        "big": sp.Integer(9) ** 60,
        "shifted": x + 10**30,
        "logs": 10**20 * sp.log(y),
        "half": sp.Rational(1, 2),
    }
    for text, code in (("big^60", "E713"), ("big^big", "E713"), ("2^shifted", "E713"), ("exp(logs)", "E713")):
        with pytest.raises(TextError) as caught:
            read_text(text, names)
        assert caught.value.code == code
    assert read_text("x^half*big", names) == 9**60 * sp.sqrt(x)
    with pytest.raises(TextError) as caught:
        read_text("(half - 1)^half", names)
    assert caught.value.code == "E712"


def test_a_name_that_stands_for_much_is_looked_at_once():
    e = x
    for _ in range(60):  # 2^60 leaves, if equal parts were looked at again and again
        e = sp.sin(e) + sp.cos(e)
    assert read_text("2*e + y", {**NAMES, "e": e}) == 2 * e + y
