"""Walls and imposed constraints: what is misspelt, of the wrong kind, or no wall is refused in the user's words."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate

STRANGE = sp.Symbol("zz", real=True)


def particle(**given):
    q = da.coordinates("x y")
    m = sp.Symbol("m", positive=True)
    return q, da.System(q, m * (q["vx"] ** 2 + q["vy"] ** 2) / 2, parameters={"m": 1.0}, **given)


# --- names and kinds --------------------------------------------------------------------------------------------------

WRONG = {
    "guard": (lambda s, q: da.impacts.wall(s, q["x"] - STRANGE), "E104", "the guard holds zz"),
    "constraint": (
        lambda s, q: da.impacts.wall(s, q["x"], {"grip": q["vy"] - STRANGE}),
        "E104",
        "the constraint grip holds zz",
    ),
    "restitution": (lambda s, q: da.impacts.wall(s, q["x"], restitution=STRANGE), "E104", "the restitution holds zz"),
    "restitution by name": (
        lambda s, q: da.impacts.wall(s, q["x"], restitution="e"),
        "E104",
        "the restitution holds e",
    ),
    "loss": (lambda s, q: da.impacts.loss(s, q["x"] - STRANGE), "E104", "the guard holds zz"),
    "walls": (lambda s, q: da.impacts.walls(s, {"left": q["x"] - STRANGE}), "E104", "left: the guard holds zz"),
    "misspelt": (lambda s, q: da.impacts.wall(s, q["x"] - sp.Symbol("vX")), "E104", "did you mean vx"),
    "name": (lambda s, q: da.impacts.wall(s, q["x"], name=3), "E131", "the name of a wall is text, not int"),
    "hidden": (lambda s, q: da.impacts.wall(s, q["x"], name="w\x1b[2J"), "E131", "U+001B does not show"),
    "text": (lambda s, q: da.impacts.wall(s, q["x"], restitution="0.5"), "E204", "give a number"),
    "position": (lambda s, q: da.impacts.wall(s, q["x"], {"at": q["y"] - 1}), "E131", "at: y - 1 holds no velocity"),
    "its rate": (lambda s, q: da.impacts.wall(s, q["x"], {"at": q["y"] - 1}), "E131", "its rate is vy"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_walls_of_the_wrong_kind_are_refused(case):
    call, code, text = WRONG[case]
    q, system = particle()
    with pytest.raises(da.DalembertError) as caught:
        call(system, q)
    assert caught.value.code == code, str(caught.value)
    assert text in str(caught.value)


# --- surfaces ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guard", "remedy"),
    [
        (lambda x, y: x**2, "write x"),
        (lambda x, y: 4 * x**2 - 4 * x + 1, "write 2*x - 1"),
        (lambda x, y: (x - y) ** 2, "write x - y"),
        (lambda x, y: x**3, "write x"),
        (lambda x, y: (x - 1) ** 2 * (x + 3), "passes through 0"),
        (lambda x, y: 1 - sp.cos(x), "passes through 0"),
        (lambda x, y: x**2 + y**2, "passes through 0"),
    ],
    ids=["square", "expanded", "difference", "cube", "touch", "cosine", "point"],
)
def test_a_guard_whose_gradient_vanishes_with_it_is_refused(guard, remedy):
    q, system = particle()
    with pytest.raises(da.DalembertError, match=r"E131 the gradient of the guard .* vanishes") as caught:
        da.impacts.wall(system, guard(q["x"], q["y"]))
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    "guard",
    [
        lambda x, y: x,
        lambda x, y: 1e-6 - x,
        lambda x, y: 1e6 + x - 2 * y,
        lambda x, y: 1 - x**2 - y**2,
        lambda x, y: sp.sqrt(x**2 + y**2) - 1,
        lambda x, y: x * y,
        lambda x, y: sp.exp(x) - 2,
        lambda x, y: y - sp.sin(5 * x),
        lambda x, y: x**3 - x + y,
        lambda x, y: sp.exp(x),
    ],
    ids=["plane", "small", "large", "circle", "root", "corner", "exp", "wave", "cubic", "never"],
)
def test_surfaces_with_a_normal_are_walls(guard):
    q, system = particle()
    assert da.impacts.wall(system, guard(q["x"], q["y"])).then


def test_the_two_sides_of_a_wall_are_two_walls():
    q, system = particle()
    right, left = da.impacts.walls(system, {"right side": q["x"], "left side": -2 * q["x"]})
    assert right.guard == q["x"]
    # either reverses vx, whatever the factor of the guard
    graph = Graph()
    for event in (right, left):
        assert evaluate([read(event.then["vx"], graph)], {"vx": 1.5, "x": 0.0, "m": 1.0})[0] == pytest.approx(-1.5)
    with pytest.raises(da.DalembertError, match="E132"):
        da.impacts.walls(system, {"one": q["x"], "again": 2 * q["x"]})


# --- W131 -------------------------------------------------------------------------------------------------------------


def rod(e):
    q = da.coordinates("x y a")
    T = q["vx"] ** 2 + q["vy"] ** 2 + sp.Rational(1, 3) * q["va"] ** 2
    law = {"guard": q["y"] - sp.sin(q["a"]), "constraints": {"grip": q["vx"] + sp.sin(q["a"]) * q["va"]}}
    return da.System(q, T / 2, walls={"floor": {**law, "restitution": {"normal": "e"}}}, parameters={"e": e})


def test_w131_looks_at_the_whole_range_of_a_restitution():
    # at e = 0 all is plastic and nothing can be gained; at e = 1 it can
    with pytest.warns(da.DalembertWarning, match=r"W131 the impact at floor can gain energy, up to .* with e = 1"):
        da.impacts.walls(rod(0.0))
    with pytest.warns(da.DalembertWarning, match="W131"):
        da.impacts.walls(rod(None))


# --- constraints imposed at an instant --------------------------------------------------------------------------------


def bladed(**changes):
    q, system = particle(**changes)
    return q, da.nonholonomic(system.changed(constraints={"blade": q["vy"] - q["x"] * q["vx"]}))


AT = {"x": 1.0, "y": 0.0, "vx": 1.0, "vy": 0.0}


def test_a_state_may_be_given_by_symbols_and_with_units():
    q, system = particle()
    blade = {"blade": q["vy"] - q["vx"]}
    equations = da.nonholonomic(system.changed(constraints=blade, units={"x": "m"}))
    expected = da.impacts.impose(equations, AT)
    for given in (
        {q[n]: v for n, v in AT.items()},
        {"x": "100 cm", "y": 0, "vx": "1 m/s", "vy": "0 m/s"},
    ):
        found = da.impacts.impose(equations, given)
        assert [found[n] for n in found] == pytest.approx([expected[n] for n in expected])
    assert da.impacts.impose(equations, AT, parameters={sp.Symbol("m"): 3.0}).lost == pytest.approx(3 * expected.lost)
    with pytest.raises(da.DalembertError, match="E204 x = 'near'"):
        da.impacts.impose(equations, {**AT, "x": "near"})
    with pytest.raises(da.DalembertError, match="E204 parameters must be a mapping"):
        da.impacts.impose(equations, AT, parameters=3)
    with pytest.raises(da.DalembertError, match="E102 the state before: x is given twice"):
        da.impacts.impose(equations, {**AT, q["x"]: 1.0})


def test_a_rotation_may_be_given_by_its_name():
    s = da.Space.product(da.plane("x y"), da.rotation("R", velocities="w1 w2 w3"))
    speeds = [s[n] for n in ("vx", "vy", "w1", "w2", "w3")]
    system = da.System(s, sum(u**2 for u in speeds) / 2, {"roll": s["vx"] - s["w2"]})
    equations = da.nonholonomic(system)
    at = {"x": 0.0, "y": 0.0, "vx": 1.0, "vy": 0.0, "w1": 0.0, "w2": 0.0, "w3": 1.0}
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = da.impacts.impose(equations, {**at, "R": quarter})
    assert [found["R_w"], found["R_z"]] == pytest.approx([math.sqrt(0.5), math.sqrt(0.5)])
    assert found["vx"] == pytest.approx(0.5)
    with pytest.raises(da.DalembertError, match="E233 R and its coordinates R_w are both given"):
        da.impacts.impose(equations, {**at, "R": quarter, "R_w": 1.0})


def driven():
    q, system = particle()
    t = sp.Symbol("t", real=True)
    return da.nonholonomic(system.changed(constraints={"drive": q["vx"] - sp.sin(t) - 2}))


def test_a_system_that_knows_the_time_is_told_it():
    equations, (_, still) = driven(), bladed()
    with pytest.raises(da.DalembertError, match=r"(?s)E230 free: t, .*t=t"):
        da.impacts.impose(equations, AT)
    for found in (da.impacts.impose(equations, AT, t=1.5), da.impacts.impose(equations, {**AT, "t": 1.5})):
        assert found.t == 1.5
        assert found["vx"] == pytest.approx(2 + math.sin(1.5))
    assert da.impacts.impose(equations, AT, t="1500 ms").t == pytest.approx(1.5)
    with pytest.raises(da.DalembertError, match="E102 t is given twice"):
        da.impacts.impose(equations, {**AT, "t": 1.0}, t=2.0)
    assert da.impacts.impose(still, AT).t == 0.0
    assert da.impacts.impose(still, AT, t=2.0).t == 2.0


def test_what_a_moving_constraint_gives_is_gained():
    # m ((2 + sin 1)^2 - 1)/2
    found = da.impacts.impose(driven(), AT, t=1.0)
    assert found.lost == pytest.approx(-((2 + math.sin(1.0)) ** 2 - 1) / 2)
    assert found.drivers == ("drive",)
    assert f"gained   {-found.lost:.10g} of kinetic energy, from drive" in str(found)
    assert "lost" not in str(found)
    _, equations = bladed()
    assert "lost     0.25 of kinetic energy" in str(da.impacts.impose(equations, AT))
