"""Angular velocities in the frame that a group turns: the reduction goes over to the other frame by itself."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import chaplygin_top

START = {"R": [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]], "w1": 0.9, "w2": -0.6, "w3": 0.8}


def body_in_space():
    """A free body by its angular velocity in space, which turns in space turn."""
    s = da.rotation("R", frame="space")
    b = s.R.T * sp.Matrix(s.velocities)
    kinetic = (b[0] ** 2 + 2 * b[1] ** 2 + 3 * b[2] ** 2) / 2
    return da.System(s, kinetic, symmetry=da.symmetry.rotations("R"))


def top_along_the_body():
    """A heavy top by its angular velocity along the body, which turns about its own axis turn."""
    s = da.rotation("R", frame="body")
    w1, w2, w3 = s.velocities
    L = (w1**2 + w2**2 + w3**2 / 2) / 2 - 3 * s.R[2, 2]
    return da.System(s, L, symmetry={"spin": {"w3": 1}})


def ball_in_space():
    """Chaplygin's ball by its angular velocity in space."""
    s = da.plane("x y") * da.rotation("R", frame="space")
    vx, vy, *w = s.velocities
    b = s.R.T * sp.Matrix(w)
    L = (vx**2 + vy**2) / 2 + sp.Rational(1, 10) * b[0] ** 2 + sp.Rational(3, 20) * b[1] ** 2 + b[2] ** 2 / 5
    return da.System(s, L, {"rx": vx - w[1], "ry": vy + w[0]}, symmetry=da.symmetry.euclidean("x y", "R"))


@pytest.mark.parametrize(
    ("system", "size", "name"),
    [
        pytest.param(body_in_space, 3, "w1_body", id="body"),
        pytest.param(top_along_the_body, 6, "w1_space", id="top"),
        pytest.param(ball_in_space, 6, "w1_body", id="ball"),
        pytest.param(chaplygin_top.system, 6, "w1_body", id="loaded ball"),
    ],
)
def test_the_motion_in_the_other_frame_leads_back_to_the_full_one(system, size, name):
    given = system()
    reduction, full = da.reduce(given), da.nonholonomic(given)
    small = da.nonholonomic(reduction.system)
    assert len(small.states) == size
    assert name in small.states
    assert reduction.given is given
    place = {"x": 0.1, "y": -0.2} if "x" in given.space.by_name else {}
    start = full.start(**place, **START)
    times = np.linspace(0.0, 1.5, 7)
    path = da.simulate(small, da.reduced_start(reduction, start), until=1.5)
    back, there = da.reconstruct(reduction, path, start), da.simulate(full, start, until=1.5)
    for s in given.space:
        np.testing.assert_allclose(back.at(times)[s.name], there.at(times)[s.name], rtol=0, atol=1e-9)


def test_a_name_that_is_taken_is_left_alone():
    s = da.rotation("R", frame="space")
    b, k = s.R.T * sp.Matrix(s.velocities), sp.Symbol("w1_body", positive=True)
    kinetic = (k * b[0] ** 2 + 2 * b[1] ** 2 + 3 * b[2] ** 2) / 2
    reduction = da.reduce(da.System(s, kinetic, parameters={k: 1.0}, symmetry=da.symmetry.rotations("R")))
    assert [u.name for u in reduction.system.space.velocities] == ["w1_body_", "w2_body", "w3_body"]


def test_other_frames_are_not_taken_where_the_given_one_does():
    s = da.rotation("R", frame="body")
    w = s.velocities
    system = da.System(s, w[0] ** 2 + 2 * w[1] ** 2 + 3 * w[2] ** 2, symmetry=da.symmetry.rotations("R"))
    assert da.reduce(system).system.space.velocities == w
