"""Nonholonomic Noether: four flags that have to be told apart, momentum equations, and functions."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate, tangent
from dalembert.systems import routh_sphere, tippe_top
from zoo import GALLERY

# (system, symmetry, generator): preserves L, preserves D, horizontal, conserved
FLAGS = {
    ("rolling penny", None, "psi"): (True, True, False, True),
    ("rolling penny", "phi", "phi"): (True, False, True, True),
    ("rolling penny", None, "shift x"): (True, True, False, False),
    ("particle", None, "x"): (True, True, False, False),
    ("particle", None, "z"): (True, True, False, False),
    ("particle", "y", "y"): (True, False, True, True),
    ("veselova", "turns", "rotation 1"): (True, False, True, True),
    ("veselova", "turns", "rotation 2"): (True, False, True, True),
    ("veselova", "turns", "rotation 3"): (True, True, False, False),
    ("rolling disc", None, "shift x"): (True, True, False, False),
    ("rolling disc", None, "psi"): (True, True, False, False),
    ("rolling disc", None, "turn x y"): (True, True, False, False),
    ("top", "turn", "rotation 3"): (True, True, True, True),
    ("top", "turns", "rotation 1"): (False, True, True, False),
    ("snakeboard", None, "psi"): (True, True, True, True),
    ("knife edge", None, "y"): (True, True, False, False),
    ("knife edge", "x", "x"): (False, True, False, False),
    ("suslov free", None, "rotation 1"): (True, True, False, False),
}
GIVEN = {"turns": da.symmetry.rotations("R"), "turn": da.symmetry.rotations("R", axis=3)}


@pytest.mark.parametrize("case", sorted(FLAGS, key=str), ids=lambda case: "-".join(map(str, case)))
def test_four_flags(systems, case):
    name, symmetry, generator = case
    given = GIVEN.get(symmetry, symmetry)
    judged = (da.symmetry.noether(systems[name], given) if given else systems.noether(name))[generator]
    found = judged.preserves_lagrangian, judged.preserves_constraints, judged.horizontal, judged.conserved
    assert found == FLAGS[case], str(judged)
    assert judged.symmetric == (found[0] and found[1])


def test_the_disc_has_no_horizontal_generator_and_conserves_none(systems):
    disc = systems.noether("rolling disc")
    assert disc.dimensions == (3, 4, 2, 5, 5)
    assert not disc.conserved
    assert not any(m.horizontal for m in disc.momenta)


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("rolling penny", (2, 4, 2, 4, 4)),
        ("snakeboard", (4, 4, 2, 6, 6)),
        ("roller racer", (2, 3, 1, 4, 4)),
        ("sleigh gallery", (2, 3, 2, 3, 3)),
        ("particle", (2, 2, 1, 3, 3)),
        ("suslov free", (2, 3, 2, 3, 3)),
        ("rattleback", (3, 4, 1, 6, 6)),
    ],
)
def test_dimensions(systems, name, dimensions):
    # D, V, S = D n V, D + V, all: dim S = D + V - TQ where D + V fills TQ
    plane = da.symmetry.euclidean("x y", "theta")
    found = da.symmetry.noether(systems["sleigh"], plane) if name.startswith("sleigh") else systems.noether(name)
    assert found.dimensions == dimensions


def test_a_combination_is_conserved_where_no_generator_is():
    # turn and shift of a screw: only pitch * shift - turn
    q = da.coordinates("x y z theta")
    _x, _y, z, theta, vx, vy, vz, w = q
    system = da.System(q, (vx**2 + vy**2 + vz**2 + w**2) / 2 - sp.cos(z - 3 * theta), symmetry="z theta")
    found = da.symmetry.noether(system)
    assert not any(m.conserved for m in found.momenta)
    (J,) = found.conserved.values()
    assert sp.simplify(J - J.coeff(vz) * (vz + w / 3)) == 0


# --- the momentum equation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sleigh", da.symmetry.euclidean("x y", "theta")),
        ("rolling penny", None),
        ("particle", None),
        ("snakeboard", None),
        ("roller racer", None),
        ("heisenberg free", None),
        ("suslov free", None),
        ("knife edge", da.symmetry.euclidean("x y", "phi")),
        ("robot", None),
        ("top", da.symmetry.rotations("R")),  # rotations about level axes change L
    ],
    ids=["sleigh", "penny", "particle", "snakeboard", "racer", "heisenberg", "suslov", "edge", "robot", "top"],
)
def test_sections_obey_the_momentum_equation(systems, states_of, accelerations, value, name, given):
    # directly: dJ/dt along the motion = dJ/dq qdot + dJ/du udot with the multipliers' accelerations
    system, equations = systems[name], systems.equations(name)
    found = da.symmetry.noether(system, given) if given else systems.noether(name)
    sections = found.sections
    assert len(sections) == found.dimensions[2] > 0
    for section in sections:
        graph = Graph()
        node = read(section.momentum, graph)
        names = [s.name for s in system.space]
        for values in states_of(system, 3):
            rates = [float(value(e, values)) for e in system.space.rates.values()]
            moving = [*rates, *accelerations(equations, values)]
            (slope,) = tangent([node], [graph.symbol(n) for n in names], moving)
            direct = float(evaluate([slope], values)[0])
            assert float(value(section.rate, values)) == pytest.approx(direct, abs=1e-9 * (1 + abs(direct)))
            for c in system.constraints:
                across = sum(n * y for n, y in zip(c.normal, section.components, strict=True))
                assert abs(value(across, values)) < 1e-10


# --- functions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["sleigh", "penny", "disc", "loaded_ball", "suslov", "heisenberg", "top", "veselova", "routh sphere"]
)
def test_the_energy_is_conserved_and_twice_its_square_too(systems, name):
    system = systems[name]
    u = system.space.velocities
    E = sum(system.lagrangian.diff(v) * v for v in u) - system.lagrangian
    found = da.symmetry.conserved(system, E)
    assert found
    assert found.by_energy < 1e-9
    assert da.symmetry.conserved(system, sp.sin(E))
    assert not da.symmetry.conserved(system, E + u[0])


@pytest.mark.parametrize("name", ["Jellett", "Routh"])
def test_integrals_with_parameters(systems, name):
    f = getattr(routh_sphere, name.upper())
    found = da.symmetry.conserved(systems["routh sphere"], f)
    assert found
    assert found.by_energy < 1e-9
    # the same with another radius in the formula is not constant
    assert not da.symmetry.conserved(
        systems["routh sphere"], f.xreplace({routh_sphere.RADIUS: 2 * routh_sphere.RADIUS})
    )


@pytest.mark.parametrize(("weight", "holds"), [("sin(theta)", True), ("1", False)])
def test_a_constant_that_holds_a_hypergeometric_function(systems, weight, holds):
    # F'' + cot F' = kappa F in theta is (36) of [cushman1995] in cos^2 theta; Wronski's determinant gives the constant
    disc = systems["rolling disc"]
    space = disc.space * da.coordinates("F G")
    curve = "vG - (C*m*r^2/(A*(C + m*r^2))*F - cos(theta)/sin(theta)*G)*vtheta"
    rows = {c.name: c.given for c in disc.constraints} | {"slope": "vF - G*vtheta", "curve": curve}
    wide = da.System(space, disc.lagrangian, rows, parameters=disc.parameters, massless="vF vG")
    found = da.symmetry.conserved(wide, f"m*r^2*sin(theta)^2*vphi*F - (C + m*r^2)*(vpsi + vphi*cos(theta))*{weight}*G")
    assert bool(found) == holds
    assert (found.by_energy < 1e-9) == holds


def test_what_is_not_conserved_is_said_to_be_not(systems):
    sleigh = systems["sleigh"]
    omega, vx = sleigh.space["omega"], sleigh.space["vx"]
    found = da.symmetry.conserved(sleigh, omega)
    assert not found
    assert found.rate > 1e-3
    assert found.by_energy == pytest.approx(found.rate)
    assert "not constant" in str(found)
    assert not da.symmetry.conserved(sleigh, vx)


def test_functions_of_the_time():
    q = da.coordinates("x")
    x, v = q
    t, g = sp.symbols("t g", real=True)
    fall = da.System(q, v**2 / 2 - g * x, parameters={"g": 9.81})
    assert da.symmetry.conserved(fall, v + g * t)
    assert da.symmetry.conserved(fall, v + g * t).by_energy < 1e-9  # the sign counts here
    assert not da.symmetry.conserved(fall, v - g * t)
    assert da.symmetry.conserved(fall, x - v * t - g * t**2 / 2)


def test_functions_along_affine_constraints_are_judged_along_the_motion(systems):
    # ball on a turning table, friction off: T - Omega L_z
    ball = systems["ball"].changed(forces={}, parameters={"m": 0.7, "r": 0.5, "J": 0.3, "Omega": 1.1})
    space = ball.space
    x, y, vx, vy, w1, w2, w3 = (space[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
    m, J, Omega = (ball.symbols[n] for n in ("m", "J", "Omega"))
    T = m / 2 * (vx**2 + vy**2) + J / 2 * (w1**2 + w2**2 + w3**2)
    Lz = m * (x * vy - y * vx) + J * w3
    found = da.symmetry.conserved(ball, T - Omega * Lz)
    assert found
    assert np.isnan(found.by_energy)
    assert not da.symmetry.conserved(ball, T)


@pytest.mark.parametrize(
    ("given", "code"), [("missing + vx", "E104"), ([1, 2], "E718"), (None, "E718")], ids=["name", "list", "none"]
)
def test_no_function_of_the_state(systems, given, code):
    function = sp.Symbol("missing", real=True) if code == "E104" else given
    with pytest.raises(da.DalembertError) as caught:
        da.symmetry.conserved(systems["sleigh"], function)
    assert caught.value.code == code


def test_noether_needs_a_system():
    with pytest.raises(da.DalembertError, match="E101"):
        da.symmetry.noether("penny")


# --- units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-13, 1e-6, 1.0, 1e3, 1e9, 1e24])
def test_verdicts_do_not_depend_on_the_unit_of_mass(scale):
    s = da.rotation("R", frame="body")
    I1, I2, I3 = sp.symbols("I1 I2 I3", positive=True)
    L = sum(i * w**2 for i, w in zip((I1, I2, I3), s.velocities, strict=True)) / 2
    given = {"I1": 2 * scale, "I2": 3 * scale, "I3": 4 * scale}
    turns = da.symmetry.noether(da.System(s, L, parameters=given), da.symmetry.rotations("R"))
    assert all(m.symmetric and m.conserved for m in turns.momenta)
    assert len(turns.conserved) == 3
    spin = da.symmetry.noether(da.System(s, L, parameters=given), da.symmetry.spin("R"))["spin R"]
    assert not spin.symmetric
    assert not spin.conserved


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_verdicts_do_not_depend_on_the_unit_of_length(length):
    from dalembert.systems import chaplygin_sleigh, penny

    sleigh = da.symmetry.noether(chaplygin_sleigh.system(m=1.0, J=0.5 * length**2, a=0.4 * length))
    assert not sleigh.conserved
    assert not any(m.conserved for m in sleigh.momenta)
    coin = da.symmetry.noether(penny.system(m=1.0, R=0.5 * length, A=0.0625 * length**2, C=0.125 * length**2))
    assert coin["psi"].conserved
    assert not coin["shift x"].conserved


@pytest.mark.parametrize("GM", [1.0, 3.986e14, 1.327e20])
def test_a_planet_is_not_at_rest_in_any_units(GM):
    q = da.coordinates("x y")
    x, y, vx, vy = q
    k = sp.Symbol("k", positive=True)
    system = da.System(q, (vx**2 + vy**2) / 2 + k / sp.sqrt(x**2 + y**2), parameters={"k": GM})
    assert not da.symmetry.conserved(system, x)
    assert not da.symmetry.conserved(system, vx)
    assert da.symmetry.conserved(system, x * vy - y * vx)
    # Laplace's vector
    assert da.symmetry.conserved(system, vy * (x * vy - y * vx) - k * x / sp.sqrt(x**2 + y**2))
    assert not da.symmetry.conserved(system, vy * (x * vy - y * vx) + k * x / sp.sqrt(x**2 + y**2))


def test_slow_losses_beside_fast_motion_are_seen():
    q = da.coordinates("x y")
    c, k = sp.symbols("c k", positive=True)
    system = da.System(
        q,
        (q["vx"] ** 2 + q["vy"] ** 2) / 2 - k * q["x"] ** 2 / 2,
        forces={"vy": -c * q["vy"]},
        parameters={"k": 1e10, "c": 1.0},
    )
    assert not da.symmetry.conserved(system, q["vy"])
    assert da.symmetry.conserved(system, q["vy"] + c * q["y"])


# --- time and domain --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lagrangian", "constant", "not_constant"),
    [("grows", "p", "v"), ("driven", "v + t", "v")],
)
def test_momenta_that_hold_the_time(lagrangian, constant, not_constant):
    q = da.coordinates("x")
    t, v = sp.Symbol("t", real=True), q["vx"]
    L = {"grows": (1 + t) * v**2 / 2, "driven": v**2 / 2 + t * v}[lagrangian]
    functions = {"p": (1 + t) * v, "v": v, "v + t": v + t}
    system = da.System(q, L, symmetry="x")
    assert da.symmetry.conserved(system, functions[constant])
    assert not da.symmetry.conserved(system, functions[not_constant])
    assert da.symmetry.noether(system)["x"].conserved


@pytest.mark.parametrize("length", [1.0, 0.1, 100.0])
def test_states_are_taken_where_the_lagrangian_is_real(length):
    # a spherical pendulum over the disc of its shadow
    q = da.coordinates("x y")
    x, y, vx, vy = q
    l = sp.Symbol("l", positive=True)
    depth = sp.sqrt(l**2 - x**2 - y**2)
    L = (vx**2 + vy**2 + (x * vx + y * vy) ** 2 / depth**2) / 2 + 10 * depth
    system = da.System(q, L, parameters={"l": length}, symmetry=da.symmetry.turns("x y"))
    assert da.symmetry.noether(system)["turn x y"].conserved
    assert da.symmetry.conserved(system, x * vy - y * vx)
    assert not da.symmetry.conserved(system, vx)


# --- velocities without energy ----------------------------------------------------------------------------------------


def massless(constraint=None):
    """A rod pushes a bead along x; nothing or a constraint moves the light coordinate y."""
    q = da.coordinates("x y")
    _x, _y, vx, vy = q
    return da.System(q, vx**2 / 2, constraint and constraint(q), massless=[vy], symmetry="x y")


@pytest.mark.filterwarnings("ignore:W105")
@pytest.mark.parametrize(
    "ask", [da.symmetry.noether, lambda s: da.symmetry.conserved(s, s.space["vx"])], ids=["all", "one"]
)
def test_without_energy_no_motion_is_determined(ask):
    with pytest.raises(da.DalembertError, match=r"E107 the motion is not determined: .* \(vy = 1\)"):
        ask(massless())


@pytest.mark.filterwarnings("ignore:W105")
def test_a_velocity_without_energy_may_be_constrained():
    # vy = 2 vx, or vy = x vx:  vx is constant all the same
    for constraint in (lambda q: {"gear": q["vy"] - 2 * q["vx"]}, lambda q: {"cam": q["vy"] - q["x"] * q["vx"]}):
        system = massless(constraint)
        assert da.symmetry.conserved(system, system.space["vx"])
        assert da.symmetry.noether(system)["x"].conserved
        assert not da.symmetry.conserved(system, system.space["x"])


@pytest.mark.filterwarnings("ignore:W105")
def test_two_velocities_without_energy_need_two_constraints():
    q = da.coordinates("x y z")
    x, _y, _z, vx, vy, vz = q
    system = da.System(q, vx**2 / 2, {"tie": vy + vz - x * vx}, massless=[vy, vz], symmetry="y z")
    with pytest.raises(da.DalembertError, match=r"E107 .* \(vy = -?1, vz = -?1\)"):
        da.symmetry.noether(system)


# --- print ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "halves"), [("chaplygin_sleigh", 0), ("two_wheeled_robot", 0), ("snakeboard", 0)])
def test_momenta_are_written_without_what_cancels(name, halves):
    found = GALLERY.noether(name)
    assert str(found).count("/2") == halves
    for section in found.sections:
        # nothing that the velocities' coefficients could do without
        assert sp.count_ops(section.rate) <= sp.count_ops(sp.expand(section.rate))


@pytest.mark.parametrize(
    ("pitch", "value", "text"),
    [
        (lambda h, k: h, 1.366621656, "h (z)"),
        (lambda h, k: 1 / h, 1.366621656, "1/h (z)"),
        (lambda h, k: h * k, 1.366621656, "h*k (z)"),
        (lambda h, k: h / k, 1.366621656, "h/k (z)"),
        (lambda h, k: -h, 1.366621656, "-h (z)"),
    ],
    ids=["parameter", "inverse", "product", "quotient", "negative"],
)
def test_coefficients_that_are_parameters_are_written_as_such(pitch, value, text):
    # a screw: with psi = theta - z/p as what the potential knows, p shift + turn is conserved
    q = da.coordinates("theta z")
    theta, z, w, vz = q
    h, k = sp.symbols("h k", positive=True)
    p = pitch(h, k)
    L = (w**2 + vz**2) / 2 - sp.cos(theta - z / p) - h * k * (theta - z / p) ** 2
    system = da.System(q, L, parameters={"h": value, "k": 2.718281}, symmetry="theta z")
    (name,) = da.symmetry.noether(system).conserved
    assert name == f"theta + {text}"
    (J,) = da.symmetry.noether(system).conserved.values()
    assert sp.simplify(J - (w + p * vz)) == 0


def test_a_number_that_only_happens_to_be_a_parameter_stays_a_number():
    q = da.coordinates("theta z")
    theta, z, w, vz = q
    h = sp.Symbol("h", positive=True)
    L = (w**2 + vz**2) / 2 - h * sp.cos(theta - z / 1.366621656)
    system = da.System(q, L, parameters={"h": 1.366621656}, symmetry="theta z")
    (name,) = da.symmetry.noether(system).conserved
    assert "1.3666" in name


PLANE = da.coordinates("x y")
FLAT = "(dot(x)^2 + dot(y)^2)/2"


@pytest.mark.parametrize(
    ("surfaces", "struck"),
    [
        ({"walls": {"rim": "1 - x^2 - y^2"}}, {"vx": ("rim",), "x*vy - y*vx": ()}),
        ({"walls": {"floor": "y", "rim": "1 - x^2 - y^2"}}, {"vx": ("rim",), "x*vy - y*vx": ("floor",)}),
        ({"contacts": {"floor": da.contact(gap="y", slip=["dot(x)"], mu=0)}}, {"vx": (), "vy": ("floor",)}),
        (
            {"contacts": {"floor": da.contact(gap="y", slip=["dot(x)"], mu=0, mu_static=0.4)}},
            {"vx": ("floor",), "vy": ("floor",)},
        ),
        ({"contacts": {"floor": da.contact(gap="y", slip=["dot(x)"], mu=0.1)}}, {"vx": ("floor",), "vy": ("floor",)}),
        (
            {"contacts": {"floor": da.contact(gap="y")}, "constraints": {"slope": "dot(y) - dot(x)"}},
            {"vx": ("floor",), "vy - vx": ()},
        ),
    ],
    ids=["a circle", "half a circle", "smooth", "rough at rest", "rough", "along a slope"],
)
def test_what_walls_and_contacts_change_is_named(surfaces, struck):
    system = da.System(PLANE, FLAT, **surfaces)
    for function, names in struck.items():
        found = da.symmetry.conserved(system, function)
        assert found.conserved is (not names) and found.struck == names
        assert (f"constant while {', '.join(names)} do" if names else "constant (") in str(found)


def test_friction_leaves_the_constant_of_jellett_and_takes_the_spin_about_the_vertical():
    top = tippe_top.system()
    assert da.symmetry.conserved(top, tippe_top.JELLETT).struck == ()
    spin = sp.diag(tippe_top.INERTIA, tippe_top.INERTIA, tippe_top.AXIAL) * tippe_top.W
    upright = da.symmetry.conserved(top, spin.dot(tippe_top.NORMAL))
    assert upright.conserved is False and upright.struck == ("table",)


@pytest.mark.parametrize("e", [0, 0.5, 0.999999, 1])
def test_an_elastic_wall_keeps_the_energy_and_no_other_does(e):
    system = da.System(PLANE, FLAT, walls={"floor": {"guard": "y", "restitution": e}})
    for function in (FLAT, "dot(y)^2"):
        found = da.symmetry.conserved(system, function)
        assert found.conserved is (e == 1) and bool(found) is (e == 1)
    found = da.symmetry.first_integrals(system)
    assert [str(f) for f in found] == ["vx"] and (found.energy is not None) is (e == 1)
    assert len(found.apart) == 2 and "2 more while floor does not act" in str(found)  # vy and the angular momentum


def test_what_holds_an_input_changes_as_the_input_does():
    system = da.System(PLANE, FLAT, forces={"vx": "F"}, inputs="F")
    assert da.symmetry.conserved(system, "F").conserved is False
    assert da.symmetry.conserved(system, "dot(y)").conserved is True
