"""The C yardsticks: built with gcc into the cache folder where there is a compiler, loaded with ctypes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate._ivp import dop853_coefficients as tableau

HERE = Path(__file__).parent
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-std=gnu11", "-fPIC", "-shared")
WHICH = {8: "reduced", 10: "unreduced"}


def compiler() -> str | None:
    """The compiler that is used: CC, gcc or cc; None where there is none."""
    return next((found for name in (os.environ.get("CC"), "gcc", "cc") if name and (found := shutil.which(name))), None)


def cache_folder() -> Path:
    """Where built libraries and references are kept between runs."""
    given = os.environ.get("DALEMBERT_BENCHMARKS")
    folder = Path(given) if given else Path(tempfile.gettempdir()) / f"dalembert-benchmarks-{platform.node()}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def load(lanes: int | None = None) -> Yardsticks:
    """Build, where it is not yet built, and load; SIMD lanes as many as suit the processor.

    Raises:
        FileNotFoundError: there is no compiler.
        subprocess.CalledProcessError: the compiler refuses.
    """
    program = compiler()
    if program is None:
        raise FileNotFoundError("no C compiler")
    command = [program, *FLAGS, f"-DLANES={lanes or _width()}"]
    header = generated_header()
    parts = [*command, version(), header, *(f.read_text() for f in sorted(HERE.glob("*.[ch]")))]
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    library = cache_folder() / f"yardsticks-{name}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
            (Path(folder) / "generated.h").write_text(header)
            made = Path(folder) / "yardsticks.so"
            subprocess.run(
                [*command, f"-I{folder}", str(HERE / "yardsticks.c"), "-o", str(made), "-lm"],
                check=True,
                capture_output=True,
                text=True,
            )
            made.replace(library)
    return Yardsticks(ctypes.CDLL(str(library)))


def _width() -> int:
    """Doubles in a register: 8 with AVX-512, else 4."""
    about = Path("/proc/cpuinfo")
    return 8 if about.exists() and " avx512f" in about.read_text(encoding="utf-8") else 4


def version() -> str:
    """First line of what the compiler says about itself."""
    said = subprocess.run([compiler() or "cc", "--version"], capture_output=True, text=True, check=True).stdout
    return said.splitlines()[0]


class Yardsticks:
    """The functions of the C library on arrays: contiguous, float64. p = m, r, A, C, g."""

    def __init__(self, library: Any) -> None:
        self.library = library
        for name in ("single", "ensemble"):
            for which in ("reduced", "unreduced"):
                getattr(library, f"{name}_{which}").restype = ctypes.c_long

    def batch(self, which: str, Y: np.ndarray, p: np.ndarray, out: np.ndarray) -> Callable[[], None]:
        """A call of `which`, such as ``"unreduced_rows"``: states Y (N, 10), or (10, N) for columns, into `out`."""
        function = getattr(self.library, which)
        count = Y.shape[-1] if which.endswith("columns") else len(Y)
        arguments = (ctypes.c_long(count), _pointer(Y), _pointer(p), _pointer(out))
        return lambda: function(*arguments)

    def single(self, y: np.ndarray, p: np.ndarray, until: float, rtol: float, atol: float) -> np.ndarray:
        """The state at `until` of one motion: 8 numbers are hand-reduced, 10 as the user wrote them."""
        y = np.array(y, float)
        function = getattr(self.library, f"single_{WHICH[len(y)]}")
        if function(_pointer(y), _pointer(p), *map(ctypes.c_double, (until, rtol, atol))) < 0:
            raise ArithmeticError("the yardstick cannot go on")
        return y

    def ensemble(self, Y: np.ndarray, p: np.ndarray, until: float, rtol: float, atol: float) -> np.ndarray:
        """The states (N, 8) or (N, 10) at `until`, in SIMD lanes on one core."""
        Y = np.array(Y, float)
        function = getattr(self.library, f"ensemble_{WHICH[Y.shape[1]]}")
        function(ctypes.c_long(len(Y)), _pointer(Y), _pointer(p), *map(ctypes.c_double, (until, rtol, atol)))
        return Y


def _pointer(array: np.ndarray) -> Any:
    assert array.dtype == float and array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)


def generated_header() -> str:
    """The numbers of the method, from SciPy's tableau, and those of sine and cosine, computed here."""
    rows = [(f"ROW_{s}", row) for s, row in enumerate(tableau.A[:12]) if s] + [("ROW_12", tableau.B)]
    rows += [("E5", tableau.E5), ("E3", tableau.E3)]
    lines = [f"#define {name}(K) ({_sum(row)})" for name, row in rows]
    high, middle, low = _half_pi()
    lines += [f"#define HALF_PI_{i} {v.hex()}" for i, v in enumerate((high, middle, low), 1)]
    # sin(z) = z + z^3 S(z^2) ,  cos(z) = 1 - z^2/2 + z^4 C(z^2)
    lines.append(f"#define SINE(x) ({_horner(_economised(3, 6))})")
    lines.append(f"#define COSINE(x) ({_horner(_economised(4, 6))})")
    return "\n".join([*lines, ""])


def _sum(row: np.ndarray) -> str:
    return " + ".join(f"{float(a).hex()} * K({j})" for j, a in enumerate(row) if a)


def _half_pi() -> tuple[float, float, float]:
    """pi/2 in three parts, the first two of 33 bits."""
    digits = 15707963267948966192313216916397514420985846996875529  # pi/2 times 10^52
    rest, parts = digits * 2**200 // 10**52, []
    for bits in (33, 33, 53):
        shift = rest.bit_length() - bits
        head = rest >> shift << shift
        parts.append(float(head) / 2.0**200)
        rest -= head
    return parts[0], parts[1], parts[2]


def _economised(first: int, count: int) -> list[float]:
    """Coefficients in x = z^2 of sum_k (-1)^(k + 1) z^2k/(first + 2 k)!, or + for cosine, best for |z| <= pi/4."""
    sign = -1 if first % 2 else 1
    series = [sign * (-1) ** k / np.longdouble(factorial(first + 2 * k)) for k in range(12)]
    top = np.longdouble(np.pi / 4 * 1.0001) ** 2
    x = top / 2 * (1 + np.cos(np.pi * (2 * np.arange(count, dtype=np.longdouble) + 1) / (2 * count)))
    differences = sum(a * x**k for k, a in enumerate(series))
    for order in range(1, count):  # Newton's form, then powers
        differences[order:] = (differences[order:] - differences[order - 1 : -1]) / (x[order:] - x[:-order])
    powers = np.zeros(count, np.longdouble)
    for difference, node in zip(differences[::-1], x[::-1], strict=True):
        powers = np.r_[np.longdouble(0), powers[:-1]] - node * powers
        powers[0] += difference
    return [float(c) for c in powers]


def _horner(coefficients: list[float]) -> str:
    text = coefficients[-1].hex()
    for c in coefficients[-2::-1]:
        text = f"({c.hex()} + (x) * {text})"
    return text
