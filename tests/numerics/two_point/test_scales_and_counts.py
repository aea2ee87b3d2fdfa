"""Ends that hardly differ, other units of length, conjugate points that lie close, and what is said of each curve."""

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.numerics.policy import Policy
from dalembert.numerics.two_point import two_point
from dalembert.numerics.two_point.boundary_conditions import problem_of
from dalembert.numerics.two_point.collocation import check
from dalembert.numerics.two_point.extremal_curve import polished
from dalembert.numerics.two_point.initial_guesses import points
from dalembert.numerics.two_point.shooting import descend
from dalembert.numerics.two_point.two_point import _remarks
from dalembert.systems import heisenberg

PLANE = da.plane("x y")
X, Y, VX, VY = PLANE
HERE = {"x": 0, "y": 0}
ORIGIN = {"x": 0, "y": 0, "z": 0}
FLAT = da.vakonomic(heisenberg.system(m=1))
FREE = da.free(da.System(PLANE, (VX**2 + VY**2) / 2))


def oscillator(rate, other=1, forces=None):
    return da.free(da.System(PLANE, (VX**2 + VY**2 - other**2 * X**2 - rate**2 * Y**2) / 2, forces=forces))


@pytest.mark.parametrize("x", [math.cos(math.pi / 2), 1e-7, 1e-5, 1e-3, 0.0])
def test_a_coordinate_that_hardly_changes_does_no_harm(x):
    found = two_point(oscillator(1), HERE, {"x": x, "y": 1}, duration=1, starts=10, check=False)
    assert found.converged == 10 and len(found) == 1  # the problem is linear
    # S = cot(T) |q|^2 / 2
    assert found[0].action == pytest.approx((1 + x**2) / (2 * math.tan(1)), rel=1e-12)


@pytest.mark.parametrize("c", [1e-17, 1e-10, 1e-3])
def test_nearly_vertical_ends_are_met(c):
    found = two_point(FLAT, ORIGIN, {"x": c, "y": 0, "z": 1}, duration=1, starts=12, check=False)
    # a whole circle of area 1 has S = 2 pi; a chord of c changes it by no more than |p| c, |p| = sqrt(4 pi)
    assert abs(found[0].action - 2 * math.pi) <= 4 * c + 1e-7


@pytest.mark.parametrize("s", [1e-3, 1e3])
def test_other_units_of_length_change_no_index(s):
    """(x, y, z) -> (s x, s y, s^2 z) takes extremals to extremals and S to s^2 S."""
    end = {"x": 0.6, "y": -0.3, "z": 0.99}
    one = two_point(FLAT, ORIGIN, end, duration=1.3, starts=30, check=False)
    other = two_point(
        FLAT, ORIGIN, {"x": 0.6 * s, "y": -0.3 * s, "z": 0.99 * s**2}, duration=1.3, starts=30, check=False
    )
    assert [e.index for e in one[:4]] == [e.index for e in other[:4]] == [0, 1, 2, 3]
    np.testing.assert_allclose([e.action / s**2 for e in other[:4]], [e.action for e in one[:4]], rtol=1e-9)


def test_tiny_ends_are_confirmed():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = two_point(oscillator(2), HERE, {"x": 1e-9, "y": 2e-9}, duration=1, starts=3)
    assert found[0].checked.agrees and found[0].checked.curve < 1e-5
    fallen = da.free(da.System(PLANE, (VX**2 + VY**2) / 2 - 9.81 * Y))
    found = two_point(fallen, HERE, {"x": 1e-9, "y": 2e-9}, duration=1, starts=5, check=False)
    assert found[0].action == pytest.approx(-(9.81**2) / 24, rel=1e-8)


@pytest.mark.parametrize(
    "rate, other, duration",
    [(1.02, 1, 10), (1.003, 1, 10), (1.0001, 1, 10), (17.3, 1, 10), (0.62, 1, 100), (1, 1, 2 * math.pi + 0.1)],
)
def test_conjugate_points_that_lie_close_are_all_counted(rate, other, duration):
    (e,) = two_point(oscillator(rate, other), HERE, {"x": 0.5, "y": 0.3}, duration=duration, starts=3, check=False)
    known = [math.pi * k / w for w in (rate, other) for k in range(1, int(duration * w / math.pi) + 1)]
    assert e.index == len(known)
    np.testing.assert_allclose(e.conjugate, sorted(known), rtol=1e-8)


def test_an_unstable_motion_has_no_index_rather_than_a_wrong_one(monkeypatch):
    """Directions that grow like exp(2.8 t) and exp(t): L is convex in q too, so there are no zeros."""
    mixed = da.free(da.System(PLANE, (VX**2 + VY**2) / 2 + 2 * (X + Y) ** 2 + (X - Y) ** 2 / 4))
    search = {"start": HERE, "end": {"x": 1, "y": 2}, "duration": 3, "starts": 3, "check": False}
    assert two_point(mixed, **search)[0].index == 0
    monkeypatch.setattr("dalembert.numerics.two_point.extremal_curve.ALIKE", 1.0)
    (e,) = two_point(mixed, **search)
    assert e.conjugate is None and e.index is None and "too unstable" in str(e)


def test_an_open_multiplier_is_said_of_the_curves_that_have_it():
    def pair(idle):
        return SimpleNamespace(family=False), SimpleNamespace(idle=idle, beside="")

    some, every = [pair(()), pair(("lam_a",))], [pair(("lam_a",))]
    said = [remark for remark in _remarks(some, changing=False) if "least action" not in remark]
    assert said == [
        "lam_a: not determined by the ends for number 1; these curves and their actions do not depend on it"
    ]
    assert "by the ends; curves" in next(_remarks(every, changing=False))


def test_where_the_index_is_not_defined_there_is_none():
    damped = two_point(oscillator(1, forces={"vx": -VX / 5}), HERE, {"x": 1, "y": 1}, duration=4, starts=3, check=False)
    assert damped[0].conjugate and damped[0].index is None
    free = two_point(oscillator(1), HERE, {"x": 1}, duration=4, starts=3, check=False)
    assert free[0].conjugate and free[0].index is None
    held = two_point(oscillator(1), {**HERE, "vy": 0.2}, {"x": 1}, duration=4, starts=3, check=False)
    assert held[0].index is None


def test_collocation_compares_action_and_curve():
    rng = np.random.default_rng(0)
    setting = problem_of(oscillator(1), HERE, {"x": 1, "y": 1}, 0.0, 1.0, None, rng)
    fine = Policy.of({"rtol": 1e-13})
    point = next(points(setting.problem, setting.ways, 1, rng))
    curve = polished(setting, descend(setting.problem, point, fine, 1e-7), fine, fine, [])
    (right,) = two_point(oscillator(1), HERE, {"x": 1, "y": 1}, duration=1, starts=3, check=False)
    (aside,) = two_point(oscillator(1), HERE, {"x": 1, "y": 1.01}, duration=1, starts=3, check=False)

    def agrees(path, action):
        return check(
            setting.problem, curve.flight.flow.field, curve.shot, curve.rank, path, (action, curve.size)
        ).agrees

    assert agrees(right.path, curve.action)
    assert not agrees(right.path, curve.action + 1e-3 * curve.size)
    assert not agrees(aside.path, curve.action)


@pytest.mark.parametrize("start, end", [("2 deg", "5 cm"), ("30 deg", "5 s")])
def test_the_units_of_both_ends_agree(start, end):
    with pytest.raises(DalembertError) as caught:
        two_point(FREE, {"x": start, "y": 0}, {"x": end, "y": 1}, duration=1)
    assert caught.value.code == "E207" and "x at the end" in str(caught.value)


REFUSED = {
    "samples": (FREE, {"x": 1, "y": 1}, {"samples": []}, "E307", "leave samples out"),
    "a far end": (FREE, {"x": 1e300, "y": 1}, {}, "E333", "velocities beyond"),
    "no time": (FREE, {"x": 1, "y": 1}, {"duration": 1e-300}, "E333", "units"),
    "negative energy": (da.free(da.System(PLANE, (VX**2 - VY**2) / 2)), {"x": 1, "y": 1}, {}, "E108", "negative"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_names_its_reason(case):
    equations, end, options, code, said = REFUSED[case]
    with pytest.raises(DalembertError) as caught:
        two_point(equations, HERE, end, **{"duration": 1.0, "starts": 3, **options})
    assert caught.value.code == code and said in str(caught.value)
