"""Every claim about the notes comes out as the derivation says; and a wrong formula or a wrong motion is noticed."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from sympy.calculus.euler import euler_equations

from dalembert.calculus.frame import TIME
from dalembert_papers import sicm
from dalembert_papers.arbitrary import jet
from dalembert_papers.reproduction import Chapter
from dalembert_papers.sicm import bowl, errata, examples, general, motions
from dalembert_papers.sicm.notation import path
from dalembert_papers.vanishing import vanishes
from worked import worked

EXAMPLES = (*examples.nonholonomic_examples(), examples.growing_ring())


def test_the_stray_psi_is_the_only_misprint():
    """The sentence after (1.185) on eta and d1 psi is right."""
    found = [c for group in errata.GROUPS for c in worked(group)]
    assert {c.where for c in found if c.erratum} == {"(1.237)"}
    assert all(c.is_right for c in found)


# --- SymPy's own Euler equations, along functions of the time --------------------------------------------------------


def on_path(example):
    """q(t), lam(t) and the substitution of symbols by functions and their derivatives."""
    p = example.path
    q = [sp.Function(s.name)(TIME) for s in p.q]
    lam = sp.Function("lam")(TIME)
    by_symbol = dict(zip(p.q, q, strict=True))
    by_symbol |= dict(zip(p.v, [f.diff(TIME) for f in q], strict=True))
    by_symbol |= dict(zip(p.a, [f.diff(TIME, 2) for f in q], strict=True))
    return p, q, lam, {**by_symbol, p.lam: lam, p.Dlam: lam.diff(TIME)}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_both_sets_against_sympys_euler_equations(example):
    p, q, lam, by_symbol = on_path(example)
    L, psi = (e.xreplace(by_symbol) for e in (example.system.lagrangian, example.psi))
    # SymPy gives dL/dq - d/dt dL/dqdot
    plain = [-e.lhs for e in euler_equations(L, q, [TIME])]
    appended = [-e.lhs for e in euler_equations(L + lam * psi, q, [TIME])]
    second = general.vakonomic_rows(example.system, p).xreplace(by_symbol)
    assert all(vanishes(a - b) for a, b in zip(appended, second, strict=True))
    reaction = sp.Symbol("l")
    first = general.nonholonomic_rows(example.system, p, reaction)
    normal = p.d2(example.psi)
    for a, b, g in zip(plain, first, normal, strict=True):
        assert vanishes(a - reaction * g.xreplace(by_symbol) - b.xreplace(by_symbol))


def test_a_jet_has_arbitrary_derivatives_at_every_point():
    p = path(2)
    f = jet("c", (TIME, *p.q), 2)
    coefficients = sorted(f.free_symbols - {TIME, *p.q}, key=str)
    derivatives = [f, *(f.diff(s) for s in (TIME, *p.q)), *sp.hessian(f, (TIME, *p.q)).vech()]
    assert len(derivatives) == len(coefficients) == 10
    assert sp.Matrix(derivatives).jacobian(coefficients).det().is_nonzero


# --- the claims seen to fail -----------------------------------------------------------------------------------------


def without_rate(p, L, psi):
    return p.E(L) + p.lam * p.D(p.d2(psi)) - p.lam * p.d1(psi)


def other_sign(p, L, psi):
    return p.E(L) + p.Dlam * p.d2(psi) + p.lam * p.D(p.d2(psi)) + p.lam * p.d1(psi)


def minus_psi(p, L, psi):
    return p.E(L) - p.Dlam * p.d2(psi) - p.lam * p.D(p.d2(psi)) + p.lam * p.d1(psi)


@pytest.mark.parametrize("wrong", [without_rate, other_sign, minus_psi])
@pytest.mark.parametrize(
    "group", [general.second_set, general.difference, general.integrable], ids=lambda g: g.__name__
)
def test_a_wrong_1240_is_noticed(monkeypatch, wrong, group):
    monkeypatch.setattr(general, "equation_1240", wrong)
    assert not all(c.is_right for c in group())


@pytest.mark.parametrize("group", [general.first_set, general.difference, general.integrable], ids=lambda g: g.__name__)
def test_a_wrong_1231_is_noticed(monkeypatch, group):
    monkeypatch.setattr(general, "equation_1231", lambda p, L, psi, l: p.E(L) + l * p.d2(psi))
    assert not all(c.is_right for c in group())


def test_a_wrong_condition_on_eta_is_noticed(monkeypatch):
    monkeypatch.setattr(general, "equation_1185", lambda p, psi, eta, Deta: p.dot(p.d2(psi), eta))
    assert not all(c.is_right for c in general.variations())


def test_velocities_that_are_not_virtual_are_noticed(monkeypatch):
    monkeypatch.setattr(general, "virtual_velocities", lambda G1: [G1])
    assert not all(c.is_right for c in general.principle())


@pytest.mark.parametrize(
    ("name", "group"),
    [("vakonomic", general.second_set), ("nonholonomic", general.first_set)],
    ids=["vakonomic", "nonholonomic"],
)
def test_the_other_principle_is_noticed(monkeypatch, name, group):
    other = {"vakonomic": general.nonholonomic, "nonholonomic": general.vakonomic}[name]
    monkeypatch.setattr(general, name, other)
    assert not all(c.is_right for c in group())


def test_a_wrong_curl_is_noticed(monkeypatch):
    right = general.curl
    monkeypatch.setattr(general, "curl", lambda given: -right(given))
    assert not all(c.is_right for c in general.frobenius())


def test_a_wrong_closed_form_is_noticed(monkeypatch):
    monkeypatch.setattr(motions, "circle", lambda t: (np.sin(t), 1 + np.cos(t)))
    assert not all(c.is_right for c in motions.closed_forms())


def test_a_multiplier_of_the_wrong_sign_is_noticed(monkeypatch):
    right = motions.gap

    def wrong(example, state, lam):
        found = right(example, state, lam)
        return found._replace(formula=-found.formula)

    monkeypatch.setattr(motions, "gap", wrong)
    assert not all(c.is_right for c in motions.accelerations())


def test_one_motion_for_every_lam_would_be_noticed(monkeypatch):
    right = motions.run
    monkeypatch.setattr(motions, "run", lambda example, lam=None: right(example))
    motions.family.cache_clear()
    try:
        assert not all(c.is_right for c in motions.initial_value())
    finally:
        motions.family.cache_clear()


def test_another_turning_rate_is_noticed(monkeypatch):
    right = bowl.turning_rate
    monkeypatch.setattr(bowl, "turning_rate", lambda *given: 1.01 * right(*given))
    bowl.turn.cache_clear()
    try:
        assert not all(c.is_right for c in bowl.returns())
    finally:
        bowl.turn.cache_clear()


# --- what is printed and drawn ---------------------------------------------------------------------------------------


def test_a_wrong_claim_makes_it_fail(monkeypatch, capsys):
    monkeypatch.setattr(general, "equation_1231", lambda p, L, psi, l: p.E(L))
    tampered = replace(sicm.PAPER, chapters=[Chapter("", [general.first_set])])
    assert tampered.reproduce(None) == 1
    assert "UNEXPECTED" in capsys.readouterr().out


def test_two_figures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    from dalembert.show.top_view import prepare
    from dalembert_papers.sicm import figures

    prepare(tmp_path)
    drawn = [file for files in figures.draw(tmp_path) for file in files]
    assert sorted(file.suffix for file in drawn) == [".png", ".png", ".svg", ".svg"]
    assert all(file.stat().st_size > 5000 for file in drawn)
