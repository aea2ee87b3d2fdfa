"""Inputs of sweeps, and the time at which plants start: against SciPy on the equations, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.numerics.sweep import sweep

LINE = da.coordinates("x")
FORCED = {"vx": "c*cos(t) + sig"}
START, UNTIL = {"x": [0.0, 1.0], "vx": 0.0, "t": 0.5}, 2.0


@pytest.fixture(scope="module")
def equations():
    return da.free(da.System(LINE, "vx^2/2 - x^2/2 + x*tau", forces=FORCED, parameters={"c": 0.3}, inputs="tau sig"))


def end(x, c, tau, sig, until=UNTIL):
    """x at the end of x'' = -x + tau + c cos t + sig."""

    def rhs(t, y):
        return [y[1], -y[0] + tau(t, c) + c * np.cos(t) + sig(y)]

    return solve_ivp(rhs, (START["t"], until), [x, 0.0], "DOP853", rtol=1e-12, atol=1e-13).y[0, -1]


def test_formulas_and_axes_drive_the_inputs_of_members(equations):
    given = {"parameters": {"c": [0.3, 0.7]}, "inputs": {"tau": "c*sin(2*t)", "sig": [0.0, 0.2, 0.4]}}
    found = sweep(equations, starts=START, until=UNTIL, rtol=1e-11, **given)
    assert found.x.dims == ("x_start", "c", "sig")
    for (i, j, k), value in np.ndenumerate(found.x.values):
        c, sig = (0.3, 0.7)[j], (0.0, 0.2, 0.4)[k]
        expected = end(START["x"][i], c, lambda t, c: c * np.sin(2 * t), lambda y, sig=sig: sig)
        assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.filterwarnings("ignore:W308")
@pytest.mark.parametrize(
    "options", [{"rtol": 1e-11}, {"method": "dla", "step": 1e-3}, {"method": "radau", "rtol": 1e-10}]
)
def test_formulas_of_states_for_every_method(equations, options):
    inputs = {"tau": 0.1, "sig": "-x/2"}
    found = sweep(equations, starts=START, until=UNTIL, inputs=inputs, **options)
    expected = [end(x, 0.3, lambda t, c: 0.1, lambda y: -y[0] / 2) for x in START["x"]]
    # a method of order 2 with steps of 1e-3
    assert found.x.values == pytest.approx(expected, abs=1e-6 if "step" in options else 1e-8)


def test_members_are_the_runs_of_simulate_with_contacts_too():
    plane = da.coordinates("x y")
    floor = {"floor": da.contact(gap="y", slip=["vx"], mu=0.1)}
    system = da.System(plane, "(vx^2 + vy^2)/2 - 9.81*y", forces={"vx": "tau"}, inputs="tau", contacts=floor)
    equations, start = da.nonholonomic(system), {"x": 0, "y": 0, "vy": 0}
    given = {"until": 1.0, "inputs": {"tau": "sin(3*t)"}}
    found = sweep(equations, starts={**start, "vx": [1.0, 2.0]}, **given).x.values
    alone = [da.simulate(equations, {**start, "vx": v}, **given)["x"][-1] for v in (1.0, 2.0)]
    assert found == pytest.approx(alone, abs=1e-12)


def test_a_sweep_driven_otherwise_is_another_one(equations, tmp_path):
    given = {"starts": START, "until": UNTIL, "store": tmp_path / "sweep"}
    sweep(equations, inputs={"tau": "sin(t)", "sig": 0}, **given)
    sweep(equations, inputs={"tau": "sin(t)", "sig": 0}, **given)
    with pytest.raises(da.DalembertError, match=r"^E521 .*equations"):
        sweep(equations, inputs={"tau": "cos(t)", "sig": 0}, **given)


REFUSED = {
    "a table": ({"tau": ([0, 2], [0, 1]), "sig": 0}, "E186 the input tau is given by a table, and a sweep needs one"),
    "a function": ({"tau": lambda t, state: 0.0, "sig": 0}, "E186 the input tau is given by a function"),
    "another name": ({"ta": 0, "sig": 0}, "E181 .*did you mean tau"),
    "one missing": ({"sig": 0}, "E180 no value for the input tau"),
    "no mapping": (3, "E182 inputs is given by name"),
    "no number": ({"tau": float("nan"), "sig": 0}, "E203"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_drive_is_refused(equations, case):
    inputs, said = REFUSED[case]
    with pytest.raises(da.DalembertError, match=f"(?s)^{said}"):
        sweep(equations, starts=START, until=UNTIL, inputs=inputs)


def test_rows_of_starts_have_one_time():
    equations = da.free(da.System(LINE, "vx^2/2 + x*cos(t)"))
    rows = {"x": [0.0, 1.0], "vx": [0.0, 0.0]}
    for starts in (da.ensembles.table(**rows, t=[0.5, 0.5]), [{"x": x, "vx": 0, "t": 0.5} for x in rows["x"]]):
        # x'' = cos t:  x = x0 + cos t0 - cos t - (t - t0) sin t0
        expected = np.cos(0.5) - np.cos(2) - 1.5 * np.sin(0.5)
        assert sweep(equations, starts=starts, until=2.0, rtol=1e-11).x.values - rows["x"] == pytest.approx(expected)
    with pytest.raises(da.DalembertError, match="E241 the time t of the starts is one number"):
        sweep(equations, starts=da.ensembles.table(**rows, t=[0.5, 0.6]), until=2.0)


@pytest.mark.parametrize(
    "start", [START, {**START, "t": "500 ms"}, {"x": START["x"], "vx": [0.0, 0.0], "t": [0.5, 0.5]}]
)
def test_plants_start_at_a_time(equations, start):
    plants = da.plants(equations, start, step=0.01, rtol=1e-11)
    assert list(plants.t) == [0.5, 0.5]
    for _ in range(100):
        state = plants.step({"tau": 0.1, "sig": 0.2})
    expected = [end(x, 0.3, lambda t, c: 0.1, lambda y: 0.2, until=1.5) for x in START["x"]]
    assert list(state["x"]) == pytest.approx(expected, abs=1e-9) and plants.t == pytest.approx(1.5)
    alone = da.plant(equations, {**START, "x": 1.0}, step=0.01, rtol=1e-11)
    for _ in range(100):
        one = alone.step({"tau": 0.1, "sig": 0.2})
    assert one["x"] == state["x"][1] and alone.t == plants.t[1]
    plants.reset()
    assert list(plants.t) == [0.5, 0.5]


def test_a_table_is_refused_as_one_whenever_the_starts_begin():
    system = da.System(da.coordinates("x", velocities="v"), "v^2/2", forces={"v": "tau"}, inputs="tau")
    table = da.inputs.tabulated([0.25, 0.5, 1.0], [0.1, 0.2, 0.3])
    starts = {"x": 0.0, "v": [0.0, 1.0], "t": 0.25}
    with pytest.raises(da.DalembertError, match="E186 the input tau is given by a table"):
        da.sweep(da.free(system), starts=starts, until=0.8, inputs={"tau": table})
