"""``[[run]]``, ``[[compare]]``, ``[[sweep]]`` and ``[[family]]``: what is to be done with the system.

It is checked as far as text can be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp
from pydantic_core import PydanticCustomError

from ..calculus.plausibility import refuse_formula
from ..calculus.quantity import NUMBER, SECOND, is_quantity, quantity, refuse_bare
from ..errors import DalembertError, InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ..errors.lookalike_letters import shape, strange
from ..errors.remedies import Option
from ..event import Event
from ..model.parameters import check
from ..model.space import Space
from ..principles.principle_table import PRINCIPLES
from . import schema, value_types
from .file_expressions import Texts, Values
from .inputs import Driven, Drives
from .study import CompareSpec, FamilySpec, RunSpec, SweepSpec
from .toml_positions import Path
from .toml_text import kind

# --- options of a run ------------------------------------------------------------------------------------------------

MOST_STEPS, MOST_SECONDS = 10_000_000, 600.0  # a file may ask for fewer


def option(key: str, given: object) -> object:
    """One option of `simulate`, as far as a file can say it."""
    read: Callable[[str, Any], Any] = _OPTIONS.get(key, lambda _, value: value)
    return read(key, given)


def _method(_: str, given: str) -> str:
    from ..numerics.methods import kind  # loads the engine: only for files that name a method

    return kind(given).word


def _order(_: str, given: int) -> int:
    from ..numerics.methods import METHODS

    known = sorted({order for method in METHODS.values() for order in method.orders})
    if given not in known:
        raise InvalidValue("E307", f"order = {given} is not known", ", ".join(map(str, known)))
    return given


def _tolerance(_: str, given: object) -> float:
    value = quantity(given, "rtol", NUMBER).value
    if not 1e-16 <= value <= 1e-2:
        raise InvalidValue("E305", f"rtol = {value:g} must be in [1e-14, 1e-2]", "rtol = 1e-9")
    return value


def _absolute(_: str, given: object) -> object:
    if isinstance(given, dict):
        return {name: _absolute("", value) for name, value in given.items()}
    value = quantity(given, "atol", NUMBER).value
    if value <= 0:
        raise InvalidValue("E305", f"atol = {value:g} must be positive", "atol = 1e-12")
    return value


def _positive(key: str, given: float) -> float:
    if given <= 0:
        raise InvalidValue("E305", f"{key} = {given:g} must be positive", f"{key} = 0.01")
    return given


def _limit(key: str, given: object) -> object:
    most = MOST_STEPS if key == "max_steps" else MOST_SECONDS
    value = given if isinstance(given, int) else quantity(given, key, SECOND if key == "seconds" else NUMBER).value
    if value <= 0:
        raise InvalidValue("E313", f"{key} = {value:g} must be positive", f"leave {key} out")
    if value > most:
        fact = f"{key} = {value:g} is above the limit {most:g}: a file may lower a limit, not raise it"
        raise InvalidValue("E313", fact, f"leave {key} out, and raise it where you run the file")
    return value


def _stabilisation(_: str, given: object) -> object:
    if given in ("projection", "drift"):
        return given
    if isinstance(given, dict) and set(given) == {"baumgarte"}:
        rate = quantity(given["baumgarte"], "baumgarte", SECOND**-1).value
        if rate > 0:
            return {"baumgarte": rate}
    fact = f"stabilisation = {as_given(given)} is not known"
    error: DalembertError = InvalidValue("E307", fact, '"projection", "drift" or { baumgarte = 1.0 }')
    raise error


_OPTIONS: dict[str, Callable[[str, Any], Any]] = {
    "method": _method,
    "rtol": _tolerance,
    "atol": _absolute,
    "step": _positive,
    "max_step": _positive,
    "max_steps": _limit,
    "seconds": _limit,
    "order": _order,
    "stabilisation": _stabilisation,
}


MOST_MEMBERS = 1_000_000
_TimedTable = schema.RunTable | schema.CompareTable | schema.SweepTable
_Table = _TimedTable | schema.FamilyTable
_DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}
_DOT = re.compile(r"dot\(\s*(\w+)\s*\)\Z")
# other ways to write a rate: dot x, dot_x, d(x), x', x_dot, xdot, dx/dt, der(x), diff(x)
_RATE = re.compile(r"(?:dot|d)[ _]?(\w+?)(?:/dt)?|(\w+?)(?:[ _]?dot|'|\u2019)|(?:d|D|der|diff)\((\w+)(?:,\s*t)?\)")


class Entries:
    """Reads the entries of a file; problems go to the collector.

    Attributes:
        inputs: the inputs that the file declares, by name.
        drives: what drives them where an entry says nothing else.
        first: the first run, whose start entries without one take.
    """

    inputs: Mapping[str, object] = {}
    drives: Mapping[str, Driven] = {}
    first: RunSpec | None = None

    def __init__(self, texts: Texts, space: Space, values: Values, constraints: Sequence[str], walls: bool) -> None:
        self.texts, self.space, self.values, self.collector = texts, space, values, texts.collector
        self.multipliers = [f"lam_{name}" for name in constraints]
        self.walls, self.families = walls, dict[str, str | None]()  # from which family each begins
        self.states = {**space.by_name}
        self.symbols = {**texts.names, **{name: sp.Symbol(name, real=True) for name in self.multipliers}}

    def run(self, n: int, entry: schema.RunTable) -> RunSpec:
        """One ``[[run]]``."""
        path: Path = ("run", n)
        spec = RunSpec(
            principle=self._principle(entry.principle, (*path, "principle")),
            start=self._start(entry.start, (*path, "start"), self._takes_multipliers([entry.principle])),
            **self._timed(entry, path),
            inputs=self._driven(entry.inputs, path),
            samples=self._samples(entry.samples, entry.t, entry.until, (*path, "samples")),
            project=self._project(entry.project, (*path, "project")),
            hold=tuple(entry.hold),
            guess=self._start(entry.guess, (*path, "guess"), False),
            events=self._events(entry.event, (*path, "event")),
        )
        self.first = self.first or spec
        return spec

    def compare(self, n: int, entry: schema.CompareTable) -> CompareSpec:
        """One ``[[compare]]``."""
        path: Path = ("compare", n)
        twice = [p for i, p in enumerate(entry.principles) if p in entry.principles[:i]]
        if len(entry.principles) < 2 or twice:
            fact = f"{as_given(twice[0])} is named twice" if twice else "a comparison needs two principles"
            remedy = "name each once" if twice else 'principles = ["nonholonomic", "vakonomic"]'
            self.collector.add(InvalidValue("E307", fact, remedy), (*path, "principles"))
        start, of = self._lent(entry.start, path, entry.principles)
        timed = self._timed(entry, path, of)
        return CompareSpec(
            principles=tuple(self._principle(p, (*path, "principles", i)) for i, p in enumerate(entry.principles)),
            start=start,
            start_of=of,
            **timed,
            inputs=self._driven(entry.inputs, path),
            samples=self._samples(entry.samples, timed["t"], entry.until, (*path, "samples")),
        )

    def sweep(self, n: int, entry: schema.SweepTable) -> SweepSpec:
        """One ``[[sweep]]``."""
        path: Path = ("sweep", n)
        axes = {name: self._axis(e, (*path, "start", name)) for name, e in entry.start.items()}
        start, of = self._lent(axes, path, [entry.principle])
        timed = self._timed(entry, path, of)
        spec = SweepSpec(
            principle=self._principle(entry.principle, (*path, "principle")),
            start=start,
            start_of=of,
            **timed,
            inputs={**self.drives, **self._drives().axes(entry.inputs, (*path, "inputs"))},
            rows=entry.rows,
            times=self._samples(entry.times, timed["t"], entry.until, (*path, "times")),
            keep=entry.keep,
            events=self._events(entry.event, (*path, "event")),
        )
        self._check_members(spec, path)
        return spec

    def family(self, n: int, entry: schema.FamilyTable) -> FamilySpec:
        """One ``[[family]]``."""
        path: Path = ("family", n)
        self._check_beginning(entry, path)
        return FamilySpec(
            principle=self._principle(entry.principle, (*path, "principle")),
            start=self._start(entry.start, (*path, "start"), self._takes_multipliers([entry.principle])),
            **self._common(entry, path),
            over=self._over(entry, (*path, "over")),
            period=self._period(entry.period, (*path, "period")),
            events=self._events(entry.event, (*path, "event")),
            **{key: getattr(entry, key) for key in ("parameter", "fix", "swing", "symmetry", "of", "point")},
        )

    def _check_beginning(self, entry: schema.FamilyTable, path: Path) -> None:
        """E307: it begins in one way; E308, at a point of a family of the file, and not of its own."""
        ways = [key for key in ("of", "period", "swing") if getattr(entry, key) is not None]
        if len(ways) > 1:
            fact = f"{ways[0]} and {ways[1]} are two ways to begin a family"
            self.collector.add(InvalidValue("E307", fact, "leave one out"), (*path, ways[1]))
        if entry.event and entry.period is None:
            fact = "events act on periodic motions, and the family begins with none"
            self.collector.add(InvalidValue("E307", fact, "give its period, or leave them out"), (*path, "event"))
        if entry.of is not None and entry.of not in self.families:
            fact = f"of = {as_given(entry.of)} is no family of this file"
            self.collector.add(UnknownName("E308", fact, did_you_mean(entry.of, self.families)), (*path, "of"))
        if self._goes_round(entry.name):
            fact = f"of = {as_given(entry.of)} leads back to {entry.name}"
            self.collector.add(InvalidValue("E308", fact, "begin one of them with a start"), (*path, "of"))

    def _goes_round(self, name: str | None) -> bool:
        """Does a family begin at one that begins at it?"""
        before, seen = self.families.get(name or ""), set[str]()
        while before is not None and before not in seen:
            if before == name:
                return True
            seen.add(before)
            before = self.families.get(before)
        return False

    def _over(self, entry: schema.FamilyTable, path: Path) -> tuple[float, float]:
        """Both ends in base SI; they rise."""
        name, ends = entry.parameter, (0.0, 1.0)
        with self.collector.watch(path):
            if name in self.values.symbols:
                low, high = (self._number(name, end, path) for end in entry.over)
            else:
                low, high = (quantity(end, name).value for end in entry.over)
            if not low < high:
                rising = f"over = [{high:g}, {low + (low == high):g}]"
                raise InvalidValue("E241", f"over = [{low:g}, {high:g}] is empty", rising)
            ends = low, high
        return ends

    def _period(self, given: float | str | None, path: Path) -> float | sp.Expr | None:
        """Seconds, or a formula in the parameters."""
        if isinstance(given, str) and not is_quantity(given):
            return self.texts.read(given, path, "the period")
        with self.collector.watch(path):
            return None if given is None else quantity(given, "the period", SECOND).value
        return None

    def _driven(self, given: Mapping[str, schema.InputTable], path: Path) -> dict[str, Driven]:
        """What drives all inputs of an entry: what it says, or else the file."""
        return {**self.drives, **self._drives().all(given, (*path, "inputs"))}

    def _drives(self) -> Drives:
        return Drives(self.texts, self.values, self.inputs)

    def _common(self, entry: _Table, path: Path) -> dict[str, Any]:
        """Name, values of parameters and place."""
        return {
            "name": entry.name or f"{path[0]} {int(path[1]) + 1}",
            "parameters": self._parameters(entry.parameters, (*path, "parameters")),
            "where": self.collector.places.key(path),
        }

    def _timed(self, entry: _TimedTable, path: Path, of: str = "") -> dict[str, Any]:
        """Besides these a time span and options; the time at which a start that is taken `of` a run begins is its."""
        t = self.first.t if of and self.first is not None and "t" not in entry.model_fields_set else entry.t
        if entry.until < t:
            fact = f"until = {entry.until:g} lies before the start, t = {t:g}"
            self.collector.add(InvalidValue("E302", fact, "give a later time"), (*path, "until"))
        own = {"t": t, "until": entry.until, "options": self._options(entry, path)}
        return self._common(entry, path) | own

    def _options(self, entry: schema.EntryTable | schema.FitTable, path: Path) -> dict[str, object]:
        """Options of runs."""
        options: dict[str, Any] = {}
        for table, at in ((entry, path), (entry.options, (*path, "options"))):
            for key in schema.OptionsTable.model_fields if table is not None else ():
                given = getattr(table, key)
                if given is not None:
                    with self.collector.watch((*at, key)):
                        if key in options:
                            fact = f"{key} stands among the keys of the entry and in its options"
                            raise InvalidValue("E102", fact, "leave one out")
                        options[key] = option(key, given)
                        if key == "walls" and given and not self.walls:
                            raise InvalidValue("E131", "walls = true, but the file has no [[wall]]", "leave it out")
        return options

    def _principle(self, given: str, path: Path) -> str:
        if given not in PRINCIPLES:
            fact = f"there is no principle {as_given(given)}"
            self.collector.add(UnknownName("E308", fact, did_you_mean(given, PRINCIPLES)), path)
        return given

    def _takes_multipliers(self, principles: Sequence[str]) -> bool:
        return any(p not in PRINCIPLES or PRINCIPLES[p].starts_multipliers for p in principles)

    def _project(self, given: str | None, path: Path) -> str | None:
        if given not in (None, "kinetic"):
            self.collector.add(
                InvalidValue("E243", f"project = {as_given(given)} is not known", 'project = "kinetic"'), path
            )
        return given

    # --- starts ---

    def _lent(self, given: Mapping[str, object], path: Path, principles: Sequence[str]) -> tuple[dict[str, Any], str]:
        """A start; where it gives no position and no velocity, with those of the first run, and the name of that."""
        multipliers, run = self._takes_multipliers(principles), self.first
        start = self._start(given, (*path, "start"), multipliers)
        if run is None or not run.start or any(name not in self.multipliers for name in start):
            return start, ""
        lent = {name: v for name, v in run.start.items() if multipliers or name not in self.multipliers}
        return {**lent, **start}, run.name

    def _start(self, given: Mapping[str, object], path: Path, multipliers: bool) -> dict[str, Any]:
        """Start values by the library's names, ``dot(x)`` as its velocity and ``lam1`` as the first multiplier."""
        found: dict[str, Any] = {}
        for key, value in given.items():
            with self.collector.watch((*path, key), key=True):
                name = self._state(key, multipliers)
                if name in found:
                    raise InvalidValue("E233", f"{name} is given under two names, {key} is one", "leave one out")
                found[name] = value
                self._check_value(name, value)
            with self.collector.watch((*path, key)):
                if isinstance(value, str) and key not in self.space.attitudes and value != "identity":
                    self._refuse_formula(key, value)
                    quantity(value, key)
        return found

    def _state(self, key: str, multipliers: bool) -> str:
        dot = _DOT.match(key.strip())
        if dot:
            return self._rate(dot[1], key)
        if key in self.states or key in self.space.attitudes:
            return key
        number = re.fullmatch(r"lam(\d{1,3})", key)
        if number and 0 < int(number[1]) <= len(self.multipliers):
            key = self.multipliers[int(number[1]) - 1]
        if key.startswith("lam") and not multipliers:
            fact = f"{key}: multipliers are determined by the motion here, they are no part of the state"
            raise UnknownName("E235", fact, 'leave it out, or write principle = "vakonomic"')
        if key in self.multipliers:
            return key
        if key in self.values.symbols:
            fact = f"{key} is a parameter, not part of the state"
            raise UnknownName("E229", fact, f"parameters = {{ {key} = ... }}")
        if key.startswith("lam") and self.collector.partial:
            return key
        if key.startswith("lam"):
            raise UnknownName("E236", f"there is no multiplier {as_given(key)}", did_you_mean(key, self.multipliers))
        known = [*self.states, *self.space.attitudes, *(self.multipliers if multipliers else ())]
        raise UnknownName("E229", f"unknown name {as_given(key)} in the start", self._meant(key, known))

    def _meant(self, key: str, known: Sequence[str]) -> str:
        """A rate that is written in another way, or the name that is closest."""
        if key in schema.RunTable.model_fields:
            return f"{key} belongs to the [[run]] itself: write it above [run.start]"
        return self._rate_meant(key) or self._rotation_meant(key) or did_you_mean(key, known)

    def _rotation_meant(self, key: str) -> str:
        """What to write for a rotation that goes by the name of its velocities, ``rotation = "w"``."""
        names = [f"{key}{axis}" for axis in (1, 2, 3)]
        if not self.space.attitudes or not {u.name for u in self.space.velocities} >= {*names}:
            return ""
        whole = " or ".join(f'{name} = "identity"' for name in self.space.attitudes)
        return (
            f"the rotation is called {', '.join(self.space.attitudes)}: {whole}; its velocities are {', '.join(names)}"
        )

    def _rate_meant(self, key: str) -> str:
        """What to write for a rate that is written in another way."""
        found = _RATE.fullmatch(key.strip())
        name = next((part for part in found.groups() if part), "") if found else ""
        rates = {q.name for q, rate in self.space.rates.items() if rate in self.space.velocities}
        return f'write "dot({name})"' if name in rates else ""

    def _rate(self, name: str, key: str) -> str:
        rates = {q.name: rate for q, rate in self.space.rates.items()}
        velocities = [u.name for u in self.space.velocities]
        if name in rates and rates[name] in self.space.velocities:
            return str(rates[name])
        if name in rates:
            fact = f"{key} is not a velocity of the space: dot({name}) = {rates[name]}"
            raise UnknownName("E229", fact, f"give {', '.join(velocities)}")
        raise UnknownName("E229", f"unknown name {as_given(key)} in the start", did_you_mean(name, rates))

    def _check_value(self, name: str, value: object) -> None:
        """A rotation takes a rotation, everything else a number; lists are the axes of a sweep."""
        if name in self.space.attitudes:
            if isinstance(value, int | float) or (isinstance(value, str) and value != "identity"):
                fact = f"{name} = {as_given(value)} is not a rotation"
                raise WrongType("E239", fact, f'{name} = "identity", or {{ w = 1, x = 0, y = 0, z = 0 }}, or a matrix')
            if isinstance(value, tuple) and len(value) == 4 and not any(isinstance(row, tuple) for row in value):
                fact = f"{name}: four numbers, but which comes first?"
                raise InvalidValue("E238", fact, f"name them: {name} = {{ w = 1, x = 0, y = 0, z = 0 }}")
        elif isinstance(value, dict) or value == "identity":
            raise WrongType("E204", f"{name} must be a number or text with a unit, not {kind(value)}", '1.5 or "10 cm"')

    def _refuse_formula(self, name: str, value: object) -> None:
        """E204, with the number that the formula is at the values of the file."""
        refuse_formula(name, value, self.values.symbols, self.values.numbers, self.values.unit)

    # --- parameters ---

    def _parameters(self, given: Mapping[str, object], path: Path) -> dict[str, Any]:
        """Values in base SI, or tuples of such, which are axes of a sweep."""
        found: dict[str, Any] = {}
        for name, value in given.items():
            with self.collector.watch((*path, name), key=name not in self.values.symbols):
                self._known(name)
                numbers = [
                    self._number(name, each, (*path, name)) for each in (value if isinstance(value, tuple) else [value])
                ]
                found[name] = tuple(numbers) if isinstance(value, tuple) else numbers[0]
        return found

    def _known(self, name: str) -> None:
        if name in self.inputs:
            fact = f"{name} is an input, no parameter"
            raise UnknownName("E202", fact, Option("inputs", {name: 0.1}))
        if name not in self.values.symbols:
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", did_you_mean(name, self.values.symbols))

    def _number(self, name: str, value: object, path: Path) -> float:
        refuse_bare(name, value, self.values.written.get(name))
        found, has = quantity(value, name, self.values.dimensions.get(name))
        if has is not None:
            self.values.replaced.append((path, name, has))
        return check(name, found, self.values.symbols[name])

    def _axis(self, given: object, path: Path) -> Any:
        """A start value of a sweep, or a list of them."""
        name = str(path[-1])
        try:
            if name in self.space.attitudes or isinstance(given, dict) or given == "identity":
                return value_types._start_value(given)
            for value in given if isinstance(given, list) else [given]:
                self._refuse_formula(name, value)
            return value_types._axis(given)
        except WrongType as error:
            self.collector.add(error, path)
            return 0.0
        except PydanticCustomError as error:
            fact = str((error.context or {}).get("fact", "")).replace("the value", name)
            whole = (error.context or {}).get("whole")
            remedy = str((error.context or {}).get("remedy", ""))
            self.collector.add(InvalidValue(error.type, fact if whole else f"{name} {fact}", remedy), path)
            return 0.0

    def _check_members(self, spec: SweepSpec, path: Path) -> None:
        """E304: more members than a file may ask for."""
        sizes = [len(v) for v in (*spec.start.values(), *spec.parameters.values()) if isinstance(v, tuple)]
        if spec.rows == "table" and len(set(sizes)) > 1:
            fact = f"the columns of the table have {' and '.join(map(str, sorted(set(sizes))))} values"
            self.collector.add(InvalidValue("E241", fact, 'give as many values for each name, or rows = "grid"'), path)
        members = 1
        for size in sizes if spec.rows == "grid" else ():
            members *= size
        if members > MOST_MEMBERS:
            fact = f"the sweep has {members} members, the limit for a file is {MOST_MEMBERS}"
            self.collector.add(InvalidValue("E304", fact, "take fewer values"), path)

    # --- times and events ---

    def _samples(self, given: object, t: float, until: float, path: Path) -> Any:
        if isinstance(given, tuple) and (given[0] < t or given[-1] > until):
            fact = f"sample times must lie in [{t:g}, {until:g}]"
            self.collector.add(InvalidValue("E303", fact, "change them, or until"), path)
        return given

    def _events(self, given: Sequence[schema.EventTable], path: Path) -> tuple[Event, ...]:
        found: list[Event] = []
        for n, entry in enumerate(given):
            event = self._event(entry, (*path, n))
            if event is not None and shape(event.name) in {shape(other.name) for other in found}:
                error = InvalidValue(
                    "E316", f"two events are called {as_given(event.name)}", "give each a name of its own"
                )
                self.collector.add(error, (*path, n, "name"))
            elif event is not None:
                found.append(event)
        return tuple(found)

    def _event(self, entry: schema.EventTable, path: Path) -> Event | None:
        reader = Texts(self.collector, self.symbols, self.texts.rates, self.texts.parameters)
        guard = reader.read(entry.guard, (*path, "guard"), f"the guard of {entry.name}")
        wrong = strange(entry.name)
        if wrong is not None:
            fact = f"the name of an event is {as_given(entry.name)}: {wrong[0]}"
            self.collector.add(InvalidValue("E316", fact, wrong[1]), (*path, "name"))
        then: Any = None
        with self.collector.watch((*path, "then")):
            then = self._then(entry, reader, (*path, "then"))
        direction = (
            _DIRECTIONS.get(entry.direction, entry.direction) if isinstance(entry.direction, str) else entry.direction
        )
        if isinstance(direction, bool) or direction not in (-1, 0, 1):
            fact = f"event {as_given(entry.name)}: direction = {as_given(entry.direction)}"
            remedy = '"rising" (1), "falling" (-1) or "both" (0)'
            self.collector.add(InvalidValue("E316", fact, remedy), (*path, "direction"))
            return None
        return (
            None
            if guard is None or then is None or wrong is not None
            else Event(entry.name, guard, then, int(direction))
        )

    def _then(self, entry: schema.EventTable, reader: Texts, path: Path) -> object:
        if entry.then in ("mark", "stop"):
            return entry.then
        if not isinstance(entry.then, dict) or not entry.then:
            fact = f"event {as_given(entry.name)}: then = {as_given(entry.then)}"
            raise InvalidValue("E316", fact, '"mark", "stop", or new values: { vx = "-vx" }')
        found: dict[str, Any] = {}
        for key, given in entry.then.items():
            with self.collector.watch((*path, key), key=True):
                if isinstance(given, bool) or not isinstance(given, str | int | float):
                    raise InvalidValue("E316", f"event {as_given(entry.name)}: {key} is {kind(given)}", 'vx = "-vx"')
                state = self._state(key, True)
                if state in found:
                    fact = f"event {as_given(entry.name)}: {state} has two new values, under two names"
                    raise InvalidValue("E316", fact, "leave one out")
                found[state] = reader.read(given, (*path, key), f"the new {key}")
        return found if all(e is not None for e in found.values()) else None
