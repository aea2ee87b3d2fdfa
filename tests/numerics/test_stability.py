"""Verdicts on stability against truths derived by hand, over scales: no false yes, no false no."""

import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da

P, Q = da.coordinates("x"), da.coordinates("x y")
(X,), (V,) = P.coordinates, P.velocities
(x, y), (vx, vy) = Q.coordinates, Q.velocities
T = (vx**2 + vy**2) / 2
SCALES = (1e-12, 1e-6, 1.0, 1e6)
ATTRACTING, BOUNDED, UNSTABLE, OPEN = "attracting", "stable to first order", "unstable", "undecided"


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
    assert cubic.verdict == OPEN and cubic.trivial.sum() == 2 and cubic.answer.value is None
    weak = orbit(swing, vx=-vx + 1e-9 * x**3)  # beside which motions seem to come back too
    assert weak.verdict == BOUNDED and weak.answer.value is None
    slow = orbit(swing + 1e-12 * x**2 / 2)  # exp(2 pi 1e-6) is not 1
    assert slow.verdict == UNSTABLE and slow.trivial.sum() == 1 + 1
    assert orbit(swing, vx=-vx).verdict == ATTRACTING  # to motions of other amplitudes, elsewhere
    assert orbit(T - (x**2 + y**2) / 2, vy=x).verdict == UNSTABLE


def hoop(w2):
    return V**2 / 2 + w2 * sp.sin(X) ** 2 / 2 + sp.cos(X)


# L, the force, where: what is true, from x'' = -dV/dx + v F alone
LINES = {
    "a pendulum": (V**2 / 2 + sp.cos(X), 0, BOUNDED),
    "with damping": (V**2 / 2 + sp.cos(X), -V / 10, ATTRACTING),
    "upside down": (V**2 / 2 - sp.cos(X), -V / 10, UNSTABLE),
    "below the pitchfork": (hoop(0.99), -V, ATTRACTING),
    "at it: x' = -x^3/2": (hoop(1), -V, ATTRACTING),
    "at it, and pushed: x' = x^3/2": (hoop(1) + X**4 / 4, -V, UNSTABLE),
    "above": (hoop(1.01), -V, UNSTABLE),
    "at it, without damping": (hoop(1), 0, OPEN),
    "a slope of the third power": (V**2 / 2 - X**3, 0, UNSTABLE),
    "a saddle node": (V**2 / 2 - X**3 / 3, -V, UNSTABLE),
    "a rate of 1e-18": (V**2 / 2 + 5e-19 * X**2, -V, UNSTABLE),
    "a rate of -1e-18": (V**2 / 2 - 5e-19 * X**2, -V, ATTRACTING),
    # v (1 + x^2)^(1/2) stays: x goes on
    "free among rests": (V**2 * (1 + X**2) / 2, 0, UNSTABLE),
    # v + x^3/3 stays, and |x| below the cube root of three times it
    "rests that hold fast": (V**2 / 2, -(X**2) * V, OPEN),
}


@pytest.mark.parametrize("case", LINES)
def test_a_line_moves_as_its_force_says(case):
    L, force, truth = LINES[case]
    assert line(L, v=force).verdict == truth


# L, forces: what is true
PLANES = {
    "a hill": (T - (x**2 - y**2) / 2, {}, UNSTABLE),
    "held by gyroscopes": (T + 3 * (x * vy - y * vx) + (x**2 + y**2) / 2, {}, BOUNDED),
    # Thomson and Tait: what gyroscopes hold, damping lets go
    "and damped": (T + 3 * (x * vy - y * vx) + (x**2 + y**2) / 2, {"vx": -vx / 10, "vy": -vy / 10}, UNSTABLE),
    # (s^2 + 1)(s^2 + 2) = -1
    "a circulatory force": (T - (x**2 + 2 * y**2) / 2, {"vx": -y, "vy": x}, UNSTABLE),
    "a weak one": (T - (x**2 + 4 * y**2) / 2, {"vx": -y / 2, "vy": x / 2}, BOUNDED),
    # (s^2 + 16e12)^2, with one mode
    "a block, of fast motions": (T, {"vx": 32e12 * x + 48e12 * y, "vy": -48e12 * x - 64e12 * y}, UNSTABLE),
    # y = x^2 on the centre manifold:  x' = +-x^3, or rests
    "slaved, out": (T - y**2 / 2, {"vx": -vx + x * y, "vy": -vy + x**2}, UNSTABLE),
    "slaved, in": (T - y**2 / 2, {"vx": -vx - x * y, "vy": -vy + x**2}, ATTRACTING),
    "slaved, rests": (T - y**2 / 2, {"vx": -vx + x * y - x**3, "vy": -vy + x**2}, ATTRACTING),
    "beside a swing, out": (T - y**2 / 2, {"vx": -vx + x**3}, UNSTABLE),
    "beside a swing, in": (T - y**2 / 2, {"vx": -vx - x**3}, OPEN),
    "two directions, a spiral": (
        T,
        {"vx": -vx - (x**2 + y**2) * (x + 3 * y), "vy": -vy + (x**2 + y**2) * (3 * x - y)},
        OPEN,
    ),
    "two directions, a ray": (T, {"vx": -vx + x**3 - 3 * x * y**2, "vy": -vy + y**3 - 3 * x**2 * y}, UNSTABLE),
}


@pytest.mark.parametrize("case", PLANES)
def test_a_plane_moves_as_its_forces_say(case):
    L, forces, truth = PLANES[case]
    assert plane(L, **forces).verdict == truth


@pytest.mark.parametrize(("power", "truth"), [(1, ATTRACTING), (2, OPEN), (3, OPEN), (-1, UNSTABLE)])
def test_a_cycle_is_told_by_what_is_linear_alone(power, truth):
    # r' = +-(1 - r^2)^p r sin^2: attracting, half stable, weakly attracting, repelling
    force = (1 - X**2 - V**2) ** abs(power) * V * np.sign(power)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        cycle = da.free(da.System(P, (V**2 - X**2) / 2, forces={V: force}))
    assert da.periodic(cycle, {"x": 1, "vx": 0}, period=2 * np.pi).verdict == truth


def test_a_branch_is_told_by_the_same_errors_and_says_what_it_leaves_out():
    k, t = sp.symbols("k t")
    far = {"a": {"guard": x + 1, "restitution": 1}}

    def branch(L, walls=None, **forces):
        system = da.System(Q, L, forces=forces, walls=walls or {}, parameters={"k": 2.0})
        return da.continue_steady(system, parameter="k", start={"x": 0, "y": 0}, over=(1.0, 3.0))

    slow = branch(T - 1e12 * y**2 / 2 + k * 1e-6 * x**2 / 2, far)
    assert not slow.stable.any() and slow.growth == pytest.approx(1e-3 * np.sqrt(slow["k"]))
    assert slow.remarks[0] in str(slow) and "met only by disturbances that are not small: a" in slow.remarks
    meeting = branch(T - k * (x**2 + y**2) / 2, vy=x)
    assert not meeting.stable.any() and not meeting.growth.any()
    timed = branch(T - k * (x**2 + y**2) * (2 + sp.cos(t)) / 2)
    assert timed.stable.all() and "change with time" in timed.remarks[0]


@pytest.mark.parametrize("c", [1e-9, 0.0, -1e-9])
def test_a_family_tells_growth_beyond_its_own_errors(c):
    """z'' = -2 z + c z' beside swings of x: multipliers of z of size exp(c T/2), 1 + 3e-9 at most."""
    q = da.coordinates("x z", velocities="vx vz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)  # W127, it drives
        system = da.System(q, "(vx^2 + vz^2)/2 - k*x^2/2 - x^4/4 - z^2", parameters={"k": 1}, forces={"vz": f"{c}*vz"})
    equations = da.free(system)
    swing = da.periodic(equations, equations.start(x=0.5, z=0, vx=0, vz=0), period=6.0)
    family = da.families.continue_periodic(swing, parameter="k", over=(1, 1.05))
    assert len(family) > 2 and (family.stable == (c <= 0)).all()
    # a motion of the family has the verdict of one that is found by itself
    found = family.orbit(len(family) // 2)
    assert found.verdict == swing.verdict == ("unstable" if c > 0 else "stable to first order")
