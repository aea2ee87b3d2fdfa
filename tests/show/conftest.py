"""One comparison and one run that figures, fragments and reports show."""

import pytest

import dalembert as da
from dalembert.systems import heisenberg, penny


@pytest.fixture(scope="module")
def compared():
    system = heisenberg.system()
    start = {**next(iter(heisenberg.STARTS.values())), **{f"lam_{c.name}": 2.0 for c in system.constraints}}
    return da.compare(system, ["nonholonomic", "vakonomic"], start=start, until=2.0)


@pytest.fixture(scope="module")
def rolled():
    system = penny.system()
    event = da.Event("crossing", system.space["x"] - 0.5, "mark")
    equations = da.nonholonomic(system)
    return da.simulate(equations, equations.start(**penny.START), until=3.0, events=[event], rtol=1e-9)
