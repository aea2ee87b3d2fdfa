"""Every claim about [lewis1995] comes out as the derivation says; and a wrong formula or a wrong ball is noticed."""

import pytest
import sympy as sp

from dalembert.systems import ball_on_turntable as ball
from dalembert_papers.claim import Claim, identity, pair
from dalembert_papers.lewis_murray import derivations, errata
from dalembert_papers.lewis_murray.derivations import (
    closed_forms,
    derived,
    extended_space,
    letters,
    nonholonomic_ball,
    routh_hurwitz,
    vakonomic_ball,
)
from dalembert_papers.vanishing import shown, size, vanishes
from worked import worked

x, y, t = sp.symbols("x y t", real=True)
positive = sp.Symbol("p", positive=True)
f = sp.Function("f")(x)

# the misprints of the paper, without the two of Table 1
PLACES = {
    "(2.2) second line",
    "Remark 2.6.2",
    "(2.7)",
    "(2.9)",
    "Proposition 2.3 proof",
    "(3.6)",
    "3.3 item 2",
    "(3.9d)",
    "(3.11) derivation, line 1",
    "(3.11) derivation, line 3",
    "(3.11) derivation, line 4",
    "before (3.15)",
    "Lemma 3.1",
    "App. C, proof of C.2",
    "C.2",
    "(D.3)",
    "Lemma D.2",
}


def test_every_misprint_fails_as_printed_and_holds_as_repaired():
    found = [c for group in errata.GROUPS for c in worked(group)]
    assert {c.where for c in found if c.erratum and c.is_right} == PLACES


@pytest.mark.parametrize(
    "zero",
    [
        0,
        (x + 1) ** 2 - x**2 - 2 * x - 1,
        sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1,
        1 / (x - y) - (x + y) / (x**2 - y**2),
        sp.sqrt(positive**2) - positive,
        sp.sqrt(x**2 + 2 * x + 1) - sp.Abs(x + 1),
        sp.exp(x + y) - sp.exp(x) * sp.exp(y),
        (x * f).diff(x) - f - x * f.diff(x),
    ],
)
def test_zero_is_recognised(zero):
    assert vanishes(zero)


@pytest.mark.parametrize(
    "other",
    [
        1,
        x - y,
        sp.sqrt(x**2) - x,
        sp.sin(x) - x,
        sp.exp(-50 * positive),
        f - f.diff(x),
        sp.Rational(1, 10**20) * x,
        sp.sin(x) ** 2 + sp.cos(y) ** 2 - 1,
    ],
)
def test_what_is_not_zero_is_refuted(other):
    assert not vanishes(other)
    assert size(other) > 0


@pytest.mark.parametrize("broken", [sp.nan, sp.zoo * x])
def test_what_is_finite_nowhere_is_undecided(broken):
    with pytest.raises(ArithmeticError, match="undecided"):
        vanishes(broken)


def test_a_claim_without_residuals_is_refused():
    with pytest.raises(ValueError, match="nothing to check"):
        identity("(0)", "empty", [])


def test_a_claim_is_right_when_it_comes_out_as_expected():
    assert identity("(0)", "zero", x - x, sp.zeros(2)).is_right
    assert not identity("(0)", "one residual of many", [0, 0, x - y]).is_right
    assert identity("(0)", "misprint", x - y, expected=False).is_right
    assert not Claim("(0)", "", True, "", False).is_right
    assert [c.is_right for c in pair("(0)", "", x, "", 0)] == [True]
    assert [c.is_right for c in pair("(0)", "", 0, "", x)] == [False]
    assert [c.is_right for c in pair("(0)", "", 0, "", 0)] == [False]


def test_residuals_are_shown_short():
    assert shown(x - y) == "x - y"
    assert shown(sum(sp.sin(k * x * y) / (x + k) for k in range(1, 30))).startswith("up to ")


# --- the claims seen to fail -----------------------------------------------------------------------------------------


def forget():
    names = "nonholonomic_form", "vakonomic_form", "rolling", "planar", "nonholonomic_motion", "vakonomic_motion"
    for cached in names:
        getattr(derived, cached).cache_clear()


@pytest.fixture
def wrong_ball(monkeypatch):
    """The ball with a table that turns the other way in one of the constraints only."""
    right = ball.system

    def system(*args, **options):
        wrong = {"roll_x": ball.VX - ball.RADIUS * ball.W2 - ball.OMEGA * ball.Y}
        wrong["roll_y"] = ball.VY + ball.RADIUS * ball.W1 - ball.OMEGA * ball.X
        return right(*args, **options).changed(constraints=wrong)

    forget()
    monkeypatch.setattr(ball, "system", system)
    yield
    forget()


@pytest.mark.parametrize(
    "group",
    [
        derivations.matrix_form,
        derivations.rolling_relations,
        derivations.frictionless,
        derivations.friction,
        derivations.eigenvalues,
        derivations.undamped,
        derivations.damped,
        derivations.multiplier_rates,
        derivations.lemma_3_1,
        errata.equation_36,
        errata.before_315,
    ],
    ids=lambda g: g.__name__,
)
@pytest.mark.usefixtures("wrong_ball")
def test_a_wrong_constraint_is_noticed(group):
    assert not all(c.is_right for c in group())


def test_a_wrong_rate_of_the_multipliers_is_noticed():
    motion = derived.vakonomic_motion()
    assert all(map(vanishes, vakonomic_ball.residuals_315(motion)))
    for k in letters.lamdot:
        assert not all(map(vanishes, vakonomic_ball.residuals_315({**motion, k: -motion[k]})))


@pytest.mark.parametrize(
    ("home", "formula", "groups"),
    [
        (nonholonomic_ball, "equations_36", (derivations.frictionless, derivations.friction)),
        (extended_space, "equation_39a", (derivations.lagrange_equations, derivations.reduced_vakonomic)),
        (extended_space, "equation_39d", (derivations.lagrange_equations,)),
        (vakonomic_ball, "equation_311", (derivations.reduced_vakonomic,)),
        (closed_forms, "closed_form", (derivations.undamped,)),
        (closed_forms, "spiral", (derivations.damped,)),
        (routh_hurwitz, "stability_determinant", (derivations.stability,)),
    ],
)
def test_a_wrong_formula_is_noticed(broken, home, formula, groups):
    right = getattr(home, formula)
    change = {ball.OMEGA: -ball.OMEGA, ball.INERTIA: 2 * ball.INERTIA}

    def wrong(*args, **options):
        value = right(*args, **options)
        if isinstance(value, list):
            return [e.subs(change, simultaneous=True) for e in value]
        return value.subs(change, simultaneous=True)

    broken(derivations, formula, wrong)
    for group in groups:
        assert not all(c.is_right for c in group())
