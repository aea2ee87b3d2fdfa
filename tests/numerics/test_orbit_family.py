"""Families of periodic motions: closed periods, published orbits, what begins where, and what holds on the way."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.special import ellipk, mathieu_a, mathieu_b

import dalembert as da
from dalembert.numerics.families.periodic_orbits import Laps, count_of
from dalembert.numerics.families.periodicity_conditions import ReturnProblem, What
from dalembert.numerics.families.tangent_flow import Carried
from dalembert.systems import pendulum_cartesian
from zoo import GALLERY

follow = da.families.continue_periodic
q, p = da.coordinates("x y"), da.coordinates("theta")
x, y, vx, vy = q["x"], q["y"], q["vx"], q["vy"]
theta, vtheta = p["theta"], p["vtheta"]
T = (vx**2 + vy**2) / 2
g, a, f, w, c, t = sp.symbols("g a f w c t")


def kinds(family):
    return [kind for kind, _ in family.special]


def elliptic(amplitude, g=1.0):
    return 4 * ellipk(np.sin(amplitude / 2) ** 2) / np.sqrt(g)


@pytest.fixture(scope="module")
def swing():
    pendulum = da.free(da.System(p, vtheta**2 / 2 + g * sp.cos(theta), parameters={"g": 1.0}))
    return da.periodic(pendulum, {"theta": 1.0, "vtheta": 0}, period=6.5)


@pytest.fixture(scope="module")
def driven():
    """The damped driven pendulum of [taylor2005 12.5], its least period 3 pi."""
    L = vtheta**2 / 2 + sp.cos(theta) + f * theta * sp.cos(w * t)
    equations = da.free(da.System(p, L, forces={"vtheta": -vtheta / 2}, parameters={"f": 0.9, "w": 2 / 3}))
    orbit = da.periodic(equations, {"theta": -0.9, "vtheta": 1.0}, period=3 * math.pi)
    return follow(orbit, parameter="f", over=(0.3, 1.1))


def three_bodies():
    q, mu = da.coordinates("x y z"), sp.Symbol("mu", positive=True)
    (x, y, z), (vx, vy, vz) = q.coordinates, q.velocities
    near, far = sp.sqrt((x + mu) ** 2 + y**2 + z**2), sp.sqrt((x - 1 + mu) ** 2 + y**2 + z**2)
    L = ((vx - y) ** 2 + (vy + x) ** 2 + vz**2) / 2 + (1 - mu) / near + mu / far
    return da.free(da.System(q, L, parameters={"mu": 0.04}))


def jacobi(equations):
    """The energy of the motion in the rotating frame."""
    q, L = equations.space, equations.system.lagrangian
    return sum(v * sp.diff(L, v) for v in q.velocities) - L


# --- closed periods --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameter", ["theta", "period", {"E": vtheta**2 / 2 - g * sp.cos(theta)}], ids=str)
def test_a_family_without_a_parameter_has_the_elliptic_period(swing, parameter):
    over = {"theta": (0.1, 3.0), "period": (6.3, 15.0)}.get(str(parameter), (-0.99, 0.98))
    family = follow(swing, parameter=parameter, over=over)
    energy = family["vtheta"] ** 2 / 2 - np.cos(family["theta"])
    assert family["period"] == pytest.approx(elliptic(np.arccos(-energy)), rel=1e-8)
    assert family[family.parameter][[0, -1]] == pytest.approx(over)
    assert family.trivial.all()
    assert family.stable.all()
    assert not family.special


def test_of_a_family_of_two_parameters_the_other_is_held(swing):
    family = follow(swing, parameter="g", over=(0.5, 4.0), fix="theta")
    assert family.held == ("theta",)
    assert family["theta"] == pytest.approx(1.0, abs=1e-12)
    assert family["period"] == pytest.approx(elliptic(1.0, family["g"]), rel=1e-9)
    unasked = follow(swing, parameter="g", over=(0.5, 4.0))
    assert unasked.held == ("a combination of theta, period",)
    assert unasked["period"] == pytest.approx(elliptic(unasked["theta"], unasked["g"]), rel=1e-9)


def test_a_family_of_one_period_shrinks_to_rest_where_small_swings_have_it(swing):
    family = follow(swing, parameter="g", over=(0.5, 4.0), fix="period")
    assert family["period"] == pytest.approx(swing.period, rel=1e-12)
    assert family["period"] == pytest.approx(elliptic(family["theta"], family["g"]), rel=1e-8)
    assert "shrinks to a steady motion" in family.ends[0]
    assert family["g"].min() == pytest.approx((math.tau / swing.period) ** 2, rel=1e-3)


def test_every_start_lies_on_the_section_of_the_first(swing):
    # f (y - y_0) = 0: a start at rest stays one at rest
    family = follow(swing, parameter="theta", over=(0.1, 3.0))
    assert np.abs(family["vtheta"]).max() < 1e-12


def test_keplers_third_law():
    E = T - 1 / sp.sqrt(x**2 + y**2)
    orbit = da.periodic(da.free(da.System(q, E - 2 * (E - T))), {"x": 1, "y": 0, "vx": 0, "vy": 1.1}, period=8.0)
    family = follow(orbit, parameter={"E": E}, over=(-1.0, -0.2))
    assert family["period"] == pytest.approx(math.tau * (-2 * family["E"]) ** -1.5, rel=1e-9)
    # energy, angular momentum, turns, the motion
    assert family.trivial.all()
    assert len(family.held) == 2


def test_a_constraint_that_changes_with_the_parameter():
    equations = da.nonholonomic(pendulum_cartesian.system())
    values = equations.system.values()
    start = equations.start(x=values["l"] * math.sin(1.0), y=-values["l"] * math.cos(1.0), vx=0)
    orbit = da.periodic(equations, start, period=1.1 * pendulum_cartesian.period(1.0, values))
    family = follow(orbit, parameter="l", over=(0.5 * values["l"], 2 * values["l"]))
    lengths = np.hypot(family["x"], family["y"])
    assert lengths == pytest.approx(family["l"], rel=1e-9)
    exact = [
        pendulum_cartesian.period(math.atan2(r.state["x"], -r.state["y"]), {**values, "l": r.value})
        for r in family.rows
    ]
    assert family["period"] == pytest.approx(exact, rel=1e-8)
    assert family.multipliers.shape[1] == 2  # four states, two conditions


# --- what holds on the way -------------------------------------------------------------------------------------------


def closing_of(orbit, name):
    carried = Carried(orbit.equations, orbit.start, None, {}, "test")
    closing = ReturnProblem(carried, What(name, True, None, None, 1.0), Laps(carried).of({}), False)
    closing.start(carried.y, orbit.period, [])
    return closing


@pytest.mark.parametrize("constrained", [False, True])
def test_slopes_are_those_of_the_rows(swing, constrained):
    equations = da.nonholonomic(pendulum_cartesian.system())
    l = equations.system.values()["l"]
    start = equations.start(x=l * math.sin(1.0), y=-l * math.cos(1.0), vx=0)
    period = pendulum_cartesian.period(1.0, equations.system.values())
    orbit = da.periodic(equations, start, period=period) if constrained else swing
    closing = closing_of(orbit, "l" if constrained else "g")
    n, J = len(closing.first) - 2, closing.slopes(closing.first)
    # directions in which what is held goes on holding: the rest of F is not looked at beside the constraints
    held = J[n:]
    free = np.linalg.svd(held)[2][len(held) :] if constrained else np.eye(n + 2)
    for direction in free:
        h = 1e-5 * direction
        slope = (closing.rows(closing.first + h) - closing.rows(closing.first - h)) / 2e-5
        assert J @ direction == pytest.approx(slope, abs=2e-6)
    assert np.abs(J[:n, -1]).max() > 0.1


def test_there_and_back_is_the_same_family(driven):
    back = follow(driven.orbit(-1), parameter="f", over=(0.3, 1.1))
    assert back["f"][0] == pytest.approx(0.3)
    for name in ("theta", "vtheta"):
        assert [back[name][0], back[name][-1]] == pytest.approx([driven[name][0], driven[name][-1]], abs=1e-8)
    assert [value for _, value in back.special] == pytest.approx([value for _, value in driven.special], abs=1e-8)


def test_a_row_is_a_periodic_motion(driven):
    for row in driven.rows[::20]:
        again = da.periodic(driven.equations, row.state, period=row.period, parameters={"f": row.value})
        assert again.start.vector == pytest.approx(list(row.state.values()), abs=1e-8)
        assert again.multipliers == pytest.approx(row.multipliers, abs=1e-7)
    orbit = driven.orbit(3)
    assert orbit.start.vector == pytest.approx(list(driven.rows[3].state.values()))
    end = orbit.path.at(orbit.period)
    assert [end["theta"], end["vtheta"]] == pytest.approx(orbit.start.vector, abs=1e-8)


def test_the_volume_shrinks_as_friction_says(driven):
    product = np.prod(driven.multipliers, axis=1)
    assert product == pytest.approx(math.exp(-1.5 * math.pi), rel=1e-7)  # exp(-T/2)
    assert not driven.trivial.any()


def test_symmetries_and_what_is_conserved_are_told_apart():
    # nutations of a disc: two spins, the energy, the motion
    disc = da.free(GALLERY.reduction("rolling_disc").system)
    steady = da.steady(disc, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    frequency = np.abs(steady.eigenvalues.imag).max()
    orbit = da.periodic(disc, {**steady.state, "vtheta": 0.1}, period=math.tau / frequency)
    family = follow(orbit, parameter="vtheta", over=(0.05, 0.5))
    assert family.trivial.all()
    assert family.multipliers.shape[1] == 4


@pytest.mark.parametrize("blocks", [(1,), (2,), (3, 1), (4,), (2, 2)], ids=str)
def test_multipliers_are_counted_in_chains(blocks):
    # chains (M - 1) v_k = v_(k-1) from the motion on, beside multipliers that only lie near 1
    others = [3.0, 1 / 3, 1.01, 1 / 1.01, -0.4]
    size = sum(blocks) + len(others)
    J = np.diag([1.0] * sum(blocks) + others)
    for end, block in zip(np.cumsum(blocks), blocks, strict=True):
        for k in range(end - block, end - 1):
            J[k, k + 1] = 1.0
    turned = np.linalg.qr(np.random.default_rng(1).normal(size=(size, size)))[0] + 0.1 * np.eye(size)
    M = turned @ J @ np.linalg.inv(turned)
    assert count_of(M, turned[:, 0], 1e-11) == sum(blocks)


# --- what begins where -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rocking():
    """Mathieu's equation x'' + (a - 2 k cos 2t) x = 0 beside the motion y = 2 k cos 2t, x = 0 of a larger system."""
    equations = da.free(da.System(q, T - a * x**2 / 2 - 2 * y**2 + y * x**2 / 2, parameters={"a": 3.0}))
    return da.periodic(equations, {"x": 0, "y": 2.0, "vx": 0, "vy": 0}, period=3.1)


def test_tongues_of_mathieus_equation(rocking):
    family = follow(rocking, parameter="a", over=(0.2, 6.2), fix="y")
    assert kinds(family) == ["period doubling", "branch point", "branch point"]
    exact = [mathieu_a(1, 1.0), mathieu_b(2, 1.0), mathieu_a(2, 1.0)]
    assert [value for _, value in family.special] == pytest.approx(exact, abs=1e-8)
    inside = (family["a"] < exact[0]) | ((family["a"] > exact[1]) & (family["a"] < exact[2]))
    assert (family.stable == ~inside).all()
    along = follow(rocking, parameter="y", over=(0.5, 8.0))
    ((kind, value),) = along.special
    assert kind == "branch point"
    assert mathieu_b(2, value / 2) == pytest.approx(3.0, abs=1e-8)


def test_from_the_doubling_a_family_of_twice_the_period_begins(rocking):
    family = follow(rocking, parameter="a", over=(0.2, 6.2), fix="y")
    doubled = family.switch(0)
    assert doubled.period == pytest.approx(2 * rocking.period, rel=1e-3)
    assert abs(doubled.start["x"]) + abs(doubled.start["vx"]) > 1e-3
    half, end = doubled.path.at(doubled.period / 2), doubled.path.at(doubled.period)
    assert half["x"] == pytest.approx(-end["x"], abs=1e-6)


def test_the_cascade_of_the_driven_pendulum(driven):
    # first the symmetry goes, then periods double [taylor2005 table 12.1]: 1.0663, 1.0793
    assert kinds(driven) == ["branch point"]
    lopsided = follow(driven.switch(0), parameter="f", over=(0.3, 1.1))
    first = dict(lopsided.special)["period doubling"]
    assert first == pytest.approx(1.0663, abs=1e-4)
    place = kinds(lopsided).index("period doubling")
    twice = follow(lopsided.switch(place), parameter="f", over=(1.0, 1.1))
    assert twice["period"] == pytest.approx(6 * math.pi)
    assert dict(twice.special)["period doubling"] == pytest.approx(1.0793, abs=1e-4)
    # the attractor is the one or the other
    for force, period in ((1.05, 3 * math.pi), (1.075, 6 * math.pi)):
        settled = da.simulate(
            driven.equations, {"theta": -0.9, "vtheta": 1}, until=300 * math.pi, parameters={"f": force}, rtol=1e-10
        )
        now, then = (settled.at(300 * math.pi - back)["vtheta"] for back in (0.0, period))
        assert now == pytest.approx(then, abs=1e-6)
        once = settled.at(297 * math.pi)["vtheta"]
        assert (abs(once - now) > 1e-3) == (period > 4 * math.pi)


def test_halves_of_a_family_that_mirror_each_other_meet_in_one_branch_point(driven):
    lopsided = follow(driven.switch(0), parameter="f", over=(0.3, 1.05))
    assert kinds(lopsided) == ["branch point"]
    assert lopsided.special[0][1] == pytest.approx(driven.special[0][1], abs=1e-8)
    assert lopsided["f"].min() >= driven.special[0][1] - 1e-6


def test_a_resonance_folds_over():
    L = vtheta**2 / 2 - theta**2 / 2 - theta**4 / 8 + f * theta * sp.cos(w * t)
    system = da.System(p, L, forces={"vtheta": -c * vtheta}, parameters={"f": 0.3, "w": 0.8, "c": 0.1})
    orbit = da.periodic(da.free(system), {"theta": 0.9, "vtheta": 0.0}, period=math.tau / 0.8)
    family = follow(orbit, parameter="w", over=(0.5, 2.0), period="2*pi/w")
    assert kinds(family) == ["fold", "fold"]
    assert family["period"] == pytest.approx(math.tau / family["w"], rel=1e-12)
    high, low = (value for _, value in family.special)
    between = (family["w"] > low) & (family["w"] < high)
    assert low < high
    # between the folds there are three motions, of which that in the middle is unstable
    assert 0 < (~family.stable).sum() < between.sum()
    assert between[~family.stable].all()
    with pytest.raises(da.DalembertError, match=r"E335.* is no period of (them|the equations)"):
        follow(orbit, parameter="w", over=(0.5, 2.0))
    with pytest.raises(da.DalembertError, match=r"E335.*at the start"):
        follow(orbit, parameter="w", over=(0.5, 2.0), period="2.01*pi/w")


# --- halo orbits -----------------------------------------------------------------------------------------------------

# [howell1984 table 1]: mu = 0.04 near L1; x, z, vy at the crossing of y = 0, half the period
HALO = [
    (0.723268, 0.040000, 0.198019, 1.300177),
    (0.729988, 0.215589, 0.397259, 1.348532),
    (0.753700, 0.267595, 0.399909, 1.211253),
    (0.777413, 0.284268, 0.361870, 1.101099),
    (0.801125, 0.299382, 0.312474, 1.017241),
    (0.817724, 0.313788, 0.271306, 0.978635),
]


def test_the_halo_orbits_of_the_published_table_are_one_family():
    equations = three_bodies()
    x, z, v, half = HALO[0]
    orbit = da.periodic(equations, {"x": x, "y": 0, "z": z, "vx": 0, "vy": v, "vz": 0}, period=2 * half)
    family = follow(orbit, parameter="z", over=(0.04 - 1e-3, 0.32))
    for x, z, v, half in HALO:
        near = family.orbit(int(np.abs(family["z"] - z).argmin()))
        there = follow(near, parameter="z", over=tuple(sorted((near.start["z"], z + 1e-12))))
        at = -1 if z > near.start["z"] else 0
        found = [there[name][at] for name in ("x", "z", "vy", "period")]
        # z is given to 6 digits: half the period changes by up to 7 times as much
        assert found == pytest.approx([x, z, v, 2 * half], abs=8e-6)
    assert (family.trivial.sum(axis=1) == 2).all()


def test_halo_orbits_begin_where_flat_ones_lose_their_stability_upwards():
    equations = three_bodies()
    rest = da.steady(equations, {"x": 0.72, "y": 0.0, "z": 0.0})
    start = {"x": rest.state["x"] - 0.002, "y": 0, "z": 0, "vx": 0, "vy": 0.0188, "vz": 0}
    flat = da.periodic(equations, start, period=2.54)
    family = follow(flat, parameter="period", over=(2.0, 2.8))
    assert "shrinks to a steady motion" in family.ends[0]
    ((kind, _),) = family.special
    assert kind == "branch point"
    halo = family.switch(0)
    assert abs(halo.start["z"]) + abs(halo.start["vz"]) > 1e-3
    # from there on the published orbits: those of the first have the energy of the family at their period
    E = jacobi(equations)
    up = follow(halo, parameter={"E": E}, over=(-1.68, -1.6))
    x, z, v, half = HALO[0]
    published = da.periodic(equations, {"x": x, "y": 0, "z": z, "vx": 0, "vy": v, "vz": 0}, period=2 * half)
    values = {**published.start.state, "mu": 0.04}
    energy = float(E.subs({s: values[s.name] for s in E.free_symbols}))
    assert np.interp(energy, np.sort(up["E"]), up["period"][np.argsort(up["E"])]) == pytest.approx(2 * half, abs=2e-4)


# --- what is refused -------------------------------------------------------------------------------------------------

GOOD = {"parameter": "theta", "over": (0.5, 2.0)}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"parameter": "v"}, "E202"),
        ({"parameter": {"v": "g", "u": "g"}}, "E241"),
        ({"parameter": {"v": "5*nothing"}}, "E702"),
        ({"parameter": "vtheta", "over": (-1.0, 1.0)}, "E335"),
        ({"start": None}, "E241"),
        ({"start": {"theta": 1.0}}, "E241"),
        ({"over": (2.0, 0.5)}, "E241"),
        ({"over": 3}, "E241"),
        ({"over": (1.5, 2.0)}, "E241"),
        ({"fix": "thta"}, "E235"),
        ({"fix": 3}, "E307"),
        ({"period": 6.7}, "E335"),
        ({"rtol": "little"}, "E3"),
    ],
    ids=str,
)
def test_what_cannot_be_followed_is_refused(swing, changed, code):
    given = {"start": swing, **GOOD, **changed}
    with pytest.raises(da.DalembertError, match=code):
        follow(given.pop("start"), **given)


def test_places_and_sizes_that_are_none_are_refused(driven, rocking):
    for place in (7, -3, "first", 0.5, True):
        with pytest.raises(da.DalembertError, match="E241"):
            driven.switch(place)
    for size in (0, "much", math.nan):
        with pytest.raises(da.DalembertError, match="E241"):
            driven.switch(0, size)
    with pytest.raises(da.DalembertError, match="E241"):
        driven.orbit(10000)
    with pytest.raises(da.DalembertError, match="E317"):
        driven["thta"]


# --- through walls ---------------------------------------------------------------------------------------------------


def test_a_ball_on_a_vibrating_table_bounces_from_one_fold_to_a_doubling():
    """One bounce a period at the phase w t0 of the table A sin(w t), (1 + e) A w cos(w t0) = (1 - e) g T/2.

    It begins in a fold where cos = 1, and doubles where 1 + trace + det = 0, A w^2 sin(w t0) = 2 g (1 + e^2)/(1 + e)^2.
    """
    gravity, w, e = 9.81, 30.0, 0.6
    line, A = da.coordinates("z"), sp.Symbol("A")
    z, v = line
    walls = {"table": {"guard": z - A * sp.sin(w * t), "restitution": e}}
    equations = da.free(da.System(line, v**2 / 2 - gravity * z, walls=walls, parameters={"A": 0.01}))
    period = math.tau / w
    least = (1 - e) * gravity * period / (2 * (1 + e) * w)
    begun = math.acos(least / 0.01) / w
    later = period / 3
    height = 0.01 * math.sin(w * begun) + gravity * later * (period - later) / 2
    start = equations.start(z=height, vz=gravity * (period / 2 - later), t=begun + later)
    family = follow(da.periodic(equations, start, period=period), parameter="A", over=(0.004, 0.02))
    doubled = math.hypot(least, 2 * gravity * (1 + e**2) / ((1 + e) ** 2 * w**2))
    assert family.special == [("fold", pytest.approx(least, rel=1e-7)), ("period doubling", pytest.approx(doubled))]
    # on the lower half the table meets the ball late, and the bounce is a saddle
    assert np.prod(family.multipliers, axis=1) == pytest.approx(e**2, rel=1e-7)
    assert family.stable.any() and not family.stable[0] and not family.stable[-1]
    with pytest.raises(da.DalembertError, match=r"E335.*at the start"):
        follow(family.orbit(len(family) // 2), parameter="A", over=(0.004, 0.02), period="6")
