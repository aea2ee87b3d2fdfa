"""Rows 80 to 91: what happens during a run, and functions that users give."""

import itertools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.run import audit
from dalembert.numerics.run.run_context import Run

q = da.coordinates("x y")
x, y, vx, vy = q
T = (vx**2 + vy**2) / 2
START = {"x": 0, "y": 0, "vx": 1, "vy": 0}


def run(force=0, L=T, until=3.0, start=START, **more):
    return da.simulate(da.free(da.System(q, L, forces={"vx": force})), start, until=until, **more)


def failed(code, path):
    """A path that could not go on: the code first, what it has finite."""
    assert path.outcome.startswith(f"{code} "), path.outcome
    assert path.audit.reasons[0].startswith(f"{code} ")
    assert path.audit.verdict == "failed"
    assert not path.ok and not path.success
    assert np.isfinite(path.values).all()
    return path


# --- 80 --------------------------------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_goes_on():
    """The last state is a start like any; both parts together are the whole run."""
    L = T - 2 * x**2
    equations = da.free(da.System(q, L))
    part = failed("E313", da.simulate(equations, START, until=20.0, max_steps=20))
    end = part.t[-1]
    state = {name: value for name, value in part.at(end).items() if name in START}
    rest = da.simulate(equations, equations.start(**state, t=end), until=20.0)
    whole = da.simulate(equations, START, until=20.0)
    assert rest.ok
    # both parts at rtol 1e-12 by default; 40 radians of phase
    assert rest["x"][-1] == pytest.approx(whole["x"][-1], abs=1e-8)


# --- 82, 84 ----------------------------------------------------------------------------------------------------------


def test_an_overflow_is_named_with_its_term():
    with pytest.raises(da.DalembertError, match=r"^E401 .*1/x|^E401 .*x") as caught:
        run(L=T + 1 / x)
    assert caught.value.remedy


def test_a_blow_up_is_named():
    path = failed("E403", run(vx**2))
    assert path.t[-1] == pytest.approx(1.0, abs=1e-6)  # v' = v^2, v(0) = 1


# --- 88, 89 ----------------------------------------------------------------------------------------------------------


def test_multipliers_that_grow_are_noted():
    # lamdot = lam + ..., with a rate of 14 over 4 s: e^56
    system = da.System(q, T, {"line": vx - y}, {"vy": 200 * y})
    path = da.simulate(da.vakonomic(system), {"x": 0, "y": 1, "vy": 1, "lam_line": 1e-12}, until=4.0)
    assert any(note.startswith("W407") for note in path.audit.notes)


@pytest.mark.parametrize("law", [-sp.sign(vx), -vx / sp.Abs(vx), sp.Piecewise((-1, vx > 0), (1, True))])
@pytest.mark.filterwarnings("ignore:W129")
def test_dry_friction_as_free_text_is_stopped(law):
    path = failed("E408", run(law))
    assert path.t[-1] == pytest.approx(1.0, abs=1e-6)  # v = 1 - t
    assert "law of rest" in path.outcome


def test_chatter_of_jumps_is_stopped():
    """Two walls that throw the state to and fro at one instant."""
    left = da.Event("left", x - 1, {"x": sp.Rational(3, 2), "vx": -vx}, 1)
    right = da.Event("right", sp.Rational(5, 4) - x, {"x": sp.Rational(1, 2), "vx": -vx}, -1)
    path = run(events=[left, right])
    assert not path.ok
    assert path.outcome.startswith(("E408", "E133"))
    assert path.t[-1] == pytest.approx(1.0)


# --- 90 --------------------------------------------------------------------------------------------------------------


def test_functions_of_python_are_no_forces():
    """Forces, guards, Lagrangians and constraints are expressions: a function has no derivative here."""
    f = lambda t, u: -u  # noqa: E731
    for code, call in {
        "E718": lambda: da.System(q, f),
        "E719 E718": lambda: da.System(q, T, {"line": f}),
        "E127 E718": lambda: da.System(q, T, forces={"vx": f}),
        "E127": lambda: da.System(q, T, forces=f),
        "E316": lambda: da.Event("edge", f),
    }.items():
        with pytest.raises(da.DalembertError) as caught:
            call()
        assert caught.value.code in code
        assert caught.value.remedy


def _raises(path):
    raise RuntimeError("no")


def _prints(path):
    print("measured")
    return 1.0


def _mutates(path):
    path.values[:] = -1.0
    path.t[:] = 0.0
    return path["x"][-1]


MEASURES = {
    "raises": (_raises, "E318"),
    "gives a list": (lambda path: [1.0, 2.0], "E318"),
    "gives an array": (lambda path: path["x"], "E318"),
    "gives nothing": (lambda path: None, "E318"),
    "gives a complex number": (lambda path: 1j, "E318"),
    "misses an attribute": (lambda path: path.length, "E318"),
    "is no function": (3, "E317 E318 E204"),
    "takes no path": (lambda: 1.0, "E318"),
}


@pytest.mark.parametrize("case", MEASURES)
def test_a_measure_that_is_none_is_refused(case):
    measure, codes = MEASURES[case]
    with pytest.raises(da.DalembertError) as caught:
        swept(m=measure)
    assert caught.value.code in codes
    assert caught.value.remedy


def test_a_measure_may_print_and_spoil_only_its_own_path(capsys):
    found = swept(first=_mutates, second=lambda path: path["x"][-1], third=_prints)
    assert found["first"].values.tolist() == [-1.0, -1.0]
    assert found["second"].values == pytest.approx([1.0, 2.0], rel=1e-14)
    assert found["x"].values[:, -1] == pytest.approx([1.0, 2.0], rel=1e-14)
    assert found["third"].values.tolist() == [1.0, 1.0]


def swept(**measures):
    equations = da.free(da.System(q, T))
    keep = ["x", measures]
    return da.sweep(equations, starts={**START, "vx": [1.0, 2.0]}, until=1.0, times=[0.5, 1.0], keep=keep, jobs=1)


def test_a_question_to_stop_is_asked_and_answered():
    asked = itertools.count()
    path = run(L=T - 50 * x**2, until=1e4, halt=lambda: next(asked) > 2)
    failed("E320", path)
    assert next(asked) == 4


# --- 91 --------------------------------------------------------------------------------------------------------------


def test_a_number_that_slipped_through_is_our_fault():
    reasons, verdict = audit._verdict(Run([]), np.array([[1.0, np.nan]]), [], [], [], 0.0, {}, [], "")
    assert verdict == "failed"
    assert reasons[0].startswith("E499 ")
    assert "report" in reasons[0]
