"""A skateboard [hubbard1979; kremnev2010]: it stands from a speed on, in one direction of riding."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import skateboard
from zoo import GALLERY


@pytest.fixture(scope="module")
def board():
    """The board, reduced by the motions of the floor, and the reduced velocity of riding ahead at 1 m/s."""
    reduction = GALLERY.reduction("skateboard")
    ahead = {**reduction.system.values(), "theta": 0, "gamma": 0, "d_vx": 1}
    forward = reduction.velocities[0]
    speed = float(forward.subs({s: ahead[s.name] for s in forward.free_symbols}))
    return da.nonholonomic(reduction.system), 1 / speed


def _lean(p, v):
    """J gammaddot + d gammadot + c gamma = 0 near riding straight on at the speed v."""
    steep, steered = (math.tan(p["front"]) + s * math.tan(p["rear"]) for s in (-1, 1))
    J = p["J"] + p["m"] * p["h"] ** 2
    c = p["k"] - p["m"] * p["g"] * p["h"] + p["m"] * p["h"] * v**2 * steered / (2 * p["l"])
    return J, p["m"] * p["h"] * v * steep / 2, c


@pytest.mark.parametrize("v", [-2.0, 0.3, 2.0])
def test_small_leanings_are_those_of_the_linear_theory(board, v):
    equations, unit = board
    found = da.steady(equations, {"gamma": 0.0, "d_vx": v * unit}).eigenvalues
    for root in np.roots(_lean(equations.system.values(), v)):
        assert np.abs(found - root).min() < 1e-6


@pytest.mark.parametrize(("share", "upright"), [(1.05, True), (0.95, False)])
def test_it_stands_from_a_speed_on(share, upright):
    system = skateboard.system()
    p, equations = system.values(), da.nonholonomic(system)
    # v^2 = 2 l (m g h - k)/(m h (tan(front) + tan(rear)))
    steered = math.tan(p["front"]) + math.tan(p["rear"])
    v = share * math.sqrt(2 * p["l"] * (p["m"] * p["g"] * p["h"] - p["k"]) / (p["m"] * p["h"] * steered))
    start = equations.start(x=0.0, y=0.0, theta=0.0, gamma=1e-3, vx=v, vgamma=0.0)
    path = da.simulate(equations, start, until=12.0)
    assert (np.abs(path["gamma"]).max() < 1.01e-3) == upright


def test_it_does_not_stand_with_the_other_axle_ahead():
    equations = da.nonholonomic(skateboard.system())
    start = equations.start(x=0.0, y=0.0, theta=0.0, gamma=1e-3, vx=-2.0, vgamma=0.0)
    assert np.abs(da.simulate(equations, start, until=12.0)["gamma"]).max() > 2e-3
