"""The certificate of a motion, and the program that checks it; it uses nothing of the library but this file.

A certificate is JSON. It states x' = f(t, x) as operations on numbered values, a start, and steps. A step is a length h
and a polynomial p(tau) for each state, in units of 2^-bits; between steps stand sets {c + F w, |w_i| <= a_i}.

Why a step is proved. Let e = x - p, t = t0 + h tau, 0 <= tau <= 1, and e(0) = F w.

1. The defect d = h f(p) - p' is bounded by D, as a function of tau with a remainder.
2. On the tube |e_i| <= R the functions are defined and h df/dx lies in J(tau). As long as x is in the tube,
   e' = A e + d with some A(tau) in J: the mean of the Jacobian between p and x.
3. For polynomials S with S(0) = F let e = S w + v. Then v(0) = 0, v' = A v + (A S - S') w + d, and so
   |v| <= exp(M) (E a + D), where E = sup |J S - S'| and M = sup |J_ij|, on the diagonal max(0, sup J_ii).
4. If |S| a + |v| < R, x cannot leave the tube; it exists to the end of the step, and lies there.
5. In the next set e(1) + p(1) = c + F' w', so that w' = F'^-1 (S(1) w + v + p(1) - c).

Arb's balls round outwards [johansson2017]. A polynomial of balls stands for all functions that lie in it at every tau.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from operator import methodcaller
from typing import NamedTuple

from flint import arb, arb_mat, arb_poly, arb_series, ctx, fmpq

FORMAT, VERSION = "proof of a motion", 1
UNIT, ZERO = arb(0.5, 0.5), arb(0)
LEAST = Fraction(1, 2**20)  # part of a step, in which it is asked whether a guard is 0
WIDE = 16  # R, in what is known before the step is made
SLACK = 1e-5  # the part of itself by which a radius may be stated larger than it has to be
Slopes = dict[int, arb_poly]  # derivatives by inputs; those that are 0 may be left out
FAILURES = (ValueError, ZeroDivisionError)  # a claim that is refused, or a divisor that may be 0
FUNCTIONS: dict[str, Callable[[arb_series], arb_series]] = {
    "inv": lambda a: 1 / a,
    **{name: methodcaller(name) for name in ("sqrt", "exp", "log", "sin", "cos", "atan")},
}


class NotProved(ValueError):
    """What is claimed does not follow."""


@contextmanager
def working(bits: int, order: int) -> Iterator[None]:
    """With so many digits, and series of this order."""
    before, ctx.cap = ctx.cap, order + 2
    try:
        with ctx.workprec(bits):
            yield
    finally:
        ctx.cap = before


def exact(value: Fraction | str) -> arb:
    """A fraction."""
    return arb(fmpq(*Fraction(value).as_integer_ratio()))


def bound(p: arb_poly) -> arb:
    """What |p(tau)| is at most."""
    return p(UNIT).abs_upper()


class Bands:
    """Operations on functions of tau; what lies above the order becomes a remainder."""

    def __init__(self, order: int) -> None:
        self.order = order

    def cut(self, p: arb_poly) -> arb_poly:
        """The same function with a shorter polynomial."""
        above = p.right_shift(self.order + 1)
        return p.truncate(self.order + 1) + arb(0, bound(above)) if above.degree() >= 0 else p

    def times(self, a: arb_poly, b: arb_poly) -> arb_poly:
        """a b."""
        return self.cut(a * b)

    def apply(self, name: str, g: arb_poly) -> arb_poly:
        """A function of P + r: its series at 0, Lagrange's remainder of f(P) anywhere on the step, and f' r."""
        if name not in FUNCTIONS:
            raise NotProved(f"{name} is no function")
        f, P, n = FUNCTIONS[name], arb_poly([e.mid() for e in g.coeffs()]), self.order + 1
        series, slope = f(arb_series(P.coeffs(), n)), f(arb_series([g(UNIT), 1], 2))
        rest = f(arb_series(P(arb_poly([UNIT, 1])).coeffs(), n + 1))
        if (series.prec, slope.prec, rest.prec) != (n, 2, n + 1):
            raise NotProved("a series was cut short")
        return arb_poly(series.coeffs()) + arb(0, (abs(rest[n]) + abs(slope[1]) * bound(g - P)).abs_upper())

    def derivative(self, name: str, a: arb_poly, y: arb_poly) -> arb_poly:
        """Of y = name(a)."""
        if name in ("sin", "cos"):
            return self.apply("cos", a) if name == "sin" else -self.apply("sin", a)
        if name in ("exp", "inv"):
            return y if name == "exp" else -self.times(y, y)
        return self.apply("inv", {"sqrt": 2 * y, "log": a, "atan": 1 + self.times(a, a)}[name])


class Formulas:
    """Numbered values: the inputs, the constants, then one for each line [name, i] or [name, i, j]."""

    def __init__(self, inputs: int, data: Mapping) -> None:
        self.constants, self.lines = [arb_poly([exact(text)]) for text in data["constants"]], data["lines"]
        self.given = inputs + len(self.constants)

    def run(self, bands: Bands, inputs: Sequence[arb_poly], by: int = 0) -> tuple[list[arb_poly], list[Slopes]]:
        """All values, and their derivatives by the first inputs."""
        found, slopes = [*inputs, *self.constants], list[Slopes]()
        slopes += [{i: arb_poly([1])} if i < by else {} for i in range(self.given)]
        for name, i, *more in self.lines:
            a, b, row, parts = found[i], found[more[0] if more else i], Slopes(), list[tuple]()
            if name in ("add", "sub"):
                sign = 1 if name == "add" else -1
                found.append(a + sign * b)
                parts = [(slopes[i], 1), (slopes[more[0]], sign)]
            elif name == "mul":
                found.append(bands.times(a, b))
                parts = [(slopes[i], b), (slopes[more[0]], a)]
            else:
                found.append(bands.apply(name, a))
                parts = [(slopes[i], bands.derivative(name, a, found[-1]))] if slopes[i] else []
            for part, factor in parts:
                for x, d in part.items():
                    d = bands.times(factor, d) if isinstance(factor, arb_poly) else factor * d
                    row[x] = row[x] + d if x in row else d
            slopes.append(row)
        return found, slopes


def zero(formulas: Formulas, rows: Sequence[int], x: Sequence[arb], r: Sequence[float], by: Sequence) -> list[arb]:
    """How near to x the one zero of the rows within |y - x| <= r lies [krawczyk1969]: |C f(x)| + |1 - C f'| r < r."""
    n = range(len(x))
    f, _ = formulas.run(Bands(0), [arb_poly([e]) for e in x])
    _, slopes = formulas.run(Bands(0), [arb_poly([e + arb(0, s)]) for e, s in zip(x, r, strict=True)], len(x))
    move = arb_mat(by) * arb_mat([[f[k][0]] for k in rows])
    turn = arb_mat(by) * arb_mat([[slopes[k][j][0] if j in slopes[k] else 0 for j in n] for k in rows])
    found = [abs(move[i, 0]) + sum((abs((i == j) - turn[i, j]) * r[j] for j in n), ZERO) for i in n]
    if not all(e < s for e, s in zip(found, r, strict=True)):
        raise NotProved("it is not proved that there is one zero in the box")
    return [e.abs_upper() for e in found]


class Arrival(NamedTuple):
    """Where a step leads: e(1) = S w + v with |v| <= off, and |e| <= within on the way; |d| <= defect."""

    S: arb_mat
    off: list[arb]
    within: list[arb]
    defect: arb

    def radii(self, a: Sequence[float], frame: Sequence, apart: Sequence[arb]) -> list[arb]:
        """5: |w'| in the next frame, where p(1) - c is `apart`."""
        over = arb_mat(frame).inv()
        W, rest, n = over * self.S, [v + abs(e) for v, e in zip(self.off, apart, strict=True)], range(len(a))
        return [sum((abs(W[i, j]) * a[j] + abs(over[i, j]) * rest[j] for j in n), ZERO).abs_upper() for i in n]


class ProvedStep(NamedTuple):
    """One step as it was proved: |x - p| <= within for t = t0 + h tau."""

    t: Fraction
    h: Fraction
    p: list[arb_poly]
    within: list[arb]

    def box(self, low: Fraction, high: Fraction) -> list[arb_poly]:
        """The states, and the time, from tau = low to tau = high."""
        tau = exact(low).union(exact(high))
        states = [e(tau) + arb(0, r) for e, r in zip(self.p, self.within, strict=True)]
        return [arb_poly([e]) for e in (*states, exact(self.t) + exact(self.h) * tau)]


class Inspection:
    """x' = f(t, x), what a certificate states of it, and the steps that are proved."""

    def __init__(self, data: Mapping) -> None:
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise NotProved(f"this program checks a {FORMAT} of version {VERSION}")
        self.formulas, self.rates = Formulas(len(data["states"]) + 1, data), data["rates"]
        self.fine, self.coarse, self.unit = Bands(data["order"]), Bands(data["slope_order"]), arb(2) ** -data["bits"]
        self.t, self.steps, self.node = Fraction(data["start"]["t"]), list[ProvedStep](), data

    def first(self, start: Mapping) -> list[arb]:
        """The states at the start: what is unknown of it is the one zero of its constraints."""
        formulas, x = Formulas(len(start["unknown"]), start), list(map(exact, start["unknown"].values()))
        r = zero(formulas, start["rows"], x, start["radii"], start["by"]) if x else []
        found, _ = formulas.run(Bands(0), [arb_poly([e + arb(0, s)]) for e, s in zip(x, r, strict=True)])
        nothing = {k for k, text in enumerate(start["constants"], len(x)) if Fraction(text) == 0}
        if not {*start["resting"]} <= {*start["rows"], *nothing}:
            raise NotProved("a rate that is said to be 0 may be another")
        return [found[k][0] for k in start["states"]]

    def begin(self, states: Sequence[arb], node: Mapping) -> None:
        """The start lies in the first set."""
        n = len(states)
        still, apart = Arrival(arb_mat(n, n), [ZERO] * n, [], ZERO), self.apart(states, node)
        agree(still.radii([0.0] * n, node["frame"], apart), node["radii"], "the first set")
        self.node = node

    def apart(self, states: Sequence[arb], node: Mapping) -> list[arb]:
        """How far states lie from the middle of a set."""
        return [(e - int(c, 16) * self.unit).abs_upper() for e, c in zip(states, node["at"], strict=True)]

    def step(self, step: Mapping, node: Mapping, arrival: Arrival | None = None) -> None:
        """From the last set to the next; where the step leads is computed, unless it was."""
        h, before = Fraction(step["h"]), self.node
        whole = [[c, *row] for c, row in zip(before["at"], step["p"], strict=True)]
        p = [arb_poly([int(e, 16) * self.unit for e in row]) for row in whole]
        arrival = arrival or self.arrival(exact(self.t), exact(h), p, before["frame"], before["radii"])
        apart = self.apart([e(arb(1)) for e in p], node)
        agree(arrival.radii(before["radii"], node["frame"], apart), node["radii"], "the set at its end")
        agree(arrival.within, step["within"], "its width")
        self.steps.append(ProvedStep(self.t, h, p, list(map(arb, step["within"]))))
        self.t, self.node = self.t + h, node

    def arrival(self, t: arb, h: arb, p: Sequence[arb_poly], frame: Sequence, a: Sequence[float]) -> Arrival:
        """1 to 4: where the motions go that begin in p(0) + frame w, |w| <= a."""
        time, places = arb_poly([t, h]), range(len(p))
        f, _ = self.formulas.run(self.fine, [*p, time])
        D = [bound(h * f[k] - e.derivative()) for k, e in zip(self.rates, p, strict=True)]
        defect = max(D)
        begun = [sum((abs(arb(f)) * r for f, r in zip(row, a, strict=True)), ZERO) for row in frame]
        R = (WIDE * (max(begun) + defect + self.unit)).abs_upper()
        tube = [self.coarse.cut(e) + arb(0, R) for e in p]
        _, slopes = self.formulas.run(self.coarse, [*tube, time], len(p))
        J = [{j: h * d for j, d in slopes[k].items()} for k in self.rates]
        S, M = self.fundamental(J, frame), arb_mat(len(p), len(p))
        for i, row in enumerate(J):
            for j, slope in row.items():
                M[i, j] = slope(UNIT).upper().max(ZERO) if i == j else bound(slope)
            for k in places:
                e = sum((slope * S[j][k] for j, slope in row.items()), -S[i][k].derivative())
                D[i] += bound(self.coarse.cut(e)) * a[k]
        v = M.exp() * arb_mat([[e] for e in D])
        off = [v[i, 0].abs_upper() for i in places]
        within = [sum((bound(e) * r for e, r in zip(S[i], a, strict=True)), off[i]) for i in places]
        if not all(w < R for w in within):
            raise NotProved("the motion may leave the tube")
        return Arrival(arb_mat([[e(arb(1)) for e in row] for row in S]), off, within, defect)

    def fundamental(self, J: Sequence[Slopes], frame: Sequence) -> list[list[arb_poly]]:
        """S near the solution of S' = J S, S(0) = F:  j S_j = sum_i J_i S_(j-1-i)."""
        n, order = range(len(J)), self.coarse.order
        parts = [arb_mat([[row[j][l].mid() if j in row else 0 for j in n] for row in J]) for l in range(order)]
        S = [arb_mat(frame)]
        for j in range(1, order + 1):
            S.append((sum((parts[l] * S[j - 1 - l] for l in range(1, j)), parts[0] * S[j - 1]).mid() / j).mid())
        return [[arb_poly([s[i, k] for s in S]) for k in n] for i in n]

    def crossings(self, guard: int, claimed: Sequence) -> None:
        """The guard is 0 once in [a, b] of each claimed [low, high], where its rate is not 0, and nowhere else."""
        for k, step in enumerate(self.steps):
            ends = [Fraction(0)]
            for low, a, b, high in (map(Fraction, part) for at, *part in claimed if at == k):
                passed = self.sign(step, guard, a, a) * self.sign(step, guard, b, b) == -1
                if not (low <= a < b <= high and passed) or self.rate(step, guard, low, high).contains(0):
                    raise NotProved(f"step {k + 1}: it is not proved that the guard is 0 once where it is claimed")
                ends += [low, high]
            parts = list(zip(ends[::2], [*ends[1::2], Fraction(1)], strict=True))
            while parts:
                low, high = parts.pop()
                if not self.sign(step, guard, low, high):
                    if high - low < LEAST:
                        raise NotProved(f"step {k + 1}: the guard may be 0 where it is not claimed")
                    parts += [(low, (low + high) / 2), ((low + high) / 2, high)]

    def rate(self, step: ProvedStep, guard: int, low: Fraction, high: Fraction) -> arb:
        """Of the guard on a part of a step."""
        found, slopes = self.formulas.run(Bands(0), step.box(low, high), len(self.rates) + 1)
        speeds = [*(found[i][0] for i in self.rates), 1]
        return sum((d[0] * speeds[x] for x, d in slopes[guard].items()), ZERO)

    def sign(self, step: ProvedStep, guard: int, low: Fraction, high: Fraction) -> int:
        """Of the guard on a part of a step; 0 where it may be 0."""
        value = self.formulas.run(Bands(0), step.box(low, high))[0][guard][0]
        return 1 if value > 0 else -1 if value < 0 else 0


def agree(found: Sequence[arb], stated: Sequence[float], what: str) -> None:
    """What is stated is at least what was found, and hardly more."""
    if not all(e <= s and s * (1 - SLACK) <= e for e, s in zip(found, stated, strict=True)):
        raise NotProved(f"{what} is not what follows")


def check(data: Mapping) -> Inspection:
    """Check a whole certificate (NotProved: with what fails, and where)."""
    with working(data["bits"] + 32, data["order"]):
        found = Inspection(data)
        found.begin(found.first(data["start"]), data["nodes"][0])
        for k, (step, node) in enumerate(zip(data["steps"], data["nodes"][1:], strict=True), 1):
            try:
                found.step(step, node)
            except FAILURES as why:
                raise NotProved(f"step {k}, from t = {float(found.t):g}: {why}") from None
        for event in data["events"].values():
            found.crossings(event["guard"], event["crossings"])
        return found
