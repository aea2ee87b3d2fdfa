"""The laws that are broken on purpose: each stands where it is said to, and who notices is told rightly."""

import ast
import json
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # mutations are no part of the package

from mutations import against_claims, inputs, nursery
from mutations.__main__ import main
from mutations.against_claims import red
from mutations.copy import changed, compiled, work
from mutations.flow import Flow
from mutations.law import ROOT, SOURCE, laws
from mutations.sentinels import MOST, _joined, slipped, told
from mutations.slips import of, slips
from mutations.table import markdown

LAWS = laws()


def test_there_are_many_and_their_names_are_their_own():
    assert len({law.name for law in LAWS}) == len(LAWS) >= 80
    rooms = {law.room for law in LAWS}
    assert rooms >= {"calculus", "principles", "geometry", "numerics", "experiment", "reconstruction", "model"}


def test_a_law_stands_where_it_is_broken_and_the_broken_file_is_python():
    stands = {law.name: _stands(law) for law in LAWS}
    assert not {name: said for name, said in stands.items() if said}


def _stands(law):
    """What is wrong with a law's entry, or nothing."""
    try:
        text = law.text()
        ast.parse(text)
    except (ValueError, SyntaxError) as error:
        return str(error)
    if text == (SOURCE / law.file).read_text(encoding="utf-8"):
        return "nothing is broken"
    return (
        "" if law.tests and all((ROOT / "tests" / name).exists() for name in law.tests) else "tests that are not there"
    )


def test_a_law_that_has_moved_on_is_refused(tmp_path):
    file = tmp_path / LAWS[0].file
    file.parent.mkdir(parents=True)
    file.write_text("nothing of it\n")
    with pytest.raises(ValueError, match="0 times"):
        LAWS[0].text(tmp_path)


def test_a_copy_is_changed_and_the_repository_is_not():
    law = next(law for law in LAWS if law.name == "machine-kinematics")
    before = (SOURCE / law.file).read_bytes()
    with changed({law.file: law.text()}) as folder:
        program = folder / "told.py"
        program.write_text(
            "import dalembert.calculus.euler_lagrange as h; print(h.__file__);"
            " print('self.u[a] * 2' in open(h.__file__).read())"
        )
        code, said = work(folder, ["told"], 60)
        assert code == 0, said
        assert said.split() == [str(folder / "src" / "dalembert" / law.file), "True"]
    assert not folder.exists()
    assert (SOURCE / law.file).read_bytes() == before


def test_claims_that_turn_red_are_told_from_those_that_stay_or_were_red():
    def group(name, *claims):
        return {"group": name, "claims": [list(c) for c in claims]}

    sound = [
        group("a", ("(1)", "holds", True), ("(1)", "holds", True), ("(2)", "never did", False)),
        group("b", ("(3)", "x", True)),
    ]
    broken = [group("a", ("(1)", "holds", True), ("(1)", "holds", False), ("(2)", "never did", False)), {"end": True}]
    assert red(sound, broken) == (["a: (1): holds"], ["b: (3): x"])
    assert red(sound, sound) == ([], [])
    told = [group("c", ("(4)", "it is 3.1", True), ("(4)", "it was 2e-7 m", True), ("(4)", "at 1 it is", True))]
    other = [group("c", ("(4)", "it is 4.25", False), ("(4)", "it was 3e-7 m", True), ("(5)", "at 2 it is", False))]
    assert red(told, other) == (["c: (4): it is 3.1"], ["c: (4): at 1 it is"])


class Nursery:
    """A paper of two groups, of which every claim turns red in a copy that is changed; what was asked is kept."""

    asked: ClassVar = []

    def __init__(self, folder, kept=False):
        self.folder, self.kept = folder, kept

    def __enter__(self):
        return self

    def __exit__(self, *found):
        pass

    def work(self, paper, cpu, claims=None, reach=False):
        whole = claims is None or None in claims.values()
        if not whole:
            self.asked.append({group: [statement for _, statement in every] for group, every in claims.items()})
        groups = {"a": ["x", "y"], "b": ["x"]}
        every = {name: [["(1)", text, whole] for text in texts] for name, texts in groups.items()}
        asked = (
            {"group": g, "claims": c, "cpu": 0.0, "reached": {}}
            for g, c in every.items()
            if claims is None or g in claims
        )
        return [*asked, {"end": True}]


@pytest.fixture
def worked(monkeypatch):
    monkeypatch.setattr(Nursery, "asked", [])
    for module in (against_claims, inputs):
        monkeypatch.setattr(module, "Nursery", Nursery)
        monkeypatch.setattr(module, "compiled", lambda: None)
    return Nursery.asked


def test_a_claim_is_left_alone_once_a_law_has_turned_it_red(monkeypatch, worked):
    near, wide, other = LAWS[:3]
    reach = {near.name: {"a": 1}, wide.name: {"a": 0, "b": 0}, other.name: {"a": 0, "b": 0}}
    monkeypatch.setattr(against_claims, "reached", lambda nursery, paper, laws, only: reach)
    rows = list(against_claims.tried([wide, near, other], ["p"], [], first=True))
    assert worked == [{"a": ["y"]}, {"a": ["x"], "b": ["x"]}]
    assert [(row["law"], row["red"]) for row in rows[2:]] == [
        (near.name, ["a: (1): y"]),
        (wide.name, ["a: (1): x", "b: (1): x"]),
    ]
    assert list(against_claims.tried([wide, near, other], ["p"], rows, first=True)) == []
    every = list(against_claims.tried([wide, near, other], ["p"], rows))
    assert [row["law"] for row in every if row["kind"] == "claims"] == [wide.name, near.name, other.name]


def test_a_fork_sees_the_copy_and_stops_at_the_last_claim_asked_for():
    law = next(law for law in LAWS if law.name == "saddle-force")
    compiled()
    with changed({}) as folder, nursery.Nursery(folder) as forks:
        every = forks.work("appell-hamel", 60, {"chetaev.lagrangian": [], "chetaev.equations": []})
        (line,) = [g for g in every if g.get("group") == "chetaev.equations"]
        assert [claim[2] for claim in line["claims"]] == [True]
        asked = [{**line, "claims": line["claims"][:1]}]
        turned, gone, early = against_claims.seen(forks, {law.file: law.text()}, "appell-hamel", asked)
        assert (len(turned), gone, early) == (1, [], False)
        assert against_claims.seen(forks, {}, "appell-hamel", asked) == ([], [], False)  # the copy is as it was
        first = forks.work("appell-hamel", 60, {"chetaev.lagrangian": [("(33)", "L for I = 0")]})
        assert [len(g["claims"]) for g in first if "group" in g] == [1]


def test_slips_are_in_what_a_claim_is_given_and_not_in_what_decides():
    text = """
def group():
    speed = a - 2 * b
    off = left - right * 3
    yield identity("(1)", "x", p - q * r, [u - v], expected=-1)
    yield small("(1)", "y", found + 1, 1e-9 + 2)
    yield said("(1)", "z", abs(gap - 2 * c) < 5, f"{gap - 7}")
"""
    said = {(line, slip.text) for line, slip in of("x.py", text, inputs.given)}
    pieces = {text[slip.begin : slip.end] for _, slip in of("x.py", text, inputs.given)}
    assert {"2", "3", "2 * b", "q * r"} <= pieces
    assert not any(piece.strip() in ("-", "5", "7", "1e-9") or "-1" in piece for piece in pieces)
    assert (4, "4") in said
    turned = {slip.text for _, slip in of("x.py", "area = one.cross(two)", inputs.given)}
    assert turned == {"(two).cross(one)"}


def test_slips_are_tried_until_every_claim_has_turned_red(monkeypatch, worked):
    some = [inputs.Site(slip, "", 1) for slip in slips("../dalembert_papers/sicm", 3, 0)]
    monkeypatch.setattr(inputs, "_sites", lambda paper: some)
    monkeypatch.setattr(inputs, "nearest", lambda sites, far: sites)
    law = {"kind": "claims", "paper": "sicm", "law": "l", "red": ["a: (1): x"], "gone": []}
    rows = list(inputs.tried(["sicm"], [law]))
    assert worked == [{"a": ["y"]}, {"b": ["x"]}]
    assert [row["red"] for row in rows if row["kind"] == "inputs"] == [["a: (1): y"], ["b: (1): x"]]
    assert list(inputs.tried(["sicm"], [law, *rows])) == []
    assert slipped(rows) == {"sicm": {"a: (1): y": rows[1]["slip"], "b: (1): x": rows[2]["slip"]}}


def test_slips_are_tried_that_the_fewest_names_lead_to():
    text = """
PRINTED = (-3 * s, c)
BOUND = 1e-9

def group():
    other = 5 * c
    text = "what is printed holds"
    wanted = 2 * told(PRINTED)
    yield identity("(1)", text, wanted)
    yield identity("(2)", "no other", other)

def told(e):
    return e[0] + 7 * far

far = 11 * s
"""
    far = Flow({"a/x.py": text}).from_claim("what is printed holds", "x.group")
    numbered = list(enumerate(text.splitlines(), 1))
    lines = {word: next(i for i, line in numbered if word in line) for word in ("PRI", "2", "5", "7", "11")}
    found = [far.get(("a/x.py", lines[word])) for word in ("PRI", "2", "7", "11", "5")]
    assert found == [2, 1, 2, 3, None]
    sites = [inputs.Site(slip, "", line) for line, slip in of("a/x.py", text, inputs.given)]
    near = [site.line for site in inputs.nearest(sites, far)]
    assert near[0] == lines["2"] and lines["5"] not in near
    assert lines["PRI"] + 1 not in near  # a bound decides


def test_of_some_groups_what_was_told_before_is_left_alone(monkeypatch, worked):
    near = LAWS[0]
    monkeypatch.setattr(against_claims, "reached", lambda nursery, paper, laws, only: {near.name: {"a": 0, "b": 0}})
    rest = {"p": (["a"], frozenset({"a: (1): x"}))}
    rows = list(against_claims.tried([near], ["p"], [], first=True, rest=rest))
    assert worked == [{"a": ["y"]}]
    assert [row["kind"] for row in rows] == ["some", "reach of some", "claims"]
    assert [row["kind"] for row in against_claims.tried([near], ["p"], rows, first=True, rest=rest)] == [
        "reach of some"
    ]
    joined = _joined({"s": {"a": 1, "b": 2}}, {"s": {"b": 3}}, True), _joined({"s": {"a": 1}}, {"s": {"b": 3}}, False)
    assert joined == ({"s": {"a": 1, "b": 3}}, {"s": {"b": 3}})


def test_formulas_in_words_slip_and_other_words_do_not():
    text = """
system = System(q, "dot(x)^2 - sin(x)", {"held": "x*y"})
yield said("(1)", "x - y", True)
other = "no friction", "3.3", "vx"
"""
    said = {text[slip.begin : slip.end] + " to " + slip.text for _, slip in of("x.py", text, inputs.given)}
    assert "sin to cos" in said
    assert {"2 to 3", "* to  / "} <= said
    assert not any("x - y" in each or "friction" in each or "3.3" in each for each in said)


def test_tables_count_claims_and_laws():
    rows = [
        {"kind": "sound", "paper": "p", "groups": [{"group": "g", "claims": [["(1)", "x", True], ["(2)", "y", True]]}]},
        {"kind": "claims", "paper": "p", "law": LAWS[0].name, "red": ["g: (1): x"], "gone": [], "ended": False},
        {"kind": "tests", "law": LAWS[1].name, "test": "", "how": "green"},
        {"kind": "tests", "law": LAWS[0].name, "test": "tests/a.py::b", "how": "red"},
    ]
    text = markdown(LAWS, rows)
    assert f"{len(LAWS)} laws; 1 are noticed by claims; 1 of 2 tried by tests." in text
    assert "| p | 2 | 1 | 1 |" in text
    assert text.rstrip().endswith("- p: g: (2): y")


def test_of_a_claim_those_laws_are_told_that_turn_fewest_red():
    def broken(law, *claims):
        return {"kind": "claims", "paper": "p", "law": law, "red": list(claims), "gone": [], "ended": False}

    rows = [
        broken("wide", "a", "b", "c"), broken("near", "a"), broken("none"),
        broken("x", "b", "c"), broken("y", "a", "b"),
        {"kind": "sound", "paper": "p", "groups": []},
    ]  # fmt: skip
    assert told(rows) == {"p": {"a": ["near", "y", "wide"], "b": ["x", "y", "wide"], "c": ["x", "wide"]}}
    assert MOST == 3


def test_what_is_told_of_claims_speaks_of_laws_that_there_are():
    from dalembert_papers.broken_by import seen

    names = {law.name for law in LAWS}
    assert {law for claims in seen().values() for every in claims.values() for law in every} <= names


def test_slips_are_valid_and_the_same_for_a_seed():
    some = slips("calculus", 40, 3)
    assert some == slips("calculus", 40, 3) != slips("calculus", 40, 4)
    for slip in some:
        text = slip.applied()
        ast.parse(text)
        assert text != (SOURCE / slip.file).read_text(encoding="utf-8")


def test_the_command_lists_and_refuses(tmp_path):
    said = CliRunner().invoke(main, ["list"]).output
    assert all(f"{law.name}: " in said for law in LAWS)
    refused = CliRunner().invoke(main, ["claims", "--only", "no-such-law"])
    assert refused.exit_code == 2
    assert "there is no law" in refused.output
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        json.dumps({"kind": "tests", "law": LAWS[0].name, "test": "t", "how": "red", "state": "old"}) + "\n"
    )
    assert "1 of 1 tried by tests" in CliRunner().invoke(main, ["table", str(rows)]).output
