"""A roller walker [chitta2004]: forces on platform and wheels, and how legs drive it."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import roller_walker

SYSTEM = roller_walker.system()
p = SYSTEM.values()


def legs(at):
    """For each leg: place of the wheel from the middle of the platform, the leg's direction, that of rolling."""
    for i, sign in ((1, 1), (2, -1)):
        turned = at["theta"] + sign * (math.pi / 2 + at[f"gamma{i}"])
        u, hip = np.array([math.cos(turned), math.sin(turned)]), at["theta"] + sign * math.pi / 2
        yield p["b"] * np.array([math.cos(hip), math.sin(hip)]) + at[f"d{i}"] * u, u, np.array([-u[1], u[0]]) * -sign


def places(at):
    middle = np.array([at["x"], at["y"]])
    return [middle, *(middle + r for r, *_ in legs(at))]


@pytest.mark.parametrize("seed", range(3))
def test_forces_and_moments_are_in_balance(seed):
    rng, equations = np.random.default_rng(seed), da.nonholonomic(SYSTEM)
    q = dict(zip(("x", "y", "theta", "gamma1", "gamma2"), rng.normal(size=5), strict=True)) | {"d1": 0.3, "d2": 0.2}
    u = dict(zip(("vx", "vy", "omega", "vgamma1", "vgamma2"), rng.normal(size=5), strict=True))
    start = equations.start(**q, **u)
    rates, h = equations.evaluate(start)["accelerations"], 1e-3
    named = {"theta": "omega"}

    def moved(s):
        speed = {n: named.get(n, f"v{n}") for n in q}
        return places({n: start[n] + s * start[v] + s**2 / 2 * rates[v] for n, v in speed.items()})

    # second derivatives of the places, from motions with the accelerations that were found
    near, far, here = (
        [a + b for a, b in zip(moved(h), moved(-h), strict=True)],
        [a + b for a, b in zip(moved(2 * h), moved(-2 * h), strict=True)],
        moved(0.0),
    )
    middle, *wheels = ((16 * n - f - 30 * o) / (12 * h**2) for n, f, o in zip(near, far, here, strict=True))
    force, moment = -p["m"] * middle, -p["J"] * rates["omega"]
    for i, ((r, leg, roll), a) in enumerate(zip(legs(start), wheels, strict=True), start=1):
        spring, hinge = p["k"] * (start[f"d{i}"] - p["l"]), p["c"] * start[f"gamma{i}"]
        # the ground acts along the leg alone; the hinge turns the wheel ahead about the hip
        assert p["p"] * a @ roll == pytest.approx(hinge / start[f"d{i}"], abs=1e-6)
        ground = p["p"] * a @ leg + spring
        push = ground * leg - p["p"] * a
        force, moment = force + push, moment + r[0] * push[1] - r[1] * push[0]
    assert force == pytest.approx(np.zeros(2), abs=1e-6)
    assert moment == pytest.approx(0, abs=1e-6)


def test_both_legs_alike_it_goes_straight_and_its_legs_push_it():
    equations = da.nonholonomic(SYSTEM)
    # legs backwards, pulled in, at rest: the springs stretch them
    q = {"x": 0.0, "y": 0.0, "theta": 0.0, "gamma1": 0.6, "gamma2": 0.6, "d1": 0.18, "d2": 0.18}
    start = equations.start(**q, vx=0.0, vy=0.0, omega=0.0, vgamma1=0.0, vgamma2=0.0)
    path = da.simulate(equations, start, until=1.0, rtol=1e-10, atol=1e-12)
    assert np.abs(path["y"]).max() < 1e-9
    assert np.abs(path["theta"]).max() < 1e-9
    assert path["vd1"] == pytest.approx(path["vx"] * np.sin(path["gamma1"]), abs=1e-9)
    # m vdot = 2 k (l - d) sin(gamma) - 2 c gamma cos(gamma)/d  at rest: stretching pushes, swinging ahead holds back
    push = 2 * p["k"] * (p["l"] - 0.18) * math.sin(0.6) - 2 * p["c"] * 0.6 * math.cos(0.6) / 0.18
    assert equations.evaluate(start)["accelerations"]["vx"] == pytest.approx(push / p["m"])


def test_swings_of_legs_at_rest_are_those_of_two_masses():
    # both alike, near gamma = 0 and at rest, where the lengths stay:  p l^2 m/(m + 2 p) gammaddot = -c gamma
    equations = da.nonholonomic(SYSTEM)
    small = 1e-4
    q = {"x": 0.0, "y": 0.0, "theta": 0.0, "gamma1": small, "gamma2": small, "d1": p["l"], "d2": p["l"]}
    start = equations.start(**q, vx=0.0, vy=0.0, omega=0.0, vgamma1=0.0, vgamma2=0.0)
    rate = math.sqrt(p["c"] / p["l"] ** 2 * (1 / p["p"] + 2 / p["m"]))
    path = da.simulate(equations, start, until=2.0, rtol=1e-11, atol=1e-14)
    assert path["gamma1"] == pytest.approx(small * np.cos(rate * path.t), abs=1e-3 * small)
