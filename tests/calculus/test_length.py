"""Whether an expression is short, decided without counting all of a long one."""

import random

import pytest
import sympy as sp

from dalembert.calculus import length
from dalembert.calculus.length import at_most

X, Y, Z = sp.symbols("x y z", real=True)
LEAVES = [X, Y, Z, sp.Integer(-1), sp.Integer(2), sp.Rational(-1, 2), sp.pi, sp.Float(0.3)]


def grown(rng, size):
    """A random expression of about so many steps."""
    e = rng.choice(LEAVES)
    for _ in range(size):
        other = rng.choice(LEAVES)
        e = rng.choice(
            [
                lambda e, o: e + o, lambda e, o: e - o, lambda e, o: -e * o, lambda e, o: e / (1 + o**2),
                lambda e, o: sp.sin(e) - o, lambda e, o: sp.sqrt(e**2 + o**2), lambda e, o: -1 / (2 + e**2) + o * e,
            ]
        )(e, other)  # fmt: skip
    return e


@pytest.mark.parametrize("seed", range(40))
def test_the_answer_is_that_of_the_count(seed):
    rng = random.Random(seed)
    e, f = grown(rng, rng.randrange(1, 30)), grown(rng, rng.randrange(1, 6))
    one, both = int(sp.count_ops(e)), int(sp.count_ops(e) + sp.count_ops(f))
    for bound in {0, one // 2, one - 1, one, one + 1, both - 1, both, 2 * both} - {-1}:
        assert at_most(bound, e) == (one <= bound)
        assert at_most(bound, e, f) == (both <= bound)


def test_a_long_expression_is_not_read_to_its_end(monkeypatch):
    e = X
    for _ in range(40):
        e = sp.Add(sp.sin(e), sp.cos(e), evaluate=False)  # 2^40 operations, 80 of them different

    def refuse(e):
        raise AssertionError("counted")

    monkeypatch.setattr(length.sp, "count_ops", refuse)
    assert not at_most(1000, e)


def test_nothing_is_short():
    assert at_most(0)
    assert at_most(0, X, sp.S.Zero)
    assert not at_most(0, X + Y)
