"""A gyroscopic ball on a sphere [dragovic2020]: its momentum about the contact, and a sphere as good as flat."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import gyroscopic_ball, gyroscopic_ball_on_sphere


def attitude(at):
    return Rotation.from_quat([at[f"R_{c}"] for c in "xyzw"]).as_matrix()


def seen(at):
    """The normal of the sphere, in axes of the ball."""
    th, ph = at["th"], at["ph"]
    return attitude(at).T @ [math.sin(th) * math.cos(ph), math.sin(th) * math.sin(ph), math.cos(th)]


def spins(at):
    return np.array([at[f"w{i}"] for i in (1, 2, 3)])


@pytest.mark.parametrize(("name", "side"), [("", 1), ("/Demchenko", 1), ("/inside", -1)])
def test_it_moves_as_the_momentum_about_the_contact_says(name, side, named):
    case = named(f"gyroscopic_ball_on_sphere{name}")
    p, path = case.system().values(), case.path("tumbling")
    first, last = path.at(0.0), path.at(3.0)
    D, axis = p["m"] * p["r"] ** 2, np.array([math.sin(p["beta"]), 0, math.cos(p["beta"])])
    momentum = p["C"] * (spins(first) @ axis + first["vpsi"]) * axis
    ratio = p["b"] / (p["b"] + side * p["r"])
    inertia = lambda g: np.diag([p["I1"] + D, p["I2"] + D, p["I3"] + D]) - D * np.outer(g, g)  # noqa: E731

    def rate(t, z):
        # Kdot = K x w ,  gammadot = b/(b + s r) gamma x w
        w = np.linalg.solve(inertia(z[3:]), z[:3] - momentum)
        return np.concatenate([np.cross(z[:3], w), ratio * np.cross(z[3:], w)])

    gamma = seen(first)
    z = np.concatenate([inertia(gamma) @ spins(first) + momentum, gamma])
    end = solve_ivp(rate, (0, 3.0), z, rtol=1e-11, atol=1e-12).y[:, -1]
    assert end[3:] == pytest.approx(seen(last), abs=1e-7)
    assert np.linalg.solve(inertia(end[3:]), end[:3] - momentum) == pytest.approx(spins(last), abs=1e-7)


def test_the_sphere_turns_the_ball_about_the_middle():
    # rolling a quarter of a meridian of the sphere, a ball without momentum of its rotor turns by b/r + 1 quarters
    system = gyroscopic_ball_on_sphere.system(I1=0.3, I2=0.3, I3=0.3, beta=0.0)
    p, equations = system.values(), da.nonholonomic(system)
    start = equations.start(R="identity", th=0.5, ph=0.0, psi=0.0, vth=0.7, vph=0.0, w3=0.0, vpsi=0.0)
    end = da.simulate(equations, start, until=2.0, rtol=1e-11, atol=1e-13).at(2.0)
    assert end["th"] == pytest.approx(0.5 + 1.4, abs=1e-8)
    turned = Rotation.from_matrix(attitude(end)).as_rotvec()
    angle = (p["b"] / p["r"] + 1) * 1.4
    assert turned == pytest.approx([0, math.remainder(angle, math.tau), 0], abs=1e-7)


def test_on_a_sphere_that_is_large_it_moves_as_on_a_plane():
    ball = {name: gyroscopic_ball.START[name] for name in ("R", "w1", "w2", "w3", "psi", "vpsi")}
    tilt = Rotation.from_rotvec([0, 1.0, 0]).as_matrix()
    ends = []
    for b in (1e3, 1e5):
        equations = da.nonholonomic(gyroscopic_ball_on_sphere.system(b=b))
        start = equations.start(**{**ball, "R": (tilt @ np.array(ball["R"])).tolist()}, th=1.0, ph=0.0)
        ends.append(spins(da.simulate(equations, start, until=2.0, rtol=1e-11, atol=1e-13).at(2.0)))
    equations = da.nonholonomic(gyroscopic_ball.system())
    flat = spins(
        da.simulate(equations, equations.start(**ball, x=0.0, y=0.0), until=2.0, rtol=1e-11, atol=1e-13).at(2.0)
    )
    far, near = (np.abs(end - flat).max() for end in ends)
    assert near == pytest.approx(far / 100, rel=0.1)
    assert near < 1e-4
