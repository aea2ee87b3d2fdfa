"""What is narrower than a step is not stepped over: the momentum that a kick gives is its integral."""

import math

import numpy as np
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


POTENTIALS = {
    "gaussian": sp.exp(-(((X - AT) * 1e3) ** 2)),
    "flat": 1 / (1 + ((X - AT) * 1e3) ** 20),
    "steep": 1 / (1 + ((X - AT) * 1e3) ** 8),
}


@pytest.mark.parametrize("at", [0, 0.117, 0.513])
@pytest.mark.parametrize("name", POTENTIALS)
def test_a_narrow_potential_that_is_too_high_throws_back(name, at):
    """At the top itself there is no force: it is beside it. A mass of energy 1/2 does not pass a height of 20."""
    equations = da.free(da.System(Q, V**2 / 2 - 20 * POTENTIALS[name]))
    path = da.simulate(equations, {"x": at, "vx": 1}, until=10)
    assert path["vx"][-1] == pytest.approx(-1, rel=1e-9)
    assert path["x"].max() < AT
    swept = da.sweep(equations, starts={"x": [at, at - 1], "vx": 1}, until=10)
    assert swept["x"].values[0] == pytest.approx(path["x"][-1], abs=1e-9)
    np.testing.assert_allclose(swept["vx"], -1, rtol=1e-9)


@pytest.mark.parametrize("kick", KICKS)
def test_members_of_a_sweep_feel_a_kick(kick):
    force, momentum = KICKS[kick]
    equations = da.free(da.System(Q, V**2 / 2, forces={V: force}))
    found = da.sweep(equations, starts={"x": [0, 1, 2], "vx": 1}, until=10)
    np.testing.assert_allclose(found["vx"], 1 + momentum, rtol=1e-9)


def test_derivatives_feel_a_kick():
    k = sp.Symbol("k", real=True)
    equations = da.free(da.System(Q, V**2 / 2, forces={V: k * KICKS["bump"][0]}, parameters={"k": 1}))
    for samples in (None, [0, 4, 6, 10]):
        found = da.sensitivities(equations, {"x": 0, "vx": 1}, until=10, by=["k"], samples=samples)
        assert found["vx", "k"][-1] == pytest.approx(KICKS["bump"][1], rel=1e-9)
        assert np.all(np.diff(found.t) > 0)


@pytest.mark.parametrize(("at", "missed"), [(5.0, True), (5.0371, True), (11.0, False)])
@pytest.mark.filterwarnings("ignore:W308")
def test_fixed_steps_say_what_they_do_not_feel(at, missed):
    kick = 1000 * sp.exp(-(((T - at) * 1e5) ** 2))
    equations = da.free(da.System(Q, V**2 / 2, forces={V: kick}))
    path = da.simulate(equations, {"x": 0, "vx": 1}, until=10, method="dla", step=0.01)
    assert any("narrower" in note for note in path.audit.notes) == missed


@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("dip", [lambda s: 1 / sp.cosh(s), lambda s: 1 / (1 + s**2), lambda s: 1 / (1 + s**8)])
def test_a_wall_narrower_than_a_step_throws_back(dip, width):
    guard = 1 - 2 * dip((X - AT) / width)
    equations = da.free(da.System(Q, V**2 / 2, walls={"post": {"guard": guard, "restitution": 1}}))
    path = da.simulate(equations, {"x": 0, "vx": 1}, until=10)
    assert path["vx"][-1] == pytest.approx(-1, rel=1e-9) and path["x"].max() < AT


@pytest.mark.parametrize("then", ["stop", "mark"])
def test_events_before_a_step_that_missed_something_are_met(then):
    """v' = -2 (v^2 + 10) tanh(v/1e-3)/(1 + 2 x): what brakes ends in a layer that is narrower than its steps."""
    force = "-2*(vx^2 + 10)*tanh(vx/1e-3)/(1 + 2*x)"
    equations, start = da.free(da.System(Q, V**2 / 2, forces={V: force})), {"x": 0.1, "vx": 5}
    there = [da.Event("half", "0.5 - x", then), da.Event("near", "0.4 - x", "mark")]
    # v dv/dx = -2 (v^2 + 10)/(1 + 2 x):  v^2 + 10 = 35 (1.2/(1 + 2 x))^2
    whole = da.simulate(equations, start, until=0.4, events=there)
    for name, x in (("half", 0.5), ("near", 0.4)):
        (row,) = whole.marks[name].values
        assert row[0] == pytest.approx(x, rel=1e-9)
        assert row[1] ** 2 + 10 == pytest.approx(35 * (1.2 / (1 + 2 * x)) ** 2, rel=1e-8)


@pytest.mark.parametrize("drop", [0.0, 0.5])  # begun on the ice, or behind a fall, from which on modes are compiled
@pytest.mark.parametrize("bumps", [(5.0123,), (5.0123, 8.4567)])
@pytest.mark.parametrize("w", [1e-2, 1e-5])
def test_a_block_on_ice_is_lifted_by_each_narrow_load_that_no_acceleration_along_it_feels(w, bumps, drop):
    load = " + ".join(f"30/(1 + ((x - {c})/{w})^2)" for c in bumps)
    floor = da.contact(gap="y", slip=["dot(x)"], mu=0, restitution=0)
    q, L = da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2 - 9.81*y"
    equations = da.nonholonomic(da.System(q, L, forces={"vy": load}, contacts={"floor": floor}))
    path = da.simulate(equations, equations.start(x=0, y=drop, vx=1.7, vy=0), until=6.0)
    assert path.ok
    modes = path.modes[drop > 0 :]
    assert [word for _, _, word in modes] == ["slides", *["apart", "slides"] * len(bumps)]
    for k, c in enumerate(bumps):
        lifts, lands = modes[2 * k + 1][0], modes[2 * k + 2][0]
        # N = 9.81 - 30/(1 + s^2) = 0 ,  and  vy = w/1.7 30 (atan s - atan s0) - 9.81 t  from there on
        root = math.sqrt(30 / 9.81 - 1)
        assert lifts == pytest.approx((c - w * root) / 1.7, abs=1e-4 * w)  # the other bump is felt, too
        s = np.linspace(-root, 1.7 * (lands - lifts) / w - root, 400_001)
        speed = w / 1.7 * (30 * (np.arctan(s) + math.atan(root)) - 9.81 * (s + root))
        fallen = np.trapezoid(speed, s) * w / 1.7
        assert fallen == pytest.approx(0, abs=1e-3 * w * speed.max())
