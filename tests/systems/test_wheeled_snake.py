"""The wheeled snake [hirose1993; krishnaprasad1994]."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import wheeled_snake as snake


def rows(system, point):
    values = {**system.values(), **point}
    return np.array(
        [[float(e.subs({s: values[s.name] for s in e.free_symbols})) for e in c.normal] for c in system.constraints]
    )


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_the_wheels_leave_two_velocities_everywhere(n):
    system, rng = snake.system(n), np.random.default_rng(1)
    arc = {"x": 0.0, "y": 0.0} | {f"theta{i}": 0.4 * i for i in range(1, n + 1)}
    straight = arc | {f"theta{i}": 0.7 for i in range(1, n + 1)}
    for point in (arc, straight, system.space.sample(rng)):
        assert np.linalg.svd(rows(system, point))[1].min() > 1e-2


@pytest.mark.parametrize(("bends", "determined"), [((0.3, 0.3), False), ((0.0, 0.0), False), ((0.3, -0.2), True)])
def test_three_joints_determine_the_motion_unless_the_axles_meet(bends, determined):
    system = snake.system(3)
    N = rows(system, {"x": 0.0, "y": 0.0, "theta1": 0.1, "theta2": 0.1 + bends[0], "theta3": 0.1 + sum(bends)})
    # all links turn alike: columns vx, vy and the sum over omega
    rigid = np.column_stack([N[:, 0], N[:, 1], N[:, 2:].sum(axis=1)])
    assert (abs(np.linalg.det(rigid)) > 1e-3) == determined


def test_the_links_stay_jointed_and_do_not_slip(named):
    path = named("wheeled_snake").path("bent")
    h, t = 1e-4, np.linspace(0.2, 2.8, 9)

    def middle(t, i):
        c = path.at(t)
        z = c["x"] + 1j * c["y"]
        for j in range(1, i):
            z = z - 0.5 * (np.exp(1j * c[f"theta{j}"]) + np.exp(1j * c[f"theta{j + 1}"]))
        return z

    for i in (1, 2, 3):
        v = (middle(t + h, i) - middle(t - h, i)) / (2 * h)
        assert np.abs((v * np.exp(-1j * path.at(t)[f"theta{i}"])).imag).max() < 1e-6


def test_twenty_links_run():
    n = 20
    equations = da.nonholonomic(snake.system(n))
    bends = {f"theta{i}": 0.15 * np.sin(i) for i in range(1, n + 1)}
    path = da.simulate(equations, equations.start(x=0.0, y=0.0, vx=0.5, omega1=0.02, **bends), until=0.5)
    assert path.ok


def test_the_velocities_in_the_energy_are_those_in_the_constraints():
    n = 4
    system, v = snake.system(n), snake.velocities_of_links(n)
    values = {**system.values(), **system.space.sample(np.random.default_rng(2))}
    for i, (c, (vx, vy)) in enumerate(zip(system.constraints, v, strict=True), start=1):
        theta = values[f"theta{i}"]
        numbers = [float(e.subs({s: values[s.name] for s in e.free_symbols})) for e in (c.given, vx, vy)]
        assert numbers[0] == pytest.approx(numbers[2] * np.cos(theta) - numbers[1] * np.sin(theta))
