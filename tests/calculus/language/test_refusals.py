"""What people type instead of the language: each gets its code, the place under a caret, and something to type.

The place is marked in the texts below by the brackets \u2039 and \u203a.
"""

import pickle

import pytest
import sympy as sp

from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.syntax_errors import TextError
from dalembert.errors import DalembertError, WrongType

NAMES = {n: sp.Symbol(n, real=True) for n in ("x", "y", "theta", "vx", "t", "m", "k", "w_1", "\u03a9", "x\u2081")}
RATES = {"x": NAMES["vx"], "theta": sp.Symbol("vtheta", real=True)}

# code -> {marked text: part of the remedy}
REFUSED = {
    "E701": {"": "write", "   ": "write", "\n\t ": "write"},
    "E702": {
        "\u2039thetta\u203a": "did you mean theta?",
        "x + \u2039Theta\u203a*y": "did you mean theta?",
        "\u2039\u03b8\u203a": "did you mean theta?",
        "\u2039Omega\u203a": "did you mean \u03a9?",
        "\u2039nan\u203a": "finite",
        "x*\u2039oo\u203a": "finite",
        "\u2039inf\u203a": "finite",
        "\u2039zoo\u203a": "finite",
        "\u2039None\u203a": "finite",
        "\u2039PI\u203a*x": "write pi",
        "\u2039\u03c0\u203a*x": "write pi",
        "\u2039e\u203a^x": "exp(x)",
        "\u2039x_dot\u203a^2": "write dot(x)",
        "\u2039xdot\u203a": "write dot(x)",
        "\u2039dx\u203a": "write dot(x)",
        "m*\u2039I\u203a": "known names",
        "\u2039lambda\u203a": "known names",
        "\u2039_x\u203a": "did you mean x?",
    },
    "E703": {
        "\u2039sinn\u203a(x)": "did you mean sin?",
        "\u2039Sin\u203a(x)": "sin",
        "\u2039COS\u203a(x)": "cos",
        "\u2039ln\u203a(x)": "write log(x)",
        "\u2039arcsin\u203a(x)": "write asin(x)",
        "1 + \u2039arctan2\u203a(y, x)": "atan2",
        "\u2039pow\u203a(x, 2)": "x^2",
        "\u2039f\u203a(x)": "functions:",
        "\u2039sgn\u203a(x)": "sign",
        "\u2039piecewise\u203a(x > 0, 1, 2)": "write where(x < 0, a, b)",
        "\u2039hyp1f1\u203a(1, 2, x)": "is a state: coordinates F, G without mass",
        "\u2039chebyshevt\u203a(2, x)": "write a polynomial out",
        "\u2039eval\u203a(x)": "",
        "\u2039__import__\u203a(x)": "functions",
    },
    "E704": {
        "2\u2039x\u203a": "2*x",
        "sin(x)\u2039cos\u203a(y)": "(...)*cos(...)",
        "x \u2039y\u203a": "x*y",
        "2 \u20393\u203a": "2*3",
        "sin \u2039x\u203a": "write sin(x)",
        "exp \u2039x\u203a": "write exp(x)",
        "x\u2039(\u203ay)": "x*(",
        "x\u2039(\u203at)": "write x",
        "2\u2039(\u203ax+1)": "2*(",
        "(x+1)\u2039(\u203ay)": "*",
        "(x+1)\u2039y\u203a": "*",
        "x\u2039**\u203a": "write what follows",
        "x \u2039+\u203a": "write what follows",
        "\u2039*\u203a x": "remove it",
        "x +\u2039/\u203a y": "remove it",
        "sin^2\u2039(\u203ax)": "sin(x)^2",
        "d/dt \u2039x\u203a": "dot(x)",
        "10 \u2039cm\u203a": '"10 cm"',
        "9.81 \u2039m\u203a/s^2": "9.81*m",
        "lambda \u2039x\u203a": "functions",
        "x \u2039if\u203a y": "where",
        "(x+\u2039)\u203a": "missing",
    },
    "E705": {
        "0\u2039,\u203a5*x": "0.5",
        "1\u2039,\u203a000": "1000",
        "x\u2039,\u203a y": "arguments",
        "sin(0\u2039,\u203a5)": "0.5",
        "(1\u2039,\u203a2)*x": "1.2",
        "1.000\u2039,\u203a5": "mark: 1000.5",
    },
    "E706": {
        "x \u2039=\u203a y": "one side",
        "x \u2039==\u203a y": "one side",
        "x \u2039<\u203a y": "where",
        "2*(x \u2039>=\u203a y)": "where",
        "sin(x \u2039!=\u203a y)": "where",
        "x < y \u2039<\u203a m": "and",
        "x \u2039:\u203a= y": "one side",
        "where(x \u2039=\u203a 0, 1, 2)": "where(x == 0, a, b)",
        "where(\u2039x\u203a, 1, 2)": "compare",
        "x =\u2039=\u203a= y": None,
    },
    "E707": {
        "\u2039(\u203ax": "(x)",
        "x\u2039)\u203a": "remove",
        "dot\u2039(\u203a": ")",
        "abs\u2039(\u203a": ")",
        "sin\u2039(\u203ax + (y)": "add ')'",
        "\u2039(\u203a)": "expression",
        "\u2039)\u203a(": "remove",
        "((x)\u2039)\u203a)": None,
    },
    "E708": {
        "\u2039sin()\u203a": "sin(x)",
        "\u2039sin(x,y)\u203a": "sin(x)",
        "1 + \u2039atan2(y)\u203a": "atan2(y, x)",
        "\u2039min()\u203a": "min(a, b)",
        "\u2039dot(x, y)\u203a": "dot(x)",
        "\u2039sin\u203a": "sin(x)",
        "\u2039sin\u203a*x": "sin(x)",
        "max(x\u2039,\u203a)": None,
    },
    "E709": {
        "x\u2039'\u203a": "dot(x)",
        "m*theta\u2039'\u203a^2": "dot(theta)",
        "x\u2039''\u203a": "acceleration",
        "x\u2039.diff\u203a(t)": "dot(x)",
        "\u2039\\dot\u203a{x}": "dot(x)",
        "\u2039\\dot\u203a{\\theta}": "dot(theta)",
        "\u2039\\frac\u203a{1}{2}": "(a)/(b)",
        "\u2039\\theta\u203a": "write theta",
        "\u2039diff\u203a(x, t)": "dot(x)",
        "\u2039\u1e8b\u203a": "dot(x)",
        "\u2039\u03b8\u203a\u0307": "dot(\u03b8)",
        "x \u2039and\u203a y": "where",
        "\u2039not\u203a x": "where",
    },
    "E710": {
        "\u2039dot(m)\u203a": "remove",
        "dot(\u2039q\u203a)": "known names",
        "dot(\u2039thet\u203a)": "did you mean theta?",
        "dot(\u2039x^2\u203a)": "2*x*dot(x)",
        "dot(\u20393\u203a)": "chain rule",
        "\u2039dot(t)\u203a": "write 1",
    },
    "E118": {
        "\u2039dot(dot(x))\u203a": "velocities",
        "\u2039ddot(x)\u203a": "velocities",
        "\u2039dot(vx)\u203a": "velocities",
    },
    "E711": {
        "1/\u20390\u203a": "",
        "x/\u2039(1-1)\u203a": "",
        "x/\u20390.0\u203a": "",
        "\u20390^(-1)\u203a": "",
        "\u2039log(0)\u203a": "",
        "\u2039x/(x - x)\u203a": "",
        "\u2039atanh(1)\u203a": "",
        "\u2039cot(0)\u203a": "",
        "\u2039log(x - x)\u203a": "",
        "1 + \u20391/sin(pi)\u203a": "",
        "1/\u2039(0.1 + 0.2 - 0.3)\u203a": "",
        "x/\u2039(sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6)))\u203a": "",
        "\u2039where(1 < 0, x)\u203a": None,
    },
    "E712": {
        "\u2039sqrt(-1)\u203a": ">= 0",
        "\u2039log(-2)\u203a": "> 0",
        "\u2039(-8)^(1/3)\u203a": "sign(x)*abs(x)^(1/3)",
        "\u2039(-2)^0.5\u203a": "",
        "\u2039asin(2)\u203a": "between",
        "\u2039acos(-1.5)\u203a": "between",
        "\u2039acosh(0)\u203a": ">= 1",
        "\u2039sqrt(-x^2)\u203a": "",
        "\u2039sqrt(1 - 2)\u203a*x": "",
        "\u2039log(-exp(x))\u203a": "",
    },
    "E713": {
        "9**\u20399**9\u203a": "",
        "\u2039(9^60)^60\u203a": "",
        "x^\u20391000000\u203a": "",
        "x^\u203965\u203a": "",
        "x^\u2039(-65)\u203a": "",
        "x^\u2039(60 + 5)\u203a": "",
        "\u2039(9^60*x)^60\u203a": "",
        "2^\u2039(x + 1000)\u203a": "",
        "\u2039exp(1000*log(x))\u203a": "",
        "\u2039(x^60)^60\u203a": "",
        "\u2039x^40*x^40\u203a": "",
        "\u2039exp(10000000000000*log(7*x))\u203a": "",
        "(12345678901234567890 - 1)^\u2039(12345678901234567890 + x)\u203a": "",
    },
    "E714": {
        "\u20391e999999999\u203a": "units",
        "\u20391e-301\u203a": "units",
        "\u203912345678901234567890123456789012345678901\u203a": "digits",
        "\u20390x10\u203a": "decimal",
        "\u20390b1\u203a": "decimal",
        "\u20391_000\u203a": "1000",
        "1\u2039'\u203a000": "separator",
        "\u20391..2\u203a": "decimal",
        "\u20391.2.3\u203a": "decimal",
        "\u20391e\u203a": "digits",
        "\u20392j\u203a*x": "real",
        "\u20391e300*1e300\u203a": "units",
        "\u20391e-200*1e-200\u203a": "units",
        "\u2039exp(1000)\u203a": "units",
        "\u2039x*1e200*1e200\u203a": "units",
        "\u2039(10^39)^10\u203a": "units",
    },
    "E715": {
        "__import__(\u2039'\u203aos').system('id')": "quotes",
        "()\u2039.\u203a__class__": "attributes",
        "open(\u2039'\u203a/etc/passwd')": "quotes",
        "lambda x\u2039:\u203a x": "",
        "\u2039[\u203ai for i in x]": "",
        "\u2039{\u203ax}": "",
        "\u2039`\u203ax`": "",
        "x\u2039;\u203a y": "",
        '\u2039"\u203ax"': "quotes",
        "x\u2039[\u203a0]": "x0",
        "\u2039$\u203ax$": "LaTeX",
        "\u2039|\u203ax|": "abs(x)",
        "x\u2039!\u203a": "factorial",
        "x \u2039#\u203a spring": "comments",
        "x \u2039%\u203a 2": "",
        "x \u2039&\u203a y": "",
        "x\u2039.\u203a__class__": "attributes",
        "\u2039np.\u203asin(x)": "write sin(...)",
        "(x \u2039]\u203a": "",
        "x\u2039@\u203ay": "*",
    },
    "E717": {
        "x\u2039\0\u203ay": "remove",
        "x\u2039\u202e\u203ay": "remove",
        "x\u2039\u200b\u203a": "remove",
        "\u2039\uff12\u203a*x": "write 2",
        "\u2039\U0001d7d7\u203a": "write 9",
        "\u2039\ufb01\u203a": "fi",
        "x \u2039\u2212\u203a y": "write -",
        "\u2039\u201c\u203ax": "without quotes",
        "x\u2039\u00d7\u203ay": "write *",
        "x\u2039\u00b7\u203ay": "write *",
        "\u2039\u00bd\u203a*m": "(1/2)",
        "x\u2039\u00b2\u203a": "^2",
        "x\u2039\u207b\u203a\u00b2": "^-2",
        "\u2039\u221a\u203a2": "sqrt",
        "x \u2039\u2264\u203a y": "<=",
        "\u2039\u00b5\u203a": "mu",
        "x\u2039\u00a0\u203a+ y": "space",
        "\u2039\u0430\u203a*x": "ASCII",  # a Cyrillic letter that looks like a
        "\u2039\U0001f600\u203a": "",
        "x\x0b": None,
        "x\x1b[31m": None,
        "\ud800": None,
    },
}
CASES = [(code, marked, remedy) for code, rows in REFUSED.items() for marked, remedy in rows.items()]


def read(text, **more):
    return read_text(text, NAMES, RATES, parameters=("m", "k"), where="L", **more)


def unmarked(marked):
    """The text, and where the brackets stood: column and length, or None."""
    if "\u2039" not in marked:
        return marked, None
    before, _, rest = marked.partition("\u2039")
    place, _, after = rest.partition("\u203a")
    return before + place + after, (len(before), len(place))


@pytest.mark.parametrize(("code", "marked", "remedy"), CASES, ids=[f"{c} {m!a}" for c, m, _ in CASES])
def test_refused_with_code_place_and_remedy(code, marked, remedy):
    text, place = unmarked(marked)
    with pytest.raises(TextError) as caught:
        read(text)
    error = caught.value
    assert error.code == code, error
    assert isinstance(error, ValueError)
    assert error.fact.startswith("L")
    assert error.remedy
    if remedy is not None:
        assert remedy in error.remedy
        if place:
            assert (error.column, error.length) == place


def test_unknown_names_are_key_errors_too():
    for text in ("thetta", "sinn(x)"):
        with pytest.raises(KeyError):
            read(text)


@pytest.mark.parametrize("given", [None, 3, 2.5, b"x", ["x"], ("x",), {"x": 1}, object(), NAMES["x"], True])
def test_what_is_not_text(given):
    with pytest.raises(WrongType) as caught:
        read(given)
    assert caught.value.code == "E718"
    assert type(given).__name__ in caught.value.fact


def test_the_message_shows_the_text_with_a_caret_line():
    with pytest.raises(TextError) as caught:
        read("m/2*dot(x)^2 - k/2*xx^2")
    assert str(caught.value).splitlines() == [
        "E702 L: unknown name 'xx'",
        "  m/2*dot(x)^2 - k/2*xx^2",
        "                     ^^",
        "  do: did you mean x?",
    ]


def test_the_caret_stands_in_the_line_of_the_place():
    with pytest.raises(TextError) as caught:
        read("m/2*dot(x)^2\n\t- k/2*xx^2\n+ y")
    assert caught.value.detail.splitlines() == [" - k/2*xx^2", "       ^^"]


@pytest.mark.parametrize("before", [0, 40, 500, 3000])
@pytest.mark.parametrize("after", [0, 40, 500])
def test_a_long_text_is_cut_around_the_place(before, after):
    with pytest.raises(TextError) as caught:
        read("x+" * (before // 2) + "q" + "+x" * (after // 2))
    line, carets = caught.value.detail.splitlines()
    assert len(line) <= 96
    assert line[carets.index("^")] == "q"
    assert carets.count("^") == 1


def test_wide_and_combining_characters_do_not_shift_the_caret():
    with pytest.raises(TextError) as caught:
        read("x + \uff12")
    assert caught.value.detail.splitlines()[1] == "    ^^"
    names = {"e\u0301": sp.Symbol("e\u0301")}  # NFC makes one character of it
    with pytest.raises(TextError) as caught:
        read_text("e\u0301 + q", {"\u00e9": names["e\u0301"]})
    assert caught.value.detail.splitlines()[1] == "    ^"


@pytest.mark.parametrize("text", ["thetta", "2x", "x^65", "x\u202ey", "(" * 99])
def test_no_control_characters_are_shown_and_pickling_keeps_the_place(text):
    with pytest.raises(TextError) as caught:
        read(text)
    error = caught.value
    assert "\u202e" not in str(error)
    assert error.__context__ is None or isinstance(error.__context__, ValueError)  # no parser goes with it
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.column, copy.text) == (type(error), str(error), error.column, error.text)


@pytest.mark.parametrize(
    "name", ["I", "E", "S", "N", "Q", "O", "C", "beta", "gamma", "zeta", "re", "im", "lambda", "i", "e", "j"]
)
def test_names_that_mean_something_to_sympy_or_python_are_ordinary(name):
    own = sp.Symbol(name, positive=True)
    assert read_text(f"{name}*x^2/2 - {name}", {**NAMES, name: own}) == own * NAMES["x"] ** 2 / 2 - own
    assert read_text(f"2*{name}", {name: own}) == 2 * own
    with pytest.raises(TextError) as caught:
        read(f"2*{name}")
    assert caught.value.code == "E702"


def test_pi_is_the_number_and_no_other():
    assert read("2*pi") == 2 * sp.pi
    with pytest.raises(DalembertError) as caught:
        read_text("2*pi", {"pi": sp.Symbol("pi")})
    assert caught.value.code == "E103"


def test_letters_of_other_alphabets_stand_in_declared_names_only():
    own = sp.Symbol("\u0434", real=True)
    assert read_text("2*\u0434", {"\u0434": own}) == 2 * own
    with pytest.raises(TextError) as caught:
        read_text("2*\u0436", {"\u0434": own})
    assert caught.value.code == "E717"


def test_one_spelling_of_an_accent():
    own = sp.Symbol("\u00e9", real=True)
    assert read_text("2*e\u0301", {"\u00e9": own}) == 2 * own  # two characters or one: NFC
    assert read_text("\u2126", {"\u03a9": NAMES["\u03a9"]}) == NAMES["\u03a9"]  # the ohm sign is an Omega
