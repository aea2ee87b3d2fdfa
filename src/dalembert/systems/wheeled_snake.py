"""A snake of n links on wheels [hirose1993; krishnaprasad1994].

    L = sum_i m_i/2 |v_i|^2 + J_i/2 omega_i^2
    wheel_i:  vy_i cos(theta_i) - vx_i sin(theta_i) = 0 ,   i = 1, ..., n

Each link of length 2 h has its wheels and its centre of mass in the middle and is jointed to the next at its ends.
(x, y) is the middle of the first link, theta_i the headings, v_i the velocity of the middle of link i. n linear
constraints on n + 2 coordinates, independent everywhere, nonholonomic: two velocities are left, whatever n is. The
joints carry no motors and no springs. Growth vectors: (2, 3), (2, 3, 4) and (2, 3, 5) for n = 1, 2, 3. With three links
the motion of the joints determines that of the snake, except where the lines of the axles meet in one point or are
parallel [krishnaprasad1994]. Rolling straight on needs no reaction and is vakonomic.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Sequence
from functools import cmp_to_key

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Variant

SOURCE = "hirose1993"
UNSOLVED = "none is known but for straight lines"
HALF = sp.Symbol("h", positive=True)


def space(n: int) -> Space:
    """x, y, theta1 ... theta_n with velocities vx, vy, omega1 ... omega_n."""
    return Space.product(plane("x y"), *(angle(f"theta{i}", f"omega{i}") for i in range(1, n + 1)))


def _starts(n: int) -> dict[str, dict[str, object]]:
    bends = (0.2, 0.55, -0.1, 0.35, -0.3, 0.1)
    place = {"x": 0.0, "y": 0.0, "vx": 0.9}
    bent = {f"theta{i}": bends[(i - 1) % len(bends)] for i in range(1, n + 1)}
    aligned = {f"theta{i}": 0.2 for i in range(1, n + 1)}
    return {"bent": {**place, **bent, "omega1": 0.3}, "straight": {**place, **aligned, "omega1": 0.0}}


_GROWTH = {1: (2, 3), 2: (2, 3, 4), 3: (2, 3, 5)}


def _facts(n: int) -> Facts:
    s = space(n)
    bends = [sp.sin(s[f"theta{i}"] - s[f"theta{i - 1}"]) for i in range(2, n + 1)]
    return Facts(
        kinds={f"wheel{i}": "linear" for i in range(1, n + 1)},
        growth=_GROWTH[n],
        generating=True,
        agree={"bent": False, "straight": True},
        where=[[s["omega1"], *bends]],
        multipliers={f"lam_wheel{i}": sp.Integer(0) for i in range(1, n + 1)},
    )


STARTS = _starts(3)
START = STARTS["bent"]
FACTS = _facts(3)
VARIANTS = {"n = 2": Variant({"n": 2}, _starts(2), _facts(2))}


def _bodies(n: int) -> list[dict[str, object]]:
    """Link by link, from the middle of one half a link each to the middle of the next; its wheels are in the middle."""
    x, y = "x", "y"
    found: list[dict[str, object]] = [{"shape": "floor"}]
    for i in range(1, n + 1):
        if i > 1:
            x += f" - h*(cos(theta{i - 1}) + cos(theta{i}))"
            y += f" - h*(sin(theta{i - 1}) + sin(theta{i}))"
        place = {"at": [x, y, "h/4"], "turn": f"z theta{i}", "trace": [x, y, 0]}
        found.append({"name": f"link {i}", "shape": "box", "size": ["2*h", "h/5", "h/5"], **place})
        for side, across in (("left", "h/3"), ("right", "-h/3")):
            wheel = {"name": f"{side} wheel {i}", "shape": "wheel", "on": f"link {i}", "radius": "h/4"}
            found.append({**wheel, "thickness": "h/10", "at": [0, across, 0], "turn": "x -pi/2"})
    return found


def system(
    n: int = 3, *, mass: float | Sequence[float] = 1.0, inertia: float | Sequence[float] = 0.1, h: float = 0.5
) -> System:
    """The snake of n links.

    Args:
        n: number of links, 1 or more.
        mass, inertia: m_i and J_i of the links, or one number for all.
        h: half the length of a link.
    """
    s = space(n)
    m = sp.symbols(f"m1:{n + 1}", positive=True)
    J = sp.symbols(f"J1:{n + 1}", positive=True)
    omega = [s[f"omega{i}"] for i in range(1, n + 1)]
    theta = [s[f"theta{i}"] for i in range(1, n + 1)]
    v = velocities_of_links(n, s)
    T = sp.Add(*(mi * (vx**2 + vy**2) + Ji * w**2 for mi, Ji, w, (vx, vy) in zip(m, J, omega, v, strict=True)))
    return System(
        space=s,
        lagrangian=T / 2,
        constraints={
            f"wheel{i}": vy * sp.cos(t) - vx * sp.sin(t)
            for i, (t, (vx, vy)) in enumerate(zip(theta, v, strict=True), 1)
        },
        symmetry=euclidean("x y", [t.name for t in theta]),
        parameters={**_values("m", n, mass), **_values("J", n, inertia), "h": h},
        limits={"coordinates": max(64, n + 2), "operations": max(2000, 64 * n)},
        bodies=_bodies(n) if n <= 12 else None,
        explore={"ranges": {"h": (0.2, 1), "vx": (-2, 2), "omega1": (-2, 2)}},
        title=f"Wheeled snake of {n} link{'s' * (n != 1)}",
        cite=SOURCE,
    )


def velocities_of_links(n: int, of: Space | None = None) -> list[tuple[sp.Expr, sp.Expr]]:
    """v_{i+1} = v_i + h (omega_i n_i + omega_{i+1} n_{i+1}),  n_i = (sin(theta_i), -cos(theta_i))."""
    s = space(n) if of is None else of
    swings = [(HALF * s[f"omega{i}"], s[f"theta{i}"]) for i in range(1, n + 1)]
    along = [[swing * sp.sin(theta) for swing, theta in swings], [-swing * sp.cos(theta) for swing, theta in swings]]
    return list(zip(*map(_sums, (s["vx"], s["vy"]), along), strict=True))


def _sums(first: sp.Expr, steps: Sequence[sp.Expr]) -> list[sp.Expr]:
    """v_1, v_1 + a_1 + a_2, v_1 + a_1 + 2 a_2 + a_3, ...; they share terms, which are made and ordered once."""
    in_order = cmp_to_key(sp.Basic.compare)
    terms, sums = sorted([first, steps[0]], key=in_order), [first]
    for step in steps[1:]:
        at = bisect(terms, in_order(step), key=in_order)
        sums.append(sp.Add._from_args([*terms[:at], step, *terms[at:]], is_commutative=True))
        insort(terms, 2 * step, key=in_order)
    return sums


def _values(name: str, n: int, given: float | Sequence[float]) -> dict[str, float]:
    numbers = list(given) if isinstance(given, Sequence) else [given] * n
    return {f"{name}{i}": value for i, value in zip(range(1, n + 1), numbers, strict=True)}
