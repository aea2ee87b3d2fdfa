"""The equations of [lewis1995] derived from the Lagrangian and the constraints alone, and held against the paper.

The library derives W udot - N^T mu = f, N udot = g for the ball on the turning table; multipliers and angular
velocities are eliminated here. What the paper prints is typed below, left side minus right side, with its own letters:
xi = (w1, w2, w3), lam1 = lam_roll_x, lam2 = lam_roll_y, J = I + m r^2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import sympy as sp

from ...calculus.algebra import Symbolic
from ...calculus.frame import TIME, Frame
from ...calculus.hamel import Affine, Motion
from ...equations import Form
from ...model.factors import hat
from ...principles.nonholonomic import nonholonomic
from ...principles.vakonomic import vakonomic
from ...systems import ball_on_turntable as ball
from ..claim import Claim, Group, identity

t = TIME
m, r, I, Om = ball.M, ball.RADIUS, ball.INERTIA, ball.OMEGA
nu, mu, delta, g = ball.NU, ball.MU, ball.DELTA, ball.GRAVITY
x, y, vx, vy = ball.X, ball.Y, ball.VX, ball.VY
w1, w2, w3 = xi = (ball.W1, ball.W2, ball.W3)
ax, ay, a1, a2, a3 = udot = sp.symbols("ax ay a1 a2 a3", real=True)
lam1, lam2 = lam = sp.symbols("lam_roll_x lam_roll_y", real=True)
ld1, ld2 = lamdot = sp.symbols("lamdot1 lamdot2", real=True)
Rx, Ry = reaction = sp.symbols("R_x R_y", real=True)
s = sp.Symbol("s")

J = I + m * r**2
a, om = nu * r**2 / J, I * Om / J
e1, e2, e3 = (sp.eye(3)[:, i] for i in range(3))
v = sp.Matrix(ball.SLIP)  # velocity of the ball relative to the table
unit = v / sp.sqrt(v.dot(v))


# --- what the library derives ----------------------------------------------------------------------------------------


def motion_rows(form: Form, multipliers: Sequence[Any]) -> list[Any]:
    """W udot - N^T mu - f, one expression for each velocity."""
    W, N, f = sp.Matrix(form.W), sp.Matrix(form.N), sp.Matrix(form.f)
    return list(W * sp.Matrix(udot) - N.T * sp.Matrix(multipliers) - f)


def constraint_rows(form: Form) -> list[Any]:
    """N udot - g, one expression for each constraint."""
    return list(sp.Matrix(form.N) * sp.Matrix(udot) - sp.Matrix(form.g))


def solved(equations: Sequence[Any], unknowns: Sequence[Any]) -> dict[Any, Any]:
    """The unknowns from linear equations ``expression = 0``."""
    return dict(zip(unknowns, next(iter(sp.linsolve(list(equations), list(unknowns)))), strict=True))


@cache
def rolling() -> dict[Any, Any]:
    """w1, w2 from the constraints."""
    return solved([c.phi for c in ball.system().constraints], (w1, w2))


@cache
def planar(**friction: float) -> tuple[Any, Any]:
    """The nonholonomic equations of x and y, times r^2, after eliminating reactions and angular velocities."""
    form = nonholonomic(ball.system(**friction)).symbolic  # type: ignore[arg-type]
    rows = motion_rows(form, reaction)
    reactions = solved(rows[2:4], reaction)
    turning = solved(constraint_rows(form), (a1, a2))
    first, second = (sp.expand(r**2 * e.subs(reactions).subs(turning).subs(rolling())) for e in rows[:2])
    return first, second


def displays() -> Iterator[tuple[str, list[str]]]:
    """The derived equations as text, by the paper's numbers."""
    for where, friction in (("(3.4)", {}), ("(3.6)", {"nu": 1.0, "mu": 1.0})):
        rows = [sp.collect(sp.expand(e), [ax, ay, vx, vy]) for e in planar(**friction)]
        yield where, [f"{e} = 0" for e in rows]
    motion = vakonomic_motion()
    yield "(3.15)", [f"{rate} = {sp.factor(motion[rate])}" for rate in lamdot]


@cache
def nonholonomic_motion() -> dict[Any, Any]:
    """udot and the reactions of the frictionless nonholonomic ball, on the constraints."""
    form = nonholonomic(ball.system()).symbolic
    found = solved([*motion_rows(form, reaction), *constraint_rows(form)], (*udot, *reaction))
    return {k: e.subs(rolling()) for k, e in found.items()}


@cache
def vakonomic_motion() -> dict[Any, Any]:
    """udot and lamdot of the vakonomic ball, on the constraints."""
    form = vakonomic(ball.system()).symbolic
    found = solved([*motion_rows(form, lamdot), *constraint_rows(form)], (*udot, *lamdot))
    return {k: e.subs(rolling()) for k, e in found.items()}


# --- section 3: the system -------------------------------------------------------------------------------------------


def matrix_form() -> Iterator[Claim]:
    """The constraints and L with the matrix R, at a rational rotation and for every angular velocity."""
    quaternion = dict(
        zip(ball.SPACE.attitudes["R"].coordinates, (sp.Rational(i, 5) for i in (1, 2, 2, 4)), strict=True)
    )
    R = ball.SPACE.R
    Rdot = sum((R.diff(q) * ball.SPACE.rates[q] for q in quaternion), sp.zeros(3)).xreplace(quaternion)
    spin = Rdot * R.xreplace(quaternion).T
    yield identity("section 3", "Rdot R^T = hat(xi)", spin - hat(sp.Matrix(xi)))
    given = ball.system()
    printed = (
        vx - r * (e1.T * spin * e3)[0] + Om * y,
        vy + r * (e3.T * spin * e2)[0] - Om * x,
    )
    residuals = [c.phi - p for c, p in zip(given.constraints, printed, strict=True)]
    yield identity("section 3", "constraints with e^T Rdot R^T e are those with xi", residuals)
    # L = -(I/4) tr(Rdot R^T Rdot R^T) + (m/2)(xdot^2 + ydot^2)
    L = -I / 4 * (spin * spin).trace() + m / 2 * (vx**2 + vy**2)
    yield identity("section 3", "L with the trace is I/2 |xi|^2 + m/2 (xdot^2 + ydot^2)", given.lagrangian - L)


def newton() -> Iterator[Claim]:
    """(3.1): forces and torques, the reactions being the multipliers."""
    Fx, Fy, T1, T2, T3 = sp.symbols("F_x F_y T_1 T_2 T_3", real=True)
    forces = dict(zip((vx, vy, *xi), (Fx, Fy, T1, T2, T3), strict=True))
    rows = motion_rows(nonholonomic(ball.system().changed(forces=forces)).symbolic, reaction)
    printed = [
        m * ax - (Rx + Fx),
        m * ay - (Ry + Fy),
        I * a1 - (r * Ry + T1),
        I * a2 - (-r * Rx + T2),
        I * a3 - T3,
    ]
    yield identity("(3.1)", "forces and torques with R_x, R_y", [p - e for p, e in zip(printed, rows, strict=True)])


def rolling_relations() -> Iterator[Claim]:
    """(3.2) and (3.3): w1, w2 and their rates from the constraints."""
    # (3.2) xi1 = (Omega/r) x - ydot/r ,  xi2 = (Omega/r) y + xdot/r
    printed = Om / r * x - vy / r, Om / r * y + vx / r
    yield identity("(3.2)", "w1, w2 from rolling", [rolling()[w] - p for w, p in zip((w1, w2), printed, strict=True)])
    # (3.3) xi1dot = (Omega/r) xdot - yddot/r ,  xi2dot = (Omega/r) ydot + xddot/r
    rates = solved(constraint_rows(nonholonomic(ball.system()).symbolic), (a1, a2))
    printed = Om / r * vx - ay / r, Om / r * vy + ax / r
    yield identity("(3.3)", "their rates", [rates[w] - p for w, p in zip((a1, a2), printed, strict=True)])


# --- the nonholonomic ball -------------------------------------------------------------------------------------------


def equations_36(rolling_term: Any = 0, translational: Any = 0, rotational: Any = 0) -> list[Any]:
    """The left side of (3.6) with  rolling_term * v/|v|  as its last term; (3.4) without any friction."""
    b = rotational + translational * r**2
    # [J 0; 0 J] qddot + [b I Omega; -I Omega b] qdot + [0 mu Omega; -mu Omega 0] q + rolling_term v/|v| = 0
    left = J * sp.Matrix([ax, ay])
    left += sp.Matrix([[b, I * Om], [-I * Om, b]]) * sp.Matrix([vx, vy])
    left += sp.Matrix([[0, rotational * Om], [-rotational * Om, 0]]) * sp.Matrix([x, y])
    return list(left + rolling_term * unit)


def against_36(derived: Sequence[Any], *terms: Any) -> list[Any]:
    """Derived minus printed equations."""
    return [d - p for d, p in zip(derived, equations_36(*terms), strict=True)]


def frictionless() -> Iterator[Claim]:
    """(3.4)."""
    yield identity("(3.4)", "equations of x, y without friction", against_36(planar()), key=True)


def friction() -> Iterator[Claim]:
    """(3.6): its linear part, and the rolling term with the paper's own F = -delta m g v/|v|."""
    yield identity("(3.6)", "linear part with nu and mu", against_36(planar(nu=1.0, mu=1.0), 0, nu, mu))
    everything = planar(nu=1.0, mu=1.0, delta=1.0)
    derived = against_36(everything, r**2 * delta * m * g, nu, mu)
    yield identity("(3.6)", "rolling term + (r^2 delta m g/|v|) v on the left side", derived, key=True)


def characteristic(equations: Sequence[Any]) -> Any:
    """det(s - A) of the linear system of x, y, vx, vy."""
    found = solved(equations, (ax, ay))
    state = sp.Matrix([x, y, vx, vy])
    A = sp.Matrix([vx, vy, found[ax], found[ay]]).jacobian(state)
    return (s * sp.eye(4) - A).det()


def from_roots(roots: Sequence[Any]) -> Any:
    """The product of s - root."""
    return sp.prod([s - root for root in roots])


def eigenvalues() -> Iterator[Claim]:
    """The lists of 3.3, items 1 and 2."""
    # {0, 0, +i I Omega/J, -i I Omega/J}
    roots: list[Any] = [0, 0, sp.I * I * Om / J, -sp.I * I * Om / J]
    yield identity("3.3 item 1", "eigenvalues without friction", characteristic(planar()) - from_roots(roots))
    # {0, 0, -nu r^2/J +- i I Omega/J}
    roots = [0, 0, -nu * r**2 / J + sp.I * I * Om / J, -nu * r**2 / J - sp.I * I * Om / J]
    yield identity("3.3 item 2", "eigenvalues with nu only", characteristic(planar(nu=1.0)) - from_roots(roots))


u0, v0, x0, y0 = sp.symbols("u0 v0 x0 y0", real=True)


def ode_residual(equations: Sequence[Any], curve: Any) -> list[Any]:
    """The equations of x, y along a curve (x(t), y(t))."""
    first, second = curve.diff(t), curve.diff(t, 2)
    point = dict(zip((x, y, vx, vy, ax, ay), (*curve, *first, *second), strict=True))
    return [sp.expand(e).subs(point, simultaneous=True) for e in equations]


def initial_residual(curve: Any) -> list[Any]:
    """Position and velocity at t = 0, less x0, y0, u0, v0."""
    return list(curve.subs(t, 0) - sp.Matrix([x0, y0])) + list(curve.diff(t).subs(t, 0) - sp.Matrix([u0, v0]))


def closed_form(rate: Any) -> Any:
    """The closed form as printed in 3.1, with exp(-rate t) in front as in 3.3 item 2."""
    # (1/om) exp(-rate t) [sin cos; -cos sin] (u0, v0) + (x0 - v0/om, y0 + u0/om)
    sin, cos = sp.sin(om * t), sp.cos(om * t)
    turning = sp.Matrix([[sin, cos], [-cos, sin]]) * sp.Matrix([u0, v0])
    return sp.exp(-rate * t) / om * turning + sp.Matrix([x0 - v0 / om, y0 + u0 / om])


def spiral() -> Any:
    """The closed form with nu only, repaired."""
    # exp(-a t)/(a^2 + om^2) [om sin - a cos, om cos + a sin; -om cos - a sin, om sin - a cos] (u0, v0) + centre
    sin, cos, q = sp.sin(om * t), sp.cos(om * t), a**2 + om**2
    turning = sp.Matrix([[om * sin - a * cos, om * cos + a * sin], [-om * cos - a * sin, om * sin - a * cos]])
    centre = sp.Matrix([x0 + (a * u0 - om * v0) / q, y0 + (om * u0 + a * v0) / q])
    return sp.exp(-a * t) / q * turning * sp.Matrix([u0, v0]) + centre


def undamped() -> Iterator[Claim]:
    """The closed form of 3.1."""
    curve = closed_form(0)
    yield identity("3.1 closed form", "solves (3.4)", ode_residual(planar(), curve))
    yield identity("3.1 closed form", "has the given start", initial_residual(curve))


def damped() -> Iterator[Claim]:
    """The closed form with nu only, as repaired."""
    curve = spiral()
    yield identity("3.3 item 2", "the repaired closed form solves (3.6) with nu", ode_residual(planar(nu=1.0), curve))
    yield identity("3.3 item 2", "the repaired closed form has the given start", initial_residual(curve))


# --- stability with nu and mu ----------------------------------------------------------------------------------------


def complex_polynomial() -> Any:
    """P(s) with P(d/dt) z = 0 for z = x + i y, from the equations with nu and mu."""
    first, second = planar(nu=1.0, mu=1.0)
    # x = exp(st)/2, y = exp(st)/(2i): then x + iy = exp(st), x - iy = 0
    half, other = sp.Rational(1, 2), -sp.I / 2
    point = {x: half, y: other, vx: s * half, vy: s * other, ax: s**2 * half, ay: s**2 * other}
    return sp.expand((first + sp.I * second).xreplace(point))


class Quadratic(NamedTuple):
    """s^2 + (a1 + i b1) s + a2 + i b2."""

    a1: Any
    b1: Any
    a2: Any
    b2: Any

    @property
    def determinant(self) -> Any:
        """a1^2 a2 + a1 b1 b2 - b2^2: the second determinant of Routh and Hurwitz for complex coefficients."""
        return self.a1**2 * self.a2 + self.a1 * self.b1 * self.b2 - self.b2**2

    @classmethod
    def of(cls, polynomial: Any) -> Quadratic:
        """From a polynomial in s, made monic."""
        c2, c1, c0 = sp.Poly(polynomial, s).all_coeffs()
        parts = [sp.simplify(part) for c in (c1, c0) for part in sp.expand(c).as_real_imag()]
        return cls(*(part / c2 for part in parts))


def stability_determinant() -> Any:
    """The determinant of Routh and Hurwitz for the ball with nu and mu, in lowest terms."""
    return sp.factor(Quadratic.of(complex_polynomial()).determinant)


def stability() -> Iterator[Claim]:
    """3.3 item 3: for mu > 0, Omega != 0 both roots decay iff nu I > mu m."""
    where, P = "3.3 item 3", complex_polynomial()
    mirrored = sp.conjugate(P.xreplace({s: sp.Symbol("s", real=True)})).xreplace({sp.Symbol("s", real=True): s})
    real = characteristic(planar(nu=1.0, mu=1.0))
    yield identity(where, "the eigenvalues are the roots of P and their conjugates", J**2 * real - P * mirrored)
    yield root_rule(where)
    D = stability_determinant()
    # D = mu Omega^2 r^2 (nu I - mu m)/J^3
    yield identity(where, "D = mu Omega^2 r^2 (nu I - mu m)/J^3", D - mu * Om**2 * r**2 * (nu * I - mu * m) / J**3)
    yield one_grows(where, D)
    threshold = sp.solve(D / (mu * Om**2), nu)[0].subs(I, sp.Rational(2, 5) * m * r**2)
    yield identity(where, "solid sphere: the boundary is nu = 5 mu/(2 r^2)", threshold - 5 * mu / (2 * r**2))


def root_rule(where: str) -> Claim:
    """With roots -p1 + i q1, -p2 + i q2:  a1 = p1 + p2  and  D = p1 p2 ((p1 + p2)^2 + (q1 - q2)^2)."""
    p1, p2, q1, q2 = sp.symbols("p1 p2 q1 q2", real=True)
    found = Quadratic.of(sp.expand((s + p1 - sp.I * q1) * (s + p2 - sp.I * q2)))
    residuals = found.a1 - (p1 + p2), found.determinant - p1 * p2 * ((p1 + p2) ** 2 + (q1 - q2) ** 2)
    return identity(where, "a1 > 0: both roots decay iff D > 0, exactly one grows iff D < 0", *residuals)


def one_grows(where: str, D: Any) -> Claim:
    """For nu = 0, mu > 0, Omega != 0 the signs of a1 and D are decided by the assumptions alone."""
    definite = {mu: sp.Symbol("mu", positive=True), Om: sp.Symbol("Omega", real=True, nonzero=True), nu: sp.S.Zero}
    first = Quadratic.of(complex_polynomial()).a1.xreplace(definite)
    second = sp.factor(D.xreplace(definite))
    holds = bool(first.is_positive and second.is_negative)
    text = f"D = {second}, negative: {second.is_negative}; a1 positive: {first.is_positive}"
    return Claim(
        where, "nu = 0, mu > 0, Omega != 0: one root grows, alpha_2 > 0 is a theorem", True, text, holds, key=True
    )


# --- the vakonomic ball on the extended space ------------------------------------------------------------------------


R = sp.Matrix(3, 3, sp.symbols("R(1:4)(1:4)", real=True))
Lam = sp.Matrix(3, 3, sp.symbols("Lam(1:4)(1:4)", real=True))
Rdot = sp.Matrix(3, 3, sp.symbols("Rdot(1:4)(1:4)", real=True))
Lamdot = sp.Matrix(3, 3, sp.symbols("Lamdot(1:4)(1:4)", real=True))
V = sp.Matrix(sp.symbols("v1:4", real=True))  # the arbitrary vector of (3.9d)
XI, XIDOT = sp.Matrix(xi), sp.Matrix([a1, a2, a3])
FLOW = {  # Lamdot^T = hat(xi) Lam^T and Rdot = hat(xi) R, (3.9c) and (3.7)
    **dict(zip(Lamdot, -Lam * hat(XI), strict=True)),
    **dict(zip(Rdot, hat(XI) * R, strict=True)),
}


def plain_motion(coordinates: Sequence[Any], velocities: Sequence[Any]) -> Motion:
    """Derivatives along qdot = u in plain coordinates, outside any system."""
    frame = Frame(tuple(coordinates), tuple(velocities), sp.ImmutableMatrix(sp.eye(len(coordinates))), {})
    return Motion(frame, Symbolic())


def rows_of(affine: Affine, accelerations: Sequence[Any]) -> list[Any]:
    """matrix udot + rest."""
    return list(sp.Matrix(affine.matrix) * sp.Matrix(accelerations) + sp.Matrix(affine.rest))


@cache
def extended_motion() -> Motion:
    """Derivatives on R^2 x R^3 x R^(3x3) x R^2 x R^(3x3)."""
    return plain_motion((x, y, *xi, *R, *lam, *Lam), (vx, vy, *XIDOT, *Rdot, *lamdot, *Lamdot))


def lagrangian_38(sign: int = -1) -> Any:
    """(3.8); with sign = +1 the Lagrangian printed in Lemma D.2."""
    L = I / 2 * (w1**2 + w2**2 + w3**2) + m / 2 * (vx**2 + vy**2)
    L += -lam1 * (vx - r * w2 + Om * y) + sign * lam2 * (vy + r * w1 - Om * x)
    return L - (Lam * (Rdot - hat(XI) * R)).trace()


class Extended(NamedTuple):
    """Euler-Lagrange expressions of (3.8) by coordinate."""

    position: list[Any]
    xi: Any
    R: Any
    lam: list[Any]
    Lam: Any


@cache
def extended(sign: int = -1) -> Extended:
    """EL of (3.8) on the extended space."""
    second = (ax, ay, *sp.symbols("_second:23", real=True))
    rows = rows_of(extended_motion().euler_lagrange(lagrangian_38(sign)), second)
    return Extended(
        rows[:2], sp.Matrix(rows[2:5]), sp.Matrix(3, 3, rows[5:14]), rows[14:16], sp.Matrix(3, 3, rows[16:])
    )


def equation_39a() -> Any:
    """m xddot - lamdot1 - Omega lam2."""
    return m * ax - ld1 - Om * lam2


def equation_39b() -> Any:
    """m yddot - lamdot2 + Omega lam1."""
    return m * ay - ld2 + Om * lam1


def equation_39d(spin: Any) -> Any:
    """v^T(I spin + lam1 r e2 - lam2 r e1) + tr(Lam hat(v) R); the paper prints xidot for `spin`."""
    return (V.T * (I * spin + lam1 * r * e2 - lam2 * r * e1))[0] + (Lam * hat(V) * R).trace()


def equation_311() -> Any:
    """I xidot + hat(xi)(lam2 r e1 - lam1 r e2) + lamdot1 r e2 - lamdot2 r e1."""
    return I * XIDOT + hat(XI) * (lam2 * r * e1 - lam1 * r * e2) + ld1 * r * e2 - ld2 * r * e1


def lagrange_equations() -> Iterator[Claim]:
    """(3.9) and (3.10) from (3.8), for arbitrary matrices R and Lam."""
    EL = extended()
    yield identity("(3.9a)", "Lagrange's equation of (3.8) in x", EL.position[0] - equation_39a())
    yield identity("(3.9b)", "Lagrange's equation of (3.8) in y", EL.position[1] - equation_39b())
    yield identity("(3.9c)", "Lagrange's equations of (3.8) in R", EL.R + (Lamdot.T - hat(XI) * Lam.T))
    yield identity("(3.9d)", "Lagrange's equations in xi, without the dot on xi", (V.T * EL.xi)[0] + equation_39d(XI))
    rolling_rows = [vx - r * w2 + Om * y, vy + r * w1 - Om * x]
    rows = [p - e for p, e in zip(rolling_rows, EL.lam, strict=True)]
    yield identity("(3.10)", "Lagrange's equations in lam and Lam", rows, (Rdot - hat(XI) * R).T - EL.Lam)


def derivative_of_39d() -> Any:
    """d/dt of the repaired (3.9d), Lamdot and Rdot still arbitrary."""
    return extended_motion().derivative([equation_39d(XI)]).rest[0]


def modulo_39d(expression: Any) -> Any:
    """The expression where (3.9d) holds for every v: xi in terms of Lam, R and lam."""
    return expression.subs(solved(list(equation_39d(XI).diff(c) for c in V), xi))


def reduced_vakonomic() -> Iterator[Claim]:
    """(3.11) by the paper's route and by the library's; (3.12) to (3.14) by the library's."""
    along = derivative_of_39d().xreplace(FLOW)
    yield identity("(3.11)", "from (3.9c), (3.9d) and (3.7)", modulo_39d(along - (V.T * equation_311())[0]))
    rows = motion_rows(vakonomic(ball.system()).symbolic, lamdot)
    yield identity("(3.11)", "by the library, without Lam", sp.Matrix(rows[2:]) - equation_311())
    yield identity("(3.12)", "vakonomic equation of x", rows[0] - equation_39a())
    yield identity("(3.13)", "vakonomic equation of y", rows[1] - equation_39b())
    yield identity("(3.14)", "vakonomic equations of xi", sp.Matrix(rows[2:]) - equation_311())


def multiplier_rates() -> Iterator[Claim]:
    """The display of (lamdot1, lamdot2) after (3.11), and (3.15)."""
    # lamdot1 = -(I/r) xidot2 - lam2 xi3 ,  lamdot2 = (I/r) xidot1 + lam1 xi3
    printed = {ld1: -I / r * a2 - lam2 * w3, ld2: I / r * a1 + lam1 * w3}
    rows = motion_rows(vakonomic(ball.system()).symbolic, lamdot)
    found = solved(rows[2:4], lamdot)
    yield identity("after (3.11)", "the display of (lamdot1, lamdot2)", [found[k] - printed[k] for k in lamdot])
    yield identity("(3.15)", "lamdot from lam, the velocity and xi3", residuals_315(vakonomic_motion()), key=True)


def residuals_315(motion: dict[Any, Any]) -> list[Any]:
    """(1 + I/(m r^2)) lamdot - right side of (3.15)."""
    factor, c = 1 + I / (m * r**2), I * Om / (m * r**2)
    right = (
        -c * lam2 - I * Om / r**2 * vy - lam2 * w3,
        c * lam1 + I * Om / r**2 * vx + lam1 * w3,
    )
    return [factor * motion[k] - e for k, e in zip(lamdot, right, strict=True)]


# --- where the two balls agree ---------------------------------------------------------------------------------------


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


def k_m() -> Any:
    """m I Omega/J."""
    return m * I * Om / J


def disagreement(**values: Any) -> list[Any]:
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
    yield identity("Lemma 3.1", "Omega != 0: lam(0) = 0 does so too", disagreement(), expected=False)


def co_rotation() -> Iterator[Claim]:
    """w3(0) = Omega, ball moving: the same motion iff the circle is centred and lam = -(I/r^2)(xdot, ydot)."""
    where = "3.5, xi3 = Omega"
    vak, non = vakonomic_motion(), nonholonomic_motion()
    same = [(vak[k] - non[k]).subs(w3, Om) for k in (ax, ay)]
    yield identity(where, "x and y obey the same equations for every lam", same)
    # lam = -(I/r^2)(xdot, ydot): lamdot = -(I/r^2)(xddot, yddot)
    special = {lam1: -I / r**2 * vx, lam2: -I / r**2 * vy, w3: Om}
    carried = [vak[k].subs(special) + I / r**2 * non[acc] for k, acc in zip(lamdot, (ax, ay), strict=True)]
    yield identity(where, "lam = -(I/r^2)(xdot, ydot) solves (3.15) along the nonholonomic motion", carried)
    # I w3dot = r (lam1 w1 + lam2 w2) = -(I Omega/r^2)(x xdot + y ydot)
    turning = vak[a3].subs(special) + Om / r**2 * (x * vx + y * vy)
    centred = vak[a3].subs(special).subs({x: vy / om, y: -vx / om})
    yield identity(where, "then w3dot = -(Omega/r^2)(x xdot + y ydot), 0 on a centred circle", turning, centred)
    yield from only_if(where, vak[a3])


def only_if(where: str, w3dot: Any) -> Iterator[Claim]:
    """w3dot = 0 for all time, ball moving, forces the centre to the axis and lam to -(I/r^2)(xdot, ydot).

    With the centre c, the velocity v and h = lam + (I/r^2) v as complex numbers, c is at rest, v turns with
    k = I Omega/J and h with Omega. Then w3dot is linear in the real and imaginary parts of A = v c*, B = h c*,
    G = h v*, which turn with k, Omega, Omega - k. If all its derivatives vanish, so do A, B, G; and v != 0 leaves
    c = 0 and h = 0, since |A| = |v| |c| and |G| = |h| |v|.
    """
    k = I * Om / J
    c1, c2, h1, h2 = sp.symbols("c1 c2 h1 h2", real=True)
    parts = {x: c1 + vy / k, y: c2 - vx / k, lam1: h1 - I / r**2 * vx, lam2: h2 - I / r**2 * vy, w3: Om}
    flow = {vx: -k * vy, vy: k * vx, h1: -Om * h2, h2: Om * h1}
    yield identity(where, "the centre is at rest, h turns with Omega", turning_residuals(parts, flow))
    known = _products(c1, c2, h1, h2)
    unknowns = sp.symbols("A1 A2 B1 B2 G1 G2", real=True)
    expression = sp.expand(w3dot.subs(parts, simultaneous=True))
    form = bilinear(expression, known, unknowns)
    linear = form.subs(dict(zip(unknowns, known, strict=True))) - expression
    A1, A2, _, _, G1, G2 = known
    speed = vx**2 + vy**2
    sizes = A1**2 + A2**2 - speed * (c1**2 + c2**2), G1**2 + G2**2 - speed * (h1**2 + h2**2)
    yield identity(where, "w3dot is linear in A, B, G; |A| = |v| |c|, |G| = |h| |v|", linear, *sizes)
    yield from _independent(where, form, unknowns)


def turning_residuals(parts: dict[Any, Any], flow: dict[Any, Any]) -> list[Any]:
    """(x, y) and lam of `parts` move along `flow` as the nonholonomic and the vakonomic equations say."""
    vak, non = vakonomic_motion(), nonholonomic_motion()

    def rate(e: Any) -> Any:
        return sum((e.diff(q) * qdot for q, qdot in flow.items()), sp.S.Zero)

    motion = [rate(parts[x]) - vx, rate(parts[y]) - vy, flow[vx] - non[ax], flow[vy] - non[ay]]
    return motion + [rate(parts[p]) - vak[pd].subs(parts, simultaneous=True) for p, pd in zip(lam, lamdot, strict=True)]


def _products(c1: Any, c2: Any, h1: Any, h2: Any) -> list[Any]:
    """Real and imaginary parts of A = v c*, B = h c*, G = h v*."""
    c, h, velocity = c1 + sp.I * c2, h1 + sp.I * h2, vx + sp.I * vy
    products = [(velocity, c), (h, c), (h, velocity)]
    return [part for p, q in products for part in sp.expand(p * sp.conjugate(q)).as_real_imag()]


def bilinear(expression: Any, products: Sequence[Any], unknowns: Sequence[Any]) -> Any:
    """The combination of `unknowns` that equals the expression when these stand for `products`."""
    coefficients = sp.symbols(f"_k:{len(unknowns)}")
    gap = sp.expand(expression - sum(c * p for c, p in zip(coefficients, products, strict=True)))
    variables = sorted(sp.Matrix(products).free_symbols, key=str)
    found = solved(sp.Poly(gap, *variables).coeffs(), coefficients)
    return sum((found[c] * unknown for c, unknown in zip(coefficients, unknowns, strict=True)), sp.S.Zero)


def _independent(where: str, form: Any, unknowns: Sequence[Any]) -> Iterator[Claim]:
    """The derivatives of w3dot determine A, B, G, in units in which m = r = Omega = 1 (I = kappa m r^2).

    For kappa = 1 the frequencies of A and G are one. The derivatives then still give B = h c* = 0, so that c or h is 0
    and only one of A, G is left, which they determine as well.
    """
    kappa = sp.Symbol("kappa", positive=True)
    A1, A2, B1, B2, G1, G2 = unknowns
    k = kappa / (kappa + 1)
    rates = {A1: -k * A2, A2: k * A1, B1: -B2, B2: B1, G1: -(1 - k) * G2, G2: (1 - k) * G1}
    derivatives = [form.subs({I: kappa, m: 1, r: 1, Om: 1})]
    for _ in range(5):
        derivatives.append(sum((derivatives[-1].diff(z) * zdot for z, zdot in rates.items()), sp.S.Zero))
    matrix = sp.Matrix(derivatives).jacobian(list(unknowns)).applyfunc(sp.cancel)
    statement = "I != m r^2: w3dot = 0 for all t only if A = B = G = 0"
    yield never_zero(where, statement, determinant(matrix), (kappa - 1) ** 2)
    equal = matrix.subs(kappa, 1)
    yield never_zero(where, "I = m r^2: ... only if A = B = 0 where G = 0", determinant(equal[:4, :4]))
    yield never_zero(where, "I = m r^2: ... only if B = G = 0 where A = 0", determinant(equal[:4, 2:]))


def determinant(matrix: Any) -> Any:
    """The determinant of a matrix of rational functions."""
    field = matrix.to_DM().to_field()
    return sp.factor(field.domain.to_sympy(field.det()))


def never_zero(where: str, statement: str, value: Any, excluded: Any = 1) -> Claim:
    """The claim that value/excluded is not 0 for any positive value of its symbols."""
    holds = bool(sp.factor(value / excluded).is_nonzero)
    return Claim(where, statement, True, f"determinant {value}", holds)


GROUPS: tuple[Group, ...] = (
    matrix_form,
    newton,
    rolling_relations,
    frictionless,
    friction,
    eigenvalues,
    undamped,
    damped,
    stability,
    lagrange_equations,
    reduced_vakonomic,
    multiplier_rates,
    lemma_3_1,
    table_at_rest,
    co_rotation,
)
