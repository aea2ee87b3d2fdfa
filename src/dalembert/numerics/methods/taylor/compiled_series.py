"""The series of one set of equations, compiled on demand and kept as long as the equations live."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....calculus.frame import TIME
from ....calculus.graph import Node
from ....equations import Equations, Lean
from ...machine.compiler import Library
from ...machine.function_source import Function
from ...machine.ir_numbers import Real
from ...machine.llvm_ir import Inputs
from ...vector_field.compiled_kernel import planned
from ...vector_field.constraint_projection import ProjectionNodes, Stabilisation
from ...vector_field.kernel_plan import KernelPlan
from ...vector_field.variational_equations import VariationalEquations
from .series_ir import LANES, LinearEquations, emit_series, emit_values

# --- What a step makes of a series, as machine code that serves all systems ------------------------------------------
#     void sums(double* step, double* c, double* q, double* unused)
#
# reads step = (x, order, blocks of `LANES` states) and the coefficients c_0, c_1, ... of y(t + s x'), and writes to q
# the terms c_k x^k, k = 1, ..., order, and behind these rows their sums at X = 1/3, 2/3 and 1, the smallest terms added
# first.
#
#     void path(double* step, double* unused, double* q, double* F)
#
# makes of these terms the path on 0 <= x' <= x, in X = x'/x,
#
#     sum_{k>=1} c_k x^k X^k = X (F_0 + (1 - X) (F_1 + X (F_2 + (1 - X) (...)))) ,
#
# the form of a path's interpolant, of which F_0 is the change over the step. It uses the terms up, and leaves the sums.
# Rows are blocks of `LANES` numbers side by side.

PROBES = (1 / 3, 2 / 3)
SUMS = len(PROBES) + 1  # rows behind the terms
_V = f"<{LANES} x double>"
_FMA = f"llvm.fmuladd.v{LANES}f64"
_NEXT_BLOCK = """blockend:
  %bnext = add i64 %b, 1
  %moreblocks = icmp slt i64 %bnext, %blocks
  br i1 %moreblocks, label %block, label %done
done:
  ret void
}
"""


def emit_sums() -> str:
    """IR text of ``sums``."""
    return f"""
declare {_V} @{_FMA}({_V}, {_V}, {_V})
{_opened("sums", ("c", "q"), "term")}
{_terms()}
{_horner()}
{_NEXT_BLOCK}"""


def _terms() -> str:
    """The loop that writes the terms."""
    mask = f"<{LANES} x i32> zeroinitializer"
    return f"""term:                                       ; q_k = c_(k+1) x^(k+1)
  %k = phi i64 [ 0, %block ], [ %knext, %term ]
  %power = phi double [ 1.0, %block ], [ %higher, %term ]
  %higher = fmul double %power, %x
  %knext = add i64 %k, 1
  %ci = mul i64 %knext, %stride
  %qi = mul i64 %k, %stride
  %cp = getelementptr double, ptr %cb, i64 %ci
  %qp = getelementptr double, ptr %qb, i64 %qi
  %ck = load {_V}, ptr %cp, align 8
  %h0 = insertelement {_V} undef, double %higher, i64 0
  %hv = shufflevector {_V} %h0, {_V} undef, {mask}
  %qk = fmul {_V} %ck, %hv
  store {_V} %qk, ptr %qp, align 8
  %moreterms = icmp slt i64 %knext, %order
  br i1 %moreterms, label %term, label %add"""


def _horner() -> str:
    """The loop that sums them, and the sums written behind them."""
    zero = "zeroinitializer"
    third, two_thirds = (_splat(x) for x in PROBES)
    return f"""add:                                        ; Horner at X = 1/3, 2/3 and 1
  %j = phi i64 [ %lastrow, %term ], [ %jnext, %add ]
  %u = phi {_V} [ {zero}, %term ], [ %unext, %add ]
  %w = phi {_V} [ {zero}, %term ], [ %wnext, %add ]
  %s = phi {_V} [ {zero}, %term ], [ %snext, %add ]
  %ji = mul i64 %j, %stride
  %jp = getelementptr double, ptr %qb, i64 %ji
  %qj = load {_V}, ptr %jp, align 8
  %unext = call {_V} @{_FMA}({_V} %u, {_V} {third}, {_V} %qj)
  %wnext = call {_V} @{_FMA}({_V} %w, {_V} {two_thirds}, {_V} %qj)
  %snext = fadd {_V} %s, %qj
  %jnext = sub i64 %j, 1
  %moreadd = icmp sge i64 %jnext, 0
  br i1 %moreadd, label %add, label %added
added:
  %ui = mul i64 %order, %stride
  %up = getelementptr double, ptr %qb, i64 %ui
  %ulast = fmul {_V} %unext, {third}
  store {_V} %ulast, ptr %up, align 8
  %wp = getelementptr double, ptr %up, i64 %stride
  %wlast = fmul {_V} %wnext, {two_thirds}
  store {_V} %wlast, ptr %wp, align 8
  %sp = getelementptr double, ptr %wp, i64 %stride
  store {_V} %snext, ptr %sp, align 8
  br label %blockend"""


def emit_path() -> str:
    """IR text of ``path``."""
    return f"""{_opened("path", ("q", "F"), "pair")}
{_even()}
{_odd()}
{_NEXT_BLOCK}"""


def _even() -> str:
    """F_m for an even m, and what is left in R."""
    return f"""pair:                        ; Q = F_m + (1 - X) R ,  r_i = -sum_(j>i) q_j ;  R = F_(m+1) + X (...)
  %m = phi i64 [ 0, %block ], [ %mnext, %paired ]
  %first = phi i64 [ 0, %block ], [ %firstnext, %paired ]
  %last = phi i64 [ %lastrow, %block ], [ %lastnext, %paired ]
  %li = mul i64 %last, %stride
  %lp = getelementptr double, ptr %qb, i64 %li
  %ql = load {_V}, ptr %lp, align 8
  %before = sub i64 %last, 1
  %some = icmp sge i64 %before, %first
  br i1 %some, label %suffix, label %suffixed
suffix:
  %i = phi i64 [ %before, %pair ], [ %inext, %suffix ]
  %sum = phi {_V} [ %ql, %pair ], [ %sumnext, %suffix ]
  %ii = mul i64 %i, %stride
  %ip = getelementptr double, ptr %qb, i64 %ii
  %qv = load {_V}, ptr %ip, align 8
  %minus = fneg {_V} %sum
  store {_V} %minus, ptr %ip, align 8
  %sumnext = fadd {_V} %sum, %qv
  %inext = sub i64 %i, 1
  %moresum = icmp sge i64 %inext, %first
  br i1 %moresum, label %suffix, label %suffixed
suffixed:
  %total = phi {_V} [ %ql, %pair ], [ %sumnext, %suffix ]
  %mi = mul i64 %m, %stride
  %mp = getelementptr double, ptr %Fb, i64 %mi
  store {_V} %total, ptr %mp, align 8
  %odd = add i64 %m, 1
  %hasodd = icmp slt i64 %odd, %order
  br i1 %hasodd, label %second, label %blockend"""


def _odd() -> str:
    """F_(m+1), which R begins with, and on to the next pair."""
    return f"""second:
  %oi = mul i64 %odd, %stride
  %op = getelementptr double, ptr %Fb, i64 %oi
  %fi = mul i64 %first, %stride
  %fp = getelementptr double, ptr %qb, i64 %fi
  %r0 = load {_V}, ptr %fp, align 8
  store {_V} %r0, ptr %op, align 8
  br label %paired
paired:
  %mnext = add i64 %m, 2
  %firstnext = add i64 %first, 1
  %lastnext = sub i64 %last, 1
  %morepairs = icmp slt i64 %mnext, %order
  br i1 %morepairs, label %pair, label %blockend"""


def _opened(name: str, used: tuple[str, ...], first: str) -> str:
    """The beginning of a function up to its first loop, with pointers to each block's columns of the arrays it uses."""
    columns = "\n".join(f"  %{a}b = getelementptr double, ptr %{a}, i64 %column" for a in used)
    return f"""
define void @{name}(ptr noalias %step, ptr noalias %c, ptr noalias %q, ptr noalias %F) {{
entry:
  %x = load double, ptr %step, align 8
  %p1 = getelementptr double, ptr %step, i64 1
  %orderd = load double, ptr %p1, align 8
  %order = fptosi double %orderd to i64
  %p2 = getelementptr double, ptr %step, i64 2
  %blocksd = load double, ptr %p2, align 8
  %blocks = fptosi double %blocksd to i64
  %stride = mul i64 %blocks, {LANES}
  %lastrow = sub i64 %order, 1
  br label %block
block:
  %b = phi i64 [ 0, %entry ], [ %bnext, %blockend ]
  %column = mul i64 %b, {LANES}
{columns}
  br label %{first}"""


def _splat(value: float) -> str:
    return "<" + ", ".join([f"double {Real().number(value)}"] * LANES) + ">"


_TANGENTS: weakref.WeakKeyDictionary[VariationalEquations, SeriesKernel] = weakref.WeakKeyDictionary()
Key = tuple[Stabilisation, tuple[int, ...] | None]
_CACHE: weakref.WeakKeyDictionary[Equations, dict[Key, SeriesKernel]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class SeriesKernel:
    """Machine code for the series of a motion.

    Attributes:
        library: holds the code.
        length: of the array that it writes to.
    """

    library: Library
    length: int

    @classmethod
    def of(cls, equations: Equations, stabilisation: Stabilisation, lean: Lean | None = None) -> SeriesKernel:
        """The series of the equations of a `Kernel`, compiled on first use; it takes the kernel's parameters."""
        known, key = _CACHE.setdefault(equations, {}), (stabilisation, None if lean is None else lean.chosen)
        if key not in known:
            known[key] = _compile(equations, planned(equations, stabilisation, lean))
        return known[key]

    @classmethod
    def with_tangents(cls, equations: Equations, variational: VariationalEquations) -> SeriesKernel:
        """The series of a motion with its derivatives, in rows; the right-hand side alone has a rank margin."""
        if variational not in _TANGENTS:
            plan = variational.plan
            rhs, back = plan.functions["rhs"], plan.back
            rates, inputs = variational.row_by_row(replace(rhs, outputs=rhs.outputs[: len(plan.states) + 1]))
            shift = None if back is None else variational.row_by_row(_shift(equations, plan, back))[0]
            margin = rhs.graph.constant(1)
            _TANGENTS[variational] = _compiled(rates, margin, variational.symbols, inputs, shift)
        return _TANGENTS[variational]

    @property
    def shift(self) -> int:
        """Address of what the projection adds to y + low; 0 where there is nothing to keep."""
        return self.library.address("shift") if "shift" in self.library.addresses else 0

    @property
    def addresses(self) -> tuple[int, int, int]:
        """Addresses of ``series`` (see `emission`), ``sums`` and ``path`` (see `path`)."""
        return self.library.address("series"), self.library.address("sums"), self.library.address("path")


def _compile(equations: Equations, plan: KernelPlan) -> SeriesKernel:
    rhs, n = plan.functions["rhs"], len(plan.states) + 1
    margin = rhs.outputs[n] if len(rhs.outputs) > n else rhs.graph.constant(1)
    shift = None if plan.back is None else _shift(equations, plan, plan.back)
    return _compiled(replace(rhs, outputs=rhs.outputs[:n]), margin, plan.states, plan.inputs, shift)


def _compiled(
    rates: Function, margin: Node, states: Sequence[str], inputs: Inputs, shift: Function | None
) -> SeriesKernel:
    code = emit_series(
        "series", rates.outputs, margin, states, _solving(inputs, rates), TIME.name, LinearEquations.of(rates)
    )
    texts = {"series": code.text, "sums": emit_sums(), "path": emit_path()}
    if shift is not None:
        texts["shift"] = emit_values("shift", shift.outputs, _solving(inputs, shift), LinearEquations.of(shift))
    return SeriesKernel(Library.compile(texts), code.length)


def _solving(inputs: Inputs, function: Function) -> Inputs:
    """Where symbols lie, with those of what is solved for."""
    return {**inputs, **{f"x:{i}": ("x", i) for i in range(function.size + 1 if function.size else 0)}}


def _shift(equations: Equations, plan: KernelPlan, back: ProjectionNodes) -> Function:
    """By how much the projection moves each state and the work."""
    graph, space = back.q[0].graph, equations.space
    zero = graph.constant(0)
    dq = []
    for s, q in zip(space.coordinates, back.q, strict=True):
        dq.append(q - graph.symbol(s.name) if s in space.retraction else back.shift.get(s.name, zero))
    rest = [zero] * (len(plan.states) + 1 - len(dq) - len(back.du))
    return Function.solving([*dq, *back.du, *rest], back.assemble, math.isqrt(len(back.assemble)))
