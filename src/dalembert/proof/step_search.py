"""The search for the steps of a proof. Nothing here is proved: what is found is handed to the checker."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul

import numpy as np
from flint import arb, arb_poly
from scipy.linalg import matrix_balance

from .certificate import FAILURES, Arrival, Formulas, Inspection, NotProved, ProvedStep, exact

MORE = 1 + 1e-6  # how much larger a radius is stated than it was found
_ROUNDING = 10  # bits, that a step may lose to the end of its series
_FLAT = 1e8  # condition number of a frame that is not taken
_SHORTEST = 2.0**-60  # of a step
_FINER = 32  # bits more than stated, with which coefficients are computed
_STRETCH = 1.0  # log2 of what a length may be stretched by


Row = list[int]


class FormulaSeries:
    """Taylor coefficients of all values of the formulas, order by order, as whole numbers in units of 2^-bits.

    Every value's next coefficient follows from what defines it [hairer1993 I.8]; the time goes in units of h.
    """

    def __init__(self, formulas: Formulas, bits: int, first: Sequence[arb]) -> None:
        self.formulas, self.bits = formulas, bits
        self.rows: list[Row] = [[whole_number(e * arb(2) ** bits)] for e in first]
        self.rows += [[whole_number(e[0] * arb(2) ** bits)] for e in formulas.constants]
        self.constants = range(len(first), len(self.rows))
        self.partners: dict[int, Row] = {}  # of sines and cosines; of arc tangents 1 + a^2
        for line in formulas.lines:
            self.rows.append([self._first(*line)])

    def _first(self, name: str, i: int, *more: int) -> int:
        """The value itself."""
        a, b = (self.rows[k][0] for k in (i, more[0] if more else i))
        if name in ("add", "sub"):
            return a + b if name == "add" else a - b
        if name == "mul":
            return a * b >> self.bits
        one = arb(2) ** self.bits
        x = arb(a) / one
        if name in ("sin", "cos"):
            self.partners[len(self.rows)] = [whole_number((x.cos() if name == "sin" else -x.sin()) * one)]
        elif name == "atan":
            self.partners[len(self.rows)] = [whole_number((1 + x * x) * one)]
        return whole_number((1 / x if name == "inv" else getattr(x, name)()) * one)

    def extend(self, states: Sequence[int], time: int) -> None:
        """The next coefficient of every value."""
        rows, bits = self.rows, self.bits
        for row, c in zip(rows, (*states, time), strict=False):
            row.append(c)
        for i in self.constants:
            rows[i].append(0)
        for k, (name, i, *more) in enumerate(self.formulas.lines, self.formulas.given):
            a, y = rows[i], rows[k]
            if name == "add":
                y.append(a[-1] + rows[more[0]][-1])
            elif name == "sub":
                y.append(a[-1] - rows[more[0]][-1])
            elif name == "mul":
                y.append(sum(map(mul, a, rows[more[0]][::-1])) >> bits)
            else:
                y.append(self._next(k, name, a, y))

    def _next(self, k: int, name: str, a: Row, y: Row) -> int:
        """The next coefficient of a function of a."""
        j, bits, back = len(y), self.bits, y[::-1]
        if name == "inv":  # sum a_i y_(j-i) = 0
            return -(sum(map(mul, a[1:], back)) << bits) // (a[0] << bits)
        if name == "sqrt":  # sum y_i y_(j-i) = a_j
            return ((a[j] << bits) - sum(map(mul, y[1:], back))) // (2 * y[0])
        if name in ("log", "atan"):  # sum i y_i w_(j-i) = j a_j
            w = self.partners.get(k, a)
            if name == "atan":
                w.append(sum(map(mul, a, a[::-1])) >> bits)
            known = sum(i * e * f for i, e, f in zip(range(1, j), y[1:], w[j - 1 : 0 : -1], strict=True))
            return ((j * a[j] << bits) - known) // (j * w[0])
        moved = [i * e for i, e in enumerate(a)][1:]
        if name == "exp":  # j y_j = sum i a_i y_(j-i)
            return (sum(map(mul, moved, back)) >> bits) // j
        partner = self.partners[k]  # its rate is -y a'
        found = (sum(map(mul, moved, partner[::-1])) >> bits) // j
        partner.append(-(sum(map(mul, moved, back)) >> bits) // j)
        return found


def polynomials(inspection: Inspection, x: Sequence[arb], t: Fraction, h: Fraction, bits: int) -> list[Row]:
    """Coefficients of the motion from x in units of h."""
    series, unit = FormulaSeries(inspection.formulas, bits, [*x, exact(t)]), whole_number(exact(h) * arb(2) ** bits)
    for j in range(1, inspection.fine.order + 1):
        states = [(unit * series.rows[k][-1] >> bits) // j for k in inspection.rates]
        series.extend(states, unit if j == 1 else 0)
    return series.rows[: len(x)]


def first_set(found: Inspection, data: dict, states: Sequence[arb]) -> None:
    """The set from which a proof begins, around the enclosed start."""
    at = [whole_number(e / found.unit) for e in states]
    frame = np.eye(len(at)).tolist()
    apart = [(e - k * found.unit).abs_upper() for e, k in zip(states, at, strict=True)]
    data["nodes"].append({"at": [f"{k:x}" for k in at], "frame": frame, "radii": stated(apart)})
    found.begin(states, data["nodes"][0])


def march(found: Inspection, data: dict, until: Fraction, most: int) -> bool:
    """Steps from the last set of a certificate to a time, each checked as it is made; did they come so far?"""
    h, ease = Fraction(1, 64), 1.0
    while found.t < until and len(data["steps"]) < most:
        made = _step(found, data, h, until - found.t, ease)
        if made is None:
            break
        h, ease = made
    return found.t >= until


def _step(found: Inspection, data: dict, h: Fraction, left: Fraction, ease: float) -> tuple[Fraction, float] | None:
    """One step, as long as its defect allows; with what the next is begun. None where there is none.

    The length is found from the last coefficients, times what the step before had to be shorter by.
    """
    order, bits = found.fine.order, data["bits"]
    fine = bits + _FINER + order  # one bit more for each power that is stretched
    x = [int(c, 16) * found.unit for c in found.node["at"]]
    while True:
        try:
            rows = polynomials(found, x, found.t, h, fine)
        except FAILURES:
            return None
        upper = [(math.log2(abs(row[j])) - fine) / j for row in rows for j in range(order // 2, order + 1) if row[j]]
        longest = (_ROUNDING - bits) / order - max(upper, default=-math.inf)  # log2 of what h is multiplied by
        if longest <= _STRETCH or h >= left:
            break
        h *= 2 ** math.floor(min(longest, 4.0))
    wanted = ease * float(h) * 2.0 ** min(longest, _STRETCH)
    first = wanted / ease
    while wanted > _SHORTEST:
        part = left
        if wanted < left:
            mantissa, exponent = math.frexp(wanted)
            part = Fraction(math.floor(mantissa * 64), 64) * Fraction(2) ** exponent  # of few digits
        share = _tried(found, data, rows, part, exact(part / h))
        if share is None:
            return (part, min(1.0, 1.05 * wanted / first)) if part < left else (part, ease)
        wanted = share * float(part)
    return None


def _tried(found: Inspection, data: dict, rows: Sequence[Row], h: Fraction, stretch: arb) -> float | None:
    """Take the step if it is proved with this length; else by what to shorten it."""
    unit, a, frame = found.unit, found.node["radii"], found.node["frame"]
    powers = [stretch**j / 2 ** (_FINER + len(rows[0]) - 1) for j in range(len(rows[0]))]
    p = [[whole_number(e * power) for e, power in zip(row, powers, strict=True)] for row in rows]
    paths = [arb_poly([e * unit for e in row]) for row in p]
    try:
        arrival = found.arrival(exact(found.t), exact(h), paths, frame, a)
    except FAILURES:
        return 0.5
    excess = float(arrival.defect / unit) / 2.0 ** (2 * _ROUNDING)
    if excess > 1:
        return max(0.5, 0.9 * excess ** (-1 / len(rows[0])))
    frame, reached = _frame(arrival, a, frame)
    step = {"h": str(h), "p": [[f"{e:x}" for e in row[1:]] for row in p], "within": stated(arrival.within)}
    node = {"at": [f"{sum(row):x}" for row in p], "frame": frame, "radii": stated(reached)}
    found.step(step, node, arrival)
    data["steps"].append(step)
    data["nodes"].append(node)
    return None


def whole_number(e: arb) -> int:
    """A whole number near the middle of a ball."""
    mantissa, exponent = e.mid().man_exp()
    return int(mantissa) << int(exponent) if exponent >= 0 else int(mantissa) >> -int(exponent)


def stated(found: Sequence[arb]) -> list[float]:
    """Radii as they are stated: a little larger."""
    return [float(e) * MORE for e in found]


def _frame(arrival: Arrival, a: Sequence[float], before: Sequence) -> tuple[list[list[float]], list[arb]]:
    """The frame in which the set is smaller, and its radii there: its own edges, or Lohner's [lohner1987].

    His are the longest edges first, made orthogonal, here in units that balance the step's flow.
    """
    ends, none = np.array([[float(e) for e in row] for row in arrival.S.tolist()]), [arb(0)] * len(a)
    units = matrix_balance(ends @ np.linalg.inv(before), permute=False, separate=True)[1][0]
    edges = ends * np.array(a) / units[:, None]
    lengths = np.linalg.norm(edges, axis=0)
    found = []
    for axes in (np.linalg.qr(edges[:, np.argsort(-lengths)])[0], edges / np.where(lengths > 0, lengths, 1.0)):
        frame = (axes * units[:, None]).tolist()
        if np.linalg.cond(axes) < _FLAT:
            reached = arrival.radii(a, frame, none)
            found.append((float((np.abs(axes) @ list(map(float, reached))).max()), frame, reached))
    return min(found)[1:]


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
