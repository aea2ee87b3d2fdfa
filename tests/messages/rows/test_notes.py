"""Doubts appear once, have a code, and stay with the result; notes stay with the result."""

import warnings

import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.events import compiled_guards
from dalembert.systems import chaplygin_sleigh as sleigh

q = da.coordinates("x y")
x, y, vx, vy = q
T = (vx**2 + vy**2) / 2
a, va = sp.symbols("a va")
M = sp.Symbol("M")
START = {"x": 0, "y": 0, "vx": 1, "vy": 0}


def run(system=None, start=START, principle=da.free, **more):
    return da.simulate(principle(system or da.System(q, T)), start, **{"until": 1.0, **more})


def seen(call):
    """What it returns, and the doubts that were shown."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [str(w.message) for w in caught]


DOUBTED = {
    "of the system": ("W119", lambda: run(da.System(q, T, parameters={"Omega": 2.0}))),
    "of gravity": ("W125", lambda: run(da.System(q, T + y, up="y"))),
    "of a force": ("W129", lambda: run(da.System(q, T, forces={"vy": -sp.sign(vy)}), {**START, "vy": 3})),
    "of the constraints": (
        "W113",
        lambda: run(
            da.System(q, T, {"b": vy - x * vx, "c": 2 * vy - 2 * x * vx}), {"x": 0, "y": 0, "vx": 1}, da.nonholonomic
        ),
    ),
    "of the start": ("W209", lambda: run(da.System(da.angle("a"), va**2 / 2 + sp.cos(a)), {"a": 90, "va": 0})),
    "of a start made before": (
        "W209",
        lambda: run(pendulum := da.System(da.angle("a"), va**2 / 2 + sp.cos(a)), da.free(pendulum).start(a=90, va=0)),
    ),
    "of a scale": ("W208", lambda: run(da.System(q, M * T, parameters={"M": 1.0}), parameters={"M": 1e120})),
    "of a tolerance": ("W306", lambda: run(rtol=1e-3)),
    "of a wall": (
        "W240",
        lambda: run(room := da.System(q, T, walls={"floor": y}), {**START, "y": -1}, events=da.impacts.walls(room)),
    ),
    "of a method": (
        "W308",
        lambda: run(
            da.System(q, T, {"b": vy - x * vx}, {"vx": -vx}),
            {"x": 0, "y": 0, "vx": 1},
            da.nonholonomic,
            method="dla",
            step=0.1,
        ),
    ),
}


@pytest.mark.parametrize("case", DOUBTED)
def test_a_doubt_is_shown_once_and_stays_with_the_path(case):
    code, call = DOUBTED[case]
    path, shown = seen(call)
    assert [text.split()[0] for text in shown] == [code]
    assert shown[0] in path.audit.notes
    assert shown[0].split(":")[0][:60] in str(path) or len(path.audit.notes) > 3


def test_a_start_keeps_what_is_doubted_of_it():
    start, shown = seen(lambda: da.free(da.System(da.angle("a"), va**2 / 2 + sp.cos(a))).start(a=90, va=0))
    assert [str(note) for note in start.notes] == shown
    assert shown[0] in " ".join(str(start).split())  # folded there


def test_a_wall_keeps_what_is_doubted_of_it():
    slope = da.System(q, (2 * vx**2 + 2 * vx * vy + vy**2) / 2)
    grip = {"constraints": {"grip": vx}, "restitution": {"normal": 0.9, "grip": 0.0}}
    wall, shown = seen(lambda: da.impacts.wall(slope, guard=y, **grip))
    assert [text.split()[0] for text in shown] == ["W131"]
    path, again = seen(lambda: run(slope, {**START, "y": 1}, events=[wall]))
    assert not again
    assert shown[0] in path.audit.notes


NOTED = {
    "positions": ("N115", lambda: da.System(q, T, {"b": x - y}).notes),
    "integrable alone": ("N116", lambda: da.nonholonomic(da.System(q, T, {"b": x * vx + y * vy})).notes),
    "integrable together": ("N116", lambda: da.examine(both()).notes),
    "Chetaev": ("N117", lambda: da.nonholonomic(da.System(q, T, {"b": vx**2 + vy**2 - 1})).notes),
    "time": ("N120", lambda: da.free(da.System(q, T + x * sp.sin(sp.Symbol("t")))).notes),
    "growth": ("N141", lambda: run(sleigh.system(), sleigh.START, da.nonholonomic).audit.notes),
    "never": ("N309", lambda: run(events=[da.Event("far", x - 100)]).audit.notes),
}


def both():
    """Two rows, neither of which can be integrated; their difference is w' = 0."""
    space = da.coordinates("x y z w")
    Y, (VX, VY, VZ, VW) = space["y"], space.velocities
    rows = {"b": VZ - VW - Y * VX, "c": VZ - 2 * VW - Y * VX}
    return da.System(space, (VX**2 + VY**2 + VZ**2 + VW**2) / 2, rows)


@pytest.mark.parametrize("case", NOTED)
def test_a_note_stays_with_the_result(case):
    code, call = NOTED[case]
    assert code in [str(note).split()[0] for note in call()]


# --- 79: a guard that only touches 0 ---------------------------------------------------------------------------------

TOUCHES = {
    "smooth": (((x - sp.Rational(1, 2)) ** 2), 1, "counted"),
    "many": (sp.cos(20 * x) - 1, 3, "counted"),
    "with a kink": (sp.Abs(x - sp.Rational(1, 2)), 0, "t = 0.5"),
    "from below": (-sp.Abs(x - sp.Rational(1, 4)), 0, "t = 0.25"),
    "always": (vy, 0, "throughout"),
}


@pytest.mark.parametrize("case", TOUCHES)
def test_a_touch_is_noted(case):
    guard, count, said = TOUCHES[case]
    path = run(events=[da.Event("edge", guard)])
    assert len(path.marks["edge"]) == count
    found = [note for note in path.audit.notes if note.startswith("N312")]
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize("guard", [x - sp.Rational(1, 2), (x - sp.Rational(1, 2)) ** 3, x - 2, 1 + x**2, x, x**2])
def test_what_passes_or_stays_away_is_no_touch(guard):
    path = run(events=[da.Event("edge", guard)])
    assert not [note for note in path.audit.notes if note.startswith("N312")]


def test_an_event_that_acts_is_no_touch():
    q1 = da.coordinates("h")
    ball = da.free(da.System(q1, q1["vh"] ** 2 / 2 - q1["h"]))
    bounce = da.Event("floor", q1["h"], {"vh": -q1["vh"]}, -1)
    stop = da.Event("stop", q1["h"], "stop")
    for event in (bounce, stop):
        path = da.simulate(ball, {"h": 1, "vh": 0}, until=3.0, events=[event])
        assert not [note for note in path.audit.notes if note.startswith("N312")]


def test_a_guard_that_is_not_seen_through_is_doubted(monkeypatch):
    monkeypatch.setattr(compiled_guards, "LOOKED", 2000)
    fast = da.Event("fast", sp.sin(10**7 * x))
    path = run(events=[fast])
    assert "W311" in " ".join(path.audit.notes)
    assert path.audit.verdict == "suspect"
    assert "'fast'" in " ".join(path.audit.reasons)
