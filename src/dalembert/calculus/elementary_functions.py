"""The functions of the expression graph: one table. All that the library knows of a function stands in its row.

A row says how NumPy computes the operation, what its partial derivatives are as expressions of the same graph, where it
is real, which dimensions it takes, and what it is in texts, SymPy, machine code, C, Python and JavaScript
(`Elementary` explains the columns). All other tables follow from this one: a new function is a new row.
Comparisons yield 1.0 or 0.0; ``select(c, a, b)`` is a where c is not 0, else b.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import sympy as sp

from . import function_sources

if TYPE_CHECKING:
    from .node_store import Node


# --- the columns of the table -----------------------------------------------------------------------------------------

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
class Native:
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
    machine: Native
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


# --- values and derivatives of single functions -----------------------------------------------------------------------


def _call(name: str, a: Node, *more: Node | float) -> Node:
    return a.graph.apply(name, a, *more)


def _flat(y: Node, *args: Node) -> tuple[Node, ...]:
    """A piecewise constant function: every partial derivative is 0."""
    return tuple(0 * a for a in args)


def _power_partials(y: Node, a: Node, b: Node) -> tuple[Node, Node]:
    # d(a^b) = b a^(b-1) da + a^b log(a) db ; the second term is left out where b is a number
    return b * _call("pow", a, b - 1), (0 * b if b.is_constant else y * _call("log", a))


def _bessel_partials(y: Node, n: Node, a: Node) -> tuple[Node, Node]:
    # J_0' = -J_1 ,  J_n' = (J_(n-1) - J_(n+1))/2 : regular at 0, unlike J_(n-1) - n J_n/a
    above = _call("besselj", n + 1, a)
    return 0 * n, -above if n.is_zero else (_call("besselj", n - 1, a) - above) / 2


def _hypergeometric(a: Node | float, b: Node | float, c: Node | float, x: Node) -> Node:
    return x.graph.apply("hyp2f1", a, b, c, x)


def _hypergeometric_partials(y: Node, a: Node, b: Node, c: Node, x: Node) -> tuple[Node, Node, Node, Node]:
    # F(a, b; c; x)' = a b/c F(a + 1, b + 1; c + 1; x)
    return 0 * a, 0 * b, 0 * c, a * b / c * _hypergeometric(a + 1, b + 1, c + 1, x)


def _select(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.asarray(c) != 0, a, b)


def _compare(relation: Value) -> Value:
    return lambda a, b: np.where(relation(a, b), 1.0, 0.0)


def _scipy(name: str) -> Value:
    """A function of `scipy.special`, which takes long to import."""

    def value(*args: np.ndarray) -> np.ndarray:
        from scipy import special

        found: np.ndarray = getattr(special, name)(*args)
        return found

    return value


def _hypergeometric_at(a: float, b: float, c: float, x: float) -> float:
    if x >= 1:
        raise ValueError
    if c <= 0 and c == int(c):
        raise ZeroDivisionError
    return float(_scipy("hyp2f1")(a, b, c, x))


def _bessel_at(n: float, x: float) -> float:
    if whole_order(n) is None:
        raise ValueError
    return float(_scipy("jv")(n, x))


def _function(name: str, symbol: Symbol, value: Value, slope: Value, **more: Any) -> Elementary:
    """A function of one number that is called the same everywhere; `slope(y, a)` is its derivative."""
    usual: dict[str, Any] = {"machine": Native("libm", name), "c": Spelling(name), "python": Spelling(f"math.{name}")}
    usual |= {"javascript": Spelling(f"Math.{name}"), "plain": getattr(math, name, None), "spoken": True}
    usual |= {"casadi": name, "jax": f"numpy.{name}"}
    return Elementary(name, 1, value, lambda y, a: (slope(y, a),), symbol=symbol, **{**usual, **more})


def _elliptic(name: str, symbol: Symbol, scipy: str, domain: Domain, slope: Value) -> Elementary:
    """A complete elliptic integral of the parameter m = k^2."""

    def plain(m: float) -> float:
        if not domain.holds(m):
            raise ValueError
        return float(_scipy(scipy)(m))

    c, python, javascript = (
        Spelling(name, function_sources.elliptic(name, kind)) for kind in ("c", "python", "javascript")
    )
    return _function(
        name, symbol, _scipy(scipy), lambda y, m: slope(m), synonyms=(scipy,), domain=domain, plain=plain,
        machine=Native("special", scipy), c=c, python=python, javascript=javascript, casadi="", jax="",
    )  # fmt: skip


def _operator(name: str, value: Value, plain: Value, instruction: str, partials: Value, **more: Any) -> Elementary:
    """Arithmetic, for which every language has a sign."""
    arity = 1 if name == "neg" else 2
    return Elementary(name, arity, value, partials, Native("instruction", instruction), plain, **more)


def _comparison(name: str, symbol: Symbol, value: Value, instruction: str, sign: str, **more: Any) -> Elementary:
    c, python = f"({{0}} {sign} {{1}} ? 1.0 : 0.0)", f"(1.0 if {{0}} {sign} {{1}} else 0.0)"
    spelt: dict[str, Any] = {"c": Spelling(pattern=c), "python": Spelling(pattern=python), "flat": True}
    spelt |= {"javascript": spelt["c"], "casadi": name, "jax": f"numpy.{value.__name__}"}
    return Elementary(
        name, 2, _compare(value), _flat, Native("comparison", instruction), symbol=symbol, **spelt, **more
    )


def _raising(name: str) -> Spelling:
    return Spelling(f"math.{name}", raises=True)


_UNIT, _POSITIVE, _BELOW_1 = Domain(-1, 1), Domain(0, poles=(0,)), Domain(high=1, poles=(1,))
_SAME: dict[str, Any] = {"takes": "anything", "gives": "same"}
_ALIKE: dict[str, Any] = {"takes": "alike", "gives": "same"}

_ROWS = (
    _operator("+", np.add, operator.add, "fadd", lambda y, a, b: (1, 1), commutative=True),
    _operator("-", np.subtract, operator.sub, "fsub", lambda y, a, b: (1, -1)),
    _operator("*", np.multiply, operator.mul, "fmul", lambda y, a, b: (b, a), commutative=True),
    _operator("/", np.divide, operator.truediv, "fdiv", lambda y, a, b: (1 / b, -y / b)),
    _operator("neg", np.negative, operator.neg, "fneg", lambda y, a: (-1,)),
    _function(
        "sqrt", sp.sqrt, np.sqrt, lambda y, a: 1 / (2 * y),
        domain=Domain(0), machine=Native("intrinsic", "sqrt"), python=_raising("sqrt"),
    ),
    _function(
        "exp", sp.exp, np.exp, lambda y, a: y,
        machine=Native("intrinsic", "exp"), python=Spelling("exp", function_sources.EXP),
    ),
    _function(
        "log", sp.log, np.log, lambda y, a: 1 / a, synonyms=("ln",), domain=_POSITIVE,
        takes="anything", gives="unknown", machine=Native("intrinsic", "log"), python=_raising("log"),
    ),
    Elementary(
        "pow", 2, np.power, _power_partials, Native("intrinsic", "pow"), math.pow, domain=Domain(0),
        c=Spelling("pow"), python=Spelling("power", function_sources.POWER), javascript=Spelling("Math.pow"),
        casadi="power", jax="numpy.power",
    ),
    _function(
        "sin", sp.sin, np.sin, lambda y, a: _call("cos", a), machine=Native("sine"), python=_raising("sin"),
    ),
    _function(
        "cos", sp.cos, np.cos, lambda y, a: -_call("sin", a), machine=Native("cosine"), python=_raising("cos"),
    ),
    _function("tan", sp.tan, np.tan, lambda y, a: 1 + y * y, synonyms=("tg",), python=_raising("tan")),
    _function(
        "asin", sp.asin, np.arcsin, lambda y, a: 1 / _call("sqrt", 1 - a * a),
        synonyms=("arcsin",), domain=_UNIT, python=_raising("asin"),
    ),
    _function(
        "acos", sp.acos, np.arccos, lambda y, a: -1 / _call("sqrt", 1 - a * a),
        synonyms=("arccos",), domain=_UNIT, python=_raising("acos"),
    ),
    _function("atan", sp.atan, np.arctan, lambda y, a: 1 / (1 + a * a), synonyms=("arctan",)),
    Elementary(
        "atan2", 2, np.arctan2, lambda y, a, b: (b / (a * a + b * b), -a / (a * a + b * b)),
        Native("libm", "atan2"), math.atan2, sp.atan2, spoken=True, synonyms=("arctan2",), takes="alike",
        c=Spelling("atan2"), python=Spelling("math.atan2"), javascript=Spelling("Math.atan2"),
        casadi="atan2", jax="numpy.atan2",
    ),
    _function("sinh", sp.sinh, np.sinh, lambda y, a: _call("cosh", a), python=Spelling("sinh", function_sources.SINH)),
    _function("cosh", sp.cosh, np.cosh, lambda y, a: _call("sinh", a), python=Spelling("cosh", function_sources.COSH)),
    _function("tanh", sp.tanh, np.tanh, lambda y, a: 1 - y * y),
    _function(
        "asinh", sp.asinh, np.arcsinh, lambda y, a: 1 / _call("sqrt", a * a + 1), synonyms=("arcsinh", "arsinh"),
    ),
    _function(
        "acosh", sp.acosh, np.arccosh, lambda y, a: 1 / _call("sqrt", a * a - 1),
        synonyms=("arccosh", "arcosh"), domain=Domain(1), python=_raising("acosh"),
    ),
    _function(
        "atanh", sp.atanh, np.arctanh, lambda y, a: 1 / (1 - a * a),
        synonyms=("arctanh", "artanh"), domain=Domain(-1, 1, poles=(-1, 1)), python=_raising("atanh"),
    ),
    _function(
        "erf", sp.erf, _scipy("erf"), lambda y, a: _call("exp", -(a * a)) * (2 / math.sqrt(math.pi)),
        machine=Native("special", "erf"), javascript=Spelling("erf", function_sources.ERF_JS), jax="scipy.special.erf",
    ),
    Elementary(
        "besselj", 2, _scipy("jv"), _bessel_partials, Native("special", "jv"), _bessel_at, sp.besselj, spoken=True,
        c=Spelling("besselj", function_sources.BESSEL_C), python=Spelling("besselj", function_sources.BESSEL),
        javascript=Spelling("besselj", function_sources.BESSEL_JS), ordered=("J0", "J1"), fixed=1,
    ),
    Elementary(
        "hyp2f1", 4, _scipy("hyp2f1"), _hypergeometric_partials, Native("special", "hyp2f1"), _hypergeometric_at,
        hypergeometric, spoken=True, synonyms=("hyper",), domain=_BELOW_1, fixed=3,
        c=Spelling("hyp2f1", function_sources.HYPERGEOMETRIC_C),
        python=Spelling("hyp2f1", function_sources.HYPERGEOMETRIC),
        javascript=Spelling("hyp2f1", function_sources.HYPERGEOMETRIC_JS),
    ),
    # dK/dm = pi/8 F(3/2, 3/2; 2; m), dE/dm = -pi/8 F(1/2, 3/2; 2; m) [dlmf2010 (19.5.1), (19.5.2)]: regular at 0
    _elliptic(
        "elliptic_k", sp.elliptic_k, "ellipk", _BELOW_1, lambda m: _hypergeometric(1.5, 1.5, 2.0, m) * (math.pi / 8)
    ),
    _elliptic(
        "elliptic_e", sp.elliptic_e, "ellipe", Domain(high=1),
        lambda m: _hypergeometric(0.5, 1.5, 2.0, m) * (-math.pi / 8),
    ),
    _function(
        "abs", sp.Abs, np.abs, lambda y, a: _call("sign", a), plain=abs, synonyms=("fabs",), **_SAME,
        machine=Native("intrinsic", "fabs"), c=Spelling("fabs"), python=Spelling("abs"), casadi="fabs",
    ),
    _function(
        "sign", sp.sign, np.sign, lambda y, a: 0 * a, flat=True, synonyms=("sgn", "signum"), takes="anything",
        machine=Native("sign"), c=Spelling("sign", function_sources.SIGN_C),
        python=Spelling("sign", function_sources.SIGN),
    ),
    _function(
        "floor", sp.floor, np.floor, lambda y, a: 0 * a, flat=True, plain=None, takes="anything", gives="unknown",
        machine=Native("intrinsic", "floor"), python=Spelling("floor", function_sources.FLOOR),
    ),
    _function(
        "ceil", sp.ceiling, np.ceil, lambda y, a: 0 * a, flat=True, plain=None, takes="anything", gives="unknown",
        synonyms=("ceiling",), machine=Native("intrinsic", "ceil"), python=Spelling("ceil", function_sources.CEIL),
    ),
    Elementary(
        "min", 2, np.minimum, lambda y, a, b: (_call("le", a, b), _call("lt", b, a)), Native("intrinsic", "minimum"),
        symbol=sp.Min, spoken=True, commutative=True, **_ALIKE,
        c=Spelling("minimum", function_sources.MINIMUM_C), python=Spelling("minimum", function_sources.MINIMUM),
        javascript=Spelling("Math.min"), casadi="fmin", jax="numpy.minimum",
    ),
    Elementary(
        "max", 2, np.maximum, lambda y, a, b: (_call("le", b, a), _call("lt", a, b)), Native("intrinsic", "maximum"),
        symbol=sp.Max, spoken=True, commutative=True, **_ALIKE,
        c=Spelling("maximum", function_sources.MAXIMUM_C), python=Spelling("maximum", function_sources.MAXIMUM),
        javascript=Spelling("Math.max"), casadi="fmax", jax="numpy.maximum",
    ),
    _comparison("lt", sp.StrictLessThan, np.less, "olt", "<"),
    _comparison("le", sp.LessThan, np.less_equal, "ole", "<="),
    _comparison("eq", sp.Equality, np.equal, "oeq", "==", commutative=True),
    Elementary(
        "select", 3, _select, lambda y, c, a, b: (0 * c, _call("select", c, 1, 0), _call("select", c, 0, 1)),
        Native("select"), c=Spelling(pattern="({0} != 0.0 ? {1} : {2})"),
        python=Spelling(pattern="({1} if {0} != 0.0 else {2})"),
        javascript=Spelling(pattern="({0} != 0.0 ? {1} : {2})"), casadi="if_else", jax="numpy.where",
    ),
)  # fmt: skip

ELEMENTARY: dict[str, Elementary] = {row.name: row for row in _ROWS}
OF_SYMPY: dict[type, Elementary] = {row.symbol: row for row in _ROWS if isinstance(row.symbol, type)}
OF_SYMPY[sp.hyper] = ELEMENTARY["hyp2f1"]
