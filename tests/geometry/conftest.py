"""Systems with symmetries, shared by the tests of the geometry: the gallery's, and the builders of the laws."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.geometry.random_states import ConstraintSampler
from zoo import GALLERY, ZOO

FILES = {
    "sleigh": "chaplygin_sleigh",
    "rolling penny": "penny",
    "rolling disc": "rolling_disc",
    "snakeboard": "snakeboard",
    "robot": "two_wheeled_robot",
    "suslov free": "suslov",
    "plain ball": "rolling_ball_on_plane",
    "heisenberg free": "heisenberg",
    "particle": "nonholonomic_particle",
    "knife edge": "knife_edge_on_incline",
    "veselova": "veselova",
    "chaplygin ball": "chaplygin_ball",
    "routh sphere": "routh_sphere",
    "roller racer": "roller_racer",
    "rattleback": "rattleback",
}


class Systems:
    """Systems of the zoo and of the gallery by name, with what is derived from them, each made once."""

    def _place(self, name):
        return (ZOO, name) if name in ZOO.names else (GALLERY, FILES[name])

    def __getitem__(self, name):
        place, own = self._place(name)
        return place[own]

    def reduction(self, name):
        place, own = self._place(name)
        return place.reduction(own)

    def noether(self, name):
        place, own = self._place(name)
        return place.noether(own)

    def equations(self, name):
        place, own = self._place(name)
        return place.equations(own)

    @cache  # noqa: B019
    def reduced(self, name):
        """Equations of the reduced system."""
        found = self.reduction(name).system
        return da.nonholonomic(found) if found.constraints else da.free(found)


SYSTEMS = Systems()


@pytest.fixture(scope="session")
def systems():
    return SYSTEMS


def states_of(system, count=3, seed=1):
    """Random consistent states, parameters and t included."""
    found = []
    for values, held in ConstraintSampler(system).states(seed):
        if held:
            found.append(dict(values))
        if len(found) == count:
            return found


def value(expression, values):
    """An expression at values by name."""
    return np.asarray(evaluate([read(sp.sympify(expression), Graph())], values)[0], float)


def accelerations(equations, values):
    """Accelerations at a state that satisfies the constraints, in the order of the velocities."""
    return np.asarray(equations.accelerations({k: float(v) for k, v in values.items()})[0], float)


@pytest.fixture(scope="session", name="states_of")
def _states_of():
    return states_of


@pytest.fixture(scope="session", name="value")
def _value():
    return value


@pytest.fixture(scope="session", name="accelerations")
def _accelerations():
    return accelerations
