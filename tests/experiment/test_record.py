"""Tables of measurements: what is read is what was written, and what is in doubt is refused with its line."""

import os
import stat
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.record import Record, text_table
from dalembert.recording import recorded


@pytest.fixture
def read(tmp_path):
    def call(text, encoding="utf-8", **options):
        path = tmp_path / "track.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return recorded(path, **options)

    return call


# --- what is read ----------------------------------------------------------------------------------------------------

EXACT = {
    "plain": "t,x\n0,1.5\n1,2.5\n",
    "windows": "t,x\r\n0,1.5\r\n1,2.5\r\n",
    "old macintosh": "t,x\r0,1.5\r1,2.5\r",
    "no last end of line": "t,x\n0,1.5\n1,2.5",
    "semicolon": "t;x\n0;1.5\n1;2.5\n",
    "semicolon and decimal comma": "t;x\n0;1,5\n1;2,5\n",
    "tab and decimal comma": "t\tx\n0\t1,5\n1\t2,5\n",
    "tab": "t\tx\n0\t1.5\n1\t2.5\n",
    "blanks": "t   x\n0   1.5\n1   2.5\n",
    "quoted": '"t","x"\n"0","1.5"\n"1","2.5"\n',
    "quoted decimal commas": '"t","x"\n"0","1,5"\n"1","2,5"\n',
    "blanks about cells": "t , x\n 0 , 1.5\n1, 2.5 \n",
    "comments and blank lines": "# a track\n\nt,x\n# begins\n0,1.5\n\n1,2.5\n",
    "exponents": "t,x\n0,15e-1\n1,+2.5E0\n",
    "a sign of its own": "t,x\n0,1.5\n1,2.5\n".replace("0,", "\N{MINUS SIGN}0,"),
    "separator at the end": "t,x,\n0,1.5,\n1,2.5,\n",
    "a line for a spreadsheet": "sep=;\nt;x\n0;1,5\n1;2,5\n",
    "in base SI": "t [s],x [m]\n0,1.5\n1,2.5\n",
    "unit in brackets": "t [s],x [cm]\n0,150\n1,250\n",
    "unit in parentheses": "t (s),x (cm)\n0,150\n1,250\n",
    "unit behind a stroke": "t/s,x/cm\n0,150\n1,250\n",
    "unit row": "t,x\ns,cm\n0,150\n1,250\n",
    "unit row in brackets": "t;x\n[s];[mm]\n0;1500\n1;2500\n",
    "unit of time": "t [ms],x [m]\n0,1.5\n1000,2.5\n",
    "time": "Time [s],x [m]\n0,1.5\n1,2.5\n",
    "micrometres": "t [s],x [µm]\n0,1500000\n1,2500000\n",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("case", EXACT)
def test_the_same_numbers_however_they_are_written(read, case, encoding):
    text = EXACT[case]
    if encoding == "latin-1":
        text = text.replace("\N{MINUS SIGN}", "-")
    record = read(text, encoding)
    assert record.names == ("t", "x")
    assert record.t.tolist() == [0.0, 1.0]
    assert np.allclose(record["x"], [1.5, 2.5], rtol=1e-15)  # 1500000 um is rounded once


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: float(f"{x:.12g}"))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=12),
    form=st.sampled_from([(",", "."), (";", "."), ("\t", "."), (";", ","), ("\t", ","), (" ", ".")]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoted=st.booleans(),
)
def test_what_is_written_is_read(tmp_path, rows, form, encoding, end, quoted):
    separator, decimal = form
    mark = '"' if quoted and separator != " " else ""
    lines = [("x", "y"), *((repr(x).replace(".", decimal), repr(y).replace(".", decimal)) for x, y in rows)]
    path = tmp_path / "track.csv"
    path.write_bytes(end.join(separator.join(f"{mark}{c}{mark}" for c in line) for line in lines).encode(encoding))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        try:
            record = recorded(path, time=None)
        except da.DalembertError as error:  # 1,234 may be a thousand
            assert (error.code, decimal) == ("E541", ",")
            record = recorded(path, time=None, decimal=decimal)
    assert np.array_equal(np.column_stack([record["x"], record["y"]]), np.array(rows))


def test_uncertainties_and_units(read):
    record = read("t/s;x/cm;u(x)/mm;sigma_y [cm];y [cm]\n0;1,5;1;0,1;2\n1;2,5;2;0,2;3\n")
    assert record.names == ("t", "x", "y")
    assert record.units == {"t": "s", "x": "m", "y": "m"}
    assert np.allclose(record.sigma("x"), [1e-3, 2e-3])
    assert np.allclose(record.sigma("y"), [1e-3, 2e-3])
    assert np.isnan(record.sigma("t")).all()


def test_provenance_says_what_was_done(read):
    record = read("t [s],x [cm]\n1,2\n0,1\n", sort=True, source="simulated")
    assert record.provenance["file"] == "track.csv"
    assert len(record.provenance["sha256"]) == 64
    assert record.provenance["done"] == ("x from cm to m", "sorted by t")
    assert np.allclose(record["x"], [0.01, 0.02])


def test_from_the_picture_to_the_table(read):
    """p = R(90 deg) (scale p_seen) + offset, by hand: (100, 200) px -> (-0.2, 0.1) dm + (1, 0) cm."""
    record = read(
        "t,x [px],y [px],sigma_x,sigma_y\n5,100,200,1,2\n6,100,300,1,2\n",
        scale="0.1 mm",
        rotation="90 deg",
        offset={"t": "-5 s", "x": "1 cm"},
    )
    assert np.allclose(record["x"], [-0.01, -0.02])
    assert np.allclose(record["y"], [0.01, 0.01])
    assert record.t.tolist() == [0, 1]
    assert np.allclose(record.sigma("x"), 2e-4)
    assert np.allclose(record.sigma("y"), 1e-4)
    assert record.units["x"] == "m"


def test_what_is_turned_by_30_degrees_is_as_uncertain_as_its_parts(read):
    record = read("t,x,y,sigma_x,sigma_y\n0,2,4,0.2,0.4\n1,2,4,0.2,0.4\n", rotation="30 deg")
    # sigma_x'^2 = (sigma_x cos a)^2 + (sigma_y sin a)^2 ,  sigma_y'^2 = (sigma_x sin a)^2 + (sigma_y cos a)^2
    assert np.allclose(record.sigma("x"), 0.07**0.5, rtol=1e-14)
    assert np.allclose(record.sigma("y"), 0.13**0.5, rtol=1e-14)
    assert np.allclose(record["x"], 3**0.5 - 2, rtol=1e-14) and np.allclose(record["y"], 1 + 12**0.5, rtol=1e-14)


def test_other_base_units(read):
    record = read("t [s],x [m],v [m/s]\n0,1,2\n1,2,3\n", to="cm", uncertainty={"x": "1 mm"})
    assert record["x"].tolist() == [100, 200]
    assert record["v"].tolist() == [200, 300]
    assert (record.units["x"], record.units["v"]) == ("cm", "cm/s")
    assert record.uncertainty["x"] == pytest.approx(0.1)


T = np.arange(3.0)
ARRAYS = {
    "mapping": ({"t": T, "x": 2 * T}, {}),
    "mapping with units": ({"t [s]": T, "x [m]": 2 * T}, {}),
    "lists": ({"t": [0, 1, 2], "x": [0, 2, 4]}, {}),
    "array": (np.column_stack([T, 2 * T]), {"columns": ["t", "x"]}),
    "array with fields": (np.rec.fromarrays([T, 2 * T], names="t,x"), {}),
    "DataFrame": (pd.DataFrame({"t": T, "x": 2 * T}), {}),
    "DataFrame indexed by t": (pd.DataFrame({"x": 2 * T}, index=pd.Index(T, name="t")), {}),
    "renamed": ({"seconds": T, "left": 2 * T}, {"columns": {"seconds": "t", "left": "x"}}),
    "text left out": ({"t": T, "x": 2 * T, "note": ["a", "b", "c"]}, {"leave": ["note"]}),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_are_taken(case):
    data, options = ARRAYS[case]
    record = recorded(data, **options)
    assert record.names == ("t", "x")
    assert record["x"].tolist() == [0, 2, 4]


def test_a_file_without_heading_with_names(read):
    assert read("0,1\n1,2\n", columns=["t", "x"])["x"].tolist() == [1, 2]


def test_a_record_is_frozen_sliced_and_shown(read):
    record = read("t,x,sigma_x\n0,1,0.1\n1,,0.2\n2,3,0.3\n", gaps="keep")
    assert record.gaps == {"x": 1}
    with pytest.raises(ValueError, match="read-only"):
        record["x"][0] = 2
    part = record[1:]
    assert isinstance(part, Record)
    assert len(part) == 2
    assert part.sigma("x").tolist() == [0.2, 0.3]
    assert part.provenance["done"][-1] == "rows 1: taken"
    assert record.to_dataframe().index.name == "t"
    assert recorded(record.to_dataframe(), gaps="keep")["x"].tolist()[::2] == [1, 3]
    lines = str(record).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    with pytest.raises(da.DalembertError, match="E317"):
        record["y"]


def test_a_wide_record_is_shown_on_a_page():
    wide = Record({f"column{i:02}" * 9: np.arange(3.0) for i in range(60)}, source="s" * 300)
    assert len(str(wide).splitlines()) <= 25
    assert max(map(len, str(wide).splitlines())) <= 80


def test_a_published_row_needs_no_times():
    row = Record({"period": (4.38,), "d": (-1.84, 1.84)}, source="lewis1995, Table 1")
    assert row["d"] == (-1.84, 1.84)
    assert len(row) == 2


# --- what is refused -------------------------------------------------------------------------------------------------

#          text, options, code, line of the place, what the carets mark
REFUSED = {
    "no heading": ("0,1\n1,2\n", {}, "E540", 1, "0,1"),
    "no heading, decimal comma": ("0,5;1,5\n1,5;2,5\n", {}, "E540", 1, "0,5;1,5"),
    "heading in a comment": ("# t,x\n0,1\n1,2\n", {}, "E540", 2, "0,1"),
    "one number in the heading": ("t,5\n0,1\n1,2\n", {}, "E540", 1, "t,5"),
    "a name twice": ("t,x,x\n0,1,1\n1,2,2\n", {}, "E540", 1, "x"),
    "no name": ("t,,x\n0,1,1\n1,2,2\n", {}, "E540", 1, None),
    "title before the heading": ("A long title\nt;x;y\n0;1;2\n1;2;3\n", {}, "E540", 1, "A long title"),
    "decimal comma between commas": ("t,x,y\n0,0,1,5,2,5\n1,0,1,5,2,5\n", {}, "E541", 2, "0,0,1,5,2,5"),
    "decimal comma in one row": ("t,x\n0,1\n1,2,5\n", {}, "E541", 3, "1,2,5"),
    "comma of thousands": ("t;x\n0;1,500\n1;2,500\n", {}, "E541", 2, "1,500"),
    "marks for thousands": ("t;x\n0;1.234,5\n1;2,5\n", {}, "E541", 2, "1.234,5"),
    "thousands and thousands": ("t;x\n0;1,234,567\n1;2,000,000\n", {}, "E541", 2, "1,234,567"),
    "point and comma": ("t;x\n0;1.5\n1;2,5\n", {}, "E541", 3, "2,5"),
    "one column with commas": ("x\n1,5\n2,5\n", {"time": None}, "E541", 2, "1,5"),
    "rows parted otherwise": ("t;x\n0;1\n1,2\n", {}, "E541", None, None),
    "text cell": ("t,x\n0,1\n1,abc\n", {}, "E542", 3, "abc"),
    "a cell with its unit": ("t,x\n0,1\n1,2 cm\n", {}, "E542", 3, "2 cm"),
    "time of day": ("t,x\n0,1\n12:30:01,2\n", {}, "E542", 3, "12:30:01"),
    "infinite": ("t,x\n0,1\n1,inf\n", {}, "E542", 3, "inf"),
    "too large for a float": ("t,x\n0,1\n1,1e999\n", {}, "E542", 3, "1e999"),
    "underscore": ("t,x\n0,1\n1,1_0\n", {}, "E542", 3, "1_0"),
    "hexadecimal": ("t,x\n0,1\n1,0x10\n", {}, "E542", 3, "0x10"),
    "quote not closed": ('t,x\n0,1\n1,"2\n', {}, "E542", 3, '"'),
    "uncertainty of 0": ("t,x,sigma_x\n0,1,1\n1,2,0\n", {}, "E542", 3, "0"),
    "empty cell": ("t,x\n0,1\n1,\n2,3\n", {}, "E543", 3, None),
    "nan": ("t,x\n0,1\n1,nan\n2,3\n", {}, "E543", 3, "nan"),
    "N/A": ("t,x\n0,1\n1,N/A\n2,3\n", {}, "E543", 3, "N/A"),
    "no time": ("t,x\n0,1\n,2\n2,3\n", {"gaps": "keep"}, "E543", 3, None),
    "cut off": ("t,x,y\n0,1,2\n1,2\n", {"gaps": "keep"}, "E543", 3, "1,2"),
    "unsorted": ("t,x\n0,1\n2,2\n1,3\n", {}, "E544", 4, "1"),
    "backwards": ("t,x\n2,1\n1,2\n0,3\n", {}, "E544", 3, "1"),
    "repeated": ("t,x\n0,1\n1,2\n1,3\n", {}, "E545", 4, "1"),
    "repeated after sorting": ("t,x\n1,1\n0,2\n1,3\n", {"sort": True}, "E545", 4, "1"),
    "one row": ("t,x\n0,1\n", {}, "E546", 2, None),
    "no row": ("t,x\n", {}, "E546", 1, None),
    "no unit": ("t [s],x [furlog]\n0,1\n1,2\n", {}, "E206", 1, "x [furlog]"),
    "no unit in the row": ("t,x\ns,furlog\n0,1\n1,2\n", {}, "E206", 2, "furlog"),
    "times in metres": ("t [m],x [m]\n0,1\n1,2\n", {}, "E207", 1, "t [m]"),
    "two units": ("t,x [cm]\n0,1\n1,2\n", {"units": {"x": "mm"}}, "E207", 1, "x [cm]"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_with_its_line(read, case, encoding):
    text, options, code, line, marked = REFUSED[case]
    with pytest.raises(da.DalembertError) as caught:
        read(text, encoding, **options)
    error = caught.value
    assert error.code == code, str(error)
    assert error.remedy
    assert isinstance(error, ValueError)
    if line is not None:
        assert str(error.where) == f"track.csv:{line}", str(error)
    if marked is not None:
        start = error.where.column
        assert error.where.text[start : start + error.where.length] == marked


OPTIONS = {
    "no such time": ({"time": "tt"}, "E317"),
    "no such unit": ({"units": {"xx": "m"}}, "E317"),
    "no such column": ({"columns": ["t", "xx"]}, "E317"),
    "no such new name": ({"columns": {"xx": "y"}}, "E317"),
    "no such offset": ({"offset": {"xx": 1}}, "E317"),
    "no such scale": ({"scale": {"xx": 1}}, "E317"),
    "nothing to turn": ({"rotation": 1.0}, "E317"),
    "no angle": ({"rotation": {("t", "x"): "1 m"}}, "E207"),
    "gaps misspelt": ({"gaps": "kep"}, "E543"),
    "negative uncertainty": ({"uncertainty": {"x": -1}}, "E542"),
    "too few uncertainties": ({"uncertainty": {"x": [1.0, 2.0, 3.0]}}, "E543"),
    "names made one": ({"columns": {"x": "t"}}, "E540"),
    "no base unit": ({"to": "N"}, "E207"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_are_checked(read, case):
    options, code = OPTIONS[case]
    with pytest.raises(da.DalembertError) as caught:
        read("t,x\n0,1\n1,2\n", **options)
    assert caught.value.code == code, str(caught.value)


NO_DATA = {
    "None": (None, "E501"),
    "a number": (3, "E501"),
    "no names": (np.zeros((3, 2)), "E540"),
    "nothing": ({}, "E540"),
    "text": ({"t": ["0", "1"], "x": [1, 2]}, "E542"),
    "objects": ({"t": [0, 1], "x": np.array([1, object()], object)}, "E542"),
    "complex": ({"t": [0, 1], "x": [1, 1j]}, "E542"),
    "truth values": ({"t": [0, 1], "x": [True, False]}, "E542"),
    "infinite": ({"t": [0, 1], "x": [1, np.inf]}, "E542"),
    "ragged": ({"t": [0, 1], "x": [1, 2, 3]}, "E543"),
    "nan": ({"t": [0, 1], "x": [1, np.nan]}, "E543"),
    "masked": ({"t": [0, 1], "x": np.ma.masked_array([1.0, 2.0], [False, True])}, "E543"),
    "unsorted": ({"t": [1, 0], "x": [1, 2]}, "E544"),
    "repeated": ({"t": [1, 1], "x": [1, 2]}, "E545"),
    "one row": ({"t": [1], "x": [1]}, "E546"),
}


@pytest.mark.parametrize("case", NO_DATA)
def test_arrays_are_checked(case):
    data, code = NO_DATA[case]
    with pytest.raises(da.DalembertError) as caught:
        recorded(data)
    assert caught.value.code == code, str(caught.value)
    assert caught.value.remedy


def test_too_many_rows_are_counted_before_they_are_read(read, monkeypatch):
    """E547, first by the ends of lines, then by the rows."""
    monkeypatch.setattr(text_table, "MOST_ROWS", 100)
    monkeypatch.setattr(text_table, "SPARE", 10)
    monkeypatch.setattr(text_table, "MOST_ROWS", 100)
    with pytest.raises(da.DalembertError, match="E547"):
        read("t,x\n" + "".join(f"{i},1\n" for i in range(105)))
    monkeypatch.setattr(text_table.layout.__globals__["csv"], "reader", None)  # nothing is parsed
    monkeypatch.setattr(text_table.Source, "lines", None)
    with pytest.raises(da.DalembertError, match="E547"):
        read("t,x\n" + "".join(f"{i},1\n" for i in range(500)))


def test_a_file_of_more_than_ten_million_rows(tmp_path):
    """E547 of a real one, 20 MB of short lines."""
    path = tmp_path / "long.csv"
    path.write_bytes(b"t,x\n" + b"0\n" * (10**7 + 20_000))
    with pytest.raises(da.DalembertError, match="E547"):
        recorded(path)


# --- files that are none ---------------------------------------------------------------------------------------------


def test_files_that_are_none(tmp_path):
    def code(path):
        with pytest.raises(da.DalembertError) as caught:
            recorded(path)
        assert caught.value.remedy
        return caught.value.code

    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "blank.csv").write_bytes(b" \n\n")
    (tmp_path / "json.csv").write_text('[{"t": 0, "x": 1}]')
    (tmp_path / "page.csv").write_text("<table><tr><td>t</td></tr></table>")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "other.csv").write_bytes(b"t,x\n0,\x81\x8d\n1,2\n")
    found = [code(tmp_path / f"{name}.csv") for name in ("none", "empty", "blank", "binary", "other", "json", "page")]
    assert found == ["E501", "E504", "E504", "E505", "E506", "E505", "E505"]
    assert code(tmp_path) == "E502"
    assert code("https://example.org/track.csv") == "E510"
    assert code("") == code("a\0b") == code(tmp_path / "empty.csv" / "x") == code("n" * 5000) == "E501"
    assert code(b"none.csv") == "E501"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(da.DalembertError, match="E510"):
        recorded(tmp_path / "pipe.csv")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "track.csv").write_text("t,x\n0,1\n1,2\n")

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(da.DalembertError, match="E503"):
        recorded(tmp_path / "track.csv")
    assert stat.S_ISREG(os.stat(tmp_path / "track.csv").st_mode)


# --- what is doubted -------------------------------------------------------------------------------------------------

DOUBTED = {
    "millimetres": "t,x\n0,0.5\n1,150.5\n",
    "milliseconds": "t,x [m]\n0,0\n0.001,0.2\n0.002,0.3\n",
    "fast": "t [s],v [m/s]\n0,0\n1,101\n",
    "pixels": "t,x,y\n0,512,300\n1,533,310\n",
    "pixels by their unit": "t [s],x [px]\n0,51.2\n1,53.3\n",
}


@pytest.mark.parametrize("case", DOUBTED)
def test_other_units_are_doubted(read, case):
    with pytest.warns(da.DalembertWarning, match="W548"):
        record = read(DOUBTED[case])
    assert [note.code for note in record.notes] == ["W548"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("t,x,y\n0,512,300\n1,533,310\n", {"scale": "0.1 mm"}),
        ("t,x\n0,512\n9,533\n", {"units": {"x": "m"}}),
        ("t [s],phi [rad]\n0,0\n1,150\n", {}),
        ("t,x\n0,1\n1,2\n", {}),
    ],
)
def test_what_is_plain_is_not_doubted(read, text, options):
    assert read(text, **options).notes == ()


@pytest.mark.filterwarnings("ignore:W548")  # of pixels without a scale
def test_an_uncertainty_is_of_the_unit_of_its_column():
    """Where nothing tells that of the column it has to fit what the column shows: that is known in a fit."""
    for head, sigma, value in (("x [cm]", "1 mm", 1e-3), ("x [px]", "2 px", 2), ("x", "2 px", 2), ("x", "1 mm", 1e-3)):
        assert recorded({"t": [0, 1], head: [1.0, 2.0]}, uncertainty={"x": sigma}).uncertainty["x"] == value
    with pytest.raises(da.DalembertError, match="E207 x is kg, needs m"):
        recorded({"t": [0, 1], "x [m]": [1.0, 2.0]}, uncertainty={"x": "1 kg"})
    spring = da.System(da.line("x"), "m*vx^2/2 - k*x^2/2", parameters={"m": "1 kg", "k": "4 N/m"}, units={"x": "m"})
    t = np.linspace(0, 2, 21)
    for sigma, told in (("1 kg", "is given in kg"), ("2 px", "is given in px"), ("1 mm", "")):
        seen = recorded({"t": t, "x": np.cos(2 * t)}, uncertainty={"x": sigma})
        guess = {"start": {"x": 1, "vx": 0}, "free": ["k"]}
        if told:
            with pytest.raises(da.DalembertError, match=f"E549 the uncertainty of x {told}"):
                da.fit(da.free(spring), seen, **guess)
        else:
            assert da.fit(da.free(spring), seen, **guess)["k"] == pytest.approx(4)


NAMED = {
    "twice by units": {"t": [0, 1], "x [m]": [1, 2], "x [cm]": [5, 6]},
    "a number and its text": {"t": [0, 1], 1: [1, 2], "1": [5, 6]},
    "alike": {"t": [0, 1], "x": [1, 2], "\N{CYRILLIC SMALL LETTER HA}": [5, 6]},
    "empty": {"t": [0, 1], "": [1, 2]},
    "turned about": {"t": [0, 1], "\N{RIGHT-TO-LEFT OVERRIDE}x": [1, 2]},
    "an escape": {"t": [0, 1], "\x1b[31mx": [1, 2]},
    "long": {"t": [0, 1], "x" * 1000: [1, 2]},
}


@pytest.mark.parametrize("case", NAMED)
def test_names_of_arrays_are_held_to_the_rules_of_a_heading(case):
    """None is dropped: of two columns of one name the first was lost."""
    with pytest.raises(da.DalembertError, match="E540"):
        da.recorded(NAMED[case])


def test_two_columns_of_an_array_or_a_frame_do_not_share_a_name():
    with pytest.raises(da.DalembertError, match="E540 the name 'x' stands twice"):
        da.recorded(np.arange(9.0).reshape(3, 3), columns=["t", "x", "x"])
    frame = pd.DataFrame([[0, 1, 2], [1, 2, 3]], columns=["t", "x", "x"])
    with pytest.raises(da.DalembertError, match="E540 the name 'x' stands twice"):
        da.recorded(frame)


CELLS = {
    "1'000": "write 1000, without marks",
    "-1\N{NO-BREAK SPACE}234\N{NO-BREAK SPACE}567.5": "write -1234567.5, without marks",
    "1_000": "write 1000, without marks",
    "0x10": "write a number, or nan",
    "10%": "0.1 for 10%",
    "1e999": "leave the cell empty",
    "1" * 400: "leave the cell empty",
    "12 cm": "x [cm]",
    "1.5 m/s^2": "x [m/s^2]",
    "30°": "x [°]",
}


@pytest.mark.parametrize("cell", CELLS)
def test_the_remedy_for_a_cell_can_be_typed(read, cell):
    """What is proposed as a unit is one in form: x ['000] and x [e999] were."""
    with pytest.raises(da.DalembertError, match="E542") as caught:
        read(f"t;x\n0;{cell}\n1;2\n")
    assert CELLS[cell] in str(caught.value)


def test_what_is_no_length_scales_no_picture(read):
    with pytest.raises(da.DalembertError, match="E207 scale='2 s' is no length of a pixel"):
        read("t,x\n0,1\n1,2\n", scale="2 s")
    assert read("t,x\n0,1\n1,2\n", scale={"x": "2 N"}).units == {"x": "kg*m/s**2"}


@pytest.mark.parametrize("pair", [("x", "x"), ("x", "t"), ("t", "y")])
def test_two_columns_that_are_no_plane_are_not_turned(read, pair):
    with pytest.raises(da.DalembertError, match="E207"):
        read("t,x,y\n0,1,1\n1,2,3\n", rotation={pair: "30 deg"})


def test_more_than_a_turn_in_radians_is_doubted(read):
    with pytest.warns(da.DalembertWarning, match='W548 rotation=30 .* degrees\\? rotation="30 deg"'):
        read("t,x,y\n0,1,1\n1,2,3\n", rotation=30)
    assert not read("t,x,y\n0,1,1\n1,2,3\n", rotation="390 deg").notes
    assert not read("t,x,y\n0,1,1\n1,2,3\n", rotation=6.2).notes
