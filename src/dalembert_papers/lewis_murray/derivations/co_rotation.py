"""The exception to Lemma 3.1 of [lewis1995]: a ball that spins with the table, on a centred circle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from ...claim import Claim, Kind, identity
from ...symbolic import solved
from .derived import nonholonomic_motion, vakonomic_motion
from .letters import I, J, Om, a3, ax, ay, lam, lam1, lam2, lamdot, m, om, r, vx, vy, w3, x, y


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
    yield at_rest(where, vak)


def at_rest(where: str, vak: dict[sp.Symbol, sp.Expr]) -> Claim:
    """The ball on the axis, at rest but for its spin Omega: lam is not unique."""
    C1, C2, t = sp.symbols("C1 C2 t", real=True)
    turned = C1 * sp.cos(Om * t) - C2 * sp.sin(Om * t), C1 * sp.sin(Om * t) + C2 * sp.cos(Om * t)
    rest = {x: 0, y: 0, vx: 0, vy: 0, w3: Om, lam1: turned[0], lam2: turned[1]}
    gaps = [vak[k].subs(rest, simultaneous=True) - e.diff(t) for k, e in zip(lamdot, turned, strict=True)]
    still = [vak[k].subs(rest, simultaneous=True) for k in (ax, ay, a3)]
    statement = "at rest on the axis lam = C exp(i Omega t) reproduces the motion for every C"
    return identity(where, statement, gaps, still, kind=Kind.NEW)


def only_if(where: str, w3dot: sp.Expr) -> Iterator[Claim]:
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


def turning_residuals(parts: dict[sp.Symbol, sp.Expr], flow: dict[sp.Symbol, sp.Expr]) -> list[sp.Expr]:
    """(x, y) and lam of `parts` move along `flow` as the nonholonomic and the vakonomic equations say."""
    vak, non = vakonomic_motion(), nonholonomic_motion()

    def rate(e: sp.Expr) -> sp.Expr:
        return sum((e.diff(q) * qdot for q, qdot in flow.items()), sp.S.Zero)

    motion = [rate(parts[x]) - vx, rate(parts[y]) - vy, flow[vx] - non[ax], flow[vy] - non[ay]]
    return motion + [rate(parts[p]) - vak[pd].subs(parts, simultaneous=True) for p, pd in zip(lam, lamdot, strict=True)]


def _products(c1: sp.Expr, c2: sp.Expr, h1: sp.Expr, h2: sp.Expr) -> list[sp.Expr]:
    """Real and imaginary parts of A = v c*, B = h c*, G = h v*."""
    c, h, velocity = c1 + sp.I * c2, h1 + sp.I * h2, vx + sp.I * vy
    products = [(velocity, c), (h, c), (h, velocity)]
    return [part for p, q in products for part in sp.expand(p * sp.conjugate(q)).as_real_imag()]


def bilinear(expression: sp.Expr, products: Sequence[sp.Expr], unknowns: Sequence[sp.Expr]) -> sp.Expr:
    """The combination of `unknowns` that equals the expression when these stand for `products`."""
    coefficients = sp.symbols(f"_k:{len(unknowns)}")
    gap = sp.expand(expression - sum(c * p for c, p in zip(coefficients, products, strict=True)))
    variables = sorted(sp.Matrix(products).free_symbols, key=str)
    found = solved(sp.Poly(gap, *variables).coeffs(), coefficients)
    return sum((found[c] * unknown for c, unknown in zip(coefficients, unknowns, strict=True)), sp.S.Zero)


def _independent(where: str, form: sp.Expr, unknowns: Sequence[sp.Expr]) -> Iterator[Claim]:
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


def determinant(matrix: sp.Matrix) -> sp.Expr:
    """The determinant of a matrix of rational functions."""
    field = matrix.to_DM().to_field()
    return sp.factor(field.domain.to_sympy(field.det()))


def never_zero(where: str, statement: str, value: sp.Expr, excluded: Any = 1) -> Claim:
    """The claim that value/excluded is not 0 for any positive value of its symbols."""
    holds = bool(sp.factor(value / excluded).is_nonzero)
    return Claim(where, statement, True, f"determinant {value}", holds)
