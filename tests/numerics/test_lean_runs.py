"""Runs in the speeds of the lean form are the runs of the equations as written, near poles of a chart too.

Tolerances of single states leave the equations as they are written, so that the same public call makes both.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import live
from dalembert.calculus.node_store import LEAVES
from dalembert.numerics import policy
from dalembert.numerics.vector_field import compiled_kernel
from dalembert.numerics.vector_field.kernel_plan import in_speeds
from dalembert.systems import car_with_trailers, wheeled_snake
from zoo import GALLERY, ZOO

ATOL = 1e-13


def both(equations, start, **options):
    """The same run in speeds and as written."""
    each = dict.fromkeys(equations.states, ATOL)
    return [da.simulate(equations, start, **options, atol=atol) for atol in (ATOL, each)]


def in_speeds_of(path):
    return path.dense.field.lean is not None


def apart(first, second):
    """The largest difference of two paths, over the size of each column."""
    t = np.linspace(first.t[0], first.t[-1], 40)
    a, b = first.at(t), second.at(t)
    return max(float(np.abs(a[n] - b[n]).max() / (1 + np.abs(b[n]).max())) for n in first.names)


def random_start(equations, seed=5):
    rng = np.random.default_rng(seed)
    values = {**equations.space.sample(rng), **{u.name: 0.3 * rng.normal() for u in equations.space.velocities}}
    return equations.start(**{name: values[name] for name in equations.states}, project="kinetic")


@pytest.mark.parametrize("method", ["dop853", "taylor"])
@pytest.mark.parametrize("name", ["disc", "ball", "snakeboard"])
def test_motions_are_those_of_the_equations_as_written(name, method):
    equations = (GALLERY if name in GALLERY.names else ZOO).equations(name)
    first, second = both(equations, random_start(equations), until=2.0, method=method)
    assert in_speeds_of(first) and not in_speeds_of(second)
    assert first.audit.ok and second.audit.ok
    assert apart(first, second) < 1e-10


@pytest.mark.parametrize("lean", [True, False])
@pytest.mark.parametrize("name", ["disc", "snakeboard"])
def test_compiled_equations_tell_their_pivots(name, lean, monkeypatch):
    # the reciprocals at the start are the same whether the formulas or the margin tell them, of either sign
    equations = (GALLERY if name in GALLERY.names else ZOO).equations(name)
    start = random_start(equations)
    field = policy.Policy(atol=ATOL if lean else dict.fromkeys(equations.states, ATOL)).leanest_field(equations, start)
    assert (field.lean is not None) == lean and (*field.kernel.pivots, *field.kernel.charts)
    found = []
    for least in (math.inf, -1):
        monkeypatch.setattr(compiled_kernel, "LONG", least)
        found.append(field.with_kernel(replace(field.kernel)).p)
    np.testing.assert_allclose(*found, rtol=1e-13)


def test_the_work_of_moving_constraints_is_counted():
    # the ball's table turns and its friction takes energy: the balance of the audit holds to rounding
    equations = ZOO.equations("ball")
    path, _ = both(equations, random_start(equations), until=3.0)
    assert in_speeds_of(path) and abs(path.audit.energy_change) > 1e-2
    assert path.audit.work_balance < 1e-11 * path.audit.energy_scale


@pytest.fixture(scope="module")
def swinging():
    """Three speeds in a row whose entries all pass through 0: whichever goes, its place is a pole somewhere."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    row = sp.cos(x) * vx + sp.sin(y + 1) * vy + sp.cos(z + 2) * vz
    return da.nonholonomic(da.System(q, (vx**2 + 2 * vy**2 + vz**2) / 2 - sp.sin(x) - y, {"row": row}))


@pytest.fixture
def in_lean_form(monkeypatch):
    """Also where a step in it is longer than one as written."""
    monkeypatch.setattr(policy, "leaner", lambda *_: True)


def chosen(path):
    """The charts of a path, by their pivots."""
    return [leg.field.lean.chosen if leg.field.lean else None for leg in path.dense.legs]


def test_a_start_at_a_pole_is_run_in_another_chart(swinging, in_lean_form):
    moving = {"vx": 0.3, "vy": 0.1, "vz": 0.2}
    places = [{"x": np.pi / 2}, {"y": -1.0}, {"z": np.pi / 2 - 2}]
    starts = [swinging.start(**{"x": 0.1, "y": 0.0, "z": 0.0, **at, **moving}, project="kinetic") for at in places]
    made = [both(swinging, start, until=0.5) for start in starts]
    assert len({chosen(first)[0] for first, _ in made} - {None}) > 1
    assert all(in_speeds_of(first) for first, _ in made)
    assert all(apart(first, second) < 1e-10 for first, second in made)


def test_walls_are_met_at_the_same_times():
    equations = ZOO.equations("sleigh")
    x = equations.space["x"]
    wall = da.impacts.wall(equations.system, 1 - x, name="wall", restitution=0.7)
    start = {"x": 0, "y": 0, "theta": 0.2, "vx": 1.0, "omega": 0.4}
    first, second = both(equations, start, until=4.0, events=[wall])
    assert in_speeds_of(first)
    assert len(first.marks["wall"].t) > 0
    np.testing.assert_allclose(first.marks["wall"].t, second.marks["wall"].t, rtol=1e-10)
    assert apart(first, second) < 1e-9


def test_members_in_lanes_are_single_runs(swinging, in_lean_form):
    x = np.linspace(0.0, np.pi, 7)  # over the pole at pi/2
    ends = da.sweep(swinging, starts={"x": x, "y": 0.0, "z": 0.0, "vy": 0.8, "vz": 0.3}, until=0.4, rtol=1e-10)
    for i, x0 in enumerate(x):
        start = {"x": x0, "y": 0.0, "z": 0.0, "vy": 0.8, "vz": 0.3}
        if int(ends["outcome"][i]):
            continue
        path = da.simulate(swinging, start, until=0.4, rtol=1e-10)
        for name in swinging.states:
            assert abs(float(ends[name][i]) - path.at(0.4)[name]) < 1e-12 * (1 + abs(path.at(0.4)[name]))


def test_what_depends_on_parameters_alone_is_computed_once_a_run():
    equations = ZOO.equations("disc")
    plan = in_speeds(equations, equations.lean)
    rhs, moving = plan.functions["rhs"], 0
    graph = rhs.graph
    for name in (*plan.states, "t"):
        moving |= graph.reach[graph.symbol(name).index]
    still = [i for i in live(rhs.outputs) if graph.nodes[i][0] not in LEAVES and not graph.reach[i] & moving]
    assert plan.preamble > 0
    assert not still


def test_multipliers_solved_for_in_numbers_are_those_by_elimination(monkeypatch):
    system, times = wheeled_snake.system(8), np.linspace(0, 0.5, 7)
    start = {**wheeled_snake.STARTS["bent"], **{f"theta{i}": 0.3 * np.sin(i) for i in range(1, 9)}}
    paths = []
    for most in (24, 0):
        monkeypatch.setattr(compiled_kernel, "ELIMINATED", most)
        paths.append(da.simulate(da.nonholonomic(system), start, until=0.5, samples=times))
    for name in (name for name in paths[0].names if name.startswith("lam")):
        np.testing.assert_allclose(paths[1][name], paths[0][name], atol=1e-11 * np.abs(paths[0][name]).max() + 1e-12)


@pytest.mark.parametrize("name", ["snake", "car"])
def test_operations_grow_in_proportion_to_the_links(name):
    make = {"snake": wheeled_snake.system, "car": car_with_trailers.system}[name]
    short, long = (da.nonholonomic(make(n)).lean.operations()["total"] for n in (10, 40))
    assert np.log(long / short) / np.log(4) < 1.1
