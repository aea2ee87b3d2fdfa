"""Folds, Hopf points and branch points followed in a second parameter: closed boundaries, published equations."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from zoo import GALLERY

special = da.families.continue_special
p, q = da.coordinates("theta"), da.coordinates("x y")
w, g, l, a, b, c, k = sp.symbols("w g l a b c k")


def hoop():
    theta, vtheta = p["theta"], p["vtheta"]
    L = l**2 * (vtheta**2 + w**2 * sp.sin(theta) ** 2) / 2 + g * l * sp.cos(theta)
    return da.System(p, L, parameters={"w": 1.0, "g": 9.81, "l": 0.5})


def test_a_pendulum_in_a_hoop_tilts_where_w2_l_is_g():
    system = hoop()
    branch = da.continue_steady(system, parameter="w", start=da.steady(da.free(system), {"theta": 0}), over=(0.1, 10.0))
    for name, over in (("l", (0.2, 3.0)), ("g", (1.0, 20.0))):
        curve = special(branch, parameter=name, over=over)
        lengths = curve["l"] if name == "l" else 0.5
        gravity = curve["g"] if name == "g" else 9.81
        assert curve["w"] ** 2 * lengths == pytest.approx(gravity, rel=1e-8)
        assert sorted(curve[name][[0, -1]]) == pytest.approx(over)
        assert curve.kind == "branch point" and not curve.frequency.any()
    assert str(curve).startswith("curve of")


def test_a_cusp_of_folds():
    # x'' = a + b x - x^3 - x' has folds at 27 a^2 = 4 b^3, which meet in a cusp
    x = q["x"]
    line = da.coordinates("x")
    system = da.System(
        line,
        line["vx"] ** 2 / 2 + a * x + b * x**2 / 2 - x**4 / 4,
        forces={"vx": -line["vx"]},
        parameters={"a": -2.0, "b": 1.0},
    )
    start = da.steady(da.free(system), {"x": -1.5})
    branch = da.continue_steady(system, parameter="a", start=start, over=(-3.0, 3.0))
    assert [kind for kind, _ in branch.special] == ["fold", "fold"]
    curve = special(branch, 0, parameter="b", over=(-0.5, 2.0))
    assert 27 * curve["a"] ** 2 == pytest.approx(4 * curve["b"] ** 3, abs=1e-7)
    # round the cusp, and on to the other fold
    assert curve["b"].min() < 0.01 and curve["b"][[0, -1]] == pytest.approx(2.0)
    assert curve["a"][0] * curve["a"][-1] < 0
    assert curve["b"] == pytest.approx(3 * curve["x"] ** 2, abs=1e-7)


def test_flutter_of_a_follower_force_is_a_curve_of_hopf_points():
    # a pair of circulatory and damped oscillators: M = 1, K = (k1, -p; p, k2), damping c on both
    x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
    L = (vx**2 + vy**2) / 2 - x**2 / 2 - k * y**2 / 2
    forces = {"vx": a * y - c * vx, "vy": -a * x - c * vy}
    system = da.System(q, L, forces=forces, parameters={"a": 0.1, "c": 0.2, "k": 2.0})
    branch = da.continue_steady(system, parameter="a", start=da.steady(da.free(system), {}), over=(0.0, 2.0))
    # Re = 0: with s = l^2 + c l, (s + 1)(s + k) + a^2 = 0; 4 a^2 = (k - 1)^2 + 2 c^2 (k + 1)
    assert branch.special == [("Hopf", pytest.approx(math.sqrt(1 + 2 * 0.2**2 * 3) / 2))]
    curve = special(branch, parameter="k", over=(1.0, 4.0))
    assert 4 * curve["a"] ** 2 == pytest.approx((curve["k"] - 1) ** 2 + 2 * 0.2**2 * (curve["k"] + 1), abs=1e-7)
    assert curve.frequency**2 == pytest.approx((curve["k"] + 1) / 2, abs=1e-7)
    damped = special(branch, parameter="c", over=(0.05, 1.0))
    assert 4 * damped["a"] ** 2 == pytest.approx(1 + 6 * damped["c"] ** 2, abs=1e-7)


def test_frequencies_collide_on_a_curve():
    x, y = q["x"], q["y"]
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 + b * (x * q["vy"] - y * q["vx"]) / 2 + a * x**2 / 2 + 2 * y**2
    system = da.System(q, L, parameters={"b": 5.0, "a": 1.0})
    branch = da.continue_steady(system, parameter="b", start=da.steady(da.free(system), {}), over=(0.2, 6.0))
    curve = special(branch, parameter="a", over=(0.3, 3.0))
    assert curve["b"] == pytest.approx(np.sqrt(curve["a"]) + 2, abs=1e-6)


@pytest.fixture(scope="module")
def disc():
    return da.nonholonomic(GALLERY.reduction("rolling_disc").system)


def test_the_disc_stays_upright_above_a_curve(disc):
    m, r, C, gravity = (disc.system.values()[n] for n in ("m", "r", "C", "g"))
    upright = {"theta": math.pi / 2, "vpsi": 8.0}
    rolling = da.steady(disc, upright, fix="theta vpsi")
    branch = da.continue_steady(disc, parameter="vpsi", start=rolling, over=(0.1, 10.0))
    curve = special(branch, parameter="A", over=(0.01, 0.3), fix="theta")
    # vpsi^2 = A m g r/(C (C + m r^2))
    assert curve["vpsi"] ** 2 == pytest.approx(curve["A"] * m * gravity * r / (C * (C + m * r**2)), rel=1e-7)


def test_what_is_no_special_point_is_refused():
    system = hoop()
    branch = da.continue_steady(system, parameter="w", start=da.steady(da.free(system), {"theta": 0}), over=(0.1, 10.0))
    for given, code in (
        ((branch, 3, {"parameter": "l", "over": (0.2, 3.0)}), "E241"),
        ((branch, 0, {"parameter": "w", "over": (0.2, 3.0)}), "E241"),
        ((branch, 0, {"parameter": "l", "over": (2, 3.0)}), "E241"),
        ((branch, 0, {"parameter": "m", "over": (2, 3.0)}), "E202"),
        ((3, 0, {"parameter": "l", "over": (2, 3.0)}), "E241"),
    ):
        with pytest.raises(da.DalembertError) as refused:
            special(given[0], given[1], **given[2])
        assert refused.value.code == code and refused.value.remedy
