"""Where [xu2007] is misprinted or says too much: what is printed does not hold, and what stands in its place does.

(4), (5) and (10) hold where the authors use them, for phidot >= 0; a factor of lambda2 is absorbed by a multiplier that
is not determined anyway.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from dalembert import satisfies

from ..claim import Claim, Group, Kind, at_hand, author, identity, misprint, pair, scope, small
from ..symbolic import plain_motion, rows_of
from . import chetaev, given, newton_euler, vakonomic_model
from .given import A_TAU, I, M, a, aphi, b, m, t, vphi, vx, vy, vz
from .newton_euler import along, beginning, omega, residuals, start_i, start_ii, theta0, velocity_ii, x0, y0

DAMAGED = 1 / (2 * I + (m + M) * a**2 + m * b**2)  # the fraction of (17), (18), (24), (25) as printed


# --- section 2 -------------------------------------------------------------------------------------------------------


def one_sign() -> Iterator[Claim]:
    """(4), (5) and the last step of (10): the sign of phidot."""
    yield _up()
    # on the velocities that (1) to (3) allow, phidot being one of them
    speed = sp.sqrt(vx**2 + vy**2).xreplace(given.left())
    forwards = {vphi: sp.Symbol("phidot", nonnegative=True)}
    fifth = sp.simplify(vz.xreplace(given.left()) + b / a * speed)
    square_root = scope(
        "The root is a |phidot|.",
        r"\dot{z} = -\frac{b}{a} \sqrt{\dot{x}^2 + \dot{y}^2}",
        r"\dot{z} = -\frac{b}{a} \sqrt{\dot{x}^2 + \dot{y}^2}, \quad \dot{\phi} \ge 0",
    )
    texts = [f"(1) to (3) give (5) for {which}" for which in ("every phidot", "phidot >= 0")]
    yield from pair("(5)", texts[0], fifth, texts[1], fifth.subs(forwards), square_root)
    # d/dt sqrt(xdot^2 + ydot^2) = (xdot xddot + ydot yddot)/sqrt(xdot^2 + ydot^2)
    motion = plain_motion((given.theta, given.phi), (given.vtheta, vphi))
    growth = sp.simplify(rows_of(motion.derivative([speed]), (given.atheta, aphi))[0] - a * aphi)
    text = "d/dt sqrt(xdot^2 + ydot^2) = a phiddot"
    rate = scope(
        "The root is a |phidot|, its rate a phiddot sign(phidot).",
        r"\frac{d}{dt} \sqrt{\dot{x}^2 + \dot{y}^2} = a \ddot{\phi}",
        r"\frac{d}{dt} \sqrt{\dot{x}^2 + \dot{y}^2} = a \ddot{\phi}, \quad \dot{\phi} > 0",
    )
    yield from pair("(10)", f"{text} for every phidot", growth, f"{text} for phidot > 0", growth.subs(forwards), rate)


def _up() -> Claim:
    """(4) against (1) to (3): the block rises while the wheel rolls forwards."""
    up = {"x": "t", "y": "0", "theta": "0", "z": given.VALUES["b"] / given.VALUES["a"] * t}
    wheel = {**up, "phi": t / given.VALUES["a"]}
    cases = (given.quadratic(), up), (given.linear(), wheel)
    kept = [satisfies(system, curve, over=(0.0, 1.0)).constraints for system, curve in cases]
    return misprint(
        small("(4)", "with (1) it is equivalent to (1) to (3)", max(kept[1].values()), 1e-12),
        small(
            "(4)", "zdot = +(b/a) v keeps (1) and (4), and not (3): one factor too many", max(kept[0].values()), 1e-12
        ),
        scope(
            "Squares lose the sign of phidot; the wheel is pushed forwards, phidot >= 0.",
            r"\dot{x}^2 + \dot{y}^2 = \frac{a^2}{b^2} \dot{z}^2",
            r"\left(\dot{z} + \frac{b}{a} v\right)\left(\dot{z} - \frac{b}{a} v\right) = 0",
        ),
    )


def straight_line() -> Iterator[Claim]:
    """(17), (18)."""
    repaired = start_i(newton_euler.HALF)
    yield from pair(
        "(17), (18)",
        "x0 + a t^2 cos theta0/(2I + (m+M)a^2 + m b^2) solves the equations",
        along(start_i(DAMAGED)),
        "x0 + (1/2) (Fa + mgb)/(I + (m+M)a^2 + m b^2) a t^2 cos theta0 solves the equations",
        [*along(repaired), *beginning(repaired, x0, y0, theta0, 0)],
        at_hand(
            "A_tau t^2/2 with (12). The constants are damaged: the 2 that belongs below the 1 stands before I.",
            r"x = x_0 + \frac{1}{2I + (m + M)a^2 + mb^2} a t^2 \cos\theta_0",
            r"x = x_0 + \frac{1}{2} \frac{Fa + mgb}{I + (m + M)a^2 + mb^2} a t^2 \cos\theta_0",
        ),
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
        "A_tau t cos(omega t), A_tau t sin(omega t) solve the equations, and integrate to (27), (28)",
        [*residuals(*right), *integrates, heading - right[2]],
        at_hand(
            "The rates of (27) and (28), which are right. The constants are damaged as in (17).",
            r"\dot{x} = \frac{1}{2I + (m + M)a^2 + mb^2} a t^2 \cos\omega t",
            r"\dot{x} = \frac{Fa + mgb}{I + (m + M)a^2 + mb^2} a t \cos\omega t",
        ),
    )


def heading() -> Iterator[Claim]:
    """(22) against (24) to (29)."""
    turned = start_ii(theta0)
    yield from pair(
        "(22)",
        "(27) to (29) have theta(0) = theta0",
        beginning(start_ii(), 0, 0, theta0, omega),
        "(27), (28) turned by theta0, theta = omega t + theta0, have it and solve the equations",
        [*beginning(turned, 0, 0, theta0, omega), *along(turned)],
        author(
            "(24) to (29) are written for theta = omega t.",
            r"\theta(0) = \theta_0, \quad \theta = \omega t",
            r"\theta = \omega t + \theta_0",
        ),
    )


# --- section 3 -------------------------------------------------------------------------------------------------------


def normalisation() -> Iterator[Claim]:
    """The lambda2 of (35) to (37) is not that of (48) to (50)."""
    where, lam1, lam2 = "(35) to (37)", chetaev.lam1, chetaev.lam2
    whole = chetaev.rows(1)
    yield from pair(
        where,
        "(35) to (37) are (32) with (4) as it stands, and have the lambda2 of (48) to (50)",
        chetaev.gap(whole, chetaev.printed()),
        "(35) to (37) are (32) with half of (4): their lambda2 is twice that of (48) to (50)",
        chetaev.gap([e.subs(lam2, lam2 / 2) for e in whole], chetaev.printed()),
        scope(
            "The rate of (4) has the factor 2; a multiplier that is not determined absorbs it.",
            r"(m + M)\ddot{x} = F\cos\theta + \lambda_1\sin\theta + \lambda_2\dot{x}",
            r"(m + M)\ddot{x} = F\cos\theta + \lambda_1\sin\theta + 2\lambda_2\dot{x}",
        ),
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
        "(48)": (
            "F cos theta + d/dt(lambda1 sin theta + 2 lambda2 xdot) on the right of (47)",
            "F cos theta - d/dt(lambda1 sin theta + 2 lambda2 xdot)",
            "(53), which follows from it, has the right sign.",
            r"(m + M)\ddot{x} = F\cos\theta + \frac{d}{dt}(\lambda_1\sin\theta + 2\lambda_2\dot{x})",
            r"(m + M)\ddot{x} = F\cos\theta - \frac{d}{dt}(\lambda_1\sin\theta + 2\lambda_2\dot{x})",
        ),
        "(49)": (
            "F sin theta - d/dt(lambda1 cos theta + 2 lambda2 ydot) on the right of (47)",
            "F sin theta + d/dt(lambda1 cos theta - 2 lambda2 ydot)",
            "(54) cannot tell: there lambda1 = 0.",
            r"(m + M)\ddot{y} = F\sin\theta - \frac{d}{dt}(\lambda_1\cos\theta + 2\lambda_2\dot{y})",
            r"(m + M)\ddot{y} = F\sin\theta + \frac{d}{dt}(\lambda_1\cos\theta - 2\lambda_2\dot{y})",
        ),
    }
    for i, (where, (wrong, repaired, *slip)) in enumerate(forms.items()):
        residuals_of = [sp.expand(e[i] - library[i]) for e in (printed, right)]
        yield from pair(where, wrong, residuals_of[0], repaired, residuals_of[1], at_hand(*slip))


def contradiction() -> Iterator[Claim]:
    """(52) to (57): what the contradiction excludes."""
    where = "(57)"
    counterexample = identity(where, "", vakonomic_model.straight())
    quote = '"the vakonomic model does not conform with Newton-Euler mechanics", for any motion with F != 0'
    text = "straight rolling solves (48) to (51)" if counterexample.holds else counterexample.computed
    derivation = "(56) follows where thetadot != 0; where theta is constant it reads 0 = 0, and 2 lambda2 is free."
    formula = r"-(m + M) = 2\lambda_2"
    slip = scope(derivation, formula, r"\dot{\theta}\,(m + M + 2\lambda_2) = 0")
    yield misprint(Claim(where, quote, False, text, not counterexample.holds), turning_only(where), slip)
    forceless = [vakonomic_model.unforced(), vakonomic_model.unforced(I)]
    text = "F = 0: every Newton-Euler motion is vakonomic, also with I != 0"
    yield identity(where, text, forceless, kind=Kind.NEW)


def turning_only(where: str) -> Claim:
    """The two combinations of (48), (49) along s = A_tau t, theta = omega t + theta0, lambda1 = 0."""
    second, l2 = vakonomic_model, vakonomic_model.l2
    first, other = second.inserted(second.A * t, omega * t + theta0, sp.S.Zero, l2, second.rows()[:2])
    C, S = sp.cos(omega * t + theta0), sp.sin(omega * t + theta0)
    tangent, normal = C * first + S * other, -S * first + C * other
    factor = normal - omega * second.A * t * (m + M + 2 * l2)
    leaves = tangent.subs(l2, -(m + M) / 2).doit() + second.F
    text = "(55) and (56) contradict F != 0 where thetadot != 0: (56) has it as a factor"
    return identity(where, text, factor, leaves)


GROUPS: tuple[Group, ...] = (
    one_sign,
    straight_line,
    velocities,
    heading,
    normalisation,
    signs,
    contradiction,
)
