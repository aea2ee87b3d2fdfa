"""The almost-Poisson structure: Jacobi where it should hold and where it should not; omega-bar."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate


def twisted():
    s = da.SE2("x y theta")
    v1, v2, w = s.velocities
    return da.System(s, (2 * v1**2 + 3 * v2**2 + w**2) / 2 - sp.sin(s["theta"]) * s["x"])


def free_body():
    s = da.SE3("x y z")
    v, w = s.velocities[:3], s.velocities[3:]
    return da.System(s, sum((i + 1) * u**2 for i, u in enumerate((*v, *w))) / 2 - s["z"])


POISSON = {
    "SE(2)": twisted,
    "SE(3)": free_body,
    "charge": lambda: da.System(q := da.coordinates("x y"), sum(u**2 for u in q.velocities) / 2 + q["x"] * q["vy"]),
}


@pytest.mark.parametrize("name", sorted(POISSON))
def test_jacobi_holds_without_constraints(name):
    assert da.symmetry.phase_space(POISSON[name]()).poisson


@pytest.mark.parametrize(
    ("name", "given", "poisson"),
    [
        ("top", da.symmetry.rotations("R", axis=3), True),  # the heavy top over its direction
        ("rolling disc", None, False),
        ("veselova", None, False),
        ("particle", None, True),  # (y, p_x, p_y) with {p_x, p_y} = f(y) p_x
        ("routh sphere", None, False),
        # two momenta on no shape: any bracket of a plane is Poisson
        ("sleigh", da.symmetry.euclidean("x y", "theta"), True),
        ("suslov free", None, True),
    ],
    ids=["top", "disc", "veselova", "particle", "routh", "sleigh", "suslov"],
)
def test_jacobi_on_reduced_spaces(systems, name, given, poisson):
    reduction = systems.reduction(name) if given is None else da.reduce(systems[name], given)
    phase = da.symmetry.phase_space(reduction.system)
    assert phase.answer.value is poisson, phase.answer
    assert bool(phase.answer.witness) is not poisson


@pytest.mark.parametrize(
    ("along", "across", "poisson"),
    [("x", "-z", True), ("0", "1e-12*z", False), ("x", "-1.000000000001*z", False), ("0", "exp(-(z - 70)^2)", False)],
    ids=["no sources", "weak", "nearly none", "far away"],
)
def test_jacobi_fails_where_a_magnetic_field_has_sources(along, across, poisson):
    # {p_a, p_b} = eps_abc B_c and {x^i, p_j} = delta^i_j: J(p_x, p_y, p_z) = div B
    q = da.coordinates("x y z")
    push = {"vx": f"vy*({across})", "vy": f"vz*({along}) - vx*({across})", "vz": f"-vy*({along})"}
    phase = da.symmetry.phase_space(da.System(q, "(vx^2 + vy^2 + vz^2)/2", forces=push))
    assert phase.answer.value is phase.poisson is poisson
    assert ("fails: no Poisson structure" in str(phase)) is not poisson


def test_the_rank_of_a_weak_bracket_is_counted():
    # over the place of a charge in a weak field {p_x, p_y} = 1e-12 is left beside {theta, p_theta} = 1
    push = {"vx": "1e-12*vy", "vy": "-1e-12*vx"}
    system = da.System(da.coordinates("x y theta"), "(vx^2 + vy^2 + vtheta^2)/2 + cos(theta)", forces=push)
    phase = da.symmetry.phase_space(da.reduce(system, da.symmetry.translations("x y")).system)
    assert (len(phase.coordinates), phase.rank, phase.poisson) == (4, 4, True)
    x, y = (phase.coordinates.index(sp.Symbol(f"p_v{n}", real=True)) for n in "xy")
    assert abs(float(phase.form[x, y])) == pytest.approx(1e12)


@pytest.mark.parametrize(
    "name", ["rolling disc", "particle", "veselova", "suslov free", "rolling penny", "routh sphere"]
)
def test_rates_are_the_reduced_motion(systems, states_of, accelerations, name):
    phase = da.symmetry.phase_space(systems.reduction(name).system)
    system, equations = phase.system, da.free(phase.system)
    graph = Graph()
    rates = [read(e, graph) for e in phase.rates.values()]
    momenta = [read(e, graph) for e in phase.momenta.values()]
    names = [s.name for s in system.space]
    for values in states_of(system, 2):
        p = dict(zip((s.name for s in phase.momenta), evaluate(momenta, values), strict=True))
        found = np.array(evaluate(rates, {**values, **p}), float)
        # dp/dt = dp/dq qdot + W udot, by central differences along the motion
        qdot = [float(evaluate([read(e, graph)], values)[0]) for e in system.space.frame.rates]
        speed = np.array([*qdot, *accelerations(equations, values)])
        h = 1e-5

        def moved(s, values=values, speed=speed):
            there = {**values, **{n: values[n] + s * r for n, r in zip(names, speed, strict=True)}}
            return np.array(evaluate(momenta, there), float)

        slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
        assert np.allclose(found, [*qdot, *slope], atol=1e-7 * (1 + np.abs(speed).max()))


def test_the_form_is_the_inverse_and_gives_the_motion(systems):
    phase = da.symmetry.phase_space(systems.reduction("particle").system)
    assert phase.rank == len(phase.coordinates) - 1  # y, p_x, p_y: odd
    with pytest.raises(da.DalembertError, match=r"E124 .* rank 2 on 3"):
        _ = phase.form
    free = da.symmetry.phase_space(POISSON["charge"]())
    dH = sp.Matrix([free.hamiltonian.diff(z) for z in free.coordinates])
    rates = sp.Matrix(list(free.rates.values()))
    # xi_i omega_ij = dH_j
    assert sp.simplify(rates.T * free.form - dH.T) == sp.zeros(1, 4)
    # omega = dq ^ dp: p_y = vy + x, so that only the Hamiltonian knows of the field
    assert free.form[0, 2] == -free.form[2, 0] == 1


def test_the_bracket_of_the_rotation_is_that_of_the_body():
    s = da.rotation("R", frame="body")
    system = da.System(
        s, sum((i + 2) * w**2 for i, w in enumerate(s.velocities)) / 2, symmetry=da.symmetry.rotations("R")
    )
    phase = da.symmetry.phase_space(da.reduce(system).system)
    p1, p2, p3 = phase.coordinates
    # Euler: {p_a, p_b} = -eps_abc p_c
    assert phase.bivector == sp.ImmutableMatrix([[0, -p3, p2], [p3, 0, -p1], [-p2, p1, 0]])
    assert phase.poisson


def test_linear_constraints_are_restricted_first(systems):
    one, other = (
        da.symmetry.phase_space(systems["sleigh"]),
        da.symmetry.phase_space(da.symmetry.restrict(systems["sleigh"]).system),
    )
    assert (one.coordinates, one.bivector, one.hamiltonian) == (other.coordinates, other.bivector, other.hamiltonian)


def test_refused(systems):
    with pytest.raises(da.DalembertError, match="E124 cone is nonlinear"):
        da.symmetry.phase_space(systems["appell_hamel"])
    q = da.coordinates("x")
    with pytest.raises(da.DalembertError, match="E124 L is not quadratic"):
        da.symmetry.phase_space(da.System(q, q["vx"] ** 4 + q["vx"] ** 2))


def test_the_bracket_of_functions(systems):
    phase = da.symmetry.phase_space(systems.reduction("rolling disc").system)
    H, z = phase.hamiltonian, phase.coordinates
    for coordinate, rate in phase.rates.items():
        assert sp.simplify(phase.bracket(coordinate, H) - rate) == 0
    # antisymmetry and Leibniz's rule
    f, g, h = z[0] * z[1], z[2] ** 2, sp.sin(z[0]) * z[3]
    assert sp.simplify(phase.bracket(f, g) + phase.bracket(g, f)) == 0
    assert sp.simplify(phase.bracket(f * h, g) - f * phase.bracket(h, g) - h * phase.bracket(f, g)) == 0
    with pytest.raises(da.DalembertError, match="E104 the function holds p_x"):
        phase.bracket(sp.Symbol("p_x"), H)


def test_forces_that_do_no_work_are_in_the_bracket_and_others_are_said_to_be_left_out():
    q = da.coordinates("x y")
    field = {"vx": "B*vy - c*vx", "vy": "-B*vx"}
    said = da.symmetry.phase_space(da.System(q, "(vx^2 + vy^2)/2 - x^2", forces=field, parameters={"B": 1, "c": 0.1}))
    p = said.coordinates[2:]
    assert said.bracket(*p) == sp.Symbol("B", real=True)
    assert "left out     what the forces on vx do" in str(said)
    kept = da.symmetry.phase_space(da.System(q, "(vx^2 + vy^2)/2", forces={"vx": "2*vy", "vy": "-2*vx"}))
    assert "left out" not in str(kept)
