"""Motions that come back up to a symmetry: closed drifts, the reduced motion and what is reconstructed from it."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import rolling_disc

follow = da.families.continue_periodic
q = da.coordinates("x y")
x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
r, beta = sp.sqrt(x**2 + y**2), sp.Symbol("beta")
ENERGY = (vx**2 + vy**2) / 2 - 1 / r + beta / r**2


@pytest.fixture(scope="module")
def rosette():
    """An ellipse that turns: a force beta/r^3 beside that of the square [newton1687 I.44]."""
    system = da.System(
        q, (vx**2 + vy**2) / 2 + 1 / r - beta / r**2, parameters={"beta": 0.05}, symmetry=da.symmetry.turns("x y")
    )
    return da.periodic(da.free(system), {"x": 1, "y": 0, "vx": 0, "vy": 1.2}, period=19.0, symmetry=True)


def closed(energy, momentum, beta):
    """Period, and how far an ellipse turns in it: k theta has the period 2 pi, k^2 = 1 + 2 beta/J^2."""
    return math.tau * (-2 * energy) ** -1.5, math.tau / np.sqrt(1 + 2 * beta / momentum**2) - math.tau


def test_an_ellipse_turns_as_newton_says(rosette):
    period, turn = closed(1.2**2 / 2 - 1 + 0.05, 1.2, 0.05)
    assert rosette.period == pytest.approx(period, rel=1e-10)
    assert math.remainder(rosette.drift["turn x y"] - turn, math.tau) == pytest.approx(0, abs=1e-9)
    assert rosette.trivial.all() and rosette.returns == 1
    end, c = rosette.path.at(rosette.period), rosette.drift["turn x y"]
    assert [end["x"], end["y"]] == pytest.approx([math.cos(c), math.sin(c)], abs=1e-9)
    assert [end["vx"], end["vy"]] == pytest.approx([-1.2 * math.sin(c), 1.2 * math.cos(c)], abs=1e-9)
    assert "drift        turn x y" in str(rosette)


@pytest.mark.parametrize(
    ("parameter", "over", "fix"), [("beta", (-0.2, 0.15), "x vy"), ({"E": ENERGY}, (-0.4, -0.1), "x")]
)
def test_a_family_of_ellipses_that_turn(rosette, parameter, over, fix):
    family = follow(rosette, parameter=parameter, over=over, fix=fix)
    values = {n: family[n] for n in ("x", "y", "vx", "vy")}
    b = family["beta"] if parameter == "beta" else 0.05
    energy = sp.lambdify((x, y, vx, vy, beta), ENERGY)(*values.values(), b)
    period, turn = closed(energy, values["x"] * values["vy"] - values["y"] * values["vx"], b)
    assert family["period"] == pytest.approx(period, rel=1e-8)
    off = family["drift turn x y"] - turn
    assert off - math.tau * np.rint(off / math.tau) == pytest.approx(0, abs=1e-7)
    assert family.trivial.all() and family.stable.all()
    again = family.orbit(3)
    assert again.drift["turn x y"] == pytest.approx(family["drift turn x y"][3])
    assert again.missed < 1e-8


def test_a_family_is_followed_in_its_drift(rosette):
    c = rosette.drift["turn x y"]
    family = follow(rosette, parameter="drift turn x y", over=(c - 0.02, c + 0.01), fix="x")
    assert family["drift turn x y"][[0, -1]] == pytest.approx([c - 0.02, c + 0.01])
    assert np.ptp(family["period"]) > 0.1


# --- discs -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nutation():
    """A disc that nutates while it rolls round, from a start off the axes."""
    system = rolling_disc.system()
    whole = da.nonholonomic(system)
    start = whole.start(x=0.4, y=-0.3, theta=1.2, phi=0.5, psi=0.0, vtheta=0.2, vphi=2.0, vpsi=3.0)
    small = da.reduce(system)
    return system, whole, start, small


def test_a_discs_nutation_comes_back_up_to_its_symmetry(nutation):
    _, whole, start, reduction = nutation
    reduced = da.nonholonomic(reduction.system)
    begun = da.reduced_start(reduction, start)
    small = da.periodic(reduced, begun, period=0.9)
    orbit = da.periodic(whole, start, period=small.period * 1.02, symmetry=True)
    assert orbit.period == pytest.approx(small.period, rel=1e-9)
    assert orbit.returns == 1
    # the way the group goes, from the reduced motion
    path = da.simulate(reduced, begun, until=small.period * 1.001, rtol=1e-12)
    total = da.symmetry.holonomy(reduction, path, start, small.period).total
    end = orbit.path.at(orbit.period)
    assert {n: end[n] - start[n] for n in total} == pytest.approx(total, abs=1e-7)
    # multipliers: those of the reduced motion, and of the group, of which a turn by c turns the shifts
    c = end["phi"] - start["phi"]
    own = [1.0, 1.0, np.exp(1j * c), np.exp(-1j * c)]
    expected = np.sort_complex(np.r_[small.multipliers, own])
    assert len(orbit.multipliers) == len(expected)
    assert np.abs(np.sort(orbit.multipliers.real) - np.sort(expected.real)).max() < 2e-3
    assert orbit.trivial.all()
