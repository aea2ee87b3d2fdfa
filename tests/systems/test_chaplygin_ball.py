"""Chaplygin's ball [chaplygin1903]: its equations, its momentum and its measure."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import chaplygin_ball, rolling_ball_on_plane
from zoo import GALLERY

SYSTEM = GALLERY["chaplygin_ball"]
p = SYSTEM.values()
INERTIA, D = np.array([p["I1"], p["I2"], p["I3"]]), p["m"] * p["r"] ** 2


def rates(w, gamma):
    """(wdot, gammadot) from Kdot = K x w, K = I w + D gamma x (w x gamma)."""
    gammadot = np.cross(gamma, w)

    def K(w, gamma):
        return INERTIA * w + D * (np.dot(gamma, gamma) * w - np.dot(gamma, w) * gamma)

    J = np.diag(INERTIA) + D * (np.dot(gamma, gamma) * np.eye(3) - np.outer(gamma, gamma))
    # Kdot = J wdot + terms of gammadot, which is across w and gamma
    turned = D * (2 * np.dot(gamma, gammadot) * w - np.dot(gammadot, w) * gamma - np.dot(gamma, w) * gammadot)
    return np.linalg.solve(J, np.cross(K(w, gamma), w) - turned), gammadot


@pytest.fixture(scope="module")
def reduced():
    reduction = GALLERY.reduction("chaplygin_ball")
    return reduction, da.free(reduction.system)


@pytest.mark.parametrize("seed", range(4))
def test_the_reduced_equations_are_chaplygins(reduced, seed):
    rng = np.random.default_rng(seed)
    gamma, w = Rotation.random(random_state=seed).as_matrix()[2], rng.normal(size=3)
    values = {
        **p,
        **dict(zip(("g1", "g2", "g3"), gamma, strict=True)),
        **dict(zip(("w1", "w2", "w3"), w, strict=True)),
        "t": 0.0,
    }
    udot, _ = reduced[1].accelerations(values)
    assert np.asarray(udot) == pytest.approx(rates(w, gamma)[0])


def test_the_measure_is_preserved_by_the_reduced_equations(reduced):
    _, equations = reduced
    rng = np.random.default_rng(2)

    def field(z):
        values = {**p, **dict(zip(("w1", "w2", "w3", "g1", "g2", "g3"), map(float, z), strict=True)), "t": 0.0}
        return np.concatenate([np.asarray(equations.accelerations(values)[0]), np.cross(z[3:], z[:3])])

    def extended(z):
        # off the sphere: the field depends on the direction of gamma only, and keeps |gamma|
        size = np.linalg.norm(z[3:])
        return field(np.concatenate([z[:3], z[3:] / size])) * np.concatenate([np.ones(3), np.full(3, size)])

    def weight(z):
        return chaplygin_ball.density(z[3:] / np.linalg.norm(z[3:]), p)

    for _ in range(3):
        gamma = rng.normal(size=3)
        z = np.concatenate([rng.normal(size=3), gamma / np.linalg.norm(gamma)])
        h = 1e-3
        div, plain = 0.0, 0.0
        for i, s in enumerate(np.eye(6) * h):
            flux = [weight(z + k * s) * extended(z + k * s)[i] for k in (-2, -1, 1, 2)]
            bare = [extended(z + k * s)[i] for k in (-2, -1, 1, 2)]
            div += (8 * (flux[2] - flux[1]) - (flux[3] - flux[0])) / (12 * h)
            plain += (8 * (bare[2] - bare[1]) - (bare[3] - bare[0])) / (12 * h)
        assert div == pytest.approx(0, abs=1e-8)
        assert abs(plain) > 1e-4


def test_a_homogeneous_ball_keeps_its_velocity(named):
    system = chaplygin_ball.system(I1=0.3, I2=0.3, I3=0.3)
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(**chaplygin_ball.START), until=2.0, rtol=1e-11, atol=1e-13)
    assert np.ptp(path["vx"]) < 1e-10
    assert np.ptp(path["vy"]) < 1e-10
    plain = da.nonholonomic(rolling_ball_on_plane.system(m=1.0, r=0.8, I=0.3))
    first = path.at(0.0)
    spin = Rotation.from_quat([first[f"R_{c}"] for c in "xyzw"]).apply([first[f"w{i}"] for i in (1, 2, 3)])
    start = plain.start(x=first["x"], y=first["y"], vx=first["vx"], vy=first["vy"], w3=spin[2])
    other = da.simulate(plain, start, until=2.0, rtol=1e-11, atol=1e-13)
    assert other.at(2.0)["x"] == pytest.approx(path.at(2.0)["x"], abs=1e-9)


def test_the_momentum_belongs_to_no_horizontal_generator():
    found = GALLERY.noether("chaplygin_ball")
    assert not any(m.horizontal for m in found.momenta if m.generator.name.startswith("shift"))
    for K in chaplygin_ball.CONTACT:
        assert da.symmetry.conserved(SYSTEM, K)
