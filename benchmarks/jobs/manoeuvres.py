"""Least squares of inputs between two states, against the method of opty's gallery, by hand in CasADi on its mesh."""

from __future__ import annotations

from functools import cache, partial

import dalembert as da

from .. import manoeuvres
from ..contest import Bar, Contest, Job, Measured, clock, duration, need
from ..manoeuvres import ByHand, Problem

HOW = {
    "parking": {"steps": 120, "tries": 3},
    "swing_up": {"steps": 100, "tries": 1},
    "hill": {"steps": 120, "tries": 1},
}


@cache
def _problem(name: str) -> Problem:
    made: Problem = getattr(manoeuvres, name)()
    return made


@cache
def _ours(name: str) -> da.nouns.Manoeuvre:
    need("casadi")
    return _problem(name).steer(**HOW[name])


@cache
def _theirs(name: str) -> ByHand:
    """From our answer as the first guess, so that both are at the same of several minima."""
    return manoeuvres.near(_problem(name), _ours(name), _problem(name).nodes)


def _missed(name: str) -> Measured:
    """By how much the motion of the inputs misses the end, of a state in base SI at most."""
    ours = max(map(abs, _ours(name).missed.values()))
    theirs = _problem(name).missed(_theirs(name).t, _theirs(name).inputs)
    return Measured(theirs / ours, f"{ours:.1e}", f"{theirs:.1e}")


def _cost(name: str) -> Measured:
    ours, theirs = _ours(name).cost, _theirs(name).cost
    return Measured(ours / theirs, f"{ours:.6g}", f"{theirs:.6g}")


def _time(name: str) -> Measured:
    """Ours with its derivation, its first guesses, its finer meshes and its runs; theirs from our answer."""
    problem, found = _problem(name), _ours(name)
    ours = clock(lambda: problem.steer(**HOW[name]))
    theirs = clock(lambda: manoeuvres.near(problem, found, problem.nodes))
    return Measured(ours / theirs, duration(ours), duration(theirs))


def _lines(name: str, what: str) -> list[Contest]:
    return [
        Contest(name, f"{what}: miss by ours", Bar(">=", 1e3), partial(_missed, name)),
        Contest(f"{name}, cost", "  objective over theirs", None, partial(_cost, name)),
        Contest(f"{name}, time", "  time over theirs", None, partial(_time, name)),
    ]


JOB = Job(
    "manoeuvres",
    "Least squares of inputs, against backward differences by hand in CasADi",
    [*_lines("parking", "a car parks"), *_lines("swing_up", "a pendulum up"), *_lines("hill", "over a hill")],
)
