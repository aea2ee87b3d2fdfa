"""Texts name the entries of a rotation as printed equations do."""

import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import symmetric_sphere as sphere

TEXT = "R13*w1 + R23*w2 + R33*w3"


def plain(e):
    """The same in symbols that know nothing but their names."""
    return e.xreplace({s: sp.Symbol(s.name) for s in e.free_symbols})


def test_an_abbreviation_in_entries_is_the_one_in_symbols():
    system = sphere.system().changed(definitions={"v0": TEXT})
    assert sp.expand(system.definitions["v0"] - sphere.SPIN) == 0
    assert "v0 = R13*w1 + R23*w2 + R33*w3" in da.nonholonomic(system).lean.text()


def test_a_lagrangian_in_entries_moves_as_the_one_in_quaternions():
    base = sphere.system()
    text = f"m/2*(vx^2 + vy^2) + I1/2*(w1^2 + w2^2 + w3^2) + (I3 - I1)/2*({TEXT})^2"
    assert sp.expand(plain(base.changed(lagrangian=text).lagrangian) - plain(base.lagrangian)) == 0


def test_a_parameter_of_that_name_is_itself():
    space = sphere.SPACE
    system = da.System(space, "R13/2*(vx^2 + vy^2 + w1^2 + w2^2 + w3^2)", parameters={"R13": 2.0})
    assert "R13" in {s.name for s in system.lagrangian.free_symbols}


def test_other_names_are_unknown():
    with pytest.raises(da.DalembertError, match="E702"):
        da.System(sphere.SPACE, "R14*(w1^2 + w2^2 + w3^2)")
