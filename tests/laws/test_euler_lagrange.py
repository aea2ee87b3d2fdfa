"""One Euler-Lagrange expression, three routes: the graph's sweeps, SymPy's derivatives, Lagrange's textbook."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate

PRINCIPLES = [da.nonholonomic, da.vakonomic, da.free]
t = sp.Symbol("t", real=True)


def is_plain(system):
    return system.space.anchor == sp.eye(len(system.space.velocities))


@pytest.mark.parametrize("principle", PRINCIPLES, ids=lambda p: p.__name__)
def test_graph_and_sympy_agree(zoo, states, values_of, name, principle):
    equations = zoo.equations(name, principle)
    entries = equations.symbolic.entries
    found = sorted(set().union(*(sp.sympify(e).free_symbols for e in entries)), key=str)
    by_sympy = sp.lambdify(found, entries, "math")
    for start in states(equations, 4, seed=11):
        values = values_of(start)
        graph = np.array(evaluate(equations.machine.form.entries, values), float)
        sympy = np.array(by_sympy(*(values[s.name] for s in found)), float)
        np.testing.assert_allclose(graph, sympy, rtol=1e-11, atol=1e-11 * np.abs(sympy).max())


def textbook(system, lagrangian, multipliers=()):
    """d/dt (dL/dqdot) - dL/dq with q, and the multipliers, as functions of the time; then plain symbols again.

    Args:
        system: with plain coordinates.
        lagrangian: in the system's symbols.
        multipliers: symbols that are functions of the time too.
    """
    space = system.space
    moving = [*space.coordinates, *multipliers]
    functions = {s: sp.Function(f"{s.name}_of_t")(t) for s in moving}
    rates = dict(zip(space.velocities, (functions[q].diff(t) for q in space.coordinates), strict=True))
    L = lagrangian.subs({**functions, **rates}, simultaneous=True)
    acc = {s: sp.Symbol(f"{s.name}_2") for s in space.coordinates} | {s: sp.Symbol(f"{s.name}_1") for s in multipliers}
    rows = []
    for q in space.coordinates:
        f = functions[q]
        row = L.diff(f.diff(t)).diff(t) - L.diff(f)
        row = row.subs({functions[s].diff(t, 2): acc[s] for s in space.coordinates})
        row = row.subs({functions[s].diff(t): acc[s] for s in multipliers})
        row = row.subs({rates[u]: u for u in space.velocities})
        rows.append(row.subs({functions[s]: s for s in moving}))
    return rows, [acc[s] for s in moving]


def numeric(rows, values):
    return [float(sp.sympify(r).xreplace({s: sp.Float(values[s.name], 30) for s in r.free_symbols})) for r in rows]


def test_accelerations_solve_the_textbook_equations(zoo, states, values_of, name):
    system = zoo[name]
    if not is_plain(system):
        pytest.skip("a moving frame")
    equations = zoo.equations(name)
    rows, acc = textbook(system, system.lagrangian)
    for start in states(equations, 3, seed=12):
        values = values_of(start)
        found = equations.evaluate(start)
        values |= {a.name: v for a, v in zip(acc, found["accelerations"].values(), strict=True)}
        left = numeric(rows, values)
        # EL_a(L) = Q_a + lam_s dphi^s/du^a
        for a, u in enumerate(system.space.velocities):
            right = [system.forces[a], *(c.phi.diff(u) for c in system.constraints)]
            Q, *N = numeric(map(sp.sympify, right), values)
            push = sum(n * lam for n, lam in zip(N, found["multipliers"].values(), strict=True))
            scale = 1 + abs(Q) + sum(abs(n * lam) for n, lam in zip(N, found["multipliers"].values(), strict=True))
            assert left[a] == pytest.approx(Q + push, abs=1e-11 * scale)
        # d/dt phi = 0
        udot = dict(zip(system.space.velocities, acc, strict=True))
        for c in system.constraints:
            rate = c.phi.diff(t) + sum(c.phi.diff(q) * u for q, u in system.space.rates.items())
            rate += sum(c.phi.diff(u) * a for u, a in udot.items())
            assert numeric([rate], values)[0] == pytest.approx(0, abs=1e-11)


def test_vakonomic_motion_solves_the_textbook_equations_of_the_appended_lagrangian(zoo, states, values_of, name):
    system = zoo[name]
    if not (is_plain(system) and system.constraints):
        pytest.skip("a moving frame")
    equations = zoo.equations(name, da.vakonomic)
    lam = equations.states_of_multipliers
    appended = system.lagrangian - sum(s * c.phi for s, c in zip(lam, system.constraints, strict=True))
    rows, acc = textbook(system, appended, lam)
    for start in states(equations, 3, seed=13):
        found = equations.evaluate(start)
        rates = [*found["accelerations"].values(), *found["multiplier_rates"].values()]
        values = values_of(start) | {a.name: v for a, v in zip(acc, rates, strict=True)}
        left, Q = numeric(rows, values), numeric(map(sp.sympify, system.forces), values)
        scale = 1 + max(map(abs, rates))
        np.testing.assert_allclose(left, Q, atol=1e-10 * scale)


def test_hamel_agrees_with_poincare_on_the_rigid_body(zoo, states, values_of):
    # A w1' = (B - C) w2 w3 + torque_1, and cyclically, the torque of the weight being c x R^T(-k e3)
    equations = zoo.equations("top")
    for start in states(equations, 3, seed=14):
        p = values_of(start)
        w = np.array([p["w1"], p["w2"], p["w3"]])
        R = np.array(sp.Matrix(equations.space.R).subs({s: p[s.name] for s in equations.space.coordinates}), float)
        inertia, c = np.diag([p["A"], p["B"], p["C"]]), np.array([1 / 5, -1 / 3, 1])
        torque = np.cross(c, R.T @ [0, 0, -p["k"]])
        expected = np.linalg.solve(inertia, torque - np.cross(w, inertia @ w))
        np.testing.assert_allclose(list(equations.evaluate(start)["accelerations"].values()), expected, atol=1e-12)
