"""The series of one set of equations, compiled on demand and kept as long as the equations live."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass

from ....calculus.frame import TIME
from ....equations import Equations
from ...machine.library import Library
from ...machine.llvm import Inputs
from ...vector_field.kernel import Plan
from ...vector_field.projection import Return, way_back
from ...vector_field.stabilisation import Stabilisation
from .emission import emit_series
from .path import emit_path, emit_sums
from .values import Saddle, emit_values

_CACHE: weakref.WeakKeyDictionary[Equations, dict[Stabilisation, Series]] = weakref.WeakKeyDictionary()


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
    def of(cls, equations: Equations, stabilisation: Stabilisation) -> Series:
        """The series of the equations of a `Kernel`, compiled on first use; it takes the kernel's parameters."""
        known = _CACHE.setdefault(equations, {})
        if stabilisation not in known:
            known[stabilisation] = _compile(equations, stabilisation)
        return known[stabilisation]

    @property
    def shift(self) -> int:
        """Address of what the projection adds to y + low; 0 where there is nothing to keep."""
        return self.library.address("shift") if "shift" in self.library.addresses else 0

    @property
    def addresses(self) -> tuple[int, int, int]:
        """Addresses of ``series`` (see `emission`), ``sums`` and ``path`` (see `path`)."""
        return self.library.address("series"), self.library.address("sums"), self.library.address("path")


def _compile(equations: Equations, stabilisation: Stabilisation) -> Series:
    plan = Plan.of(equations, stabilisation)
    rhs, n = plan.functions["rhs"], len(equations.states) + 1
    inputs = {**plan.inputs, **{f"x:{i}": ("x", i) for i in range(rhs.size + 1 if rhs.size else 0)}}
    margin = rhs.outputs[n] if len(rhs.outputs) > n else rhs.graph.constant(1)
    saddle = Saddle(rhs.size, rhs.system)
    code = emit_series("series", rhs.outputs[:n], margin, equations.states, inputs, TIME.name, saddle)
    texts = {"series": code.text, "sums": emit_sums(), "path": emit_path()}
    back = way_back(equations) if "project" in plan.functions else None
    if back is not None:
        texts["shift"] = _shift(equations, back, plan.inputs)
    return Series(Library.compile(texts), code.length)


def _shift(equations: Equations, back: Return, inputs: Inputs) -> str:
    """The function that writes by how much the projection moves each state and the work."""
    graph, space = equations.machine.graph, equations.space
    zero = graph.constant(0)
    dq = []
    for s, q in zip(space.coordinates, back.q, strict=True):
        dq.append(q - graph.symbol(s.name) if s in space.retraction else back.shift.get(s.name, zero))
    rest = [zero] * (len(equations.states_of_multipliers) + 1)
    saddle = Saddle(math.isqrt(len(back.assemble)), back.assemble)
    known = {**inputs, **{f"x:{i}": ("x", i) for i in range(saddle.size + 1 if saddle.size else 0)}}
    return emit_values("shift", [*dq, *back.du, *rest], known, saddle)
