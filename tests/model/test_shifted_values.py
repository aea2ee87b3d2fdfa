"""A value with the digits of the one it replaces and the point elsewhere is doubted; round ones and sweeps are not."""

import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.model.unit_mismatch import digits, places

SPRING = da.free(da.System(da.coordinates("x"), "m*vx^2/2 - k*x^2/2", parameters={"m": 0.0669, "k": 12.5}))
FILE = """schema = 1
[space]
coordinates = ["x"]
[parameters]
m = 0.0669
k = 12.5
[lagrangian]
L = "m*dot(x)^2/2 - k*x^2/2"
[[run]]
name = "pulled"
principle = "free"
until = 1
start = { x = 0.127, "dot(x)" = 0 }
"""

MOVED = [  # value, before, n
    *((66.9, 0.0669, 3), (0.0669, 66.9, -3), (2000, 2, 3), (0.5, 500, -3), (98.1, 9.81, 1), (150, 1.5, 2)),
    *((1000, 1, 0), (100, 0.1, 0), (200, 2, 0), (15, 1.5, 0), (-66.9, 0.0669, 0), (66.91, 0.0669, 0), (3e9, 3, 0)),
    *((1000 / 3, 1 / 3, 3), (0, 1.5, 0), (1.5, 0, 0), (1e300, 1e-300, 0), (0.0669, 0.0669, 0)),
]


@pytest.mark.parametrize(("value", "before", "n"), MOVED)
def test_the_more_digits_and_the_farther_the_less_by_chance(value, before, n):
    assert places(value, before) == n


def test_digits_are_counted_from_the_first_to_the_last():
    assert [digits(x) for x in (0.0669, 1.0, 1e-5, 2.0, 9.80665, 120.0, 101.0)] == [3, 0, 0, 1, 6, 2, 3]


def test_a_parameter_a_thousand_times_its_declared_value_is_doubted():
    with pytest.warns(da.DalembertWarning, match="W214 m = 66.9 has the digits of 0.0669, .* is 1000 times that"):
        path = da.simulate(SPRING, {"x": 0.1, "vx": 0}, until=0.1, parameters={"m": 66.9})
    assert any(note.startswith("W214") for note in path.audit.notes)


@pytest.mark.parametrize("given", [{"m": 0.07}, {"k": 126.0}, {"k": 100.0}, {"k": "12500 N/m"}])
def test_other_values_are_not(given):
    system = da.System(
        da.coordinates("x"), "m*vx^2/2 - k*x^2/2", parameters={"m": 0.07, "k": 12.5}, units={"x": "m", "m": "kg"}
    )
    assert "W214" not in {n.code for n in da.free(system).start(x=0.1, vx=0, parameters=given).notes}


def test_a_sweep_over_decades_is_silent_and_what_it_holds_fixed_is_not():
    decades, starts = {"k": 12.5 * 10.0 ** np.arange(-3, 4)}, {"x": 0.1, "vx": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.sweep(SPRING, starts=starts, parameters=decades, until=0.01)
    with pytest.warns(da.DalembertWarning, match="W214 m = 66.9"):
        da.sweep(SPRING, starts=starts, parameters={**decades, "m": 66.9}, until=0.01)


def test_values_of_a_file_that_a_command_replaces(tmp_path):
    file = tmp_path / "spring.toml"
    file.write_text(FILE, encoding="utf-8")
    asked = ["run", str(file), "x=127", "m=66.9", "--trust", "--out", str(tmp_path / "results")]
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        made = CliRunner().invoke(main, asked)
    assert made.exit_code == 0
    told = " ".join(made.output.split())
    assert "W214 x = 127 has the digits of 0.127, which x is in the file" in told
    assert "W214 m = 66.9 has the digits of 0.0669" in told
