"""Forms use the equivalent constraints that a system carries, say so, and tell what the examination found."""

import pytest

import dalembert as da
from dalembert.systems import appell_hamel

from .conftest import FORMS

REST = {"x": 0.1, "y": 0.0, "z": 0.0, "theta": 0.4, "vx": 0.0, "vy": 0.0, "vz": 0.0, "omega": 0.7}


@pytest.fixture(scope="module")
def carrying():
    """The cone, which loses its rank at rest, with the linear rows that do not."""
    return appell_hamel.system(constraints="nonlinear").changed(equivalent=appell_hamel.LINEAR)


@pytest.fixture(scope="module")
def references(carrying):
    """Nonholonomic equations of this system and of the one that is given by the linear rows."""
    return da.nonholonomic(carrying), da.nonholonomic(appell_hamel.system())


@pytest.mark.parametrize("form", FORMS)
def test_the_equivalent_set_is_in_force_in_every_form(carrying, references, form):
    equations, (reference, linear) = FORMS[form](carrying), references
    assert [c.name for c in equations.constraints] == ["blade", "roll"]
    assert equations.system.constraints == equations.constraints
    assert equations.kept == (0, 1)
    for start in (REST, {**REST, **appell_hamel.STARTS["turning"], "vy": None, "vz": None}):
        given = {k: v for k, v in start.items() if v is not None}
        found = equations.evaluate(equations.start(**given))
        expected = linear.evaluate(linear.start(**given))
        assert found["accelerations"] == pytest.approx(expected["accelerations"], abs=1e-12)
        assert found["multipliers"] == pytest.approx(expected["multipliers"], abs=1e-12)
    notes = [n.code for n in equations.notes]
    assert "N144" in notes
    assert [n for n in equations.notes if n.code != "N161"] == list(reference.notes)
    assert "roll" in equations.text()
    assert "cone" not in equations.text()


@pytest.mark.parametrize("form", ["gauss", "maggi", "voronec", "gibbs_appell"])
def test_the_cone_alone_loses_its_rank_at_rest_under_every_form(form):
    equations = FORMS[form](appell_hamel.system(constraints="nonlinear"))
    assert "N117" in [n.code for n in equations.notes]
    with pytest.raises(da.DalembertError, match="E121") as caught:
        equations.start(**REST)
    assert "equivalent" in str(caught.value)


@pytest.mark.parametrize("form", ["hamel", "chaplygin", "almost_poisson"])
def test_a_form_that_takes_no_cone_names_the_way_out(carrying, form):
    with pytest.raises(da.DalembertError, match="E160") as caught:
        FORMS[form](appell_hamel.system(constraints="nonlinear"))
    assert "equivalent={...}" in caught.value.remedy
    FORMS[form](carrying)


@pytest.mark.parametrize("form", FORMS)
def test_a_set_that_is_not_equivalent_is_refused(form):
    wrong = appell_hamel.system(constraints="nonlinear").changed(equivalent={"blade": appell_hamel.BLADE})
    with pytest.raises(da.DalembertError, match="E143"):
        FORMS[form](wrong)


@pytest.mark.parametrize("form", [f for f in FORMS if f != "gauss"])
def test_dependent_velocities_are_counted_in_the_set_in_force(carrying, form):
    assert FORMS[form](carrying, dependent="vx vy").dependent == (0, 1)
