"""Every function of the table in machines, programs and runs. The cases are the table's rows."""

import math

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.calculus.elementary_functions import ELEMENTARY

from ...calculus.test_elementary_functions import CASES, SMOOTH, exact, points, symbolic
from .conftest import NODE, ask_c, ask_javascript, ask_python, expected, states

ANALYTIC = {name: case for name, case in SMOOTH.items() if case[0].name != "abs"}  # a kink costs many steps
AT = np.array([-90.0, -26.3, -7.1, -1.9, -0.4, -1e-3, 0.0, 1e-3, 0.4, 1.9, 7.1, 24.9, 25.1, 60.0, 1e4])


def inside(case, scale=0.4):
    """An expression of x with values in the inner part of the domain."""
    domain, (x,) = case[0].domain, da.coordinates("x").coordinates
    low, high = (domain.low, domain.high) if domain else (-math.inf, math.inf)
    if math.isfinite(low) and math.isfinite(high):
        return (low + high) / 2 + (high - low) / 2 * scale * sp.sin(x)
    if math.isfinite(high):
        return high - 1 + scale * sp.sin(x)
    return low + 1 + scale * sp.sin(x) if math.isfinite(low) else x


def oscillator(case):
    """x'' = -x + f(x)/5 : a function in the force."""
    space = da.coordinates("x")
    (x,), (v,) = space.coordinates, space.velocities
    return da.nonholonomic(da.System(space, (v**2 - x**2) / 2, forces={v: symbolic(case, inside(case)) / 5}))


def all_functions():
    """One system that holds every function twice: as it is, and in a branch that may not be taken."""
    space = da.coordinates("x y")
    (x, y), (vx, vy) = space.coordinates, space.velocities
    plain = sum(symbolic(case, inside(case)) for case in CASES.values())
    branch = sum(sp.Piecewise((symbolic(case, inside(case).subs(x, y)), y < 1), (0, True)) for case in CASES.values())
    return da.nonholonomic(da.System(space, (vx**2 + vy**2) / 2, forces={vx: plain, vy: branch}))


@pytest.mark.filterwarnings("ignore::dalembert.errors.DalembertWarning")
def test_programs_hold_every_function(tmp_path):
    made = all_functions()
    found = [v for v in states(made, 8) if abs(v["x"]) < 6]
    asked = [(v["t"], [v[s] for s in made.states], []) for v in found]
    want = [expected(made, v)[0] for v in found]
    scripts = [ask_javascript(made.to_javascript(), asked, tmp_path)] if NODE else []
    for told in (
        ask_python(made.to_python(), asked, tmp_path),
        *scripts,
        ask_c(made.to_c(), asked, tmp_path, [4, 0, 0]),
    ):
        np.testing.assert_allclose([row[0] for row in told], want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 7, 12])
def test_bessel_functions_in_programs_far_and_near(tmp_path, order):
    space = da.coordinates("x")
    (x,), (v,) = space.coordinates, space.velocities
    made = da.nonholonomic(da.System(space, v**2 / 2, forces={v: sp.besselj(order, x)}))
    asked = [(0.0, [float(a), 0.0], []) for a in AT]
    with mp.workdps(30):
        want = [float(mp.besselj(order, mp.mpf(float(a)))) for a in AT]
    scripts = [ask_javascript(made.to_javascript(), asked, tmp_path)] if NODE else []
    for told in (
        ask_python(made.to_python(), asked, tmp_path),
        *scripts,
        ask_c(made.to_c(), asked, tmp_path, [2, 0, 0]),
    ):
        np.testing.assert_allclose([row[0][1] for row in told], want, rtol=0, atol=2e-15)
        small = [i for i, a in enumerate(AT) if 0 < abs(a) < 2]
        np.testing.assert_allclose([told[i][0][1] for i in small], [want[i] for i in small], rtol=1e-14)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(("elliptic", "hyp2f1"))])
def test_hypergeometric_functions_in_programs_far_and_near(tmp_path, name):
    """Beyond 1/2, where the programs go on by the differential equation, and far below 0."""
    space, case = da.coordinates("x"), CASES[name]
    (x,), (v,) = space.coordinates, space.velocities
    made = da.nonholonomic(da.System(space, v**2 / 2, forces={v: symbolic(case, x)}))
    at = [-1e4, -30.0, -0.9, 0.0, 0.49, 0.51, 0.9, 0.99, 1 - 1e-6]
    asked, want = [(0.0, [a, 0.0], []) for a in at], [exact(case, a) for a in at]
    scripts = [ask_javascript(made.to_javascript(), asked, tmp_path)] if NODE else []
    programs = ask_python(made.to_python(), asked, tmp_path), *scripts, ask_c(made.to_c(), asked, tmp_path, [2, 0, 0])
    for told in programs:
        np.testing.assert_allclose([row[0][1] for row in told], want, rtol=2e-13)


@pytest.mark.parametrize("case", ANALYTIC.values(), ids=ANALYTIC)
def test_runs_of_taylor_and_dop853_agree_with_scipy(case):
    made = oscillator(case)
    start = made.start(x=0.9, vx=0.3)  # the motion passes through 0
    f = made.to_callable()
    told = solve_ivp(f, (0, 6.0), f.y0(start), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    for method in ("dop853", "taylor"):
        run = da.simulate(made, start, until=6.0, method=method, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose([run["x"][-1], run["vx"][-1]], told, rtol=1e-9, atol=1e-9)


def test_a_start_at_a_zero_of_the_argument():
    """J1' = J0 - J1/x would be 0/0 there."""
    made = da.nonholonomic(da.System(da.coordinates("x"), "dot(x)^2/2 - besselj(1, x)"))
    start = made.start(x=0.0, vx=1.2)
    runs = [
        da.simulate(made, start, until=5.0, method=m, rtol=1e-12, atol=1e-12) for m in ("dop853", "taylor", "radau")
    ]
    for run in runs:
        energy = run["vx"] ** 2 / 2 + [float(mp.besselj(1, float(a))) for a in run["x"]]
        np.testing.assert_allclose(energy, 0.72, atol=1e-9)
        assert run["x"][-1] == pytest.approx(runs[0]["x"][-1], abs=1e-8)


def test_a_force_that_is_the_error_function_of_time():
    made = da.nonholonomic(da.System(da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2", forces={"vy": "erf(t)"}))
    for method in ("dop853", "taylor"):
        run = da.simulate(
            made, made.start(x=0.0, y=0.0, vx=0.0, vy=0.0), until=3.0, method=method, rtol=1e-12, atol=1e-14
        )
        # int erf = t erf(t) + (exp(-t^2) - 1)/sqrt(pi)
        want = 3 * math.erf(3) + (math.exp(-9) - 1) / math.sqrt(math.pi)
        assert run["vy"][-1] == pytest.approx(want, rel=1e-11)


@pytest.mark.parametrize(
    "text", ["erf(k*x)", "besselj(0, k*x)", "J1(k*x)", "elliptic_k(k*x/9)", "hyp2f1(2, 1/2, 1, k*x/9)"]
)
def test_sensitivities(text):
    system = da.System(da.coordinates("x"), f"dot(x)^2/2 - {text}", parameters={"k": 1.3})
    made = da.nonholonomic(system)

    def end(k):
        run = da.simulate(made, made.start(x=0.4, vx=0.2, parameters={"k": k}), until=3.0, rtol=1e-12, atol=1e-12)
        return run["x"][-1]

    run = da.sensitivities(made, made.start(x=0.4, vx=0.2), until=3.0, by=["k"], rtol=1e-12, atol=1e-12)
    found = run["x", "k"][-1]
    assert found == pytest.approx((end(1.3 + 1e-5) - end(1.3 - 1e-5)) / 2e-5, rel=1e-7)


def test_every_row_is_a_case():
    covered = {row.name for row, _ in CASES.values()}
    assert {name for name, row in ELEMENTARY.items() if row.spoken} - covered == {"atan2", "min", "max"}
    for case in CASES.values():
        assert len(points(case)) > 20
        assert math.isfinite(exact(case, points(case)[0]))
