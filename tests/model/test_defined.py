"""Parameters that are given by formulas in others, as in files."""

import numpy as np
import pytest
import sympy as sp
from sympy.core.cache import clear_cache

import dalembert as da
from dalembert.calculus.language.constant_folding import _constants
from dalembert.calculus.language.to_sympy import _faults_below
from dalembert.calculus.symbols import free_symbols

LOOKS = (free_symbols, _faults_below, _constants)
L = "m/2*(dot(x)^2 + dot(y)^2) + I/2*(w1^2 + w2^2 + w3^2)"
ROLL = {"roll_x": "dot(x) - r*w2", "roll_y": "dot(y) + r*w1"}
SPACE = da.plane("x y") * da.rotation("w")
GIVEN = {"m": "100 g", "r": "2 cm", "k": "2/5", "I": "k*m*r^2"}
START = {"x": 0, "y": 0, "vx": 1.0, "vy": 0.5, "w3": 0.2}


def ball(**more):
    given = {name: value for name, value in {"c": 0.3, **GIVEN, **more}.items() if value is not ...}
    return da.System(SPACE, L, ROLL, {"vx": "-c*dot(x)"}, given)


def end(system, **more):
    e = da.nonholonomic(system)
    return da.simulate(e, START, until=1.0, **more).at(1.0)["x"]


def test_a_formula_is_what_it_stands_for():
    direct = ball(k=..., I=0.4 * 0.1 * 0.02**2)
    assert end(ball()) == pytest.approx(end(direct), rel=1e-10)
    m, r = sp.symbols("m r", positive=True)
    assert end(ball(k=..., I=sp.Rational(2, 5) * m * r**2)) == pytest.approx(end(direct), rel=1e-10)


def test_what_follows_moves_with_what_it_follows_from():
    # rolling: xdd = -c/(m + I/r^2) vx, with I = 2/5 m r^2: m xdd = -5/7 c vx
    def exact(m):
        b = 5 / 7 * 0.3 / m
        return (1 - np.exp(-b)) / b

    assert end(ball(), parameters={"m": 0.3}) == pytest.approx(exact(0.3), rel=1e-9)
    e = da.nonholonomic(ball())
    ends = da.sweep(e, starts=START, parameters={"m": [0.1, 0.2], "r": [0.01, 0.03]}, until=1.0)
    assert ends.x.dims == ("m", "r")
    np.testing.assert_allclose(ends.x.values, [[exact(0.1)] * 2, [exact(0.2)] * 2], rtol=1e-9)
    slope = da.sensitivities(e, START, until=1.0, by=["m"]).values[-1, 0, 0]
    assert slope == pytest.approx((exact(0.1 + 1e-5) - exact(0.1 - 1e-5)) / 2e-5, rel=1e-6)


def test_further_expressions_know_the_names():
    system = ball(c=0)
    assert system.changed(momenta={"spin": "I*w3"}).momenta["spin"].free_symbols == {
        *(system.symbols[n] for n in ("m", "r")),
        system.space["w3"],
    }


def test_a_copy_with_other_parameters_needs_no_unit_of_what_it_leaves_out():
    """I is known by its formula alone, and nothing else of the system bears its name."""
    given = {"m": "1 kg", "r": "2 m", "I": "m*r^2", "k": "3 J"}
    system = da.System(da.coordinates("x"), "I*vx^2/2 - k*x^2/2", parameters=given, units={"I": "kg*m^2"})
    assert set(system.changed(parameters={"m": 2.0, "r": 1.0, "k": 3.0}).units) == {"m", "r", "k"}
    assert "I" in system.changed(parameters=given).units


def test_values_for_what_follows_are_refused():
    e = da.nonholonomic(ball())
    with pytest.raises(KeyError, match=r"E202 I follows from m, r: I = 2\*m\*r\*\*2/5"):
        da.simulate(e, START, until=1.0, parameters={"I": 1.0})
    with pytest.raises(TypeError, match="E204 m = '2\\*k' is a formula"):
        da.simulate(e, START, until=1.0, parameters={"m": "2*k"})


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"I": "2/5*m*q^2"}, "E702"),
        ({"I": "2/5*m*("}, "E70"),
        ({"I": "2*k", "k": "I/2"}, "E210 the parameter k is defined by itself: k -> I -> k"),
        ({"I": "m*x"}, "E103"),
    ],
)
def test_formulas_that_are_none(given, code):
    with pytest.raises(da.DalembertError, match=code):
        ball(**given)


def test_a_guard_may_use_a_parameter_that_stands_in_a_definition_alone():
    """l leaves the equations of a pendulum of given frequency, and is the scale of its place x = l sin(a)."""
    system = da.System(da.angle("a"), "va^2/2 + 9.81*cos(a)", definitions={"x": "l*sin(a)"}, parameters={"l": 0.5})
    assert system.changed(title="again").definitions == system.definitions
    assert not [note for note in system.notes if note.code == "W119"]
    for l in (0.5, 0.25):
        edge = [da.Event("edge", "x - 0.1", "stop")]
        path = da.simulate(da.free(system), {"a": 1.0, "va": 0}, until=2, events=edge, parameters={"l": l})
        assert l * np.sin(path["a"][-1]) == pytest.approx(0.1)


def test_text_names_parameters_without_values():
    spring = da.System(da.line("x"), "m*vx^2/2 - k*x^2/2", parameters="m k")
    assert dict(spring.parameters) == {"m": None, "k": None}
    moved = da.simulate(da.free(spring), {"x": 1, "vx": 0}, until=1.0, parameters={"m": 4, "k": 1})
    assert moved.at(1.0)["x"] == pytest.approx(np.cos(0.5), rel=1e-9)
    with pytest.raises(da.DalembertError) as caught:
        da.System(da.line("x"), "m*vx^2/2", parameters="m 2k")
    assert caught.value.code == "E719"


def test_a_refusal_names_all_that_is_not_known():
    with pytest.raises(da.DalembertError, match="unknown name 'm'") as caught:
        da.System(da.line("x"), "m*vx^2/2 - k*x^2/2 + J*cos(m*x)")
    assert caught.value.remedy.endswith('parameters={"m": None, "k": None, "J": None}')
    with pytest.raises(da.DalembertError) as caught:
        da.System(da.line("x"), "m*vx^2/2 - k*nothing(x)")  # what else is wrong is told when these are known
    assert caught.value.remedy.endswith('parameters={"m": None, "k": None}')


def _chain(n):
    """Sums of a chain, v_i = v_(i-1) + a_i, and of their squares, each by the one before it."""
    names = [f"q{i}" for i in range(1, n + 1)]
    given = {"v0": "0*m", "T0": "0*m"}
    for i, name in enumerate(names, 1):
        given |= {f"v{i}": f"v{i - 1} + v{name}*cos({name})", f"T{i}": f"T{i - 1} + m/2*v{i}^2"}
    return names, given


def test_what_definitions_share_is_looked_at_once(monkeypatch):
    looks = []
    for look in LOOKS:
        real = look._function
        monkeypatch.setattr(look, "_function", lambda e, real=real: (looks.append(1), real(e))[1])
        look.known.clear()
    work = {}
    for n in (8, 16):
        looks.clear()
        names, given = _chain(n)
        system = da.System(da.coordinates(" ".join(names)), f"T{n}", parameters={"m": 1.0}, definitions=given)
        assert free_symbols(system.lagrangian) == system.lagrangian.free_symbols
        work[n] = len(looks)
    assert work[16] < 3.5 * work[8]  # SymPy writes sums flat and their terms anew, which is 4; walked anew it is 8


def test_a_system_that_is_made_anew_is_not_compared_with_the_one_before(monkeypatch):
    compared, real, work = [], sp.Basic.__eq__, {}
    monkeypatch.setattr(sp.Basic, "__eq__", lambda a, b: (compared.append(1), real(a, b))[1])
    for n in (8, 16):
        names, given = _chain(n)
        for _ in range(2):
            clear_cache()  # so that SymPy does not find the same objects again
            compared.clear()
            da.System(da.coordinates(" ".join(names)), f"T{n}", parameters={"m": 1.0}, definitions=given)
        work[n] = len(compared)
    assert work[16] < 3.5 * work[8]  # as before


def tower(n):
    """Definitions, each by the last:  d_i = d_(i-1)^2 + d_(i-1) ; written out the last has 2^n parts."""
    return {"d0": "x", **{f"d{i}": f"d{i - 1}*d{i - 1} + d{i - 1}" for i in range(1, n + 1)}}


def test_definitions_are_read_in_proportion_to_their_text():
    """m v' = prod (2 d_i + 1), the derivative by the rule of chains; printed, the system is no longer than its text."""
    system = da.System(da.coordinates("x"), "m*dot(x)^2/2 + d60", definitions=tower(60), parameters={"m": 1.0})
    d, slope = 1e-3, 1.0
    for _ in range(60):
        d, slope = d * d + d, slope * (2 * d + 1)
    for equations in (da.free(system), da.nonholonomic(system)):
        found = equations.evaluate({"x": 1e-3, "vx": 0})["accelerations"]["vx"]
        assert found == pytest.approx(slope, rel=1e-12)
        assert len(str(equations)) < 10_000
    assert len(str(system)) < 2_000
    assert len(system.to_latex()) < 10_000
    assert da.symmetry.conserved(system, "m*dot(x)^2/2 - d60").answer.value is True


def test_functions_of_what_is_long_are_built_as_they_stand():
    """SymPy asks of the argument of a sine whether it is 0, part by part, wherever each stands."""
    given = {"d0": "x", **{f"d{i}": f"sin(d{i - 1})/2 + cos(d{i - 1})^3 + d{i - 1}^2/9" for i in range(1, 31)}}
    system = da.System(da.coordinates("x"), "dot(x)^2/2 + d30", definitions=given)
    d, slope = 0.3, 1.0
    for _ in range(30):
        s, c = np.sin(d), np.cos(d)
        d, slope = s / 2 + c**3 + d * d / 9, slope * (c / 2 - 3 * c * c * s + 2 * d / 9)
    found = da.free(system).evaluate({"x": 0.3, "vx": 0})["accelerations"]["vx"]
    assert found == pytest.approx(slope, rel=1e-10)
