"""The vakonomic ball without R: (3.11) to (3.15) of [lewis1995]."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from dalembert.model.space_factors import hat

from ...claim import Claim, identity
from ...symbolic import motion_rows, solved
from .derived import vakonomic_form, vakonomic_motion
from .extended_space import FLOW, XI, XIDOT, V, derivative_of_39d, equation_39a, equation_39b, modulo_39d
from .letters import I, Om, a1, a2, e1, e2, lam1, lam2, lamdot, ld1, ld2, m, r, udot, vx, vy, w3


def equation_311() -> sp.Matrix:
    """I xidot + hat(xi)(lam2 r e1 - lam1 r e2) + lamdot1 r e2 - lamdot2 r e1."""
    return I * XIDOT + hat(XI) * (lam2 * r * e1 - lam1 * r * e2) + ld1 * r * e2 - ld2 * r * e1


def reduced_vakonomic() -> Iterator[Claim]:
    """(3.11) by the paper's route and by the library's; (3.12) to (3.14) by the library's."""
    along = derivative_of_39d().xreplace(FLOW)
    yield identity("(3.11)", "from (3.9c), (3.9d) and (3.7)", modulo_39d(along - (V.T * equation_311())[0]))
    rows = motion_rows(vakonomic_form(), udot, lamdot)
    yield identity("(3.11)", "by the library, without Lam", sp.Matrix(rows[2:]) - equation_311())
    yield identity("(3.12)", "vakonomic equation of x", rows[0] - equation_39a())
    yield identity("(3.13)", "vakonomic equation of y", rows[1] - equation_39b())
    yield identity("(3.14)", "vakonomic equations of xi", sp.Matrix(rows[2:]) - equation_311())


def multiplier_rates() -> Iterator[Claim]:
    """The display of (lamdot1, lamdot2) after (3.11), and (3.15)."""
    # lamdot1 = -(I/r) xidot2 - lam2 xi3 ,  lamdot2 = (I/r) xidot1 + lam1 xi3
    printed = {ld1: -I / r * a2 - lam2 * w3, ld2: I / r * a1 + lam1 * w3}
    rows = motion_rows(vakonomic_form(), udot, lamdot)
    found = solved(rows[2:4], lamdot)
    yield identity("after (3.11)", "the display of (lamdot1, lamdot2)", [found[k] - printed[k] for k in lamdot])
    yield identity("(3.15)", "lamdot from lam, the velocity and xi3", residuals_315(vakonomic_motion()), key=True)


def residuals_315(motion: dict[sp.Symbol, sp.Expr]) -> list[sp.Expr]:
    """(1 + I/(m r^2)) lamdot - right side of (3.15)."""
    factor, c = 1 + I / (m * r**2), I * Om / (m * r**2)
    right = (
        -c * lam2 - I * Om / r**2 * vy - lam2 * w3,
        c * lam1 + I * Om / r**2 * vx + lam1 * w3,
    )
    return [factor * motion[k] - e for k, e in zip(lamdot, right, strict=True)]
