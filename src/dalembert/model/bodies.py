"""Bodies as given: what is drawn of a system, where, and which way up; each refused in its own words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple, TypeAlias

import sympy as sp

from ..argument_checks import noun
from ..calculus.frame import TIME
from ..calculus.quantity import Dimension, has_unit, number, quantity
from ..calculus.symbols import by_name, free_symbols
from ..errors import InvalidValue, UnknownName, WrongType, about, as_given, did_you_mean
from ..errors.lookalike_letters import shape as look
from ..errors.lookalike_letters import strange
from ..errors.remedies import Option
from .expression_symbols import Reader
from .names import key_name

# --- Bodies as given: what is drawn of a system, where, and which way up. Pictures: no motion depends on them --------

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


class ShapeKeys(NamedTuple):
    """What a shape is given by: the parts of one of its alternatives, and those that may be left out."""

    needs: tuple[tuple[str, ...], ...]
    may: tuple[str, ...] = ()

    @property
    def parts(self) -> set[str]:
        """All parts that it knows."""
        return {part for each in self.needs for part in each} | set(self.may)


SHAPES = {
    "ball": ShapeKeys((("radius",),)),
    "ellipsoid": ShapeKeys((("size",),)),
    "disc": ShapeKeys((("radius",),), ("thickness",)),
    "wheel": ShapeKeys((("radius",),), ("thickness",)),
    "box": ShapeKeys((("size",),), ("radius",)),
    "rod": ShapeKeys((("from", "to"),), ("radius",)),
    "blade": ShapeKeys((("size",), ("radius",))),
    "cone": ShapeKeys((("radius",),), ("height",)),
    "point": ShapeKeys((("radius",),)),
    "table": ShapeKeys((("radius",), ("size",)), ("thickness",)),
    "floor": ShapeKeys(((),), ("size",)),
    "wall": ShapeKeys((("size",),)),
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


METRE = Dimension.of({"m": 1})
MOST = 1000
_PARTS = tuple(f.name.rstrip("_") for f in fields(Body))
_LENGTHS = ("radius", "thickness", "height")
_SHOWN = 'bodies=[da.Body("ball", radius="r", at=("x", "y", "r"), turn="R")]'


@dataclass(frozen=True)
class _Reading:
    """What the expressions of bodies may hold."""

    reader: Reader
    known: frozenset[str]

    def expression(self, given: object, where: str) -> sp.Expr:
        """One expression in the time, coordinates, velocities and parameters."""
        if isinstance(given, bool) or given is None:
            raise WrongType("E718", f"{where} must be text or an expression, not {as_given(given)}", 'such as "2*r"')
        e = self.reader.read(given, where)
        for name in sorted(s.name for s in e.free_symbols):
            if name not in self.known:
                fact = f"{where} holds {as_given(name)}, which is no coordinate, velocity or parameter"
                raise UnknownName("E104", fact, did_you_mean(name, self.known))
        return e

    def length(self, given: object, where: str) -> sp.Expr:
        """The same, or a number with a unit of length."""
        if isinstance(given, str) and has_unit(given):
            return sp.Float(quantity(given, where, METRE).value)
        return self.expression(given, where)

    def lengths(self, given: object, where: str) -> tuple[sp.Expr, ...]:
        """Three of them."""
        listed = given.tolist() if hasattr(given, "tolist") else given
        if isinstance(listed, str) or not isinstance(listed, Sequence | sp.MatrixBase) or len(listed) != 3:
            n = len(listed) if isinstance(listed, Sequence) and not isinstance(listed, str) else as_given(given)
            raise InvalidValue("E147", f"{where} is three numbers or expressions, not {n}", '["2*a", "b", "0.1"]')
        return tuple(self.length(each, where) for each in listed)


def read_bodies(given: object, reader: Reader, known: Iterable[str]) -> tuple[Drawn, ...]:
    """The bodies of a system.

    Args:
        given: a list of `Body`, or of the same as mappings, with ``"from"`` for `from_`.
        reader: of expressions.
        known: names of parameters.

    Raises:
        DalembertError: E147 a body that its parts do not make, E148 an unknown parent or turn, E102 a name twice;
            E104 and E7xx for expressions, E206 and E207 for units.
    """
    if isinstance(given, str | Mapping | Body) or not isinstance(given, Iterable | None):
        raise WrongType("E147", f"bodies are a list, not {as_given(given)}", _SHOWN)
    reading = _Reading(reader, frozenset({*known, *reader.own, TIME.name}))
    found: list[Drawn] = []
    named = [_parts(each, n) for n, each in enumerate(() if given is None else given)]
    if len(named) > MOST:
        raise InvalidValue("E147", f"{len(named)} bodies, the limit is {MOST}", "draw fewer")
    names = _names(named)
    for n, (parts, name) in enumerate(zip(named, names, strict=True)):
        with about("bodies", str(n)):
            found.append(_body(n, parts, name, reading))
    _check_parents(found)
    return tuple(found)


def _parts(given: object, n: int) -> dict[str, object]:
    """What is given of one body, by its word in files; what is left out is None."""
    if isinstance(given, Drawn):
        ends = given.ends or (None, None)
        parts = {"shape": given.shape, "name": given.name, **given.lengths, "size": given.size, "at": given.at}
        return parts | {
            **{"from": ends[0], "to": ends[1], "turn": given.turn, "on": given.on},
            **{"trace": given.trace, "both": given.still},
        }
    if isinstance(given, Body):
        return {f.name.rstrip("_"): getattr(given, f.name) for f in fields(given)}
    if not isinstance(given, Mapping):
        raise WrongType("E147", f"a body is a Body, not {as_given(given)}", _SHOWN)
    parts = {str(key): value for key, value in given.items()}
    for key in parts:
        if key not in _PARTS:
            fact = f"a body has no {as_given(key)}"
            raise UnknownName("E147", fact, did_you_mean(key, _PARTS), subject=("bodies", str(n), key))
    return parts


def _names(bodies: Sequence[Mapping[str, object]]) -> list[str]:
    """Their names; those that have none are called by their shape."""
    given = [body.get("name") or "" for body in bodies]
    taken: dict[str, str] = {}
    for n, name in enumerate(given):
        with about("bodies", str(n), "name"):
            if not isinstance(name, str) or not name.isprintable() or len(name) > 100:
                raise InvalidValue("E719", f"{as_given(name)} cannot be the name of a body", Option("name", "ball"))
            wrong = strange(name)
            if wrong is not None:
                raise InvalidValue("E719", f"{as_given(name)} cannot be the name of a body: {wrong[0]}", wrong[1])
            if name and taken.setdefault(look(name), name) and sum(look(str(o)) == look(name) for o in given[:n]):
                raise InvalidValue("E102", f"two bodies are called {as_given(name)}", "give each a name of its own")
    for n, body in enumerate(bodies):
        if not given[n]:
            word, count = str(body.get("shape")), 2
            name = word
            while look(name) in taken:
                name, count = f"{word} {count}", count + 1
            taken[look(name)] = given[n] = name
    return [str(name) for name in given]


def _body(n: int, parts: Mapping[str, object], name: str, reading: _Reading) -> Drawn:
    shape = parts.get("shape")
    if not isinstance(shape, str) or shape not in SHAPES:
        word = "" if shape is None else str(shape)
        fact = f"there is no shape {as_given(shape)}" if word else f"the body {as_given(name)} has no shape"
        raise UnknownName("E147", fact, did_you_mean(word, SHAPES), subject=("bodies", str(n), "shape"))
    given = {key: value for key, value in parts.items() if value is not None}
    _check_parts(n, shape, name, given)

    def of(part: str) -> str:
        return f"{part} of the body {name}"

    def three(part: str) -> tuple[sp.Expr, ...] | None:
        with about("bodies", str(n), part):
            return reading.lengths(given[part], of(part)) if part in given else None

    lengths = {}
    for part in _LENGTHS:
        if part in given:
            with about("bodies", str(n), part):
                lengths[part] = reading.length(given[part], of(part))
    first, last = three("from"), three("to")
    with about("bodies", str(n), "turn"):
        turn = _turn(given.get("turn", ()), of("turn"), reading)
    with about("bodies", str(n), "on"):
        on = _text(given.get("on", ""), of("on"))
    with about("bodies", str(n), "both"):
        still = given.get("both", shape in STILL)
        if not isinstance(still, bool):
            raise WrongType("E147", f"{of('both')} is {as_given(still)}, not true or false", "both=True")
    trace = given.get("trace", False)
    point = trace if isinstance(trace, bool) else three("trace") or False
    ends = None if first is None or last is None else (first, last)
    return Drawn(shape, name, lengths, three("size"), ends, three("at"), turn, on, point, still)


def _check_parts(n: int, shape: str, name: str, given: Mapping[str, object]) -> None:
    """E147: a part that the shape lacks, or one that it has no use for."""
    kind = SHAPES[shape]
    measures = [part for part in (*_LENGTHS, "size", "from", "to") if part in given]
    for part in measures:
        if part not in kind.parts:
            takes = " or ".join(" and ".join(each) for each in kind.needs if each) or "nothing"
            fact = f"the {shape} {as_given(name)} has a {part}, and this shape is given by {takes}"
            raise InvalidValue(
                "E147", fact, f"leave {part} out, or choose another shape", subject=("bodies", str(n), part)
            )
    if not any(set(each) <= set(given) for each in kind.needs):
        lacking = [part for part in kind.needs[0] if part not in given]
        fact = f"the {shape} {as_given(name)} has no {' and no '.join(lacking)}"
        raise InvalidValue("E147", fact, f"give {' and '.join(lacking)}", subject=("bodies", str(n), "shape"))
    if sum(bool(each) and set(each) <= set(given) for each in kind.needs) > 1:
        fact = f"the {shape} {as_given(name)} has a radius and a size"
        raise InvalidValue("E147", fact, "give one of them", subject=("bodies", str(n), "size"))
    lost = [part for part in ("at", "turn") if part in given and given[part] and shape == "rod"]
    if lost:
        fact = f"the rod {as_given(name)} lies where its ends are, and has no {lost[0]}"
        raise InvalidValue("E147", fact, f"leave {lost[0]} out", subject=("bodies", str(n), lost[0]))


def _turn(given: object, where: str, reading: _Reading) -> tuple[tuple[str, sp.Expr | None], ...]:
    """Rotations of the space and angles about axes of the body, in order."""
    one = isinstance(given, tuple) and len(given) == 2 and given[0] in AXES  # an axis with an angle, no list of turns
    steps = [given] if isinstance(given, str) or one else given
    if not isinstance(steps, Sequence):
        raise WrongType("E148", f"{where} is {as_given(given)}", 'turn="R", or turn=["z phi", "y theta"]')
    return tuple(_step(each, where, reading) for each in steps)


def _step(given: object, where: str, reading: _Reading) -> tuple[str, sp.Expr | None]:
    attitudes = reading.reader.space.attitudes
    first, angle = _parted(given, where)
    if angle is None:
        if first in attitudes:
            return first, None
        known = ", ".join(attitudes) or "none"
        fact = f"{where}: the space has no rotation {as_given(first)}; its rotations: {known}"
        raise UnknownName("E148", fact, 'an angle stands behind an axis of the body: "z theta"')
    if first not in AXES:
        fact = f"{where}: {as_given(first)} is no axis of a body"
        raise UnknownName("E148", fact, f'x, y or z: "z {angle}"')
    return first, reading.expression(angle, where)


def _parted(given: object, where: str) -> tuple[str, object]:
    """The axis and the angle, or the name of a rotation and None."""
    if isinstance(given, str):
        first, _, angle = given.strip().partition(" ")
        return first, angle.strip() or None
    if isinstance(given, Sequence) and len(given) == 2 and isinstance(given[0], str):
        return given[0], given[1]
    raise WrongType("E148", f"{where} holds {as_given(given)}", 'turn="R", or turn=["z phi", "y theta"]')


def _text(given: object, where: str) -> str:
    if not isinstance(given, str):
        raise WrongType("E148", f"{where} is {as_given(given)}, not the name of a body", 'on="board"')
    return given


def _check_parents(bodies: Sequence[Drawn]) -> None:
    """E148: a body on one that there is not, or on itself."""
    names = {body.name: body.on for body in bodies}
    for n, body in enumerate(bodies):
        with about("bodies", str(n), "on"):
            if body.on and body.on not in names:
                fact = f"the body {as_given(body.name)} is on {as_given(body.on)}, which is no body"
                raise UnknownName("E148", fact, did_you_mean(body.on, set(names) - {body.name}))
            _check_circle(body.name, names)


def _check_circle(name: str, names: Mapping[str, str]) -> None:
    way, above = [name], names[name]
    while above and above in names:
        if above in way:
            chain = " -> ".join([*way, above])
            raise InvalidValue("E148", f"bodies stand on each other in a circle: {chain}", "leave one `on` out")
        way.append(above)
        above = names[above]


# --- scene and ranges ------------------------------------------------------------------------------------------------


def read_scene(given: object) -> Scene:
    """E149: something else than a direction that points up."""
    parts = {"up": given.up} if isinstance(given, Scene) else {} if given is None else given
    if not isinstance(parts, Mapping):
        raise WrongType("E149", f"a scene is {as_given(given)}", 'scene={"up": "z"}')
    for key in parts:
        if key != "up":
            raise UnknownName(
                "E149", f"a scene has no {as_given(key)}", 'scene={"up": "z"}', subject=("scene", str(key))
            )
    up = parts.get("up", "z")
    if not isinstance(up, str) or up not in UP:
        fact = f"up is {as_given(up)}, and no axis of space"
        raise InvalidValue("E149", fact, f"one of {', '.join(UP)}", subject=("scene", "up"))
    return Scene(up)


def read_explore(given: object, known: Mapping[str, Dimension | None]) -> Explore:
    """Ranges by name, two numbers each, the lower first (E149 if not); `known` names what may have one."""
    parts = (
        {"ranges": given.ranges, "until": given.until}
        if isinstance(given, Explore)
        else {} if given is None else given
    )  # fmt: skip
    if not isinstance(parts, Mapping):
        raise WrongType("E149", f"explore is {as_given(given)}", 'explore={"ranges": {"m": (0.1, 2)}}')
    for key in parts:
        if key not in ("ranges", "until"):
            fact = f"explore has no {as_given(key)}"
            raise UnknownName("E149", fact, 'explore={"ranges": {"m": (0.1, 2)}, "until": 10}', subject=("explore",))
    ranges, until = parts.get("ranges"), parts.get("until")
    if not isinstance(ranges, Mapping | None):
        raise WrongType("E149", f"ranges are given by name, not as {as_given(ranges)}", '{"m": (0.1, 2)}')
    found = {name: _range(name, ends, known) for name, ends in by_name(ranges or {}, "ranges", key_name).items()}
    with about("explore", "until"):
        end = None if until is None else quantity(until, "until", Dimension.of({"s": 1})).value
        if end is not None and end <= 0:
            raise InvalidValue("E149", f"until = {end:.12g} is no time to come", "until = 10")
    return Explore(found, end)


def _range(name: str, given: object, known: Mapping[str, Dimension | None]) -> tuple[float, float]:
    with about("explore", "ranges", name):
        if name not in known:
            fact = f"ranges: {as_given(name)} is no parameter, coordinate, velocity or multiplier"
            raise UnknownName("E149", fact, did_you_mean(name, known))
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
            raise InvalidValue("E149", f"the range of {name} is two numbers, not {as_given(given)}", "[0.1, 2]")
        low, high = (_end(end, name, known[name]) for end in given)
        if not low < high:
            fact = f"the range of {name} leads from {low:.12g} to {high:.12g}"
            raise InvalidValue("E149", fact, "give the lower end first, and another upper one")
        return low, high


def _end(given: object, name: str, needs: Dimension | None) -> float:
    where = f"an end of the range of {name}"
    return quantity(given, where, needs).value if isinstance(given, str) else number(given, where)
