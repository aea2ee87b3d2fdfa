"""What a form cannot take is refused by name, with the reason and what to use instead."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.principles import chaplygin

from .conftest import FORMS


def refused(form, system, **options):
    with pytest.raises(da.DalembertError) as caught:
        FORMS[form](system, **options)
    return caught.value


@pytest.mark.parametrize("form", ["hamel", "chaplygin", "almost_poisson"])
def test_nonlinear_constraints(shelf, form):
    q = da.coordinates("x y z")
    vx, vy, vz = q.velocities
    error = refused(form, da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"cone": vz**2 - vx**2 - vy**2}))
    assert error.code == "E160"
    assert "cone is nonlinear in the velocities" in error.fact
    assert "da.forms.voronec" in error.remedy
    assert form in error.detail


@pytest.mark.parametrize(
    ("form", "instead"), [("gibbs_appell", "da.forms.maggi"), ("almost_poisson", "da.forms.hamel")]
)
def test_a_lagrangian_without_a_metric(shelf, form, instead):
    error = refused(form, shelf["quartic"])
    assert error.code == "E160"
    assert "L is not quadratic in the velocities" in error.fact
    assert instead in error.remedy


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
@pytest.mark.parametrize("form", ["gibbs_appell", "almost_poisson"])
def test_whether_there_is_a_metric_depends_on_no_unit(form, scale):
    q = da.coordinates("x y")
    vx, vy = q.velocities
    assert refused(form, da.System(q, scale * (vx**2 + vy**2 + vx**4 / 7))).code == "E160"
    heavy = da.System(q, 1e12 * vx**2 + scale * (vy**2 + vy**4) / 1e20)
    assert refused(form, heavy).code == "E160"
    round_ = da.System(q, scale * ((vx + vy) ** 3 - vx**3 - vy**3 - 3 * vx * vy * (vx + vy) + vx**2 + vy**2))
    assert FORMS[form](round_).evaluate({"x": 0, "y": 0, "vx": 1, "vy": 2})["accelerations"] == {"vx": 0, "vy": 0}


Q = da.coordinates("x y z")
X, Y, Z, VX, VY, VZ = Q
T = (VX**2 + VY**2 + VZ**2) / 2
TIME = sp.Symbol("t", real=True)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (da.System(Q, T - X * Z, {"c": VZ - Y * VX}), "the dependent coordinate z occurs in L"),
        (da.System(Q, T, {"c": VZ - Y * VX}, {VX: -Z}), "the dependent coordinate z occurs in the force on vx"),
        (da.System(Q, T, {"c": VZ - Z * Y * VX + X * VY * Z}), "the dependent coordinate z occurs in c"),
        (da.System(Q, T, {"c": VZ - Y * VX - X}), "c: affine, not linear homogeneous"),
        (da.System(Q, T, {"c": VZ - sp.sin(TIME) * Y * VX}), "the time occurs in c"),
        (da.System(da.SE2("x y h"), T.subs({VX: 0}) + sp.Symbol("v1") ** 2, {"c": sp.Symbol("v2")}), "not the rates"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
@pytest.mark.filterwarnings("ignore::dalembert.DalembertWarning")
def test_what_is_no_chaplygin_system(system, words):
    if "not the rates" in words:
        s = da.SE2("x y h")
        v1, v2, w = s.velocities
        system = da.System(s, (v1**2 + v2**2 + w**2) / 2, {"c": v2})
    options = {} if "rates" in words else {"dependent": "vz"}
    error = refused("chaplygin", system, **options)
    assert error.code == "E160"
    assert words in error.fact
    assert "da.forms.voronec" in error.remedy


@pytest.mark.parametrize(
    ("system", "words", "detail"),
    [
        (da.System(Q, T - X * Z, {"c": VZ - Y * VX}), "too few coordinates (none) occur in none of", "z occurs in L"),
        (
            da.System(Q, T, {"c": VZ - Z * VX, "d": VY - X * VX}),
            "coordinates (y) occur in none of L, the forces and the constraints, 2 needed",
            "z occurs in c",
        ),
        (da.System(Q, T, {"c": VX + Y * VY}), "", ""),
        (da.System(Q, T - Y * X, {"c": VX - Y * VY}), "(z) are not determined by the others", "y occurs in L"),
    ],
    ids=["L", "rows", "takes x", "determined"],
)
def test_the_reason_holds_for_every_choice_of_dependent_velocities(system, words, detail):
    if not words:
        assert FORMS["chaplygin"](system).dependent == (0,)
        return
    error = refused("chaplygin", system)
    assert error.code == "E160"
    assert words in error.fact
    assert detail in error.detail
    assert "da.forms.voronec" in error.remedy


def test_chaplygin_takes_the_velocities_whose_coordinates_occur_nowhere(shelf):
    # the best pivot is that of y, on which L depends; z takes its place
    system = da.System(Q, T - Y**2, {"c": 3 * VY - VZ + X * VX})
    equations = FORMS["chaplygin"](system)
    assert [n.text for n in equations.notes if n.code == "N161"] == ["dependent velocities: vz"]
    given = {"x": 0.4, "y": 0.3, "z": 0, "vx": 1.1, "vy": -0.7}
    expected = da.nonholonomic(system).evaluate(given)["accelerations"]
    assert equations.evaluate(given)["accelerations"] == pytest.approx(expected, abs=1e-14)
    assert 'dependent=("vz",) is possible' in refused("chaplygin", system, dependent="vy").remedy


def test_small_units_hide_no_coordinate():
    # lengths of 1e-9 and energies of 1e-20: what depends on z still does
    small = 1e-20
    system = da.System(Q, small * (T - Z), {"c": VZ - Y * VX})
    assert "z occurs in L" in refused("chaplygin", system, dependent="vz").fact
    bent = da.System(Q, T, {"c": VZ - 1e-9 * (Y + Z) * VX})
    assert "z occurs in c" in refused("chaplygin", bent, dependent="vz").fact


def test_a_common_factor_that_cancels_is_no_obstacle(shelf):
    # (2 + sin z) (vz - y vx) = 0 gives vz = y vx
    plain = FORMS["chaplygin"](da.System(Q, T, {"c": VZ - Y * VX}))
    scaled = FORMS["chaplygin"](da.System(Q, T, {"c": (2 + sp.sin(Z)) * (VZ - Y * VX)}), dependent="vz")
    state = {"x": 0, "y": 0.8, "z": 0.3, "vx": 1.2, "vy": -0.7, "vz": 0.96}
    assert scaled.evaluate(state)["accelerations"] == pytest.approx(plain.evaluate(state)["accelerations"], abs=1e-14)


@pytest.mark.parametrize("form", ["maggi", "hamel", "voronec", "chaplygin", "gibbs_appell", "almost_poisson"])
@pytest.mark.parametrize(
    ("dependent", "words"),
    [
        (("vq",), "'vq' is not a velocity"),
        (("vx", "vy"), "2 dependent velocities for 1 independent"),
        (("omega",), "do not determine omega"),
        (3, "does not name velocities"),
        ("", "0 dependent velocities"),
    ],
)
def test_dependent_velocities_that_cannot_be(shelf, form, dependent, words):
    error = refused(form, shelf["sleigh"], dependent=dependent)
    assert error.code == "E161"
    assert words in error.fact
    assert error.remedy


@pytest.mark.parametrize("form", ["voronec", "maggi", "hamel", "gibbs_appell", "almost_poisson", "chaplygin"])
def test_a_start_where_named_velocities_fail(shelf, form):
    system = shelf["sleigh"]
    across = {"x": 0, "y": 0, "theta": np.pi / 2, "vx": 0.0, "vy": 1.0, "omega": 0.3}
    equations = FORMS[form](system, dependent="vy")
    for attempt in (equations.start, lambda **given: equations.evaluate(given)):
        with pytest.raises(da.DalembertError) as caught:
            attempt(**across)
        assert caught.value.code == "E162"
        assert f"the form {form} is singular at t = 0, the motion is not" in caught.value.fact
        assert "do not determine vy" in caught.value.fact
        assert f"da.forms.{form}(system, dependent=" in caught.value.remedy
        assert "da.forms.maggi(system), which is regular here" in caught.value.remedy
    with pytest.raises(da.DalembertError, match="E162"):
        da.simulate(equations, across, until=1.0)
    expected = da.nonholonomic(system).evaluate(across)["accelerations"]
    other = FORMS[form](system, dependent="vx")
    assert other.evaluate(across)["accelerations"] == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("form", ["voronec", "maggi", "hamel", "gibbs_appell", "almost_poisson", "chaplygin"])
def test_what_is_singular_depends_on_no_unit(form):
    # a hoop of radius 1e-4: its angle is as good a dependent coordinate as its place
    q, radius = da.coordinates("x phi"), 1e-4
    vx, vphi = q.velocities
    system = da.System(q, (vx**2 + radius**2 * vphi**2) / 2, {"roll": vx - radius * vphi}, {vx: 3.0})
    for dependent in ("x", "phi"):
        found = FORMS[form](system, dependent=f"v{dependent}").evaluate({"x": 0, "phi": 0, "vx": 1, "vphi": 1e4})
        assert found["accelerations"] == pytest.approx({"vx": 1.5, "vphi": 1.5e4}, rel=1e-13)


@pytest.mark.parametrize("form", ["gauss", "maggi", "hamel", "gibbs_appell", "almost_poisson"])
def test_forms_that_choose_by_themselves_are_regular_there(shelf, form):
    across = {"x": 0, "y": 0, "theta": np.pi / 2, "vx": 0.0, "vy": 1.0, "omega": 0.3}
    expected = shelf.equations("nonholonomic", "sleigh").evaluate(across)["accelerations"]
    assert shelf.equations(form, "sleigh").evaluate(across)["accelerations"] == pytest.approx(expected, abs=1e-13)


def test_the_choice_of_velocities_is_told_and_prefers_constant_pivots(shelf):
    assert any(n.code == "N161" and n.text.endswith("vx, vy") for n in shelf.equations("voronec", "disc").notes)
    assert any(n.code == "N161" and "v2" in n.text for n in shelf.equations("voronec", "conveyor").notes)


@pytest.mark.parametrize("form", FORMS)
def test_what_determines_no_motion_is_refused_as_ever(form):
    assert refused(form, da.System(Q, T - VZ**2 / 2)).code in ("E106", "E107")
    assert refused(form, da.System(Q, T, {"a": VX, "b": VY, "c": VZ})).code == "E114"
    with pytest.raises(da.DalembertError, match="E101"):
        FORMS[form]("sleigh")


def test_what_is_not_zero_at_a_random_place_is_not_simplified(monkeypatch):
    # dL/dy holds exp(9 y) and a narrow bump: SymPy takes a minute to simplify it, and finds what a number tells
    q = da.coordinates("x y")
    L = "(2 + sin(y))*vy^2 + (3 + exp(9*y))*vx^2 + exp(-40*(2*y - 4)^2)*vx - y^2"
    system = da.System(q, L, {"row": "vx + 7*vy/6"})

    def simplified(*_, **__):
        raise AssertionError("simplified")

    monkeypatch.setattr(chaplygin.sp, "simplify", simplified)
    assert "y" in chaplygin._places(chaplygin.ChaplyginEquations.of(system))


@pytest.mark.parametrize("relation", [X + TIME, X * Y + TIME**2, X - sp.sin(TIME) * Y], ids=str)
def test_a_relation_between_positions_that_moves_has_no_motion_in_h(relation):
    # its velocity form, vx + 1 = 0, need not hold the time: what carries the motion out of H is its drift
    system = da.System(Q, T, {"moving": relation}, symmetry=["z"])
    with pytest.raises(da.DalembertError, match="E160 moving depends on the time"):
        da.forms.symplectic(system)
    with pytest.raises(da.DalembertError, match="E124 moving is not linear and homogeneous"):
        _ = da.symmetry.distributions(system).growth
