"""The gap and the slip as a contact: a body slides, rolls, flies and bounces on what it rolls on."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate

IDENTITY = {"w": 1, "x": 0, "y": 0, "z": 0}
G = 9.81


def run(rolls, moments, start, until, **contact):
    """A body of mass 1 with a contact in place of the rows."""
    L = rolls.kinetic(1.0, moments) - G * rolls.position[2]
    system = da.System(rolls.space, L, rolls.held, contacts={"floor": rolls.contact(**contact)})
    path = da.simulate(da.nonholonomic(system), start, until=until, rtol=1e-11)
    assert path.ok, path.audit
    return path


def modes(path):
    return [word for _, name, word in path.modes if name == "floor"]


def test_a_bowling_ball_begins_to_roll_where_it_has_five_sevenths_of_its_speed():
    """t = 2 v0/(7 mu g)."""
    r = 0.11
    rolls = da.rolling(da.Body("ball", radius=r), "z")
    start = {"x": 0, "y": 0, "z": r, "vx": 3, "vy": 4, "vz": 0, "R": IDENTITY, "w1": 0, "w2": 0, "w3": 2}
    path = run(rolls, 0.4 * r**2, start, 1.5, mu=0.2)
    assert modes(path) == ["slides", "sticks"]
    assert path.modes[1][0] == pytest.approx(10 / (7 * 0.2 * G), abs=1e-9)
    assert path["vx"][-1] == pytest.approx(15 / 7, abs=1e-9)
    assert path["vy"][-1] == pytest.approx(20 / 7, abs=1e-9)


@pytest.mark.filterwarnings("ignore:.*W128")
def test_a_ball_that_rolls_off_a_sphere_leaves_it_at_10_17_of_the_height():
    """cos th = 10/17 for a ball that rolls from the top."""
    r, th, rate = 0.2, 0.05, 0.3
    rolls = da.rolling(da.Body("ball", radius=r), "sqrt(x^2 + y^2 + z^2) - 1")
    start = {"x": 1.2 * math.sin(th), "y": 0, "z": 1.2 * math.cos(th), "R": IDENTITY}
    start |= {"vx": 1.2 * rate * math.cos(th), "vy": 0, "vz": -1.2 * rate * math.sin(th)}
    path = run(rolls, 0.4 * r**2, start | {"w1": 0, "w2": rate * 1.2 / r, "w3": 0}, 1.6, mu=500)
    # just before it leaves it slides, whatever the coefficient is
    assert modes(path) == ["sticks", "slides", "apart"]
    # 7/10 (1 + r)^2 (th'^2 - th0'^2) = g (1 + r) (cos th0 - cos th) ,  (1 + r) th'^2 = g cos th
    over = math.cos(th) + 0.7 * 1.2 * rate**2 / G
    assert path.at(path.modes[2][0])["z"] / 1.2 == pytest.approx(10 / 17 * over, abs=1e-3)


def test_a_ball_that_sticks_in_a_bowl_moves_as_one_that_rolls():
    body, surface = da.Body("ball", radius=0.2), "z - 0.3*(x^2 + 2*y^2)"
    rolls = da.rolling(body, surface)
    L = rolls.kinetic(1.0, 0.016) - G * rolls.position[2]
    equations = da.nonholonomic(da.System(rolls.space, L, rolls.constraints))
    start = dict(equations.start(x=0.4, y=0.1, R="identity", w1=0.3, w2=0.2, w3=1.0))
    expected = da.simulate(equations, start, until=1.0, rtol=1e-11).at(1.0)
    path = run(da.rolling(body, surface, gap="s"), 0.016, {**start, "s": 0, "vs": 0}, 1.0, mu=5)
    assert modes(path) == ["sticks"]
    assert [path[n][-1] for n in start] == pytest.approx([expected[n] for n in start], abs=1e-8)


def test_a_tippe_top_keeps_jellett_s_constant_while_it_slides():
    """<J w, p>, p from the centre of mass to the contact [routh1905]: friction acts there, the other force upwards."""
    r, a, moments = 0.02, 0.004, [5e-5, 5e-5, 6e-5]
    rolls = da.rolling(da.Body("ball", radius=r, at=(0, 0, a)), "z")
    tilt = 0.2
    R = [[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]]
    start = {"x": 0, "y": 0, "z": r - a * math.cos(tilt), "vx": 0, "vy": 0, "R": R, "w1": 0, "w2": 0, "w3": 60}
    path = run(rolls, moments, {**start, "vz": 0}, 1.0, mu=0.3)
    assert modes(path)[0] == "slides"
    Rm, w = sp.Matrix(rolls.rotation), sp.Matrix(rolls.turning)
    jellett = (Rm * sp.diag(*moments) * Rm.T * w).dot(sp.Matrix(rolls.point) - sp.Matrix(rolls.position))
    node = read(jellett, Graph())
    found = [float(evaluate([node], dict(path.at(t)))[0]) for t in np.linspace(0, 0.9, 10)]
    assert np.ptp(found) < 1e-9 * abs(found[0])
    assert path["energy"][-1] < path["energy"][0]


def test_an_ellipsoid_that_is_dropped_bounces_and_stays_above_the_floor():
    rolls = da.rolling(da.Body("ellipsoid", size=(0.5, 0.4, 0.3)), "z")
    start = {"x": 0, "y": 0, "z": 0.5, "vx": 1, "vy": 0, "vz": 0, "R": IDENTITY, "w1": 1, "w2": 2, "w3": 0}
    path = run(rolls, [0.02, 0.03, 0.04], start, 0.6, mu=0.3, restitution=0.5)
    node = read(rolls.gap, Graph())
    gaps = [float(evaluate([node], dict(path.at(t)))[0]) for t in np.linspace(0, 0.6, 61)]
    assert min(gaps) > -1e-9
    assert len(path.impulses["floor"]["normal"]) >= 1
    assert (np.diff(path["energy"]) <= 1e-9).all()


SPHERE = "x^2 + y^2 + (z - 0.003)^2 - 0.02^2"


def test_a_sphere_by_its_equation_keeps_jelletts_constant_while_it_slips():
    """(I w) . p, whatever friction does [or1994]: p goes from the centre of mass to the contact."""
    rolls = da.rolling(SPHERE, "z", rotation=da.rotation("R", frame="body"))
    I, tilt = np.array([9e-7, 9e-7, 1e-6]), 0.4
    m = sp.Symbol("m", positive=True)
    L = rolls.kinetic(m, list(I)) - m * G * rolls.position[2]
    table = {"table": rolls.contact(mu=0.1)}
    top = da.nonholonomic(da.System(rolls.space, L, rolls.held, contacts=table, parameters={"m": 0.006}))
    turned = {"w": math.cos(tilt / 2), "x": math.sin(tilt / 2), "y": 0.0, "z": 0.0}
    start = {"x": 0, "y": 0, "z": 0.02 - 0.003 * math.cos(tilt), "vx": 0, "vy": 0, "vz": 0, "R": turned}
    start |= {"w1": 0, "w2": 100 * math.sin(tilt), "w3": 100 * math.cos(tilt)}
    path = da.simulate(top, top.start(**rolls.meets(start)), until=0.03, rtol=1e-11)
    assert path.ok
    assert path.modes == [(0.0, "table", "slides")]
    w, x, y, z = (path[f"R_{e}"] for e in "wxyz")
    up = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), w**2 - x**2 - y**2 + z**2])
    p = np.array([[0], [0], [0.003]]) - 0.02 * up
    jellett = (I[:, None] * np.array([path[f"w{i}"] for i in (1, 2, 3)]) * p).sum(axis=0)
    assert np.ptp(jellett) < 1e-12 * abs(jellett[0])
    # friction does move what it may, and takes energy
    assert np.ptp(path["w3"]) > 0.5
    assert path["energy"][-1] < 0.999 * path["energy"][0]


def test_the_velocity_is_the_rate_of_the_position_above_the_surface_too():
    rolls = da.rolling(da.Body("ball", radius=0.5), "z - (x^2 + y^2)/20", gap="s")
    graph, state = Graph(), rolls.space.sample(np.random.default_rng(1))
    rates = rolls.position.jacobian(list(rolls.space.coordinates)) * sp.Matrix(list(rolls.space.rates.values()))
    moved, told = (evaluate([read(e, graph) for e in each], state) for each in (rates, rolls.velocity))
    assert state["s"] > 0.1
    assert told == pytest.approx(moved, rel=1e-12)
