"""A car with n trailers, each hooked to the middle of the axle before it [bravo2015; jean1996].

    L = sum_i m_i/2 |v_i|^2 + J_i/2 omega_i^2
    axle_i:  vy_i cos(theta_i) - vx_i sin(theta_i) = 0 ,   i = 0, ..., n

(x, y) is the middle of the car's axle, theta_i the headings; v_i is the velocity of the middle of axle i, which follows
axle i - 1 at the distance l_i. The car is a pair of wheels that may be turned on the spot; a car that steers its front
wheels is one with n = 1, its front wheels being axle 0. n + 1 linear constraints on n + 3 coordinates, nonholonomic,
growth vector (2, 3, ..., n + 3): every position can be reached [laumond1993]. Where a body other than the last trailer
stands at a right angle to the one ahead, the growth is slower [jean1996]. omega_0 is constant, since all masses sit on
the axles. Rolling straight on needs no reaction and is vakonomic.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Variant

SOURCE = "bravo2015"
UNSOLVED = "omega0 and the energy are constant; for each trailer an equation of the first order is left"


def space(n: int) -> Space:
    """x, y, theta0 ... theta_n with velocities vx, vy, omega0 ... omega_n."""
    return Space.product(plane("x y"), *(angle(f"theta{i}", f"omega{i}") for i in range(n + 1)))


def _starts(n: int) -> dict[str, dict[str, object]]:
    place = {"x": 0.0, "y": 0.0, "theta0": 0.5, "vx": 0.8}
    bent = {f"theta{i}": 0.5 - 0.3 * i for i in range(1, n + 1)}
    aligned = {f"theta{i}": 0.5 for i in range(1, n + 1)}
    return {"turning": {**place, **bent, "omega0": 0.4}, "straight": {**place, **aligned, "omega0": 0.0}}


def _facts(n: int) -> Facts:
    s = space(n)
    omega = [s[f"omega{i}"] for i in range(n + 1)]
    bends = [sp.sin(s[f"theta{i}"] - s[f"theta{i - 1}"]) for i in range(1, n + 1)]
    return Facts(
        kinds={f"axle{i}": "linear" for i in range(n + 1)},
        growth=tuple(range(2, n + 4)),
        generating=True,
        conserved={"turning": omega[0]},
        agree={"turning": False, "straight": True},
        where=[[omega[0], *bends]],
        multipliers={f"lam_axle{i}": sp.Integer(0) for i in range(n + 1)},
    )


STARTS = _starts(2)
START = STARTS["turning"]
FACTS = _facts(2)
VARIANTS = {
    "n = 0": Variant({"n": 0}, _starts(0), _facts(0)),
    "n = 1": Variant({"n": 1}, _starts(1), _facts(1)),
    "n = 3": Variant({"n": 3}, _starts(3), _facts(3)),
}


def _bodies(n: int) -> list[dict[str, object]]:
    """Axle by axle, each with its box and two wheels, and the bars between."""
    x, y = "x", "y"
    found: list[dict[str, object]] = [{"shape": "floor"}]
    for i in range(n + 1):
        before = [x, y, 0.15]
        if i:
            x, y = f"{x} - l{i}*cos(theta{i})", f"{y} - l{i}*sin(theta{i})"
            bar = {"name": f"bar {i}", "shape": "rod", "radius": 0.02, "from": before, "to": [x, y, 0.15]}
            found.append(bar)
        name = f"trailer {i}" if i else "car"
        place = {"at": [x, y, 0.15], "turn": f"z theta{i}", "trace": [x, y, 0]}
        found.append({"name": name, "shape": "box", "size": [0.5, 0.3, 0.12], **place})
        for side, across in (("left", 0.2), ("right", -0.2)):
            wheel = {"name": f"{name}, {side} wheel", "shape": "wheel", "on": name, "radius": 0.15, "thickness": 0.06}
            found.append({**wheel, "at": [0, across, 0], "turn": "x -pi/2"})
    return found


def system(
    n: int = 2,
    *,
    mass: float | Sequence[float] = 1.0,
    inertia: float | Sequence[float] = 0.2,
    length: float | Sequence[float] = 1.0,
) -> System:
    """The car with n trailers.

    Args:
        n: number of trailers, 0 or more.
        mass, inertia: m_i and J_i of the n + 1 bodies, or one number for all.
        length: l_i of the n trailers, or one number for all.
    """
    s = space(n)
    theta = [s[f"theta{i}"] for i in range(n + 1)]
    velocities = velocities_of_axles(n, s)
    m = sp.symbols(f"m0:{n + 1}", positive=True)
    J = sp.symbols(f"J0:{n + 1}", positive=True)
    omega = [s[f"omega{i}"] for i in range(n + 1)]
    bodies = zip(m, J, omega, velocities, strict=True)
    T = sp.Add(*(mi * (vx**2 + vy**2) + Ji * w**2 for mi, Ji, w, (vx, vy) in bodies))
    return System(
        space=s,
        lagrangian=T / 2,
        constraints={
            f"axle{i}": vy * sp.cos(t) - vx * sp.sin(t)
            for i, (t, (vx, vy)) in enumerate(zip(theta, velocities, strict=True))
        },
        symmetry=euclidean("x y", [t.name for t in theta]),
        parameters={
            **_values("m", range(n + 1), mass),
            **_values("J", range(n + 1), inertia),
            **_values("l", range(1, n + 1), length),
        },
        limits={"coordinates": max(64, n + 3), "operations": max(2000, 64 * n)},
        bodies=_bodies(n) if n <= 12 else None,
        explore={"ranges": {"vx": (-2, 2), "omega0": (-2, 2)}},
        title=f"Car with {n} trailer{'s' * (n != 1)}",
        cite=SOURCE,
    )


def velocities_of_axles(n: int, of: Space | None = None) -> list[tuple[sp.Expr, sp.Expr]]:
    """v_i = (vx, vy) + sum_{j=1}^i l_j omega_j (sin(theta_j), -cos(theta_j)) for i = 0, ..., n."""
    s = space(n) if of is None else of
    vx, vy = [s["vx"]], [s["vy"]]  # terms
    found = [(s["vx"], s["vy"])]
    for j in range(1, n + 1):
        swing, theta = _length(j) * s[f"omega{j}"], s[f"theta{j}"]
        vx.append(swing * sp.sin(theta))
        vy.append(-swing * sp.cos(theta))
        found.append((sp.Add(*vx), sp.Add(*vy)))
    return found


def _length(j: int) -> sp.Symbol:
    return sp.Symbol(f"l{j}", positive=True)


def _values(name: str, indices: range, given: float | Sequence[float]) -> dict[str, float]:
    numbers = list(given) if isinstance(given, Sequence) else [given] * len(indices)
    return {f"{name}{i}": value for i, value in zip(indices, numbers, strict=True)}
