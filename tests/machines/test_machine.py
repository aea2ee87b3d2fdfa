"""Machines of bodies and joints: energies by point masses, equations derived by hand, known machines, wrenches."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da


def accelerations(equations, state):
    return equations.evaluate(equations.start(**state))["accelerations"]


def near(found, wanted, rtol=1e-11):
    scale = max(map(abs, wanted.values()))
    assert found.keys() == wanted.keys()
    assert max(abs(found[name] - wanted[name]) for name in wanted) <= rtol * scale, (found, wanted)


# --- a cart with two pendulums, in symbols ----------------------------------------------------------------------------


def cart():
    machine = da.Machine(gravity=[0, 0, "-g"], parameters={"M": 3.0, "m": 2.0, "l": 0.5, "g": 9.81})
    body = machine.body("cart", mass="M")
    upper, lower = (machine.body(name, mass="m", centre=[0, 0, "-l"]) for name in ("upper", "lower"))
    machine.joint("x", "slide", machine.ground, body, axis="x")
    machine.joint("a", "hinge", body, upper, axis="-y")
    machine.joint("b", "hinge", upper, lower, axis="-y", at=[0, 0, "-l"])
    return machine


def test_a_double_pendulum_on_a_cart_has_the_textbooks_lagrangian():
    """T and V by hand, in absolute angles a and a + b."""
    q = da.coordinates("x a b")
    M, m, length, g, vx, a, b, va, vb = sp.symbols("M m l g vx a b va vb", real=True)
    c = a + b
    first = sp.Matrix([vx + length * va * sp.cos(a), length * va * sp.sin(a)])
    second = first + length * (va + vb) * sp.Matrix([sp.cos(c), sp.sin(c)])
    T = M * vx**2 / 2 + m * (first.dot(first) + second.dot(second)) / 2
    V = -m * g * length * (2 * sp.cos(a) + sp.cos(c))
    by_hand = da.System(q, T - V, parameters={"M": 3.0, "m": 2.0, "l": 0.5, "g": 9.81})
    rng = np.random.default_rng(2)
    for _ in range(5):
        state = dict(zip(("x", "a", "b", "vx", "va", "vb"), rng.uniform(-2, 2, 6).tolist(), strict=True))
        near(accelerations(da.free(cart().system), state), accelerations(da.free(by_hand), state))


def test_the_printed_equations_are_the_textbooks():
    told = " ".join(str(da.free(cart().system)).split())
    assert "(M + 2*m)*vx'" in told
    assert "m*l*vx'*cos(a + b) + m*l**2*(1 + cos(b))*va' + m*l**2*vb' + m*l*(l*va**2*sin(b) + g*sin(a + b)) = 0" in told


# --- every kind of joint: bodies of point masses, whose velocities are differences of their positions ----------------

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
PAIR = 0.3
KINDS = {
    "hinge": {"axis": (0.3, -0.5, 0.8)},
    "slide": {"axis": "-y"},
    "screw": {"axis": "x", "pitch": 0.4},
    "cylinder": {"axis": (0, 0.6, 0.8)},
    "universal": {},
    "planar": {"axis": "y"},
    "ball": {},
    "free": {},
}


def chained(kind, options):
    """A body on a hinge, and behind it another on a joint of this kind; each is six point masses."""
    machine = da.Machine(gravity=[0.4, -0.3, -9.81])
    for name in ("near", "far"):
        # six masses at +-a_k along the axes:  J_1 = 2 m (a_2^2 + a_3^2)
        a = np.array([0.1, 0.2, 0.3]) * (1 if name == "near" else 1.5)
        J = [2 * PAIR * float(a @ a - a[k] ** 2) for k in range(3)]
        machine.body(name, mass=6 * PAIR, centre=[0.1, 0.2, -0.1], inertia=J, turn=["y 0.4", "x 0.3"])
    machine.joint("first", "hinge", machine.ground, "near", axis="y", turn="z 0.7", at=[0.3, 0, 0])
    machine.joint("second", kind, "near", "far", at=[0.2, -0.4, 0.5], turn=["x 0.5", "z -0.4"], **options)
    return machine


def masses(machine, body):
    """The positions of its six masses, as expressions."""
    y, x = 0.4, 0.3
    Ry = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    Rx = np.array([[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]])
    a = np.array([0.1, 0.2, 0.3]) * (1 if body == "near" else 1.5)
    for k in range(3):
        for sign in (1, -1):
            at = np.array([0.1, 0.2, -0.1]) + sign * a[k] * (Ry @ Rx)[:, k]
            yield machine.point(body, at.tolist())


@pytest.mark.parametrize("kind", KINDS)
def test_the_lagrangian_is_that_of_point_masses(kind):
    """L by positions alone: each velocity is a central difference along qdot = E u."""
    machine = chained(kind, KINDS[kind])
    system = machine.system
    q, u = system.space.coordinates, system.space.velocities
    values = system.space.sample(np.random.default_rng(5), [])
    state = [values[s.name] for s in (*q, *u)]
    rates = np.array(sp.lambdify([*q, *u], list(system.space.anchor * sp.Matrix(u)))(*state), float)
    place = np.array(state[: len(q)])
    L, step = 0.0, 1e-5
    for body in machine.bodies:
        for point in masses(machine, body):
            x = sp.lambdify(q, list(point.position), "numpy")
            v = (np.array(x(*(place + step * rates))) - np.array(x(*(place - step * rates)))) / (2 * step)
            L += PAIR * (v @ v / 2 + np.array([0.4, -0.3, -9.81]) @ np.array(x(*place)))
            assert np.allclose(np.array(sp.lambdify([*q, *u], list(point.velocity))(*state), float), v, atol=1e-8)
            J = np.array(sp.lambdify(q, point.jacobian)(*place), float)
            assert np.allclose(J @ np.array(state[len(q) :]), v, atol=1e-8)
    assert float(sp.lambdify([*q, *u], system.lagrangian)(*state)) == pytest.approx(L, rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_joint_carries_is_the_change_of_momentum(kind):
    """Newton and Euler for both bodies together, by differences of their momenta along a motion."""
    machine = chained(kind, KINDS[kind])
    equations = da.free(machine.system)
    values = machine.system.space.sample(np.random.default_rng(7), [])
    path = da.simulate(equations, equations.start(**values), until=0.2)
    h = 1e-4
    t = [0.1 - h, 0.1, 0.1 + h]
    points = [p for body in machine.bodies for p in masses(machine, body)]
    where = np.array([[0.3, 0, 0]])
    momenta = []
    for time in t:
        row = {sp.Symbol(name, real=True): value for name, value in path.at(time).items()}
        x = np.array([[float(e.subs(row)) for e in p.position] for p in points])
        v = np.array([[float(e.subs(row)) for e in p.velocity] for p in points])
        momenta.append((PAIR * v.sum(axis=0), PAIR * np.cross(x - where, v).sum(axis=0), x))
    g = np.array([0.4, -0.3, -9.81])
    force = (momenta[2][0] - momenta[0][0]) / (2 * h) - PAIR * len(points) * g
    moment = (momenta[2][1] - momenta[0][1]) / (2 * h) - PAIR * np.cross(momenta[1][2] - where, g).sum(axis=0)
    found = machine.reaction("first", axes="space").along(equations, path, [0.1])
    assert np.allclose(found["force"][0], force, atol=1e-5 * abs(force).max())
    assert np.allclose(found["moment"][0], moment, atol=1e-5 * abs(moment).max())


# --- wheels, discs, balls and blades ----------------------------------------------------------------------------------


def differential(contact=None, base="planar"):
    """A carriage with two wheels on one axle, its centre of mass ahead of it."""
    robot = da.Machine(inputs="left_torque right_torque")
    robot.body("base", mass=5, centre=[0.05, 0, 0.1], inertia=[0.1, 0.12, 0.15])
    robot.base(base, "base")
    for side, y in (("left", 0.2), ("right", -0.2)):
        robot.body(side, mass=0.5, inertia=[0.001, 0.002, 0.001])
        robot.joint(f"{side}_wheel", "hinge", "base", side, axis="y", at=[0, y, 0.1], torque=f"{side}_torque")
        robot.roll(side, 0.1, contact=contact)
    return robot


def test_a_differential_drive_obeys_the_equations_derived_by_hand():
    """In forward speed v and turning w, with  r w_left = v - b w ,  r w_right = v + b w."""
    robot = differential()
    equations = da.nonholonomic(robot.system)
    r, b, d, m, mw, J, Jw, I = 0.1, 0.2, 0.05, 5.0, 0.5, 0.15, 0.001, 0.002
    # (m + 2 mw + 2 I/r^2) v' - m d w^2 = (tl + tr)/r
    # (J + m d^2 + 2 Jw + 2 mw b^2 + 2 I b^2/r^2) w' + m d v w = (tr - tl) b/r
    v, w, tl, tr = 0.7, -0.9, 0.3, -0.1
    vdot = ((tl + tr) / r + m * d * w**2) / (m + 2 * mw + 2 * I / r**2)
    wdot = ((tr - tl) * b / r - m * d * v * w) / (J + m * d**2 + 2 * Jw + 2 * mw * b**2 + 2 * I * b**2 / r**2)
    place = {"x": 0.3, "y": -1.0, "theta": 2.0, "left_wheel": 0.1, "right_wheel": 0.4}
    inputs = {"left_torque": tl, "right_torque": tr}
    state = {"vleft_wheel": (v - b * w) / r, "vright_wheel": (v + b * w) / r}
    start = equations.start(**place, **state, inputs=inputs)
    found = equations.evaluate(start, inputs=inputs)["accelerations"]
    assert start["v1"] == pytest.approx(v, abs=1e-14)
    assert start["omega"] == pytest.approx(w, abs=1e-14)
    assert start["v2"] == pytest.approx(0, abs=1e-14)
    assert found["v1"] == pytest.approx(vdot, rel=1e-12)
    assert found["omega"] == pytest.approx(wdot, rel=1e-12)


def test_its_odometry_is_exact_and_its_motor_torques_are_in_the_joints():
    robot = differential()
    equations = da.nonholonomic(robot.system)
    at_rest = dict.fromkeys(("x", "y", "theta", "left_wheel", "right_wheel", "vleft_wheel", "vright_wheel"), 0)
    motors = {"left_torque": "0.2*sin(3*t)", "right_torque": 0.3}
    path = da.simulate(
        equations, equations.start(at_rest, inputs={"left_torque": 0, "right_torque": 0.3}), until=3, inputs=motors
    )
    assert path.ok
    # theta = r (q_right - q_left)/(2 b)
    assert np.allclose(path["theta"], 0.1 * (path["right_wheel"] - path["left_wheel"]) / 0.4, atol=1e-12)
    left = robot.reaction("left_wheel", axes="before").along(equations, path)
    assert np.allclose(left["moment"][:, 1], 0.2 * np.sin(3 * path.t), atol=1e-9)
    right = robot.reaction("right_wheel", axes="space").along(equations, path)["force"]
    base = robot.reaction("base", axes="space").along(equations, path)["force"]
    # all of the weight is on the plane in which the base is held
    assert np.allclose(base[:, 2], 6 * 9.81, rtol=1e-10)
    assert np.allclose(right[:, 2], -0.5 * -9.81, rtol=1e-10)


def test_a_disc_is_the_gallerys():
    coin = da.Machine(gravity=[0, 0, -9.81])
    body = coin.body("coin", mass=1.0, inertia=[0.0225, 0.0225, 0.045])
    coin.base("free", body)
    coin.roll(body, 0.3, axle="z")
    rolls = da.rolling(da.Body("disc", radius=0.3), "z", rotation=da.rotation("R", "w1 w2 w3", frame="body"))
    wheel = da.System(
        rolls.space, rolls.kinetic(1, [0.0225, 0.0225, 0.045]) - 9.81 * rolls.position[2], rolls.constraints
    )
    turned = {"w": 0.8, "x": 0.5, "y": 0.3, "z": math.sqrt(1 - 0.98)}
    ours, theirs = da.nonholonomic(coin.system), da.nonholonomic(wheel)
    spin = {"w1": 0.4, "w2": -0.7, "w3": 3.0}
    first, second = ours.start(x=0, y=0, R=turned, **spin), theirs.start(x=0, y=0, R=turned, **spin)
    a, b = ours.evaluate(first)["accelerations"], theirs.evaluate(second)["accelerations"]
    assert all(a[name] == pytest.approx(b[name], rel=1e-9, abs=1e-9) for name in spin)


def test_a_blade_is_chaplygins_sleigh():
    sleigh = da.Machine(gravity=[0, 0, 0])
    body = sleigh.body("sleigh", mass=1.3, centre=[0.4, 0, 0], inertia=[1, 1, 0.7])
    sleigh.base("planar", body)
    sleigh.skate(body)
    found = accelerations(da.nonholonomic(sleigh.system), {"x": 0, "y": 0, "theta": 0.3, "v1": 0.5, "omega": 0.8})
    # v' = a w^2 ,  (J + m a^2) w' = -m a v w
    assert found["v1"] == pytest.approx(0.4 * 0.8**2, rel=1e-12)
    assert found["omega"] == pytest.approx(-1.3 * 0.4 * 0.5 * 0.8 / (0.7 + 1.3 * 0.16), rel=1e-12)


def test_a_ball_rolls_at_five_sevenths():
    """Down a slope: 5/7 g sin(a)."""
    machine = da.Machine(gravity=[9.81 * math.sin(0.2), 0, -9.81 * math.cos(0.2)])
    ball = machine.body("ball", mass=2.0, inertia=[0.4 * 2 * 0.01] * 3)
    machine.base("free", ball)
    machine.roll(ball, 0.1)
    equations = da.nonholonomic(machine.system)
    start = equations.start(x=0, y=0, R="identity", w1=0, w2=0, w3=0.5)
    path = da.simulate(equations, start, until=1)
    assert path.at(1.0)["x"] == pytest.approx(5 / 14 * 9.81 * math.sin(0.2), rel=1e-9)
    force = machine.reaction("base", axes="space")
    assert all(abs(f) < 1e-9 for f in force.along(equations, path)["force"].ravel())


def wheels_with_rollers(angles, places, headings):
    """A base on wheels whose rollers stand at these angles."""
    base = da.Machine()
    base.body("base", mass=4, inertia=[0.1, 0.1, 0.2])
    base.base("planar", "base")
    for n, (angle, place, heading) in enumerate(zip(angles, places, headings, strict=True), 1):
        base.body(f"wheel{n}", mass=0.2, inertia=[1e-4, 2e-4, 1e-4])
        base.joint(f"q{n}", "hinge", "base", f"wheel{n}", axis="y", turn=("z", heading), at=[*place, 0.05])
        base.roll(f"wheel{n}", 0.05, rollers=angle)
    return base


def test_a_mecanum_base_moves_as_its_wheels_say():
    """r w = v_x -+ v_y -+ (l + b) w, the rollers of a pair standing at +-45 deg [muir1987]."""
    places = [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15)]
    signs = (1, -1, -1, 1)
    base = wheels_with_rollers([s * math.pi / 4 for s in signs], places, [0] * 4)
    equations = da.nonholonomic(base.system)
    vx, vy, w = 0.3, -0.2, 0.5
    known = {"x": 0, "y": 0, "theta": 0.4, "v1": vx, "v2": vy, "omega": w, **{f"q{n}": 0 for n in (1, 2, 3, 4)}}
    start = equations.start(known)
    for n, ((x, y), s) in enumerate(zip(places, signs, strict=True), 1):
        # along the roller's axis (s, 1)/sqrt 2 at the ground, forward and to the left:  s (v_f - r q') + v_l = 0
        forward, left = vx - w * y, vy + w * x
        assert start[f"vq{n}"] == pytest.approx((forward + left / s) / 0.05, rel=1e-12)


def test_three_omni_wheels_turn_a_base_on_the_spot():
    headings = [math.pi / 2, math.pi / 2 + 2 * math.pi / 3, math.pi / 2 + 4 * math.pi / 3]
    places = [(0.2 * math.cos(h - math.pi / 2), 0.2 * math.sin(h - math.pi / 2)) for h in headings]
    base = wheels_with_rollers([math.pi / 2] * 3, places, headings)
    equations = da.nonholonomic(base.system)
    start = equations.start(x=0, y=0, theta=0, v1=0, v2=0, omega=1.0, q1=0, q2=0, q3=0)
    assert [start[f"vq{n}"] for n in (1, 2, 3)] == pytest.approx([4.0] * 3, rel=1e-12)


def test_a_wheel_with_friction_falls_and_rolls():
    robot = differential(contact={"mu": 0.8}, base="free")
    assert {"left", "right"} <= {contact.name for contact in robot.system.contacts}


def test_a_segway_falls_as_it_does_by_hand():
    """Straight on: (M + 2m + 2I/r^2) v' + M l cos(th) th'' = M l th'^2 sin(th), and the moment about the axle."""
    M, length, m, J, I, r, th = 60.0, 0.9, 2.0, 3.0, 0.04, 0.2, 0.1
    segway = da.Machine()
    segway.body("foot")
    segway.base("planar", "foot")
    segway.body("rider", mass=M, centre=[0, 0, length], inertia=[3, J, 1])
    segway.joint("pitch", "hinge", "foot", "rider", axis="y", at=[0, 0, r])
    for side, y in (("left", 0.3), ("right", -0.3)):
        segway.body(side, mass=m, inertia=[0.02, I, 0.02])
        segway.joint(f"{side}_wheel", "hinge", "rider", side, axis="y", at=[0, y, 0])
        segway.roll(side, r)
    still = dict.fromkeys(("x", "y", "theta", "left_wheel", "right_wheel", "vleft_wheel", "vright_wheel", "vpitch"), 0)
    found = accelerations(da.nonholonomic(segway.system), {**still, "pitch": th})
    across = M * length * math.cos(th)
    mass = [[M + 2 * m + 2 * I / r**2, across], [across, M * length**2 + J]]
    forward, pitch = np.linalg.solve(mass, [0, M * 9.81 * length * math.sin(th)])
    assert found["v1"] == pytest.approx(forward, rel=1e-12)
    assert found["vpitch"] == pytest.approx(pitch, rel=1e-12)


def test_a_car_with_ackermanns_steering_turns_about_one_point():
    """cot(right) - cot(left) = track/base, and the rear axle turns at  v tan(left)/(base + track/2 tan(left))."""
    base, track, left = 2.5, 1.4, 0.3
    car = da.Machine()
    car.body("car", mass=1000, centre=[1.2, 0, 0.4], inertia=[300, 1200, 1400])
    car.base("planar", "car")
    for end, x in (("front", base), ("rear", 0.0)):
        for side, y in (("left", track / 2), ("right", -track / 2)):
            wheel, at, held = f"{end}_{side}", [x, y, 0.3], "car"
            if end == "front":
                car.body(f"knuckle_{side}", mass=5, inertia=[0.1, 0.1, 0.1])
                car.joint(f"steer_{side}", "hinge", "car", f"knuckle_{side}", at=at)
                at, held = [0, 0, 0], f"knuckle_{side}"
            car.body(wheel, mass=15, inertia=[0.4, 0.7, 0.4])
            car.joint(f"q_{wheel}", "hinge", held, wheel, axis="y", at=at)
            car.roll(wheel, 0.3)
    a, b = "steer_left", "steer_right"
    car.relate("ackermann", f"{base}*(sin({b})*cos({a}) - cos({b})*sin({a})) + {track}*sin({a})*sin({b})")
    with pytest.warns(da.DalembertWarning, match="W113"):  # one row of four wheels follows from the others
        equations = da.nonholonomic(car.system)
    right = math.atan(1 / (1 / math.tan(left) + track / base))
    wheels = {q.name: 0 for q in car.system.space.coordinates if q.name.startswith("q_")}
    known = {"x": 0, "y": 0, "theta": 0, a: left, b: right, **wheels, "v1": 5.0, "vsteer_left": 0.2}
    start = equations.start(known)
    assert start["omega"] == pytest.approx(5 * math.tan(left) / (base + track / 2 * math.tan(left)), rel=1e-12)
    path = da.simulate(equations, start, until=1)
    assert path.ok
    cot = 1 / np.tan(path[b]) - 1 / np.tan(path[a])
    assert np.allclose(cot, track / base, rtol=1e-9)


# --- loops and relations ----------------------------------------------------------------------------------------------


def four_bar():
    bars = da.Machine()
    for name, length in (("crank", 0.2), ("rod", 0.6), ("rocker", 0.4)):
        bars.body(name, mass=1, centre=[length / 2, 0, 0], inertia=[0.0, length**2 / 12, length**2 / 12])
    bars.joint("q1", "hinge", bars.ground, "crank", axis="-y")
    bars.joint("q2", "hinge", "crank", "rod", axis="-y", at=[0.2, 0, 0])
    bars.joint("q3", "hinge", bars.ground, "rocker", axis="-y", at=[0.5, 0, 0])
    bars.close("pin", "hinge", "rod", "rocker", at=[0.6, 0, 0], other=[0.4, 0, 0], axis="y")
    return bars


def test_a_four_bar_obeys_freudensteins_equation():
    bars = four_bar()
    equations = da.nonholonomic(bars.system)
    start = equations.start(q1=0.5, vq1=2.0, guess={"q2": -0.1, "q3": 1.5})
    path = da.simulate(equations, start, until=2)
    assert path.ok
    a, b, c, d = 0.2, 0.6, 0.4, 0.5
    # d/a cos q3 - d/c cos q1 + (a^2 - b^2 + c^2 + d^2)/(2 a c) = cos(q1 - q3) , the ground link along -x from q3
    left = d / c * np.cos(path["q1"]) - d / a * np.cos(path["q3"]) - (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
    assert np.allclose(left, -np.cos(path["q1"] - path["q3"]), atol=1e-10)
    energy = path["energy"]
    assert np.ptp(energy) < 1e-9 * abs(energy).max()


def test_the_pin_of_a_loop_pulls_both_bars():
    """All joints to the ground together carry the change of momentum and the weight."""
    bars = four_bar()
    equations = da.nonholonomic(bars.system)
    path = da.simulate(equations, equations.start(q1=0.5, vq1=2.0, guess={"q2": -0.1, "q3": 1.5}), until=1)
    h, held = 1e-4, np.zeros(3)
    for joint in ("q1", "q3"):
        held += bars.reaction(joint, axes="space").along(equations, path, [0.5])["force"][0]
    rate = np.zeros(3)
    for body, length in (("crank", 0.2), ("rod", 0.6), ("rocker", 0.4)):
        v = bars.point(body, [length / 2, 0, 0]).along(equations, path, [0.5 - h, 0.5 + h])["velocity"]
        rate += (v[1] - v[0]) / (2 * h)
    assert np.allclose(held - [0, 0, 3 * 9.81], rate, atol=1e-5 * abs(held).max())


def test_a_slider_crank_has_its_stroke():
    engine = da.Machine(gravity=[0, 0, 0])
    engine.body("crank", mass=1, inertia=[0.01, 0.01, 0.01])
    engine.body("rod", mass=0.5, centre=[0.15, 0, 0], inertia=[0.0, 0.004, 0.004])
    engine.body("piston", mass=0.8)
    engine.joint("q", "hinge", engine.ground, "crank", axis="z")
    engine.joint("p", "hinge", "crank", "rod", axis="z", at=[0.1, 0, 0])
    engine.joint("s", "slide", engine.ground, "piston", axis="x")
    engine.close("pin", "hinge", "rod", "piston", at=[0.3, 0, 0])
    equations = da.nonholonomic(engine.system)
    path = da.simulate(equations, equations.start(q=0.3, vq=20.0, guess={"p": -0.4, "s": 0.4}), until=1)
    q = path["q"]
    assert path.ok
    assert np.allclose(path["s"], 0.1 * np.cos(q) + np.sqrt(0.09 - (0.1 * np.sin(q)) ** 2), atol=1e-11)


def test_a_stewart_platform_has_six_freedoms():
    """Legs as slides between universal and ball joints; its weight is on them."""
    platform = da.Machine()
    platform.body("top", mass=3, inertia=[0.05, 0.05, 0.1])
    platform.joint("top", "free", platform.ground, "top")
    for n in range(6):
        low = 2 * math.pi * (n // 2) / 3 + (0.2 if n % 2 else -0.2)
        high = 2 * math.pi * ((n + 1) // 2) / 3 - math.pi / 3 + (-0.2 if n % 2 else 0.2)
        platform.body(f"cylinder{n}", mass=0.2, centre=[0, 0, 0.1], inertia=[0.001, 0.001, 0.0002])
        platform.body(f"piston{n}", mass=0.1, centre=[0, 0, -0.1], inertia=[0.001, 0.001, 0.0001])
        foot, head = ([r * math.cos(a), r * math.sin(a), 0] for r, a in ((0.5, low), (0.3, high)))
        platform.joint(f"u{n}", "universal", platform.ground, f"cylinder{n}", at=foot)
        platform.joint(f"leg{n}", "slide", f"cylinder{n}", f"piston{n}")
        platform.close(f"end{n}", "ball", f"piston{n}", "top", other=head)
    equations = da.nonholonomic(platform.system)
    assert len(platform.system.space.velocities) - len(platform.system.constraints) == 6
    known = {"top_x": 0.02, "top_y": 0, "top_z": 0.6, "top_R": "identity"}
    still = {f"top_{name}": 0 for name in ("v1", "v2", "v3", "w1", "w2", "w3")}
    start = equations.start(
        **known,
        **still,
        guess={f"leg{n}": 0.6 for n in range(6)} | {f"u{n}_{k}": 0.0 for n in range(6) for k in (1, 2)},
    )
    path = da.simulate(equations, start, until=0.1)
    assert path.ok


def test_gears_turn_against_each_other():
    """(I1 + I2/k^2) q1'' = torque of the first, of a train with q1 + k q2 = 0."""
    train = da.Machine(gravity=[0, 0, 0])
    for name, J in (("first", 0.2), ("second", 0.9)):
        train.body(name, mass=1, inertia=[J, J, J])
        train.joint(f"q_{name}", "hinge", train.ground, name, torque="0.5" if name == "first" else None)
    train.relate("mesh", "q_first + 3*q_second")
    found = accelerations(da.nonholonomic(train.system), {"q_first": 0, "q_second": 0, "vq_first": 0.4})
    assert found["vq_first"] == pytest.approx(0.5 / (0.2 + 0.9 / 9), rel=1e-12)


def test_a_joint_that_follows_is_a_gear():
    train = da.Machine(gravity=[0, 0, 0])
    for name, J in (("first", 0.2), ("second", 0.9)):
        train.body(name, mass=1, inertia=[J, J, J])
    train.joint("q", "hinge", train.ground, "first", torque="0.5", armature=0.05)
    train.joint("p", "hinge", train.ground, "second", follows=("q", "-1/3"))
    found = accelerations(da.free(train.system), {"q": 0, "vq": 0.4})
    assert found == pytest.approx({"vq": 0.5 / (0.25 + 0.9 / 9)}, rel=1e-12)


def test_a_rack_follows_its_pinion_by_a_length():
    train = da.Machine(gravity=[0, 0, 0])
    train.body("pinion", mass=1, inertia=[0.2, 0.2, 0.2])
    train.body("rack", mass=3)
    train.joint("q", "hinge", train.ground, "pinion", torque=0.5)
    train.joint("s", "slide", train.ground, "rack", axis="x", follows=("q", "10 cm", "2 cm"), armature="2 kg")
    found = accelerations(da.free(train.system), {"q": 0, "vq": 0.4})
    assert found == pytest.approx({"vq": 0.5 / (0.2 + 5 * 0.1**2)}, rel=1e-12)


def test_a_turn_is_three_short_steps_or_their_matrix():
    steps = ["z 1", "x 2", "y 3"]
    c, s = np.cos([1, 2, 3]), np.sin([1, 2, 3])
    Rz = np.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]])
    Rx = np.array([[1, 0, 0], [0, c[1], -s[1]], [0, s[1], c[1]]])
    Ry = np.array([[c[2], 0, s[2]], [0, 1, 0], [-s[2], 0, c[2]]])
    R = Rz @ Rx @ Ry
    for turn in (steps, R, R.tolist(), sp.Matrix(R)):
        machine = da.Machine()
        machine.body("bob", mass=1)
        machine.joint("q", "slide", machine.ground, "bob", turn=turn)
        place = machine.point("bob", [1, 2, 3]).position
        found = [float(e.xreplace(dict.fromkeys(e.free_symbols, 0))) for e in place]
        assert np.allclose(found, R @ [1, 2, 3], atol=1e-12)


def test_a_moment_that_moves_nothing_is_held_by_the_guide():
    guide = da.Machine()
    guide.body("sledge", mass=2)
    guide.joint("q", "slide", guide.ground, "sledge", axis="x")
    guide.moment("sledge", [0.3, 0, 2.0])
    equations = da.free(guide.system)
    path = da.simulate(equations, equations.start(q=0, vq=1), until=0.1)
    held = guide.reaction("q").along(equations, path)
    assert np.allclose(held["moment"], [-0.3, 0, -2.0]) and np.allclose(held["force"], [0, 0, 2 * 9.81])


def test_a_wheel_rolls_on_rails():
    """Nothing moves aside: only the roll is a row.  (M + J/r^2) v' = F"""
    trolley = da.Machine()
    trolley.body("cart", mass=3)
    trolley.joint("x", "slide", trolley.ground, "cart", axis="x")
    trolley.body("front wheel", mass=1, inertia=[0.01, 0.02, 0.01])
    trolley.joint("q", "hinge", "cart", "front wheel", axis="y")
    trolley.roll("front wheel", 0.1)
    trolley.force("cart", [6, 0, 0])
    equations = da.nonholonomic(trolley.system)
    found = accelerations(equations, {"x": 0, "q": 0, "vx": 1})
    assert [row.name for row in equations.constraints] == ["front_wheel_roll"]
    assert found == pytest.approx({"vx": 1.0, "vq": 10.0}, rel=1e-12)


# --- instruments, and what is told ------------------------------------------------------------------------------------


def test_instruments_measure_the_fall_and_the_turning():
    machine = cart()
    equations = da.free(machine.system)
    path = da.simulate(equations, equations.start(x=0, a=0.7, b=0, vx=0, va=0, vb=0), until=0.5)
    level = machine.point("cart").along(equations, path)["accelerometer"]
    assert np.allclose(level[:, 2], 9.81, rtol=1e-12)
    assert np.allclose(level[:, 0], [equations.evaluate(path.at(t))["accelerations"]["vx"] for t in path.t])
    # both rods pull at the bob between them:  m (a - g) = F_upper + F_lower
    bob = machine.point("upper", [0, 0, "-l"]).along(equations, path)["accelerometer"]
    held = machine.reaction("a").along(equations, path)["force"]
    below = machine.reaction("b", axes="before").along(equations, path)["force"]
    assert np.allclose(2.0 * bob, held - below, atol=1e-11)
    gyro = machine.point("lower").along(equations, path)["gyroscope"]
    assert np.allclose(gyro[:, 1], -(path["va"] + path["vb"]), atol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda m: m.joint("k", "hinge", "ground", "nothing"), "no body 'nothing'"),
        (lambda m: m.joint("k", "hindge", "ground", "b"), "hinge"),
        (lambda m: m.body("a"), "already"),
        (lambda m: m.joint("k", "hinge", "ground", "a"), "held by two joints"),
        (lambda m: m.joint("k", "screw", "ground", "b"), "pitch"),
        (lambda m: m.joint("k", "hinge", "ground", "b", pitch=1), "pitch"),
        (lambda m: m.joint("k", "ball", "ground", "b", damping=1), "damping"),
        (lambda m: m.joint("k", "hinge", "ground", "b", follows="z"), "follow"),
        (lambda m: m.roll("a"), "radius of a"),
        (lambda m: m.close("c", "rod", "a", "ground"), "length"),
        (lambda m: m.close("c", "weld", "a", "ground"), "fixed"),
        (lambda m: m.force("a", [0, 0, 1], axes="world"), "space"),
        (lambda m: m.system, "b is held by no joint"),
        (lambda m: m.joint("k", "hinge", "b", "b"), "b with itself"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", at=["j", 0, 0]), m.system), "holds j"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", armature="vj"), m.system), "holds vj"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", turn="z t"), m.system), "holds t"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", turn=["z 1", 5]), m.system), "5 is no turn"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", turn=[("z", 1, 2)]), m.system), "no turn"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", turn=3), m.system), "turn of the joint k is 3"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", axis=["x", 0, 0]), m.system), "no direction"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", spring="1 s"), m.system), "needs kg"),
        (lambda m: (m.joint("k", "slide", "ground", "b", armature="1 kg*m^2"), m.system), "needs kg"),
        (lambda m: m.joint("k", "hinge", "ground", "b", rest=0.3), "no spring"),
        (lambda m: m.body("c", shape="ball"), "shape of c"),
        (
            lambda m: (
                m.body("c", mass=sp.Symbol("m"), inertia=[1, 1, 5]),
                m.joint("k", "hinge", "a", "b"),
                m.joint("n", "hinge", "b", "c"),
                m.system,
            ),
            "no rigid body",
        ),
        (lambda m: m.close("c", "ball", "a", "a"), "a with itself"),
        (lambda m: (m.roll("a", 0.1), m.roll("a", 0.2)), "already"),
        (lambda m: m.roll("a", 0.1, contact="mu"), "contact of a"),
        (lambda m: (m.joint("k", "hinge", "ground", "b"), m.roll("a", 0.1), m.system), "stands upright"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", axis="y"), m.roll("b", -1), m.system), "above 0"),
        (lambda m: (m.joint("k", "fixed", "ground", "b"), m.force("b", [1, 0, 0]), m.system), "fixed to the ground"),
        (
            lambda m: (m.joint("k", "hinge", "a", "b", axis="y"), m.roll("b", 1), m.relate("b_roll", "vj"), m.system),
            "two rows",
        ),
        (lambda m: (m.joint("k", "hinge", "ground", "b", axis=(0, 0, 0)), m.system), "no direction"),
        (lambda m: (m.joint("k", "hinge", "ground", "b", at=[0, 1]), m.system), "not three"),
        (lambda m: m.reaction("j2"), "no joint 'j2'"),
        (lambda m: (m.joint("k", "fixed", "a", "b"), m.reaction("k").force), "both its bodies are one"),
        (
            lambda m: (m.joint("k", "fixed", "a", "b"), m.close("c", "ball", "a", "b", at=[0, 0, 1]), m.system),
            "open by 1",
        ),
    ],
)
def test_what_is_no_machine_is_refused(wrong, told):
    machine = da.Machine(parameters="m")
    machine.body("a", mass=1, inertia=[1, 1, 1])
    machine.body("b", mass=1, inertia=[1, 1, 1])
    machine.joint("j", "hinge", "ground", "a")
    with pytest.raises(da.DalembertError, match=told) as refused:
        wrong(machine)
    assert refused.value.code in ("E164", "E317", "E109", "E207")


def test_a_machine_is_put_together_anew_when_a_part_is_added():
    machine = cart()
    assert len(machine.system.space.coordinates) == 3
    machine.body("last", mass=1, centre=[0, 0, -0.1])
    machine.joint("c", "hinge", "lower", "last", axis="-y", at=[0, 0, "-l"])
    assert [q.name for q in machine.system.space.coordinates] == ["x", "a", "b", "c"]


def test_everything_is_drawn_where_it_is():
    robot = differential()
    shapes = {body.name: body for body in robot.system.bodies}
    assert shapes["left wheel"].shape == "wheel"
    assert "floor" in shapes
