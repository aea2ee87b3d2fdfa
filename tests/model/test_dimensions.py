"""Dimensions: every term of L has one, forces and multipliers follow, and a wrong unit anywhere is found."""

from fractions import Fraction

import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.quantity import Dimension
from dalembert.model import dimensions
from dalembert.model.dimensions import Balance, DimensionForm

t = sp.Symbol("t")
JOULE = Dimension.of({"kg": 1, "m": 2, "s": -2})
SECOND = Dimension.of({"s": 1})


def coin(**units):
    q = da.coordinates("x y theta phi")
    _, _, theta, _, vx, vy, vtheta, vphi = q
    m, I, J, R = sp.symbols("m I J R", positive=True)
    L = m * (vx**2 + vy**2) / 2 + I * vphi**2 / 2 + J * vtheta**2 / 2
    roll = {"rollx": vx - R * vphi * sp.cos(theta), "rolly": vy - R * vphi * sp.sin(theta)}
    right = {"m": "2 kg", "I": "1 kg*m^2", "J": "3 kg*m^2", "R": "10 cm"}
    return da.System(q, L, roll, {"vtheta": -sp.Symbol("c") * vtheta}, {**right, "c": "1 N m s", **units})


def swing(**units):
    q = da.coordinates("x z")
    x, z, vx, vz = q
    m, g, l, k, w = sp.symbols("m g l k w", positive=True)
    L = m * (vx**2 + vz**2) / 2 - m * g * z - k * (sp.sqrt(x**2 + z**2) - l) ** 2 / 2
    right = {"m": "2 kg", "g": "9.81 m/s^2", "l": "1 m", "k": "30 N/m", "w": "2 rad/s", "F": "1 N"}
    return da.System(q, L, {}, {"vx": sp.Symbol("F") * sp.cos(w * t)}, {**right, **units})


def sleigh(**units):
    space = da.SE2()
    v1, v2, omega = space.velocities
    m, J, a = sp.symbols("m J a", positive=True)
    L = m / 2 * (v1**2 + (v2 + a * omega) ** 2) + J / 2 * omega**2
    right = {"m": "2 kg", "J": "1 kg*m^2", "a": "10 cm"}
    return da.System(space, L, {"blade": v2}, {"v1": -sp.Symbol("mu") * v1}, {**right, "mu": "1 kg/s", **units})


SYSTEMS = {"coin": coin, "swing": swing, "sleigh": sleigh}
NAMES = [(name, p) for name, make in SYSTEMS.items() for p in make().units]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_term_of_L_is_an_energy(name):
    system = SYSTEMS[name]()
    for term in sp.Add.make_args(sp.expand(system.lagrangian)):
        assert dimensions.of(term, system.balance) == DimensionForm(JOULE), term


@pytest.mark.parametrize("name", SYSTEMS)
def test_derivatives_have_the_quotient_of_the_dimensions(name):
    system = SYSTEMS[name]()
    known = system.balance.known
    for s in system.space:
        slope = sp.expand(system.lagrangian.diff(s))
        for term in sp.Add.make_args(slope):
            if term != 0:
                assert dimensions.of(term, system.balance) == DimensionForm(JOULE / known[s.name])
    for q, rate in system.space.rates.items():
        assert dimensions.of(rate, system.balance) == DimensionForm(known[q.name] / SECOND)


@pytest.mark.parametrize("name", SYSTEMS)
def test_forces_and_multipliers_follow(name):
    system = SYSTEMS[name]()
    known = system.balance.known
    for u, Q in zip(system.space.velocities, system.forces, strict=True):
        if Q != 0:  # power: Q u = J/s
            assert dimensions.of(Q * u, system.balance) == DimensionForm(JOULE / SECOND)
    for c in system.constraints:  # lam phi is an energy
        phi = dimensions.of(sp.Add.make_args(c.given)[0], system.balance)
        assert known[c.multiplier.name] * phi.known == JOULE


@pytest.mark.parametrize("factor", ["kg", "m", "s"])
@pytest.mark.parametrize(("name", "parameter"), NAMES)
def test_a_wrong_unit_is_found(name, parameter, factor):
    right = SYSTEMS[name]()
    wrong = f"1 {right.units[parameter]}*{factor}"
    with pytest.raises((da.DalembertError, da.DalembertWarning), match=r"^[EW]134 ") as caught:  # warnings are errors
        SYSTEMS[name](**{parameter: wrong})
    assert getattr(caught.value, "remedy", "a doubt")


def test_a_wrong_unit_is_named_with_the_right_one():
    with pytest.raises(da.DalembertError) as caught:
        coin(R="45 rpm", I="1 kg m^2")
    assert "dimensions differ" in caught.value.fact
    with pytest.raises(da.DalembertError) as caught:
        coin(I="1 kg")
    assert "all fits if I is kg*m**2 instead of kg" in caught.value.remedy
    with pytest.raises(da.DalembertError) as caught:
        swing(F="3 m")
    assert "all fits if F is kg*m/s**2 instead of m" in caught.value.remedy


def test_an_L_that_is_no_energy_is_doubted():
    q = da.coordinates("x")
    m, g = sp.symbols("m g", positive=True)
    L = m * (q["vx"] ** 2 / 2 - g * q["x"])
    with pytest.warns(da.DalembertWarning, match=r"W134 L is in m\*\*2/s\*\*3"):
        da.System(q, L, parameters={"m": "45 rpm", "g": "9.81 m/s^2"})


def test_an_energy_over_a_mass_or_an_inertia_is_one():
    q = da.coordinates("x")
    g, l = sp.symbols("g l", positive=True)
    da.System(q, q["vx"] ** 2 / 2 - g * q["x"], parameters={"g": "9.81 m/s^2"}, units={"x": "m"})
    a = da.angle("a")
    L = a["va"] ** 2 / 2 + g / l * sp.cos(a["a"])
    assert da.System(a, L, parameters={"g": "9.81 m/s^2", "l": "1 m"}).units["l"] == Dimension.of({"m": 1})


def test_numbers_that_may_carry_a_unit_are_let_be(recwarn):
    q = da.coordinates("x")
    for gravity in (9.81, 10, sp.Rational(981, 100)):
        L = sp.Symbol("m") * (q["vx"] ** 2 / 2 - gravity * q["x"])
        da.System(q, L, parameters={"m": "1 kg"}, units={"x": "m"})
    with pytest.raises(da.DalembertError, match="E134"):
        da.System(q, sp.Symbol("m") * (q["vx"] ** 2 / 2 - q["x"]), parameters={"m": "1 kg"}, units={"x": "m"})
    assert not recwarn.list


def test_what_is_not_determined_is_said():
    q = da.coordinates("x s")
    found = da.System(q, sp.Symbol("m") * q["vx"] ** 2 / 2 + q["vs"] ** 2, parameters={"m": "1 kg"})
    note = next(n for n in found.notes if n.code == "N134")
    assert "x, s, vx, vs" in note.text
    assert not [n for n in coin().notes if n.code == "N134"]


def test_without_units_nothing_is_asked():
    q = da.coordinates("x")
    found = da.System(q, q["vx"] ** 2 / 2 + sp.cos(q["x"]) - q["x"] ** 3 / 3 + sp.log(q["x"]))
    assert not found.units
    assert not found.notes


def test_a_balance_solves_and_refuses():
    balance = Balance({"m": DimensionForm(Dimension.of({"kg": 1}))})
    # m v**2 = E, then E = J gives v
    assert balance.agree(DimensionForm.of("m") * DimensionForm.of("v") ** 2, DimensionForm.of("E"))
    assert balance.agree(DimensionForm.of("E"), DimensionForm(JOULE))
    assert balance.known["v"] == Dimension.of({"m": 1, "s": -1})
    assert not balance.agree(DimensionForm.of("v"), DimensionForm(SECOND))
    # a root keeps fractions: w**2 = v
    assert balance.agree(DimensionForm.of("w") ** 2, DimensionForm.of("v"))
    assert balance.known["w"] == Dimension.of({"m": Fraction(1, 2), "s": Fraction(-1, 2)})


def test_what_fits_is_not_put_into_words(monkeypatch):
    """Friction in a mode of a contact has thousands of terms: to print them for words that nobody reads took long."""
    long = sum(sp.Symbol("x") ** k * sp.Symbol(f"c{k}") * sp.sin(k * sp.Symbol("a")) for k in range(1, 9))

    def printed(self, e):
        assert e.is_Atom, "printed"  # symbols are, to be sorted
        return repr(e.name)

    walk = dimensions._DimensionWalk()
    with monkeypatch.context() as patched:
        patched.setattr("sympy.printing.str.StrPrinter.doprint", printed)
        walk.demand(1 + long, DimensionForm(), "a sum")
    assert len(walk.demands) == 17
    where, term = str(walk.demands[1].where), str(walk.demands[2].term)
    assert (where, term) == ("2*a in sin(2*a), in a sum", "term 2 is c2*x**2*sin(2*a)")


@pytest.mark.parametrize(
    ("L", "phi", "carets"),
    [
        ("m/2*vx^2 + m*x", "dot(x)", "           ^^^"),
        ("m/2*vx^2 - m/2*(x + x^2)*vx^2", "dot(x)", "                ^"),
        ("m/2*vx^2", "dot(x) - x*dot(x)", "^^^^^^"),
    ],
)
def test_the_term_of_a_text_is_pointed_at(L, phi, carets):
    with pytest.raises(da.DalembertError, match="E134") as refused:
        da.System(da.coordinates("x y"), L, {"c": phi}, parameters={"m": "1 kg"}, units={"x": "m"})
    assert refused.value.detail.splitlines() == [L if phi == "dot(x)" else phi, carets]


@pytest.mark.parametrize(("row", "named"), [("x^2 + y^2 - 4", True), ("dot(x) - 2*t", True), ("", False)])
def test_the_row_without_which_all_fits_is_named_where_L_is_refused(row, named):
    q = da.coordinates("x y theta")
    L = "m/2*((dot(x) - a*dot(theta)*sin(theta))^2 + dot(y)^2) + I_C/2*dot(theta)^2" + ("" if named else " + a*m")
    with pytest.raises(da.DalembertError, match="E134") as refused:
        da.System(q, L, {"knife": row} if row else {}, parameters={"m": "2 kg", "a": "30 cm", "I_C": "0.1 kg*m^2"})
    assert ("all fits without the constraint knife" in str(refused.value)) == named
