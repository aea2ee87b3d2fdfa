"""Bodies that are turned about an axis of space and spun about their own: the lean is left, and leads back."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import routh_sphere

START = Rotation.from_euler("zxz", [0.4, 1.1, -0.7]).as_matrix()
FALLING = sp.Symbol("k", positive=True)


def top(space, i, j, I1=2, I3=1):
    """A symmetric top with its axis e_j, that falls along e_i."""
    w = sp.Matrix(space.velocities)
    frame = space.R.T * w if space.brackets[0, 1][2] == -1 else w
    T = I1 * frame.dot(frame) + (I3 - I1) * frame[j] ** 2
    own = [int(n == j) for n in range(3)]
    group = [da.symmetry.rotations("R", axis=i + 1), da.symmetry.spin("R", own)]
    L = T / 2 - FALLING * space.R[i, j]
    return da.System(space, L, symmetry=group, parameters={"k": 1.5}, title="Top")


def sphere():
    return routh_sphere.system().changed(symmetry=routh_sphere.GROUP), routh_sphere.START


def body(frame, attitude, i, j):
    return top(da.rotation("R", frame=frame, attitude=attitude), i, j), {"R": START, "w1": 0.4, "w2": -0.7, "w3": 1.9}


CASES = {
    "Routh's sphere": sphere,
    "top, velocities in space": lambda: body("space", "quaternion", 2, 2),
    "top, velocities in the body": lambda: body("body", "quaternion", 2, 2),
    "top, other axes": lambda: body("space", "quaternion", 0, 1),
    "top, axes the other way round": lambda: body("body", "quaternion", 1, 0),
    "top, with a matrix": lambda: body("space", "matrix", 2, 0),
}


def run(equations, start, until):
    return da.simulate(equations, start, until=until, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_reduced_to_the_lean_and_reconstructed_is_the_full_motion(name):
    system, given = CASES[name]()
    reduction = da.reduce(system)
    small, full = da.nonholonomic(reduction.system), da.nonholonomic(system)
    assert [q.name for q in reduction.system.space.coordinates] == ["lean"]
    start = full.start(**given)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 2.0)
    one, other = run(full, start, 2.0), da.reconstruct(reduction, path, start)
    t = np.linspace(0, 2, 9)
    a, b = one.at(t), other.at(t)
    for n in other.names:
        assert np.abs(a[n] - b[n]).max() < 1e-8 * (1 + np.abs(a[n]).max()), n


@pytest.mark.parametrize("name", CASES)
def test_the_lean_is_the_angle_between_the_axes(name):
    system, given = CASES[name]()
    reduction = da.reduce(system)
    (lean,) = reduction.shape.leanings
    found = da.reduced_start(reduction, da.nonholonomic(system).start(**given))
    R = np.array(given["R"])
    assert np.cos(found["lean"]) == pytest.approx(R[lean.i, lean.j], abs=1e-12)
    assert 0 < found["lean"] < np.pi
    assert reduction.poles == (sp.sin(lean.symbol),)


@pytest.mark.parametrize(("turn", "spin"), [(0.3, -2.0), (2.9, 1.0), (-1.6, 3.1)])
def test_a_start_that_is_turned_and_spun_has_the_same_reduced_one(turn, spin):
    system, given = CASES["top, velocities in space"]()
    reduction = da.reduce(system)
    about = Rotation.from_euler("z", turn)
    R = (about * Rotation.from_matrix(START) * Rotation.from_euler("z", spin)).as_matrix()
    w = about.apply([given[n] for n in ("w1", "w2", "w3")])
    moved = {"R": R, **dict(zip(("w1", "w2", "w3"), map(float, w), strict=True))}
    full = da.nonholonomic(system)
    one, other = (da.reduced_start(reduction, full.start(**each)) for each in (given, moved))
    assert other == pytest.approx(one, abs=1e-10)


def test_the_lean_of_a_top_moves_in_its_effective_potential():
    # I1 lean'' = -d/dlean [(p - l cos)^2/(2 I1 sin^2) + k cos] ,  p and l the momenta of turn and spin
    system, given = CASES["top, velocities in the body"]()
    reduction, full = da.reduce(system), da.nonholonomic(system)
    lean, p, spun = sp.symbols("lean p l", real=True)
    w = np.array([given[n] for n in ("w1", "w2", "w3")])
    momenta = {spun: w[2], p: START[2] @ (np.array([2, 2, 1]) * w)}
    V = (p - spun * sp.cos(lean)) ** 2 / (4 * sp.sin(lean) ** 2) + 1.5 * sp.cos(lean)
    small = da.nonholonomic(reduction.system)
    path = run(small, small.start(**da.reduced_start(reduction, full.start(**given))), 1.0)
    t, h = 0.5, 1e-3
    slope = sum(c * path.at(t + n * h)["lean"] for c, n in ((-1, -2), (16, -1), (-30, 0), (16, 1), (-1, 2))) / 12 / h**2
    force = -V.diff(lean).xreplace({**momenta, lean: path.at(t)["lean"]})
    assert 2 * slope == pytest.approx(float(force), rel=1e-6)


def test_at_the_end_of_the_lean_it_is_refused():
    system, given = CASES["top, velocities in space"]()
    with pytest.raises(da.DalembertError, match=r"E124 the group does not cross its slice here: sin.lean. = 0"):
        da.reduced_start(da.reduce(system), da.nonholonomic(system).start(**{**given, "R": "identity"}))
