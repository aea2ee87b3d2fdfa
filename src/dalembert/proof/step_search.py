"""The search for the steps of a proof. Nothing here is proved: what is found is handed to the checker."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, arb_poly, arb_series

from .certificate import FAILURES, FUNCTIONS, Inspection, NotProved, ProvedStep, exact

OPERATIONS: dict[str, Callable] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, **FUNCTIONS}
MORE = 1 + 1e-6  # how much larger a radius is stated than it was found
_ROUNDING = 10  # bits, that a step may lose to the end of its series
_SHORTEST = 2.0**-60  # of a step


def series(inspection: Inspection, x: Sequence[arb], t: arb, h: arb) -> list[list[arb]]:
    """Coefficients of the motion from x in units of h, by Picard's iteration: each pass makes one more right."""
    rows, constants = [[e] for e in x], [e[0] for e in inspection.formulas.constants]
    for j in range(1, inspection.fine.order + 1):
        found: list = [*(arb_series(row, j) for row in rows), arb_series([t, h], j), *constants]
        for name, *places in inspection.formulas.lines:
            found.append(OPERATIONS[name](*(found[i] for i in places)))
        for row, k in zip(rows, inspection.rates, strict=True):
            c = found[k][j - 1] if isinstance(found[k], arb_series) else found[k] if j == 1 else 0
            row.append((h * c / j).mid())
    return rows


def first_set(found: Inspection, data: dict, states: Sequence[arb]) -> None:
    """The set from which a proof begins, around the enclosed start."""
    at = [_whole(e / found.unit) for e in states]
    frame = np.eye(len(at)).tolist()
    apart = [(e - k * found.unit).abs_upper() for e, k in zip(states, at, strict=True)]
    data["nodes"].append({"at": [f"{k:x}" for k in at], "frame": frame, "radii": stated(apart)})
    found.begin(states, data["nodes"][0])


def march(found: Inspection, data: dict, until: Fraction, most: int) -> bool:
    """Steps from the last set of a certificate to a time, each checked as it is made; did they come so far?"""
    h: Fraction | None = Fraction(1, 64)
    while found.t < until and h is not None and len(data["steps"]) < most:
        h = _step(found, data, h, until - found.t)
    return found.t >= until


def _step(found: Inspection, data: dict, h: Fraction, left: Fraction) -> Fraction | None:
    """One step, as long as its defect allows; its length, or None where there is none."""
    order, bits = found.fine.order, data["bits"]
    x = [int(c, 16) * found.unit for c in found.node["at"]]
    try:
        rows = series(found, x, exact(found.t), exact(h))
    except FAILURES:
        return None
    if not all(e.is_finite() for row in rows for e in row):
        return None
    last = max(float(abs(row[j])) ** (1 / j) for row in rows for j in range(order // 2, order + 1))
    wanted = min(float(h) * 2.0 ** ((_ROUNDING - bits) / order) / last if last else math.inf, 8 * float(h))
    while wanted > _SHORTEST:
        part = left
        if wanted < left:
            mantissa, exponent = math.frexp(wanted)
            part = Fraction(math.floor(mantissa * 32), 32) * Fraction(2) ** exponent  # of few digits
        share = _tried(found, data, rows, part, exact(part / h))
        if share is None:
            return part
        wanted = share * float(part)
    return None


def _tried(found: Inspection, data: dict, rows: Sequence[Sequence[arb]], h: Fraction, stretch: arb) -> float | None:
    """Take the step if it is proved with this length; else by what to shorten it."""
    unit, a, frame = found.unit, found.node["radii"], found.node["frame"]
    p = [[_whole(e * stretch**j / unit) for j, e in enumerate(row)] for row in rows]
    polynomials = [arb_poly([e * unit for e in row]) for row in p]
    try:
        arrival = found.arrival(exact(found.t), exact(h), polynomials, frame, a)
    except FAILURES:
        return 0.5
    excess = float(arrival.defect / unit) / 2.0 ** (2 * _ROUNDING)
    if excess > 1:
        return max(0.5, 0.9 * excess ** (-1 / len(rows[0])))
    frame = _frame(arrival.S, a, frame)
    reached = arrival.radii(a, frame, [arb(0)] * len(p))
    step = {"h": str(h), "p": [[f"{e:x}" for e in row[1:]] for row in p], "within": stated(arrival.within)}
    node = {"at": [f"{sum(row):x}" for row in p], "frame": frame, "radii": stated(reached)}
    found.step(step, node)
    data["steps"].append(step)
    data["nodes"].append(node)
    return None


def _whole(e: arb) -> int:
    """A whole number near the middle of a ball."""
    mantissa, exponent = e.mid().man_exp()
    return int(mantissa) << int(exponent) if exponent >= 0 else int(mantissa) >> -int(exponent)


def stated(found: Sequence[arb]) -> list[float]:
    """Radii as they are stated: a little larger."""
    return [float(e) * MORE for e in found]


def _frame(S: arb_mat, a: Sequence[float], before: list[list[float]]) -> list[list[float]]:
    """Lohner's frame: the longest edges of the set first, made orthogonal [lohner1987]."""
    edges = np.array([[float(e) for e in row] for row in S.tolist()]) * np.array(a)
    if not edges.any():
        return before
    longest = np.argsort(-np.linalg.norm(edges, axis=0))
    return np.linalg.qr(edges[:, longest])[0].tolist()


# --- zeros of a guard on the steps -----------------------------------------------------------------------------------

_PARTED = Fraction(4999, 10000)  # where a part is parted: a zero is not met by that
_NARROWEST = Fraction(1, 2**16)  # part of a step, in which several zeros, or a touch, are not told apart
_HALVINGS = 300


def crossings(found: Inspection, guard: int) -> list[list]:
    """Where a guard is 0, as a certificate claims it: the step, a part in which it is monotone, and the zero in it.

    Raises:
        NotProved: it is not decided whether it is 0.
    """
    claimed: list[list] = []
    for k, step in enumerate(found.steps):
        parts = [(Fraction(0), Fraction(1))]
        while parts:
            low, high = parts.pop()
            if found.sign(step, guard, low, high):
                continue
            signs = [found.sign(step, guard, end, end) for end in (low, high)]
            if found.rate(step, guard, low, high).contains(0) or 0 in signs:
                if high - low < _NARROWEST:
                    raise NotProved(f"near t = {float(step.t + step.h * low):g}")
                middle = low + _PARTED * (high - low)
                parts += [(middle, high), (low, middle)]
            elif signs[0] != signs[1]:
                a, b = _narrowed(found, step, guard, low, high, signs[0])
                claimed.append([k, str(low), str(a), str(b), str(high)])
    return claimed


def _narrowed(
    found: Inspection, step: ProvedStep, guard: int, low: Fraction, high: Fraction, first: int
) -> tuple[Fraction, Fraction]:
    """The zero of a monotone guard, by halving as long as its sign is known."""
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        sign = found.sign(step, guard, middle, middle)
        if not sign:
            break
        low, high = (middle, high) if sign == first else (low, middle)
    return low, high
