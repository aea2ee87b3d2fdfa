"""Orders of the stiff method with equal steps: 2 s - 1 at their ends, s + 1 between."""

import numpy as np
import pytest
from scipy.special import ellipj

from dalembert.calculus.graph import Graph, tangent
from dalembert.numerics.machine import llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.methods.radau.stepper import RadauStepper
from dalembert.numerics.methods.radau.tableau import STAGES
from dalembert.trajectory.interpolant import Interpolant


def compiled(f, n):
    graph = Graph()
    t, y = graph.symbol("t"), [graph.symbol(f"y{i}") for i in range(n)]
    inputs = {"t": ("t", 0)} | {f"y{i}": ("y", i) for i in range(n)}
    outputs = [graph.constant(0) + node for node in f(t, y)]
    columns = [tangent(outputs, [v], [1]) for v in y]
    return Library.compile(
        {
            "rhs": llvm_ir.emit("rhs", [*outputs, graph.constant(1)], inputs),
            "jacobian": llvm_ir.emit("jacobian", [column[i] for i in range(n) for column in columns], inputs),
        }
    )


def free_top(t, y, m=0.7):
    """A free rigid body: its angular velocity is (sn, cn, dn)(t | m)."""
    return [y[1] * y[2], -y[0] * y[2], -m * y[0] * y[1]]


def logistic(t, y):
    return [3 * y[0] * (1 - y[0])]


EXACT = {
    free_top: lambda t: np.stack(ellipj(t, 0.7)[:3], axis=-1),
    logistic: lambda t: 1 / (1 + 9 * np.exp(-3 * np.atleast_1d(t)[:, None])),
}
START = {free_top: [0.0, 1.0, 1.0], logistic: [0.1]}
UNTIL = {free_top: 12.0, logistic: 4.0}
LADDER = {
    free_top: {3: [72, 96, 144, 192, 288], 5: [24, 30, 36, 48, 60], 7: [11, 12, 13, 14, 15, 16, 18, 20]},
    logistic: {3: [48, 64, 96, 128, 192], 5: [8, 9, 10, 12, 14, 16], 7: [4, 5, 6, 7]},
}
BETWEEN = {3: [64, 96, 128, 192], 5: [32, 48, 64, 96], 7: [24, 32, 40, 48]}


def fixed(f, s, steps):
    """The path with equal steps, the stages solved to rounding."""
    h, library = UNTIL[f] / steps, compiled(f, len(START[f]))
    addresses = library.address("rhs"), library.address("jacobian")
    options = {"rtol": 1e9, "atol": 1e9, "accurate": 0.0, "stages": s, "first_step": h, "max_step": h, "chunk": 512}
    chunk = RadauStepper(*addresses, 0.0, START[f], [], **options).advance(UNTIL[f])
    assert len(chunk.t) == steps
    t = np.r_[0, chunk.t]
    return Interpolant(t, np.vstack([START[f], chunk.y]), np.diff(t), chunk.F)


@pytest.mark.parametrize("f", EXACT)
@pytest.mark.parametrize("s", STAGES)
def test_order_at_the_ends_of_steps(order, f, s):
    ladder = LADDER[f][s]
    paths = [fixed(f, s, n) for n in ladder]
    errors = [np.abs(path.y - EXACT[f](path.t)).max() for path in paths]
    # order 13 is seen over a factor of two in h, between rounding and terms of order 14
    assert order(ladder, errors) == pytest.approx(2 * s - 1, abs=0.3 if s < 7 else 0.8)


@pytest.mark.parametrize("f", EXACT)
@pytest.mark.parametrize("s", STAGES)
def test_order_between_the_ends(order, f, s):
    t = np.linspace(0, UNTIL[f], 731)
    ladder = BETWEEN[s]
    errors = [np.abs(fixed(f, s, n)(t) - EXACT[f](t)).max() for n in ladder]
    assert order(ladder, errors) == pytest.approx(s + 1, abs=0.4)
