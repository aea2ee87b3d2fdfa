"""The reaction does no work on the velocities that the constraints allow; nonlinear ones too (Chetaev's rule)."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da


def normals(system, values):
    """dphi^s/du^a at a state (m, k), by SymPy from the constraints as given."""
    rows = [[c.phi.diff(u) for u in system.space.velocities] for c in system.constraints]
    number = lambda e: float(e.xreplace({s: sp.Float(values[s.name], 30) for s in e.free_symbols}))  # noqa: E731
    return np.array([[number(sp.sympify(e)) for e in row] for row in rows]).reshape(-1, len(system.space.velocities))


def test_reaction_is_orthogonal_to_what_is_allowed(zoo, states, values_of, name):
    equations, system = zoo.equations(name), zoo[name]
    for start in states(equations, 5, seed=30):
        found = equations.evaluate(start)
        R = np.array(list(found["reactions"].values()))
        lam = np.array(list(found["multipliers"].values()))
        N = normals(system, values_of(start))
        allowed = np.linalg.svd(N)[2][len(N) :] if len(N) else np.eye(len(R))
        scale = 1 + np.abs(R).max()
        np.testing.assert_allclose(allowed @ R, 0, atol=1e-11 * scale)
        np.testing.assert_allclose(R, lam @ N if len(N) else 0 * R, atol=1e-11 * scale)


def test_names_in_what_is_evaluated(zoo, states, name):
    equations, system = zoo.equations(name), zoo[name]
    found = equations.evaluate(states(equations, 1)[0])
    velocities = [u.name for u in system.space.velocities]
    assert set(found) == {"accelerations", "multipliers", "reactions", "rates"}
    assert list(found["accelerations"]) == list(found["reactions"]) == velocities
    assert list(found["multipliers"]) == [c.multiplier.name for c in system.constraints]
    assert list(found["rates"]) == [q.name for q in system.space.coordinates]


def test_vakonomic_reaction_works_on_allowed_velocities(zoo, states, values_of):
    # the difference between the principles can be seen: on a skate the vakonomic reaction is not along the normal
    equations = zoo.equations("sleigh", da.vakonomic)
    start = states(equations, 1, seed=31)[0]
    R = np.array(list(equations.evaluate(start)["reactions"].values()))
    N = normals(zoo["sleigh"], values_of(start))
    allowed = np.linalg.svd(N)[2][1:]
    assert np.abs(allowed @ R).max() > 1e-3


def test_reaction_along_the_path_is_its_multiplier(zoo, states):
    equations = zoo.equations("disc")
    start = states(equations, 1, seed=32)[0]
    path = da.simulate(equations, start, until=start.t + 1)
    for t in (path.t[0], path.t[0] + 0.3, path.t[-1]):
        row = path.at(t)
        state = {n: row[n] for n in equations.states}
        found = equations.evaluate(equations.start(**state, t=t))
        for c in equations.constraints:
            assert row[f"lam_{c.name}"] == pytest.approx(found["multipliers"][c.name], abs=1e-12)
        assert found["accelerations"].keys() == {u.name for u in equations.space.velocities}
