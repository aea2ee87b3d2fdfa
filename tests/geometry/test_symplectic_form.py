"""omega_H against the multipliers, d omega = 0, and Theorem 2 of [cushman1995]."""

import numpy as np
import pytest

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import evaluate
from dalembert.geometry.constraint_rank import ranks
from dalembert.geometry.random_states import ConstraintSampler
from dalembert.geometry.symplectic_form import Symplectic

LINEAR = (
    "sleigh",
    "penny",
    "disc",
    "loaded_ball",
    "suslov",
    "heisenberg",
    "top",
    "vehicle",
    "veselova",
    "routh sphere",
)
OTHERS = ("ball", "gyroscope", "appell_hamel")  # affine and nonlinear: xi = drift + H


def form_of(system):
    return Symplectic(ConstraintSampler(system), ranks(system).kept)


@pytest.mark.parametrize("name", LINEAR + OTHERS)
def test_the_forms_motion_is_the_multipliers_motion(systems, states_of, accelerations, name):
    system, equations = systems[name], systems.equations(name)
    form, k = form_of(system), len(system.space.velocities)
    for values in states_of(system, 5):
        local = form.at(values)
        udot = accelerations(equations, values)
        u = [values[v.name] for v in system.space.velocities]
        assert local.regular > 1e-8
        assert np.allclose(local.motion[:k], u, rtol=0, atol=1e-10)
        assert np.allclose(local.motion[k:], udot, rtol=1e-8, atol=1e-8 * (1 + np.abs(udot).max()))


@pytest.mark.parametrize("name", LINEAR)
def test_the_principle_built_on_the_form_moves_the_same_way(systems, states_of, accelerations, name):
    system = systems[name]
    equations, other = systems.equations(name), da.forms.symplectic(system)
    for values in states_of(system, 5, seed=4):
        expected = accelerations(equations, values)
        assert np.allclose(accelerations(other, values), expected, atol=1e-8 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("name", LINEAR)
def test_omega_is_skew_and_the_motion_lies_in_H(systems, states_of, name):
    system = systems[name]
    form = form_of(system)
    for values in states_of(system, 2):
        local = form.at(values)
        assert np.allclose(local.omega, -local.omega.T, rtol=0, atol=1e-14 * np.abs(local.omega).max())
        # xi is a combination of the rows of H
        c = np.linalg.lstsq(local.H.T, local.motion, rcond=None)[0]
        assert np.allclose(local.H.T @ c, local.motion, atol=1e-9 * (1 + np.abs(local.motion).max()))
        # H lies in D: N x = 0 for the upper half of each vector
        k = form.k
        N = np.array([evaluate(row, values) for row in form.N], float).reshape(-1, k)
        assert np.allclose(N @ local.H[:, :k].T, 0, atol=1e-12 * (1 + np.abs(N).max(initial=0.0)))


@pytest.mark.parametrize("name", ["sleigh", "penny", "disc", "suslov", "top", "vehicle", "rattleback", "heisenberg"])
def test_omega_is_closed_where_nothing_is_restricted(systems, name):
    # d omega(X, Y, Z) = X omega(Y, Z) + ... - omega([X, Y], Z) - ... for the frame (e_a, d/du^a)
    system = systems[name]
    sampler = ConstraintSampler(system, ())
    form, space = Symplectic(sampler, ()), system.space
    k = len(space.velocities)
    values = next(sampler.states(6))[0]
    h, n = 1e-4, 2 * k
    motion = sampler.motion

    def omega(at):
        return form.at(at).omega

    def moved(at, a, s):
        if a >= k:
            u = space.velocities[a - k].name
            return {**at, u: at[u] + s}
        E = [float(evaluate([row[a]], at)[0]) for row in motion.anchor]
        # the frame's flow to first order is enough for a central difference of a function's slope
        return {**at, **{q.name: at[q.name] + s * e for q, e in zip(space.coordinates, E, strict=True)}}

    slopes = np.array(
        [
            (8 * (omega(moved(values, a, h)) - omega(moved(values, a, -h)))
             - (omega(moved(values, a, 2 * h)) - omega(moved(values, a, -2 * h)))) / (12 * h)
            for a in range(n)
        ]
    )  # fmt: skip
    C = np.zeros((n, n, n))
    for (a, b), row in motion.brackets.items():
        C[a, b, :k] = evaluate(list(row), values)
        C[b, a] = -C[a, b]
    at = omega(values)
    d = slopes - np.einsum("abe,ec->abc", C, at)
    d = d + d.transpose(1, 2, 0) + d.transpose(2, 0, 1)
    assert np.abs(at).max() > 1e-6
    assert np.abs(d).max() < 1e-7 * (1 + np.abs(slopes).max() + np.abs(at).max())


@pytest.mark.parametrize(
    "name", ["sleigh", "penny", "disc", "loaded_ball", "suslov", "heisenberg", "veselova", "routh sphere"]
)
def test_a_functions_rate_is_minus_the_energy_along_its_field(systems, states_of, name):
    # Theorem 2: df/dt = -dE(xi_f^H) for any f(q, u)
    system = systems[name]
    form = form_of(system)
    rng = np.random.default_rng(2)
    symbols = [*system.space.coordinates, *system.space.velocities]
    for values in states_of(system, 2):
        local = form.at(values)
        for _ in range(3):
            weights = rng.normal(size=(len(symbols), len(symbols)))
            f = sum(
                w * a * b for row, a in zip(weights, symbols, strict=True) for w, b in zip(row, symbols, strict=True)
            )
            df = np.array(evaluate(form.derivative(read(f, form.sampler.graph)), values), float)
            direct, energy = df @ local.motion, -local.hamiltonian(df) @ local.dE
            assert energy == pytest.approx(direct, abs=1e-9 * (1 + np.abs(df).max() * np.abs(local.motion).max()))
            assert abs(direct) > 1e-8


def test_the_form_of_a_particle_is_the_canonical_one():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    system = da.System(q, (3 * vx**2 + 5 * vy**2) / 2 - x * y)
    local = Symplectic(ConstraintSampler(system), ()).at({"x": 0.3, "y": -1.0, "vx": 2.0, "vy": 0.7, "t": 0.0})
    zero, W = np.zeros((2, 2)), np.diag([3.0, 5.0])
    assert np.array_equal(local.omega, np.block([[zero, W], [-W, zero]]))
    assert np.allclose(local.motion, [2.0, 0.7, 1 / 3, -0.3 / 5])


def test_the_form_sees_a_magnetic_field():
    # L = (vx^2 + vy^2)/2 + B x vy:  omega(e_x, e_y) = d_y p_x - d_x p_y = -B
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2 + 2.5 * x * vy)
    local = Symplectic(ConstraintSampler(system), ()).at({"x": 0.3, "y": -1.0, "vx": 2.0, "vy": 0.7, "t": 0.0})
    assert local.omega[0, 1] == -2.5
    assert np.allclose(local.motion[2:], [2.5 * 0.7, -2.5 * 2.0])
