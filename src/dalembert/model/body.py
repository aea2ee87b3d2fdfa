"""Bodies as given: what is drawn of a system, where, and which way up. Pictures: no motion depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import sympy as sp

from ..calculus.letters import free_symbols
from ..given import noun

Expression: TypeAlias = sp.Expr | str | float
Step: TypeAlias = str | tuple[str, Expression]  # of a turn: a rotation, or an angle about an axis

# rows: the axes of the screen, in the space, by the axis that points up
UP = {
    "z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "-z": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "-x": ((0, 1, 0), (0, 0, -1), (-1, 0, 0)),
}
AXES = ("x", "y", "z")


class Shape(NamedTuple):
    """What a shape is given by: the parts of one of its alternatives, and those that may be left out."""

    needs: tuple[tuple[str, ...], ...]
    may: tuple[str, ...] = ()

    @property
    def parts(self) -> set[str]:
        """All parts that it knows."""
        return {part for each in self.needs for part in each} | set(self.may)


SHAPES = {
    "ball": Shape((("radius",),)),
    "ellipsoid": Shape((("size",),)),
    "disc": Shape((("radius",),), ("thickness",)),
    "wheel": Shape((("radius",),), ("thickness",)),
    "box": Shape((("size",),), ("radius",)),
    "rod": Shape((("from", "to"),), ("radius",)),
    "blade": Shape((("size",), ("radius",))),
    "cone": Shape((("radius",),), ("height",)),
    "point": Shape((("radius",),)),
    "table": Shape((("radius",), ("size",)), ("thickness",)),
    "floor": Shape(((),), ("size",)),
    "wall": Shape((("size",),)),
}
STILL = ("table", "floor", "wall")  # drawn once, unless `both` says otherwise


@noun
@dataclass(frozen=True)
class Body:
    """Something that is drawn of a system: a ball, a wheel, a rod, the floor.

    Lengths, places and angles are numbers, expressions, or text in t, coordinates, velocities and parameters; a number
    with a unit, ``"10 cm"``, is one too.

    Args:
        shape: ball, ellipsoid, disc, wheel, box, rod, blade, cone, point, table, floor or wall. Discs, wheels, cones
            and tables have the body's z axis for axis; a rod leads from one point to another.
        name: by default its shape, numbered where another body bears that name.
        radius: of round shapes; of a rod it may be left out. Of the edges of a box, for contacts: drawn sharp.
        thickness: of a disc, wheel or table, along its axis; by default an eighth of the radius.
        height: of a cone; by default twice the radius.
        size: three whole lengths along the body's axes, of a box, ellipsoid, blade, wall or rectangular table.
        from_, to: the ends of a rod (in files ``from`` and ``to``).
        at: the body's own origin: its middle, that of the base for nothing. In space, or in the frame of `on`.
        turn: a rotation of the space by name, ``"R"``; an angle about an axis of the body, ``"z theta"``; or a list of
            these, done one after the other, each about an axis of the body as it is turned by then.
        on: another body, in whose frame `at`, `turn`, `from_` and `to` count.
        trace: a point of space, or True for the body's own origin, that leaves a line behind.
        both: the same under all principles, drawn once; by default true of tables, floors and walls.
    """

    shape: str
    name: str = ""
    radius: Expression | None = None
    thickness: Expression | None = None
    height: Expression | None = None
    size: Sequence[Expression] | None = None
    from_: Sequence[Expression] | None = None
    to: Sequence[Expression] | None = None
    at: Sequence[Expression] | None = None
    turn: str | Sequence[Step] = ()
    on: str = ""
    trace: bool | Sequence[Expression] | None = None
    both: bool | None = None


@dataclass(frozen=True)
class Drawn:
    """A body as it was read: all lengths, places and angles are expressions in the symbols of the system.

    Attributes:
        lengths: `radius`, `thickness`, `height`, as far as they are given.
        size, at, trace: three expressions each, None where they are left out.
        ends: of a rod.
        turn: ``(axis, angle)`` about an axis of the body, or ``(name, None)`` for a rotation of the space.
        still: drawn once for all principles.
    """

    shape: str
    name: str
    lengths: Mapping[str, sp.Expr] = field(default_factory=dict)
    size: tuple[sp.Expr, ...] | None = None
    ends: tuple[tuple[sp.Expr, ...], tuple[sp.Expr, ...]] | None = None
    at: tuple[sp.Expr, ...] | None = None
    turn: tuple[tuple[str, sp.Expr | None], ...] = ()
    on: str = ""
    trace: tuple[sp.Expr, ...] | bool = False
    still: bool = False

    @property
    def measures(self) -> dict[str, tuple[sp.Expr, ...]]:
        """Its sizes by the parts that give them; each is positive."""
        given = {part: (e,) for part, e in self.lengths.items()}
        return given if self.size is None else {**given, "size": self.size}

    @property
    def places(self) -> dict[str, tuple[sp.Expr, ...]]:
        """Its points by the parts that give them."""
        ends = {} if self.ends is None else {"from": self.ends[0], "to": self.ends[1]}
        points = {"at": self.at, "trace": None if isinstance(self.trace, bool) else self.trace}
        return {**ends, **{part: point for part, point in points.items() if point is not None}}

    @property
    def angles(self) -> tuple[sp.Expr, ...]:
        """The angles of its turns."""
        return tuple(angle for _, angle in self.turn if angle is not None)

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """All its expressions."""
        parts = (*self.measures.values(), *self.places.values(), self.angles)
        return tuple(e for part in parts for e in part)


def symbols_of(bodies: Iterable[Drawn]) -> set[sp.Symbol]:
    """All symbols in the expressions of bodies."""
    return {s for body in bodies for e in body.expressions for s in free_symbols(e)}


@dataclass(frozen=True)
class Scene:
    """How bodies are looked at.

    Attributes:
        up: the axis of the space that points up on the screen: z, -z, y, -y, x or -x.
    """

    up: str = "z"


@dataclass(frozen=True)
class Explore:
    """What a live page offers.

    Attributes:
        ranges: ``{name: (lowest, highest)}`` of parameters, start values and multipliers ``lam_<constraint>``.
        until: the time up to which motions are shown.
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    until: float | None = None
