"""How long a rattleback takes to reverse, by an average of our own after [garcia1988] and [kondo2017].

Spinning slowly at n it has two swings whose amplitudes grow as exp(s_1 n t) and exp(s_2 n t), s_1 < 0 < s_2. What they
gain the spin loses: of one of them alone, with the energy E,

    E' = 2 s n E ,     I3 n n' = -E'   so that   n' = -s (v^2 - n^2) ,   v^2 = n0^2 + 2 E0/I3 ,

and a spin n0 in the sense in which the swing grows is gone after

    t = artanh(n0/v)/(|s| v) .

One sense takes long, the other is short, and both reverse. It holds the better the slower the stone spins and the less
it swings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from dalembert import simulate
from dalembert.equations import Equations, Start

from .claim import Claim, Kind, small
from .spins import by_newton, stone

SPINS, SWINGS = (0.5, 1.0), (0.05, 0.2)  # rad/s, of the stone and of its swing
SLOW = 0.01  # rad/s: a spin at which growth is as the spin
LEFT = 0.2  # of |s n|, of the time: terms of the next order
LONGER = 1.2  # times what it should take a run lasts


class Swing(NamedTuple):
    """One of the two swings: by how much it grows for each rad of spin, and its (g1, g2, w1, w2)."""

    growth: float
    shape: np.ndarray


def swings(p: Mapping[str, float]) -> list[Swing]:
    """Both, that which grows in the negative sense first, by Newton's and Euler's equations."""
    values, vectors = np.linalg.eig(by_newton(p, SLOW))
    found = [Swing(float(v.real) / SLOW, w.real) for v, w in zip(values, vectors.T, strict=True) if v.imag > 0]
    return sorted(found, key=lambda swing: swing.growth)


def reversing() -> Iterator[Claim]:
    """A chart of reversals: two senses, two spins, two sizes of the swing."""
    p = stone().system.values()
    for swing, sense in zip(swings(p), (-1, 1), strict=True):
        for n in SPINS:
            off = []
            for size in SWINGS:
                found, known = _reversal(p, swing, sense * n, size)
                off.append(abs(found / known - 1))
            told = f"a stone that spins at {sense * n:g} rad/s turns round after artanh(n/v)/(s v)"
            yield small("section 29", told, max(off), LEFT * abs(swing.growth * n), kind=Kind.NEW)


def _reversal(p: Mapping[str, float], swing: Swing, n: float, size: float) -> tuple[float, float]:
    """When the spin is gone, and when it should be."""
    start = _begun(stone(), swing, n, size)
    # E0: what there is beside rest and spin
    energy = float(simulate(stone(), start, until=SLOW)["energy"][0])
    swinging = energy - p["m"] * p["g"] * (p["c"] - p["d"]) - p["I3"] * n**2 / 2
    v = math.sqrt(n**2 + 2 * swinging / p["I3"])
    known = math.atanh(abs(n) / v) / (abs(swing.growth) * v)
    path = simulate(stone(), start, until=LONGER * known, rtol=1e-9)
    i = int(np.argmax(path["w3"] * n < 0))
    if not i:  # it still is there
        return math.inf, known
    return float(brentq(lambda t: path.at(t)["w3"], path.t[i - 1], path.t[i])), known


def _begun(equations: Equations, swing: Swing, n: float, size: float) -> Start:
    """Spinning at n, and swinging at a rate of such a size."""
    g1, g2, w1, w2 = (float(x) for x in swing.shape * size / np.abs(swing.shape[2:]).max())
    return equations.start(g1=g1, g2=g2, g3=math.sqrt(1 - g1**2 - g2**2), w1=w1, w2=w2, w3=n)
