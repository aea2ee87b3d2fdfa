"""Reduced and reconstructed: the full simulation, to 1e-9."""

from functools import cache
from importlib import import_module

import numpy as np
import pytest
import sympy as sp

import dalembert as da

UNTIL = 3.0
Q4 = da.coordinates("x y th psi", velocities="vx vy w s")
# (gallery file, symmetry or None for the declared one, time)
CASES = {
    "sleigh": ("chaplygin_sleigh", None, UNTIL),
    "penny": ("penny", None, 9.0),  # the heading passes more than one turn
    "penny by shifts": ("penny", da.symmetry.translations("x y"), UNTIL),
    "disc": ("rolling_disc", None, 1.5),
    "robot": ("two_wheeled_robot", None, UNTIL),
    "heisenberg": ("heisenberg", None, UNTIL),
    "particle": ("nonholonomic_particle", None, UNTIL),
    "knife edge": ("knife_edge_on_incline", None, 5.0),
    "suslov": ("suslov", None, UNTIL),
    "ball": ("rolling_ball_on_plane", None, UNTIL),
    "veselova": ("veselova", None, 1.5),
    "chaplygin ball": ("chaplygin_ball", None, UNTIL),
    "routh": ("routh_sphere", None, 1.5),
    "racer": ("roller_racer", None, UNTIL),
    "snakeboard": ("snakeboard", None, UNTIL),
}


@cache
def made(name):
    module, symmetry, until = CASES[name]
    system = import_module(f"dalembert.systems.{module}").system()
    reduction = da.reduce(system, symmetry)
    return (
        import_module(f"dalembert.systems.{module}"),
        reduction,
        da.nonholonomic(system),
        da.nonholonomic(reduction.system),
        until,
    )


def run(equations, start, until):
    return da.simulate(equations, start, until=until, rtol=1e-12, atol=1e-13)


def both(name, moved=None):
    module, reduction, full, small, until = made(name)
    start = full.start(**{**module.START, **(moved or {})})
    path = run(small, small.start(**da.reduced_start(reduction, start)), until)
    return run(full, start, until), da.reconstruct(reduction, path, start), start


def test_the_audit_holds_the_constraints_of_the_whole_system():
    whole, found, _ = both("penny")
    assert found.audit.constraints.keys() == whole.audit.constraints.keys() == {"along", "across"}
    assert "(there are none)" not in str(found) and found.audit.constraint_residual < 1e-12


def same(one, other, upto=1e-9):
    t = np.linspace(0, one.t[-1], 23)
    a, b = one.at(t), other.at(t)
    quaternion = [n for n in other.names if n.startswith("R_")]
    sign = np.sign(sum(a[n] * b[n] for n in quaternion)) if quaternion else 1.0
    for n in other.names:
        expected = b[n] * (sign if n in quaternion else 1.0)
        assert np.abs(a[n] - expected).max() < upto * (1 + np.abs(a[n]).max()), n


@pytest.mark.parametrize("name", sorted(CASES))
def test_reduced_and_reconstructed_is_the_full_motion(name):
    full, found, start = both(name)
    same(full, found)
    assert {n: found.at(0.0)[n] for n in found.names} == pytest.approx({n: start[n] for n in found.names}, abs=1e-12)


AWAY = {
    "veselova": {"R": [[0.0, 0.6, 0.8], [0.8, -0.48, 0.36], [0.6, 0.64, -0.48]], "w1": 0.3, "w2": -0.2},
    "sleigh": {"x": 2.0, "y": -3.0, "theta": 6.0},
    "penny": {"x": -5.0, "y": 4.0, "phi": -6.0, "psi": 6.0},
    "disc": {"x": 3.0, "y": -1.0, "phi": 6.0, "psi": -6.0},
    "racer": {"x": 4.0, "y": 2.0, "theta": -6.0},
    "robot": {"x": 1.0, "y": 2.0, "theta": 6.0, "left": 5.0, "right": -4.0},
    "heisenberg": {"x": 2.0, "y": 3.0, "z": -4.0},
    "suslov": {"R": [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]},
}


@pytest.mark.parametrize("name", sorted(AWAY))
def test_starts_away_from_the_slice(name):
    full, found, _ = both(name, AWAY[name])
    same(full, found)


def test_angles_are_counted_beyond_a_turn():
    full, found, start = both("penny")
    assert abs(found["phi"][-1] - start["phi"]) > 2 * np.pi
    assert found["phi"][-1] == pytest.approx(full["phi"][-1], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("particle", "quadrature"),
        ("disc", "phi, psi by quadrature, then x, y by quadrature"),
        ("suslov", "integration"),
    ],
)
def test_the_order_of_quadratures(name, order):
    _, found, _ = both(name)
    assert order in found.provenance["order"]
    assert found.provenance["principle"] == "reconstructed"


def test_the_reduced_start_of_a_moved_start_is_the_same():
    # the whole point of reduction: it does not depend on the group
    for name in ("sleigh", "racer", "penny"):
        module, reduction, full, _, _ = made(name)
        angle = {"sleigh": "theta", "racer": "theta", "penny": "phi"}[name]
        start = full.start(**module.START)
        turn = np.exp(1.3j)
        v = turn * complex(start["vx"], start["vy"])
        place = turn * complex(start["x"], start["y"]) + 2 - 1j
        moved = {
            **dict(start.state),
            "x": place.real,
            "y": place.imag,
            angle: start[angle] + 1.3,
            "vx": v.real,
            "vy": v.imag,
        }
        one, other = (
            da.reduced_start(reduction, start),
            da.reduced_start(reduction, full.start(**moved)),
        )
        assert one == pytest.approx(other, abs=1e-11)


def test_another_start_is_refused():
    module, reduction, full, small, _ = made("sleigh")
    start = full.start(**module.START)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 0.5)
    other = full.start(**{**module.START, "omega": 0.9})
    with pytest.raises(da.DalembertError, match="E124 the path does not begin at this start: omega"):
        da.reconstruct(reduction, path, other)


def test_a_free_body_reduced_by_all_motions_of_space():
    s = da.SE3("x y z", frame="body")
    weights = (1, 1, 1, 2, 3, 4)
    L = sum(w * u**2 for w, u in zip(weights, s.velocities, strict=True)) / 2
    system = da.System(s, L, symmetry=[da.symmetry.translations("x y z"), da.symmetry.rotations("R", vectors="x y z")])
    reduction = da.reduce(system)
    full, small = da.free(system), da.free(reduction.system)
    tilt = [[0.8, -0.36, 0.48], [0.6, 0.48, -0.64], [0.0, 0.8, 0.6]]
    start = full.start(x=1.0, y=2.0, z=-1.0, R=tilt, v1=0.3, v2=-0.2, v3=0.5, w1=0.9, w2=-1.1, w3=0.4)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 3.0)
    same(run(full, start, 3.0), da.reconstruct(reduction, path, start))


def test_parameters_of_the_start_count():
    module, reduction, full, small, _ = made("sleigh")
    start = full.start(**module.START, parameters={"a": 0.9})
    path = run(small, small.start(**da.reduced_start(reduction, start), parameters={"a": 0.9}), 2.0)
    same(run(full, start, 2.0), da.reconstruct(reduction, path, start))


def test_a_force_that_the_group_leaves_alone():
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    c, s = sp.cos(theta), sp.sin(theta)
    push = {vx: c / 2 - vx, vy: s / 2 - vy, omega: -omega / 3}
    edge = {"edge": vx * s - vy * c}
    system = da.System(q, (vx**2 + vy**2 + omega**2) / 2, edge, push, symmetry=da.symmetry.euclidean("x y", "theta"))
    reduction = da.reduce(system)
    full, small = da.nonholonomic(system), da.free(reduction.system)
    start = full.start(x=1.0, y=-1.0, theta=2.0, vx=0.1, omega=0.8)
    path = run(small, small.start(**da.reduced_start(reduction, start)), 3.0)
    same(run(full, start, 3.0), da.reconstruct(reduction, path, start))


def test_a_reduced_start_bears_the_parameters_of_the_full_one():
    system = da.System(
        Q4,
        "m/2*(vx^2 + vy^2) + J/2*w^2 + s^2/2 - k*psi^2/2",
        {"blade": "vy*cos(th) - vx*sin(th) - a*w"},
        parameters={"m": 1.3, "J": 0.6, "a": 0.4, "k": 2.0},
        symmetry=[da.symmetry.euclidean("x y", "th")],
    )
    reduction, full = da.reduce(system), da.nonholonomic(system)
    start = full.start(x=0, y=0, th=0.3, psi=0.5, w=0.8, s=0.1, vx=0.5, parameters={"m": 2.0, "k": 5.0})
    path = da.simulate(da.nonholonomic(reduction.system), da.reduced_start(reduction, start), until=2)
    assert path.provenance["parameters"]["m"] == 2.0
    back, whole = da.reconstruct(reduction, path, start), da.simulate(full, start, until=2)
    assert [back.at(2)[n] for n in ("x", "psi")] == pytest.approx([whole.at(2)[n] for n in ("x", "psi")], abs=1e-9)


def test_a_row_whose_terms_vanish_at_the_start_is_judged_by_its_velocities():
    """0.2 sin t drives the blade sideways: at t = 0 nothing of the row is left, but the rounding of vy."""
    system = da.System(
        Q4,
        "1.3/2*(vx^2 + vy^2) + 0.3*w^2 + s^2/2",
        {"blade": "vy*cos(th) - vx*sin(th) - 0.2*sin(t)"},
        symmetry=[da.symmetry.euclidean("x y", "th")],
    )
    full, reduction = da.nonholonomic(system), da.reduce(system)
    for th in (0.5, 1.1, 2.3, -0.7):
        start = full.start(x=0.1, y=0.2, th=th, psi=0.3, w=0.8, s=0.6, vx=0.5)
        path = da.simulate(da.nonholonomic(reduction.system), da.reduced_start(reduction, start), until=1)
        assert da.reconstruct(reduction, path, start).ok
