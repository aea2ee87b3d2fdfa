"""Equations as they are written, tidied before they are compiled: the same rates from fewer operations."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.numerics.run.simulate import prepare
from dalembert.numerics.vector_field.compiled_kernel import tidied
from dalembert.numerics.vector_field.constraint_projection import Baumgarte, Drift, Projection
from dalembert.numerics.vector_field.kernel_plan import PREAMBLE, KernelPlan
from dalembert.systems import (
    appell_hamel,
    ball_on_turntable,
    chaplygin_ball,
    rolling_disc,
    suslov,
    two_wheeled_robot,
    veselova,
    wheeled_snake,
)

SYSTEMS = [ball_on_turntable, chaplygin_ball, rolling_disc, two_wheeled_robot, suslov, veselova, wheeled_snake]


def rates(plan, values, p):
    """What ``rhs`` writes, as compiled code would: the preamble first."""
    known = {**values, **{name: 1.0 for name, (place, i) in plan.inputs.items() if place == "p" and i >= p}}
    if plan.preamble:
        found = evaluate(list(plan.functions[PREAMBLE].outputs), values)
        known |= {f"{PREAMBLE}:{k}": value for k, value in enumerate(found)}
    return np.array(evaluate(list(plan.functions["rhs"].outputs), known), float)


@pytest.mark.parametrize("stabilisation", [Projection(), Baumgarte(1.5), Drift()], ids=["projected", "damped", "drift"])
@pytest.mark.parametrize("module", SYSTEMS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_rates_are_the_same_and_shorter(module, stabilisation):
    system = module.system()
    equations = da.vakonomic(system)
    plain, short = KernelPlan.of(equations.apart(), stabilisation), tidied(equations, stabilisation)
    rng = np.random.default_rng(5)
    values = system.space.sample(rng, [*system.symbols, *equations.states, "t"])
    values |= {name: value for name, value in system.parameters.items() if value is not None}
    count = len(plain.parameters)
    assert rates(short, values, count) == pytest.approx(rates(plain, values, count), rel=1e-11, abs=1e-11)
    assert short.functions["rhs"].cost < plain.functions["rhs"].cost


def test_what_depends_on_parameters_alone_is_computed_before():
    for equations in (da.vakonomic(rolling_disc.system()), da.nonholonomic(appell_hamel.system())):
        plan = tidied(equations, Projection())
        graph = plan.functions["rhs"].graph
        moving = 0
        for name, (place, i) in plan.inputs.items():
            if place != "p" or i >= len(plan.parameters):
                moving |= graph.reach[graph.symbol(name).index]
        preamble = [f"{PREAMBLE}:{k}" for k in range(plan.preamble)]
        assert preamble and all(plan.inputs[name][0] == "p" for name in preamble)
        assert not any(graph.reach[node.index] & moving for node in plan.functions[PREAMBLE].outputs)


@pytest.mark.parametrize("module", SYSTEMS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_what_is_compiled_gives_what_the_matrices_give(module):
    equations = da.vakonomic(module.system())
    names = [str(s) for s in equations.states_of_multipliers]
    start = {**next(iter(module.STARTS.values())), **dict.fromkeys(names, 0.1)}
    field = prepare(equations, start, until=1.0).field
    n, k = len(equations.space.coordinates), len(equations.space.velocities)
    expected = list(equations.evaluate(field.start)["accelerations"].values())
    assert field.kernel.preamble and field.rate(0.0, field.first)[n : n + k] == pytest.approx(expected, rel=1e-11)
