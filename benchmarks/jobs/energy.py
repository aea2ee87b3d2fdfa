"""The energy and the constraints of the disc after 10^6 s at 1e-12, against the plain saddle form."""

from __future__ import annotations

from functools import cache

import dalembert as da

from .. import disc
from ..contest import Bar, Contest, Job, Measured

END = 1e6


@cache
def _run(stabilised: bool) -> da.nouns.Trajectory:
    stabilisation = da.methods.Projection() if stabilised else da.methods.Drift()
    return da.simulate(
        disc.equations(),
        disc.start(),
        until=END,
        rtol=1e-12,
        stabilisation=stabilisation,
        dense=False,
        samples=[0.0, END],
        max_steps=100_000_000,
    )


def _drift(path: da.nouns.Trajectory) -> float:
    """|E(end) - E(0)| over E(0); the disc's energy from the level of the contact is positive."""
    return abs(path.audit.energy_change / path.audit.energy_start)


def _energy() -> Measured:
    ours, plain = _drift(_run(True)), _drift(_run(False))
    return Measured(ours, f"{ours:.1e}", f"{plain:.1e}")


def _constraint() -> Measured:
    ours, plain = (_run(s).audit.constraint_residual for s in (True, False))
    return Measured(ours, f"{ours:.1e}", f"{plain:.1e}")


JOB = Job(
    "energy",
    "The disc after 10^6 s at 1e-12, against the plain saddle form",
    [
        Contest("energy", "relative change of energy", Bar("<=", 3e-9), _energy),
        Contest("constraint", "largest residual", Bar("<=", 1e-15), _constraint),
    ],
)
