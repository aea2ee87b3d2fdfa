"""simulate: accuracy against closed forms, constraints that hold, events in their place, policies."""

import gc
import math
import weakref

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm

import dalembert as da
from dalembert.systems import ball_on_turntable as turntable
from dalembert.systems import penny

inf = math.inf
START = {"x": 10.0, "y": 0.0, "vx": 1.5, "vy": 5.0, "w3": 2.0}


def one(force=0, parameters=None):
    """One coordinate x of unit mass."""
    q = da.coordinates("x")
    return da.nonholonomic(da.System(q, q["vx"] ** 2 / 2, {}, {"vx": force}, parameters or {}))


X, V = da.coordinates("x")


@pytest.fixture(scope="module")
def ball():
    return da.nonholonomic(turntable.system())


# --- accuracy ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_run(ball):
    return da.simulate(ball, START, until=1000.0)


def error_of(path, times):
    start = [START[n] for n in ("x", "y", "vx", "vy")]
    exact = turntable.exact(times, start, path.provenance["parameters"])
    got = np.array([path.at(times)[n] for n in ("x", "y", "vx", "vy")])
    return [np.abs(got[part] - exact[part]).max() / np.abs(exact[part]).max() for part in (slice(0, 2), slice(2, 4))]


def test_ball_over_1000_s(long_run):
    error = max(error_of(long_run, np.linspace(0, 1000, 20_001)))
    print(f"ball, 1000 s, default options: {error:.2e}")
    assert error <= 1e-10
    assert long_run.ok


def test_ball_over_1000_s_with_the_tolerance_of_the_readme(ball):
    path = da.simulate(ball, START, until=1000.0, rtol=1e-12)
    error = max(error_of(path, np.linspace(0, 1000, 20_001)))
    print(f"ball, 1000 s, rtol=1e-12: {error:.2e}")
    assert error <= 1e-10


def test_friction_against_the_closed_form():
    equations = da.nonholonomic(turntable.system(nu=3.0, mu=5.0))
    path = da.simulate(equations, START, until=20.0)
    assert max(error_of(path, np.linspace(0, 20, 501))) <= 1e-10


def test_constraints_hold_on_the_steps_and_between(long_run):
    rng = np.random.default_rng(1)
    times = np.sort(np.r_[rng.uniform(0, 1000, 20_000), 0.0, 1000.0])
    p, at = long_run.provenance["parameters"], long_run.at(times)
    rows = (
        (at["vx"] - p["r"] * at["w2"] + p["Omega"] * at["y"]),
        (at["vy"] + p["r"] * at["w1"] - p["Omega"] * at["x"]),
    )
    assert max(np.abs(r).max() for r in rows) <= 1e-10
    norm = sum(at[f"R_{c}"] ** 2 for c in "wxyz")
    assert np.abs(norm - 1).max() <= 1e-12
    assert long_run.audit.constraint_residual <= 1e-10


def test_tighter_is_better(sleigh):
    times = np.linspace(0, 20, 401)
    exact = da.simulate(sleigh, SKATE, until=20.0, rtol=1e-14).at(times)["omega"]
    paths = [da.simulate(sleigh, SKATE, until=20.0, rtol=r) for r in (1e-6, 1e-8, 1e-10)]
    errors = [np.abs(path.at(times)["omega"] - exact).max() for path in paths]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
    assert errors[2] < 1e-7


def vakonomic_reference(start, p, until):
    """The vakonomic ball by Taylor series at 30 digits.

    L* = m/2 (x'^2 + y'^2) + I/2 |w|^2 - l1 (x' - r w2 + Omega y) - l2 (y' + r w1 - Omega x), w in space axes, so
    that with pi = dL*/dw:
    d/dt (m x' - l1) = Omega l2,  d/dt (m y' - l2) = -Omega l1,  d/dt pi = w x pi,
    pi = (I w1 - r l2, I w2 + r l1, I w3), as the variations of w are those of a rotation.
    With w1 = (Omega x - y')/r, w2 = (x' + Omega y)/r.
    """
    m, r, inertia, Omega = (mpmath.mpf(p[n]) for n in ("m", "r", "I", "Omega"))

    def rhs(t, s):
        x, y, vx, vy, l1, l2, w3 = s
        w1, w2 = (Omega * x - vy) / r, (vx + Omega * y) / r
        p1, p2, p3 = inertia * w1 - r * l2, inertia * w2 + r * l1, inertia * w3
        # space axes: pi' = w x pi for a Lagrangian of w alone
        d1, d2, d3 = w2 * p3 - w3 * p2, w3 * p1 - w1 * p3, w1 * p2 - w2 * p1
        # I w1' - r l2' = d1 ; I w2' + r l1' = d2 ; w1' = (Omega vx - ay)/r ; w2' = (ax + Omega vy)/r
        # m ax - l1' = Omega l2 ; m ay - l2' = -Omega l1
        # I (Omega vx - ay)/r - r (m ay + Omega l1) = d1 ; I (ax + Omega vy)/r + r (m ax - Omega l2) = d2
        total = inertia / r + m * r
        ay = (inertia * Omega * vx / r - r * Omega * l1 - d1) / total
        ax = (d2 - inertia * Omega * vy / r + r * Omega * l2) / total
        return [vx, vy, ax, ay, m * ax - Omega * l2, m * ay + Omega * l1, d3 / inertia]

    return taylor(rhs, [mpmath.mpf(v) for v in start], mpmath.mpf(until))


def taylor(rhs, y, until, steps=64):
    """Extrapolated midpoint rule (Gragg, Bulirsch, Stoer) in multiple precision."""
    h = until / steps
    for i in range(steps):
        y = extrapolated(rhs, i * h, y, h)
    return y


def extrapolated(rhs, t, y, H, columns=9):
    table = []
    for j in range(columns):
        n = 2 * (j + 1)
        h = H / n
        old, new = y, [a + h * b for a, b in zip(y, rhs(t, y), strict=True)]
        for i in range(1, n):
            f = rhs(t + i * h, new)
            old, new = new, [a + 2 * h * b for a, b in zip(old, f, strict=True)]
        f = rhs(t + H, new)
        row = [[(a + b + h * c) / 2 for a, b, c in zip(new, old, f, strict=True)]]
        for k in range(1, j + 1):
            ratio = mpmath.mpf(j + 1) ** 2 / mpmath.mpf(j + 1 - k) ** 2 - 1
            row.append([a + (a - b) / ratio for a, b in zip(row[k - 1], table[j - 1][k - 1], strict=True)])
        table.append(row)
    return table[-1][-1]


FAMILY = [(lam, 0.0) for lam in (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)] + [(0.0, w3) for w3 in (2.5, 5.0, 7.5, 10.0)]


@pytest.mark.parametrize(("lam1", "w3"), FAMILY)
def test_vakonomic_ball_against_thirty_digits(lam1, w3):
    equations = da.vakonomic(turntable.system())
    given = {**turntable.START, "w3": w3, "lam_roll_x": lam1, "lam_roll_y": 0.0}
    path = da.simulate(equations, given, until=1.0)
    start = [10.0, 0.0, 0.0, 5.0, lam1, 0.0, w3]
    with mpmath.workdps(30):
        exact = [float(v) for v in vakonomic_reference(start, path.provenance["parameters"], 1.0)]
    got = [path.at(1.0)[n] for n in ("x", "y", "vx", "vy", "lam_roll_x", "lam_roll_y", "w3")]
    for group in (slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 7)):
        size = max(1.0, np.abs(exact[group]).max())
        assert np.abs(np.subtract(got[group], exact[group])).max() <= 1e-9 * size
    assert path.ok


# --- events -----------------------------------------------------------------------------------------------------------


def test_ray_crossings_are_found_to_the_last_digits(ball):
    start = ball.start(**turntable.START, w3=0.0)
    path = da.simulate(ball, start, until=60.0, events=[turntable.ray])
    p = path.provenance["parameters"]
    exact = lambda t: turntable.exact(t, [10.0, 0.0, 0.0, 5.0], p)  # noqa: E731
    times = path.marks["ray"].t
    period = 2 * np.pi / (p["I"] * p["Omega"] / (p["I"] + p["m"] * p["r"] ** 2))
    assert len(times) == int(60 / period)
    # the circle closes: y = 0 again at every full period (a start exactly on the ray is not counted)
    np.testing.assert_allclose(times, period * np.arange(1, len(times) + 1), rtol=0, atol=1e-12 * 60)
    assert np.abs(exact(times)[1]).max() < 1e-10
    assert np.all(exact(times)[3] > 0)
    np.testing.assert_allclose(path.marks["ray"]["x"], exact(times)[0], atol=1e-10)


def test_both_directions_and_each(ball):
    events = [
        da.Event("up", turntable.Y, direction=1),
        da.Event("down", turntable.Y, direction=-1),
        da.Event("any", turntable.Y),
    ]
    path = da.simulate(ball, {**turntable.START, "x": 9.0, "y": 0.5, "w3": 0}, until=30.0, events=events)
    up, down, both = (path.marks[n].t for n in ("up", "down", "any"))
    np.testing.assert_array_equal(np.sort(np.r_[up, down]), both)
    assert np.all(path.marks["up"]["vy"] > 0)
    assert np.all(path.marks["down"]["vy"] < 0)
    assert abs(len(up) - len(down)) <= 1


def test_edge_stops_the_run(ball):
    path = da.simulate(ball, {"x": 14.0, "y": 0, "vx": 8, "vy": 1, "w3": 0}, until=30.0, events=[turntable.edge])
    assert path.outcome.startswith("stopped by edge")
    assert path.status == 1
    assert path.success
    assert path.ok
    assert np.hypot(path["x"][-1], path["y"][-1]) == pytest.approx(15.0, abs=1e-12)
    assert path.t[-1] == path.marks["edge"].t[0] < 30
    assert np.all(np.hypot(path["x"], path["y"]) <= 15 + 1e-12)
    with pytest.raises(da.DalembertError, match="E303"):
        path.at(path.t[-1] + 1e-6)


def test_bouncing_ball_against_the_closed_form():
    # dropped from h = 1 with g = 2: first bounce at 1, then flights of 2 e^n
    e = sp.Rational(3, 4)
    bounce = da.Event("floor", X, then={V: -e * V}, direction=-1)
    falling = da.nonholonomic(da.System(da.coordinates("x"), V**2 / 2 - 2 * X, parameters={}))
    path = da.simulate(falling, {"x": 1, "vx": 0}, until=6.0, events=[bounce])
    expected = 1 + 2 * np.cumsum([0, *(0.75**n for n in range(1, 30))])
    expected = expected[expected < 6]
    np.testing.assert_allclose(path.marks["floor"].t, expected, atol=1e-11)
    np.testing.assert_allclose(path.marks["floor"]["vx"], -2 * 0.75 ** np.arange(len(expected)), atol=1e-11)
    assert path.ok
    # between the bounces
    flights = [(t, 2 * 0.75 ** (n + 1)) for n, t in enumerate(expected[:-1])]
    for t, v in flights:
        assert path.at(t + v / 2)["x"] == pytest.approx(v**2 / 4, abs=1e-11)
    after = path.at(path.marks["floor"].t)["vx"]  # at the time of a jump the path has the state after it
    np.testing.assert_allclose(after, 2 * 0.75 ** np.arange(1, len(expected) + 1), atol=1e-11)
    lost = 2 * (1 - 0.75 ** (2 * len(expected)))
    assert path.audit.energy_change == pytest.approx(-lost, abs=1e-11)
    assert any("N130" in str(n) for n in path.audit.notes)


def test_elastic_bounces_for_ever():
    path = da.simulate(one(-2), {"x": 1, "vx": 0}, until=200.0, events=[da.Event("floor", X, {V: -V}, -1)])
    np.testing.assert_allclose(path.marks["floor"].t, np.arange(1, 200, 2), atol=1e-10)
    assert path.at(200.0)["x"] == pytest.approx(1.0, abs=1e-10)
    assert path.ok


def test_bouncing_pendulum_keeps_its_constraint():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - y, {"rod": x**2 + y**2 - 1}, parameters={}))
    wall = da.Event("wall", x, then={vx: -vx, vy: -vy}, direction=-1)
    path = da.simulate(equations, {"x": 0.6, "y": -0.8, "vx": 0}, until=20.0, events=[wall])
    assert path.ok
    assert path["x"].min() > -1e-12
    quarter = float(mpmath.ellipk((1 - 0.8) / 2))  # a quarter of the period, sin^2(amplitude/2)
    np.testing.assert_allclose(
        path.marks["wall"].t, quarter * np.arange(1, 2 * len(path.marks["wall"].t), 2), atol=1e-9
    )


def test_time_as_guard_and_jump_in_a_constraint_consistent_way():
    t = sp.Symbol("t")
    path = da.simulate(one(), {"x": 0, "vx": 1}, until=3.0, events=[da.Event("kick", t - 1.25, then={V: V + 2})])
    assert path.at(3.0)["x"] == pytest.approx(1.25 + 3 * 1.75, abs=1e-12)
    assert path.marks["kick"].t == pytest.approx([1.25], abs=1e-14)


# --- stiff ------------------------------------------------------------------------------------------------------------


def test_viscous_rolling_against_the_matrix_exponential():
    # a wheel that slips a little: F = -k (v - r w), k = 1e5, and a pull
    q = da.coordinates("x a")
    _, _, vx, va = q
    k, r = sp.symbols("k r", positive=True)
    slip = vx - r * va
    law = [da.forces.viscous_friction([slip], k), {vx: sp.Integer(1)}]
    system = da.System(q, vx**2 / 2 + va**2 / 4, {}, law, {"k": 1e5, "r": 0.7})
    path = da.simulate(
        da.nonholonomic(system), {"x": 0, "a": 0, "vx": 1, "va": 0}, until=2.0, method="radau", rtol=1e-10
    )
    W, n = np.diag([1, 0.5]), np.array([1, -0.7])
    A = np.zeros((5, 5))
    A[:2, 2:4] = np.eye(2)
    A[2:4, 2:4] = -1e5 * np.linalg.solve(W, np.outer(n, n))
    A[2, 4] = 1
    for t in (1e-5, 1e-3, 0.5, 2.0):
        exact = expm(A * t) @ [0, 0, 1, 0, 1]
        at = path.at(t)
        np.testing.assert_allclose([at[s] for s in ("x", "a", "vx", "va")], exact[:4], atol=2e-8)
    assert path.ok, path.audit.reasons
    assert path.audit.steps < 2000


def test_stiff_method_with_constraints_agrees_with_the_explicit_one(ball):
    times = np.linspace(0, 5, 21)
    one_, two = (da.simulate(ball, START, until=5.0, method=m, rtol=1e-9) for m in ("dop853", "radau"))
    for name in ("x", "y", "vx", "vy", "w1", "lam_roll_x"):
        np.testing.assert_allclose(two.at(times)[name], one_.at(times)[name], atol=1e-5)
    assert two.audit.constraint_residual < 1e-10


# --- stabilisation ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sleigh():
    q = da.coordinates("x y theta", velocities="vx vy omega")
    x, y, theta, vx, vy, omega = q
    s, c, a = sp.sin(theta), sp.cos(theta), sp.Rational(3, 10)
    L = ((vx - a * omega * s) ** 2 + (vy + a * omega * c) ** 2) / 2 + omega**2 / 4 - (x**2 + y**2) / 2
    return da.nonholonomic(da.System(q, L, {"blade": -vx * s + vy * c}, parameters={}))


SKATE = {"x": 0, "y": 0.3, "theta": 0.4, "vx": 1.0, "omega": 1.2}


def test_projection_keeps_what_drift_loses(sleigh):
    options = {"until": 200.0, "rtol": 1e-8}
    kept = da.simulate(sleigh, SKATE, **options)
    lost = da.simulate(sleigh, SKATE, stabilisation=da.methods.Drift(), **options)
    assert kept.audit.constraint_residual < 1e-13
    assert lost.audit.constraint_residual > 100 * kept.audit.constraint_residual
    assert kept.audit.constraints.keys() == {"blade"}


def test_default_is_projection(sleigh):
    default = da.simulate(sleigh, SKATE, until=5.0)
    explicit = da.simulate(sleigh, SKATE, until=5.0, stabilisation=da.methods.Projection())
    np.testing.assert_array_equal(default.values, explicit.values)


def test_baumgarte_lets_a_residual_decay():
    # phi' = -rate phi from a start that is off by less than its tolerance
    q = da.coordinates("x y")
    x, y, vx, vy = q
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - x - y, {"c": vx - y * vy}, parameters={}))
    start = {"x": 0, "y": 1.0, "vx": 0.5 * (1 + 5e-10), "vy": 0.5}
    times = np.linspace(0, 2, 9)
    for rate in (1.0, 4.0):
        path = da.simulate(
            equations, start, until=2.0, rtol=1e-13, atol=1e-16, max_step=0.02, stabilisation=da.methods.Baumgarte(rate)
        )
        at = path.at(times)
        phi = at["vx"] - at["y"] * at["vy"]
        np.testing.assert_allclose(phi, phi[0] * np.exp(-rate * times), atol=2e-13)
    path = da.simulate(
        equations, start, until=2.0, rtol=1e-13, atol=1e-16, max_step=0.02, stabilisation=da.methods.Drift()
    )
    at = path.at(times)
    np.testing.assert_allclose(at["vx"] - at["y"] * at["vy"], 2.5e-10, atol=2e-13)
    path = da.simulate(equations, start, until=2.0)
    at = path.at(times[1:])
    np.testing.assert_allclose(at["vx"] - at["y"] * at["vy"], 0, atol=1e-14)


@pytest.mark.parametrize("policy", [da.methods.Projection(), da.methods.Baumgarte(2.0), da.methods.Drift()], ids=repr)
def test_all_policies_agree_on_the_motion(sleigh, policy):
    reference = da.simulate(sleigh, SKATE, until=5.0)
    path = da.simulate(sleigh, SKATE, until=5.0, stabilisation=policy)
    for name in ("x", "y", "theta", "omega"):
        assert path.at(5.0)[name] == pytest.approx(reference.at(5.0)[name], abs=1e-9)


def test_holonomic_positions_are_projected_too():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - 10 * y, {"rod": x**2 + y**2 - 1}, parameters={}))
    path = da.simulate(equations, {"x": 0.6, "y": -0.8, "vx": 4}, until=200.0)
    times = np.random.default_rng(2).uniform(0, 200, 5000)
    at = path.at(times)
    assert np.abs(at["x"] ** 2 + at["y"] ** 2 - 1).max() < 1e-12
    assert np.abs(at["x"] * at["vx"] + at["y"] * at["vy"]).max() < 1e-12
    assert path.ok


# --- samples, options, names ------------------------------------------------------------------------------------------


def test_samples(sleigh):
    times = np.linspace(0, 5, 11)
    path = da.simulate(sleigh, SKATE, until=5.0, samples=times)
    np.testing.assert_array_equal(path.t, times)
    full = da.simulate(sleigh, SKATE, until=5.0)
    np.testing.assert_allclose(path["x"], full.at(times)["x"], atol=1e-14)
    inner = da.simulate(sleigh, SKATE, until=5.0, samples=[1.0, 2.5])
    assert inner.t.tolist() == [1.0, 2.5]
    assert inner.at(0.0)["vx"] == 1.0  # the path knows more than its samples
    assert inner.ok


@pytest.mark.parametrize("samples", [None, np.linspace(0, 5, 11), np.array([1.0, 2.5])], ids=["steps", "all", "inner"])
def test_without_dense_output(sleigh, samples):
    path = da.simulate(sleigh, SKATE, until=5.0, samples=samples, dense=False)
    full = da.simulate(sleigh, SKATE, until=5.0, samples=samples)
    np.testing.assert_allclose(path.t, full.t, atol=1e-14)
    np.testing.assert_allclose(path.values, full.values, atol=1e-12)
    assert path.ok
    assert path.audit.constraint_residual < 1e-12
    with pytest.raises(da.DalembertError, match="E303"):
        path.at(3.3)


def test_samples_beyond_a_stop_are_left_out(sleigh):
    times = np.linspace(0, 5, 11)
    stop = da.Event("wall", sleigh.space["theta"] - 1, "stop", 1)
    path = da.simulate(sleigh, SKATE, until=5.0, samples=times, events=[stop])
    assert path.t[-1] <= path.marks["wall"].t[0] < 5


def test_parameters_override_completes_the_start_anew(ball):
    start = ball.start(**START)
    path = da.simulate(ball, start, until=1.0, parameters={"Omega": 1.0, "r": 2.0})
    assert path.provenance["parameters"]["Omega"] == 1.0
    assert path["w2"][0] == pytest.approx((START["vx"] + 1.0 * START["y"]) / 2.0)
    assert path["w1"][0] == pytest.approx((1.0 * START["x"] - START["vy"]) / 2.0)
    assert start["w1"] != path["w1"][0]
    assert path.ok
    fresh = da.simulate(
        da.nonholonomic(ball.system.changed(parameters={**ball.system.parameters, "Omega": 1.0, "r": 2.0})),
        START,
        until=1.0,
    )
    np.testing.assert_allclose(path.at(1.0)["x"], fresh.at(1.0)["x"], rtol=1e-14)


def test_start_at_another_time():
    t = sp.Symbol("t")
    q = da.coordinates("x")
    x, v = q
    equations = da.nonholonomic(da.System(q, v**2 / 2, {}, {v: sp.cos(t)}, {}))
    path = da.simulate(equations, equations.start(t=2.0, x=0, vx=0), until=5.0)
    assert path.t[0] == 2.0
    assert path.at(5.0)["vx"] == pytest.approx(np.sin(5) - np.sin(2), abs=1e-12)
    assert da.simulate(equations, {"x": 0, "vx": 0, "t": 2.0}, until=5.0).at(5.0)["x"] == path.at(5.0)["x"]
    assert x in q


def test_names_of_scipy(ball):
    path = da.simulate(ball, START, until=2.0, events=[turntable.ray, da.Event("far", turntable.X - 1000)])
    n = len(ball.states)
    assert path.y.shape == (n, len(path.t))
    assert path.sol(1.0).shape == (n,)
    assert path.sol([0.5, 1.0]).shape == (n, 2)
    np.testing.assert_array_equal(path.sol(path.t)[0], path["x"])
    assert [len(t) for t in path.t_events] == [len(path.marks["ray"]), 0]
    assert path.y_events[1].shape == (0, n)
    assert (path.success, path.status) == (True, 0)
    assert path.message == path.outcome == "reached t = 2"
    assert path.nfev > 0


def test_slices_are_paths(ball):
    path = da.simulate(ball, START, until=2.0)
    part = path[2:5]
    assert isinstance(part, da.nouns.Trajectory)
    np.testing.assert_array_equal(part.t, path.t[2:5])
    np.testing.assert_array_equal(part["x"], path["x"][2:5])
    assert len(path[::2]) == (len(path) + 1) // 2
    assert path[turntable.X] is not None
    np.testing.assert_array_equal(path[turntable.X], path["x"])
    assert list(path) == list(path.names)
    assert len(str(path[:0] if len(path[:0]) else path).splitlines()) > 3


def test_outside_is_refused(ball):
    path = da.simulate(ball, START, until=2.0)
    for t in (-1e-9, 2.0 + 1e-9, math.nan, inf, [0.5, 3.0]):
        with pytest.raises(da.DalembertError, match="E303"):
            path.at(t)
    assert set(path.at(0.7)) == set(path.names)
    assert path.at([0.7, 0.2])["x"].shape == (2,)
    assert path.at([])["x"].shape == (0,)


def test_saved_and_loaded(ball, tmp_path):
    path = da.simulate(ball, START, until=10.0, events=[turntable.ray], samples=np.linspace(0, 10, 21))
    file = tmp_path / "path.npz"
    path.save(file)
    again = da.load(file)
    assert list(tmp_path.iterdir()) == [file]
    np.testing.assert_array_equal(again.t, path.t)
    np.testing.assert_array_equal(again.values, path.values)
    assert again.names == path.names
    assert again.audit == path.audit
    assert (again.ok, again.outcome, again.reached) == (path.ok, path.outcome, path.reached)
    assert again.provenance["parameters"] == path.provenance["parameters"]
    np.testing.assert_array_equal(again.marks["ray"].t, path.marks["ray"].t)
    np.testing.assert_array_equal(again.marks["ray"]["x"], path.marks["ray"]["x"])
    for t in (0.0, 3.217, 10.0):
        assert again.at(t)["x"] == pytest.approx(path.at(t)["x"], abs=1e-13)
        assert again.at(t)["w1"] == pytest.approx(path.at(t)["w1"], abs=1e-12)
    np.testing.assert_allclose(again.sol([1.0, 2.0]), path.sol([1.0, 2.0]), atol=1e-12)
    again.save(tmp_path / "again.npz")
    np.testing.assert_array_equal(da.load(tmp_path / "again.npz").sol(1.0), again.sol(1.0))


@pytest.mark.parametrize("kind", ["dense=False", "failed", "one point"])
def test_every_kind_of_path_is_saved(sleigh, tmp_path, kind):
    if kind == "dense=False":
        path = da.simulate(sleigh, SKATE, until=2.0, samples=[0.5, 1.0], dense=False)
    elif kind == "failed":
        path = da.simulate(one(V**2), {"x": 0, "vx": 1}, until=2.0)
    else:
        path = da.simulate(sleigh, SKATE, until=0.0)
    path.save(tmp_path / "p.npz")
    again = da.load(tmp_path / "p.npz")
    assert (again.ok, again.status, again.message) == (path.ok, path.status, path.message)
    np.testing.assert_array_equal(again.values, path.values)


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "text"])
def test_damaged_files_are_refused(ball, tmp_path, damage):
    file = tmp_path / "path.npz"
    da.simulate(ball, START, until=1.0).save(file)
    data = bytearray(file.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 0xFF
    file.write_bytes({"cut": data[: len(data) // 2], "emptied": b"", "text": b"hello"}.get(damage, bytes(data)))
    with pytest.raises(da.DalembertError, match="^E523 " if damage in ("cut", "flipped") else "^E520 "):
        da.load(file)


def test_no_single_damaged_byte_passes_unseen(ball, tmp_path):
    file = tmp_path / "path.npz"
    path = da.simulate(ball, START, until=0.2)
    path.save(file)
    data = file.read_bytes()
    rng = np.random.default_rng(3)
    for i in rng.integers(0, len(data), 150):
        file.write_bytes(data[:i] + bytes([data[i] ^ int(rng.integers(1, 256))]) + data[i + 1 :])
        try:
            again = da.load(file)
        except da.DalembertError as error:
            assert error.code in ("E520", "E522", "E523", "E524", "E525")
        else:
            np.testing.assert_array_equal(again.values, path.values)
            assert again.audit == path.audit


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        da.load(tmp_path / "none.npz")


def test_runs_are_reproducible(ball):
    first, second = (da.simulate(ball, START, until=20.0) for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)
    again = da.simulate(da.nonholonomic(turntable.system()), START, until=20.0)
    np.testing.assert_array_equal(first.values, again.values)


def test_max_step(sleigh):
    path = da.simulate(sleigh, SKATE, until=2.0, max_step=0.01)
    assert np.diff(path.t).max() <= 0.01 * (1 + 1e-12)


# --- what must never be called ok ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("force", "start", "code", "where"),
    [
        (sp.sqrt(1 - X), {"x": 0, "vx": 1}, "E402", None),
        (sp.log(2 - X), {"x": 0, "vx": 3}, "E402", None),
        (sp.acos(X), {"x": 0, "vx": 1}, "E402", None),
        (V**2, {"x": 0, "vx": 1}, "E40", 1.0),
        (2 * X**3, {"x": 1, "vx": 1}, "E40", 1.0),
        (6 * X**2, {"x": 1, "vx": 2}, "E40", 1.0),
        (2 / (1 - X) ** 3, {"x": 0, "vx": 5}, "E40", None),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_not_finite_is_never_ok(force, start, code, where, method):
    path = da.simulate(one(force), start, until=5.0, method=method, rtol=1e-9)
    assert not path.ok
    assert not path.success
    assert path.status == -1
    assert path.message.startswith(code), path.message
    assert path.audit.reasons[0] == path.message
    assert np.isfinite(path.values).all()
    assert np.isfinite(list(path.at(path.t[-1]).values())).all()
    if where is not None:
        assert path.t[-1] == pytest.approx(where, abs=1e-2)


def test_rank_lost_on_the_way():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    equations = da.nonholonomic(
        da.System(q, (vx**2 + vy**2) / 2 - y**2, {"c": (1 - x) * vy + (1 - x) ** 2 * vx}, {}, {})
    )
    path = da.simulate(equations, {"x": 0, "y": 0, "vx": 1}, until=5.0)
    assert path.message.startswith("E404")
    assert not path.ok
    assert path.audit.margin < 1e-8
    assert np.isfinite(path.values).all()


def test_budget_keeps_the_part_that_was_computed(ball):
    path = da.simulate(ball, START, until=1000.0, max_steps=50)
    assert path.message.startswith("E313")
    assert not path.ok
    assert 0 < path.t[-1] < 1000
    assert max(error_of(path, np.linspace(0, path.t[-1], 50))) < 1e-11
    resumed = da.simulate(ball, ball.start(t=path.t[-1], **{n: path[n][-1] for n in ball.states}), until=20.0)
    assert max(error_of(resumed, np.linspace(resumed.t[0], 20, 50))) < 1e-10


def test_equations_that_nobody_holds_are_freed_with_their_code():
    def run():
        equations = da.nonholonomic(penny.system())
        da.simulate(equations, penny.START, until=0.5)
        return weakref.ref(equations)

    made = [run() for _ in range(2)]
    gc.collect()
    assert [ref() for ref in made] == [None] * 2
