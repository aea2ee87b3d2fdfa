"""Every classical form gives the nonholonomic accelerations and multipliers, at random states and in machine code."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.equations.saddle_form import Numbers
from dalembert.numerics.vector_field.field import Field

from .conftest import FORMS, PAIRS, TAKES, WEAK

PIVOTED = ("sleigh", "disc", "ball", "appell_hamel", "conveyor", "redundant_penny", "massless_wheel")


def regular(equations, values):
    return equations.share(values) > WEAK if equations.dependent else np.ones(len(values["t"]), bool)


@pytest.mark.parametrize(("form", "name"), PAIRS)
def test_the_accelerations_are_the_nonholonomic_ones(shelf, states, form, name):
    reference, equations = shelf.equations("nonholonomic", name), shelf.equations(form, name)
    values = states(reference, 1100, seed=1)
    ok = regular(equations, values)
    assert ok.sum() >= 700
    values = {k: v[ok] for k, v in values.items()}
    u0, lam0 = reference.accelerations(values)
    u, lam = equations.accelerations(values)
    size = 1 + np.abs(u0).max(axis=1, keepdims=True)
    assert (np.abs(u - u0) / size).max() < 1e-10
    strength = 1 + np.abs(lam0).max(axis=1, initial=0.0, keepdims=True) + size
    assert (np.abs(lam - lam0) / strength).max(initial=0.0) < 1e-10


def test_each_form_is_tried_on_enough_systems_and_nonlinear_ones_where_it_takes_them():
    tried = {form: {n for f, n in PAIRS if f == form} for form in FORMS}
    assert all(len(tried[form]) >= 12 for form in FORMS if form != "chaplygin")
    assert all("appell_hamel" in tried[form] for form in ("gauss", "maggi", "voronec", "gibbs_appell"))
    assert set(TAKES) == set(FORMS)


@pytest.mark.parametrize(("form", "name"), [(f, s) for f in FORMS for s in sorted(TAKES[f])])
def test_the_others_are_refused(shelf, form, name):
    with pytest.raises(da.DalembertError, match="E160"):
        FORMS[form](shelf[name])


@pytest.mark.parametrize(
    ("form", "name", "definite"),
    [(*pair, True) for pair in PAIRS] + [(*pair, False) for pair in PAIRS if pair[1] in PIVOTED],
)
def test_machine_code_gives_these_accelerations(shelf, states, form, name, definite):
    equations = shelf.equations(form, name)
    if not definite:
        equations = replace(equations, definite=False, metric_definite=False)
    values = states(shelf.equations("nonholonomic", name), 40, seed=2)
    ok = np.flatnonzero(regular(equations, values))[:3]
    for i in ok:
        here = {k: float(v[i]) for k, v in values.items()}
        start = equations.start(**{n: here[n] for n in equations.states}, t=here["t"])
        field = Field(equations, start)
        k = len(equations.space.velocities)
        udot = field.rate(start.t, field.first)[len(equations.space.coordinates) :][:k]
        expected = equations.accelerations(here)[0]
        # 1e-11: the plain kernel chooses no pivots
        np.testing.assert_allclose(udot, expected, atol=1e-11 * (1 + np.abs(expected).max()) / WEAK)


@pytest.mark.parametrize("name", ["redundant_penny", "penny", "ball", "vehicle", "appell_hamel"])
def test_gauss_is_the_pseudo_inverse_of_all_rows_off_the_constraints_too(shelf, name):
    # udot = a + W^-1/2 (N W^-1/2)^+ (g - N a) ,  W a = f                                      [udwadia1992]
    # dependent rows that disagree are met in the mean
    equations = shelf.equations("gauss", name)
    points = [{**equations.space.sample(np.random.default_rng(i)), **equations.system.values()} for i in range(20)]
    values = {n: np.array([p[n] for p in points]) for n in points[0]} | {"t": np.linspace(0, 1, 20)}
    found = equations.accelerations(values)[0]
    numbers = Numbers.of(equations.machine.form, values)
    for W, N, f, g, udot in zip(numbers.W, numbers.N, numbers.f, numbers.g, found, strict=True):
        size, V = np.linalg.eigh(W)
        root = V / np.sqrt(size) @ V.T
        a = np.linalg.solve(W, f)
        expected = a + root @ np.linalg.pinv(N @ root, rcond=1e-9) @ (g - N @ a)
        np.testing.assert_allclose(udot, expected, atol=1e-10 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_evaluated_has_the_names_and_reactions_of_nonholonomic(shelf, states, form):
    reference, equations = shelf.equations("nonholonomic", "penny"), shelf.equations(form, "penny")
    values = states(reference, 1, seed=3)
    given = {n: float(values[n][0]) for n in reference.states}
    a, b = reference.evaluate(given), equations.evaluate(given)
    assert a.keys() == b.keys()
    for part in a:
        assert b[part] == pytest.approx(a[part], abs=1e-12)
    assert equations.states == reference.states


@pytest.mark.parametrize(("form", "name"), [p for p in PAIRS if p[1] in ("redundant_penny", "conveyor", "pendulum")])
def test_what_was_noticed_is_carried_as_nonholonomic_does(shelf, form, name):
    reference, equations = shelf.equations("nonholonomic", name), shelf.equations(form, name)
    assert reference.notes
    assert [n for n in equations.notes if n.code != "N161"] == list(reference.notes)
    assert (name == "redundant_penny") == ("W113" in [n.code for n in equations.notes])


@pytest.mark.parametrize("form", FORMS)
def test_no_constraints_leave_lagrange_s_equations(form):
    q = da.coordinates("x y")
    x, y, vx, vy = q
    system = da.System(q, (vx**2 + (1 + x**2) * vy**2) / 2 - x * y**2)
    equations, reference = FORMS[form](system), da.free(system)
    given = {"x": 0.3, "y": 0.4, "vx": 1.0, "vy": -2.0}
    assert equations.evaluate(given)["accelerations"] == pytest.approx(reference.evaluate(given)["accelerations"])


@pytest.mark.parametrize("form", ["maggi", "hamel", "voronec", "gibbs_appell", "almost_poisson"])
@pytest.mark.parametrize("dependent", ["vx vy", ("vx", "vtheta"), ["vy", "vtheta"]])
def test_any_choice_of_dependent_velocities_gives_the_same(shelf, states, form, dependent):
    reference = shelf.equations("nonholonomic", "snakeboard")
    equations = FORMS[form](shelf["snakeboard"], dependent=dependent)
    values = states(reference, 300, seed=4)
    ok = regular(equations, values)
    assert ok.sum() > 50
    values = {k: v[ok] for k, v in values.items()}
    u0, u = reference.accelerations(values)[0], equations.accelerations(values)[0]
    assert (np.abs(u - u0) / (1 + np.abs(u0).max(axis=1, keepdims=True))).max() < 1e-10


@pytest.mark.parametrize("form", ["maggi", "hamel", "voronec", "gibbs_appell", "almost_poisson"])
def test_only_the_curl_of_what_is_linear_in_the_velocities_acts(shelf, states, form):
    # in a frame with brackets: coefficients that depend on place and time, and the rate of a function of both
    belt, t = shelf["conveyor"], sp.Symbol("t", real=True)
    (x, y, theta), (v1, v2, omega) = belt.space.coordinates, belt.space.velocities
    f = t * x**2 * sp.sin(y) + sp.cos(theta) * x
    gauge = sum(f.diff(q) * belt.space.rates[q] for q in (x, y, theta)) + f.diff(t)
    values = states(shelf.equations("nonholonomic", "conveyor"), 5, seed=4)
    plain = shelf.equations("nonholonomic", "conveyor").accelerations(values)[0]
    for added, same in ((gauge, True), (2 * (1 + t * x) * (y * v1 - sp.sin(theta) * v2 + t * omega), False)):
        fuller = belt.changed(lagrangian=belt.lagrangian + added)
        expected = da.nonholonomic(fuller).accelerations(values)[0]
        found = FORMS[form](fuller).accelerations(values)[0]
        np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())
        assert np.allclose(expected, plain, atol=1e-11) == same
