"""(1.185), (1.236) and (1.237) of the notes on [sussman2015], tried on curves."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dalembert import satisfies
from dalembert.principles.satisfies import Varied

from ..claim import Claim, Group, said, small
from . import examples

CIRCLE = {"x": "sin(t)", "y": "1 - cos(t)", "theta": "t"}
FORWARD = {"x": "sin(t)*cos(theta)", "y": "sin(t)*sin(theta)"}
WHOLE = {"x": "-y", "y": "x", "theta": "1"}


def knife_edge() -> Iterator[Claim]:
    """The circle of the knife edge: which variations each principle admits."""
    circle = satisfies(examples.knife_edge().system, CIRCLE, over=(0.0, math.pi))
    yield small("(1.238)", "the circle satisfies it", circle.nonholonomic.residual, 1e-9)
    # E[L] = (-sin t, cos t, 0) = lam d2 psi ,  d2 psi = (sin t, -cos t, 0)
    lam = circle.nonholonomic.multipliers["lam_psi"]
    yield small("(1.238)", "with lam = -1", float(abs(lam + 1).max()), 1e-9)
    forward, whole = circle.varied(FORWARD), circle.varied(WHOLE)
    yield small("(1.236)", "forward along the edge is a virtual velocity", forward.virtual["psi"], 1e-9)
    yield small("(1.237)", "E[L] is orthogonal to it", forward.work, 1e-9)
    yield _not("(1.185)", "and yet the varied curve does not keep psi", forward, forward.consistent["psi"])
    yield small("(1.185)", "the picture turned keeps psi", whole.consistent["psi"], 1e-9)
    yield _not("(1.236)", "and yet that is no virtual velocity", whole, whole.virtual["psi"])


def ring() -> Iterator[Claim]:
    """A coordinate constraint, the growing ring: along it both conditions hold together."""
    system = examples.growing_ring().system
    names = [q.name for q in system.space.coordinates]
    s = system.values()["s"]
    grown = {names[0]: f"(1 + {s:.17g}*t)*cos(t)", names[1]: f"(1 + {s:.17g}*t)*sin(t)"}
    along = satisfies(system, grown, over=(0.0, 2.0)).varied({names[0]: f"-{names[1]}", names[1]: names[0]})
    yield small("(1.236)", "growing ring: along it is virtual", max(along.virtual.values()), 1e-9)
    yield small("(1.185)", "growing ring: and keeps psi", max(along.consistent.values()), 1e-9)


def _not(where: str, statement: str, found: Varied, size: float) -> Claim:
    return said(where, statement, size > 0.1, f"{size:.2f}: {'no' if size > 0.1 else 'yes'}")


GROUPS: tuple[Group, ...] = (knife_edge, ring)
