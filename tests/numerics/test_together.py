"""Contacts that press on each other in an impact, by the laws of Poisson and Stronge."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import dalembert as da
from dalembert.numerics.contacts.course import Course, NoCourse, RestitutionLaw
from dalembert.numerics.contacts.impacts import Courses, ImpulseRows, together
from dalembert.numerics.contacts.instant import Instant, Touching
from dalembert.numerics.contacts.springs import Rub, Springs

LAWS = ["poisson", "stronge"]


def touching(name, A, B, u, e, mu, law):
    """A contact of a body whose metric is 1."""
    return Touching(name, name, 0.0, 1.0, A, B, float(A @ u), B @ u, 0.0, 0 * B[:, 0], mu, mu, e, law)


def instant(rows, u, e, mu, law):
    """An impact at contacts with rows (n, 1 + p, k)."""
    laws = [law] * len(rows) if isinstance(law, str) else law
    given = enumerate(zip(np.asarray(rows), e, mu, laws, strict=True))
    found = {f"c{i}": touching(f"c{i}", own[0], own[1:], u, e, mu, law) for i, (own, e, mu, law) in given}
    k = len(u)
    return Instant(0.0, u, u, np.eye(k), 0 * u, np.zeros((0, k)), np.zeros(0), found, np.full(k, np.abs(u).max()))


def random_impacts(law, many, slips=1, least=0.1):
    """Of two or three contacts that are hit, or touch, with coefficients of their own."""
    rng = np.random.default_rng(11)
    for _ in range(many):
        n = int(rng.integers(2, 4))
        rows = rng.normal(size=(n, 1 + slips, (1 + slips) * n + 1))
        rates = rng.normal(size=n * (1 + slips))
        rates[:: 1 + slips] = -np.abs(rates[:: 1 + slips]) * (rng.random(n) < 0.8)
        rates[0] = -1.0
        flat = rows.reshape(-1, rows.shape[-1])
        u = np.linalg.lstsq(flat, rates, rcond=None)[0]
        yield instant(rows, u, rng.uniform(least, 1, n), rng.uniform(0, 1, n), law)


def after(now, names):
    """Velocities after an impact, and what it gave."""
    hit = together(ImpulseRows(now), names)
    return now.u + sum(ImpulseRows(now).own(name).T @ p for name, p in hit.impulses.items()), hit


@pytest.mark.parametrize(("law", "slips"), [("poisson", 1), ("poisson", 2), ("stronge", 1)])
def test_no_energy_is_gained_nothing_enters_and_friction_stays_in_its_cone(law, slips):
    for now in random_impacts(law, 25 if slips == 1 else 2, slips):
        u, hit = after(now, list(now.touching))
        assert u @ u <= now.u @ now.u * (1 + 1e-10)
        assert hit.lowered > 0.5
        for name, c in now.touching.items():
            P, *T = hit.impulses[name]
            assert c.A @ u >= -1e-9 * np.abs(now.u).max()
            assert P >= -1e-9
            assert np.linalg.norm(T) <= c.mu * P + 1e-8


@pytest.mark.parametrize("law", LAWS)
def test_the_order_of_contacts_does_not_matter(law):
    for now in random_impacts(law, 6):
        found = [after(now, list(names))[0] for names in itertools.permutations(now.touching)]
        for u in found[1:]:
            np.testing.assert_allclose(u, found[0], atol=1e-9)


def test_one_spring_follows_the_course_of_one_contact():
    """F only says how fast it is run; kinds of courses: the slip goes on, sticks and turns."""
    rng, kinds = np.random.default_rng(3), set()
    for _ in range(80):
        a, d = rng.uniform(0.2, 3, 2)
        G = np.array([[a, rng.uniform(-1, 1) * math.sqrt(a * d)], [0.0, d]])
        G[1, 0] = G[0, 1]
        mu, e, c, s = rng.uniform(0, 1.5), rng.uniform(0.1, 1), -rng.uniform(0.1, 2), rng.normal()
        end = Course(G, mu, mu).along(c, np.array([s]), RestitutionLaw(e, "stronge")).end
        way = Springs(G, np.array([e]), [Rub(0, mu, mu)]).course(np.array([c, s]))
        assert way.P[0] == pytest.approx(end.P, rel=1e-9)
        assert way.T[0] == pytest.approx(end.T[0], rel=1e-8, abs=1e-10)
        kinds |= {word.split(", ")[1] for word in way.words}
    assert kinds == {"+", "-", "sticks"}


def test_each_contact_gives_back_what_its_law_says():
    """W_i = integral of c_i dP_i, over the courses that are run in small steps by another integrator."""
    e = np.array([0.6, 0.9])
    G = np.array([[2.0, -0.8], [-0.8, 1.0]])
    way = Springs(G, e, []).course(np.array([-1.0, -0.2]))
    F, c, P, works = np.zeros(2), np.array([-1.0, -0.2]), np.zeros(2), np.zeros((2, 2))
    dt = 1e-4
    while (F > 0).any() or (c < 0).any():
        # the trapezoid of F, whose rate is -c or -c/e^2
        later = np.maximum(F - dt * c * np.where(c < 0, 1, 1 / e**2), 0)
        dP = dt * (F + later) / 2
        works[np.arange(2), (c > 0).astype(int)] += (c + G @ dP / 2) * dP
        F, c, P = later, c + G @ dP, P + dP
    np.testing.assert_allclose(way.P, P, rtol=1e-3)
    np.testing.assert_allclose(works[:, 1], -(e**2) * works[:, 0], rtol=5e-3)


def test_poissons_law_of_independent_contacts_is_that_of_one():
    """Without friction, and with a slip that goes on or sticks from the start."""
    now = instant([[[1.0, 0, 0]], [[0, 1.0, 0]]], np.array([-1.0, -2.0, 0.0]), [0.5, 0.8], [0, 0], "poisson")
    np.testing.assert_allclose(after(now, ["c0", "c1"])[0], [0.5, 1.6, 0.0], atol=1e-14)
    for s, mu in ((3.0, 0.2), (0.0, 0.9)):
        rows = np.array([[1.0, 0.3, 0.1], [0.2, 1.0, 0.0]])
        u = np.linalg.lstsq(rows, np.array([-1.0, s]), rcond=None)[0]
        end = Course(rows @ rows.T, mu, mu).along(-1.0, np.array([s]), RestitutionLaw(0.6, "poisson")).end
        found = after(instant([rows], u, [0.6], [mu], "poisson"), ["c0"])[1].impulses["c0"]
        np.testing.assert_allclose(found, [end.P, end.T[0]], atol=1e-12)


def cradle(law, e=1.0, order=(0, 1)):
    """Three balls of mass 1 in a row, of which the last two touch."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    gaps = [y - x - 1, z - y - 1]
    hits = {f"hit{i}": da.contact(gap=gaps[i], restitution=e, restitution_law=law) for i in order}
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2, contacts=hits))
    return da.simulate(equations, {"x": -0.5, "y": 1, "z": 2, "vx": 1, "vy": 0, "vz": 0}, until=1.5)


def speeds(path, names=("vx", "vy", "vz")):
    return np.array([path[name][-1] for name in names])


def test_newtons_cradle_with_equal_springs_in_closed_form():
    """Two springs between three masses: the compressions are (sin t +- sin(sqrt(3) t)/sqrt(3))/2 until the first is 0,
    and then the second spring throws its two balls apart.
    """
    root = math.sqrt(3)
    t = brentq(lambda t: math.sin(t) + math.sin(root * t) / root, 1, 3)
    left, rate = (math.sin(t) - math.sin(root * t) / root) / 2, (math.cos(t) - math.cos(root * t)) / 2
    first = (math.cos(t) + math.cos(root * t)) / 2
    # velocities from rates of compression and the momentum 1; of the last two e = 1 turns the energy of the spring over
    vx = (1 + 2 * first + rate) / 3
    middle, apart = (1 - vx) / 2, math.sqrt(rate**2 + 2 * left**2)
    for order in ((0, 1), (1, 0)):
        path = cradle("stronge", order=order)
        np.testing.assert_allclose(speeds(path), [vx, middle - apart / 2, middle + apart / 2], atol=1e-10)
        assert path.ok


@pytest.mark.parametrize("e", [(1.0, 0.0), (0.0, 1.0), (0.8, 0.0)])
def test_a_contact_that_gives_nothing_back_beside_one_that_does_is_the_limit_of_small_restitutions(e):
    """Three balls in a row: what is left of the difference falls with e, and no energy is gained."""
    G, v, e = np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([-1.0, 0.0]), np.array(e)
    P = Springs(G, e, []).course(v).P
    near = [np.abs(Springs(G, np.where(e > 0, e, small), []).course(v).P - P).max() for small in (0.1, 0.01, 0.001)]
    assert near[2] < near[1] < near[0] < 0.05
    assert near[2] < 1e-3
    assert (v + G @ P >= -1e-12).all()
    assert P @ (v + G @ P / 2) <= 1e-12


def test_a_plastic_contact_between_two_that_spring_back_keeps_energy_and_friction_in_bounds():
    """With friction at all of them: T stays in its cone, nothing approaches and no energy is gained."""
    for now in random_impacts("stronge", 12):
        plastic = {n: replace(c, restitution=0.0) for n, c in list(now.touching.items())[:1]}
        now = replace(now, touching={**now.touching, **plastic})
        u, hit = after(now, list(now.touching))
        assert u @ u <= now.u @ now.u * (1 + 1e-10)
        assert hit.lowered == 1
        for name, c in now.touching.items():
            P, T = hit.impulses[name]
            assert c.A @ u >= -1e-9 * np.abs(now.u).max()
            assert abs(T) <= c.mu * P + 1e-8


def test_newtons_cradle_by_poissons_law():
    """All move on together and then throw each other apart with the impulses 2/3 and 1/3 again [pfeiffer1996]."""
    for order in ((0, 1), (1, 0)):
        np.testing.assert_allclose(speeds(cradle("poisson", order=order)), [-1 / 3, 2 / 3, 2 / 3], atol=1e-12)
    np.testing.assert_allclose(speeds(cradle("poisson", e=0)), [1 / 3, 1 / 3, 1 / 3], atol=1e-12)


def stack(law):
    """A ball falls on one that lies on the floor, which throws both up."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    floor = da.contact(gap=x, restitution=0.9, restitution_law=law)
    ball = da.contact(gap=y - x - 1, restitution=0.7, restitution_law=law)
    L = (3 * vx**2 + vy**2) / 2 - 3 * x - y
    return da.nonholonomic(da.System(q, L, contacts={"floor": floor, "ball": ball}))


@pytest.mark.parametrize("law", LAWS)
def test_a_ball_that_falls_on_one_that_lies_and_derivatives_go_through(law):
    """u+ is proportional to u-, as all laws are; derivatives are those of runs beside it."""
    start, until = {"x": 0, "y": 1.5, "vx": 0, "vy": -1}, 0.6
    equations = stack(law)
    path = da.simulate(equations, start, until=until)
    assert set(path.impulses) == {"floor", "ball"}
    assert path.audit.energy_change < 0
    # it falls by 0.5 from a speed of 1 and by 2 from 2: onto the other at sqrt(2), and at twice that
    twice = da.simulate(equations, start | {"y": 3.0, "vy": -2}, until=1.4)
    hit = path.marks["ball"].t[0]
    for name in ("vx", "vy"):
        one = path.dense(np.array([hit]))[0, path.names.index(name)]
        other = twice.dense(twice.marks["ball"].t[:1])[0, twice.names.index(name)]
        assert other / one == pytest.approx(2, rel=1e-9)
    found = da.sensitivities(equations, start, until=until, by=["vy"], samples=[until], rtol=1e-12)
    h = 1e-5
    ends = [da.simulate(equations, start | {"vy": -1 + i * h}, until=until, rtol=1e-12) for i in (-1, 1)]
    for i, name in enumerate(equations.states):
        slope = (ends[1][name][-1] - ends[0][name][-1]) / (2 * h)
        assert found.values[-1, i, 0] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_a_ball_in_a_wedge(law):
    """Two planes that it hits at once, without friction.

    By Poisson: compression stops the ball, and e P_C sends it back the way it came. By Stronge with e = 1: the springs
    of both planes, whose normal modes are known.
    """
    q = da.coordinates("x y")
    x, y, vx, vy = q
    normals = [(math.cos(0.7), math.sin(0.7)), (-math.cos(1.1), math.sin(1.1))]
    e = 0.6 if law == "poisson" else 1.0
    walls = {f"w{i}": da.contact(a * x + b * y, restitution=e, restitution_law=law) for i, (a, b) in enumerate(normals)}
    u = np.array([-0.2, -1.0])
    for names in (["w0", "w1"], ["w1", "w0"]):
        equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2, contacts={n: walls[n] for n in names}))
        path = da.simulate(equations, {"x": 0.2, "y": 1, "vx": u[0], "vy": u[1]}, until=1.5)
        R = np.array(normals)
        rates, modes = np.linalg.eigh(R @ R.T)

        def pressed(t, k=0, R=R, rates=rates, modes=modes):
            # x'' = -G x , x' = -c
            w = np.sqrt(rates)
            return float((modes @ (np.sin(w * t) / w * (modes.T @ (-R @ u))))[k])

        if law == "poisson":
            expected = -e * u
        else:
            looks = np.linspace(0.1, 9, 400)
            firsts = [looks[next(i for i, t in enumerate(looks) if pressed(t, k) < 0)] for k in (0, 1)]
            ends = [brentq(pressed, first - 0.1, first, args=(k,)) for k, first in enumerate(firsts)]
            t, k = min(ends), int(np.argmin(ends))
            w = np.sqrt(rates)
            F = np.array([pressed(t, 0), pressed(t, 1)])
            c = modes @ (np.cos(w * t) * (modes.T @ (R @ u)))
            # the other spring gives back what is left in it, along its own normal
            rest = np.linalg.solve(R, c)
            n, own = R[1 - k], c[1 - k]
            expected = rest + n * (math.sqrt(own**2 + F[1 - k] ** 2) - own)
        np.testing.assert_allclose(speeds(path, ("vx", "vy")), expected, atol=1e-9)


def block(law, e, mu, wide=0.2, tall=1.0, order=("left", "right")):
    """A box of mass 1 on two feet."""
    q = da.coordinates("x y a", velocities="vx vy w")
    _, y, a, vx, vy, w = q

    def foot(side):
        ry = side * wide * sp.sin(a) - tall * sp.cos(a)
        return da.contact(gap=y + ry, slip=[vx - ry * w], mu=mu, restitution=e, restitution_law=law)

    feet = {"left": foot(-1), "right": foot(1)}
    L = (vx**2 + vy**2) / 2 + sp.Float((wide**2 + tall**2) / 3) * w**2 / 2 - 9.81 * y
    return da.nonholonomic(da.System(q, L, contacts={name: feet[name] for name in order}))


def rocked(law, wide=0.2, angle=0.05, order=("left", "right")):
    """The block let go on its right foot; w before and after the left one hits, and the run."""
    c, s = math.cos(angle), math.sin(angle)
    start = {"x": -(wide * c - s), "y": wide * s + c, "a": -angle, "vx": 0, "vy": 0, "w": 0}
    path = da.simulate(block(law, 0, 5.0, wide, order=order), start, until=1.2)
    marks = path.marks["left"]
    return marks.values[0, marks.names.index("w")], path.dense(marks.t[:1])[0, path.names.index("w")], path


@pytest.mark.parametrize("law", LAWS)
def test_a_rocking_block_loses_what_housner_says_and_a_wide_one_everything(law):
    """1 - 3/2 sin^2(alpha) of its speed is left [housner1963] where the foot it stood on is drawn up, alone, and where
    it is pressed down both stay.
    """
    for order in (("left", "right"), ("right", "left")):
        before, later, path = rocked(law, order=order)
        assert later / before == pytest.approx(1 - 1.5 * 0.04 / 1.04, rel=1e-9)
        assert path.ok
        before, later, path = rocked(law, wide=2.0, angle=0.02, order=order)
        assert before > 0.01
        assert abs(later) < 1e-12
        assert {word for t, _, word in path.modes if t > 0} == {"sticks"}


@pytest.mark.parametrize("law", LAWS)
def test_a_box_that_lands_on_both_feet_does_so_in_any_order_and_from_either_side(law):
    found = []
    for side, order in ((1, ("left", "right")), (1, ("right", "left")), (-1, ("left", "right"))):
        start = {"x": 0, "y": 1.1, "a": 0, "vx": 0.8 * side, "vy": 0, "w": 0}
        path = da.simulate(block(law, 0.5, 0.4, order=order), start, until=0.2)
        assert path.ok
        assert path.audit.energy_change < 0
        found.append(speeds(path, ("vx", "vy", "w")) * [side, 1, side])
    np.testing.assert_allclose(found[1], found[0], atol=1e-10)
    np.testing.assert_allclose(found[2], found[0], atol=1e-10)
    assert abs(found[0][2]) > 0.01


def test_what_is_not_decided_is_refused_in_words():
    rows = np.array([[[1.0, 0.2, 0, 0.1], [0, 0, 1.0, 0]], [[0.3, 1.0, 0, 0], [0.1, 0, 0, 1.0]]])
    u = np.array([-1.0, -1.0, 0.5, 0.2])
    mixed = instant(rows, u, [0.5, 0.5], [0.2, 0.2], ["poisson", "stronge"])
    with pytest.raises(NoCourse, match=r"Poisson's and Stronge's laws press on each other.*give them one law"):
        after(mixed, ["c0", "c1"])
    plane = np.random.default_rng(1).normal(size=(2, 3, 7))
    with pytest.raises(NoCourse, match="slips in a plane"):
        after(instant(plane, np.ones(7), [0.5, 0.5], [0.2, 0.2], "stronge"), ["c0", "c1"])
    # a point in a corner with friction on both sides: what a normal impulse stops friction of the other stops as well
    corner = np.array([[[0, 1.0], [1.0, 0]], [[1.0, 0], [0, 1.0]]])
    with pytest.raises(NoCourse, match="in several ways"):
        after(instant(corner, -np.ones(2), [0.5, 0.5], [0.3, 0.3], "poisson"), ["c0", "c1"])


def test_contacts_that_are_plastic_are_so_by_any_law():
    """A ball falls on one that lies: all stop; and where one contact touches and another is hit, as it does."""
    rows = [[[1.0, 0.0]], [[-1.0, 1.0]]]
    for law in LAWS:
        now = instant(rows, np.array([0.0, -1.0]), [0, 0], [0, 0], law)
        assert Courses(now, ["c0", "c1"]).groups == [["c0", "c1"]]
        u, hit = after(now, ["c0", "c1"])
        np.testing.assert_allclose(u, [0, 0], atol=1e-14)
        assert [float(p[0]) for p in hit.impulses.values()] == pytest.approx([1, 1])


# --- by a user's system ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["newton", *LAWS])
def test_a_rod_that_falls_flat_slides_on_both_ends(law):
    # each end takes half of (1 + e) m v; the slip goes on and loses mu (1 + e) v
    _, y, theta, vx, vy, w = q = da.coordinates("x y theta")
    m, l, g = sp.symbols("m l g", positive=True)
    L = m / 2 * (vx**2 + vy**2) + m * l**2 / 24 * w**2 - m * g * y
    for sides in ({"left": -1, "right": 1}, {"right": 1, "left": -1}):
        ends = {
            name: da.contact(
                gap=y + side * l / 2 * sp.sin(theta),
                slip=[vx - side * l / 2 * sp.sin(theta) * w],
                mu=0.3,
                restitution=0.5,
                restitution_law=law,
            )
            for name, side in sides.items()
        }
        rod = da.System(q, L, contacts=ends, parameters={"m": 2.0, "l": 1.0, "g": 9.81})
        start = {"x": 0, "y": 0.5, "theta": 0, "vx": 3, "vy": 0, "vtheta": 0}
        path = da.simulate(da.nonholonomic(rod), start, until=0.45)
        v = math.sqrt(9.81)
        at = path.at(0.45)
        assert [at["vx"], at["vtheta"]] == pytest.approx([3 - 0.45 * v, 0], abs=1e-8)
        assert at["vy"] == pytest.approx(0.5 * v - 9.81 * (0.45 - v / 9.81), abs=1e-8)
        assert [path.impulses[name]["normal"][0] for name in sides] == pytest.approx([1.5 * v] * 2, rel=1e-8)


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_a_mass_in_a_rough_corner_takes_two_impulses_at_once(law):
    x, y, _, vx, vy, vz = q = da.coordinates("x y z")
    kind = {"restitution": 0.6, "restitution_law": law}
    both = {
        "floor": da.contact(gap=y, slip=[vx, vz], mu=0.3, **kind),
        "wall": da.contact(gap=x, slip=[vy, vz], mu=0.2, **kind),
    }
    ends = []
    for order in (("floor", "wall"), ("wall", "floor")):
        system = da.System(q, vx**2 + vy**2 + vz**2, contacts={n: both[n] for n in order})
        start = {"x": 1, "y": 1, "z": 0, "vx": -1, "vy": -1, "vz": 2}
        path = da.simulate(da.nonholonomic(system), start, until=1.5)
        at, given = path.at(1.5), {n: [float(p[0]) for p in path.impulses[n].values()] for n in order}
        ends.append(after := [float(at[n]) for n in ("vx", "vy", "vz")])
        (floor, slip_x, slip_z), (wall, rub_y, rub_z) = given["floor"], given["wall"]
        change = [2 * (a - b) for a, b in zip(after, (-1, -1, 2), strict=True)]
        assert change == pytest.approx([wall + slip_x, floor + rub_y, slip_z + rub_z], abs=1e-9)
        assert math.hypot(slip_x, slip_z) <= 0.3 * floor * (1 + 1e-9)
        assert math.hypot(rub_y, rub_z) <= 0.2 * wall * (1 + 1e-9)
        assert sum(v**2 for v in after) < 6
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
