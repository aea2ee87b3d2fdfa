"""The lean form gives the nonholonomic motion: same accelerations, constraints that hold whatever the speeds are."""

from importlib import import_module

import numpy as np
import pytest

import dalembert as da
from dalembert.calculus.graph import evaluate, tangent
from dalembert.systems import (
    car_with_trailers,
    chaplygin_ball,
    chaplygin_sleigh,
    chaplygin_top,
    penny,
    robot_with_pole,
    rolling_disc,
    skateboard,
    snakeboard,
    unicycle,
    wheeled_snake,
)  # fmt: skip

from .conftest import BUILDERS
from .test_gallery import CASES

NEAR = 0.05  # of the median of a chart: nearer to its zero digits are lost


def away(lean, values):
    """States that are not near to a singularity of the chart."""
    ok = np.ones(len(values["t"]), bool)
    for chart in evaluate([first for first, _ in (*lean.charts, *lean.pivots)], values):
        size = np.abs(np.broadcast_to(chart, ok.shape))
        ok &= size > NEAR * np.median(size)
    return ok


def check(reference, values):
    lean = reference.lean
    states = lean.start(values)
    values = {**values, **dict(zip(lean.states, np.moveaxis(states, -1, 0), strict=True))}
    ok = away(lean, values)
    assert ok.sum() >= 0.5 * len(ok)
    values = {name: np.broadcast_to(v, ok.shape)[ok] for name, v in values.items()}
    # u(q, s(q, u)) = u
    u = np.stack([values[a.name] for a in reference.space.velocities], axis=-1)
    size = 1 + np.abs(u).max(axis=1, keepdims=True)
    assert (np.abs(lean.motion(values) - u) / size).max() < 1e-9
    # du/dt along the rates
    graph = lean.graph
    along = [*map(graph.symbol, lean.states), graph.symbol("t")]
    udot = evaluate(tangent(list(lean.velocities), along, [*lean.rates, 1.0]), values)
    found = np.stack([np.broadcast_to(e, ok.sum()) for e in udot], axis=-1)
    expected, mu = reference.accelerations(values)
    assert (np.abs(found - expected) / (size + np.abs(expected).max(axis=1, keepdims=True))).max() < 1e-9
    reactions = {f"mu:{c.name}": mu[:, i] for i, c in enumerate(reference.constraints)}
    power = np.broadcast_to(evaluate([reference.machine.power], {**values, **reactions})[0], ok.sum())
    bound = 1e-9 * (size[:, 0] + np.abs(mu).max(axis=1, initial=0.0)) ** 2
    assert (np.abs(evaluate([lean.power], values)[0] - power) < bound).all()
    rates = evaluate(list(lean.rates[: len(lean.coordinates)]), values)
    for rate, qdot in zip(rates, evaluate(reference.machine.qdot, values), strict=True):
        np.testing.assert_allclose(*np.broadcast_arrays(rate, qdot), atol=1e-10 * size.max())


@pytest.mark.parametrize("name", BUILDERS)
def test_the_accelerations_are_the_nonholonomic_ones(shelf, states, name):
    reference = shelf.equations("nonholonomic", name)
    if any(c.kind == "nonlinear" for c in reference.constraints):
        assert reference.lean_if_any is None
        return
    check(reference, states(reference, 300, seed=1))


@pytest.mark.parametrize("case", CASES)
def test_and_on_the_gallery(states, case):
    module, options = CASES[case]
    reference = da.nonholonomic(module.system(**options))
    if any(c.kind == "nonlinear" for c in reference.constraints):
        assert reference.lean_if_any is None
        return
    check(reference, states(reference, 300, seed=1))


SQUARES = {
    "rates of places": "vx + z*vy + y*vz",
    "not of a place": "vx - y*vz",
    "with a drift": "vx + y",
    "of the time": "vx + t*vy",
    "of products": "vx + y*vy*vz",
}


@pytest.mark.parametrize("e", SQUARES.values(), ids=SQUARES)
def test_squares_are_taken_for_it_where_they_are_those_of_rates(monkeypatch, states, e):
    monkeypatch.setattr(import_module("dalembert.principles.lean.maggi_projection"), "_MANY", 0)  # as of long chains
    L = f"(vx^2 + vy^2 + vz^2 + ({e})^2)/2 - x"
    reference = da.nonholonomic(da.System(da.coordinates("x y z"), L, {"slope": "vx - cos(y)*vz"}))
    check(reference, states(reference, 30, seed=1))


def test_constraints_hold_whatever_the_speeds_are(shelf):
    for name in ("disc", "ball", "conveyor", "snakeboard", "redundant_penny"):
        equations = shelf.equations("nonholonomic", name)
        lean, rng = equations.lean, np.random.default_rng(3)
        values = {**equations.space.sample(rng), **equations.system.values(), "t": 0.3}
        values |= dict(zip(lean.speeds, rng.normal(size=len(lean.speeds)), strict=True))
        u = dict(zip((a.name for a in equations.space.velocities), lean.motion(values), strict=True))
        assert np.abs(evaluate(equations.machine.phi, {**values, **u})).max() < 1e-13


# counted for careful hands too: the disc reduced by hand takes 45
@pytest.mark.parametrize(
    ("system", "most", "states"),
    [
        (penny.system, 5, 6),
        (chaplygin_sleigh.system, 9, 5),
        (rolling_disc.system, 33, 8),
        (snakeboard.system, 66, 10),
        (lambda: car_with_trailers.system(2), 125, 7),
        (lambda: car_with_trailers.system(3), 187, 8),
        (lambda: wheeled_snake.system(20), 3117, 24),
        (unicycle.system, 47, 10),
        (robot_with_pole.system, 46, 9),
        (skateboard.system, 90, 6),
        (lambda: da.reduce(chaplygin_ball.system()).system, 58, 6),
        (lambda: da.reduce(chaplygin_top.system()).system, 142, 6),
    ],
)
def test_operations_do_not_grow_again(system, most, states):
    lean = da.nonholonomic(system()).lean
    assert lean.operations()["total"] <= most
    assert len(lean.states) == states


def test_a_chain_costs_in_proportion_to_its_links():
    counts = [da.nonholonomic(wheeled_snake.system(n)).lean.operations()["total"] for n in (12, 16, 20)]
    assert counts[2] - counts[1] == counts[1] - counts[0]


def test_the_sleigh_in_print_is_the_textbooks():
    lean = da.nonholonomic(chaplygin_sleigh.system()).lean
    assert "s1' = a*omega**2" in lean.text()  # [bloch2003 1.7]: vdot = a omega^2
    assert "s1 = vx*cos(theta) + vy*sin(theta)" in lean.text()
    assert r"\ddot{\theta}" in lean.latex()


@pytest.mark.parametrize("principle", [da.vakonomic, da.forms.hamel, da.forms.gauss])
def test_what_has_no_lean_form_says_so(principle):
    with pytest.raises(
        da.DalembertError, match=rf"E160 {principle.__name__} equations of this system have no lean form"
    ):
        principle(chaplygin_sleigh.system()).lean.text()
    bent = da.System(da.coordinates("x y"), "vx^2 + vy^2", {"speed": "vx^2 + vy^2 - 1"})
    with pytest.raises(da.DalembertError, match=r"E160 .*: a constraint is nonlinear in the velocities"):
        da.nonholonomic(bent).lean.text()
