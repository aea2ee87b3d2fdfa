"""Measured orders on motions that are known exactly, for positions, velocities and multipliers."""

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.vector_field.field import residuals

NAMES = ("knife", "moving", "quadratic", "ellipsoid", "body")
METHODS = ("dla", "discrete_gradient", "symmetric_projection")
LADDERS = {2: (20, 40, 80, 160, 320), 4: (16, 32, 64, 128, 256), 6: (8, 12, 16, 20, 24, 32, 48)}
# the correction of the discrete gradient is a quotient: its expansion in h sets in later
LATER = (96, 128, 160, 192)


def measured(case, ladder, fit, **options):
    """The orders of the errors of positions, velocities and multipliers; `ladder` are steps per unit of time."""
    paths = [da.simulate(case.equations, case.start(), until=1.0, step=1 / n, **options) for n in ladder]
    assert all(len(path.t) == n + 1 for path, n in zip(paths, ladder, strict=True))
    return [fit(ladder, errors) for errors in np.array([case.errors(path) for path in paths]).T]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nominal", LADDERS)
@pytest.mark.filterwarnings("ignore:W308")
def test_order_of_fixed_steps(made, order, name, method, nominal):
    late = nominal == 6 and method == "discrete_gradient" and name == "moving"
    ladder = LATER if late else LADDERS[nominal]
    found = measured(made(name), ladder, order, method=method, order=nominal)
    np.testing.assert_allclose(found, nominal, atol=0.2)


@pytest.mark.filterwarnings("ignore:W306")
def test_order_of_dop853(made, order):
    # equal steps (but for the first few, which grow by ten each): the tolerance never refuses one. In double precision
    # order 8 is seen over one power of ten of h only, between rounding and terms of order 9: single slopes scatter.
    found = []
    for name in NAMES:
        case = made(name)
        ladder = np.array([2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20])
        paths = [
            da.simulate(case.equations, case.start(), until=4.0, max_step=1 / n, rtol=1e-2, atol=1e6) for n in ladder
        ]
        for errors in np.array([case.errors(path) for path in paths]).T:
            small = errors < 1e-8
            found.append(order(ladder[small], errors[small]))
    np.testing.assert_allclose(found, 8, atol=0.8)
    assert np.mean(found) == pytest.approx(8, abs=0.2)


@pytest.mark.parametrize("names", [NAMES[:2], NAMES], ids=["some", "all"])
@pytest.mark.filterwarnings("ignore:W306")
def test_order_of_radau(made, order, monkeypatch, names):
    # equal steps, as above; three stages, solved to rounding
    monkeypatch.setattr("dalembert.numerics.methods.radau.stepper.stages_for", lambda rtol: 3)
    monkeypatch.setattr("dalembert.numerics.methods.radau.stepper.ACCURATE", 0.0)
    found = []
    for name in names:
        case = made(name)
        ladder = np.array([12, 16, 20, 24, 32, 48, 64])
        paths = [
            da.simulate(case.equations, case.start(), until=4.0, max_step=1 / n, rtol=1e-2, atol=1e6, method="radau")
            for n in ladder
        ]
        found += [order(ladder, errors) for errors in np.array([case.errors(path) for path in paths]).T]
    np.testing.assert_allclose(found, 5, atol=0.4)
    assert np.mean(found) == pytest.approx(5, abs=0.2)


@pytest.mark.parametrize(("nominal", "between"), [(2, 2), (4, 4), (6, 6)])
@pytest.mark.filterwarnings("ignore:W308")
def test_order_between_steps(made, order, nominal, between):
    # cubic (error h^4) and quintic (h^6) Hermite interpolation inside a step are no worse than the steps
    case, ladder = made("ellipsoid"), LADDERS[nominal][:5]
    t = np.linspace(0, 1, 397)
    exact = np.array([case.motion(s)[:6] for s in t])
    errors = []
    for n in ladder:
        path = da.simulate(case.equations, case.start(), until=1.0, step=1 / n, method="dla", order=nominal)
        errors.append(np.abs(path.dense.interpolant(t)[:, :6] - exact).max())
    assert order(ladder, errors) == pytest.approx(between, abs=0.2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:W308")
def test_constraints_at_every_step(made, name, method):
    case = made(name)
    for nominal in (2, 6):
        path = da.simulate(case.equations, case.start(), until=1.0, step=0.05, method=method, order=nominal)
        absolute, _ = residuals(path.dense.field, path.t, path.dense.interpolant.y)
        # a few roundings of the terms, which are of order 1
        assert max(absolute) < 5e-15


@pytest.mark.parametrize("method", ["dla", "symmetric_projection"])
@pytest.mark.parametrize("nominal", [2, 4])
@pytest.mark.filterwarnings("ignore:W308")
def test_order_of_the_work_balance(made, order, method, nominal):
    case, errors = made("moving"), []
    for n in LADDERS[nominal]:
        path = da.simulate(case.equations, case.start(), until=1.0, step=1 / n, method=method, order=nominal)
        y = path.dense.interpolant.y
        energy = path.dense.field.energy(path.t, y)
        errors.append(np.abs(energy - energy[0] - y[:, -1]).max())
    assert order(LADDERS[nominal], errors) == pytest.approx(nominal, abs=0.2)


@pytest.mark.parametrize("name", NAMES)
def test_work_balance_to_rounding(made, name):
    case = made(name)
    path = da.simulate(case.equations, case.start(), until=1.0, step=0.05, method="discrete_gradient")
    y = path.dense.interpolant.y
    energy = path.dense.field.energy(path.t, y)
    np.testing.assert_allclose(energy - energy[0] - y[:, -1], 0, atol=2e-14)
    assert np.ptp(y[:, -1]) > 0.1  # the force does work
