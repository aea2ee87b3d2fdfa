"""Text wherever the API takes an expression: the same system as from SymPy, and refusals in the words of the text."""

import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError, UnknownName, WrongType

x, y, theta, vx, vy, omega = sp.symbols("x y theta vx vy omega", real=True)
m, J, k, mu = sp.symbols("m J k mu", real=True)
VALUES = {"m": 2.0, "J": 0.5, "k": 3.0, "mu": 0.1}


def space():
    return da.coordinates("x y theta", velocities="vx vy omega")


def given(as_text):
    """One system, of expressions or of text."""
    pick = (lambda text, _: text) if as_text else (lambda _, e: e)
    return da.System(
        space(),
        pick(
            "m/2*(dot(x)^2 + dot(y)^2) + J/2*dot(theta)^2 - k/2*x^2",
            m * (vx**2 + vy**2) / 2 + J * omega**2 / 2 - k * x**2 / 2,
        ),
        {"blade": pick("sin(theta)*dot(x) - cos(theta)*dot(y)", sp.sin(theta) * vx - sp.cos(theta) * vy)},
        [{"omega": pick("-mu*omega", -mu * omega)}, da.forces.rayleigh(pick("mu*vx^2/2", mu * vx**2 / 2))],
        VALUES,
        momenta={"spin": pick("J*dot(theta)", J * omega)},
        symmetry={"shift": {"y": pick("1", 1)}},
        walls={"edge": pick("1 - x", 1 - x)},
        up=pick("y", "y"),
    )


def test_text_and_sympy_give_one_system():
    text, plain = given(True), given(False)
    assert text.lagrangian == plain.lagrangian
    assert [c.given for c in text.constraints] == [c.given for c in plain.constraints]
    assert text.forces == plain.forces
    assert text.momenta == plain.momenta
    assert text.symmetry[0].components == plain.symmetry[0].components
    assert [w.expressions for w in text.walls] == [w.expressions for w in plain.walls]
    assert str(da.nonholonomic(text)) == str(da.nonholonomic(plain))


def test_the_turntable_runs_from_text():
    # [lewis1995]: a ball on a turntable goes round at 2/7 of the table's angular velocity
    q = da.coordinates("x y") * da.rotation("R", velocities="w1 w2 w3", frame="space")
    system = da.System(
        q,
        "m/2*(dot(x)^2 + dot(y)^2) + m*r^2/5*(w1^2 + w2^2 + w3^2)",
        {"roll_x": "dot(x) - r*w2 + Omega*y", "roll_y": "dot(y) + r*w1 - Omega*x"},
        parameters={"m": 1.0, "r": 0.5, "Omega": 3.5},
    )
    equations = da.nonholonomic(system)
    run = da.simulate(
        equations, equations.start(x=1.0, y=0.0, vx=0.0, vy=1.0, w3=0.0, R=sp.eye(3).tolist()), until=2 * sp.pi.evalf()
    )
    # period 2 pi/(2 Omega/7) = 2 pi: back where it began, to the tolerance of the run
    assert abs(run["x"][-1] - run["x"][0]) < 1e-7
    assert abs(run["y"][-1] - run["y"][0]) < 1e-7


def test_a_parameter_whose_value_comes_later_is_declared():
    system = da.System(space(), "m/2*(vx^2 + vy^2 + omega^2)", parameters={"m": None})
    assert set(system.symbols) == {"m"}
    assert system.symbols["m"].is_real


def test_an_unknown_name_says_how_to_declare_it():
    with pytest.raises(UnknownName) as caught:
        da.System(space(), "m/2*(vx^2 + vy^2) + J/2*omega^2", parameters={"m": 1.0})
    error = caught.value
    assert error.code == "E702"
    assert "the Lagrangian" in error.fact
    assert 'parameters={"J": None}' in error.remedy
    assert error.detail.splitlines()[1].index("^") == "m/2*(vx^2 + vy^2) + J/2*omega^2".index("J")


def test_a_misspelt_name_is_recognised():
    with pytest.raises(UnknownName) as caught:
        da.System(space(), "m/2*(vx^2 + vy^2 + omega^2)", {"blade": "sin(thetta)*vx"}, parameters={"m": 1.0})
    assert "did you mean theta?" in caught.value.remedy
    assert "constraint blade" in caught.value.fact


@pytest.mark.parametrize("text_first", [True, False])
def test_the_stronger_statement_about_a_parameter_wins(text_first):
    strong = sp.Symbol("m", positive=True)
    L, c = (
        ("m/2*(vx^2 + vy^2 + omega^2)", strong * vx)
        if text_first
        else (strong * (vx**2 + vy**2 + omega**2) / 2, "m*vx")
    )
    with pytest.raises(DalembertError) as caught:
        da.System(space(), L, {"c": c}, parameters={"m": -1.0})
    assert caught.value.code == "E205"


def test_a_symbol_met_before_need_not_be_declared():
    system = da.System(space(), m * (vx**2 + vy**2 + omega**2) / 2, {"c": "m*vx"})
    assert set(system.symbols) == {"m"}


@pytest.mark.parametrize("name", ["I", "E", "S", "N", "beta", "gamma", "lambda"])
def test_ordinary_names(name):
    system = da.System(space(), f"{name}/2*(vx^2 + vy^2 + omega^2)", parameters={name: 2.0})
    assert system.lagrangian == sp.Symbol(name, real=True) * (vx**2 + vy**2 + omega**2) / 2


REFUSED = {
    "an equation": ("E706", lambda: da.System(space(), "vx^2 + vy^2 + omega^2", {"c": "vx = vy"})),
    "a parameter's rate": ("E710", lambda: da.System(space(), "m*dot(m)", parameters={"m": 1.0})),
    "an acceleration": ("E118", lambda: da.System(space(), "vx^2 + vy^2 + omega^2", {"c": "dot(vx) - x"})),
    "a force": ("E704", lambda: da.System(space(), "vx^2 + vy^2 + omega^2", forces={"vx": "2x"})),
    "a wall": ("E702", lambda: da.System(space(), "vx^2 + vy^2 + omega^2", walls={"w": "q"})),
    "a symmetry": ("E705", lambda: da.System(space(), "vx^2 + vy^2 + omega^2", symmetry={"g": {"x": "0,5"}})),
    "a momentum": ("E707", lambda: da.System(space(), "vx^2 + vy^2 + omega^2", momenta={"p": "(vx"})),
    "an applied force": (
        "E703",
        lambda: da.System(space(), "vx^2 + vy^2", forces=da.forces.applied(["vx"], ["sn(x)"])),
    ),
    "friction of text": ("E702", lambda: da.System(space(), "vx^2", forces=da.forces.viscous_friction(["vq"], 0.1))),
    "bytes": ("E718", lambda: da.System(space(), b"vx^2")),
    "None": ("E718", lambda: da.System(space(), None)),
    "a list": ("E718", lambda: da.System(space(), ["vx^2"])),
    "a function's name": ("E103", lambda: da.coordinates("floor x")),
    "the number pi": ("E103", lambda: da.coordinates("pi x")),
    "a word": ("E103", lambda: da.System(space(), "vx^2 + vy^2 + omega^2", parameters={"and": 1.0})),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    code, act = REFUSED[what]
    with pytest.raises(DalembertError) as caught:
        act()
    assert caught.value.code == code
    assert caught.value.remedy


def test_what_is_no_text_is_a_type_error():
    with pytest.raises(WrongType):
        da.System(space(), b"vx^2")


def test_walls_and_generators_given_later_know_the_parameters():
    system = da.System(space(), "m/2*(vx^2 + vy^2 + omega^2) - d*e*x", parameters={"m": 1.0, "d": 2.0, "e": 0.5})
    (event,) = da.impacts.walls(system, {"edge": {"guard": "d - x", "restitution": "e"}})
    assert {s.name for s in event.guard.free_symbols} == {"d", "x"}
    assert da.impacts.loss(system, "d - x", restitution="e").has(sp.Symbol("e", real=True))


def test_a_changed_system_keeps_its_text():
    system = given(True)
    again = system.changed(title="again")
    assert (again.lagrangian, again.forces) == (system.lagrangian, system.forces)
