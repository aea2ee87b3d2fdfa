"""The disc, and the eight systems of section 5, by the functions that any system can be given to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from dalembert import nonholonomic, reduce, reduced_start, simulate
from dalembert.equations import Equations
from dalembert.symmetry import holonomy, noether, splitting
from dalembert.systems import rolling_disc as disc
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, said, small
from ..every_form import every_form
from . import given
from .given import holds, rho_phi, rho_psi, vphi, vpsi
from .lifting.cases import cases
from .reduction import PRINTED_RATES, PRINTED_RHO

SAME, STATES = 1e-8, 3


def forms() -> Iterator[Claim]:
    """(9) and (17) on all systems of section 5, by every route."""
    yield from every_form("(9), (17)", {name: case.system for name, case in cases().items()})


def momenta() -> Iterator[Claim]:
    """Section 3: what the generators have to do with the constraints."""
    kind = noether(given.system())
    D, V, S, _, k = kind.dimensions
    text = f"D {D}, V {V}, D n V {S} of {k}: {kind.kind}"
    yield said("section 3", "D n V has two dimensions, and no generator lies in it", (D, V, S) == (3, 4, 2), text)


def connection() -> Iterator[Claim]:
    """The splitting TQ = H + S + U of the disc: the momenta along S, and the motion on its frame."""
    found = splitting(given.system())
    over, on = found.quotient.system.space, found.system.space
    along = sp.Matrix.hstack(found.H, found.S)
    # v = H h + S s
    there = dict(zip(over.velocities, along * sp.Matrix(on.velocities[: along.cols]), strict=True))
    places = [over.velocities.index(v) for v in (vphi, vpsi)]
    momenta = found.S.extract(places, range(found.S.cols)).T * sp.Matrix([PRINTED_RHO[z] for z in (rho_phi, rho_psi)])
    gaps = [p - e.xreplace(there) for p, e in zip(found.momenta.values(), momenta, strict=True)]
    yield holds("section 4", "the momenta along S = D n V of the splitting are rho_phi and rho_psi", gaps)
    rho = {z: e.xreplace(there) for z, e in PRINTED_RHO.items()}
    worst = max(_off_rates(nonholonomic(found.system), rho, seed) for seed in range(STATES))
    yield small("section 4", "on its frame (H, S, U) the motion is that of the reduced equations", worst, SAME)


def _off_rates(equations: Equations, rho: dict[sp.Symbol, sp.Expr], seed: int) -> float:
    """How far the rates of theta and rho at a random state are from those that are printed."""
    space, draw = equations.space, np.random.default_rng(seed)
    names = [v.name for v in space.velocities]
    speeds = dict.fromkeys(names, 0.0) | dict(zip(names[: len(rho)], draw.normal(size=len(rho)), strict=True))
    at = {**given.values(), **speeds, "theta": float(draw.uniform(0.5, 2.5)), "t": 0.0}
    moved = dict(zip(space.velocities, equations.accelerations(at)[0], strict=True))
    moved |= {q: given.number(rate, at) for q, rate in space.rates.items()}
    here = {**at, **{z.name: given.number(e, at) for z, e in rho.items()}}
    rates = {z: sum(given.number(e.diff(s), at) * rate for s, rate in moved.items()) for z, e in rho.items()}
    rates |= {q: moved[q] for q in space.coordinates}
    return max(abs(given.number(e, here) - rates[z]) for z, e in PRINTED_RATES.items())


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
