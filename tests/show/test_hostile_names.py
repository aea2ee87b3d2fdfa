"""Names and titles that are markup or a formula of a spreadsheet: data in reports and pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main

MARKUP, FORMULA = "<script>alert(1)</script>", "=cmd|' /C calc'!A1"
HOSTILE = [
    MARKUP,
    "\x1b[31mred",
    "a\u202eb",
    "../../etc",
    FORMULA,
    "+1",
    "@x",
    "-2",
    "a\nb",
    "",
    "a,b",
    '"q"',
    "a b",
    " ",
]
q = da.coordinates("x y")
L = "(vx^2 + vy^2)/2 - 9.81*y"


@pytest.mark.parametrize("name", HOSTILE)
def test_what_names_columns_is_a_plain_word(name: str) -> None:
    for given in (
        {"contacts": {name: da.contact(gap="y")}},
        {"constraints": {name: "y"}},
        {"inputs": [name]},
        {"parameters": {name: 1.0}},
    ):
        with pytest.raises(da.DalembertError) as refused:
            da.System(q, L, **given)
        assert refused.value.code in ("E137", "E719")
        assert str(refused.value).replace("\n", "").isprintable()


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\u202eb", "a\nb"])
def test_names_of_walls_and_momenta_show_as_they_are(name: str) -> None:
    for given, code in (({"walls": {name: "y"}}, "E131"), ({"momenta": {name: "vx"}}, "E719")):
        with pytest.raises(da.DalembertError, match=code):
            da.System(q, L, **given)
    assert da.System(q, "(vx^2 + vy^2)/2", title=name).title.isprintable()


def test_a_report_and_a_page_hold_them_as_text(tmp_path: Path) -> None:
    system = da.System(
        q, L.replace("9.81", "k"), walls={MARKUP: "y", FORMULA: "x + 1"}, momenta={MARKUP: "vx", FORMULA: "vx"},
        title=FORMULA + MARKUP, parameters={"k": 9.81}, sources={"k": FORMULA + MARKUP},
    )  # fmt: skip
    path = da.simulate(da.free(system), {"x": 0, "y": 1, "vx": -1, "vy": 0}, until=2)
    da.report(path, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert MARKUP not in page and "&lt;script&gt;alert(1)" in page
    path.save(tmp_path / "path.npz")
    done = CliRunner().invoke(main, ["export", str(tmp_path / "path.npz"), "--html"])
    assert done.exit_code == 0, done.output
    assert MARKUP not in (tmp_path / "path.html").read_text(encoding="utf-8")
