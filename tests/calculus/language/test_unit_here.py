"""A unit in a formula is refused with what may be written instead; what it says is taken, and is the same quantity."""

import math
import re

import pytest

import dalembert as da
from dalembert.calculus.quantity import quantity

WRITE = re.compile(r"do: formulas are in base SI: write (.*) for (.*)")
FORMULAS = {  # with what they mean in base SI at x = 0.3
    "2*90 deg": math.pi,
    "x*45 rpm": 0.3 * 1.5 * math.pi,
    "-12.5 deg": -math.radians(12.5),
    "x + 2.54 cm": 0.3254,
    "x + 9.81 m/s^2*2": 0.3 + 2 * 9.81,
    "7.2 km/h/2": 1.0,
    "3 N m": 3.0,
    "0.5 rad": 0.5,
    "sin(x) rpm": math.sin(0.3) * math.pi / 30,
    "1 + x deg": 1 + math.radians(0.3),
    "(x + 1) cm": 0.013,
    "x/2 ms": 0.15e-3,  # (x/2) ms
    "x^2 min": 0.09 * 60,
    "2^3 deg": math.radians(8),
    "x kg": 0.3,
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_what_is_said_to_be_written_instead_of_a_unit_is_taken(formula):
    q = da.coordinates("x")
    written = f"x^2 + ({formula})"
    with pytest.raises(da.DalembertError, match="E704") as refused:
        da.System(q, written)
    new, old = WRITE.search(str(refused.value)).groups()
    if "(...)" in old:
        inside = re.search(r"\w*(\(.*\)) \w+$", formula)[1]
        new, old = new.replace("(...)", inside), old.replace("(...)", inside)
    assert old in written
    meant = da.System(q, written.replace(old, new)).lagrangian
    assert float(meant.subs(q["x"], 0.3)) - 0.09 == pytest.approx(FORMULAS[formula], rel=1e-13)


def test_a_number_with_a_unit_may_become_a_parameter_as_it_says():
    with pytest.raises(da.DalembertError, match="E704") as refused:
        da.System(da.coordinates("x"), "x*9.81 m/s^2 + x^2")
    named = re.search(r'a name in the parameters: "(.*)"', str(refused.value))[1]
    assert quantity(named, "g").value == 9.81
    da.System(da.coordinates("x"), "x*g", parameters={"g": named})


def test_names_of_the_system_are_no_units():
    with pytest.raises(da.DalembertError, match=re.escape("put * between factors: 3*m")):
        da.System(da.coordinates("x"), "x*3 m", parameters={"m": 2.0})
