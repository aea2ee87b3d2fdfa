"""Chaplygin's sleigh under water [fedorov2010]: it ends on a circle, in the air on a straight line."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import chaplygin_sleigh, sleigh_in_fluid


@pytest.mark.parametrize("name", sleigh_in_fluid.STARTS)
@pytest.mark.parametrize("mu", [0.5, -1.0])
def test_it_ends_on_a_circle(name, mu):
    system = sleigh_in_fluid.system(mu=mu)
    p, equations = system.values(), da.nonholonomic(system)
    start = equations.start(**sleigh_in_fluid.STARTS[name])
    end = da.simulate(equations, start, until=60.0).at(60.0)
    v = end["vx"] * math.cos(end["theta"]) + end["vy"] * math.sin(end["theta"])
    # forces of the fluid across the blade vanish:
    #   (m + pi rho (B^2 sin^2 + A^2 cos^2)) a omega = pi rho (A^2 - B^2) sin cos v
    rho, A, B = (p[n] for n in ("rho", "A", "B"))
    across = p["m"] + math.pi * rho * (B**2 * math.sin(mu) ** 2 + A**2 * math.cos(mu) ** 2)
    assert across * p["a"] * end["omega"] == pytest.approx(math.pi * rho * (A**2 - B**2) * math.sin(2 * mu) / 2 * v)
    assert end["omega"] * mu > 0  # forwards, and towards the long axis


def test_the_energy_decides_how_fast_it_ends():
    system = sleigh_in_fluid.system()
    equations = da.nonholonomic(system)
    K11, K12, K13, K23, K33 = sleigh_in_fluid.energy(system.values())
    path = da.simulate(equations, equations.start(**sleigh_in_fluid.START), until=60.0)
    # at the end omega = -K12/K23 v:  2 T = (K11 - 2 K13 K12/K23 + K33 (K12/K23)^2) v^2
    v, rate = np.hypot(path["vx"][-1], path["vy"][-1]), K12 / K23
    v0, omega = (-np.hypot(path["vx"][0], path["vy"][0]), path["omega"][0])
    given = K11 * v0**2 + 2 * K13 * v0 * omega + K33 * omega**2
    assert (K11 - 2 * K13 * rate + K33 * rate**2) * v**2 == pytest.approx(given, rel=1e-6)


def test_without_a_fluid_it_is_the_sleigh_of_chaplygin():
    wet, names = sleigh_in_fluid.system(rho=1e-12), ("x", "y", "theta", "omega")
    dry = chaplygin_sleigh.system(**{n: wet.values()[n] for n in ("m", "J", "a")})
    one, other = (
        da.simulate(e, e.start(**sleigh_in_fluid.START), until=4.0).at(4.0) for e in map(da.nonholonomic, (wet, dry))
    )
    assert [one[n] for n in names] == pytest.approx([other[n] for n in names])
