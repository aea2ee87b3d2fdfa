"""Symmetries that hold at some values of the parameters only: reduced there, and refused elsewhere."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.geometry.parameter_conditions import specialised

K, M = sp.symbols("k m", real=True)


def slope(**known):
    """A potential that shifts along x leave alone where k = 0 only."""
    q = da.coordinates("x y")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 - K * q["x"] - M * q["y"] ** 2 / 2
    return da.System(q, L, parameters={"k": 0.0, "m": 1.0, **known}, symmetry="x")


def plane(L, symmetry, parameters, constraints=None, forces=None):
    q = da.coordinates("x y")
    return da.System(q, L(*q), constraints and constraints(*q), forces and forces(*q), parameters, symmetry=symmetry)


def kinetic(vx, vy):
    return (vx**2 + vy**2) / 2


TURN = {"turn": {"x": -sp.Symbol("y"), "y": sp.Symbol("x")}}
# what is given, and which parameters hold the symmetry
CASES = {
    "none": (lambda x, y, vx, vy: kinetic(vx, vy) - K * y**2, "x", {"k": 2.0}, {}),
    "one": (lambda x, y, vx, vy: kinetic(vx, vy) - K * x - M * y**2, "x", {"k": 0.0, "m": 3.0}, {"k": 0.0}),
    "two that agree": (
        lambda x, y, vx, vy: kinetic(vx, vy) - K * x**2 / 2 - M * y**2 / 2,
        TURN,
        {"k": 2.5, "m": 2.5},
        {"k": 2.5, "m": 2.5},
    ),
    # either alone may be anything while the other is 0: one of them stays a parameter
    "a product": (lambda x, y, vx, vy: kinetic(vx, vy) - K * M * x, "x", {"k": 0.0, "m": 0.0}, {"m": 0.0}),
    # [along, y] = k z: the group itself is another one
    "the bracket": (
        lambda x, y, z, vx, vy, vz: (vx**2 + vy**2 + (vz - K * x * vy) ** 2) / 2,
        [{"along": {"x": 1, "z": K * sp.Symbol("y")}}, "y z"],
        {"k": 1.0},
        {"k": 1.0},
    ),
    "no value given": (lambda x, y, vx, vy: kinetic(vx, vy) - K * y, "x", {"k": None}, {}),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_which_parameters_are_fixed(name):
    L, symmetry, parameters, expected = CASES[name]
    q = da.coordinates("x y z" if name == "the bracket" else "x y")
    system = da.System(q, L(*q), parameters=parameters, symmetry=symmetry)
    found = specialised(system, system.symmetry)
    assert found.fixed == expected
    assert not set(found.system.symbols) & set(expected)


def test_constraints_and_forces_count_too():
    edge = {"edge": lambda x, y, vx, vy: {"edge": vx - K * x * vy}}
    push = {"push": lambda x, y, vx, vy: {vx: -K * x}}
    for more in (dict(constraints=edge["edge"]), dict(forces=push["push"])):
        system = plane(lambda x, y, vx, vy: kinetic(vx, vy), "x", {"k": 0.0}, **more)
        assert specialised(system, system.symmetry).fixed == {"k": 0.0}


def test_a_space_whose_frame_holds_the_parameter():
    q = da.coordinates("x y")
    x, y = q.coordinates
    s = da.Space("x y", "u w", [[1, 0], [K * x, 1]], {})
    system = da.System(s, sum(v**2 for v in s.velocities) / 2 - sp.cos(y), parameters={"k": 0.0}, symmetry="x")
    assert da.symmetry.quotient(system).fixed == {"k": 0.0}


@pytest.mark.parametrize("door", [da.reduce, da.symmetry.quotient])
def test_the_reduced_system_does_not_know_them(door):
    found = door(slope())
    assert found.fixed == {"k": 0.0}
    assert "holds only at k = 0" in str(found)
    assert set(found.system.parameters) == {"m"}
    assert found.given.parameters == {"k": 0.0, "m": 1.0}
    equations = da.free(found.system)
    state = {n: 0.5 for n in equations.states}
    with pytest.raises(da.DalembertError, match="E202 unknown parameter 'k'"):
        equations.start(**state, parameters={"k": 0.5})
    assert "holds only" not in str(
        door(slope().changed(lagrangian=slope().lagrangian.xreplace({K: 0}), parameters=None))
    )


def test_a_start_or_path_with_other_values_is_refused():
    system = slope()
    reduction, full = da.reduce(system), da.free(system)
    start = full.start(x=0, y=0.3, vx=1, vy=1)
    other = full.start(x=0, y=0.3, vx=1, vy=1, parameters={"k": 0.5})
    path = da.simulate(da.free(reduction.system), da.reduced_start(reduction, start), until=1.0)
    for call in (lambda: da.reduced_start(reduction, other), lambda: da.reconstruct(reduction, path, other)):
        with pytest.raises(da.DalembertError, match=r"E124 the symmetry holds only at k = 0, the start has k = 0\.5"):
            call()


def test_at_these_values_the_reduced_motion_is_the_full_one():
    system = slope(k=0.0, m=1.7)
    reduction, full = da.reduce(system), da.free(system)
    start = full.start(x=0.2, y=0.3, vx=1, vy=1, parameters={"m": 2.0})  # the other may still be changed
    small = da.free(reduction.system)
    path = da.simulate(small, da.reduced_start(reduction, start), until=3.0, parameters={"m": 2.0}, rtol=1e-12)
    found, expected = da.reconstruct(reduction, path, start), da.simulate(full, start, until=3.0, rtol=1e-12)
    t = np.linspace(0, 3, 11)
    for n in ("x", "y", "vx", "vy"):
        assert found.at(t)[n] == pytest.approx(expected.at(t)[n], abs=1e-9)


def test_a_frame_that_the_group_leaves_alone_at_one_value_only_is_carried_along():
    # a symmetry for all k; the direction (1 + k x) d_y is left alone by shifts along x where k = 0 only
    x, y = sp.symbols("x y", real=True)
    space = da.Space("x y", "u w", [[1, 0], [0, 1 + K * x]])
    u, w = space.velocities
    L = (u**2 + ((1 + K * x) * w) ** 2) / 2 - sp.cos(y)
    system = da.System(space, L, parameters={"k": 0.0}, symmetry="x")
    reduction, full = da.reduce(system), da.free(system)
    assert not reduction.fixed
    start = full.start(x=0.4, y=1.0, u=0.5, w=-0.2, parameters={"k": 0.3})
    path = da.simulate(da.free(reduction.system), da.reduced_start(reduction, start), until=2.0, rtol=1e-12)
    found, expected = da.reconstruct(reduction, path, start), da.simulate(full, start, until=2.0, rtol=1e-12)
    for n in ("x", "y", "u", "w"):
        assert found.at(1.7)[n] == pytest.approx(expected.at(1.7)[n], abs=1e-9)


@pytest.mark.filterwarnings("ignore:W119")
def test_a_parameter_of_the_generator_alone():
    # the screw of pitch 2 leaves z - 2 theta alone, that of another pitch does not
    q = da.coordinates("z theta")
    L = kinetic(q["vz"], q["vtheta"]) - (q["z"] - 2 * q["theta"]) ** 2
    system = da.System(q, L, parameters={"k": 2.0})
    generators = da.System(q, L, parameters={"k": 2.0}, symmetry={"screw": {"z": K, "theta": 1}}).symmetry
    assert specialised(system, generators).fixed == {"k": 2.0}


def test_what_is_no_symmetry_at_the_given_values_is_refused_as_before():
    with pytest.raises(da.DalembertError, match="E122 generator x changes L"):
        da.reduce(slope(k=0.5))


def test_a_parameter_at_the_edge_of_its_domain():
    # sqrt(1 - k) allows no larger k: the symmetry holds at smaller ones
    system = plane(lambda x, y, vx, vy: kinetic(vx, vy) - sp.sqrt(1 - K) * y, "x", {"k": 1.0})
    assert specialised(system, system.symmetry).fixed == {}


def test_splitting_takes_the_numbers_too():
    q = da.coordinates("x y z")
    _x, y, z, vx, vy, vz = q
    L = (vx**2 + vy**2 + vz**2) / 2 - K * z
    system = da.System(q, L, {"roll": vz - y * vx}, parameters={"k": 0.0}, symmetry="x z")
    split = da.symmetry.splitting(system)
    assert split.quotient.fixed == {"k": 0.0}
    assert "holds only at k = 0" in str(split)
    assert K not in split.system.lagrangian.free_symbols
