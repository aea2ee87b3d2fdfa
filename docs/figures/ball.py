"""Draws ``ball.png``, the figure of the documentation's first page: the same ball and start under two principles."""

from pathlib import Path

from dalembert.show.top_view import PlanView, plan_views
from dalembert.systems import ball_on_turntable as ball
from dalembert_papers.lewis_murray import families, table

_, varied, values = families.FAMILIES["figure-13"]
panels = [
    PlanView("nonholonomic: a closed circle", [table.run(physics=False, coefficients={})], [""]),
    PlanView(
        "vakonomic: $w_3(0)$ = 0, 1, ..., 10 rad/s",
        families.family(False, varied, values),
        list(map(str, values)),
        principle="vakonomic",
    ),
]
figure = plan_views(panels, ball.EDGE, "A ball on a turning table, one start, two principles")
figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)
