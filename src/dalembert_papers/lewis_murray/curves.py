"""Definitions 2.2 and 2.5 and Appendix C.1 of [lewis1995] on given curves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from dalembert import System, coordinates, nonholonomic, satisfies, simulate, vakonomic
from dalembert.calculus.frame import TIME
from dalembert.principles.satisfies import Satisfied
from dalembert.symmetry import affine, allowed
from dalembert.systems import ball_on_turntable as ball

from ..claim import Claim, Group, said, small

LAM = {"lam_roll_x": 2.0, "lam_roll_y": -1.0}


def definitions() -> Iterator[Claim]:
    """The ball's motions held against both definitions."""
    system, begin = ball.system(), {**ball.START, "w3": 0.0}
    first = satisfies(system, simulate(nonholonomic(system), begin, until=2.0, rtol=1e-12))
    yield small("Definition 2.2", "a nonholonomic motion of the ball satisfies it", first.nonholonomic.residual, 1e-8)
    parted = not first.vakonomic.holds and first.vakonomic.residual > 1e-2
    yield said("Lemma 3.1", "and not Definition 2.5, for any multipliers", parted, str(first.vakonomic), key=True)
    yield from _virtual(system, first)
    change = first.varied(first.vakonomic.variation)
    kept = max(change.consistent.values())
    text = f"{kept:.1e}, dJ = {change.action:.3g}"
    lowers = kept < 2e-3 and change.action < 0
    yield said("Definition 2.5", "some variation keeps the constraints and lowers J", lowers, text)
    path = simulate(vakonomic(system), {**begin, **LAM}, until=0.5, rtol=1e-12)
    second = satisfies(system, path)
    yield small("Definition 2.5", "a vakonomic motion of the ball satisfies it", second.vakonomic.residual, 1e-7)
    run, found = path.at(second.t), second.vakonomic.multipliers
    missed = max(float(np.abs(lam - run[n]).max()) for n, lam in found.items())
    yield small("(2.2)", "with the multipliers it was run with", missed, 1e-6)
    parted = not second.nonholonomic.holds and second.nonholonomic.residual > 1e-2
    yield said("Definition 2.2", "and not the other definition", parted, str(second.nonholonomic))


def _virtual(system: System, motion: Satisfied) -> Iterator[Claim]:
    """Proposition 2.3: dJ u = 0 for u in D that vanishes at the ends, and not for others."""
    bump = sp.sin(sp.pi * TIME / 2)
    along = {name: {n: e * bump for n, e in X.items()} for name, X in allowed(system).fields.items()}
    changes = [motion.varied(u) for u in along.values()]
    virtual = all(change.is_virtual for change in changes)
    largest = max(abs(change.action) for change in changes)
    yield small("Proposition 2.3", "dJ u = 0 along the ball's motion, u = sin(pi t/2) X, X in D", largest, 1e-6)
    slipping = motion.varied({"vx": bump})
    text = f"dJ u = {slipping.action:.3g}"
    right = virtual and not slipping.is_virtual and abs(slipping.action) > 1e-2
    yield said("Proposition 2.3", "and dJ u != 0 for a u that slips", right, text)


def by_fields() -> Iterator[Claim]:
    """Definition 2.1: the ball's (D, gamma) by fields instead of forms."""
    system = ball.system()
    along: dict[str, dict[sp.Symbol | str, object]] = {
        "x": {"vx": "r", "w2": 1},
        "y": {"vy": "-r", "w1": 1},
        "spin": {"w3": 1},
    }
    rows = affine(system.space, along, {"vx": "-Omega*y", "vy": "Omega*x"}, parameters=[*system.parameters])
    path = simulate(nonholonomic(system), {**ball.START, "w3": 0.0}, until=1.0, rtol=1e-12)
    found = satisfies(system.changed(constraints=rows), path)
    kept = max(found.constraints.values())
    yield small("Definition 2.1", "the ball's motion keeps (D, gamma) given by fields", kept, 1e-9)
    yield small("(2.1)", "and is nonholonomic with the forms that annihilate D", found.nonholonomic.residual, 1e-8)


def abnormal() -> Iterator[Claim]:
    """Where g of (C.1) is no submersion: some multipliers, not all 0, annihilate its derivative."""
    where, q = "Appendix C.1", coordinates("x y z")

    def line(slope: str, y: str) -> Satisfied:
        rise = {"rise": f"dot(z) - ({slope})*dot(x)"}
        system = System(q, "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2", rise)
        return satisfies(system, {"x": "t", "y": y, "z": f"({slope.replace('y', y)})*t"}, over=(0.0, 1.0))

    # lam dw(qdot, .) = 0 on D:  dw = y dx ^ dy for Martinet's form, dx ^ dy for the contact form
    lines = (
        ("Martinet, along y = 0", "y^2/2", "0", 1),
        ("Martinet, beside it", "y^2/2", "1", 0),
        ("contact", "y", "0", 0),
    )
    for name, slope, y, wanted in lines:
        found = line(slope, y).vakonomic.abnormal
        yield said(where, f"{name}: {wanted} ways in which g is no submersion", found == wanted, str(found))


GROUPS: tuple[Group, ...] = (definitions, by_fields, abnormal)
