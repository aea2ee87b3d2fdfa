"""Published equations and ours, read from their LaTeX: both hold along the motion, and they are about as long."""

import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate, tangent
from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.symbol_letters import dotted
from dalembert.equations.printed_sheet import alphabet
from latex_reader import letter, number, residual

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
published = pytest.importorskip("extensions.published")
FORMS = {form["system"]: form for form in published.forms()}
SAME_LENGTH = 1.3
H = 1e-2


@pytest.fixture(scope="module")
def made():
    return {name: published.made(form) for name, form in FORMS.items()}


def test_ten_systems_are_there():
    assert len(FORMS) >= 10


@pytest.mark.parametrize("name", FORMS)
def test_they_are_about_as_long(made, name):
    assert published.ratio(FORMS[name], made[name]) <= SAME_LENGTH


@pytest.mark.filterwarnings("ignore:.*no rigid body has the moments")  # of random parameters
@pytest.mark.parametrize("name", FORMS)
def test_they_say_the_same(made, name):
    form, rng = FORMS[name], np.random.default_rng(4)
    for _ in range(5):
        letters = numbers(made[name], form, rng)
        for row in published.ours(form, made[name]):
            left, _, right = row.partition(" &= ")
            if letter(left) not in letters and published.short(left):
                letters[letter(left)] = number(right, letters)
                letters[letter(dotted(left))] = moved(right, letters)
        for row in [*form["latex"], *published.ours(form, made[name])]:
            left, right = residual(row, letters)
            assert left == pytest.approx(right, rel=1e-9, abs=1e-9), row


def numbers(equations, form, rng):
    """Values of all letters at a state that the constraints allow, rates along the motion included."""
    lean, space, names = equations.lean, equations.space, alphabet(equations)
    values = {**space.sample(rng), **{s: float(rng.uniform(0.5, 1.5)) for s in equations.system.symbols}, "t": 0.0}
    values |= {s: float(rng.normal()) for s in lean.speeds}
    values |= dict(zip((u.name for u in space.velocities), map(float, lean.motion(values)), strict=True))
    state = {s.name: values[s.name] for s in (*space.coordinates, *space.velocities)}
    found = equations.evaluate(state, parameters={s: values[s] for s in equations.system.symbols})
    lean_rates = dict(zip(lean.states, map(float, evaluate(list(lean.rates), values)), strict=True))
    rates = {**lean_rates, **{u: float(a) for u, a in found["accelerations"].items()}}
    values |= {lam: float(v) for lam, v in found["multipliers"].items()}
    texts = {at: str(e) for a in space.attitudes.values() for at, e in zip(entries(a.name), a.matrix, strict=True)}
    texts |= {name: str(e) for name, e in equations.system.definitions.items()}
    for name, text in texts.items():
        values[name], rates[name] = along(text, values, rates)
    letters = {letter(names.show(name)): value for name, value in values.items()}
    letters |= {letter(dotted(names.show(name))): rate for name, rate in rates.items()}
    for shown, text in form.get("letters", {}).items():
        value, rate = along(text, values, rates)
        letters |= {letter(shown): value, letter(dotted(shown)): rate}
    return letters


def moved(right, letters):
    """The rate of a formula along the motion: a difference of fourth order, exact for polynomials up to degree 4."""
    rates = {x: letters[letter(dotted(x))] for x in letters if letter(dotted(x)) in letters}

    def at(h):
        return number(right, {**letters, **{x: letters[x] + h * rate for x, rate in rates.items()}})

    return (8 * (at(H) - at(-H)) - (at(2 * H) - at(-2 * H))) / (12 * H)


def entries(name):
    return [f"{name}{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]


def along(text, values, rates):
    """A formula and its rate along the motion."""
    y = read(read_text(text.replace("**", "^"), {s: sp.Symbol(s, real=True) for s in values}), Graph())
    moving = [y.graph.symbol(name) for name in rates if name in values]
    (rate,) = tangent([y], moving, [rates[s.key[1]] for s in moving])
    return tuple(float(v) for v in evaluate([y, rate], values))
