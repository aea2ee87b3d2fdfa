"""Verdicts on systems whose truth was planted: how often they say yes or no falsely, and how often neither.

A case is a system made so that the answer is known by hand: an integral that a potential keeps or breaks, a density
that solves the equation of the volume or cannot, a row that is the rate of a function times a factor or is not, a rest
whose linear motion decays, goes on, or grows with the time. Small coefficients (1e-12 to 1), features far from the
origin, scales of 1e-6 to 1e6 and changes of coordinates with whole numbers are drawn with it. What an answer says
against the truth is a fault; "not decided" is counted; a foreign exception is a fault, a refusal is not decided.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError

X, Y, Z = sp.symbols("x y z", real=True)
VX, VY, VZ = sp.symbols("vx vy vz", real=True)
SPACE = da.coordinates("x y z", velocities="vx vy vz")
PLANE = da.coordinates("x y", velocities="vx vy")


@dataclass(frozen=True)
class Case:
    """One question with its truth.

    Attributes:
        kind: what was planted.
        truth: the answer.
        ask: puts the question; True, False or None.
        shown: the system, in words.
    """

    kind: str
    truth: bool
    ask: Callable[[], bool | None]
    shown: str


def small(rng: random.Random) -> sp.Rational:
    """A coefficient between 1e-12 and 1, of either sign."""
    return sp.Rational(rng.choice([-1, 1]) * rng.randint(1, 9), 10 ** rng.randint(1, 12))


def scale(rng: random.Random) -> sp.Rational:
    """A factor between 1e-6 and 1e6."""
    return sp.Rational(10) ** rng.randint(-6, 6) * rng.randint(1, 9)


def far(rng: random.Random, s: sp.Expr) -> sp.Expr:
    """What is 0, or next to it, about the origin: a corner, a hump."""
    at = rng.choice([-1, 1]) * rng.randint(5, 200)
    width = rng.randint(1, 3)
    corner = sp.Max(0, sp.sign(at) * s - abs(at)) ** rng.choice([2, 3])
    return rng.choice([corner, sp.exp(-(((s - at) / width) ** 2))])


def breaking(rng: random.Random, s: sp.Expr) -> sp.Expr:
    """A term of one coordinate that breaks a symmetry: weak, or far away."""
    return rng.choice([small(rng) * s ** rng.choice([1, 2, 3]), far(rng, s), small(rng) * sp.sin(s)])


# --- integrals --------------------------------------------------------------------------------------------------------


def integral(rng: random.Random) -> Case:
    """An angular momentum, a momentum or the energy, kept or broken."""
    m, k = scale(rng), scale(rng)
    T = m * (VX**2 + VY**2) / 2
    kept = rng.random() < 0.5
    what = rng.choice(["turn", "shift", "energy", "oscillators"])
    forces: dict[str, Any] = {}
    if what == "turn":
        V = k * rng.choice([X**2 + Y**2, sp.sqrt(1 + X**2 + Y**2), (X**2 + Y**2) ** 2, sp.exp(-(X**2) - Y**2)])
        f = X * VY - Y * VX
        V += 0 if kept else breaking(rng, X)
    elif what == "shift":
        V = k * sp.cos(Y) + (0 if kept else breaking(rng, X))
        f = VX
    elif what == "energy":
        V = k * X**2 + Y**4
        field = small(rng) * (1 + X**2)
        forces = {"vx": field * VY, "vy": -field * VX}
        if not kept:
            forces["vx"] += rng.choice([-small(rng) * VX, small(rng) * Y, far(rng, Y)])
        f = T + V
    else:
        V = k * (X**2 + Y**2) / 2 + (0 if kept else small(rng) * k * X**2)
        f = m * VX * VY + k * X * Y
    system = da.System(PLANE, T - V, forces=forces)
    return Case(
        f"integral: {what}", kept, lambda: da.symmetry.conserved(system, f).answer.value, f"{T - V}, {forces}, {f}"
    )


def listed(rng: random.Random) -> Case:
    """Is the momentum of a turn among the integrals that are found? Only where it is kept."""
    kept = rng.random() < 0.5
    k, m = scale(rng), scale(rng)
    V = k * (X**2 + Y**2) + (0 if kept else k * small(rng) * X**2)  # a sum of two numbers is one number, of 16 digits
    system = da.System(PLANE, m * (VX**2 + VY**2) / 2 - V)

    def ask() -> bool | None:
        found = da.symmetry.first_integrals(system)
        turns = [f for f in found if sp.expand(f.expression / (X * VY - Y * VX)).is_number]
        turns += [f for f in found if sp.simplify(f.expression / (X * VY - Y * VX)).is_number and f not in turns]
        return turns[0].answer.value if turns else False

    return Case("integral: listed", kept, ask, str(system.lagrangian))


# --- measures ---------------------------------------------------------------------------------------------------------


def volume(rng: random.Random) -> Case:
    """An invariant volume: a row (1 + k^2 f^2)^(1/2), drag, a force of degree 2, a sleigh, Suslov's body."""
    what = rng.choice(["row", "drag", "quadratic", "cubic", "sleigh", "suslov"])
    exists = True
    if what == "row":
        k = small(rng)
        f = rng.choice([Y, Y**2, sp.sin(Y)])
        system = da.System(SPACE, scale(rng) * (VX**2 + VY**2 + VZ**2) / 2, {"c": VZ - k * f * VX})
    elif what in ("drag", "quadratic", "cubic"):
        c, n = small(rng), {"drag": 1, "quadratic": 2, "cubic": 3}[what]
        system = da.System(PLANE, scale(rng) * (VX**2 + VY**2) / 2 - X**2, forces={"vx": -c * VX**n})
        exists = what == "quadratic"
    elif what == "sleigh":
        q = da.coordinates("x y th", velocities="vx vy w")
        th, w = q["th"], q["w"]
        a = rng.choice([sp.S.Zero, small(rng)])
        L = (VX**2 + VY**2) / 2 + w**2 + a * w * (VY * sp.cos(th) - VX * sp.sin(th))
        system, exists = da.System(q, L, {"b": VY * sp.cos(th) - VX * sp.sin(th)}), a == 0
    else:
        R = da.rotation()
        w1, w2, w3 = R.velocities
        e = rng.choice([sp.S.Zero, small(rng) / 10])
        system, exists = da.System(R, (2 * w1**2 + 3 * w2**2 + w3**2) / 2 + e * w1 * w3, {"s": w3}), e == 0
    return Case(f"measure: {what}", exists, lambda: da.symmetry.measure(system).answer.value, str(system))


def density(rng: random.Random) -> Case:
    """A density that is given, right or with a slip."""
    c, right = small(rng), rng.random() < 0.5
    system = da.System(PLANE, (VX**2 + VY**2) / 2, forces={"vx": -c * VX**2})
    N = sp.exp((2 if right else rng.choice([1, -2, sp.Rational(2000001, 1000000)])) * c * X)
    return Case("measure: given", right, lambda: da.symmetry.measure(system, N).answer.value, f"{c}, {N}")


# --- rows -------------------------------------------------------------------------------------------------------------


def row(rng: random.Random) -> Case:
    """A row that is a rate of F times a factor, or, broken by g(y) dx or g(y) (x dx + dy), is none: a da = F_z g'."""
    F = rng.choice([X * Y + Z, sp.sin(X) + Y * Z, X**2 + Y**2 + 3 * Z, X + Y**3 + Z])
    factor = rng.choice([1, 1 + X**2, sp.exp(Y), scale(rng)])
    phi = factor * sum(F.diff(q) * v for q, v in ((X, VX), (Y, VY), (Z, VZ)))
    holds = rng.random() < 0.5
    if not holds:
        phi += factor * breaking(rng, Y) * (VX if rng.random() < 0.5 else X * VX + VY)
    system = da.System(SPACE, (VX**2 + VY**2 + VZ**2) / 2, {"c": phi})
    return Case("row: holonomic", holds, lambda: da.examine(system).answer.value, str(phi))


# --- stability --------------------------------------------------------------------------------------------------------


def rest(rng: random.Random) -> Case:
    """x'' = -K x - D x' in two freedoms: is the rest stable in its linear motion?

    Planted in coordinates of its own, then mixed by a matrix of whole numbers: decay, oscillation, growth with a rate
    or with the time (a Jordan block on the axis).
    """
    w, what = scale(rng), rng.choice(["decays", "turns", "grows", "slow", "block", "drift"])
    K, D = sp.diag(w**2, (w * rng.randint(2, 4)) ** 2), sp.zeros(2, 2)
    if what == "decays":
        D = sp.diag(w / rng.randint(2, 9), w / rng.randint(2, 9))
    elif what == "grows":
        K[1, 1] = -K[1, 1]
    elif what == "slow":  # its rate is up to 1e-6 of the other
        K[1, 1] = -((w / 10 ** rng.randint(1, 6)) ** 2)
    elif what == "block":
        K = sp.Matrix([[w**2, 0], [w**2 * rng.randint(1, 5), w**2]])
    elif what == "drift":
        K[1, 1] = 0
    n = rng.randint(-3, 3)
    P = sp.Matrix([[1, n], [0, 1]]) * sp.Matrix([[1, 0], [rng.randint(-2, 2), 1]])
    K, D = P * K * P.inv(), P * D * P.inv()
    q, v = sp.Matrix([X, Y]), sp.Matrix([VX, VY])
    Q = -K * q - D * v
    system = da.System(PLANE, (VX**2 + VY**2) / 2, forces={"vx": Q[0], "vy": Q[1]})
    truth = what in ("decays", "turns")

    def ask() -> bool | None:
        said = da.steady(da.free(system), {"x": 0, "y": 0}).verdict
        return {"attracting": True, "stable to first order": True, "unstable": False}.get(said)

    return Case(f"rest: {what}", truth, ask, f"{list(Q)}")


def coincidence(rng: random.Random) -> Case:
    """Are all nonholonomic motions vakonomic? For integrable rows; a vertical row k y vx says no."""
    k = rng.choice([sp.S.Zero, small(rng)])
    phi = rng.choice([VZ - k * Y * VX, VZ - k * Y**2 * VX, VX + VZ - k * sp.sin(Y) * VX])
    system = da.System(SPACE, (VX**2 + VY**2 + VZ**2) / 2 - Z, {"c": phi})

    def ask() -> bool | None:
        return {"always": True, "never": False, "conditions": False}.get(da.coincide(system).verdict)

    return Case("coincide", k == 0, ask, str(phi))


KINDS = (integral, integral, listed, volume, volume, density, row, row, rest, rest, coincidence)


def drawn(seed: int) -> Case:
    """The case of a seed."""
    rng = random.Random(f"verdicts {seed}")
    return rng.choice(KINDS)(rng)


def judged(case: Case) -> str:
    """``right``, ``false yes``, ``false no``, ``not decided``, or what was raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = case.ask()
    except DalembertError as refused:
        return f"refused {refused.code}"
    except Exception as error:
        traceback.print_exc()
        return f"foreign {type(error).__name__}"
    return "not decided" if said is None else "right" if said == case.truth else f"false {'yes' if said else 'no'}"


def main(arguments: list[str]) -> int:
    """Draw cases and count; 1 where an answer is false or an exception foreign, or more than a tenth is not decided."""
    parser = argparse.ArgumentParser(prog="python -m fuzz verdicts")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="one seed, and what was asked")
    given = parser.parse_args(arguments)
    seeds = [given.only] if given.only is not None else range(given.seed, given.seed + given.count)
    counts: Counter[tuple[str, str]] = Counter()
    for seed in seeds:
        case = drawn(seed)
        verdict = judged(case)
        counts[case.kind, verdict] += 1
        if given.only is not None or verdict.startswith(("false", "foreign")):
            print(f"{seed}: {case.kind}: {verdict}; {case.shown}", flush=True)
    verdicts = sorted({verdict for _, verdict in counts})
    print(f"{'':24}" + "".join(f"{v:>14}" for v in verdicts))
    for kind in sorted({kind for kind, _ in counts}):
        print(f"{kind:24}" + "".join(f"{counts[kind, v]:14}" for v in verdicts))
    total = Counter(verdict for (_, verdict), n in counts.items() for _ in range(n))
    print(f"{'all':24}" + "".join(f"{total[v]:14}" for v in verdicts))
    opened = sum(n for v, n in total.items() if v.startswith(("not", "refused")))
    wrong = sum(n for v, n in total.items() if v.startswith(("false", "foreign")))
    return int(wrong > 0 or Fraction(opened, max(1, sum(total.values()))) > Fraction(1, 10))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
