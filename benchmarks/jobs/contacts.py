"""A block slides down an incline, stops, and is held there by friction; a mass on a driven belt sticks and slips.

The closed solution of the first beside ours and an engine; of the second the cost of its changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import dalembert as da

from ..contest import Bar, Contest, Job, Measured, alternate, need

SLOPE, MU, SPEED, END, G = 0.2, 0.4, 1.0, 3.0, 9.81
SETTLED = 2.0  # s: from here on it rests
STEPS = (2e-3, 5e-4, 1e-4)
STOP = SPEED**2 / (2 * G * (MU * math.cos(SLOPE) - math.sin(SLOPE)))  # m

SCENE = """
<mujoco>
  <default><geom solref="{spring} 1" solimp="{impedance} {impedance} 0.001"/></default>
  <option timestep="{step}" integrator="implicitfast" cone="elliptic" impratio="100" tolerance="1e-14"
    noslip_iterations="{noslip}" gravity="{along} 0 {down}"/>
  <worldbody>
    <geom type="plane" size="50 50 0.1" friction="{mu} 0 0" condim="3"/>
    <body name="block" pos="0 0 0.1">
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
      <geom type="box" size="0.1 0.1 0.1" mass="1" friction="{mu} 0 0" condim="3"/>
    </body>
  </worldbody>
</mujoco>
"""


@cache
def _block() -> da.nouns.Equations:
    q = da.coordinates("x y")
    x, y, vx, vy = q
    L = (vx**2 + vy**2) / 2 + G * (math.sin(SLOPE) * x - math.cos(SLOPE) * y)
    return da.nonholonomic(da.System(q, L, contacts={"floor": da.contact(gap=y, slip=[vx], mu=MU)}))


def _ours(rtol: float = 1e-9) -> np.ndarray:
    """x at SETTLED and at END."""
    start = {"x": 0, "y": 0, "vx": SPEED, "vy": 0}
    return da.simulate(_block(), start, until=END, rtol=rtol, samples=[0.0, SETTLED, END])["x"][1:]


@cache
def _engine(step: float, tuned: bool) -> Callable[[], np.ndarray]:
    """Runs the engine: x at SETTLED and at END."""
    mujoco = need("mujoco")
    given: dict[str, Any] = {"step": step, "mu": MU, "along": G * math.sin(SLOPE), "down": -G * math.cos(SLOPE)}
    # two steps are the stiffest contact that the engine takes
    given |= {"spring": 2 * step if tuned else 0.02, "impedance": 0.99 if tuned else 0.9, "noslip": 20 if tuned else 0}
    model = mujoco.MjModel.from_xml_string(SCENE.format(**given))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(2.0 / step))
    sunk = float(data.qpos[2])

    def run() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = (0, 0, sunk), (SPEED, 0, 0)
        mujoco.mj_step(model, data, round(SETTLED / step))
        first = float(data.qpos[0])
        mujoco.mj_step(model, data, round((END - SETTLED) / step))
        return np.array([first, float(data.qpos[0])])

    return run


def _creep(step: float, tuned: bool) -> Measured:
    ours, theirs = (abs(x[1] - x[0]) / (END - SETTLED) for x in (_ours(), _engine(step, tuned)()))
    return Measured(ours, f"{ours:.1e}", f"{theirs:.1e}")


def _error(step: float) -> Measured:
    ours, theirs = (abs(float(x[0]) - STOP) for x in (_ours(), _engine(step, True)()))
    return Measured(ours / theirs, f"{ours:.1e}", f"{theirs:.1e}")


def _order() -> Measured:
    """By which power of its step the engine's error falls; of rtol ours, on a belt, where it is not rounding."""
    errors = [abs(float(_engine(step, True)()[0]) - STOP) for step in STEPS]
    theirs = float(np.polyfit(np.log(STEPS), np.log(errors), 1)[0])
    rtols = (1e-5, 1e-7, 1e-9)
    exact = _belt_end(1e-13)
    ours = float(np.polyfit(np.log(rtols), np.log([abs(_belt_end(rtol) - exact) for rtol in rtols]), 1)[0])
    return Measured(ours, f"{ours:.2f}", f"{theirs:.2f}")


def _cost(step: float) -> Measured:
    timing = alternate(_ours, _engine(step, True), rounds=9, seconds=4)
    return timing.share(END, END)


@cache
def _belt(rough: bool) -> da.nouns.Equations:
    """A mass on a stiffening spring, driven, which sticks to a belt and slips; or slides on it always."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    belt = da.contact(gap=y, slip=[vx - 0.5], mu=0.3 if rough else 0, mu_static=0.4 if rough else None)
    return da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - 5 * x**2 - 3 * x**4 - G * y, contacts={"belt": belt}))


def _belt_run(rough: bool, rtol: float = 1e-9, end: float = 100.0) -> da.nouns.Trajectory:
    start = {"x": 0, "y": 0, "vx": 0.5, "vy": 0}
    return da.simulate(_belt(rough), start, until=end, rtol=rtol)


@cache
def _belt_end(rtol: float) -> float:
    return float(_belt_run(True, rtol, 90.0)["x"][-1])


def _events() -> Measured:
    """Of a motion with changes of contact and of one without, the times by their steps."""
    return alternate(lambda: _belt_run(True), lambda: _belt_run(False), rounds=9, seconds=6).share()


def _many(rough: bool) -> Any:
    starts = {"x": np.linspace(0, 0.1, 32), "y": 0, "vx": 0.5, "vy": 0}
    return da.sweep(_belt(rough), starts=starts, until=50.0, rtol=1e-9, jobs=1)


def _members() -> Measured:
    """Of a sweep whose members change their contacts and of one whose do not, the times by their steps."""
    need("xarray")
    return alternate(lambda: _many(True), lambda: _many(False), rounds=3, seconds=4).share()


JOB = Job(
    "contacts",
    "A block that stops on an incline, against MuJoCo; a mass on a driven belt",
    [
        Contest("creep", "creep while it sticks: m/s", Bar("<=", 1e-15), lambda: _creep(2e-3, False)),
        Contest("creep tuned", "  with its noslip, 2 ms", Bar("<=", 1e-15), lambda: _creep(2e-3, True)),
        Contest("error", "where it stops, 2 ms: error", Bar("<=", 1.0), lambda: _error(2e-3)),
        Contest("error small", "  0.1 ms", Bar("<=", 1.0), lambda: _error(1e-4)),
        Contest("cost", "1 s of it, 2 ms: time", None, lambda: _cost(2e-3)),
        Contest("cost small", "  0.1 ms", None, lambda: _cost(1e-4)),
        Contest("order", "order in rtol, in its step", Bar(">=", 0.8), _order),
        Contest("changes", "belt: over no friction", Bar("<=", 1.5), _events),
        Contest("members", "32 of them in a sweep", Bar("<=", 1.5), _members),
    ],
)
