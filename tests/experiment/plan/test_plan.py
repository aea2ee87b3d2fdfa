"""Plans: separations against theorems and scaling laws, and against what a ranking then decides."""

import math

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from dalembert.apps.experiments import plan, rank
from dalembert.errors import DalembertError
from dalembert.experiment.plan import chance
from dalembert.show.draw import draw
from dalembert.show.html import html
from dalembert.systems import ball_on_turntable as ball

START = {**ball.START, "w3": 0.0}
NOISE = {"x": 0.05, "y": 0.05}
LAWS = {"none": [], "viscous": ["viscous friction"]}


def friction(**change):
    """Viscous friction or none, seen in a track of the ball."""
    given = {"vary": {"until": [1.0, 4.0]}, "start": START, "free": "vx vy nu", "uncertainty": NOISE, "count": 21}
    return plan(ball.system(nu=0.3), "nonholonomic", laws=LAWS, **{**given, **change})


@pytest.fixture(scope="module")
def found():
    return friction()


def test_where_both_principles_agree_nothing_separates_them():
    # a circle about the axis with w3 = Omega is vakonomic too, and with another w3 it is not [lewis1995, Lemma 3.1]
    start = dict(ball.STARTS["centred"])
    result = plan(ball.system(), vary={"w3": [ball.RPM_45, 0.0]}, start=start, free="vx vy", uncertainty=NOISE,
                  until=2.0, count=11)  # fmt: skip
    by_spin = {d["w3"]: d.separations[0] for d in result}
    assert by_spin[ball.RPM_45].truth == "nonholonomic"
    assert by_spin[ball.RPM_45].sigmas < 1e-2
    assert by_spin[0.0].sigmas > 5
    # the multipliers that do it are those of the theorem
    p = ball.stated_ball()
    nearest = by_spin[ball.RPM_45].nearest
    assert nearest["lam_roll_x"] == pytest.approx(-p["I"] / p["r"] ** 2 * start["vx"], rel=1e-2)


def test_separation_is_inverse_to_the_noise(found):
    finer = friction(uncertainty={k: v / 10 for k, v in NOISE.items()})
    for a, b in zip(sorted(found, key=lambda d: d["until"]), sorted(finer, key=lambda d: d["until"]), strict=True):
        for s, t in zip(a.separations, b.separations, strict=True):
            assert t.sigmas == pytest.approx(10 * s.sigmas, rel=1e-4, abs=1e-4)


def test_separation_grows_with_what_a_column_magnifies(found):
    # a column 10 x with the same noise tells as much as x with a tenth of it
    magnified = friction(columns={"x": "10*x", "y": "10*y"})
    finer = friction(uncertainty={k: v / 10 for k, v in NOISE.items()})
    named = friction(columns={"px": "x", "py": "y"}, uncertainty={"px": NOISE["x"], "py": NOISE["y"]})
    for one, other in ((magnified, finer), (named, found)):
        assert [d.sigmas for d in one] == pytest.approx([d.sigmas for d in other], rel=1e-6)
        assert [d["until"] for d in one] == [d["until"] for d in other]


def test_separation_grows_with_the_root_of_the_number_of_rows():
    result = friction(vary={"count": [101, 401]}, until=4.0)
    few, many = sorted(result, key=lambda d: d["count"])
    one, other = (d.separations[1].sigmas for d in (few, many))
    # sums over rows tend to integrals: sqrt(4) up to terms of 1/count
    assert other / one == pytest.approx(2.0, rel=0.03)


def test_separation_is_the_root_of_chi2_of_a_fit_without_noise(found):
    # by hand: the frictionless model fitted to the motion with friction
    d = found.best
    t = np.linspace(0, d["until"], 21)
    path = da.simulate(da.nonholonomic(ball.system(nu=0.3)), START, until=d["until"], rtol=1e-11)
    J = np.zeros((42, 2))

    def seen(vx, vy):
        p = ball.exact(t, (10.0, 0.0, vx, vy), {**ball.stated_ball(), "Omega": ball.RPM_45})
        return np.r_[p[0], p[1]] / 0.05

    # the closed motion is linear in vx and vy
    for i, e in enumerate(((1, 0), (0, 1))):
        J[:, i] = seen(*e) - seen(0, 0)
    y = np.r_[path.at(t)["x"], path.at(t)["y"]] / 0.05 - seen(0, 0)
    left = y - J @ np.linalg.lstsq(J, y, rcond=None)[0]
    s = next(s for s in d.separations if s.truth == "viscous")
    assert s.sigmas == pytest.approx(float(np.linalg.norm(left)), rel=1e-5)
    # the other way round friction can be 0
    assert next(s for s in d.separations if s.truth == "none").sigmas < 1e-2


def test_a_prior_on_what_is_set_imprecisely_separates_more_than_no_knowledge(found):
    known = friction(priors={"vx": 0.01, "vy": 0.01})
    by = {d["until"]: d.separations[1].sigmas for d in found}
    for d in known:
        assert d.separations[1].sigmas >= by[d["until"]] - 1e-6


def test_the_best_design_is_then_decided_and_a_poor_one_is_not():
    result = plan(ball.system(nu=2.0), "nonholonomic", laws={"air": ["viscous friction"], "turning": [
        da.forces.rotational_friction([ball.W1, ball.W2], ball.MU)]}, vary={"until": [0.5, 5.0]}, start=START,
        free="vx vy nu mu", uncertainty=NOISE, count=31, parameters={"mu": 2.0})  # fmt: skip
    assert result.best["until"] == 5.0
    assert result.best.sigmas > 8
    assert result[-1].sigmas < 1
    system = ball.system(nu=2.0, mu=2.0)
    laws = {"air": ["viscous friction"], "turning": ["rotational friction"]}
    for d in result:
        t = np.linspace(0, d["until"], 31)
        path = da.simulate(da.nonholonomic(ball.system(nu=2.0)), START, until=d["until"], rtol=1e-11).at(t)
        noise = np.random.default_rng(3).normal(0, 0.05, (2, 31))
        seen = {"t": t, "x": path["x"] + noise[0], "y": path["y"] + noise[1]}
        record = da.recorded(seen, uncertainty=NOISE, source="simulated, sigma 0.05, seed 3")
        verdict = rank(system, record, "nonholonomic", laws=laws, start=START, free="vx vy nu mu")
        assert verdict.remaining == (("air",) if d is result.best else ("air", "turning")) or (
            d is not result.best and set(verdict.remaining) == {"air", "turning"}
        )


@pytest.mark.parametrize("more", [-4, 0, 3, 6])
@pytest.mark.parametrize("s", [1.0, 3.0, 4.0])
def test_the_chance_counts_the_unknowns_that_the_rival_has_more(s, more):
    # chi^2 of the rival less that of the truth: s^2 + 2 s z, less what more unknowns fit of the noise; 2 for each
    rng = np.random.default_rng(8)
    fitted = np.sign(more) * rng.chisquare(abs(more), 200_000) if more else 0.0
    rise = s**2 + 2 * s * rng.normal(size=200_000) - fitted + 2 * more
    assert chance(s, more) == pytest.approx((rise >= 10).mean(), abs=0.02)


def test_the_chance_is_that_of_the_stated_normal():
    # AIC rises by s^2 + more, give or take sqrt(4 s^2 + 2 more)
    assert chance(5.0, 0) == pytest.approx(stats.norm.sf((10 - 25) / 10))
    assert chance(0.0, 0) == 0.0
    rng = np.random.default_rng(0)
    # a rival with no more unknowns, s away: chi2 differs by s^2 + 2 s n
    for s in (3.0, 4.0):
        drawn = s**2 + 2 * s * rng.standard_normal(100_000) > 10
        assert chance(s, 0) == pytest.approx(drawn.mean(), abs=0.006)


# --- refusals and the eye --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("E559", {"vary": {}}),
        ("E559", {"vary": {"vy": []}}),
        ("E559", {"vary": {"vy": ["fast"]}}),
        ("E202", {"vary": {"vz": [1.0]}}),
        ("E559", {"vary": {"vy": [5.0]}}),
        ("E559", {"vary": {"vy": [5.0]}, "until": -1.0}),
        ("E559", {"count": 1}),
        ("E559", {"count": "many"}),
        ("E559", {"count": 20.5}),
        ("E559", {"count": float("nan")}),
        ("E559", {"count": float("inf")}),
        ("E559", {"times": [0.0, 1.0]}),
        ("E559", {"vary": {"vy": [5.0]}, "times": [1.0, 0.0]}),
        ("E559", {"uncertainty": {}}),
        ("E559", {"uncertainty": {"x": 0.0}}),
        ("E317", {"uncertainty": {"z": 0.1}}),
        ("E559", {"laws": {"none": []}}),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(code, change):
    with pytest.raises(DalembertError) as caught:
        given = {
            "laws": LAWS,
            "vary": {"until": [1.0]},
            "start": START,
            "free": "vx nu",
            "uncertainty": NOISE,
            **change,
        }
        plan(ball.system(nu=0.3), "nonholonomic", **given)
    assert caught.value.code == code, str(caught.value)
    assert caught.value.remedy


def test_the_text_says_what_to_try(found):
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "if none" in text
    assert "if viscous" in text
    assert found.designs == tuple(sorted(found.designs, key=lambda d: -d.sigmas))
    # friction that may be 0 follows the frictionless motion: nothing can exclude it
    assert found.best.idle == ("none",)
    assert "If none is right no design excludes viscous" in " ".join(text.split())
    assert math.isclose(found.best.sigmas, max(s.sigmas for s in found.best.separations))
    assert "Try until = 4" in text


def test_page_frame_and_figure(found):
    pytest.importorskip("matplotlib").use("Agg")
    assert "viscous" in html(found)
    assert len(found.to_dataframe()) == len(found) == 2
    (ax,) = draw(found).axes
    assert len(ax.lines[0].get_xdata()) == 2
