"""Which values determine a motion: what follows from constraints, what belongs to a start, and where there is none."""

import numpy as np
import pytest

import dalembert as da

SPACE = "x y z"
L = "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2"
PLACE = {"x": 0.3, "y": 0.7, "z": 0.1}
CONE = "dot(x)^2 + dot(y)^2 - 2*dot(z)^2"  # dphi/du = 0 at rest
CROSSING = "x*dot(y) + y*dot(x)"  # dphi/du = 0 on the axis x = y = 0
KNIFE = "dot(z) - y*dot(x)"


def system(phi):
    return da.System(da.coordinates(SPACE), L, {"row": phi})


@pytest.mark.parametrize(
    ("phi", "lost", "kept"),
    [
        (CONE, PLACE | {"vx": 0, "vy": 0, "vz": 0}, PLACE | {"vx": 1, "vy": 1, "vz": 1}),
        (CROSSING, {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 1, "vz": 0}, PLACE | {"vx": 3, "vy": -7, "vz": 0}),
        ("x*dot(z)", {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 1, "vz": 1}, PLACE | {"vx": 1, "vy": 1, "vz": 0}),
        (
            "(x^2 + y^2)*dot(z)",
            {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 1, "vz": 1},
            PLACE | {"vx": 1, "vy": 1, "vz": 0},
        ),
    ],
)
def test_where_constraints_lose_rank_no_motion_begins(phi, lost, kept):
    equations = da.nonholonomic(system(phi))
    with pytest.raises(da.DalembertError, match="E121"):
        equations.start(**lost)
    assert equations.start(**kept).state["x"] == kept["x"]


def test_a_velocity_that_a_constraint_determines_follows():
    start = da.nonholonomic(system(KNIFE)).start(**PLACE, vx=2.0, vy=0.5)
    assert start.state["vz"] == pytest.approx(0.7 * 2.0, rel=1e-15)
    with pytest.raises(da.DalembertError, match="E230"):
        da.nonholonomic(system(KNIFE)).start(**PLACE, vx=2.0)


@pytest.mark.parametrize(
    ("rows", "given", "told"),
    [
        # a ball between two turntables: what the rows hold beside velocities would not be computed
        (
            {"a": "dot(x) - dot(z) + O*y", "b": "dot(x) + dot(z) + k*y"},
            {"vx": 1.0},
            "vx cannot have the given value: a, b determine it",
        ),
        (
            {"a": "dot(x) - k*dot(z) - x", "b": "dot(x) - dot(y) + dot(z)", "c": "dot(y) + O*dot(z)"},
            {"vx": 1.0, "vy": 1.0},
            "vx, vy cannot all have the given values: a, b, c link them",
        ),
    ],
)
def test_a_start_that_is_given_twice_over_names_what_may_be_left_out(rows, given, told):
    begun = da.nonholonomic(da.System(da.coordinates(SPACE), L, rows, parameters={"O": 2.0, "k": 3.0}))
    with pytest.raises(da.DalembertError) as refused:
        begun.start(**PLACE, **given)
    assert refused.value.code == "E233" and refused.value.fact == told


def test_multipliers_belong_to_the_start_of_a_vakonomic_motion():
    equations = da.vakonomic(system(KNIFE))
    with pytest.raises(da.DalembertError, match="E234"):
        equations.start(**PLACE, vx=2.0, vy=0.5)
    rates = [
        equations.evaluate(equations.start(**PLACE, vx=2.0, vy=0.5, lam_row=lam))["accelerations"]["vy"]
        for lam in (0.0, 1.0, 2.0)
    ]
    # EL_y(L - lam phi) = yddot - lam xdot = 0
    np.testing.assert_allclose(rates, [0.0, 2.0, 4.0], atol=1e-14)


def test_where_the_bordered_matrix_is_singular_no_multipliers_move():
    # W = 1 - 2 lam along (x, y) for phi = vx^2 + vy^2 - 2 vz^2: 0 at lam = 1/2, and N udot has no say there
    equations = da.vakonomic(system(CONE))
    equations.start(**PLACE, vx=1.0, vy=1.0, vz=1.0, lam_row=0.0)
    with pytest.raises(da.DalembertError, match="E126"):
        equations.start(**PLACE, vx=1.0, vy=1.0, vz=1.0, lam_row=0.5)


def test_a_start_that_was_moved_in_vain_is_not_told_to_be_moved():
    """dot(x)^2 + dot(y)^2 = 1 + x has no solution at x = -3, and Newton's method finds none."""
    plane = da.System(da.coordinates("x y"), "(vx^2 + vy^2)/2", {"speed": "vx^2 + vy^2 - 1 - x"})
    start = {"x": -3, "y": 0, "vx": 1, "vy": 1}
    with pytest.raises(da.DalembertError, match="speed does not hold") as told:
        da.nonholonomic(plane).start(**start)
    assert "kinetic" in told.value.remedy
    with pytest.raises(da.DalembertError, match="E231 no consistent start was found near") as told:
        da.nonholonomic(plane).start(**start, project="kinetic")
    assert "kinetic" not in told.value.remedy and "speed = " in told.value.detail


def test_a_velocity_may_be_written_as_the_rate_that_it_is():
    q = da.coordinates("x y theta")
    blade = {"blade": "dot(y)*cos(theta) - dot(x)*sin(theta)"}
    skate = da.nonholonomic(da.System(q, "(dot(x)^2 + dot(y)^2 + dot(theta)^2)/2", blade))
    place = {"x": 0, "y": 0, "theta": 0.3}
    plain = skate.start(**place, vx=1, vtheta=2)
    assert dict(skate.start(**{**place, "dot(x)": 1, "dot( theta )": 2})) == dict(plain)
    swept = da.sweep(skate, starts={**place, "dot(x)": [1.0, 2.0], "dot(theta)": 2.0}, until=0.5)
    assert swept["x"].values[0] == pytest.approx(da.simulate(skate, plain, until=0.5)["x"][-1], rel=1e-11)
    with pytest.raises(da.DalembertError, match=r"E102.*vx is given twice"):
        skate.start(**{**place, "dot(x)": 1, "vx": 1})


def test_a_rotation_of_which_nothing_is_known_is_asked_for_by_its_name():
    top = da.free(da.System(da.rotation("R", frame="body"), "(w1^2 + 2*w2^2 + 3*w3^2)/2 - R33"))
    with pytest.raises(da.DalembertError, match=r"(?s)E230 free: R, w3\n.*do: give R=..., w3=...$"):
        top.start(w1=1.0, w2=0.0)
    with pytest.raises(da.DalembertError, match=r"E230 free: R_y, R_z, w3"):  # a part of it is: the others
        top.start(w1=1.0, w2=0.0, R_w=1.0, R_x=0.0)
    assert top.start(w1=1.0, w2=0.0, R="identity", w3=0.0)["R_w"] == 1.0


def test_a_multiplier_with_a_unit_is_asked_for_as_a_number():
    # `units` takes coordinates, velocities and parameters, so that it is no remedy here
    with pytest.raises(da.DalembertError, match=r"(?s)E207 lam_row .*do: give lam_row as a number[^\n]*$"):
        da.vakonomic(system(KNIFE)).start(**PLACE, vx=2.0, vy=0.5, lam_row="1 m")
