"""Rows in the entries of rotation matrices say what those in unit quaternions say, in fewer letters."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations import written_rows
from dalembert.equations.printed_sheet import _moving
from zoo import GALLERY

NAMES = ["veselova", "symmetric_sphere", "chaplygin_ball", "routh_sphere", "suslov", "rolling_ball_on_plane"]
PRINCIPLES = [da.nonholonomic, da.vakonomic, da.free]


def numbers(expressions, values):
    graph = Graph()
    return np.array(evaluate([read(e, graph) for e in expressions], values), float)


@pytest.mark.parametrize("principle", PRINCIPLES, ids=lambda p: p.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_they_say_the_same(name, principle):
    equations, rng = principle(GALLERY[name]), np.random.default_rng(5)
    udot, mu = _moving(equations)
    rows, parts = written_rows.rows(equations, udot, mu), written_rows.parts(equations, udot, mu)
    within, symbols = equations.in_entries, {s.name for row in parts for e in row for s in e.free_symbols}
    values = {s: float(rng.normal()) for s in symbols} | equations.space.sample(rng) | equations.system.values()
    for attitude in equations.space.attitudes.values():
        values |= dict(zip(within.rotations[attitude.name], numbers(attitude.matrix, values), strict=True))
    sides = numbers([e for row in rows for e in row], values).reshape(-1, 2)
    meant = numbers([e for row in parts for e in row], values).reshape(-1, 4)
    # W udot + h - lam EL(phi) - Q - N^T lam = 0, whichever side its terms stand on
    np.testing.assert_allclose(sides[:, 0] - sides[:, 1], meant @ [1, -1, -1, -1], rtol=1e-10, atol=1e-10)
    assert len(str(rows)) <= len(str([tuple(row) for row in parts]))


def test_they_are_as_a_book_has_them():
    equations = da.nonholonomic(GALLERY["veselova"])
    text = equations.text()
    assert "I1*w1' + (I3 - I2)*w2*w3" in text
    assert "= R31*lam_axis" in text
    assert "R' = R hat(w1, w2, w3)" in text
    assert "R_w" not in text


def test_a_space_without_rotations_has_none():
    assert da.nonholonomic(GALLERY["penny"]).in_entries is None
    x, v = sp.symbols("x vx", real=True)
    free = da.free(da.System(da.coordinates("x"), v**2 / 2 - x**2))
    assert free.in_entries is None


@pytest.mark.parametrize("principle", PRINCIPLES, ids=lambda p: p.__name__)
def test_rows_as_they_are_computed_say_the_same(principle):
    equations, rng = principle(GALLERY["routh_sphere"]), np.random.default_rng(6)
    udot, mu = _moving(equations)
    named, rows = written_rows.shared(equations, udot, mu)
    parts = written_rows.parts(equations, udot, mu)
    symbols = {s.name for row in (*rows, *parts, *named) for e in row for s in e.free_symbols}
    values = {s: float(rng.normal()) for s in symbols} | equations.space.sample(rng) | equations.system.values()
    for name, meaning in named:
        values[name.name] = float(numbers([meaning], values)[0])
    sides = numbers([e for row in rows for e in row], values).reshape(-1, 2)
    meant = numbers([e for row in parts for e in row], values).reshape(-1, 4)
    np.testing.assert_allclose(sides[:, 0] - sides[:, 1], meant @ [1, -1, -1, -1], rtol=1e-10, atol=1e-10)


def test_long_ones_are_written_as_they_are_computed():
    # one by one, without names for what returns, the bicycle's rows took 740,000 characters
    assert len(da.nonholonomic(GALLERY["whipple_bicycle"]).text()) < 100_000
