"""The machine by the functions that any system can be given to: every form, coincidence, strong friction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dalembert import coincide, nonholonomic, simulate
from dalembert.experiment.penalty_limit import limit
from dalembert.penalties import viscous

from ..claim import Claim, Group, said, small
from ..every_form import every_form
from . import given

CURVED = dict.fromkeys(("hamel", "chaplygin", "almost_poisson", "symplectic"), "is nonlinear in the velocities")
START: dict[str, Any] = {"x": 0.0, "y": 0.0, "z": 1.0, "theta": 0.3, "phi": 0.0, "omega": 0.8, "vz": 0.4}
TIMES = np.linspace(0.05, 0.5, 10)


def linear() -> Iterator[Claim]:
    """Linear constraints: every route to the same accelerations."""
    yield from every_form("(20)", {"machine": given.linear()})


def quadratic() -> Iterator[Claim]:
    """The quadratic constraint: the routes that take nonlinear ones, and what the others say."""
    yield from every_form("(2)", {"machine": given.quadratic()}, CURVED)


def friction() -> Iterator[Claim]:
    """Strong friction instead of the constraints leads to the nonholonomic motion."""
    system = given.linear()
    begin = dict(nonholonomic(system).start(**START).state)
    found = limit(system, viscous, nonholonomic, start=begin, until=0.5, times=TIMES)
    last = float(found.distances[-1].max())
    text, right = f"order {found.order:.3f}, the last error {last:.1e}", abs(found.order - 1) < 0.05 and last < 1e-4
    yield said("(20)", "friction tends to the nonholonomic motion as 1/strength", right, text)


def coincidence() -> Iterator[Claim]:
    """Which motions of the machine with linear constraints are vakonomic."""
    found = coincide(given.linear())
    turning = [b for b in found.branches if b.here and {str(c) for c in b.conditions} == {"omega"}]
    text = "; ".join(b.title for b in found.branches)
    yield said("section 5", "pushed, only motions that do not turn are vakonomic", len(turning) == 1, text, key=True)
    free = [b for b in found.branches if {s.name for p in b.parameters for s in p.free_symbols} == {"F"}]
    every = len(free) == 1 and not free[0].conditions
    yield said("section 5", "without the push, every motion is, with multipliers of its own", every, text)


def involute() -> Iterator[Claim]:
    """Figure 2: runs of two machines, scaled by omega^2/A_tau, lie on the involute of the unit circle."""
    worst = 0.0
    for omega, values in ((1.0, {}), (-2.5, {"m": 3.0, "F": -4.0, "a": 0.3})):
        system = given.linear(**values)
        path = simulate(nonholonomic(system), {**given.REST, "phi": 0.0, "omega": omega}, until=4.0, rtol=1e-11)
        t = np.linspace(0.0, 4.0, 17)
        at, tau = path.at(t), omega * t
        A_tau = float(given.A_TAU.subs({s: system.parameters[s.name] for s in given.A_TAU.free_symbols}))
        # the thread leaves the circle at the angle tau: its end is tau from there
        end = np.exp(1j * tau) * (1 - 1j * tau) - 1
        worst = max(worst, float(np.abs(omega**2 / A_tau * (at["x"] + 1j * at["y"]) - end).max()))
    yield small("Figure 2", "runs of two machines, scaled, unroll a thread from the unit circle", worst, 1e-7)


GROUPS: tuple[Group, ...] = (linear, quadratic, friction, coincidence, involute)
