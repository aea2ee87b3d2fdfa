"""Section 3 of [cendra2001a], dynamics: the reduced Lagrangian, the two equations, and what they conserve.

E(z, w, wdot) = 0 are the library's equations over S^2, one for each component of w. The vertical equation is E along
w = z, the horizontal ones are E along w = z x dz with any dz along the sphere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from dalembert import free

from ..claim import Claim, Group, at_hand, identity, misprint, pair, said
from . import given
from .given import (
    I1,
    I3,
    M,
    a,
    alpha,
    beta,
    cross,
    dot,
    dz,
    e3,
    on_sphere,
    r,
    rate,
    scaled,
    v0,
    v0dot,
    w,
    xddot,
    xdot,
    z,
    zddot,
    zdot,
)

re3 = r * e3
s0 = sp.Symbol("s0", real=True)  # v0 as a variable of its own
v1 = sp.Matrix([*sp.symbols("v1:3", real=True), 0])
rates = sp.Matrix(sp.symbols("zd1:4", real=True))  # zdot as variables
ON_S = {s0: v0, **dict(zip(v1[:2], (v0 * z.cross(re3))[:2], strict=True)), **dict(zip(rates, zdot, strict=True))}
NABLA = zddot - dot(z, zddot) * z
STATES, CLOSE = 5, 1e-12


def printed_lagrangian() -> sp.Expr:
    """l(z, zdot, v0, v1) as printed."""
    place = v1 + z.cross(rates).cross(re3)
    return I1 * dot(rates, rates) / 2 + I3 * s0**2 / 2 + M * dot(place, place) / 2


def reduced_lagrangian() -> Iterator[Claim]:
    """l against the library's, with w = v0 z + z x zdot and xdot = v1 + (z x zdot) x r e3."""
    space = given.over_sphere().system.space
    tangent = cross(given.any_1, z)  # any zdot
    place = v1 + z.cross(tangent).cross(re3)
    there = {space["vx"]: place[0], space["vy"]: place[1], **dict(zip(w, s0 * z + z.cross(tangent), strict=True))}
    library = given.lagrangian().subs(there, simultaneous=True)
    printed = printed_lagrangian().subs(dict(zip(rates, tangent, strict=True)), simultaneous=True)
    text = "l = I1 zdot^2/2 + I3 v0^2/2 + M (v1 + (z x zdot) x r e3)^2/2"
    yield identity("section 3", text, on_sphere(library - printed), key=True)
    # with y = x/r, l/I1 has alpha and beta alone
    unit = zdot.dot(zdot) + alpha * v0**2 + beta * dot(w.cross(e3), w.cross(e3))
    on_s = scaled(printed_lagrangian().subs(ON_S, simultaneous=True))
    yield identity("section 3", "l = I1 (zdot^2 + alpha v0^2 + beta ydot^2)/2", on_sphere(on_s - unit / 2))


# --- the vertical equation -------------------------------------------------------------------------------------------


@cache
def vertical() -> sp.Expr:
    """E along S."""
    return dot(given.equations(), z)


def momenta() -> tuple[sp.Expr, sp.Matrix]:
    """dl/dv0 and dl/dv1 of the printed l, taken before v lies in s~, then put there."""
    L = printed_lagrangian()
    derivatives = [L.diff(s0), *(L.diff(v) for v in v1[:2])]
    first, *second = (e.subs(ON_S, simultaneous=True) for e in derivatives)
    return first, sp.Matrix([*second, 0])


def momentum_map() -> Iterator[Claim]:
    """(1), (2): dl/dv."""
    first, second = momenta()
    printed = first - I3 * v0, second - M * (v0 * z.cross(re3) + z.cross(zdot).cross(re3))
    yield identity("(1), (2)", "dl/dv = (I3 v0, M (v1 + (z x zdot) x r e3))", on_sphere(*printed))
    # w = v0 z + z x zdot, xdot = v1 + ...:  dl/dv0 = dL/dw z ,  dl/dv1 = dL/dxdot
    L, space = given.lagrangian(), given.over_sphere().system.space
    planar = [space["vx"], space["vy"]]
    there = dict(zip(planar, xdot[:2], strict=True))
    found = dot(sp.Matrix([L.diff(u) for u in w]), z), sp.Matrix([*(L.diff(u) for u in planar), 0])
    residuals = [first - found[0].xreplace(there), second - found[1].xreplace(there)]
    text = "they are dL/dw z and dL/dxdot of the library's L over S^2, taken first and then restricted"
    yield identity("(1), (2)", text, on_sphere(*residuals))
    # the bundle is trivial and the group abelian: D/Dt is the derivative of the components
    moving = rate(v0), rate(v0 * z.cross(re3))
    along = v0dot * z.cross(re3) + v0 * zdot.cross(re3)
    yield from pair(
        "section 3, covariant derivative",
        "D (z, xi e3^, a)/Dt = (z, xi e3^, adot)",
        on_sphere(moving[0] - v0, moving[1] - along),
        "D (z, xi e3^, a)/Dt = (z, xidot e3^, adot)",
        on_sphere(moving[0] - v0dot, moving[1] - along),
        at_hand(
            "The group is abelian: D/Dt is d/dt of the components. The vertical equation uses it with the dot.",
            r"\frac{D(z, \xi\hat{e}_3, a)}{Dt} = (z, \xi\hat{e}_3, \dot{a})",
            r"\frac{D(z, \xi\hat{e}_3, a)}{Dt} = (z, \dot{\xi}\hat{e}_3, \dot{a})",
        ),
    )


def vertical_equation() -> Iterator[Claim]:
    """D/Dt dl/dv restricted to s~."""
    first, second = momenta()
    section = z.cross(re3)  # of s~: (1, z x r e3)
    pairing = rate(first) + dot(rate(second), section)
    where = "section 3, vertical"
    repaired = identity(where, "D/Dt dl/dv |_s~ = 0", on_sphere(pairing - vertical()))
    slip = at_hand(
        "On all of the fibre these are three equations; the one that is used pairs with the section (1, z x r e3).",
        r"\left.\frac{D}{Dt}\frac{\partial l}{\partial v}\right|_z = 0",
        r"\left.\frac{D}{Dt}\frac{\partial l}{\partial v}\right|_{\tilde{s}} = 0",
    )
    yield misprint(_all_of_the_fibre(where), repaired, slip)
    forms = {
        "I3 v0' + M (w' x r e3).(z x r e3) = 0": I3 * v0dot + M * dot(a.cross(re3), z.cross(re3)),
        "I3 v0' + M x''.(z x r e3) = 0": I3 * v0dot + M * dot(xddot, z.cross(re3)),
        "I3 v0' = <z, M x'' x r e3>": I3 * v0dot - dot(z, M * xddot.cross(re3)),
    }
    for text, e in forms.items():
        yield identity(where, text, on_sphere(e - vertical()))
    yddot = (v0dot * z + v0 * zdot + z.cross(zddot)).cross(e3)
    e = alpha * v0dot - beta * dot(yddot.cross(e3), z)
    yield identity(where, "alpha v0' = beta <y'' x e3, z>", on_sphere(e - scaled(vertical())), key=True)
    text = "y'' = (v0' z + v0 zdot + z x zddot) x e3"
    yield identity(where, text, on_sphere(yddot - scaled(xddot)))


def _all_of_the_fibre(where: str) -> Claim:
    """|_z: all three components of D/Dt dl/dv, along the motion."""
    worst = 0.0
    for values in _states():
        accelerations = _accelerations(values)
        there = {**values, **accelerations}
        first, second = momenta()
        numbers = [_number(e, there) for e in (rate(first), *rate(second)[:2])]
        worst = max(worst, *map(abs, numbers))
    text = f"up to {worst:.2g} at {STATES} states"
    return said(where, "D/Dt dl/dv |_z = 0", worst < CLOSE, text)


# --- the horizontal equation -----------------------------------------------------------------------------------------


def horizontal() -> sp.Expr:
    """E along H."""
    return dot(given.equations(), z.cross(dz))


def _left_side() -> sp.Expr:
    """(d^C l/dz - D/Dt dl/dzdot) . dz of the vertical part of l."""
    place = v1 + z.cross(rates).cross(re3)
    part = M * dot(place, place) / 2
    by_z, by_rate = (sp.Matrix([part.diff(s) for s in symbols]) for symbols in (z, rates))
    there, momentum = (e.subs(ON_S, simultaneous=True) for e in (by_z, by_rate))
    along = momentum - dot(momentum, z) * z
    # zdot is carried parallel while z moves by dz: it changes by -<dz, zdot> z
    carried = -dot(dz, zdot) * dot(momentum, z)
    return dot(there, dz) + carried - dot(rate(along), dz)


def horizontal_equation() -> Iterator[Claim]:
    """Its sides, and the equation."""
    where, P = "section 3, horizontal", re3.cross(M * xdot)
    by_z = dot(dz, zdot.cross(P))
    place = M * dot(w.cross(re3), dz.cross(zdot).cross(re3))
    yield identity(where, "dl_v/dz . dz = dz . (zdot x (r e3 x M xdot))", on_sphere(by_z - place))
    by_rate = M * dot(w.cross(re3), z.cross(dz).cross(re3))
    yield identity(where, "dl_v/dzdot . dz = dz . ((r e3 x M xdot) x z)", on_sphere(by_rate - dot(dz, P.cross(z))))
    yield from _free_part(where)
    e = 2 * M * r**2 * zdot.cross(e3.cross(w.cross(e3))) + z.cross(re3.cross(M * xddot))
    left = _left_side()
    text = "left side -I1 nabla zdot + 2 M r^2 zdot x (e3 x (w x e3)) + z x (r e3 x M x'')"
    yield identity(where, text, on_sphere(dot(e, dz) - left), key=True)
    area = zdot.cross(dz)
    right = -I3 * v0 * dot(area, z) - M * dot(w.cross(re3), 2 * area.cross(re3))
    whole = dot(-I1 * NABLA + e, dz) - right
    yield identity(where, "left side = dl/dv (B~(zdot, dz)) is E along H", on_sphere(whole + horizontal()), key=True)
    flipped = dot(-I1 * NABLA + e, dz) + right
    yield identity(
        where, "the same with the curvature's sign changed", on_sphere(flipped + horizontal()), expected=False
    )
    final = I1 * NABLA - I3 * v0 * z.cross(zdot) - M * r * cross(xddot.cross(e3), z)
    text = "I1 nabla zdot = I3 v0 (z x zdot) + M r (x'' x e3) x z"
    yield identity(where, text, on_sphere(dot(final, dz) - horizontal()))
    unit = NABLA - alpha * v0 * z.cross(zdot) - beta * cross(scaled(xddot).cross(e3), z)
    text = "nabla zdot = alpha v0 (z x zdot) + beta (y'' x e3) x z"
    yield identity(where, text, on_sphere(dot(unit, dz) - scaled(horizontal())), key=True)


def _free_part(where: str) -> Iterator[Claim]:
    """-I1 nabla zdot is the Euler-Lagrange expression of l_h: of L with I3 = 0, without constraints, along w."""
    form = free(given.over_sphere().system).symbolic
    turning = slice(2, 5)  # of the velocities: w
    W, f = (sp.Matrix(part).subs(I3, 0) for part in (sp.Matrix(form.W)[turning, turning], form.f[turning]))
    e = dot(W * a - f, z.cross(dz)) - I1 * dot(NABLA, dz)
    yield identity(where, "dl_h/dz - D/Dt dl_h/dzdot = -I1 nabla zdot", on_sphere(e))


def covariant() -> Iterator[Claim]:
    """nabla zdot."""
    where = "end of section 3"
    scalar = sp.Matrix([[dot(z, zddot)]])
    yield from given.shape_of(
        where,
        "nabla zdot = zddot - <z, zddot>_z takes a vector from zddot",
        "nabla zdot = zddot - <z, zddot> z takes a vector from zddot",
        (scalar, scalar[0] * z, zddot),
        at_hand(
            "The part of zddot along z.",
            r"\nabla\dot{z} = \ddot{z} - \langle z, \ddot{z} \rangle_z",
            r"\nabla\dot{z} = \ddot{z} - \langle z, \ddot{z} \rangle z",
        ),
    )
    yield identity(where, "z x zddot = z x nabla zdot", on_sphere(z.cross(zddot) - z.cross(NABLA)))


# --- the whole -------------------------------------------------------------------------------------------------------

# K = I1 z x zdot + I3 v0 z + M r^2 e3 x (w x e3)
K = I1 * z.cross(zdot) + I3 * v0 * z + M * r**2 * e3.cross(w.cross(e3))
# J(z) w = K
J = I1 * (sp.eye(3) - z * z.T) + I3 * z * z.T + M * r**2 * (sp.eye(3) - e3 * e3.T)


def newton_euler() -> Iterator[Claim]:
    """The library's equations are Newton's and Euler's with the friction at the contact eliminated."""
    # M x'' = F ,  d/dt (I1 z x zdot + I3 v0 z) = -r e3 x F
    spin = rate(I1 * z.cross(zdot) + I3 * v0 * z)
    gap = given.equations() - (spin + re3.cross(M * xddot))
    yield identity("end of section 3", "the system is Newton's and Euler's equations", on_sphere(gap), key=True)
    worst = max(_apart(values) for values in _states())
    text = f"{worst:.1e} apart at {STATES} states"
    yield said("end of section 3", "and the library's on the velocities that are left", worst < 1e-11, text)


def conserved() -> Iterator[Claim]:
    """The energy, and what the paper does not mention."""
    energy = given.lagrangian().subs(_allowed(), simultaneous=True)
    e = rate(energy) - dot(given.equations(), w)
    yield identity("end of section 3", "l is preserved", on_sphere(e), key=True)
    text = "K = I1 z x zdot + I3 v0 z + M r^2 e3 x (w x e3) is constant in space"
    yield identity("not mentioned", text, on_sphere(rate(K) - given.equations()), key=True)
    yield identity("not mentioned", "zdot = (J(z)^-1 K) x z, J w = K", on_sphere(J * w - K))


def _allowed() -> dict[sp.Symbol, sp.Expr]:
    space = given.over_sphere().system.space
    return {space["vx"]: xdot[0], space["vy"]: xdot[1]}


# --- numbers ---------------------------------------------------------------------------------------------------------


@cache
def _states() -> list[dict[Any, float]]:
    """Random z and w."""
    rng, found = np.random.default_rng(6), []
    for _ in range(STATES):
        axis, turning = rng.normal(size=(2, 3))
        axis = axis / np.linalg.norm(axis)
        found.append(dict(zip((*z, *w), map(float, (*axis, *turning)), strict=True)))
    return found


@cache
def _restricted() -> Any:
    return free(given.reduced().system)


def _accelerations(values: dict[Any, float]) -> dict[Any, float]:
    """wdot by the library."""
    state = {s.name: v for s, v in values.items()}
    found = given.nonholonomic_over_sphere().evaluate(state)["accelerations"]
    return {s: found[u.name] for s, u in zip(a, w, strict=True)}


def _apart(values: dict[Any, float]) -> float:
    """wdot with the constraints, less wdot on the velocities that are left."""
    one = _accelerations(values)
    other = _restricted().evaluate({s.name: v for s, v in values.items()})["accelerations"]
    return max(abs(one[s] - other[u.name]) for s, u in zip(a, w, strict=True))


def _number(e: sp.Expr, values: dict[Any, float]) -> float:
    known = {sp.Symbol(name, positive=True): value for name, value in given.VALUES.items()}
    return float(e.subs({**values, **known}))


GROUPS: tuple[Group, ...] = (
    reduced_lagrangian,
    momentum_map,
    vertical_equation,
    horizontal_equation,
    covariant,
    newton_euler,
    conserved,
)
