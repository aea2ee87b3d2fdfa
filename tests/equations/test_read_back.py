"""What is printed is what is meant: LaTeX read back as numbers, against the expressions that were typeset."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.printing import latex, width
from dalembert.equations.printed_sheet import _moving, alphabet, sheet
from latex_reader import letter, number
from zoo import GALLERY

A, B, X, Y = sp.symbols("a b x y", real=True)


def value(e, values):
    return float(evaluate([read(e, Graph())], values)[0])


def held(expressions, names, rng):
    """Each expression at random values is what its LaTeX says."""
    symbols = {s.name for e in expressions for s in e.free_symbols if "hat(" not in s.name}
    values = {name: float(rng.uniform(0.3, 1.7)) for name in symbols}
    letters = {letter(latex(sp.Symbol(name, real=True), names)): v for name, v in values.items()}
    assert len(letters) == len(values)
    for e in expressions:
        if not any("hat(" in s.name for s in e.free_symbols):
            meant, said = value(e, values), number(latex(e, names), letters)
            assert said == pytest.approx(meant, rel=1e-9, abs=1e-9), latex(e, names)


@pytest.mark.parametrize(
    "e",
    [
        X * (A - B) / 2, (A - B) / 2 * (X - Y), (X - Y) / 2, -(X - Y) * A / B, A * (X**2 - 1) / B, 3 * (X + Y),
        (A + B) * (X + Y), -X / (A - B), A / (B * (A + B)), 2 * sp.sin(X) * sp.cos(Y), sp.sin(2 * X) * A, X**2 - 1,
        sp.sin(X + Y) ** 2 * A, A * sp.sqrt(X**2 + Y**2), (A - B) * sp.Rational(3, 2) * (sp.sin(X) - 1),
        A / (2 * X + 2 * Y), -A * (X - Y) / B,
    ],
    ids=str,
)  # fmt: skip
def test_short_ones(e):
    held([e], alphabet(da.free(da.System(da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2"))), np.random.default_rng(1))


@pytest.mark.parametrize("name", [n for n in GALLERY.names if n not in ("whipple_bicycle", "rattleback")])
def test_those_of_the_gallery(name):
    system, rng = GALLERY[name], np.random.default_rng(2)
    for equations in (da.nonholonomic(system), da.vakonomic(system)):
        found = sheet(equations, *_moving(equations), False)
        held(every(found), alphabet(equations), rng)
        if equations.lean_if_any is not None:
            held(every(equations.lean._shortest), equations.lean._alphabet, rng)


def every(found):
    rows = [*found.definitions, *found.motion, *found.kinematics.items()]
    return [e for row in rows for e in row] + list(found.constraints.values())


def test_a_reader_reads_what_papers_write():
    values = {letter(r"\dot x_1"): 2.0, "m": 3.0, r"\theta": 0.4}
    assert number(r"-\frac12 m \dot{x}_{1}^2 \sin^2\theta", {**values}) == pytest.approx(-6 * math.sin(0.4) ** 2)


def test_numbers_stand_in_front_and_columns_have_a_width():
    row = da.free(da.System(da.coordinates("x"), "I*dot(x)^2/7", parameters={"I": 1}))
    assert "2/7*I*vx' = 0" in row.text()
    assert r"\frac{2}{7} I \ddot{x} &= 0" in row.latex()
    disc = GALLERY["rolling_disc"]
    narrow, usual = (da.nonholonomic(disc).latex(width=w) for w in (40, None))
    assert len(narrow.splitlines()) > len(usual.splitlines())
    assert max(map(width, narrow.split(" \\\\\n")[1:])) <= 40
    with pytest.raises(da.DalembertError, match="E307"):
        da.nonholonomic(disc).latex(width=0)
