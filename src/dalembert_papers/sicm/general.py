"""(1.185) and (1.230) to (1.240) for every L(t, q, v), G1(t, q) and G0(t, q), with two and three coordinates.

The library's operator is held against the formulas as printed, written with the notes' own D, d1, d2 and E. Undefined
functions serve where nothing is substituted; elsewhere polynomials whose derivatives of every order that occurs are
arbitrary.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import sympy as sp

from dalembert import System, coordinates, free, nonholonomic, vakonomic
from dalembert.calculus.frame import TIME
from dalembert.symmetry import allowed

from ..arbitrary import jet, unknown
from ..claim import Claim, Group, identity
from ..symbolic import motion_rows, plain_motion, rows_of
from .examples import growing_ring, nonholonomic_examples
from .notation import NAMES, Path, path

SIZES = (2, 3)


class Given(NamedTuple):
    """L and psi = G1 v + G0 on a path."""

    path: Path
    L: Any
    G1: Any
    G0: Any

    @property
    def psi(self) -> sp.Expr:
        """(1.230)."""
        # psi(t, q, v) = G1(t, q) v + G0(t, q)
        return self.path.dot(self.G1, sp.Matrix(self.path.v)) + self.G0


@cache
def arbitrary(n: int) -> Given:
    """L, G1 and G0 as undefined functions."""
    p = path(n)
    G1 = sp.Matrix([unknown(f"G1_{i + 1}", TIME, *p.q) for i in range(n)])
    return Given(p, unknown("L", TIME, *p.q, *p.v), G1, unknown("G0", TIME, *p.q))


@cache
def polynomial(n: int) -> Given:
    """L with arbitrary derivatives up to the second, G1 and G0 with arbitrary derivatives up to the first."""
    p = path(n)
    G1 = sp.Matrix([jet(f"g{i + 1}", (TIME, *p.q), 1) for i in range(n)])
    return Given(p, jet("k", (TIME, *p.q, *p.v), 2), G1, jet("g0", (TIME, *p.q), 1))


# --- the equations as printed ----------------------------------------------------------------------------------------


def equation_1185(p: Path, psi: sp.Expr, eta: sp.Matrix, Deta: sp.Matrix) -> sp.Expr:
    """The left side of (1.185)."""
    # (d1 psi o Gamma[q]) eta + (d2 psi o Gamma[q]) D eta
    return p.dot(p.d1(psi), eta) + p.dot(p.d2(psi), Deta)


def equation_1231(p: Path, L: sp.Expr, psi: sp.Expr, reaction: sp.Expr) -> sp.Matrix:
    """E[L] - lam d2 psi, the left side of (1.231) and (1.238); the multiplier is called `reaction`."""
    # E[L] o Gamma[q] = lam (d2 psi o Gamma[q])
    return p.E(L) - reaction * p.d2(psi)


def equation_1240(p: Path, L: sp.Expr, psi: sp.Expr) -> sp.Matrix:
    """The right side of (1.240)."""
    # E[L] + Dlam d2 psi + lam D(d2 psi) - lam d1 psi
    return p.E(L) + p.Dlam * p.d2(psi) + p.lam * p.D(p.d2(psi)) - p.lam * p.d1(psi)


l = sp.Symbol("l", real=True)  # the multiplier of (1.231), where (1.240) has lam


# --- the library's equations -----------------------------------------------------------------------------------------


@cache
def system(n: int) -> System:
    """The polynomial L and psi as a `System`."""
    given = polynomial(n)
    return System(coordinates(NAMES.split()[:n]), given.L, {"psi": given.psi})


def nonholonomic_rows(given: System, p: Path, reaction: sp.Expr) -> sp.Matrix:
    """The library's nonholonomic equations, the multiplier being `reaction`."""
    return sp.Matrix(motion_rows(nonholonomic(given).symbolic, p.a, [reaction]))


def vakonomic_rows(given: System, p: Path) -> sp.Matrix:
    """The library's vakonomic equations with the notes' sign: L + lam psi, so that lam is minus the library's."""
    return sp.Matrix(motion_rows(vakonomic(given).symbolic, p.a, [-p.Dlam])).subs(p.lam, -p.lam)


def definition() -> Iterator[Claim]:
    """(1.230): what the library says of such a constraint."""
    for n in SIZES:
        given = polynomial(n)
        found = system(n).constraints[0]
        residuals = sp.Matrix(found.normal) - given.G1, found.drift - given.G0
        yield identity("(1.230)", f"n = {n}: d2 psi = G1, and psi = G0 at v = 0", *residuals)
        kinds = found.kind, system(n).changed(constraints={"psi": given.psi - given.G0}).constraints[0].kind
        text = f"with G0: {kinds[0]}; without: {kinds[1]}"
        yield Claim("(1.230)", f"n = {n}: affine; linear for G0 = 0", True, text, kinds == ("affine", "linear"))
        # psi = G1 (v - gamma) ,  G1 gamma = -G0 ,  G1 X = 0
        each = allowed(system(n))
        drift = sp.Matrix([*each.drift.values()])
        fields = [sp.Matrix([*X.values()]) for X in each.fields.values()]
        left = [given.G1.dot(drift) + given.G0, *(given.G1.dot(X) for X in fields)]
        yield identity("(1.230)", f"n = {n}: v = gamma + X, G1 X = 0, is what it allows", left)


def unconstrained() -> Iterator[Claim]:
    """E[L], by the library and by the notes."""
    for n in SIZES:
        p, L, *_ = polynomial(n)
        form = free(system(n)).symbolic
        rows = sp.Matrix(form.W) * sp.Matrix(p.a) - sp.Matrix(form.f)
        yield identity("E[L]", f"n = {n}: the library's Lagrange equations are D(d2 L) - d1 L", rows - p.E(L))


def first_set() -> Iterator[Claim]:
    """(1.231) is what the library calls nonholonomic."""
    for n in SIZES:
        given = polynomial(n)
        printed = equation_1231(given.path, given.L, given.psi, l)
        residual = nonholonomic_rows(system(n), given.path, l) - printed
        yield identity("(1.231)", f"n = {n}: the library's nonholonomic equations", residual, key=n == 3)


def second_set() -> Iterator[Claim]:
    """(1.240) is Lagrange's equation of (1.239), and what the library calls vakonomic."""
    for n in SIZES:
        p, L, *_ = given = arbitrary(n)
        # L'(t; q, lam; v, Dlam) = L + lam psi
        appended = L + p.lam * given.psi
        rows = operator_rows(p, appended)
        printed = equation_1240(p, L, given.psi)
        yield identity("(1.240)", f"n = {n}: Lagrange's equations of (1.239) in q", rows[:-1, :] - printed)
        yield identity("(1.240)", f"n = {n}: Lagrange's equation in lam is psi = 0", rows[-1] + given.psi)
    for n in SIZES:
        given = polynomial(n)
        residual = vakonomic_rows(system(n), given.path) - equation_1240(given.path, given.L, given.psi)
        yield identity("(1.240)", f"n = {n}: the library's vakonomic equations, lam -> -lam", residual, key=n == 3)


def operator_rows(p: Path, L: sp.Expr) -> sp.Matrix:
    """The library's Euler-Lagrange operator in the coordinates q and lam."""
    q, v, a = (*p.q, p.lam), (*p.v, p.Dlam), (*p.a, sp.Symbol("DDlam", real=True))
    return sp.Matrix(rows_of(plain_motion(q, v).euler_lagrange(L), a))


# --- variations and virtual velocities -------------------------------------------------------------------------------


def variations() -> Iterator[Claim]:
    """(1.185), and why eta cannot be eliminated as for coordinate constraints."""
    for n in SIZES:
        given = polynomial(n)
        p, psi = given.path, given.psi
        eta = sp.Matrix([unknown(f"eta{i + 1}", TIME) for i in range(n)])
        condition = equation_1185(p, psi, eta, eta.diff(TIME))
        yield identity(
            "(1.185)", f"n = {n}: the first change of psi under q + eps eta", condition - change(p, psi, eta)
        )
        # D(G1 eta) - (d1 psi eta + d2 psi D eta) = (D(d2 psi) - d1 psi) eta = E[psi] eta
        product = p.D(p.dot(given.G1, eta)) - condition
        yield identity("(1.185)", f"n = {n}: (1.185) is D(G1 eta) = E[psi] eta", product - p.dot(p.E(psi), eta))
        F = unknown("F", TIME, *p.q)
        exact = equation_1185(p, p.D(F), eta, eta.diff(TIME)) - p.D(p.dot(p.d1(F), eta))
        yield identity("(1.185)", f"n = {n}, psi = DF: (1.185) is D(d1 F eta) = 0", exact)


def change(p: Path, psi: sp.Expr, eta: sp.Matrix) -> sp.Expr:
    """d/deps of psi on the path q + eps eta, at eps = 0."""
    eps = sp.Symbol("eps")
    moved = {q: q + eps * e for q, e in zip(p.q, eta, strict=True)}
    moved |= {v: v + eps * e.diff(TIME) for v, e in zip(p.v, eta, strict=True)}
    return psi.subs(moved, simultaneous=True).diff(eps).subs(eps, 0)


def virtual_velocities(G1: sp.Matrix) -> list[sp.Matrix]:
    """All xi with G1 xi = 0, up to multiples: G1 turned about each axis (1.236)."""
    if len(G1) == 2:
        return [sp.Matrix([-G1[1], G1[0]])]
    return [sp.eye(3)[:, i].cross(G1) for i in range(3)]


def principle() -> Iterator[Claim]:
    """(1.236) to (1.238): the reaction is orthogonal to every virtual velocity, and then parallel to d2 psi."""
    for n in SIZES:
        given = polynomial(n)
        p, G1 = given.path, given.G1
        virtual = virtual_velocities(G1)
        reaction = p.E(given.L) - nonholonomic_rows(system(n), p, l)
        residuals = [p.dot(reaction, xi) for xi in virtual]
        yield identity("(1.237)", f"n = {n}: the library's reaction is orthogonal to every xi", residuals)
        yield identity("(1.238)", f"n = {n}: E[L] xi = 0 for every xi makes E[L] = lam d2 psi", parallel(n), key=n == 3)
        # E[L] v = lam G1 v = -lam G0 on psi = 0: the velocity itself is virtual only where G0 = 0
        v = sp.Matrix(p.v)
        power = p.dot(reaction, v)
        yield identity(
            "(1.236)", f"n = {n}: the velocity Dq is a virtual velocity", p.dot(G1, v) - given.psi, expected=False
        )
        yield identity("(1.238)", f"n = {n}: the reaction's power is -lam G0", power - l * (given.psi - given.G0))


def parallel(n: int) -> list[sp.Expr]:
    """R - (R G1 / G1 G1) G1 where R xi = 0 for every virtual velocity xi: n - 1 of them suffice where G1_n != 0."""
    G1, R = sp.Matrix(sp.symbols(f"G1_1:{n + 1}", nonzero=True)), sp.Matrix(sp.symbols(f"R1:{n + 1}", real=True))
    found = sp.solve([(R.T * xi)[0] for xi in virtual_velocities(G1)], list(R[:-1]), dict=True)
    gap = R - (R.T * G1)[0] / (G1.T * G1)[0] * G1
    return [e.subs(solution) for solution in found for e in gap]


# --- where the two sets agree ----------------------------------------------------------------------------------------


def difference() -> Iterator[Claim]:
    """(1.240) minus (1.231): the two agree exactly where lam (D G1 - d1 psi) is parallel to G1."""
    for n in SIZES:
        p, L, G1, _ = given = arbitrary(n)
        E = p.E(given.psi)
        gap = equation_1240(p, L, given.psi) - equation_1231(p, L, given.psi, l)
        yield identity("(1.239)", f"n = {n}: D G1 - d1 psi is E[psi]", p.D(G1) - p.d1(given.psi) - E)
        jets = polynomial(n)
        library = sp.Matrix([*allowed(system(n)).variation["psi"].values()])
        yield identity("(1.239)", f"n = {n}: it is what the library finds", library - jets.path.E(jets.psi))
        yield identity(
            "(1.231), (1.240)",
            f"n = {n}: they differ by (Dlam + l) G1 + lam E[psi]",
            gap - (p.Dlam + l) * G1 - p.lam * E,
        )
        # only if: gap = 0 leaves no minor of (G1, lam E[psi])
        minors = [g - m for g, m in zip(p.minors(G1, gap), p.minors(G1, p.lam * E), strict=True)]
        yield identity("(1.231), (1.240)", f"n = {n}: a common motion only if lam E[psi] is parallel to G1", minors)
        # if: lam E[psi] = c G1 and Dlam = -l - c
        yield identity(
            "(1.231), (1.240)",
            f"n = {n}: a common motion if lam E[psi] = c G1, with Dlam = -l - c",
            sufficient(n),
            key=n == 3,
        )


def sufficient(n: int) -> sp.Matrix:
    """(1.240) minus (1.231) where lam E[psi] = c G1 and Dlam = -l - c."""
    given = arbitrary(n)
    p, c = given.path, sp.Symbol("c", real=True)
    gap = equation_1240(p, given.L, given.psi) - equation_1231(p, given.L, given.psi, l)
    assumed = p.lam * p.E(given.psi) - c * given.G1
    return (gap - assumed).subs(p.Dlam, -l - c)


def frobenius() -> Iterator[Claim]:
    """E[psi] is parallel to G1 exactly where V _| (w ^ dw) is 0, w = G1 dq + G0 dt and V = d/dt + v d/dq.

    V _| (w ^ dw) = psi dw - w ^ (V _| dw), and V _| dw has the components E[psi] along dq. So for an integrable
    constraint, w ^ dw = 0, the two principles agree for every lam.
    """
    for n in SIZES:
        p, _, G1, _ = given = arbitrary(n)
        dw = curl(given)
        inner = contracted(given)
        # E[psi] = V _| dw along dq
        E = sp.Matrix([flow(given)[k] * dw[k, i + 1] for i in range(n) for k in range(n + 1)]).reshape(n, n + 1)
        yield identity("E[psi]", f"n = {n}: it is V _| dw along dq", p.E(given.psi) - E * sp.ones(n + 1, 1))
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        residuals = [
            m - given.psi * dw[i + 1, j + 1] + inner[i + 1, j + 1]
            for m, (i, j) in zip(p.minors(G1, p.E(given.psi)), pairs, strict=True)
        ]
        statement = f"n = {n}: parallel to G1 on psi = 0 exactly where V _| (w ^ dw) = 0"
        yield identity("E[psi]", statement, residuals, key=n == 3)


def one_form(given: Given) -> list[sp.Expr]:
    """w = G0 dt + G1 dq."""
    return [given.G0, *given.G1]


def flow(given: Given) -> list[sp.Expr]:
    """V = d/dt + v d/dq."""
    return [sp.S.One, *given.path.v]


def curl(given: Given) -> sp.Matrix:
    """dw_kl = d_k w_l - d_l w_k on (t, q)."""
    w, s = one_form(given), (TIME, *given.path.q)
    return sp.Matrix(len(s), len(s), lambda k, m: w[m].diff(s[k]) - w[k].diff(s[m]))


def wedge(given: Given, i: int, j: int, k: int) -> sp.Expr:
    """(w ^ dw)_ijk."""
    w, dw = one_form(given), curl(given)
    return w[i] * dw[j, k] + w[j] * dw[k, i] + w[k] * dw[i, j]


def contracted(given: Given) -> sp.Matrix:
    """V _| (w ^ dw) as a matrix."""
    V = flow(given)
    size = len(V)
    return sp.Matrix(size, size, lambda i, j: sum((V[k] * wedge(given, k, i, j) for k in range(size)), sp.S.Zero))


def examples() -> Iterator[Claim]:
    """Frobenius for the examples that are run: is there an F(t, q) with psi = h DF?"""
    for example in (*nonholonomic_examples(), growing_ring()):
        p, psi = example.path, example.psi
        given = Given(p, example.system.lagrangian, p.d2(psi), psi.subs(dict.fromkeys(p.v, 0)))
        triples = [wedge(given, *triple) for triple in itertools.combinations(range(p.n + 1), 3)]
        expected = example.name == growing_ring().name
        yield identity("Frobenius", f"{example.name}: w ^ dw = 0, integrable", triples, expected=expected)


def integrable() -> Iterator[Claim]:
    """psi = DF and its multiples: the same motion for every lam."""
    for n in SIZES:
        p, L, *_ = arbitrary(n)
        F, h = unknown("F", TIME, *p.q), unknown("h", TIME, *p.q)
        yield identity("psi = DF", f"n = {n}: E[DF] = 0", p.E(p.D(F)))
        gap = (equation_1240(p, L, p.D(F)) - equation_1231(p, L, p.D(F), l)).subs(p.Dlam, -l)
        yield identity("psi = DF", f"n = {n}: they agree, lam_1.231 = -D lam_1.240", gap, key=n == 3)
        multiple = h * p.D(F)
        # E[h DF] = (Dh/h) G1 - (psi/h) d1 h
        residual = p.E(multiple) - p.D(h) / h * p.d2(multiple) + multiple / h * p.d1(h)
        yield identity("psi = h DF", f"n = {n}: E[h DF] is parallel to G1 on psi = 0 all the same", residual)
        gap = equation_1240(p, L, multiple) - equation_1231(p, L, multiple, l)
        on = gap.subs(p.Dlam, -l - p.lam * p.D(h) / h) + p.lam * multiple / h * p.d1(h)
        yield identity("psi = h DF", f"n = {n}: they agree, l = -Dlam - lam Dh/h", on)


def two_coordinates() -> Iterator[Claim]:
    """With two coordinates, linear psi and no time, every constraint is integrable; with G0 or t it need not be."""
    p = path(2)
    G1 = sp.Matrix([unknown(f"G1_{i + 1}", *p.q) for i in range(2)])
    allowed = dict(zip(p.v, sp.Symbol("c", real=True) * sp.Matrix([-G1[1], G1[0]]), strict=True))
    yield identity(
        "n = 2", "G1(q), G0 = 0: (1.231) and (1.240) agree for every lam", *on_constraint(p, G1, sp.S.Zero, allowed)
    )
    G1t = sp.Matrix([unknown(f"G1_{i + 1}", TIME, *p.q) for i in range(2)])
    moving = dict(zip(p.v, sp.Symbol("c", real=True) * sp.Matrix([-G1t[1], G1t[0]]), strict=True))
    # G1(t, q): what parts them is how the direction that is held turns with the time
    turning = G1t[0] * G1t[1].diff(TIME) - G1t[1] * G1t[0].diff(TIME)
    parted = on_constraint(p, G1t, sp.S.Zero, moving)
    yield identity("n = 2", "G1(t, q), G0 = 0: they part by G1 x dG1/dt", [e - turning for e in parted])
    # G1 v = -G0 on it: what parts them is -(w ^ dw) on (t, x, y)
    G0 = unknown("G0", *p.q)
    drifting = {p.v[1]: -(G1[0] * p.v[0] + G0) / G1[1]}
    whole = wedge(Given(p, sp.S.Zero, G1, G0), 0, 1, 2)
    parted = on_constraint(p, G1, G0, drifting)
    yield identity("n = 2", "G1(q), G0(q): they part by -(w ^ dw)", [sp.expand(e + whole) for e in parted])


def on_constraint(p: Path, G1: sp.Matrix, G0: sp.Expr, allowed: dict[sp.Symbol, sp.Expr]) -> Sequence[sp.Expr]:
    """The minors of (G1, E[psi]) on psi = 0."""
    psi = p.dot(G1, sp.Matrix(p.v)) + G0
    return [m.subs(allowed, simultaneous=True) for m in p.minors(G1, p.E(psi))]


GROUPS: tuple[Group, ...] = (
    definition,
    unconstrained,
    first_set,
    second_set,
    variations,
    principle,
    difference,
    frobenius,
    examples,
    integrable,
    two_coordinates,
)
