"""Section 2 of [cendra2001a]: the parts of TQ, and the signs of its formulas for groups that act from the right.

The formulas are those of [cendra2001], for groups that act from the left. Section 3 lets its group act from the right;
that the group is abelian hides the difference. Here it is shown on a group that is not, a x + b.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dalembert import Space, System, free, rotation
from dalembert.calculus.frame import TIME as t

from ..claim import Claim, Group, Kind, identity, said
from . import given
from .given import allowed, dot, z

_s = sp.Symbol("s", real=True)


# --- TQ = H + S + U --------------------------------------------------------------------------------------------------


def parts() -> Iterator[Claim]:
    """Dimensions, and that the connection of section 3 is not the one of section 2."""
    found = given.over_sphere().system
    k = len(found.space.velocities)
    N = sp.Matrix([[c.phi.diff(v) for v in found.space.velocities] for c in found.constraints])
    rho = sp.Matrix(found.space.anchor)
    place = {z[0]: sp.Rational(2, 3), z[1]: sp.Rational(1, 3), z[2]: sp.Rational(2, 3), given.r: sp.Rational(5, 4)}
    D, V, S = (k - sp.Matrix(rows).xreplace(place).rank() for rows in (N, rho, sp.Matrix.vstack(N, rho)))
    text = f"dim D = {D}, dim V = {V}, dim S = {S} of {k}"
    yield said("section 2", "the dimension assumption TQ = D + V", k == D + V - S, text)
    yield said("section 2", "H has dimension 2, S has 1 and U has 2", (D - S, S, V - S) == (2, 1, 2), text)
    Z, _ = allowed(found, N)
    section, S = sp.Matrix([*z.cross(given.r * given.e3)[:2], *z]), given.split().S
    along = [section[i] * S[j] - section[j] * S[i] for i in range(k) for j in range(i)]
    yield identity("section 3", "S = D n V of the splitting is spanned by (A e3^, z x r e3)", given.on_sphere(*along))
    yield from other_connection(found, Z)
    yield from curvature()


def curvature() -> Iterator[Claim]:
    """B~ of the connection of section 3, by brackets: the splitting with the form v0 = <w, z>."""
    split = given.split()
    rho = sp.Matrix(split.quotient.system.space.anchor)
    zdot, other = (rho * split.H[:, i] for i in (0, 1))
    area = zdot.cross(other)
    # velocities (v, w): -[h_1, h_2] has the vertical part B~
    B = -sp.Matrix(split.curvature[0, 1])
    turn, place = -dot(area, z) * z, -2 * area.cross(given.r * given.e3)
    text = "B~(zdot, dz) = -(<zdot x dz, z>, 2 (zdot x dz) x r e3), from brackets of the frame"
    yield identity("section 3, curvature", text, given.on_sphere(B - sp.Matrix([*place[:2], *turn])), key=True)
    alone = sp.Matrix([*(place / 2)[:2], *turn])
    text = "the same without the factor 2 of the moving section"
    yield identity("section 3, curvature", text, given.on_sphere(B - alone), expected=False)
    parts = split.alpha * sp.Matrix([*given.xdot[:2], *given.w])
    moved = split.H * parts[:2, :] + split.S * parts[2:3, :]
    text = "alpha_A: a velocity of D is zdot lifted to H, and v0 along S"
    gap = moved - sp.Matrix([*given.xdot[:2], *given.w])
    along = parts[2:3, :] - sp.Matrix([given.v0])
    yield identity(
        "section 3, alpha_A", text, given.on_sphere(*(sp.fraction(sp.together(e))[0] for e in [*gap, *along]))
    )


def other_connection(found: System, Z: sp.Matrix) -> Iterator[Claim]:
    """S and the horizontal space of section 3 are not orthogonal; both lie in D."""
    W = sp.hessian(found.lagrangian, list(found.space.velocities))
    across = z.cross(given.dz)  # horizontal: w = z x dz
    overlap = (Z * z).dot(W * (Z * across))
    printed = given.M * dot(z.cross(given.r * given.e3), across.cross(given.r * given.e3))
    text = "<S, H> = M (z x r e3) . (w x r e3)"
    yield identity("section 3", text, given.on_sphere(overlap - printed), key=True)
    N = sp.Matrix([[c.phi.diff(v) for v in found.space.velocities] for c in found.constraints])
    yield identity("Theorem 2.1", "needs H in D only, and that it is", given.on_sphere(N * Z * across))


# --- left and right --------------------------------------------------------------------------------------------------


def _element(letter: str, *, algebra: bool = False, of: tuple[sp.Expr, ...] = (t,)) -> sp.Matrix:
    """An element of the group x -> a x + b, or of its algebra, as a function."""
    p, q = (sp.Function(f"{letter}_{i}")(*of) for i in (1, 2))
    return sp.Matrix([[p, q], [0, 0 if algebra else 1]])


def _bracket(x: sp.Matrix, y: sp.Matrix) -> sp.Matrix:
    return x * y - y * x


def covariant_derivative() -> Iterator[Claim]:
    """(b): D/Dt [q, xi] must not depend on which q of the class is taken."""
    A, xi, h = _element("A", algebra=True), _element("xi", algebra=True), _element("h")
    turn = h.inv()
    # right: (q h, h^-1 xi h), A -> h^-1 A h + h^-1 hdot      left: (h q, h xi h^-1), A -> h A h^-1 + hdot h^-1
    right = (turn * xi * h, turn * A * h + turn * h.diff(t), lambda e: turn * e * h)
    left = (h * xi * turn, h * A * turn + h.diff(t) * turn, lambda e: h * e * turn)

    def residual(moved: Any, sign: int) -> list[sp.Expr]:
        xi_h, A_h, carried = moved
        here = xi.diff(t) + sign * _bracket(A, xi)
        return list((xi_h.diff(t) + sign * _bracket(A_h, xi_h) - carried(here)).applyfunc(sp.simplify))

    yield identity("section 2 (b)", "D/Dt [q, xi] = [q, -[A, xi] + xidot] for a left action", residual(left, -1))
    statement = "D/Dt [q, xi] = [q, +[A, xi] + xidot] for a right action, as section 3 has one"
    yield identity("section 2 (b)", statement, residual(right, +1), kind=Kind.NEW)


def variations() -> Iterator[Claim]:
    """Theorem 2.1 (ii): delta v = D eta/Dt + [v, eta], along a curve of group elements that is varied."""
    g = _element("g", of=(t, _s))
    inverse = g.inv()

    def residual(v: sp.Matrix, eta: sp.Matrix, left: int, sign: int) -> list[sp.Expr]:
        # delta^A v = dv/ds -+ [eta, v] ,  D eta/Dt = deta/dt -+ [v, eta]    (left -, right +)
        varied = v.diff(_s) - left * _bracket(eta, v)
        moved = eta.diff(t) - left * _bracket(v, eta)
        return list((varied - moved - sign * _bracket(v, eta)).applyfunc(sp.simplify))

    left = (g.diff(t) * inverse, g.diff(_s) * inverse, 1)
    right = (inverse * g.diff(t), inverse * g.diff(_s), -1)
    yield identity("Theorem 2.1", "delta v = D eta/Dt + [v, eta] for a left action", residual(*left, 1))
    statement = "delta v = D eta/Dt - [v, eta] for a right action"
    yield identity("Theorem 2.1", statement, residual(*right, -1), kind=Kind.NEW)


def momentum_equation() -> Iterator[Claim]:
    """Theorem 2.1 (iii) on SO(3) acting on itself: D/Dt dl/dv = ad*_v dl/dv, by the library's equations."""
    left, right = (_turning(frame) for frame in ("body", "space"))
    # <ad*_v mu, eta> = <mu, v x eta>:  ad*_v mu = mu x v
    yield identity("Theorem 2.1", "D/Dt dl/dv = ad*_v dl/dv for a left action", _gap(*left, 1))
    statement = "D/Dt dl/dv = -ad*_v dl/dv for a right action"
    yield identity("Theorem 2.1", statement, _gap(*right, -1), kind=Kind.NEW)


def _turning(frame: str) -> tuple[sp.Matrix, Space]:
    """Equations of L = v . J v/2, J constant in that frame, in v and vdot."""
    space = rotation("R", velocities="w1 w2 w3", frame=frame)
    v = sp.Matrix(space.velocities)
    J = sp.diag(*sp.symbols("J1:4", positive=True))
    form = free(System(space, v.dot(J * v) / 2, title="a body")).symbolic
    return sp.Matrix(form.W) * given.a - sp.Matrix(form.f), space


def _gap(found: sp.Matrix, space: Space, sign: int) -> list[sp.Expr]:
    v, J = sp.Matrix(space.velocities), sp.diag(*sp.symbols("J1:4", positive=True))
    mu = J * v
    return list((found - (J * given.a - sign * mu.cross(v))).applyfunc(sp.expand))


GROUPS: tuple[Group, ...] = (parts, covariant_derivative, variations, momentum_equation)
