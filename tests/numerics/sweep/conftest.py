"""Systems for sweeps, those of the laws among them."""

import pytest
import sympy as sp

import dalembert as da
from zoo import ZOO

pytest.importorskip("xarray")
pytest.importorskip("zarr")


@pytest.fixture(scope="session")
def zoo():
    return ZOO


@pytest.fixture(scope="session")
def pair():
    """Two oscillators, one twice as fast as the other."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    k = sp.Symbol("k", positive=True)
    return da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - k / 2 * (x**2 + 4 * y**2), parameters={"k": 1.0}))


@pytest.fixture(scope="session")
def sleigh(zoo):
    return zoo.equations("sleigh")
