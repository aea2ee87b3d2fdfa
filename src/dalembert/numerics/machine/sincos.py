"""Sine and cosine together, for SIMD lanes and for one number, as IR text: branch-free, accurate to about one rounding.

    n = round(2 x / pi),   r + s = x - n pi/2   with |r| <= pi/4 and s its rounding error,
    (sin x, cos x) = (sin, cos)(r + s) up to order and signs, which n mod 4 decides.

The reduction takes pi/2 in parts of 33, 33, 33 and 53 bits: n times one of the first three is exact for |n| < 2^20, so
beyond `REDUCED` (below 2^20 pi/2) each lane is left to the C library. A lane's result never depends on its neighbours.
Polynomials on [-pi/4, pi/4] and parts of pi/2: the published constants of [fdlibm1993].
"""

from __future__ import annotations

from .real import Real

REDUCED = 1.6e6

_TWO_OVER_PI = 6.36619772367581382433e-01
_PARTS = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21, 8.47842766036889956997e-32)
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


def _reduce(text: _Text) -> tuple[str, str, str]:
    """(r, s, n): the reduced argument in two parts and the number of quarter turns."""
    one, two, three, four = map(text.number, _PARTS)
    shifted = text.fused("%x", text.number(_TWO_OVER_PI), text.number(_MAGIC))
    n = text.new(f"bitcast {text.real.type} {shifted} to {_integers(text.real)}")
    k = text.exact("fsub", shifted, text.number(_MAGIC))
    minus_k = text.minus(k)
    # x - n pi/2 part by part: the first loses nothing, the next two no more than the roundings e, which the last takes;
    # these products are exact, fused or not
    a = text.fused(minus_k, one, "%x")
    b, w = text.fused(minus_k, two, a), text.exact("fmul", k, two)
    e = text.exact("fsub", text.exact("fsub", a, b), w)
    c, w = text.fused(minus_k, three, b), text.exact("fmul", k, three)
    e = text.exact("fadd", text.exact("fsub", text.exact("fsub", b, c), w), e)
    w = text.fused(k, four, text.minus(e))
    r = text.exact("fsub", c, w)
    s = text.exact("fsub", text.exact("fsub", c, r), w)
    return r, s, n


def _kernels(text: _Text, r: str, s: str) -> tuple[str, str]:
    """Sine and cosine of r + s."""
    half, one = text.number(0.5), text.number(1.0)
    z = text.exact("fmul", r, r)
    v = text.exact("fmul", z, r)
    # sin(r + s) = r - ((z (s/2 - v p(z)) - s) - v S1),  p(z) = S2 + S3 z + ...
    p, minus_v = text.polynomial(z, _SIN[1:]), text.minus(v)
    inner = text.fused(minus_v, p, text.exact("fmul", half, s))
    inner = text.fused(z, inner, text.minus(s))
    sine = text.exact("fsub", r, text.fused(minus_v, text.number(_SIN[0]), inner))
    # cos(r + s) = w + (((1 - w) - z/2) + (z (z q(z)) - r s)),  w = 1 - z/2,  q(z) = C1 + C2 z + ...
    q = text.exact("fmul", z, text.polynomial(z, _COS))
    h = text.exact("fmul", half, z)
    w = text.exact("fsub", one, h)
    rest = text.exact("fsub", text.exact("fsub", one, w), h)
    rest = text.exact("fadd", rest, text.fused(z, q, text.minus(text.exact("fmul", r, s))))
    return sine, text.exact("fadd", w, rest)


def _turn(text: _Text, sine: str, cosine: str, n: str) -> tuple[str, str]:
    """(sin, cos) after n quarter turns."""
    real, integers = text.real, _integers(text.real)

    def bit(number: str, which: int) -> str:
        masked = text.new(f"and {integers} {number}, {_integer(real, which)}")
        return text.new(f"icmp ne {integers} {masked}, {_integer(real, 0)}")

    def choose(condition: str, a: str, b: str) -> str:
        return text.new(f"select {real.mask} {condition}, {real.type} {a}, {real.type} {b}")

    odd, negative = bit(n, 1), bit(n, 2)
    after = text.new(f"add {integers} {n}, {_integer(real, 1)}")
    a, b = choose(odd, cosine, sine), choose(odd, sine, cosine)
    minus = [text.new(f"fneg {real.type} {c}") for c in (a, b)]
    return choose(negative, minus[0], a), choose(bit(after, 2), minus[1], b)


def _pair(text: _Text, sine: str, cosine: str) -> str:
    real = text.real
    first = text.new(f"insertvalue {declared(real)} undef, {real.type} {sine}, 0")
    return text.new(f"insertvalue {declared(real)} {first}, {real.type} {cosine}, 1")


def _far(real: Real) -> str:
    """The function for arguments beyond the reduction: only the lanes that are beyond are replaced."""
    text = _Text(real)
    parts = [text.new(f"extractvalue {declared(real)} %near, {i}") for i in (0, 1)]
    for lane in range(real.width):
        x, far = text.lane("%x", real.type, lane), text.lane("%far", real.mask, lane)
        for i, of_libm in enumerate(("sin", "cos")):
            value = text.new(f"call double @{of_libm}(double {x})")
            old = text.lane(parts[i], real.type, lane)
            parts[i] = text.with_lane(parts[i], text.new(f"select i1 {far}, double {value}, double {old}"), lane)
    result = _pair(text, *parts)
    head = (
        f"define internal {declared(real)} @{name(real)}_far({real.type} %x, {declared(real)} %near, {real.mask} %far"
    )
    return "\n".join([f"{head}) cold noinline {{", *text.lines, f"  ret {declared(real)} {result}", "}"])


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
    r, s, n = _reduce(text)
    near = _pair(text, *_turn(text, *_kernels(text, r, s), n))
    size = text.new(f"call {real.type} @llvm.fabs.{real.suffix}({real.type} %x)")
    far = text.new(f"fcmp ogt {real.type} {size}, {text.number(REDUCED)}")
    any_far = far
    if real.width > 1:
        any_far = text.new(f"call i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask} {far})")
    call = f"call {declared(real)} @{name(real)}_far({real.type} %x, {declared(real)} {near}, {real.mask} {far})"
    return "\n".join(
        [
            _far(real),
            f"define internal {declared(real)} @{name(real)}({real.type} %x) alwaysinline {{",
            *text.lines,
            f"  br i1 {any_far}, label %beyond, label %within",
            "beyond:",
            f"  %replaced = {call}",
            "  br label %within",
            "within:",
            f"  %result = phi {declared(real)} [ {near}, %0 ], [ %replaced, %beyond ]",
            f"  ret {declared(real)} %result",
            "}",
            "",
        ]
    )
