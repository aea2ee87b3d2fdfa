"""What the geometry refuses before it begins: wrong things, symbols that nobody declared, systems that cannot move."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import chaplygin_sleigh

X, VX = sp.symbols("x vx", real=True)


def free(names="x y", **more):
    q = da.coordinates(names)
    return da.System(q, sum(v**2 for v in q.velocities) / 2, **more)


def still():
    """As many constraints as velocities."""
    q = da.coordinates("x")
    return da.System(q, q["vx"] ** 2 / 2, {"stop": q["vx"]})


DOORS = {
    "reduce": da.reduce,
    "quotient": da.symmetry.quotient,
    "splitting": da.symmetry.splitting,
    "restrict": da.symmetry.restrict,
    "phase_space": da.symmetry.phase_space,
}


@pytest.mark.parametrize("door", sorted(DOORS))
@pytest.mark.parametrize("given", [None, "sleigh", 3, {}, free], ids=["None", "text", "number", "mapping", "function"])
def test_what_is_no_system_is_refused(door, given):
    with pytest.raises(da.DalembertError, match=f"E101 {door} needs a System, not {type(given).__name__}"):
        DOORS[door](given)


@pytest.mark.parametrize("door", sorted(DOORS))
def test_equations_are_no_system(door):
    with pytest.raises(da.DalembertError, match=r"E101 .* not Equations"):
        DOORS[door](da.free(free()))


@pytest.mark.parametrize("door", ["reduce", "quotient", "splitting"])
@pytest.mark.parametrize("symmetry", [None, "", [], {}], ids=str)
def test_nothing_that_acts_is_refused(door, symmetry):
    with pytest.raises(da.DalembertError, match="E125 the system declares no symmetry") as refused:
        DOORS[door](free(), symmetry)
    assert "da.symmetries(system)" in refused.value.remedy


def test_the_system_of_a_reduction_is_named_where_the_reduction_is_given():
    for given in (da.reduce(free(), "x"), da.free(free())):
        with pytest.raises(TypeError, match="E101 a principle needs a System") as refused:
            da.nonholonomic(given)
        assert "da.nonholonomic(reduction.system)" in refused.value.remedy


@pytest.mark.parametrize("door", [da.symmetry.restrict, da.symmetry.phase_space, lambda s: da.reduce(s, "x")])
def test_constraints_that_leave_no_velocity_are_refused(door):
    with pytest.raises(da.DalembertError, match="E114 1 independent constraints on 1 velocities: no motion is left"):
        door(still())


@pytest.mark.parametrize("door", [da.reduce, da.symmetry.quotient, da.symmetry.noether, da.symmetry.splitting])
def test_a_symbol_that_nobody_declared_is_refused_in_a_generator(door):
    screw = {"screw": {"z": sp.Symbol("ptich"), "theta": 1}}
    named = free("z theta", symmetry=screw)
    with pytest.raises(da.DalembertError, match="E104 generator screw: ptich is no coordinate and no parameter"):
        door(named)
    with pytest.raises(da.DalembertError, match="E104"):
        door(free("z theta"), screw)


def test_a_misspelt_parameter_is_told():
    q = da.coordinates("z theta")
    pitch = sp.Symbol("pitch", positive=True)
    L = (q["vz"] ** 2 + q["vtheta"] ** 2) / 2 - (q["z"] - pitch * q["theta"]) ** 2
    system = da.System(q, L, parameters={"pitch": 2.0})
    with pytest.raises(da.DalembertError, match=r"(?s)E104 .* ptich .* did you mean pitch\?"):
        da.symmetry.noether(system, {"screw": {"z": sp.Symbol("ptich"), "theta": 1}})
    assert da.symmetry.noether(system, {"screw": {"z": pitch, "theta": 1}})["screw"].conserved


@pytest.mark.filterwarnings("ignore:W119")
def test_a_parameter_may_be_declared_for_a_generator_alone():
    screw = {"screw": {"z": sp.Symbol("pitch"), "theta": 1}}
    assert da.symmetry.noether(free("z theta", parameters={"pitch": 2.0}), screw)["screw"].conserved
    assert da.symmetry.noether(free("z theta", parameters={"pitch": None}, symmetry=screw))["screw"].conserved
    with pytest.raises(da.DalembertError, match=r"E201 no value for pitch \(used in generator screw\)"):
        da.symmetry.noether(free("z theta", parameters={"pitch": None}), screw)


def test_generators_of_another_space_are_refused():
    other = free("a b", symmetry="a").symmetry
    with pytest.raises(da.DalembertError, match="E125 generator a has 2 components, the space 3 velocities"):
        da.reduce(chaplygin_sleigh.system(), other)
    stretched = free("a b", symmetry={"stretch": {"a": sp.Symbol("a"), "b": sp.Symbol("b")}}).symmetry
    with pytest.raises(da.DalembertError, match="E104 generator stretch: a is no coordinate"):
        da.symmetry.noether(free("x y"), stretched)


def test_what_moves_is_named_where_too_few_shapes_are_found():
    # turns about the vertical and about an axis of the body that is none of its coordinate axes: no lean is told
    s, skew = da.rotation("R", frame="body"), (0, sp.Rational(3, 5), sp.Rational(4, 5))
    L = sum(w**2 for w in s.velocities) / 2
    system = da.System(s, L, symmetry=[da.symmetry.rotations("R", axis=3), da.symmetry.spin("R", skew)])
    with pytest.raises(da.DalembertError, match=r"(?s)E124 a space of 3 dimensions .*moved now: R"):
        da.reduce(system)


def test_arrays_and_lists_are_axes_alike():
    s = da.rotation("R", frame="body")
    L = sum(w**2 for w in s.velocities) / 2
    made = [
        da.System(s, L, symmetry=da.symmetry.spin("R", axis)).symmetry[0].components
        for axis in ((0, 0, 1), [0, 0, 1], np.array([0, 0, 1]), np.array([0.0, 0.0, 1.0]), sp.Matrix([0, 0, 1]))
    ]
    assert all([float(e) for e in components] == [0, 0, 1] for components in made)
