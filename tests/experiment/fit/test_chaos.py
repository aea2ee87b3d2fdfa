"""A record that is longer than its motion is determined: what is not known is told from what is not seen."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

START = {"a": 2.0, "b": 2.5, "va": 0, "vb": 0}
NOISE = {"a": 1e-3, "b": 1e-3}


def double_pendulum(g):
    q = da.coordinates("a b")
    a, b, va, vb = q
    weight = sp.Symbol("g", positive=True)
    kinetic = va**2 + vb**2 / 2 + va * vb * sp.cos(a - b)
    return da.free(da.System(q, kinetic + weight * (2 * sp.cos(a) + sp.cos(b)), parameters={"g": g}))


def seen(until):
    t = np.linspace(0, until, 200)
    row = da.simulate(double_pendulum(9.81), START, until=until).at(t)
    return da.recorded({"t": t, "a": row["a"], "b": row["b"]}, uncertainty=NOISE)


def test_as_long_as_the_motion_is_determined_g_is_found():
    fit = da.fit(double_pendulum(9.6), seen(6), start=START, free="g")
    assert fit["g"] == pytest.approx(9.81, abs=1e-6)
    assert not fit.unseen


@pytest.mark.filterwarnings("ignore::dalembert.DalembertWarning")
def test_derivatives_without_a_digit_are_not_called_none():
    fit = da.fit(double_pendulum(9.6), seen(25), start=START, free="g")
    (told,) = fit.unseen
    assert told.lost
    assert "no prediction" not in str(told) and "not known to one digit" in str(told)
    assert "W408" in " ".join(map(str, fit.notes))
