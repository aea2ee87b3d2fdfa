"""Study: what a system file says. A system, and the runs, comparisons, sweeps, families and fits to be made of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import sympy as sp

from ..argument_checks import noun
from ..errors import DalembertError, DalembertWarning, Note, Place
from ..model.system import System
from ..question import Question
from .error_location import locate
from .file_expressions import overriding
from .inputs import Driven
from .toml_positions import Places
from .toml_text import parsed

if TYPE_CHECKING:
    from ..event import Event

E = TypeVar("E", bound="EntrySpec")


@dataclass(frozen=True)
class EntrySpec:
    """What the entries of a file have in common. The fields of an entry are the keys of its table, as they were read.

    Names of values are then the library's, expressions are SymPy's, parameters and times are in base SI.

    Attributes:
        name: ``"run 1"`` where the file gives none.
        start_of: the run whose start this is, where the table has none.
        where: place of the table in the file.
    """

    name: str
    start_of: str = field(default="", compare=False, kw_only=True)
    where: Place | None = field(default=None, compare=False, repr=False, kw_only=True)

    def like(self, kind: type[E], **own: object) -> E:
        """An entry of another kind with the values of this one, but for its `own`."""
        shared = {each.name for each in fields(self)} & {each.name for each in fields(kind)}
        return kind(**{**{name: getattr(self, name) for name in shared}, **own})


@dataclass(frozen=True)
class PrincipleSpec(EntrySpec):
    """An entry under one principle.

    Attributes:
        principle: its name, ``"nonholonomic"``.
        start: values by name as `Equations.start` takes them: numbers, text with a unit, a list for a rotation.
        events: in the file's order.
    """

    principle: str
    start: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    events: tuple[Event, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, kw_only=True)
class MotionSpec(EntrySpec):
    """An entry of motions over a time.

    Attributes:
        t: the time of the start.
        until: the time at which to end, in seconds.
        parameters: values that replace those of the system.
        inputs: what drives the inputs of the system, by name: what the entry says, or else the file.
        options: those of `simulate`: method, rtol, atol, step, ...
    """

    t: float = 0.0
    until: float = 0.0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Driven] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunSpec(PrincipleSpec, MotionSpec):
    """One run, from ``[[run]]``.

    Attributes:
        samples: how many sample times, the times themselves, or None for the ends of the steps.
        project, hold, guess: as of `Equations.start`.
    """

    samples: int | tuple[float, ...] | None = None
    project: str | None = None
    hold: tuple[str, ...] = ()
    guess: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class CompareSpec(MotionSpec):
    """One comparison of principles from one start, from ``[[compare]]``."""

    principles: tuple[str, ...]
    start: Mapping[str, Any] = field(default_factory=dict)
    samples: int | tuple[float, ...] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, kw_only=True)
class SweepSpec(PrincipleSpec, MotionSpec):
    """Many runs over starts and parameters, from ``[[sweep]]``.

    A value of the start, of a parameter or of an input is a number or text with a unit, or a tuple of such values,
    which is an axis of the grid; other inputs are formulas of the file.

    Attributes:
        rows: how the axes go together: ``"grid"`` (every value with every other) or ``"table"`` (first with first).
        times: how many sample times from the start to `until`, the times themselves, or None: the end alone.
        keep: names of what is kept; empty: all states.
    """

    rows: str = "grid"
    times: int | tuple[float, ...] | None = None
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FamilySpec(PrincipleSpec):
    """A family of steady or periodic motions to be followed, from ``[[family]]``.

    It begins near the start, which without all coordinates is one of the reduced system; events act on periodic ones.

    Attributes:
        parameter: what changes along it: the name of a parameter, a state, a definition, ``"period"``, ``"drift ..."``.
        over: its range, in base SI.
        fix: names of states that are held.
        period: about how long a motion takes; then it is a family of periodic ones. An expression in the parameters
            where the equations change with time.
        swing: with which small swing about a steady motion the family begins: True for the only one, ``"slowest"``,
            ``"fastest"``, or a frequency.
        symmetry: do motions come back up to the symmetry that the system declares?
        of, point: begin instead at this special point of the family of that name.
    """

    parameter: str
    over: tuple[float, float]
    fix: tuple[str, ...] = ()
    period: float | sp.Expr | None = None
    swing: float | str | bool | None = None
    symmetry: bool = False
    of: str | None = None
    point: int = 0


@dataclass(frozen=True)
class FitSpec(EntrySpec):
    """One fit to a recorded track, or one ranking, from ``[[fit]]``: what `fit` and `rank` are given, but the record.

    Attributes:
        principles: one name for a fit; several are ranked.
        question: what is asked of the record; values may be text with a unit.
        laws: ``{label: names of forces}``; a force that no label names always acts.
        later, ray: of a ranking, as of `rank`.
        read: how the record is read: arguments of `recorded`.
    """

    principles: tuple[str, ...]
    question: Question = field(default_factory=Question)
    laws: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    later: float | None = None
    ray: str | None = None
    read: Mapping[str, Any] = field(default_factory=dict)

    @property
    def start(self) -> Mapping[str, Any]:
        """The guess of the start."""
        return self.question.guess.start


Entry: TypeAlias = RunSpec | CompareSpec | SweepSpec | FamilySpec | FitSpec


@noun
@dataclass(frozen=True)
class Study:
    """What one system file says.

    Attributes:
        title: one line.
        system: the `System`.
        cite: keys of the bibliography, or free text.
        runs, compares, sweeps, fits, families: what is to be done with the system, in the file's order.
        source: the file's text, as it was read.
        name: the file's name, or what the text was called.
        folder: the file's own, where further files that it names lie.
        notes: remarks of the system and of the file.
        derived: parameters that the file gives by expressions in others; they follow these wherever they change.
        inputs: what drives the system's inputs where a run says nothing else, by name: numbers, text with a unit,
            formulas, `TableSpec`, `ColumnSpec`.
        definitions: what ``[definitions]`` and the parts of ``[lagrangian]`` stand for, by name.
        constants: values of all parameters of the file; those that only others are computed from are not in the system.
        written: values of parameters and inputs as the file has them: numbers, or text with a unit.
        built: reads the file once more with these parameters freed; `others` are the systems that it gave.
    """

    title: str
    system: System
    cite: tuple[str, ...] = ()
    runs: tuple[RunSpec, ...] = ()
    compares: tuple[CompareSpec, ...] = ()
    sweeps: tuple[SweepSpec, ...] = ()
    fits: tuple[FitSpec, ...] = ()
    families: tuple[FamilySpec, ...] = ()
    source: str = field(default="", compare=False, repr=False)
    name: str = field(default="<text>", compare=False)
    folder: str = field(default="", compare=False)
    notes: tuple[Note, ...] = ()
    derived: Mapping[str, sp.Expr] = field(default_factory=dict)
    inputs: Mapping[str, Driven] = field(default_factory=dict)
    definitions: Mapping[str, sp.Expr] = field(default_factory=dict)
    constants: Mapping[str, float | None] = field(default_factory=dict)
    written: Mapping[str, object] = field(default_factory=dict, compare=False)
    places: Places | None = field(default=None, compare=False, repr=False)
    built: Callable[[Iterable[str]], Study] | None = field(default=None, compare=False, repr=False)
    others: dict[frozenset[str], System] = field(default_factory=dict, compare=False, repr=False)

    def freed(self, names: Iterable[str]) -> Study:
        """The study in which these parameters have values of their own, though the file gives them by formulas.

        ``study.freed(["I"]).system`` takes ``parameters={"I": 2e-5}``; in the system itself I follows from the others.
        """
        wanted = {*names} & self.system.defined.keys() & self.derived.keys()
        if not wanted or self.built is None:
            return self
        key = frozenset(wanted | (self.derived.keys() - self.system.defined.keys()))
        if key not in self.others:
            with warnings.catch_warnings():  # of what was said when the file was read
                warnings.simplefilter("ignore", DalembertWarning)
                self.others[key] = self.built(key).system
        return replace(self, system=self.others[key])

    def of(self, entry: Entry) -> Study:
        """The study for one of its entries: what that gives a value, bounds or a range has values of its own."""
        if not isinstance(entry, FitSpec):
            return self.freed(entry.parameters)
        guess = entry.question.guess
        return self.freed([*guess.parameters, *guess.free, *guess.bounds, *guess.priors])

    def overrides(self, given: Mapping[str, object]) -> dict[str, float]:
        """Values in base SI that replace parameters, as `parameters` of a run; `freed` says for what follows.

        Raises:
            UnknownName: E202, the file has no such parameter.
            DalembertError: E203 to E207 for the values.
        """
        return overriding(self, given)

    def tables(self) -> dict[str, Any]:
        """The tables of its file, anew."""
        return parsed(self.source, self.name)[0]

    def locate(self, error: DalembertError, entry: Place | None = None) -> DalembertError:
        """The error with the place in the file that it speaks of, if that can be told; `entry` is that of its run."""
        return locate(error, self.system, self.places, entry)

    def __str__(self) -> str:
        lines = [str(self.system)]
        entries: dict[str, tuple[Entry, ...]]
        entries = {"run": self.runs, "compare": self.compares, "sweep": self.sweeps}
        entries |= {"family": self.families, "fit": self.fits}
        lines += [f"  {kind:<12} {spec.name}" for kind, specs in entries.items() for spec in specs]
        return "\n".join(lines)

    __repr__ = __str__
