"""The rolling ball: uniform, whatever its spin; the table's ball when the table rests."""

import numpy as np

import dalembert as da
from dalembert.systems import ball_on_turntable, rolling_ball_on_plane


def test_it_is_the_ball_on_a_table_at_rest():
    p = rolling_ball_on_plane.system().values()
    ball = {k: p[k] for k in ("m", "r", "I")}
    start = [0.1, 0.2, 0.7, -0.4]
    rows = ball_on_turntable.exact(np.array([0.5, 2.0]), start, {**ball, "Omega": 0.0})
    plane = da.nonholonomic(rolling_ball_on_plane.system()).start(**rolling_ball_on_plane.START)
    exact = rolling_ball_on_plane.exact(
        np.array([0.5, 2.0]), [plane[c] for c in rolling_ball_on_plane.EXACT], plane.parameters
    )
    columns = dict(zip(rolling_ball_on_plane.EXACT, exact, strict=True))
    assert np.allclose(rows, [columns[c] for c in ball_on_turntable.EXACT], atol=1e-14)


def test_another_multiplier_gives_another_motion(named):
    case = named("rolling_ball_on_plane")
    path = case.path("rolling with spin", da.vakonomic, 0.1)
    assert np.ptp(path["vx"]) > 1e-3


def test_the_default_ball_is_solid():
    p = rolling_ball_on_plane.system(m=2.0, r=0.5).values()
    assert p["I"] == 0.4 * 2.0 * 0.25
