"""Films ``ball.gif``, the moving picture of the README: one ball, one start, two principles."""

from pathlib import Path

import dalembert as da
from dalembert.systems import ball_on_turntable as ball

start = {**ball.START, "w3": 0, "lam_roll_x": 10, "lam_roll_y": 0}
both = da.compare(ball.system(), ["nonholonomic", "vakonomic"], start=start, until=1.0)
da.film(both, Path(__file__).with_name("ball.gif"), seconds=4)
