"""Wrong things in every place: nothing but our own errors may come out, each with a code and a remedy."""

import datetime
import math
import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.model.inertia import inertia

X, V, M = sp.Symbol("x"), sp.Symbol("vx"), sp.Symbol("m", positive=True)
TIME = sp.Symbol("t")
MOVING = sp.Function("x")(TIME)
DEEP = X
for _ in range(250):
    DEEP = sp.sin(DEEP, evaluate=False)


class Odd:
    """Nothing that a formula could hold."""

    name = 3

    def __repr__(self):
        raise RuntimeError("no repr")


WRONG = [
    None,
    True,
    0,
    -1,
    1.5,
    math.nan,
    math.inf,
    1j,
    10**400,
    "",
    "x",
    "vx",
    "x y",
    "10 cm",
    "45 rpm",
    "__import__('os')",
    b"x",
    [],
    (),
    {},
    set(),
    [1],
    ["x"],
    [None],
    [[1, 2], [3]],
    {"x": 1},
    {"vx": "1"},
    {1: 2},
    {None: None},
    {"m": None},
    {X: V},
    np.array(1.0),
    np.array([1.0, 2.0]),
    np.array(["a"]),
    np.zeros((2, 2)),
    np.ma.masked,
    np.bool_(True),
    np.array([X, V]),
    X,
    V,
    X**2,
    1 / X,
    sp.I,
    sp.nan,
    sp.oo,
    sp.zoo,
    sp.true,
    sp.Eq(X, 1),
    X < V,
    sp.Matrix([X, V]),
    sp.MatrixSymbol("A", 3, 3),
    MOVING,
    MOVING.diff(TIME),
    MOVING.diff(TIME, 2),
    sp.Function("f"),
    sp.Function("f")(X),
    sp.Lambda(X, X),
    TIME,
    sp.Integral(X, (X, 0, 1)),
    sp.Piecewise((1, X > 0)),
    sp.DiracDelta(X),
    sp.gamma(X),
    sp.sqrt(-1 - X**2),
    sp.Symbol("a b"),
    sp.Symbol("B", commutative=False),
    sp.Symbol("i", imaginary=True),
    sp.Dummy("x"),
    sp.Float("1e400"),
    sp.Indexed("q", 1),
    sp.Quaternion(1, 0, 0, 0),
    sp.Tuple(1, 2),
    sp.Poly(X, X),
    sp.Subs(X, X, 1),
    sp.conjugate(X),
    DEEP,
    Odd(),
    int,
    len,
    ...,
    range(3),
    datetime.date(2020, 1, 1),
    da.DalembertError,
    da.coordinates("x"),
    da.rotation("R"),
    {"w": 1, "x": 0},
    np.eye(3),
    {"x": {"y": 1}},
    "x" * 100,
    "\u202ex",
    "\x00",
]


def given():
    q = da.coordinates("x z")
    x, z, vx, vz = q
    return {
        "space": q,
        "lagrangian": M * (vx**2 + vz**2) / 2 - M * z,
        "constraints": {"rod": x**2 + z**2 - 1},
        "forces": {"vx": -vx},
        "parameters": {"m": 1.0},
    }


NH = da.nonholonomic(da.System(**given()))
VAK = da.vakonomic(da.System(**given()))
AT = {"x": 0.6, "z": -0.8, "vx": 1}
BODY = da.rotation("R")
TURNING = da.free(da.System(BODY, sum(w**2 for w in BODY.velocities) / 2))
TURN = {"w1": 1, "w2": 0, "w3": 0}


def used(system):
    equations = da.nonholonomic(system)
    equations.start(**AT)
    return str(system), str(equations)


def system_with(**changes):
    return used(da.System(**{**given(), **changes}))


def place_in_system(name):
    return lambda v: system_with(**{name: v})


def entry_in_system(name, key):
    return lambda v: system_with(**{name: {**(given().get(name) or {}), key: v}})


def on_space(factory, **arguments):
    space = factory(**arguments)
    return da.free(da.System(space, sum(u**2 for u in space.velocities)))


PLACES = {
    **{
        name: place_in_system(name)
        for name in (
            "space",
            "lagrangian",
            "constraints",
            "forces",
            "parameters",
            "massless",
            "momenta",
            "title",
            "equivalent",
            "inertias",
            "up",
            "units",
            "limits",
        )
    },
    **{
        f"{name}[{key}]": entry_in_system(name, key)
        for name, key in (
            ("constraints", "b"),
            ("forces", "vx"),
            ("parameters", "m"),
            ("parameters", "k"),
            ("momenta", "p"),
            ("equivalent", "rod"),
            ("inertias", "body"),
            ("units", "x"),
            ("limits", "operations"),
        )
    },
    "forces, first": lambda v: system_with(forces=[v]),
    "massless, first": lambda v: system_with(massless=[v]),
    "coordinates": lambda v: on_space(da.coordinates, names=v),
    "coordinates, first": lambda v: on_space(da.coordinates, names=[v]),
    "velocities": lambda v: on_space(da.coordinates, names="x", velocities=v),
    "angle": lambda v: on_space(da.angle, name=v),
    "rotation": lambda v: on_space(da.rotation, name=v),
    "rotation's frame": lambda v: on_space(da.rotation, frame=v),
    "rotation's attitude": lambda v: on_space(da.rotation, attitude=v),
    "direction": lambda v: on_space(da.direction, name=v),
    "SE3": lambda v: on_space(da.SE3, rotation_name=v),
    "anchor": lambda v: on_space(da.Space, coordinates="x", velocities="u", anchor=v),
    "bracket": lambda v: da.Space("x y", "u v", brackets={("u", "v"): [v, 0]}),
    "embedding": lambda v: da.Space("x", "u", embedding=v),
    "retraction": lambda v: da.Space("x", "u", retraction=v),
    "attitudes": lambda v: da.Space("x", "u", attitudes=v),
    "angles": lambda v: da.Space("x", "u", angles=v),
    "product": lambda v: da.Space.product(BODY, v),
    "name in a space": lambda v: BODY[v] if not isinstance(v, list | dict | set) else BODY[str(v)],
    "force's name": lambda v: da.forces.applied([V], [1], name=v),
    "force's velocity": lambda v: system_with(forces=da.forces.applied(v, [1])),
    "force's component": lambda v: system_with(forces=da.forces.applied([V], [v])),
    "dissipation": lambda v: system_with(forces=da.forces.rayleigh(v)),
    "viscous coefficient": lambda v: system_with(forces=da.forces.viscous_friction([V], v)),
    "slip": lambda v: system_with(forces=da.forces.rolling_friction(v, 0.1, 1.0)),
    "load": lambda v: system_with(forces=da.forces.rolling_friction([V], 0.1, v)),
    "inertia": inertia,
    "moment": lambda v: inertia(v, 1, 1),
    "product of inertia": lambda v: inertia([[2, v, 0], [v, 2, 0], [0, 0, 2]]),
    "start in order": NH.start,
    "start, first": lambda v: NH.start([v, -0.8, 0, 0]),
    "start x": lambda v: NH.start(**{**AT, "x": v}),
    "start t": lambda v: NH.start(**AT, t=v),
    "start parameters": lambda v: NH.start(**AT, parameters=v),
    "start parameter": lambda v: NH.start(**AT, parameters={"m": v}),
    "start project": lambda v: NH.start(**AT, project=v),
    "start multiplier": lambda v: VAK.start(**AT, lam_rod=v),
    "start rotation": lambda v: TURNING.start(R=v, **TURN),
    "start quaternion": lambda v: TURNING.start(R={"w": v, "x": 0, "y": 0, "z": 0}, **TURN),
    "evaluate": NH.evaluate,
    "nonholonomic": da.nonholonomic,
    "vakonomic": da.vakonomic,
    "free": da.free,
}


@pytest.mark.parametrize("place", PLACES)
def test_nothing_foreign_comes_out(place):
    for i, value in enumerate(WRONG):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", da.DalembertWarning)
                PLACES[place](value)
        except da.DalembertError as error:
            assert error.code[0] == "E", (i, type(value))
            assert error.fact, (i, type(value))
            assert error.remedy, (i, type(value))
        except Exception as error:
            pytest.fail(f"value {i}, {type(value).__name__}: {type(error).__name__}: {error}")
