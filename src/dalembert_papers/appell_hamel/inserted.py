"""Section 4 of [xu2007] by insertion: the paper's motion put into either model, any multipliers being allowed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from dalembert import System, satisfies
from dalembert.principles.satisfies import Satisfied

from ..claim import Claim, Group, said, small
from . import given

OMEGA, OVER = sp.Rational(3, 2), (0.3, 2.0)  # away from rest, where (4) loses its rank


def curve(system: System, omega: sp.Expr | int) -> Satisfied:
    """(27) to (29), or straight on for omega = 0, held against the principles."""
    t, A = given.t, given.A_TAU
    w = sp.Symbol("w", positive=True)
    x = A * (t / w * sp.sin(w * t) + sp.cos(w * t) / w**2 - 1 / w**2)
    y = A * (-t / w * sp.cos(w * t) + sp.sin(w * t) / w**2)
    x, y = (e.subs(w, omega) for e in (x, y)) if omega else (A * t**2 / 2, sp.S.Zero)
    turned = A * t**2 / (2 * given.a)
    whole = {"x": x, "y": y, "theta": omega * t, "phi": turned, "z": -given.b * turned}
    values = {s: given.VALUES[s.name] for s in A.free_symbols} | {given.F: system.values()["F"]}
    names = {q.name for q in system.space.coordinates}
    return satisfies(system, {n: e.subs(values) for n, e in whole.items() if n in names}, over=OVER)


def both_models() -> Iterator[Claim]:
    """(27), (28) in the Chetaev and in the vakonomic model, with and without the push."""
    for name, build in (("(1) to (3)", given.linear), ("(1), (4)", given.quadratic)):
        pushed = curve(build(), OMEGA)
        yield small("(27), (28)", f"{name}: the motion is Chetaev's", pushed.nonholonomic.residual, 1e-8)
        statement = f"{name}: pushed and turning, a variation that keeps the constraints lowers its action"
        yield said("(46), (57)", statement, *_lowered(pushed), key=True)
        free = curve(build(F=0.0), OMEGA).vakonomic
        yield small("(57)", f"{name}: without the push it is vakonomic", free.residual, 1e-8)
        straight = curve(build(), 0)
        yield small("(57)", f"{name}: straight on it is, pushed or not", straight.vakonomic.residual, 1e-8)


def _lowered(given: Satisfied) -> tuple[bool, str]:
    """Is the action of a curve lowered by a variation that keeps the constraints, and by how much?"""
    found = given.vakonomic
    if found.holds or found.residual < 1e-3:
        return False, f"it is vakonomic: {found.residual:.1e}"
    change = given.varied(found.variation)
    off = max(change.consistent.values())
    return off < 1e-2 and change.action < 0, f"{found.residual:.1e}, the constraints {off:.1e}, dJ {change.action:.2g}"


def multiplier() -> Iterator[Claim]:
    """(52), (56): the multipliers of the motion that is not pushed."""
    found = curve(given.quadratic(F=0.0), OMEGA).vakonomic.multipliers
    # L - lam phi against the paper's L + lam psi
    wanted = (given.VALUES["m"] + given.VALUES["M"]) / 2
    yield small("(56)", "2 lambda2 = -(m + M)", float(np.abs(found["lam_cone"] - wanted).max()), 1e-7)
    yield small("(52)", "lambda1 = 0", float(np.abs(found["lam_blade"]).max()), 1e-7)


GROUPS: tuple[Group, ...] = (both_models, multiplier)
