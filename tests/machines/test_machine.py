"""Machines of bodies and joints: energies by point masses, equations derived by hand, known machines, wrenches."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import chaplygin_sleigh, penny, rolling_disc


def accelerations(equations, state):
    return equations.evaluate(equations.start(**state))["accelerations"]


def near(found, wanted, rtol=1e-11):
    scale = max(map(abs, wanted.values()))
    assert found.keys() == wanted.keys()
    assert max(abs(found[name] - wanted[name]) for name in wanted) <= rtol * scale, (found, wanted)


# --- a cart with two pendulums, in symbols ----------------------------------------------------------------------------


def cart():
    machine = da.Machine(gravity=[0, 0, "-g"], parameters={"M": 3.0, "m": 2.0, "l": 0.5, "g": 9.81})
    body = machine.body("cart", mass="M")
    upper, lower = (machine.body(name, mass="m", centre=[0, 0, "-l"]) for name in ("upper", "lower"))
    machine.joint("x", "slide", machine.ground, body, axis="x")
    machine.joint("a", "hinge", body, upper, axis="-y")
    machine.joint("b", "hinge", upper, lower, axis="-y", at=[0, 0, "-l"])
    return machine


def test_a_double_pendulum_on_a_cart_has_the_textbooks_lagrangian():
    """T and V by hand, in absolute angles a and a + b."""
    q = da.coordinates("x a b")
    M, m, length, g, vx, a, b, va, vb = sp.symbols("M m l g vx a b va vb", real=True)
    c = a + b
    first = sp.Matrix([vx + length * va * sp.cos(a), length * va * sp.sin(a)])
    second = first + length * (va + vb) * sp.Matrix([sp.cos(c), sp.sin(c)])
    T = M * vx**2 / 2 + m * (first.dot(first) + second.dot(second)) / 2
    V = -m * g * length * (2 * sp.cos(a) + sp.cos(c))
    by_hand = da.System(q, T - V, parameters={"M": 3.0, "m": 2.0, "l": 0.5, "g": 9.81})
    rng = np.random.default_rng(2)
    for _ in range(5):
        state = dict(zip(("x", "a", "b", "vx", "va", "vb"), rng.uniform(-2, 2, 6).tolist(), strict=True))
        near(accelerations(da.free(cart().system), state), accelerations(da.free(by_hand), state))


def test_the_printed_equations_are_the_textbooks():
    told = " ".join(str(da.free(cart().system)).split())
    assert "(M + 2*m)*vx'" in told
    assert "m*l*vx'*cos(a + b) + m*l**2*(1 + cos(b))*va' + m*l**2*vb' + m*l*(l*va**2*sin(b) + g*sin(a + b)) = 0" in told


# --- every kind of joint: bodies of point masses, whose velocities are differences of their positions ----------------

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
PAIR = 0.3
KINDS = {
    "hinge": {"axis": (0.3, -0.5, 0.8)},
    "slide": {"axis": "-y"},
    "screw": {"axis": "x", "pitch": 0.4},
    "cylinder": {"axis": (0, 0.6, 0.8)},
    "universal": {},
    "planar": {"axis": "y"},
    "ball": {},
    "free": {},
}


def chained(kind, options):
    """A body on a hinge, and behind it another on a joint of this kind; each is six point masses."""
    machine = da.Machine(gravity=[0.4, -0.3, -9.81])
    for name in ("near", "far"):
        # six masses at +-a_k along the axes:  J_1 = 2 m (a_2^2 + a_3^2)
        a = np.array([0.1, 0.2, 0.3]) * (1 if name == "near" else 1.5)
        J = [2 * PAIR * float(a @ a - a[k] ** 2) for k in range(3)]
        machine.body(name, mass=6 * PAIR, centre=[0.1, 0.2, -0.1], inertia=J, turn=["y 0.4", "x 0.3"])
    machine.joint("first", "hinge", machine.ground, "near", axis="y", turn="z 0.7", at=[0.3, 0, 0])
    machine.joint("second", kind, "near", "far", at=[0.2, -0.4, 0.5], turn=["x 0.5", "z -0.4"], **options)
    return machine


def masses(machine, body):
    """The positions of its six masses, as expressions."""
    y, x = 0.4, 0.3
    Ry = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    Rx = np.array([[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]])
    a = np.array([0.1, 0.2, 0.3]) * (1 if body == "near" else 1.5)
    for k in range(3):
        for sign in (1, -1):
            at = np.array([0.1, 0.2, -0.1]) + sign * a[k] * (Ry @ Rx)[:, k]
            yield machine.point(body, at.tolist())


@pytest.mark.parametrize("kind", KINDS)
def test_the_lagrangian_is_that_of_point_masses(kind):
    """L by positions alone: each velocity is a central difference along qdot = E u."""
    machine = chained(kind, KINDS[kind])
    system = machine.system
    q, u = system.space.coordinates, system.space.velocities
    values = system.space.sample(np.random.default_rng(5), [])
    state = [values[s.name] for s in (*q, *u)]
    rates = np.array(sp.lambdify([*q, *u], sp.Matrix(system.space.frame.rates), "numpy")(*state), float).ravel()
    place = np.array(state[: len(q)])
    L, step = 0.0, 1e-5
    for body in machine.bodies:
        for point in masses(machine, body):
            x = sp.lambdify(q, list(point.position), "numpy")
            v = (np.array(x(*(place + step * rates))) - np.array(x(*(place - step * rates)))) / (2 * step)
            L += PAIR * (v @ v / 2 + np.array([0.4, -0.3, -9.81]) @ np.array(x(*place)))
            assert np.allclose(np.array(sp.lambdify([*q, *u], list(point.velocity))(*state), float), v, atol=1e-8)
            J = np.array(sp.lambdify(q, point.jacobian)(*place), float)
            assert np.allclose(J @ np.array(state[len(q) :]), v, atol=1e-8)
    assert float(sp.lambdify([*q, *u], system.lagrangian)(*state)) == pytest.approx(L, rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_joint_carries_is_the_change_of_momentum(kind):
    """Newton and Euler for both bodies together, by differences of their momenta along a motion."""
    machine = chained(kind, KINDS[kind])
    equations = da.free(machine.system)
    values = machine.system.space.sample(np.random.default_rng(7), [])
    path = da.simulate(equations, equations.start(**values), until=0.2)
    h = 1e-4
    t = [0.1 - h, 0.1, 0.1 + h]
    points = [p for body in machine.bodies for p in masses(machine, body)]
    where = np.array([[0.3, 0, 0]])
    momenta = []
    for time in t:
        row = path.at(time)
        x = np.array([[float(e.subs(dict(row))) for e in p.position] for p in points])
        v = np.array([[float(e.subs(dict(row))) for e in p.velocity] for p in points])
        momenta.append((PAIR * v.sum(axis=0), PAIR * np.cross(x - where, v).sum(axis=0), x))
    g = np.array([0.4, -0.3, -9.81])
    force = (momenta[2][0] - momenta[0][0]) / (2 * h) - PAIR * len(points) * g
    moment = (momenta[2][1] - momenta[0][1]) / (2 * h) - PAIR * np.cross(momenta[1][2] - where, g).sum(axis=0)
    found = machine.reaction("first", axes="space").along(equations, path.sampled([0.1]) if hasattr(path, "sampled") else at(path, 0.1))
    assert np.allclose(found["force"][0], force, atol=1e-5 * abs(force).max())
    assert np.allclose(found["moment"][0], moment, atol=1e-5 * abs(moment).max())
