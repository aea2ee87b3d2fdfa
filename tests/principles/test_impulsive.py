"""Impacts: projections in the kinetic metric, Carnot's theorem, published bounces, corners, imposed constraints."""

import math
import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.principles.impulsive import Imposed, impose, loss, wall, walls
from dalembert.systems import symmetric_sphere as sphere_

sin, cos = sp.sin, sp.cos


# --- systems, each with a wall ---------------------------------------------------------------------------------------


def sleigh():
    """A knife edge ahead of the centre of mass, and a wall at the edge; rough: the edge does not slip along it."""
    q = da.coordinates("x y theta", velocities="vx vy omega")
    x, _y, theta, vx, vy, omega = q
    m, J, a = sp.symbols("m J a", positive=True)
    T = m * ((vx - a * omega * sin(theta)) ** 2 + (vy + a * omega * cos(theta)) ** 2) + J * omega**2
    blade = {"blade": vy * cos(theta) - vx * sin(theta)}
    system = da.System(q, T / 2, blade, parameters={"m": 1.3, "J": 0.5, "a": 0.3})
    return system, {"guard": 1 - x, "constraints": {"grip": vy}}


def disc():
    """A leaning disc, and a wall that its centre's plumb line may not pass."""
    q = da.coordinates("x y theta phi psi")
    x, _y, theta, phi, _psi, vx, vy, vtheta, vphi, vpsi = q
    m, r, A, C, g = sp.symbols("m r A C g", positive=True)
    T = m * (vx**2 + vy**2 + r**2 * vtheta**2 * cos(theta) ** 2) + A * (vtheta**2 + vphi**2 * sin(theta) ** 2)
    T += C * (vpsi + vphi * cos(theta)) ** 2
    rolling = {
        "along": vx * cos(phi) + vy * sin(phi) - r * vtheta * sin(theta),
        "across": -vx * sin(phi) + vy * cos(phi) + r * vphi * cos(theta) + r * vpsi,
    }
    values = {"m": 1.1, "r": 0.9, "A": 0.25, "C": 0.5, "g": 1.3}
    return da.System(q, T / 2 - m * g * r * sin(theta), rolling, parameters=values), {"guard": 2 - x + theta / 5}


def turning_ball():
    """A ball on a turning table: affine constraints; a rough round wall."""
    s = da.Space.product(da.plane("x y"), da.rotation("R", velocities="w1 w2 w3", frame="space"))
    x, y, vx, vy, w1, w2, w3 = (s[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
    m, r, J, Omega = sp.symbols("m r J Omega", positive=True)
    system = da.System(
        s,
        m / 2 * (vx**2 + vy**2) + J / 2 * (w1**2 + w2**2 + w3**2),
        {"roll_x": vx - r * w2 + Omega * y, "roll_y": vy + r * w1 - Omega * x},
        parameters={"m": 0.7, "r": 0.5, "J": 0.3, "Omega": 1.1},
    )
    # the point at the rim: (vx, vy, 0) + w x r n
    n = sp.Matrix([x, y, 0]) / sp.sqrt(x**2 + y**2)
    slip = sp.Matrix([vx, vy, 0]) + r * sp.Matrix([w1, w2, w3]).cross(n)
    return system, {"guard": 4 - x**2 - y**2, "constraints": {"sx": slip[0], "sy": slip[1], "sz": slip[2]}}


def pendulum():
    """A pendulum in Cartesian coordinates, and a vertical wall."""
    q = da.coordinates("x y")
    x, y, *_ = q
    m, g = sp.symbols("m g", positive=True)
    T = m / 2 * (q["vx"] ** 2 + q["vy"] ** 2)
    return da.System(q, T - m * g * y, {"rod": x**2 + y**2 - 1}, parameters={"m": 1.5, "g": 2.0}), {"guard": x + 0.2}


def hub():
    """A massless hub that carries a wheel's mass: W is singular, the motion is not."""
    q = da.coordinates("x s phi")
    x, _s, _phi, vx, vs, vphi = q
    m, J = sp.symbols("m J", positive=True)
    system = da.System(
        q,
        m / 2 * vx**2 + J / 2 * vphi**2,
        {"hub": (2 + sin(x)) * (vs - vx - vphi)},
        parameters={"m": 1.1, "J": 0.3},
        massless=[vs],
    )
    return system, {"guard": 1 - q["s"]}


def sphere():
    """The symmetric sphere at a rough wall."""
    return sphere_.system(), sphere_.RIGHT


EVERY = [sleigh, disc, turning_ball, pendulum, hub, sphere]


@pytest.fixture(params=EVERY, ids=lambda f: f.__name__)
def case(request):
    return request.param()


def numbers(expressions, values):
    graph = Graph()
    return np.array(evaluate([read(sp.sympify(e), graph) for e in expressions], values), float)


def states(system, count=3):
    """Random states on the constraints."""
    from dalembert.geometry.random_states import ConstraintSampler

    found = ConstraintSampler(system).states(5)
    return [values for values, held in (next(found) for _ in range(20)) if held][:count]


def matrices(system, at, spec):
    """W, N, the wall's rows A and their values A u + c, in numbers."""
    u, space = list(system.space.velocities), system.space
    guard = spec["guard"]
    normal = sum(guard.diff(q) * rate for q, rate in space.rates.items())
    rows = [normal, *spec.get("constraints", {}).values()]
    W = numbers(sp.hessian(system.lagrangian, u), at).reshape(len(u), -1)
    N = numbers([c.phi.diff(v) for c in system.constraints for v in u], at).reshape(-1, len(u))
    A = numbers([row.diff(v) for row in rows for v in u], at).reshape(-1, len(u))
    return W, N, A, numbers(rows, at)


def after(event, system, at):
    """Velocities after the event."""
    u = [v.name for v in system.space.velocities]
    return numbers([event.then.get(n, system.space[n]) for n in u], at), np.array([at[n] for n in u])


# --- the law ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_it_is_the_impulse_of_the_rows_in_bordered_form(case, e):
    # W (u+ - u) = N^T l + A^T k ,  N (u+ - u) = 0 ,  A u+ + c = -e (A u + c), with impulses as unknowns
    system, spec = case
    event = wall(system, **spec, restitution=e)
    for at in states(system):
        W, N, A, residual = matrices(system, at, spec)
        new, u = after(event, system, at)
        k, B = len(u), np.vstack([N, A])
        bordered = np.block([[W, B.T], [B, np.zeros((len(B), len(B)))]])
        right = np.r_[np.zeros(k), np.zeros(len(N)), -(1 + e) * residual]
        expected = np.linalg.lstsq(bordered, right, rcond=1e-11)[0][:k]
        assert np.allclose(new - u, expected, atol=1e-10 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_carnot(case, e):
    # loss = (1 - e)/(1 + e) T(u+ - u), where nothing drives the system
    system, spec = case
    if any(c.kind == "affine" for c in system.constraints):
        pytest.skip("a table that turns does work")
    event, lost = wall(system, **spec, restitution=e), loss(system, **spec, restitution=e)
    for at in states(system):
        W, _, _, residual = matrices(system, at, spec)
        new, u = after(event, system, at)
        T = lambda v, W=W: v @ W @ v / 2  # noqa: E731
        assert numbers([lost], at)[0] == pytest.approx(T(u) - T(new), abs=1e-11)
        assert T(u) - T(new) == pytest.approx((1 - e) / (1 + e) * T(new - u), abs=1e-11)
        assert np.abs(residual).max() > 1e-3


def test_the_part_in_c_is_kept_and_the_map_is_an_involution(case):
    system, spec = case
    event = wall(system, **spec)
    for at in states(system):
        W, N, A, _ = matrices(system, at, spec)
        new, u = after(event, system, at)
        _, sizes, rows = np.linalg.svd(np.vstack([N, A]))
        C = rows[int(np.sum(sizes > 1e-9)) :]  # momentum along C
        assert np.allclose(C @ W @ new, C @ W @ u, atol=1e-11)
        back = {**at, **{v.name: float(x) for v, x in zip(system.space.velocities, new, strict=True)}}
        assert np.allclose(after(event, system, back)[0], u, atol=1e-11)


def test_plastic_impacts_leave_what_the_wall_allows(case):
    system, spec = case
    event = wall(system, **spec, restitution=0)
    for at in states(system):
        _, N, A, residual = matrices(system, at, spec)
        new, u = after(event, system, at)
        assert np.abs(A @ (new - u) + residual).max() < 1e-11
        assert np.abs(N @ (new - u)).max(initial=0.0) < 1e-12


# --- published bounces -----------------------------------------------------------------------------------------------


def free_ball():
    """A ball in a vertical plane: place, height of the centre, turn."""
    q = da.coordinates("x h phi")
    m, I = sp.symbols("m I", positive=True)
    T = m * (q["vx"] ** 2 + q["vh"] ** 2) + I * q["vphi"] ** 2
    return da.System(q, T / 2, parameters={"m": 1.0, "I": 0.4})


def test_the_ultraelastic_rough_ball():
    # [garwin1969]: a solid ball, radius 1, with slip v + w:  v+ = (3 v - 4 w)/7 ,  w+ = (-10 v - 3 w)/7
    system = free_ball()
    vx, vphi = system.space["vx"], system.space["vphi"]
    event = wall(system, system.space["h"] - 1, {"grip": vx + vphi})
    assert sp.simplify(event.then["vh"] + system.space["vh"]) == 0
    m, I = (sp.Symbol(name, positive=True) for name in "mI")
    solid = {m: 1, I: sp.Rational(2, 5)}
    jump = {n: sp.simplify(event.then[n].subs(solid)) for n in ("vx", "vphi")}
    assert sp.simplify(jump["vx"] - (3 * vx - 4 * vphi) / 7) == 0
    assert sp.simplify(jump["vphi"] - (-10 * vx - 3 * vphi) / 7) == 0


def test_two_rough_walls_send_the_ball_back():
    # [garwin1969]: between floor and ceiling the third bounce sends the ultraelastic ball back, under the table
    system = free_ball()
    h, vx, vphi = (system.space[n] for n in ("h", "vx", "vphi"))
    events = walls(
        system,
        {
            "floor": {"guard": h - 1, "constraints": {"grip": vx + vphi}},
            "ceiling": {"guard": 4 - h, "constraints": {"grip": vx - vphi}},
        },
    )
    equations = da.free(system)
    start = equations.start(x=0.0, h=2.0, phi=0.0, vx=1.0, vh=-1.5, vphi=0.0)
    path = da.simulate(equations, start, until=6.0, events=events)
    bounces = np.sort(np.concatenate([m.t for m in path.marks.values()]))
    assert bounces == pytest.approx([2 / 3, 8 / 3, 14 / 3])
    # floor (3 v - 4 w)/7, (-10 v - 3 w)/7; ceiling with w -> -w
    v, w = 1.0, 0.0
    for sign, t in ((1, 0.7), (-1, 2.7), (1, 4.7)):
        v, w = (3 * v - 4 * sign * w) / 7, sign * (-10 * v - 3 * sign * w) / 7
        assert [path.at(t)[n] for n in ("vx", "vphi")] == pytest.approx([v, w], abs=1e-12)
    assert v == pytest.approx(-333 / 343)  # almost the velocity it came with, reversed
    assert path.audit.energy_change == pytest.approx(0.0, abs=1e-13)


def test_a_homogeneous_ball_that_rolls_against_a_rough_wall():
    # [neimark1972; cendra2001a with alpha = 1]: solid, beta = 5/2:  w1+ = (5 w1 + 4 w3)/9, w3+ = (14 w1 - 5 w3)/9
    system = sphere_.system(I1=0.4, I3=0.4)
    event = wall(system, **sphere_.RIGHT)
    for at in states(system):
        new, _ = after(event, system, at)
        w1, w2, w3 = at["w1"], at["w2"], at["w3"]
        turning = [(5 * w1 + 4 * w3) / 9, -w2, (14 * w1 - 5 * w3) / 9]
        assert new == pytest.approx([-w2, -turning[0], *turning], abs=1e-12)


def test_a_rod_that_strikes_the_ground_with_its_end():
    # textbook: the impulse is (1 + e) m v/(1 + m l^2 cos^2/J), v the speed of the end
    q = da.coordinates("x y a")
    m, J = sp.symbols("m J", positive=True)
    T = m * (q["vx"] ** 2 + q["vy"] ** 2) + J * q["va"] ** 2
    system = da.System(q, T / 2, parameters={"m": 1.2, "J": 0.3})
    event = wall(system, q["y"] - sp.Rational(4, 5) * sin(q["a"]), restitution=sp.Rational(1, 2))
    at = {"x": 0.1, "y": 0.5, "a": 0.6, "vx": 0.7, "vy": -1.1, "va": 0.4, "m": 1.2, "J": 0.3}
    arm = 0.8 * math.cos(0.6)
    end = -1.1 - arm * 0.4
    P = -1.5 * 1.2 * end / (1 + 1.2 * arm**2 / 0.3)
    assert after(event, system, at)[0] == pytest.approx([0.7, -1.1 + P / 1.2, 0.4 - arm * P / 0.3])


def test_a_moving_wall():
    # u+ - V = -e (u - V)
    q = da.coordinates("x")
    system = da.System(q, q["vx"] ** 2, parameters={})
    t = sp.Symbol("t", real=True)
    event = wall(system, 1 + sp.Rational(3, 10) * t - q["x"], restitution=sp.Rational(1, 4))
    assert sp.expand(event.then["vx"] - (sp.Rational(3, 10) - (q["vx"] - sp.Rational(3, 10)) / 4)) == 0


# --- runs ------------------------------------------------------------------------------------------------------------


def ball_on_floor(e):
    q = da.coordinates("h")
    m, g = sp.symbols("m g", positive=True)
    system = da.System(q, m / 2 * q["vh"] ** 2 - m * g * q["h"], parameters={"m": 1.0, "g": 2.0})
    return system, wall(system, q["h"], restitution=e, name="floor")


def test_heights_go_with_e_squared_and_the_series_ends_in_finite_time():
    system, floor = ball_on_floor(0.5)
    equations = da.free(system)
    path = da.simulate(equations, equations.start(h=1.0, vh=0.0), until=4.0, events=[floor])
    hits = path.marks["floor"].t
    # t1 = sqrt(2 h/g) = 1, speed 2; flights 2 e^n
    assert hits[:6] == pytest.approx(np.cumsum([1, 1, 0.5, 0.25, 0.125, 0.0625]), abs=1e-9)
    assert path.marks["floor"]["vh"][:4] == pytest.approx([-2, -1, -0.5, -0.25], abs=1e-9)
    assert not path.reached
    assert path.outcome.startswith("E133")
    assert path.t[-1] == pytest.approx(3.0, abs=1e-6)  # 1 + 2 (e + e^2 + ...)


def test_a_pendulum_between_walls_keeps_its_energy():
    system, spec = pendulum()
    equations = da.nonholonomic(system)
    x = system.space["x"]
    events = walls(system, {"left": spec["guard"], "right": sp.Rational(3, 10) - x})
    start = equations.start(x=0.0, y=-1.0, vx=1.1)
    path = da.simulate(equations, start, until=20.0, events=events)
    assert path.ok
    assert min(len(m) for m in path.marks.values()) > 20
    jumps = [m["vx"] for m in path.marks.values()]
    speeds = [float(np.ptp(np.abs(each))) for each in jumps]
    assert max(speeds) < 1e-9  # the same at every hit


@pytest.mark.parametrize("e", [1.0, 0.5])
def test_a_plastic_share_is_lost_at_every_bounce_of_the_rolling_sphere(e):
    system = sphere_.system()
    equations = da.nonholonomic(system)
    spec = {"right": sphere_.RIGHT, "left": sphere_.left(2.0)}
    path = da.simulate(
        equations, equations.start(**sphere_.START), until=30.0, events=walls(system, spec, restitution=e)
    )
    assert path.ok
    lost = 0.0
    for name, marks in path.marks.items():
        each = loss(system, **spec[name], restitution=e)
        rows = [dict(zip(marks.names, row, strict=True)) for row in marks.values]
        lost += sum(numbers([each], {**system.values(), **row})[0] for row in rows)
    assert sum(len(m) for m in path.marks.values()) >= 3
    assert path.audit.energy_change == pytest.approx(-lost, abs=1e-10)
    assert (lost > 0.1) == (e < 1)


def test_energy_over_300_elastic_bounces():
    system = sphere_.system()
    equations = da.nonholonomic(system)
    events = walls(system, {"right": sphere_.RIGHT, "left": sphere_.left(0.1)})
    start = equations.start(**{**sphere_.START, "x": -0.05})
    path = da.simulate(equations, start, until=40.0, events=events, rtol=1e-9)
    assert sum(len(m) for m in path.marks.values()) > 300
    for event, marks in zip(events, path.marks.values(), strict=True):
        before = {n: marks[n] for n in equations.states} | {"t": marks.t} | system.values()
        later = before | dict(zip(event.then, numbers(event.then.values(), before), strict=True))
        energies = [numbers([system.lagrangian], each)[0] for each in (before, later)]
        assert np.abs(energies[1] / energies[0] - 1).max() < 1e-13  # some roundings; measured 1e-15
    # what is left over 300 bounces is the integrator's
    assert abs(path.audit.energy_change) < 1e-7


# --- corners ---------------------------------------------------------------------------------------------------------


def box(W=None, **given):
    """A particle in the plane with a metric, and walls."""
    q = da.coordinates("x y")
    u = sp.Matrix([q["vx"], q["vy"]])
    W = sp.eye(2) if W is None else sp.Matrix(W)
    system = da.System(q, (u.T * W * u)[0] / 2)
    return system, walls(system, given or {"right": 1 - q["x"], "top": 1 - q["y"]})


def test_a_corner_of_a_box_sends_back_the_way_it_came():
    system, events = box()
    equations = da.free(system)
    path = da.simulate(equations, equations.start(x=0.0, y=0.0, vx=1.0, vy=1.0), until=3.0, events=events)
    assert [path["vx"][-1], path["vy"][-1]] == [-1.0, -1.0]
    assert [path["x"][-1], path["y"][-1]] == pytest.approx([-1.0, -1.0], abs=1e-12)


@pytest.mark.parametrize("order", [1, -1])
def test_in_a_skew_corner_both_walls_act_at_once_whatever_the_order(order):
    # the walls are not orthogonal in the metric: one after the other depends on which is first
    q = da.coordinates("x y")
    given = dict([("right", 1 - q["x"]), ("top", 1 - q["y"])][::order])
    system, events = box([[2, 1], [1, 3]], **given)
    equations = da.free(system)
    path = da.simulate(equations, equations.start(x=0.0, y=0.0, vx=1.0, vy=1.0), until=1.5, events=events)
    assert [path["vx"][-1], path["vy"][-1]] == pytest.approx([-1.0, -1.0], abs=1e-14)
    alone = [wall(system, guard, name=name) for name, guard in given.items()]
    single = da.simulate(equations, equations.start(x=0.0, y=0.0, vx=1.0, vy=1.0), until=1.01, events=alone)
    assert abs(single["vx"][-1] + 1) > 0.1  # one after the other


SIDES = {"a": "1 - x", "b": "1 - x/2 - y", "c": "1 - x/3 - y/2 - z"}
CORNER = {"x": 0, "y": -1 / 2, "z": -7 / 12, "vx": 1, "vy": 1, "vz": 1}


@pytest.mark.parametrize("order", ["abc", "cab"])
def test_three_oblique_walls_given_one_by_one_determine_no_motion(order):
    room = da.System(da.coordinates("x y z"), "(vx^2 + vy^2 + vz^2)/2")
    single = [wall(room, SIDES[name], name=name) for name in order]
    path = da.simulate(da.free(room), CORNER, until=2.0, events=single)
    assert not path.ok and path.t[-1] == pytest.approx(1.0, abs=1e-9)
    assert "E409" in str(path.audit)


def test_three_orthogonal_walls_met_at_once_send_back():
    q = da.coordinates("x y z")
    room = da.System(q, "(vx^2 + vy^2 + vz^2)/2", walls={"a": "1 - x", "b": "1 - y", "c": "1 - z"})
    path = da.simulate(da.free(room), {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 1, "vz": 1}, until=2.0)
    assert path.ok and [path[v][-1] for v in ("vx", "vy", "vz")] == [-1, -1, -1]


def test_away_from_the_corner_walls_act_alone():
    system, events = box([[2, 1], [1, 3]])
    one = wall(system, 1 - system.space["x"], name="right")
    equations = da.free(system)
    start = equations.start(x=0.0, y=0.3, vx=1.0, vy=0.2)
    both = da.simulate(equations, start, until=1.5, events=events)
    alone = da.simulate(equations, start, until=1.5, events=[one])
    assert [both[n][-1] for n in ("x", "y", "vx", "vy")] == [alone[n][-1] for n in ("x", "y", "vx", "vy")]


def test_e132_two_walls_that_are_one_surface():
    q = da.coordinates("x y")
    with pytest.raises(da.DalembertError, match=r"E132 .*right and again are one surface"):
        box(right=1 - q["x"], again=2 - 2 * q["x"])


# --- what is refused, what is flagged --------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [-0.1, 1.2, {"normal": 2}, {"tangent": 0.5}, float("nan")])
def test_e130_restitution_outside(e):
    system, spec = pendulum()
    with pytest.raises((ValueError, TypeError), match="restitution"):
        wall(system, **spec, restitution=e)


def with_parameter(e):
    """A ball whose floor has the restitution `e`, a parameter."""
    q = da.coordinates("h")
    symbol = sp.Symbol("e", real=True)
    with warnings.catch_warnings():  # W119: L does not use it
        warnings.simplefilter("ignore")
        system = da.System(q, q["vh"] ** 2 / 2 - q["h"], parameters={"e": e})
    return system, wall(system, q["h"], restitution=symbol, name="floor")


def test_e130_a_parameter_outside():
    with pytest.raises(ValueError, match=r"E130 restitution e = 1\.5 lies outside"):
        with_parameter(1.5)
    system, floor = with_parameter(0.5)
    equations = da.free(system)
    start = equations.start(h=1.0, vh=0.0)
    path = da.simulate(equations, start, until=3.0, events=[floor])
    assert path.marks["floor"]["vh"][1] == pytest.approx(-math.sqrt(2) / 2)
    bad = da.simulate(equations, start, until=2.0, events=[floor], parameters={"e": -0.5})
    assert not bad.ok
    assert bad.outcome.startswith("E130")


def test_e131_no_function_of_the_position():
    system, _ = pendulum()
    for guard in (system.space["vx"], sp.Symbol("m", positive=True)):
        with pytest.raises(ValueError, match="E131 the guard"):
            wall(system, guard)


def test_e131_the_wall_imposes_nothing():
    q = da.coordinates("x y")
    system = da.System(q, q["vx"] ** 2 + q["vy"] ** 2, {"rail": q["vx"]})
    with pytest.raises(ValueError, match=r"E131 .* imposes nothing"):
        wall(system, 1 - q["x"])


def test_e131_what_is_driven_cannot_be_stopped():
    # the constraint says vx = 1 for ever; the wall would need vx = 0
    q = da.coordinates("x y")
    system = da.System(q, q["vx"] ** 2 + q["vy"] ** 2, {"drive": q["vx"] - 1})
    with pytest.raises(ValueError, match="E131 no velocity satisfies"):
        wall(system, 2 - q["x"])
    with pytest.raises(ValueError, match="E131 no velocity satisfies"):
        wall(system, 2 - q["x"] + q["y"], {"grip": q["vx"] + 3})


def test_e131_nonlinear_rows():
    q = da.coordinates("x y")
    system = da.System(q, q["vx"] ** 2 + q["vy"] ** 2)
    with pytest.raises(ValueError, match="E131 a constraint is nonlinear"):
        wall(system, 1 - q["x"], {"speed": q["vx"] ** 2 + q["vy"] ** 2 - 1})
    rocket = da.System(q, q["vx"] ** 4 + q["vy"] ** 2)
    with pytest.raises(ValueError, match="E131 L is not quadratic"):
        wall(rocket, 1 - q["x"])


def skew():
    """A rod that strikes a rough floor, e on the normal alone."""
    q = da.coordinates("x y a")
    T = q["vx"] ** 2 + q["vy"] ** 2 + sp.Rational(1, 3) * q["va"] ** 2
    system = da.System(q, T / 2)
    grip = q["vx"] + sin(q["a"]) * q["va"]
    return system, {"guard": q["y"] - sin(q["a"]), "constraints": {"grip": grip}}


def test_w131_a_rough_wall_with_restitution_of_the_normal_alone_can_gain_energy():
    system, spec = skew()
    law = {"restitution": {"normal": 0.9}}
    with pytest.warns(da.DalembertWarning, match="W131 the impact at floor can gain energy"):
        event = wall(system, **spec, **law, name="floor")
    lost, rng = loss(system, **spec, **law), np.random.default_rng(2)
    names = [s.name for s in system.space]
    every = [dict(zip(names, rng.normal(size=6), strict=True)) for _ in range(400)]
    gains = [-numbers([lost], at)[0] for at in every]
    worst = every[int(np.argmax(gains))]
    assert max(gains) > 1e-3
    new, u = after(event, system, worst)
    T = lambda v: (v[0] ** 2 + v[1] ** 2 + v[2] ** 2 / 3) / 2  # noqa: E731
    assert T(new) - T(u) == pytest.approx(max(gains))


def test_one_restitution_for_all_never_gains_and_is_not_flagged():
    system, spec = skew()
    lost = loss(system, **spec, restitution=0.9)
    wall(system, **spec, restitution=0.9)
    rng, names = np.random.default_rng(2), [s.name for s in system.space]
    for _ in range(200):
        assert numbers([lost], dict(zip(names, rng.normal(size=6), strict=True)))[0] >= -1e-13


def test_an_even_law_by_name_is_the_same_law():
    system, spec = sleigh()
    one = wall(system, **spec, restitution=0.3)
    other = wall(system, **spec, restitution={"normal": 0.3, "grip": 0.3})
    for at in states(system):
        assert np.array_equal(after(one, system, at)[0], after(other, system, at)[0])


# --- constraints imposed at an instant -------------------------------------------------------------------------------


def body():
    q = da.coordinates("x y theta", velocities="vx vy omega")
    m, J = sp.symbols("m J", positive=True)
    T = m * (q["vx"] ** 2 + q["vy"] ** 2) + J * q["omega"] ** 2
    return da.System(q, T / 2, parameters={"m": 2.0, "J": 0.5})


def bladed(system, place=0):
    """A knife edge set down `place` ahead of the centre."""
    s = system.space
    blade = s["vy"] * cos(s["theta"]) - s["vx"] * sin(s["theta"]) + place * s["omega"]
    return da.nonholonomic(system.changed(constraints={"blade": blade}))


AT = {"x": 0.2, "y": -0.1, "theta": 0.5, "vx": 1.2, "vy": 0.7, "omega": 0.9}
SIDE = 0.7 * math.cos(0.5) - 1.2 * math.sin(0.5)


def test_a_knife_edge_set_down_keeps_the_speed_along_it():
    after_ = impose(bladed(body()), AT)
    ahead = 1.2 * math.cos(0.5) + 0.7 * math.sin(0.5)
    assert after_["vx"] == pytest.approx(ahead * math.cos(0.5))
    assert after_["vy"] == pytest.approx(ahead * math.sin(0.5))
    assert [after_[n] for n in ("x", "y", "theta", "omega")] == [0.2, -0.1, 0.5, 0.9]
    assert after_.lost == pytest.approx(SIDE**2)  # m/2 side^2, m = 2
    assert after_.impulses == {"blade": pytest.approx(-2 * SIDE)}
    assert f"{after_.lost:.6g}"[:5] in str(after_)


def test_a_knife_edge_set_down_ahead_of_the_centre():
    # impulse P = -phi/(1/m + a^2/J), loss phi^2/2/(1/m + a^2/J)
    after_ = impose(bladed(body(), sp.Rational(3, 10)), AT)
    phi, mass = SIDE + 0.3 * 0.9, 1 / (1 / 2.0 + 0.3**2 / 0.5)
    assert after_.lost == pytest.approx(mass * phi**2 / 2)
    assert after_.impulses["blade"] == pytest.approx(-mass * phi)
    assert after_["omega"] == pytest.approx(0.9 - 0.3 * mass * phi / 0.5)


def test_it_starts_the_run_that_follows():
    system = body()
    free = da.free(system)
    before = da.simulate(free, free.start(**AT), until=1.0)
    equations = bladed(system)
    start = impose(equations, {**before.at(1.0), "t": 1.0})
    assert isinstance(start, Imposed)
    assert start.t == 1.0
    path = da.simulate(equations, start, until=2.0)
    assert path.ok
    assert path.t[0] == 1.0
    assert path.audit.energy_start == pytest.approx(before.audit.energy_start - start.lost)


def test_imposing_what_holds_already_changes_nothing():
    equations = bladed(body())
    given = equations.start(x=0.0, y=0.0, theta=0.4, vx=1.0, omega=0.3)
    again = impose(equations, given)
    assert again.lost == pytest.approx(0.0, abs=1e-15)
    assert [again[n] for n in again] == pytest.approx([given[n] for n in given], abs=1e-15)


def test_it_is_the_plastic_wall():
    system, spec = sphere()
    grip = {"stop": system.space["vx"], "grip": spec["constraints"]["right_y"]}
    rolling = {c.name: c.given for c in system.constraints}
    equations = da.nonholonomic(system.changed(constraints={**rolling, **grip}))
    event = wall(system, **spec, restitution=0)
    for at in states(system):
        start = impose(equations, {n: at[n] for n in equations.states})
        expected, _ = after(event, system, at)
        assert [start[v.name] for v in system.space.velocities] == pytest.approx(list(expected), abs=1e-11)


def test_a_string_that_becomes_taut():
    # the radial speed is lost
    q = da.coordinates("x y")
    system = da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2 - q["y"])
    equations = da.nonholonomic(system.changed(constraints={"string": q["x"] ** 2 + q["y"] ** 2 - 1}))
    start = impose(equations, {"x": 0.6, "y": -0.8, "vx": 0.0, "vy": -1.0})
    assert start.lost == pytest.approx(0.8**2 / 2)
    with pytest.raises(ValueError, match="E131 the position does not satisfy"):
        impose(equations, {"x": 0.6, "y": -0.7, "vx": 0.0, "vy": -1.0})


def test_what_cannot_be_imposed_is_refused():
    q = da.coordinates("x y")
    system = da.System(q, q["vx"] ** 2 + q["vy"] ** 2)
    at = {"x": 1.0, "y": 0.0, "vx": 1.0, "vy": 1.0}
    # at y = 0 the constraint reads 0 = 1
    impossible = da.nonholonomic(system.changed(constraints={"drive": q["y"] * q["vx"] - 1}))
    with pytest.raises(ValueError, match="E131 no velocity satisfies drive"):
        impose(impossible, at)
    rail = system.changed(constraints={"rail": q["vx"]})
    with pytest.raises(ValueError, match="E235"):
        impose(da.vakonomic(rail), at)
    with pytest.raises(KeyError, match="E230 the state before lacks vy"):
        impose(da.nonholonomic(rail), {"x": 1.0, "y": 0.0, "vx": 1.0})
    with pytest.raises(TypeError, match="E241"):
        impose(da.nonholonomic(rail), [1.0, 0.0, 1.0, 0.0])


# --- walls that the system declares ----------------------------------------------------------------------------------


def bouncing(**changes):
    q = da.coordinates("x y")
    given = {
        "walls": {
            "floor": {"guard": q["y"], "restitution": "e"},
            "side": {"guard": 1 - q["x"], "constraints": {"grip": q["vy"]}, "restitution": 0.5},
        },
        "parameters": {"g": 9.81, "e": 0.8},
    }
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 - sp.Symbol("g", positive=True) * q["y"]
    return da.System(q, L, **{**given, **changes})


def test_declared_walls_use_their_parameters_and_act():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no W119 for e
        system = bouncing()
    equations = da.free(system)
    floor, side = da.impacts.walls(system)
    path = da.simulate(equations, equations.start(x=0, y=1, vx=0, vy=0), until=1.0, events=[floor, side])
    t = math.sqrt(2 / 9.81)
    assert path.at(1.0)["vy"] == pytest.approx(0.8 * 9.81 * t - 9.81 * (1.0 - t), abs=1e-9)
    assert [w.name for w in system.changed(title="again").walls] == ["floor", "side"]
    assert da.impacts.walls(system.changed(title="again"))[1].then == side.then
    assert "wall         floor: y > 0" in str(system)
    assert equations.system.used_in["e"] == "wall floor"


def test_declared_walls_are_checked_with_the_system():
    with pytest.raises(da.DalembertError, match=r"E130 restitution e = 1\.5"):
        bouncing(parameters={"g": 9.81, "e": 1.5})
    with pytest.raises(da.DalembertError, match="E131 walls are given by name"):
        bouncing(walls=["floor"])
    with pytest.raises(da.DalembertError, match="E131 the system declares no walls"):
        da.impacts.walls(bouncing(walls=None, parameters={"g": 9.81}))
    equations = da.free(bouncing(parameters={"g": 9.81}))
    with pytest.raises(da.DalembertError, match=r"E201 no value for e \(used in wall floor\)"):
        equations.start(x=0, y=1, vx=0, vy=0)


def test_a_restitution_that_leaves_its_range_in_a_run_is_named():
    system = bouncing()
    equations = da.free(system)
    start = equations.start(x=0, y=1, vx=0, vy=0)
    path = da.simulate(equations, start, until=1.0, events=da.impacts.walls(system), parameters={"e": 2.0})
    assert not path.ok
    assert "E130" in path.message
    assert "gives no number for vy: is each restitution in [0, 1], each new value a number?" in path.message


# --- no wall pulls, and contacts that last ---------------------------------------------------------------------------


def particle(**changes):
    q = da.coordinates("x y")
    return q, da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2, **changes)


def into_the_corner(first, second, v, e=(1, 1)):
    q, system = particle()
    given = {name: {"guard": g, "restitution": r} for name, g, r in zip("fw", (first(q), second(q)), e, strict=True)}
    equations = da.free(system)
    start = equations.start(x=-v[0], y=-v[1], vx=v[0], vy=v[1])
    path = da.simulate(equations, start, until=1.5, events=walls(system, given))
    return np.array([path["vx"][-1], path["vy"][-1]]), path


def meets_both(angle, heading):
    v = math.cos(heading), math.sin(heading)
    return v[1] < -1e-3 and math.sin(angle) * v[0] + math.cos(angle) * v[1] < -1e-3


CORNERS = [
    (angle, heading)
    for angle in (0.3, 0.8, 1.3, 2.0, 2.8)
    for heading in (-3.0, -2.5, -2.0, -1.5, -1.1)
    if meets_both(angle, heading)
]


@pytest.mark.filterwarnings("ignore:W131")  # different restitutions can gain energy in a sharp corner
@pytest.mark.parametrize(("angle", "heading"), CORNERS)
@pytest.mark.parametrize("e", [(1, 1), (1, 0), (0.4, 0.9)])
def test_in_a_corner_the_impulses_push_and_complement_the_speeds(angle, heading, e):
    # f = y and w = a wall that leans by an angle; a motion into both
    v = np.array([math.cos(heading), math.sin(heading)])
    normals = np.array([[0.0, 1.0], [math.sin(angle), math.cos(angle)]])
    lean = [sp.Float(c) for c in normals[1]]
    found, path = into_the_corner(lambda q: q["y"], lambda q: lean[0] * q["x"] + lean[1] * q["y"], v, e)
    p = np.linalg.solve(normals.T, found - v)  # u+ - u = p_f n_f + p_w n_w
    left = normals @ found + np.array(e) * (normals @ v)
    assert (p >= -1e-9).all()
    assert (left >= -1e-9).all()
    assert np.abs(p * left).max() < 1e-9
    if e == (1, 1):
        assert found @ found == pytest.approx(1, abs=1e-12)
    assert all(len(path.marks[name]) == 1 for name in "fw")


@pytest.mark.parametrize("start", [{"x": 0, "y": 5, "vx": 1, "vy": -1}, {"x": 0, "y": 1, "vx": 0.3, "vy": -1}])
@pytest.mark.parametrize("lean", [0, sp.Rational(1, 20), sp.Float(-0.37)])
def test_a_plastic_wall_is_slid_along_where_nothing_presses(start, lean):
    q, system = particle()
    equations = da.free(system)
    floor = wall(system, q["y"] + lean * q["x"], restitution=0)
    path = da.simulate(equations, equations.start(**start), until=20.0, events=[floor])
    assert path.ok
    assert len(path.marks["wall"]) == 1
    end = path.at(20.0)
    assert end["y"] + float(lean) * end["x"] == pytest.approx(0, abs=1e-12)
    # the part along the wall is kept
    along = np.array([1.0, -float(lean)]) / math.hypot(1, float(lean))
    assert along @ [end["vx"], end["vy"]] == pytest.approx(along @ [start["vx"], start["vy"]], abs=1e-12)


def test_a_motion_that_presses_ends_with_the_contact_and_goes_on_imposed():
    q, system = particle()
    heavy = system.changed(lagrangian=system.lagrangian - 10 * q["y"])
    equations = da.free(heavy)
    path = da.simulate(
        equations, equations.start(x=0, y=5, vx=1, vy=0), until=3.0, events=[wall(heavy, q["y"], restitution=0)]
    )
    assert path.outcome.startswith("E133 at t = 1: the motion rests against wall; impose the contact")
    assert "da.impacts.impose" in " ".join(str(path).split())
    held = da.nonholonomic(heavy.changed(constraints={"floor": q["y"]}))
    after = impose(held, path.at(path.t[-1]))
    assert after.lost == pytest.approx(0, abs=1e-12)
    assert da.simulate(held, after, until=2.0).at(2.0)["x"] == pytest.approx(3.0, abs=1e-9)


def test_a_motion_leaves_a_wall_it_rested_against():
    # pushed away: y = (t - 1)^2 x-dependent force; the wall is met once and never again
    q, system = particle(forces={"vy": da.coordinates("x y")["x"] / 4})
    equations = da.free(system)
    path = da.simulate(
        equations, equations.start(x=0, y=1, vx=1, vy=-1), until=8.0, events=[wall(system, q["y"], restitution=0)]
    )
    t = path.marks["wall"].t[0]
    # vy = (t^2 - t0^2)/8 after the impact
    assert path.ok
    assert path.at(8.0)["vy"] == pytest.approx((64 - t**2) / 8, abs=1e-9)


def test_a_pendulum_stops_at_its_lowest_point():
    q = da.coordinates("x y")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 - q["y"]
    system = da.System(q, L, {"rod": q["x"] ** 2 + q["y"] ** 2 - 1})
    equations = da.nonholonomic(system)
    start = equations.start(x=0.6, y=-0.8, vx=0.0)
    path = da.simulate(equations, start, until=9.0, events=[wall(system, q["x"], restitution=0)])
    assert path.ok
    assert path.at(9.0)["x"] == pytest.approx(0, abs=1e-12)


def test_a_start_at_rest_on_a_wall_slides_or_is_told_to_impose():
    q, system = particle()
    equations = da.free(system)
    path = da.simulate(equations, equations.start(x=1, y=0, vx=1, vy=0), until=3.0, events=[wall(system, q["y"])])
    assert path.ok
    assert not len(path.marks["wall"])
    heavy = system.changed(lagrangian=system.lagrangian - q["y"])
    falls = da.free(heavy)
    with pytest.raises(da.DalembertError, match=r"(?s)E310 .*da\.impacts\.impose"):
        da.simulate(falls, falls.start(x=1, y=0, vx=1, vy=0), until=3.0, events=[wall(heavy, q["y"])])


def test_walls_of_another_system_or_principle_are_refused():
    q, system = particle()
    other = da.System(q, 5 * q["vx"] ** 2 + q["vy"] ** 2 + q["vx"] * q["vy"])
    equations = da.free(other)
    with pytest.raises(da.DalembertError, match=r"E131 the impact at wall was computed for another system"):
        da.simulate(equations, equations.start(x=0, y=0, vx=1, vy=0), until=2.0, events=[wall(system, 1 - q["x"])])
    skate = system.changed(constraints={"blade": q["vy"] - q["x"] * q["vx"]})
    rival = da.vakonomic(skate)
    start = rival.start(x=0, y=0, vx=1, lam_blade=0.1)
    with pytest.raises(da.DalembertError, match="E131 the vakonomic multipliers after the impact"):
        da.simulate(rival, start, until=2.0, events=[wall(skate, 1 - q["x"])])
    for form in (
        da.nonholonomic,
        da.forms.gauss,
        da.forms.maggi,
        da.forms.hamel,
        da.forms.voronec,
        da.forms.gibbs_appell,
        da.forms.symplectic,
    ):
        path = da.simulate(form(skate), form(skate).start(x=0, y=0, vx=1), until=2.0, events=[wall(skate, 1 - q["x"])])
        assert path.ok
        assert len(path.marks["wall"]) == 1


def test_names_that_a_wall_has_already_are_refused():
    q, system = particle()
    with pytest.raises(da.DalembertError, match='E131 a wall has a row "normal" already'):
        wall(system, q["x"], {"normal": q["vy"]})


def test_a_start_behind_a_wall_is_noted_with_the_path():
    q, system = particle()
    equations = da.free(system)
    with pytest.warns(da.DalembertWarning, match="W240"):
        path = da.simulate(equations, equations.start(x=1, y=0, vx=1, vy=0), until=1.0, events=[wall(system, -q["x"])])
    assert any("W240" in str(note) for note in path.audit.notes)


@pytest.mark.parametrize("side", [1, -1])
def test_a_thin_wall_has_two_sides(side):
    # a particle on a spring bounces off the side it is on
    q = da.coordinates("x y")
    system = da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2 - q["x"] ** 2 / 2)
    equations = da.free(system)
    both = walls(system, {"right of it": q["x"], "left of it": -q["x"]})
    with pytest.warns(da.DalembertWarning, match="W240"):  # each start lies beyond the other side
        path = da.simulate(equations, equations.start(x=side, y=0, vx=0, vy=0), until=20.0, events=both)
    assert path.ok
    assert (side * path["x"] > -1e-12).all()
    hits = "right of it" if side == 1 else "left of it"
    # a quarter of a period, then halves
    assert path.marks[hits].t == pytest.approx(math.pi / 2 + math.pi * np.arange(6), abs=1e-9)


def test_a_contact_that_was_left_can_be_met_again():
    # two masses and springs: the first stops where it is pulled back, leaves, and comes back much later
    q = da.coordinates("x y")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 - (q["x"] - q["y"]) ** 2 / 2 - q["y"] ** 2 / 2
    system = da.System(q, L)
    equations, stop = da.free(system), wall(system, sp.Rational(3, 10) - q["x"], restitution=0)
    start = equations.start(x=-1.0, y=0.4, vx=0.0, vy=0.0)
    path = da.simulate(equations, start, until=8.0, events=[stop])
    once = da.simulate(equations, start, until=4.0, events=[stop])
    assert once.ok
    assert len(once.marks["wall"]) == 1
    # a run begun anew from the free flight meets the stop at the same time
    there = once.at(3.0)
    anew = equations.start(t=3.0, **{n: there[n] for n in ("x", "y", "vx", "vy")})
    second = da.simulate(equations, anew, until=8.0, events=[stop]).marks["wall"].t[0]
    assert path.marks["wall"].t == pytest.approx([once.marks["wall"].t[0], second], abs=1e-8)


@pytest.mark.parametrize("m", [1e-20, 1e-9, 1.0, 1e9, 1e20])
def test_what_is_imposed_does_not_depend_on_the_unit_of_mass(m):
    q = da.coordinates("a b")
    mass = sp.Symbol("m", positive=True)
    free = da.System(q, mass * (q["va"] ** 2 + 3 * q["vb"] ** 2) / 2, parameters={"m": m})
    after = impose(
        da.nonholonomic(free.changed(constraints={"c": q["va"] - q["vb"]})), {"a": 0, "b": 0, "va": -1, "vb": 2}
    )
    assert after["va"] == pytest.approx(1.25, rel=1e-12)
    assert after.impulses["c"] == pytest.approx(2.25 * m, rel=1e-12)
    assert after.lost == pytest.approx(6.75 / 2 * m, rel=1e-11)
