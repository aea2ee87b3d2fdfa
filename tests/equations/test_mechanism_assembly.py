"""Starts from a guess: what is held is exact, the constraints say the rest, and assemblies are counted."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.apps import runs
from dalembert.apps.python_script import script
from dalembert.study import RunSpec, Study, read_source, write_source

CRANK, COUPLER, ROCKER, BASE = 0.5, 1.2, 0.8, 1.0


@pytest.fixture(scope="module")
def loop():
    q = da.coordinates("a b c")
    a, b, c, va, vb, vc = q
    bars = {
        "lx": CRANK * sp.cos(a) + COUPLER * sp.cos(b) - BASE - ROCKER * sp.cos(c),
        "ly": CRANK * sp.sin(a) + COUPLER * sp.sin(b) - ROCKER * sp.sin(c),
    }
    return da.nonholonomic(da.System(q, 0.02 * va**2 / 2 + 0.05 * vb**2 / 2 + 0.03 * vc**2 / 2, bars))


def rocker(a, side):
    """The rocker's angle of the two assemblies: two circles about the ends of base and crank meet in two points."""
    x, y = CRANK * math.cos(a) - BASE, CRANK * math.sin(a)
    d = math.hypot(x, y)
    inner = math.acos((ROCKER**2 + d**2 - COUPLER**2) / (2 * ROCKER * d))
    return math.atan2(y, x) + side * inner


@pytest.mark.parametrize("a", [0.3, 1.0, 2.5, -1.7])
def test_the_assembly_next_to_the_guess_is_taken_and_both_are_counted(loop, a):
    for side in (1, -1):
        c = rocker(a, side)
        b = math.atan2(ROCKER * math.sin(c) - CRANK * math.sin(a), BASE + ROCKER * math.cos(c) - CRANK * math.cos(a))
        start = loop.start({"a": a, "va": 2.0}, guess={"b": b + 0.2, "c": c - 0.25})
        assert (start["a"], start["va"]) == (a, 2.0)
        assert start["b"] == pytest.approx(b, abs=1e-12)
        assert math.remainder(start["c"] - c, math.tau) == pytest.approx(0.0, abs=1e-12)
        assert start.places == 2
        assert "of 2 assemblies found, the nearest" in " ".join(str(start).split())
        # the rates by hand: both rows differentiated
        A = np.array([[-COUPLER * math.sin(b), ROCKER * math.sin(c)], [COUPLER * math.cos(b), -ROCKER * math.cos(c)]])
        rates = np.linalg.solve(A, [2 * CRANK * math.sin(a), -2 * CRANK * math.cos(a)])
        assert [start["vb"], start["vc"]] == pytest.approx(rates, abs=1e-12)


def test_what_is_not_held_is_a_guess(loop):
    expected = loop.start({"a": 1.0, "va": 2.0}, guess={"b": 0.4, "c": 1.4})
    for hold in ("a", ["a"], "a va"):
        start = loop.start({"a": 1.0, "va": 2.0, "b": 0.4, "c": 1.4}, hold=hold)
        assert dict(start) == dict(expected)
    assert dict(expected.guess) == {"b": 0.4, "c": 1.4}
    assert expected.changes.keys() == {"b", "c"}
    again = loop.start(expected)
    assert dict(again) == dict(expected)
    assert da.simulate(loop, expected, until=0.1).ok


def test_other_parameters_assemble_the_loop_anew():
    q = da.coordinates("a b c")
    k = sp.Symbol("k", positive=True)
    a, b, c, va, vb, vc = q
    rows = {"x": sp.cos(a) + k * sp.cos(b) - 2 * sp.cos(c), "y": sp.sin(a) + k * sp.sin(b) - 2 * sp.sin(c)}
    loop = da.nonholonomic(da.System(q, va**2 + vb**2 + vc**2, rows, parameters={"k": 1.5}))
    start = loop.start({"a": 1.0, "va": 0.3}, guess={"b": 0.0, "c": 0.5})
    path = da.simulate(loop, start, until=0.1, parameters={"k": 1.6})
    assert path.ok
    assert path["a"][0] == 1.0
    assert path["b"][0] == pytest.approx(loop.start(start, parameters={"k": 1.6})["b"])


def test_what_is_held_leaves_the_nearest_place_in_the_kinetic_metric():
    # a heavy and a light ball on one rod of length 1: the light one goes most of the way
    q = da.coordinates("x y")
    x, y, vx, vy = q
    rod = da.nonholonomic(da.System(q, (3 * vx**2 + vy**2) / 2, {"rod": x + y - 1}))
    start = rod.start({}, guess={"x": 0.0, "y": 0.0, "vx": 0.4, "vy": 0.4})
    assert [start["x"], start["y"]] == pytest.approx([0.25, 0.75])
    assert [start["vx"], start["vy"]] == pytest.approx([0.4 - 0.2, 0.4 - 0.6])
    held = rod.start({"x": 0.1}, guess={"y": 5.0, "vx": 0.4})
    assert [held["x"], held["y"], held["vx"], held["vy"]] == pytest.approx([0.1, 0.9, 0.4, -0.4])


def test_rotations_are_assembled_too():
    R = da.rotation("R")
    w, x, y, z = R.coordinates
    body = da.System(R, sum(u**2 for u in R.velocities) / 2, {"level": w * x + y * z})
    guess = {"R": {"w": 0.9, "x": 0.3, "y": -0.1, "z": 0.3}, "w1": 0.0, "w2": 0.5, "w3": 0.5}
    start = da.nonholonomic(body).start(guess=guess)
    e = [start[s.name] for s in R.coordinates]
    assert sum(p * p for p in e) == pytest.approx(1.0)
    assert e[0] * e[1] + e[2] * e[3] == pytest.approx(0.0, abs=1e-12)
    assert np.abs(np.array(e) - [0.9, 0.3, -0.1, 0.3]).max() < 0.4


@pytest.mark.parametrize(
    ("given", "how", "code", "words"),
    [
        ({"a": 1.0}, {"hold": "d", "guess": {"b": 0}}, "E229", "hold: unknown name 'd'"),
        ({"a": 1.0}, {"hold": "b", "guess": {"b": 0}}, "E241", "b cannot be held"),
        ({"a": 1.0}, {"hold": "b"}, "E241", "it has no value"),
        ({"a": 1.0}, {"guess": {"a": 0}}, "E241", "given in the start and guessed"),
        ({"a": 1.0}, {"guess": 3}, "E241", "a guess is given by name"),
        ({"a": 1.0}, {"guess": {"beta": 3}}, "E229", "beta"),
        ({"a": 1.0}, {"guess": {"b": "x"}}, "E204", "b = 'x'"),
        ({"a": 1.0, "va": 1.0}, {"guess": {"b": 0.0}}, "E230", "free: c"),
        ({"a": 1.0, "c": 0.2}, {"guess": {"b": 0.0}}, "E232", "no place was found where lx, ly hold, with a, c held"),
        ({"a": 1.0}, {"guess": {"b": 0.0}, "project": "kinetic"}, "E241", "project moves all"),
    ],
)
def test_bad_input_is_refused_in_its_own_words(loop, given, how, code, words):
    with pytest.raises(da.DalembertError, match=code) as caught:
        loop.start(given, **how)
    assert words in str(caught.value)


def test_a_start_off_its_constraints_says_how_to_hold_and_guess(loop):
    with pytest.raises(da.DalembertError, match="E232") as caught:
        loop.start(a=1.0, b=0.4, c=1.4, va=2.0)
    assert "say what is exact, and the rest is a guess: hold=" in str(caught.value)


@pytest.mark.parametrize(
    "how", [{"guess": {"b": 0.4, "c": 1.4}}, {"hold": ("a",), "more": {"b": 0.4, "c": 1.4}}], ids=str
)
def test_files_hold_and_guess(loop, how):
    more = how.pop("more", {})
    run = RunSpec("close", "nonholonomic", {"a": 1.0, "va": 2.0, **more}, until=0.1, **how)
    study = read_source(write_source(Study("", loop.system, (), (run,))))
    assert (study.runs[0].hold, dict(study.runs[0].guess)) == (run.hold, dict(run.guess))
    expected = loop.start({"a": 1.0, "va": 2.0}, guess={"b": 0.4, "c": 1.4})
    assert dict(runs.start(study, study.runs[0], "nonholonomic")) == pytest.approx(dict(expected))
    told = script(study, "nonholonomic")
    assert all(f"{name}=" in told for name in how)


def test_a_guess_at_a_pole_of_the_relations_begins_elsewhere():
    circle = da.System(da.coordinates("x y"), "(vx^2 + vy^2)/2", constraints={"r": "sqrt(x^2 + y^2) - 1"})
    start = da.nonholonomic(circle).start(vx=0, guess={"x": 0, "y": 0})
    assert start["x"] ** 2 + start["y"] ** 2 == pytest.approx(1, rel=1e-14)
