"""Lemma 3.1 of [lewis1995]: where the nonholonomic and the vakonomic ball agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from ...claim import Claim, identity
from ...symbolic import solved
from .derived import nonholonomic_motion, vakonomic_motion
from .letters import I, J, Om, ax, ay, lam1, lam2, lamdot, m, r, udot, vx, vy, w3
from .vakonomic_ball import residuals_315


def lemma_3_1() -> Iterator[Claim]:
    """The displays in the proof of Lemma 3.1, and the lemma for Omega != 0."""
    vak, non = vakonomic_motion(), nonholonomic_motion()
    k = m * I * Om / J
    mixed = (
        m * ax + k * vy + Om * (I / J - 1) * lam2 + m * r**2 / J * lam2 * w3,
        m * ay - k * vx + Om * (1 - I / J) * lam1 - m * r**2 / J * lam1 * w3,
    )
    yield identity("Lemma 3.1 proof", "vakonomic equations of x, y with lam", [e.subs(vak) for e in mixed])
    plain = m * ax + k * vy, m * ay - k * vx
    yield identity("Lemma 3.1 proof", "nonholonomic equations of x, y", [e.subs(non) for e in plain])
    # xddot_vak - xddot_non = -(r^2/J) lam2 (xi3 - Omega) ,  yddot_vak - yddot_non = +(r^2/J) lam1 (xi3 - Omega)
    gaps = [vak[ax] - non[ax] + r**2 / J * lam2 * (w3 - Om), vak[ay] - non[ay] - r**2 / J * lam1 * (w3 - Om)]
    yield identity("Lemma 3.1 proof", "same x, y only if lam1 (xi3 - Omega) = lam2 (xi3 - Omega) = 0", gaps)
    rates = solved(residuals_315(dict(zip(lamdot, lamdot, strict=True))), lamdot)
    at_zero = [rates[k].subs({lam1: 0, lam2: 0}) - e for k, e in zip(lamdot, (-k_m() * vy, k_m() * vx), strict=True)]
    yield identity("Lemma 3.1 proof", "lam = 0: lamdot = (m I Omega/J)(-ydot, xdot), 0 only at rest", at_zero)


def k_m() -> sp.Expr:
    """m I Omega/J."""
    return m * I * Om / J


def disagreement(**values: Any) -> list[sp.Expr]:
    """Vakonomic minus nonholonomic accelerations, and lamdot, at lam = 0 and with the given parameters."""
    point = {lam1: 0, lam2: 0, **{sp.Symbol(k, real=True): e for k, e in values.items()}}
    vak, non = vakonomic_motion(), nonholonomic_motion()
    return [*((vak[k] - non[k]).subs(point) for k in udot), *(vak[k].subs(point) for k in lamdot)]


def table_at_rest() -> Iterator[Claim]:
    """Omega = 0: with lam(0) = 0 the vakonomic ball does what the nonholonomic one does, from every start."""
    residuals = disagreement(Omega=0)
    yield identity(
        "Lemma 3.1", "Omega = 0: lam(0) = 0 stays 0 and reproduces every nonholonomic motion", residuals, key=True
    )
