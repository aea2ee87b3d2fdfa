"""A system without its group: the reduced motion is the full one, seen up to the group."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import routh_sphere

SLICED = {"sleigh": da.symmetry.euclidean("x y", "theta"), "penny": da.symmetry.euclidean("x y", "phi")}
STAYING = {"particle": None, "veselova": None, "plain ball": None, "heisenberg": "z", "suslov free": None}


def made(systems, name):
    given = {**SLICED, **STAYING}[name]
    if name == "heisenberg":  # without its potential z is cyclic
        system = systems["heisenberg free"]
        return system, da.symmetry.quotient(system, "z")
    return systems[name], da.symmetry.quotient(systems[name], given)


@pytest.mark.parametrize("name", sorted(STAYING))
def test_where_the_frame_stays_the_accelerations_are_the_same(systems, states_of, accelerations, value, name):
    system, found = made(systems, name)
    assert not found.carried
    full, small = da.nonholonomic(system), da.nonholonomic(found.system)
    for values in states_of(system, 3):
        shape = {s.name: float(value(e, values)) for s, e in found.shape.meaning.items()}
        expected = accelerations(full, values)
        there = {**values, **shape}
        assert np.allclose(accelerations(small, there), expected, atol=1e-8 * (1 + np.abs(expected).max()))
        # and the shape moves as its meaning does
        rates = [float(value(e, values)) for e in system.space.rates.values()]
        for s, e in found.shape.meaning.items():
            slope = sum(
                float(value(e.diff(q), values)) * r for q, r in zip(system.space.coordinates, rates, strict=True)
            )
            assert float(value(found.system.space.rates[s], there)) == pytest.approx(slope, abs=1e-10)


@pytest.mark.parametrize("name", sorted(SLICED))
def test_on_the_slice_the_accelerations_are_carried(systems, accelerations, name):
    # u is the velocity on the slice: that of the full motion turned back by its heading
    system, found = made(systems, name)
    assert found.carried
    full, small = da.nonholonomic(system), da.nonholonomic(found.system)
    heading = {"sleigh": "theta", "penny": "phi"}[name]
    turn = {"sleigh": "omega", "penny": "vphi"}[name]
    names = [v.name for v in system.space.velocities]
    rng = np.random.default_rng(0)
    for seed in range(3):
        start = full.start(project="kinetic", **system.space.sample(np.random.default_rng(seed)))
        udot = dict(zip(names, accelerations(full, {**start.parameters, **start.state, "t": 0.0}), strict=True))
        angle, spin = start[heading], start[turn]
        back = complex(math.cos(angle), -math.sin(angle))
        v = back * complex(start["vx"], start["vy"])
        # w = e^(-i theta) v:  wdot = e^(-i theta) vdot - i omega w
        a = back * complex(udot["vx"], udot["vy"]) - 1j * spin * v
        there = {**start.parameters, "t": 0.0, **{n: start[n] for n in names}, "vx": v.real, "vy": v.imag}
        there |= {q.name: float(rng.normal()) for q in found.system.space.coordinates}
        moved = dict(zip(names, accelerations(small, there), strict=True))
        expected = {**udot, "vx": a.real, "vy": a.imag}
        assert moved == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["SE(2)", "heavy top", "SE(3)"])
def test_without_constraints_the_quotient_keeps_jacobi(name):
    if name == "SE(2)":
        q = da.coordinates("x y theta", velocities="vx vy omega")
        _x, _y, theta, vx, vy, omega = q
        L = (vx**2 + vy**2 + omega**2) / 2 + omega * (vx * sp.cos(theta) + vy * sp.sin(theta)) / 3
        system, given = da.System(q, L), da.symmetry.euclidean("x y", "theta")
    elif name == "heavy top":
        s = da.rotation("R", frame="body")
        system = da.System(s, sum((i + 1) * w**2 for i, w in enumerate(s.velocities)) / 2 - s.R[2, 2] - s.R[2, 0] / 2)
        given = da.symmetry.rotations("R", axis=3)
    else:
        s = da.SE3("x y z", frame="body")
        system = da.System(s, sum((i + 1) * w**2 for i, w in enumerate(s.velocities)) / 2)
        given = [da.symmetry.translations("x y z"), da.symmetry.rotations("R", vectors="x y z")]
    found = da.symmetry.quotient(system, given)
    assert da.symmetry.phase_space(found.system).poisson
    assert not found.system.constraints


def test_the_slice_gives_the_brackets_of_the_moving_frame():
    # free rigid motion of the plane in plain coordinates: on the slice the body frame, [v1, omega] = v2 and so on
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    L = (vx**2 + vy**2 + omega**2) / 2 + omega * (vx * sp.cos(theta) + vy * sp.sin(theta)) / 3
    system = da.System(q, L, symmetry=da.symmetry.euclidean("x y", "theta"))
    table = da.symmetry.quotient(system).system.space.brackets
    body = da.SE2("x y theta").brackets
    assert {k: list(map(sp.simplify, row)) for k, row in table.items()} == {k: list(row) for k, row in body.items()}


def test_a_frame_that_has_brackets_and_is_turned_gives_them_too():
    # the spatial twist: its own brackets are minus those of the body, which the slice gives
    space = da.SE2(frame="space")
    x, y, theta = space.coordinates
    c, s, omega = sp.cos(theta), sp.sin(theta), space.velocities[2]
    forwards, left = (space.rates[x] * a + space.rates[y] * b for a, b in ((c, s), (-s, c)))
    L = (forwards**2 + 2 * left**2 + 3 * omega**2) / 2 + forwards * omega / 3
    found = da.symmetry.quotient(da.System(space, L), da.symmetry.euclidean("x y", "theta"))
    assert found.carried
    body = da.SE2().brackets
    assert {k: list(row) for k, row in found.system.space.brackets.items()} == {k: list(r) for k, r in body.items()}


# --- equivariance -----------------------------------------------------------------------------------------------------


def carried(name, start, angle, shift):
    """A start moved by a turn about the origin and a shift, by hand."""
    moved = dict(start)
    turn = complex(math.cos(angle), math.sin(angle))
    place = turn * complex(start["x"], start["y"]) + complex(*shift)
    moved |= {"x": place.real, "y": place.imag}
    if "vx" in start:
        v = turn * complex(start["vx"], start["vy"])
        moved |= {"vx": v.real, "vy": v.imag}
    for heading in ("theta", "phi"):
        if heading in start and HEADING.get(name) == heading:
            moved[heading] += angle
    if "R_w" in start:
        q = [start[f"R_{c}"] for c in "xyzw"]
        x, y, z, w = (Rotation.from_euler("z", angle) * Rotation.from_quat(q)).as_quat(canonical=True)
        moved |= {"R_w": w, "R_x": x, "R_y": y, "R_z": z}
        if name in ("routh sphere", "plain ball"):  # w along space axes
            w = turn * complex(start["w1"], start["w2"])
            moved |= {"w1": w.real, "w2": w.imag}
    return moved


HEADING = {"sleigh": "theta", "rolling penny": "phi", "roller racer": "theta", "snakeboard": "theta", "robot": "theta",
           "rolling disc": "phi"}  # fmt: skip


@pytest.mark.parametrize("name", [*HEADING, "plain ball", "routh sphere", "chaplygin ball", "rattleback"])
def test_a_start_that_is_moved_by_the_group_moves_along_the_moved_path(systems, name):
    equations = systems.equations(name)
    start = equations.start(project="kinetic", **equations.space.sample(np.random.default_rng(3)))
    end = 0.3
    other = equations.start(**carried(name, dict(start.state), 1.1, (0.4, -0.9)))
    path, moved = (da.simulate(equations, s, until=end, rtol=1e-11, atol=1e-12) for s in (start, other))
    expected, found = carried(name, path.at(end), 1.1, (0.4, -0.9)), moved.at(end)
    quaternion = [n for n in found if n.startswith("R_")]
    sign = np.sign(sum(found[n] * expected[n] for n in quaternion)) if quaternion else 1.0
    for n in path.names:
        if n in found and not n.startswith("lam"):
            assert found[n] == pytest.approx(
                expected[n] * (sign if n in quaternion else 1), abs=1e-7 * (1 + abs(found[n]))
            ), n


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_dependent_generators_are_refused(systems):
    with pytest.raises(da.DalembertError, match="E124 3 generators span only 2 directions"):
        da.symmetry.quotient(
            da.System(q := da.coordinates("x y"), sum(v**2 for v in q.velocities) / 2), da.symmetry.euclidean("x y")
        )


def test_a_turn_that_leaves_its_centre_alone_is_reduced_away_from_it():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2 - x**2 - y**2, symmetry=da.symmetry.turns("x y"))
    found = da.symmetry.quotient(system)
    (r,) = found.system.space.coordinates
    # [Y_x, Y_y] = Y_y/x on the slice: polar coordinates' frame
    assert found.system.space.brackets == {(0, 1): (0, -1 / r)}
    assert str(found.shape) == "x_slice = x where y = 0"


def test_a_group_that_leaves_no_direction_of_a_body_alone_leaves_a_lean(systems):
    # shifts, turns and spin of the Routh sphere: z3 alone stays
    found = da.symmetry.quotient(systems["routh sphere"], routh_sphere.GROUP)
    (lean,) = found.system.space.coordinates
    assert found.carried
    assert found.shape.leanings[0].at(systems["routh sphere"].space.R[2, 2]) == sp.cos(lean)
    # turn' e3 + spin' z = e_2 where z = (0, -sin, cos)
    assert sp.simplify(found.zeta[2:, 3] - sp.Matrix([sp.cot(lean), -1 / sp.sin(lean)])) == sp.zeros(2, 1)


def test_two_leans_that_are_not_left_alone_together_are_refused():
    # two bodies turned about one axis: what is left is their heading against each other, too
    space = da.rotation("A") * da.rotation("B", velocities="v1 v2 v3")
    L = sum(v**2 for v in space.velocities) / 2
    group = [da.symmetry.rotations("A B", axis=3), da.symmetry.spin("A"), da.symmetry.spin("B")]
    with pytest.raises(da.DalembertError, match="E124 a space of 6 dimensions has 3 across the group, 2 were found"):
        da.symmetry.quotient(da.System(space, L), group)


def test_a_frame_that_is_turned_with_its_rotation_is_refused_with_a_remedy():
    s = da.rotation("R", frame="space")
    w = sp.Matrix(s.velocities)
    body = s.R.T * w
    system = da.System(s, (body[0] ** 2 + 2 * body[1] ** 2 + 3 * body[2] ** 2) / 2, symmetry=da.symmetry.rotations("R"))
    with pytest.raises(da.DalembertError, match=r"(?s)E124 the frame .*no slice.*frame=.body"):
        da.symmetry.quotient(system)
