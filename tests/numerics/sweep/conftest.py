"""Systems for sweeps, those of the laws among them."""

import importlib.util
from pathlib import Path

import pytest
import sympy as sp

import dalembert as da

pytest.importorskip("xarray")
pytest.importorskip("zarr")


def load(*parts):
    """A module of the tests by its place."""
    path = Path(__file__).resolve().parents[2].joinpath(*parts)
    spec = importlib.util.spec_from_file_location("_".join(parts).removesuffix(".py"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def zoo():
    return load("laws", "conftest.py").ZOO


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
