"""What is below rounding at nearly all places is not 0, and what is 0 by an identity is: ranks, symmetries, forms."""

from itertools import islice

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph
from dalembert.calculus.least_squares import LeastSteps
from dalembert.errors import DalembertError
from dalembert.geometry.constraint_rank import ranks
from dalembert.geometry.random_states import ConstraintSampler
from dalembert.geometry.symbolic_null_space import pivots, vanishes
from dalembert.model.constraint import Constraint

PLANE, SPACE = da.coordinates("x y"), da.coordinates("x y z")
x, y, vx, vy = PLANE
_, _, z, _, _, vz = SPACE
k, n = sp.symbols("k n", positive=True)
SMALL = {
    "a bump": sp.exp(-4 * y**2),
    "a bump far away": sp.exp(-400 * (y - 50) ** 2),
    "less than any float": sp.exp(-2000 - y**2),
    "a tail": 1 / (1 + sp.cosh(8 * y**3)),
    "a power": (1 + y**2) ** -40,
}
KINETIC = (vx**2 + vy**2) / 2
# pairs (f, g) of functions that are equal, though not as rational functions
EQUAL = {
    "exp": (sp.exp(x) * sp.exp(y), sp.exp(x + y)),
    "tanh": (sp.tanh(y), sp.sinh(y) / sp.cosh(y)),
    "root": (sp.sqrt(1 + y**2) ** 3, (1 + y**2) * sp.sqrt(1 + y**2)),
    "fractional power": ((1 + y**2) ** sp.Rational(2, 3) * (1 + y**2) ** sp.Rational(1, 3), 1 + y**2),
    "abs": (sp.Abs(1 + y**2), 1 + y**2),
    "where": (sp.Piecewise((x, y**2 >= 0), (1, True)), x),
    "rounded": (3 * k, n),
    "close": (1 + sp.Float(1e-12), sp.Integer(1)),
}


def system(rows, space=PLANE, L=KINETIC, **more):
    parameters = {
        name: value for name, value in (("k", 0.1), ("n", 0.3)) if sp.Symbol(name, positive=True) in _used(rows)
    }
    return da.System(space, L, {f"c{i}": row for i, row in enumerate(rows)}, parameters=parameters, **more)


def _used(rows):
    return {s for row in rows for s in sp.sympify(row).free_symbols}


@pytest.mark.parametrize("f", SMALL.values(), ids=SMALL)
def test_rows_that_differ_by_little_are_independent(f):
    rows = vy + f * vx, 0.525 * vy + sp.Rational(4, 3) * f * vx
    with pytest.raises(DalembertError, match="E114"):
        da.nonholonomic(system(rows))
    assert ranks(system(rows, SPACE, KINETIC + vz**2 / 2)).kept == (0, 1)
    assert pivots(system([]), sp.Matrix([[f, 1], [sp.Rational(4, 3) * f, 2]]))[0] == [0, 1]


@pytest.mark.parametrize("f", SMALL.values(), ids=SMALL)
def test_rows_that_are_one_small_row_twice_are_dependent(f):
    with pytest.warns(UserWarning, match="W113"):
        da.nonholonomic(system((vy + f * vx, sp.Rational(4, 3) * vy + sp.Rational(4, 3) * f * vx)))


@pytest.mark.parametrize(("f", "g"), EQUAL.values(), ids=EQUAL)
def test_rows_that_are_equal_by_an_identity_are_dependent(f, g):
    assert len(ranks(system((vy + f * vx, vy + g * vx))).kept) == 1
    if f.free_symbols & {x, y}:
        assert vanishes(sp.Add(f, -g, evaluate=False))


def test_rows_that_depend_on_each_other_only_where_positions_are_held():
    rows = z - x**2, (z + x) * vy + (z - x**2) * vx, (x**2 + x) * vy
    assert ranks(system(rows, SPACE, KINETIC + vz**2 / 2)).rank == 2


@pytest.mark.parametrize("f", SMALL.values(), ids=SMALL)
def test_a_small_potential_breaks_a_symmetry(f):
    with pytest.warns(UserWarning, match="W122 .*look at the term -"):
        da.nonholonomic(da.System(PLANE, KINETIC - f, symmetry="y"))
    with pytest.raises(DalembertError, match=r"E122[\s\S]*look at the term -"):
        da.reduce(da.System(PLANE, KINETIC - f, symmetry="y"))


@pytest.mark.parametrize("f", SMALL.values(), ids=SMALL)
def test_a_small_dependence_on_a_coordinate_is_no_chaplygin_system(f):
    moved = f.xreplace({y: z})
    with pytest.raises(DalembertError, match="E160"):
        da.forms.chaplygin(system([vz - (y + moved) * vx], SPACE, KINETIC + vz**2 / 2 - x))


def test_an_identity_leaves_a_chaplygin_system_one():
    one = sp.exp(z) * sp.exp(x) - sp.exp(x + z) + sp.Abs(1 + z**2) - z**2
    assert da.forms.chaplygin(system([vz - y * one * vx], SPACE, KINETIC + vz**2 / 2)).kept == (0,)


def test_what_floats_cannot_tell_is_left_undecided():
    f = SMALL["less than any float"]
    found = da.examine(system((vy + f * vx, vy + f * vz), SPACE, KINETIC + vz**2 / 2))
    assert found.verdict == "undecided"
    assert "rounding" in found.decided


def test_a_row_that_is_small_is_not_called_zero():
    with pytest.raises(DalembertError, match="numerically 0 = 0"):
        system([SMALL["less than any float"] * vx])
    with pytest.raises(DalembertError, match="0 = 0 at all states"):
        system([sp.Mul(sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1, vx, evaluate=False)])


def test_iterated_are_places_where_positions_are_held():
    assert not ConstraintSampler(system([vy - x * vx])).iterated
    assert ConstraintSampler(system([y - x**2])).iterated == {"x", "y", "vx", "vy"}


def test_vanishing_is_told_from_smallness():
    assert read(SMALL["a bump far away"], Graph()) is not None
    assert not vanishes(SMALL["a bump far away"])


def test_slopes_that_overflow_where_a_relation_holds():
    # exp(9 x) is a number at the start and none where x arrives
    below, above = 78.86474587704, 78.86474587705
    space = da.Space("x y", velocities="vx vy", anchor=[[1, 0], [0, sp.exp(9 * x)]])
    sampler = ConstraintSampler(da.System(space, KINETIC, {"wall": x - sp.Float(above, 20), "line": y}))
    values = {"x": below, "y": 0.0, "vx": 0.0, "vy": 0.0, "t": 0.0}
    with np.errstate(all="ignore"):
        assert sampler.to_positions(values)
        assert not sampler.to_velocities(values)
        assert not sampler.finite(values)


@pytest.mark.parametrize("x", [26.0, 26.5, 40.0])
@pytest.mark.parametrize("row", ["exp(x^2)*dot(y) + 3", "exp(x^2) - y"])
def test_a_descent_from_where_rows_overflow_ends(row, x):
    # e^676 is a number, its square is none
    system = da.System(da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2", constraints={"steep": row})
    sampler = ConstraintSampler(system, system.constraints, system.algebra)
    values = {"x": x, "y": 0.3, "vx": 1.0, "vy": 1.0, "t": 0.0}
    if sampler.descend(values):
        held = sampler.numbers(sampler.phi, sampler.normals, values)
        assert np.abs(held[0]).max() <= 1e-8 * (1 + np.abs(held[1]).max())


@pytest.mark.parametrize("many", [3, 120])
def test_the_least_step_to_rows_is_that_of_singular_values(many):
    rng = np.random.default_rng(4)
    A = rng.normal(size=(many, many + 2)) * np.logspace(0, 3, many)[:, None]  # rows of any size
    least = LeastSteps(A, 1e-12)
    for _ in range(2):  # one b after the other
        b = rng.normal(size=many)
        expected = np.linalg.pinv(A / np.abs(A).max(axis=1)[:, None]) @ (b / np.abs(A).max(axis=1))
        assert np.abs(least(b) - expected).max() < 1e-9 * np.abs(expected).max()
    assert LeastSteps(np.where(A[0, 0] == A, np.inf, A), 1e-12)(b) is None


AFFINE = {
    "one that holds": ({"blade": vx * sp.sin(x * y) - vy}, {True}),
    "with a drift": ({"drawn": vx - sp.cos(y)}, {True}),
    "twice the same": ({"one": vx - y * vy, "two": 2 * vx - 2 * y * vy}, {True}),
    "that contradict each other": ({"one": vx - 1, "two": vx - 2}, {False}),
    "no number at some places": ({"root": sp.sqrt(x) * vx - vy}, {True, False}),
}


@pytest.mark.parametrize("rows, seen", AFFINE.values(), ids=AFFINE)
def test_states_that_are_moved_together_are_those_moved_one_by_one(rows, seen):
    system = da.System(PLANE, KINETIC)
    space = system.space
    constraints = [Constraint(name, row, space.frame, system.algebra) for name, row in rows.items()]
    sampler = ConstraintSampler(system, constraints, system.algebra)
    drawn, rng, held = list(islice(sampler.states(seed=4), 10)), np.random.default_rng(4), []
    for values, together in drawn:
        alone = {**space.sample(rng, []), "t": float(rng.uniform(0, 1))}
        with np.errstate(all="ignore"):
            held.append(sampler.to_velocities(alone))
        assert together == held[-1]
        assert values == pytest.approx(alone, abs=1e-12, nan_ok=True)
    assert set(held) == seen


@pytest.mark.parametrize("off", [-1e-3, 3e-4, -1e-4])
def test_a_copy_whose_factor_is_small_at_one_of_the_states_is_a_copy(off):
    """Counted by its direction alone it carries the rank there, and nearby it holds for its factor, not for its row."""
    rods = {"a": "x0^2 + y0^2 - 1", "b": "(x1 - x0)^2 + (y1 - y0)^2 - 1.3", "c": "(x1 - 1.2)^2 + y1^2 - 0.8"}
    points = da.coordinates("x0 y0 x1 y1")
    L = "dot(x0)^2 + dot(y0)^2 + dot(x1)^2 + dot(y1)^2"
    root = ranks(da.System(points, L, rods)).states[0]["x1"] - off
    combined = " + ".join(f"{c}*({row})" for c, row in zip((2, -1, 3), rods.values(), strict=True))
    found = ranks(da.System(points, L, {"copy": f"(x1 - ({root!r}))*({combined})", **rods}))
    assert (found.rank, found.hidden) == (3, False)
