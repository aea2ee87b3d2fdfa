"""Have two polynomials no factor in common? Told by their values at one place, where it can be.

    deg_v gcd(a, b) <= deg gcd(a(.., v, ..), b(.., v, ..))   in one variable v, the others numbers,

where the leading coefficient of a in v is not 0; so it is modulo a prime. If the right side is 0 for every variable
that both have, there is no common factor [geddes1992 7]. A common divisor of polynomials in many variables costs much
more, and mostly there is none.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import ZZ
from sympy.polys.galoistools import gf_gcd, gf_trunc
from sympy.polys.rings import PolyElement

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
