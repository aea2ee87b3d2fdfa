"""A derivation ends within its budget, and what comes after it is not touched."""

import contextlib
import itertools
import subprocess
import sys
import threading
import weakref
from types import SimpleNamespace

import psutil
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.budget import budget
from dalembert.equations import printed_sheet
from dalembert.principles import chaplygin, gauss

LIMITS = {"seconds": 60, "gibibytes": 2}


def endless():
    while True:
        sp.Symbol("x") + 1


@pytest.fixture
def running(monkeypatch, cpu_clock):
    """The real clock."""
    monkeypatch.setattr("dalembert.calculus.budget.cpu_clock", cpu_clock)


def test_the_clock_counts_what_a_thread_works_and_not_what_others_do(cpu_clock):
    own, others = cpu_clock(), []
    thread = threading.Thread(target=lambda: others.append(cpu_clock()) or [sp.Symbol("x") + 1 for _ in range(10**4)])
    thread.start()
    thread.join()
    while not own() > 0:  # it goes on, and can be asked of from another thread
        pass
    seen = own()
    reader = threading.Thread(target=lambda: others.append(own()))
    reader.start()
    reader.join()
    assert others[-1] >= seen


def test_time(running):
    refused = pytest.raises(da.DalembertError, match=r"(?s)E136 the sum was stopped after 0.3 s.*take a rest")
    with refused, budget("the sum", "take a rest", {**LIMITS, "seconds": 0.3}):
        endless()


def test_memory(monkeypatch):
    looks = itertools.count(10**9, 10**6)  # each finds a megabyte more
    monkeypatch.setattr(psutil.Process, "memory_info", lambda _: SimpleNamespace(rss=next(looks)))
    monkeypatch.setattr("dalembert.calculus.budget._LOOK", 1e-3)
    refused = pytest.raises(da.DalembertError, match=r"E136 the list was stopped after 0\.05 GiB")
    with refused, budget("the list", "", {**LIMITS, "gibibytes": 0.05}):
        endless()
    assert next(looks) == 10**9 + 55 * 10**6  # the first is where it begins; 0.05 GiB are 53.7 MB


def test_what_swallows_errors_does_not_swallow_it(running):
    def stubborn():
        while True:
            with contextlib.suppress(Exception):
                endless()

    with pytest.raises(da.DalembertError, match="E136"), budget("it", "", {**LIMITS, "seconds": 0.2}):
        stubborn()


class Thing:
    """Something that can be weakly referred to."""


def test_what_a_callback_drops_is_raised_again_and_not_reported(monkeypatch, running):
    # the garbage collector runs nothing but callbacks: there Python drops what is raised, and says so
    reported, watched, dropped = [], [], []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    with pytest.raises(da.DalembertError, match="E136"), budget("it", "", {**LIMITS, "seconds": 0.2}):
        thing = Thing()
        watched.append(weakref.ref(thing, lambda _: dropped.append(1) or endless()))
        del thing
        endless()
    assert dropped and not reported
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
        with budget("it", "", LIMITS):
            pass
    for watch in [t for t in threading.enumerate() if t.name == "budget"]:
        watch.join()  # it looks no more, and ends


def test_what_is_seen_too_late_does_not_happen(ticking, monkeypatch):
    ticking(1.0)  # the second look says so, if there is one
    monkeypatch.setattr("dalembert.calculus.budget._LOOK", 1e-6)
    for _ in range(200):
        with contextlib.suppress(da.DalembertError), budget("it", "", {**LIMITS, "seconds": 0}):
            pass
    for watch in [t for t in threading.enumerate() if t.name == "budget"]:
        watch.join()


def test_the_outer_budget_counts(running):
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


def test_the_look_whether_a_form_applies_ends(ticking):
    ticking(0.5)
    with pytest.raises(da.DalembertError) as refused:
        da.forms.chaplygin(long_chain(1))  # it was multiplied out for minutes
    assert refused.value.code in ("E136", "E160")


def test_what_is_clearly_not_zero_is_not_multiplied_out(monkeypatch):
    system = long_chain(1)
    slope = system.lagrangian.diff(system.space.coordinates[0])
    monkeypatch.setattr(sp, "expand", None)
    assert not chaplygin._vanishes(slope)


def test_equations_that_take_too_long_to_write_can_be_evaluated(monkeypatch, ticking):
    for module, limit in (
        (gauss, "_LONGEST"),
        (printed_sheet, "_OF_FORM"),
    ):  # else rows so long are counted and not written
        monkeypatch.setattr(module, limit, 10**9)
    equations = da.forms.gauss(long_chain(60, n=16))
    monkeypatch.setattr(printed_sheet.written_rows, "rows", lambda *_: endless())
    ticking(100.0)
    with pytest.raises(da.DalembertError, match=r"(?s)E136 writing the equations out.*evaluate"):
        equations.latex()
    shown = str(equations)
    assert "E136" in shown
    assert "Gauss" in shown or "gauss" in shown
    start = equations.start(**{f"q{i}": 0.1 * i for i in range(16)}, **{f"vq{i}": 0.0 for i in range(16)})
    assert len(equations.evaluate(start)["accelerations"]) == 16


def test_a_debugger_goes_on_behind_it():
    """Python 3.11 looks for ever for an exception that was taken back, and a tracer then never returns."""
    program = """
import sys
import dalembert as da
from dalembert.calculus.budget import budget
try:
    with budget("the sum", "take a rest", {"seconds": 0.1, "gibibytes": 2}):
        while True:
            pass
except da.DalembertError as error:
    print(error.code)
sys.settrace(lambda frame, event, argument: None)
print((lambda: "goes on")())
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=300)
    assert done.stdout.split("\n")[:2] == ["E136", "goes on"]
