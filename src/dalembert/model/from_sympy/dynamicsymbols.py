"""SymPy's functions of time: which are coordinates, what is given as text, and functions that are specified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ...calculus.frame import TIME
from ...calculus.symbols import only_real
from ...errors import InvalidValue, UnknownName, WrongType, as_given, kind_of


def clock() -> sp.Symbol:
    """SymPy's time."""
    from sympy.physics.mechanics import dynamicsymbols

    return dynamicsymbols._t


def listed(given: object, what: str) -> list[sp.Expr]:
    """Expressions in a list or a matrix; E718 for text or anything else in it."""
    if given is None:
        return []
    if isinstance(given, str | sp.Expr) or not isinstance(given, Sequence | sp.MatrixBase | sp.Tuple | set | frozenset):
        raise WrongType("E718", f"{what}: {as_given(given)} is not a list of expressions", f"{what}=[...]")
    found = list(given)
    for e in found:
        if not isinstance(e, sp.Expr):
            raise WrongType("E718", f"{what} holds {as_given(e)}, not an expression", "build it from dynamicsymbols")
    return found


def functions(given: object, what: str) -> list[AppliedUndef]:
    """Functions of SymPy's time, such as dynamicsymbols makes.

    Raises:
        WrongType: E101, something else.
        InvalidValue: E720, a function of another time: its derivative by SymPy's is 0.
    """
    found, t = listed(given, what), clock()
    for f in found:
        if not isinstance(f, AppliedUndef):
            raise WrongType(
                "E101", f"{what} holds {as_given(f)}, not a function of time", 'dynamicsymbols("x y theta")'
            )
        only_real(f, name(f), what)
        if f.args != (t,):
            raise InvalidValue(
                "E720",
                f"{f} is no function of SymPy's time: its derivative by {t} is 0",
                f'use dynamicsymbols("{f.func.__name__}"), or the symbol dynamicsymbols._t',
            )
    return found


def name(f: AppliedUndef) -> str:
    """The name of a function of time."""
    return str(f.func.__name__)


class Specified:
    """Functions of time that are given and are no coordinates, put in with their derivatives.

    Args:
        given: ``{f(t): expression}``.
    """

    def __init__(self, given: Mapping[Any, Any] | None) -> None:
        if not isinstance(given, Mapping | None):
            raise WrongType("E718", f"specified is a mapping, not {kind_of(given)}", "specified={f: sin(t)}")
        keys = functions(list(given or {}), "specified")
        values = listed(list((given or {}).values()), "specified")
        self.known, self.t = dict(zip(keys, values, strict=True)), clock()

    def put(self, e: sp.Expr) -> sp.Expr:
        """The expression with them put in, in this library's symbol of time."""
        if self.known:
            e = e.subs(self.known).doit()
        return e.xreplace({self.t: TIME}) if self.t.name != TIME.name else e

    def check(self, e: sp.Expr, known: Sequence[AppliedUndef], where: str) -> sp.Expr:
        """E104 for a function of time that is no coordinate, no speed and not specified."""
        from sympy.physics.mechanics import find_dynamicsymbols

        strange = {f for f in find_dynamicsymbols(e) if isinstance(f, AppliedUndef)} - set(known)
        strange |= {f for f in e.atoms(AppliedUndef) if f.args != (self.t,) and f not in known}
        if strange:
            f = min(strange, key=str)
            raise UnknownName(
                "E104",
                f"{f} in {where} is not a coordinate: SymPy takes it as a given function of time",
                f"make it a coordinate, or give it: specified={{{f}: expression in t}}",
            )
        return e


def named(rows: Sequence[Any], names: object, taken: Iterable[str] = ()) -> dict[str, Any]:
    """The constraints by name: those given, then c1, c2, ... by their place; E110 where two have one name."""
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) > len(rows):
        raise InvalidValue("E110", f"names are a list of at most {len(rows)}, not {as_given(names)}", 'names=["roll"]')
    if not all(isinstance(n, str) for n in names):
        raise InvalidValue("E110", f"names holds more than text: {as_given(names)}", 'names=["roll"]')
    found = [*names, *(f"c{i + 1}" for i in range(len(names), len(rows)))]
    others = list(taken)
    twice = next((n for i, n in enumerate(found) if n in [*found[:i], *others]), None)
    if twice is not None:
        raise InvalidValue(
            "E110", f"two constraints are called {as_given(twice)}", "name every one of them: names=[...]"
        )
    return dict(zip(found, rows, strict=True))
