"""Branches of steady motions: closed solutions, published critical speeds, and the same branch there and back."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import null_space
from scipy.optimize import brentq

import dalembert as da
from dalembert.errors import InvalidValue
from dalembert.numerics.node_derivatives import spectra, without_kernel
from dalembert.systems import chaplygin_sleigh, coupled_discs, rolling_disc, suslov, suslov_in_field, whipple_bicycle
from zoo import GALLERY

WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837  # m/s [meijaard2007, table 2 and section 5]
w, g, l = sp.symbols("w g l", positive=True)
p = da.coordinates("theta")
q = da.coordinates("x y")


@pytest.fixture(scope="module")
def hoop():
    theta, vtheta = p["theta"], p["vtheta"]
    L = l**2 * (vtheta**2 + w**2 * sp.sin(theta) ** 2) / 2 + g * l * sp.cos(theta)
    return da.System(p, L, parameters={"w": 1.0, "g": 9.81, "l": 0.5})


@pytest.fixture(scope="module")
def disc():
    return da.free(GALLERY.reduction("rolling_disc").system)


def linear_bicycle():
    """M qdd + v C1 qd + (g K0 + v^2 K2) q = 0 as a system, with the wheelbase w and the trail c as parameters."""
    free = dict(zip("wc", sp.symbols("w c", positive=True), strict=True))
    M, C1, K0, K2 = map(sp.Matrix, whipple_bicycle.linearised({**whipple_bicycle.BENCHMARK, **free}))
    space, v = da.coordinates("lean steer"), sp.Symbol("v")
    at, u = sp.Matrix(space.coordinates), sp.Matrix(space.velocities)
    forces = -(v * C1 * u + (9.81 * K0 + v**2 * K2) * at)
    L = (u.T * M * u)[0] / 2
    given = {"v": 5.0, **{name: whipple_bicycle.BENCHMARK[name] for name in free}}
    return da.System(space, L, forces=dict(zip(space.velocities, forces, strict=True)), parameters=given)


def kinds(branch):
    return [kind for kind, _ in branch.special]


def test_a_bicycle_weaves_below_and_capsizes_above():
    system = linear_bicycle()
    steady = da.steady(da.free(system), {})
    branch = da.continue_steady(system, parameter="v", start=steady, over=(0.0, 10.0))
    assert kinds(branch) == ["Hopf", "branch point"]
    assert [value for _, value in branch.special] == pytest.approx([WEAVE, CAPSIZE], abs=1e-8)
    assert branch["v"][[0, -1]].tolist() == [0.0, 10.0]
    assert (branch.stable == ((branch["v"] > WEAVE) & (branch["v"] < CAPSIZE))).all()
    for v, eigenvalues in zip(branch["v"][::7], branch.eigenvalues[::7], strict=True):
        assert np.sort_complex(eigenvalues) == pytest.approx(np.sort_complex(whipple_bicycle.eigenvalues(v)), abs=1e-7)
    # the speeds go on with the wheelbase and the trail, each as the published equations have it there
    for place, name, over in ((0, "w", (0.95, 1.1)), (1, "c", (0.04, 0.12))):
        curve = da.families.continue_special(branch, place, parameter=name, over=over)
        for value, v in zip(curve[name][::9], curve["v"][::9], strict=True):
            found = whipple_bicycle.eigenvalues(v, {**whipple_bicycle.BENCHMARK, name: value})
            least = np.abs(found[np.abs(found.imag) > 0.5].real if name == "w" else found).min()
            assert least == pytest.approx(0, abs=1e-8)
        assert curve["v"].min() < (WEAVE, CAPSIZE)[place] < curve["v"].max()
        assert np.sort(curve[name][[0, -1]]) == pytest.approx(over)


def test_the_whole_bicycle_agrees_with_its_linear_equations():
    system = whipple_bicycle.system()
    about = {"vx": 5, "vrear": -16, "vfront": -14, "z": -0.31}
    steady = da.steady(da.nonholonomic(da.reduce(system).system), about)
    assert steady.state["vx"] == pytest.approx(5, abs=0.2)
    branch = da.continue_steady(system, parameter="v", start=steady, over=(0.0, 10.0))
    assert kinds(branch) == ["Hopf", "branch point"]
    assert [value for _, value in branch.special] == pytest.approx([WEAVE, CAPSIZE], abs=1e-7)
    assert branch["v"] == pytest.approx(branch["vx"], abs=1e-10)


def test_a_pendulum_on_a_turning_hoop_forks(hoop):
    critical = math.sqrt(9.81 / 0.5)
    hanging = da.continue_steady(hoop, parameter="w", start={"theta": 0, "vtheta": 0}, over=(0.1, 10.0))
    tilted = da.steady(da.free(hoop), {"theta": 1.1}, parameters={"w": 7.0})
    fork = da.continue_steady(hoop, parameter="w", start=tilted, over=(0.1, 10.0))
    for branch in (hanging, fork):
        assert kinds(branch) == ["branch point"]
        assert branch.special[0][1] == pytest.approx(critical, abs=1e-8)
    assert (hanging.stable == (hanging["w"] < critical)).all()
    # w^2 cos(theta) = g/l, on both sides, as far as the range goes
    assert fork["w"] ** 2 * np.cos(fork["theta"]) == pytest.approx(9.81 / 0.5, abs=1e-9)
    assert fork["theta"][0] == pytest.approx(-fork["theta"][-1])
    assert fork.stable.all()


def test_a_pole_of_the_rates_is_no_branch_point(hoop):
    branch = da.continue_steady(hoop, parameter="l", start={"theta": 0}, over=(-1.0, 1.0))
    assert branch.special == []
    assert (branch.stable == (branch["l"] > 0)).all()


def test_a_fold_and_the_branch_beyond_it():
    space, a = da.coordinates("x"), sp.Symbol("a")
    L = space["vx"] ** 2 / 2 + a * space["x"] - space["x"] ** 3 / 3
    system = da.System(space, L, forces={"vx": -space["vx"]}, parameters={"a": 1.0})
    branch = da.continue_steady(system, parameter="a", start=da.steady(da.free(system), {"x": 1}), over=(-1, 2))
    assert kinds(branch) == ["fold"]
    assert branch.special[0][1] == pytest.approx(0, abs=1e-9)
    assert branch["x"] ** 2 == pytest.approx(branch["a"], abs=1e-9)
    assert (branch.stable == (branch["x"] > 0)).all()
    assert sorted(branch["x"][[0, -1]]) == pytest.approx([-math.sqrt(2), math.sqrt(2)])


def test_gyroscopes_hold_a_hilltop_until_frequencies_collide():
    x, y, b = q["x"], q["y"], sp.Symbol("b")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 + b * (x * q["vy"] - y * q["vx"]) / 2 + x**2 / 2 + 2 * y**2
    system = da.System(q, L, parameters={"b": 5.0})
    branch = da.continue_steady(system, parameter="b", start=da.steady(da.free(system), {}), over=(0.2, 6.0))
    # l^4 + (b^2 - 1 - 4) l^2 + 4 = 0: on the imaginary axis from b = 1 + 2 on
    assert kinds(branch) == ["Hopf"]
    assert branch.special[0][1] == pytest.approx(3, abs=1e-8)
    assert (branch.stable == (branch["b"] > 3)).all()


def test_a_disc_rolls_and_spins_above_its_critical_speeds(disc):
    m, r, A, C, gravity = (disc.system.values()[n] for n in ("m", "r", "A", "C", "g"))
    upright = {"theta": math.pi / 2}
    rolling = da.steady(disc, {**upright, "vpsi": 8.0}, fix="theta vpsi")
    found = da.continue_steady(disc, parameter="vpsi", start=rolling, over=(0.1, 10.0))
    assert found.special == [("branch point", pytest.approx(math.sqrt(A * m * gravity * r / (C * (C + m * r**2)))))]
    spinning = da.steady(disc, {**upright, "vphi": 8.0}, fix="theta vphi")
    found = da.continue_steady(disc, parameter="vphi", start=spinning, over=(0.1, 10.0))
    assert found.special == [("branch point", pytest.approx(math.sqrt(m * gravity * r / (A + m * r**2))))]


def test_circles_of_a_disc_are_a_branch_with_what_is_fixed(disc):
    m, r, A, C, gravity = (disc.system.values()[n] for n in ("m", "r", "A", "C", "g"))
    start = da.steady(disc, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    branch = da.continue_steady(disc, parameter="vphi", start=start, over=(1.0, 4.0), fix="theta")
    assert branch["theta"] == pytest.approx(1.2, abs=1e-10)
    assert branch.held == ("theta",)
    s, c, vphi = math.sin(1.2), math.cos(1.2), branch["vphi"]
    rho = branch["vpsi"] + vphi * c
    # torque balance, as in test_steady
    assert (C + m * r**2) * rho * vphi * s - A * vphi**2 * s * c + m * gravity * r * c == pytest.approx(0, abs=1e-8)
    named = da.continue_steady(disc, parameter={"turn": "vphi/2"}, start=start, over=(0.5, 2.0), fix="theta")
    assert named["vpsi"][[0, -1]] == pytest.approx(branch["vpsi"][[0, -1]], abs=1e-9)


@pytest.mark.parametrize("lean", [1.5, 1.45, 1.3])
def test_circles_change_their_character_beside_a_fold_of_their_speed(disc, lean):
    start = da.steady(disc, {"theta": lean, "vphi": 0.3, "vpsi": -3.0}, fix="theta vphi")
    turning = da.continue_steady(disc, parameter="vphi", start=start, over=(0.05, 12.0), fix="theta")
    branch = da.continue_steady(disc, parameter={"speed": "-r*vpsi"}, start=start, over=(0.05, 8.0), fix="theta")
    assert sorted(kinds(branch)) == ["branch point", "branch point", "fold"]
    # the same points, followed in the rate of turning, which does not turn back
    ends = [value for kind, value in branch.special if kind == "branch point"]
    for vphi, speed in zip(sorted(value for _, value in turning.special), sorted(ends, reverse=True), strict=True):
        there = da.steady(disc, {"theta": lean, "vphi": vphi, "vpsi": -speed / 0.5}, fix="theta vphi")
        assert speed == pytest.approx(-0.5 * there.state["vpsi"], abs=1e-8)
    changes = np.flatnonzero(np.diff(branch.stable.astype(int)))
    assert len(changes) == 2
    for i in changes:
        low, high = sorted(branch["vphi"][[i, i + 1]])
        assert any(low < value < high for _, value in turning.special)


def test_what_begins_at_a_point_is_promised_where_something_does(disc, hoop):
    upright = da.steady(disc, {"theta": math.pi / 2, "vpsi": 8.0}, fix="theta vpsi")
    rolling = da.continue_steady(disc, parameter="vpsi", start=upright, over=(0.1, 10.0))
    # the rows have one solution through the point: what is conserved stands still there
    assert kinds(rolling) == ["branch point"] and "switch" not in str(rolling)
    with pytest.raises(InvalidValue, match=r"E244 an eigenvalue passes 0 .* and no other branch goes through"):
        rolling.switch(0)
    hanging = da.continue_steady(hoop, parameter="w", start={"theta": 0, "vtheta": 0}, over=(0.1, 10.0))
    assert "switch(place)" in str(hanging) and hanging.switch(0)


@pytest.mark.parametrize(("rate", "part"), [("vpsi", 1.0), ("vphi", 1.0), ("vpsi", 0.9), ("vphi", 1.1)])
def test_where_no_other_branch_goes_through_what_is_conserved_stands_still(disc, rate, part):
    start = da.steady(disc, {"theta": math.pi / 2, rate: 8.0}, fix=f"theta {rate}")
    branch = da.continue_steady(disc, parameter=rate, start=start, over=(0.1, 10.0))
    [(kind, value)] = branch.special
    assert kind == "branch point" and "of motions with the same conserved quantities" in str(branch)
    there = {"theta": math.pi / 2, rate: part * value}
    A = da.linearise(disc, {"vtheta": 0.0, "vphi": 0.0, "vpsi": 0.0, **there}).A
    # A v = 0 along the circles, l A = 0 for the slopes of both that are conserved: l v = 0 at the point alone
    still = np.linalg.svd(null_space(A.T, rcond=1e-6).T @ null_space(A, rcond=1e-6), compute_uv=False)
    assert len(still) == 2 and (still[-1] < 1e-6) == (part == 1.0)


def test_from_hanging_still_one_goes_over_to_hanging_aside(hoop):
    hanging = da.continue_steady(hoop, parameter="w", start={"theta": 0, "vtheta": 0}, over=(0.1, 10.0))
    for size in (0.01, -0.01, 0.1):
        aside = hanging.switch(0, size)
        assert abs(aside.state["theta"]) == pytest.approx(abs(size), rel=0.1)
        branch = da.continue_steady(hoop, parameter="w", start=aside, over=(0.1, 10.0))
        # w^2 cos(theta) = g/l
        assert branch["w"] ** 2 * np.cos(branch["theta"]) == pytest.approx(2 * 9.81, rel=1e-8)
        assert kinds(branch) == ["branch point"]
        assert branch.special[0][1] == pytest.approx(hanging.special[0][1], abs=1e-8)
        assert branch.stable.all()
    opposite = [hanging.switch(0, size).state["theta"] for size in (0.01, -0.01)]
    assert opposite[0] == pytest.approx(-opposite[1])


def test_only_from_a_branch_point_one_goes_over(hoop, disc):
    start = da.steady(disc, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    turning = da.continue_steady(disc, parameter={"spin": "-vpsi"}, start=start, over=(1.0, 4.0), fix="theta")
    hanging = da.continue_steady(hoop, parameter="w", start={"theta": 0, "vtheta": 0}, over=(0.1, 10.0))
    for branch, place, size in ((turning, 0, 0.01), (hanging, 1, 0.01), (hanging, "0", 0.01), (hanging, 0, 0)):
        with pytest.raises(da.DalembertError, match="E241"):
            branch.switch(place, size)


def test_a_quantity_that_turns_back_is_a_fold_though_nothing_changes(disc):
    start = da.steady(disc, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    by_turn = da.continue_steady(disc, parameter="vphi", start=start, over=(1.0, 4.0), fix="theta")
    branch = da.continue_steady(disc, parameter={"spin": "-vpsi"}, start=start, over=(1.0, 4.0), fix="theta")
    assert kinds(branch) == ["fold"]
    # the least spin of all circles of this lean
    fine = da.continue_steady(disc, parameter="vphi", start=start, over=(2.0, 3.0), fix="theta")
    least = min((-fine["vpsi"]).min(), (-by_turn["vpsi"]).min())
    assert branch.special[0][1] <= least == pytest.approx(branch.special[0][1], rel=1e-3)
    assert branch.stable.all()


def test_there_and_back_is_the_same_branch(disc):
    start = da.steady(disc, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    there = da.continue_steady(disc, parameter="vphi", start=start, over=(1.0, 4.0), fix="theta")
    last = there.rows[-1]
    back = da.continue_steady(disc, parameter="vphi", start=last.state, over=(1.0, 4.0), fix="theta")
    for end in (0, -1):
        assert back.states[end] == pytest.approx(there.states[end], abs=1e-9)
        assert np.sort(back.eigenvalues[end].imag) == pytest.approx(np.sort(there.eigenvalues[end].imag), abs=1e-6)


def test_a_system_is_reduced_by_itself_and_a_row_is_a_steady_motion():
    system = rolling_disc.system()
    small = da.nonholonomic(da.reduce(system).system)
    start = da.steady(small, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi", parameters={"C": 0.4})
    branch = da.continue_steady(system, parameter="C", start=start, over=(0.3, 0.5))
    for row in branch.rows[::20]:
        again = da.steady(small, row.state, fix="theta vphi vpsi", parameters={"C": row.value})
        assert np.sort(again.eigenvalues.imag) == pytest.approx(np.sort(row.eigenvalues.imag), abs=1e-6)


GOOD = {"parameter": "w", "start": {"theta": 0, "vtheta": 0}, "over": (0.1, 10.0)}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"parameter": "v"}, "E202"),
        ({"parameter": 3}, "E202"),
        ({"parameter": {"v": "w", "u": "w"}}, "E241"),
        ({"parameter": {"v": "5*nothing"}}, "E702"),
        ({"parameter": "vtheta", "over": (-1.0, 1.0)}, "E244"),
        ({"start": {"theta": 0.3}}, "E244"),
        ({"start": {"thta": 0.3}}, "E235"),
        ({"start": None}, "E241"),
        ({"over": (10.0, 0.1)}, "E241"),
        ({"over": (1.0, 1.0)}, "E241"),
        ({"over": 3}, "E241"),
        ({"over": (0, math.inf)}, "E241"),
        ({"over": (2.0, 3.0)}, "E241"),
        ({"system": "hoop"}, "E307"),
        ({"fix": "thta"}, "E235"),
    ],
    ids=str,
)
def test_what_cannot_be_continued_is_refused(hoop, changed, code):
    given = {"system": hoop, **GOOD, **changed}
    with pytest.raises(da.DalembertError, match=code):
        da.continue_steady(given.pop("system"), **given)


# --- vakonomic motions that go along a group: steady without it, with the constraints ---------------------------------


def vakonomic_quotient(system):
    return da.vakonomic(da.symmetry.quotient(system).system)


def test_shortest_curves_of_heisenbergs_system_turn_as_fast_as_their_multiplier_says():
    space = da.coordinates("r phi z")
    (r, _, _), (vr, vphi, vz) = space.coordinates, space.velocities
    # x' = u, y' = v, z' = (x y' - y x')/2 in polar coordinates; z has no mass
    moves = da.symmetry.translations("phi z")
    L = (vr**2 + r**2 * vphi**2) / 2
    system = da.System(space, L, {"rise": vz - r**2 * vphi / 2}, massless="vz", symmetry=moves)
    equations = vakonomic_quotient(system)
    circle = da.steady(equations, {"r": 1.3, "vphi": 1.0, "lam_rise": -1.1}, fix="r vphi")
    branch = da.continue_steady(equations, parameter="vphi", start=circle, over=(0.1, 4.0), fix="r")
    assert branch["r"] == pytest.approx(1.3, abs=1e-12) and branch.special == []
    # r'' = r phi' (phi' + lam): circles about the origin; a neighbour is a circle about another centre, as fast
    assert branch["lam_rise"] == pytest.approx(-branch["vphi"], abs=1e-9)
    assert branch["vz"] == pytest.approx(1.3**2 * branch["vphi"] / 2, abs=1e-9)
    for speed, eigenvalues in zip(branch["vphi"], branch.eigenvalues, strict=True):
        np.testing.assert_allclose(np.sort(eigenvalues.imag), [-speed, 0, 0, speed], atol=1e-7)
    assert branch.stable.all()


def test_a_vakonomic_suslov_body_turns_steadily_about_the_shorter_of_two_axes():
    # M = (I1 w1, I2 w2, lam), w3 = 0:  M' = M x w, so that about axis 1  w2'' = (I1 - I2)/I2 w1^2 w2
    equations = vakonomic_quotient(suslov.system(I13=0.0, I23=0.0))
    turning = da.steady(equations, {"w1": 1.2}, fix="w1")
    branch = da.continue_steady(equations, parameter="I1", start=turning, over=(0.5, 4.5), fix="w1")
    I2 = 3.0
    assert kinds(branch) == ["branch point"] and branch.special[0][1] == pytest.approx(I2, abs=1e-8)
    assert (branch.stable == (branch["I1"] < I2)).all()
    for I1, eigenvalues in zip(branch["I1"], branch.eigenvalues, strict=True):
        pair = 1.2 * np.emath.sqrt((I1 - I2) / I2)
        assert np.sort_complex(eigenvalues) == pytest.approx(np.sort_complex([pair, 0, -pair]), abs=1e-7)
    # a body of revolution turns steadily about every axis across
    across = da.continue_steady(equations, parameter="w2", start=branch.switch(0), over=(-0.5, 0.5))
    assert across["w1"] == pytest.approx(1.2) and across["lam_axis"] == pytest.approx(0, abs=1e-9)


def test_a_vakonomic_sleigh_goes_straight_the_less_stably_the_faster_it_is():
    equations = vakonomic_quotient(chaplygin_sleigh.system())
    branch = da.continue_steady(equations, parameter="vx", start=da.steady(equations, {"vx": 2.0}), over=(0.2, 5.0))
    m, J, a = 1.0, 0.5, 0.4
    growth = branch["vx"] * math.sqrt(m / (J + m * a**2))
    assert branch.eigenvalues.real.max(axis=1) == pytest.approx(growth, abs=1e-9)
    back = da.continue_steady(equations, parameter="a", start=da.steady(equations, {"vx": 2.0}), over=(0.1, 2.0))
    growth = 2 * np.sqrt(m / (J + m * back["a"] ** 2))
    assert back.eigenvalues.real.max(axis=1) == pytest.approx(growth, abs=1e-9)


@pytest.mark.parametrize("low", [-2.5, -1.234])
@pytest.mark.parametrize(("rate", "other"), [("omega", "vx"), ("vx", "omega")])
def test_turning_and_straight_vakonomic_sleighs_meet_at_rest(rate, other, low):
    # M = (m vx, m vy + lam, ...): straight on at any vx, or about the blade at any omega with lam = m a omega; of both
    # a pair is 0 at rest, vx sqrt(m/(J + m a^2)) and i omega, which leaves the sign of their product
    equations = vakonomic_quotient(chaplygin_sleigh.system())
    branch = da.continue_steady(equations, parameter=rate, start=da.steady(equations, {rate: 1.0}), over=(low, 2.5))
    assert branch.special == [("branch point", pytest.approx(0.0, abs=1e-8))]
    assert branch[other] == pytest.approx(0.0, abs=1e-9)
    away = branch.switch(0)
    assert abs(away.state[rate]) < 1e-9 and max(map(abs, away.state.values())) > 1e-3


def test_a_frequency_that_is_least_but_not_0_is_no_branch_point():
    space, a = da.coordinates("x"), sp.Symbol("a")
    L = space["vx"] ** 2 / 2 - (a**2 + 1e-6) * space["x"] ** 2 / 2
    system = da.System(space, L, parameters={"a": 1.0})
    assert da.continue_steady(system, parameter="a", start={"x": 0.0, "vx": 0.0}, over=(-1.0, 1.3)).special == []


def test_a_vakonomic_start_says_of_which_equations_it_is():
    system = suslov.system()
    quotient = da.symmetry.quotient(system)
    found = da.steady(vakonomic_quotient(system), {"w1": 1.0}, fix="w1")
    with pytest.raises(da.DalembertError, match=r"E241 .* other equations: these have no .*lam_axis"):
        da.continue_steady(system, parameter="I1", start=found, over=(0.5, 4.5))
    # a quotient is a system, whose nonholonomic equations are taken
    turns = da.steady(da.nonholonomic(quotient.system), {"w1": 1.0, "w2": 0.3}, fix="w1")
    branch = da.continue_steady(quotient, parameter="I2", start=turns, over=(2.5, 3.5))
    assert branch["w3"] == pytest.approx(0, abs=1e-12)
    with pytest.raises(da.DalembertError, match="E244") as refused:
        da.steady(da.vakonomic(system), {"w1": 1.0}, fix="w1")
    assert "da.vakonomic(da.symmetry.quotient(s).system)" in refused.value.remedy


def test_what_is_held_is_told_in_its_order():
    equations = da.nonholonomic(suslov_in_field.system())
    hanging = {"R_x": 1.0, "R_z": -1.0}  # R_x alone is as far from standing
    rest = da.steady(equations, hanging)
    branch = da.continue_steady(equations, parameter="m", start=rest, over=(0.5, 2.0), fix="R")
    assert branch.held == ("R_w", "R_x", "R_y", "R_z")
    for name in branch.held:
        assert branch[name] == pytest.approx(rest.state[name], abs=1e-12)
    swings = da.families.swing(equations, rest)
    family = da.families.continue_periodic(swings, parameter="m", over=(0.99, 1.01), fix="R")
    assert family.held[:4] == branch.held  # and the size of the swings, where the speeds say it
    assert family["R_x"] == pytest.approx(swings.start["R_x"], abs=1e-10)


def test_where_zeros_belong_to_each_other_none_of_them_is_a_branch_point():
    # two discs on a bar: zeros of 4 directions, one of them defective, which rounding moved by sqrt(1e-13)
    reduction = GALLERY.reduction("coupled_discs")
    equations = da.nonholonomic(reduction.system)
    begun = da.reduced_start(reduction, da.nonholonomic(coupled_discs.system()).start(**coupled_discs.START))
    circle = da.steady(equations, {name: float(begun[name]) for name in equations.states})
    branch = da.continue_steady(equations, parameter="M", start=circle, over=(0.15, 1.5))
    assert branch.special == []
    assert (np.sum(branch.eigenvalues == 0, axis=1) == 4).all()
    back = da.continue_steady(equations, parameter="M", start=branch.rows[-1].state, over=(0.15, 1.5),
                              parameters={"M": branch["M"][-1]})  # fmt: skip
    assert back.special == [] and back["M"][[0, -1]] == pytest.approx([0.15, 1.5])


def test_the_arm_of_a_furuta_pendulum_lifts_it_from_a_fork_on_in_steps_of_an_angle():
    """Driven by tau against c vphi: hanging until (tau/c)^2 l = g, then cos(theta) = g c^2/(l tau^2), on both sides."""
    space = da.coordinates("phi theta")
    tip = "(3*dot(phi) + 2*cos(theta)*dot(theta))^2 + 4*sin(theta)^2*(dot(phi)^2 + dot(theta)^2)"
    L = f"dot(phi)^2/20 + ({tip})/200 + 1.962*cos(theta)"
    forces = {"phi": "tau - dot(phi)/10", "theta": "-dot(theta)/100"}
    system = da.System(space, L, forces=forces, parameters={"tau": 0.0}, symmetry="phi")
    equations = da.nonholonomic(da.reduce(system).system)
    hanging = da.continue_steady(equations, parameter="tau", start=da.steady(equations, {}), over=(0, 2))
    lifted = hanging.switch(0)
    assert lifted.state["vtheta"] == 0  # to the last bit, and no size of its own
    near = {**lifted.state, "vtheta": 1e-25}
    fork = da.continue_steady(equations, parameter="tau", start=near, over=(0, 2), parameters=lifted.parameters)
    begins = math.sqrt(9.81 / 0.2) / 10
    for branch in (hanging, fork):
        assert branch.special == [("branch point", pytest.approx(begins, rel=1e-9))]
    assert fork.held == () and len(fork) < 120
    assert np.cos(fork["theta"]) == pytest.approx((begins / fork["tau"]) ** 2, abs=1e-9)
    assert fork["theta"][0] * fork["theta"][-1] < 0


def test_two_real_eigenvalues_that_pass_zero_at_once_are_no_hopf_point():
    # dv/dt = -c v in two directions, as a car that backs with two equal trailers: at c = 0 every velocity stays
    space = da.coordinates("x y")
    L = "(dot(x)^2 + dot(y)^2)/2"
    forces = {name: f"-c*dot({name})" for name in ("x", "y")}
    puck = da.System(space, L, forces=forces, parameters={"c": 1.0}, symmetry=["x", "y"])
    equations = da.nonholonomic(da.reduce(puck).system)
    branch = da.continue_steady(equations, parameter="c", start=da.steady(equations, {}), over=(-1, 1))
    assert branch.special == [("branch point", pytest.approx(0, abs=1e-9))]
    assert not branch.stable[0] and branch.stable[-1]


def test_a_satellite_is_held_by_gyroscopic_forces_up_to_the_curve_of_debra_and_delp():
    """Axes A along the orbit, B across, C up, with C < B the only minimum; the other region has k1 k3 > 0, both < 0.

    With k1 = (B - C)/A, k3 = (B - A)/C roll and yaw swing where  1 + 3 k1 + k1 k3 > 4 sqrt(k1 k3) .
    """
    A, B, C = sp.Rational(2), sp.Integer(1), sp.Symbol("C", positive=True)
    space = da.coordinates("a b c")
    (a, b, c), (va, vb, vc) = space.coordinates, space.velocities
    yaw, roll, pitch = sp.rot_axis3(a), sp.rot_axis1(b), sp.rot_axis2(c)
    M, inertia = yaw * roll * pitch, sp.diag(A, B, C)
    w = M * sp.Matrix([0, 1 + vc, 0]) + yaw * sp.Matrix([vb, 0, 0]) + sp.Matrix([0, 0, va])
    up = M[:, 2]
    L = (w.T * inertia * w)[0] / 2 - sp.Rational(3, 2) * (up.T * inertia * up)[0]
    equations = da.free(da.System(space, L, parameters={"C": 1.05}))
    branch = da.continue_steady(equations, parameter="C", start=da.steady(equations, {}), over=(1.02, 1.3))

    def margin(C):
        k1, k3 = (1 - C) / 2, -1 / C
        return 1 + 3 * k1 + k1 * k3 - 4 * math.sqrt(k1 * k3)

    assert branch.special == [("Hopf", pytest.approx(brentq(margin, 1.02, 1.3), rel=1e-9))]
    assert branch.stable[0] and not branch.stable[-1]


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_zeros_of_a_defective_matrix_are_zeros(size):
    blocks = np.zeros((7, 7))
    blocks[0, 1] = blocks[1, 2] = 1.0  # a chain of three
    blocks[3:5, 3:5], blocks[5, 5] = [[0, 2], [-2, 0]], -0.3
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(7, 7)))[0]
    A = size * turn @ blocks @ turn.T
    assert np.abs(np.linalg.eigvals(A)).min() > 0 or size == 1.0
    # together with a matrix of full rank and one of two zeros, which keep theirs
    others = np.diag([-7.0, -6, -5, -4, -3, -2, -1]), np.diag([0.0, -2, -3, -4, -5, -6, 0])
    found = spectra(np.array([*(size * other for other in others), A]))
    expected = np.array([np.diag(others[0]), np.diag(others[1]), [0, 0, 0, 0, 2j, -2j, -0.3]])
    assert (np.sort_complex(np.round(found / size, 9)) == np.sort_complex(expected)).all()
    assert np.sum(found == 0, axis=1).tolist() == [0, 2, 4]
    assert (np.diff(found.real) <= 1e-9 * size).all()
    assert without_kernel(np.diag([1e6, 1e-3])[None])[0][1].shape == (1, 2, 2)  # slow is not still


@pytest.mark.parametrize("spring", [0.0, 1e-4])
def test_a_branch_that_comes_back_a_full_turn_later_is_closed(spring):
    # sin(theta) + c theta = torque: folds at +-1, each once; with a spring each turn is another place
    theta, torque = p["theta"], sp.Symbol("torque")
    L = p["vtheta"] ** 2 / 2 + sp.cos(theta) - spring * theta**2 / 2
    system = da.System(p, L, forces={"vtheta": torque - p["vtheta"] / 10}, parameters={"torque": 0.0})
    hanging = da.steady(da.free(system), {})
    branch = da.continue_steady(system, parameter="torque", start=hanging, over=(-1.0005, 1.0005))
    if spring:
        assert branch.ends == ("the end of the range",) * 2
        assert branch["theta"].max() > math.tau
        return
    assert branch.ends == ("it comes back to its start",) * 2
    assert kinds(branch) == ["fold", "fold"]
    assert [value for _, value in branch.special] == pytest.approx([1.0, -1.0], abs=1e-12)
    assert branch["theta"][[0, -1]] == pytest.approx([0.0, math.tau], abs=1e-9)


def test_beads_on_a_whirling_string_leave_the_axis_at_the_zeros_of_laguerres_polynomial():
    # equal beads and threads: L_n(w^2 l/g) = 0 (Daniel Bernoulli's hanging chain)
    links = da.coordinates("a b c d")
    x, vx, vy, L = 0, 0, 0, 0
    for a, va in zip(links.coordinates, links.velocities, strict=True):
        x, vx, vy = x + sp.sin(a), vx + sp.cos(a) * va, vy + sp.sin(a) * va
        L += (vx**2 + vy**2 + w**2 * x**2) / 2 + g * sum(
            map(sp.cos, links.coordinates[: links.coordinates.index(a) + 1])
        )
    system = da.System(links, L, parameters={"w": 0.1, "g": 1.0})
    branch = da.continue_steady(system, parameter="w", start=da.steady(da.free(system), {}), over=(0.05, 3.2))
    zeros = np.sqrt(np.polynomial.laguerre.lagroots([0, 0, 0, 0, 1]))
    assert branch.special == [("branch point", pytest.approx(z, abs=1e-9)) for z in zeros]


@pytest.mark.parametrize("damping", [0.0, 1e-3, 0.1])
def test_a_column_under_a_load_that_follows_it_flutters(damping):
    # masses 2 m and m, springs k: P l/k = 7/2 - sqrt(2) without damping, 41/28 + d^2/2 with it (Ziegler 1952)
    bars = da.coordinates("a b")
    (a, b), (va, vb) = bars.coordinates, bars.velocities
    P, d = sp.symbols("P d")
    L = (3 * va**2 + vb**2 + 2 * va * vb * sp.cos(a - b)) / 2 - (a**2 + (b - a) ** 2) / 2
    forces = {"va": P * sp.sin(a - b) - d * va - d * (va - vb), "vb": -d * (vb - va)}
    system = da.System(bars, L, forces=forces, parameters={"P": 0.1, "d": damping})
    branch = da.continue_steady(system, parameter="P", start=da.steady(da.free(system), {}), over=(0.01, 4))
    at = 41 / 28 + damping**2 / 2 if damping else 3.5 - math.sqrt(2)
    assert branch.special == [("Hopf", pytest.approx(at, abs=1e-7))]


def test_watts_governor_hunts_where_rouths_condition_says():
    # s^3 + b s^2 + B s + C has a pair on the imaginary axis where b B = C
    arm = da.coordinates("a p")
    a, va, vp = arm["a"], arm["va"], arm["vp"]
    b = sp.Symbol("b", positive=True)
    L = (va**2 + sp.sin(a) ** 2 * vp**2) / 2 + 3 * vp**2 / 2 + g * sp.cos(a)
    forces = {"va": -b * va, "vp": 2 * sp.cos(a) - 1.2}
    governor = da.System(arm, L, forces=forces, parameters={"g": 9.81, "b": 3.0}, symmetry="p")
    equations = da.nonholonomic(da.reduce(governor).system)
    start = da.steady(equations, {"a": 0.9, "vp": 4.0})
    branch = da.continue_steady(equations, parameter="b", start=start, over=(0.01, 3))
    # cos a = 0.6 and w^2 cos a = g;  a'' = -w^2 sin^2 a da - b a' + 2 w s c dw,  (3 + s^2) w' = -2 s da - 2 s c w a'
    c, s, inertia = 0.6, 0.8, 3 + 0.8**2
    rate = math.sqrt(9.81 / c)
    B = (rate * s) ** 2 + (2 * s * c * rate) ** 2 / inertia
    C = 2 * rate * s * c * 2 * s / inertia
    assert branch.special == [("Hopf", pytest.approx(C / B, abs=1e-9))]
