"""The schema of system files: which tables and keys there are, and what each may hold.

The order in a message of what is known is the order here.
"""

from __future__ import annotations

from typing import Any, Literal

from ..errors import as_given
from ..plain_file import plain
from . import leaves
from .leaves import kind, refusal
from .tables import Before, ByName, Check, Many, Table, anything, key, needed, one_of, switch, whole

SCHEMA = 1
MOST_ENTRIES, MOST_CONSTRAINTS, MOST_PARAMETERS, MOST_FACTORS = 100, 64, 500, 64
SIGNS = "positive", "nonnegative", "negative", "nonpositive", "nonzero", "real", "any"


def _expressions(given: object) -> object:
    if not isinstance(given, list) or not given:
        listed = f'["{as_given(plain(given))[1:-1]}"]' if isinstance(given, str) else '["dot(x)", "dot(y)"]'
        raise refusal("E508", f"must be a list of expressions, not {kind(given)}", listed)
    return given


def _one_or_more(given: object) -> object:
    return given if isinstance(given, list) else [given]


def _parameter(given: object) -> object:
    return given if isinstance(given, dict) else {"value": given}


def _several(table: type[Table], word: str = "") -> Any:
    """One or several of these tables; text in place of a table stands for the one key."""
    one = Before(lambda given: {word: given} if isinstance(given, str) else given, table) if word else table
    return key(Before(_one_or_more, Many(one)), [])


def _entries(table: type[Table], most: int = MOST_ENTRIES) -> Any:
    """As many of these tables as a file has."""
    return key(Many(table, most), [])


def _by_name(check: Check, most: int | None = None) -> Any:
    """What is given by names; nothing where it is left out."""
    return key(ByName(check, most), {})


Raw = Any  # what is looked at where it is used
Expression = Any  # text or a number
Value = Any  # a number, or text with a unit; in starts and along axes several
Components = list[Expression]
components = Before(_expressions, Many(leaves.expression))


class CoordinateTable(Table):
    """One entry of ``coordinates = { x = ... }``."""

    kind: Literal["line", "angle"] = key(one_of("line", "angle"), "line")
    velocity: str | None = key(leaves.line)


class RotationTable(Table):
    """A rotation, moved by its angular velocity."""

    name: str = key(leaves.name, "R")
    velocities: tuple[str, ...] = key(leaves.names, ("w1", "w2", "w3"))
    frame: Literal["space", "body"] = key(one_of("space", "body"), "space")
    attitude: Literal["quaternion", "matrix"] = key(one_of("quaternion", "matrix"), "quaternion")


class DirectionTable(Table):
    """A unit vector."""

    name: str = key(leaves.name, "z")
    velocities: tuple[str, ...] = key(leaves.names, ("w1", "w2", "w3"))


class PlaneTable(Table):
    """Two Cartesian coordinates."""

    names: tuple[str, ...] = needed(leaves.names)
    velocities: tuple[str, ...] | None = key(leaves.names)


class SE2Table(Table):
    """Rigid motions of a plane."""

    names: tuple[str, ...] = key(leaves.names, ("x", "y", "theta"))
    velocities: tuple[str, ...] = key(leaves.names, ("v1", "v2", "omega"))
    frame: Literal["space", "body"] = key(one_of("space", "body"), "body")


class SE3Table(Table):
    """Rigid motions of space."""

    names: tuple[str, ...] = key(leaves.names, ("x", "y", "z"))
    rotation: str = key(leaves.line, "R")
    velocities: tuple[str, ...] = key(leaves.names, ("v1", "v2", "v3", "w1", "w2", "w3"))
    frame: Literal["space", "body"] = key(one_of("space", "body"), "body")


class FrameTable(Table):
    """Coordinates with velocities of their own: qdot = anchor * u."""

    coordinates: tuple[str, ...] = needed(leaves.names)
    velocities: tuple[str, ...] | None = key(leaves.names)
    anchor: list[Components] | None = key(Many(components))
    brackets: dict[str, Components] | None = key(ByName(components))
    embedding: Components | None = key(components)
    retraction: dict[str, Expression] | None = key(ByName(leaves.expression))
    angles: tuple[str, ...] = key(leaves.names, ())
    almost: bool = key(switch, False)


class FactorTable(Table):
    """One factor of ``[[space.factor]]``: one of the keys."""

    coordinates: Raw = key(anything)
    rotation: Raw = key(anything)
    direction: Raw = key(anything)
    plane: Raw = key(anything)
    SE2: Raw = key(anything)
    SE3: Raw = key(anything)
    frame: Raw = key(anything)


class SpaceTable(FactorTable):
    """``[space]``: its factors in the order in which they stand."""

    factor: list[dict[str, Any]] = key(Many(ByName(anything), MOST_FACTORS), [])


class ParameterTable(Table):
    """A parameter in full."""

    value: Raw = key(anything)
    source: str = key(leaves.line, "")
    sign: str = key(one_of(*SIGNS), "real")


parameter = Before(_parameter, ParameterTable)


class InputTable(Table):
    """What drives an input: a value or a formula, values at times, or a column of a file beside this one."""

    value: object = key(anything)
    times: object = key(anything)
    values: object = key(anything)
    file: str | None = key(leaves.line)
    column: str | None = key(leaves.line)
    time: str = key(leaves.line, "t")
    kind: Literal["hold", "linear", "cubic"] = key(one_of("hold", "linear", "cubic"), "hold")


input_ = Before(_parameter, InputTable)


class LagrangianTable(Table):
    """``[lagrangian]``: L, and parts that it is written with."""

    L: Expression = needed(leaves.expression)
    massless: tuple[str, ...] = key(leaves.names, ())
    up: Expression = key(leaves.expression)

    def other(self, given: object) -> Expression:
        """A part of L."""
        return leaves.expression(given)


class ConstraintTable(Table):
    """``[[constraint]]``: phi = 0."""

    name: str = needed(leaves.name)
    phi: Expression = needed(leaves.expression)


class ForceTable(Table):
    """``[[force]]``: a force on a point, components by velocity, or a dissipation function."""

    name: str | None = key(leaves.name)
    velocity: Components | None = key(components)
    force: Components | None = key(components)
    slip: Components | None = key(components)
    coefficients: dict[str, Expression] | None = key(ByName(leaves.expression))
    components: dict[str, Expression] | None = key(ByName(leaves.expression))
    dissipation: Expression = key(leaves.expression)


class ViscousTable(Table):
    """Friction against a velocity, F = -nu v."""

    name: str | None = key(leaves.name)
    velocity: Components = needed(components)
    coefficient: Expression = key(leaves.expression)
    nu: Raw = key(anything)


class RotationalTable(Table):
    """Friction against an angular velocity, T = -mu w."""

    name: str | None = key(leaves.name)
    velocity: Components = needed(components)
    coefficient: Expression = key(leaves.expression)
    mu: Raw = key(anything)


class RollingTable(Table):
    """Friction of fixed size against the velocity relative to the surface, F = -delta N v/|v|."""

    name: str | None = key(leaves.name)
    slip: Components = needed(components)
    load: Expression = needed(leaves.expression)
    velocity: Components | None = key(components)
    coefficient: Expression = key(leaves.expression)
    delta: Raw = key(anything)
    regularised: Raw = key(anything)


class PivotingTable(Table):
    """A torque of fixed size against the spin relative to the surface, T = -tau N sgn(w)."""

    name: str | None = key(leaves.name)
    spin: Expression = needed(leaves.expression)
    load: Expression = needed(leaves.expression)
    coefficient: Expression = key(leaves.expression)
    tau: Raw = key(anything)
    regularised: Raw = key(anything)


class FrictionTable(Table):
    """``[friction]``"""

    viscous: list[ViscousTable] = _several(ViscousTable)
    rotational: list[RotationalTable] = _several(RotationalTable)
    rolling: list[RollingTable] = _several(RollingTable)
    pivoting: list[PivotingTable] = _several(PivotingTable)


class TurnsTable(Table):
    """Turns of a plane about its origin, and of what turns along."""

    plane: tuple[str, ...] = needed(leaves.names)
    headings: tuple[str, ...] = key(leaves.names, ())


class RotationsTable(Table):
    """Rotations of space, or those about one axis."""

    names: tuple[str, ...] = key(leaves.names, ())
    vectors: list[tuple[str, ...]] = key(Many(leaves.names), [])
    axis: int | None = key(whole)


class SpinTable(Table):
    """Turns of a body about an axis of its own."""

    name: str = key(leaves.name, "R")
    axis: Components = key(components, [0, 0, 1])


class SymmetryTable(Table):
    """``[symmetry]``"""

    cyclic: tuple[str, ...] = key(leaves.names, ())
    translations: tuple[str, ...] = key(leaves.names, ())
    turns: list[TurnsTable] = _several(TurnsTable, "plane")
    euclidean: list[TurnsTable] = _several(TurnsTable, "plane")
    rotations: list[RotationsTable] = _several(RotationsTable, "names")
    spin: list[SpinTable] = _several(SpinTable, "name")
    generators: dict[str, dict[str, Any]] = _by_name(ByName(anything))


class WallTable(Table):
    """``[[wall]]``: the motion is free where the guard is positive."""

    name: str = needed(leaves.name)
    guard: Expression = needed(leaves.expression)
    constraints: dict[str, Expression] = _by_name(leaves.expression)
    restitution: Raw = key(anything)


class ContactTable(Table):
    """``[[contact]]``: the gap of two surfaces, the slip, spin and rolling between them, and Coulomb's friction."""

    name: str = needed(leaves.name)
    gap: Expression = needed(leaves.expression)
    slip: list[Expression] = key(Many(leaves.expression), [])
    mu: Expression = key(leaves.expression, 0)
    mu_static: Expression = key(leaves.expression)
    restitution: Expression = key(leaves.expression, 0)
    restitution_law: str = key(leaves.line, "newton")
    spin: Expression = key(leaves.expression)
    spin_friction: Expression = key(leaves.expression, 0)
    rolling: list[Expression] = key(Many(leaves.expression), [])
    rolling_friction: Expression = key(leaves.expression, 0)


class BodyTable(Table):
    """``[[body]]``: what is drawn; how many entries its lists have is the model's to check."""

    shape: str = needed(leaves.line)
    name: str = key(leaves.line, "")
    radius: Expression = key(leaves.expression)
    thickness: Expression = key(leaves.expression)
    height: Expression = key(leaves.expression)
    size: object = key(anything)
    from_: object = key(anything)
    to: object = key(anything)
    at: object = key(anything)
    turn: object = key(anything)
    on: str = key(leaves.line, "")
    trace: object = key(anything)
    both: bool | None = key(switch)


class SceneTable(Table):
    """``[scene]``: how bodies are looked at."""

    up: str = key(leaves.line, "z")


class ExploreTable(Table):
    """``[explore]``: what a live page offers."""

    ranges: dict[str, object] = _by_name(anything)
    until: float | None = key(leaves.moment)


class EventTable(Table):
    """``[[run.event]]``"""

    name: str = needed(leaves.name)
    guard: Expression = needed(leaves.expression)
    then: Any = key(anything, "mark")
    direction: Any = key(anything, 0)


class OptionsTable(Table):
    """How a run is integrated."""

    method: str | None = key(leaves.line)
    rtol: Value = key(leaves.value)
    atol: Raw = key(anything)
    step: float | None = key(leaves.moment)
    order: int | None = key(whole)
    max_step: float | None = key(leaves.moment)
    max_steps: int | None = key(whole)
    seconds: Value = key(leaves.value)
    stabilisation: Raw = key(anything)
    walls: bool | None = key(switch)


class EntryTable(OptionsTable):
    """What runs, comparisons and sweeps have in common; the options stand among the keys, or in a table."""

    name: str | None = key(leaves.name)
    t: float = key(leaves.moment, 0.0)
    until: float = needed(leaves.moment)
    options: OptionsTable | None = key(OptionsTable)


class RunTable(EntryTable):
    """``[[run]]``"""

    principle: str = needed(leaves.line)
    start: dict[str, Value] = _by_name(leaves.start_value)
    parameters: dict[str, Value] = _by_name(leaves.value)
    inputs: dict[str, InputTable] = _by_name(input_)
    samples: Any = key(leaves.moments)
    project: str | None = key(leaves.line)
    event: list[EventTable] = _entries(EventTable)


class CompareTable(EntryTable):
    """``[[compare]]``"""

    principles: tuple[str, ...] = needed(leaves.names)
    start: dict[str, Value] = _by_name(leaves.start_value)
    parameters: dict[str, Value] = _by_name(leaves.value)
    inputs: dict[str, InputTable] = _by_name(input_)
    samples: Any = key(leaves.moments)


class SweepTable(EntryTable):
    """``[[sweep]]``"""

    principle: str = needed(leaves.line)
    start: dict[str, Any] = _by_name(anything)
    parameters: dict[str, Value] = _by_name(leaves.axis)
    inputs: dict[str, Value] = _by_name(leaves.axis)
    rows: Literal["grid", "table"] = key(one_of("grid", "table"), "grid")
    times: Any = key(leaves.moments)
    keep: tuple[str, ...] = key(leaves.names, ())
    event: list[EventTable] = _entries(EventTable)


class FamilyTable(Table):
    """``[[family]]``"""

    name: str | None = key(leaves.name)
    principle: str = needed(leaves.line)
    parameter: str = needed(leaves.line)
    over: Any = needed(leaves.span)
    start: dict[str, Value] = _by_name(leaves.start_value)
    parameters: dict[str, Value] = _by_name(leaves.value)
    fix: tuple[str, ...] = key(leaves.names, ())
    period: Expression = key(leaves.expression)
    swing: float | str | bool | None = key(leaves.swing)
    symmetry: bool = key(switch, False)
    of: str | None = key(leaves.name)
    point: int = key(whole, 0)


class ReadTable(Table):
    """``read = { ... }`` of a fit: how the table of its record is read, as `recorded` takes it."""

    columns: Any = key(leaves.renamed)
    leave: tuple[str, ...] = key(leaves.names, ())
    units: dict[str, str] = _by_name(leaves.line)
    time: str = key(leaves.line, "t")
    scale: Raw = key(anything)
    rotation: Raw = key(anything)
    offset: dict[str, Value] = _by_name(leaves.value)
    to: tuple[str, ...] = key(leaves.names, ())
    gaps: Literal["refuse", "keep"] = key(one_of("refuse", "keep"), "refuse")
    sort: bool = key(switch, False)
    separator: str | None = key(leaves.text)
    decimal: str | None = key(leaves.text)
    skip: int = key(whole, 0)


class FitTable(OptionsTable):
    """``[[fit]]``"""

    name: str | None = key(leaves.name)
    principles: tuple[str, ...] = needed(leaves.names)
    free: tuple[str, ...] = needed(leaves.names)
    start: dict[str, Value] = _by_name(leaves.start_value)
    t: float | None = key(leaves.moment)
    parameters: dict[str, Value] = _by_name(leaves.value)
    inputs: dict[str, InputTable] = _by_name(input_)
    bounds: dict[str, Any] = _by_name(leaves.ends)
    priors: dict[str, Any] = _by_name(leaves.pair)
    columns: Any = key(leaves.observed)
    uncertainty: dict[str, Value] = _by_name(leaves.value)
    laws: dict[str, tuple[str, ...]] = _by_name(leaves.names)
    later: Value = key(leaves.value)
    ray: str | None = key(leaves.line)
    loss: Literal["linear", "soft_l1", "huber", "cauchy", "arctan"] = key(
        one_of("linear", "soft_l1", "huber", "cauchy", "arctan"), "linear"
    )
    starts: int = key(whole, 1)
    spread: Value = key(leaves.value, 1.0)
    seed: int = key(whole, 0)
    read: ReadTable = key(ReadTable, ReadTable({}))
    options: OptionsTable | None = key(OptionsTable)


class FileTable(Table):
    """A system file."""

    schema_: int = needed(whole)
    title: str = key(leaves.line, "")
    cite: tuple[str, ...] = key(leaves.texts, ())
    space: SpaceTable = needed(SpaceTable)
    units: dict[str, str] = _by_name(leaves.text)
    parameters: dict[str, ParameterTable] = _by_name(parameter, MOST_PARAMETERS)
    inputs: dict[str, InputTable] = _by_name(input_, MOST_PARAMETERS)
    symbols: dict[str, str] = _by_name(leaves.text)
    definitions: dict[str, Expression] = _by_name(leaves.expression)
    lagrangian: LagrangianTable = needed(LagrangianTable)
    constraint: list[ConstraintTable] = _entries(ConstraintTable, MOST_CONSTRAINTS)
    equivalent: list[ConstraintTable] = _entries(ConstraintTable, MOST_CONSTRAINTS)
    forces: dict[str, Expression] = _by_name(leaves.expression)
    force: list[ForceTable] = _entries(ForceTable)
    friction: FrictionTable = key(FrictionTable, FrictionTable({}))
    momenta: dict[str, Expression] = _by_name(leaves.expression)
    inertias: dict[str, Any] = _by_name(anything)
    symmetry: SymmetryTable = key(SymmetryTable, SymmetryTable({}))
    wall: list[WallTable] = _entries(WallTable)
    contact: list[ContactTable] = _entries(ContactTable)
    body: list[BodyTable] = _entries(BodyTable)
    scene: SceneTable = key(SceneTable, SceneTable({}))
    explore: ExploreTable = key(ExploreTable, ExploreTable({}))
    run: list[RunTable] = _entries(RunTable)
    compare: list[CompareTable] = _entries(CompareTable)
    sweep: list[SweepTable] = _entries(SweepTable)
    family: list[FamilyTable] = _entries(FamilyTable)
    fit: list[FitTable] = _entries(FitTable)
