"""Numbers with units: converted by their definitions, or refused."""

import math
import subprocess
import sys
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.calculus import quantity as module
from dalembert.calculus.quantity import Dimension, dimension, quantity

# value in base SI by the unit's legal definition, and the base units
DEFINED = {
    "2.54 cm": (Fraction("0.0254"), {"m": 1}),
    "1 in": (Fraction("0.0254"), {"m": 1}),
    "3 ft": (Fraction("0.9144"), {"m": 1}),
    "500 g": (Fraction(1, 2), {"kg": 1}),
    "1 lb": (Fraction("0.45359237"), {"kg": 1}),
    "1 t": (Fraction(1000), {"kg": 1}),
    "36 km/h": (Fraction(10), {"m": 1, "s": -1}),
    "9.81 m/s^2": (Fraction("9.81"), {"m": 1, "s": -2}),
    "9.81 m/s²": (Fraction("9.81"), {"m": 1, "s": -2}),
    "9.81 m s^-2": (Fraction("9.81"), {"m": 1, "s": -2}),
    "2 kg*m^2": (Fraction(2), {"kg": 1, "m": 2}),
    "2 kg·m²": (Fraction(2), {"kg": 1, "m": 2}),
    "7 g cm^2": (Fraction("7e-7"), {"kg": 1, "m": 2}),
    "3 N m": (Fraction(3), {"kg": 1, "m": 2, "s": -2}),
    "4 N/(m/s)": (Fraction(4), {"kg": 1, "s": -1}),
    "1.5e3 mm": (Fraction("1.5"), {"m": 1}),
    "-5 ms": (Fraction("-0.005"), {"s": 1}),
    "2 1/min": (Fraction(2, 60), {"s": -1}),
    "0.25 rad": (Fraction(1, 4), {}),
}


@pytest.mark.parametrize("text", DEFINED)
def test_the_definition(text):
    value, powers = DEFINED[text]
    found = quantity(text, "q")
    assert found.value == pytest.approx(float(value), rel=2e-16)
    assert found.dimension == Dimension.of(powers)


@pytest.mark.parametrize(
    ("text", "turns"), [("45 rpm", 0.75), ("1 turn", 1), ("90 deg", 0.25), ("30 °", 1 / 12), ("60 arcmin", 1 / 360)]
)
def test_angles_are_in_radians(text, turns):
    # a rotation by a whole turn is 2 pi, and pi is rounded once
    assert quantity(text, "q").value == pytest.approx(2 * math.pi * turns, rel=4e-16)


@pytest.mark.parametrize("digits", ["2.54", "0.1", "9.81", "1e-3", "12345.678"])
def test_decimals_are_converted_as_decimals(digits):
    # not one rounding for the number and another for the factor
    assert quantity(f"{digits} cm", "q").value == float(Fraction(digits) / 100)
    assert quantity(f"{digits} kg", "q").value == float(digits)


@pytest.mark.parametrize(
    "text",
    [
        "3 Hz^(1)",
        "1 m^",
        "1 m^^2",
        "1 m^1e9",
        "1 *m",
        "1 m*",
        "1 (m",
        "1 m)",
        "1 m/s s",
        "1 \x00",
        "1 m:",
        "1 meters_of",
        "1 delta",
        "1 lambda: 0",
        "1 m" + "*m" * 200,
        "0.5 kg*\u1373m^2",
    ],
)
def test_no_unit(text):
    with pytest.raises(da.DalembertError) as caught:
        quantity(text, "q")
    assert caught.value.code in ("E204", "E206")
    assert caught.value.remedy


def test_a_unit_of_another_dimension():
    with pytest.raises(da.DalembertError, match="E207 q is 1/s, needs m"):
        quantity("45 rpm", "q", Dimension.of({"m": 1}))
    assert quantity("45 cm", "q", Dimension.of({"m": 1})).value == 0.45


def test_units_of_base_si_alone_name_a_dimension():
    assert dimension("kg*m^2/s", "q") == Dimension.of({"kg": 1, "m": 2, "s": -1})
    assert dimension("1", "q") == dimension("rad", "q") == Dimension()
    for text in ("cm", "g", "deg", "min"):
        with pytest.raises(da.DalembertError, match="E206"):
            dimension(text, "q")


@pytest.mark.parametrize("powers", [{"m": 1}, {"kg": 2, "s": -3}, {"A": Fraction(1, 2), "K": -1}, {}])
def test_dimensions_are_a_group(powers):
    a, b = Dimension.of(powers), Dimension.of({"m": 3, "mol": -1})
    assert a * b / b == a
    assert (a * b) ** 2 == a**2 * b**2
    assert a / a == Dimension()
    assert a ** Fraction(1, 2) * a ** Fraction(1, 2) == a


def test_plain_numbers_and_units_of_mechanics_need_no_unit_registry():
    code = (
        "import sys, dalembert as da\n"
        "q = da.coordinates('x'); s = da.System(q, q['vx']**2/2 - q['x'], parameters={})\n"
        "da.free(s).start(x=1, vx=0)\n"
        "assert 'pint' not in sys.modules\n"
        "s = da.System(q, q['vx']**2/2, units={'x': 'm'})\n"
        "da.free(s).start(x='1 cm', vx='2 km/h')\n"
        "assert 'pint' not in sys.modules\n"
        "da.free(s).start(x='1 inch', vx=0)\n"
        "assert 'pint' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", module._MECHANICS)
def test_the_units_of_mechanics_are_those_of_the_registry(name):
    assert module._MECHANICS[name] == module._from_pint(name)


def test_without_pint_the_remedy_is_an_installation():
    code = (
        "import sys; sys.modules['pint'] = None\n"
        "import dalembert as da\n"
        "try:\n    da.System(da.coordinates('x'), 1, parameters={'m': '1 lb'})\n"
        "except da.DalembertError as error:\n    assert error.code == 'E801' and 'pip install pint' in error.remedy\n"
        "else:\n    raise SystemExit(1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
