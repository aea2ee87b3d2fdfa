"""From the tables of a file to a Study: space, parameters, expressions, system, entries; all problems at once."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, NamedTuple

import sympy as sp
from pydantic import ValidationError

from ..calculus.frame import TIME
from ..calculus.quantity import refuse_bare, scaled
from ..calculus.symbols import free_symbols
from ..errors import DalembertError, InvalidValue, Note, Problems, UnknownName, as_given, did_you_mean, warn
from ..errors.lookalike_letters import apart, shape
from ..machines.assembly import LIMITS, Assembly
from ..model.dimensions import Differs
from ..model.expression_symbols import Rates
from ..model.force import Force
from ..model.space import Space
from ..model.system import System
from ..model.system_arguments import cited
from ..model.unit_mismatch import Bare, bare_notes, clear, measured
from .error_location import path_of, rates_of
from .file_expressions import Texts, Values, name_problems, value_path, values
from .fit import Fits
from .force_laws import Laws, added_potential, declared
from .inputs import Drives, written
from .inputs import declared as inputs_of
from .schema import FileTable, given_alone
from .schema_errors import MOST, close_to, refusals, repaired
from .spaces import assembly, with_space
from .spaces import space as read_space
from .study import CompareSpec, Entry, FitSpec, RunSpec, Study
from .system_parts import Moves, Parts, bodies, define, mentioned
from .toml_positions import Collector, Path, Places
from .toml_text import SCHEMA

_KINDS = {"runs": "run", "compares": "compare", "sweeps": "sweep", "families": "family", "fits": "fit"}
_REPAIRS = 5  # how often a file is read again without what was refused


def build(
    tables: dict[str, Any],
    places: Places,
    text: str,
    limits: Mapping[str, Any] | None,
    freed: Iterable[str] = (),
) -> Study:
    """The Study of a file.

    Args:
        freed: parameters that have values of their own, though they are given by formulas in others.

    Raises:
        DalembertError: the one problem, or `Problems`.
    """
    collector = Collector(places)
    _check_schema(tables, collector)
    tables = dict(with_space(tables, collector))
    file = _validated(tables, collector)
    if file is None:
        collector.settle()
        raise AssertionError("a file that is refused has a problem")
    study = _Build(file, collector, tables, freed).study(text, limits)
    return replace(study, built=partial(build, tables, places, text, limits))


def fit_of(study: Study, table: Mapping[str, Any]) -> FitSpec:
    """The fit that this table would be in the file of the study; its problems have no place.

    Raises:
        DalembertError: the one problem, or `Problems`.
    """
    tables = {key: value for key, value in study.tables().items() if key not in _KINDS.values()}
    tables["fit"] = [dict(table)]
    collector = Collector(Places("", study.name))
    collector.places.folder = study.folder
    try:
        file = _validated(tables, collector)
        assert file is not None
        return _Build(file, collector, tables).fit()
    except DalembertError as error:
        for problem in error.problems if isinstance(error, Problems) else (error,):
            problem.where = None
        raise


def _check_schema(tables: Mapping[str, Any], collector: Collector) -> None:
    """E509 alone for a file of another version: the rest may mean something else there."""
    given = tables.get("schema")
    if isinstance(given, int) and not isinstance(given, bool) and given != SCHEMA:
        what = "a newer version of dalembert" if given > SCHEMA else "no version of dalembert"
        fact = f"schema = {given:.12g} is that of {what}; this one reads schema = {SCHEMA}"
        remedy = "pip install --upgrade dalembert" if given > SCHEMA else f"schema = {SCHEMA}"
        collector.add(InvalidValue("E509", fact, remedy), ("schema",))
        collector.settle()


def _validated(tables: dict[str, Any], collector: Collector) -> FileTable | None:
    """The file as the schema sees it; where something is refused, what is left without it, so that all is said."""
    left = copy.deepcopy(tables)
    found = given_alone(left)
    if found is not None:
        return found
    for n in range(_REPAIRS):
        try:
            return FileTable.model_validate(left)
        except ValidationError as error:
            if n == 0:  # what is refused after a repair follows from it
                collector.found += refusals(error, FileTable, left, collector.places)
                # is a problem there one of constraints, whose names are not all known then?
                collector.partial = any(
                    close_to(str(problem["loc"][0]), ("constraint",)) is not None for problem in error.errors()
                )
            if error.error_count() > MOST:
                return None
            left, collector.places = repaired(left, error, FileTable, collector.places)
    return None


class _Build:
    """One file that satisfies the schema, perhaps after repairs."""

    def __init__(
        self, file: FileTable, collector: Collector, tables: Mapping[str, Any], freed: Iterable[str] = ()
    ) -> None:
        self.file, self.collector, self.tables = file, collector, tables
        self.defined: dict[str, sp.Expr] = {}
        self.freed = frozenset((*freed, *file.explore.ranges))  # what a slider moves is moved by nothing else
        self.notes: list[Note] = []
        self.machine: Assembly | None = None

    def study(self, text: str, limits: Mapping[str, Any] | None) -> Study:
        """The Study, or all problems."""
        found = values(self.file.parameters, self.file.units, self.collector)
        found.freed = self.freed
        declared(self.file.friction, found, self.collector)
        self.inputs, found.driven = inputs_of(self.file.inputs, found, self.collector), written(self.file.inputs)
        space = self._space(found)
        if space is None:
            self.collector.settle()
            raise AssertionError("a space that is refused has a problem")
        texts = self._texts(space, found)
        self.unused = self._unused(self._define(texts))
        given = self._given(space, texts, found)
        self._check_units(space, found)
        self.drives = Drives(texts, found, self.file.inputs).all(self.file.inputs, ("inputs",))
        entries = self._entries(space, texts, found, given["forces"])
        self.collector.settle()
        system = self._system(space, given, found, limits, texts)
        if self.machine is not None:
            system = system.telling(self.machine.parts.doubts)
        self._doubt(system)
        for path, name, has in found.replaced:
            with self.collector.watch(path):
                system.fits({name: has} if name in system.symbols else {})
        self.collector.settle()
        given_values = {**found.driven, **found.written}
        self.notes += mixed_notes(system, given_values, [entry for many in entries.values() for entry in many])
        return Study(
            title=self.file.title,
            system=system,
            cite=cited(self.file.cite),
            **entries,
            source=text,
            name=self.collector.places.name,
            folder=self.collector.places.folder,
            notes=(*system.notes, *self.notes),
            derived=found.derived,
            inputs=self.drives,
            definitions=self.defined,
            constants=found.numbers,
            written=given_values,
            places=self.collector.places,
        )

    def fit(self) -> FitSpec:
        """The first ``[[fit]]`` alone; the system is not made."""
        found = values(self.file.parameters, self.file.units, self.collector)
        declared(self.file.friction, found, self.collector)
        self.inputs, found.driven = inputs_of(self.file.inputs, found, self.collector), written(self.file.inputs)
        space = self._space(found)
        assert space is not None
        texts = self._texts(space, found)
        self._define(texts)
        self.drives = Drives(texts, found, self.file.inputs).all(self.file.inputs, ("inputs",))
        forces = [law for law, _ in Laws(texts, space, found).all(self.file)]
        entries = self._entries(space, texts, found, forces)
        self.collector.settle()
        spec: FitSpec = entries["fits"][0]
        return spec

    def _space(self, found: Values) -> Space | None:
        """That of the file, or of its machine."""
        if self.file.machine is None:
            return read_space(dict(self._raw("space")), self.collector, found.meanings)
        self.machine = assembly(self.file.machine, [*found.symbols], [*self.inputs], self.collector)
        return None if self.machine is None else self.machine.space

    def _raw(self, key: str) -> Mapping[str, Any]:
        """A table in the order of its keys in the file."""
        table = getattr(self.file, key)
        order = list(self.tables.get(key, {})) if isinstance(self.tables.get(key), dict) else []
        fields = {name: getattr(table, name) for name in type(table).model_fields if name in table.model_fields_set}
        return dict(sorted(fields.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))

    def _texts(self, space: Space, found: Values) -> Texts:
        own = {**space.by_name, TIME.name: TIME}
        given: dict[str, Path] = {name: ("parameters", name) for name in found.symbols}
        given |= {name: ("inputs", name) for name in self.inputs}
        name_problems(given, {**own, **space.attitudes}, self.collector)
        names = {**found.symbols, **self.inputs, **own}
        rates = Rates(space, self.defined, self.inputs)
        return Texts(self.collector, names, rates, (*found.symbols, *self.inputs))

    def _define(self, texts: Texts) -> set[str]:
        """Read definitions; the names of those that others use."""
        return define(texts, self._parts, self.defined)

    @property
    def _parts(self) -> dict[Path, object]:
        """Definitions and parts of L, by their paths."""
        parts: dict[Path, object] = {("definitions", name): e for name, e in self.file.definitions.items()}
        return parts | {("lagrangian", name): e for name, e in (self.file.lagrangian.model_extra or {}).items()}

    def _at(self, path: Path) -> object:
        """What stands at a path; None where it is left out."""
        there = path in self.collector.places.values
        return reduce(lambda table, key: table[key], path, self.tables) if there else None  # type: ignore[index]

    def _given(self, space: Space, texts: Texts, found: Values) -> dict[str, Any]:
        """Arguments of `System`."""
        file, parts = self.file, Parts(texts, space, found.numbers)
        laws = Laws(texts, space, found).all(file)
        L, up = file.lagrangian.L, file.lagrangian.up
        order = list(self._raw("symmetry"))
        given: dict[str, Any] = {
            "lagrangian": texts.read(L, ("lagrangian", "L"), "the Lagrangian"),
            "up": None if up is None else texts.read(up, ("lagrangian", "up"), "up"),
            "massless": self._massless(space),
            "constraints": parts.constraints(file.constraint, "constraint"),
            "equivalent": parts.constraints(file.equivalent, "equivalent"),
            "forces": [law for law, _ in laws],
            "walls": parts.walls(file.wall),
            "contacts": parts.contacts(file.contact, file.friction.dry),
            "inertias": parts.inertias(file.inertias),
            "momenta": parts.momenta(file.momenta),
            "symmetry": Moves(texts, space).all(file.symmetry, order),
            "bodies": bodies(file.body, texts),
            "scene": {"up": file.scene.up},
            "explore": {"ranges": self._ranges(space, found), "until": file.explore.until},
            "symbols": file.symbols,
            "inputs": tuple(self.inputs),
            "definitions": {n: e for n, e in self.defined.items() if self._stays(n)},
        }
        return given if self.machine is None else given | self._of_machine(self.machine, given)

    def _of_machine(self, machine: Assembly, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of a system that its machine has, and those that the file adds."""
        with self.collector.watch(("machine",)):
            for kind in ("constraints", "contacts"):
                if both := getattr(machine, kind).keys() & given[kind].keys():
                    fact = f"the machine has a row {as_given(min(both))} already, among its {kind}"
                    raise InvalidValue("E102", fact, "give the other one another name")
            return {
                "lagrangian": machine.lagrangian,
                "constraints": {**machine.constraints, **given["constraints"]},
                "forces": [*machine.forces, *given["forces"]],
                "contacts": {**machine.contacts, **given["contacts"]},
                "bodies": given["bodies"] or machine.drawn,
                "inputs": tuple(dict.fromkeys((*machine.reader.inputs, *given["inputs"]))),
            }
        return {}

    def _ranges(self, space: Space, found: Values) -> dict[str, object]:
        """The ranges by name; dot(x) is the velocity that is the rate of x."""
        for name, ends in self.file.explore.ranges.items():
            with self.collector.watch(("explore", "ranges", name)):
                for end in ends if isinstance(ends, list | tuple) else ():
                    refuse_bare(name, end, found.driven.get(name, found.written.get(name)))
        rates = {f"dot({q})": str(rate) for q, rate in space.rates.items() if rate in space.velocities}
        return {rates.get(name.replace(" ", ""), name): ends for name, ends in self.file.explore.ranges.items()}

    def _massless(self, space: Space) -> list[str]:
        velocities = {u.name: u.name for u in space.velocities}
        velocities |= {f"dot({q})": str(r) for q, r in space.rates.items() if r in space.velocities}
        velocities |= {
            str(q): str(r) for q, r in space.rates.items() if r in space.velocities and str(q) not in velocities
        }
        found = []
        for name in self.file.lagrangian.massless:
            if name in velocities:
                found.append(velocities[name])
            else:
                error = UnknownName(
                    "E127", f"massless: {as_given(name)} is not a velocity", did_you_mean(name, velocities)
                )
                self.collector.add(error, ("lagrangian", "massless"))
        return found

    def _check_units(self, space: Space, found: Values) -> None:
        from ..calculus.quantity import dimension

        known = {*space.by_name, *found.symbols, *self.inputs}
        for name, unit in self.file.units.items():
            with self.collector.watch(("units", name)):
                dimension(unit, name)
            if name not in known:
                error = UnknownName(
                    "E104", f"units: nothing here is called {as_given(name)}", did_you_mean(name, known)
                )
                self.collector.add(error, ("units", name), key=True)

    def _entries(self, space: Space, texts: Texts, found: Values, forces: list[Any]) -> dict[str, Any]:
        constraints = list(dict.fromkeys(entry.name for entry in self.file.constraint))
        self.collector.partial |= len(constraints) < len(self.file.constraint)
        reader = Fits(texts, space, found, constraints, bool(self.file.wall))
        reader.inputs, reader.drives = self.file.inputs, self.drives
        reader.forces = [law.name for law in forces if isinstance(law, Force)]
        begun = [(entry.name or f"family {n + 1}", entry.of) for n, entry in enumerate(self.file.family)]
        reader.families = dict(reversed(begun))  # of twins the first
        for one in _KINDS.values():
            self._refuse_twins(one)
        return {
            many: tuple(getattr(reader, one)(n, entry) for n, entry in enumerate(getattr(self.file, one)))
            for many, one in _KINDS.items()
        }

    def _refuse_twins(self, kind: str) -> None:
        """E102: two entries of a name; their results would go to the same place."""
        seen: dict[str, str] = {}
        for n, entry in enumerate(getattr(self.file, kind)):
            name = entry.name or f"{kind} {n + 1}"
            other = seen.get(shape(name))
            if other is not None:
                differ = "" if other == name else f", or nearly so: {apart(other, name)}"
                fact = f"two [[{kind}]] tables are called {as_given(name)}{differ}"
                self.collector.add(InvalidValue("E102", fact, "give each a name of its own"), (kind, n, "name"))
            seen[shape(name)] = name

    def _unused(self, used: set[str]) -> list[str]:
        """Definitions that nothing uses; in L they may be forgotten potentials. Print looks for abbreviations."""
        extra = self.file.lagrangian.model_extra or {}
        others = self.file.model_dump(exclude={"definitions", "lagrangian"})
        texts = [self.file.lagrangian.L, self.file.lagrangian.up, *_strings(others)]
        names = [name for name in (*self.file.definitions, *extra) if not self._abbreviates(name)]
        return [name for name in names if name not in used and not mentioned(name, texts)]

    def _doubt(self, system: System) -> None:
        """Parts that L may lack, and one that it may have with the wrong sign."""
        forgotten = [name for name in self.unused if self._lacks(name, system)]
        self.notes += [warn("W119", f"definition {name} is not used anywhere", 7) for name in forgotten]
        added = added_potential(self.file.lagrangian.L, self.defined, system.space)
        self.notes += [warn("W126", added, 7)] if added else []

    def _lacks(self, name: str, system: System) -> bool:
        """May it be a potential that L lacks? Then it has no velocities, and is an energy as far as units are known.

        Other definitions may be what somebody wants to see along a motion; parts of L are there for L.
        """
        if name not in self.file.definitions:
            return True
        e = self.defined[name]
        energy = not system.units or system.unit(e) == system.unit(system.lagrangian)
        return energy and not free_symbols(e) & {*system.space.velocities}

    def _stays(self, name: str) -> bool:
        """Is it a definition that print may use: of parameters alone, or one that nothing else uses?"""
        return self._abbreviates(name) or (name in self.unused and name in self.file.definitions)

    def _abbreviates(self, name: str) -> bool:
        """Is it a definition of parameters alone? Only another may be a term that was forgotten in L."""
        e, known = self.defined.get(name), {*self.file.parameters}
        return name in self.file.definitions and e is not None and {s.name for s in free_symbols(e)} <= known

    def _parameters(self, space: Space, given: Mapping[str, Any], found: Values) -> dict[str, Any]:
        """Values and formulas, without those parameters from which others are computed that nothing uses."""
        used = {s.name for e in _expressions(given) for s in free_symbols(e)}
        used |= {s.name for s in space.frame.letters}
        formulas = found.following(used)
        used |= {s.name for formula in formulas.values() for s in free_symbols(formula)}
        feeding = {s.name for formula in found.derived.values() for s in free_symbols(formula)}
        idle = set() if self.freed else feeding - used
        return {**{name: value for name, value in found.numbers.items() if name not in idle}, **formulas}

    def _system(self, space: Space, given: Mapping[str, Any], found: Values, limits: Any, texts: Texts) -> System:
        """The system; what it refuses is told with the place that it speaks of."""
        own = self._parameters(space, given, found)
        if self.machine is not None:
            own = {**self.machine.parameters, **own}
            limits = {**LIMITS, **(limits or {})}
        own_symbols = {s.name for s in space.frame.letters} | {*space.by_name, *own, *self.inputs}
        units: dict[str, Any] = {name: unit for name, unit in found.dimensions.items() if name in own}
        units |= {name: unit for name, unit in self.file.units.items() if name in own_symbols}
        if self.machine is not None and self.machine.bare:
            units = {}
        try:
            return System(
                space,
                parameters=own,
                units=units,
                title=self.file.title,
                limits=limits,
                cite=self.file.cite,
                sources={name: text for name, text in found.sources.items() if name in own},
                **given,
            )
        except DalembertError as error:
            places = self.collector.places
            path = path_of(error.subject, places, rates_of(space))
            if path is not None and path[0] == "parameters" and len(path) > 1:
                path = value_path(str(path[1]), self.collector)
            path = ("lagrangian", "L") if path is None else path
            if isinstance(error, Differs):
                error.at(texts.place(error.term, {**self._parts, path: self._at(path)}))
            self.collector.add(error, path)
            self.collector.settle()
            raise


def _strings(given: Any) -> list[str]:
    """All texts in tables and lists."""
    if isinstance(given, str):
        return [given]
    inner = given.values() if isinstance(given, Mapping) else given if isinstance(given, list | tuple) else ()
    return [text for value in inner for text in _strings(value)]


def _expressions(given: Any) -> list[sp.Basic]:
    """All expressions in the arguments of a system."""
    if isinstance(given, sp.Basic | sp.MatrixBase):
        return [given]
    if isinstance(given, Mapping):
        return [e for part in (*given.keys(), *given.values()) for e in _expressions(part)]
    if isinstance(given, list | tuple):
        return [e for part in given for e in _expressions(part)]
    inner = [getattr(given, name, ()) for name in ("components", "velocity", "force", "slip", "coefficients")]
    return [e for part in inner for e in _expressions(part)]


# --- values with units beside bare numbers ---------------------------------------------------------------------------
# Lengths among lengths, masses among masses: in one file some in cm and others as bare numbers, which are metres; and
# bare numbers beside any value that has its unit.


class _Value(NamedTuple):
    """A value as the file has it."""

    name: str
    given: object
    where: str


def mixed_notes(system: System, written: Mapping[str, object], entries: Sequence[Entry]) -> list[Note]:
    """W210: a number that is not 0 and has no unit, beside another of its kind in a unit that is not base SI; W215,
    beside one of another kind that has its unit. Of what is mixed in one start, `Equations.start` tells.
    """
    by_kind: dict[str, list[_Value]] = {}
    for value in _values(written, entries):
        symbol = {**system.symbols, **system.space.by_name}.get(value.name)
        kind = "" if symbol is None else system.unit(symbol)
        if kind:
            by_kind.setdefault(kind, []).append(value)
    notes = [note for kind, values in by_kind.items() for note in _of_kind(kind, values)]
    told = {note.text.split(None, 1)[0] for note in notes}
    starts = {_where(entry): entry.start for entry in entries}
    plain = {where: clear(system) for where in starts} | {"": {*system.units}}
    elsewhere = {
        _where(e) for e in entries if isinstance(e, RunSpec | CompareSpec) and any(map(measured, e.start.values()))
    }
    bare = {
        value.name: Bare(value.name, float(value.given), kind, value.where)
        for kind, values in by_kind.items()
        for value in reversed(values)
        if value.name not in told | plain[value.where]
        and value.where not in elsewhere
        and isinstance(value.given, int | float)
    }
    beside = {name: given for start in starts.values() for name, given in start.items()}
    return [*notes, *bare_notes({**beside, **written}, bare.values())]


def _values(written: Mapping[str, object], entries: Sequence[Entry]) -> Iterator[_Value]:
    for name, given in written.items():
        yield _Value(name, given, "")
    for entry in entries:
        for name, given in entry.start.items():
            yield _Value(name, given, _where(entry))


def _where(entry: Entry) -> str:
    return f" in {entry.name}"


def _of_kind(kind: str, values: Sequence[_Value]) -> Iterator[Note]:
    first = next((v for v in values if isinstance(v.given, str) and scaled(v.given)), None)
    if first is None:
        return
    unit = str(first.given).split(None, 1)[-1]
    for name in dict.fromkeys(v.name for v in values):
        bare = next((v for v in values if v.name == name and isinstance(v.given, int | float) and v.given), None)
        if bare is not None:
            told = f"{name} = {bare.given:g}{bare.where} has no unit and is taken in {kind}, beside"
            fact = f'{told} {first.name} = "{first.given}"{first.where}'
            yield warn("W210", f'{fact}: was "{bare.given:g} {unit}" meant? Else write "{bare.given:g} {kind}"', 6)
