"""Generators as given: rates of coordinates, components along velocities, groups; and what is refused."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da


def moved(system, index, point):
    """Rates of the coordinates under a generator, E x."""
    x = sp.Matrix(system.symmetry[index].components)
    rates = sp.Matrix(system.space.anchor) * x
    return [float(e.xreplace({s: point[s.name] for s in e.free_symbols})) for e in rates]


X, Y, VY, TIME = sp.symbols("x y vy t", real=True)


def plain(symmetry, names="x y theta"):
    q = da.coordinates(names)
    return da.System(q, sum(v**2 for v in q.velocities) / 2, symmetry=symmetry)


@pytest.mark.parametrize(
    ("given", "rates"),
    [
        ("x", [1, 0, 0]),
        ("y theta", [0, 1, 0]),
        (["x"], [1, 0, 0]),
        ({"turn": {"x": -Y, "y": X, "theta": 1}}, [-2.0, 0.5, 1]),
        (da.symmetry.turns("x y"), [-2.0, 0.5, 0]),
        (da.symmetry.turns("x y", "theta"), [-2.0, 0.5, 1]),
        (da.symmetry.translations("theta"), [0, 0, 1]),
        ({"v": {"vx": 3}}, [3, 0, 0]),
    ],
    ids=["name", "names", "list", "rates", "turns", "headings", "translations", "velocity"],
)
def test_plain_coordinates(given, rates):
    assert moved(plain(given), 0, {"x": 0.5, "y": 2.0, "theta": 0.3}) == pytest.approx(rates)


@pytest.mark.parametrize("frame", ["body", "space"])
@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
def test_a_turn_in_space_moves_the_matrix_from_the_left_and_spin_from_the_right(frame, attitude):
    s = da.rotation("R", frame=frame, attitude=attitude)
    given = [{"turn": {"R": (1, 2, 3)}}, da.symmetry.spin("R", (1, 2, 3))]
    system = da.System(s, sum(w**2 for w in s.velocities) / 2, symmetry=given)
    hat = np.array([[0, -3, 2], [3, 0, -1], [-2, 1, 0]], float)
    point = s.sample(np.random.default_rng(0))
    R = np.array([[float(e.xreplace({q: point[q.name] for q in s.coordinates})) for e in row] for row in s.R.tolist()])
    for index, expected in ((0, hat @ R), (1, R @ hat)):
        rates = moved(system, index, point)
        slope = np.zeros((3, 3))
        for q, rate in zip(s.coordinates, rates, strict=True):
            slope += rate * np.array(
                [
                    [float(e.diff(q).xreplace({c: point[c.name] for c in s.coordinates})) for e in row]
                    for row in s.R.tolist()
                ]
            )
        assert slope == pytest.approx(expected)


@pytest.mark.parametrize("frame", ["body", "space"])
def test_rigid_motions_move_place_and_attitude(frame):
    s = da.SE3("x y z", frame=frame)
    system = da.System(
        s,
        sum(u**2 for u in s.velocities) / 2,
        symmetry=[da.symmetry.translations("x y z"), da.symmetry.rotations("R", vectors="x y z")],
    )
    point = s.sample(np.random.default_rng(1))
    x, y, z = (point[n] for n in "xyz")
    assert moved(system, 0, point) == pytest.approx([1, 0, 0, 0, 0, 0, 0], abs=1e-12)
    assert moved(system, 5, point)[:3] == pytest.approx([-y, x, 0], abs=1e-12)
    assert moved(system, 3, point)[:3] == pytest.approx([0, -z, y], abs=1e-12)
    q = [point[f"R_{c}"] for c in "wxyz"]
    # qdot = (0, e3) q / 2
    assert moved(system, 5, point)[3:] == pytest.approx([-q[3] / 2, -q[2] / 2, q[1] / 2, q[0] / 2], abs=1e-12)


def test_directions_turn():
    s = da.direction("z")
    system = da.System(s, sum(w**2 for w in s.velocities) / 2, symmetry=da.symmetry.rotations("z", axis=3))
    point = s.sample(np.random.default_rng(1))
    assert moved(system, 0, point) == pytest.approx([-point["z2"], point["z1"], 0])


def test_a_moving_frame_is_solved_for():
    s = da.SE2("x y theta")
    system = da.System(s, sum(u**2 for u in s.velocities) / 2, symmetry=da.symmetry.euclidean("x y", "theta"))
    point = {"x": 0.4, "y": -1.0, "theta": 0.7}
    assert moved(system, 0, point) == pytest.approx([1, 0, 0])
    assert moved(system, 2, point) == pytest.approx([1.0, 0.4, 1])


def test_names_of_the_generators():
    system = plain([da.symmetry.euclidean("x y", "theta"), {"stretch": {"x": X}}])
    assert [str(g) for g in system.symmetry] == ["shift x", "shift y", "turn x y", "stretch"]
    # generators of one system serve another
    again = plain(list(system.symmetry))
    assert [g.name for g in again.symmetry] == [g.name for g in system.symmetry]
    assert again.symmetry[2].components == system.symmetry[2].components


def test_parameters_may_occur():
    q = da.coordinates("x y")
    k = sp.Symbol("k", positive=True)
    _x, _y, vx, vy = q
    system = da.System(
        q,
        (vx**2 + vy**2) / 2 - k * (q["x"] - k * q["y"]) ** 2,
        symmetry={"along": {"x": k, "y": 1}},
        parameters={"k": 2.0},
    )
    assert da.symmetry.noether(system)["along"].conserved


def body(symmetry):
    s = da.rotation("R")
    return da.System(s, sum(w**2 for w in s.velocities) / 2, symmetry=symmetry)


BAD = {
    "unknown cyclic": (lambda: plain("w"), "E104", "'w'"),
    "unknown rate": (lambda: plain({"turn": {"xx": 1}}), "E104", "generator turn: xx"),
    "bytes for a rate": (lambda: plain({"turn": {"x": b"-y"}}), "E718", "generator turn"),
    "text of an unknown name for a rate": (lambda: plain({"turn": {"x": "-q"}}), "E702", "generator turn"),
    "twice": (lambda: plain(["x", "x"]), "E102", "'x'"),
    "no mapping": (lambda: plain({"turn": 3}), "E125", "mapping"),
    "a number": (lambda: plain(7), "E125", "symmetry is int"),
    "velocity in a rate": (lambda: plain({"turn": {"x": VY}}), "E125", "generator turn depends on a velocity"),
    "time in a rate": (lambda: plain({"turn": {"x": TIME}}), "E125", "generator turn depends on"),
    "one coordinate is no plane": (lambda: plain(da.symmetry.turns("x")), "E125", "two coordinates, not 1"),
    "three are none": (lambda: da.symmetry.euclidean("x y z"), "E125", "two coordinates, not 3"),
    "two are no vector": (lambda: da.symmetry.rotations(vectors=["x y"]), "E125", "three coordinates"),
    "axis": (lambda: da.symmetry.rotations("R", axis=4), "E125", "axis = 4"),
    "spin axis": (lambda: da.symmetry.spin("R", (0, 1)), "E125", "axis = "),
    "spin of nothing": (lambda: plain(da.symmetry.spin("R")), "E104", "no rotation 'R'"),
    "heading": (lambda: plain(da.symmetry.turns("x y", "phi")), "E104", "'phi'"),
    "vectors a number": (lambda: da.symmetry.rotations("R", vectors=3), "E125", "vectors = 3"),
    "axis with a point": (lambda: da.symmetry.rotations("R", axis=3.0), "E125", "axis = 3.0"),
    "axis true": (lambda: da.symmetry.rotations("R", axis=True), "E125", "axis = True"),
    "rotations of nothing": (da.symmetry.rotations, "E125", "rotations of nothing"),
    "a plane of one coordinate": (lambda: da.symmetry.turns("x x"), "E125", "two coordinates, not 1"),
    "spin of two": (lambda: da.symmetry.spin("R S"), "E125", "one rotation, not 2"),
    "spin of none": (lambda: da.symmetry.spin(""), "E125", "one rotation, not 0"),
    "spin about nothing": (lambda: body(da.symmetry.spin("R", (0, 0, 0))), "E125", "no direction"),
    "spin axis text": (lambda: da.symmetry.spin("R", "xyz"), "E125", "axis = 'xyz'"),
    "spin axis array": (lambda: da.symmetry.spin("R", np.zeros(2)), "E125", "axis = "),
    "nothing moves": (lambda: plain({"rest": {"x": 0}}), "E125", "generator rest moves nothing"),
    "rate not a number": (lambda: plain({"turn": {"x": float("nan")}}), "E203", "generator turn: nan"),
    "rate infinite": (lambda: plain({"turn": {"x": -sp.oo}}), "E203", "generator turn: -oo"),
    "bytes": (lambda: plain(b"x"), "E125", "symmetry is bytes"),
    "bytes for a plane": (lambda: da.symmetry.turns(b"xy"), "E125", "does not name coordinates"),
    "turning number": (lambda: body({"turn": {"R": 1}}), "E125", "turns with a vector"),
}


@pytest.mark.parametrize("case", sorted(BAD))
def test_refused_with_its_name(case):
    make, code, text = BAD[case]
    with pytest.raises(da.DalembertError) as caught:
        make()
    assert caught.value.code == code
    assert text in str(caught.value)


def test_a_motion_that_the_space_does_not_allow():
    # the sphere's coordinates cannot be shifted
    s = da.direction("z")
    with pytest.raises(da.DalembertError, match="E125"):
        da.System(s, sum(w**2 for w in s.velocities) / 2, symmetry="z1")
