"""Lyapunov exponents: those of linear systems, zeros, sums that are the mean divergence, and chaos seen two ways."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import chaplygin_sleigh
from zoo import GALLERY

q = da.coordinates("x y")
x, y = q.coordinates
vx, vy = q.velocities


@pytest.fixture(scope="module")
def henon_heiles():
    return da.free(da.System(q, (vx**2 + vy**2) / 2 - (x**2 + y**2) / 2 - (x**2 * y - y**3 / 3)))


def on_energy(energy, height):
    """A start at x = 0, vy = 0."""
    return {"x": 0, "y": height, "vx": math.sqrt(2 * energy - height**2 + 2 * height**3 / 3), "vy": 0}


@pytest.fixture(scope="module")
def linear():
    L = (vx**2 + vy**2) / 2 + x**2 / 2 - 2 * y**2
    return da.free(da.System(q, L, forces={"vx": -0.3 * vx, "vy": -0.5 * vy}))


def test_a_linear_system_has_the_real_parts_of_its_eigenvalues(linear):
    found = da.lyapunov(linear, dict.fromkeys(["x", "y", "vx", "vy"], 0), until=200)
    exact = np.sort(np.r_[np.roots([1, 0.3, -1]).real, np.roots([1, 0.5, 4]).real])[::-1]
    assert (np.abs(found.exponents - exact) < 3 * found.errors).all()
    assert found.errors.max() < 0.02
    assert found.sum == pytest.approx(-0.8, abs=1e-9)  # the divergence, exactly, however short the run
    assert found.parts and not found.chaotic  # exponentials part, of linear equations
    assert found.history.shape == (200, 4)
    assert (found.history[-1] == found.exponents).all()


def test_errors_fall_with_time_and_hold_the_truth(linear):
    rest, exact = dict.fromkeys(["x", "y", "vx", "vy"], 0), max(np.roots([1, 0.3, -1]))
    short, long = (da.lyapunov(linear, rest, until=T) for T in (50, 800))
    for found in (short, long):
        assert abs(found.exponents[0] - exact) < 3 * found.errors[0]
    assert long.errors[0] < short.errors[0] / 8


def test_regular_motions_have_only_zeros(henon_heiles):
    found = da.lyapunov(henon_heiles, on_energy(1 / 12, 0.1), until=1e4)
    assert found.answer.value is None and not found.parts  # a run is no proof
    assert (np.abs(found.exponents) < 3 * found.errors).all()
    assert np.abs(found.exponents).max() < 1e-3


@pytest.mark.parametrize("until", [30, 100])
def test_errors_of_shear_hold_their_zeros_once(until):
    # in a central force periods depend on the energy: neighbours part as t, and the exponents are ln(t)/t
    central = da.free(da.System(q, (vx**2 + vy**2) / 2 - (x**2 + y**2) ** 2 / 4))
    found = da.lyapunov(central, {"x": 1, "y": 0, "vx": 0, "vy": 0.5}, until=until)
    assert found.exponents[0] * until > 2
    assert (np.abs(found.exponents) <= found.errors).all()


def test_chaos_is_seen_and_comes_in_pairs(henon_heiles):
    found = da.lyapunov(henon_heiles, on_energy(1 / 6, -0.15), until=4000)
    assert found.chaotic
    # Hamiltonian: l, 0, 0, -l; the zeros are energy and the motion itself
    assert found.exponents + found.exponents[::-1] == pytest.approx(0, abs=3 * found.errors.max())
    assert np.abs(found.exponents[1:3]).max() < 0.003
    assert found.sum == pytest.approx(0, abs=1e-9)
    assert found.exponents[0] == pytest.approx(measured(henon_heiles, on_energy(1 / 6, -0.15), 1500), abs=0.03)


def measured(equations, start, until, interval=10.0, apart=1e-8):
    """The largest exponent by two motions side by side, brought together again and again: no derivative is used."""

    def carried(state):
        end = da.simulate(equations, dict(zip(names, state, strict=True)), until=interval, rtol=1e-11).at(interval)
        return np.array([end[n] for n in names])

    names, total = equations.states, 0.0
    one = np.array([start[n] for n in names], float)
    other = one + apart / 2
    for _ in range(int(until / interval)):
        one, other = carried(one), carried(other)
        distance = np.linalg.norm(other - one)
        total += math.log(distance / apart)
        other = one + (other - one) * apart / distance
    return total / until


def test_the_sleighs_exponents_sum_to_the_mean_divergence():
    reduced = da.free(GALLERY.reduction("chaplygin_sleigh").system)
    p = reduced.system.values()
    speed = reduced.space.velocities[0].name
    start = {speed: 0.5, "omega": 1.5}
    found = da.lyapunov(reduced, start, until=60)
    t = np.linspace(0, 60, 20_001)
    v = da.simulate(reduced, start, until=60, samples=t)[speed]
    # vdot = a omega^2, omegadot = -(m a/(J + m a^2)) v omega: the divergence is -(m a/(J + m a^2)) v
    rate = p["m"] * p["a"] / (p["J"] + p["m"] * p["a"] ** 2)
    assert found.sum == pytest.approx(-rate * np.trapezoid(v, t) / 60, abs=1e-6)
    # it ends in straight sliding, a family: one 0, and the attraction of the family
    assert abs(found.exponents[0]) < 3 * found.errors[0]
    assert found.exponents[1] == pytest.approx(-rate * v[-1], abs=3 * found.errors[1])


def test_constraints_leave_as_many_exponents_as_directions():
    equations = da.nonholonomic(chaplygin_sleigh.system())
    found = da.lyapunov(equations, chaplygin_sleigh.START, until=200)
    assert len(found.exponents) == 5  # six states, one constraint
    # plane motions and the family of straight slides: four zeros
    assert (np.abs(found.exponents[:4]) < 3 * found.errors[:4] + 1e-9).all()
    assert found.exponents[4] < -0.3


@pytest.mark.parametrize("given", ["walls", "contacts"])
def test_a_ball_on_a_vibrating_table_loses_volume_at_each_bounce(given):
    """Nothing but bounces changes volume, by e^2 each: the sum is n ln(e^2)/t. Walls and contacts say the same."""
    height = da.coordinates("y")
    y, v = height
    table, e = y - 0.1275 * sp.sin(10 * sp.Symbol("t") + 3.776), 0.5
    met = {"table": {"guard": table, "restitution": e}} if given == "walls" else None
    touched = None if given == "walls" else {"table": da.contact(gap=table, restitution=e)}
    ball = da.free(da.System(height, v**2 / 2 - 9.81 * y, walls=met, contacts=touched))
    start = {"y": 0.56, "vy": 0.0}  # bounces once in a swing of the table, and attracts
    found = da.lyapunov(ball, start, until=20.0)
    path = da.simulate(ball, start, until=20.0, rtol=1e-11)
    count = len(path.marks["table"])
    assert count == 32
    assert found.sum == pytest.approx(count * math.log(e**2) / 20, rel=1e-8)
    assert found.exponents[0] < 0


PENDULUM = da.System(da.coordinates("x"), "vx^2/2 + cos(x)")
PILING = da.System(q, (vx**2 + vy**2) / 2 - 9.81 * y, contacts={"floor": da.contact(gap=y, restitution=0.5)})
AWAY = da.System(q, (vx**2 + vy**2) / 2 + x**4)
STILL = {"x": 1, "y": 1, "vx": 0, "vy": 0}


@pytest.mark.parametrize(
    ("equations", "options", "code"),
    [
        (None, {}, "E307"),
        (da.free(AWAY), {"until": 1e-4}, "E322"),
        (da.free(AWAY), {"until": 0.0}, "E322"),
        (da.free(AWAY), {"until": 100.0}, "E322"),
        (da.free(AWAY), {"until": -1.0}, "E302"),
        (da.free(AWAY), {"until": "later"}, "E301"),
        (da.free(AWAY), {"method": "dla", "step": 0.1}, "E307.*variational equations"),
        (da.free(PILING), {"until": 20.0}, "E319|E322"),
    ],
    ids=["nothing", "short", "none", "blows up", "backwards", "text", "method", "bounces pile up"],
)
def test_what_cannot_be_asked_is_refused(equations, options, code):
    with pytest.raises(da.DalembertError, match=code):
        da.lyapunov(equations, STILL, **options)


def test_what_is_linear_runs_off_or_lies_on_an_unstable_motion_is_not_called_chaotic():
    q = da.coordinates("x y")
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    energy, start = (vx**2 + vy**2 - y**2) / 2, {"x": 0, "y": 1, "vx": 0, "vy": 0}
    assert not da.lyapunov(da.free(da.System(q, energy + x**2 / 2)), start, until=100).chaotic
    off = da.lyapunov(da.free(da.System(q, energy + y**2 + x**2 / 2 - x * y**2 / 100)), {**start, "x": 1}, until=20)
    assert off.parts and off.answer.value is None and "leaves where it was" in str(off)
    # two dimensions, from the separatrix of a pendulum: no room for chaos
    assert da.lyapunov(da.free(PENDULUM), {"x": 3.1, "vx": 0}, until=100).answer.value is False
    # between two wells: it swings on the ridge, and its neighbours leave it
    ridge = da.lyapunov(da.free(da.System(q, energy + x**2 / 2 - x**4 / 4)), start, until=200)
    assert ridge.parts and ridge.answer.value is None


def on_a_floor(restitution=0, mu=0.3):
    contacts = {"floor": da.contact(gap=y, slip=[vx], mu=mu, restitution=restitution)}
    return da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - 9.81 * y, contacts=contacts))


@pytest.mark.parametrize(
    ("equations", "start", "rest"),
    [
        (on_a_floor(), {"x": 0, "y": 0, "vx": 1, "vy": 0}, 1 / (0.3 * 9.81)),
        (on_a_floor(), {"x": 0, "y": 0, "vx": 0, "vy": 0}, 0.0),
        (on_a_floor(), {"x": 0, "y": 1, "vx": 0.1, "vy": 0}, math.sqrt(2 / 9.81)),  # the landing takes all of it
        (on_a_floor(0.5), {"x": 0, "y": 1, "vx": 0, "vy": 0}, 3 * math.sqrt(2 / 9.81)),  # (1 + e)/(1 - e)
    ],
    ids=["slides", "stands", "lands", "bounces"],
)
@pytest.mark.parametrize("until", [20.0, 1e4])
def test_a_motion_that_comes_to_rest_has_none_and_it_is_said_when(equations, start, rest, until):
    with pytest.raises(da.DalembertError, match="E322 the motion is at rest from t = ") as caught:
        da.lyapunov(equations, start, until=until)
    said = float(caught.value.fact.split()[8])
    assert said == pytest.approx(rest, rel=1e-4)  # to 1e-9 of the states


def test_neighbours_that_meet_where_a_contact_closes_are_told_at_once():
    """A brick that lands and slides on for ever: two directions are lost in one instant."""
    floor = {"floor": da.contact(gap=y, slip=[vx], mu=0.3)}
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - 9.81 * y + 9.81 * x, contacts=floor))
    with pytest.raises(da.DalembertError, match="E322 neighbours part or meet too fast"):
        da.lyapunov(equations, {"x": 0, "y": 1, "vx": 1, "vy": 0}, until=1e4)


def test_a_rimless_wheel_forgets_its_speed_at_each_strike():
    """w -> cos(2 a) w at each of the strikes, and the energy w^2 of neighbours with it: (1/T) ln cos(2 a)^2."""
    spoke = da.coordinates("th")
    th, w = spoke
    equations = da.free(da.System(spoke, w**2 / 2 - sp.cos(th + 0.12)))
    strike = da.Event("strike", th - 0.3, {"th": -0.3, "vth": sp.cos(0.6) * w}, direction=1)
    gait = da.periodic(equations, {"th": -0.3, "vth": 0.55}, period=1.1, events=[strike])
    found = da.lyapunov(equations, gait.start, until=100 * gait.period, events=[strike])
    wanted = np.array([0.0, 2 * math.log(math.cos(0.6)) / gait.period])
    assert found.sum == pytest.approx(wanted.sum(), rel=1e-8)
    assert (np.abs(found.exponents - wanted) < found.errors).all()
