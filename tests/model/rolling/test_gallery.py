"""What is made by `da.rolling` moves as the systems that the gallery states by hand: accelerations at random states."""

import math

import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import (
    ball_in_cone,
    ball_in_cylinder,
    ball_on_sphere,
    ball_on_turntable,
    chaplygin_top,
    rattleback,
    rolling_ball_on_plane,
    rolling_disc,
    rolling_ellipsoid,
    routh_sphere,
    rubber_ball,
)

SAME = 1e-11
m, r, b, I, g, a, d = sp.symbols("m r b I g a d")
e3 = sp.Matrix([0, 0, 1])
BODY = da.rotation("R", frame="body")


def turn(axis, angle):
    """The rotation about one axis."""
    return sp.Matrix(sp.rot_axis3(-angle) if axis == "z" else sp.rot_axis2(-angle))


def system(other, rolls, moments, weight=g):
    """The system of what rolls, with the parameters of another one."""
    parameters = {k: v for k, v in other.parameters.items() if k not in ("Omega",) or "Omega" in str(rolls.slip)}
    L = rolls.kinetic("m", moments) - m * weight * rolls.position[2]
    return da.System(rolls.space, L, rolls.constraints, parameters=parameters, bodies=rolls.bodies)


def of_ball(file, other, X, C):
    """A ball of the gallery, whose attitude is R, with its angular velocity in space axes."""
    return other, X, other.space.R, sp.Matrix(other.space.velocities[-3:]), C


def test_a_ball_on_a_plane(motion, same_accelerations):
    other = rolling_ball_on_plane.system()
    x, y = other.space.coordinates[:2]
    R = sp.Symbol("r", positive=True)
    rolls = da.rolling(da.Body("ball", radius="r"), "z", parameters="m r I")
    given = motion(*of_ball(None, other, [x, y, R], [x, y, 0]))
    assert same_accelerations(given, rolls, system(other, rolls, "I", 0)) < SAME


@pytest.mark.parametrize("frame", ["space", "body"])
def test_routh_s_sphere(motion, same_accelerations, frame):
    other = routh_sphere.system()
    x, y = other.space.coordinates[:2]
    at = sp.Matrix([x, y, routh_sphere.RADIUS]) + routh_sphere.OFFSET * routh_sphere.AXIS
    rolls = da.rolling(
        da.Body("ball", radius="r", at=(0, 0, "-a")),
        "z",
        rotation=da.rotation("R", frame=frame),
        parameters="m r a I1 I3",
    )
    given = motion(*of_ball(None, other, at, [x, y, 0]))
    assert same_accelerations(given, rolls, system(other, rolls, ["I1", "I1", "I3"])) < SAME


def test_chaplygin_s_top(motion, same_accelerations):
    other = chaplygin_top.system()
    x, y = other.space.coordinates[:2]
    at = sp.Matrix([x, y, chaplygin_top.RADIUS]) + other.space.R * chaplygin_top.ARM
    body = da.Body("ball", radius="r", at=("-c1", "-c2", "-c3"))
    rolls = da.rolling(body, "z", parameters="m r c1 c2 c3 I1 I2 I3")
    given = motion(*of_ball(None, other, at, [x, y, 0]))
    assert same_accelerations(given, rolls, system(other, rolls, ["I1", "I2", "I3"])) < SAME


def test_the_ball_on_a_turning_table(motion, same_accelerations):
    other = ball_on_turntable.system()
    x, y = other.space.coordinates[:2]
    rolls = da.rolling(da.Body("ball", radius="r"), "z", moving=("-Omega*y", "Omega*x", 0), parameters="m r I Omega")
    given = motion(*of_ball(None, other, [x, y, ball_on_turntable.RADIUS], [x, y, 0]))
    assert same_accelerations(given, rolls, system(other, rolls, "I", 0)) < SAME


def test_the_rubber_ball(motion, same_accelerations):
    other = rubber_ball.system()
    x, y = other.space.coordinates[:2]
    rolls = da.rolling(da.Body("ball", radius="r"), "z", rubber=True, rotation=BODY, parameters="m r I1 I2 I3")
    given = motion(other, [x, y, rubber_ball.RADIUS], other.space.R, rubber_ball.SPIN, [x, y, 0])
    assert same_accelerations(given, rolls, system(other, rolls, ["I1", "I2", "I3"], 0)) < SAME


def test_the_rolling_disc(motion, same_accelerations):
    other = rolling_disc.system()
    x, y, theta, phi, psi, _, _, vtheta, vphi, vpsi = other.space
    R = turn("z", phi) * turn("y", theta) * turn("z", psi)
    w = vphi * e3 + turn("z", phi) * (vtheta * sp.Matrix([0, 1, 0])) + vpsi * turn("z", phi) * turn("y", theta) * e3
    X = sp.Matrix([x, y, rolling_disc.RADIUS * sp.sin(theta)])
    C = X - rolling_disc.RADIUS * turn("z", phi) * turn("y", theta) * sp.Matrix([-1, 0, 0])
    rolls = da.rolling(da.Body("disc", radius="r"), "z", parameters="m r A C")
    given = motion(other, X, R, w, C, lambda state: math.sin(state["theta"]) > 0)
    assert same_accelerations(given, rolls, system(other, rolls, ["A", "A", "C"])) < SAME


def test_the_rattleback(motion, same_accelerations):
    other = rattleback.system()
    X = sp.Matrix([*other.space.coordinates[:2], rattleback.HEIGHT])
    body = da.Body("ellipsoid", size=("2*a", "2*b", "2*c"), at=(0, 0, "d"))
    rolls = da.rolling(body, "z", rotation=BODY, parameters="m a b c d")
    moments = sp.Matrix(3, 3, sp.symbols("I1 I12 zero I12 I2 zero zero zero I3")).subs("zero", 0)
    given = motion(other, X, other.space.R, other.space.R * rattleback.W, X + other.space.R * rattleback.LEVER)
    assert same_accelerations(given, rolls, system(other, rolls, moments)) < SAME


def test_the_ellipsoid(motion, same_accelerations):
    other = rolling_ellipsoid.system()
    X = sp.Matrix([*other.space.coordinates[:2], rattleback.SUPPORT])
    rolls = da.rolling(
        da.Body("ellipsoid", size=("2*a", "2*b", "2*c")), "z", rotation=BODY, parameters="m a b c I1 I2 I3"
    )
    lever = rattleback.LEVER.subs(rattleback.OFFSET, 0)
    given = motion(other, X, other.space.R, other.space.R * rattleback.W, X + other.space.R * lever)
    assert same_accelerations(given, rolls, system(other, rolls, ["I1", "I2", "I3"])) < SAME


@pytest.mark.parametrize("surface", ["b - sqrt(x^2 + y^2)", "b^2 - x^2 - y^2"])
def test_a_ball_in_a_tube(motion, same_accelerations, surface):
    other = ball_in_cylinder.system()
    ph, z = other.space.coordinates[:2]
    out, radius, tube = sp.Matrix([sp.cos(ph), sp.sin(ph), 0]), ball_in_cylinder.RADIUS, ball_in_cylinder.TUBE
    rolls = da.rolling(da.Body("ball", radius="r"), surface, parameters="m r b I")
    given = motion(*of_ball(None, other, (tube - radius) * out + z * e3, tube * out + z * e3))
    assert same_accelerations(given, rolls, system(other, rolls, "I")) < SAME


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("surface", ["sqrt(x^2 + y^2 + z^2) - b", "x^2 + y^2 + z^2 - b^2"])
def test_a_ball_on_a_sphere_and_in_a_bowl(motion, same_accelerations, surface, inside):
    other = ball_on_sphere.system(inside=inside)
    out, radius, sphere = ball_on_sphere.NORMAL, ball_on_sphere.RADIUS, ball_on_sphere.SPHERE
    rho = sphere - radius if inside else sphere + radius
    rolls = da.rolling(da.Body("ball", radius="r"), f"-({surface})" if inside else surface, parameters="m r b I")
    given = motion(*of_ball(None, other, rho * out, sphere * out))
    assert same_accelerations(given, rolls, system(other, rolls, "I")) < SAME


@pytest.mark.parametrize(
    "surface", ["z*sin(alpha) - sqrt(x^2 + y^2)*cos(alpha)", "z^2*sin(alpha)^2 - (x^2 + y^2)*cos(alpha)^2"]
)
def test_a_ball_in_a_cone(motion, same_accelerations, surface):
    other = ball_in_cone.system()
    s = other.space.coordinates[0]
    # the apex of the cone on which the centre moves is r/sin(alpha) above that of the surface
    X = s * ball_in_cone.E_S + ball_in_cone.RADIUS / sp.sin(ball_in_cone.OPENING) * e3
    C = X - ball_in_cone.RADIUS * ball_in_cone.NORMAL
    rolls = da.rolling(da.Body("ball", radius="r"), surface, parameters="m r I alpha")
    given = motion(other, X, other.space.R, ball_in_cone.W, C, lambda state: state["s"] > 0)
    assert same_accelerations(given, rolls, system(other, rolls, "I")) < SAME
