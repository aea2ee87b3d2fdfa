"""Limits of realised constraints: closed forms, orders, and the multiplier that a slip selects."""

from functools import partial

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert import penalties
from dalembert.experiment.penalty_limit import asymptotic_range, limit, regression, successive_orders
from dalembert.numerics.methods.radau.stepper import RadauStepper
from dalembert.numerics.policy import Policy
from dalembert.systems import ball_on_turntable as ball

cos, sin = sp.cos, sp.sin
G, RATE = 2.0, 1.4
DECADES = tuple(10.0**k for k in range(2, 8))


def knife():
    """Knife edge on an incline, x downhill [bloch2015]."""
    q = da.coordinates("x y theta", velocities="vx vy omega")
    x, _y, theta, vx, vy, omega = q
    return da.System(
        q,
        (vx**2 + vy**2) / 2 + omega**2 / 5 + sp.Rational(2) * x,
        {"blade": vx * sin(theta) - vy * cos(theta)},
        title="Knife edge",
    )


AT_REST = {"x": 0, "y": 0, "theta": 0, "vx": 0, "vy": 0, "omega": RATE}


def cycloid(t):
    """x, y from rest with theta = w t: x = g/(2 w^2) sin^2 wt, y = g/(2 w^2) (wt - sin(2wt)/2)."""
    a = G / (2 * RATE**2)
    return a * np.sin(RATE * t) ** 2, a * (RATE * t - np.sin(2 * RATE * t) / 2)


def sleigh():
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    v = (vx - sp.Rational(3, 10) * omega * sin(theta), vy + sp.Rational(3, 10) * omega * cos(theta))
    L = sp.Rational(13, 20) * (v[0] ** 2 + v[1] ** 2) + omega**2 / 4
    return da.System(q, L, {"blade": -vx * sin(theta) + vy * cos(theta)}, title="Sleigh")


SLEIGH = {"x": 0, "y": 0, "theta": 0.3, "vx": 1.0, "omega": 0.8}


def penny():
    q = da.coordinates("x y phi psi")
    phi, vx, vy, vphi, vpsi = (q[n] for n in ("phi", "vx", "vy", "vphi", "vpsi"))
    return da.System(
        q,
        sp.Rational(6, 10) * (vx**2 + vy**2) + vpsi**2 / 5 + vphi**2 / 8,
        {"along": vx - vpsi * cos(phi), "across": vy - vpsi * sin(phi)},
        title="Penny",
    )


PENNY = {"x": 0, "y": 0, "phi": 0.3, "psi": 0, "vphi": 0.6, "vpsi": 1.2}


@pytest.fixture(scope="module")
def incline():
    return limit(knife(), penalties.viscous, da.nonholonomic, start=AT_REST, until=2.0)


def test_the_viscous_knife_edge_tends_to_the_cycloid_with_order_one(incline):
    x, y = cycloid(incline.times)
    errors = [
        max(np.abs(path.at(incline.times)["x"] - x).max(), np.abs(path.at(incline.times)["y"] - y).max())
        for path in incline.paths
    ]
    orders = -np.diff(np.log10(errors))
    np.testing.assert_allclose(orders[1:], 1.0, atol=0.01)  # from strength 1e3 on
    assert errors[-1] < 1e-6
    assert incline.asymptotic.sum() >= 5
    assert incline.order == pytest.approx(1, abs=0.02)
    np.testing.assert_allclose(incline.difference("x")[:, -1], [p["x"][-1] - x[-1] for p in incline.paths], atol=1e-10)


def test_the_report_says_what_was_used(incline):
    text = str(incline)
    assert max(map(len, text.splitlines())) <= 80
    assert "tends to the nonholonomic motion with order" in incline.verdict
    assert text.count("yes") == incline.asymptotic.sum()
    assert incline.paths[-1].provenance["method"] == "radau"
    assert all(path.ok for path in incline.paths)


def test_an_error_known_in_closed_form():
    # L = (vx^2 + vy^2)/2 - y, vy = 0: vy' = -1 - c vy, so vy = -(1 - exp(-c t))/c and y = -t/c + (1 - exp(-c t))/c^2
    q = da.coordinates("x y")
    system = da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2 - q["y"], {"rail": q["vy"]})
    c = np.array([10.0, 100.0, 1000.0])[:, None]
    found = limit(
        system, penalties.viscous, da.nonholonomic, start={"x": 0, "y": 0, "vx": 1}, until=2.0, strengths=c[:, 0]
    )
    t = found.times
    np.testing.assert_allclose(found.difference("vy"), -(1 - np.exp(-c * t)) / c, atol=1e-10)
    np.testing.assert_allclose(found.difference("y"), -t / c + (1 - np.exp(-c * t)) / c**2, atol=1e-10)


def test_the_viscous_ball_on_the_turning_table_tends_to_its_closed_form():
    # affine constraints; the same equation of motion as in [lewis1995 (3.6)]
    parameters = {**ball.stated_ball(), "Omega": ball.RPM_45}
    found = limit(
        ball.system(),
        penalties.viscous,
        da.nonholonomic,
        start={**ball.START, "w3": 0.0},
        until=1.0,
        strengths=DECADES[1:],
    )
    x, y, *_ = ball.exact(found.times, list(ball.START.values()), parameters)
    errors = [np.hypot(p.at(found.times)["x"] - x, p.at(found.times)["y"] - y).max() for p in found.paths]
    np.testing.assert_allclose(-np.diff(np.log10(errors))[1:], 1.0, atol=0.02)
    assert found.order == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("lam0", [0.0, 0.7, -1.3])
def test_the_inertial_sleigh_tends_to_the_vakonomic_motion_with_its_multiplier(lam0):
    start = {**SLEIGH, "lam_blade": lam0}
    found = limit(sleigh(), penalties.inertial, da.vakonomic, start=start, until=2.0)
    assert found.order == pytest.approx(1, abs=0.02)
    assert found.asymptotic.sum() >= 5, found
    assert found.errors[found.asymptotic][-1] < 1e-5
    assert found.paths[-1].provenance["method"] == "dop853"


def slip(path):
    theta = path["theta"][0]
    return -path["vx"][0] * np.sin(theta) + path["vy"][0] * np.cos(theta)


def test_a_multiplier_is_a_slip_of_minus_lam_over_the_strength():
    # L - lam phi and L + M/2 phi^2: lam = -M phi
    start = {**SLEIGH, "lam_blade": 0.7}
    found = limit(sleigh(), penalties.inertial, da.vakonomic, start=start, until=0.5, strengths=DECADES[:4])
    left = [abs(s * slip(path) + 0.7) for s, path in zip(found.strengths, found.paths, strict=True)]
    assert left[0] < 0.05
    np.testing.assert_allclose(-np.diff(np.log10(left)), 1.0, atol=0.02)


def test_another_slip_tends_to_another_motion():
    # away from lam0 = 0 and from -lam0, which the sign of the slip decides
    equations = da.vakonomic(sleigh())
    found = limit(sleigh(), penalties.inertial, da.vakonomic, start={**SLEIGH, "lam_blade": 0.7}, until=2.0)
    t = found.times
    rivals = {
        lam: da.simulate(equations, {**SLEIGH, "lam_blade": lam}, until=2.0).at(t)["theta"] for lam in (0.7, 0.0, -0.7)
    }
    gaps = {lam: [np.abs(p.at(t)["theta"] - theta).max() for p in found.paths[:5]] for lam, theta in rivals.items()}
    assert gaps[0.7][-1] < 1e-4
    np.testing.assert_allclose(gaps[0.0][1:], gaps[0.0][-1], rtol=0.02)
    assert min(gaps[0.0][-1], gaps[-0.7][-1]) > 0.1


def test_a_start_on_the_constraint_selects_no_multiplier():
    # exactly on phi = 0: the limit is the vakonomic motion with lam(0) = 0
    system = penalties.inertial(penny(), 1e5)
    begin = da.nonholonomic(penny()).start(**PENNY)
    strong = da.simulate(da.free(system), dict(begin), until=1.0).at(1.0)
    gaps = []
    for lam in (0.0, 1.0):
        rival = {**PENNY, "lam_along": lam, "lam_across": lam}
        path = da.simulate(da.vakonomic(penny()), rival, until=1.0).at(1.0)
        gaps.append(max(abs(path[n] - strong[n]) for n in ("x", "y", "phi", "psi")))
    assert gaps[0] < 1e-4
    assert gaps[1] > 1e-2


def test_a_constraint_nonlinear_in_the_velocities():
    start = {k: v for k, v in ON_THE_CONE.items() if k != "lam_cone"}
    viscous = limit(cone(), penalties.viscous, da.nonholonomic, start=start, until=0.5)
    inertial = limit(cone(), penalties.inertial, da.vakonomic, start=ON_THE_CONE, until=0.5, strengths=DECADES[:4])
    assert viscous.order == pytest.approx(1, abs=0.02), viscous
    assert inertial.order == pytest.approx(1, abs=0.03), inertial
    assert viscous.asymptotic.sum() >= 5


@pytest.mark.parametrize(
    ("penalty", "principle", "lam"),
    [
        (penalties.viscous, da.nonholonomic, {}),
        (penalties.inertial, da.vakonomic, {"lam_along": 0.5, "lam_across": -0.3}),
    ],
)
def test_some_of_the_constraints_may_stay_imposed(penalty, principle, lam):
    found = limit(
        penny(), partial(penalty, only="across"), principle, start={**PENNY, **lam}, until=1.0, strengths=DECADES[:4]
    )
    assert found.penalty == penalty.__name__.replace("_", " ")
    assert found.order == pytest.approx(1, abs=0.02)
    assert found.asymptotic.sum() >= 3
    for path in found.paths:
        assert set(path.audit.constraints) == {"along"}
        assert path.audit.constraint_residual < 1e-10


def test_the_wrong_limit_is_not_reported_as_one():
    found = limit(sleigh(), penalties.inertial, da.nonholonomic, start=SLEIGH, until=2.0, strengths=DECADES[:4])
    assert "does not tend to the nonholonomic motion" in found.verdict
    assert abs(found.order) < 0.05


def test_runs_that_fail_have_no_verdict():
    found = limit(
        knife(), penalties.viscous, da.nonholonomic, start=AT_REST, until=2.0, strengths=DECADES[:3], max_steps=9
    )
    assert "no verdict" in found.verdict
    assert "tends" not in found.verdict
    assert np.isnan(found.order)
    assert max(map(len, str(found).splitlines())) <= 80


# --- the regression --------------------------------------------------------------------------------------------------


def test_only_the_asymptotic_range_is_fitted():
    # error = 1/(1 + s) + floor: too weak at first, rounding at the end
    s = 10.0 ** np.arange(-1, 9)
    errors = 1 / (1 + s) + 1e-6
    used = asymptotic_range(successive_orders(s, errors))
    # 10 to 1e5: orders 0.96 to 1.00; 0.74 and less on both sides
    assert used.tolist() == [False] * 2 + [True] * 5 + [False] * 3
    assert regression(s[used], errors[used]) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0])
def test_the_order_found_is_the_order_there(order):
    s = np.array([1e2, 3e2, 1e4, 1e5])
    errors = 7 * s**-order
    used = asymptotic_range(successive_orders(s, errors))
    assert used.all()
    assert regression(s[used], errors[used]) == pytest.approx(order, abs=1e-12)


def test_a_plateau_as_long_as_the_descent_does_not_win():
    s = 10.0 ** np.arange(5)
    errors = np.array([1e-1, 1e-2, 1e-3, 1e-3, 1e-3])
    used = asymptotic_range(successive_orders(s, errors))
    assert used.tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("errors", [[1e-1, 1e-1 / 3, 1e-3, 1e-6], [0.0, 0.0, 0.0, 0.0], [np.nan, 1e-2, 1e-3, np.nan]])
def test_no_order_is_made_up(errors):
    orders = successive_orders(10.0 ** np.arange(4), np.array(errors))
    assert not asymptotic_range(orders).any()
    assert np.isnan(regression(np.zeros(0), np.zeros(0)))


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"strengths": [1e2, 1e3]}, ValueError, "E307"),
        ({"strengths": [1e3, 1e2, 1e4]}, ValueError, "E307"),
        ({"strengths": [-1.0, 1.0, 2.0]}, ValueError, "E307"),
        ({"strengths": [1.0, 10.0, np.inf]}, ValueError, "E307"),
        ({"strengths": "many"}, ValueError, "E307"),
        ({"events": []}, ValueError, "E307"),
        ({"times": [3.0]}, ValueError, "E303"),
        ({"until": 0.0}, ValueError, "E302"),
        ({"until": np.nan}, ValueError, "E301"),
        ({"start": {"x": 0}}, ValueError, "E230 nonholonomic"),
        ({"start": [0.0] * 6}, TypeError, "E241"),
        ({"principle": "nonholonomic"}, TypeError, "E307"),
        ({"rtoll": 1e-9}, TypeError, "E307"),
    ],
)
def test_requests_that_are_refused(changes, kind, words):
    given = {"principle": da.nonholonomic, "start": AT_REST, "until": 1.0, **changes}
    with pytest.raises(kind, match=words):
        limit(knife(), penalties.viscous, given.pop("principle"), **given)


# --- the stiff method without a compiled Jacobian --------------------------------------------------------------------


def cone():
    q = da.coordinates("x y z")
    _x, _y, z, vx, vy, vz = q
    return da.System(q, (vx**2 + vy**2 + vz**2) / 2 - z, {"cone": vz**2 - (vx**2 + vy**2) / 2})


ON_THE_CONE = {"x": 0, "y": 0, "z": 0, "vx": 1.0, "vy": 1.0, "vz": 1.0, "lam_cone": 0.3}


def test_the_stiff_method_by_differences():
    # a Hessian of L - lam phi that is not definite has no compiled Jacobian
    one, two = (
        da.simulate(da.vakonomic(cone()), ON_THE_CONE, until=0.5, method=method, rtol=1e-9).at(0.5)
        for method in ("dop853", "radau")
    )
    assert max(abs(one[n] - two[n]) for n in one) < 1e-7


def test_differences_do_not_overflow_where_nothing_depends_on_a_state():
    # SciPy's own grow their step tenfold at each call in the column of the work, on which nothing depends
    equations = da.vakonomic(cone())
    field = Policy.of({"method": "radau"}).field(equations, equations.start(**ON_THE_CONE))
    assert not field.kernel.jacobian
    y = field.first
    stepper = RadauStepper(field.kernel.rhs, 0, 0.0, y, field.p, rtol=1e-9, atol=np.full(len(y), 1e-11))
    for _ in range(400):
        J = stepper.jacobian()
    h = 1e-6 * np.eye(len(y))
    central = np.array([(field.rate(0.0, y + e) - field.rate(0.0, y - e)) / 2e-6 for e in h]).T
    np.testing.assert_allclose(J, central, atol=1e-6)


def test_errors_below_those_of_the_steps_are_no_order():
    strengths = [1e12, 1e13, 1e14, 1e15]
    found = limit(sleigh(), penalties.viscous, da.nonholonomic, start=SLEIGH, until=2.0, strengths=strengths)
    assert found.errors[0] <= found.accuracy and not found.doubts
    assert found.verdict.startswith("no order is seen: from strength 1e+12 on")


def test_a_strength_that_swings_without_end_is_given_up():
    options = {"strengths": [1e2, 1e3, 1e9], "max_steps": 3000}
    start = {**SLEIGH, "lam_blade": 0.0}
    found = limit(sleigh(), penalties.inertial, da.vakonomic, start=start, until=2.0, **options)
    assert len(found.doubts) == 1 and found.verdict.startswith("no verdict, since")
