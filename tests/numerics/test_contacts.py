"""Bodies that touch: each law with a closed solution, the modes in their order, and what no rigid body can do."""

import math
from functools import cache

import numpy as np
import pytest
import sympy as sp

import dalembert as da

g, T = 9.81, sp.Symbol("t")
EXACT = 1e-12  # closed solutions in which nothing but rounding differs


def point(**floor):
    """A body of 2 kg on a horizontal floor at y = 0, pushed by nothing."""
    q = da.coordinates("x y", velocities="vx vy")
    x, y = q.coordinates
    vx, vy = q.velocities
    alpha, m = sp.symbols("alpha m", real=True)
    L = m / 2 * (vx**2 + vy**2) + m * g * (sp.sin(alpha) * x - sp.cos(alpha) * y)
    contact = da.contact(gap=y, slip=[vx], **floor)
    return da.System(q, L, contacts={"floor": contact}, parameters={"m": 2.0, "alpha": 0.0})


def run(system, start, until, **more):
    path = da.simulate(da.nonholonomic(system), start, until=until, **more)
    assert path.ok, path.audit
    return path


REST = {"x": 0, "y": 0, "vx": 0, "vy": 0}
ROUGH = {"mu": 0.3, "mu_static": 0.4}


# --- two bodies, or two contacts of one -------------------------------------------------------------------------------


def test_a_ladder_without_friction_leaves_the_wall_at_two_thirds_of_its_height():
    q = da.coordinates("x y phi", velocities="vx vy w")
    (x, y, phi), (vx, vy, w) = q.coordinates, q.velocities
    ends = {"floor": da.contact(gap=y - sp.sin(phi)), "wall": da.contact(gap=x - sp.cos(phi))}
    ladder = da.System(q, (vx**2 + vy**2 + w**2 / 3) / 2 - g * y, contacts=ends)
    steep = 1.2
    path = run(ladder, {"x": math.cos(steep), "y": math.sin(steep), "phi": steep, "vx": 0, "vy": 0, "w": 0}, 0.9)
    (leaves,) = [t for t, name, word in path.modes if (name, word) == ("wall", "apart")]
    assert math.sin(path.at(leaves)["phi"]) == pytest.approx(2 / 3 * math.sin(steep), abs=EXACT)
    assert np.ptp(path["energy"]) < 1e-10


def test_a_clutch_takes_two_discs_to_one_speed():
    """I1 w1 + I2 w2 is kept, and what is lost is that of a plastic impact, however long it takes."""
    q = da.coordinates("a b z", velocities="wa wb vz")
    wa, wb, vz = q.velocities
    disc = da.contact(gap=q.coordinates[2], slip=[(wa - wb) / 5], mu=0.5)
    clutch = da.System(q, (2 * wa**2 + 3 * wb**2 + vz**2) / 2, forces={"vz": -40}, contacts={"disc": disc})
    path = run(clutch, {"a": 0, "b": 0, "z": 0, "wa": 10, "wb": -2, "vz": 0}, 5.0)
    assert path.modes[1] == (pytest.approx(12 / (0.5 * 40 / 5 * (1 / 2 + 1 / 3)), abs=EXACT), "disc", "sticks")
    assert [path["wa"][-1], path["wb"][-1]] == pytest.approx([(2 * 10 - 3 * 2) / 5] * 2, abs=EXACT)
    assert path.audit.energy_change == pytest.approx(-(2 * 3 / 5) / 2 * 12**2, abs=1e-11)


# --- one contact -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slope, word", [(0.39, "sticks"), (0.41, "slides")])
def test_a_block_on_an_incline_slides_if_its_slope_is_above_mu_static(slope, word):
    path = run(point(**ROUGH), REST, 2.0, parameters={"alpha": math.atan(slope)})
    assert path.modes == [(0.0, "floor", word)]
    a = g * (math.sin(math.atan(slope)) - 0.3 * math.cos(math.atan(slope))) if word == "slides" else 0.0
    assert path["x"][-1] == pytest.approx(a * 2.0**2 / 2, abs=EXACT)


def test_a_sliding_block_stops_where_friction_says_and_does_not_creep():
    alpha = 0.1
    path = run(point(**ROUGH), {**REST, "vx": 1.0}, 2.0, parameters={"alpha": alpha})
    a = g * (0.3 * math.cos(alpha) - math.sin(alpha))
    assert [mode[1:] for mode in path.modes] == [("floor", "slides"), ("floor", "sticks")]
    assert path.modes[1][0] == pytest.approx(1 / a, abs=EXACT)
    assert path["x"][-1] == pytest.approx(1 / (2 * a), abs=EXACT)
    still = path.t > path.modes[1][0]
    assert np.abs(path["vx"][still]).max() < 1e-15
    assert np.ptp(path["x"][still]) < 1e-15


def test_forces_of_sliding_and_of_sticking():
    alpha = 0.1
    path = run(point(**ROUGH), {**REST, "vx": 1.0}, 2.0, parameters={"alpha": alpha})
    N = 2 * g * math.cos(alpha)
    assert path["floor_normal"] == pytest.approx(N, abs=1e-11)
    assert path.at(0.1)["floor_friction"] == pytest.approx(-0.3 * N, abs=1e-11)
    assert path.at(1.9)["floor_friction"] == pytest.approx(-2 * g * math.sin(alpha), abs=1e-11)


def test_the_work_of_friction_is_the_energy_lost():
    path = run(point(**ROUGH), {**REST, "vx": 1.0}, 1.0)
    lost = 0.3 * 2 * g * path["x"][-1]
    assert path.audit.energy_change == pytest.approx(-lost, abs=EXACT)
    assert (np.diff(path["energy"]) <= 1e-15).all()


@pytest.mark.parametrize("mu_static", [0.4, 0.3])
def test_a_growing_force_starts_a_block_at_mu_static_times_its_weight(mu_static):
    system = point(mu=0.3, mu_static=mu_static).changed(forces={"vx": 5 * T})
    path = run(system, REST, 3.0)
    starts = mu_static * 2 * g / 5
    assert [mode[1:] for mode in path.modes] == [("floor", "sticks"), ("floor", "slides")]
    assert path.modes[1][0] == pytest.approx(starts, abs=EXACT)
    v = 5 / 2 * (9 - starts**2) / 2 - 0.3 * g * (3 - starts)
    assert path["vx"][-1] == pytest.approx(v, abs=1e-11)


def test_a_force_that_swings_moves_a_block_to_and_fro():
    """Stick, slide, stick: with mu_static N = 7.848 under a force of 10 N, half a swing is a mirror of the other."""
    w = 2 * math.pi
    path = run(point(**ROUGH).changed(forces={"vx": 10 * sp.sin(w * T)}), REST, 3.0)
    begins = [t for t, _, word in path.modes if word == "slides"]
    assert begins[0] == pytest.approx(math.asin(0.4 * 2 * g / 10) / w, abs=EXACT)
    assert np.diff(begins) == pytest.approx(0.5, abs=1e-9)


def test_a_bowling_ball_rolls_at_five_sevenths_of_its_speed():
    q = da.coordinates("x y phi", velocities="vx vy w")
    _, y, _ = q.coordinates
    vx, vy, w = q.velocities
    m, r, mu, v0 = 6.0, 0.11, 0.2, 7.0
    lane = da.contact(gap=y - r, slip=[vx - r * w], mu="mu")
    L = m / 2 * (vx**2 + vy**2) + m * r**2 * w**2 / 5 - m * g * y
    ball = da.System(q, L, contacts={"lane": lane}, parameters={"mu": mu})
    path = run(ball, {"x": 0, "y": r, "phi": 0, "vx": v0, "vy": 0, "w": 0}, 2.0)
    rolls = 2 * v0 / (7 * mu * g)
    assert path.modes == [(0.0, "lane", "slides"), (pytest.approx(rolls, abs=EXACT), "lane", "sticks")]
    assert path["vx"][-1] == pytest.approx(5 / 7 * v0, abs=EXACT)
    late = path.t > rolls
    assert np.abs(path["vx"] - r * path["w"])[late].max() < 1e-14


def test_what_slides_without_friction_leaves_a_sphere_at_two_thirds():
    q = da.coordinates("x y", velocities="vx vy")
    x, y = q.coordinates
    vx, vy = q.velocities
    sphere = da.contact(gap=sp.sqrt(x**2 + y**2) - 1)
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, contacts={"sphere": sphere})
    begins = 0.1
    path = run(system, {"x": math.sin(begins), "y": math.cos(begins), "vx": 0, "vy": 0}, 1.2)
    assert [mode[2] for mode in path.modes] == ["slides", "apart"]
    assert path.at(path.modes[1][0])["y"] == pytest.approx(2 / 3 * math.cos(begins), abs=1e-11)
    assert path.at(1.1)["sphere_normal"] == 0.0


def test_a_contact_without_friction_holds_nothing():
    path = run(point(mu=0).changed(forces={"vx": 2.0}), REST, 1.0)
    assert path.modes == [(0.0, "floor", "slides")]
    assert path["x"][-1] == pytest.approx(0.5, abs=EXACT)


def test_stick_and_slip_of_a_spring_on_a_belt_repeat():
    """Slides begin where k x = mu_s m g; in between lies half a swing or more, and a time of sticking (Rayleigh)."""
    k, v, m = 10.0, 0.5, 2.0
    system = point(**ROUGH)
    x, vx = system.space.coordinates[0], system.space.velocities[0]
    belt = da.contact(gap=system.space.coordinates[1], slip=[vx - v], **ROUGH)
    system = system.changed(lagrangian=system.lagrangian - k * x**2 / 2, contacts={"belt": belt})
    path = run(system, {**REST, "vx": v}, 12.0)
    begins, ends = ([t for t, _, word in path.modes[1:] if word == w] for w in ("slides", "sticks"))
    assert begins[0] == pytest.approx(0.4 * m * g / (k * v), abs=1e-11)
    # x = mu m g/k + A cos(w t + p) while it slides;  it sticks again where the velocity is v once more
    w, a = math.sqrt(k / m), (0.4 - 0.3) * m * g / k
    slides = (2 * math.pi - 2 * math.atan(a * w / v)) / w
    assert np.array(ends) - begins[: len(ends)] == pytest.approx(slides, abs=1e-9)
    sticks = 2 * a / v
    assert np.array(begins[1:]) - ends[: len(begins) - 1] == pytest.approx(sticks, abs=1e-9)


def test_the_error_after_many_changes_falls_with_rtol():
    system = point(mu=0.3, mu_static=0.5)
    x = system.space.coordinates[0]
    pushed = system.changed(lagrangian=system.lagrangian - 20 * x**2 - 30 * x**4, forces={"vx": 30 * sp.sin(7 * T)})

    def end(rtol):
        return da.simulate(da.nonholonomic(pushed), REST, until=10.0, rtol=rtol)["x"][-1]

    exact, errors = end(1e-13), []
    for rtol in (1e-6, 1e-8, 1e-10):
        errors.append(abs(end(rtol) - exact))
        assert errors[-1] <= 10 * rtol
    assert errors[-1] < 1e-2 * errors[0]


# --- a plane of contact ----------------------------------------------------------------------------------------------


@cache
def cue_ball(frame="space", turn=0.0, mu=0.2):
    """A ball of 170 g; its angular velocity in axes of the body or of space, directions of its slip turned."""
    q = da.coordinates("x y z", velocities="vx vy vz") * da.rotation("R", velocities="wx wy wz", frame=frame)
    z = q.coordinates[2]
    vx, vy, vz, *rates = q.velocities
    wx, wy, _ = sp.Matrix(q.R) * sp.Matrix(rates) if frame == "body" else rates
    m, r, c, s = 0.17, 0.028, math.cos(turn), math.sin(turn)
    along, across = vx - r * wy, vy + r * wx
    table = da.contact(gap=z - r, slip=[c * along + s * across, c * across - s * along], friction=da.coulomb(mu))
    L = m / 2 * (vx**2 + vy**2 + vz**2) + m * r**2 * sum(w**2 for w in rates) / 5 - m * g * z
    return da.System(q, L, contacts={"table": table}), r


@pytest.mark.parametrize(
    ("wx", "wy", "frame"),
    [(0, -60, "space"), (0, 80, "space"), (-20, -30, "body")],
    ids=["draw", "follow", "masse"],
)
def test_a_billiard_ball_rolls_on_with_draw_follow_and_side(wx, wy, frame):
    """v = (5 v0 + 2 r w x n)/7 when it rolls, after a slip in a fixed direction of 2 s0/(7 mu g)."""
    ball, r = cue_ball(frame, 0.7 if frame == "body" else 0.0)
    start = {"x": 0, "y": 0, "z": r, "R": "identity", "vx": 1, "vy": 0, "vz": 0, "wx": wx, "wy": wy, "wz": 2}
    path = run(ball, start, 1.0)
    s0 = math.hypot(1 - r * wy, r * wx)
    assert path.modes[1] == (pytest.approx(2 * s0 / (7 * 0.2 * g), abs=EXACT), "table", "sticks")
    assert path["vx"][-1] == pytest.approx((5 + 2 * r * wy) / 7, abs=EXACT)
    assert path["vy"][-1] == pytest.approx(-2 * r * wx / 7, abs=EXACT)
    assert frame == "body" or path["wz"][-1] == pytest.approx(2, abs=EXACT)


def test_a_slip_in_the_plane_begins_along_the_force_that_starts_it():
    q = da.coordinates("x y z", velocities="vx vy vz")
    vx, vy, vz = q.velocities
    L = (vx**2 + vy**2 + vz**2) / 2 - g * q.coordinates[2]
    floor = da.contact(gap=q.coordinates[2], slip=[vx, vy], mu=0.3)
    block = da.System(q, L, forces={vx: 3 * T, vy: 4 * T}, contacts={"floor": floor})
    path = run(block, dict.fromkeys(("x", "y", "z", "vx", "vy", "vz"), 0), 3.0)
    starts = 0.3 * g / 5
    speed = 5 * (9 - starts**2) / 2 - 0.3 * g * (3 - starts)
    assert path.modes[1] == (pytest.approx(starts, abs=EXACT), "floor", "slides")
    assert path["vx"][-1] == pytest.approx(0.6 * speed, abs=1e-11)
    assert path["vy"][-1] == pytest.approx(0.8 * speed, abs=1e-11)
    # v = 5 (t^2 - starts^2)/2 - 0.3 g (t - starts)  in the first instant too
    between = starts + 1e-3
    v = 5 * (between**2 - starts**2) / 2 - 0.3 * g * (between - starts)
    assert path.at(between)["vx"] == pytest.approx(0.6 * v, abs=1e-13)
    assert path.at(between)["floor_friction_1"] == pytest.approx(-0.6 * 0.3 * g, abs=1e-9)


def test_a_slip_in_the_plane_that_begins_with_the_run_is_known_from_its_start_on(tmp_path):
    q = da.coordinates("x y z", velocities="vx vy vz")
    vx, vy, vz = q.velocities
    L = (vx**2 + vy**2 + vz**2) / 2 - g * q.coordinates[2] + 3 * q.coordinates[0] + 4 * q.coordinates[1]
    block = da.System(q, L, contacts={"floor": da.contact(gap=q.coordinates[2], slip=[vx, vy], mu=0.3)})
    start, times = dict.fromkeys(("x", "y", "z", "vx", "vy", "vz"), 0), np.array([0, 1e-4, 1e-3, 0.5])
    a = 5 - 0.3 * g
    for path in (run(block, start, 0.5), run(block, start, 0.5, samples=times)):
        assert path.t[0] == 0 and path.at(0)["vx"] == 0
        assert path.at(times)["y"] == pytest.approx(0.8 * a * times**2 / 2, abs=1e-12)
        assert path.at(times)["floor_friction_2"] == pytest.approx(-0.8 * 0.3 * g, abs=1e-9)
    path.save(tmp_path / "path.npz")
    assert da.load(tmp_path / "path.npz").at(1e-3)["y"] == pytest.approx(0.8 * a * 1e-6 / 2, abs=1e-12)


def test_a_tippe_top_keeps_jelletts_constant_while_it_slips_and_rolls():
    """L . r, with r from the centre of mass to the contact: the force at the contact does not change it."""
    m, r, ecc, tilt, spin = 0.015, 0.02, 0.003, 0.1, 150.0
    I1, I3 = 0.38 * m * r**2, 0.4 * m * r**2
    q = da.coordinates("x y z", velocities="vx vy vz") * da.rotation("R", velocities="wx wy wz", frame="body")
    z, w, a, b, c = q.coordinates[2:]
    vx, vy, vz, *turning = q.velocities
    k = sp.Matrix([2 * (a * c - w * b), 2 * (b * c + w * a), w**2 - a**2 - b**2 + c**2])  # upwards, in the body
    arm = sp.Matrix([0, 0, ecc]) - r * k
    R = sp.Matrix(
        [
            [w**2 + a**2 - b**2 - c**2, 2 * (a * b - w * c), 2 * (a * c + w * b)],
            [2 * (a * b + w * c), w**2 - a**2 + b**2 - c**2, 2 * (b * c - w * a)],
        ]
    )
    slip = sp.Matrix([vx, vy]) + R * sp.Matrix(turning).cross(arm)
    L = m * (vx**2 + vy**2 + vz**2) / 2 + I1 * (turning[0] ** 2 + turning[1] ** 2) / 2 + I3 * turning[2] ** 2 / 2
    table = da.contact(gap=z + ecc * k[2] - r, slip=list(slip), mu=0.3)
    top = da.System(q, L - m * g * z, contacts={"table": table})
    start = {"x": 0, "y": 0, "z": r - ecc * math.cos(tilt), "vx": 0, "vy": 0, "vz": 0, "wx": 0}
    start |= {"wy": spin * math.sin(tilt), "wz": spin * math.cos(tilt)}
    start |= {"R": {"w": math.cos(tilt / 2), "x": math.sin(tilt / 2), "y": 0, "z": 0}}
    path = run(top, start, 0.03)
    assert [mode[2] for mode in path.modes] == ["slides", "sticks"]
    w, a, b, c = (path[f"R_{e}"] for e in "wxyz")
    up = np.array([2 * (a * c - w * b), 2 * (b * c + w * a), w**2 - a**2 - b**2 + c**2])
    L = np.array([I1 * path["wx"], I1 * path["wy"], I3 * path["wz"]])
    jellett = (L * (np.array([[0], [0], [ecc]]) - r * up)).sum(axis=0)
    assert jellett == pytest.approx(jellett[0], rel=1e-10)


# --- impacts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5, 0.8])
def test_a_bouncing_ball_comes_to_rest_in_finite_time(e):
    """t = t1 (1 + e)/(1 - e), t1 being the time of the first fall (Zeno)."""
    path = run(point(restitution=e), {**REST, "y": 1.0}, 6.0)
    first = math.sqrt(2 / g)
    assert path.modes == [
        (0.0, "floor", "apart"),
        (pytest.approx(first * (1 + e) / (1 - e), abs=1e-9), "floor", "slides"),
    ]
    assert abs(path["y"][-1]) < 1e-12
    p = path.impulses["floor"]["normal"]
    assert p[0] == pytest.approx((1 + e) * 2 * g * first, abs=1e-11)
    assert p[1:] == pytest.approx(e * p[:-1], rel=1e-6)


def test_modes_do_not_depend_on_the_frame():
    """A block thrown along a floor, in axes that are turned by 0.7, have another origin and drift.

    It falls, is stopped, slides and sticks. The impulses of the floor are its weight from then on: friction takes mu g
    of its speed a second, be it by a blow or evenly.
    """
    q, c, s = da.coordinates("x y", velocities="vx vy"), math.cos(0.7), math.sin(0.7)
    X, Y = q.coordinates
    x, y = 3 + c * X - s * Y + T / 2, 2 + s * X + c * Y + T / 5

    def rate(e):
        return sum((e.diff(p) * u for p, u in q.rates.items()), e.diff(T))

    floor = da.contact(gap=y, slip=[rate(x)], mu=0.3)
    block = da.System(q, (rate(x) ** 2 + rate(y) ** 2) / 2 - g * y, contacts={"floor": floor})
    # (x, y) = (0, 0.05), at 1 m/s along x
    start = {"x": -3 * c - 1.95 * s, "y": 3 * s - 1.95 * c, "vx": 0.5 * c - 0.2 * s, "vy": -0.5 * s - 0.2 * c}
    path = run(block, start, 0.5)
    assert [mode[2] for mode in path.modes] == ["apart", "slides", "sticks"]
    assert [mode[0] for mode in path.modes] == pytest.approx([0, math.sqrt(2 * 0.05 / g), 1 / (0.3 * g)], abs=1e-9)


def test_bounces_end_at_the_same_time_by_every_method():
    """Steps of Taylor's method are long against a small hop, and are made again."""
    system, start = point(mu=0.3, restitution=0.6), {**REST, "y": 1.0, "vx": 2.0}
    for method in ("dop853", "radau", "taylor"):
        path = run(system, start, 4.0, method=method)
        assert path.modes[-1] == (pytest.approx(math.sqrt(2 / g) * 1.6 / 0.4, abs=1e-9), "floor", "sticks")


def test_a_stored_path_tells_its_modes(tmp_path):
    path = run(point(**ROUGH), {**REST, "vx": 1.0}, 1.0)
    path.save(tmp_path / "path.npz")
    assert da.load(tmp_path / "path.npz").modes == path.modes


def test_a_bat_that_moves_by_itself_gives_energy():
    """v+ = V + e (V - v): 1 + 0.8 (1 + 1); it pulls the ball along by mu times that impulse, 0.3 3.6."""
    q = da.coordinates("x y", velocities="vx vy")
    vx, vy = q.velocities
    bat = da.contact(gap=q.coordinates[1] - T, slip=[vx - 2], mu=0.3, restitution=0.8)
    path = run(da.System(q, (vx**2 + vy**2) / 2, contacts={"bat": bat}), {"x": 0, "y": 1, "vx": 0, "vy": -1}, 1.0)
    assert path["vy"][-1] == pytest.approx(2.6, abs=EXACT)
    assert path["vx"][-1] == pytest.approx(1.08, abs=EXACT)


def test_a_ball_of_restitution_1_bounces_for_ever():
    path = run(point(restitution=1), {**REST, "y": 1.0, "vx": 1.0}, 5.0)
    assert path.modes == [(0.0, "floor", "apart")]
    assert path["energy"] == pytest.approx(path["energy"][0], abs=1e-10)
    assert len(path.marks["floor"]) == 6


@pytest.mark.parametrize("vx", [5.0, 0.5])
def test_the_impulse_of_friction_is_mu_times_that_of_the_normal_or_what_stops_the_slip(vx):
    path = run(point(mu=0.3, restitution=0.5), {**REST, "y": 1.0, "vx": vx}, 0.6)
    p = path.impulses["floor"]
    assert p["friction"][0] == pytest.approx(-min(0.3 * p["normal"][0], 2 * vx), abs=1e-11)


def test_a_start_that_moves_into_the_floor_begins_with_the_impact():
    path = run(point(restitution=0.5), {**REST, "vy": -1.0}, 0.01)
    assert path["vy"][0] == 0.5
    assert any("N131" in note for note in path.audit.notes)


# --- several contacts ------------------------------------------------------------------------------------------------


def box(order, **more):
    """A box of 1 kg on its two lower corners."""
    q = da.coordinates("x y th", velocities="vx vy w")
    x, y, th = q.coordinates
    vx, vy, w = q.velocities
    a, b = 0.5, 0.3

    def corner(side):
        X, Y = x + side * sp.cos(th) + b * sp.sin(th), y + side * sp.sin(th) - b * sp.cos(th)
        return da.contact(gap=Y, slip=[vx + X.diff(th) * w], **ROUGH, restitution=0.2)

    corners = {"left": corner(-a), "right": corner(a)}
    L = (vx**2 + vy**2) / 2 + w**2 * (a**2 + b**2) / 6 - g * y
    return da.System(q, L, contacts={name: corners[name] for name in order}, **more)


def test_modes_do_not_depend_on_the_order_of_contacts():
    """A box slides, sticks, and is pushed on when the force reaches mu_static m g, which its two corners share."""
    found = []
    for order in (["left", "right"], ["right", "left"]):
        pushed = box(order, forces={"vx": 3 * T})
        path = run(pushed, {"x": 0, "y": 0.3, "th": 0, "vx": 1, "vy": 0, "w": 0}, 2.0)
        assert path["left_normal"] + path["right_normal"] == pytest.approx(g, abs=1e-9)
        found.append(sorted((round(t, 12), name, word) for t, name, word in path.modes))
    assert found[0] == found[1]
    assert found[0][-1][0] == pytest.approx(0.4 * g / 3, abs=1e-11)


def test_a_box_that_falls_on_a_corner_comes_to_rest_whatever_the_order():
    start = {"x": 0, "y": 0.8, "th": 0.3, "vx": 0, "vy": 0, "w": 0}
    paths = [run(box(order), start, 1.5) for order in (["left", "right"], ["right", "left"])]
    ends = [[path[name][-1] for name in ("x", "y", "th")] for path in paths]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert ends[0][1:] == pytest.approx([0.3, 0.0], abs=1e-9)
    assert all((np.diff(path["energy"]) <= 1e-9).all() for path in paths)


@pytest.mark.parametrize("order", [1, -1])
def test_what_lies_on_a_block_is_carried_until_it_is_too_fast(order):
    """The lower block yields at mu_s 3 g, the upper one slides on it from (F - mu 3 g)/3 = mu_s g on."""
    q = da.coordinates("xa ya xb yb", velocities="va wa vb wb")
    _, ya, _, yb = q.coordinates
    va, wa, vb, wb = q.velocities
    ground = da.contact(gap=ya, slip=[va], mu=0.1, mu_static=0.2)
    stack = da.contact(gap=yb - ya - 1, slip=[vb - va], **ROUGH)
    contacts = dict([("ground", ground), ("stack", stack)][::order])
    L = va**2 + wa**2 + (vb**2 + wb**2) / 2 - 2 * g * ya - g * yb
    pushed = da.System(q, L, forces={va: 4 * T}, contacts=contacts)
    path = run(pushed, {**dict.fromkeys((s.name for s in q), 0), "yb": 1}, 5.0)
    assert [mode[1:] for mode in path.modes[2:]] == [("ground", "slides"), ("stack", "slides")]
    assert [mode[0] for mode in path.modes[2:]] == pytest.approx([0.2 * 3 * g / 4, (0.4 + 0.1) * 3 * g / 4], abs=1e-11)


@pytest.mark.parametrize("order", [1, -1])
def test_a_rocking_block_loses_at_each_blow_what_housner_says(order):
    """w+ = (1 - 3/2 sin^2 alpha) w for a slender block that turns over from one edge to the other [housner1963]."""
    b, h, th0 = 0.2, 0.8, 0.1
    q = da.coordinates("x y th", velocities="vx vy w")
    x, y, th = q.coordinates
    vx, vy, w = q.velocities

    def edge(side):
        X, Y = x + side * b * sp.cos(th) + h * sp.sin(th), y + side * b * sp.sin(th) - h * sp.cos(th)
        return da.contact(gap=Y, slip=[vx + X.diff(th) * w], mu=1)

    edges = dict([("left", edge(-1)), ("right", edge(1))][::order])
    L = (vx**2 + vy**2) / 2 + w**2 * (b**2 + h**2) / 6 - g * y
    block = da.System(q, L, contacts=edges)
    c, s = math.cos(th0), math.sin(th0)
    start = {"x": -b + b * c - h * s, "y": b * s + h * c, "th": th0, "vx": 0, "vy": 0, "w": 0}
    path = run(block, start, 1.5)
    kept = 1 - 1.5 * b**2 / (b**2 + h**2)
    for name, at in (("right", 0), ("left", 0)):
        hit = path.marks[name]
        assert path.at(hit.t[at])["w"] == pytest.approx(kept * hit["w"][at], abs=1e-11)


# --- what rigid bodies cannot do -------------------------------------------------------------------------------------


def rod(**tip):
    q = da.coordinates("x y th", velocities="vx vy w")
    _, y, th = q.coordinates
    vx, vy, w = q.velocities
    contact = da.contact(gap=y - sp.sin(th), slip=[vx + w * sp.sin(th)], **tip)
    return da.System(q, (vx**2 + vy**2) / 2 + w**2 / 6 - g * y, contacts={"tip": contact})


def test_the_rod_of_painleve_says_so():
    """1 + 3 cos th (cos th - mu sin th) < 0 : pressed harder, the tip that is pushed ahead would rise faster."""
    th = 1.2
    assert 1 + 3 * math.cos(th) * (math.cos(th) - 2 * math.sin(th)) < 0
    start = {"x": 0, "y": math.sin(th), "th": th, "vx": -3, "vy": 0, "w": 0}
    with pytest.raises(da.DalembertError, match=r"E410.*Painleve"):
        run(rod(mu=2), start, 1.0)
    run(rod(mu=2), {**start, "vx": 3}, 0.1)  # dragged behind it is an ordinary motion


def test_no_impact_gives_energy():
    """Newton's restitution would, where a slip turns round in the impact (Kane's paradox)."""
    th, lowered = 0.9, 0
    for vx in np.linspace(-4, 4, 9):
        start = {"x": 0, "y": math.sin(th) + 0.1, "th": th, "vx": vx, "vy": -2, "w": 3.0}
        path = da.simulate(da.nonholonomic(rod(mu=0.8, restitution=0.9)), start, until=0.3)
        assert (np.diff(path["energy"]) <= 1e-9).all(), vx
        lowered += any("N132" in note for note in path.audit.notes)
    assert lowered


# --- what is refused -------------------------------------------------------------------------------------------------


def test_a_gap_that_starts_violated_is_refused():
    with pytest.raises(da.DalembertError, match=r"E240.*floor"):
        da.simulate(da.nonholonomic(point(**ROUGH)), {**REST, "y": -0.1}, until=1.0)


def test_a_contact_without_a_normal_at_the_start_is_refused():
    q = da.coordinates("x y", velocities="vx vy")
    x, y = q.coordinates
    system = da.System(q, sum(v**2 for v in q.velocities) / 2, contacts={"pin": da.contact(gap=sp.sqrt(x**2 + y**2))})
    with pytest.raises(da.DalembertError, match=r"E410.*no normal"):
        da.simulate(da.nonholonomic(system), REST, until=1.0)


def test_a_normal_that_vanishes_on_the_way_ends_the_run():
    """x y >= 0 from the right: N = m g/x grows without end, and pulls on the other side."""
    q = da.coordinates("x y", velocities="vx vy")
    x, y, vx, vy = q
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, contacts={"floor": da.contact(gap=x * y)})
    path = da.simulate(da.nonholonomic(system), {**REST, "x": 1.05, "vx": -1.3}, until=3.0)
    assert not path.ok
    assert path.ending.code == "E410"
    assert path.outcome.startswith(f"E410 at t = {1.05 / 1.3:.6g}: the gradient of the gap of floor vanishes")


def test_other_motions_refuse_contacts_rather_than_run_through_them():
    system = point(**ROUGH)
    calls = [
        lambda: da.simulate(da.vakonomic(system), REST, until=1.0),
        lambda: da.sensitivities(da.vakonomic(system), REST, until=1.0),
        lambda: da.steady(da.vakonomic(system), REST),
    ]
    for call in calls:
        with pytest.raises(da.DalembertError, match="E139"):
            call()


def test_what_moves_no_mass_goes_along_through_contacts():
    """A block slides to rest on a rough floor; a counter s = 2 x + t has no mass, and a singular kinetic metric."""
    q = da.coordinates("x y s")
    y, vx, vy, vs = q["y"], q["vx"], q["vy"], q["vs"]
    floor = da.contact(gap=y, slip=[vx], mu=0.3)
    counted = {"counter": vs - 2 * vx - 1}
    system = da.System(q, (vx**2 + vy**2) / 2 - g * y, counted, massless=["vs"], contacts={"floor": floor})
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(x=0, y=0, s=0, vx=3, vy=0), until=2.0)
    far = 9 / (2 * 0.3 * g)
    assert path.ok and path.at(2.0)["vx"] == 0
    assert [path.at(2.0)[n] for n in ("x", "s")] == pytest.approx([far, 2 * far + 2], abs=1e-8)


@pytest.mark.parametrize("push", [0.3, "0.3*cos(t)"])
def test_feet_that_share_a_push_from_outside_hold_against_it_at_every_time(push):
    """Two feet in one line: how they share the friction is not unique, its sum is."""
    feet = {
        name: da.contact(gap=f"y - 0.1*cos(a) {sign} 0.2*sin(a)", slip=["vx + 0.1*va"], mu=0.5)
        for name, sign in (("left", "-"), ("right", "+"))
    }
    box = da.System(
        da.coordinates("x y") * da.angle("a"), "(vx^2 + vy^2)/2 + va^2/100 - 9.81*y", forces={"vx": "u"}, inputs="u",
        contacts=feet,
    )  # fmt: skip
    equations = da.free(box)
    start = equations.start(x=0, y=0.1, a=0, vx=0, vy=0, va=0, inputs={"u": 0.3})
    path = da.simulate(equations, start, until=1, inputs={"u": push})
    pushed = 0.3 * np.cos(path.t) if isinstance(push, str) else np.full(len(path.t), push)
    assert np.allclose(path["left_friction"] + path["right_friction"], -pushed, atol=1e-12)
    assert np.allclose(path["left_normal"] + path["right_normal"], 9.81, rtol=1e-12)
