"""The motion does not depend on how the constraints and the Lagrangian are written; the multipliers follow by rule."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

ATOL = 1e-10


def accelerations(found):
    return np.array(list(found["accelerations"].values()))


def rewritten(zoo, name, constraints, principle=da.nonholonomic):
    return principle(zoo[name].changed(constraints=constraints))


def state_only(start, equations):
    names = [s.name for s in (*equations.space.coordinates, *equations.space.velocities)]
    return {n: start[n] for n in names}, start.t


def factor(system):
    """A function of the coordinates that is never 0, the value of it, and its name."""
    q = system.space.coordinates
    return 2 + sp.sin(q[0] + 2 * q[-1]) + q[0] ** 2


def constrained(zoo, name, *, positions=False):
    found = zoo[name].constraints
    if not found or (not positions and any(c.holonomic for c in found)):
        pytest.skip("no constraint on velocities")
    return found


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic], ids=lambda p: p.__name__)
def test_scaling(zoo, states, values_of, name, principle):
    # phi -> c(q) phi, lam -> lam/c
    rows = constrained(zoo, name)
    equations = zoo.equations(name, principle)
    c = factor(zoo[name])
    other = rewritten(zoo, name, {r.name: c * r.given for r in rows}, principle)
    for start in states(zoo.equations(name), 3, seed=40):
        values = values_of(start)
        scale = float(c.subs({s: values[s.name] for s in c.free_symbols}))
        given, t = state_only(start, equations)
        lam = {s.name: 0.3 + i for i, s in enumerate(equations.states_of_multipliers)}
        first = equations.evaluate(equations.start(**given, **lam, t=t))
        second = other.evaluate(other.start(**given, **{k: v / scale for k, v in lam.items()}, t=t))
        size = 1 + np.abs(accelerations(first)).max()
        np.testing.assert_allclose(accelerations(second), accelerations(first), atol=ATOL * size)
        for s in first["multipliers"]:
            assert second["multipliers"][s] * scale == pytest.approx(first["multipliers"][s], abs=ATOL * size)


def test_permutation(zoo, states, name):
    rows = constrained(zoo, name, positions=True)
    equations = zoo.equations(name)
    other = rewritten(zoo, name, {r.name: r.given for r in reversed(rows)})
    for start in states(equations, 3, seed=41):
        given, t = state_only(start, equations)
        first, second = equations.evaluate(start), other.evaluate(other.start(**given, t=t))
        assert second["accelerations"] == pytest.approx(first["accelerations"], abs=ATOL)
        assert second["multipliers"] == pytest.approx(first["multipliers"], abs=ATOL)


@pytest.mark.parametrize("name", ["penny", "disc", "ball", "loaded_ball", "vehicle"])
@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic], ids=lambda p: p.__name__)
def test_recombination(zoo, states, name, principle):
    # phi' = A phi, lam' = A^-T lam
    rng = np.random.default_rng(42)
    rows = zoo[name].constraints
    A = rng.normal(size=(len(rows), len(rows))) + 2 * np.eye(len(rows))
    equations = zoo.equations(name, principle)
    mixed = {
        r.name: sum((a * s.given for a, s in zip(weights, rows, strict=True)), sp.S.Zero)
        for r, weights in zip(rows, A, strict=True)
    }
    other = rewritten(zoo, name, mixed, principle)
    for start in states(zoo.equations(name), 3, seed=43):
        given, t = state_only(start, equations)
        lam = {s.name: 0.3 + i for i, s in enumerate(equations.states_of_multipliers)}
        turned = np.linalg.solve(A.T, list(lam.values())) if lam else []
        first = equations.evaluate(equations.start(**given, **lam, t=t))
        second = other.evaluate(other.start(**given, **dict(zip(lam, turned, strict=True)), t=t))
        size = 1 + np.abs(accelerations(first)).max()
        np.testing.assert_allclose(accelerations(second), accelerations(first), atol=ATOL * size)
        expected = np.linalg.solve(A.T, list(first["multipliers"].values()))
        np.testing.assert_allclose(list(second["multipliers"].values()), expected, atol=ATOL * size)


@pytest.mark.parametrize("name", ["sleigh", "penny", "disc", "ball", "heisenberg", "driven", "gyroscope"])
def test_dependent_row(zoo, states, name):
    # one row more that says nothing new: the same motion, multipliers of least norm
    rows = zoo[name].constraints
    weights = [0.7, -1.3][: len(rows)]
    extra = sum((w * r.given for w, r in zip(weights, rows, strict=True)), sp.S.Zero)
    with pytest.warns(da.DalembertWarning, match="^W113 "):
        other = rewritten(zoo, name, {**{r.name: r.given for r in rows}, "again": extra})
    equations = zoo.equations(name)
    for start in states(equations, 3, seed=44):
        given, t = state_only(start, equations)
        first, second = equations.evaluate(start), other.evaluate(other.start(**given, t=t))
        assert second["accelerations"] == pytest.approx(first["accelerations"], abs=ATOL)
        # lam_all of least norm with B^T lam_all = lam, B the rows in terms of the independent ones
        B = np.vstack([np.eye(len(rows)), weights])
        expected = np.linalg.pinv(B.T) @ list(first["multipliers"].values())
        np.testing.assert_allclose(list(second["multipliers"].values()), expected, atol=ATOL)
    start = states(equations, 1, seed=45)[0]
    given, t = state_only(start, equations)
    one = da.simulate(equations, start, until=t + 1)
    two = da.simulate(other, other.start(**given, t=t), until=t + 1)
    assert two.at(t + 1)["energy"] == pytest.approx(one.at(t + 1)["energy"], abs=1e-9)
    np.testing.assert_allclose(two.y[:, -1], one.y[:, -1], atol=1e-9)
    assert one.ok
    assert two.ok


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic], ids=lambda p: p.__name__)
def test_scaling_the_lagrangian_and_the_forces(zoo, states, name, principle):
    # L -> c L, Q -> c Q, lam -> c lam
    c = 3.7
    system = zoo[name]
    forces = dict(zip(system.space.velocities, (c * Q for Q in system.forces), strict=True))
    other = principle(system.changed(lagrangian=c * system.lagrangian, forces=forces))
    equations = zoo.equations(name, principle)
    for start in states(zoo.equations(name), 3, seed=46):
        given, t = state_only(start, equations)
        lam = {s.name: 0.3 + i for i, s in enumerate(equations.states_of_multipliers)}
        first = equations.evaluate(equations.start(**given, **lam, t=t))
        second = other.evaluate(other.start(**given, **{k: c * v for k, v in lam.items()}, t=t))
        size = 1 + np.abs(accelerations(first)).max()
        np.testing.assert_allclose(accelerations(second), accelerations(first), atol=ATOL * size)
        for s in first["multipliers"]:
            assert second["multipliers"][s] == pytest.approx(c * first["multipliers"][s], abs=ATOL * size)


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic], ids=lambda p: p.__name__)
def test_adding_a_total_derivative(zoo, states, name, principle):
    # L -> L + dF/dt, F(t, q) = sin(t) q1 + q1^2 qn + t
    system = zoo[name]
    t = sp.Symbol("t", real=True)
    q = system.space.coordinates
    F = sp.sin(t) * q[0] + q[0] ** 2 * q[-1] + t
    total = F.diff(t) + sum((F.diff(x) * r for x, r in system.space.rates.items()), sp.S.Zero)
    other = principle(system.changed(lagrangian=system.lagrangian + total))
    equations = zoo.equations(name, principle)
    for start in states(zoo.equations(name), 3, seed=47):
        given, time = state_only(start, equations)
        lam = {s.name: 0.3 + i for i, s in enumerate(equations.states_of_multipliers)}
        first = equations.evaluate(equations.start(**given, **lam, t=time))
        second = other.evaluate(other.start(**given, **lam, t=time))
        size = 1 + np.abs(accelerations(first)).max()
        np.testing.assert_allclose(accelerations(second), accelerations(first), atol=ATOL * size)
        assert second["multipliers"] == pytest.approx(first["multipliers"], abs=ATOL * size)


def test_sign_of_a_constraint(zoo, states):
    # -phi for phi changes the sign of lam and nothing else
    equations = zoo.equations("sleigh")
    other = rewritten(zoo, "sleigh", {"blade": -zoo["sleigh"].constraints[0].given})
    for start in states(equations, 3, seed=48):
        given, _ = state_only(start, equations)
        first, second = equations.evaluate(start), other.evaluate(other.start(**given, t=start.t))
        assert second["accelerations"] == pytest.approx(first["accelerations"], abs=1e-13)
        assert second["multipliers"]["blade"] == pytest.approx(-first["multipliers"]["blade"], abs=1e-13)


def test_renaming_and_reordering_coordinates(zoo, states):
    """The order in which coordinates are listed is of no consequence."""
    system = zoo["sleigh"]
    space = da.coordinates("theta y x", velocities="omega vy vx")
    other = da.nonholonomic(
        da.System(space, system.lagrangian, {"blade": system.constraints[0].given}, parameters=dict(system.parameters))
    )
    for start in states(zoo.equations("sleigh"), 3, seed=49):
        first = zoo.equations("sleigh").evaluate(start)
        second = other.evaluate({k: start[k] for k in other.states})
        assert second["accelerations"] == pytest.approx(first["accelerations"], abs=1e-12)


@pytest.mark.parametrize("mass", [1e-30, 6e24, 1e30])
def test_unit_of_mass(zoo, mass):
    """A mass in whatever unit: beside 1e30 kg a moment of inertia is lost, and is not missed where a blade holds."""
    # (J + m a^2) dw/dt = -m a v w  for the speed v along the blade
    equations, a, inertia, theta, w = zoo.equations("sleigh"), 0.3, 0.5, 0.4, 0.2
    vtheta = equations.space.velocities[2].name
    start = equations.start(
        {"x": 0, "y": 0, "theta": theta, "vx": 1.0, vtheta: w}, parameters={"m": mass, "J": inertia, "a": a}
    )
    turn = equations.evaluate(start)["accelerations"][vtheta]
    assert turn == pytest.approx(-mass * a * w / np.cos(theta) / (inertia + mass * a**2), rel=1e-12)
