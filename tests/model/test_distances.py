"""A gap is a distance and a slip a velocity, by their units and by their gradients; what jumps is neither."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

ROUND = "(x*dot(y) - y*dot(x))/sqrt(x^2 + y^2)"
APART = "sqrt((x2 - x1)^2 + (y2 - y1)^2)"
ACROSS = f"((x2 - x1)*(dot(y2) - dot(y1)) - (y2 - y1)*(dot(x2) - dot(x1)))/{APART}"


def puck(gap, slip=(), mu=0.3, space="x y", parameters=None, **given):
    names = space.split()
    L = "m/2*(" + " + ".join(f"dot({name})^2" for name in names) + ")"
    friction = {"mu": mu} if slip else {}
    parameters = {"m": "1 kg" if "units" in given else 1.0, **(parameters or {})}
    touch = {"pipe": da.contact(gap, slip, **friction)}
    return da.System(da.coordinates(space), L, parameters=parameters, contacts=touch, **given)


METRES = {"units": {"x": "m", "y": "m"}, "parameters": {"R": "25 cm"}}


@pytest.mark.parametrize(
    ("gap", "slip", "mu", "told"),
    [
        ("y + m", [], 0, r"dimensions differ: (m \+ kg|kg \+ m)"),
        ("y", ["dot(x) + x"], 0.3, "in term 2 of the slip of pipe"),
        ("y", ["dot(x)"], "m", "the dimension is kg, must be a number: mu of pipe"),
        ("R^2 - x^2 - y^2", [ROUND], 0.3, r"gap=\"\(R\*\*2 - x\*\*2 - y\*\*2\)/sqrt\(4\*x\*\*2 \+ 4\*y\*\*2\)"),
        ("R - sqrt(x^2 + y^2)", ["x*dot(y) - y*dot(x)"], 0.3, r"slip=\[\"\(-vx\*y \+ vy\*x\)/sqrt\(x\*\*2 \+ y\*\*2\)"),
    ],
)  # fmt: skip
def test_what_is_in_another_unit_is_refused_with_what_is_right(gap, slip, mu, told):
    with pytest.raises(da.DalembertError, match=f"(?s)E134.*{told}"):
        puck(gap, slip, mu, **METRES)


def test_lengths_and_numbers_of_a_contact_are_held_to_their_units():
    law = da.coulomb(0.3, rolling="m")
    floor = da.contact("y - R", ["dot(x) - R*dot(a)"], friction=law, rolling=["dot(a)"])
    held = {"parameters": {"m": "1 kg", "R": "1 m"}, "units": {"x": "m", "y": "m"}}
    space, L = da.coordinates("x y a"), "m/2*(dot(x)^2 + dot(y)^2 + R^2*dot(a)^2)"
    with pytest.raises(da.DalembertError, match="E134 the dimension is kg, must be m: the rolling_friction of floor"):
        da.System(space, L, contacts={"floor": floor}, **held)
    with pytest.raises(da.DalembertError, match="E134 the dimension is kg, must be a number: the restitution of w"):
        da.System(space, L, walls={"w": {"guard": "y", "restitution": "m"}}, **held)
    for guard, rows in (("y + m", {}), ("y", {"grip": "dot(x) + x"})):
        with pytest.raises(da.DalembertError, match="E134 dimensions differ"):
            da.System(space, L, walls={"w": {"guard": guard, "constraints": rows}}, **held)


def test_the_load_of_dry_friction_is_a_force_along_its_joint():
    q, held = da.coordinates("x"), {"parameters": {"m": "1 kg", "F": "2 N"}, "units": {"x": "m"}}
    da.System(q, "m/2*dot(x)^2", forces=[da.forces.dry("x", "F")], **held)
    with pytest.raises(da.DalembertError, match=r"E134 .*: the load of dry_x beside its slip times s"):
        da.System(q, "m/2*dot(x)^2", forces=[da.forces.dry("x", "m")], parameters={"m": "1 kg"}, units={"x": "m"})


def test_right_gaps_with_units_are_taken():
    """A number that stands alone may be a length; a door stop may be an angle; a gap alone is only doubted."""
    for gap, slip in (("R - sqrt(x^2 + y^2)", [ROUND]), ("y - 0.5", ["dot(x) - 2"]), ("y - 0.1*sin(t)", ["dot(x)"])):
        puck(gap, slip, **(METRES if "R" in gap else {"units": METRES["units"]}))
    door = {"units": {"J": "kg*m^2"}, "parameters": {"J": 1.0}}
    da.System(da.coordinates("phi"), "J*dot(phi)^2/2", contacts={"stop": da.contact("1 - phi")}, **door)
    with pytest.warns(da.DalembertWarning, match="W134 with these units the gap of pipe is in m"):
        puck("R^2 - x^2 - y^2", **METRES)


@pytest.mark.parametrize("R", [0.25, 2.0])
def test_without_units_the_gradient_tells(R):
    """2 R is longer, or shorter, than the slip; the other way round for a slip that is R times too long."""
    with pytest.raises(da.DalembertError, match=rf"(?s)E137 .*no distance: its gradient is {2 * R:g} long.*gap="):
        puck("R^2 - x^2 - y^2", [ROUND], parameters={"R": R})
    with pytest.raises(da.DalembertError, match=rf"(?s)E137 .*no velocity: {R:g} long, the gap 1.*slip="):
        puck("R - sqrt(x^2 + y^2)", ["x*dot(y) - y*dot(x)"], parameters={"R": R})
    with pytest.raises(da.DalembertError, match=r"E137 .*no distance"):
        puck(f"({APART})^2 - R^2", [ACROSS], space="x1 y1 x2 y2", parameters={"R": R})


@pytest.mark.parametrize(
    ("gap", "slip", "space"),
    [
        ("2*y", ["dot(x)"], "x y"),
        ("y", ["2*dot(x)"], "x y"),
        ("x + y", ["(dot(x) - dot(y))/sqrt(2)"], "x y"),
        ("y - x/2", ["dot(x)"], "x y"),
        ("y", ["dot(x) + dot(y)/2"], "x y"),
        ("z - x/3", ["dot(x)", "dot(y)"], "x y z"),
    ],
)
def test_slopes_and_factors_are_refused(gap, slip, space):
    with pytest.raises(da.DalembertError, match="E137"):
        puck(gap, slip, space=space)


@pytest.mark.parametrize(
    ("gap", "slip", "space"),
    [
        ("x + y", ["dot(x) - dot(y)"], "x y"),  # both are sqrt(2) too long: the law is the same
        ("(y - x/2)/sqrt(5/4)", ["(dot(x) + dot(y)/2)/sqrt(5/4)"], "x y"),
        ("y*sqrt(2)/2", ["dot(x)"], "x y"),  # in a groove at 45 degrees
        ("1 - sqrt(x^2 + y^2)", ["x*dot(y) - y*dot(x)"], "x y"),  # lengths in units of the radius
        ("y2 - 1", ["dot(x2) - dot(x1)"], "x1 x2 y2"),  # on a cart of the same mass
        ("x2 - x1 - 1", ["dot(y2)"], "x1 x2 y2"),
        (f"{APART} - 1", [ACROSS], "x1 y1 x2 y2"),
        ("z", ["dot(x)"], "x y z"),
        ("z", ["dot(x)", "dot(y)"], "x y z"),
        ("x - (y - 1)/10 - 2", ["3*dot(q)"], "x y q"),  # moved by a drum alone
    ],
)
def test_right_gaps_without_units_are_taken(gap, slip, space):
    puck(gap, slip, space=space)


def test_the_friction_of_the_distance_is_that_of_the_angle():
    """theta'' = -g/R sin(theta) - mu s (theta'^2 + g/R cos(theta)), by fixed steps in the angle alone."""
    R, g, mu, theta, until = 0.25, 9.81, 0.3, -1.2, 0.4
    system = puck("(R^2 - x^2 - y^2)/(2*sqrt(x^2 + y^2))", [ROUND], parameters={"R": R}).changed(up="y")
    system = system.changed(lagrangian=system.lagrangian - sp.Float(g) * sp.Symbol("m", real=True) * system.space["y"])
    start = {"x": R * np.sin(theta), "y": -R * np.cos(theta), "vx": 0, "vy": 0}
    path = da.simulate(da.nonholonomic(system), start, until=until, rtol=1e-11, atol=1e-12)

    def rate(s):
        return np.array([s[1], -g / R * np.sin(s[0]) - mu * (s[1] ** 2 + g / R * np.cos(s[0]))])

    s, h = np.array([theta, 0.0]), until / 2000
    for _ in range(2000):
        k1 = rate(s)
        k2 = rate(s + h / 2 * k1)
        k3 = rate(s + h / 2 * k2)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(s + h * k3))
    assert path["x"][-1] == pytest.approx(R * np.sin(s[0]), abs=1e-9)


def test_a_radius_below_zero_is_refused_when_its_value_is_known():
    ball = ("y - R", ["dot(x) - R*dot(a)"])
    with pytest.raises(da.DalembertError, match=r"E137 R = -0\.1 is a radius in the gap"):
        puck(*ball, space="x y a", parameters={"R": -0.1})
    with pytest.raises(da.DalembertError, match=r"E137 the gap .* of pipe is positive everywhere at R = -0\.1"):
        puck("sqrt(x^2 + y^2) - R", [ROUND], parameters={"R": -0.1})
    puck("y - h", ["dot(x)"], parameters={"h": -0.1})  # a floor that lies deeper
    later = puck(*ball, space="x y a", parameters={"R": 0.1})
    with pytest.raises(da.DalembertError, match="E137 R = -1 is a radius"):
        da.simulate(da.free(later), {"x": 0, "y": 1, "a": 0, "vx": 0, "vy": 0, "va": 0}, until=1, parameters={"R": -1})


X, Y, T = sp.Symbol("x", real=True), sp.Symbol("y", real=True), sp.Symbol("t", real=True)


@pytest.mark.parametrize(
    "surface",
    [Y - sp.floor(X), Y - sp.Heaviside(X - 1), Y - sp.sign(X), Y - sp.Piecewise((0, X < 1), (1, True)), Y - sp.sign(T)],
    ids=str,
)
def test_surfaces_that_jump_are_refused(surface):
    with pytest.raises(da.DalembertError, match=r"E137 the gap .* jumps where"):
        puck(surface)
    with pytest.raises(da.DalembertError, match=r"E131 the guard .* jumps where"):
        da.System(da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2", walls={"step": surface})


def test_surfaces_that_only_bend_are_taken():
    for surface in (Y - sp.Abs(X), Y - sp.Piecewise((0, X < 1), (X - 1, True)), sp.Max(X, Y) - 1):
        puck(surface)
        da.System(da.coordinates("x y"), "(dot(x)^2 + dot(y)^2)/2", walls={"bend": surface})
