"""Expressions as polynomials in their symbols and in their atoms, with exact rational coefficients.

Atoms stand for what is not rational: sin(theta) and cos(theta) (with c^2 + s^2 = 1), roots, exponentials, numbers such
as pi. Whatever holds between polynomials holds between the expressions; an identity between atoms that the relations
do not know is not seen, so what is found to vanish does vanish, and what is not may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy import ZZ
from sympy.polys.domains import QQ
from sympy.polys.galoistools import gf_gcd, gf_trunc
from sympy.polys.orderings import lex
from sympy.polys.rings import PolyElement, PolyRing

from .budget import Effort, Exceeded
from .elementary_functions import OF_SYMPY

Poly = Any  # sympy.polys.rings.PolyElement
Fraction = Any  # sympy.polys.fields.FracElement
MOST_ATOMS = 24
LARGEST = 150  # terms of a fraction; a common divisor of longer ones may take very long
FACTORING = 20  # times the work of a division: about what a term costs in either, measured
_PAIRS = {sp.sin: (sp.sin, sp.cos), sp.cos: (sp.sin, sp.cos), sp.sinh: (sp.sinh, sp.cosh), sp.cosh: (sp.sinh, sp.cosh)}
_RATIOS = {
    sp.tan: lambda x: sp.sin(x) / sp.cos(x),
    sp.cot: lambda x: sp.cos(x) / sp.sin(x),
    sp.sec: lambda x: 1 / sp.cos(x),
    sp.csc: lambda x: 1 / sp.sin(x),
    sp.tanh: lambda x: sp.sinh(x) / sp.cosh(x),
}
_SMOOTH = tuple(symbol for symbol, row in OF_SYMPY.items() if row.arity == 1 and not row.flat)  # those left as they are


class NotPolynomial(Exception):
    """An expression that jumps, or needs too many atoms."""


@dataclass(frozen=True)
class Atoms:
    """The atoms met while reading: symbols that stand for expressions, and what is known of them.

    Attributes:
        meaning: what each symbol stands for.
        relations: expressions in symbols that vanish, such as s^2 + c^2 - 1.
        positive: symbols that are greater than 0.
        signed: symbols that are at least 0.
    """

    meaning: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    relations: list[sp.Expr] = field(default_factory=list)
    positive: set[sp.Symbol] = field(default_factory=set)
    signed: set[sp.Symbol] = field(default_factory=set)
    _known: dict[sp.Expr, sp.Expr] = field(default_factory=dict)

    def read(self, expression: sp.Expr) -> sp.Expr:
        """The expression as a rational function of symbols, atoms included.

        Raises:
            NotPolynomial: see there.
        """
        if expression not in self._known:
            self._known[expression] = self._read(expression)
        return self._known[expression]

    def _read(self, e: sp.Expr) -> sp.Expr:
        if e.is_Symbol or e.is_Rational:
            return e
        if e.is_Float:
            return sp.nsimplify(e, rational=True)
        if e.is_Add or e.is_Mul:
            return e.func(*(self.read(a) for a in e.args))
        if e.is_Pow:
            return self._power(*e.as_base_exp())
        if type(e) in _RATIOS:
            return self.read(_RATIOS[type(e)](e.args[0]))
        if type(e) in _PAIRS:
            return self._pair(e)
        if isinstance(e, sp.exp):
            return self._exponential(e.args[0])
        if isinstance(e, sp.NumberSymbol):
            return self._atom(e, positive=True)
        if isinstance(e, sp.Abs):
            return self._root(self.read(e.args[0] ** 2), e.args[0] ** 2, 2)
        if isinstance(e, _SMOOTH):
            return self._atom(e)
        raise NotPolynomial(str(type(e).__name__))

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
        if base is sp.E:
            return self._exponential(exponent)
        if exponent.is_Integer:
            return self.read(base) ** exponent
        if exponent.is_Rational:
            return self._root(self.read(base), base, exponent.q) ** exponent.p
        return self._atom(base**exponent, positive=True)

    def _root(self, rational: sp.Expr, base: sp.Expr, q: int) -> sp.Expr:
        """base^(1/q) as an atom A with A^q = base; of a quotient n/d as (n d^(q-1))^(1/q)/d."""
        above, below = sp.fraction(sp.cancel(rational))
        if below != 1:
            n, d = sp.fraction(sp.together(base))
            return self._root(self.read(sp.expand(n * d ** (q - 1))), sp.expand(n * d ** (q - 1)), q) / below
        atom = self._atom(sp.Pow(base, sp.Rational(1, q)))
        self.signed.add(atom)
        relation = atom**q - sp.expand(above)
        if relation not in self.relations:
            self.relations.append(relation)
        return atom

    def _pair(self, e: sp.Expr) -> sp.Expr:
        spread = sp.expand_trig(e.func(sp.expand(e.args[0])))
        if spread.func is not e.func or spread.args != e.args:
            return self.read(spread)
        odd, even = (self._atom(f(e.args[0])) for f in _PAIRS[type(e)])
        hyperbolic = type(e) in (sp.sinh, sp.cosh)
        relation = odd**2 - even**2 + 1 if hyperbolic else odd**2 + even**2 - 1
        if relation not in self.relations:
            self.relations.append(relation)
        return odd if type(e) is _PAIRS[type(e)][0] else even

    def _exponential(self, exponent: sp.Expr) -> sp.Expr:
        product = sp.Integer(1)
        for term in sp.Add.make_args(sp.expand(exponent)):
            factor, rest = term.as_coeff_Mul()
            whole = int(factor) if factor.is_Rational and factor.q == 1 else 1
            product *= self._atom(sp.exp(rest if whole == factor else term), positive=True) ** whole
        return product

    def _atom(self, meaning: sp.Expr, positive: bool = False) -> sp.Symbol:
        symbol = sp.Symbol(f"atom:{meaning}", real=True)
        if symbol not in self.meaning and len(self.meaning) >= MOST_ATOMS:
            raise NotPolynomial(f"more than {MOST_ATOMS} functions")
        self.meaning[symbol] = meaning
        if positive:
            self.positive.add(symbol)
        return symbol


class Polynomials:
    """The ring of polynomials in given symbols and in atoms.

    Args:
        atoms: filled by reading every expression that will occur.
        ranked: all symbols that are not atoms; main variables are chosen from the front.
        relations: further expressions that vanish identically (lengths of quaternions).
        effort: how many terms may be worked through, until it stops with `Exceeded`.
    """

    def __init__(
        self,
        atoms: Atoms,
        ranked: Sequence[sp.Symbol],
        relations: Sequence[sp.Expr] = (),
        effort: Effort | None = None,
    ) -> None:
        self.atoms, self.effort = atoms, effort or Effort()
        order = sorted(atoms.meaning, key=_kind)
        self.symbols = (*ranked, *order)
        # roots stand before sines, sines before cosines: relations then reduce by their leading terms
        self.ring = PolyRing((*order, *ranked), QQ, lex)
        self.field = self.ring.to_field()
        self.place = {s: i for i, s in enumerate(self.ring.symbols)}
        self.relations = [self.fraction_of(r).numer for r in (*atoms.relations, *map(atoms.read, relations))]
        positive = {s for s in ranked if s.is_positive} | atoms.positive
        self.sure = [s in positive for s in self.ring.symbols]
        self._factored: dict[Poly, list[Poly]] = {}
        self._cosines = [self.place[s] for s, e in atoms.meaning.items() if isinstance(e, sp.cos)]
        self.even = [s in positive or s in atoms.signed or bool(s.is_nonnegative) for s in self.ring.symbols]

    def read(self, expression: sp.Expr) -> Fraction:
        """The expression as a fraction of reduced polynomials."""
        return self.reduced(self.fraction_of(self.atoms.read(expression)))

    def fraction_of(self, rational: sp.Expr) -> Fraction:
        """A rational function of the symbols as an element of the field."""
        if rational.is_Symbol:
            return self.field.gens[self.place[rational]]
        if rational.is_Rational:
            return self.field(QQ(int(rational.p), int(rational.q)))
        parts = [self.fraction_of(a) for a in rational.args[:1]] if rational.is_Pow else None
        if parts is not None:
            return parts[0] ** int(rational.exp)
        total = self.field.zero if rational.is_Add else self.field.one
        for a in rational.args:
            total = total + self.fraction_of(a) if rational.is_Add else total * self.fraction_of(a)
        return total

    def remainder(self, p: Poly) -> Poly:
        """The polynomial with the relations used up."""
        return p.rem(self.relations) if self.relations and p else p

    def reduced(self, f: Fraction) -> Fraction:
        """The fraction with the relations used up above and below.

        Raises:
            Exceeded: it is too long, or the work allowed is done.
        """
        self.check(len(f.numer) + len(f.denom), LARGEST)
        if not self.relations:
            return f
        numer, denom = self.remainder(f.numer), self.remainder(f.denom)
        return self.field(numer) / self.field(denom)

    def expression(self, p: Poly | Fraction) -> sp.Expr:
        """In the user's symbols and functions."""
        return p.as_expr().xreplace(self.atoms.meaning)

    def times(self, a: Fraction, b: Fraction) -> Fraction:
        """a b, if it does not get too long on the way (Exceeded)."""
        self.check(max(len(a.numer) * len(b.numer), len(a.denom) * len(b.denom)), 20 * LARGEST)
        return a * b

    def check(self, terms: int, most: int) -> None:
        """Count work on an expression; stop where it is too long or where all work allowed is done."""
        if terms > most:
            raise Exceeded
        self.effort.spend(1 + terms)

    # --- signs ---------------------------------------------------------------------------------------------------

    def never_zero(self, p: Poly, between: bool = True) -> bool:
        """Is it plain that p has no real zero?

        Even terms of one sign, one of them of positive symbols only; or, with `between`, p = a + b cos^2 x with a and
        a + b like that.
        """
        if self._sign(p) != 0:
            return True
        return between and any(self._between(p, c) for c in self._cosines if self.degree(p, c) == 2)

    def _sign(self, p: Poly) -> int:
        """The sign of p, where it is plain that it has one; else 0."""
        plain = self._even_terms(p) and any(self._certain(m) for m in p.itermonoms())
        return (1 if p.LC > 0 else -1) if plain else 0

    def _between(self, p: Poly, place: int) -> bool:
        """Is p linear in cos^2, with the same sign at 0 and at 1?"""
        if self.coefficient(p, place, 1):
            return False
        first = self.coefficient(p, place, 0)
        return self._sign(first) * self._sign(first + self.coefficient(p, place, 2)) > 0

    def squares(self, p: Poly) -> list[Poly] | None:
        """The parts that must all vanish where p does, if p is a sum of more than one even term of one sign."""
        if len(p) < 2 or not self._even_terms(p):
            return None
        return [self._product(m) for m in p.itermonoms()]

    def _even_terms(self, p: Poly) -> bool:
        signs = {c > 0 for _, c in p.iterterms()}
        return len(signs) == 1 and all(
            even or not n % 2 for m in p.itermonoms() for even, n in zip(self.even, m, strict=True)
        )

    def _certain(self, monomial: Iterable[int]) -> bool:
        return all(sure or not n for sure, n in zip(self.sure, monomial, strict=True))

    def _product(self, monomial: Iterable[int]) -> Poly:
        product = self.ring.one
        for gen, sure, n in zip(self.ring.gens, self.sure, monomial, strict=True):
            if n and not sure:
                product *= gen
        return product

    def factors(self, p: Poly) -> list[Poly]:
        """The irreducible factors that may vanish, each once."""
        if p not in self._factored:
            self.effort.spend(FACTORING * len(p))
            self._factored[p] = [f for f in self._irreducible(p) if not self.never_zero(f)]
        return list(self._factored[p])

    def _irreducible(self, p: Poly) -> list[Poly]:
        """Factors over the symbols that occur, which is much faster than over all of them."""
        present = [i for i in range(len(self.ring.gens)) if self.degree(p, i)]
        if not present:
            return []
        small = PolyRing(tuple(self.ring.symbols[i] for i in present), QQ, lex)
        found = small.from_dict({tuple(m[i] for i in present): c for m, c in p.iterterms()}).factor_list()[1]
        return [self._enlarged(f, present) for f, _ in found]

    def _enlarged(self, f: Poly, present: Sequence[int]) -> Poly:
        terms = {}
        for m, c in f.iterterms():
            full = [0] * len(self.ring.gens)
            for i, n in zip(present, m, strict=True):
                full[i] = n
            terms[tuple(full)] = c
        return self.ring.from_dict(terms)

    # --- derivatives and division ----------------------------------------------------------------------------------

    def moving(self, rates: Mapping[sp.Symbol, Fraction]) -> dict[int, Fraction]:
        """Rates of all generators, atoms included, by place, from the rates of the symbols."""
        found = {self.place[s]: rate for s, rate in rates.items() if rate}
        for atom, meaning in self.atoms.meaning.items():
            total = self.field.zero
            for s in sorted(meaning.free_symbols & set(rates), key=str):
                # d/dt f(s) = df/ds sdot
                total += self.read(meaning.diff(s)) * rates[s]
            if total:
                found[self.place[atom]] = self.reduced(total)
        return found

    def degree(self, p: Poly, place: int) -> int:
        """Degree in the generator at that place."""
        return max((m[place] for m in p.itermonoms()), default=0)

    def coefficient(self, p: Poly, place: int, n: int) -> Poly:
        """Coefficient of the generator's n-th power."""
        found = {(*m[:place], 0, *m[place + 1 :]): c for m, c in p.iterterms() if m[place] == n}
        return self.ring.from_dict(found)

    def pseudo_remainder(self, p: Poly, g: Poly, place: int) -> Poly:
        """p reduced by g in one variable: h^n p - (...) g, h being the leading coefficient of g."""
        d = self.degree(g, place)
        h, x = self.coefficient(g, place, d), self.ring.gens[place]
        while p and (n := self.degree(p, place)) >= d:
            top = self.coefficient(p, place, n)
            common = h.gcd(top)
            p = p * h.quo(common) - g * top.quo(common) * x ** (n - d)
        return p


def closure(atoms: Atoms, moving: set[sp.Symbol]) -> None:
    """Read the derivatives of all atoms by the moving symbols, and those of the atoms they bring."""
    seen: set[sp.Symbol] = set()
    while new := set(atoms.meaning) - seen:
        for atom in sorted(new, key=str):
            meaning = atoms.meaning[atom]
            for s in sorted(meaning.free_symbols & moving, key=str):
                atoms.read(meaning.diff(s))
        seen |= new


def _kind(atom: sp.Symbol) -> tuple[int, str]:
    name = atom.name.removeprefix("atom:")
    rank = 3 if name.startswith(("cos(", "cosh(")) else 2 if name.startswith(("sin(", "sinh(")) else 1
    return rank, name


# --- common factors ---------------------------------------------------------------------------------------------------

# Whether two polynomials have none is told by their values at one place, where it can be:
#
#     deg_v gcd(a, b) <= deg gcd(a(.., v, ..), b(.., v, ..))   in one variable v, the others numbers,
#
# where the leading coefficient of a in v is not 0; so it is modulo a prime. If the right side is 0 for every variable
# that both have, there is no common factor [geddes1992 7]. A common divisor of polynomials in many variables costs much
# more, and mostly there is none.

_PRIME = 2_147_483_647
_PLACE = 48_271  # powers of it, a primitive root of the prime, are where the variables are looked at


def coprime(a: PolyElement, b: PolyElement) -> bool:
    """Is it certain that nothing but products of variables divides both? Polynomials of one ring, not 0."""
    a, b = (_without_product(p) for p in (a, b))
    shared = set(_used(a)) & set(_used(b))
    try:
        return all(_degree(a, b, v) == 0 for v in sorted(shared))
    except ZeroDivisionError:  # a denominator is a multiple of the prime
        return False


def _without_product(p: PolyElement) -> PolyElement:
    """The polynomial over the product of variables that divides it."""
    common = tuple(map(min, zip(*p.monoms(), strict=True)))
    return p.ring.from_dict({tuple(e - c for e, c in zip(m, common, strict=True)): value for m, value in p.items()})


def _used(p: PolyElement) -> Iterator[int]:
    return (k for k, exponents in enumerate(zip(*p.monoms(), strict=True)) if any(exponents))


def _degree(a: PolyElement, b: PolyElement, v: int) -> int:
    """A bound of the degree in variable v of what divides both; -1 where the place says nothing."""
    images = [_image(p, v) for p in (a, b)]
    if not images[0][0]:
        return -1
    return len(gf_gcd(*(gf_trunc(image, _PRIME) for image in images), _PRIME, ZZ)) - 1


def _image(p: PolyElement, v: int) -> list[int]:
    """Coefficients by falling powers of v, the other variables at their places, modulo the prime."""
    found = [0] * (1 + max(m[v] for m in p.monoms()))
    for m, c in p.items():
        value = int(c.numerator) * _inverse(int(c.denominator))
        for k, e in enumerate(m):
            if e and k != v:
                value = value * pow(_PLACE, (k + 2) * e, _PRIME) % _PRIME
        found[-1 - m[v]] = (found[-1 - m[v]] + value) % _PRIME
    return found


def _inverse(n: int) -> int:
    if n % _PRIME == 0:
        raise ZeroDivisionError
    return pow(n, -1, _PRIME)
