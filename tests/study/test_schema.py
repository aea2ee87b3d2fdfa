"""What each part of a file means: the system of a text equals the one built by the API."""

import math
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.frame import TIME
from dalembert.study import read_source

HEAD = "schema = 1\n"
x, y, theta, vx, vy, omega, w1, w2, w3 = sp.symbols("x y theta vx vy omega w1 w2 w3", real=True)
m, J, r, k = sp.symbols("m J r k", real=True)


def system(space, rest="", L='"dot(x)^2/2"'):
    return read_source(f"{HEAD}[space]\n{space}\n[lagrangian]\nL = {L}\n{rest}").system


def plain(rest, L='"dot(x)^2/2 + dot(y)^2/2"'):
    return system('coordinates = "x y"', rest, L)


def energy(space):
    """A kinetic energy of all velocities."""
    return sum(u**2 for u in space.velocities)


def moving(space):
    """The same as the text of a file."""
    return f'"{" + ".join(f"{u}^2" for u in space.velocities)}"'


# --- space -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "space"),
    [
        ('coordinates = "x y theta"', da.coordinates("x y theta")),
        ('coordinates = ["x", "y"]', da.coordinates("x y")),
        ('coordinates = { x = "line", theta = "angle" }', da.line("x") * da.angle("theta")),
        ('coordinates = { theta = "angle", x = "line" }', da.angle("theta") * da.line("x")),
        ('coordinates = { theta = { kind = "angle", velocity = "omega" } }', da.angle("theta", "omega")),
        ('coordinates = { x = { velocity = "u" } }', da.line("x", "u")),
        ('plane = "x y"', da.plane("x y")),
        ('plane = { names = "x y", velocities = "a b" }', da.plane("x y", "a b")),
        ('rotation = "w"', da.rotation("R")),
        ('rotation = "w1 w2 w3"', da.rotation("R")),
        ('rotation = "p q r"', da.rotation("R", "p q r")),
        ('rotation = { name = "Q", velocities = "om", frame = "body" }', da.rotation("Q", "om1 om2 om3", "body")),
        ('rotation = { attitude = "matrix" }', da.rotation("R", attitude="matrix")),
        ('rotation = [{ name = "A", velocities = "a" }, { name = "B", velocities = "b" }]',
         da.rotation("A", "a1 a2 a3") * da.rotation("B", "b1 b2 b3")),
        ('direction = "w"', da.direction("z")),
        ('direction = { name = "n", velocities = "u" }', da.direction("n", "u1 u2 u3")),
        ('SE2 = "x y theta"', da.SE2()),
        ('SE2 = { frame = "space" }', da.SE2(frame="space")),
        ('SE3 = {}', da.SE3()),
        ('SE3 = { names = "a b c", rotation = "Q", frame = "space" }', da.SE3("a b c", "Q", frame="space")),
        ('coordinates = "x"\nrotation = "w"', da.line("x") * da.rotation("R")),
        ('rotation = "w"\ncoordinates = "x"', da.rotation("R") * da.line("x")),
        ('[[space.factor]]\ncoordinates = "x"\n[[space.factor]]\nrotation = "w"\n[[space.factor]]\ncoordinates = "y"',
         da.line("x") * da.rotation("R") * da.line("y")),
    ],
)  # fmt: skip
def test_spaces(files, text, space):
    found = system(text, L=moving(space))
    assert files.differences(found, da.System(space, energy(space))) == []


def test_a_moving_frame(files):
    text = """frame = { coordinates = "x y theta", velocities = "f s u", angles = "theta", anchor = [
        ["cos(theta)", "-sin(theta)", 0], ["sin(theta)", "cos(theta)", 0], [0, 0, 1]] }"""
    c, s = sp.cos(theta), sp.sin(theta)
    anchor = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    space = da.Space("x y theta", "f s u", anchor, angles=["theta"])
    f = sp.Symbol("f", real=True)
    assert files.differences(system(text, L='"f^2"'), da.System(space, f**2)) == []
    given = text.replace("angles", 'brackets = { "f u" = [0, -1, 0], "s u" = [1, 0, 0] }, angles')
    assert system(given, L='"f^2"').space.brackets == {(0, 2): (0, -1, 0), (1, 2): (1, 0, 0)}
    wrong = given.replace("[0, -1, 0]", "[0, 1, 0]")
    with pytest.raises(da.DalembertError) as caught:
        system(wrong, L='"f^2"')
    assert caught.value.code == "E141"


def test_a_frame_with_a_parameter_and_a_relation(files):
    text = """frame = { coordinates = "a b", velocities = "u", anchor = [["-k*b"], ["k*a"]], brackets = {},
        embedding = ["a^2 + b^2 - 1"], retraction = { a = "a/sqrt(a^2 + b^2)", b = "b/sqrt(a^2 + b^2)" } }
    [parameters]
    k = 2""".replace("\n        embedding", " embedding")
    a, b, u = sp.symbols("a b u", real=True)
    size = sp.sqrt(a**2 + b**2)
    space = da.Space(
        "a b", "u", [[-k * b], [k * a]], {}, embedding=[a**2 + b**2 - 1], retraction={a: a / size, b: b / size}
    )
    assert files.differences(system(text, L='"u^2 + a"'), da.System(space, u**2 + a, parameters={"k": 2})) == []


def test_dot_is_the_rate_of_a_coordinate():
    found = system('SE2 = "x y theta"', L='"dot(x)^2 + dot(theta)^2"')
    v1, v2 = sp.symbols("v1 v2", real=True)
    assert found.lagrangian == (v1 * sp.cos(theta) - v2 * sp.sin(theta)) ** 2 + omega**2


# --- parameters ------------------------------------------------------------------------------------------------------


def test_parameters_with_units_signs_sources_and_without_value():
    found = read_source(
        HEAD
        + """cite = ["lewis1995", "a note"]
        [space]
        coordinates = "x"
        [parameters]
        m = { value = "66.9 g", sign = "positive", source = "weighed" }
        k = "2 N/m"
        a = { sign = "nonnegative" }
        b = "?"
        s = { value = "-1 m^2/s^2", sign = "any" }
        [units]
        x = "m"
        [lagrangian]
        L = "m*dot(x)^2/2 - k*x^2/2 - (a + b + s)*m"
        """
    ).system
    assert found.parameters == {"m": 0.0669, "k": 2.0, "a": None, "b": None, "s": -1.0}
    assumed = {name: dict(s._assumptions_orig) for name, s in found.symbols.items()}
    assert assumed["m"] == {"positive": True}
    assert assumed["a"] == {"nonnegative": True}
    assert assumed["b"] == assumed["k"] == {"real": True}
    assert assumed["s"] == {}
    assert str(found.units["k"]) == "kg/s**2"
    assert found.sources == {"m": "weighed"}
    assert found.cite == ("lewis1995", "a note")
    assert found.changed(title="other").cite == found.cite
    assert found.changed(title="other").sources == found.sources


FOLLOWING = """[parameters]
I = "2/5*m*r^2"
m = "rho*4/3*pi*r^3"
r = "2 cm"
rho = "7800 kg/m^3"
"""


def kinetic_energy(study, given, speed=1):
    path = da.simulate(da.free(study.system), {"x": 0, "vx": speed}, until=0.1, parameters=given)
    return path["energy"][0]


def test_parameters_follow_from_others_in_whatever_order():
    study = read_source(f'{HEAD}[space]\ncoordinates = "x"\n{FOLLOWING}[lagrangian]\nL = "(m + I/r^2)*dot(x)^2/2"\n')
    mass = 7800 * 4 / 3 * math.pi * 0.02**3
    assert study.constants == pytest.approx({"I": 0.4 * mass * 4e-4, "m": mass, "r": 0.02, "rho": 7800}, rel=1e-15)
    assert study.system.parameters == {"r": 0.02, "rho": 7800} and {*study.system.defined} == {"I", "m"}
    for changes, kinetic in (({}, 1.4), ({"rho": 15600}, 2.8), ({"r": "4 cm"}, 11.2)):
        given = study.overrides(changes)
        assert kinetic_energy(study, given) == pytest.approx(kinetic * mass / 2, rel=1e-14)


def test_parameters_that_follow_have_values_of_their_own_where_asked():
    study = read_source(f'{HEAD}[space]\ncoordinates = "x"\n{FOLLOWING}[lagrangian]\nL = "(m + I/r^2)*dot(x)^2/2"\n')
    assert study.overrides({"r": "4 cm", "I": 1.0}) == {"r": 0.04, "I": 1.0}
    with pytest.raises(KeyError, match=r"E202 I follows from r, rho(.|\n)*freed\(\[\"I\"\]\)"):
        da.free(study.system).start(x=0, vx=1, parameters={"I": 1.0})
    freed = study.freed(["I"])
    assert freed.freed(["I"]) is freed and study.freed(["r"]) is study
    assert {*freed.system.defined} == {"m"} and freed.freed(["m"]).system.defined == {}
    mass = 7800 * 4 / 3 * math.pi * 0.04**3
    assert kinetic_energy(freed, {"r": 0.04, "I": 1.0}) == pytest.approx((mass + 1.0 / 0.04**2) / 2, rel=1e-14)
    assert freed.system.parameters["I"] == pytest.approx(0.4 * mass / 8 * 4e-4, rel=1e-14)
    with pytest.raises(da.DalembertError) as caught:
        study.overrides({"rrho": 1})
    assert (caught.value.code, caught.value.remedy) == ("E202", "did you mean rho?")


def test_units_are_carried_through_expressions():
    study = read_source(f'{HEAD}[space]\ncoordinates = "x"\n{FOLLOWING}[lagrangian]\nL = "(m + I/r^2)*dot(x)^2/2"\n')
    assert str(study.system.units["I"]) == "kg*m**2"
    with pytest.raises(da.DalembertError) as caught:
        read_source(f'{HEAD}[space]\ncoordinates = "x"\n{FOLLOWING}[lagrangian]\nL = "(m + I)*dot(x)^2/2"\n')
    assert caught.value.code == "E134"


def test_what_follows_follows_in_runs_and_sweeps():
    study = read_source(
        f"""{HEAD}[space]\ncoordinates = "x"\n{FOLLOWING}[lagrangian]\nL = "(m + I/r^2)*dot(x)^2/2"
        [[run]]
        principle = "free"
        start = {{ x = 0, vx = 1 }}
        until = 1
        parameters = {{ r = "4 cm" }}
        [[sweep]]
        principle = "free"
        start = {{ x = 0, vx = "0:1:3" }}
        parameters = {{ r = "2:4:2 cm", rho = [7800, 15600] }}
        until = 1
        [[sweep]]
        principle = "free"
        start = {{ x = 0, vx = 0 }}
        parameters = {{ r = "2:4:2 cm", rho = [7800, 15600] }}
        rows = "table"
        until = 1
        """
    )
    mass = study.constants["m"]
    assert kinetic_energy(study, study.runs[0].parameters) == pytest.approx(1.4 / 2 * 8 * mass, rel=1e-14)
    grid, table = study.sweeps
    assert grid.parameters == table.parameters == {"r": (0.02, 0.04), "rho": (7800.0, 15600.0)}
    assert grid.start == {"x": 0, "vx": (0.0, 0.5, 1.0)}
    found = da.sweep(
        da.free(study.system), starts={"x": 0, "vx": 1}, parameters=grid.parameters, until=0.1, keep=["energy"]
    )
    np.testing.assert_allclose(found.energy, 0.7 * mass * np.array([[1, 2], [8, 16]]), rtol=1e-14)


# --- L and its parts -------------------------------------------------------------------------------------------------


def test_names_that_other_languages_take_are_ordinary():
    found = plain(
        "[parameters]\nI = 1\nE = 2\nS = 3\nN = 4\nbeta = 5\nlambda = 6\nQ = 7\n",
        '"I*E*S*N*beta*lambda*Q*dot(x)^2 + dot(y)^2"',
    )
    assert set(found.symbols) == {"I", "E", "S", "N", "beta", "lambda", "Q"}
    assert found.lagrangian.free_symbols - set(found.symbols.values()) == {vx, vy}


def test_definitions_are_parts_of_expressions(files):
    found = plain(
        """T = "m/2*speed2"
        V = "m*g*y"
        up = "y"
        massless = "x"
        [definitions]
        speed2 = "dot(y)^2 + slow"
        slow = "g*0"
        [parameters]
        m = 1
        g = 9.81
        [[constraint]]
        name = "c"
        phi = "dot(x) - V/(m*g)"
        """,
        '"T - V"',
    )
    g = sp.Symbol("g", real=True)
    by_api = da.System(
        da.coordinates("x y"), m / 2 * vy**2 - m * g * y, {"c": vx - y}, parameters={"m": 1, "g": 9.81}, up=y,
        massless=["vx"],
    )  # fmt: skip
    assert files.differences(found, by_api) == []


def test_a_definition_that_is_not_used_is_doubted():
    with pytest.warns(da.DalembertWarning, match="W119 definition V is not used"):
        read_source(f'{HEAD}[space]\ncoordinates = "x"\n[lagrangian]\nT = "dot(x)^2"\nV = "x"\nL = "T"\n')


@pytest.mark.parametrize("name", ["x", "vx", "m", "t"])
def test_a_definition_has_a_name_of_its_own(files, name):
    with pytest.raises(da.DalembertError) as caught:
        plain(f'[parameters]\nm = 1\n[definitions]\n{name} = "3"\n', '"m*dot(x)^2"')
    assert caught.value.code == "E103"


def test_definitions_do_not_go_in_circles():
    with pytest.raises(da.DalembertError) as caught:
        plain('[definitions]\na = "b"\nb = "a*x"\n', '"a + dot(x)^2"')
    assert caught.value.code == "E210"


def test_constraints_momenta_inertias_units_and_time(files):
    found = plain(
        """[parameters]
        m = 1
        J = 2
        [units]
        [[constraint]]
        name = "wall"
        phi = "x*y - t"
        [[equivalent]]
        name = "other"
        phi = "x*dot(y) + y*dot(x) - 1"
        [momenta]
        p = "m*dot(x)"
        [inertias]
        body = ["J", "J", 1]
        full = [[2, 0, "J/4"], [0, 2, 0], ["J/4", 0, 2]]
        """,
        '"m*(dot(x)^2 + dot(y)^2)/2"',
    )
    by_api = da.System(
        da.coordinates("x y"),
        m * (vx**2 + vy**2) / 2,
        {"wall": x * y - TIME},
        equivalent={"other": x * vy + y * vx - 1},
        momenta={"p": m * vx},
        inertias={"body": [J, J, 1], "full": sp.Matrix([[2, 0, J / 4], [0, 2, 0], [J / 4, 0, 2]])},
        parameters={"m": 1, "J": 2},
    )
    assert files.differences(found, by_api) == []


# --- forces ----------------------------------------------------------------------------------------------------------


def test_forces(files):
    found = plain(
        """[parameters]
        k = 1
        m = 1
        [forces]
        vx = "-k*x"
        "dot(y)" = 2
        [[force]]
        name = "push"
        velocity = ["dot(x)", "dot(y)"]
        force = ["k", "-k*dot(x)"]
        [[force]]
        components = { vy = "k" }
        [[force]]
        dissipation = "k*dot(x)^2/2"
        [friction]
        viscous = [{ velocity = ["dot(x)"], coefficient = "k" },
            { velocity = ["dot(y)"], coefficient = 0.5, name = "air" }]
        rotational = { velocity = ["dot(y)"], mu = "0.1" }
        rolling = { slip = ["dot(x)", "dot(y)"], load = "9.81*m", delta = "0.005" }
        """,
        '"m*dot(x)^2/2 + dot(y)^2/2"',
    )
    mu, delta = sp.symbols("mu delta", nonnegative=True)
    laws = [
        {vx: -k * x, vy: 2},
        da.forces.applied([vx, vy], [k, -k * vx], "push"),
        {vy: k},
        da.forces.rayleigh(k * vx**2 / 2),
        da.forces.viscous_friction([vx], k),
        da.forces.viscous_friction([vy], sp.Float(0.5), "air"),
        da.forces.rotational_friction([vy], mu),
        da.forces.rolling_friction([vx, vy], delta, sp.Float(9.81) * m),
    ]
    values = {"k": 1, "m": 1, "mu": 0.1, "delta": 0.005}
    by_api = da.System(da.coordinates("x y"), m * vx**2 / 2 + vy**2 / 2, forces=laws, parameters=values)
    assert files.differences(found, by_api) == []


def test_rolling_friction_is_never_guessed(files):
    with pytest.raises(da.DalembertError) as caught:
        plain('[friction]\nrolling = { delta = "0.005" }\n')
    assert [p.code for p in caught.value.problems] == ["E508", "E508"]
    assert [p.fact for p in caught.value.problems] == ["friction.rolling has no slip", "friction.rolling has no load"]


@pytest.mark.parametrize("given", ["", "nu = 1, coefficient = 2, "])
def test_a_friction_has_one_coefficient(given):
    with pytest.raises(da.DalembertError) as caught:
        plain(f'[friction]\nviscous = {{ {given}velocity = ["dot(x)"] }}\n')
    assert caught.value.code == "E508"


# --- symmetry and walls ----------------------------------------------------------------------------------------------


def test_symmetry_by_groups(files):
    text = """coordinates = { x = "line", y = "line", z = "line", theta = "angle" }
    rotation = "w"
    [symmetry]
    cyclic = "theta"
    translations = "z"
    euclidean = { plane = "x y", headings = "R" }
    rotations = { names = "R", axis = 3 }
    spin = [{ axis = [1, 0, 0] }, "R"]
    """
    space = da.coordinates("x y z") * da.angle("theta") * da.rotation("R")
    moves = [
        "theta",
        da.symmetry.translations("z"),
        da.symmetry.euclidean("x y", "R"),
        da.symmetry.rotations("R", axis=3),
        da.symmetry.spin("R", (1, 0, 0)),
        da.symmetry.spin("R"),
    ]
    assert files.differences(system(text, L=moving(space)), da.System(space, energy(space), symmetry=moves)) == []


def test_symmetry_by_generators_and_its_order(files):
    text = """coordinates = "x y"
    rotation = "w"
    [symmetry.generators]
    around = { x = "-y", y = "x", R = [0, 0, 1] }
    own = { R = { w = [1, 0, 0], frame = "body" } }
    along = { "dot(x)" = 1 }
    """
    space = da.coordinates("x y") * da.rotation("R")
    from dalembert.model.symmetry import AngularVelocity

    fields = {
        "around": {"x": -y, "y": x, "R": (0, 0, 1)},
        "own": {"R": AngularVelocity((1, 0, 0), "body")},
        "along": {"x": 1},
    }
    assert files.differences(system(text, L=moving(space)), da.System(space, energy(space), symmetry=fields)) == []
    swapped = plain('[symmetry]\nturns = "x y"\ncyclic = "x"\n')
    assert [g.name for g in swapped.symmetry] == ["turn x y", "x"]


def test_walls(files):
    found = plain(
        """[parameters]
        e = { value = 0.5, sign = "positive" }
        [[wall]]
        name = "floor"
        guard = "y"
        constraints = { grip = "dot(x)" }
        restitution = { normal = "e", grip = 0 }
        [[wall]]
        name = "left"
        guard = "x + 1"
        restitution = 0.25
        [[wall]]
        name = "right"
        guard = "1 - x"
        """
    )
    e = sp.Symbol("e", positive=True)
    given = {
        "floor": {"guard": y, "constraints": {"grip": vx}, "restitution": {"normal": e, "grip": 0}},
        "left": {"guard": x + 1, "restitution": 0.25},
        "right": 1 - x,
    }
    by_api = da.System(da.coordinates("x y"), vx**2 / 2 + vy**2 / 2, walls=given, parameters={"e": 0.5})
    assert files.differences(found, by_api) == []


# --- entries ---------------------------------------------------------------------------------------------------------


def test_a_run_in_full(files):
    study = read_source(
        files.SLEIGH
        + """
        [[run]]
        principle = "vakonomic"
        start = { x = "10 cm", y = 0, theta = "30 deg", "dot(x)" = 1, omega = "2 1/s", lam1 = 10 }
        t = "1 min"
        until = "2 min"
        samples = [60, 90, 120]
        parameters = { m = "2 kg" }
        project = "kinetic"
        method = "radau"
        options = { rtol = 1e-8, atol = { x = 1e-10 }, max_step = "100 ms", max_steps = 1000, seconds = 5,
                    stabilisation = { baumgarte = 2 } }
        [[run.event]]
        name = "edge"
        guard = "x^2 + y^2 - m"
        then = "stop"
        direction = "rising"
        [[run.event]]
        name = "kick"
        guard = "t - 70 + lam_blade"
        then = { vx = "-vx" }
        direction = -1
        [units]
        m = "kg"
        """.replace('{ x = "10 cm"', '{ x = "10 cm"')
        .replace("omega", "vtheta")
        .replace(",\n                    stab", ", stab")
    )
    run = study.runs[1]
    assert (run.name, run.principle, run.t, run.until, run.samples) == (
        "run 2",
        "vakonomic",
        60.0,
        120.0,
        (60.0, 90.0, 120.0),
    )
    assert run.start == {"x": "10 cm", "y": 0, "theta": "30 deg", "vx": 1, "vtheta": "2 1/s", "lam_blade": 10}
    assert run.parameters == {"m": 2.0}
    assert run.options == {
        "method": "radau", "rtol": 1e-8, "atol": {"x": 1e-10}, "max_step": 0.1, "max_steps": 1000, "seconds": 5.0,
        "stabilisation": {"baumgarte": 2.0},
    }  # fmt: skip
    lam = sp.Symbol("lam_blade", real=True)
    assert run.events == (
        da.Event("edge", x**2 + y**2 - m, "stop", 1),
        da.Event("kick", TIME - 70 + lam, {"vx": -vx}, -1),
    )
    assert (run.project, run.where.line) == ("kinetic", files.SLEIGH.count("\n") + 2)


def test_walls_are_met_unless_the_run_says_no(files):
    wall = '\n[[wall]]\nname = "w"\nguard = "x + 9"\n'
    text = files.SLEIGH + wall
    assert "walls" not in read_source(text).runs[0].options
    assert read_source(text.replace("until = 2", "until = 2\nwalls = false")).runs[0].options == {"walls": False}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('"identity"', "identity"),
        ("{ w = 1, x = 0, y = 0, z = 0 }", {"w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0}),
        ("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", ((1, 0, 0), (0, 1, 0), (0, 0, 1))),
    ],
)
def test_a_rotation_at_the_start(given, kept):
    entry = f'[[run]]\nprinciple = "free"\nuntil = 1\nstart = {{ R = {given}, w1 = 1, w2 = 0, w3 = 0 }}\n'
    study = read_source(f'{HEAD}[space]\nrotation = "w"\n[lagrangian]\nL = "w1^2 + w2^2 + w3^2"\n{entry}')
    assert study.runs[0].start["R"] == kept
    assert da.free(study.system).start(**study.runs[0].start)["R_w"] == 1.0


@pytest.mark.parametrize(
    ("given", "code"), [("[1, 0, 0, 0]", "E238"), ("0.5", "E239"), ('"up"', "E239"), ("[[true]]", "E204")]
)
def test_no_rotation_at_the_start(given, code):
    entry = f'[[run]]\nprinciple = "free"\nuntil = 1\nstart = {{ R = {given} }}\n'
    with pytest.raises(da.DalembertError) as caught:
        read_source(f'{HEAD}[space]\nrotation = "w"\n[lagrangian]\nL = "w1^2 + w2^2 + w3^2"\n{entry}')
    assert caught.value.code == code


def test_compare_and_sweep(files):
    study = read_source(
        files.SLEIGH
        + """
        [[compare]]
        principles = "nonholonomic vakonomic"
        start = { x = 0, y = 0, theta = 0, vx = 1, vtheta = 1, lam1 = 0 }
        until = 1
        samples = 11
        [[sweep]]
        name = "many"
        principle = "nonholonomic"
        start = { x = 0, y = ["1 cm", 2], theta = "0:90:4 deg", vx = 1, vtheta = "-1:1:3" }
        until = 1
        times = 5
        keep = "x energy"
        parameters = { m = [1, 2] }
        """
    )
    compare, sweep = study.compares[0], study.sweeps[0]
    assert (compare.principles, compare.samples) == (("nonholonomic", "vakonomic"), 11)
    assert compare.start["lam_blade"] == 0
    assert sweep.start["y"] == ("1 cm", 2)
    assert sweep.start["theta"] == ("0.0 deg", "30.0 deg", "60.0 deg", "90.0 deg")
    assert sweep.start["vtheta"] == (-1.0, 0.0, 1.0)
    assert (sweep.rows, sweep.times, sweep.keep, sweep.parameters) == ("grid", 5, ("x", "energy"), {"m": (1.0, 2.0)})


@pytest.mark.parametrize("n", [2, 11, 1000])
def test_a_range_ends_where_it_is_said_to_end(files, n):
    entry = f'[[sweep]]\nprinciple = "free"\nuntil = 1\nstart = {{ x = "0.1:0.7:{n}" }}\n'
    values = read_source(files.SLEIGH + entry).sweeps[0].start["x"]
    assert (values[0], values[-1], len(values)) == (0.1, 0.7, n)


def test_the_methods_of_a_file_are_those_of_the_library():
    from dalembert.numerics.methods import METHODS
    from dalembert.study.entries import option

    told = (Path(__file__).parents[2] / "docs" / "reference" / "file.md").read_text(encoding="utf-8")
    for word in METHODS:
        assert option("method", word) == word
        assert f'`"{word}"`' in told


def test_limits_are_raised_by_the_person_only(files):
    names = " ".join(f"q{n}" for n in range(70))
    text = (
        f'{HEAD}[space]\ncoordinates = "{names}"\n[lagrangian]\nL = "{" + ".join(f"dot(q{n})^2" for n in range(70))}"\n'
    )
    with pytest.raises(da.DalembertError) as caught:
        read_source(text, limits={"coordinates": 60})
    assert caught.value.code == "E135"
    assert len(read_source(text, limits={"coordinates": 80}).system.space.coordinates) == 70
    with pytest.raises(da.DalembertError) as caught:
        read_source(text + "[limits]\ncoordinates = 80\n")
    assert caught.value.code == "E508"


RACE = """schema = 1
[space]
coordinates = "s phi"
[parameters]
m = 1
r = "5 cm"
g = "9.81 m/s^2"
alpha = "20 deg"
shape = 0.5
I = "shape*m*r^2"
[lagrangian]
L = "m*dot(s)^2/2 + I*dot(phi)^2/2 + m*g*s*sin(alpha)"
[[constraint]]
name = "roll"
phi = "dot(s) - r*dot(phi)"
[[run]]
name = "ball"
principle = "nonholonomic"
start = { s = 0, phi = 0, vs = 0 }
until = 1
parameters = { shape = 0.4 }
[[run]]
name = "given"
principle = "nonholonomic"
start = { s = 0, phi = 0, vs = 0 }
until = 1
parameters = { I = "2 kg*m^2", shape = 0.4 }
"""


def test_a_race_down_a_slope_does_not_depend_on_the_radius():
    """s = g sin(alpha)/(1 + shape) t^2/2, whatever m and r: I goes with them, in runs and in derivatives."""
    study = read_source(RACE.replace("m = 1\n", 'm = "1 kg"\n'))
    e = da.nonholonomic(study.system)
    ball, given = study.runs
    fall = 9.81 * math.sin(math.radians(20)) / 2
    end = da.simulate(e, ball.start, until=1.0, parameters={"r": "10 cm", **ball.parameters}).at(1.0)["s"]
    assert end == pytest.approx(fall / 1.4, rel=1e-9)
    slopes = da.sensitivities(e, ball.start, until=1.0, by=["r", "m", "shape"])["s"][-1]
    np.testing.assert_allclose(slopes, [0, 0, -fall / 1.5**2], atol=1e-8)
    freed = da.nonholonomic(study.of(given).system)
    end = da.simulate(freed, given.start, until=1.0, parameters=given.parameters).at(1.0)["s"]
    assert end == pytest.approx(fall / (1 + 2 / 0.05**2), rel=1e-9)
    assert "I = m*r**2*shape" in str(e)
