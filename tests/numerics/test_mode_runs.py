"""Modes of contacts one behind the other in compiled code: the same motion as by the usual way, piece by piece."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.contacts import mode_loop
from dalembert.numerics.run import mode_runs
from dalembert.systems import woodpecker_toy

G, T = 9.81, sp.Symbol("t", real=True)


def belt():
    """A mass on a stiffening spring that sticks to a belt and slips: one contact, no impacts."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    contact = da.contact(gap=y, slip=[vx - 0.5], mu=0.3, mu_static=0.4)
    system = da.System(q, (vx**2 + vy**2) / 2 - 5 * x**2 - 3 * x**4 - G * y, contacts={"belt": contact})
    return system, {"x": 0, "y": 0, "vx": 0.5, "vy": 0}, 40.0


def shaken():
    """A block on a table that shakes in both directions: it hops, slides and sticks."""
    q = da.coordinates("x y")
    _, y, vx, vy = q
    table = 0.02 * sp.sin(25 * T)
    contact = da.contact(gap=y - table, slip=[vx - sp.cos(25 * T) / 4], mu=0.3, restitution=0.4)
    return da.System(q, (vx**2 + vy**2) / 2 - G * y, contacts={"table": contact}), {"y": 0.01, "vx": 0.3}, 4.0


def two():
    """Two masses on springs, on belts of different speed and roughness."""
    q = da.coordinates("a b c d")
    a, b, c, d, va, vb, vc, vd = q
    L = (va**2 + vb**2 + vc**2 + vd**2) / 2 - 5 * a**2 - 8 * (b - a) ** 2 - G * (c + d)
    # where a slip ends a spring pulls with up to 2 mu - mu_static: more than mu holds
    one = da.contact(gap=c, slip=[va - 0.5], mu=0.1, mu_static=0.35)
    other = da.contact(gap=d, slip=[vb + 0.2], mu=0.4, mu_static=0.5)
    return da.System(q, L, contacts={"one": one, "other": other}), {"va": 0.5, "vb": -0.2}, 20.0


def toy():
    """The woodpecker: three contacts, impacts with friction."""
    return woodpecker_toy.system(), woodpecker_toy.START, 3.0


def run(made):
    """The motion."""
    system, start, until = made
    equations = da.nonholonomic(system)
    given = {name: start.get(name, 0) for name in equations.states} if isinstance(start, dict) else start
    return da.simulate(equations, given, until=until, rtol=1e-11)


@pytest.fixture
def stretches(monkeypatch):
    """How stretches of compiled code ended, and how many pieces they had."""
    found, original = [], mode_loop.run_modes
    monkeypatch.setattr(mode_loop, "run_modes", lambda *given: found.append(original(*given)) or found[-1])
    return found


@pytest.mark.parametrize("make", [belt, shaken, two, toy])
def test_compiled_modes_are_those_of_the_usual_way(make, monkeypatch, stretches):
    made = make()
    faster = run(made)
    assert sum(count for _, count in stretches) > len(faster.modes) / 4  # by far the most of the pieces
    monkeypatch.setattr(mode_runs, "FIRST", 10**9)
    count = len(stretches)
    usual = run(made)
    assert len(stretches) == count
    assert [(name, word) for _, name, word in faster.modes] == [(name, word) for _, name, word in usual.modes]
    assert len(faster.modes) > 12
    # what linear systems of two ways differ by, rounding, grows by impacts and slips
    assert np.allclose([t for t, *_ in faster.modes], [t for t, *_ in usual.modes], rtol=0, atol=1e-8)
    times = np.linspace(0, made[2], 500)
    assert np.allclose(faster.dense(times), usual.dense(times), rtol=0, atol=1e-5)
    assert faster.audit.verdict == usual.audit.verdict
    assert {n: len(marks) for n, marks in faster.impulses.items()} == {n: len(m) for n, m in usual.impulses.items()}


def test_a_run_has_the_same_bits_whenever_it_is_made():
    made = belt()
    first, second = run(made), run(made)
    assert np.array_equal(first.values, second.values)
    assert first.modes == second.modes


def test_what_is_not_plain_is_left_to_the_usual_way(stretches):
    # the limit of bounces that pile up is taken by the usual way
    q = da.coordinates("y")
    y, vy = q
    floor = da.contact(gap=y, restitution=0.5)
    ball = da.nonholonomic(da.System(q, vy**2 / 2 - G * y, contacts={"floor": floor}))
    path = da.simulate(ball, {"y": 1, "vy": 0}, until=3.0)
    # sqrt(2 h/g) (1 + e)/(1 - e)
    assert path.modes[-1] == (pytest.approx(3 * np.sqrt(2 / G), rel=1e-10), "floor", "slides")
    assert path.ok
    assert {how for how, _ in stretches} <= {mode_loop.LEFT, mode_loop.UNDECIDED, mode_loop.DONE}
    assert mode_loop.UNDECIDED in {how for how, _ in stretches}
    assert sum(count for _, count in stretches) >= 5


def test_an_event_of_the_caller_is_met_on_the_way(stretches):
    system, start, until = belt()
    equations = da.nonholonomic(system)
    x = equations.space.coordinates[0]
    whole = da.simulate(equations, start, until=until)
    marked = da.simulate(equations, start, until=until, events=[da.Event("middle", x - 0.2)]).marks["middle"]
    times = np.linspace(0, until, 20_001)
    crossed = np.count_nonzero(np.diff(np.sign(whole.dense(times)[:, 0] - 0.2)))
    assert len(marked) == crossed > 20
    assert np.abs(whole.dense(marked.t)[:, 0] - 0.2).max() < 1e-9
    path = da.simulate(equations, start, until=until, events=[da.Event("far", x - 0.4, then="stop")])
    assert path.ending.event == "far"
    assert path["x"][-1] == pytest.approx(0.4, abs=1e-13)
    assert any(count for _, count in stretches)
