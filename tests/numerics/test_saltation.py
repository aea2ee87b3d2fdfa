"""Derivatives of motions through walls, jumps, switches and changes of contacts."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da

g, e, mu, hold, k, speed = sp.symbols("g e mu hold k speed", positive=True)
GIVEN = {"g": 9.81, "e": 0.8, "mu": 0.3}


def fall(**more):
    """A ball above a floor that is a wall."""
    q = da.coordinates("y")
    y, vy = q
    walls = {"floor": {"guard": y, "restitution": e}}
    return da.free(da.System(q, vy**2 / 2 - g * y, walls=walls, parameters={"g": 9.81, "e": 0.8}, **more))


def at_the_end(equations, start, until, by, **more):
    found = da.sensitivities(equations, start, until=until, by=by, samples=[until], rtol=1e-13, **more)
    return found.values[-1]


def differences(equations, start, until, by, h=1e-4, **more):
    """(n, d) by runs beside the motion, of fourth order in their distance."""
    names = sorted(equations.system.parameters)
    given = dict(equations.system.parameters)

    def last(name, way):
        begin, parameters = dict(start), {n: float(given[n]) for n in names}
        where = begin if name in begin else parameters
        where[name] += way * h
        path = da.simulate(equations, begin, until=until, parameters=parameters, rtol=1e-13, **more)
        assert path.reached
        return np.array([path[n][-1] for n in equations.states])

    ways = ((-2, 1), (-1, -8), (1, 8), (2, -1))
    return np.column_stack([sum(c * last(name, w) for w, c in ways) / (12 * h) for name in by])


def agree(equations, start, until, by, accuracy=1e-8, **more):
    found, seen = at_the_end(equations, start, until, by, **more), differences(equations, start, until, by, **more)
    np.testing.assert_allclose(found, seen, rtol=accuracy, atol=accuracy * np.abs(seen).max())
    return found


# --- walls, jumps, switches ------------------------------------------------------------------------------------------


def test_a_bounce_in_closed_form():
    """y = v tau - g tau^2/2 , tau = t - T , T = sqrt(2 y0/g) , v = e sqrt(2 g y0)"""
    y0, c, r, t = sp.symbols("y0 c r t", positive=True)
    tau = t - sp.sqrt(2 * y0 / c)
    exact = r * sp.sqrt(2 * c * y0) * tau - c * tau**2 / 2
    at = {y0: 1.0, c: 9.81, r: 0.8, t: 0.9}
    wanted = [float(exact.diff(p).subs(at)) for p in (y0, c, r)]
    found = at_the_end(fall(), {"y": 1.0, "vy": 0.0}, 0.9, ["y", "g", "e"])
    np.testing.assert_allclose(found[0], wanted, rtol=1e-12)


def test_at_a_bounce_they_are_those_behind_it_and_before_it_those_of_the_fall():
    T = math.sqrt(2 / 9.81)
    found = da.sensitivities(fall(), {"y": 1.0, "vy": 0.0}, until=0.9, by=["y"], samples=[T / 2, T * (1 + 1e-9)])
    # dy = 1 before,  d(e g T)/dy0 = e g dT/dy0 of the speed behind
    np.testing.assert_allclose(found["y", "y"], [1.0, -0.8], rtol=1e-7)
    np.testing.assert_allclose(found["vy", "y"], [0.0, (1 + 0.8) / T], rtol=1e-7)


def test_the_times_that_it_chooses_rise_and_bear_the_same_derivatives():
    found = da.sensitivities(fall(), {"y": 1.0, "vy": 0.0}, until=1.5, by=["y", "e"])
    assert (np.diff(found.t) > 0).all()
    again = da.sensitivities(fall(), {"y": 1.0, "vy": 0.0}, until=1.5, by=["y", "e"], samples=found.t)
    np.testing.assert_allclose(found.values, again.values, rtol=1e-9, atol=1e-9)


def test_many_bounces_on_a_wall_that_is_not_flat():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    walls = {"floor": {"guard": y - sp.sin(x) / 5, "restitution": e}}
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, walls=walls, parameters={"g": 9.81, "e": 0.8})
    agree(da.free(system), {"x": 0.3, "y": 1.0, "vx": 0.2, "vy": 0.1}, 1.5, ["x", "y", "vx", "vy", "g", "e"])


def test_a_wall_that_moves_and_a_ball_on_a_wire():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    t = sp.Symbol("t")
    walls = {"floor": {"guard": y - sp.sin(3 * t) / 10, "restitution": e}}
    wire = {"wire": y - x**2 / 2}
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, wire, walls=walls, parameters={"g": 9.81, "e": 0.8})
    start = da.nonholonomic(system).start(x=1.0, vx=0.1)
    given = {name: start.state[name] for name in ("x", "vx")}
    agree(da.nonholonomic(system), given, 1.2, ["x", "vx", "g", "e"])


def test_a_force_that_switches():
    q = da.coordinates("x")
    x, v = q
    system = da.System(q, v**2 / 2 - x**2 / 2, forces={"vx": -k * sp.sign(x)}, parameters={"k": 0.5})
    agree(da.free(system), {"x": 1.0, "vx": 0.2}, 5.0, ["x", "vx", "k"])


def test_a_jump_that_a_user_writes():
    """A kick v -> v + k at x = 0."""
    q = da.coordinates("x")
    x, v = q
    equations = da.free(da.System(q, v**2 / 2 - x**2 / 2 - k * x**4 / 4, parameters={"k": 0.3}))
    kick = da.Event("kick", x, {"vx": v + k * v**2}, direction=-1)
    found = agree(equations, {"x": 1.0, "vx": 0.0}, 9.0, ["x", "vx", "k"], events=[kick])
    assert np.abs(found).max() > 0.1


def test_a_motion_that_meets_nothing_is_as_it_was():
    found = da.sensitivities(fall(), {"y": 1.0, "vy": 0.0}, until=0.4, by=["y", "g"], samples=[0.4])
    free = da.sensitivities(fall(), {"y": 1.0, "vy": 0.0}, until=0.4, by=["y", "g"], samples=[0.4], walls=False)
    assert (found.values == free.values).all()


# --- contacts --------------------------------------------------------------------------------------------------------


def plane(parameters, force=0, restitution=e, slip=None, potential=0):
    q = da.coordinates("x y")
    x, y, vx, vy = q
    contact = da.contact(gap=y, slip=[vx - (speed if slip else 0)], mu=mu, mu_static=slip, restitution=restitution)
    L = (vx**2 + vy**2) / 2 - g * y - potential
    system = da.System(q, L.subs(sp.Symbol("x_"), x), contacts={"floor": contact}, parameters=parameters)
    return da.nonholonomic(system)


def test_a_block_that_sticks_in_closed_form():
    """It comes to rest at x + v^2/(2 mu g), whatever comes after."""
    found = at_the_end(plane(GIVEN), {"x": 0.1, "y": 0.0, "vx": 2.0, "vy": 0.0}, 3.0, ["x", "vx", "g", "mu"])
    v, c, m = 2.0, 9.81, 0.3
    wanted = [1.0, v / (m * c), -(v**2) / (2 * m * c**2), -(v**2) / (2 * m**2 * c)]
    np.testing.assert_allclose(found[0], wanted, rtol=1e-11)
    np.testing.assert_allclose(found[1:], 0.0, atol=1e-12)


def test_a_block_on_a_belt_sticks_and_slips():
    given = {"g": 9.81, "mu": 0.2, "hold": 0.35, "k": 4.0, "speed": 0.5}
    equations = plane(given, restitution=0, slip=hold, potential=k * sp.Symbol("x_") ** 2 / 2)
    start = {"x": 0.0, "y": 0.0, "vx": 0.1, "vy": 0.0}
    words = [word for _, _, word in da.simulate(equations, start, until=4.5).modes]
    assert words == ["slides", "sticks", "slides", "sticks"]
    agree(equations, start, 4.5, ["x", "vx", "g", "mu", "hold", "k", "speed"])


def ball():
    q = da.coordinates("x y phi", velocities="vx vy w")
    _x, y, _phi, vx, vy, w = q
    contact = da.contact(gap=y, slip=[vx + w], mu=mu, restitution=e)
    L = (vx**2 + vy**2) / 2 + sp.Rational(1, 5) * w**2 - g * y
    return da.nonholonomic(da.System(q, L, contacts={"floor": contact}, parameters=GIVEN))


@pytest.mark.parametrize("vx", [1.0, 8.0], ids=["it grips", "it slips"])
def test_a_ball_bounces_with_friction(vx):
    start = {"x": 0.0, "y": 0.5, "phi": 0.0, "vx": vx, "vy": 0.0, "w": 0.3}
    found = agree(ball(), start, 0.7, ["x", "y", "vx", "w", "g", "mu", "e"])
    assert (found[:, 5] != 0).any() == (vx == 8.0)  # what grips does not depend on mu


def test_a_ball_slips_until_it_rolls():
    start = {"x": 0.0, "y": 0.0, "phi": 0.0, "vx": 3.0, "vy": 0.0, "w": 0.3}
    found = agree(ball(), start, 1.2, ["x", "vx", "w", "g", "mu"])
    np.testing.assert_allclose(found[3, 1], 5 / 7, rtol=1e-12)  # the bowling ball's share of v


def test_a_body_lands_on_a_hill_slides_and_sticks():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    up = (1 - x) / 5
    steep = sp.sqrt(1 + up**2)
    contact = da.contact(gap=(y + x**2 / 10 - x / 5) / steep, slip=[(vx + up * vy) / steep], mu=mu)
    given = {"g": 9.81, "mu": 0.2}
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, contacts={"hill": contact}, parameters=given)
    start = {"x": 0.0, "y": 0.5, "vx": 2.0, "vy": 0.0}
    for until in (0.5, 1.0):
        agree(da.nonholonomic(system), start, until, ["x", "y", "vx", "vy", "g", "mu"])


def test_a_body_that_lifts_off():
    """A body on a table that is pulled up more and more."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    contact = da.contact(gap=y, slip=[vx], mu=mu)
    L = (vx**2 + vy**2) / 2 - g * y + k * x * y
    system = da.System(q, L, contacts={"table": contact}, parameters={"g": 9.81, "mu": 0.1, "k": 8.0})
    equations, start = da.nonholonomic(system), {"x": 0.0, "y": 0.0, "vx": 2.0, "vy": 0.0}
    assert da.simulate(equations, start, until=1.0).modes[-1][2] == "apart"
    agree(equations, start, 1.0, ["x", "vx", "g", "mu", "k"])


def test_a_slip_of_two_components_that_ends():
    q = da.coordinates("x y z", velocities="vx vy vz")
    _x, y, z, vx, vy, vz = q
    contact = da.contact(gap=z, slip=[vx, vy], mu=mu)
    L = (vx**2 + vy**2 + vz**2) / 2 - g * z - k * y**2 / 2
    system = da.System(q, L, contacts={"floor": contact}, parameters={"g": 9.81, "mu": 0.3, "k": 2.0})
    start = {"x": 0.0, "y": 0.3, "z": 0.0, "vx": 2.0, "vy": 1.0, "vz": 0.0}
    agree(da.nonholonomic(system), start, 2.0, ["y", "vx", "vy", "mu", "k"], accuracy=1e-7)


def test_names_that_open_a_contact_are_left_out_unless_they_are_asked_for():
    start = {"x": 0.1, "y": 0.0, "vx": 2.0, "vy": 0.0}
    found = da.sensitivities(plane(GIVEN), start, until=1.0)
    assert found.by == ("x", "vx", "vy", "e", "g", "mu")
    np.testing.assert_allclose(found["x", "vy"], 0.0, atol=1e-15)
    with pytest.raises(da.DalembertError, match="E319 y opens or closes a contact at the start"):
        da.sensitivities(plane(GIVEN), start, until=1.0, by=["y"])


# --- what has no derivatives -----------------------------------------------------------------------------------------


def corner():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    return da.free(da.System(q, (vx**2 + vy**2) / 2, walls={"left": x, "floor": y}))


def test_a_wall_that_is_grazed():
    q = da.coordinates("x y")
    x, y, vx, vy = q
    kick = da.Event("round", x**2 + y**2 - 1, {"vx": -vx, "vy": -vy}, direction=-1)
    start = {"x": -2.0, "y": 1 - 1e-12, "vx": 1.0, "vy": 0.0}
    with pytest.raises(da.DalembertError, match="E319 the motion grazes round at t = 2"):
        da.sensitivities(da.free(da.System(q, (vx**2 + vy**2) / 2)), start, until=3.0, events=[kick])


@pytest.mark.parametrize(
    ("equations", "start", "until", "words"),
    [
        (corner(), {"x": 1.0, "y": 1.0, "vx": -1.0, "vy": -1.0}, 2.0, "walls are met at once at t = 1"),
        (fall(), {"y": 1.0, "vy": 0.0}, 5.0, "E133"),
        (plane({**GIVEN, "e": 0.5}), {"x": 0, "y": 1, "vx": 1, "vy": 0}, 5.0, "the bounces at floor pile up"),
        (plane(GIVEN), {"x": 0, "y": 0, "vx": 1, "vy": -1}, 0.1, "the motion begins with an impact"),
    ],
    ids=["corner", "Zeno at a wall", "Zeno at a contact", "into a contact"],
)
def test_what_has_no_derivatives_is_told(equations, start, until, words):
    with pytest.raises(da.DalembertError, match=words):
        da.sensitivities(equations, start, until=until)


def test_a_motion_that_is_stopped_before_its_end():
    q = da.coordinates("x")
    x, v = q
    equations = da.free(da.System(q, v**2 / 2))
    with pytest.raises(da.DalembertError, match=r"(?s)E319 the motion stopped by end at t = 1.*before t = 2"):
        da.sensitivities(equations, {"x": 0, "vx": 1}, until=2, events=[da.Event("end", x - 1, "stop")])


def test_a_plastic_wall_leaves_no_derivatives():
    q = da.coordinates("x y")
    x, _y, vx, vy = q
    walls = {"left": {"guard": x, "restitution": 0}}
    equations = da.free(da.System(q, (vx**2 + vy**2) / 2, walls=walls))
    with pytest.raises(da.DalembertError, match="E319 the motion rests against left at t = 1"):
        da.sensitivities(equations, {"x": 1.0, "y": 0.0, "vx": -1.0, "vy": 0.4}, until=2)


# --- impacts by their course -----------------------------------------------------------------------------------------


def rod(law, components):
    """A rod of half length 1 that hits the ground; theta is its angle to it, phi its azimuth."""
    q = da.coordinates("x y z theta phi")
    _, _, z, theta, phi, vx, vy, vz, wt, wp = q
    ux = vx + sp.sin(theta) * sp.cos(phi) * wt + sp.cos(theta) * sp.sin(phi) * wp
    uy = vy + sp.sin(theta) * sp.sin(phi) * wt - sp.cos(theta) * sp.cos(phi) * wp
    slip = [ux, uy][:components]
    ground = da.contact(gap=z - sp.sin(theta), slip=slip, mu=mu, restitution=e, restitution_law=law)
    L = (vx**2 + vy**2 + vz**2) / 2 + (wt**2 + sp.cos(theta) ** 2 * wp**2) / 6
    return da.nonholonomic(da.System(q, L, contacts={"ground": ground}, parameters={"e": 0.6, "mu": 0.5}))


@pytest.mark.parametrize("law", ["poisson", "stronge"])
@pytest.mark.parametrize("components, speed", [(1, 0.4), (1, 3.0), (2, 0.2), (2, 1.5)])
def test_through_an_impact_that_follows_its_course(law, components, speed):
    """Slips that stop and stick, or turn round, and slips that go on."""
    start = {"x": 0, "y": 0, "z": math.sin(0.9) + 0.1, "theta": 0.9, "phi": 0.2}
    start |= {"vx": speed, "vy": 0.7 * speed, "vz": -1.0, "vtheta": 0.1, "vphi": 0.2}
    agree(rod(law, components), start, 0.2, ["z", "theta", "phi", "vx", "vy", "vz", "vphi", "e", "mu"], 1e-7)


def test_where_the_pieces_of_a_course_change_there_are_none():
    """A slip that is 0 at the impact, and would begin on either side."""
    start = {"x": 0, "y": 0, "z": math.sin(0.9) + 0.1, "theta": 0.9, "phi": 0.0}
    start |= {"vx": 0.0, "vy": 0.0, "vz": -1.0, "vtheta": 0.0, "vphi": 0.0}
    with pytest.raises(da.DalembertError, match=r"E319.*other pieces"):
        at_the_end(rod("stronge", 1), start, 0.2, ["vx"])
