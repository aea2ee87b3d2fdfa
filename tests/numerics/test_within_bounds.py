"""Machine code reads where it is told to, whatever lies there.

Run as Python, which checks every index, with NaN wherever nothing was written yet, the loops give the same numbers.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.equations import Equations
from dalembert.numerics import policy
from dalembert.numerics.machine.loop.argument_layout import ArgumentFrame
from dalembert.numerics.machine.loop.compiled_loop import Loop
from dalembert.numerics.methods import METHODS


@cache
def skate() -> Equations:
    q = da.coordinates("x y") * da.angle("th")
    L = "m*(vx^2 + vy^2)/2 + vth^2/2 - m*x"
    return da.nonholonomic(da.System(q, L, {"blade": "sin(th)*vx - cos(th)*vy"}, parameters={"m": 1.3}))


START = {"x": 0.0, "y": 0.0, "th": 0.4, "vth": 1.1, "vx": 0.3}


def unwritten(shape, dtype=float, **_):
    """What ``np.empty`` may give."""
    kind = np.dtype(dtype).kind
    return np.full(shape, np.nan if kind == "f" else np.iinfo(dtype).min if kind == "i" else 0, dtype)


@pytest.fixture
def as_python():
    """Runs something twice, by machine and with loops as they are written: both results, and which loops ran."""

    def both(work):
        machine, seen = work(), set()

        def called(self, *given):
            seen.add(self.__name__)
            return self.function(*(each.record if isinstance(each, ArgumentFrame) else each for each in given))

        def prepared(self, *given, varied=None):
            def again(value=0.0):
                return called(self, *(value if i == varied else each for i, each in enumerate(given)))

            return again

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Loop, "__call__", called)
            patch.setattr(Loop, "prepared", prepared)
            patch.setattr(np, "empty", unwritten)
            return machine, work(), seen

    return both


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("options", [{}, {"dense": False, "samples": [0.1, 0.4]}, {"events": "half"}])
def test_every_method_reads_what_is_its_own(as_python, method, options):
    accuracy = {"step": 0.05} if METHODS[method].fixed else {"rtol": 1e-6}
    if options.get("events"):
        options = {"events": [da.Event("half", skate().space.coordinates[0] - 0.1, "mark")]}
    paths = as_python(lambda: da.simulate(skate(), START, until=0.5, method=method, **accuracy, **options))
    same(*paths[:2])
    assert {"advance", "march"} & paths[2]


@pytest.mark.parametrize("options", [{}, {"dense": False}])
def test_a_disturbance_reads_what_is_its_own(as_python, options):
    """Along more steps than those that cannot lose all digits, in a motion that loses them."""
    double = da.free(da.System(da.coordinates("a b"), "va^2 + vb^2/2 + va*vb*cos(a - b) + 20*cos(a) + 10*cos(b)"))
    start = {"a": 2, "b": 2.5, "va": 0, "vb": 0}
    machine, python, seen = as_python(lambda: da.simulate(double, start, until=12, rtol=1e-6, **options).audit.notes)
    assert "follow" in seen
    assert machine == python
    assert "W408" in str(machine)


def test_charts_read_what_is_their_own(as_python, monkeypatch):
    monkeypatch.setattr(policy, "leaner", lambda *_: True)
    ball = da.nonholonomic(da.System(*sphere()))
    start = {"x": 0.6, "y": 0.0, "z": 0.8, "vx": 0.9, "vy": 0.7}
    machine, python, _ = as_python(lambda: da.simulate(ball, start, until=6, rtol=1e-6))
    assert len(machine.dense.legs) == len(python.dense.legs) > 1
    same(machine, python)


def sphere():
    x, y, z, vx, vy, vz = q = da.coordinates("x y z")
    return q, (vx**2 + vy**2 + vz**2) / 2 - 3 * x**2 * y**2 - 2 * z**4, {"row": x * vx + y * vy + z * vz}


def same(machine, python):
    np.testing.assert_allclose(python.t, machine.t, rtol=1e-9)
    np.testing.assert_allclose(python.values, machine.values, rtol=1e-7, atol=1e-9)


def test_members_beside_each_other_read_what_is_their_own(as_python):
    starts = {**START, "vth": np.linspace(0.5, 1.5, 9)}
    machine, python, seen = as_python(lambda: da.sweep(skate(), starts=starts, until=0.5, jobs=1, keep=["x"]))
    np.testing.assert_allclose(python["x"], machine["x"], rtol=1e-9, atol=1e-12)
    assert "run_all" in seen


def test_derivatives_read_what_is_their_own(as_python):
    found = as_python(lambda: da.sensitivities(skate(), START, until=0.5, by=["m", "vth"], rtol=1e-6))
    np.testing.assert_allclose(found[1].values, found[0].values, rtol=1e-7, atol=1e-9)
