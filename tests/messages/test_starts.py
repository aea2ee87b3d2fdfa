"""Parameters and starts that cannot be, each row of the catalogue (E2) with two systems; and what is converted."""

import collections
import fractions
import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import dalembert as da

nan, inf = math.nan, math.inf
m, g, l, R, I, J = sp.symbols("m g l R I J", positive=True)

COIN = da.coordinates("x y theta phi")
x, y, theta, phi, vx, vy, vtheta, vphi = COIN
ROLL = {"rollx": vx - R * vphi * sp.cos(theta), "rolly": vy - R * vphi * sp.sin(theta)}
P_COIN = {"m": 1.0, "I": 0.5, "J": 0.25, "R": 1.0}
AT_COIN = {"x": 0, "y": 0, "theta": 0.3, "phi": 0, "vtheta": 1, "vphi": 2}
WITH_UNITS = {"m": "1 kg", "I": "1 kg m^2", "J": "1 kg*m^2", "R": "2 in"}

SWING = da.coordinates("x z")
sx, sz, svx, svz = SWING
ROD = {"rod": sx**2 + sz**2 - l**2}
P_SWING = {"m": 1.0, "g": 9.81, "l": 1.0}
AT_SWING = {"x": 0.6, "z": -0.8, "vx": 1}
SI = {"m": "2 kg", "g": "9.81 m/s^2", "l": "1 m"}


def coin(parameters=None, principle=da.nonholonomic, **more):
    L = m * (vx**2 + vy**2) / 2 + I * vphi**2 / 2 + J * vtheta**2 / 2
    return principle(da.System(COIN, L, ROLL, parameters=parameters or P_COIN, **more))


def swing(parameters=None, principle=da.nonholonomic, **more):
    L = m * (svx**2 + svz**2) / 2 - m * g * sz
    return principle(da.System(SWING, L, ROD, parameters=parameters or P_SWING, **more))


def coin_at(parameters=None, principle=da.nonholonomic, units=None, drop=(), **given):
    state = {k: v for k, v in {**AT_COIN, **given}.items() if k not in drop}
    return coin(parameters, principle, units=units).start(**state)


def swing_at(parameters=None, principle=da.nonholonomic, units=None, drop=(), **given):
    state = {k: v for k, v in {**AT_SWING, **given}.items() if k not in drop}
    return swing(parameters, principle, units=units).start(**state)


def turned(parameters=None, **given):
    q = da.rotation("R", frame="body")
    L = sum(w**2 for w in q.velocities) / 2 - q.R[2, 2]
    return da.nonholonomic(da.System(q, L)).start(**{"w1": 0, "w2": 0, "w3": 1, **given})


def sphere(**given):
    """A particle on a sphere, in spherical coordinates."""
    q = da.coordinates("th ph")
    return da.nonholonomic(da.System(q, (q["vth"] ** 2 + sp.sin(q["th"]) ** 2 * q["vph"] ** 2) / 2)).start(**given)


def polar(**given):
    """A particle in the plane, in polar coordinates."""
    q = da.coordinates("r ph")
    return da.free(da.System(q, (q["vr"] ** 2 + q["r"] ** 2 * q["vph"] ** 2) / 2)).start(**given)


class Raising:
    """Pretends to be a rotation."""

    def __repr__(self):
        return "Raising()"

    def as_matrix(self):
        raise AttributeError("no matrix")


def overdetermined():
    rows = {"b": svx - sx * svz, "c": svx - 2 * svz}
    return da.nonholonomic(da.System(da.coordinates("x z s"), svx**2 + svz**2 + sp.Symbol("vs") ** 2, rows)).start(
        x=1, z=0, s=0, vz=1, vs=0
    )


def swing_at_override(**parameters):
    return swing().start(**AT_SWING, parameters=parameters)


REFUSED = {
    # 53, 54
    "missing radius": ("E201", lambda: coin_at({"m": 1.0, "I": 0.5, "J": 0.25})),
    "missing in a run": ("E201", lambda: da.simulate(swing({**P_SWING, "g": None}), AT_SWING, until=1)),
    "missing in an evaluation": ("E201", lambda: swing({"m": 1.0, "l": 1.0}).evaluate(AT_SWING)),
    "misspelt override": ("E202", lambda: swing_at_override(gg=1.0)),
    "several misspelt": ("E202", lambda: coin({"mass": 1, "II": 1, "J": 1, "R": 1})),
    "velocity as a parameter": ("E202", lambda: swing_at_override(vx=1.0)),
    # 58
    "unknown unit": ("E206", lambda: swing({**P_SWING, "l": "2.54 cn"})),
    "unit glued": ("E206", lambda: swing({**P_SWING, "l": "10cm"})),
    "degree sign glued": ("E206", lambda: coin_at(theta="30°")),
    "celsius": ("E206", lambda: swing({**P_SWING, "l": "3 degC"})),
    "decibel": ("E206", lambda: swing({**P_SWING, "l": "3 dB"})),
    "code as a unit": ("E206", lambda: swing({**P_SWING, "l": "1 m; import os"})),
    "attribute as a unit": ("E206", lambda: swing({**P_SWING, "l": "1 __class__"})),
    "ambiguous division": ("E206", lambda: swing({**P_SWING, "g": "9.81 m/s s"})),
    "open bracket": ("E206", lambda: swing({**P_SWING, "g": "9.81 m/(s^2"})),
    "thousands": ("E206", lambda: swing({**P_SWING, "l": "1 000"})),
    "decimal comma": ("E204", lambda: swing({**P_SWING, "l": "0,5 m"})),
    "unit of units": ("E206", lambda: swing(units={"x": "cm"})),
    "units a list": ("E206", lambda: swing(units=["m"])),
    "units None": ("E206", lambda: swing(units={"x": None})),
    "unit of nothing here": ("E104", lambda: swing(units={"q": "m"})),
    "an rpm for a length": ("E207", lambda: swing_at(SI, x="45 rpm")),
    "a length for an angle": ("E207", lambda: coin_at(theta="10 cm")),
    "an override of another kind": ("E207", lambda: swing(SI).start(**AT_SWING, parameters={"l": "1 s"})),
    "declared otherwise": ("E207", lambda: swing({**SI, "l": "1 s"}, units={"l": "m"})),
    "time in metres": ("E207", lambda: swing_at(t="1 m")),
    # 61
    "velocity missing": ("E230", lambda: coin_at(drop=["vtheta"])),
    "position missing": ("E230", lambda: swing_at(drop=["z"])),
    "parts of a quaternion": ("E230", lambda: turned(R_w=0.9, R_x=0.1)),
    # 62, 63, 64
    "rolling violated": ("E231", lambda: coin_at(vx=5)),
    "rate violated": ("E231", lambda: swing_at(vz=1)),
    "rolling violated, vakonomic": ("E231", lambda: coin_at(principle=da.vakonomic, vx=5, lam_rollx=0, lam_rolly=0)),
    "rod violated": ("E232", lambda: swing_at(x=1)),
    "rod violated, vakonomic": ("E232", lambda: swing_at(principle=da.vakonomic, x=1, lam_rod=0)),
    "too much given": ("E233", overdetermined),
    "rotation and its parts": ("E233", lambda: turned(R="identity", R_w=1)),
    # 65, 66, 67
    "vakonomic without multipliers": ("E234", lambda: coin_at(principle=da.vakonomic)),
    "vakonomic with one of two": ("E234", lambda: coin_at(principle=da.vakonomic, lam_rollx=1)),
    "vakonomic run": ("E234", lambda: da.simulate(swing(principle=da.vakonomic), AT_SWING, until=1)),
    "multiplier not asked for": ("E235", lambda: coin_at(lam_rollx=1)),
    "multiplier of a free motion": ("E235", lambda: swing_at(principle=da.free, vz=0.75, lam_rod=0)),
    "multiplier's name": ("E236", lambda: coin_at(principle=da.vakonomic, lam_rollx=1, lam_roly=1)),
    "multipliers in a list": ("E236", lambda: coin_at(principle=da.vakonomic, lam=[1, 2])),
    "multiplier is a list": ("E204", lambda: swing_at(principle=da.vakonomic, lam_rod=[1])),
    # 68
    "pole": ("E237", lambda: sphere(th=0, ph=0, vth=1, vph=0)),
    "other pole, by rounding": ("E237", lambda: sphere(th=math.pi, ph=0, vth=1, vph=0)),
    "other pole, in degrees": ("E237", lambda: sphere(th="180 deg", ph=0, vth=1, vph=0)),
    "origin": ("E237", lambda: polar(r=0, ph=0, vr=1, vph=0)),
    # 69, 70
    "four numbers": ("E238", lambda: turned(R=np.array([1.0, 0, 0, 0]))),
    "norm 0.9": ("E238", lambda: turned(R={"w": 0.9, "x": 0, "y": 0, "z": 0})),
    "norm 0": ("E238", lambda: turned(R={"w": 0, "x": 0, "y": 0, "z": 0})),
    "parts of norm 0.9": ("E238", lambda: turned(R_w=0.9, R_x=0, R_y=0, R_z=0)),
    "other letters": ("E238", lambda: turned(R={"i": 0, "j": 0, "k": 0, "w": 1})),
    "reflection": ("E239", lambda: turned(R=np.diag([1, 1, -1]))),
    "not orthogonal": ("E239", lambda: turned(R=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]])),
    "matrix of truth values": ("E239", lambda: turned(R=np.eye(3, dtype=bool))),
    "matrix of texts": ("E239", lambda: turned(R=[["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]])),
    "complex matrix": ("E239", lambda: turned(R=np.eye(3) * 1j)),
    "matrix of symbols": ("E239", lambda: turned(R=sp.eye(3) * m)),
    "class instead of a rotation": ("E239", lambda: turned(R=Rotation)),
    "two rotations": ("E239", lambda: turned(R=Rotation.from_rotvec([[0, 0, 1], [0, 0, 2]]))),
    "something that fails": ("E239", lambda: turned(R=Raising())),
    "an angle for a rotation": ("E239", lambda: turned(R="30 deg")),
    # 71
    "below the floor": (
        "E240",
        lambda: da.simulate(swing(), AT_SWING, until=1, events=[da.Event("floor", sz, "stop", -1)]),
    ),
    # 72
    "too few": ("E241", lambda: swing().start([1, 2])),
    "nested": ("E241", lambda: swing().start([[0, -1], [1, 0]])),
    "a set": ("E241", lambda: swing().start({0, -1, 1, 3})),
    "one number": ("E241", lambda: swing().start(np.array(1.0))),
    "column": ("E241", lambda: swing().start(np.zeros((4, 1)))),
    "a name twice": ("E102", lambda: da.simulate(swing(), {**AT_SWING, sx: 0.7}, until=1)),
    "parameter in the state": ("E229", lambda: swing_at(m=1)),
    "name in other letters": ("E229", lambda: swing_at(xdot=1)),
    "number as a name": ("E229", lambda: swing().evaluate({**AT_SWING, 1: 2})),
    "unknown projection": ("E307", lambda: swing_at(project=True)),
}


@pytest.mark.parametrize("row", REFUSED)
def test_refused_with_a_remedy(row, refused):
    refused(*REFUSED[row])


# --- 55, 56, 57: values that are no numbers --------------------------------------------------------------------------

NO_NUMBER = {
    "nan": (nan, "E203"),
    "inf": (-inf, "E203"),
    "1e400": (1e400, "E203"),
    "float32 nan": (np.float32("nan"), "E203"),
    "sympy oo": (sp.oo, "E203"),
    "integer of 401 digits": (10**400, "E203"),
    "1e400 s": ("1e400 s", "E203"),
    "text": ("1.0", "E204"),
    "empty text": ("", "E204"),
    "text nan": ("nan", "E204"),
    "text inf kg": ("inf kg", "E204"),
    "two points": ("1.5.2", "E204"),
    "underscore": ("1_0 kg", "E204"),
    "full-width digit": ("０.5", "E204"),
    "half": ("½", "E204"),
    "unit alone": ("kg", "E204"),
    "true": (True, "E204"),
    "numpy true": (np.True_, "E204"),
    "sympy true": (sp.true, "E204"),
    "complex": (1 + 0j, "E204"),
    "sympy i": (sp.I, "E204"),
    "symbol": (sp.Symbol("k"), "E204"),
    "function": (sp.Function("x")(sp.Symbol("t")), "E204"),
    "equation": (sp.Eq(m, 1), "E204"),
    "lambda": (sp.Lambda(m, m), "E204"),
    "list": ([1.0], "E204"),
    "tuple": ((1.0,), "E204"),
    "array of one": (np.array([1.0]), "E204"),
    "array of two": (np.array([1.0, 2.0]), "E204"),
    "matrix": (sp.Matrix([1]), "E204"),
    "masked": (np.ma.masked, "E204"),
    "dict": ({}, "E204"),
    "bytes": (b"1", "E204"),
    "type": (float, "E204"),
    "date": (np.datetime64("2020"), "E204"),
}


@pytest.mark.parametrize("row", NO_NUMBER)
@pytest.mark.parametrize("place", ["parameter", "override", "coordinate", "velocity", "multiplier", "time", "in order"])
def test_no_number(row, place, refused):
    value, code = NO_NUMBER[row]
    calls = {
        "parameter": lambda: coin({**P_COIN, "m": value}),
        "override": lambda: swing().start(**AT_SWING, parameters={"g": value}),
        "coordinate": lambda: coin_at(theta=value),
        "velocity": lambda: swing_at(vx=value),
        "multiplier": lambda: swing_at(principle=da.vakonomic, lam_rod=value),
        "time": lambda: swing_at(t=value),
        "in order": lambda: swing().start([0.6, -0.8, value, 0.0]),
    }
    refused(code, calls[place])


@pytest.mark.parametrize("value", [0, -1, -0.0, "0 kg", "-1 g", 1e-400])
def test_a_mass_is_positive(value):
    for call in (lambda: swing({**P_SWING, "m": value}), lambda: coin().start(**AT_COIN, parameters={"m": value})):
        with pytest.raises(da.DalembertError, match=r"E205 m = .* must be positive"):
            call()


NUMBERS = {
    "integer": (2, 2.0),
    "fraction": (fractions.Fraction(1, 2), 0.5),
    "0-d array": (np.array(2.0), 2.0),
    "float16": (np.float16(0.5), 0.5),
    "int8": (np.int8(3), 3.0),
    "sympy rational": (sp.Rational(1, 4), 0.25),
    "sympy root": (sp.sqrt(2), math.sqrt(2)),
    "sympy pi": (sp.pi, math.pi),
}


@pytest.mark.parametrize("row", NUMBERS)
def test_numbers_of_all_kinds(row):
    value, expected = NUMBERS[row]
    assert swing_at(vx=value)["vx"] == expected
    assert swing({**P_SWING, "g": value}).system.parameters["g"] == expected


# --- 58: units -------------------------------------------------------------------------------------------------------


def test_units_are_converted_in_parameters_starts_and_times():
    found = coin({**WITH_UNITS, "m": "500 g"}).start(
        x="10 cm", y="-1 mm", theta="30 deg", phi="0.5 turn", vtheta="45 rpm", vphi="1 rad/s", t="5 ms"
    )
    assert found.parameters["R"] == 0.0508
    assert found.parameters["m"] == 0.5
    assert found.t == 0.005
    assert found["x"] == 0.1
    assert found["y"] == -0.001
    # pi comes from the unit's definition, so one rounding is allowed
    assert found["theta"] == pytest.approx(math.pi / 6, rel=1e-15)
    assert found["phi"] == pytest.approx(math.pi, rel=1e-15)
    assert found["vtheta"] == pytest.approx(1.5 * math.pi, rel=1e-15)
    assert found["vx"] == pytest.approx(0.0508 * math.sqrt(3) / 2, rel=1e-14)


def test_a_residual_has_its_unit():
    with pytest.raises(da.DalembertError, match=r"rollx = .* = 4\.9\d* m/s, must be 0"):
        coin_at(WITH_UNITS, units={"theta": "rad", "x": "m"}, vx=5)
    with pytest.raises(da.DalembertError, match=r"rod = .* = 0\.64 m\*\*2, must be 0"):
        swing_at(SI, x=1)


def test_a_system_without_units_takes_numbers_of_starts_and_time_alone():
    q = da.coordinates("s")
    L = q["vs"] ** 2 / 2
    bare, declared = (da.free(da.System(q, L, units=units)) for units in (None, {"s": "m"}))
    with pytest.raises(da.DalembertError, match="E207 s is given in a unit"):
        bare.start(s="5 cm", vs=1)
    assert declared.start(s="5 cm", vs="1 m/s")["s"] == 0.05
    assert bare.start(s=5, vs=1, t="2 min").t == 120


def test_a_length_in_kilograms_is_refused_though_no_length_was_declared():
    q = da.coordinates("x")
    system = da.System(q, "m*vx^2/2 - k*x^2/2", parameters={"m": "1 kg", "k": 2})
    assert da.free(system).start(x="10 cm", vx=0)["x"] == 0.1
    for given in ({"x": "10 kg", "vx": 0}, {"x": 1, "vx": "3 kg"}):
        with pytest.raises(da.DalembertError, match=r"E207 v?x is kg"):
            da.free(system).start(**given)


# --- remedies that can be typed --------------------------------------------------------------------------------------


def test_the_remedy_of_a_violated_rod_satisfies_it():
    with pytest.raises(da.DalembertError) as caught:
        swing_at(x=0.9, z=-0.8)
    assert "leave out" not in caught.value.remedy  # the rod alone leaves a sign open
    assert "x = 0.6" in caught.value.remedy
    assert swing_at(x=0.6, z=-0.8)["vz"] == pytest.approx(0.75)


def test_the_remedy_of_a_violated_roll_satisfies_it():
    with pytest.raises(da.DalembertError) as caught:
        coin_at(vx=5)
    assert "leave out" in caught.value.remedy
    assert "vx = 1.910672978" in caught.value.remedy
    assert coin_at(drop=["vx"])["vx"] == pytest.approx(2 * math.cos(0.3))


def test_a_rod_that_no_single_change_repairs():
    with pytest.raises(da.DalembertError) as caught:
        swing_at(x=3, z=-4)
    assert "give" not in caught.value.remedy
    assert 'project="kinetic"' in caught.value.remedy


def test_only_linked_names_are_called_linked():
    with pytest.raises(da.DalembertError) as caught:
        swing_at(x=0, z=-1, drop=["vx"], vz=0)
    assert "all but one" not in str(caught.value)


# --- doubts ----------------------------------------------------------------------------------------------------------

DOUBTED = {
    "degrees": ("W209", lambda: coin_at(theta=90)),
    "half a turn of an angle": (
        "W209",
        lambda: da.free(da.System(da.angle("a"), sp.Symbol("va") ** 2 / 2)).start(a=180, va=0),
    ),
    "a large mass": ("W208", lambda: swing().start(**AT_SWING, parameters={"m": 1e300})),
    "a far place": ("W208", lambda: coin_at(x=1e120)),
    "masses that differ by 1e20": ("W208", lambda: coin({**P_COIN, "I": 1e20})),
}


@pytest.mark.parametrize("row", DOUBTED)
def test_doubted(row):
    code, call = DOUBTED[row]
    with pytest.warns(da.DalembertWarning, match=code):
        call()


SILENT = {
    "degrees that are written": lambda: coin_at(theta="90 deg"),
    "many turns that are written": lambda: coin_at(theta="90 rad"),
    "a place in a sine": lambda: da.free(
        da.System(
            da.coordinates("s"),
            sp.Symbol("vs") ** 2 / 2 - sp.cos(sp.Symbol("k") * sp.Symbol("s")),
            parameters={"k": 2.0},
        )
    ).start(s=90, vs=0),
    "one turn": lambda: coin_at(theta=6.28),
}


@pytest.mark.parametrize("row", SILENT)
def test_not_doubted(row, recwarn):
    SILENT[row]()
    assert not [str(w.message) for w in recwarn.list]


def test_an_ordered_mapping_and_symbols_are_fine():
    path = da.simulate(swing(), collections.OrderedDict({sx: 0.6, sz: -0.8, svx: 1}), until=0.1)
    assert path.ok


def test_rows_that_follow_elsewhere_and_not_here_count_here(monkeypatch):
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    rows = {"a": vy - z * vx, "c": 2 * (vy - z * vx) + sp.exp(-(x**2)) * vz}
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2 + vz**2) / 2 - y - z, rows))
    formed = replace(equations, kept=(0,))  # as if far away
    start = formed.start(x=0, y=0, z=1, vx=1, vz=0)
    for part, values in equations.evaluate(start).items():
        assert formed.evaluate(start)[part] == pytest.approx(values)
    monkeypatch.setattr(type(formed), "dependent", (1,))  # as of a form that expresses vy by the others
    with pytest.raises(da.DalembertError, match="c followed from the others there and does not here"):
        replace(formed).start(x=0, y=0, z=1, vx=1, vz=0)
