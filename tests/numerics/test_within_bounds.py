"""Machine code reads where it is told to. Run as Python, which checks every index, the loops read what is theirs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.equations import Equations
from dalembert.numerics.machine.loop.entry import Loop
from dalembert.numerics.machine.loop.table import Frame
from dalembert.numerics.methods import METHODS


@cache
def skate() -> Equations:
    q = da.coordinates("x y") * da.angle("th")
    L = "m*(vx^2 + vy^2)/2 + vth^2/2 - m*x"
    return da.nonholonomic(da.System(q, L, {"blade": "sin(th)*vx - cos(th)*vy"}, parameters={"m": 1.3}))


START = {"x": 0.0, "y": 0.0, "th": 0.4, "vth": 1.1, "vx": 0.3}


@pytest.fixture
def as_python(monkeypatch):
    """Loops run as they are written; which did."""
    seen: set[str] = set()

    def called(self, *given):
        seen.add(self.__name__)
        return self.function(*(each.record if isinstance(each, Frame) else each for each in given))

    def prepared(self, *given, varied=None):
        def again(value=0.0):
            return called(self, *(value if i == varied else each for i, each in enumerate(given)))

        return again

    monkeypatch.setattr(Loop, "__call__", called)
    monkeypatch.setattr(Loop, "prepared", prepared)
    return seen


@pytest.mark.parametrize("method", METHODS)
def test_every_method_reads_what_is_its_own(as_python, method):
    options = {"step": 0.05} if METHODS[method].fixed else {"rtol": 1e-6}
    half = da.Event("half", skate().space.coordinates[0] - 0.1, "mark")
    for more in ({}, {"dense": False, "samples": [0.1, 0.4]}, {"events": [half]}):
        path = da.simulate(skate(), START, until=0.5, method=method, **options, **more)
        assert np.isfinite(path.values).all()
    assert "map_rows" in as_python and {"advance", "march"} & as_python


def test_a_disturbance_reads_what_is_its_own(as_python):
    """Along more steps than those that cannot lose all digits."""
    path = da.simulate(skate(), START, until=20, rtol=1e-6)
    assert path.audit.steps > 20 and "follow" in as_python


def test_members_beside_each_other_read_what_is_their_own(as_python):
    found = da.sweep(skate(), starts={**START, "vth": np.linspace(0.5, 1.5, 9)}, until=0.5, jobs=1, keep=["x"])
    assert np.isfinite(found["x"]).all()
    assert "run_all" in as_python
