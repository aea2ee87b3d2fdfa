"""Motions of a body told by vectors of space, whatever the coordinates are."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.frame import TIME
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.geometry.random_states import ConstraintSampler

e3 = sp.Matrix([0, 0, 1])


def values_of(vectors, state):
    """Numbers of a list of matrices of expressions, each (n,)."""
    graph = Graph()
    nodes = [[read(e, graph) for e in sp.Matrix(v)] for v in vectors]
    found = iter(evaluate([n for row in nodes for n in row], state))
    return [np.array([float(next(found)) for _ in row]) for row in nodes]


def rate(vector, space):
    """X' of a function of t and q."""
    return sum((vector.diff(q) * rate for q, rate in space.rates.items()), vector.diff(TIME))


def accelerated(equations, V, w, state):
    """V' and w' at a state."""
    space = equations.system.space
    udot = np.asarray(equations.accelerations({k: float(v) for k, v in state.items()})[0], float)
    symbols = sp.symbols([f"a_{u}" for u in space.velocities], real=True)
    moved = {u: a for u, a in zip(space.velocities, symbols, strict=True)}
    both = [rate(v, space) + sum((v.diff(u) * a for u, a in moved.items()), sp.zeros(3, 1)) for v in (V, w)]
    return values_of(both, {**state, **dict(zip(map(str, symbols), udot, strict=True))})


def states(system, there, count=3, seed=1):
    """Random states that the constraints allow, and where the body is not below what it rolls on."""
    found = []
    for values, held in ConstraintSampler(system).states(seed):
        state = {k: float(v) for k, v in values.items()}
        if held and there(state):
            found.append(state)
        if len(found) == count:
            return found


class Motion:
    """Where a body of a system is: X, R and w in axes of space, and its contact C, as expressions."""

    def __init__(self, system, X, R, w, C, there=lambda state: True):
        self.there = there
        self.system, self.equations = system, da.nonholonomic(system)
        space = system.space
        self.X, self.R, self.w, self.C = (sp.Matrix(e) for e in (X, R, w, C))
        self.V, self.dC = rate(self.X, space), rate(self.C, space)

    def told(self, state):
        """X, R, V, w, C, C' at a state."""
        X, R, V, w, C, dC = values_of([self.X, self.R, self.V, self.w, self.C, self.dC], state)
        return {"X": X, "R": R.reshape(3, 3), "V": V, "w": w, "C": C, "dC": dC}


def same_accelerations(other, rolls, system, seed=1):
    """The largest difference of the accelerations of two systems in the same motion, by their size; the rows hold."""
    equations, worst = da.nonholonomic(system), 0.0
    names = [s.name for s in system.space]
    for state in states(other.system, other.there, seed=seed):
        there = other.told(state)
        values = {**state, **placed(rolls, there)}
        values = {k: v for k, v in values.items() if k in names or k in system.parameters or k == "t"}
        rows, C = values_of([sp.Matrix(list(rolls.constraints.values())), rolls.point], values)
        assert np.abs(rows).max() < 1e-12, rows
        assert there["C"] == pytest.approx(C, abs=1e-12)
        mine = accelerated(equations, sp.Matrix(rolls.velocity), sp.Matrix(rolls.turning), values)
        theirs = accelerated(other.equations, other.V, other.w, state)
        for a, b in zip(mine, theirs, strict=True):
            worst = max(worst, np.abs(a - b).max() / max(1.0, np.abs(b).max()))
    return worst


def placed(rolls, there):
    """The state of a body that rolls, of its place, attitude, velocity and angular velocity, and the contact."""
    space, (attitude,) = rolls.space, rolls.parts.rotation.attitudes.values()
    w = there["R"].T @ there["w"] if rolls.parts.in_body else there["w"]
    values = attitude.named(there["R"]) | dict(zip((u.name for u in rolls.parts.rotation.velocities), w, strict=True))
    by_place = rolls.gap.free_symbols
    X, V = (there["X"], there["V"]) if by_place else (there["C"], there["dC"])
    own = [s for s in space.coordinates if s not in attitude.coordinates]
    for s, x, v in zip(rolls.parts.place.coordinates, X, V, strict=True):
        if s in own:
            values |= {s.name: float(x), space.velocities[own.index(s)].name: float(v)}
    return values


@pytest.fixture(name="motion")
def _motion():
    return Motion


@pytest.fixture(name="same_accelerations")
def _same_accelerations():
    return same_accelerations
