"""Symmetries as given: infinitesimal generators, cyclic coordinates, groups that act on factors of the space.

A generator is a field on the space, q moves with E x: components x^a(q) in the frame. Its bracket is that of the frame.

    symmetry="x y"                                     cyclic coordinates
    symmetry={"turn": {"x": -y, "y": x, "theta": 1}}   rates of coordinates, or components along velocities
    symmetry=[da.symmetry.euclidean("x y", headings="theta"), da.symmetry.spin("R")]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..argument_checks import public
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.simplification import short
from ..calculus.symbols import by_name
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..errors.remedies import Call
from .expression_symbols import Reader
from .names import check_name, key_name
from .space import Space

AXES = ("1", "2", "3")
_POINTS, _TOLERANCE = 3, 1e-9
Field = Mapping[Any, Any]


@dataclass(frozen=True)
class Generator:
    """An infinitesimal symmetry.

    Attributes:
        name: what the user calls it.
        components: x^a(q), one per velocity of the space; coordinates move with E x.
    """

    name: str
    components: tuple[sp.Expr, ...]

    def __str__(self) -> str:
        return self.name


class AngularVelocity(NamedTuple):
    """An angular velocity, in space components (R' = hat(w) R) or in body components (R' = R hat(w))."""

    w: tuple[Any, Any, Any]
    frame: str = "space"


@dataclass(frozen=True)
class Translations:
    """R^n shifting coordinates; see `translations`."""

    coordinates: tuple[str, ...]

    def fields(self, space: Space) -> dict[str, Field]:
        """Generators by name, as rates of coordinates."""
        return {f"shift {name}": {name: 1} for name in self.coordinates}


@dataclass(frozen=True)
class Turns:
    """SO(2) turning a plane; see `turns`."""

    plane: tuple[str, str]
    headings: tuple[str, ...]

    def fields(self, space: Space) -> dict[str, Field]:
        """The one generator, as rates of coordinates."""
        x, y = (_coordinate(space, name) for name in self.plane)
        return {f"turn {x} {y}": {x: -y, y: x, **_turned(space, self.headings, 2)}}


@dataclass(frozen=True)
class Rotations:
    """SO(3), or the turns about one axis, acting from the left; see `rotations`."""

    names: tuple[str, ...]
    vectors: tuple[tuple[str, str, str], ...]
    axes: tuple[int, ...]

    def fields(self, space: Space) -> dict[str, Field]:
        """A generator for each axis, as rates of coordinates or components along velocities."""
        return {f"rotation {AXES[i]}": self._field(space, i) for i in self.axes}

    def _field(self, space: Space, axis: int) -> Field:
        field = _turned(space, self.names, axis)
        for names in self.vectors:
            v = [_coordinate(space, name) for name in names]
            # v' = e x v
            field |= zip(v, sp.Matrix(_unit(axis)).cross(sp.Matrix(v)), strict=True)
        return field


@dataclass(frozen=True)
class Spin:
    """SO(2) turning a body about an axis of its own, from the right; see `spin`."""

    name: str
    axis: tuple[Any, Any, Any]

    def fields(self, space: Space) -> dict[str, Field]:
        """The one generator, as rates of coordinates."""
        _attitude(space, self.name)
        about = "" if tuple(self.axis) == (0, 0, 1) else f" {self.axis}"
        return {f"spin {self.name}{about}": {self.name: AngularVelocity(self.axis, "body")}}


Group = Translations | Turns | Rotations | Spin


@public
def translations(coordinates: object) -> Translations:
    """R^n shifting the named coordinates: ``translations("x y")``."""
    return Translations(_names(coordinates, "translations"))


@public
def turns(plane: Any, headings: object = ()) -> Turns:
    """SO(2) turning a plane about its origin, and with it headings (angles against x) and rotations (about axis 3).

    Args:
        plane: two Cartesian coordinates, ``"x y"``.
        headings: names of angles and of rotations that turn along.
    """
    names = _names(plane, "turns")
    if len(set(names)) != 2 or len(names) != 2:
        raise InvalidValue(
            "E125", f"a plane has two coordinates, not {len(set(names))}", Call("symmetry.turns", '"x y", "theta"')
        )
    return Turns((names[0], names[1]), _names(headings, "headings"))


@public
def euclidean(plane: Any, headings: object = ()) -> tuple[Translations, Turns]:
    """SE(2): shifts and turns of a plane; arguments as for `turns`."""
    turning = turns(plane, headings)
    return Translations(turning.plane), turning


@public
def rotations(names: object = (), vectors: Any = (), axis: int | None = None) -> Rotations:
    """SO(3) turning bodies, directions and vectors in space.

    Args:
        names: names of rotations and of directions of the space.
        vectors: triples of Cartesian coordinates, ``["x y z"]``.
        axis: 1, 2 or 3 for the turns about that axis alone.
    """
    if isinstance(vectors, bytes) or not isinstance(vectors, str | Sequence):
        raise WrongType("E125", f"vectors = {as_given(vectors)}", Call("symmetry.rotations", '"R", vectors=["x y z"]'))
    triples = [_names(v, "vectors") for v in ([vectors] if isinstance(vectors, str) else vectors)]
    if any(len(v) != 3 for v in triples):
        raise InvalidValue(
            "E125", "a vector has three coordinates", Call("symmetry.rotations", '"R", vectors=["x y z"]')
        )
    turned = _names(names, "rotations")
    if not turned and not triples:
        raise InvalidValue("E125", "rotations of nothing", Call("symmetry.rotations", '"R", vectors=["x y z"]'))
    return Rotations(turned, tuple(triples), _axes(axis))  # type: ignore[arg-type]


def _axes(axis: Any) -> tuple[int, ...]:
    """Positions of the axes: all, or the one given as 1, 2 or 3."""
    if axis is None:
        return (0, 1, 2)
    if isinstance(axis, bool) or not isinstance(axis, Integral) or axis not in (1, 2, 3):
        raise InvalidValue("E125", f"axis = {as_given(axis)}", "1, 2 or 3, or leave it out for all")
    return (int(axis) - 1,)


@public
def spin(name: object = "R", axis: Sequence[Any] = (0, 0, 1)) -> Spin:
    """SO(2) turning a body about an axis fixed in it: an axisymmetric body has this symmetry.

    Args:
        name: of the rotation.
        axis: the axis in the body, three components.
    """
    names = _names(name, "spin")
    if len(names) != 1:
        raise InvalidValue("E125", f"spin turns one rotation, not {len(names)}", Call("symmetry.spin", '"R"'))
    return Spin(names[0], _three(axis))


def _three(axis: Any) -> tuple[Any, Any, Any]:
    """Three components of a list, an array or a matrix."""
    parts = np.ravel(axis).tolist() if isinstance(axis, np.ndarray) else axis
    if not _several(parts) or len(parts) != 3 or any(_several(part) for part in parts):
        raise InvalidValue("E125", f"axis = {as_given(axis)}", "three components in the body, such as (0, 0, 1)")
    if all(part == 0 for part in parts):
        raise InvalidValue("E125", f"axis = {as_given(axis)} has no direction", "for example (0, 0, 1)")
    return (parts[0], parts[1], parts[2])


def _several(given: object) -> bool:
    """Is it a list of things, and no text?"""
    return isinstance(given, Sequence | sp.MatrixBase | np.ndarray) and not isinstance(given, str | bytes)


# --- reading --------------------------------------------------------------------------------------------------------


def generators(given: object, reader: Reader) -> tuple[Generator, ...]:
    """The generators of a symmetry as given.

    Raises:
        DalembertError: E104 a name that the space lacks, E102 two of one name, E125 something that is no symmetry, or a
            motion that the space does not allow.
    """
    found: list[Generator] = []
    for name, field in _fields(given, reader.space):
        label = check_name(name, "a generator") if name.isidentifier() else name
        if label in {g.name for g in found}:
            raise InvalidValue("E102", f"two generators are called {as_given(label)}", "give each a name of its own")
        x = _components(label, field, reader)
        if all(e == 0 for e in x):
            raise InvalidValue("E125", f"generator {label} moves nothing", "correct it, or leave it out")
        found.append(Generator(label, x))
    return tuple(found)


def _fields(given: object, space: Space) -> Iterable[tuple[str, Field]]:
    if given is None:
        return
    if isinstance(given, Generator):
        yield given.name, _of_this_space(given, space)
    elif isinstance(given, Translations | Turns | Rotations | Spin):
        yield from given.fields(space).items()
    elif isinstance(given, str | sp.Symbol):
        for name in _names(given, "symmetry"):
            yield name, {_coordinate(space, name): 1}
    elif isinstance(given, Mapping):
        for name, field in given.items():
            if not isinstance(field, Mapping) or not isinstance(name, str):
                raise WrongType(
                    "E125", "a generator is a mapping from names to rates", '{"turn": {"x": -y, "y": x, "theta": 1}}'
                )
            yield name, field
    elif isinstance(given, Sequence | set) and not isinstance(given, bytes):
        for part in given:
            yield from _fields(part, space)
    else:
        raise WrongType(
            "E125",
            f"symmetry is {kind_of(given)}",
            'name cyclic coordinates, "x y", or give generators: {"turn": {"x": -y, "y": x}}',
        )


def _of_this_space(given: Generator, space: Space) -> Field:
    """Its components along velocities."""
    if len(given.components) != len(space.velocities):
        raise InvalidValue(
            "E125",
            f"generator {given.name} has {len(given.components)} components, the space {len(space.velocities)} "
            "velocities: it moves another space",
            "give it anew, by the names of this space",
        )
    return dict(zip(space.velocities, given.components, strict=True))


def _components(name: str, field: Field, reader: Reader) -> tuple[sp.Expr, ...]:
    """x^a: the components given along velocities and angular velocities, and what moves the coordinates as given."""
    space = reader.space
    x = dict.fromkeys(space.velocities, sp.S.Zero)
    rates: dict[sp.Symbol, sp.Expr] = {}
    given: set[sp.Symbol] = set()
    for label, value in by_name(field, f"generator {name}", key_name).items():
        if _turns_as_body(space, label):
            part = _angular(name, label, value, reader)
        elif label in space.by_name:
            part = {space.by_name[label]: _read(name, value, reader)}
        else:
            known = [*space.by_name, *space.attitudes]
            raise UnknownName("E104", f"generator {name}: {label} is not in the space", did_you_mean(label, known))
        if given & part.keys():
            fact = f"generator {name}: {label} gives {min(map(str, given & part.keys()))}, which is given already"
            raise InvalidValue("E125", fact, "give each component once")
        given |= part.keys()
        for symbol, e in part.items():
            (x if symbol in x else rates)[symbol] = e
    if not any(e != 0 for e in x.values()):
        alone = _alone(space, rates)
        if alone is not None:
            return alone
    return tuple(x.values()) if not rates and not _mixed(x, space) else _completed(name, space, x, rates)


def _alone(space: Space, rates: Mapping[sp.Symbol, sp.Expr]) -> tuple[sp.Expr, ...] | None:
    """x where each named coordinate has a velocity of its own that is its rate and moves nothing else; else None."""
    held, found = space.frame.held, dict.fromkeys(range(len(space.velocities)), sp.S.Zero)
    moved = Counter(a for row in held for a, _ in row)
    rows = dict(zip(space.coordinates, held, strict=True))
    for q, rate in rates.items():
        row = rows[q]
        if len(row) != 1 or row[0][1] != 1 or moved[row[0][0]] != 1:
            return None
        found[row[0][0]] = rate
    return tuple(found.values())


def _read(name: str, value: Any, reader: Reader) -> sp.Expr:
    # is it a number that is not finite?
    if isinstance(value, sp.Expr):
        infinite = value in (sp.nan, sp.oo, -sp.oo, sp.zoo)
    else:
        infinite = isinstance(value, float | np.floating) and not np.isfinite(value)
    if infinite:
        raise InvalidValue("E203", f"generator {name}: {value} is not a finite number", '{"x": 1}')
    e = reader.read(value, f"generator {name}")
    free = e.free_symbols
    if free and free & {TIME, *reader.space.velocities}:
        fact = f"generator {name} depends on a velocity or on the time"
        raise InvalidValue("E125", fact, "coordinates and parameters only")
    return e


def _angular(name: str, turned: str, value: Any, reader: Reader) -> dict[sp.Symbol, sp.Expr]:
    """Components of the angular velocity of a rotation or a direction, in the frame of its velocities."""
    space = reader.space
    turning = value if isinstance(value, AngularVelocity) else AngularVelocity(value)
    if not isinstance(turning.w, Sequence | sp.MatrixBase) or isinstance(turning.w, str) or len(turning.w) != 3:
        raise InvalidValue("E125", f"generator {name}: {turned} turns with a vector", f'{{"{turned}": (0, 0, 1)}}')
    w = sp.Matrix([_read(name, e, reader) for e in turning.w])
    columns = _turning_columns(space, turned)
    own = "body" if space.brackets[columns[0], columns[1]][columns[2]] == 1 else "space"
    if own != turning.frame:
        R = _attitude(space, turned).matrix
        w = R * w if own == "space" else R.T * w
    return {space.velocities[a]: e for a, e in zip(columns, w, strict=True)}


def _turning_columns(space: Space, name: str) -> list[int]:
    """Positions of the three velocities that turn a rotation or a direction."""
    triple = [space.by_name.get(f"{name}{i}") for i in AXES]
    turned = space.attitudes[name].coordinates if name in space.attitudes else triple
    rows = [space.coordinates.index(c) for c in turned if c in space.coordinates]
    columns = [a for a in range(space.anchor.cols) if any(space.anchor[i, a] != 0 for i in rows)]
    if len(columns) != 3 or tuple(columns[:2]) not in space.brackets:
        raise InvalidValue("E125", f"{name} is not moved by an angular velocity", "give components along velocities")
    return columns


def _mixed(x: Mapping[sp.Symbol, sp.Expr], space: Space) -> bool:
    """Do turning velocities move positions too, as in a spatial twist?"""
    used = [a for a, e in enumerate(x.values()) if e != 0]
    turned = {c for attitude in space.attitudes.values() for c in attitude.coordinates}
    rows = [i for i, q in enumerate(space.coordinates) if q not in turned]
    columns = {a for name in space.attitudes for a in _turning_columns(space, name)}
    return any(space.anchor[i, a] != 0 for i in rows for a in used if a in columns)


def _completed(
    name: str, space: Space, x: Mapping[sp.Symbol, sp.Expr], rates: Mapping[sp.Symbol, sp.Expr]
) -> tuple[sp.Expr, ...]:
    """x and what else is needed so that the coordinates move at these rates, those not named at 0."""
    turned = {c for attitude in space.attitudes.values() for c in attitude.coordinates} - set(rates)
    columns = [a for a, u in enumerate(space.velocities) if x[u] == 0 and _moves(space, a, turned)]
    rows = [i for i in range(space.anchor.rows) if any(space.anchor[i, a] != 0 for a in columns)]
    given = sp.Matrix([x[u] for u in space.velocities])
    left = sp.Matrix([rates.get(q, sp.S.Zero) for q in space.coordinates]) - sp.Matrix(space.anchor) * given
    block, right = sp.Matrix(space.anchor).extract(rows, columns), sp.Matrix([left[i] for i in rows])
    found = list(given)
    for a, e in zip(columns, _least(space, block, right), strict=True):
        found[a] = e
    _check(name, space, rates, found, turned)
    return tuple(found)


def _moves(space: Space, a: int, turned: set[sp.Symbol]) -> bool:
    """Does this velocity move coordinates, and none of a rotation?"""
    moved = {q for i, q in enumerate(space.coordinates) if space.anchor[i, a] != 0}
    return bool(moved) and not moved & turned


def _least(space: Space, block: sp.Matrix, right: sp.Matrix) -> list[sp.Expr]:
    """(E^T E)^-1 E^T right; a Gram matrix that is constant on the space is taken as such."""
    if not any(e != 0 for e in right):
        return [sp.S.Zero] * block.cols
    gram = block.T * block
    if gram == sp.eye(block.cols):
        return list(block.T * right)
    constant = _constant(space, gram)
    inverse = (gram.applyfunc(short) if constant is None else constant).pinv()
    return [short(e) for e in inverse * block.T * right]


def _constant(space: Space, matrix: sp.Matrix) -> sp.Matrix | None:
    """The matrix with numbers in place of entries, if all are constant over the space."""
    if matrix.free_symbols - set(space.coordinates):
        return None
    graph, rng = Graph(), np.random.default_rng(1)
    nodes = [read(e, graph) for e in matrix]
    values = np.array([evaluate(nodes, space.sample(rng)) for _ in range(_POINTS)], float)
    if np.ptp(values, axis=0).max(initial=0.0) > _TOLERANCE:
        return None
    return sp.Matrix(matrix.rows, matrix.cols, [sp.nsimplify(v, rational=True, tolerance=1e-10) for v in values[0]])


def _check(
    name: str,
    space: Space,
    rates: Mapping[sp.Symbol, sp.Expr],
    x: Sequence[sp.Expr],
    turned: set[sp.Symbol],
) -> None:
    """Refuse a motion of the coordinates that no velocity of the space makes."""
    moved = dict(zip(space.coordinates, sp.Matrix(space.anchor) * sp.Matrix(x), strict=True))
    graph = Graph()
    nodes = {q: read(e - rates.get(q, sp.S.Zero), graph) for q, e in moved.items() if q not in turned}
    names = {s.name for e in (*moved.values(), *rates.values()) for s in e.free_symbols} - set(space.by_name)
    rng = np.random.default_rng(0)
    for _ in range(_POINTS):
        off = np.abs(np.array(evaluate(list(nodes.values()), space.sample(rng, sorted(names))), float))
        if not off.max(initial=0.0) < _TOLERANCE:
            worst = list(nodes)[int(np.argmax(np.where(np.isfinite(off), off, np.inf)))]
            raise InvalidValue(
                "E125",
                f"generator {name}: no velocity of the space moves {worst} and the others like that",
                "give components along velocities instead: {velocity: component}",
            )


# --- names ----------------------------------------------------------------------------------------------------------


def _names(given: object, what: str) -> tuple[str, ...]:
    if isinstance(given, str):
        return tuple(given.replace(",", " ").split())
    parts = [given] if isinstance(given, sp.Symbol) else given
    if not isinstance(parts, Sequence | set) or not all(isinstance(p, str | sp.Symbol) for p in parts):
        raise WrongType("E125", f"{what}: {as_given(given)} does not name coordinates", 'for example "x y"')
    return tuple(str(p) for p in parts)


def _coordinate(space: Space, name: str) -> sp.Symbol:
    known = {q.name: q for q in space.coordinates}
    if name not in known:
        raise UnknownName("E104", f"symmetry: {as_given(name)} is not a coordinate", did_you_mean(name, known))
    return known[name]


def _attitude(space: Space, name: str) -> Any:
    if name not in space.attitudes:
        raise UnknownName(
            "E104", f"symmetry: there is no rotation {as_given(name)}", did_you_mean(name, space.attitudes)
        )
    return space.attitudes[name]


def _turned(space: Space, names: Sequence[str], axis: int) -> dict[Any, Any]:
    """Rates of angles (1, about axis 3) and angular velocities of rotations and directions, about a space axis."""
    field: dict[Any, Any] = {}
    for name in names:
        field |= {name: AngularVelocity(_unit(axis))} if _turns_as_body(space, name) else {_coordinate(space, name): 1}
    return field


def _turns_as_body(space: Space, name: str) -> bool:
    """Is this the name of a rotation or of a direction?"""
    return name in space.attitudes or (name not in space.by_name and f"{name}{AXES[0]}" in space.by_name)


def _unit(axis: int) -> tuple[int, int, int]:
    return (int(axis == 0), int(axis == 1), int(axis == 2))
