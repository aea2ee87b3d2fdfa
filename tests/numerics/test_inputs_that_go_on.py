"""Inputs of what runs motions again and again: swings in closed form, formulas written in, refusals."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

TURN = 2 * np.pi / 2.5  # of cos(2.5 t)
SIZES = {"m": 2.0, "k": 3.0, "c": 0.4, "a": 1.5}
LINE = da.line("x")
TABLE = ([0, 1, 2], [0.0, 1.0, 0.0])


def swing(law="F", inputs="F"):
    """m x'' + c x' + k x = F"""
    force = f"{law} - c*vx"
    return da.free(da.System(LINE, "m*vx^2/2 - k*x^2/2", forces={"vx": force}, parameters=SIZES, inputs=inputs))


def test_a_forced_swing_in_closed_form():
    """X = a / (k - m w^2 + i c w), and the multipliers are those of the swing alone."""
    found = da.periodic(swing(), {"x": 0.1, "vx": 0.0}, period=TURN, inputs={"F": "a*cos(2.5*t)"})
    X = 1.5 / (3.0 - 2.0 * 2.5**2 + 0.4j * 2.5)
    assert found.start["x"] == pytest.approx(X.real, abs=1e-9)
    assert found.start["vx"] == pytest.approx((2.5j * X).real, abs=1e-9)
    roots = np.exp(np.roots([2.0, 0.4, 3.0]) * TURN)
    np.testing.assert_allclose(sorted(found.multipliers, key=np.imag), sorted(roots, key=np.imag), atol=1e-8)
    assert found.verdict == "attracting"
    assert found.path["x"][-1] == pytest.approx(found.path["x"][0], abs=1e-9)


def test_another_period_than_that_of_the_input_is_refused():
    with pytest.raises(da.DalembertError, match="E335 the equations change with time"):
        da.periodic(swing(), {"x": 0.1, "vx": 0.0}, period=3.0, inputs={"F": "a*cos(2.5*t)"})


def test_exponents_of_a_forced_swing_are_its_damping():
    found = da.lyapunov(swing(), {"x": 0.1, "vx": 0.0}, until=300, inputs={"F": "a*cos(2.5*t)"})
    np.testing.assert_allclose(found.exponents, [-0.1, -0.1], atol=1e-2)
    assert found.sum == pytest.approx(-0.2, abs=1e-8)


def test_curves_between_two_ends_are_those_with_the_formula_written_in():
    law = "a*cos(2.5*t) - x/2"
    given = {"duration": 1.3, "starts": 3}
    found = da.two_point(swing(), {"x": 0}, {"x": 1}, inputs={"F": law}, **given)
    other = da.two_point(swing(law, ""), {"x": 0}, {"x": 1}, **given)
    assert len(found) == len(other) == 1
    assert found[0].unknowns["vx"] == pytest.approx(other[0].unknowns["vx"], rel=1e-10)
    number = da.two_point(swing(), {"x": 0}, {"x": 1}, inputs={"F": 1.5}, **given)
    same = da.two_point(swing("a", ""), {"x": 0}, {"x": 1}, **given)
    assert number[0].unknowns["vx"] == pytest.approx(same[0].unknowns["vx"], rel=1e-10)


def thrown(**more):
    return da.free(da.System(LINE, "vx^2/2", forces={"vx": "F"}, inputs="F w" if more else "F", **more))


def test_events_see_what_an_input_is_given_by():
    """x = F at x = 1 - cos(t) + 0.3 t."""
    seen = da.Event("seen", LINE["x"] - sp.Symbol("F"))
    start = {"x": 0, "vx": 0.3}
    path = da.simulate(thrown(), start, until=3, inputs={"F": "cos(t)"}, events=[seen])
    np.testing.assert_allclose(
        1 - np.cos(path.marks["seen"].t) + 0.3 * path.marks["seen"].t, np.cos(path.marks["seen"].t)
    )
    table = da.inputs.tabulated([0, 1, 3], [1, -1, 0.5], "linear")
    path = da.simulate(thrown(), start, until=3, inputs={"F": table}, events=[seen])
    assert len(path.marks["seen"].t) == 2
    np.testing.assert_allclose(path.marks["seen"]["x"], path.marks["seen"]["F"], atol=1e-12)


@pytest.mark.parametrize("law", ["cos(t) - x/3", da.inputs.tabulated([0, 1, 3], [1, 0.2, 0.5], "linear")])
def test_derivatives_go_through_an_event_that_sees_an_input(law):
    back = da.Event("back", LINE["x"] - sp.Symbol("F"), {"vx": -LINE["vx"]}, direction=1)
    given = {"until": 2.0, "inputs": {"F": law}, "events": [back], "samples": [2.0]}
    found = da.sensitivities(thrown(), {"x": 0, "vx": 0.3}, by=["x", "vx"], **given)

    def end(x, vx):
        return da.simulate(thrown(), {"x": x, "vx": 0.3 + vx}, rtol=1e-13, **given).values[-1, :2]

    for place, (a, b) in enumerate([(1e-4, 0.0), (0.0, 1e-4)]):
        slope = (end(a, b) - end(-a, -b)) / 2e-4
        np.testing.assert_allclose(found.values[0, :, place], slope, rtol=1e-6)


def test_a_wall_that_an_input_moves_is_refused():
    moving = thrown(walls={"stop": {"guard": "x - w", "restitution": 1}})
    start = {"x": 1.0, "vx": 0.0}
    with pytest.raises(da.DalembertError, match="E186 the wall stop holds the input w"):
        da.simulate(moving, start, until=2, inputs={"F": -4.0, "w": "t/10"})
    for jumps in (([0, 1, 2], [0.1, 0.3, 0.2]), lambda t, state: 0.1):
        with pytest.raises(da.DalembertError, match="E186 the wall stop holds the input w"):
            da.simulate(moving, start, until=2, inputs={"F": -4.0, "w": jumps})
    with pytest.raises(da.DalembertError, match="E186 the wall stop holds the input w"):
        da.plant(moving, start, step=0.1)
    path = da.simulate(moving, start, until=1.5, inputs={"F": -2.0, "w": 0.5})
    assert path.marks["stop"].t == pytest.approx([np.sqrt(0.5)])


ASKED = {
    "periodic": lambda given: da.periodic(swing(), {"x": 0.1, "vx": 0.0}, period=TURN, inputs=given),
    "lyapunov": lambda given: da.lyapunov(swing(), {"x": 0.1, "vx": 0.0}, until=9, inputs=given),
}


@pytest.mark.parametrize("asked", ASKED)
def test_tables_and_functions_end(asked):
    for given, kind in ((TABLE, "table"), (lambda t, state: 0.0, "function")):
        with pytest.raises(da.DalembertError, match=f"E186 the input F is given by a {kind}, and {asked}") as refused:
            ASKED[asked]({"F": given})
        assert "sin(t)" in str(refused.value)
    with pytest.raises(da.DalembertError, match="E180"):
        ASKED[asked](None)
    with pytest.raises(da.DalembertError, match="E181"):
        ASKED[asked]({"F": 1, "G": 2})


def test_of_a_formula_no_symmetry_is_known():
    carried = da.System(LINE, "vx^2/2", forces={"vx": "F"}, inputs="F", symmetry="x")
    with pytest.raises(
        da.DalembertError, match="E186 the input F is given by a formula, and whether this has the symm"
    ):
        da.periodic(da.free(carried), {"x": 0, "vx": 1}, period=TURN, symmetry=True, inputs={"F": "cos(2.5*t)"})


@pytest.mark.parametrize(
    "given",
    [TABLE, da.inputs.tabulated(*TABLE, "linear"), "-k*x", LINE["x"], lambda t, state: 0.0, da.inputs.sampled(max)],
    ids=["pair", "table", "text", "symbol", "function", "sampled"],
)
def test_of_one_instant_an_input_has_one_value(given):
    start = {"x": 1.0, "vx": 0.0}
    plant = da.plant(swing(), start, step=0.01)
    for ask in (
        lambda: da.linearise(swing(), at=start, inputs={"F": given}),
        lambda: swing().evaluate(swing().start(**start), inputs={"F": given}),
        lambda: swing().start(**start, inputs={"F": given}),
        lambda: plant.step({"F": given}),
    ):
        with pytest.raises(da.DalembertError, match="E204 the input F is given by") as refused:
            ask()
        assert "one value is wanted here" in str(refused.value)
