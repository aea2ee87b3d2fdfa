"""Restriction to the allowed velocities: a smaller space whose free motion is the nonholonomic one."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.algebra import Symbolic
from dalembert.calculus.euler_lagrange import Motion

NAMES = ("sleigh", "penny", "disc", "loaded_ball", "suslov", "heisenberg", "vehicle", "particle", "veselova",
         "chaplygin ball", "routh sphere", "roller racer")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_free_motion_on_the_smaller_space_is_the_nonholonomic_motion(systems, states_of, accelerations, value, name):
    system, restricted = systems[name], da.symmetry.restrict(systems[name])
    small, equations = da.free(restricted.system), systems.equations(name)
    left = restricted.system.space.velocities
    assert not restricted.system.constraints
    assert len(left) == len(system.space.velocities) - len(system.constraints)
    q, rates = system.space.coordinates, system.space.rates
    for values in states_of(system, 3):
        # u = Z v
        Z = np.array([[value(e, values) for e in restricted.Z[a, :]] for a in range(restricted.Z.rows)], float)
        u = np.array([values[s.name] for s in system.space.velocities])
        v = np.linalg.lstsq(Z, u, rcond=None)[0]
        assert np.abs(Z @ v - u).max() < 1e-11 * (1 + np.abs(u).max())
        here = values | {s.name: float(x) for s, x in zip(left, v, strict=True)}
        assert [value(e, here) for e in restricted.velocities.values()] == pytest.approx(list(u), abs=1e-10)
        # du/dt = Z dv/dt + (dZ/dq qdot) v
        vdot, expected = accelerations(small, here), accelerations(equations, values)
        moved = [
            sum(value(e.diff(s), here) * value(rates[s], values) for s in q) for e in restricted.velocities.values()
        ]
        assert np.allclose(Z @ vdot + np.array(moved, float), expected, atol=1e-8 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("other", [False, True], ids=["its own L", "another L"])
@pytest.mark.parametrize("name", ["sleigh", "disc", "veselova", "chaplygin ball", "vehicle"])
def test_brackets_are_projected_the_same_whether_the_metric_is_inverted_or_not(systems, value, name, other):
    small = da.symmetry.restrict(systems[name]).system
    frame, v = small.space.frame, small.space.velocities
    L = small.lagrangian + (v[0] ** 2 * v[-1] / 3 + v[0] if other else 0)  # its p is not G v
    raised, lowered = (Motion(f, Symbolic()) for f in (replace(frame, projection=None), frame))
    p = [L.diff(s) for s in v]
    rng = np.random.default_rng(4)
    for a, b in zip(raised.curvatures(p), lowered.curvatures(p), strict=True):
        for _ in range(3):
            here = small.space.sample(rng, [*small.parameters]) | {"t": 0.3}
            assert value(b, here) == pytest.approx(value(a, here), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["sleigh", "penny", "veselova", "roller racer"])
def test_the_columns_are_allowed(systems, states_of, value, name):
    system, restricted = systems[name], da.symmetry.restrict(systems[name])
    for c in system.constraints:
        for values in states_of(system, 2):
            for e in sp.Matrix([c.normal]) * restricted.Z:
                assert abs(value(e, values)) < 1e-12


@pytest.mark.parametrize(
    ("name", "holds"), [("sleigh", False), ("heisenberg", False), ("suslov", False), ("top", True)]
)
def test_jacobi_fails_on_D_where_it_is_not_integrable(systems, name, holds):
    phase = da.symmetry.phase_space(da.symmetry.restrict(systems[name]).system)
    assert phase.poisson == holds


def test_an_integrable_constraint_leaves_a_poisson_space():
    # a particle on concentric circles: D is integrable
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2 - z, {"round": x * vx + y * vy + z * vz})
    assert da.symmetry.phase_space(da.symmetry.restrict(system).system).poisson


def test_parameters_that_go_with_the_constraint_are_left_out(systems):
    # I3 occurs with w3 = 0 only, and warnings are errors here
    system = da.symmetry.restrict(systems["suslov free"]).system
    assert "I3" not in system.parameters
    assert "I1" in system.parameters


def test_what_its_author_expects_to_be_conserved_goes_along():
    rows, momenta = {"blade": "vy - x*vx"}, {"scaled": "k*vx", "across": "vy"}
    system = da.System(da.coordinates("x y"), "(vx^2 + vy^2)/2", rows, parameters={"k": 2.0}, momenta=momenta)
    found = da.symmetry.restrict(system).system
    x, vx, k = found.space["x"], found.space["vx"], found.symbols["k"]
    assert found.momenta == {"scaled": k * vx, "across": x * vx} and found.parameters == {"k": 2.0}


REFUSED = {
    "affine": (lambda x, y, vx, vy: {"edge": vx - 3 + y * vy}, "edge is affine"),
    "nonlinear": (lambda x, y, vx, vy: {"speed": vx**2 + vy**2 - 1}, "speed is nonlinear"),
    "positions": (lambda x, y, vx, vy: {"circle": x**2 + y**2 - 1}, "circle is a relation between positions"),
    "time": (lambda x, y, vx, vy: {"turning": vx - sp.Symbol("t", real=True) * vy}, "turning depends on the time"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_refused(case):
    q = da.coordinates("x y")
    make, text = REFUSED[case]
    _x, _y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2, make(*q))
    with pytest.raises(da.DalembertError, match=f"E124 {text}"):
        da.symmetry.restrict(system)


def test_without_a_metric_there_is_no_projection():
    q = da.coordinates("x y")
    _x, y, vx, vy = q
    system = da.System(q, vx**4 + vy**4 + vx**2 + vy**2, {"edge": vx - y * vy})
    with pytest.raises(da.DalembertError, match="E124 L is not quadratic"):
        da.symmetry.restrict(system)


@pytest.mark.parametrize("symmetry", [["x", "y"], []])
def test_a_velocity_with_a_name_of_its_own_is_told(symmetry):
    """L on D is L with what is told in the place of the velocities; the system alone and its equations tell it."""
    q = da.coordinates("x y theta")
    L = "m/2*(dot(x)^2 + 2*dot(y)^2) + J/2*dot(theta)^2"
    blade = {"blade": "dot(y)*cos(theta) - dot(x)*sin(theta)"}
    skate = da.System(q, L, blade, parameters={"m": 1, "J": 1}, symmetry=symmetry)
    small = da.reduce(skate).system if symmetry else da.symmetry.restrict(skate).system
    assert set(small.renamed) == {"vx", "vy"}
    there = {skate.space.by_name[name]: e for name, e in small.renamed.items()}
    assert sp.simplify(skate.lagrangian.xreplace(there) - small.lagrangian) == 0
    told = ", ".join(f"{name} = {e}" for name, e in small.renamed.items())
    for shown in (small, small.changed(title="another"), da.nonholonomic(small)):
        assert told in " ".join(str(shown).split())
    assert not skate.renamed and "Velocities as" not in str(da.nonholonomic(skate))
