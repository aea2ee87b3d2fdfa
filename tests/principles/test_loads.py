"""Friction of contacts that slide, as nodes of the form: the normal forces are solved for on the graph."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations.contacts import SLIDES, Mode
from dalembert.numerics.contacts.beginning import piece_of
from dalembert.numerics.contacts.instant import Eye
from dalembert.numerics.contacts.problem import Choice, Problem
from dalembert.principles.reactions import solved
from dalembert.systems import eulers_disc, painleve_rod, rattleback_with_friction, tippe_top


def ladder():
    """A ladder of length 2 between a wall and a floor."""
    q = da.coordinates("x y a")
    x, y, a = q.coordinates
    vx, vy, va = q.velocities
    L = (vx**2 + vy**2) / 2 + va**2 / 6 - 9.81 * y
    foot, head = (x + sp.cos(a), y - sp.sin(a)), (x - sp.cos(a), y + sp.sin(a))
    floor = da.contact(gap=foot[1], slip=[vx - va * sp.sin(a)], mu=0.3)
    wall = da.contact(gap=head[0], slip=[vy + va * sp.cos(a)], mu=0.2)
    return da.System(q, L, contacts={"floor": floor, "wall": wall})


def at_random(equations, seed):
    """Values of all symbols at a state that need not be consistent; friction and normal forces are functions of it."""
    space, rng = equations.space, np.random.default_rng(seed)
    names = [s.name for s in (*space.coordinates, *space.velocities)]
    parameters = {name: value for name, value in equations.system.parameters.items() if value is not None}
    found = space.sample(rng, [])
    return {name: found[name] for name in names}, parameters


SYSTEMS = {
    "ladder": ladder,
    "rod": painleve_rod.system,
    "disc": eulers_disc.system,
    "top": tippe_top.system,
    "stone": rattleback_with_friction.system,
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SYSTEMS)
def test_accelerations_are_those_of_the_rows_with_friction_in_numbers(name, seed):
    """W udot = f + sum (A - mu d B)^T N: the graph's elimination, and NumPy's of the rows that decide the modes."""
    equations = da.nonholonomic(SYSTEMS[name]())
    contacts = equations.contacts
    held = contacts.in_mode(tuple((n, Mode(SLIDES, 1)) for n in contacts.slips)).equations
    state, parameters = at_random(equations, seed)
    now = Eye.of(equations, contacts, parameters).see(0.3, np.array(list(state.values())))
    choices = {
        n: Choice(SLIDES, np.ones(1) if len(c.B) == 1 else c.slip / np.linalg.norm(c.slip))
        if len(c.B)
        else Choice(SLIDES)
        for n, c in now.touching.items()
    }
    expected = Problem(now.W, now.f, now.J, now.g, [piece_of(c, None) for c in now.touching.values()]).along(choices)
    least = {s: 1e-12 for s in held.system.symbols if s.endswith("_least_slip")}
    values = {**parameters, **least, **state, "t": 0.3}
    udot, _ = held.accelerations(values)
    assert udot == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())


def test_what_slides_last_may_have_a_diagonal_of_zero():
    """A contact that would jam alone need not jam beside another one."""
    graph = Graph()
    rng = np.random.default_rng(1)
    S = rng.normal(size=(5, 5))
    S[:3, :3] = S[:3, :3] @ S[:3, :3].T
    # what is left of the last two has 0 0 on its diagonal
    left = S[3:, 3:] - S[3:, :3] @ np.linalg.solve(S[:3, :3], S[:3, 3:])
    S[3, 3] -= left[0, 0]
    S[4, 4] -= left[1, 1]
    r = rng.normal(size=5)
    names = [[graph.symbol(f"s{i}{j}") for j in range(5)] for i in range(5)]
    right = [graph.symbol(f"r{i}") for i in range(5)]
    values = {f"s{i}{j}": S[i, j] for i in range(5) for j in range(5)} | {f"r{i}": r[i] for i in range(5)}
    found = np.array(evaluate(solved(names, right, 2), values), float)
    assert found == pytest.approx(np.linalg.solve(S, r), rel=1e-9)


def test_nothing_of_a_load_is_left_in_the_names_of_a_system():
    """Symbols of a mode's system are those that have values; the normal force stands in print alone."""
    contacts = da.nonholonomic(tippe_top.system()).contacts
    held = contacts.in_mode(tuple((n, Mode(SLIDES, 1)) for n in contacts.slips)).equations.system
    assert not [name for name in held.symbols if name.startswith("'")]
    assert any(s.name.startswith("'") for Q in held.forces for s in Q.free_symbols)
    assert not {name for name in held.names_in(held.forces) if name.startswith("'")}


@pytest.mark.parametrize("last", [0, 1, 3, 4])
def test_rows_that_rub_are_solved_by_their_minors(last):
    """S x = r against LAPACK, the last rows neither symmetric nor definite, with diagonals of 0."""
    rng = np.random.default_rng(last)
    S = rng.normal(size=(5, 5))
    S[: 5 - last, : 5 - last] = S[: 5 - last, : 5 - last] @ S[: 5 - last, : 5 - last].T + np.eye(5 - last)
    S[range(5 - last, 5), range(5 - last, 5)] = 0.0
    r, graph = rng.normal(size=5), Graph()
    x = solved([[graph.constant(a) for a in row] for row in S], [graph.constant(b) for b in r], last)
    assert evaluate(x, {}) == pytest.approx(np.linalg.solve(S, r))
