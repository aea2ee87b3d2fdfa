"""The parts of a machine as they are given: bodies, joints, wheels, loops, relations and forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import sympy as sp

from ..errors import Note
from ..model.bodies import Body

Given: TypeAlias = sp.Expr | str | float
Shape: TypeAlias = Body | Mapping[str, object]
Turn: TypeAlias = str | Sequence[object]


@dataclass(frozen=True)
class GivenBody:
    """A body: mass, centre and tensor about it in axes turned by `turn`, shapes in the body's frame."""

    name: str
    mass: Given = 0.0
    centre: Sequence[Given] = (0.0, 0.0, 0.0)
    inertia: object = None
    turn: Turn = ()
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class GivenJoint:
    """A joint of a kind, between a body and one behind it, at a place in the frame of the first."""

    name: str
    kind: str
    before: str
    behind: str
    at: Sequence[Given] = (0.0, 0.0, 0.0)
    turn: Turn = ()
    axis: str | Sequence[float] = "z"
    pitch: Given | None = None
    follows: tuple[str, Given, Given] | None = None
    spring: Given | None = None
    rest: Given = 0.0
    damping: Given | None = None
    dry: Given | None = None
    armature: Given | None = None
    torque: Given | None = None
    plain: bool = False  # are its coordinates called x, y, theta, as those of a base are?


@dataclass(frozen=True)
class GivenClosure:
    """What closes a loop: a joint between two bodies that have their places already."""

    name: str
    kind: str
    first: str
    second: str
    at: Sequence[Given] = (0.0, 0.0, 0.0)
    other: Sequence[Given] = (0.0, 0.0, 0.0)
    axis: str | Sequence[float] = "z"
    other_axis: str | Sequence[float] | None = None
    length: Given | None = None


@dataclass(frozen=True)
class GivenWheel:
    """What rolls on the ground, ideally or with friction; or a blade that does not skid."""

    name: str
    body: str
    radius: Given | None = None
    at: Sequence[Given] = (0.0, 0.0, 0.0)
    rollers: Given | None = None
    contact: Mapping[str, object] | None = None
    axle: str | Sequence[float] | None = None  # of a disc that is no wheel on a hinge
    along: str | Sequence[float] | None = None  # of a blade


@dataclass(frozen=True)
class GivenForce:
    """A force or a moment on a body, in axes of space or of the body."""

    name: str
    body: str
    components: Sequence[Given]
    at: Sequence[Given] = (0.0, 0.0, 0.0)
    axes: str = "space"
    is_moment: bool = False


@dataclass
class MachineParts:
    """All of them, in the order in which they were given."""

    bodies: dict[str, GivenBody] = field(default_factory=dict)
    joints: dict[str, GivenJoint] = field(default_factory=dict)
    closures: dict[str, GivenClosure] = field(default_factory=dict)
    wheels: dict[str, GivenWheel] = field(default_factory=dict)
    relations: dict[str, Given] = field(default_factory=dict)
    forces: list[GivenForce] = field(default_factory=list)
    doubts: list[Note] = field(default_factory=list)
