"""TQ = H + S + U: orthogonal, the curvature against brackets of fields computed otherwise, and its equations."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import symmetric_sphere

GIVEN = {
    "rolling penny": da.symmetry.euclidean("x y", "phi"),
    "rolling disc": da.symmetry.translations("x y"),
    "sleigh": da.symmetry.euclidean("x y", "theta"),
    "particle": None,
    "heisenberg free": "z",
    "roller racer": None,
    "veselova": None,
}
KINDS = {"rolling disc": "purely kinematic", "heisenberg free": "purely kinematic", "roller racer": "general"}


class Made:
    def __init__(self):
        self.found = {}

    def __call__(self, systems, name):
        if name not in self.found:
            self.found[name] = da.symmetry.splitting(da.symmetry.quotient(systems[name], GIVEN[name]))
        return self.found[name]


MADE = Made()


def matrix(value, A, values):
    return np.array([float(value(e, values)) for e in A]).reshape(A.shape)


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_parts_are_orthogonal_allowed_and_vertical(systems, states_of, value, name):
    split = MADE(systems, name)
    system = split.quotient.system
    u, k = list(system.space.velocities), len(system.space.velocities)
    W = sp.hessian(system.lagrangian, u)
    N = sp.Matrix(len(system.constraints), k, [c.phi.diff(v) for c in system.constraints for v in u])
    assert (split.H.cols + split.S.cols + split.U.cols) == k
    for values in states_of(system, 2):
        H, S, U, w, n = (matrix(value, A, values) for A in (split.H, split.S, split.U, W, N))
        rho = matrix(value, sp.Matrix(system.space.anchor), values) if system.space.coordinates else np.zeros((0, k))
        size = 1 + max(np.abs(A).max(initial=0) for A in (H, S, U)) ** 2
        for across in (n @ H, n @ S, rho @ S, rho @ U, H.T @ w @ S, S.T @ w @ U):
            assert np.abs(across).max(initial=0) < 1e-9 * size
        assert np.linalg.matrix_rank(np.hstack([H, S, U])) == k
    if name in KINDS:
        assert split.kind.startswith(KINDS[name])


# --- curvature --------------------------------------------------------------------------------------------------------


def test_the_curvature_of_a_chaplygin_system_is_the_area_law(systems):
    # heisenberg: zdot = (x ydot - y xdot)/2; [h_x, h_y] = d_z
    split = MADE(systems, "heisenberg free")
    assert list(split.curvature) == [(0, 1)]
    h1, h2 = split.H[:, 0], split.H[:, 1]
    scale = h1[0] * h2[1] - h1[1] * h2[0]
    assert [sp.simplify(e / scale) for e in split.curvature[0, 1]] == [0, 0, 1]
    assert not split.flat


def test_the_curvature_against_flows(systems):
    # four short flows along h_i and h_j: the loop of the shape does not close in the group by s^2 [h_i, h_j]
    system = systems["heisenberg free"]
    split = MADE(systems, "heisenberg free")
    H = split.H
    q0 = np.array([0.3, -0.2, 0.1])

    def field(i, q):
        there = {s: q[j] for j, s in enumerate(system.space.coordinates)}
        return np.array([float(sp.sympify(e).xreplace(there)) for e in H[:, i]])

    def flow(i, q, s, steps=4):
        h = s / steps
        for _ in range(steps):
            a = field(i, q)
            b = field(i, q + h / 2 * a)
            c = field(i, q + h / 2 * b)
            q = q + h / 6 * (a + 2 * b + 2 * c + field(i, q + h * c))
        return q

    def gap(s):
        q = q0
        for i, step in ((0, s), (1, s), (0, -s), (1, -s)):
            q = flow(i, q, step)
        return (q - q0) / s**2

    s = 0.02
    measured = (gap(s) + gap(-s)) / 2  # odd terms cancel
    there = {q: v for q, v in zip(system.space.coordinates, q0, strict=True)}
    expected = [float(sp.sympify(e).xreplace(there)) for e in split.curvature[0, 1]]
    assert measured == pytest.approx(expected, abs=1e-3)


def test_the_discs_curvature_against_forms_in_coordinates(systems, states_of, value):
    # A = dx^a + A^a_i(r) dr^i for the constraints xdot^a = -A^a_i rdot^i :  B^a_ij = d_i A^a_j - d_j A^a_i
    system, split = systems["rolling disc"], MADE(systems, "rolling disc")
    space = system.space
    x, y, vx, vy = (space[n] for n in ("x", "y", "vx", "vy"))
    solved = sp.solve([c.phi for c in system.constraints], [vx, vy], dict=True)[0]
    shape = [q for q in space.coordinates if q not in (x, y)]
    rates = [space.velocities[space.coordinates.index(q)] for q in shape]
    A = {v: [solved[v].diff(r) for r in rates] for v in (vx, vy)}
    rows = [space.velocities.index(v) for v in (vx, vy)]
    places = [space.velocities.index(r) for r in rates]
    for values in states_of(split.quotient.system, 2):
        H = matrix(value, split.H, values)
        for (i, j), vertical in split.curvature.items():
            X, Y = H[places, i], H[places, j]
            for row, v in zip(rows, (vx, vy), strict=True):
                F = np.array(
                    [
                        [float(value(A[v][b].diff(shape[a]) - A[v][a].diff(shape[b]), values)) for b in range(3)]
                        for a in range(3)
                    ]
                )
                # h = r-part + A r-part:  the vertical part of [h_i, h_j] is F(X, Y)
                assert float(value(vertical[row], values)) == pytest.approx(X @ F @ Y, abs=1e-9)


FRAMES = ["routh sphere", "veselova", "plain ball", "particle", "suslov free", "rattleback"]


@pytest.mark.parametrize("name", FRAMES)
def test_the_curvature_against_brackets_of_fields_on_the_given_space(systems, states_of, value, name):
    # the fields E H_i as functions of all coordinates, their bracket by central differences, no structure functions
    split = da.symmetry.splitting(systems[name])
    space, shape = systems[name].space, split.quotient.shape
    E = sp.Matrix(space.anchor)
    X = E * split.H.xreplace(shape.meaning)
    T = sp.Matrix.hstack(split.H, split.S, split.U).xreplace(shape.meaning)
    names = [q.name for q in space.coordinates]
    for values in states_of(systems[name], 2, seed=8):
        anchor, frame = matrix(value, E, values), matrix(value, T, values)

        def at(y, values=values):
            return matrix(value, X, {**values, **dict(zip(names, y, strict=True))})

        y0, h = np.array([values[n] for n in names]), 1e-5
        fields = at(y0)
        for i in range(split.H.cols):
            for j in range(i):
                # [X_j, X_i] = X_j X_i - X_i X_j
                forward = (at(y0 + h * fields[:, j]) - at(y0 - h * fields[:, j]))[:, i] / (2 * h)
                back = (at(y0 + h * fields[:, i]) - at(y0 - h * fields[:, i]))[:, j] / (2 * h)
                lie = np.linalg.lstsq(anchor, forward - back, rcond=None)[0]
                parts = np.linalg.solve(frame, lie)
                parts[: split.H.cols] = 0.0
                found = split.curvature.get((j, i), (sp.S.Zero,) * len(lie))
                there = [float(value(e.xreplace(shape.meaning), values)) for e in found]
                assert there == pytest.approx(frame @ parts, abs=1e-7 * (1 + np.abs(lie).max()))


def test_where_the_symmetry_comes_to_lie_in_the_constraints_is_said():
    # at y = 0 the constraint y zdot + xdot = 0 leaves the shift along z alone
    q = da.coordinates("x y z")
    system = da.System(q, sum(v**2 for v in q.velocities) / 2, {"c": q["y"] * q["vz"] + q["vx"]}, symmetry="z")
    split = da.symmetry.splitting(system)
    assert split.poles == {q["y"]: "D n V has dimension 1, elsewhere 0"}
    assert "where y = 0: D n V has dimension 1, elsewhere 0" in str(split)


# --- equations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rolling penny", "rolling disc", "sleigh", "particle", "roller racer", "veselova"])
def test_the_split_system_moves_as_the_reduced_one(systems, states_of, accelerations, value, name):
    split = MADE(systems, name)
    one, other = split.quotient.system, split.system
    T = sp.Matrix.hstack(split.H, split.S, split.U)
    first, second = da.nonholonomic(one), da.forms.hamel(other)
    names = [v.name for v in one.space.velocities]
    h = 1e-5
    for values in states_of(other, 2):
        v = np.array([values[s.name] for s in other.space.velocities])
        u = matrix(value, T, values) @ v
        here = {**values, **dict(zip(names, u, strict=True))}
        expected = accelerations(first, here)
        vdot = accelerations(second, values)
        # u = T v:  udot = T vdot + Tdot v
        qdot = {q.name: float(value(e, values)) for q, e in other.space.rates.items()}

        def moved(s, values=values, qdot=qdot):
            return matrix(value, T, {**values, **{n: values[n] + s * r for n, r in qdot.items()}})

        Tdot = (moved(h) - moved(-h)) / (2 * h)
        found = moved(0.0) @ vdot + Tdot @ v
        assert found == pytest.approx(expected, abs=1e-7 * (1 + np.abs(expected).max()))


def test_momenta_along_S(systems):
    split = MADE(systems, "particle")
    (p,) = split.momenta.values()
    # S = d_x + y d_z up to a factor: p = m (1 + y^2) s
    y, m = sp.Symbol("y", real=True), sp.Symbol("m", positive=True)
    ratio = sp.simplify(p / (m * (1 + y**2)))
    assert y not in ratio.free_symbols or split.S[0] != 1


@pytest.mark.parametrize("name", ["rolling penny", "sleigh", "particle", "roller racer"])
def test_momenta_are_those_of_the_system_on_the_frame(systems, value, name):
    split = MADE(systems, name)
    system = split.system
    still = {v: 0 for v in system.space.velocities if v.name.startswith("u")}
    assert list(split.momenta) == [v.name for v in system.space.velocities if v.name.startswith("s")]
    rng = np.random.default_rng(8)
    for s, p in split.momenta.items():
        values = system.space.sample(rng, sorted({e.name for e in system.symbols.values()}))
        known = value(system.lagrangian.diff(system.space[s]).xreplace(still), values)
        assert value(p, values) == pytest.approx(known, rel=1e-10, abs=1e-12)


def test_momenta_of_the_sphere_need_no_brackets_and_hold_nothing_that_vanishes():
    split = da.symmetry.splitting(symmetric_sphere.system())
    # the spin about the axis z = R e3: p = (I3 + m r^2 (z1^2 + z2^2)) s, written on |z| = 1
    ((name, p),) = split.momenta.items()
    assert "system" not in vars(split)
    z1, z2, I3, m, r, s = (next(e for e in p.free_symbols if e.name == n) for n in ("z1", "z2", "I3", "m", "r", name))
    assert sp.expand(p - (I3 + m * r**2 * (z1**2 + z2**2)) * s) == 0


def test_a_momentum_holds_what_the_lagrangian_has_at_rest():
    """A charge in a plane that a field crosses: a shift along y keeps m y' + b x."""
    q, (m, b) = da.coordinates("x y"), sp.symbols("m b", positive=True)
    x, vx, vy = q["x"], q["vx"], q["vy"]
    system = da.System(q, m * (vx**2 + vy**2) / 2 + b * x * vy, symmetry=da.symmetry.translations("y"))
    split = da.symmetry.splitting(system)
    ((name, p),) = split.momenta.items()
    assert list(split.S) == [0, 1]
    assert sp.expand(p - (m * sp.Symbol(name, real=True) + b * x)) == 0


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_a_constraint_on_the_shape_fails_the_dimension_assumption():
    q = da.coordinates("x y")
    _x, _y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2, {"still": vy}, symmetry="x")
    with pytest.raises(da.DalembertError, match=r"E124 the dimension assumption .* 1 of 2"):
        da.symmetry.splitting(da.symmetry.quotient(system))


def test_constraints_that_are_not_linear_are_refused():
    q = da.coordinates("x y")
    _x, y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2, {"speed": vx**2 + vy**2 - 1 - y**2}, symmetry="x")
    with pytest.raises(da.DalembertError, match="E124 H, S and U need constraints linear"):
        da.symmetry.splitting(da.symmetry.quotient(system))


def test_velocities_without_energy_are_refused():
    q = da.coordinates("x y z")
    system = da.System(
        q, (q["vx"] ** 2 + q["vz"] ** 2) / 2, {"c": q["vz"] - q["y"] * q["vx"]}, symmetry="x", massless=["vy"]
    )
    with pytest.raises(da.DalembertError, match=r"E107 the motion is not determined: .* \(vy = 1\)"):
        da.symmetry.splitting(system)


def test_what_acts_on_the_system_acts_on_its_frame_of_h_s_and_u():
    # s alone: (1 + s^2) ... does not enter, m s'' = tau s ; the wall at s = 0.9 turns it round
    q = da.coordinates("x y s", velocities="vx vy vs")
    system = da.System(
        q,
        "m*(vx^2 + vy^2 + vs^2)/2",
        {"row": "vy - s*vx"},
        {"vs": "tau*s"},
        {"m": 1.0},
        inputs="tau",
        walls={"stop": {"guard": "0.9 - s", "restitution": 0.5}},
        symmetry="x y",
    )
    split = da.symmetry.splitting(system).system
    still = {v.name: 0.0 for v in split.space.velocities}
    start = {"s": 0.4, **still, "h1": 0.8}  # H is s alone, orthogonal to S
    path = da.simulate(da.nonholonomic(split), start, until=1.0, inputs={"tau": 1.0}, rtol=1e-12)
    # 0.4 cosh t + 0.8 sinh t = 0.9 ;  behind the blow of speed v: 0.9 cosh - v/2 sinh
    e = (0.9 + np.sqrt(0.9**2 - (0.4**2 - 0.8**2))) / (0.4 + 0.8)
    blow = np.log(e)
    v = 0.4 * np.sinh(blow) + 0.8 * np.cosh(blow)
    left = 1.0 - blow
    assert path.at(1.0)["s"] == pytest.approx(0.9 * np.cosh(left) - v / 2 * np.sinh(left), abs=1e-9)


@pytest.mark.parametrize("far", [lambda y: sp.Max(0, y - 100), lambda y: sp.exp(-50 * (y - 7) ** 2)])
def test_a_curvature_far_away_is_one(far):
    # z' = f(y) x': [e_x + f e_z, e_y] = -f' e_z
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vz - far(y) * vx}, symmetry="z")
    found = da.symmetry.splitting(system)
    assert not found.flat and found.answer.witness


def test_whether_the_connection_is_flat_has_a_reason():
    # z' = f y': [e_x, e_y + f e_z] = df/dx e_z
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    L = (vx**2 + vy**2 + vz**2) / 2
    found = [da.symmetry.splitting(da.System(q, L, {"c": vz - f * vy}, symmetry="z")) for f in (3, y**2, x**2)]
    assert [each.answer.value for each in found] == [True, True, False]
    assert found[0].answer.reason == "the curvature is 0 identically" and "the connection is flat" in str(found[0])


@pytest.mark.parametrize("small", [1e-12, 1e-6, 1.0, 1e6])
def test_rows_that_differ_by_little_span_two_directions(small):
    # z' = small y x': D and the shifts of x have no direction in common
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"c": vz - small * y * vx}, symmetry="x")
    found = da.symmetry.splitting(system)
    assert (found.S.cols, found.U.cols, found.flat) == (0, 1, False)


def test_states_where_brackets_of_a_frame_run_over_are_passed_over():
    """[f1, f2] is written with exp(4 y^2) exp(-4 y^2), which is inf 0 from y = 14 on."""
    anchor = sp.sympify([["1", "atan(x)/3"], ["exp(-4*y**2)/4", "1"]])
    space = da.Space.product(da.Space("x y", "f1 f2", anchor), da.coordinates("s z", "vs vz"))
    system = da.System(space, "(f1^2 + f2^2 + vs^2 + vz^2)/2", {"c": "vz - s*f1"}, symmetry=["z"])
    assert not da.symmetry.splitting(system).flat


@pytest.mark.parametrize(
    ("L", "row"),
    [
        ("(vx^2 + vy^2 + vz^2)/2", "vz + sin(3*t/4)*vy + x*vx"),  # the rows turn with the time,
        ("(vx^2 + (2 + cos(t))*vy^2 + vz^2)/2 + t*vx*vy/3 + vy/4", "vz + (1 + x)*vy"),  # or what is orthogonal to them
    ],
)
def test_a_frame_that_changes_with_the_time_moves_as_the_system_does(L, row):
    """dT/dt at rest is no bracket of a space: without its force motions part at 1e-2."""
    space = da.coordinates("x y z", velocities="vx vy vz")
    system = da.System(space, L, {"c": row}, symmetry=["z"])
    split, start = da.symmetry.splitting(system), {"x": 0.3, "y": -0.2, "z": 0.1, "vx": 0.4, "vy": 0.7}
    whole = da.nonholonomic(system)
    begin = whole.start(t=0.25, **start)
    here = {"t": 0.25, **start}
    parts = split.alpha.xreplace({s: sp.Float(here[s.name]) for s in split.alpha.free_symbols}) * sp.Matrix(
        [begin.state[n] for n in ("vx", "vy", "vz")]
    )
    small = da.nonholonomic(split.system)
    on_frame = dict(zip([v.name for v in split.system.space.velocities], map(float, parts), strict=True))
    path = da.simulate(small, small.start(t=0.25, x=0.3, y=-0.2, **on_frame), until=2, rtol=1e-12).at(2)
    full = da.simulate(whole, begin, until=2, rtol=1e-12).at(2)
    assert [path["x"], path["y"]] == pytest.approx([full["x"], full["y"]], abs=1e-10)
