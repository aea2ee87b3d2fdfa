"""The stages of DOP853 as JavaScript, printed from the tableau: the step, its error, its dense output.

    dop853Step(rhs, t, h, y, p, k, z, n)                 k[1..11], the new state in z; k[0] is the derivative at y
    dop853Error(h, y, z, k, rtol, atol, n)               norm of the error over n components, at most 1 where it is good
    dop853Dense(rhs, t, h, y, y1, p, k, z, F, at, n)     coefficients F[at ...] (7 n) of the step to y1; k[12] is known

k holds 16 arrays of n numbers and a rank margin; the method is that of `numerics.methods.dop853`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...numerics.methods.dop853.tableau import ALL_STAGES, E3, E5, STAGES, A, C, D

_KEEP = "    const d = y1[i] - y[i], both = h * (k0[i] + k12[i]);"


def step() -> str:
    """The three functions."""
    return "\n".join([_step(), _error(), _dense()])


def _step() -> str:
    lines = [line for s in range(1, STAGES) for line in (_moved(s), _evaluated(s))]
    return _function("dop853Step", "rhs, t, h, y, p, k, z, n", STAGES, [*lines, _moved(STAGES)])


def _error() -> str:
    """err = |h| |e5|^2 / sqrt(n (|e5|^2 + |e3|^2 / 100))  [hairer1993, II.10]"""
    lines = [
        "  let e5 = 0.0, e3 = 0.0;",
        "  for (let i = 0; i < n; i++) {",
        "    const w = 1.0 / (atol + rtol * Math.max(Math.abs(y[i]), Math.abs(z[i])));",
        f"    const a = ({_sum(E5)}) * w, b = ({_sum(E3)}) * w;",
        "    e5 += a * a;",
        "    e3 += b * b;",
        "  }",
        "  return (Math.abs(h) * e5) / Math.sqrt(Math.max((e5 + 0.01 * e3) * n, 1e-300));",
    ]
    return _function("dop853Error", "h, y, z, k, rtol, atol, n", STAGES, lines)


def _dense() -> str:
    lines = [line for s in range(STAGES + 1, ALL_STAGES) for line in (_moved(s), _evaluated(s))]
    rows = ["d", "h * k0[i] - d", "d + d - both", *(f"h * ({_sum(row)})" for row in D)]
    lines += ["  for (let i = 0; i < n; i++) {", _KEEP]
    lines += [f"    F[at + {m} * n + i] = {row};" for m, row in enumerate(rows)]
    return _function("dop853Dense", "rhs, t, h, y, y1, p, k, z, F, at, n", ALL_STAGES, [*lines, "  }"])


def _function(name: str, arguments: str, stages: int, lines: Iterable[str]) -> str:
    known = ", ".join(f"k{s} = k[{s}]" for s in range(stages))
    return "\n".join([f"function {name}({arguments}) {{", f"  const {known};", *lines, "}"])


def _moved(s: int) -> str:
    # y + h sum_j a_sj k_j
    return f"  for (let i = 0; i < n; i++) z[i] = y[i] + h * ({_sum(A[s])});"


def _evaluated(s: int) -> str:
    return f"  rhs(t + {float(C[s])!r} * h, z, p, k{s});"


def _sum(weights: Iterable[float]) -> str:
    return " + ".join(f"{float(w)!r} * k{j}[i]" for j, w in enumerate(weights) if w).replace("+ -", "- ")
