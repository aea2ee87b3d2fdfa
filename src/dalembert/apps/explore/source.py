"""The text of what integrates in a page: the printed step, and the package's own sources around it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from ...numerics.methods.dop853.tableau import ALL_STAGES, E3, E5, STAGES, A, C, D

_KEEP = "    const d = y1[i] - y[i], both = h * (k0[i] + k12[i]);"

_PARTS = ("start.js", "run.js", "events.js", "contacts.js", "motion.js")


def motion_source() -> str:
    """Plain JavaScript without modules, for a page, a worker or node: `solveMotion` and what it needs."""
    folder = files(__package__).joinpath("motion")
    return "\n".join([step(), *(folder.joinpath(name).read_text(encoding="utf-8") for name in _PARTS)])


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
