"""How fast vakonomic and Newton-Euler motions part, from one start with thetadot = omega: orders and coefficients.

On the constraints the vakonomic equations are, with p = (m + M) s - lam_roll,

    sdot = A_tau + (a^2/K) thetadot lam_blade        lam_bladedot = -thetadot p
    pdot = F + thetadot lam_blade                    I' thetaddot = -lam_blade s

and Newton's are those with lam_blade = 0. From rest the distance therefore begins as

    (a^2/K) omega lam_blade(0) t^2/2,   (a^2/K) omega^2 lam_roll(0) t^3/6,   (a^2/K) omega^2 F t^4/24,

whichever does not vanish first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, said
from .given import REST, VALUES
from .motions import SPAN, geodesic, inertia, newton

OMEGA = REST["omega"]
EARLY, CLOSE = (0.02, 0.04), 0.02  # s; the next term of the series is smaller by a factor t/2 or less
LATE = (0.5, 1.0, 2.0, 3.0)  # s
STARTS: dict[str, dict[str, float]] = {
    "lam(0) = 0": {},
    "lam_roll(0) = 0.5": {"lam_roll": 0.5},
    "lam_roll(0) = 1": {"lam_roll": 1.0},
    "lam_roll(0) = -0.5": {"lam_roll": -0.5},
    "lam_roll(0) = -1": {"lam_roll": -1.0},
    "lam_blade(0) = 0.5": {"lam_blade": 0.5},
}


class Law(NamedTuple):
    """distance = coefficient t^order at the beginning."""

    order: int
    coefficient: float


def law(start: dict[str, float]) -> Law:
    """The first term of the distance from rest."""
    gain = VALUES["a"] ** 2 / inertia(VALUES) * OMEGA
    blade, roll = start.get("lam_blade", 0.0), start.get("lam_roll", 0.0)
    if blade:
        return Law(2, abs(gain * blade) / 2)
    if roll:
        return Law(3, abs(gain * OMEGA * roll) / 6)
    return Law(4, abs(gain * OMEGA * VALUES["F"]) / 24)


@cache
def truth() -> Trajectory:
    """The Newton-Euler motion from rest."""
    return newton(SPAN)


@cache
def rivals() -> dict[str, Trajectory]:
    """Vakonomic motions from the same start, by their lam(0)."""
    return {label: geodesic(SPAN, start) for label, start in STARTS.items()}


def distance(path: Trajectory, t: Any) -> np.ndarray:
    """Distance from the Newton-Euler motion at times t."""
    a, b = truth().at(t), path.at(t)
    return np.asarray(np.hypot(a["x"] - b["x"], a["y"] - b["y"]))


def measured(path: Trajectory) -> Law:
    """Order and coefficient from two early times."""
    t = np.array(EARLY)
    d = distance(path, t)
    order = float(np.log(d[1] / d[0]) / np.log(t[1] / t[0]))
    return Law(round(order), float(d[0] / t[0] ** round(order)))


def rows() -> Iterator[tuple[str, ...]]:
    """Start, law, distances in metres, thetadot at the end."""
    for label, path in rivals().items():
        found = law(STARTS[label])
        shown = f"{found.coefficient:.4f} t^{found.order}"
        yield label, shown, *(f"{d:.3f}" for d in distance(path, np.array(LATE))), f"{path['omega'][-1]:.2f}"


def runs() -> Iterator[Claim]:
    """The vakonomic motions can be run."""
    statement = f"can be run, from rest, F = {VALUES['F']:g} N, thetadot = {OMEGA:g}/s, {len(STARTS)} lam(0)"
    text = "; ".join(sorted({p.outcome for p in rivals().values()}))
    yield said("vakonomic motion", statement, all(p.ok for p in rivals().values()), text, key=True)


def orders() -> Iterator[Claim]:
    """How they part at first."""
    for label, path in rivals().items():
        expected, found = law(STARTS[label]), measured(path)
        error = abs(found.coefficient / expected.coefficient - 1)
        holds = found.order == expected.order and error <= CLOSE
        text = f"order {found.order}, coefficient off by {error:.1e}"
        statement = f"{label}: distance {expected.coefficient:.4f} t^{expected.order} at first"
        yield said("vakonomic motion", statement, holds, text)


def apart() -> Iterator[Claim]:
    """How far they are apart later."""
    nearest = min(float(distance(p, SPAN)) for p in rivals().values())
    statement = f"with one of these lam(0) it is the Newton-Euler motion for {SPAN:g} s"
    text = f"at least {nearest:.2f} m apart"
    yield said("section 4", statement, nearest <= CLOSE, text, expected=False, key=True)
    yield _run_up()


def _run_up() -> Claim:
    """thetadot, constant for Newton, along the vakonomic motion from lam(0) = 0."""
    path = rivals()["lam(0) = 0"]
    change = float(np.abs(path["omega"] - OMEGA).max())
    text = f"1/s becomes {path['omega'][-1]:.1f}/s in {SPAN:g} s"
    return Claim("section 4", "(9) thetadot = const holds on the vakonomic motion", False, text, change < CLOSE)


GROUPS: tuple[Group, ...] = (runs, orders, apart)
