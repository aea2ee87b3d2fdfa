"""The disc, and the eight systems of section 5, by the functions that any system can be given to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...geometry.noether import conserved, noether
from ...geometry.reduce import reduce
from ...geometry.splitting import splitting
from ...numerics.run.simulate import simulate
from ...principles.nonholonomic import nonholonomic
from ...reconstruction.holonomy import holonomy
from ...reconstruction.reduced_start import reduced_start
from ...systems import rolling_disc as disc
from ...trajectory import Trajectory
from ..claim import Claim, Group, said, small
from ..every_form import every_form
from . import given
from .given import vphi, vpsi
from .lifting.cases import cases

SAME = 1e-8


def forms() -> Iterator[Claim]:
    """(9) and (17) on all systems of section 5, by every route."""
    yield from every_form("(9), (17)", {name: case.system for name, case in cases().items()})


def momenta() -> Iterator[Claim]:
    """Theorem 2 by `conserved`, on what is not constant."""
    system = given.system()
    found = conserved(system, vpsi + vphi)
    text = f"|df/dt| up to {found.rate:.1e}, by -dE(xi_f) {found.by_energy:.1e}"
    yield said("Theorem 2", "v_psi + v_phi is not constant", not found.conserved, text)
    gap = abs(found.rate - found.by_energy) / found.rate
    yield said("Theorem 2", "df/dt = -dE(xi_f) for v_psi + v_phi", gap < 1e-6, text)
    kind = noether(system)
    D, V, S, _, k = kind.dimensions
    text = f"D {D}, V {V}, D n V {S} of {k}: {kind.kind}"
    yield said("section 3", "D n V has two dimensions, and no generator lies in it", (D, V, S) == (3, 4, 2), text)


def connection() -> Iterator[Claim]:
    """The splitting TQ = H + S + U of the disc."""
    found = splitting(given.system())
    sizes = found.H.cols, found.S.cols, found.U.cols
    yield said("section 4", "the splitting has H of dimension 1, S of 2, U of 2", sizes == (1, 2, 2), str(sizes))


def phases() -> Iterator[Claim]:
    """The reconstruction equation over a period of the shape: the same displacement as the full motion."""
    system = given.system()
    reduction = reduce(system)
    full, shape = nonholonomic(system), nonholonomic(reduction.system)
    start = full.start(**disc.START)
    path = simulate(shape, reduced_start(reduction, start), until=6.0, rtol=1e-12, atol=1e-14)
    period = _period(path)
    found = holonomy(reduction, path, start, period)
    end = simulate(full, start, until=period, rtol=1e-12, atol=1e-14).at(period)
    worst = max(abs(float(end[q]) - float(start[q]) - float(np.asarray(found.total[q]))) for q in ("phi", "psi"))
    yield small("section 5", "a loop of the shape turns phi and psi as the full motion does", worst, SAME, what="rad")
    away = max(abs(float(end[q]) - float(start[q]) - float(np.asarray(found.total[q]))) for q in ("x", "y"))
    yield small("section 5", "and moves the place as it does", away, SAME, what="m")


def _period(path: Trajectory) -> float:
    """When theta first rises to its value at the start again, by halves."""
    at, t = path.at, np.linspace(0.0, 6.0, 6001)
    theta = at(t)["theta"]
    up = [i for i in range(1, len(t) - 1) if theta[i - 1] < theta[0] <= theta[i]]
    low, high = float(t[up[0] - 1]), float(t[up[0]])
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle)["theta"] >= theta[0] else (middle, high)
    return (low + high) / 2


GROUPS: tuple[Group, ...] = (forms, momenta, connection, phases)
