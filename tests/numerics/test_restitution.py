"""Impacts with friction by the laws of Newton, Poisson and Stronge."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.contacts.course import Course, NoCourse, RestitutionLaw

LAWS = ["newton", "poisson", "stronge"]
Q = da.coordinates("x y theta", velocities="vx vy w")
X, Y, THETA, VX, VY, W = Q


def rod(law, mu=0.3, e=0.5, inertia=1 / 3):
    """A rod of half length 1 and mass 1 whose lower end hits the ground; theta is its angle to the ground."""
    gap, slip = Y - sp.sin(THETA), VX + sp.sin(THETA) * W
    ground = da.contact(gap=gap, slip=[slip], mu=mu, restitution=e, restitution_law=law)
    return da.nonholonomic(da.System(Q, (VX**2 + VY**2) / 2 + inertia * W**2 / 2, contacts={"ground": ground}))


def hit(equations, theta, speeds):
    """Velocities before and after the first impact, and the run."""
    start = {"x": 0, "y": math.sin(theta) + 1e-3, "theta": theta, **speeds}
    path = da.simulate(equations, start, until=2e-3 / abs(speeds["vy"]))
    assert path.ok, path.audit
    marks = path.marks["ground"]
    before = marks.values[0, [marks.names.index(n) for n in ("vx", "vy", "w")]]
    after = path.dense(marks.t[:1])[0, [path.names.index(n) for n in ("vx", "vy", "w")]]
    return before, after, path


def impulses(a, b, d, mu, c, s, e, law):
    """P and T of the whole impact with one component of slip."""
    end = Course(np.array([[a, b], [b, d]]), mu, mu).along(c, np.array([s]), RestitutionLaw(e, law)).end
    return end.P, float(end.T[0])


def energy(u, inertia=1 / 3):
    return (u[0] ** 2 + u[1] ** 2 + inertia * u[2] ** 2) / 2


@pytest.mark.parametrize("case", ["no friction", "collinear"])
def test_all_laws_agree_without_friction_and_where_the_normal_impulse_does_not_change_the_slip(case):
    mu, theta = (0.0, 0.7) if case == "no friction" else (0.3, math.pi / 2)
    found = [hit(rod(law, mu=mu), theta, {"vx": 0.4, "vy": -1.0, "w": 0.0})[1] for law in LAWS]
    np.testing.assert_allclose(found[1], found[0], atol=1e-11)
    np.testing.assert_allclose(found[2], found[0], atol=1e-11)
    assert found[0][1] > -1


def test_a_slip_that_goes_on_in_closed_form():
    """One line: c' = a - mu b, so that all laws are c+ = -e c- ."""
    theta, mu, e = 0.7, 0.1, 0.5
    for law in LAWS:
        before, after, _ = hit(rod(law, mu=mu, e=e), theta, {"vx": 3.0, "vy": -1.0, "w": 0.0})
        P = after[1] - before[1]
        assert after[0] - before[0] == pytest.approx(-mu * P, abs=1e-12)
        assert after[1] - math.cos(theta) * after[2] == pytest.approx(e, rel=1e-9)


def test_newtons_law_would_give_energy_to_a_rod_and_stronges_takes_it():
    """The slip turns in the impact [stronge2000]: Newton's restitution has to be lowered, Stronge's has not."""
    speeds = {"vx": 0.15, "vy": -1.0, "w": 0.0}
    lowered = []
    for law in LAWS:
        before, after, path = hit(rod(law, mu=0.8, e=1.0), 0.9, speeds)
        lowered.append(any("N132" in note for note in path.audit.notes))
        assert energy(after) <= energy(before) * (1 + 1e-12)
    assert lowered == [True, False, False]


@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_energy_never_grows_and_friction_stays_in_its_cone(law):
    """Of 2000 impacts, every kind of course among them; the matrix of the impact is positive."""
    rng, kinds = np.random.default_rng(7), set()
    for _ in range(2000):
        a, d = rng.uniform(0.2, 3, 2)
        b = rng.uniform(-1, 1) * math.sqrt(a * d)
        mu, e, s, c = rng.uniform(0, 1.5), rng.uniform(0, 1), rng.normal(), -rng.uniform(0.1, 2)
        P, T = impulses(a, b, d, mu, c, s, e, law)
        c1, s1 = c + a * P + b * T, s + b * P + d * T
        # T(u+) - T(u) = P (c + c+)/2 + T (s + s+)/2
        gained = P * (c + c1) / 2 + T * (s + s1) / 2
        assert gained <= 1e-12
        assert abs(T) <= mu * P * (1 + 1e-12)
        assert c1 >= -1e-12
        kinds.add("sticks" if abs(s1) < 1e-9 else "turns" if s1 * s < 0 else "goes on")
    assert kinds == {"sticks", "turns", "goes on"}


def test_stronges_law_is_one_of_works():
    """The work of restitution is -e^2 that of compression, integrated along the course in small steps."""
    a, b, d, mu, e = 1.2, 0.7, 2.0, 0.9, 0.6
    c, s = -1.0, 0.25
    P, T = impulses(a, b, d, mu, c, s, e, "stronge")
    steps = 400_000
    dP, t, works = P / steps, 0.0, [0.0, 0.0]
    for _ in range(steps):
        rate = -mu * np.sign(s) if abs(s) > 2e-5 else float(np.clip(-b / d, -mu, mu))
        c, s, t = c + (a + b * rate) * dP, s + (b + d * rate) * dP, t + rate * dP
        works[int(c > 0)] += c * dP
    assert works[1] == pytest.approx(-(e**2) * works[0], rel=1e-3)
    assert t == pytest.approx(T, abs=1e-4)


def test_poissons_law_is_one_of_impulses():
    """A slip that stops at once, then sticks: c' is a - b^2/d in both phases, and P = (1 + e) P_c."""
    a, b, d, e = 1.2, 0.5, 2.0, 0.4
    P, T = impulses(a, b, d, 1.0, -1.0, 0.0, e, "poisson")
    assert pytest.approx((1 + e) / (a - b**2 / d), rel=1e-14) == P
    assert pytest.approx(-b / d * P, rel=1e-14) == T


def test_a_matrix_that_is_not_positive_has_no_course():
    with pytest.raises(NoCourse):
        impulses(1.0, 3.0, 2.0, 0.9, -1.0, 0.5, 0.5, "stronge")


def corner(names, mu=0.0, law="stronge"):
    """A point of mass 1 in a corner of a floor and a post."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    given = {
        "floor": da.contact(gap=y, slip=[vx] if mu else [], mu=mu, restitution=0.5, restitution_law=law),
        "post": da.contact(gap=x, restitution=0.7),
    }
    return da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2, contacts={name: given[name] for name in names}))


def test_contacts_that_do_not_act_on_each_other_are_hit_each_for_itself():
    """At once or one before the other, and in any order: a floor by Stronge's law, a post by Newton's."""
    for late in (0.0, 1e-3):
        start = {"x": 1 + late, "y": 1, "vx": -1, "vy": -1}
        for names in (["floor", "post"], ["post", "floor"]):
            path = da.simulate(corner(names), start, until=2)
            assert path.ok
            assert [path["vx"][-1], path["vy"][-1]] == pytest.approx([0.7, 0.5], abs=1e-12)
            assert path.impulses["floor"]["normal"] == pytest.approx([1.5])
            assert path.impulses["post"]["normal"] == pytest.approx([1.7])


def test_contacts_of_two_laws_that_press_on_each_other_have_no_course_and_it_is_told():
    """The friction of the floor acts on the post; where the point comes along the post nothing does."""
    path = da.simulate(corner(["floor", "post"], mu=0.3), {"x": 1, "y": 1, "vx": -1, "vy": -1}, until=2)
    assert path.ending.code == "E413"
    assert "floor and post" in path.outcome
    path = da.simulate(corner(["floor", "post"], mu=0.3), {"x": 0, "y": 1, "vx": 0, "vy": -1}, until=2)
    assert path.ok
    assert path["vy"][-1] == pytest.approx(0.5)
    with pytest.raises(da.DalembertError, match=r"E137.*restitution_law = 'strong'"):
        da.contact(gap=Y, restitution_law="strong")


def test_files_say_the_law(tmp_path):
    file = tmp_path / "rod.toml"
    system = da.System(
        Q, (VX**2 + VY**2 + W**2) / 2, contacts={"g": da.contact(Y, [VX], mu=0.2, restitution_law="stronge")}
    )
    da.write(system, file)
    assert 'restitution_law = "stronge"' in file.read_text(encoding="utf-8")
    assert da.read(file).system.contacts[0].restitution_law == "stronge"


@pytest.mark.parametrize("law", LAWS)
def test_kanes_double_pendulum_gains_no_energy(law):
    """Two rods whose lower tip hits a rough floor, at 20 and 30 degrees [kane1985]: Newton's restitution with Coulomb's
    impulse against the slip that is left would give 0.587 of the energy more, and has to be lowered.
    """
    mu, e, angles, turns = 0.5, 0.5, np.radians([20, 30]), np.array([-0.1, -0.2])
    q = da.coordinates("a b")
    a, b, va, vb = q
    L = 2 * va**2 / 3 + vb**2 / 6 + sp.cos(a - b) * va * vb / 2
    height = float(np.cos(angles).sum()) + 1e-9
    tip = da.contact(
        gap=height - sp.cos(a) - sp.cos(b),
        slip=[sp.cos(a) * va + sp.cos(b) * vb],
        mu=mu,
        restitution=e,
        restitution_law=law,
    )
    equations = da.nonholonomic(da.System(q, L, contacts={"tip": tip}))
    path = da.simulate(equations, dict(zip(("a", "b", "va", "vb"), [*angles, *turns], strict=True)), until=1e-4)
    assert path.ok
    # the same by hand: the tip sticks, c+ = -e c-, s+ = 0
    half = math.cos(angles[0] - angles[1]) / 2
    M = np.array([[4 / 3, half], [half, 1 / 3]])
    R = np.array([np.sin(angles), np.cos(angles)])
    c, s = R @ turns
    p = np.linalg.solve(R @ np.linalg.solve(M, R.T), [-(1 + e) * c, -s])
    assert abs(p[1]) <= mu * p[0]
    after = turns + np.linalg.solve(M, R.T @ p)
    assert (after @ M @ after) / (turns @ M @ turns) - 1 == pytest.approx(0.5875, abs=1e-4)
    assert any("N132" in note for note in path.audit.notes) == (law == "newton")
    assert path.audit.energy_change <= 1e-12
    if law != "newton":
        assert path.audit.energy_change < -0.4 * (turns @ M @ turns) / 2


def ball(law, mu, e, shape):
    """A ball of mass and radius 1 over a floor, I = shape."""
    floor = da.contact(gap=Y, slip=[VX - W], mu=mu, restitution=e, restitution_law=law)
    return da.nonholonomic(da.System(Q, (VX**2 + VY**2 + shape * W**2) / 2, contacts={"floor": floor}))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("shape", [2 / 5, 2 / 3])
def test_a_ball_that_bounces_obliquely_grips_below_a_known_slip(law, shape):
    """v -> e v. It slips throughout where |s| > (1 + 1/I) mu (1 + e) v, with friction's impulse mu (1 + e) v; below it
    leaves without slip, and friction's impulse is s/(1 + 1/I). The spin about the contact stays, vx + I w.
    """
    mu, e, v = 0.2, 0.7, 1.0
    grips = (1 + 1 / shape) * mu * (1 + e) * v
    for slip, stops in ((0.98 * grips, True), (1.02 * grips, False), (-0.5 * grips, True), (-3 * grips, False)):
        start = {"x": 0, "y": 0.01, "theta": 0, "vx": slip + 0.1, "vy": -v, "w": 0.1}
        path = da.simulate(ball(law, mu, e, shape), start, until=0.015)
        assert path.ok, path.audit
        vx, vy, w = (float(path[n][-1]) for n in ("vx", "vy", "w"))
        T = -slip / (1 + 1 / shape) if stops else -math.copysign(mu * (1 + e) * v, slip)
        assert (vx, vy, w) == pytest.approx((slip + 0.1 + T, e * v, 0.1 - T / shape), abs=1e-12)
        assert (abs(vx - w) < 1e-12) == stops
        assert vx + shape * w == pytest.approx(slip + 0.1 + shape * 0.1, abs=1e-12)


@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_a_rod_that_turns_its_slip_leaves_as_by_hand(law):
    """The slip stops at P_s before compression ends at P_c, and turns, as friction cannot hold it: two straight pieces.

    With c' = a - mu k b while it slips to the side k, work is quadratic on each piece. By Stronge's law the expansion
    gives back e^2 of what compression takes, by Poisson's (1 + e) P_c is the impulse.
    """
    theta, mu, e, s, c, inertia = 0.9, 0.2, 0.6, 0.08, -1.0, 1 / 3
    a, b, d = (
        1 + math.cos(theta) ** 2 / inertia,
        -math.sin(theta) * math.cos(theta) / inertia,
        1 + math.sin(theta) ** 2 / inertia,
    )
    k = math.copysign(1.0, s)
    fast, slow = a - mu * k * b, a + mu * k * b
    Ps = -s / (b - mu * k * d)
    assert Ps > 0
    assert abs(b) > mu * d
    at_stop = c + fast * Ps
    assert at_stop < 0
    Pc = Ps - at_stop / slow
    taken = (c**2 - at_stop**2) / (2 * fast) + at_stop**2 / (2 * slow)
    P = (1 + e) * Pc if law == "poisson" else Pc + e * math.sqrt(2 * taken / slow)
    T = -mu * k * Ps + mu * k * (P - Ps)
    assert impulses(a, b, d, mu, c, s, e, law) == pytest.approx((P, T), rel=1e-12)
