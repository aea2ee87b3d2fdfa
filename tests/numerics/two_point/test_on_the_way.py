"""Motions with given ends that meet something between them: walls, contacts, jumps, inputs that change."""

import math
import re

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import dalembert as da

e, g, mu = sp.symbols("e g mu", positive=True)
FALL, BACK = 9.81, 0.5


def height(v, T):
    """y(T) of a ball thrown from y = 1 with v, and its bounces: arcs y + v s - g s^2/2, v -> -e v at y = 0."""
    y, t, bounces = 1.0, 0.0, 0
    while (s := (v + math.sqrt(v * v + 2 * FALL * y)) / FALL) < T - t:
        y, t, v, bounces = 0.0, t + s, -BACK * (v - FALL * s), bounces + 1
    return y + v * (T - t) - FALL * (T - t) ** 2 / 2, bounces


def test_a_ball_thrown_at_a_floor_has_every_motion_of_the_closed_form():
    """From y = 1 to 0.2 in 1.2: one arc, three motions of one bounce, two of two."""
    v = np.linspace(-14, 14, 1401)
    off = np.array([height(a, 1.2)[0] - 0.2 for a in v])
    near = [i for i in range(len(v) - 1) if off[i] * off[i + 1] < 0]
    roots = [brentq(lambda a: height(a, 1.2)[0] - 0.2, v[i], v[i + 1], xtol=1e-14) for i in near]
    assert sorted(height(a, 1.2)[1] for a in roots) == [0, 1, 1, 1, 2, 2]
    q = da.coordinates("y")
    y, vy = q
    system = da.System(q, vy**2 / 2 - g * y, walls={"floor": {"guard": y, "restitution": e}},
                       parameters={"g": FALL, "e": BACK})  # fmt: skip
    guesses = [{"vy": v[i]} for i in near]
    found = da.two_point(da.free(system), {"y": 1.0}, {"y": 0.2}, duration=1.2, starts=1, guesses=guesses, check=False)
    np.testing.assert_allclose(sorted(each.unknowns["vy"] for each in found), roots, rtol=1e-11)
    for each in found:
        hits = each.path.marks.get("floor")
        assert (0 if hits is None else len(hits.t)) == height(each.unknowns["vy"], 1.2)[1]
        assert each.conjugate is None and each.index is None


def test_between_two_elastic_walls_motions_are_straight_in_the_mirror_and_are_confirmed():
    """x + v T is an image of the end, 1 + 4 k or -1 + 4 k, and S = v^2 T/2."""
    q = da.coordinates("x")
    walls = {"left": {"guard": q["x"], "restitution": 1}, "right": {"guard": 2 - q["x"], "restitution": 1}}
    found = da.two_point(da.free(da.System(q, "vx^2/2", walls=walls)), {"x": 0.5}, {"x": 1}, duration=2.0, starts=4)
    assert len({round(each.unknowns["vx"], 6) for each in found}) > 1
    for each in found:
        v = each.unknowns["vx"]
        assert abs((0.5 + 2 * v) % 2 - 1) < 1e-9
        assert each.action == pytest.approx(v * v, rel=1e-12)
        assert each.checked.agrees and each.checked.route == "radau" and "radau" in str(found)


def ball_on_a_table():
    q = da.coordinates("x y phi", velocities="vx vy w")
    _, y, _, vx, vy, w = q
    L = (vx**2 + vy**2 + sp.Rational(2, 5) * w**2) / 2 - g * y
    table = da.contact(gap=y - 1, slip=[vx - w], mu=mu)
    return da.System(q, L, contacts={"table": table}, parameters={"g": FALL, "mu": 0.2})


def test_a_billiard_ball_that_slips_and_then_rolls_to_a_given_place():
    """It rolls from t = 2 v/(7 mu g) on, with 5 v/7."""
    system, a = ball_on_a_table(), 0.2 * FALL

    def place(v):
        t = 2 * v / (7 * a)
        return v * t - a * t * t / 2 + 5 * v / 7 * (2 - t)

    at_rest = {"x": 0, "y": 1, "phi": 0, "vy": 0, "w": 0}
    given = {"duration": 2.0, "starts": 1, "guesses": [{"vx": 2.0}]}
    (found,) = da.two_point(da.nonholonomic(system), at_rest, {"x": 3.0}, **given)
    v = found.unknowns["vx"]
    assert v == pytest.approx(brentq(lambda u: place(u) - 3, 1, 3), rel=1e-11)
    assert [word for _, _, word in found.path.modes] == ["slides", "sticks"]
    assert found.path.modes[1][0] == pytest.approx(2 * v / (7 * a), rel=1e-9)
    assert found.checked.agrees
    with pytest.raises(da.DalembertError, match="E139 vakonomic"):
        da.two_point(da.vakonomic(system), at_rest, {"x": 3.0}, **given)
    with pytest.raises(da.DalembertError, match=r"(?s)E331.*not completed where velocities jump, at table.*hold as"):
        da.two_point(da.nonholonomic(system), {"x": 0, "y": 1, "phi": 0}, {"x": 3.0}, **given)


def test_a_block_that_stops_where_it_should():
    """v^2 = 2 mu g d; where it sticks from the start nothing depends on it, and that is said."""
    q = da.coordinates("x y")
    _, y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, contacts={"table": da.contact(gap=y, slip=[vx], mu=mu)},
                       parameters={"g": FALL, "mu": 0.3})  # fmt: skip
    equations, given = da.nonholonomic(system), {"duration": 2.0, "starts": 1, "check": False}
    held = {"x": 0, "y": 0, "vy": 0}
    (found,) = da.two_point(equations, held, {"x": 1.0}, **given)
    assert found.unknowns["vx"] == pytest.approx(math.sqrt(2 * 0.3 * FALL), rel=1e-12)
    assert found.path.modes[-1][2] == "sticks" and found.path.modes[-1][0] < 1
    rest = str(da.two_point(equations, held, {"x": 0.0}, **given))
    assert "vx: nothing depends on it to first order, as where a contact sticks" in rest
    assert "derivatives hold on one side only" in rest


def test_where_the_motion_grazes_is_said():
    """Thrown from y = 1 below a ceiling at y = 2, whose touch is the highest place in the time."""
    q = da.coordinates("y")
    y, vy = q
    system = da.System(q, vy**2 / 2 - g * y, walls={"ceiling": {"guard": 2 - y, "restitution": e}},
                       parameters={"g": FALL, "e": BACK})  # fmt: skip
    T, v = 0.8, math.sqrt(2 * FALL)
    end = 1 + v * T - FALL * T * T / 2
    given = {"duration": T, "starts": 2, "check": False}
    found = da.two_point(da.free(system), {"y": 1.0}, {"y": end}, **given)
    assert found[0].unknowns["vy"] == pytest.approx(v, rel=1e-7)
    said = " ".join(str(found).split())
    assert "right beside it motions meet ceiling (it meets: nothing): derivatives hold on one side" in said
    with pytest.raises(da.DalembertError) as caught:
        da.two_point(da.free(system), {"y": 1.0}, {"y": end + 1e-3}, **given)
    assert caught.value.code == "E334"
    assert re.search(r"missed it by 0\.001(?s:.*)beside it motions meet ceiling(?s:.*)graze", str(caught.value))


def test_a_jump_and_a_force_that_switches():
    """x'' = -x, v -> v/2 at x = 0: x(T) = -sin(T - t0)/2 of the speed there; and +-5 on either side of x = 1."""
    q = da.coordinates("x")
    x, v = q
    kick = da.Event("kick", x, {"vx": v / 2}, direction=-1)
    swing = da.free(da.System(q, v**2 / 2 - x**2 / 2))
    (found,) = da.two_point(swing, {"x": 1}, {"x": -0.3}, duration=2, starts=1, events=[kick], check=False)
    # x = cos t + v sin t, of amplitude A, falls through 0 at t0
    u = found.unknowns["vx"]
    t0 = math.pi / 2 + math.atan(u)
    assert -math.hypot(1, u) / 2 * math.sin(2 - t0) == pytest.approx(-0.3, rel=1e-11)
    step = da.free(da.System(q, v**2 / 2, forces={"vx": -5 * sp.sign(x - 1)}))
    (found,) = da.two_point(step, {"x": 0}, {"x": 2}, duration=2, starts=1, guesses=[{"vx": -1.5}])[:1]
    # v t + 5 t^2/2 = 1 at half the time
    assert found.unknowns["vx"] == pytest.approx(-1.5, rel=1e-10)
    assert found.checked.agrees and found.conjugate is None


@pytest.mark.parametrize("kind", ["held", "linear"])
def test_an_input_that_is_given_by_a_table(kind):
    """x'' = F, x(1.7) = 1.7 v + the twofold integral of F; S is the integral of the speed squared, halved."""
    q = da.line("x")
    equations = da.free(da.System(q, "vx^2/2", forces={"vx": "F"}, inputs="F"))
    table = ([0, 1, 2], [1.0, -1.0, 0.0])
    law = table if kind == "held" else da.inputs.tabulated(*table, kind)
    (found,) = da.two_point(equations, {"x": 0}, {"x": 1}, duration=1.7, starts=1, inputs={"F": law})
    t = sp.Symbol("t")
    F = [(sp.Integer(1), 0, 1), (sp.Integer(-1), 1, 1.7)] if kind == "held" else [(1 - 2 * t, 0, 1), (t - 2, 1, 1.7)]
    pushed = sum(float(sp.integrate((sp.Rational(17, 10) - t) * f, (t, a, sp.nsimplify(b)))) for f, a, b in F)
    assert found.unknowns["vx"] == pytest.approx((1 - pushed) / 1.7, rel=1e-12)
    ways, u = [], sp.Float(found.unknowns["vx"], 30)
    for f, a, b in F:
        speed = u + sp.integrate(f, (t, a, t))
        ways.append(float(sp.integrate(speed**2 / 2, (t, a, sp.nsimplify(b)))))
        u = speed.subs(t, sp.nsimplify(b))
    assert found.action == pytest.approx(sum(ways), rel=1e-11)
    assert found.checked.agrees
    again = da.simulate(equations, found.start, until=1.7, inputs={"F": law})
    assert again["x"][-1] == pytest.approx(1, rel=1e-11)
    with pytest.raises(da.DalembertError, match="E186 the input F is given by a function, and two_point"):
        da.two_point(equations, {"x": 0}, {"x": 1}, duration=1.7, inputs={"F": lambda t, state: 0.0})
