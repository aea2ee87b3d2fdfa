"""dot(x1) of a definition x1 = l1*sin(a) is its total derivative, in Python and in files."""

import pytest
import sympy as sp

import dalembert as da

Q = da.coordinates("a b")
A, B, VA, VB = Q["a"], Q["b"], Q["va"], Q["vb"]
T = sp.Symbol("t", real=True)
PLACES = {"x1": "l*sin(a)", "y1": "-l*cos(a)", "x2": "x1 + l*sin(b)", "y2": "y1 - l*cos(b)"}
BY_PLACES = "m/2*(dot(x1)^2 + dot(y1)^2 + dot(x2)^2 + dot(y2)^2) - m*g*(y1 + y2)"
BY_HAND = "m*l^2*(va^2 + vb^2/2 + va*vb*cos(a - b)) + m*g*l*(2*cos(a) + cos(b))"
VALUES = {"m": 1.0, "l": 0.5, "g": 9.81}
FILE = """
schema = 1
[space]
coordinates = { a = "angle", b = "angle" }
[parameters]
m = 1.0
l = 0.5
g = 9.81
[definitions]
T2 = "m/2*(dot(x2)^2 + dot(y2)^2)"
x2 = "x1 + l*sin(b)"
y2 = "y1 - l*cos(b)"
x1 = "l*sin(a)"
y1 = "-l*cos(a)"
[lagrangian]
T = "m/2*(dot(x1)^2 + dot(y1)^2) + T2"
L = "T - m*g*(y1 + y2)"
"""


def rate(e):
    """d/dt along a(t), b(t), by SymPy's own derivative."""
    a, b = sp.Function("a")(T), sp.Function("b")(T)
    along = e.subs({A: a, B: b}).diff(T)
    return along.subs({a.diff(T): VA, b.diff(T): VB}).subs({a: A, b: B})


def test_a_double_pendulum_by_the_places_of_its_masses():
    system = da.System(Q, BY_PLACES, parameters=VALUES, definitions=PLACES)
    assert sp.simplify(system.lagrangian - da.System(Q, BY_HAND, parameters=VALUES).lagrangian) == 0


def test_a_file_says_the_same_in_any_order(tmp_path):
    (tmp_path / "double.toml").write_text(FILE)
    system = da.read(tmp_path / "double.toml").system
    by_hand = da.System(Q, BY_HAND, parameters=VALUES)
    assert sp.simplify(system.lagrangian - system.read(BY_HAND)) == 0
    start = {"a": 1.0, "b": 0.5, "va": 0.0, "vb": 0.3}
    ends = [da.simulate(da.free(s), start, until=2.0).at(2.0)["b"] for s in (system, by_hand)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-8)


@pytest.mark.parametrize("f", ["sin(a*b)", "exp(-a)*t^2", "sqrt(1 + a^2)*cos(t*b)", "where(a < 0, a^2, a*t)"])
def test_the_rate_is_the_total_derivative(f):
    system = da.System(Q, "va^2 + vb^2", definitions={"f": f, "power": "3*f*dot(f)"})
    found, e = system.read("dot(f)"), system.read("f")
    assert sp.simplify(found - rate(e)) == 0
    assert sp.simplify(system.read("power") - 3 * e * rate(e)) == 0


def test_rates_of_entries_of_a_rotation_are_those_of_its_matrix():
    body = da.rotation("R", frame="body", velocities="p q r")
    system = da.System(body, "p^2 + q^2 + r^2")
    # R' = R hat(w):  R33' = R31 q - R32 p
    found = system.read("dot(R33) - (R31*q - R32*p)")
    start = da.free(system).start(R={"w": 0.5, "x": 0.5, "y": 0.5, "z": 0.5}, p=0.3, q=-0.7, r=1.1)
    assert float(found.subs({s: start[s.name] for s in found.free_symbols})) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("of", "code"),
    [
        ("va*a", "E118"),
        ("l*m", "E118"),
        ("a*u", "E118"),
        ("sign(a) + a", "E118"),
        ("floor(a)*b", "E118"),
        ("x9", "E710"),
        ("m", "E710"),
    ],
)
def test_what_has_no_rate_in_positions_and_velocities_is_refused(of, code):
    named = of in ("x9", "m")
    with pytest.raises(da.DalembertError, match=code):
        da.System(
            Q,
            f"va^2 + vb^2 + dot({of if named else 'f'})",
            parameters=VALUES,
            definitions={} if named else {"f": of},
            inputs="u",
        )
