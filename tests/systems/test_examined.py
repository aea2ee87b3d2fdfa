"""What the examination finds about every gallery system is what the literature states."""

from functools import cache

import numpy as np
import sympy as sp

import dalembert as da


@cache
def examined(case):
    """What is found about a case, for its laws."""
    return da.examine(case.system())


def test_kinds_and_growth(case):
    found, facts = examined(case), case.facts
    assert {r.name: r.kind for r in found.rows} == dict(facts.kinds)
    if facts.growth and "nonlinear" not in facts.kinds.values():
        assert found.growth == facts.growth
        assert found.generating == facts.generating
    assert found.rank == len(found.rows)
    assert found.without_energy == {}


def test_integrals_are_the_known_ones(case):
    """Found and known integrals are functions of each other: together they are no more than the known ones."""
    system, found = case.system(), examined(case)
    positions = [c.given for c in system.constraints if c.holonomic]
    assert found.integral_count + len(positions) >= len(case.facts.integrals)
    known = [*positions, *case.facts.integrals.values()]
    variables = [sp.Symbol("t", real=True), *system.space.coordinates]
    rng = np.random.default_rng(1)
    at = {**system.values(), **system.space.sample(rng), "t": 0.4}
    # positive places, where roots and logarithms are real
    at = {k: abs(v) if k in {s.name for s in variables} and k not in rotations(system) else v for k, v in at.items()}

    def rank(functions):
        rows = [[float(f.diff(v).xreplace(values(f.diff(v), at))) for v in variables] for f in functions]
        return np.linalg.matrix_rank(np.array(rows).reshape(len(rows), len(variables)), tol=1e-8)

    if known:
        assert rank([*known, *(i.expression for i in found.integrals)]) == rank(known)
    assert found.holonomic or found.integral_count < len(system.constraints) - len(positions)


def rotations(system):
    return {s.name for a in system.space.attitudes.values() for s in a.coordinates}


def values(expression, at):
    return {s: sp.Float(at[s.name]) for s in expression.free_symbols}
