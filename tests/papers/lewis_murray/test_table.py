"""Table 1 of [lewis1995]: every printed digit as published, and what the stated ball does."""

import numpy as np
import pytest

from dalembert.systems import ball_on_turntable as ball
from dalembert_papers.lewis_murray import motions, table


@pytest.mark.parametrize("label", table.PRINTED)
def test_every_printed_digit_as_published(label):
    coefficients, period, distances = table.PRINTED[label]
    row = table.row(label, physics=False, coefficients=coefficients)
    assert round(row.period, 2) == period
    assert [round(d, 2) + 0.0 for d in row.distances] == list(distances)


def test_only_the_frictionless_row_agrees_with_the_stated_ball():
    agreeing = [
        row.label
        for row, (_, period, distances) in zip(table.rows(True), table.PRINTED.values(), strict=True)
        if row.agrees(period, distances)
    ]
    assert agreeing == ["no friction"]


def test_delta_row_as_published_leaves_the_table_after_the_third_crossing():
    path = table.run(physics=False, coefficients={"delta": 0.005})
    assert path.outcome.startswith("stopped by edge")
    assert path.t[-1] == pytest.approx(17.83, abs=0.005)
    assert len(path.marks["ray"]) == 3


@pytest.mark.parametrize("coefficients", [{"delta": 0.005}, {"delta": 0.005, "mu": 6.0}])
def test_with_the_right_sign_the_ball_leaves_within_one_turn(coefficients):
    row = table.row("", physics=True, coefficients=coefficients)
    assert row.left < 4.67
    assert row.distances == ()


def test_rolling_friction_takes_energy_relative_to_the_table():
    # seen from the turning table the friction opposes the motion: F . v < 0; as printed it pushes: F . v > 0
    for physics, sign in ((True, -1), (False, 1)):
        kind = "physics" if physics else "as published"
        system = ball.system(delta=0.005, rolling=kind)
        state = {"x": 3.0, "y": -2.0, "vx": 1.5, "vy": 4.0}
        values = {**state, **system.values(), "w1": 0.0, "w2": 0.0, "w3": 0.0}
        force = [float(Q.xreplace({s: values[s.name] for s in Q.free_symbols})) for Q in system.forces[:2]]
        slip = [float(v.xreplace({s: values[s.name] for s in v.free_symbols})) for v in ball.SLIP]
        assert np.sign(np.dot(force, slip)) == sign


@pytest.mark.parametrize(
    ("friction", "until"), [({}, 1000.0), ({"nu": 5.0}, 60.0), ({"mu": 6.0}, 60.0), ({"nu": 5.0, "mu": 6.0}, 20.0)]
)
def test_simulation_meets_the_closed_form(friction, until):
    assert motions.closed_form_error(friction, until) < 1e-10


def test_closed_form_solves_its_equation():
    p = {**ball.stated_ball(), "Omega": ball.RPM_45, "nu": 5.0, "mu": 6.0}
    J, h = p["I"] + p["m"] * p["r"] ** 2, 1e-5
    t = 0.7
    x, y, vx, vy = ball.exact(np.array([t - h, t, t + h]), [10.0, 1.0, 2.0, 5.0], p)
    z, v = x + 1j * y, vx + 1j * vy
    a = (v[2] - v[0]) / (2 * h)
    # J z'' + (mu + nu r^2 - i I Omega) z' - i mu Omega z = 0
    residual = (
        J * a + (p["mu"] + p["nu"] * p["r"] ** 2 - 1j * p["I"] * p["Omega"]) * v[1] - 1j * p["mu"] * p["Omega"] * z[1]
    )
    assert abs(residual) < 1e-6 * J * abs(a)
    assert abs((z[2] - z[0]) / (2 * h) - v[1]) < 1e-6 * abs(v[1])


@pytest.mark.parametrize("seed", range(20))
def test_both_roots_decay_iff_nu_I_exceeds_mu_m(seed):
    rng = np.random.default_rng(seed)
    p = dict(zip(("m", "r", "I", "Omega", "nu", "mu"), rng.uniform(0.1, 3.0, 6), strict=True))
    assert (max(s.real for s in ball.characteristic_roots(p)) < 0) == ball.decays(p)


def test_principles_part_and_meet_where_the_lemma_says():
    by_statement = {c.statement: c for c in motions.principles()}
    assert all(c.holds == c.expected for c in by_statement.values())
    assert len(by_statement) == 4
