"""The car with trailers: [jean1996] on growth, [bravo2015] on motion."""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import car_with_trailers as car


def bent(n, *angles):
    """A position where trailer i makes angles[i - 1] with the body ahead of it."""
    headings = [0.3 - sum(angles[:i]) for i in range(n + 1)]
    return {"x": 0.0, "y": 0.0} | {f"theta{i}": h for i, h in enumerate(headings)}


# --- growth at a point where it rests for many steps: brackets of Taylor polynomials ----------------------------------


@dataclass(frozen=True)
class Taylor:
    """Polynomials in n variables up to a degree; coefficients in the order of `powers`, the constant first."""

    n: int
    degree: int

    @cached_property
    def powers(self):
        every = itertools.product(range(self.degree + 1), repeat=self.n)
        return sorted((p for p in every if sum(p) <= self.degree), key=sum)

    @cached_property
    def place(self):
        return {p: i for i, p in enumerate(self.powers)}

    @cached_property
    def products(self):
        """Places (i, j, k) with x^i x^j = x^k."""
        total = (
            (i, j, tuple(map(sum, zip(p, q, strict=True)))) for p, i in self.place.items() for q, j in self.lower(p)
        )
        return np.array([(i, j, self.place[r]) for i, j, r in total]).T

    def lower(self, p):
        return [(q, j) for q, j in self.place.items() if sum(p) + sum(q) <= self.degree]

    def times(self, a):
        """The matrix of b -> a b."""
        i, j, k = self.products
        M = np.zeros((len(self.powers), len(self.powers)))
        np.add.at(M, (k, j), a[i])
        return M

    def slope(self, v):
        """The matrix of d/dx^v."""
        D = np.zeros((len(self.powers), len(self.powers)))
        for p, i in self.place.items():
            if p[v]:
                D[self.place[(*p[:v], p[v] - 1, *p[v + 1 :])], i] = p[v]
        return D

    def expanded(self, expression, x, at):
        """Taylor's polynomial of an expression in x, from its derivatives."""
        found, known = np.zeros(len(self.powers)), {(0,) * self.n: expression}
        for p, i in self.place.items():
            v = next((v for v in range(self.n) if p[v]), None)
            if v is not None:
                known[p] = known[(*p[:v], p[v] - 1, *p[v + 1 :])].diff(x[v])
            found[i] = float(known[p].xreplace(at)) / math.prod(map(math.factorial, p))
        return found

    def reciprocal(self, a):
        return np.linalg.solve(self.times(a), np.eye(len(a))[0])


def growth_by_taylor(system, point, steps):
    """Dimensions of D, D + [D, D], ... at a point: the constants of iterated brackets of the fields' polynomials.

    A bracket loses a degree, so polynomials of degree steps - 1 do; [X, Y] is linear in Y: one matrix for each X of D.
    """
    q, k = system.space.coordinates, len(system.space.velocities)
    x = [s for s in q if any(s in n.free_symbols for c in system.constraints for n in c.normal)]
    ring = Taylor(len(x), steps - 1)
    at = {s: sp.Float(v, 30) for s in (*q, *system.symbols.values()) for v in [{**system.values(), **point}[s.name]]}
    rows = np.array([[ring.expanded(n, x, at) for n in c.normal] for c in system.constraints])
    fields = kernel(rows, ring)
    slopes = {q.index(s): ring.slope(v) for v, s in enumerate(x)}

    def bracket(X):
        # [X, Y]^i = X^j dY^i/dq^j - Y^j dX^i/dq^j
        size = len(ring.powers)
        along = sum(ring.times(X[j]) @ D for j, D in slopes.items())
        M = np.kron(np.eye(k), along)
        for i, (j, D) in itertools.product(range(k), slopes.items()):
            M[i * size : (i + 1) * size, j * size : (j + 1) * size] -= ring.times(D @ X[i])
        return M

    brackets = [bracket(X) for X in fields]
    level = np.array([X.ravel() for X in fields]).T
    every, found = level, []
    for _ in range(steps):
        values = every.reshape(k, len(ring.powers), -1)[:, 0]
        found.append(int(np.linalg.matrix_rank(values, tol=1e-9 * np.abs(values).max())))
        level = np.hstack([M @ level for M in brackets])
        every = np.hstack([every, level])
    return tuple(found)


def kernel(rows, ring):
    """Fields (number x k x coefficients) that the rows annihilate: Gauss and Jordan, pivots by size at the point."""
    rows, pivots = rows.copy(), []
    for s in range(len(rows)):
        a = int(np.argmax(np.abs(rows[s, :, 0])))
        rows[s] = rows[s] @ ring.times(ring.reciprocal(rows[s, a])).T
        for r in range(len(rows)):
            if r != s:
                rows[r] -= rows[s] @ ring.times(rows[r, a]).T
        pivots.append(a)
    fields = []
    for b in (b for b in range(rows.shape[1]) if b not in pivots):
        X = np.zeros(rows.shape[1:])
        X[b, 0] = 1
        X[pivots] = -rows[:, b]
        fields.append(X)
    return fields


def test_both_routes_to_the_growth_agree(growth_vector):
    for angles, steps in (((0.4, 0.7), 4), ((math.pi / 2, 0.4), 5)):
        at = bent(2, *angles)
        assert growth_by_taylor(car.system(2), at, steps) == growth_vector(car.system(2), at, stalls=2)


def test_two_trailers_grow_slower_where_the_first_stands_at_a_right_angle_to_the_car(growth_vector):
    system = car.system(2)
    assert growth_vector(system, bent(2, math.pi / 2, 0.4), stalls=2) == (2, 3, 4, 4, 5)
    # the last two bodies are free to stand at any angle
    assert growth_vector(system, bent(2, 0.4, math.pi / 2)) == (2, 3, 4, 5)


def test_three_trailers_at_right_angles_grow_like_fibonacci_numbers():
    # the degree of nonholonomy is 3, 5, 8 for n = 1, 2, 3 at the worst position
    at = bent(3, math.pi / 2, math.pi / 2, 0.4)
    assert growth_by_taylor(car.system(3), at, 8) == (2, 3, 4, 4, 5, 5, 5, 6)


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
