"""Two discs on a bar [bloch1996]: headings that turn uniformly, and a bar that the energy leads."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.systems import coupled_discs

SYSTEM = coupled_discs.system()
p = SYSTEM.values()


def speeds(theta, phi):
    """Speeds of both discs and the rate of the bar, in units of s."""
    rear, front = math.cos(phi[1] - theta), math.cos(phi[0] - theta)
    return rear, front, math.sin(phi[1] - phi[0]) / (2 * p["l"])


def weight(theta, phi):
    """E/s^2, without the turning of the discs about the vertical."""
    rear, front, turn = speeds(theta, phi)
    rolled = (p["m"] + p["C"] / p["R"] ** 2) * (rear**2 + front**2)
    middle = (rear * np.exp(1j * phi[0]) + front * np.exp(1j * phi[1])) / 2
    return (rolled + p["M"] * abs(middle) ** 2 + p["J"] * turn**2) / 2


@pytest.mark.parametrize("rates", [(0.6, -0.5), (0.0, 0.0)])
def test_the_energy_leads_the_bar(rates):
    equations, begin = da.nonholonomic(SYSTEM), np.array([0.4, -0.3])
    start = equations.start(
        **{**coupled_discs.START, "vphi1": rates[0], "vphi2": rates[1], "phi1": begin[0], "phi2": begin[1]}
    )
    path = da.simulate(equations, start, until=3.0, rtol=1e-11, atol=1e-13)
    phi = lambda t: begin + np.array(rates) * t  # noqa: E731
    s = p["R"] * start["vpsi1"] / speeds(0.0, begin)[0]
    energy = weight(0.0, begin) * s**2

    def rate(t, z):
        # s^2 = E/weight ,  2 l omega = s sin(phi2 - phi1)
        s = math.sqrt(energy / weight(z[0], phi(t)))
        rear, front, turn = speeds(z[0], phi(t))
        moved = (rear * np.exp(1j * phi(t)[0]) + front * np.exp(1j * phi(t)[1])) / 2
        return [s * turn, s * moved.real, s * moved.imag]

    end, found = path.at(3.0), solve_ivp(rate, (0, 3.0), [0, 0, 0], rtol=1e-11, atol=1e-12).y[:, -1]
    assert [end["theta"], end["x"], end["y"]] == pytest.approx(found, abs=1e-8)
    assert [end["phi1"], end["phi2"]] == pytest.approx(phi(3.0), abs=1e-9)


def test_parallel_discs_carry_the_bar_without_turning_it():
    equations = da.nonholonomic(SYSTEM)
    both = {"phi1": 0.5, "phi2": 0.5, "vphi1": 0.7, "vphi2": 0.7}
    start = equations.start(**{**coupled_discs.START, **both, "vpsi1": 2.0})
    path = da.simulate(equations, start, until=1.0, rtol=1e-11, atol=1e-13)
    assert np.abs(path["theta"]).max() < 1e-9
    # the middle runs on the circle of a penny
    speed, turn = p["R"] * 2.0, 0.7
    place = speed / (1j * turn) * (np.exp(1j * (0.5 + turn * path.t)) - np.exp(0.5j))
    assert path["x"] + 1j * path["y"] == pytest.approx(place, abs=1e-9)
