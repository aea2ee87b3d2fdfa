"""Gaits of a snakeboard: one drives, one turns on the spot, one parks sideways [ostrowski1994].

Motors hold both axles at the opposite angles phi = a sin(i t) and the rotor at psi = b sin(j t). With T = tan(phi),
J0 the inertia of the whole about its middle and mu^2 = m + J0 T^2/l^2, Newton and Euler give of the speed v ahead

    d(mu v)/dt = -K T psi''/(l mu) ,   theta' = v T/l

and of small angles, in one period 2 pi,

    i:j = 1:1    v grows by        pi K a b/(m l)
    1:2          theta grows by    2 pi K a^2 b/(m l^2)
    2:3          it moves across   81/8 pi K^2 a^3 b^2/(m^2 l^3)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

from dalembert import System, nonholonomic, simulate
from dalembert.equations import Equations, Start
from dalembert.numerics.families.periodic_orbits import periodic
from dalembert.reconstruction.acting_group import group_of
from dalembert.symmetry import euclidean
from dalembert.systems import snakeboard

from .claim import Claim, Kind, small

LARGE, TINY = (0.4, 0.7), (0.01, 0.01)  # rad
EXACT, SIZED = 1e-8, 1e-3


@cache
def board(i: int, j: int) -> Equations:
    """The snakeboard of the gallery with its axles and its rotor held by motors."""
    given, t = snakeboard.system(), sp.Symbol("t", real=True)
    a, b = sp.symbols("a b")
    phi, psi = a * sp.sin(i * t), b * sp.sin(j * t)
    held = {
        "left": snakeboard.VBACK + phi.diff(t),
        "right": snakeboard.VFRONT - phi.diff(t),
        "motor": snakeboard.VPSI - psi.diff(t),
    }
    rolling = {c.name: c.given for c in given.constraints}
    values = {**given.parameters, "a": LARGE[0], "b": LARGE[1]}
    symmetry = euclidean("x y", "theta")
    return nonholonomic(System(given.space, given.lagrangian, rolling | held, symmetry=symmetry, parameters=values))


def driving() -> Iterator[Claim]:
    """One to one, the board gains speed."""
    for a, b in (LARGE, TINY):
        equations = board(1, 1)
        path, p = simulate(equations, _still(equations, a, b), until=math.tau, rtol=1e-11), _values(equations, a, b)
        end = path.state(math.tau)
        v = math.cos(end["theta"]) * end["vx"] + math.sin(end["theta"]) * end["vy"]
        if (a, b) == LARGE:
            off = abs(v - _by_hand(p, 1, 1)[0])
            yield small("section 21", "the speed that a snakeboard gains 1:1", off, EXACT, kind=Kind.NEW)
        else:
            off = abs(v / (math.pi * p["K"] * a * b / (p["m"] * p["l"])) - 1)
            yield small("section 21", "it drives, by pi K a b/(m l) in a period", off, SIZED)


def returning() -> Iterator[Claim]:
    """One to two it turns, two to three it goes sideways, and it has its speed back."""
    for i, j in ((1, 2), (2, 3)):
        found, known = _drift(i, j, *LARGE), _by_hand(_values(board(i, j), *LARGE), i, j)
        off = float(np.abs(found - known[1:]).max())
        yield small("section 21", f"how a snakeboard drifts in a period {i}:{j}", off, EXACT, kind=Kind.NEW)
        a, b = TINY
        p, found = _values(board(i, j), a, b), _drift(i, j, a, b)
        # 2 pi K a^2 b/(m l^2) ,  81/8 pi K^2 a^3 b^2/(m^2 l^3)
        turn = 2 * math.pi * p["K"] * a**2 * b / (p["m"] * p["l"] ** 2)
        across = 81 / 8 * math.pi * p["K"] ** 2 * a**3 * b**2 / (p["m"] ** 2 * p["l"] ** 3)
        known = np.array([turn, 0, 0] if i == 1 else [0, 0, across])
        off = float(np.abs(found - known).max() / np.abs(known).max())
        does = "it turns, by 2 pi K a^2 b/(m l^2)" if i == 1 else "it goes sideways, by 81/8 pi K^2 a^3 b^2/(m^2 l^3)"
        yield small("section 21", f"{does} in a period", off, SIZED)


def _drift(i: int, j: int, a: float, b: float) -> np.ndarray:
    """The turn and the shifts of a motion that has its shape and its speeds back, from rest."""
    equations = board(i, j)
    orbit = periodic(equations, _still(equations, a, b), period=math.tau, group=group_of(equations, True))
    return np.array([orbit.drift[name] for name in ("turn x y", "shift x", "shift y")])


def _values(equations: Equations, a: float, b: float) -> dict[str, float]:
    return {**equations.system.values(), "a": a, "b": b}


def _still(equations: Equations, a: float, b: float) -> Start:
    """At rest; what the motors hold follows."""
    return equations.start(x=0.0, y=0.0, theta=0.0, psi=0.0, back=0.0, front=0.0, vx=0.0, parameters={"a": a, "b": b})


def _by_hand(p: Mapping[str, float], i: int, j: int) -> np.ndarray:
    """v, theta, x and y after a period from rest."""
    whole = p["J"] + p["K"] + 2 * p["I"]

    def rates(t: float, s: np.ndarray) -> list[float]:
        steered = math.tan(p["a"] * math.sin(i * t))
        mu = math.sqrt(p["m"] + whole * steered**2 / p["l"] ** 2)
        v = s[0] / mu
        pushed = p["K"] * steered * p["b"] * j**2 * math.sin(j * t) / (p["l"] * mu)
        return [pushed, v * steered / p["l"], v * math.cos(s[1]), v * math.sin(s[1])]

    found = solve_ivp(rates, (0.0, math.tau), np.zeros(4), method="DOP853", rtol=1e-12, atol=1e-16).y[:, -1]
    return np.asarray(found / [math.sqrt(p["m"]), 1, 1, 1])
