"""Poses: each body's frame on the expression graph, turned so that the screen's up is +z.

A frame is 3 x 4 by rows: the body's axes as columns, then its origin. The axes are orthonormal and right-handed; of a
rod the third is half the way from one end to the other. Bodies that stand on each other share
their nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import sympy as sp

from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node
from ..errors import UnknownName
from ..errors.remedies import Option
from ..model.bodies import AXES, UP, Body, Drawn, read_bodies, symbols_of
from ..model.expression_symbols import Reader
from ..model.space import Space
from ..model.system import System

_HEADINGS = ("theta", "phi", "psi", "heading", "yaw")
_SIZE = 0.05  # of a point

Row = tuple[Node, ...]
_TINY = 1e-12  # a length below which a rod has no direction


class Pose(NamedTuple):
    """A body ready to be drawn.

    Attributes:
        name, shape: of the body.
        frame: 12 nodes, a 3 x 4 matrix by rows.
        size: 3 nodes, half the size along each of the body's axes; of a rod 1 along the third.
        trace: the 3 nodes of the traced point, or None.
        both: the same under all principles, drawn once.
    """

    name: str
    shape: str
    frame: Row
    size: Row
    trace: Row | None = None
    both: bool = False


class _Pose(NamedTuple):
    """Three columns and an origin; `axes` carries what stands on it, `drawn` is what is drawn."""

    axes: tuple[Row, Row, Row]
    at: Row
    drawn: tuple[Row, Row, Row]


def bodies_of(system: System) -> tuple[Drawn, ...]:
    """The bodies of a system; those that are guessed, where it has none."""
    return system.bodies or default(system)


def guessed(system: System) -> tuple[str, ...]:
    """What is drawn of a system that has no bodies, in words; nothing of one that has some."""
    if system.bodies:
        return ()
    made = default(system)
    if not made:
        return ("no body is drawn: none is given, and none could be guessed without coordinates x and y",)
    return (f"no body is given: the {made[-1].shape} that is drawn is a guess",)


def poses(system: System, graph: Graph) -> tuple[Pose, ...]:
    """The poses of all bodies, in their order, as nodes of the graph.

    Args:
        system: with `bodies` and `scene`, or without: then they are guessed, and there may be none.
        graph: holds the nodes; its symbols are t, states, and the parameters that the motion depends on. Parameters
            that only bodies hold are put in as numbers.

    Raises:
        UnknownName: E201, a parameter that only bodies hold has no value.
    """
    bodies = bodies_of(system)
    draw = _Poses(system, graph, {body.name: body for body in bodies})
    return tuple(draw.pose(body) for body in bodies)


class _Poses:
    """The frames of one system, each made once."""

    def __init__(self, system: System, graph: Graph, bodies: Mapping[str, Drawn]) -> None:
        self.graph, self.bodies, self.space = graph, bodies, system.space
        first, second, third = UP[system.scene.up]
        self.up = (self._row(first), self._row(second), self._row(third))
        self.frames: dict[str, _Pose] = {}
        self.numbers = _numbers(system, tuple(bodies.values()))

    def pose(self, body: Drawn) -> Pose:
        """One body."""
        frame = self._frame(body)
        turned = [self._up(column) for column in (*frame.drawn, frame.at)]
        rows = tuple(column[i] for i in range(3) for column in turned)
        trace = frame.at if body.trace is True else self.row(body.trace) if body.trace else None
        shown = None if trace is None else self._up(trace)
        return Pose(body.name, body.shape, rows, self._size(body, frame), shown, body.still)

    def row(self, es: Sequence[sp.Expr]) -> Row:
        """Expressions as nodes."""
        return tuple(read(e.xreplace(self.numbers), self.graph) for e in es)

    def _row(self, numbers: Sequence[float]) -> Row:
        return tuple(self.graph.constant(float(x)) for x in numbers)

    def _up(self, v: Row) -> Row:
        """A vector of space as the screen has it."""
        return tuple(_dot(row, v) for row in self.up)

    def _frame(self, body: Drawn) -> _Pose:
        if body.name not in self.frames:
            own = self._rod(body) if body.ends else self._placed(body)
            self.frames[body.name] = _on(self._frame(self.bodies[body.on]), own) if body.on else own
        return self.frames[body.name]

    def _placed(self, body: Drawn) -> _Pose:
        zero = self._row((0, 0, 0))
        axes = self._axes(body)
        if body.shape == "floor":  # its normal is the screen's up
            axes = (_into(axes, self.up[0]), _into(axes, self.up[1]), _into(axes, self.up[2]))
        return _Pose(axes, zero if body.at is None else self.row(body.at), axes)

    def _axes(self, body: Drawn) -> tuple[Row, Row, Row]:
        """R_1 R_2 ... of the turns, each about an axis of the body as it is turned by then."""
        R = (self._row((1, 0, 0)), self._row((0, 1, 0)), self._row((0, 0, 1)))
        for axis, angle in body.turn:
            own = self._rotation(axis) if angle is None else self._about(axis, angle)
            R = (_into(R, own[0]), _into(R, own[1]), _into(R, own[2]))
        return R

    def _rotation(self, name: str) -> tuple[Row, Row, Row]:
        R = self.space.attitudes[name].matrix
        return self.row(R[:, 0]), self.row(R[:, 1]), self.row(R[:, 2])

    def _about(self, axis: str, angle: sp.Expr) -> tuple[Row, Row, Row]:
        (a,) = self.row((angle,))
        c, s = self.graph.apply("cos", a), self.graph.apply("sin", a)
        zero, one = self.graph.constant(0.0), self.graph.constant(1.0)
        k = AXES.index(axis)
        # e_k stays, e_k+1 -> cos e_k+1 + sin e_k+2, e_k+2 -> cos e_k+2 - sin e_k+1
        columns = {k: (one, zero, zero), (k + 1) % 3: (zero, c, s), (k + 2) % 3: (zero, -s, c)}
        return tuple(tuple(columns[j][(i - k) % 3] for i in range(3)) for j in range(3))  # type: ignore[return-value]

    def _rod(self, body: Drawn) -> _Pose:
        """Along its third axis; the two across it follow from w alone, for every w."""
        assert body.ends is not None
        a, b = self.row(body.ends[0]), self.row(body.ends[1])
        half = tuple((y - x) / 2 for x, y in zip(a, b, strict=True))
        length = self.graph.apply("sqrt", _dot(half, half) + _TINY**2)
        w = tuple(x / length for x in half)
        # s = 1 where w_3 >= 0, else -1 ,  k = -1/(s + w_3) ,  h = w_1 w_2 k
        s = self.graph.apply("sign", w[2] + 1e-300)
        k = -1.0 / (s + w[2])
        h = w[0] * w[1] * k
        u = (1 + s * w[0] * w[0] * k, s * h, -(s * w[0]))
        v = (h, s + w[1] * w[1] * k, -w[1])
        return _Pose((u, v, w), tuple((x + y) / 2 for x, y in zip(a, b, strict=True)), (u, v, half))

    def _size(self, body: Drawn, frame: _Pose) -> Row:
        """Half the sizes along the body's axes."""
        if body.size is not None:
            return tuple(x / 2 for x in self.row(body.size))
        one = self.graph.constant(1.0)
        given = {part: self.row((e,))[0] for part, e in body.lengths.items()}
        if body.shape == "rod":
            r = given.get("radius") or self.graph.apply("sqrt", _dot(frame.drawn[2], frame.drawn[2])) / 20
            return r, r, one
        r = given.get("radius", one)
        if body.shape in ("disc", "wheel", "table"):
            return r, r, given.get("thickness", r / 8) / 2
        if body.shape == "cone":
            return r, r, given.get("height", 2 * r) / 2
        return (r, r / 40, r / 4) if body.shape == "blade" else (r, r, r)


def _numbers(system: System, bodies: Sequence[Drawn]) -> dict[sp.Basic, sp.Basic]:
    """Values of the parameters that only bodies hold."""
    own = {s for s in symbols_of(bodies) if s.name in system.parameters and s.name not in system.symbols}
    for s in sorted(own, key=str):
        if system.parameters[s.name] is None:
            fact = f"no value for {s.name} (used in the bodies)"
            raise UnknownName("E201", fact, ("give ", Option("parameters", {s.name: ...})))
    return {s: sp.Float(system.parameters[s.name]) for s in own}


def _on(frame: _Pose, own: _Pose) -> _Pose:
    """What counts in a frame, in space."""
    axes = tuple(_into(frame.axes, column) for column in own.axes)
    drawn = axes if own.drawn is own.axes else tuple(_into(frame.axes, column) for column in own.drawn)
    at = tuple(x + y for x, y in zip(frame.at, _into(frame.axes, own.at), strict=True))
    return _Pose(axes, at, drawn)  # type: ignore[arg-type]


def _into(R: tuple[Row, Row, Row], v: Row) -> Row:
    """R v, R by columns."""
    return tuple(_dot(tuple(column[i] for column in R), v) for i in range(3))


def _dot(a: Row, b: Row) -> Node:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


# --- where no bodies are given ----------------------------------------------------------------------------------------


class Moving(Protocol):
    """What a guess needs of a system."""

    @property
    def space(self) -> Space: ...  # noqa: D102

    @property
    def parameters(self) -> Mapping[str, float | None]: ...  # noqa: D102


def default(system: Moving) -> tuple[Drawn, ...]:
    """A plane and a rotation: a ball; a plane and a heading: a box; a plane or a space: a point; else nothing."""
    names = set(system.space.by_name)
    if not {"x", "y"} <= {q.name for q in system.space.coordinates}:
        return ()
    reader = Reader(system.space, system.parameters)
    return read_bodies([Body("floor"), _body(system, names)], reader, system.parameters)


def _body(system: Moving, names: set[str]) -> Body:
    turned, heading = next(iter(system.space.attitudes), ""), next((n for n in _HEADINGS if n in names), "")
    z = "z" if "z" in names else ""
    radius = "r" if (system.parameters.get("r") or 0) > 0 else 1
    if turned:
        return Body("ball", radius=radius, at=("x", "y", z or radius), turn=turned, trace=("x", "y", z or 0))
    if heading:
        at = ("x", "y", z or _SIZE)
        return Body("box", size=(0.6, 0.3, 0.1), at=at, turn=f"z {heading}", trace=("x", "y", z or 0))
    at = ("x", "y", z or 0)
    return Body("point", radius=sp.Float(_SIZE), at=at, trace=at)
