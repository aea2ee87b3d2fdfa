"""A sleigh whose mass is shaken across its blade gains speed, or loses it, by where the mass sits [bizyaev2017].

A point mass m moves as b sin(W t) across a sleigh, at the distance c before its blade. With small b the turning follows
the shaking linearly: in s = M a + m c, the first moment, and I = J + M a^2 + m c^2, the inertia,

    (I d/dt + s v) w = m c b W^2 sin(W t),    (M + m) dv/dt = <w (s w + m b W cos(W t))>,

so that, but for terms of b^2, the speed v goes as

    s^2 (v^3 - v0^3)/3 + I^2 W^2 (v - v0) = m^2 c (c s - I) b^2 W^4 t / (2 (M + m))
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from dalembert import System, coordinates, nonholonomic, simulate

from .claim import Claim, Kind, small

M, J, m, a, b, W = 1.0, 1.0, 0.3, 0.8, 0.1, 2.0
BEHIND, NEAR, FAR = -0.3, 0.3, 3.5  # where the mass sits: c (c s - I) is positive, negative, positive
FIRST, PERIODS = 6.0, 2000  # m/s, of the shaking
WIDE, LONG = 1.0, 15000  # m, periods


def sleigh(c: float, b: float = b) -> System:
    """The platform's mass at a, the point at (c, b sin(W t)), in the frame of the blade."""
    q, t = coordinates("x y theta"), sp.Symbol("t", real=True)
    theta, vx, vy, w = q["theta"], q["vx"], q["vy"], q["vtheta"]
    along, across = vx * sp.cos(theta) + vy * sp.sin(theta), vy * sp.cos(theta) - vx * sp.sin(theta)
    shaken = b * sp.sin(W * t)
    point = (along - w * shaken) ** 2 + (across + c * w + shaken.diff(t)) ** 2
    L = M * (along**2 + (across + a * w) ** 2) / 2 + J * w**2 / 2 + m * point / 2
    return System(q, L, {"blade": across})


def speeds(c: float, b: float = b, periods: int = PERIODS) -> tuple[np.ndarray, np.ndarray]:
    """Times at which the mass crosses the middle the same way, and the speed along the blade there."""
    times = 2 * np.pi / W * np.arange(0, periods + 1, 200)
    start = {"x": 0.0, "y": 0.0, "theta": 0.0, "vx": FIRST, "vtheta": 0.0}
    path = simulate(nonholonomic(sleigh(c, b)), start, until=times[-1], samples=times, dense=False, rtol=1e-10)
    return path.t, path["vx"] * np.cos(path["theta"]) + path["vy"] * np.sin(path["theta"])


def shaken() -> Iterator[Claim]:
    """The speed of a shaken sleigh."""
    for where, c in (("behind the blade", BEHIND), ("a little before it", NEAR), ("far before it", FAR)):
        t, v = speeds(c)
        s, I = M * a + m * c, J + M * a**2 + m * c**2
        # s^2 (v^3 - v0^3)/3 + I^2 W^2 (v - v0) = m^2 c (c s - I) b^2 W^4 t / (2 (M + m))
        reached = s**2 * (v**3 - FIRST**3) / 3 + I**2 * W**2 * (v - FIRST)
        given = m**2 * c * (c * s - I) * b**2 * W**4 * t / (2 * (M + m))
        what = f"a mass shaken {where} {'speeds' if given[-1] > 0 else 'slows'} a sleigh"
        late = slice(len(t) // 2, None)
        off = float(np.abs(reached[late] / given[late] - 1).max())
        yield small("section 8", f"{what} by the law of v^3, but for b^2", off, 3e-3)


def gaining() -> Iterator[Claim]:
    """Shaken widely behind its blade it gains speed without end, at last as t^(1/3), as the turning dies away."""
    t, v = speeds(BEHIND, WIDE, LONG)
    half = len(t) // 2
    exponent = float(np.log(v[-1] / v[half]) / np.log(t[-1] / t[half]))
    told = f"of t, from {v[half]:.1f} to {v[-1]:.1f} m/s"
    statement = "a sleigh shaken behind its blade gains speed as t^(1/3)"
    yield small("section 8", statement, abs(exponent - 1 / 3), 0.01, what=told)
    # s^2 v^3/3 + I^2 W^2 v goes on as t, at a rate that terms of b^2 change and leave the same
    s, I = M * a + m * BEHIND, J + M * a**2 + m * BEHIND**2
    gained = s**2 * v**3 / 3 + I**2 * W**2 * v
    early, late = ((gained[j] - gained[i]) / (t[j] - t[i]) for i, j in ((half // 4, half), (half, -1)))
    yield small("section 8", "by the law of v^3, at a rate that stays", abs(early / late - 1), 3e-3, kind=Kind.NEW)
