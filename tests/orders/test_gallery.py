"""Measured orders on gallery systems, against DOP853 at its tightest."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import chaplygin_sleigh, penny, routh_sphere, suslov

# a piece of motion, in seconds, that a few steps resolve
SPANS = {chaplygin_sleigh: 1.0, penny: 1.0, routh_sphere: 0.5, suslov: 1.0}
LADDERS = {2: (40, 80, 160, 320), 4: (4, 8, 16, 32, 64)}


def parts(equations, wrong):
    """Largest errors of positions, velocities and multipliers, each in units of the largest of its kind."""
    n, k, m = len(equations.space.coordinates), len(equations.space.velocities), len(equations.constraints)
    return [np.abs(part).max() for part in np.split(wrong[: n + k + m], [n, n + k])]


@pytest.mark.parametrize("method", ["dla", "discrete_gradient", "symmetric_projection"])
@pytest.mark.parametrize("nominal", LADDERS)
@pytest.mark.parametrize("system", SPANS, ids=lambda s: s.__name__.rsplit(".")[-1])
@pytest.mark.filterwarnings("ignore:W308")
def test_order(order, system, method, nominal):
    equations = da.nonholonomic(system.system())
    start, until = equations.start(**system.START), SPANS[system]
    exact = da.simulate(equations, start, until=until, rtol=1e-14).values[-1]
    scale = [size or 1.0 for size in parts(equations, exact)]
    found = []
    for n in LADDERS[nominal]:
        path = da.simulate(equations, start, until=until, method=method, step=until / n, order=nominal)
        assert len(path.t) == n + 1
        found.append(np.divide(parts(equations, path.values[-1] - exact), scale))
    for errors in np.transpose(found):
        if errors.max() > 1e-11:  # some of these motions a method meets to rounding
            assert order(LADDERS[nominal], errors, 1e-12) == pytest.approx(nominal, abs=0.2)


def test_vakonomic(order):
    # multipliers that are states go along
    equations = da.vakonomic(penny.system())
    start = equations.start(**{**penny.START, "lam_along": 0.3, "lam_across": -0.2})
    exact = da.simulate(equations, start, until=1.0, rtol=1e-14).values[-1]
    for nominal, ladder in LADDERS.items():
        options = {"until": 1.0, "method": "symmetric_projection", "order": nominal}
        paths = [da.simulate(equations, start, step=1 / n, **options) for n in ladder]
        errors = [np.abs(path.values[-1] - exact)[:-1].max() for path in paths]
        assert order(ladder, errors) == pytest.approx(nominal, abs=0.2)


@pytest.mark.parametrize("form", [da.forms.maggi, da.forms.gauss, da.forms.voronec])
def test_other_forms_of_the_equations(form):
    system = chaplygin_sleigh.system()
    plain, other = da.nonholonomic(system), form(system)
    for method in ("dla", "discrete_gradient", "symmetric_projection"):
        ends = [
            da.simulate(e, e.start(**chaplygin_sleigh.START), until=1.0, method=method, step=0.05).values[-1, :6]
            for e in (plain, other)
        ]
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
