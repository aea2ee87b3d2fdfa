"""A leaf of integrable constraints: the system there is the whole one for every curve, and both principles are one."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import disguised_holonomic as disguised

SOLVED = ["wheel", "nested", "pencil", "heading", "lift", "decay"]


def gallery(name):
    example = disguised.EXAMPLES[name]
    return disguised.system(name), next(iter(example.starts.values()))


def on_leaf(name):
    system, start = gallery(name)
    return system, start, da.symmetry.leaf(system, {**start, "t": 0.0})


def kept(found, start):
    """The part of a complete start that the leaf still has."""
    whole = da.nonholonomic(found.given).start(**start)
    return {n: whole[n] for n in found.system.space.by_name}


def pendulum():
    q = da.coordinates("x y")
    return da.System(
        q, "m/2*(dot(x)^2 + dot(y)^2) - m*g*y", {"rod": "x^2 + y^2 - l^2"}, parameters={"m": 2, "g": 9.81, "l": 0.7}
    )


CHARTS = {
    "pendulum": (pendulum(), da.angle("phi"), {"x": "l*sin(phi)", "y": "-l*cos(phi)"}),
    "sphere": (
        disguised.system("sphere"),
        da.coordinates("a b"),
        {"x": "sin(a)*cos(b)", "y": "sin(a)*sin(b)", "z": "cos(a)"},
    ),
    "rod": (disguised.system("rod"), da.line("s"), {"x": "s*cos(Omega*t)", "y": "s*sin(Omega*t)"}),
    "hyperbola": (disguised.system("pair"), da.line("s"), {"y": "2*cosh(s)", "z": "2*sinh(s)"}),
}


@pytest.mark.parametrize("name", [*SOLVED, "difference"])
def test_expressions_of_lagrange_on_the_leaf_are_those_of_the_whole(name):
    _, _, found = on_leaf(name)
    assert found.agreement.lagrangian < 1e-12
    assert max(found.agreement.constraints.values()) < 1e-12
    assert found.holonomic == (name != "difference")


@pytest.mark.parametrize("name", CHARTS)
def test_the_same_in_coordinates_that_are_given(name):
    system, on, chart = CHARTS[name]
    found = da.symmetry.leaf(system, on=on, chart=chart)
    assert found.agreement.holds and max(found.agreement.constraints.values(), default=0.0) < 1e-12
    assert len(found.system.space.velocities) == len(system.space.velocities) - len(found.integrals)


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize("lam", [0.0, 1.7])
def test_nonholonomic_vakonomic_and_free_motion_on_the_leaf_are_one(name, lam):
    """Proposition 2.8 of [lewis1995], (i), (ii) and (iv), by three integrations."""
    system, start, found = on_leaf(name)
    t = np.linspace(0.05, 1.0, 7)
    path = da.simulate(da.free(found.system), kept(found, start), until=1.0, rtol=1e-11)
    free = found.lift({**dict(path.at(t)), "t": t})
    lams = {f"lam_{c.name}": lam for c in system.constraints}
    for principle, extra in ((da.nonholonomic, {}), (da.vakonomic, lams)):
        path = da.simulate(principle(system), {**start, **extra}, until=1.0, rtol=1e-11).at(t)
        for s in system.space:
            np.testing.assert_allclose(free[s.name], path[s.name], rtol=1e-8, atol=1e-8)


def test_a_pendulum_on_its_circle_swings_as_the_cartesian_one():
    system = pendulum()
    found = da.symmetry.leaf(system, on=da.angle("phi"), chart={"x": "l*sin(phi)", "y": "-l*cos(phi)"})
    # L = m l^2 phidot^2/2 + m g l cos(phi)
    phi, v = found.system.space
    m, g, l = (system.symbols[n] for n in "mgl")
    assert sp.simplify(found.system.lagrangian - (m * l**2 * v**2 / 2 + m * g * l * sp.cos(phi))) == 0
    path = da.simulate(da.free(found.system), {"phi": 0.9, "vphi": 0.0}, until=2.0, rtol=1e-11)
    t = np.linspace(0.1, 2.0, 9)
    lifted = found.lift(path.at(t))
    start = {"x": 0.7 * np.sin(0.9), "y": -0.7 * np.cos(0.9), "vx": 0.0, "vy": 0.0}
    whole = da.simulate(da.nonholonomic(system), start, until=2.0, rtol=1e-11).at(t)
    for name in ("x", "y", "vx", "vy"):
        np.testing.assert_allclose(lifted[name], whole[name], rtol=1e-7, atol=1e-8)


def test_what_cannot_be_integrated_is_left_on_the_leaf():
    """z - w is constant, the rest is as nonholonomic as before: one motion of either principle, here and there."""
    system, start, found = on_leaf("difference")
    assert [c.name for c in found.system.constraints] == ["first"]
    assert not da.examine(found.system).holonomic
    t = np.linspace(0.1, 1.0, 5)
    both = [
        da.simulate(da.nonholonomic(s), b, until=1.0, rtol=1e-11).at(t)
        for s, b in ((found.system, kept(found, start)), (system, start))
    ]
    for s in system.space:
        np.testing.assert_allclose(found.lift(both[0])[s.name], both[1][s.name], rtol=1e-8, atol=1e-9)


def test_a_frame_that_turns_is_left_for_plain_coordinates():
    q = da.SE2("x y theta")
    system = da.System(q, "(v1^2 + v2^2 + omega^2)/2 - x^2/2", {"wall": "x - theta^2"})
    found = da.symmetry.leaf(system)
    assert found.agreement.holds and found.holonomic
    assert [s.name for s in found.system.space.coordinates] == ["y", "theta"]


def test_rotations_forces_walls_and_inputs_go_along():
    q = da.Space.product(da.coordinates("x z"), da.rotation("R"))
    L = "(dot(x)^2 + dot(z)^2)/2 + (w1^2 + 2*w2^2 + 3*w3^2)/2 - R_w*x"
    forces = {"vz": "-c*vz + push", "w1": "-w1"}
    given = {"forces": forces, "parameters": {"c": 0.4}, "inputs": "push", "walls": {"end": "2 - z"}}
    system = da.System(q, L, {"rail": "dot(z) - 2*x*dot(x)"}, **given)
    found = da.symmetry.leaf(system, {"x": 0.5, "z": 1.25})
    x, vx = found.system.space["x"], found.system.space["vx"]
    push, c = (sp.Symbol(n, real=True) for n in ("push", "c"))
    # Q_x = dU_z/dv_x Q_z = 2 x (push - c 2 x xdot)
    assert sp.simplify(found.system.forces[0] - 2 * x * (push - 2 * c * x * vx)) == 0
    assert found.constants == {"leaf": pytest.approx(-1.0)} or found.constants == {"leaf": pytest.approx(1.0)}
    assert found.agreement.holds and [*found.system.space.attitudes] == ["R"]
    assert found.system.inputs == ("push",) and found.system.walls[0].guard.has(x)


def test_what_is_held_without_inertia_may_be_so_on_the_leaf():
    # z has no inertia, and its row stays: p_y = vy is conserved there as here, since z's reaction is 0
    q = da.coordinates("x y z w")
    rows = {"lift": "vz - w*vy", "belt": "vw - vx"}
    system = da.System(q, "(vx^2 + vy^2 + vw^2)/2", rows, massless="vz", momenta={"along": "vy"})
    found = da.symmetry.leaf(system, {"x": 0.0, "w": 1.0})
    assert [u.name for u in found.system.massless] == ["vz"] and [*found.system.momenta] == ["along"]
    equations = da.nonholonomic(found.system)
    path = da.simulate(equations, equations.start(x=0.0, y=0.0, z=0.0, vx=0.5, vy=0.3), until=2.0)
    # z' = (1 + x) y'
    assert path.at(2.0)["z"] == pytest.approx(0.3 * (2 + 0.5 * 2**2 / 2), rel=1e-9)


def test_which_coordinate_goes_may_be_said():
    system = disguised.system("wheel")
    by_turn, by_place = (da.symmetry.leaf(system, chart=c) for c in ({"x": "r*phi"}, {"phi": "x/r"}))
    assert [str(f.system.space.coordinates[0]) for f in (by_turn, by_place)] == ["phi", "x"]
    # L = m xdot^2/2 + J (xdot/r)^2/2 + m g sin(alpha) x
    x, vx = by_place.system.space
    m, J, r, g, alpha = (system.symbols[n] for n in ("m", "J", "r", "g", "alpha"))
    L = (m + J / r**2) * vx**2 / 2 + m * g * sp.sin(alpha) * x
    phi, vphi = by_turn.system.space
    assert sp.simplify(by_turn.system.lagrangian - L.subs({vx: r * vphi, x: r * phi})) == 0


def test_the_constant_is_a_parameter_until_a_place_is_given():
    found = da.symmetry.leaf(disguised.system("lift"))
    assert found.constants == {"leaf": None} and found.system.parameters["leaf"] is None
    system = disguised.system("lift")
    here = da.symmetry.leaf(system, {"x": 0.3, "z": 0.4, "t": 0.0})
    assert here.lift({"x": 1.0, "vx": 0.0, "t": 0.0})["z"] == pytest.approx(0.4)
    assert here.lift({"x": 1.0, "vx": 0.0, "t": 2.0})["z"] == pytest.approx(0.4 + 2.0 * system.parameters["c"])


def test_it_says_what_it_is():
    text = str(on_leaf("wheel")[2])
    assert "nonholonomic and vakonomic motions" in text and "leaf" in text
    assert "motions of either principle" in str(on_leaf("difference")[2])


@pytest.mark.parametrize(
    "given",
    [
        lambda: da.symmetry.leaf(disguised.system("slope")),
        lambda: da.symmetry.leaf(disguised.system("sphere")),
        lambda: da.symmetry.leaf(pendulum(), on=da.angle("phi"), chart={"x": "l*sin(phi)", "y": "l*sin(phi)"}),
        lambda: da.symmetry.leaf(pendulum(), on=da.angle("phi"), chart={"x": "l*sin(phi)"}),
        lambda: da.symmetry.leaf(pendulum(), on=da.coordinates("a b"), chart={"x": "l*sin(a)", "y": "l*cos(a)"}),
        lambda: da.symmetry.leaf(pendulum(), on=da.angle("phi"), chart={"z": "phi"}),
    ],
)
def test_what_is_no_leaf_is_refused(given):
    with pytest.raises(da.DalembertError, match="E124"):
        given()


def test_values_that_are_missing_are_named():
    with pytest.raises(da.DalembertError, match="E230"):
        da.symmetry.leaf(disguised.system("lift"), {"x": 0.1, "z": 0.2})
    with pytest.raises(da.DalembertError, match="E230"):
        on_leaf("wheel")[2].lift({"vphi": 1.0})
