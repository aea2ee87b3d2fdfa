"""A body that rolls on another body, which moves: momenta of both together are constant; what is held is at rest."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate

TILTED = {"w": 0.9, "x": 0.3, "y": -0.1, "z": 0.3}
STONE = da.Body("ellipsoid", size=(0.5, 0.36, 0.28), at=(0.02, 0, 0.01))


def numbers(vector, state):
    graph = Graph()
    return np.array(evaluate([read(e, graph) for e in sp.Matrix(vector)], state), float)


@pytest.mark.parametrize(
    ("body", "surface", "names"),
    [
        (da.Body("ball", radius=0.2), "sqrt(a^2 + b^2 + c^2) - 0.5", "a b c"),
        (STONE, "a^2 + 2*b^2 + 3*c^2 - 0.2", "a b c"),
    ],
    ids=["ball on ball", "ellipsoid on ellipsoid"],
)
def test_two_free_bodies_keep_their_momentum_and_their_angular_momentum(body, surface, names):
    carrier = da.SE3("x y z", "Q", velocities="v1 v2 v3 u1 u2 u3")
    rolls = da.rolling(body, surface, on=carrier, coordinates=names)
    v, u = sp.Matrix(carrier.velocities[:3]), sp.Matrix(carrier.velocities[3:])
    M, m, J, I = 2.0, 1.0, sp.diag(0.2, 0.25, 0.3), sp.diag(0.02, 0.03, 0.04)
    L = (M * v.dot(v) + u.dot(J * u)) / 2 + rolls.kinetic(m, I)
    equations = da.nonholonomic(da.System(rolls.space, L, rolls.constraints))
    start = {"x": 0.1, "y": 0, "z": 0, "Q": "identity", "v1": 0.1, "v2": 0, "v3": 0.2, "u1": 0.3, "u2": -0.2, "u3": 0.4}
    on_ball = body.shape == "ball"
    where = {"a": 0.8, "b": 0, "c": 0} if on_ball else {"a": np.sqrt(0.2), "b": 0.0, "c": 0.0}
    at = numbers(rolls.space.rotation("Q") * sp.Matrix(list(where.values())), {"Q_w": 1, "Q_x": 0, "Q_y": 0, "Q_z": 0})
    if on_ball:
        # the place of the ball, in space: 0.5 + 0.2 from the middle of the other
        where = {"a": 0.1 + 0.7 * at[0] / 0.8, "b": 0.0, "c": 0.0}
    start |= {**where, "R": TILTED_UNIT, "w1": 1.0, "w2": 0.5, "w3": -0.7}
    path = da.simulate(equations, equations.start(**start), until=1.5, rtol=1e-11)
    assert path.ok, path.audit
    assert np.ptp(path["energy"]) < 1e-9
    X, Q, R = sp.Matrix(carrier.coordinates[:3]), carrier.rotation("Q"), rolls.rotation
    V, W = Q * v, rolls.turning
    P = M * V + m * rolls.velocity
    K = M * X.cross(V) + Q * J * u + m * sp.Matrix(rolls.position).cross(sp.Matrix(rolls.velocity)) + R * I * R.T * W
    found = [np.concatenate([numbers(e, dict(path.at(t))) for e in (P, K)]) for t in np.linspace(0, 1.5, 6)]
    assert np.ptp(found, axis=0) == pytest.approx(np.zeros(6), abs=1e-9)


TILTED_UNIT = {k: e / np.sqrt(sum(x**2 for x in TILTED.values())) for k, e in TILTED.items()}


def test_a_body_that_is_held_carries_as_what_is_at_rest():
    carrier = da.SE3("p1 p2 p3", "Q", velocities="v1 v2 v3 u1 u2 u3")
    surface = "z - 0.3*(x^2 + 2*y^2)"
    still, carried = da.rolling(STONE, surface), da.rolling(STONE, surface, on=carrier)
    held = {f"held{i}": u for i, u in enumerate(carrier.velocities)}
    start = {"x": 0.4, "y": 0.1, "R": TILTED_UNIT, "w1": 1.0, "w2": 2.0, "w3": 0.5}
    rest = {"p1": 0, "p2": 0, "p3": 0, "Q": "identity"}
    found = []
    for rolls, rows, more in ((still, {}, {}), (carried, held, rest)):
        L = rolls.kinetic(1.0, [0.02, 0.03, 0.04]) - 9.81 * rolls.position[2]
        L += sum((u**2 / 2 for u in carrier.velocities), sp.S.Zero) if rows else 0
        equations = da.nonholonomic(da.System(rolls.space, L, {**rolls.constraints, **rows}))
        found.append(da.simulate(equations, {**start, **more}, until=0.5, rtol=1e-11).at(0.5))
    assert [found[0][n] for n in ("x", "y", "w1", "w2", "w3")] == pytest.approx(
        [found[1][n] for n in ("x", "y", "w1", "w2", "w3")], abs=1e-8
    )


def test_a_ball_on_a_ball_on_the_floor_keeps_the_energy():
    below = da.rolling(da.Body("ball", radius=0.5), "z")
    above = da.rolling(
        da.Body("ball", radius=0.2),
        "sqrt(a^2 + b^2 + c^2) - 0.5",
        on=below,
        coordinates="a b c",
        rotation=da.rotation("S", velocities="u1 u2 u3"),
    )
    L = below.kinetic(3.0, 0.3) + above.kinetic(1.0, 0.016) - 9.81 * above.position[2]
    rows = {**below.constraints, **{f"above_{name}": row for name, row in above.constraints.items()}}
    equations = da.nonholonomic(da.System(above.space, L, rows))
    up = {"a": 0.1, "b": 0, "c": 0.5 + np.sqrt(0.7**2 - 0.1**2)}
    start = equations.start(
        x=0, y=0, z=0.5, R="identity", S="identity", **up, w1=0, w2=0.1, w3=0, u1=0.2, u3=1.0, va=0.02
    )
    assert above.fits(start) == pytest.approx((1.4, 1.4))
    path = da.simulate(equations, start, until=0.6, rtol=1e-11)
    assert path.ok, path.audit
    assert np.ptp(path["energy"]) < 1e-9
    assert abs(path["x"][-1]) > 1e-3  # the lower one is driven away
