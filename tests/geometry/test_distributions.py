"""The constraint manifold and what a group makes of its distribution, against [cushman1995] and its errata."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.systems import appell_hamel, ball_on_turntable, disguised_holonomic, rolling_disc

# (system, symmetry): M, H, V, V n H, U, K
DIMENSIONS = {
    ("rolling disc", None): (8, 6, 4, 2, 4, 0),  # seed 001 section 6, where the disc's lean changes
    ("rolling disc", "shifts"): (8, 6, 2, 0, 6, 0),
    ("rolling penny", None): (6, 4, 4, 2, 2, 2),
    ("sleigh", "plane"): (5, 4, 3, 2, 2, 0),
    ("veselova", None): (5, 4, 1, 0, 4, 0),
    ("snakeboard", None): (10, 8, 4, 2, 6, 2),
}
GIVEN = {"shifts": da.symmetry.translations("x y"), "plane": da.symmetry.euclidean("x y", "theta")}


@pytest.mark.parametrize("case", sorted(DIMENSIONS, key=str), ids=lambda case: "-".join(map(str, case)))
def test_dimensions(systems, case):
    name, symmetry = case
    found = da.symmetry.distributions(systems[name], GIVEN.get(symmetry))
    assert tuple(found.dimensions[n] for n in ("M", "H", "V", "V n H", "U", "K")) == DIMENSIONS[case]
    assert found.regular > 1e-6
    assert "omega_H      nondegenerate" in str(found)


def test_a_group_whose_horizontal_part_is_isotropic_and_not_involutive(systems):
    # "K is involutive in all cases which we are aware of" fails for the vertical disc and for the balanced sleigh
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    edge = {"edge": vy * sp.cos(theta) - vx * sp.sin(theta)}
    balanced = da.System(q, (vx**2 + vy**2 + omega**2) / 2, edge, symmetry=da.symmetry.euclidean("x y", "theta"))
    for system in (systems["rolling penny"], balanced):
        found = da.symmetry.distributions(system)
        assert found.dimensions["K"] == 2
        assert found.isotropic
        assert found.involutive is False


def test_one_direction_is_involutive(systems):
    from dalembert.systems import symmetric_sphere

    found = da.symmetry.distributions(symmetric_sphere.system())
    assert found.dimensions["K"] == 1
    assert found.involutive


def test_turns_of_places_and_velocities_close_under_brackets():
    # linear fields A y and B y on (x, v): [A y, B y] = (B A - A B) y, and turns are A = hat(e) on both
    q = da.coordinates("x y z")
    x, y, z = q.coordinates
    turns = {"a": {y: -z, z: y}, "b": {z: -x, x: z}, "c": {x: -y, y: x}}
    found = da.symmetry.distributions(da.System(q, sum(v**2 for v in q.velocities) / 2), turns)
    (state,) = found.states(1)
    values = np.array([state[s.name] for s in q])
    turn = [np.kron(np.eye(2), np.cross(e, np.eye(3)).T) for e in np.eye(3)]
    for i, j in ((0, 1), (1, 2), (2, 0), (1, 0)):
        lie = (turn[j] @ turn[i] - turn[i] @ turn[j]) @ values
        assert found.bracket(i, j, state) == pytest.approx(lie, rel=1e-12, abs=1e-12)
    assert found.involutive


def test_a_bracket_of_horizontal_fields_is_what_they_do_to_functions(systems):
    # [Y, Z] f = Y (Z f) - Z (Y f), for f the coordinates and velocities of the plane, moved by both fields
    found = da.symmetry.distributions(systems["sleigh"], GIVEN["plane"])
    state = {**found.sampler.known, **next(found.states(1))}
    Y, Z = ([*x, *w] for x, w in found.sections[:2])
    at = [np.array(evaluate(field, state), float) for field in (Y, Z)]
    there, back = ([found.derivative(f, state) @ by for f in field] for field, by in ((Z, at[0]), (Y, at[1])))
    lie = np.subtract(there, back)
    assert not found.system.space.brackets  # components on rates are what a field does to the coordinates
    assert np.abs(lie).max() > 0.1
    assert found.bracket(0, 1, state) == pytest.approx(lie, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ("name", "growth"), [("rolling disc", (6, 7, 8)), ("sleigh", (4, 5)), ("rolling penny", (4, 5, 6))]
)
def test_growth_on_M(systems, name, growth):
    assert da.symmetry.distributions(systems[name]).growth == growth


def test_an_integrable_distribution_is_its_own_hull():
    q = da.coordinates("x y z")
    system = da.System(q, sum(v**2 for v in q.velocities) / 2, {"c": q["vz"] - q["y"] * q["vx"] - q["x"] * q["vy"]})
    found = da.symmetry.distributions(system)
    assert found.growth == (4,)
    assert found.dimensions["M"] == 5
    assert "4 is the smallest integrable one that contains it" in str(found)


def test_refused(systems):
    with pytest.raises(da.DalembertError, match="E101 distributions needs a System"):
        da.symmetry.distributions("disc")
    q = da.coordinates("x y")
    system = da.System(q, sum(v**2 for v in q.velocities) / 2 - sp.cos(q["x"]), {"c": q["vx"] ** 2 - q["vy"] ** 2 - 1})
    with pytest.raises(da.DalembertError, match="E124 c is not linear"):
        _ = da.symmetry.distributions(system).growth


def cone():
    return appell_hamel.system(constraints="nonlinear"), appell_hamel.VARIANTS["nonlinear"].starts["turning"]


KINDS = {
    "linear": lambda: (rolling_disc.system(), rolling_disc.START),
    "affine": lambda: (ball_on_turntable.system(), ball_on_turntable.STARTS["experiment"]),
    "nonlinear": cone,
    "holonomic": lambda: (disguised_holonomic.system(), disguised_holonomic.START),
}


@pytest.mark.parametrize("kind", KINDS)
def test_theorem_1_for_constraints_of_any_kind(kind):
    # [cushman1995 Section 1, Theorem 1]: TP = H + H_omega, the motion is tangent to M, lambda_a multipliers
    system, start = KINDS[kind]()
    found = da.symmetry.distributions(system)
    equations = da.nonholonomic(system)
    begun = equations.start(**start)
    place, known = found.at(begun), equations.evaluate(begun)
    k = len(system.space.velocities)
    both = np.vstack([place.H, place.H_perp])
    assert len(both) == 2 * k == np.linalg.matrix_rank(both)
    assert np.abs(place.omega(place.H, place.H_perp)).max() < 1e-9 * np.abs(place.local.omega).max()
    accelerations = [known["accelerations"][v.name] for v in system.space.velocities]
    assert place.xi[k:] == pytest.approx(accelerations, rel=1e-9, abs=1e-9)
    size = max(map(abs, known["multipliers"].values()))
    for name, lam in place.multipliers.items():
        assert lam == pytest.approx(known["multipliers"][name], rel=1e-9, abs=1e-9 * size)
    assert "dimensions" in str(found)
    if kind == "nonlinear":  # phi_a = df_a/du, Chetaev's: v . df/du = 2 f = 0 on the cone, so that the motion lies in H
        assert np.abs(found.normals(begun) @ place.xi[:k]).max() < 1e-12
    if kind == "affine":  # on the table that turns it does not
        assert np.abs(found.normals(begun) @ place.xi[:k]).max() > 0.1
