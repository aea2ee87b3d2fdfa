"""Lines that fit: nothing is cut where there is room, and where something is, it is said where it is whole."""

from __future__ import annotations

from dalembert.calculus.line_width import abridged

LONG = "  L            " + " + ".join(f"a{i}*x{i}**2" for i in range(60))


def test_what_has_room_is_folded_and_whole():
    rows = abridged([LONG, "  m = 1"], 25, ".lagrangian", indent=15)
    assert " ".join(" ".join(rows).split()) == " ".join(f"{LONG} m = 1".split())
    assert max(map(len, rows)) <= 80


def test_the_longest_is_cut_first_and_the_last_line_says_where_it_is_whole():
    rows = abridged([LONG, *(f"  m{i} = {i}" for i in range(15))], 20, ".lagrangian", indent=15)
    assert len(rows) <= 20 and rows[-1] == "  whole: .lagrangian"
    assert [row for row in rows if row.startswith("  m")] == [f"  m{i} = {i}" for i in range(15)]
    assert sum(row.endswith(" ...") for row in rows) == 1


def test_there_are_never_more_lines_than_asked_for():
    assert len(abridged([LONG] * 40, 25, ".lagrangian")) <= 25


def test_lines_that_are_left_are_used():
    rows = abridged([LONG, LONG, LONG, "  m = 1"], 15, ".lagrangian", indent=15)
    assert len(rows) == 15 and sum(row.endswith(" ...") for row in rows) == 3
