"""What events cost a run of the disc, alone and in an ensemble; and whether close pairs of zeros are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import dalembert as da

from .. import disc
from ..contest import Bar, Contest, Job, Measured, alternate

END = 100.0
THETA = sp.Symbol("theta", real=True)
MET, NEVER = da.Event("lean", THETA - 1.18), da.Event("never", THETA - 5)


def _run(*events: da.Event) -> Callable[[], da.nouns.Trajectory]:
    return lambda: da.simulate(disc.equations(), disc.start(), until=END, rtol=1e-12, events=list(events))


def _against_none(*events: da.Event) -> Measured:
    return alternate(_run(*events), _run(), rounds=30, seconds=3).share()


def _swept(*events: da.Event) -> Callable[[], Any]:
    sweep, table = disc.public("sweep"), disc.public("ensembles.table")
    starts = table(disc.many(8192))
    return lambda: sweep(disc.equations(), starts=starts, until=10.0, rtol=1e-9, jobs=1, events=list(events))


def _in_lanes() -> Measured:
    return alternate(_swept(MET), _swept(), rounds=7, seconds=8).share()


def _pairs() -> Measured:
    """Of 200 zeros of x = 1 - 1e-4 in 100 turns of an oscillator, in pairs within one step, the share that is found."""
    q = da.coordinates("x")
    x, v = q
    oscillator = da.free(da.System(q, v**2 / 2 - x**2 / 2))
    event = da.Event("close", x - (1 - sp.Float("1e-4")))
    path = da.simulate(oscillator, {"x": 0.0, "vx": 1.0}, until=200 * np.pi + 1, rtol=1e-9, events=[event])
    found = len(path.marks["close"])
    return Measured(found / 200, str(found), "200")


JOB = Job(
    "events",
    "Events: time of a run with them over that without",
    [
        Contest("never", "a guard that is never zero", Bar("<=", 1.5), lambda: _against_none(NEVER)),
        Contest("met", "one that is met often", Bar("<=", 1.5), lambda: _against_none(MET)),
        Contest("lanes", "  in an ensemble", None, _in_lanes),
        Contest("pairs", "close pairs, found of all", Bar(">=", 1.0), _pairs),
    ],
)
