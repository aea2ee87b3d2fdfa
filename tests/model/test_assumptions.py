"""Laws: every value is what its symbol was declared to be; what moves is real and no more. SymPy simplifies by it."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

q = da.coordinates("x")
(x,), (vx,) = q.coordinates, q.velocities
SIGNS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero", "zero")
KINDS = (*SIGNS, "integer", "noninteger", "even", "odd", "prime", "composite")
REAL = ("real", "complex", "finite", "hermitian", "extended_real", "commutative")
VALUES = (-3.0, -2.0, -0.5, 0.0, 0.25, 1.0, 2.0, 3.0, 4.0)


def keeps(kind, value):
    """What SymPy itself says of the number."""
    return getattr(sp.Rational(value), f"is_{kind}")


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "zero"])
def test_a_parameter_takes_the_values_that_its_symbol_allows(kind):
    n = sp.Symbol("n", **{kind: True})
    system = da.System(q, vx**2 / 2 - n * x)
    for value in VALUES:
        if keeps(kind, value):
            assert system.values({"n": value}) == {"n": value}
        else:
            with pytest.raises(da.DalembertError, match=rf"E205 n = {value:g} must be "):
                system.values({"n": value})


@pytest.mark.parametrize("kind", [*KINDS, "irrational", "transcendental"])
def test_the_symbol_that_names_a_value_is_one_that_was_simplified_away(kind):
    n = sp.Symbol("n", **{kind: True})
    for value in VALUES:
        if not keeps(kind, value):
            with pytest.raises(da.DalembertError, match="E205"):
                da.System(q, vx**2 / 2 - x, parameters={n: value})


@pytest.mark.parametrize("kind", [*KINDS, "irrational", "algebraic", "rational"])
def test_what_moves_is_real_and_no_more(kind):
    s, t, v = (sp.Symbol(name, **{kind: True}) for name in ("x", "t", "vx"))
    f = dynamicsymbols("x", **{kind: True})
    if kind != "zero":
        for L in (vx**2 / 2 - s, vx**2 / 2 - t * x, v**2 / 2, vx**2 / 2 - f):
            with pytest.raises(da.DalembertError, match=r"E721 .* declared "):
                da.System(q, L)
        with pytest.raises(da.DalembertError, match="E721"):
            da.Space("x y", "u w", [[s, 0], [0, 1]])
        with pytest.raises(da.DalembertError, match="E721"):
            da.from_sympy(f**2, [f])
    with pytest.raises(da.DalembertError, match="E721"):
        da.coordinates([s])


@pytest.mark.parametrize("kind", [*KINDS, "irrational", "algebraic", "rational"])
def test_what_is_driven_is_real_and_no_more(kind):
    u = sp.Symbol("u", **{kind: True})
    for force, inputs in ((u, "u"), (sp.sqrt(u**2) - x, [u]), ("u", [u])):
        with pytest.raises(da.DalembertError, match=r"E721 .* declared "):
            da.System(q, vx**2 / 2, forces={vx: force}, inputs=inputs)


@pytest.mark.parametrize("kind", REAL)
def test_what_every_real_number_is_may_be_said(kind):
    s = sp.Symbol("x", **{kind: True})
    assert da.System(da.coordinates([s]), vx**2 / 2 - s**2).lagrangian == vx**2 / 2 - x**2


@pytest.mark.parametrize("one, other", [("positive", "negative"), ("integer", "noninteger"), ("even", "odd")])
def test_one_name_is_not_declared_two_ways(one, other):
    n, m = sp.Symbol("n", **{one: True}), sp.Symbol("n", **{other: True})
    with pytest.raises(da.DalembertError, match=r"E721 n was declared .* in one place and .* in another"):
        da.System(q, n * vx**2 / 2, forces={vx: -m * x})


def test_both_declarations_of_one_name_hold():
    n, m = sp.Symbol("n", integer=True), sp.Symbol("n", positive=True)
    equations = da.free(da.System(q, vx**2 / 2 - n * x**2, forces={vx: -m * x}, parameters={"n": 2}))
    for value in (0.5, -1.0):
        with pytest.raises(da.DalembertError, match="E205"):
            equations.start(x=1, vx=0, parameters={"n": value})
    found = da.sweep(equations, starts={"x": 1, "vx": 0}, until=0.1, parameters={"n": [1, 0.5, 2, -1]})
    np.testing.assert_array_equal(found["outcome"], [0, 205, 0, 205])


def test_events_are_held_to_it_too():
    equations = da.free(da.System(q, vx**2 / 2 - sp.Symbol("k") * x, parameters={"k": 1.5}))
    s, v, k = sp.Symbol("x", positive=True), sp.Symbol("vx", negative=True), sp.Symbol("k", integer=True)
    for event, code in (
        (da.Event("e", s - 1), "E721"),
        (da.Event("e", x - 1, {"vx": -v}), "E721"),
        (da.Event("e", x - k), "E205"),
    ):
        with pytest.raises(da.DalembertError, match=code):
            da.simulate(equations, {"x": 0, "vx": 1}, until=1, events=[event])
    with pytest.raises(
        da.DalembertError, match="E721 k in event 'e' was declared an integer, and not so in the system"
    ):
        da.sweep(
            equations, starts={"x": 0, "vx": 1}, until=1, parameters={"k": [1, 0.5]}, events=[da.Event("e", x - k)]
        )


def test_walls_of_positive_parameters_are_met_in_sweeps():
    a = sp.Symbol("a", positive=True)
    equations = da.free(da.System(q, vx**2 / 2, walls={"wall": a - x}, parameters={"a": 1}))
    found = da.sweep(equations, starts={"x": 0, "vx": 1}, until=1.5, parameters={"a": [1, 0.5, -1]})
    np.testing.assert_array_equal(found["outcome"], [0, 0, 205])
    np.testing.assert_allclose(found["x"][:2], [0.5, -0.5], atol=1e-12)


def test_a_search_stays_where_the_symbol_allows():
    k = {kind: sp.Symbol(f"k_{kind}", **{kind: True}) for kind in ("positive", "negative", "real", "integer")}
    system = da.System(q, vx**2 / 2 - sum(k.values()) * x)
    ranges = {"positive": (0, np.inf), "negative": (-np.inf, 0), "real": (-np.inf, np.inf)}
    assert {kind: system.range_of(f"k_{kind}") for kind in ranges} == ranges
    with pytest.raises(da.DalembertError, match="E205 k_integer must be an integer, and a search takes any number"):
        system.range_of("k_integer")


m = sp.Symbol("m", positive=True)
KINETIC = m * vx**2 / 2
IN_TEXTS = {
    "a formula read before": {"lagrangian": KINETIC - sp.Symbol("A") * x**2, "parameters": {"m": 1, "A": "2*m"}},
    "a name alone in the parameters": {"lagrangian": "m*vx^2/2", "parameters": {m: 1}},
    "a definition": {"lagrangian": KINETIC, "definitions": {"M": "2*m"}, "parameters": {"m": 1}},
    "text of L before a force": {
        "lagrangian": "m*vx^2/2",
        "forces": [da.forces.applied([vx], [m * x])],
        "parameters": {"m": 1},
    },
    "a plain symbol of L before a momentum": {
        "lagrangian": KINETIC.subs(m, sp.Symbol("m")),
        "momenta": {"p": m * vx},
        "parameters": {"m": 1},
    },
}


@pytest.mark.parametrize("parts", IN_TEXTS.values(), ids=IN_TEXTS)
def test_a_symbol_is_one_in_texts_and_expressions_of_a_system_whatever_is_read_first(parts, tmp_path):
    system = da.System(q, **parts)
    assert system.symbols["m"] == m
    held = [system.lagrangian, *system.forces, *system.momenta.values(), *system.definitions.values()]
    assert {s for e in held for s in e.free_symbols if s.name == "m"} == {m}
    da.write(system, tmp_path / "m.toml")
    assert da.read(tmp_path / "m.toml").system.lagrangian == system.lagrangian


def test_a_name_that_cannot_be_both_is_refused_whatever_is_read_first():
    for L, force in ((KINETIC, sp.Symbol("m", negative=True)), (KINETIC.subs(m, sp.Symbol("m", negative=True)), m)):
        with pytest.raises(da.DalembertError, match="E721 m was declared"):
            da.System(q, L, {}, {"vx": force})


def test_a_file_says_which_symbol_it_cannot_hold_in_words(tmp_path):
    n = sp.Symbol("n", integer=True, positive=True)
    with pytest.raises(da.DalembertError, match=r"E512 .* n was declared positive and an integer\n"):
        da.write(da.System(q, n * vx**2, parameters={"n": 1}), tmp_path / "n.toml")


@pytest.mark.parametrize(
    ("declared", "word"),
    [({"imaginary": True}, "imaginary"), ({"commutative": False}, "not commutative"), ({"finite": False}, "infinite")],
)
def test_what_no_number_can_be_is_said_in_a_word(declared, word):
    """Not by all that SymPy concludes of it."""
    q = da.coordinates("x")
    k = sp.Symbol("k", **declared)
    with pytest.raises(da.DalembertError, match=f"E205 k = 4 must be {word}\n"):
        da.System(q, q.velocities[0] ** 2 / 2 - k * q.coordinates[0], parameters={k: 4})
