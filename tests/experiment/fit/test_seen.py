"""What the data do not see is said, in the combination that they do see."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import ball_on_turntable as ball

BLIND = pytest.mark.filterwarnings("ignore:W556")


@pytest.fixture(scope="module")
def track(circle, simulated):
    return simulated(circle, np.linspace(0, 8, 41), ("x", "y"), 0.02, 4)


@BLIND
def test_a_track_of_the_ball_sees_omega_times_a_function_of_its_shape(table, track, guess):
    """The circle's rate is Omega I/(I + m r^2): dln rate = dln Omega + m r^2/(I + m r^2) (dln I - dln m - 2 dln r)."""
    fit = da.fit(table, track, start=guess, free="x vx vy Omega I m r", parameters={"Omega": 4.6})
    (group,) = fit.unseen
    assert set(group.names) == {"Omega", "I", "m", "r"}
    assert len(group.directions) == 3
    (seen,) = group.seen
    part = fit["m"] * fit["r"] ** 2
    part /= part + fit["I"]
    expected = {"Omega": 1.0, "I": part, "m": -part, "r": -2 * part}
    assert {n: seen[n] / seen["Omega"] for n in seen} == pytest.approx(expected, abs=2e-3)
    for direction in group.directions:
        assert sum(direction.get(n, 0.0) * expected[n] for n in expected) == pytest.approx(0, abs=2e-3)
    rate = fit["Omega"] * fit["I"] / (fit["I"] + fit["m"] * fit["r"] ** 2)
    assert rate == pytest.approx(2 / 7 * ball.RPM_45, rel=3e-3)
    assert all(np.isinf(fit.errors[n]) for n in group.names)
    assert all(np.isfinite(fit.errors[n]) for n in ("x", "vx", "vy"))


@BLIND
def test_the_uncertainties_of_what_is_seen_do_not_suffer(table, track, guess):
    """The same motions are spanned with one parameter of the shape as with three."""
    names = "vx vy Omega"
    one = da.fit(table, track, start=guess, free=names, parameters={"Omega": 4.6})
    more = da.fit(table, track, start=guess, free=f"{names} I r", parameters={"Omega": 4.6})
    for name in ("vx", "vy"):
        assert more.errors[name] == pytest.approx(one.errors[name], rel=1e-2)
        assert more[name] == pytest.approx(one[name], abs=1e-4)
    assert more.chi2 == pytest.approx(one.chi2, rel=1e-6)


@BLIND
def test_spin_alone_changes_no_prediction(table, track, guess):
    fit = da.fit(table, track, start=guess, free="vx vy w3")
    (group,) = fit.unseen
    assert group.names == ("w3",) and not group.seen
    assert "no prediction" in str(group)
    assert fit.interval("w3") == (-np.inf, np.inf)


def test_the_doubt_is_shown(table, track, guess):
    with pytest.warns(da.DalembertWarning, match="W556"):
        da.fit(table, track, start=guess, free="vx vy w3")


@BLIND
def test_what_is_not_seen_does_not_hide_what_is_predicted(table, track, guess):
    """Later positions follow from what is seen; as uncertain as with the parameters that hide behind fixed."""
    one = da.fit(table, track, start=guess, free="vx vy Omega")
    more = da.fit(table, track, start=guess, free="vx vy Omega I w3")
    t = np.array([5.0, 20.0])
    np.testing.assert_allclose(more.predict(t)[1]["x"], one.predict(t)[1]["x"], rtol=1e-2)


def test_nothing_is_said_where_all_is_seen(table, track, guess):
    assert not da.fit(table, track, start=guess, free="x y vx vy Omega").unseen
