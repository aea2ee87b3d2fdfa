"""The reconstruction equation of [cushman1995] for any group: rates along K, by other routes."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import nonholonomic_particle, penny, roller_racer, rolling_disc, snakeboard, symmetric_sphere

CASES = {
    "penny, x y psi": (penny, "x y psi", 1),
    "penny, SE(2) and psi": (penny, None, 2),
    "particle, x z": (nonholonomic_particle, "x z", 1),
    "roller racer, SE(2)": (roller_racer, None, 1),
    "snakeboard, SE(2) and psi": (snakeboard, None, 2),
    "symmetric sphere": (symmetric_sphere, None, 1),
    "disc, SE(2) and psi": (rolling_disc, None, 0),
}


def work(name):
    module, symmetry, _ = CASES[name]
    return da.symmetry.distributions(module.system(), symmetry)


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_parts_fit_together(name):
    for place in work(name).places(2):
        found, k = place.decomposition, len(place.xi)
        assert len(found.K) == CASES[name][2]
        assert len(found.B) + len(found.C) + len(found.D) == len(place.H)
        rows = np.vstack([found.B, found.C, found.D])
        assert np.linalg.matrix_rank(rows, tol=1e-7) == len(place.H)
        assert len(place.H) + len(place.H_perp) == k
        for one, other in ((found.B, found.C), (found.D, found.C), (found.B, found.D)):
            assert np.abs(place.omega(one, other)).max(initial=0) < 1e-9
        assert place.omega(found.K, found.eta) == pytest.approx(np.eye(len(found.K)), abs=1e-9)
        assert sum(found.parts(place.xi)) == pytest.approx(place.xi, abs=1e-8)
        assert found.motion + found.rates @ found.K == pytest.approx(place.xi, abs=1e-8)


@pytest.mark.parametrize("name", sorted(set(CASES) - {"disc, SE(2) and psi"}))
def test_the_rate_along_K_is_the_velocitys_part_along_S(name):
    # K is all of V n H here, so that its share of the velocity is the kinetic projection on S = D n V
    for place in work(name).places(2, seed=11):
        k = len(place.xi) // 2
        W, u, S = place.local.omega[:k, k:], place.xi[:k], place.VH[:, :k]
        projected = S.T @ np.linalg.solve(S @ W @ S.T, S @ W @ u)
        assert len(place.VH) == len(place.K)
        moved = np.array(list(place.decomposition.group.values())) @ place.lifted
        assert moved[:k] == pytest.approx(projected, abs=1e-8)


@pytest.mark.parametrize("name", ["particle, x z", "roller racer, SE(2)", "snakeboard, SE(2) and psi"])
def test_eta_of_any_complement_gives_the_part_along_K(name):
    for place in work(name).places(2, seed=3):
        for seed in (1, 2):
            found = place.decompose(seed)
            assert found.eta @ place.local.dE == pytest.approx(found.rates, abs=1e-8)
            assert found.parts(place.xi)[1] == pytest.approx(found.rates @ found.K, abs=1e-8)
            assert found.parts(place.xi)[2] == pytest.approx(np.zeros(len(place.xi)), abs=1e-8)


@pytest.mark.parametrize("name", sorted(CASES))
def test_multipliers_from_the_complement_are_those_of_the_equations(name):
    found = work(name)
    equations = da.nonholonomic(found.system)
    for place in found.places(2, seed=7):
        state = {s.name: place.values[s.name] for s in found.system.space}
        known = {n: place.values[n] for n in found.system.parameters}
        assert place.multipliers == pytest.approx(equations.evaluate(state, parameters=known)["multipliers"], rel=1e-7)


def test_a_force_pushes_the_rate_and_the_multipliers():
    # a penny with drag: the multipliers still come from H_omega, the motion along K is still its roll
    system = penny.system()
    forces = {"vpsi": -0.3 * system.space["vpsi"], "vx": 0.7}
    pushed = system.changed(forces=forces, symmetry=None)
    place = da.symmetry.distributions(pushed, "psi x y").places(1)[0]
    state = {s.name: place.values[s.name] for s in pushed.space}
    known = {n: place.values[n] for n in pushed.parameters}
    assert place.multipliers == pytest.approx(da.nonholonomic(pushed).evaluate(state, parameters=known)["multipliers"])
    assert place.decomposition.group["psi"] == pytest.approx(place.values["vpsi"], abs=1e-9)


def run(module, until=4.0, **start):
    system = module.system()
    equations = da.nonholonomic(system)
    return system, da.simulate(equations, equations.start(**start), until=until, samples=np.linspace(0, until, 41))


def test_the_pennys_phase_is_all_that_it_rolls():
    system, path = run(penny, x=0, y=0, phi=0.2, psi=0.1, vphi=0.7, vpsi=-1.3)
    found = da.symmetry.phases(system, path, "x y psi")
    assert found.dimension == 1
    for name in ("x", "y", "psi"):  # its lift turns on the spot
        assert found.phases[name] == pytest.approx(path[name] - path[name][0], abs=1e-8)


def test_the_particles_phase_is_all_that_it_shifts():
    # zdot = y xdot: the lift moves along y only
    system, path = run(nonholonomic_particle, x=0, y=0.3, z=0, vx=0.8, vy=-0.5)
    found = da.symmetry.phases(system, path, "x z")
    # xdot sqrt(1 + y^2) is constant
    y, speed = path["y"], 0.8 * np.sqrt(1 + 0.3**2)
    assert found.rates["x"] == pytest.approx(speed / np.sqrt(1 + y**2), rel=1e-7)
    assert found.phases["x"] == pytest.approx(speed * (np.arcsinh(y) - np.arcsinh(0.3)) / -0.5, abs=1e-8)
    assert found.phases["z"] == pytest.approx(path["z"], abs=1e-8)


def test_generators_that_do_not_commute_have_rates_and_no_phases():
    system, path = run(roller_racer, until=1.0, **roller_racer.START)
    found = da.symmetry.phases(system, path)
    assert not found.commute
    assert found.dimension == 1
    assert len(found.rates) == 3
    with pytest.raises(da.DalembertError, match="E124 the generators do not commute"):
        _ = found.phases


def test_refused():
    system, path = run(penny, until=1.0, x=0, y=0, phi=0.2, psi=0.1, vphi=0.7, vpsi=-1.3)
    with pytest.raises(da.DalembertError, match="E101 distributions needs a System"):
        da.symmetry.phases("penny", path)
    with pytest.raises(da.DalembertError, match="E307 phases needs a path"):
        da.symmetry.phases(system, "path", "x y")
    with pytest.raises(da.DalembertError, match="E125"):
        da.symmetry.phases(system.changed(symmetry=None), path)
    with pytest.raises(da.DalembertError, match="E230"):
        da.symmetry.phases(nonholonomic_particle.system(), path, "x z")
    place = da.symmetry.distributions(system, "x y").places(1)[0]
    with pytest.raises(da.DalembertError, match="E314"):
        place.decompose(-1)


def test_what_is_no_symmetry_has_no_phases():
    q = da.coordinates("x y z")
    L = "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2 - {}*y^2/2"
    equations = da.nonholonomic(da.System(q, L.format(0), {"c": "dot(z) - x*dot(y)"}))
    path = da.simulate(equations, {"x": 0.1, "y": 0.0, "z": 0.0, "vx": 0.2, "vy": 0.3}, until=1.0)
    assert da.symmetry.phases(equations.system, path, "y").rates
    bound = da.System(q, L.format(1), {"c": "dot(z) - x*dot(y)"})
    other = da.nonholonomic(bound)
    path = da.simulate(other, {"x": 0.1, "y": 0.0, "z": 0.0, "vx": 0.2, "vy": 0.3}, until=1.0)
    with pytest.raises(ValueError, match="E122 generator y changes L"):
        da.symmetry.phases(bound, path, "y")
    with pytest.raises(ValueError, match="E122 generator x changes c"):
        da.symmetry.phases(equations.system, path, "x")
