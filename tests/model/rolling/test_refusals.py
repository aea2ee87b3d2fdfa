"""What does not roll is refused in the words of whoever gave it."""

import pytest

import dalembert as da

BALL = da.Body("ball", radius="r")
HERE = {"R_w": 1, "R_x": 0, "R_y": 0, "R_z": 0}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (da.Body("ball"), "no radius"),
        (da.Body("ball", radius=-1), "not above 0"),
        (da.Body("ball", radius=1, turn="z 1"), "turn"),
        (da.Body("box", size=(1, 1, 1)), "box"),
        (da.Body("ellipsoid", size=(1, 1)), "three lengths"),
        (da.Body("ellipsoid", size=(1, 0, 1)), "not above 0"),
        (da.Body("wheel", radius=1, thickness=3), "half of the thickness"),
        ({"shape": "ball", "diameter": 2}, "diameter"),
        ({"radius": 2}, "no shape"),
        (3, "no body"),
        (("cos(u)*cos(v)", "cos(u)*sin(v)", "sin(u)"), r"no body that rolls\s+do: eliminate u and v"),
        ("sqrt(n1^2 + n2^2 + n3^2) + 0.93*n1*n2*n3/(n1^2 + n2^2 + n3^2)", "not convex"),
        ("n1^2 + n2^2 + n3^2", "degree 1"),
        ("r", "degree 1"),
        ("sqrt(n1^2 + n2^2) - 0.2*sqrt(n1^2 + n3^2)", "not convex"),
    ],
    ids=str,
)
def test_a_body_that_does_not_roll(body, words):
    with pytest.raises(da.DalembertError, match=rf"E155 .*{words}"):
        da.rolling(body, "z", parameters="r")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"surface": "z^2"}, "no normal"),
        ({"surface": "r"}, "no function of x, y, z"),
        ({"surface": 3}, "no equation"),
        ({"surface": ("u", "v", "u^2")}, r"no equation\s+do: eliminate u and v"),
        ({"surface": "x^2 + y^2 + z^2 + 1"}, "no points"),
        ({"surface": "z", "moving": (0, 0, 1)}, "leaves it"),
        ({"surface": "z - t", "moving": (0, 0, 0)}, "leaves it"),
        ({"surface": "b^2 - x^2 - y^2", "moving": ("x", "y", 0)}, "leaves it"),
        ({"surface": "z", "moving": "x"}, "three components"),
        ({"surface": "z", "on": 3}, "on 3"),
        ({"surface": "z", "on": da.plane("a b")}, "not one rotation"),
        ({"surface": "z", "coordinates": "x y"}, "three coordinates"),
        ({"surface": "z", "rotation": da.plane("a b")}, "no rotation"),
        ({"surface": "z", "rubber": 1}, "rubber"),
        ({"surface": "z", "gap": "s"}, "needs no coordinate"),
    ],
    ids=str,
)
def test_a_surface_on_which_nothing_rolls(given, words):
    with pytest.raises(da.DalembertError, match=rf"E156 .*{words}"):
        da.rolling(BALL, **{"parameters": "r b", **given})


def test_what_stays_on_the_surface_has_no_contact_until_its_gap_is_named():
    given = {"body": BALL, "surface": "z - x^2 - y^2", "parameters": "r"}
    with pytest.raises(da.DalembertError, match=r"E156 .*stays on the surface"):
        da.rolling(**given).contact(mu=0.2)
    assert da.rolling(**given, gap="s").contact(mu=0.2).gap.name == "s"


def test_names_are_those_that_are_declared():
    with pytest.raises(da.DalembertError, match="E702"):
        da.rolling(BALL, "z")
    with pytest.raises(da.DalembertError, match="E102"):
        da.rolling(BALL, "z", coordinates="R_w y z", parameters="r")


@pytest.mark.parametrize(
    ("surface", "state", "found"),
    [
        ("1 - sqrt(x^2 + y^2)", {"x": 0.8, "y": 0, "z": 0}, (0.8, 1)),
        ("1 - x^2 - y^2", {"x": 1, "y": 0, "z": 0}, (0.8, 1)),
        ("x^2 + y^2 + z^2 - 1", {"x": 0.6, "y": 0, "z": 0.8}, (1.2, 1.2)),
        ("z", {"x": 3, "y": 2, "z": 0.2}, (1, 1)),
        ("z - x^2", {"x": 0, "y": 2}, (0.6, 1)),
        ("z - 2*x^2", {"x": 1, "y": 2}, (1 - 0.8 / 17**1.5, 1)),
    ],
)
def test_how_the_surfaces_open_about_the_contact(surface, state, found):
    """1 + r kappa, with the curvature of a parabola 4/(1 + 16 x^2)^(3/2)."""
    rolls = da.rolling(BALL, surface, parameters="r")
    assert rolls.fits({**HERE, **state}, {"r": 0.2}) == pytest.approx(found, abs=1e-12)


def test_an_ellipsoid_fits_a_trough_by_how_it_is_turned():
    """Semi-axes 0.3, 0.2, 0.25, radii below 0.3^2/0.25 and 0.2^2/0.25; the trough bends across its first axis alone."""
    rolls = da.rolling("sqrt(0.09*n1^2 + 0.04*n2^2 + 0.0625*n3^2)", "z - (0.28*x + 0.96*y)^2/2")
    turned = {**HERE, "x": 0, "y": 0, "z": 0.25, "R_w": 0.8, "R_z": 0.6}  # e1 = (0.28, 0.96, 0)
    assert rolls.fits(turned) == pytest.approx((1 - 0.36, 1), abs=1e-12)


@pytest.mark.parametrize(
    ("surface", "state", "words"),
    [
        ("1 - x^2 - y^2", {"x": 1, "y": 0, "z": 0, "r": 1.1}, "intersect"),
        ("z - 2*x^2", {"x": 0, "y": 0, "r": 0.26}, "intersect"),
        ("1 - x^2 - y^2", {"x": 0.9, "y": 0, "z": 0, "r": 0.1}, "not on the surface"),
        ("z", {"x": 0, "y": 0, "z": 0.1, "r": 0.2}, "reaches 0.1 into"),
        ("x^2 + y^2 - z^2", {"x": 0, "y": 0, "z": 0, "r": 0.2}, "no normal"),
        ("z*0.6 - 0.8*sqrt(x^2 + y^2)", {"x": 0, "y": 0, "z": 0, "r": 0.2}, "no normal"),
    ],
)
def test_a_place_that_does_not_fit(surface, state, words):
    rolls = da.rolling(BALL, surface, parameters="r")
    with pytest.raises(da.DalembertError, match=rf"E157 .*{words}"):
        rolls.fits({**HERE, **state})


def test_a_body_that_is_not_convex_at_some_values_is_doubted_and_found_there():
    with pytest.warns(da.DalembertWarning, match=r"W155 .*is not convex at k = .*rolls.meets"):
        rolls = da.rolling("sqrt(n1^2 + n2^2 + n3^2) - k*sqrt(n1^2 + 2*n2^2 + 3*n3^2)", "z", parameters="k")
    state = {**HERE, "x": 0, "y": 0, "z": 2}
    assert rolls.fits(state, {"k": 0.1}) == (1, 1)
    assert rolls.meets(state, {"k": 0.1}) == state
    # hollow elsewhere, and not where it touches
    with pytest.raises(da.DalembertError, match=r"E155 .*not convex"):
        rolls.meets({**state, "R_w": 0.8, "R_x": 0.6}, {"k": 0.6})
    with pytest.raises(da.DalembertError, match=r"E155 .*radius of curvature"):
        rolls.fits(state, {"k": 0.9})


def test_a_disc_that_lies_flat_touches_nowhere():
    rolls = da.rolling(da.Body("disc", radius=1), "z")
    with pytest.raises(da.DalembertError, match=r"E157 .*more than a point"):
        rolls.fits({**HERE, "x": 0, "y": 0, "z": 0})
