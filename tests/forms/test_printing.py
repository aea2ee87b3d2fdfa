"""A form prints its own equations, and the printed rows are those that are evaluated."""

from importlib import import_module

import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import wheeled_snake

from .conftest import FORMS, PAIRS

SHORT = ("sleigh", "penny", "heisenberg", "conveyor", "bead", "appell_hamel", "massless_wheel")
LAW = {
    "gauss": "least among N u' = g",
    "maggi": "Z^a_i (EL_a(L) - Q_a) = 0",
    "hamel": "d/dt dL*/dv^i - e_i L* + C^c_ij v^j dL*/dv^c = Q_i",
    "voronec": "p_c (Z^c_i' - e_i u^c - C^c_ab Z^a_i u^b)",
    "chaplygin": "(dA^s_i/dq^j - dA^s_j/dq^i)",
    "gibbs_appell": "S = 1/2 g(nabla_u u, nabla_u u)",
    "almost_poisson": "p_i' = {p_i, H} + Z^a_i Q_a",
}


@pytest.mark.parametrize("form", FORMS)
def test_header_law_and_source(shelf, form):
    equations = shelf.equations(form, "sleigh")
    text, latex = equations.text(80), equations.latex()
    assert text.startswith(f"System: {form} (")
    assert LAW[form] in text
    assert "lam" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert latex.count(r"\begin{aligned}") == latex.count(r"\end{aligned}") == 1
    assert equations.formula in latex
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    assert len(str(equations).splitlines()) <= 25
    assert equations.operations()["total"] > 40


def test_a_long_title_is_folded_and_nothing_of_it_lost(shelf):
    title = "A sleigh that was found on the ice of a lake behind the house of the carpenter, with its blade"
    equations = FORMS["hamel"](shelf["sleigh"].changed(title=title))
    lines = str(equations).splitlines()
    assert max(map(len, lines)) <= 80
    assert title in " ".join(line.strip() for line in lines)
    assert equations.text().splitlines()[0].startswith(f"{title}: hamel")


@pytest.mark.parametrize(("form", "name"), [p for p in PAIRS if p[1] in SHORT and p[0] != "almost_poisson"])
def test_printed_rows_hold_for_the_accelerations(shelf, states, form, name):
    equations = shelf.equations(form, name)
    udot = {u: sp.Symbol(f"a_{u}") for u in equations.space.velocities}
    rows = equations._sheet(udot, []).motion
    assert len(rows) == (len(equations.constraints) if form == "gauss" else len(udot) - len(equations.kept))
    values = states(equations, 40, seed=11)
    here = {k: float(v[0]) for k, v in values.items()}
    acc = equations.accelerations(here)[0]
    here |= {f"a_{u}": float(a) for u, a in zip(equations.space.velocities, acc, strict=True)}
    for left, right in rows:
        residual = left - right
        assert abs(residual.xreplace({s: sp.Float(here[s.name], 20) for s in residual.free_symbols})) < 1e-10


def _put_in(e, definitions, here):
    """The number of an expression in which names stand for what was defined before."""
    known = dict(here)
    for name, meaning in (*definitions, (sp.Symbol("e"), e)):
        known[name.name] = meaning.xreplace({s: sp.Float(known[s.name], 20) for s in meaning.free_symbols})
    return known["e"]


@pytest.mark.parametrize("form", ["hamel", "voronec"])
def test_rows_that_nobody_reads_are_written_as_they_are_computed(form):
    # 110,000 characters of the three links' rows multiplied out, 7,000 with names for what returns
    equations = FORMS[form](wheeled_snake.system(3))
    assert max(map(len, str(equations).splitlines())) <= 80 and "c1 = " not in str(equations)
    assert "the equations of motion take" in str(equations) and "the equations of motion take" in equations.latex()
    assert "c1 = " in equations.text() and len(equations.text()) < 20_000
    udot = {u: sp.Symbol(f"a_{u}") for u in equations.space.velocities}
    sheet, start = equations._sheet(udot, []), equations.start(**wheeled_snake.STARTS["bent"])
    here = {**start.parameters, **start.state}
    acc = equations.accelerations(here)[0]
    here |= {f"a_{u}": float(a) for u, a in zip(equations.space.velocities, acc, strict=True)}
    assert len(sheet.motion) == 2
    for left, right in sheet.motion:
        assert abs(_put_in(left - right, sheet.definitions, here)) < 1e-9


@pytest.mark.parametrize("name", ["sleigh", "penny", "heisenberg", "conveyor", "bead"])
def test_printed_momenta_obey_the_printed_bracket(shelf, states, name):
    # d/dt of the printed p_i along the motion is the printed p_i'
    equations = shelf.equations("almost_poisson", name)
    space, system = equations.space, equations.system
    sheet = equations._sheet({u: sp.Symbol(f"{u}:dot") for u in space.velocities}, [])
    momenta = {s: e for s, e in sheet.definitions if s.name.startswith("p_")}
    values = states(equations, 40, seed=12)
    here = {k: float(v[0]) for k, v in values.items()}
    acc = dict(zip(space.velocities, map(float, equations.accelerations(here)[0]), strict=True))
    t = next((s for e in momenta.values() for s in e.free_symbols if s.name == "t"), sp.Symbol("t", real=True))
    number = lambda e: e.xreplace({s: sp.Float(here[s.name], 20) for s in e.free_symbols})  # noqa: E731
    for left, right in sheet.motion:
        p = momenta[sp.Symbol(left.name.removesuffix(":dot"))]
        rate = p.diff(t) + sum(p.diff(x) * r for x, r in {**space.rates, **acc}.items())
        assert abs(number(rate) - number(right.xreplace(momenta))) < 1e-10
    assert len(sheet.motion) == len(momenta) == len(space.velocities) - len(equations.kept)
    assert system.title in equations.header


def test_what_is_too_long_is_not_printed_but_counted(shelf):
    equations = shelf.equations("almost_poisson", "loaded_ball")
    assert "too long to be read" in equations.text()
    assert equations.operations()["total"] > 500


def test_least_constraint_is_printed_up_to_a_length_alone(shelf, monkeypatch):
    system = shelf.equations("gauss", "sleigh").system
    assert "Z = " in da.forms.gauss(system).text().splitlines()[2]
    monkeypatch.setattr(import_module("dalembert.principles.gauss"), "_LONGEST", 3)
    assert "too long to be read" in da.forms.gauss(system).text()
