"""Steady motions and their stability: critical speeds, attractors."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.node_derivatives import Linearised
from dalembert.numerics.stability import Spectrum, Verdict
from dalembert.systems import chaplygin_sleigh, penny, rolling_disc, routh_sphere, suslov
from zoo import GALLERY


def reduced(system, symmetry=None):
    return da.free(da.reduce(system, symmetry).system)


@pytest.fixture(scope="module")
def disc():
    return reduced(rolling_disc.system())


def test_a_disc_rolls_straight_above_its_critical_speed(disc):
    p = disc.system.values()
    # psidot^2 > A m g r/(C (C + m r^2))
    critical = math.sqrt(p["A"] * p["m"] * p["g"] * p["r"] / (p["C"] * (p["C"] + p["m"] * p["r"] ** 2)))
    upright = {"theta": math.pi / 2, "vpsi": 0.0}
    for factor, verdict in ((0.98, "unstable"), (1.02, "stable to first order")):
        found = da.steady(disc, {**upright, "vpsi": factor * critical}, fix=["theta", "vpsi"])
        assert found.verdict == verdict
        assert found.residual < 1e-12


def test_a_disc_spins_upright_above_its_critical_spin(disc):
    p = disc.system.values()
    # phidot^2 > m g r/(A + m r^2)
    critical = math.sqrt(p["m"] * p["g"] * p["r"] / (p["A"] + p["m"] * p["r"] ** 2))
    for factor, verdict in ((0.98, "unstable"), (1.02, "stable to first order")):
        found = da.steady(disc, {"theta": math.pi / 2, "vphi": factor * critical}, fix=["theta", "vphi"])
        assert found.verdict == verdict


def test_circular_rolling_is_a_family_of_two_parameters(disc):
    p = disc.system.values()
    found = da.steady(disc, {"theta": 1.2, "vphi": 1.0, "vpsi": 3.0}, fix=["theta", "vphi"])
    theta, vphi, vpsi = (found.state[n] for n in ("theta", "vphi", "vpsi"))
    m, r, A, C, g = (p[n] for n in ("m", "r", "A", "C", "g"))
    s, c = math.sin(theta), math.cos(theta)
    # torque balance of steady rolling, rho = vpsi + vphi cos(theta) the spin about the axle:
    # (C + m r^2) rho vphi sin - A vphi^2 sin cos + m g r cos = 0
    rho = vpsi + vphi * c
    assert (C + m * r**2) * rho * vphi * s - A * vphi**2 * s * c + m * g * r * c == pytest.approx(0, abs=1e-9)
    assert found.family == 2
    assert found.state["vtheta"] == 0
    centre = replace(found, eigenvalues=np.array([-1.4e-17 + 2j, 1.4e-17 - 2j, 1e-9 + 1j]))
    assert "  0+2i, 0-2i, 1e-09+1i" in str(centre)  # rounding is no growth


def test_forward_sliding_attracts_and_backward_sliding_repels():
    system = chaplygin_sleigh.system()
    equations, p = reduced(system), system.values()
    for v, verdict in ((0.7, "attracting"), (-0.7, "unstable")):
        forward = equations.space.velocities[0].name  # along the blade
        found = da.steady(equations, {forward: v, "omega": 0.0}, fix=[forward])
        assert found.verdict == verdict
        # omegadot = -(m a/(J + m a^2)) v omega
        rate = -p["m"] * p["a"] / (p["J"] + p["m"] * p["a"] ** 2) * v
        assert sorted(found.eigenvalues.real, key=abs) == pytest.approx([0, rate], abs=1e-12)
        assert found.family == 1


def test_suslovs_attractor():
    system = suslov.system()
    equations = reduced(system)
    w1, w2 = suslov.attractor(1.0, system.values())
    for side, verdict in ((1, "attracting"), (-1, "unstable")):
        found = da.steady(equations, {"w1": side * w1, "w2": side * w2}, fix=["w1"])
        assert found.state["w2"] == pytest.approx(side * w2)
        assert found.verdict == verdict


def test_a_top_stands_upright_above_its_critical_spin():
    # (C n)^2 > 4 A m g l
    s = da.rotation("R", frame="body")
    w1, w2, w3 = s.velocities
    A, C, weight = 1.0, 0.4, 2.0
    system = da.System(
        s, (A * (w1**2 + w2**2) + C * w3**2) / 2 - weight * s.R[2, 2], symmetry=da.symmetry.rotations("R", axis=3)
    )
    equations = reduced(system)
    critical = math.sqrt(4 * A * weight) / C
    for factor, verdict in ((0.98, "unstable"), (1.02, "stable to first order")):
        found = da.steady(equations, {"g3": 1.0, "w3": factor * critical}, fix=["g1", "g2", "g3", "w3"])
        assert found.verdict == verdict


def test_a_low_sphere_is_stable_at_rest():
    low, high = (reduced(routh_sphere.system(a=a)) for a in (-0.15, 0.15))
    fix = ["z1", "z2", "z3", "w3"]
    assert da.steady(low, {"z3": 1.0}, fix).verdict == "stable to first order"
    assert da.steady(high, {"z3": 1.0}, fix).verdict == "unstable"
    # it swings like the pendulum  (I1 + m (r + a)^2) z'' = m g a z
    p = low.system.values()
    swing = math.sqrt(p["m"] * p["g"] * 0.15 / (p["I1"] + p["m"] * (p["r"] - 0.15) ** 2))
    assert np.abs(da.steady(low, {"z3": 1.0}, fix).eigenvalues).max() == pytest.approx(swing)


def test_refused(disc):
    with pytest.raises(da.DalembertError, match="E235 'vtheat'"):
        da.steady(disc, {"vtheat": 1.0})
    with pytest.raises(da.DalembertError, match="E244 there is no steady motion"):
        da.steady(disc, {"theta": 1.0, "vtheta": 1.0}, fix=["theta", "vtheta", "vphi", "vpsi"])


def test_parameters_can_be_replaced(disc):
    heavy = da.steady(disc, {"theta": math.pi / 2, "vpsi": 2.0}, fix=["theta", "vpsi"], parameters={"g": 1000.0})
    light = da.steady(disc, {"theta": math.pi / 2, "vpsi": 2.0}, fix=["theta", "vpsi"], parameters={"g": 0.001})
    assert heavy.verdict == "unstable"
    assert light.verdict == "stable to first order"


# --- arguments --------------------------------------------------------------------------------------------------------

WRONG = {
    "a reduction": (lambda e: da.steady(GALLERY.reduction("rolling_disc"), {}), "E307", "not Reduction"),
    "a system": (lambda e: da.steady(rolling_disc.system(), {}), "E307", "not System"),
    "no guess": (lambda e: da.steady(e, None), "E241", "not NoneType"),
    "a list": (lambda e: da.steady(e, [1.0, 2.0]), "E241", "not list"),
    "not a number": (lambda e: da.steady(e, {"theta": math.nan}), "E203", "theta = nan"),
    "text": (lambda e: da.steady(e, {"theta": "upright"}), "E204", "theta = 'upright'"),
    "fix None": (lambda e: da.steady(e, {"theta": 1.0}, fix=None), "E307", "fix = None"),
    "fix a number": (lambda e: da.steady(e, {"theta": 1.0}, fix=3), "E307", "fix = 3"),
    "fix misspelt": (lambda e: da.steady(e, {"theta": 1.0}, fix="thata"), "E235", "'thata' is no state"),
    "fix numbers": (lambda e: da.steady(e, {"theta": 1.0}, fix=[0]), "E235", "0 is no state"),
    "parameters": (lambda e: da.steady(e, {"theta": 1.0}, parameters=3), "E204", "parameters must be a mapping"),
    "at a pole": (lambda e: da.steady(e, {"theta": 0.0}), "E401", "at the guess"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_wrong_arguments_are_refused(disc, case):
    call, code, text = WRONG[case]
    with pytest.raises(da.DalembertError) as caught:
        call(disc)
    assert caught.value.code == code, str(caught.value)
    assert text in str(caught.value)


def test_what_is_held_may_be_text_or_symbols(disc):
    guess = {"theta": math.pi / 2, "vpsi": 2.0}
    made = [
        da.steady(disc, guess, fix=fix).state
        for fix in ("theta vpsi", "theta, vpsi", ["theta", "vpsi"], {disc.space["theta"], disc.space["vpsi"]})
    ]
    assert all(found == pytest.approx(made[0]) for found in made)
    assert made[0]["theta"] == math.pi / 2
    symbols = da.steady(disc, {disc.space[n]: v for n, v in guess.items()}, fix="theta vpsi")
    assert symbols.state == pytest.approx(made[0])


def test_a_start_is_a_guess_with_its_parameters_and_its_time(disc):
    guess = {"theta": math.pi / 2, "vtheta": 0.0, "vphi": 0.0, "vpsi": 2.0}
    start = disc.start(**guess, parameters={"g": 1000.0})
    fix = ["theta", "vpsi"]
    expected = da.steady(disc, guess, fix, parameters={"g": 1000.0})
    assert da.steady(disc, start, fix).eigenvalues == pytest.approx(expected.eigenvalues)
    other = da.steady(disc, start, fix, parameters={"g": 0.001})
    assert other.eigenvalues == pytest.approx(da.steady(disc, guess, fix, parameters={"g": 0.001}).eigenvalues)
    # what reduced_start returns is a guess: its time is no state, and counts where the system knows the time
    assert da.steady(disc, {**guess, "t": 3.0}, [*fix, "t"]).state == pytest.approx(expected.state, abs=1e-9)
    q, t = da.coordinates("x"), sp.Symbol("t", real=True)
    moving = da.free(da.System(q, (q["vx"] ** 2 - (q["x"] - t) ** 2) / 2))
    assert da.steady(moving, {"t": 3.0}).state["x"] == pytest.approx(3.0)


# --- what is free stays -----------------------------------------------------------------------------------------------


def test_a_carriage_that_turns_is_brought_straight_near_its_speed():
    # straight is any vleft = vright = v; the nearest has the least  ((v - a)/a)^2 + ((v - b)/b)^2 , 0 counted like b
    from dalembert.systems import two_wheeled_robot

    equations = reduced(two_wheeled_robot.system())
    for guess, v in (
        ({"vright": 0.4}, 0.2),
        ({"vleft": 0.4}, 0.2),
        ({"vleft": 0.1, "vright": 0.3}, 0.12),
        ({"vleft": 0.1, "vright": 0.1}, 0.1),
    ):
        found = da.steady(equations, guess)
        assert found.state["vleft"] == pytest.approx(found.state["vright"], abs=1e-12)
        assert found.state["vleft"] == pytest.approx(v, abs=1e-4)


def test_momenta_that_are_free_stay_where_they_are():
    # p1 turns p2 as a sleigh's turning slows it; a rotor that turns by itself has no part in it
    q = da.coordinates("x y theta psi", velocities="vx vy omega p2")
    _x, _y, theta, _psi, vx, vy, omega, p2 = q
    blade = {"blade": vy * sp.cos(theta) - vx * sp.sin(theta)}
    T = (vx - 0.3 * omega * sp.sin(theta)) ** 2 + (vy + 0.3 * omega * sp.cos(theta)) ** 2 + omega**2 + 0.01 * p2**2
    symmetry = [da.symmetry.euclidean("x y", "theta"), {"psi": {"psi": 1}}]
    equations = reduced(da.System(q, T / 2, blade, symmetry=symmetry))
    along = next(u.name for u in equations.space.velocities if u.name not in ("omega", "p2"))
    found = da.steady(equations, {"p2": 0.4, along: 1.0, "omega": 0.3})
    assert found.state["p2"] == pytest.approx(0.4, abs=1e-12)
    assert found.state["omega"] == pytest.approx(0, abs=1e-12)
    assert found.state[along] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_a_disc_near_circular_rolling_is_brought_to_the_nearest(disc, seed):
    # the nearest state with  (C + m r^2) rho vphi sin - A vphi^2 sin cos + m g r cos = 0 , vtheta = 0 , by another way
    from scipy.optimize import minimize

    p, rng = disc.system.values(), np.random.default_rng(seed)
    m, r, A, C, g = (p[n] for n in ("m", "r", "A", "C", "g"))
    names = ["theta", "vtheta", "vphi", "vpsi"]
    guess = dict(zip(names, [rng.uniform(0.8, 1.4), 0.1, 1 + rng.uniform(), 2 + 2 * rng.uniform()], strict=True))
    given, size = np.array(list(guess.values())), np.array(list(guess.values()))

    def torque(y):
        theta, _, vphi, vpsi = y
        s, c = math.sin(theta), math.cos(theta)
        return (C + m * r**2) * (vpsi + vphi * c) * vphi * s - A * vphi**2 * s * c + m * g * r * c

    far = lambda y: float((((y - given) / size)[[0, 2, 3]] ** 2).sum())  # noqa: E731
    best = minimize(far, given, constraints=[{"type": "eq", "fun": torque}], method="SLSQP", tol=1e-12)
    found = np.array([da.steady(disc, guess).state[n] for n in names])
    assert torque(found) == pytest.approx(0, abs=1e-9)
    assert found[1] == pytest.approx(0, abs=1e-12)
    # the last steps come nearer by less than 1e-6 of the distance
    assert math.sqrt(far(found)) == pytest.approx(math.sqrt(best.fun), rel=1e-4)


def swing(potential):
    """A pendulum, or what a potential of x, y and t makes of it."""
    return da.nonholonomic(
        da.System(da.Space.product(da.line("x"), da.line("y")), f"(vx**2 + vy**2)/2 - ({potential})")
    )


@pytest.mark.parametrize("potential", ["(x - sin(t))**2/2 + y**2/2", "x**2/2 + y**2/2 + x*sin(t/40)"])
def test_what_stands_still_for_a_moment_decides_nothing(potential):
    found = da.steady(swing(potential), {"x": 0.01, "y": 0.0})
    assert found.verdict == "undecided" and found.frozen == 0.0 and "at t = 0 alone" in str(found)


def test_eigenvalues_that_change_with_time_decide_nothing():
    # Mathieu: x'' + (1 + cos(2 t)/2) x = 0 grows, and its eigenvalues are imaginary at every time
    found = da.steady(swing("(1 + cos(2*t)/2)*x**2/2 + y**2/2"), {"x": 0.01, "y": 0.0})
    assert found.verdict == "undecided" and "change with time" in str(found)
    assert not found.growth
    # a time that does nothing there: y moves by itself
    found = da.steady(swing("x**2/2 + y**2/2 + x**4*sin(t)"), {"x": 0.01, "y": 0.0})
    assert found.verdict == "stable to first order" and found.frozen is None


def test_a_vakonomic_motion_is_steady_with_its_multiplier():
    L = "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - (x^2 + 4*y^2 + 9*z^2)/2"
    equations = da.vakonomic(da.System(da.coordinates("x y z"), L, {"c": "dot(z) - y*dot(x)"}))
    for c in (0.0, 1.0, 3.0):
        found = da.steady(equations, {"lam_c": c}, fix="lam_c")
        assert found.state == dict.fromkeys(equations.states, 0.0) | {"lam_c": c}
        # near rest, with lam = c:  xdd + c yd + x = 0,  ydd - c xd + 4 y = 0,  zd = 0,  lamd = 9 z
        squares = np.roots([1, 5 + c**2, 4])
        speeds = np.sort(np.abs(found.eigenvalues.imag))
        np.testing.assert_allclose(speeds, np.sort([0, 0, *np.repeat(np.sqrt(-squares), 2)]), atol=1e-6)
    path = da.simulate(equations, {**found.state, "x": 0.1}, until=1.0)  # and the row of a path is a guess
    # lamd = 9 z with zd = 0: the linear motion grows like t
    assert da.steady(equations, path.at(1.0), fix="lam_c").verdict == "undecided"


# --- vakonomic steady motions, without the group and with the constraints, beside those computed by hand --------------


def unreduced(module):
    return da.vakonomic(da.symmetry.quotient(module.system()).system)


def test_a_vakonomic_sleigh_turns_or_goes_straight_as_computed_by_hand():
    # p = (m vx, m a omega - lam, (J + m a^2) omega) in the frame of the blade, vy = 0:
    #   p1' = omega p2,  p2' = -omega p1,  p3' = -vx p2;  it stands still where two of omega, vx, p2 are 0
    m, J, a = 1.0, 0.5, 0.4
    equations = unreduced(chaplygin_sleigh)
    turns = da.steady(equations, {"omega": 0.5, "lam_blade": 0.1}, fix="omega")
    assert turns.state["lam_blade"] == pytest.approx(m * a * 0.5) and turns.verdict == "stable to first order"
    np.testing.assert_allclose(np.sort(turns.eigenvalues.imag), [-0.5, 0, 0.5], atol=1e-9)
    # p2'' = m vx^2 p2 m / (m (J + m a^2)): straight motion is unstable, forwards and backwards
    for speed in (2.0, -2.0):
        straight = da.steady(equations, {"vx": speed})
        assert straight.state["lam_blade"] == 0 and straight.verdict == "unstable"
        assert straight.growth == pytest.approx(2 * np.sqrt(m / (J + m * a**2)))


def test_a_vakonomic_penny_on_a_circle_is_steady_with_the_momentum_as_its_multiplier():
    # p = (m vx - lam_along, -lam_across):  p1' = vphi p2,  p2' = -vphi p1, and so p = 0 where it turns
    m, R = 1.0, 0.5
    found = da.steady(unreduced(penny), {"vpsi": 2.0, "vphi": 0.9}, fix="vpsi vphi")
    assert found.state["vx"] == pytest.approx(R * 2.0)
    assert found.state["lam_along"] == pytest.approx(m * R * 2.0) and found.state["lam_across"] == 0
    np.testing.assert_allclose(np.sort(found.eigenvalues.imag), [-0.9, 0, 0, 0.9], atol=1e-9)


@pytest.mark.parametrize(("theta", "vphi"), [(1.2, 0.9), (1.2, 2.0), (0.8, -3.0), (2.0, 1.5)])
def test_a_vakonomic_disc_on_a_circle_leans_as_its_constrained_lagrangian_says(theta, vphi):
    # where it turns p = m v - lam = 0, and with it dL_c/dtheta = 0 for L with the rolling put in, s = vpsi + vphi cos:
    #   L_c = A vphi^2 sin^2 / 2 + (C + m r^2) s^2 / 2 - m g r sin
    m, r, A, C, g = 1.0, 0.5, 0.0625, 0.125, 9.81
    sin, cos = np.sin(theta), np.cos(theta)
    s = (A * vphi**2 * sin * cos - m * g * r * cos) / ((C + m * r**2) * vphi * sin)
    found = da.steady(unreduced(rolling_disc), {"theta": theta, "vphi": vphi, "vpsi": -1.0}, fix="theta vphi")
    assert found.state["vpsi"] == pytest.approx(s - vphi * cos)
    assert found.state["vy"] == pytest.approx(-r * s) and found.state["lam_across"] == pytest.approx(-m * r * s)


@pytest.mark.parametrize("module", [chaplygin_sleigh, penny, rolling_disc])
def test_a_space_projected_onto_allowed_velocities_has_no_vakonomic_motions(module):
    # there it gave d'Alembert's motions: the reduced sleigh ran straight and stably, with no multiplier
    for system in (da.reduce(module.system()).system, da.symmetry.restrict(module.system()).system):
        with pytest.raises(da.DalembertError, match="E163") as caught:
            da.vakonomic(system)
        assert "quotient" in caught.value.remedy


def test_what_moves_along_a_symmetry_is_steady_in_the_reduced_system():
    q = da.coordinates("x y")
    falling = {"T": "(vx^2 + vy^2)/2 - y", "says": True}, {"T": "(vx^2 + vy^2)/2 - y - exp(x)", "says": False}
    for each in falling:
        with pytest.raises(da.DalembertError, match="E244 there is no steady motion") as refused:
            da.steady(da.free(da.System(q, each["T"])), {"x": 0, "y": 0, "vx": 1, "vy": 0})
        assert ("da.reduce" in refused.value.remedy) is each["says"]


# --- rotations by their own name -------------------------------------------------------------------------------------

DOWN = {"w": 0, "x": 1, "y": 0, "z": 0}


@pytest.fixture(scope="module")
def spherical():
    """A top on its point: it stands, R_33 = 1, or hangs, R_33 = -1; its weight times its height is k, I1 = 1."""
    space = da.rotation("R", frame="body", velocities="p q r")
    return da.System(space, "(p^2 + q^2)/2 + r^2/4 - k*(1 - 2*(R_x^2 + R_y^2))", parameters={"k": 1.0})


@pytest.mark.parametrize(
    ("guess", "rates"),
    [({"R": "identity"}, [1, 1, 0, 0, -1, -1]), ({}, [1, 1, 0, 0, -1, -1]), ({"R": DOWN}, [1j, 1j, 0, 0, -1j, -1j])],
)
def test_a_rotation_is_given_by_its_name_as_in_starts(spherical, guess, rates):
    equations = da.free(spherical)
    found = da.steady(equations, guess)
    start = equations.start(**{"R": "identity", **guess}, p=0, q=0, r=0)
    assert found.state == pytest.approx(dict(start))
    assert found.eigenvalues == pytest.approx(np.array(rates, complex), abs=1e-7)
    held = da.steady(equations, {"R_w": 0.1, "R_x": math.sqrt(0.99), "R_y": 0, "R_z": 0}, fix="p q r")
    assert held.state["R_x"] == pytest.approx(1)


def test_a_branch_begins_at_a_rotation_and_holds_it(spherical):
    for equations in (spherical, da.free(spherical)):
        branch = da.continue_steady(equations, parameter="k", start={"R": DOWN}, over=(0.5, 3.0), fix="R")
        assert set(branch.held) == {"R_w", "R_x", "R_y", "R_z"}
        top = np.abs(branch.eigenvalues.imag).max(axis=1)
        assert top == pytest.approx(np.sqrt(branch["k"]), rel=1e-6)  # a pendulum's, w^2 = k/I1


def test_what_is_no_rotation_is_refused_as_in_starts(spherical):
    equations = da.free(spherical)
    for guess, code in (
        ({"R": "identity", "R_w": 1}, "E233 R and its coordinates R_w are both given"),
        ({"R": "up"}, "E239"),
        ({"R": [1, 0, 0, 0]}, "E238"),
        ({"Q": 1}, "E235"),
    ):
        with pytest.raises(da.DalembertError, match=code):
            da.steady(equations, guess)
    with pytest.raises(da.DalembertError, match="E235"):
        da.steady(equations, {}, fix="Q")


def test_free_equations_are_told_of_free_ones(spherical):
    with pytest.raises(da.DalembertError, match=r"E244 [^!]*da\.free\(da\.reduce\(s\)\.system\)"):
        da.steady(da.free(spherical), {"r": 9.0}, fix="R p q r")


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_velocities_without_mass_are_determined_by_their_constraint(damping):
    q = da.coordinates("x z")
    forces = {"vx": -damping * q["vx"]} if damping else None
    follower = da.System(q, "vx^2/2 - x^2/2", {"lag": "vz + z - x"}, forces, massless=["vz"])
    equations = da.nonholonomic(follower)
    # x'' + d x' + x = 0 ,  z' = x - z
    root = np.sqrt(1 - damping**2 / 4)
    found = np.sort_complex(da.steady(equations, {"x": 0.1, "z": 0.1, "vx": 0}).eigenvalues)
    np.testing.assert_allclose(found, [-1, -damping / 2 - 1j * root, -damping / 2 + 1j * root], atol=1e-9)
    if not damping:
        orbit = da.periodic(equations, {"x": 1.0, "z": 0.5, "vx": 0.5}, period=6.2)
        assert orbit.period == pytest.approx(2 * np.pi, abs=1e-9)
        assert min(abs(orbit.multipliers)) == pytest.approx(np.exp(-2 * np.pi), abs=1e-9)


def test_a_light_body_stands_where_euler_and_lagrange_found_beside_earth_and_moon():
    mu, places = 0.0121505856, da.coordinates("x y")
    x, y, vx, vy = places["x"], places["y"], places["vx"], places["vy"]
    near, far = sp.sqrt((x + mu) ** 2 + y**2), sp.sqrt((x - 1 + mu) ** 2 + y**2)
    light = da.free(da.System(places, ((vx - y) ** 2 + (vy + x) ** 2) / 2 + (1 - mu) / near + mu / far))
    # in line, by the distance d from the moon on both sides: Euler's quintics
    inner = [1, mu - 3, 3 - 2 * mu, -mu, 2 * mu, -mu]
    outer = [1, 3 - mu, 3 - 2 * mu, -mu, -2 * mu, -mu]
    for quintic, side in ((inner, -1), (outer, 1)):
        d = next(z.real for z in np.roots(quintic) if abs(z.imag) < 1e-9 and 0 < z.real < 1)
        found = da.steady(light, {"x": 1 + 0.16 * side})
        assert found.state["x"] == pytest.approx(1 - mu + side * d, abs=1e-12)
        assert found.growth > 1
    # at the third corner: w^4 - w^2 + 27 mu (1 - mu)/4 = 0
    corner = da.steady(light, {"x": 0.49, "y": 0.86})
    assert (corner.state["x"], corner.state["y"]) == pytest.approx((0.5 - mu, math.sqrt(3) / 2), abs=1e-12)
    slow_and_fast = np.sqrt(np.sort(np.roots([1, -1, 27 * mu * (1 - mu) / 4])))
    assert np.sort(corner.eigenvalues.imag)[2:] == pytest.approx(slow_and_fast, abs=1e-9)


def test_a_guess_that_stands_to_the_last_bit_is_not_improved(monkeypatch):
    """Each rank asks for little more than what is left, as of a ring of satellites that turns as one."""
    asked, at = [], Linearised.at
    monkeypatch.setattr(Linearised, "at", lambda self, y: asked.append(0) or at(self, y))
    monkeypatch.setattr(Spectrum, "told", lambda *given: Verdict("undecided", ""))
    names = [f"x{i}" for i in range(8)]
    V = " - ".join(f"(x{i} - x{(i + 1) % 8} + x{i}^3)^2" for i in range(8))
    kinetic = "(" + " + ".join(f"dot({n})^2" for n in names) + ")/2"
    ring = da.free(da.System(da.coordinates(" ".join(names)), f"{kinetic} - {V}"))
    assert da.steady(ring, {}).residual == 0
    assert len(asked) <= 6 * 16  # six for each rank
