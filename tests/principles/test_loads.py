"""Friction of contacts that slide, as nodes of the form: the normal forces are solved for on the graph."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import errors
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations.contact_modes import SLIDES, Mode
from dalembert.numerics.contacts.instant import Eye, piece_of
from dalembert.numerics.contacts.problem import Choice, Problem
from dalembert.principles.contact_mode_equations import solved
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


# --- forces that hold multipliers of the system's own constraints ----------------------------------------------------

RUBBED = "-mu*2*abs(lam_ring)*{0}/sqrt(vx^2 + vy^2 + 1e-12)"


def rubbed_ring(force=RUBBED, **parameters):
    """A bead on a circle, on which the gradient of the constraint is 2 long, so that the normal force is 2 |lam|."""
    L, ring = "(vx^2 + vy^2)/2 - 9.81*y", {"ring": "x^2 + y^2 - 1"}
    forces = {"x": force.format("vx"), "y": force.format("vy")}
    return da.System(da.coordinates("x y"), L, constraints=ring, forces=forces, parameters={"mu": 0.2, **parameters})


def test_friction_of_a_guide_follows_its_reaction_through_both_signs():
    """th'' = -g sin th - mu |th'^2 + g cos th| sgn th', from near the top, where the ring pulls, to where it pushes."""
    th, w = 2.8, -1.0
    start = {"x": np.sin(th), "y": -np.cos(th), "vx": w * np.cos(th), "vy": w * np.sin(th)}
    path = da.simulate(da.nonholonomic(rubbed_ring()), start, until=0.7)
    pushed = solve_ivp(
        lambda t, z: [z[1], -9.81 * np.sin(z[0]) - 0.2 * abs(z[1] ** 2 + 9.81 * np.cos(z[0])) * np.sign(z[1])],
        *([0, 0.7], [th, w]),
        **{"rtol": 1e-12, "atol": 1e-12, "max_step": 1e-3},
    ).y[0, -1]
    assert path.audit.verdict == "ok"
    assert path["lam_ring"].min() < 0 < path["lam_ring"].max()
    assert path["x"][-1] == pytest.approx(np.sin(pushed), abs=1e-9)


def test_friction_of_two_guides_that_press_on_each_other():
    """Against a fixed point of  a = -(mu |la| + nu |lb|) tanh v ,  la = 2/5 a + g ,  lb = 3/10 a - 3 s."""
    L = "(vx^2 + vy^2 + vz^2)/2 + 0.4*vx*vy + 0.3*vx*vz - 9.81*y + 3*z*sin(2*x)"
    law = {"x": "-(0.3*abs(lam_a) + 0.4*abs(lam_b))*tanh(vx)"}
    system = da.System(da.coordinates("x y z"), L, constraints={"a": "y", "b": "z"}, forces=law)
    equations = da.nonholonomic(system)
    for x, v in np.random.default_rng(5).normal(0, 2, (20, 2)):
        a = 0.0
        for _ in range(200):
            la, lb = 0.4 * a + 9.81, 0.3 * a - 3 * np.sin(2 * x)
            a = -(0.3 * abs(la) + 0.4 * abs(lb)) * np.tanh(v)
        found = equations.evaluate({"x": x, "y": 0, "z": 0, "vx": v, "vy": 0, "vz": 0})
        assert [found["accelerations"]["vx"], *found["multipliers"].values()] == pytest.approx([a, la, lb], rel=1e-12)


def coupled(mu, L="(vx^2 + vy^2)/2 + x*vx*vy - 9.81*y", force="-mu*abs(lam_rail)*tanh(vx/1e-3)"):
    """What moves along a rail and turns its push against itself: 1 - mu x is left of the inertia."""
    rail = da.System(da.coordinates("x y"), L, constraints={"rail": "y"}, forces={"x": force}, parameters={"mu": mu})
    return da.nonholonomic(rail)


@pytest.mark.parametrize("mu", [1.6, 2.0])
def test_a_motion_ends_where_a_reaction_is_no_longer_unique(mu):
    path = da.simulate(coupled(mu), {"x": 0.1, "y": 0, "vx": 8, "vy": 0}, until=2)
    assert path.ending.code == "E410"
    assert path["x"][-1] == pytest.approx(1 / mu, rel=1e-12)
    with pytest.raises(errors.InvalidValue, match="E410"):
        da.simulate(coupled(mu), {"x": 1.01 / mu, "y": 0, "vx": 1, "vy": 0}, until=1)


def test_reactions_in_forces_belong_to_one_principle_and_are_affine():
    system = rubbed_ring()
    for other in (da.vakonomic, da.free, da.symmetries, da.examine):
        with pytest.raises(errors.InvalidValue, match="E127"):
            other(system)
    with pytest.raises(errors.InvalidValue, match="E127"):
        da.nonholonomic(rubbed_ring("-mu*lam_ring^2*{0}"))
    twice = {"ring": "x^2 + y^2 - 1", "again": "2*x^2 + 2*y^2 - 2"}
    with pytest.raises(errors.InvalidValue, match="not unique"):
        da.nonholonomic(system.changed(constraints=twice))
    with pytest.raises(errors.DalembertError, match="E702"):
        da.System(da.coordinates("x y"), "vx^2 + vy^2 - lam_ring*y", constraints={"ring": "x^2 + y^2 - 1"})
