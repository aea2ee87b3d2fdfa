"""Plants whose contacts change their modes: step by step is one run, nothing creeps, copies go on alone."""

import math
from functools import cache

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.plant import motion

m, g = 2.0, 9.81
REST = {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}
FORCES = {"forces": {"x": "F", "y": "G"}, "inputs": "F G"}


@cache
def block(restitution=0.0):
    """A block of 2 kg on a rough floor, pushed along it by F and off it by G."""
    q = da.coordinates("x y")
    floor = da.contact(gap=q["y"], slip=[q["vx"]], mu=0.3, mu_static=0.4, restitution=restitution)
    L = m * (q["vx"] ** 2 + q["vy"] ** 2) / 2 - m * g * q["y"]
    return da.nonholonomic(da.System(q, L, **FORCES, contacts={"floor": floor}))


@cache
def cart():
    """A robot in the plane of its wheels: two of them on the floor, driven by one torque; it tips where it is hard."""
    q = da.coordinates("x y th a b")
    y, vx, vy, vth = (q[name] for name in ("y", "vx", "vy", "vth"))
    L = 5 * (vx**2 + vy**2) / 2 + 0.4 * vth**2 / 2 + 0.02 * (q["va"] ** 2 + q["vb"] ** 2) / 2 - 5 * g * y
    # wheels of radius 0.1 at -0.3 and 0.3 beside the middle, which is 0.2 above their axles
    places = {"rear": -0.3, "front": 0.3}
    contacts = {}
    for (name, at), wheel in zip(places.items(), ("va", "vb"), strict=True):
        height = f"y + ({at})*sin(th) - 0.2*cos(th) - 0.1"
        slip = f"vx - ({at})*sin(th)*vth + 0.2*cos(th)*vth - 0.1*{wheel}"
        contacts[name] = da.contact(gap=height, slip=[slip], mu=0.6)
    forces = {"va": "tau", "vb": "tau", "vth": "2*tau"}
    return da.nonholonomic(da.System(q, L, forces=forces, inputs="tau", contacts=contacts))


STANDS = {"x": 0, "y": 0.3, "th": 0, "a": 0, "b": 0, "vx": 0, "vy": 0, "vth": 0, "va": 0, "vb": 0}


def steps(plant, given):
    """States after each step (steps, states)."""
    return np.array(
        [
            [*plant.step(dict(zip(given, map(float, row), strict=True))).values()]
            for row in zip(*given.values(), strict=True)
        ]
    )


def with_tables(equations, start, given, step):
    """States of a plant after its steps, the plant, and the run with the same inputs held."""
    plant, count = da.plant(equations, start, step=step), len(next(iter(given.values())))
    rows = steps(plant, given)
    tables = {name: (np.arange(count) * step, values) for name, values in given.items()}
    return rows, plant, da.simulate(equations, start, until=count * step, inputs=tables)


def same(rows, plant, path, step, abs=1e-12):
    at = path.at(step * np.arange(1, len(rows)))
    for i, name in enumerate(plant.states):
        assert rows[:-1, i] == pytest.approx(at[name], abs=abs), name
        assert rows[-1, i] == pytest.approx(path[name][-1], abs=abs), name
    assert [said[1:] for said in plant.modes] == [said[1:] for said in path.modes]
    assert [said[0] for said in plant.modes] == pytest.approx([said[0] for said in path.modes], abs=abs)
    assert plant.audit.ok
    assert plant.audit.energy_change == pytest.approx(path.audit.energy_change, abs=1e-11)
    assert plant.work == pytest.approx(path.audit.energy_change, abs=1e-11)


k = np.arange(100)
DRIVEN = {
    "stick and slip": (block, REST, {"F": 10 * np.sin(k / 8), "G": 0 * k}),
    "hops": (lambda: block(0.5), {**REST, "y": 0.2, "vx": 1.0}, {"F": 3 * np.sin(k / 8), "G": 12 * np.cos(k / 20)}),
    "lifted": (block, {**REST, "vx": 1.0}, {"F": 0 * k, "G": np.where((k > 20) & (k < 40), 30.0, 0.0)}),
    "wheels": (cart, STANDS, {"tau": 1.5 + 2 * np.sin(k / 6)}),
}


@pytest.mark.parametrize(("make", "start", "given"), DRIVEN.values(), ids=DRIVEN)
def test_step_by_step_is_one_run(make, start, given):
    rows, plant, path = with_tables(make(), start, given, 0.02)
    assert path.ok, path.audit
    assert len(path.modes) > 1
    same(rows, plant, path, 0.02)


def test_what_sticks_stays_from_step_to_step_and_starts_at_mu_static():
    """A ramp of held forces: it begins at the first step whose force is more than mu_static N, and not before."""
    plant, pushes = da.plant(block(), REST, step=0.01), np.linspace(0, 9, 91)
    creep, begins = 0.0, 0.4 * m * g
    for push in pushes[pushes < begins]:
        state = plant.step({"F": push, "G": 0.0})
        creep = max(creep, abs(state["vx"]), abs(state["x"]))
    assert creep < 1e-15
    assert [said[1:] for said in plant.modes] == [("floor", "sticks")]
    before = plant.t
    push = float(pushes[pushes > begins][0])
    state = plant.step({"F": push, "G": 0.0})
    assert plant.modes[-1] == (pytest.approx(before, abs=1e-12), "floor", "slides")
    assert state["vx"] == pytest.approx((push - 0.3 * m * g) / m * 0.01, abs=1e-13)


@pytest.mark.parametrize("many", [2, 5])
def test_steps_may_be_cut_into_smaller_ones(many):
    given = {"F": 10 * np.sin(k[:40] / 4), "G": 0 * k[:40]}
    whole, cut = da.plant(block(), REST, step=0.05), da.plant(block(), REST, step=0.05 / many)
    rows = steps(whole, given)
    finer = steps(cut, {name: np.repeat(values, many) for name, values in given.items()})
    assert len(whole.modes) > 3
    assert finer[many - 1 :: many] == pytest.approx(rows, abs=1e-12)
    assert [said[1:] for said in cut.modes] == [said[1:] for said in whole.modes]


def test_copies_keep_their_modes_and_reset_begins_again():
    plant = da.plant(block(0.5), {**REST, "y": 0.1}, step=0.02)
    for _ in range(15):
        plant.step({"F": 9.0, "G": 0.0})
    twin, modes = plant.copy(), plant.modes
    here = [plant.step({"F": 0.0, "G": 0.0}) for _ in range(40)][-1]
    assert plant.modes != modes
    assert twin.modes == modes
    there = [twin.step({"F": 0.0, "G": 0.0}) for _ in range(40)][-1]
    assert dict(here) == dict(there)
    assert plant.modes == twin.modes
    plant.reset()
    assert plant.modes == []
    for _ in range(15):
        plant.step({"F": 9.0, "G": 0.0})
    assert plant.modes == modes


def test_impacts_happen_within_steps_and_give_no_energy():
    plant = da.plant(block(0.5), {**REST, "y": 1.0}, step=0.05)
    hits, energy = [], 9.81 * m
    for _ in range(40):
        state = plant.step({"F": 0.0, "G": 0.0})
        hits += plant.happened.get("floor", [])
        now = m * (state["vx"] ** 2 + state["vy"] ** 2) / 2 + m * g * state["y"]
        assert now <= energy + 1e-12
        energy = now
    fall = math.sqrt(2 / g)
    # 1, 2 e, 2 e^2, ... times the fall
    assert hits[:3] == pytest.approx([fall, 2 * fall, 2.5 * fall], abs=1e-12)
    assert plant.modes[-1] == (pytest.approx(3 * fall, abs=1e-9), "floor", "sticks")
    assert plant.work == pytest.approx(-m * g, abs=1e-10)


def test_members_may_be_in_different_modes():
    starts = {"x": 0.0, "y": [0.0, 0.5, 0.0], "vx": [0.0, 0.0, 1.0], "vy": 0.0}
    plants = da.plants(block(), starts, step=0.01)
    alone = [
        da.plant(block(), {n: float(np.broadcast_to(v, 3)[i]) for n, v in starts.items()}, step=0.01) for i in range(3)
    ]
    for push in np.linspace(0, 5, 30):
        state = plants.step({"F": push, "G": 0.0})
    rows = [[one.step({"F": float(push), "G": 0.0}) for push in np.linspace(0, 5, 30)][-1] for one in alone]
    assert [said[-1][2] for said in plants.modes] == ["sticks", "apart", "slides"]
    assert plants.modes == tuple(one.modes for one in alone)
    for name in plants.states:
        assert state[name].tolist() == [row[name] for row in rows]
    twin = plants.copy()
    plants.reset([2])
    assert plants.modes[2] == []
    assert twin.modes[2] == alone[2].modes


@pytest.mark.filterwarnings("ignore::UserWarning:gymnasium")  # of bounds
def test_environments_meet_contacts():
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    plant = da.plant(block(), REST, step=0.05)
    env = da.inputs.environment(
        plant, bounds={"F": (-10, 10), "G": (-1, 1)}, reward=lambda state, action: -abs(state["x"] - 1), length=50
    )
    check_env(env, skip_render_check=True)
    env.reset(seed=0)
    seen = env.step(np.array([7.0, 0.0]))[0]
    assert np.abs(seen).max() < 1e-15
    seen = env.step(np.array([9.0, 0.0]))[0]
    assert seen[2] == pytest.approx((9 - 0.3 * m * g) / m * 0.05)


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("E240", lambda: da.plant(block(), {**REST, "y": -0.1})),
        ("E185", lambda: da.plant(table(), {"z": 1.0, "vz": 0.0})),
        ("E139", lambda: da.plant(da.vakonomic(block().system), REST)),
        ("E203", lambda: da.plant(block(), REST).step({"F": math.nan, "G": 0.0})),
        ("E180", lambda: da.plant(block(), REST).step({"F": 1.0})),
    ],
)
def test_refusals(code, call):
    with pytest.raises(da.DalembertError) as refused:
        call()
    assert refused.value.code == code


def table():
    """A ball above a table whose height is an input."""
    contact = da.contact(gap="z - h", restitution=0.5)
    return da.nonholonomic(da.System(da.coordinates("z"), "vz^2/2 - 9.81*z", inputs="h", contacts={"table": contact}))


def test_an_event_that_stops_and_one_that_marks():
    q = block().system.space.by_name
    marks = [da.Event("middle", q["x"] - 0.01), da.Event("edge", q["x"] - 0.05, "stop")]
    plant, seen = da.plant(block(), REST, step=0.1, events=marks), []
    while not plant.stopped_by:
        plant.step({"F": 9.0, "G": 0.0})
        seen += plant.happened.get("middle", [])
    a = (9 - 0.3 * m * g) / m
    assert seen == pytest.approx([math.sqrt(0.02 / a)], abs=1e-12)
    assert plant.t == pytest.approx(math.sqrt(0.1 / a), abs=1e-12)
    with pytest.raises(da.DalembertError, match=r"E188 .*edge"):
        plant.step()


def struck(belt, step=0.25):
    """A point that comes to a wall at t = 1, where a belt rubs it."""
    q = da.coordinates("x y")
    x, _, vx, vy = q
    wall = da.contact(gap=x, slip=[vy - sp.Symbol("b")], mu=0.2, restitution=0.5)
    system = da.System(q, (vx**2 + vy**2) / 2, contacts={"wall": wall}, inputs="b")
    plant = da.plant(da.nonholonomic(system), {"x": 1, "y": 0, "vx": -1, "vy": 0}, step=step)
    told = []
    for b in belt:
        state = plant.step({"b": b})
        told.append((dict(plant.happened), state["vx"], state["vy"]))
    return told, plant


def test_what_happens_at_a_steps_very_end_is_that_steps_and_with_its_inputs():
    """The wall is met at t = 1 exactly: friction gives 0.2 (1 + e) towards where the belt runs until then."""
    for first, then in ((9.0, -9.0), (-9.0, 9.0)):
        told, plant = struck([first] * 4 + [then] * 2)
        assert [list(happened) for happened, _, _ in told] == [[], [], [], ["wall"], [], []]
        assert told[3][0]["wall"] == [1.0]
        for _, vx, vy in told[3:]:
            assert vx == pytest.approx(0.5, abs=1e-12)
            assert vy == pytest.approx(math.copysign(0.3, first), abs=1e-12)
        assert plant.t == 1.5


def test_a_plant_remembers_its_last_modes(monkeypatch):
    """It may go on without end: what it keeps of its modes does not grow."""

    def swung(steps):
        q = da.coordinates("x")
        x, vx = q
        ends = {"left": da.contact(gap=x), "right": da.contact(gap=1 - x)}
        equations = da.nonholonomic(da.System(q, vx**2 / 2, contacts=ends, forces={"x": "F"}, inputs="F"))
        plant = da.plant(equations, {"x": 0.5, "vx": 0}, step=1.0)
        most = 0
        for k in range(steps):
            plant.step({"F": 8.0 if k % 4 < 2 else -8.0})
            most = max(most, plant._motion._count)
        return plant.modes, most

    whole, _ = swung(24)
    monkeypatch.setattr(motion, "KEPT", 5)
    found, most = swung(24)
    assert len(whole) > 12
    assert found == whole[-5:]
    assert most <= 10
