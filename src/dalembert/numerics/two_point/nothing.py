"""What is said where no start converged."""

from __future__ import annotations

from ...errors import DalembertError, InvalidValue
from .extremals import shown
from .setting import Setting
from .shooting import Shot


def refuse(setting: Setting, tried: int, converged: int, nearest: Shot | None) -> DalembertError:
    """E334 with the nearest miss; where no motion ran at all, what its start was refused for."""
    problem = setting.problem
    if nearest is None:
        point = problem.settled(setting.problem.scale * 1.0)
        if point is not None:
            try:
                names = dict(zip(problem.names, map(float, point), strict=True))
                problem.equations.start(**{**setting.given, **names}, t=problem.t, parameters=problem.parameters)
            except DalembertError as error:
                return error
        return InvalidValue("E334", f"no motion from {tried} starts reached the last time", "a shorter duration")
    if converged:
        return InvalidValue("E334", f"{converged} of {tried} starts met the end, but none of their motions can be run",
                            "another start, or a shorter duration")  # fmt: skip
    unknown = dict(zip(problem.names, map(float, nearest.point), strict=True))
    missed = problem.end.distance(nearest.y)
    return InvalidValue(
        "E334",
        f"none of {tried} starts met the end; the nearest missed it by {missed:.3g}",
        "more starts (starts=500), guesses=[{...}] near a solution, or ends that are nearer: the end may be out of "
        "reach in this time",
        f"nearest: {shown(unknown, 6)}",
    )
