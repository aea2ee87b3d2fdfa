"""Published equations and ours: the same accelerations at random states, and about as long."""

import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.language import read_text
from dalembert.calculus.read import read

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
published = pytest.importorskip("extensions.published")
FORMS = {form["system"]: form for form in published.forms()}
SAME_LENGTH = 1.3


@pytest.fixture(scope="module")
def made():
    return {name: published.made(form) for name, form in FORMS.items()}


@pytest.mark.parametrize("name", FORMS)
def test_they_are_about_as_long(made, name):
    rows = published.ours(FORMS[name], made[name])
    assert len(rows) == len(FORMS[name]["latex"])
    assert published.ratio(FORMS[name], made[name]) <= SAME_LENGTH


@pytest.mark.parametrize("name", FORMS)
def test_they_say_the_same(made, name):
    equations, rng = made[name], np.random.default_rng(4)
    lean, space = equations.lean, equations.space
    symbols = {s: sp.Symbol(s, real=True) for s in (*lean.states, *equations.system.symbols)}
    parameters = {s: float(rng.uniform(0.5, 1.5)) for s in equations.system.symbols}
    for _ in range(10):
        values = {**space.sample(rng), **parameters, "t": 0.0, **{s: float(rng.normal()) for s in lean.speeds}}
        rates = dict(zip(lean.states, evaluate(list(lean.rates), values), strict=True))
        for speed, text in FORMS[name]["rates"].items():
            (theirs,) = evaluate([read(read_text(text, symbols), Graph())], values)
            assert float(rates[speed]) == pytest.approx(float(theirs), rel=1e-10, abs=1e-12)
