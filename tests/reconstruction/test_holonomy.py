"""Phases over a period: areas, Montgomery's formula, and what adds up."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.reconstruction.holonomy import Holonomy, _horizontal


def run(equations, start, until):
    return da.simulate(equations, start, until=until, rtol=1e-12, atol=1e-13)


def area_system(weights=(1.0, 1.0)):
    """A particle on an ellipse about the origin whose height counts the area: zdot = (x ydot - y xdot)/2."""
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    a, b = weights
    # the height carries no energy: the motion in the plane is that of two springs of one frequency
    L = (vx**2 + vy**2) / 2 - (a * x**2 + b * y**2) / 2
    return da.System(q, L, {"area": vz - (x * vy - y * vx) / 2}, symmetry="z", massless=[vz])


def test_a_closed_shape_loop_gains_its_area():
    system = area_system()
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.free(reduction.system)
    start = full.start(x=0.7, y=0.0, z=5.0, vx=0.0, vy=0.4)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 7.0)
    found = da.symmetry.holonomy(reduction, path, start, 2 * math.pi)
    # the ellipse of half-axes 0.7 and 0.4
    assert found.total == pytest.approx({"z": math.pi * 0.7 * 0.4}, abs=1e-10)
    assert found.geometric == pytest.approx(found.total, abs=1e-10)
    assert found.dynamic["z"] == pytest.approx(0, abs=1e-10)


def test_the_geometric_phase_is_the_integral_of_the_curvature():
    # xdot = f(r, s) rdot, shape (r, s) on a circle: the connection's curvature over the disc that it encloses
    q = da.coordinates("r s x", velocities="vr vs vx")
    r, s, _x, vr, vs, vx = q
    L = (vr**2 + vs**2) / 2 - (r**2 + s**2) / 2
    system = da.System(q, L, {"wheel": vx - s * (1 + r**2) * vr - r * vs}, symmetry="x", massless=[vx])
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.free(reduction.system)
    start = full.start(r=0.6, s=0.0, x=0.0, vr=0.0, vs=0.6)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 7.0)
    found = da.symmetry.holonomy(reduction, path, start, 2 * math.pi)
    # A = s (1 + r^2) dr + r ds:  dA = (1 - 1 - r^2) dr ds ,  int_disc -r^2 = -pi R^4/4
    assert found.total["x"] == pytest.approx(-math.pi * 0.6**4 / 4, abs=1e-10)
    split = da.symmetry.splitting(da.symmetry.quotient(area_system()))
    assert not split.flat


def test_geometric_and_dynamic_parts_of_a_momentum():
    # a bead in a rotor: p = (J + r^2) omega - B(r) rdot is constant; with p = 0 the geometric part alone is left
    q = da.coordinates("r phi", velocities="vr omega")
    r, _phi, vr, omega = q
    L = (vr**2 + (2 + r**2) * omega**2) / 2 + r * vr * omega / 2 - (r - 1) ** 2 * 5
    system = da.System(q, L, symmetry="phi")
    reduction = da.reduce(system)
    full, small = da.free(system), da.free(reduction.system)
    start = full.start(r=1.2, phi=0.0, vr=0.0, omega=0.4)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 6.0)
    # the period: vr comes back to 0 from above for the second time
    velocity = lambda t: float(path.at(t)["vr"])  # noqa: E731
    t = np.linspace(0.2, 6.0, 400)
    v = np.array([velocity(s) for s in t])
    down = [i for i in range(len(t) - 1) if v[i] > 0 >= v[i + 1]]
    period = brentq(velocity, t[down[0]], t[down[0] + 1], xtol=1e-13)
    found = da.symmetry.holonomy(reduction, path, start, period)
    p = (2 + 1.2**2) * 0.4
    # omega = p/(2 + r^2) - (r/2) rdot/(2 + r^2): the second part is exact in r and leaves nothing
    dynamic = quad(lambda t: p / (2 + float(path.at(t)["r"]) ** 2), 0, period, epsabs=1e-11, limit=200)[0]
    assert found.geometric["phi"] == pytest.approx(0, abs=1e-9)
    assert found.dynamic["phi"] == pytest.approx(dynamic, abs=1e-9)


@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (0.4, -0.9, 0.3)])
def test_montgomerys_phase_of_the_free_body(turned):
    # after a period of the body momentum the body has turned about L by  -Omega + 2 E T/|L|  (mod 2 pi), in space
    # wherever it began
    begin = Rotation.from_rotvec(turned).as_matrix()
    s = da.rotation("R", frame="body")
    I = np.array([1.0, 2.0, 2.5])
    system = da.System(
        s, sum(i * w**2 for i, w in zip(I, s.velocities, strict=True)) / 2, symmetry=da.symmetry.rotations("R")
    )
    reduction = da.reduce(system)
    full, small = da.free(system), da.free(reduction.system)
    w0 = np.array([0.3, 0.0, 1.0])
    start = full.start(R=begin, **dict(zip(("w1", "w2", "w3"), w0, strict=True)))
    path = run(small, small.start(**da.reduced_start(reduction, start)), 30.0)
    second = lambda t: float(path.at(t)["w2"])  # noqa: E731
    t = np.linspace(0.1, 30.0, 2000)
    v = np.array([second(x) for x in t])
    crossings = [brentq(second, t[i], t[i + 1], xtol=1e-13) for i in range(len(t) - 1) if v[i] * v[i + 1] < 0]
    period = crossings[1]
    found = da.symmetry.holonomy(reduction, path, start, period)
    R = Rotation.from_rotvec(found.total["R"]).as_matrix()
    L = begin @ (I * w0)
    size = np.linalg.norm(L)
    axis = L / size
    assert pytest.approx(L, abs=1e-9) == R @ L
    across = np.cross(axis, [0.0, 1.0, 0.0])
    angle = math.atan2(np.dot(np.cross(across, R @ across), axis), np.dot(across, R @ across))
    # the solid angle that the body momentum encloses on its sphere
    moving = (
        np.array([[float(path.at(x)[f"w{i}"]) for i in (1, 2, 3)] for x in np.linspace(0, period, 4001)]) * I / size
    )
    azimuth = np.unwrap(np.arctan2(moving[:, 1], moving[:, 0]))
    solid = abs(np.trapezoid(1 - moving[:, 2], azimuth))
    energy = (I * w0**2).sum() / 2
    turning = 2 * energy * period / size
    off = [(angle - turning + side * solid + math.pi) % (2 * math.pi) - math.pi for side in (1, -1)]
    assert min(map(abs, off)) < 1e-5  # the trapezoid rule on 4000 steps
    # the geometric part is the solid angle, about L; it is the loop's alone
    geometric = found.geometric["R"] @ axis
    assert found.geometric["R"] == pytest.approx(geometric * axis, abs=1e-9)
    off = [(geometric + side * solid + math.pi) % (2 * math.pi) - math.pi for side in (1, -1)]
    assert min(map(abs, off)) < 1e-5
    parts = Rotation.from_rotvec(found.dynamic["R"]) * Rotation.from_rotvec(found.geometric["R"])
    assert parts.as_matrix() == pytest.approx(R, abs=1e-9)


def test_a_motion_that_does_not_come_back_is_refused():
    system = area_system()
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.free(reduction.system)
    start = full.start(x=0.7, y=0.0, z=0.0, vx=0.0, vy=0.4)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 7.0)
    with pytest.raises(da.DalembertError, match="E124 the reduced motion does not come back after 5"):
        da.symmetry.holonomy(reduction, path, start, 5.0)
    with pytest.raises(da.DalembertError, match="E303"):
        da.symmetry.holonomy(reduction, path, start, 8.0)


def test_constraints_that_are_kept_hold_in_the_horizontal_motion_too():
    # the disc's velocities in a frame with a pole: what leaves the constraints in gives the same phases
    from dalembert.geometry.quotient_space import quotient
    from dalembert.geometry.reduction import _plain
    from dalembert.systems import rolling_disc

    system = rolling_disc.system()
    full, spin = da.nonholonomic(system), {"x": 0.0, "y": 0.0, "phi": 0.0, "psi": 0.0}
    steady = full.start(theta=1.2, vtheta=0.0, vphi=1.0, vpsi=2.0, **spin)
    found = []
    for reduction in (da.reduce(system), _plain(quotient(system), "")):
        small = da.nonholonomic(reduction.system)
        path = run(small, small.start(**da.reduced_start(reduction, steady)), 3.0)
        t = np.linspace(0.2, 3.0, 3000)
        v = path.at(t)["vtheta"]
        turns = [i for i in range(len(t) - 1) if v[i] * v[i + 1] < 0]
        period = brentq(lambda s: float(path.at(s)["vtheta"]), *t[turns[1] : turns[1] + 2], xtol=1e-13)  # noqa: B023
        found.append(da.symmetry.holonomy(reduction, path, steady, period))
    one, other = found
    assert other.total == pytest.approx(one.total, abs=1e-9)
    assert other.geometric == pytest.approx(one.geometric, abs=1e-9)
    # leaning to and fro leaves nothing: the loop of one angle encloses no area
    assert all(abs(v) < 1e-9 for v in one.geometric.values())


def test_an_area_is_gained_with_the_constraint_kept_too():
    from dalembert.geometry.quotient_space import quotient
    from dalembert.geometry.reduction import _plain

    system = area_system()
    kept = _plain(quotient(system), "")
    assert kept.system.constraints
    full, small = da.nonholonomic(system), da.nonholonomic(kept.system)
    start = full.start(x=0.7, y=0.0, z=5.0, vx=0.0, vy=0.4)
    path = run(small, small.start(**da.reduced_start(kept, start)), 7.0)
    found = da.symmetry.holonomy(kept, path, start, 2 * math.pi)
    # without the constraint the horizontal motion would leave the height as it is
    assert found.geometric == pytest.approx({"z": math.pi * 0.7 * 0.4}, abs=1e-9)


def test_the_turn_of_a_rotation_is_its_rotation_vector():
    # Veselova's body turns about a level principal axis, and comes back after a turn; half a turn of the symmetric one
    from dalembert.systems import veselova

    system = veselova.system()
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    start = full.start(R="identity", w1=1.2, w2=0.0)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 6.0)
    found = da.symmetry.holonomy(reduction, path, start, 2 * math.pi / 1.2)
    assert found.total["R"] == pytest.approx([0, 0, 0], abs=1e-8)
    # <gamma, w> = 0 leaves no turn about the axis: the whole motion is horizontal
    assert found.geometric["R"] == pytest.approx(found.total["R"], abs=1e-8)


def test_constraints_that_are_left_are_refused():
    q = da.coordinates("x y z")
    _x, _y, z, vx, vy, vz = q
    system = da.System(
        q, (vx**2 + vy**2 + vz**2) / 2 - sp.cos(z), {"cone": vz**2 - (vx**2 + vy**2) / 2}, symmetry="x y"
    )
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    start = full.start(x=0.0, y=0.0, z=0.1, vx=1.0, vy=0.0, vz=math.sqrt(0.5))
    path = run(small, small.start(**da.reduced_start(reduction, start)), 0.1)
    with pytest.raises(da.DalembertError, match="E124 constraints are left"):
        da.symmetry.holonomy(reduction, path, start, 0.1)


@pytest.mark.parametrize(
    ("period", "code"),
    [
        ("1", "E204"),
        (None, "E204"),
        ([1.0], "E204"),
        (math.nan, "E203"),
        (math.inf, "E203"),
        (0, "E303"),
        (-1.0, "E303"),
    ],
    ids=str,
)
def test_periods_that_are_none(period, code):
    system = area_system()
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.free(reduction.system)
    start = full.start(x=0.7, y=0.0, z=5.0, vx=0.0, vy=0.4)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 7.0)
    with pytest.raises(da.DalembertError) as caught:
        da.symmetry.holonomy(reduction, path, start, period)
    assert caught.value.code == code


# --- loops that turn --------------------------------------------------------------------------------------------------


def skate(space, spring=0.0):
    """A skate on an incline, x downhill [neimark1972]; the spring knows how often it was turned."""
    x, _y, phi, vx, vy, omega = space
    m, J, g, alpha = sp.symbols("m J g alpha", positive=True)
    L = m * (vx**2 + vy**2) / 2 + J * omega**2 / 2 + m * g * sp.sin(alpha) * x - spring * phi**2
    blade = {"blade": vy * sp.cos(phi) - vx * sp.sin(phi)}
    values = {"m": 1.3, "J": 0.4, "g": 9.81, "alpha": 0.3}
    return da.System(space, L, blade, parameters=values, symmetry="y")


SKATES = {
    "angle": da.Space.product(da.plane("x y"), da.angle("phi")),
    "plain": da.coordinates("x y phi"),
}


@pytest.mark.parametrize("kind", sorted(SKATES))
@pytest.mark.parametrize("turns", [1, 3])
@pytest.mark.parametrize("side", [1, -1])
def test_a_skate_drifts_across_the_incline_with_every_turn(kind, turns, side):
    # y = g sin(alpha)/(2 omega^2) (omega t - sin(2 omega t)/2):  pi g sin(alpha)/omega^2 a turn  [neimark1972]
    system = skate(SKATES[kind])
    reduction = da.reduce(system)
    assert [q.name for q in reduction.system.space.coordinates] == ["x", "phi"]
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    omega = 2.0
    start = full.start(x=0.0, y=0.0, phi=0.0, vx=0.0, vphi=side * omega)
    path = run(small, small.start(**da.reduced_start(reduction, start)), turns * math.pi + 0.1)
    found = da.symmetry.holonomy(reduction, path, start, turns * math.pi)
    assert found.total["y"] == pytest.approx(side * turns * math.pi * 9.81 * math.sin(0.3) / omega**2, abs=1e-9)
    assert found.turns == {"phi": side * turns}
    assert f"phi modulo 2 pi: {side * turns} turn" in str(found)


def test_a_turn_that_the_equations_know_is_no_closed_loop():
    system = skate(SKATES["angle"], spring=1e-3)
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    start = full.start(x=0.0, y=0.0, phi=-math.pi, vx=0.0, vphi=2.0)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 4.0)
    turned = brentq(lambda t: float(path.at(t)["phi"]) - math.pi, 3.0, 3.3, xtol=1e-13)
    with pytest.raises(da.DalembertError, match="E124 the reduced motion does not come back"):
        da.symmetry.holonomy(reduction, path, start, turned)


def test_a_turn_that_the_way_back_knows_is_no_closed_loop():
    # the reduced equations hold no theta: y = theta^2 does
    q = da.coordinates("theta y", velocities="w vy")
    theta, _y, w, vy = q
    system = da.System(q, w**2 / 2, {"cam": vy - 2 * theta * w}, symmetry="y", massless=[vy])
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    start = full.start(theta=0.5, y=0.0, w=1.0)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 7.0)
    with pytest.raises(da.DalembertError, match="E124 the reduced motion does not come back"):
        da.symmetry.holonomy(reduction, path, start, 2 * math.pi)


def test_a_length_of_six_metres_is_no_turn():
    q = da.coordinates("x y z")
    x, _y, _z, vx, vy, vz = q
    system = da.System(q, (vx**2 + vy**2) / 2, {"area": vz - x**2 * vy}, symmetry="z", massless=[vz])
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    start = full.start(x=0.0, y=0.0, z=0.0, vx=2 * math.pi, vy=0.0)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 1.1)
    with pytest.raises(da.DalembertError, match="E124 the reduced motion does not come back"):
        da.symmetry.holonomy(reduction, path, start, 1.0)


def test_a_rotation_that_turned_once_is_back():
    # its quaternion has the other sign; a ball rolls its circumference a turn
    from dalembert.systems import rolling_ball_on_plane

    system = rolling_ball_on_plane.system()
    reduction = da.reduce(system, "x y")
    assert "R_w" in reduction.system.space.by_name
    full, small = da.nonholonomic(system), da.nonholonomic(reduction.system)
    start = full.start(x=0.0, y=0.0, R="identity", w1=0.0, w2=2.0, w3=0.0)
    path = run(small, small.start(**da.reduced_start(reduction, start)), math.pi + 0.1)
    found = da.symmetry.holonomy(reduction, path, start, math.pi)
    assert found.total["x"] == pytest.approx(2 * math.pi * system.values()["r"], abs=1e-9)
    assert found.turns == {}


@pytest.mark.parametrize("tilt", [0.0, 0.4, 1.1, 1.4])
def test_the_momentum_of_a_symmetric_top_encloses_a_cap(tilt):
    # p goes round a circle of latitude at the angle tilt from the axis: the cap's solid angle is 2 pi (1 - cos tilt)
    s = da.rotation("R", frame="body")
    w1, w2, w3 = s.velocities
    system = da.System(s, (2 * (w1**2 + w2**2) + 3 * w3**2) / 2, symmetry=da.symmetry.rotations("R"))
    reduction = da.reduce(system)
    full, small = da.free(system), da.free(reduction.system)
    start = full.start(R="identity", w1=math.sin(tilt) / 2, w2=0.0, w3=math.cos(tilt) / 3)
    period = 2 * math.pi / (math.cos(tilt) / 3 / 2)
    path = run(small, small.start(**da.reduced_start(reduction, start)), period + 0.1)
    found = da.symmetry.holonomy(reduction, path, start, period)
    axis = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    cap = 2 * math.pi * (1 - math.cos(tilt))
    angle = found.geometric["R"] @ axis
    # wdot1 = (I1 - I3)/I1 w2 w3: for I3 > I1 p goes round counterclockwise, and the phase is minus the solid angle
    off = (angle - -1 * cap + math.pi) % (2 * math.pi) - math.pi
    assert off == pytest.approx(0, abs=1e-8)


def test_parts_of_a_turn_about_other_axes_follow_each_other():
    # exp(total) = exp(dynamic) exp(geometric): the geometric part comes first, and the order counts
    total, geometric = np.array([0.4, -1.1, 0.3]), np.array([0.9, 0.2, -0.7])
    found = Holonomy(1.0, {"R": total, "x": 3.0}, {"R": geometric, "x": 1.2}, 0.0)
    both = Rotation.from_rotvec(found.dynamic["R"]) * Rotation.from_rotvec(geometric)
    assert both.as_matrix() == pytest.approx(Rotation.from_rotvec(total).as_matrix(), abs=1e-12)
    assert found.dynamic["x"] == pytest.approx(1.8)


SNAKEBOARD = {"m": 2.0, "J": 0.3, "K": 0.2, "I": 0.1, "l": 0.3, "A": 0.7, "B": 0.4}
GROUP = [da.symmetry.euclidean("x y", "theta")]


def blades(f):
    """No slip of the back wheels, turned by -f, and of the front ones, turned by f."""
    return {
        "back": f"vy*cos(theta - {f}) - vx*sin(theta - {f}) - l*omega*cos({f})",
        "front": f"vy*cos(theta + {f}) - vx*sin(theta + {f}) + l*omega*cos({f})",
    }


def by_laws_of_time():
    """The rotor's angle and the wheels' are coordinates, held to A sin 2t and B sin t."""
    q = da.coordinates("x y theta psi f", velocities="vx vy omega vpsi vf")
    L = "m/2*(vx^2 + vy^2) + (J + 2*I)/2*omega^2 + K/2*(omega + vpsi)^2 + I*vf^2"
    laws = {"rotor": "psi - A*sin(2*t)", "wheels": "f - B*sin(t)"}
    at_first = {"psi": 0, "f": 0, "vpsi": 1.4, "vf": 0.4}
    return da.System(q, L, blades("f") | laws, parameters=SNAKEBOARD, symmetry=GROUP), at_first


def in_time():
    """The two angles are functions of time in the Lagrangian and in the constraints."""
    q = da.coordinates("x y theta", velocities="vx vy omega")
    L = "m/2*(vx^2 + vy^2) + (J + 2*I)/2*omega^2 + K/2*(omega + 2*A*cos(2*t))^2"
    return da.System(q, L, blades("(B*sin(t))"), parameters=SNAKEBOARD, symmetry=GROUP), {}


def by_hand(u0, momentum):
    """x, y, theta after a gait: u along the board, theta' = u tan(f)/l, with or without the momentum of the ride."""
    m, J, K, inertia, l, A, B = SNAKEBOARD.values()
    whole = J + K + 2 * inertia

    def rate(t, s):
        T, turned = np.tan(B * np.sin(t)) / l, 2 * A * np.cos(2 * t)
        # horizontal: p = (m + Jt T^2) u + K T psidot = 0 ;  in motion (m + Jt T^2) u' = -T (Jt u T' + K psi'')
        u = s[3] if momentum else -K * T * turned / (m + whole * T**2)
        dT, bent = B * np.cos(t) / np.cos(B * np.sin(t)) ** 2 / l, -4 * A * np.sin(2 * t)
        return [u * np.cos(s[2]), u * np.sin(s[2]), u * T, -T * (whole * u * dT + K * bent) / (m + whole * T**2)]

    found = solve_ivp(rate, [0, 2 * np.pi], [0, 0, 0, u0], rtol=1e-12, atol=1e-13, method="DOP853")
    return dict(zip(("x", "y", "theta"), found.y[:3, -1], strict=True))


@pytest.mark.parametrize("made", [by_laws_of_time, in_time])
@pytest.mark.parametrize("u0", [0.0, 0.3])
def test_a_gait_in_time_moves_a_snakeboard_as_by_hand(made, u0):
    system, more = made()
    reduction = da.reduce(system)
    start = da.nonholonomic(system).start(x=0, y=0, theta=0, vx=u0, **more)
    path = run(da.nonholonomic(reduction.system), da.reduced_start(reduction, start), 2 * math.pi)
    found = da.symmetry.holonomy(reduction, path, start, 2 * math.pi)
    assert found.total == pytest.approx({**found.total, **by_hand(u0, True)}, abs=1e-8)
    assert found.geometric == pytest.approx({**found.geometric, **by_hand(0.0, False)}, abs=1e-8)


def test_an_affine_constraint_that_does_not_change_has_no_horizontal_motion():
    q = da.coordinates("x y", velocities="vx vy")
    system = da.System(q, "(vx^2 + vy^2)/2 - y^2/2", {"belt": "vx - y*vy - 1"}, symmetry="x")
    reduction = da.reduce(system)
    start = da.nonholonomic(system).start(x=0, y=0.3, vy=0)
    path = run(da.nonholonomic(reduction.system), da.reduced_start(reduction, start), 7.0)
    with pytest.raises(da.DalembertError, match=r"E124.*belt.*no horizontal motion"):
        da.symmetry.holonomy(reduction, path, start, 6.0)


def test_the_lift_has_the_least_energy():
    """Of all (x', y') with x' = 3/2 and the energy x'^2 + x' y' + 3/2 y'^2 the least has y' = -x'/3."""
    none = np.zeros((1, 0, 2)), np.zeros((1, 2, 1)), np.zeros((1, 0, 1))
    found = _horizontal(np.array([[[2.0, 1.0], [1.0, 3.0]]]), np.array([[[1.0, 0.0]]]), *none, np.array([[1.5, 7.0]]))
    assert found[0].tolist() == pytest.approx([1.5, -0.5], rel=1e-12)


def test_the_lift_under_rows_that_move_solves_the_bordered_system():
    """G v + b = rho^T l + N^T m with rho v = rho v_0 and N v + a = 0, the least of 1/2 v G v + b v."""
    draw = np.random.default_rng(5).normal
    root, rho, N, b, a, v = (draw(size=size) for size in ((4, 4), (1, 4), (1, 4), (4, 1), (1, 1), (1, 4)))
    G, none = root @ root.T, np.zeros((1, 1))
    bordered = np.block([[G, rho.T, N.T], [rho, none, none], [N, none, none]])
    expected = np.linalg.solve(bordered, np.vstack([-b, rho @ v.T, -a]))[:4, 0]
    found = _horizontal(*(each[None] for each in (G, rho, N, b, a)), v)
    assert found[0] == pytest.approx(expected, rel=1e-9)
