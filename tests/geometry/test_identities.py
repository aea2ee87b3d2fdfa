"""What vanishes at all states is shown, what does not is contradicted by a state; neither is taken for the other."""

import math
from fractions import Fraction

import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.exact.finite_field import ResiduePoint, as_written, given_exactly
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph
from dalembert.geometry.constraint_rank import ranks
from dalembert.geometry.identities import MotionNodes, points, vanish
from dalembert.geometry.random_states import ConstraintSampler

Q = da.coordinates("x y")
(X, Y), (VX, VY) = Q.coordinates, Q.velocities
T = (VX**2 + VY**2) / 2
R = sp.sqrt(X**2 + Y**2)
CIRCLE = da.coordinates("x y theta")
THETA, W = CIRCLE.coordinates[2], CIRCLE.velocities[2]
A, B, C = sp.symbols("a b c")


def zero(e, **known):
    graph = Graph()
    node = read(sp.sympify(e), graph)
    at = {name: Fraction(value) for name, value in known.items()}
    here = [ResiduePoint(graph, at, seed=seed) for seed in range(40)]
    found = [p(node.index) == 0 for p in here]
    return all(f for f, p in zip(found, here, strict=True) if not p.blind)


def constant(system, f):
    sampler = ConstraintSampler(system)
    return MotionNodes.of(sampler, ranks(system).kept).constant(read(sp.sympify(f), sampler.graph))


@pytest.mark.parametrize(
    "e",
    [
        sp.exp(A + B) - sp.exp(A) * sp.exp(B),
        sp.Mul(sp.exp(A), sp.exp(-A), evaluate=False) - 1,
        sp.exp(20 * A) - sp.exp(4 * A) ** 5,
        sp.cosh(A) ** 2 - sp.sinh(A) ** 2 - 1,
        sp.tanh(A) * sp.cosh(A) - sp.sinh(A),
        sp.tan(A) * sp.cos(A) - sp.sin(A),
        sp.Pow(A, sp.Float(2.5)) - A**2 * sp.sqrt(A),
        sp.sqrt(A**2 + B**2) ** 2 - A**2 - B**2,
        sp.Pow(A + B, sp.Rational(1, 3)) ** 3 - A - B,
        sp.sqrt(4 * A * B) - 2 * sp.sqrt(A) * sp.sqrt(B),
        sp.Abs(A) * sp.sign(A) - A,
        sp.Max(A, B) + sp.Min(A, B) - A - B,
        sp.Max(0, A) ** 2 - A * sp.Max(0, A),
        sp.Add(0.1 * A, 0.2 * A, -0.3 * A, evaluate=False),
        sp.Float(1) / 3 * (3 * A) - A,
    ],
)
def test_relations_of_functions_are_kept(e):
    assert zero(e)


@pytest.mark.parametrize(
    "e",
    [
        sp.sqrt(A**2) - A,
        sp.Abs(A) - A,
        sp.Max(0, A) - A,
        sp.Max(0, A),
        sp.exp(A) - 1,
        sp.exp(-50 * (A - 7) ** 2),
        1e-12 * A,
        sp.cosh(A) - sp.sinh(A),
        sp.Float("1.000000001") * A - A,
        sp.sqrt(A**2 * B) - A * sp.sqrt(B),
    ],
)
def test_what_differs_is_not_taken_for_equal(e):
    assert not zero(e)


def test_numbers_are_read_as_they_were_written():
    assert as_written(0.1) == Fraction(1, 10) and as_written(1e-12) == Fraction(1, 10**12)
    assert as_written(0.1 + 0.2) == Fraction(3, 10) and as_written(-2 / 3) == Fraction(-2, 3)
    assert given_exactly(1e-300) and not given_exactly(2**0.5)
    assert zero(A * B - A / 10, b=Fraction("0.1")) and not zero(A * B - A / 10, b=Fraction("0.1000000001"))
    assert zero(A**B - A**2, b=2) and zero(sp.sin(B) + sp.exp(B) - 1, b=0)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1, 1e6])
def test_a_small_term_breaks_what_a_term_of_any_size_breaks(scale):
    assert constant(da.System(Q, T - scale * (X**2 + Y**2)), X * VY - Y * VX).value is True
    broken = constant(da.System(Q, T - scale * X**2), X * VY - Y * VX)
    assert broken.value is False and broken.witness
    assert constant(da.System(Q, T, forces={"vx": -scale * VX}), T).value is False
    assert constant(da.System(Q, T, forces={"vx": scale * VY, "vy": -scale * VX}), T).value is True


@pytest.mark.parametrize("force", [sp.exp(-50 * (X - 7) ** 2), sp.Max(0, X - 100), sp.Max(0, -1e9 - X), sp.exp(X - 30)])
def test_a_feature_far_away_is_present_everywhere(force):
    system = da.System(Q, T, forces={"vx": force})
    found = constant(system, VX)
    assert found.value is False and float(force.subs(X, found.witness["x"])) >= 0
    assert constant(system, VY).value is True


def test_integrals_of_kepler_of_a_pendulum_of_a_sleigh_and_of_a_body():
    kepler = da.System(Q, T + 1 / R)
    for f in (X * VY - Y * VX, T - 1 / R, VY * (X * VY - Y * VX) - X / R):
        assert constant(kepler, f).value is True
    assert constant(kepler, VX).value is False
    pendulum = da.System(Q, T - 9.81 * Y, {"rod": X**2 + Y**2 - 2})
    assert constant(pendulum, T + 9.81 * Y).value is True and constant(pendulum, VX).value is False
    vx, vy, _ = CIRCLE.velocities
    blade = vy * sp.cos(THETA) - vx * sp.sin(THETA)
    sleigh = da.System(CIRCLE, (vx**2 + vy**2 + 2 * W**2) / 2, {"blade": blade})
    assert constant(sleigh, W).value is True and constant(sleigh, vx).value is False
    assert constant(sleigh, vx * sp.cos(THETA) + vy * sp.sin(THETA)).value is True
    rolling = da.System(CIRCLE, (vx**2 + vy**2 + W**2) / 2, {"cone": vx**2 + vy**2 - W**2})
    assert constant(rolling, W).value is True and constant(rolling, vx - 0.1 * vx**2).value is True
    body = da.rotation()
    a, b, c = body.velocities
    assert constant(da.System(body, (2 * a**2 + 3 * b**2 + 1.5 * c**2) / 2), 4 * a**2 + 9 * b**2 + 2.25 * c**2).value


def test_what_numbers_cannot_tell_is_not_decided():
    system = da.System(Q, T)
    sampler = ConstraintSampler(system)
    node = sampler.graph.apply("asin", read(X, sampler.graph)) + sampler.graph.apply("acos", read(X, sampler.graph))
    found = vanish([node - math.pi / 2], sampler, "it")
    assert found.value is None
    with pytest.raises(da.DalembertError, match="E158"):
        bool(found)


def test_points_lie_on_the_constraints():
    vx, vy, _ = CIRCLE.velocities
    x, y, _ = CIRCLE.coordinates
    system = da.System(CIRCLE, vx**2 + vy**2 + W**2, {"rod": x**2 + y**2 - 3, "blade": vx * y - vy * x - W + 2})
    sampler = ConstraintSampler(system)
    here = next(points(sampler))
    assert all(here(f.index) == 0 for f in (*sampler.positions, *sampler.phi))
    assert here(read(x, sampler.graph).index) != 0
