"""The catalogue of codes: complete, in both directions; every example provokes its code; the page is up to date."""

import ast
import re
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.explain import GROUPS, PRELUDE, Entry, about, entries, explain
from dalembert.apps.explain.__main__ import page_of_codes

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
CODE = re.compile(r"\b[EWN]\d{3}\b")
# what these examples need is doubted as well
DOUBTED = {"E405": {"W306"}, "E406": {"W306"}, "E414": {"W306"}, "E408": {"W129"}}
ENTRIES = {each.code: each for each in entries()}


def texts_in(source):
    """The text constants of a module, docstrings among them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def codes_in(texts):
    """Codes that occur in texts."""
    return {code for text in texts for code in CODE.findall(text)}


def said_in(texts):
    """Codes that some statement says: of texts that begin with a code, as docstrings do not."""
    return {text[:4] for text in texts if CODE.match(text) and text[4:5] in ("", " ")}


@cache
def written():
    """Every text of the library that holds a code."""
    sources = (file.read_text(encoding="utf-8") for file in SOURCES.rglob("*.py"))
    return [text for source in sources if CODE.search(source) for text in texts_in(source) if CODE.search(text)]


# --- complete --------------------------------------------------------------------------------------------------------


def test_every_code_of_the_source_is_in_the_catalogue():
    assert codes_in(written()) - set(ENTRIES) == set()


def test_every_entry_is_said_somewhere():
    assert set(ENTRIES) - said_in(written()) == set()


def test_codes_are_found_in_texts_and_docstrings():
    found = list(texts_in('"""E901: said."""\nraise X("W902", f"{y} N903")\nE904 = 1'))
    assert codes_in(found) == {"E901", "W902", "N903"}
    assert said_in(found) == {"W902"}


@pytest.mark.parametrize("code", ENTRIES)
def test_an_entry_says_what_it_should(code):
    entry = ENTRIES[code]
    assert entry.group in GROUPS
    assert not entry.title.endswith(".")
    assert len(entry.title) <= 74
    assert 60 < len(entry.text) < 700
    assert entry.text.endswith((".", "?"))
    assert entry.mend.strip()
    assert bool(entry.example) != bool(entry.why)
    lines = str(entry).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80, max(lines, key=len)
    assert lines[0].startswith(f"{code} ")


def test_what_has_no_example_is_tested_where_it_says():
    for entry in entries():
        for place in re.findall(r"tests/[\w/]+(?:\.py)?", entry.why):
            assert (ROOT / place).exists(), f"{entry.code}: {place}"
        assert "tests/" in entry.why or entry.example, entry.code


# --- true ------------------------------------------------------------------------------------------------------------


def provoked(entry, tmp_path, monkeypatch):
    """What the example raises, warns and notes: the code of the error or None, those of warnings, those of notes."""
    monkeypatch.chdir(tmp_path)
    for name, content in entry.files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    space, raised = {}, None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        exec(PRELUDE, space)
        try:
            exec(entry.example, space)
        except da.DalembertError as error:
            raised = error
    warned = {str(w.message).split()[0] for w in seen if issubclass(w.category, da.DalembertWarning)}
    assert all(issubclass(w.category, da.DalembertWarning) for w in seen), [str(w.message) for w in seen]
    noted = set()
    for thing in space.values():
        for texts in (getattr(thing, "notes", ()), *_audited(thing)):
            noted |= {str(text).split()[0] for text in texts}
    return raised, warned, noted


def _audited(thing):
    audit = getattr(thing, "audit", None)
    return (audit.reasons, audit.notes, [getattr(thing, "outcome", "a plant")]) if audit is not None else ()


@pytest.mark.parametrize("code", [each.code for each in entries() if each.example])
def test_an_example_provokes_its_code(code, tmp_path, monkeypatch):
    raised, warned, noted = provoked(ENTRIES[code], tmp_path, monkeypatch)
    if raised is not None:
        assert raised.code == code, str(raised)
        assert raised.remedy
    elif code[0] == "W":
        assert warned | (noted & {code}) == {code}
    else:
        assert code in noted
    if code[0] != "W":
        assert warned <= DOUBTED.get(code, set())


# --- asked -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["E112", "e112", " E112\n", "112"])
def test_a_code_is_found_however_it_is_written(asked):
    assert explain(asked) == ENTRIES["E112"]
    assert explain("W113") == explain("113") == ENTRIES["W113"]


@pytest.mark.parametrize("asked", ["E999", "", "E11", "rolling", "E112; E113", "€112", "E" * 10_000, "\0", None, 112])
def test_an_unknown_code_is_refused(asked):
    with pytest.raises(da.DalembertError) as caught:
        explain(asked)
    assert caught.value.code == "E321"
    assert caught.value.remedy
    assert isinstance(caught.value, KeyError | TypeError)


def test_a_misspelt_code_is_corrected():
    with pytest.raises(da.DalembertError, match="did you mean E23"):
        explain("E235X")


def test_words_are_looked_up_in_titles_and_texts():
    assert {"E121", "N143"} <= {e.code for e in about("RANK loses")} and about("xylophone") == ()
    found = about("roll")
    assert {"E155", "E156"} <= {each.code for each in found}
    assert all(re.search(r"\broll", f"{e.title} {e.text} {e.mend}", re.IGNORECASE) for e in found)
    said = CliRunner().invoke(main, ["explain", "too", "few", "crossings"])
    assert said.output.startswith("E548  too few crossings") and said.exit_code == 0


def test_the_disc_is_told():
    assert "disc" in explain("E112").text


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_is_up_to_date():
    """If not: python -m dalembert.apps.explain docs/errors.md"""
    assert (ROOT / "docs" / "errors.md").read_text(encoding="utf-8") == page_of_codes()


def test_the_page_has_an_anchor_and_a_link_for_each_code():
    text = page_of_codes()
    for entry in entries():
        assert text.count(f"\n({entry.code.lower()})=\n### {entry.code}: ") == 1
        assert text.count(f"(#{entry.code.lower()})") == 1


def test_the_page_is_printed():
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "dalembert.apps.explain"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == page_of_codes()


def test_explaining_loads_nothing_heavy():
    snippet = (
        "import sys; from dalembert.apps.explain import explain; str(explain('E112')); "
        "assert not {'numpy', 'sympy', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", snippet], check=True)


def test_an_entry_without_a_line_to_break_is_shown_whole():
    entry = Entry("E101", "t", "x " * 40, "m", "name = " + "a" * 100)
    assert "a" * 100 in str(entry)
