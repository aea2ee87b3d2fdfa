"""d^2 = 0 on every space, and not on one that is "almost" one.

    (df)_a = e_a f ,    (d alpha)_ab = e_a alpha_b - e_b alpha_a - C^c_ab alpha_c ,
    (d omega)_abc = e_a omega_bc - omega(C_ab, e_c) + cyclic

On functions this is the compatibility of anchor and brackets, on one-forms the Jacobi identity.
"""

from itertools import combinations

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.algebra import GraphAlgebra
from dalembert.calculus.euler_lagrange import Motion
from dalembert.calculus.graph import Graph
from dalembert.calculus.numerical_rank import sized

WHOLE = ("rolling disc", "rattleback", "routh sphere", "veselova", "snakeboard", "chaplygin ball", "suslov free")
REDUCED = ("rattleback", "routh sphere", "veselova", "plain ball", "sleigh")


class Exterior:
    """The exterior derivative on a space's frame, over the expression graph."""

    def __init__(self, space):
        self.motion = Motion(space.frame, GraphAlgebra(Graph()))
        self.k = len(space.velocities)

    def along(self, a, ys):
        return self.motion.algebra.along(ys, self.motion.q, [row[a] for row in self.motion.anchor])

    def of_function(self, f):
        return [self.along(a, [f])[0] for a in range(self.k)]

    def of_form(self, alpha):
        found = {}
        for a, b in combinations(range(self.k), 2):
            turned = self.motion.sum(C * x for C, x in zip(self.motion.bracket(a, b), alpha, strict=True))
            found[a, b] = self.along(a, [alpha[b]])[0] - self.along(b, [alpha[a]])[0] - turned
        return found

    def of_area(self, omega):
        def value(a, b):
            return omega[a, b] if a < b else -1 * omega[b, a] if a > b else self.motion.zero

        found = []
        for triple in combinations(range(self.k), 3):
            terms = []
            for a, b, c in (triple, triple[1:] + triple[:1], triple[2:] + triple[:2]):
                C = self.motion.bracket(a, b)
                terms.append(self.along(a, [value(b, c)])[0])
                terms += [-1 * (C[d] * value(d, c)) for d in range(self.k)]
            found.append(self.motion.sum(terms))
        return found


def some_functions(space, count):
    q = space.coordinates or (sp.Integer(0),)
    rng = np.random.default_rng(4)
    for _ in range(count):
        a, b = (sp.Float(x) for x in rng.normal(size=2))
        i, j = rng.integers(len(q), size=2)
        yield sp.sin(a * q[i]) * q[j] + b * q[i] ** 2 + a


def largest(space, nodes, parameters):
    """The largest |node| over its size."""
    names = [n for n in parameters if parameters[n] is None]
    known = {k: v for k, v in parameters.items() if v is not None}
    values, size = sized(nodes, {**space.sample(np.random.default_rng(2), names), **known})
    return float((np.abs(values) / np.where(size > 0, size, 1.0)).max(initial=0.0))


def squares(space, parameters):
    d = Exterior(space)
    forms = [d.motion.algebra.read(f) for f in some_functions(space, d.k)]
    return (
        largest(space, list(d.of_form(d.of_function(forms[0])).values()), parameters),
        largest(space, d.of_area(d.of_form(forms)), parameters),
    )


@pytest.mark.parametrize("name", WHOLE)
def test_d_squared_is_0(systems, name):
    assert max(squares(systems[name].space, systems[name].parameters)) < 1e-12


@pytest.mark.parametrize("name", REDUCED)
def test_d_squared_is_0_without_the_group(systems, name):
    found = da.symmetry.quotient(
        systems[name], da.symmetry.euclidean("x y", "theta") if name == "sleigh" else None
    ).system
    assert max(squares(found.space, found.parameters)) < 1e-12


@pytest.mark.parametrize("name", ["rolling disc", "routh sphere", "snakeboard"])
def test_d_squared_is_not_0_on_velocities_that_are_not_integrable(systems, name):
    found = da.symmetry.restrict(systems[name]).system
    assert max(squares(found.space, found.parameters)) > 1e-6
