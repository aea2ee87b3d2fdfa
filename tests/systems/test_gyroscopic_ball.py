"""Chaplygin's ball with a rotor [kilin2001]: its momentum, its measure, and a spin that a rotor makes stable."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import chaplygin_ball, gyroscopic_ball

SYSTEM = gyroscopic_ball.system()
p = SYSTEM.values()
INERTIA, D = np.array([p["I1"], p["I2"], p["I3"]]), p["m"] * p["r"] ** 2
AXIS = np.array([np.sin(p["beta"]), 0.0, np.cos(p["beta"])])


def inertia(gamma):
    """K = inertia(gamma) w + p e."""
    return np.diag(INERTIA + D * (gamma @ gamma)) - D * np.outer(gamma, gamma)


def rate(z, momentum):
    """d/dt (K, gamma) = (K x w, gamma x w)."""
    w = np.linalg.solve(inertia(z[3:]), z[:3] - momentum * AXIS)
    return np.concatenate([np.cross(z[:3], w), np.cross(z[3:], w)])


def attitude(at):
    return Rotation.from_quat([at[f"R_{c}"] for c in "xyzw"]).as_matrix()


def test_it_moves_as_the_momentum_about_the_contact_says(named):
    path = named("gyroscopic_ball").path("tumbling")
    first, last = path.at(0.0), path.at(3.0)
    w, gamma = np.array([first[f"w{i}"] for i in (1, 2, 3)]), attitude(first)[2]
    momentum = p["C"] * (w @ AXIS + first["vpsi"])
    z = np.concatenate([inertia(gamma) @ w + momentum * AXIS, gamma])
    end = solve_ivp(lambda t, z: rate(z, momentum), (0, 3.0), z, rtol=1e-11, atol=1e-12).y[:, -1]
    assert end[3:] == pytest.approx(attitude(last)[2], abs=1e-8)
    w = np.linalg.solve(inertia(end[3:]), end[:3] - momentum * AXIS)
    assert w == pytest.approx([last[f"w{i}"] for i in (1, 2, 3)], abs=1e-8)


def test_the_measure_is_that_of_the_ball_without_a_rotor():
    # in (K, gamma):  density / det(inertia(gamma)), which is a multiple of 1/density for |gamma| = 1
    rng, h = np.random.default_rng(4), 1e-3
    for momentum in (0.0, 0.7):
        z = rng.normal(size=6)
        z[3:] /= np.linalg.norm(z[3:])

        def flux(z, momentum=momentum):
            gamma = z[3:] / np.linalg.norm(z[3:])
            z = np.concatenate([z[:3], gamma])
            return rate(z, momentum) / np.linalg.det(inertia(gamma)) * chaplygin_ball.density(gamma, p)

        size = lambda z: np.concatenate([np.ones(3), np.full(3, np.linalg.norm(z[3:]))])  # noqa: E731
        steps = np.eye(6) * h
        ends = [
            (8 * (flux(z + s) * size(z + s) - flux(z - s) * size(z - s)))[i]
            - (flux(z + 2 * s) * size(z + 2 * s) - flux(z - 2 * s) * size(z - 2 * s))[i]
            for i, s in enumerate(steps)
        ]
        assert sum(ends) / (12 * h) == pytest.approx(0, abs=1e-8)


def test_with_a_rotor_that_has_no_momentum_it_is_chaplygin_s_ball():
    start = chaplygin_ball.START
    plain, geared = da.nonholonomic(chaplygin_ball.system()), da.nonholonomic(SYSTEM)
    rest = -float(np.dot([start[f"w{i}"] for i in (1, 2, 3)], AXIS))
    ends = [
        da.simulate(equations, equations.start(**start, **extra), until=2.0).at(2.0)
        for equations, extra in ((plain, {}), (geared, {"psi": 0.0, "vpsi": rest}))
    ]
    assert all(ends[1][name] == pytest.approx(value, abs=1e-8) for name, value in ends[0].items())


@pytest.mark.parametrize("share", [0.8, 1.2])
def test_a_fast_rotor_makes_the_spin_about_the_middle_axis_stable(share):
    system = gyroscopic_ball.system(I1=0.3, I2=0.2, I3=0.25, beta=0.0)
    q, n = system.values(), 2.0
    momentum = share * gyroscopic_ball.least_momentum(n, q)
    heavy = [q[name] + q["m"] * q["r"] ** 2 for name in ("I1", "I2", "I3")]
    G = heavy[2] * n + momentum
    square = (G - heavy[0] * n) * (G - heavy[1] * n) / (heavy[0] * heavy[1])
    assert (square > 0) == (share > 1)
    equations = da.nonholonomic(system)
    # a little off:  K stays along the vertical, (I_i + D) w_i = G gamma_i
    tilt = 1e-4
    R = Rotation.from_rotvec([0, -tilt, 0]).as_matrix()
    gamma = R[2]
    w = np.append(G * gamma[:2] / heavy[:2], n)
    start = equations.start(
        **{"x": 0.0, "y": 0.0, "psi": 0.0, "R": R.tolist(), "vpsi": momentum / q["C"] - n},
        **dict(zip(("w1", "w2", "w3"), w, strict=True)),
    )
    path = da.simulate(equations, start, until=4.0, rtol=1e-11, atol=1e-13)
    turned = Rotation.from_quat(np.array([path[f"R_{c}"] for c in "xyzw"]).T).as_matrix()[:, 2, 0]
    assert turned == pytest.approx(gamma[0] * np.cos(np.emath.sqrt(square) * path.t).real, abs=2e-7)
