"""The car with trailers: [jean1996] on growth, [bravo2015] on motion."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import car_with_trailers as car


def bent(n, *angles):
    """A position where trailer i makes angles[i - 1] with the body ahead of it."""
    headings = [0.3 - sum(angles[:i]) for i in range(n + 1)]
    return {"x": 0.0, "y": 0.0} | {f"theta{i}": h for i, h in enumerate(headings)}


def test_two_trailers_grow_slower_where_the_first_stands_at_a_right_angle_to_the_car(growth_vector):
    system = car.system(2)
    assert growth_vector(system, bent(2, math.pi / 2, 0.4), stalls=2) == (2, 3, 4, 4, 5)
    # the last two bodies are free to stand at any angle
    assert growth_vector(system, bent(2, 0.4, math.pi / 2)) == (2, 3, 4, 5)


def test_three_trailers_at_right_angles_grow_like_fibonacci_numbers(growth_vector):
    # the degree of nonholonomy is 3, 5, 8 for n = 1, 2, 3 at the worst position
    system = car.system(3)
    assert growth_vector(system, bent(3, math.pi / 2, math.pi / 2, 0.4), stalls=3) == (2, 3, 4, 4, 5, 5, 5, 6)


def test_the_axles_do_not_slip_sideways_and_keep_their_distance(named):
    path = named("car_with_trailers/n = 3").path("turning")
    x, y = [path["x"]], [path["y"]]
    for i in (1, 2, 3):
        x.append(x[-1] - np.cos(path[f"theta{i}"]))
        y.append(y[-1] - np.sin(path[f"theta{i}"]))
    # velocities of the axles, from the path alone
    h = 1e-4
    t = np.linspace(0.2, 2.8, 9)

    def axle(t, i):
        c = path.at(t)
        shift = sum(np.exp(1j * c[f"theta{j}"]) for j in range(1, i + 1))
        return c["x"] + 1j * c["y"] - shift

    for i in range(4):
        v = (axle(t + h, i) - axle(t - h, i)) / (2 * h)
        sideways = (v * np.exp(-1j * path.at(t)[f"theta{i}"])).imag
        assert np.abs(sideways).max() < 1e-6


def test_without_trailers_it_is_a_knife_edge(named):
    path = named("car_with_trailers/n = 0").path("turning")
    # a circle with radius v/omega
    radius = 0.8 / math.cos(0.5) / 0.4
    centre = 1j * np.exp(0.5j) * radius
    assert np.allclose(np.abs(path["x"] + 1j * path["y"] - centre), radius, rtol=1e-9)


def test_one_trailer_that_steers_its_front_wheels_is_a_kinematic_car():
    # rear axle (trailer 1) at distance l: theta1dot = v tan(delta)/l, v its speed, delta = theta0 - theta1
    equations = da.nonholonomic(car.system(1, length=1.7))
    start = equations.start(x=0.0, y=0.0, theta0=0.6, theta1=0.2, vx=1.0, omega0=0.1)
    vx = start["vx"] + 1.7 * start["omega1"] * math.sin(0.2)
    vy = start["vy"] - 1.7 * start["omega1"] * math.cos(0.2)
    v = vx * math.cos(0.2) + vy * math.sin(0.2)
    assert start["omega1"] == pytest.approx(v * math.tan(0.4) / 1.7)


def test_bodies_may_differ():
    system = car.system(2, mass=[1.0, 2.0, 3.0], inertia=[0.1, 0.2, 0.3], length=[1.5, 2.5])
    values = system.values()
    assert [values[n] for n in ("m2", "J1", "l1", "l2")] == [3.0, 0.2, 1.5, 2.5]
    with pytest.raises(ValueError, match="argument"):
        car.system(2, mass=[1.0, 2.0])


def test_the_velocities_in_the_energy_are_those_in_the_constraints():
    n = 3
    system, v = car.system(n), car.velocities_of_axles(n)
    values = {**system.values(), **system.space.sample(np.random.default_rng(2))}
    for i, (c, (vx, vy)) in enumerate(zip(system.constraints, v, strict=True)):
        theta = values[f"theta{i}"]
        numbers = [float(e.subs({s: values[s.name] for s in e.free_symbols})) for e in (c.given, vx, vy)]
        assert numbers[0] == pytest.approx(numbers[2] * math.cos(theta) - numbers[1] * math.sin(theta))
