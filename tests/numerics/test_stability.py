"""Verdicts on stability against truths derived by hand, over scales: no false yes, no false no."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

P, Q = da.coordinates("x"), da.coordinates("x y")
(X,), (V,) = P.coordinates, P.velocities
(x, y), (vx, vy) = Q.coordinates, Q.velocities
T = (vx**2 + vy**2) / 2
SCALES = (1e-12, 1e-6, 1.0, 1e6)
ATTRACTING, BOUNDED, UNSTABLE = "attracting", "stable to first order", "unstable"


def line(L, **forces):
    return da.steady(da.free(da.System(P, L, forces={V: forces.get("v", 0)})), {"x": 0})


def plane(L, **forces):
    return da.steady(da.free(da.System(Q, L, forces=forces)), {"x": 0, "y": 0})


@pytest.mark.parametrize("c", SCALES)
@pytest.mark.parametrize(
    ("power", "sign", "truth"),
    [(2, 1, UNSTABLE), (3, 1, UNSTABLE), (3, -1, ATTRACTING), (4, -1, UNSTABLE), (5, 1, UNSTABLE)],
)
def test_on_a_centre_the_leading_term_decides(c, power, sign, truth):
    # x' = c x^k + ... on the centre manifold of x'' = -x' + c x^k
    assert line(V**2 / 2, v=-V + sign * c * X**power).verdict == truth


@pytest.mark.parametrize("c", SCALES)
def test_a_particle_on_a_top_falls_and_at_a_flat_bottom_nothing_is_said(c):
    assert line(V**2 / 2, v=c * X**3).verdict == UNSTABLE
    assert line(V**2 / 2 + c * X**4).verdict == UNSTABLE
    flat = line(V**2 / 2 - c * X**4)  # stable, by the energy; the linear motion grows like t
    assert flat.verdict == "undecided" and flat.answer.value is None
    assert plane(T + c * (x**4 - y**4)).verdict == UNSTABLE
    assert plane(T - c * (x**4 + y**4)).verdict == "undecided"


@pytest.mark.parametrize("c", SCALES)
def test_linear_motions_are_told_by_their_modes(c):
    assert plane(T - c * (x**2 + y**2) / 2).verdict == BOUNDED  # double, with two modes
    assert plane(T - c * (x**2 + y**2) / 2, vy=c * x).verdict == UNSTABLE  # t sin(t)
    assert plane(c * T).verdict == UNSTABLE  # x = v t
    assert plane(T, vx=-c * vx, vy=-c * vy).verdict == ATTRACTING  # to the family of rests
    slow = plane(T - c * x**2 / 2 + 1e-12 * c * y**2 / 2)  # a rate of 1e-6 beside 1
    assert slow.verdict == UNSTABLE and slow.growth == pytest.approx(1e-6 * np.sqrt(c), rel=1e-6)
    assert plane(T - 1e12 * y**2 / 2 + 1e-6 * x**2 / 2).growth == pytest.approx(1e-3)


def test_a_valley_of_rests_attracts_and_a_wall_that_moves_decides_nothing():
    assert plane(T - (y - x**2) ** 2 / 2, vx=-vx, vy=-vy).verdict == ATTRACTING
    wall = {"a": {"guard": X + sp.sin(sp.Symbol("t")) / 5 + 0.1, "restitution": 1}}
    found = da.steady(da.free(da.System(P, V**2 / 2 - X**2, forces={V: -V / 10}, walls=wall)), {"x": 0})
    assert found.verdict == "undecided" and "change with time" in str(found)


def test_what_was_given_and_is_not_found_is_told():
    rolls = da.free(da.System(P, V**2 / 2 + sp.cos(X)))
    found = da.steady(rolls, {"x": 0.1, "vx": 6.0})
    assert found.state["vx"] == 0 and "vx = 0 for 6" in found.remarks[0] and found.remarks[0] in str(found)


def test_a_multiplier_one_is_explained_by_a_family_or_not_at_all():
    swing, start = T - y**2 / 2, {"x": 0, "y": 1, "vx": 0, "vy": 0}

    def orbit(L, **forces):
        return da.periodic(da.free(da.System(Q, L, forces=forces)), start, period=2 * np.pi)

    cubic = orbit(swing, vx=-vx + x**3)
    assert cubic.verdict == UNSTABLE and cubic.trivial.sum() == 2 and not cubic.answer
    slow = orbit(swing + 1e-12 * x**2 / 2)  # exp(2 pi 1e-6) is not 1
    assert slow.verdict == UNSTABLE and slow.trivial.sum() == 1 + 1
    assert orbit(swing, vx=-vx).verdict == ATTRACTING  # to motions of other amplitudes, elsewhere
    assert orbit(T - (x**2 + y**2) / 2, vy=x).verdict == UNSTABLE
