"""Published equations and closed solutions, under each form that takes the system."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import suslov

from .conftest import FORMS

sin, cos = sp.sin, sp.cos
MOVING = [f for f in FORMS if f != "chaplygin"]  # forms that take a moving frame
NONLINEAR = ["gauss", "maggi", "voronec", "gibbs_appell"]


@pytest.mark.parametrize("form", MOVING)
def test_chaplygin_sleigh_in_its_own_frame(form):
    # v' = a w^2 ,  w' = -m a v w / (J + m a^2)          [neimark1972; bloch2015]
    s = da.SE2("x y theta", velocities="v side w")
    v, side, w = s.velocities
    m, J, a = 1.3, 0.5, 0.3
    system = da.System(s, m / 2 * (v**2 + (side + a * w) ** 2) + J / 2 * w**2, {"blade": side})
    found = FORMS[form](system).evaluate({"x": 1, "y": 2, "theta": 0.7, "v": 0.9, "side": 0, "w": -1.7})
    expected = {"v": a * 1.7**2, "side": 0.0, "w": m * a * 0.9 * 1.7 / (J + m * a**2)}
    assert found["accelerations"] == pytest.approx(expected, abs=1e-14)
    # the blade carries m (v w + a w'), which is what turns it
    assert found["multipliers"]["blade"] == pytest.approx(m * (0.9 * -1.7 + a * expected["w"]), abs=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_chaplygin_sleigh_in_plain_coordinates(form, shelf):
    equations = shelf.equations(form, "sleigh")
    p = equations.system.values()
    m, J, a, theta, v, w = p["m"], p["J"], p["a"], 0.4, 1.1, 0.8
    state = {"x": 0, "y": 0, "theta": theta, "vx": v * np.cos(theta), "vy": v * np.sin(theta), "omega": w}
    acc = equations.evaluate(state)["accelerations"]
    forward = acc["vx"] * np.cos(theta) + acc["vy"] * np.sin(theta)
    assert forward == pytest.approx(a * w**2, abs=1e-13)
    assert acc["omega"] == pytest.approx(-m * a * v * w / (J + m * a**2), abs=1e-13)


@pytest.mark.parametrize("form", [f for f in FORMS if f not in ("voronec", "chaplygin")])
def test_knife_edge_on_an_incline_stays_within_a_strip(form):
    # x = g sin(alpha) sin^2(w t) / (2 w^2),  y = g sin(alpha) (w t - sin(2 w t)/2) / (2 w^2)      [bloch2015 1.6]
    q = da.coordinates("x y phi")
    x, _y, phi, vx, vy, w = q
    system = da.System(q, (vx**2 + vy**2 + w**2 / 3) / 2 + 0.8 * x, {"edge": vx * sin(phi) - vy * cos(phi)})
    turn = 1.5
    path = da.simulate(
        FORMS[form](system), {"x": 0, "y": 0, "phi": 0, "vx": 0, "vy": 0, "vphi": turn}, until=10.0, rtol=1e-12
    )
    assert path.ok
    s, k = turn * path.t, 0.8 / (2 * turn**2)
    np.testing.assert_allclose(path["x"], k * np.sin(s) ** 2, atol=1e-10)
    np.testing.assert_allclose(path["y"], k * (s - np.sin(2 * s) / 2), atol=1e-10)


@pytest.mark.parametrize("form", NONLINEAR)
def test_the_acceleration_of_appell_and_hamel(form, shelf):
    # vz = a s, s = |(vx, vy)|; the reaction is along (vx, vy): (1 + a^2) s' = -a g, the direction keeps  [neimark1972]
    equations = shelf.equations(form, "appell_hamel")
    p = equations.system.values()
    a, g, vx, vy = p["a"], p["g"], 0.6, -1.1
    s = np.hypot(vx, vy)
    acc = equations.evaluate({"x": 0, "y": 0, "z": 0, "vx": vx, "vy": vy, "vz": a * s})["accelerations"]
    slow = -a * g / (1 + a**2)
    assert acc == pytest.approx({"vx": slow * vx / s, "vy": slow * vy / s, "vz": a * slow}, abs=1e-14)


@pytest.mark.parametrize("form", FORMS)
def test_a_penny_rolls_on_circles(form, shelf):
    # spin and turning rate are constant                          [bloch2015 1.4]
    equations = shelf.equations(form, "penny")
    found = equations.evaluate(equations.start(x=0, y=0, phi=0.3, psi=0, vphi=0.9, vpsi=-1.4))
    R = equations.system.values()["R"]
    expected = {"vx": R * 0.9 * 1.4 * np.sin(0.3), "vy": -R * 0.9 * 1.4 * np.cos(0.3), "vphi": 0.0, "vpsi": 0.0}
    assert found["accelerations"] == pytest.approx(expected, abs=1e-14)


@pytest.fixture(scope="module")
def contact():
    """The particle with vz = y vx."""
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    return da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"contact": vz - y * vx})


def test_the_reduced_equations_of_the_particle(contact):
    # (1 + y^2) x'' + y x' y' = 0 ,  y'' = 0            [bloch2015]
    for make in FORMS.values():
        acc = make(contact).evaluate({"x": 0, "y": 0.8, "z": 0, "vx": 1.2, "vy": -0.7, "vz": 0.96})["accelerations"]
        assert acc["vx"] == pytest.approx(0.8 * 1.2 * 0.7 / (1 + 0.64), abs=1e-14)
        assert acc["vy"] == pytest.approx(0.0, abs=1e-14)


def test_the_almost_poisson_bracket_of_the_particle(contact):
    # {p_x, p_y} = y p_x / (1 + y^2)                      [vanderschaft1994]
    equations = FORMS["almost_poisson"](contact, dependent="vz")
    shown = dict(equations._sheet({u: sp.Symbol(f"{u}:dot") for u in contact.space.velocities}, []).definitions)
    shown = {name.name: e for name, e in shown.items()}
    y, px, py = contact.space["y"], sp.Symbol("p_vx"), sp.Symbol("p_vy")
    assert sp.simplify(shown["{p_vx, p_vy}"] - y * px / (1 + y**2)) == 0
    assert sp.simplify(shown["H"] - (px**2 / (1 + y**2) + py**2) / 2) == 0
    assert sp.simplify(shown["p_vx"] - (1 + y**2) * contact.space["vx"]) == 0


def definitions(equations):
    sheet = equations._sheet({u: sp.Symbol(f"{u}:dot") for u in equations.space.velocities}, [])
    return {name.name: e for name, e in sheet.definitions}, sheet.motion


@pytest.mark.parametrize("form", MOVING)
def test_the_equations_of_suslov(form):
    # I1 w1' = -s w2 ,  I2 w2' = s w1 ,  s = I13 w1 + I23 w2;  the reaction is I13 w1' + I23 w2' - (I1 - I2) w1 w2
    # [kozlov1988; bloch2015]
    space = da.rotation("R", velocities="w1 w2 w3", frame="body")
    w1, w2, w3 = space.velocities
    I1, I2, I13, I23, a, b = 2.0, 3.0, 0.4, -0.3, 0.9, -1.6
    T = (I1 * w1**2 + I2 * w2**2 + 1.5 * w3**2) / 2 + I13 * w1 * w3 + I23 * w2 * w3
    found = FORMS[form](da.System(space, T, {"axis": w3})).evaluate({"w1": a, "w2": b, "w3": 0.0})
    s = I13 * a + I23 * b
    first, second = -s * b / I1, s * a / I2
    assert found["accelerations"] == pytest.approx({"w1": first, "w2": second, "w3": 0.0}, abs=1e-14)
    assert found["multipliers"]["axis"] == pytest.approx(I13 * first + I23 * second - (I1 - I2) * a * b, abs=1e-14)


@pytest.mark.parametrize("form", MOVING)
def test_the_equations_of_euler(form):
    # I1 w1' = (I2 - I3) w2 w3 and cyclic, without a constraint
    space = da.rotation("R", velocities="w1 w2 w3", frame="body")
    w1, w2, w3 = space.velocities
    found = FORMS[form](da.System(space, (2 * w1**2 + 3 * w2**2 + 4 * w3**2) / 2))
    acc = found.evaluate({"w1": 0.7, "w2": -1.1, "w3": 0.5})["accelerations"]
    expected = {"w1": -1 * -1.1 * 0.5 / 2, "w2": 2 * 0.5 * 0.7 / 3, "w3": -1 * 0.7 * -1.1 / 4}
    assert acc == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("form", MOVING)
def test_a_ball_on_a_turntable_turns_at_two_sevenths(form):
    # x'' = -a y' ,  y'' = a x' ,  a = I Omega/(I + m r^2);  w3' = 0              [lewis1995 (3.6)]
    space = da.Space.product(da.plane("x y"), da.rotation("R", velocities="w1 w2 w3", frame="space"))
    x, y, vx, vy, w1, w2, w3 = (space[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
    m, r, inertia, turn = 0.7, 0.5, 0.4 * 0.7 * 0.25, 1.1
    T = m / 2 * (vx**2 + vy**2) + inertia / 2 * (w1**2 + w2**2 + w3**2)
    system = da.System(space, T, {"x": vx - r * w2 + turn * y, "y": vy + r * w1 - turn * x})
    equations = FORMS[form](system)
    acc = equations.evaluate(equations.start(x=0.3, y=-0.2, vx=0.8, vy=0.4, w3=2.0))["accelerations"]
    a = 2 / 7 * turn
    assert [acc["vx"], acc["vy"], acc["w3"]] == pytest.approx([-a * 0.4, a * 0.8, 0.0], abs=1e-14)
    assert [acc["w2"], acc["w1"]] == pytest.approx(
        [(acc["vx"] + turn * 0.4) / r, -(acc["vy"] - turn * 0.8) / r], abs=1e-14
    )


@pytest.mark.parametrize("form", MOVING)
def test_a_bead_on_a_rod_that_turns_uniformly(form):
    # r'' = Omega^2 r ,  the rod carries m 2 Omega r'
    q = da.coordinates("x y")
    x, y, vx, vy = q
    t, turn, m, r, rate, when = sp.Symbol("t", real=True), 0.7, 1.3, 0.9, -0.6, 0.8
    rod = vx * sin(turn * t) - vy * cos(turn * t) + turn * (x * cos(turn * t) + y * sin(turn * t))
    equations = FORMS[form](da.System(q, m / 2 * (vx**2 + vy**2), {"rod": rod}))
    c, s = np.cos(turn * when), np.sin(turn * when)
    start = equations.start(t=when, x=r * c, y=r * s, vx=rate * c - r * turn * s, vy=rate * s + r * turn * c)
    found = equations.evaluate(start)
    acc = found["accelerations"]
    # only the Coriolis acceleration is left across the rod, and nothing along it
    assert acc["vx"] * c + acc["vy"] * s == pytest.approx(0.0, abs=1e-14)
    assert acc["vy"] * c - acc["vx"] * s == pytest.approx(2 * turn * rate, abs=1e-14)
    assert found["multipliers"]["rod"] == pytest.approx(-m * 2 * turn * rate, abs=1e-13)


@pytest.mark.parametrize("form", NONLINEAR)
def test_a_particle_of_constant_speed(form):
    # m v' = F - (F v/v^2) v: the force without its part along v, by Chetaev's rule
    q = da.coordinates("x y z")
    v = sp.Matrix(q.velocities)
    F, m = np.array([0.4, -1.1, 0.7]), 1.7
    system = da.System(q, m / 2 * v.dot(v), {"speed": v.dot(v) - 4}, dict(zip(v, F, strict=True)))
    now = 2 * np.array([2, -1, 2]) / 3
    found = FORMS[form](system).evaluate({**dict.fromkeys("xyz", 0), **dict(zip(["vx", "vy", "vz"], now, strict=True))})
    np.testing.assert_allclose(list(found["accelerations"].values()), (F - (F @ now) / 4 * now) / m, atol=1e-14)
    assert found["multipliers"]["speed"] == pytest.approx(-(F @ now) / 8, abs=1e-14)


def test_the_reduced_lagrangian_and_equations_of_the_penny(shelf):
    # L* = 1/2 (C + m R^2) psi'^2 + 1/2 A phi'^2;  the curvature does no harm: both rates are constant  [bloch2015 1.4]
    equations = FORMS["chaplygin"](shelf["penny"], dependent="vx vy")
    (shown, rows), space = definitions(equations), equations.space
    m, R, C, A = sp.symbols("m R C A", positive=True)
    expected = (C + m * R**2) * space["vpsi"] ** 2 / 2 + A * space["vphi"] ** 2 / 2
    assert sp.simplify(shown["L*"] - expected) == 0
    turn, spin = sp.Symbol("vphi:dot"), sp.Symbol("vpsi:dot")
    assert [sp.factor(left - right) for left, right in rows] == [A * turn, (C + m * R**2) * spin]


def test_the_almost_poisson_bracket_of_the_sleigh():
    # p_v = m v ,  p_w = (J + m a^2) w ,  {p_v, p_w} = m a w ,  H = p_v^2/(2 m) + p_w^2/(2 (J + m a^2))
    s = da.SE2("x y theta", velocities="v side w")
    v, side, w = s.velocities
    m, J, a = sp.symbols("m J a", positive=True)
    system = da.System(s, m / 2 * (v**2 + (side + a * w) ** 2) + J / 2 * w**2, {"blade": side})
    shown, rows = definitions(FORMS["almost_poisson"](system, dependent="side"))
    p, P, inertia = sp.Symbol("p_v"), sp.Symbol("p_w"), J + m * a**2
    assert sp.simplify(shown["p_v"] - m * v) == 0
    assert sp.simplify(shown["p_w"] - inertia * w) == 0
    assert sp.simplify(shown["H"] - (p**2 / m + P**2 / inertia) / 2) == 0
    assert sp.simplify(shown["{p_v, p_w}"] - m * a * P / inertia) == 0
    # p_v' = m a w^2 ,  p_w' = -m a v w
    assert [sp.simplify(right) for _, right in rows] == [m * a * P**2 / inertia**2, -a * p * P / inertia]


def test_the_bracket_on_suslov_s_body():
    # {p_1, p_2} = -(I13 w1 + I23 w2)
    equations = FORMS["almost_poisson"](suslov.system(), dependent="w3")
    shown, _ = definitions(equations)
    I1, I2 = sp.symbols("I1 I2", positive=True)
    I13, I23 = sp.symbols("I13 I23", real=True)
    expected = -(I13 * sp.Symbol("p_w1") / I1 + I23 * sp.Symbol("p_w2") / I2)
    assert sp.simplify(shown["{p_w1, p_w2}"] - expected) == 0


def test_the_acceleration_energy_of_a_particle_in_polar_coordinates():
    # S = 1/2 m ((r'' - r phi'^2)^2 + (r phi'' + 2 r' phi')^2), terms without accelerations aside    [pars1965 12]
    q = da.coordinates("r phi")
    r, _, vr, vphi = q
    m = sp.Symbol("m", positive=True)
    shown, _ = definitions(FORMS["gibbs_appell"](da.System(q, m / 2 * (vr**2 + r**2 * vphi**2))))
    first, second = sp.Symbol("vr:dot"), sp.Symbol("vphi:dot")
    S = m / 2 * ((first - r * vphi**2) ** 2 + (r * second + 2 * vr * vphi) ** 2)
    assert all(sp.expand((shown["S"] - S).diff(x)) == 0 for x in (first, second))


def test_the_reduced_lagrangian_of_the_sleigh_in_voronec_s_equations(shelf):
    # v = vx/cos(theta):  L* = m/2 v^2 + (J + m a^2)/2 w^2
    equations = FORMS["voronec"](shelf["sleigh"], dependent="vy")
    shown, _ = definitions(equations)
    m, J, a = sp.symbols("m J a", positive=True)
    theta, vx, w = (equations.space[n] for n in ("theta", "vx", "omega"))
    expected = m / 2 * (vx / cos(theta)) ** 2 + (J + m * a**2) / 2 * w**2
    assert sp.simplify(shown["L*"] - expected) == 0


def test_kane_is_maggi(shelf):
    equations = da.forms.kane(shelf["sleigh"])
    assert "Kane" in equations.header
    assert equations.principle == "maggi"


def test_the_levi_civita_connection_of_a_rigid_body():
    # in the body frame 1/2 u^a u^b g(nabla_a e_b, e_c) is the gyroscopic term: w x J w             [arnold1988]
    from dalembert.calculus.algebra import Symbolic
    from dalembert.calculus.euler_lagrange import Motion
    from dalembert.calculus.levi_civita import centrifugal, koszul

    motion = Motion(da.rotation("R", frame="body").frame, Symbolic())
    A, B, C = sp.symbols("A B C", positive=True)
    inertia = sp.diag(A, B, C)
    w = sp.Matrix(motion.u)
    expected = w.cross(inertia * w)
    assert (sp.Matrix(centrifugal(motion, inertia.tolist())) - expected).applyfunc(sp.expand) == sp.zeros(3, 1)
    table = koszul(motion, inertia.tolist())
    # it keeps the metric: g(nabla_a e_b, e_c) + g(e_b, nabla_a e_c) = e_a g_bc = 0
    assert all(sp.expand(table[a][b][c] + table[a][c][b]) == 0 for a in range(3) for b in range(3) for c in range(3))
