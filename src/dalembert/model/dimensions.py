"""Do the terms of a system have dimensions that fit? Decided from the units that are known; the others are solved for.

Terms of one sum agree; arguments of sin, exp, ... are numbers; a rate is its coordinate over time; L has one dimension,
whichever it is, and a force on u then is L/(u t). Numbers written out are numbers, but a decimal such as 9.81, or 10,
may carry a unit that was left out, and is asked for nothing. Nothing is said where a dimension is not determined.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy as sp

from ..calculus.elementary_functions import OF_SYMPY, arguments
from ..calculus.frame import TIME
from ..calculus.line_width import WIDTH, cut
from ..calculus.quantity import NUMBER, SECOND, Dimension, dimension, power, wrong_dimension
from ..calculus.symbols import by_name
from ..errors import InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean, kind_of, warn
from ..errors.remedies import Code, Option, Words
from .names import key_name

if TYPE_CHECKING:
    from .contact import Contact
    from .space import Space
    from .system import System


# ---------------------------------------------------------------------------------------------------------------------
# Linear equations between exponents: which dimensions follow from those that are known, and which contradict
# them.


@dataclass(frozen=True)
class DimensionForm:
    """A dimension that is known up to powers of unknown ones: ``known * prod [name]**exponent``."""

    known: Dimension = NUMBER
    unknown: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, name: str) -> DimensionForm:
        """The dimension of `name`, unknown so far."""
        return cls(NUMBER, ((name, Fraction(1)),))

    def __mul__(self, other: DimensionForm) -> DimensionForm:
        exponents = dict(self.unknown)
        for name, exponent in other.unknown:
            exponents[name] = exponents.get(name, Fraction(0)) + exponent
        return DimensionForm(self.known * other.known, tuple(sorted((n, e) for n, e in exponents.items() if e)))

    def __pow__(self, exponent: int | Fraction) -> DimensionForm:
        scaled = tuple((n, e * exponent) for n, e in self.unknown) if exponent else ()
        return DimensionForm(self.known**exponent, scaled)

    def __truediv__(self, other: DimensionForm) -> DimensionForm:
        return self * other**-1

    def __str__(self) -> str:
        """For the eye: units, then unknown dimensions in brackets."""
        parts = [power(f"[{n}]", e) for n, e in self.unknown]
        return "*".join(([str(self.known)] if self.known != NUMBER or not parts else []) + parts)


@dataclass
class Balance:
    """Equations between dimensions, kept solved: each name in `solved` is a `DimensionForm` in names that are not."""

    solved: dict[str, DimensionForm] = field(default_factory=dict)

    def copy(self) -> Balance:
        """A balance that can be extended without changing this one."""
        return Balance(dict(self.solved))

    def reduced(self, form: DimensionForm) -> DimensionForm:
        """The form with everything that is known put in."""
        result = DimensionForm(form.known)
        for name, exponent in form.unknown:
            result *= self.solved.get(name, DimensionForm.of(name)) ** exponent
        return result

    def agree(self, a: DimensionForm, b: DimensionForm) -> bool:
        """Demand that a and b are one dimension; False, and nothing learnt, if they cannot be."""
        # a/b = known * prod [name]**exponent = 1
        quotient = self.reduced(a / b)
        if not quotient.unknown:
            return quotient.known == NUMBER
        name, exponent = quotient.unknown[-1]
        found = (DimensionForm.of(name) ** exponent / quotient) ** (1 / exponent)
        self.solved[name] = found
        self.solved = {n: self.reduced(form) for n, form in self.solved.items()}
        return True

    @property
    def known(self) -> dict[str, Dimension]:
        """Every dimension that is determined."""
        return {name: form.known for name, form in self.solved.items() if not form.unknown}


_OF_NUMBERS = (sp.cot, sp.sec, sp.csc)  # besides those of the table
_REMEDY = (
    *("correct the term, or a unit in ", Option("parameters", Code("{...}")), " or ", Option("units", Code("{...}"))),
    *("\na constant with a unit needs a name: ", Option("parameters", {"g": "9.81 m/s^2"})),
)
_DIVIDE = "divide it by a constant of the same unit"
_ENERGY = "energy of L"  # no name of a symbol: it holds blanks
_ENERGIES = [Dimension.of({"kg": kg, "m": m, "s": -2}) for kg, m in ((1, 2), (0, 2), (0, 0))] + [Dimension()]
_METRE = Dimension.of({"m": 1})
_COORDINATES = (_METRE, Dimension(), Dimension.of({"A": 1, "s": 1}))
_LARGE = 10
_MOST_LEFT_OUT = 40  # formulas that are tried to be left out, where units do not fit
_FORMULAS = {
    "constraints": "the constraint {}",
    "equivalent": "{}",
    "forces": "the force on {}",
    "momenta": "the momentum {}",
    "parameters": "the formula of {}",
}


def balance(system: System) -> Balance:
    """The dimensions of a system's symbols, as far as its units determine them.

    A system without any unit may be one without dimensions at all, such as L = v**2/2 + cos(x): of it only rates and
    the arguments of functions are asked, and what contradicts them is let be.

    Raises:
        InvalidValue: E134, two terms differ, or a function of numbers is given something else.
    """
    space, walk = _DimensionWalk(), _DimensionWalk()
    _space(system.space, space)
    _system(system, walk)
    if not system.units:
        found = _settled({}, space.demands)
        for demand in walk.numbers:
            found.agree(demand.found, demand.needs)
        return found
    try:
        return _settled(system.units, space.demands, walk.demands)
    except _Refused as refused:
        demands = space.demands, walk.demands
        ways = _written_out(system, refused, *demands)
        ways = ways or _repairs(system, *demands)[:2] or _without(system, refused, *demands)
        raise refused.explained(ways) from None


def compared(system: System) -> Balance | None:
    """What follows for the dimensions if all terms fit, of a system without units too; None where they do not.

    The two coordinates of a plane are of one dimension.
    """
    space, walk = _DimensionWalk(), _DimensionWalk()
    _space(system.space, space)
    for factor in system.space.recipe:
        if factor.kind == "plane":
            x, y = factor.arguments["names"].split()
            space.agree(DimensionForm.of(x), DimensionForm.of(y), "a plane")
    _system(system, walk)
    try:
        return _settled(system.units, space.demands, walk.demands)
    except _Refused:
        return None


def fits_lengths(system: System, contact: Contact, lengths: Iterable[str]) -> bool:
    """Do the gap of a contact and what friction resists there fit each other where these coordinates are lengths?"""
    space, walk = _DimensionWalk(), _DimensionWalk()
    _space(system.space, space)
    _contact(contact, walk)
    try:
        _settled({**dict.fromkeys(lengths, _METRE), **system.units}, space.demands, walk.demands)
    except _Refused:
        return False
    return True


def energy(known: Balance) -> DimensionForm:
    """The dimension of L."""
    return known.reduced(DimensionForm.of(_ENERGY))


def notes(system: System) -> list[Note]:
    """W134: units that fit each other but make L no energy, or a coordinate neither a length nor a number.

    L may be an energy over a mass or over a moment of inertia. N134: what the units leave open.
    """
    if not system.units:
        return []
    known = system.balance.known
    found = [warn("W134", text, 5) for text in _odd(system, known)]
    names = [*system.space.by_name, *system.symbols]
    left = [name for name in names if name not in known]
    if left:
        text = f"the dimensions of {', '.join(left)} do not follow from the units given: their terms are not compared"
        found.append(Note("N134", cut(text, 200)))
    return found


def _repairs(system: System, *demands: list[_Demand]) -> list[str]:
    """Single units whose change would make all fit and L an energy, the simplest first."""
    found = []
    for name, has in system.units.items():
        try:
            known = _settled({n: d for n, d in system.units.items() if n != name}, *demands).known
        except _Refused:
            continue
        if name in known and not _odd(system, known):
            size = sum(abs(e) for _, e in known[name].powers)
            found.append((size, name, f"all fits if {name} is {_plain(known[name])} instead of {_plain(has)}"))
    return [text for _, _, text in sorted(found)]


def _without(system: System, refused: _Refused, *demands: list[_Demand]) -> list[str]:
    """The one other formula, if it is one, without which all fits: a constraint may be what L is refused for."""
    subjects = {d.subject: None for some in demands for d in some if d.subject[:1] and d.subject[0] in _FORMULAS}
    others = [subject for subject in subjects if subject != refused.demand.subject]
    found = []
    for kind, name in others if len(others) <= _MOST_LEFT_OUT else ():
        rest = [[d for d in some if d.subject != (kind, name)] for some in demands]
        try:
            known = _settled(system.units, *rest).known
        except _Refused:
            continue
        found += [] if _odd(system, known) else [f"all fits without {_FORMULAS[kind].format(name)}: look there too"]
    return found if len(found) == 1 else []


def _written_out(system: System, refused: _Refused, *demands: list[_Demand]) -> list[str]:
    """The distance, or the velocity, of a contact whose gap and slip do not fit each other."""
    kind, name, part = (*refused.demand.subject, "", "", "")[:3]
    if kind != "contacts" or part != "gap" or refused.demand.term:
        return []
    contact = next(c for c in system.contacts if c.name == name)
    rest = [[d for d in some if d is not refused.demand] for some in demands]
    known = _settled(system.units, *rest)
    lengths = [q for q in system.space.coordinates if known.reduced(DimensionForm.of(q.name)) == DimensionForm(_METRE)]
    if known.reduced(refused.demand.found) == DimensionForm(_METRE):
        return [f'write a velocity: slip=["{e}"]' for e in contact.velocities(lengths, system.space)[:1]]
    distance = contact.distance(lengths)
    return [] if distance is None else [f'write the distance: gap="{distance}"']


def _odd(system: System, known: Mapping[str, Dimension]) -> list[str]:
    """What is dimensionally possible but no mechanics: an L that is no energy, a coordinate that is no length."""
    energy = known.get(_ENERGY, _ENERGIES[0])
    odd = [] if energy in _ENERGIES else [f"L is in {energy}, but an energy is in {_ENERGIES[0]}: are all units right?"]
    strange = _strange(system, known)
    gaps = {
        f"the gap of {c.name}": of(c.gap, Balance({n: DimensionForm(d) for n, d in known.items()}))
        for c in system.contacts
    }
    strange += [(what, f.known) for what, f in gaps.items() if f is not None and f.known not in _COORDINATES[:2]]
    return odd + [f"with these units {name} is in {has}, neither a length nor an angle" for name, has in strange]


def _strange(system: System, known: Mapping[str, Dimension]) -> list[tuple[str, Dimension]]:
    """Coordinates of which no unit is declared, and that are neither a length nor an angle (nor a charge)."""
    names = [q.name for q in system.space.coordinates if q.name not in system.units]
    return [(name, known[name]) for name in names if name in known and known[name] not in _COORDINATES]


def _settled(units: Mapping[str, Dimension], *demands: list[_Demand]) -> Balance:
    """The dimensions that follow from these units when the demands are met, list by list."""
    found = Balance({name: DimensionForm(dimension) for name, dimension in units.items()})
    found.solved[TIME.name] = DimensionForm(SECOND)
    for some in demands:
        _settle(found, some)
    return found


def of(expression: sp.Expr, known: Balance) -> DimensionForm | None:
    """The dimension of an expression, None if it is not determined."""
    form = _DimensionWalk().form(expression, "")
    found = None if form is None else known.reduced(form)
    return None if found is None or found.unknown else found


def _settle(found: Balance, demands: list[_Demand]) -> None:
    """Meet all demands, those with the fewest unknowns first: what is then refused is told in known units."""
    waiting, most = list(demands), 1
    while waiting:
        later = []
        for demand in waiting:
            if len(found.reduced(demand.found / demand.needs).unknown) > most:
                later.append(demand)
            elif not found.agree(demand.found, demand.needs):
                raise _Refused(demand, found)
        most = 1 if len(later) < len(waiting) else most + 1
        waiting = later


def joined(units: object, found: Mapping[str, Dimension], known: Iterable[str]) -> dict[str, Dimension]:
    """``units={name: unit of base SI}`` as dimensions, together with those found with values.

    Raises:
        WrongType: E206, not a mapping.
        UnknownName: E104, a name that nothing here bears.
        InvalidValue: E206 not a unit of base SI, E207 the unit of a value is another than the one declared.
    """
    if not isinstance(units, Mapping | None):
        raise WrongType("E206", f"units are given by name, not as {kind_of(units)}", 'units={"x": "m"}')
    named = by_name(units or {}, "units", key_name)
    for name in named:
        if name not in set(known):
            raise UnknownName("E104", f"units: nothing here is called {as_given(name)}", did_you_mean(name, known))
    declared = {name: dimension(unit, name) for name, unit in named.items()}
    for name in declared.keys() & found.keys():
        if declared[name] != found[name]:
            raise wrong_dimension(name, found[name], declared[name]).about("units", name)
    return {**declared, **found}


def check_values(system: System, given: Mapping[str, Dimension], kind: str = "parameters") -> None:
    """E207: values of a kind, given with units that fit neither the system nor each other, or where nothing has one."""
    extended = system.balance.copy()
    for name, has in given.items():
        if not extended.agree(DimensionForm.of(name), DimensionForm(has)):
            raise wrong_dimension(name, has, extended.reduced(DimensionForm.of(name))).about(kind, name)
        # a number, an angle or a power of the second, in which every system of units has its time
        if not system.units and (not ({name for name, _ in has.powers} <= {"s"}) or _strange(system, extended.known)):
            raise _without_units(system, name, has).about(kind, name)
    strange = _odd(system, extended.known) if given and system.units else []
    if strange and not _odd(system, system.balance.known):
        name, has = list(given.items())[-1]
        raise InvalidValue("E207", f"{name} is {_plain(has)}: {strange[0]}", f"give {name} in another unit").about(
            kind, name
        )


def check_formula(system: System, name: str, formula: sp.Expr) -> None:
    """E207: a term is of another dimension than the input that the formula drives.

    What holds no name but the time is asked for nothing: the amplitude of ``0.1*sin(t)`` carries the unit.
    """
    needs = system.balance.reduced(DimensionForm.of(name))
    for term, found in () if needs.unknown else _terms(system, formula):
        if found != needs:
            fact = f"{cut(str(term), 40)} in the formula of the input {name} is {_word(found)}, needs {_word(needs)}"
            raise InvalidValue(
                "E207", fact, _named_constant(system, term, str(needs / found)), subject=("inputs", name)
            )


def _named_constant(system: System, term: sp.Expr, unit: str) -> Words:
    """How a term gets another unit: its number as a parameter, and the term with that."""
    number, rest = term.as_coeff_Mul()
    taken = {*system.symbols, *system.parameters, *system.defined, *system.space.by_name, *system.inputs}
    name = next(k for k in ("k", *(f"k{i}" for i in range(1, 100))) if k not in taken)
    value = f"{float(abs(number)):.12g} {unit}"
    written = sp.sstr(sp.Symbol(name) * rest * sp.sign(number))
    return ("a constant with a unit needs a name: ", Option("parameters", {name: value}), f", and {written} for {term}")


def check_event(system: System, name: str, guard: sp.Expr, news: Mapping[str, sp.Expr]) -> None:
    """E134: terms of the guard of an event, or those of what jumps, are of two dimensions; see `check_formula`."""
    for e, state in ((guard, ""), *((e, state) for state, e in news.items())):
        where = f"the new {state} of {name}" if state else f"the guard of {name}"
        needs = system.balance.reduced(DimensionForm.of(state)) if state else None
        for term, found in _terms(system, e):
            needs = found if needs is None or needs.unknown else needs
            if found != needs:
                fact = f"dimensions differ: {_word(needs)} + {_word(found)} in {where}"
                raise InvalidValue("E134", fact, "correct the term", str(term))


def _terms(system: System, e: sp.Expr) -> Iterator[tuple[sp.Expr, DimensionForm]]:
    """Terms that hold another name than the time, and their dimensions where these are known."""
    for term in sp.Add.make_args(e):
        found = of(term, system.balance) if {s.name for s in term.free_symbols} - {TIME.name} else None
        if found is not None:
            yield term, found


def _without_units(system: System, name: str, has: Dimension) -> InvalidValue:
    """E207: text with a unit, for a system of which nothing says in which units its numbers are."""
    fact = f"{name} is given in a unit, {has} in base SI, and nothing says that the system's numbers are in base SI"
    number = f"give {name} as a number, in the units of the others"
    if name not in {*system.space.by_name, *system.parameters}:  # a multiplier: `units` does not take it
        return InvalidValue("E207", fact, number)
    return InvalidValue("E207", fact, ("say that they are: ", Option("units", {name: str(has)}), f"\nor {number}"))


def _space(space: Space, walk: _DimensionWalk) -> None:
    numbers = {s.name for a in space.attitudes.values() for s in a.coordinates} | space.angles
    for name in sorted(numbers):
        walk.agree(DimensionForm.of(name), DimensionForm(), f"{name}, an angle or part of an attitude")
    for q, rate in space.rates.items():
        # [E u] = [q]/s
        walk.subject = "coordinates", q.name
        walk.demand(rate, DimensionForm.of(q.name) / DimensionForm(SECOND), f"the rate of {q}")
    for e in space.embedding:
        walk.form(e, "the coordinates' relation")


def _system(system: System, walk: _DimensionWalk) -> None:
    energy = DimensionForm.of(_ENERGY)
    for name, e in system.defined.items():
        walk.subject = "parameters", name
        walk.demand(e, DimensionForm.of(name), f"the parameter {name}")
    named = [("constraints", c) for c in system.constraints] + [("equivalent", c) for c in system.equivalent]
    for kind, c in named:
        walk.subject = kind, c.name
        phi = walk.form(c.given, c.name)
        if phi is not None and not c.holonomic and c.multiplier.name not in system.symbols:
            # [lam] = [L]/[phi]
            walk.agree(DimensionForm.of(c.multiplier.name), energy / phi, f"the multiplier of {c.name}")
    walk.subject = ("lagrangian",)
    walk.demand(system.lagrangian, energy, "L")
    for u, Q in zip(system.space.velocities, system.forces, strict=True):
        # [Q_u] = [L]/([u] s)
        walk.subject = "forces", u.name
        walk.demand(Q, energy / DimensionForm.of(u.name) / DimensionForm(SECOND), f"the force on {u}")
    for name, e in system.momenta.items():
        walk.subject = "momenta", name
        walk.form(e, f"momentum {name}")
    for name, J in system.inertias.items():
        walk.subject = "inertias", name
        for entry in J:
            walk.form(entry, f"inertia {name}")
    for wall in system.walls:
        walk.bare = True
        for where, es in wall.places.items():
            rows = ("restitution",) if where == "restitution" else ("guard",)
            walk.subject = "walls", wall.name, *(("constraints", where[11:]) if where[:11] == "constraint " else rows)
            for e in es:
                if where != "restitution":
                    walk.form(e, f"the {where} of {wall.name}")
                elif e.free_symbols:
                    walk.demand(e, DimensionForm(), f"the restitution of {wall.name}")
    for contact in system.contacts:
        _contact(contact, walk)


def _contact(contact: Contact, walk: _DimensionWalk) -> None:
    """Coefficients are numbers, and the power of friction is one of the normal force: mu N s, N f'."""
    walk.bare = True

    def of_contact(part: str, key: str = "") -> str:
        walk.subject = "contacts", contact.name, *((key or part).split())
        return f"the {part} of {contact.name}"

    if contact.load is None:
        what, gap = "gap", walk.form(contact.gap, of_contact("gap")) or DimensionForm()
    else:
        # N [s] s = [L]
        what, gap = "load", DimensionForm.of(_ENERGY) / (walk.form(contact.load, of_contact("load")) or DimensionForm())
    for key in ("mu", "mu_static", "restitution"):
        if (e := getattr(contact, key)).free_symbols:
            walk.demand(e, DimensionForm(), of_contact(key)[4:])
    for key in ("slip", "spin", "rolling"):
        for i, rate in enumerate(getattr(contact, key)):
            found = walk.form(rate, of_contact(key, key if key == "spin" else f"{key} {i}")) or DimensionForm()
            if key != "slip":
                # angular velocities, against which a moment mu N acts
                walk.agree(found, DimensionForm(SECOND) ** -1, f"the {key} of {contact.name}")
            elif contact.rubs:
                # [f]/s = [s]
                walk.agree(gap, found * DimensionForm(SECOND), of_contact(what) + " beside its slip times s")
    for key, length in (("spin", contact.mu_spin), ("rolling", contact.mu_rolling)):
        if length.free_symbols:
            walk.demand(length, gap, of_contact(f"{key}_friction"))


class Differs(InvalidValue):
    """E134 of a term: it is in another unit than the first of its sum.

    Attributes:
        term: which.
    """

    term: sp.Expr


class _Said(NamedTuple):
    """Words that are put together where they are read: large expressions take long to print."""

    pattern: str
    parts: tuple[object, ...]
    width: int | None = None

    def __str__(self) -> str:
        return cut(self.pattern.format(*map(str, self.parts)), self.width)


def _short(e: object, width: int) -> _Said:
    return _Said("{}", (e,), width)


class _Demand(NamedTuple):
    """Two dimensions that are to be one, and what to say if they cannot be."""

    found: DimensionForm
    needs: DimensionForm
    where: object
    remedy: Words = _REMEDY
    term: object = ""
    subject: tuple[str, ...] = ()


class _Refused(Exception):
    """A demand that cannot be met by what is known."""

    def __init__(self, demand: _Demand, known: Balance) -> None:
        super().__init__(demand.where)
        self.demand = demand
        self.found, self.needs = (_word(known.reduced(form)) for form in (demand.found, demand.needs))

    def explained(self, repairs: Sequence[str]) -> InvalidValue:
        """E134, with the units that would repair it."""
        demand = self.demand
        if demand.term:
            fact = f"dimensions differ: {self.needs} + {self.found} in {demand.where}"
        else:
            fact = f"the dimension is {self.found}, must be {self.needs}: {demand.where}"
        remedy = (*(f"{repair}\n" for repair in repairs), demand.remedy)
        term = demand.term.parts[1] if isinstance(demand.term, _Said) else None
        if not isinstance(term, sp.Expr):
            return InvalidValue("E134", fact, remedy, str(demand.term), subject=demand.subject)
        refusal = Differs("E134", fact, remedy, str(demand.term), subject=demand.subject)
        refusal.term = term
        return refusal


class _DimensionWalk:
    """Forms of expressions, and what their sums and functions demand."""

    def __init__(self) -> None:
        self.demands: list[_Demand] = []
        self.numbers: list[_Demand] = []
        self.forms: dict[sp.Basic, DimensionForm | None] = {}
        self.unknowns = 0
        self.whole: sp.Basic = sp.S.Zero
        self.subject: tuple[str, ...] = ()  # whose demands are gathered
        self.bare = False  # may a number that stands alone in a sum be a length, as 0.5 in y - 0.5?

    def demand(self, e: sp.Expr, needs: DimensionForm, where: object) -> None:
        """The expression has this dimension, or is 0."""
        form = self.form(e, where)
        if form is not None:
            self.agree(form, needs, where)

    def form(self, e: sp.Expr, where: object) -> DimensionForm | None:
        """The dimension of an expression; None for 0, which has any."""
        self.whole = e
        return self._form(e, where)

    def agree(self, *demand: Any) -> None:
        """Two dimensions are to be one."""
        self.demands.append(_Demand(*demand)._replace(subject=self.subject))

    def _form(self, e: sp.Basic, where: object) -> DimensionForm | None:
        if e not in self.forms:
            self.forms[e] = self._translated(e, where)
        return self.forms[e]

    def _translated(self, e: sp.Basic, where: object) -> DimensionForm | None:
        if isinstance(e, sp.Symbol):
            return DimensionForm.of(e.name)
        if e.is_number:
            return self._literal(e)
        if isinstance(e, sp.Add):
            return self._sum(e.as_ordered_terms(), e, where)
        if isinstance(e, sp.Mul):
            return math.prod((self._form(a, where) or DimensionForm() for a in e.args), start=DimensionForm())
        if isinstance(e, sp.Pow):
            return self._power(e, where)
        if isinstance(e, sp.Piecewise):
            return self._sum([branch for branch, _ in e.args], e, where)
        row = OF_SYMPY.get(type(e))
        takes = row.takes if row else "numbers" if isinstance(e, _OF_NUMBERS) else "anything"
        gives = row.gives if row else "number" if isinstance(e, (*_OF_NUMBERS, sp.Heaviside)) else "unknown"
        taken = self._arguments(e, takes, where)
        return DimensionForm() if gives == "number" else taken if gives == "same" else self._unknown()

    def _arguments(self, e: sp.Basic, takes: str, where: object) -> DimensionForm | None:
        """What the arguments of a function demand; the dimension that they have in common."""
        if takes == "alike":
            return self._sum(e.args, e, where)
        if takes == "anything":
            forms = [self._form(argument, where) for argument in arguments(e)]
            return forms[0] if forms else None
        for argument in arguments(e):
            self._number(argument, e, where)
        return DimensionForm()

    def _literal(self, e: sp.Basic) -> DimensionForm | None:
        """0 has any dimension, a decimal or 10 may carry one; small fractions, powers of 2, sqrt(3), pi are numbers."""
        if e == 0:
            return None
        plain = all(math.frexp(abs(float(x)))[0] == 0.5 for x in e.atoms(sp.Float))
        small = all(abs(x.p) < _LARGE or math.frexp(abs(x.p))[0] == 0.5 for x in e.atoms(sp.Rational))
        return DimensionForm() if plain and small else self._unknown()

    def _unknown(self) -> DimensionForm:
        """Of a logarithm, say: log(r) stands for log(r/r0), whatever r0."""
        self.unknowns += 1
        return DimensionForm.of(f"constant {self.unknowns}")

    def _sum(self, terms: Sequence[sp.Expr], e: sp.Basic, where: object) -> DimensionForm | None:
        first: DimensionForm | None = None
        place = where if e == self.whole else _Said("{}, in {}", (_short(e, 40), where))
        for i, term in enumerate(terms):
            if self.bare and {s.name for s in term.free_symbols} <= {TIME.name}:
                continue
            form = self._form(term, where)
            if first is None:
                first = form
            elif form is not None:
                told = _Said("term {} is {}", (i + 1, term), WIDTH)
                self.agree(form, first, _Said("term {} of {}", (i + 1, place)), _REMEDY, told)
        return first

    def _power(self, e: sp.Pow, where: object) -> DimensionForm | None:
        base, exponent = e.args
        form = self._form(base, where) or DimensionForm()
        if isinstance(exponent, sp.Rational | sp.Float):
            return form ** Fraction(float(exponent)).limit_denominator(1000)
        self._number(base, e, where)
        self._number(exponent, e, where)
        return DimensionForm()

    def _number(self, e: sp.Basic, function: sp.Basic, where: object) -> None:
        form = self._form(e, where)
        if form is not None:
            place = _Said("{} in {}, in {}", (_short(e, 40), _short(function, 50), where))
            self.agree(form, DimensionForm(), place, _DIVIDE)
            self.numbers.append(self.demands[-1])


def _word(form: DimensionForm) -> str:
    return "a number" if form == DimensionForm() else str(form)


def _plain(dimension: Dimension) -> str:
    return _word(DimensionForm(dimension))
