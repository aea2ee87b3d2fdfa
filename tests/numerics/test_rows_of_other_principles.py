"""Rows of vakonomic paths start other equations: their multipliers are taken, or left out and told."""

from __future__ import annotations

import warnings

import pytest

import dalembert as da
from dalembert.systems import chaplygin_sleigh as sleigh

SYSTEM = sleigh.system()
EXTREMAL = da.simulate(da.vakonomic(SYSTEM), {**sleigh.START, "lam_blade": 0.3}, until=1)


def codes(notes: object) -> list[str]:
    return [str(note).split()[0] for note in notes]  # type: ignore[attr-defined]


OTHERS = {
    "nonholonomic": (da.nonholonomic(SYSTEM), "follows from the motion"),
    "free": (da.free(SYSTEM), "nothing here"),
    "penalised": (da.free(da.penalties.viscous(SYSTEM, 50.0)), "nothing here"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_multipliers_that_are_no_states_here_are_left_out_and_told(name: str) -> None:
    equations, why = OTHERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start = equations.start(EXTREMAL.at(1))
        path = da.simulate(equations, EXTREMAL.at(1), until=1.5)
    (note,) = [note for note in start.notes if note.code == "N234"]
    assert f"lam_blade = {EXTREMAL.at(1)['lam_blade']:.6g}" in note.text and why in note.text
    assert "N234" in str(start) and "lam_blade" in start.left_out
    assert path.ok and "N234" in codes(path.audit.notes)
    assert path.at(1)["omega"] == EXTREMAL.at(1)["omega"]


def test_the_word_stays_when_parameters_change() -> None:
    equations = OTHERS["nonholonomic"][0]
    start = equations.start(EXTREMAL.at(1))
    path = da.simulate(equations, start, until=1.5, parameters={"m": 2.0})
    assert codes(path.audit.notes).count("N234") == 1


def test_nothing_is_said_where_nothing_is_left_out() -> None:
    goes_on = da.simulate(da.vakonomic(SYSTEM), EXTREMAL.at(1), until=1.5)
    assert goes_on["lam_blade"][0] == EXTREMAL.at(1)["lam_blade"]
    truth = da.simulate(da.nonholonomic(SYSTEM), sleigh.START, until=1)
    again = da.simulate(da.nonholonomic(SYSTEM), truth.at(1), until=1.5)
    free = da.free(SYSTEM).start(truth.at(1))
    assert "N234" not in [*codes(goes_on.audit.notes), *codes(again.audit.notes), *codes(free.notes)]


def test_a_comparison_says_of_which_principle_it_leaves_them_out() -> None:
    found = da.compare(SYSTEM, [da.nonholonomic, da.vakonomic, da.free], start=EXTREMAL.at(1), until=1.5)
    assert ["N234" in codes(path.audit.notes) for path in found.paths] == [True, False, True]


def test_a_sweep_says_that_it_leaves_them_out() -> None:
    found = da.sweep(da.nonholonomic(SYSTEM), starts=EXTREMAL.at(1), parameters={"m": [1.0, 2.0]}, until=1.5)
    assert "N234" in found.attrs["notes"]
    again = da.sweep(da.vakonomic(SYSTEM), starts=EXTREMAL.at(1), parameters={"m": [1.0, 2.0]}, until=1.5)
    assert "N234" not in again.attrs["notes"]
