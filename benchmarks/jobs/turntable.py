"""A ball on a turning table: an engine with friction against the exact circle.

A homogeneous ball that rolls without slipping moves on a circle with 2/7 of the table's angular velocity.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import dalembert as da
from dalembert.systems import ball_on_turntable as machine

from ..contest import Bar, Contest, Job, Measured, alternate, clock, duration, need

RADIUS, DENSITY, OMEGA, END = 0.0127, 7800.0, 2.0, 20.0  # m, kg/m^3, 1/s, s
START = {"x": 0.1, "y": 0.0, "vx": 0.0, "vy": 0.05, "w3": 0.0}
DEFAULT = (2e-3, "implicitfast", 0.02, 0.9)  # step in s, integrator, time of the contact's spring in s, its impedance
# two steps are the stiffest contact that the engine takes; RK4 was no more accurate
TUNED = [(step, "implicitfast", 2 * step, 0.99) for step in (2e-3, 5e-4, 1e-4)]

SCENE = """
<mujoco>
  <default><geom solref="{spring} 1" solimp="{impedance} {impedance} 0.001"/></default>
  <option timestep="{step}" integrator="{integrator}" cone="elliptic" impratio="100" tolerance="1e-14"
    noslip_iterations="20" gravity="0 0 -9.81"/>
  <worldbody>
    <body name="table">
      <joint name="axis" type="hinge" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1e6" diaginertia="1e6 1e6 1e6"/>
      <geom type="cylinder" size="2 0.1" pos="0 0 -0.1" friction="10 0 0" condim="3" mass="0"/>
    </body>
    <body name="ball" pos="0 0 {radius}">
      <freejoint/>
      <geom type="sphere" size="{radius}" density="{density}" friction="10 0 0" condim="3"/>
    </body>
  </worldbody>
</mujoco>
"""


def _exact() -> np.ndarray:
    """(x, y) at END."""
    ball = machine.solid_ball(RADIUS, DENSITY)
    first = [START[n] for n in machine.EXACT]
    return machine.exact(END, first, {**ball, "Omega": OMEGA})[:2]


@cache
def _equations() -> da.nouns.Equations:
    return da.nonholonomic(machine.system(machine.solid_ball(RADIUS, DENSITY), Omega=OMEGA))


def _ours() -> np.ndarray:
    path = da.simulate(_equations(), _start(), until=END, rtol=1e-12, dense=False, samples=[0.0, END])
    return np.array([path["x"][-1], path["y"][-1]])


@cache
def _start() -> da.nouns.Start:
    return _equations().start(R="identity", **START)


@cache
def _engine(step: float, integrator: str, spring: float, impedance: float) -> Any:
    """A function that runs the engine to END and gives the ball's (x, y)."""
    mujoco = need("mujoco")
    given = {"step": step, "integrator": integrator, "spring": spring, "impedance": impedance}
    text = SCENE.format(**given, radius=RADIUS, density=DENSITY)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    sunk = _rest_depth(mujoco, model, data)

    def run() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        start = _start()
        data.qpos[1:4] = start["x"], start["y"], RADIUS - sunk
        # free joint: velocities in the axes at rest, rotation in the ball's, the same at the start
        data.qvel[:] = OMEGA, start["vx"], start["vy"], 0, start["w1"], start["w2"], start["w3"]
        mujoco.mj_step(model, data, round(END / step))
        return np.array(data.qpos[1:3])

    return run


def _rest_depth(mujoco: Any, model: Any, data: Any) -> float:
    """How deep the engine's ball rests in the table, so that the run begins at rest in height."""
    data.qpos[3] = RADIUS
    mujoco.mj_step(model, data, round(2.0 / model.opt.timestep))
    return float(RADIUS - data.qpos[3])


@cache
def _best() -> tuple[Any, float]:
    """The engine's most accurate run among its settings, and its error."""
    runs = [_engine(*given) for given in (DEFAULT, *TUNED)]
    errors = [float(np.linalg.norm(run() - _exact())) for run in runs]
    best = int(np.argmin(errors))
    return runs[best], errors[best]


def _error() -> Measured:
    theirs = _best()[1]
    ours = float(np.linalg.norm(_ours() - _exact()))
    return Measured(theirs / ours if ours else np.inf, f"{ours:.1e}", f"{theirs:.1e}")


def _cost() -> Measured:
    """Per simulated second, against the engine at its default step: its cheapest run."""
    return alternate(_ours, _engine(*DEFAULT), rounds=9).share(END, END)


def _cost_of_the_best() -> Measured:
    run = _best()[0]
    ours = min(clock(_ours) for _ in range(5))
    theirs = min(clock(run) for _ in range(2))
    return Measured(ours / theirs, duration(ours / END), duration(theirs / END))


JOB = Job(
    "turntable",
    "A ball on a turning table for 20 s, against MuJoCo: error in m, cost of 1 s",
    [
        Contest("error", "its best run: error by ours", Bar(">=", 1e6), _error),
        Contest("cost", "its default: time over its", Bar("<=", 1.0), _cost),
        Contest("best cost", "its best run: time over its", None, _cost_of_the_best),
    ],
)
