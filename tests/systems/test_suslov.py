"""Suslov's problem [kozlov1988]: an ellipse and an attractor."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import suslov


@pytest.mark.parametrize("seed", range(5))
def test_every_motion_ends_at_the_attractor_of_its_energy(seed):
    w = np.random.default_rng(seed).normal(size=2)
    p = suslov.system().values()
    energy = (p["I1"] * w[0] ** 2 + p["I2"] * w[1] ** 2) / 2
    assert suslov.exact(1000.0, [*w, 0.0], p)[:2] == pytest.approx(suslov.attractor(energy, p))


def test_both_ends_are_steady_and_one_repels():
    p, equations = suslov.system().values(), da.nonholonomic(suslov.system())
    w = np.array(suslov.attractor(1.0, p))
    for side, sign in ((1, -1), (-1, 1)):
        at = equations.evaluate(equations.start(R="identity", w1=side * w[0], w2=side * w[1]))["accelerations"]
        assert np.allclose([at["w1"], at["w2"]], 0, atol=1e-14)
        # a small step along the ellipse, seen by s = I13 w1 + I23 w2: grows where it repels
        step = 1e-6 * np.array([p["I13"], p["I23"]])
        near = side * w + step
        moved = equations.evaluate(equations.start(R="identity", w1=near[0], w2=near[1]))["accelerations"]
        rate = p["I13"] * moved["w1"] + p["I23"] * moved["w2"]
        assert np.sign(rate) == sign


def test_a_principal_axis_keeps_every_velocity():
    p = suslov.system(I13=0.0, I23=0.0).values()
    assert np.array_equal(suslov.exact(5.0, [0.3, -0.4, 0.0], p), [0.3, -0.4, 0.0])


@pytest.mark.parametrize("I3", [0.05, 7.0])
def test_no_such_body(I3):
    with pytest.raises(ValueError, match="principal moments"):
        suslov.system(I3=I3)


def test_axes_that_are_turned_change_nothing(named):
    # the same body described in axes turned about the constrained one: I12 appears, the motion is the same
    import sympy as sp

    space = da.rotation("R", velocities="w1 w2 w3", frame="body")
    w = sp.Matrix(space.velocities)
    p, c, s = suslov.system().values(), np.cos(0.7), np.sin(0.7)
    tensor = np.array([[p["I1"], 0, p["I13"]], [0, p["I2"], p["I23"]], [p["I13"], p["I23"], p["I3"]]])
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    turned = da.System(space, w.dot(sp.Matrix(turn @ tensor @ turn.T) * w) / 2, {"axis": w[2]})
    equations = da.nonholonomic(turned)
    w1, w2, _ = turn @ [-0.7, 0.5, 0.0]
    path = da.simulate(equations, equations.start(w1=w1, w2=w2), until=3.0, rtol=1e-11, atol=1e-13)
    straight = suslov.exact(path.t, [-0.7, 0.5, 0.0], p)
    assert np.allclose(turn @ straight, [path["w1"], path["w2"], path["w3"]], atol=1e-9)
