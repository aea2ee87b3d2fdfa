"""Symmetric methods: a step back undoes a step, and a motion with its velocities turned round runs back."""

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.methods.method import Request
from dalembert.numerics.policy import Policy
from dalembert.systems import chaplygin_sleigh, pendulum_cartesian, rattleback, rolling_disc

METHODS = ("dla", "discrete_gradient", "symmetric_projection")
SPANS = {chaplygin_sleigh: 1.0, pendulum_cartesian: 1.0, rattleback: 0.02, rolling_disc: 1.0}  # some way, in seconds


def stepper(equations, start, method, step, order=2):
    policy = Policy.of({"method": method, "step": step, "order": order})
    request = Request(rtol=policy.rtol, atol=np.ones(len(start.vector)))
    return policy.method.stepper(policy.field(equations, start), request)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize("name", ["knife", "moving", "quadratic", "ellipsoid", "body"])
def test_there_and_back(made, name, method, order):
    case = made(name)
    run = stepper(case.equations, case.start(), method, 0.05, order)
    before = run.y.copy()
    run.advance(1.0)
    moved = np.abs(run.y - before).max()
    run.advance(0.0)
    # an asymmetric method of order 2 comes back with an error of 1e-4
    assert np.abs(run.y - before).max() < 1e-13 < moved


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("system", SPANS)
def test_turned_round(system, method):
    equations = da.nonholonomic(system.system())
    start = equations.start(**system.START)
    k = len(equations.space.coordinates)
    end = SPANS[system]
    run = stepper(equations, start, method, end / 100)
    before = run.y.copy()
    run.advance(end)
    turned = run.y.copy()
    turned[k:-1] *= -1
    run.restart(0.0, turned)
    run.advance(end)
    back = run.y.copy()
    back[k:-1] *= -1
    assert np.abs(turned[:k] - before[:k]).max() > 1e-3
    np.testing.assert_allclose(back[:-1], before[:-1], rtol=0, atol=1e-11 * max(1, np.abs(before).max()))
