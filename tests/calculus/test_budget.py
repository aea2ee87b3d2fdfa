"""A derivation ends within its budget, and what comes after it is not touched."""

import contextlib
import sys
import threading
import time
import weakref

import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.budget import budget
from dalembert.equations import sheet
from dalembert.principles import chaplygin, gauss

LIMITS = {"seconds": 60, "gibibytes": 2}


def endless():
    while True:
        sp.Symbol("x") + 1


def test_time():
    before = time.monotonic()
    refused = pytest.raises(da.DalembertError, match=r"(?s)E136 the sum was stopped after 0.3 s.*take a rest")
    with refused, budget("the sum", "take a rest", {**LIMITS, "seconds": 0.3}):
        endless()
    assert time.monotonic() - before < 30


def test_memory():
    held = []
    refused = pytest.raises(da.DalembertError, match=r"E136 the list was stopped after 0\.05 GiB")
    with refused, budget("the list", "", {**LIMITS, "gibibytes": 0.05}):
        while len(held) < 10**5:
            held.append(bytearray(10**5))
            time.sleep(1e-4)


def test_what_swallows_errors_does_not_swallow_it():
    def stubborn():
        while True:
            with contextlib.suppress(Exception):
                endless()

    with pytest.raises(da.DalembertError, match="E136"), budget("it", "", {**LIMITS, "seconds": 0.2}):
        stubborn()


class Thing:
    """Something that can be weakly referred to."""


def test_what_a_callback_drops_is_raised_again_and_not_reported(monkeypatch):
    # the garbage collector runs nothing but callbacks: there Python drops what is raised, and says so
    reported, watched = [], []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    def slow(_):
        end = time.process_time() + 0.4
        while time.process_time() < end:
            pass

    with pytest.raises(da.DalembertError, match="E136"), budget("it", "", {**LIMITS, "seconds": 0.2}):
        thing = Thing()
        watched.append(weakref.ref(thing, slow))
        del thing
        endless()
    assert not reported
    assert sys.unraisablehook == reported.append


def test_what_others_drop_is_reported(monkeypatch):
    reported, watched = [], []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    with budget("it", "", LIMITS), budget("a part", "", LIMITS):
        thing = Thing()
        watched.append(weakref.ref(thing, lambda _: 1 / 0))
        del thing
    assert [told.exc_type for told in reported] == [ZeroDivisionError]


def test_nothing_happens_within_the_budget_or_after_it():
    for _ in range(20):
        with budget("it", "", {**LIMITS, "seconds": 0.05}):
            pass
    time.sleep(0.3)
    assert not [t for t in threading.enumerate() if t.name == "budget"]


def test_the_outer_budget_counts():
    refused = pytest.raises(da.DalembertError, match="E136 the whole")
    outer = budget("the whole", "", {**LIMITS, "seconds": 0.2})
    with refused, outer, budget("a part", "", {**LIMITS, "seconds": 0.01}):
        endless()


def test_errors_inside_pass():
    with pytest.raises(ZeroDivisionError), budget("it", "", LIMITS):
        1 / 0  # noqa: B018
    with budget("it", "", LIMITS):  # the next one is watched again
        assert [t for t in threading.enumerate() if t.name == "budget"]


def long_chain(seconds, n=14):
    """A system whose equations take long to write out, and none to evaluate."""
    q = da.coordinates(" ".join(f"q{i}" for i in range(n)))
    x = q.coordinates
    u = q.velocities
    tilt = [sum(x[: i + 1]) for i in range(n)]
    v = [sum(sp.cos(tilt[j] * tilt[i]) * u[j] for j in range(i + 1)) for i in range(n)]
    L = sum(s**2 for s in v) / 2 + sum(s**2 for s in u) / 2
    rows = {f"c{i}": u[i] * sp.sin(tilt[i]) + u[i + 1] * sp.cos(tilt[i + 1]) for i in range(0, n - 1, 2)}
    return da.System(q, L, rows, limits={"operations": 10**6, "seconds": seconds})


def test_the_look_whether_a_form_applies_ends():
    with pytest.raises(da.DalembertError) as refused:
        da.forms.chaplygin(long_chain(1))  # it was multiplied out for minutes
    assert refused.value.code in ("E136", "E160")


def test_what_is_clearly_not_zero_is_not_multiplied_out():
    system = long_chain(1)
    slope = system.lagrangian.diff(system.space.coordinates[0])
    with budget("it", "", {**LIMITS, "seconds": 15}):
        assert not chaplygin._vanishes(slope)


def test_equations_that_take_too_long_to_write_can_be_evaluated(monkeypatch):
    for module, limit in ((gauss, "_LONGEST"), (sheet, "_OF_FORM")):  # else rows so long are counted and not written
        monkeypatch.setattr(module, limit, 10**9)
    equations = da.forms.gauss(long_chain(1, n=16))
    with pytest.raises(da.DalembertError, match=r"(?s)E136 writing the equations out.*evaluate"):
        equations.latex()
    shown = str(equations)
    assert "E136" in shown
    assert "Gauss" in shown or "gauss" in shown
    start = equations.start(**{f"q{i}": 0.1 * i for i in range(16)}, **{f"vq{i}": 0.0 for i in range(16)})
    assert len(equations.evaluate(start)["accelerations"]) == 16
