"""The user's expressions, brought to the space's own symbols.

Symbols are matched by name, so that ``Symbol("x")`` and the space's real x are one. SymPy's `dynamicsymbols` are
understood: x(t) is the coordinate x, and Derivative(x(t), t) its rate. Text is read by `calculus/language`; in it,
parameters must be declared.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ..calculus.frame import TIME
from ..calculus.symbols import beyond_real, free_symbols, holds, joined, only_real
from ..errors import InvalidValue, UnknownName, WrongType, about, did_you_mean, kind_of
from ..errors.remedies import Option
from .names import check_name
from .parameters import Formulas, check_constant, cycle
from .scalar import Parts, walked
from .space import Space

if TYPE_CHECKING:
    from ..calculus.language.from_text import TextStretch
    from .system import System

# --- What ``dot(name)`` stands for: the rate of a coordinate, or of what is defined in positions and the time --------

_JUMPING = (sp.sign, sp.floor, sp.ceiling)


def rate_of(f: sp.Expr, space: Space) -> sp.Expr:
    """df/dt of a function of the position and the time."""
    # df/dt = df/dq qdot + df/dt
    return sum((f.diff(q) * rate for q, rate in space.rates.items()), f.diff(TIME))


class Rates(Mapping[str, sp.Expr]):
    """The rates of coordinates and definitions, those of the latter found when they are asked for.

        d/dt f(t, q) = df/dq^i qdot^i + df/dt

    A definition that holds a velocity has none, since that would be an acceleration; nor has one that holds an input,
    of which only values are given, or a function that jumps, or nothing that moves.

    Args:
        space: of the coordinates.
        defined: what definitions stand for, which may grow, but not change.
        inputs: names of inputs, which may grow too.
    """

    def __init__(self, space: Space, defined: Mapping[str, sp.Expr], inputs: Collection[str] = ()) -> None:
        self._space, self._defined, self._inputs = space, defined, inputs
        self._own = {q.name: rate for q, rate in space.rates.items()}
        self._known: dict[sp.Expr, sp.Expr] = {}
        self._held: dict[str, frozenset[str]] = {}  # by definition

    def __getitem__(self, name: str) -> sp.Expr:
        if name in self._own:
            return self._own[name]
        if not self._moves(name):
            raise KeyError(name)
        f = self._defined[name]
        if f not in self._known:
            moving = {**self._space.rates, TIME: sp.S.One}
            self._known[f] = sp.Add(*(f.diff(s) * rate for s, rate in moving.items() if s in free_symbols(f)))
        return self._known[f]

    def __contains__(self, name: object) -> bool:
        return name in self._own or self._moves(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name in self._defined if name not in self._own and self._moves(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _moves(self, name: object) -> bool:
        """Is it defined in positions and the time, and do they occur in it?"""
        if not isinstance(name, str):
            return False
        if name not in self._held and name in self._defined:
            self._held[name] = self._placed(self._defined[name])
        held = self._held.get(name, frozenset())
        return bool(held) and held.isdisjoint(self._inputs)

    def _placed(self, f: sp.Expr) -> frozenset[str]:
        """The names in what is defined in positions and the time alone; none for anything else."""
        held = free_symbols(f)
        moving, fast = {*self._space.coordinates, TIME}, {*self._space.velocities}
        placed = held & moving and not held & fast and not holds(f, *_JUMPING)
        return frozenset(s.name for s in held) if placed else frozenset()


_PLAIN = (sp.Symbol, sp.Number, sp.Add, sp.Mul, sp.Pow, sp.Function)  # in these all symbols are free


class Reader:
    """Reads the expressions of one system; remembers the parameters it met.

    Args:
        space: of the system.
        declared: names of parameters, which text may hold.
        formulas: names that stand for formulas in these.
        assumed: symbols of which the author assumes more than that they are real, by name, wherever they stand.
    """

    def __init__(
        self,
        space: Space,
        declared: Iterable[str] = (),
        formulas: Formulas | None = None,
        assumed: Mapping[str, sp.Symbol] | None = None,
    ) -> None:
        self.space = space
        self.own = {**space.by_name, TIME.name: TIME}
        self.parameters: dict[str, sp.Symbol] = {}
        self.formulas = dict(formulas or {})
        self.declared = frozenset([*declared, *self.formulas])
        self.assumed = dict(assumed or {})
        self._open: tuple[str, ...] = ()  # formulas that are being read
        self.definitions: dict[str, sp.Expr] = {}
        self._fine: Parts = {}  # what was read and stands as it was given
        # R11, ..., R33 in a text are the entries of the rotation R, unless something else has the name
        self.turned: dict[str, sp.Expr] = {
            f"{name}{k // 3 + 1}{k % 3 + 1}": e for name, a in space.attitudes.items() for k, e in enumerate(a.matrix)
        }
        self.inputs: set[str] = set()
        self.rates = Rates(space, ChainMap(self.definitions, self.turned), self.inputs)

    @classmethod
    def of(cls, system: System, others: Iterable[str] = ()) -> Reader:
        """A reader of further expressions about a system, which knows its parameters, and other names in text."""
        reader = cls(system.space, (*system.parameters, *system.symbols, *system.inputs, *others), system.defined)
        reader.parameters.update(system.symbols)
        reader.definitions.update(system.definitions)
        reader.inputs.update(system.inputs)
        return reader

    def of_forces(self, constraints: Iterable[Any]) -> Reader:
        """A reader of forces, which may hold the multipliers of these constraints; it remembers for both."""
        reader = copy(self)
        held = {c.multiplier.name: c.multiplier for c in constraints if c.multiplier.name not in self.declared}
        reader.own = {**held, **self.own}
        return reader

    def read(self, given: object, where: str) -> sp.Expr:
        """The expression in the space's symbols; `where` names it in messages.

        Args:
            given: a SymPy expression, a number, or text such as ``"m/2*dot(x)^2"``.
            where: what it is called.

        Raises:
            WrongType: E718, something that is not an expression.
            TextError: E701 to E717, text that is not an expression of the language.
            InvalidValue: E706 an equation, E118 an acceleration, E720 a derivative by another symbol than t,
                E719 not a real scalar, E104 an unknown function, E135 nested too deeply.
        """
        try:
            expression, parts = walked(self._text(given, where) if isinstance(given, str) else given, where, self._fine)
        except WrongType as error:
            fact = f"{where} must be text or a SymPy expression, not {kind_of(given)}"
            raise WrongType(error.code, fact, 'write for example "m/2*dot(x)^2", or build it from symbols') from None
        kinds = {type(e) for e, _ in parts.values()}
        plain = all(issubclass(of, _PLAIN) and not issubclass(of, AppliedUndef) for of in kinds)
        if plain:
            free = {e for e, _ in parts.values() if e.is_Symbol and not self._known(e)}
        else:
            expression = self._moving(expression, where)
            free = expression.free_symbols
        order = sorted(free, key=lambda s: (getattr(s, "name", s) in self.formulas, str(getattr(s, "name", s))))
        names = {s: self._own(s, where) for s in order}
        strange = {s: own for s, own in names.items() if s != own}
        if strange:
            return expression.xreplace(strange)
        self._fine |= parts if plain else {}
        return expression

    def find(self, e: sp.Expr, text: str) -> TextStretch | None:
        """The part of a text that was read which is an expression but for a number."""
        from ..calculus.language.from_text import find

        return find(e, text, self._meanings, self.rates, self._parameters)

    @property
    def _parameters(self) -> dict[str, sp.Symbol]:
        """Those that text may hold; those that were met as symbols keep theirs."""
        return {**self.alone, **self.parameters}

    @property
    def _meanings(self) -> dict[str, sp.Expr]:
        """What the names in a text stand for."""
        return {**self.turned, **self._parameters, **self.own, **self.definitions}

    def _text(self, given: str, where: str) -> sp.Expr:
        """The expression that a text stands for; the language is loaded with the first."""
        from ..calculus.language.from_text import read_text
        from ..calculus.language.syntax_errors import UnknownText

        try:
            return read_text(given, self._meanings, self.rates, where=where, parameters=frozenset(self._parameters))
        except UnknownText as error:
            if error.code == "E702":
                name = given[error.column : error.column + error.length]
                if name.startswith("lam_"):
                    remedy = (
                        "multipliers come with a principle, and are states of its motions: "
                        "da.symmetry.conserved(da.vakonomic(system), ...). Forces alone may hold those of the system's "
                        "constraints. Friction mu |lam| that sticks: da.contact(gap=..., slip=[...], mu=..., sides=2)"
                    )
                    raise error.advised((remedy,)) from None
                every = self._unknown(given, where, name)
                error = error.advised(("or declare it in parameters: ", Option("parameters", dict.fromkeys(every))))
            raise error from None

    def _unknown(self, given: str, where: str, *names: str) -> tuple[str, ...]:
        """These names, and what else in the text is not known."""
        from ..calculus.language.from_text import read_text
        from ..calculus.language.syntax_errors import UnknownText

        known = {**self._meanings, **{name: sp.Symbol(name, real=True) for name in names}}
        try:
            read_text(given, known, self.rates, where=where, parameters=frozenset(self._parameters))
        except UnknownText as error:
            if error.code == "E702":
                return self._unknown(given, where, *names, given[error.column : error.column + error.length])
        except InvalidValue:
            pass  # what else is wrong is said when the names are known
        return names

    @property
    def alone(self) -> dict[str, sp.Symbol]:
        """The symbols of all declared names, as they are where no expression holds them."""
        names = self.declared - self.own.keys()
        return {name: self.assumed.get(name, sp.Symbol(name, real=True)) for name in names}

    @property
    def all_defined(self) -> dict[str, sp.Expr]:
        """What every name that is given by a formula stands for."""
        return {name: self.defined(name) for name in self.formulas}

    def defined(self, name: str) -> sp.Expr:
        """What a name stands for.

        Raises:
            InvalidValue: E210, it stands for itself.
        """
        if name in self._open:
            raise cycle((*self._open[self._open.index(name) :], name))
        before, self._open = self._open, (*self._open, name)
        try:
            with about("parameters", name):
                found = check_constant(name, self.read(self.formulas[name], f"the parameter {name}"), self.own)
        finally:
            self._open = before
        self.formulas[name] = found
        return found

    def _known(self, symbol: sp.Symbol) -> bool:
        """Is it the very symbol of the space, or one that was met as a parameter?"""
        return symbol is self.own.get(symbol.name) or symbol is self.parameters.get(symbol.name)

    def _own(self, symbol: sp.Symbol, where: str) -> sp.Expr:
        if symbol.name in self.formulas:
            return self.defined(symbol.name)
        if symbol.name in self.definitions:
            return self.definitions[symbol.name]
        if symbol.name in self.own:
            only_real(symbol, symbol.name, where)
            return self.own[symbol.name]
        if check_name(symbol.name, f"a symbol in {where}") != symbol.name:
            return self._own(sp.Symbol(check_name(symbol.name, where), **beyond_real(symbol)), where)
        known = self.parameters.setdefault(symbol.name, self.assumed.get(symbol.name, symbol))
        self.parameters[symbol.name] = joined(known, symbol)
        return known

    def _moving(self, expression: sp.Expr, where: str) -> sp.Expr:
        """x(t) -> x and Derivative(x(t), t) -> E^x_a u^a."""
        if not expression.has(AppliedUndef):
            return expression
        derivatives = expression.atoms(sp.Derivative)
        replacement: dict[sp.Basic, sp.Expr] = {d: self._rate(d, where) for d in derivatives}
        expression = expression.xreplace(replacement)
        return expression.xreplace({f: self.own[self._name(f, where)] for f in expression.atoms(AppliedUndef)})

    def _rate(self, derivative: sp.Derivative, where: str) -> sp.Expr:
        f = derivative.expr
        if derivative.derivative_count != 1 or not isinstance(f, AppliedUndef):
            raise InvalidValue(
                "E118",
                f"{where} contains {derivative}",
                "only positions, velocities and time may occur: no accelerations",
            )
        name = self._name(f, where)
        if derivative.variables[0] != f.args[0]:
            raise InvalidValue(
                "E720",
                f"{where} contains a derivative of {f} by {derivative.variables[0]}, which is not the t of {f}",
                "use one symbol t: with other assumptions it is another symbol, and the derivative is 0",
            )
        if name not in self.rates:
            raise InvalidValue(
                "E118", f"{where} contains {derivative}, the derivative of a velocity", "no accelerations"
            )
        return self.rates[name]

    def _name(self, function: AppliedUndef, where: str) -> str:
        name = str(function.func.__name__)
        only_real(function, name, where)
        if [getattr(a, "name", None) for a in function.args] != [TIME.name] or name not in self.own:
            raise UnknownName("E104", f"{function} in {where} is not a coordinate", did_you_mean(name, self.own))
        return name
