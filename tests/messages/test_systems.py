"""Systems that cannot be, each row of the catalogue (E1) with two systems of its own; and what is only doubted."""

import math
from functools import cache

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.model.inertia import inertia

t = sp.Symbol("t")
m, g, l, R, I, J = sp.symbols("m g l R I J", positive=True)

COIN = da.coordinates("x y theta phi")
x, y, theta, phi, vx, vy, vtheta, vphi = COIN
T_COIN = m * (vx**2 + vy**2) / 2 + I * vphi**2 / 2 + J * vtheta**2 / 2
ROLL = {"rollx": vx - R * vphi * sp.cos(theta), "rolly": vy - R * vphi * sp.sin(theta)}
P_COIN = {"m": 1.0, "I": 0.5, "J": 0.25, "R": 1.0}

SWING = da.coordinates("x z")
sx, sz, svx, svz = SWING
L_SWING = m * (svx**2 + svz**2) / 2 - m * g * sz
ROD = {"rod": sx**2 + sz**2 - l**2}
P_SWING = {"m": 1.0, "g": 9.81, "l": 1.0}

TOP = da.rotation("R", frame="body")
w1, w2, w3 = TOP.velocities


def coin(L=T_COIN, constraints=None, parameters=None, **more):
    return da.System(COIN, L, ROLL if constraints is None else constraints, parameters=parameters or P_COIN, **more)


def swing(L=L_SWING, constraints=None, parameters=None, **more):
    return da.System(SWING, L, ROD if constraints is None else constraints, parameters=parameters or P_SWING, **more)


def top(a, b, c, **more):
    return da.System(TOP, (a * w1**2 + b * w2**2 + c * w3**2) / 2, **more)


def many(n, **options):
    space = da.coordinates([f"q{i}" for i in range(n)])
    return da.System(space, sum(v**2 for v in space.velocities) / 2, **options)


@cache
def long_sum(n):
    # not evaluated: SymPy asks each sine for a minute whether its argument is a multiple of pi
    return sp.Add(*(sp.sin(i * x + i * y, evaluate=False) for i in range(1, n)))


def nested(n):
    e = x
    for _ in range(n):
        e = sp.sin(e)
    return e


REFUSED = {
    # 22
    "no coordinates and no velocities": ("E101", lambda: da.coordinates("", velocities="")),
    "parameter named like a function": ("E103", lambda: swing(parameters={**P_SWING, "sqrt": 1.0})),
    "symbol named like a function": ("E103", lambda: swing(L_SWING - sp.Symbol("sin") * sz)),
    "parameter named like a rotation": ("E103", lambda: top(1, 1, 1, parameters={"R": 2.0})),
    "symbol named like a rotation": ("E103", lambda: top(sp.Symbol("R"), 1, 1)),
    "coordinate named like a rotation": ("E102", lambda: da.rotation("R") * da.line("R")),
    "velocity named like a rotation": ("E102", lambda: da.rotation("R", velocities="R p q")),
    "coordinate min": ("E103", lambda: da.coordinates("min max")),
    "rotation's name a number": ("E102", lambda: da.rotation(3)),
    "product with a number": ("E140", lambda: da.Space.product(COIN, 3)),
    "parameter twice": ("E102", lambda: swing(parameters={**P_SWING, m: 2.0})),
    "force twice": ("E102", lambda: swing(forces={"vx": 1, svx: 2})),
    "momentum twice": ("E102", lambda: swing(momenta={"p": svx, sp.Symbol("p"): svz})),
    # 23
    "name of another system": ("E104", lambda: coin(T_COIN + sp.Function("alpha")(t))),
    "indexed symbol": ("E719", lambda: coin(T_COIN + sp.Indexed("q", 1))),
    "polynomial object": ("E718", lambda: coin(sp.Poly(x**2, x))),
    "anchor of text": ("E140", lambda: da.Space("x", "u", anchor=[["cos(x)"]])),
    "anchor with code": ("E140", lambda: da.Space("x", "u", anchor=[["__import__('os').getcwd()"]])),
    "anchor of None": ("E718", lambda: da.Space("x", "u", anchor=[[None]])),
    "anchor of a truth value": ("E718", lambda: da.Space("x", "u", anchor=[[True]])),
    "retraction with a velocity": ("E140", lambda: da.Space("x", "u", retraction={sp.Symbol("x"): sp.Symbol("u")})),
    # 25, 26, 27
    "potential alone": ("E106", lambda: da.nonholonomic(swing(-m * g * sz))),
    "kinetic energy that cancels": ("E107", lambda: da.nonholonomic(swing((svx + 1) ** 2 - svx**2 - m * g * sz))),
    "linear in one velocity": ("E107", lambda: da.nonholonomic(coin(T_COIN.subs(vtheta, 0) + vtheta * x))),
    "sign slip hidden by multipliers": (
        "E108",
        lambda: da.vakonomic(coin(T_COIN - J * vtheta**2)).start(
            x=0, y=0, theta=0, phi=0, vtheta=1, vphi=1, lam_rollx=0, lam_rolly=0
        ),
    ),
    # 28
    "moments of no body": ("E109", lambda: inertia(1, 1, 3)),
    "moments of no body, turned": ("E109", lambda: inertia([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 0.1]])),
    "not symmetric": ("E109", lambda: inertia([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]])),
    "negative moment": ("E109", lambda: inertia(np.diag([1.0, 1.0, -1.0]))),
    "moment 0": ("E109", lambda: inertia([0, 1, 1])),
    "moments known later": (
        "E109",
        lambda: top(
            *sp.symbols("A B C"), parameters={"A": 1, "B": 1, "C": 3}, inertias={"top": inertia(*sp.symbols("A B C"))}
        ),
    ),
    "moments known at the start": (
        "E109",
        lambda: da.free(top(*sp.symbols("A B C"), inertias={"top": inertia(*sp.symbols("A B C"))})).start(
            R="identity", w1=1, w2=0, w3=0, parameters={"A": 1, "B": 1, "C": 3}
        ),
    ),
    "inertia of two": ("E109", lambda: inertia(1, 2)),
    "inertia of four": ("E109", lambda: inertia([[1, 0], [0, 1]])),
    "inertia of None": ("E109", lambda: inertia(None)),
    "inertia of text": ("E204", lambda: inertia("1 kg m^2", 1, 1)),
    "inertia nan": ("E203", lambda: inertia(math.nan, 1, 1)),
    "inertias in a list": ("E109", lambda: top(1, 1, 1, inertias=[inertia(1, 1, 1)])),
    # 29, 30
    "constraint 0 by rounding": ("E110", lambda: swing(constraints={"b": math.sin(math.pi) * svx})),
    "constraint 0 by a double angle": (
        "E110",
        lambda: coin(constraints={"b": (sp.sin(2 * theta) - 2 * sp.sin(theta) * sp.cos(theta)) * vx}),
    ),
    "constraint of parameters": ("E111", lambda: swing(constraints={"b": l - 1})),
    "constraint of the time": ("E111", lambda: swing(constraints={"b": sp.cos(t)})),
    "two rods": ("E111", lambda: da.nonholonomic(swing(constraints={**ROD, "far": sx**2 + sz**2 - 4 * l**2}))),
    "row and row - 1": ("E111", lambda: da.vakonomic(coin(constraints={**ROLL, "b": ROLL["rollx"] - 1}))),
    "no real solution": ("E111", lambda: da.nonholonomic(coin(constraints={"b": vx**2 + vy**2 + 1}))),
    "exponential": ("E111", lambda: da.nonholonomic(swing(constraints={"b": sp.exp(l * sx)}))),
    # 31
    "rolling put into L": (
        "E112",
        lambda: da.nonholonomic(coin(T_COIN.subs({vx: R * vphi * sp.cos(theta), vy: R * vphi * sp.sin(theta)}))),
    ),
    "rod put into L": ("E112", lambda: da.nonholonomic(swing(L_SWING.subs(svz, -sx * svx / sz)))),
    # 33
    "rod and a stop": ("E114", lambda: da.nonholonomic(swing(constraints={**ROD, "stop": svx}))),
    "four rows": (
        "E114",
        lambda: da.nonholonomic(coin(constraints={**ROLL, "c": vtheta, "d": vphi - vtheta})),
    ),
    # 37
    "acceleration": ("E118", lambda: coin(constraints={"b": sp.Function("phi")(t).diff(t, 2)})),
    "rate of a velocity": ("E118", lambda: swing(constraints={"b": sp.Function("vz")(t).diff(t) - 1})),
    # 40
    "rank 0 at rest": (
        "E121",
        lambda: da.nonholonomic(coin(constraints={"b": vx**2 + vy**2 - R**2 * vphi**2})).start(
            x=0, y=0, theta=0, phi=0, vx=0, vy=0, vtheta=1, vphi=0
        ),
    ),
    "rank 0 at a crossing": (
        "E121",
        lambda: da.nonholonomic(swing(constraints={"b": l * sx * sz})).start(x=0, z=0, vx=1, vz=0),
    ),
    # 44
    "up is unknown": ("E104", lambda: swing(up="y")),
    "up is a velocity": ("E145", lambda: swing(up="vz")),
    "up is a number": ("E145", lambda: swing(up=3)),
    "up is a list": ("E145", lambda: swing(up=["z"])),
    "up is true": ("E718", lambda: swing(up=True)),
    # 45
    "bordered matrix singular": (
        "E126",
        lambda: da.vakonomic(swing(constraints={"b": svx**2 + svz**2 - l})).start(x=0, z=0, vx=1, vz=0, lam_b=0.5),
    ),
    # 46
    "two components of four": ("E127", lambda: coin(forces=[1, 2])),
    "nested components": ("E127", lambda: swing(forces=[[1, 2]])),
    "force on a multiplier": ("E127", lambda: swing(forces={"lam_rod": 1})),
    "force in a matrix": ("E127", lambda: swing(forces=sp.Matrix([1, 2]))),
    "force's name a number": ("E127", lambda: da.forces.viscous_friction([svx], 1, name=3)),
    "component None": ("E127", lambda: da.forces.applied([svx], [None])),
    "massless a number": ("E127", lambda: swing(massless=3)),
    "title a number": ("E146", lambda: swing(title=3)),
    # 47
    "negative number": ("E128", lambda: coin(forces=da.forces.viscous_friction([vx, vy], -2))),
    "negative load": ("E128", lambda: swing(forces=da.forces.rolling_friction([svx, svz], 0.1, -9.81 * m))),
    "negative where it is": ("E128", lambda: swing(forces=da.forces.viscous_friction([svx, svz], -(sx**2)))),
    "negative dissipation": ("E128", lambda: coin(forces=da.forces.rayleigh(-J * vtheta**2))),
    "negative by its value": (
        "E128",
        lambda: coin(forces=da.forces.viscous_friction([vx], sp.Symbol("c")), parameters={**P_COIN, "c": -1.0}),
    ),
    # 50
    "momentum added to energy": (
        "E134",
        lambda: swing(L_SWING + m * svx, parameters={"m": "2 kg", "g": "9.81 m/s^2", "l": "1 m"}, units={"x": "m"}),
    ),
    "radius left out": (
        "E134",
        lambda: coin(constraints={"b": vx - vphi * sp.cos(theta)}, units={"x": "m", "phi": "rad"}),
    ),
    "sine of a length": ("E134", lambda: swing(L_SWING + sp.sin(sx), units={"x": "m"})),
    "a torque as force": (
        "E134",
        lambda: swing(
            forces={"vx": sp.Symbol("M")},
            parameters={**P_SWING, "M": "3 N m"},
            units={"x": "m", "z": "m", "m": "kg", "g": "m/s^2", "l": "m"},
        ),
    ),
    # 51
    "65 coordinates": ("E135", lambda: many(65, limits={"coordinates": 64})),
    "L too long": ("E135", lambda: coin(T_COIN + long_sum(1500), limits={"operations": 2000})),
    "L nested too deeply": ("E135", lambda: coin(T_COIN + nested(180))),
    "limits in a list": ("E135", lambda: swing(limits=[64])),
    "limit unknown": ("E135", lambda: swing(limits={"operation": 1})),
    "limit negative": ("E135", lambda: swing(limits={"seconds": -1})),
    "limit cut": ("E135", lambda: swing(limits={"gibibytes": 1.5})),
    "limit nan": ("E203", lambda: swing(limits={"seconds": float("nan")})),
    "limit text": ("E204", lambda: swing(limits={"operations": "many"})),
}


@pytest.mark.filterwarnings("ignore:W1")
@pytest.mark.parametrize("row", REFUSED)
def test_refused_with_a_remedy(row, refused):
    refused(*REFUSED[row])


DOUBTED = {
    # 24
    "coordinate nowhere": ("W105", "s", lambda: da.System(da.coordinates("s") * SWING, L_SWING, parameters=P_SWING)),
    # 28
    "moments in L": ("W109", "1 + 1 < 4", lambda: top(1, 1, 4)),
    "moments in L by value": (
        "W109",
        "R",
        lambda: top(*sp.symbols("A B C"), parameters={"A": 1.0, "B": 0.1, "C": 0.2}),
    ),
    # 32
    "same row twice": ("W113", "rank 2 of 3", lambda: da.nonholonomic(coin(constraints={**ROLL, "b": ROLL["rolly"]}))),
    "a rod of twice the length squared": (
        "W113",
        "rank 1 of 2",
        lambda: da.nonholonomic(swing(constraints={**ROD, "b": 3 * ROD["rod"]})),
    ),
    # 38
    "Omega forgotten": ("W119", "Omega", lambda: coin(parameters={**P_COIN, "Omega": 2.0})),
    # 44
    "gravity upwards": ("W125", "falls as z grows", lambda: swing(L_SWING + 2 * m * g * sz, up="z")),
    "height as an expression": ("W125", "9.81", lambda: swing(L_SWING, up=l - sz)),
    # 48
    "v/|v|": ("W129", "at rest", lambda: swing(forces={"vx": -svx / sp.sqrt(svx**2 + svz**2)})),
    "sign(v)": ("W129", "at rest", lambda: coin(forces={"vtheta": -sp.sign(vtheta)})),
    "v/abs(v)": ("W129", "at rest", lambda: coin(forces={"vphi": -vphi / sp.Abs(vphi)})),
    "direction by atan2": ("W129", "at rest", lambda: swing(forces={"vx": -sp.cos(sp.atan2(svz, svx))})),
    "branches": ("W129", "at rest", lambda: swing(forces={"vx": sp.Piecewise((-1, svx > 0), (1, True))})),
    "a belt": ("W129", "vx - 2 = 0", lambda: swing(forces={"vx": -sp.sign(svx - 2)})),
    "a belt in the plane": (
        "W129",
        "(vx - 2)**2",
        lambda: swing(forces={"vx": -(svx - 2) / sp.sqrt((svx - 2) ** 2 + svz**2)}),
    ),
    "an applied force": ("W129", "at rest", lambda: swing(forces=da.forces.applied([svx], [-sp.sign(svx)]))),
    # 50
    "a mass in rpm": ("W134", "m**2/s**3", lambda: swing(parameters={"m": "45 rpm", "g": "9.81 m/s^2", "l": "1 m"})),
    "a radius in rpm": (
        "W134",
        "neither a length nor an angle",
        lambda: coin(parameters={"m": None, "I": None, "J": None, "R": "45 rpm"}, units={"phi": "rad"}),
    ),
    # 59, 60
    "a tiny mass": ("W208", "1e-300", lambda: swing(parameters={**P_SWING, "m": 1e-300})),
    "a slope of 30": (
        "W209",
        "30 deg",
        lambda: swing(L_SWING + m * sx * sp.sin(sp.Symbol("a")), parameters={**P_SWING, "a": 30}),
    ),
}


@pytest.mark.parametrize("row", DOUBTED)
def test_doubted_once_and_noted(row):
    code, said, call = DOUBTED[row]
    with pytest.warns(da.DalembertWarning) as caught:
        found = call()
    texts = [str(w.message) for w in caught if str(w.message).startswith(code)]
    assert len(texts) == len(set(texts)) >= 1, [str(w.message) for w in caught]
    assert any(said in text for text in texts)
    assert set(texts) <= {str(note) for note in found.notes}


SILENT = {
    "friction that vanishes at rest": lambda: swing(forces={"vx": -svx * sp.Abs(svx)}),
    "a root of the speed": lambda: swing(forces={"vx": -sp.sqrt(sp.Abs(svx)) * sp.sign(svx)}),
    "friction made smooth": lambda: swing(forces={"vx": -svx / sp.sqrt(svx**2 + svz**2 + sp.Rational(1, 100))}),
    "a force that switches with the place": lambda: swing(forces={"vx": -sp.sign(sx)}),
    "a coefficient that changes sign": lambda: swing(forces=da.forces.viscous_friction([svx], sx)),
    "a flat body": lambda: top(1, 1, 2),
    "gravity downwards": lambda: swing(up="z"),
    "no gravity": lambda: coin(up="x"),
    "a frequency in a sine": lambda: swing(
        L_SWING + m * sp.sin(sp.Symbol("w") * t) * sx, parameters={**P_SWING, "w": 90.0}
    ),
    "a long L, allowed": lambda: coin(T_COIN + long_sum(1500), limits={"operations": 10_000}),
}


@pytest.mark.parametrize("row", SILENT)
def test_what_is_right_is_not_doubted(row, recwarn):
    SILENT[row]()
    assert not [str(w.message) for w in recwarn.list]


def test_a_message_names_the_repair():
    with pytest.raises(da.DalembertError) as caught:
        swing(parameters={"m": "1 kg", "g": "9.81 m/s^2", "l": "45 rpm"})
    assert "all fits if l is m instead of 1/s" in caught.value.remedy
    assert caught.value.remedy.count("all fits") == 1  # with g in 1/s^3 the terms fit as well, but x is no length
    with pytest.raises(da.DalembertError) as caught:
        coin(T_COIN + long_sum(26_000))
    assert 'limits={"operations": ' in caught.value.remedy


def test_limits_travel_with_the_system():
    system = coin(T_COIN + long_sum(1500), limits={"operations": 10_000})
    assert system.changed(title="again").limits["operations"] == 10_000


@pytest.mark.parametrize(
    ("phi", "said"),
    [
        ("vx*(sin(x)^2 + cos(x)^2 - 1) + 1e-12*vy", r"numerically 0 = 0: of terms of \S+ that cancel \S+e-12 is left"),
        ("0.1*vx + 0.2*vx - 0.3*vx", r"numerically 0 = 0: 5\.55111512312578e-17\*vx is \S+e-17 at most"),
        ("vx*(sin(x)^2 + cos(x)^2 - 1)", "0 = 0 at all states"),
        ("sin(x)^2 + cos(x)^2", "cannot be satisfied"),
    ],
)
def test_cancellation_is_told_from_nothing(phi, said):
    with pytest.raises(da.DalembertError, match=said):
        da.nonholonomic(da.System(da.coordinates("x y"), "(vx^2 + vy^2)/2", {"c": phi}))
