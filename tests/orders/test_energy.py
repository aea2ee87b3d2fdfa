"""Energy over long times: what is promised, and a system on which the promise fails [modin2020]."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.methods.method import Request
from dalembert.numerics.methods.stepper import FULL
from dalembert.numerics.policy import Policy
from dalembert.systems import rolling_disc

COUNTS = [100_000, 1_000_000]  # steps


def contact():
    """The contact oscillator of [mclachlan2006]: reversible and integrable."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    L = (vx**2 + vy**2 + vz**2) / 2 - (x**2 + y**2 + z**2) / 2
    equations = da.nonholonomic(da.System(q, L, {"contact": vz - y * vx}))
    return equations, equations.start(x=1.0, y=0.5, z=0.1, vx=0.3, vy=-1.0)


def gearbox(speed):
    """Two oscillators coupled by a gear whose ratio a pendulum sets, as in [modin2020].

    Where the pendulum swings, each of its motions is its own mirror image in time. Where it turns over, none is.
    """
    q = da.coordinates("x z xi")
    x, z, xi, vx, vz, vxi = q
    ratio = 1 + sp.sin(xi) / 2 + sp.cos(2 * xi + 1) / 3
    L = (vx**2 + vz**2 + vxi**2) / 2 - (x**2 + 2 * z**2) / 2 + sp.cos(xi)
    equations = da.nonholonomic(da.System(q, L, {"gear": vz - ratio * vx}))
    return equations, equations.start(x=1.0, z=0.5, xi=0.1, vx=0.3, vxi=speed)


def energies(equations, start, method, step, count, order=2):
    """Energy less its start after each step."""
    policy = Policy.of({"method": method, "step": step, "order": order})
    field = policy.field(equations, start)
    run = policy.method.stepper(field, Request(rtol=policy.rtol, atol=np.ones(len(start.vector))))
    found = [field.energy(np.array([start.t]), field.first[None])]
    while run.steps < count:
        chunk = run.advance(1e12)
        assert chunk.status == FULL
        found.append(field.energy(chunk.t, chunk.y))
    energy = np.concatenate(found)
    return energy - energy[0]


def drift(error):
    """What a straight line through the error gains from the first step to the last."""
    return np.polyfit(np.linspace(0, 1, len(error)), error, 1)[0]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("method", ["dla", "symmetric_projection"])
def test_no_drift_where_the_motion_is_reversible_and_integrable(method, count):
    error = energies(*contact(), method, 0.1, count)
    size = np.abs(error).max()
    assert 1e-4 < size < 3e-3  # of order h^2 and not larger after so many steps than at the beginning
    assert size < 1.1 * np.abs(error[:10_000]).max()
    assert abs(drift(error)) < 1e-3 * size


def test_the_error_of_the_energy_has_order_two_at_all_times():
    sizes = [np.abs(energies(*contact(), "dla", step, 50_000)).max() for step in (0.2, 0.1, 0.05)]
    np.testing.assert_allclose(np.log2(np.divide(sizes[:-1], sizes[1:])), 2, atol=0.2)


@pytest.mark.parametrize("method", ["dla", "symmetric_projection"])
def test_drift_where_it_is_not_reversible(method):
    swinging = energies(*gearbox(1.0), method, 0.1, 100_000)
    turning = energies(*gearbox(3.0), method, 0.1, 100_000)
    assert np.abs(swinging).max() < 1e-3
    assert np.abs(turning).max() > 0.1  # published: no integrator of this kind keeps the energy here


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("speed", [1.0, 3.0])
def test_the_discrete_gradient_keeps_the_energy_of_any_motion(speed, order):
    error = energies(*gearbox(speed), "discrete_gradient", 0.1, 30_000, order)
    assert np.abs(error).max() < 1e-11  # of 5
    assert abs(drift(error)) < 1e-14


@pytest.mark.parametrize("count", COUNTS)
def test_the_discrete_gradient_keeps_energy_however_many_steps(count):
    error = energies(*contact(), "discrete_gradient", 0.1, count)
    assert np.abs(error).max() < 1e-14  # rounding does not add up: the energy is compared with that of the start


@pytest.mark.parametrize("method", ["dla", "discrete_gradient", "symmetric_projection"])
def test_rolling_disc(method):
    equations = da.nonholonomic(rolling_disc.system())
    error = energies(equations, equations.start(**rolling_disc.START), method, 0.01, 30_000)
    size = np.abs(error).max()
    limit = 1e-12 if method == "discrete_gradient" else 1e-3
    assert size < limit
    assert abs(drift(error)) < 0.05 * size or method == "discrete_gradient"


def test_at_rest_in_equilibrium():
    # no direction in which to put the energy right, and nothing to be put right
    q = da.coordinates("x y")
    x, y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2 - x**2 - y**4 - 7, {"edge": vy - x * vx})
    for method in ("dla", "discrete_gradient", "symmetric_projection"):
        path = da.simulate(da.nonholonomic(system), {"x": 0, "y": 0, "vx": 0}, until=10.0, method=method, step=0.1)
        assert path.ok
        np.testing.assert_allclose(path["x"], 0, atol=1e-12)


def test_released_from_rest():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2 - 100 * y - x**4, {"edge": vy - x * vx})
    equations = da.nonholonomic(system)
    error = energies(equations, equations.start(x=1.0, y=0.5, vx=0.0), "discrete_gradient", 0.01, 10_000)
    assert np.abs(error).max() < 1e-10  # of 51
