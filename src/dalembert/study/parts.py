"""Constraints, walls, inertias and momenta of a file: read one by one, so that each is refused at its own place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sympy as sp

from ..calculus.algebra import Machine
from ..calculus.graph import Graph
from ..errors import DalembertError, InvalidValue, as_given
from ..model import inertia as inertias
from ..model.constraint import read_constraints
from ..model.contact import Touch, contact, coulomb, dry, dry_name, read_contacts
from ..model.expression import Reader
from ..model.names import check_name
from ..model.space import Space
from ..model.wall import read_wall
from . import schema
from .laws import law_path
from .leaves import kind
from .places import Path
from .texts import Texts, whole

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
        algebra = Machine(Graph())
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

    def _restitution(self, entry: schema.WallTable, path: Path) -> Any:
        """A number, an expression in parameters, or one for each row; 1 where nothing is said."""
        given = 1.0 if entry.restitution is None else entry.restitution
        path = (*path, "restitution")
        if isinstance(given, dict):
            return {name: self._factor(e, (*path, name), entry.name) for name, e in given.items()}
        return self._factor(given, path, entry.name)

    def _factor(self, given: Any, path: Path, name: str) -> Any:
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise InvalidValue("E204", f"restitution of {name} is {kind(given)}, not a number", "restitution = 0.5")
        if not isinstance(given, str):
            return given
        read = self.texts.read(given, path, f"the restitution of {name}")
        return 1.0 if read is None else read

    def inertias(self, given: Mapping[str, Any]) -> dict[str, Any]:
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

    def _tensor(self, given: Any, path: Path, name: str) -> Any:
        if not isinstance(given, list) or len(given) != 3:
            fact = f"inertia {name} is {kind(given)}, not three moments or a 3 x 3 matrix"
            raise InvalidValue("E109", fact, f'{name} = ["A", "A", "C"]')
        rows = [self._row(row, (*path, i), name) for i, row in enumerate(given)]
        return None if any(row is None for row in rows) else rows

    def _row(self, given: Any, path: Path, name: str) -> Any:
        if isinstance(given, list):
            entries = [self._row(e, (*path, j), name) for j, e in enumerate(given)]
            return whole(entries)
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise InvalidValue("E109", f"inertia {name} holds {kind(given)}", "give expressions or numbers")
        return self.texts.read(given, path, f"inertia {name}")

    def momenta(self, given: Mapping[str, Any]) -> dict[str, sp.Expr]:
        """Expressions by name."""
        for name in given:
            with self.collector.watch(("momenta", name), key=True):
                check_name(name, "a momentum")
        return self.texts.by_name(given, ("momenta",), "momentum")
