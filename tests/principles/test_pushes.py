"""Impulses of walls in the path, and walls that are met at once: laws of Moreau, by an independent minimisation."""

import itertools

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import nnls

import dalembert as da
from dalembert.systems import symmetric_sphere


def moreau(W, A, u, e, N=None):
    """u+ with (u+ + e u)/(1 + e) the nearest velocity, in the metric W, that none of the walls forbids."""
    Z = np.eye(len(u)) if N is None else np.linalg.svd(N)[2][len(N) :].T
    G, a = Z.T @ W @ Z, A @ Z
    root = np.linalg.cholesky(G)
    v = np.linalg.solve(G, Z.T @ W @ u)
    # min |mu . L^-1 a^T + L^T v| over mu >= 0: the part of v in the cone of forbidden directions is taken away
    mu, _ = nnls(np.linalg.solve(root, a.T), -root.T @ v)
    nearest = v + np.linalg.solve(G, a.T @ mu)
    return Z @ ((1 + e) * nearest - e * v), (1 + e) * mu


ROOMS = {
    "heavy": ([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 3.0]], [[1, 0.2, 0], [0, 1, 0.3], [0.4, -0.2, 1]]),
    "one wall is not pushed": ([[2, 0, 0], [0, 4, 0], [0, 0, 6]], [[1, 1 / 3, 0], [0.2, 1, 0.25], [0.5, -1 / 3, 1]]),
    "four walls": (np.diag([1.0, 2.0, 3.0]).tolist(), [[1, 0.2, 0], [0, 1, 0.3], [0.4, -0.2, 1], [0.5, 0.5, 0.5]]),
    "a blunt corner": (np.eye(3).tolist(), [[1, 0, 0], [0.8, 0.6, 0], [0.8, 0, 0.6]]),
    "a narrow corner": (np.eye(3).tolist(), [[1, 0, 0], [-0.8, 0.6, 0], [-0.5, -0.4, 0.7]]),
}  # fmt: skip


@pytest.mark.parametrize("e", [1.0, 0.4])
@pytest.mark.parametrize("name", ROOMS)
def test_walls_met_at_once_act_at_once_in_any_order(name, e):
    W, A = (np.array(part, float) for part in ROOMS[name])
    u = -np.array([1.0, 0.9, 1.1]) if name != "a narrow corner" else -np.array([0.2, 1.0, 1.6])
    q = da.coordinates("x y z")
    L = sum(W[i, j] * a * b for (i, a), (j, b) in itertools.product(enumerate(q.velocities), repeat=2)) / 2
    sides = {f"side{i}": sum(c * s for c, s in zip(row, q.coordinates, strict=True)) for i, row in enumerate(A)}
    assert (A @ u < 0).all()  # all of them are met
    known, mu = moreau(W, A, u, e)
    for order in (list(sides), list(sides)[::-1], sorted(sides, key=lambda n: n[-1] in "13")):
        walls = {n: {"guard": sides[n], "restitution": e} for n in order}
        system = da.System(q, L, walls=walls)
        path = da.simulate(da.free(system), {s.name: float(v) for s, v in zip(q, [*-u, *u], strict=True)}, until=1.5)
        assert path.ok, path
        assert [path[v][-1] for v in ("vx", "vy", "vz")] == pytest.approx(known.tolist(), abs=1e-9)
        total = sum(A[int(n[-1])] * rows["normal"].sum() for n, rows in path.impulses.items())
        assert total == pytest.approx(W @ (known - u), abs=1e-9)
        pushes = [path.impulses[n]["normal"].sum() for n in sides]
        assert min(pushes) >= 0
        if len(A) == 3:  # else the impulses need not be the only ones
            assert pushes == pytest.approx(mu.tolist(), abs=1e-9)


def test_a_skate_in_a_corner_of_three_walls():
    # m = 2, J = 0.5, the blade along x at theta = 0: N = (0, 1, 0); walls in x and theta
    q = da.coordinates("x y theta")
    x, theta, vx, vy, w = q["x"], q["theta"], q["vx"], q["vy"], q["vtheta"]
    A = np.array([[1, 0, 0.3], [0.2, 0, 1], [1, 0, 1.0]])
    sides = {f"side{i}": a[0] * x + a[2] * sp.sin(theta) for i, a in enumerate(A)}
    L = vx**2 + vy**2 + w**2 / 4
    system = da.System(q, L, {"blade": vy * sp.cos(theta) - vx * sp.sin(theta)}, walls=sides)
    equations = da.nonholonomic(system)
    # runs backwards from the corner, so that all three are met at t = 0.5
    away = da.simulate(equations, equations.start(x=0, y=0, theta=0, vx=1.0, vtheta=0.7), until=0.5, walls=False)
    there = away.at(0.5)
    back = {name: there[name] for name in ("x", "y", "theta")}
    start = equations.start(**back, vx=-there["vx"], vtheta=-there["vtheta"])
    path = da.simulate(equations, start, until=0.8)
    known, mu = moreau(np.diag([2, 2, 0.5]), A, np.array([-1.0, 0.0, -0.7]), 1.0, np.array([[0.0, 1.0, 0.0]]))
    assert path.ok
    just_after = next(i for i, t in enumerate(path.t) if abs(t - 0.5) < 1e-9 and path["vx"][i] > -0.5)
    assert [path[v][just_after] for v in ("vx", "vy", "vtheta")] == pytest.approx(known.tolist(), abs=1e-7)
    total = sum(A[i] * path.impulses[f"side{i}"]["normal"].sum() for i in range(3))
    assert total[[0, 2]] == pytest.approx((np.diag([2, 0.5]) @ (known - [-1, 0, -0.7])[[0, 2]]).tolist(), abs=1e-7)
    assert mu.min() >= 0


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_impulses_of_a_ball_that_bounces(e):
    # p = (1 + e) m |v| at each bounce, v falling by e each time
    walls = {"floor": {"guard": "x", "restitution": e}}
    system = da.System(da.line("x"), "m*vx^2/2 - m*g*x", walls=walls, parameters={"m": 3.0, "g": 9.81})
    path = da.simulate(da.free(system), {"x": 1.0, "vx": 0.0}, until=1.0 if e else 0.4516)
    found = path.impulses["floor"]["normal"]
    fall = np.sqrt(2 * 9.81)
    assert len(found) == len(path.marks["floor"])
    assert found.tolist() == pytest.approx([(1 + e) * 3 * fall * e**k for k in range(len(found))], rel=1e-9)
    assert found.tolist() == path.marks["floor"]["impulse normal"].tolist()


def test_impulses_of_a_sphere_at_a_rough_wall_balance_the_jump(tmp_path):
    # the rolling sphere: W (u+ - u) = N^T nu + A^T mu at a rough wall, with the floor's reaction nu left over
    sphere = symmetric_sphere.system()
    x, w3, vy = (sphere.space[n] for n in ("x", "w3", "vy"))
    r = sphere.symbols["r"]
    walls = {"right": {"guard": 1 - x, "constraints": {"grip": vy + r * w3}, "restitution": {"normal": 0.7}}}
    system = sphere.changed(walls=walls, symmetry=())
    equations = da.nonholonomic(system)
    start = equations.start(x=0, y=0, R="identity", vx=1.0, vy=0.3, w3=0.4)
    path = da.simulate(equations, start, until=2.5)
    u = list(system.space.velocities)
    before, t = path.marks["right"], path.marks["right"].t[0]
    after = path.values[np.searchsorted(path.t, t, side="right") - 1]
    values = {**path.at(0.0), **system.parameters, **{n: before[n][0] for n in path.names}}
    numbers = {s: values[s.name] for s in [*system.space, *system.symbols.values()]}
    W = np.array(sp.hessian(system.lagrangian, u).subs(numbers), float)
    jump = after[[path.names.index(v.name) for v in u]] - [before[v.name][0] for v in u]
    N = np.array([[c.phi.diff(v).subs(numbers) for v in u] for c in system.constraints], float)
    A = np.array([[(-system.space["vx"]).diff(v) for v in u], [(vy + r * w3).diff(v).subs(numbers) for v in u]], float)
    mu = np.array([path.impulses["right"][row][0] for row in ("normal", "grip")])
    rest = W @ jump - A.T @ mu
    assert np.abs(rest).max() > 0.01  # the floor pushes, too
    assert rest - N.T @ np.linalg.lstsq(N.T, rest, rcond=None)[0] == pytest.approx(np.zeros(5), abs=1e-9)
    assert mu[0] > 0
    path.save(tmp_path / "path.npz")
    assert da.load(tmp_path / "path.npz").impulses["right"]["grip"].tolist() == [mu[1]]


def test_three_walls_with_coefficients_of_their_own_act_in_any_order():
    q = da.coordinates("x y z")
    L = sum(v**2 for v in q.velocities) / 2 + 0.3 * q["vx"] * q["vy"]
    sides = {"a": "x + y/5", "b": "y + 0.4*z - x/10", "c": "z + 0.3*x"}
    start = {"x": 1.0, "y": 1.0, "z": 1.0, "vx": -1.0, "vy": -1.0, "vz": -1.0}
    system, found = da.System(q, L), []
    for order in itertools.permutations(sides):
        walls = {n: {"guard": sides[n], "restitution": {"a": 1.0, "b": 0.5, "c": 0.2}[n]} for n in order}
        with pytest.warns(da.DalembertWarning, match="W131"):
            events = da.impacts.walls(system, walls)
        path = da.simulate(da.free(system), start, until=1.5, events=events)
        assert path.ok
        found.append([path[s.name][-1] for s in q])
    assert np.ptp(found, axis=0).max() < 1e-9


def rough(W, A, B, e):
    """Walls A x > 0 with grips B u, by their matrices."""
    q = da.coordinates(" ".join("abcd"[: len(W)]))
    u = sp.Matrix(q.velocities)
    walls = {
        f"w{i}": {
            "guard": sum(c * s for c, s in zip(a, q.coordinates, strict=True)),
            "constraints": {"grip": sum(c * s for c, s in zip(b, q.velocities, strict=True))},
            "restitution": e,
        }
        for i, (a, b) in enumerate(zip(A, B, strict=True))
    }
    return da.System(q, (u.T * sp.Matrix(W) * u)[0] / 2, walls=walls)


@pytest.mark.parametrize("e", [0.5, 1.0])
def test_rough_walls_met_at_once_push_and_are_told_or_are_left(e):
    rng, acted = np.random.default_rng(5), set()
    for _ in range(12):
        R, A, B, u = rng.normal(size=(4, 4)), rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), rng.normal(size=4)
        W, A = R @ R.T + np.eye(4) / 2, -A * np.sign(A @ u)[:, None]
        system = rough(W, A, B, e)
        start = {s.name: float(v) for s, v in zip(system.space, [*-u, *u], strict=True)}
        path = da.simulate(da.free(system), start, until=1.3)
        if not path.ok:  # several ways to go on, or none
            assert path.ending.code == "E409"
            continue
        after = np.array([path[f"v{name}"][-1] for name in "abcd"])
        mu = np.array([[path.impulses[f"w{i}"][label].sum() for label in ("normal", "grip")] for i in (0, 1)])
        assert all(len(path.marks[f"w{i}"].t) == 1 for i in (0, 1))
        assert W @ (after - u) == pytest.approx(sum(mu[i] @ [A[i], B[i]] for i in (0, 1)), abs=1e-9)
        acting = mu[:, 0] > 0
        for i in (0, 1):
            turned = np.array([A[i], B[i]]) @ (after + e * u)
            assert turned == pytest.approx(0, abs=1e-9) if acting[i] else turned[0] > -1e-9
            assert acting[i] or not mu[i].any()
        acted.add(tuple(acting.tolist()))
    assert (True, True) in acted and len(acted) > 1


def test_rough_walls_whose_rows_contradict_each_other_determine_no_motion():
    # the one wants vx = -0.7 vx and vy = 0, the other vy = -0.7 vy and vx = 0; neither is left fast enough by the other
    system = rough(np.eye(2), np.eye(2), np.eye(2)[::-1], {"normal": 0.7})
    path = da.simulate(da.free(system), {"a": 1.0, "b": 1.0, "va": -1.0, "vb": -1.0}, until=2.0)
    assert path.ending.code == "E409" and path.t[-1] == pytest.approx(1.0, abs=1e-12)
    assert not any(len(marks.t) for marks in path.marks.values())


def test_a_wall_that_is_hit_where_a_contact_takes_part_is_refused_and_a_contact_is_not():
    # a rolling disc, J = 2/5: Coulomb's floor gives no impulse where nothing presses, and the disc spins on
    q = da.coordinates("x y a")
    vx, va = q["vx"], q["va"]
    L = (vx**2 + q["vy"] ** 2) / 2 + va**2 / 5 - 9.81 * q["y"]
    floor = {"floor": da.contact(gap=q["y"] - 1, slip=[vx + va], mu=0.3)}
    start = {"x": 0, "y": 1, "a": 0, "vx": 3, "vy": 0, "va": -3}
    walls = {"wall": {"guard": 3 - q["x"], "restitution": 0.5}}
    system = da.System(q, L, contacts=floor, walls=walls)
    path = da.simulate(da.nonholonomic(system), start, until=1.2)
    assert path.ending.code == "E413" and path.t[-1] == pytest.approx(1.0, abs=1e-12)
    assert "the impact at wall needs impulses of floor_slip_1" in path.outcome
    touched = da.System(q, L, contacts={**floor, "wall": da.contact(gap=3 - q["x"], restitution=0.5)})
    path = da.simulate(da.nonholonomic(touched), start, until=1.2)
    assert path.impulses["wall"]["normal"] == pytest.approx([4.5])
    assert path.at(1.0 + 1e-9)["va"] == pytest.approx(-3, abs=1e-6)
    # what slides without spinning gives the floor nothing to do
    slides = da.System(q, L, contacts={"floor": da.contact(gap=q["y"] - 1)}, walls=walls)
    path = da.simulate(da.nonholonomic(slides), start, until=1.2)
    assert path.ok and path["vx"][-1] == pytest.approx(-1.5)
    # a smooth floor may push, a wire of two sides pull as well
    for sides, lean, goes_on in ((1, -1, True), (1, 1, False), (2, 1, True)):
        smooth = {"floor": da.contact(gap=q["y"] - 1, sides=sides)}
        leans = {"wall": {"guard": 3 - q["x"] + lean * (q["y"] - 1) / 2, "restitution": 0.5}}
        path = da.simulate(da.nonholonomic(da.System(q, L, contacts=smooth, walls=leans)), start, until=1.2)
        assert path.ok == goes_on and path["vx"][-1] == pytest.approx(-1.5 if goes_on else 3)
