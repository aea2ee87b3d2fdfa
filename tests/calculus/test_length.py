"""Whether an expression is short, decided without counting all of a long one."""

import random

import pytest
import sympy as sp

from dalembert.calculus import simplification
from dalembert.calculus.simplification import SUMMANDS, at_most, expanded, summands

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
        few = max(summands(e), summands(f)) <= SUMMANDS
        assert at_most(bound, e) == (one <= bound and summands(e) <= SUMMANDS)
        assert at_most(bound, e, f) == (both <= bound and few)


def test_a_long_expression_is_not_read_to_its_end(monkeypatch):
    e = X
    for _ in range(40):
        e = sp.Add(sp.sin(e), sp.cos(e), evaluate=False)  # 2^40 operations, 80 of them different

    def refuse(e):
        raise AssertionError("counted")

    monkeypatch.setattr(simplification.sp, "count_ops", refuse)
    assert not at_most(1000, e)


def test_nothing_is_short():
    assert at_most(0)
    assert at_most(0, X, sp.S.Zero)
    assert not at_most(0, X + Y)


@pytest.mark.parametrize("seed", range(40))
def test_an_expansion_has_no_more_summands_than_were_counted(seed):
    rng = random.Random(seed)
    e = sp.Integer(1)
    for _ in range(3):
        e = rng.choice([e + grown(rng, 3), e * grown(rng, 3), (e + rng.choice(LEAVES)) ** rng.randrange(-3, 5)])
    if summands(e) <= 300:
        assert len(sp.Add.make_args(sp.expand(e))) <= summands(e)


def test_the_summands_of_a_power_are_counted_exactly():
    a = sp.symbols("a:4", positive=True)
    for k, n in ((2, 5), (3, 4), (4, 3)):
        power = sum(a[:k]) ** n
        assert summands(power) == len(sp.expand(power).args)


def test_what_would_be_long_is_left_as_it_is_and_is_not_short():
    a = sp.symbols("a:6", positive=True)
    power = sum(a) ** 30
    assert expanded(power) is power
    assert expanded((X + Y) ** 3) == sp.expand((X + Y) ** 3)
    assert not at_most(1000, power)
    assert not at_most(1000, sp.sin(power) + 1)
