"""Constraints on velocities that are integrable: holonomic ones in disguise, and their neighbours that are not.

Each example has a name; ``system("wheel")`` builds it. Its constraints are written on velocities, and
``VARIANTS[name].facts.integrals`` holds the relations f(t, q) = const that they come from [frobenius1877; lewis1995].

alone
    wheel       vx = r vphi on a line; nested: a cylinder rolling in a cylinder; pencil: y vx = x vy, with an
                integrating factor; sphere: x vx + y vy + z vz = 0
together
    heading     a rolling penny whose heading is held: along and across are integrable only with the third row
    pair        vz = y vx and vy = z vx: neither row is integrable by itself, both together are
    difference  vz = y vx and vw = y vx: only their difference is; one integral, and a nonholonomic rest
with a drift
    lift        vz = c; decay: vz = -k z; rod: a rod that turns steadily: integrable with the time as a coordinate,
                though decay's drift does not lie in D
    slope       vz = k x: D is integrable, but the drift does not lie in D, and there is no integral

Where every row is holonomic, or the constraints are integrable with the time as a coordinate, both principles agree;
for difference and slope they do not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..calculus.frame import TIME
from ..model.space_factors import coordinates
from ..model.symmetry import turns
from ..model.system import System
from .facts import Facts, Starts, Variant

SOURCE = "frobenius1877"


@dataclass(frozen=True)
class Example:
    """What one example is made of: L = 1/2 sum_i inertia_i u_i^2 - potential, and its constraints."""

    coordinates: str
    inertias: tuple[Any, ...]
    potential: Any
    constraints: Mapping[str, Any]
    parameters: Mapping[str, float]
    starts: Starts
    facts: Facts
    velocities: str | None = None
    symmetry: object = None  # all that there is, other than by time


def _integrable(kinds: Mapping[str, str], integrals: Mapping[str, object], dimension: int, starts: Starts) -> Facts:
    """Facts where everything is integrable: D of that dimension has no new brackets, and both principles agree."""
    return Facts(
        kinds=kinds,
        growth=(dimension,),
        generating=False,
        integrals=integrals,
        agree=dict.fromkeys(starts, True),
        coincide="always",
    )


def _wheel() -> Example:
    x, _phi, vx, vphi = coordinates("x phi")
    m, r, J, g, slope = sp.symbols("m r J g alpha", positive=True)
    starts = {"rolling": {"x": 0.1, "phi": 0.0, "vx": 0.5}}
    return Example(
        coordinates="x phi",
        inertias=(m, J),
        potential=-m * g * sp.sin(slope) * x,
        constraints={"roll": vx - r * vphi},
        parameters={"m": 1.0, "r": 0.4, "J": 0.08, "g": 9.81, "alpha": 0.2},
        starts=starts,
        facts=_integrable({"roll": "linear"}, {"roll": x - r * _phi}, 1, starts),
        symmetry="phi",
    )


def _nested() -> Example:
    theta, phi, vtheta, vphi = coordinates("theta phi")
    m, R, r, J, g = sp.symbols("m R r J g", positive=True)
    starts = {"rocking": {"theta": 0.9, "phi": 0.0, "vtheta": 0.0}}
    return Example(
        coordinates="theta phi",
        inertias=(m * (R - r) ** 2, J),
        potential=-m * g * (R - r) * sp.cos(theta),
        constraints={"roll": (R - r) * vtheta - r * vphi},
        parameters={"m": 1.0, "R": 1.2, "r": 0.3, "J": 0.045, "g": 9.81},
        starts=starts,
        facts=_integrable({"roll": "linear"}, {"roll": (R - r) * theta - r * phi}, 1, starts),
        symmetry="phi",
    )


def _pencil() -> Example:
    x, y, vx, vy = coordinates("x y")
    m, k = sp.symbols("m k", positive=True)
    starts = {"on a ray": {"x": 1.0, "y": 0.5, "vx": 0.3}}
    return Example(
        coordinates="x y",
        inertias=(m, m),
        potential=k / 2 * ((x - 2) ** 2 + y**2),
        constraints={"ray": y * vx - x * vy},
        parameters={"m": 1.0, "k": 0.5},
        starts=starts,
        facts=_integrable({"ray": "linear"}, {"slope": y / x}, 1, starts),
    )


def _sphere() -> Example:
    x, y, z, vx, vy, vz = coordinates("x y z")
    m, g = sp.symbols("m g", positive=True)
    starts = {"swinging": {"x": 0.6, "y": 0.0, "z": -0.8, "vx": 0.4, "vy": 0.7}}
    return Example(
        coordinates="x y z",
        inertias=(m, m, m),
        potential=m * g * z,
        constraints={"tangent": x * vx + y * vy + z * vz},
        parameters={"m": 1.0, "g": 3.0},
        starts=starts,
        facts=_integrable({"tangent": "linear"}, {"radius": x**2 + y**2 + z**2}, 2, starts),
        symmetry=turns("x y"),
    )


def _heading() -> Example:
    x, y, heading, psi, vx, vy, turning, vpsi = coordinates("x y heading psi", "vx vy turning vpsi")
    m, R, C, A, k = sp.symbols("m R C A k", positive=True)
    starts = {"rolling": {"x": 0.0, "y": 0.0, "heading": 0.7, "psi": 0.0, "vpsi": 2.0}}
    rows = {"along": vx - R * sp.cos(heading) * vpsi, "across": vy - R * sp.sin(heading) * vpsi, "held": turning}
    integrals = {"along": x - R * sp.cos(heading) * psi, "across": y - R * sp.sin(heading) * psi, "held": heading}
    return Example(
        coordinates="x y heading psi",
        inertias=(m, m, A, C),
        potential=k / 2 * x**2,
        constraints=rows,
        parameters={"m": 1.0, "R": 0.5, "C": 0.125, "A": 0.0625, "k": 1.5},
        starts=starts,
        facts=_integrable(dict.fromkeys(rows, "linear"), integrals, 1, starts),
        velocities="vx vy turning vpsi",
        symmetry="y psi",
    )


def _pair() -> Example:
    x, y, z, w, vx, vy, vz, _vw = coordinates("x y z w")
    m, k = sp.symbols("m k", positive=True)
    starts = {"moving": {"x": 0.0, "y": 0.6, "z": -0.3, "w": 0.2, "vx": 0.5, "vw": 0.4}}
    rows = {"first": vz - y * vx, "second": vy - z * vx}
    integrals = {"sum": (y + z) * sp.exp(-x), "difference": (y - z) * sp.exp(x)}
    return Example(
        coordinates="x y z w",
        inertias=(m, m, m, m),
        potential=k / 2 * (x**2 + w**2 + x * w),
        constraints=rows,
        parameters={"m": 1.0, "k": 1.0},
        starts=starts,
        facts=_integrable(dict.fromkeys(rows, "linear"), integrals, 2, starts),
    )


def _difference() -> Example:
    _x, y, z, w, vx, vy, vz, vw = coordinates("x y z w")
    m = sp.Symbol("m", positive=True)
    rows = {"first": vz - y * vx, "second": vw - y * vx}
    return Example(
        coordinates="x y z w",
        inertias=(m, m, m, m),
        potential=sp.Integer(0),
        constraints=rows,
        parameters={"m": 1.0},
        starts={
            "curved": {"x": 0.0, "y": -0.6, "z": 0.0, "w": 0.5, "vx": 1.1, "vy": 0.8},
            "along y": {"x": 0.0, "y": -0.6, "z": 0.0, "w": 0.5, "vx": 0.0, "vy": 0.8},
        },
        facts=Facts(
            kinds=dict.fromkeys(rows, "linear"),
            growth=(2, 3),
            generating=False,
            integrals={"difference": z - w},
            conserved={"across": vy, "along": vx * sp.sqrt(1 + 2 * y**2)},
            agree={"curved": False, "along y": True},
            where=[[vx], [vy]],
            multipliers={"lam_first": sp.Integer(0), "lam_second": sp.Integer(0)},
        ),
        symmetry="x z w",
    )


def _lift() -> Example:
    x, z, _vx, vz = coordinates("x z")
    m, k, c = sp.symbols("m k c", positive=True)
    starts = {"lifted": {"x": 0.3, "z": 0.0, "vx": 0.5}}
    return Example(
        coordinates="x z",
        inertias=(m, m),
        potential=k / 2 * x**2 * (1 + z**2),
        constraints={"lift": vz - c},
        parameters={"m": 1.0, "k": 2.0, "c": 0.7},
        starts=starts,
        facts=_integrable({"lift": "affine"}, {"lift": z - c * TIME}, 1, starts),
    )


def _decay() -> Example:
    x, z, _vx, vz = coordinates("x z")
    m, k, stiffness = sp.symbols("m k stiffness", positive=True)
    starts = {"decaying": {"x": 0.3, "z": 1.1, "vx": 0.5}}
    return Example(
        coordinates="x z",
        inertias=(m, m),
        potential=stiffness / 2 * x**2 * (1 + z**2),
        constraints={"decay": vz + k * z},
        parameters={"m": 1.0, "stiffness": 2.0, "k": 0.7},
        starts=starts,
        facts=_integrable({"decay": "affine"}, {"decay": z * sp.exp(k * TIME)}, 1, starts),
    )


def _rod() -> Example:
    x, y, vx, vy = coordinates("x y")
    m, rate = sp.symbols("m Omega", positive=True)
    s, c = sp.sin(rate * TIME), sp.cos(rate * TIME)
    starts = {"sliding out": {"x": 0.5, "y": 0.0, "vx": -0.3}}
    return Example(
        coordinates="x y",
        inertias=(m, m),
        potential=sp.Integer(0),
        constraints={"rod": vx * s - vy * c + rate * (x * c + y * s)},
        parameters={"m": 1.0, "Omega": 0.9},
        starts=starts,
        facts=_integrable({"rod": "affine"}, {"offset": x * s - y * c}, 1, starts),
    )


def _slope() -> Example:
    x, _z, vx, vz = coordinates("x z")
    m, k = sp.symbols("m k", positive=True)
    return Example(
        coordinates="x z",
        inertias=(m, m),
        potential=sp.Integer(0),
        constraints={"slope": vz - k * x},
        parameters={"m": 1.0, "k": 0.7},
        starts={"moving": {"x": 0.3, "z": 0.0, "vx": 0.5}, "staying": {"x": 0.3, "z": 0.0, "vx": 0.0}},
        facts=Facts(
            kinds={"slope": "affine"},
            growth=(1,),
            generating=False,
            conserved={"across": vx},
            agree={"moving": False, "staying": True},
            where=[[vx]],
            multipliers={"lam_slope": sp.Integer(0)},
        ),
        symmetry="z",
    )


EXAMPLES: dict[str, Example] = {
    "wheel": _wheel(),
    "nested": _nested(),
    "pencil": _pencil(),
    "sphere": _sphere(),
    "heading": _heading(),
    "pair": _pair(),
    "difference": _difference(),
    "lift": _lift(),
    "decay": _decay(),
    "rod": _rod(),
    "slope": _slope(),
}
STARTS = EXAMPLES["wheel"].starts
START = STARTS["rolling"]
FACTS = EXAMPLES["wheel"].facts


def _variant(name: str) -> Variant:
    return Variant({"example": name}, EXAMPLES[name].starts, EXAMPLES[name].facts)


VARIANTS = {
    "nested": _variant("nested"),
    "pencil": _variant("pencil"),
    "sphere": _variant("sphere"),
    "heading": _variant("heading"),
    "pair": _variant("pair"),
    "difference": _variant("difference"),
    "lift": _variant("lift"),
    "decay": _variant("decay"),
    "rod": _variant("rod"),
    "slope": _variant("slope"),
}


def _point(*at: str) -> list[dict[str, object]]:
    place = list(at)
    return [{"shape": "floor"}, {"shape": "point", "radius": 0.05, "at": place, "trace": True}]


def _bar(name: str, *ends: list[object]) -> dict[str, object]:
    return {"name": name, "shape": "rod", "radius": 0.015, "from": ends[0], "to": ends[1]}


_PENNY = {"name": "penny", "shape": "disc", "radius": "R", "thickness": "R/10", "at": ["x", "y", "R"]}
_ROLLER = {"name": "wheel", "shape": "wheel", "radius": "r", "thickness": "r/4", "on": "slope", "at": ["x", 0, "r"]}
_INSIDE = ["(R - r)*sin(theta)", "-(R - r)*cos(theta)", 0]
_LINE = ["cos(Omega*t)", "sin(Omega*t)"]
BODIES: dict[str, list[dict[str, object]]] = {
    "wheel": [{"name": "slope", "shape": "floor", "turn": "y alpha"}, {**_ROLLER, "turn": ["x -pi/2", "z phi"]}],
    "nested": [
        {"name": "hollow", "shape": "disc", "radius": "R", "thickness": 0.02, "at": [0, 0, -0.2], "both": True},
        {"name": "roller", "shape": "disc", "radius": "r", "thickness": 0.3, "at": _INSIDE, "turn": "z -phi"},
    ],
    "pencil": [*_point("x", "y", "0"), _bar("ray", [0, 0, 0], ["x", "y", 0])],
    "sphere": [*_point("x", "y", "z"), _bar("arm", [0, 0, 0], ["x", "y", "z"])],
    "heading": [{"shape": "floor"}, {**_PENNY, "turn": ["z heading", "x -pi/2", "z psi"], "trace": ["x", "y", 0]}],
    "pair": _point("x", "y", "z"),
    "difference": _point("x", "y", "z"),
    "lift": _point("x", "0", "z"),
    "decay": _point("x", "0", "z"),
    "rod": [*_point("x", "y", "0"), _bar("rod", [f"-2*{e}" for e in _LINE] + [0], [f"2*{e}" for e in _LINE] + [0])],
    "slope": _point("x", "0", "z"),
}


def system(example: str = "wheel", **parameters: float) -> System:
    """The example of that name.

    Args:
        example: a key of `EXAMPLES`.
        parameters: values in place of its own.

    Raises:
        KeyError: no example has that name.
    """
    e = EXAMPLES[example]
    space = coordinates(e.coordinates, e.velocities)
    T = sum(J * u**2 for J, u in zip(e.inertias, space.velocities, strict=True)) / 2
    return System(
        space=space,
        lagrangian=T - e.potential,
        constraints=e.constraints,
        symmetry=e.symmetry,
        parameters={**e.parameters, **parameters},
        bodies=BODIES[example],
        scene={"up": "y"} if example == "nested" else None,
        explore={"ranges": {name: (value / 3, 3 * value) for name, value in e.parameters.items()}},
        title=f"Disguised holonomic: {example}",
        cite=SOURCE,
    )


EXACT = ("x", "phi", "vx", "vphi")


def exact(t: ArrayLike, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` of the wheel at times t, shape (4, ...): (m + J/r^2) vxdot = m g sin(alpha), r phi as x.

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: m, r, J, g, alpha.
    """
    x, phi, vx, _ = start
    m, r, J, g, slope = (parameters[name] for name in ("m", "r", "J", "g", "alpha"))
    t, push = np.asarray(t, float), m * g * math.sin(slope) / (m + J / r**2)
    way, speed = vx * t + push * t**2 / 2, vx + push * t
    return np.array([x + way, phi + way / r, speed, speed / r])
