"""The rattleback [kane1982]: contact, swings, mirror, and the turn of the spin."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import rattleback
from zoo import GALLERY

FIX = ["g1", "g2", "g3", "w1", "w2", "w3"]


@pytest.fixture(scope="module")
def stone():
    return da.free(GALLERY.reduction("rattleback").system)


def test_the_lowest_point_of_the_ellipsoid_is_at_rest(named):
    system = rattleback.system()
    path = named("rattleback").path("rocking")
    p = system.values()
    half = np.array([p["a"], p["b"], p["c"]])
    for t in np.linspace(0, 3, 7):
        at = path.at(t)
        R = Rotation.from_quat([at[f"R_{c}"] for c in "xyzw"]).as_matrix()
        # the lowest of the points  d e3 + (a, b, c) * n  over unit vectors n, by its support function
        down = -R[2] * half
        point = np.array([0, 0, p["d"]]) + half * down / np.linalg.norm(down)
        v = np.array([at[f"v{i}"] for i in (1, 2, 3)]) + np.cross([at[f"w{i}"] for i in (1, 2, 3)], point)
        assert np.abs(v).max() < 1e-9
        # it stays at its height
        assert at["z"] + R[2] @ point == pytest.approx(path.at(0.0)["z"] + _lowest(path.at(0.0), p), abs=1e-9)


def _lowest(at, p):
    gamma = Rotation.from_quat([at[f"R_{c}"] for c in "xyzw"]).as_matrix()[2]
    return p["d"] * gamma[2] - math.sqrt((p["a"] * gamma[0]) ** 2 + (p["b"] * gamma[1]) ** 2 + (p["c"] * gamma[2]) ** 2)


def test_swings_of_a_stone_at_rest(stone):
    # axes that agree: two pendulums,  (I2 + m l^2) w^2 = m g (a^2/c - l) about axis 2, l = c - d the height
    p = rattleback.system().values()
    l = p["c"] - p["d"]
    found = da.steady(stone, {"g3": 1.0}, ["g1", "g2", "g3", "w3"], {"I12": 0.0})
    expected = [
        math.sqrt(p["m"] * p["g"] * (r**2 / p["c"] - l) / (I + p["m"] * l**2))
        for r, I in ((p["a"], p["I2"]), (p["b"], p["I1"]))
    ]
    seen = sorted({round(abs(e), 6) for e in found.eigenvalues if abs(e) > 1e-6})
    assert seen == pytest.approx(sorted(expected), rel=1e-5)


def test_a_spin_in_the_wrong_sense_turns_round(stone):
    # [kane1982]: spun in the wrong sense and tilted a little, the stone stops, rattles and spins back
    growth = {s: da.steady(stone, {"g3": 1.0, "w3": s * 5.0}, FIX).growth for s in (1, -1)}
    wrong = max(growth, key=growth.get)
    tilt = math.radians(0.5)
    start = stone.start(g1=0.0, g2=math.sin(tilt), g3=math.cos(tilt), w1=0.0, w2=0.0, w3=wrong * 5.0)
    path = da.simulate(stone, start, until=5.0, rtol=1e-9, atol=1e-11)
    assert path.ok
    assert (wrong * path["w3"]).min() < -0.5


@pytest.mark.parametrize("spin", [2.0, 5.0, 12.0])
def test_the_rattleback_prefers_a_sense_of_spin(stone, spin):
    one, other = (da.steady(stone, {"g3": 1.0, "w3": side * spin}, FIX) for side in (1, -1))
    # motions can be run backwards: the eigenvalues change their sign with the spin
    assert np.sort_complex(np.round(one.eigenvalues, 6)) == pytest.approx(
        np.sort_complex(np.round(-other.eigenvalues, 6)), abs=2e-6
    )
    real = one.eigenvalues.real[np.abs(one.eigenvalues) > 1e-6]
    # six states on the sphere |gamma| = 1
    assert one.eigenvalues.size == 5
    assert real.size == 4
    assert np.abs(real).max() > 1e-3
    assert "unstable" in {one.verdict, other.verdict}


def test_a_stone_whose_axes_agree_has_no_preference(stone):
    for spin in (5.0, -5.0, 12.0):
        found = da.steady(stone, {"g3": 1.0, "w3": spin}, FIX, {"I12": 0.0})
        ahead = found.eigenvalues.real
        assert sorted(ahead) == pytest.approx(sorted(-ahead), abs=1e-7)


def test_the_mirrored_stone_prefers_the_other_sense(stone):
    # a mirror turns I12 and the spin round, and nothing else
    one, other = (
        da.steady(stone, {"g3": 1.0, "w3": 5.0}, FIX),
        da.steady(stone, {"g3": 1.0, "w3": -5.0}, FIX, {"I12": 2e-5}),
    )
    assert one.eigenvalues == pytest.approx(other.eigenvalues, abs=1e-8)


def test_the_growth_of_the_rattleback_is_seen_in_its_motion(stone):
    found = [da.steady(stone, {"g3": 1.0, "w3": s * 5.0}, FIX) for s in (1, -1)]
    bad = 5.0 if found[0].growth > found[1].growth else -5.0
    rate = max(f.growth for f in found)
    assert rate > 0.1
    tilt = 1e-7
    sizes = []
    for until in (6 / rate, 8 / rate):
        start = stone.start(g1=tilt, g2=0.7 * tilt, g3=math.sqrt(1 - 1.49 * tilt**2), w1=0.0, w2=0.0, w3=bad)
        path = da.simulate(stone, start, until=until, rtol=1e-12, atol=1e-15)
        late = path.t > until - 1.0 / rate
        sizes.append(np.hypot(path["g1"][late], path["g2"][late]).max())
    # within a fifth: the window holds few of its swings
    assert math.log(sizes[1] / sizes[0]) == pytest.approx(2.0, rel=0.2)


def test_a_pole_that_the_space_does_not_reach_is_none():
    # a^2 g1^2 + b^2 g2^2 + c^2 g3^2 divides the rattleback's velocities, and |g| = 1
    assert not GALLERY.reduction("rattleback").poles
    assert not GALLERY.reduction("rattleback").system.constraints


def test_a_height_that_was_eliminated_is_no_doubtful_body():
    # the same stone with x, y alone: hdot^2 adds to the moments, which are then none of a body; no note is made of it
    from dalembert.model.space_factors import plane, rotation

    s = da.Space.product(plane("x y"), rotation("R", frame="body"))
    w = rattleback.sp.Matrix([s["w1"], s["w2"], s["w3"]])
    gamma = rattleback.sp.Matrix(s.R.T)[:, 2]
    rise = rattleback.sp.Matrix([1, 2, 3]).dot(gamma.cross(w))
    system = da.System(s, (s["vx"] ** 2 + s["vy"] ** 2 + 10 * rise**2 + w.dot(w)) / 2)
    assert not system.notes
