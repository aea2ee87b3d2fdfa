"""Comparisons of principles: distances against arithmetic of their own, verdicts against known theorems."""

import pickle
import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.comparison import Pair
from dalembert.experiment.compare import Ruler, compare
from dalembert.systems import ball_on_turntable as ball

cos, sin = sp.cos, sp.sin
MASS = 1.2


def penny(space=None):
    q = space or da.coordinates("x y phi psi")
    phi, vx, vy, vphi, vpsi = (q[n] for n in ("phi", "vx", "vy", "vphi", "vpsi"))
    return da.System(
        q,
        sp.Rational(6, 10) * (vx**2 + vy**2) + vpsi**2 / 5 + vphi**2 / 8,
        {"along": vx - vpsi * cos(phi), "across": vy - vpsi * sin(phi)},
        title="Penny",
    )


START = {
    "x": 0,
    "y": 0,
    "phi": 0.3,
    "psi": 0,
    "vphi": 0.6,
    "vpsi": 1.2,
    "vx": 1.2 * np.cos(0.3),
    "vy": 1.2 * np.sin(0.3),
}
MATCHED = {**START, "lam_along": MASS * START["vx"], "lam_across": MASS * START["vy"]}
OTHER = {**START, "lam_along": 0.0, "lam_across": 0.0}
BOTH = [da.nonholonomic, da.vakonomic]


@pytest.fixture(scope="module")
def apart():
    return compare(penny(), [*BOTH, da.free], start=OTHER, until=3.0)


@pytest.fixture(scope="module")
def together():
    return compare(penny(), BOTH, start=MATCHED, until=3.0)


def test_the_penny_with_its_own_multipliers_agrees(together):
    # lam(0) = m (vx, vy)(0) keeps the nonholonomic motion: both reach the closed form
    pair = together.pair("nonholonomic", "vakonomic")
    assert together.agree
    assert pair.largest < 1e-10
    assert "agree to" in together.verdict
    assert np.isnan(pair.parts_at)
    # phi = 0.3 + 0.6 t, (x, y) on a circle of radius 2
    end = together["vakonomic"].at(3.0)
    assert end["phi"] == pytest.approx(0.3 + 1.8, abs=1e-10)
    assert end["x"] == pytest.approx(2 * (np.sin(2.1) - np.sin(0.3)), abs=1e-9)


def test_a_principle_beside_itself_is_told_as_such(together):
    system = da.System(da.line("x"), "vx^2/2 - x^2/2")
    beside = compare(system, [da.free, da.nonholonomic, da.free], start={"x": 1.0, "vx": 0.0}, until=1.0)
    assert beside.principles == ("free", "nonholonomic", "free (2)")
    assert beside.agree and not together.pairs[0].same
    told = [pair.verdict.endswith("as the same equations do of any system") for pair in beside.pairs]
    assert told == [False, True, False] == [pair.same for pair in beside.pairs]
    swinging = da.free(system)
    labelled = compare(system, {"a": swinging, "b": swinging}, start={"x": 1.0, "vx": 0.0}, until=1.0)
    assert [pair.same for pair in labelled.pairs] == [True]


def test_paths_are_found_by_place_and_by_label(apart):
    for i, label in enumerate(apart.principles):
        assert apart.paths[label] is apart.paths[i] is apart[label]
    assert apart.paths[1:] == (apart.paths[1], apart.paths[2])
    with pytest.raises(da.DalembertError, match=r"E317 .*'vakonomik'"):
        apart.paths["vakonomik"]
    again = pickle.loads(pickle.dumps(apart.paths.of(apart.principles, range(3))))
    assert again[apart.principles[2]] == 2


def test_distances_are_what_the_formula_says(apart):
    t = apart.t
    names = ("x", "y", "phi", "psi")
    assert apart.columns == names
    tables = [np.column_stack([path.at(t)[n] for n in names]) for path in apart.paths]
    size = np.vstack(tables).max(axis=0) - np.vstack(tables).min(axis=0)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = np.abs((tables[j] - tables[i]) / size).max(axis=1)
        np.testing.assert_allclose(apart.distances[i, j], expected, atol=1e-15)
        pair = apart.pair(apart.principles[i], apart.principles[j])
        np.testing.assert_array_equal(pair.difference("y"), tables[j][:, 1] - tables[i][:, 1])
        k = np.argmax(expected >= 0.01)
        assert t[k - 1] < pair.parts_at <= t[k]
        there = [path.at(pair.parts_at) for path in (apart.paths[i], apart.paths[j])]
        off = [abs(there[1][n] - there[0][n]) / s for n, s in zip(names, size, strict=True)]
        assert max(off) == pytest.approx(0.01, rel=1e-4)
        assert pair.largest == expected.max()


def test_principles_that_part_are_said_to_part(apart):
    pair = apart.pair("vakonomic", "nonholonomic")
    assert not apart.agree
    assert "part: the distance reaches 1 %" in pair.verdict
    assert f"t = {pair.parts_at:.3g} s" in pair.verdict


def test_where_motions_part_does_not_depend_on_how_far_they_are_followed():
    quick, found = da.System(da.line("z"), "vz^2/2 - z^2/2"), []
    slow = da.System(da.line("z"), "vz^2/2 - 1.21*z^2/2")
    for until in (20, 2000):  # 0.01 s and 1 s between the samples
        both = [da.free(quick), da.free(slow)]
        found.append(da.compare(quick, both, start={"z": 1, "vz": 0}, until=until).pairs[0].parts_at)
    # |cos t - cos 1.1 t| = 1 % of the range, 2
    assert abs(np.cos(found[0]) - np.cos(1.1 * found[0])) == pytest.approx(0.02, rel=1e-3)
    assert found[1] == pytest.approx(found[0], rel=1e-3)


def test_the_size_that_a_distance_is_measured_against_is_told(apart):
    said = " ".join(str(apart).split())
    sizes = ", ".join(f"{name} {apart.scales[name]:.3g}" for name in apart.columns)
    ranges = f"range over all motions up to t = {apart.t[-1]:g} s, of an angle at most a turn"
    assert f"size {ranges}: {sizes} pair" in said


def test_sizes_and_partings_are_those_of_the_motions_and_not_of_the_samples(apart):
    few = compare(penny(), [*BOTH, da.free], start=OTHER, until=3.0, samples=[0.0, 2.5])
    assert few.scales == apart.scales
    assert few.pairs[0].parts_at == pytest.approx(apart.pairs[0].parts_at, rel=1e-8)


def test_the_free_motion_takes_part(apart):
    # straight at constant speed
    end = apart["free"].at(3.0)
    assert end["x"] == pytest.approx(3 * START["vx"], abs=1e-12)
    assert end["y"] == pytest.approx(3 * START["vy"], abs=1e-12)


def test_the_text_fits_a_page(apart, together):
    stopped = compare(penny(), BOTH, start=OTHER, until=3.0, max_steps=5)
    for text in (str(apart), str(together), str(stopped)):
        assert max(map(len, text.splitlines())) <= 80, text
    assert "max_steps" in str(stopped)


# --- no agreement is claimed -----------------------------------------------------------------------------------------


def test_a_failed_run_has_no_verdict():
    found = compare(penny(), BOTH, start=MATCHED, until=3.0, max_steps=5)
    assert not found.agree
    assert "no verdict" in found.verdict
    assert " agree " not in found.verdict
    assert "nonholonomic failed (E313" in found.verdict


def test_a_suspect_run_has_no_verdict():
    # a momentum that is declared conserved and is not makes the audit doubt the run
    system = penny().changed(momenta={"p_x": MASS * penny().space["vx"]})
    found = compare(system, BOTH, start=MATCHED, until=3.0)
    assert {p.audit.verdict for p in found.paths} == {"suspect"}
    assert not found.agree
    assert "nonholonomic is suspect (E406" in found.verdict
    assert " agree " not in found.verdict


def test_a_run_that_ends_early_is_compared_up_to_there():
    far = da.Event("far", penny().space["x"] - 1.0, then="stop")
    found = compare(penny(), BOTH, start=MATCHED, until=3.0, events=[far])
    end = min(path.t[-1] for path in found.paths)
    assert end < 3.0
    assert found.t[-1] == end
    assert not found.agree
    assert " agree " not in found.verdict
    assert "no difference above" in found.verdict
    assert "stopped by far" in found.verdict


def test_paths_that_part_before_one_stops_are_said_to_part():
    far = da.Event("far", penny().space["x"] - 0.9, then="stop")
    found = compare(penny(), BOTH, start=OTHER, until=3.0, events=[far])
    assert "part: " in found.verdict
    assert "nonholonomic stopped by far" in found.verdict


def test_nothing_is_claimed_where_the_runs_know_too_little():
    # the ball at w3 = Omega on a centred circle: one motion under both principles, errors growing like exp(2.9 t)
    om, p = 2 / 7 * ball.RPM_45, ball.stated_ball()
    start = {"x": 10.0, "y": 0.0, "vx": 0.0, "vy": 10 * om, "w3": ball.RPM_45, "lam_roll_x": 0}
    start["lam_roll_y"] = -p["I"] / p["r"] ** 2 * 10 * om
    short = compare(ball.system(), BOTH, start=start, until=1.0)
    assert short.agree, short.verdict
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)  # the loose tolerance is the point
        long = compare(ball.system(), BOTH, start=start, until=3.0, rtol=1e-6)
    assert not long.agree
    assert "cannot be told apart" in long.verdict, long.verdict


def test_zero_time_compares_nothing():
    found = compare(penny(), BOTH, start=MATCHED, until=0.0)
    assert not found.agree
    assert "nothing to compare" in found.verdict


def pair(distance, known, **more):
    t = np.linspace(0, 1, len(distance))
    return Pair("a", "b", t, ("x",), np.array(distance)[:, None], np.array(distance), np.array(known), **more)


def test_a_difference_above_the_errors_is_no_agreement():
    found = pair([0, 1e-7, 2e-7], [1e-10] * 3)
    assert found.differ
    assert not found.agree
    assert found.verdict.startswith("a and b differ, though never visibly")


def test_a_difference_within_the_errors_is_agreement():
    assert pair([0, 1e-12], [1e-10] * 2).agree
    assert not pair([0, 1e-12], [1e-10] * 2, doubts=("a failed",)).agree
    assert not pair([0, 1e-12], [1e-10] * 2, early=("a stopped",)).agree
    assert not pair([0, 1e-12], [1e-10, np.inf]).agree


def test_a_late_return_does_not_hide_the_largest_distance():
    text = pair([0, 0.5, 0.02], [1e-10] * 3).verdict
    assert "2 % at the end (50 % at t = 0.5 s)" in text


# --- the measure -----------------------------------------------------------------------------------------------------


def ruler(space, tables):
    columns = tuple(q.name for q in space.coordinates)
    return Ruler.of(space, dict.fromkeys(space.by_name, 0.0), tables, columns)


def test_angles_are_compared_modulo_a_turn():
    one = np.array([[0.1], [3.0], [6.4]])
    other = one + np.array([[2 * np.pi + 0.2], [-4 * np.pi - 0.1], [np.pi]])
    found = ruler(da.angle("theta"), [one, other])
    np.testing.assert_allclose(found.difference(one, other)[:, 0], [0.2, -0.1, np.pi], atol=1e-14)
    assert found.sizes[0] == 2 * np.pi
    plain = ruler(da.coordinates("theta"), [one, other])
    assert plain.difference(one, other)[0, 0] == pytest.approx(2 * np.pi + 0.2)


def test_quaternions_are_compared_up_to_sign():
    rng = np.random.default_rng(3)
    one = rng.normal(size=(6, 4))
    one /= np.linalg.norm(one, axis=1)[:, None]
    signs = np.array([1, -1, 1, -1, -1, 1.0])[:, None]
    found = ruler(da.rotation("R"), [one, signs * one])
    np.testing.assert_array_equal(found.difference(one, signs * one), 0.0)
    assert len(set(found.sizes)) == 1


def test_the_distance_knows_no_units_and_no_origin():
    rng = np.random.default_rng(4)
    one, other = rng.normal(size=(2, 9, 2))
    space = da.coordinates("x y")
    first = ruler(space, [one, other])
    moved = [a * np.array([100.0, 0.5]) + np.array([3.0, -700.0]) for a in (one, other)]
    second = ruler(space, moved)
    np.testing.assert_allclose(
        second.distance(second.difference(*moved)), first.distance(first.difference(one, other)), rtol=1e-12
    )


def test_a_coordinate_at_rest_does_not_turn_rounding_into_distance():
    one = np.column_stack([np.linspace(0, 1, 5), np.zeros(5)])
    other = one + np.array([0.0, 1e-16])
    found = ruler(da.coordinates("x y"), [one, other])
    assert found.distance(found.difference(one, other)).max() < 1e-11


def test_a_spin_that_moves_no_coordinate_is_compared():
    # a sphere's spin about its axis z is seen in no coordinate of z
    s = da.direction("z")
    w = sp.Matrix(s.velocities)
    system = da.System(s, w.dot(w) / 2)
    start = {"z1": 0, "z2": 0, "z3": 1, "w1": 0, "w2": 0, "w3": 0.5}
    spun = da.System(s, w.dot(w) / 2, forces={"w3": 1})
    found = compare(system, [da.free, da.free(spun)], start=start, until=1.0)
    assert found.principles == ("free", "free (2)")
    assert not found.agree
    np.testing.assert_allclose(found.pairs[0].difference("w3"), found.t, atol=1e-12)


def test_labels_may_be_given():
    found = compare(penny(), {"real": da.nonholonomic, "rival": da.vakonomic(penny())}, start=OTHER, until=0.5)
    assert found.principles == ("real", "rival")
    assert found["rival"].provenance["principle"] == "vakonomic"


def test_samples_are_the_times_of_the_comparison():
    times = [0.5, 1.0, 2.5]
    found = compare(penny(), BOTH, start=OTHER, until=3.0, samples=times)
    np.testing.assert_array_equal(found.t, times)
    assert found.pairs[0].distance.shape == (3,)


def test_a_full_start_object_and_a_start_time_go_to_all():
    begin = da.vakonomic(penny()).start(**MATCHED, t=1.0)
    found = compare(penny(), BOTH, start=begin, until=2.0)
    assert found.t[0] == 1.0
    assert found.agree
    assert compare(penny(), BOTH, start={**MATCHED, "t": 1.0}, until=2.0).t[0] == 1.0


def test_parameters_go_to_the_systems_that_have_them():
    q = da.coordinates("x")
    k, d = sp.symbols("k d", positive=True)
    plain = da.System(q, (q["vx"] ** 2 - k * q["x"] ** 2) / 2)
    damped = plain.changed(forces={"vx": -d * q["vx"]})
    given = {"k": 1.0, "d": 0.1}
    found = compare(plain, [da.free, da.free(damped)], start={"x": 1.0, "vx": 0}, until=2.0, parameters=given)
    assert found["free"].at(2.0)["x"] == pytest.approx(np.cos(2.0), abs=1e-10)
    assert found["free (2)"].provenance["parameters"] == given
    with pytest.raises(KeyError, match="E202 unknown parameter 'dd'"):
        compare(plain, [da.free, da.free(damped)], start={"x": 1.0, "vx": 0}, until=2.0, parameters={**given, "dd": 1})


# --- refusals --------------------------------------------------------------------------------------------------------


def without(*names):
    return {k: v for k, v in OTHER.items() if k not in names}


@pytest.mark.parametrize(
    ("start", "kind", "words"),
    [
        (without("lam_along"), ValueError, "E234 vakonomic: the start needs lam_along"),
        (without("vpsi", "vx", "vy"), ValueError, "E230 nonholonomic: free"),
        (without("vx", "vy"), ValueError, "E230 free: free: vx, vy"),
        ({**OTHER, "vx": 5.0}, ValueError, "E231 nonholonomic: the constraint along"),
        ({**OTHER, "vpsy": 1.0}, KeyError, "E229[^?]*did you mean vpsi[?]"),
        ({**OTHER, "lam_alon": 1.0}, KeyError, "E236[^?]*did you mean lam_along[?]"),
        ([0.0] * 8, TypeError, "E241"),
        ({**OTHER, "x": "here"}, TypeError, "E204 nonholonomic: x = "),
    ],
)
def test_starts_that_are_refused(start, kind, words):
    with pytest.raises(kind, match=words):
        compare(penny(), [da.nonholonomic, da.vakonomic, da.free], start=start, until=1.0)


def test_a_multiplier_that_is_no_state_of_any_is_refused():
    with pytest.raises(KeyError, match="E235 lam_along"):
        compare(penny(), [da.nonholonomic, da.free], start={**START, "lam_along": 1.0}, until=1.0)


@pytest.mark.parametrize(
    ("principles", "options", "kind"),
    [
        ([], {}, ValueError),
        ([da.nonholonomic], {}, ValueError),
        (da.nonholonomic, {}, TypeError),
        ("nonholonomic", {}, TypeError),
        (["nonholonomic", "vakonomic"], {}, TypeError),
        ([da.nonholonomic, lambda system: system], {}, TypeError),
        ([da.nonholonomic, da.System], {}, TypeError),
        (BOTH, {"dense": False}, ValueError),
        (BOTH, {"rtoll": 1e-9}, TypeError),
    ],
)
def test_requests_that_are_refused(principles, options, kind):
    with pytest.raises(kind, match="E307"):
        compare(penny(), principles, start=OTHER, until=1.0, **options)


def test_motions_in_other_coordinates_are_refused():
    q = da.coordinates("x")
    with pytest.raises(ValueError, match="E307 free has other coordinates"):
        compare(penny(), [da.nonholonomic, da.free(da.System(q, q["vx"] ** 2 / 2))], start=START, until=1.0)


def test_unknown_labels_and_columns_are_refused(together):
    for ask in (lambda: together["free"], lambda: together.pair("nonholonomic", "vaconomic")):
        with pytest.raises(KeyError, match="E317"):
            ask()
    with pytest.raises(KeyError, match="E317"):
        together.pairs[0].difference("z")
