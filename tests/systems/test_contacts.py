"""What the entries with contacts say beside their facts: times, cycles, blows, and what turns over."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.systems import (
    ball_slipping_on_turntable,
    billiard_ball,
    block_on_belt,
    bouncing_ball,
    eulers_disc,
    loaded_hoop,
    painleve_rod,
    rattleback,
    rattleback_with_friction,
    rocking_block,
    spring_with_dry_friction,
    woodpecker_toy,
)


def changes(path, *which):
    return [t for t, *mode in path.modes if tuple(mode) == which]


@pytest.mark.parametrize("start", ["dropped", "thrown"])
def test_a_bouncing_ball_rests_at_the_sum_of_its_hops(named, start):
    case = named("bouncing_ball")
    path = case.path(start)
    said = bouncing_ball.rest(case.start(start), case.system().values())
    assert changes(path, "floor", "slides") == [pytest.approx(said, abs=1e-9)]
    assert path.impulses["floor"]["normal"][1:5] == pytest.approx(0.7 * path.impulses["floor"]["normal"][:4])
    assert bouncing_ball.rest(case.start(start), {**case.system().values(), "e": 1.0}) == math.inf


@pytest.mark.parametrize("start", ["thrown", "draw", "follow", "masse"])
def test_a_billiard_ball_begins_to_roll_when_and_as_coriolis_says(named, start):
    case = named("billiard_ball")
    path = case.path(start)
    t, v = billiard_ball.rolls(case.start(start), case.system().values())
    assert changes(path, "cloth", "sticks") == [pytest.approx(t, abs=1e-10)]
    late = path.t > t + 1e-9
    assert path["vx"][late] == pytest.approx(v.real, abs=1e-10)
    assert path["vy"][late] == pytest.approx(v.imag, abs=1e-10)
    # on the parabola before, on a straight line afterwards
    drawn = start == "draw"
    assert (v.real < 0) == drawn


def test_a_spring_with_dry_friction_loses_as_much_in_each_half_swing(named):
    case = named("spring_with_dry_friction")
    path, values = case.path("let go"), case.system().values()
    turned = [abs(path.at(n * math.pi / math.sqrt(20))["x"]) for n in range(12)]
    assert -np.diff(turned) == pytest.approx(2 * values["F"] / values["k"], abs=1e-9)
    assert changes(path, "joint", "sticks") == [pytest.approx(11 * math.pi / math.sqrt(20), abs=1e-9)]
    free = spring_with_dry_friction.exact([0.5], (1.0, 0.0), {**values, "F": 0.0})
    assert free[:, 0] == pytest.approx([math.cos(math.sqrt(20) / 2), -math.sqrt(20) * math.sin(math.sqrt(20) / 2)])


def test_a_block_on_a_belt_repeats_its_cycle(named):
    case = named("block_on_belt")
    path = case.path("let go")
    slides, sticks = block_on_belt.cycle(case.system().values())
    begins, ends = changes(path, "belt", "slides"), changes(path, "belt", "sticks")
    assert ends[1] - begins[1] == pytest.approx(slides, abs=1e-9)
    assert begins[2] - ends[1] == pytest.approx(sticks, abs=1e-9)


def test_a_rocking_block_loses_at_each_blow_what_housner_says_and_swings_as_long(named):
    case = named("rocking_block")
    path, values = case.path("let go"), case.system().values()
    kept = rocking_block.kept(values)
    blows = np.sort([t for mark in path.marks.values() for t in np.atleast_1d(mark.t)])[:4]
    before, after = ([path.at(t + s)["w"] for t in blows] for s in (-1e-9, 1e-9))
    assert np.array(after) == pytest.approx(kept * np.array(before), rel=1e-6)
    # the block is four times as high as wide: the formula of small angles is off by a few per cent
    assert blows[0] == pytest.approx(rocking_block.quarter(0.1, values), rel=0.03)


def test_only_a_top_that_slides_turns_over(named):
    for name, end in (("tippe_top", -1), ("tippe_top/rough table", 1)):
        path = named(name).path("turns over")
        w, x, y, z = (path[f"R_{e}"] for e in "wxyz")
        upright = w**2 - x**2 - y**2 + z**2
        assert np.sign(upright[-1]) == end
        assert abs(upright[-1]) > 0.9
        assert np.diff(path["energy"]).max() <= 1e-9 * abs(path["energy"][0])


def test_a_woodpecker_goes_through_the_published_cycle(named):
    path, published = named("woodpecker_toy").path("jammed"), woodpecker_toy.START
    t = np.linspace(0.05, 0.3, 25001)
    seen = path.at(t)
    low = seen["bird"] <= published["bird"]
    (i, *others) = np.flatnonzero(low[1:] & ~low[:-1])
    for name, off in (("sleeve", 2e-3), ("v", 1e-2), ("wb", 2e-3)):
        assert seen[name][i] == pytest.approx(published[name], rel=off), name
    assert len(others) <= 1


@pytest.mark.parametrize(("start", "said"), [("no way to go on", "no mode goes"), ("two ways to go on", "2 ways")])
def test_a_rod_that_has_no_motion_or_two_says_so(named, start, said):
    equations = named("painleve_rod").equations(da.nonholonomic)
    with pytest.raises(da.DalembertError, match=f"E410.*{said}"):
        da.simulate(equations, equations.start(**painleve_rod.PARADOX[start]), until=0.1)


@pytest.mark.parametrize("shape", [1 / 3, 1.0])
def test_no_angle_is_without_a_motion_below_the_least_friction(shape):
    """4/3 for a homogeneous rod, at tan th = 2 [painleve1895]."""
    values = painleve_rod.system(I=shape * 0.25).values()
    most, steep = painleve_rod.least_friction(values)
    assert shape == 1.0 or (most, math.tan(steep)) == (pytest.approx(4 / 3), pytest.approx(2))
    for mu, found in ((0.999 * most, False), (1.001 * most, True)):
        lifted = [painleve_rod.lifted(th, {**values, "mu": mu}) for th in (*np.linspace(0, math.pi / 2, 400), steep)]
        assert (min(lifted) < 0) == found
        rod = da.nonholonomic(painleve_rod.system(I=shape * 0.25, mu=mu))
        start = rod.start(**painleve_rod.sliding(steep, -3.0))
        if not found:
            assert da.simulate(rod, start, until=1e-4).reached
        else:
            with pytest.raises(da.DalembertError, match="E410"):
                da.simulate(rod, start, until=1e-4)


@pytest.mark.parametrize("start", list(ball_slipping_on_turntable.STARTS))
def test_a_ball_rolls_about_a_middle_that_was_settled_before_it_slipped(named, start):
    """v turns at 2/7 of the table's rate, and what friction leaves as it is says about where."""
    case = named("ball_slipping_on_turntable")
    path, values = case.path(start), case.system().values()
    (ends,) = changes(path, "table", "sticks")
    middle = ball_slipping_on_turntable.middle(case.start(start), values)
    assert start != "set down" or middle == 0
    late = path.t > ends + 1e-9
    way = (path["x"] + 1j * path["y"])[late] - middle
    turned = way * np.exp(-2j / 7 * values["Omega"] * path.t[late])
    assert np.ptp(turned.real) < 1e-9
    assert np.ptp(turned.imag) < 1e-9


@pytest.mark.parametrize("mu", [0.4, 0.8])
def test_friction_decides_the_radius_alone_and_less_of_it_the_rougher_the_table(mu):
    """a^2 T^4/(24 R) more than the distance from the middle: a = mu g, T = 2 Omega R/(7 a) until it rolls."""
    ball = da.nonholonomic(ball_slipping_on_turntable.system(mu=mu, Omega=0.5))
    path = da.simulate(ball, ball.start(**ball_slipping_on_turntable.START), until=0.1, rtol=1e-12, atol=1e-14)
    a, R = mu * 9.81, 0.1
    T = 2 * 0.5 * R / (7 * a)
    assert changes(path, "table", "sticks") == [pytest.approx(T, rel=1e-4)]
    assert math.hypot(path["x"][-1], path["y"][-1]) - R == pytest.approx(a**2 * T**4 / (24 * R), rel=2e-3)


@pytest.mark.parametrize("part", [0.99, 1.01, 5.0])
def test_coulombs_friction_is_the_rolling_constraint_beyond_the_coefficient_that_this_needs(named, part):
    """Rolling, v turns at k = 2/7 of the table's rate, by a force m k |v|. Friction holds it from mu = k |v|/g on, and
    not only in the limit; below that the ball slides at once.
    """
    ball, v = named("ball_slipping_on_turntable").equations(da.nonholonomic), 0.05
    values = ball.system.values()
    r, turns = values["r"], values["Omega"]
    k = 2 / 7 * turns
    start = {**ball_slipping_on_turntable.STARTS["thrown"], "vy": v, "w1": (0.1 * turns - v) / r}
    path = da.simulate(ball, ball.start(**start), until=5.0, parameters={"mu": part * k * v / values["g"]}, rtol=1e-11)
    assert path.modes == [(0.0, "table", "sticks" if part > 1 else "slides")]
    circle = 0.1 + v / k * (np.exp(1j * k * path.t) - 1)
    off = np.abs(path["x"] + 1j * path["y"] - circle).max()
    assert off < 1e-10 if part > 1 else off > 1e-3


def inclined(path):
    """The angle of disc and table."""
    return np.arccos(1 - 2 * (path["R_x"] ** 2 + path["R_y"] ** 2))


def test_eulers_disc_ends_at_the_finite_time_of_its_dissipation(named):
    """t + t_f(al) is one number: al falls as (t_f - t)^2."""
    case = named("eulers_disc")
    path, values = case.path("whirls"), case.system().values()
    angle = inclined(path)
    end = eulers_disc.left(0.2, values)
    i = np.searchsorted(path.t, [0.5, 1.0, 1.45])
    assert path.t[i] + eulers_disc.left(angle[i], values) == pytest.approx(np.full(3, end), rel=1e-2)
    assert path["energy"][i] == pytest.approx(1.5 * 0.4 * 9.81 * 0.0375 * np.sin(angle[i]), rel=0.03)


def test_eulers_disc_goes_round_as_long_as_nothing_takes_its_energy():
    """W^2 sin(al) = 4 g/r, at any angle, and E = 3/2 m g r sin(al)."""
    disc = da.nonholonomic(eulers_disc.system(d=0.0))
    path = da.simulate(disc, disc.start(**eulers_disc.whirling(0.7)), until=0.5)
    assert inclined(path) == pytest.approx(0.7, abs=1e-7)
    assert np.hypot(path["x"], path["y"]).max() < 1e-9
    assert path["energy"] == pytest.approx(1.5 * 0.4 * 9.81 * 0.0375 * math.sin(0.7))


def hoop(w, until=0.72, **options):
    """A loaded hoop that rolls over the top: its path and parameters."""
    equations = da.nonholonomic(loaded_hoop.system(**options))
    start = equations.start(**loaded_hoop.over_the_top(w))
    return da.simulate(equations, start, until=until, rtol=1e-11, atol=1e-13), equations.system.values()


@pytest.mark.parametrize(("w", "options"), [(3.0, {}), (5.0, {}), (5.0, {"mu": 3.0}), (1.0, {"m": 0.1, "mu": 1.0})])
def test_a_loaded_hoop_slips_when_its_forces_say(w, options):
    path, p = hoop(w, 1.0, **options)
    t, th = loaded_hoop.slips(w, p)
    assert changes(path, "floor", "slides")[0] == pytest.approx(t, abs=1e-8)
    assert path.at(t)["th"] == pytest.approx(th, abs=1e-7)
    early = (path.t > 0) & (path.t < t)
    energy = p["r"] ** 2 * (p["m"] + 2 * p["p"]) * w**2 + p["p"] * p["g"] * p["r"]
    said = np.array([loaded_hoop.rolling(a, energy, p) for a in path["th"][early]])
    assert path["w"][early] == pytest.approx(said[:, 0], abs=1e-8)
    assert path["floor_normal"][early] == pytest.approx(said[:, 2], abs=1e-6)


def test_a_loaded_hoop_rolls_on_if_it_is_slow_and_leaves_at_once_if_it_is_fast():
    path, p = hoop(1.0, 2.0)
    assert [mode for _, *mode in path.modes] == [["floor", "sticks"]]
    assert loaded_hoop.slips(1.0, p) == (math.inf, math.inf)
    assert path["th"][-1] > math.pi
    # p r w^2 = (m + p) g
    least = math.sqrt((p["m"] + p["p"]) * p["g"] / (p["p"] * p["r"]))
    assert loaded_hoop.slips(1.001 * least, p) == (0.0, 0.0)
    assert loaded_hoop.slips(0.999 * least, p)[0] > 0
    assert changes(hoop(1.001 * least, 0.1)[0], "floor", "apart")[0] < 1e-6
    assert changes(hoop(0.999 * least, 0.1)[0], "floor", "apart") == []


def slides_until(t, seen, p):
    """When a hoop that begins to slip at t leaves the floor, and how it moves there: its equations by hand.

    (m + p) vx' + p r (c w' - s w^2) = F ,    (m + p) r^2 w' + p r (c vx' - g s) = - r F ,    |F| = mu N
    N = (m + p) g - p r (s w' + c w^2)
    """
    m, q, r, g, mu = (p[name] for name in ("m", "p", "r", "g", "mu"))
    energy = r**2 * (m + q * (1 + math.cos(seen["th"]))) * seen["w"] ** 2 + q * g * r * math.cos(seen["th"])
    F = math.copysign(mu, loaded_hoop.rolling(seen["th"], energy, p)[1])  # by N

    def solved(y):
        _, w, s, c = *y[:2], math.sin(y[2]), math.cos(y[2])
        rows = [[m + q, q * r * c, -F], [q * r * c, (m + q) * r**2, r * F], [0, q * r * s, 1]]
        return np.linalg.solve(rows, [q * r * s * w**2, q * r * g * s, (m + q) * g - q * r * c * w**2])

    def lifts(t, y):
        return solved(y)[2]

    lifts.terminal = True
    first = [seen["vx"], seen["w"], seen["th"]]
    tight = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13, "events": lifts}
    found = solve_ivp(lambda t, y: [*solved(y)[:2], y[1]], (t, t + 1), first, **tight)
    return found.t[-1], found.y[:, -1]


def test_a_loaded_hoop_leaves_the_floor_where_its_normal_force_comes_to_0(named):
    path, p = named("loaded_hoop").path("hopping"), loaded_hoop.system().values()
    (leaves,) = changes(path, "floor", "apart")
    begins = changes(path, "floor", "slides")[-1]
    t, (vx, w, th) = slides_until(begins, path.at(begins), p)
    assert leaves == pytest.approx(t, abs=1e-9)
    assert [path.at(t)[name] for name in ("vx", "w", "th")] == pytest.approx([vx, w, th], abs=1e-7)
    near = path.at(np.array([t - 1e-4, t + 1e-4, t + 0.02]))
    assert 0 < near["floor_normal"][0] < 0.1
    assert (near["floor_normal"][1:] == 0).all()
    assert near["y"][2] - p["r"] > 0


@pytest.mark.parametrize("w", [0.1, 1.0, 3.0])
def test_a_light_hoop_on_a_rough_floor_slips_where_littlewood_s_would_hop(w):
    p = {**loaded_hoop.system().values(), "m": 1e-5}
    r, g = p["r"], p["g"]
    places = [loaded_hoop.slips(w, {**p, "mu": mu})[1] for mu in (1.0, 10.0, 1e6)]
    assert np.all(np.diff(places) > 0)
    # r w^2 = g  with  (1 + cos(th)) w^2 = 2 w0^2 + g/r (1 - cos(th))
    assert places[-1] == pytest.approx(math.acos(r * w**2 / g), abs=1e-3)
    # N reaches 0 while F does not: it slips before
    energy = r**2 * (p["m"] + 2 * p["p"]) * w**2 + p["p"] * g * r
    _, F, N = loaded_hoop.rolling(places[0], energy, p)
    assert abs(F) == pytest.approx(N)
    assert N > 0


def rattles(span, mu=0.25, **more):
    """A rattleback that slips on a table at its swings."""
    stone = da.nonholonomic(rattleback_with_friction.system(mu=mu))
    return da.simulate(stone, stone.start(**rattleback_with_friction.spun(-1.0, 0.02)), until=span, **more)


def test_a_rattleback_that_slips_and_sticks_turns_back(named):
    path, held = rattles(1.2), named("rattleback_with_friction").path("spun and tilted")
    assert path.ok
    said = [word for _, _, word in path.modes]
    assert said[:2] == ["sticks", "slides"]
    assert all(a != b for a, b in itertools.pairwise(said))
    assert path["w3"][0] == held["w3"][0] == pytest.approx(-1, abs=1e-3)
    assert min(path["w3"][-1], held.at(1.2)["w3"]) > 0.2
    # friction takes energy while it slips, and the table none while it sticks
    assert np.diff(path["energy"]).max() < 1e-13
    assert path["energy"][-1] < path["energy"][0] - 1e-5
    assert np.ptp(held["energy"]) < 1e-9
    size = np.hypot(path["table_friction_1"], path["table_friction_2"])
    assert (size / path["table_normal"]).max() < 0.25 * (1 + 1e-6)


def test_a_rattleback_on_a_rough_table_moves_as_one_that_rolls(named):
    """Of `rattleback`, whose contact is three constraints of velocities along the body."""
    path = named("rattleback_with_friction").path("spun and tilted")
    first = path.at(0.0)
    turned, rates = ({f"R_{e}": first[f"R_{e}"] for e in "wxyz"}, {f"w{i}": first[f"w{i}"] for i in (1, 2, 3)})
    rolls = da.nonholonomic(rattleback.system())
    ideal = da.simulate(rolls, rolls.start(x=0, y=0, z=first["z"], **turned, **rates), until=1.0, rtol=1e-11)
    for name in ("w1", "w2", "w3", "z"):
        assert path.at(1.0)[name] == pytest.approx(ideal[name][-1], abs=1e-7), name


def test_a_slip_begins_in_a_time_of_the_motion_not_of_the_run():
    """The first instant of a slip in a plane was a part of the run's length, and its error with it."""
    told = [rattles(0.25, rtol=1e-11)]
    told += [rattles(span, rtol=1e-11, events=[da.Event("seen", "t - 0.25", "stop")]) for span in (3.0, 300.0)]
    assert [word for _, _, word in told[0].modes] == ["sticks", "slides"]
    for name in ("w1", "w2", "w3", "vx", "vy"):
        assert np.ptp([path[name][-1] for path in told]) < 1e-10, name
