"""to_sympy: the matrices of sympy.physics.mechanics agree with `evaluate`, and with SymPy's own."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import dalembert as da

from .conftest import equations, expected, states

PAIRS = [(s, p) for s in ("chaplygin_sleigh", "penny", "rolling_disc", "suslov", "appell_hamel", "pendulum_cartesian")
         for p in ("nonholonomic", "vakonomic", "free")] + [("penny", "maggi")]  # fmt: skip


@pytest.mark.parametrize(("name", "principle"), PAIRS)
def test_the_matrices_solve_to_what_evaluate_says(name, principle):
    made = equations(name, principle)
    form = made.to_sympy()
    n, k, m = len(form.q), len(form.u), len(form.lam_vec)
    assert form.mass_matrix_full.shape == (n + k + m, n + k + m)
    assert form.mass_matrix.shape == (k, k + m)
    for values in states(made):
        M, F = (numbers(e, values) for e in (form.mass_matrix_full, form.forcing_full))
        wanted = expected(made, values)
        full = np.concatenate([wanted[0][: n + k], wanted[1] or wanted[0][n + k :]])
        np.testing.assert_allclose(np.linalg.solve(M, F)[:, 0], full, rtol=1e-8, atol=1e-9)


def numbers(matrix, values):
    known = {s: sp.Float(values[s.name], 30) for s in matrix.free_symbols}
    return np.array(matrix.xreplace(known).evalf(20), float)


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "pendulum_cartesian", "heisenberg"])
def test_rhs_is_solved(name):
    made = equations(name, "nonholonomic")
    form = made.to_sympy()
    for values in states(made, 2):
        wanted = expected(made, values)
        found = numbers(form.rhs(), values)[:, 0]
        np.testing.assert_allclose(found, [*wanted[0], *wanted[1]], rtol=1e-9, atol=1e-10)


def test_with_dynamicsymbols_they_are_those_of_lagranges_method():
    x, y, theta = dynamicsymbols("x y theta")
    vx, vy, w = (s.diff() for s in (x, y, theta))
    m, J, g = sp.symbols("m J g", positive=True)
    L = m / 2 * (vx**2 + vy**2) + J / 2 * w**2 + m * g * x * sp.cos(theta)
    row = vx * sp.sin(theta) - vy * sp.cos(theta)
    theirs = LagrangesMethod(L, [x, y, theta], nonhol_coneqs=[row])
    theirs.form_lagranges_equations()
    space = da.coordinates("x y theta", velocities="vx vy w")
    system = da.System(space, L.subs({vx: space["vx"], vy: space["vy"], w: space["w"]}), {"blade": row})
    ours = da.nonholonomic(system).to_sympy(dynamicsymbols=True)
    assert list(ours.q) == list(theirs.q)
    assert list(ours.u) == list(theirs.u)
    assert (ours.mass_matrix_full - theirs.mass_matrix_full).applyfunc(sp.simplify) == sp.zeros(7, 7)
    assert (ours.forcing_full - theirs.forcing_full).applyfunc(sp.simplify) == sp.zeros(7, 1)
