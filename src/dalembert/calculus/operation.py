"""What is known of one operation of the expression graph: a row of the table in `elementary`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import sympy as sp

if TYPE_CHECKING:
    from .store import Node

Value = Callable[..., Any]
Partials = Callable[..., "tuple[Node | float, ...]"]
Symbol = Callable[..., sp.Basic]


@dataclass(frozen=True)
class Domain:
    """Where a function is real: its first argument lies between two numbers. At `poles` among these it is infinite."""

    low: float = -math.inf
    high: float = math.inf
    poles: tuple[float, ...] = ()

    def holds(self, x: float) -> bool:
        """Is the function real and finite there?"""
        return self.low <= x <= self.high and x not in self.poles

    @property
    def bounded(self) -> bool:
        """Is there a real number at which the function is not real?"""
        return self.low > -math.inf or self.high < math.inf

    def __str__(self) -> str:
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"between {self.low:g} and {self.high:g}"
        if math.isfinite(self.high):
            return f"{'<' if self.high in self.poles else '<='} {self.high:g}"
        return f"{'>' if self.low in self.poles else '>='} {self.low:g}"


EVERYWHERE = Domain()


@dataclass(frozen=True)
class Machine:
    """How a processor computes it, in names that `numerics.machine` knows.

    Attributes:
        kind: one ``instruction`` or ``comparison``; an ``intrinsic`` of the compiler, for all lanes; a function of
            the C library (``libm``) or of SciPy (``special``), called for each lane; or one of those written there.
        name: of the instruction or function.
    """

    kind: Literal["instruction", "comparison", "intrinsic", "libm", "special", "sine", "cosine", "sign", "select"]
    name: str = ""


@dataclass(frozen=True)
class Spelling:
    """How a programming language writes it.

    Attributes:
        call: the function that is called; "" for an operator.
        source: the text of that function where the language's own library lacks it.
        pattern: instead of a call, a text in which {0}, {1}, ... are the arguments.
        raises: in Python: does it raise ValueError where it is not real?
    """

    call: str = ""
    source: str = ""
    pattern: str = ""
    raises: bool = False


SIGN = Spelling()  # an operator


@dataclass(frozen=True)
class Elementary:
    """One operation.

    Attributes:
        name: in the graph, and in the language of texts if it is `spoken`.
        arity: how many arguments it takes.
        value: of NumPy arrays.
        partials: ``partials(y, *args)``, the derivative by each argument as an expression, y being its own node.
        plain: the same as `value` for plain numbers, ValueError where it is not real; None where `value` serves.
        symbol: SymPy's class or function.
        spoken: may texts call it?
        synonyms: what it is called elsewhere, for hints.
        domain: where it is real, of its first argument that is not `fixed`; None for everywhere.
        takes: what its arguments are: ``numbers``, quantities ``alike`` in dimension, or ``anything``.
        gives: the dimension of its value: a ``number``, the ``same`` as its arguments', or ``unknown``.
        machine: how machine code computes it.
        c, python, javascript: how programs write it.
        casadi: what CasADi calls it; "" where it has no such function, or Python's operator does.
        jax: its place in JAX.
        flat: is it constant between jumps?
        commutative: is the order of its arguments of no importance? Then texts may hand it any number of them.
        fixed: for a family of functions: how many of its first arguments are numbers that say which one it is.
        ordered: for a family whose first argument is a whole number, the order: texts may also call the first few by
            these names.
    """

    name: str
    arity: int
    value: Value
    partials: Partials
    machine: Machine
    plain: Value | None = None
    symbol: Symbol | None = None
    spoken: bool = False
    synonyms: tuple[str, ...] = ()
    domain: Domain | None = None
    takes: Literal["numbers", "alike", "anything"] = "numbers"
    gives: Literal["number", "same", "unknown"] = "number"
    c: Spelling = SIGN
    python: Spelling = SIGN
    javascript: Spelling = SIGN
    casadi: str = ""
    jax: str = ""
    flat: bool = False
    commutative: bool = False
    fixed: int = 0
    ordered: tuple[str, ...] = ()

    @property
    def scalar(self) -> Value:
        """Its value at plain numbers."""
        return self.plain or self.value


def arguments(e: sp.Basic) -> tuple[sp.Basic, ...]:
    """What a SymPy node is a function of; SymPy keeps the parameters of F(a, b; c; x) in tuples of their own."""
    if isinstance(e, sp.hyper) and (len(e.ap), len(e.bq)) == (2, 1):
        return (*e.ap, *e.bq, e.argument)
    found: tuple[sp.Basic, ...] = e.args
    return found


def hypergeometric(a: sp.Expr, b: sp.Expr, c: sp.Expr, x: sp.Expr) -> sp.Expr:
    """F(a, b; c; x); a power of 1 - x where SymPy cancels a parameter above with that below, but at a pole."""
    if c in (a, b) and c.is_integer and c.is_nonpositive:
        return sp.nan
    found = sp.hyper((a, b), (c,), x)
    return found if len(found.ap) == 2 else (1 - x) ** -found.ap[0]


def whole_order(order: float) -> int | None:
    """The order of a function of a family as an integer; None if it is no whole number from 0 to `HIGHEST_ORDER`."""
    return int(order) if 0 <= order <= HIGHEST_ORDER and order == int(order) else None


HIGHEST_ORDER = 64
AS_A_STATE = (
    "write a polynomial out; a function F(x) that solves F'' = a F' + b F is a state: coordinates F, G without mass, "
    "with dot(F) - G*dot(x) = 0 and dot(G) - (a*G + b*F)*dot(x) = 0 as constraints"
)
