"""The rolling disc [cushman1995; neimark1972]: stability, and Euler angles against a rotation."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import rolling_disc as disc

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
