"""Parts of a system in a file: constraints, walls, inertias, momenta, definitions, bodies, symmetry.

They are read one by one, so that each is refused at its own place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.graph import Graph
from ..calculus.quantity import has_unit
from ..calculus.symbols import free_symbols
from ..errors import DalembertError, InvalidValue, as_given
from ..errors.lookalike_letters import apart, shape
from ..model import inertia as inertias
from ..model import symmetry
from ..model.bodies import AXES
from ..model.constraint import read_constraints
from ..model.contact import Touch, contact, coulomb, dry, dry_name, read_contacts
from ..model.expression_symbols import Reader
from ..model.names import check_name, taken
from ..model.space import Space
from ..model.symmetry import AngularVelocity, Generator, generators
from ..model.wall import read_wall
from .file_expressions import Texts, cycle_error, in_order, whole
from .force_laws import law_path
from .toml_positions import Path
from .toml_text import kind

if TYPE_CHECKING:
    from . import schema
    from .schema import BodyTable

DRY = {
    "slip": "joint",
    "load": "size",
    "mu_static": "at_rest",
    "mu": "at_rest",
}  # what a law of dry friction calls them
_LAWS = ("mu", "mu_static", "restitution", "spin_friction", "rolling_friction")
_RATES = ("slip", "rolling")
_FIRST = ("gap", "load")  # of which a contact has one
_DRY = ("size", "at_rest")


class Parts:
    """Reads the parts of a system; problems go to the collector."""

    def __init__(self, texts: Texts, space: Space, numbers: Mapping[str, float | None]) -> None:
        self.texts, self.space, self.numbers, self.collector = texts, space, numbers, texts.collector

    def constraints(self, given: Sequence[schema.ConstraintTable], key: str) -> dict[str, sp.Expr]:
        """``{name: phi}`` of ``[[constraint]]`` or ``[[equivalent]]``."""
        found: dict[str, sp.Expr] = {}
        algebra = GraphAlgebra(Graph())
        for n, entry in enumerate(given):
            phi = self.texts.read(entry.phi, (key, n, "phi"), f"the constraint {entry.name}")
            if phi is None:
                continue
            with self.collector.watch((key, n, "name")):
                if check_name(entry.name, "a constraint") in found:
                    fact = f"two constraints are called {as_given(entry.name)}"
                    raise InvalidValue("E102", fact, "give each a name of its own")
                with self.collector.watch((key, n, "phi")):
                    read_constraints({entry.name: phi}, Reader(self.space), algebra)
                found[entry.name] = phi
        self.collector.partial |= key == "constraint" and len(found) < len(given)
        return found

    def walls(self, given: Sequence[schema.WallTable]) -> dict[str, dict[str, Any]]:
        """Entries of `System(walls=...)`."""
        found: dict[str, dict[str, Any]] = {}
        for n, entry in enumerate(given):
            path: Path = ("wall", n)
            guard = self.texts.read(entry.guard, (*path, "guard"), f"the guard of {entry.name}")
            rows = self.texts.by_name(entry.constraints, (*path, "constraints"), f"{entry.name}:")
            if guard is None or len(rows) < len(entry.constraints):
                continue
            before = len(self.collector.found)
            with self.collector.watch((*path, "guard")):
                read_wall(entry.name, Reader(self.space), guard, rows)
            if len(self.collector.found) > before:
                continue
            with self.collector.watch((*path, "restitution")):
                wall = {"guard": guard, "constraints": rows, "restitution": self._restitution(entry, path)}
                read_wall(entry.name, Reader(self.space), **wall).check(self.numbers)
            if entry.name in found:
                error = InvalidValue(
                    "E102", f"two walls are called {as_given(entry.name)}", "give each a name of its own"
                )
                self.collector.add(error, (*path, "name"))
            elif len(self.collector.found) == before:
                found[entry.name] = wall
        return found

    def contacts(self, given: Sequence[schema.ContactTable], friction: Sequence[schema.DryTable]) -> dict[str, Touch]:
        """Entries of `System(contacts=...)`, dry friction of joints among them."""
        found: dict[str, Touch] = {}
        for n, entry in enumerate(given):
            path: Path = ("contact", n)
            gap, load = (self._law(getattr(entry, key), (*path, key), f"the {key} of {entry.name}") for key in _FIRST)
            slip, rolling = (self._velocities(getattr(entry, key), (*path, key), entry.name) for key in _RATES)
            keys = ("spin", *_LAWS)
            laws = {key: self._law(getattr(entry, key), (*path, key), f"{key} of {entry.name}") for key in keys}
            read = {"gap": gap, "load": load, **laws}
            unread = any(law is None and getattr(entry, key) is not None for key, law in read.items())
            if unread or None in (*slip, *rolling):
                continue
            spin, mu, static, e, *moments = laws.values()
            with self._of_contact(entry, path):
                law = coulomb(mu or 0, static, spin=moments[0] or 0, rolling=moments[1] or 0)
                how = entry.restitution_law
                touch = contact(
                    gap,
                    slip,
                    between=entry.between,
                    load=load,
                    sides=entry.sides,
                    friction=law,
                    restitution=e or 0,
                    spin=spin,
                    rolling=rolling,
                    restitution_law=how,
                )
                self._keep(entry.name, touch, found)
        for n, each in enumerate(friction):
            path, name = law_path("dry", n, self.collector), each.name or dry_name(next(iter(each.joint), ""))
            joint = [self._law(part, (*path, "joint"), "the joint") for part in each.joint]
            size, most = (self._law(getattr(each, key), (*path, key), f"{key} of {name}") for key in _DRY)
            if size is None or (most is None and each.at_rest is not None) or None in joint:
                continue
            with self._of_contact(each, path):
                self._keep(name, dry(joint, size, at_rest=most, name=name).touch, found)
        return found

    def _keep(self, name: str, touch: Touch, found: dict[str, Touch]) -> None:
        if touch.gap is not None:  # else it follows from the bodies of the system
            read_contacts({name: touch}, Reader(self.space))[0].check(self.numbers)
        if name in found:
            fact, where = f"two contacts are called {as_given(name)}", ("contacts", name, "name")
            raise InvalidValue("E102", fact, "give each a name of its own", subject=where)
        found[name] = touch

    @contextmanager
    def _of_contact(self, entry: schema.ContactTable | schema.DryTable, path: Path) -> Iterator[None]:
        """Collect a refusal at the value that it is of, at the first of the entry where it is of none that it has."""
        try:
            yield
        except DalembertError as error:
            key = error.subject[2] if len(error.subject) > 2 else ""
            keys = (key, DRY.get(key, ""), *_FIRST, "between", "joint")
            own = next((k for k in keys if k in entry.model_fields_set), "name")
            self.collector.add(error, (*path, own))

    def _velocities(self, given: Sequence[str], path: Path, name: str) -> list[sp.Expr | None]:
        """Components of a velocity, None where a text is none."""
        return [self.texts.read(s, (*path, i), f"the {path[-1]} of {name}") for i, s in enumerate(given)]

    def _law(self, given: str | float | None, path: Path, what: str) -> sp.Expr | float | None:
        """A number, an expression, or None."""
        return self.texts.read(given, path, what) if isinstance(given, str) else given

    def _restitution(self, entry: schema.WallTable, path: Path) -> object:
        """A number, an expression in parameters, or one for each row; 1 where nothing is said."""
        given = 1.0 if entry.restitution is None else entry.restitution
        path = (*path, "restitution")
        if isinstance(given, dict):
            return {name: self._factor(e, (*path, name), entry.name) for name, e in given.items()}
        return self._factor(given, path, entry.name)

    def _factor(self, given: object, path: Path, name: str) -> object:
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise InvalidValue("E204", f"restitution of {name} is {kind(given)}, not a number", "restitution = 0.5")
        if not isinstance(given, str):
            return given
        read = self.texts.read(given, path, f"the restitution of {name}")
        return 1.0 if read is None else read

    def inertias(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Three moments or a 3 x 3 matrix of expressions each."""
        found: dict[str, Any] = {}
        for name, entry in given.items():
            path: Path = ("inertias", name)
            with self.collector.watch(path):
                J = self._tensor(entry, path, name)
                if J is not None:
                    tensor = inertias.inertia(J)
                    known = {k: sp.Float(v) for k, v in self.numbers.items() if v is not None}
                    values = {s: known[s.name] for s in tensor.free_symbols if s.name in known}
                    inertias.check(tensor.xreplace(values), f"inertia {name}")
                    found[name] = J
        return found

    def _tensor(self, given: object, path: Path, name: str) -> object:
        if not isinstance(given, list) or len(given) != 3:
            fact = f"inertia {name} is {kind(given)}, not three moments or a 3 x 3 matrix"
            raise InvalidValue("E109", fact, f'{name} = ["A", "A", "C"]')
        rows = [self._row(row, (*path, i), name) for i, row in enumerate(given)]
        return None if any(row is None for row in rows) else rows

    def _row(self, given: object, path: Path, name: str) -> object:
        if isinstance(given, list):
            entries = [self._row(e, (*path, j), name) for j, e in enumerate(given)]
            return whole(entries)
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise InvalidValue("E109", f"inertia {name} holds {kind(given)}", "give expressions or numbers")
        return self.texts.read(given, path, f"inertia {name}")

    def momenta(self, given: Mapping[str, object]) -> dict[str, sp.Expr]:
        """Expressions by name."""
        for name in given:
            with self.collector.watch(("momenta", name), key=True):
                check_name(name, "a momentum")
        return self.texts.by_name(given, ("momenta",), "momentum")


# --- definitions -----------------------------------------------------------------------------------------------------

_MARK = "a definition"


def define(texts: Texts, given: Mapping[Path, Any], found: dict[str, sp.Expr]) -> set[str]:
    """Put the expressions of definitions, given by their paths, into `found`; the names of those that others use.

    Each may use the others and their rates, in whatever order. Afterwards the `Texts` know them all.
    """
    collector, names = texts.collector, {str(path[-1]): path for path in given}
    for path in given:
        name = str(path[-1])
        with collector.watch(path, key=True):
            taken(check_name(name, _MARK), _MARK)
            if name in texts.names or names[name] != path:
                raise InvalidValue(
                    "E103", f"{as_given(name)} is already the name of something else", "rename the definition"
                )
    alike = {shape(name): name for name in texts.names}
    for name, path in names.items():
        other = alike.setdefault(shape(name), name)
        if other != name:
            fact = f"{name} and {other} look alike: {apart(name, other)}"
            collector.add(InvalidValue("E102", fact, "rename one of them"), path, key=True)
    # read with symbols in the place of definitions first, to see which needs which
    stand_ins = {name: sp.Symbol(name, real=True) for name in names if name not in texts.names}
    first = Texts(collector, {**texts.names, **stand_ins}, {**texts.rates, **stand_ins}, texts.parameters)
    drafts = {name: first.read(given[path], path, name) for name, path in names.items()}
    whole = {name: e for name, e in drafts.items() if e is not None}
    uses = {name: {s.name for s in free_symbols(e)} & stand_ins.keys() for name, e in whole.items()}
    order, cycles = in_order(whole, uses)
    for cycle in cycles:
        collector.add(cycle_error(cycle, "definition"), names[cycle[0]])
    for name in order:
        e = texts.read(given[names[name]], names[name], name)
        if e is not None and name in stand_ins:
            found[name] = texts.names[name] = e
    for name in names:  # so that what uses a refused one is not refused as well
        texts.names.setdefault(name, stand_ins.get(name, sp.Symbol(name, real=True)))
    return set().union(*uses.values())


def mentioned(name: str, texts: list[object]) -> bool:
    """Does the name occur in one of these texts?"""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return any(isinstance(text, str) and word.search(text) for text in texts)


# --- bodies ----------------------------------------------------------------------------------------------------------

_PLACES = ("radius", "thickness", "height", "size", "from_", "to", "at", "trace")


def bodies(given: Sequence[BodyTable], texts: Texts) -> list[dict[str, object]]:
    """Entries of `System(bodies=...)`."""
    return [_body(entry, ("body", n), texts) for n, entry in enumerate(given)]


def _body(entry: BodyTable, path: Path, texts: Texts) -> dict[str, object]:
    found: dict[str, object] = {"shape": entry.shape, "name": entry.name, "on": entry.on, "both": entry.both}
    for part in _PLACES:
        key = part.rstrip("_")
        found[key] = _length(getattr(entry, part), (*path, key), f"{key} of the body", texts)
    found["turn"] = _turn(entry.turn, (*path, "turn"), texts)
    return {key: value for key, value in found.items() if value is not None}


def _length(given: object, path: Path, where: str, texts: Texts) -> object:
    """An expression, or a list of them; values with a unit, and what is neither, are left to the model."""
    if isinstance(given, list):
        return [_length(each, (*path, n), where, texts) for n, each in enumerate(given)]
    if isinstance(given, bool | None) or not isinstance(given, str | int | float):
        return given
    if isinstance(given, str) and has_unit(given):
        return given
    return texts.read(given, path, where)


def _turn(given: object, path: Path, texts: Texts) -> object:
    if isinstance(given, list):
        return [_step(each, (*path, n), texts) for n, each in enumerate(given)]
    return None if given is None else [_step(given, path, texts)]


def _step(given: object, path: Path, texts: Texts) -> object:
    """An axis and the angle behind it; anything else as it is."""
    axis, _, angle = given.strip().partition(" ") if isinstance(given, str) else ("", "", "")
    if axis not in AXES or not angle.strip():
        return given
    # blanks in the axis' place, so that a refusal points into the text
    read: sp.Expr | None = texts.read(str(given).replace(axis, " ", 1), path, "turn of the body")
    return axis, sp.S.Zero if read is None else read


# --- symmetry --------------------------------------------------------------------------------------------------------


class Moves:
    """Reads symmetries; problems go to the collector."""

    def __init__(self, texts: Texts, space: Space) -> None:
        self.texts, self.space, self.collector = texts, space, texts.collector

    def all(self, table: schema.SymmetryTable, order: list[str]) -> list[Generator]:
        """The generators, in the order of the table's keys."""
        found: list[Generator] = []
        for key in order:
            given = getattr(table, key, None)
            for part, path in self._parts(key, given) if given else ():
                with self.collector.watch(path):
                    found += generators(part(), Reader(self.space))
        twice = sorted({g.name for g in found if [h.name for h in found].count(g.name) > 1})
        if twice:
            error = InvalidValue(
                "E102", f"two generators are called {as_given(twice[0])}", "give each a name of its own"
            )
            self.collector.add(error, ("symmetry",))
        return found

    def _parts(self, key: str, given: Any) -> Iterator[tuple[Any, Path]]:
        """What makes each part of the symmetry, and where it stands."""
        path: Path = ("symmetry", key)
        if key == "cyclic":
            yield lambda: " ".join(given), path
        elif key == "translations":
            yield lambda: symmetry.translations(list(given)), path
        elif key == "generators":
            for name, field in given.items():
                yield lambda name=name, field=field: self._generator(name, field), (*path, name)
        else:
            for n, entry in enumerate(given):
                listed = (*path, n) in self.collector.places.values or (*path, n) in self.collector.places.keys
                yield lambda entry=entry: self._group(key, entry, path), (*path, n) if listed else path

    def _group(self, key: str, entry: Any, path: Path) -> Any:
        if key in ("turns", "euclidean"):
            return getattr(symmetry, key)(list(entry.plane), list(entry.headings))
        if key == "rotations":
            return symmetry.rotations(list(entry.names), [list(v) for v in entry.vectors], entry.axis)
        axis = self.texts.all(entry.axis, (*path, "axis"), "the axis of spin")
        return None if axis is None else symmetry.spin(entry.name, [int(e) if e.is_Integer else e for e in axis])

    def _generator(self, name: str, field: Mapping[str, object]) -> dict[str, Any] | None:
        found = self._field(name, field)
        return {name: found} if len(found) == len(field) else None

    def _field(self, name: str, field: Mapping[str, object]) -> dict[str, object]:
        """One generator: rates by name; of a rotation three components, or a table that names their frame."""
        path: Path = ("symmetry", "generators", name)
        found: dict[str, Any] = {}
        for key, given in field.items():
            label = key.replace(" ", "") if key.startswith("dot") else key
            rates = {f"dot({q})": rate for q, rate in self.space.rates.items()}
            own = str(rates[label]) if label in rates and rates[label] in self.space.velocities else key
            read = self._rate(given, (*path, key), f"generator {name}")
            if read is not None:
                found[own] = read
        return found

    def _rate(self, given: object, path: Path, where: str) -> Any:
        if isinstance(given, dict):
            frame = given.get("frame", "space")
            if (
                not set(given) <= {"w", "frame"}
                or frame not in ("space", "body")
                or not isinstance(given.get("w"), list)
            ):
                remedy = '{ w = [0, 0, 1], frame = "body" }'
                raise InvalidValue("E125", f"{where}: not an angular velocity", remedy)
            w = self._vector(given["w"], (*path, "w"), where)
            return None if w is None else AngularVelocity(tuple(w), frame)
        if isinstance(given, list):
            return self._vector(given, path, where)
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise InvalidValue(
                "E125",
                f"{where}: a rate is an expression or a number, not {kind(given)}",
                'turn = { x = "-y", y = "x" }',
            )
        return self.texts.read(given, path, where)

    def _vector(self, given: list[Any], path: Path, where: str) -> Any:
        if any(isinstance(e, bool) or not isinstance(e, str | int | float) for e in given):
            raise InvalidValue("E125", f"{where}: an angular velocity has three expressions or numbers", "[0, 0, 1]")
        return self.texts.all(given, path, where)
