"""Motions of variational constraints that come back up to a symmetry, whose multipliers it moves along.

Routes beside: the group takes motions to motions, the quotient by it has multipliers that it leaves alone, and shortest
curves of Heisenberg's system are known in closed form.
"""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.numerics.node_derivatives import Linearised
from dalembert.reconstruction.acting_group import group_of

q = da.coordinates("x y theta psi")
(x, y, theta, psi), (vx, vy, vtheta, vpsi) = q.coordinates, q.velocities
START = {"x": 0.4, "y": 0.7, "theta": 0.3, "psi": 0.0, "vtheta": 1.0, "vpsi": 1.0, "lam_a": 0.2, "lam_b": -0.1}


def wheel(factor=1):
    """An upright wheel of radius 1: a turn mixes x' = psi' cos(theta) and y' = psi' sin(theta)."""
    rows = {"a": factor * (vx - vpsi * sp.cos(theta)), "b": vy - vpsi * sp.sin(theta)}
    L = (vx**2 + vy**2 + 1.3 * vtheta**2 + 0.7 * vpsi**2) / 2
    return da.System(q, L, rows, symmetry=da.symmetry.euclidean("x y", headings="theta"))


@pytest.mark.parametrize("factor", [1, 2, 3 + sp.cos(theta)], ids=["mixed", "scaled", "mixed by the state"])
def test_the_group_takes_motions_to_motions(factor):
    equations = da.vakonomic(wheel(factor))
    group, c = group_of(equations, True), np.array([0.3, -0.2, 0.8])

    def end(state):
        path = da.simulate(equations, dict(zip(equations.states, state, strict=True)), until=3.0, rtol=1e-11)
        return np.array([path[name][-1] for name in equations.states])

    begun = np.array([equations.start(**START).state[name] for name in equations.states])
    moved = group.taken(c, begun, {})
    assert np.abs(moved[-2:] - begun[-2:]).max() > 0.05
    assert end(moved) == pytest.approx(group.taken(c, end(begun), {}), abs=1e-9)


def test_a_wheel_comes_back_elsewhere_as_its_quotient_comes_back():
    whole, small = da.vakonomic(wheel()), da.vakonomic(da.symmetry.quotient(wheel()).system)
    orbit = da.periodic(whole, START, period=6.0, symmetry=True)
    again = orbit.path.at(orbit.period)
    assert orbit.missed < 1e-9
    # momenta in the plane, vx - lam_a and vy - lam_b, stay: the wheel makes a whole turn
    assert math.remainder(orbit.drift["turn x y"], math.tau) == pytest.approx(0, abs=1e-7)
    assert [again["lam_a"], again["lam_b"]] == pytest.approx([orbit.start["lam_a"], orbit.start["lam_b"]], abs=1e-8)
    assert math.hypot(again["x"] - orbit.start["x"], again["y"] - orbit.start["y"]) > 0.5
    # in the wheel's own frame
    at, s, c = orbit.start, math.sin(orbit.start["theta"]), math.cos(orbit.start["theta"])
    turned = {"lam_a": c * at["lam_a"] + s * at["lam_b"], "lam_b": c * at["lam_b"] - s * at["lam_a"]}
    own = {"psi": at["psi"], "vx": at["vpsi"], "vy": 0.0, "vtheta": at["vtheta"], "vpsi": at["vpsi"], **turned}
    reduced = da.periodic(small, own, period=orbit.period)
    assert reduced.period == pytest.approx(orbit.period, abs=1e-7)
    assert [reduced.start[name] for name in own] == pytest.approx(list(own.values()), abs=1e-6)


def test_a_shortest_curve_of_heisenbergs_system_rises_by_its_area():
    space = da.coordinates("x y z")
    (x, y, _), (vx, vy, vz) = space.coordinates, space.velocities
    rises = da.symmetry.translations("z")
    system = da.System(space, (vx**2 + vy**2) / 2, {"rise": vz - (x * vy - y * vx) / 2}, massless="vz", symmetry=rises)
    # circles of the curvature lam, around once in 2 pi/lam
    start = {"x": 0.6, "y": -0.3, "z": 0.2, "vx": 0.5, "vy": 0.4, "lam_rise": 1.7}
    orbit = da.periodic(da.vakonomic(system), start, period=3.6, symmetry=True)
    lam, speed = orbit.start["lam_rise"], math.hypot(orbit.start["vx"], orbit.start["vy"])
    assert orbit.period == pytest.approx(math.tau / abs(lam), rel=1e-9)
    assert abs(orbit.drift["shift z"]) == pytest.approx(math.pi * (speed / lam) ** 2, rel=1e-8)
    assert orbit.trivial.all()


def test_rates_of_a_wheel_whose_place_has_no_mass():
    rows = {"a": vx - vpsi * sp.cos(theta), "b": vy - vpsi * sp.sin(theta)}
    equations = da.vakonomic(da.System(q, (1.3 * vtheta**2 + 0.7 * vpsi**2) / 2, rows, massless="vx vy"))
    begun, work = equations.start(**START), Linearised(equations, {})
    rates = evaluate(work.rates, work.values(np.array([begun.state[name] for name in work.names])))
    path, h = da.simulate(equations, START, until=0.1, rtol=1e-12), 1e-3
    # y' = (-3 y_0 + 4 y_1 - y_2)/(2 h) + O(h^2)
    slopes = [(-3 * path.at(0)[n] + 4 * path.at(h)[n] - path.at(2 * h)[n]) / (2 * h) for n in work.names]
    assert rates == pytest.approx(slopes, abs=2e-6)


def test_constraints_that_are_not_linear_are_refused():
    speed = {"pace": vx**2 + vy**2 - 1}
    system = da.System(q, (vx**2 + vy**2 + vtheta**2 + vpsi**2) / 2, speed, symmetry=da.symmetry.translations("x"))
    with pytest.raises(da.DalembertError, match="not linear") as refused:
        group_of(da.vakonomic(system), True)
    assert refused.value.code == "E335" and "quotient" in refused.value.remedy
