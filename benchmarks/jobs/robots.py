"""Robots from their files: the right-hand side against Pinocchio's articulated-body algorithm, and the first motion."""

from __future__ import annotations

import importlib.util
import time
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np

import dalembert as da

from ..contest import Bar, Contest, Job, Measured, Missing, Timing, clock, duration, need

FILES = {"UR5": "ur5_robot.urdf", "Z1": "z1.urdf", "Talos": "talos_reduced.urdf"}
CALLS, SPAN = 2000, 0.2


@cache
def _path(robot: str) -> Path:
    """A file of the package example-robot-data."""
    need("pinocchio")
    found = importlib.util.find_spec("pinocchio")
    for root in Path(str(found and found.origin)).parents[:5]:
        for path in (root / "share" / "example-robot-data").rglob(FILES[robot]):
            return path
    raise Missing("example-robot-data not installed")


def _motion(robot: str) -> tuple[da.nouns.Equations, da.nouns.Start]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = da.from_urdf(_path(robot), dry=False).system
        equations = da.free(system)
        return equations, equations.start(dict.fromkeys(equations.states, 0.1))


def _share(robot: str) -> Measured:
    """A step's evaluations in a run over calls through Pinocchio's Python door, some 1 us of each."""
    pin = need("pinocchio")
    equations, start = _motion(robot)
    model = pin.buildModelFromUrdf(str(_path(robot)))
    data, q, v = model.createData(), pin.neutral(model), np.full(model.nv, 0.1)
    timing = Timing()

    def theirs() -> None:
        for _ in range(CALLS):
            pin.aba(model, data, q, v, v)

    for n in range(6):
        path = da.simulate(equations, start, until=SPAN, rtol=1e-9)
        seconds = (path.audit.seconds / path.nfev, clock(theirs) / CALLS)
        if n:  # the first is compiled
            timing.ours.append(seconds[0])
            timing.theirs.append(seconds[1])
    return timing.share()


def _first(robot: str) -> Measured:
    """From the file to the end of a first motion, in a process that has imported the library."""
    path = _path(robot)
    began = time.perf_counter()
    equations, start = _motion(robot)
    da.simulate(equations, start, until=SPAN, rtol=1e-9)
    seconds = time.perf_counter() - began
    return Measured(seconds, duration(seconds), path.name)


JOB = Job(
    "robots",
    "Robots: right-hand side over Pinocchio's aba; from the file to a motion, s",
    [
        Contest("UR5", "aba, 6 joints", Bar("<=", 2.0), partial(_share, "UR5")),
        Contest("Z1", "aba, 7 joints", Bar("<=", 2.0), partial(_share, "Z1")),
        Contest("Talos", "aba, 32 joints", Bar("<=", 3.0), partial(_share, "Talos")),
        Contest("UR5 first", "s, file to motion, 6 joints", Bar("<=", 3.0), partial(_first, "UR5")),
        Contest("Talos first", "s, file to motion, 32 joints", Bar("<=", 15.0), partial(_first, "Talos")),
    ],
)
