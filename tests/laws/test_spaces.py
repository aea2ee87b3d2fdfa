"""Anchors and brackets belong together, on every space there is."""

import itertools

import numpy as np
import pytest
import sympy as sp

import dalembert as da

theta = sp.Symbol("theta")
SPACES = {
    "coordinates": lambda: da.coordinates("x y"),
    "rotation, body, quaternion": lambda: da.rotation(frame="body"),
    "rotation, space, quaternion": lambda: da.rotation(frame="space"),
    "rotation, body, matrix": lambda: da.rotation(frame="body", attitude="matrix"),
    "rotation, space, matrix": lambda: da.rotation(frame="space", attitude="matrix"),
    "SE2, body": lambda: da.SE2(frame="body"),
    "SE2, space": lambda: da.SE2(frame="space"),
    "SE3, body": lambda: da.SE3(frame="body"),
    "SE3, space": lambda: da.SE3(frame="space"),
    "direction": da.direction,
    "product": lambda: da.plane("x y") * da.rotation("R") * da.SE2("a b c", velocities="p q r") * da.angle("s"),
    "polar frame": lambda: da.Space(
        "x y", "u v", anchor=[[sp.Symbol("x"), -sp.Symbol("y")], [sp.Symbol("y"), sp.Symbol("x")]]
    ),
    "rotating frame": lambda: da.Space(
        "x y theta",
        "u v w",
        anchor=[[sp.cos(theta), 0, 0], [sp.sin(theta), sp.exp(theta), 0], [0, sp.Symbol("x"), 2]],
    ),
    "three velocities for one coordinate": lambda: da.Space(
        "x",
        "u v w",
        anchor=[[1, sp.Symbol("x"), sp.Symbol("x") ** 2]],
        brackets={(0, 1): [1, 0, 0], (0, 2): [0, 2, 0], (1, 2): [0, 0, 1]},
    ),
}


@pytest.fixture(params=SPACES)
def space(request):
    return SPACES[request.param]()


def fields(space):
    """E, dE/dq and C as functions of the coordinates' values, by SymPy's own derivatives."""
    q, k = list(space.coordinates), len(space.velocities)
    E = sp.Matrix(space.anchor)
    slopes = [[[E[i, a].diff(x) for x in q] for a in range(k)] for i in range(len(q))]
    C = np.zeros((k, k, k), object)
    for (a, b), row in space.brackets.items():
        for c, entry in enumerate(row):
            C[a, b, c], C[b, a, c] = entry, -entry
    dC = [[[[sp.sympify(e).diff(x) for x in q] for e in row] for row in plane] for plane in C.tolist()]
    return sp.lambdify(q, [E.tolist(), slopes, C.tolist(), dC], "numpy")


def points(space, n=3):
    rng = np.random.default_rng(5)
    for _ in range(n):
        sample = space.sample(rng)
        yield [sample[x.name] for x in space.coordinates], sample


def test_brackets_of_fields_are_those_of_the_table(space):
    of = fields(space)
    for q, _ in points(space):
        E, dE, C, _ = (np.array(part, float) for part in of(*q))
        # [E_a, E_b]^i = E^j_a d_j E^i_b - E^j_b d_j E^i_a = C^c_ab E^i_c
        lie = np.einsum("ja,ibj->iab", E, dE) - np.einsum("jb,iaj->iab", E, dE)
        np.testing.assert_allclose(lie, np.einsum("abc,ic->iab", C, E), atol=1e-12)


def test_jacobi(space):
    of = fields(space)
    for q, _ in points(space):
        E, _, C, dC = (np.array(part, float) for part in of(*q))
        # sum over cyclic abc of  C^s_ab C^d_sc - E^i_c d_i C^d_ab
        term = np.einsum("abs,scd->abcd", C, C) - np.einsum("ic,abdi->abcd", E, dC)
        total = term + np.einsum("bcad->abcd", term) + np.einsum("cabd->abcd", term)
        np.testing.assert_allclose(total, 0, atol=1e-12)


@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
@pytest.mark.parametrize("frame", ["body", "space"])
def test_rotations_turn_as_their_frame_says(frame, attitude):
    space = da.rotation("R", frame=frame, attitude=attitude)
    rates = space.rates
    Rdot = sum((sp.Matrix(space.R).diff(q) * rates[q] for q in space.coordinates), sp.zeros(3))
    of = sp.lambdify([*space.coordinates, *space.velocities], [Rdot.tolist(), sp.Matrix(space.R).tolist()])
    for _, sample in points(space):
        got, R = (np.array(part, float) for part in of(*(sample[s.name] for s in space)))
        w1, w2, w3 = (sample[s.name] for s in space.velocities)
        hat = np.array([[0, -w3, w2], [w3, 0, -w1], [-w2, w1, 0]])
        np.testing.assert_allclose(got, R @ hat if frame == "body" else hat @ R, atol=1e-13)
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-13)
        assert np.linalg.det(R) == pytest.approx(1)


def test_directions_turn_with_the_spatial_angular_velocity():
    space = da.direction("z")
    rates = sp.Matrix([space.rates[q] for q in space.coordinates])
    z, w = sp.Matrix(space.coordinates), sp.Matrix(space.velocities)
    assert sp.simplify(rates - w.cross(z)) == sp.zeros(3, 1)


def test_rigid_motions_of_the_plane():
    x, y, h, v1, v2, om = da.SE2(frame="body")
    rates = da.SE2(frame="body").rates
    assert sp.simplify(rates[x] - (v1 * sp.cos(h) - v2 * sp.sin(h))) == 0
    assert sp.simplify(rates[y] - (v1 * sp.sin(h) + v2 * sp.cos(h))) == 0
    rates = da.SE2(frame="space").rates
    assert (sp.expand(rates[x] - v1 + om * y), sp.expand(rates[y] - v2 - om * x), rates[h] - om) == (0, 0, 0)


@pytest.mark.parametrize("frame", ["body", "space"])
def test_embeddings_are_kept_by_the_anchor(frame):
    for space in (
        da.rotation(frame=frame),
        da.rotation(frame=frame, attitude="matrix"),
        da.SE3(frame=frame),
        da.direction(),
    ):
        for e in space.embedding:
            rate = sum((e.diff(q) * r for q, r in space.rates.items()), sp.S.Zero)
            of = sp.lambdify(list(space), rate)
            for _, sample in points(space):
                assert of(*(sample[s.name] for s in space)) == pytest.approx(0, abs=1e-13)


def turning(sign):
    return {(a, b): [sign * sp.LeviCivita(a, b, c) for c in range(3)] for a, b in itertools.combinations(range(3), 2)}


def refused(code, *args, **options):
    with pytest.raises(ValueError, match=f"^{code} "):
        da.Space(*args, **options)


def test_wrong_brackets_are_refused():
    body = da.rotation(frame="body")
    anchor, more = sp.Matrix(body.anchor), {"embedding": body.embedding, "retraction": body.retraction}
    names = [s.name for s in body.coordinates]
    da.Space(names, "a b c", anchor=anchor, brackets=turning(1), **more)
    refused("E141", names, "a b c", anchor=anchor, brackets=turning(-1), **more)
    refused("E141", names, "a b c", anchor=anchor, brackets={}, **more)
    refused("E141", "x y", "u v", brackets={("u", "v"): [1, 0]})
    refused("E141", "x y", "u v", brackets={("u", "v"): [0, 0], ("v", "u"): [1, 0]})


def test_wrong_jacobi_is_refused_unless_almost():
    none = sp.zeros(1, 3)
    wrong = {(0, 1): [0, 0, 1], (1, 2): [0, 1, 0]}
    refused("E142", "s", "u v w", anchor=none, brackets=wrong)
    assert da.Space("s", "u v w", anchor=none, brackets=wrong, almost=True).almost
    assert not da.Space("s", "u v w", anchor=none, brackets=turning(1)).almost


def test_brackets_given_either_way_round_are_one():
    anchor = [["cos(theta)", "-sin(theta)", 0], ["sin(theta)", "cos(theta)", 0], [0, 0, 1]]
    anchor = [[sp.sympify(e, locals={"theta": theta}) for e in row] for row in anchor]
    own = da.Space("x y theta", "u v w", anchor=anchor)
    one = da.Space("x y theta", "u v w", anchor=anchor, brackets={("u", "w"): [0, -1, 0], ("v", "w"): [1, 0, 0]})
    two = da.Space("x y theta", "u v w", anchor=anchor, brackets={(2, 0): [0, 1, 0], ("w", "v"): [-1, 0, 0]})
    for pair in itertools.combinations(range(3), 2):
        assert own.frame.bracket(*pair) == one.frame.bracket(*pair) == two.frame.bracket(*pair)


def test_brackets_given_as_floats_are_not_rounded():
    brackets = {(0, 1): [0, 0, 0.5], (1, 2): [0.5, 0, 0], (0, 2): [0, -0.5, 0]}
    space = da.Space([], "w1 w2 w3", anchor=sp.zeros(0, 3), brackets=brackets)
    w = space.velocities
    found = da.free(da.System(space, (w[0] ** 2 + 2 * w[1] ** 2 + 3 * w[2] ** 2) / 2)).evaluate(
        {"w1": 1, "w2": 1, "w3": 1}
    )
    # Euler's equations with half the bracket: I1 w1' = (I2 - I3) w2 w3 / 2 and so on
    assert list(found["accelerations"].values()) == pytest.approx([-0.5, 0.5, -1 / 6], rel=1e-14)


def test_an_anchor_that_moves_with_time_is_refused():
    t = sp.Symbol("t")
    turning = [[sp.cos(2 * t), -sp.sin(2 * t)], [sp.sin(2 * t), sp.cos(2 * t)]]
    with pytest.raises(da.DalembertError, match="E140"):
        da.Space("x y", "u1 u2", anchor=turning)


def test_a_space_projected_onto_a_distribution_is_accepted_as_almost_one():
    x = sp.Symbol("x")
    given = {"anchor": [[1, 0], [0, 1], [0, x]], "brackets": {(0, 1): [0, x / (1 + x**2)]}}
    with pytest.raises(da.DalembertError, match="E141"):
        da.Space("x y z", "u v", **given)
    assert da.Space("x y z", "u v", **given, almost=True).almost
