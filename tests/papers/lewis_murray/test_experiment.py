"""Section 3.7 of [lewis1995]: the row of the experiment against every model."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.run.simulate import simulate
from dalembert.systems import ball_on_turntable as ball
from dalembert_papers.lewis_murray import experiment, row, row_models, table
from worked import worked


@pytest.fixture(scope="module")
def tables():
    return table.rows(False), table.rows(True)


@pytest.fixture(scope="module")
def claims():
    return [c for group in experiment.GROUPS for c in worked(group)]


@pytest.fixture(scope="module")
def plain():
    return row.run(da.nonholonomic(ball.system()), w3=0.0)


# --- what is measured ------------------------------------------------------------------------------------------------


def test_changes_are_what_the_simulated_rows_of_table_1_are(tables):
    # two routes: `measures.amplitudes` of the table, and the crossings of the ray here
    _, physics = tables
    path = row.run(da.nonholonomic(ball.system(nu=5.0)), w3=0.0)
    assert np.allclose(row.changes(path), physics[1].distances, atol=1e-9)
    assert row.mean_period(path) == pytest.approx(physics[1].period, abs=1e-9)
    first = row.rows_of_table("changes")
    assert [each.label for each in first[:2]] == ["no friction, as published", "nu = 5, as published"]
    assert np.round(first[1].d, 2).tolist() == list(table.PRINTED["nu = 5"][2])


def test_places_are_sums_of_changes():
    d = np.array([0.5, -1.0, 2.0, 0.25, -4.0])
    x = 10 + np.cumsum(d)
    assert np.allclose(row.about_third(d), x - x[2])


def test_crossings_count_on_the_rays_own_side():
    # a circle about the axis crosses y = 0 upward once a turn, at x > 0; turned about it, at x < 0
    equations = da.nonholonomic(ball.system())
    om = 2 / 7 * ball.RPM_45
    for side, count in ((1.0, 6), (-1.0, 1)):
        start = equations.start(x=6.0 * side, y=0.0, vx=0.0, vy=6.0 * side * om, w3=0.0)
        events = [{**ball.edge}, {**ball.ray, "direction": 1 if side > 0 else -1}]
        t, x = row.crossed(simulate(equations, start, until=row.LONG, events=events))
        assert len(t) == len(x) == count


def test_the_distance_is_a_root_mean_square_in_last_digits():
    same = row.Seen("", 0, row.PERIOD, tuple(row.ROW))
    assert same.distance == 0
    assert row.Seen("", 0, row.PERIOD + 0.06, tuple(row.ROW)).distance == pytest.approx(6 / math.sqrt(6))
    assert row.Seen("", 0, row.PERIOD, tuple(row.ROW + 0.01)).distance == pytest.approx(math.sqrt(5 / 6))
    assert row.Seen("", 0, math.nan, tuple(row.ROW)).distance == math.inf
    assert str(row.Seen("", 0, math.nan, (0.0,) * 5)) == "fewer than five crossings"


# --- laws ------------------------------------------------------------------------------------------------------------


def test_without_friction_the_six_numbers_are_known(plain):
    # 2 pi (1 + 5/2)/Omega = 14/3 s, and the circle closes
    assert row.mean_period(plain) == pytest.approx(14 / 3, rel=1e-9)
    assert np.abs(row.changes(plain)).max() < 1e-8
    far = math.hypot((14 / 3 - 4.38) / 0.01, np.linalg.norm(row.ROW) / 0.01) / math.sqrt(6)
    assert row.level("changes").distance == pytest.approx(far, rel=1e-6)


@pytest.mark.parametrize("angle", [0.005, 0.02])
def test_a_tilt_across_the_ray_moves_every_crossing_alike(angle):
    # drift i (m r^2/I) (g/Omega) sin(a) (-i) along x, for 14/3 s: 5/2 . 981 . 14/3 sin(a)/Omega
    equations = da.nonholonomic(ball.system(tilt=(0.0, 0.0)))
    path = row.run(equations, {"tilt_y": -math.radians(angle)}, w3=0.0)
    step = 2.5 * 981 * math.sin(math.radians(angle)) / ball.RPM_45 * 14 / 3
    assert np.allclose(row.changes(path), step, rtol=1e-8)
    assert row.mean_period(path) == pytest.approx(14 / 3, rel=1e-9)


def test_the_fit_finds_the_tilt_of_a_row_that_was_made_with_one():
    # the row made by a known tilt, read back: the way of the fits, on numbers whose answer is known
    equations = da.nonholonomic(ball.system(tilt=(0.0, 0.0)))
    truth = {"tilt_x": 2e-5, "tilt_y": -3e-4}
    path = row.run(equations, truth, w3=0.0)
    made = da.nouns.Record({"period": (row.mean_period(path),), "d": tuple(row.places(path))}, source="made here")
    found = da.fit(
        equations, made, start={**ball.START, "w3": 0.0}, parameters=row_models.TILT, free=list(truth),
        columns={"period": row.mean_period, "d": row.places}, uncertainty={"period": 0.01, "d": 0.01},
        until=row.LONG, events=list(row.EVENTS),
    )  # fmt: skip
    assert found["tilt_x"] == pytest.approx(truth["tilt_x"], abs=1e-8)
    assert found["tilt_y"] == pytest.approx(truth["tilt_y"], abs=1e-8)


def test_rate_and_shape_give_the_period_they_are_asked_for():
    for T in (4.38, 5.0):
        Omega = row_models.rate_of_period(T) * 2 * math.pi / 60
        k = row_models.shape_of_period(T)
        assert 2 * math.pi * 3.5 / Omega == pytest.approx(T)
        assert 2 * math.pi * (1 + 1 / k) / ball.RPM_45 == pytest.approx(T)


def test_a_motion_free_of_the_constraints_never_comes_back():
    assert row.unconstrained("changes").distance == math.inf


# --- claims ----------------------------------------------------------------------------------------------------------


def test_every_claim_is_as_expected(claims):
    assert len(claims) == 9
    assert not [str(c) for c in claims if not c.is_right]


def test_the_vakonomic_motions_that_are_shown_keep_their_laws():
    for reading in row.READINGS:
        best = row_models.nearest(reading)
        assert math.isfinite(best.distance)
        assert best.unknowns == 3
    lam, T, d = row_models.scan()[0]
    path = row.run(da.vakonomic(ball.system()), **dict(zip(row_models.BOX, lam, strict=True)))
    assert path.ok
    assert row.mean_period(path) == pytest.approx(T, abs=1e-4)  # the scan runs to 1e-8, along an unstable motion
    assert np.allclose(row.changes(path), d, atol=1e-3)


def test_a_fit_is_no_farther_than_the_level_table():
    for reading, causes in row_models.ASKED.items():
        for cause in causes:
            found = row_models.fitted(cause, reading)
            assert row_models.of_fit(found).distance <= row.level(reading).distance + 1e-6, (cause, reading)
            assert found.numbers == 6 > len(found)


def test_what_is_printed_fits_80_columns(capsys):
    from rich.console import Console

    import dalembert_papers.lewis_murray as app

    app._print_experiment(Console(width=80, highlight=False))
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "4.38; -1.84 -0.64 0.00 0.64 1.84" in text
    assert text.count("free of the constraints") == 2


def test_the_figure_is_drawn(tmp_path):
    from dalembert.show.top_view import prepare
    from dalembert_papers.lewis_murray import row_figure

    prepare(tmp_path)
    (files,) = row_figure.draw(tmp_path)
    assert sorted(f.suffix for f in files) == [".png", ".svg"]
    assert all(f.stat().st_size > 10_000 for f in files)


# --- the claims seen to fail -----------------------------------------------------------------------------------------


def test_another_row_is_noticed(monkeypatch):
    monkeypatch.setattr(experiment, "ROW", np.array([-1.8, -0.6, 0.1, 0.6, 1.8]))
    assert not all(c.is_right for c in experiment.of_the_row())


def test_another_period_is_noticed(monkeypatch):
    monkeypatch.setattr(experiment, "PERIOD", 4.67)
    assert not all(c.is_right for c in experiment.of_the_period())


def test_another_unit_of_the_tilt_is_noticed(monkeypatch):
    right = row_models.fitted
    monkeypatch.setattr(experiment, "fitted", lambda cause, reading: _Scaled(right(cause, reading)))
    assert not all(c.is_right for c in experiment.of_the_tilt())


class _Scaled(dict):
    """A fit whose angles are 57.3 times too large."""

    def __init__(self, found):
        super().__init__({k: 57.3 * v if k.startswith("tilt") else v for k, v in found.items()})
        self.predicted, self.column = found.predicted, found.column
