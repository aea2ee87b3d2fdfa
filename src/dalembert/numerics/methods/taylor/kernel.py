"""The series of one set of equations, compiled on demand and kept as long as the equations live."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass

from ....calculus.frame import TIME
from ....equations import Equations, Lean
from ...machine.library import Library
from ...vector_field.kernel import planned
from ...vector_field.plan import Plan
from ...vector_field.projection import Return
from ...vector_field.stabilisation import Stabilisation
from .emission import emit_series
from .path import emit_path, emit_sums
from .values import Saddle, emit_values

Key = tuple[Stabilisation, tuple[int, ...] | None]
_CACHE: weakref.WeakKeyDictionary[Equations, dict[Key, Series]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Series:
    """Machine code for the series of a motion.

    Attributes:
        library: holds the code.
        length: of the array that it writes to.
    """

    library: Library
    length: int

    @classmethod
    def of(cls, equations: Equations, stabilisation: Stabilisation, lean: Lean | None = None) -> Series:
        """The series of the equations of a `Kernel`, compiled on first use; it takes the kernel's parameters."""
        known, key = _CACHE.setdefault(equations, {}), (stabilisation, None if lean is None else lean.chosen)
        if key not in known:
            known[key] = _compile(equations, planned(equations, stabilisation, lean))
        return known[key]

    @property
    def shift(self) -> int:
        """Address of what the projection adds to y + low; 0 where there is nothing to keep."""
        return self.library.address("shift") if "shift" in self.library.addresses else 0

    @property
    def addresses(self) -> tuple[int, int, int]:
        """Addresses of ``series`` (see `emission`), ``sums`` and ``path`` (see `path`)."""
        return self.library.address("series"), self.library.address("sums"), self.library.address("path")


def _compile(equations: Equations, plan: Plan) -> Series:
    rhs, n = plan.functions["rhs"], len(plan.states) + 1
    inputs = {**plan.inputs, **{f"x:{i}": ("x", i) for i in range(rhs.size + 1 if rhs.size else 0)}}
    margin = rhs.outputs[n] if len(rhs.outputs) > n else rhs.graph.constant(1)
    saddle = Saddle(rhs.size, rhs.system)
    code = emit_series("series", rhs.outputs[:n], margin, plan.states, inputs, TIME.name, saddle)
    texts = {"series": code.text, "sums": emit_sums(), "path": emit_path()}
    if plan.back is not None:
        texts["shift"] = _shift(equations, plan, plan.back)
    return Series(Library.compile(texts), code.length)


def _shift(equations: Equations, plan: Plan, back: Return) -> str:
    """The function that writes by how much the projection moves each state and the work."""
    graph, space = back.q[0].graph, equations.space
    zero = graph.constant(0)
    dq = []
    for s, q in zip(space.coordinates, back.q, strict=True):
        dq.append(q - graph.symbol(s.name) if s in space.retraction else back.shift.get(s.name, zero))
    rest = [zero] * (len(plan.states) + 1 - len(dq) - len(back.du))
    saddle = Saddle(math.isqrt(len(back.assemble)), back.assemble)
    known = {**plan.inputs, **{f"x:{i}": ("x", i) for i in range(saddle.size + 1 if saddle.size else 0)}}
    return emit_values("shift", [*dq, *back.du, *rest], known, saddle)
