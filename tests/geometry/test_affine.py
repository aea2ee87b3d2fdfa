"""Constraints given by vector fields are those given by forms: the same motions, on five kinds of systems."""

import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import ball_on_turntable as ball
from dalembert.systems import heisenberg, penny, suslov


def skate():
    q = da.coordinates("x y theta")
    _, _, theta, vx, vy, vtheta = q
    blade = {"blade": (vx - sp.Symbol("U", real=True)) * sp.sin(theta) - vy * sp.cos(theta)}
    return da.System(q, (vx**2 + vy**2 + vtheta**2) / 2, blade, parameters={"U": 0.7})


SKATE = {"forward": {"x": "cos(theta)", "y": "sin(theta)"}, "turn": {"theta": 1}}
CONTACT = {"a": {"x": 1, "z": "-y/2"}, "b": {"y": 1, "z": "x/2"}}
BALL = {"x": {"vx": "r", "w2": 1}, "y": {"vy": "-r", "w1": 1}, "spin": {"w3": 1}, "all": {"vx": "r", "w2": 1, "w3": 2}}
SYSTEMS = {
    "skate on a belt": (skate(), SKATE, {"x": "U"}, {"x": 0, "y": 0, "theta": 0.4, "vx": 1.2, "vtheta": 0.5}),
    "Heisenberg": (
        heisenberg.system(),
        {"a": {"x": 1, "z": "-y/2"}, "b": {"y": 1, "z": "x/2"}},
        None,
        heisenberg.START,
    ),
    "penny": (
        penny.system(),
        {"roll": {"x": "R*cos(phi)", "y": "R*sin(phi)", "psi": 1}, "turn": {"phi": 1}},
        None,
        penny.START,
    ),
    "ball": (
        ball.system(),
        {
            "x": {"vx": "r", "w2": 1},
            "y": {"vy": "-r", "w1": 1},
            "spin": {"w3": 1},
            "all": {"vx": "r", "w2": 1, "w3": 2},
        },
        {"vx": "-Omega*y", "vy": "Omega*x"},
        {**ball.START, "w3": 0.3},
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_motion_is_that_of_the_forms(name):
    system, fields, drift, start = SYSTEMS[name]
    rows = da.symmetry.affine(system.space, fields, drift, parameters=[*system.parameters])
    assert len(rows) == len(system.constraints)
    ways = [da.nonholonomic(s) for s in (system, system.changed(constraints=rows))]
    paths = [da.simulate(way, start, until=1.0, rtol=1e-10) for way in ways]
    ends = [path.at(1.0) for path in paths]
    for q in (*system.space.coordinates, *system.space.velocities):
        assert ends[1][q.name] == pytest.approx(ends[0][q.name], rel=1e-7, abs=1e-8)
    # nor do the vakonomic equations depend on which forms annihilate D
    assert da.satisfies(system.changed(constraints=rows), paths[0]).nonholonomic.holds


def test_a_body_that_may_not_turn_about_one_axis():
    system = suslov.system()
    rows = da.symmetry.affine(system.space, {"one": {"w1": 1}, "two": {"w2": 1}})
    assert [str(phi) for phi in rows.values()] == ["w3"]


def test_the_drift_counts_modulo_the_distribution():
    q = da.coordinates("x y theta")
    along = da.symmetry.affine(q, SKATE, {"x": "cos(theta)", "y": "sin(theta)"})
    assert sp.simplify(along["form1"] - da.symmetry.affine(q, SKATE)["form1"]) == 0


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "no field"),
        ({"a": {"x": 0}}, "moves nothing"),
        ({"a": {"x": 1}, "b": {"y": 1}, "c": {"theta": 1}}, "span all"),
        ({"a": {"x": "vx"}}, "depends on a velocity"),
    ],
)
def test_what_spans_no_distribution_is_refused(fields, said):
    with pytest.raises(ValueError, match="E125") as met:
        da.symmetry.affine(da.coordinates("x y theta"), fields)
    assert said in str(met.value)
    with pytest.raises(TypeError, match="E101"):
        da.symmetry.affine("x y", {"a": {"x": 1}})
