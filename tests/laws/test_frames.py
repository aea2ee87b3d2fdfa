"""The same motion, whatever the frame and the chart."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

m, J, a = sp.symbols("m J a", positive=True)
P = {"m": 1.3, "J": 0.5, "a": 0.3}
TIMES = np.linspace(0, 5, 51)


def sleigh_in(frame):
    """(equations, start) of the sleigh in the moving frame of SE(2), body or space."""
    s = da.SE2("x y theta", velocities="v1 v2 omega", frame=frame)
    x, y, theta, _, _, omega = s
    rates = s.rates
    vx, vy, c, sn = rates[x], rates[y], sp.cos(theta), sp.sin(theta)
    L = m / 2 * ((vx - a * omega * sn) ** 2 + (vy + a * omega * c) ** 2) + J / 2 * omega**2
    return da.nonholonomic(da.System(s, L, {"blade": -vx * sn + vy * c}, parameters=P))


@pytest.mark.parametrize("frame", ["body", "space"])
def test_sleigh(zoo, frame):
    plain = da.simulate(zoo.equations("sleigh"), {"x": 0.2, "y": -0.1, "theta": 0.4, "vx": 1, "omega": 0.7}, until=5.0)
    equations = sleigh_in(frame)
    v, h = 1 / np.cos(0.4), 0.4
    start = {"x": 0.2, "y": -0.1, "theta": h, "omega": 0.7}
    if frame == "body":
        start["v1"] = v
    else:
        start["v1"], start["v2"] = v * np.cos(h) + 0.7 * -0.1, v * np.sin(h) - 0.7 * 0.2
    moving = da.simulate(equations, start, until=5.0)
    one, two = plain.at(TIMES), moving.at(TIMES)
    for column in ("x", "y", "theta", "omega", "lam_blade", "energy"):
        np.testing.assert_allclose(two[column], one[column], atol=1e-9)
    assert plain.ok
    assert moving.ok


@pytest.mark.parametrize("frame", ["body", "space"])
def test_sleigh_vakonomic(zoo, frame):
    start = {"x": 0.2, "y": -0.1, "theta": 0.4, "omega": 0.7, "lam_blade": 0.3}
    v, h = 1 / np.cos(0.4), 0.4
    plain = da.simulate(zoo.equations("sleigh", da.vakonomic), {**start, "vx": 1}, until=2.0)
    equations = da.vakonomic(sleigh_in(frame).system)
    given = {"v1": v} if frame == "body" else {"v1": v * np.cos(h) - 0.07, "v2": v * np.sin(h) - 0.14}
    moving = da.simulate(equations, {**start, **given}, until=2.0)
    one, two = plain.at(TIMES[TIMES <= 2]), moving.at(TIMES[TIMES <= 2])
    for column in ("x", "y", "theta", "omega", "lam_blade"):
        np.testing.assert_allclose(two[column], one[column], atol=1e-9)


A, B, C, K = 1.0, 1.6, 0.9, 1.4
CENTRE = sp.Matrix([sp.Rational(1, 5), sp.Rational(-1, 3), 1])


def lagrangian(R, w_body):
    """A heavy body with three moments of inertia."""
    return (A * w_body[0] ** 2 + B * w_body[1] ** 2 + C * w_body[2] ** 2) / 2 - K * (R * CENTRE)[2]


def body(frame, attitude):
    s = da.rotation("R", frame=frame, attitude=attitude)
    w = sp.Matrix(s.velocities)
    return da.nonholonomic(da.System(s, lagrangian(s.R, w if frame == "body" else s.R.T * w)))


def euler():
    """The body by zyz Euler angles, its angular velocity from R^T Rdot."""
    s = da.coordinates("phi theta psi")
    phi, theta, psi = s.coordinates
    about_z = lambda b: sp.Matrix([[sp.cos(b), -sp.sin(b), 0], [sp.sin(b), sp.cos(b), 0], [0, 0, 1]])  # noqa: E731
    about_y = sp.Matrix([[sp.cos(theta), 0, sp.sin(theta)], [0, 1, 0], [-sp.sin(theta), 0, sp.cos(theta)]])
    R = about_z(phi) * about_y * about_z(psi)
    Rdot = sum((R.diff(q) * u for q, u in zip(s.coordinates, s.velocities, strict=True)), sp.zeros(3))
    hat = R.T * Rdot
    w = sp.Matrix([hat[2, 1], hat[0, 2], hat[1, 0]])
    return da.nonholonomic(da.System(s, lagrangian(R, w))), R, w


ANGLES = {"phi": 0.3, "theta": 1.1, "psi": -0.5, "vphi": 0.4, "vtheta": 0.2, "vpsi": 3.0}


@pytest.fixture(scope="module")
def reference():
    """R(t) (len, 3, 3), energy, and the start as R and body angular velocity, by Euler angles."""
    equations, R, w = euler()
    path = da.simulate(equations, ANGLES, until=5.0)
    assert path.ok
    values = path.at(TIMES)
    of = sp.lambdify(equations.space.coordinates, R.tolist(), "numpy")
    matrices = np.array([of(*q) for q in zip(values["phi"], values["theta"], values["psi"], strict=True)], float)
    assert np.abs(np.sin(values["theta"])).min() > 0.05  # away from the chart's singularity
    return matrices, values["energy"], np.array(w.subs({equations.space[k]: v for k, v in ANGLES.items()}), float)[:, 0]


@pytest.mark.parametrize("attitude", ["quaternion", "matrix"])
@pytest.mark.parametrize("frame", ["body", "space"])
def test_rigid_body(reference, frame, attitude):
    matrices, energy, w = reference
    R0 = matrices[0]
    equations = body(frame, attitude)
    spin = w if frame == "body" else R0 @ w
    start = equations.start(R=R0, **dict(zip(("w1", "w2", "w3"), spin, strict=True)))
    path = da.simulate(equations, start, until=5.0)
    values = path.at(TIMES)
    R = sp.lambdify(equations.space.coordinates, sp.Matrix(equations.space.R).tolist(), "numpy")
    got = np.array([R(*row) for row in zip(*(values[q.name] for q in equations.space.coordinates), strict=True)], float)
    np.testing.assert_allclose(got, matrices, atol=1e-9)
    np.testing.assert_allclose(values["energy"], energy, atol=1e-9)
    np.testing.assert_allclose(got @ np.swapaxes(got, 1, 2), np.broadcast_to(np.eye(3), got.shape), atol=1e-12)
    assert path.ok


def test_vehicle_in_plain_coordinates(zoo, states):
    # the same car, velocities being those of the coordinates
    moving = zoo.equations("vehicle")
    s = da.coordinates("x y theta delta", velocities="vx vy omega vdelta")
    x, y, theta, _, vx, vy, _, _ = s
    v1, v2 = vx * sp.cos(theta) + vy * sp.sin(theta), -vx * sp.sin(theta) + vy * sp.cos(theta)
    given = {moving.space["v1"]: v1, moving.space["v2"]: v2}
    system = moving.system
    c, F = sp.symbols("c F", positive=True)
    drive = da.forces.applied([v1], [F - c * v1])
    plain = da.nonholonomic(
        da.System(
            s,
            system.lagrangian.subs(given),
            {r.name: r.given.subs(given) for r in system.constraints},
            forces=[drive, {"vdelta": -c * s["vdelta"]}],
            parameters=dict(system.parameters),
        )
    )
    for start in states(moving, 3, seed=20):
        first = moving.evaluate(start)
        h, om = start["theta"], start["omega"]
        vels = np.array([[np.cos(h), -np.sin(h)], [np.sin(h), np.cos(h)]]) @ [start["v1"], start["v2"]]
        state = {k: start[k] for k in ("x", "y", "theta", "delta", "omega", "vdelta")}
        second = plain.evaluate({**state, "vx": vels[0], "vy": vels[1]})
        got, acc = second["accelerations"], first["accelerations"]
        # d/dt of (vx, vy) = R (v1, v2):  R (v1' - om v2, v2' + om v1)
        expected = np.array([[np.cos(h), -np.sin(h)], [np.sin(h), np.cos(h)]]) @ [
            acc["v1"] - om * start["v2"],
            acc["v2"] + om * start["v1"],
        ]
        np.testing.assert_allclose([got["vx"], got["vy"]], expected, atol=1e-11)
        np.testing.assert_allclose([got["omega"], got["vdelta"]], [acc["omega"], acc["vdelta"]], atol=1e-11)
        assert second["multipliers"] == pytest.approx(first["multipliers"], abs=1e-11)
    assert (x, y) == s.coordinates[:2]


def test_gyroscope_is_the_symmetric_body(zoo):
    # the axis on the sphere moves as the axis of a whole body does
    s = da.rotation("R", frame="space")
    w = sp.Matrix(s.velocities)
    z = s.R[:, 2]
    Aa, Cc, k, spin = sp.symbols("A C k spin", positive=True)
    L = Aa * w.dot(w) / 2 + (Cc - Aa) / 2 * w.dot(z) ** 2 - k * z[2]
    whole = da.nonholonomic(
        da.System(s, L, {"spin": w.dot(z) - spin * (1 + z[0] / 3)}, parameters=dict(zoo["gyroscope"].parameters))
    )
    axis = zoo.equations("gyroscope")
    R = np.array([[1, 0, 0], [0, np.cos(0.7), -np.sin(0.7)], [0, np.sin(0.7), np.cos(0.7)]])
    start = {"w1": 0.3, "w2": 0.5}
    one = da.simulate(whole, whole.start(R=R, **start), until=5.0)
    two = da.simulate(axis, axis.start(**dict(zip(("z1", "z2", "z3"), R[:, 2], strict=True)), **start), until=5.0)
    of = sp.lambdify(s.coordinates, list(z), "numpy")
    first, second = one.at(TIMES), two.at(TIMES)
    np.testing.assert_allclose(
        of(*(first[q.name] for q in s.coordinates)), [second[f"z{i}"] for i in (1, 2, 3)], atol=1e-9
    )
    for column in ("w1", "w2", "w3", "lam_spin", "energy"):
        np.testing.assert_allclose(first[column], second[column], atol=1e-8)
