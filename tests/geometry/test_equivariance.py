"""A start that is moved by the group moves along the moved path: any group, by the flow of its generators."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.geometry.group_action import Action
from dalembert.geometry.random_states import ConstraintSampler


def free_body():
    s = da.rotation("R", frame="body")
    return da.System(
        s, sum((i + 1) * w**2 for i, w in enumerate(s.velocities)) / 2, symmetry=da.symmetry.rotations("R")
    )


def top_in_space():
    # written in space axes: spin about the axis of the body, and turns about the vertical
    s = da.rotation("R", frame="space")
    w, z = sp.Matrix(s.velocities), sp.Matrix(s.R)[:, 2]
    L = (w.dot(w) - w.dot(z) ** 2 / 2) / 2 - 2 * z[2]
    return da.System(s, L, symmetry=[da.symmetry.spin("R"), da.symmetry.rotations("R", axis=3)])


def kepler():
    q = da.coordinates("x y z")
    L = sum(v**2 for v in q.velocities) / 2 + 1 / sp.sqrt(sum(s**2 for s in q.coordinates))
    return da.System(q, L, symmetry=da.symmetry.rotations(vectors=["x y z"]))


def spring_pair():
    # two masses and a spring in the plane: all of SE(2) on both
    q = da.coordinates("x1 y1 x2 y2")
    x1, y1, x2, y2 = q.coordinates
    L = (q["vx1"] ** 2 + q["vy1"] ** 2) / 2
    L += q["vx2"] ** 2 + q["vy2"] ** 2 - ((x1 - x2) ** 2 + (y1 - y2) ** 2 + 1) ** sp.Rational(1, 2)
    fields = {
        "along x": {"x1": 1, "x2": 1},
        "along y": {"y1": 1, "y2": 1},
        "turn": {"x1": -y1, "y1": x1, "x2": -y2, "y2": x2},
    }
    return da.System(q, L, symmetry=fields)


OWN = {"free body": free_body, "top in space": top_in_space, "kepler": kepler, "spring pair": spring_pair}
GALLERY = (
    "suslov free",
    "veselova",
    "routh sphere",
    "chaplygin ball",
    "rattleback",
    "plain ball",
    "rolling disc",
    "rolling penny",
    "snakeboard",
    "roller racer",
    "heisenberg free",
    "particle",
    "knife edge",
)


def flow(system, generator, state, time):
    """(q, u) moved along delta q = E x, delta u = d/dt x + C u x for some time."""
    sampler = ConstraintSampler(system)
    action = Action(sampler, [generator])
    dq, du = action.shift(action.fields[0])
    names = [s.name for s in system.space]
    known = {k: v for k, v in system.parameters.items() if v is not None}

    def rate(_, y):
        return np.array(evaluate([*dq, *du], {**known, **dict(zip(names, y, strict=True))}), float)

    run = solve_ivp(rate, (0, time), [state[n] for n in names], "DOP853", rtol=1e-12, atol=1e-13)
    return dict(zip(names, run.y[:, -1], strict=True))


@pytest.mark.parametrize("name", [*OWN, *GALLERY])
def test_the_moved_start_moves_along_the_moved_path(systems, name):
    system = OWN[name]() if name in OWN else systems[name]
    equations = da.nonholonomic(system) if system.constraints else da.free(system)
    start = equations.start(project="kinetic", **system.space.sample(np.random.default_rng(5)))
    end = da.simulate(equations, start, until=0.4, rtol=1e-11, atol=1e-12).at(0.4)
    for generator in system.symmetry:
        moved = equations.start(project="kinetic", **flow(system, generator, start, 0.7))
        found = da.simulate(equations, moved, until=0.4, rtol=1e-11, atol=1e-12).at(0.4)
        expected = flow(system, generator, end, 0.7)
        for n, v in expected.items():
            assert found[n] == pytest.approx(v, abs=1e-7 * (1 + abs(v))), (generator.name, n)
