"""Losses of rank along a run: found where they are, and looked for no longer than rounding lets them be seen."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.events import roots
from dalembert.numerics.events.roots import zeros

ROUNDED = 3e-16


def left_over(gap):
    """(x - 0.4)^2 + gap as what is left over from numbers of size 1."""
    return lambda x: (1 + (x - 0.4) ** 2 + gap) - 1


@pytest.mark.parametrize("gap", [1e-6, 1e-8, 1e-10])
def test_a_function_of_rounding_level_is_not_halved_for_ever(gap):
    asked = []

    def counted(x):
        asked.append(len(x))
        return left_over(gap)(x)

    times = 0.4 + np.linspace(-1e-3, 1e-3, 40)
    found = zeros(counted, times, noise=16 * ROUNDED)
    assert not found.times.size
    assert not found.flat.any()
    assert sum(asked) < 100 * len(times)


def test_the_noise_may_differ_from_step_to_step():
    noise = np.array([1.0, 1e-14, 1e-14, 1.0])
    found = zeros(lambda t: 0.1 * np.sin(np.pi * t), np.linspace(0.0, 4.0, 5) + 0.5, noise=noise)
    assert found.flat.tolist() == [True, False, False, True]
    np.testing.assert_allclose(found.times, [2.0, 3.0], atol=1e-14)


def particle(gap):
    """Velocities whose energies are left over: the metric has determinant 1e-6 (x - 1)^2 + gap."""
    q = da.coordinates("x y z")
    x, _y, _z, vx, vy, vz = q
    return da.nonholonomic(da.System(q, (vx**2 + vy**2 + 2 * vy * vz + (1 + 1e-6 * (x - 1) ** 2 + gap) * vz**2) / 2))


@pytest.mark.parametrize(("gap", "lost"), [(1e-8, False), (1e-10, False), (0.0, True), (-1e-7, True)])
def test_a_pivot_left_over_is_lost_where_it_is_0_and_nowhere_else(gap, lost, monkeypatch):
    pieces, search = [], roots._search

    def counted(*given):
        found, looked = search(*given)
        pieces.append(len(found.a))
        return found, looked

    monkeypatch.setattr(roots, "_search", counted)
    # the plane vz = 0 is kept, so that nothing but the metric tells of the place
    path = da.simulate(particle(gap), {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 0.3, "vz": 0}, until=2.0, max_step=0.01)
    assert sum(pieces) < 100  # without regard to rounding some 250 000
    if not lost:
        assert path.ok
        return
    assert path.message.startswith("E404")
    assert path.t[-1] == pytest.approx(1 - np.sqrt(-gap / 1e-6), abs=1e-4)


def test_a_pivot_that_sinks_into_rounding_is_lost():
    # it stays above 0, but beside 1 not one digit of it is left: 0.01/(1 + exp(20 (x - 8)))
    q = da.coordinates("x y z")
    x, _y, _z, vx, vy, vz = q
    left = 1e-15 + sp.Rational(1, 100) / (1 + sp.exp(20 * (x - 8)))
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2 + 2 * vy * vz + (1 + left) * vz**2) / 2))
    assert equations.definite
    path = da.simulate(equations, {"x": 7, "y": 0, "z": 0, "vx": 1, "vy": 0.3, "vz": 0}, until=5.0, max_step=0.01)
    assert path.message.startswith("E404")
    assert path.t[-1] == pytest.approx(1 + np.log(0.01 / ROUNDED / 24) / 20, abs=0.05)


def sphere(th, turn, until, **options):
    """Free motion on the unit sphere from polar angles (th, 0) at the rates (0.3, turn)."""
    q = da.coordinates("th ph")
    th_, _ph, vth, vph = q
    free = da.free(da.System(q, (vth**2 + sp.sin(th_) ** 2 * vph**2) / 2))
    return da.simulate(free, {"th": th, "ph": 0, "vth": 0.3, "vph": turn}, until=until, **options)


def test_beside_a_pole_the_looking_does_not_outweigh_the_running(monkeypatch):
    # th = 3.14159 has 1e-10 of its distance from the pole: pivots sin(th)^2 that no halving makes smoother
    asked, values = [], roots._values
    monkeypatch.setattr(roots, "_values", lambda g, t: (asked.append(t.size), values(g, t))[1])
    path = sphere(3.14159, 0.5, 3.0, max_steps=20_000)
    assert path.message.startswith("E313")
    assert "vph has become" in path.message
    assert "pole" in path.message
    assert sum(asked) < 100 * path.audit.steps  # it was 10^5 a step


def test_a_motion_past_the_pole_is_a_great_circle():
    start, turn, end = 3.1, 0.5, 3.0
    path = sphere(start, turn, end)
    assert path.ok
    r = np.array([np.sin(start), 0, np.cos(start)])
    v = 0.3 * np.array([np.cos(start), 0, -np.sin(start)]) + np.sin(start) * turn * np.array([0, 1.0, 0])
    w = np.linalg.norm(v)
    # r(t) = r cos(w t) + v sin(w t)/w
    exact = r * np.cos(w * end) + v * np.sin(w * end) / w
    th, ph = path["th"][-1], path["ph"][-1]
    np.testing.assert_allclose([np.sin(th) * np.cos(ph), np.sin(th) * np.sin(ph), np.cos(th)], exact, atol=1e-8)


def plane(relation):
    """A free particle whose only constraint is x vz = 0, or vy = 0 and x vz = 0: of a lower rank at x = 0."""
    q = da.coordinates("x y z")
    x, _y, _z, vx, vy, vz = q
    rows = {"one": {"b": x * vz}, "two": {"a": vy, "b": vy + x * vz}}[relation]
    return da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2, rows))


@pytest.mark.parametrize("relation", ["one", "two"])
@pytest.mark.parametrize(
    "options",
    [
        {"method": "taylor"},
        {"method": "taylor", "stabilisation": da.methods.Drift()},
        {"method": "taylor", "dense": False},
        {"method": "radau"},
        {"method": "dop853"},
    ],
    ids=["taylor", "written", "not kept", "radau", "dop853"],
)
def test_no_step_is_so_long_that_it_passes_over_a_loss_of_rank(relation, options):
    # the motion is straight and uniform: nothing of it bounds the steps, and x = 0 lies far inside one
    equations, aside = plane(relation), {"one": 0.3, "two": 0}[relation]
    for x in -(10.0 ** np.linspace(0.05, 3.9, 60)):
        path = da.simulate(equations, {"x": x, "y": 0, "z": 0, "vx": 1, "vy": aside, "vz": 0}, until=1e5, **options)
        assert path.message.startswith("E404")
        assert path.t[-1] == pytest.approx(-x, rel=0.05)


def test_the_end_of_a_path_is_finite_where_the_rank_is_lost():
    path = da.simulate(plane("two"), {"x": -1, "y": 0, "z": 0, "vx": 1, "vy": 0, "vz": 0}, until=3)
    assert path.message.startswith("E404")
    assert np.isfinite(list(path.at(path.t[-1]).values())).all()
