"""A particle at a constant speed [evans1983; dettmann1996]: it comes to fall, and the thermostat takes the energy."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import isokinetic_particle


def test_it_comes_to_fall_at_its_speed():
    system = isokinetic_particle.system(g=2.0, c=0.7)
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(x=0.0, y=0.0, vx=0.3, vy=np.sqrt(0.49 - 0.09)), until=12.0)
    assert np.hypot(path["vx"], path["vy"]) == pytest.approx(np.full(len(path.t), 0.7))
    assert path["vy"][-1] == pytest.approx(-0.7, abs=1e-9)
    # vx dies out as exp(-g t/c)
    late = path.at(6.0)["vx"] / path.at(5.0)["vx"]
    assert late == pytest.approx(np.exp(-2.0 / 0.7), rel=1e-5)


def test_the_thermostat_does_work():
    equations = da.nonholonomic(isokinetic_particle.system())
    path = da.simulate(equations, equations.start(**isokinetic_particle.START), until=5.0)
    # all that the particle falls by is taken out:  E - E0 = m g (y - y0)
    assert path.audit.energy_change == pytest.approx(path["y"][-1] - path["y"][0])
    assert path.audit.energy_change < -1
    assert path.ok


def test_gauss_says_the_same():
    system = isokinetic_particle.system()
    chetaev, gauss = da.nonholonomic(system), da.forms.gauss(system)
    start = isokinetic_particle.START
    one, other = (e.evaluate(e.start(**start))["accelerations"] for e in (chetaev, gauss))
    assert one == pytest.approx(other)
