"""The knife edge [neimark1972; arnold1988]: a cycloid, and no descent."""

import math

import numpy as np
import pytest

from dalembert.systems import knife_edge_on_incline as edge

G = 9.81 * math.sin(math.pi / 6)


def parameters():
    return edge.system().values()


def test_from_rest_the_contact_runs_on_a_cycloid():
    t, omega = np.linspace(0, 9, 50), 1.5
    x, y, *_ = edge.exact(t, [0, 0, 0, 0, 0, omega], parameters())
    # a wheel of radius G/(4 omega^2), turning by 2 omega t along the level
    radius, angle = G / (4 * omega**2), 2 * omega * t
    assert np.allclose(x, radius * (1 - np.cos(angle)), atol=1e-12)
    assert np.allclose(y, radius * (angle - np.sin(angle)), atol=1e-12)


def test_a_turning_edge_does_not_descend_and_drifts_along_the_level():
    omega, turns = -2.0, 40
    t = 2 * math.pi * turns / abs(omega)
    start = [0.1, -0.3, 0.7, 0.8 * math.cos(0.7), 0.8 * math.sin(0.7), omega]
    moved = edge.exact(t, start, parameters())[:2] - start[:2]
    assert np.allclose(moved / t, edge.drift(omega, parameters()), atol=1e-12)
    assert edge.drift(omega, parameters())[0] == 0


def test_the_depth_of_the_cycloid():
    t = np.linspace(0, 10, 10001)
    x = edge.exact(t, [0, 0, 0, 0, 0, 1.5], parameters())[0]
    assert x.min() >= 0
    assert x.max() == pytest.approx(edge.depth(1.5, parameters()), rel=1e-6)


@pytest.mark.parametrize("omega", [0.0, 1e-9, -1e-5, 1e-3])
def test_slow_turning_joins_straight_sliding(omega):
    # to first order in omega:  v = v0 + G t cos(phi0) + O(omega)
    t, phi, v = 2.0, 0.4, 0.3
    start = [0, 0, phi, v * math.cos(phi), v * math.sin(phi), omega]
    way = v * t + G * math.cos(phi) * t**2 / 2
    x, y, *_ = edge.exact(t, start, parameters())
    assert [x, y] == pytest.approx([way * math.cos(phi), way * math.sin(phi)], abs=20 * abs(omega) + 1e-12)
