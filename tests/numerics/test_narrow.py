"""What is narrower than a step is not stepped over: the momentum that a kick gives is its integral."""

import math

import pytest
import sympy as sp

import dalembert as da

Q = da.coordinates("x")
X, V = Q
T = sp.Symbol("t", real=True)
W, AT = 1e-4, 5.0371
S = (T - AT) / W

# forces on a particle of mass 1, and the momentum that they give it
KICKS = {
    "bump": (100 * sp.exp(-(S**2)), 100 * W * math.sqrt(math.pi)),
    "pair": (50 * (sp.tanh(S) - sp.tanh(S - 10)), 100 * 10 * W),
    "tent": (100 * sp.Max(0, 1 - sp.Abs(S)), 100 * W),
    "window": (sp.Piecewise((100, sp.Abs(S) < 1), (0, True)), 200 * W),
    "two": (100 * (sp.exp(-(S**2)) + sp.exp(-((S - 20) ** 2))), 200 * W * math.sqrt(math.pi)),
    "flat": (100 / (1 + S**40), 200 * W * (math.pi / 40) / math.sin(math.pi / 40)),
}


def moved(force, method, **options):
    equations = da.free(da.System(Q, V**2 / 2, forces={V: force}))
    return da.simulate(equations, {"x": 0, "vx": 1}, until=10, method=method, **options)


@pytest.mark.parametrize(
    ("kick", "method"),
    [*((kick, "dop853") for kick in KICKS), ("bump", "radau"), ("tent", "taylor"), ("bump", "taylor")],
)
def test_a_kick_gives_its_momentum(kick, method):
    force, momentum = KICKS[kick]
    assert moved(force, method)["vx"][-1] == pytest.approx(1 + momentum, rel=1e-9)


@pytest.mark.parametrize("method", ["dop853", "taylor"])
@pytest.mark.parametrize("options", [{}, {"dense": False, "samples": [0, 10]}])
def test_a_bump_in_space_gives_its_work(method, options):
    force = 100 * sp.exp(-(((X - AT) / W) ** 2))
    v = moved(force, method, **options)["vx"][-1]
    assert v**2 / 2 == pytest.approx(0.5 + 100 * W * math.sqrt(math.pi), rel=1e-9)
