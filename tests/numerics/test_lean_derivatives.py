"""Derivatives made in the speeds of the lean form are those of the equations as written.

Tolerances of single states leave the equations as they are written, so that the same public call makes both.
"""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics import policy
from dalembert.numerics.sensitivities.flow_derivatives import TangentFlow
from zoo import ZOO

FALLING = {"x": 0.1, "y": 0, "theta": 1.1, "phi": 0.2, "psi": 0, "vtheta": 0.1, "vphi": 0.5, "vpsi": 1.0}
ROLLING = {"x": 0.1, "y": 0.05, "R": "identity", "vx": 0.1, "vy": 0.2, "w3": 0.4}
STARTS = {"disc": (FALLING, "theta vpsi A m"), "ball": (ROLLING, "y vx Omega nu J")}


@pytest.fixture
def integrated(monkeypatch):
    """The forms that derivatives were integrated in: True for a lean one."""
    found, made = [], TangentFlow.of

    def of(field, *others):
        found.append(field.lean is not None)
        return made(field, *others)

    monkeypatch.setattr(TangentFlow, "of", of)
    return found


def both(equations, start, **options):
    each = dict.fromkeys(equations.states, 1e-14)
    return [da.sensitivities(equations, start, **options, atol=atol) for atol in (1e-14, each)]


def close(first, second, bound):
    scale = 1 + np.abs(second.values).max(axis=(0, 1))
    assert np.abs(first.states - second.states).max() < bound * (1 + np.abs(second.states).max())
    assert (np.abs(first.values - second.values).max(axis=(0, 1)) < bound * scale).all()


@pytest.mark.parametrize("name", STARTS)
def test_they_are_those_of_the_equations_as_written(name, integrated):
    start, by = STARTS[name]
    first, second = both(ZOO.equations(name), start, until=3.0, by=by.split(), samples=np.linspace(0, 3, 7))
    assert integrated == [True, False]
    close(first, second, 1e-10)


def test_through_a_pole_of_a_chart_too(integrated, monkeypatch):
    monkeypatch.setattr(policy, "leaner", lambda *_: True)  # the lean form of this row would not be taken: it is longer
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    k = sp.Symbol("k", positive=True)
    row = sp.cos(x) * vx + sp.sin(y + 1) * vy + sp.cos(z + 2) * vz
    system = da.System(q, (vx**2 + 2 * vy**2 + vz**2) / 2 - sp.sin(x) - k * y, {"row": row}, parameters={"k": 1.0})
    start = {"x": 0.1, "y": 0.0, "z": 0.0, "vx": 0.5, "vy": 0.8}
    first, second = both(da.nonholonomic(system), start, until=6.0, by=["vy", "k"], samples=[0.0, 3.0, 6.0])
    assert integrated[0]
    close(first, second, 1e-9)


@pytest.mark.filterwarnings("ignore:W129")
def test_a_force_that_switches_with_a_velocity_that_follows_switches_in_speeds_too(integrated):
    space = ZOO["sleigh"].space
    system = ZOO["sleigh"].changed(forces={space["vx"]: -sp.sign(space["vx"] - sp.Rational(9, 10)) / 50})
    start = {"x": 0, "y": 0, "theta": 0.2, "vx": 1.0, "omega": 0.4}
    options = {"until": 4.0, "by": ["vx", "omega"], "samples": [0.0, 2.0, 4.0]}
    first, second = both(da.nonholonomic(system), start, **options)
    assert integrated[0]
    assert not integrated[-1]
    close(first, second, 1e-9)
    alone = da.sensitivities(da.nonholonomic(ZOO["sleigh"]), start, **options)
    assert np.abs(alone.values - first.values)[-1].max() > 1e-3
