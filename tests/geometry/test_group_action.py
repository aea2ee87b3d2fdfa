"""What generators do: to states, to each other, to what a system is made of."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus import graph
from dalembert.geometry.group_action import Action, refuted
from dalembert.geometry.random_states import ConstraintSampler
from dalembert.model.symmetry import Generator
from dalembert.systems import wheeled_snake

sin, cos = sp.sin, sp.cos


def action_of(system, symmetry=None):
    system = system if symmetry is None else system.changed(symmetry=symmetry)
    return Action(ConstraintSampler(system), system.symmetry)


# --- structure constants of known algebras ----------------------------------------------------------------------------


def test_the_euclidean_group_of_the_plane(systems):
    f = action_of(systems["sleigh"], da.symmetry.euclidean("x y", "theta")).structure
    # fields on the plane: [d_x, x d_y - y d_x] = d_y ,  [d_y, x d_y - y d_x] = -d_x
    expected = np.zeros((3, 3, 3))
    expected[0, 2, 1], expected[1, 2, 0] = 1, -1
    expected -= expected.transpose(1, 0, 2)
    assert np.allclose(f, expected)


@pytest.mark.parametrize("frame", ["body", "space"])
@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
def test_turns_in_space_are_fields_with_minus_the_cross_product(frame, attitude):
    space = da.rotation("R", frame=frame, attitude=attitude)
    w = sp.Matrix(space.velocities)
    system = da.System(space, w.dot(w) / 2)
    f = action_of(system, da.symmetry.rotations("R")).structure
    eps = np.array([[[float(sp.LeviCivita(a, b, c)) for c in range(3)] for b in range(3)] for a in range(3)])
    assert np.allclose(f, -eps)
    # turns about the body's own axes: the other sign, and the two commute
    own = [da.symmetry.spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    both = action_of(system, [da.symmetry.rotations("R"), *own]).structure
    assert np.allclose(both[3:, 3:, 3:], eps)
    assert np.allclose(both[:3, 3:], 0)


def test_the_heisenberg_algebra(systems):
    f = action_of(systems["heisenberg free"]).structure
    # [d_x + y/2 d_z, d_y - x/2 d_z] = -d_z
    assert f[0, 1, 2] == pytest.approx(-1)
    assert np.abs(f).sum() == pytest.approx(2)


def test_rotations_of_vectors_are_those_of_bodies():
    space = da.coordinates("x y z")
    x, y, z, vx, vy, vz = space
    system = da.System(space, (vx**2 + vy**2 + vz**2) / 2 - (x**2 + y**2 + z**2) ** 2)
    f = action_of(system, da.symmetry.rotations(vectors="x y z")).structure
    assert f[0, 1, 2] == pytest.approx(-1)
    assert f[1, 2, 0] == pytest.approx(-1)


@pytest.mark.parametrize(
    "name", ["sleigh", "suslov free", "plain ball", "chaplygin ball", "rattleback", "rolling disc", "snakeboard"]
)
def test_jacobi_and_antisymmetry_of_the_structure(systems, name):
    given = {"sleigh": da.symmetry.euclidean("x y", "theta")}.get(name)
    f = action_of(systems[name], given).structure
    J = np.einsum("abd,dce->abce", f, f)
    assert np.allclose(f, -f.transpose(1, 0, 2))
    assert np.allclose(J + J.transpose(1, 2, 0, 3) + J.transpose(2, 0, 1, 3), 0, atol=1e-8)


# --- the lift to velocities -------------------------------------------------------------------------------------------


def test_the_lift_is_the_derivative_of_the_moved_velocity():
    # a finite turn of a moving point: q -> R q, qdot -> R qdot
    space = da.coordinates("x y")
    _x, _y, vx, vy = space
    system = da.System(space, (vx**2 + vy**2) / 2, symmetry=da.symmetry.turns("x y"))
    action = action_of(system)
    values = {"x": 0.3, "y": -0.7, "vx": 1.1, "vy": 0.4, "t": 0.0}
    dq, du = (
        [float(e.value) if e.is_constant else _number(e, values) for e in part]
        for part in action.shift(action.fields[0])
    )
    assert np.allclose(dq, [0.7, 0.3])
    assert np.allclose(du, [-0.4, 1.1])


def _number(node, values):
    from dalembert.calculus.graph import evaluate

    return float(evaluate([node], values)[0])


@pytest.mark.parametrize("name", ["suslov free", "veselova", "chaplygin ball", "routh sphere", "rattleback"])
def test_the_lift_commutes_with_the_motion_of_coordinates(systems, states_of, name):
    # delta (qdot) = d/dt (delta q): delta of E u along (delta q, delta u) is the rate of E x along qdot
    from dalembert.calculus.graph import evaluate, tangent

    action = action_of(systems[name])
    motion = action.sampler.motion
    for x in action.fields:
        dq, _ = action.shift(x)
        left = action.moved(x, list(motion.qdot))
        right = tangent(dq, motion.q, motion.qdot)
        for values in states_of(systems[name], 2):
            assert np.allclose(
                np.array(evaluate(left, values), float), np.array(evaluate(right, values), float), atol=1e-10
            )


# --- refusals ---------------------------------------------------------------------------------------------------------


def plane(L=0, constraints=None, forces=None, symmetry=None):
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, _theta, vx, vy, omega = q
    return da.System(q, (vx**2 + vy**2 + omega**2) / 2 + L, constraints or {}, forces, symmetry=symmetry)


X, Y, THETA, VX, VY, OMEGA = da.coordinates("x y theta", velocities="vx vy omega")
BROKEN = {
    "potential": (dict(L=-X * Y, symmetry="x"), "generator x changes L", r"term -x\*y"),
    "magnetic term": (dict(L=sp.exp(X) * VY, symmetry="x"), "generator x changes L", r"term vy\*exp\(x\)"),
    "one of several": (
        dict(L=-cos(THETA) - THETA**2, symmetry=da.symmetry.translations("x theta")),
        "generator shift theta changes L",
        r"term -theta\*\*2",
    ),
    "constraint": (
        dict(constraints={"edge": VX * sin(THETA) - VY * cos(THETA)}, symmetry=da.symmetry.turns("x y")),
        "generator turn x y changes constraint edge",
        "term -?v[xy]",
    ),
    "position constraint": (
        dict(constraints={"rod": X**2 + Y**2 - 4}, symmetry="x"),
        "generator x changes constraint rod",
        r"x\*\*2",
    ),
    "force": (dict(forces={VX: -X}, symmetry="x"), "generator x changes force on vx", "term -x"),
    "force of fixed direction": (
        dict(forces={VX: 1}, symmetry=da.symmetry.turns("x y")),
        "generator turn x y changes force on v",
        "term 1",
    ),
}


@pytest.mark.parametrize("case", sorted(BROKEN))
@pytest.mark.parametrize("door", [da.reduce, da.symmetry.quotient])
def test_what_is_no_symmetry_is_refused_with_the_term(case, door):
    given, fact, term = BROKEN[case]
    with pytest.raises(da.DalembertError) as caught:
        door(plane(**given))
    assert caught.value.code == "E122"
    caught.match(fact)
    caught.match(term)


def test_a_force_that_turns_along_is_a_symmetry():
    system = plane(forces={VX: -X, VY: -Y}, symmetry=da.symmetry.turns("x y"))
    action_of(system).check()
    system = plane(forces={VX: cos(THETA), VY: sin(THETA)}, symmetry=da.symmetry.euclidean("x y", "theta"))
    action_of(system).check()


def test_a_constraint_may_change_where_it_does_not_hold():
    # phi = y vx: the shift along y changes phi, but not the set vx = 0 ... where y != 0
    system = plane(constraints={"still": (1 + Y**2) * VX}, symmetry="y")
    action_of(system).check()


@pytest.mark.parametrize("door", [da.reduce, da.symmetry.quotient, da.symmetry.noether])
def test_generators_that_do_not_close_are_refused(door):
    # a shift and a turn of the plane need the other shift
    system = plane(symmetry=["x", da.symmetry.turns("x y", "theta")])
    with pytest.raises(da.DalembertError) as caught:
        door(system)
    assert caught.value.code == "E123"
    caught.match("turn x y")
    caught.match(r"\bx\b")


def test_coefficients_that_depend_on_the_place_do_not_close():
    # [d_x, x^2 d_x] = 2 x d_x is no combination with constant coefficients
    system = da.System(da.coordinates("x y"), sp.Symbol("vy", real=True) ** 2 / 2 + sp.Symbol("vx", real=True) ** 2 / 2)
    x = sp.Symbol("x", real=True)
    with pytest.raises(da.DalembertError, match="E123"):
        da.symmetry.noether(system, {"shift": {"x": 1}, "stretch": {"x": x**2}})


@pytest.mark.parametrize("frame", ["body", "space"])
def test_torques_turn_with_the_frame(frame):
    space = da.rotation("R", frame=frame)
    w1, w2, w3 = space.velocities
    L = (w1**2 + w2**2 + w3**2) / 2
    every = [da.symmetry.rotations("R"), *(da.symmetry.spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))]
    # resistance alike in all directions has every symmetry; about one axis more than about others, the turns about it
    action_of(da.System(space, L, forces={w1: -w1, w2: -w2, w3: -w3}), every).check()
    uneven = da.System(space, L, forces={w1: -w1, w2: -w2, w3: -2 * w3})
    own, other = (
        (da.symmetry.spin("R"), da.symmetry.spin("R", (1, 0, 0)))
        if frame == "body"
        else (da.symmetry.rotations("R", axis=3), da.symmetry.rotations("R", axis=1))
    )
    action_of(uneven, own).check()
    with pytest.raises(da.DalembertError, match=r"E122 .* changes force on w"):
        action_of(uneven, other).check()


def test_what_moves_nothing_needs_no_state():
    # translations of a free particle: every change and every bracket is 0 as an expression
    action = action_of(plane(symmetry=da.symmetry.translations("x y")))
    assert action.symmetric and not action.structure.any()
    assert "states" not in vars(action) and "anywhere" not in vars(action)


def test_brackets_that_are_generators_need_no_state():
    action = action_of(plane(symmetry=da.symmetry.euclidean("x y")))
    f = action.structure
    assert (f[0, 2, 1], f[1, 2, 0], f[2, 0, 1], f[2, 1, 0]) == (1, -1, -1, 1)  # to the last bit
    assert np.abs(f).sum() == 4
    assert "states" not in vars(action) and "anywhere" not in vars(action)


def test_brackets_that_are_multiples_of_generators_are_fitted():
    # e_1 = d_x, e_2 = 2 d_y, e_3 = x d_y - y d_x: [e_1, e_3] = e_2/2, [e_2, e_3] = -2 e_1
    shift_x, shift_y, turn = action_of(plane(symmetry=da.symmetry.euclidean("x y"))).generators
    twice = Generator("twice", tuple(2 * e for e in shift_y.components))
    action = Action(ConstraintSampler(plane()), [shift_x, twice, turn])
    f = action.structure
    assert f[0, 2, 1] == pytest.approx(0.5)
    assert f[1, 2, 0] == pytest.approx(-2)
    assert np.array_equal(f, -f.transpose(1, 0, 2))


def test_a_turn_without_its_headings_says_how_to_name_them():
    L = "(dot(x)^2 + dot(y)^2 + dot(theta)^2)/2"
    blade = {"blade": "dot(y)*cos(theta) - dot(x)*sin(theta)"}
    skate = da.System(da.coordinates("x y theta"), L, blade)
    with pytest.raises(da.DalembertError, match=r'headings="theta"') as caught:
        da.reduce(skate, da.symmetry.euclidean("x y"))
    assert caught.value.code == "E122"
    assert da.reduce(skate, da.symmetry.euclidean("x y", headings="theta")).system.space.coordinates == ()


def test_the_doubt_of_a_symmetry_names_what_turns_along():
    q = da.plane("x y") * da.angle("theta")
    skate = da.System(
        q,
        "(dot(x)^2 + dot(y)^2 + dot(theta)^2)/2",
        {"blade": "dot(x)*sin(theta) - dot(y)*cos(theta)"},
        symmetry=da.symmetry.euclidean("x y"),
    )
    with pytest.warns(da.DalembertWarning, match='W122 .*headings="theta"'):
        da.nonholonomic(skate)


def test_the_symmetry_of_a_chain_is_checked_in_proportion_to_its_links(monkeypatch):
    pushed, real, work = [], graph._pushed, {}
    monkeypatch.setattr(graph, "_pushed", lambda *given: (pushed.append(1), real(*given))[1])
    for n in (8, 16):
        snake = wheeled_snake.system(n)
        assert snake.used == {s for e in snake.expressions for s in e.free_symbols}
        pushed.clear()
        assert refuted(snake) is None
        work[n] = len(pushed)
    assert work[16] < 2.2 * work[8]  # what its rows share is moved once, not once a row


# --- no more than was shown ------------------------------------------------------------------------------------------


def rolled(spring):
    q = da.coordinates("x y theta s")
    x, _y, theta, s, vx, vy, w, vs = q
    L = (vx**2 + vy**2 + 2 * w**2 + vs**2) / 2 - s**2 - spring(x)
    blade = {"b": vy * sp.cos(theta) - vx * sp.sin(theta)}
    return da.System(q, L, blade, symmetry=[da.symmetry.euclidean("x y", "theta")])


FAR = {
    "spring beyond 3": lambda x: 10 * sp.Max(0, x - 3) ** 2,
    "far spring": lambda x: sp.Max(0, x - 1e6),
    "weak": lambda x: sp.Float(1e-12) * sp.Max(0, x - 100),
    "bump": lambda x: sp.exp(-50 * (x - 7) ** 2),
}


@pytest.mark.parametrize("spring", FAR.values(), ids=FAR)
def test_a_potential_far_away_breaks_a_symmetry(spring):
    with pytest.warns(UserWarning, match="W122 .*generator shift x changes L"):
        system = rolled(spring)
        da.nonholonomic(system)
    with pytest.raises(da.DalembertError, match=r"E122 generator shift x changes L[\s\S]*at x = "):
        da.reduce(system)


def test_whether_it_does_may_be_undecided():
    # 0 for all x, which no rule here knows
    with pytest.warns(UserWarning, match="W122 .*whether generator shift x changes L is not decided"):
        da.nonholonomic(rolled(lambda x: sp.Max(0, sp.exp(x) - sp.exp(x + 1))))


def test_an_identity_of_pieces_breaks_none():
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    potential = sp.Abs(x - y) - sp.Max(x - y, y - x)
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2 - potential, symmetry="x")
    assert len(da.reduce(system).generators) == 1


@pytest.mark.parametrize("small", [1e-12, 1e-6, 1.0, 1e6])
def test_small_generators_are_closed_or_not_as_large_ones_are(small):
    q = da.coordinates("x y z")
    x, _y, _z, vx, vy, vz = q
    free = da.System(q, (vx**2 + vy**2 + vz**2) / 2)
    nothing, one = sp.S.Zero, sp.S.One

    def structure(*fields):
        named = [Generator(f"g{i}", field) for i, field in enumerate(fields)]
        return Action(ConstraintSampler(free), named).structure

    # [d/dx, small (x d/dy)] = small d/dy
    shift, shear, along = (one, nothing, nothing), (nothing, small * x, nothing), (nothing, one, nothing)
    f = structure(shift, shear, along)
    assert f[0, 1, 2] == pytest.approx(small, rel=1e-12)
    assert np.count_nonzero(f) == 2
    # small d/dz beside it is another direction
    with pytest.raises(da.DalembertError, match="E123"):
        structure(shift, (nothing, x, small * x), along)
    with pytest.raises(da.DalembertError, match="E123"):  # d/dy (1 + small x)
        structure(shift, (nothing, x + small * x**2 / 2, nothing), along)
