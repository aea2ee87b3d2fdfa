"""The expressions of a file, read with the names that they may hold, and its parameters.

Parameters are numbers, values with units, and expressions in other parameters, in whatever order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sympy as sp

from ..argument_checks import mapping
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.language.from_text import find, read_text
from ..calculus.language.syntax_errors import TextError
from ..calculus.quantity import Dimension, is_quantity, quantity, refuse_bare, wrong_dimension
from ..calculus.quantity import dimension as to_dimension
from ..calculus.symbols import by_name
from ..errors import DalembertError, InvalidValue, Place, UnknownName, as_given, did_you_mean
from ..errors.remedies import Option
from ..model import dimensions
from ..model.dimensions import Balance, DimensionForm
from ..model.names import check_name, key_name, taken
from ..model.parameters import check
from .toml_positions import Collector, Path

if TYPE_CHECKING:
    from .schema import Parameter
    from .study import Study


# --- texts of expressions --------------------------------------------------------------------------------------------

Name = Mapping[str, sp.Expr]


class Texts:
    """Reads expressions in some names; problems go to the collector, and the expression then is None."""

    def __init__(self, collector: Collector, names: Name, rates: Name, parameters: Sequence[str] = ()) -> None:
        self.collector, self.names, self.rates, self.parameters = collector, dict(names), rates, parameters

    def read(self, given: object, path: Path, where: str) -> sp.Expr | None:
        """One expression, from text or a number."""
        if not isinstance(given, str):
            return sp.Integer(given) if isinstance(given, int) else sp.Float(given)
        try:
            return read_text(given, self.names, self.rates, where=where, parameters=self.parameters)
        except DalembertError as error:
            self.collector.found.append(self._located(error, path))
            return None

    def place(self, e: sp.Expr, given: Mapping[Path, object]) -> Place | None:
        """Where in one of the texts that were read, by their paths, an expression stands, but for a number."""
        for path, text in given.items():
            found = find(e, text, self.names, self.rates, self.parameters) if isinstance(text, str) else None
            if found is not None:
                return self.collector.places.inside(path, *found)
        return None

    def all(self, given: Sequence[object], path: Path, where: str) -> list[sp.Expr] | None:
        """Several expressions; None if one is refused."""
        return whole([self.read(entry, (*path, n), where) for n, entry in enumerate(given)])

    def by_name(self, given: Mapping[str, object], path: Path, where: str) -> dict[str, sp.Expr]:
        """Expressions by name; those that are refused are left out."""
        found = {name: self.read(entry, (*path, name), f"{where} {name}".strip()) for name, entry in given.items()}
        return {name: e for name, e in found.items() if e is not None}

    def _located(self, error: DalembertError, path: Path) -> DalembertError:
        places = self.collector.places
        if not isinstance(error, TextError):
            return error.at(places.value(path))
        error.detail = ""  # the caret stands below the line of the file
        return error.at(places.inside(path, error.column, error.length))


def whole(found: Sequence[sp.Expr | None]) -> list[sp.Expr] | None:
    """The list, if nothing in it is missing."""
    kept = [e for e in found if e is not None]
    return kept if len(kept) == len(found) else None


def in_order(given: Mapping[str, object], uses: Mapping[str, set[str]]) -> tuple[list[str], list[list[str]]]:
    """Names so that each comes after those it uses, and the cycles among them.

    Args:
        given: what is to be ordered, by name.
        uses: which of these names each uses.
    """
    order: list[str] = []
    left = dict.fromkeys(given)
    while True:
        ready = [name for name in left if not uses.get(name, set()) & left.keys()]
        if not ready:
            return order, _cycles(left, uses)
        for name in ready:
            del left[name]
        order += ready


def _cycles(left: Mapping[str, None], uses: Mapping[str, set[str]]) -> list[list[str]]:
    """The cycles among names of which each uses another; what only hangs on a cycle is left out."""
    found: list[list[str]] = []
    seen: set[str] = set()
    for name in left:
        way: list[str] = []
        while name not in seen:
            seen.add(name)
            way.append(name)
            name = min(uses[name] & left.keys())
        if name in way:
            found.append(way[way.index(name) :])
    return found


def cycle_error(cycle: Sequence[str], what: str) -> InvalidValue:
    """E210: definitions that need each other."""
    chain = " -> ".join([*cycle, cycle[0]])
    return InvalidValue(
        "E210", f"{what} {cycle[0]} is defined by itself: {chain}", "give one of them without the others"
    )


UNKNOWN = "?"
_ASSUMED: dict[str, dict[str, bool]] = {
    "positive": {"positive": True},
    "nonnegative": {"nonnegative": True},
    "negative": {"negative": True},
    "nonpositive": {"nonpositive": True},
    "nonzero": {"nonzero": True},
    "real": {"real": True},
    "any": {},
}


@dataclass
class Values:
    """Parameters as they were read.

    Attributes:
        symbols: by name, with the sign that was declared.
        numbers: values in base SI; None where none is given.
        dimensions: of those whose unit is known.
        derived: expressions in other parameters, in an order in which they can be computed.
        freed: those of these that have values of their own all the same.
        sources: where values are from.
        written: values as the file has them: numbers, or text with a unit.
        driven: values of inputs as the file has them, of a table its first.
        replaced: places, names and dimensions of values that entries give in a unit, to be held against the system.
    """

    symbols: dict[str, sp.Symbol] = field(default_factory=dict)
    numbers: dict[str, float | None] = field(default_factory=dict)
    dimensions: dict[str, Dimension] = field(default_factory=dict)
    derived: dict[str, sp.Expr] = field(default_factory=dict)
    freed: frozenset[str] = frozenset()
    sources: dict[str, str] = field(default_factory=dict)
    written: dict[str, object] = field(default_factory=dict)
    driven: dict[str, object] = field(default_factory=dict)
    replaced: list[tuple[Path, str, Dimension]] = field(default_factory=list)

    def following(self, used: set[str]) -> dict[str, sp.Expr]:
        """Of what is used, and of what this needs, the parameters that follow from others: their formulas."""
        found: dict[str, sp.Expr] = {}
        for name, formula in reversed(self.derived.items()):  # each comes after those it uses
            if name in used and name not in self.freed and formula.free_symbols:
                found[name] = formula
                used = used | {s.name for s in formula.free_symbols}
        return found

    def unit(self, formula: sp.Expr) -> str:
        """The unit of an expression in parameters, ``"m/s"``, or "" if it is a number or not known."""
        found = _dimension(formula, self.dimensions, "the formula")
        return str(found) if found is not None and found.powers else ""

    @property
    def meanings(self) -> dict[str, sp.Expr]:
        """What every name stands for, formulas written out: for a space, which holds parameters and no formulas."""
        found: dict[str, sp.Expr] = dict(self.symbols)
        for name, formula in self.derived.items():
            if name not in self.freed and formula.free_symbols:
                found[name] = formula.xreplace({s: found[s.name] for s in formula.free_symbols})
        return found


def symbol(name: str, sign: str) -> sp.Symbol:
    """The symbol of a parameter."""
    return sp.Symbol(name, **_ASSUMED[sign])


def sign_of(s: sp.Symbol) -> str:
    """The sign that a symbol was declared with; "" if the words of a file do not say it."""
    return next((word for word in _ASSUMED if symbol(s.name, word) == s), "")


def values(given: Mapping[str, Parameter], units: Mapping[str, str], collector: Collector) -> Values:
    """The parameters of ``[parameters]``, with the units that ``[units]`` states for some."""
    found, texts = Values(), {}
    for name, unit in units.items():
        if name in given:
            with contextlib.suppress(DalembertError):  # told where all units are checked
                found.dimensions[name] = to_dimension(unit, name)
    for name, entry in given.items():
        path: Path = ("parameters", name)
        try:
            taken(check_name(name, "a parameter"), "a parameter")
        except DalembertError as error:
            collector.add(error, path, key=True)
            continue
        found.symbols[name] = symbol(name, entry.sign)
        if entry.source:
            found.sources[name] = entry.source
        found.numbers[name] = None
        if isinstance(entry.value, str) and entry.value.strip() != UNKNOWN and not is_quantity(entry.value):
            texts[name] = entry.value
        elif entry.value is not None and entry.value != UNKNOWN:
            _number(found, name, entry.value, collector)
    _derive(found, texts, collector)
    return found


def value_path(name: str, collector: Collector) -> Path:
    """Where the value of a parameter stands: after its name, or as ``value`` in its table."""
    path = ("parameters", name)
    return (*path, "value") if (*path, "value") in collector.places.values else path


def _number(found: Values, name: str, given: object, collector: Collector) -> None:
    with collector.watch(value_path(name, collector)):
        read_value, dimension = quantity(given, name)
        found.written[name] = given
        found.numbers[name] = check(name, read_value, found.symbols[name])
        if dimension is not None and found.dimensions.setdefault(name, dimension) != dimension:
            raise wrong_dimension(name, dimension, found.dimensions[name])


def _derive(found: Values, texts: Mapping[str, str], collector: Collector) -> None:
    """Values of the parameters that are given by expressions."""
    reader = Texts(collector, found.symbols, {}, tuple(found.symbols))
    read_texts = {name: reader.read(text, value_path(name, collector), name) for name, text in texts.items()}
    formulas = {name: e for name, e in read_texts.items() if e is not None}
    uses = {name: {s.name for s in e.free_symbols} for name, e in formulas.items()}
    order, cycles = in_order(formulas, uses)
    for cycle in cycles:
        collector.add(cycle_error(cycle, "parameter"), value_path(cycle[0], collector))
    for name in order:
        found.derived[name] = formulas[name]
        with collector.watch(value_path(name, collector)):
            _evaluate(found, name, formulas[name])


def _evaluate(found: Values, name: str, formula: sp.Expr) -> None:
    value = computed(formula, found.numbers, name)
    found.numbers[name] = None if value is None else check(name, value, found.symbols[name])
    dimension = _dimension(formula, found.dimensions, name)
    if dimension is not None and found.dimensions.setdefault(name, dimension) != dimension:
        raise wrong_dimension(name, dimension, found.dimensions[name])


def computed(formula: sp.Expr, numbers: Mapping[str, float | None], name: str) -> float | None:
    """The value of an expression in parameters; None where one of these has no value.

    Raises:
        InvalidValue: E203, not a finite number.
    """
    known = {s.name: numbers.get(s.name) for s in formula.free_symbols}
    given = {key: value for key, value in known.items() if value is not None}
    if len(given) < len(known):
        return None
    value = evaluate([read(formula, Graph())], given)[0]
    if isinstance(value, complex) or not abs(float(value)) < float("inf"):
        raise InvalidValue(
            "E203", f"{name} = {value} is not a finite number", "change the expression, or a value in it"
        )
    return float(value)


def _dimension(formula: sp.Expr, known: Mapping[str, Dimension], name: str) -> Dimension | None:
    """The dimension of an expression whose parameters all have one.

    Raises:
        InvalidValue: E134, its terms differ.
    """
    names = {s.name for s in formula.free_symbols}
    if not names or not names <= set(known):
        return None
    walk = dimensions._DimensionWalk()
    form = walk.form(formula, name)
    balance = Balance({n: DimensionForm(d) for n, d in known.items()})
    try:
        dimensions._settle(balance, walk.demands)
    except dimensions._Refused as refused:
        raise refused.explained([]) from None
    settled = None if form is None else balance.reduced(form)
    return None if settled is None or settled.unknown else settled.known


def overriding(study: Study, given: Mapping[str, object]) -> dict[str, float]:
    """`Study.overrides`."""
    changes: dict[str, float] = {}
    named = by_name(mapping(given, "parameters", "E204", Option("parameters", {"m": 1.0})), "parameters", key_name)
    study = study.freed(named)
    for name, value in named.items():
        known = {**study.constants, **study.system.parameters, **study.system.symbols}
        if name not in known:
            raise UnknownName("E202", f"unknown parameter {as_given(name)}", did_you_mean(name, known))
        needs = study.system.units.get(name)
        refuse_bare(name, value, study.written.get(name))
        number, has = quantity(value, name, needs)
        if has is not None and name in study.system.symbols:
            study.system.fits({name: has})
        changes[name] = check(name, number, study.system.symbols.get(name))
    return changes


def name_problems(names: Mapping[str, Path], own: Mapping[str, object], collector: Collector) -> None:
    """E103: a name that is already a coordinate, a velocity, a rotation or the time."""
    for name, path in names.items():
        if name in own or name == TIME.name:
            fact = f"{as_given(name)} is also a coordinate, velocity, rotation or the time"
            error: DalembertError = InvalidValue("E103", fact, "rename one")
            collector.add(error, path, key=True)
