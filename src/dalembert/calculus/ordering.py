"""The order in which a person writes: second derivatives first, then by degree, and a sum begins with a plus.

Of a product: the number, masses, other parameters, sums, what moves, functions. Text and LaTeX share it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import sympy as sp

from .alphabet import ACCELERATION, POSITION, PUSH, VELOCITY, Alphabet

_MASSES = ("m", "M")
_MOVING = (ACCELERATION, VELOCITY, PUSH, POSITION)


class Order:
    """The order of terms and factors where symbols have the ranks of an alphabet.

    Args:
        names: the alphabet.
        text: the plain text of an expression, by which those are ordered that are alike otherwise.
    """

    def __init__(self, names: Mapping[str, str], text: Callable[[sp.Expr], str]) -> None:
        self.text = text
        self.names = names if isinstance(names, Alphabet) else Alphabet(names)

    # --- sums ----------------------------------------------------------------------------------------------------

    def terms(self, e: sp.Expr) -> list[sp.Expr]:
        """The terms of a sum; one with a plus comes first if there is one of the same order of derivatives."""
        found = sorted(sp.Add.make_args(e), key=self._term)
        top = self.degrees(found[0])[0]
        first = next((t for t in found if not negative(t) and self.degrees(t)[0] == top), found[0])
        return [first, *(t for t in found if t is not first)]

    def _term(self, term: sp.Expr) -> tuple[object, ...]:
        *degrees, place = self.degrees(term)
        sign = negative(term) and not any(degrees)
        return (*(-d for d in degrees), place, sign, _Late(term, self.text))

    def degrees(self, term: sp.Expr) -> tuple[float, ...]:
        """Degrees in what moves, accelerations first, and the place of the first of it."""
        degrees = dict.fromkeys(_MOVING, 0.0)
        place = len(self.names.places) + 1
        for factor in sp.Mul.make_args(term):
            base, power = factor.as_base_exp()
            if base.is_Symbol and power.is_number:
                rank = self.names.rank(base.name)
                if rank in degrees:
                    degrees[rank] += float(power)
                    place = min(place, self.names.place(base.name)) if rank != POSITION else place
            elif base.is_Add and power.is_Integer and power.is_positive:
                inside = [self.degrees(t) for t in base.args]
                for k, rank in enumerate(degrees):
                    degrees[rank] += float(power) * max(d[k] for d in inside)
                place = min(place, *(int(d[-1]) for d in inside))
        return (*degrees.values(), place)

    # --- products ------------------------------------------------------------------------------------------------

    def factors(self, factors: list[sp.Expr]) -> list[sp.Expr]:
        """Factors of a product without its number."""
        return sorted(factors, key=self._factor)

    def _factor(self, factor: sp.Expr) -> tuple[object, ...]:
        base, _ = factor.as_base_exp()
        if base.is_number:
            return (0, _Late(factor, self.text))
        if base.is_Symbol:
            rank = self.names.rank(base.name)
            group = 1 if not rank else 5 if rank == ACCELERATION else 3
            place = self.names.place(base.name)
            return (group, rank, base.name not in _MASSES, place, base.name.lower(), _Late(factor, self.text))
        if base.is_Function:
            places = [self.names.place(s.name) for s in base.free_symbols]
            return (6, min(places, default=0), base.func is not sp.sin, _Late(factor, self.text))
        return (4 if self.moves(base) else 2, _Late(factor, self.text))

    def moves(self, e: sp.Expr) -> bool:
        """Does anything in it move?"""
        return any(self.names.rank(s.name) for s in e.free_symbols)


class _Late:
    """Shorter ones first, then by their text, which is made where nothing else decides."""

    def __init__(self, e: sp.Expr, text: Callable[[sp.Expr], str]) -> None:
        self.e, self.text = e, text

    @cached_property
    def key(self) -> tuple[int, str]:
        """The length of the text, and the text."""
        text = self.text(self.e)
        return len(text), text

    def __lt__(self, other: _Late) -> bool:
        return self.key < other.key


class Product:
    """A product as it is written: a sign, numerator and denominator, what stands behind the fraction."""

    def __init__(self, e: sp.Expr, order: Order) -> None:
        number, rest = e.as_coeff_Mul()
        above: list[sp.Expr] = []
        under: list[sp.Expr] = []
        for factor in sp.Mul.make_args(rest):
            base, power = factor.as_base_exp()
            if base.is_Add and power in (1, -1):
                # the content of a sum, and a minus that all of its terms have
                content, base = base.primitive()
                flip = all(map(negative, base.args))
                number, base = number * content**power * (-1 if flip else 1), -base if flip else base
                factor = base**power
            if power.is_Rational and power.is_negative:
                under.append(base**-power)
            elif factor != 1:
                above.append(factor)
        self.minus = bool(number.is_extended_negative)
        number = -number if self.minus else number
        at = next((k for k, f in enumerate(above) if f.is_Add and any(map(negative, f.args))), None)
        if self.minus and at is not None and len(above) + len(under) > 1:
            self.minus, above[at] = False, -above[at]
        self.number: object
        self.below: int
        self.number, self.below = (number.p, number.q) if number.is_Rational else (number, 1)
        self.above, self.under = order.factors(above), order.factors(under)
        self._order = order

    @cached_property
    def split(self) -> tuple[list[sp.Expr], list[sp.Expr]]:
        """What stands above the line, and what behind the fraction: all that moves, where nothing below does."""
        still = [f for f in self.above if not self._order.moves(f)]
        if self.below != 1 and self.number != 1 and not self.under:
            return [], self.above  # 2/7 I, not 2 I/7
        fraction = bool(self.under) or self.below != 1
        if not fraction or any(self._order.moves(f) for f in self.under) or not (still or self.number != 1):
            return self.above, []
        return still, [f for f in self.above if f not in still]


def negative(e: sp.Expr) -> bool:
    """Does it begin with a minus?"""
    return bool(e.as_coeff_Mul()[0].is_extended_negative)
