"""That two polynomials have no factor in common is told from their values, and never when they have one."""

from __future__ import annotations

import random

import pytest
from sympy import QQ
from sympy.polys.rings import PolyRing

from dalembert.calculus import polynomials
from dalembert.calculus.polynomials import coprime

RING = PolyRing("a b c d", QQ)
A, B, C, D = RING.gens


def some(rng: random.Random):
    """A sum of a few products with small fractions before them, no product alone."""
    terms = {tuple(rng.choice((0, 0, 1, 2)) for _ in range(4)): QQ(rng.randint(1, 9), rng.choice((1, 2, 3)))
             for _ in range(rng.randint(2, 4))}  # fmt: skip
    p = RING.from_dict(terms)
    return p if len(p) > 1 else p + A + 2


@pytest.mark.parametrize("seed", range(40))
def test_what_is_told_is_what_euclid_finds(seed):
    rng = random.Random(seed)
    f, g, h = some(rng), some(rng), some(rng)
    common = f.gcd(g)
    assert coprime(f, g) == (len(common) == 1)
    assert (
        not coprime(f * h, g * h)
        or len(h.quo(RING.from_dict({tuple(map(min, zip(*h.monoms(), strict=True))): QQ(1)}))) == 1
    )


def test_a_product_is_no_factor_that_is_asked_for():
    assert coprime(A * B * (C + 1), A * B * (C + 2))
    assert not coprime(A * (C + D), B * (C + D) ** 2)
    assert coprime(A + B, C + D)


def test_where_the_place_says_nothing_the_answer_is_no(monkeypatch):
    monkeypatch.setattr(polynomials, "_PRIME", 2)
    assert not coprime(A / 2 + B, A + 3 * B)
