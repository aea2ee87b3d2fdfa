"""Space: where the system can be and how it can move there.

A space has coordinates q, velocities u, and the two tables of a frame (anchor E with qdot = E(q) u, and brackets C).
Spaces are made by the factories in `factors` and multiplied by `Space.product`, or given outright:

    da.Space("x y theta", velocities="forward sideways turn",
             anchor=[[cos(theta), -sin(theta), 0], [sin(theta), cos(theta), 0], [0, 0, 1]])
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import kind, noun
from ..argument_checks import names as names_of
from ..calculus.algebra import GraphAlgebra, Symbolic
from ..calculus.euler_lagrange import Motion, compatibility, jacobi
from ..calculus.exact.exact_rank import some_clearly_not_zero
from ..calculus.frame import TIME, Frame, ProjectedBrackets
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.line_width import TERMINAL, folded, most
from ..calculus.numerical_rank import sized
from ..calculus.quantity import number
from ..calculus.simplification import adjugate, determinant
from ..calculus.symbols import only_real
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..errors.remedies import Call, Option, Words
from .names import Names, distinct, key_name, symbols
from .scalar import scalar

# --- Factor: how one factor of a space was asked for, kept so that the space can be written down again ---------------


@dataclass(frozen=True)
class Factor:
    """The name of a factory, and the arguments it was given."""

    kind: str
    arguments: Mapping[str, Any]


# --- In which frame the velocities of a rotation stand: along axes of the body, or of space --------------------------

_SAME = 1e-9
_PLACES = 3


def frames(space: Space) -> dict[str, str]:
    """``"body"`` or ``"space"`` for each rotation whose velocities keep their axes in the one or in the other."""
    found = {name: _frame(space, attitude) for name, attitude in space.attitudes.items()}
    return {name: frame for name, frame in found.items() if frame}


def _frame(space: Space, attitude: Attitude) -> str:
    """Of one rotation; empty where its velocities keep their axes in neither, or in both."""
    held = set(attitude.coordinates)
    rows = [i for i, q in enumerate(space.coordinates) if q in held]
    moving = [a for a in range(len(space.velocities)) if any(space.anchor[i, a] != 0 for i in rows)]
    # Rdot along a velocity: R hat(e) with e constant in the body, hat(e) R with e constant in space
    flat = attitude.matrix.reshape(9, 1)
    rates = flat.jacobian([space.coordinates[i] for i in rows]) * space.anchor.extract(rows, moving)
    graph, rng = Graph(), np.random.default_rng(5)
    nodes = [read(e, graph) for e in sp.Matrix.hstack(flat, rates)]
    in_body, in_space = [], []
    for _ in range(_PLACES):
        table = np.array(evaluate(nodes, space.sample(rng)), float).reshape(9, -1)
        R, *turned = (column.reshape(3, 3) for column in table.T)
        in_body.append([R.T @ rate for rate in turned])
        in_space.append([rate @ R.T for rate in turned])
    where = [f for f, found in (("body", in_body), ("space", in_space)) if np.ptp(found, axis=0).max(initial=0) < _SAME]
    return where[0] if len(where) == 1 else ""


TOLERANCE = 1e-9
_SAMPLES = 3
_KEPT = 64  # retractions that were read and come again: a space is sampled many times, and made many times
Residuals = dict[tuple[int, ...], list[Node]]


@dataclass(frozen=True)
class Attitude:
    """A rotation among the coordinates.

    Attributes:
        name: what the user calls it.
        coordinates: its coordinate symbols (a unit quaternion w, x, y, z or the nine entries of a matrix).
        matrix: R(q), body to space, as a 3 x 3 matrix of expressions.
        from_matrix: coordinate values of a given 3 x 3 rotation matrix.
    """

    name: str
    coordinates: tuple[sp.Symbol, ...]
    matrix: sp.ImmutableMatrix
    from_matrix: Callable[[Any], Sequence[float]]

    def named(self, R: object) -> dict[str, float]:
        """The coordinates of a 3 x 3 rotation matrix, by name."""
        return {s.name: float(v) for s, v in zip(self.coordinates, self.from_matrix(R), strict=True)}

    @cached_property
    def identity(self) -> Mapping[str, float]:
        """The coordinates of no rotation, by name."""
        return self.named(sp.eye(3).tolist())


@noun
@dataclass(frozen=True, init=False, eq=False)
class Space:
    """Coordinates, velocities, anchor and brackets, checked on construction at random points.

    Args:
        coordinates: names or symbols, ``"x y theta"``.
        velocities: names or symbols; by default ``v`` before each coordinate's name.
        anchor: n x k expressions in the coordinates, qdot = E u; by default the identity.
        brackets: ``{(a, b): [C^1_ab, ..., C^k_ab]}``, a and b being velocities (symbols, names or positions); by
            default computed from the anchor, which then needs independent columns.
        almost: a space projected onto a distribution: [E_a, E_b] = C^c_ab E_c and the Jacobi identity may fail and are
            not checked.

    Raises:
        InvalidValue: E101 no coordinates, E102 duplicate names, E103 taken names, E140 wrong shape, E141 anchor and
            brackets do not belong together, E142 the Jacobi identity fails.
    """

    frame: Frame
    almost: bool = False
    embedding: tuple[sp.Expr, ...] = ()
    retraction: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    attitudes: Mapping[str, Attitude] = field(default_factory=dict)
    angles: frozenset[str] = frozenset()
    recipe: tuple[Factor, ...] = ()

    def __init__(
        self,
        coordinates: Names,
        velocities: Names | None = None,
        anchor: Any = None,
        brackets: Mapping[Any, Sequence[Any]] | None = None,
        *,
        almost: bool = False,
        embedding: Sequence[sp.Expr] = (),
        retraction: Mapping[sp.Symbol, sp.Expr] | None = None,
        attitudes: Mapping[str, Attitude] | None = None,
        angles: Sequence[str] = (),
    ) -> None:
        q = symbols(coordinates, "coordinates")
        _check_parts(almost, embedding, retraction, attitudes, angles)
        u = symbols([f"v{s.name}" for s in q] if velocities is None else velocities, "velocities")
        if not u:
            raise InvalidValue("E101", "a space needs at least one coordinate", Call("coordinates", '"x y theta"'))
        distinct([*(s.name for s in (*q, *u)), *(attitudes or {})], "coordinates, velocities and rotations")
        E = _anchor(anchor, q, u)
        C = _given_brackets(brackets, u, q) if brackets is not None else {} if anchor is None else _brackets_of(E, q)
        _check_symbols(q, embedding, retraction or {})
        frame, parts = Frame(q, u, E, C), (tuple(embedding), retraction or {}, attitudes or {}, frozenset(angles))
        self._set(frame, almost, *parts, (Factor("frame", {"frame": frame, "almost": almost, "parts": parts}),))
        self._check()

    def _set(self, *values: Any) -> None:
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def product(cls, *spaces: Space) -> Space:
        """The space of all of these together; names must be distinct (E102)."""
        if not spaces:
            raise InvalidValue(
                "E101", "a product needs at least one space", 'Space.product(da.plane("x y"), da.rotation("R"))'
            )
        for space in spaces:
            if not isinstance(space, Space):
                raise WrongType("E140", f"a product is one of spaces, not of {kind_of(space)}", "space * space")
        q = tuple(s for space in spaces for s in space.coordinates)
        u = tuple(s for space in spaces for s in space.velocities)
        names = [name for space in spaces for name in space.attitudes]
        distinct([*(s.name for s in (*q, *u)), *names], "coordinates, velocities and rotations of the product")
        anchor = _diagonal([space.anchor for space in spaces])
        new = object.__new__(cls)
        new._set(
            Frame(q, u, anchor, _shifted_brackets(spaces, len(u))),
            any(space.almost for space in spaces),
            tuple(e for space in spaces for e in space.embedding),
            {k: v for space in spaces for k, v in space.retraction.items()},
            {k: v for space in spaces for k, v in space.attitudes.items()},
            frozenset().union(*(space.angles for space in spaces)),
            tuple(factor for space in spaces for factor in space.recipe),
        )
        return new

    def with_frame(self, velocities: Names, anchor: Any, brackets: Mapping[Any, Sequence[Any]]) -> Space:
        """The same coordinates with other velocities, anchor and brackets; all else is kept.

        Raises:
            InvalidValue: E102, E103, E140 to E142, as of a new space.
        """
        return Space(
            self.coordinates,
            velocities,
            anchor,
            brackets,
            almost=self.almost,
            embedding=self.embedding,
            retraction=self.retraction,
            attitudes=self.attitudes,
            angles=sorted(self.angles),
        )

    def put(self, meanings: Mapping[str, sp.Expr]) -> Space:
        """The space with expressions in the places of parameters, by name; this one, where its frame holds none."""
        frame, new = self.frame.put(meanings), object.__new__(Space)
        if frame == self.frame:
            return self
        recipe = tuple(replace(f, arguments=_put(f.arguments, meanings)) for f in self.recipe)
        new._set(frame, self.almost, self.embedding, self.retraction, self.attitudes, self.angles, recipe)
        return new

    def projected(self, metric: sp.Matrix, lowered: Mapping[tuple[int, int], Sequence[sp.Expr]]) -> Space:
        """The same space, which knows what its brackets were projected with."""
        table = {pair: tuple(row) for pair, row in lowered.items()}
        frame = replace(self.frame, projection=ProjectedBrackets(sp.ImmutableMatrix(metric), table))
        object.__setattr__(self, "frame", frame)
        return self

    def made_by(self, kind: str, **arguments: Any) -> Space:
        """The same space, which knows the factory that made it."""
        object.__setattr__(self, "recipe", (Factor(kind, arguments),))
        return self

    def __mul__(self, other: Space) -> Space:
        """The product of two spaces."""
        return Space.product(self, other)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The n coordinate symbols q."""
        return self.frame.coordinates

    @property
    def velocities(self) -> tuple[sp.Symbol, ...]:
        """The k velocity symbols u."""
        return self.frame.velocities

    @property
    def anchor(self) -> sp.ImmutableMatrix:
        """E, n x k: qdot = E u."""
        return self.frame.anchor

    @property
    def brackets(self) -> Mapping[tuple[int, int], tuple[sp.Expr, ...]]:
        """C^c_ab by pairs a < b of velocity positions; pairs left out have bracket 0."""
        return self.frame.brackets

    @property
    def rates(self) -> dict[sp.Symbol, sp.Expr]:
        """qdot of each coordinate as an expression in q and u."""
        return dict(zip(self.coordinates, self.frame.rates, strict=True))

    def spelled(self, name: str) -> str:
        """The name of the velocity that ``dot(x)`` is; other names as they are."""
        return self._dotted.get("".join(name.split()), name) if name.startswith("dot") else name

    @cached_property
    def _dotted(self) -> dict[str, str]:
        return {f"dot({q})": str(rate) for q, rate in self.rates.items() if rate in self.velocities}

    @cached_property
    def by_name(self) -> dict[str, sp.Symbol]:
        """Coordinates and velocities by name."""
        return {s.name: s for s in (*self.coordinates, *self.velocities)}

    def __getitem__(self, name: str) -> sp.Symbol:
        """The coordinate or velocity called `name` (UnknownName E104 if there is none)."""
        if not isinstance(name, str) or name not in self.by_name:
            raise UnknownName(
                "E104",
                f"the space has no coordinate or velocity {as_given(name)}",
                did_you_mean(as_given(name), self.by_name),
            )
        return self.by_name[name]

    def __iter__(self) -> Iterator[sp.Symbol]:
        return iter((*self.coordinates, *self.velocities))

    def rotation(self, name: str | None = None) -> sp.ImmutableMatrix:
        """R(q) of the rotation called `name` (the only one if left out): 3 x 3, takes body to space components.

        Raises:
            UnknownName: E104, no such rotation, or more than one and no name given.
        """
        if name is None and len(self.attitudes) == 1:
            name = next(iter(self.attitudes))
        if not isinstance(name, str) or name not in self.attitudes:
            fact = f"the space has no rotation {as_given(name)}"
            raise UnknownName("E104", fact, did_you_mean(as_given(name), self.attitudes))
        return self.attitudes[name].matrix

    @property
    def R(self) -> sp.ImmutableMatrix:
        """R(q) of the only rotation."""
        return self.rotation()

    @property
    def unit_vectors(self) -> list[tuple[str, ...]]:
        """Names of coordinates whose squares sum to 1, vector by vector."""
        found: list[tuple[str, ...]] = []
        for relation in self.embedding:
            members = sorted(relation.free_symbols, key=str)
            apart = all(s.name not in vector for s in members for vector in found)
            if apart and sp.expand(relation + 1 - sum(s**2 for s in members)) == 0:
                found.append(tuple(s.name for s in members))
        return found

    def sample(self, rng: np.random.Generator, names: Sequence[str] = ()) -> dict[str, float]:
        """A random point: coordinates on the space, velocities, and positive values for the parameter `names`."""
        rng = kind(np.random.Generator, rng, "sample")
        point = {s.name: float(rng.normal()) for s in self}
        point |= {name: float(rng.uniform(0.5, 1.5)) for name in names_of(names, "parameters", "E102", some=False)}
        for attitude in self.attitudes.values():
            R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            R = R * np.linalg.det(R)  # proper
            point |= zip((s.name for s in attitude.coordinates), map(float, attitude.from_matrix(R)), strict=True)
        found = evaluate(_read(tuple(self.retraction.values())), point)
        return point | {s.name: float(v) for s, v in zip(self.retraction, found, strict=True)}

    def _check(self) -> None:
        if not self.brackets and not self.frame.letters:
            return
        k = len(self.velocities)
        moving = {a for a in range(k) if self.anchor[:, a].free_symbols & set(self.coordinates)}
        pairs = [p for p in itertools.combinations(range(k), 2) if moving & set(p) or p in self.brackets]
        if self.almost or not pairs:
            return
        motion = Motion(self.frame, GraphAlgebra(Graph()))
        residuals: Residuals = {p: compatibility(motion, *p) for p in pairs}
        self._vanish(residuals, "E141", "[E_a, E_b] = C^c_ab E_c fails", "correct the brackets, or leave them out")
        if self.brackets:
            bound = sorted({a for p in self.brackets for a in p} | moving)
            triples: Residuals = {p: jacobi(motion, *p) for p in itertools.combinations(bound, 3)}
            self._vanish(
                triples, "E142", "the Jacobi identity fails", ("correct the brackets, or say ", Option("almost", True))
            )

    def _vanish(self, residuals: Residuals, code: str, fact: str, remedy: Words) -> None:
        tables = [self.anchor, *(sp.Matrix(row) for row in self.brackets.values())]
        parameters = sorted({s.name for table in tables for s in table.free_symbols} - set(self.by_name))
        entries = [(where, e) for where, row in residuals.items() for e in row if not e.is_zero]
        rng = np.random.default_rng(0)
        for _ in range(_SAMPLES if entries else 0):
            values, sizes = sized([e for _, e in entries], self.sample(rng, parameters))
            for (where, _), value, size in zip(entries, values, sizes, strict=True):
                if not abs(value) <= TOLERANCE * size:
                    names = ", ".join(self.velocities[a].name for a in where)
                    raise InvalidValue(code, f"{fact} for {names}: off by {value:.3g} at a random point", remedy)

    def __repr__(self) -> str:
        q, u = (" ".join(s.name for s in names) for names in (self.coordinates, self.velocities))
        turning = "".join(f"; {name} turns in {frame} axes" for name, frame in frames(self).items())
        return f"Space(coordinates {q}; velocities {u}{turning})"

    def __str__(self) -> str:
        return "\n".join(most(folded(repr(self), TERMINAL), 25, "lines"))


def _put(arguments: Mapping[str, object], meanings: Mapping[str, sp.Expr]) -> dict[str, Any]:
    """What a factory was given; a frame with expressions in the places of parameters."""
    return {name: each.put(meanings) if isinstance(each, Frame) else each for name, each in arguments.items()}


def _diagonal(blocks: Sequence[sp.ImmutableMatrix]) -> sp.ImmutableMatrix:
    whole = sp.zeros(sum(block.rows for block in blocks), sum(block.cols for block in blocks))
    row = column = 0
    for block in blocks:
        for (i, j), e in block.todok().items():
            whole[row + i, column + j] = e
        row, column = row + block.rows, column + block.cols
    return whole.as_immutable()  # entries that are 0 are not looked at


def _check_parts(almost: object, embedding: object, retraction: Any, attitudes: object, angles: object) -> None:
    """E140 for an argument of the wrong kind."""
    for name, given, fits, needs in (
        ("almost", almost, isinstance(almost, bool), "True or False"),
        ("embedding", embedding, _all(embedding, sp.Expr), "a list of expressions"),
        ("retraction", retraction, retraction is None or _maps(retraction, sp.Expr), "a mapping to expressions"),
        ("attitudes", attitudes, attitudes is None or _maps(attitudes, Attitude), "a mapping to attitudes"),
        ("angles", angles, _all(angles, str), "a list of names"),
    ):
        if not fits:
            raise WrongType("E140", f"{name} is {as_given(given)}", f"{name} must be {needs}")


def _check_symbols(
    q: Sequence[sp.Symbol], embedding: Sequence[sp.Expr], retraction: Mapping[sp.Symbol, sp.Expr]
) -> None:
    """E140: an embedding or retraction that holds something else than coordinates."""
    for e in (*embedding, *map(sp.Symbol, map(str, retraction)), *retraction.values()):
        strange = sorted({str(s) for s in e.free_symbols} - {s.name for s in q})
        if strange:
            fact = f"{', '.join(strange)} in embedding or retraction is not a coordinate"
            raise InvalidValue("E140", fact, "write them in the coordinates alone")


def _all(given: object, kind: type) -> bool:
    return isinstance(given, list | tuple | set | frozenset) and all(isinstance(e, kind) for e in given)


def _maps(given: object, kind: type) -> bool:
    return (
        isinstance(given, Mapping)
        and all(isinstance(key, str | sp.Symbol) for key in given)
        and all(isinstance(e, kind) for e in given.values())
    )


@lru_cache(_KEPT)
def _read(expressions: tuple[sp.Expr, ...]) -> list[Node]:
    graph = Graph()
    return [read(e, graph) for e in expressions]


def _anchor(anchor: Any, q: Sequence[sp.Symbol], u: Sequence[sp.Symbol]) -> sp.ImmutableMatrix:
    if anchor is None:
        if len(q) != len(u):
            remedy = f"name {len(q)} velocities, or give the anchor: qdot = E u"
            raise InvalidValue("E140", f"{len(q)} coordinates but {len(u)} velocities", remedy)
        return sp.eye(len(q)).as_immutable()
    E = _matrix(anchor)
    if {s.name for s in E.free_symbols} & {TIME.name, *(s.name for s in u)}:
        fact = "the anchor depends on a velocity or on the time"
        raise InvalidValue("E140", fact, "qdot = E(q) u: coordinates and parameters only; put a moving frame into L")
    if E.shape != (len(q), len(u)):
        raise InvalidValue(
            "E140", f"the anchor is {E.rows} x {E.cols}, must be {len(q)} x {len(u)}", "one row per coordinate"
        )
    return _by_name(E, q)


def _matrix(given: Any) -> sp.ImmutableMatrix:
    """Rows of expressions as a matrix; text is not evaluated."""
    if isinstance(given, sp.MatrixBase):
        return sp.ImmutableMatrix(given.applyfunc(lambda e: scalar(e, "the anchor")))
    rows = given.tolist() if isinstance(given, np.ndarray | sp.NDimArray) else given
    lists = isinstance(rows, list | tuple) and all(isinstance(row, list | tuple) for row in rows)
    if not lists or len({len(row) for row in rows}) > 1 or any(isinstance(e, str) for row in rows for e in row):
        raise WrongType(
            "E140", f"the anchor is not a matrix of expressions: {as_given(given)}", "give rows of expressions"
        )
    return sp.ImmutableMatrix([[scalar(e, "the anchor") for e in row] for row in rows])


def _by_name(expression: Any, names: Sequence[sp.Symbol]) -> Any:
    """The user's symbols replaced by the space's own of the same name, whatever their assumptions."""
    own = {s.name: s for s in names}
    for s in expression.free_symbols:
        if s.name in own:
            only_real(s, s.name, "the anchor or a bracket")
    return expression.xreplace({s: own[s.name] for s in expression.free_symbols if s.name in own})


def _brackets_of(E: sp.ImmutableMatrix, q: Sequence[sp.Symbol]) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
    """C^c_ab with [E_a, E_b] = C^c_ab E_c, from an anchor with independent columns."""
    if not E.free_symbols & set(q):
        return {}
    from ..calculus.budget import Effort
    from ..calculus.simplification import WORK, short

    neat = partial(short, effort=Effort(WORK))
    motion = Motion(Frame(tuple(q), sp.symbols(f"_u:{E.cols}"), E, {}), Symbolic())
    left_inverse = _left_inverse(E, neat)
    pairs = itertools.combinations(range(E.cols), 2)
    rows = {p: tuple((left_inverse * sp.Matrix(compatibility(motion, *p))).applyfunc(neat)) for p in pairs}
    return {p: row for p, row in rows.items() if any(c != 0 for c in row)}


def _left_inverse(E: sp.ImmutableMatrix, neat: Callable[[sp.Expr], sp.Expr]) -> sp.Matrix:
    """B with B E = 1: E^-1, or (E^T E)^-1 E^T (E140 where the columns are dependent)."""
    square = E.rows == E.cols
    A = E if square else (E.T * E).applyfunc(neat)
    det = neat(determinant(A)) if E.cols <= E.rows else sp.S.Zero
    if det == 0 or _vanishes(det):
        remedy = ("give ", Option("brackets"))
        raise InvalidValue("E140", "the anchor's columns are dependent: they do not determine the brackets", remedy)
    inverse = (adjugate(A) / det).applyfunc(neat)
    return inverse if square else (inverse * E.T).applyfunc(neat)


def _vanishes(e: sp.Expr) -> bool:
    """Is it 0 at random values of its symbols?"""
    rng, graph = np.random.default_rng(0), Graph()
    points = [{s.name: float(rng.uniform(0.5, 1.5)) for s in e.free_symbols} for _ in range(_SAMPLES)]
    node = read(e, graph)
    found = [sized([node], point) for point in points]
    if any(abs(values[0]) > TOLERANCE * sizes[0] for values, sizes in found):
        return False
    return not some_clearly_not_zero([node], points)


def _given_brackets(
    brackets: Mapping[Any, Sequence[Any]], u: Sequence[sp.Symbol], q: Sequence[sp.Symbol]
) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
    position = {s.name: a for a, s in enumerate(u)}
    pairs_and_rows = isinstance(brackets, Mapping) and all(
        isinstance(k, tuple) and len(k) == 2 and isinstance(row, Sequence | sp.MatrixBase)
        for k, row in brackets.items()
    )
    if not pairs_and_rows:
        raise WrongType("E140", "brackets are a mapping from pairs of velocities to lists", '{("u", "v"): [0, 1]}')
    given: dict[tuple[int, int], tuple[sp.Expr, ...]] = {}
    for (a, b), row in brackets.items():
        i, j = (x if isinstance(x, int) else position.get(key_name(x), -1) for x in (a, b))
        if not (0 <= i < len(u) and 0 <= j < len(u)) or i == j or len(row) != len(u):
            raise InvalidValue(
                "E140", f"bracket ({a}, {b}): two velocities and {len(u)} components are needed", '{("u", "v"): [0, 1]}'
            )
        entries = tuple(_by_name(scalar(c, "a bracket") if isinstance(c, sp.Basic) else _exact(c), q) for c in row)
        low, high, row_ab = (i, j, entries) if i < j else (j, i, tuple(-c for c in entries))
        if given.setdefault((low, high), row_ab) != row_ab:
            raise InvalidValue(
                "E141", f"brackets ({a}, {b}) and ({b}, {a}) are not each other's negative", "give one of them"
            )
    return given


def _exact(value: object) -> sp.Expr:
    """A number as SymPy's: integers stay exact (E140 for what is not a number)."""
    x = number(value, "a bracket", "E140", "E140")
    return sp.Integer(int(x)) if x.is_integer() else sp.Float(x)


def _shifted_brackets(spaces: Sequence[Space], k: int) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
    shifted, offset = {}, 0
    for space in spaces:
        width = len(space.velocities)
        before, after = (sp.S.Zero,) * offset, (sp.S.Zero,) * (k - offset - width)
        for (a, b), row in space.brackets.items():
            shifted[a + offset, b + offset] = before + tuple(row) + after
        offset += width
    return shifted
