"""Fixed steps say what error they leave, though the energy may not show it."""

import re

import numpy as np
import pytest

import dalembert as da

METHODS = ("dla", "discrete_gradient", "symmetric_projection")
UNTIL = 10.0


@pytest.fixture(scope="module")
def swing():
    system = da.System(da.coordinates("x"), "m*vx^2/2 - m*x^2/2", parameters={"m": 1.0})
    return da.free(system)


def told(path):
    found = [re.search(r"an error of about (\S+) of", note) for note in path.audit.notes if note.startswith("W305")]
    return float(found[0][1]) if found else 0.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size, mass", [(1.0, 1.0), (1e-20, 1e15)])
def test_the_error_that_is_told_is_about_the_one_that_was_made(swing, method, size, mass):
    start = {"x": size, "vx": 0}
    path = da.simulate(swing, start, until=UNTIL, method=method, step=0.01, parameters={"m": mass})
    made = np.abs(path["x"] / size - np.cos(path.t)).max()
    assert made / 5 < told(path) < made * 5


def test_steps_that_leave_nothing_visible_are_not_doubted(swing):
    fine = da.simulate(swing, {"x": 1, "vx": 0}, until=0.1, method="symmetric_projection", step=1e-3)
    adaptive = da.simulate(swing, {"x": 1, "vx": 0}, until=UNTIL)
    assert told(fine) == told(adaptive) == 0


def test_a_method_that_keeps_the_energy_is_doubted_all_the_same():
    blade = {"blade": "vx*sin(a) - vy*cos(a)"}
    skate = da.nonholonomic(da.System(da.coordinates("x y a"), "(vx^2 + vy^2 + va^2)/2", blade))
    start = {"x": 0, "y": 0, "a": 0, "vx": 1, "va": 1}
    path = da.simulate(skate, start, until=UNTIL, method="discrete_gradient", step=0.05)
    assert path.ok
    assert np.abs(path["x"] - np.sin(path.t)).max() > 1e-4 and told(path) > 1e-5
