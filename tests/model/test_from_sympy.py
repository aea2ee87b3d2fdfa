"""Systems from sympy.physics.mechanics move as SymPy's own matrices say; what SymPy lets pass is refused."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy import cos, sin, symbols
from sympy.physics import mechanics as me
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
)

import dalembert as da
from dalembert.model.from_sympy import from_sympy

m, g, r, J, k, c, l = symbols("m g r J k c l", positive=True)
VALUES = {"m": 1.3, "g": 9.8, "r": 0.7, "J": 0.4, "k": 2.1, "c": 0.3, "l": 0.9}


def values_for(*names):
    return {name: VALUES[name] for name in names}


def theirs(method, state, rates, parameters):
    """(qdot, udot, ...) of SymPy's mass_matrix_full and forcing_full at a state."""
    t = dynamicsymbols._t
    known = {dynamicsymbols(q).diff(t): v for q, v in rates.items()}
    known |= {dynamicsymbols(q): v for q, v in state.items()} | {sp.Symbol("t"): 0.0}
    names = {s: parameters[s.name] for e in (method.mass_matrix_full, method.forcing_full) for s in e.free_symbols
             if s.name in parameters}  # fmt: skip
    M, F = (np.array(e.xreplace(known).xreplace(names), float) for e in (method.mass_matrix_full, method.forcing_full))
    return np.linalg.solve(M, F)[:, 0]


def lagrange_agrees(method, parameters, **options):
    """At random states, on the constraints or not: both solve W udot - N^T lam = f, N udot = g."""
    system = from_sympy(method, parameters=parameters, **options)
    made = da.nonholonomic(system)
    rng = np.random.default_rng(1)
    q = [f.func.__name__ for f in method.q]
    for _ in range(4):
        point = system.space.sample(rng)
        rates = {name: point[u.name] for name, u in zip(q, system.space.velocities, strict=True)}
        want = theirs(method, {name: point[name] for name in q}, rates, parameters)
        udot, mu = made.accelerations({**point, **system.values(), "t": 0.0})
        np.testing.assert_allclose(udot, want[len(q) : 2 * len(q)], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(mu, want[2 * len(q) :], rtol=1e-9, atol=1e-9)
    return system


def kane_agrees(method, parameters, count=3, seed=2, **given):
    """At random states on the constraints: udot of Kane's equations."""
    method_made = given or method.kanes_equations(method.bodies, method.forcelist or None)
    assert method_made is not None
    system = from_sympy(method, parameters=parameters)
    made = da.nonholonomic(system)
    rng = np.random.default_rng(seed)
    q, u = ([f.func.__name__ for f in fs] for fs in (method.q, method.u))
    free = u[: len(u) - len(method._udep)]
    q_free = q[: len(q) - len(method._qdep)]
    others = [s.name for s in system.space.coordinates if s.name not in q]
    for _ in range(count):
        given = {s: float(rng.uniform(0.2, 0.9)) for s in (*q_free, *free)}
        given |= {s: 0.0 for s in others if s.rpartition("_")[2] not in "wxyz" or "_R_" not in s}
        given |= {name: "identity" for name in system.space.attitudes}
        start = made.start(**given)
        want = theirs(method, {s: start[s] for s in (*q, *u)}, {}, parameters)[len(q) :]
        found = made.evaluate(start)["accelerations"]
        np.testing.assert_allclose([found[s] for s in u], want, rtol=1e-8, atol=1e-8)
    return system


# --- LagrangesMethod --------------------------------------------------------------------------------------------------


def test_pendulum():
    q = dynamicsymbols("q")
    method = LagrangesMethod(m * l**2 * q.diff() ** 2 / 2 + m * g * l * cos(q), [q])
    method.form_lagranges_equations()
    system = lagrange_agrees(method, values_for("m", "l", "g"))
    assert [s.name for s in system.space] == ["q", "vq"]


def test_double_pendulum_with_bodies_of_sympy():
    q1, q2 = dynamicsymbols("q1 q2")
    N = ReferenceFrame("N")
    A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q2, N.z])
    O = Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", l * A.x)
    R = P.locatenew("R", l * B.x)
    P.v2pt_theory(O, N, A)
    R.v2pt_theory(P, N, B)
    first, second = Particle("first", P, m), Particle("second", R, m)
    first.potential_energy, second.potential_energy = (-m * g * p.pos_from(O).dot(N.x) for p in (P, R))
    loads = [(P, -c * P.vel(N)), (A, k * sin(q2) * N.z)]
    method = LagrangesMethod(me.Lagrangian(N, first, second), [q1, q2], forcelist=loads, frame=N)
    method.form_lagranges_equations()
    lagrange_agrees(method, values_for("m", "l", "g", "c", "k"))


def test_constraints_of_both_kinds_with_their_multipliers():
    x, y, theta = dynamicsymbols("x y theta")
    vx, vy, w = (f.diff() for f in (x, y, theta))
    L = m / 2 * (vx**2 + vy**2) + J / 2 * w**2 - m * g * y
    blade = vx * sin(theta) - vy * cos(theta)
    loop = x**2 + y**2 - r**2
    method = LagrangesMethod(L, [x, y, theta], hol_coneqs=[loop], nonhol_coneqs=[blade])
    method.form_lagranges_equations()
    system = lagrange_agrees(method, values_for("m", "J", "g", "r"))
    assert {name.name: name.kind for name in system.constraints} == {"c1": "holonomic", "c2": "linear"}
    named = from_sympy(method, names=["loop", "blade"])
    assert [row.name for row in named.constraints] == ["loop", "blade"]
    loose = from_sympy(L, [x, y, theta], hol_coneqs=[loop], nonhol_coneqs=[blade], parameters=system.parameters)
    assert loose.lagrangian == system.lagrangian
    assert [c.given for c in loose.constraints] == [c.given for c in system.constraints]


def test_the_time_and_what_is_specified():
    q, f = dynamicsymbols("q f")
    t = dynamicsymbols._t
    L = m / 2 * (q.diff() + f.diff()) ** 2 - k / 2 * q**2 * (1 + sin(t) / 2)
    with pytest.raises(da.DalembertError, match=r"E104 f(.|\n)*specified="):
        from_sympy(L, [q])
    method = LagrangesMethod(L.subs(f, sin(2 * t)).doit(), [q])
    method.form_lagranges_equations()
    system = from_sympy(L, [q], specified={f: sin(2 * t)}, parameters=values_for("m", "k"))
    made = da.free(system)
    found = made.accelerations({"q": 0.3, "vq": 0.4, "t": 0.0, **system.values()})[0]
    np.testing.assert_allclose(found, theirs(method, {"q": 0.3}, {"q": 0.4}, system.values())[1:], rtol=1e-12)


# --- KanesMethod ------------------------------------------------------------------------------------------------------


def rolling_disc():
    """The rolling disc of SymPy's documentation: no contact coordinates, rolling put into the velocities."""
    q1, q2, q3, u1, u2, u3 = dynamicsymbols("q1 q2 q3 u1 u2 u3")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    turning = R.ang_vel_in(N)
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    C = Point("C")
    C.set_vel(N, 0)
    D = C.locatenew("D", r * L.z)
    D.v2pt_theory(C, N, R)
    body = RigidBody("Disc", D, R, m, (me.inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2), D))
    kd = [(R.ang_vel_in(N) - turning).dot(e) for e in L]
    return KanesMethod(N, [q1, q2, q3], [u1, u2, u3], kd, bodies=[body], forcelist=[(D, -m * g * Y.z)])


def test_the_rolling_disc_of_the_documentation_gets_its_place_back():
    system = kane_agrees(rolling_disc(), values_for("m", "g", "r"))
    assert [s.name for s in system.space.coordinates] == ["q1", "q2", "q3", "Disc_x", "Disc_y"]
    assert [row.name for row in system.constraints] == ["Disc_x", "Disc_y"]
    assert da.nonholonomic(system).kept == (0, 1)
    assert sum(note.code == "N146" for note in system.notes) == 2
    # the centre goes with w x r L.z = r (u2 L.x - u1 L.y), not against it
    begun = {"q1": 0.4, "q2": 0.3, "q3": 0.2, "u1": 0.5, "u2": -1.1, "u3": 0.7}
    start = da.nonholonomic(system).start(**begun, Disc_x=0.0, Disc_y=0.0)
    (c, s), (u1, u2), radius = (np.cos(0.4), np.sin(0.4)), (0.5 * np.cos(0.3), -1.1), VALUES["r"]
    assert start["vDisc_x"] == pytest.approx(radius * (u2 * c + u1 * s), rel=1e-12)
    assert start["vDisc_y"] == pytest.approx(radius * (u2 * s - u1 * c), rel=1e-12)


def test_inputs_are_read_as_the_object_is():
    method = rolling_disc()
    q, u = list(method.q), list(method.u)
    kd = [rate - e for rate, e in method.kindiffdict().items()]
    system = from_sympy(
        method._inertial,
        q,
        u,
        kd,
        bodies=method.bodies,
        forcelist=method.forcelist,
        parameters=values_for("m", "g", "r"),
    )
    whole = from_sympy(method, parameters=values_for("m", "g", "r"))
    state = {"q1": 0.1, "q2": 0.4, "q3": 0.2, "u1": 0.3, "u2": -0.5, "u3": 0.7, "Disc_x": 0, "Disc_y": 0}
    a, b = (da.nonholonomic(s).evaluate(state)["accelerations"] for s in (system, whole))
    np.testing.assert_allclose(list(a.values()), list(b.values()), rtol=1e-12)


def test_the_vakonomic_disc_is_another_motion():
    # the place that was added is what the two principles differ by
    system = from_sympy(rolling_disc(), parameters=values_for("m", "g", "r"))
    state = {"q1": 0.1, "q2": 0.4, "q3": 0.2, "u1": 0.3, "u2": -0.5, "u3": 0.7, "Disc_x": 0, "Disc_y": 0}
    a = da.nonholonomic(system).evaluate(state)["accelerations"]
    b = da.vakonomic(system).evaluate({**state, "lam_Disc_x": 0.3, "lam_Disc_y": -0.2})["accelerations"]
    assert abs(a["u2"] - b["u2"]) > 0.01


def test_chaplygin_sleigh_with_a_velocity_constraint_in_a_moving_frame():
    x, y, theta, u, v, w = dynamicsymbols("x y theta u v w")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [theta, N.z])
    A.set_ang_vel(N, w * N.z)
    P = Point("P")
    P.set_vel(N, u * A.x + v * A.y)
    G = P.locatenew("G", l * A.x)
    G.v2pt_theory(P, N, A)
    body = RigidBody("sleigh", G, A, m, (me.inertia(A, 0, 0, J), G))
    kd = [x.diff() - u * cos(theta) + v * sin(theta), y.diff() - u * sin(theta) - v * cos(theta), theta.diff() - w]
    method = KanesMethod(N, [x, y, theta], [u, w], kd, u_dependent=[v], velocity_constraints=[v], bodies=[body],
                         forcelist=[(P, -c * u * A.x)])  # fmt: skip
    system = kane_agrees(method, values_for("m", "J", "l", "c"))
    assert [s.name for s in system.space.coordinates] == ["x", "y", "theta"]
    assert system.space.brackets
    assert [row.name for row in system.constraints] == ["c1"]


def test_a_sleigh_with_fewer_speeds_than_coordinates():
    # [neimark1972]: vdot = a w^2, wdot = -m a v w/(J + m a^2); the force of the blade is an auxiliary one
    x, y, th, v, w, slip, force = dynamicsymbols("x y th v w slip force")
    a = symbols("a", positive=True)
    N = ReferenceFrame("N")
    B = N.orientnew("B", "Axis", (th, N.z))
    B.set_ang_vel(N, w * N.z)
    O, P = Point("O"), Point("P")
    O.set_vel(N, 0)
    P.set_pos(O, x * N.x + y * N.y)
    P.set_vel(N, v * B.x + slip * B.y)
    C = P.locatenew("C", a * B.x)
    C.v2pt_theory(P, N, B)
    t = dynamicsymbols._t
    kinematic = [x.diff(t) - v * cos(th), y.diff(t) - v * sin(th), th.diff(t) - w]
    method = KanesMethod(N, [x, y, th], [v, w], kd_eqs=kinematic, u_auxiliary=[slip])
    method.kanes_equations([RigidBody("S", C, B, m, (me.inertia(B, 0, 0, J), C))], [(P, force * B.y)])
    system = kane_agrees(method, {"m": 1.3, "J": 0.4, "a": 0.7})
    made = da.nonholonomic(system)
    added = dict.fromkeys(("v_path", "w_path", "S_x", "S_y"), 0)
    start = made.start(x=0, y=0, th=np.pi / 2, v=1.1, w=0.6, **added)  # no direction is a pole of the frame
    found = made.evaluate(start)["accelerations"]
    assert found["v"] == pytest.approx(0.7 * 0.6**2)
    assert found["w"] == pytest.approx(-1.3 * 0.7 * 1.1 * 0.6 / (0.4 + 1.3 * 0.7**2))
    assert start["vy"] == pytest.approx(1.1)


def test_a_disc_whose_place_has_no_speeds_of_its_own():
    x, y, yaw, lean, roll, u1, u2, u3 = dynamicsymbols("x y yaw lean roll u1 u2 u3")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (yaw, N.z))
    B = A.orientnew("B", "Axis", (lean, A.x))
    D = B.orientnew("D", "Axis", (roll, B.y))
    t = dynamicsymbols._t
    angles = [yaw.diff(t), lean.diff(t), roll.diff(t)]
    turning = D.ang_vel_in(N)
    rates = sp.solve([turning.dot(e) - u for e, u in zip(B, (u1, u2, u3), strict=True)], angles)
    B.set_ang_vel(N, u1 * B.x + sp.tan(lean) * u3 * B.y + u3 * B.z)
    D.set_ang_vel(N, u1 * B.x + u2 * B.y + u3 * B.z)
    contact = Point("P")
    contact.set_vel(N, 0)
    C = contact.locatenew("C", r * B.z)
    C.set_vel(N, D.ang_vel_in(N).cross(r * B.z))
    kinematic = [rate - rates[rate] for rate in angles]
    kinematic += [x.diff(t) - r * u2 * cos(yaw), y.diff(t) - r * u2 * sin(yaw)]
    method = KanesMethod(N, [yaw, lean, roll, x, y], [u1, u2, u3], kd_eqs=kinematic)
    inertia = me.inertia(B, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    method.kanes_equations([RigidBody("D", C, D, m, (inertia, C))], [(C, -m * g * N.z)])
    system = kane_agrees(method, values_for("m", "g", "r"))
    assert [s.name for s in system.space.coordinates] == ["yaw", "lean", "roll", "x", "y", "D_x", "D_y"]


def test_a_configuration_constraint_and_its_rate_are_one_constraint():
    x, y, u, v = dynamicsymbols("x y u v")
    N = ReferenceFrame("N")
    P = Point("P")
    P.set_vel(N, u * N.x + v * N.y)
    method = KanesMethod(
        N, [x], [u], [x.diff() - u, y.diff() - v], q_dependent=[y], configuration_constraints=[x**2 + y**2 - l**2],
        u_dependent=[v], velocity_constraints=[x * u + y * v], bodies=[Particle("bob", P, m)],
        forcelist=[(P, -m * g * N.y)],
    )  # fmt: skip
    method.kanes_equations()
    system = from_sympy(method, parameters=values_for("m", "l", "g"))
    assert [row.kind for row in system.constraints] == ["holonomic"]
    assert any(note.code == "N147" for note in system.notes)
    made = da.nonholonomic(system)
    start = made.start(x=0.3, y=-np.sqrt(0.81 - 0.09), u=0.5)
    want = theirs(method, {s: start[s] for s in "xyuv"}, {}, system.values())[2:]
    found = made.evaluate(start)["accelerations"]
    np.testing.assert_allclose([found["u"], found["v"]], want, rtol=1e-9)


def test_a_ball_whose_attitude_is_no_coordinate():
    x, y, u1, u2, u3, u4, u5 = dynamicsymbols("x y u1 u2 u3 u4 u5")
    N = ReferenceFrame("N")
    B = ReferenceFrame("B")
    B.set_ang_vel(N, u3 * N.x + u4 * N.y + u5 * N.z)
    P = Point("P")
    P.set_vel(N, u1 * N.x + u2 * N.y)
    I = sp.Rational(2, 5) * m * r**2
    ball = RigidBody("ball", P, B, m, (me.inertia(N, I, I, I), P))
    rolling = [u1 - r * u4 + k * y, u2 + r * u3 - k * x]  # on a turning table
    method = KanesMethod(N, [x, y], [u3, u4, u5], [x.diff() - u1, y.diff() - u2], u_dependent=[u1, u2],
                         velocity_constraints=rolling, bodies=[ball], forcelist=[(P, m * g / 5 * N.x)])  # fmt: skip
    system = kane_agrees(method, values_for("m", "r", "k", "g"))
    assert list(system.space.attitudes) == ["ball_R"]
    assert {s.name for s in system.space.velocities} == {"u1", "u2", "u3", "u4", "u5"}


def test_auxiliary_speeds_and_unknown_contact_forces_drop_out():
    q, u, a, f = dynamicsymbols("q u a f")
    N = ReferenceFrame("N")
    P = Point("P")
    P.set_vel(N, u * N.x + a * N.y)
    method = KanesMethod(N, [q], [u], [q.diff() - u], u_auxiliary=[a], bodies=[Particle("p", P, m)],
                         forcelist=[(P, -k * q * N.x + (f - m * g) * N.y)])  # fmt: skip
    method.kanes_equations()
    system = from_sympy(method, parameters=values_for("m", "k"))
    assert da.free(system).evaluate({"q": 0.5, "u": 0.1})["accelerations"]["u"] == pytest.approx(-2.1 * 0.5 / 1.3)


def bicycle_like():
    """A rear frame on a wheel, a steered front wheel: two rolling bodies and a fork, lean left out."""
    x, y, yaw, steer, spin, ux, uy, w1, w2, w3 = dynamicsymbols("x y yaw steer spin ux uy w1 w2 w3")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [yaw, N.z])
    B = A.orientnew("B", "Axis", [steer, A.z])
    W = B.orientnew("W", "Axis", [spin, B.y])
    rates = [x.diff() - ux, y.diff() - uy, yaw.diff() - w1, steer.diff() - w2, spin.diff() - w3]
    A.set_ang_vel(N, w1 * N.z)
    B.set_ang_vel(A, w2 * A.z)
    W.set_ang_vel(B, w3 * B.y)
    P = Point("P")
    P.set_vel(N, ux * N.x + uy * N.y)
    F = P.locatenew("F", l * A.x)
    F.v2pt_theory(P, N, A)
    frame = RigidBody("frame", P, A, m, (me.inertia(A, J, J, J), P))
    wheel = RigidBody("wheel", F, W, m / 3, (me.inertia(W, J / 5, J / 3, J / 5), F))
    slip = [P.vel(N).dot(A.y), F.vel(N).dot(B.y), F.vel(N).dot(B.x) - r * w3]
    return KanesMethod(
        N,
        [x, y, yaw, steer, spin],
        [w2, w3],
        rates,
        u_dependent=[ux, uy, w1],
        velocity_constraints=slip,
        bodies=[frame, wheel],
        forcelist=[(B, k * N.z - c * w2 * N.z), (A, -k * N.z)],
    )


def test_a_bicycle_like_vehicle():
    kane_agrees(bicycle_like(), values_for("m", "J", "r", "l", "k", "c"))


def test_a_free_top_in_speeds_of_its_own_frame():
    # Euler's equations: three speeds, and an attitude that Kane's method does not need
    q, u, u1, u2, u3 = dynamicsymbols("q u u1 u2 u3")
    N = ReferenceFrame("N")
    B = N.orientnew("B", "Body", [0, 0, 0], "XYZ")
    B.set_ang_vel(N, u1 * B.x + u2 * B.y + u3 * B.z)
    P = Point("P")
    P.set_vel(N, u * N.x)
    top = RigidBody("top", P, B, m, (me.inertia(B, J, 2 * J, sp.Rational(5, 2) * J), P))
    method = KanesMethod(N, [q], [u, u1, u2, u3], [q.diff() - u], bodies=[top])
    system = from_sympy(method, parameters=values_for("m", "J"))
    w1, w2, w3 = 0.3, -0.5, 0.7
    start = {"q": 0.0, "u": 1.0, "u1": w1, "u2": w2, "u3": w3, "top_R": "identity"}
    found = da.free(system).evaluate(start)["accelerations"]
    # J_1 w1' = (J_2 - J_3) w2 w3 and so on
    want = [0, -0.5 * w2 * w3, 1.5 / 2 * w3 * w1, -1 / 2.5 * w1 * w2]
    np.testing.assert_allclose([found[s] for s in ("u", "u1", "u2", "u3")], want, atol=1e-12)


def test_a_system_of_sympy_made_of_joints():
    wall, bob = RigidBody("wall"), RigidBody("bob", mass=m)
    q, u = dynamicsymbols("q u")
    joint = me.PinJoint("pin", wall, bob, q, u, child_point=-l * bob.x, joint_axis=wall.z)
    whole = me.System.from_newtonian(wall)
    whole.add_joints(joint)
    whole.apply_uniform_gravity(g * wall.x)
    with pytest.raises(da.DalembertError, match="E101 this System has not formed"):
        from_sympy(whole)
    whole.form_eoms()
    system = from_sympy(whole, parameters={**values_for("m", "l", "g"), "bob_izz": 0.1})
    found = da.free(system).evaluate({"q": 0.3, "u": 0.5})["accelerations"]["u"]
    assert found == pytest.approx(-1.3 * 9.8 * 0.9 * np.sin(0.3) / (1.3 * 0.81 + 0.1), rel=1e-12)
    # with Lagrange's method SymPy takes the speed u for a given function of time, and nothing has mass
    whole.form_eoms(eom_method=LagrangesMethod)
    assert whole.mass_matrix == sp.zeros(1, 1)
    with pytest.raises(da.DalembertError, match=r"E104 u\(t\)"):
        from_sympy(whole)


@pytest.mark.parametrize(
    ("components", "turning", "yes"),
    [
        (lambda t, x, u: [t * u + x], False, True),  # the rate of t x
        (lambda t, x, u: [t * u], False, False),
        (lambda t, x, u: [x * u + sin(t)], False, True),
        (lambda t, x, u: [cos(t) * u, sin(t) * u, 1], True, True),  # turned by x about an axis that turns with t
        (lambda t, x, u: [u, 0, 1], True, False),
    ],
)
def test_velocities_that_follow_from_place_and_time(components, turning, yes):
    from dalembert.calculus.frame import TIME
    from dalembert.model.from_sympy.kane import follows

    space = da.coordinates("x", velocities="u")
    assert follows(space, [sp.sympify(e) for e in components(TIME, space["x"], space["u"])], turning) is yes


# --- what SymPy lets pass ---------------------------------------------------------------------------------------------

X, Y, THETA, PHI = dynamicsymbols("x y theta phi")
DISC_L = m * (r * THETA.diff()) ** 2 / 2 + J * THETA.diff() ** 2 / 2  # xdot = r thetadot was put into L


L2 = m * (X.diff() ** 2 + Y.diff() ** 2) / 2


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("E104", lambda: from_sympy(m * X.diff() ** 2 / 2 - k * PHI, [X])),
        ("E104", lambda: from_sympy(LagrangesMethod(m * X.diff() ** 2 / 2 - k * PHI, [X]))),
        ("E718", lambda: from_sympy("m*v**2/2", [X])),
        ("E718", lambda: from_sympy(m * X.diff() ** 2, [X], nonhol_coneqs=["x"])),
        ("E718", lambda: from_sympy(m * X.diff() ** 2, "x")),
        ("E101", lambda: from_sympy(m * X.diff() ** 2, [sp.Symbol("x")])),
        ("E101", lambda: from_sympy(m * X.diff() ** 2)),
        ("E101", lambda: from_sympy(3)),
        ("E720", lambda: from_sympy(m * X.diff() ** 2, [sp.Function("x")(sp.Symbol("t", real=True))])),
        ("E110", lambda: from_sympy(m * X.diff() ** 2, [X], nonhol_coneqs=[sp.Integer(0)])),
        ("E111", lambda: from_sympy(m * X.diff() ** 2, [X], nonhol_coneqs=[sp.Integer(1)])),
        ("E118", lambda: from_sympy(m * X.diff() ** 2, [X], hol_coneqs=[X.diff()])),
        ("E118", lambda: from_sympy(m * X.diff() ** 2, [X], nonhol_coneqs=[X.diff().diff()])),
        ("E127", lambda: from_sympy(m * X.diff() ** 2, [X], forcelist=[(Point("P"), 3)])),
        ("E110", lambda: from_sympy(m * X.diff() ** 2, [X], names="roll")),
        ("E110", lambda: from_sympy(L2, [X, Y], nonhol_coneqs=[X.diff(), Y.diff() - 1], names=["c2"])),
        ("E110", lambda: from_sympy(L2, [X, Y], nonhol_coneqs=[X.diff(), Y.diff() - 1], names=["roll", "roll"])),
        ("E110", lambda: from_sympy(L2, [X, Y], nonhol_coneqs=[X.diff(), Y.diff() - 1], names=["roll", ["x"]])),
        ("E127", lambda: from_sympy(m * X.diff() ** 2, [X], forcelist=3, frame=ReferenceFrame("N"))),
        ("E101", lambda: from_sympy(ReferenceFrame("N"), [X], [Y], [X.diff() - Y], bodies=3)),
        ("E718", lambda: from_sympy(ReferenceFrame("N"), 3, [Y], [X.diff() - Y], bodies=[])),
        ("E112", lambda: da.nonholonomic(from_sympy(DISC_L, [X, THETA], nonhol_coneqs=[X.diff() - r * THETA.diff()]))),
        ("E106", lambda: da.free(from_sympy(LagrangesMethod("m*v**2/2", [X])))),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::dalembert.errors.DalembertWarning")
def test_refused(code, make):
    with pytest.raises(da.DalembertError) as caught:
        make()
    assert caught.value.code == code, str(caught.value)


def test_a_relation_between_positions_given_as_nonholonomic_is_not_dropped():
    L = m * (X.diff() ** 2 + Y.diff() ** 2) / 2
    system = from_sympy(L, [X, Y], nonhol_coneqs=[X - Y], parameters=values_for("m"))
    assert system.constraints[0].kind == "holonomic"
    assert any(note.code == "N115" for note in system.notes)


def test_a_quadratic_constraint_is_said():
    L = m * (X.diff() ** 2 + Y.diff() ** 2) / 2
    made = da.nonholonomic(from_sympy(L, [X, Y], nonhol_coneqs=[X.diff() ** 2 - Y.diff() ** 2 - 1]))
    assert "Chetaev" in made.header


def test_a_kanes_method_without_bodies_or_with_a_speed_without_coordinate():
    q, u, v = dynamicsymbols("q u v")
    N = ReferenceFrame("N")
    P = Point("P")
    P.set_vel(N, u * N.x)
    bare = KanesMethod(N, [q], [u], [q.diff() - u])
    with pytest.raises(da.DalembertError, match="E101 this KanesMethod has no bodies"):
        from_sympy(bare)
    assert from_sympy(bare, bodies=[Particle("p", P, m)]).lagrangian == m * sp.Symbol("u", real=True) ** 2 / 2
    P.set_vel(N, u * N.x + v * N.y)
    loose = KanesMethod(N, [q], [u, v], [q.diff() - u], bodies=[Particle("p", P, m)])
    with pytest.raises(da.DalembertError, match="E140 the speeds v"):
        from_sympy(loose)
    driven = KanesMethod(N, [q], [u], [q.diff() - u - sin(dynamicsymbols._t)], bodies=[Particle("p", P, m)])
    with pytest.raises(da.DalembertError, match="E140 the kinematic"):
        from_sympy(driven)


def test_a_potential_energy_that_kane_does_not_use_is_told():
    q, u = dynamicsymbols("q u")
    N = ReferenceFrame("N")
    P = Point("P")
    P.set_vel(N, u * N.x)
    body = Particle("p", P, m)
    body.potential_energy = k * q
    with pytest.warns(da.DalembertWarning, match="W152"):
        from_sympy(KanesMethod(N, [q], [u], [q.diff() - u], bodies=[body]))


@pytest.mark.parametrize("order", ["zxy", "zxz", "yxz", "xyz", "zyx", "xyx"])
def test_body_rates_are_kinematics_wherever_the_angles_are_good(order):
    # SymPy divides by sin(q3): 0/0 at the spin angle 0, where a rolling disc starts
    inertia = np.array([1.0, 2.0, 3.0])
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    B.orient_body_fixed(N, q, order)
    w = B.ang_vel_in(N)
    equations = [w.dot(e) - rate for e, rate in zip(B, u, strict=True)]
    rows = sp.Matrix(equations).jacobian([x.diff() for x in q])
    B.set_ang_vel(N, sum((rate * e for rate, e in zip(u, B, strict=True)), me.Vector(0)))
    origin = me.Point("O")
    origin.set_vel(N, 0)
    method = me.KanesMethod(N, list(q), list(u), kd_eqs=equations)
    method.kanes_equations([me.RigidBody("b", origin, B, 1, (me.inertia(B, *inertia), origin))], [])
    system, J = da.from_sympy(method), sp.lambdify([q], rows)

    def rates(_t, z):
        return np.r_[np.linalg.solve(J(z[:3]), z[3:]), -np.cross(z[3:], inertia * z[3:]) / inertia]

    first = [0.2, 0.3, 0.0, 0.5, 1.0, -0.7]
    alone = solve_ivp(rates, [0, 1], first, rtol=1e-11, atol=1e-12).y[:, -1]
    path = da.simulate(da.free(system), dict(zip(("q1", "q2", "q3", "u1", "u2", "u3"), first, strict=True)), until=1)
    assert path.ok
    assert path.values[-1, :6] == pytest.approx(alone, abs=1e-8)
