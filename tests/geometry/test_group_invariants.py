"""What a group leaves alone, and functions rewritten in it."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import InvalidValue
from dalembert.geometry.group_invariants import shape_of


def body(attitude="quaternion", frame="body", symmetry=None):
    space = da.Space.product(da.line("h"), da.rotation("R", frame=frame, attitude=attitude))
    system = da.System(space, sum(v**2 for v in space.velocities) / 2, symmetry=symmetry)
    return space, shape_of(space, system.symmetry)


def numbers(e, space, point):
    return complex(sp.N(sp.sympify(e).xreplace({s: sp.Float(point[s.name]) for s in space.coordinates}))).real


@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
@pytest.mark.parametrize(
    ("symmetry", "frame", "column"),
    [(da.symmetry.rotations("R", axis=3), "body", lambda R: R.T[:, 2]),
     (da.symmetry.rotations("R", axis=1), "body", lambda R: R.T[:, 0]),
     (da.symmetry.spin("R"), "space", lambda R: R[:, 2]),
     (da.symmetry.spin("R", (0, 1, 0)), "space", lambda R: R[:, 1])],
    ids=["turn 3", "turn 1", "spin 3", "spin 2"],
)  # fmt: skip
def test_the_sphere_is_the_axis_that_stays(attitude, symmetry, frame, column):
    space, shape = body(attitude, frame, symmetry)
    (sphere,) = shape.spheres
    expected = column(sp.Matrix(space.R))
    for seed in range(3):
        point = space.sample(np.random.default_rng(seed))
        for e, f in zip(sphere.meaning, expected, strict=True):
            assert numbers(e, space, point) == pytest.approx(numbers(f, space, point))
    assert [q.name for q in shape.kept] == ["h"]
    assert shape.embedding == [sum(s**2 for s in sphere.symbols) - 1]


INVARIANT = {
    "linear": lambda R, h: 3 * R[2, 0] - h * R[2, 1],
    "square": lambda R, h: (R[2, 0] + 2 * R[2, 2]) ** 2,
    "hidden": lambda R, h: R[0, 0] ** 2 + R[1, 0] ** 2,  # 1 - R[2, 0]^2
    "minor": lambda R, h: R[0, 0] * R[1, 1] - R[0, 1] * R[1, 0],  # R[2, 2]
    "cubic": lambda R, h: R[2, 0] * R[2, 1] * R[2, 2] + R[2, 2] ** 3,
    "root": lambda R, h: sp.sqrt(4 * R[2, 0] ** 2 + R[2, 1] ** 2 + 9 * R[2, 2] ** 2),
    "quotient": lambda R, h: R[2, 0] / (3 + R[2, 1]) ** 2,
    "nested": lambda R, h: h * sp.cos(R[2, 0] / sp.sqrt(2 + R[2, 1])) + R[2, 2],
    "power": lambda R, h: (2 + R[2, 0]) ** sp.Rational(3, 2),
}


@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
@pytest.mark.parametrize("case", sorted(INVARIANT))
def test_invariant_functions_are_rewritten(attitude, case):
    space, shape = body(attitude, symmetry=da.symmetry.rotations("R", axis=3))
    e = INVARIANT[case](sp.Matrix(space.R), space["h"])
    found = shape.rewrite(e)
    (sphere,) = shape.spheres
    assert found.free_symbols <= {space["h"], *sphere.symbols}
    back = found.xreplace(dict(zip(sphere.symbols, sphere.meaning, strict=True)))
    for seed in range(3):
        point = space.sample(np.random.default_rng(seed))
        assert numbers(back, space, point) == pytest.approx(numbers(e, space, point), abs=1e-9)


CHANGING = {
    "entry": lambda R: R[0, 0],
    "product": lambda R: R[0, 0] * R[2, 1] + R[2, 2],
    "inside a root": lambda R: sp.sqrt(2 + R[1, 0]),
    "root of an attitude": lambda R: sp.sqrt(3 + R[2, 2] + R[0, 1] ** 2),
}


@pytest.mark.parametrize("case", sorted(CHANGING))
def test_other_functions_are_refused(case):
    space, shape = body(symmetry=da.symmetry.rotations("R", axis=3))
    with pytest.raises(InvalidValue) as caught:
        shape.rewrite(CHANGING[case](sp.Matrix(space.R)))
    assert caught.value.code == "E124"


def test_names_that_are_taken_are_not_given_again():
    space = da.Space.product(da.coordinates("g1 g2"), da.rotation("R", frame="body"))
    system = da.System(space, sum(v**2 for v in space.velocities) / 2, symmetry=da.symmetry.rotations("R", axis=3))
    shape = shape_of(space, system.symmetry)
    assert [s.name for s in shape.spheres[0].symbols] == ["R_g1", "R_g2", "R_g3"]


def test_a_body_that_turns_in_every_way_leaves_nothing():
    _space, shape = body(symmetry=da.symmetry.rotations("R"))
    assert not shape.spheres
    assert [q.name for q in shape.coordinates] == ["h"]


@pytest.mark.parametrize("exact", [True, False], ids=["fractions", "decimals"])
@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
def test_what_cancels_leaves_nothing_whatever_numbers_it_has(attitude, exact):
    space, shape = body(attitude, "body", da.symmetry.rotations("R", axis=3))
    R, (z1, z2, z3) = sp.Matrix(space.R), shape.spheres[0].symbols
    w = sp.Matrix(space.velocities[1:])
    a, b, c = (sp.Rational(n, 1000) if exact else sp.Float(n / 1000) for n in (110, 370, 190))
    spin = R * w
    # |R w|^2 - (R w . e3)^2 = |w|^2 - (z . w)^2
    e = a * (spin[0] ** 2 + spin[1] ** 2) - b * R[2, 2] - c * R[2, 0] * w[1]
    expected = a * (w.dot(w) - (z1 * w[0] + z2 * w[1] + z3 * w[2]) ** 2) - b * z3 - c * z1 * w[1]
    rest = sp.expand(shape.rewrite(e) - expected)
    rest = sp.expand(rest.subs(z3**2, 1 - z1**2 - z2**2))
    found = sp.expand(shape.rewrite(e))
    assert len(found.args) <= 11  # 1e-17 z1 w1 w2 and its like stood beside these
    assert all(abs(k) < 1e-15 for k in sp.Poly(rest, *space.velocities, z1, z2, z3).coeffs())
