"""The second route where a motion changes on its way: the whole motion again by Radau's method.

Method, tolerance and quadrature of the action are others, and every instant at which something happens is found anew;
what happens there is decided by the same laws.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from ...equations import Start
from ...errors import DalembertError, DalembertWarning
from ...trajectory import Trajectory
from ..methods import Radau
from ..policy import Policy
from .action import along, gauss
from .collocation import AGREED, Checked, sizes_of
from .on_the_way import OnTheWay
from .shooting import Shooting

RTOL, TIMES = 1e-9, 240


def check(
    problem: Shooting, met: OnTheWay, start: Start, policy: Policy, path: Trajectory, found: tuple[float, float]
) -> Checked:
    """Run a motion again and compare.

    Args:
        problem: what was solved.
        met: what is met on the way.
        start: of the motion.
        policy: as it was run.
        path: the motion, a `Trajectory`.
        found: its action, and the integral of |L|.
    """
    action, size = found
    usual = replace(policy, rtol=RTOL, atol=None, method=Radau())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DalembertWarning)
            other = met.run(start, problem.end.t, usual)
    except DalembertError as error:
        return Checked(np.nan, np.nan, np.nan, False, f"{error.code} {error.fact}", Radau.word)
    if not other.reached or other.t[-1] < problem.end.t:
        return Checked(np.nan, np.nan, np.nan, False, f"the motion {other.outcome}", Radau.word)
    t, weight = gauss(np.unique(other.t))
    difference = float(weight @ along(problem, t, other.sol(t).T)) - action
    n, times = len(problem.equations.space.coordinates), np.linspace(problem.t, problem.end.t, TIMES)
    q = path.sol(times)[:n]
    curve = float((np.abs(other.sol(times)[:n] - q) / sizes_of(problem, q.T)[:, None]).max())
    agrees = abs(difference) <= AGREED * size and curve <= AGREED
    return Checked(action + difference, difference, curve, agrees, f"run again, rtol = {RTOL:g}", Radau.word)
