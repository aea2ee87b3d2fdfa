"""free: no constraint is imposed."""

import numpy as np
import pytest

import dalembert as da


def test_no_multiplier_and_no_reaction(zoo, name):
    equations = zoo.equations(name, da.free)
    assert equations.constraints == equations.multipliers == equations.states_of_multipliers == ()
    rng = np.random.default_rng(70)
    found = equations.evaluate(equations.start(**equations.space.sample(rng)))
    assert found["multipliers"] == {}
    np.testing.assert_allclose(list(found["reactions"].values()), 0, atol=1e-11)


@pytest.mark.filterwarnings("ignore:W1:dalembert.DalembertWarning")
def test_accelerations_are_those_of_the_system_without_constraints(zoo, name):
    equations = zoo.equations(name, da.free)
    bare = da.nonholonomic(zoo[name].changed(constraints={}))
    point = equations.space.sample(np.random.default_rng(71))
    one, two = equations.evaluate(equations.start(**point)), bare.evaluate(bare.start(**point))
    assert one["accelerations"] == pytest.approx(two["accelerations"], abs=1e-13)


def test_starts_need_not_obey_the_constraints(zoo):
    start = zoo.equations("sleigh", da.free).start(x=0, y=0, theta=0.4, vx=0.0, vy=5.0, omega=0.0)
    path = da.simulate(zoo.equations("sleigh", da.free), start, until=2.0)
    assert path["y"][-1] == pytest.approx(10.0, abs=1e-12)
    assert path.ok


def test_free_fall(zoo):
    path = da.simulate(
        zoo.equations("pendulum", da.free), {"x": 1, "y": 2, "z": 3, "vx": 0.1, "vy": 0.2, "vz": 0.3}, until=2.0
    )
    assert path.at(2.0)["z"] == pytest.approx(3 + 0.3 * 2 - 3.0 * 2**2 / 2, abs=1e-12)
    assert path.names == ("x", "y", "z", "vx", "vy", "vz", "energy")


def test_free_body_keeps_its_momentum(zoo):
    given = zoo["suslov"]
    system = given.changed(lagrangian=given.lagrangian.subs(given.symbols["k"], 0), parameters={})
    equations = da.free(system)
    start = equations.start(R="identity", p=0.3, q=-0.2, r=1.0)
    path = da.simulate(equations, start, until=10.0)
    w = np.array([path[n] for n in "pqr"])
    inertia = np.array([[2, 0, 1 / 3], [0, 3, -1 / 2], [1 / 3, -1 / 2, 2]])
    size = np.linalg.norm(inertia @ w, axis=0)
    np.testing.assert_allclose(size, size[0], atol=1e-11)
    assert path.ok


def test_constraints_that_are_not_imposed_are_told_so():
    """A pendulum's rod is not kept by a free motion, which falls, and no note says that it is."""
    pendulum = da.System(
        da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2 - 9.81*y", {"rod": "x^2 + y^2 - 1"}, title="Pendulum"
    )
    free, held = da.free(pendulum), da.nonholonomic(pendulum)
    path = da.simulate(free, {"x": 0.6, "y": -0.8, "vx": 0, "vy": 0}, until=1.0)
    assert path["x"][-1] ** 2 + path["y"][-1] ** 2 > 2
    assert [n.code for n in free.notes] == ["N149"]
    assert [note.split()[0] for note in path.audit.notes] == ["N149"]
    assert "rod not imposed" in " ".join(str(free).split())
    assert [n.code for n in held.notes if n.code in ("N115", "N149")] == ["N115"]
    assert not da.free(pendulum.changed(constraints={})).notes
