"""Impacts whose slip turns in the plane of contact, by the laws of Poisson and Stronge."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.contacts.course import Course, RestitutionLaw

LAWS = ["poisson", "stronge"]


def matrix(rng):
    """A positive matrix of an impact."""
    M = rng.normal(size=(3, 3))
    return M @ M.T + 0.02 * np.eye(3)


def ends(G, mu, c, s, e, law):
    """Impulses (P, T) and velocities (c, s) at the end of the course."""
    end = Course(G, mu, mu).along(c, np.asarray(s, float), RestitutionLaw(e, law)).end
    return np.r_[end.P, end.T], np.r_[end.c, end.s]


@pytest.mark.parametrize("law", LAWS)
def test_energy_never_grows_and_friction_stays_in_its_cone(law):
    """Of 60 impacts: slips that stop and stick, that stop and go on, and that turn to the end."""
    rng, kinds = np.random.default_rng(5), set()
    for _ in range(60):
        G, mu, e = matrix(rng), rng.uniform(0, 2), rng.uniform(0, 1)
        before = np.r_[-rng.uniform(0.1, 2), rng.normal(size=2)]
        p, after = ends(G, mu, before[0], before[1:], e, law)
        np.testing.assert_allclose(after, before + G @ p, atol=1e-11 * np.abs(G).max() * np.abs(p).max())
        # T(u+) - T(u) = p . (v + v+)/2
        assert p @ (before + after) / 2 <= 1e-12
        assert np.linalg.norm(p[1:]) <= mu * p[0] * (1 + 1e-12)
        assert after[0] >= 0
        kinds.add("sticks" if not after[1:].any() else "turns")
    assert kinds == {"sticks", "turns"}


@pytest.mark.parametrize("law", LAWS)
def test_turning_the_frame_about_the_normal_changes_nothing(law):
    rng = np.random.default_rng(6)
    for angle in (0.4, math.pi / 2, 2.5):
        G, c, s = matrix(rng), -1.0, rng.normal(size=2)
        R = np.eye(3)
        R[1:, 1:] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        p, after = ends(G, 0.5, c, s, 0.6, law)
        turned = ends(R @ G @ R.T, 0.5, c, R[1:, 1:] @ s, 0.6, law)
        np.testing.assert_allclose(turned[0], R @ p, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(turned[1], R @ after, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("s", [0.2, -0.2, 3.0, 0.0])
@pytest.mark.parametrize("mu", [0.1, 0.6, 1.5])
def test_a_planar_impact_in_space_is_the_planar_one(law, s, mu):
    """Slips that go on, stop and stick, and stop and turn round."""
    a, b, d, e = 1.2, 0.7, 0.9, 0.6
    flat = Course(np.array([[a, b], [b, d]]), mu, mu).along(-1.0, np.array([s]), RestitutionLaw(e, law)).end
    p, after = ends(np.array([[a, b, 0], [b, d, 0], [0, 0, 2.5]]), mu, -1.0, [s, 0.0], e, law)
    np.testing.assert_allclose(p, [flat.P, flat.T[0], 0], atol=1e-13)
    np.testing.assert_allclose(after, [flat.c, flat.s[0], 0], atol=1e-13)


def test_a_slip_that_stops_in_closed_form():
    """D = d 1: r (k + b cos psi) falls by k^2 - b^2 for each impulse, and r sin psi/tan(psi/2)^(k/b) stays [routh1905].

    They are those of a block on an incline: s' = b - k s/|s|, with k = mu d, psi the angle from b.
    """
    b, d, mu, r, psi = 0.4, 0.8, 0.9, 0.5, 2.0
    k = mu * d
    G = np.array([[9.0, b, 0], [b, d, 0], [0, 0, d]])
    way = (
        Course(G, mu, mu)
        .along(-20.0, r * np.array([math.cos(psi), math.sin(psi)]), RestitutionLaw(0.5, "stronge"))
        .points
    )
    slips = [at for at in way if at.s.any()]
    kept = [np.linalg.norm(at.s) * (k + b * at.s[0] / np.linalg.norm(at.s)) + (k**2 - b**2) * at.P for at in slips]
    np.testing.assert_allclose(kept, kept[0], rtol=1e-12)
    angles = np.array([math.atan2(at.s[1], at.s[0]) for at in slips])
    sizes = np.array([np.linalg.norm(at.s) for at in slips])
    curve = np.log(sizes) + np.log(np.sin(angles)) - k / b * np.log(np.tan(angles / 2))
    wide = sizes > 1e-4  # psi, which goes to 0, is more than rounding
    assert wide.sum() > 20
    np.testing.assert_allclose(curve[wide], curve[0], atol=1e-10)
    stops = next(at for at in way if not at.s.any())
    assert pytest.approx(kept[0] / (k**2 - b**2), rel=1e-11) == stops.P
    # then it sticks, and c' is a - b^2/d
    assert (way[-1].c - stops.c) / (way[-1].P - stops.P) == pytest.approx(9.0 - b**2 / d, rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_the_course_is_that_of_small_impulses(law):
    """Coulomb's law a little smoothed, in small steps: the slip turns, and its restitution ends by the law."""
    G, mu, e = np.array([[1.3, 0.5, -0.3], [0.5, 1.1, 0.2], [-0.3, 0.2, 0.6]]), 0.45, 0.7
    v, hair, dP = np.array([-1.0, 0.5, 0.4]), 1e-4, 4e-5
    p, found = ends(G, mu, v[0], v[1:], e, law)
    P, T, work, ended = 0.0, np.zeros(2), [0.0, 0.0], 0.0
    while True:
        t = -mu * v[1:] / math.sqrt(v[1] ** 2 + v[2] ** 2 + hair**2)
        work[int(v[0] > 0)] += v[0] * dP
        v = v + G @ np.r_[1.0, t] * dP
        P, T = P + dP, T + t * dP
        ended = P if v[0] <= 0 else ended
        if v[0] > 0 and ((1 + e) * ended <= P if law == "poisson" else work[1] >= -(e**2) * work[0]):
            break
    np.testing.assert_allclose(np.r_[P, T], p, atol=2e-4)
    np.testing.assert_allclose(v, found, atol=4e-4)


def test_a_slip_begins_where_sticking_would_need_too_much():
    """From rest along d with b - mu D d = x d, x > 0: and that is where (1 t) G (1 t) is least in the cone."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        G = matrix(rng)
        mu = 0.5 * np.linalg.norm(np.linalg.solve(G[1:, 1:], G[1:, 0]))
        p, after = ends(G, mu, -1.0, [0.0, 0.0], 0.4, "stronge")
        t = p[1:] / p[0]
        assert np.linalg.norm(t) == pytest.approx(mu, rel=1e-12)
        np.testing.assert_allclose(after[1:] / np.linalg.norm(after[1:]), -t / mu, atol=1e-10)
        angles = np.linspace(0, 2 * math.pi, 721)
        every = np.array([np.ones(721), mu * np.cos(angles), mu * np.sin(angles)])
        assert np.r_[1, t] @ G @ np.r_[1, t] <= np.einsum("in,ij,jn->n", every, G, every).min() * (1 + 1e-12)


Q = da.coordinates("x y z theta phi")
X, Y, Z, THETA, PHI, VX, VY, VZ, WT, WP = Q


def rod(law, mu=0.5, e=0.6):
    """A rod of half length 1 and mass 1; theta is its angle to the ground, phi its azimuth."""
    speed, inertia = VX**2 + VY**2 + VZ**2, sp.Rational(1, 3)
    ux = VX + sp.sin(THETA) * sp.cos(PHI) * WT + sp.cos(THETA) * sp.sin(PHI) * WP
    uy = VY + sp.sin(THETA) * sp.sin(PHI) * WT - sp.cos(THETA) * sp.cos(PHI) * WP
    ground = da.contact(gap=Z - sp.sin(THETA), slip=[ux, uy], mu=mu, restitution=e, restitution_law=law)
    L = speed / 2 + inertia * (WT**2 + sp.cos(THETA) ** 2 * WP**2) / 2
    return da.nonholonomic(da.System(Q, L, contacts={"ground": ground}))


def hit(equations, phi, vx, vy, theta=0.9):
    """Horizontal, vertical and angular velocities after the impact, in the frame of the rod, and the run."""
    c, s = math.cos(phi), math.sin(phi)
    start = {"x": 0, "y": 0, "z": math.sin(theta) + 1e-3, "theta": theta, "phi": phi, "vz": -1}
    start |= {"vx": c * vx - s * vy, "vy": s * vx + c * vy, "vtheta": 0.1, "vphi": 0.2}
    path = da.simulate(equations, start, until=2e-3)
    assert path.ok, path.audit
    end = {name: path[name][-1] for name in ("vx", "vy", "vz", "vtheta", "vphi")}
    u = [c * end["vx"] + s * end["vy"], -s * end["vx"] + c * end["vy"], end["vz"], end["vtheta"], end["vphi"]]
    return np.array(u), path


@pytest.mark.parametrize("law", LAWS)
def test_a_rod_thrown_askew(law):
    """Its energy falls, its azimuth says nothing, and without friction all laws are Newton's."""
    equations = rod(law)
    first, path = hit(equations, 0.0, 0.3, 0.4)
    second, _ = hit(equations, 1.1, 0.3, 0.4)
    np.testing.assert_allclose(second, first, atol=1e-10)
    assert path["energy"][-1] < path["energy"][0]
    p = path.impulses["ground"]
    assert math.hypot(p["friction_1"][0], p["friction_2"][0]) < 0.5 * p["normal"][0]
    smooth = [hit(rod(one, mu=0), 0.3, 0.3, 0.4)[0] for one in ("newton", law)]
    np.testing.assert_allclose(smooth[1], smooth[0], atol=1e-11)


def test_a_ball_is_hit_as_in_the_plane_of_its_slip():
    """No coupling of slip and normal: T = -min(mu P, 2/7 m |s|) along the slip, P = (1 + e) m |c|."""
    q = da.coordinates("x y z a b", velocities="vx vy vz wx wy")
    _, _, z, _, _, vx, vy, vz, wx, wy = q
    for law in LAWS:
        table = da.contact(gap=z - 1, slip=[vx - wy, vy + wx], mu=0.25, restitution=0.8, restitution_law=law)
        L = (vx**2 + vy**2 + vz**2) / 2 + (wx**2 + wy**2) / 5
        ball = da.nonholonomic(da.System(q, L, contacts={"table": table}))
        for v in (0.3, 3.0):
            start = {"x": 0, "y": 0, "z": 1.001, "a": 0, "b": 0, "vx": v, "vy": 2 * v, "vz": -1, "wx": 0, "wy": 0}
            p = da.simulate(ball, start, until=2e-3).impulses["table"]
            size = math.sqrt(5) * v
            T = min(0.25 * 1.8, 2 / 7 * size)
            assert p["normal"][0] == pytest.approx(1.8, rel=1e-9)
            assert [p["friction_1"][0], p["friction_2"][0]] == pytest.approx(
                [-T * v / size, -2 * T * v / size], rel=1e-9
            )


def test_pivoting_friction_takes_part_in_the_course():
    """A ball with a spin about the normal: its moment is at most 0.01 P, and it ends the spin where that is enough."""
    q = da.coordinates("z a", velocities="vz wz")
    z, _, vz, wz = q
    law = da.coulomb(0, spin=0.01)
    table = da.contact(gap=z - 1, spin=wz, friction=law, restitution=0.5, restitution_law="stronge")
    ball = da.nonholonomic(da.System(q, vz**2 / 2 + wz**2 / 5, contacts={"table": table}))
    for w, after in ((1.0, 1.0 - 0.015 * 2.5), (0.02, 0.0)):
        path = da.simulate(ball, {"z": 1.001, "a": 0, "vz": -1, "wz": w}, until=2e-3)
        assert path["wz"][-1] == pytest.approx(after, abs=1e-12)
