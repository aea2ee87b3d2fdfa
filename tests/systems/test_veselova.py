"""Veselova's problem [veselov1988]: momenta, the preserved measure, and Suslov's body as its opposite."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import veselova
from zoo import GALLERY

p = veselova.system().values()
INERTIA = np.array([p["I1"], p["I2"], p["I3"]])


def rates(gamma, w):
    """wdot and gammadot by Newton and Euler: I wdot = I w x w + lam gamma, <gamma, w> = 0."""
    free = np.cross(INERTIA * w, w)
    # d<gamma, w>/dt = <gamma, wdot>, for gammadot = gamma x w is across w
    lam = -np.dot(gamma, free / INERTIA) / np.dot(gamma, gamma / INERTIA)
    return (free + lam * gamma) / INERTIA, np.cross(gamma, w)


@pytest.fixture(scope="module")
def equations():
    return da.nonholonomic(veselova.system())


@pytest.mark.parametrize("seed", range(4))
def test_the_equations_are_newtons_and_eulers(equations, seed):
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    gamma = R[2]
    w = rng.normal(size=3)
    w -= np.dot(w, gamma) * gamma
    at = equations.evaluate(equations.start(R=R, w1=w[0], w2=w[1], w3=w[2]))["accelerations"]
    assert [at[f"w{i}"] for i in (1, 2, 3)] == pytest.approx(rates(gamma, w)[0])


def test_the_momentum_across_the_axis_keeps_its_length(named):
    # K = I w - <I w, gamma> gamma is constant in space
    path = named("veselova").path("turning")
    w = np.array([path[f"w{i}"] for i in (1, 2, 3)]).T
    R = Rotation.from_quat(np.array([path[f"R_{c}"] for c in "xyzw"]).T).as_matrix()
    gamma = R[:, 2]
    K = INERTIA * w - (INERTIA * w * gamma).sum(axis=1)[:, None] * gamma
    space = np.einsum("tij,tj->ti", R, K)
    assert np.ptp(space, axis=0).max() < 1e-9
    assert np.abs(space[:, 2]).max() < 1e-9


def test_the_measure_is_preserved():
    # div(rho X) = 0 on the reduced equations, as fields of (w, gamma) near |gamma| = 1; <gamma, w> = 0 there
    rng = np.random.default_rng(1)
    for _ in range(4):
        gamma = rng.normal(size=3)
        gamma /= np.linalg.norm(gamma)
        w = rng.normal(size=3)
        w -= np.dot(w, gamma) * gamma

        def flux(z):
            wdot, gdot = rates(z[3:], z[:3])
            return veselova.density(z[3:], p) * np.concatenate([wdot, gdot])

        z, h = np.concatenate([w, gamma]), 1e-3
        step = np.eye(6) * h
        div = sum(
            (8 * (flux(z + s)[i] - flux(z - s)[i]) - (flux(z + 2 * s)[i] - flux(z - 2 * s)[i])) / (12 * h)
            for i, s in enumerate(step)
        )
        assert div == pytest.approx(0, abs=1e-8)
        plain = sum(
            (rates((z + s)[3:], (z + s)[:3])[0][i] - rates((z - s)[3:], (z - s)[:3])[0][i]) / (2 * h)
            for i, s in enumerate(step[:3])
        )
        assert abs(plain) > 1e-3  # without the density it is not


def test_turns_about_level_axes_conserve_without_being_symmetries():
    found = da.symmetry.noether(veselova.system(), da.symmetry.rotations("R"))
    for name in ("rotation 1", "rotation 2"):
        assert found[name].conserved
        assert found[name].horizontal
        assert not found[name].preserves_constraints
    heavy = da.symmetry.noether(veselova.system(k=0.7), da.symmetry.rotations("R"))
    assert not heavy["rotation 1"].conserved


def test_the_reduced_system_lives_on_the_sphere():
    reduction = GALLERY.reduction("veselova")
    assert [q.name for q in reduction.system.space.coordinates] == ["g1", "g2", "g3"]
    # two fields across the axis have poles somewhere: the constraint is kept
    assert len(reduction.system.space.velocities) == 3
    assert [c.name for c in reduction.system.constraints] == ["axis"]
    assert sp.Symbol("g1", real=True) in reduction.shape.meaning
