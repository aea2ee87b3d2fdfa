"""Driven reduced motions lead back to driven full ones: by forces, tables, and an input of a constraint."""

import numpy as np
import pytest

import dalembert as da

T = np.linspace(0, 2, 9)
DRIVE = {"F": "0.3*sin(t)", "G": da.inputs.tabulated([0, 1, 3], [0.1, 0.4, -0.2], "linear")}


def sleigh(blade, inputs):
    return da.System(
        da.SE2(),
        "m/2*(v1^2 + (v2 + a*omega)^2) + J/2*omega^2",
        {"blade": blade},
        forces={"v1": "F", "omega": "G*cos(omega)"},
        inputs=inputs,
        parameters={"m": 1.0, "a": 0.3, "J": 0.5},
        symmetry=da.symmetry.euclidean("x y", "theta"),
    )


@pytest.mark.parametrize(("blade", "more"), [("v2", {}), ("v2 - w", {"w": "0.2*cos(t)"})])
def test_a_driven_reduced_motion_leads_back_to_the_full_one(blade, more):
    drive = {**DRIVE, **more}
    system, how = sleigh(blade, [*drive]), {"until": 2, "inputs": drive, "rtol": 1e-11, "atol": 1e-12}
    start = {"x": 0.1, "y": -0.2, "theta": 0.3, "v1": 1, "omega": 0.2}
    full = da.simulate(da.nonholonomic(system), start, **how)
    reduction = da.reduce(system)
    begin = da.reduced_start(reduction, full.state(0.0), inputs={"w": 0.2} if more else None)
    small = da.simulate(da.nonholonomic(reduction.system), begin, **how)
    back = da.reconstruct(reduction, small, full.state(0.0))
    for name in ("x", "y", "theta", "v1", "v2", "omega"):
        assert back.at(T)[name] == pytest.approx(full.at(T)[name], abs=1e-9), name


def test_an_input_of_a_constraint_needs_a_value():
    reduction = da.reduce(sleigh("v2 - w", "F G w"))
    state = {"x": 0, "y": 0, "theta": 0, "v1": 1, "v2": 0.2, "omega": 0}
    with pytest.raises(da.DalembertError, match="E180 no value for the input w"):
        da.reduced_start(reduction, state)
