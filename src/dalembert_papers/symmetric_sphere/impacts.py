"""Section 4 of [cendra2001a]: the sphere against a rough wall; r = 1, I1 = 1, I3 = alpha, M = beta.

The library's impact is rational in the state. Whether a rational residual is 0 is decided exactly at `POINTS` random
rational states with |z| = 1.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sympy as sp

from dalembert.impacts import wall
from dalembert.systems import symmetric_sphere as machine

from ..claim import Claim, Group, at_hand, identity, misprint, said
from ..vanishing import entries
from . import given
from .given import alpha, beta, dot, e1, e3, on_sphere, scaled, v0, w, z, zdot

POINTS = 5
where = "section 4"
y1, y2 = (machine.SPACE[n] for n in ("vx", "vy"))
ydot = sp.Matrix([y1, y2, 0])
LENGTH = 3  # between the walls; it does not enter
WALLS: dict[str, dict[str, Any]] = {"right": machine.RIGHT, "left": machine.left(LENGTH)}
# (u, v), what the wall and the plane leave
U = {"right": sp.Matrix([1, 0, 1]), "left": sp.Matrix([-1, 0, 1])}
V = {"right": sp.Matrix([0, -1, 0]), "left": sp.Matrix([0, 1, 0])}
u = U["right"]
v = V["right"]


# --- exact values ----------------------------------------------------------------------------------------------------

Point = dict[Any, Any]


@cache
def points() -> tuple[Point, ...]:
    """Random rational z, w, alpha and beta; |z| = 1, and the sphere rolls."""
    return tuple(_point(random.Random(seed)) for seed in range(POINTS))


def _point(draw: random.Random) -> Point:
    p, q, *rest = (sp.Rational(draw.randint(-60, 60), draw.randint(20, 60)) for _ in range(5))
    # stereographic projection: a rational point of the sphere
    n = 1 + p**2 + q**2
    axis = 2 * p / n, 2 * q / n, (1 - p**2 - q**2) / n
    sizes = (sp.Rational(draw.randint(20, 60), draw.randint(20, 60)) for _ in range(2))
    found = dict(zip((*z, *w, alpha, beta), (*axis, *rest, *sizes), strict=True))
    rolling = w.cross(e3).xreplace(found)
    return {**found, y1: rolling[0], y2: rolling[1]}


def exactly(statement: str, *residuals: Any, place: str = where, expected: bool = True, key: bool = False) -> Claim:
    """The claim that the residuals vanish, decided by exact values at the points."""
    every = [scaled(e) for e in entries(residuals)]
    values = [_value(e, point) for point in points() for e in every]
    if not all(value.is_Rational for value in values):
        raise ArithmeticError(f"{statement}: not a rational number")
    largest = max(map(abs, values), default=sp.S.Zero)
    text = f"0 exactly at {POINTS} rational states" if largest == 0 else f"up to {float(largest):.3g}"
    return Claim(place, statement, expected, text, largest == 0, key)


def _value(e: sp.Basic, known: Point) -> sp.Basic:
    """The value at a point, of which all values are kept: formulas share most of their parts."""
    if e not in known:
        known[e] = e.func(*(_value(part, known) for part in e.args)) if e.args else e
    return known[e]


# --- the library's impact --------------------------------------------------------------------------------------------


@cache
def impact(side: str = "right") -> tuple[sp.Matrix, sp.Matrix]:
    """(w, ydot) after the impact, functions of the state before it."""
    found = given.beside_walls().system
    jump: Any = wall(found, **WALLS[side]).then
    after = {s: scaled(jump.get(s.name, s)) for s in found.space.velocities}
    return sp.Matrix([after[s] for s in w]), sp.Matrix([after[y1], after[y2], 0])


def metric(first: Sequence[sp.Matrix], second: Sequence[sp.Matrix]) -> sp.Expr:
    """K((w, ydot), (w, ydot)), by the library's Lagrangian."""
    space = given.beside_walls().system.space
    W = scaled(sp.hessian(given.beside_walls().system.lagrangian, list(space.velocities)))
    one, other = ([*vector[1][:2], *vector[0]] for vector in (first, second))
    return (sp.Matrix([one]) * W * sp.Matrix(other))[0]


def factor(side: str = "right") -> sp.Expr:
    """lambda = K((w0, ydot0), (u, v))/K((u, v), (u, v))."""
    part = (U[side], V[side])
    return metric((w, ydot), part) / metric(part, part)


# --- claims ----------------------------------------------------------------------------------------------------------


def space() -> Iterator[Claim]:
    """Where the metric lives."""
    found = len(given.system().space.velocities)
    text = f"{found} velocities"
    printed, repaired = (
        said(where, f"K is a metric on T({on})", found == size, text)
        for on, size in (("SO(3) x R", 4), ("SO(3) x R^2", 5))
    )
    slip = at_hand("The exponent is lost.", r"T(SO(3) \times \mathbb{R})", r"T(SO(3) \times \mathbb{R}^2)")
    yield misprint(printed, repaired, slip)


def remaining() -> Iterator[Claim]:
    """C = D and the wall: spanned by (u, v)."""
    phis = [scaled(c.phi) for c in given.system().constraints]
    for side in WALLS:
        normal = (y1,) if side == "right" else (-y1,)
        rows = [*phis, *normal, *(scaled(e) for e in WALLS[side]["constraints"].values())]
        B = sp.Matrix([[row.diff(s) for s in (y1, y2, *w)] for row in rows])
        text = {"right": "u = (1, 0, 1), v = (0, -1)", "left": "u = (-1, 0, 1), v = (0, 1)"}[side]
        vector = sp.Matrix([*V[side][:2], *U[side]])
        yield identity(where, f"{side} wall: {text} are in C", B * vector, V[side] - U[side].cross(e3))
        left = B.cols - B.rank()
        yield said(where, f"{side} wall: C has one dimension", left == 1, f"{left} of {B.cols}")


def kinetic() -> Iterator[Claim]:
    """K(., .), and what it gives for (u, v)."""
    twice = dot(zdot, zdot) + alpha * v0**2 + beta * dot(ydot, ydot)
    both = metric((w, ydot), (w, ydot))
    yield identity(where, "2 L = zdot^2 + alpha v0^2 + beta ydot^2", on_sphere(both - twice))
    split = dot(alpha * v0 * z + z.cross(zdot), v0 * z + z.cross(zdot)) + beta * dot(ydot, ydot)
    text = "2 L = <alpha v0 z + z x zdot, v0 z + z x zdot> + <beta ydot, ydot>"
    yield identity(where, text, on_sphere(both - split))
    mixed = dot(alpha * v0 * z + z.cross(zdot), u) + beta * dot(ydot, v)
    text = "K((w0, ydot0), (u, v)) = <alpha v00 z0 + z0 x zdot0, u> + <beta ydot0, v>"
    yield identity(where, text, on_sphere(metric((w, ydot), (u, v)) - mixed), key=True)
    own = dot(u, u) + (alpha - 1) * dot(u, z) ** 2 + beta * dot(v, v)
    text = "K((u, v), (u, v)) = u^2 + (alpha - 1) <u, z0>^2 + beta <v, v>"
    yield identity(where, text, on_sphere(metric((u, v), (u, v)) - own), key=True)


def jump() -> Iterator[Claim]:
    """(w1, ydot1) = 2 lambda (u, v) - (w0, ydot0), and what it keeps."""
    for side in WALLS:
        after, lam = impact(side), factor(side)
        printed = [2 * lam * part - before for part, before in ((U[side], w), (V[side], ydot))]
        text = f"{side} wall: (w1, ydot1) = 2 lambda (u, v) - (w0, ydot0)"
        residuals = [one - other for one, other in zip(after, printed, strict=True)]
        yield exactly(text, *residuals, key=True)
        kept = metric(after, (U[side], V[side])) - metric((w, ydot), (U[side], V[side]))
        yield exactly(f"{side} wall: the component along (u, v) is kept", kept)
        yield exactly(f"{side} wall: the energy is kept", metric(after, after) - metric((w, ydot), (w, ydot)))
        yield exactly(f"{side} wall: the sphere keeps rolling", after[1] - after[0].cross(e3))
    after = impact()
    lam = factor()
    change = after[0] - w, after[1] - ydot
    text = "Delta (w, ydot) = 2 (lambda (u, v) - (w0, ydot0))"
    yield exactly(text, change[0] - 2 * (lam * u - w), change[1] - 2 * (lam * v - ydot))
    yield exactly("K, constant while it rolls, is constant across the impact", _momentum(after[0]), expected=False)
    yield by_impulse()


def _momentum(turning: sp.Matrix) -> sp.Matrix:
    """K after less K before."""

    def K(omega: sp.Matrix) -> sp.Matrix:
        spin = dot(omega, z)
        return omega - spin * z + alpha * spin * z + beta * e3.cross(omega.cross(e3))

    return K(turning) - K(w)


def by_impulse() -> Claim:
    """The impact with the impulses of plane and wall as unknowns, five velocities and four rows."""
    velocities = (y1, y2, *w)
    found = given.beside_walls().system
    W = scaled(sp.hessian(found.lagrangian, list(velocities)))
    rows = [scaled(c.phi) for c in found.constraints]
    at_wall = [y1, scaled(WALLS["right"]["constraints"]["right_y"])]
    B = sp.Matrix([[row.diff(s) for s in velocities] for row in (*rows, *at_wall)])
    # W (u1 - u0) = B^T l ,  B u1 = -B u0 at the wall, 0 on the plane
    bordered = sp.Matrix(sp.BlockMatrix([[W, -B.T], [B, sp.zeros(4, 4)]]).as_explicit())
    before = sp.Matrix(velocities)
    right = sp.Matrix([*(W * before), 0, 0, *(-e for e in at_wall)])
    gaps = []
    for point in points():
        solved = bordered.xreplace(point).LUsolve(right.xreplace(point))[:5]
        after = [e.xreplace(point) for e in (*impact()[1][:2], *impact()[0])]
        gaps += [abs(one - other) for one, other in zip(solved, after, strict=True)]
    text = f"{float(max(gaps)):.1g} at {POINTS} rational states"
    return said(where, "an impulse solve with multipliers gives the same", max(gaps) == 0, text)


def reduced_variables() -> Iterator[Claim]:
    """Delta (zdot, v0)."""
    after, lam = impact(), factor()
    change = after[0] - w
    cross_u = sp.Matrix([-z[1], z[0] - z[2], z[1]])
    yield identity(where, "u x z0 = (-z0^2, z0^1 - z0^3, z0^2)", u.cross(z) - cross_u)
    rest = [2 * (lam * (z[0] + z[2]) - v0)]
    right = [*(2 * (lam * cross_u - w.cross(z))), *rest]
    wrong_u = sp.Matrix([-z[2], z[0] - z[2], z[1]])
    wrong = [*(2 * (lam * wrong_u - w.cross(z))), *rest]
    moved = [*change.cross(z), dot(change, z)]
    gap = lambda e: [one - other for one, other in zip(moved, e, strict=True)]  # noqa: E731
    form = "2 (lambda ({}, z0^1 - z0^3, z0^2) - w0 x z0, lambda (z0^1 + z0^3) - <w0, z0>)"
    printed, repaired = (exactly(form.format(e), gap(g)) for e, g in (("-z0^3", wrong), ("-z0^2", right)))
    yield misprint(printed, repaired, INDEX)
    halved = [e / 2 for e in right]
    yield exactly("the same without the common factor 2", gap(halved), expected=False)
    printed = exactly("the left side is Delta (z, v0)", right[:3])
    repaired = exactly("the left side is Delta (zdot, v0)", gap(right))
    yield misprint(printed, repaired, at_hand("z does not jump.", r"\Delta(z, v_0)", r"\Delta(\dot{z}, v_0)"))
    printed = exactly("w0 = v00 z0 + z0 x z0", w - v0 * z - z.cross(z))
    repaired = exactly("w0 = v00 z0 + z0 x zdot0", w - v0 * z - z.cross(zdot))
    slip = at_hand(
        "w = v0 z + z x zdot of section 3; z0 x z0 is 0.",
        r"\omega_0 = v_{00} z_0 + z_0 \times z_0",
        r"\omega_0 = v_{00} z_0 + z_0 \times \dot{z}_0",
    )
    yield misprint(printed, repaired, slip)


INDEX = at_hand(
    "u x z0 = (-z0^2, z0^1 - z0^3, z0^2).",
    r"2(\lambda(-z_0^3, z_0^1 - z_0^3, z_0^2) - \omega_0 \times z_0, \ldots)",
    r"2(\lambda(-z_0^2, z_0^1 - z_0^3, z_0^2) - \omega_0 \times z_0, \ldots)",
)


def homogeneous() -> Iterator[Claim]:
    """alpha = 1, the case studied long ago [neimark1972; ibort2001]."""
    after = [e.subs(alpha, 1) for e in impact()[0]]
    # the plane's component along x and the slip at the wall are reversed, the momentum along (u, v) is kept
    k = 2 + beta
    known = [(beta * w[0] + 2 * w[2]) / k, -w[1], (2 * (1 + beta) * w[0] - beta * w[2]) / k]
    text = "alpha = 1: w1 = ((beta w01 + 2 w03)/(2 + beta), -w02, (2 (1 + beta) w01 - beta w03)/(2 + beta))"
    yield exactly(text, [one - other for one, other in zip(after, known, strict=True)])
    yield exactly("alpha = 1: it does not depend on z", [_turned(e) for e in after])
    yield exactly("so it is for any alpha", [_turned(e) for e in impact()[0]], expected=False)


def _turned(e: sp.Expr) -> sp.Expr:
    """The value less that with the axis along e1."""
    return e - e.xreplace(dict(zip(z, e1, strict=True)))


GROUPS: tuple[Group, ...] = (
    space,
    remaining,
    kinetic,
    jump,
    reduced_variables,
    homogeneous,
)
