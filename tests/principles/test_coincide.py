"""When nonholonomic motions solve the vakonomic equations: conditions found by hand, in papers, and by both runs."""

import importlib
import itertools
import pkgutil
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp

import dalembert as da
import dalembert.systems
from dalembert.errors import DalembertError, DalembertWarning
from dalembert.principles.coincide import coincide
from dalembert.principles.coincidence_branches import vakonomic_branches
from dalembert.principles.vakonomic_substitution import SubstitutedEquations, tried
from dalembert.systems import ball_on_turntable

sin, cos = sp.sin, sp.cos
T = sp.Symbol("t", real=True)
ENOUGH = 1_000_000  # terms; most systems here need some thousands

# the runs meet tolerances of 1e-11 of the size of the path and better; both motions are regular over these times
CLOSE = 1e-10


# --- systems ---------------------------------------------------------------------------------------------------------


def ball(**options):
    return ball_on_turntable.system({"m": 0.7, "r": 0.5, "I": 0.3}, **options)


def penny():
    q = da.coordinates("x y phi psi")
    _x, _y, phi, _psi, vx, vy, vphi, vpsi = q
    m, R, C, A = sp.symbols("m R C A", positive=True)
    rows = {"along": vx - R * cos(phi) * vpsi, "across": vy - R * sin(phi) * vpsi}
    L = m / 2 * (vx**2 + vy**2) + C / 2 * vpsi**2 + A / 2 * vphi**2
    return da.System(q, L, rows, parameters={"m": 1.2, "R": 0.7, "C": 0.4, "A": 0.25})


def appell_hamel(linear, F):
    q = da.coordinates("x y z theta")
    _x, _y, z, theta, vx, vy, vz, vtheta = q
    m, M, a, b, J, g = sp.symbols("m M a b J g", positive=True)
    force = sp.Symbol("F", real=True)
    L = (m + M) / 2 * (vx**2 + vy**2) + m / 2 * vz**2 + J / 2 * vtheta**2 - m * g * z
    blade, forward = vx * sin(theta) - vy * cos(theta), vx * cos(theta) + vy * sin(theta)
    # drum turns with vphi = -vz/b, wheel rolls with forward = a vphi [xu2007 (1)-(4)]
    roll = {"roll": forward + a / b * vz} if linear else {"roll": vx**2 + vy**2 - (a / b) ** 2 * vz**2}
    values = {"m": 1.0, "M": 0.5, "a": 0.4, "b": 0.2, "J": 0.3, "g": 2.0, "F": F}
    push = {vx: force * cos(theta), vy: force * sin(theta)}
    return da.System(q, L, {"blade": blade, **roll}, forces=push, parameters=values)


def knife_edge(slope=True):
    q = da.coordinates("x y theta", velocities="vx vy omega")
    x, _y, theta, vx, vy, omega = q
    m, J, g = sp.symbols("m J g", positive=True)
    L = m / 2 * (vx**2 + vy**2) + J / 2 * omega**2 + (m * g * x if slope else 0)
    values = {"m": 1.1, "J": 0.4} | ({"g": 1.7} if slope else {})
    return da.System(q, L, {"edge": vx * sin(theta) - vy * cos(theta)}, parameters=values)


def sleigh():
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    m, J, a = sp.symbols("m J a", positive=True)
    T = m / 2 * ((vx - a * omega * sin(theta)) ** 2 + (vy + a * omega * cos(theta)) ** 2) + J / 2 * omega**2
    return da.System(q, T, {"blade": -vx * sin(theta) + vy * cos(theta)}, parameters={"m": 1.3, "J": 0.5, "a": 0.3})


def heisenberg():
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    m = sp.Symbol("m", positive=True)
    return da.System(q, m / 2 * (vx**2 + vy**2 + vz**2), {"contact": vz - y * vx}, parameters={"m": 0.8})


def line(rate):
    """Particle in the plane with zdot = rate(x, z)."""
    q = da.coordinates("x z")
    x, z, vx, vz = q
    k = sp.Symbol("k", positive=True)
    return da.System(q, (vx**2 + 2 * vz**2) / 2 - x**2 * (1 + z**2), {"c": vz - rate(x, z, k)}, parameters={"k": 0.7})


BUILDERS = {
    "ball": lambda: ball(Omega=1.3),
    "ball at rest": lambda: ball(Omega=0.0),
    "penny": penny,
    "linear, pushed": lambda: appell_hamel(True, 0.6),
    "linear": lambda: appell_hamel(True, 0.0),
    "nonlinear, pushed": lambda: appell_hamel(False, 0.6),
    "nonlinear": lambda: appell_hamel(False, 0.0),
    "knife edge": knife_edge,
    "level knife edge": lambda: knife_edge(slope=False),
    "sleigh": sleigh,
    "heisenberg": heisenberg,
}


@cache
def found(name):
    result = coincide(BUILDERS[name](), work=ENOUGH)
    assert result.complete, result
    assert all(b.confirmed for b in result.branches), result
    return result


def conditions(branch):
    """A branch's conditions as a set of expressions up to their sign and positive factors."""
    return {_primitive(c) for c in branch.conditions}


def _primitive(e):
    e = sp.factor(sp.numer(sp.together(e)))
    keep = [f for f in sp.Mul.make_args(e) if not f.is_number and not f.is_positive]
    product = sp.expand(sp.Mul(*keep))
    return -product if product.could_extract_minus_sign() else product


def expected(*alternatives):
    return {frozenset(map(_primitive, c)) for c in alternatives}


def here(result):
    return {frozenset(conditions(b)) for b in result.branches if b.here}


def distance(result, until=2.0, **given):
    """Largest difference of the two motions from the matching start, relative to the path's size."""
    start = result.start(**given)
    names = [s.name for s in result.system.space]
    real = da.nonholonomic(result.system)
    one = da.simulate(real, {**{n: start[n] for n in names}, "t": start.t}, until=start.t + until)
    two = da.simulate(da.vakonomic(result.system), start, until=start.t + until)
    assert one.reached  # not "ok": at rest there is no energy that the audit could relate errors to
    assert two.reached
    times = np.linspace(start.t, start.t + until, 41)
    a, b = (np.array([p.at(times)[n] for n in names]) for p in (one, two))
    return float(np.abs(a - b).max() / (1 + np.abs(a).max()))


# --- the ball on the turning table [lewis1995 Lemma 3.1] --------------------------------------------------------------


def test_ball_coincides_on_centred_circles_with_the_spin_of_the_table_or_at_rest():
    x, y, vx, vy, w3 = (ball_on_turntable.SPACE[n] for n in ("x", "y", "vx", "vy", "w3"))
    m, r, inertia, Omega = *sp.symbols("m r I", positive=True), sp.Symbol("Omega", real=True)
    result = found("ball")
    assert (result.verdict, result.proven) == ("conditions", True)
    # the circle of radius rho about the axis has the rate I Omega/(I + m r^2)
    J = inertia + m * r**2
    circle = [w3 - Omega, J * vx + inertia * Omega * y, J * vy - inertia * Omega * x]
    assert here(result) == expected([vx, vy], circle, [w3 - Omega, x, y, vx, vy])
    moving = next(b for b in result.branches if conditions(b) == next(iter(expected(circle))))
    lam = {s.name: e for s, e in moving.multipliers.items()}
    assert sp.simplify(lam["lam_roll_x"] + inertia / r**2 * vx) == 0
    assert sp.simplify(lam["lam_roll_y"] + inertia / r**2 * vy) == 0
    assert moving.unique
    assert [b.title for b in result.branches if b.resting and b.here] == 2 * ["rest of x, y"]


def test_ball_on_the_resting_table_coincides_from_vanishing_multipliers():
    result = found("ball at rest")
    assert (result.verdict, result.unique, result.proven) == ("always", True, True)
    wide = next(b for b in result.branches if b.here and not b.conditions)
    assert set(wide.multipliers.values()) == {0}
    # without spin lam(0) may be any multiple of the velocity
    free = next(b for b in result.branches if b.here and b.relations)
    assert (free.freedom, {c.name for c in free.conditions[0].free_symbols}) == (1, {"w3"})
    assert distance(result, x=1.0, y=0.3, vx=0.4, vy=0.7, w3=0.5) < CLOSE
    spinless = {"x": 1.0, "y": 0.3, "vx": 0.4, "vy": 0.7, "w3": 0.0}
    assert distance(result, **spinless, lam_roll_x=0.8) < CLOSE
    assert result.start(**spinless, lam_roll_x=0.8)["lam_roll_y"] == pytest.approx(1.4)


def test_ball_in_both_runs():
    result = found("ball")
    rate = 0.3 * 1.3 / (0.3 + 0.7 * 0.25)
    circle = {"x": 0.5, "y": 0.2, "vx": -rate * 0.2, "vy": rate * 0.5, "w3": 1.3}
    start = result.start(**circle)
    assert start["lam_roll_x"] == pytest.approx(-0.3 / 0.25 * start["vx"], abs=1e-12)
    assert distance(result, **circle, until=1.0) < CLOSE  # an unstable motion
    assert distance(result, x=0.4, y=0.1, vx=0.0, vy=0.0, w3=-0.8) < CLOSE
    for wrong in ({"vx": 0.1}, {"w3": 1.2}):
        assert not result.match({**circle, **wrong}).exists
        with pytest.raises(DalembertError, match="E243"):
            result.start(**{**circle, **wrong})


# --- the penny -------------------------------------------------------------------------------------------------------


def test_every_motion_of_the_penny_and_where_lam_is_not_unique():
    result = found("penny")
    assert (result.verdict, result.unique, result.proven) == ("always", True, True)
    m, vx, vy = sp.Symbol("m", positive=True), *(result.system.space[n] for n in ("vx", "vy"))
    wide = next(b for b in result.branches if not b.conditions)
    assert {s.name: e for s, e in wide.multipliers.items()} == {"lam_along": m * vx, "lam_across": m * vy}
    given = {"x": 0, "y": 0, "phi": 0.3, "psi": 0, "vphi": 0.6, "vpsi": 1.2}
    assert distance(result, **given) < CLOSE
    assert result.match(given).unique
    # without a turning heading any multiple along it does: uniqueness is lost, and said
    straight = {**given, "vphi": 0.0}
    assert here(result) == expected([], [sp.Symbol("vphi", real=True)], list(sp.symbols("vphi vpsi", real=True)))
    assert result.match(straight).free.shape == (2, 1)
    assert distance(result, **straight, lam_along=2.0) < CLOSE
    assert result.start(**straight, lam_along=2.0)["lam_across"] == pytest.approx(2.0 * np.tan(0.3))


# --- Appell and Hamel [xu2007] ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["linear, pushed", "nonlinear, pushed"])
def test_pushed_wheel_coincides_when_it_rolls_straight_only(name):
    result = found(name)
    assert result.verdict == "conditions"
    straight = next(b for b in result.branches if b.here)
    assert here(result) == expected([result.system.space["vtheta"]])
    assert {s.name: e for s, e in straight.multipliers.items()} == {"lam_blade": 0}
    assert [s.name for s in straight.free] == ["lam_roll"]
    given = {"x": 0.1, "y": 0.2, "z": 0.0, "theta": 0.4, "vx": 0.5 * np.cos(0.4), "vy": 0.5 * np.sin(0.4), "vz": -0.25}
    for lam in (-0.3, 0.6):
        assert distance(result, **given, vtheta=0.0, lam_roll=lam) < CLOSE
    assert not result.match({**given, "vtheta": 0.9}).exists


def test_straight_rolling_has_the_multipliers_of_the_corrected_paper():
    # 2 lam = F/A - (m + M) + c/t with L + lam psi, where forward = A t:  with L - lam psi the other sign
    result = found("nonlinear, pushed")
    p = result.system.parameters
    A = (p["F"] + p["m"] * p["g"] * p["b"] / p["a"]) / (p["m"] + p["M"] + p["m"] * (p["b"] / p["a"]) ** 2)
    t0, c = 0.5, 0.3
    v = A * t0
    lam = lambda t: -(p["F"] / A - (p["m"] + p["M"]) + c / t) / 2  # noqa: E731
    given = {"x": 0, "y": 0, "z": 0, "theta": 0.0, "vx": v, "vy": 0.0, "vz": -v * p["b"] / p["a"], "vtheta": 0.0}
    start = result.start(t=t0, **given, lam_roll=lam(t0))
    path = da.simulate(da.vakonomic(result.system), start, until=2.0)
    np.testing.assert_allclose(path.at(2.0)["vx"], A * 2.0, rtol=1e-9)
    np.testing.assert_allclose(path.at(2.0)["lam_roll"], lam(2.0), rtol=1e-8)


@pytest.mark.parametrize("name", ["linear", "nonlinear"])
def test_every_motion_of_the_wheel_that_is_not_pushed(name):
    result = found(name)
    assert (result.verdict, result.unique) == ("always", True)
    m, M, a, b = sp.symbols("m M a b", positive=True)
    wide = next(b for b in result.branches if b.here and not b.conditions)
    lam = {s.name: e for s, e in wide.multipliers.items()}
    vz = result.system.space["vz"]
    # 2 lam = m + M with L - lam psi for the cone; the linear row is its root
    value = (m + M) / 2 if name == "nonlinear" else -(m + M) * vz * a / b
    assert lam["lam_blade"] == 0
    assert sp.simplify(lam["lam_roll"] - value) == 0
    given = {"x": 0.1, "y": 0.2, "z": 0.0, "theta": 0.4, "vx": 0.5 * np.cos(0.4), "vy": 0.5 * np.sin(0.4), "vz": -0.25}
    assert distance(result, **given, vtheta=0.9) < CLOSE


# --- worked out by hand ----------------------------------------------------------------------------------------------


def test_knife_edge_on_an_incline_slides_down_or_stands():
    # omega lam = v lam = 0; lam = 0 needs the reaction m (v omega + g sin) = 0, whose rate is 2 m g omega cos
    result = found("knife edge")
    space = result.system.space
    theta, vx, vy, omega = (space[n] for n in ("theta", "vx", "vy", "omega"))
    v = vx * cos(theta) + vy * sin(theta)
    assert here(result) == expected([omega, sin(theta)], [omega, v, cos(theta)])
    assert [b.at_rest for b in result.branches if b.here] == [False, True]
    assert distance(result, x=0.0, y=0.0, theta=0.0, vx=0.4, vy=0.0, omega=0.0) < CLOSE
    assert distance(result, x=0, y=0, theta=np.pi / 2, vx=0.0, vy=0.0, omega=0.0, lam_edge=0.7) < CLOSE
    assert not result.match({"x": 0, "y": 0, "theta": 0.3, "vx": 0.4, "omega": 0.0}).exists


def test_level_knife_edge_goes_straight_or_turns_on_the_spot():
    result = found("level knife edge")
    theta, vx, vy, omega = (result.system.space[n] for n in ("theta", "vx", "vy", "omega"))
    v = vx * cos(theta) + vy * sin(theta)
    assert here(result) == expected([omega], [v], [omega, v])
    assert distance(result, x=0.0, y=0.0, theta=0.3, vx=0.0, vy=0.0, omega=0.8) < CLOSE


def test_sleigh_goes_straight():
    # turning on the spot pushes the centre of mass outward, so only straight motion and rest remain
    result = found("sleigh")
    theta, vx, vy, omega = (result.system.space[n] for n in ("theta", "vx", "vy", "omega"))
    assert here(result) == expected([omega], [omega, vx * cos(theta) + vy * sin(theta)])
    assert {e for b in result.branches for e in b.multipliers.values()} == {0}
    assert distance(result, x=0.0, y=0.0, theta=0.3, vx=0.4 * np.cos(0.3), omega=0.0) < CLOSE


def test_heisenberg_particle_moves_along_an_axis():
    # lam (vx, vy) = 0; lam = 0 needs the reaction m vx vy/(1 + y^2) = 0
    result = found("heisenberg")
    vx, vy = result.system.space["vx"], result.system.space["vy"]
    assert here(result) == expected([vx], [vy], [vx, vy])
    assert distance(result, x=0.1, y=0.3, z=0.0, vx=0.6, vy=0.0) < CLOSE
    assert distance(result, x=0.1, y=0.3, z=0.0, vx=0.0, vy=0.6) < CLOSE
    assert not result.match({"x": 0.1, "y": 0.3, "z": 0.0, "vx": 0.6, "vy": 0.6}).exists


# --- [lewis1995 Proposition 2.8] --------------------------------------------------------------------------------------


def test_holonomic_constraints_always_coincide_whatever_lam_is():
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    T = (vx**2 + 2 * vy**2 + 3 * vz**2) / 2 - x - y**2
    for phi in (x**2 + y * z - 1, (2 * x * vx + vy * z + y * vz) * sp.exp(x), vx - 2 * vz):
        result = coincide(da.System(q, T, {"c": phi}), work=ENOUGH)
        assert (result.verdict, result.unique, result.proven) == ("always", False, True)
        assert [(b.conditions, b.freedom) for b in result.branches] == [((), 1)]


def test_the_condition_of_proposition_2_8_is_sufficient_and_not_necessary():
    # D is integrable in both, and the drift is not in D; zdot = f(z) coincides, zdot = k x does not
    drifting = coincide(line(lambda x, z, k: k * z + z**2), work=ENOUGH)
    assert (drifting.verdict, drifting.proven) == ("always", True)
    assert distance(drifting, x=0.3, z=0.4, vx=0.5, lam_c=0.7, until=0.5) < CLOSE
    for result in (coincide(line(lambda x, z, k: k * x), work=ENOUGH),):
        assert result.verdict != "always"
        assert not result.match({"x": 0.3, "z": 0.4, "vx": 0.5}).exists


def test_a_particle_that_is_driven_by_its_own_place():
    # xddot = 0 with zdot = k x: lam k = 0, and the reaction 2 k vx must vanish
    q = da.coordinates("x z")
    x, _z, vx, vz = q
    k = sp.Symbol("k", positive=True)
    result = coincide(da.System(q, (vx**2 + vz**2) / 2, {"c": vz - k * x}, parameters={"k": 0.7}))
    assert here(result) == expected([vx])
    assert result.proven


def test_never():
    # pushed sideways for ever: lam k = 0, so the reaction, xddot = 1 and with it vx must vanish, which they do not
    q = da.coordinates("x z")
    x, _z, vx, vz = q
    system = da.System(q, (vx**2 + vz**2) / 2 + x, {"c": vz - x})
    result = coincide(system)
    assert (result.verdict, result.branches, result.proven) == ("never", (), True)
    assert "No nonholonomic motion" in str(result)
    with pytest.raises(DalembertError, match="E243"):
        result.lam({"x": 0.1, "z": 0.0, "vx": 0.0})


def test_without_constraints_both_principles_are_the_same():
    q = da.coordinates("x")
    result = coincide(da.System(q, q["vx"] ** 2 / 2 - q["x"] ** 2))
    assert (result.verdict, result.lam({"x": 0.1, "vx": 0.2})) == ("always", {})
    assert dict(result.start(x=0.1, vx=0.2)) == {"x": 0.1, "vx": 0.2}


# --- forces, time, redundant rows, functions --------------------------------------------------------------------------


def test_friction_and_time():
    # edge turning with the time: phi = vx sin t - vy cos t, pushed by friction; EL(phi) = (cos t, sin t), of length 1
    # along the edge: lam = 0, and then the reaction  -m v  along the edge's turn must vanish
    q = da.coordinates("x y")
    _x, _y, vx, vy = q
    m, nu = sp.symbols("m nu", positive=True)
    rows = {"edge": vx * sin(T) - vy * cos(T)}
    friction = {vx: -nu * vx, vy: -nu * vy}
    system = da.System(q, m / 2 * (vx**2 + vy**2), rows, forces=friction, parameters={"m": 1.1, "nu": 0.3})
    result = coincide(system, work=ENOUGH)
    assert (result.verdict, result.proven) == ("conditions", True)
    (only,) = result.branches
    assert only.at_rest
    assert conditions(only) == {_primitive(vx * cos(T) + vy * sin(T))}
    assert list(only.multipliers.values()) == [0]


def test_conditions_that_hold_the_time():
    # force that grows with the time on a level knife edge: the straight motion survives along the force only
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    rows = {"edge": vx * sin(theta) - vy * cos(theta)}
    L = (vx**2 + vy**2 + omega**2) / 2
    result = coincide(da.System(q, L, rows, forces={vx: 1 + T}), work=ENOUGH)
    assert (result.verdict, result.proven) == ("conditions", True)
    assert expected([omega, sin(theta)]) <= here(result)
    assert distance(result, t=0.2, x=0, y=0, theta=0.0, vx=0.3, vy=0.0, omega=0.0) < CLOSE
    assert not result.match({"t": 0.2, "x": 0, "y": 0, "theta": 0.4, "vx": 0.3, "omega": 0.0}).exists


def test_a_constraint_given_twice():
    system = heisenberg()
    twice = system.changed(
        constraints={"contact": system.constraints[0].given, "again": 2 * system.constraints[0].given}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        result = coincide(twice, work=ENOUGH)
        vx, vy = system.space["vx"], system.space["vy"]
        assert here(result) == expected([vx], [vy], [vx, vy])
        # only lam_contact + 2 lam_again counts
        assert result.match({"x": 0.1, "y": 0.3, "z": 0.0, "vx": 0.6, "vy": 0.0}).free.shape == (2, 1)


def test_roots_and_exponentials():
    # constraint with a function of the place: zdot = exp(y) xdot, EL = exp(y) (vy, -vx): as Heisenberg's
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    for f in (sp.exp(y), sp.sqrt(1 + y**2), sp.sinh(y) + 2):
        system = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vz - f * vx})
        result = coincide(system, work=ENOUGH)
        assert expected([vx]) <= here(result)
        assert result.proven
        assert all(b.confirmed for b in result.branches)


def test_what_cannot_be_searched_is_said():
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        rough = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vz - sp.sign(y) * y * vx})
    result = coincide(rough)
    assert (result.verdict, result.complete, result.proven) == ("conditions", False, False)
    assert "exact search" in str(result)
    assert result.match({"x": 0.1, "y": 0.3, "z": 0.0, "vx": 0.6, "vy": 0.0}).exists


def contact_form(f):
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    return da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vz - f(x, y) * vx})


@pytest.mark.parametrize("f", [lambda x, y: sp.Max(0, y - 100), lambda x, y: sp.besselj(1, x)])
def test_that_a_few_states_agree_is_no_proof_that_all_do(f):
    # zdot = f xdot: beyond y = 100 as Heisenberg's; with f(x) integrable, and not of the search's functions
    result = coincide(contact_form(f))
    assert (result.verdict, result.proven, result.answer.value) == ("undecided", False, None)
    assert "is not decided: those from 6 random states are" in result.sentence
    with pytest.raises(DalembertError, match="E158"):
        bool(result.answer)


@pytest.mark.parametrize("small", [1e-12, 1e-6, 1e6])
def test_small_slopes_count(small):
    # EL(phi) along the motion is small (vy, -vx): lam = 0 or rest, as Heisenberg's
    assert coincide(contact_form(lambda x, y: x + small * y)).answer.value is False
    assert coincide(contact_form(lambda x, y: small * x)).answer.value is True


def test_a_function_that_switches_says_no_more_than_where_it_was_looked_at():
    result = coincide(contact_form(lambda x, y: sp.Max(0, y + 100)))  # flat below y = -100
    assert (result.verdict, result.proven) == ("conditions", False)
    assert result.sentence.startswith("Not every nonholonomic motion")


def test_numbers_that_underflow_are_no_foreign_error():
    assert coincide(contact_form(lambda x, y: sp.exp(-100 / y**2))).verdict == "conditions"


def test_no_work_is_no_claim():
    result = coincide(ball(Omega=1.3, nu=0.2), work=0)
    assert (result.verdict, result.complete, result.branches) == ("conditions", False, ())
    assert "may not be all" in str(result)


def test_the_clock_aborts_and_says_so_first(monkeypatch, ticking):
    ticking(1.0)
    monkeypatch.setattr("dalembert.calculus.budget._LOOK", 1e-3)
    system = ball(Omega=1.3)
    stopped = coincide(system.changed(limits={"seconds": 0}), work=ENOUGH)
    told = "The exact search for branches was stopped after 0 s of CPU time. "
    assert stopped.sentence.startswith(told) and " ".join(str(stopped).split()).startswith(told)
    assert (stopped.verdict, stopped.complete, stopped.branches) == ("conditions", False, ())


def test_the_branches_are_the_same_whatever_the_clock_says(monkeypatch):
    """A machine a million times slower, and one on which time stands still, find Lemma 3.1's branch alike."""
    texts = []
    for second in (0.0, 1e6):
        ticks = itertools.count()
        for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
            monkeypatch.setattr(f"time.{name}", lambda second=second, ticks=ticks: second * next(ticks))
        monkeypatch.setattr("dalembert.calculus.budget.cpu_clock", lambda: lambda: 0.0)
        texts.append(str(coincide(ball(Omega=1.3))))
    assert texts[0] == texts[1] == str(found("ball"))


def test_parameters_without_values():
    system = penny().changed(parameters={"m": None, "R": None, "C": None, "A": None})
    assert coincide(system, work=ENOUGH).verdict == "always"


@pytest.mark.parametrize("name", BUILDERS)
def test_the_summary_fits(name):
    text = str(found(name))
    assert max(map(len, text.splitlines())) <= 80
    assert found(name).sentence.split()[0] in text


# --- what was divided by ----------------------------------------------------------------------------------------------


def bicycle():
    q = da.coordinates("x y th de")
    _x, _y, th, de, vx, vy, vth, _vde = q
    ell = sp.Symbol("l", positive=True)
    rows = {
        "rear": vx * sin(th) - vy * cos(th),
        "front": vx * sin(th + de) - vy * cos(th + de) - ell * vth * cos(de),
    }
    return da.System(q, sum(v**2 for v in q.velocities) / 2, rows, parameters={"l": 1.2})


def test_bicycle_goes_straight_turns_about_its_rear_wheel_or_stands_and_steers():
    """No velocity follows from the others at every angle of the front wheel, and each angle has its motions.

    With v the speed of the rear wheel the front one allows v sin(de) = l vth cos(de). lam = 0 needs the reactions to
    vanish: straight on (de = 0), or round the rear wheel's contact (cos(de) = 0, v = 0).
    """
    result = coincide(bicycle(), work=ENOUGH)
    th, de, vx, vy, vth, vde = (result.system.space[n] for n in ("th", "de", "vx", "vy", "vth", "vde"))
    ell = sp.Symbol("l", positive=True)
    along = ell * (vx * cos(th) + vy * sin(th)) * cos(de) + vth * sin(de)  # 0 iff both are
    assert (result.verdict, result.complete) == ("conditions", True)
    assert here(result) == expected([sin(de), vde], [cos(de), vde], [along], [along, vde])
    assert all(b.confirmed for b in result.branches)
    still = {"x": 0.0, "y": 0.0, "th": 0.3, "vx": 0.0, "vy": 0.0}
    assert distance(result, **{**still, "vx": 0.7 * np.cos(0.3), "vy": 0.7 * np.sin(0.3)}, de=0, vth=0, vde=0) < CLOSE
    assert distance(result, **still, de=np.pi / 2, vth=0.6, vde=0) < CLOSE
    assert distance(result, **still, de=0.4, vth=0, vde=0.6, lam_rear=0.8) < CLOSE
    bent = {**still, "vx": 0.7 * np.cos(0.3), "vy": 0.7 * np.sin(0.3), "de": 0.4, "vth": 0.7 * np.tan(0.4) / 1.2}
    assert not result.match({**bent, "vde": 0.0}).exists


def test_where_it_was_divided_by_something_that_may_stay_zero_that_is_said():
    # on the sphere every motion along the other circles is vakonomic; a = b = 0 was divided by
    q = da.coordinates("a b c d")
    a, b, c, d, va, vb, vc, vd = q
    rows = {"sphere": a**2 + b**2 + c**2 + d**2 - 1, "hopf": -b * va + a * vb - d * vc + c * vd}
    result = coincide(da.System(q, (va**2 + vb**2 + vc**2 + vd**2) / 2, rows), work=ENOUGH)
    assert (result.verdict, result.proven, result.complete) == ("always", True, False)
    assert "stays 0 were not searched" in result.reason
    assert all(branch.confirmed for branch in result.branches)
    rest = next(branch for branch in result.branches if branch.conditions)
    # at a = b = 0 the other two may rest while these move
    assert a**2 + b**2 in rest.exceptions
    moving = {"a": 0, "b": 0, "c": 0.6, "d": 0.8, "va": 0.3, "vb": 0.4, "vc": 0, "vd": 0}
    assert result.match(moving).free.shape[1] == 1


def test_conditions_that_are_the_constraint_itself_are_none():
    # constant speed, as a square and as a root: EL(phi) is along dphi/du on the motion, which is straight
    q = da.coordinates("x y")
    _x, _y, vx, vy = q
    for phi in (vx**2 + vy**2 - 1, sp.sqrt(vx**2 + vy**2) - 1):
        result = coincide(da.System(q, (vx**2 + vy**2) / 2, {"c": phi}), work=ENOUGH)
        assert (result.verdict, result.proven) == ("always", True)
        assert [b.conditions for b in result.branches] == [()]


def test_rows_that_hold_together_at_special_positions_only_are_left_undecided():
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    with pytest.warns(da.DalembertWarning, match="^W121 "):
        result = coincide(da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"a": vx - y, "b": vx - x}), work=ENOUGH)
    assert (result.verdict, result.complete, result.samples) == ("undecided", False, 0)
    assert "not decided" in result.sentence


def test_two_equations_that_become_one_have_more_zeros_than_the_branch():
    # straight motions of a free particle that an affine row allows without a reaction. The second condition is
    # (vz - z^2 - 2) vy + ...: where that coefficient vanishes it says no more than the first, and vy is left open
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    result = coincide(da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vx - vy * z + vz + x * z + 2 * y}), work=ENOUGH)
    assert all(b.confirmed for b in result.branches)
    (narrow,) = (b for b in result.branches if b.exceptions)
    assert any(sp.expand(e**2 - (vz - z**2 - 2) ** 2) == 0 for e in narrow.exceptions)
    at = {x: 0.3, z: 0.4, vz: 0.4**2 + 2, vy: 1.3}
    (first,) = (c for c in narrow.conditions if not c.has(vy))
    state = {str(s): v for s, v in at.items()} | {"y": float(sp.solve(first.xreplace(at), y)[0])}
    assert max(abs(c.xreplace({**at, y: state["y"]})) for c in narrow.conditions) < 1e-12
    assert not result.match(state).exists


def test_a_push_that_has_not_begun_counts():
    # level knife edge, pushed sideways by t: at t = 0 there is no reaction yet, and it comes
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    rows, L = {"edge": vx * sin(theta) - vy * cos(theta)}, (vx**2 + vy**2 + omega**2) / 2
    start = {"t": 0.0, "x": 0, "y": 0, "theta": 0.0, "vx": 0.4, "omega": 0.0}
    for push, exists in ((0, True), (T, False), (T**3, False)):
        assert coincide(da.System(q, L, rows, forces={vy: push}), work=0).match(start).exists == exists


def test_too_few_coefficients_decide_nothing():
    # one condition on two multipliers, and the next coefficient brings another
    equations = da.nonholonomic(penny())
    start = equations.start(x=0, y=0, phi=0.3, psi=0, vphi=0.6, vpsi=1.2)
    values = {**start.parameters, **start.state, "t": 0.0}
    assert not SubstitutedEquations(equations, 1).at(values).decided
    enough = SubstitutedEquations(equations, 4).at(values)
    assert enough.decided
    assert enough.unique


def test_geodesics_keep_their_energy_whatever_lam_is():
    # phi = T - 1 and EL(T) = 0 on a geodesic: lam stays free; the Hessian of phi changes along the motion
    q = da.coordinates("x y")
    _x, y, vx, vy = q
    kinetic = ((1 + y**2) * vx**2 + vy**2) / 2
    result = coincide(da.System(q, kinetic, {"c": kinetic - 1}), work=0)
    match = result.match({"x": 0.2, "y": 0.7, "vx": 0.9, "vy": np.sqrt(2 - 1.49 * 0.81)})
    assert match.exists
    assert match.free.shape == (1, 1)


def test_no_branch_lives_at_one_instant():
    # pushed sideways by t: along the push the edge feels nothing; that it feels nothing at t = 0 is no branch
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    rows, L = {"edge": vx * sin(theta) - vy * cos(theta)}, (vx**2 + vy**2 + omega**2) / 2
    # the search has no end here; both branches are found long before this much work
    result = coincide(da.System(q, L, rows, forces={vy: T}), work=64_000)
    assert expected([omega, cos(theta)]) <= here(result)
    assert not any(c.free_symbols == {T} for b in result.branches for c in b.conditions)


def test_a_branch_that_moves_with_the_time():
    # zdot = (y - t)^2 xdot/2, flat where y = t: the motion along it is a straight one, with any lam
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vz - (y - T) ** 2 * vx / 2})
    result = coincide(system, work=ENOUGH)
    assert expected([y - T, vy - 1]) <= here(result)
    assert distance(result, t=0.3, x=0, y=0.3, z=0, vx=0.6, vy=1.0, lam_c=0.5) < CLOSE


def test_a_branch_that_says_something_wrong_is_not_confirmed():
    # Heisenberg's branch vx = 0 has lam = 0 and no other
    equations = da.nonholonomic(heisenberg())
    substitution = SubstitutedEquations(equations, 6)
    vx = equations.space["vx"]
    right = next(b for b in vakonomic_branches(equations, ENOUGH).branches if b.conditions == (vx,))
    assert tried(right, substitution).confirmed
    (lam,) = right.multipliers
    wrong = [
        replace(right, multipliers={lam: sp.Integer(1)}),
        replace(right, multipliers={}, free=(lam,), freedom=1),
        replace(right, conditions=()),
    ]
    assert not any(tried(b, substitution).confirmed for b in wrong)


# --- the gallery's facts, stated independently ------------------------------------------------------------------------


def gallery():
    """(file, options, starts, facts) of every gallery system that states when the principles agree."""
    for info in pkgutil.iter_modules(dalembert.systems.__path__):
        module = importlib.import_module(f"dalembert.systems.{info.name}")
        facts = getattr(module, "FACTS", None)
        if facts is None:
            continue
        if facts.agree:
            yield pytest.param(module, {}, module.STARTS, facts, id=info.name)
        for name, v in getattr(module, "VARIANTS", {}).items():
            if v.facts.agree:
                yield pytest.param(module, v.options, v.starts, v.facts, id=f"{info.name}, {name}")


@pytest.mark.parametrize(("module", "options", "starts", "facts"), list(gallery()))
def test_stated_starts_agree_or_not(module, options, starts, facts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        result = coincide(module.system(**options), work=0)
    # without the exact search nothing is proven; that no random state contradicts is seen
    assert (result.verdict in ("always", "undecided")) == (facts.coincide == "always")
    assert not result.branches or facts.coincide == "always"
    for name, agree in facts.agree.items():
        assert result.match(starts[name]).exists == agree, name


def test_what_rounding_leaves_of_0_is_small_for_its_terms():
    # a matching lam(0) makes every condition 0: what is left, over the sizes of the terms, is a few roundings
    from itertools import islice

    from dalembert.geometry.random_states import ConstraintSampler
    from dalembert.principles.vakonomic_substitution import SubstitutedEquations

    system = BUILDERS["linear"]()
    p, names = system.values(), [c.name for c in system.constraints]
    substitution = SubstitutedEquations(da.nonholonomic(system), levels=6)
    for values, _ in islice(ConstraintSampler(system).states(), 12):
        roll = -(p["m"] + p["M"]) * values["vz"] * p["a"] / p["b"]
        lam = np.array([*(roll if n == "roll" else 0.0 for n in names), 1.0])
        rows, sizes = substitution.rows(values)
        assert np.all(np.abs(rows @ lam) <= 1e-14 * (sizes @ np.abs(lam)))


def test_contacts_are_refused_as_vakonomic_motions_refuse_them():
    from dalembert.systems import block_on_incline

    with pytest.raises(DalembertError, match="E139 vakonomic motions have no contacts"):
        coincide(block_on_incline.system())
