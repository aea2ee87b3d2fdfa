"""Three nonholonomic constraints and a moving holonomic one, with starts and what is known of their motions.

* a knife edge on a level plane, psi = xdot sin(theta) - ydot cos(theta) [neimark1972];
* the nonholonomic particle, psi = zdot - y xdot [bloch2015];
* a knife edge on a plate that is shaken to and fro, psi = (xdot - U cos(k t)) sin(theta) - ydot cos(theta);
* a bead on a growing ring, psi = DF with F = x^2 + y^2 - (1 + s t)^2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from dalembert import System, coordinates
from dalembert.calculus.frame import TIME

from .notation import Path


@dataclass(frozen=True, eq=False)
class Example:
    """A system with one constraint ``psi``.

    Attributes:
        name: in words.
        system: the system.
        start: q and Dq that are given; the constraint determines the rest.
        standing: q and Dq where E[psi] is parallel to G1, at t = 0.
    """

    name: str
    system: System
    start: Mapping[str, Any]
    standing: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """The notes' path in this system's coordinates."""
        return Path.of([s.name for s in self.system.space.coordinates])

    @property
    def psi(self) -> sp.Expr:
        """The constraint, parameters as symbols."""
        return self.system.constraints[0].phi


@cache
def knife_edge() -> Example:
    """A skate of mass and inertia 1; given Dq it stays on a circle, or a line."""
    q = coordinates("x y theta")
    psi = q["vx"] * sp.sin(q["theta"]) - q["vy"] * sp.cos(q["theta"])
    system = System(q, _kinetic(q), {"psi": psi}, title="Knife edge on a level plane")
    start = {"x": 0.0, "y": 0.0, "theta": 0.0, "vx": 1.0, "vtheta": 1.0}
    return Example("knife edge", system, start, {**start, "vx": 0.0, "vtheta": 0.0})


@cache
def particle() -> Example:
    """zdot = y xdot; given y = b t it moves on x = (c/b) asinh(b t), z = (c/b) sqrt(1 + b^2 t^2)."""
    q = coordinates("x y z")
    system = System(q, _kinetic(q), {"psi": q["vz"] - q["y"] * q["vx"]}, title="Nonholonomic particle")
    start = {"x": 0.0, "y": 0.0, "z": 1.0, "vx": 1.0, "vy": 1.0}
    return Example("particle zdot = y xdot", system, start, {**start, "vx": 0.0, "vy": 0.0})


@cache
def shaken_plate() -> Example:
    """The skate on a plate that moves with the velocity U cos(k t) along x: affine, and dependent on the time."""
    q = coordinates("x y theta")
    U, k = sp.symbols("U k", positive=True)
    psi = (q["vx"] - U * sp.cos(k * TIME)) * sp.sin(q["theta"]) - q["vy"] * sp.cos(q["theta"])
    system = System(q, _kinetic(q), {"psi": psi}, parameters={"U": 0.5, "k": 2.0}, title="Knife edge on a shaken plate")
    start = {"x": 0.0, "y": 0.0, "theta": 0.0, "vx": 1.0, "vtheta": 1.0}
    return Example("knife edge on a shaken plate", system, start, {**start, "vx": 0.5, "vtheta": 0.0})


@cache
def growing_ring() -> Example:
    """psi = DF for F = x^2 + y^2 - (1 + s t)^2, under the weight (0, -1)."""
    q = coordinates("x y")
    s = sp.Symbol("s", positive=True)
    F = q["x"] ** 2 + q["y"] ** 2 - (1 + s * TIME) ** 2
    psi = F.diff(q["x"]) * q["vx"] + F.diff(q["y"]) * q["vy"] + F.diff(TIME)
    system = System(q, _kinetic(q) - q["y"], {"psi": psi}, parameters={"s": 0.2}, title="Bead on a growing ring")
    start = {"x": 0.6, "y": 0.8, "vx": 1.0}
    return Example("bead on a growing ring", system, start, start)


def nonholonomic_examples() -> tuple[Example, ...]:
    """The three that are not integrable."""
    return knife_edge(), particle(), shaken_plate()


def circle(t: Any) -> tuple[Any, Any]:
    """x, y of the knife edge from its start under (1.231): speed 1 and turning rate 1."""
    return np.sin(t), 1 - np.cos(t)


def particle_path(t: Any) -> tuple[Any, Any]:
    """x, z of the particle from its start under (1.231)."""
    return np.arcsinh(t), np.sqrt(1 + t**2)


def _kinetic(q: Any) -> sp.Expr:
    # L = v v / 2
    return sum(u**2 for u in q.velocities) / 2
