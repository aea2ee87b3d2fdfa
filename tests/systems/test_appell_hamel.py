"""The Appell-Hamel machine [xu2007], in the repaired form of its formulas."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.systems import appell_hamel as machine

VALUES = {"m": 1.1, "M": 0.7, "a": 0.5, "b": 0.3, "J": 0.4, "F": 0.6, "g": 9.0}


def newton_euler(p):
    """phiddot from (6)-(8) and (10) of the paper: F + R = (M + m) A, T - m g = m zddot, T b - R a = I phiddot."""
    R, T, turn = sp.symbols("R T turn")
    equations = [
        p["F"] + R - (p["M"] + p["m"]) * p["a"] * turn,
        T - p["m"] * p["g"] + p["m"] * p["b"] * turn,
        T * p["b"] - R * p["a"] - p["I"] * turn,
    ]
    return float(sp.solve(equations, [R, T, turn])[turn])


@pytest.mark.parametrize("I", [0.0, 0.35])
def test_the_forward_acceleration_is_that_of_newton_and_euler(I):
    p = machine.system(**VALUES, I=I).values()
    assert machine.acceleration(p) == pytest.approx(p["a"] * newton_euler(p))


@pytest.mark.parametrize("options", [{}, {"wheel": True}])
@pytest.mark.parametrize("I", [0.0, 0.35])
def test_every_set_of_constraints_gives_this_acceleration(I, options):
    equations = da.nonholonomic(machine.system(**VALUES, I=I, **options))
    place = {q.name: 0.0 for q in equations.space.coordinates} | {"theta": 0.4}
    found = equations.evaluate(equations.start(**place, vx=0.0, omega=0.7))["accelerations"]
    A = machine.acceleration(equations.system.values())
    assert found["vx"] * math.cos(0.4) + found["vy"] * math.sin(0.4) == pytest.approx(A)


def test_chetaev_on_the_cone_gives_it_too():
    equations = da.nonholonomic(machine.system(**VALUES, constraints="nonlinear"))
    start = equations.start(x=0, y=0, z=0, theta=0.0, vx=0.5, vy=0.0, vz=-0.3, omega=0.7)
    found = equations.evaluate(start)["accelerations"]
    assert found["vx"] == pytest.approx(machine.acceleration({**VALUES, "I": 0.0}))


def test_the_trace_from_rest_is_27_and_28():
    p, w = machine.system().values(), 1.2
    t = np.linspace(0.1, 6, 20)
    A = machine.acceleration(p)
    x, y, z, theta, *_ = machine.exact(t, [0, 0, 0, 0, 0, 0, 0, w], p)
    assert np.allclose(x, A * (t / w * np.sin(w * t) + np.cos(w * t) / w**2 - 1 / w**2), atol=1e-12)
    assert np.allclose(y, A * (-t / w * np.cos(w * t) + np.sin(w * t) / w**2), atol=1e-12)
    assert np.allclose(theta, w * t)
    assert np.allclose(z, -p["b"] / p["a"] * A * t**2 / 2)


def test_straight_rolling_from_rest_is_17_and_18_repaired():
    p, t = machine.system().values(), np.linspace(0, 4, 9)
    A = machine.acceleration(p)
    x, y, *_ = machine.exact(t, [1.0, -2.0, 0, 0.6, 0, 0, 0, 0], p)
    assert np.allclose([x, y], [1 + A * t**2 / 2 * math.cos(0.6), -2 + A * t**2 / 2 * math.sin(0.6)])


def test_the_cone_loses_its_rank_at_rest_and_the_linear_set_does_not():
    rest = {"x": 0.0, "y": 0.0, "z": 0.0, "theta": 0.0, "vx": 0.0, "vy": 0.0, "vz": 0.0, "omega": 1.0}
    assert da.nonholonomic(machine.system()).start(**rest)
    with pytest.raises(DalembertError):
        da.nonholonomic(machine.system(constraints="nonlinear")).start(**rest)


def test_the_linear_set_implies_the_cone():
    rng = np.random.default_rng(0)
    for _ in range(5):
        speed, theta = rng.normal(size=2)
        values = {machine.VX: speed * math.cos(theta), machine.VY: speed * math.sin(theta), machine.THETA: theta}
        values |= {machine.WHEEL_RADIUS: 0.4, machine.DRUM_RADIUS: 0.2, machine.VZ: -speed / 2}
        for row in (*machine.LINEAR.values(), *machine.NONLINEAR.values()):
            assert float(row.subs(values)) == pytest.approx(0, abs=1e-12)


def test_the_force_follows_the_wheel_and_has_no_potential(named):
    path = named("appell_hamel").path("turning from rest")
    # the work of F is F times the way of the wheel
    way = path["z"][0] - path["z"][-1]
    p = path.provenance["parameters"]
    assert path.audit.energy_change == pytest.approx(p["F"] * p["a"] / p["b"] * way, rel=1e-9)


def test_with_the_wheel_the_cone_is_refused():
    with pytest.raises(ValueError, match="linear"):
        machine.system(constraints="nonlinear", wheel=True)


def test_without_force_the_cone_agrees_with_2_lam_the_mass(named):
    # the vakonomic equations at lam_cone = (m + M)/2 lose their rank in the plane: checked on the equations as such
    x, y, z = (sp.Function(n)(sp.Symbol("t")) for n in "xyz")
    t = sp.Symbol("t")
    p = {k: sp.Rational(str(v)) for k, v in {**VALUES, "I": 0, "F": 0}.items()}
    m, M, a, b, g = (p[n] for n in ("m", "M", "a", "b", "g"))
    lam = (m + M) / 2
    L = (m + M) / 2 * (x.diff(t) ** 2 + y.diff(t) ** 2) + m / 2 * z.diff(t) ** 2 - m * g * z
    L -= lam * (x.diff(t) ** 2 + y.diff(t) ** 2 - (a / b) ** 2 * z.diff(t) ** 2)
    fall = -b / a * sp.nsimplify(machine.acceleration(p)) * t**2 / 2
    rows = [L.diff(q.diff(t)).diff(t) - L.diff(q) for q in (x, y, z)]
    assert [sp.simplify(r.subs(z, fall).doit()) for r in rows] == [0, 0, 0]


# --- the block rho ahead of the contact ------------------------------------------------------------------------------


def offset(rho):
    """The machine whose block hangs rho ahead of the wheel's contact; rho = 0: that of the gallery [neimark1972]."""
    q = da.coordinates("x y z theta phi")
    theta, vx, vy, vz, omega, spin = (q[n] for n in ("theta", "vx", "vy", "vz", "vtheta", "vphi"))
    m, M, a, b, J, g, F = sp.symbols("m M a b J g F", positive=True)
    r = sp.Symbol("rho", nonnegative=True)
    along, across = sp.Matrix([sp.cos(theta), sp.sin(theta)]), sp.Matrix([-sp.sin(theta), sp.cos(theta)])
    contact = sp.Matrix([vx, vy]) - r * omega * across
    L = m / 2 * (vx**2 + vy**2 + vz**2) + M / 2 * contact.dot(contact) + J / 2 * omega**2 - m * g * q["z"]
    rows = {"blade": contact.dot(across), "roll": contact.dot(along) - a * spin, "thread": vz + b * spin}
    values = {"m": 1.0, "M": 0.5, "a": 0.4, "b": 0.2, "J": 0.3, "g": 9.81, "F": 0.7, "rho": rho}
    push = {"x": F * along[0], "y": F * along[1]}
    return da.System(q, L, rows, forces=push, parameters=values, massless=["vphi"])


def involute(A, omega):
    """From rest, turning: the speed A t along the heading omega t."""
    t = sp.Symbol("t", real=True)
    turn, rolled = omega * t, A * t**2 / 2
    x, y = sp.cos(turn) + turn * sp.sin(turn) - 1, sp.sin(turn) - turn * sp.cos(turn)
    return {"x": A * x / omega**2, "y": A * y / omega**2, "z": -rolled / 2, "theta": turn, "phi": rolled / 0.4}


def test_a_given_motion_is_put_into_the_machine_with_an_offset():
    # A (m + M + m (b/a)^2) = F + m g b/a
    curve = involute((0.7 + 9.81 / 2) / 1.75, 1.2)
    found = [da.satisfies(offset(rho), curve, over=(0, 3)).nonholonomic.residual for rho in (0.0, 1e-3, 2e-3)]
    assert found[0] < 1e-6
    assert found[2] / found[1] == pytest.approx(2, rel=0.01)


def test_the_offset_goes_to_zero():
    known = involute((0.7 + 9.81 / 2) / 1.75, 1.2)
    end = [float(known[n].subs({s: 3 for s in known[n].free_symbols})) for n in ("x", "y", "z")]
    start = {"x": 0, "y": 0, "z": 0, "theta": 0, "phi": 0, "vphi": 0, "vtheta": 1.2}
    away = []
    for rho in (0.0, 2e-4, 1e-4):
        path = da.simulate(da.nonholonomic(offset(rho)), start, until=3, rtol=1e-10)
        away.append(np.abs([path[n][-1] - e for n, e in zip("xyz", end, strict=True)]).max())
    assert away[0] < 1e-7
    assert away[1] / away[2] == pytest.approx(2, rel=0.02)  # of the first order
