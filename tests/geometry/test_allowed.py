"""(D, gamma) of constraints, their brackets, and E[phi]: what vakonomic multipliers bring in beside their rates."""

from itertools import islice

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import ball_on_turntable, heisenberg, penny, suslov
from dalembert.systems import disguised_holonomic as disguised

SYSTEMS = {
    "ball": ball_on_turntable.system(),
    "penny": penny.system(),
    "Heisenberg": heisenberg.system(),
    "Suslov": suslov.system(),
    **{name: disguised.system(name) for name in ("pencil", "difference", "decay", "rod", "slope", "heading")},
}


def states(system, count=3):
    """Random states on the constraints, by symbol."""
    symbols = {s.name: s for s in (*system.space, *system.symbols.values(), sp.Symbol("t", real=True))}
    for values in islice(da.symmetry.distributions(system).states(count), count):
        yield {symbols[n]: v for n, v in values.items() if n in symbols}


def number(e, at):
    return float(sp.sympify(e).xreplace(at))


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_allowed_velocity_is_gamma_and_a_combination_of_the_fields(name):
    system, found = SYSTEMS[name], da.symmetry.allowed(SYSTEMS[name])
    for at in states(system):
        for u in system.space.velocities:
            # u = gamma + v^i X_i, v^i being the fields' own velocities
            along = sum(number(X[u.name], at) * at[system.space[i]] for i, X in found.fields.items())
            assert number(found.drift[u.name], at) + along == pytest.approx(at[u], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", SYSTEMS)
def test_on_d_the_term_of_the_multipliers_is_made_of_brackets(name):
    """E[phi^s](X_j) = -w^s([Gamma, X_j]) - v^i w^s([X_i, X_j]) at allowed velocities."""
    system, found = SYSTEMS[name], da.symmetry.allowed(SYSTEMS[name])
    for at in states(system):
        for j, X in found.fields.items():
            for c in system.constraints:
                left = sum(number(e, at) * number(X[n], at) for n, e in found.variation[c.name].items())
                right = -number(found.drift_curvature[j][c.name], at)
                for (a, b), row in found.curvature.items():
                    if j in (a, b):
                        other, sign = (a, 1) if j == b else (b, -1)
                        right -= sign * number(row[c.name], at) * at[system.space[other]]
                assert left == pytest.approx(right, rel=1e-9, abs=1e-9)


AGREE = {
    **dict.fromkeys(("ball", "penny", "Heisenberg", "Suslov", "difference", "slope"), False),
    **dict.fromkeys(("pencil", "decay", "rod", "heading"), True),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_any_multiplier_gives_the_nonholonomic_accelerations_exactly_where_it_says_so(name):
    """Decided again by what both principles say at random states, with random multipliers."""
    system, found = SYSTEMS[name], da.symmetry.allowed(SYSTEMS[name])
    assert found.any_multiplier == AGREE[name]
    one, other = da.nonholonomic(system), da.vakonomic(system)
    rng, gaps = np.random.default_rng(2), []
    for at in states(system, 5):
        values = {s.name: v for s, v in at.items()}
        lam = {f"lam_{c.name}": float(rng.normal()) for c in system.constraints}
        udots = [e.accelerations({**values, **lam})[0] for e in (one, other)]
        gaps.append(float(np.abs(udots[0] - udots[1]).max()))
    assert (max(gaps) < 1e-8) == AGREE[name]


def test_facts_of_the_paper_ball_and_of_drifts():
    ball = da.symmetry.allowed(SYSTEMS["ball"])
    assert not ball.integrable and not ball.carried
    slope, decay = (da.symmetry.allowed(SYSTEMS[n]) for n in ("slope", "decay"))
    # both D are integrable and both drifts lie outside: only one carries D along
    assert slope.integrable and decay.integrable and not slope.carried and decay.carried


def test_it_is_the_inverse_of_affine():
    system = SYSTEMS["ball"]
    found = da.symmetry.allowed(system)
    rows = da.symmetry.affine(system.space, found.fields, found.drift, parameters=[*system.parameters])
    again = da.symmetry.allowed(system.changed(constraints=rows))
    for at in states(system):
        one, other = ([[number(e, at) for e in X.values()] for X in each.fields.values()] for each in (found, again))
        assert np.linalg.matrix_rank([*one, *other], tol=1e-9) == len(one)


def test_it_says_what_it_is():
    assert "da.coincide(system)" in str(da.symmetry.allowed(SYSTEMS["ball"]))
    assert "with any multipliers" in str(da.symmetry.allowed(SYSTEMS["pencil"]))


def test_what_has_no_drift_and_distribution_is_refused():
    q = da.coordinates("x y")
    fast = da.System(q, "dot(x)^2 + dot(y)^2", {"fast": "dot(x)^2 - dot(y)^2"})
    for system in (fast, fast.changed(constraints={}), fast.changed(constraints={"x": "dot(x)", "y": "dot(y)"})):
        with pytest.raises(da.DalembertError, match=r"E124|E114"):
            da.symmetry.allowed(system)
