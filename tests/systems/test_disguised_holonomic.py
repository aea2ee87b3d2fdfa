"""Disguised holonomic constraints: Frobenius decides, row by row and together."""

import itertools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import disguised_holonomic as disguised

T = sp.Symbol("t", real=True)
# rows that are integrable by themselves, with the time as a coordinate
ALONE = {
    "wheel": {"roll"},
    "nested": {"roll"},
    "pencil": {"ray"},
    "sphere": {"tangent"},
    "heading": {"held"},
    "pair": set(),
    "difference": set(),
    "lift": {"lift"},
    "decay": {"decay"},
    "rod": {"rod"},
    "slope": set(),
}


def forms(system):
    """The rows as 1-forms on (q, t), at a random point: coefficients and their derivatives d_i w_j - d_j w_i."""
    space = system.space
    q = [*space.coordinates, T]
    values = {**system.values(), **space.sample(np.random.default_rng(5)), "t": 0.7}

    def at(e):
        return float(sp.sympify(e).subs({s: values[s.name] for s in e.free_symbols})) if e.free_symbols else float(e)

    for c in system.constraints:
        row = [*c.normal, c.drift]
        d = [[row[j].diff(q[i]) - row[i].diff(q[j]) for j in range(len(q))] for i in range(len(q))]
        yield c.name, np.array([at(e) for e in row]), np.array([[at(e) for e in r] for r in d])


def integrable(rows):
    """Frobenius: every dw vanishes on pairs of vectors that all forms annihilate."""
    A = np.array([w for w, _ in rows])
    kernel = np.linalg.svd(A)[2][len(A) :]
    return all(np.abs(kernel @ d @ kernel.T).max() < 1e-9 for _, d in rows)


@pytest.mark.parametrize("name", disguised.EXAMPLES)
def test_rows_by_themselves(name):
    alone = {label for label, w, d in forms(disguised.system(name)) if integrable([(w, d)])}
    assert alone == ALONE[name]


@pytest.mark.parametrize("name", disguised.EXAMPLES)
def test_all_rows_together(name):
    rows = [(w, d) for _, w, d in forms(disguised.system(name))]
    facts = disguised.EXAMPLES[name].facts
    assert integrable(rows) == (facts.coincide == "always")
    # integrable: as many integrals as rows
    assert (len(facts.integrals) == len(rows)) == integrable(rows)


def test_along_and_across_are_integrable_only_where_the_heading_is_held():
    rows = {label: (w, d) for label, w, d in forms(disguised.system("heading"))}
    for pair in itertools.combinations(rows, 2):
        assert integrable([rows[n] for n in pair]) == ("held" in pair)


@pytest.mark.parametrize("name", disguised.EXAMPLES)
def test_integrals_are_independent(name):
    system, facts = disguised.system(name), disguised.EXAMPLES[name].facts
    point = system.space.sample(np.random.default_rng(1)) | system.values() | {"t": 0.3}
    if not facts.integrals:
        return
    slopes = [
        [float(f.diff(q).subs({s: point[s.name] for s in f.diff(q).free_symbols})) for q in system.space.coordinates]
        for f in facts.integrals.values()
    ]
    assert np.linalg.matrix_rank(slopes) == len(slopes)


@pytest.mark.parametrize("name", [n for n, e in disguised.EXAMPLES.items() if e.facts.coincide == "always"])
def test_integrable_and_given_on_positions_are_one_motion(name):
    # the same system with f - f(0) in place of the rows; a symmetry of these may go from leaf to leaf
    system, e = disguised.system(name), disguised.EXAMPLES[name]
    label, given = next(iter(e.starts.items()))
    equations = da.nonholonomic(system)
    start = equations.start(**given)
    values = {**start.parameters, **start.state, "t": 0.0}
    rows = {k: f - float(f.subs({s: values[s.name] for s in f.free_symbols})) for k, f in e.facts.integrals.items()}
    holonomic = da.nonholonomic(system.changed(constraints=rows, symmetry=()))
    path = da.simulate(equations, start, until=2.0, rtol=1e-11, atol=1e-13)
    other = da.simulate(holonomic, holonomic.start(**start.state), until=2.0, rtol=1e-11, atol=1e-13)
    ends = [[p[n][-1] for n in equations.states] for p in (path, other)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-8), label


@pytest.mark.parametrize("name", ["wheel", "nested", "pencil", "pair", "lift", "decay", "rod", "slope"])
def test_as_many_symmetries_are_declared_as_there_are(name):
    system = disguised.system(name)
    assert len(da.symmetries(system)) == len(system.symmetry)


def test_parameters_may_be_given():
    assert disguised.system("wheel", r=0.7).values()["r"] == 0.7
    with pytest.raises(KeyError):
        disguised.system("wheels")
