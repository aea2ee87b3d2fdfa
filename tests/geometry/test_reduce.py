"""Reduction: sizes, ways, and the reduced motion against the full one."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

# states of the reduced system, is the group solvable, is it abelian
SIZES = {
    "rolling penny": (2, True, False),
    "rolling disc": (4, True, False),
    "snakeboard": (6, True, False),
    "robot": (2, True, False),
    "suslov free": (2, False, False),
    "plain ball": (3, False, False),
    "heisenberg free": (2, True, False),
    "particle": (3, True, True),
    "knife edge": (4, True, True),
    "veselova": (6, True, True),  # with its constraint: the velocities it allows have no frame without poles
    "chaplygin ball": (6, True, False),
    "routh sphere": (6, True, True),
    "roller racer": (3, True, False),
    "rattleback": (6, True, False),
}


@pytest.mark.parametrize("name", sorted(SIZES))
def test_size_and_group(systems, name):
    reduction = systems.reduction(name)
    space = reduction.system.space
    found = len(space.coordinates) + len(space.velocities), reduction.solvable, reduction.abelian
    assert found == SIZES[name]
    assert bool(reduction.system.constraints) == (name == "veselova")
    assert "reduced by" in str(reduction)


@pytest.mark.parametrize("name", sorted(set(SIZES) - {"snakeboard"}))
def test_the_reduced_motion_is_the_full_one(systems, states_of, accelerations, value, name):
    # the reduced velocities along the full motion: their slope is what the reduced equations say
    reduction, equations, small = systems.reduction(name), systems.equations(name), systems.reduced(name)
    system, h = reduction.given, 1e-3
    names = [s.name for s in reduction.system.space]
    for values in states_of(system, 1, seed=8):
        start = equations.start(**{n: values[n] for n in (s.name for s in system.space)})
        path = da.simulate(equations, start, until=5 * h, rtol=1e-13, atol=1e-14)
        track = [
            da.reduced_start(reduction, {s.name: path.at(t)[s.name] for s in system.space}) for t in h * np.arange(5)
        ]
        columns = np.array([[there[n] for n in names] for there in track])
        slope = (8 * (columns[3] - columns[1]) - (columns[4] - columns[0])) / (12 * h)
        middle = {**system.values(), **track[2], "t": 0.0}
        rates = [float(value(e, middle)) for e in reduction.system.space.frame.rates]
        expected = np.array([*rates, *accelerations(small, middle)])
        assert np.allclose(slope, expected, atol=2e-7 * (1 + np.abs(expected).max() ** 2))


def test_constraints_that_are_not_linear_are_kept(systems, states_of, accelerations, value):
    q = da.coordinates("x y z")
    _x, _y, z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2 - z, {"cone": vz**2 - (vx**2 + vy**2) / 2}, symmetry="x y")
    reduction = da.reduce(system)
    assert "constraints kept" in reduction.way
    assert [c.kind for c in reduction.system.constraints] == ["nonlinear"]
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    for values in states_of(system, 3):
        assert np.allclose(accelerations(small, values), accelerations(full, values), atol=1e-9)


@pytest.mark.parametrize(
    ("relation", "symmetry", "start"),
    [
        (lambda x, y, z: z - sp.sin(y), "x", {"x": 0.0, "y": 0.3, "vx": 1.0, "vy": 0.2}),
        (
            lambda x, y, z: x**2 + y**2 + z**2 - 4,
            da.symmetry.turns("x y"),
            {"x": 0.8, "y": 0.3, "z": -(3.27**0.5), "vx": 0.2, "vy": 1.0},
        ),
    ],
    ids=["surface", "sphere"],
)
def test_a_relation_between_positions_is_one_between_shapes(relation, symmetry, start):
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    L = (vx**2 + vy**2 + vz**2) / 2 - z
    system = da.System(q, L, {"surface": relation(x, y, z)}, symmetry=symmetry)
    reduction = da.reduce(system)
    assert [c.kind for c in reduction.system.constraints] == ["holonomic"]
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    there = da.reduced_start(reduction, full.start(**start))
    with pytest.raises(da.DalembertError, match="E232"):
        small.start(**{**dict(there), "z": there["z"] + 0.5})
    path, reduced = (da.simulate(e, s, until=2.0) for e, s in ((full, full.start(**start)), (small, there)))
    assert reduced.ok and reduced.at(2.0)["z"] == pytest.approx(path.at(2.0)["z"], abs=1e-9)


def test_affine_constraints_are_kept(systems):
    ball = systems["ball"].changed(symmetry=da.symmetry.turns("x y", "R"))
    judged = da.symmetry.noether(ball)
    assert all(m.symmetric for m in judged.momenta)  # the table turns, but the same in every direction


def test_redundant_constraints_are_left_out(systems):
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    edge = vx * sp.sin(theta) - vy * sp.cos(theta)
    L = (vx**2 + vy**2 + omega**2) / 2 + omega * (vy * sp.cos(theta) - vx * sp.sin(theta)) / 4
    single = da.reduce(da.System(q, L, {"edge": edge}, symmetry=da.symmetry.euclidean("x y", "theta")))
    double = da.reduce(
        da.System(q, L, {"edge": edge, "again": 2 * edge}, symmetry=da.symmetry.euclidean("x y", "theta"))
    )
    assert double.system.space.brackets == single.system.space.brackets


def test_constraints_are_kept_where_no_frame_is_without_poles(systems):
    # no two fields span the directions across a vector of space everywhere
    reduction = systems.reduction("veselova")
    assert reduction.way.startswith("frame left alone")
    assert "constraints kept" in reduction.way
    assert not reduction.poles
    g1, g2, g3 = reduction.system.space.coordinates
    assert da.symmetry.restrict(reduction.system).poles == (g1,) or {g2, g3} & set(
        da.symmetry.restrict(reduction.system).poles
    )


def test_derived_parameters_are_those_that_occur(systems):
    assert set(systems.reduction("suslov free").system.symbols) == set(
        systems.reduction("suslov free").system.parameters
    )


@pytest.mark.parametrize("door", [da.reduce, da.symmetry.quotient])
def test_no_symmetry_is_refused(door, systems):
    q = da.coordinates("x y")
    system = da.System(q, sum(v**2 for v in q.velocities) / 2)
    if door is da.reduce:
        with pytest.raises(da.DalembertError, match="E125 the system declares no symmetry"):
            da.reduce(system)
        with pytest.raises(da.DalembertError, match="E101"):
            da.reduce("sleigh")
    with pytest.raises(da.DalembertError, match="E104"):
        door(system, "z")


def test_walls_go_with_the_reduction_or_are_no_symmetry():
    # two bodies on a line with a stop between them, the pair of them free to shift
    q = da.coordinates("x1 x2")
    gap = q["x2"] - q["x1"]
    system = da.System(
        q,
        (2 * q["vx1"] ** 2 + q["vx2"] ** 2) / 2 - (gap - 2) ** 2,
        symmetry={"shift": {"x1": 1, "x2": 1}},
        walls={"stop": {"guard": gap - 1, "restitution": "e"}},
        parameters={"e": 0.5},
    )
    reduction = da.reduce(system)
    full, small = da.free(system), da.free(reduction.system)
    start = full.start(x1=0.0, x2=3.5, vx1=0.3, vx2=-0.4)
    whole = da.simulate(full, start, until=3.0, events=da.impacts.walls(system))
    path = da.simulate(small, da.reduced_start(reduction, start), until=3.0, events=da.impacts.walls(reduction.system))
    assert len(whole.marks["stop"]) >= 1
    assert path.marks["stop"].t == pytest.approx(whole.marks["stop"].t, abs=1e-9)
    assert da.reconstruct(reduction, path, start).at(3.0)["x1"] == pytest.approx(whole.at(3.0)["x1"], abs=1e-7)
    with pytest.raises(da.DalembertError, match="E122 generator shift changes wall side"):
        da.reduce(system.changed(walls={"side": q["x1"]}, parameters={}))


PUCK = da.coordinates("x y z theta")
FLYING = "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2 + dot(theta)^2/10 - 9.81*z"
FOOT = ["dot(x) - 3/10*dot(theta)*sin(theta)", "dot(y) + 3/10*dot(theta)*cos(theta)"]  # at (0.3, 0) of the body
BLADE = {
    "guard": "z",
    "constraints": {"blade": "dot(y)*cos(theta) - dot(x)*sin(theta)"},
    "restitution": {"normal": 0.8},
}
LANDINGS = {
    "a foot that slides": ({"contacts": {"floor": da.contact(gap="z", slip=FOOT, mu=0.3)}}, 0.0),
    "a blade that bites": ({"walls": {"floor": BLADE}}, 0.4),
}


@pytest.mark.parametrize(("surfaces", "height"), LANDINGS.values(), ids=LANDINGS)
def test_surfaces_turn_with_the_plane(surfaces, height):
    """Friction has no direction in the plane of contact; a blade has one, which turns along."""
    system = da.System(PUCK, FLYING, symmetry=da.symmetry.euclidean("x y", "theta"), **surfaces)
    reduction = da.reduce(system)
    full, small = da.free(system), da.free(reduction.system)
    start = full.start(x=0, y=0, z=height, theta=0.3, vx=1, vy=0.2, vz=0, vtheta=2)
    whole = da.simulate(full, start, until=1.5, rtol=1e-11)
    path = da.simulate(small, da.reduced_start(reduction, start), until=1.5, rtol=1e-11)
    assert [mode[1:] for mode in path.modes] == [mode[1:] for mode in whole.modes]
    back = da.reconstruct(reduction, path, start)
    for t in (0.2, 0.7, 1.5):
        assert [back.at(t)[k] for k in ("x", "y", "theta")] == pytest.approx(
            [whole.at(t)[k] for k in ("x", "y", "theta")], abs=1e-9
        )
    assert "floor" in str(reduction)


def test_a_foot_that_slides_in_one_direction_of_the_room_turns_with_nothing():
    system = da.System(PUCK, FLYING, contacts={"floor": da.contact(gap="z", slip=FOOT[:1], mu=0.3)})
    with pytest.raises(da.DalembertError, match="E122 generator turn x y changes contact floor"):
        da.reduce(system, da.symmetry.euclidean("x y", "theta"))


def test_walls_stay_where_constraints_are_dropped(systems):
    system = systems["sleigh"]
    theta = system.space.coordinates[2]
    smaller = da.symmetry.restrict(system.changed(walls={"turned": {"guard": 1 - theta}})).system
    (event,) = da.impacts.walls(smaller)
    assert set(event.then) <= {u.name for u in smaller.space.velocities}
    assert event.then


def test_a_reduction_keeps_inputs_and_letters():
    """The reduced motion under given thrusts is that of the whole system; what is printed has the author's letters."""
    sleigh = da.System(
        da.SE2(),
        "m/2*(v1^2 + (v2 + a_c*omega)^2) + J/2*omega^2",
        {"blade": "v2"},
        {"v1": "F", "omega": "tau"},
        parameters={"m": 1.0, "a_c": 0.3, "J": 0.5},
        symmetry=da.symmetry.euclidean("x y", "theta"),
        symbols={"v1": "u", "a_c": r"\bar a", "theta": r"\vartheta"},
        inputs="F tau",
    )
    reduced = da.nonholonomic(da.reduce(sleigh).system)
    driven = {"inputs": {"F": 0.3, "tau": "-0.2*cos(t)"}, "until": 2.0}
    short = da.simulate(reduced, {"v1": 0.5, "omega": 0.2}, **driven)
    start = {"x": 0, "y": 0, "theta": 0, "v1": 0.5, "omega": 0.2}
    whole = da.simulate(da.nonholonomic(sleigh), start, **driven)
    for name in ("v1", "omega"):
        assert short.at(2.0)[name] == pytest.approx(whole.at(2.0)[name], abs=1e-9)
    model = da.linearise(reduced, reduced.start(v1=0.5, omega=0.0, inputs={"F": 0, "tau": 0}))
    np.testing.assert_allclose(model.B, [[1, 0], [0, 1 / (0.5 + 0.09)]], atol=1e-12)
    assert r"\dot{u}" in reduced.latex() and r"\bar a" in reduced.latex()
