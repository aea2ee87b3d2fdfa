"""Manoeuvres of least cost: closed solutions, other routes to the same minimum, and the run that tells what is true."""

import sys

import numpy as np
import pytest
import sympy as sp
from numpy.polynomial.legendre import leggauss
from scipy.linalg import expm

import dalembert as da
from dalembert.numerics.manoeuvre.collocation import Driving, gauss
from dalembert.numerics.manoeuvre.manoeuvre import independent
from dalembert.systems import car_with_trailers, pendulum_cartesian, snakeboard

pytest.importorskip("casadi")
REST = {"x": 0, "vx": 0}


def cart(k=0):
    """A mass, on a spring where k is not 0, that is pushed."""
    return da.System(
        da.line("x"), "m*vx^2/2 - k*x^2/2", forces={"vx": "F"}, parameters={"m": 2.0, "k": float(k)}, inputs="F"
    )


def integral(path, expression, t):
    """The integral of a function of path columns, by Gauss's rule between times."""
    x, w = leggauss(4)
    h = np.diff(t)[:, None] / 2
    at = (t[:-1, None] + h * (x + 1)).ravel()
    return float(np.sum(expression(path.at(at)).reshape(len(h), -1) * w * h))


# --- closed solutions ------------------------------------------------------------------------------------------------


def test_a_cart_is_moved_with_least_energy():
    """F = 6 m d/T^2 (1 - 2 t/T) and the cost 6 m^2 d^2/T^3: a line, so that the table holds it exactly."""
    found = da.steer(cart(), "F", REST, {"x": 1, "vx": 0}, until=2.0, cost="F^2/2", steps=8, tries=1)
    assert found.ok
    assert found.cost == pytest.approx(6 * 2.0**2 / 2.0**3, rel=1e-9)
    table = found.inputs["F"]
    np.testing.assert_allclose(table.values, 6 * 2.0 / 4 * (1 - table.times), atol=1e-7)
    assert abs(found.missed["x"]) < 1e-9


def test_least_time_is_full_force_and_then_full_brake():
    """T = 2 sqrt(m d/F)."""
    bounds = {"F": (-1, 1), "t": (0.1, 10)}
    found = da.steer(cart(), "F", REST, {"x": 1, "vx": 0}, cost=1, bounds=bounds, kind="hold", steps=20, tries=1)
    assert found.duration == pytest.approx(2 * np.sqrt(2.0), abs=1e-7)
    np.testing.assert_allclose(found.inputs["F"].values, [*[1.0] * 10, *[-1.0] * 11], atol=1e-6)


def test_the_cost_of_a_spring_is_that_of_its_gramian_to_order_four():
    """min of the integral of F^2 is z G^-1 z, G the integral of e^As B B^T e^A^Ts; lines between miss O(h^4)."""
    A, B, T = np.array([[0.0, 1.0], [-2.0, 0.0]]), np.array([[0.0], [0.5]]), 3.0
    x, w = leggauss(30)
    G = sum(wi * T / 2 * (E := expm(A * T * (xi + 1) / 2)) @ B @ B.T @ E.T for xi, wi in zip(x, w, strict=True))
    z = np.array([1.0, -0.5])
    least = z @ np.linalg.solve(G, z)
    end = {"x": 1, "vx": -0.5, "t": T}
    off = [da.steer(cart(4), "F", REST, end, steps=n, tries=1, order=8).cost - least for n in (8, 16)]
    assert 0 < off[1] < 1e-3 * least
    assert np.log2(off[0] / off[1]) == pytest.approx(4, abs=0.3)


def test_gauss_integrates_polynomials_of_degree_two_s_less_one():
    for s in (1, 2, 3, 4):
        a, b, c = gauss(s)
        for k in range(2 * s):
            assert b @ c**k == pytest.approx(1 / (k + 1), abs=1e-14)
        for k in range(s):
            np.testing.assert_allclose(a @ c**k, c ** (k + 1) / (k + 1), atol=1e-14)
        # quadratic invariants are kept: b_i a_ij + b_j a_ji = b_i b_j  [hairer2006 (IV.2.2)]
        np.testing.assert_allclose(b[:, None] * a + (b[:, None] * a).T, np.outer(b, b), atol=1e-15)


# --- other routes to the same minimum --------------------------------------------------------------------------------


def test_without_a_price_on_forces_the_least_action_is_the_vakonomic_extremal():
    """The sub-Riemannian geodesic of the Heisenberg system, by collocation and by shooting."""
    q, L, area = da.coordinates("x y z"), "vx^2/2 + vy^2/2", {"area": "vz - (x*vy - y*vx)/2"}
    ends = dict.fromkeys("xyz", 0), {"x": 1, "y": 0, "z": 0.3}
    geodesic = da.two_point(da.vakonomic(da.System(q, L, area, massless=["vz"])), *ends, duration=1.0, starts=6)[0]
    pushed = da.System(q, L, area, forces={"vx": "F", "vy": "G"}, massless=["vz"], inputs="F G")
    off = []
    for steps in (10, 20):
        found = da.steer(pushed, "F G", *ends, until=1.0, cost=L, kind="hold", steps=steps, tries=1)
        off.append(found.cost - geodesic.action)
        assert found.ok
    assert np.log2(off[0] / off[1]) == pytest.approx(4, abs=0.3)  # the speed is joined by lines
    x = geodesic.path.at(found.t)["x"]
    np.testing.assert_allclose(found.states["x"], x, atol=1e-3)


def test_an_elastica_bends_the_same_with_a_nonlinear_and_with_linear_constraints():
    """The least integral of the squared curvature at speed 1: Chetaev's constraint as it is written, and in speeds."""
    bent = da.System(
        da.coordinates("x y"), "(vx^2 + vy^2)/2", {"speed": "vx^2 + vy^2 - 1"},
        forces={"vx": "-F*vy", "vy": "F*vx"}, inputs="F",
    )  # fmt: skip
    assert da.nonholonomic(bent).lean_if_any is None
    start, end = {"x": 0, "y": 0, "vx": 1, "vy": 0}, {"x": 1, "y": 0.8, "vx": 0, "vy": 1}
    one = da.steer(bent, "F", start, end, until=1.6, steps=24, tries=1)
    q = da.SE2("x y theta", "v w omega", "body")
    rows = {"blade": "w", "speed": "v - 1"}
    skate = da.System(q, "(v^2 + w^2 + omega^2)/2", rows, forces={"omega": "M"}, inputs="M")
    ends = {"x": 0, "y": 0, "theta": 0}, {"x": 1, "y": 0.8, "theta": np.pi / 2}
    two = da.steer(skate, "M", *ends, until=1.6, cost="omega^2", kind="hold", steps=24, tries=1)
    assert one.ok
    assert two.ok
    assert (one.unpriced, two.unpriced) == ((), ("M",))
    assert "neither the cost nor bounds hold M" in str(two)
    assert one.cost == pytest.approx(two.cost, rel=2e-5)
    assert np.abs(one.states["vx"] ** 2 + one.states["vy"] ** 2 - 1).max() < 1e-8


# --- what cannot be reached by a straight way ------------------------------------------------------------------------


def test_a_car_with_a_trailer_parks_sideways():
    car = car_with_trailers.system(n=1).changed(
        forces={"omega0": "turn", "vx": "drive*cos(theta0)", "vy": "drive*sin(theta0)"}, inputs="drive turn"
    )
    rest = dict.fromkeys(["theta0", "theta1", "vx", "vy", "omega0", "omega1"], 0)
    bend = sp.Symbol("theta1", real=True) - sp.Symbol("theta0", real=True)
    ends, within = ({"x": 0, "y": 0, **rest}, {"x": 0, "y": 1, **rest}), {bend: ("-50 deg", "50 deg"), "x": (-1, 3)}
    found = da.steer(car, "drive turn", *ends, until=6.0, bounds=within, steps=30, tries=1)
    assert found.ok
    assert max(map(abs, found.missed.values())) < 1e-5
    t = np.linspace(0, 6, 301)
    columns = found.path.at(t)
    assert np.abs(columns["theta1"] - columns["theta0"]).max() < np.deg2rad(50) + 1e-2  # between points of the mesh too
    assert np.abs(columns["theta1"] - columns["theta0"]).max() > np.deg2rad(40)
    assert max(map(len, str(found).splitlines())) <= 80
    # what is told is true of the run: the cost, and the constraints
    spent = integral(found.path, lambda c: np.asarray(c["drive"]) ** 2 + np.asarray(c["turn"]) ** 2, found.t)
    assert spent == pytest.approx(found.cost, rel=1e-9)
    again = da.simulate(da.nonholonomic(car), found.start, until=6.0, inputs=found.inputs, rtol=1e-9)
    assert again["y"][-1] == pytest.approx(1, abs=1e-6)


def test_a_snakeboard_gets_on_by_turning_its_rotor_and_its_axles():
    """From rest to rest with the same shape: a gait, found from torques on the rotor and both axles alone."""
    torques = {"vpsi": "spin", "vback": "rear", "vfront": "fore"}
    board = snakeboard.system().changed(forces=torques, inputs="spin rear fore")
    rest = dict.fromkeys(["theta", "psi", "back", "front", "vx", "vy", "omega", "vpsi", "vback", "vfront"], 0)
    within = {"back": (-1.2, 1.2), "front": (-1.2, 1.2)}
    ends = {"x": 0, "y": 0, **rest}, {"x": 0.3, "y": 0, **rest}
    found = da.steer(board, "spin rear fore", *ends, until=6.0, bounds=within, steps=30, tries=3)
    assert found.ok
    assert max(map(abs, found.missed.values())) < 1e-6
    again = da.simulate(da.nonholonomic(board), found.start, until=6.0, inputs=found.inputs, rtol=1e-9)
    assert again["x"][-1] == pytest.approx(0.3, abs=1e-6)
    # no torque acts from outside: the board gets its speed by rolling, with axles that are turned
    assert np.abs(again["front"]).max() > 0.3 and np.abs(again["psi"]).max() > 0.1
    # m/2 v^2 + ... at the end is what the torques have given, and taken back
    assert again["energy"][-1] == pytest.approx(again["energy"][0], abs=1e-7)


def test_a_ball_is_rolled_on_a_tilting_table_to_a_place_with_the_same_side_up():
    """Inputs in the Lagrangian; the length of the quaternion is kept, and asked for once."""
    space = da.plane("x y") * da.rotation("R", "w1 w2 w3", frame="space")
    ball = da.System(
        space, "m/2*(vx^2 + vy^2) + m*r^2/5*(w1^2 + w2^2 + w3^2) - m*g*(a*x + b*y)",
        {"along": "vx - r*w2", "across": "vy + r*w1"}, parameters={"m": 1.0, "r": 0.5, "g": 9.81}, inputs="a b",
    )  # fmt: skip
    still = {"R": "identity", "vx": 0, "vy": 0}
    end = {"x": 1, "y": 0.5, **still}
    found = da.steer(ball, "a b", {"x": 0, "y": 0, "w3": 0, **still}, end, until=3.0, steps=12, tries=1)
    assert found.path.ok
    assert max(map(abs, found.missed.values())) < 1e-4
    norms = sum(found.states[f"R_{c}"] ** 2 for c in "wxyz")
    np.testing.assert_allclose(norms, 1, atol=1e-9)


def test_a_pendulum_swings_up_with_its_rod_a_relation_between_positions():
    pendulum = pendulum_cartesian.system().changed(forces={"vx": "F*y", "vy": "-F*x"}, inputs="F")
    up = {"x": 0, "y": 1, "vx": 0, "vy": 0}
    found = da.steer(pendulum, "F", {"x": 0, "y": -1, "vx": 0}, up, until=3.0, steps=16, tries=3)
    assert found.ok
    assert len(found.t) - 1 > 16  # the run told that the mesh was too coarse
    assert found.path["y"][-1] == pytest.approx(1, abs=1e-6)


def test_the_speed_of_a_turning_table_is_found():
    """An input in constraints: velocities at the start follow with it."""
    space = da.plane("x y") * da.rotation("R", "w1 w2 w3", frame="space")
    L, rows = "(vx^2 + vy^2)/2 + r^2/5*(w1^2 + w2^2 + w3^2)", {"a": "vx - r*w2 + s*y", "b": "vy + r*w1 - s*x"}
    table = da.System(space, L, rows, parameters={"r": 0.5}, inputs="s")
    start = {"x": 1, "y": 0, "R": "identity", "vx": 0, "vy": 0.3}
    found = da.steer(table, "s", start, {"x": 0.2, "y": 0.8}, until=2.0, steps=12, tries=1)
    assert found.ok
    with pytest.raises(da.DalembertError, match="E185"):
        da.steer(table, "s", start, {"x": 0.2, "y": 0.8}, until=2.0, kind="hold")


# --- parts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["hold", "linear", "cubic"])
def test_maps_of_tables_are_what_a_run_makes_of_them(kind):
    driving = Driving.of(["F"], kind, 7, lambda name: name)
    values = np.random.default_rng(0).normal(size=driving.knots)
    table = da.inputs.tabulated(2.0 * driving.here * 7, values, kind)
    for power, M in enumerate(driving.maps):
        np.testing.assert_allclose(M @ values / 2.0**power, table.pieces[:7, power], atol=1e-12)


def test_conditions_that_follow_are_not_asked_for_twice():
    held = np.array([[1.0, 1.0, 0.0]])
    kept, others = independent(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]), held)
    assert len(kept) == 2
    assert len({0, 1} & {*kept}) == 1
    assert sorted(kept + others) == [0, 1, 2, 3]


# --- refusals --------------------------------------------------------------------------------------------------------

END = {"x": 1, "vx": 0}
REFUSED = [
    ("E181", {"inputs": "G"}), ("E182", {"inputs": 3}), ("E330", {"end": {"y": 1}}), ("E330", {"end": {}}),
    ("E330", {"end": 5}), ("E330", {"start": {"vx": 0}}), ("E333", {"until": -1}), ("E340", {"until": None}),
    ("E340", {"steps": 1.5}), ("E340", {"order": 5}), ("E340", {"bounds": {"x": 3}}), ("E340", {"bounds": "x < 3"}),
    ("E341", {"bounds": {"x": (2, 1)}}), ("E341", {"bounds": {"x": (-1, 0.5)}}),
    ("E341", {"bounds": {"t": (2, 3)}}), ("E702", {"cost": "F^2 + zz"}), ("E702", {"bounds": {"zz": (0, 1)}}),
    ("E307", {"stepz": 4}), ("E307", {"system": 7}), ("E182", {"kind": "bent"}), ("E202", {"parameters": {"mm": 1}}),
    ("E342", {"bounds": {"F": (-0.1, 0.1)}, "steps": 8}), ("E343", {"cost": "-F^2"}),
    ("E343", {"cost": "x^2 - F^2*(2 + sin(x))"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "given"), REFUSED)
def test_what_cannot_be_asked_is_refused(code, given):
    asked = {"system": cart(), "inputs": "F", "start": REST, "end": END, "until": 1.0, "tries": 1, **given}
    with pytest.raises(da.DalembertError, match=code) as told:
        da.steer(**asked)
    assert told.value.remedy


def test_an_end_that_no_inputs_reach_is_told_from_one_that_was_not_found():
    q = da.coordinates("x y")
    ring = da.System(q, "(vx^2 + vy^2)/2", {"ring": "x*vx + y*vy"}, forces={"vx": "F", "vy": "G"}, inputs="F G")
    start = {"x": 1, "y": 0, "vx": 0, "vy": 0}
    with pytest.raises(da.DalembertError, match=r"E332 .* keep .* constant"):
        da.steer(ring, "F G", start, {"x": 2, "y": 0}, until=1.0)
    with pytest.raises(da.DalembertError, match="E332 the start contradicts"):
        da.steer(ring, "F G", {**start, "vx": 1}, {"x": 0, "y": 1}, until=1.0)
    with pytest.raises(da.DalembertError, match="E332 the end contradicts"):
        da.steer(ring, "F G", start, {"x": 0, "y": 1, "vx": 0, "vy": 1}, until=1.0)
    found = da.steer(ring, "F G", start, {"x": 0, "y": 1, "vx": 0, "vy": 0}, until=1.0, steps=12, tries=1)
    assert found.missed["y"] == pytest.approx(0, abs=1e-6)
    with pytest.raises(da.DalembertError, match="E340"):
        da.steer(da.vakonomic(ring), "F G", start, {"x": 0, "y": 1}, until=1.0)


def test_without_casadi_the_extra_is_named(monkeypatch):
    from dalembert.equations.code import for_casadi

    for_casadi.library.cache_clear()
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(da.DalembertError, match="E801") as told:
        da.steer(cart(), "F", REST, END, until=1.0)
    assert told.value.remedy == "pip install 'dalembert[steer]'"
