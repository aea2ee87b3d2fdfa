"""Chaplygin's sleigh [neimark1972]: an ellipse, an attractor, and a whole turn."""

import math

import numpy as np
import pytest

from dalembert.systems import chaplygin_sleigh as sleigh


def speed(rows):
    theta, vx, vy, _ = rows
    return vx * np.cos(theta) + vy * np.sin(theta)


def test_the_reduced_equations(named):
    path = named("chaplygin_sleigh").path("turning")
    p, h, t = path.provenance["parameters"], 1e-4, np.linspace(0.2, 2.8, 9)

    def reduced(t):
        c = path.at(t)
        return speed([c["theta"], c["vx"], c["vy"], 0]), c["omega"]

    (v0, w0), (v1, w1) = reduced(t - h), reduced(t + h)
    v, w = reduced(t)
    # vdot = a omega^2 ,  (J + m a^2) omegadot = -m a v omega
    assert np.allclose((v1 - v0) / (2 * h), p["a"] * w**2, atol=1e-6)
    assert np.allclose((p["J"] + p["m"] * p["a"] ** 2) * (w1 - w0) / (2 * h), -p["m"] * p["a"] * v * w, atol=1e-6)


@pytest.mark.parametrize("start", [[0.2, -0.9, 0.0, 1e-6], [0.2, 0.3, 0.0, -2.0], [1.0, 0.0, 0.0, 0.5]])
def test_every_turning_sleigh_ends_sliding_forward(start):
    p = sleigh.system().values()
    theta, v, _, omega = start
    start = [theta, v * math.cos(theta), v * math.sin(theta), omega]
    rows = sleigh.exact(200.0, start, p)
    V = math.hypot(v, math.sqrt(p["a"] ** 2 + p["J"] / p["m"]) * omega)
    assert rows[3] == pytest.approx(0, abs=1e-10)
    assert speed(rows) == pytest.approx(V)


def test_backward_sliding_is_unstable_and_ends_in_a_whole_turn():
    p = sleigh.system().values()
    # almost straight back: the angle turned is that of the whole heteroclinic motion
    rows = sleigh.exact(400.0, [0.0, -1.0, 0.0, 1e-7], p)
    assert rows[0] == pytest.approx(sleigh.whole_turn(p), abs=1e-5)


def test_without_motion_nothing_moves():
    assert np.array_equal(
        sleigh.exact(np.array([0.0, 3.0]), [0.4, 0, 0, 0], sleigh.system().values()),
        [[0.4, 0.4], [0, 0], [0, 0], [0, 0]],
    )
