"""What happens at one instant: several jumps, kicks, switches of forces, guards at the start."""

from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.contacts.instant import SlipOnset

Q1, Q2, Q3 = da.coordinates("x"), da.coordinates("x y"), da.coordinates("a b c")
T = sp.Symbol("t")


def free(space, potential=0, **more):
    return da.free(da.System(space, sum(u**2 for u in space.velocities) / 2 - potential, **more))


def walls():
    x, y, vx, vy = Q2
    turned = {"left": (x, vx, -1), "right": (x - 1, vx, 1), "bottom": (y, vy, -1), "top": (y - 1, vy, 1)}
    return [da.Event(name, guard, {u: -u}, direction) for name, (guard, u, direction) in turned.items()]


def folded(x):
    return 1 - abs(x % 2 - 1)


@pytest.mark.parametrize("offset", [0.0, 1e-16, -1e-16, 1e-15, 1e-9])
def test_a_corner_is_hit_by_both_walls(offset):
    x, y, vx, vy = Q2
    events = [da.Event("wx", x, {vx: -vx}, -1), da.Event("wy", y, {vy: -vy}, -1)]
    path = da.simulate(free(Q2), {"x": 1.0, "y": 1.0 + offset, "vx": -1, "vy": -1}, until=3.0, events=events)
    assert path.ok
    assert [len(m) for m in path.marks.values()] == [1, 1]
    assert path["x"][-1] == pytest.approx(2.0, abs=1e-12)
    assert path["y"][-1] == pytest.approx(2.0, abs=1e-8)


@pytest.mark.parametrize("v", [(1.0, 1.0), (1.0, 3.0), (-1.0, 2.0)])
def test_a_box_keeps_its_ball(v):
    path = da.simulate(free(Q2), {"x": 0.5, "y": 0.5, "vx": v[0], "vy": v[1]}, until=10.2, events=walls())
    assert path.ok
    assert path["x"][-1] == pytest.approx(folded(0.5 + 10.2 * v[0]), abs=1e-11)
    assert path["y"][-1] == pytest.approx(folded(0.5 + 10.2 * v[1]), abs=1e-11)


@pytest.mark.parametrize(
    ("start", "end"),
    [((-1, 0, 1, 1, 0, -1), (-1, 0, 1)), ((-1, 0, 0, 1, 0, 0), (0, 0, 1)), ((-1, 0, 1e-9, 1, 0, 0), (0, 0, 1))],
)
def test_equal_balls_in_a_row_exchange_their_velocities(start, end):
    a, b, c, va, vb, vc = Q3
    events = [da.Event("ab", a - b, {va: vb, vb: va}, 1), da.Event("bc", b - c, {vb: vc, vc: vb}, 1)]
    path = da.simulate(
        free(Q3), dict(zip(("a", "b", "c", "va", "vb", "vc"), start, strict=True)), until=3.0, events=events
    )
    assert path.ok
    assert [path[n][-1] for n in ("va", "vb", "vc")] == pytest.approx(end, abs=1e-12)
    assert path["a"][-1] <= path["b"][-1] + 1e-9 <= path["c"][-1] + 2e-9


def test_kicks_go_on_through_their_guard_and_add_up():
    x, v = Q1
    place = da.simulate(free(Q1), {"x": 0, "vx": 1}, until=3.0, events=[da.Event("kick", x - 1, {v: v + 3})])
    assert place.ok
    assert place["x"][-1] == pytest.approx(9.0, rel=1e-12)
    both = [da.Event("three", T - 1, {v: v + 3}), da.Event("four", T - 1, {v: v + 4})]
    times = da.simulate(free(Q1), {"x": 0, "vx": 1}, until=3.0, events=both)
    assert times.ok
    assert times["vx"][-1] == pytest.approx(8.0, rel=1e-12)


def test_a_stop_at_the_guard_of_a_jump_is_not_lost():
    x, v = Q1
    events = [da.Event("floor", x, {v: -v}, -1), da.Event("enough", x, "stop", -1)]
    path = da.simulate(free(Q1, 9.81 * x), {"x": 1, "vx": 0}, until=5.0, events=events)
    assert path.outcome.startswith("stopped by enough")
    assert path.t[-1] == pytest.approx(np.sqrt(2 / 9.81), rel=1e-12)


@pytest.mark.parametrize("v0", [-1.0, 0.0])
@pytest.mark.parametrize("then", ["stop", "jump"])
def test_a_start_on_a_guard_that_the_motion_crosses_is_refused(v0, then):
    x, v = Q1
    event = da.Event("floor", x, "stop" if then == "stop" else {v: -v}, -1)
    with pytest.raises(da.DalembertError, match="E310"):
        da.simulate(free(Q1, 9.81 * x), {"x": 0, "vx": v0}, until=1.0, events=[event])
    rising = da.simulate(free(Q1, 9.81 * x), {"x": 0, "vx": 1.0}, until=0.1, events=[event])
    assert rising.ok


def test_a_body_that_stays_on_the_floor_does_not_fall_through_it():
    x, v = Q1
    path = da.simulate(free(Q1, 9.81 * x), {"x": 1, "vx": 0}, until=2.0, events=[da.Event("floor", x, {v: 0}, -1)])
    assert not path.ok
    assert path.message.startswith("E133")
    assert path["x"].min() > -1e-12


def test_a_short_pulse_of_force_is_not_stepped_over():
    _, v = Q1
    pulse = sp.Piecewise((1000, (T > 5) & (T < 5.001)), (0, True))
    with_time = free(Q1, forces={v: pulse})
    path = da.simulate(with_time, {"x": 0, "vx": 1}, until=20.0)
    assert path["vx"][-1] == pytest.approx(2.0, abs=1e-9)
    assert path.ok


def test_a_thin_barrier_turns_a_slow_particle():
    x, v = Q1
    barrier = sp.Piecewise((-1000, (x > 5) & (x < 5.001)), (0, True))
    slow = da.simulate(free(Q1, forces={v: barrier}), {"x": 0, "vx": 1}, until=20.0)
    assert slow["vx"][-1] == pytest.approx(-1.0, abs=1e-9)
    fast = da.simulate(free(Q1, forces={v: barrier}), {"x": 0, "vx": 2}, until=20.0)
    assert fast["vx"][-1] == pytest.approx(np.sqrt(4 - 2 * 1000 * 0.001), rel=1e-9)


def test_an_oscillator_whose_force_switches():
    x, v = Q1
    equations = free(Q1, forces={v: -10 * sp.sign(x)})
    path = da.simulate(equations, {"x": 1, "vx": 0.0}, until=20.0)
    quarter = np.sqrt(0.2)
    s = (20 / quarter) % 4
    expected = {
        0: lambda s: 1 - s**2,
        1: lambda s: -1 + (2 - s) ** 2,
        2: lambda s: -1 + (s - 2) ** 2,
        3: lambda s: 1 - (4 - s) ** 2,
    }
    assert path["x"][-1] == pytest.approx(expected[int(s)](s), abs=1e-8)


def test_every_crossing_of_a_fast_guard_in_long_steps():
    x, _ = Q1
    path = da.simulate(free(Q1), {"x": 0, "vx": 1}, until=1e4, events=[da.Event("turn", sp.sin(x), "mark", 1)])
    assert path.audit.steps < 50
    assert path.marks["turn"].t == pytest.approx(2 * np.pi * np.arange(1, 1592), rel=1e-12)


def test_a_mass_that_an_override_takes_away():
    q = da.coordinates("x phi")
    M = sp.Symbol("M", nonnegative=True)
    roll = {"roll": q["vx"] - q["vphi"]}
    system = da.System(q, (q["vx"] ** 2 + M * q["vphi"] ** 2) / 2 - q["x"], roll, parameters={"M": 1.0})
    equations = da.nonholonomic(system)
    for mass in (1.0, 0.0):
        path = da.simulate(equations, {"x": 0, "phi": 0, "vx": 0}, until=2.0, parameters={"M": mass})
        assert path.ok
        assert path["x"][-1] == pytest.approx(-2.0 / (1 + mass), rel=1e-12)


def test_a_constant_in_L_does_not_blind_the_audit():
    x, _ = Q1
    for constant in (0, 1e8):
        equations = free(Q1, x**4 + constant)
        with pytest.warns(da.DalembertWarning, match="W306"):
            path = da.simulate(equations, {"x": 1.0, "vx": 0.0}, until=300.0, rtol=1e-4)
        assert not path.ok


def test_a_start_far_from_the_origin_is_checked_at_the_size_of_its_terms():
    x, y, vx, vy = Q2
    system = da.System(Q2, (vx**2 + vy**2) / 2, {"rod": (x - 1000000) ** 2 + y**2 - 1})
    with pytest.raises(da.DalembertError, match="E232"):
        da.nonholonomic(system).start(x=1e6 + 1.0005, y=0, vx=0, vy=0)


def test_parameters_that_free_a_constraint_put_it_in_force():
    _, y, vx, vy = Q2
    a = sp.Symbol("a")
    with pytest.warns(da.DalembertWarning, match="W113"):
        equations = da.nonholonomic(
            da.System(Q2, (vx**2 + vy**2) / 2 - y, {"c": vx, "d": vx + a * vx}, parameters={"a": 0})
        )
    assert equations.start(x=0, y=0, vy=0, parameters={"a": 2.0})["vx"] == 0
    Q = da.coordinates("p q r")
    rows = {"c": Q["vp"], "d": Q["vp"] + a * Q["vq"]}
    with pytest.warns(da.DalembertWarning, match="W113"):
        equations = da.nonholonomic(da.System(Q, sum(u**2 for u in Q.velocities) / 2, rows, parameters={"a": 0}))
    state = {"p": 0, "q": 0, "r": 0, "vr": 1}
    start = equations.start(**state, parameters={"a": 1.0})
    assert (start["vp"], start["vq"]) == (0, 0)
    path = da.simulate(equations, start, until=1.0)
    assert path.ok
    assert path.values[-1, :3] == pytest.approx([0.0, 0.0, 1.0])


def test_of_two_laws_with_one_name_neither_hides_the_other():
    _, _, vx, vy = Q2
    k, c = sp.symbols("k c")
    laws = [da.forces.viscous_friction([vx], k), da.forces.viscous_friction([vy], c)]
    T = (vx**2 + vy**2) / 2
    for values in ({"k": -1.0, "c": 1.0}, {"k": 1.0, "c": -1.0}):
        with pytest.raises(da.DalembertError, match="E128"):
            da.System(Q2, T, forces=laws, parameters=values).values()
    dry = [da.forces.rolling_friction([vx], k, 9.81), da.forces.rolling_friction([vy], c, 9.81)]
    equations = da.free(da.System(Q2, T, forces=dry, parameters={"k": 0.1, "c": 0.3}))
    path = da.simulate(equations, {"x": 0, "y": 0, "vx": 1.0, "vy": 1.0}, until=5.0)
    assert path.outcome.startswith("stopped by rolling friction 2 at rest")  # the stronger one stops first
    assert path.t[-1] == pytest.approx(1 / (0.3 * 9.81), rel=1e-5)


@pytest.mark.parametrize("by", [0, -1, 1, -3, 3])
def test_a_wall_that_is_met_where_an_input_jumps_is_met_once(by):
    """The jump of the input cuts a piece as short as rounding off the motion that leaves the wall."""
    q = da.coordinates("x y")
    _, y, vx, vy = q
    walls = {"floor": {"guard": y, "restitution": 0.5}}
    system = da.System(q, (vx**2 + vy**2) / 2 - 8 * y, walls=walls, forces={"x": "F"}, inputs="F")
    times = np.array([0, 0.5 + by * np.spacing(0.25), 1.0])
    path = da.simulate(
        da.free(system), {"x": 0, "y": 1, "vx": 0, "vy": 0}, until=0.7, inputs={"F": (times, [0.0, 0.1, 0.2])}
    )
    assert path.ok
    assert path.marks["floor"].t == pytest.approx([0.5], abs=1e-14)
    # it falls at 4 and leaves at 2
    assert path["vy"][-1] == pytest.approx(2 - 8 * 0.2, abs=1e-12)
    assert path["vx"][-1] == pytest.approx(0.1 * 0.2, abs=1e-12)


def test_the_first_step_of_a_slip_misses_by_the_fifth_power_of_its_length():
    """Of q'' = t - q, the time told by the part of the step: errors of a step and of half of it are as 32 to 1."""

    def missed(tau):
        class Swing(SlipOnset):
            def _rates(self, there, part, ends):
                return np.array([there.u[0], part * tau - there.q[0]])

        eye = SimpleNamespace(see=lambda t, y: SimpleNamespace(t=t, q=y[:1], u=y[1:]))
        end = Swing(eye, eye.see(0.0, np.array([1.0, 0.5])), None, ())._later(tau, {})
        # q = t + cos t - sin(t)/2
        exact = tau + np.cos(tau) - np.sin(tau) / 2, 1 - np.sin(tau) - np.cos(tau) / 2
        return np.abs([end.q[0] - exact[0], end.u[0] - exact[1]]).max()

    assert missed(0.2) / missed(0.1) == pytest.approx(32, rel=0.1)
