"""The Whipple bicycle [meijaard2007]: the linearised equations, the speeds at which it is stable, and its runs."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.systems import whipple_bicycle as bicycle

NAMES = ("lean", "steer")
OTHER = {"w": 1.1, "c": 0.05, "tilt": 0.2, "rR": 0.33, "mR": 3.0, "xB": 0.4, "zB": -1.0, "mB": 70.0, "IBxz": -1.0}
OTHER |= {"xH": 0.8, "zH": -0.6, "IHxz": 0.004, "rF": 0.3, "mF": 2.0, "IFyy": 0.2, "IRyy": 0.11, "g": 9.0}

# --- the linearised equations ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pushed():
    """The bicycle with generalised forces on lean and steer."""
    system = bicycle.system()
    Q = {system.space[f"v{n}"]: sp.Symbol(f"f_{n}", real=True) for n in NAMES}
    return da.nonholonomic(system.changed(forces=Q))


@pytest.fixture(scope="module")
def accelerations(pushed):
    """udot of lean and steer near riding straight ahead; values of lean, steer, vlean, vsteer, f_lean, f_steer."""

    def found(speed, p, **values):
        place = {n: values.get(n, 0.0) for n in NAMES}
        rates = {f"v{n}": values.get(f"v{n}", 0.0) for n in NAMES}
        forces = {f"f_{n}": values.get(f"f_{n}", 0.0) for n in NAMES}
        state = dict.fromkeys(("x", "y", "yaw", "rear", "front"), 0.0)
        state |= {**place, **rates, "pitch": bicycle.pitch(*place.values(), p), "vrear": -speed / p["rR"]}
        udot = pushed.evaluate(pushed.start(**state, parameters={**p, **forces}))["accelerations"]
        return np.array([udot[f"v{n}"] for n in NAMES])

    return found


def slope(f, h=2e-3):
    """df/dx at 0 by differences of order 6: (45, -9, 1)/60."""
    return sum(c * (f(k * h) - f(-k * h)) for k, c in ((1, 45), (2, -9), (3, 1))) / (60 * h)


def linear(accelerations, p):
    """M, C1, K0, K2 from the nonlinear equations:  M qdd = f - v C1 qd - (g K0 + v^2 K2) q."""

    def columns(names, speed):
        return np.array([slope(lambda x, n=n: accelerations(speed, p, **{n: x})) for n in names]).T

    M = np.linalg.inv(columns([f"f_{n}" for n in NAMES], 0.0))
    K, slow = (-M @ columns(NAMES, v) for v in (2.0, 1.0))
    C = [-M @ columns([f"v{n}" for n in NAMES], v) / v for v in (1.0, 2.0)]
    # the damping is proportional to v
    assert np.allclose(*C, atol=1e-7)
    K2 = (K - slow) / 3
    return M, C[0], (slow - K2) / p["g"], K2


def test_the_linearised_equations_are_the_published_ones(accelerations):
    # [meijaard2007 (5.4)-(5.7)]
    published = (
        [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]],
        [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]],
        [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]],
        [[0, 76.59734589573222], [0, 2.65431523794604]],
    )
    for derived, closed, given in zip(
        linear(accelerations, bicycle.BENCHMARK), bicycle.linearised(), published, strict=True
    ):
        # rounding of accelerations of size 1e3, over the step, times M
        np.testing.assert_allclose(derived, given, rtol=0, atol=1e-7)
        np.testing.assert_allclose(closed, given, rtol=0, atol=1e-13)


def test_so_are_those_of_another_bicycle(accelerations):
    p = {**bicycle.BENCHMARK, **OTHER}
    for derived, closed in zip(linear(accelerations, p), bicycle.linearised(p), strict=True):
        np.testing.assert_allclose(derived, closed, rtol=0, atol=1e-7)


def test_eigenvalues_at_5_metres_per_second():
    # [meijaard2007 table 2]
    weave = -0.77534188219585 + 4.46486771378823j
    published = [-14.07838969279822, weave.conjugate(), weave, -0.32286642900409]
    np.testing.assert_allclose(bicycle.eigenvalues(5.0), published, rtol=0, atol=1e-12)


def test_weave_and_capsize_speeds():
    # [meijaard2007 section 6]: 4.292 and 6.024 m/s
    def worst(oscillating):
        return lambda v: max(e.real for e in bicycle.eigenvalues(v) if (abs(e.imag) > 1e-6) == oscillating)

    assert brentq(worst(True), 3.0, 5.5) == pytest.approx(4.292, abs=5e-4)
    assert brentq(worst(False), 5.0, 7.0) == pytest.approx(6.024, abs=5e-4)


# --- motions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.5, 3.0, 9.0])
def test_riding_straight_ahead_is_a_motion_at_every_speed(named, speed):
    equations = named("whipple_bicycle").equations(da.nonholonomic)
    start = equations.start(**{**bicycle.STARTS["upright"], "vrear": -speed / 0.3})
    assert start["vx"] == pytest.approx(speed)
    assert start["vfront"] == pytest.approx(-speed / 0.35)
    udot = equations.evaluate(start)["accelerations"]
    assert np.abs(list(udot.values())).max() < 1e-10


def ridden(named, speed, until):
    equations = named("whipple_bicycle").equations(da.nonholonomic)
    start = {**bicycle.STARTS["upright"], "vrear": -speed / 0.3, "vlean": 0.02}
    return da.simulate(equations, equations.start(**start), until=until, rtol=1e-10, atol=1e-12)


def test_pushed_at_5_metres_per_second_it_rights_itself(named):
    path = ridden(named, 5.0, 12.0)
    assert path.ok
    # the slowest part, the capsize mode, has gone down by exp(-0.3229 * 12) = 0.02
    late = path.at(np.linspace(10.0, 12.0, 21))
    for n in NAMES:
        assert np.abs(late[n]).max() < 0.05 * np.abs(path[n]).max(), n


def test_a_small_push_dies_out_as_the_eigenvalues_say(named):
    equations = named("whipple_bicycle").equations(da.nonholonomic)
    start = equations.start(**{**bicycle.STARTS["upright"], "vlean": 1e-5})
    path = da.simulate(equations, start, until=2.0, rtol=1e-12, atol=1e-16)
    M, C1, K0, K2 = bicycle.linearised()
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, np.hstack([9.81 * K0 + 25 * K2, 5 * C1]))]])
    from scipy.linalg import expm

    expected = expm(2.0 * A) @ [0, 0, 1e-5, 0]
    found = [path[n][-1] for n in (*NAMES, "vlean", "vsteer")]
    # what is left is of the second order
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_pushed_at_3_metres_per_second_it_weaves_and_falls(named):
    path = ridden(named, 3.0, 4.0)
    assert path.ok
    # exp(1.7068 * 4), the weave's growth [meijaard2007 table 2]
    assert np.abs(path["lean"]).max() > 0.5


def test_the_energy_and_the_constraints_are_kept(named):
    path = named("whipple_bicycle").path("leaning")
    # written out again, in numbers
    q, v = (np.array([path[f"{u}{s.name}"] for s in bicycle.SPACE.coordinates]) for u in ("", "v"))
    p, none = bicycle.BENCHMARK, np.zeros(9)
    rows, energy = [], []
    for i in range(len(path.t)):
        at, rates = q[:, i].tolist(), v[:, i].tolist()
        rows += [*bicycle.contacts(math, at, p), *bicycle.slips(math, at, rates, p)]
        L, potential = (bicycle.lagrangian(math, at, u, p) for u in (rates, none.tolist()))
        energy.append(L - 2 * potential)  # T + V, with L = T - V and L at rest = -V
    assert np.abs(rows).max() < 1e-12
    assert np.ptp(energy) < 1e-10 * abs(energy[0])


def test_the_contacts_are_the_lowest_points_of_the_wheels():
    # by search over the rims, which the formula of the contact does not know
    q, p = [0.3, -0.2, -0.28, 0.7, 0.3, 0.05, -0.4, 0.0, 0.0], bicycle.BENCHMARK
    at = bicycle.Bicycle(math, q, [0.0] * 9, p)
    between = at.wheels()[0]
    phase = np.linspace(0, 2 * np.pi, 20001)
    for hub, radius, out, found in zip(
        (q[2], q[2] + between[2]),
        (p["rR"], p["rF"]),
        (at.to_rest, lambda a: at.to_rest(at.from_front(a))),
        bicycle.contacts(math, q, p),
        strict=True,
    ):
        ahead, down = out([1, 0, 0])[2], out([0, 0, 1])[2]
        # z points down; the rim's samples miss the lowest point by r dphase^2/8
        assert found == pytest.approx(hub + radius * (ahead * np.cos(phase) + down * np.sin(phase)).max(), abs=1e-8)


def test_the_pitch_closes_both_contacts():
    for lean, steer in ((0.3, 0.5), (-0.2, 1.0), (0.0, 0.4)):
        q = [0.0, 0.0, 0.0, 0.0, lean, bicycle.pitch(lean, steer), steer, 0.0, 0.0]
        rear, front = bicycle.contacts(math, q, bicycle.BENCHMARK)
        assert rear == pytest.approx(front, abs=1e-15)


def test_an_unknown_parameter_is_refused():
    with pytest.raises(DalembertError, match="E202"):
        bicycle.system(wheelbase=1.0)
