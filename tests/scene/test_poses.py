"""Poses: frames are rotations, chains are products, and bad bodies are refused with the part they are about."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import Graph, evaluate, symbols
from dalembert.scene import default, guessed, poses

SPACE = da.Space.product(da.plane("x y"), da.angle("theta"), da.rotation("R"))
L = "m*(vx^2 + vy^2 + r^2*(vtheta^2 + w1^2 + w2^2 + w3^2))/2"
BALL = {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R"}


def made(*bodies, **more):
    return da.System(SPACE, L, parameters={"m": 1.0, "r": 0.3}, bodies=bodies, **more)


def numbers(system, seed=0):
    """Each pose's 3 x 4 frame, half sizes and traced point at a random state, and that state."""
    found = poses(system, Graph())
    point = SPACE.sample(np.random.default_rng(seed), ["m", "r"]) | {"r": 0.3, "t": 0.7}
    row = [np.array(evaluate([*p.frame, *p.size, *(p.trace or ())], point), float) for p in found]
    return {p.name: (x[:12].reshape(3, 4), x[12:15], x[15:]) for p, x in zip(found, row, strict=True)}, point


def test_turns_are_done_one_after_the_other_about_the_bodys_own_axes():
    turned, point = numbers(made(da.Body("box", size=(1, 2, 3), turn=["z theta", "y 2*theta", "x t"])))
    a, t = point["theta"], point["t"]
    turns = [sp.rot_axis3(-a), sp.rot_axis2(-2 * a), sp.rot_axis1(-t)]  # SymPy's turn the axes, not the body
    assert np.allclose(turned["box"][0][:, :3], np.array(sp.prod(turns), float), atol=1e-14)
    assert np.allclose(turned["box"][1], (0.5, 1, 1.5))


@pytest.mark.parametrize("up", ["z", "-z", "y", "-y", "x", "-x"])
def test_up_on_the_screen_is_the_axis_that_is_named(up):
    found, _ = numbers(
        made({"shape": "floor"}, {"shape": "point", "radius": 1, "at": [0.2, 0.3, 0.5]}, scene={"up": up})
    )
    frame = found["point"][0]
    place = dict(zip("xyz", (0.2, 0.3, 0.5), strict=True))
    assert frame[2, 3] == pytest.approx(place[up[-1]] * (-1 if up[0] == "-" else 1))
    assert np.allclose(frame[:, :3] @ frame[:, :3].T, np.eye(3)) and np.linalg.det(frame[:, :3]) > 0
    assert np.array_equal(found["floor"][0][:, :3], np.eye(3))


def test_what_stands_on_a_body_moves_with_it():
    part = {"shape": "box", "size": [1, 1, 1], "on": "ball", "at": ["r", 0, 0], "turn": "z theta", "trace": True}
    found, point = numbers(made(part, BALL))
    (ball, *_), (box, _, trace) = found["ball"], found["box"]
    turn = np.array(sp.rot_axis3(-point["theta"]), float)
    assert np.allclose(box[:, :3], ball[:, :3] @ turn) and np.allclose(box[:, 3], ball[:, 3] + 0.3 * ball[:, 0])
    assert np.allclose(trace, box[:, 3])


@pytest.mark.parametrize("to", [(0, 0, 1), (0, 0, -1), (1, 0, 0), ("x", "y", "-theta"), (0, 0, 0)])
def test_a_rod_leads_from_one_end_to_the_other_whichever_way(to):
    found, point = numbers(made({"shape": "rod", "from": [0, 0, 0], "to": to, "radius": 0.1}))
    frame = found["rod"][0]
    end = np.array([float(sp.sympify(e).subs(point)) for e in to])
    assert np.allclose(frame[:, 3] + frame[:, 2], end) and np.allclose(frame[:, 3] - frame[:, 2], 0)
    assert np.allclose(frame[:, :2].T @ frame[:, :2], np.eye(2)) and np.allclose(frame[:, :2].T @ end, 0)


def test_bodies_change_no_symbol_of_the_motion():
    plain = da.System(SPACE, L.replace("r^2*", ""), parameters={"m": 1.0})
    drawn = da.System(SPACE, L.replace("r^2*", ""), parameters={"m": 1.0, "r": 0.3}, bodies=[BALL])
    assert list(drawn.symbols) == list(plain.symbols) and not [n for n in drawn.notes if "r is not" in n.text]
    states = {s.name for s in SPACE} | {"t", "m"}
    assert all(symbols([*p.frame, *p.size]) <= states for p in poses(drawn, Graph()))


def test_a_chain_shares_what_it_has_in_common():
    def nodes(n):
        graph = Graph()
        chain = [{**BALL, "name": "0"}, *({**BALL, "name": str(i), "on": "0", "turn": "z theta"} for i in range(1, n))]
        poses(made(*chain), graph)
        return len(graph.nodes)

    assert nodes(10) == nodes(3)  # the same body again costs nothing


def test_what_is_guessed_can_be_drawn():
    kinds = {"ball": da.Space.product(da.plane("x y"), da.rotation("R")), "box": da.coordinates("x y theta")}
    kinds |= {"point": da.coordinates("x y z"), "nothing": da.coordinates("a b")}
    for shape, space in kinds.items():
        system = da.System(space, sum(u**2 for u in space.velocities) / 2)
        assert [b.shape for b in default(system)] == ([] if shape == "nothing" else ["floor", shape])
        (told,) = guessed(system)
        assert (f"the {shape} that is drawn is a guess" in told) == (shape != "nothing")
        poses(system, Graph())


REFUSED = [
    ("E147", "shape", {"shape": "sphere"}),
    ("E147", "shape", {"radius": 1}),
    ("E147", "shape", {"shape": "ball"}),
    ("E147", "size", {"shape": "box", "size": [1, 2]}),
    ("E147", "size", {"shape": "ball", "radius": 1, "size": [1, 1, 1]}),
    ("E147", "colour", {"shape": "ball", "radius": 1, "colour": "red"}),
    ("E147", "radius", {"shape": "ball", "radius": "-r"}),
    ("E147", "radius", {"shape": "ball", "radius": 0}),
    ("E147", "at", {"shape": "ball", "radius": 1, "at": "x y"}),
    ("E147", "both", {"shape": "ball", "radius": 1, "both": 1}),
    ("E702", "radius", {"shape": "ball", "radius": "q"}),
    ("E702", "at", {"shape": "ball", "radius": 1, "at": ["lam_roll", 0, 0]}),
    ("E104", "at", {"shape": "ball", "radius": 1, "at": [sp.Symbol("lam_roll"), 0, 0]}),
    ("E207", "radius", {"shape": "ball", "radius": "2 kg"}),
    ("E206", "radius", {"shape": "ball", "radius": "10cm"}),
    ("E148", "on", {"shape": "ball", "radius": 1, "on": "bal"}),
    ("E148", "on", {"shape": "ball", "radius": 1, "name": "a", "on": "a"}),
    ("E148", "turn", {"shape": "ball", "radius": 1, "turn": "S"}),
    ("E148", "turn", {"shape": "ball", "radius": 1, "turn": ["w theta"]}),
    ("E148", "turn", {"shape": "ball", "radius": 1, "turn": 3}),
]


@pytest.mark.parametrize(("code", "part", "body"), REFUSED)
def test_bad_bodies_are_refused_with_the_part_they_are_about(code, part, body):
    with pytest.raises(da.DalembertError) as refused:
        made(body)
    assert refused.value.code == code and refused.value.subject == ("bodies", "0", part)


def test_two_bodies_of_one_name_and_circles_are_refused():
    with pytest.raises(da.DalembertError, match="two bodies") as refused:
        made({**BALL, "name": "a"}, {**BALL, "name": "a"})
    assert refused.value.code == "E102"
    with pytest.raises(da.DalembertError, match="circle") as refused:
        made({**BALL, "name": "a", "on": "b"}, {**BALL, "name": "b", "on": "a"})
    assert refused.value.code == "E148"


@pytest.mark.parametrize(
    "explore",
    [
        {"ranges": {"m": (2, 1)}},
        {"ranges": {"m": (1, 1)}},
        {"ranges": {"nobody": (0, 1)}},
        {"ranges": {"m": 3}},
        {"until": -1},
        {"range": {}},
    ],
)
def test_bad_ranges_are_refused(explore):
    with pytest.raises(da.DalembertError) as refused:
        made(BALL, explore=explore)
    assert refused.value.code == "E149"


def test_a_range_that_is_no_number_and_a_scene_without_up_are_refused():
    with pytest.raises(da.DalembertError) as refused:
        made(BALL, explore={"ranges": {"m": (0, float("nan"))}})
    assert refused.value.code == "E203"
    for scene in ({"up": "w"}, {"down": "z"}, "z"):
        with pytest.raises(da.DalembertError) as refused:
            made(BALL, scene=scene)
        assert refused.value.code == "E149"


def test_a_length_in_another_unit_is_refused():
    units = {"m": "1 kg", "r": "3 cm"}
    with pytest.raises(da.DalembertError) as refused:
        da.System(da.coordinates("x y"), "m*(vx^2 + vy^2)/2", parameters=units, bodies=[da.Body("ball", radius="m")])
    assert refused.value.code == "E134"
    da.System(da.coordinates("x y"), "m*(vx^2 + vy^2)/2", parameters=units, bodies=[da.Body("ball", radius="r")])


@pytest.mark.parametrize("down", [-1.0, 1.0])
def test_a_rod_that_comes_to_stand_upright_keeps_a_frame(down):
    # ends that are known only along the motion: nothing of the frame can be worked out beforehand
    (rod,) = poses(made({"shape": "rod", "from": [0, 0, 0], "to": ["x", "y", "theta"], "radius": "r"}), Graph())
    frame = np.array(evaluate(rod.frame, {"x": 0.0, "y": 0.0, "theta": down, "r": 0.3}), float).reshape(3, 4)
    assert np.allclose(frame[:, :2].T @ frame[:, :2], np.eye(2)) and np.allclose(frame[:, 2], (0, 0, down / 2))
