"""Headings and times that hide another unit are doubted (W548) or refused, and wide tables are read once."""

import numpy as np
import pytest

import dalembert as da
from counted import calls

N = 30
STEADY = {"t": 0.01 * np.arange(N), "x": np.cos(np.arange(N))}
DOUBTED = {
    "pictures": ({**STEADY, "t": np.arange(N)}, "pictures"),
    "milliseconds": ({**STEADY, "t": 33.3 * np.arange(N)}, "milliseconds"),
    "a calendar": ({**STEADY, "t": 1.7e9 + 0.01 * np.arange(N)}, "calendar"),
    "a unit in a name": ({"t": STEADY["t"], "x_mm": STEADY["x"]}, '"x_mm": "mm"'),
    "an angle's unit in a name": ({"t": STEADY["t"], "theta_deg": STEADY["x"]}, "says deg"),
}
REFUSED = {
    "two names that look alike": "t,x,\u0445\n0,1,2\n1,2,3\n",
    "a micro sign and a mu": "t,\u00b5,\u03bc\n0,1,2\n1,2,3\n",
    "a control character": "t,\u202ex\n0,1\n1,2\n",
    "an invisible character": "t,x\u200b\n0,1\n1,2\n",
    "a name without end": f"t,sigma({' ' * 5000}x\n0,1\n1,2\n",
    "brackets without end": f"t,x({'()' * 50_000}\n0,1\n1,2\n",
}


@pytest.mark.parametrize(("columns", "said"), DOUBTED.values(), ids=DOUBTED)
def test_numbers_in_another_unit_are_doubted(columns, said):
    with pytest.warns(da.DalembertWarning, match="W548"):
        record = da.recorded(columns)
    assert any(said in note.text for note in record.notes)


def test_what_has_its_unit_is_not_doubted():
    for units in ({"t": "ms"}, {"t": "s"}):
        da.recorded({**STEADY, "t": 33.3 * np.arange(N)}, units=units)
    da.recorded({"t": STEADY["t"], "x_mm": STEADY["x"]}, units={"x_mm": "mm"})
    da.recorded(STEADY)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_heading_that_cannot_be_seen_or_ends_nowhere_is_refused(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(da.DalembertError, match="E540") as caught:
        da.recorded(tmp_path / "t.csv")
    assert caught.value.where.line == 1 and len(str(caught.value)) < 1000


def test_the_work_of_reading_a_table_grows_with_its_columns_and_no_faster():
    work = [calls("da.recorded(path)", wide(columns), WRITTEN) for columns in (5_000, 10_000, 20_000)]
    assert work[2] - work[1] <= 2.1 * (work[1] - work[0])


def wide(columns):
    rows = ([str(row), *["1.5"] * columns] for row in (0, 1))
    return "\n".join(",".join(row) for row in (["t", *(f"c{i}" for i in range(columns))], *rows))


WRITTEN = """
import tempfile
from pathlib import Path
path = Path(tempfile.mkdtemp()) / "wide.csv"
path.write_text(given)
"""
