"""Expressions as the text of a file; those that are too long for one text are cut into definitions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sympy as sp
from sympy.printing.str import StrPrinter

from ...calculus.language import read_text, write_text
from ...errors import DalembertError, InvalidValue
from ...model.scalar import scalar

_PIECE, _BIG = 1500, 300  # characters of a definition; of what is worth one
_LARGEST_INTEGER = 2**53


def refused(fact: str, remedy: str = "") -> InvalidValue:
    """E512: a file cannot hold this."""
    return InvalidValue("E512", f"a system file cannot hold this: {fact}", remedy)


class Texts(StrPrinter):
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
        self._texts = Texts()

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
