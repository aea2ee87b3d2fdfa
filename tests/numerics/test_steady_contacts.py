"""Steady motions of what touches are those of its mode: at rest, sliding, rolling; elsewhere they are refused."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import block_on_belt

G = 9.81


def swing(mu=0.5, k=4.0):
    """A block on a floor, on a spring that pulls it from above."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    L = (vx**2 + vy**2) / 2 - G * y - k * x**2 / 2
    return da.nonholonomic(da.System(q, L, contacts={"floor": da.contact(y, [vx], mu=mu)}))


def test_a_block_that_slides_on_a_belt_stands_where_the_spring_balances_friction():
    equations = da.nonholonomic(block_on_belt.system())
    there = block_on_belt.STARTS["balanced"]
    found = da.steady(equations, {**there, "x": there["x"] + 0.01})
    assert found.state["x"] == pytest.approx(there["x"], abs=1e-12)
    assert np.sort(found.eigenvalues.imag) == pytest.approx([-math.sqrt(10), math.sqrt(10)], abs=1e-9)
    assert da.linearise(equations, found).eigenvalues.imag == pytest.approx(found.eigenvalues.imag, abs=1e-9)


def test_what_sticks_rests_where_it_is_held():
    """k |x| <= mu g."""
    found = da.steady(swing(), {"x": 0.9, "y": 0.0})
    assert found.state == {"x": 0.9, "y": 0, "vx": 0, "vy": 0}
    assert found.verdict == "stable to first order"


def test_a_ball_that_rolls_in_a_bowl_swings_about_its_bottom_as_the_rolling_one_does():
    """7/5 (b - r) phi'' = - g sin(phi)."""
    q = da.coordinates("x y phi", velocities="vx vy w")
    x, y, vx, vy, w = (q[n] for n in ("x", "y", "vx", "vy", "w"))
    b, r = 1.0, 0.2
    # from the middle of the bowl
    out = (x**2 + y**2) ** 0.5
    along = (x * vy - y * vx) / out
    L = (vx**2 + vy**2) / 2 + r**2 * w**2 / 5 - G * y
    bowl = da.contact(b - r - out, [along + r * w], mu=0.3)
    ball = da.nonholonomic(da.System(q, L, contacts={"bowl": bowl}))
    found = da.steady(ball, {"x": 0.0, "y": r - b})
    assert max(found.eigenvalues.imag) == pytest.approx(math.sqrt(5 * G / (7 * (b - r))), rel=1e-9)


def test_a_steady_motion_in_another_mode_than_that_of_the_guess_is_refused():
    """A block on a ledge whose spring's rest lies beyond what friction holds."""
    slides = swing(mu=0.1)
    with pytest.raises(da.DalembertError, match=r"(?s)E139 the mode of floor changes.*look near"):
        da.steady(slides, {"x": 0.9, "y": 0.0})
    q = da.coordinates("x y")
    x, y, vx, vy = q
    # the floor lasts at the guess, and would have to pull at the bottom of the potential
    L = (vx**2 + vy**2) / 2 - 2 * (x - 1) ** 2 - (10 - 20 * x) * y
    lifted = da.nonholonomic(da.System(q, L, contacts={"floor": da.contact(y)}))
    with pytest.raises(da.DalembertError, match="E244 at the steady motion near the guess the mode of floor"):
        da.steady(lifted, {"x": 0.3, "y": 0.0})


def test_families_refuse_contacts():
    equations = da.nonholonomic(block_on_belt.system())
    found = da.steady(equations, block_on_belt.STARTS["balanced"])
    (name, value), *_ = found.parameters.items()
    with pytest.raises(da.DalembertError, match="E139 a family of steady motions"):
        da.continue_steady(equations, parameter=name, start=found, over=(0.5 * value, 2 * value))
