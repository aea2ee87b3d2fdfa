"""Steps of systems of many states go through them in loops: the same bits, and code that does not grow."""

from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.machine.compiler import widest
from dalembert.numerics.methods.explicit_runge_kutta import step_ir


def springs(count):
    """Masses on a line, each pulled by its neighbours; the first is driven."""
    names = [f"x{i}" for i in range(count)]
    kinetic = " + ".join(f"v{name}^2/2" for name in names)
    pull = " - ".join(f"(1 - cos({b} - {a}))" for a, b in pairwise(names))
    system = da.System(da.coordinates(" ".join(names)), f"{kinetic} - {pull} + x0*sin(3*t)")
    return system, {name: 0.1 * i for i, name in enumerate(names)} | {f"v{name}": 0.0 for name in names}


def moved(count, **options):
    system, start = springs(count)
    return da.simulate(da.free(system), start, until=2.0, rtol=1e-9, **options)


@pytest.mark.parametrize("count", [widest(), 2 * widest() + 3])
def test_loops_over_states_have_the_bits_of_states_one_by_one(monkeypatch, count):
    found = []
    monkeypatch.setattr(step_ir, "SMALL", 0)  # the right-hand side is called, as it is where there are many states
    for longest in (1, 10**6):
        monkeypatch.setattr(step_ir, "LONG", longest)
        path = moved(count, dense=True)
        between = path.at(np.linspace(0, 2, 50))
        found.append([np.asarray(part[name]) for part in (path, between, moved(count)) for name in part])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_state_that_is_not_finite_is_seen_wherever_it_stands(monkeypatch):
    monkeypatch.setattr(step_ir, "LONG", 1)
    count = 2 * widest() + 3
    for place in (0, count - 1):
        system, start = springs(count)
        wild = system.changed(lagrangian=f"{system.lagrangian} + x{place}^4/4 + x{place}^3")
        path = da.simulate(da.free(wild), start | {f"x{place}": 3.0}, until=20.0, rtol=1e-9)
        assert path.status and path.t[-1] < 20


def test_the_code_of_a_step_does_not_grow_with_states():
    few, many = (step_ir.stepping(n, 10**5, True) for n in (step_ir.LONG, 8 * step_ir.LONG))
    for name, text in few.items():
        assert abs(many[name].count("\n") - text.count("\n")) <= 64, name
