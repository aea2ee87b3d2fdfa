"""The vakonomic principle: where it agrees with the nonholonomic one, where not, and what it conserves."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

TIMES = np.linspace(0, 3, 31)


def starts(zoo, name, given, lam):
    real = zoo.equations(name)
    start = real.start(**given)
    return start, {**start.state, **lam}


@pytest.mark.parametrize("lam", [0.0, 1.7, -40.0])
def test_holonomic_constraints_make_no_difference(zoo, lam):
    given = {"x": 0.9, "y": 0.0, "z": -1.2, "vx": 0.4, "vy": 1.0}
    start, other = starts(zoo, "pendulum", given, {"lam_rod": lam})
    one = da.simulate(zoo.equations("pendulum"), start, until=3.0)
    two = da.simulate(zoo.equations("pendulum", da.vakonomic), other, until=3.0)
    for column in ("x", "y", "z", "vx", "vy", "vz"):
        np.testing.assert_allclose(two.at(TIMES)[column], one.at(TIMES)[column], atol=1e-9)
    # lamdot stands where the nonholonomic lam does: lam(t) - lam(0) is its integral
    nodes, weights = np.polynomial.legendre.leggauss(40)
    integral = 1.5 * weights @ one.at(1.5 + 1.5 * nodes)["lam_rod"]
    assert two["lam_rod"][-1] - lam == pytest.approx(integral, abs=1e-8)
    assert one.ok
    assert two.ok


def test_integrable_velocity_constraints_make_no_difference():
    # phi = exp(x) d(x^2 + y z)/dt: lam phi = (lam exp(x)) d(...)/dt, so the motion is the same for every lam(0)
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    phi = (2 * x * vx + vy * z + y * vz) * sp.exp(x)
    system = da.System(q, (vx**2 + 2 * vy**2 + 3 * vz**2) / 2 - x - y**2, {"c": phi}, parameters={})
    start = {"x": 0.4, "y": 0.5, "z": 0.7, "vx": 0.3, "vy": -0.5}
    one = da.simulate(da.nonholonomic(system), start, until=2.0)
    for lam in (0.0, 0.6, -5.0):
        two = da.simulate(da.vakonomic(system), {**start, "lam_c": lam}, until=2.0)
        assert max(abs(one.at(2.0)[n] - two.at(2.0)[n]) for n in "xyz") < 1e-8


def penny_paths(zoo, factor):
    given = {"x": 0, "y": 0, "phi": 0.3, "psi": 0, "vphi": 0.6, "vpsi": 1.2}
    real = zoo.equations("penny").start(**given)
    m = real.parameters["m"]
    lam = {"lam_along": factor * m * real["vx"], "lam_across": factor * m * real["vy"]}
    one = da.simulate(zoo.equations("penny"), real, until=3.0)
    two = da.simulate(zoo.equations("penny", da.vakonomic), {**real.state, **lam}, until=3.0)
    return one, two, m


def test_penny_with_the_right_multipliers(zoo):
    # action of L - lam phi: p_x = m vx - lam_x is constant, so lam = m (vx, vy) keeps the nonholonomic motion
    one, two, m = penny_paths(zoo, 1)
    first, second = one.at(TIMES), two.at(TIMES)
    for column in ("x", "y", "phi", "psi", "vphi", "vpsi"):
        np.testing.assert_allclose(second[column], first[column], atol=1e-9)
    np.testing.assert_allclose(second["lam_along"], m * first["vx"], atol=1e-9)
    np.testing.assert_allclose(second["lam_across"], m * first["vy"], atol=1e-9)


@pytest.mark.parametrize("factor", [0, -1, 0.9])
def test_penny_with_other_multipliers(zoo, factor):
    one, two, _ = penny_paths(zoo, factor)
    assert np.abs(two.at(TIMES)["phi"] - one.at(TIMES)["phi"]).max() > 1e-3


def vakonomic_path(zoo, states, name, until=1.0):
    equations = zoo.equations(name, da.vakonomic)
    real = states(zoo.equations(name), 1, seed=60)[0]
    lam = {s.name: 0.4 - 0.3 * i for i, s in enumerate(equations.states_of_multipliers)}
    state = {**real.state, **lam}
    return equations, da.simulate(equations, equations.start(t=real.t, **state), until=real.t + until)


@pytest.mark.parametrize(
    "name", ["sleigh", "penny", "disc", "loaded_ball", "suslov", "heisenberg", "pendulum", "gyroscope"]
)
def test_appended_energy_is_conserved(zoo, states, name):
    # H* = u dL*/du - L*, with L* = L - lam phi
    equations, path = vakonomic_path(zoo, states, name)
    L = equations.lagrangian
    energy = sum(u * L.diff(u) for u in equations.space.velocities) - L
    names = sorted(energy.free_symbols, key=str)
    values = {**path.provenance["parameters"], **path.at(np.linspace(path.t[0], path.t[-1], 20))}
    H = sp.lambdify(names, energy, "numpy")(*(values[s.name] for s in names))
    np.testing.assert_allclose(H, H[0], atol=1e-10 * max(1, path.audit.energy_scale))
    assert path.ok, path.audit.reasons


def test_energy_and_work(zoo, states, name):
    if not zoo[name].constraints:
        pytest.skip("no constraint")
    _, path = vakonomic_path(zoo, states, name, until=0.5)
    assert path.audit.work_balance <= 1e-9 * path.audit.energy_scale, path.audit
    assert path.audit.constraint_residual <= 1e-10
    assert path.ok, path.audit.reasons


def test_cyclic_momenta_of_the_appended_lagrangian(zoo):
    # heisenberg without potential: p_x and p_z of L - lam phi are constants: lam = m vz - p_z
    q = da.coordinates("x y z")
    _, y, _, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vz - y * vx}, parameters={})
    start = {"x": 0, "y": 0.3, "z": 0, "vx": 1.0, "vy": 0.5, "lam_c": 2.0}
    path = da.simulate(da.vakonomic(system), start, until=3.0)
    np.testing.assert_allclose(path["vz"] - path["lam_c"], path["vz"][0] - 2.0, atol=1e-11)
    p_x = path["vx"] + path["y"] * path["lam_c"]
    np.testing.assert_allclose(p_x, p_x[0], atol=1e-11)


def test_multipliers_and_rates_are_told_apart(zoo, states):
    equations = zoo.equations("sleigh", da.vakonomic)
    start = states(equations, 1, seed=61)[0]
    found = equations.evaluate(start)
    assert found["multipliers"] == {"lam_blade": start["lam_blade"]}
    assert set(found["multiplier_rates"]) == {"lam_blade"}


def test_projection_under_the_vakonomic_principle_is_in_the_kinetic_metric(zoo, states):
    # whatever lam is, and though the Hessian of L - lam phi is another matrix
    real = zoo.equations("appell_hamel")
    point = {"x": 0.1, "y": 0.2, "z": 0.3, "vx": 1.0, "vy": 0.5, "vz": 1.2}
    expected = real.start(**point, project="kinetic")
    for lam in (-0.4, 0.0, 0.5, 3.0):
        found = zoo.equations("appell_hamel", da.vakonomic).start(**point, lam_cone=lam, project="kinetic")
        assert {k: found[k] for k in point} == pytest.approx(expected.state, abs=1e-9)
        assert found["lam_cone"] == lam


def test_momenta_with_multipliers_are_decided():
    system = da.System(da.coordinates("x y z"), "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2", {"c": "dot(z) - y*dot(x)"})
    rival = da.vakonomic(system)
    # x and z are cyclic: p = dL/du - lam dphi/du is constant
    for kept in ("dot(x) + lam_c*y", "dot(z) - lam_c"):
        assert da.symmetry.conserved(rival, kept)
    for lost in ("dot(x)", "lam_c", "dot(y)"):
        assert not da.symmetry.conserved(rival, lost)
    assert not da.symmetry.conserved(da.nonholonomic(system), "dot(x)")
    assert da.symmetry.conserved(da.nonholonomic(system), "dot(x)^2*(1 + y^2)")  # Bates and Sniatycki
    assert da.symmetry.conserved(system, "dot(x)^2*(1 + y^2)")
    with pytest.raises(ValueError, match="E104 the function holds q"):
        da.symmetry.conserved(rival, sp.Symbol("q"))
    with pytest.raises(da.DalembertError, match=r"E702[^@]*multipliers come with a principle"):
        da.symmetry.conserved(system, "dot(x) + lam_c*y")


@pytest.mark.parametrize("principle", [da.vakonomic, da.nonholonomic, da.free])
def test_functions_of_the_time_along_equations(principle):
    # pushed by F along x and held to vy = w: x = x0 + v0 t + F t^2/2, y = y0 + w t
    system = da.System(
        da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2 + F*x", {"c": "dot(y) - w"}, parameters={"F": 1.7, "w": 0.6}
    )
    equations = principle(system)
    for kept in ("dot(x) - F*t", "x - dot(x)*t + F*t^2/2", "y - dot(y)*t", "exp(dot(x)/F - t)"):
        assert da.symmetry.conserved(equations, kept)
    for lost in ("dot(x) + F*t", "x - dot(x)*t - F*t^2/2", "y + dot(y)*t", "t"):
        assert not da.symmetry.conserved(equations, lost)
