"""Section 4 of [xu2007]: the vakonomic equations (47) to (51), what they ask of a Newton-Euler motion, and how far.

The paper appends + lam psi, the library - lam phi: the paper's lam is minus the library's. In section 4 lambda2 belongs
to (4) as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sympy as sp

from dalembert import System, coordinates, vakonomic

from ..arbitrary import jet
from ..claim import Claim, Group, identity
from ..symbolic import bordered, motion_rows, plain_motion, rows_of
from . import given
from .chetaev import lam1, lam2
from .given import (
    A_TAU,
    BLADE,
    CONE,
    A_tau,
    F,
    I,
    J,
    K,
    M,
    a,
    atheta,
    ax,
    ay,
    az,
    b,
    cos,
    g,
    m,
    s,
    sin,
    t,
    theta,
    vtheta,
    vx,
    vy,
    vz,
    x,
    y,
    z,
)

ld1, ld2 = sp.symbols("lambda1dot lambda2dot", real=True)
omega, theta0, c = sp.symbols("omega_0 theta0 c", real=True)
A = A_tau  # constant along (24) to (26)
FLOW = dict(
    zip(
        (x, y, z, theta, vx, vy, vz, vtheta, lam1, lam2),
        (vx, vy, vz, vtheta, ax, ay, az, atheta, ld1, ld2),
        strict=True,
    )
)


def rate(expression: sp.Expr) -> sp.Expr:
    """d/dt of a function of positions, velocities and multipliers."""
    return sum((expression.diff(q) * qdot for q, qdot in FLOW.items()), sp.S.Zero)


# --- (46) to (51) ----------------------------------------------------------------------------------------------------


def variation() -> Iterator[Claim]:
    """(46): the first variation of (1) and (4) along delta q(t)."""
    eps, q, u = sp.Symbol("eps"), (x, y, z, theta), (vx, vy, vz, vtheta)
    shift = [sp.Function(f"h{i}")(t) for i in range(4)]
    residuals = []
    for f in (BLADE, CONE):
        varied = {p: p + eps * h for p, h in zip(q, shift, strict=True)}
        varied |= {p: p + eps * h.diff(t) for p, h in zip(u, shift, strict=True)}
        total = f.subs(varied, simultaneous=True).diff(eps).subs(eps, 0)
        sums = (f.diff(p) * h + f.diff(pd) * h.diff(t) for p, pd, h in zip(q, u, shift, strict=True))
        residuals.append(total - sum(sums, sp.S.Zero))
    yield identity("(46)", "is the first variation of (1) and of (4)", residuals)


def geodesic() -> Iterator[Claim]:
    """(47) for arbitrary L(q, qdot) and f(q, qdot): Lagrange's equations of L + lam f."""
    q, u, acc = (sp.symbols(f"{letter}1:3", real=True) for letter in ("q", "u", "acc"))
    mult, rate_of = sp.symbols("l ldot", real=True)
    L, f = (sp.Function(name)(*q, *u) for name in ("L", "f"))
    motion, second = plain_motion((*q, mult), (*u, rate_of)), (*acc, 0)
    appended, EL = (rows_of(motion.euler_lagrange(e), second) for e in (L + mult * f, L))
    total = rows_of(motion.derivative([f.diff(p) for p in u]), second)
    # EL_i(L) = Q_i + lam (df/dq - d/dt df/dqdot) - lamdot df/dqdot
    printed = [EL[i] - mult * (f.diff(q[i]) - total[i]) + rate_of * f.diff(u[i]) for i in range(2)]
    yield identity("(47)", "is EL(L + lam f) = Q for every L and f", [appended[i] - printed[i] for i in range(2)])
    yield identity("(47)", "these are the library's vakonomic equations, lam -> -lam", library_47())


def library_47() -> list[Any]:
    """The library's equations less (47), for L and f of two coordinates with arbitrary derivatives up to the second."""
    q = coordinates("q1 q2")
    L, f = (jet(letter, tuple(q), 2) for letter in "kc")
    acc, (mult, rate_of) = sp.symbols("acc1:3", real=True), sp.symbols("l ldot", real=True)
    library = motion_rows(vakonomic(System(q, L, {"f": f})).symbolic, acc, [-rate_of])
    library = [e.subs(sp.Symbol("lam_f", real=True), -mult) for e in library]
    motion = plain_motion(q.coordinates, q.velocities)
    EL, E = (rows_of(motion.euler_lagrange(e), acc) for e in (L, f))
    # EL_i(L) = lam (df/dq - d/dt df/dqdot) - lamdot df/dqdot
    return [e - (EL[i] + mult * E[i] + rate_of * f.diff(q.velocities[i])) for i, e in enumerate(library)]


@cache
def rows(inertia: Any = 0) -> list[sp.Expr]:
    """The library's vakonomic equations with (1) and (4), I = `inertia`, in the paper's sign of the multipliers."""
    form = vakonomic(given.quadratic()).symbolic
    library = [sp.Symbol(f"lam_{name}", real=True) for name in ("blade", "cone")]
    paper = dict(zip(library, (-lam1, -lam2), strict=True))
    return [e.subs(paper).subs(I, inertia) for e in motion_rows(form, given.accelerations, (-ld1, -ld2))]


def equations(sign_48: int = -1, sign_49: int = +1) -> list[sp.Expr]:
    """(48) to (51), left side minus right side; the signs of d/dt in (48) and of lambda1 in (49) as repaired."""
    return [
        (m + M) * ax - (F * cos + sign_48 * rate(lam1 * sin + 2 * lam2 * vx)),
        (m + M) * ay - (F * sin + rate(sign_49 * lam1 * cos - 2 * lam2 * vy)),
        m * az - (-m * g + a**2 / b**2 * rate(2 * lam2 * vz)),
        J * atheta - lam1 * (vx * cos + vy * sin),
    ]


def derived() -> Iterator[Claim]:
    """(48) to (51), by the library."""
    found = [sp.expand(p - e) for p, e in zip(equations(), rows(), strict=True)]
    yield identity("(48), (49)", "with the signs repaired, by the library", found[:2], key=True)
    yield identity("(50), (51)", "they follow, by the library", found[2:], key=True)


# --- what they ask of a Newton-Euler motion --------------------------------------------------------------------------

l1, l2 = (sp.Function(name)(t) for name in ("lambda1", "lambda2"))


def inserted(
    speed: sp.Expr, heading: sp.Expr, first: sp.Expr, second: sp.Expr, expressions: Sequence[sp.Expr]
) -> list[sp.Expr]:
    """Expressions along the motion with s = speed(t), theta = heading(t), and multipliers that are functions of t."""
    point = {theta: heading, lam1: first, lam2: second, ld1: first.diff(t), ld2: second.diff(t)}
    point |= {vx: speed * sp.cos(heading), vy: speed * sp.sin(heading), vz: -b / a * speed, vtheta: heading.diff(t)}
    point |= {acc: point[u].diff(t) for u, acc in ((vx, ax), (vy, ay), (vz, az), (vtheta, atheta))}
    return [e.subs(point, simultaneous=True).doit() for e in expressions]


def turning(expressions: Sequence[Any], first: Any = sp.S.Zero) -> list[Any]:
    """The expressions along (24) to (26) as repaired: s = A_tau t, theta = omega t."""
    return inserted(A * t, omega * t, first, l2, expressions)


def contradiction() -> Iterator[Claim]:
    """(52) to (57), from (48), (49) as repaired."""
    asked = turning([rows()[3]], l1)[0]
    yield identity("(52)", "(51) asks for lambda1 s = 0", asked + l1 * A * t)
    first, second = turning(rows()[:2])
    yield identity("(53), (54)", "from (48), (49) as repaired", along_53_54(first, second))
    C, S = sp.cos(omega * t), sp.sin(omega * t)
    # cos (53) + sin (54):  (m + M) A_tau = F - A_tau d/dt(2 lambda2 t)
    tangent = (m + M) * A - (F - A * (2 * l2 * t).diff(t))
    yield identity("(55)", "cos (53) + sin (54)", C * first + S * second - tangent)
    # -sin (53) + cos (54):  omega A_tau t ((m + M) + 2 lambda2) = 0
    normal = omega * A * t * ((m + M) + 2 * l2)
    yield identity("(56)", "-sin (53) + cos (54) is omega s (m + M + 2 lambda2)", -S * first + C * second - normal)
    left = tangent.subs(l2, -(m + M) / 2).doit()
    yield identity("(57)", "F = 0 is left of (55) with (56), if omega != 0", left + F, key=True)


def along_53_54(first: Any, second: Any) -> list[Any]:
    """The difference between two expressions and (53), (54)."""
    C, S = sp.cos(omega * t), sp.sin(omega * t)
    return [
        first - ((m + M) * A * (C - omega * t * S) - (F * C - A * (2 * l2 * t * C).diff(t))),
        second - ((m + M) * A * (S + omega * t * C) - (F * S - A * (2 * l2 * t * S).diff(t))),
    ]


def straight(inertia: Any = 0) -> list[sp.Expr]:
    """The vakonomic equations along straight rolling with lambda1 = 0, 2 lambda2 = F/A_tau - (m + M) + c/t."""
    forwards = A_TAU.subs(I, inertia)
    second = (F / forwards - (m + M) + c / t) / 2
    return inserted(forwards * t, theta0, sp.S.Zero, second, rows(inertia))


def unforced(inertia: Any = 0) -> list[sp.Expr]:
    """The vakonomic equations for F = 0 along a Newton-Euler motion, lambda1 = 0, 2 lambda2 = -(m + M)."""
    speed = s + A_TAU.subs({F: 0, I: inertia}) * t
    second = -(m + M) / sp.Integer(2)
    return inserted(speed, theta0 + omega * t, sp.S.Zero, second, [e.subs(F, 0) for e in rows(inertia)])


def scope() -> Iterator[Claim]:
    """Where Newton-Euler motions are vakonomic."""
    where = "section 4, scope"
    rolling = "straight rolling is vakonomic for every F: lambda1 = 0, 2 lambda2 = F/A_tau - (m + M) + c/t"
    yield identity(where, rolling, straight())
    yield identity(where, "straight rolling, the same with I != 0", straight(I))
    yield identity(where, "F = 0: every Newton-Euler motion is vakonomic, 2 lambda2 = -(m + M)", unforced())
    yield identity(where, "F = 0, the same with I != 0", unforced(I))


# --- the vakonomic motion itself -------------------------------------------------------------------------------------

blade, roll, thread = library = sp.symbols("lam_blade lam_roll lam_thread", real=True)
rates = sp.symbols("blade_rate roll_rate thread_rate", real=True)
p = (m + M) * s - roll  # momentum along the heading


@cache
def motion() -> dict[Any, Any]:
    """udot and lamdot with (1), (2), (3), on the constraints, in the library's sign."""
    return given.accelerations_of(vakonomic(given.linear()).symbolic, rates)


def reduced() -> dict[str, Any]:
    """What is left of the vakonomic equations on the constraints: rates of s, p, lam_blade, thetadot."""
    found = motion()
    sdot = found[A_tau]
    return {
        "s": sdot,
        "p": sp.expand(sp.cancel((m + M) * sdot - found[rates[1]])),
        "lam_blade": found[rates[0]],
        "thetadot": found[atheta],
    }


def reduced_equations() -> Iterator[Claim]:
    """The four equations, and what they say about Newton-Euler motions for every I."""
    found = reduced()
    expected = {
        "s": A_TAU + a**2 / K * vtheta * blade,
        "p": F + vtheta * blade,
        "lam_blade": -vtheta * p,
        "thetadot": -blade * s / J,
    }
    text = "s' = A_tau + (a^2/K) thetadot lam_blade, p' = F + thetadot lam_blade, lam_blade' = -thetadot p, "
    text += "J thetaddot = -lam_blade s; K = I + (m + M) a^2 + m b^2"
    yield identity("vakonomic motion", text, [found[k] - e for k, e in expected.items()])
    # Newton's accelerations: thetadot lam_blade = s lam_blade = 0. lam_blade stays 0: thetadot p = 0. p stays 0: F = 0
    stays = found["lam_blade"].subs(blade, 0) + vtheta * p
    pdot = found["p"].subs(blade, 0) - F
    yield identity("(57)", "for every I: lam_blade = 0 asks for thetadot p = 0, p = 0 for F = 0", stays, pdot)


def bordered_determinant(system: Any) -> Any:
    """The determinant of [[W, -N^T], [N, 0]] on the constraints."""
    form = given.along_heading(vakonomic(system).symbolic)
    return sp.factor(bordered(form).det(method="berkowitz"))


def singular_places() -> Iterator[Claim]:
    """Where the vakonomic equations determine no motion: the bordered matrix for both sets of constraints."""
    cone = sp.Symbol("lam_cone", real=True)
    four = bordered_determinant(given.quadratic())
    residual = four - 4 * J * K * s**2 / b**2
    yield identity(
        "vakonomic motion",
        "from (1), (4) the bordered determinant is 4 J K s^2/b^2, whatever lam",
        residual,
        four.diff(cone),
    )
    three = bordered_determinant(given.linear())
    yield identity(
        "vakonomic motion", "from (1) to (3) the bordered determinant is J K, never 0", three - J * K, key=True
    )


GROUPS: tuple[Group, ...] = (
    variation,
    geodesic,
    derived,
    contradiction,
    scope,
    reduced_equations,
    singular_places,
)
