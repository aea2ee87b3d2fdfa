"""Fits of motions with inputs: a measured force that drives the model, a control law with unknown gains."""

import numpy as np
import pytest

import dalembert as da

CART = da.free(
    da.System(
        da.line("x"),
        "m*vx^2/2",
        forces={"vx": "F + G"},
        inputs="F G",
        parameters={"m": 2.0, "k": 3.0, "c": 1.0},
    )
)
TRUTH = {"m": 2.2, "k": 3.5, "c": 0.8, "vx": 0.3}
LAW = "-k*x - c*vx"
T = np.linspace(0, 3, 31)
PUSH = np.sin(3 * T)


def record(law=LAW):
    """What sensors would see: place, acceleration, and the force itself."""
    given = {"F": da.inputs.tabulated(T, PUSH, "linear"), "G": law}
    own = {name: TRUTH[name] for name in "mkc"}
    path = da.simulate(CART, {"x": 1, "vx": TRUTH["vx"]}, until=3, parameters=own, inputs=given, samples=T, rtol=1e-12)
    return da.recorded({"t": T, "x": path["x"], "F": path["F"], "a": (path["F"] + path["G"]) / TRUTH["m"]})


def fitted(law, free, columns=None, **more):
    seen = record(law)
    measured = da.inputs.tabulated(seen.t, seen["F"], "linear")
    given = {"uncertainty": {"x": 1e-6} | ({} if columns is None else {"a": 1e-6}), "columns": columns or ["x"]}
    start = {"x": 1, "vx": 0.1}
    return da.fit(CART, seen, start=start, free=free, inputs={"F": measured, "G": law}, rtol=1e-11, **given, **more)


def test_gains_of_a_law_are_found_under_a_measured_force():
    found = fitted(LAW, "m k c vx")
    for name, value in TRUTH.items():
        assert found[name] == pytest.approx(value, rel=1e-6)


def test_a_column_may_hold_inputs():
    """An accelerometer shows (F + G)/m, which moves with k and c without a motion."""
    found = fitted(LAW, "m k c vx", {"x": "x", "a": "(F + G)/m"})
    for name, value in TRUTH.items():
        assert found[name] == pytest.approx(value, rel=1e-6)


def test_a_function_is_fitted_by_differences():
    def law(t, state):
        return -TRUTH["k"] * state["x"] - TRUTH["c"] * state["vx"]

    found = fitted(da.inputs.sampled(law, 0.1), "m vx")
    for name in ("m", "vx"):
        assert found[name] == pytest.approx(TRUTH[name], rel=1e-5)


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (None, "E180"),
        ({"F": 1.0}, "E180"),
        ({"F": 1.0, "G": "-kk*x"}, "E702"),
        ({"F": (T[:5], T[:5]), "G": 0}, "E183"),
        ({"F": 1.0, "G": 0, "H": 0}, "E181"),
        ({"F": [np.nan, 1, 2], "G": 0}, "E182"),
    ],
)
def test_refusals(inputs, code):
    with pytest.raises(da.DalembertError, match=code) as refused:
        da.fit(CART, record(), start={"x": 1, "vx": 0.1}, free="m", columns=["x"], inputs=inputs)
    assert refused.value.remedy
