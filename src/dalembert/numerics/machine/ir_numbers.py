"""How a number is written in LLVM IR: alone, or W of them side by side in SIMD lanes."""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Real:
    """How a number of the graph is written in IR: the one place that knows that it is a scalar and not SIMD lanes."""

    type: str = "double"
    suffix: str = "f64"
    mask: str = "i1"
    width: int = 1

    @classmethod
    def lanes(cls, width: int) -> Real:
        """`width` numbers side by side."""
        return cls() if width == 1 else cls(f"<{width} x double>", f"v{width}f64", f"<{width} x i1>", width)

    @property
    def stack(self) -> str:
        """The attribute of a function whose registers of lanes lie whole in lines of the cache where they are put by.

        LLVM does not align the stack by itself in code for a running process.
        """
        return f"alignstack({8 * self.width}) " if self.width > 2 else ""

    def number(self, value: float) -> str:
        """The literal of a number, exact to the bit; the same in every lane."""
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        return f"0x{bits:016X}" if self.width == 1 else f"splat (double 0x{bits:016X})"


SCALAR = Real()
