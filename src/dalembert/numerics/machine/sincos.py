"""Sine and cosine together, for SIMD lanes and for one number, as IR text: branch-free, accurate to about one rounding.

    n = round(2 x / pi),   r - t = x - n pi/2   with |r| <= pi/4 and t about its rounding error,
    (sin x, cos x) = (sin, cos)(r - t) up to order and signs, which n mod 4 decides.

Up to `NEAR` (below 2^16 pi/2) the reduction takes pi/2 in parts of 37, 37 and 53 bits: n times one of the first two is
exact. Up to `REDUCED` (below 2^20 pi/2) it takes parts of 33, 33, 33 and 53 bits, which cost more, and beyond each lane
is left to the C library. A lane's result never depends on its neighbours.
Near to an angle whose sine and cosine are known, those are turned on, which needs no reduction.
Polynomials on [-pi/4, pi/4]: the published constants of [fdlibm1993].
"""

from __future__ import annotations

from collections.abc import Iterable

from .ir_numbers import Real

NEAR, REDUCED = 1e5, 1.6e6

_TWO_OVER_PI = 6.36619772367581382433e-01
_PARTS = (1.5707963267923333, 2.5633441515839558e-12, 1.0562999066987428e-23)
_FINER = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21, 8.47842766036889956997e-32)
_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_EIGHTH = 7.85398163397448278999e-01  # pi/4
NEARBY = 0.6  # below (pi/4)^2: the square of a turn that surely takes no reduction
_SIGN = -(2**63)  # the bit of a number's sign
_PURE = "memory(none) nounwind willreturn"  # a sine that nothing takes is left out
_MAGIC = 6755399441055744.0  # 1.5 2^52: adding it leaves the nearest integer in the last bits


def name(real: Real) -> str:
    """Name of the function for one kind of number."""
    return f"dalembert_sincos_{real.suffix}"


def declared(real: Real) -> str:
    """Its return type, ``{sin, cos}``."""
    return f"{{{real.type}, {real.type}}}"


class _Text:
    """Lines of a function, each naming its result."""

    def __init__(self, real: Real) -> None:
        self.real = real
        self.lines: list[str] = []

    def new(self, instruction: str) -> str:
        self.lines.append(f"  %v{len(self.lines)} = {instruction}")
        return f"%v{len(self.lines) - 1}"

    def exact(self, operation: str, a: str, b: str) -> str:
        """An operation that is rounded by itself."""
        return self.new(f"{operation} {self.real.type} {a}, {b}")

    def fused(self, a: str, b: str, c: str) -> str:
        """a b + c, rounded once where the processor can."""
        kind = self.real.type
        return self.new(f"call {kind} @llvm.fmuladd.{self.real.suffix}({kind} {a}, {kind} {b}, {kind} {c})")

    def minus(self, a: str) -> str:
        return self.new(f"fneg {self.real.type} {a}")

    def number(self, value: float) -> str:
        return self.real.number(value)

    def lane(self, value: str, kind: str, lane: int) -> str:
        """One lane of a value of a type."""
        return value if self.real.width == 1 else self.new(f"extractelement {kind} {value}, i32 {lane}")

    def with_lane(self, value: str, new: str, lane: int) -> str:
        """The value with another number in one lane."""
        if self.real.width == 1:
            return new
        return self.new(f"insertelement {self.real.type} {value}, double {new}, i32 {lane}")

    def polynomial(self, z: str, coefficients: tuple[float, ...]) -> str:
        """sum_k c_k z^k by Horner's rule."""
        total = self.number(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.fused(total, z, self.number(c))
        return total


def _integers(real: Real) -> str:
    return "i64" if real.width == 1 else f"<{real.width} x i64>"


def _integer(real: Real, value: int) -> str:
    return str(value) if real.width == 1 else f"splat (i64 {value})"


def _quarters(text: _Text) -> tuple[str, str]:
    """The number n of quarter turns: as an integer, in the last bits, and as a number."""
    shifted = text.fused("%x", text.number(_TWO_OVER_PI), text.number(_MAGIC))
    n = text.new(f"bitcast {text.real.type} {shifted} to {_integers(text.real)}")
    return n, text.exact("fsub", shifted, text.number(_MAGIC))


def _reduce(text: _Text) -> tuple[str, str, str]:
    """(r, t, n): the reduced argument r - t, and the number of quarter turns."""
    (n, k), (one, two, three) = _quarters(text), map(text.number, _PARTS)
    minus_k = text.minus(k)
    # x - n pi/2 part by part: the first loses nothing, the second a rounding that t has; their products are exact
    a = text.fused(minus_k, one, "%x")
    r = text.fused(minus_k, two, a)
    t = text.fused(k, two, text.exact("fsub", r, a))
    return r, text.fused(k, three, t), n


def _reduce_finer(text: _Text) -> tuple[str, str, str]:
    """The same in four parts."""
    (n, k), (one, two, three, four) = _quarters(text), map(text.number, _FINER)
    minus_k = text.minus(k)
    # the first loses nothing, the next two no more than the roundings e, which the last takes; these products are
    # exact, fused or not
    a = text.fused(minus_k, one, "%x")
    b, w = text.fused(minus_k, two, a), text.exact("fmul", k, two)
    e = text.exact("fsub", text.exact("fsub", a, b), w)
    c, w = text.fused(minus_k, three, b), text.exact("fmul", k, three)
    e = text.exact("fadd", text.exact("fsub", text.exact("fsub", b, c), w), e)
    w = text.fused(k, four, text.minus(e))
    r = text.exact("fsub", c, w)
    return r, text.exact("fsub", w, text.exact("fsub", c, r)), n


def _kernels(text: _Text, r: str, t: str) -> tuple[str, str]:
    """Sine and cosine of r - t."""
    minus_half, one = text.number(-0.5), text.number(1.0)
    z = text.exact("fmul", r, r)
    w = text.fused(minus_half, z, one)
    # sin(r - t) = r - (t w - r z p(z)),  w = 1 - z/2,  p(z) = S1 + S2 z + ...
    minus_v, p = text.minus(text.exact("fmul", r, z)), text.polynomial(z, _SIN)
    sine = text.exact("fsub", r, text.fused(minus_v, p, text.exact("fmul", t, w)))
    # cos(r - t) = w + (z^2 q(z) + (r t + ((1 - w) - z/2))),  q(z) = C1 + C2 z + ...
    rest = text.fused(r, t, text.fused(minus_half, z, text.exact("fsub", one, w)))
    rest = text.fused(text.exact("fmul", z, z), text.polynomial(z, _COS), rest)
    return sine, text.exact("fadd", w, rest)


def _turn(text: _Text, sine: str, cosine: str, n: str) -> tuple[str, str]:
    """(sin, cos) after n quarter turns."""
    real, integers = text.real, _integers(text.real)

    def shifted(by: int) -> str:
        return text.new(f"shl {integers} {n}, {_integer(real, by)}")

    def either(a: str, b: str) -> str:
        return text.new(f"select {real.mask} {odd}, {real.type} {a}, {real.type} {b}")

    def turned(value: str, sign: str) -> str:
        bits = text.new(f"bitcast {real.type} {value} to {integers}")
        bits = text.new(f"xor {integers} {bits}, {text.new(f'and {integers} {sign}, {_integer(real, _SIGN)}')}")
        return text.new(f"bitcast {integers} {bits} to {real.type}")

    # the last bit of n and the one before it, where signs are: is n odd, is the sine's sign another
    last, second = shifted(63), shifted(62)
    odd = text.new(f"icmp slt {integers} {last}, {_integer(real, 0)}")
    other = text.new(f"xor {integers} {last}, {second}")
    return turned(either(cosine, sine), second), turned(either(sine, cosine), other)


def _turned(text: _Text, d: str) -> tuple[str, str]:
    """(sin, cos) of an angle that is d further than that of the pair (s0, c0), for |d| <= pi/4."""
    z = text.exact("fmul", d, d)
    # sin d = d + d z p(z),  cos d - 1 = z (-1/2 + z q(z))
    sine = text.fused(text.exact("fmul", d, z), text.polynomial(z, _SIN), d)
    less = text.exact("fmul", z, text.fused(z, text.polynomial(z, _COS), text.number(-0.5)))
    # s = s0 + s0 (cos d - 1) + c0 sin d,  c = c0 + c0 (cos d - 1) - s0 sin d
    s = text.fused("%c0", sine, text.fused("%s0", less, "%s0"))
    return s, text.fused(text.minus("%s0"), sine, text.fused("%c0", less, "%c0"))


def _pair(text: _Text, sine: str, cosine: str) -> str:
    real = text.real
    first = text.new(f"insertvalue {declared(real)} undef, {real.type} {sine}, 0")
    return text.new(f"insertvalue {declared(real)} {first}, {real.type} {cosine}, 1")


def _guarded(text: _Text, head: str, pair: str, limit: float, further: str, of: str = "%x") -> str:
    """The function that returns a pair, or where a number is beyond a limit what a further function makes of it."""
    real, kind = text.real, declared(text.real)
    size = text.new(f"call {real.type} @llvm.fabs.{real.suffix}({real.type} {of})")
    beyond = text.new(f"fcmp ugt {real.type} {size}, {text.number(limit)}")
    anywhere = beyond
    if real.width > 1:
        anywhere = text.new(f"call i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask} {beyond})")
    call = f"call {kind} @{name(real)}_{further}({real.type} %x, {kind} {pair}, {real.mask} {beyond})"
    return "\n".join(
        [
            f"{head} {{",
            *text.lines,
            f"  br i1 {anywhere}, label %beyond, label %within",
            "beyond:",
            f"  %replaced = {call}",
            "  br label %within",
            "within:",
            f"  %result = phi {kind} [ {pair}, %0 ], [ %replaced, %beyond ]",
            f"  ret {kind} %result",
            "}",
            "",
        ]
    )


def _head(real: Real, step: str) -> str:
    """Of a function that replaces the lanes that are `far` of what was `near`."""
    kind = declared(real)
    given = f"{real.type} %x, {kind} %near, {real.mask} %far"
    return f"define internal {kind} @{name(real)}_{step}({given}) cold noinline {_PURE}"


def _replaced(text: _Text, new: Iterable[str]) -> list[str]:
    """The pair that was near, with new numbers in the lanes that are far."""
    real, parts = text.real, []
    for i, value in enumerate(new):
        old = text.new(f"extractvalue {declared(real)} %near, {i}")
        parts.append(text.new(f"select {real.mask} %far, {real.type} {value}, {real.type} {old}"))
    return parts


def _finer(real: Real) -> str:
    """The function for arguments beyond `NEAR`."""
    text = _Text(real)
    r, t, n = _reduce_finer(text)
    parts = _replaced(text, _turn(text, *_kernels(text, r, t), n))
    return _guarded(text, _head(real, "finer"), _pair(text, *parts), REDUCED, "far")


def _far(real: Real) -> str:
    """The function for arguments beyond the reduction: only the lanes that are beyond are replaced."""
    text = _Text(real)
    parts = [text.new(f"extractvalue {declared(real)} %near, {i}") for i in (0, 1)]
    for lane in range(real.width):
        x, far = text.lane("%x", real.type, lane), text.lane("%far", real.mask, lane)
        for i, of_libm in enumerate(("sin", "cos")):
            value = text.new(f"call double @{of_libm}(double {x}) {_PURE}")
            old = text.lane(parts[i], real.type, lane)
            parts[i] = text.with_lane(parts[i], text.new(f"select i1 {far}, double {value}, double {old}"), lane)
    result = _pair(text, *parts)
    return "\n".join([f"{_head(real, 'far')} {{", *text.lines, f"  ret {declared(real)} {result}", "}"])


def turned(real: Real) -> str:
    """IR text of ``{sin, cos} dalembert_sincos_turned(x, x0, s0, c0)``, of x where those of x0 are known.

    A turn is rounded as the sum is that gave the angle: to about a unit in the last place of 1. Where it is more than
    pi/4, or no number, the sine and cosine are computed anew.
    """
    text, kind = _Text(real), declared(real)
    d = text.exact("fsub", "%x", "%x0")
    pair = _pair(text, *_turned(text, d))
    arguments = ", ".join(f"{real.type} %{a}" for a in ("x", "x0", "s0", "c0"))
    head = f"define internal {kind} @{name(real)}_turned({arguments}) alwaysinline"
    return "\n".join([_anew(real), _guarded(text, head, pair, _EIGHTH, "anew", d)])


def nearby(real: Real) -> str:
    """``dalembert_sincos_nearby``: the operations of a turn alone, for turns whose squares are at most `NEARBY`."""
    text = _Text(real)
    pair = _pair(text, *_turned(text, text.exact("fsub", "%x", "%x0")))
    arguments = ", ".join(f"{real.type} %{a}" for a in ("x", "x0", "s0", "c0"))
    head = f"define internal {declared(real)} @{name(real)}_nearby({arguments}) alwaysinline {{"
    return "\n".join([head, *text.lines, f"  ret {declared(real)} {pair}", "}", ""])


def _anew(real: Real) -> str:
    """The function for turns that are too large."""
    text, kind = _Text(real), declared(real)
    result = text.new(f"call {kind} @{name(real)}({real.type} %x)")
    pair = _pair(text, *_replaced(text, [text.new(f"extractvalue {kind} {result}, {i}") for i in (0, 1)]))
    return "\n".join([f"{_head(real, 'anew')} {{", *text.lines, f"  ret {kind} {pair}", "}"])


def declarations(real: Real) -> tuple[str, ...]:
    """What the function calls."""
    size = f"declare {real.type} @llvm.fabs.{real.suffix}({real.type})"
    either = f"declare i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask})"
    fused = f"declare {real.type} @llvm.fmuladd.{real.suffix}({', '.join([real.type] * 3)})"
    libm = ("declare double @sin(double)", "declare double @cos(double)")
    return (size, fused, *libm) if real.width == 1 else (size, fused, *libm, either)


def function(real: Real) -> str:
    """IR text of ``{sin, cos} dalembert_sincos(x)`` for one kind of number."""
    text = _Text(real)
    r, t, n = _reduce(text)
    near = _pair(text, *_turn(text, *_kernels(text, r, t), n))
    head = f"define internal {declared(real)} @{name(real)}({real.type} %x) alwaysinline"
    return "\n".join([_far(real), _finer(real), _guarded(text, head, near, NEAR, "finer")])
