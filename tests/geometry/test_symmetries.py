"""Symmetries that nobody declared are found: as many as theory says, each one exact, and none that is broken."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.geometry.group_action import Action
from dalembert.geometry.random_states import ConstraintSampler
from dalembert.systems import (
    chaplygin_sleigh,
    heisenberg,
    knife_edge_on_incline,
    penny,
    rolling_disc,
    suslov,
    whipple_bicycle,
)

q = da.coordinates("x y z")
x, y, z = q.coordinates
vx, vy, vz = q.velocities
m, k, m1, m2 = sp.symbols("m k m1 m2", positive=True)
T = m * (vx**2 + vy**2 + vz**2) / 2
DISTANCE = sp.sqrt(x**2 + y**2 + z**2)
SHIFTS, TURNS = {"shift x", "shift y", "shift z"}, {"turn x y", "turn x z", "turn y z"}


def names(found):
    return {g.name for g in found}


def span_at(system, generators, seed=3):
    """Rank of the values of the fields at several places together: independent fields over numbers."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(6):
        sampled = system.space.sample(rng)
        values = {s: sampled[s.name] for s in system.space.coordinates}
        rows.append([[float(sp.sympify(e).subs(values)) for e in g.components] for g in generators])
    return np.linalg.matrix_rank(np.concatenate(rows, axis=1), tol=1e-9)


@pytest.mark.parametrize(
    ("book", "dimension"),
    [(chaplygin_sleigh, 3), (penny, 4), (rolling_disc, 4), (heisenberg, 4), (knife_edge_on_incline, 1), (suslov, 3)],
    ids=lambda b: getattr(b, "__name__", str(b)).rpartition(".")[2],
)
def test_the_groups_of_the_gallery_are_found(book, dimension):
    system = book.system()
    found = da.symmetries(system)
    assert len(found) == dimension == span_at(system, found)
    # what is declared lies in their span
    assert span_at(system, [*found, *system.symmetry]) == dimension
    # and together they are an algebra that is accepted
    Action(ConstraintSampler(system), list(found)).check()


FOOT = ["dot(x) - 3/10*dot(theta)*sin(theta)", "dot(y) + 3/10*dot(theta)*cos(theta)"]  # at (0.3, 0) of a puck


@pytest.mark.parametrize(("slip", "turns"), [(FOOT, {"turn x y"}), (FOOT[:1], set())])
def test_friction_in_a_plane_leaves_turns_and_friction_along_a_line_does_not(slip, turns):
    L = "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2 + dot(theta)^2/10 - 9.81*z"
    puck = da.System(da.coordinates("x y z theta"), L, contacts={"floor": da.contact(gap="z", slip=slip, mu=0.3)})
    found = da.symmetries(puck)
    assert found.answer.value is True and "no other of the fields" in found.answer.reason
    assert names(found) == {"shift x", "shift y"} | turns and not found.unwritten
    Action(ConstraintSampler(puck), list(found)).check()


def test_a_bicycle_has_plane_motions_and_two_wheels_that_turn():
    found = da.symmetries(whipple_bicycle.system())
    assert names(found) == {"turn front", "turn rear", "shift x", "shift y", "turn x y"}
    assert found.rates(found[-1]).keys() == {"x", "y", "yaw"}
    assert "degree 1" in found.searched


@pytest.mark.parametrize(
    ("potential", "expected"),
    [
        (0, {"shift x", "shift y", "shift z", "turn x y", "turn x z", "turn y z"}),
        (-k / DISTANCE, {"turn x y", "turn x z", "turn y z"}),
        (m * 9.81 * z, {"shift x", "shift y", "turn x y"}),
        (k * (x**2 + y**2) + x * z, set()),
    ],
    ids=["free", "Kepler", "falling", "none"],
)
def test_a_particle_keeps_what_its_potential_leaves(potential, expected):
    values = {"m": 2.0, "k": 1.5} if sp.sympify(potential).has(k) else {"m": 2.0}
    assert names(da.symmetries(da.System(q, T - potential, parameters=values))) == expected


@pytest.mark.parametrize("value", [1.7, 1.0])  # of a parameter that is 1 by chance, too
def test_translations_in_a_magnetic_field_are_named_with_what_they_conserve(value):
    # delta L = d/dt(-+ b y/2): m v_x - b y and m v_y + b x, twice the centre of the circle times b
    b = sp.Symbol("b", positive=True)
    system = da.System(q, T + b * (x * vy - y * vx) / 2, parameters={"m": 2.0, "b": 2 * value})
    found = da.symmetries(system)
    assert names(found) == {"shift z", "turn x y"}
    assert {g.generator.name: sp.expand(g.integral) for g in found.gauged} == {
        "shift x": m * vx - b * y,
        "shift y": m * vy + b * x,
    }
    assert "but for a total derivative, shift x: vx = 1, which conserves" in str(found)
    walls = {"floor": {"guard": "z", "restitution": 1.0}}
    assert da.symmetries(da.System(q, system.lagrangian, parameters=system.parameters, walls=walls)).gauged == ()


def test_each_is_accepted_and_conserves_what_noether_says():
    system = da.System(q, T + k / DISTANCE, parameters={"m": 2.0, "k": 1.5})
    found = da.symmetries(system)
    for given in (*found, found):
        assert da.System(q, system.lagrangian, parameters=system.parameters, symmetry=given).symmetry
    momenta = found.noether.conserved
    assert sp.simplify(momenta["turn x y"] - m * (x * vy - y * vx)) == 0
    assert len(momenta) == 3


@pytest.mark.parametrize(
    "broken",
    [
        {"constraints": {"c": vz - y * vx}},
        {"forces": {"vx": -0.3 * vx * y}},
        {"walls": {"w": {"guard": 1 - x**2 - 2 * z**2, "restitution": 1.0}}},
    ],
    ids=["constraint", "force", "wall"],
)
def test_constraints_forces_and_walls_break_symmetries(broken):
    found = names(da.symmetries(da.System(q, T, parameters={"m": 2.0}, **broken)))
    kept = {
        "constraints": {"shift x", "shift z"},
        "forces": {"shift x", "shift z"},
        "walls": {"shift y"},
    }
    assert found == kept[next(iter(broken))]


@pytest.mark.parametrize(
    ("forces", "kept"),
    [
        ({"vx": -0.3 * vx, "vy": -0.3 * vy, "vz": -0.3 * vz}, {*SHIFTS, *TURNS}),
        ({"vx": -2 * x, "vy": -2 * y, "vz": -2 * z}, TURNS),
        ({"vx": -y * vz, "vy": x * vz, "vz": 0}, {"shift z", "turn x y"}),
        ({"vx": -0.3 * vx, "vy": -0.3 * vy, "vz": -0.7 * vz}, {*SHIFTS, "turn x y"}),
    ],
    ids=["drag", "springs", "swirl", "uneven drag"],
)
def test_forces_that_turn_along_leave_symmetries(forces, kept):
    # delta Q_a + Q_b d_a x^b = 0, delta Q = (dQ/dq) x + (dQ/du) xdot: forces are forms
    assert names(da.symmetries(da.System(q, T, parameters={"m": 2.0}, forces=forces))) == kept


def test_coefficients_are_written_with_parameters():
    p = da.coordinates("x y")
    L = m1 * p["vx"] ** 2 / 2 + m2 * p["vy"] ** 2 / 2 - k * (m1 * p["x"] ** 2 + m2 * p["y"] ** 2) / 2
    found = da.symmetries(da.System(p, L, parameters={"m1": 4.0, "m2": 1.0, "k": 3.0}))
    assert [found.rates(g) for g in found] == [{"x": -p["y"], "y": p["x"] * m1 / m2}]


def test_a_pendulum_has_none_and_says_what_was_searched():
    p = da.coordinates("theta")
    found = da.symmetries(da.System(p, p["vtheta"] ** 2 / 2 + sp.cos(p["theta"])))
    assert len(found) == 0
    assert "no infinitesimal symmetries" in str(found)
    assert "sines and cosines of theta" in found.searched


def test_what_is_no_system_is_refused():
    with pytest.raises(da.DalembertError, match="E101"):
        da.symmetries("sleigh")


def test_where_no_state_can_be_drawn_it_says_so():
    nowhere = da.System(q, T + sp.sqrt(-1 - x**2), parameters={"m": 2.0})
    with pytest.raises(da.DalembertError, match="E244"):
        da.symmetries(nowhere)
