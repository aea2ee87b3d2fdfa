"""Systems with symmetries, shared by the tests of the geometry: the gallery's, and the builders of the laws."""

import importlib.util
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.read import read
from dalembert.geometry.states import Ground


def _laws():
    path = Path(__file__).resolve().parents[1] / "laws" / "conftest.py"
    spec = importlib.util.spec_from_file_location("systems_of_the_laws", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {b.__name__: b for b in module.BUILDERS}


LAWS = _laws()
GALLERY = {
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
    """Systems by name, with what is derived from them, each made once."""

    @cache  # noqa: B019
    def __getitem__(self, name):
        if name in LAWS:
            return LAWS[name]()
        return import_module(f"dalembert.systems.{GALLERY[name]}").system()

    @cache  # noqa: B019
    def reduction(self, name):
        return da.reduce(self[name])

    @cache  # noqa: B019
    def equations(self, name):
        return da.nonholonomic(self[name])

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
    for values, held in Ground(system).states(seed):
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
