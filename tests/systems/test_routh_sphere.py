"""Routh's sphere [routh1905]: Jellett's and Routh's integrals, and no more symmetry than there is."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import routh_sphere


def test_both_integrals_to_ten_digits(named, along):
    system = routh_sphere.system()
    path = named("routh_sphere").path("tumbling")
    for f in (routh_sphere.JELLETT, routh_sphere.ROUTH):
        values = along(f, path, system)
        assert np.ptp(values) < 1e-10 * np.abs(values).max()
    # while the spin about the axis and the vertical momentum change
    assert np.ptp(along(routh_sphere.W.dot(routh_sphere.AXIS), path, system)) > 1e-3


@pytest.mark.parametrize("a", [-0.3, 0.0, 0.2])
def test_integrals_for_other_spheres(along, a):
    system = routh_sphere.system(a=a, I1=0.05, I3=0.08)
    for f in (routh_sphere.JELLETT, routh_sphere.ROUTH):
        assert da.symmetry.conserved(system, f)


def test_an_asymmetric_sphere_has_neither():
    system = routh_sphere.system()
    R = routh_sphere.SPACE.R
    uneven = system.changed(lagrangian=system.lagrangian + (R.T * routh_sphere.W)[0] ** 2 / 100, symmetry=None)
    for f in (routh_sphere.JELLETT, routh_sphere.ROUTH):
        assert not da.symmetry.conserved(uneven, f)


def test_the_whole_group_is_one_of_symmetries():
    found = da.symmetry.noether(routh_sphere.system(), routh_sphere.GROUP)
    assert all(m.symmetric for m in found.momenta)
    assert not any(m.conserved for m in found.momenta)


def test_reduced_by_its_whole_group_nothing_but_the_lean_is_left(along):
    reduction = da.reduce(routh_sphere.system(), routh_sphere.GROUP)
    assert [s.name for s in reduction.system.space] == ["lean", "w1", "w2", "w3"]
    assert not reduction.system.constraints
    # steady precession: a family of two parameters at each lean's momenta, those of Jellett's and Routh's integrals
    equations = da.nonholonomic(reduction.system)
    found = da.steady(equations, {"lean": 0.7, "w2": 1.0, "w3": 2.0}, fix="lean w3")
    assert (found.family, found.verdict) == (2, "stable to first order")
    c, s = np.cos(0.7), np.sin(0.7)
    R = [[1, 0, 0], [0, c, -s], [0, s, c]]
    w = {name: found.state[name] for name in ("w1", "w2", "w3")}
    full = da.nonholonomic(routh_sphere.system())
    path = da.simulate(full, full.start(x=0.0, y=0.0, R=R, **w), until=5.0)
    lean = routh_sphere.AXIS[2]
    assert np.ptp(along(lean, path, routh_sphere.system())) < 1e-8
