"""Plants in lanes: each has the bits of a plant alone, whatever becomes of the others."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics import policy
from driven import ROLLING, robot

SPIN = np.array([0.0, 0.3, 4.0, -2.0, 0.9])
PUSH = {"forces": {"vx": "F"}, "inputs": "F"}


@cache
def spring():
    """The stiffness is an input: the energy jumps with it."""
    return da.free(da.System(da.line("x"), "m*vx^2/2 - k*x^2/2", inputs="F k", forces={"vx": "F"}, parameters={"m": 1}))


def stepped(plants, alone, values):
    """Both after steps with values (steps, members, inputs), compared to the last bit after each."""
    for row in values:
        state = plants.step(row)
        ones = [one.step(one_row.tolist()) for one, one_row in zip(alone, row, strict=True)]
        for name in plants.states:
            np.testing.assert_array_equal(state[name], [one[name] for one in ones])
    np.testing.assert_array_equal(plants.work, [one.work for one in alone])
    np.testing.assert_allclose(plants.t, [one.t for one in alone], rtol=1e-15)


@cache
def swinging():
    """Three speeds in a row whose entries all pass through 0: whichever goes, its place is a pole somewhere."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    row = sp.cos(x) * vx + sp.sin(y + 1) * vy + sp.cos(z + 2) * vz
    return da.nonholonomic(da.System(q, (vx**2 + 2 * vy**2 + vz**2) / 2 - sp.sin(x) - y, {"row": row}, **PUSH))


def test_members_have_the_bits_of_single_plants():
    plants = da.plants(robot(), {**ROLLING, "omega": SPIN}, step=0.01)
    alone = [da.plant(robot(), {**ROLLING, "omega": float(omega)}, step=0.01) for omega in SPIN]
    stepped(plants, alone, np.random.default_rng(1).normal(size=(50, 5, 2)) / 20)


def test_members_that_come_near_a_pole_leave_the_lanes(monkeypatch):
    monkeypatch.setattr(policy, "leaner", lambda *_: True)
    x = np.linspace(0.0, np.pi, 7)
    start = {"y": 0.0, "z": 0.0, "vx": 0.5, "vy": 0.8}
    plants = da.plants(swinging(), {**start, "x": x}, step=0.05)
    alone = [da.plant(swinging(), {**start, "x": float(place)}, step=0.05) for place in x]
    stepped(plants, alone, np.random.default_rng(1).normal(size=(60, 7, 1)))
    assert 0 < len(plants._alone) < 7
    plants.reset()
    assert not plants._alone


def test_many_steps_within_a_step():
    """Stiffness 1e6: about thirty of the method's steps to one of the plants', some of them refused."""
    x, mass = np.linspace(0.5, 2.0, 11), np.geomspace(0.1, 10, 11)
    plants = da.plants(spring(), {"x": x, "vx": 0.0}, step=0.1, parameters={"m": mass})
    alone = [
        da.plant(spring(), {"x": float(a), "vx": 0.0}, step=0.1, parameters={"m": float(m)})
        for a, m in zip(x, mass, strict=True)
    ]
    rng = np.random.default_rng(2)
    values = np.stack([rng.normal(size=(6, 11)), 10.0 ** rng.uniform(2, 6, size=(6, 11))], axis=2)
    stepped(plants, alone, values)
    assert plants.work != pytest.approx(np.zeros(11), abs=1.0)


def test_starts_in_a_list_and_members_that_keep_other_rows():
    rod = da.nonholonomic(da.System(da.coordinates("x y"), "vx^2/2 + vy^2/2", {"rod": "x^2 + y^2 - 1"}, **PUSH))
    starts = [{"x": float(np.cos(a)), "y": float(np.sin(a)), "vx": float(-np.sin(a))} for a in (0.5, 1.5, 3.0)]
    plants = da.plants(rod, starts, step=0.02)
    stepped(plants, [da.plant(rod, start, step=0.02) for start in starts], np.full((80, 3, 1), 0.3))


def test_copies_go_on_alone_and_some_begin_again():
    plants = da.plants(robot(), {**ROLLING, "omega": SPIN}, step=0.01)
    values = np.full((5, 2), 0.1)
    first = plants.step(values)
    twin = plants.copy()
    here = [plants.step(values) for _ in range(4)][-1]
    there = [twin.step() for _ in range(4)][-1]
    for name in plants.states:
        np.testing.assert_array_equal(here[name], there[name])
    state = plants.reset([1, 3])
    assert plants.t == pytest.approx([0.05, 0.0, 0.05, 0.0, 0.05])
    assert state["vx"][[1, 3]].tolist() == [0.5, 0.5]
    with pytest.raises(da.DalembertError, match="E180"):
        plants.step()  # those that begin again have no inputs yet
    state = plants.step(values)
    for name in plants.states:
        np.testing.assert_array_equal(state[name][[1, 3]], first[name][[1, 3]])
    assert plants.reset(np.ones(5, bool))["x"].tolist() == [0.0] * 5


def test_inputs_by_name_and_held():
    plants = da.plants(spring(), {"x": np.zeros(3), "vx": 0.0}, step=0.5)
    plants.step({"F": [2.0, 4.0, 0.0], "k": 0.0})
    assert plants.step()["x"] == pytest.approx([1.0, 2.0, 0.0], abs=1e-13)
    assert plants.inputs == ("F", "k")


def test_where_one_cannot_go_on_all_stay():
    blow = da.free(da.System(da.line("x"), "vx^2/2", forces={"vx": "F*vx^2"}, inputs="F"))
    plants = da.plants(blow, {"x": 0.0, "vx": [1.0, 2.0, 3.0]}, step=0.5)
    plants.step([[0.1], [0.1], [0.1]])
    before = plants.state
    with pytest.raises(da.DalembertError, match=r"E4.* member 1"):
        plants.step([[0.0], [10.0], [0.0]])
    for name, column in plants.state.items():
        np.testing.assert_array_equal(column, before[name])
    assert plants.t == pytest.approx([0.5] * 3)
    plants.step([[0.0], [-1.0], [0.0]])


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("E180", {"F": 0.1}),
        ("E180", None),
        ("E181", {"F": 0.1, "k": 1.0, "G": 1.0}),
        ("E182", [0.1]),
        ("E182", 0.1),
        ("E182", np.zeros((2, 2))),
        ("E182", [["a", "b"]] * 3),
        ("E182", {"F": [1.0, 2.0], "k": 0.0}),
        ("E182", [[1.0], [1.0, 2.0]]),
        ("E203", {"F": float("nan"), "k": 0.0}),
        ("E203", [[0.0, 0.0], [0.0, np.inf], [0.0, 0.0]]),
    ],
)
def test_refused_steps(code, given):
    plants = da.plants(spring(), {"x": np.zeros(3), "vx": 0.0})
    with pytest.raises(da.DalembertError) as refused:
        plants.step(given)
    assert refused.value.code == code
    assert refused.value.remedy
    assert plants.t.tolist() == [0.0] * 3


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("E182", lambda: da.plants(robot(), ROLLING, step=0.0)),
        ("E307", lambda: da.plants(robot().system, ROLLING)),
        ("E307", lambda: da.plants(robot(), ROLLING, method="rk4")),
        ("E231", lambda: da.plants(robot(), {**ROLLING, "vy": [0.0, 1.0]})),
        ("E241", lambda: da.plants(robot(), {**ROLLING, "omega": [0.0, 1.0], "x": [0.0, 1.0, 2.0]})),
        ("E241", lambda: da.plants(robot(), 3)),
        ("E182", lambda: da.plants(robot(), ROLLING).reset([7])),
        ("E182", lambda: da.plants(robot(), ROLLING).reset("all")),
    ],
)
def test_refused_plants(code, call):
    with pytest.raises(da.DalembertError) as refused:
        call()
    assert refused.value.code == code


def test_members_with_walls_are_plants_of_their_own():
    walls = {"floor": {"guard": "x", "restitution": 0.8}}
    ball = da.free(da.System(da.line("x"), "vx^2/2 - 9.81*x", walls=walls, **PUSH))
    edge = da.Event("edge", da.line("x")["x"] - 1.3, then="stop")
    x = np.array([0.5, 1.0, 1.2])
    plants = da.plants(ball, {"x": x, "vx": [0.0, 0.0, 2.0]}, step=0.05, events=[edge])
    alone = [da.plant(ball, {"x": a, "vx": v}, step=0.05) for a, v in zip(x[:2].tolist(), (0.0, 0.0), strict=True)]
    for k in range(30):
        state = plants.step(np.full((3, 1), np.sin(k)))
        ones = [one.step([float(np.sin(k))]) for one in alone]
    assert state["x"][:2].tolist() == [one["x"] for one in ones]
    assert plants.stopped_by == ("", "", "edge")
    assert state["x"][2] == pytest.approx(1.3, abs=1e-13)
    assert plants.t[2] < 0.1
    assert plants.reset([2])["x"][2] == 1.2
