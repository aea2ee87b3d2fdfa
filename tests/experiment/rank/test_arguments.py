"""What a ranking refuses, what each candidate takes, and how a result is read."""

import numpy as np
import pytest
from tracks import START, track

import dalembert as da
from dalembert.apps.experiments import candidates, rank
from dalembert.errors import DalembertError
from dalembert.findings.ranking import CAVEAT
from dalembert.show.draw import draw
from dalembert.show.html import html
from dalembert.systems import ball_on_turntable as ball


@pytest.fixture(scope="module")
def seen():
    return track(da.nonholonomic(ball.system()), START, 2, rows=21)


@pytest.fixture(scope="module")
def found(seen):
    return rank(ball.system(), seen, ["nonholonomic", "free"], start=START, free="vx vy", ray="y")


GOOD = {"start": START, "free": "vx vy"}
VISCOUS = ball.system(nu=0.5)


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("E559", {"principles": "nonholonomic"}),
        ("E559", {"principles": ["nonholonomic", "nonholonomic"]}),
        ("E559", {"loss": "cauchy"}),
        ("E559", {"later": 1.5}),
        ("E559", {"later": [1.0, 0.5]}),
        ("E559", {"later": "half"}),
        ("E559", {"ray": "w3"}),
        ("E559", {"ray": ("y", 2)}),
        ("E307", {"starts": 0}),
        ("E307", {"loss": "quadratic"}),
        ("E307", {"rtoll": 1e-9}),
        ("E308", {"principles": ["nonholonomic", "vakonom"]}),
        ("E202", {"free": "vx vz"}),
        ("E202", {"parameters": {"omega": 1.0}}),
        ("E229", {"start": {**START, "z": 0.0}}),
        ("E241", {"start": [1, 2]}),
        ("E553", {"bounds": {"Omega": (0, 1)}}),
        ("E317", {"columns": ["x", "z"]}),
        ("E558", {"laws": {"none": [], "air": ["viscous"]}}),
        ("E558", {"laws": ["viscous friction"]}),
        ("E558", {"laws": {"none": [], "air": [3.0]}}),
        ("E558", {"laws": {"none": [], "air": None}}),
    ],
)
def test_what_cannot_be_ranked_is_refused_with_a_remedy(seen, code, change):
    given = {"principles": ["nonholonomic", "free"], **GOOD, **change}
    with pytest.raises(DalembertError) as caught:
        rank(VISCOUS, seen, given.pop("principles"), **given)
    assert caught.value.code == code, str(caught.value)
    assert caught.value.remedy


def test_a_record_that_is_none_is_refused():
    with pytest.raises(DalembertError) as caught:
        rank(VISCOUS, {"t": [0, 1]}, **GOOD)
    assert caught.value.code == "E318"


def test_candidates_are_all_principles_with_all_laws():
    system = ball.system(nu=0.5, mu=0.1)
    laws = {"none": [], "viscous": "viscous friction"}
    every = candidates(system, ["nonholonomic", "free"], laws)
    assert list(every) == [f"{p}, {law}" for p in ("nonholonomic", "free") for law in laws]
    # a force that no law names always acts; parameters of those left out go with them
    assert {"mu"} == {"nu", "mu"} & set(every["free, none"].system.parameters)
    assert [law.name for law in every["free, viscous"].system.laws] == ["rotational friction", "viscous friction"]
    assert list(candidates(system, "nonholonomic", laws)) == list(laws)


def test_principles_keep_the_labels_that_they_are_given():
    found = candidates(ball.system(), {"held": "nonholonomic", "loose": da.free})
    assert {label: e.principle for label, e in found.items()} == {"held": "nonholonomic", "loose": "free"}


def test_each_takes_the_names_that_it_has(found):
    assert found["nonholonomic"].fit.names == found["free"].fit.names == ("vx", "vy")
    # w1 and w2 follow from rolling, and the free ball needs them
    codes = {note.code for note in found.notes}
    assert "N563" in codes
    assert found["free"].fit.path["w1"][0] == pytest.approx((4.71238898 * 10 - 5) / 1.27)


def test_a_candidate_without_a_motion_is_listed_with_the_reason(seen):
    # pivoting friction that stops the spin at once ends the run there
    stuck = ball.system(tau=5.0)
    both = {"rolling": da.nonholonomic(ball.system()), "stuck": da.nonholonomic(stuck)}
    result = rank(both, seen, **GOOD)
    assert result.remaining == ("rolling",)
    assert "stuck" in result.failed
    assert result["stuck"].fit is None
    assert "stuck is not judged: E551" in result.verdict


def test_if_no_candidate_has_a_motion_the_first_reason_is_raised(seen):
    both = {k: da.nonholonomic(ball.system(tau=t)) for k, t in (("a", 5.0), ("b", 6.0))}
    with pytest.raises(DalembertError) as caught:
        rank(both, seen, **GOOD)
    assert caught.value.code == "E551"


def test_all_are_fitted_to_the_same_numbers(found):
    assert {c.fit.numbers for c in found} == {found.numbers} == {42}
    assert found.columns == ("x", "y")


def test_a_ray_may_be_an_event_an_expression_or_text(seen, found):
    x, y = ball.X, ball.Y
    # the record crosses y = x/10 falling once early; all ways to say it find the same crossings
    ways = [(y - x / 10, -1), ("y - x/10", -1), da.Event("ray", y - x / 10, direction=-1)]
    both = {c.label: c.equations for c in found}
    times = [rank(both, seen, **GOOD, later=0.1, ray=ray)["nonholonomic"].passages.t for ray in ways]
    assert np.allclose(times[0], times[1])
    assert np.allclose(times[0], times[2])


def test_later_none_predicts_nothing(seen, found):
    result = rank({c.label: c.equations for c in found}, seen, **GOOD, later=None, ray="y")
    assert result.later is None
    assert all(c.forecast is None and c.passages is None for c in result)


# --- the eye ---------------------------------------------------------------------------------------------------------


def test_the_text_has_the_table_the_verdict_and_the_caveat(found):
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert " ".join(CAVEAT.split()) in " ".join(text.split())
    assert " ".join(found.verdict.split()) in " ".join(text.split())
    for label in ("nonholonomic", "free"):
        assert sum(line.startswith(label) for line in text.splitlines()) >= 2


def test_long_labels_and_many_candidates_stay_within_the_width(found):
    label = "a candidate with a very long name indeed, of many words"
    both = {label: found["nonholonomic"].equations, **{c.label: c.equations for c in found}}
    result = rank(both, found["free"].fit.record, **GOOD, later=None)
    assert max(map(len, str(result).splitlines())) <= 80
    assert result[label].difference == pytest.approx(0, abs=1e-6)


def test_an_unknown_label_is_refused_with_the_nearest(found):
    with pytest.raises(DalembertError) as caught:
        found["nonholonomc"]
    assert caught.value.code == "E317"
    assert "nonholonomic" in caught.value.remedy


def test_page_and_frame_hold_all_candidates(found):
    page = html(found)
    assert all(c.label in page for c in found)
    frame = found.to_dataframe()
    assert list(frame.index) == [c.label for c in found]
    assert frame.loc["free", "remains"] == False  # noqa: E712


def test_the_figure_has_a_panel_for_each_candidate_and_one_of_residuals(found):
    pytest.importorskip("matplotlib").use("Agg")
    figure = draw(found)
    assert len(figure.axes) == 2 * len(found)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert "nonholonomic" in titles
    assert "free: rejected" in titles
    below = figure.axes[len(found)]
    drawn = np.concatenate([line.get_ydata() for line in below.lines if len(line.get_ydata()) == 21])
    assert np.sort(drawn) == pytest.approx(np.sort(found.best.fit.residuals))


def test_a_candidate_without_unknowns_is_ranked_as_it_stands():
    """Only the coefficient of one law is free: the candidate without that law predicts all the same."""
    system = ball.system(nu=3.0)
    e = da.nonholonomic(system)
    path = da.simulate(e, e.start(**ball.START, w3=0), until=3)
    t = np.linspace(0, 3, 31)
    x = path.at(t)["x"] + np.random.default_rng(5).normal(0, 0.02, 31)
    track = da.nouns.Record({"t": t, "x": x}, source="simulated, seed 5", uncertainty={"x": 0.02})
    laws = {"none": [], "air": ["viscous friction"]}
    r = da.rank(system, track, ["nonholonomic"], laws=laws, start={**ball.START, "w3": 0}, free="nu")
    assert r.remaining == ("air",) and r["none"].fit.names == ()
    level = da.simulate(da.nonholonomic(ball.system()), {**ball.START, "w3": 0}, until=3)
    assert r["none"].fit.chi2 == pytest.approx((((x - level.at(t)["x"]) / 0.02) ** 2).sum(), rel=1e-6)
    np.testing.assert_allclose(r["none"].fit.predict([1.0])[0]["x"], level.at(1.0)["x"], atol=1e-6)
