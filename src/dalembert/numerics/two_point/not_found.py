"""What is said where no start converged."""

from __future__ import annotations

import warnings

from ...errors import DalembertError, DalembertWarning, InvalidValue
from ..policy import Policy
from ..run.simulate import simulate
from .extremals import shown
from .setting import Setting
from .shooting import Shooting, Shot

STEPS = 10_000  # of a motion that is only to show where it ends
MOST = 5  # reasons that are told
NEARBY = 1e-3  # how far beside the nearest motion others are looked at, in scales


def refuse(setting: Setting, tried: int, nearest: Shot | None, aborted: str = "") -> DalembertError:
    """E334 with the nearest miss; where no motion ran at all, what its start was refused for.

    What the clock cut short is said first.
    """
    problem = setting.problem
    if nearest is None:
        return _stopped(setting, tried)
    unknown = dict(zip(problem.names, map(float, nearest.point), strict=True))
    missed = problem.end.distance(nearest.y)
    abnormal = (
        ", or be joined by abnormal curves alone, which are not looked for" if problem.names[problem.width :] else ""
    )
    return InvalidValue(
        "E334",
        f"{aborted}{'; ' * bool(aborted)}none of {tried} starts met the end; the nearest missed it by {missed:.3g}",
        "more starts (starts=500), guesses=[{...}] near a solution, or ends that are nearer: the end may be out of "
        "reach in this time" + abnormal,
        "\n".join([f"nearest: {shown(unknown, 6)}", *_beside(problem, nearest), *left_aside(problem)]),
    )


def _beside(problem: Shooting, nearest: Shot) -> list[str]:
    """The motion that came nearest lies where others begin to meet something else: it grazes."""
    found = problem.beside(nearest, Policy(), NEARBY)
    return [f"right beside it motions meet {found}: the search ends where they graze"] if found else []


def left_aside(problem: Shooting) -> list[str]:
    """Why motions of the search were left aside, each reason with how often it was met, the most frequent first."""
    every = [f"{many} motions of the search left aside: {why}" for why, many in problem.left.most_common(MOST) if many]
    return [*every, "..."] if len(problem.left) > MOST else every


def _stopped(setting: Setting, tried: int) -> DalembertError:
    """Why a motion with velocities of the usual size is refused, or where and why it ends."""
    problem, said = setting.problem, ""
    point = problem.settled(problem.scale * 1.0)
    if point is not None:
        names = dict(zip(problem.names, map(float, point), strict=True))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DalembertWarning)
                start = problem.equations.start(
                    **{**setting.given, **names}, t=problem.t, parameters=problem.parameters
                )
                path = (
                    simulate(problem.equations, start, until=problem.end.t, max_steps=STEPS)
                    if problem.met is None
                    else problem.met.run(start, problem.end.t, Policy(max_steps=STEPS))
                )
        except DalembertError as error:
            return error
        said = "" if path.reached else f"one that starts with {shown(names, 6)}: {path.outcome}"
    detail = "\n".join([*([said] if said else []), *left_aside(problem)])
    return InvalidValue("E334", f"no motion from {tried} starts reached the last time", "a shorter duration", detail)
