"""The fuzzers themselves: what they hold to be true, on a handful of cases."""

import itertools
import math
import random
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from fuzz import combinations, files, linkages, motions, soak, systems, texts, written
from fuzz.agreement import programs
from fuzz.agreement.broken import BROKEN, gyroscopic_forces_lost
from fuzz.agreement.invent import invent
from fuzz.combined.drawn import FEATURES, PAIRS

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph
from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.to_text import write_text

SYSTEMS = range(4, 7)
COMBINED, GYROSCOPIC = (36, 79), 8


@pytest.fixture(autouse=True)
def _quiet(recwarn, monkeypatch):
    """No warnings are told, and no clock is asked: campaigns ask it, on machines that do nothing else."""
    monkeypatch.setattr(files, "SLOW", math.inf)
    for campaign, limit in ((files, "HANG"), (texts, "HANG"), (systems, "SECONDS")):
        monkeypatch.setattr(campaign, limit, 1e6)
    yield
    recwarn.clear()


def test_every_route_agrees_on_the_first_random_systems():
    tally = systems.run(SYSTEMS)
    assert not tally.found, tally
    agreed = {name for name, outcome in tally.outcomes if outcome == "agreed"}
    assert {"multipliers", "elimination", "gauss", "maggi", "hamel", "chaplygin", "python"} <= agreed


@pytest.mark.parametrize("name", [n for n in BROKEN if "bracket" in n or "Python" in n])
def test_an_error_of_one_sign_is_found(name, capsys):
    with BROKEN[name]():
        assert systems.run(range(12), reduce=False, stop=True).found
    assert "DISAGREES" in capsys.readouterr().out


def test_a_system_that_hangs_before_any_route_is_asked_is_a_find_and_not_the_end(monkeypatch, capsys):
    def endless(case):
        while True:
            pass

    monkeypatch.setattr(systems.Case, "held", endless)
    monkeypatch.setattr(systems, "SECONDS", 0.1)
    tally = systems.run(range(4, 6))
    assert tally.tried == tally.found == tally.outcomes["(held)", "HANG"] == 2
    assert "--only 4" in capsys.readouterr().out


def test_features_agree_through_pairs_of_doors_on_some_random_systems():
    tally = combinations.run(COMBINED, shown=False)
    assert not tally.faults, tally
    agreed = {door for _, door, outcome in tally.outcomes if outcome == "agreed"}
    assert tally.tried == len(COMBINED) and len(agreed) >= 6


def test_every_pair_of_features_comes_in_its_turn_and_every_door_is_asked():
    met = [combinations.features_of(seed) for seed in range(len(PAIRS))]
    assert all(any({a, b} <= each for each in met) for a, b in PAIRS) and set().union(*met) == {*FEATURES}
    plain = combinations.Inventor(0, frozenset({"definitions"})).drawn()
    asked = {door for seed in range(200) for pair in combinations.doors_of(seed, plain)[0] for door in pair}
    assert {*combinations.WAYS_IN, *combinations.WAYS_OUT} - asked <= {"free", "phase space", "c", "javascript", "page"}


def test_a_gyroscopic_force_that_is_lost_is_found():
    with gyroscopic_forces_lost():
        assert combinations.run([GYROSCOPIC], shown=False).faults


def test_linkages_pass_and_name_their_singular_places():
    # then two passages in a tenth of a second, and a row of a million times the others' size
    for seed in (2, 3, 5, 10, 170000019, 170000258):
        end, found = linkages.judged(seed)
        assert not found
        assert end == ("regular" if seed == 5 else "passed")


def test_a_singular_place_that_is_not_named_is_found(monkeypatch):
    simulate = da.simulate
    monkeypatch.setattr(da, "simulate", lambda *a, **k: replace(simulate(*a, **k), branches=()))
    assert any(what.startswith("UNSAID") for what in linkages.judged(2)[1])


@pytest.mark.skipif(not programs.COMPILER, reason="no compiler of C")
def test_a_smaller_system_is_asked_in_its_own_c_and_not_in_that_of_the_system_it_came_from(tmp_path):
    whole = invent(5)
    smaller = [whole, *whole.smaller()][:3]
    assert {recipe.seed for recipe in smaller} == {5}
    assert [systems.outcomes(r, tmp_path, ["c"])["c"] for r in smaller] == ["agreed"] * 3


def test_the_corpus_of_texts_and_some_random_ones_behave():
    tally = texts.run(range(150), seed=1, seconds=math.inf)
    assert not tally.found
    assert tally.codes["read, worth what it should be"] > 10


@pytest.mark.parametrize("text", [t for t in texts.corpus() if t.count("where(") > 1])
def test_a_condition_on_the_value_of_another_where_can_be_computed_and_written(text):
    e = read_text(text, texts.NAMES, texts.RATES, parameters=("m", "k"))
    read(e, Graph())
    assert read_text(write_text(e), texts.NAMES, texts.RATES, parameters=("m", "k")) == e


def test_a_text_that_is_read_as_another_number_is_found(monkeypatch):
    monkeypatch.setattr(texts, "read_text", lambda text, *given, **named: read_text(f"-({text})", *given, **named))
    assert texts.run(range(60), seed=1).found


def test_the_corpus_of_files_and_some_random_ones_behave(monkeypatch):
    monkeypatch.setattr(files, "VALID", 0.4)
    monkeypatch.setattr(files, "_SEEDS", [t for t in files.corpus().values() if t][:3])
    tally = files.run(range(30), seed=0)
    assert not tally.found
    assert tally.outcomes["read, worth what was written"] >= 5


def test_a_file_that_is_read_as_another_system_is_found():
    rng = random.Random(0)
    recipe = written.drawn(rng)
    text = written.toml(recipe, rng).replace('L = "', 'L = "t + ')
    assert written.differs(recipe, files.read_source(text, "f.toml"), 1).startswith("L is ")


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "ball_on_turntable"])
def test_motions_and_accelerations_of_the_lean_form_are_those_with_multipliers(name, capsys):
    case = next(case for case in motions.cases() if case.name == name)
    tally = motions.run([case], count=20, starts=1, forms=False)
    assert not tally.found and tally.compared == 4
    assert "lean" in capsys.readouterr().out


def test_a_motion_that_is_another_is_found():
    case = next(case for case in motions.cases() if case.name == "chaplygin_sleigh")
    start = case.equations.start(**case.starts["turning"])
    reference = motions.Reference.of(case.equations, start)
    near = case.equations.start(**{**case.starts["turning"], "omega": start["omega"] + 1e-10})
    assert reference.compared("near", motions.motion(case.equations, near, written=False)).bad


def soaked(work):
    said = []
    return soak.soak({"work": work}, 0.0, 0, said.append), "\n".join(said)


def test_a_soak_of_sound_work_finds_nothing():
    found, said = soaked(soak.works([])["derivatives"])
    assert found == 0 and "nothing grew" in said


def test_a_soak_closes_its_figures_and_counts_the_workers_of_a_bounded_pool_once(tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    open_before = plt.get_fignums()
    soak.works([])["pictures"](tmp_path)
    assert plt.get_fignums() == open_before
    there = sum(1 for each in threading.enumerate() if each.name.startswith(soak.POOL))  # of tests before this one
    monkeypatch.setattr(soak, "MOST", there + 2)
    counted, wait = soak.Held.now(tmp_path).threads, threading.Event()
    workers = [threading.Thread(target=wait.wait, name=f"{soak.POOL}{i}") for i in range(2)]
    for worker in workers:
        worker.start()
    try:
        assert soak.Held.now(tmp_path).threads == counted
        monkeypatch.setattr(soak, "MOST", 1)
        assert soak.Held.now(tmp_path).threads > counted
    finally:
        wait.set()
        for worker in workers:
            worker.join()


def test_other_bits_and_what_is_left_behind_are_found(tmp_path):
    count, kept = itertools.count(), []
    found, said = soaked(lambda _: b"%d" % next(count))
    assert found == soak.WARM and "OTHER BITS" in said
    found, said = soaked(lambda _: kept.append((tmp_path / "f").open("w")) or b"")
    for file in kept:
        file.close()
    assert found == 1 and "files" in said
    found, said = soaked(lambda _: tempfile.mkstemp()[1].encode()[:0])
    assert found >= 1 and "left" in said
