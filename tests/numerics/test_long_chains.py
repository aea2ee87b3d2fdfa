"""Chains whose elimination would be long: matrices are solved in numbers, with the same motion."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.model.space import Space
from dalembert.model.space_factors import angle
from dalembert.numerics.events.singularities import surfaces
from dalembert.numerics.machine.batch_calls import map_rows
from dalembert.numerics.run.simulate import prepare


def pendulums(n, mass=1.0, springs=False):
    """n pendulums in absolute angles, hanging from each other; or side by side, neighbours joined by springs."""
    space = Space.product(*(angle(f"a{i}") for i in range(n)))
    a, w = ([space[f"{name}{i}"] for i in range(n)] for name in ("a", "va"))
    x = [w[i] * sp.cos(a[i]) for i in range(n)]
    y = [w[i] * sp.sin(a[i]) for i in range(n)]
    reach = (lambda i: slice(i, i + 1)) if springs else (lambda i: slice(0, i + 1))
    kinetic = sum(sp.Add(*x[reach(i)]) ** 2 + sp.Add(*y[reach(i)]) ** 2 for i in range(n)) / 2
    potential = -sum((1 if springs else n - i) * sp.cos(a[i]) for i in range(n))
    potential += sum((a[i + 1] - a[i]) ** 2 for i in range(n - 1)) if springs else 0
    start = {f"a{i}": 0.2 * (-1) ** i + 0.01 * i for i in range(n)} | {f"va{i}": 0.1 for i in range(n)}
    limits = {"coordinates": max(64, n), "operations": max(2000, 64 * n)}
    return da.System(space, mass * (kinetic - potential), limits=limits), start


@functools.cache
def hanging(mass=1.0):
    """32 of them, and where they begin."""
    system, start = pendulums(32, mass)
    return da.nonholonomic(system), start


def test_a_dense_chain_is_solved_in_numbers_and_a_sparse_one_is_not():
    assert not da.nonholonomic(pendulums(40)[0]).written_out
    assert da.nonholonomic(pendulums(10)[0]).written_out
    assert da.nonholonomic(pendulums(60, springs=True)[0]).written_out  # its matrix is diagonal


@pytest.mark.parametrize("n", [10, 32])
def test_accelerations_are_those_of_the_matrices(n):
    equations, start = hanging() if n == 32 else (da.nonholonomic(pendulums(n)[0]), pendulums(n)[1])
    field = prepare(equations, start, until=1.0).field
    rates = np.empty((1, 2 * n + 2))
    map_rows(field.kernel.rhs, np.zeros(1), field.first[None], field.p, rates)
    form = field.form(np.zeros(1), field.first[None])
    assert rates[0, n : 2 * n] == pytest.approx(np.linalg.solve(form.W[0], form.f[0]), rel=1e-11)


def test_energy_stays():
    equations, start = hanging()
    path = da.simulate(equations, start, until=0.5, rtol=1e-10)
    assert path.ok and path.audit.energy_change == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("mass", [1.0, 1e-18, 1e18])
def test_the_distance_from_a_singular_matrix_stays_within_the_numbers(mass):
    # det W = mass^32 det(W of mass 1) is 1e-576 or 1e576; in units of its start it is the same for each mass
    equations, start = hanging(mass)
    field = prepare(equations, start, until=1.0).field.as_written()
    there = field.first.copy()
    there[0] += 1.0
    [surface] = surfaces(field, field.values(field.start.t, field.first))
    found = surface.value(np.zeros(2), np.stack([field.first, there]))
    W = np.array([field.form(np.zeros(1), y[None]).W[0] / mass for y in (field.first, there)])
    # the least energy, each velocity in the unit in which it carries 1 at the start
    unit = 1 / np.sqrt(np.diag(W[0]))
    assert found == pytest.approx(np.linalg.eigvalsh(W * unit[:, None] * unit)[:, 0], rel=1e-9)


def test_a_long_elimination_is_counted_as_it_would_be_written(monkeypatch):
    written = {n: da.nonholonomic(pendulums(n)[0]).operations() for n in (5, 9)}
    monkeypatch.setattr("dalembert.equations.LONGEST_ELIMINATION", 0)
    assert {n: da.nonholonomic(pendulums(n)[0]).operations() for n in written} == written
