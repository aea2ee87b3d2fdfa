"""Restriction to the allowed velocities: a smaller space whose free motion is the nonholonomic one."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

NAMES = ("sleigh", "penny", "disc", "loaded_ball", "suslov", "heisenberg", "vehicle", "particle", "veselova",
         "chaplygin ball", "routh sphere", "roller racer")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_free_motion_on_the_smaller_space_is_the_nonholonomic_motion(systems, states_of, accelerations, value, name):
    system, restricted = systems[name], da.restrict(systems[name])
    small, equations = da.free(restricted.system), systems.equations(name)
    left = restricted.system.space.velocities
    assert not restricted.system.constraints
    assert len(left) == len(system.space.velocities) - len(system.constraints)
    kept = [system.space.velocities.index(sp.Symbol(v.name, real=True)) for v in left]
    for values in states_of(system, 3):
        expected = accelerations(equations, values)
        assert np.allclose(accelerations(small, values), expected[kept], atol=1e-8 * (1 + np.abs(expected).max()))
        # u = Z v gives back all velocities
        for v, e in restricted.velocities.items():
            assert value(e, values) == pytest.approx(values[v], abs=1e-9 * (1 + abs(values[v])))


@pytest.mark.parametrize("name", ["sleigh", "penny", "veselova", "roller racer"])
def test_the_columns_are_allowed(systems, states_of, value, name):
    system, restricted = systems[name], da.restrict(systems[name])
    for c in system.constraints:
        for values in states_of(system, 2):
            for e in sp.Matrix([c.normal]) * restricted.Z:
                assert abs(value(e, values)) < 1e-12


@pytest.mark.parametrize(
    ("name", "holds"), [("sleigh", False), ("heisenberg", False), ("suslov", False), ("top", True)]
)
def test_jacobi_fails_on_D_where_it_is_not_integrable(systems, name, holds):
    phase = da.phase_space(da.restrict(systems[name]).system)
    assert phase.poisson == holds


def test_an_integrable_constraint_leaves_a_poisson_space():
    # a particle on concentric circles: D is integrable
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2 - z, {"round": x * vx + y * vy + z * vz})
    assert da.phase_space(da.restrict(system).system).poisson


def test_parameters_that_go_with_the_constraint_are_left_out(systems):
    # I3 occurs with w3 = 0 only, and warnings are errors here
    system = da.restrict(systems["suslov free"]).system
    assert "I3" not in system.parameters
    assert "I1" in system.parameters


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
        da.restrict(system)


def test_without_a_metric_there_is_no_projection():
    q = da.coordinates("x y")
    _x, y, vx, vy = q
    system = da.System(q, vx**4 + vy**4 + vx**2 + vy**2, {"edge": vx - y * vy})
    with pytest.raises(da.DalembertError, match="E124 L is not quadratic"):
        da.restrict(system)
