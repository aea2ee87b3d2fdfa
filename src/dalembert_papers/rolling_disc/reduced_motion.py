"""(22) to (24) of [cushman1995]: the reduced motion by its form, along a run, and lifted to the disc."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from dalembert import nonholonomic, reconstruct, reduced_start, satisfies, simulate
from dalembert.systems import rolling_disc as disc
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, small
from . import given
from .reduction import PRINTED_RATES

SAME = 1e-8
LIFTED = 1e-6  # of a path differentiated
UNTIL = 4.0  # s


@cache
def reduced_run() -> Trajectory:
    """The reduced disc for a while."""
    reduction = given.reduction()
    start = reduced_start(reduction, nonholonomic(given.system()).start(**disc.START))
    return simulate(nonholonomic(reduction.system), start, until=UNTIL, rtol=1e-13)


def reduced() -> Iterator[Claim]:
    """(22) to (24): the reduced motion by its form, along a run, and lifted."""
    path, t = reduced_run(), np.linspace(0.0, UNTIL, 2001)
    at = {**given.values(), **path.at(t)}
    bar = {**at, **{z.name: given.numbers(e, at) for z, e in given.momenta().items()}}
    worst = max(_off_form({k: float(np.broadcast_to(x, t.shape)[i]) for k, x in bar.items()}) for i in (0, 700, 1500))
    yield small("(22)", "xi-bar _| omega-bar = dE-bar, xi-bar by the reduced equations", worst, SAME)
    # z(t) - z(0) = int xi-bar dt, with the rates that are printed
    gaps = [
        np.abs(bar[z.name][::2] - bar[z.name][0] - _integral(given.numbers(e, bar), t)).max()
        for z, e in PRINTED_RATES.items()
    ]
    yield small("(23)", "a run of the reduced disc goes along the printed xi-bar", float(max(gaps)), SAME)
    begin = nonholonomic(given.system()).start(**disc.START)
    lifted = reconstruct(given.reduction(), path, begin)
    found = satisfies(given.system(), lifted)
    yield small("(24)", "lifted it satisfies the full equations", found.nonholonomic.residual, LIFTED)
    direct = simulate(nonholonomic(given.system()), begin, until=UNTIL, rtol=1e-13).at(t)
    off = max(float(np.abs(lifted.at(t)[q.name] - direct[q.name]).max()) for q in given.coordinates)
    yield small("(24)", "and is the motion through its first point", off, SAME, what="m, rad")


def _off_form(at: dict[str, float]) -> float:
    """xi-bar^i omega-bar_ij - d_j E-bar at a state of the reduced disc, with its momenta."""
    system, phase = given.reduction().system, given.phase()
    acceleration = nonholonomic(system).accelerations(at)[0]
    rates = dict(zip((v.name for v in system.space.velocities), acceleration, strict=True)) | {"theta": at["vtheta"]}
    # p(theta, v) along the motion
    slopes = [{n: given.number(p.diff(disc.SPACE[n]), at) for n in rates} for p in given.momenta().values()]
    xi = [rates["theta"], *(sum(slope[n] * rates[n] for n in rates) for slope in slopes)]
    known = {**at, **{p.name: at[rho.name] for p, rho in zip(phase.momenta, given.rho, strict=True)}}
    omega = np.array([[given.number(e, known) for e in row] for row in phase.form.tolist()])
    dE = np.array([given.number(phase.hamiltonian.diff(z), known) for z in phase.coordinates])
    return float(np.abs(np.array(xi) @ omega - dE).max())


def _integral(rate: np.ndarray, t: np.ndarray) -> np.ndarray:
    """From the first time to every other time, by Simpson's rule."""
    return np.concatenate([[0.0], np.cumsum(rate[:-2:2] + 4 * rate[1::2] + rate[2::2])]) * (t[1] - t[0]) / 3


GROUPS: tuple[Group, ...] = (reduced,)
