"""Fixed steps in a run: what is refused, where steps end, events, samples, and what a failure says."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import pendulum_cartesian, penny

METHODS = ("dla", "discrete_gradient", "symmetric_projection")


@pytest.fixture(scope="module")
def pendulum():
    equations = da.nonholonomic(pendulum_cartesian.system())
    return equations, equations.start(**pendulum_cartesian.START)


REFUSED = {
    "no step": ("E307", {"method": "dla"}),
    "step of an adaptive method": ("E307", {"step": 0.1}),
    "order of an adaptive method": ("E307", {"order": 4}),
    "order 3": ("E307", {"method": "dla", "step": 0.1, "order": 3}),
    "order of a wrong kind": ("E307", {"method": "dla", "step": 0.1, "order": [2]}),
    "order True": ("E307", {"method": "dla", "step": 0.1, "order": True}),
    "negative step": ("E305", {"method": "dla", "step": -0.1}),
    "step 0": ("E305", {"method": "dla", "step": 0}),
    "step nan": ("E305", {"method": "dla", "step": float("nan")}),
    "step inf": ("E305", {"method": "dla", "step": float("inf")}),
    "step in words": ("E305", {"method": "dla", "step": "small"}),
    "step True": ("E305", {"method": "dla", "step": True}),
    "tolerance": ("E307", {"method": "dla", "step": 0.1, "rtol": 1e-9}),
    "absolute tolerances": ("E307", {"method": "dla", "step": 0.1, "atol": np.ones(4)}),
    "largest step": ("E307", {"method": "dla", "step": 0.1, "max_step": 0.1}),
    "Baumgarte": ("E307", {"method": "dla", "step": 0.1, "stabilisation": da.methods.Baumgarte(1.0)}),
    "a name that is none": ("E307", {"method": "rattle", "step": 0.1}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(pendulum, case):
    code, options = REFUSED[case]
    with pytest.raises(da.DalembertError, match=code):
        da.simulate(*pendulum, until=1.0, **options)


@pytest.mark.parametrize("method", ["dla", "discrete_gradient"])
def test_vakonomic_is_refused(method):
    equations = da.vakonomic(penny.system())
    start = equations.start(**{**penny.START, "lam_along": 0.3, "lam_across": -0.2})
    with pytest.raises(da.DalembertError, match=r"E307.*states"):
        da.simulate(equations, start, until=1.0, method=method, step=0.1)


def test_a_space_whose_brackets_do_not_follow_is_refused():
    # three velocities on a sphere: two points of it do not tell the spin
    space = da.direction("z")
    z, w = sp.Matrix(space.coordinates), sp.Matrix(space.velocities)
    equations = da.free(da.System(space, w.dot(w) / 2 - z[2]))
    start = {"z1": 0.6, "z2": 0.0, "z3": 0.8, "w1": 0.1, "w2": 0.2, "w3": 3.0}
    with pytest.raises(da.DalembertError, match=r"E307.*brackets"):
        da.simulate(equations, start, until=1.0, method="dla", step=0.1)
    for method in ("discrete_gradient", "symmetric_projection"):
        assert da.simulate(equations, start, until=1.0, method=method, step=0.1).reached


@pytest.mark.parametrize("law", [{}, {"forces": True}, {"time": True}])
def test_doubt_about_energy(law):
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    push = sp.cos(sp.Symbol("t", real=True)) if "time" in law else 0
    L = (vx**2 + vy**2) / 2 - x**2 - push * x
    forces = [da.forces.viscous_friction([vx, vy], 0.1)] if "forces" in law else []
    equations = da.nonholonomic(da.System(q, L, {"edge": vy - x * vx}, forces=forces))
    start = {"x": 1.0, "y": 0.0, "vx": 0.5}
    if law:
        with pytest.warns(da.DalembertWarning, match="W308"):
            path = da.simulate(equations, start, until=1.0, method="dla", step=0.1)
        assert any("W308" in note for note in path.audit.notes)
    else:
        assert da.simulate(equations, start, until=1.0, method="dla", step=0.1).reached
    da.simulate(equations, start, until=1.0, method="discrete_gradient", step=0.1)  # keeps the work balance: no warning


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("until", "steps"), [(0.7, 7), (0.05, 1), (0.123456, 2), (0.2 + 1e-9, 2)])
def test_where_steps_end(pendulum, method, until, steps):
    path = da.simulate(*pendulum, until=until, method=method, step=0.1)
    assert path.t[-1] == until
    assert len(path.t) == steps + 1  # no tiny step at the end
    np.testing.assert_allclose(np.diff(path.t)[:-1], 0.1, rtol=1e-12)
    assert np.diff(path.t)[-1] <= 0.1011


@pytest.mark.parametrize("method", METHODS)
def test_samples_dense_and_not(pendulum, method):
    t = np.linspace(0, 1, 7)
    options = {"until": 1.0, "method": method, "step": 0.01, "samples": t}
    kept, thrown = (da.simulate(*pendulum, dense=dense, **options) for dense in (True, False))
    np.testing.assert_array_equal(kept.t, t)
    np.testing.assert_allclose(kept.values, thrown.values, atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_events(pendulum, method):
    equations, start = pendulum
    lowest = da.Event("through", sp.Symbol("x"))
    marked = da.simulate(equations, start, until=2.0, method=method, step=0.01, order=4, events=[lowest])
    exact = da.simulate(equations, start, until=2.0, events=[lowest])
    np.testing.assert_allclose(marked.marks["through"].t, exact.marks["through"].t, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_step_without_solution_ends_the_run(method):
    # the pole of the potential is met: steps cannot go on
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2 + 1 / x**2, {"edge": vy - x * vx})
    path = da.simulate(da.nonholonomic(system), {"x": 1.0, "y": 0.0, "vx": -1.0}, until=5.0, method=method, step=0.01)
    assert not path.ok
    assert path.t[-1] < 5.0
    assert np.isfinite(path.values).all()


def test_most_steps(pendulum):
    path = da.simulate(*pendulum, until=1.0, method="dla", step=0.01, max_steps=10)
    assert not path.reached
    assert "E313" in path.outcome
    assert len(path.t) == 11


def test_composition_satisfies_the_order_conditions():
    from dalembert.numerics.methods.geometric.fixed_step_methods import composition_weights

    for order in (2, 4, 6):
        gamma = composition_weights(order)
        assert gamma.sum() == pytest.approx(1, abs=1e-15)
        np.testing.assert_array_equal(gamma, gamma[::-1])
        for power in range(3, order, 2):
            # sum gamma^3 = 0, sum gamma^5 = 0 [hairer2006, V.3.2]
            assert (gamma**power).sum() == pytest.approx(0, abs=1e-14)
