"""The schema of system files: which tables and keys there are, and what each may hold.

The order in a message of what is known is the order here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from ..errors import as_given
from ..input_file import plain
from .value_types import (
    AxisValue,
    Ends,
    Expression,
    Line,
    Name,
    NameList,
    Observed,
    Pair,
    Renamed,
    Span,
    StartValue,
    Swing,
    Text,
    Texts,
    Time,
    Times,
    Value,
    kind,
    refusal,
)

# --- shorter spellings, and how many entries there may be ------------------------------------------------------------

MOST_ENTRIES, MOST_CONSTRAINTS, MOST_PARAMETERS = 100, 64, 500


def text_stands_for(key: str) -> object:
    """Text in place of a table stands for the one key."""
    return BeforeValidator(lambda given: {key: given} if isinstance(given, str) else given)


def _one_or_more(given: object) -> object:
    return given if isinstance(given, list) else [given]


Several = BeforeValidator(_one_or_more)
Entries = Field(default=(), max_length=MOST_ENTRIES)


class StrictTable(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _numbered(names: tuple[str, ...]) -> tuple[str, ...]:
    """``w`` as ``w1 w2 w3``; several names stay."""
    return tuple(f"{names[0]}{i}" for i in (1, 2, 3)) if len(names) == 1 else names


def _expressions(given: object) -> object:
    if not isinstance(given, list) or not given:
        listed = f'["{as_given(plain(given))[1:-1]}"]' if isinstance(given, str) else '["dot(x)", "dot(y)"]'
        raise refusal("E508", f"must be a list of expressions, not {kind(given)}", listed)
    return given


Components = Annotated[list[Expression], BeforeValidator(_expressions)]


class CoordinateTable(StrictTable):
    """One entry of ``coordinates = { x = ... }``."""

    kind: Literal["line", "angle"] = "line"
    velocity: Line | None = None


class FactoryTable(StrictTable):
    """What a factory of spaces takes, in the order of its arguments; the key in the file is the factory's name."""

    short: ClassVar[str] = "names"  # the field that stands for the whole where nothing else is said

    @classmethod
    def spelt(cls, given: Any) -> Any:
        """An entry of a file as a table."""
        return given if isinstance(given, dict) else {cls.short: given}

    @classmethod
    def shortened(cls, arguments: Mapping[str, str]) -> Any:
        """The arguments of a space, as names parted by blanks, as an entry of a file."""
        return dict(arguments)


class TurnTable(FactoryTable):
    """What an angular velocity of three components moves; one name of it stands for itself with 1, 2 and 3."""

    short: ClassVar[str] = "velocities"

    name: Name
    velocities: Annotated[NameList, AfterValidator(_numbered)] = ("w1", "w2", "w3")

    @classmethod
    def shortened(cls, arguments: Mapping[str, str]) -> Any:
        """The velocities alone where all else is as usual, by their prefix where they are numbered."""
        names = arguments["velocities"].split()
        prefix = names[0][:-1]
        short = prefix if prefix and tuple(names) == _numbered((prefix,)) else arguments["velocities"]
        usual = {key: field.default for key, field in cls.model_fields.items()}
        odd = {key: value for key, value in arguments.items() if key != "velocities" and usual.get(key) != value}
        return {**odd, "velocities": short} if odd else short


class RotationTable(TurnTable):
    """A rotation, moved by its angular velocity."""

    name: Name = "R"
    frame: Literal["space", "body"] = "space"
    attitude: Literal["quaternion", "matrix"] = "quaternion"


class DirectionTable(TurnTable):
    """A unit vector."""

    name: Name = "z"


class PlaneTable(FactoryTable):
    """Two Cartesian coordinates."""

    names: NameList
    velocities: NameList | None = None


class SE2Table(FactoryTable):
    """Rigid motions of a plane."""

    names: NameList = ("x", "y", "theta")
    velocities: NameList = ("v1", "v2", "omega")
    frame: Literal["space", "body"] = "body"


class SE3Table(FactoryTable):
    """Rigid motions of space."""

    names: NameList = ("x", "y", "z")
    rotation: Line = "R"
    velocities: NameList = ("v1", "v2", "v3", "w1", "w2", "w3")
    frame: Literal["space", "body"] = "body"


FACTORIES: dict[str, type[FactoryTable]] = {
    "rotation": RotationTable,
    "direction": DirectionTable,
    "plane": PlaneTable,
    "SE2": SE2Table,
    "SE3": SE3Table,
}


class FrameTable(StrictTable):
    """Coordinates with velocities of their own: qdot = anchor * u."""

    coordinates: NameList
    velocities: NameList | None = None
    anchor: list[Components] | None = None
    brackets: dict[str, Components] | None = None
    embedding: Components | None = None
    retraction: dict[str, Expression] | None = None
    angles: NameList = ()
    almost: bool = False


_FACTOR = dict.fromkeys(("coordinates", *FACTORIES, "frame"), (Any, None))
SpaceTable = create_model(
    "SpaceTable",
    __base__=StrictTable,
    __doc__="``[space]``: its factors in the order in which they stand.",
    **_FACTOR,  # type: ignore[call-overload]
    factor=(Annotated[list[dict[str, Any]], Field(max_length=64)], []),
)


class ParameterTable(StrictTable):
    """A parameter in full."""

    value: Any = None
    source: Line = ""
    sign: Literal["positive", "nonnegative", "negative", "nonpositive", "nonzero", "real", "any"] = "real"


def _parameter(given: object) -> object:
    return given if isinstance(given, dict) else {"value": given}


Parameter = Annotated[ParameterTable, BeforeValidator(_parameter)]


class InputTable(StrictTable):
    """What drives an input: a value or a formula, values at times, or a column of a file beside this one."""

    value: object = None
    times: object = None
    values: object = None
    file: Line | None = None
    column: Line | None = None
    time: Line = "t"
    kind: Literal["hold", "linear", "cubic"] = "hold"


Input = Annotated[InputTable, BeforeValidator(_parameter)]


class LagrangianTable(BaseModel):
    """``[lagrangian]``: L, and parts that it is written with."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)
    __pydantic_extra__: dict[str, Expression]

    L: Expression
    massless: NameList = ()
    up: Expression | None = None


class ConstraintTable(StrictTable):
    """``[[constraint]]``: phi = 0."""

    name: Name
    phi: Expression


class ForceTable(StrictTable):
    """``[[force]]``: a force on a point, components by velocity, or a dissipation function."""

    name: Name | None = None
    velocity: Components | None = None
    force: Components | None = None
    slip: Components | None = None
    coefficients: dict[str, Expression] | None = None
    components: dict[str, Expression] | None = None
    dissipation: Expression | None = None


class ViscousTable(StrictTable):
    """Friction against a velocity, F = -nu v."""

    name: Name | None = None
    velocity: Components
    coefficient: Expression | None = None
    nu: object = None


class RotationalTable(StrictTable):
    """Friction against an angular velocity, T = -mu w."""

    name: Name | None = None
    velocity: Components
    coefficient: Expression | None = None
    mu: object = None


class RollingTable(StrictTable):
    """Friction of fixed size against the velocity relative to the surface, F = -delta N v/|v|."""

    name: Name | None = None
    slip: Components
    load: Expression
    velocity: Components | None = None
    coefficient: Expression | None = None
    delta: object = None
    regularised: object = None


class PivotingTable(StrictTable):
    """A torque of fixed size against the spin relative to the surface, T = -tau N sgn(w)."""

    name: Name | None = None
    spin: Expression
    load: Expression
    coefficient: Expression | None = None
    tau: object = None
    regularised: object = None


class DryTable(StrictTable):
    """Dry friction of a given size in a joint: it sticks, lets go, reverses and goes on."""

    name: Name | None = None
    joint: Annotated[list[Expression], Several]
    size: Expression
    at_rest: Expression | None = None


class FrictionTable(StrictTable):
    """``[friction]``"""

    viscous: Annotated[list[ViscousTable], Several] = []
    rotational: Annotated[list[RotationalTable], Several] = []
    rolling: Annotated[list[RollingTable], Several] = []
    pivoting: Annotated[list[PivotingTable], Several] = []
    dry: Annotated[list[DryTable], Several] = []


class TurnsTable(StrictTable):
    """Turns of a plane about its origin, and of what turns along."""

    plane: NameList
    headings: NameList = ()


class RotationsTable(StrictTable):
    """Rotations of space, or those about one axis."""

    names: NameList = ()
    vectors: list[NameList] = []
    axis: int | None = None


class SpinTable(StrictTable):
    """Turns of a body about an axis of its own."""

    name: Name = "R"
    axis: Components = [0, 0, 1]


class SymmetryTable(StrictTable):
    """``[symmetry]``"""

    cyclic: NameList = ()
    translations: NameList = ()
    turns: Annotated[list[Annotated[TurnsTable, text_stands_for("plane")]], Several] = []
    euclidean: Annotated[list[Annotated[TurnsTable, text_stands_for("plane")]], Several] = []
    rotations: Annotated[list[Annotated[RotationsTable, text_stands_for("names")]], Several] = []
    spin: Annotated[list[Annotated[SpinTable, text_stands_for("name")]], Several] = []
    generators: dict[str, dict[str, Any]] = {}


class WallTable(StrictTable):
    """``[[wall]]``: the motion is free where the guard is positive."""

    name: Name
    guard: Expression
    constraints: dict[str, Expression] = {}
    restitution: object = None


class ContactTable(StrictTable):
    """``[[contact]]``: the gap of two surfaces, the slip, spin and rolling between them, and Coulomb's friction.

    Gap and velocities are those of two bodies, where it is given between these; a load in their place is always there.
    """

    name: Name
    gap: Expression | None = None
    between: list[Line] | None = None
    load: Expression | None = None
    sides: int = 1
    slip: list[Expression] = []
    mu: Expression | float = 0
    mu_static: Expression | float | None = None
    restitution: Expression | float = 0
    restitution_law: Line = "newton"
    spin: Expression | None = None
    spin_friction: Expression | float = 0
    rolling: list[Expression] = []
    rolling_friction: Expression | float = 0


class BodyTable(StrictTable):
    """``[[body]]``: what is drawn; how many entries its lists have is the model's to check."""

    shape: Line
    name: Line = ""
    radius: Expression | None = None
    thickness: Expression | None = None
    height: Expression | None = None
    size: object = None
    from_: object = Field(default=None, alias="from")
    to: object = None
    at: object = None
    turn: object = None
    on: Line = ""
    trace: object = None
    both: bool | None = None


class SceneTable(StrictTable):
    """``[scene]``: how bodies are looked at."""

    up: Line = "z"


class ExploreTable(StrictTable):
    """``[explore]``: what a live page offers."""

    ranges: dict[str, object] = {}
    until: Time | None = None


class EventTable(StrictTable):
    """``[[run.event]]``"""

    name: Name
    guard: Expression
    then: Any = "mark"
    direction: Any = 0


class OptionsTable(StrictTable):
    """How a run is integrated."""

    method: Line | None = None
    rtol: Value | None = None
    atol: object = None
    step: Time | None = None
    order: int | None = None
    max_step: Time | None = None
    max_steps: int | None = None
    seconds: Value | None = None
    stabilisation: object = None
    walls: bool | None = None


class EntryTable(OptionsTable):
    """What runs, comparisons and sweeps have in common; the options stand among the keys, or in a table."""

    name: Name | None = None
    t: Time = 0.0
    until: Time
    options: OptionsTable | None = None


class RunTable(EntryTable):
    """``[[run]]``"""

    principle: Line
    start: dict[str, StartValue] = {}
    parameters: dict[str, Value] = {}
    inputs: dict[str, Input] = {}
    samples: Times | None = None
    project: Line | None = None
    hold: NameList = ()
    guess: dict[str, StartValue] = {}
    event: Annotated[list[EventTable], Entries] = []


class CompareTable(EntryTable):
    """``[[compare]]``"""

    principles: NameList
    start: dict[str, StartValue] = {}
    parameters: dict[str, Value] = {}
    inputs: dict[str, Input] = {}
    samples: Times | None = None


class SweepTable(EntryTable):
    """``[[sweep]]``"""

    principle: Line
    start: dict[str, Any] = {}
    parameters: dict[str, AxisValue] = {}
    inputs: dict[str, AxisValue] = {}
    rows: Literal["grid", "table"] = "grid"
    times: Times | None = None
    keep: NameList = ()
    event: Annotated[list[EventTable], Entries] = []


class FamilyTable(StrictTable):
    """``[[family]]``"""

    name: Name | None = None
    principle: Line
    parameter: Line
    over: Span
    start: dict[str, StartValue] = {}
    parameters: dict[str, Value] = {}
    fix: NameList = ()
    period: Expression | None = None
    swing: Swing = None
    symmetry: bool = False
    of: Name | None = None
    point: int = 0
    event: Annotated[list[EventTable], Entries] = []


class ReadTable(StrictTable):
    """``read = { ... }`` of a fit: how the table of its record is read, as `recorded` takes it."""

    columns: Renamed = None
    leave: NameList = ()
    units: dict[str, Line] = {}
    time: Line = "t"
    scale: object = None
    rotation: Any = None
    offset: dict[str, Value] = {}
    to: NameList = ()
    gaps: Literal["refuse", "keep"] = "refuse"
    sort: bool = False
    separator: Text | None = None
    decimal: Text | None = None
    skip: int = 0


class FitTable(OptionsTable):
    """``[[fit]]``"""

    name: Name | None = None
    principles: NameList
    free: NameList
    start: dict[str, StartValue] = {}
    t: Time | None = None
    parameters: dict[str, Value] = {}
    inputs: dict[str, Input] = {}
    bounds: dict[str, Ends] = {}
    priors: dict[str, Pair] = {}
    columns: Observed = None
    uncertainty: dict[str, Value] = {}
    laws: dict[str, NameList] = {}
    later: Value | None = None
    ray: Line | None = None
    loss: Literal["linear", "soft_l1", "huber", "cauchy", "arctan"] = "linear"
    starts: int = 1
    spread: Value = 1.0
    seed: int = 0
    read: ReadTable = ReadTable.model_construct()
    options: OptionsTable | None = None


class MachineBodyTable(StrictTable):
    """A body of a machine."""

    mass: object = 0.0
    centre: object = (0.0, 0.0, 0.0)
    inertia: object = None
    turn: object = ()
    shape: object = ()


class MachineJointTable(StrictTable):
    """A joint of a machine, on the ground unless it is told."""

    kind: Line
    before: Line = "ground"
    behind: Line
    at: object = (0.0, 0.0, 0.0)
    turn: object = ()
    axis: object = "z"
    pitch: object = None
    follows: object = None
    spring: object = None
    rest: object = 0.0
    damping: object = None
    dry: object = None
    armature: object = None
    torque: object = None


class MachineLoopTable(StrictTable):
    """What closes a loop of a machine."""

    kind: Line
    first: Line
    second: Line = "ground"
    at: object = (0.0, 0.0, 0.0)
    other: object = (0.0, 0.0, 0.0)
    axis: object = "z"
    other_axis: object = None
    length: object = None


class MachineWheelTable(StrictTable):
    """A wheel, disc or ball of a machine, by the name of its body."""

    radius: object = None
    at: object = None
    axle: object = None
    rollers: object = None
    contact: dict[str, object] | None = None


class MachineBladeTable(StrictTable):
    """A blade, by the name of its body."""

    at: object = (0.0, 0.0, 0.0)
    along: object = "x"


class MachineForceTable(StrictTable):
    """A force or a moment on a body of a machine."""

    body: Line
    force: Any = None
    moment: Any = None
    at: Any = (0.0, 0.0, 0.0)
    axes: Line = "space"


class MachineTable(StrictTable):
    """``[machine]``: bodies and joints, or the file of a robot."""

    file: Line | None = None
    base: object = "fixed"
    rolls: Any = ()
    dry: bool = False
    parameters: NameList = ()
    gravity: Any = (0.0, 0.0, -9.81)
    bodies: dict[str, MachineBodyTable] = {}
    joints: dict[str, MachineJointTable] = {}
    loops: dict[str, MachineLoopTable] = {}
    wheels: dict[str, MachineWheelTable] = {}
    blades: dict[str, MachineBladeTable] = {}
    relations: dict[str, Expression] = {}
    force: Annotated[list[MachineForceTable], Entries] = []


class FileTable(StrictTable):
    """A system file."""

    schema_: int = Field(alias="schema")
    title: Line = ""
    cite: Texts = ()
    space: SpaceTable  # type: ignore[valid-type]
    units: dict[str, Text] = {}
    parameters: Annotated[dict[str, Parameter], Field(max_length=MOST_PARAMETERS)] = {}
    inputs: Annotated[dict[str, Input], Field(max_length=MOST_PARAMETERS)] = {}
    symbols: dict[str, Text] = {}
    definitions: dict[str, Expression] = {}
    machine: MachineTable | None = None
    lagrangian: LagrangianTable
    constraint: Annotated[list[ConstraintTable], Field(max_length=MOST_CONSTRAINTS)] = []
    equivalent: Annotated[list[ConstraintTable], Field(max_length=MOST_CONSTRAINTS)] = []
    forces: dict[str, Expression] = {}
    force: Annotated[list[ForceTable], Entries] = []
    friction: FrictionTable = FrictionTable.model_construct()
    momenta: dict[str, Expression] = {}
    inertias: dict[str, Any] = {}
    symmetry: SymmetryTable = SymmetryTable.model_construct()
    wall: Annotated[list[WallTable], Entries] = []
    contact: Annotated[list[ContactTable], Entries] = []
    body: Annotated[list[BodyTable], Entries] = []
    scene: SceneTable = SceneTable.model_construct()
    explore: ExploreTable = ExploreTable.model_construct()
    run: Annotated[list[RunTable], Entries] = []
    compare: Annotated[list[CompareTable], Entries] = []
    sweep: Annotated[list[SweepTable], Entries] = []
    family: Annotated[list[FamilyTable], Entries] = []
    fit: Annotated[list[FitTable], Entries] = []


def given_alone(tables: Mapping[str, object]) -> FileTable | None:
    """The file by the rules of the entries that it has; None where they refuse it, and `FileTable` says of what.

    Rules cost a process more the more of them are made ready, and most files have few of the entries.
    """
    fields = FileTable.model_fields
    keys = {field.alias or name: (name, field) for name, field in fields.items()}
    held = {name: (field.annotation, field) for key, (name, field) in keys.items() if key in tables}
    if not tables.keys() <= keys.keys() or any(f.is_required() and name not in held for name, f in fields.items()):
        return None
    rules = create_model("FileTable", __base__=StrictTable, **held)  # type: ignore[call-overload]
    try:
        found = rules.model_validate(tables)
    except ValidationError:
        return None
    return FileTable.model_construct(**{key: getattr(found, name) for key, (name, _) in keys.items() if key in tables})
