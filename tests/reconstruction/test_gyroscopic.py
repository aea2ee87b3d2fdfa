"""Reduction where L has a part that is linear in the velocities, of the shape and of the time: against the full motion.

    L = T + a_c(psi, t) u_c + a_s(psi, t) u_s + a_w(psi, t) w + a_p(psi, t) s - V(psi) ,    u_s = b(psi) w + c(psi) s

in a frame (u_c, u_s) that turns along, with the group of the plane; by hand the force of a on the allowed velocities is
d(a u) along them, whether or not a lies across the constraint.
"""

import random

import pytest
import sympy as sp

import dalembert as da
from dalembert.geometry import reduction, restriction
from dalembert.reconstruction import reconstruct as back

Q = da.coordinates("x y th psi", velocities="vx vy w s")
X, Y, TH, PSI = Q.coordinates
VX, VY, W, S = Q.velocities
T = sp.Symbol("t", real=True)
ALONG, ACROSS = VX * sp.cos(TH) + VY * sp.sin(TH), VY * sp.cos(TH) - VX * sp.sin(TH)
START = dict(x=0.2, y=-0.1, th=0.4, psi=0.3, w=0.6, s=-0.4)
EUCLIDEAN = [da.symmetry.euclidean("x y", "th")]


def drawn(seed):
    """A random system of this kind, and the velocity that its start leaves to give."""
    rng = random.Random(seed)

    def function(timely=False):
        a, b, c = (sp.Rational(rng.randint(-9, 9), 10) for _ in range(3))
        part = rng.choice([sp.sin(PSI), sp.cos(2 * PSI), PSI, PSI**2 / 2])
        return a + b * part + (c * sp.cos(T) * part if timely and rng.random() < 0.5 else 0)

    a = [function(timely=True) * u for u in (ALONG, ACROSS, W, S)]
    kinetic = (sp.Rational(13, 10) * (VX**2 + VY**2) + sp.Rational(7, 10) * W**2 + S**2) / 2 + W * S / 5
    V = PSI**2 / 2 + function() / 3
    forces = {"s": -sp.Rational(rng.randint(0, 3), 10) * S} if rng.random() < 0.5 else {}
    row = ACROSS - function() * W - function() * S
    return da.System(Q, kinetic + sp.Add(*a) - V, {"row": row}, forces, symmetry=EUCLIDEAN)


def motions(system, until=1.5):
    """The full motion, the reduced one, and what it is led back to."""
    reduction, full = da.reduce(system), da.nonholonomic(system)
    start = full.start(**START, vx=0.5)
    small = da.simulate(da.nonholonomic(reduction.system), da.reduced_start(reduction, start), until=until)
    return da.simulate(full, start, until=until), small, da.reconstruct(reduction, small, start)


def largest_difference(one, other):
    names = [s.name for s in Q]
    end = one.t[-1]
    return max(abs(one.at(end)[n] - other.at(end)[n]) for n in names)


@pytest.mark.parametrize("seed", range(6))
def test_the_motion_that_is_led_back_is_the_full_one(seed):
    full, small, led = motions(drawn(seed))
    assert full.ok and small.ok and led.ok
    assert largest_difference(full, led) < 1e-9


@pytest.mark.parametrize("first", range(100, 300, 20))
def test_two_hundred_motions_that_are_led_back_are_the_full_ones(first):
    pairs = (motions(drawn(seed)) for seed in range(first, first + 20))
    assert max(largest_difference(full, led) for full, _, led in pairs) < 1e-9


@pytest.mark.parametrize("seed", range(10, 14))
def test_restricted_the_accelerations_are_the_full_ones(seed):
    """Without any group: u' = d/dt (Z v) along the restricted system."""
    system = drawn(seed)
    small = da.symmetry.restrict(system).system
    u = da.symmetry.restrict(system).velocities
    place = {"x": 0.2, "y": -0.1, "th": 0.4, "psi": 0.3, "t": 0.7}
    state = place | {v.name: 0.5 - 0.3 * i for i, v in enumerate(small.space.velocities)}
    moved = da.free(small).evaluate(state)["accelerations"]

    def number(e):
        return float(e.xreplace({s: state[s.name] for s in e.free_symbols}))

    full = place | {n: number(e) for n, e in u.items()}
    rates = {q: full[v.name] for q, v in zip(Q.coordinates, Q.velocities, strict=True)}
    rates |= {v: moved[v.name] for v in small.space.velocities}
    true = da.nonholonomic(system).evaluate(full)["accelerations"]
    for name, e in u.items():
        assert sum(number(e.diff(s)) * r for s, r in rates.items()) == pytest.approx(true[name], abs=1e-11)


def test_by_hand_a_skate_on_a_turning_table_keeps_its_turning():
    """Foot and centre of mass are one: no torque about the vertical. L is that of the turning frame."""
    q = da.coordinates("x y theta")
    (x, y, th), (vx, vy, w) = q.coordinates, q.velocities
    om = sp.Rational(3, 10)
    blade = vy * sp.cos(th) - vx * sp.sin(th)
    L = ((vx - om * y) ** 2 + (vy + om * x) ** 2) / 2 + (w + om) ** 2
    system = da.System(q, L, {"blade": blade}, symmetry={"turn": {"x": -y, "y": x, "theta": 1}})
    reduction, full = da.reduce(system), da.nonholonomic(system)
    start = full.start(x=0.5, y=0.2, theta=0.3, vx=1.0, vtheta=0.5)
    path = da.simulate(da.nonholonomic(reduction.system), da.reduced_start(reduction, start), until=3.0)
    assert da.reconstruct(reduction, path, start).at(3.0)["vtheta"] == pytest.approx(0.5, abs=1e-12)


def test_by_hand_the_bracket_of_momenta_has_the_field():
    """L = T + c (velocity across the blade): v' = c w / m along the blade, J w' = -c v."""
    q = da.coordinates("x y theta")
    th, (vx, vy, w), c = q["theta"], q.velocities, sp.Symbol("c", real=True)
    blade = vy * sp.cos(th) - vx * sp.sin(th)
    system = da.System(q, (vx**2 + vy**2 + 2 * w**2) / 2 + c * blade, {"blade": blade}, parameters={"c": 2.0})
    phase = da.symmetry.phase_space(system)
    v, turning = phase.coordinates[-2:]
    assert sp.simplify(abs(phase.bracket(v, turning))) == abs(c)
    sign = phase.bracket(v, turning) / c
    assert sp.simplify(phase.rates[v] - sign * c * turning / 2) == 0


# --- seen to fail -----------------------------------------------------------------------------------------------------


def test_a_reduction_that_loses_the_force_is_refused(monkeypatch):
    monkeypatch.setattr(restriction, "across", lambda a, Z, lies, table, v: sp.zeros(len(v), 1))
    with pytest.raises(da.DalembertError, match="E124 the reduced motion is not the given one"):
        da.reduce(drawn(1))


def test_a_motion_that_lost_the_force_is_not_ok(monkeypatch):
    monkeypatch.setattr(restriction, "across", lambda a, Z, lies, table, v: sp.zeros(len(v), 1))
    monkeypatch.setattr(reduction, "_check_motion", lambda reduction: None)
    full, small, led = motions(drawn(1))
    assert small.ok and largest_difference(full, led) > 1e-3
    assert not led.ok and "E414" in led.audit.reasons[0]


def test_a_jump_of_an_input_or_a_wall_is_no_defect():
    q = da.coordinates("x y", velocities="vx vy")
    system = da.System(q, "(vx^2 + vy^2)/2 - 9.81*y", walls={"floor": {"guard": "y", "restitution": 0.8}}, symmetry="x")
    reduction = da.reduce(system)
    start = {"x": 0, "y": 1, "vx": 0.3, "vy": 0}
    path = da.simulate(da.free(reduction.system), da.reduced_start(reduction, start), until=2)
    led = back.reconstruct(reduction, path, start)
    assert led.marks["floor"].t.size > 1 and led.ok
