"""Penalised systems: they are systems, their forces are -c phi dphi/du, their inertia is M/2 |phi|^2."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert import penalties

m, J, g, c = sp.symbols("m J g c", positive=True)


def knife(forces=None):
    """Knife edge on an incline, and a tether that is only there to be chosen or left."""
    q = da.coordinates("x y theta", velocities="vx vy omega")
    x, _y, theta, vx, vy, omega = q
    return da.System(
        q,
        m / 2 * (vx**2 + vy**2) + J / 2 * omega**2 + m * g * x,
        {"blade": vx * sp.sin(theta) - vy * sp.cos(theta), "drive": omega - sp.Rational(3, 2)},
        forces=forces,
        parameters={"m": 1.3, "J": 0.4, "g": 2.0},
        title="Knife edge",
    )


def pendulum():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    length = sp.Symbol("l", positive=True)
    return da.System(
        q, m / 2 * (vx**2 + vy**2) - m * y, {"rod": x**2 + y**2 - length**2}, parameters={"m": 1.0, "l": 1.0}
    )


def values(expressions, point):
    return np.array([float(e.subs(point)) for e in expressions])


POINT = {"x": 0.3, "y": -0.2, "theta": 0.7, "vx": 0.9, "vy": -0.4, "omega": 1.1, "m": 1.3, "J": 0.4, "g": 2.0, "c": 7.0}
BLADE = 0.9 * np.sin(0.7) + 0.4 * np.cos(0.7)
DRIVE = 1.1 - 1.5


def point(system):
    known = {**system.space.by_name, **system.symbols}
    return {s: POINT[name] for name, s in known.items()}


def test_the_viscous_force_is_minus_c_phi_times_the_normal():
    system = penalties.viscous(knife(), "c")
    found = values(system.forces, point(system))
    # Q = -c (phi1 (sin, -cos, 0) + phi2 (0, 0, 1))
    np.testing.assert_allclose(
        found, [-7 * BLADE * np.sin(0.7), 7 * BLADE * np.cos(0.7), -7 * DRIVE], rtol=0, atol=1e-13
    )
    assert system.lagrangian == knife().lagrangian
    assert system.constraints == ()


def test_the_inertial_lagrangian_has_m_half_phi_squared():
    system = penalties.inertial(knife(), "c")
    found = values([system.lagrangian - knife().lagrangian], point(system))
    np.testing.assert_allclose(found, 3.5 * (BLADE**2 + DRIVE**2), rtol=1e-14)
    assert all(Q == 0 for Q in system.forces)


@pytest.mark.parametrize("penalty", [penalties.viscous, penalties.inertial])
def test_a_penalised_system_is_a_system(penalty):
    system = penalty(knife(), "c", only="drive")
    assert isinstance(system, da.System)
    assert [k.name for k in system.constraints] == ["blade"]
    assert system.parameters == {"m": 1.3, "J": 0.4, "g": 2.0, "c": None}
    twice = penalty(system, "c2")
    assert twice.constraints == ()
    assert set(twice.parameters) == {"m", "J", "g", "c", "c2"}
    assert "drive" in twice.title
    assert "blade" in twice.title
    assert [n.code for n in system.notes] == ["N140"]


@pytest.mark.parametrize("penalty", [penalties.viscous, penalties.inertial])
def test_a_number_becomes_a_parameter_of_its_own(penalty):
    system = penalty(penalty(knife(), 100, only=["drive"]), 2.5e3)
    assert system.parameters["strength"] == 100
    assert system.parameters["strength_2"] == 2500
    start = {"x": 0, "y": 0, "theta": 0.2, "vx": 0.5, "vy": 0.1, "omega": 1.0}
    assert da.simulate(da.nonholonomic(system), start, until=0.1).ok


def test_a_symbol_is_taken_by_name_and_must_be_positive():
    system = penalties.viscous(knife(), sp.Symbol("c"))
    start = {"x": 0, "y": 0, "theta": 0.2, "vx": 0.5, "vy": 0.1, "omega": 1.0}
    with pytest.raises(ValueError, match="E205 c = -1 must be positive"):
        da.nonholonomic(system).start(**start, parameters={"c": -1})


def test_forces_that_were_there_stay():
    q = knife().space
    drag = da.forces.viscous_friction([q["vx"]], g)
    for forces in (drag, {q["vx"]: -g * q["vx"]}, [-g * q["vx"], 0, 0]):
        given = knife(forces)
        added = [
            b - a
            for a, b in zip(penalties.viscous(knife(), "c").forces, penalties.viscous(given, "c").forces, strict=True)
        ]
        assert [sp.expand(e) for e in added] == [-g * q["vx"], 0, 0]


def test_a_law_with_a_rest_keeps_it():
    q = knife().space
    system = penalties.viscous(knife(da.forces.rolling_friction([q["vx"], q["vy"]], sp.Rational(1, 10), m * g)), "c")
    assert "rolling friction" in system.rest


def test_positions_are_penalised_by_their_rate_and_that_is_said():
    system = penalties.viscous(pendulum(), "c")
    x, y, vx, vy = system.space
    rate = 2 * x * vx + 2 * y * vy
    k = system.symbols["c"]
    assert [sp.expand(Q) for Q in system.forces] == [sp.expand(-k * rate * 2 * x), sp.expand(-k * rate * 2 * y)]
    assert [n.text for n in system.notes if n.code == "N145"]
    assert any("N145" in str(n) for n in da.nonholonomic(system).notes)


def test_the_viscous_force_tends_to_the_reaction():
    # -c phi -> lam, with an error of order 1/c
    start = {"x": 0.0, "y": 0.0, "theta": 0.3, "vx": np.cos(0.3), "vy": np.sin(0.3), "omega": 1.5}
    lam = da.simulate(da.nonholonomic(knife()), start, until=1.0).at(1.0)["lam_blade"]
    errors = []
    for strength in (1e4, 1e5):
        path = da.simulate(da.nonholonomic(penalties.viscous(knife(), strength)), start, until=1.0, method="radau")
        at = path.at(1.0)
        phi = at["vx"] * np.sin(at["theta"]) - at["vy"] * np.cos(at["theta"])
        errors.append(abs(-strength * phi - lam))
    assert errors[0] < 1e-3 * abs(lam)
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.05)


def test_rounding_does_not_cost_stiff_steps():
    # c phi is rounded once, not anew in each row: otherwise Newton's iteration stalls and steps grow like c
    q = da.coordinates("x y psi")
    _x, y, _psi, vx, vy, vpsi = q
    system = da.System(
        q,
        m / 2 * (vx**2 + vy**2) + J / 2 * vpsi**2,
        {"roll": vx - vpsi / 3 + y * sp.Rational(7, 10)},
        parameters={"m": 1.3, "J": 0.4},
    )
    start = {"x": 0, "y": 0.1, "psi": 0, "vx": 0.3, "vy": 0.4, "vpsi": 3 * (0.3 + 0.07)}
    steps = [
        da.simulate(da.nonholonomic(penalties.viscous(system, k)), start, until=1.0, method="radau").audit.steps
        for k in (1e4, 1e8)
    ]
    assert steps[1] <= 2 * steps[0], steps


@pytest.mark.parametrize("penalty", [penalties.viscous, penalties.inertial])
@pytest.mark.parametrize(
    ("strength", "only", "kind", "code"),
    [
        (0, None, ValueError, "E205"),
        (-2.0, None, ValueError, "E205"),
        (float("nan"), None, ValueError, "E203"),
        (True, None, TypeError, "E204"),
        (None, None, TypeError, "E204"),
        ([1.0], None, TypeError, "E204"),
        ("m", None, ValueError, "E103"),
        ("vx", None, ValueError, "E103"),
        ("t", None, ValueError, "E103"),
        ("not a name", None, ValueError, "E719"),
        (1e3, "blad", KeyError, "did you mean blade"),
        (1e3, ["blade", "bend"], KeyError, "E104"),
        (1e3, [], ValueError, "E110"),
    ],
)
def test_refusals(penalty, strength, only, kind, code):
    with pytest.raises(kind, match=code):
        penalty(knife(), strength, only)


@pytest.mark.parametrize("penalty", [penalties.viscous, penalties.inertial])
def test_nothing_to_replace(penalty):
    q = da.coordinates("x")
    with pytest.raises(ValueError, match="E110"):
        penalty(da.System(q, q["vx"] ** 2 / 2), 1e3)
    with pytest.raises(TypeError, match="E101"):
        penalty("pendulum", 1e3)
