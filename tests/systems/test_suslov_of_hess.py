"""Suslov's body of Hess's kind: F = 0 is kept, there it is a pendulum; elsewhere 1/|F| is the density of a measure."""

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import dalembert as da
from dalembert.systems import suslov_in_field, suslov_of_hess

TILTED = np.array(suslov_of_hess.START["R"])


def relation(p, w1, w2):
    return p["I1"] * p["c1"] * w1 + p["I2"] * p["c2"] * w2


def field(p, z):
    """d/dt (w, gamma) by Euler's equations with a torque about axis 3 that keeps w3 = 0."""
    w, gamma = np.array([z[0], z[1], 0.0]), z[2:]
    J = np.diag([p["I1"], p["I2"], p["I3"]])
    J[0, 2] = J[2, 0] = p["mu"] * p["I1"] * p["c1"]
    J[1, 2] = J[2, 1] = p["mu"] * p["I2"] * p["c2"]
    weight = -p["m"] * p["g"] * np.cross([p["c1"], p["c2"], 0.0], gamma)
    moment = weight - np.cross(w, J @ w)
    return np.concatenate([moment[:2] / [p["I1"], p["I2"]], np.cross(gamma, w)])


def test_the_accelerations_are_euler_s():
    system = suslov_of_hess.system()
    equations = da.nonholonomic(system)
    start = equations.start(**suslov_of_hess.START)
    found = equations.evaluate(start)["accelerations"]
    expected = field(system.values(), np.array([0.7, -0.5, *TILTED[2]]))
    assert [found["w1"], found["w2"]] == pytest.approx(expected[:2], abs=1e-12)


def test_the_relation_is_kept_where_it_holds_and_not_elsewhere(named):
    case = named("suslov_of_hess")
    p = case.system().values()
    held, other = (relation(p, *(case.path(name)[w] for w in ("w1", "w2"))) for name in ("as a pendulum", "tumbling"))
    assert np.abs(held).max() < 1e-10
    assert np.ptp(other) > 0.05
    # log F changes at the rate mu (c2 w1 - c1 w2), and keeps its sign
    path = case.path("tumbling")
    rate = p["mu"] * (p["c2"] * path["w1"] - p["c1"] * path["w2"])
    grown = np.concatenate([[0], np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(path.t))])
    assert np.log(other / other[0]) == pytest.approx(grown, abs=2e-3)


def test_there_it_is_a_pendulum_about_an_axis_at_rest():
    # phi'' = -k sin(phi),  k = m g N sqrt(1 - <gamma, e>^2)/(I1 I2),  e = (I2 c2, -I1 c1, 0)/N:  elliptic functions
    system = suslov_of_hess.system()
    p, equations = system.values(), da.nonholonomic(system)
    axis = np.array([p["I2"] * p["c2"], -p["I1"] * p["c1"], 0.0])
    N = np.linalg.norm(axis)
    gamma = TILTED[2]
    k = p["m"] * p["g"] * N * math.sqrt(1 - (gamma @ axis / N) ** 2) / (p["I1"] * p["I2"])
    start = equations.start(R=TILTED.tolist(), w1=0.0, w2=0.0)
    path = da.simulate(equations, start, until=4.0, rtol=1e-11, atol=1e-13)
    # let go at phi0:  k sin(phi0) = m g N gamma3/(I1 I2), and cos(phi0) by the height of the weight
    along = (path["w1"] * axis[0] + path["w2"] * axis[1]) / N
    down = gamma @ np.cross(axis / N, [0, 0, 1]) / math.sqrt(1 - (gamma @ axis / N) ** 2)
    phi0 = math.atan2(p["m"] * p["g"] * N * gamma[2] / (p["I1"] * p["I2"] * k), down)
    modulus = math.sin(phi0 / 2) ** 2
    # sin(phi/2) = sin(phi0/2) cd(sqrt(k) t)
    root = math.sqrt(k)
    _, cn, _, _ = ellipj(root * path.t + ellipk(modulus), modulus)
    rate = 2 * math.copysign(math.sqrt(modulus), phi0) * root * cn
    assert along == pytest.approx(rate, abs=1e-8)
    at = path["R_w"], path["R_x"], path["R_y"], path["R_z"]
    turned = _space(at, axis / N)
    assert np.ptp(turned, axis=1).max() < 1e-9


def _space(q, v):
    """The vector v of the body, seen from space, for columns of quaternions."""
    w, u = q[0], np.array(q[1:])
    v = np.broadcast_to(v[:, None], u.shape)
    cross = np.cross(u, v, axis=0)
    return v + 2 * w * cross + 2 * np.cross(u, cross, axis=0)


def divergence(f, z, h=2e-4):
    """The divergence of a field by differences of order 4."""
    steps = np.eye(len(z)) * h
    ends = [(8 * (f(z + s) - f(z - s)) - f(z + 2 * s) + f(z - 2 * s))[i] for i, s in enumerate(steps)]
    return sum(ends) / (12 * h)


@pytest.mark.parametrize("seed", range(3))
def test_the_volume_is_preserved_with_the_density_of_the_relation(seed):
    p, z = suslov_of_hess.system().values(), np.random.default_rng(seed).normal(size=5)
    assert divergence(lambda z: field(p, z) / abs(relation(p, *z[:2])), z) == pytest.approx(0, abs=1e-7)
    assert abs(divergence(lambda z: field(p, z), z)) > 1e-3


def test_without_the_slant_it_is_kharlamova_s():
    w = suslov_of_hess.START
    ends = []
    for system in (suslov_in_field.system(), suslov_of_hess.system(mu=0.0)):
        equations = da.nonholonomic(system)
        ends.append(da.simulate(equations, equations.start(**w), until=1.0).at(1.0))
    assert all(ends[1][name] == pytest.approx(value, abs=1e-9) for name, value in ends[0].items())


def test_a_tensor_of_no_body_is_refused():
    with pytest.raises(ValueError, match="moments of inertia"):
        suslov_of_hess.system(mu=20.0)
