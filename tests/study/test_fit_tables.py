"""[[fit]]: read, refused with its place, written back; a fit asked for on the command line is read alike."""

from dataclasses import replace

import pytest

from dalembert.errors import DalembertError, Problems
from dalembert.question import Guess, Likelihood, Question, Runs, Search
from dalembert.study import FitSpec, read_source
from dalembert.study import write_source as write
from dalembert.study.build import fit_of

FIT = """
[[force]]
name = "air"
components = { vx = "-b*vx", vy = "-b*vy" }

[friction]
viscous = { velocity = ["dot(theta)"], nu = "0.01 kg*m^2/s" }

[[fit]]
name = "track"
principles = ["nonholonomic", "vakonomic"]
free = ["dot(x)", "J", "k", "lam1"]
start = { x = 0, y = 0, theta = 0.3, "dot(x)" = "1 m/s", "dot(theta)" = 0.2 }
parameters = { k = 1000, x0 = 0 }
bounds = { J = ["0.1 kg m^2", "-"], "dot(x)" = [-1, 2] }
priors = { J = [0.5, 0.01] }
columns = { px = "k*x + x0", py = "k*y*cos(theta)" }
uncertainty = { px = 2 }
laws = { none = [], drag = ["air"], both = ["air", "viscous"] }
loss = "soft_l1"
starts = 4
rtol = 1e-8
read = { units = { px = "1" }, columns = { u = "px" }, rotation = "3 deg", gaps = "keep", skip = 2 }
"""


@pytest.fixture(scope="module")
def text(files):
    """The sleigh with forces, and one fit."""
    return files.SLEIGH.replace("J = 0.5", 'J = "0.5 kg*m^2"\nb = 0.1') + FIT


def test_everything_is_read_by_the_names_of_the_library(text):
    spec = read_source(text).fits[0]
    assert spec.name == "track" and spec.principles == ("nonholonomic", "vakonomic")
    guess = spec.question.guess
    assert guess.free == ("vx", "J", "k", "lam_blade")
    assert guess.start["vx"] == "1 m/s" and guess.start["vtheta"] == 0.2
    assert guess.parameters == {"k": 1000.0, "x0": 0.0}
    assert guess.bounds == {"J": ("0.1 kg m^2", None), "vx": (-1, 2)}
    assert guess.priors == {"J": (0.5, 0.01)}
    assert {str(s) for s in spec.question.likelihood.columns["px"].free_symbols} == {"k", "x", "x0"}
    assert spec.laws == {"none": (), "drag": ("air",), "both": ("air", "viscous friction")}
    assert spec.question.search == Search(4, 1.0, 0)
    assert (spec.question.likelihood.loss, spec.question.runs.t) == ("soft_l1", None)
    assert spec.question.runs.options == {"rtol": 1e-8}
    assert spec.read["rotation"] == "3 deg" and spec.read["columns"] == {"u": "px"} and spec.read["skip"] == 2


def test_the_study_lists_its_fits(text):
    study = read_source(text)
    assert "fit          track" in str(study) and len(study.runs) == 1


def test_written_and_read_again_it_is_the_same(text):
    study = read_source(text)
    again = read_source(write(study))
    assert again.fits == study.fits
    assert write(again) == write(study)


@pytest.mark.parametrize("columns", [None, ("x", "y")])
def test_columns_by_name_come_back(files, columns):
    study = read_source(files.SLEIGH)
    asked = Question(Guess({"vx": 1}, ("vx",)), Likelihood(columns), Search(seed=3, spread=0.5), Runs(t=1.5))
    spec = FitSpec("fit 1", ("nonholonomic",), asked)
    assert read_source(write(replace(study, fits=(spec,)))).fits == (spec,)


def test_a_fit_may_be_short(files):
    spec = read_source(files.SLEIGH + '[[fit]]\nprinciples = "free"\nfree = "m"\n').fits[0]
    assert spec == FitSpec("fit 1", ("free",), Question(Guess(spec.question.guess.start, free=("m",))))
    assert spec.start_of == "first" and spec.question.guess.start["vtheta"] == 0.2


# (code, piece of the fit, what stands in its place, what the caret is below, a word of the answer)
WRONG = [
    ("E508", 'loss = "soft_l1"', 'los = "soft_l1"', "los", "loss"),
    ("E508", 'loss = "soft_l1"', 'loss = "soft"', '"soft"', "soft_l1"),
    ("E508", "starts = 4", "starts = 4.5", "4.5", "whole"),
    ("E508", 'free = ["dot(x)", "J", "k", "lam1"]\n', "", "[[fit]]", "free"),
    ("E508", 'gaps = "keep"', 'gap = "keep"', "gap", "gaps"),
    ("E508", 'gaps = "keep"', 'gaps = "fill"', '"fill"', "keep"),
    ("E508", '["0.1 kg m^2", "-"]', '["0.1 kg m^2"]', '["0.1 kg m^2"]', "two"),
    ("E508", "J = [0.5, 0.01]", "J = 0.5", "0.5", "standard deviation"),
    ("E307", "starts = 4", "starts = 0", "0", "at least 1"),
    ("E307", "starts = 4", "starts = 4\nspread = 0", "0", "positive"),
    ("E307", "starts = 4", "starts = 4\nseed = -1", "-1", "at least 0"),
    ("E307", "starts = 4", "starts = 99999", "99999", "limit"),
    ("E559", "starts = 4", "starts = 4\nlater = 2", "2", "share"),
    ("E307", 'gaps = "keep"', 'gaps = "keep", separator = "||"', '"||"', "cells"),
    ("E307", 'gaps = "keep"', 'gaps = "keep", decimal = "x"', '"x"', "decimal"),
    ("E553", "uncertainty = { px = 2 }", "uncertainty = { px = 0 }", "0", "positive"),
    ("E307", "rtol = 1e-8", 'method = "rk4"', '"rk4"', "dop853"),
    ("E307", '["air"],', '["airr"],', '["airr"]', "air"),
    ("E307", '["nonholonomic", "vakonomic"]', '["vakonomic", "vakonomic"]', '["vakonomic", "vakonomic"]', "twice"),
    ("E308", '["nonholonomic", "vakonomic"]', '["nonholonomc", "vakonomic"]', '"nonholonomc"', "nonholonomic"),
    ("E202", '"J", "k"', '"JJ", "J", "k"', '"JJ"', "J"),
    ("E202", '"J", "k"', '"xdot", "J", "k"', '"xdot"', "dot(x)"),
    ("E202", "x0 = 0 }", "x0 = 0, zz = 1 }", "zz", "unknown parameter"),
    ("E201", "k = 1000, x0", "x0", "columns", None),
    ("E550", '"J", "k"', '"J", "J", "k"', '"J"', "once"),
    ("E550", '["dot(x)", "J", "k", "lam1"]', "[]", "[]", "nothing"),
    ("E550", '"J", "k"', '"J", "vy", "k"', '"vy"', "no guess"),
    ("E553", "J = [0.5, 0.01]", "J = [0.5, 0]", "[0.5, 0]", "positive"),
    ("E553", "J = [0.5, 0.01]", "m = [0.5, 0.01]", "m", "not free"),
    ("E553", '["0.1 kg m^2", "-"]', '["0.9 kg m^2", "0.1 kg m^2"]', '["0.9 kg m^2", "0.1 kg m^2"]', "nothing"),
    ("E551", '["0.1 kg m^2", "-"]', '["0.9 kg m^2", "-"]', '["0.9 kg m^2", "-"]', "0.5"),
    ("E207", '["0.1 kg m^2", "-"]', '["0.1 kg", "-"]', '["0.1 kg", "-"]', "kg"),
    ("E207", "J = [0.5, 0.01]", 'J = ["0.5 m", 0.01]', '["0.5 m", 0.01]', "m"),
    ("E206", "uncertainty = { px = 2 }", 'uncertainty = { px = "2 foos" }', '"2 foos"', "foos"),
    ("E204", 'rotation = "3 deg"', 'rotation = "x deg"', '"x deg"', "rotation"),
    ("E702", "k*x + x0", "k*x + xx0", "xx0", "parameters"),
    ("E707", "k*x + x0", "k*(x + x0", "(", ")"),
    ("E229", "theta = 0.3, ", "theta = 0.3, m = 2, ", "m", "parameter"),
    ("E229", "theta = 0.3, ", "theta = 0.3, phi = 2, ", "phi", "unknown"),
]


@pytest.mark.parametrize(("code", "old", "new", "caret", "word"), WRONG)
def test_what_is_wrong_is_said_with_its_place(files, text, code, old, new, caret, word):
    head, _, fit = text.partition("[[fit]]")
    assert old in fit, old
    found = files.problems(head + "[[fit]]" + fit.replace(old, new, 1))
    error = next((each for each in found if each.code == code), None)
    assert error is not None, [each.line for each in found]
    assert error.where is not None and error.where.line > head.count("\n")
    if word is not None:
        assert files.meant(error) == caret
        assert word in f"{error.fact} {error.remedy}"


def test_multipliers_are_free_only_where_they_are_states(files, text):
    changed = text.replace('principles = ["nonholonomic", "vakonomic"]', 'principles = ["nonholonomic"]')
    error = files.only(changed)
    assert error.code == "E235" and "vakonomic" in error.remedy


@pytest.mark.parametrize("key", ["later = 0.5", 'ray = "x"'])
def test_what_only_a_ranking_has_is_refused_elsewhere(files, key):
    [found] = files.problems(files.SLEIGH + f'[[fit]]\nprinciples = "free"\nfree = "m"\n{key}\n')
    assert found.code == "E307" and "ranking" in found.fact and files.meant(found) == key.split()[0]


def test_all_problems_are_told_at_once(files, text):
    bad = text.replace("J = [0.5, 0.01]", "J = [0.5, -1]").replace('loss = "soft_l1"', 'loss = "l2"')
    bad = bad.replace('"J", "k"', '"JJ", "J", "k"').replace("k*y*cos", "k*y*coz")
    assert {each.code for each in files.problems(bad)} == {"E553", "E508", "E202", "E703"}


def test_two_fits_of_a_name_are_refused(files):
    entry = '[[fit]]\nname = "a"\nprinciples = "free"\nfree = "m"\n'
    assert files.only(files.SLEIGH + entry + entry).code == "E102"


# --- read once more --------------------------------------------------------------------------------------------------


def test_a_table_of_the_command_is_read_as_one_of_the_file(text):
    study = read_source(text)
    spec = fit_of(study, {"principles": ["nonholonomic"], "free": ["dot(x)", "J"], "start": {"vx": 1}, "name": "mine"})
    assert spec.question.guess.free == ("vx", "J") and spec.name == "mine" and spec.where is None


def test_its_problems_have_no_place(text):
    study = read_source(text)
    with pytest.raises(Problems) as caught:
        fit_of(study, {"principles": ["nonholonomc"], "free": ["m", "JJ"], "los": 2})
    assert {each.code for each in caught.value.problems} == {"E308", "E202", "E508"}
    assert all(each.where is None for each in caught.value.problems)
    with pytest.raises(DalembertError, match="has no free") as one:
        fit_of(study, {"principles": ["free"]})
    assert one.value.where is None


def test_what_follows_from_a_free_parameter_is_written_out(files):
    """The Lagrangian holds m and r only, at any values of the same worth; but for what is freed."""
    changed = files.SLEIGH.replace("J = 0.5", 'r = 0.2\nd = "2*r"\nJ = "m*r*d/5"')
    study = read_source(changed)
    fixed, out = study.freed(["J"]), study
    assert {s.name for s in out.system.lagrangian.free_symbols} == {"m", "r", "vx", "vy", "vtheta"}
    at = {"m": 1.5, "vx": 0.3, "vy": 0.1, "vtheta": 2.0, "r": 0.2}
    names = {s.name: s for s in (*out.system.lagrangian.free_symbols, *fixed.system.lagrangian.free_symbols)}
    here = out.system.lagrangian.subs({s: at[s.name] for s in out.system.lagrangian.free_symbols})
    there = fixed.system.lagrangian.subs({names[n]: v for n, v in {**at, "J": 0.4 * 1.5 * 0.04}.items()})
    assert float(here) == pytest.approx(float(there), rel=1e-14)


def test_a_refused_file_still_raises(files):
    with pytest.raises(DalembertError):
        read_source(files.SLEIGH + "[[fit]]\n")
