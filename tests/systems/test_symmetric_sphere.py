"""The symmetric sphere [cendra2001a]: the motion from K alone, the homogeneous limit, its walls, its group."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.systems import symmetric_sphere as sphere

P = sphere.system().values()
UP = np.array([0.0, 0.0, 1.0])


def inertia(z, p):
    """J with J w = K."""
    outer = np.outer(z, z)
    return p["I1"] * (np.eye(3) - outer) + p["I3"] * outer + p["m"] * p["r"] ** 2 * (np.eye(3) - np.outer(UP, UP))


def by_hand(start, until, p):
    """z, x, y from w = J(z)^-1 K with a constant K; SciPy."""
    z0, w0 = np.array(start["R"])[:, 2], np.array([start[n] for n in ("w1", "w2", "w3")])
    K = inertia(z0, p) @ w0

    def rate(_, state):
        w = np.linalg.solve(inertia(state[:3], p), K)
        return np.r_[np.cross(w, state[:3]), p["r"] * w[1], -p["r"] * w[0]]

    run = solve_ivp(rate, (0, until), [*z0, start["x"], start["y"]], "DOP853", rtol=1e-12, atol=1e-13)
    return run.y[:, -1]


@pytest.mark.parametrize("shape", [{}, {"I1": 0.3, "I3": 0.1, "m": 2.0, "r": 0.5}], ids=["prolate", "thin"])
def test_the_axis_and_the_contact_follow_from_a_constant_momentum(shape, along):
    system = sphere.system(**shape)
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(**sphere.START), until=6.0, rtol=1e-11, atol=1e-13)
    z1, z2, z3, x, y = by_hand(sphere.START, 6.0, system.values())
    found = [along(e, path, system)[-1] for e in sphere.AXIS]
    assert [*found, path["x"][-1], path["y"][-1]] == pytest.approx([z1, z2, z3, x, y], abs=1e-9)


def test_the_axis_runs_on_a_closed_curve(along):
    # energy and K are constant: z stays on K . J(z)^-1 K = const, and comes back
    system = sphere.system()
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(**sphere.START), until=12.0, rtol=1e-11, atol=1e-13)
    columns = path.at(np.linspace(0, 12, 4001))
    z = np.array([along(e, columns | {"t": 0.0}, system) for e in sphere.AXIS]).T
    away = np.linalg.norm(z - z[0], axis=1)
    assert away.max() > 1.0
    later = np.argmax(away > 0.5)
    assert away[later:].min() < 2e-3  # the step of the samples is 3e-3


def test_a_homogeneous_sphere_rolls_straight_on():
    system = sphere.system(I1=0.4, I3=0.4)
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(**sphere.START), until=3.0)
    assert path["vx"] == pytest.approx(np.full(len(path), 1.1), abs=1e-12)
    assert path["w3"] == pytest.approx(np.full(len(path), 0.8), abs=1e-12)


@pytest.mark.parametrize(("spec", "side"), [(sphere.RIGHT, 1.0), (sphere.left(3.0), -1.0)], ids=["right", "left"])
def test_walls_hold_the_point_of_the_sphere_that_touches_them(spec, side):
    # the velocity of the material point at centre + side r e1, by turning the sphere a little
    rng, h = np.random.default_rng(4), 1e-6
    v, w, r = rng.normal(size=2), rng.normal(size=3), 1.3
    arm = np.array([side * r, 0.0, 0.0])
    there, back = (s * h * np.array([*v, 0]) + Rotation.from_rotvec(s * h * w).apply(arm) for s in (1, -1))
    point = (there - back) / (2 * h)
    values = dict(zip(("vx", "vy", "w1", "w2", "w3", "r"), [*v, *w, r], strict=True))
    rows = [e.subs({s: values[s.name] for s in e.free_symbols}) for e in spec["constraints"].values()]
    assert [float(e) for e in rows] == pytest.approx(point[1:], abs=1e-8)
    place = {1.0: 0.0, -1.0: -3.0}[side]
    assert spec["guard"].subs(sphere.X, place) == 0
    assert spec["guard"].subs(sphere.X, place - side) > 0


def test_its_group_is_the_paper_s():
    system = sphere.system()
    found = da.symmetry.quotient(system)
    assert [q.name for q in found.system.space.coordinates] == ["z1", "z2", "z3"]
    assert not found.structure.any()
    asymmetric = system.changed(
        lagrangian=system.lagrangian + sp.Rational(1, 10) * (sphere.SPACE.R.T * sphere.OMEGA)[0] ** 2
    )
    with pytest.raises(ValueError, match="E122 generator spin R"):
        da.symmetry.quotient(asymmetric)
