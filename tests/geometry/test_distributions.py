"""The constraint manifold and what a group makes of its distribution, against [cushman1995] and its errata."""

import pytest
import sympy as sp

import dalembert as da

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
        da.symmetry.distributions(system)
