"""Stiff forces: constraints realised by viscous forces up to 1e8, to 1e-10 and better."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da

STRENGTHS = (1e3, 1e5, 1e8)


def geared():
    """Two oscillating masses with a gear between them: linear."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    return da.System(q, (vx**2 + 2 * vy**2) / 2 - (x**2 + 3 * y**2 + x * y) / 2, {"gear": vx - 2 * vy})


def exactly(c, t, start):
    """(x, y, vx, vy) from the matrix exponential, to 40 digits."""
    mpmath = pytest.importorskip("mpmath")
    mpmath.mp.dps = 60
    # x'' = -x - y/2 - c (x' - 2 y'),  2 y'' = -3 y - x/2 + 2 c (x' - 2 y')
    A = mpmath.matrix([[0, 0, 1, 0], [0, 0, 0, 1], [-1, -0.5, -c, 2 * c], [-0.25, -1.5, c, -2 * c]])
    return np.array([float(v) for v in mpmath.expm(A * t) * mpmath.matrix(start)])


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("slip", [0.0, 0.7])
def test_linear(strength, slip):
    equations = da.free(da.viscous_penalty(geared(), strength))
    start = [1.0, -0.4, 0.6 + slip, 0.3]
    path = da.simulate(equations, equations.start(start), until=5.0, method="radau", rtol=1e-10)
    # with slip the run begins in a layer of width 1/c
    np.testing.assert_allclose(path.values[-1, :4], exactly(strength, 5.0, start), atol=1e-10)


def sleigh():
    """Chaplygin's sleigh: the direction that is stiff turns with it."""
    q = da.coordinates("x y theta")
    _x, _y, theta, vx, vy, w = q
    L = ((vx - w * sp.sin(theta) / 3) ** 2 + (vy + w * sp.cos(theta) / 3) ** 2) / 2 + w**2 / 4
    return da.System(q, L, {"blade": -vx * sp.sin(theta) + vy * sp.cos(theta)})


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_nonlinear(strength, slip):
    equations = da.free(da.viscous_penalty(sleigh(), strength))
    start = equations.start(x=0, y=0, theta=0.0, vx=1.0, vy=slip, vtheta=1.5)
    coarse, path = (
        da.simulate(equations, start, until=1.0, method="radau", rtol=rtol).values[-1, :6] for rtol in (1e-10, 1e-11)
    )
    # another route: in body velocities the stiff direction is fixed, and the slip s = v2 - u is small
    np.testing.assert_allclose(path, in_the_body(strength, 1.0, slip), atol=1e-10)
    np.testing.assert_allclose(coarse, path, atol=1e-10)


def in_the_body(c, until, slip):
    """The same motion from Newton's and Euler's laws in the body frame, by Radau collocation of many digits."""
    a, J = 1 / 3, 1 / 2

    # velocity (v1, v2) of the blade, centre of mass at a ahead: v2 + a w sideways; force -c v2 at the blade
    def rate(_t, y):
        _x, _y, theta, v1, v2, w = y
        # v1' - v2 w - a w^2 = 0,  v2' + v1 w + a w' = -c v2,  J w' - ... = a c v2 about the centre of mass
        turn = a * c * v2 / J
        return [
            v1 * np.cos(theta) - v2 * np.sin(theta),
            v1 * np.sin(theta) + v2 * np.cos(theta),
            w,
            v2 * w + a * w**2,
            -c * v2 - v1 * w - a * turn,
            turn,
        ]

    found = solve_ivp(rate, (0, until), [0, 0, 0, 1.0, slip, 1.5], "Radau", rtol=1e-12, atol=1e-15)
    x, y, theta, v1, v2, w = found.y[:, -1]
    return [x, y, theta, v1 * np.cos(theta) - v2 * np.sin(theta), v1 * np.sin(theta) + v2 * np.cos(theta), w]
