"""How places and attitudes move, with the vector product written out."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.model.space_factors import quaternion_of


def cross(a, b):
    return sp.Matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def moved(space, e):
    """de/dt by the rates of a space."""
    return sum((sp.diff(e, q) * rate for q, rate in space.rates.items()), sp.S.Zero)


@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
@pytest.mark.parametrize("frame", ["space", "body"])
def test_axes_of_a_body_move_across_its_angular_velocity(frame, attitude):
    space = da.rotation("R", frame=frame, attitude=attitude)
    R, w = sp.Matrix(space.R), sp.Matrix(space.velocities)
    turning = w if frame == "space" else R * w
    values = space.sample(np.random.default_rng(3))
    for i in range(3):
        gap = R[:, i].applyfunc(lambda e: moved(space, e)) - cross(turning, R[:, i])
        numbers = [abs(float(e)) for e in gap.xreplace({sp.Symbol(n, real=True): v for n, v in values.items()})]
        assert max(numbers) < 1e-14


def test_a_quarter_turn_about_z_takes_x_to_y():
    space = da.rotation("R")
    half = np.sqrt(0.5)
    values = {"R_w": half, "R_x": 0.0, "R_y": 0.0, "R_z": half}
    R = np.array(sp.Matrix(space.R).xreplace({sp.Symbol(n, real=True): v for n, v in values.items()}), float)
    np.testing.assert_allclose(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_a_direction_moves_across_its_angular_velocity():
    space = da.direction("z")
    z, w = sp.Matrix(space.coordinates), sp.Matrix(space.velocities)
    assert (z.applyfunc(lambda e: moved(space, e)) - cross(w, z)).expand() == sp.zeros(3, 1)


@pytest.mark.parametrize("f", ["x^2 + y^2 - (1 + t)^2", "x - sin(t)*y", "exp(x*t) - y - 1", "t*x*y - cos(x) + t^3"])
def test_the_rate_of_a_relation_between_positions_is_its_derivative_along_any_path(f):
    Q = da.coordinates("x y")
    row = da.System(Q, "(dot(x)^2 + dot(y)^2)/2", {"f": f}).constraints[0]
    t = sp.Symbol("t", real=True)
    x, y = sp.sin(2 * t) + sp.Rational(1, 3), t**2 - t
    there = dict(zip((*Q.coordinates, *Q.velocities), (x, y, sp.diff(x, t), sp.diff(y, t)), strict=True))
    gap = row.phi.xreplace(there) - sp.diff(row.given.xreplace(there), t)
    assert max(abs(float(gap.subs(t, at))) for at in (-0.7, 0.2, 1.1)) < 1e-14


@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
def test_a_quaternion_that_is_given_turns_about_its_axis(attitude):
    # cos(a/2) + sin(a/2) n is the rotation cos a + sin a hat(n) + (1 - cos a) n n^T
    space = da.rotation("R", attitude=attitude)
    (w1, w2, w3), a, n = space.velocities, 0.7, np.array([2.0, -1.0, 2.0]) / 3
    equations = da.free(da.System(space, (w1**2 + 2 * w2**2 + 2.5 * w3**2) / 2))
    x, y, z = (np.sin(a / 2) * n).tolist()
    start = equations.start(R={"w": np.cos(a / 2), "x": x, "y": y, "z": z}, w1=0.0, w2=0.0, w3=0.0)
    hat = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    wanted = np.cos(a) * np.eye(3) + np.sin(a) * hat + (1 - np.cos(a)) * np.outer(n, n)
    found = sp.Matrix(space.R).xreplace({q: start[q.name] for q in space.coordinates})
    assert np.array(found, float) == pytest.approx(wanted, abs=1e-12)


def _rotations():
    """Turns about many axes, half turns, where a component of the quaternion vanishes, and matrices near to them."""
    rng = np.random.default_rng(0)
    turns = [Rotation.from_quat(rng.normal(size=4)).as_matrix() for _ in range(200)]
    axes = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (0, -1, 1), (-1, -1, -1), (-1, 2, 3)])
    half = [Rotation.from_rotvec(np.pi * v / np.linalg.norm(v)).as_matrix() for v in axes]
    return [np.eye(3), *turns, *half, *(R + rng.normal(scale=1e-2, size=(3, 3)) for R in turns)]


def test_the_quaternion_of_a_matrix_is_the_one_of_scipy():
    for R in _rotations():
        x, y, z, w = Rotation.from_matrix(R).as_quat(canonical=True)
        np.testing.assert_allclose(quaternion_of(R), (w, x, y, z), rtol=0, atol=1e-15)
    with pytest.raises(ValueError, match="determinant"):
        quaternion_of(np.diag([1.0, 1.0, -1.0]))
