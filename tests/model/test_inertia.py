"""Inertia tensors: what a body of point masses has is accepted in every frame, and nothing else."""

import itertools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.algebra import GraphAlgebra
from dalembert.calculus.graph import Graph
from dalembert.model.inertia import euler_moments, inertia


def of_points(seed, count=5):
    """J = sum m (r^2 1 - r r^T) of random point masses."""
    rng = np.random.default_rng(seed)
    J = np.zeros((3, 3))
    for _ in range(count):
        mass, r = rng.uniform(0.1, 2), rng.normal(size=3)
        J += mass * (r @ r * np.eye(3) - np.outer(r, r))
    return J


@pytest.mark.parametrize("seed", range(20))
def test_bodies_of_point_masses_exist(seed):
    J = of_points(seed)
    assert np.array(inertia(J).tolist(), float) == pytest.approx(J)


@pytest.mark.parametrize("seed", range(20))
def test_an_excess_over_the_triangle_does_not_exist_in_any_frame(seed):
    J = of_points(seed)
    moments, axes = np.linalg.eigh(J)
    moments[2] = 1.2 * (moments[0] + moments[1])
    with pytest.raises(da.DalembertError, match="E109 no rigid body"):
        inertia(axes @ np.diag(moments) @ axes.T)
    with pytest.raises(da.DalembertError, match="E109 no rigid body"):
        inertia(*moments)


@pytest.mark.parametrize("excess", [0.003, 0.04])
def test_measured_moments_that_miss_it_by_little_are_doubted_with_the_figure(excess):
    """As those of three published bicycles do."""
    J = np.diag([1.0, 2.0, 3 * (1 + excess)])
    with pytest.warns(da.DalembertWarning, match=f"W109 .* by {100 * excess:.2g} per cent"):
        inertia(J)
    space = da.rotation("R", frame="body")
    w = sp.Matrix(space.velocities)
    with pytest.warns(da.DalembertWarning, match="W109 .* inertia body"):
        system = da.System(space, w.dot(J * w) / 2, inertias={"body": sp.Matrix(J)})
    assert [note.code for note in system.notes if note.code == "W109"] == ["W109"]


def test_flat_bodies_exist():
    plate = np.diag([1.0, 0.3, 1.3])
    assert inertia(plate)[2, 2] == 1.3
    # all masses in the plane z = 0
    rng = np.random.default_rng(0)
    r = np.c_[rng.normal(size=(6, 2)), np.zeros(6)]
    inertia(sum(p @ p * np.eye(3) - np.outer(p, p) for p in r))


def test_forms_of_the_argument():
    a, b, c = sp.symbols("a b c", positive=True)
    assert inertia(a, b, c) == inertia([a, b, c]) == inertia(sp.Matrix([a, b, c])) == inertia(sp.diag(a, b, c))
    assert inertia(2, 2, 1) == inertia(np.array([2, 2, 1])) == sp.diag(2, 2, 1)


def test_symbols_are_checked_when_their_values_are_known():
    space = da.rotation("R", frame="body")
    J = inertia(*sp.symbols("A B C", positive=True))
    w = sp.Matrix(space.velocities)
    system = da.System(space, w.dot(J * w) / 2, inertias={"body": J})
    right = {"A": 1, "B": 2, "C": 2.5}
    assert da.free(system).start(R="identity", w1=1, w2=0, w3=0, parameters=right)["w1"] == 1
    with pytest.raises(da.DalembertError, match=r"E109 .* inertia body has 1 \+ 2 < 3.5"):
        da.free(system).start(R="identity", w1=1, w2=0, w3=0, parameters={**right, "C": 3.5})
    with pytest.raises(da.DalembertError, match="E109"):
        system.changed(parameters={**right, "C": 3.5})


_AXES = [axes for axes in itertools.product(range(3), repeat=3) if axes[0] != axes[1] != axes[2]]


@pytest.mark.parametrize("axes", _AXES, ids=lambda axes: "".join("xyz"[i] for i in axes))
def test_moments_are_found_in_angles_of_all_sequences(axes):
    space = da.coordinates("c a b")  # the body turns by a, then b, then c
    turned = [space[name] for name in "abc"]
    R = sp.eye(3)
    for axis, angle in zip(axes, turned, strict=True):
        R = R * sp.Matrix(3, 3, lambda i, j, k=axis, q=angle: _turn(i, j, k, q))
    # hat(w) = R^T dR/dt
    hat = R.T * sum((R.diff(q) * space.rates[q] for q in turned), sp.zeros(3))
    w = sp.Matrix([hat[2, 1], hat[0, 2], hat[1, 0]])
    L = (w.T * sp.diag(1, 2, 4) * w)[0] / 2
    ((names, moments),) = euler_moments(space, L, {}, GraphAlgebra(Graph()))
    assert names == ("c", "a", "b")
    assert moments == pytest.approx([1, 2, 4], rel=1e-9)
    assert not list(euler_moments(space, L + space.rates[turned[0]] ** 2, {}, GraphAlgebra(Graph())))


def _turn(i, j, axis, angle):
    """An entry of the turn about a coordinate axis."""
    if i == j:
        return sp.Integer(1) if i == axis else sp.cos(angle)
    return 0 if axis in (i, j) else sp.LeviCivita(i, axis, j) * sp.sin(angle)
