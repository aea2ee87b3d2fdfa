"""Equations taken along to CasADi and JAX compute what `evaluate` computes, and their derivatives are the graph's."""

import sys

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.elementary_functions import ELEMENTARY
from dalembert.systems import two_wheeled_robot

from .conftest import equations, expected, states

casadi = pytest.importorskip("casadi")
FUNCTIONS = ("rhs", "multipliers", "residual")
STEERED = ("two_wheeled_robot", "steered")
SYSTEMS = [
    STEERED,
    ("rolling_disc", "nonholonomic"), ("snakeboard", "vakonomic"), ("symmetric_sphere", "nonholonomic"),
    ("double_pendulum_cartesian", "nonholonomic"), ("ball_on_turntable", "nonholonomic"), ("penny", "maggi"),
]  # fmt: skip
LACKING = ["besselj", "hyp2f1", "elliptic_k", "elliptic_e"]
TOLERANCE = 1e-12  # of the largest entry
WELL = 2000.0  # the condition of what is solved for, up to which it is held; beyond, near a pole, digits are lost to it


def steered():
    """The robot with two motors."""
    robot = two_wheeled_robot.system()
    forces = {"vleft": "tau_l", "vright": "tau_r"}
    return da.nonholonomic(robot.changed(forces=forces, inputs="tau_l tau_r"))


def asked(pair):
    """One of the equations."""
    return steered() if pair == STEERED else equations(*pair)


def points_of(made, count):
    """Random states, inputs among the parameters."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        point = made.space.sample(rng) | {s.name: float(rng.normal()) for s in made.states_of_multipliers}
        driven = {name: float(rng.normal()) for name in made.system.inputs}
        yield {**point, **made.system.known(), **driven, "t": float(rng.uniform())}


def condition(made, values):
    """Of the linear system for accelerations and multipliers."""
    from dalembert.equations import Numbers

    found = Numbers.of(made.machine.form, values).rows(list(made.kept))
    W, N = found.W, found.N
    zero = np.zeros((*N.shape[:-2], N.shape[-2], N.shape[-2]))
    rows = [np.concatenate(pair, axis=-1) for pair in ((W, -np.swapaxes(N, -1, -2)), (N, zero))]
    return np.linalg.cond(np.concatenate(rows, axis=-2))


def columns(made, points):
    """t (1, k), states (n, k), parameters and inputs."""
    names = [("t",), made.states, tuple(made.system.parameters), made.system.inputs]
    return [np.array([[p[name] for p in points] for name in part]).reshape(len(part), len(points)) for part in names]


def hold(made, found, points):
    """What was found of the three functions (rows, points) is what the library says."""
    values = {name: np.array([p[name] for p in points]) for name in points[0]}
    conditions = condition(made, values)
    assert np.median(conditions) < WELL
    allowed = TOLERANCE * np.maximum(1.0, conditions / WELL)
    for got, want in zip(found, expected(made, values), strict=True):
        wanted = np.array([np.broadcast_to(w, len(points)) for w in want]).reshape(len(want), len(points))
        size = np.maximum(1.0, np.abs(wanted).max(axis=0, initial=0.0))
        got = np.array(got)
        assert got.shape == wanted.shape
        assert (np.abs(got - wanted).max(axis=0, initial=0.0) <= allowed * size).all()


@pytest.mark.parametrize("pair", SYSTEMS)
def test_casadi_computes_what_the_library_does(pair):
    made = asked(pair)
    points = list(points_of(made, 1000))
    arguments = columns(made, points)
    hold(made, [made.to_casadi(name).map(1000)(*arguments) for name in FUNCTIONS], points)
    few = [a[:, :20] for a in arguments]
    hold(made, [made.to_casadi(name, pivots=True).map(20)(*few) for name in FUNCTIONS], points[:20])


def test_casadi_knows_its_arguments_and_gives_no_number_for_what_is_left_out():
    made = steered()
    f = made.to_casadi()
    assert f.name_in() == ["t", "state", "parameters", "inputs"]
    assert [f.size1_in(i) for i in range(4)] == [1, len(made.states), len(made.system.parameters), 2]
    point = next(points_of(made, 1))
    t, y, p, w = (a[:, 0] for a in columns(made, [point]))
    assert np.isnan(np.array(f(t=t, state=y, parameters=p)["rhs"])).any()
    assert not np.isnan(np.array(f(state=y, parameters=p, inputs=w)["rhs"])).any()


def test_derivatives_of_casadi_are_those_of_the_linear_model():
    made = steered()
    start = made.start(x=0, y=0, theta=0.3, left=0, right=0, vx=0.5, omega=0.2)
    driven = {"tau_l": 0.1, "tau_r": -0.2}
    rhs = made.to_casadi()
    B = rhs.factory("B", rhs.name_in(), ["jac:rhs:inputs"])
    found = np.array(B(0, start.vector, list(start.parameters.values()), list(driven.values())))
    model = da.linearise(made, at=start, inputs=driven)
    rows = [made.states.index(name) for name in model.states]
    np.testing.assert_allclose(found[rows], model.B, atol=1e-12)


@pytest.mark.filterwarnings("ignore::dalembert.errors.DalembertWarning")
@pytest.mark.parametrize("library", ["casadi", "jax"])
def test_a_function_that_the_other_library_lacks_is_named(library):
    pytest.importorskip(library)
    q = da.coordinates("x")
    made = da.free(da.System(q, q["vx"] ** 2 / 2, forces={"vx": sp.besselj(1, q["x"])}))
    with pytest.raises(da.DalembertError, match="besselj") as told:
        f = getattr(made, f"to_{library}")()
        f(0.0, [1.0, 1.0])
    assert told.value.code == "E803"
    assert "to_c" in told.value.remedy
    lacking = [
        name for name, row in ELEMENTARY.items() if not getattr(row, library) and row.machine.kind != "instruction"
    ]
    assert lacking == LACKING


@pytest.mark.parametrize(("library", "extra"), [("casadi", "steer"), ("jax", "jax")])
def test_without_the_package_the_extra_is_named(library, extra, monkeypatch):
    from dalembert.equations.code import for_casadi, for_jax

    for module in (for_casadi, for_jax):
        module.library.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(da.DalembertError, match="E801") as told:
        getattr(steered(), f"to_{library}")()
    assert told.value.remedy == f"pip install 'dalembert[{extra}]'"


@pytest.mark.parametrize("library", ["casadi", "jax"])
def test_functions_that_there_are_not_are_refused(library):
    pytest.importorskip(library)
    with pytest.raises(da.DalembertError, match="E317"):
        getattr(steered(), f"to_{library}")("rsh")


# --- JAX -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", SYSTEMS[:4])
def test_jax_computes_what_the_library_does(pair):
    made, jax = asked(pair), pytest.importorskip("jax")
    points = list(points_of(made, 1000))
    t, y, _, w = columns(made, points)
    driven = dict(zip(made.system.inputs, w, strict=True))
    found = []
    for name in FUNCTIONS:
        f = made.to_jax(name)
        many = jax.jit(jax.vmap(lambda t, y, w, f=f: f(t, y, inputs=w)))(t[0], y.T, driven)
        assert many.dtype == np.float64
        found.append(np.array(many).T)
    hold(made, found, points)


def test_jax_differentiates_by_states_parameters_and_inputs():
    jax = pytest.importorskip("jax")
    made = steered()
    point, f, g = next(points_of(made, 1)), made.to_jax(), made.to_casadi()
    t, y, p, w = (a[:, 0] for a in columns(made, [point]))
    driven = dict(zip(made.system.inputs, w, strict=True))
    parameters = dict(zip(made.system.parameters, p, strict=True))
    by = jax.jit(jax.jacobian(f, argnums=(1, 2, 3)))(t[0], y, parameters, driven)
    of = [np.array([part[name] for name in given]).T for part, given in zip(by[1:], (parameters, driven), strict=True)]
    for name, found in zip(("state", "parameters", "inputs"), [np.array(by[0]), *of], strict=True):
        J = np.array(g.factory("J", g.name_in(), [f"jac:rhs:{name}"])(t, y, p, w))
        np.testing.assert_allclose(found, J, atol=1e-12 * max(1, np.abs(J).max()))


def test_jax_goes_through_pivots():
    jax = pytest.importorskip("jax")
    made = equations("snakeboard", "nonholonomic")
    points = list(points_of(made, 20))
    t, y, _, _ = columns(made, points)
    hold(made, [np.array(jax.jit(jax.vmap(made.to_jax(n, pivots=True)))(t[0], y.T)).T for n in FUNCTIONS], points)


@pytest.mark.filterwarnings("ignore::dalembert.errors.DalembertWarning")
def test_every_function_of_the_table_but_those_that_are_lacking():
    """Those that stand in a force on x alone; the branch that is not taken too."""
    from .test_elementary import CASES, inside, symbolic

    (x,), (v,) = (q := da.coordinates("x")).coordinates, q.velocities
    force = sum(symbolic(c, inside(c)) for name, c in CASES.items() if c[0].name not in LACKING)
    made = da.nonholonomic(da.System(q, v**2 / 2, forces={v: sp.Piecewise((force, x < 1), (2 * force, True))}))
    found = [p for p in states(made, 8) if abs(p["x"]) < 6]
    want = np.array([expected(made, p)[0] for p in found]).T
    t, y, _, _ = columns(made, found)
    np.testing.assert_allclose(np.array(made.to_casadi().map(len(found))(t, y, 0, 0)), want, rtol=1e-12, atol=1e-13)
    jax = pytest.importorskip("jax")
    np.testing.assert_allclose(np.array(jax.vmap(made.to_jax())(t[0], y.T)).T, want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("E202", {"parameters": {"mm": 1.0}}),
        ("E181", {"inputs": {"tau": 1.0}}),
        ("E180", {"inputs": {"tau_l": 1.0}}),
        ("E204", {"parameters": np.ones(2)}),
        ("E182", {"inputs": np.ones(2)}),
    ],
)
def test_jax_refuses_names_that_are_not_known(code, given):
    pytest.importorskip("jax")
    made = steered()
    with pytest.raises(da.DalembertError, match=code):
        made.to_jax()(0.0, np.zeros(len(made.states)), **given)
    with pytest.raises(da.DalembertError, match="E241"):
        made.to_jax()(0.0, np.zeros(3), inputs={"tau_l": 0.0, "tau_r": 0.0})
