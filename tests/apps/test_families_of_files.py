"""Families that a file or a command line asks for: what is followed, said, drawn and stored, and what is refused."""

import csv
import json
import math
import pathlib
import re

import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps import family_entries, stored_results
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.study import read_source, write_source

HOOP = """
schema = 1
title = "Pendulum in a turning hoop"
[space]
coordinates = { theta = "angle" }
[parameters]
w = "1 rad/s"
g = "9.81 m/s^2"
d = "1 m"
l = "d/2"
m = "1 kg"
[definitions]
E = "m*l^2*(dot(theta)^2 - w^2*sin(theta)^2)/2 - m*g*l*cos(theta)"
[lagrangian]
L = "m*l^2*(dot(theta)^2 + w^2*sin(theta)^2)/2 + m*g*l*cos(theta)"
[[run]]
name = "swing"
principle = "free"
start = { theta = "1 rad", "dot(theta)" = 0 }
until = "3 s"
[[family]]
name = "hanging"
principle = "free"
parameter = "w"
over = ["1 rpm", 10.0]
start = { theta = 0 }
[[family]]
name = "tilted"
principle = "free"
parameter = "w"
over = [0.1, 10.0]
of = "hanging"
[[family]]
name = "swings"
principle = "free"
parameter = "period"
over = [1.4, 3.0]
start = { theta = "1 rad", "dot(theta)" = 0 }
period = "1500 ms"
[[family]]
name = "small"
principle = "free"
parameter = "period"
over = [1.4, 2.0]
swing = true
"""
# two springs at right angles, of frequencies 1 and sqrt(5)
SPRINGS = """
schema = 1
[space]
coordinates = { x = "line", y = "line" }
[parameters]
k = 5.0
[lagrangian]
L = "(dot(x)^2 + dot(y)^2 - x^2 - k*y^2)/2 - x^4/4 - y^4/4"
"""
EVENT = """
[[family.event]]
name = "strike"
guard = "th - 0.3"
then = { th = -0.3, "dot(th)" = "cos(0.6)*dot(th)" }
direction = "rising"
"""
WHEEL = f"""
schema = 1
title = "Rimless wheel on a slope"
[space]
coordinates = {{ th = "line" }}
[parameters]
slope = 0.12
[lagrangian]
L = "dot(th)^2/2 - cos(th + slope)"
[[run]]
principle = "free"
start = {{ th = -0.3, "dot(th)" = 0.55 }}
until = 3
{EVENT.replace("family", "run")}
[[family]]
name = "rolling"
principle = "free"
parameter = "slope"
over = [0.11, 0.13]
start = {{ th = -0.3, "dot(th)" = 0.55 }}
period = "1 s"
{EVENT}"""


@pytest.fixture
def hoop(tmp_path, monkeypatch):
    """The file, in a folder of its own, worked on in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    (tmp_path / "hoop.toml").write_text(HOOP)
    (tmp_path / "springs.toml").write_text(SPRINGS)
    return "hoop.toml"


def answer(*words, code=0):
    """What a command says, as data."""
    done = CliRunner().invoke(main, [*words, "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def refused(*words):
    """Code and text of a refusal."""
    problem = answer(*words, code=2)["problems"][0]
    return problem["code"], problem["fact"]


def test_the_motions_are_those_of_the_library(hoop):
    found = {each["name"]: each for each in answer("family", hoop)["families"]}
    leaves = math.sqrt(9.81 / 0.5)
    assert [kind for kind in (p["kind"] for p in found["hanging"]["special"])] == ["branch point"]
    assert found["hanging"]["special"][0]["value"] == pytest.approx(leaves, abs=1e-9)
    assert found["hanging"]["rows"][0]["w"] == pytest.approx(2 * math.pi / 60, abs=1e-15)
    for row in found["hanging"]["rows"]:
        assert row["stable"] == (row["w"] < leaves)
        squares = [complex(*e) ** 2 for e in row["eigenvalues"]]
        assert squares == pytest.approx([row["w"] ** 2 - 9.81 / 0.5] * 2, abs=1e-9)
    # w^2 l cos(theta) = g on the branch that begins there
    tilted = [row["w"] ** 2 * math.cos(row["theta"]) for row in found["tilted"]["rows"]]
    assert tilted == pytest.approx([9.81 / 0.5] * len(tilted), abs=1e-8)
    assert found["swings"]["kind"] == "periodic" and len(found["swings"]["rows"]) > 10
    frequency = math.sqrt(9.81 / 0.5 - 1)
    assert found["small"]["rows"][0]["period"] == pytest.approx(2 * math.pi / frequency, abs=1e-3)


def test_what_follows_from_the_parameter_follows(hoop):
    # l = d/2: hanging ends where w^2 d/2 = g, and d is followed
    found = answer("family", hoop, "d=0.1:40", "w=1", "--name", "hanging")["families"][0]
    assert found["special"][0]["value"] == pytest.approx(2 * 9.81, abs=1e-8)


def test_a_definition_is_followed(hoop):
    found = answer("family", hoop, "E=-4:2", "--name", "swings")["families"][0]
    assert min(row["E"] for row in found["rows"]) < -3.9 and max(row["E"] for row in found["rows"]) > 1.9
    for row in found["rows"]:
        c, rate, m, l, g = math.cos(row["theta"]), row["vtheta"], 1.0, 0.5, 9.81
        assert row["E"] == pytest.approx(m * l**2 * (rate**2 - 1 + c**2) / 2 - m * g * l * c, abs=1e-9)


def test_the_table_has_every_row(hoop):
    data = answer("family", hoop, "--name", "hanging", "--csv", "t.csv", "--figure", "f.svg", "--page", "p.html")
    found = data["families"][0]
    with open("t.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["w"]) for row in rows] == [row["w"] for row in found["rows"]]
    assert [row["stable"] == "1.0" for row in rows] == [row["stable"] for row in found["rows"]]
    assert [[float(r["eigenvalue1_re"]), float(r["eigenvalue1_im"])] for r in rows] == [
        row["eigenvalues"][0] for row in found["rows"]
    ]
    with np.load(found["file"]) as stored:
        heads, about = (json.loads(stored[name].tobytes()) for name in ("heads", "about"))
        assert stored["rows"][:, heads.index("w")].tolist() == [row["w"] for row in found["rows"]]
    assert about["special"] == found["special"] and about["run"] == "hanging"
    assert "branch point" in pathlib.Path("p.html").read_text()
    assert pathlib.Path("f.svg").read_text().startswith("<?xml")


def test_a_stored_family_is_exported(hoop):
    found = answer("family", hoop, "--name", "swings", "--csv", "t.csv")["families"][0]
    assert answer("export", found["file"], "--csv", "--npz", "--out", "again")["written"] == [
        "again.csv",
        "again-columns.npz",
    ]
    assert pathlib.Path("again.csv").read_bytes() == pathlib.Path("t.csv").read_bytes()
    with np.load("again-columns.npz") as columns:
        assert columns["period"].tolist() == [row["period"] for row in found["rows"]]
    assert refused("export", found["file"], "--nc", "--out", "again")[0] == "E307"
    assert refused("export", found["file"], "--csv", "--samples", "5", "--out", "more")[0] == "E307"
    assert refused("cite", found["file"])[0] == "E307"


@pytest.mark.parametrize("name", ["tilted", "swings"])
def test_a_stored_family_is_drawn_as_when_it_was_followed(hoop, name):
    found = answer("family", hoop, "--name", name)["families"][-1]
    stored = stored_results.read_family(pathlib.Path(found["file"]))
    study, before = family_entries.laid_out(da.read(hoop)), {}
    for spec in family_entries.wanted(study, [name]):
        before[spec.name] = family_entries.follow(study, spec, before)
    again, there = (da.draw(each).axes for each in (stored, before[name]))
    assert [ax.get_ylabel() for ax in again] == [ax.get_ylabel() for ax in there]
    for ours, theirs in zip(again, there, strict=True):
        assert len(ours.lines) == len(theirs.lines) > 0
        for one, other in zip(ours.lines, theirs.lines, strict=True):
            assert one.get_xydata() == pytest.approx(other.get_xydata(), abs=1e-12)
            assert (one.get_linestyle(), one.get_marker()) == (other.get_linestyle(), other.get_marker())
    assert answer("export", found["file"], "--svg", "--out", "again")["written"] == ["again.svg"]


@pytest.mark.parametrize("name", ["hanging", "swings"])
def test_a_stored_family_has_a_page(hoop, name):
    found = answer("family", hoop, "--name", name)["families"][-1]
    assert answer("export", found["file"], "--html", "--out", "again")["written"] == ["again.html"]
    page = pathlib.Path("again.html").read_text()
    for kind, value in ((p["kind"], p["value"]) for p in found["special"]):
        assert f'{kind}</th><td><data value="{value!r}">' in page
    # a curve for each stability of the branch, a dot for each eigenvalue of each row
    verdicts = {"stable to first order" if row["stable"] else "unstable" for row in found["rows"]}
    assert all(verdict in page for verdict in verdicts if len(verdicts) > 1)
    key = "eigenvalues" if name == "hanging" else "multipliers"
    assert page.count('r="2.6"') == sum(len(row[key]) for row in found["rows"])
    assert "<script" not in page and "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    stored = stored_results.read_family(pathlib.Path(found["file"]))
    assert stored.spectrum[0] == key[:-1]
    assert stored.spectrum[1] == pytest.approx(np.array([[complex(*e) for e in row[key]] for row in found["rows"]]))


def test_a_family_in_memory_has_the_page_that_it_has_stored(hoop):
    study = family_entries.laid_out(da.read(hoop))
    found = family_entries.follow(study, family_entries.named(study, ["hanging"])[0], {})
    text = da.report(found, "page.html", system=study).read_text()
    answer("export", answer("family", hoop, "--name", "hanging")["families"][0]["file"], "--html", "--out", "again")
    pictures = [re.findall(r'<path d="(M[^"]*)"', each) for each in (text, pathlib.Path("again.html").read_text())]
    assert [p for p in pictures[0] if p in pictures[1]] and "are not part of this report" not in text
    with pytest.raises(da.DalembertError, match="E307"):
        da.report(3, "other.html")


@pytest.mark.parametrize(
    ("name", "other", "code"),
    [
        ("rows", np.zeros((3, 2)), "E523"),  # of other numbers of columns
        ("heads", np.frombuffer(b'["w", 1]', np.uint8), "E523"),
        ("about", np.frombuffer(b'{"format": 99}', np.uint8), "E522"),
        ("about", np.frombuffer(b'{"format": 1}', np.uint8), "E523"),  # the seal is of another one
        ("more", np.zeros(1), "E525"),
    ],
)
def test_a_stored_family_that_was_changed_is_refused(hoop, name, other, code):
    found = answer("family", hoop, "--name", "hanging")["families"][0]
    with np.load(found["file"]) as stored:
        arrays = {**stored, name: other}
    np.savez("changed.npz", **arrays)
    assert refused("export", "changed.npz", "--csv")[0] == code


def test_the_page_of_a_branch(hoop):
    assert answer("explore", hoop, "--branch", "tilted", "--out", "b.html")["principles"] == ["free"]
    assert refused("explore", hoop, "--branch", "tiltde")[0] == "E307"


def test_a_file_without_families_follows_its_first_run(hoop):
    text = HOOP[: HOOP.index("[[family]]")]
    pathlib.Path("plain.toml").write_text(text)
    found = answer("family", "plain.toml", "period=1.4:3", "--period", "1.5 s")["families"][0]
    assert found["name"] == "family of swing" and found["kind"] == "periodic"
    assert refused("family", "plain.toml")[0] == "E307"


def test_frequencies_of_small_swings_are_offered(hoop):
    fast = 2 * math.pi / math.sqrt(5)
    assert "1, 2.23607" in refused("family", "springs.toml", "period=2:4", "--swing", "only")[1]
    for which, period in (("slowest", 2 * math.pi), ("fastest", fast), ("1.9", fast)):
        found = answer("family", "springs.toml", f"period=1:{period + 0.1}", "--swing", which)["families"][0]
        assert max(row["period"] for row in found["rows"]) == pytest.approx(period, abs=1e-3)


def test_a_driven_motion_has_the_period_of_what_drives_it(hoop):
    words = ("w=0.4:0.6", "f=0.1", "x=0.1", "y=0", "vx=0", "vy=0", "--period", "2*pi/w", "--principle", "free")
    driven = SPRINGS.replace("k = 5.0", "k = 5.0\nw = 0.5\nf = 0.0").replace('y^4/4"', 'y^4/4 + f*x*cos(w*t)"')
    pathlib.Path("driven.toml").write_text(driven)
    for row in answer("family", "driven.toml", *words)["families"][0]["rows"]:
        assert row["period"] == pytest.approx(2 * math.pi / row["w"], rel=1e-9)


def test_steady_motions_along_a_symmetry(hoop):
    words = ("vpsi=1:10", "theta=1.5707963267948966", "vphi=0", "--fix", "theta,vphi")
    found = answer("family", "rolling_disc", *words)["families"][0]
    assert found["special"][0]["value"] == pytest.approx(2.557342371, abs=1e-8)


def test_a_family_begins_at_the_run_that_is_named_or_says_with_which(hoop):
    """A pendulum of length 2 hangs at theta = 0 and stands at pi: eigenvalues in 1/s are +-i sqrt(g/l), +-sqrt(g/l)."""
    runs = "".join(
        f'[[run]]\nname = "{name}"\nprinciple = "free"\nstart = {{ theta = {at}, "dot(theta)" = 0 }}\nuntil = 1\n'
        for name, at in (("hanging", 0), ("standing", 3.14159265358979))
    )
    pathlib.Path("two.toml").write_text(
        'schema = 1\nspace = { coordinates = { theta = "angle" } }\nparameters = { g = 9.81, l = 2 }\n'
        'lagrangian = { L = "l^2*dot(theta)^2/2 + g*l*cos(theta)" }\n' + runs
    )
    done = CliRunner().invoke(main, ["family", "two.toml", "g=9:10"])
    assert "begins near the start of the run hanging; --run NAME takes another" in done.stderr
    stable = [answer("family", "two.toml", "g=9:10", *words)["families"][0] for words in ((), ("--run", "standing"))]
    assert [family["rows"][0]["theta"] for family in stable] == pytest.approx([0, np.pi], abs=1e-9)
    done = CliRunner().invoke(main, ["family", "two.toml", "g=9:10", "--run", "lying", "--json"])
    assert json.loads(done.stdout)["problems"][0]["code"] == "E307"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("w=1:2", "g=1:2"), "E307"),
        (("w=2:1",), "E241"),
        (("w=1:2:3",), "E241"),
        (("v=1:2",), "E307"),
        (("w=1",), "E307"),
        (("w=1:2 m",), "E207"),
        (("w=1:2", "--period", "1", "--swing", "only"), "E307"),
        (("w=1:2", "--swing", "best"), "E204"),
        (("w=1:2", "--columns", "x"), "E317"),
    ],
)
def test_words_that_are_refused(hoop, words, code):
    pathlib.Path("plain.toml").write_text(HOOP[: HOOP.index("[[family]]")])
    done = CliRunner().invoke(main, ["family", "plain.toml", *words, "--json"])
    assert json.loads(done.stdout)["problems"][0]["code"] == code


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('of = "hanging"', 'of = "tilted"', "E308"),
        ('of = "hanging"', 'of = "hanging"\nperiod = 1', "E307"),
        ("over = [0.1, 10.0]", "over = [10.0, 0.1]", "E241"),
        ("over = [0.1, 10.0]", "over = 10.0", "E508"),
        ("over = [0.1, 10.0]", 'over = ["1 m", "2 m"]', "E207"),
        ("swing = true", 'swing = "best"', "E508"),
        ('period = "1500 ms"', 'period = "2*pi/q"', "E702"),
        ('name = "tilted"', 'name = "hanging"', "E102"),
    ],
)
def test_tables_that_are_refused(old, new, code):
    with pytest.raises(da.DalembertError) as told:
        read_source(HOOP.replace(old, new, 1))
    assert told.value.code == code


def test_families_stand_in_any_order_and_so_do_definitions(tmp_path):
    given = HOOP[: HOOP.index("[definitions]")] + HOOP[HOOP.index("[lagrangian]") : HOOP.index("[[family]]")]
    hanging, tilted = (HOOP[HOOP.index(f'[[family]]\nname = "{name}"') :] for name in ("hanging", "tilted"))
    hanging, tilted = (each[: each.index("[[family]]", 1)] for each in (hanging, tilted))
    # E of W, W of V
    defined = (
        '[definitions]\nE = "m*l^2*dot(theta)^2/2 + W"\nW = "V - m*l^2*w^2*sin(theta)^2/2"\nV = "-m*g*l*cos(theta)"\n'
    )
    swings = """[[family]]
name = "swings"
principle = "free"
parameter = "E"
over = [-4.0, -2.5]
start = { theta = "1 rad", "dot(theta)" = 0 }
period = "1.5 s"
"""
    file = tmp_path / "hoop.toml"
    file.write_text(given + defined + tilted + swings + hanging, encoding="utf-8")
    study = da.read(file)
    assert [spec.name for spec in family_entries.wanted(study, [])] == ["hanging", "tilted", "swings"]
    assert [spec.name for spec in family_entries.wanted(study, ["tilted"])] == ["hanging", "tilted"]
    study = family_entries.laid_out(study)
    (spec,) = family_entries.named(study, ["swings"])
    found = family_entries.follow(study, spec, {})
    assert found["E"][[0, -1]] == pytest.approx([-4.0, -2.5])
    assert found["E"] == pytest.approx(-9.81 * 0.5 * np.cos(found["theta"]), abs=0.2)


def test_families_that_begin_at_each_other_are_refused():
    with pytest.raises(da.DalembertError, match="leads back to") as told:
        read_source(HOOP.replace("start = { theta = 0 }", 'of = "tilted"', 1))
    assert told.value.code == "E308"


def test_a_file_with_families_comes_back(hoop):
    study = da.read(hoop)
    da.write(study, "again.toml")
    assert da.read("again.toml").families == study.families
    assert answer("check", hoop)["starts"]["of family swings"]["free"]["theta"] == pytest.approx(1.0)


def test_needed_families_come_first(hoop):
    study = family_entries.with_families(
        da.read(hoop), family_entries.families_asked(da.read(hoop), [], family_entries.FamilyOptions())
    )
    assert [spec.name for spec in family_entries.wanted(study, ["tilted"])] == ["hanging", "tilted"]


def test_events_act_on_a_family_as_on_the_run_that_it_begins_from(hoop):
    """A rimless wheel: the multiplier of its steps is cos(2 alpha)^2 on every slope."""
    pathlib.Path("wheel.toml").write_text(WHEEL)
    pathlib.Path("run.toml").write_text(WHEEL[: WHEEL.index("[[family]]")])
    own = answer("family", "wheel.toml", "--page", "w.html")["families"][0]["rows"]
    of_run = answer("family", "run.toml", "slope=0.11:0.13", "--period", "1")["families"][0]["rows"]
    for row in [*own, *of_run]:
        assert [m[0] for m in row["multipliers"]] == pytest.approx([1.0, math.cos(0.6) ** 2], rel=1e-6)
    assert '"strike"' in pathlib.Path("w.html").read_text()
    study = da.read("wheel.toml")
    again = read_source(write_source(study))
    assert again.families == study.families and study.families[0].events[0].name == "strike"


def test_events_without_a_period_are_refused(hoop):
    pathlib.Path("wheel.toml").write_text(WHEEL.replace('period = "1 s"', ""))
    problem = answer("family", "wheel.toml", code=1)["problems"][0]
    assert (problem["code"], problem["fact"][:31]) == ("E307", "events act on periodic motions,")
    assert problem["where"]["text"] == "[[family.event]]"
