"""All forms of the nonholonomic equations: one acceleration, by as many routes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np

from dalembert import System
from dalembert.errors import InvalidValue
from dalembert.geometry.random_states import ConstraintSampler
from dalembert.principles.principle_table import PRINCIPLES, named

from .claim import Claim, said, small

STATES, TRIES, SEED, BOUND = 4, 60, 1905, 1e-9
_SLOW = 1e-6  # accelerations below this are none
FORMS = [name for name, row in PRINCIPLES.items() if row.principle == "nonholonomic" != name and not row.file]


def states(system: System, seed: int = SEED, count: int = STATES) -> list[dict[str, float]]:
    """Random states on the constraints, parameters and t included."""
    every = islice(ConstraintSampler(system).states(seed), TRIES)
    return [dict(values) for values, held in every if held][:count]


def every_form(where: str, systems: Mapping[str, System], leave: Mapping[str, str] | None = None) -> Iterator[Claim]:
    """A claim for each form: where it applies, its accelerations are those of the equations with multipliers.

    Args:
        where: the place in the paper whose equations these are.
        systems: by name.
        leave: forms that apply to none of them, and words in which each refuses them.
    """
    for name in FORMS:
        found = [_gap(name, system) for system in systems.values()]
        worst = [gap for gap in found if not isinstance(gap, str)]
        if leave and name in leave:
            so = [gap for gap in found if isinstance(gap, str) and leave[name] in gap]
            text = f"it refuses {len(so)} of {len(systems)} so"
            yield said(where, f"{name} does not apply: {leave[name]}", len(so) == len(systems), text)
        else:
            told = f"of {len(worst)} systems" if len(systems) > 1 else ""
            statement = f"{name}: accelerations of the equations with multipliers"
            yield small(where, statement, max(worst, default=np.inf), BOUND, what=told)


def _gap(form: str, system: System) -> float | str:
    """By how much accelerations differ, over their size; where the form does not apply, the words that say so."""
    try:
        made = named(form)(system)
    except InvalidValue as error:
        if error.code != "E160":
            raise
        return error.fact
    exact, places = named("nonholonomic")(system), states(system)
    truth = np.array([exact.accelerations(values)[0] for values in places])
    found = np.array([made.accelerations(values)[0] for values in places])
    return float(np.abs(found - truth).max() / max(float(np.abs(truth).max()), _SLOW))
