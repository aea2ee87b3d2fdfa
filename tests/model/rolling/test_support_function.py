"""Support functions: the point of contact lies on the equation of the body's surface, and nothing lies below it."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate

R, S, SIZE = 0.3, 0.05, (0.5, 0.36, 0.28)
AT = (0.02, -0.01, 0.03)


def wheel(x, y, z):
    """A torus, s about a ring of radius r - s."""
    return (math.hypot(x, y) - (R - S)) ** 2 + z**2 - S**2


BODIES = {
    "ball": (da.Body("ball", radius=R, at=AT), lambda x, y, z: x**2 + y**2 + z**2 - R**2),
    "ellipsoid": (
        da.Body("ellipsoid", size=SIZE, at=AT),
        lambda *p: sum((2 * x / a) ** 2 for x, a in zip(p, SIZE, strict=True)) - 1,
    ),
    "disc": (da.Body("disc", radius=R, at=AT), lambda x, y, z: math.hypot(x, y) - R + abs(z)),
    "wheel": (da.Body("wheel", radius=R, thickness=2 * S, at=AT), wheel),
}


@pytest.mark.parametrize("name", BODIES)
def test_it_touches_where_its_surface_is_level(name):
    body, equation = BODIES[name]
    rolls = da.rolling(body, "z")
    q = np.array([0.9, 0.3, -0.1, 0.3])
    state = dict(zip(("R_w", "R_x", "R_y", "R_z"), q / np.linalg.norm(q), strict=True)) | {"x": 0.1, "y": 0.2, "z": 1.0}
    graph = Graph()
    wanted = [*rolls.position, *rolls.point, rolls.gap, *rolls.rotation]
    found = np.array(evaluate([read(sp.sympify(e), graph) for e in wanted], state), float)
    X, C, gap, turned = found[:3], found[3:6], found[6], found[7:].reshape(3, 3)
    assert C[2] == pytest.approx(0, abs=1e-15)
    # the point of the body that is nearest lies above C
    inside = turned.T @ (C + np.array([0, 0, gap]) - X) - AT
    assert equation(*inside) == pytest.approx(0, abs=1e-14)
    slope = [(equation(*(inside + h)) - equation(*(inside - h))) for h in 1e-6 * np.eye(3)]
    if name != "disc":
        assert turned @ slope / np.linalg.norm(slope) == pytest.approx([0, 0, -1], abs=1e-8)


def test_text_says_the_same_as_a_shape():
    shape = da.rolling(da.Body("ellipsoid", size=("2*a", "2*b", "2*c")), "z", parameters="a b c")
    text = da.rolling("sqrt(a^2*n1^2 + b^2*n2^2 + c^2*n3^2)", "z", parameters="a b c")
    a, b, c = sp.symbols("a b c", real=True)
    symbols = da.rolling(sp.sqrt(sum(s**2 * n**2 for s, n in zip((a, b, c), sp.symbols("n1:4"), strict=True))), "z")
    for other in (text, symbols):
        assert all(sp.simplify(other.constraints[k] - row) == 0 for k, row in shape.constraints.items())


def test_a_wheel_without_thickness_is_drawn_and_rolls_with_an_eighth():
    thin, given = (da.rolling(da.Body("wheel", radius=0.8, thickness=t), "z") for t in (None, 0.1))
    assert sp.simplify(sp.nsimplify(thin.gap) - sp.nsimplify(given.gap)) == 0


def test_its_summary_fits_a_terminal():
    rolls = da.rolling(da.Body("ball", radius="r"), "z - k*(x^2 + y^2)", parameters="r k")
    lines = str(rolls).splitlines()
    assert len(lines) <= 20 and max(map(len, lines)) <= 80
    assert repr(rolls) == str(rolls) and all(name in str(rolls) for name in ("roll_1", "rolls.kinetic", "rolls.space"))
