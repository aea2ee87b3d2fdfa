"""Contacts between bodies: what follows of shapes is what is written out by hand, and their motions are known ones."""

import re

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.model.body_pairs import Pairs
from dalembert.model.expression_symbols import Reader

G = 9.81
FLAT = {"scene": {"up": "y"}}
FLOOR = da.Body("floor")
PLANE = da.coordinates("x y a")
ON_PLANE = "m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(a)^2 - m*g*y"
PLACE = ("x", "y", "z")
BALL = da.Body("ball", radius="r", at=("x", "y", 0), turn="z a")
BOX = da.Body("box", size=(0.4, 0.2, 0.1), at=("x", "y", 0), turn="z a")


def system(*bodies, between, space=PLANE, L=ON_PLANE, parameters=None, scene=FLAT["scene"], **law):
    """A system with one pair; each parameter that L or the bodies hold."""
    known = {"m": 2.0, "J": 0.02, "g": G, "r": 0.1, **(parameters or {})}
    held = {s for s in known if any(re.search(rf"\b{s}\b", str(part)) for part in (L, *bodies))}
    given = {name: known[name] for name in sorted(held)}
    return da.System(
        space,
        L,
        parameters=given,
        bodies=list(bodies),
        scene=scene,
        contacts={"touch": da.contact(between=between, **law)},
    )


def values(es, known):
    graph = Graph()
    return np.array([float(e) for e in evaluate([read(sp.sympify(e), graph) for e in es], known)])


def moved(made, start, until, **options):
    return da.simulate(da.nonholonomic(made), start, until=until, **options)


# --- on a floor -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        da.Body("ball", radius=0.3),
        da.Body("disc", radius=0.3),
        da.Body("wheel", radius=0.3, thickness=0.1),
        da.Body("ellipsoid", size=(0.2, 0.4, 0.6)),
    ],
    ids=lambda body: body.shape,
)
def test_round_bodies_on_a_floor_are_those_of_rolling(body):
    """Gap, slip, spin and rolling of `da.rolling`, which finds them by a point of contact."""
    rolls = da.rolling(body, "z")
    placed = da.Body(body.shape, radius=body.radius, thickness=body.thickness, size=body.size, at=PLACE, turn="R")
    L = rolls.kinetic(1, [2, 2, 3])
    law = da.coulomb(0.3, spin=0.01, rolling=0.02)
    made = system(placed, FLOOR, between=(body.shape, "floor"), space=rolls.space, L=L, scene=None, friction=law)
    (touch,) = made.contacts
    rng = np.random.default_rng(3)
    for _ in range(4):
        state = rolls.space.sample(rng)
        given = values([rolls.gap, *rolls.slip, rolls.spin, *rolls.rolls], state)
        found = values([touch.gap, *touch.slip, *touch.spin, *touch.rolling], state)
        assert found == pytest.approx(given, abs=1e-12)


def test_a_ball_rolls_down_a_slope():
    """The acceleration of a homogeneous ball is 5/7 g sin(alpha); the floor is given first."""
    alpha = 0.3
    slope = da.Body("floor", turn=("z", -alpha))
    L = "m/2*(dot(x)^2 + dot(y)^2) + m*r^2/5*dot(a)^2 - m*g*y"
    made = system(BALL, slope, between=("floor", "ball"), L=L, mu=0.5)
    start = {"x": 0, "y": 0.1 / np.cos(alpha), "a": 0, "vx": 0, "vy": 0, "va": 0}
    path = moved(made, start, 1)
    way = np.hypot(path["x"][-1], path["y"][-1] - path["y"][0])
    assert way == pytest.approx(5 / 14 * G * np.sin(alpha), rel=1e-9)


def test_a_box_lands_on_a_corner():
    """Frictionless and plastic: J = m v/(1 + m l^2/J_z), l the corner's arm along the floor, and w = J l/J_z."""
    a, m, J = 0.3, 2.0, 0.02
    made = system(BOX, FLOOR, between=("box", "floor"), mu=0)
    assert [c.name for c in made.contacts] == ["touch_1", "touch_2", "touch_3", "touch_4"]
    low = 0.2 * np.sin(a) + 0.1 * np.cos(a)
    path = moved(made, {"x": 0, "y": low + 0.2, "a": a, "vx": 0, "vy": 0, "va": 0}, 0.2025)
    v, arm = np.sqrt(2 * G * 0.2), 0.2 * np.cos(a) - 0.1 * np.sin(a)
    impulse = m * v / (1 + m * arm**2 / J)
    (name,) = [name for name, found in path.impulses.items() if len(found["normal"])]
    assert path.impulses[name]["normal"][0] == pytest.approx(impulse, rel=1e-9)
    assert path["va"][-1] == pytest.approx(-impulse * arm / J, rel=0.03)  # 5e-4 s later


@pytest.mark.parametrize("kind", ["box", "rod"])
def test_what_lies_flat_slides_and_stops(kind):
    """On two corners, or the two ends of a capsule, after v^2/(2 mu g)."""
    ends = {"from_": ("x - cos(a)/2", "y - sin(a)/2", 0), "to": ("x + cos(a)/2", "y + sin(a)/2", 0)}
    body = BOX if kind == "box" else da.Body("rod", radius=0.1, **ends)
    made = system(body, FLOOR, between=(kind, "floor"), mu=0.2)
    path = moved(made, {"x": 0, "y": 0.1, "a": 0, "vx": 1, "vy": 0, "va": 0}, 1)
    assert path["x"][-1] == pytest.approx(1 / (2 * 0.2 * G), rel=1e-9)


def test_corners_and_ends_move_with_the_body():
    """Gap and slip of a corner by hand; a corner of a box in space is a point of its frame."""
    made = system(BOX, FLOOR, between=("box", "floor"), mu=0.2)
    state = {"x": 0.3, "y": 0.7, "a": 0.4, "vx": 1.1, "vy": -0.2, "va": 3.0}
    by_hand = []
    for p, q in ((-0.2, -0.1), (-0.2, 0.1), (0.2, -0.1), (0.2, 0.1)):
        height = p * np.sin(0.4) + q * np.cos(0.4)
        by_hand += [0.7 + height, 1.1 - 3 * height]
    assert values([e for c in made.contacts for e in (c.gap, *c.slip)], state) == pytest.approx(by_hand)
    turned = da.SE3("x y z", "R")
    cube = da.Body("box", size=(0.2, 0.4, 0.6), at=PLACE, turn="R")
    L = "m/2*(v1^2 + v2^2 + v3^2) + J/2*(w1^2 + w2^2 + w3^2) - m*g*z"
    made = system(cube, FLOOR, between=("box", "floor"), space=turned, L=L, scene=None, mu=0.1)
    state = turned.sample(np.random.default_rng(4))
    R, v = (
        np.array(turned.R.subs({e: state[e.name] for e in turned.R.free_symbols}), float),
        np.array([state[f"v{i}"] for i in (1, 2, 3)]),
    )
    w = np.array([state[f"w{i}"] for i in (1, 2, 3)])
    corner = np.array([-0.1, 0.2, -0.3])  # the third of them
    found = values([made.contacts[2].gap, *made.contacts[2].slip], state)
    assert found[0] == pytest.approx(state["z"] + (R @ corner)[2])
    assert found[1:] == pytest.approx((R @ (v + np.cross(w, corner)))[:2])


def about(axis, angle):
    c, s, k = np.cos(angle), np.sin(angle), "xyz".index(axis)
    R = np.zeros((3, 3))
    i, j = (k + 1) % 3, (k + 2) % 3
    R[k, k], R[i, i], R[j, j], R[i, j], R[j, i] = 1, c, c, -s, s
    return R


def test_slips_are_the_rates_of_corners_in_frames_on_frames():
    """A box turned twice, on a carrier that turns and moves: differences of the places of its corners in time."""
    space = da.coordinates("x y z a p q")
    carrier = da.Body("point", "carrier", radius=1, at=PLACE, turn="z a")
    box = da.Body("box", size=(0.2, 0.4, 0.6), at=(1, "q", 0), turn=["x p", "y q"], on="carrier")
    L = "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2 + dot(a)^2 + dot(p)^2 + dot(q)^2)"
    made = system(box, carrier, FLOOR, between=("box", "floor"), space=space, L=L, scene=None, mu=0.3)
    state = space.sample(np.random.default_rng(7))

    def corner(t, arm):
        x, y, z, a, p, q = (state[name] + t * state[f"v{name}"] for name in "xyzapq")
        inside = np.array([1, q, 0]) + about("x", p) @ about("y", q) @ arm
        return np.array([x, y, z]) + about("z", a) @ inside

    for touch, arm in ((made.contacts[0], [-0.1, -0.2, -0.3]), (made.contacts[-1], [0.1, 0.2, 0.3])):
        rate = (corner(1e-5, np.array(arm)) - corner(-1e-5, np.array(arm))) / 2e-5
        found = values([touch.gap, touch.approach, *touch.slip], state)
        assert found[0] == pytest.approx(corner(0, np.array(arm))[2])
        assert found[1:] == pytest.approx([rate[2], rate[0], rate[1]], abs=1e-8)


def test_a_plane_stands_on_a_body():
    """A ball that lies on a sliding plate feels the velocity of the plate there."""
    two = da.coordinates("x y a s")
    plate = da.Body("box", "plate", size=(2, 0.2, 1), at=("s", 0, 0))
    top = da.Body("floor", "top", at=(0, 0.1, 0), on="plate")
    made = system(BALL, plate, top, between=("ball", "top"), space=two, L=ON_PLANE + " + m/2*dot(s)^2", mu=0.3)
    (touch,) = made.contacts
    state = {"x": 0.2, "y": 0.3, "a": 0.0, "s": 0.1, "vx": 1.0, "vy": 0.5, "va": 4.0, "vs": 0.7, "r": 0.1}
    assert values([touch.gap, *touch.slip], state) == pytest.approx([0.1, 1 + 0.1 * 4 - 0.7])


# --- balls ------------------------------------------------------------------------------------------------------------


def test_a_ball_is_dropped_on_a_ball():
    """On its middle and beside it: the impulse is m (1 + e) times the velocity along the normal."""
    other = da.Body("ball", "still", radius=0.2)
    for aside in (0.0, 0.15):
        made = system(BALL, other, between=("ball", "still"), restitution=0.5)
        path = moved(made, {"x": aside, "y": 1.3, "a": 0, "vx": 0, "vy": 0, "va": 0}, 0.6)
        n = np.array([aside, np.sqrt(0.09 - aside**2)]) / 0.3
        v = np.array([0, -np.sqrt(2 * G * (1.3 - 0.3 * n[1]))])
        assert path.impulses["touch"]["normal"][0] == pytest.approx(-1.5 * 2 * n @ v, rel=1e-9)


def test_balls_in_space_touch_along_the_line_of_their_middles():
    space = da.SE3("x y z", "R", "v1 v2 v3 w1 w2 w3", frame="space")
    L = "m/2*(v1^2 + v2^2 + v3^2) + J/2*(w1^2 + w2^2 + w3^2)"
    ball, other = da.Body("ball", radius="r", at=PLACE, turn="R"), da.Body("ball", "still", radius=0.2, at=(0, 0, -1))
    made = system(ball, other, between=("ball", "still"), space=space, L=L, scene=None, mu=0.3)
    state = {**space.sample(np.random.default_rng(5)), "r": 0.1}
    apart = np.array([state["x"], state["y"], state["z"] + 1])
    n = apart / np.linalg.norm(apart)
    v, w = values([space.rates[space[name]] for name in PLACE], state), np.array([state[f"w{i}"] for i in (1, 2, 3)])
    v = v - np.cross(w, 0.1 * n)
    (touch,) = made.contacts
    found = values([touch.gap, *touch.slip], state)
    assert found[0] == pytest.approx(np.linalg.norm(apart) - 0.3)
    assert np.hypot(*found[1:]) == pytest.approx(np.linalg.norm(v - (v @ n) * n))


@pytest.mark.parametrize(
    ("on", "place", "distance", "slip"),
    [
        (da.Body("box", "on", size=(2, 0.2, 1)), (0.5, 0.4), 0.2, 0.5 + 0.3),  # above a face
        (da.Body("box", "on", size=(2, 0.2, 1)), (1.3, 0.5), 0.4, (4 * 0.5 - 3 * 2) / 5 + 0.3),  # off an edge
        (da.Body("rod", "on", from_=(-1, 0, 0), to=(1, 0, 0), radius=0.05), (0.5, 0.4), 0.25, 0.5 + 0.3),
        (da.Body("rod", "on", from_=(-1, 0, 0), to=(1, 0, 0)), (1.3, 0.4), 0.4, (4 * 0.5 - 3 * 2) / 5 + 0.3),
    ],
    ids=["face", "edge", "side", "end"],
)
def test_a_ball_meets_faces_edges_sides_and_ends(on, place, distance, slip):
    made = system(BALL, on, between=("on", "ball"), mu=0.2)
    state = {"x": place[0], "y": place[1], "a": 0, "vx": 0.5, "vy": 2.0, "va": 3.0, "r": 0.1}
    (touch,) = made.contacts
    assert values([touch.gap, *touch.slip], state) == pytest.approx([distance, slip])


def test_a_ball_runs_over_an_edge():
    """Smooth: v^2 = v_0^2 + 2 g r (1 - cos), and N = 0 at cos = (2 + v_0^2/(g r))/3."""
    made = system(BALL, da.Body("box", size=(2, 0.2, 1)), between=("ball", "box"), mu=0)
    v, r = 0.5, 0.1
    path = moved(made, {"x": 0.9, "y": 0.2, "a": 0, "vx": v, "vy": 0, "va": 0}, 0.6)
    left = next(t for t, name, mode in path.modes if mode == "apart")
    cos = (2 + v**2 / (G * r)) / 3
    assert path.at(left)["x"] == pytest.approx(1 + r * np.sqrt(1 - cos**2), rel=1e-6)
    assert path.at(left)["y"] == pytest.approx(0.1 + r * cos, rel=1e-6)


ROUNDED = da.Body("box", "top", size=(0.4, 0.2, 0.1), radius=0.005, at=("x", "y", 0), turn="z a")


def test_a_box_on_a_box_slides_and_stops():
    """On the corners that it has on the face, after v^2/(2 mu g); on one of its own size it lies at rest."""
    for size, v in ((2, 1), (0.4, 0)):
        made = system(ROUNDED, da.Body("box", size=(size, 0.2, 1)), between=("top", "box"), mu=0.2)
        path = moved(made, {"x": 0, "y": 0.2, "a": 0, "vx": v, "vy": 0, "va": 0}, 0.8)
        assert path["x"][-1] == pytest.approx(v / (2 * 0.2 * G), rel=1e-9)
        assert path["y"][-1] == pytest.approx(0.2, abs=1e-12)
        assert path["a"][-1] == pytest.approx(0, abs=1e-12)


def test_a_box_slides_over_an_edge_and_tips():
    """Smooth: its corner hands over to the edge, by levers, and it tips once its middle is past that."""
    made = system(ROUNDED, da.Body("box", size=(2, 0.2, 1)), between=("top", "box"), mu=0)
    path = moved(made, {"x": 0.75, "y": 0.2, "a": 0, "vx": 1, "vy": 0, "va": 0}, 0.27)
    left = {name: t for t, name, mode in path.modes if mode == "apart" and t > 0}
    assert left["touch_3"] == pytest.approx(1 - 0.75 - 0.195, abs=1e-8)
    assert left["touch_1"] == pytest.approx(1 - 0.75, abs=1e-8)
    # of the corner behind, at 0.705 where the middle is at 0.9
    assert path.at(0.15)["touch_1_normal"] == pytest.approx(2 * G * 0.1 / 0.295, rel=1e-8)


@pytest.mark.parametrize("kind", ["box", "rod"])
def test_what_has_corners_is_as_far_apart_as_its_outlines(kind):
    """The least gap is the distance of the outlines, by points that are laid along both."""
    shapes = {"box": {"size": (1.0, 0.6, 1), "radius": 0.02}, "rod": {"from_": (-0.5, 0, 0), "to": (0.5, 0, 0)}}
    other = da.Body(kind, "other", **shapes[kind])
    made = system(ROUNDED, other, between=("top", "other"), mu=0.2)
    inner = np.array([[-0.48, -0.28], [0.48, -0.28], [0.48, 0.28], [-0.48, 0.28]])
    inner, r = (inner, 0.025) if kind == "box" else (np.array([[-0.5, 0], [0.5, 0]]), 0.005)
    own = np.array([[-0.195, -0.095], [0.195, -0.095], [0.195, 0.095], [-0.195, 0.095]])
    s, rng = np.linspace(0, 1, 400)[:, None], np.random.default_rng(8)

    def along(corners):
        return np.concatenate([a + s * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)])

    for _ in range(12):
        angle, way = rng.uniform(-3, 3, 2)
        x, y = 0.95 * np.cos(way), 0.95 * np.sin(way)
        placed = along(own @ about("z", angle)[:2, :2].T + [x, y])
        least = np.linalg.norm(placed[:, None] - along(inner)[None], axis=2).min() - r
        state = {"x": x, "y": y, "a": angle}
        assert min(values([c.gap for c in made.contacts], state)) == pytest.approx(least, abs=2e-3)


def test_a_ball_on_a_surface_whose_equation_is_a_distance():
    """In a tube, as `da.rolling` has it; elsewhere what writes the coordinates of contact is named."""
    rolls = da.rolling(da.Body("ball", radius="r"), "b - sqrt(x^2 + y^2)", parameters="r b")
    ball, known = da.Body("ball", radius="r", at=PLACE, turn="R"), {"b": 1.0}
    L = rolls.kinetic("1", "r^2") + sp.Symbol("b", real=True) * 0
    made = da.System(
        rolls.space,
        L,
        parameters={"r": 0.1, **known},
        bodies=[ball],
        contacts={"tube": da.contact(between=("ball", "b - sqrt(x^2 + y^2)"), mu=0.3)},
    )
    state = {**rolls.space.sample(np.random.default_rng(6)), "r": 0.1, "b": 1.0}
    (touch,) = made.contacts
    assert values([touch.gap, *touch.slip], state) == pytest.approx(values([rolls.gap, *rolls.slip], state))
    with pytest.raises(da.DalembertError, match=r"(?s)E137 .*no closed form.*da.rolling\(.*gap=\"s\"\).contact"):
        system(ball, between=("ball", "z - x^2"), space=rolls.space, L=rolls.kinetic(1, "r^2"), scene=None)


# --- refusals, files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("between", "told"),
    [
        (("bal", "floor"), r"there is no body 'bal'.*ball"),
        (("box", "other"), r"a point of 'box' has no extent.*radius=\"1 mm\""),
        (("box", "turned"), r"edges of box and turned may cross in space.*floor.*on=\"turned\""),
        (("round", "other"), "the edges of 'round' have the radius 0.2"),
        (("cone", "ball"), "a cone on a ball|a ball on a cone has no smooth gap"),
        (("cone", "floor"), "a cone on a plane has no smooth gap"),
        (("dot", "rod"), "a point of 'dot' has no extent"),
        (("floor", "z"), "a contact is between two surfaces"),
    ],
)
def test_pairs_without_a_smooth_gap_are_refused(between, told):
    others = [
        da.Body("box", "other", size=(1, 1, 1)),
        da.Body("box", "turned", size=(1, 1, 1), turn=("x", 0.1)),
        da.Body("box", "round", size=(1, 1, 0.1), radius=0.2, at=("x", "y", 0)),
        da.Body("cone", radius=0.1, at=("x", "y", 0)),
        da.Body("point", "dot", radius=0.1, at=("x", "y", 0)),
        da.Body("rod", from_=(0, 0, 0), to=(1, 0, 0)),
    ]
    with pytest.raises(da.DalembertError, match=f"(?s)E137 {told}"):
        system(BALL, BOX, FLOOR, *others, between=between)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"gap": "y", "between": ("ball", "floor")},
        {"slip": ["vx"], "between": ("ball", "floor")},
        {"between": "ball"},
        {"between": ("ball",)},
        {"between": ("ball", "ball")},
    ],
    ids=str,
)
def test_a_gap_or_two_bodies_are_given(given):
    with pytest.raises(da.DalembertError, match="E137"):
        da.contact(**given)


def test_what_only_pictures_hold_is_no_parameter_of_the_motion():
    seen = da.Body("ball", "seen", radius="far", at=(0, 0, 0))
    assert "far" not in system(BALL, FLOOR, seen, between=("ball", "floor"), parameters={"far": 3.0}).symbols


def test_a_name_that_a_corner_needs_is_taken():
    pair, own = da.contact(between=("box", "floor")), da.contact(gap="y + 1")
    with pytest.raises(da.DalembertError, match="E102 a contact is called 'under_2', as one of those of under"):
        da.System(PLANE, ON_PLANE, bodies=[BOX, FLOOR], contacts={"under": pair, "under_2": own}, parameters="m J g")


def test_rotations_of_other_spaces_turn_as_their_matrix_says():
    """Where another frame of velocities was put, w follows from R' = [w] R."""
    space = da.rotation("R", "w1 w2 w3", frame="body")
    pairs = Pairs([], "z", Reader(space))
    w = pairs._spun(sp.Matrix(space.rotation("R")))
    state = space.sample(np.random.default_rng(9))
    R = values(space.rotation("R"), state).reshape(3, 3)
    assert values(w, state) == pytest.approx(R @ [state["w1"], state["w2"], state["w3"]])


def test_a_changed_system_keeps_its_pair():
    made = system(BALL, FLOOR, between=("ball", "floor"))
    assert made.changed(title="again").contacts[0].gap == made.contacts[0].gap


FILE = """
schema = 1
title = "Ball on a slope"
space = { coordinates = "x y a" }
units = { x = "m", y = "m" }
parameters = { m = "1 kg", g = "9.81 m/s^2", r = "10 cm" }

[lagrangian]
L = "m/2*(dot(x)^2 + dot(y)^2) + m*r^2/5*dot(a)^2 - m*g*y"

[[body]]
shape = "ball"
radius = "r"
at = ["x", "y", 0]
turn = "z a"

[[body]]
shape = "box"
size = ["r", "r", "r"]
at = ["x", "y", 0]

[[body]]
shape = "floor"
turn = "z -0.3"

[scene]
up = "y"

[[contact]]
name = "slope"
between = ["ball", "floor"]
mu = 0.5
"""


def test_files_name_the_bodies(tmp_path):
    file = tmp_path / "slope.toml"
    file.write_text(FILE, encoding="utf-8")
    study = da.read(file)
    (touch,) = study.system.contacts
    state = {"x": 0.2, "y": 0.3, "a": 0.0, "vx": 1.0, "vy": 0.5, "va": 4.0, "r": 0.1}
    n, t = np.array([np.sin(0.3), np.cos(0.3)]), np.array([np.cos(0.3), -np.sin(0.3)])
    expected = [n @ [0.2, 0.3] - 0.1, t @ [1.0, 0.5] + 0.4]
    assert values([touch.gap, *touch.slip], state) == pytest.approx(expected)
    da.write(study.system, tmp_path / "again.toml")
    (again,) = da.read(tmp_path / "again.toml").system.contacts
    assert values([again.gap, *again.slip], state) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"ball", "floor"', '"bal", "floor"', r"slope.toml:30  between = "),
        ('mu = 0.5', 'mu = "m"', r"slope.toml:31  mu = "),
        ('"ball", "floor"]\nmu = 0.5', '"box", "floor"]\nmu = "m"', r"slope.toml:31  mu = "),
        ('between = ["ball", "floor"]', "", r"slope.toml:29  name = "),
    ],
)  # fmt: skip
def test_files_show_where_a_pair_is_wrong(tmp_path, old, new, place):
    file = tmp_path / "slope.toml"
    file.write_text(FILE.lstrip().replace(old, new), encoding="utf-8")
    with pytest.raises(da.DalembertError, match=place):
        da.read(file)
