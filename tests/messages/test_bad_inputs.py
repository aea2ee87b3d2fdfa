"""What people really give, and the answer we owe: a code, the fitting exception, a remedy, nothing foreign.

The rows are those of the catalogue of bad inputs (E1 system, E2 parameters and start, E3 time and options, E4 during
the run), each with variants of its own.
"""

import decimal
import fractions
import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da

nan, inf = math.nan, math.inf
Q = da.coordinates("x y theta", velocities="vx vy omega")
x, y, theta, vx, vy, omega = Q
m, J, a = sp.symbols("m J a", positive=True)
c, s = sp.cos(theta), sp.sin(theta)
T = m / 2 * ((vx - a * omega * s) ** 2 + (vy + a * omega * c) ** 2) + J / 2 * omega**2
PLAIN = m / 2 * (vx**2 + vy**2) + J / 2 * omega**2
BLADE = -vx * s + vy * c
P = {"m": 1.0, "J": 0.5, "a": 0.3}
P2 = {"m": 1.0, "J": 0.5}
AT = {"x": 0, "y": 0, "theta": 0.4, "vx": 1.0, "omega": 0.2}
W = da.rotation("R")
NAN_MATRIX = np.full((3, 3), nan)


def system(L=T, constraints=None, parameters=None, space=Q, **more):
    return da.System(
        space, L, {"blade": BLADE} if constraints is None else constraints, parameters=parameters or P, **more
    )


def nonholonomic(*args, **more):
    return da.nonholonomic(system(*args, **more))


def start(vector=None, /, drop=(), parameters=None, t=0.0, project=None, **given):
    """A start of the sleigh, some values replaced or left out."""
    chosen = {k: v for k, v in {**AT, **given}.items() if k not in drop}
    return nonholonomic().start(
        *([] if vector is None else [vector]),
        **({} if vector is not None else chosen),
        parameters=parameters,
        t=t,
        project=project,
    )


def run(until=1.0, at=None, **options):
    return da.simulate(nonholonomic(), AT if at is None else at, until=until, **options)


def vakonomic_start(**given):
    return da.vakonomic(system()).start(**{**AT, **given})


def falling(**more):
    """One coordinate with L = T and a force."""
    q = da.coordinates("x")
    return da.System(q, q["vx"] ** 2 / 2, parameters={}, **more)


def turn(**given):
    w1, w2, w3 = W.velocities
    system = da.System(W, (w1**2 + 2 * w2**2 + 3 * w3**2) / 2 - W.R[2, 2])
    return da.nonholonomic(system).start(**{"w1": 0.1, "w2": 0, "w3": 1, **given})


def turn_matrix(**given):
    space = da.rotation("R", attitude="matrix")
    w1, w2, w3 = space.velocities
    system = da.System(space, (w1**2 + 2 * w2**2 + 3 * w3**2) / 2 - space.R[2, 2])
    return da.nonholonomic(system).start(**{"w1": 0.1, "w2": 0, "w3": 1, **given})


# --- E1: the system --------------------------------------------------------------------------------------------------

t_plain = sp.Symbol("t")
f_of_t = sp.Function("thetta")(t_plain)
X_T = sp.Function("x")(t_plain)
FOREIGN_T = sp.Symbol("t", positive=True)


def _on_anchor(entry):
    space = da.Space("x", "u", anchor=[[entry]])
    return da.nonholonomic(da.System(space, space["u"] ** 2))


SYSTEM = {
    # 22: coordinates
    "no coordinates": ("E101", ValueError, lambda: da.coordinates("")),
    "no coordinates, list": ("E101", ValueError, lambda: da.coordinates([])),
    "only blanks": ("E101", ValueError, lambda: da.coordinates(" , ")),
    "empty product": ("E101", ValueError, da.Space.product),
    "space is None": ("E101", TypeError, lambda: da.System(None, T)),
    "space is text": ("E101", TypeError, lambda: da.System("x y", T)),
    "space is the factory": ("E101", TypeError, lambda: da.System(da.coordinates, T)),
    "duplicate coordinate": ("E102", ValueError, lambda: da.coordinates("x x")),
    "duplicate by symbol": ("E102", ValueError, lambda: da.coordinates([sp.Symbol("x"), sp.Symbol("x", real=True)])),
    "coordinate is its velocity": ("E102", ValueError, lambda: da.coordinates("x y", velocities="x vy")),
    "default velocity is a coordinate": ("E102", ValueError, lambda: da.coordinates("x vx")),
    "duplicate in product": ("E102", ValueError, lambda: da.plane("x y") * da.line("x")),
    "two rotations of one name": ("E102", ValueError, lambda: da.rotation("R") * da.rotation("R", velocities="p q r")),
    "coordinates None": ("E102", TypeError, lambda: da.coordinates(None)),
    "coordinates number": ("E102", TypeError, lambda: da.coordinates(3)),
    "coordinates numbers": ("E102", TypeError, lambda: da.coordinates([1, 2])),
    "coordinates bytes": ("E102", TypeError, lambda: da.coordinates(b"x y")),
    "coordinate function of time": ("E102", TypeError, lambda: da.coordinates([sp.Function("x")(t_plain)])),
    "coordinate t": ("E103", ValueError, lambda: da.coordinates("x t")),
    "coordinate sin": ("E103", ValueError, lambda: da.coordinates("sin")),
    "velocity t": ("E103", ValueError, lambda: da.coordinates("x", velocities="t")),
    "parameter named like a coordinate": ("E103", ValueError, lambda: system(parameters={**P, "x": 1.0})),
    "parameter named like a velocity": ("E103", ValueError, lambda: system(parameters={**P, "vx": 1.0})),
    "parameter named t": ("E103", ValueError, lambda: system(parameters={**P, "t": 1.0})),
    "multiplier's name taken": (
        "E103",
        ValueError,
        lambda: nonholonomic(T + sp.Symbol("lam_blade") * x, parameters={**P, "lam_blade": 1.0}),
    ),
    "coordinate not a name": ("E719", ValueError, lambda: da.coordinates("x 2y")),
    "coordinate with a dash": ("E719", ValueError, lambda: da.coordinates(["x-y"])),
    "coordinate with code": ("E719", ValueError, lambda: da.coordinates([sp.Symbol("x; import os")])),
    "coordinate with no-width space": ("E719", ValueError, lambda: da.coordinates(["x\u200b"])),
    "coordinate too long": ("E719", ValueError, lambda: da.coordinates("x" * 65)),
    "coordinate empty": ("E719", ValueError, lambda: da.coordinates(["x", ""])),
    "wrong number of velocities": ("E140", ValueError, lambda: da.coordinates("x y", velocities="u")),
    "anchor of wrong shape": ("E140", ValueError, lambda: da.Space("x y", "u v", anchor=[[1, 0]])),
    "anchor is text": ("E140", TypeError, lambda: da.Space("x", "u", anchor="cos(x)")),
    "anchor ragged": ("E140", (ValueError, TypeError), lambda: da.Space("x y", "u v", anchor=[[1, 0], [1]])),
    "anchor with an unknown function": ("E719", ValueError, lambda: _on_anchor(sp.Function("f")(x))),
    "anchor not finite": ("E719", ValueError, lambda: _on_anchor(sp.nan)),
    "anchor depends on a velocity": ("E140", ValueError, lambda: da.Space("x", "u", anchor=[[sp.Symbol("u")]])),
    "plane of three": ("E140", ValueError, lambda: da.plane("x y z")),
    "line of two": ("E140", ValueError, lambda: da.line("x y")),
    "rotation frame": ("E140", ValueError, lambda: da.rotation(frame="inertial")),
    "rotation frame None": ("E140", ValueError, lambda: da.rotation(frame=None)),
    "rotation frame list": ("E140", (ValueError, TypeError), lambda: da.rotation(frame=["body"])),
    "rotation attitude": ("E140", ValueError, lambda: da.rotation(attitude="euler")),
    "rotation velocities": ("E140", ValueError, lambda: da.rotation(velocities="w1 w2")),
    "rotation name": ("E719", ValueError, lambda: da.rotation("my R")),
    "SE2 of two": ("E140", ValueError, lambda: da.SE2("x y")),
    "SE3 of two": ("E140", ValueError, lambda: da.SE3("x y")),
    "SE3 velocities": ("E140", ValueError, lambda: da.SE3(velocities="v1 v2 v3")),
    "bracket with an unknown velocity": (
        "E140",
        ValueError,
        lambda: da.Space("x y", "u v", brackets={("u", "w"): [0, 0]}),
    ),
    "bracket too short": ("E140", ValueError, lambda: da.Space("x y", "u v", brackets={("u", "v"): [0]})),
    "bracket with itself": ("E140", ValueError, lambda: da.Space("x y", "u v", brackets={("u", "u"): [0, 0]})),
    "bracket given as a number": (
        "E140",
        (ValueError, TypeError),
        lambda: da.Space("x y", "u v", brackets={("u", "v"): 0}),
    ),
    "bracket keys": ("E140", (ValueError, TypeError), lambda: da.Space("x y", "u v", brackets={"uvw": [0, 0]})),
    "brackets a list": ("E140", (ValueError, TypeError), lambda: da.Space("x y", "u v", brackets=[1, 2])),
    # 23: unknown names
    "L uses an undeclared name": ("E201", KeyError, lambda: nonholonomic(T + sp.Symbol("phi")).start(**AT)),
    "L uses a function of time": ("E104", KeyError, lambda: system(T + f_of_t)),
    "L uses the derivative of an unknown": ("E104", KeyError, lambda: system(T + f_of_t.diff(t_plain))),
    "constraint uses a function of another argument": (
        "E104",
        KeyError,
        lambda: system(constraints={"b": sp.Function("x")(a) + vx}),
    ),
    "space has no such name": ("E104", KeyError, lambda: Q["thetta"]),
    "space has no rotation": ("E104", KeyError, lambda: Q.R),
    "rotation not unique": ("E104", KeyError, lambda: (da.rotation("R") * da.rotation("S", velocities="p q r")).R),
    # expressions that are none
    "L is text with an unknown name": ("E702", KeyError, lambda: system("m*vx**2/2 + thetta")),
    "L is None": ("E718", TypeError, lambda: system(None)),
    "L is a list": ("E718", TypeError, lambda: system([T])),
    "L is a dict": ("E718", TypeError, lambda: system({"T": T})),
    "L is a bool": ("E718", TypeError, lambda: system(True)),
    "L is a function": ("E718", TypeError, lambda: system(lambda q: q)),
    "L is a complex number": ("E718", TypeError, lambda: system(1j)),
    "L is bytes": ("E718", TypeError, lambda: system(b"T")),
    "L is an array": ("E718", TypeError, lambda: system(np.array([1.0]))),
    "L is a matrix": (("E718", "E719"), (ValueError, TypeError), lambda: system(sp.Matrix([T]))),
    "L is an immutable matrix": (("E718", "E719"), (ValueError, TypeError), lambda: system(sp.ImmutableMatrix([T]))),
    "L is a matrix symbol": ("E719", ValueError, lambda: system(sp.MatrixSymbol("A", 2, 2))),
    "L is an equation": ("E706", ValueError, lambda: system(sp.Eq(T, 0, evaluate=False))),
    "L holds i": ("E719", ValueError, lambda: system(T + sp.I * omega**2)),
    "L holds nan": ("E719", ValueError, lambda: system(T + sp.nan)),
    "L holds infinity": ("E719", ValueError, lambda: system(T + sp.oo)),
    "L holds zoo": ("E719", ValueError, lambda: system(T + sp.zoo * vx)),
    "L is nan": ("E719", ValueError, lambda: system(nan)),
    "L is NumPy inf": ("E719", ValueError, lambda: system(np.float64("inf"))),
    "L holds a noncommutative symbol": ("E719", ValueError, lambda: system(T + sp.Symbol("B", commutative=False))),
    "L holds an integral": ("E719", ValueError, lambda: system(T + sp.Integral(sp.exp(-(x**2)), (x, 0, x)))),
    "L holds a sum": ("E719", ValueError, lambda: system(T + sp.Sum(x, (sp.Symbol("n"), 1, 3)))),
    "L holds an unknown function of a coordinate": (
        ("E104", "E719"),
        (KeyError, ValueError),
        lambda: system(T + sp.Function("V")(x)),
    ),
    "L holds a special function": ("E719", ValueError, lambda: nonholonomic(T - sp.gamma(x + 2))),
    "L holds gamma": ("E719", ValueError, lambda: nonholonomic(T - sp.gamma(x))),
    "L holds an imaginary symbol": ("E719", ValueError, lambda: system(T + sp.Symbol("i", imaginary=True))),
    "L holds a bad name": ("E719", ValueError, lambda: system(T + sp.Symbol("x; import os"))),
    "L holds a dotted name": ("E719", ValueError, lambda: system(T + sp.Symbol("body.x"))),
    "L is a derivative that vanished": (
        ("E720", "E106"),
        ValueError,
        lambda: nonholonomic(sp.Derivative(X_T, FOREIGN_T) ** 2 / 2, {}, space=da.coordinates("x"), parameters={}),
    ),
    # 25, 26: kinetic energy
    "L is 0": ("E106", ValueError, lambda: nonholonomic(0)),
    "L is a constant": ("E106", ValueError, lambda: nonholonomic(3.5)),
    "L without velocities": ("E106", ValueError, lambda: nonholonomic(-m * x)),
    "L is 0, free": ("E106", ValueError, lambda: da.free(system(0))),
    "L is 0, vakonomic": ("E106", ValueError, lambda: da.vakonomic(system(0))),
    "L linear in velocities": ("E107", ArithmeticError, lambda: nonholonomic(vx + y * vy + theta * omega, {})),
    "L with one velocity": ("E107", ArithmeticError, lambda: nonholonomic(m * vx**2 / 2, {})),
    "L of a sum": ("E107", ArithmeticError, lambda: nonholonomic((vx + vy) ** 2 + omega**2, {})),
    "L of a sum, vakonomic": ("E107", ArithmeticError, lambda: da.vakonomic(system((vx + vy) ** 2 + omega**2, {}))),
    "constrained along the massless": (
        "E107",
        ArithmeticError,
        lambda: nonholonomic((vx + vy) ** 2 + omega**2, {"b": vx + vy - omega}),
    ),
    # 27: signs
    "kinetic energy negative": ("E108", ArithmeticError, lambda: nonholonomic(-T).start(**AT)),
    "one term with the wrong sign": (
        "E108",
        ArithmeticError,
        lambda: nonholonomic(PLAIN - J * omega**2, parameters=P2).start(**AT),
    ),
    # 29, 30: empty constraints
    "constraint 0": ("E110", ValueError, lambda: system(constraints={"b": 0})),
    "constraint 0.0": ("E110", ValueError, lambda: system(constraints={"b": 0.0})),
    "constraint expands to 0": (
        "E110",
        ValueError,
        lambda: system(constraints={"b": (vx + vy) ** 2 - vx**2 - vy**2 - 2 * vx * vy}),
    ),
    "constraint 0 by trigonometry": (
        "E110",
        ValueError,
        lambda: nonholonomic(constraints={"b": vx * (s**2 + c**2 - 1)}),
    ),
    "position 0 by trigonometry": ("E110", ValueError, lambda: nonholonomic(constraints={"b": s**2 + c**2 - 1})),
    "constraint 1": ("E111", ValueError, lambda: system(constraints={"b": 1})),
    "constraint of parameters": ("E111", ValueError, lambda: system(constraints={"b": m - J})),
    "constraint of time": ("E111", ValueError, lambda: system(constraints={"b": t_plain - 1})),
    "contradiction": ("E111", ValueError, lambda: nonholonomic(constraints={"b": vx, "c": vx - 1})),
    "contradiction of three": (
        "E111",
        ValueError,
        lambda: nonholonomic(constraints={"b": vx - vy, "c": vy - omega, "d": vx - omega - 1}),
    ),
    "contradiction, vakonomic": ("E111", ValueError, lambda: da.vakonomic(system(constraints={"b": vx, "c": vx - 1}))),
    "contradicting positions": (
        ("E111", "E232", "E233"),
        ValueError,
        lambda: nonholonomic(constraints={"b": x - 1, "c": x - 2}).start(y=0, theta=0, vy=1, omega=1),
    ),
    "constraint 1 by trigonometry": (
        "E111",
        ValueError,
        lambda: nonholonomic(constraints={"b": s**2 + c**2 + 1 - 0 * vx + 0 * x}),
    ),
    "position without a real solution": (
        ("E111", "E230", "E232"),
        ValueError,
        lambda: nonholonomic(constraints={"b": x**2 + 1}).start(y=0, theta=0, vy=1, omega=1),
    ),
    "text of an equation as constraint": ("E706", ValueError, lambda: system(constraints={"b": "vx = vy"})),
    "None as constraint": ("E718", TypeError, lambda: system(constraints={"b": None})),
    "equation as constraint": ("E706", ValueError, lambda: system(constraints={"b": sp.Eq(vx, vy)})),
    "inequality as constraint": ("E706", ValueError, lambda: system(constraints={"b": vx > vy})),
    "True as constraint": (("E706", "E718"), (ValueError, TypeError), lambda: system(constraints={"b": vx == vy})),
    "sympy false as constraint": ("E706", ValueError, lambda: system(constraints={"b": sp.Eq(1, 2)})),
    "list of constraints": ("E110", TypeError, lambda: system(constraints=[BLADE])),
    "bare constraint": ("E110", TypeError, lambda: system(constraints=BLADE)),
    "set of constraints": ("E110", TypeError, lambda: system(constraints={BLADE})),
    "constraint's name is no name": ("E719", ValueError, lambda: system(constraints={"my blade": BLADE})),
    "constraint's name empty": ("E719", ValueError, lambda: system(constraints={"": BLADE})),
    "constraint's name a number": ("E719", ValueError, lambda: system(constraints={1: BLADE})),
    "constraint names equal after normalisation": (
        "E102",
        ValueError,
        lambda: system(constraints={"\u00e9": BLADE, "e\u0301": vx - vy}),
    ),
    # 31: constraint substituted
    "constrained velocity not in L": (
        "E112",
        ValueError,
        lambda: nonholonomic(m * vx**2 / 2 + J * omega**2 / 2, {"b": vy - x * omega}),
    ),
    "constrained velocity not in L, vakonomic": (
        "E112",
        ValueError,
        lambda: da.vakonomic(system(m * vx**2 / 2 + J * omega**2 / 2, {"b": vy - x * omega})),
    ),
    # 33: no motion left
    "as many constraints as velocities": (
        "E114",
        ValueError,
        lambda: nonholonomic(constraints={"b": vx, "c": vy, "d": omega}),
    ),
    "more constraints than velocities": (
        ("E114", "E111"),
        ValueError,
        lambda: nonholonomic(constraints={"b": vx, "c": vy, "d": omega, "e": vx - vy}),
    ),
    # 37: accelerations
    "acceleration in a constraint": ("E118", ValueError, lambda: system(constraints={"b": X_T.diff(t_plain, 2)})),
    "acceleration in L": ("E118", ValueError, lambda: system(T + X_T.diff(t_plain, 2) * x)),
    "derivative of a velocity": (
        "E118",
        ValueError,
        lambda: system(constraints={"b": sp.Function("vx")(t_plain).diff(t_plain)}),
    ),
    "derivative of a derivative": (
        "E118",
        ValueError,
        lambda: system(constraints={"b": sp.Derivative(sp.Derivative(X_T, t_plain), t_plain)}),
    ),
    # 40: rank at the start
    "Appell-Hamel at rest": (
        "E121",
        ArithmeticError,
        lambda: nonholonomic(PLAIN, {"b": vx**2 - vy**2}, P2).start(x=0, y=0, theta=0, vx=0, vy=0, omega=1),
    ),
    "gradient of a position vanishes": (
        "E121",
        ArithmeticError,
        lambda: nonholonomic(PLAIN, {"b": x**2 - y**2}, P2).start(x=0, y=0, theta=0, vx=0, vy=0, omega=1),
    ),
    "rows parallel at the start": (
        "E121",
        ArithmeticError,
        lambda: nonholonomic(PLAIN, {"b": vx, "c": vx * c + vy * s}, P2).start(x=0, y=0, theta=0, vx=0, vy=1, omega=1),
    ),
    # 45: bordered matrix
    "vakonomic: bordered matrix singular": (
        "E126",
        ArithmeticError,
        lambda: da.vakonomic(system(PLAIN, {"b": (vx**2 + vy**2 - 1) / 2}, P2)).start(
            x=0, y=0, theta=0, vx=1, vy=0, omega=1, lam_b=1.0
        ),
    ),
    # 46: forces
    "force on an unknown velocity": ("E127", KeyError, lambda: system(forces={"vz": 1})),
    "force given twice": ("E127", ValueError, lambda: system(forces={x: 1, vx: 2})),
    "force on an unknown coordinate": ("E127", KeyError, lambda: system(forces={"z": 1})),
    "force on a coordinate of a frame": (
        "E127",
        KeyError,
        lambda: da.System(da.SE2("x y h"), "v1^2/2", forces={"x": 1}),
    ),
    "force on a number": ("E127", KeyError, lambda: system(forces={0: 1})),
    "too few components": ("E127", ValueError, lambda: system(forces=[1, 2])),
    "too many components": ("E127", ValueError, lambda: system(forces=(1, 2, 3, 4))),
    "force is text": ("E127", TypeError, lambda: system(forces="-c*vx")),
    "force is an expression": ("E127", TypeError, lambda: system(forces=-vx)),
    "force is a number": ("E127", TypeError, lambda: system(forces=1.0)),
    "force is an array": ("E127", TypeError, lambda: system(forces=np.zeros(3))),
    "force mixed": ("E127", TypeError, lambda: system(forces=[{vx: 1}, -vx])),
    "force component is text without an operator": ("E704", ValueError, lambda: system(forces={vx: "-2vx"})),
    "force component is nan": ("E719", ValueError, lambda: system(forces={vx: nan})),
    "force holds an acceleration": ("E118", ValueError, lambda: system(forces={vx: X_T.diff(t_plain, 2)})),
    "applied force of unequal length": ("E127", ValueError, lambda: da.forces.applied([vx, vy], [1])),
    "applied force on bare expression": ("E127", TypeError, lambda: da.forces.applied(vx, 1)),
    "friction on bare expression": ("E127", TypeError, lambda: da.forces.viscous_friction(vx, 0.1)),
    "rolling friction on bare expression": ("E127", TypeError, lambda: da.forces.rolling_friction(vx, 0.1, 1.0)),
    "friction's velocity is text of no velocity": (
        "E702",
        KeyError,
        lambda: system(forces=da.forces.viscous_friction(["vx", "vv"], 0.1)),
    ),
    "rayleigh of an undeclared parameter": ("E702", KeyError, lambda: system(forces=da.forces.rayleigh("cc*vx**2"))),
    "massless unknown": ("E127", KeyError, lambda: system(massless=["vz"])),
    "momentum is text with a comma": ("E705", ValueError, lambda: system(momenta={"p": "0,5*vx"})),
    "momenta is a list": (("E110", "E718"), TypeError, lambda: system(momenta=[m * vx])),
    # 47, 48: friction
    "friction negative": (
        "E128",
        ValueError,
        lambda: nonholonomic(
            forces=da.forces.viscous_friction([vx, vy], sp.Symbol("k")), parameters={**P, "k": -0.1}
        ).start(**AT),
    ),
    "friction negative number": (
        "E128",
        ValueError,
        lambda: nonholonomic(forces=da.forces.viscous_friction([vx, vy], -0.1)).start(**AT),
    ),
    "rolling friction negative": (
        "E128",
        ValueError,
        lambda: nonholonomic(
            forces=da.forces.rolling_friction([vx, vy], sp.Symbol("k"), 1.0), parameters={**P, "k": -0.005}
        ).start(**AT),
    ),
    "rolling friction at rest": (
        "E129",
        ArithmeticError,
        lambda: nonholonomic(forces=da.forces.rolling_friction([vx, vy], 0.1, 1.0)).start(
            x=0, y=0, theta=0.3, vx=0, omega=1
        ),
    ),
    "v/|v| at rest, free text": (
        ("E129", "E401"),
        ArithmeticError,
        lambda: nonholonomic(PLAIN, forces={vx: -vx / sp.sqrt(vx**2 + vy**2)}, parameters=P2).start(
            x=0, y=0, theta=0.3, vx=0, omega=1
        ),
    ),
    # principles
    "principle of None": (None, TypeError, lambda: da.nonholonomic(None)),
    "principle of a Lagrangian": (None, TypeError, lambda: da.vakonomic(T)),
    "principle of the space": (None, TypeError, lambda: da.free(Q)),
    "principle of equations": (None, TypeError, lambda: da.nonholonomic(nonholonomic())),
}

# --- E2: parameters and start ----------------------------------------------------------------------------------------


def parameter(name, value):
    return lambda: nonholonomic(parameters={**P, name: value}).start(**AT)


def mixed(name, value):
    return lambda: start(parameters={name: value})


PARAMETERS = {
    # 53, 54
    "missing": ("E201", KeyError, lambda: nonholonomic(parameters={"m": 1.0, "J": 0.5}).start(**AT)),
    "all missing": ("E201", KeyError, lambda: nonholonomic(parameters={"m": None}).start(**AT)),
    "None, declared": ("E201", KeyError, parameter("a", None)),
    "misspelt": ("E202", KeyError, lambda: nonholonomic(parameters={"mm": 1.0, "J": 0.5, "a": 0.3})),
    "misspelt in case": ("E202", KeyError, lambda: nonholonomic(parameters={"M": 1.0, "J": 0.5, "a": 0.3})),
    "override unknown": ("E202", KeyError, mixed("mas", 2.0)),
    "override misspelt of a missing one": (
        "E202",
        KeyError,
        lambda: nonholonomic(T.subs(m, sp.Symbol("mass")), parameters={"mass": None, "J": 1, "a": 1}).start(
            **AT, parameters={"mas": 1.0}
        ),
    ),
    "simulate override unknown": ("E202", KeyError, lambda: run(parameters={"mas": 2.0})),
    # 55
    "nan": ("E203", ValueError, parameter("m", nan)),
    "inf": ("E203", ValueError, parameter("m", inf)),
    "-inf": ("E203", ValueError, parameter("a", -inf)),
    "NumPy nan": ("E203", ValueError, parameter("m", np.float64("nan"))),
    "0-d nan": ("E203", ValueError, parameter("m", np.array(nan))),
    "huge integer": ("E203", ValueError, parameter("m", 10**400)),
    "sympy nan": (("E203", "E204"), (ValueError, TypeError), parameter("m", sp.nan)),
    "sympy oo": (("E203", "E204"), (ValueError, TypeError), parameter("m", sp.oo)),
    "float32 inf": ("E203", ValueError, parameter("m", np.float32("inf"))),
    "override nan": ("E203", ValueError, mixed("m", nan)),
    # 56
    "text": ("E204", TypeError, parameter("m", "1.0")),
    "bool": ("E204", TypeError, parameter("m", True)),
    "NumPy bool": ("E204", TypeError, parameter("m", np.True_)),
    "sympy bool": ("E204", TypeError, parameter("m", sp.true)),
    "complex": ("E204", TypeError, parameter("m", 1 + 0j)),
    "NumPy complex": ("E204", TypeError, parameter("m", np.complex128(1))),
    "sympy complex": ("E204", TypeError, parameter("m", sp.I)),
    "sympy symbol": ("E204", TypeError, parameter("m", sp.Symbol("M"))),
    "array": ("E204", TypeError, parameter("m", np.array([1.0, 2.0]))),
    "array of one": ("E204", TypeError, parameter("m", np.array([1.0]))),
    "list": ("E204", TypeError, parameter("m", [1.0])),
    "0-d text": ("E204", TypeError, parameter("m", np.array("1.0"))),
    "0-d object": ("E204", TypeError, parameter("m", np.array(None))),
    "dict": ("E204", TypeError, parameter("m", {})),
    "bytes": ("E204", TypeError, parameter("m", b"1")),
    "date": ("E204", TypeError, parameter("m", np.datetime64("2020-01-01"))),
    "override text": ("E204", TypeError, mixed("m", "2")),
    "parameters a list": ("E204", TypeError, lambda: system(parameters=[("m", 1.0)])),
    "parameters text": ("E204", TypeError, lambda: system(parameters="m=1")),
    "parameters a number": ("E204", TypeError, lambda: system(parameters=1.0)),
    "override a list": ("E204", TypeError, lambda: start(parameters=[1.0])),
    "override text whole": ("E204", TypeError, lambda: start(parameters="m=1")),
    "parameter's name no name": ("E719", ValueError, parameter("my m", 1.0)),
    "parameter's name a number": ("E719", (ValueError, TypeError), parameter(3, 1.0)),
    "parameter's name None": (("E719", "E202", "E204"), Exception, parameter(None, 1.0)),
    # 57
    "zero mass": ("E205", ValueError, parameter("m", 0)),
    "minus zero": ("E205", ValueError, parameter("m", -0.0)),
    "negative mass": ("E205", ValueError, parameter("m", -1.0)),
    "override negative": ("E205", ValueError, mixed("J", -1.0)),
    "simulate override 0": ("E205", ValueError, lambda: run(parameters={"m": 0.0})),
    "denormal": (
        ("E205", "E208", "E107", "E108", "E237", "E401"),
        (ValueError, ArithmeticError),
        parameter("m", 5e-324),
    ),
}

START = {
    # 61
    "omega missing": ("E230", ValueError, lambda: start(drop=["omega"])),
    "position missing": ("E230", ValueError, lambda: start(drop=["theta"])),
    "nothing given": ("E230", ValueError, lambda: nonholonomic().start()),
    "empty mapping": ("E230", ValueError, lambda: da.simulate(nonholonomic(), {}, until=1)),
    "rotation missing where it matters": ("E230", ValueError, turn),
    # 62, 63, 64
    "constraint violated": ("E231", ValueError, lambda: start(vy=5.0)),
    "constraint violated a little": ("E231", ValueError, lambda: start(vy=math.tan(0.4) + 1e-7)),
    "constraint violated, vector": ("E231", ValueError, lambda: start([0, 0, 0.4, 1.0, 5.0, 0.2])),
    "constraint violated in simulate": ("E231", ValueError, lambda: run(at=dict(AT, vy=3))),
    "position violated": (
        "E232",
        ValueError,
        lambda: nonholonomic(constraints={"b": x - y}).start(x=0, y=1, theta=0, vx=1, omega=0),
    ),
    "rate of a position violated": (
        "E231",
        ValueError,
        lambda: nonholonomic(constraints={"b": x - y}).start(x=0, y=0, theta=0, vx=1, vy=2, omega=0),
    ),
    "over-determined": (
        ("E231", "E233"),
        ValueError,
        lambda: nonholonomic(PLAIN, {"b": vx - x * omega, "c": vx - 2 * omega}, P2).start(
            x=1, y=0, theta=0, vy=1, omega=1
        ),
    ),
    # 65, 66, 67
    "vakonomic without lam": ("E234", ValueError, vakonomic_start),
    "vakonomic, wrong lam": ("E236", KeyError, lambda: vakonomic_start(lam1=0.0)),
    "vakonomic, misspelt lam": ("E236", KeyError, lambda: vakonomic_start(lam_blad=0.0)),
    "vakonomic, lam None": ("E204", TypeError, lambda: vakonomic_start(lam_blade=None)),
    "vakonomic, lam list": ("E204", TypeError, lambda: vakonomic_start(lam_blade=[0.0])),
    "nonholonomic with lam": ("E235", KeyError, lambda: start(lam_blade=0.0)),
    "nonholonomic start for vakonomic": (
        "E234",
        ValueError,
        lambda: da.simulate(da.vakonomic(system()), start(), until=1),
    ),
    "vakonomic start for nonholonomic": (
        "E235",
        KeyError,
        lambda: da.simulate(nonholonomic(), vakonomic_start(lam_blade=0.0), until=1),
    ),
    "free with lam": (("E235", "E236"), KeyError, lambda: da.free(system()).start(**AT, vy=0, lam_blade=0.0)),
    # 68
    "disc flat": (
        "E237",
        ArithmeticError,
        lambda: nonholonomic(vx**2 + vy**2 + (vx + 0) ** 2 + (omega * s) ** 2, {}).start(
            x=0, y=0, theta=0, vx=1, vy=0, omega=1
        ),
    ),
    # 69, 70
    "quaternion not of norm 1": ("E238", ValueError, lambda: turn(R={"w": 0.9, "x": 0, "y": 0, "z": 0})),
    "quaternion 0": ("E238", ValueError, lambda: turn(R={"w": 0, "x": 0, "y": 0, "z": 0})),
    "four numbers": ("E238", ValueError, lambda: turn(R=[1, 0, 0, 0])),
    "four numbers in an array": ("E238", ValueError, lambda: turn(R=np.array([1.0, 0, 0, 0]))),
    "quaternion with a part missing": ("E238", ValueError, lambda: turn(R={"w": 1, "x": 0, "y": 0})),
    "quaternion with i j k": ("E238", ValueError, lambda: turn(R={"w": 1, "i": 0, "j": 0, "k": 0})),
    "quaternion by coordinates, norm 2": ("E238", ValueError, lambda: turn(R_w=2, R_x=0, R_y=0, R_z=0)),
    "quaternion by coordinates, norm almost 1": ("E238", ValueError, lambda: turn(R_w=1.0001, R_x=0, R_y=0, R_z=0)),
    "quaternion nan": (("E203", "E238"), ValueError, lambda: turn(R={"w": nan, "x": 0, "y": 0, "z": 0})),
    "quaternion of text": (
        ("E204", "E238"),
        (TypeError, ValueError),
        lambda: turn(R={"w": "one", "x": 0, "y": 0, "z": 0}),
    ),
    "quaternion of None": (
        ("E204", "E238"),
        (TypeError, ValueError),
        lambda: turn(R={"w": None, "x": 0, "y": 0, "z": 0}),
    ),
    "quaternion of lists": (
        ("E204", "E238"),
        (TypeError, ValueError),
        lambda: turn(R={"w": [1], "x": [0], "y": [0], "z": [0]}),
    ),
    "quaternion of True": (
        ("E204", "E238"),
        (TypeError, ValueError),
        lambda: turn(R={"w": True, "x": 0, "y": 0, "z": 0}),
    ),
    "quaternion coordinates three": ("E230", ValueError, lambda: turn(R_w=1, R_x=0, R_y=0)),
    "rotation and its coordinates": (
        ("E233", "E238"),
        ValueError,
        lambda: turn(R="identity", R_w=0, R_x=1, R_y=0, R_z=0),
    ),
    "rotation and its coordinates, other order": (
        ("E233", "E238"),
        ValueError,
        lambda: turn(R_w=0, R_x=1, R_y=0, R_z=0, R="identity"),
    ),
    "reflection": ("E239", ValueError, lambda: turn(R=np.diag([1, 1, -1]))),
    "stretched": ("E239", ValueError, lambda: turn(R=np.diag([1, 1, 1.1]))),
    "matrix of nan": ("E239", ValueError, lambda: turn(R=NAN_MATRIX)),
    "matrix of 2 rows": ("E239", ValueError, lambda: turn(R=np.eye(2))),
    "matrix ragged": ("E239", (TypeError, ValueError), lambda: turn(R=[[1, 0], [0]])),
    "matrix is text": ("E239", (TypeError, ValueError), lambda: turn(R="ident")),
    "matrix is None": ("E239", (TypeError, ValueError), lambda: turn(R=None)),
    "matrix is a number": ("E239", (TypeError, ValueError), lambda: turn(R=1.0)),
    "matrix complex": ("E239", (TypeError, ValueError), lambda: turn(R=1j * np.eye(3))),
    "matrix of symbols": ("E239", (TypeError, ValueError), lambda: turn(R=sp.Matrix(3, 3, sp.symbols("a:9")))),
    "attitude matrix, reflection": ("E239", ValueError, lambda: turn_matrix(R=-np.eye(3))),
    "attitude matrix, reflection by coordinates": (
        ("E238", "E239"),
        ValueError,
        lambda: turn_matrix(**{f"R{i}{j}": -float(i == j) for i in (1, 2, 3) for j in (1, 2, 3)}),
    ),
    "stack of rotations": ("E239", (TypeError, ValueError), lambda: turn(R=np.stack([np.eye(3)] * 2))),
    "direction not a unit": (
        "E238",
        ValueError,
        lambda: da.nonholonomic(_spinning()).start(z1=0, z2=0, z3=2, w1=1, w2=0, w3=1),
    ),
    # 72
    "vector too short": ("E241", ValueError, lambda: start([0, 0, 0.4, 1.0])),
    "vector too long": ("E241", ValueError, lambda: start(np.zeros(7))),
    "vector empty": ("E241", ValueError, lambda: start([])),
    "vector 2-d": (("E204", "E241"), (TypeError, ValueError), lambda: start(np.zeros((6, 1)))),
    "vector is a number": ("E241", (TypeError, ValueError), lambda: start(3.0)),
    "vector is text": ("E241", (TypeError, ValueError), lambda: start("0 0 0")),
    "vector of text": ("E204", TypeError, lambda: start(["0"] * 6)),
    "vector of nan": ("E203", ValueError, lambda: start([nan] * 6)),
    "vector of None": ("E204", TypeError, lambda: start([None] * 6)),
    "vector of bools": ("E204", TypeError, lambda: start([True] * 6)),
    "vector has no names": ("E229", KeyError, lambda: start({1: 2})),
    "state is None": ("E241", TypeError, lambda: da.simulate(nonholonomic(), None, until=1)),
    "state is text": ("E241", TypeError, lambda: da.simulate(nonholonomic(), "x=0", until=1)),
    "state is a number": ("E241", TypeError, lambda: da.simulate(nonholonomic(), 1.0, until=1)),
    "state is a set": ("E241", (TypeError, ValueError), lambda: da.simulate(nonholonomic(), {1, 2}, until=1)),
    "vector and names": (
        ("E233", "E241"),
        ValueError,
        lambda: nonholonomic().start([0, 0, 0.4, 1.0, math.tan(0.4), 0.2], x=1.0),
    ),
    # names and values
    "start name unknown": ("E229", KeyError, lambda: start(thetta=0.4)),
    "start name is a parameter": ("E229", KeyError, lambda: start(m=2.0)),
    "start value text": ("E204", TypeError, lambda: start(x="0")),
    "start value None": ("E204", TypeError, lambda: start(x=None)),
    "start value bool": ("E204", TypeError, lambda: start(x=True)),
    "start value NumPy bool": ("E204", TypeError, lambda: start(x=np.True_)),
    "start value complex": ("E204", TypeError, lambda: start(x=0j)),
    "start value NumPy complex": ("E204", TypeError, lambda: start(x=np.complex128(1 + 1j))),
    "start value list": ("E204", TypeError, lambda: start(x=[0.0])),
    "start value array": ("E204", TypeError, lambda: start(x=np.zeros(1))),
    "start value symbol": ("E204", TypeError, lambda: start(x=sp.Symbol("x0"))),
    "start value sympy true": ("E204", TypeError, lambda: start(x=sp.true)),
    "start value nan": ("E203", ValueError, lambda: start(x=nan)),
    "start value inf": ("E203", ValueError, lambda: start(omega=inf)),
    "start value NumPy nan": ("E203", ValueError, lambda: start(theta=np.float32("nan"))),
    "start value huge": ("E203", ValueError, lambda: start(x=10**400)),
    "start value sympy oo": (("E203", "E204"), (ValueError, TypeError), lambda: start(x=sp.oo)),
    "start value sympy zoo": (("E203", "E204"), (ValueError, TypeError), lambda: start(x=sp.zoo)),
    "start value bytes": ("E204", TypeError, lambda: start(x=b"1")),
    "start value 0-d text": ("E204", TypeError, lambda: start(x=np.array("1"))),
    "start value 0-d bool": ("E204", TypeError, lambda: start(x=np.array(True))),
    "start time text": ("E204", TypeError, lambda: start(t="0")),
    "start time nan": ("E203", ValueError, lambda: start(t=nan)),
    "start time None": ("E204", TypeError, lambda: start(t=None)),
    "projection unknown": ("E307", ValueError, lambda: start(project="nearest")),
    "projection True": ("E307", ValueError, lambda: start(project=True)),
    "projection list": ("E307", (ValueError, TypeError), lambda: start(project=["kinetic"])),
    "unreachable projection": (
        "E111",
        (ValueError, ArithmeticError),
        lambda: nonholonomic(constraints={"b": x**2 + y**2 + 1}).start(
            x=0, y=1, theta=0, vx=1, vy=0, omega=0, project="kinetic"
        ),
    ),
    "projection from where the gradient vanishes": (
        ("E121", "E231", "E232", "E401"),
        (ValueError, ArithmeticError),
        lambda: nonholonomic(constraints={"b": x**2 + y**2 - 1}).start(
            x=0, y=0, theta=0, vx=1, vy=0, omega=0, project="kinetic"
        ),
    ),
    "quaternion 0, projected": (
        ("E238", "E401", "E402"),
        (ValueError, ArithmeticError),
        lambda: da.nonholonomic(_rotor()).start(R_w=0, R_x=0, R_y=0, R_z=0, w1=1, w2=0, w3=0, project="kinetic"),
    ),
    "start overflows": (("E401", "E203", "E208"), (ValueError, ArithmeticError), lambda: start(vx=1e200, omega=1e200)),
    "L undefined at the start": (
        ("E401", "E402"),
        ArithmeticError,
        lambda: nonholonomic(PLAIN - sp.sqrt(x), {}, P2).start(x=-1, y=0, theta=0, vx=1, vy=0, omega=0),
    ),
    "L infinite at the start": (
        "E401",
        ArithmeticError,
        lambda: nonholonomic(PLAIN + 1 / x, {}, P2).start(x=0, y=0, theta=0, vx=1, vy=0, omega=0),
    ),
    "L log of 0 at the start": (
        ("E401", "E402"),
        ArithmeticError,
        lambda: nonholonomic(PLAIN + sp.log(x), {}, P2).start(x=0, y=0, theta=0, vx=1, vy=0, omega=0),
    ),
    "evaluate at nothing": ("E230", ValueError, lambda: nonholonomic().evaluate({})),
    "evaluate at None": ("E241", TypeError, lambda: nonholonomic().evaluate(None)),
    "evaluate off the constraint": ("E231", ValueError, lambda: nonholonomic().evaluate(dict(AT, vy=9))),
}


def _spinning():
    space = da.direction("z")
    w = sp.Matrix(space.velocities)
    return da.System(space, w.dot(w) / 2 - space["z3"])


def _rotor():
    w1, w2, w3 = W.velocities
    return da.System(W, (w1**2 + 2 * w2**2 + 3 * w3**2) / 2 - W.R[2, 2])


# --- E3: time, tolerances, options -----------------------------------------------------------------------------------

EDGE = da.Event("edge", x - 10, "stop", +1)

OPTIONS = {
    # 73
    "until nan": ("E301", ValueError, lambda: run(nan)),
    "until inf": ("E301", ValueError, lambda: run(inf)),
    "until -inf": (("E301", "E302"), ValueError, lambda: run(-inf)),
    "until text": ("E301", TypeError, lambda: run("10")),
    "until None": ("E301", TypeError, lambda: run(None)),
    "until bool": ("E301", TypeError, lambda: run(True)),
    "until NumPy bool": ("E301", TypeError, lambda: run(np.True_)),
    "until list": ("E301", TypeError, lambda: run([0, 10])),
    "until pair": ("E301", TypeError, lambda: run((0, 10))),
    "until complex": ("E301", TypeError, lambda: run(1j)),
    "until NumPy complex": ("E301", TypeError, lambda: run(np.complex128(1))),
    "until array": ("E301", TypeError, lambda: run(np.array([1.0]))),
    "until symbol": ("E301", TypeError, lambda: run(sp.Symbol("T"))),
    "until bytes": ("E301", TypeError, lambda: run(b"1")),
    "until huge": ("E301", ValueError, lambda: run(10**400)),
    "until dict": ("E301", TypeError, lambda: run({})),
    "until sympy oo": ("E301", (ValueError, TypeError), lambda: run(sp.oo)),
    "until 0-d text": ("E301", (ValueError, TypeError), lambda: run(np.array("ten"))),
    "until negative": ("E302", ValueError, lambda: run(-1.0)),
    "until before the start": ("E302", ValueError, lambda: da.simulate(nonholonomic(), start(t=5.0), until=4.0)),
    "until missing": (None, TypeError, lambda: da.simulate(nonholonomic(), AT)),
    # 74, 75
    "samples unsorted": ("E303", ValueError, lambda: run(samples=[0.5, 0.2])),
    "samples twice": ("E303", ValueError, lambda: run(samples=[0.5, 0.5])),
    "samples outside": ("E303", ValueError, lambda: run(samples=[0.5, 1.5])),
    "samples before": ("E303", ValueError, lambda: run(samples=[-0.5, 0.5])),
    "samples empty": ("E303", ValueError, lambda: run(samples=[])),
    "samples nan": ("E303", ValueError, lambda: run(samples=[0.5, nan])),
    "samples inf": ("E303", ValueError, lambda: run(samples=[0.5, inf])),
    "samples text": ("E303", ValueError, lambda: run(samples="0.5")),
    "samples of text": ("E303", ValueError, lambda: run(samples=["a", "b"])),
    "samples of numerals": ("E303", ValueError, lambda: run(samples=["0.1", "0.5"])),
    "samples a count": ("E303", ValueError, lambda: run(samples=100)),
    "samples 2-d": ("E303", ValueError, lambda: run(samples=np.zeros((2, 2)))),
    "samples ragged": ("E303", ValueError, lambda: run(samples=[[0.1], [0.2, 0.3]])),
    "samples complex": ("E303", ValueError, lambda: run(samples=[0.1j, 0.2])),
    "samples None": ("E303", ValueError, lambda: run(samples=[None, 0.2])),
    "samples True": ("E303", ValueError, lambda: run(samples=True)),
    "samples a generator": ("E303", ValueError, lambda: run(samples=(t for t in (0.1, 0.2)))),
    "samples a set": ("E303", ValueError, lambda: run(samples={0.1, 0.2})),
    "samples too many": ("E304", ValueError, lambda: run(samples=range(10**9))),
    "samples too many, view": ("E304", ValueError, lambda: run(samples=np.broadcast_to(0.5, 10**9))),
    # 76
    "rtol 0": ("E305", ValueError, lambda: run(rtol=0)),
    "rtol negative": ("E305", ValueError, lambda: run(rtol=-1e-6)),
    "rtol 1e-20": ("E305", ValueError, lambda: run(rtol=1e-20)),
    "rtol 0.5": ("E305", ValueError, lambda: run(rtol=0.5)),
    "rtol nan": ("E305", ValueError, lambda: run(rtol=nan)),
    "rtol inf": ("E305", ValueError, lambda: run(rtol=inf)),
    "rtol text": ("E305", ValueError, lambda: run(rtol="1e-9")),
    "rtol None": ("E305", ValueError, lambda: run(rtol=None)),
    "rtol bool": ("E305", ValueError, lambda: run(rtol=True)),
    "rtol list": ("E305", ValueError, lambda: run(rtol=[1e-9])),
    "rtol array": ("E305", ValueError, lambda: run(rtol=np.array([1e-9, 1e-9]))),
    "rtol complex": ("E305", ValueError, lambda: run(rtol=1e-9 + 0j)),
    "rtol huge integer": ("E305", ValueError, lambda: run(rtol=10**400)),
    "atol of wrong length": ("E305", ValueError, lambda: run(atol=[1e-9, 1e-9])),
    "atol 0": ("E305", ValueError, lambda: run(atol=0)),
    "atol negative": ("E305", ValueError, lambda: run(atol=-1e-9)),
    "atol nan": ("E305", ValueError, lambda: run(atol=nan)),
    "atol text": ("E305", ValueError, lambda: run(atol="tight")),
    "atol numeral": ("E305", ValueError, lambda: run(atol="1e-9")),
    "atol of a state missing": ("E305", ValueError, lambda: run(atol={"x": 1e-9})),
    "atol of an unknown state": (
        "E305",
        ValueError,
        lambda: run(atol={**dict.fromkeys(("x", "y", "theta", "vx", "vy", "omega"), 1e-9), "z": 1.0}),
    ),
    "atol of states, text": (
        "E305",
        (ValueError, TypeError),
        lambda: run(atol=dict.fromkeys(("x", "y", "theta", "vx", "vy", "omega"), "small")),
    ),
    "atol of states, nan": (
        "E305",
        ValueError,
        lambda: run(atol=dict.fromkeys(("x", "y", "theta", "vx", "vy", "omega"), nan)),
    ),
    "atol complex": ("E305", ValueError, lambda: run(atol=1e-9j)),
    "atol True": ("E305", ValueError, lambda: run(atol=True)),
    "Baumgarte rate 0": ("E305", ValueError, lambda: da.methods.Baumgarte(0)),
    "Baumgarte rate nan": ("E305", ValueError, lambda: da.methods.Baumgarte(nan)),
    "Baumgarte rate text": ("E305", ValueError, lambda: da.methods.Baumgarte("1")),
    "Baumgarte rate True": ("E305", ValueError, lambda: da.methods.Baumgarte(True)),
    # 77
    "method misspelt": ("E307", ValueError, lambda: run(method="dop583")),
    "method RK45": ("E307", ValueError, lambda: run(method="RK45")),
    "method None": ("E307", ValueError, lambda: run(method=None)),
    "method list": ("E307", (ValueError, TypeError), lambda: run(method=["radau"])),
    "method array": ("E307", (ValueError, TypeError), lambda: run(method=np.array(["radau", "dop853"]))),
    "option misspelt": ("E307", TypeError, lambda: run(rtoll=1e-3)),
    "SciPy option": ("E307", TypeError, lambda: run(t_eval=[0, 1])),
    "stabilisation is text": ("E307", TypeError, lambda: run(stabilisation="projection")),
    "stabilisation is the class": ("E307", TypeError, lambda: run(stabilisation=da.methods.Projection)),
    "stabilisation is None": ("E307", TypeError, lambda: run(stabilisation=None)),
    "dense is text": ("E307", (TypeError, ValueError), lambda: run(dense="no")),
    "progress is text": ("E307", (TypeError, ValueError), lambda: run(progress="no")),
    "equations is a system": ("E307", TypeError, lambda: da.simulate(system(), AT, until=1)),
    "equations is None": ("E307", TypeError, lambda: da.simulate(None, AT, until=1)),
    # 79
    "guard is text of nothing": ("E701", ValueError, lambda: run(events=[da.Event("edge", "")])),
    "guard is text of an equation": ("E706", ValueError, lambda: run(events=[da.Event("edge", "x = 1")])),
    "guard is text of an unknown name": ("E702", KeyError, lambda: run(events=[da.Event("edge", "x - R")])),
    "event jumps to text of an unknown name": (
        "E702",
        KeyError,
        lambda: run(events=[da.Event("edge", x - 1, {"vx": "-e*vx"})]),
    ),
    "guard is None": ("E316", TypeError, lambda: da.Event("edge", None)),
    "guard is a function": ("E316", TypeError, lambda: da.Event("edge", lambda t, y: y[0])),
    "guard is a relation": (("E316", "E706"), (TypeError, ValueError), lambda: run(events=[da.Event("edge", x > 1)])),
    "guard is an equation": (
        ("E316", "E706"),
        (TypeError, ValueError),
        lambda: run(events=[da.Event("edge", sp.Eq(x, 1))]),
    ),
    "guard is a matrix": (
        ("E316", "E719"),
        (TypeError, ValueError),
        lambda: run(events=[da.Event("edge", sp.Matrix([x, y]))]),
    ),
    "guard is complex": (("E316", "E719"), (TypeError, ValueError), lambda: run(events=[da.Event("edge", x + sp.I)])),
    "guard of dynamicsymbols, unknown": (
        ("E316", "E104", "E719"),
        (KeyError, TypeError, ValueError),
        lambda: run(events=[da.Event("edge", f_of_t)]),
    ),
    "guard of an unknown function": (
        ("E316", "E719", "E104"),
        (KeyError, TypeError, ValueError),
        lambda: run(events=[da.Event("edge", sp.Function("f")(x))]),
    ),
    "guard of an unknown name": ("E316", KeyError, lambda: run(events=[da.Event("edge", x - sp.Symbol("R"))])),
    "event direction": ("E316", ValueError, lambda: da.Event("edge", x, direction=2)),
    "event direction text": ("E316", ValueError, lambda: da.Event("edge", x, direction="up")),
    "event direction True": ("E316", ValueError, lambda: da.Event("edge", x, direction=True)),
    "event direction array": ("E316", (TypeError, ValueError), lambda: da.Event("edge", x, direction=np.array([1, 1]))),
    "event then": ("E316", ValueError, lambda: da.Event("edge", x, then="halt")),
    "event then None": ("E316", (TypeError, ValueError), lambda: da.Event("edge", x, then=None)),
    "event then array": ("E316", (TypeError, ValueError), lambda: da.Event("edge", x, then=np.zeros(2))),
    "event jumps an unknown state": ("E316", KeyError, lambda: run(events=[da.Event("edge", x - 1, then={"vz": 0})])),
    "event jumps by None": (
        ("E316", "E718"),
        (TypeError, ValueError),
        lambda: run(events=[da.Event("edge", x - 1, then={"vx": None})]),
    ),
    "event jumps by nan": (
        ("E316", "E719"),
        (TypeError, ValueError),
        lambda: run(events=[da.Event("edge", x - 1, then={"vx": sp.nan})]),
    ),
    "event jumps by float nan": (
        ("E316", "E719"),
        (TypeError, ValueError),
        lambda: run(events=[da.Event("edge", x - 1, then={"vx": nan})]),
    ),
    "event without a name": ("E316", (TypeError, ValueError), lambda: da.Event(None, x)),
    "event name empty": ("E316", (TypeError, ValueError), lambda: da.Event("", x)),
    "two events of one name": ("E316", ValueError, lambda: run(events=[EDGE, EDGE])),
    "events of expressions": ("E316", TypeError, lambda: run(events=[x - 1])),
    "events None": ("E316", TypeError, lambda: run(events=None)),
    "events text": ("E316", TypeError, lambda: run(events="edge")),
    "events a number": ("E316", TypeError, lambda: run(events=3)),
    "events a dict of numbers": ("E316", TypeError, lambda: run(events={"edge": object()})),
    "events a misspelt dict": ("E316", TypeError, lambda: run(events={"name": "edge", "gaurd": x - 1})),
    "guard 0 at the start": ("E310", ValueError, lambda: run(events=[da.Event("edge", x, "stop")])),
    "start beyond the edge": ("E240", ValueError, lambda: run(at=dict(AT, x=11), events=[EDGE])),
    "guard nan at the start": ("E311", ValueError, lambda: run(events=[da.Event("edge", sp.sqrt(x - 1), "mark")])),
    "guard inf at the start": ("E311", ValueError, lambda: run(events=[da.Event("edge", 1 / x, "mark")])),
    # 80
    "max_steps 0": ("E313", ValueError, lambda: run(max_steps=0)),
    "max_steps text": ("E313", ValueError, lambda: run(max_steps="10")),
    "max_steps nan": ("E313", ValueError, lambda: run(max_steps=nan)),
    "max_steps True": ("E313", ValueError, lambda: run(max_steps=True)),
    "max_steps half": ("E313", ValueError, lambda: run(max_steps=0.5)),
    "max_step 0": ("E313", ValueError, lambda: run(max_step=0.0)),
    "max_step negative": ("E313", ValueError, lambda: run(max_step=-0.1)),
    "max_step nan": ("E313", ValueError, lambda: run(max_step=nan)),
    "seconds negative": ("E313", ValueError, lambda: run(seconds=-1)),
    "seconds None": ("E313", ValueError, lambda: run(seconds=None)),
    # the path's own answers
    "path at a time outside": ("E303", ValueError, lambda: run().at(2.0)),
    "path at nan": ("E303", ValueError, lambda: run().at(nan)),
    "path at text": ("E303", (TypeError, ValueError), lambda: run().at("now")),
    "path at None": ("E303", (TypeError, ValueError), lambda: run().at(None)),
    "path at 2-d": ("E303", (TypeError, ValueError), lambda: run().at(np.zeros((2, 2)))),
    "path column unknown": ("E317", KeyError, lambda: run()["omga"]),
    "path column by number": ("E317", (KeyError, TypeError), lambda: run()[0]),
    "load what is no path": ("E520", ValueError, lambda: da.load(__file__)),
}

EVERY = [
    pytest.param(*row, id=f"{group}: {label}")
    for group, table in (("E1", SYSTEM), ("E2", PARAMETERS), ("E2 start", START), ("E3", OPTIONS))
    for label, row in table.items()
]


@pytest.mark.filterwarnings("ignore::dalembert.DalembertWarning")
@pytest.mark.parametrize(("code", "kind", "call"), EVERY)
def test_refused_with_code_kind_and_remedy(code, kind, call):
    if code is None:  # a programming mistake: any code, or Python's own TypeError
        with pytest.raises(kind):
            call()
        return
    codes = (code,) if isinstance(code, str) else code
    with pytest.raises(da.DalembertError) as caught:
        call()
    error = caught.value
    text = str(error)
    assert error.code in codes, text
    assert text.startswith(f"{error.code} "), text
    assert isinstance(error, kind), (type(error).__mro__, text)
    assert error.remedy.strip(), f"no remedy: {text}"
    assert len(text.splitlines()[0]) < 300


# --- values that are numbers, however they are spelt -----------------------------------------------------------------

NUMBERS = [
    2,
    2.0,
    fractions.Fraction(2),
    np.float64(2),
    np.float32(2),
    np.int64(2),
    np.uint8(2),
    np.array(2.0),
    sp.Integer(2),
    sp.Rational(4, 2),
    sp.Float(2),
    sp.sqrt(4),
]


@pytest.mark.parametrize("two", NUMBERS, ids=lambda v: f"{type(v).__module__}.{type(v).__name__}")
def test_numbers_are_accepted(two):
    found = nonholonomic(parameters={**P, "m": two}).start(**{**AT, "vx": two})
    assert found.parameters["m"] == found["vx"] == 2
    assert type(found["vx"]) is type(found.parameters["m"]) is float


@pytest.mark.parametrize("until", [1, np.float64(1), np.int64(1), fractions.Fraction(1), np.array(1.0), sp.Integer(1)])
def test_times_are_accepted(until):
    assert run(until).t[-1] == 1


@pytest.mark.parametrize("name", ["x", sp.Symbol("x"), sp.Symbol("x", real=True), sp.Symbol("x", finite=True)])
def test_symbols_of_weaker_assumptions_are_the_same_coordinate(name):
    symbol = sp.Symbol("x") if isinstance(name, str) else name
    v = sp.Symbol("vx", complex=True)
    q = da.coordinates([name], velocities=["vx"])
    equations = da.nonholonomic(da.System(q, v**2 / 2 - symbol**2, parameters={}))
    assert equations.evaluate({"x": 3, "vx": 0})["accelerations"] == {"vx": -6}


def test_dynamicsymbols_are_understood():
    from sympy.physics.mechanics import dynamicsymbols

    time = dynamicsymbols._t
    X, Y, H = dynamicsymbols("x y theta")
    L = m / 2 * (X.diff(time) ** 2 + Y.diff(time) ** 2) + J / 2 * H.diff(time) ** 2
    blade = -X.diff(time) * sp.sin(H) + Y.diff(time) * sp.cos(H)
    theirs = da.nonholonomic(da.System(Q, L, {"blade": blade}, parameters=P2))
    ours = da.nonholonomic(da.System(Q, PLAIN, {"blade": BLADE}, parameters=P2))
    assert theirs.evaluate(AT) == ours.evaluate(AT)


def test_the_same_names_in_another_space_are_the_same():
    other = da.coordinates("x y theta", velocities="vx vy omega")
    assert other.coordinates == Q.coordinates


# --- warnings and notes ----------------------------------------------------------------------------------------------


def doubted(code, call):
    """The value, after seeing one warning of this code and no other."""
    with pytest.warns(da.DalembertWarning, match=f"^{code} ") as record:
        value = call()
    assert [str(w.message).split()[0] for w in record] == [code]
    return value


def codes(notes):
    return [str(n).split()[0] for n in notes]


def test_coordinate_that_occurs_nowhere():
    q = da.coordinates("x y")
    found = doubted("W105", lambda: da.System(q, q["vx"] ** 2 / 2, parameters={}))
    assert codes(found.notes) == ["W105"]


def test_parameter_that_is_not_used():
    found = doubted("W119", lambda: system(parameters={**P, "Omega": 2.0}))
    assert "Omega" in str(found.notes[0])


def test_same_constraint_twice():
    equations = doubted("W113", lambda: nonholonomic(constraints={"b": BLADE, "twin": 2 * BLADE}))
    assert "W113" in codes(equations.notes)
    found = equations.evaluate(AT)
    alone = nonholonomic(constraints={"b": BLADE}).evaluate(AT)
    assert found["accelerations"] == pytest.approx(alone["accelerations"], abs=1e-13)
    assert found["multipliers"]["twin"] == pytest.approx(2 * found["multipliers"]["b"])  # least norm


def test_dependent_combination_of_three():
    three = {"b": vx - x * omega, "c": vy + y * omega, "d": vx + vy + (y - x) * omega}
    equations = doubted("W113", lambda: nonholonomic(PLAIN, three, P2))
    assert len(equations.kept) == 2


def test_position_relation_is_holonomic():
    found = system(constraints={"b": x - y})
    assert codes(found.notes) == ["N115"]
    assert found.constraints[0].kind == "holonomic"


def test_nonlinear_constraint_says_chetaev():
    equations = nonholonomic(constraints={"b": vx**2 - vy**2 - 1})
    assert "N117" in codes(equations.notes)
    assert "Chetaev" in equations.header
    assert "Chetaev" in equations.text()


def test_explicit_time_is_noted():
    assert codes(system(T - x * sp.sin(t_plain)).notes) == ["N120"]


def test_degrees_are_suspected():
    doubted("W209", lambda: start(theta=90))


def test_degrees_are_not_suspected_where_there_are_none(recwarn):
    start(x=90, theta=6.0)
    assert not recwarn.list


def test_loose_tolerance():
    path = doubted("W306", lambda: run(rtol=1e-3))
    assert "W306" in codes(path.audit.notes)


def test_event_that_never_happens():
    path = run(events=[da.Event("far", x - 100)])
    assert "N309" in codes(path.audit.notes)
    assert len(path.marks["far"]) == 0
    assert path.ok


@pytest.mark.parametrize(("name", "value"), [("m", 1e-300), ("m", 1e300), ("J", 1e20), ("J", 1e-20)])
def test_bad_scaling_never_gives_a_silent_wrong_answer(name, value):
    # W208, a refusal, or an answer whose audit stands: never silence with nonsense
    try:
        equations = nonholonomic(PLAIN, parameters={**P2, name: value})
        path = da.simulate(equations, AT, until=0.5)
    except da.DalembertError as error:
        assert error.remedy
        return
    except da.DalembertWarning as warning:
        assert str(warning).startswith("W208")
        return
    assert np.isfinite(path.values).all()
    if path.ok:
        assert path["theta"][-1] == pytest.approx(0.5, abs=1e-9)
        assert path["x"][-1] == pytest.approx(5 / math.cos(0.4) * (math.sin(0.5) - math.sin(0.4)), abs=1e-8)


@pytest.mark.parametrize("order", ["given", "reversed"])
def test_misspelt_option_names_the_right_one(order):
    options = {"rtoll": 1e-3, "maxstep": 1}
    name = list(options)[0 if order == "given" else 1]
    with pytest.raises(da.DalembertError, match="rtol" if order == "given" else "max_step"):
        run(**{name: options[name]})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: start(thetta=0.4), "theta"),
        (lambda: nonholonomic(parameters={"mm": 1.0, "J": 0.5, "a": 0.3}), "did you mean m?"),
        (lambda: nonholonomic(parameters={"m": 1.0, "J": 0.5}).start(**AT), "a (used in L)"),
        (lambda: start(drop=["omega"]), "omega"),
        (lambda: start(vy=5.0), "vy = 0.42279"),
        (vakonomic_start, "lam_blade"),
        (lambda: run(method="Radau"), "radau"),
        (lambda: run(events=[da.Event("edge", x - 1, then={"vX": 0})]), "vx"),
        (lambda: system(forces={"vX": 1}), "vx"),
        (lambda: run()["omga"], "omega"),
        (lambda: Q["thetta"], "theta"),
        (lambda: turn(R=[1, 0, 0, 0]), 'R={"w": 1, "x": 0, "y": 0, "z": 0}'),
        (lambda: start([0, 0]), "x, y, theta, vx, vy, omega"),
    ],
)
def test_the_remedy_names_what_was_meant(call, said):
    with pytest.raises(da.DalembertError) as caught:
        call()
    assert said in str(caught.value)


def test_errors_survive_pickling_and_print_whole():
    import pickle

    with pytest.raises(da.DalembertError) as caught:
        start(vy=5.0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert type(again) is type(caught.value)
    with pytest.raises(KeyError) as unknown:
        start(thetta=1.0)
    assert str(unknown.value).startswith("E229 ")  # not the repr that KeyError would show


# --- E4: during the run ----------------------------------------------------------------------------------------------


def one(force=0, L=None, parameters=None, constraints=None):
    """One coordinate x with unit mass."""
    q = da.coordinates("x")
    return da.nonholonomic(
        da.System(q, q["vx"] ** 2 / 2 if L is None else L, constraints, {"vx": force}, parameters or {})
    )


def failed(code, path):
    """The path of a run that could not go on: not ok, the code first, the partial path finite."""
    assert not path.ok
    assert not path.success
    assert path.status == -1
    assert path.message.startswith(f"{code} "), path.message
    assert path.audit.reasons[0].startswith(f"{code} ")
    assert path.audit.verdict == "failed"
    assert np.isfinite(path.values).all()
    assert len(path) >= 1
    return path


def test_square_root_leaves_the_real_numbers():
    path = failed("E402", da.simulate(one(sp.sqrt(1 - x)), {"x": 0, "vx": 1}, until=5.0))
    assert "sqrt" in path.message


def test_logarithm_leaves_the_real_numbers():
    path = failed("E402", da.simulate(one(sp.log(1 - x) - 10), {"x": 0, "vx": 10}, until=5.0))
    assert "log" in path.message


def test_division_by_zero_on_the_way():
    path = da.simulate(one(2 / (1 - x) ** 3), {"x": 0, "vx": 5}, until=5.0)
    assert not path.ok
    assert np.isfinite(path.values).all()


def test_blow_up():
    path = da.simulate(one(vx**2), {"x": 0, "vx": 1}, until=2.0)
    assert path.message[:4] in ("E403", "E401", "E407")
    failed(path.message[:4], path)
    assert path.t[-1] == pytest.approx(1.0, abs=1e-6)


def test_blow_up_of_positions():
    path = da.simulate(one(6 * x**2), {"x": 1, "vx": 2}, until=3.0)  # x = 1/(1 - t)^2
    assert path.message[:4] in ("E403", "E401", "E407")
    failed(path.message[:4], path)
    assert path.t[-1] == pytest.approx(1.0, abs=1e-3)


def test_rank_lost_on_the_way():
    q = da.coordinates("x y")
    X, Y, VX, VY = q
    equations = da.nonholonomic(da.System(q, (VX**2 + VY**2) / 2, {"b": (1 - X) * VX + Y * VY}, {"vx": 1, "vy": 0}, {}))
    path = da.simulate(equations, {"x": 0, "y": 0.0, "vx": 0, "vy": 0.5}, until=1.0)
    assert path.ok  # the row keeps its rank here
    slit = da.nonholonomic(da.System(q, (VX**2 + VY**2) / 2, {"b": (1 - X) * VY}, {}, {}))
    path = failed("E404", da.simulate(slit, {"x": 0, "y": 0, "vx": 1}, until=3.0))
    assert path.t[-1] == pytest.approx(1.0, abs=1e-2)


def test_mass_lost_on_the_way():
    q = da.coordinates("x y")
    X, _, VX, VY = q
    equations = da.nonholonomic(da.System(q, VX**2 / 2 + (1 - X) ** 2 * VY**2 / 2, {}, {}, {}))
    path = da.simulate(equations, {"x": 0, "y": 0, "vx": 1, "vy": 0}, until=3.0)
    assert not path.ok
    assert path.message[:4] in ("E404", "E407", "E401")


def test_drift_above_the_limit_is_not_ok():
    equations = nonholonomic()
    with pytest.warns(da.DalembertWarning, match="W306"):
        path = da.simulate(equations, AT, until=50.0, rtol=1e-2, stabilisation=da.methods.Drift())
    assert not path.ok
    assert any(r.startswith("E405 blade") for r in path.audit.reasons)


def test_energy_above_the_limit_is_not_ok():
    with pytest.warns(da.DalembertWarning, match="W306"):
        path = da.simulate(one(-100 * x), {"x": 1, "vx": 0}, until=200.0, rtol=1e-2)
    assert not path.ok
    assert any(r.startswith("E406") for r in path.audit.reasons)


def test_steps_used_up():
    path = failed("E313", run(100.0, max_steps=5))
    assert 0 < path.t[-1] < 100
    assert "max_steps" in path.message


def test_cpu_time_used_up(ticking):
    ticking(0.1)
    path = failed("E313", da.simulate(one(-1e8 * x), {"x": 1, "vx": 0}, until=1e4, seconds=0.3))
    assert "seconds" in path.message


def test_chatter_is_stopped():
    bounce = da.Event("floor", x, then={"vx": -vx / 2}, direction=-1)
    path = da.simulate(one(-1), {"x": 1, "vx": 0}, until=10.0, events=[bounce])
    assert not path.ok  # the bounces end at t = 3 sqrt 2
    assert path.t[-1] == pytest.approx(3 * math.sqrt(2), abs=1e-3)


def test_jump_that_leaves_the_constraints():
    path = run(events=[da.Event("kick", x - 0.5, then={"vy": 3.0})])
    failed("E130", path)


def test_jump_to_nan():
    kick = da.Event("kick", x - sp.Rational(1, 2), then={"vx": sp.sqrt(-x)})
    assert not da.simulate(one(), {"x": 0, "vx": 1}, until=1.0, events=[kick]).ok


def test_guard_that_stops_being_finite():
    path = da.simulate(one(), {"x": 0, "vx": 1}, until=2.0, events=[da.Event("g", sp.sqrt(1 - x) - 5)])
    failed("E311", path)


def test_dry_friction_stops_at_rest():
    q = da.coordinates("x y")
    _, _, VX, VY = q
    law = da.forces.rolling_friction([VX, VY], 0.1, 10.0)
    given = da.System(q, (VX**2 + VY**2) / 2, {}, law, {})
    path = da.simulate(da.nonholonomic(given), {"x": 0, "y": 0, "vx": 3, "vy": 4}, until=10.0)
    assert path.outcome.startswith("stopped by rolling friction at rest")
    assert path.t[-1] == pytest.approx(5.0, rel=1e-5)
    assert path["x"][-1] == pytest.approx(7.5, rel=1e-9)


def test_multipliers_without_bound_are_noted():
    q = da.coordinates("x y")
    _, Y, VX, VY = q
    given = da.System(q, (VX**2 + VY**2) / 2 - 50 * Y**2 * 0, {"b": VX - Y}, {"vy": 200 * Y}, {})
    path = da.simulate(da.vakonomic(given), {"x": 0, "y": 1, "vy": 1, "lam_b": 1e-3}, until=4.0)
    assert any(str(n).startswith("W407") for n in path.audit.notes) or not path.ok or np.abs(path["lam_b"]).max() < 1e9


def test_nan_never_passes_for_ok():
    q = da.coordinates("x")
    X, V = q
    force = sp.Piecewise((0, X < 1), (sp.sqrt(1 - X), True))
    path = da.simulate(da.nonholonomic(da.System(q, V**2 / 2, {}, {V: force}, {})), {"x": 0, "vx": 1}, until=2.0)
    assert not path.ok
    assert np.isfinite(path.values).all()


def test_zero_length_is_a_path_of_one_point():
    path = run(0.0)
    assert len(path) == 1
    assert path.ok
    assert path.at(0.0)["vx"] == 1.0


def test_decimal_is_a_number_or_is_refused():
    try:
        found = start(x=decimal.Decimal("1.5"))
    except da.DalembertError as error:
        assert error.code == "E204"
    else:
        assert found["x"] == 1.5


def test_nothing_changes_what_the_user_gave():
    given, parameters, options = dict(AT), dict(P), {"rtol": 1e-9}
    forces = [{vx: -vx}]
    equations = nonholonomic(parameters=parameters, forces=forces)
    da.simulate(equations, given, until=0.5, **options)
    assert given == AT
    assert parameters == P
    assert options == {"rtol": 1e-9}
    assert forces == [{vx: -vx}]
    with pytest.raises((TypeError, AttributeError)):
        equations.system.title = "x"
