"""Letters for what moves: the rows hold along the motion; the author's are kept, others where that is shorter."""

from importlib import import_module

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate, tangent
from dalembert.equations.printed_sheet import _moving, sheet
from dalembert.equations.quasi_velocity_form import squared
from dalembert.systems import symmetric_sphere

x, v, w, c = sp.symbols("x v w c", real=True)


def lean(name, **given):
    return da.nonholonomic(import_module(f"dalembert.systems.{name}").system().changed(**given)).lean


def state(form, rng):
    """Values and rates of all that is in a lean form, entries of rotations included."""
    values = {
        **form.equations.space.sample(rng),
        **{s: float(rng.uniform(0.5, 1.5)) for s in form.equations.system.symbols},
    }
    values |= {s: float(rng.normal()) for s in form.speeds} | {"t": 0.0}
    values |= dict(zip((u.name for u in form.frame.velocities), map(float, form.motion(values)), strict=True))
    rates = dict(zip(form.states, map(float, evaluate(list(form.rates), values)), strict=True))
    for a in form.equations.space.attitudes.values():
        for k, e in enumerate(a.matrix):
            put(f"{a.name}{k // 3 + 1}{k % 3 + 1}", e, values, rates)
    return values, rates


def put(name, e, values, rates):
    """A name with the value and the rate of a formula along the motion."""
    y = read(e, Graph())
    moving = [s for s in rates if s in values]
    (rate,) = tangent([y], [y.graph.symbol(s) for s in moving], [rates[s] for s in moving])
    known = values | {f"{s}:dot": r for s, r in rates.items()}
    values[name], rates[name] = (float(f) for f in evaluate([y, rate], known))


@pytest.mark.filterwarnings("ignore:.*no rigid body has the moments")
@pytest.mark.parametrize("name", ["symmetric_sphere", "routh_sphere", "chaplygin_top"])
def test_rows_with_letters_hold_along_the_motion(name):
    form, rng = lean(name), np.random.default_rng(3)
    sheet = form._shortest
    assert any(s.name in {"c1:dot", "h1:dot"} for row in sheet.motion for e in row for s in e.free_symbols)
    for _ in range(3):
        values, rates = state(form, rng)
        for symbol, e in sheet.definitions:
            put(symbol.name, e, values, rates)
        known = values | {f"{s}:dot": r for s, r in rates.items()}
        for left, right in sheet.motion:
            graph = Graph()
            here, there = evaluate([read(left, graph), read(right, graph)], known)
            sizes = evaluate([read(t, graph) for t in sp.Add.make_args(sp.expand(left - right))], known)
            assert abs(float(here) - float(there)) < 1e-12 * sum(map(abs, sizes))


def test_the_spin_of_a_sphere_is_the_letter_that_a_paper_has():
    shown = lean("symmetric_sphere").text()
    assert "c1 = R13*w1 + R23*w2 + R33*w3" in shown
    assert "(R33*c1' + c1*R33') = 0" in shown


def test_letters_of_the_author_are_kept():
    shown = lean("symmetric_sphere", definitions={"v0": symmetric_sphere.SPIN}).text()
    assert "v0 = R13*w1 + R23*w2 + R33*w3" in shown
    assert "(R33*v0' + v0*R33') = 0" in shown
    assert "c1'" not in shown


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "rolling_disc", "ball_on_turntable"])
def test_short_equations_are_given_none(name):
    assert all(s.name in lean(name).speeds or s.name.startswith("v") for s in rates_in(lean(name)))


def rates_in(form):
    found = {
        s.name.removesuffix(":dot")
        for row in form._shortest.motion
        for e in row
        for s in e.free_symbols
        if ":dot" in s.name
    }
    return [sp.Symbol(name) for name in found]


def test_what_the_lagrangian_squares():
    assert squared((v - c * w * x) ** 2 / 2 + w**2 + (c * v - c**2 * w * x) ** 3 - (x + c) ** 2, [v, w]) == [
        v - c * w * x
    ]


def swung(**given):
    """A blade whose turning is felt by a sum f that moves, in a place that matters."""
    q = da.coordinates("x y theta")
    L = "m/2*(dot(x)^2 + dot(y)^2) + J/2*f^2*(1 + x^2)^2"
    blade = {"blade": "dot(x)*sin(theta) - dot(y)*cos(theta)"}
    return da.System(q, L, blade, definitions={"f": "dot(theta) + x*dot(y)"}, parameters={"m": 1.3, "J": 0.7}, **given)


def test_a_row_that_is_one_product_keeps_what_moves():
    rows = da.nonholonomic(swung()).lean._shortest.motion
    assert all(any(":dot" in s.name for s in (left - right).free_symbols) for left, right in rows)


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic])
def test_rows_with_multipliers_take_the_rates_of_the_authors_letters(principle):
    equations = principle(swung())
    given = {"lam_blade": 0.2} if equations.states_of_multipliers else {}
    start = equations.start(x=0.4, y=0.1, theta=0.3, vx=0.8, vtheta=-0.6, **given)
    found = equations.evaluate(start)
    values = {**equations.system.values(), **start, **found["multipliers"]}
    rates = {**found["rates"], **found["accelerations"], **found.get("multiplier_rates", {})}
    put("f", equations.system.definitions["f"], values, rates)
    known = values | {f"{s}:dot": r for s, r in rates.items()}
    rows = sheet(equations, *_moving(equations), False).motion
    assert "f:dot" in {s.name for row in rows for e in row for s in e.free_symbols}
    for left, right in rows:
        assert abs(float(evaluate([read(left - right, Graph())], known)[0])) < 1e-12


def test_the_rows_of_a_sphere_with_its_spin_are_those_of_a_paper():
    system = symmetric_sphere.system().changed(definitions={"v0": symmetric_sphere.SPIN})
    shown = da.nonholonomic(system).text()
    assert "v0 = R13*w1 + R23*w2 + R33*w3" in shown
    assert "(I1 - I3)*(-R33*v0' + v0*(R13*w2 - R23*w1)) + I1*w3' = 0" in shown
