"""Small systems whose motion is known in closed form, for ``python -m fuzz plausible``.

Each is built once; its parameters and start are drawn anew for every case. The powers of mass, length and time that
every number has let a case be told in other units.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import dalembert as da
from dalembert.equations import Equations

Numbers = dict[str, float]
Columns = dict[str, float]
Powers = tuple[int, int, int]  # of mass, length, time


@dataclass(frozen=True)
class Known:
    """A system and its motion.

    Attributes:
        equations: made when they are first asked for.
        draw: parameters, start, and a time in which the motion changes.
        truth: the columns at the time t after t0.
        powers: of mass, length and time, by the name of a parameter or a state.
        autonomous: does the time occur nowhere?
    """

    name: str
    equations: Callable[[], Equations]
    draw: Callable[[random.Random], tuple[Numbers, Numbers, float]]
    truth: Callable[[Numbers, Numbers, float, float], Columns]
    powers: Mapping[str, Powers]
    autonomous: bool = True


def _made(
    coordinates: str, L: str, parameters: str, principle: str = "free", **more: object
) -> Callable[[], Equations]:
    @cache
    def make() -> Equations:
        declared = dict.fromkeys(parameters.split())
        system = da.System(da.coordinates(coordinates), L, parameters=declared, **more)  # type: ignore[arg-type]
        found: Equations = getattr(da, principle)(system)
        return found

    return make


def log_uniform(rng: random.Random, low: float, high: float) -> float:
    """Evenly in the exponent."""
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def _some(rng: random.Random) -> float:
    return rng.choice((-1, 1)) * log_uniform(rng, 0.1, 10)


def _oscillator(rng: random.Random) -> tuple[Numbers, Numbers, float]:
    m, k = log_uniform(rng, 0.1, 10), log_uniform(rng, 0.1, 10)
    return {"m": m, "k": k}, {"x": _some(rng), "vx": _some(rng)}, 2 * math.pi * math.sqrt(m / k)


def _swings(p: Numbers, s: Numbers, t0: float, t: float) -> Columns:
    w = math.sqrt(p["k"] / p["m"])
    c, n = math.cos(w * t), math.sin(w * t)
    return {"x": s["x"] * c + s["vx"] / w * n, "vx": s["vx"] * c - s["x"] * w * n}


def _thrown(rng: random.Random) -> tuple[Numbers, Numbers, float]:
    g, v = log_uniform(rng, 0.1, 10), _some(rng)
    return {"m": log_uniform(rng, 0.1, 10), "g": g}, {"y": _some(rng), "vy": v}, abs(v) / g


def _falls(p: Numbers, s: Numbers, t0: float, t: float) -> Columns:
    return {"y": s["y"] + s["vy"] * t - p["g"] * t * t / 2, "vy": s["vy"] - p["g"] * t}


def _on_a_rod(rng: random.Random) -> tuple[Numbers, Numbers, float]:
    length, a, w = log_uniform(rng, 0.1, 10), rng.uniform(-3, 3), _some(rng)
    x, y = length * math.cos(a), length * math.sin(a)
    return (
        {"m": log_uniform(rng, 0.1, 10), "l": length},
        {"x": x, "y": y, "vx": -w * y, "vy": w * x},
        2 * math.pi / abs(w),
    )


def _circles(p: Numbers, s: Numbers, t0: float, t: float) -> Columns:
    w = (s["x"] * s["vy"] - s["y"] * s["vx"]) / (s["x"] ** 2 + s["y"] ** 2)
    c, n = math.cos(w * t), math.sin(w * t)
    x, y = s["x"] * c - s["y"] * n, s["y"] * c + s["x"] * n
    return {"x": x, "y": y, "vx": -w * y, "vy": w * x}


def _orbit(rng: random.Random) -> tuple[Numbers, Numbers, float]:
    parameters, start, turn = _on_a_rod(rng)
    w, length = 2 * math.pi / turn, parameters["l"]
    return {"m": parameters["m"], "G": w**2 * length**3}, start, turn


def _skates(rng: random.Random) -> tuple[Numbers, Numbers, float]:
    a, w, v = rng.uniform(-3, 3), _some(rng), _some(rng)
    start = {"x": _some(rng), "y": _some(rng), "a": a, "vx": v * math.cos(a), "vy": v * math.sin(a), "va": w}
    return {"m": log_uniform(rng, 0.1, 10), "J": log_uniform(rng, 0.1, 10)}, start, 2 * math.pi / abs(w)


def _cuts(p: Numbers, s: Numbers, t0: float, t: float) -> Columns:
    v, w, a = s["vx"] * math.cos(s["a"]) + s["vy"] * math.sin(s["a"]), s["va"], s["a"] + s["va"] * t
    return {
        "x": s["x"] + v / w * (math.sin(a) - math.sin(s["a"])),
        "y": s["y"] - v / w * (math.cos(a) - math.cos(s["a"])),
        "a": a,
    }


def _passing(rng: random.Random) -> tuple[Numbers, Numbers, float]:
    r, v, near = log_uniform(rng, 0.1, 10), log_uniform(rng, 0.1, 10), 10.0 ** -rng.randint(0, 16)
    return {"m": log_uniform(rng, 0.1, 10)}, {"r": r, "a": 0.0, "vr": -v, "va": near * v / r}, r / v


def _straight(p: Numbers, s: Numbers, t0: float, t: float) -> Columns:
    x, y = s["r"] + s["vr"] * t, s["r"] * s["va"] * t
    return {"r": math.hypot(x, y)}  # its sign is that of the chart: a path through r = 0 has it negative after


def _driven(rng: random.Random) -> tuple[Numbers, Numbers, float]:
    W = log_uniform(rng, 0.1, 10)
    return (
        {"m": log_uniform(rng, 0.1, 10), "F": _some(rng), "W": W},
        {"x": _some(rng), "vx": _some(rng)},
        2 * math.pi / W,
    )


def _follows(p: Numbers, s: Numbers, t0: float, t: float) -> Columns:
    F, W, begun = p["F"] / p["m"], p["W"], p["W"] * t0
    drift = s["vx"] - F / W * math.sin(begun)
    x = s["x"] + F / W**2 * math.cos(begun) + drift * t - F / W**2 * math.cos(begun + W * t)
    return {"x": x, "vx": drift + F / W * math.sin(begun + W * t)}


_MASS, _LENGTH, _SPEED, _NUMBER, _RATE = (1, 0, 0), (0, 1, 0), (0, 1, -1), (0, 0, 0), (0, 0, -1)
_PLANE = {"m": _MASS, "x": _LENGTH, "y": _LENGTH, "vx": _SPEED, "vy": _SPEED}
_BLADE = {"blade": "vx*sin(a) - vy*cos(a)"}
ROD = {"rod": "x^2 + y^2 - l^2"}
MOVES = "m*(vx^2 + vy^2)/2"
MOTIONS = (
    Known("oscillator", _made("x", "m*vx^2/2 - k*x^2/2", "m k"), _oscillator, _swings, {**_PLANE, "k": (1, 0, -2)}),
    Known("fall", _made("y", "m*vy^2/2 - m*g*y", "m g"), _thrown, _falls, {**_PLANE, "g": (0, 1, -2)}),
    Known(
        "rod",
        _made("x y", MOVES, "m l", "nonholonomic", constraints=ROD),
        _on_a_rod,
        _circles,
        {**_PLANE, "l": _LENGTH},
    ),
    Known(
        "orbit", _made("x y", MOVES + " + m*G/sqrt(x^2 + y^2)", "m G"), _orbit, _circles, {**_PLANE, "G": (0, 3, -2)}
    ),
    Known(
        "skate",
        _made("x y a", MOVES + " + J*va^2/2", "m J", "nonholonomic", constraints=_BLADE),
        _skates,
        _cuts,
        {**_PLANE, "a": _NUMBER, "va": _RATE, "J": (1, 2, 0)},
    ),
    Known(
        "polar",
        _made("r a", "m*(vr^2 + r^2*va^2)/2", "m"),
        _passing,
        _straight,
        {"m": _MASS, "r": _LENGTH, "a": _NUMBER, "vr": _SPEED, "va": _RATE},
    ),
    Known(
        "driven",
        _made("x", "m*vx^2/2", "m F W", forces={"vx": "F*cos(W*t)"}),
        _driven,
        _follows,
        {**_PLANE, "F": (1, 1, -2), "W": _RATE},
        autonomous=False,
    ),
)
