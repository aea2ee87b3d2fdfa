"""Scales that are far apart cost no digits that the numbers themselves keep: closed solutions, exact fractions."""

import runpy
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate, tangent
from dalembert.equations.determinacy import LOST, keeps_digits
from dalembert.equations.saddle_form import Numbers

HELD, ACROSS, LIGHT = 1e3, 0.3, 1e-9


def wedge(weight):
    """Something light under a heavy load, held by a wedge that slides: vy = 0.3 vx."""
    q = da.coordinates("x y")
    _x, y, vx, vy = q
    m = sp.Symbol("m", positive=True)
    L = vx**2 / 2 + m * vy**2 / 2 - HELD * y
    return da.System(q, L, {"wedge": vy - sp.Float(ACROSS) * vx}, parameters={"m": weight} if weight else {})


def program(equations, folder, **options):
    file = folder / "program.py"
    file.write_text(equations.to_python(**options), encoding="utf-8")
    return runpy.run_path(str(file))


@pytest.mark.parametrize("weight", [LIGHT, None], ids=["known", "with the start"])
def test_something_light_that_carries_a_heavy_load(tmp_path, weight):
    equations = da.nonholonomic(wedge(weight))
    values = {"m": LIGHT}
    start = {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}
    # (1 + m c^2) xdd = -c g ,  ydd = c xdd
    xdd = -ACROSS * HELD / (1 + LIGHT * ACROSS**2)
    asked = program(equations, tmp_path, parameters=values, start=start)
    found = asked["rhs"](0.0, [0.0] * 4, values)[2:]
    np.testing.assert_allclose(found, [xdd, ACROSS * xdd], rtol=1e-13)
    path = da.simulate(equations, start, until=1.0, parameters=values)
    assert path["x"][-1] == pytest.approx(xdd / 2, rel=1e-10)
    assert path["y"][-1] == pytest.approx(ACROSS * xdd / 2, rel=1e-10)
    if weight:
        rate = equations.to_callable()(0.0, [0.0] * 4)
        np.testing.assert_allclose(rate[2:], [xdd, ACROSS * xdd], rtol=1e-13)


def test_what_is_light_but_carries_no_more_than_itself_is_solved_without_pivots():
    q = da.coordinates("x y")
    _x, y, vx, vy = q
    L = (vx**2 + sp.Float(LIGHT) * vy**2) / 2 - sp.Float(LIGHT) * y
    assert da.nonholonomic(da.System(q, L, {"slope": vx - sp.Float(LIGHT) * vy})).definite


def test_light_wheels_below_a_heavy_car_are_solved_without_pivots():
    q = da.coordinates("x turn")
    x, _turn, vx, w = q
    car = da.System(q, 1000 * vx**2 / 2 + sp.Float(1e-6) * w**2 / 2 - x**2, {"rolls": vx - sp.Rational(3, 10) * w})
    assert da.nonholonomic(car).definite


def by_inverses(numbers):
    """What `keeps_digits` answers, by the inverses of W and of the bordered matrix."""
    (x, mu), inner = numbers.solve(), np.abs(np.linalg.inv(numbers.W))
    outer, found = np.abs(np.linalg.inv(numbers.bordered)[: len(x)]), []
    for held in (0.0, 1.0):
        load = np.abs(numbers.f) + np.abs(numbers.W) @ np.abs(x) + np.abs(numbers.N).T @ (np.abs(mu) + held)
        kept = outer @ np.concatenate([load, np.abs(numbers.g) + np.abs(numbers.N) @ np.abs(x)])
        found.append(not (inner @ load).max() > LOST * kept.max())
    return tuple(found)


def test_digits_are_weighed_alike_by_a_null_space_and_by_inverses():
    rng, answers = np.random.default_rng(5), set()
    for _ in range(80):
        k = int(rng.integers(2, 8))
        m, unit = int(rng.integers(1, k + 1)), 10.0 ** rng.uniform(-4, 4, k)
        A = rng.normal(size=(k, k))
        W, N = (
            (A @ A.T + np.eye(k)) * unit[:, None] * unit,
            rng.normal(size=(m, k)) * 10.0 ** rng.uniform(-2, 2, (m, 1)),
        )
        numbers = Numbers(W, N, rng.normal(size=k), rng.normal(size=m))
        answers.add(keeps_digits(numbers))
        assert keeps_digits(numbers) == by_inverses(numbers)
        both = Numbers(*(np.stack([part, part]) for part in (W, N, numbers.f, numbers.g)))
        assert keeps_digits(both) == keeps_digits(numbers)
    assert answers >= {(True, True), (True, False), (False, False)}


ROWS = [[Fraction(2, 3), Fraction(1)], [Fraction(200000, 3), Fraction(6, 5)], [Fraction(1), Fraction(-1)]]
PUSH = [Fraction(3, 2), Fraction(-7, 5)]


def least_norm(rows, R):
    """lam = N (N^T N)^-1 R in fractions: N^T lam = R, of least norm, for N of two columns."""
    (a, b), (_, d) = [[sum(r[i] * r[j] for r in rows) for j in range(2)] for i in range(2)]
    det = a * d - b * b
    y = [(d * R[0] - b * R[1]) / det, (a * R[1] - b * R[0]) / det]
    return [float(r[0] * y[0] + r[1] * y[1]) for r in rows]


@pytest.mark.filterwarnings("ignore:.*W113")
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_multipliers_of_rows_in_scales_far_apart(tmp_path, order):
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    rows = [ROWS[i] for i in order]
    said = {f"c{i}": sp.Rational(str(a)) * vx + sp.Rational(str(b)) * vy for i, (a, b) in enumerate(rows)}
    L = (vx**2 + vy**2 + vz**2) / 2 + sp.Rational(str(PUSH[0])) * x + sp.Rational(str(PUSH[1])) * y - z
    found = program(da.nonholonomic(da.System(q, L, said)), tmp_path)["multipliers"](0.0, [0.0] * 6, {})
    # nothing moves along x and y: the reaction is -PUSH
    wanted = least_norm(rows, [-PUSH[0], -PUSH[1]])
    np.testing.assert_allclose(found, wanted, atol=1e-12 * max(map(abs, wanted)))


def test_a_speed_that_makes_large_velocities_is_not_left_over_from_others():
    # vx = -e va with e = exp(18 a): a chart that says va by vy and vz magnifies their rounding by e
    q = da.coordinates("x y z a")
    _x, _y, z, a, vx, vy, vz, va = q
    L = (vx**2 + vy**2 + vz**2) / 2 + (2 + 1 / (1 + a**2)) * va**2 / 2
    steep = {"steep": vx + sp.exp(18 * a) * va, "level": vy + sp.atan(z) * vz + 5 * va / 3}
    equations = da.nonholonomic(da.System(q, L, steep))
    values = equations.start(x=0, y=0, z=0.1, a=0.642, vx=0.7, vz=-0.4)
    at = {**values.state, "t": 0.0}
    form = equations.charts.regular(at)
    states = dict(zip(form.states, form.start(at), strict=True))
    along = [*map(form.graph.symbol, form.states), form.graph.symbol("t")]
    found = np.array(evaluate(tangent(list(form.velocities), along, [*form.rates, 1.0]), {**at, **states}), float)
    np.testing.assert_allclose(found, equations.accelerations(at)[0], atol=1e-12)


def test_momenta_of_something_light_in_a_gauge():
    # d/dt of x^2 y in L moves nothing, but the momenta are it: m xdd = 0 , ydd = -g
    q = da.coordinates("x y")
    x, y, vx, vy = q
    m = sp.Float(1e-6)
    L = m * (vx**2 + vy**2) / 2 - m * sp.Rational(981, 100) * y + 2 * x * y * vx + x**2 * vy
    made = da.forms.almost_poisson(da.System(q, L))
    at = {"x": 1.3, "y": -0.4, "vx": 0.8, "vy": 0.5, "t": 0.0}
    np.testing.assert_allclose(made.accelerations(at)[0], [0, -9.81], atol=2e-9)  # roundings of 2 y vx over m


@pytest.mark.filterwarnings("ignore:.*W113")
@pytest.mark.parametrize("off", [0.0, 1e-22, 1e-17, -5e-15])
def test_rows_that_depend_on_each_other_where_a_relation_holds(off):
    # z = 0: there vz + sin(z) vy = 0 follows, and beside it by rounding the rows are independent
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    tied = {"slope": vz + sp.sin(z) * vy, "floor": 3 * z / 2 + sp.atan(z) / 3}
    system = da.System(q, (vx**2 + (3 + sp.atan(y)) * vy**2 + vz**2) / 2 - z - x, tied)
    at = {"x": 0.4, "y": 0.3, "z": off, "vx": -0.8, "vy": -0.7, "vz": 0.7 * off, "t": 0.0}
    # the reaction is 1 along vz:  mu_1 + 11/6 mu_2 = 1, of least norm
    wanted = np.array([1, 11 / 6]) / (1 + (11 / 6) ** 2)
    for form in (da.nonholonomic, da.forms.gauss, da.forms.maggi, da.forms.hamel, da.forms.symplectic):
        np.testing.assert_allclose(form(system).accelerations(at)[1], wanted, atol=1e-12)


def charged(mass):
    """Something light on a curved constraint, with a term linear in the velocities that has no curl."""
    q = da.coordinates("x y z")
    _x, y, z, vx, vy, vz = q
    L = sp.Rational(mass) * (vx**2 + vy**2 + 2 * vz**2) / 2 + vx
    return da.System(q, L, {"bent": vx - (y**2 + z) * vz - y * z * vy})


def in_fractions(system, values):
    """Accelerations and multiplier by exact arithmetic, from the saddle of SymPy's own derivatives."""
    u, q = system.space.velocities, system.space.coordinates
    L, phi = system.lagrangian, system.constraints[0].phi

    def rate(e):
        return sum(e.diff(x) * v for x, v in zip(q, u, strict=True))

    W, N = sp.hessian(L, u), sp.Matrix([phi]).jacobian(u)
    f = [L.diff(x) - rate(L.diff(v)) for x, v in zip(q, u, strict=True)]
    at = {s: sp.Rational(values[s.name]) for s in (*q, *u)}
    saddle = sp.Matrix(sp.BlockMatrix([[W, -N.T], [N, sp.zeros(1, 1)]])).subs(at)
    return [float(e) for e in saddle.LUsolve(sp.Matrix([*f, -rate(phi)]).subs(at))][:3]


@pytest.mark.parametrize("form", ["maggi", "hamel", "voronec", "chaplygin", "gibbs_appell", "almost_poisson"])
@pytest.mark.parametrize("mass", ["1e-6", "1e-9"])
def test_a_term_linear_in_the_velocities_costs_no_form_its_digits(form, mass):
    system, at = charged(mass), {"x": 0.75, "y": 1.5, "z": 0.375, "vy": 0.5, "vz": 0.8125}
    at["vx"] = (at["y"] ** 2 + at["z"]) * at["vz"] + at["y"] * at["z"] * at["vy"]
    expected = in_fractions(system, at)
    found = getattr(da.forms, form)(system).accelerations(at | {"t": 0.0})[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
