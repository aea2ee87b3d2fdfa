"""A unicycle with a rotor [zenkov1998]: moments of both bodies in space, and the rate from which it stands."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import rolling_disc, unicycle
from zoo import GALLERY

UP = np.array([0.0, 0.0, 1.0])


def axes(at):
    """The axle, the level line across it, and what is up in the disc."""
    th, ph = at["theta"], at["phi"]
    axle = np.array([math.sin(th) * math.cos(ph), math.sin(th) * math.sin(ph), math.cos(th)])
    level = np.array([-math.sin(ph), math.cos(ph), 0])
    return axle, level, np.cross(axle, level)


def moving(p, at):
    """Velocities of both middles, and the angular momenta of the disc and of the rotor about theirs."""
    axle, level, up = axes(at)
    frame = at["vphi"] * UP + at["vtheta"] * level
    disc, rotor = frame + at["vpsi"] * axle, frame + at["vchi"] * level
    v = np.cross(disc, p["r"] * up)  # the contact is at rest
    return (
        v,
        v + np.cross(frame, p["l"] * up),
        p["A"] * disc + (p["C"] - p["A"]) * (disc @ axle) * axle,
        p["D"] * rotor + (p["B"] - p["D"]) * (rotor @ level) * level,
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_moments_are_in_balance(seed):
    rng = np.random.default_rng(seed)
    system = unicycle.system()
    p, equations = system.values(), da.nonholonomic(system)
    q = dict(zip(("x", "y", "phi", "psi", "chi"), rng.normal(size=5), strict=True)) | {"theta": rng.uniform(0.5, 2.5)}
    u = dict(zip(("vtheta", "vphi", "vpsi", "vchi"), rng.normal(size=4), strict=True))
    start = equations.start(**q, **u)
    rates = equations.evaluate(start)["accelerations"]
    h, ends = 1e-4, []
    for s in (-h, h):
        ends.append(moving(p, {n: start[n] + s * start[f"v{n}"] for n in q} | {n: u[n] + s * rates[n] for n in u}))
    a, b, disc, rotor = ((after - before) / (2 * h) for before, after in zip(*ends, strict=True))
    axle, level, up = axes(start)
    one, two = p["m"] * (a + p["g"] * UP), p["p"] * (b + p["g"] * UP)
    # about the contact; what keeps the rod in line has no moment about the vertical and the level line
    whole = np.cross(p["r"] * up, one) + np.cross((p["r"] + p["l"]) * up, two) + disc + rotor
    assert [whole @ UP, whole @ level] == pytest.approx([0, 0], abs=1e-6)
    # the disc about its axle: the ground pushes with the sum of both, r below its middle
    assert disc @ axle == pytest.approx(np.cross(-p["r"] * up, one + two) @ axle, abs=1e-6)
    assert rotor @ level == pytest.approx(-p["k"] * start["chi"], abs=1e-6)


def leaning(p, n):
    """The matrix of d/dt (delta, chi, deltadot, chidot) of straight rolling."""
    J = p["A"] + p["m"] * p["r"] ** 2 + p["p"] * (p["r"] + p["l"]) ** 2
    weight = (p["m"] * p["r"] + p["p"] * (p["r"] + p["l"])) * p["g"]
    turned = p["C"] + p["m"] * p["r"] ** 2 + p["p"] * p["r"] * (p["r"] + p["l"])
    c = (weight - turned * p["C"] * n**2 / (p["A"] + p["D"])) / J
    return np.array([[0, 0, 1, 0], [0, 0, 0, 1], [c, p["k"] / J, 0, 0], [-c, -p["k"] / J - p["k"] / p["B"], 0, 0]])


@pytest.mark.parametrize("n", [3.0, 6.0])
def test_small_leanings_are_those_of_the_linear_theory(n):
    system = GALLERY.reduction("unicycle").system
    p = system.values()
    guess = {"theta": math.pi / 2, "chi": 0.0, "vtheta": 0.0, "vphi": 0.0, "vpsi": n, "vchi": 0.0}
    found = da.steady(da.nonholonomic(system), guess).eigenvalues
    for root in np.linalg.eigvals(leaning(p, n)):
        assert np.abs(found - root).min() < 1e-5


@pytest.mark.parametrize(("share", "upright"), [(1.1, True), (0.9, False)])
def test_it_stands_from_a_rate_on(share, upright):
    system = unicycle.system()
    p, equations = system.values(), da.nonholonomic(system)
    n = share * unicycle.least_rolling(p)
    assert (np.linalg.eigvals(leaning(p, n)).real.max() < 1e-9) == upright
    start = equations.start(
        **{"x": 0.0, "y": 0.0, "phi": 0.0, "psi": 0.0, "theta": math.pi / 2 + 1e-3, "chi": 0.0},
        **{"vtheta": 0.0, "vphi": 0.0, "vpsi": n, "vchi": 0.0},
    )
    path = da.simulate(equations, start, until=6.0)
    assert (np.abs(path["theta"] - math.pi / 2).max() < 0.05) == upright


def test_a_free_rotor_does_nothing_but_weigh():
    # the same motion of the disc at any rate of the rotor
    ends = []
    equations = da.nonholonomic(unicycle.system(k=0.0))
    for rate in (0.0, 40.0):
        start = equations.start(**{**unicycle.START, "vchi": rate})
        ends.append(da.simulate(equations, start, until=1.0, rtol=1e-10, atol=1e-12).at(1.0))
    assert all(ends[0][n] == pytest.approx(ends[1][n], abs=1e-7) for n in rolling_disc.START)


def test_the_threshold_without_a_rotor_is_that_of_the_disc():
    p = {**rolling_disc.system().values(), "p": 0.0, "l": 0.3, "D": 0.0}
    assert unicycle.least_rolling(p) == pytest.approx(rolling_disc.least_rolling(p))
