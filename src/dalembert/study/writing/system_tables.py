"""A system as the tables of a file, before comments are added: expressions, the space, bodies, and all else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from ...calculus.language.from_text import read_text
from ...calculus.language.to_text import write_text
from ...calculus.symbols import free_symbols, in_words, leaves
from ...errors import DalembertError, InvalidValue
from ...input_file import shown
from ...model.bodies import STILL, Drawn, symbols_of
from ...model.contact import Contact
from ...model.force import Force, pivoting_friction, rayleigh, rolling_friction, rotational_friction, viscous_friction
from ...model.scalar import scalar
from ...model.space import Factor, Space
from ...model.system import System
from ..file_expressions import UNKNOWN, sign_of

# --- expressions -----------------------------------------------------------------------------------------------------
# Expressions as the text of a file; those that are too long for one text are cut into definitions.

_PIECE, _BIG = 1500, 300  # characters of a definition; of what is worth one
_LARGEST = 20_000  # symbols and numbers in an expression that is taken apart
_LARGEST_INTEGER = 2**53


def refused(fact: str, remedy: str = "") -> InvalidValue:
    """E512: a file cannot hold this."""
    return InvalidValue("E512", f"a system file cannot hold this: {fact}", remedy)


class SympyTexts(StrPrinter):
    """SymPy's texts; that of a part is looked up where the whole is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[sp.Basic, str] = {}

    def _print(self, expr: object, **kwargs: object) -> str:
        if not isinstance(expr, sp.Basic) or kwargs:
            return super()._print(expr, **kwargs)
        if expr not in self._known:
            self._known[expr] = super()._print(expr)
        return self._known[expr]


class Expressions:
    """Writes the expressions of one system; `definitions` are those that it needed."""

    def __init__(self, symbols: Sequence[sp.Symbol], taken: Collection[str]) -> None:
        self.symbols = {s.name: s for s in symbols}
        self.taken, self.definitions = set(taken), dict[str, str]()
        self._named: dict[sp.Expr, sp.Symbol] = {}
        self._known: dict[str, sp.Expr] = {**self.symbols}
        self._texts = SympyTexts()

    def value(self, given: object) -> int | str:
        """An expression as a value: whole numbers as such, everything else as text."""
        e = scalar(given, "a value")
        if e.is_Integer and abs(int(e)) < _LARGEST_INTEGER:
            return int(e)
        return self.text(e)

    def text(self, e: sp.Expr) -> str:
        """The text of an expression.

        Raises:
            InvalidValue: E512, an expression that the language does not say.
        """
        for s in sorted(e.free_symbols, key=str):
            if self.symbols.get(getattr(s, "name", str(s))) != s:
                fact = f"the symbol {s} stands there with different assumptions, or is nothing of the system"
                raise refused(fact, "make each symbol once and use it everywhere")
        try:
            return write_text(e)
        except DalembertError as error:
            if error.code != "E716":
                raise refused(error.fact, error.remedy) from None
        if leaves(e) > _LARGEST:
            fact = f"an expression of more than {_LARGEST} symbols and numbers"
            raise refused(fact, "a machine stands in a file as [machine], with its bodies and joints")
        text = self._text(self._cut(e))
        if read_text(text, self._known) != e:
            raise refused("an expression too large for one text, and it does not come apart")
        return text

    def _text(self, e: sp.Expr) -> str:
        try:
            return write_text(e)
        except DalembertError as error:
            raise refused(error.fact, error.remedy) from None

    def _cut(self, e: sp.Expr) -> sp.Expr:
        """The expression with symbols in the place of large parts."""
        if self._size(e) <= _PIECE or not e.args:
            return e
        if isinstance(e, sp.Add):
            terms = [self._cut(term) for term in e.as_ordered_terms()]
            small = sum(map(self._size, terms)) <= _PIECE
            return sp.Add(*(terms if small else self._bundles(terms)))
        return e.func(*[self._name(self._cut(a)) if self._size(a) > _BIG else a for a in e.args])

    def _bundles(self, terms: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Sums of neighbouring terms, each of the size of one text."""
        bundles: list[list[sp.Expr]] = [[]]
        room = _PIECE
        for term in terms:
            size = self._size(term)
            if bundles[-1] and size > room:
                bundles.append([])
                room = _PIECE
            bundles[-1].append(term)
            room -= size
        return [self._name(sp.Add(*bundle)) for bundle in bundles]

    def _name(self, e: sp.Expr) -> sp.Expr:
        """A symbol for the expression, which becomes a definition."""
        if e.is_Symbol:
            return e
        if e not in self._named:
            n = next(n for n in range(1, 10_000) if f"part{n}" not in self.taken)
            name = f"part{n}"
            self.taken.add(name)
            self.definitions[name] = self._text(e)
            self._known[name] = read_text(self.definitions[name], self._known)
            self._named[e] = sp.Symbol(name, real=True)
        return self._named[e]

    def _size(self, e: sp.Expr) -> int:
        """About how many characters it takes."""
        return len(self._texts.doprint(e))


# --- the space -------------------------------------------------------------------------------------------------------

_PLAIN = ("coordinates", "line", "angle", "plane")


def space(given: Space, write: Expressions) -> dict[str, Any]:
    """``{"coordinates": {...}, "rotation": "w"}``, or ``{"factor": [...]}`` where a key would stand twice."""
    entries: list[tuple[str, Any]] = []
    for factor in given.recipe:
        key, value = _factor(factor, write)
        if key == "coordinates" and entries and entries[-1][0] == key:
            entries[-1] = (key, {**entries[-1][1], **value})
        else:
            entries.append((key, value))
    if len({key for key, _ in entries}) == len(entries):
        return dict(entries)
    return {"factor": [{key: value} for key, value in entries]}


def _factor(factor: Factor, write: Expressions) -> tuple[str, Any]:
    arguments = dict(factor.arguments)
    if factor.kind in _PLAIN:
        return "coordinates", _plain(factor.kind, arguments)
    if factor.kind == "frame":
        return _frame(arguments, write)
    from ..schema import FACTORIES

    if factor.kind not in FACTORIES:
        raise refused(f"a space that {factor.kind}(...) made")
    return factor.kind, FACTORIES[factor.kind].shortened(arguments)


def _plain(kind: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """``{"x": "line", "theta": {"kind": "angle", "velocity": "omega"}}``"""
    word = "angle" if kind == "angle" else "line"
    found: dict[str, Any] = {}
    for q, u in zip(arguments["names"].split(), arguments["velocities"].split(), strict=True):
        found[q] = word if u == f"v{q}" else {"kind": word, "velocity": u}
    return found


def _frame(arguments: Mapping[str, Any], write: Expressions) -> tuple[str, Any]:
    """A space given by its tables."""
    frame, (embedding, retraction, attitudes, angles) = arguments["frame"], arguments["parts"]
    q, u = ([s.name for s in names] for names in (frame.coordinates, frame.velocities))
    if attitudes:
        names = ", ".join(attitudes)
        raise refused(
            f"the space was not made by the factories, and holds the rotation {names}", 'make it with da.rotation("R")'
        )
    own = len(q) == len(u) and frame.anchor == sp.eye(len(q))
    if own and not (frame.brackets or embedding or retraction or arguments["almost"]):
        kinds = [
            _plain("angle" if name in angles else "line", {"names": name, "velocities": v})
            for name, v in zip(q, u, strict=True)
        ]
        return "coordinates", {key: value for kind in kinds for key, value in kind.items()}
    found: dict[str, Any] = {"coordinates": " ".join(q), "velocities": " ".join(u)}
    found["anchor"] = [_row(row, write) for row in frame.anchor.tolist()]
    found["brackets"] = {f"{u[a]} {u[b]}": _row(row, write) for (a, b), row in frame.brackets.items()}
    if embedding:
        found["embedding"] = _row(embedding, write)
    if retraction:
        found["retraction"] = {str(s): write.value(e) for s, e in retraction.items()}
    if angles:
        found["angles"] = " ".join(name for name in q if name in angles)
    if arguments["almost"]:
        found["almost"] = True
    return "frame", found


def _row(row: Sequence[object], write: Expressions) -> list[object]:
    return [write.value(e) for e in row]


# --- bodies and scene ------------------------------------------------------------------------------------------------


def pictures(system: System, write: Expressions) -> dict[str, object]:
    """``[[body]]``, ``[scene]`` and ``[explore]``, as far as they say anything."""
    explore = system.explore
    ranges = {"ranges": {name: list(ends) for name, ends in explore.ranges.items()}} if explore.ranges else {}
    until = {} if explore.until is None else {"until": explore.until}
    return {
        "body": [_body(body, write) for body in system.bodies],
        "scene": {"up": system.scene.up} if system.scene.up != "z" else {},
        "explore": {**ranges, **until},
    }


def _body(body: Drawn, write: Expressions) -> dict[str, object]:
    found: dict[str, object] = {"name": body.name, "shape": body.shape}
    found |= {part: _number_or_text(e, write) for part, e in body.lengths.items()}
    if body.size is not None:
        found["size"] = _values(body.size, write)
    found |= {part: _values(point, write) for part, point in body.places.items()}
    if body.turn:
        turns = [name if angle is None else f"{name} {write.text(angle)}" for name, angle in body.turn]
        found["turn"] = turns[0] if len(turns) == 1 else turns
    if body.on:
        found["on"] = body.on
    if body.trace is True:
        found["trace"] = True
    if body.still != (body.shape in STILL):
        found["both"] = body.still
    return found


def _values(es: Iterable[sp.Expr], write: Expressions) -> list[object]:
    return [_number_or_text(e, write) for e in es]


def _number_or_text(e: sp.Expr, write: Expressions) -> object:
    return float(e) if e.is_Float else write.value(e)


_LAWS = {"viscous": viscous_friction, "rotational": rotational_friction}


def tables(system: System, derived: Mapping[str, sp.Expr], constants: Mapping[str, float | None]) -> dict[str, Any]:
    """All tables of the system but the entries, in the order in which they are written."""
    signs = _signs(system, derived)
    own = system.letters_of_expressions
    others = {s for formula in derived.values() for s in free_symbols(formula)} | symbols_of(system.bodies)
    others -= set(own)
    write = Expressions(
        [*own, *others], {*system.space.by_name, *system.symbols, *system.parameters, *constants, *system.definitions}
    )
    found: dict[str, Any] = {"space": space(system.space, write)}
    found["units"] = {name: str(unit) for name, unit in system.units.items() if name not in derived}
    found["parameters"] = _parameters(system, derived, constants, signs, write)
    found["inputs"] = dict.fromkeys(system.inputs, UNKNOWN)  # their place; `entries` says what drives them
    found["symbols"] = dict(system.letters)
    abbreviations = {name: write.text(e) for name, e in system.definitions.items() if name not in derived}
    found["definitions"] = write.definitions
    found["lagrangian"] = _lagrangian(system, write)
    found["constraint"] = [{"name": c.name, "phi": write.text(c.given)} for c in system.constraints]
    found["equivalent"] = [{"name": c.name, "phi": write.text(c.given)} for c in system.equivalent]
    found |= _forces(system, write)
    found["momenta"] = {name: write.value(e) for name, e in system.momenta.items()}
    found["inertias"] = {name: _tensor(J, write) for name, J in system.inertias.items()}
    generators = {
        g.name: {u.name: write.value(e) for u, e in zip(system.space.velocities, g.components, strict=True) if e != 0}
        for g in system.symmetry
    }
    found["symmetry"] = {"generators": generators} if generators else {}
    found["wall"] = [_wall(wall, write) for wall in system.walls]
    found["contact"] = [_contact(contact, write) for contact in system.contacts]
    found |= pictures(system, write)
    found["definitions"] = {**abbreviations, **write.definitions}
    return {key: value for key, value in found.items() if value}


def _signs(system: System, derived: Mapping[str, sp.Expr]) -> dict[str, str]:
    symbols = {s.name: s for formula in derived.values() for s in free_symbols(formula)}
    drawn = {s.name: s for s in symbols_of(system.bodies) if s.name in system.parameters}
    symbols = {**drawn, **symbols, **system.symbols}
    signs = {name: sign_of(s) for name, s in symbols.items()}
    for name, sign in signs.items():
        if not sign:
            fact = f"the symbol {name} was declared {in_words(symbols[name])}"
            raise refused(fact, "declare it positive, nonnegative or real")
    return signs


def _parameters(
    system: System,
    derived: Mapping[str, sp.Expr],
    constants: Mapping[str, float | None],
    signs: Mapping[str, str],
    write: Expressions,
) -> dict[str, Any]:
    own = (name for name in system.symbols if name not in system.inputs)
    values = {**dict.fromkeys(own), **constants, **system.parameters}
    order = [*constants, *(name for name in (*system.parameters, *values) if name not in constants)]
    found: dict[str, Any] = {}
    for name in dict.fromkeys(order):
        value: Any = write.text(derived[name]) if name in derived else values[name]
        entry = {"value": "?" if value is None else value}
        entry |= {"sign": signs[name]} if signs.get(name, "real") != "real" else {}
        entry |= {"source": shown(system.sources[name])} if system.sources.get(name) else {}
        found[name] = entry if len(entry) > 1 else entry["value"]
    return found


def _lagrangian(system: System, write: Expressions) -> dict[str, object]:
    found: dict[str, Any] = {"L": write.text(system.lagrangian)}
    if system.massless:
        found["massless"] = " ".join(u.name for u in system.massless)
    if system.up is not None:
        found["up"] = write.text(system.up)
    return found


def _forces(system: System, write: Expressions) -> dict[str, object]:
    """``[forces]`` for components that come first, ``[friction]`` for friction laws that come last, ``[[force]]``."""
    laws = list(system.laws)
    if laws and _bare(system):
        laws = [dict(zip(system.space.velocities, system.laws, strict=True))]
    found: dict[str, Any] = {}
    if laws and isinstance(laws[0], Mapping):
        found["forces"] = _components(laws.pop(0), system, write)
    friction: list[tuple[str, dict[str, Any]]] = []
    while laws and isinstance(laws[-1], Force):
        law = _friction(laws[-1], write)
        if law is None or (friction and _ORDER.index(law[0]) > _ORDER.index(friction[0][0])):
            break
        friction.insert(0, law)
        laws.pop()
    if laws:
        found["force"] = [_force(law, system, write) for law in laws]
    if friction:
        found["friction"] = {
            kind: _one([t for k, t in friction if k == kind]) for kind in _ORDER if kind in dict(friction)
        }
    return found


_ORDER = ("viscous", "rotational", "rolling", "pivoting")


def _one(entries: list[object]) -> object:
    return entries[0] if len(entries) == 1 else entries


def _bare(system: System) -> bool:
    """Were the forces given as a list of components?"""
    return not any(isinstance(law, Mapping | Force) for law in system.laws)


def _components(law: Mapping[object, object], system: System, write: Expressions) -> dict[str, object]:
    """By velocity; the name of a coordinate stands for that of its rate."""
    rates = {str(q): str(rate) for q, rate in system.space.rates.items() if rate in system.space.velocities}
    names = {u: str(getattr(u, "name", u)) for u in law}
    return {rates.get(names[u], names[u]): _value(Q, write) for u, Q in law.items()}


def _force(law: Any, system: System, write: Expressions) -> dict[str, Any]:
    if not isinstance(law, Force):
        return {"components": _components(law, system, write)}
    if len(law.velocity) == 1 and law == rayleigh(law.velocity[0], law.name):
        return {"name": law.name, "dissipation": _value(law.velocity[0], write)}
    found: dict[str, Any] = {"name": law.name}
    for key in ("velocity", "force", "slip"):
        if getattr(law, key):
            found[key] = [_value(e, write) for e in getattr(law, key)]
    if law.coefficients:
        found["coefficients"] = {name: _value(e, write) for name, e in law.coefficients.items()}
    return found


def _friction(law: Force, write: Expressions) -> tuple[str, dict[str, Any]] | None:
    """A law that one of the functions for friction gives."""
    name, coefficient = law.name, law.coefficients.get("coefficient")
    if coefficient is None:
        return None
    for kind, make in _LAWS.items():
        if law == make(law.velocity, coefficient, name) and (name == f"{kind} friction" or kind == "viscous"):
            if kind == "viscous" and name == "rotational friction":
                continue
            return kind, _law(law, kind, {"velocity": law.velocity}, {"coefficient": coefficient}, write)
    load = law.coefficients.get("load")
    return None if load is None else _dry(law, {"load": load, "coefficient": coefficient}, write)


def _dry(law: Force, single: dict[str, Any], write: Expressions) -> tuple[str, dict[str, Any]] | None:
    """Dry friction; a regularised law that acts along another velocity than its slip is written as a force."""
    slip, given = law.slip or law.velocity, {**single, "name": law.name}
    if "regularised" in law.coefficients:
        given["regularised"] = single["regularised"] = law.coefficients["regularised"]
    if len(slip) == 1 and law.name == "pivoting friction" and law == pivoting_friction(slip[0], **given):
        return "pivoting", _law(law, "pivoting", {}, {"spin": slip[0], **single}, write)
    if law == rolling_friction(slip, velocity=law.velocity, **given):
        listed = {"slip": slip} | ({} if law.velocity == slip else {"velocity": law.velocity})
        return "rolling", _law(law, "rolling", listed, single, write)
    return None


def _law(
    law: Force, kind: str, listed: Mapping[str, Any], single: Mapping[str, Any], write: Expressions
) -> dict[str, Any]:
    found: dict[str, Any] = {} if law.name == f"{kind} friction" else {"name": law.name}
    found |= {key: [_value(e, write) for e in row] for key, row in listed.items()}
    return found | {key: _value(e, write) for key, e in single.items()}


def _value(e: Any, write: Expressions) -> Any:
    """An expression, or a number as a person gave it."""
    return (
        write.value(e) if isinstance(e, sp.Basic) else e if isinstance(e, int | str) else write.text(sp.Float(float(e)))
    )


def _tensor(J: sp.ImmutableMatrix, write: Expressions) -> list[object]:
    if J.is_diagonal():
        return [write.value(J[i, i]) for i in range(3)]
    return [[write.value(e) for e in row] for row in J.tolist()]


def _wall(wall: Any, write: Expressions) -> dict[str, Any]:
    given = wall.given
    found: dict[str, Any] = {"name": wall.name, "guard": write.text(given["guard"])}
    if given["constraints"]:
        found["constraints"] = {name: write.value(phi) for name, phi in given["constraints"].items()}
    factors = {name: _restitution(e, write) for name, e in given["restitution"].items()}
    alike = len(set(given["restitution"].values())) == 1
    return {**found, "restitution": next(iter(factors.values())) if alike else factors}


def _contact(contact: Contact, write: Expressions) -> dict[str, object]:
    found: dict[str, object] = {"name": contact.name}
    found |= {"gap": write.text(contact.gap)} if contact.load is None else {"load": _restitution(contact.load, write)}
    found |= {"sides": contact.sides} if contact.sides != 1 else {}
    if contact.slip:
        found |= {"slip": [write.text(part) for part in contact.slip]}
        found |= {key: _restitution(getattr(contact, key), write) for key in ("mu", "mu_static")}
    if contact.spin:
        found |= {"spin": write.text(contact.spin[0]), "spin_friction": _restitution(contact.mu_spin, write)}
    if contact.rolling:
        found |= {"rolling": [write.text(part) for part in contact.rolling]}
        found |= {"rolling_friction": _restitution(contact.mu_rolling, write)}
    if contact.load is None and contact.sides == 1:
        found |= {"restitution": _restitution(contact.restitution, write)}
    return found if contact.restitution_law == "newton" else {**found, "restitution_law": contact.restitution_law}


def _restitution(e: sp.Expr, write: Expressions) -> object:
    return float(e) if e.is_Float else write.value(e)
