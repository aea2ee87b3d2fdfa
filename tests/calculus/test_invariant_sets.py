"""Invariant branches: polynomials, their signs, and the largest invariant part of their zeros."""

import pytest
import sympy as sp

from dalembert.calculus.invariant_sets import BranchSearch, PolynomialBranch, independent
from dalembert.calculus.polynomials import Atoms, NotPolynomial, Polynomials, closure

x, y, z, w = sp.symbols("x y z w", real=True)
m, k = sp.symbols("m k", positive=True)


def branches(conditions, flow, relations=()):
    """Invariant branches as sets of expressions, for xdot = flow[x]."""
    atoms = Atoms()
    for e in (*conditions, *flow.values(), *relations):
        atoms.read(sp.sympify(e))
    closure(atoms, set(flow))
    ring = Polynomials(atoms, (*flow, m, k), relations)
    moving = ring.moving({s: ring.read(sp.sympify(e)) for s, e in flow.items()})

    def rate(p):
        total = ring.ring.zero
        for place, r in moving.items():
            assert r.denom == 1
            total += p.diff(ring.ring.gens[place]) * r.numer
        return ring.remainder(total)

    search = BranchSearch(ring, [[ring.place[s] for s in (*flow, *atoms.meaning)]], rate)
    pending = tuple(ring.read(c).numer for c in conditions)
    found = independent(search.branches(PolynomialBranch(pending=pending)), search)
    assert not search.open
    return {frozenset(ring.expression(p) for p in b.polynomials) for b in found}


def test_a_condition_is_differentiated_until_it_is_closed():
    # x = 0 along the oscillator xdot = y, ydot = -x: y = 0 too
    assert branches([x], {x: y, y: -x}) == {frozenset({x, y})}
    assert branches([x], {x: y, y: 0}) == {frozenset({x, y})}
    assert branches([x], {x: x, y: 1}) == {frozenset({x})}


def test_products_split_and_branches_inside_others_go():
    assert branches([x * y], {x: 0, y: 0}) == {frozenset({x}), frozenset({y})}
    assert branches([x * y, x], {x: 0, y: 0}) == {frozenset({x})}


def test_what_cannot_vanish_leaves_nothing():
    assert branches([m * x**2 + k], {x: 0}) == set()
    assert branches([x - 1], {x: 1}) == set()


def test_a_mean_of_squares_of_sine_and_cosine_has_the_sign_of_both_ends():
    # sin^2 + k cos^2, reduced to 1 + (k - 1) cos^2, never vanishes; sin^2 - k cos^2 does, and so does k cos^2
    atoms = Atoms()
    mean, difference, end = (
        atoms.read(e)
        for e in (sp.sin(x) ** 2 + k * sp.cos(x) ** 2, sp.sin(x) ** 2 - k * sp.cos(x) ** 2, k * sp.cos(x) ** 2)
    )
    ring = Polynomials(atoms, (x, k))
    p, q, r = (ring.remainder(ring.fraction_of(e).numer) for e in (mean, difference, end))
    assert (ring.never_zero(p), ring.never_zero(-p), ring.never_zero(q), ring.never_zero(r)) == (
        True,
        True,
        False,
        False,
    )
    assert not ring.never_zero(p, between=False)
    assert not ring.never_zero(p + ring.read(sp.cos(x)).numer)


def test_a_sum_of_squares_vanishes_with_its_terms():
    assert branches([m * x**2 + k * y**4], {x: 0, y: 0}) == {frozenset({x, y})}


def test_leading_coefficients_split():
    # x y = z with everything at rest in place: x = z/y, or y = z = 0
    found = branches([x * y - z, z], {x: 0, y: 0, z: 0})
    assert found == {frozenset({z, x}), frozenset({z, y})}


def test_angles_know_that_their_squares_add_to_one():
    found = branches([sp.sin(x) ** 2 - 1, y], {x: 0, y: sp.cos(x)})
    assert found == {frozenset({sp.cos(x), y})}
    assert branches([y, sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1], {x: 0, y: 0}) == {frozenset({y})}


def test_roots_are_what_they_are():
    # sqrt(1 + x^2) has no zero, and its square is 1 + x^2
    assert branches([sp.sqrt(1 + x**2) * y], {x: 0, y: 0}) == {frozenset({y})}
    assert branches([sp.sqrt(1 + x**2) ** 4 - (1 + x**2) ** 2], {x: 0}) == {frozenset()}


@pytest.mark.parametrize("e", [sp.sign(x), sp.Heaviside(x), sp.floor(x)])
def test_jumps_are_refused(e):
    with pytest.raises(NotPolynomial):
        Atoms().read(x * e)


def test_atoms_are_read_once():
    atoms = Atoms()
    e = sp.tan(2 * x) + sp.exp(3 * y) * sp.exp(-y) + sp.sqrt(x**2 + 1) * sp.Rational(1, 2) + 0.5 * sp.pi
    rational = atoms.read(e)
    assert set(atoms.meaning.values()) == {sp.sin(x), sp.cos(x), sp.exp(y), sp.sqrt(x**2 + 1), sp.pi}
    value = rational.xreplace(atoms.meaning).subs({x: 0.3, y: 0.7})
    assert float(value) == pytest.approx(float(e.subs({x: 0.3, y: 0.7})), rel=1e-14)
