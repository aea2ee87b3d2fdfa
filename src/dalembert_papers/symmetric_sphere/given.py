"""The sphere of [cendra2001a] as the library sees it, in the letters of the paper.

    z = A e3, the body's axis    w, the angular velocity in space    v0 = <w, z>    zdot = w x z

Everything is derived from L, the rolling constraint and the group SO(2) x R^2. Identities hold on |z| = 1, or on unit
quaternions; `on_sphere` brings a polynomial to its remainder there, which is 0 exactly where the polynomial vanishes on
the sphere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import sympy as sp

from dalembert import System, nonholonomic, reduce
from dalembert.equations import Equations
from dalembert.geometry.quotient_space import Quotient
from dalembert.geometry.reduction import Reduction
from dalembert.geometry.restriction import allowed
from dalembert.geometry.splitting import Splitting
from dalembert.geometry.symbolic_null_space import ring_of
from dalembert.symmetry import quotient, spin, splitting
from dalembert.systems import symmetric_sphere as machine

from ..claim import Claim, Slip, misprint, said
from ..vanishing import entries

M, r, I1, I3 = machine.MASS, machine.RADIUS, machine.TRANSVERSE, machine.AXIAL
alpha, beta = sp.symbols("alpha beta", positive=True)
VALUES = {"m": 1.0, "r": 1.0, "I1": 0.4, "I3": 0.6}  # the paper gives no numbers
# alpha = I3/I1 ,  beta = M r^2/I1 ,  y = x/r
SCALED = {r: sp.S.One, I1: sp.S.One, I3: alpha, M: beta}

e1, e2, e3 = (sp.Matrix(sp.eye(3)[:, i]) for i in range(3))
w = machine.OMEGA
a = sp.Matrix(sp.symbols("a1:4", real=True))  # wdot
A = sp.Matrix(machine.SPACE.R)


def dot(x: sp.MatrixBase, y: sp.Matrix) -> sp.Expr:
    """<x, y>."""
    return sp.Matrix(x).dot(sp.Matrix(y))


def cross(x: sp.Matrix, y: sp.Matrix) -> sp.Matrix:
    """x x y."""
    return sp.Matrix(x).cross(sp.Matrix(y))


@cache
def system() -> System:
    """L, the constraints, the group."""
    return machine.system(**VALUES)


@cache
def whole() -> Equations:
    """Of the system as it is."""
    return nonholonomic(system())


@cache
def over_sphere() -> Quotient:
    """The system without its group, over S^2: coordinates z, all five velocities, the constraints."""
    return quotient(system())


@cache
def nonholonomic_over_sphere() -> Equations:
    """Of what is left over S^2."""
    return nonholonomic(over_sphere().system)


@cache
def split() -> Splitting:
    """TQ = H + S + U over S^2 with the connection of section 3: v0 = <w, z> is 0 on H."""
    return splitting(over_sphere(), connection=[v0])


@cache
def beside_walls() -> Quotient:
    """The system without the turns about z: walls need the place."""
    return quotient(system(), spin("R"))


@cache
def reduced() -> Reduction:
    """Over S^2, on the velocities that the constraints allow."""
    return reduce(system())


@cache
def reduced_beside_walls() -> Reduction:
    """The reduction that keeps the place, beside walls."""
    return reduce(system(), spin("R"))


# --- on the sphere ---------------------------------------------------------------------------------------------------

z = sp.Matrix(sp.symbols("z1:4", real=True))
zdot = w.cross(z)
v0 = dot(w, z)
xdot = r * w.cross(e3)  # on the constraint
xddot = r * a.cross(e3)
# zddot = wdot x z + w x zdot
zddot = a.cross(z) + w.cross(zdot)
v0dot = dot(a, z)  # <w, zdot> = 0
any_1, any_2 = (sp.Matrix(sp.symbols(f"{letter}1:4", real=True)) for letter in "bc")
dz = any_1.cross(z)  # any vector along the sphere


def rate(e: sp.Expr | sp.MatrixBase) -> sp.Expr | sp.MatrixBase:
    """d/dt of a function of z and w, entry by entry."""
    if isinstance(e, sp.MatrixBase):
        return e.applyfunc(rate)
    moving = zip((*z, *w), (*zdot, *a), strict=True)
    return sum((e.diff(s) * v for s, v in moving), sp.S.Zero)


def on_sphere(*residuals: Any) -> list[sp.Expr]:
    """Remainders modulo |z| = 1 and |quaternion| = 1."""
    relations, first = (z.dot(z) - 1, machine.SPACE.embedding[0]), (z[2], machine.SPACE["R_w"])
    found = []
    for e in entries(residuals):
        ring = ring_of(first, e, *relations)
        found.append(sp.expand(ring.from_expr(e).rem([*map(ring.from_expr, relations)]).as_expr()))
    return found


# --- the library's equations -----------------------------------------------------------------------------------------


@cache
def equations() -> sp.Matrix:
    """E(w, wdot, z), the nonholonomic equations over S^2 along the allowed velocities, three in all: E = 0."""
    found = over_sphere().system
    form = nonholonomic_over_sphere().symbolic
    W, N, f = sp.Matrix(form.W), sp.Matrix(form.N), sp.Matrix(form.f)
    Z, _ = allowed(found, N)
    there = dict(zip(found.space.velocities, Z * w, strict=True))
    # u = Z w with a constant Z:  Z^T (W Z wdot - f) = 0
    return (Z.T * (W * Z * a - f)).xreplace(there).applyfunc(sp.expand)


@cache
def lagrangian() -> sp.Expr:
    """The reduced Lagrangian in z, xdot and w, as the library finds it."""
    return over_sphere().system.lagrangian


# --- claims that are no identities -----------------------------------------------------------------------------------


def shape_of(
    where: str, printed: str, repaired: str, sizes: tuple[sp.Matrix, sp.Matrix, sp.Matrix], slip: Slip
) -> Iterator[Claim]:
    """Of what kind the printed and the repaired thing are, and should be."""
    kinds = [_kind(e) for e in sizes]
    wrong, right = (said(where, e, kind == kinds[2], kind) for e, kind in zip((printed, repaired), kinds, strict=False))
    yield misprint(wrong, right, slip)


def _kind(e: sp.Matrix) -> str:
    rows, columns = e.shape if isinstance(e, sp.MatrixBase) else (1, 1)
    return {(1, 1): "a number", (3, 1): "a vector"}.get((rows, columns), f"a {rows} x {columns} matrix")


def scaled(e: sp.Expr | sp.MatrixBase) -> sp.Expr | sp.MatrixBase:
    """With alpha, beta and y."""
    return e.xreplace(SCALED)
