"""Inputs that stand in momenta or in constraints, and are driven: their rates count in every form."""

import pytest

import dalembert as da

START = {"x": 0.3, "y": 0.0, "s": 0.1, "vx": 1.0, "vs": 0.4}
GIVEN = {
    "momenta": ("(vx^2 + vy^2 + vs^2)/2 + tau*vx/3", "vy - x*vx"),
    "constraint": ("(vx^2 + vy^2 + vs^2)/2", "vy - tau*vx - x*vs"),
}
DRIVES = {"formula": "cos(2*t)", "table": da.inputs.tabulated([0, 0.5, 1.0], [0.1, 0.5, 0.2], "linear")}


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("where", GIVEN)
def test_the_symplectic_form_moves_with_driven_inputs(where, drive):
    L, row = GIVEN[where]
    system = da.System(da.coordinates("x y s", velocities="vx vy vs"), L, {"row": row}, inputs="tau")

    def end(form):
        return da.simulate(form(system), START, until=1.0, inputs={"tau": DRIVES[drive]}, rtol=1e-12).at(1.0)

    found, expected = end(da.forms.symplectic), end(da.nonholonomic)
    assert [found[n] for n in START] == pytest.approx([expected[n] for n in START], abs=1e-10)
    # and by the same with time in the place of the input, which Hamel's form takes
    if drive == "formula":
        timed = da.System(system.space, L.replace("tau", "cos(2*t)"), {"row": row.replace("tau", "cos(2*t)")})
        path = da.simulate(da.forms.hamel(timed), START, until=1.0, rtol=1e-12)
        assert [found[n] for n in START] == pytest.approx([path.at(1.0)[n] for n in START], abs=1e-10)
