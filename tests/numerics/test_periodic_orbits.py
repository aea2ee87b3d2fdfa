"""Motions that come back: periods in closed form, multipliers that theory gives, and the families they belong to."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk, mathieu_a

import dalembert as da
from dalembert.systems import pendulum_cartesian, woodpecker_toy
from zoo import GALLERY

q = da.coordinates("x y")
x, y = q.coordinates
vx, vy = q.velocities
T = (vx**2 + vy**2) / 2
p = da.coordinates("theta")
theta, vtheta = p["theta"], p["vtheta"]


@pytest.fixture(scope="module")
def pendulum():
    return da.free(da.System(p, vtheta**2 / 2 + sp.cos(theta)))


@pytest.mark.parametrize("amplitude", [0.5, 1.5, 3.0])
def test_the_pendulums_period_is_elliptic(pendulum, amplitude):
    exact = 4 * ellipk(math.sin(amplitude / 2) ** 2)
    orbit = da.periodic(pendulum, {"theta": amplitude, "vtheta": 0}, period=1.05 * exact)
    assert orbit.period == pytest.approx(exact, rel=1e-9)
    assert orbit.start["theta"] == amplitude  # of the family that of the start is taken
    assert orbit.trivial.all()
    end = orbit.path.at(orbit.period)
    assert [end[n] for n in ("theta", "vtheta")] == pytest.approx([amplitude, 0], abs=1e-8)


def test_a_pendulum_that_turns_over_comes_back_after_a_turn(pendulum):
    orbit = da.periodic(pendulum, {"theta": 0, "vtheta": 2.5}, period=3.0)
    # T = 2 k K(k)/w, k = 2 w/v, w = 1
    assert orbit.period == pytest.approx(2 * (2 / 2.5) * ellipk((2 / 2.5) ** 2), rel=1e-9)
    assert orbit.turns == {"theta": 1}


def test_a_constrained_pendulum_is_the_same():
    system = pendulum_cartesian.system()
    equations = da.nonholonomic(system)
    exact = pendulum_cartesian.period(1.0, system.values())
    length = system.values()["l"]
    start = equations.start(x=length * math.sin(1.0), y=-length * math.cos(1.0), vx=0)
    orbit = da.periodic(equations, start, period=1.1 * exact)
    assert orbit.period == pytest.approx(exact, rel=1e-9)
    assert len(orbit.multipliers) == 2  # four states, two conditions
    assert orbit.trivial.all()
    assert orbit.path.ok


def test_arenstorfs_orbit_is_found_from_about_its_period():
    # [hairer1993 (II.0.2)], published to 16 digits; it passes the moon in a hundredth of its period
    q, mu = da.coordinates("x y"), 0.012277471
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    near, far = sp.sqrt((x + mu) ** 2 + y**2), sp.sqrt((x - 1 + mu) ** 2 + y**2)
    moon = da.free(da.System(q, ((vx - y) ** 2 + (vy + x) ** 2) / 2 + (1 - mu) / near + mu / far))
    start = {"x": 0.994, "y": 0.0, "vx": 0.0, "vy": -2.00158510637908252240537862224}
    for about in (16.5, 17.0, 18.0):
        orbit = da.periodic(moon, start, period=about)
        assert orbit.period == pytest.approx(17.0652165601579625588917206249, abs=1e-8)
        assert orbit.start["vy"] == pytest.approx(start["vy"], abs=1e-8)


def turns_beside_three(y):
    """Turns a period of the pairs beside a motion of three bodies, from Newton's equations and their variation."""

    def rates(_, state):
        r, v, S = state[:6].reshape(3, 2), state[6:12], state[12:].reshape(12, 12)
        a, G = np.zeros((3, 2)), np.zeros((3, 2, 3, 2))
        for i, j in ((0, 1), (0, 2), (1, 2)):
            d = r[j] - r[i]
            size = math.sqrt(d @ d)
            # a_i = d/|d|^3 ,  da_i/dr_j = 1/|d|^3 - 3 d d^T/|d|^5
            pull, slope = d / size**3, np.eye(2) / size**3 - 3 * np.outer(d, d) / size**5
            a[i], a[j] = a[i] + pull, a[j] - pull
            for k, m in ((i, j), (j, i)):
                G[k, :, m] += slope
                G[k, :, k] -= slope
        return np.r_[v, a.ravel(), np.vstack([S[6:], G.reshape(6, 6) @ S[:6]]).ravel()]

    both = np.array(y).reshape(2, 2, 2)
    whole = np.concatenate([both, -both.sum(axis=1, keepdims=True)], axis=1).ravel()
    first = np.r_[whole, np.eye(12).ravel()]
    end = solve_ivp(rates, (0, 6.32591398), first, method="DOP853", rtol=1e-11, atol=1e-12).y[12:, -1]
    multipliers = np.linalg.eigvals(end.reshape(12, 12))
    return np.sort(np.angle(multipliers[multipliers.imag > 1e-2])) / math.tau


def test_three_equal_bodies_chase_each_other_on_an_eight():
    # [chenciner2000]: the start and the period, found by C. Simo; the third body follows from the common centre at rest
    q = da.coordinates("x1 y1 x2 y2")
    x1, y1, x2, y2, vx1, vy1, vx2, vy2 = q
    T = (vx1**2 + vy1**2 + vx2**2 + vy2**2 + (vx1 + vx2) ** 2 + (vy1 + vy2) ** 2) / 2
    apart = [(x1 - x2, y1 - y2), (2 * x1 + x2, 2 * y1 + y2), (x1 + 2 * x2, y1 + 2 * y2)]
    eight = da.free(da.System(q, T + sum(1 / sp.sqrt(a**2 + b**2) for a, b in apart)))
    place, speed = (0.97000436, -0.24308753), (0.93240737 / 2, 0.86473146 / 2)
    start = dict(zip(eight.states, [*place, -place[0], -place[1], *speed, *speed], strict=True))
    orbit = da.periodic(eight, start, period=6.3)
    assert orbit.period == pytest.approx(6.32591398, abs=5e-8)
    assert [orbit.start[name] for name in eight.states] == pytest.approx(list(start.values()), abs=1e-7)
    # linearly stable: beside the motion, the energy and the turns two pairs on the unit circle
    assert np.abs(orbit.multipliers) == pytest.approx(np.ones(8), abs=2e-4)
    pairs = orbit.multipliers[orbit.multipliers.imag > 1e-2]
    assert np.sort(np.angle(pairs)) / math.tau == pytest.approx(turns_beside_three([*orbit.start.values()]), abs=1e-6)


def hill(t, z):
    """The motion of Henon and Heiles and its variations, a row of the matrix after the other."""
    (x, y, *v), M = z[:4], z[4:].reshape(-1, 4)
    slopes = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-1 - 2 * y, -2 * x, 0, 0], [-2 * x, 2 * y - 1, 0, 0]])
    return np.r_[v, -x - 2 * x * y, -y - x**2 + y**2, (M @ slopes.T).ravel()]


def by_newton(start, period):
    """The trace of the return map."""
    end = solve_ivp(hill, (0, period), np.r_[start, np.eye(4).ravel()], method="DOP853", rtol=1e-12, atol=1e-13).y
    return np.trace(end[4:, -1].reshape(4, 4))


def test_the_eight_symmetric_orbits_of_henon_and_heiles():
    """At E = 1/8: three along straight lines, three to and fro, two around, of images by the group of a triangle.

    Along x = 0  y'^2 = 2/3 (y - e1)(y - e2)(y - e3): the period is elliptic. Those around and to and fro meet x = 0 at
    right angles; where, SciPy finds by Newton's equations.
    """
    energy, third = 1 / 8, math.tau / 3
    equations = da.free(da.System(q, T - (x**2 + y**2) / 2 - x**2 * y + y**3 / 3))
    e1, e2, e3 = np.sort(np.roots([1 / 3, -1 / 2, 0, energy]).real)
    period, fast = 4 * math.sqrt(1.5 / (e3 - e1)) * ellipk((e2 - e1) / (e3 - e1)), math.sqrt(2 * energy)
    for turn in (0, third):
        at = [0.0, 0.0, -fast * math.sin(turn), fast * math.cos(turn)]
        line = da.periodic(equations, dict(zip(equations.states, at, strict=True)), period=period + 0.1 * (turn == 0))
        assert line.period == pytest.approx(period, abs=1e-10) and line.verdict == "stable to first order"
        assert line.multipliers.sum() == pytest.approx(by_newton(at, period), abs=1e-8)

    def crossing(height):
        leaves = lambda t, z: z[0]  # noqa: E731
        leaves.terminal, leaves.direction = True, -1
        start = [0, height, math.sqrt(2 * energy - height**2 + 2 * height**3 / 3), 0]
        found = solve_ivp(hill, (1e-9, 30), start, events=leaves, method="DOP853", rtol=1e-12, atol=1e-13)
        return start, found.y_events[0][0], found.t_events[0][0]

    for about, verdict in ((0.3027, "stable to first order"), (-0.1854, "unstable")):
        height = brentq(lambda y: crossing(y)[1][3], about - 1e-3, about + 1e-3, xtol=1e-14)
        start, half, later = crossing(height)
        orbit = da.periodic(equations, dict(zip(equations.states, start, strict=True)), period=2 * later + 0.05)
        assert orbit.period == pytest.approx(2 * later, abs=1e-8) and orbit.verdict == verdict
        assert orbit.multipliers.sum() == pytest.approx(by_newton(start, 2 * later), abs=1e-6)
        # to and fro along one path, or around and at its start again from the other side
        assert (abs(half[1] - height) < 1e-8) == (verdict == "unstable")


def test_keplers_third_law():
    kepler = da.free(da.System(q, T + 1 / sp.sqrt(x**2 + y**2)))
    for v in (0.9, 1.2):
        a = 1 / (2 - v**2)
        orbit = da.periodic(kepler, {"x": 1, "y": 0, "vx": 0, "vy": v}, period=0.8 * math.tau * a**1.5)
        assert orbit.period == pytest.approx(math.tau * a**1.5, rel=1e-9)
        assert orbit.trivial.tolist() == [True] * 4  # energy, angular momentum, turns, the motion


@pytest.mark.parametrize("frequency", [math.sqrt(2), math.sqrt(5) / 2])
def test_multipliers_are_exponentials_of_the_steady_eigenvalues(frequency):
    equations = da.free(da.System(q, T - x**2 / 2 - frequency**2 * y**2 / 2 - x * y**2 / 3))
    rest = da.steady(equations, {})
    orbit = da.periodic(equations, {"x": 1e-4, "y": 0, "vx": 0, "vy": 0}, period=6.0)
    assert orbit.period == pytest.approx(math.tau, rel=1e-6)
    expected = np.exp(rest.eigenvalues * orbit.period)
    for multiplier in orbit.multipliers[~orbit.trivial]:
        assert np.abs(expected - multiplier).min() < 1e-3
    assert orbit.trivial.sum() == 2


def test_multipliers_of_a_conservative_motion_are_reciprocal():
    equations = da.free(da.System(q, T - (x**2 + y**2) / 2 - (x**2 * y - y**3 / 3)))
    orbit = da.periodic(equations, {"x": 0, "y": 0.1, "vx": 0.3, "vy": 0}, period=6.3)
    assert np.prod(orbit.multipliers) == pytest.approx(1, abs=1e-8)
    assert np.sort(np.abs(orbit.multipliers)) == pytest.approx(np.sort(1 / np.abs(orbit.multipliers)), abs=1e-5)
    assert orbit.trivial.sum() == 2
    assert orbit.missed < 1e-10


def test_the_nutation_of_a_rolling_disc():
    small = da.free(GALLERY.reduction("rolling_disc").system)
    steady = da.steady(small, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    frequency = np.abs(steady.eigenvalues.imag).max()
    orbit = da.periodic(small, {**steady.state, "vtheta": 1e-5}, period=6.0 / frequency)
    assert orbit.period == pytest.approx(math.tau / frequency, rel=1e-6)
    assert orbit.trivial.all()  # two spins, the energy, the motion


def test_a_driven_oscillator_contracts_as_its_friction_says():
    time = sp.Symbol("t")
    L = vtheta**2 / 2 - theta**2 - theta**4 / 4 + 0.3 * theta * sp.cos(time)
    equations = da.free(da.System(p, L, forces={"vtheta": -0.2 * vtheta}))
    orbit = da.periodic(equations, {"theta": 0.2, "vtheta": 0}, period=math.tau)
    assert orbit.verdict == "attracting"
    assert orbit.period == math.tau
    # Liouville: the product is exp of the divergence
    assert np.prod(orbit.multipliers) == pytest.approx(math.exp(-0.2 * math.tau), rel=1e-8)
    assert not orbit.trivial.any()
    with pytest.raises(da.DalembertError, match=r"E335.* 2 is no period"):
        da.periodic(equations, {"theta": 0.2, "vtheta": 0}, period=2.0)


def test_a_pendulum_on_a_shaken_support_stands_upside_down_from_mathieus_curve_on():
    """phi'' = (g - a w^2 cos(w t)) phi/l about the top: with s = w t/2 Mathieu's equation and its first curve."""
    gravity, a, w = 9.81, 0.1, sp.Symbol("w")
    L = vtheta**2 / 2 + (gravity + a * w**2 * sp.cos(w * sp.Symbol("t"))) * sp.cos(theta)
    equations = da.free(da.System(p, L, parameters={"w": 46.0}))
    orbit = da.periodic(equations, {"theta": math.pi, "vtheta": 0}, period=math.tau / 46)
    assert orbit.returns == 1 and orbit.verdict == "stable to first order" and not orbit.trivial.any()
    with pytest.raises(da.DalembertError, match=r"E335.* 0.13 is no period"):  # of the slopes; all rates are 0
        da.periodic(equations, {"theta": math.pi, "vtheta": 0}, period=0.13)
    family = da.families.continue_periodic(orbit, parameter="w", over=(43, 46), period="2*pi/w")
    upright = math.sqrt(-4 * gravity / mathieu_a(0, 2 * a))
    assert family.special == [("branch point", pytest.approx(upright, rel=1e-7))]
    assert not family.stable[0] and family.stable[-1]


FREE = da.free(da.System(q, T))


@pytest.mark.parametrize("what", ["walls", "contacts"])
def test_a_ball_on_a_vibrating_table_has_the_multipliers_of_its_impacts(what):
    """One bounce a period:  det = e^2 , trace = 1 + e^2 + (1 + e)^2 s''/g  at the impact, the table at s(t).

    From  s(t1) = s(t0) + v0 tau - g tau^2/2 ,  v1 = (1 + e) s' - e (v0 - g tau) , differentiated by (t0, v0).
    """
    g, A, w, e = 9.81, 0.01, 30.0, 0.6
    q = da.coordinates("z")
    z, v = q
    gap = z - A * sp.sin(w * sp.Symbol("t"))
    table = {"guard": gap, "restitution": e} if what == "walls" else da.contact(gap=gap, restitution=e)
    system = da.System(q, v**2 / 2 - g * z, **{what: {"table": table}})
    equations = da.free(system) if what == "walls" else da.nonholonomic(system)
    period = 2 * math.pi / w
    # (1 + e) s' = (1 - e) g T/2
    t0 = math.acos((1 - e) * g * period / 2 / ((1 + e) * A * w)) / w
    later = period / 3
    height = A * math.sin(w * t0) + g * later * (period - later) / 2
    start = equations.start(z=height + 1e-4, vz=g * (period / 2 - later) + 1e-3, t=t0 + later)
    found = da.periodic(equations, start, period=period)
    trace = 1 + e**2 - (1 + e) ** 2 * A * w**2 * math.sin(w * t0) / g
    np.testing.assert_allclose(found.start.state["z"], height, rtol=1e-9)
    np.testing.assert_allclose(
        np.sort_complex(found.multipliers), np.sort_complex(np.roots([1, -trace, e**2])), rtol=1e-7
    )
    assert found.verdict == "attracting"
    assert found.period == period
    back = found.path
    assert abs(back["z"][-1] - back["z"][0]) < 1e-8


def test_a_table_is_followed_in_its_own_period_alone():
    q = da.coordinates("z")
    z, v = q
    gap = z - sp.sin(30 * sp.Symbol("t")) / 100
    equations = da.free(da.System(q, v**2 / 2 - 9.81 * z, walls={"table": {"guard": gap, "restitution": 0.6}}))
    with pytest.raises(da.DalembertError, match="E335"):
        da.periodic(equations, {"z": 0.05, "vz": 0.3}, period=0.2)


@pytest.mark.parametrize(
    ("equations", "period", "code"),
    [
        (None, 1.0, "E307"),
        (FREE, 0.0, "E303"),
        (FREE, -1.0, "E303"),
        (FREE, "soon", "E303"),
        (FREE, math.inf, "E303"),
        (FREE, 2.0, "E335"),
        (da.free(da.System(q, T - x**2 - y**2)), 2.0, "E335"),
        (da.free(da.System(q, T, walls={"w": {"guard": y + 1, "restitution": 1.0}})), 2.0, "E335"),
    ],
    ids=["nothing", "none", "negative", "text", "infinite", "straight on", "far", "walls"],
)
def test_what_does_not_come_back_is_refused(equations, period, code):
    start = {"x": 0, "y": 0, "vx": 1, "vy": 0} if code != "E335" or equations is FREE else dict.fromkeys(q.by_name, 0)
    with pytest.raises(da.DalembertError, match=code):
        da.periodic(equations, start, period=period)


@pytest.mark.parametrize("times", [1, 2, 3, 30])
@pytest.mark.parametrize("speed", [1.5, 2.5])
def test_several_turns_asked_for_as_one_are_told(pendulum, speed, times):
    once = da.periodic(pendulum, {"theta": 0, "vtheta": speed}, period=8.6 if speed < 2 else 3.2)
    orbit = da.periodic(pendulum, once.start, period=times * once.period)
    assert orbit.period == pytest.approx(times * once.period, rel=1e-8)
    assert orbit.returns == times
    assert ("times in that" in str(orbit)) == (times > 1)


def test_a_period_of_too_many_steps_is_refused_with_one_of_few(pendulum):
    start = {"theta": 1.0, "vtheta": 0}
    for limit in ({}, {"max_steps": 3000}):
        with pytest.raises(da.DalembertError, match=r"E335 in .* is near its start after") as told:
            da.periodic(pendulum, start, period=1e6, **limit)
        [(name, period)] = [str(told.value.remedy).split("=")]
        assert name == "period"
        assert da.periodic(pendulum, start, period=float(period)).returns == 1
    with pytest.raises(da.DalembertError, match=r"(?s)E335 .* a shorter period, or max_steps=30$"):
        da.periodic(pendulum, start, period=6.7, max_steps=3)
    driven = da.free(da.System(p, "vtheta^2/2 + cos(theta)", forces={"vtheta": "cos(t) - vtheta/2"}))
    with pytest.raises(da.DalembertError, match=r"E335 .* or takes more than 3000 steps"):
        da.periodic(driven, start, period=math.tau * 200_000, max_steps=3000)


def test_a_doubled_motion_of_a_driven_system_is_not_taken_for_a_single_one():
    """Duffing's oscillator just behind its first doubling: nearly back after one period, back after two."""
    driven = da.free(
        da.System(da.coordinates("x"), "vx^2/2 + x^2/2 - x^4/4", forces={"x": "-0.3*vx + 0.27*cos(1.2*t)"})
    )
    path = da.simulate(driven, {"x": 1.0, "vx": 0.0}, until=400 * math.tau / 1.2, dense=False)
    start = {n: float(path[n][-1]) for n in ("x", "vx")}
    twice = da.periodic(driven, start, period=2 * math.tau / 1.2)
    assert twice.returns == 1
    assert da.periodic(driven, twice.start, period=4 * math.tau / 1.2).returns == 2


# --- rotations: R(q) = R(-q) ---------------------------------------------------------------------------------------

BODY = da.rotation("R", frame="body", velocities="p q r")
TOP = "(p^2 + q^2)/2 + r^2/4 - (1 - 2*(R_x^2 + R_y^2))"  # I1 = 1, I3 = 1/2, its weight times its height 1
UPRIGHT = {"R": "identity", "p": 0, "q": 0}


def sleeping(spin):
    """Multipliers of one turn of the sleeping top: it nods with both roots of w^2 - I3 spin w + 1 = 0; two are 1."""
    rates = np.roots([1, -spin / 2, 1])
    return np.sort_complex(np.r_[1, 1, *(np.exp(s * 1j * rates * math.tau / spin) for s in (1, -1))])


@pytest.fixture(scope="module")
def turn():
    return da.periodic(da.free(da.System(BODY, TOP)), {**UPRIGHT, "r": 9.0}, period=0.71)


def test_a_top_is_back_after_one_turn_though_its_quaternion_is_not(turn):
    assert turn.period == pytest.approx(math.tau / 9, rel=1e-9)
    assert (turn.turns, turn.returns) == ({"R": 1}, 1)
    assert turn.path.at(turn.period)["R_w"] == pytest.approx(-1)
    assert np.sort_complex(turn.multipliers) == pytest.approx(sleeping(9.0), abs=1e-6)
    assert turn.verdict == "stable to first order" and turn.trivial.sum() == 2
    assert "an odd number of R" in str(turn)


def test_multipliers_of_two_turns_are_the_squares_of_those_of_one(turn):
    two = da.periodic(turn.equations, turn.start, period=2 * turn.period)
    assert two.period == pytest.approx(2 * turn.period, rel=1e-9)
    assert (two.turns, two.returns) == ({}, 2)
    assert np.sort_complex(two.multipliers) == pytest.approx(np.sort_complex(turn.multipliers**2), abs=1e-6)


def test_the_spin_at_which_a_sleeping_top_wakes_is_found_along_its_turns(turn):
    family = da.families.continue_periodic(turn, parameter="r", over=(3.0, 10.0), fix="R_w R_x R_y R_z p q")
    assert family["period"] == pytest.approx(math.tau / family["r"], rel=1e-8)
    # (I3 r)^2 = 4 I1 m g l [goldstein2002 5.7]
    assert family.stable.tolist() == (family["r"] >= 4).tolist()
    assert family.orbit(-1).turns == {"R": 1}


def test_a_body_that_turns_and_goes_on_is_back_up_to_the_way():
    space = da.line("x") * BODY
    system = da.System(space, "vx^2/2 + (p^2 + 2*q^2 + 3*r^2)/2", symmetry="x")
    orbit = da.periodic(da.free(system), {**UPRIGHT, "x": 0, "vx": 0.5, "r": 2.0}, period=3.1, symmetry=True)
    assert orbit.period == pytest.approx(math.pi, rel=1e-9)
    assert orbit.drift == pytest.approx({"x": math.pi / 2}) and orbit.turns == {"R": 1}


def test_what_tells_a_quaternion_from_its_opposite_is_not_back_after_one_turn():
    # a torque that grows with R_z itself: 2 R_z = 2 sin(angle/2) does not come back after one turn
    system = da.System(BODY, "(p^2 + q^2)/2 + r^2/4", {}, {"p": "R_x"})
    with pytest.raises(da.DalembertError, match="E335"):
        da.periodic(da.free(system), {**UPRIGHT, "r": 9.0}, period=math.tau / 9)
    assert da.periodic(da.free(system), {**UPRIGHT, "r": 9.0}, period=2 * math.tau / 9).turns == {}


# --- through what sets states ----------------------------------------------------------------------------------------


def walker():
    """The simplest walker of Garcia, Chatterjee, Ruina and Coleman (1998): stance angle th, swing leg ph."""
    slope, foot = sp.Float(0.009), 1e-9
    legs = da.coordinates("th ph")
    th, ph, vth, vph = legs
    a = th - slope
    hip = sp.Matrix([-sp.sin(a), sp.cos(a)])
    toe = hip + sp.Matrix([sp.sin(a - ph), -sp.cos(a - ph)])
    hip_rate, toe_rate = (r.jacobian([th, ph]) * sp.Matrix([vth, vph]) for r in (hip, toe))
    L = hip_rate.dot(hip_rate) / 2 - hip[1] + foot * (toe_rate.dot(toe_rate) / 2 - toe[1])
    after = {"th": "-th", "ph": "-2*th", "vth": "cos(2*th)*vth", "vph": "cos(2*th)*(1 - cos(2*th))*vth"}
    return da.free(da.System(legs, L)), da.Event("strike", "ph - 2*th", after, direction=1)


def on_the_section(th, vth):
    return {"th": th, "ph": 2 * th, "vth": vth, "vph": (1 - math.cos(2 * th)) * vth}


def step(z):
    """(th, vth) right after a heel strike, of those before, by the published equations of the walker."""

    def rates(t, y):
        th, ph, vth, vph = y
        return [vth, vph, math.sin(th - 0.009), math.sin(th - 0.009) + (vth**2 - math.cos(th - 0.009)) * math.sin(ph)]

    def strike(t, y):
        return y[1] - 2 * y[0] if t > 3 else -1.0  # it falls through 0 on the way

    strike.terminal, strike.direction = True, 1
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    found = solve_ivp(rates, (0, 6), list(on_the_section(*z).values()), events=strike, **options)
    th, _, vth, _ = found.y[:, -1]
    return np.array([-th, math.cos(2 * th) * vth]), found.t[-1]


def test_a_walk_begins_with_its_heel_strike():
    """A start that the event has just set is none in front of it."""
    equations, strike = walker()
    path = da.simulate(equations, on_the_section(0.20031090, -0.19983247), until=12, events=[strike])
    np.testing.assert_allclose(path.marks["strike"].t, 3.8824638 * np.arange(1, 4), rtol=1e-6)


@pytest.mark.parametrize("th, vth", [(0.20031, -0.19983), (0.2005, -0.2001)])
def test_the_simplest_walker_has_the_published_gait_and_the_multipliers_of_its_return_map(th, vth):
    equations, strike = walker()
    found = da.periodic(equations, on_the_section(th, vth), period=3.9, events=[strike])
    z = np.array([0.2003109, -0.1998325])  # published
    assert found.period == pytest.approx(3.8824638, abs=1e-6)
    np.testing.assert_allclose([found.start.state["th"], found.start.state["vth"]], z, atol=1e-7)
    # the derivative of the step by differences of fourth order
    z, h = np.array([found.start.state["th"], found.start.state["vth"]]), 1e-4
    np.testing.assert_allclose(step(z)[0], z, atol=1e-7)
    ways = ((-2, 1), (-1, -8), (1, 8), (2, -1))
    D = np.column_stack([sum(c * step(z + w * h * e)[0] for w, c in ways) / (12 * h) for e in np.eye(2)])
    # and those of the motion itself, and of what the strike forgets
    wanted = np.r_[np.linalg.eigvals(D), 1.0, 0.0]
    np.testing.assert_allclose(np.sort_complex(found.multipliers), np.sort_complex(wanted), atol=1e-6)
    assert found.verdict == "attracting"
    assert found.trivial.sum() == 1
    path = found.path
    assert len(path.marks["strike"].t) == 1
    np.testing.assert_allclose([path[n][-1] - path[n][0] for n in equations.states], 0.0, atol=1e-8)


def wheel(alpha=0.3):
    """A rimless wheel on a slope, th from its normal: at each strike the speed falls to cos(2 alpha) of it."""
    spoke, slope = da.coordinates("th"), sp.Symbol("slope")
    th, w = spoke
    system = da.System(spoke, w**2 / 2 - sp.cos(th + slope), parameters={"slope": 0.12})
    strike = da.Event("strike", th - alpha, {"th": -alpha, "vth": sp.cos(2 * alpha) * w}, direction=1)
    return da.free(system), strike


def wheel_speed(slope, alpha=0.3):
    """w^2 = c^2 (w^2 + 4 sin(alpha) sin(slope)) , c = cos(2 alpha)"""
    c = math.cos(2 * alpha)
    return c * math.sqrt(4 * math.sin(alpha) * math.sin(slope) / (1 - c**2))


@pytest.mark.parametrize("start", [{"th": -0.3, "vth": 0.6}, {"th": 0.0, "vth": 0.5}], ids=["struck", "on its way"])
@pytest.mark.parametrize("steps", [1, 2])
def test_a_rimless_wheel_rolls_down_in_closed_form(start, steps):
    equations, strike = wheel()
    found = da.periodic(equations, start, period=1.05 * steps, events=[strike])
    assert found.returns == steps
    w, c = wheel_speed(0.12), math.cos(0.6)
    assert found.path.marks["strike"]["vth"][0] == pytest.approx(w / c, rel=1e-9)
    if start["th"] == -0.3:
        assert found.start.state["th"] == pytest.approx(-0.3, abs=1e-12)
        assert found.start.state["vth"] == pytest.approx(w, rel=1e-9)
    time, _ = quad(lambda th: 1 / math.sqrt(w**2 + 2 * (math.cos(0.12 - 0.3) - math.cos(th + 0.12))), -0.3, 0.3)
    assert found.period == pytest.approx(steps * time, rel=1e-9)
    np.testing.assert_allclose(found.multipliers, [1.0, c ** (2 * steps)], rtol=1e-8)
    assert found.verdict == "attracting"


def test_a_wheel_is_followed_in_the_slope():
    equations, strike = wheel()
    first = da.periodic(equations, {"th": -0.3, "vth": 0.55}, period=1.08, events=[strike])
    family = da.families.continue_periodic(first, parameter="slope", over=(0.11, 0.16))
    np.testing.assert_allclose(family.multipliers, np.tile([1.0, math.cos(0.6) ** 2], (len(family), 1)), rtol=1e-7)
    last = family.orbit(len(family) - 1)
    assert last.path.marks["strike"]["vth"][0] == pytest.approx(wheel_speed(0.16) / math.cos(0.6), rel=1e-8)


@pytest.mark.parametrize("what", ["walls", "contacts"])
def test_a_ball_thrown_from_a_vibrating_table_is_found_from_its_impact(what):
    """The impact is at s'(t0) (1 + e) = (1 - e) g T/2, where it leaves with g T/2 relative to the table's mean."""
    g, A, w, e = 9.81, 0.01, 30.0, 0.6
    q = da.coordinates("z")
    z, v = q
    gap = z - A * sp.sin(w * sp.Symbol("t"))
    table = {"guard": gap, "restitution": e} if what == "walls" else da.contact(gap=gap, restitution=e)
    system = da.System(q, v**2 / 2 - g * z, **{what: {"table": table}})
    equations = da.free(system) if what == "walls" else da.nonholonomic(system)
    period = 2 * math.pi / w
    t0 = math.acos((1 - e) * g * period / 2 / ((1 + e) * A * w)) / w
    start = equations.start(z=A * math.sin(w * t0), vz=g * period / 2, t=t0)
    found = da.periodic(equations, start, period=period)
    trace = 1 + e**2 - (1 + e) ** 2 * A * w**2 * math.sin(w * t0) / g
    np.testing.assert_allclose(
        np.sort_complex(found.multipliers), np.sort_complex(np.roots([1, -trace, e**2])), rtol=1e-7
    )
    assert found.verdict == "attracting"
    if what == "walls":
        assert found.start.t == pytest.approx(t0, abs=1e-9)
        assert found.start.state["vz"] == pytest.approx(g * period / 2, rel=1e-9)


@pytest.mark.parametrize("what", ["walls", "contacts"])
@pytest.mark.parametrize("start", [{"z": 0.0, "vz": 4.0}, {"z": 0.2, "vz": -1.0}], ids=["thrown", "falling"])
def test_an_elastic_ball_comes_back_for_ever(what, start):
    q = da.coordinates("z")
    z, v = q
    table = {"guard": z, "restitution": 1} if what == "walls" else da.contact(gap=z, restitution=1)
    system = da.System(q, v**2 / 2 - 9.81 * z, **{what: {"table": table}})
    thrown = math.sqrt(start["vz"] ** 2 + 2 * 9.81 * start["z"])
    equations = da.free(system) if what == "walls" else da.nonholonomic(system)
    found = da.periodic(equations, start, period=1.9 * thrown / 9.81)
    assert found.period == pytest.approx(2 * thrown / 9.81, rel=1e-9)
    np.testing.assert_allclose(found.multipliers, 1.0, atol=1e-6)  # a double one
    assert found.verdict == "stable to first order"
    assert found.trivial.all()


@pytest.mark.parametrize("x0", [0.0, 0.3])
def test_an_elastic_ball_between_two_walls(x0):
    q = da.coordinates("x")
    x, v = q
    walls = {"left": {"guard": x, "restitution": 1}, "right": {"guard": 1 - x, "restitution": 1}}
    found = da.periodic(da.free(da.System(q, v**2 / 2, walls=walls)), {"x": x0, "vx": 0.7}, period=2.5)
    assert found.period == pytest.approx(2 / 0.7, rel=1e-9)
    assert found.verdict == "stable to first order"
    assert [found.path.marks[name].t.shape for name in walls] == [(1,), (1,)]


def test_a_block_on_a_belt_sticks_and_slips_for_ever():
    """Slip is half a swing about mu g/k and a little more, (pi + 2 a)/w; stick leads 2 d on, at the belt's speed."""
    g, k, mu, hold, speed = 9.81, 4.0, 0.2, 0.35, 0.5
    q = da.coordinates("x y")
    x, y, vx, vy = q
    belt = da.contact(gap=y, slip=[vx - speed], mu=mu, mu_static=hold)
    block = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - g * y - k * x**2 / 2, contacts={"belt": belt}))
    found = da.periodic(block, {"x": 0.8, "y": 0, "vx": 0.1, "vy": 0}, period=4.0)
    d, w = (hold - mu) * g / k, math.sqrt(k)
    a = math.atan(speed / (w * d))
    assert found.period == pytest.approx((math.pi + 2 * a) / w + 2 * d / speed, rel=1e-9)
    np.testing.assert_allclose(found.multipliers, [1.0, 0.0], atol=1e-9)  # what sticks forgets how fast it was
    assert found.verdict == "attracting"


@pytest.mark.parametrize("x0, trace", [(3.0, 2 - 0.7), (0.05, 2 + 0.7)])
def test_the_standard_map_has_its_multipliers(x0, trace):
    """p' = p + K sin(x) , x' = x + p' (Chirikov 1979): kicks at given times, and a start at one of them."""
    x, v = ring = da.angle("x")
    kick = da.Event("kick", sp.sin(sp.pi * sp.Symbol("t")), {"vx": v + sp.Float(0.7) / 2 * sp.sin(x)}, direction=1)
    rotor = da.free(da.System(ring, v**2 / 2))
    found = da.periodic(rotor, {"x": x0, "vx": 0.01}, period=2, events=[kick])
    wanted = np.sort_complex(np.roots([1, -trace, 1]))
    np.testing.assert_allclose(np.sort_complex(found.multipliers), wanted, rtol=1e-9)
    assert found.verdict == ("stable to first order" if trace < 2 else "unstable")
    assert found.start.t == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("start", [{"x": 0, "vx": 1.0}, {"x": 1, "vx": 0}], ids=["from the tick", "on its way"])
def test_a_clock_that_is_kicked_once_a_swing(start):
    """v = c/(1 - exp(-d T/2)) behind the kick, T = 2 pi/w; its multiplier exp(-d T/2) (Andronov, Vitt, Khaikin)."""
    swing = da.coordinates("x")
    x, v = swing
    clock = da.free(da.System(swing, v**2 / 2 - x**2 / 2, forces={"vx": -v / 5}))
    found = da.periodic(
        clock, start, period=6, events=[da.Event("tick", x, {"vx": v + sp.Rational(1, 2)}, direction=1)]
    )
    w = math.sqrt(1 - 0.01)
    kept = math.exp(-0.1 * 2 * math.pi / w)
    assert found.period == pytest.approx(2 * math.pi / w, rel=1e-9)
    np.testing.assert_allclose(found.multipliers, [1.0, kept], rtol=1e-8)
    assert found.path.marks["tick"]["vx"][0] == pytest.approx(0.5 * kept / (1 - kept), rel=1e-8)
    if start["x"] == 0:
        assert found.start.state["vx"] == pytest.approx(0.5 / (1 - kept), rel=1e-8)


def test_a_pendulum_with_a_rod_is_kicked_along_its_constraint():
    """The same motion in Cartesian coordinates and in the angle, from the kick that has set the start."""
    p, bump = da.coordinates("x y"), {"vx": "vx + 0.2"}
    L, drag = (p["vx"] ** 2 + p["vy"] ** 2) / 2 - p["y"], {s: -p[s] / 5 for s in ("vx", "vy")}
    rod = da.nonholonomic(da.System(p, L, {"rod": p["x"] ** 2 + p["y"] ** 2 - 1}, forces=drag))
    found = da.periodic(
        rod, rod.start(x=0, y=-1, vx=0.5), period=6.4, events=[da.Event("bump", "x", bump, direction=1)]
    )
    hung = da.free(da.System(da.coordinates("theta"), vtheta**2 / 2 + sp.cos(theta), forces={"vtheta": -vtheta / 5}))
    kick = da.Event("bump", theta, {"vtheta": vtheta + sp.Rational(1, 5)}, direction=1)
    alone = da.periodic(hung, {"theta": 0, "vtheta": 0.5}, period=6.4, events=[kick])
    assert found.period == pytest.approx(alone.period, rel=1e-8)
    np.testing.assert_allclose(found.multipliers, alone.multipliers, rtol=1e-7)
    assert found.start.state["vx"] == pytest.approx(alone.start.state["vtheta"], rel=1e-8)


ROUND = da.Event("round", "x - 1", {"x": "x - 1"}, direction=1)


def test_events_that_stop_or_may_break_a_symmetry_are_refused():
    equations, strike = wheel()
    start = {"th": 0.0, "vth": 0.5}
    with pytest.raises(da.DalembertError, match="E335 the event end stops the motion"):
        da.periodic(equations, start, period=1.0, events=[strike, da.Event("end", "th - 0.2", "stop")])
    with pytest.raises(da.DalembertError, match="E335 whether the event round"):
        da.periodic(FREE, {"x": 0, "y": 0, "vx": 1, "vy": 0}, period=1.0, symmetry="x", events=[ROUND])


def test_a_woodpecker_comes_down_in_cycles_that_attract_as_its_own_motion_shows():
    """Up to its height, its weight a force: cycles of jam, slip and peck approach the period by the multiplier."""
    w = woodpecker_toy
    weight = (w.M + w.MASS) * w.GRAVITY
    system = w.system()
    toy = da.nonholonomic(system.changed(lagrangian=system.lagrangian + weight * w.Y, forces={"v": -weight}))
    found = da.periodic(toy, w.START, period=0.15, symmetry="y")
    path = da.simulate(toy, w.START, until=2.5, rtol=1e-11)
    jams = np.array([t for t, name, word in path.modes if (name, word) == ("low", "sticks")])
    cycles = np.diff(jams)
    (mu,) = (m.real for m in found.multipliers[~found.trivial] if abs(m) > 1e-6)
    assert found.verdict == "attracting"
    ratio = (cycles[-1] - cycles[-2]) / (cycles[-2] - cycles[-3])
    assert mu == pytest.approx(ratio, rel=2e-2)
    # T_n = T + c mu^n
    assert found.period == pytest.approx((cycles[-1] - mu * cycles[-2]) / (1 - mu), rel=1e-4)
    assert found.drift["y"] < -0.01


def test_between_four_walls_neighbours_part_as_time_does_and_this_is_not_taken_for_linear():
    """A free ball in a square: shear of both phases, four multipliers 1, and walls that bound it."""
    walls = {"l": {"guard": x, "restitution": 1}, "r": {"guard": 1 - x, "restitution": 1}}
    walls |= {"d": {"guard": y, "restitution": 1}, "u": {"guard": 1 - y, "restitution": 1}}
    ball = da.free(da.System(q, T, walls=walls))
    found = da.periodic(ball, {"x": 0.0, "y": 0.5, "vx": 0.5, "vy": 0.5}, period=3.9)
    assert found.period == pytest.approx(4, rel=1e-12)
    np.testing.assert_allclose(found.multipliers, 1.0, atol=1e-6)
    assert found.verdict == "undecided"


@pytest.mark.parametrize("spin", [-0.6, 0.0], ids=["rolls where it lands", "gets its spin there"])
def test_an_elastic_disc_hops_on_without_slip(spin):
    """Up to its way and its turn: from the first bounce on it rolls, v + w/2 = 0, and slip is forgotten."""
    plane = da.coordinates("x z phi", velocities="vx vz w")
    _, z, _, vx, vz, w = plane
    floor = da.contact(gap=z - sp.Rational(1, 2), slip=[vx + w / 2], mu=0.9, restitution=1)
    L = (vx**2 + vz**2) / 2 + w**2 / 16 - 9.81 * z
    disc = da.nonholonomic(da.System(plane, L, contacts={"floor": floor}, symmetry="x phi"))
    start = {"x": 0, "z": 0.7, "phi": 0, "vx": 0.3, "vz": 0, "w": spin}
    found = da.periodic(disc, start, period=0.4, symmetry=True)
    assert found.period == pytest.approx(2 * math.sqrt(2 * (found.path["z"].max() - 0.5) / 9.81), rel=1e-6)
    assert found.start.state["vx"] + found.start.state["w"] / 2 == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(np.abs(found.multipliers), [1, 1, 1, 1, 1, 0], atol=1e-6)
    assert found.verdict in ("stable to first order", "undecided"), found.answer
