"""Stiff forces: constraints realised by viscous forces up to 1e8, to 1e-10 and better."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.systems import ball_on_turntable, chaplygin_sleigh, penny, rolling_disc

STRENGTHS = (1e3, 1e5, 1e8)


def geared():
    """Two oscillating masses with a gear between them: linear."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    return da.System(q, (vx**2 + 2 * vy**2) / 2 - (x**2 + 3 * y**2 + x * y) / 2, {"gear": vx - 2 * vy})


def exactly(c, t, start):
    """(x, y, vx, vy) from the matrix exponential, to 40 digits."""
    mpmath = pytest.importorskip("mpmath")
    mpmath.mp.dps = 60
    # x'' = -x - y/2 - c (x' - 2 y'),  2 y'' = -3 y - x/2 + 2 c (x' - 2 y')
    A = mpmath.matrix([[0, 0, 1, 0], [0, 0, 0, 1], [-1, -0.5, -c, 2 * c], [-0.25, -1.5, c, -2 * c]])
    return np.array([float(v) for v in mpmath.expm(A * t) * mpmath.matrix(start)])


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("slip", [0.0, 0.7])
def test_linear(strength, slip):
    equations = da.free(da.penalties.viscous(geared(), strength))
    start = [1.0, -0.4, 0.6 + slip, 0.3]
    path = da.simulate(equations, equations.start(start), until=5.0, method="radau", rtol=1e-10)
    # with slip the run begins in a layer of width 1/c
    np.testing.assert_allclose(path.values[-1, :4], exactly(strength, 5.0, start), rtol=0, atol=1e-10)


def sleigh():
    """Chaplygin's sleigh: the direction that is stiff turns with it."""
    q = da.coordinates("x y theta")
    _x, _y, theta, vx, vy, w = q
    L = ((vx - w * sp.sin(theta) / 3) ** 2 + (vy + w * sp.cos(theta) / 3) ** 2) / 2 + w**2 / 4
    return da.System(q, L, {"blade": -vx * sp.sin(theta) + vy * sp.cos(theta)})


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_nonlinear(strength, slip):
    equations = da.free(da.penalties.viscous(sleigh(), strength))
    start = equations.start(x=0, y=0, theta=0.0, vx=1.0, vy=slip, vtheta=1.5)
    coarse, path = (
        da.simulate(equations, start, until=1.0, method="radau", rtol=rtol).values[-1, :6] for rtol in (1e-10, 1e-11)
    )
    # another route: in body velocities the stiff direction is fixed, and the slip s = v2 - u is small
    np.testing.assert_allclose(path, in_the_body(strength, 1.0, slip), rtol=0, atol=1e-10)
    np.testing.assert_allclose(coarse, path, rtol=0, atol=1e-10)


def in_the_body(c, until, slip):
    """The same motion from Newton's and Euler's laws in the body frame, by Radau collocation of many digits."""
    a, J = 1 / 3, 1 / 2

    # velocity (v1, v2) of the blade, centre of mass at a ahead: v2 + a w sideways; force -c v2 at the blade
    def rate(_t, y):
        _x, _y, theta, v1, v2, w = y
        # v1' - v2 w - a w^2 = 0,  v2' + v1 w + a w' = -c v2,  J w' - ... = a c v2 about the centre of mass
        turn = a * c * v2 / J
        return [
            v1 * np.cos(theta) - v2 * np.sin(theta),
            v1 * np.sin(theta) + v2 * np.cos(theta),
            w,
            v2 * w + a * w**2,
            -c * v2 - v1 * w - a * turn,
            turn,
        ]

    found = solve_ivp(rate, (0, until), [0, 0, 0, 1.0, slip, 1.5], "Radau", rtol=1e-12, atol=1e-15)
    x, y, theta, v1, v2, w = found.y[:, -1]
    return [x, y, theta, v1 * np.cos(theta) - v2 * np.sin(theta), v1 * np.sin(theta) + v2 * np.cos(theta), w]


# --- the stiff direction turns ---------------------------------------------------------------------------------------

MOVING = {
    "sleigh": (chaplygin_sleigh.system(), chaplygin_sleigh.START, ["x", "y", "theta"]),
    "penny": (penny.system(), penny.START, ["x", "y"]),
    "disc": (rolling_disc.system(), rolling_disc.START, ["x", "y"]),
    "ball": (ball_on_turntable.system(), {**ball_on_turntable.START, "w3": 0.0}, ["x", "y"]),
}


def viscous(system, start, strength):
    """The run's equations and a start on the constraints."""
    begun = dict(da.nonholonomic(system).start(**start))
    equations = da.free(da.penalties.viscous(system, strength))
    return equations, equations.start(**{name: begun[name] for name in equations.states})


@pytest.mark.parametrize("name", MOVING)
def test_no_small_steps_because_the_stiff_direction_turns(name):
    # with one Jacobian for all stages steps are of strength^(-1/3) at most, 1/500 at the largest
    spent = []
    for strength in STRENGTHS:
        path = da.simulate(*viscous(*MOVING[name][:2], strength), until=5.0, method="radau", rtol=1e-9)
        assert path.ok
        spent.append((path.audit.steps, path.audit.evaluations))
    steps, evaluations = np.array(spent).T
    assert steps.max() < 250
    assert evaluations.max() < 4 * evaluations.min() + 1000


@pytest.mark.parametrize("name", MOVING)
def test_the_distance_to_the_limit(name):
    # x_c = x + a/c + O(1/c^2): c (x_c - x) is the same for two strengths, to 1/c and to errors of c 1e-11
    system, start, wanted = MOVING[name]
    limit = da.simulate(da.nonholonomic(system), start, until=2.0, rtol=1e-13).at(2.0)
    lead = []
    for strength in (3e4, 3e5):
        path = da.simulate(*viscous(system, start, strength), until=2.0, method="radau", rtol=1e-12).at(2.0)
        lead.append([strength * (path[n] - limit[n]) for n in wanted])
    one, two = np.array(lead)
    assert np.abs(one).max() > 1e-3
    np.testing.assert_allclose(one, two, rtol=0, atol=2e-3 * np.abs(one).max())


# --- events and jumps ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strength", STRENGTHS)
def test_events_and_jumps(strength):
    # marks where x passes 0.8; then kicks there, whose slip begins a new layer
    system = geared()
    equations = da.free(da.penalties.viscous(system, strength))
    start = [1.0, -0.4, 0.6, 0.3]
    x, y, vx, vy = (equations.space[n] for n in ("x", "y", "vx", "vy"))
    marks = [da.Event("through", x - 0.8), da.Event("level", y - 0.1)]
    path = da.simulate(equations, equations.start(start), until=5.0, method="radau", rtol=1e-11, events=marks)
    assert len(path.marks["through"].t) >= 1
    for t in path.marks["through"].t:
        assert abs(exactly(strength, t, start)[0] - 0.8) < 1e-10
    for t in path.marks["level"].t:
        assert abs(exactly(strength, t, start)[1] - 0.1) < 1e-10
    kick = [da.Event("kick", x - 0.8, then={vx: -vx / 2, vy: vy + 0.3})]
    path = da.simulate(equations, equations.start(start), until=5.0, method="radau", rtol=1e-11, events=kick)
    now, state = 0.0, np.array(start)
    for t in path.marks["kick"].t:
        state = exactly(strength, t - now, state)
        assert abs(state[0] - 0.8) < 1e-10
        state, now = state * [1, 1, -0.5, 1] + [0, 0, 0, 0.3], t
    assert now > 0
    assert path.ok
    np.testing.assert_allclose(path.values[-1, :4], exactly(strength, 5.0 - now, state), rtol=0, atol=1e-10)
    times = np.linspace(now + 0.01, 5.0, 23)  # between the steps
    between = np.array([[path.at(t)[n] for n in ("x", "y", "vx", "vy")] for t in times])
    np.testing.assert_allclose(between, [exactly(strength, t - now, state) for t in times], rtol=0, atol=1e-10)


def test_a_bearing_that_is_cubic():
    # w' = a - k w^3 from w = 1: t = int dw/(a - k w^3), a layer of 1/k and then a drift to (a/k)^(1/3)
    mpmath = pytest.importorskip("mpmath")
    a, k = 0.7, 1e8
    q = da.coordinates("phi")
    w = q["vphi"]
    system = da.System(q, w**2 / 2, forces=[da.forces.applied([w], [a - k * w**3], "bearing")])
    path = da.simulate(da.free(system), {"phi": 0, "vphi": 1}, until=1e-2, method="radau", rtol=1e-12)
    with mpmath.workdps(30):
        for t in (1e-8, 1e-6, 1e-4, 1e-2):
            speed = float(path.at(t)["vphi"])
            points = [speed * (1 / mpmath.mpf(speed)) ** (mpmath.mpf(i) / 40) for i in range(41)]
            # a - k w^3 = 0 is not met: dt = dw/(k w^3 - a)
            elapsed = float(mpmath.quad(lambda w: 1 / (k * w**3 - a), points))
            assert elapsed == pytest.approx(t, rel=2e-10)


@pytest.mark.parametrize("strength", STRENGTHS)
def test_the_work_done_in_a_layer(strength):
    # a slip of 0.1 loses 0.6 % of the energy within 1/c; the work accounts for it as well as rtol asks
    equations = da.free(da.penalties.viscous(sleigh(), strength))
    start = equations.start(x=0, y=0, theta=0.0, vx=1.0, vy=0.1, vtheta=1.5)
    audit = da.simulate(equations, start, until=1.0, method="radau", rtol=1e-8).audit
    assert abs(audit.energy_change) > 1e-3 * audit.energy_scale
    assert audit.work_balance < 1e-8 * audit.energy_scale
