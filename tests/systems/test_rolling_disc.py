"""The rolling disc [cushman1995; neimark1972]: stability, and Euler angles against a rotation."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import rolling_disc as disc
from zoo import GALLERY

P = disc.system().values()


def grown(vphi, vpsi, until=4.0):
    """How much a small lean has grown at most."""
    equations = da.nonholonomic(disc.system())
    lean = 1e-5
    start = equations.start(x=0.0, y=0.0, theta=math.pi / 2 + lean, phi=0.0, psi=0.0, vtheta=0.0, vphi=vphi, vpsi=vpsi)
    path = da.simulate(equations, start, until=until)
    return np.abs(path["theta"] - math.pi / 2).max() / lean


def test_straight_rolling_is_stable_above_the_least_rate():
    least = disc.least_rolling(P)
    assert least == pytest.approx(math.sqrt(9.81 / 0.5 / 3))  # homogeneous: g/(3 r)
    assert grown(0.0, 1.1 * least) < 20
    assert grown(0.0, 0.8 * least) > 50


def test_spinning_upright_is_stable_above_the_least_rate():
    least = disc.least_spinning(P)
    assert least == pytest.approx(math.sqrt(4 * 9.81 / (5 * 0.5)))  # homogeneous: 4 g/(5 r)
    assert grown(1.3 * least, 0.0) < 20
    assert grown(0.8 * least, 0.0) > 50


def in_rotations():
    """The same disc with its attitude as a rotation: centre (x, y, z), angular velocity in space axes."""
    space = da.Space.product(da.coordinates("x y z"), da.rotation("R", velocities="w1 w2 w3", frame="space"))
    vx, vy, vz, z = (space[n] for n in ("vx", "vy", "vz", "z"))
    w, axle = sp.Matrix([space[n] for n in ("w1", "w2", "w3")]), space.R[:, 2]
    m, r, A, C, g = sp.symbols("m r A C g", positive=True)
    spin = w.dot(axle)
    T = m * (vx**2 + vy**2 + vz**2) + A * (w.dot(w) - spin**2) + C * spin**2
    # the contact lies below the centre, in the plane of the disc: c = -r (e3 - (e3 . axle) axle)/|...|
    down = -r * (sp.Matrix([0, 0, 1]) - axle[2] * axle) / sp.sqrt(1 - axle[2] ** 2)
    slip = sp.Matrix([vx, vy, vz]) + w.cross(down)
    return da.System(space, T / 2 - m * g * z, dict(zip(("sx", "sy", "sz"), slip, strict=True)), parameters=P)


def test_the_same_with_the_attitude_as_a_rotation(named):
    path = named("rolling_disc").path("leaning")
    s = named("rolling_disc").start("leaning")
    turn = {
        a: np.array([[math.cos(v), -math.sin(v), 0], [math.sin(v), math.cos(v), 0], [0, 0, 1]])
        for a, v in (("phi", s["phi"]), ("psi", s["psi"]))
    }
    c, n = math.cos(s["theta"]), math.sin(s["theta"])
    R = turn["phi"] @ np.array([[c, 0, n], [0, 1, 0], [-n, 0, c]]) @ turn["psi"]
    # w = vphi e3 + vtheta (line of nodes: R_phi e2) + vpsi axle
    w = s["vphi"] * np.array([0, 0, 1]) + s["vtheta"] * turn["phi"][:, 1] + s["vpsi"] * R[:, 2]
    equations = da.nonholonomic(in_rotations())
    start = equations.start(x=s["x"], y=s["y"], z=P["r"] * n, R=R.tolist(), w1=w[0], w2=w[1], w3=w[2])
    assert [start["vx"], start["vy"]] == pytest.approx([s["vx"], s["vy"]])
    other = da.simulate(equations, start, until=3.0, rtol=1e-11, atol=1e-13).at(path.t)
    assert np.allclose([other["x"], other["y"]], [path["x"], path["y"]], atol=1e-8)
    assert np.allclose(other["z"], P["r"] * np.sin(path["theta"]), atol=1e-8)


# --- symmetry and the two constants ----------------------------------------------------------------------------------


def test_the_group_is_a_symmetry_and_conserves_no_momentum():
    found = GALLERY.noether("rolling_disc")
    assert len(found.momenta) == 4
    assert all(each.symmetric and not each.conserved for each in found.momenta)
    assert not found.conserved


def hypergeometric(s, kappa):
    """u1, u2 and their slopes times 1 - s^2, with 60 digits."""
    with mpmath.workdps(60):
        a = (mpmath.mpf(1) / 2 + mpmath.sqrt(mpmath.mpf(1) / 4 - kappa)) / 2
        b, half, z = mpmath.mpf(1) / 2 - a, mpmath.mpf(1) / 2, s**2
        F, G = mpmath.hyp2f1(a, b, half, z), mpmath.hyp2f1(a + half, b + half, 3 * half, z)
        # F(a, b; c; z)' = (a b/c) F(a + 1, b + 1; c + 1; z)
        dF = a * b / half * mpmath.hyp2f1(a + 1, b + 1, 3 * half, z)
        dG = (a + half) * (b + half) / (3 * half) * mpmath.hyp2f1(a + 3 * half, b + 3 * half, 5 * half, z)
        found = F, s * G, (1 - z) * 2 * s * dF, (1 - z) * (G + 2 * z * dG)
        assert all(abs(mpmath.im(e)) < 1e-40 * (1 + abs(e)) for e in found)
        return [float(mpmath.re(e)) for e in found]


@pytest.mark.parametrize("kappa", [0.01, 0.25, 4 / 3, 2.0, 40.0, 300.0])
def test_solutions_are_hypergeometric_functions(kappa):
    # real parameters below kappa = 1/4, complex ones above; kappa < 2 for every body
    for theta in (1e-4, 0.05, 0.4, math.pi / 3, 1.3, 1.8, 2.6, 3.14):
        with mpmath.workdps(60):
            expected = hypergeometric(mpmath.cos(theta), mpmath.mpf(kappa))
        u, slopes = disc.solutions(theta, kappa)
        assert np.allclose([*u, *slopes], expected, rtol=1e-13, atol=0)


def test_solutions_at_the_upright_disc_and_on_arrays():
    u, slopes = disc.solutions(math.pi / 2, 4 / 3)
    assert np.allclose(u, [1, 0], atol=1e-16)
    assert np.allclose(slopes, [0, 1], atol=1e-15)
    theta = np.linspace(0.1, 3.0, 12).reshape(3, 4)
    u, slopes = disc.solutions(theta, 4 / 3)
    assert u.shape == slopes.shape == (2, 3, 4)
    assert u[:, 2, 1] == pytest.approx(disc.solutions(theta[2, 1], 4 / 3)[0], rel=1e-14)
    # Wronski's determinant
    assert np.allclose(u[0] * slopes[1] - u[1] * slopes[0], 1, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"m": 2.0, "r": 0.3, "A": 0.05, "C": 0.02, "g": 4.0}])
def test_two_constants_linear_in_the_velocities(options):
    system = disc.system(**options)
    equations = da.nonholonomic(system)
    # the second start carries the disc through upright, where cos(theta) changes its sign
    for theta, vtheta, vphi, vpsi in ((1.2, 0.1, 0.8, 4.0), (1.5, 1.0, 0.2, 5.0)):
        start = equations.start(x=0, y=0, theta=theta, phi=0.3, psi=0, vtheta=vtheta, vphi=vphi, vpsi=vpsi)
        path = da.simulate(equations, start, until=10.0, rtol=1e-12, atol=1e-13)
        found = disc.constants({n: path[n] for n in ("theta", "vphi", "vpsi")}, system.values())
        assert np.ptp(found, axis=1).max() < 1e-10 * np.abs(found).max()
    doubled = disc.constants({"theta": 1.0, "vphi": 2.0, "vpsi": -6.0}, system.values())
    assert doubled == pytest.approx(2 * disc.constants({"theta": 1.0, "vphi": 1.0, "vpsi": -3.0}, system.values()))
