"""The snakeboard [ostrowski1994]: one rank is lost with both axles at right angles; momenta move it."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import snakeboard


def smallest(back, front):
    system = snakeboard.system()
    values = system.values() | {"theta": 0.2, "back": back, "front": front}
    rows = [[float(e.subs({s: values[s.name] for s in e.free_symbols})) for e in c.normal] for c in system.constraints]
    return np.linalg.svd(np.array(rows))[1].min()


def test_the_rank_is_lost_with_both_axles_at_right_angles_only():
    assert smallest(math.pi / 2, math.pi / 2) < 1e-12
    assert smallest(math.pi / 2, 0.3) > 0.1
    assert smallest(0.0, 0.0) > 0.1


@pytest.mark.parametrize(("back", "front"), [(-0.4, 0.4), (-0.7, 0.2)])
def test_the_board_turns_about_the_point_where_its_axles_meet(named, back, front):
    equations = named("snakeboard").equations(da.nonholonomic)
    place = {"x": 0.0, "y": 0.0, "theta": 0.0, "psi": 0.0, "back": back, "front": front}
    start = equations.start(**place, vx=0.6, vpsi=0.0, vback=0.0, vfront=0.0)
    l = start.parameters["l"]
    # vy + l omega = vx tan(front) ,  vy - l omega = vx tan(back)
    assert start["omega"] == pytest.approx(0.6 * (math.tan(front) - math.tan(back)) / (2 * l))
    # the centre of turning lies across both axles
    centre = complex(-start["vy"], 0.6) / start["omega"]
    for angle, place in ((back, -l), (front, l)):
        assert ((centre - place) * np.exp(-1j * angle)).real == pytest.approx(0, abs=1e-12)


def test_a_rotor_that_is_driven_moves_the_board():
    # bent axles, everything at rest, a torque between rotor and board: the board moves off; with straight axles not
    moved = []
    for front in (0.5, 0.0):
        system = snakeboard.system().changed(forces={snakeboard.VPSI: 0.1})
        equations = da.nonholonomic(system)
        rest = dict.fromkeys(("x", "y", "theta", "psi", "vx", "vpsi", "vback", "vfront"), 0.0)
        velocities = {"vy": 0.0, "omega": 0.0}
        path = da.simulate(equations, equations.start(**rest, **velocities, back=-front, front=front), until=1.0)
        moved.append(math.hypot(path["x"][-1], path["y"][-1]))
    assert moved[0] > 1e-2
    assert moved[1] < 1e-12
