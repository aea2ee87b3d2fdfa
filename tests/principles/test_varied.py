"""Variations of curves: (1.185), (1.236) and (1.237) of the notes on SICM, on systems of five kinds."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import appell_hamel, pendulum_cartesian, symmetric_sphere
from dalembert.systems import ball_on_turntable as ball


@pytest.fixture(scope="module")
def skate():
    q = da.coordinates("x y theta")
    blade = {"blade": "dot(x)*sin(theta) - dot(y)*cos(theta)"}
    return da.System(q, "(dot(x)^2 + dot(y)^2 + dot(theta)^2)/2", constraints=blade, title="Skate")


CIRCLE = {"x": "sin(t)", "y": "1 - cos(t)", "theta": "t"}
FORWARD, TURN = {"x": "sin(t)*cos(theta)", "y": "sin(t)*sin(theta)"}, {"theta": "sin(t)"}


def test_a_virtual_velocity_need_not_keep_the_constraint_and_the_other_way_round(skate):
    # phi = xdot sin - ydot cos varies by d/dt(N eta) - EL(phi) eta:  forward: -thetadot |eta|;  turn: (v) dtheta
    circle = da.satisfies(skate, CIRCLE, over=(0, math.pi))
    forward = circle.varied(FORWARD)
    assert (forward.is_virtual, forward.keeps_constraints, forward.does_no_work) == (True, False, True)
    turn = circle.varied(TURN)
    assert (turn.is_virtual, turn.keeps_constraints, turn.does_no_work) == (True, False, True)
    # a turn of the whole picture, fast or slow, keeps the blade on its path
    whole = {"x": "-y", "y": "x", "theta": "1"}
    moved = circle.varied(whole)
    assert (moved.is_virtual, moved.keeps_constraints) == (False, True)
    # sideways at the top of the circle work is done by the blade
    across = circle.varied({"x": "sin(t)*sin(theta)", "y": "-sin(t)*cos(theta)"})
    assert (across.is_virtual, across.does_no_work) == (False, False)
    # E[L] = (-sin t, cos t, 0): dJ = int sin(t) dt = 2
    assert across.action == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize("eps", [1e-5])
def test_the_change_of_a_constraint_is_that_of_the_varied_curve(skate, eps):
    moved = {"x": "sin(3*t)", "y": "t^2", "theta": "cos(t)"}
    found = da.satisfies(skate, CIRCLE, over=(0, 2)).varied(moved)
    t = found.t
    phi = lambda e: (  # noqa: E731  the constraint of the displaced curve, typed anew
        (np.cos(t) + 3 * e * np.cos(3 * t)) * np.sin(t + e * np.cos(t))
        - (np.sin(t) + 2 * e * t) * np.cos(t + e * np.cos(t))
    )
    change = np.abs((phi(eps) - phi(-eps)) / (2 * eps)).max()
    # sizes: |N| (|etadot| + |eta|/T) + |EL(phi)| |eta|
    N = np.array([np.sin(t), -np.cos(t), 0 * t])
    eta = np.array([np.sin(3 * t), t**2, np.cos(t)])
    slope = np.array([3 * np.cos(3 * t), 2 * t, -np.sin(t)])
    E = np.array([np.cos(t), np.sin(t), -np.ones_like(t)])  # d/dt N - dphi/dq along the circle
    size = (np.abs(N) * (np.abs(slope) + np.abs(eta) / 2)).sum(0) + (np.abs(E) * np.abs(eta)).sum(0)
    assert found.consistent["blade"] == pytest.approx(change / size.max(), rel=1e-6)


def test_what_breaks_a_curve_is_a_variation_that_its_principle_allows():
    sphere, table, machine = symmetric_sphere.system(), ball.system(), appell_hamel.system()
    starts = symmetric_sphere.START, {**ball.START, "w3": 0.0}, appell_hamel.START
    for system, start in zip((sphere, table, machine), starts, strict=True):
        path = da.simulate(da.nonholonomic(system), start, until=2.0, rtol=1e-12)
        verdict = da.satisfies(system, path)
        assert not verdict.vakonomic.holds
        found = verdict.varied(verdict.vakonomic.variation)
        assert max(found.consistent.values()) < 2e-3  # a layer at the ends is resolved that far
        assert found.action < -1e-9
        assert max(found.virtual.values()) > 1e-5


def test_on_a_holonomic_constraint_virtual_velocities_keep_it():
    system = pendulum_cartesian.system()
    path = da.simulate(da.nonholonomic(system), pendulum_cartesian.START, until=2.0)
    x, y = (s.name for s in system.space.coordinates[:2])
    along = da.satisfies(system, path).varied({x: f"sin(t)*{y}", y: f"-sin(t)*{x}"})
    assert (along.is_virtual, along.keeps_constraints, along.does_no_work) == (True, True, True)


def test_variations_on_a_rotation_are_given_by_velocities_or_by_attitudes():
    space = da.Space.product(da.rotation("R", frame="body"))
    w1, w2, w3 = space.velocities
    top = da.System(space, (w1**2 + 2 * w2**2 + 3 * w3**2) / 2, {"no_third": w3})
    spun = {"R_w": "cos(t)", "R_x": "sin(t)", "R_y": "0", "R_z": "0"}
    # delta w = etadot + w x eta: with w = (2, 0, 0), eta = (0, 1, 0) turns the third component by 2
    turning = da.satisfies(top, spun, over=(0, 1))
    one = turning.varied({w2: 1})
    assert (one.is_virtual, one.keeps_constraints) == (True, False)
    # a turn in space keeps the body's angular velocity
    same = turning.varied({"R_w": "-R_y", "R_x": "R_z", "R_y": "R_w", "R_z": "-R_x"})
    assert (same.is_virtual, same.keeps_constraints) == (False, True)
    with pytest.raises(ValueError, match="E152 no velocity"):
        turning.varied({"R_w": "1"})


def test_the_rate_on_pieces_is_a_derivative(skate):
    pieces = da.satisfies(skate, CIRCLE, over=(0, 2)).along.pieces
    t = pieces.t
    assert pieces.slope(np.sin(5 * t)[:, None])[:, 0] == pytest.approx(5 * np.cos(5 * t), abs=1e-9)


@pytest.mark.parametrize(
    ("variation", "said"),
    [({}, "gives nothing"), ({"z": "t"}, "gives z"), ({"x": "0"}, "is 0"), ({"x": "t", "vy": "t"}, "gives vy")],
)
def test_what_is_no_variation_is_refused(skate, variation, said):
    circle = da.satisfies(skate, CIRCLE, over=(0, 1))
    with pytest.raises(ValueError, match="E152") as met:
        circle.varied(variation)
    assert said in str(met.value)
    with pytest.raises(TypeError, match="E152"):
        circle.varied("x")
    with pytest.raises(ValueError, match="E152 arrays hold"):
        circle.varied({"x": np.ones(3)})
