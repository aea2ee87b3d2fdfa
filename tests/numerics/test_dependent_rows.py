"""Rows that depend on each other, and rows that nearly do: motions that are determined go on, against closed laws."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dalembert as da
from dalembert.numerics.run.audit import CONSTRAINT_LIMIT
from dalembert.numerics.vector_field.field import residuals

pytestmark = pytest.mark.filterwarnings("ignore:.*W113")


# --- Bennett's linkage: six rows of rank 3, of which each choice of three loses it somewhere --------------------------


def bennett(alpha, beta):
    """Four hinges, their closure in six rows, and the law of its second angle: tan(q1/2) tan(q2/2) = k."""
    q = da.coordinates("q1 q2 q3 q4")
    angles, u = q.coordinates, q.velocities
    a = np.sin(alpha) / np.sin(beta)

    def link(angle, length, twist):
        c, s, ct, st = sp.cos(angle), sp.sin(angle), sp.Float(np.cos(twist)), sp.Float(np.sin(twist))
        return sp.Matrix([[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0]]).col_join(
            sp.Matrix([[0, 0, 0, 1]])
        )

    ahead = link(angles[0], a, alpha) * link(angles[1], 1.0, beta)
    back = link(angles[2], a, alpha) * link(angles[3], 1.0, beta)
    turn = back[:3, :3].T
    closure = ahead[:3, :] - sp.Matrix.hstack(turn, -turn * back[:3, 3])
    rows = {f"c{i}{j}": closure[i, j] for i, j in [(0, 3), (1, 3), (2, 3), (0, 1), (0, 2), (1, 2)]}
    J = (0.3, 0.2, 0.25, 0.4)
    L = sum(J[i] / 2 * u[i] ** 2 for i in range(4)) - 2 * sp.sin(angles[0]) - sp.cos(angles[1])
    return da.System(q, L, rows), np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)


def bennett_alone(k, until):
    """q1(until) from 1 at the rate 1, of one equation: q2 = f(q1), q3 = -q1, q4 = -q2."""
    h = sp.Symbol("h")
    f, f1, f2 = (sp.lambdify(h, sp.diff(2 * sp.atan2(k * sp.cos(h / 2), sp.sin(h / 2)), h, n)) for n in range(3))

    def rates(_t, z):
        forces = -2 * np.cos(z[0]) + np.sin(f(z[0])) * f1(z[0]) - 0.6 * f1(z[0]) * f2(z[0]) * z[1] ** 2
        return [z[1], forces / (0.55 + 0.6 * f1(z[0]) ** 2)]

    return f, solve_ivp(rates, [0, until], [1.0, 1.0], rtol=1e-12, atol=1e-12).y[0, -1]


@pytest.mark.parametrize("twists", [(30, 70), (20, 80), (40, 60), (50, 110), (25, 100)], ids=str)
def test_bennetts_linkage_keeps_its_law(twists):
    system, k = bennett(*np.radians(twists))
    f, last = bennett_alone(k, 3.0)
    equations = da.nonholonomic(system)
    q2 = float(f(1.0))
    path = da.simulate(equations, equations.start(q1=1.0, q2=q2, q3=-1.0, q4=-q2, vq1=1.0), until=3.0)
    assert path.ok, path.audit.reasons
    assert np.tan(path["q1"] / 2) * np.tan(path["q2"] / 2) == pytest.approx(k, rel=1e-9)
    assert path["q3"] == pytest.approx(-path["q1"], abs=1e-10)
    assert path["q1"][-1] == pytest.approx(last, abs=1e-9)
    assert path.audit.constraint_residual < 1e-11  # of all six rows


@pytest.mark.parametrize("form", ["maggi", "gibbs_appell"])
def test_other_forms_choose_their_rows_anew_too(form):
    system, k = bennett(*np.radians((30, 70)))
    f, last = bennett_alone(k, 3.0)
    equations, q2 = getattr(da.forms, form)(system), float(f(1.0))
    path = da.simulate(equations, {"q1": 1.0, "q2": q2, "q3": -1.0, "q4": -q2, "vq1": 1.0}, until=3.0)
    assert path.ok, path.audit.reasons
    assert path["q1"][-1] == pytest.approx(last, abs=1e-9)


# --- a pendulum whose row is written twice, each time with a factor that vanishes -------------------------------------


@pytest.mark.parametrize("options", [{}, {"method": "radau", "rtol": 1e-9}, {"method": "taylor"}], ids=str)
def test_rows_that_take_turns_to_vanish_hold_together(options):
    q = da.coordinates("x y")
    L, start = "(dot(x)^2 + dot(y)^2)/2 - 9.81*y", {"x": 0.6, "y": -0.8, "vx": 0, "vy": 0}
    rows = {"a": "x*(x^2 + y^2 - 1)", "b": "y*(x^2 + y^2 - 1)"}
    path = da.simulate(da.nonholonomic(da.System(q, L, rows)), start, until=3, **options)
    swing = solve_ivp(
        lambda _t, z: [z[1], -9.81 * np.sin(z[0])], [0, 3], [np.arctan2(0.6, 0.8), 0], rtol=1e-12, atol=1e-13
    )
    assert path.ok, path.audit.reasons
    assert path["x"][-1] == pytest.approx(np.sin(swing.y[0, -1]), abs=1e-7 if "rtol" in options else 1e-9)


# --- four-bars side by side in natural coordinates: their branches cross where they are flat, nowhere else ------------


def four_bars(N):
    """N + 1 rockers of length 1 at a distance of 1, coupled at their ends; all bars of mass 1."""
    q = da.coordinates(" ".join(f"x{i} y{i}" for i in range(N + 1)))
    (X, Y), (U, V) = ((s[::2], s[1::2]) for s in (q.coordinates, q.velocities))
    rows, L = {}, sp.S.Zero
    for i in range(N + 1):
        rows[f"r{i}"] = (X[i] - i) ** 2 + Y[i] ** 2 - 1
        L += (U[i] ** 2 + V[i] ** 2) / 6 - 9.81 * Y[i] / 2
    for i in range(N):
        rows[f"c{i}"] = (X[i + 1] - X[i]) ** 2 + (Y[i + 1] - Y[i]) ** 2 - 1
        L += sum(w[i] ** 2 + w[i] * w[i + 1] + w[i + 1] ** 2 for w in (U, V)) / 6 - 9.81 * (Y[i] + Y[i + 1]) / 2
    return da.nonholonomic(da.System(q, L, rows))


def angle(N, first, rate, until):
    """phi(t) of all rockers together: ((N + 1)/3 + N) phi'' = -g ((N + 1)/2 + N) cos(phi)."""
    pull = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    return solve_ivp(
        lambda _t, z: [z[1], -pull * np.cos(z[0])], [0, until], [first, rate], rtol=1e-12, atol=1e-13, dense_output=True
    ).sol


def begun(N, phi, rate):
    places = ((f"x{i}", i + np.cos(phi)) for i in range(N + 1))
    rates = (((f"vx{i}", -rate * np.sin(phi)), (f"vy{i}", rate * np.cos(phi))) for i in range(N + 1))
    return dict([*places, *((f"y{i}", np.sin(phi)) for i in range(N + 1)), *(pair for each in rates for pair in each)])


@pytest.mark.parametrize("N", [2, 4, 8])
def test_four_bars_swing_to_within_a_degree_of_their_singular_place(N):
    first = np.radians(-1.0)  # 1 degree below the flat position, from where they swing to 1 degree below the other one
    path = da.simulate(four_bars(N), begun(N, first, 0.0), until=6.0)
    phi = angle(N, first, 0.0, 6.0)(path.t)[0]
    assert path.ok, path.audit.reasons
    assert path["y0"] == pytest.approx(np.sin(phi), abs=2e-9)
    assert path[f"x{N}"] - N == pytest.approx(np.cos(phi), abs=2e-9)
    assert path.audit.work_balance < 1e-9 * path.audit.energy_scale


@pytest.mark.parametrize("N", [1, 2, 4, 8, 16])
def test_four_bars_pass_their_singular_place(N):
    path = da.simulate(four_bars(N), begun(N, np.pi / 2, -1.0), until=10.0)
    phi = angle(N, np.pi / 2, -1.0, 10.0)(path.t)[0]
    assert path.ok, path.audit.reasons
    assert len(path.branches) == int(np.abs(np.diff(np.floor(phi / np.pi))).sum())  # flat at each multiple of pi
    near = 1e-8 if N < 16 else 1e-6  # upright, where they begin, they are unstable
    for i in range(N + 1):
        assert path[f"x{i}"] - i == pytest.approx(np.cos(phi), abs=near)
        assert path[f"y{i}"] == pytest.approx(np.sin(phi), abs=near)
    assert path.audit.work_balance < 1e-9 * path.audit.energy_scale


# --- Bricard's linkage: six rows of rank 4, some of which vanish where it begins --------------------------------------


def bricard():
    """Five rods of length and mass 1 along the edges of a cube, hinged across both neighbours, gravity along -y."""
    q = da.coordinates("a b c d e")
    angles = q.coordinates

    def turn(axis, angle):
        k, (c, s) = "xyz".index(axis), (sp.cos(angle), sp.sin(angle))
        i, j = (k + 1) % 3, (k + 2) % 3
        M = sp.eye(3)
        M[i, i], M[i, j], M[j, i], M[j, j] = c, -s, s, c
        return M

    def chain(place, hinges, rods):
        points, frame = [sp.Matrix(place)], sp.eye(3)
        for (axis, angle), rod in zip(hinges, rods, strict=True):
            frame = frame * turn(axis, angle)
            points.append(points[-1] + frame * sp.Matrix(rod))
        return points, frame * sp.Matrix([0, 1, 0])

    ahead, one = chain([0, 0, 0], list(zip("yzx", angles[:3], strict=True)), [[1, 0, 0], [0, -1, 0], [0, 0, 1]])
    back, other = chain([0, 0, 1], list(zip("xz", angles[3:], strict=True)), [[0, -1, 0], [1, 0, 0]])
    L = sp.S.Zero
    for points in (ahead, back):
        speeds = [p.jacobian(list(angles)) * sp.Matrix(q.velocities) for p in points]
        for p, r, v, w in zip(points[:-1], points[1:], speeds[:-1], speeds[1:], strict=True):
            L += (v.dot(v) + v.dot(w) + w.dot(w)) / 6 - 9.81 * (p[1] + r[1]) / 2
    gaps = [*(ahead[-1] - back[-1]), *(one - other)]
    return da.nonholonomic(da.System(q, L, {f"c{i}": gap for i, gap in enumerate(gaps)}))


def test_bricards_linkage_comes_back_to_where_it_began():
    path = da.simulate(bricard(), dict.fromkeys(["a", "b", "c", "d", "e", "va", "vb", "vc", "vd", "ve"], 0), until=10)
    assert path.ok, path.audit.reasons
    assert not path.branches
    assert path.audit.constraint_residual < 1e-11  # of all six rows
    assert np.ptp(path["energy"]) < 1e-10
    period = brentq(lambda t: path.at(t)["va"], 4.5, 5.5, xtol=1e-13)  # at rest again, it came as it goes
    times = np.linspace(0, 2, 21)
    for name in "abcde":
        assert path.at(period - times)[name] == pytest.approx(path.at(times)[name], abs=1e-8)


# --- copies of rows, and rows of any size -----------------------------------------------------------------------------


def linkage(rng):
    """A chain of 2 or 3 rods of random lengths in the plane, its last end on a random line where there are 3."""
    n = int(rng.integers(2, 4))
    q = da.coordinates(" ".join(f"x{i} y{i}" for i in range(n)))
    (X, Y), (U, V) = ((s[::2], s[1::2]) for s in (q.coordinates, q.velocities))
    lengths, angles, masses = rng.uniform(0.5, 1.5, n), rng.uniform(-np.pi, np.pi, n), rng.uniform(0.5, 2.0, n)
    ends = np.cumsum(lengths[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1), axis=0)
    before = [(0, 0), *zip(X, Y, strict=True)]
    rows = [(x - a) ** 2 + (y - b) ** 2 - d**2 for x, y, (a, b), d in zip(X, Y, before, lengths, strict=False)]
    if n == 3:
        slope = float(rng.uniform(-1, 1))
        rows.append(Y[-1] - ends[-1, 1] - slope * (X[-1] - ends[-1, 0]))
    L = sum(m * (u**2 + v**2) / 2 - 9.81 * m * y for m, u, v, y in zip(masses, U, V, Y, strict=True))
    start = {f"{name}{i}": float(ends[i, k]) for i in range(n) for k, name in enumerate("xy")}
    return q, L, rows, start


def copied(q, rows, rng):
    """The rows and combinations of them, with factors that vanish somewhere, in units of any size and any order."""
    more = [*rows]
    for _ in range(int(rng.integers(1, 4))):
        factors = [
            float(c) + sp.sin(q.coordinates[int(rng.integers(len(q.coordinates)))]) for c in rng.normal(size=len(rows))
        ]
        more.append(sum(c * row for c, row in zip(factors, rows, strict=True)))
    units = 10.0 ** rng.uniform(-9, 9, len(more))
    return {f"r{i}": float(units[i]) * more[j] for i, j in enumerate(rng.permutation(len(more)).tolist())}


@pytest.mark.parametrize("seed", range(6))
def test_copies_of_rows_change_no_motion(seed):
    rng = np.random.default_rng(seed)
    q, L, rows, start = linkage(rng)
    start |= {u.name: 0.0 for u in q.velocities}
    plain = da.simulate(
        da.nonholonomic(da.System(q, L, {f"r{i}": row for i, row in enumerate(rows)})), start, until=1.0
    )
    path = da.simulate(da.nonholonomic(da.System(q, L, copied(q, rows, rng))), start, until=1.0)
    assert plain.ok and path.ok, (plain.audit.reasons, path.audit.reasons)
    for name in start:
        assert path[name][-1] == pytest.approx(plain[name][-1], abs=1e-9)


@pytest.mark.parametrize("unit", [1e-14, 1e-9, 1e9, 1e15], ids=str)
def test_a_row_in_other_units_is_the_same_row(unit):
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    L = (vx**2 + vy**2 + vz**2) / 2 - 9.81 * y - z
    start = {"x": 0.6, "y": -0.8, "z": 1.0, "vx": 0, "vy": 0, "vz": 0}
    ends = []
    for factor in (1.0, unit):
        rows = {"rod": factor * (x**2 + y**2 - 1), "slope": vz - x * vx}
        path = da.simulate(da.nonholonomic(da.System(q, L, rows)), start, until=2.0)
        assert path.ok, path.audit.reasons
        ends.append(path.values[-1, :6])
    assert ends[1] == pytest.approx(ends[0], abs=1e-10)


# --- what of the multipliers is unique --------------------------------------------------------------------------------


def test_multipliers_that_are_unique_are_named():
    q = da.coordinates("x y z")
    _x, y, z, vx, vy, vz = q
    rows = {"a": vx - y * vz, "b": 2 * (vx - y * vz), "c": vy - z * vx}
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2 - y, rows)
    equations = da.nonholonomic(system)
    note = next(str(note) for note in equations.notes if note.code == "W113")
    assert "unique are lam_c, and the reaction" in note
    state = {"x": 0.1, "y": 0.3, "z": 0.5, "vz": 0.7}
    alone = da.nonholonomic(system.changed(constraints={"a": rows["a"], "c": rows["c"]})).evaluate(state)
    found = equations.evaluate(state)
    assert found["multipliers"]["c"] == pytest.approx(alone["multipliers"]["c"])
    assert found["reactions"] == pytest.approx(alone["reactions"])
    # of least norm: along (1, 2)
    assert found["multipliers"]["b"] == pytest.approx(2 * found["multipliers"]["a"])


# --- residuals of rows whose terms vanish -----------------------------------------------------------------------------


def axes(tilt):
    """A unit axis p that turns about the axis n, which it is perpendicular to; n is tilted against the coordinates."""
    q = da.coordinates("p1 p2 p3 n1 n2 n3")
    p, n, u = q.coordinates[:3], q.coordinates[3:], q.velocities
    rows = {
        "long": sum(x**2 for x in p) - 1,
        "axis": sum(x**2 for x in n) - 1,
        "across": sum(a * b for a, b in zip(p, n, strict=True)),
    }
    c, s = np.cos(tilt), np.sin(tilt)
    start = {"p1": 1.0, "p2": 0.0, "p3": 0.0, "n1": 0.0, "n2": -s, "n3": c}
    return da.nonholonomic(da.System(q, sum(v**2 for v in u) / 2, rows)), {
        **start,
        "vp1": 0,
        "vp2": 2 * c,
        "vp3": 2 * s,
        "vn1": 0,
        "vn2": 0,
        "vn3": 0,
    }


@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_a_row_whose_terms_vanish_is_judged_by_what_it_holds(tilt):
    # in the plane of the coordinates all terms of p n are 0, tilted they are not: the residual is the same
    equations, start = axes(tilt)
    path = da.simulate(equations, start, until=2.0)
    field = path.dense.field
    t, rows = path.dense.nodes
    pushed = rows.copy()
    pushed[1:, 2] += 2e-12 * np.cos(tilt)  # along n
    pushed[1:, 1] -= 2e-12 * np.sin(tilt)
    absolute, relative = residuals(field, t, pushed)
    assert absolute[2] == pytest.approx(2e-12, rel=0.01)
    assert relative[2] < CONSTRAINT_LIMIT
    pushed[1:, 2] += 1e-6
    assert residuals(field, t, pushed)[1][2] > CONSTRAINT_LIMIT
