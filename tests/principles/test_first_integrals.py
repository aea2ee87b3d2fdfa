"""First integrals that nobody guessed: those of the books are found, all of them, and none where there is none."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.geometry.random_states import ConstraintSampler
from dalembert.systems import heisenberg, knife_edge_on_incline, penny
from zoo import GALLERY

q = da.coordinates("x y")
x, y, vx, vy = (q[name] for name in ("x", "y", "vx", "vy"))
m, k, a, b = sp.symbols("m k a b", positive=True)


def held_by(found, published, system, count=60):
    """Is a published integral a combination of 1, what is found, its squares and products, and the energy?"""
    rng = np.random.default_rng(11)
    sampler = ConstraintSampler(system)
    states = [values for values, _ in zip((v for v, ok in sampler.states(5) if ok), range(count), strict=False)]
    values = {n: np.array([s[n] for s in states]) for n in states[0]}
    values |= {f"lam_{c.name}": rng.normal(size=count) for c in system.constraints}
    single = [f.expression for f in found] + ([] if found.energy is None else [found.energy])
    every = [sp.S.One, *single, *(f * g for i, f in enumerate(single) for g in single[i:])]
    columns = np.array(
        [np.broadcast_to(evaluate([read(f, Graph())], values)[0], (count,)) for f in [*every, published]]
    )
    A, f = columns[:-1].T, columns[-1]
    return bool(np.linalg.norm(A @ np.linalg.lstsq(A, f, rcond=None)[0] - f) < 1e-8 * np.linalg.norm(f))


def test_keplers_orbit_keeps_its_axis():
    # the vector of Runge and Lenz: (v x L) m - k r/|r|
    system = da.System(q, m * (vx**2 + vy**2) / 2 + k / sp.sqrt(x**2 + y**2), parameters={"m": 2.0, "k": 3.0})
    found = da.symmetry.first_integrals(system)
    assert [f.degree for f in found] == [1, 2, 2]
    assert all(f.everywhere for f in found)
    turning = m * (x * vy - y * vx)
    assert held_by(found, turning, system)
    assert held_by(found, turning * vy - k * x / sp.sqrt(x**2 + y**2), system)
    assert held_by(found, -turning * vx - k * y / sp.sqrt(x**2 + y**2), system)


@pytest.mark.parametrize("power", [0, 2])
def test_an_azimuth_that_nobody_declared_an_angle_is_taken_for_one(power):
    # a spring: x x, x y of the tensor of Fradkin; a free particle: v_x and v_y, in polar coordinates
    polar = da.coordinates("r a")
    r, angle, vr, va = (polar[name] for name in ("r", "a", "vr", "va"))
    system = da.System(polar, (vr**2 + r**2 * va**2 - power * r**2) / 2)
    found = da.symmetry.first_integrals(system)
    assert "sines and cosines of a" in found.searched
    v = vr * sp.cos(angle) - r * va * sp.sin(angle), vr * sp.sin(angle) + r * va * sp.cos(angle)
    places = r * sp.cos(angle), r * sp.sin(angle)
    for i, j in ((0, 0), (0, 1)):
        published = v[i] * v[j] + power * places[i] * places[j] if power else v[j]
        assert held_by(found, published, system)


def test_a_charge_in_a_magnetic_field_keeps_the_centre_of_its_circle_and_nothing_more():
    # b x + vy and b y - vx; x vy - y vx + b r^2/2 follows from their squares and the energy, and so do products with it
    system = da.System(q, (vx**2 + vy**2 + b * (x * vy - y * vx)) / 2, parameters={"b": 2.0})
    found = da.symmetry.first_integrals(system)
    assert [f.degree for f in found] == [1, 1]
    assert held_by(found, b * x + vy, system)
    assert held_by(found, b * y - vx, system)


@pytest.mark.parametrize(
    ("cubic", "count"),
    [(x**2 * y + 2 * y**3, 1), (x**2 * y - y**3 / 3, 0), (x**2 * y, 0)],
    ids=["Korteweg and de Vries", "Henon and Heiles", "half of it"],
)
def test_henon_and_heiles_with_other_numbers_can_be_solved(cubic, count):
    # x^2 y + 2 y^3 has a second integral whatever the frequencies
    L = (vx**2 + vy**2 - a * x**2 - b * y**2) / 2 - cubic
    found = da.symmetry.first_integrals(da.System(q, L, parameters={"a": 2.0, "b": 3.0}))
    assert found.energy is not None
    assert len(found) == count
    assert all(f.everywhere for f in found)


def test_a_knife_edge_on_an_incline_keeps_its_spin_and_two_more():
    # x = g sin(alpha)/(2 omega^2) sin^2(phi) + const and so on: functions of parameters occur as they do in L
    system = knife_edge_on_incline.system()
    found = da.symmetry.first_integrals(system)
    assert [f.degree for f in found] == [1, 2, 2]
    assert all(f.everywhere for f in found)
    assert {s.name for f in found for s in f.expression.free_symbols} >= {"g", "alpha", "omega", "phi", "x"}


def test_integrals_of_a_penny_are_those_of_its_circle():
    found = da.symmetry.first_integrals(penny.system())
    R, at = sp.Symbol("R", positive=True), penny.SPACE
    assert [f.degree for f in found] == [1] * 5
    assert found[0].expression == at["vphi"]
    assert found[1].expression == at["vpsi"]
    # the centre of the circle
    centre = R * at["vpsi"] * sp.cos(at["phi"]) + at["vphi"] * at["y"]
    assert held_by(found, centre, penny.system())


def test_veselovas_integrals_by_number_and_by_parameter():
    # M - <M, gamma> gamma is at rest in space [fedorov1995]: its square, on the reduced motion
    small = GALLERY.reduction("veselova").system
    found = da.symmetry.first_integrals(small)
    assert [f.degree for f in found] == [2]
    assert found[0].everywhere
    assert da.symmetry.conserved(da.nonholonomic(small), found[0].expression)
    g, M = [small.space[f"g{i}"] for i in (1, 2, 3)], [sp.Symbol(f"I{i}") * small.space[f"w{i}"] for i in (1, 2, 3)]
    along = sum(p * z for p, z in zip(M, g, strict=True))
    symbols = {s.name: s for s in small.symbols.values()}
    square = (sum(p**2 for p in M) - along**2).xreplace({sp.Symbol(n): s for n, s in symbols.items()})
    assert held_by(found, square, small)


def test_multipliers_count_as_velocities():
    system = heisenberg.system()
    equations = da.vakonomic(system)
    found = da.symmetry.first_integrals(equations)
    for published in heisenberg.FACTS.vakonomic.values():
        assert held_by(found, published, system)
    assert all(da.symmetry.conserved(equations, f.expression) for f in found)


def test_friction_leaves_nothing_and_says_so():
    system = da.System(q, (vx**2 + vy**2 - x**2) / 2, forces={"x": -vx, "y": -vy}, parameters={})
    found = da.symmetry.first_integrals(system)
    assert found.energy is None
    assert [f.expression for f in found] == [vy + y]
    assert "the energy is not conserved" in str(found)


def test_a_velocity_that_is_constant_but_for_rounding_is_constant():
    assert da.symmetry.conserved(da.nonholonomic(penny.system()), "vpsi")
    assert not da.symmetry.conserved(da.nonholonomic(penny.system()), "vx")


def test_what_is_no_system_is_refused():
    with pytest.raises(da.DalembertError, match="E307"):
        da.symmetry.first_integrals("penny")


@pytest.mark.parametrize(
    ("broken", "kept"),
    [
        ({"lagrangian": "T - 1e-12*x^2"}, "vy"),
        ({"lagrangian": "T - (x^2 + y^2)/2", "forces": {"vx": "-1e-9*vx"}}, "vy**2 + y**2"),
        ({"lagrangian": "T - x^2/2 - 1.000000001*y^2/2"}, "vx**2 + x**2"),
        ({"lagrangian": "T - max(0, x - 100)^2"}, "vy"),
        ({"lagrangian": "T", "forces": {"vx": "exp(-50*(x - 7)^2)"}}, "vy"),
    ],
    ids=["weak spring", "small drag", "detuned", "far spring", "far force"],
)
def test_what_is_weak_or_far_away_breaks_an_integral(broken, kept):
    given = {**broken, "lagrangian": broken["lagrangian"].replace("T", "(vx^2 + vy^2)/2")}
    system = da.System(da.coordinates("x y"), **given)
    found = da.symmetry.first_integrals(system)
    assert [str(f) for f in found] == [kept]
    assert all(da.symmetry.conserved(system, f.expression) for f in found)
    assert da.symmetry.conserved(system, "x*vy - y*vx").conserved is False


def test_rates_that_run_over_are_refused_in_words():
    q = da.coordinates("x y")
    with pytest.raises(da.DalembertError, match="E244"):
        da.symmetry.first_integrals(da.System(q, "(vx^2 + vy^2)/2 - exp(1000*x)"))
