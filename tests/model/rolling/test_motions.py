"""Laws of bodies that roll: nothing slips along the motion, the known integrals, the known periods."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate

m, g = sp.symbols("m g", positive=True)
IDENTITY = {"w": 1, "x": 0, "y": 0, "z": 0}
TILTED = {"w": 0.9, "x": 0.3, "y": -0.1, "z": math.sqrt(1 - 0.91)}
STONE = da.Body("ellipsoid", size=(0.5, 0.36, 0.28), at=(0.02, 0, 0.01))
WHEEL = da.Body("wheel", radius=0.3, thickness=0.12)
EGG = "0.2*sqrt(n1^2 + n2^2 + 1.6*n3^2) + 0.05*sqrt(n1^2 + n2^2 + n3^2) + 0.01*n1"


def run(rolls, moments, start, until=2.0, weight=9.81, **more):
    """A body of mass 1 that rolls."""
    system = da.System(
        rolls.space,
        rolls.kinetic(m, moments) - m * weight * rolls.position[2],
        rolls.constraints,
        parameters={"m": 1.0},
    )
    path = da.simulate(da.nonholonomic(system), start, until=until, rtol=1e-11, **more)
    assert path.ok, path.audit
    return path


def along(path, vectors, t):
    """Vectors of expressions at times, (len(t), 3) each."""
    graph = Graph()
    nodes = [read(e, graph) for v in vectors for e in sp.Matrix(v)]
    found = [np.array(evaluate(nodes, {"m": 1.0, **dict(path.at(s)), "t": s}), float) for s in t]
    return np.array(found).reshape(len(t), len(vectors), 3).transpose(1, 0, 2)


PLACES = {
    "an ellipsoid on a plane": (STONE, "z", {"x": 0, "y": 0, "R": TILTED, "w1": 1.0, "w2": 0.4, "w3": 2.0}),
    "a wheel on a slope": (WHEEL, "z + 0.2*x", {"x": 0, "y": 0, "R": {**TILTED}, "w1": 0.5, "w2": 1.0, "w3": 3.0}),
    "an ellipsoid in a bowl": (
        STONE,
        "z - 0.3*(x^2 + 2*y^2)",
        {"x": 0.4, "y": 0.1, "R": TILTED, "w1": 1.0, "w2": 2.0, "w3": 0.5},
    ),
    "an egg on a wave": (
        EGG,
        "z - 0.1*sin(x)*cos(y)",
        {"x": 0.4, "y": 0.1, "R": TILTED, "w1": 1.0, "w2": 2.0, "w3": 0.5},
    ),
    "a wheel in a tube": (
        WHEEL,
        "1 - x^2 - y^2",
        {"x": 1, "y": 0, "z": 0, "R": IDENTITY, "w1": 0.5, "w2": 1.0, "w3": 6.0},
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rubber", [False, True])
def test_the_matter_at_the_contact_is_at_rest_and_the_energy_is_kept(place, rubber):
    """X' + w x (C - X) = 0, with X' by differences of where the body is."""
    body, surface, start = PLACES[place]
    rolls = da.rolling(body, surface, rubber=rubber)
    # rubber does not spin about the normal, which is level in the tube
    spin = "w1" if "tube" in place else "w3"
    given = {k: v for k, v in start.items() if not (rubber and k == spin)}
    path = run(rolls, [0.02, 0.03, 0.04], given, until=0.6)
    assert np.ptp(path["energy"]) < 1e-9
    t, h = np.linspace(0.1, 0.5, 7), 5e-4
    X, C, N, w = along(path, [rolls.position, rolls.point, rolls.normal, rolls.turning], t)
    # fourth order
    at = {k: along(path, [rolls.position], t + k * h)[0] for k in (-2, -1, 1, 2)}
    V = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)
    assert np.abs(V + np.cross(w, C - X)).max() < 1e-6  # h^4 of a wheel that nearly lies flat
    if rubber:
        assert np.abs((w * N).sum(axis=1)).max() < 1e-9


@pytest.mark.parametrize("body", [STONE, WHEEL, EGG], ids=["ellipsoid", "wheel", "egg"])
@pytest.mark.parametrize("rubber", [False, True])
def test_coordinates_of_the_place_and_of_the_contact_tell_one_motion(body, rubber):
    """The plane exp(z) = 1 is known by its contact alone, z = 0 by the place of the body."""
    by_place, by_contact = (da.rolling(body, surface, rubber=rubber) for surface in ("z", "exp(z) - 1"))
    turning = {"R": TILTED, "w1": 1.0, "w2": 0.4} | ({} if rubber else {"w3": 2.0})
    one = run(by_contact, [0.02, 0.03, 0.04], {"x": 0, "y": 0, "z": 0, **turning}, until=0.4)
    (X,) = along(one, [by_contact.position], [0.0])
    other = run(by_place, [0.02, 0.03, 0.04], {"x": X[0, 0], "y": X[0, 1], **turning}, until=0.4)
    t = np.linspace(0, 0.4, 5)
    for name in ("position", "velocity", "turning", "point"):
        a, b = along(one, [getattr(by_contact, name)], t), along(other, [getattr(by_place, name)], t)
        assert np.abs(a - b).max() < 1e-8, name


@pytest.mark.parametrize("surface", ["1 - x^2 - y^2", "z - 0.3*(x^2 + 2*y^2)"])
def test_a_gap_that_is_held_at_0_changes_nothing(surface):
    start = {"x": 1, "y": 0, "z": 0, "vx": 0, "R": TILTED, "w1": 0.5, "w2": 1.0, "w3": 2.0, "s": 0}
    found = []
    for gap in ("", "s"):
        rolls = da.rolling(STONE, surface, gap=gap)
        known = {name: e for name, e in start.items() if name == "R" or name in map(str, rolls.space)}
        known = {name: e for name, e in known.items() if name[0] != "v"}
        found.append(run(rolls, [0.02, 0.03, 0.04], known, until=0.3).at(0.3))
    names = ("x", "y", "R_w", "R_x", "w1", "w2", "w3")
    assert [found[0][n] for n in names] == pytest.approx([found[1][n] for n in names], abs=1e-9)


@pytest.mark.parametrize("surface", ["1 - sqrt(x^2 + y^2)", "1 - x^2 - y^2"])
def test_a_ball_in_a_tube_swings_up_and_down_sqrt_2_7_times_in_a_turn(surface):
    rolls = da.rolling(da.Body("ball", radius=0.2), surface)
    x, vy = (0.8, 1.6) if "sqrt" in surface else (1.0, 2.0)
    start = {"x": x, "y": 0, "z": 0, "vx": 0, "vy": vy, "vz": 0.3, "R": IDENTITY, "w1": 0.5}
    path = run(rolls, sp.Rational(2, 5) * m * 0.04, start, until=14.0)
    assert da.measures.period(path, "vz") == pytest.approx(math.tau / 2 / math.sqrt(2 / 7), rel=1e-7)


def test_a_ball_on_a_turning_table_goes_around_2_7_times_in_a_turn():
    rolls = da.rolling(da.Body("ball", radius=0.2), "z", moving=("-3*y", "3*x", 0))
    start = {"x": 0.5, "y": 0, "vx": 0.1, "vy": 0.2, "R": IDENTITY, "w3": 0.4}
    path = run(rolls, sp.Rational(2, 5) * m * 0.04, start, until=15.0)
    assert da.measures.period(path, "vx") == pytest.approx(math.tau / 3 * 7 / 2, rel=1e-7)


def test_chaplygin_s_ball_keeps_its_angular_momentum_about_the_contact():
    """K = J w + m r e3 x (w x r e3), in space [chaplygin1903]."""
    rolls = da.rolling(da.Body("ball", radius=0.3), "z", rotation=da.rotation("R", frame="body"))
    path = run(rolls, [0.02, 0.03, 0.045], {"x": 0, "y": 0, "R": TILTED, "w1": 1.0, "w2": 2.0, "w3": -1.5}, until=3.0)
    J, w = sp.diag(0.02, 0.03, 0.045), sp.Matrix(rolls.turning)
    up = 0.3 * sp.Matrix(rolls.normal)
    K = rolls.rotation * J * rolls.rotation.T * w + up.cross(w.cross(up))
    (found,) = along(path, [K], np.linspace(0, 3, 9))
    assert np.abs(found - found[0]).max() < 1e-10


def test_a_floor_that_heaves_and_a_belt_that_runs_carry_the_ball():
    """On a belt that begins to run, 7/5 m v' = 2/5 m U': a ball at rest has 2/7 of the belt's speed."""
    rolls = da.rolling(da.Body("ball", radius=0.2), "z - 0.1*sin(t)", moving=("sin(t)^2", 0, "0.1*cos(t)"))
    start = {"x": 0, "y": 0, "vx": 0, "vy": 0, "R": IDENTITY, "w3": 0.5}
    system = da.System(rolls.space, rolls.kinetic(1.0, 0.016) - 9.81 * rolls.position[2], rolls.constraints)
    path = da.simulate(da.nonholonomic(system), start, until=2.0, rtol=1e-11)
    assert path["z"] == pytest.approx(0.2 + 0.1 * np.sin(path.t), abs=1e-9)
    assert path["vx"] == pytest.approx(2 / 7 * np.sin(path.t) ** 2, abs=1e-9)
    assert path["w3"] == pytest.approx(0.5, abs=1e-12)


def test_a_ball_rolls_below_a_ceiling_as_on_a_floor():
    found = []
    for surface, up in (("z", 9.81), ("-z", -9.81)):
        rolls = da.rolling(da.Body("ball", radius=0.2, at=(0.03, 0, 0.02)), surface)
        sign = math.copysign(1, up)
        turned = {"w": 1, "x": 0, "y": 0, "z": 0} if sign > 0 else {"w": 0, "x": 1, "y": 0, "z": 0}
        start = {"x": 0, "y": 0, "R": turned, "w1": 1.0, "w2": 2.0 * sign, "w3": 0.5 * sign}
        path = run(rolls, [0.02, 0.03, 0.04], start, until=1.0, weight=up)
        found.append([path["x"][-1], sign * path["y"][-1], sign * path["z"][-1]])
    assert found[0] == pytest.approx(found[1], abs=1e-9)
