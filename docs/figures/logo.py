"""Draws ``_static/logo.svg``: one start, and two balls that part on a turning table, in the colours of every figure."""

import math
from pathlib import Path

BLUE, ORANGE, INK = "#2a78d6", "#d55e00", "#8c8c8c"
START, STEPS, LENGTH = (64.0, 79.0), 50, 1.2


def spiral(grow: float, turn: float, sense: int) -> list[tuple[float, float]]:
    """Points of a path that begins upwards from the start, its radius of curvature growing."""
    x, y, heading = *START, -math.pi / 2
    points = [(x, y)]
    for k in range(STEPS):
        heading += sense * turn / (1 + grow * k)
        x, y = x + LENGTH * math.cos(heading), y + LENGTH * math.sin(heading)
        points.append((x, y))
    return points


def drawn(points: list[tuple[float, float]], colour: str) -> str:
    """A path with a ball at its end."""
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return (
        f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="5" stroke-linecap="round"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{colour}"/>'
    )


disc = f'<circle cx="50" cy="50" r="46" fill="none" stroke="{INK}" stroke-width="3"/>'
paths = drawn(spiral(0.0, 0.05, -1), BLUE) + drawn(spiral(0.05, 0.015, -1), ORANGE)
head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" role="img" aria-label="dalembert">'
text = f"{head}{disc}{paths}</svg>\n"
Path(__file__).parents[1].joinpath("_static", "logo.svg").write_text(text, encoding="utf-8")
