"""Dry friction in several joints: one set of equations for all modes moves as the equations of each mode do."""

import numpy as np
import pytest

import dalembert as da
from dalembert.principles import switched_friction

SEEN = 21


def train(sizes=(0.8, 1.6, 1.2), at_rest=None, springs="k*(x1 - x0)^2/2 + k*(x2 - x1)^2/2 + k*x0^2/2", **more):
    """Masses one behind the other on springs, each with dry friction."""
    names = [f"x{i}" for i in range(len(sizes))]
    L = " + ".join(f"m*(1 + x0^2/4)*dot({x})^2/2" for x in names) + f" - ({springs})"
    values = {"m": 1.0, "k": 9.0, **more.pop("parameters", {})}
    forces = [da.forces.dry(x, F, at_rest=at_rest) for x, F in zip(names, sizes, strict=True)]
    return da.System(da.coordinates(" ".join(names)), L, forces=forces, parameters=values, **more)


START = {"x0": 0.6, "x1": 0.1, "x2": -0.4, "vx0": 0, "vx1": 0.5, "vx2": 0}


@pytest.fixture
def each_mode(monkeypatch):
    """The equations of a system whose modes have each their own."""

    def made(system):
        with monkeypatch.context() as patch:
            patch.setattr(switched_friction, "FEW", 1000)
            equations = da.nonholonomic(system)
            assert equations.contacts.all_modes is None
        return equations

    return made


def same(ours, theirs, until, tolerance=1e-8):
    """Both go through the same modes at the same times, along the same path, with the same forces."""
    assert [change[1:] for change in ours.modes] == [change[1:] for change in theirs.modes]
    assert [t for t, *_ in ours.modes] == pytest.approx([t for t, *_ in theirs.modes], abs=tolerance)
    times = np.array([t for t in np.linspace(0, until, SEEN) if all(abs(t - at) > 1e-6 for at, *_ in ours.modes)])
    assert ours.names == theirs.names
    np.testing.assert_allclose(ours.dense(times), theirs.dense(times), rtol=0, atol=tolerance)


@pytest.mark.parametrize("at_rest", [None, 2.0])
def test_one_set_of_equations_moves_as_that_of_each_mode(each_mode, at_rest):
    system, found = train(at_rest=at_rest), []
    for equations in (da.nonholonomic(system), each_mode(system)):
        path = da.simulate(equations, START, until=3, rtol=1e-10)
        assert path.audit.verdict == "ok", path.audit.reasons
        found.append(path)
    assert {word for _, _, word in found[0].modes} == {"sticks", "slides"}
    same(*found, until=3)


def test_modes_are_not_compiled_one_by_one():
    equations = da.nonholonomic(train())
    da.simulate(equations, START, until=3)
    known = equations.contacts.run
    assert len(known) > 4
    assert len({id(mode.equations) for mode in known.values()}) == 1
    assert not equations.contacts.known


def test_what_sticks_is_held_by_what_pushes_it_and_does_not_move():
    """Three masses on springs that rest: friction is the springs' force."""
    system = train(springs="k*x0^2/2 + k*x1^2/2 + k*x2^2/2", sizes=(9, 9, 9))
    path = da.simulate(
        da.nonholonomic(system), {"x0": 0.3, "x1": -0.2, "x2": 0.1, "vx0": 0, "vx1": 0, "vx2": 0}, until=2
    )
    assert [path[f"x{i}"][-1] for i in range(3)] == [0.3, -0.2, 0.1]
    assert [path[f"dry_x{i}_friction"][-1] for i in range(3)] == pytest.approx([2.7, -1.8, 0.9], rel=1e-12)


def test_what_slides_freely_stops_where_friction_has_taken_its_energy():
    rough = [da.forces.dry(f"x{i}", 0.5) for i in range(3)]
    system = da.System(da.coordinates("x0 x1 x2"), "(dot(x0)^2 + dot(x1)^2 + dot(x2)^2)/2", forces=rough)
    path = da.simulate(da.nonholonomic(system), {"x0": 0, "x1": 0, "x2": 0, "vx0": 1, "vx1": -2, "vx2": 0.5}, until=9)
    # v^2/(2 F)
    assert [path[f"x{i}"][-1] for i in range(3)] == pytest.approx([1.0, -4.0, 0.25], rel=1e-9)
    assert path["energy"][-1] == pytest.approx(0, abs=1e-12)


def test_inputs_may_press(each_mode):
    system, found = train(sizes=("F", "F", "F"), inputs="F"), []
    for equations in (da.nonholonomic(system), each_mode(system)):
        found.append(da.simulate(equations, START, until=2, inputs={"F": "0.5 + 0.3*sin(3*t)"}, rtol=1e-10))
    same(*found, until=2)
    jumps = {"F": ([0, 0.5, 1, 2], [0.4, 2.0, 0.2, 0.2])}
    pair = da.nonholonomic(system), each_mode(system)
    same(*(da.simulate(e, START, until=2, inputs=jumps, rtol=1e-10) for e in pair), until=2)


def test_what_a_constraint_holds_too_has_equations_of_each_mode():
    system = train(constraints={"led": "dot(x2) - dot(x1)"})
    assert da.nonholonomic(system).contacts.all_modes is None


def test_a_load_that_falls_below_zero_ends_the_run():
    path = da.simulate(da.nonholonomic(train(sizes=("1 - t", 0.5, 0.5))), START, until=2)
    assert path.ending.code == "E410" and path.t[-1] == pytest.approx(1, abs=1e-9)


def test_derivatives_go_through_rest_and_reversals(each_mode):
    system, found = train(), []
    for equations in (da.nonholonomic(system), each_mode(system)):
        found.append(da.sensitivities(equations, START, until=2.0))
    np.testing.assert_allclose(found[0].values[-1], found[1].values[-1], rtol=0, atol=1e-5)
    h, at = 1e-5, found[0].by.index("k")
    ends = [da.simulate(da.nonholonomic(system), START, until=2.0, parameters={"k": 9 + s * h}) for s in (1, -1)]
    slopes = [(ends[0][name][-1] - ends[1][name][-1]) / (2 * h) for name in ("x0", "x1", "x2")]
    assert found[0].values[-1][:3, at] == pytest.approx(slopes, rel=1e-4, abs=1e-5)
