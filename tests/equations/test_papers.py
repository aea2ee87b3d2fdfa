r"""Equations as a paper has them: letters, order, factors, abbreviations; nothing hostile, and nothing waited for."""

from importlib import import_module

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus import printing
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.printing import Order
from dalembert.calculus.readable_form import readable
from dalembert.calculus.symbol_letters import ACCELERATION, Alphabet, letters, multiplier
from dalembert.equations import written_rows

from .test_typeset import NAMES

x, y, v, a, m, r, inertia, th = sp.symbols("x y v a m r I theta", real=True)


def short(e, **definitions):
    graph = Graph()
    return readable([read(e, graph)], {}, definitions={n: read(d, graph) for n, d in definitions.items()})[0]


def ball(**more):
    space = da.plane("x y") * da.rotation("R", velocities="w1 w2 w3")
    L = "m/2*(dot(x)^2 + dot(y)^2) + I/2*(w1^2 + w2^2 + w3^2)"
    rows = {"roll_x": "dot(x) - r*w2 + Omega*y", "roll_y": "dot(y) + r*w1 - Omega*x"}
    return da.System(space, L, rows, parameters={"m": 1.0, "r": 0.1, "I": 0.01, "Omega": 2.0}, **more)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((v * y**2 + v) / (y**2 + 1), "v"),
        (sp.expand((x**2 + y**2) ** 2 * a), "a*(x**2 + y**2)**2"),
        (a / sp.expand((x**2 + y**2) ** 2), "a/(x**2 + y**2)**2"),
        (m * sp.sin(th) ** 2 + m * sp.cos(th) ** 2, "m"),
        (x * y + x * v + a * y + a * v, "(a + x)*(v + y)"),
    ],
)
def test_factored_and_cancelled_as_a_person_would(given, text):
    assert printing.plain(short(given), {}) == text


def test_what_is_shortened_is_what_it_was():
    rng = np.random.default_rng(5)
    symbols = (x, y, v, a, m, r, inertia, th)
    for _ in range(60):
        base = sp.Add(*(sp.Mul(*(symbols[i] for i in rng.integers(0, 8, 3))) for _ in range(4))) + 3
        e = (base * (x**2 + y**2) + sp.cos(th) ** 2 * v) ** 2 / (x**2 + y**2) ** int(rng.integers(1, 4))
        found = short(sp.expand(e), I_r=inertia + m * r**2).xreplace({sp.Symbol("I_r", real=True): inertia + m * r**2})
        values = {s.name: float(rng.uniform(0.5, 1.5)) for s in symbols}
        graph = Graph()
        here, there = evaluate([read(e, graph), read(found, graph)], values)
        np.testing.assert_allclose(there, here, rtol=1e-11)


def test_an_abbreviation_is_put_in_where_that_is_shorter():
    assert printing.plain(short((inertia + m * r**2) * v + inertia * a, I_r=inertia + m * r**2), {}) == "a*I + I_r*v"


def test_letters_of_a_paper():
    assert multiplier("roll_x") == r"\lambda_{\mathrm{roll},x}"
    equations = da.nonholonomic(ball(symbols={"w1": r"\omega_1", "Omega": r"\bar{\Omega}"}))
    text = equations.latex()
    assert r"I \dot{\omega}_1 &= r \lambda_{\mathrm{roll},y}" in text
    assert r"\bar{\Omega} y" in text
    assert r"\omega_1" in equations.system.to_latex()
    assert r"\omega_1" in equations.lean.latex()


def test_abbreviations_are_kept():
    equations = da.nonholonomic(ball(definitions={"I_r": "I + m*r^2"}))
    text = equations.lean.text()
    assert "I_r = I + m*r**2" in text
    assert "I_r*vx' = -I*Omega*vy" in text
    assert r"I_{r} \ddot{x} &= - I \Omega \dot{y}" in equations.lean.latex()


def test_abbreviations_may_be_used_in_texts():
    free = da.System(da.line("x"), "M*dot(x)^2/2", parameters={"m": 1.0, "k": 2.0}, definitions={"M": "m + k"})
    assert free.lagrangian == (free.symbols["m"] + free.symbols["k"]) * sp.Symbol("vx", real=True) ** 2 / 2
    assert free.changed(lagrangian="M*dot(x)^2").definitions == free.definitions


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"symbols": {"w1": r"\input{/etc/passwd}"}}, "E151"),
        ({"symbols": {"w1": r"\input{x}"}}, "E151"),
        ({"symbols": {"w1": r"\href{javascript:alert(1)}{x}"}}, "E151"),
        ({"symbols": {"w1": "<script>alert(1)</script>"}}, "E151"),
        ({"symbols": {"w1": "a}$b"}}, "E151"),
        ({"symbols": {"w1": "a}{b"}}, "E151"),
        ({"symbols": {"w1": "x_1_2"}}, "E151"),
        ({"symbols": {"w1": ""}}, "E151"),
        ({"symbols": {"w1": 3}}, "E151"),
        ({"symbols": {"nothing": "x"}}, "E104"),
        ({"symbols": [1]}, "E110"),
        ({"definitions": {"m": "I"}}, "E103"),
        ({"definitions": {"a b": "I"}}, "E719"),
        ({"definitions": {"J": "I + zeta"}}, "E702"),
        ({"definitions": 7}, "E110"),
    ],
)
def test_what_is_no_letter_and_no_abbreviation_is_refused(given, code):
    with pytest.raises(da.DalembertError, match=code):
        ball(**given)


def test_files_hold_letters_and_abbreviations(tmp_path):
    given = ball(symbols={"w1": r"\omega_1"}, definitions={"I_r": "I + m*r^2"})
    da.write(given, tmp_path / "ball.toml")
    found = da.read(tmp_path / "ball.toml").system
    assert found.letters == {"w1": r"\omega_1"}
    assert {n: str(e) for n, e in found.definitions.items()} == {"I_r": "I + m*r**2"}


def test_second_derivatives_come_first_and_a_sum_begins_with_a_plus():
    names = letters((x,), {x: v}, (v,))
    acc, (k, c) = sp.Symbol("v:dot"), sp.symbols("k c")
    assert printing.plain(k * x + c * v + m * acc, names) == "m*v' + c*v + k*x"
    assert printing.latex(k * x + c * v + m * acc, names) == r"m \ddot{x} + c \dot{x} + k x"
    assert printing.plain(k - m, {}) in ("k - m",)
    assert printing.plain(-(k - m) * x, {}) == "x*(m - k)"


@pytest.mark.parametrize("name", [n for n in NAMES if n != "whipple_bicycle"])
def test_rows_of_all_systems_are_in_order(name):
    equations = da.nonholonomic(import_module(f"dalembert.systems.{name}").system())
    udot = {u: sp.Symbol(f"{u.name}:dot") for u in equations.space.velocities}
    names = Alphabet({}, {u.name: 2 for u in equations.space.velocities})
    order = Order(names, str)
    for left, _ in written_rows.rows(equations, udot, list(equations.multipliers)):
        degrees = [order.degrees(t)[0] for t in order.terms(left)]
        assert degrees == sorted(degrees, reverse=True)
        assert names.rank("x:dot") == ACCELERATION


def test_printing_starts_no_search(monkeypatch):
    from dalembert.geometry import constraint_integrals

    calls = []
    monkeypatch.setattr(constraint_integrals, "solved_rows", lambda *a: calls.append(a) or ())
    space = da.coordinates("x y z")
    rows = {"one": "dot(z) - y*dot(x) + x*dot(y)*0", "two": "x*dot(z) + y*dot(y)"}
    equations = da.nonholonomic(da.System(space, "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2", rows))
    str(equations)
    assert not calls
    bicycle = da.nonholonomic(import_module("dalembert.systems.whipple_bicycle").system())
    assert len(str(bicycle).splitlines()) <= 25


def test_a_finding_is_not_cut():
    space = da.coordinates("x_first_coordinate y_second_coordinate z_third_coordinate")
    L = "+".join(f"dot({q})^2/2" for q in space.coordinates)
    phi = "z_third_coordinate*dot(x_first_coordinate) + x_first_coordinate*dot(z_third_coordinate)"
    shown = str(da.nonholonomic(da.System(space, L, {"a_constraint_of_a_long_name": phi})))
    assert "x_first_coordinate*z_third_coordinate" in shown
    assert "..." not in shown
    assert max(map(len, shown.splitlines())) <= 80
