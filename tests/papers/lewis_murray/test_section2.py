"""Section 2 of [lewis1995]: every claim comes out as the derivation says; and what is wrong is noticed."""

import pytest
import sympy as sp

from dalembert.geometry import affine_distribution
from dalembert.principles.nonholonomic import nonholonomic
from dalembert.principles.vakonomic import vakonomic
from dalembert_papers.arbitrary import unknown
from dalembert_papers.lewis_murray import section2
from dalembert_papers.lewis_murray.section2 import (
    arbitrary_forms,
    calculus_of_forms,
    equal_steps,
    first_variations,
    instances,
    rolling_penny,
)


def test_sufficient_is_not_necessary_and_integrable_is_not_enough():
    """The three cases of Proposition 2.8 are all there: gamma in D; only [gamma, D] in D; neither."""
    assert {(each.in_D, each.kept) for each in instances.instances()} == {(True, True), (False, True), (False, False)}


def test_the_lie_derivative_is_cartans():
    """L_gamma w = gamma _| dw + d(w(gamma)), for arbitrary w and gamma."""
    w = [unknown(f"w{i}", *arbitrary_forms.Q) for i in range(3)]
    gamma = sp.Matrix([unknown(f"g{i}", *arbitrary_forms.Q) for i in range(3)])
    wg = sum(a * b for a, b in zip(w, gamma, strict=True))
    d = sp.Matrix([wg.diff(q) for q in arbitrary_forms.Q])
    assert sp.expand(calculus_of_forms.lie_derivative(w, gamma) - calculus_of_forms.inner(gamma, w) - d) == sp.zeros(
        3, 1
    )


# --- the claims seen to fail -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", [section2.equations_22_23, section2.difference], ids=lambda g: g.__name__)
def test_nonholonomic_in_place_of_vakonomic_is_noticed(broken, group):
    broken(section2, "vakonomic", nonholonomic)
    assert not all(c.is_right for c in group())


@pytest.mark.parametrize("group", [section2.equation_21, section2.difference], ids=lambda g: g.__name__)
def test_vakonomic_in_place_of_nonholonomic_is_noticed(broken, group):
    broken(section2, "nonholonomic", vakonomic)
    assert not all(c.is_right for c in group())


@pytest.mark.parametrize("name", ["lie_derivative", "inner"])
def test_a_wrong_derivative_of_the_form_is_noticed(broken, name):
    right = getattr(calculus_of_forms, name)
    broken(section2, name, lambda *given: -right(*given))
    assert not all(c.is_right for c in section2.difference())


def test_a_wrong_bracket_is_noticed(broken, monkeypatch):
    monkeypatch.setattr(affine_distribution, "bracket", lambda frame, X, Y: [sp.S.Zero, sp.S.Zero, sp.S.One])
    assert not all(c.is_right for c in section2.sharp_condition())
    broken(section2, "bracket", lambda X, Y: sp.Matrix([0, 0, 1]))
    assert not all(c.is_right for c in section2.difference())


def test_swapped_motions_are_noticed(broken):
    first, second = first_variations.particle_paths()
    broken(section2, "particle_paths", lambda: (second, first))
    assert not any(c.is_right for c in section2.definitions_22_25())


def test_another_multiplier_of_the_penny_is_noticed(monkeypatch):
    made = rolling_penny.penny_system()
    monkeypatch.setitem(rolling_penny.PENNY, "m", 1.01 * made.parameters["m"])  # lam(0) = 1.01 m (xdot, ydot)
    assert not all(c.is_right for c in rolling_penny.penny_motions())


def test_a_leaf_with_another_lagrangian_is_noticed(broken):
    right = equal_steps.run

    def other(equations, start, until):
        moved = {**start, "vx": start["vx"] + 0.01} if equations.principle == "free" else start
        return right(equations, moved, until)

    broken(section2, "run", other)
    assert not all(c.is_right for c in section2.leaf_motion())
