"""The misprints of [xu2007], each shown to fail as printed and to hold as repaired."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ..claim import Claim, Group, identity, pair
from . import chetaev, newton_euler, vakonomic_model
from .given import A_TAU, CONE, I, M, a, aphi, b, cos, m, rolled, sin, t, vphi, vx, vy, vz
from .newton_euler import along, beginning, omega, residuals, start_i, start_ii, theta0, velocity_ii, x0, y0

DAMAGED = 1 / (2 * I + (m + M) * a**2 + m * b**2)  # the fraction of (17), (18), (24), (25) as printed


# --- section 2 -------------------------------------------------------------------------------------------------------


def one_sign() -> Iterator[Claim]:
    """(4), (5) and the last step of (10): the sign of phidot."""
    v = sp.Symbol("v", real=True)  # (1) holds: xdot = v cos theta, ydot = v sin theta
    upwards = {vx: v * cos, vy: v * sin, vz: b / a * v}  # the block rises while the wheel rolls forwards
    # phi eliminated from (2) and (3): zdot + (b/a)(xdot cos theta + ydot sin theta) = 0
    linear = vz + b / a * (vx * cos + vy * sin)
    yield identity("(4)", "zdot = +(b/a) v with (1) satisfies (4)", rolled(CONE.xreplace(upwards)))
    yield from pair(
        "(4)",
        "with (1) it is equivalent to (1) to (3)",
        rolled(linear.xreplace(upwards)),
        "with (1) it is (zdot + (b/a) v)(zdot - (b/a) v) = 0, one factor too many",
        rolled((CONE + a**2 / b**2 * linear * (vz - b / a * v)).xreplace({vx: v * cos, vy: v * sin})),
        key=True,
    )
    forwards = {vphi: sp.Symbol("phidot", nonnegative=True)}
    rolling = {vx: a * vphi * cos, vy: a * vphi * sin, vz: -b * vphi}
    speed = sp.sqrt(vx**2 + vy**2)
    fifth = sp.simplify((vz + b / a * speed).xreplace(rolling))
    yield from pair("(5)", "for every phidot", fifth, "for phidot >= 0", fifth.subs(forwards), key=True)
    # d/dt sqrt(xdot^2 + ydot^2) = (xdot xddot + ydot yddot)/sqrt(xdot^2 + ydot^2), with A_tau = a phiddot
    growth = a * vphi * a * aphi / sp.sqrt((a * vphi) ** 2) - a * aphi
    text = "d/dt sqrt(xdot^2 + ydot^2) = a phiddot"
    yield from pair("(10)", f"{text} for every phidot", growth, f"{text} for phidot > 0", growth.subs(forwards))
    mirrored = growth + a * aphi + a * aphi
    yield identity("(10)", "for phidot < 0 it is -a phiddot", mirrored.subs(vphi, -sp.Symbol("p", positive=True)))


def straight_line() -> Iterator[Claim]:
    """(17), (18)."""
    repaired = start_i(newton_euler.HALF)
    yield from pair(
        "(17), (18)",
        "x0 + a t^2 cos theta0/(2I + (m+M)a^2 + m b^2) solves the equations",
        along(start_i(DAMAGED)),
        "x0 + (1/2) (Fa + mgb)/(I + (m+M)a^2 + m b^2) a t^2 cos theta0 does",
        [*along(repaired), *beginning(repaired, x0, y0, theta0, 0)],
        key=True,
    )


def velocities() -> Iterator[Claim]:
    """(24), (25)."""
    X, Y, heading = start_ii()
    right = velocity_ii(A_TAU * t)
    integrates = [p - e.diff(t) for p, e in zip(right, (X, Y), strict=False)]
    printed = velocity_ii(DAMAGED * a * t**2)
    yield from pair(
        "(24), (25)",
        "a t^2 cos(omega t)/(2I + (m+M)a^2 + m b^2) solves the equations",
        residuals(*printed),
        "A_tau t cos(omega t), A_tau t sin(omega t) do, and integrate to (27), (28)",
        [*residuals(*right), *integrates, heading - right[2]],
        key=True,
    )
    only_power = velocity_ii(DAMAGED * a * t)
    yield identity("(24), (25)", "t for t^2 alone repairs them", residuals(*only_power), expected=False)


def heading() -> Iterator[Claim]:
    """(22) against (24) to (29)."""
    turned = start_ii(theta0)
    yield from pair(
        "(22)",
        "(27) to (29) have theta(0) = theta0",
        beginning(start_ii(), 0, 0, theta0, omega),
        "(27), (28) turned by theta0, theta = omega t + theta0, do and solve the equations",
        [*beginning(turned, 0, 0, theta0, omega), *along(turned)],
        key=True,
    )


# --- section 3 -------------------------------------------------------------------------------------------------------


def normalisation() -> Iterator[Claim]:
    """The lambda2 of (35) to (37) is not that of (48) to (50)."""
    where, lam1, lam2 = "(35) to (37)", chetaev.lam1, chetaev.lam2
    whole = chetaev.rows(1)
    yield from pair(
        where,
        "Chetaev's equations with (4) as it stands, the lambda2 of (48) to (50)",
        chetaev.gap(whole, chetaev.printed()),
        "2 lambda2 of Chetaev's equations with (4) is their lambda2",
        chetaev.gap([e.subs(lam2, lam2 / 2) for e in whole], chetaev.printed()),
        key=True,
    )
    # (47) is (32) with -lamdot for lam where lam itself is 0
    vakonomic = [e.subs({lam1: 0, lam2: 0}) for e in vakonomic_model.rows()]
    pushed = {vakonomic_model.ld1: -lam1, vakonomic_model.ld2: -lam2}
    same = chetaev.gap([e.subs(pushed) for e in vakonomic], whole)
    yield identity("(48) to (50)", "at lambda = 0 they are (32) with (4) as it stands and lambda = -lambdadot", same)


# --- section 4 -------------------------------------------------------------------------------------------------------


def signs() -> Iterator[Claim]:
    """(48) and (49)."""
    library = vakonomic_model.rows()
    right, printed = vakonomic_model.equations(), vakonomic_model.equations(sign_48=+1, sign_49=-1)
    forms = {
        "(48)": ("F cos theta + d/dt(lambda1 sin theta + 2 lambda2 xdot)", "F cos theta - d/dt(...)"),
        "(49)": (
            "F sin theta - d/dt(lambda1 cos theta + 2 lambda2 ydot)",
            "F sin theta + d/dt(lambda1 cos theta - 2 lambda2 ydot)",
        ),
    }
    for i, (where, (wrong, repaired)) in enumerate(forms.items()):
        residuals_of = [sp.expand(e[i] - library[i]) for e in (printed, right)]
        yield from pair(where, wrong, residuals_of[0], repaired, residuals_of[1], key=True)
    first, second = (vakonomic_model.turning(e[:2]) for e in (printed, right))
    yield from pair(
        "(53), (54)",
        "follow from (48), (49) as printed",
        vakonomic_model.along_53_54(*first),
        "follow from (48), (49) with the signs repaired",
        vakonomic_model.along_53_54(*second),
    )
    misprint = vakonomic_model.turning([printed[1]])[0] - vakonomic_model.turning([right[1]])[0]
    yield identity("(49)", "the wrong sign is invisible in (54), where lambda1 = 0", misprint)


def contradiction() -> Iterator[Claim]:
    """(52) to (57), the abstract and section 5: what the contradiction excludes."""
    where = "(57), abstract, sec. 5"
    counterexample = identity(where, "", vakonomic_model.straight())
    yield Claim(
        where,
        "as printed: F != 0 excludes every Newton-Euler motion",
        False,
        "straight rolling solves (48) to (51)" if counterexample.holds else counterexample.computed,
        not counterexample.holds,
        True,
    )
    yield from turning_only(where)
    forceless = [vakonomic_model.unforced(), vakonomic_model.unforced(I)]
    yield identity(where, "repaired: for F = 0 it excludes none, also with I != 0", forceless, key=True)


def turning_only(where: str) -> Iterator[Claim]:
    """The two combinations of (48), (49) along s = A_tau t, theta = omega t + theta0, lambda1 = 0."""
    second, l2 = vakonomic_model, vakonomic_model.l2
    first, other = second.inserted(second.A * t, omega * t + theta0, sp.S.Zero, l2, second.rows()[:2])
    C, S = sp.cos(omega * t + theta0), sp.sin(omega * t + theta0)
    tangent, normal = C * first + S * other, -S * first + C * other
    factor = normal - omega * second.A * t * (m + M + 2 * l2)
    leaves = tangent.subs(l2, -(m + M) / 2).doit() + second.F
    yield identity(where, "repaired: only where thetadot != 0, else (56) reads 0 = 0", factor, leaves, key=True)


GROUPS: tuple[Group, ...] = (
    one_sign,
    straight_line,
    velocities,
    heading,
    normalisation,
    signs,
    contradiction,
)
